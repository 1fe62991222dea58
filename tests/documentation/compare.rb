# frozen_string_literal: true

# Compares documentation with what puppet-strings writes, over installed modules: ruby tests/documentation/compare.rb [MODULE...]
# Needs the gem built, and puppet-strings (Debian's package is older and writes a few things otherwise: 5.0 was compared with).
$LOAD_PATH.unshift(File.expand_path('../../ruby-ext/lib', __dir__))
require 'set'
require 'json'
require 'tmpdir'
require 'bunraku'
require 'puppet'
require 'puppet-strings'

modules = ARGV.empty? ? Dir['/usr/share/puppet/modules/*'].sort : ARGV
formats = { json: 'json', markdown: 'md' }
equal = Hash.new(0)
entries = Hash.new { |hash, kind| hash[kind] = [0, 0] }
Dir.mktmpdir do |scratch|
  Puppet.initialize_settings(['--confdir', scratch, '--vardir', scratch])
  modules.each do |path|
    path = File.realpath(path)
    own = Bunraku.doc(path)
    formats.each do |format, ending|
      file = File.join(scratch, "reference.#{ending}")
      # Its registry is one for the process.
      Process.wait(fork do
        $stderr.reopen(File::NULL)
        $stdout.reopen(File::NULL)
        Dir.chdir(path)
        PuppetStrings.generate(PuppetStrings::DEFAULT_SEARCH_PATTERNS, format => true, path: file, yard_args: %w[--no-save --no-cache])
        exit!(0)
      end)
      reference = File.read(file)
      is_equal = reference == (format == :json ? "#{own.to_json}\n" : own.to_markdown)
      equal[format] += 1 if is_equal
      puts "#{File.basename(path)}: #{format} differs" unless is_equal
      next unless format == :json

      JSON.parse(reference).each do |kind, list|
        entries[kind][0] += list.count { |entry| own.to_h[kind].include?(entry) }
        entries[kind][1] += list.size
      end
    end
  end
end
entries.each { |kind, (same, all)| puts "#{kind}: #{same} of #{all}" }
equal.each { |format, count| puts "#{format}: #{count} of #{modules.size} modules, to the byte" }
exit(equal.values.all?(modules.size) ? 0 : 1)
