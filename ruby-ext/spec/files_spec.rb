# frozen_string_literal: true

require_relative 'spec_helper'
require 'bunraku/command_line'
require 'stringio'
require 'timeout'
require 'tmpdir'

RSpec.describe 'files' do
  around do |example|
    Dir.mktmpdir do |directory|
      @directory = directory
      Timeout.timeout(60) { example.run }
    end
  end

  def path(name) = File.join(@directory, name)

  def run(*arguments)
    out = StringIO.new
    err = StringIO.new
    [Bunraku::CommandLine.new(out, err).run(arguments), out.string, err.string]
  end

  describe Bunraku::Files do
    it 'refuses what is no regular file, without waiting' do
      File.mkfifo(path('pipe'))
      expect { described_class.read(path('pipe')) }.to raise_error(described_class::Refused, /a named pipe.*#{path('pipe')}/)
      expect { described_class.read('/dev/zero') }.to raise_error(described_class::Refused, /a device/)
      expect { described_class.read(@directory) }.to raise_error(Errno::EISDIR)
      expect(described_class.read('/dev/null')).to eq('')
    end

    it 'refuses what is too large' do
      File.open(path('sparse'), 'w') { |file| file.truncate(1 << 30) }
      [:read, :read_named].each do |how|
        expect { described_class.send(how, path('sparse')) }
          .to raise_error(described_class::Refused, "File too large: it has more than 67108864 bytes - #{path('sparse')}")
      end
      expect { described_class.read_named('/dev/zero', size: 1000) }.to raise_error(described_class::Refused, /more than 1000 bytes/)
    end

    it 'waits for pipes that somebody has named' do
      File.mkfifo(path('pipe'))
      writer = Thread.new { File.write(path('pipe'), 'ä' * 100_000) }
      text = described_class.read_named(path('pipe'))
      expect([text.encoding, text.size]).to eq([Encoding::UTF_8, 100_000])
      writer.join
    end

    it 'can be interrupted while it waits' do
      File.mkfifo(path('pipe'))
      writer = File.open(path('pipe'), File::RDWR)
      expect { Timeout.timeout(0.2) { described_class.read_named(path('pipe')) } }.to raise_error(Timeout::Error)
      writer.close
    end
  end

  it 'reads facts from a pipe', :command do
    Dir.mkdir(path('production'))
    Dir.mkdir(path('production/manifests'))
    File.write(path('production/manifests/site.pp'), 'notify { "${facts[\'a\']}": }')
    File.mkfifo(path('facts'))
    writer = Thread.new { File.write(path('facts'), '{"a":"from a pipe"}') }
    status, out, = run('compile', '--node', 'n', '--environmentpath', @directory, '--facts', path('facts'))
    writer.join
    expect([status, out]).to match([0, /from a pipe/])
    expect(run('compile', '--node', 'n', '--environmentpath', @directory, '--facts', '/dev/zero'))
      .to eq([2, '', "bunraku: File too large: it has more than 67108864 bytes - /dev/zero\n"])
    expect(run('compile', '--node', 'n', '--environmentpath', @directory, '--file-size', '5').last)
      .to match(%r{File too large: it has more than 5 bytes - .*manifests/site\.pp})
  end

  it 'reads each file that is named from a pipe, once', :command do
    %w[a b].each do |name|
      FileUtils.mkdir_p(path("#{name}/manifests"))
      File.write(path("#{name}/manifests/site.pp"), "notify { lookup('k'): }")
    end
    FileUtils.mkdir_p(path('data'))
    File.write(path('data/common.yaml'), 'k: of the global layer')
    hiera = "version: 5\nhierarchy: [{ name: c, path: common.yaml, datadir: #{path('data')} }]\n"
    named = { '--facts' => '{}', '--server-facts' => '{}', '--global-hiera' => hiera }
    named.each_key { |option| File.mkfifo(path(option)) }
    pipes = named.keys.flat_map { |option| [option, path(option)] }
    [%W[compile --environmentpath #{@directory} --environment a], %W[lookup k --environmentpath #{@directory} --environment a],
     %W[diff --from #{path('a')} --to #{path('b')}]].each do |command|
      writers = named.map { |option, text| Thread.new { File.write(path(option), text) } }
      status, out, err = run(*command, '--node', 'n', *pipes)
      writers.each(&:join)
      expect([status, err]).to eq([0, ''])
      expect(out).to include('of the global layer') unless command.first == 'diff'
    end
    expect(run('lookup', 'k', '--node', 'n', '--environmentpath', @directory, '--environment', 'a', '--global-hiera', '/dev/zero'))
      .to match([2, '', /^bunraku: File too large: it has more than 67108864 bytes - \/dev\/zero\n\z/])
  end

  it 'stops waiting for a pipe when it is interrupted' do
    File.mkfifo(path('pipe'))
    pipe = path('pipe')
    node = ['--node', 'n', '--environmentpath', @directory]
    certificate = File.join(__dir__, '../../tests/data/trusted/web01.pem')
    commands = [
      %W[parse #{pipe}], %W[validate #{pipe}], %W[convert #{pipe}], %W[graph #{pipe}], %W[diff #{pipe} #{pipe}],
      %W[classifier --token-file #{pipe}], %W[classifier --read-token-file #{pipe}],
      *%w[--facts --server-facts --global-hiera --certificate].map { |option| ['compile', *node, option, pipe] },
      ['lookup', 'k', *node, '--certificate', certificate, '--trusted-oid-mapping', pipe],
    ]
    waits = commands.map { |command| -> { Timeout.timeout(0.1) { run(*command) } } }
    # First no process has opened it for writing; then one has, and writes nothing.
    waits.each { |wait| expect(&wait).to raise_error(Timeout::Error) }
    File.open(pipe, File::RDWR) { waits.each { |wait| expect(&wait).to raise_error(Timeout::Error) } }
  end

  it 'does not wait for pipes that it finds', :command do
    File.mkfifo(path('a.pp'))
    expect(run('validate', @directory)).to eq(
      [2, "#{path('a.pp')}: error: It is a named pipe, not a regular file (unreadable)\n", "1 file, 1 error, 0 warnings\n"]
    )
  end

  it 'refuses functions in Ruby that are none' do
    functions = path('production/modules/m/lib/puppet/functions/m')
    FileUtils.mkdir_p(functions)
    File.mkfifo(File.join(functions, 'f.rb'))
    [:own, :off].each do |how|
      environment = Bunraku::Environment.new('production', environmentpath: @directory, code: 'm::f()', ruby_functions: how)
      expect { environment.compile(node: 'n') }.to raise_error(/a named pipe.*f\.rb/)
    end
  end
end
