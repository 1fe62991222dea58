# frozen_string_literal: true

# Compares bunraku's results for tasks with the installed Puppet (its TaskInformationService), for the tasks
# of Debian's modules and for generated ones: names, metadata, executables and files in their order, and the
# kind, text and details of errors. If --schema names the schema, the violations in metadata are compared with
# Python's jsonschema.
#
#   [OPENVOX_LIB=…/lib] ruby tests/tasks/compare.rb [--generated N] [--schema FILE] [--show N]
$LOAD_PATH.unshift(File.expand_path('../../ruby-ext/lib', __dir__))
require 'bunraku'
require 'fileutils'
require 'json'
require 'open3'
require 'optparse'
require 'tmpdir'

options = { generated: 600, show: 20 }
OptionParser.new do |parser|
  parser.on('--generated N', Integer)
  parser.on('--schema FILE')
  parser.on('--show N', Integer)
end.parse!(into: options)

# Makes modules with tasks, always the same ones.
class Generator
  NAMES = %w[init run stop_it a1 Upper with-dash 9th run.two].freeze
  ENDINGS = ['.sh', '.rb', '.ps1', '.py', '', '.conf', '.md', '.tar.gz'].freeze
  ANY = [nil, true, false, 0, 1, 1.5, -3, '', 'text', [], [1], ['a'], {}, { 'a' => 1 }, [[]], [nil]].freeze
  FILES = ['lib_one/files/a.txt', 'lib_one/files/dir/', 'lib_one/files/dir', 'lib_one/lib/x.rb', 'lib_one/manifests/init.pp', 'nowhere/files/x',
           'lib_one/files/gone', 'lib_one/files/a.txt/', 'lib_one/files/../files/a.txt', 'lib_one/files/./a.txt', 'lib_one/files//a.txt', 'lib_one',
           'lib_one/files', 'lib_one/files/', 'lib_one/scripts/s.sh', 'lib_one/tasks/', '', '/', 'lib_one/', 'lib_one/files/dir/.hidden',
           'lib_one/files/empty/', 'lib_one/files/dir//', 'lib_one/facts.d/f'].freeze
  TYPES = ['String', 'Integer[0]', 'Optional[String[1]]', 'Enum[a, b]', 'Nonsense[', 'Array[Integer]', ''].freeze

  def initialize(seed)
    @random = Random.new(seed)
  end

  def one_of(list)
    list.sample(random: @random)
  end

  def chance(share)
    @random.rand < share
  end

  # Usually returns a value of the right kind.
  def maybe(share = 0.93)
    chance(share) ? yield : one_of(ANY)
  end

  def parameters
    Array.new(@random.rand(3)) do
      name = one_of(%w[name count Wrong _x a-b ok2])
      [name, maybe { { 'type' => maybe { one_of(TYPES) }, 'description' => maybe { 'd' }, 'sensitive' => maybe { chance(0.5) }, 'default' => one_of(ANY) }.select { chance(0.6) } }]
    end.to_h
  end

  def files
    maybe { Array.new(@random.rand(3)) { maybe(0.97) { one_of(FILES.first(8) * 3 + FILES) } } }
  end

  def implementation(names)
    { 'name' => maybe(0.97) { one_of(names) }, 'requirements' => maybe { ['shell'] }, 'files' => files, 'input_method' => maybe { 'stdin' },
      'remote' => maybe { true } }.select { |key, _| key == 'name' || chance(0.4) }
  end

  def metadata(names)
    return one_of(['', '{', 'null', '[]', '3', '"x"', '{"a": 1, "a": 2}', "\xEF\xBB\xBF{}"]) if chance(0.06)

    JSON.generate({ 'description' => maybe { 'what it does' }, 'puppet_task_version' => maybe { 1 }, 'supports_noop' => maybe { true },
                    'remote' => maybe { chance(0.5) }, 'input_method' => maybe { one_of(%w[stdin environment both powershell telepathy]) },
                    'parameters' => maybe { parameters }, 'implementations' => maybe { Array.new(@random.rand(3)) { maybe(0.97) { implementation(names) } } },
                    'files' => files, 'private' => maybe { false }, 'extensions' => maybe { {} }, 'identifiers' => maybe { {} }, 'more' => 1 }
                    .select { |key, _| chance(key == 'implementations' ? 0.35 : 0.3) })
  end

  # Writes a module with up to four tasks.
  def write(directory)
    stems = NAMES.sample(1 + @random.rand(4), random: @random)
    files = stems.flat_map { |stem| Array.new([1, 1, 1, 2, 0].sample(random: @random)) { "#{stem}#{one_of(ENDINGS)}" } }.uniq
    FileUtils.mkdir_p("#{directory}/tasks/directory.sh")
    files.each { |file| File.write("#{directory}/tasks/#{file}", '#!') }
    stems.each { |stem| File.write("#{directory}/tasks/#{stem}.json", metadata(files + ['gone.sh'])) if chance(0.8) }
  end
end

def library(directory)
  %w[files/a.txt files/dir/b.txt files/dir/deep/c.txt files/dir/.hidden lib/x.rb scripts/s.sh tasks/init.sh manifests/init.pp facts.d/f].each do |file|
    FileUtils.mkdir_p(File.dirname("#{directory}/#{file}"))
    File.write("#{directory}/#{file}", '')
  end
  FileUtils.mkdir_p("#{directory}/files/empty")
end

# Removes the texts of Ruby and its JSON library about damaged input.
def plain(error)
  error = error.transform_keys(&:to_s)
  error['kind'] == 'puppet.tasks/unparseable-metadata' ? { 'kind' => error['kind'] } : error
end

def ours(environment)
  environment.tasks.to_h do |task|
    said = if task['error'] then { 'error' => plain(task['error']) }
           else { 'metadata' => task['metadata_file'] && task['metadata'], 'files' => task['executables'] + task['files'] }
           end
    said['wrong'] = true if task['violations']&.any?
    [task['name'], said]
  end
end

def reference(path)
  output, status = Open3.capture2('ruby', '-W0', File.join(__dir__, 'reference.rb'), path)
  abort 'the reference is not installed' unless status.success?
  JSON.parse(output)['tasks'].transform_values do |data|
    if data['raised'] then { 'raised' => data['raised'] }
    elsif data['error'] then { 'error' => plain(data['error']) }
    else data.slice('metadata', 'files')
    end
  end
end

# Returns the places at which each document violates the schema, according to Python's jsonschema. The schema
# ignores members of implementations beside their names, and reports a wrong name at the object that contains
# it.
def broken_places(file, documents)
  program = <<~PYTHON
    import json, sys, jsonschema
    check = jsonschema.Draft6Validator(json.load(open(sys.argv[1])))
    for line in sys.stdin:
        print(json.dumps(sorted({error.json_path for error in check.iter_errors(json.loads(line))})))
  PYTHON
  output, status = Open3.capture2('python3', '-W', 'ignore', '-c', program, file, stdin_data: documents.map { |one| "#{one.to_json}\n" }.join)
  abort "Python's jsonschema is not installed" unless status.success?
  output.lines.map { |line| JSON.parse(line) }
end

def places(violations)
  own = violations.map { |one| one['message'].start_with?('the name does not') ? '$.parameters' : one['path'] }
  own.reject { |path| path.match?(/\A\$\.implementations\[\d+\]\.(remote|input_method|requirements\[|files\[)/) }.uniq.sort
end

failed = false
Dir.mktmpdir do |made|
  made = File.realpath(made)
  modules = "#{made}/production/modules"
  library("#{modules}/lib_one")
  options[:generated].times { |number| Generator.new(number).write("#{modules}/m#{number}") }
  { 'generated' => [], 'Debian\'s' => %w[/usr/share/puppet/modules] }.each do |name, more|
    own = ours(Bunraku::Environment.new('production', environmentpath: made, modulepath: [modules] + more))
    theirs = reference(made)
    own, theirs = [own, theirs].map { |all| all.select { |task, _| task.match?(/\A(m\d+|lib_one)(::|\z)/) == more.empty? } }
    raised = theirs.select { |_, data| data['raised'] }
    differing = (own.keys | theirs.keys).reject { |task| own[task]&.except('wrong') == theirs[task] || raised.key?(task) && (own[task]&.key?('error') || own[task]&.key?('wrong')) }
    puts "#{name} tasks: #{theirs.size} (#{theirs.count { |_, data| data['error'] }} with errors of #{theirs.values.filter_map { |data| data.dig('error', 'kind') }.uniq.size} kinds, " \
         "#{raised.size} at which the reference fails within Ruby), #{differing.size} differ"
    differing.first(options[:show]).each { |task| puts "  #{task}", "    ours:   #{own[task].to_json[0, 400]}", "    theirs: #{theirs[task].to_json[0, 400]}" }
    failed ||= differing.any?
  end
  if options[:schema]
    environment = Bunraku::Environment.new('production', environmentpath: made, modulepath: [modules])
    asked = environment.tasks.select { |task| task['violations'] && task['metadata_file'] }
    expected = broken_places(options[:schema], asked.map { |task| task['metadata'] })
    wrong = asked.zip(expected).reject { |task, wanted| places(task['violations']) == wanted }
    puts "schema: #{asked.size} documents, #{expected.count(&:any?)} break it at #{expected.sum(&:size)} places, #{wrong.size} judged otherwise"
    wrong.first(options[:show]).each { |task, wanted| puts "  #{task['metadata'].to_json[0, 300]}", "    #{task['violations'].to_json[0, 300]}, not #{wanted}" }
    failed ||= wrong.any?
  end
end
exit(failed ? 1 : 0)
