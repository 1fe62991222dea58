# frozen_string_literal: true

require_relative 'resource_types'

module Bunraku
  module DropIn
    # The operations that a catalog of Puppet's supports before its resources exist. The library provides the
    # documents for agents and PuppetDB and the filtering of virtual resources. Every other operation creates
    # the resources first; from then on the catalog is exactly Puppet's.
    #
    # @api private
    module LazyCatalog
      # Methods that concern neither resources nor edges.
      PLAIN = %i[
        add_class catalog_format catalog_format= catalog_uuid catalog_uuid= classes client_version client_version= code_id code_id= environment
        environment= environment_instance environment_instance= from_cache from_cache= host_config host_config= host_config? initialize
        metadata metadata= name name= recursive_metadata recursive_metadata= retrieval_duration retrieval_duration= server_version
        server_version= title_key_for_ref version version= write_class_file directed? prioritizer create_transaction virtual_not_exported?
        to_json to_data_hash to_resource filter
      ].freeze

      # Ruby's own methods that look into an object.
      LOOKING = %i[clone dup freeze inspect instance_eval instance_exec instance_variable_defined? instance_variable_get instance_variable_set
                   instance_variables remove_instance_variable].freeze

      class << self
        # @param resources [Resources]
        # @param code_id [String, nil]
        # @return [Puppet::Resource::Catalog]
        def of(resources, code_id)
          catalog = resources.head(code_id)
          make_lazy(catalog, Body.new(resources, true))
        end

        # @param catalog [Puppet::Resource::Catalog] without resources
        # @param body [Body]
        # @return [Puppet::Resource::Catalog] the same catalog
        def make_lazy(catalog, body)
          catalog.extend(guards)
          catalog.extend(self)
          catalog.instance_variable_set(:@bunraku, body)
          catalog
        end

        # Whether a block tells which resources are virtual, and does nothing else: `&:virtual?`, whose
        # notation depends on the Ruby, or the block of Puppet's terminus or of its encoder.
        def virtual?(block)
          block.inspect.match?(/\(&:virtual\?\) \(lambda\)>\z|@virtual\?:0>\z/) ||
            block.source_location&.first.to_s.end_with?('/puppet/indirector/catalog/compiler.rb', '/puppet/pal/json_catalog_encoder.rb')
        end

        private

        # Guards before all methods of a catalog that concern resources; rebuilt when more methods exist.
        def guards
          classes = [::Puppet::Resource::Catalog, ::Puppet::Graph::SimpleGraph]
          names = classes.flat_map { |one| Untouched.methods_of(one) }
          return @guards if @guarded == names

          @guarded = names
          @guards = guards_of(names.uniq - PLAIN + LOOKING)
        end

        def guards_of(names)
          Module.new do
            names.each do |name|
              define_method(name) do |*arguments, &block|
                bunraku_realize
                super(*arguments, &block)
              end
              # Ruby 2.6, which JRuby 9.3 is, has no need of it.
              ruby2_keywords(name) if respond_to?(:ruby2_keywords, true)
            end
          end
        end
      end

      # As Puppet's method; the JSON of the whole catalog is joined from texts.
      def to_json(*arguments)
        body = @bunraku
        return super unless body && arguments.empty? && !defined?(::MultiJson) && body.stands_for?(self)

        resources, edges = body.texts
        head = ::JSON.generate(bunraku_head)
        %(#{head.chop},"resources":#{resources},"edges":#{edges},"classes":#{::JSON.generate(classes)}})
      end

      # As Puppet's method.
      def to_data_hash
        body = @bunraku
        unless body&.stands_for?(self)
          bunraku_realize
          return super
        end

        resources, edges = body.data
        bunraku_head.merge('resources' => resources, 'edges' => edges, 'classes' => classes)
      end

      # As Puppet's method; a catalog without virtual resources also creates none.
      def filter(&block)
        body = @bunraku
        unless body && block && LazyCatalog.virtual?(block)
          bunraku_realize
          return super
        end

        bunraku_copy(body.without_virtual)
      end

      # As Puppet's method: a copy.
      def to_resource
        body = @bunraku
        return bunraku_copy(body.copy) if body

        super
      end

      # @return [Body, nil] the content, until something touches it
      # @api private
      def bunraku_body
        @bunraku
      end

      private

      def bunraku_head
        { 'tags' => tags.to_a, 'name' => name, 'version' => version, 'code_id' => code_id, 'catalog_uuid' => catalog_uuid,
          'catalog_format' => catalog_format, 'environment' => environment.to_s }
      end

      def bunraku_copy(body)
        result = self.class.new(name, environment_instance)
        %i[version code_id catalog_uuid catalog_format metadata recursive_metadata].each { |member| result.__send__("#{member}=", __send__(member)) }
        result.add_class(*classes)
        result.merge_tags_from(self)
        LazyCatalog.make_lazy(result, body)
      end

      # Creates the resources.
      def bunraku_realize
        body = @bunraku or return

        ::Kernel.instance_method(:remove_instance_variable).bind(self).call(:@bunraku)
        body.fill(self)
      end

      # The content of a catalog until its first access.
      class Body
        # @param resources [Resources]
        # @param whole [Boolean] whether it includes resources that are only exported
        # @param copies [Boolean] whether its resources are copies of those that were compiled
        def initialize(resources, whole, copies: false)
          @resources = resources
          @whole = whole
          @copies = copies
        end

        # @return [Body] the body of a copy
        def copy
          Body.new(@resources, @whole, copies: true)
        end

        # @return [Body] the body of a copy without virtual resources
        def without_virtual
          Body.new(@resources, false, copies: true)
        end

        # Whether the library writes what Puppet would write.
        def stands_for?(catalog)
          catalog.metadata.empty? && catalog.recursive_metadata.empty? && @resources.writable?
        end

        # @return [(String, String)] the resources and edges as JSON
        def texts
          @resources.native.__send__(:native_body, @whole)
        end

        # @return [(Array<Hash>, Array<Hash>)] the resources and edges as data
        def data
          @resources.native.__send__(:native_body_data, @whole)
        end

        # @param submission [Hash{Symbol => Object}] arguments of {Bunraku::Catalog#to_puppetdb}
        # @return [Hash{String => Object}] the payload of the newest command
        # @raise [Error] PuppetDB does not take the catalog, or the body has not all of it
        def puppetdb(**submission)
          raise Error, 'resources that are only exported are gone' unless @whole

          JSON.parse(@resources.native.to_puppetdb(version: 9, **submission), create_additions: false, max_nesting: false)
        end

        # @param catalog [Puppet::Resource::Catalog] receives the resources and edges
        def fill(catalog)
          ResourceTypes.within(@resources.environment) do
            next @resources.fill(catalog) unless @copies

            compiled = @resources.fill(@resources.head(nil))
            copied = @whole ? compiled.to_resource : compiled.filter(&:virtual?)
            copied.resources.each { |resource| resource.catalog = catalog }
            %i[@resources @resource_table @aliases @in_to @out_from @upstream_from @downstream_from].each do |name|
              catalog.instance_variable_set(name, copied.instance_variable_get(name))
            end
          end
        end
      end
    end
  end
end
