# frozen_string_literal: true

require 'json'

module Bunraku
  # The functions that an embedder adds to an environment, written in Ruby.
  #
  # The library checks the arguments against the signatures before a call and reports a mismatch in the
  # reference's words. Functions run on the thread that compiles, with Ruby's lock, at the same time as those
  # of other compilations. An exception becomes an {EvaluationError} with the place of the call and the
  # exception as its `cause`. Values arrive as Ruby objects if Ruby has a class for them (`nil`, booleans,
  # numbers, String, Array, Hash, Regexp, Time; `default` is `:default`), otherwise as {Value}.
  #
  # On the C library (`bunraku/ffi`, JRuby) a {Call} has `block?`, `block`, `yield`, `call_function` (without
  # a block), `variable` and `variable?`.
  #
  # A subclass can find functions in its own way: see {#find_function}.
  #
  # @example
  #   path = '/etc/puppetlabs/code/environments'
  #   environment = Bunraku::Environment.new('production', environmentpath: path) do |host|
  #     host.function('site::double', 'Callable[Integer]') { |_call, number| number * 2 }
  #     host.function('site::each_user', 'Callable[Callable[String]]') do |call|
  #       Etc.passwd { |user| call.yield(user.name) }
  #     end
  #   end
  class Host
    # Adds a function. Call this before an environment is made with this host: environments cache what they
    # find.
    #
    # @param name [String] such as `site::double`
    # @param signatures [Array<String>] each a `Callable[…]` in Puppet's type language, tried in order;
    #   without signatures, any arguments are accepted
    # @yield [call, *arguments] the {Call}, and the arguments
    # @yieldreturn [Object] the result
    # @return [self]
    def function(name, *signatures, &body)
      raise ArgumentError, 'a function needs a block' unless body

      signatures = ['Callable'] if signatures.empty?
      functions[name.to_s.delete_prefix('::')] = Function.new(name.to_s, signatures.map(&:to_s), body)
      self
    end

    # Calls the block with each message of a compilation or lookup as it is logged, on the working thread.
    # Results also contain all messages ({Catalog#logs}, {Error#logs}). An exception of the block ends the
    # work, except on the C library (`bunraku/ffi`, JRuby). Call this before an environment is made with this
    # host. A subclass can define `log(entry)` instead.
    #
    # @yield [entry] a Hash as in {Catalog#logs}
    # @return [self]
    def on_log(&block)
      define_singleton_method(:log) { |entry| block.call(entry) }
      self
    end

    # Calls the block about once in a thousand steps of a compilation or lookup, on the working thread. Call
    # this before an environment is made with this host. A subclass can define `progress(steps)` instead.
    #
    # @yield [steps] the number of steps so far
    # @yieldreturn [Object] false to cancel the work, which raises a {CancelledError}
    # @return [self]
    def on_progress(&block)
      define_singleton_method(:progress) { |steps| block.call(steps) }
      self
    end

    # Finds a function. Called once for each name and environment.
    #
    # @param name [String] the function's Puppet name
    # @param module_path [String, nil] the directory of the module in whose namespace the name is, if that
    #   module exists
    # @return [#signatures, #call, nil] the function, such as a {Function}
    def find_function(name, module_path) # rubocop:disable Lint/UnusedMethodArgument
      functions[name]
    end

    # Returns the resources that other nodes export, for collectors such as `File <<| |>>`; the library
    # applies the collector's query to them. Override this method, for instance with a query to PuppetDB, or
    # add resources with {#export}. The environment needs the setting `storeconfigs`.
    #
    # @param node [String] the node that collects; its own resources must not be included
    # @param type [String] the type, such as `File` or `Site::Backup`
    # @return [Array<Hash>] each with `certname`, `type`, `title`, `parameters` (a Hash of plain data), `tags`
    def exported_resources(node, type)
      exports.reject { |certname, _| certname == node }.values.flatten(1).select { |resource| resource[:type] == type }
    end

    # Stores the exported resources of a catalog for the compilations of other nodes. They replace those that
    # its node exported before.
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
    # @param arguments [Array] the arguments
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
    #   @return [Boolean] whether the caller passed a lambda
    # @!method yield(*arguments)
    #   Calls the lambda.
    #   @return [Object] its result
    #   @raise [Error] the lambda fails
    # @!method self.current
    #   @return [Call, nil] of the function that runs on this thread
    # @!method variable?(name)
    #   @return [Boolean] whether the variable exists
    # @!method function?(name)
    #   @return [Boolean] whether the function exists
    # @!method facts
    #   @return [Hash] of the node
    # @!method node_name
    #   @return [String] the node's certname
    # @!method classes
    #   @return [Array<String>] of the catalog, in the order in which they were evaluated
    # @!method catalog_tags
    #   @return [Array<String>]
    # @!method call_function(name, *arguments)
    #   Calls a Puppet function. A block becomes its lambda.
    #   @return [Object] its result
    #   @raise [Error] the function does not exist, or it fails
    # @!method variable(name)
    #   @return [Object, nil] the value of a variable in the scope of the caller
    # @!method missing_variable(name)
    #   @return [Array(String, String), nil] how a complaint names a variable that does not exist, and the
    #     reason, which may be nil; nil if the variable exists
    # @!method resource_defaults(type)
    #   @return [Hash{String => Object}] the defaults for resources of a type in the scope of the caller
    # @!method variables
    #   @return [Hash{String => Object}] all variables in the scope of the caller

    # @return [Proc, nil] the lambda of the call
    def block
      method(:yield).to_proc if block?
    end
  end
end
