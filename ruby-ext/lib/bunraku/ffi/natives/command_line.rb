# frozen_string_literal: true

module Bunraku
  module Natives
    # The command without the extension: the program `bunraku`, which is installed with the C library.
    #
    # @api private
    module CommandLine
      # @param arguments [Array<String>]
      # @param out [IO, nil] results; nil for the stream of the process
      # @param err [IO, nil] messages; nil for the stream of the process
      # @return [Integer] the exit status
      def native_run(arguments, out, err)
        program = CommandLine.program
        raise Error, 'the program bunraku is not there: BUNRAKU_COMMAND says where it is' unless program

        targets = [[out, $stdout], [err, $stderr]]
        pipes = targets.map { |stream, _| stream && IO.pipe(binmode: true) }
        into = pipes.zip(targets).map { |pipe, (_, standard)| pipe ? pipe.last : standard }
        pid = Process.spawn(program, *arguments, out: into.first, err: into.last)
        pipes.compact.each { |_, writer| writer.close }
        copies = pipes.zip([out, err]).select(&:first)
        copies.map! { |pipe, stream| Thread.new { CommandLine.copy(pipe.first, stream) } }
        status = Process.wait2(pid).last
        copies.each(&:join)
        status.exitstatus || (128 + status.termsig)
      end

      # The path of the program: `BUNRAKU_COMMAND`, or beside the C library.
      def self.program
        given = ENV.fetch('BUNRAKU_COMMAND', nil)
        return given if given

        libraries = Library.ffi_libraries.map { |library| File.dirname(library.name) }
        places = libraries.flat_map { |path| ["#{path}/bunraku", "#{path}/../bin/bunraku"] }
        places.find { |path| File.executable?(path) }
      end

      def self.copy(from, to)
        to.write(from.read.force_encoding(Encoding::UTF_8))
        from.close
      end
    end
  end
end
