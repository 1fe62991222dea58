# frozen_string_literal: true

require 'open3'
require 'rbconfig'

# The signatures contain every public method and nothing else.
RSpec.describe 'sig/bunraku.rbs' do
  begin
    require 'rbs'
  rescue LoadError
    before { skip 'the gem rbs is not installed' }
  end

  let(:declared) do
    loader = RBS::EnvironmentLoader.new
    loader.add(path: Pathname(__dir__) / '../sig')
    %w[json time].each { |library| loader.add(library: library, version: nil) if loader.has_library?(library: library, version: nil) }
    RBS::Environment.from_loader(loader).resolve_type_names
  end
  let(:builder) { RBS::DefinitionBuilder.new(env: declared) }

  def classes(owner = Bunraku)
    names = owner.constants.reject { |name| owner.autoload?(name) && !%i[Node Model Trusted].include?(name) }
    below = names.map { |name| owner.const_get(name) }.grep(Module)
    [owner, *below.select { |one| one.name.to_s.start_with?('Bunraku::') }.reject { |one| internal?(one) }.flat_map { |one| classes(one) }]
  end

  # Methods that are documented as private, and the classes of nodes, which the signatures describe together.
  def internal?(one)
    %w[CommandHosts NativeIndex CommandLine::Server Registry Call Puppet PuppetX Reading ModelBuilder Model DropIn Ruby Libraries Watchdog Functions Library Natives].any? do |name|
      one.name.start_with?("Bunraku::#{name}")
    end
  end

  # Methods of the language's own objects, and those of a Struct's members.
  ORDINARY = (Object.instance_methods + %i[initialize_copy ~ _dump _load]).freeze

  # Methods that are public only for other classes of the gem.
  INTERNAL = %w[Bunraku::Diagnostic.of Bunraku::Host#exported_resources_json Bunraku::Place.of_ranges Bunraku::Node.register Bunraku::Node.key?
                Bunraku::Node.visits Bunraku::CommandLine#in_parallel Bunraku::CommandLine#serve
                Bunraku::CommandLine#shadow Bunraku::CommandLine#stored_facts Bunraku::CommandLine#surroundings].freeze

  it 'has all methods' do
    missing = classes.flat_map do |one|
      name = RBS::TypeName.new(name: one.name.split('::').last.to_sym,
                               namespace: RBS::Namespace.parse("::#{one.name[/\A(.*)::/, 1]}").absolute!)
      next ["#{one}: no signature"] unless declared.class_decls.key?(name)

      own = one.public_instance_methods(false) - ORDINARY
      own -= one.members.flat_map { |member| [member, :"#{member}="] } if one.is_a?(Class) && one < Struct
      singleton = one.singleton_class.public_instance_methods(false) - Class.instance_methods - Module.instance_methods - %i[_load []]
      (own - builder.build_instance(name).methods.keys).map { |method| "#{one}##{method}" } +
        (singleton - builder.build_singleton(name).methods.keys).map { |method| "#{one}.#{method}" }
    end
    expect((missing - INTERNAL).join("\n")).to eq('')
  end
end
