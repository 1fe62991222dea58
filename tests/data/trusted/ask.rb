# frozen_string_literal: true

# Makes certificates with OpenSSL, has the reference say what is trusted of them, and writes questions with
# their answers.
#
#   ruby -rset -I "$OPENVOX_LIB" tests/data/trusted/ask.rb > tests/data/trusted/certificates.jsonl
#
# Strings of the answers are written as hexadecimal digits of their bytes, as JSON has no other form for those
# that are no UTF-8: {"text": "776562"}. What the language has no type for (numbers of OpenSSL, times) is
# asked for its text; arrays of OpenSSL's objects for the values of these.

require 'json'
require 'openssl'
require 'puppet'
require 'puppet/ssl/certificate'
require 'tempfile'

Puppet::SSL::Oids.register_puppet_oids
ASN1 = OpenSSL::ASN1
KEY = OpenSSL::PKey::EC.generate('prime256v1')
ROOT = '1.3.6.1.4.1.34380'

# An extension in DER: whatever bytes, under whatever number.
def extension(oid, bytes, critical: false)
  members = [ASN1.ObjectId(oid), *(ASN1.Boolean(true) if critical), ASN1.OctetString(bytes)]
  OpenSSL::X509::Extension.new(ASN1.Sequence(members).to_der)
end

def certificate(subject, extensions)
  made = OpenSSL::X509::Certificate.new
  made.subject = made.issuer = OpenSSL::X509::Name.new(subject)
  made.serial = 1
  made.version = extensions.empty? ? 0 : 2
  made.not_before = Time.utc(2020)
  made.not_after = Time.utc(2070)
  made.public_key = KEY
  extensions.each { |one| made.add_extension(one) }
  made.sign(KEY, OpenSSL::Digest.new('SHA256'))
  made.to_pem
end

def plain(value)
  case value
  when String then { 'text' => value.unpack1('H*') }
  when OpenSSL::BN, Time then { 'text' => value.to_s.unpack1('H*') }
  when Array then value.map { |one| plain(one) }
  when Hash then value.to_h { |key, one| [key, plain(one)] }
  when ASN1::ASN1Data then plain(value.value)
  else value
  end
end

# What the reference answers. In a process of its own: names that OpenSSL has learnt stay.
def answer(pem, mapping)
  reading, writing = IO.pipe
  child = fork do
    reading.close
    writing.write(JSON.generate(asked(pem, mapping)))
    writing.close
    exit!(0)
  end
  writing.close
  text = reading.read
  Process.wait(child)
  JSON.parse(text)
end

def asked(pem, mapping)
  if mapping
    file = Tempfile.new(['mapping', '.yaml'])
    File.write(file.path, mapping)
    Puppet::SSL::Oids.load_custom_oid_file(file.path)
  end
  certificate = Puppet::SSL::Certificate.from_s(pem)
  trusted = Puppet::Context::TrustedInformation.remote(true, certificate.name, certificate)
  { 'trusted' => plain(trusted.to_h.merge('external' => {})) }
rescue NoMethodError
  { 'crash' => true }
rescue StandardError => e
  { 'error' => file ? e.message.gsub(file.path, 'mapping.yaml') : e.message }
end

def ask(id, pem, mapping = nil)
  puts JSON.generate({ id: id, pem: pem, mapping: mapping, **answer(pem, mapping) }.compact)
end

HOST = [['CN', 'web01.example.net', ASN1::UTF8STRING]].freeze

def value(id, bytes, oid: "#{ROOT}.1.1.13")
  ask("value-#{id}", certificate(HOST, [extension(oid, bytes)]))
end

# Each type of a text, with what is ASCII and what is not.
[ASN1.UTF8String('wéb'), ASN1.PrintableString('web'), ASN1.IA5String('web'), ASN1.T61String('web'), ASN1.T61String("w\xE9b".b), ASN1.BMPString("\0w\0e\0b".b),
 ASN1.BMPString("\0w\0\xE9".b), ASN1.UniversalString("\0\0\0w".b), ASN1.VideotexString('v'), ASN1.GraphicString('g'), ASN1.ISO64String('i'), ASN1.GeneralString('g'),
 ASN1.NumericString('12'), ASN1.OctetString('octets'), ASN1.OctetString("\xFF\0".b), ASN1.UTF8String(''), ASN1.UTF8String("a\0b\n\"'"), ASN1.UTF8String('x' * 200)].each_with_index do |one, index|
  value("text-#{index}", one.to_der)
end
# What is no text.
[ASN1.Integer(5), ASN1.Integer(-129), ASN1.Integer(2**80), ASN1.Enumerated(3), ASN1.Boolean(true),
 ASN1.Boolean(false), ASN1.Null(nil), ASN1.ObjectId('pp_role'), ASN1.ObjectId("#{ROOT}.7.1"), ASN1.BitString('bits'), ASN1.UTCTime(Time.utc(2031, 2, 3, 4, 5, 6)),
 ASN1.UTCTime(Time.utc(1969, 2, 3)), ASN1.GeneralizedTime(Time.utc(2131, 2, 3, 4, 5, 6)), ASN1.Sequence([ASN1.UTF8String('a'), ASN1.Null(nil), ASN1.Sequence([ASN1.IA5String('b')])]),
 ASN1.Sequence([]), ASN1.Set([ASN1.UTF8String('a')])].each_with_index { |one, index| value("other-#{index}", one.to_der) }
# Raw texts, as certificates had them once, and bytes that are nearly something.
["web", '', 'a longer role::of::a node', 'wéb', "\xFF\xFE".b, "\x0c\x03web!".b, "\x0c\x05web".b, "\x0c\x81\x03web".b, "\x0c\x80web\0\0".b,
 "\x30\x80\x0c\x01a\0\0".b, "\x2c\x80\x0c\x01a\x0c\x01b\0\0".b, "\x2c\x06\x0c\x01a\x0c\x01b".b, "a\x02xy".b, "A\x02xy".b, "\xa0\x03\x0c\x01a".b,
 "\x80\x02ab".b, "\xc5\x02ab".b, "\x1f\x81\x01\x01a".b, "\x9f\x81\x01\x01a".b, "\x0d\x01a".b, "\x0f\x01a".b, "\x09\x01a".b, "\x01\x01\x05".b,
 "\x01\x02\x05\x05".b, "\x02\x00".b, "\x02\x02\x00\x05".b, "\x02\x02\xff\x85".b, "\x05\x01a".b, "\x06\x00".b, "\x06\x01\x80".b, "\x06\x02\x80\x01".b,
 "\x03\x00".b, "\x03\x01\x00".b, "\x03\x02\x04\xff".b, "\x03\x02\x09\xff".b, "\x17\x03abc".b, "\x17\x0b7001010000Z".b, "\x18\x0f20240228000000Z".b,
 "\x18\x03abc".b, "\x00\x00".b, "\x00\x01a".b, "\x0e\x01a".b, "\x1e\x01a".b, "\x10\x01a".b, "\x21\x03\x01\x01\xff".b, "\x0c\xffaaa".b,
 "\x0c\x89\0\0\0\0\0\0\0\0\x01a".b, "\x0c\x88\xff\xff\xff\xff\xff\xff\xff\xffa".b, "\x0c".b, "\x1f".b, "\x1f\x80".b, "\x30\x03\x0c\x05a".b,
 "\x30\x80\x0c\x01a".b, "\x1f\xff\xff\xff\xff\x7f\x01a".b].each_with_index { |bytes, index| value("raw-#{index}", bytes) }

# Times that are none, or another day's.
%w[20240230000000Z 20230229120000Z 20241301000000Z 20240101240000Z 20240101240001Z 20240101250000Z 20240101006000Z 20240101000059 20240101000060Z
   20240132000000Z 20240100000000Z 00010101000000Z 2024010100Z 202401010000Z 20240101000000.5Z 20240101000000+0200].each_with_index do |time, index|
  value("time-#{index}", "\x18#{[time.size].pack('C')}#{time}".b)
end

# Every number below the three arcs, what only looks as if it were, and what is beside.
suffixes = (1..28).map { |n| "1.1.#{n}" } + (1..3).map { |n| "1.3.#{n}" } +
           %w[1.3.13 1.3.39 1.1 1.2 1.3 1.4 1.4.1 1.10 1.10.5 1.20.1 1.39.7 1.2.1.1 1.2.7 1.1.13.1 2.1 1 3]
ask('numbers', certificate(HOST, suffixes.map { |suffix| extension("#{ROOT}.#{suffix}", ASN1.UTF8String(suffix).to_der) }))
ask('beside', certificate(HOST, [extension('1.3.6.1.4.1.343801.1.1', ASN1.UTF8String('a').to_der), extension('2.5.29.15', "\x03\x02\x05\xa0".b),
                                 extension("#{ROOT}.1.1.1", ASN1.UTF8String('b').to_der, critical: true)]))
ask('twice', certificate(HOST, [extension("#{ROOT}.1.1.1", 'one'), extension("#{ROOT}.1.1.2", 'two'), extension("#{ROOT}.1.1.1", 'three')]))
ask('none', certificate(HOST, []))

# Names.
names = ['host', 'Web01.Example.NET', 'a.b.c.d', 'host.', '.host', 'a b', 'a_b', 'a/b', 'wéb', "a\n", "\n", '', '~', "a\u007f", "a\tb", '*.example.net']
names.each_with_index { |name, index| ask("name-#{index}", certificate([['CN', name, ASN1::UTF8STRING]], [])) }
ask('name-printable', certificate([['CN', 'Printable.example.net', ASN1::PRINTABLESTRING]], []))
ask('name-bmp', certificate([['CN', "\0a".b, ASN1::BMPSTRING]], []))
ask('name-missing', certificate([['O', 'example', ASN1::UTF8STRING]], []))
ask('name-nothing', certificate([], []))
ask('name-several', certificate([['O', 'x', ASN1::UTF8STRING], ['CN', 'first.example.net', ASN1::UTF8STRING], ['CN', 'second', ASN1::UTF8STRING]], []))

# What stands around a certificate.
one = certificate(HOST, [extension("#{ROOT}.1.1.13", ASN1.UTF8String('wéb').to_der), extension("#{ROOT}.1.2.1.1", ASN1.PrintableString('r7').to_der)])
File.write(File.join(__dir__, 'web01.pem'), one)
two = certificate([['CN', 'other', ASN1::UTF8STRING]], [])
around = [one + two, "Certificate:\n  Data:\n#{one}", one + "behind\n", one.gsub("\n", "\r\n"), one.chomp, "\n\n#{one}", KEY.public_to_pem + one]
around.each_with_index { |text, index| ask("pem-#{index}", text) }
damaged = ['', 'x', "-----BEGIN CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
           "-----BEGIN CERTIFICATE-----\n????\n-----END CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",
           KEY.public_to_pem, one.sub(/^-----END.*\n/, ''), one.lines.tap { |lines| lines.delete_at(3) }.join]
damaged.each_with_index { |text, index| ask("damaged-#{index}", text) }

# Names of one's own.
mapped = certificate(HOST, %w[1.2.1.1 1.2.1.2 1.2.9 1.1.1 1.1.77 1.3.5].map { |suffix| extension("#{ROOT}.#{suffix}", ASN1.UTF8String(suffix).to_der) })
def entry(oid, short, long) = "  #{oid}: {shortname: #{short}, longname: #{long}}\n"
mappings = [
  "---\noid_mapping:\n  '#{ROOT}.1.2.1.1':\n    shortname : 'myshortname'\n    longname  : 'Long name'\n  '#{ROOT}.1.2.1.2':\n    shortname: 'myothershortname'\n    longname: 'Other Long name'\n",
  "oid_mapping:\n#{entry("#{ROOT}.1.1.77", 'rack', 'Rack')}#{entry("#{ROOT}.1.3.5", 'right', 'Right')}#{entry('1.2.3.4.5.6', 'elsewhere', 'Elsewhere')}",
  "oid_mapping: {}\n", "oid_mapping: []\n", "oid_mapping:\n", "other: 1\n", "a: !ruby/object:Gem::Version {}\n", '', "- a\n", "a\n",
  "oid_mapping:\n  #{ROOT}.1.2.1.1: {shortname: a}\n", "oid_mapping:\n  #{ROOT}.1.2.1.1: {longname: a}\n", "oid_mapping:\n  #{ROOT}.1.2.1.1: a\n",
  "oid_mapping:\n#{entry("#{ROOT}.1.1.1", 'a', 'b')}", "oid_mapping:\n#{entry("#{ROOT}.1.2.7", 'pp_uuid', 'b')}",
  "oid_mapping:\n#{entry("#{ROOT}.1.2.7", 'a', 'Puppet Node UUID')}", "oid_mapping:\n#{entry("#{ROOT}.1.2.9", 'same', 'same')}",
  "oid_mapping:\n#{entry("#{ROOT}.1.2.9", 'a', 'b')}#{entry("#{ROOT}.1.2.8", 'b', 'c')}", "oid_mapping:\n#{entry("#{ROOT}.1.2.9", 'a', 'b')}#{entry("#{ROOT}.1.2.8", 'a', 'c')}",
  "oid_mapping:\n#{entry("#{ROOT}.1.2.9", 'a', 'b')}#{entry("#{ROOT}.1.2.09", 'c', 'd')}", "oid_mapping:\n#{entry("#{ROOT}.1.2.09", 'a', 'b')}",
  "oid_mapping:\n#{entry("#{ROOT}.1.2.9", 5, 'b')}", "oid_mapping:\n#{entry("#{ROOT}.1.2.9", 'a', 1.5)}", "oid_mapping:\n#{entry('1.3', 'a', 'b')}",
  "oid_mapping:\n#{entry("'1.x'", 'a', 'b')}", "oid_mapping:\n#{entry('abc', 'a', 'b')}", "oid_mapping:\n#{entry("'1'", 'a', 'b')}", "oid_mapping:\n#{entry("'3.1'", 'a', 'b')}",
  "oid_mapping:\n#{entry("'1.40.1'", 'a', 'b')}", "oid_mapping:\n#{entry("''", 'a', 'b')}", "oid_mapping:\n#{entry("#{ROOT}.1.2.9", "''", "''")}",
  "oid_mapping:\n#{entry("#{ROOT}.1.2.9", true, 'b')}", "oid_mapping:\n#{entry("#{ROOT}.1.2.9", '[a]', 'b')}", "oid_mapping:\n#{entry("#{ROOT}.1.2.9", '{a: b}', 'b')}",
  "oid_mapping:\n#{entry('1.2.3.4x', 'a', 'b')}", "oid_mapping:\n#{entry("'2.999.3'", 'a', 'b')}"
]
mappings.each_with_index { |mapping, index| ask("mapping-#{index}", mapped, mapping) }
