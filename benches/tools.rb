# frozen_string_literal: true

# Times operations of tools on manifests, compared with the reference: `make bench-tools`. CPU seconds of this
# process, the median of some rounds, both sides on the same files in one run. Arguments: directories with
# manifests (by default Debian's modules), of which up to FILES (300) files that the reference can parse are
# used. OPENVOX_LIB is the `lib` of another Puppet than the installed one.
$LOAD_PATH.unshift(ENV['OPENVOX_LIB']) if ENV['OPENVOX_LIB']
require 'set'
require 'puppet'
require 'puppet/pops'
require 'bunraku'
require_relative 'timing'

ROUNDS = 5
WALKS = 10

# Manifests that both sides can parse.
class Corpus
  attr_reader :files

  def initialize(directories, limit)
    parser = Puppet::Pops::Parser::Parser.new
    @files = {}
    # Debian's modules are links, which the first ** does not follow.
    Dir.glob(directories.flat_map { |directory| ["#{directory}/**/*.pp", "#{directory}/*/**/*.pp"] }).uniq.sort.each do |path|
      break if @files.size >= limit

      text = File.read(path, encoding: 'UTF-8')
      parser.parse_string(text, path)
      Bunraku.parse(text, path: path)
      @files[path] = text
    rescue Puppet::ParseError, Bunraku::Error, ArgumentError
      next
    end
  end

  def bytes
    files.each_value.sum(&:bytesize)
  end

  def parse_reference
    parser = Puppet::Pops::Parser::Parser.new
    files.map { |path, text| parser.parse_string(text, path).model }
  end

  def parse
    files.map { |path, text| Bunraku.parse(text, path: path) }
  end
end

# The two sides of a line, and how many times as fast the second is.
def line(what, reference, own, wanted = nil)
  puts format("%-64s %9.4f s %9.4f s %7.1f x%s", what, reference, own, reference / own, wanted && "   (wanted: #{wanted} x)")
end

def walk_reference(programs)
  programs.each { |program| program._pcore_all_contents([]) { |node| yield(node) } }
end

corpus = Corpus.new(ARGV.empty? ? ['/usr/share/puppet/modules'] : ARGV, Integer(ENV.fetch('FILES', '300')))
reference = corpus.parse_reference
own = corpus.parse
nodes = [0, 0]
walk_reference(reference) { nodes[0] += 1 }
own.each { |program| program.walk { nodes[1] += 1 } }
puts "#{corpus.files.size} files, #{corpus.bytes / 1024} KiB, nodes: #{nodes[0]} of the reference, #{nodes[1]} of bunraku"
puts "Puppet #{Puppet.version}, Ruby #{RUBY_VERSION}", ''
puts format('%-64s %11s %11s', '', 'reference', 'bunraku')

line('parse', Timing.median(3) { corpus.parse_reference }, Timing.median(ROUNDS) { corpus.parse })
line('walk all nodes', Timing.median(ROUNDS) { walk_reference(reference) { |_| nil } },
     Timing.median(ROUNDS) { own.each { |program| program.walk { |_| nil } } })
placed = Class.new do
  # Objects that are not in the text have no place.
  def self.look(node)
    return unless node.respond_to?(:offset)

    node.offset
    node.length
  end
end
read = lambda do |node|
  node.offset
  node.length
end
line('walk all nodes, two attributes of each',
     Timing.median(ROUNDS) { walk_reference(reference) { |node| placed.look(node) } },
     Timing.median(ROUNDS) { own.each { |program| program.walk(&read) } }, 2)
line('walk all nodes, with what stands directly below each',
     Timing.median(ROUNDS) { walk_reference(reference) { |node| node._pcore_contents { |_| nil } } },
     Timing.median(ROUNDS) { own.each { |program| program.walk { |node| node.children.each { |_| nil } } } })
line("parse, and walk #{WALKS} times",
     Timing.median(3) { corpus.parse_reference.tap { |programs| WALKS.times { walk_reference(programs) { |_| nil } } } },
     Timing.median(ROUNDS) { corpus.parse.tap { |programs| WALKS.times { programs.each { |program| program.walk { |_| nil } } } } }, 10)
line("parse, and walk #{WALKS} times with two attributes",
     Timing.median(3) { corpus.parse_reference.tap { |programs| WALKS.times { walk_reference(programs) { |node| placed.look(node) } } } },
     Timing.median(ROUNDS) do
       corpus.parse.tap do |programs|
         WALKS.times { programs.each { |program| program.walk(&read) } }
       end
     end)

# The titles of files, as a linter searches for them.
titles = lambda do |node|
  node.bodies.map(&:title) if node.is_a?(Puppet::Pops::Model::ResourceExpression) && node.type_name.respond_to?(:value) && node.type_name.value == 'file'
end
query = Bunraku::Query.new('(ResourceExpression type_name: (QualifiedName value: "file") bodies: (ResourceBody title: _ @title))')
line('titles of all files, by a query',
     Timing.median(ROUNDS) { walk_reference(reference, &titles) }, Timing.median(ROUNDS) { query.matches_of(own, threads: 1) })

# The memory of a process that holds the corpus, in multiples of its text: measured in children, which start
# without it.
def resident
  GC.start
  File.read('/proc/self/status')[/^VmRSS:\s*(\d+)/, 1].to_i * 1024
end

def held(corpus)
  reader, writer = IO.pipe
  pid = fork do
    reader.close
    GC.start
    before = resident
    kept = yield
    writer.puts resident - before
    writer.puts kept.size
    exit!(0)
  end
  writer.close
  grown = reader.gets.to_i
  Process.wait(pid)
  grown.fdiv(corpus.bytes)
end

puts
own = reference = nil
many = corpus.files.to_a * 10
many_bytes = Struct.new(:bytes).new(corpus.bytes * 10)
parsed = -> { many.map { |path, text| Bunraku.parse(text, path: path) } }
puts format('memory of programs that are held: %.1f times their text (wanted: 5)', held(many_bytes, &parsed))
puts format('with every node held: %.1f times (wanted: 9)', held(many_bytes) { parsed.call.map { |program| program.walk.to_a } })
