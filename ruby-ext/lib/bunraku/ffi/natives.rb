# frozen_string_literal: true

require_relative '../errors'
require_relative 'library'
require_relative 'binary_program'
require_relative 'rich_data'

raise LoadError, 'the extension is in use already' if Bunraku.respond_to?(:native_version, true)

module Bunraku
  # The native methods of the extension, implemented on the C library: the files above this directory build on
  # them.
  #
  # @api private
  module Natives
    # The exceptions for the kinds of failures.
    FAILURES = { 'syntax' => SyntaxError, 'validation' => ValidationError, 'evaluation' => EvaluationError,
                 'lookup' => LookupError, 'limit' => LimitError, 'cancelled' => CancelledError,
                 'unsupported' => UnsupportedError, 'io' => IoError, 'reference-fails' => ReferenceFailsError,
                 'bug' => BugError, 'argument' => Error, 'other' => Error }.freeze
    # The members of a log message that are absent are nil.
    LOG = { level: nil, message: nil, source: nil, file: nil, line: nil, column: nil, issue_code: nil, once: nil }.freeze

    # @param entry [Hash{Symbol => Object}] an entry from the library
    # @return [Hash{Symbol => Object}] the entry as {Catalog#logs} returns it
    def self.log_entry(entry)
      LOG.merge(entry, level: entry[:level].to_sym)
    end

    # Holds an object of the library.
    module Handle
      # @return [FFI::AutoPointer]
      attr_reader :handle

      # @api private
      def initialize(handle)
        @handle = handle
      end
    end
  end

  # @return [String] the version of the library
  def self.native_version
    Library.version
  end

  # @return [Array<String>] the features that the library was built with
  def self.native_features
    Library.features.split
  end

  # @return [Hash] `$trusted`
  def self.native_trusted(pem, mapping, path)
    trusted = Library.text(:trusted_from_certificate, pem, *[mapping, path].map { |text| text || Library::Text::NONE })
    RichData.to_ruby(JSON.parse(trusted))
  end

  # Ruby functions and templates of modules run on the built-in Ruby of the library.
  class Registry
    # @raise [ArgumentError] another Ruby is requested
    def self.setup(mode, templates = :auto)
      return if %i[auto off drop_in].include?(mode.to_sym) && %i[auto native].include?(templates.to_sym)

      raise ArgumentError, 'functions and templates in Ruby run on the library\'s own Ruby without the extension'
    end
  end
end

require_relative 'natives/program'
require_relative 'natives/node'
require_relative 'natives/query'
require_relative 'natives/tokens'
require_relative 'natives/reading'
require_relative 'natives/types'
require_relative 'natives/host'
require_relative 'natives/environment'
require_relative 'natives/catalog'
require_relative 'natives/command_line'
require_relative 'natives/model_builder'

module Bunraku
  class CommandLine
    include Natives::CommandLine
  end
end
