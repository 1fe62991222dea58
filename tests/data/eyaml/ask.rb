# frozen_string_literal: true

# Makes keys where there are none, asks a reference that has the gem hiera-eyaml about encrypted data, and writes questions with
# their answers. Keys are found relative to the directory above `data`, where the questions are asked, too.
#
#   cd tests && ruby data/eyaml/ask.rb 'COMMAND THAT SPEAKS THE PROTOCOL' > data/eyaml/lookups.jsonl

require 'json'
require 'open3'
require 'openssl'

KEYS = 'data/eyaml/keys'

# A pair of files, as `eyaml createkeys` writes them.
def make(name, size, serial, subject = name)
  return if File.exist?("#{KEYS}/#{name}.private.pem")

  key = OpenSSL::PKey::RSA.new(size)
  certificate = OpenSSL::X509::Certificate.new
  certificate.subject = certificate.issuer = OpenSSL::X509::Name.parse("/CN=#{subject}")
  certificate.serial = serial
  certificate.version = 2
  certificate.not_before = Time.utc(2020)
  certificate.not_after = Time.utc(2070)
  certificate.public_key = key.public_key
  certificate.sign(key, OpenSSL::Digest.new('SHA256'))
  File.write("#{KEYS}/#{name}.private.pem", key.to_pem)
  File.write("#{KEYS}/#{name}.public.pem", certificate.to_pem)
  File.write("#{KEYS}/#{name}.pkcs8.pem", key.private_to_pem)
end

make('own', 2048, 1)
make('other', 2048, 2)
make('small', 1024, 1)
make('double', 2048, 1, 'own')
File.write("#{KEYS}/broken.pem", "no key\n")

def certificate(name) = OpenSSL::X509::Certificate.new(File.read("#{KEYS}/#{name}.public.pem"))

def message(text, names = ['own'], cipher = 'aes-256-cbc')
  OpenSSL::PKCS7.encrypt(names.map { |name| certificate(name) }, text, OpenSSL::Cipher.new(cipher), OpenSSL::PKCS7::BINARY).to_der
end

def enc(...) = "ENC[PKCS7,#{[message(...)].pack('m0')}]"

own = { 'pkcs7_private_key' => "#{KEYS}/own.private.pem", 'pkcs7_public_key' => "#{KEYS}/own.public.pem" }
secret = enc('secret')
cut = [message('secret')[0, 200]].pack('m0')
turned = message('secret').tap { |bytes| bytes.setbyte(-1, bytes.getbyte(-1) ^ 1) }
data = {
  'plain' => 'text', 'one' => secret, 'around' => "a #{secret} b", 'two' => "#{secret}#{enc('2')}",
  'small letters' => secret.sub('PKCS7', 'pkcs7'), 'no scheme' => secret.sub('PKCS7,', ''), 'spaces' => secret.scan(/.{1,60}/).join(' '),
  'lines' => secret.scan(/.{1,60}/).join("\n"), 'lines behind text' => "x ENC[]\n#{secret.scan(/.{1,60}/).join("\n")}",
  'tabs' => secret.scan(/.{1,60}/).join("\t"), 'empty' => enc(''), 'line end' => enc("a\n"), 'line ends' => enc("a\n\n"),
  'CRLF' => enc("a\r\n"), 'CR' => enc("a\r"), 'line end behind' => "#{secret}\n", 'line end of text' => "text\n", 'UTF-8' => enc('grüße ☃'),
  'bytes' => enc("\xff\xfe\x00a".b), 'latin' => enc("gr\xfc\xdfe".b), 'interpolated' => enc('%{lookup("m::plain")}!'),
  'interpolates' => '%{lookup("m::one")}!', 'literal' => enc('%%{}{x}'), 'nested' => { 'a' => [secret, 1, { secret => enc('v') }], '%{literal("k")}' => secret },
  'numbers' => { '1' => 1, 'f' => 1.5, 'u' => nil, 't' => true }, 'other scheme' => secret.sub('PKCS7', 'GPG'),
  'unknown scheme' => 'ENC[NOSUCH,abcd]', 'odd letters' => 'ENC[PKCS7,ab-cd_]', 'not closed' => 'ENC[PKCS7,abcd', 'empty brackets' => 'ENC[]',
  'empty brackets, line' => "ENC[]\n", 'no base64' => 'ENC[PKCS7,=]', 'short' => 'ENC[PKCS7,abcd]', 'cut' => "ENC[PKCS7,#{cut}]",
  'turned' => "ENC[PKCS7,#{[turned].pack('m0')}]", 'padding inside' => secret.sub(/(.{40})/, '\1===='), 'behind base64' => secret.sub(']', '=zzz]'),
  'for another' => enc('o', ['other']), 'for both' => enc('b', %w[other own]), '128' => enc('x', ['own'], 'aes-128-cbc'),
  '192' => enc('x', ['own'], 'aes-192-cbc'), '3DES' => enc('x', ['own'], 'des-ede3-cbc'), 'signed' => "ENC[PKCS7,#{[OpenSSL::PKCS7.sign(certificate('own'), OpenSSL::PKey::RSA.new(File.read("#{KEYS}/own.private.pem")), 'x').to_der].pack('m0')}]",
  'long' => enc('long ' * 2000), 'DEC' => 'DEC::PKCS7[secret]!', 'many' => [secret] * 3, 'yaml' => enc("---\na: 1\n"), 'number' => enc('42')
}
options = {
  'own' => own, 'PKCS 8' => own.merge('pkcs7_private_key' => "#{KEYS}/own.pkcs8.pem"), 'nothing' => {}, 'no public key' => own.slice('pkcs7_private_key'),
  'no private key' => own.slice('pkcs7_public_key'), 'missing private key' => own.merge('pkcs7_private_key' => "#{KEYS}/none.pem"),
  'missing public key' => own.merge('pkcs7_public_key' => "#{KEYS}/none.pem"), 'broken private key' => own.merge('pkcs7_private_key' => "#{KEYS}/broken.pem"),
  'broken public key' => own.merge('pkcs7_public_key' => "#{KEYS}/broken.pem"), 'certificate for a key' => own.merge('pkcs7_private_key' => "#{KEYS}/own.public.pem"),
  'key for a certificate' => own.merge('pkcs7_public_key' => "#{KEYS}/own.private.pem"), 'stranger' => own.merge('pkcs7_private_key' => "#{KEYS}/other.private.pem", 'pkcs7_public_key' => "#{KEYS}/other.public.pem"),
  'key of another' => own.merge('pkcs7_private_key' => "#{KEYS}/other.private.pem"), 'certificate of another' => own.merge('pkcs7_public_key' => "#{KEYS}/other.public.pem"),
  'double' => own.merge('pkcs7_private_key' => "#{KEYS}/double.private.pem", 'pkcs7_public_key' => "#{KEYS}/double.public.pem"),
  'small' => { 'pkcs7_private_key' => "#{KEYS}/small.private.pem", 'pkcs7_public_key' => "#{KEYS}/small.public.pem" }, 'extra' => own.merge('x' => { 'y' => [1] }),
  'no text' => own.merge('pkcs7_private_key' => 1), 'unknown variable' => own.merge('pkcs7_private_key_env_var' => 'BUNRAKU_NONE').reject { |name,| name == 'pkcs7_private_key' }
}
data.merge!('for the small one' => enc('s', ['small']))

Question = Struct.new(:id, :option, :text, :source)
source = ->(key) { "$r = lookup('m::#{key}')\n$r" }
questions = data.keys.map { |key| Question.new(key, 'own', data.slice(key, 'plain', 'one'), source[key]) }
options.each_key do |option|
  ['one', 'for both', 'for the small one'].each do |key|
    questions << Question.new("#{option}: #{key}", option, data.slice(key), source[key])
  end
end
{ 'a list' => "- 1\n", 'a text' => "x\n", 'nothing' => '', 'no YAML' => "a: [\n", 'false' => 'false', 'symbols' => "m::one: :sym\n:m::two: 1\n",
  'a tag' => "m::one: !ruby/object:Object {}\n" }.each do |name, text|
  questions << Question.new("file: #{name}", 'own', text, source['one'])
end
questions << Question.new('file: missing', 'own', nil, source['one'])
questions << Question.new('kinds of keys', 'own', "m::one:\n  1: a\n  2.5: b\n  true: c\n  :s: d\n", source['one'])
questions << Question.new('sensitive', 'own', data.slice('one').merge('lookup_options' => { 'm::one' => { 'convert_to' => 'Sensitive' } }), "lookup('m::one').unwrap")
questions << Question.new('class', 'own', data.slice('one'), "include m\n$m::one")

requests = questions.map do |question|
  yaml = { 'version' => 5, 'hierarchy' => [{ 'name' => 'secrets', 'lookup_key' => 'eyaml_lookup_key', 'path' => 'd.eyaml', 'options' => options[question.option] }] }
  files = { 'modules/m/hiera.yaml' => JSON.pretty_generate(yaml), 'modules/m/manifests/init.pp' => "class m(\$one = 'default') { }\n" }
  text = question.text
  text = JSON.pretty_generate(text.to_h { |key, value| [key == 'lookup_options' ? key : "m::#{key}", value] }) if text.is_a?(Hash)
  files['modules/m/data/d.eyaml'] = text if text
  { 'id' => "eyaml:#{question.id}", 'op' => 'eval', 'source' => question.source, 'files' => files }
end
requests << requests[1].merge('id' => 'eyaml:no path', 'files' => requests[1]['files'].merge('modules/m/hiera.yaml' => JSON.generate('version' => 5, 'hierarchy' => [{ 'name' => 's', 'lookup_key' => 'eyaml_lookup_key', 'options' => own }])))

answers, = Open3.capture2(ARGV.fetch(0), stdin_data: requests.map { |request| JSON.generate(request) << "\n" }.join)
answers = answers.each_line.to_h { |line| JSON.parse(line).then { |answer| [answer.delete('id'), answer] } }
requests.each do |request|
  answer = answers[request['id']]
  # Where Ruby lacks a file, the reference ends with what is no answer of its own.
  puts JSON.generate(request.merge('expect' => answer)) unless answer.nil? || answer.dig('error', 'oracle')
end
