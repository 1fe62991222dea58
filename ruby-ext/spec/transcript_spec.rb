# frozen_string_literal: true

require 'fileutils'
require 'io/console'
require 'open3'
require 'pty'
require 'tmpdir'
require 'timeout'

# The first ten minutes of a new user in a control repository. tests/transcripts/*.txt contain the commands
# (`$ …`) and their output: on a terminal of 80 columns, on one of 160, and in a pipe. Those in
# tests/transcripts/public are of control repositories that `make transcripts-public` lays out in the
# directory PUBLIC. `BLESS=1` writes the current output.
RSpec.describe 'the first ten minutes', :command do # rubocop:disable RSpec/DescribeClass
  transcripts = File.expand_path('../../tests/transcripts', __dir__)

  # The program, or the gem's command.
  def program
    own = ENV.fetch('BUNRAKU_COMMAND', nil)
    return own if own

    root = File.expand_path('..', __dir__)
    "#{RbConfig.ruby} -W0 -I#{root}/lib #{root}/exe/bunraku"
  end

  def checkout(source)
    Dir.mktmpdir do |parent|
      path = File.join(parent, 'control-repo')
      FileUtils.cp_r(source, path)
      git = %w[git -c user.name=a -c user.email=a@example.net -c init.defaultBranch=main]
      [%w[init -q], %w[add .], %w[commit -q -m first]].each { |given| system(*git, *given, chdir: path) || raise }
      yield path
    end
  end

  # A checkout with a change that is not committed, and a node's facts that no repository has.
  def changed_checkout
    checkout(File.join(EXAMPLE, 'production')) do |path|
      File.write(File.join(path, 'broken.pp'), "class broken {\n  file { '/tmp/x'\n    ensure => file,\n  }\n}\n")
      motd = File.join(path, 'site/profile/templates/motd.epp')
      File.write(motd, "#{File.read(motd)}Changed.\n")
      yield path
    end
  end

  def seen(line, path, columns)
    Dir.mktmpdir do |bin|
      File.write(File.join(bin, 'bunraku'), "#!/bin/sh\nexec #{program} \"$@\"\n", perm: 0o755)
      environment = { 'PATH' => "#{bin}:#{ENV.fetch('PATH')}", 'TERM' => 'xterm', 'NO_COLOR' => nil, 'COLUMNS' => nil,
                      'MODULES' => (File.join(laid_out, 'modules/common') if laid_out) }
      text = columns ? on_terminal(environment, line, path, columns) : Open3.capture2e(environment, 'sh', '-c', line, chdir: path).first
      tidy(text.force_encoding(Encoding::UTF_8), path)
    end
  end

  # The size of a catalog depends on the directory's name, the order in which nodes are done on the
  # processors.
  def tidy(text, path)
    text = text.delete("\r").gsub(path, '/control-repo')
    text = text.gsub(laid_out, '/public') if laid_out
    text = text.gsub(/\d+ bytes of JSON/, 'N bytes of JSON')
    text.gsub(%r{(\^\[K\[[#.]+\] \d+/\d+ \S+?)+\^\[K}, '').gsub(/ +$/, '')
  end

  def on_terminal(environment, line, path, columns)
    out = String.new(encoding: Encoding::BINARY)
    PTY.spawn(environment, 'sh', '-c', "cd #{path} && #{line}") do |reader, _, pid|
      reader.winsize = [50, columns]
      loop { out << reader.readpartial(4096) }
    rescue Errno::EIO
      Process.wait(pid)
    end
    out.gsub("\e".b, '^'.b)
  end

  # The directory of public repositories.
  def laid_out
    ENV['PUBLIC'] && File.expand_path(ENV['PUBLIC'])
  end

  def expect_transcript(file, path, columns)
    commands = File.readlines(file, chomp: true, encoding: Encoding::UTF_8).grep(/\A\$ /)
    now = Timeout.timeout(120) do
      commands.map { |command| "#{command}\n#{seen(command.delete_prefix('$ '), path, columns)}" }.join("\n")
    end
    File.write(file, now) if ENV['BLESS']
    expect(now).to eq(File.read(file, encoding: Encoding::UTF_8))
  end

  Dir.glob(File.join(transcripts, '*.txt')).each do |file|
    columns = File.basename(file)[/\d+/]&.to_i
    it "look as #{File.basename(file)} has it" do
      changed_checkout { |path| expect_transcript(file, path, columns) }
    end
  end

  Dir.glob(File.join(transcripts, 'public/*.txt')).each do |file|
    it "look as public/#{File.basename(file)} has it", if: ENV.key?('PUBLIC') do
      checkout(File.join(laid_out, 'control', File.basename(file, '.txt'))) { |path| expect_transcript(file, path, nil) }
    end
  end
end
