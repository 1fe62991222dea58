# frozen_string_literal: true

# The exceptions of Puppet that functions raise and rescue. Evaluated in the root of a Registry, as all files
# beside it.
module Puppet
  # The version whose behaviour this API has.
  PUPPETVERSION = '8.28.1'

  # The superclass of Puppet's exceptions. It can contain another exception.
  class Error < RuntimeError
    attr_accessor :original

    def initialize(message, original = nil)
      super(message)
      @original = original
    end
  end

  # An error with a place in a manifest.
  module ExternalFileError; end

  # A failure that a function reports to the author of the manifest.
  class ParseError < Puppet::Error
    include ExternalFileError
    attr_accessor :file, :line, :pos

    def initialize(message, file = nil, line = nil, pos = nil, original = nil)
      file, line, pos, original = nil, nil, nil, file if file.is_a?(Exception)
      super(message, original)
      @file = file unless file.to_s.empty?
      @line = line
      @pos = pos
    end

    # The place for the message, if one is set.
    def bunraku_place
      [@file, @line, @pos] if @file || @line
    end

    def to_s
      message = super
      place = { 'file' => @file, 'line' => @line, 'column' => @pos }.compact
      return message if place.empty?

      "#{message} (#{place.map { |name, value| "#{name}: #{value}" }.join(', ')})"
    end

    # The message as it was given.
    def basic_message
      method(:to_s).super_method.call
    end
  end

  # A parse error with an issue.
  class ParseErrorWithIssue < ParseError
    attr_reader :issue_code, :basic_message, :arguments

    def initialize(message, file = nil, line = nil, pos = nil, original = nil, issue_code = nil, arguments = nil)
      super(message, file, line, pos, original)
      @issue_code = issue_code
      @basic_message = message
      @arguments = arguments
    end
  end

  # A parse error whose message is complete.
  class PreformattedError < ParseErrorWithIssue; end

  # An invalid resource.
  class ResourceError < Puppet::Error
    include ExternalFileError
    attr_accessor :file, :line, :pos

    def initialize(message, file = nil, line = nil, original = nil)
      super(message, original)
      @file = file
      @line = line
    end
  end

  # A mistake of the author of the Ruby code.
  class DevError < Puppet::Error; end

  # A command that failed.
  class ExecutionFailure < Puppet::Error; end

  # A missing command.
  class MissingCommand < Puppet::Error; end

  # Errors about resources.
  class Resource
    # The resources of a catalog.
    class Catalog
      # A resource that the catalog already contains.
      class DuplicateResourceError < Puppet::Error; end
    end
  end

  # Settings.
  class Settings
    # An invalid setting.
    class SettingsError < Puppet::Error; end
  end

  # Data that a data provider did not find.
  class DataBinding
    # The superclass.
    class Error < Puppet::Error; end

    # A lookup that failed.
    class LookupError < Error; end
  end

  module Pops
    module Evaluator
      # An error with an issue.
      class EvaluationError < Puppet::Error; end
    end

    module Types
      # A value of the wrong type.
      class TypeAssertionError < Puppet::Error
        attr_reader :expected_type, :actual_type

        def initialize(message, expected_type = nil, actual_type = nil)
          super(message)
          @expected_type = expected_type
          @actual_type = actual_type
        end
      end
    end
  end
end
