# frozen_string_literal: true

require_relative 'version'
require_relative 'errors'
require_relative 'native'

# Manifests as text: parsed, walked, validated.
module Bunraku
  # Parses a manifest or a template.
  #
  # @param source [String] the text
  # @param path [String, nil] the file name that errors show
  # @param epp [Boolean] whether the text is a template
  # @param tasks [Boolean] whether plans and `apply` are part of the language
  # @param recover [Boolean] whether the parser continues after syntax errors: the program then has
  #   {Model::Error} nodes for the invalid parts, and {Program#errors} contains the errors
  # @return [Program]
  # @raise [ParseError] the first syntax error, unless `recover`
  # @raise [ArgumentError] the text is not valid in its encoding
  # @raise [TypeError] the source is not a String
  def self.parse(source, path: nil, epp: false, tasks: false, recover: false)
    Program.__send__(:native_parse, utf8(source), path&.to_s, epp, tasks, recover).freeze
  end

  # @api private
  def self.utf8(source)
    text = String.try_convert(source) || raise(TypeError, "no implicit conversion of #{source.class} into String")
    text = text.encode(Encoding::UTF_8)
    raise ArgumentError, 'the source is not valid UTF-8' unless text.valid_encoding?

    text
  end
  private_class_method :utf8

  # Parses many files on several threads. Releases Ruby's global lock. Files whose names end with `.epp` are
  # templates. An error is the result of its file and does not affect the others; only `Timeout`,
  # `Thread#kill` and exceptions of the block end the work.
  #
  # @param paths [Array<String>]
  # @param threads [Integer, nil] the number of threads; by default the number of processors
  # @param tasks [Boolean] whether plans and `apply` are part of the language
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

  # Parses and validates a manifest or a template.
  #
  # @param source [String] the text
  # @param path [String, nil] the file name that diagnostics show
  # @param strict [Symbol] how strictly questionable code is treated: `:off`, `:warning`, `:error`
  # @param epp [Boolean] whether the text is a template
  # @param tasks [Boolean] whether plans and `apply` are part of the language
  # @return [Array<Diagnostic>] warnings of the lexer and the messages of the validator, or the syntax error
  def self.validate(source, path: nil, strict: :error, epp: false, tasks: false)
    program = parse(source, path: path, epp: epp, tasks: tasks)
    program.warnings + program.validate(strict: strict)
  rescue ParseError => e
    Diagnostic.of(path, e)
  end
end

require_relative 'program'
require_relative 'node'
require_relative 'query'
require_relative 'tokens'
require_relative 'reading'
