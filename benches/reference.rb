# frozen_string_literal: true

# Times the jobs of the benches with the Puppet on Ruby's load path; prints a JSON object of names to seconds.
require 'json'
require 'puppet'
require 'tmpdir'
require_relative 'timing'

ROUNDS = 3
request = JSON.parse(File.read(ARGV.fetch(0)))
scratch = Dir.mktmpdir('reference')
at_exit { FileUtils.remove_entry(scratch) }
Puppet.initialize_settings(["--confdir=#{scratch}", "--vardir=#{scratch}/var", "--environmentpath=#{request['environmentpath']}",
                            '--certname=server.example.net'], false)
Puppet[:environment_timeout] = 'unlimited'
Puppet[:strict_variables] = true
Puppet::Util::Log.level = :err

def median(&work)
  work.call
  Timing.median(ROUNDS, clock: :wall, &work)
end

result = {}
texts = request['manifests'].map { |path| File.read(path, encoding: 'UTF-8') }
parser = Puppet::Pops::Parser::Parser.new
evaluating = Puppet::Pops::Parser::EvaluatingParser.new
jobs = request['jobs']
result['parse'] = median { texts.each { |text| parser.parse_string(text) } } if jobs.include?('parse')
if jobs.include?('parse and validate')
  result['parse and validate'] = median { texts.each { |text| evaluating.validate(parser.parse_string(text).model) } }
end

# A program is the main manifest of an environment without modules, created again each time, as in the native
# bench.
request['programs'].each do |program|
  Puppet[:code] = program['code']
  result[program['name']] = median do
    environment = Puppet::Node::Environment.create(:bench, [])
    Puppet.override(current_environment: environment, environments: Puppet::Environments::Static.new(environment)) do
      Puppet::Parser::Compiler.compile(Puppet::Node.new('bench.example.net', environment: environment))
    end
  end
end
Puppet[:code] = ''

Puppet.override(environments: Puppet::Environments::Cached.new(Puppet::Environments::Directories.new(request['environmentpath'], []))) do
  environment = Puppet.lookup(:environments).get!('production')
  name = 'web01.example.net'
  trusted = Puppet::Context::TrustedInformation.new('remote', name, {}, {})
  Puppet.override(current_environment: environment, trusted_information: trusted) do
    compile = lambda do
      node = Puppet::Node.new(name, environment: environment)
      node.merge(request['facts'])
      node.instance_variable_set(:@facts, Puppet::Node::Facts.new(name, request['facts']))
      Puppet::Parser::Compiler.compile(node)
    end
    result['compile the example, warm'] = median { compile.call } if jobs.include?('compile the example, warm')
  end
end
puts JSON.generate(result)
