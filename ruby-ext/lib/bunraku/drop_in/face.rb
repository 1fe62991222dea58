# frozen_string_literal: true

require_relative 'parser'
require_relative 'validation'
require_relative 'untouched'

module Bunraku
  module DropIn
    # `Puppet::Face[:parser, :current].validate`, that is `puppet parser validate`: Puppet makes the objects
    # of a manifest and imports what it defines, to throw both away. Of a manifest that nothing is to be said
    # about, neither by the parser nor by the validator nor by the import, only that is done that is seen
    # later: what defined types leave in the loaders of the environment.
    #
    # The import may speak of parameters with the names of metaparameters, of two definitions with one name,
    # and with debug messages on of types of parameters. Nodes, functions, plans and type aliases are imported
    # by Puppet.
    module Face
      # The definitions whose import leaves nothing, or what {register} does.
      CLASS = 'HostClassDefinition'
      DEFINE = 'ResourceTypeDefinition'

      class << self
        # Puts itself before the method of the face, now or when the face is defined.
        #
        # @api private
        def install
          require 'puppet/parser/e4_parser_adapter'
          Untouched.replace(:face, ::Puppet::Interface.singleton_class, :define) do |original|
            lambda do |asked, name, version, &block|
              original.bind(asked).call(name, version, &block).tap { |face| Face.take_over(face) }
            end
          end
          take_over(::Puppet::Interface::FaceCollection.get_face(:parser, '0.0.1'))
        end

        # @param face [Puppet::Interface, nil] any face
        # @api private
        def take_over(face)
          return unless face && face.name == :parser && face.singleton_methods(false).include?(:validate_manifest)

          @own ||= own
          Untouched.replace(:face, face.singleton_class, :validate_manifest) do |original|
            ->(asked, manifest = nil) { Face.validated?(manifest) ? nil : original.bind(asked).call(manifest) }
          end
        end

        # Validates a manifest.
        #
        # @param manifest [String, nil] its path
        # @return [Boolean] whether there is nothing to say; false when Puppet has to see for itself
        # @api private
        def validated?(manifest)
          return false unless DropIn.enabled?(:face)

          accepted = manifest.instance_of?(String) && manifest.end_with?('.pp') && ordinary? && accepted?(manifest)
          accepted ? Report.native(:face) : Report.left(:face, 'more is to be done than to validate')
          accepted
        end

        private

        # Whether a manifest was accepted.
        def accepted?(manifest)          environment = ::Puppet.lookup(:current_environment)
          return false unless environment.is_a?(::Puppet::Node::Environment) && environment.singleton_methods(false).empty?

          # What is wrong with the environment is said before anything of the manifest.
          loaders = ::Puppet::Pops::Loaders.new(environment)
          path = ::Puppet::FileSystem.expand_path(manifest)
          definitions = definitions_of(path)
          return false unless definitions && silent?(definitions)

          register(definitions, path, loaders)
          true
        end

        # What must be as Puppet wrote it.
        def own
          classes = [::Puppet::Parser::E4ParserAdapter, ::Puppet::Parser::AST::Hostclass, ::Puppet::Parser::AST::PopsBridge::Program,
                     ::Puppet::Resource::TypeCollection, ::Puppet::Resource::Type]
          environment = %i[initialize override_with check_for_reparse known_resource_types perform_initial_import]
          Untouched.new(classes.to_h { |one| [one, Untouched.methods_of(one)] }.merge(
            ::Puppet::Node::Environment => environment, ::Puppet::Parser::ParserFactory.singleton_class => %i[parser evaluating_parser],
            ::Puppet::Pops::IssueReporter.singleton_class => %i[assert_and_report]
          ))
        end

        # Whether it is the manifest that is validated, by Puppet's own methods, and nothing is told of its
        # import.
        def ordinary?
          ::Puppet[:code].empty? && !::Puppet::Util::Log.sendlevel?(:debug) && ::Puppet.lookup(:global_scope) { nil }.nil? &&
            @own.untouched?(:face)
        end

        # The definitions in a file, as `Program#native_outline` has them; nothing where there is anything to
        # say about the file.
        def definitions_of(path)
          program = Validation.flawless_program(::Puppet::Pops::Parser::EvaluatingParser.singleton, path) || return
          definitions, patterns = program.__send__(:native_outline)
          # Ruby may refuse one, or warn of it.
          patterns.each { |pattern| Regexp.new(pattern) }
          definitions
        rescue RegexpError
          nil
        end

        # Whether the import of definitions says nothing.
        def silent?(definitions)
          names = definitions.map { |kind, name| [CLASS, DEFINE].include?(kind) && name.downcase }
          names.all? && names.uniq.size == names.size &&
            definitions.none? { |definition| definition.last.any? { |parameter| ::Puppet::Type.metaparamclass(parameter) } }
        end

        # Tells the loaders of defined types, as their import does.
        def register(definitions, path, loaders)
          defines = definitions.select { |kind,| kind == DEFINE }
          return if defines.empty?

          uri = ::Puppet::Util.path_to_uri(path).to_s
          ::Puppet.override({ loaders: loaders }, 'For puppet parser validate') do
            defines.each do |_, name, line, column|
              ::Puppet::Pops::Loaders.register_runtime3_type(name.downcase, URI("#{uri}?line=#{line}&pos=#{column}"))
            end
          end
        end
      end
    end
  end
end
