# frozen_string_literal: true

require_relative 'parser'
require_relative 'untouched'

module Bunraku
  module DropIn
    # `Puppet::Pops::Parser::EvaluatingParser#validate`: accepts trees that {Parser} made natively if they
    # have no errors and warnings. Puppet's validator checks all others, and those of modified validators.
    module Validation
      class << self
        # Installs itself before Puppet's method.
        #
        # @api private
        def install
          require 'puppet/pops/validation/tasks_checker'
          evaluating = ::Puppet::Pops::Parser::EvaluatingParser
          @parsers = [evaluating, evaluating::EvaluatingEppParser]
          validation = ::Puppet::Pops::Validation
          Untouched.replace(:validation, evaluating, :validate) do |original|
            ->(parser, model) { Validation.flawless?(parser, model) ? parser.acceptor : original.bind(parser).call(model) }
          end
          checkers = [validation::Checker4_0, validation::TasksChecker, validation::ValidatorFactory_4_0]
          @own = Untouched.new(checkers.to_h { |checker| [checker, Untouched.methods_of(checker)] }.merge(evaluating => %i[validator acceptor]))
        end

        # @param parser [Puppet::Pops::Parser::EvaluatingParser]
        # @param model [Puppet::Pops::Model::PopsObject]
        # @return [Boolean] whether there are no messages; false if Puppet has to validate
        # @api private
        def flawless?(parser, model)
          return false unless stands_for?(parser) && model.is_a?(::Puppet::Pops::Model::Program)

          tree = Parser.tree_of(model)
          return left('a tree of another parser') unless tree

          place = place_of(model.locator.file)
          return left('a file of another place') unless place

          flawless = tree.flawless?(*place)
          flawless ? Report.native(:validation) : left(Parser::FAULTY)
          flawless
        end

        # Parses and validates a manifest in a file, without creating Puppet's objects.
        #
        # @param parser [Puppet::Pops::Parser::EvaluatingParser]
        # @param path [String]
        # @return [Program, nil] nil if Puppet has to validate
        # @api private
        def flawless_program(parser, path)
          place = place_of(path) if stands_for?(parser)
          program = Parser.program(parser.parser, path) if place
          program if program&.__send__(:native_flawless?, *place)
        end

        private

        def left(reason)
          Report.left(:validation, reason)
          false
        end

        # Whether this part can speak for a parser.
        def stands_for?(parser)
          return false unless DropIn.enabled?(:validation)
          return left("a parser of the class #{parser.class}") unless @parsers.include?(parser.class)
          return left('migrations are checked') if migration_checked?

          @own.untouched?(:validation)
        end

        # Whether something inspects programs during validation.
        def migration_checked?
          !::Puppet.lookup(:migration_checker) { nil }.nil? || !::Puppet::Pops::Migration::MigrationChecker.method(:new).owner.equal?(Class)
        end

        # The manifest and the module path that determine the definitions that a file can contain; nil if only
        # Puppet knows them.
        def place_of(file)
          environment = ::Puppet.lookup(:current_environment) { nil }
          return [nil, []] if environment.nil? || file.nil? || file.empty?

          manifest = environment.manifest
          manifest = nil if manifest == :no_manifest
          modulepath = environment.full_modulepath
          return [manifest, modulepath] if file.start_with?('/')

          path = File.expand_path(file)
          [nil, []] unless [*manifest, *modulepath].any? { |directory| path.start_with?(directory) }
        end
      end
    end
  end
end
