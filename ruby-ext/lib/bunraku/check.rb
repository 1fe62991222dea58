# frozen_string_literal: true

module Bunraku
  # A mistake in an environment: `code`, `severity` (`:error`, if every evaluation of the place fails,
  # `:warning`, `:note`), `message`, `file`, `line`, `column`, `end_line`, `end_column`, `related` (places
  # that explain it, each with a `message`), `fix` (nil, or a Hash with `message`, a place and the replacement
  # `text`).
  Finding = Struct.new(:code, :severity, :message, :file, :line, :column, :end_line, :end_column, :related, :fix, keyword_init: true) do
    # @api private
    def self.of(data)
      new(**data.transform_keys(&:to_sym), severity: data['severity'].to_sym).freeze
    end

    # @return [String] `file:line:column: severity: message (code)`
    def to_s
      "#{file}:#{line}:#{column}: #{severity}: #{message} (#{code})"
    end
  end

  # Checks an environment, as {Environment#check} does.
  #
  # @param environment [Environment]
  # @return [Array<Finding>]
  def self.check(environment, **options)
    environment.check(**options)
  end

  # The definitions of an environment and the references to them. It is a snapshot.
  class Index
    # A definition: `kind` (`:class`, `:defined_type`, `:function`, `:type`, `:plan`, `:task`, `:node`,
    # `:resource_type`, `:fact`, `:template`, `:data_key`), `name`, `module`, `documentation`, `parent`,
    # `parameters` (Hashes with `name`, `type`, `default`, `required`), `file`, `line`, `column`, `end_line`,
    # `end_column`.
    Definition = Struct.new(:kind, :name, :module, :documentation, :parent, :parameters, :file, :line, :column, :end_line, :end_column,
                            keyword_init: true)

    # A use of a name: `kind`, `usage` (`:include`, `:declare`, `:call`, `:refer`, `:lookup`, `:override`,
    # `:assign`), `name`, `title` of a resource, `inside` (the name of the enclosing definition), and a place.
    Reference = Struct.new(:kind, :usage, :name, :title, :inside, :file, :line, :column, :end_line, :end_column, keyword_init: true)

    # @return [Array<Definition>]
    attr_reader :definitions
    # @return [Array<Reference>]
    attr_reader :references
    # @return [Array<Definition>] classes, defined types, functions, types and templates without references
    attr_reader :unused

    # @api private
    def initialize(data)
      @definitions = data['definitions'].map { |one| Definition.new(**one.transform_keys(&:to_sym), kind: one['kind'].to_sym).freeze }.freeze
      @references = data['references'].map do |one|
        Reference.new(**one.transform_keys(&:to_sym), kind: one['kind'].to_sym, usage: one['usage'].to_sym).freeze
      end.freeze
      @unused = data['unused'].map { |number| @definitions[number] }.freeze
    end

    # @param kind [Symbol]
    # @param name [String] in lower case, without a leading `::`
    # @return [Definition, nil]
    def find(kind, name)
      definitions.find { |one| one.kind == kind && one.name == name }
    end

    # Returns the references to a name.
    #
    # @return [Array<Reference>]
    def references_to(kind, name)
      kinds = { defined_type: %i[resource type], resource_type: %i[resource type] }.fetch(kind, [kind])
      references.select { |one| one.name == name && kinds.include?(one.kind) }
    end

    # Returns the definitions that refer to a name.
    #
    # @return [Array<String>] their names
    def callers(kind, name)
      references_to(kind, name).map(&:inside).compact.uniq
    end

    # Returns what a definition refers to.
    #
    # @return [Array<Reference>]
    def callees(name)
      references.select { |one| one.inside == name }
    end
  end
end
