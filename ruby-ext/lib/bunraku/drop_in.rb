# frozen_string_literal: true

require 'json'

require_relative 'drop_in/report'
require_relative 'syntax'

module Bunraku
  # Replaces slow parts of a Puppet or OpenVox without any change to its results.
  #
  # Valid manifests and templates are parsed and validated natively, types are parsed once, and catalogs are
  # compiled natively, with functions and templates in Ruby on Puppet's own classes. If a text has an error or
  # a warning, or a compilation fails, Puppet's own code runs instead, so that its exceptions, messages and
  # logs are exactly Puppet's.
  #
  # Catalogs are Puppet's own objects, whose resources are created on first access. Code that only needs the
  # document (`to_json`, `to_data_hash`, MessagePack) or filters virtual resources gets the result straight
  # from the library.
  #
  # A part is inactive while a tool or a test replaces the methods that it takes over. The environment
  # variable `BUNRAKU_PUPPET` selects parts: `BUNRAKU_PUPPET=parser`, `BUNRAKU_PUPPET=none`. {report} returns
  # what was done natively. `BUNRAKU_PUPPET_REPORT=1` prints it on standard error when the process ends; a
  # path appends it to that file as JSON.
  module DropIn
    # The parts in the order in which they are enabled.
    PARTS = %i[parser validation face types compiler].freeze

    class << self
      # Enables parts, now or when Puppet is loaded.
      #
      # @param parts [Array<Symbol>] a subset of {PARTS}; by default those that `BUNRAKU_PUPPET` names, or all
      # @return [void]
      # @raise [ArgumentError] a part does not exist
      def enable(*parts)
        parts = parts_of_environment if parts.empty?
        unknown = parts - PARTS
        raise ArgumentError, "there is no part #{unknown.join(', ')}; parts are #{PARTS.join(', ')}" unless unknown.empty?

        @wanted = PARTS & ((@wanted || []) | parts)
        install
        Loading.watch { install } unless @wanted.all? { |part| @installed.include?(part) }
      end

      # @return [Array<Symbol>] the parts that are in use
      def enabled
        (@wanted || []).select { |part| @installed&.include?(part) }
      end

      # Restores Puppet's own code; {enable} replaces it again.
      #
      # @return [void]
      def disable
        @wanted = []
      end

      # Reports what was done natively in this process and what was not. For each part that had work:
      # `:native`, the number of native runs; `:left`, the number of runs left to Puppet, by reason; `:aside`,
      # the number of runs in which the part was inactive because a method was replaced, by method. Stubs of
      # tests are temporary; other replacements are reported once on standard error.
      #
      # @return [Hash{Symbol => Hash{Symbol => Object}}]
      def report
        Report.to_h
      end

      # @return [Boolean] whether a part is in use
      # @api private
      def enabled?(part)
        @wanted.include?(part)
      end

      private

      def parts_of_environment
        named = ENV['BUNRAKU_PUPPET']
        case named
        when nil, '', 'all' then PARTS
        when 'none' then []
        else named.split(',').map { |part| part.strip.to_sym }
        end
      end

      def install
        @installed ||= []
        (@wanted - @installed).each do |part|
          next unless Loading.loaded?(part)

          require_relative "drop_in/#{part}"
          const_get(part.capitalize).install
          @installed << part
        end
      end
    end

    # Waits until Puppet is loaded.
    #
    # @api private
    module Loading
      # The files at whose end everything that a part replaces is defined.
      LAST = { '/puppet/pops.rb' => 'Puppet', '/puppet/parser/compiler.rb' => 'Puppet::Parser::Compiler',
               '/puppet/interface.rb' => 'Puppet::Interface' }.freeze

      # @return [Boolean] whether everything that a part replaces is loaded
      def self.loaded?(part)
        case part
        when :compiler then compiler?
        when :face then face?
        else pops?
        end
      end

      # Calls the block whenever more of Puppet is loaded.
      def self.watch
        return if @watch

        waiting = LAST.size
        @watch = TracePoint.new(:end) do |point|
          file, name = LAST.find { |ending, _| point.path.end_with?(ending) }
          next unless file && point.self.name == name

          waiting -= 1
          @watch.disable if waiting.zero?
          yield
        end
        @watch.enable
      end

      def self.pops?
        !!defined?(::Puppet::Functions) && !!defined?(::Puppet::Pops::Validation::ValidatorFactory_4_0)
      end

      def self.compiler?
        !!defined?(::Puppet::Parser::Compiler) && ::Puppet::Parser::Compiler.method_defined?(:compile) && pops?
      end

      def self.face?
        !!defined?(::Puppet::Interface) && ::Puppet::Interface.respond_to?(:find_action) && pops?
      end
      private_class_method :pops?, :compiler?, :face?
    end
  end
end
