# frozen_string_literal: true

require_relative 'parser'
require_relative 'untouched'

module Bunraku
  module DropIn
    # `Puppet::Pops::Parser::EvaluatingParser#validate`: of trees that {Parser} made, those that nothing is to
    # be said about are accepted natively. All others, and those of validators that were changed, are looked
    # at by Puppet's validator.
    module Validation
      class << self
        # Puts itself before Puppet's method.
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
        # @return [Boolean] whether there is nothing to say; false when Puppet has to see for itself
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

        # A manifest in a file, parsed and validated, and nothing made of it.
        #
        # @param parser [Puppet::Pops::Parser::EvaluatingParser]
        # @param path [String]
        # @return [Program, nil] nothing when Puppet has to see for itself
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

        # Whether it is for this part to say what a parser says.
        def stands_for?(parser)
          return false unless DropIn.enabled?(:validation)
          return left("a parser of the class #{parser.class}") unless @parsers.include?(parser.class)
          return left('migrations are checked') if migration_checked?

          @own.untouched?(:validation)
        end

        # Whether somebody wants to see programs while they are validated.
        def migration_checked?
          !::Puppet.lookup(:migration_checker) { nil }.nil? || !::Puppet::Pops::Migration::MigrationChecker.method(:new).owner.equal?(Class)
        end

        # The manifest and the module path that say what a file may hold; nothing when only Puppet knows.
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
