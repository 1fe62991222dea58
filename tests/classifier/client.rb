# frozen_string_literal: true

# Drives the public client of the classifier's interface, the gem puppetclassify, through all its calls
# against the running command `bunraku classifier`, over TLS: with a token, and with client certificates of an
# authority made here.
#
#     ruby -I ruby-ext/lib -I PUPPETCLASSIFY/lib tests/classifier/client.rb
#
# Needs the gem puma. Prints a line for each call. The exit status is 0 if all calls behaved as they should.

require 'fileutils'
require 'json'
require 'net/http'
require 'openssl'
require 'puppetclassify'
require 'rbconfig'
require 'stringio'
require 'tmpdir'
require_relative '../free_port'

ROOT = '00000000-0000-4000-8000-000000000000'
COMMAND = File.expand_path('../../ruby-ext/exe/bunraku', __dir__)

# A certificate, with its key, in `NAME.pem` and `NAME-key.pem`; signed by the issuer (the certificate and the
# key), or by itself.
def certificate(directory, name, issuer = nil)
  key = OpenSSL::PKey::RSA.new(2048)
  cert = OpenSSL::X509::Certificate.new
  cert.version = 2
  cert.serial = rand(2**60)
  cert.subject = OpenSSL::X509::Name.parse("/CN=#{name}")
  signer, signing_key = issuer || [cert, key]
  cert.issuer = signer.subject
  cert.public_key = key.public_key
  cert.not_before = Time.now - 60
  cert.not_after = Time.now + 3600
  factory = OpenSSL::X509::ExtensionFactory.new(signer, cert)
  cert.add_extension(factory.create_extension('subjectAltName', 'DNS:localhost,IP:127.0.0.1')) if name == 'localhost'
  cert.add_extension(factory.create_extension('basicConstraints', "CA:#{issuer ? 'FALSE' : 'TRUE'}", true))
  cert.sign(signing_key, OpenSSL::Digest.new('SHA256'))
  File.write("#{directory}/#{name}.pem", cert.to_pem)
  File.write("#{directory}/#{name}-key.pem", key.to_pem)
  [cert, key]
end

def wait_for(port)
  100.times do
    return TCPSocket.new('127.0.0.1', port).close
  rescue Errno::ECONNREFUSED
    sleep 0.1
  end
  abort 'the classifier does not listen'
end

$failed = 0

# The client reports failures on the standard error.
def check(call)
  errors = StringIO.new
  stderr = STDERR
  replace_stderr(errors)
  result = yield
  good = result && errors.string.empty?
  puts format('%-40s %s', call, good ? 'ok' : "FAILED #{errors.string.lines.first(2).join(' ')}")
  $failed += 1 unless good
ensure
  replace_stderr(stderr)
end

def replace_stderr(stream)
  Object.send(:remove_const, :STDERR)
  Object.const_set(:STDERR, stream)
end

def through_all_calls(client)
  groups = client.groups
  web = { 'name' => 'Web', 'parent' => ROOT, 'classes' => { 'motd' => {} }, 'rule' => ['~', 'name', '^www'] }
  id = nil
  check('groups.create_group') { id = groups.create_group(web) }
  fixed = '11111111-1111-4111-8111-111111111111'
  check('groups.create_group with an id') { groups.create_group(web.merge('name' => 'B', 'id' => fixed)) == fixed }
  check('groups.get_groups') { groups.get_groups.map { |group| group['name'] } == ['All Nodes', 'Web', 'B'] }
  check('groups.get_group') { groups.get_group(id)['classes'] == { 'motd' => {} } }
  check('groups.get_group_id') { groups.get_group_id('Web') == id }
  check('groups.update_group') do
    groups.update_group('id' => id, 'variables' => { 'a' => 1 })
    groups.get_group(id)['variables'] == { 'a' => 1 }
  end
  check('groups.pin_nodes') do
    groups.pin_nodes(id, %w[foo bar])
    groups.get_group(id)['rule'].size == 4
  end
  check('groups.unpin_nodes') do
    groups.unpin_nodes(id, %w[foo])
    groups.get_group(id)['rule'].size == 3
  end
  check('commands.unpin_from_all') { client.commands.unpin_from_all(%w[bar])['nodes'].first['name'] == 'bar' }
  check('groups.delete_group') do
    groups.delete_group(fixed)
    groups.get_groups.size == 2
  end
  check('classes.get_classes') { client.classes.get_classes.map { |one| one['name'] } == ['motd'] }
  check('classes.get_environment_classes') { client.classes.get_environment_classes('production').size == 1 }
  check('classes.get_environment_class') do
    client.classes.get_environment_class('production', 'motd')['parameters'] == { 'text' => 'hello' }
  end
  environments = client.environments
  check('environments.get_environments') { environments.get_environments == [{ 'name' => 'production' }] }
  check('environments.get_environment') { environments.get_environment('production')['name'] == 'production' }
  check('environments.create_environment') do
    environments.create_environment('staging')
    environments.get_environments.size == 2
  end
  check('classification.get') { client.classification.get('www1', { 'fact' => { 'a' => 1 } })['groups'] == [ROOT, id] }
  check('classification.explain') { client.classification.explain('www1')['match_explanations'].key?(id) }
  check('nodes.get_nodes') { client.nodes.get_nodes.map { |node| node['name'] } == ['www1'] }
  check('nodes.get_node') { client.nodes.get_node('www1')['check_ins'].size == 1 }
  check('rules.translate') { client.rules.translate(['=', 'name', 'a']) == ['=', 'certname', 'a'] }
  check('validate.validate_group') { client.validate.validate_group(web.merge('name' => 'C')).nil? }
  check('update_classes.update') { client.update_classes.update.nil? }
  check('last_class_update.get') { client.last_class_update.get['last_update'] }
  check('import_hierarchy.import') do
    all = groups.get_groups
    client.import_hierarchy.import(all).nil? && groups.get_groups == all
  end
end

# The status of a request with a client's certificate, or none; `:no_connection` when the server does not want
# to talk.
def status(directory, port, request, certificate)
  http = Net::HTTP.new('localhost', port)
  http.use_ssl = true
  http.ca_file = "#{directory}/localhost.pem"
  if certificate
    http.cert = OpenSSL::X509::Certificate.new(File.read("#{directory}/#{certificate}.pem"))
    http.key = OpenSSL::PKey.read(File.read("#{directory}/#{certificate}-key.pem"))
  end
  http.request(request).code.to_i
rescue OpenSSL::SSL::SSLError, EOFError, SystemCallError
  :no_connection
end

def certificates_decide(directory, port)
  write = -> { Net::HTTP::Put.new('/classifier-api/v1/environments/other') }
  read = -> { Net::HTTP::Get.new('/classifier-api/v1/groups') }
  check('the named certificate writes') { status(directory, port, write.call, 'writer') == 201 }
  check('another certificate only reads') { [write, read].map { |one| status(directory, port, one.call, 'reader') } == [403, 200] }
  check('one that is on no list does nothing') { [write, read].map { |one| status(directory, port, one.call, 'other') } == [403, 403] }
  check('without a certificate nothing goes') { [write, read].map { |one| status(directory, port, one.call, nil) } == [401, 401] }
  check('certificates of others are refused') { [write, read].map { |one| status(directory, port, one.call, 'stranger') }.uniq == [:no_connection] }
end

# Runs the command, and stops it.
def serving(directory, database, *options)
  port = free_port
  pid = spawn(RbConfig.ruby, *$LOAD_PATH.flat_map { |path| ['-I', path] }, COMMAND, 'classifier', '--db', "#{directory}/#{database}", '--create',
              '--environmentpath', "#{directory}/environments", '--port', port.to_s,
              '--ssl-cert', "#{directory}/localhost.pem", '--ssl-key', "#{directory}/localhost-key.pem", '--check-ins', *options)
  wait_for(port)
  yield port
ensure
  Process.kill('TERM', pid)
  Process.wait(pid)
end

Dir.mktmpdir do |directory|
  certificate(directory, 'localhost')
  authority = certificate(directory, 'authority')
  %w[writer reader other].each { |name| certificate(directory, name, authority) }
  certificate(directory, 'stranger', certificate(directory, 'others'))
  FileUtils.mkdir_p("#{directory}/environments/production/manifests")
  File.write("#{directory}/environments/production/manifests/site.pp", "class motd($text = 'hello') {}")
  File.write("#{directory}/token", "secret\n")
  ca = { 'ca_certificate_path' => "#{directory}/localhost.pem" }
  puts 'with a token'
  serving(directory, 'token.db', '--token-file', "#{directory}/token") do |port|
    through_all_calls(PuppetClassify.new("https://localhost:#{port}/classifier-api", ca.merge('token' => 'secret')))
  end
  puts 'with client certificates'
  serving(directory, 'certificates.db', '--ssl-ca', "#{directory}/authority.pem", '--certname', 'writer',
          '--read-certname', 'reader') do |port|
    auth = ca.merge('certificate_path' => "#{directory}/writer.pem", 'private_key_path' => "#{directory}/writer-key.pem")
    through_all_calls(PuppetClassify.new("https://localhost:#{port}/classifier-api", auth))
    certificates_decide(directory, port)
  end
end
exit($failed.zero? ? 0 : 1)
