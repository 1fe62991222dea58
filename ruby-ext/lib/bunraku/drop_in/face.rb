# frozen_string_literal: true

require_relative 'parser'
require_relative 'validation'
require_relative 'untouched'

module Bunraku
  module DropIn
    # `Puppet::Face[:parser, :current].validate`, that is `puppet parser validate`. Puppet creates the objects
    # of a manifest and imports its definitions, only to discard both. For a manifest without messages from
    # the parser, the validator and the import, this part only does what is visible later: it registers
    # defined types in the loaders of the environment.
    #
    # The import can report parameters with the names of metaparameters, two definitions with the same name,
    # and, with debug messages enabled, types of parameters. Puppet itself imports nodes, functions, plans and
    # type aliases.
    module Face
      # The definitions whose import has no effect, or the effect of {register}.
      CLASS = 'HostClassDefinition'
      DEFINE = 'ResourceTypeDefinition'

      class << self
        # Installs itself before the method of the face, now or when the face is defined.
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
        # @return [Boolean] whether there are no messages; false if Puppet has to validate
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

          # Errors of the environment precede all messages about the manifest.
          loaders = ::Puppet::Pops::Loaders.new(environment)
          path = ::Puppet::FileSystem.expand_path(manifest)
          definitions = definitions_of(path)
          return false unless definitions && silent?(definitions)

          register(definitions, path, loaders)
          true
        end

        # The methods that must be Puppet's own.
        def own
          classes = [::Puppet::Parser::E4ParserAdapter, ::Puppet::Parser::AST::Hostclass, ::Puppet::Parser::AST::PopsBridge::Program,
                     ::Puppet::Resource::TypeCollection, ::Puppet::Resource::Type]
          environment = %i[initialize override_with check_for_reparse known_resource_types perform_initial_import]
          Untouched.new(classes.to_h { |one| [one, Untouched.methods_of(one)] }.merge(
            ::Puppet::Node::Environment => environment, ::Puppet::Parser::ParserFactory.singleton_class => %i[parser evaluating_parser],
            ::Puppet::Pops::IssueReporter.singleton_class => %i[assert_and_report]
          ))
        end

        # Whether Puppet's own methods validate the manifest itself, without messages about its import.
        def ordinary?
          ::Puppet[:code].empty? && !::Puppet::Util::Log.sendlevel?(:debug) && ::Puppet.lookup(:global_scope) { nil }.nil? &&
            @own.untouched?(:face)
        end

        # The definitions in a file, as `Program#native_outline` returns them; nil if the file has errors or
        # warnings.
        def definitions_of(path)
          program = Validation.flawless_program(::Puppet::Pops::Parser::EvaluatingParser.singleton, path) || return
          definitions, patterns = program.__send__(:native_outline)
          # Ruby may reject a pattern or warn about it.
          patterns.each { |pattern| Regexp.new(pattern) }
          definitions
        rescue RegexpError
          nil
        end

        # Whether the import of definitions logs nothing.
        def silent?(definitions)
          names = definitions.map { |kind, name| [CLASS, DEFINE].include?(kind) && name.downcase }
          names.all? && names.uniq.size == names.size &&
            definitions.none? { |definition| definition.last.any? { |parameter| ::Puppet::Type.metaparamclass(parameter) } }
        end

        # Registers defined types in the loaders, as their import does.
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
