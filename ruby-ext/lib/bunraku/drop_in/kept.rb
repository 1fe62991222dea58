# frozen_string_literal: true

require_relative 'lazy_catalog'
require_relative 'logs'
require_relative 'resource_types'
require_relative 'untouched'

module Bunraku
  module DropIn
    # `Puppet::Parser::Compiler#compile` of a compiler that its caller has made and keeps, as tools and
    # `Puppet::Pal.with_catalog_compiler` do. The manifests are compiled natively. The compiler, its top scope
    # and its catalog stay as they were made: the first access that needs their content has Puppet compile,
    # with these same objects and without logging again. The catalog answers `classes`, `to_resource`,
    # `to_ral` and `filter(&:virtual?)` before that.
    #
    # A caller that mostly needs Puppet's objects would compile twice; its compilations are left to Puppet.
    #
    # @api private
    class Kept
      # The methods of a compiler that do not need the result.
      PLAIN = %i[add_catalog_validators catalog classlist code_id code_id= context_overrides environment initialize loaders node
                 topscope with_context_overrides].freeze

      # The methods of a scope that do not need the result.
      PLAIN_OF_SCOPE = %i[catalog compiler environment initialize].freeze

      # The member of guarded objects for their compilation, until it is Puppet's.
      MEMBER = :@bunraku_kept

      # The code with which `Puppet::Pal` makes a compiler that has only what its caller evaluates.
      NOTHING = 'undef'
      private_constant :NOTHING

      # The reason for which Puppet compiles.
      KEEPS = 'the caller keeps the compiler and its scopes'

      # Stands for what records the keys of lookups: those of a compilation that is repeated are known.
      module Forgetful
        def self.record(_key); end
      end

      # The compilations of each caller, by file and line: all, and those that Puppet repeated.
      @callers = Hash.new { |callers, place| callers[place] = [0, 0] }

      class << self
        # @return [Hash{String => (Integer, Integer)}]
        attr_reader :callers

        # Compiles for a compiler.
        #
        # @param compiler [Puppet::Parser::Compiler]
        # @param block [Proc, nil] receives the catalog
        # @param original [UnboundMethod] Puppet's own method
        # @return [Object] the catalog, or the result of the block
        def compiled(compiler, block, original)
          return original.bind(compiler).call(&block) unless DropIn.enabled?(:compiler) && !Compiler.by_puppet?

          place = caller_of
          kept = new(compiler, original, place) if suitable?(compiler, place)
          return kept.finish(block) if kept&.compile

          Compiler.by_puppet { original.bind(compiler).call(&block) }
        end

        # @return [Module] guards before the methods of a class that need the result
        def guards(owner, plain)
          @guards ||= {}
          names = Untouched.methods_of(owner)
          known, guards = @guards[owner]
          return guards if known == names

          @guards[owner] = [names, guards_of(owner, names - plain + LazyCatalog::LOOKING)]
          @guards[owner].last
        end

        private

        def guards_of(owner, names)
          Module.new do
            names.uniq.each do |name|
              define_method(name) do |*arguments, &block|
                @bunraku_kept&.realize
                super(*arguments, &block)
              end
              ruby2_keywords(name) if respond_to?(:ruby2_keywords, true)
              private name if owner.private_method_defined?(name)
              protected name if owner.protected_method_defined?(name)
            end
          end
        end

        # Where the first code stands that is neither Puppet's nor of this gem.
        def caller_of
          place = caller_locations(2).find { |one| one.path && !one.path.match?(%r{/lib/(puppet|bunraku)/|/bunraku/drop_in/}) }
          "#{place&.path}:#{place&.lineno}"
        end

        def suitable?(compiler, place)
          classes = [::Puppet::Parser::Compiler, (::Puppet::Parser::CatalogCompiler if ::Puppet::Parser.const_defined?(:CatalogCompiler, false))]
          return left("a compiler of the class #{compiler.class}") unless classes.include?(compiler.class)
          return false unless Compiler.native?(classes.first) && own(classes.last)
          return left('there is nothing to compile') if ::Puppet[:code] == NOTHING
          return left('the compiler is in use') unless fresh?(compiler)

          all, repeated = @callers[place]
          repeated * 2 <= all || left(KEEPS)
        end

        def left(reason)
          Report.left(:compiler, reason)
          false
        end

        # Whether the methods of the scope and of the compiler of `Puppet::Pal` are Puppet's own. Those that
        # log come from elsewhere.
        def own(compiler)
          @own ||= {}
          @own[compiler] ||= Untouched.new([::Puppet::Parser::Scope, compiler].compact.to_h do |one|
            [one, Untouched.methods_of(one) - ::Puppet::Util::Logging.instance_methods]
          end)
          @own[compiler].untouched?(:compiler)
        end

        # Whether nothing has happened to a compiler since it was made.
        def fresh?(compiler)
          members = %i[@catalog @topscope @resources @collections @relationships @resource_overrides @qualified_variables]
          catalog, scope, *lists = members.map { |name| compiler.instance_variable_get(name) }
          [compiler, catalog, *surroundings_of(compiler)].all? { |one| one.singleton_methods(false).empty? } && lists.all?(&:empty?) &&
            fresh_catalog?(catalog, compiler.node.classes) && fresh_scope?(scope) &&
            compiler.instance_variable_get(:@catalog_validators).map(&:name) == ['Puppet::Parser::Compiler::CatalogValidator::RelationshipValidator']
        end

        # What a compiler uses, which a caller may have changed.
        def surroundings_of(compiler)
          loaders, environment = compiler.loaders, compiler.environment
          types = loaders.runtime3_type_loader
          [loaders, types, types.instance_variable_get(:@resource_3x_loader), loaders.private_environment_loader, environment,
           environment.instance_variable_get(:@known_resource_types), compiler.node].compact
        end

        def fresh_catalog?(catalog, classes)
          expected = ::Puppet::Resource::Catalog.new
          expected.add_class(*(classes.instance_of?(Hash) ? classes.keys : classes))
          catalog.instance_of?(::Puppet::Resource::Catalog) && catalog.resource_keys.size == 1 && catalog.classes == expected.classes &&
            catalog.tags == expected.tags
        end

        def fresh_scope?(scope)
          members = %i[@ephemeral @symtable @class_scopes @defaults]
          (ephemeral, *others), symbols, classes, defaults = members.map { |name| scope.instance_variable_get(name) }
          scope.instance_of?(::Puppet::Parser::Scope) && scope.singleton_methods(false).empty? && others.empty? && ephemeral.match_data.nil? &&
            [symbols.add_entries_to({}, true), classes, defaults].all?(&:empty?) && scope.resource.nil? && scope.source.nil?
        end
      end

      # @param compiler [Puppet::Parser::Compiler]
      # @param original [UnboundMethod] its own method
      # @param place [String] of the caller
      def initialize(compiler, original, place)
        @compiler = compiler
        @original = original
        @place = place
        @catalog = compiler.catalog
        @scope = compiler.topscope
      end

      # Compiles natively.
      #
      # @return [Boolean] false if Puppet has to compile
      def compile
        native, resources = Compiler.kept(@compiler.node)
        return false unless native

        Kept.callers[@place][0] += 1
        @context = { rich_data: ::Puppet.lookup(:rich_data) { false }, lookup_key_recorder: Forgetful }
        describe(native)
        guard(@scope, ::Puppet::Parser::Scope, PLAIN_OF_SCOPE)
        guard(@compiler, @compiler.class, PLAIN)
        @compiler.extend(Kept.guards(::Puppet::Parser::Compiler, PLAIN)) unless @compiler.instance_of?(::Puppet::Parser::Compiler)
        LazyCatalog.make_lazy(@catalog, Body.new(self, resources))
        @catalog.extend(Catalog)
        true
      end

      # @param block [Proc, nil] receives the catalog
      # @return [Object] the catalog, or the result of the block
      def finish(block)
        return @catalog unless block

        @compiler.with_context_overrides('For a native compilation') { block.call(@catalog) }
      end

      # Has Puppet compile.
      #
      # @return [void]
      def realize
        return if @is_done

        @is_done = true
        Kept.callers[@place][1] += 1
        Report.undone(:compiler, KEEPS)
        [@scope, @compiler].each { |one| ::Kernel.instance_method(:remove_instance_variable).bind(one).call(MEMBER) }
        body = @catalog.bunraku_body
        body&.forget(@catalog)
        set(@catalog, @before)
        ResourceTypes.silently do
          ::Puppet.override(@context, 'For the objects of a compilation') { Compiler.by_puppet { @original.bind(@compiler).call } }
        end
      end

      private

      # What is known of the catalog without its resources.
      def describe(native)
        names = %i[@classes @tags @environment_instance @environment @client_version @server_version]
        @before = names.to_h { |name| [name, @catalog.instance_variable_get(name)] }
        set(@catalog, :@classes => [], :@tags => nil)
        @catalog.environment_instance = @compiler.environment
        @catalog.add_class(*native.classes)
        @catalog.tag(*native.tags)
        @catalog.client_version, @catalog.server_version = @compiler.node.parameters.values_at('clientversion', 'serverversion')
      end

      def set(object, members)
        members.each { |name, value| ::Kernel.instance_method(:instance_variable_set).bind(object).call(name, value) }
      end

      def guard(object, owner, plain)
        object.instance_variable_set(MEMBER, self)
        object.extend(Kept.guards(owner, plain))
      end

      # The content of the catalog of a compiler until its first access.
      class Body
        # @param kept [Kept]
        # @param resources [Resources]
        def initialize(kept, resources)
          @kept = kept
          @resources = resources
        end

        # The catalog of a compiler includes virtual resources, which the library does not write.
        def stands_for?(_catalog)
          false
        end

        # @return [LazyCatalog::Body] the body of a copy
        def copy
          LazyCatalog::Body.new(@resources, true)
        end

        # @return [LazyCatalog::Body] the body of a copy without virtual resources
        def without_virtual
          copy.without_virtual
        end

        # Has Puppet fill the catalog.
        def fill(_catalog)
          @kept.realize
        end

        # @param catalog [Puppet::Resource::Catalog] is no longer lazy
        def forget(catalog)
          ::Kernel.instance_method(:remove_instance_variable).bind(catalog).call(:@bunraku)
        end
      end

      # As Puppet's methods, for the catalog of a compiler.
      module Catalog
        # The catalog for applying it; its resources have types in Ruby.
        def to_ral
          bunraku_body ? to_resource.to_ral : super
        end
      end
    end
  end
end
