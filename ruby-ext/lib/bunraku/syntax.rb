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
  # @param tasks [Boolean] whether plans and `apply` are known
  # @param recover [Boolean] go on behind syntax errors: the program has {Model::Error} nodes for what could
  #   not be read, and {Program#errors} tells why
  # @return [Program]
  # @raise [ParseError] the first syntax error, unless `recover`
  # @raise [ArgumentError] the text is not valid in its encoding
  # @raise [TypeError] the source is no String
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

  # Parses many files on several threads, without Ruby's global lock. Templates are known by their name
  # (`.epp`). A file that is at fault is told in its own place; nothing ends the others but `Timeout`,
  # `Thread#kill` and what the block raises.
  #
  # @param paths [Array<String>]
  # @param threads [Integer, nil] how many threads; as many as the machine has processors
  # @param tasks [Boolean] whether plans and `apply` are known
  # @param recover [Boolean] go on behind syntax errors, as {parse} does
  # @param progress [#call, nil] called with how many files are done, and how many there are
  # @yieldparam path [String] a path, as soon as its file is ready
  # @yieldparam result [Program, Error] what has become of it
  # @return [Array<Program, Error>] in the order of the paths, without a block. In the place of a program
  #   stands a {SyntaxError} (where the text is not UTF-8, even with `recover`), an {IoError} (the file cannot
  #   be read, or has more than 64 MiB) or, after 300 seconds or with 1 GiB for one file, a {LimitError}
  # @return [nil] with a block
  def self.parse_files(paths, threads: nil, tasks: false, recover: false, progress: nil, &block)
    Reading.all(paths, threads, tasks, recover, nil, progress, &block)
  end

  # Parses and validates many files, as {parse_files} parses them.
  #
  # @param paths [Array<String>]
  # @param strict [Symbol] how questionable code is treated: `:off`, `:warning`, `:error`
  # @param threads [Integer, nil] how many threads; as many as the machine has processors
  # @param tasks [Boolean] whether plans and `apply` are known
  # @param recover [Boolean] tell all syntax errors of a file, not the first alone
  # @param progress [#call, nil] called with how many files are done, and how many there are
  # @yieldparam path [String] a path, as soon as its file is ready
  # @yieldparam diagnostics [Array<Diagnostic>] what there is to say about it: warnings of the lexer, syntax
  #   errors, and what the validator finds where there are none. That a file cannot be read is an error
  #   without a place
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
  # @param strict [Symbol] how questionable code is treated: `:off`, `:warning`, `:error`
  # @param epp [Boolean] whether the text is a template
  # @param tasks [Boolean] whether plans and `apply` are known
  # @return [Array<Diagnostic>] warnings of the lexer and what the validator says, or the syntax error
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
