#!/usr/bin/env ruby
# frozen_string_literal: true

# Compiles the cases with the reference and prints where its output differs from what the files `*.out` say.
#
#   ruby -I OPENVOX/lib tests/cases/ask.rb [NAME…]      (without -I: the Puppet that is installed)

require 'fileutils'
require 'json'
require 'set'
require 'tmpdir'
require 'puppet'

ALWAYS = ['Stage[main]', 'Class[Settings]', 'Class[main]'].freeze
NODE = 'web01.example.net'

# Compiles one case in a directory of its own.
class Question
  def initialize(text, root)
    @text = text
    @root = root
    @directory = File.join(root, 'environments', 'production')
    @facts = {}
    @settings = {}
  end

  def answer
    lay_out
    logs = []
    Puppet.initialize_settings(["--confdir=#{@root}", "--vardir=#{@root}/var", '--environment=production'])
    @settings.each { |name, value| Puppet[name.to_sym] = value }
    destination = Puppet::Util::Log.newdestination(Collector.new(logs))
    outcome = begin
      compile
    rescue Puppet::Error => e
      "error: #{plain(e.message)}\n"
    ensure
      Puppet::Util::Log.close_all
      destination
    end
    logs.map { |log| "#{log.level}: #{log.source}: #{plain(log.message)}#{place(log.file, log.line)}\n" }.join + outcome
  end

  private

  def lay_out
    path = 'manifests/site.pp'
    texts = Hash.new { |all, name| all[name] = +'' }
    texts[path]
    @text.each_line do |line|
      header(line.chomp)
      line =~ /\A# -- (.*) --$/ ? path = Regexp.last_match(1) : texts[path] << line
    end
    texts.each do |name, text|
      file = File.join(@directory, name)
      FileUtils.mkdir_p(File.dirname(file))
      File.write(file, text)
    end
  end

  def header(line)
    case line
    when /\A#: facts (.*)/ then @facts.merge!(JSON.parse(Regexp.last_match(1)))
    when /\A#: setting (\w+)=(.*)/ then @settings[Regexp.last_match(1)] = Regexp.last_match(2)
    end
  end

  def compile
    environments = Puppet::Environments::Directories.new(File.dirname(@directory), [])
    Puppet.override(environments: environments) do
      environment = environments.get(:production)
      node = Puppet::Node.new(NODE, environment: environment, facts: Puppet::Node::Facts.new(NODE, @facts))
      node.merge(@facts)
      node.trusted_data = Puppet::Context::TrustedInformation.new('local', NODE, {}).to_h
      catalog = Puppet::Parser::Compiler.compile(node)
      contents = contents(catalog)
      refuse_cycles(catalog.to_ral.relationship_graph)
      contents
    end
  end

  def refuse_cycles(graph)
    cycles = graph.find_cycles_in_graph
    return if cycles.empty?

    paths = cycles.map { |cycle| "(#{graph.paths_in_cycle(cycle, 1).first.join(' => ')})" }
    raise Puppet::Error, "Found #{cycles.size} dependency cycle:\n#{paths.join("\n")}"
  end

  def contents(catalog)
    shown = catalog.resources.reject { |resource| ALWAYS.include?(resource.ref) }
    shown.map do |resource|
      # What has no place in the document of a catalog: the title once more.
      told = resource.to_data_hash['parameters'] || {}
      parameters = resource.to_hash.select { |name, _| told.key?(name.to_s) }.map do |name, value|
        value = Puppet::Pops::Types::PSensitiveType::Sensitive.new(value) if resource.sensitive_parameters.include?(name)
        "  #{name} => #{text(value)}\n"
      end
      "#{'@@' if resource.exported}#{resource.ref}#{place(resource.file, resource.line)}\n#{parameters.join}"
    end.join
  end

  def text(value)
    case value
    when Array then "[#{value.map { |one| text(one) }.join(', ')}]"
    when Hash then "{#{value.map { |key, one| "#{text(key)} => #{text(one)}" }.join(', ')}}"
    when String then value.inspect
    when nil, :undef then 'undef'
    when Puppet::Pops::Types::PSensitiveType::Sensitive then value.inspect
    else value.to_s
    end
  end

  def plain(text)
    text.gsub("#{@directory}/", '')
  end

  def place(file, line)
    file ? "  # #{plain(file)}#{":#{line}" if line}" : ''
  end
end

# Keeps what is logged.
class Collector
  def initialize(logs)
    @logs = logs
  end

  def <<(log)
    @logs << log unless log.level == :err # the failure itself
  end
end

Puppet::Util::Log.newdesttype :collector do
  match 'Collector'

  def initialize(collector)
    @collector = collector
  end

  def handle(log)
    @collector << log
  end
end

# An error's text without the node, the environment and the place of a cycle, which the library keeps apart.
def without_frame(text)
  text.gsub(/ on node #{NODE}$/, '').sub('Could not parse for environment production: ', '').gsub(/(\]\)) \(file: .*/, '\1')
end

# A process for each case: the reference keeps some of what it has read.
def ask(name)
  reader, writer = IO.pipe
  child = fork do
    Dir.mktmpdir do |root|
      writer.write(Question.new(File.read(File.join(__dir__, "#{name}.pp")), root).answer)
    end
  end
  writer.close
  answer = reader.read
  Process.wait(child)
  answer
end

names = ARGV.empty? ? Dir[File.join(__dir__, '*.pp')].map { |file| File.basename(file, '.pp') }.sort : ARGV
same, differ = names.partition do |name|
  wanted = File.join(__dir__, "#{name}.out")
  answer = ask(name)
  next true if without_frame(answer) == without_frame(File.read(wanted))

  puts "#{name} differs (-: the file, +: the reference)"
  IO.popen(['diff', '-U0', wanted, '-'], 'r+') do |io|
    io.write(answer)
    io.close_write
    puts io.read.lines.drop(2)
  end
end
puts "#{same.size + differ.size} cases, #{differ.size} differ"
exit(differ.empty? ? 0 : 1)
