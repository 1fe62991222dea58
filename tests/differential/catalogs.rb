# frozen_string_literal: true

require_relative 'words'

# Whole catalogs: classes, defines, collectors, overrides, relationships, stages, nodes, virtual and exported
# resources.
class Catalogs < Words
  CLASSES = %w[a b c a::d].freeze
  DEFINES = %w[d1 d2].freeze
  TITLES = %w[x y z w].freeze
  METAPARAMETERS = %w[require before notify subscribe].freeze

  def question
    question = { 'op' => 'catalog', 'source' => manifest, 'settings' => { 'storeconfigs' => true }, 'facts' => { 'os' => { 'family' => 'Debian' } } }
    question['enc'] = { 'classes' => pick([%w[b], { 'a' => { 'p' => 7 } }, %w[nope]]) } if chance(0.15)
    if chance(0.3)
      question['exported'] = some(1..2) { { 'certname' => "n#{number(1..2)}", 'type' => 'Notify', 'title' => pick(TITLES), 'parameters' => { 'message' => 'e' }, 'tags' => [pick(%w[t u])] } }
    end
    question
  end

  def manifest
    [*some(1..3) { definition }, *some(2..7) { statement(1) }].join("\n")
  end

  def definition
    case number(0...5)
    when 0, 1 then "class #{pick(CLASSES)}#{pick(['', '($p = 1)', '(Integer $p = 2, $q = $p)', '(String $p)'])}#{pick(['', '', ' inherits b'])} {\n#{body}\n}"
    when 2, 3 then "define #{pick(DEFINES)}(#{pick(['', '$p = $title', 'Integer $p = 1', '$p'])}) {\n#{body}\n}"
    else "node #{pick(['default', "'testnode.example.com'", '/testnode/'])} {\n#{body}\n}"
    end
  end

  def body
    some(0..3) { "  #{statement(0)}" }.join("\n")
  end

  def statement(top)
    case choose(resource: 8, include: 3, class: 2, collector: 4, override: 3, arrow: 4, defaults: 2, realize: 1, tag: 1, variable: 2, log: 1, create: 2, control: 2, stage: 1, ensure: 1)
    when :resource then resource
    when :include then "#{pick(%w[include contain require])} #{pick(CLASSES)}"
    when :class then "class { '#{pick(CLASSES)}': #{pick(['', 'p => 5', "p => 's'", 'q => 1', "stage => 'main'", "require => Notify['x']"])} }"
    when :collector then collector
    when :override then "#{reference} { #{pick(["message => 'o'", "message +> 'p'", "tag => 'u'", 'noop => true', "withpath => undef"])} }"
    when :arrow then some(2..3) { end_of_arrow }.join(" #{pick(%w[-> ~> <- <~])} ")
    when :defaults then "Notify { #{pick(["message => 'd'", "tag => 't'", 'noop => true', "loglevel => 'info'"])} }"
    when :realize then "realize(#{reference})"
    when :tag then "tag('#{pick(%w[t u v])}')"
    when :variable then "$#{pick(%w[v w])} = #{pick(['1', "'s'", '[1]', '$title', '$a::p', '$facts'])}"
    when :log then "notice(#{pick(["\"${title}\"", "tagged('t')", "defined(Notify['x'])", "defined('a')", '$v', "Notify['x']['message']"])})"
    when :create then "create_resources('#{pick(%w[notify d1 class @notify @@notify nope])}', {'#{pick(TITLES)}' => {#{pick(['', "'message' => 'c'", "'p' => 3"])}}}#{pick(['', ", {'tag' => 't'}"])})"
    when :control then "if #{pick(['true', "defined(Class['a'])", '$v', "$facts['os']['family'] == 'Debian'"])} { #{statement(0)} }"
    when :stage then "stage { 'pre': #{pick(["before => Stage['main']", ''])} }"
    else "ensure_resource('notify', 'x', {})".then { |made| top.zero? ? resource : "#{made}\n" }.then { resource }
    end
  end

  def resource
    virtual = pick(['', '', '', '@', '@@'])
    type = pick(%w[notify notify notify file d1 d2])
    title = type == 'file' ? "/#{pick(TITLES)}" : pick(TITLES)
    attributes = some(0..2) { attribute(type) }.join(', ')
    "#{virtual}#{type} { #{pick(["'#{title}'", "['#{title}', 'q#{number(1..2)}']", "default: #{attribute(type)}; '#{title}'"])}: #{attributes} }"
  end

  def attribute(type)
    own = { 'notify' => ["message => 'm'", 'message => 5', 'message => undef', 'message => [1, {a => Sensitive(2)}]', "message => Sensitive('s')", 'message => /r/', 'withpath => true', 'nope => 1'],
            'file' => ["content => 'c'", "ensure => file", "mode => '0644'", "owner => 'r'"], 'd1' => ['p => 1', "p => 'x'", 'p => undef', 'zz => 1'], 'd2' => ['p => 2', 'p => [1]'] }[type]
    case number(0...6)
    when 0 then "#{pick(METAPARAMETERS)} => #{pick([reference, "[#{reference}, #{reference}]", 'undef'])}"
    when 1 then pick(["tag => ['t', 'u']", "tag => 't'", "alias => 'al'", 'noop => true', "* => {'tag' => 'w'}", "loglevel => 'debug'", "schedule => 'never'"])
    else pick(own)
    end
  end

  def reference
    pick([*TITLES.map { |t| "Notify['#{t}']" }, "File['/x']", "Class['a']", "D1['x']", "Notify['x', 'y']"])
  end

  def end_of_arrow
    pick([reference, reference, "Class['#{pick(CLASSES)}']", collector, resource.delete_prefix('@@').delete_prefix('@')])
  end

  def collector
    open, close = pick([%w[<| |>], %w[<<| |>>]])
    query = pick(['', "title == 'x'", "tag == 't'", "title != 'x'", "tag == 't' and title == 'y'", "tag == 't' or tag == 'u'", "message == 'm'", "(title == 'x' or title == 'y') and tag != 'u'"])
    "#{pick(%w[Notify Notify D1 File])} #{open} #{query} #{close}#{pick(['', '', " { message => 'col' }", " { tag +> 'k' }"])}"
  end
end
