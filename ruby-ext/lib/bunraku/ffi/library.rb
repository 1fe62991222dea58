# frozen_string_literal: true

require 'ffi'
require 'json'

module Bunraku
  # The functions of the C library, as `include/bunraku.h` declares them.
  #
  # @api private
  module Library
    extend ::FFI::Library

    # The possible paths of the library, best first.
    PLACES = [ENV['BUNRAKU_LIBRARY'], File.expand_path("../libbunraku.#{::FFI::Platform::LIBSUFFIX}", __dir__),
              "libbunraku.#{::FFI::Platform::LIBSUFFIX}.0.2", 'bunraku'].compact.freeze

    ffi_lib PLACES

    # A node: the program, and the number.
    class Node < ::FFI::Struct
      layout :program, :pointer, :number, :uint32
    end

    # A range of a source.
    class Span < ::FFI::Struct
      layout :offset, :uint32, :length, :uint32, :line, :uint32, :column, :uint32, :end_line, :uint32, :end_column, :uint32
    end

    # A text: a pointer and a length.
    class Text < ::FFI::Struct
      layout :data, :pointer, :length, :size_t

      # @param string [String] copied, and kept as long as this object lives
      def self.of(string)
        new.tap do |text|
          text[:length] = string.bytesize
          text[:data] = ::FFI::MemoryPointer.new(:char, [string.bytesize, 1].max).put_bytes(0, string)
        end
      end

      # @return [String, nil] a copy
      def read
        address = self[:data]
        address.null? ? nil : address.read_bytes(self[:length]).force_encoding(Encoding::UTF_8)
      end
    end

    # No text.
    Text::NONE = Text.new.freeze

    # A token or a piece of trivia.
    class Token < ::FFI::Struct
      layout :kind, :string, :text, Text, :offset, :uint32, :is_trivia, :bool, :owner, :size_t
    end

    # Arguments that are one text, and for a list of texts.
    TEXT = [Text.by_value].freeze
    LIST = %i[pointer size_t].freeze
    # Functions that can fail: their arguments without the output parameter. They return an error or NULL.
    FAILING = {
      program_parse: [*TEXT, *TEXT, :uint32], program_parse_recovering: [*TEXT, *TEXT, :uint32], program_errors: [:pointer],
      program_warnings: [:pointer],
      program_write: [:pointer], program_read: [*TEXT, :uint32], program_validate: %i[pointer uint32],
      program_is_flawless: [:pointer, *TEXT], node_to_pn: [Node.by_value, *TEXT], node_documentation: [Node.by_value],
      program_edit: [:pointer, *TEXT], program_validate_files: TEXT, tokens_new: [*TEXT, :uint32], format: [*TEXT, :uint32, *TEXT],
      query_new: TEXT, query_run: [:pointer, Node.by_value],
      type_parse: [*TEXT, :pointer], type_infer: %i[pointer uint32], type_common: %i[pointer pointer], type_to_string: [:pointer],
      type_new: %i[pointer pointer pointer], type_mismatch: [:pointer, :pointer, *TEXT], type_to_value: [:pointer],
      type_from_value: [:pointer],
      type_generalize: [:pointer], type_normalize: [:pointer], type_resolved: [:pointer], type_kind: [:pointer], type_name: [:pointer],
      type_describe_mismatch: [:pointer, :pointer, *TEXT],
      value_from_data: [*TEXT, :pointer, :bool], value_to_data: [:pointer, *TEXT], value_to_string: [:pointer, *TEXT],
      call_block: [:pointer, *TEXT], call_function: [:pointer, *TEXT, *TEXT], call_variable: [:pointer, *TEXT],
      environment_load: [*LIST, *TEXT, *TEXT, :pointer], environment_compile: [:pointer, *TEXT, *TEXT, *TEXT, :pointer],
      environment_lookup: [:pointer, *TEXT, *TEXT, *TEXT, :pointer], environment_describe: [:pointer], catalog_to_json: [:pointer],
      catalog_body: %i[pointer bool pointer], catalog_outline_json: [:pointer], catalog_provenance_json: [:pointer, *TEXT],
      catalog_why_json: [:pointer, *TEXT], catalog_explain: [:pointer, *TEXT, *TEXT], catalog_diff_json: %i[pointer pointer],
      catalog_graph: [:pointer, *TEXT], catalog_write: [:pointer, *TEXT, *TEXT], catalog_read: [*TEXT, *TEXT, :pointer],
      catalog_validate: [*TEXT, *TEXT, :pointer], catalog_convert: [*TEXT, *TEXT, *TEXT, *TEXT, :pointer],
      diff_json: [*TEXT, *TEXT], diff_text: TEXT, fleet_report: TEXT, task_list: [:pointer], task_invocation: [:pointer, *TEXT],
      environment_ruby_report_json: [:pointer], environment_check: [:pointer, *TEXT], index_new: [:pointer], index_json: [:pointer, *TEXT],
      index_rename_json: [:pointer, *TEXT], index_check_json: [:pointer, *TEXT],
      trusted_from_certificate: [*TEXT, *TEXT, *TEXT], task_outcome: [*TEXT, :int32], task_outcome_sensitive: [*TEXT, :int32]
    }.freeze
    # Texts that belong to an object.
    TEXTS = %i[string_data bytes_data error_message error_issue_code error_file error_stack_json error_logs_json
               catalog_logs_json catalog_data_keys_json catalog_identity_json resource_type resource_title resource_unwrapped_parameters_json
               resource_sensitive_parameters_json resource_tags_json
               resource_file].freeze
    # The other functions: arguments and result.
    OTHERS = {
      version: [[], :string], features: [[], :string], abi_version: [[], :uint32], error_kind_name: [[:pointer], :string], error_line: [[:pointer], :uint32], error_column: [[:pointer], :uint32],
      error_span: [%i[pointer uint32 pointer], :bool],
      node_parent: [[Node.by_value], Node.by_value], node_enclosing_definition: [[Node.by_value], Node.by_value],
      node_previous_sibling: [[Node.by_value], Node.by_value], node_next_sibling: [[Node.by_value], Node.by_value],
      tokens_count: [[:pointer], :size_t], tokens_token: [%i[pointer size_t], Token.by_value],
      tokens_span: [%i[pointer size_t uint32 pointer], :bool], program_comment_node: [%i[pointer size_t pointer], Node.by_value],
      query_capture_count: [[:pointer], :size_t], query_capture_name: [%i[pointer size_t], Text.by_value],
      matches_count: [[:pointer], :size_t], matches_pattern: [%i[pointer size_t], :size_t],
      matches_node: [%i[pointer size_t], Node.by_value], matches_capture_count: [%i[pointer size_t], :size_t],
      matches_capture: [%i[pointer size_t size_t pointer], Node.by_value],
      node_span: [[Node.by_value, :uint32, :pointer], :bool],
      node_extent: [[Node.by_value, :uint32, :pointer], :bool], type_is_instance: [%i[pointer pointer], :bool],
      type_is_assignable: [%i[pointer pointer], :bool], type_equals: [%i[pointer pointer], :bool],
      value_equals: [%i[pointer pointer], :bool], environment_clear: [[:pointer], :pointer], index_renew: [[:pointer, *TEXT], :pointer],
      catalog_resource_count: [[:pointer], :size_t], catalog_reads_settings: [[:pointer], :bool], catalog_resource: [%i[pointer size_t], :pointer],
      resource_line: [[:pointer], :uint32], resource_is_exported: [[:pointer], :bool],
      sink_write: [[:pointer, *TEXT], :void], sink_add: [[:pointer, *TEXT], :void],
      call_has_block: [[:pointer], :bool], host_attach: [[:pointer], :pointer],
      resource_kind: [[:pointer], :uint32], resource_is_virtual: [[:pointer], :bool],
      cancel_new: [[], :pointer], cancel_set: [[:pointer], :void], cancel_attach: [[:pointer], :pointer]
    }.freeze
    # Functions that can take long with any input. The others can take long with large input.
    LONG = %i[program_validate_files query_run environment_compile environment_lookup catalog_provenance_json
              catalog_why_json catalog_explain catalog_diff_json catalog_graph catalog_write fleet_report task_list task_invocation environment_ruby_report_json environment_check
              index_new index_json index_check_json index_rename_json].freeze
    # The size in bytes from which input counts as large.
    MUCH = 1 << 20
    # The types that have a function to free them.
    OBJECTS = %i[error string bytes program tokens query matches type value environment index catalog cancel].freeze

    FAILING.each { |name, arguments| attach_function name, :"bunraku_#{name}", [*arguments, :pointer], :pointer, blocking: true }
    TEXTS.each { |name| attach_function name, :"bunraku_#{name}", [:pointer], Text.by_value }
    OTHERS.each { |name, (arguments, result)| attach_function name, :"bunraku_#{name}", arguments, result }
    OBJECTS.each { |name| attach_function :"#{name}_free", :"bunraku_#{name}_free", [:pointer], :void }

    # Objects of the library that are freed when Ruby collects them.
    HANDLES = (OBJECTS - %i[error string bytes cancel]).to_h do |name|
      free = method(:"#{name}_free")
      handle = Class.new(::FFI::AutoPointer) { define_singleton_method(:release) { |pointer| free.call(pointer) } }
      [name, const_set("#{name.capitalize}Handle", handle)]
    end.freeze

    class << self
      # Calls a function that can fail. Strings are passed as texts, Arrays as lists of texts. `Timeout`,
      # `Thread#kill`, `Thread#raise` and signals interrupt a long call.
      #
      # @param name [Symbol] one of {FAILING}
      # @return [FFI::Pointer] the value of the output parameter
      # @raise [Error] the function failed
      def ask(name, *arguments)
        interruptible(name, arguments) { called(name, arguments) }
      end

      # As {ask}, for a function that returns an object.
      #
      # @return [FFI::AutoPointer]
      def make(object, name, *arguments)
        interruptible(name, arguments) { HANDLES.fetch(object).new(called(name, arguments)) }
      end

      # As {ask}, for a function that returns a text.
      #
      # @return [String, nil]
      def text(name, *arguments)
        interruptible(name, arguments) do
          string = called(name, arguments)
          string.null? ? nil : own_text(:string, string)
        end
      end

      # As {ask}, for a function that returns bytes.
      #
      # @return [String]
      def bytes(name, *arguments)
        interruptible(name, arguments) { own_text(:bytes, called(name, arguments)).force_encoding(Encoding::BINARY) }
      end

      # As {ask}, for a function that returns true or false.
      #
      # @return [Boolean]
      def truth(name, *arguments)
        interruptible(name, arguments) do
          result = ::FFI::MemoryPointer.new(:uint8)
          assert(public_send(name, *converted(arguments), result))
          result.read_uint8 != 0
        end
      end

      # As {text}, for a function that returns two texts.
      #
      # @return [Array(String, String)]
      def texts(name, *arguments)
        first = ::FFI::MemoryPointer.new(:pointer)
        second = called(name, [*arguments, first])
        [first.read_pointer, second].map { |string| own_text(:string, string) }
      end

      # Makes the long calls of the block on this thread, which nothing interrupts then: callbacks see its
      # variables.
      def on_this_thread
        before = Thread.current.thread_variable_get(:bunraku_interruptible)
        Thread.current.thread_variable_set(:bunraku_interruptible, true)
        yield
      ensure
        Thread.current.thread_variable_set(:bunraku_interruptible, before)
      end

      # A text of an object.
      #
      # @param name [Symbol] one of {TEXTS}
      # @return [String, nil]
      def text_of(name, object)
        public_send(name, object).read
      end

      # @param error [FFI::Pointer] the result of a function
      # @raise [Error] unless it is NULL
      def assert(error)
        raise exception(error) unless error.null?
      end

      private

      def called(name, arguments)
        result = ::FFI::MemoryPointer.new(:pointer)
        assert(public_send(name, *converted(arguments), result))
        result.read_pointer
      end

      # A thread inside the library cannot be interrupted before it returns. So another thread makes a long
      # call, and this one waits for it with the switch that cancels the call.
      def interruptible(name, arguments, &work)
        is_long = LONG.include?(name) || arguments.sum { |argument| argument.is_a?(String) ? argument.bytesize : 0 } >= MUCH
        return yield if !is_long || Thread.current.thread_variable_get(:bunraku_interruptible)

        switch = cancel_new
        begin
          wait(worker(switch, &work), switch)
        ensure
          cancel_free(switch)
        end
      end

      # Starts a thread that runs the work with a switch attached, and returns its result or its exception.
      def worker(switch)
        Thread.new do
          Thread.current.thread_variable_set(:bunraku_interruptible, true)
          assert(cancel_attach(switch))
          [yield, nil]
        rescue Exception => e # rubocop:disable Lint/RescueException
          [nil, e]
        ensure
          # Ruby gives the system's thread to later threads.
          cancel_attach(nil)
        end
      end

      def wait(worker, switch)
        result, raised = worker.value
        return result unless raised

        raised.set_backtrace([*raised.backtrace, *caller])
        raise raised
      ensure
        if worker.alive?
          cancel_set(switch)
          Thread.handle_interrupt(Object => :never) { worker.join }
        end
      end

      def converted(arguments)
        arguments.flat_map do |argument|
          case argument
          when String then [Text.of(argument)]
          when Array then [list(argument.map { |string| Text.of(string) }), argument.size]
          else [argument]
          end
        end
      end

      # Joins texts in one buffer. The strings live as long as the list.
      def list(texts)
        ::FFI::MemoryPointer.new(Text, [texts.size, 1].max).tap do |list|
          texts.each_with_index { |text, index| list.put_bytes(index * Text.size, text.to_ptr.read_bytes(Text.size)) }
          list.instance_variable_set(:@texts, texts)
        end
      end

      def own_text(kind, object)
        text_of(:"#{kind}_data", object)
      ensure
        public_send(:"#{kind}_free", object)
      end

      def exception(error)
        members = ->(name) { JSON.parse(text_of(name, error), symbolize_names: true) }
        logs = members[:error_logs_json].map { |entry| Natives.log_entry(entry) }
        known = ->(number) { number.zero? ? nil : number }
        details = { file: text_of(:error_file, error), line: known[error_line(error)], column: known[error_column(error)],
                    issue_code: text_of(:error_issue_code, error), stack: members[:error_stack_json], logs: logs, ranges: ranges(error) }
        Natives::FAILURES.fetch(error_kind_name(error)).new(text_of(:error_message, error), details)
      ensure
        error_free(error)
      end

      def ranges(error)
        span = Span.new
        %i[byte character utf16].each_with_index.to_h do |unit, number|
          return nil unless error_span(error, number, span)

          [unit, span.members.to_h { |member| [member, span[member]] }]
        end
      end
    end
  end
end
