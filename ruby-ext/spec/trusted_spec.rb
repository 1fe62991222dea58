# frozen_string_literal: true

RSpec.describe 'Bunraku::Trusted' do
  data = File.expand_path('../../tests/data/trusted', __dir__)
  let(:pem) { File.read(File.join(data, 'web01.pem')) }
  let(:mapping) { File.read(File.join(data, 'mapping.yaml')) }

  it 'reads what is trusted from a certificate, for compilations' do
    trusted = Bunraku::Trusted.from_certificate(pem, mapping)
    expect(trusted).to eq('authenticated' => 'remote', 'certname' => 'web01.example.net', 'hostname' => 'web01', 'domain' => 'example.net',
                          'extensions' => { 'pp_role' => 'wéb', 'rack' => 'r7' }, 'external' => {})
    environment = Bunraku::Environment.new(code: 'notify { "${trusted[extensions][pp_role]} ${trusted[authenticated]} ${trusted[external][site]}": }',
                                           modulepath: [])
    catalog = environment.compile(node: trusted['certname'], trusted: trusted.merge('external' => { 'site' => 'fra' }))
    expect(catalog['Notify[wéb remote fra]']).not_to be_nil
  end

  it 'names extensions by their numbers without a mapping' do
    expect(Bunraku::Trusted.from_certificate(pem)['extensions'].keys).to eq(%w[pp_role 1.3.6.1.4.1.34380.1.2.1.1])
  end

  it 'refuses what is no certificate and no mapping' do
    expect { Bunraku::Trusted.from_certificate('x') }.to raise_error(Bunraku::Error, 'PEM_read_bio_X509: no start line')
    expect { Bunraku::Trusted.from_certificate(pem, '', path: '/m.yaml') }
      .to raise_error(Bunraku::Error, "Error loading ssl custom OIDs mapping file from '/m.yaml': no such index 'oid_mapping'")
  end
end
