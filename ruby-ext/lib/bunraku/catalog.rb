# frozen_string_literal: true

module Bunraku
  # A resource of a catalog.
  #
  # @!attribute type [r] @return [String] such as `File`
  # @!attribute title [r] @return [String]
  # @!attribute parameters [r] @return [Hash{String => Object}]
  # @!attribute tags [r] @return [Array<String>]
  # @!attribute file [r] @return [String, nil] the file that declares it
  # @!attribute line [r] @return [Integer, nil]
  # @!attribute exported [r] @return [Boolean]
  # @!attribute kind [r] @return [Symbol] `:compilable_type`, `:defined_type`, `:class` or `:unknown`
  # @!attribute sensitive_parameters [r] @return [Array<String>]
  Resource = Struct.new(:type, :title, :parameters, :tags, :file, :line, :exported, :kind, :sensitive_parameters,
                        keyword_init: true) do
    # @param name [String, Symbol] a parameter's name, or a member's as with any Struct
    # @return [Object] the value
    def [](name)
      name = name.to_s
      parameters.fetch(name) { members.include?(name.to_sym) ? super(name) : nil }
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
    # @!method classes
    #   @return [Array<String>] the classes, in the order in which they were evaluated
    # @!method size
    #   @return [Integer] how many resources there are
    # @!method logs
    #   @return [Array<Hash>] what was logged: `:level`, `:message`, `:source`, `:file`, `:line`, `:column`, `:issue_code`
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
      native_json
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
