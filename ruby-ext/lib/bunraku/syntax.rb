# frozen_string_literal: true

require 'etc'

require_relative 'version'
require_relative 'errors'
require_relative 'files'
require_relative 'native'

# Manifests as text: parsed, walked, validated.
module Bunraku
  autoload :Node, 'bunraku/node'
  autoload :Model, 'bunraku/node'

  # Parses a manifest or a template.
  #
  # @param source [String] the text
  # @param path [String, nil] the file name that errors show
  # @param epp [Boolean] whether the text is a template
  # @param tasks [Boolean] whether plans and `apply` are known
  # @param recover [Boolean] go on behind syntax errors: the program has {Model::Error} nodes for what could not be read, and
  #   {Program#errors} tells why
  # @return [Program]
  # @raise [ParseError] the first syntax error, unless `recover`
  # @raise [ArgumentError] the text is not valid in its encoding
  def self.parse(source, path: nil, epp: false, tasks: false, recover: false)
    text = source.encode(Encoding::UTF_8)
    raise ArgumentError, 'the source is not valid UTF-8' unless text.valid_encoding?

    Program.native_parse(text, path&.to_s, epp, tasks, recover)
  end

  # Parses many files on several threads, without Ruby's global lock. Templates are known by their name (`.epp`).
  # `Timeout` and `Thread#kill` end all of them.
  #
  # @param paths [Array<String>]
  # @param threads [Integer] how many threads
  # @param tasks [Boolean] whether plans and `apply` are known
  # @param recover [Boolean] go on behind syntax errors, as {parse} does
  # @return [Array<Program, ParseError>] in the order of the paths; a syntax error stands in the place of its program,
  #   unless `recover`
  # @raise [SystemCallError] a file that cannot be read
  # @raise [Files::Refused] a file of more than 64 MiB
  def self.parse_files(paths, threads: Etc.nprocessors, tasks: false, recover: false)
    files = paths.map { |path| [path.to_s, Files.read_named(path)] }
    Program.native_parse_files(files, threads, tasks, recover)
  end

  # Parses and validates a manifest or a template.
  #
  # @param source [String] the text
  # @param path [String, nil] the file name that diagnostics show
  # @param strict [Symbol] how questionable code is treated: `:off`, `:warning`, `:error`
  # @param epp [Boolean] whether the text is a template
  # @param tasks [Boolean] whether plans and `apply` are known
  # @return [Array<Diagnostic>] what the validator says, or the syntax error
  def self.validate(source, path: nil, strict: :error, epp: false, tasks: false)
    parse(source, path: path, epp: epp, tasks: tasks).validate(strict: strict)
  rescue ParseError => e
    [Diagnostic.new(severity: :error, issue_code: e.issue_code, message: e.basic_message, file: e.file, line: e.line,
                    column: e.column)]
  end
end

require_relative 'program'
