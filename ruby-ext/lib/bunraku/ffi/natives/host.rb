# frozen_string_literal: true

module Bunraku
  module Natives
    # A {Host} as the callbacks of the C library. Values cross in rich data, on both ways, so that secrets
    # stay secrets.
    #
    # The library calls on threads of its own, several at the same time where several compile. What a function
    # raises is the message of its failure; nothing is thrown across the library.
    #
    # @api private
    class HostCallbacks
      # `bunraku_host`, as the header declares it.
      class Callbacks < ::FFI::Struct
        layout(%i[data read_file file_info list_directory find_function call_function exported_resources log free_data now random]
          .to_h { |name| [name, :pointer] })
      end

      # A function that could not be found because the host failed.
      Failed = Struct.new(:error) do
        def signatures
          ['Callable']
        end

        def call(*)
          raise error
        end
      end

      # @param host [#find_function]
      def initialize(host)
        @host = host
        @functions = {}
        @lock = Mutex.new
        @kept = [callback(:find, %i[pointer pointer size_t pointer]),
                 callback(:call, %i[pointer pointer size_t size_t pointer size_t pointer pointer]),
                 callback(:exported, %i[pointer pointer size_t pointer size_t pointer])]
      end

      # @return [Callbacks] for the library, which copies it; this object must live as long as what was made
      #   with it
      def callbacks
        Callbacks.new.tap do |made|
          made[:find_function], made[:call_function], exported = @kept
          made[:exported_resources] = exported if @host.respond_to?(:exported_resources_json)
        end
      end

      private

      def callback(name, arguments)
        ::FFI::Function.new(:bool, arguments) { |_data, *given| send(name, *given) }
      end

      def find(name, length, sink)
        name = text(name, length)
        function = found(name)
        return false unless function

        @lock.synchronize { @functions[name] = function }
        function.signatures.each { |signature| Library.sink_add(sink, signature, signature.bytesize) }
        true
      end

      def found(name)
        @host.find_function(name, nil)
      rescue Exception => e # rubocop:disable Lint/RescueException
        Failed.new(e)
      end

      def call(name, name_length, signature, arguments, length, call, sink)
        function = @lock.synchronize { @functions.fetch(text(name, name_length)) }
        arguments = RichData.to_ruby(JSON.parse(text(arguments, length), max_nesting: false, create_additions: false))
        answered(sink) { JSON.generate(RichData.of(function.call(signature, arguments, Call.new(call)))) }
      end

      def exported(node, node_length, type, type_length, sink)
        answered(sink) { @host.exported_resources_json(text(node, node_length), text(type, type_length)) }
      end

      # Writes what the block gives, or the message of what it raises.
      def answered(sink)
        write(sink, yield)
        true
      rescue Exception => e # rubocop:disable Lint/RescueException
        write(sink, e.message)
        false
      end

      def write(sink, answer)
        answer = answer.encode(Encoding::UTF_8, invalid: :replace, undef: :replace)
        Library.sink_write(sink, answer, answer.bytesize)
      end

      def text(address, length)
        length.zero? ? +'' : address.read_bytes(length).force_encoding(Encoding::UTF_8)
      end
    end
  end

  # What of the calls of {Host}s there is on the C library: its threads have no room for what a lambda or a
  # function may do.
  class Call
    def initialize(call)
      @call = call
    end

    %i[block? block yield call_function].each do |name|
      define_method(name) do |*|
        raise NotImplementedError, "Bunraku::Call##{name} needs the extension"
      end
    end
  end
end
