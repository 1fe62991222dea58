# frozen_string_literal: true

require_relative 'words'

# Classes that inherit: parameters and variables of parents, overrides of their resources, additions, defaults
# of scopes, and who may override what.
class Inheritance < Words
  CHAIN = %w[base mid leaf].freeze
  TITLES = %w[x y z].freeze
  VALUES = ["'s'", '1', 'undef', "['p', 'q']", '$p', '$q', '$title', '$name', '$base::p', '$mid::p', '$base::v', '$v', '"${p}-${v}"', '$module_name', '$caller_module_name', 'default', '{k => $p}', '$w', "Notify['x']", 'true'].freeze

  def question
    chain = CHAIN.first(number(2..3))
    pieces = chain.each_with_index.map { |name, n| definition(name, n.zero? ? nil : chain[n - 1]) }
    pieces << definition('other', pick([nil, 'base', 'nope', 'other'])) if chance(0.3)
    pieces << "define d(#{pick(['', '$p = 1', '$p'])}) {\n#{body('d')}\n}" if chance(0.6)
    pieces.shuffle!(random: random) if chance(0.3)
    question = { 'op' => 'catalog', 'source' => [*pieces, *some(1..4) { top(chain) }].join("\n") }
    question['enc'] = { 'classes' => pick([%w[leaf], %w[base mid], { 'base' => { 'p' => 'e' } }, { 'mid' => { 'p' => 7, 'q' => 8 } }]) } if chance(0.25)
    question['files'] = modules(chain) if chance(0.2)
    question
  end

  private

  # Data for the parameters, in the module of the first class.
  def modules(chain)
    { 'modules/base/hiera.yaml' => "version: 5\nhierarchy:\n  - name: c\n    path: c.yaml\n", 'modules/base/data/c.yaml' => "base::p: #{pick(['h', '[1]', '~', "'%{title}'"])}\nbase::q: 5\n",
      'modules/base/manifests/sub.pp' => "class base::sub inherits #{chain.last} {\n#{body('base::sub')}\n}" }
  end

  def definition(name, parent)
    "class #{name}#{parameters}#{parent && chance(0.9) ? " inherits #{chance(0.06) ? '::' : ''}#{parent}" : ''} {\n#{body(name)}\n}"
  end

  def parameters
    return '' if chance(0.4)

    "(#{%w[p q].first(number(1..2)).map { |name| "#{pick(['', '', 'Integer ', 'Any ', 'Optional[String] '])}$#{name}#{chance(0.8) ? " = #{pick(VALUES)}" : ''}" }.join(', ')})"
  end

  def body(name)
    some(1..5) { "  #{statement(name)}" }.join("\n")
  end

  def statement(name)
    case choose(resource: 6, override: 6, variable: 3, defaults: 3, log: 2, include: 1, reference: 1, control: 1, define: 1, arrow: 1)
    when :resource then "#{pick(['', '', '', '@'])}#{pick(['notify', 'notify', 'file'])} { #{pick(["'#{title}'", "['#{title}', 'w']", '$title', '"${title}-x"'])}: #{some(0..2) { attribute }.join(', ')} }".gsub(/(file \{ \[?)'(\w)'/, "\\1'/\\2'")
    when :override then "#{overridden} { #{some(0..3) { change }.join(', ')} }"
    when :variable then "$#{pick(%w[v w p])} #{pick(['=', '=', '=', '+='])} #{pick(VALUES)}"
    when :defaults then "#{pick(%w[Notify Notify File D])} { #{some(0..2) { change }.join(', ')} }"
    when :log then "notice(#{pick(VALUES)}, #{pick(VALUES)})"
    when :include then "#{pick(%w[include contain require])} #{pick([*CHAIN, 'other'])}"
    when :reference then "notice(#{pick(["Notify['x']['message']", "Notify['x'][message]", "getparam(Notify['x'], 'message')", "defined(Notify['x'])", "Notify['#{title}']['tag']", "tagged('#{pick(CHAIN)}')", "Class['base']['p']"])})"
    when :control then "if #{pick(['true', '$p', "$title == '#{name}'", "defined('mid')"])} { #{overridden} { #{change} } }"
    when :define then "d { #{pick(["'#{title}'", '$title'])}: #{pick(['', 'p => 2', 'p => $p', 'message => 1'])} }"
    else "Notify['#{title}'] -> #{pick(["Notify['#{title}']", "Class['base']", 'Notify <| |>'])}"
    end
  end

  def overridden
    pick([*TITLES.map { |t| "Notify['#{t}']" }, "Notify['x', 'y']", "File['/x']", 'Notify[$title]', "D['x']", "Class['base']", "Notify <| title == '#{title}' |>", "Notify <| tag == '#{pick(CHAIN)}' |>", "Notify['nope']", 'Notify[x]', "Resource['notify', 'x']"])
  end

  def change
    pick(["message => #{pick(VALUES)}", "message +> #{pick(VALUES)}", "message => #{pick(VALUES)}", 'message => undef', "tag => 'k'", "tag +> ['k', 'l']", "require => Notify['z']", "require +> Notify['y']", "before +> undef", 'noop => true', "p => 4", "nope => 1", "* => {message => 'splat'}", "mode => '0600'", 'withpath => $p', "alias => 'al'"])
  end

  def attribute
    pick(["message => #{pick(VALUES)}", "tag => 't'", "require => Notify['y']", 'withpath => true', "* => {}", "mode => '0644'", "content => 'c'"])
  end

  def title
    pick(TITLES)
  end

  def top(chain)
    case number(0...8)
    when 0..2 then "include #{pick([*chain, chain.last, 'other'])}"
    when 3..4 then "class { '#{pick(chain)}': #{pick(['', 'p => 5', "p => 's', q => undef", "p => default", "tag => 'ct'", 'noop => true', "require => Notify['top']"])} }"
    when 5 then "#{overridden} { #{change} }"
    when 6 then "notify { 'top': #{attribute} }"
    else statement('main')
    end
  end
end
