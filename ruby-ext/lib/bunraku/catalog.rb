# frozen_string_literal: true

require 'json'

module Bunraku
  # A resource of a catalog.
  #
  # @!attribute type [r] @return [String] such as `File`
  # @!attribute title [r] @return [String]
  # @!attribute parameters [r] @return [Hash{String => Object}] a secret is a {Value}, which must be
  #   unwrapped to show its content
  # @!attribute tags [r] @return [Array<String>]
  # @!attribute file [r] @return [String, nil] the file that declares the resource
  # @!attribute line [r] @return [Integer, nil]
  # @!attribute exported [r] @return [Boolean]
  # @!attribute virtual [r] @return [Boolean] whether it is exported without being realized here
  # @!attribute kind [r] @return [Symbol] `:compilable_type`, `:defined_type`, `:class` or `:unknown`
  # @!attribute sensitive_parameters [r] @return [Array<String>] the names of the parameters that are secret
  Resource = Struct.new(:type, :title, :parameters, :tags, :file, :line, :exported, :virtual, :kind, :sensitive_parameters,
                        keyword_init: true) do
    # @param name [String, Symbol] a parameter's name, or a member's as with any Struct
    # @return [Object] the value
    def [](name)
      name = name.to_s
      parameters.fetch(name) { members.include?(name.to_sym) ? super(name) : nil }
    end

    # @return [Hash{String => Object}] the parameters as an agent receives them: with their secrets, so they
    #   must not be shown
    def unwrapped_parameters
      parameters.to_h { |name, value| [name, sensitive_parameters.include?(name) ? value.unwrap : value] }
    end

    # @return [String] `Type[title]`
    def to_s
      "#{type}[#{title}]"
    end
  end

  # Containment of one resource in another.
  Edge = Struct.new(:source, :target) do
    # @return [String] `Source[title] => Target[title]`
    def to_s
      "#{source} => #{target}"
    end
  end

  # The catalog of a node. Made by {Environment#compile}; immutable.
  class Catalog
    include Enumerable

    # @!method name
    #   @return [String] the certname
    # @!method environment
    #   @return [String] the environment's name
    # @!method version
    #   @return [Object] what `config_version` says, or the time of the compilation in seconds

    # @!method catalog_uuid
    #   @return [String, nil] the id of the catalog; nil if it was read from a document without one
    # @!method code_id
    #   @return [String, nil] the id of the code, if the compilation received one
    # @!method transaction_uuid
    #   @return [String, nil] the id of the agent's run, if the compilation received one
    # @!method job_id
    #   @return [String, nil] the id of the job that requested the run, if the compilation received one
    # @!method producer
    #   @return [String, nil] the server's name, if the compilation received one
    # @!method producer_timestamp
    #   @return [String, nil] the time of the compilation; nil if the catalog was read from a document
    %w[catalog_uuid code_id transaction_uuid job_id producer producer_timestamp].each do |key|
      define_method(key) { native_identity[key] }
    end

    # @!method tags
    #   @return [Array<String>]
    # @!method classes
    #   @return [Array<String>] the classes, in the order in which they were evaluated
    # @!method reads_settings?
    #   @return [Boolean] whether the compilation read variables of the class `settings`; false for catalogs
    #     that were read
    # @!method data_keys
    #   @return [Array<String>] the keys of data that the compilation looked up, each once, in order
    # @!method size
    #   @return [Integer] the number of resources
    # @!method logs
    #   @return [Array<Hash>] the log: `:level`, `:message`, `:source`, `:file`, `:line`, `:column`,
    #     `:issue_code`, `:once` (the key under which Puppet logs the message only once in a process)
    # @!method to_h
    #   @return [Hash] the catalog as an agent receives it, in rich data

    # @yieldparam resource [Resource] each resource in the order in which it entered the catalog
    # @return [self, Enumerator]
    def each
      return enum_for(:each) { size } unless block_given?

      size.times { |index| yield resource(index) }
      self
    end

    # @return [Array<Resource>]
    def resources
      to_a
    end

    # @param reference [String] such as `File[/etc/motd]`
    # @return [Resource, nil]
    def [](reference)
      index = native_index(reference.to_s)
      index && resource(index)
    end

    # @return [Array<Edge>] containment, by target in the order of the resources
    def edges
      native_edges.map { |source, target| Edge.new(resource(source), resource(target)) }
    end

    # @return [String] {#to_h} as JSON
    def to_json(*)
      native_write('agent', '{}')
    end

    # @return [String] {#to_h} as MessagePack
    def to_msgpack(*)
      native_write('agent:msgpack', '{}')
    end

    # The catalog as PuppetDB receives it: the payload of the command "replace catalog".
    #
    # @param version [Integer, String] 1, `'1-api'`, or 4 to 9
    # @param producer [String, nil] the server's name. The default of this and all further parameters is what
    #   the compilation received
    # @param producer_timestamp [Time, String, nil] the time of submission
    # @param transaction_uuid [String, nil] the id of the agent's run; versions before 9 need one
    # @param job_id [String, nil] the id of the job that requested the run
    # @param catalog_uuid [String, nil] the id of the catalog, for one that was read without an id
    # @param code_id [String, nil] the id of the code, for a catalog without one
    # @return [String] JSON
    # @raise [Error] the target of a relationship is missing, the version needs an id that is not given, or
    #   the catalog has another id
    #   another id
    def to_puppetdb(version: 9, producer: nil, producer_timestamp: nil, transaction_uuid: nil, job_id: nil, catalog_uuid: nil,
                    code_id: nil)
      submission = { producer: producer, producer_timestamp: producer_timestamp || self.producer_timestamp || Time.now,
                     transaction_uuid: transaction_uuid, job_id: job_id, catalog_uuid: catalog_uuid, code_id: code_id }
      native_write("puppetdb:#{version}", self.class.send(:submission_json, submission))
    end

    # Reads a catalog in the form that agents receive.
    #
    # @param document [String] JSON or MessagePack
    # @param form [String] `agent` or `agent:msgpack`
    # @param environment [Environment, nil] resolves the types of objects in the catalog other than the
    #   language's own
    # @return [Catalog]
    # @raise [InvalidDocument] the document breaks rules of its form
    def self.read(document, form: 'agent', environment: nil)
      native_read(document, form, environment)
    end

    # Checks a document against the rules of its form.
    #
    # @param document [String] JSON or MessagePack
    # @param form [String] `agent`, `agent:msgpack`, `puppetdb:9` …
    # @param environment [Environment, nil] as for {read}
    # @return [Array<Violation>] empty for a valid document
    def self.validate(document, form: 'agent', environment: nil)
      native_validate(document, form, environment).map { |path, message| Violation.new(path, message).freeze }
    end

    # Writes a document in another form.
    #
    # @param document [String] JSON or MessagePack
    # @param from [String] its form
    # @param to [String] the other form
    # @param environment [Environment, nil] as for {read}
    # @param submission [Hash] the data that the document does not contain: `:producer`,
    #   `:producer_timestamp`,
    #   `:transaction_uuid`, `:catalog_uuid`, `:code_id`, `:job_id`, `:environment_name`
    # @return [String] JSON or MessagePack
    # @raise [InvalidDocument] the document breaks rules of its form
    # @raise [Error] the document lacks data that the other form needs
    def self.convert(document, from:, to:, environment: nil, **submission)
      submission[:environment] = submission.delete(:environment_name) if submission.key?(:environment_name)
      native_convert(document, from, to, submission_json(submission), environment)
    end

    def self.submission_json(submission)
      time = submission[:producer_timestamp]
      submission = submission.merge(producer_timestamp: time.getutc.strftime('%FT%T.%LZ')) if time.is_a?(Time)
      JSON.generate(submission.compact)
    end
    private_class_method :submission_json

    # Returns the origins of the values of a resource's parameters.
    #
    # @param reference [String] such as `File[/etc/motd]`
    # @return [Hash{String => Hash}, nil] by parameter: `:kind` (`"hiera"`, `"default"`, `"expression"`,
    #   `"splat"`, `"resource_default"`, `"override"`, `"collector"`, `"enc"` …), and where known `:file`,
    #   `:line`, `:column`, `:layer`, `:level`, `:key`, `:merge`, `:parts`, `:function`, `:sources` (the
    #   origins of the variables and calls in the expression). nil if the catalog does not contain the
    #   resource or was compiled without `provenance: true`
    def provenance(reference)
      text = native_provenance(reference.to_s)
      text && JSON.parse(text).transform_values { |origin| JSON.parse(JSON.generate(origin), symbolize_names: true) }
    end

    # Returns the chain of declarations and inclusions that added a resource, beginning with the resource.
    #
    # @param reference [String] such as `File[/etc/motd]`
    # @return [Array<Hash>, nil] `:resource`, `:how` (`"declaration"`, `"include"`, `"contain"`, `"require"`,
    #   `"inherits"`, `"enc"`, `"node"`, `"main"`, `"exported"` …), and where known `:by`, `:file`, `:line`,
    #   `:column`, `:function`, `:also` and `:realized` (further causes). nil as for {#provenance}
    def why(reference)
      text = native_why(reference.to_s)
      text && JSON.parse(text, symbolize_names: true)
    end

    # Formats {#provenance} and {#why} as text.
    #
    # @param reference [String] such as `File[/etc/motd]`
    # @param directory [String, nil] paths below it are shown relative to it
    # @return [String, nil] nil as for {#provenance}
    def explain(reference, directory: nil)
      native_explain(reference.to_s, directory.to_s)
    end

    # @param other [Catalog, Hash, String] another catalog, or a written one
    # @return [Diff] what the other catalog adds, removes and changes
    def diff(other)
      Diff.of(self, other)
    end

    # Draws the resources and their edges. Dependency cycles are red.
    #
    # @param by [Symbol] `:containment` (frames), `:class`, or `:resource`
    # @param format [Symbol] `:svg`, `:html` (a page with search and zoom) or `:dot`
    # @param focus [String, Array<String>, nil] references such as `Class[Nginx]`: only the neighbourhood of
    #   these resources is drawn
    # @param depth [Integer, nil] the distance of the neighbourhood in edges or frames; 2 by default
    # @return [String]
    # @raise [LimitError] the graph is too large for SVG
    # @raise [Error] a resource of the focus is not in the graph
    def graph(by: :containment, format: :svg, focus: nil, depth: nil)
      focus = focus.is_a?(Array) ? focus.map(&:to_s) : focus&.to_s
      native_graph(JSON.generate({ by: by, format: format, focus: focus, depth: depth }.compact))
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{name}, #{size} resources>"
    end

    private

    def resource(index)
      members = native_resource(index)
      members && Resource.new(**members).freeze
    end
  end
end
