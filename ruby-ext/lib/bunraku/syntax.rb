# frozen_string_literal: true

require 'json'

require_relative 'version'
require_relative 'errors'
require_relative 'native'

# Manifests as text: parsed, walked, validated.
module Bunraku
  # Parses a manifest or a template.
  #
  # @param source [String] the text
  # @param path [String, nil] the file name that errors show
  # @param epp [Boolean, nil] whether the text is a template; nil: if the path ends with `.epp`
  # @param tasks [Boolean, nil] whether plans and `apply` are part of the language; nil: if the path is below
  #   a directory `plans`
  # @param recover [Boolean] whether the parser continues after syntax errors: the program then has
  #   {Model::Error} nodes for the invalid parts, and {Program#errors} contains the errors
  # @return [Program]
  # @raise [ParseError] the first syntax error, unless `recover`
  # @raise [ArgumentError] the text is not valid in its encoding
  # @raise [TypeError] the source is not a String
  def self.parse(source, path: nil, epp: nil, tasks: nil, recover: false)
    epp, tasks = syntax_of(path, epp, tasks)
    Program.__send__(:native_parse, utf8(source), path&.to_s, epp, tasks, recover).freeze
  end

  # @api private
  def self.syntax_of(path, epp, tasks)
    *directories, name = path.to_s.split('/')
    epp = name.to_s.end_with?('.epp') if epp.nil?
    tasks = directories.include?('plans') && !directories.include?('manifests') if tasks.nil?
    [epp, tasks]
  end
  private_class_method :syntax_of

  # @api private
  def self.utf8(source)
    text = String.try_convert(source) || raise(TypeError, "no implicit conversion of #{source.class} into String")
    text = text.encode(Encoding::UTF_8)
    raise ArgumentError, 'the source is not valid UTF-8' unless text.valid_encoding?

    text
  end
  private_class_method :utf8

  # Parses many files on several threads. Releases Ruby's global lock. Files whose names end with `.epp` are
  # templates; files below a directory `plans` may have plans. An error is the result of its file and does not
  # affect the others; only `Timeout`, `Thread#kill` and exceptions of the block end the work.
  #
  # @param paths [Array<String>]
  # @param threads [Integer, nil] the number of threads; by default the number of processors
  # @param tasks [Boolean] whether plans and `apply` are part of the language in all files
  # @param recover [Boolean] whether the parser continues after syntax errors, as in {parse}
  # @param progress [#call, nil] called with the number of finished files and the number of all files
  # @yieldparam path [String] a path, as soon as its file is ready
  # @yieldparam result [Program, Error] the result for the file
  # @return [Array<Program, Error>] in the order of the paths, without a block. An error replaces the program:
  #   a {SyntaxError} (for text that is not UTF-8 even with `recover`), an {IoError} (the file cannot be read,
  #   or is larger than 64 MiB) or, after 300 seconds or with 1 GiB for one file, a {LimitError}
  # @return [nil] with a block
  def self.parse_files(paths, threads: nil, tasks: false, recover: false, progress: nil, &block)
    Reading.all(paths, threads, tasks, recover, nil, progress, &block)
  end

  # Parses and validates many files, as {parse_files} parses them.
  #
  # @param paths [Array<String>]
  # @param strict [Symbol] how strictly questionable code is treated: `:off`, `:warning`, `:error`
  # @param threads [Integer, nil] the number of threads; by default the number of processors
  # @param tasks [Boolean] whether plans and `apply` are part of the language
  # @param recover [Boolean] whether all syntax errors of a file are reported instead of the first one
  # @param progress [#call, nil] called with the number of finished files and the number of all files
  # @yieldparam path [String] a path, as soon as its file is ready
  # @yieldparam diagnostics [Array<Diagnostic>] the messages about the file: warnings of the lexer, and syntax
  #   errors or, without these, the findings of the validator. A file that cannot be read has an error without
  #   a place
  # @return [Hash{String => Array<Diagnostic>}] by path, in their order, without a block
  # @return [nil] with a block
  def self.validate_files(paths, strict: :error, threads: nil, tasks: false, recover: false, progress: nil)
    found = {}
    paths.each { |path| found[path.to_s] = [] } unless block_given?
    Reading.all(paths, threads, tasks, recover, strict.to_s, progress) do |path, result|
      diagnostics = Diagnostic.of(path, result)
      block_given? ? yield(path, diagnostics) : found[path] = diagnostics
    end
    found unless block_given?
  end

  # The result of {validate_repository}.
  #
  # @!attribute files [r] @return [Integer] the number of files
  # @!attribute diagnostics [r] @return [Array<Diagnostic>] the findings, file by file. Lower-case codes
  #   (`duplicate-definition`, `duplicate-definition-across-files`, `metaparameter`, `node-name`,
  #   `invalid-data`, `unreadable`, `limit-exceeded`) are of this library
  # @!attribute empty [r] @return [Array<String>] the paths that led to no file
  Validation = Struct.new(:files, :diagnostics, :empty) do
    # @return [Boolean] whether there are no errors
    def valid?
      diagnostics.none? { |one| one.severity == :error }
    end
  end

  # Validates a repository on several threads: manifests, templates, and whether the data of Hiera and the
  # metadata of modules are YAML and JSON. Reports all syntax errors of each file, the findings of the
  # validator, parameters with names of metaparameters, and names that a file or several files of an
  # environment or module define twice.
  #
  # @param paths [Array<String, #to_path>] files and directories; hidden files in directories are skipped
  # @param exclude [Array<String>] patterns as in `.gitignore`
  # @param gitignore [Boolean] whether the files that `.gitignore` names are excluded
  # @param data [Boolean] whether YAML and JSON files are checked
  # @param only [Array<String, #to_path>, nil] the files whose findings are reported; nil for all
  # @param strict [Symbol] how strictly questionable code is treated: `:off`, `:warning`, `:error`
  # @param threads [Integer, nil] the number of threads; by default the number of processors
  # @param tasks [Boolean] whether plans and `apply` are part of the language outside directories `plans`, too
  # @return [Validation]
  # @raise [OptionError, Error] an option or a pattern is invalid
  def self.validate_repository(paths, exclude: [], gitignore: true, data: true, only: nil, strict: :error, threads: nil, tasks: false)
    only = only&.map { |path| File.expand_path(path) }
    request = { paths: paths.map { |path| String.try_convert(path) || path.to_path }, exclude: exclude, gitignore: gitignore, data: data, only: only, strict: strict.to_s,
                threads: threads, tasks: tasks }
    answer = native_validate_files(JSON.generate(request.compact))
    Validation.new(answer['files'], Diagnostic.of(nil, answer['findings']), answer['empty']).freeze
  end

  # Parses and validates a manifest or a template.
  #
  # @param source [String] the text
  # @param path [String, nil] the file name that diagnostics show
  # @param strict [Symbol] how strictly questionable code is treated: `:off`, `:warning`, `:error`
  # @param epp [Boolean, nil] whether the text is a template; nil: if the path ends with `.epp`
  # @param tasks [Boolean, nil] whether plans and `apply` are part of the language; nil: if the path is below
  #   a directory `plans`
  # @return [Array<Diagnostic>] warnings of the lexer and the messages of {Program#validate}, or the
  #   syntax error
  def self.validate(source, path: nil, strict: :error, epp: nil, tasks: nil)
    program = parse(source, path: path, epp: epp, tasks: tasks)
    program.warnings + program.validate(strict: strict)
  rescue ParseError => e
    Diagnostic.of(path, e)
  end
end

require_relative 'program'
require_relative 'node'
require_relative 'query'
require_relative 'lint'
require_relative 'tokens'
require_relative 'reading'
