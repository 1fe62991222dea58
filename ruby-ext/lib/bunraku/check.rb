# frozen_string_literal: true

module Bunraku
  # A mistake in an environment: `code`, `severity` (`:error`, if every evaluation of the place fails,
  # `:warning`, `:note`), `message`, `file`, `line`, `column`, `end_line`, `end_column`, `related` (places
  # that explain it, each with a `message`), `fix` (nil, or a Hash with `message`, a place and the replacement
  # `text`).
  Finding = Struct.new(:code, :severity, :message, :file, :line, :column, :end_line, :end_column, :related, :fix, keyword_init: true) do
    # @api private
    def self.of(data)
      new(**data.transform_keys(&:to_sym), severity: data['severity'].to_sym).freeze
    end

    # @return [String] `file:line:column: severity: message (code)`
    def to_s
      "#{file}:#{line}:#{column}: #{severity}: #{message} (#{code})"
    end
  end

  # Checks an environment, as {Environment#check} does.
  #
  # @param environment [Environment]
  # @return [Array<Finding>]
  def self.check(environment, **options)
    environment.check(**options)
  end

  # The definitions of an environment and the references to them. It shows the files as they were when it was
  # made, until {#renew} reads some of them again. Any number of threads can use it at the same time.
  class Index
    # A definition: `kind` (`:class`, `:defined_type`, `:function`, `:type`, `:plan`, `:task`, `:node`,
    # `:resource_type`, `:fact`, `:template`, `:data_key`), `name`, `module`, `documentation`, `parent`,
    # `parameters` (Hashes with `name`, `type`, `default`, `required`), `file`, `line`, `column`, `end_line`,
    # `end_column`.
    Definition = Struct.new(:kind, :name, :module, :documentation, :parent, :parameters, :file, :line, :column, :end_line, :end_column,
                            keyword_init: true)

    # A use of a name: `kind`, `usage` (`:include`, `:declare`, `:call`, `:refer`, `:lookup`, `:override`,
    # `:assign`), `name`, `title` of a resource, `inside` (the name of the enclosing definition), and a place.
    Reference = Struct.new(:kind, :usage, :name, :title, :inside, :file, :line, :column, :end_line, :end_column, keyword_init: true)

    # What a new name changes: `files`, the new texts of the changed files by path (nil for a main manifest
    # that was given as text), and `moves`, the new paths of files whose paths say the old name.
    Renamed = Struct.new(:files, :moves)

    # @api private
    def initialize(native)
      @native = native
      @lock = Mutex.new
      @files = {}
      load
    end

    # Reads files again that were changed, created or removed. The others stay unchanged, and so do the
    # modules: a module that was added needs another {Environment#index}.
    #
    # @param paths [Array<String>] relative ones are below the working directory
    # @return [self]
    # @raise [LimitError] a file exceeds a limit
    def renew(*paths)
      @lock.synchronize do
        paths.flatten.each do |path|
          path = File.expand_path(path)
          @native.renew(path)
          add(path, @native.json(path))
        end
        @definitions = @references = @unused = nil
      end
      self
    end

    # Checks some files again, without a look at the others but for the names that they have. {#renew} the
    # files that have changed first; where functions, types or Ruby have, {Environment#clear} the environment,
    # too. Findings that need all files (templates in ERB, metadata) are left out.
    #
    # @example after a file was saved
    #   index.renew(path).check(path)
    # @param paths [Array<String>] files; relative ones are below the working directory
    # @param select [Array<String>] the codes, or prefixes of codes, to report; empty for all
    # @param ignore [Array<String>] codes, or prefixes of codes, to leave out
    # @param notes [Boolean] whether notes are reported
    # @return [Array<Finding>]
    def check(*paths, select: [], ignore: [], notes: false)
      paths = paths.flatten.map { |path| File.expand_path(path) }
      request = JSON.generate(paths: paths, select: select, ignore: ignore, notes: notes)
      @lock.synchronize { @native.check(request) }.map { |found| Finding.of(found) }
    end

    # What a new name of a class, a defined type or a function changes in the environment: its definition and
    # those inside it, references in manifests and in templates in EPP, variables of a class, and keys of data
    # and of `lookup` for its parameters. Nothing is written. ERB, Ruby, names that are put together
    # (`include "a::${b}"`), other data, and tags stay as they are.
    #
    # @param kind [Symbol, String] `:class`, `:define` or `:function`
    # @param from [String] the full name
    # @param to [String] the new full name
    # @return [Renamed]
    # @raise [Error] there is no such definition, or it is written in Ruby; the new name is invalid or taken;
    #   a name is written in a way that cannot be changed, with its place
    def rename(kind, from, to)
      request = JSON.generate(kind: kind.to_s, from: from, to: to)
      answer = @lock.synchronize { @native.rename(request) }
      files = answer['files'].to_h { |file| file.values_at('path', 'text') }
      Renamed.new(files.freeze, answer['moves'].to_h { |move| move.values_at('from', 'to') }.freeze).freeze
    end

    # @return [Array<Definition>]
    def definitions
      @lock.synchronize { @definitions ||= @files.each_value.flat_map(&:first).freeze }
    end

    # @return [Array<Reference>]
    def references
      @lock.synchronize { @references ||= @files.each_value.flat_map(&:last).freeze }
    end

    # @return [Array<Definition>] classes, defined types, functions, types and templates without references
    def unused
      @lock.synchronize { @unused || load }
    end

    # @param path [String] the path of a file
    # @return [Array<Definition>] the definitions in it
    def in_file(path)
      @lock.synchronize { @files.fetch(File.expand_path(path), [[]]).first }
    end

    # @param kind [Symbol]
    # @param name [String] in lower case, without a leading `::`
    # @return [Definition, nil]
    def find(kind, name)
      definitions.find { |one| one.kind == kind && one.name == name }
    end

    # Returns the references to a name.
    #
    # @return [Array<Reference>]
    def references_to(kind, name)
      kinds = { defined_type: %i[resource type], resource_type: %i[resource type] }.fetch(kind, [kind])
      references.select { |one| one.name == name && kinds.include?(one.kind) }
    end

    # Returns the definitions that refer to a name.
    #
    # @return [Array<String>] their names
    def callers(kind, name)
      references_to(kind, name).map(&:inside).compact.uniq
    end

    # Returns what a definition refers to.
    #
    # @return [Array<Reference>]
    def callees(name)
      references.select { |one| one.inside == name }
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{@files.size} files>"
    end

    private

    # Takes over everything.
    def load
      data = @native.json(nil)
      definitions = data['definitions'].map { |one| definition(one) }
      references = data['references'].map { |one| reference(one) }.group_by(&:file)
      by_file = definitions.group_by(&:file)
      @files = (by_file.keys | references.keys).to_h { |file| [file, [by_file.fetch(file, []).freeze, references.fetch(file, []).freeze]] }
      @definitions = @references = nil
      @unused = data['unused'].map { |number| definitions[number] }.freeze
    end

    def add(path, data)
      found = [data['definitions'].map { |one| definition(one) }.freeze, data['references'].map { |one| reference(one) }.freeze]
      found.all?(&:empty?) ? @files.delete(path) : @files[path] = found
    end

    def definition(data)
      Definition.new(**data.transform_keys(&:to_sym), kind: data['kind'].to_sym).freeze
    end

    def reference(data)
      Reference.new(**data.transform_keys(&:to_sym), kind: data['kind'].to_sym, usage: data['usage'].to_sym).freeze
    end
  end
end
