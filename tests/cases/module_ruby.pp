# Functions of modules in Ruby: the file that is installed says what a function does, whatever the library has natively.
merge({'a' => 1}, {'b' => 2})
notice(older::shim('x', 'y'))
notice(older::within('1.2.3', '>= 1.0.0 < 2.0.0'), older::within('2.0.0', '>= 1.0.0 < 2.0.0'))
notice(older::within('2.0.0', '>= 1.0'))
notice(older::key('secret', 'salt'))
notice(older::document())
notice(older::evaluated())
notice('~' =~ /^[[:graph:]]$/, ' ' =~ /^[[:print:]]$/)
notice(older::modes('u+x,g-w', '0664'), older::modes('a+X', '0644'), older::modes('644', '0'))
notify { 'one': message => 'text' }
notice(older_variable('nowhere'), older_reference(Notify['one'], 'message'))
notice(older::typed(5, Integer[0, 9]), older::typed('5', Integer), older::seeded(42))
notice(template('older/part.erb'), inline_template('<%= older_part 2 %>'))
notice(older::chosen('text'), older::chosen(1, 2), older::chosen(3))
class older_parent { }
class older_child inherits older_parent { }
include older_child
notice(older::unknown('older_child::none'), older::unknown('::none'), older::unknown('::older::none'))
create_resources('notify', { 'one' => 'text' })

# -- modules/older/templates/part.erb --
<% def older_part(number) "<#{number}>" end -%>
<%= older_part 1 -%>

# -- modules/older/lib/puppet/parser/functions/older_variable.rb --
Puppet::Parser::Functions.newfunction(:older_variable, type: :rvalue) do |args|
  value = 'none'
  catch(:undefined_variable) { value = lookupvar("::#{args[0]}") }
  value
end

# -- modules/older/lib/puppet/parser/functions/older_reference.rb --
Puppet::Parser::Functions.newfunction(:older_reference, type: :rvalue) do |args|
  reference, name = args
  found = findresource(reference.type, reference.title)
  [reference.class.name, found[name], catalog.resources.count { |one| one.to_s == reference.to_s }]
end

# -- modules/older/lib/puppet/functions/older/typed.rb --
Puppet::Functions.create_function(:'older::typed') do
  def typed(value, type)
    infers = Puppet::Pops::Types::TypeCalculator.infer_set(value)
    parsed = Puppet::Pops::Types::TypeParser.singleton.parse('Array[String]')
    [Puppet::Pops::Types::TypeCalculator.instance?(type, value), infers.to_s, parsed.to_s]
  end
end

# -- modules/older/lib/puppet/functions/older/chosen.rb --
Puppet::Functions.create_function(:'older::chosen') do
  dispatch(:text) { param 'Any', :scope; param 'String', :value }
  dispatch(:numbers) { param 'Any', :scope; param 'Integer', :first; repeated_param 'Integer', :rest }
  def call(scope, *args)
    self.class.dispatcher.dispatch(self, scope, [scope] + args)
  end

  def text(_scope, value)
    "text #{value}"
  end

  def numbers(_scope, *all)
    "numbers #{all.sum}"
  end
end

# -- modules/older/lib/puppet/functions/older/unknown.rb --
Puppet::Functions.create_function(:'older::unknown') do
  def unknown(name)
    closure_scope[name]
  rescue ArgumentError => e
    e.message
  end
end

# -- modules/older/lib/puppet/functions/older/seeded.rb --
Puppet::Functions.create_function(:'older::seeded') do
  def seeded(seed)
    [Random.new(seed).rand(1000), Puppet::Util.deterministic_rand_int(seed, 1000)]
  end
end

# -- modules/stdlib/lib/puppet/functions/merge.rb --
Puppet::Functions.create_function(:merge) do
  dispatch :merge do
    repeated_param 'Any', :args
  end

  def merge(*args)
    call_function('deprecation', 'merge', 'Please use stdlib::merge instead.', false)
    args.reduce({}) { |all, one| all.merge(one) }
  end
end

# -- modules/stdlib/lib/puppet/functions/deprecation.rb --
Puppet::Functions.create_function(:deprecation) do
  dispatch :deprecation do
    param 'String', :key
    param 'String', :message
    optional_param 'Boolean', :use_strict_setting
  end

  def deprecation(key, message, use_strict_setting = true)
    return if ENV["NO_DEPRECATIONS"] == "true"

    file, line = Puppet::Pops::PuppetStack.stacktrace[0]
    return if use_strict_setting && Puppet.settings[:strict] == :off

    Puppet.warning("#{key}: #{message} (#{File.basename(file)}, #{line})")
    Puppet.warn_once('deprecations', key, "once: #{message}", :default, :default)
    Puppet.warn_once('deprecations', key, "twice: #{message}", :default, :default)
    nil
  end
end

# -- modules/older/lib/puppet/functions/older/shim.rb --
Puppet::Functions.create_function(:'older::shim') do
  dispatch :given do
    param 'Any', :scope
    repeated_param 'Any', :args
  end

  def call(scope, *args)
    self.class.dispatcher.dispatch(self, scope, [scope] + args)
  end

  def given(scope, *args)
    "#{scope.class.name.split('::').last} #{args.join(',')} #{scope.send('function_join_twice', [args])}"
  end
end

# -- modules/older/lib/puppet/parser/functions/join_twice.rb --
module Puppet::Parser::Functions
  newfunction(:join_twice, type: :rvalue) do |args|
    args.first.join('-') * 2
  end
end

# -- modules/older/lib/puppet/functions/older/within.rb --
require 'semantic_puppet'

Puppet::Functions.create_function(:'older::within') do
  dispatch :within do
    param 'String', :version
    param 'String', :range
  end

  def within(version, range)
    SemanticPuppet::VersionRange.parse(range).include?(SemanticPuppet::Version.parse(version))
  end
end

# -- modules/older/lib/puppet/functions/older/key.rb --
require 'openssl'

Puppet::Functions.create_function(:'older::key') do
  dispatch :key do
    param 'String', :password
    param 'String', :salt
  end

  def key(password, salt)
    digest = OpenSSL::Digest.new('SHA256')
    key = OpenSSL::KDF.pbkdf2_hmac(password, salt: salt, iterations: 10, length: 40, hash: digest)
    hmac = OpenSSL::HMAC.new(key, OpenSSL::Digest.new('SHA256'))
    hmac << 'one' << 'two'
    [key.unpack1('H*'), hmac.hexdigest]
  end
end

# -- modules/older/lib/puppet/functions/older/document.rb --
require 'yaml'

Puppet::Functions.create_function(:'older::document') do
  dispatch :document do
  end

  def document
    [{ sym: :bol, 'text' => ':bol' }.to_yaml, JSON.generate({ 'a' => [1] }, space_before: ' ', space: ' ')]
  end
end

# -- modules/older/lib/puppet/functions/older/modes.rb --
require 'puppet/util/symbolic_file_mode'

Puppet::Functions.create_function(:'older::modes') do
  dispatch :modes do
    param 'String', :change
    param 'String', :mode
  end

  def modes(change, mode)
    extend(Puppet::Util::SymbolicFileMode)
    [valid_symbolic_mode?(change), normalize_symbolic_mode(mode), symbolic_mode_to_int(change, mode.to_i(8)).to_s(8)]
  end
end

# -- modules/older/lib/puppet/functions/older/evaluated.rb --
Puppet::Functions.create_function(:'older::evaluated') do
  dispatch :evaluated do
  end

  def evaluated
    object = Object.new
    object.instance_eval("def twice(text) text * 2 end\n@kept = 'k'", 'told.rb')
    [object.twice('a'), object.instance_variable_get(:@kept), object.respond_to?(:twice)]
  end
end
