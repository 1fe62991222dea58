# frozen_string_literal: true

require 'fileutils'
require 'json'

# Modules with generated comments: valid ones, and those that puppet-strings warns about.
class Generated
  TAGS = [
    '@summary What it is for', "@summary #{'a long summary ' * 10}", '@see https://example.com/ The page', '@see {other}', '@note Mind it',
    '@todo Finish it', '@author Somebody', '@since 1.2.0', '@version 3', '@api private', '@api public', '@deprecated Use another',
    '@example Title', '@example', '@option $hash [String] :key What it is', '@enum [String] mode one What it does', '@raise [Error] when it fails',
    '@unknown', '@parma [String] $a What', '@!unknown', '@!group Things', '@!endgroup', '@group Things', '@private', '@abstract', '@yield [Any] x',
    '@yieldparam [Any] x It', '@yieldreturn [Any] It', '@overload other($x)', '@return x [String]', '@summary'
  ].freeze
  NAMES = %w[a b c mode name title other].freeze
  TYPES = ['String', 'Integer[0, 10]', 'Optional[String[1]]', 'Hash[String, Any]', "Enum['a', 'b']", 'Array[Variant[Integer, String]]'].freeze

  # @param seed [Integer] the same makes the same module
  def initialize(seed)
    @random = Random.new(seed)
  end

  # @param directory [String] where the module is written
  # @return [void]
  def write(directory)
    files = { 'manifests/init.pp' => pp('class', 'sample'), 'manifests/one.pp' => pp('class', 'sample::one'), 'manifests/def.pp' => pp('define', 'sample::def'),
              'functions/f.pp' => pp('function', 'sample::f'), 'plans/init.pp' => pp('plan', 'sample'), 'types/t.pp' => type_alias,
              'lib/puppet/functions/sample/four.rb' => four, 'lib/puppet/parser/functions/three.rb' => three,
              'lib/puppet/type/thing.rb' => type, 'lib/puppet/provider/thing/one.rb' => provider, 'lib/puppet/type/api_thing.rb' => api_type,
              'lib/puppet/datatypes/point.rb' => data_type, 'tasks/run.json' => task }
    files.each do |name, text|
      path = File.join(directory, name)
      FileUtils.mkdir_p(File.dirname(path))
      File.write(path, text)
    end
  end

  private

  def one(list)
    list[@random.rand(list.size)]
  end

  def maybe(chance = 0.5)
    @random.rand < chance
  end

  def some(list, most)
    list.shuffle(random: @random).take(@random.rand(most + 1))
  end

  # The lines of a comment about something with parameters.
  def comment(parameters, returns: false, indent: '')
    return '' if maybe(0.1)

    lines = []
    lines.push('What it does.') if maybe(0.7)
    lines.push('', 'More of it.') if maybe(0.3)
    lines.push('') if maybe
    tags = some(TAGS, 3)
    parameters.each { |name| tags.push(param(name)) if maybe(0.7) }
    tags.push(param(one(NAMES))) if maybe(0.2)
    tags.push(maybe ? "@return [#{one(TYPES)}] what comes out" : '@return what comes out') if returns && maybe(0.6)
    tags.push("@param #{one(NAMES)} (see #{one(REFERENCES)})") if maybe(0.1)
    lines.unshift("(see #{one(REFERENCES)})") if maybe(0.05)
    tags.shuffle(random: @random).each { |tag| lines.push(*tag, *(maybe(0.2) ? ['  and more of it'] : [])) }
    lines.push('# twice') if maybe(0.05)
    lines.map { |line| "#{indent}# #{line}".rstrip }.join("\n") << "\n" << (maybe(0.05) ? "\n" : '')
  end

  REFERENCES = %w[sample sample::one puppet_classes::sample::one four puppet_functions_ruby4x::sample::four nowhere three thing].freeze

  def param(name)
    case @random.rand(5)
    when 0 then "@param [#{one(TYPES)}] #{name} What it is"
    when 1 then "@param #{name} [#{one(TYPES)}] What it is"
    when 2 then "@param #{name}"
    when 3 then ["@param #{name}", '  What it is', '', '  and more']
    else "@param #{name} What it is"
    end
  end

  def pp(kind, name)
    names = some(NAMES - (kind == 'function' ? [] : %w[name title]), 4)
    parameters = names.map { |own| "  #{"#{one(TYPES)} " if maybe(0.7)}$#{own}#{" = #{one(%w[1 undef default])}" if maybe(0.4)}," }
    returned = kind == 'function' && maybe ? " >> #{one(TYPES)}" : ''
    parameters = [] if parameters.any? { |text| text.include?('=') } && kind == 'function'
    names = [] if parameters.empty?
    "#{comment(names, returns: kind == 'function')}#{kind} #{name}(\n#{parameters.join("\n")}\n)#{returned} {\n}\n"
  end

  def type_alias
    "#{comment([])}type Sample::T = #{one(TYPES)}\n"
  end

  def four
    names = some(NAMES, 3)
    dispatches = Array.new(@random.rand(3)) do |index|
      own = some(NAMES, 3)
      parts = own.map do |name|
        how = one(%w[param required_param optional_param repeated_param optional_repeated_param])
        "    #{how} #{maybe(0.1) ? "'String'" : "'#{one(TYPES).tr("'", '"')}', :#{name}"}\n"
      end
      parts.push("    #{one(%w[block_param optional_block_param])}#{one(['', ' :block', " 'Callable[1]', :block", ' 1, 2, 3'])}\n") if maybe(0.3)
      parts.push("    block_param\n") if maybe(0.1)
      parts.push("    return_type '#{one(TYPES).tr("'", '"')}'\n") if maybe
      "#{comment(own, returns: true, indent: '  ')}  dispatch :d#{index} do\n#{parts.join}  end\n"
    end
    method = maybe(0.6) ? "\n#{comment(names, returns: true, indent: '  ')}  def four(#{names.each_with_index.map { |own, at| at.positive? && maybe(0.3) ? "*#{own}" : own }.then { |all| all.count { |x| x.start_with?('*') } > 1 ? names : all }.join(', ')})\n  end\n" : ''
    "#{comment(names, returns: maybe(0.2))}Puppet::Functions.create_function(:'sample::four') do\n#{dispatches.join("\n")}#{method}end\n"
  end

  def text(parameters)
    body = comment(parameters, returns: true).gsub(/^# ?/, '    ')
    body.empty? ? '' : "<<-DOC\n#{body.delete('#')}    DOC\n"
  end

  def three
    doc = maybe(0.7) ? text(some(NAMES, 2)) : ''
    return "Puppet::Parser::Functions.newfunction(:three) do |args|\nend\n" if doc.empty?

    "module Puppet::Parser::Functions\n  newfunction(:three, :type => :rvalue, :doc => #{doc.sub("\n", ") do |args|\n").chomp.sub("#{''}) do", ') do')}\n  end\nend\n".sub("<<-DOC) do |args|\n", "<<-DOC\n").sub("    DOC\n", "    DOC\n  ) do |args|\n")
  end

  def attribute(kind, name)
    body = []
    body.push("    desc #{maybe(0.8) ? "'About #{name}'" : 'computed'}") if maybe(0.8)
    body.push("    newvalues(:x, :y)") if maybe(0.3)
    body.push("    defaultto :x") if maybe(0.3)
    "  #{kind}(:#{name}) do\n#{body.join("\n")}\n  end\n"
  end

  def said(names)
    case @random.rand(4)
    when 0 then ''
    when 1 then "  desc 'About it'\n"
    when 2 then (doc = text(names)).empty? ? '' : "  @doc = #{doc}"
    else "  desc compute\n"
    end
  end

  def type
    directives = maybe(0.3) ? "# @!puppet.type.param [x, y] extra What\n# @!puppet.type.property more What\n" : ''
    attributes = some(NAMES, 4).map { |name| attribute(one(%w[newparam newproperty newcheck]), name) }
    "#{comment([])}#{directives}Puppet::Type.newtype(:thing) do\n#{said([])}#{"  ensurable\n" if maybe(0.3)}#{attributes.join}end\n" \
      "#{"Puppet::Type.type(:thing).newparam(:late) do\nend\n" if maybe(0.2)}"
  end

  def provider
    "#{comment([])}Puppet::Type.type(:thing).provide(:one) do\n#{said([])}  commands cmd: 'cmd'\nend\n"
  end

  def api_type
    docs = maybe(0.7) ? "  docs: 'About it',\n" : ''
    attributes = some(NAMES, 3).map { |name| "    #{name}: { type: '#{one(TYPES).tr("'", '"')}'#{", desc: 'What'" if maybe}#{", behaviour: :namevar" if maybe(0.3)} },\n" }
    "#{comment([])}Puppet::ResourceApi.register_type(\n  name: 'api_thing',\n#{docs}  attributes: {\n#{attributes.join}  },\n)\n"
  end

  def data_type
    attributes = some(NAMES, 3).map { |name| "      #{name} => #{maybe ? one(TYPES) : "{ type => #{one(TYPES)}, value => 1 }"},\n" }
    functions = some(%w[add sub], 2).map { |name| "      #{name} => #{maybe(0.8) ? "Callable[[#{some(TYPES, 2).join(', ')}], #{one(TYPES)}]" : 'String'},\n" }
    told = some(%w[add sub mul], 2).map do |name|
      lines = some([param(one(NAMES)), "@return [#{one(TYPES)}] it", 'What it does.'], 3).flatten
      "# @!method #{name}\n#{lines.map { |line| "#   #{line}\n" }.join}"
    end
    parts = []
    parts.push("    attributes => {\n#{attributes.join}    }") if maybe(0.8)
    parts.push("    functions => {\n#{functions.join}    }") if maybe(0.6)
    parts = ['    broken => {'] if maybe(0.1)
    "#{comment(some(NAMES, 3)).chomp}\n#{told.join}Puppet::DataTypes.create_type('Point') do\n  interface <<-PUPPET\n#{parts.join(",\n")}\n    PUPPET\nend\n"
  end

  def task
    return one(['{', '[]', '{}']) if maybe(0.1)

    parameters = some(NAMES, 3).to_h { |name| [name, { 'type' => one(TYPES) }.merge(maybe ? { 'description' => 'What' } : {})] }
    metadata = { 'parameters' => parameters }
    metadata['description'] = 'What it does' if maybe(0.7)
    metadata['supports_noop'] = true if maybe(0.3)
    JSON.pretty_generate(metadata)
  end
end
