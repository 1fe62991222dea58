# frozen_string_literal: true

require 'bunraku/command_line'
require 'fileutils'
require 'json'
require 'open3'
require 'stringio'
require 'tmpdir'

# The directories and the reference's answers are those of `tests/data/autoload`.
RSpec.describe Bunraku::Libraries do
  data = File.expand_path('../../tests/data/autoload', __dir__)
  files = JSON.parse(File.read("#{data}/files.json"))
  answers = File.readlines("#{data}/answers.jsonl").map { |line| JSON.parse(line) }

  around do |example|
    Dir.mktmpdir do |root|
      @root = File.realpath(root)
      files.each { |path, text| write(path, text) }
      example.run
    end
  end

  def write(path, text)
    FileUtils.mkdir_p(File.dirname("#{@root}/#{path}"))
    File.write("#{@root}/#{path}", text)
  end

  def environment(code, settings = { 'libdir' => '<root>/libdir', 'vendormoduledir' => '<root>/vendored' }, **options)
    settings = settings.transform_values { |value| value.sub('<root>', @root) }
    Bunraku::Environment.new(modulepath: ["#{@root}/modules", "#{@root}/more"], code: code, settings: settings, gems: ["#{@root}/gems/gems/fixture-1.0/lib"],
                             load_path: ["#{@root}/ruby"], **options)
  end

  def resources(code, *settings, **options)
    environment(code, *settings, **options).compile(node: 'n').to_h['resources'].drop(3).map { |one| "#{one['type']}[#{one['title']}]" }
  end

  %i[own off].each do |mode|
    it "finds what stands beside modules as the reference does (#{mode})" do
      wrong = answers.reject do |answer|
        found = resources(answer['code'], answer['settings'], ruby_functions: mode)
        found == answer['resources']
      rescue Bunraku::Error => e
        # How a template's failure is worded depends on the Ruby.
        answer['error'] && (answer['id'].start_with?('template-') || e.message.include?(answer['error'][/(?:.*, )?(.*?)(?: \(line: 1\).*)?\z/m, 1]))
      end
      expect(wrong.map { |answer| answer['id'] }).to eq([])
    end
  end

  it 'runs types and functions there, with the files that they require' do
    write('vendored/vend/lib/puppet_x/vend/names.rb', "module PuppetX\n  module Vend\n    NAMES = %w[a b].map { |name| \"#\{name}x\" }\n  end\nend\n")
    write('vendored/vend/lib/puppet/type/computed.rb', <<~'RUBY')
      require 'puppet_x/vend/names'
      Puppet::Type.newtype(:computed) do
        newparam(:name, namevar: true)
        PuppetX::Vend::NAMES.each { |name| newparam(name.to_sym) }
      end
    RUBY
    write('gems/gems/fixture-1.0/lib/puppet_x/fixture.rb', "module PuppetX\n  FIXTURE = 'of a gem'\nend\n")
    write('gems/gems/fixture-1.0/lib/puppet/parser/functions/helped.rb', <<~'RUBY')
      require 'puppet_x/fixture'
      Puppet::Parser::Functions.newfunction(:helped, type: :rvalue) { |args| "#{PuppetX::FIXTURE} #{function_from_vendored(['y'])}" }
    RUBY
    expect(resources("computed { 'x': ax => 1, bx => 2 } notify { helped(): }")).to eq(['Computed[x]', 'Notify[of a gem vendored y]'])
    expect { resources("computed { 'x': cx => 1 }") }.to raise_error(Bunraku::Error, /no parameter named 'cx'/)
    expect(defined?(PuppetX)).to be_nil
  end

  it 'takes gems and the load path of the process, without those of Puppet itself' do
    write('own/puppet/defaults.rb', '')
    write('own/puppet/type/never.rb', '')
    write('plain/json/x.rb', '')
    program = <<~RUBY
      $LOAD_PATH.push('#{@root}/ruby', '#{@root}/own', '#{@root}/plain')
      require 'bunraku'
      found = [Bunraku::Libraries.gems, Bunraku::Libraries.load_path].map { |paths| paths.select { |path| path.start_with?('#{@root}') } }
      catalog = Bunraku::Environment.new(modulepath: [], code: "in_gem { 'x': } in_ruby { 'x': }").compile(node: 'n')
      p found, catalog.to_h['resources'].last(2).map { |one| one['type'] }
    RUBY
    path = [*Gem.path, "#{@root}/gems"].join(':')
    unbundled = { 'GEM_PATH' => path, 'RUBYOPT' => nil, 'BUNDLE_GEMFILE' => nil }
    output, status = Open3.capture2e(unbundled, RbConfig.ruby, '-I', File.expand_path('../lib', __dir__), '-e', program)
    expect(status).to be_success, output
    expect(output).to eq("#{[["#{@root}/gems/gems/fixture-1.0/lib"], ["#{@root}/ruby"]]}\n[\"In_gem\", \"In_ruby\"]\n")
  end

  it 'is there in the command, by settings', :command do
    write('envs/production/manifests/site.pp', "in_vendored { 'x': } in_libdir { 'x': }")
    out = StringIO.new
    arguments = ['compile', '--environmentpath', "#{@root}/envs", '--node', 'n', '--setting', "vendormoduledir=#{@root}/vendored"]
    Bunraku::CommandLine.new(out, $stderr).run([*arguments, '--setting', "libdir=#{@root}/libdir"])
    expect(out.string).to include('In_vendored', 'In_libdir')
    failed = StringIO.new
    expect(Bunraku::CommandLine.new(StringIO.new, failed).run(arguments)).not_to eq(0)
    expect(failed.string).to include("Unknown resource type: 'in_libdir'")
  end
end
