# frozen_string_literal: true

require 'json'

require_relative 'drop_in/report'
require_relative 'syntax'

module Bunraku
  # Takes slow paths of a Puppet or OpenVox over, without any change to what it answers.
  #
  # Manifests and templates that are right are parsed and validated natively, types are read once, and
  # catalogs are compiled natively, with functions and templates in Ruby on Puppet's own classes. Whenever
  # there is anything to say about a text, be it an error or a warning, and whenever a compilation fails,
  # Puppet's own code runs instead, so that its exceptions, messages and logs are the ones that everybody
  # knows.
  #
  # Catalogs are Puppet's own objects. Their resources are made when somebody touches them: whoever only wants
  # the document (`to_json`, `to_data_hash`, MessagePack), or sorts out what is virtual, has it straight from
  # the library.
  #
  # Each part stands aside as long as a tool or a test has replaced methods that it stands for. The
  # environment variable `BUNRAKU_PUPPET` chooses parts: `BUNRAKU_PUPPET=parser`, `BUNRAKU_PUPPET=none`.
  # {report} tells what was done natively, and `BUNRAKU_PUPPET_REPORT=1` has it told on standard error when
  # the process ends (a path: at the end of that file, as JSON).
  module DropIn
    # What there is to be taken over, in the order in which it is. Compilations call Ruby back, which the
    # extension alone can.
    PARTS = (%i[parser validation face types] + (Bunraku.const_defined?(:Library) ? [] : %i[compiler])).freeze

    class << self
      # Takes parts over, now or when Puppet is loaded.
      #
      # @param parts [Array<Symbol>] some of {PARTS}; those that `BUNRAKU_PUPPET` names, or all, if not given
      # @return [void]
      # @raise [ArgumentError] a part that there is not
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

      # Gives everything back to Puppet; {enable} takes it again.
      #
      # @return [void]
      def disable
        @wanted = []
      end

      # What was done natively in this process, and what was not. Of each part that had something to do:
      # `:native`, how often it did it; `:left`, how often it was left to Puppet, by reason; `:aside`, how
      # often the part stood aside as somebody had replaced a method, by method. Stubs of tests come and go;
      # other replacements are told once on standard error.
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

    # Waits for Puppet being loaded.
    #
    # @api private
    module Loading
      # The files whose ends show that all is there that parts take over, and what ends there.
      LAST = { '/puppet/pops.rb' => 'Puppet', '/puppet/parser/compiler.rb' => 'Puppet::Parser::Compiler',
               '/puppet/interface.rb' => 'Puppet::Interface' }.freeze

      # @return [Boolean] whether all is there that a part takes over
      def self.loaded?(part)
        case part
        when :compiler then compiler?
        when :face then face?
        else pops?
        end
      end

      # Calls the block whenever more of Puppet is there.
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
