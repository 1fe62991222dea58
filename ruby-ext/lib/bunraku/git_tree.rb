# frozen_string_literal: true

require 'open3'

module Bunraku
  # The files of a git repository at a revision, for `files:` of {Environment.new}: paths below the directory
  # of the repository have the content of the revision, whatever is in the working directory. The revision is
  # read once; any number of threads can use it. It needs the command `git`.
  #
  # @example
  #   tree = Bunraku::GitTree.new('/srv/control', 'main')
  #   environment = Bunraku::Environment.new('main', directory: '/srv/control', files: tree)
  class GitTree
    # What {#stat} returns.
    Stat = Struct.new(:size, :mtime, :directory) do
      alias_method :directory?, :directory
    end
    # A file or directory of the tree.
    Entry = Struct.new(:mode, :object, :size)
    private_constant :Entry
    # The number of links that are followed.
    LINKS = 40
    private_constant :LINKS

    # @return [String] the repository's directory
    attr_reader :directory
    # @return [String] the name of the commit
    attr_reader :commit

    # @param directory [String] the top directory of the working tree, or a bare repository
    # @param revision [String] such as `HEAD`, a branch, a tag or a commit
    # @raise [ArgumentError] the directory is no repository, or the revision does not exist
    def initialize(directory, revision = 'HEAD')
      @directory = File.expand_path(directory)
      @commit = git('rev-parse', '--verify', '--quiet', '--end-of-options', "#{revision}^{commit}").chomp
      @time = Time.at(git('show', '--no-patch', '--format=%ct', @commit).to_i)
      @entries = { '' => Entry.new('040000', nil, 0) }
      @names = Hash.new { |names, path| names[path] = [] }
      read_tree
      @lock = Mutex.new
    end

    # @param path [String]
    # @return [String, nil] the content of a file
    def read(path)
      entry = entry_of(path)
      return if entry.nil? || entry.mode.start_with?('04', '16')

      content(entry.object)
    end

    # @param path [String]
    # @return [Array<String>, nil] the names in a directory
    def list(path)
      path = resolved(path)
      @names.fetch(path, []).dup if path && @entries[path]&.mode == '040000'
    end

    # @param path [String]
    # @return [Stat, nil] what exists at the path; the time is that of the commit
    def stat(path)
      entry = entry_of(path)
      entry && Stat.new(entry.size, @time, entry.mode.start_with?('04', '16'))
    end

    # Ends the process that reads files.
    #
    # @return [nil]
    def close
      @lock.synchronize do
        @reader&.close
        @reader = nil
      end
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{directory} at #{commit}>"
    end

    private

    def git(*arguments)
      output, error, status = Open3.capture3('git', '-C', directory, *arguments, binmode: true)
      return output if status.success?

      raise ArgumentError, error.empty? ? "#{directory} has no such revision" : error.chomp
    end

    def read_tree
      git('ls-tree', '-r', '-t', '-l', '-z', '--full-tree', @commit).split("\0").each do |line|
        described, path = line.split("\t", 2)
        mode, _type, object, size = described.split
        path.force_encoding(Encoding::UTF_8)
        @entries[path] = Entry.new(mode, object, size.to_i)
        parent, name = File.split(path)
        @names[parent == '.' ? '' : parent] << name
      end
      @names.default = nil
    end

    def entry_of(path)
      path = resolved(path)
      path && @entries[path]
    end

    # The path in the tree, with links followed; nil outside of the repository.
    def resolved(path)
      path = File.expand_path(path)
      return '' if path == directory
      return unless path.start_with?("#{directory}/")

      follow(path.delete_prefix("#{directory}/"), LINKS)
    end

    def follow(path, links)
      found = +''
      parts = path.split('/')
      while (part = parts.shift)
        here = found.empty? ? part : "#{found}/#{part}"
        if @entries[here]&.mode == '120000'
          return if links.zero?

          target = File.expand_path(content(@entries[here].object), "/#{found}")
          return follow([target.delete_prefix('/'), *parts].reject(&:empty?).join('/'), links - 1)
        end
        found = here
      end
      found
    end

    # The content of an object, from a process that answers one question after another.
    def content(object)
      @lock.synchronize do
        @reader ||= IO.popen(['git', '-C', directory, 'cat-file', '--batch'], 'r+b')
        @reader.puts(object)
        size = @reader.gets.split.last.to_i
        text = @reader.read(size + 1)
        raise IOError, "git cannot read #{object}" unless text && text.bytesize == size + 1

        text.chop!
      end
    end
  end
end
