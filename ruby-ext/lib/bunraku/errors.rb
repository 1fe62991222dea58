# frozen_string_literal: true

module Bunraku
  # An error in a program or its compilation. The message ends with the place; {#basic_message} does not
  # contain it.
  class Error < StandardError
    # @return [String] the message without the place
    attr_reader :basic_message
    # @return [String, nil] the file
    attr_reader :file
    # @return [Integer, nil] the line, from 1
    attr_reader :line
    # @return [Integer, nil] the column in characters, from 1
    attr_reader :column
    # @return [String, nil] the issue code, such as `UNKNOWN_VARIABLE`
    attr_reader :issue_code
    # @return [Array<Hash>] the Puppet calls that led here, innermost first: `:name`, `:file`, `:line`,
    #   `:column`
    attr_reader :stack
    # @return [Array<Hash>] the preceding log: `:level`, `:message`, `:source`, `:file`, `:line`, `:column`,
    #   `:issue_code`
    attr_reader :logs

    # @param message [String] the message without the place
    # @param details [Hash] `:file`, `:line`, `:column`, `:issue_code`, `:stack`, `:logs`, `:cause`
    def initialize(message = nil, details = {})
      @basic_message = message
      @file = details[:file]
      @line = details[:line]
      @column = details[:column]
      @issue_code = details[:issue_code]
      @stack = details[:stack] || []
      @logs = details[:logs] || []
      @cause = details[:cause]
      super("#{message}#{place}")
    end

    # @return [String] the message with its place, followed by the Puppet calls that led there, innermost
    #   first, one a line: `  from Class[Apache] (/code/site.pp:3)`
    def trace
      [message, *stack.map { |frame| "  from #{frame_text(frame)}" }].join("\n")
    end

    # @return [Exception, nil] the exception of a function that is written in Ruby
    def cause
      @cause || super
    end

    private

    def frame_text(frame)
      line = frame[:line]
      place = frame[:file] ? [frame[:file], line].compact.join(':') : line && "line #{line}"
      place ? "#{frame[:name]} (#{place})" : frame[:name]
    end

    def place
      parts = { 'file' => @file, 'line' => @line, 'column' => @column }.compact
      parts.empty? ? '' : " (#{parts.map { |name, value| "#{name}: #{value}" }.join(', ')})"
    end
  end

  # A text that cannot be parsed or is invalid.
  class ParseError < Error
    # @return [Hash{Symbol => Place}, nil] the place of the error by unit: `:byte`, `:character`, `:utf16`
    attr_reader :ranges

    # @param message [String] the message without the place
    # @param details [Hash] those of {Error}, and `:ranges`
    def initialize(message = nil, details = {})
      @ranges = Place.of_ranges(details[:ranges])
      super
    end
  end

  # A text that cannot be parsed.
  class SyntaxError < ParseError; end

  # A text that can be parsed, but is invalid.
  class ValidationError < ParseError; end

  # An option, setting or limit does not exist or has an invalid value.
  class OptionError < Error; end

  # The evaluation of a program failed.
  class EvaluationError < Error; end

  # Data was not found or could not be looked up.
  class LookupError < Error; end

  # A limit of the compilation was exceeded, or it was cancelled.
  class LimitError < Error; end

  # The work was cancelled or interrupted.
  class CancelledError < LimitError; end

  # A file or another external resource cannot be read or written.
  class IoError < Error; end

  # OpenVox crashes here, too. Only the failure can be relied on, not the message.
  class ReferenceFailsError < Error; end

  # The native part was built without the required feature; {Bunraku.features} lists the available ones.
  class UnsupportedError < Error; end

  # The library itself is at fault. The call has no result; environments and all other objects stay usable.
  # The message says what to report.
  class BugError < Error; end

  # A violation of a rule of a catalog form by a document.
  #
  # @!attribute path [r] @return [String] the place, as a JSON path
  # @!attribute message [r] @return [String] the violation
  Violation = Struct.new(:path, :message) do
    # @return [String]
    def to_s
      "#{path}: #{message}"
    end
  end

  # A document that is not a valid catalog of its form.
  class InvalidDocument < Error
    # @return [Array<Violation>] the violations
    attr_reader :violations

    # @param form [String] the form
    # @param violations [Array<Array(String, String)>] paths and messages
    def initialize(form, violations)
      @violations = violations.map { |path, message| Violation.new(path, message).freeze }.freeze
      super("not a sound catalog of the form #{form}#{@violations.map { |violation| "\n#{violation}" }.join}")
    end
  end

  # A task cannot run as requested.
  class TaskError < Error
    # @return [String] such as `puppet.tasks/invalid-parameters`
    attr_reader :kind
    # @return [Hash] the machine-readable details
    attr_reader :details

    # @param error [Hash] `kind`, `msg`, `details`
    def initialize(error)
      @kind = error['kind']
      @details = error['details']
      super(error['msg'])
    end
  end
end
