# frozen_string_literal: true

# Asks a reference about calls of the functions that stdlib has in Ruby, with arguments that are generated, and writes questions with their
# answers. The files of functions are asked with what is in them and written empty: that the module has them is all that the library
# looks at, but for the line of `deprecation` that warns, which the warning names.
#
#   ruby ask.rb SEED EACH 'COMMAND THAT SPEAKS THE PROTOCOL' > calls.jsonl

require 'json'
require 'open3'

STDLIB = '/usr/share/puppet/modules/stdlib'
POOL = ["''", "'a'", "'abc'", "'1'", "'-3.5'", "'true'", "'no'", "'/etc/motd'", "'C:/x'", "'10.0.0.1'", "'10.0.0.0/8'", "'::1'",
        "'www.example.com'", "'a@example.com'", "'a,b,c'", "'^a'", "'1 MB'", "'%d'", '0', '1', '-7', '3.75', 'true', 'false', 'undef',
        '[]', '[1, 2, 3]', "['a', 'b', 'c']", "['b', 'a', 'b']", "['x', undef, '']", '[[1, 2], [3, [4]]]', '{}', "{'a' => 1}",
        "{'a' => 1, 'b' => {'c' => [2]}}", "{'k' => undef}", 'Integer', "'Integer'", 'default', "Sensitive('s')", "'9.10.1'", "'12:00'"].freeze
# Arguments that say more about some functions: those of each place, of which so many are taken.
OWN = {
  'count' => [["['a','b','a']", "['', undef, 'x']", "{'a'=>1}", '[1,1.0,2]', "'aXbX'", '[]'], ["'a'", "'X'", '1', 'undef', "''", "'a-c'", "'^X'"]],
  'delete' => [["['a','b','a']", "'abcabc'", "{'a'=>1,'b'=>2}", '[1,1.0]', '1', 'undef'], ["'a'", "['a','b']", "'b.'", '1', 'undef', "''"]],
  'deprecation' => [["'k'", "'j'", '1'], ["'msg'", "'other'", '2']],
  'ensure_resources' => [["'notify'", "'file'", "'user'"], ["{'/a' => {}}", "{'/a' => {'owner' => 'x'}, '/b' => {}}", '{}'], ['{}', "{'tag' => 'q'}"]],
  'fqdn_rotate' => [["['a','b','c']", "'abcdef'", '[]', "'x'", '1', '[1,2,3,4]'], ['1', "'s'", '[1,2]', 'undef']],
  'getparam' => [["Notify['m']", "'Notify[m]'", "User['x']", "'m'"], ["'message'", "'name'", "''", "'nothing'", "'title'"]],
  'has_interface_with' => [["'eth0'", "'lo'", "'ipaddress'", "'macaddress'"], ["'10.0.0.1'", "'aa:bb'", 'undef', '1']],
  'is_mac_address' => [["'00:A:b:1:2:3'", "'00:00:00:00:00'", 'undef', '1', '"x\n0:0:0:0:0:0"', "'#{(['a'] * 20).join(':')}'"]],
  'range' => [["'1'", "'5'", '1', '9', "'a'", "'08'", "'1-4'", "'1...4'", "'a..c'"], ["'5'", '12', "'e'", "'host03'", '0', "'09'"], ['1', '2', '0']],
  'shell_split' => [["'a b'", "\"'a b' c\"", "'a \"b c\"d'", 'undef', '1', '[1,2]', '"\'"', "'   '", "'a # b'"]],
  'str2bool' => [["'YES'", "'undef'", '"x\n1"', 'undef', 'true', '1', '"a\n\nb"', "'Undefined'", "'off'", '[]']],
  'validate_legacy' => [['String', 'Integer', "'Integer'", 'Optional[String]', 'Stdlib::Absolutepath', 'Boolean'],
                        ["'validate_string'", "'validate_integer'", "'validate_re'", "'validate_absolute_path'", "'validate_bool'"], POOL]
}.freeze
# What differs each time, waits, or reads the machine.
LEFT_OUT = %w[shuffle time pw_hash fqdn_uuid load_module_metadata loadjson loadyaml loadmetadata validate_cmd stdlib::start_with private
              assert_private pry validate_augeas validate_x509_rsa_key_pair glob str2saltedsha512 has_ip_network has_ip_address].freeze
FACTS = { 'interfaces' => 'eth0,lo', 'ipaddress_eth0' => '10.0.0.1', 'ipaddress_lo' => '127.0.0.1', 'macaddress' => 'aa:bb' }.freeze

FILES = Dir.glob('{lib/puppet/{functions,parser/functions},lib/puppet_x,types}/**/*.{rb,pp}', base: STDLIB)
           .to_h { |file| ["modules/stdlib/#{file}", File.read(File.join(STDLIB, file))] }.freeze

# The line that warns, where it stands.
def warning_line(text)
  before, line, = text.partition(/^.*Puppet\.deprecation_warning\(.*\n/)
  line.empty? ? '' : "#{"\n" * before.count("\n")}#{line}"
end

# The files of a function, of those that it calls, and of the types that are named in them.
def needed(call, name)
  found = {}
  open = [name, *call.scan(/validate_\w+/)]
  while (one = open.shift)
    FILES.each do |file, text|
      next if found.key?(file) || !file.end_with?("/functions/#{one.gsub('::', '/')}.rb")

      found[file] = text
      open.concat(text.scan(/function_(\w+)|call_function\(:?'?([\w:]+)|Functions\.function\(:(\w+)/).flatten.compact)
    end
  end
  found.merge!(FILES.select { |file, _| file.include?('puppet_x') }) if found.values.any? { |text| text.include?('puppet_x') }
  texts = [call, *found.values]
  while (text = texts.shift)
    text.scan(/Stdlib(?:::\w+)+/) do |type|
      file = "modules/stdlib/types/#{type.split('::').drop(1).map(&:downcase).join('/')}.pp"
      texts << (found[file] = FILES[file]) if FILES.key?(file) && !found.key?(file)
    end
  end
  found.sort.to_h
end

random = Random.new(ARGV[0].to_i)
names = FILES.keys.filter_map { |file| file[%r{lib/puppet/(?:parser/)?functions/(.+)\.rb\z}, 1]&.gsub('/', '::') }.uniq.sort - LEFT_OUT
calls = names.flat_map do |name|
  own = OWN[name]
  Array.new(ARGV[1].to_i * (own ? 4 : 1)) do
    arguments = if own && random.rand < 0.75
                  own.take(random.rand(1..own.size)).map { |choice| choice.sample(random: random) }
                else
                  Array.new([1, 1, 2, 2, 3].sample(random: random)) { POOL.sample(random: random) }
                end
    [name, "#{name}(#{arguments.join(', ')})"]
  end.uniq
end
questions = calls.map do |name, call|
  source = "$x = #{call}\nnotice($x)\nnotice(type($x))\n"
  source = "notify{'m': message => 'hi'}\n#{source}" if name == 'getparam'
  question = { id: call, op: 'eval', source: source, files: needed(call, name), settings: { strict: %w[warning warning error off].sample(random: random) } }
  question[:facts] = random.rand < 0.5 ? FACTS : FACTS.merge('fqdn' => 'a.b') if random.rand < 0.5
  question
end
answers, = Open3.capture2(ARGV[2], stdin_data: questions.map { |question| "#{JSON.generate(question)}\n" }.join)
questions.zip(answers.lines) do |question, answer|
  files = question[:files].to_h { |file, text| [file, file.end_with?('.pp') ? text : warning_line(text)] }
  puts JSON.generate(question.merge(files: files, expect: JSON.parse(answer).except('id')))
end
