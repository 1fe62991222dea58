# Asks Puppet what its types of resources are: one JSON line a type, of the core and of the modules in a directory.
#
#     ruby -rset -I<openvox>/lib ask.rb /usr/share/puppet/modules | gzip -9n > types.jsonl.gz
#     ruby -rset -I<openvox>/lib ask.rb /usr/share/puppet/modules ENVIRONMENTS
#
# With ENVIRONMENTS it tells of the types in ENVIRONMENTS/generated/.resource_types, which `puppet generate types` has written.

require 'json'
require 'puppet'

modules = ARGV.fetch(0)
libraries = Dir["#{modules}/*/lib"].sort
libraries.each { |library| $LOAD_PATH << library }
Puppet.initialize_settings(['--vardir', '/nonexistent', '--confdir', '/nonexistent', '--modulepath', modules, '--environmentpath', '/nonexistent'])

TITLES = ['a', '', 'a b', '/', '/a/b//', 'C:/', 'a@b', 'a@b@c', 'a@b@c@d', 'a:b', 'a::b', 'a:/b', 'a::b@c::d', 'a@::b', 'a@::::b', 'a::b@::::c', 'r/a',
          'r/a::b', "a\nb", "a\n", 'a=b', 'a.b', 'a/b/c', '*:80'].freeze

# What titles give to parameters; nil for a title that no pattern matches.
def titles(type)
  # Without patterns a resource's title is its name.
  return TITLES.to_h { |title| [title, { 'name' => title }] } unless type.title_patterns

  TITLES.to_h do |title|
    regexp, names = type.title_patterns.find { |pattern, _| pattern.match(title) }
    captures = regexp ? regexp.match(title).captures : []
    given = names&.zip(captures)&.to_h { |(name, conversion), text| [name.to_s, conversion ? conversion.call(text) : text] }
    [title, given&.compact]
  end
rescue Puppet::DevError
  nil
end

# Of a type that `puppet generate types` has written the attributes are objects, and it has no features.
def metadata(type)
  generated = type.is_a?(Puppet::Pops::Resource::ResourceTypeImpl)
  properties = type.properties.map { |property| property.name.to_s }
  { 'properties' => properties,
    'parameters' => type.parameters.map { |parameter| generated ? parameter.name : parameter.to_s },
    'keys' => type.key_attributes.map(&:to_s),
    'titles' => titles(type),
    'isomorphic' => type.isomorphic? ? true : false,
    'ensurable' => properties.include?('ensure'),
    'features' => generated ? [] : type.features.map(&:to_s) }
end

def find(name, generated)
  generated ? Puppet.lookup(:loaders).runtime3_type_loader.load(:resource_type_pp, name) : Puppet::Type.type(name.to_sym)
end

generated = ARGV[1] && "#{ARGV[1]}/generated"
environment = Puppet::Node::Environment.create(:production, [modules])
if generated
  # Loaders find the files by the environment's configuration.
  configuration = Puppet::Settings::EnvironmentConf.new(generated, nil, [])
  environment = Puppet::Node::Environment.create(:generated, [modules])
  Puppet.push_context(environments: Class.new { define_method(:get_conf) { |_| configuration } }.new)
end
Puppet.override(current_environment: environment, loaders: Puppet::Pops::Loaders.new(environment)) do
  puts JSON.generate('metaparameters' => Puppet::Type.metaparams.map(&:to_s))
  files = libraries.flat_map { |library| Dir["#{library}/puppet/type/*.rb"] }.sort
  core = Dir["#{File.dirname($LOADED_FEATURES.find { |path| path.end_with?('/puppet.rb') })}/puppet/type/*.rb"].sort
  (core + files).each do |file|
    name = File.basename(file, '.rb')
    row = { 'name' => name, 'file' => file.delete_prefix("#{modules}/") }
    row['file'] = nil if core.include?(file)
    begin
      type = find(name, generated && !core.include?(file))
      type ? row.update(metadata(type)) : row['error'] = 'no type'
    rescue StandardError, LoadError, SyntaxError => e
      row['error'] = "#{e.class}: #{e.message}".lines.first.chomp.gsub(modules, '<modules>')
    end
    puts JSON.generate(row)
  end
end
