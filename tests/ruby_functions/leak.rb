# frozen_string_literal: true

# Compiles many times with Ruby functions, and prints the memory of the process. The memory must not grow: the
# exit status is 1 if it has grown by more than a tenth after the first tenth of the compilations. Before
# that, a hundred environments are created and dropped: Ruby keeps about twenty of their registries, and the
# memory of the others, until it has collected its older objects.
#
#   ruby tests/ruby_functions/leak.rb [COMPILATIONS]

$LOAD_PATH.unshift(File.expand_path('../../ruby-ext/lib', __dir__))
require 'bunraku'
require 'fileutils'
require 'tmpdir'

count = Integer(ARGV.fetch(0, 10_000))

def memory
  GC.start
  File.read('/proc/self/status')[/VmRSS:\s+(\d+)/, 1].to_i / 1024.0
end

Dir.mktmpdir do |directory|
  files = {
    'm/lib/puppet/functions/m/f.rb' => "Puppet::Functions.create_function(:'m::f') do\n  dispatch(:f) { param 'Hash', :h; block_param }\n" \
                                       "  def f(h) = h.map { |k, v| [call_function('upcase', k), yield(v)] }\nend",
    'm/lib/puppet/parser/functions/g.rb' => "module Puppet::Parser::Functions\n  newfunction(:g, type: :rvalue) { |a| lookupvar('x').to_s + a.join }\nend",
    'm/lib/puppet/functions/m/fails.rb' => "Puppet::Functions.create_function(:'m::fails') { def fails = raise('no') }"
  }
  files.each do |path, text|
    file = File.join(directory, path)
    FileUtils.mkdir_p(File.dirname(file))
    File.write(file, text)
  end
  code = "$x = 'x' $y = m::f({'a' => 1, 'b' => Sensitive('s')}) |$v| { g($v, 'w') } notify { 'n': message => \"${y}\" }"
  options = { modulepath: [directory], ruby_functions: :own }
  kept = Bunraku::Environment.new('production', code: code, **options)
  failing = Bunraku::Environment.new('production', code: 'm::fails()', **options)
  first = nil
  100.times { Bunraku::Environment.new('production', code: code, **options).compile(node: 'n') }
  (1..count).each do |number|
    kept.compile(node: 'n')
    begin
      failing.compile(node: 'n')
    rescue Bunraku::Error
      nil
    end
    # Environments with their registries come and go, too.
    Bunraku::Environment.new('production', code: code, **options).compile(node: 'n') if (number % 50).zero?
    next unless (number % (count / 10)).zero?

    now = memory
    first ||= now
    puts format('%6d compilations: %.1f MB', number, now)
    exit(1) if number == count && now > first * 1.1
  end
end
