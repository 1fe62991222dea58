class Logger
  module Severity
    DEBUG = 0
    INFO = 1
    WARN = 2
    ERROR = 3
    FATAL = 4
    UNKNOWN = 5
  end
  include Severity

  NAMES = %w[DEBUG INFO WARN ERROR FATAL ANY].freeze
  private_constant :NAMES

  # Formats a line: the level, the time, the name of the program, the message.
  class Formatter
    attr_accessor :datetime_format

    def call(severity, time, name, message)
      stamp = time.strftime(@datetime_format || '%Y-%m-%dT%H:%M:%S.%6N')
      text = case message
             when String then message
             when Exception then "#{message.message} (#{message.class})\n#{message.backtrace.join("\n") if message.backtrace}"
             else message.inspect
             end
      format("%.1s, [%s #%d] %5s -- %s: %s\n", severity, stamp, __refuse('number of the process'), severity, name, text)
    end
  end

  attr_accessor :progname, :formatter, :datetime_format
  attr_reader :level

  # A device that can be written to; files are not written.
  def initialize(device = nil, *_rotation, level: DEBUG, progname: nil, formatter: nil, datetime_format: nil)
    __refuse('log in a file') unless device.nil? || device.respond_to?(:write)
    @device = device
    self.level = level
    @progname = progname
    @formatter = formatter
    @datetime_format = datetime_format
    @plain = Formatter.new
  end

  def level=(level)
    @level = level.is_a?(Integer) ? level : NAMES.index(level.to_s.upcase) || (level.to_s.upcase == 'UNKNOWN' ? UNKNOWN : nil)
    raise ArgumentError, "invalid log level: #{level}" if @level.nil?
  end

  def add(severity, message = nil, progname = nil)
    severity ||= UNKNOWN
    return true if @device.nil? || severity < @level

    progname = @progname if progname.nil?
    if message.nil?
      if block_given?
        message = yield
      else
        message = progname
        progname = @progname
      end
    end
    @plain.datetime_format = @datetime_format
    @device.write((@formatter || @plain).call(NAMES[severity] || 'ANY', Time.now, progname, message))
    true
  end
  alias log add

  def <<(message)
    @device&.write(message)
    self
  end

  def debug(progname = nil, &block)
    add(DEBUG, nil, progname, &block)
  end

  def info(progname = nil, &block)
    add(INFO, nil, progname, &block)
  end

  def warn(progname = nil, &block)
    add(WARN, nil, progname, &block)
  end

  def error(progname = nil, &block)
    add(ERROR, nil, progname, &block)
  end

  def fatal(progname = nil, &block)
    add(FATAL, nil, progname, &block)
  end

  def unknown(progname = nil, &block)
    add(UNKNOWN, nil, progname, &block)
  end

  def debug?
    @level <= DEBUG
  end

  def info?
    @level <= INFO
  end

  def warn?
    @level <= WARN
  end

  def error?
    @level <= ERROR
  end

  def fatal?
    @level <= FATAL
  end

  def close
    nil
  end
end
