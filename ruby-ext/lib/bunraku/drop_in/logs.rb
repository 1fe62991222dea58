# frozen_string_literal: true

module Bunraku
  module DropIn
    # Forwards the log of a native compilation to Puppet's log.
    #
    # @api private
    module Logs
      # Messages about a text that is read, rather than evaluated: versions of Puppet differ in them.
      OF_TEXTS = %w[DUPLICATE_KEY FUTURE_RESERVED_WORD ILLEGAL_NONLITERAL_PARAMETER_TYPE ILLEGAL_UNICODE_ESCAPE UNRECOGNIZED_ESCAPE].freeze

      # Messages about writing a catalog, which Puppet logs itself.
      OF_CATALOGS = /\ASERIALIZATION_/.freeze

      # Messages or wordings that only Puppet 8 has.
      OF_PUPPET_8 = %r{\AModule '.*; got |puppet\.com/docs/puppet/8\.|\AThe regsubst\(\) function's encoding argument}.freeze

      class << self
        # Returns the entries to log for a compilation. It excludes entries that Puppet logs only once in a
        # process and has already logged. Entries about the text of a file are replaced by the file, about
        # which Puppet itself logs.
        #
        # @param all [Array<Hash>] the log of a compilation
        # @param environment [Puppet::Node::Environment]
        # @return [Array<Hash, String>] entries and files
        # @raise [Compiler::Unsuitable] only Puppet can word an entry
        def of(all, environment)
          assert_own_warnings(all)
          logs = all.reject { |entry| entry[:issue_code]&.match?(OF_CATALOGS) || said?(entry) }
          assert_same_words(logs)
          logs = logs.map { |entry| OF_TEXTS.include?(entry[:issue_code]) ? file_of(entry, environment) : entry }
          spoken_of = {}
          logs.reject { |entry| entry.is_a?(String) && (spoken_of[entry] || !(spoken_of[entry] = true)) }
        end

        # @param data [Array<Hash>] the entries of a log as JSON has them
        # @return [Array<Hash>] those as {Catalog#logs} returns them
        def entries(data)
          data.map { |entry| entry.transform_keys(&:to_sym) }.each { |entry| entry[:level] = entry[:level].to_sym }
        end

        # Logs the entries.
        #
        # @param entries [Array<Hash, String>] the result of {of}
        # @return [void]
        def put(entries)
          entries.each do |entry|
            next ::Puppet::Pops::Parser::EvaluatingParser.new.parse_file(entry) if entry.is_a?(String)
            next if said?(entry)

            keep_said(entry)
            ::Puppet::Util::Log.create({ level: entry[:level], message: entry[:message], source: entry[:source], file: entry[:file],
                                         line: entry[:line], pos: entry[:column], issue_code: entry[:issue_code]&.to_sym }.compact)
          end
        end

        private

        # Who replaces the method that warns once in a process wants to be asked.
        def assert_own_warnings(all)
          method = ::Puppet.method(:warn_once).unbind
          return if method.source_location&.first&.end_with?('/puppet/util/logging.rb') || all.none? { |entry| entry[:once] && !of_type?(entry) }

          raise Compiler::Unsuitable, Untouched.describe(method)
        end

        # Some warnings have another wording before Puppet 8.
        def assert_same_words(logs)
          raise Compiler::Unsuitable, 'settings tell which warnings are wanted' if logs.any? { |entry| entry[:once] } && ::Puppet[:disable_warnings].any?
          return if ::Puppet.version.to_i >= 8

          other = logs.find { |entry| entry[:source] == 'Puppet' && entry[:message].match?(OF_PUPPET_8) }
          raise Compiler::Unsuitable, "words of this version: #{other[:message]}" if other
        end

        # Whether an entry is about the parameters of a class or a defined type, which Puppet logs under its
        # own class.
        def of_type?(entry)
          entry[:once] == entry[:message]
        end

        # Whether Puppet has recorded an entry as logged.
        def said?(entry)
          return false unless entry[:once]
          return said_by_types.include?(entry[:message]) if of_type?(entry)

          said_once(entry).key?(entry[:once].delete_prefix('deprecation:')) || said_once(entry).size >= 100
        end

        def keep_said(entry)
          return unless entry[:once]
          return said_by_types << entry[:message] if of_type?(entry)

          said_once(entry)[entry[:once].delete_prefix('deprecation:')] = entry[:message]
        end

        # Where Puppet records what it has logged: by key, with deprecations kept separately, and by the class
        # that logs.
        def said_once(entry)
          entry[:once].start_with?('deprecation:') ? ($deprecation_warnings ||= {}) : ($unique_warnings ||= {})
        end

        def said_by_types
          warnings = ::Puppet::Util::Warnings
          said = warnings.instance_variable_get(:@stampwarnings) || warnings.instance_variable_set(:@stampwarnings, {})
          said[::Puppet::Resource::Type] ||= []
        end

        def file_of(entry, environment)
          file = entry[:file]
          raise Compiler::Unsuitable, 'something is to be said of the main manifest' if file.nil? || file.start_with?(environment.manifest.to_s)
          file
        end
      end
    end
  end
end
