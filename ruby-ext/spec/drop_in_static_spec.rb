# frozen_string_literal: true

require 'open3'

# Puppet is loaded in separate processes, because a replaced method is replaced for the whole process.
RSpec.describe 'static catalogs of bunraku/puppet', :puppet do
  def ruby(code, *required)
    out, said, status = Open3.capture3(RbConfig.ruby, '-W0', '-I', File.expand_path('../lib', __dir__), *required, '-e', code)
    raise out + said unless status.success?

    out
  end

  # Each manifest is compiled for an agent that wants a static catalog, and for one that wants none.
  let(:code) { <<~'RUBY' }
    require 'puppet'
    require 'tmpdir'
    require 'puppet/indirector/catalog/compiler'
    MANIFESTS = [
      'file { "/one": source => "puppet:///modules/m/one" } file { "/second": source => ["puppet:///modules/m/none", "puppet:///modules/m/one"] }',
      'file { "/all": ensure => directory, recurse => remote, source => "puppet:///modules/m/all", checksum => md5 }',
      'file { "/gone": ensure => absent, source => "puppet:///modules/m/one" } file { "/local": source => "/etc/hostname" } file { "/d": ensure => directory }
       @file { "/virtual": source => "puppet:///modules/m/one" } @@file { "/exported": source => "puppet:///modules/m/one" }',
      'file { "/missing": source => "puppet:///modules/m/none" }', 'notify { "x": }'
    ].freeze
    Puppet::FileServing::Metadata.indirection.terminus_class = :file_server
    LOGS = []
    Puppet::Util::Log.newdesttype(:list) { match 'List'; define_method(:handle) { |entry| LOGS << [entry.level, entry.to_s.gsub(/[\d.]+ seconds/, 'seconds')] } }
    Puppet::Util::Log.newdestination('List')
    Dir.mktmpdir do |directory|
      Puppet.initialize_settings(['--confdir', "#{directory}/conf", '--vardir', "#{directory}/var", '--environmentpath', directory])
      files = File.join(directory, 'production/modules/m/files')
      FileUtils.mkdir_p("#{files}/all/inner")
      %w[one all/two all/inner/three].each { |name| File.write("#{files}/#{name}", name) && File.utime(0, 0, "#{files}/#{name}") }
      Puppet.override(environments: Puppet::Environments::Directories.new(directory, Puppet[:basemodulepath].split(':'))) do
        MANIFESTS.product([{ static_catalog: true, code_id: 'the code', checksum_type: 'sha256.md5' }, {}]).each do |manifest, wanted|
          Puppet[:code] = manifest
          environment = Puppet.lookup(:environments).get!(:production)
          node = Puppet::Node.new('n.example.net', environment: environment)
          request = Puppet::Indirector::Request.new(:catalog, :find, 'n.example.net', nil, use_node: node, environment: environment, **wanted)
          terminus = Puppet::Resource::Catalog::Compiler.new
          catalog = terminus.filter(terminus.find(request))
          puts catalog.to_json.gsub(directory, '').gsub(/"(version|catalog_uuid)":("[^"]*"|\d+)/, '').gsub(/"value":"[^"]*:\d\d [^"]*"/, '').gsub(/"(ctime|mtime)":"[^"]*"/, '')
        rescue Puppet::Error, RuntimeError => e
          puts e.class, e.message
        end
      end
    end
    puts LOGS.inspect
  RUBY

  it 'are those of Puppet, with the id of the code' do
    theirs = ruby(code)
    expect(theirs).to include('"code_id":"the code"').and include('"recursive_metadata"').and include('Could not get metadata').and include('Compiled static catalog')
    expect(ruby(code, '-r', 'bunraku/puppet')).to eq(theirs)
  end

  it 'are native' do
    expect(ruby("#{code}\np Bunraku::DropIn.report[:compiler]", '-r', 'bunraku/puppet').lines.last).to eq("{:native=>10, :left=>{}, :aside=>{}}\n")
  end
end
