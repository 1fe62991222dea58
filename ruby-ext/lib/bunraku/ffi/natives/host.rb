# frozen_string_literal: true

module Bunraku
  module Natives
    # A {Host} as the callbacks of the C library. Values cross in rich data in both directions, so that
    # secrets stay secret.
    #
    # The library calls on the thread that compiles, and on several at the same time if several compile. The
    # message of an exception becomes the message of the failure; exceptions never cross the library.
    #
    # @api private
    class HostCallbacks
      # `bunraku_host`, as the header declares it.
      class Callbacks < ::FFI::Struct
        layout(size: :size_t, **%i[data read_file file_info list_directory find_function call_function exported_resources log
                                   free_data now random progress search_resources find_module_function
                                   render_template].to_h { |name| [name, :pointer] })
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

      # `bunraku_file_info`, as the header declares it.
      class FileInfo < ::FFI::Struct
        layout :is_directory, :bool, :size, :uint64, :modified_seconds, :int64, :modified_nanoseconds, :uint32
      end

      # @param host [#find_function]
      # @param files [#read, #list, #stat, nil]
      def initialize(host, files = nil)
        @host = host
        @functions = {}
        @lock = Mutex.new
        text = Library::Text.by_value
        @kept = { find_function: callback(:find, [:pointer, text, :pointer]),
                  call_function: callback(:call, [:pointer, text, :size_t, text, :pointer, :pointer]) }
        @kept[:search_resources] = callback(:exported, [:pointer, text, :pointer]) if host.respond_to?(:exported_resources_json)
        @kept[:find_module_function] = callback(:find_of_module, [:pointer, text, text, :bool, :pointer]) if host.respond_to?(:find_module_function)
        @kept[:render_template] = callback(:render, [:pointer, text, text, :pointer, :pointer]) if host.respond_to?(:render_template)
        @kept[:log] = callback(:log, [:pointer, text], :void) if host.respond_to?(:log)
        @kept[:progress] = callback(:progress, %i[pointer uint64]) if host.respond_to?(:progress)
        keep_files(files, text) if files
      end

      # @return [Callbacks] for the library, which copies it; this object must live as long as everything that
      #   was made with it
      def callbacks
        Callbacks.new.tap do |made|
          made[:size] = Callbacks.size
          @kept.each { |name, function| made[name] = function }
        end
      end

      private

      def callback(name, arguments, result = :bool)
        ::FFI::Function.new(result, arguments) { |_data, *given| send(name, *given) }
      end

      def keep_files(files, text)
        @files = files
        @kept.update(read_file: callback(:read_file, [:pointer, text, :pointer]), file_info: callback(:file_info, [:pointer, text, :pointer]),
                     list_directory: callback(:list_directory, [:pointer, text, :pointer]))
      end

      def read_file(path, sink)
        content = @files.read(path.read)
        Library.sink_write(sink, Library::Text.of(content)) if content
        !content.nil?
      rescue Exception => e # rubocop:disable Lint/RescueException
        write(sink, e.message)
        false
      end

      def list_directory(path, sink)
        names = @files.list(path.read)
        names&.each { |name| Library.sink_add(sink, Library::Text.of(name)) }
        !names.nil?
      rescue Exception => e # rubocop:disable Lint/RescueException
        write(sink, e.message)
        false
      end

      def file_info(path, info)
        found = @files.stat(path.read)
        return false unless found

        info = FileInfo.new(info)
        info[:is_directory] = found.directory?
        info[:size] = found.size
        info[:modified_seconds] = found.mtime.to_i
        info[:modified_nanoseconds] = found.mtime ? found.mtime.nsec : 0
        true
      rescue Exception => e # rubocop:disable Lint/RescueException
        warn("#{e.message} (#{e.class})")
        false
      end

      def find(name, sink)
        name = name.read
        function = found(name)
        return false unless function

        @lock.synchronize { @functions[name] = function }
        function.signatures.each { |signature| Library.sink_add(sink, Library::Text.of(signature)) }
        true
      end

      def find_of_module(name, path, is_legacy, sink)
        name = name.read
        function = @host.find_module_function(name, path.read, is_legacy)
        return false unless function

        @lock.synchronize { @functions[name] = function }
        function.signatures.each { |signature| Library.sink_add(sink, Library::Text.of(signature)) }
        true
      rescue Exception => e # rubocop:disable Lint/RescueException
        write(sink, e.message)
        false
      end

      def render(path, text, call, sink)
        answered(sink) { @host.render_template(path.read, text.read, Call.new(call)) }
      end

      def found(name)
        @host.find_function(name, nil)
      rescue Exception => e # rubocop:disable Lint/RescueException
        Failed.new(e)
      end

      def call(name, signature, arguments, call, sink)
        function = @lock.synchronize { @functions.fetch(name.read) }
        return answered(sink) { function.call_json(signature, arguments.read, Call.new(call)) } if function.respond_to?(:call_json)

        arguments = RichData.to_ruby(JSON.parse(arguments.read, max_nesting: false, create_additions: false))
        answered(sink) { JSON.generate(RichData.of(function.call(signature, arguments, Call.new(call))), max_nesting: false) }
      end

      def exported(query, sink)
        answered(sink) do
          node, type, filter = JSON.parse(query.read, create_additions: false).values_at('node', 'type', 'filter')
          @host.exported_resources_json(node, type, RichData.to_ruby(filter))
        end
      end

      def log(entry)
        @host.log(Natives.log_entry(JSON.parse(entry.read, symbolize_names: true)))
      rescue Exception => e # rubocop:disable Lint/RescueException
        warn("#{e.message} (#{e.class})")
      end

      def progress(steps)
        @host.progress(steps) != false
      rescue Exception => e # rubocop:disable Lint/RescueException
        warn("#{e.message} (#{e.class})")
        false
      end

      # Writes the result of the block, or the message of its exception.
      def answered(sink)
        write(sink, yield)
        true
      rescue Exception => e # rubocop:disable Lint/RescueException
        write(sink, e.message)
        false
      end

      def write(sink, answer)
        answer = answer.encode(Encoding::UTF_8, invalid: :replace, undef: :replace)
        Library.sink_write(sink, Library::Text.of(answer))
      end
    end
  end

  module Natives
    # The callbacks of the calling thread, for environments that several interpreters share.
    #
    # @api private
    module ThreadCallbacks
      # @return [HostCallbacks::Callbacks] none: the environment's own
      def self.callbacks
        HostCallbacks::Callbacks.new.tap { |made| made[:size] = HostCallbacks::Callbacks.size }
      end

      # Lets compilations of this thread use these callbacks while the block runs.
      #
      # @param callbacks [HostCallbacks]
      def self.attach(callbacks)
        Library.assert(Library.host_attach(callbacks.callbacks))
        yield
      ensure
        Library.host_attach(nil)
      end
    end
  end

  # The part of a {Host}'s calls that the C library supports.
  class Call
    def initialize(call)
      @call = call
    end

    def block?
      Library.call_has_block(@call)
    end

    # As {#yield}, with an array and the result in rich data as JSON.
    #
    # @api private
    def yield_json(arguments)
      Library.text(:call_block, @call, arguments)
    end

    # As {#call_function}, with an array and the result in rich data as JSON.
    #
    # @api private
    def call_function_json(name, arguments)
      Library.text(:call_function, @call, name, arguments)
    end

    # As {#variable}, in rich data as JSON.
    #
    # @api private
    def variable_json(name)
      Library.text(:call_variable, @call, name)
    end

    def block
      method(:yield).to_proc if block?
    end

    def yield(*arguments)
      answer(Library.text(:call_block, @call, data(arguments)))
    end

    def call_function(name, *arguments, &block)
      raise NotImplementedError, 'Bunraku::Call#call_function with a block needs the extension' if block

      answer(Library.text(:call_function, @call, name.to_s, data(arguments)))
    end

    def variable(name)
      answer(Library.text(:call_variable, @call, name))
    end

    def variable?(name)
      !Library.text(:call_variable, @call, name).nil?
    end

    private

    def data(arguments)
      JSON.generate(RichData.of(arguments), max_nesting: false)
    end

    def answer(json)
      json && RichData.to_ruby(JSON.parse(json, max_nesting: false, create_additions: false))
    end
  end
end
