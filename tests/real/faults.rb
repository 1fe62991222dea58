# frozen_string_literal: true

# Asks the reference whether planted faults make compilations fail:
#
#   SEEDED_DUMP=DIR cargo test -p conform --test checks planted_faults_are_found
#   OPENVOX_LIB=... ruby faults.rb DIR [COUNT]
#
# DIR contains faults in the golden environments that fail here. The reference compiles COUNT of them, spread
# over all. A fault is proven if a case fails that compiled before. Prints the faults that are not proven, and
# their number.
require 'fileutils'
require 'json'
require 'tmpdir'

ROOT = File.expand_path('../data/environments', __dir__)
# Replaces the PuppetDB terminus if PuppetDB is not installed.
TERMINUS = File.expand_path('../../benches/no_terminus', __dir__)
directory, count = ARGV
files = Dir[File.join(directory, '*.json')].sort
step = [files.size / (count || 25).to_i, 1].max
sample = files.each_slice(step).map(&:first)

def ok(index)
  JSON.parse(File.read(index)).to_h { |one| [one['case'], one['ok']] }
end

proven = sample.count do |file|
  fault = JSON.parse(File.read(file))
  Dir.mktmpdir do |work|
    FileUtils.cp_r(File.join(ROOT, fault['environment']), work)
    copy = File.join(work, fault['environment'])
    File.write(fault['path'].sub(File.join(ROOT, fault['environment']), copy), fault['text'])
    out = File.join(work, 'golden')
    command = ['ruby', '-W0', '-rset', '-I', TERMINUS, File.join(ROOT, 'compile.rb'), '--env', copy]
    system(*command, '--out', out, '--no-lookups', '-q', out: File::NULL, err: File::NULL)
    before = ok(File.join(ROOT, fault['environment'], 'spec/golden/index.json'))
    after = ok(File.join(out, fault['environment'], 'index.json'))
    failed = before.select { |name, is_ok| is_ok && after.key?(name) && !after[name] }.keys
    puts "not proven: #{fault['kind']} #{fault['path']}: #{fault['what']}" if failed.empty?
    failed.any?
  end
end
puts "#{proven} of #{sample.size} faults fail in the reference, too"
