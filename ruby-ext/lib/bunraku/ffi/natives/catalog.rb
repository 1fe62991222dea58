# frozen_string_literal: true

module Bunraku
  # The natives of {Catalog}.
  class Catalog
    include Natives::Handle

    # The kinds of resources, by the numbers of `bunraku_declaration`.
    KINDS = %i[unknown class defined_type compilable_type].freeze
    private_constant :KINDS

    class << self
      def native_read(document, form, environment)
        new(Library.make(:catalog, :catalog_read, document, form, environment&.handle))
      rescue Error
        assert_sound(document, form, environment)
        raise
      end

      def native_validate(document, form, environment)
        violations = JSON.parse(Library.text(:catalog_validate, document, form, environment&.handle))
        violations.map { |violation| violation.values_at('path', 'message') }
      end

      def native_convert(document, from, to, submission, environment)
        encoded(to, Library.text(:catalog_convert, document, from, to, submission, environment&.handle))
      rescue Error
        assert_sound(document, from, environment)
        raise
      end

      # MessagePack is binary.
      # @api private
      def encoded(form, document)
        form.end_with?(':msgpack') ? document.force_encoding(Encoding::BINARY) : document
      end

      private

      def assert_sound(document, form, environment)
        violations = native_validate(document, form, environment)
        raise InvalidDocument.new(form, violations) unless violations.empty?
      end
    end

    # @return [Hash] the catalog as an agent receives it
    def to_h
      @to_h ||= JSON.parse(Library.text(:catalog_to_json, handle), create_additions: false, max_nesting: false)
    end

    def name
      to_h['name']
    end

    def environment
      to_h['environment']
    end

    def version
      RichData.to_ruby(to_h['version'])
    end

    def tags
      to_h['tags']
    end

    def classes
      to_h['classes']
    end

    def native_identity
      JSON.parse(Library.text_of(:catalog_identity_json, handle))
    end

    def reads_settings?
      Library.catalog_reads_settings(handle)
    end

    def data_keys
      JSON.parse(Library.text_of(:catalog_data_keys_json, handle))
    end

    def size
      Library.catalog_resource_count(handle)
    end

    def logs
      JSON.parse(Library.text_of(:catalog_logs_json, handle), symbolize_names: true).map { |entry| Natives.log_entry(entry) }
    end

    def native_resource(index)
      resource = Library.catalog_resource(handle, index)
      return if resource.null?

      secrets = JSON.parse(Library.text_of(:resource_sensitive_parameters_json, resource))
      line = Library.resource_line(resource)
      { type: Library.text_of(:resource_type, resource), title: Library.text_of(:resource_title, resource),
        parameters: parameters_of(resource, secrets), tags: JSON.parse(Library.text_of(:resource_tags_json, resource)),
        file: Library.text_of(:resource_file, resource), line: line.zero? ? nil : line,
        exported: Library.resource_is_exported(resource), virtual: Library.resource_is_virtual(resource),
        kind: KINDS.fetch(Library.resource_kind(resource), :unknown), sensitive_parameters: secrets }
    end

    def native_body(with_exported)
      Library.texts(:catalog_body, handle, with_exported)
    end

    def native_body_data(with_exported)
      native_body(with_exported).map { |text| JSON.parse(text, create_additions: false, max_nesting: false) }
    end

    def native_rich
      outline['rich']
    end

    def native_by_function
      outline['by_function']
    end

    def native_kinds
      outline['kinds']
    end

    def native_definitions
      outline['definitions']
    end

    def native_index(reference)
      indices[reference]
    end

    def native_edges
      outline['edges']
    end

    def native_write(form, submission)
      self.class.encoded(form, Library.text(:catalog_write, handle, form, submission))
    end

    def native_provenance(reference)
      known(:catalog_provenance_json, reference)
    end

    def native_why(reference)
      known(:catalog_why_json, reference)
    end

    def native_explain(reference, directory)
      known(:catalog_explain, reference, directory)
    end

    def native_diff(other)
      Library.text(:catalog_diff_json, handle, other.handle)
    end

    def native_graph(options)
      Library.text(:catalog_graph, handle, options)
    end

    private

    def outline
      @outline ||= JSON.parse(Library.text(:catalog_outline_json, handle), create_additions: false)
    end

    # The parameters; those that the catalog marks as secret are Sensitive.
    def parameters_of(resource, secrets)
      parameters = JSON.parse(Library.text_of(:resource_unwrapped_parameters_json, resource), max_nesting: false, create_additions: false)
      secrets.each { |name| parameters[name] = { '__ptype' => 'Sensitive', '__pvalue' => parameters[name] } if parameters.key?(name) }
      RichData.to_ruby(parameters)
    end

    # What the catalog recorded about a resource; the library reports an error if it recorded nothing.
    def known(question, *arguments)
      Library.text(question, handle, *arguments)
    rescue Error
      nil
    end

    # The numbers of resources by their references.
    def indices
      @indices ||= to_h['resources'].each_with_index.to_h { |one, index| ["#{one['type']}[#{one['title']}]", index] }
    end
  end

  class << self
    def native_diff(from, to)
      Library.text(:diff_json, from, to)
    end

    def native_diff_text(diff)
      Library.text(:diff_text, diff)
    end

    def native_fleet(request)
      Library.text(:fleet_report, request)
    end
  end
end
