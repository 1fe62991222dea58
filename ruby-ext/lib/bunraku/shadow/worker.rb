# frozen_string_literal: true

# A process in which the installed Puppet compiles nodes. The first line of the input is a JSON object with
# `arguments` (Puppet's options) and `environment`. The process answers with its version and settings. Each
# further line is a node with `name` and `facts`. The answer has `catalog` or `error`, `logs`, `seconds`, and
# the `node` as Puppet knows it: classes, parameters, trusted, server_facts and environment.
require 'json'
require 'puppet'
require 'puppet/indirector/catalog/compiler'

# Puppet's own messages are part of the answer.
module Bunraku
  # Puppet's side.
  class ShadowWorker
    # Puppet's settings for the paths of code and data.
    PLACES = %i[environmentpath basemodulepath hiera_config].freeze

    def initialize(given, out)
      @out = out
      @logs = logs = []
      Puppet.initialize_settings(given.fetch('arguments'))
      assert_known(given.fetch('arguments'))
      Puppet::Util::Log.newdesttype(:shadow) do
        match 'Shadow'
        define_method(:handle) { |entry| logs << entry }
      end
      Puppet::Util::Log.newdestination('Shadow')
      Puppet::Util::Log.level = :notice
      Puppet::ApplicationSupport.push_application_context(Puppet::Util::RunMode[:server]) if defined?(Puppet::ApplicationSupport)
      @environment = given['environment'] || Puppet[:environment]
      tell(hello)
    end

    def answer(asked)
      @logs.clear
      environment = Puppet.lookup(:environments).get!(@environment)
      node = node_of(asked, environment)
      known = described(node)
      @logs.clear
      began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      result = compiled(node)
      tell(result.merge(name: asked['name'], node: known, seconds: Process.clock_gettime(Process::CLOCK_MONOTONIC) - began, logs: logged(node)))
    rescue StandardError, ScriptError => e
      tell(name: asked['name'], error: e.message, logs: [], seconds: 0, node: nil)
    end

    private

    # Puppet itself ignores unknown options.
    def assert_known(arguments)
      names = arguments.map { |argument| argument[/\A--(?:no-)?([\w-]+)/, 1] }.compact
      unknown = names.reject { |name| Puppet.settings.valid?(name.tr('-', '_').to_sym) }
      abort "Puppet has no option --#{unknown.first}" unless unknown.empty?
    end

    def compiled(node)
      Puppet.override(current_environment: node.environment) do
        catalog = Puppet::Parser::Compiler.compile(node).filter(&:virtual?)
        { catalog: Puppet.override(rich_data: node.environment.rich_data?) { catalog.to_json } }
      end
    rescue StandardError, ScriptError, SystemStackError => e
      { error: e.message }
    end

    # Puppet's node terminus, which may be an external node classifier, returns the classes and parameters.
    def node_of(asked, environment)
      facts = Puppet::Node::Facts.new(asked['name'], asked['facts'])
      node = Puppet::Node.indirection.find(asked['name'], environment: environment, facts: facts, ignore_cache: true)
      node.environment ||= environment
      node.instance_variable_set(:@facts, facts) unless node.facts
      # Some node terminuses have already done this.
      node.merge(facts.values) unless facts.values.all? { |name, value| node.parameters[name] == value }
      node.trusted_data = asked['trusted'] || trusted(asked['name'])
      node.add_server_facts(server_facts)
      node
    end

    # Returns the server facts of the compiler's terminus.
    def server_facts
      @server_facts ||= Puppet::Resource::Catalog::Compiler.new.instance_variable_get(:@server_facts)
    end

    def trusted(name)
      host, domain = name.split('.', 2)
      { 'authenticated' => 'remote', 'certname' => name, 'extensions' => {}, 'hostname' => host, 'domain' => domain, 'external' => {} }
    end

    def described(node)
      classes = node.classes.is_a?(Hash) ? node.classes : node.classes.to_h { |name| [name, nil] }
      { environment: node.environment.name.to_s, classes: classes, trusted: node.trusted_data, server_facts: node.server_facts,
        parameters: node.parameters.transform_keys(&:to_s).reject { |name, value| name == 'environment' || node.facts.values[name] == value },
        facts: node.facts.values }
    end

    def logged(node)
      entries = @logs.reject { |entry| entry.level == :err && entry.message.include?(node.name) }
      entries.map { |entry| { level: entry.level, message: entry.message, file: entry.file, line: entry.line } }
    end

    def hello
      names = Puppet.settings.each.map(&:first) - [:name]
      settings = names.to_h { |name| [name, plain(Puppet.settings.value(name, @environment.to_sym))] }
      { version: Puppet.version, settings: settings.compact, places: PLACES.to_h { |name| [name, Puppet[name].to_s] } }
    end

    def plain(value)
      case value
      when nil, true, false, Integer, String then value
      when Float then value.finite? ? value : nil
      when Array then value.map { |inner| plain(inner) }
      when Hash then value.to_h { |name, inner| [name.to_s, plain(inner)] }
      else value.to_s
      end
    end

    def tell(answer)
      @out.puts(JSON.generate(answer))
      @out.flush
    end
  end
end

# The output of modules must not mix with the answers.
answers = $stdout.dup
$stdout.reopen($stderr)
worker = Bunraku::ShadowWorker.new(JSON.parse($stdin.gets), answers)
$stdin.each_line { |line| worker.answer(JSON.parse(line)) }
