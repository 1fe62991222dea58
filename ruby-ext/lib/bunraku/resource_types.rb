# frozen_string_literal: true

require 'json'

module Bunraku
  # Types of resources that modules have, read and not run.
  module ResourceTypes
    # What is wrong with a definition, or with values: `severity` (`:error`, `:warning`), `path` (a JSON
    # path), `message`.
    Complaint = Struct.new(:severity, :path, :message, keyword_init: true) do
      def to_s
        "#{path}: #{severity}: #{message}"
      end
    end

    # Describes types, as `puppet describe` does. Of Puppet's own types only the names of attributes are
    # known.
    #
    # @param types [Array<String>] all types are listed without them
    # @param modulepath [Array<String>] directories with modules
    # @return [Array<String, nil>] a text for each type, nil for one that is not known
    def self.describe(*types, modulepath:, details: true, providers: false, metaparameters: false)
      Bunraku.__send__(:native_describe, JSON.generate(types: types, modulepath: paths(modulepath), details: details, providers: providers,
                                            metaparameters: metaparameters))
    end

    # Types as files for an environment's `.resource_types`, which Puppet reads instead of the Ruby files.
    #
    # @param modulepath [Array<String>] directories with modules
    # @return [Array<Hash{String => String, nil}>] `name`, `file`, `text`; the text is nil where a type is
    #   computed
    def self.generate(modulepath:)
      Bunraku.__send__(:native_generate_types, JSON.generate(modulepath: paths(modulepath)))
    end

    # What is wrong with a definition of the Resource API.
    #
    # @param definition [Hash] as `Puppet::ResourceApi.register_type` takes it
    # @return [Array<Complaint>]
    def self.check(definition)
      complaints(Bunraku.__send__(:native_definitions, JSON.generate(definition: definition)).first['complaints'])
    end

    # What is wrong with the attributes of a resource: unknown ones, and values of other types.
    #
    # @param definition [Hash] as `Puppet::ResourceApi.register_type` takes it
    # @param values [Hash] the attributes
    # @return [Array<Complaint>]
    def self.check_values(definition, values)
      complaints(Bunraku.__send__(:native_definitions, JSON.generate(definition: definition, values: values)).first['values'])
    end

    # The definitions that a Ruby file registers.
    #
    # @param path [String]
    # @return [Array<Array(Hash, Array<Complaint>)>] each with what is wrong with it; nil is one that is
    #   computed
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
