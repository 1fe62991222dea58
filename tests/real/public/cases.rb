# frozen_string_literal: true

require 'bunraku'
require 'digest'
require 'yaml'

# The cases: each class and each defined type of a group's modules, with values made up for the parameters
# that have to be given, and the nodes and classes of the control repositories, for each operating system.
module PublicCases
  # `group` is a group of modules or the name of a control repository; a case of modules has `code`, or the
  # path of a manifest in its place; one of a control repository `node` and maybe `classes`.
  Case = Struct.new(:group, :os, :code, :node, :classes, keyword_init: true) do
    def id
      [group, os, code || node, *classes].join(' | ')
    end
  end
  NODE = 'node1.example.net'
  # The maximum number of classes of a control repository; of more classes, a sample is used.
  MOST_CLASSES = 150
  # A value by the start of a parameter's type.
  BY_TYPE = [
    [/\AOptional\b/, ->(*) { 'undef' }],
    [/\A(?:Variant|NotUndef|Sensitive)\[(.*)/m, ->(name, rest) { made_up(name, rest) }],
    [/\AEnum\[\s*['"]?([^'",\]]+)/, ->(_, first) { "'#{first}'" }],
    [/\A(?:Boolean|Openstacklib::.*Bool)/, ->(*) { 'true' }],
    [/\AInteger\[\s*(\d+)/, ->(_, least) { least }],
    [/\A(?:Integer|Numeric|Stdlib::Port)/, ->(*) { '42' }],
    [/\AFloat/, ->(*) { '4.5' }],
    [/\AArray\[\s*Hash/, ->(*) { "[{ 'path' => '/x' }]" }],
    [/\AArray\[\s*(.*)/m, ->(name, rest) { "[#{made_up(name, rest)}]" }],
    [/\AArray/, ->(*) { "['a', 'b']" }],
    [/\A(?:Hash|Struct)/, ->(*) { "{ 'a' => 'b' }" }],
    [/\A\w*(?:::\w+)*(?:absolute_?path|unix_?path)/i, ->(name, *) { "'/opt/#{name}'" }],
    [/\AStdlib::(?:HTTP|Httpurl)/i, ->(*) { "'http://192.0.2.1:5000/v3'" }],
    [/\AStdlib::IP::Address/, ->(*) { "'192.0.2.1'" }],
    [/\AStdlib::(?:Host|Fqdn)/, ->(*) { "'host.example.net'" }],
    [/\AStdlib::Ensure::Service/, ->(*) { "'running'" }],
    [/\AStdlib::Ensure/, ->(*) { "'present'" }],
    [/\AStdlib::Filemode/, ->(*) { "'0644'" }]
  ].freeze
  BY_NAME = {
    /connection/ => 'mysql+pymysql://user:pw@192.0.2.2/db', /transport_url/ => 'rabbit://user:pw@192.0.2.3:5672/',
    /uri|url|endpoint/ => 'http://192.0.2.1:5000/v3', /ip|address|host|server/ => '192.0.2.1', /port/ => '8080',
    /path|dir|file|root/ => '/opt/x', /key\z|secret/ => '0123456789abcdef0123456789abcdef', /ensure/ => 'present'
  }.freeze

  module_function

  def made_up(name, type)
    BY_TYPE.each do |pattern, value|
      found = pattern.match(type) or next
      made = value.call(name, found[1])
      return type.start_with?('Sensitive') ? "Sensitive(#{made})" : made
    end
    _, text = BY_NAME.find { |pattern,| pattern.match?(name) }
    "'#{text || "#{name}x"}'"
  end

  # The parameters of a class or defined type that have to be given, with values.
  def needed(definition)
    given = definition['defaults'] || {}
    tags = (definition.dig('docstring', 'tags') || []).select { |tag| tag['tag_name'] == 'param' }
    tags.select { |tag| tag['name'].to_s.match?(/\A[a-z]\w*\z/) && !given.key?(tag['name']) }
        .map { |tag| " #{tag['name']} => #{made_up(tag['name'], Array(tag['types']).first.to_s)}" }.join(',')
  end

  def declarations(directory)
    documentation = Bunraku.doc(directory).to_h
    classes = documentation['puppet_classes'].map do |one|
      values = needed(one)
      values.empty? ? "include #{one['name']}" : "class { '#{one['name']}':#{values} }"
    end
    classes + documentation['defined_types'].map { |one| "#{one['name']} { '/srv/one':#{needed(one)} }" }
  rescue Bunraku::Error
    []
  end

  # Whole manifests that a module has as fixtures, by their paths below the group's directory.
  def scenarios(directory)
    Dir.glob("#{directory}/fixtures/*.pp").sort.map { |path| path.delete_prefix(File.dirname(directory)) }
  end

  def of_group(layout, group, systems)
    layout.repositories.select { |one| one.group == group }.flat_map do |one|
      directory = layout.place(one)
      next [] unless File.directory?(File.join(directory, 'manifests'))

      (declarations(directory) + scenarios(directory)).flat_map do |code|
        systems.map { |os| Case.new(group:, os:, code:) }
      end
    end
  end

  # Returns the nodes that the manifests or data of a control repository name, and its roles and profiles,
  # each as the input of a node.
  def of_control(directory, name, systems)
    nodes = node_names(directory)
    own = "#{directory}/{site,site-modules,modules}"
    files = Dir.glob("#{own}/{role,roles,profile,profiles}/manifests/**/*.pp")
    files = Dir.glob("#{own}/*/manifests/**/*.pp") if files.empty?
    classes = files.sort.flat_map { |path| File.read(path).scrub.scan(/^\s*class\s+([a-z][\w:]*)/).flatten.first(1) }.uniq
    classes = classes.sort_by { |one| Digest::SHA256.hexdigest(one) }.first(MOST_CLASSES).sort
    nodes.each_with_index.map { |node, at| Case.new(group: name, os: systems[at % systems.size], node:, classes: []) } +
      classes.flat_map { |one| systems.first(2).map { |os| Case.new(group: name, os:, node: NODE, classes: [one]) } }
  end

  def node_names(directory)
    manifests = Dir.glob("#{directory}/manifests/**/*.pp").sort.map { |path| File.read(path).scrub }
    named = manifests.flat_map { |text| text.scan(/^\s*node\s+([^{]*)\{/).flatten }
                     .flat_map { |list| list.scan(/'([\w.-]+)'|"([\w.-]+)"/).flatten.compact }
    from_data = Dir.glob("#{directory}/{data,hieradata,hiera}/{node,nodes,certname}/*.yaml").map { |path| File.basename(path, '.yaml') }
    ([NODE] + named + from_data.sort).map(&:downcase).uniq.first(150)
  end
end
