# frozen_string_literal: true

# Loads every Ruby function of modules through the gem, without Puppet, and reports which ones cannot be
# loaded and why.
#
#   ruby tests/ruby_functions/load.rb [MODULEPATH]

$LOAD_PATH.unshift(File.expand_path('../../ruby-ext/lib', __dir__))
require 'bunraku'

modulepath = ARGV.fetch(0, '/usr/share/puppet/modules')
abort("there are no modules in #{modulepath}") unless Dir.exist?(modulepath)

kinds = { '4.x' => 'lib/puppet/functions', '3.x' => 'lib/puppet/parser/functions' }
files = kinds.flat_map do |api, directory|
  Dir.glob(File.join(modulepath, '*', directory, '**', '*.rb')).map do |file|
    [api, file[%r{#{directory}/(.+)\.rb\z}, 1].gsub('/', '::'), file]
  end
end

# A call without arguments loads the function and reads its signatures; errors about the arguments are
# ignored.
registry = Bunraku::Registry.setup(:own, true)
modules = Dir.children(modulepath).sort.to_h { |name| [name, File.join(modulepath, name)] }
loaded = registry.module_ruby('production', nil, [modulepath], modules, [[], [], [], []], { 'strict' => 'warning' })
failures = files.filter_map do |api, name, file|
  loaded.function(name, file, api == '3.x')
  next if api == '3.x'

  environment = Bunraku::Environment.new('production', modulepath: [modulepath], code: "#{name}()", prefer_ruby: true, ruby_functions: :own)
  begin
    environment.compile(node: 'node.example.com') && nil
  rescue Bunraku::Error => e
    [file, e.message] if e.message.match?(/Parsing of type string|Load Error|Unknown function/)
  end
rescue Exception => e # rubocop:disable Lint/RescueException
  [file, "#{e.class}: #{e.message.lines.first.strip}"]
end

kinds.each_key do |api|
  mine = files.select { |one, *| one == api }
  failed = failures.count { |file, _| mine.any? { |_, _, path| path == file } }
  puts "#{api}: #{mine.size - failed} of #{mine.size} files loaded"
end
failures.each { |file, reason| puts "  #{file}: #{reason}" }
exit(failures.empty? ? 0 : 1)
