# frozen_string_literal: true

# The work of an embedder on JRuby, with the example's environment: parses, validates, compiles and looks up
# on several threads. Prints a line for each step; the exit status is 0 if all results are right. Written for
# Ruby 2.6, the version of JRuby 9.3.
require 'bunraku'
require 'json'

EXAMPLE = File.expand_path('../example/environments', __dir__)
NODE = 'web01.example.net'
FACTS = JSON.parse(File.read(File.join(EXAMPLE, "production/spec/facts/#{NODE}.json")))
GOLDEN = JSON.parse(File.read(File.join(EXAMPLE, 'production/spec/golden/web01.catalog.json')))

def check(what)
  return puts("ok: #{what}") if yield

  puts "WRONG: #{what}"
  @wrong = true
end

def resources(catalog)
  catalog['resources'].map { |one| [one['type'], one['title'], one['parameters']] }
end

puts "#{RUBY_ENGINE} #{RUBY_ENGINE_VERSION}, library #{Bunraku.__send__(:native_version)}"
paths = Dir[File.join(EXAMPLE, '**/*.{pp,epp}')].sort
programs = Bunraku.parse_files(paths, threads: 4)
check("#{paths.size} files are parsed, in order") { programs.map(&:path) == paths }
check('the binary form comes back the same') do
  programs.all? { |program| Bunraku::Program.from_binary(program.to_binary).to_h == program.to_h }
end
check('nodes tell their text') { programs.all? { |program| program.each.all? { |node| node.source_text.is_a?(String) && node.line.positive? } } }
check('errors have their place') do
  begin
    Bunraku.parse("class a {\n  $x =\n}", path: 'a.pp')
  rescue Bunraku::ParseError => e
    [e.file, e.line, e.column] == ['a.pp', 3, 1]
  end
end
check('the validator speaks') { Bunraku.validate('class a(Integer $b, $b) { }').map(&:issue_code) == ['DUPLICATE_PARAMETER'] }
type = Bunraku::Type.parse('Struct[{port => Integer[1, 65535]}]')
check('types tell instances') { type.instance?('port' => 80) && !type.instance?('port' => 0) }
check('types make values') { Bunraku::Type.parse('Integer').new('0x1f', 16) == 31 }
environment = Bunraku::Environment.new('production', environmentpath: EXAMPLE)
catalogs = Array.new(4) { Thread.new { environment.compile(node: NODE, facts: FACTS) } }.map(&:value)
check("#{catalogs.size} threads compile the catalog that the reference compiles") do
  catalogs.all? { |catalog| resources(JSON.parse(catalog.to_json)) == resources(GOLDEN) }
end
check('catalogs have resources and edges') { catalogs.first['Class[main]'] && catalogs.first.edges.size == GOLDEN['edges'].size }
check('data is looked up') { environment.lookup('no::such::key', node: NODE, facts: FACTS, default: 3) == 3 }
check('what fails says where') do
  begin
    Bunraku::Environment.new('production', modulepath: [], code: "\nfail('no')").compile(node: 'n')
  rescue Bunraku::EvaluationError => e
    e.line == 2
  end
end
check('functions of a host call lambdas and functions') do
  environment = Bunraku::Environment.new('production', modulepath: [], code: "notice(twice(20) |$n| { $n * 2 })") do |host|
    host.function('twice', 'Callable[Integer, Callable[Integer]]') do |call, number|
      [call.yield(number), call.call_function('join', ['a', 'ä'], '-'), call.block?]
    end
  end
  environment.compile(node: 'n').logs.map { |entry| entry[:message] } == ['[40, a-ä, true]']
end
exit @wrong ? 1 : 0
