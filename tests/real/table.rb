# frozen_string_literal: true

# Compiles the cases of Debian's modules (data/environments/real) through the gem: once with Ruby for what
# modules have in Ruby, once without any, and prints for each case whether its catalog, or its error, is the
# golden one. Exits with 1 when one with Ruby is not.
#
#   ruby table.rb [CASE…]
$LOAD_PATH.unshift(File.expand_path('../../ruby-ext/lib', __dir__))
require 'bunraku'
require 'digest'
require 'json'
require 'zlib'

ENVIRONMENT = ENV.fetch('BUNRAKU_REAL', File.expand_path('../data/environments/real', __dir__))
MODULES = '/usr/share/puppet/modules'
SERVER = { 'serverimplementation' => 'openvox', 'serverversion' => '8.28.1', 'servername' => 'puppet.example.net',
           'serverip' => '192.0.2.10', 'serverip6' => '2001:db8::10' }.freeze
WAYS = { ruby: {}, native: { ruby_functions: :off, templates: :native } }.freeze

def read(path)
  return JSON.parse(File.read(path)) if File.exist?(path)

  JSON.parse(Zlib::GzipReader.open("#{path}.gz", &:read)) if File.exist?("#{path}.gz")
end

def normal(text)
  text.gsub(ENVIRONMENT, '<env>').gsub(MODULES, '<modules>')
end

# The form of each value that is new in every catalog.
FORMS = { 'version' => Integer, 'catalog_uuid' => /\A\h{8}-\h{4}-4\h{3}-[89ab]\h{3}-\h{12}\z/ }.freeze

# Returns where two values first differ, or nil if they are equal.
def difference(expected, actual, path = '$')
  case expected
  when Hash
    return "#{path}: #{actual.inspect[0, 80]}" unless actual.is_a?(Hash)

    (expected.keys | actual.keys).each do |key|
      left, right = expected[key], actual[key]
      if path == '$' && FORMS[key]
        return "$.#{key}: #{right.inspect}" unless FORMS[key] === right

        next
      end
      left, right = [left, right].map { |list| list&.sort } if key == 'tags' && left.is_a?(Array)
      found = difference(left, right, "#{path}.#{key}")
      return found if found
    end
    nil
  when Array
    return "#{path}: #{actual.inspect[0, 80]}" unless actual.is_a?(Array) && actual.size == expected.size

    expected.each_index { |at| (found = difference(expected[at], actual[at], "#{path}[#{at}]")) and return found }
    nil
  when String then "#{path}: #{actual.inspect[0, 80]}, not #{expected[0, 80].inspect}" unless same_text?(expected, actual)
  else "#{path}: #{actual.inspect[0, 80]}, not #{expected.inspect}" unless expected.eql?(actual)
  end
end

def same_text?(expected, actual)
  return false unless actual.is_a?(String)

  actual = normal(actual)
  # Long texts of others' code are kept as digests.
  return actual.size == ::Regexp.last_match(1).to_i && Digest::SHA256.hexdigest(actual) == ::Regexp.last_match(2) if expected =~ /\Asha256:(\d+):(\h+)\z/
  return actual == expected unless expected.include?('<opaque>')

  actual.match?(/\A#{expected.split('<opaque>', -1).map { |part| Regexp.escape(part) }.join('.*')}\z/m)
end

def facts(one)
  files = Array(one['facts_file']).map { |file| read(File.join(ENVIRONMENT, 'spec/facts', file)) || read(File.join(ENVIRONMENT, 'spec/facts', "#{file}.json")) }
  files.reduce({}, :merge).merge(one['facts'] || {})
end

def compile(one, options)
  place = ->(path) { path.sub('<modules>', MODULES).sub('<env>', ENVIRONMENT).then { |found| File.expand_path(found, ENVIRONMENT) } }
  settings = one['settings'] || {}
  # the reference was asked without rich data where an environment is made of a module path
  settings = settings.merge('rich_data' => false) if one['modulepath']
  environment = Bunraku::Environment.new(one['environment'] || 'real', modulepath: one['modulepath']&.map(&place), manifest: one['manifest'] && place[one['manifest']],
                                         environmentpath: one['modulepath'] ? nil : File.dirname(ENVIRONMENT), settings:, **options)
  classes = one['classes'] || []
  catalog = environment.compile(node: one['node'], facts: facts(one), trusted: one['trusted'], classes: classes, parameters: one['parameters'] || {},
                                server_facts: one['server_facts'] || SERVER, limits: { seconds: nil, steps: nil })
  JSON.parse(catalog.to_json)
end

def check(name, options)
  one = read(File.join(ENVIRONMENT, 'spec/nodes', "#{name}.json"))
  golden = read(File.join(ENVIRONMENT, 'spec/golden', "#{name}.catalog.json"))
  failure = read(File.join(ENVIRONMENT, 'spec/golden', "#{name}.error.json"))
  actual = compile(one, options)
  golden ? difference(golden, actual) : "a catalog, not the error #{failure['message'][0, 80]}"
rescue Bunraku::Error => error
  return "error: #{normal(error.message).lines.join(' ')[0, 200]}" unless failure

  said = normal(error.message)
  [failure['message'], failure['basic_message']].compact.any? { |text| same_text?(text, said) || text.include?(said) } ? nil : "another error: #{said[0, 200]}"
end

abort 'Debian\'s modules (puppet-module-*) are not installed' unless File.directory?(MODULES)
cases = ARGV.empty? ? Dir.children(File.join(ENVIRONMENT, 'spec/nodes')).map { |file| File.basename(file, '.json') }.sort : ARGV
found = cases.to_h { |name| [name, WAYS.transform_values { |options| check(name, options) }] }
found.each { |name, ways| puts format('%-20s %s', name, ways.map { |way, wrong| "#{way} #{wrong ? 'NO' : 'yes'}" }.join('  ')) }
WAYS.each_key { |way| puts "#{way}: #{found.count { |_, ways| ways[way].nil? }} of #{cases.size}" }
found.each { |name, ways| ways.each { |way, wrong| puts "#{name} (#{way}): #{wrong}" if wrong } }
exit(found.any? { |_, ways| ways[:ruby] } ? 1 : 0)
