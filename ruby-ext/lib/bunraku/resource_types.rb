# frozen_string_literal: true

require 'json'

module Bunraku
  # Resource types of modules, which are read but not run.
  module ResourceTypes
    # A message about a definition or values: `severity` (`:error`, `:warning`), `path` (a JSON path),
    # `message`.
    Complaint = Struct.new(:severity, :path, :message, keyword_init: true) do
      def to_s
        "#{path}: #{severity}: #{message}"
      end
    end

    # Describes types, as `puppet describe` does. For Puppet's own types only the names of attributes are
    # available.
    #
    # @param types [Array<String>] without names, all types are listed
    # @param modulepath [Array<String>] directories with modules
    # @return [Array<String, nil>] a text for each type, nil for an unknown type
    def self.describe(*types, modulepath:, details: true, providers: false, metaparameters: false)
      Bunraku.__send__(:native_describe, JSON.generate(types: types, modulepath: paths(modulepath), details: details, providers: providers,
                                            metaparameters: metaparameters))
    end

    # Generates files for an environment's `.resource_types`, which Puppet reads instead of the Ruby files.
    #
    # @param modulepath [Array<String>] directories with modules
    # @return [Array<Hash{String => String, nil}>] `name`, `file`, `text`; the text is nil if the type is
    #   computed
    def self.generate(modulepath:)
      Bunraku.__send__(:native_generate_types, JSON.generate(modulepath: paths(modulepath)))
    end

    # Checks a definition of the Resource API.
    #
    # @param definition [Hash] the argument of `Puppet::ResourceApi.register_type`
    # @return [Array<Complaint>]
    def self.check(definition)
      complaints(Bunraku.__send__(:native_definitions, JSON.generate(definition: definition)).first['complaints'])
    end

    # Checks the attributes of a resource for unknown names and wrong types.
    #
    # @param definition [Hash] the argument of `Puppet::ResourceApi.register_type`
    # @param values [Hash] the attributes
    # @return [Array<Complaint>]
    def self.check_values(definition, values)
      complaints(Bunraku.__send__(:native_definitions, JSON.generate(definition: definition, values: values)).first['values'])
    end

    # Returns the definitions that a Ruby file registers.
    #
    # @param path [String]
    # @return [Array<Array(Hash, Array<Complaint>)>] each definition with its messages; nil if it is computed
    def self.definitions(path)
      Bunraku.__send__(:native_definitions, JSON.generate(file: path)).map { |one| [one['definition'], complaints(one['complaints'])] }
    end

    def self.paths(modulepath)
      modulepath.map { |path| File.expand_path(path) }
    end

    def self.complaints(list)
      list.map { |one| Complaint.new(severity: one['severity'].to_sym, path: one['path'], message: one['message']) }
    end
    private_class_method :paths, :complaints
  end
end
