# frozen_string_literal: true

# Asks the loaded Puppet the questions of `tests/data/conformance` with and without `bunraku/puppet`, and
# compares values, catalogs, exceptions with class, message and place, and logs:
#
#   ruby [-I TREE/lib] -I ruby-ext/lib tests/drop_in/vectors.rb [--every N] [--family NAME] [--strict LEVEL]
#
# Each text is parsed and validated, as `puppet parser validate` and `puppet parser dump` or `puppet epp` do,
# and compiled as the manifest of an environment. TREE is a source tree of Puppet or OpenVox to use instead of
# the installed one. The status is 1 if anything differs.
require 'json'
require 'optparse'
require 'tmpdir'
require 'zlib'
require 'puppet'
require 'puppet/face'
require 'bunraku/puppet'

options = { every: 1, families: %w[validation parser lexer epp issues evaluator catalog functions operators objects], strict: nil }
OptionParser.new do |parser|
  parser.on('--every N', Integer) { |number| options[:every] = number }
  parser.on('--family NAME') { |name| options[:families] = [name] }
  parser.on('--strict LEVEL') { |level| options[:strict] = level.to_sym }
end.parse!

LOGS = []
Puppet.initialize_settings
Puppet[:certname] = 'n.example.net'
Puppet::Util::Log.newdesttype(:list) do
  match 'List'
  define_method(:handle) { |entry| LOGS << [entry.level, entry.to_s, entry.file, entry.line, entry.pos, entry.issue_code, entry.source] }
end
Puppet::Util::Log.newdestination('List')

# A question, put to Puppet.
class Question
  def initialize(asked, directory, strict)
    @asked = asked
    @source = asked['source']
    @root = File.join(directory, 'production')
    @strict = strict
    FileUtils.rm_rf(@root)
    manifest = epp? ? "notice(epp('vectors/text.epp', #{literal(asked['params'] || {})}))" : @source
    files = { 'environment.conf' => "manifest = manifests/site.pp\n", 'manifests/site.pp' => manifest, 'modules/vectors/templates/text.epp' => @source }
    files.merge(asked['files'] || {}).each do |path, text|
      FileUtils.mkdir_p(File.dirname(File.join(@root, path)))
      File.binwrite(File.join(@root, path), text)
    end
  end

  # @return [Hash{Symbol => Object}] the answers
  def answers
    ways = epp? ? %i[epp_validate epp_dump compile] : %i[parse validate dump compile]
    ways.to_h { |way| [way, told { send(way) }] }
  end

  private

  def epp?
    @asked['op'] == 'epp' || @asked['epp']
  end

  # Data as the language writes it.
  def literal(value)
    case value
    when Hash then "{#{value.map { |key, inner| "#{literal(key)} => #{literal(inner)}" }.join(', ')}}"
    when Array then "[#{value.map { |inner| literal(inner) }.join(', ')}]"
    when String then "'#{value.gsub(/[\\']/) { |quoted| "\\#{quoted}" }}'"
    when nil then 'undef'
    else value.to_s
    end
  end

  def told
    LOGS.clear
    Puppet::Util::Warnings.clear_warnings
    # Puppet reports each deprecation only once.
    Puppet.clear_deprecation_warnings
    environments = Puppet::Environments::Directories.new(File.dirname(@root), Puppet[:basemodulepath].split(File::PATH_SEPARATOR))
    settings = { strict: @strict }.merge(@asked['settings'] || {}).compact.select { |name, _| Puppet.settings.valid?(name.to_sym) }
    before = settings.to_h { |name, _| [name, Puppet[name.to_sym]] }
    settings.each { |name, value| Puppet[name.to_sym] = value }
    Puppet.override(environments: environments) do
      Puppet.override(current_environment: environments.get(:production)) { [shown(yield), *logged] }
    end
  rescue SystemExit => e
    [:exit, e.status, *logged]
  rescue StandardError, ScriptError, SystemStackError => e
    [e.class, shown(e.message), *%i[file line pos issue_code].map { |name| e.respond_to?(name) ? e.send(name) : nil }, *logged]
  ensure
    before&.each { |name, value| Puppet[name.to_sym] = value }
  end

  # Replaces values that are new in every run, if they have the expected form.
  def shown(value)
    value.inspect.gsub(/0x\h+|@hash=-?\d+/, '').gsub(/"version"=>\d{10}\b/, '"version"=>N')
         .gsub(/\h{8}-\h{4}-4\h{3}-[89ab]\h{3}-\h{12}/, 'UUID').gsub(/after [\d.]+ seconds/, 'after N seconds')
  end

  def logged
    LOGS.map { |entry| shown(entry) }
  end

  def parse
    model = Puppet::Pops::Parser::EvaluatingParser.new.parse_string(@source.dup, '/m/site.pp')
    Puppet::Pops::Model::ModelTreeDumper.new.dump(model)
  end

  def validate
    Puppet::Face[:parser, :current].validate("#{@root}/manifests/site.pp").map { |file, error| [file, error.class, error.message, error.to_h] }
  end

  def dump
    Puppet::Face[:parser, :current].dump("#{@root}/manifests/site.pp", format: 'pn', validate: true)
  end

  def compile
    facts = { 'os' => { 'family' => 'Debian' } }.merge(@asked['facts'] || {})
    node = Puppet::Node.new('n.example.net', environment: Puppet.lookup(:current_environment), facts: Puppet::Node::Facts.new('n.example.net', facts))
    node.merge(facts)
    node.trusted_data = { 'authenticated' => 'local', 'certname' => 'n.example.net', 'extensions' => {}, 'hostname' => 'n', 'domain' => 'example.net' }
    catalog = Puppet::Parser::Compiler.compile(node)
    [catalog.to_data_hash, catalog.resources.map { |one| [one.ref, one.virtual, one.exported, one.kind, one.file, one.line, one.sensitive_parameters] }]
  end

  def epp_validate
    Puppet::Face[:epp, :current].validate(template)
  end

  def epp_dump
    Puppet::Face[:epp, :current].dump(template, format: 'pn', validate: true)
  end

  def template
    "#{@root}/modules/vectors/templates/text.epp"
  end
end

# Shows what differs of two answers.
def show(way, without, with)
  puts "  #{way}:"
  [without.size, with.size].max.times do |index|
    parts = [without, with].map { |answer| answer[index].inspect }
    next if parts.uniq.one?

    same = parts[0].chars.zip(parts[1].chars).take_while { |one, other| one == other }.size
    %w[without with].zip(parts) { |how, part| puts format('    %-8s…%s', how, part[[same - 40, 0].max, 400]) }
  end
end

differing = 0
asked = 0
Dir.mktmpdir do |directory|
  options[:families].each do |family|
    lines = Zlib::GzipReader.open(File.expand_path("../data/conformance/#{family}.jsonl.gz", __dir__)).each_line
    lines.each_with_index do |line, index|
      next unless (index % options[:every]).zero?

      vector = JSON.parse(line)
      next unless vector['source'].is_a?(String)

      asked += 1
      without, with = [false, true].map do |native|
        native ? Bunraku::DropIn.enable : Bunraku::DropIn.disable
        Question.new(vector, directory, options[:strict]).answers
      end
      # A way that is not installed has no result.
      ways = without.keys.reject { |way| without[way] == with[way] || without[way].first == LoadError }
      next if ways.empty?

      differing += 1
      puts "#{vector['id']}: #{vector['source'][0, 200].inspect}" if differing <= 40
      ways.each { |way| show(way, without[way], with[way]) } if differing <= 40
    end
    puts format('%-12s %5d asked, %d differ, %p', family, asked, differing, Bunraku::DropIn::Compiler.compiled)
    $stdout.flush
  end
end
exit differing.zero? ? 0 : 1
