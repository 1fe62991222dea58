# frozen_string_literal: true

# Runs a command that speaks the oracle's protocol (requests on stdin, replies
# on stdout, one JSON object a line, in order) over vector files and compares.
#
#   ruby compare.rb [--show N] [--exact] FILE.jsonl ... -- COMMAND ARG ...
#
# What is compared, without --exact, is at the head of agreement.rb; ids in reference_bugs.txt (beside this
# file) are not asked, and counted apart.
require 'json'
require 'open3'
require_relative 'agreement'

show = 10
exact = false
sep = ARGV.index('--') or abort 'usage: compare.rb [--show N] [--exact] FILE ... -- COMMAND ...'
args = ARGV[0...sep]
cmd = ARGV[(sep + 1)..]
if (i = args.index('--show'))
  show = args[i + 1].to_i
  args.slice!(i, 2)
end
exact = true if args.delete('--exact')

BUGS = %w[reference_bugs.txt]
       .map { |f| File.join(__dir__, f) }.find { |f| File.file?(f) }
       .then { |f| f ? File.readlines(f).map { |l| l[/\A[a-z]+-\h+/] }.compact : [] }

total = passed = skipped = 0
args.each do |file|
  vectors = File.readlines(file).map { |l| JSON.parse(l) }
  bugs, vectors = vectors.partition { |v| BUGS.include?(v['id']) } unless exact
  input = vectors.map { |v| JSON.generate(v.reject { |k, _| k == 'expect' }) }.join("\n")
  out, = Open3.capture2(*cmd, stdin_data: "#{input}\n")
  replies = out.lines.map { |l| Agreement.parsed(l) }
  by_id = replies.all? { |r| r.is_a?(Hash) && r.key?('id') } ? replies.to_h { |r| [r['id'], r] } : nil
  ok = 0
  shown = 0
  vectors.each_with_index do |v, n|
    got = by_id ? by_id[v['id']] : replies[n]
    got = got.reject { |k, _| k == 'id' } if got.is_a?(Hash)
    good = exact ? v['expect'] == got : Agreement.agree(v['expect'], got)
    ok += 1 if good
    next if good || (shown += 1) > show

    puts "#{v['id']} #{v['op']}\n  source: #{(v['source'] || v['generic']).inspect[0, 300]}\n  want: #{JSON.generate(v['expect'])[0, 400]}\n  got:  #{JSON.generate(got)[0, 400]}"
  end
  aside = bugs.to_a.size
  puts "#{File.basename(file)}: #{ok}/#{vectors.size}#{" (#{aside} not asked: reference bugs)" if aside.positive?}"
  total += vectors.size
  passed += ok
  skipped += aside
end
puts "all: #{passed}/#{total}#{" (#{skipped} not asked: reference bugs)" if skipped.positive?}"
exit(passed == total)
