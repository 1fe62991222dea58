# frozen_string_literal: true

# Runs a command that speaks the oracle's protocol (requests on stdin, replies
# on stdout, one JSON object a line, in order) over vector files and compares.
#
#   ruby compare.rb [--show N] [--exact] FILE.jsonl ... -- COMMAND ARG ...
#
# What is compared, without --exact:
#  * ids in reference_bugs.txt (beside this file) are
#    not asked, and counted apart;
#  * error with "internal": that there is an error, and the issue code, unless
#    it is RUNTIME_ERROR or absent; a diagnostic with "internal": that there is
#    a diagnostic; nothing else of such a reply;
#  * any other error or diagnostic: all its fields;
#  * <opaque>, <ruby> and <VERSION> in a string of somebody else's vectors stand
#    for any text there;
#  * X_error that is true: neither X nor X_error (with generic_error: nor
#    msgpack_base64 and plain);
#  * "tags" of catalogs and resources, "classes" and "edges": as sets;
#  * "json": the two texts as JSON; elsewhere members of objects in any order;
#  * floats by value; an integer never equals a float.
require 'json'
require 'open3'

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

SETS = %w[tags classes edges].freeze

def parsed(text)
  JSON.parse(text)
rescue JSON::ParserError
  text
end

def same_text(want, got)
  return want == got unless got.is_a?(String) && want.match?(/<(?:opaque|ruby|VERSION)>/)

  got.match?(/\A#{want.split(/<(?:opaque|ruby|VERSION)>/, -1).map { |s| Regexp.escape(s) }.join('.*?')}\z/m)
end

def unwanted(hash)
  hash.select { |k, v| v == true && k.end_with?('_error') }.keys.flat_map do |k|
    k == 'generic_error' ? %w[generic_error generic msgpack_base64 plain] : [k, k.delete_suffix('_error')]
  end
end

def same(want, got, key = nil)
  case want
  when Hash
    return false unless got.is_a?(Hash)

    ((want.keys | got.keys) - unwanted(want)).all? { |k| same(want[k], got[k], k) }
  when Array
    return false unless got.is_a?(Array) && got.size == want.size

    want, got = [want, got].map { |a| a.sort_by { |v| v.is_a?(Hash) ? v.sort.to_s : v.to_s } } if SETS.include?(key)
    want.each_index.all? { |n| same(want[n], got[n]) }
  when String
    a, b = [want, got].map { |t| parsed(t) } if key == 'json' && got.is_a?(String)
    a.is_a?(Array) ? same(a, b) : same_text(want, got)
  when Float then got.is_a?(Float) && (want == got || (want.nan? && got.nan?))
  when Integer then got.is_a?(Integer) && want == got
  else want == got
  end
end

def agree(want, got)
  return false unless got.is_a?(Hash)

  e = want['error']
  if e && e['internal']
    return got['error'].is_a?(Hash) && ([nil, 'RUNTIME_ERROR'].include?(e['issue_code']) || got['error']['issue_code'] == e['issue_code'])
  end
  if want['diagnostics'].is_a?(Array) && want['diagnostics'].any? { |d| d['internal'] }
    return got['diagnostics'].is_a?(Array) && !got['diagnostics'].empty?
  end
  same(want, got)
end

total = passed = skipped = 0
args.each do |file|
  vectors = File.readlines(file).map { |l| JSON.parse(l) }
  bugs, vectors = vectors.partition { |v| BUGS.include?(v['id']) } unless exact
  input = vectors.map { |v| JSON.generate(v.reject { |k, _| k == 'expect' }) }.join("\n")
  out, = Open3.capture2(*cmd, stdin_data: "#{input}\n")
  replies = out.lines.map { |l| parsed(l) }
  by_id = replies.all? { |r| r.is_a?(Hash) && r.key?('id') } ? replies.to_h { |r| [r['id'], r] } : nil
  ok = 0
  shown = 0
  vectors.each_with_index do |v, n|
    got = by_id ? by_id[v['id']] : replies[n]
    got = got.reject { |k, _| k == 'id' } if got.is_a?(Hash)
    good = exact ? v['expect'] == got : agree(v['expect'], got)
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
