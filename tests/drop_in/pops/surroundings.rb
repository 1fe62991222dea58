# frozen_string_literal: true

require 'bunraku/pops'

# The parts of Puppet around types and data that specs name: a node, an environment, loaders, a parser.
module Puppet
  module Surroundings
    class << self
      def reset
        @settings&.fetch(:environmentpath)&.then { |path| FileUtils.rm_rf(path) }
        @settings = { environmentpath: Dir.mktmpdir('bunraku-pops') }
        @context = [{}]
        Bunraku::Pops.registered.clear
        Bunraku::Pops.on_loss = nil
      end

      attr_reader :settings, :context
    end
  end

  class << self
    def [](name)
      Surroundings.settings[name]
    end

    def []=(name, value)
      Surroundings.settings[name] = value
      Bunraku::Pops.on_loss = (Util::Log.method(:add) if value == :warning) if name == :strict
    end

    def push_context(values, _text = nil)
      Surroundings.context.push(Surroundings.context.last.merge(values))
    end

    def pop_context
      Surroundings.context.pop
    end

    def override(values, text = nil)
      push_context(values, text)
      yield
    ensure
      pop_context
    end

    def lookup(name)
      return Struct.new(:clear_all).new(nil) if name == :environments

      Surroundings.context.last.fetch(name) { Pops::Loaders.new(nil) }
    end
  end

  module Util
    # Collects warnings.
    module Log
      Entry = Struct.new(:level, :message)

      class << self
        def with_destination(collector)
          @entries = collector.entries
          yield
        end

        def add(message, level = :warning)
          @entries << Entry.new(level, message)
        end
      end
    end
  end

  module Test
    LogCollector = Struct.new(:entries)
  end

  module Parser
    # Compiles the code of the settings.
    class Compiler
      def initialize(_node); end

      def compile
        settings = { strict: Surroundings.settings[:strict] || 'error' }
        environment = Bunraku::Environment.new('testing', code: Surroundings.settings[:code], modulepath: [], settings: settings)
        environment.compile(node: 'foonode').logs.each { |log| Util::Log.add(log[:message], log[:level]) }
      rescue Bunraku::Error => e
        raise Puppet::Error, e.message
      end
    end
  end

  class Node
    attr_reader :name, :environment

    def initialize(name, environment: nil, **)
      @name = name
      @environment = environment
    end

    def directory
      path = environment&.modulepath&.first
      path && File.dirname(path)
    end

    Environment = Struct.new(:name, :modulepath) do
      def self.create(name, path)
        new(name, path)
      end
    end
  end

  module Pops
    module Loader
      TypedName = Struct.new(:type, :name, :name_authority)

      # Knows the types that were added to it.
      class BaseLoader
        def initialize(*)
          @types = {}
        end

        def load(_type, name)
          @types[name.downcase]
        end

        def set_entry(name, type)
          @types[name.name.downcase] = type
        end
        alias add_entry set_entry
      end
    end

    class Loaders
      attr_reader :implementation_registry

      def initialize(_environment)
        @loader = Loader::BaseLoader.new
      end

      def find_loader(_name)
        @loader
      end
      alias puppet_system_loader find_loader

      def self.find_loader(_name)
        Puppet.lookup(:loaders).find_loader(nil)
      end
    end

    module Parser
      class EvaluatingParser
        def parse_string(text, file = nil)
          Bunraku.parse(text, path: file)
        end
      end
    end

    module Model
      class ModelTreeDumper; end
    end
  end
end
