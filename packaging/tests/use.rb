# frozen_string_literal: true

# Tests the packed gems. Usage: use.rb EXAMPLES, where the gem is the only installed one.
gem 'bunraku'
require 'bunraku'
require 'json'

place = Gem.loaded_specs['bunraku'].full_gem_path
abort "use.rb: another bunraku than the gem's: #{$LOADED_FEATURES.grep(/bunraku/).first}" unless
  $LOADED_FEATURES.grep(%r{/bunraku\.rb\z}).all? { |path| path.start_with?(place) }
node = 'web01.example.net'
facts = JSON.parse(File.read(File.join(ARGV[0], "production/spec/facts/#{node}.json")))
catalog = Bunraku::Environment.new('production', environmentpath: ARGV[0]).compile(node: node, facts: facts)
abort 'use.rb: no resources' unless catalog.resources.size > 3
begin
  Bunraku.parse('$a = }', path: 'site.pp')
  abort 'use.rb: that is a syntax error'
rescue Bunraku::ParseError => e
  abort "use.rb: line #{e.line}" unless e.line == 1
end
name = Gem.loaded_specs['bunraku'].full_name
puts "#{RUBY_ENGINE} #{RUBY_ENGINE_VERSION}, #{name}: #{catalog.resources.size} resources"
