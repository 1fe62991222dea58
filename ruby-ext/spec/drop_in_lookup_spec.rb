# frozen_string_literal: true

require 'json'
require 'open3'
require 'tmpdir'

# The application runs in processes of its own, without and with the drop-in.
RSpec.describe 'puppet lookup in bunraku/puppet', :puppet do
  DATA = {
    'hiera.yaml' => <<~'YAML',
      version: 5
      defaults: { data_hash: yaml_data, datadir: data }
      hierarchy:
        - { name: variable, path: "%{top}.yaml" }
        - { name: fact, path: "%{facts.system}.yaml" }
        - { name: common, path: common.yaml }
    YAML
    'data/common.yaml' => <<~'YAML',
      number: 1
      hash: { x: [1, 2], y: { z: "é" } }
      list: [one, two]
      text: "text %{facts.system} %{top}"
      refers: "%{lookup('missing')}"
      secret: clear
      shared: { p: &p [1, 2], q: *p }
      lookup_options:
        list: { merge: unique }
        secret: { convert_to: Sensitive }
    YAML
    'data/penguin.yaml' => "list: [three]\n",
    'data/T.yaml' => "list: [four]\nfrom_variable: yes\n",
    'manifests/site.pp' => %(notice("compiling") $top = "T" notify { "n": } warning("w"))
  }.freeze

  before(:all) do
    @directory = Dir.mktmpdir
    DATA.each do |name, text|
      path = File.join(@directory, 'environments/production', name)
      FileUtils.mkdir_p(File.dirname(path))
      File.write(path, text)
    end
    File.write(File.join(@directory, 'facts.json'), JSON.generate(system: 'penguin'))
  end

  after(:all) { FileUtils.rm_rf(@directory) if @directory }

  def asked(arguments, *required)
    options = ['--node', 'n.example.net', '--facts', "#{@directory}/facts.json", '--environmentpath', "#{@directory}/environments",
               '--confdir', "#{@directory}/conf", '--vardir', "#{@directory}/var"]
    code = 'require "puppet/util/command_line"; Puppet::Util::CommandLine.new("puppet", ARGV).execute'
    out, said, status = Open3.capture3({ 'BUNRAKU_PUPPET_REPORT' => "#{@directory}/report" }, RbConfig.ruby, '-W0', *required, '-e', code, 'lookup', *options, *arguments)
    [out, said, status.exitstatus]
  end

  # How often the compiler part was native, after the same question without it and with it.
  def native(arguments)
    arguments = arguments.split
    with = asked(arguments, '-I', File.expand_path('../lib', __dir__), '-r', 'bunraku/puppet')
    expect(with).to eq(asked(arguments))
    JSON.parse(File.readlines("#{@directory}/report").last).dig('compiler', 'native')
  end

  ['number', '--compile number', 'hash', 'hash.x.0', 'list', '--compile list', '--compile from_variable', '--compile text', 'secret', 'refers',
   'missing number', 'missing --default 7', 'number --type Integer', 'list --merge deep', 'hash --merge hash --render-as json',
   '--explain list', '--explain --compile list', '--explain missing', '--explain-options list', '--explain --render-as json secret'].each do |arguments|
    it("answers #{arguments} natively") { expect(native(arguments)).to eq(1) }
  end

  ['missing', 'number --type String', 'shared'].each do |arguments|
    it("leaves #{arguments} to Puppet") { expect(native(arguments)).to eq(0) }
  end
end
