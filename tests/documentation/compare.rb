# frozen_string_literal: true

# Compares documentation with what puppet-strings writes and logs, over Debian's modules and made-up ones:
#
#     ruby tests/documentation/compare.rb [--generated COUNT] [--from SEED] [--show] [MODULE...]
#
# STRINGS names a source tree of puppet-strings, for another version than the installed one: Debian's is older
# than 5.0 and writes a few things otherwise.
$LOAD_PATH.unshift(File.expand_path('../../ruby-ext/lib', __dir__))
$LOAD_PATH.unshift(File.join(ENV['STRINGS'], 'lib')) if ENV['STRINGS']
require 'set'
require 'json'
require 'tmpdir'
require 'bunraku'
require 'puppet'
require 'puppet-strings'
require_relative 'generated'

take = ->(name, default) { (at = ARGV.index(name)) ? ARGV.slice!(at, 2).last.to_i : default }
count = take.call('--generated', ARGV.empty? ? 200 : 0)
from = take.call('--from', 1)
show = ARGV.delete('--show')
FORMATS = { json: 'json', markdown: 'md' }.freeze

# Returns what puppet-strings writes about a module, and its log. The process has only one registry.
def ask(path, format, file)
  log = "#{file}.log"
  Process.wait(fork do
    $stderr.reopen(File::NULL)
    $stdout.reopen(log)
    Dir.chdir(path)
    PuppetStrings.generate(PuppetStrings::DEFAULT_SEARCH_PATTERNS, format => true, path: file, yard_args: %w[--no-save --no-cache --no-stats])
    $stdout.flush
    exit!(0)
  end)
  [File.exist?(file) ? File.read(file) : '', File.read(log)]
ensure
  [file, log].each { |one| File.delete(one) if File.exist?(one) }
end

# Returns the entries of the log without syntax errors: their texts are Ruby's own, and failures report them.
def entries(log)
  all = log.split(/^(?=\[(?:warn|error)\]: )/).map(&:rstrip)
  all.grep(/\A\[/).grep_v(/\A\[(?:warn|error)\]: (?:Syntax error in|ParserSyntaxError|Stack trace|Failed to parse [^ ]+:)/)
end

def same_of(one, other)
  rest = other.tally
  one.count { |entry| rest.fetch(entry, 0).positive? && rest[entry] -= 1 }
end

equal = Hash.new(0)
kinds = Hash.new { |hash, kind| hash[kind] = [0, 0] }
logged = { same: 0, all: 0, ours: 0, modules: 0 }
names = []
failed = []
Dir.mktmpdir do |scratch|
  Puppet.initialize_settings(['--confdir', scratch, '--vardir', scratch])
  made = (from...(from + count)).map do |seed|
    File.join(scratch, "generated-#{seed}").tap { |path| Generated.new(seed).write(path) }
  end
  names = (ARGV.empty? ? Dir['/usr/share/puppet/modules/*'].sort : ARGV) + made
  names.each do |path|
    path = File.realpath(path)
    own = Bunraku.doc(path)
    FORMATS.each do |format, ending|
      reference, log = ask(path, format, File.join(scratch, "reference.#{ending}"))
      # Its page fails of some things, within Ruby.
      next failed << File.basename(path) if reference.empty?

      is_equal = reference == (format == :json ? "#{own.to_json}\n" : own.to_markdown)
      equal[format] += 1 if is_equal
      puts "#{File.basename(path)}: #{format} differs" unless is_equal
      next unless format == :json

      JSON.parse(reference).each do |kind, list|
        kinds[kind][0] += list.count { |entry| own.to_h[kind].include?(entry) }
        kinds[kind][1] += list.size
        list.each_with_index { |entry, at| puts "  < #{entry.inspect}", "  > #{own.to_h[kind][at].inspect}" unless own.to_h[kind].include?(entry) } if show
      end
      theirs = entries(log)
      ours = own.warnings.map { |one| "[#{one['severity'] == 'error' ? 'error' : 'warn'}]: #{one['message']}".rstrip }
      logged[:all] += theirs.size
      logged[:ours] += ours.size
      logged[:same] += same_of(theirs, ours)
      logged[:modules] += 1 if theirs == ours
      next if theirs == ours

      puts "#{File.basename(path)}: the log differs"
      (theirs - ours).each { |entry| puts "  < #{entry}" } if show
      (ours - theirs).each { |entry| puts "  > #{entry}" } if show
    end
  end
end
kinds.each { |kind, (same, all)| puts "#{kind}: #{same} of #{all}" }
puts "warnings: #{logged[:same]} of #{logged[:all]} (#{logged[:ours]} are told); all of them in order: #{logged[:modules]} of #{names.size} modules"
equal.each { |format, number| puts "#{format}: #{number} of #{names.size} modules, to the byte" }
puts "puppet-strings itself fails to write #{failed.size} pages" if failed.any?
exit(equal.values.sum + failed.size == names.size * FORMATS.size && logged[:modules] == names.size ? 0 : 1)
