# frozen_string_literal: true

module Bunraku
  # Reads files up to a size, in pieces, so that signals and `Timeout` can interrupt it.
  module Files
    # The maximum size of a file in bytes.
    SIZE = 64 << 20
    PIECE = 1 << 20
    private_constant :PIECE

    # The file is not a regular file, or too large.
    class Refused < IOError; end

    # Reads a file that the user has named. It can be a pipe or a terminal, for which this waits.
    #
    # @param path [String]
    # @param size [Integer] the maximum number of bytes
    # @param encoding [String, Encoding]
    # @return [String]
    # @raise [SystemCallError] it cannot be read
    # @raise [Refused] it is too large
    def self.read_named(path, size: SIZE, encoding: 'UTF-8')
      File.open(path, 'rb') { |io| read_from(io, path, size: size, encoding: encoding) }
    end

    # Reads a file that was found: a regular file, or `/dev/null`, which is empty. This never waits.
    #
    # @param (see read_named)
    # @return [String]
    # @raise (see read_named)
    def self.read(path, size: SIZE, encoding: 'UTF-8')
      return read_null(encoding) unless regular?(File.stat(path), path)

      File.open(path, File::RDONLY | File::NONBLOCK | File::BINARY) do |io|
        regular?(io.stat, path) ? read_from(io, path, size: size, encoding: encoding) : read_null(encoding)
      end
    end

    # Reads to the end of a stream.
    #
    # @param io [IO]
    # @param name [String] the name of the stream in messages
    # @param size [Integer] the maximum number of bytes
    # @param encoding [String, Encoding]
    # @return [String]
    # @raise [Refused] the stream is longer
    def self.read_from(io, name, size: SIZE, encoding: 'UTF-8')
      text = String.new(encoding: Encoding::BINARY)
      while (piece = io.read(PIECE))
        text << piece.b
        raise Refused, "File too large: it has more than #{size} bytes - #{name}" if text.bytesize > size
      end
      text.force_encoding(encoding)
    end

    # @api private
    def self.regular?(stat, path)
      return true if stat.file?
      return false if stat.chardev? && stat.rdev == File.stat(File::NULL).rdev
      raise Errno::EISDIR, path if stat.directory?

      kind = { 'fifo' => 'a named pipe', 'socket' => 'a socket' }.fetch(stat.ftype, 'a device')
      raise Refused, "It is #{kind}, not a regular file - #{path}"
    end

    def self.read_null(encoding)
      String.new(encoding: encoding)
    end
    private_class_method :regular?, :read_null
  end
end
