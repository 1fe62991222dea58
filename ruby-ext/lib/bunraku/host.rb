# frozen_string_literal: true

require 'json'

module Bunraku
  # What an embedder brings to an environment: functions that manifests may call, written in Ruby.
  #
  # They are checked against their signatures before they are called, with the reference's words when
  # arguments do not fit. They run on the thread that compiles, with Ruby's lock, at the same time as those of
  # other compilations. What they raise is an {EvaluationError} with the place of the call, and the exception
  # as its `cause`. Values arrive as Ruby's own where Ruby has such (`nil`, booleans, numbers, String, Array,
  # Hash, Regexp, Time; `default` is `:default`), else as {Value}.
  #
  # On the C library (`bunraku/ffi`, JRuby) a {Call} has `block?`, `block`, `yield`, `call_function` (without
  # a block), `variable` and `variable?`.
  #
  # A subclass may find functions in its own way: see {#find_function}.
  #
  # @example
  #   environment = Bunraku::Environment.new('production', environmentpath: '/etc/puppetlabs/code/environments') do |host|
  #     host.function('site::double', 'Callable[Integer]') { |_call, number| number * 2 }
  #     host.function('site::each_user', 'Callable[Callable[String]]') do |call|
  #       Etc.passwd { |user| call.yield(user.name) }
  #     end
  #   end
  class Host
    # Adds a function. To be done before an environment is made with this host: environments remember what
    # they found.
    #
    # @param name [String] such as `site::double`
    # @param signatures [Array<String>] each a `Callable[…]` in Puppet's type language, tried in order; none
    #   takes any arguments
    # @yield [call, *arguments] the {Call}, and the arguments
    # @yieldreturn [Object] the result
    # @return [self]
    def function(name, *signatures, &body)
      raise ArgumentError, 'a function needs a block' unless body

      signatures = ['Callable'] if signatures.empty?
      functions[name.to_s.delete_prefix('::')] = Function.new(name.to_s, signatures.map(&:to_s), body)
      self
    end

    # Hears each message of a compilation or lookup when it is said, on the thread that works; results have
    # all of them, too ({Catalog#logs}, {Error#logs}). What the block raises ends the work, on the C library
    # (`bunraku/ffi`, JRuby) it does not. To be done before an environment is made with this host; a subclass
    # may define `log(entry)` instead.
    #
    # @yield [entry] a Hash as in {Catalog#logs}
    # @return [self]
    def on_log(&block)
      define_singleton_method(:log) { |entry| block.call(entry) }
      self
    end

    # Hears how work goes on, about once in a thousand steps of a compilation or lookup, on the thread that
    # works. To be done before an environment is made with this host; a subclass may define `progress(steps)`
    # instead.
    #
    # @yield [steps] how many steps the work has taken
    # @yieldreturn [Object] false to end the work, which raises a {CancelledError}
    # @return [self]
    def on_progress(&block)
      define_singleton_method(:progress) { |steps| block.call(steps) }
      self
    end

    # Finds a function. Asked once for each name and environment.
    #
    # @param name [String] the function's Puppet name
    # @param module_path [String, nil] the directory of the module whose namespace the name has, when there is
    #   such a module
    # @return [#signatures, #call, nil] the function, such as a {Function}
    def find_function(name, module_path) # rubocop:disable Lint/UnusedMethodArgument
      functions[name]
    end

    # The resources that other nodes export, for collectors such as `File <<| |>>`; the collector's query is
    # applied to them. To be overridden, for instance by a query to PuppetDB, or filled with {#export}. Such
    # environments need the setting `storeconfigs`.
    #
    # @param node [String] the node that asks; its own resources are not wanted
    # @param type [String] the type, such as `File` or `Site::Backup`
    # @return [Array<Hash>] each with `certname`, `type`, `title`, `parameters` (a Hash of plain data), `tags`
    def exported_resources(node, type)
      exports.reject { |certname, _| certname == node }.values.flatten(1).select { |resource| resource[:type] == type }
    end

    # Keeps what a catalog exports, for the compilations of other nodes; replaces what its node exported
    # before.
    #
    # @param catalog [Catalog]
    # @return [self]
    def export(catalog)
      payload = JSON.parse(catalog.to_puppetdb)
      exported = payload['resources'].select { |resource| resource['exported'] }
      @exports = exports.merge(catalog.name => exported.map do |resource|
        { certname: catalog.name, type: resource['type'], title: resource['title'],
          parameters: resource['parameters'].reject { |name, _| name == 'alias' }, tags: resource['tags'] }
      end)
      self
    end

    # @api private
    def exported_resources_json(node, type, _filter = nil)
      JSON.generate(exported_resources(node, type))
    end

    private

    def exports
      @exports ||= {}
    end

    def functions
      @functions ||= {}
    end
  end

  # A function of a {Host}.
  Function = Struct.new(:name, :signatures, :body) do
    # @param _signature [Integer] the number of the signature that the arguments match
    # @param arguments [Array] what it is called with
    # @param call [Call] the call
    # @return [Object] the result
    def call(_signature, arguments, call)
      body.call(call, *arguments)
    end
  end

  # A call of a Ruby function in progress. It can be used until the function returns, by the thread (and
  # fiber) that was called.
  class Call
    # @!method block?
    #   @return [Boolean] whether a lambda was given
    # @!method yield(*arguments)
    #   Calls the lambda.
    #   @return [Object] its value
    #   @raise [Error] what it fails with
    # @!method self.current
    #   @return [Call, nil] of the function that runs on this thread
    # @!method variable?(name)
    #   @return [Boolean] whether there is such a variable
    # @!method function?(name)
    #   @return [Boolean] whether there is such a function
    # @!method facts
    #   @return [Hash] of the node
    # @!method node_name
    #   @return [String] the node's certname
    # @!method classes
    #   @return [Array<String>] of the catalog, in the order in which they were evaluated
    # @!method catalog_tags
    #   @return [Array<String>]
    # @!method call_function(name, *arguments)
    #   Calls a Puppet function. A block is given to it as its lambda.
    #   @return [Object] its value
    #   @raise [Error] there is no such function, or it fails
    # @!method variable(name)
    #   @return [Object, nil] the value of a variable as the calling scope sees it
    # @!method missing_variable(name)
    #   @return [String, nil] why there is no such variable, where that is an error
    # @!method resource_defaults(type)
    #   @return [Hash{String => Object}] the defaults that hold for resources of a type in the calling scope
    # @!method variables
    #   @return [Hash{String => Object}] all variables that the calling scope sees

    # @return [Proc, nil] the lambda that was given
    def block
      method(:yield).to_proc if block?
    end
  end
end
