# What the functions of Deferred values declare to return is checked against the types of parameters: functions
# of the language, built-in ones, and those that modules have in Ruby, by the signature for the arguments.
class { 'm::number': p => Deferred('m::number', ['1']) }
m::text { 'language': p => Deferred('m::text', ['a']) }
m::text { 'list': p => Deferred('m::number', [['1']]) }
m::text { 'silent': p => Deferred('m::silent', ['a']) }
m::text { 'mismatch': p => Deferred('m::number', [true]) }
m::text { 'built-in': p => Deferred('join', [['a']]) }
m::text { 'another type': p => Deferred('m::number', ['1']) }

# -- modules/m/functions/text.pp --
function m::text(String $x) >> String { $x }
# -- modules/m/lib/puppet/functions/m/number.rb --
Puppet::Functions.create_function(:'m::number') do
  dispatch :of_text do
    param 'String', :text
    return_type 'Integer'
  end

  dispatch :of_list do
    param 'Array', :list
    return_type 'String'
  end

  argument_mismatch :wrong do
    param 'Boolean', :value
  end

  def of_text(text)
    text.to_i
  end

  def of_list(list)
    list.join
  end

  def wrong(_value)
    'expects a text or a list'
  end
end
# -- modules/m/lib/puppet/functions/m/silent.rb --
Puppet::Functions.create_function(:'m::silent') do
  dispatch :silent do
    param 'String', :text
  end

  def silent(text)
    text
  end
end
# -- modules/m/manifests/number.pp --
class m::number(Integer $p) { notify { 'number': message => $p } }
# -- modules/m/manifests/text.pp --
define m::text(String $p) { notify { $title: message => $p } }
