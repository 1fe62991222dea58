# frozen_string_literal: true

require 'bunraku/command_line'
require 'fileutils'
require 'socket'
require 'stringio'
require 'tempfile'
require 'tmpdir'

RSpec.describe Bunraku::CommandLine, :command do
  let(:out) { StringIO.new }
  let(:err) { StringIO.new }

  def run(*arguments)
    described_class.new(out, err).run(arguments)
  end

  def write(text, extension = '.pp')
    file = Tempfile.new(['manifest', extension])
    file.write(text)
    file.close
    (@files ||= []) << file
    file.path
  end

  it 'compiles' do
    facts = File.join(EXAMPLE, 'production/spec/facts/web01.example.net.json')
    status = run('compile', '--environmentpath', EXAMPLE, '--node', 'web01.example.net', '--facts', facts)
    expect(status).to eq(0)
    expect(out.string).to match(%r{^File +/etc/motd +site/profile/manifests/base.pp:13$}).and match(/^\d+ resources, \d+ bytes of JSON$/)
  end

  it 'says of the server what the machine says, or what a file says, to manifests' do
    Dir.mktmpdir do |path|
      FileUtils.mkdir_p("#{path}/production/manifests")
      File.write("#{path}/production/manifests/site.pp",
                 'notify { "${servername} ${serverversion} ${serverimplementation} ${server_facts[environment]}": } ' \
                 'notice($server_facts)')
      arguments = ['compile', '--environmentpath', path, '--node', 'a']
      expect(run(*arguments)).to eq(0)
      expect(out.string).to match(/^Notify +#{Regexp.escape(Socket.gethostname)}\S* \d+\.\d+\.\d+ openvox production/)
      expect(run(*arguments, '--server-facts', write('{"servername": "other", "serverversion": 1, "serverimplementation": "x"}', '.json'))).to eq(0)
      expect(out.string).to include('other 1 x production')
      expect(run(*arguments, '--no-server-facts')).to eq(1)
      expect(err.string).to include("Unknown variable: 'servername'")
      expect(run(*arguments, '--server-facts', write('[]', '.json'))).to eq(2)
    end
  end

  it 'knows from a certificate what is trusted of a node, and its name' do
    Dir.mktmpdir do |path|
      FileUtils.mkdir_p("#{path}/production/manifests")
      File.write("#{path}/production/manifests/site.pp", 'notify { "${trusted[certname]} ${trusted[extensions][pp_role]} ${trusted[extensions][rack]}": }')
      data = File.expand_path('../../tests/data/trusted', __dir__)
      arguments = ['compile', '--environmentpath', path, '--certificate', "#{data}/web01.pem"]
      expect(run(*arguments)).to eq(0)
      expect(out.string).to match(/^Notify +web01\.example\.net wéb +manifests.site/)
      expect(run(*arguments, '--trusted-oid-mapping', "#{data}/mapping.yaml")).to eq(0)
      expect(out.string).to include('web01.example.net wéb r7')
      expect(run(*arguments, '--trusted-oid-mapping', write('a: 1', '.yaml'))).to eq(1)
      expect(err.string).to match(/Error loading ssl custom OIDs mapping file from '.*\.yaml': no such index 'oid_mapping'/)
      expect(run('compile', '--environmentpath', path, '--node', 'a', '--trusted-oid-mapping', "#{data}/mapping.yaml")).to eq(2)
      expect(run(*arguments, '--certificate', "#{path}/none.pem")).to eq(2)
    end
  end

  it 'knows from a file what is trusted of a node, and its name' do
    Dir.mktmpdir do |path|
      FileUtils.mkdir_p("#{path}/production/manifests")
      File.write("#{path}/production/manifests/site.pp", 'notify { "${trusted[certname]} ${trusted[authenticated]} ${trusted[extensions][pp_role]}": }')
      trusted = ->(text, *more) { run('compile', '--environmentpath', path, '--trusted', write(text, '.yaml'), *more) }
      expect(trusted.call("certname: web01.example.net\nextensions: {pp_role: web}\n")).to eq(0)
      expect(out.string).to match(/^Notify +web01\.example\.net remote web /)
      expect(trusted.call('{"authenticated": "local", "extensions": {"pp_role": "db"}}', '--node', 'db01')).to eq(0)
      expect(out.string).to match(/^Notify +db01 local db /)
      expect(trusted.call('extension: {}', '--node', 'db01')).to eq(2)
      expect(err.string).to include("there is no 'extension' in 'trusted' (did you mean 'extensions'?)")
      expect(trusted.call('[]', '--node', 'db01')).to eq(2)
      expect(trusted.call('certname: a', '--certificate', 'a.pem')).to eq(2)
    end
  end

  it 'asks a program how a node is classified' do
    Dir.mktmpdir do |path|
      FileUtils.mkdir_p("#{path}/staging/manifests")
      File.write("#{path}/staging/manifests/site.pp", 'class a($x = 0) { notify { "${x} ${role} ${environment}": } } class b { notify { "b": } }')
      script = lambda do |text, *more|
        File.write("#{path}/enc", "#!/bin/sh\necho noise >&2\n#{text}\n")
        File.chmod(0o755, "#{path}/enc")
        run('compile', '--environmentpath', path, '--node', 'web01', '--node-classifier-script', "#{path}/enc --option", *more)
      end
      expect(script.call(%q(printf 'classes:\n  a: {x: 7}\n  b:\nparameters: {role: "%s %s"}\nenvironment: staging\nother: 1\n' "$1" "$2"))).to eq(0)
      expect(out.string).to match(/^Notify +7 --option web01 staging /).and match(/^Notify +b /)
      expect(script.call("echo '{classes: [b], environment: staging}'", '--class', 'a={"x":8}', '--parameter', 'role=r')).to eq(0)
      expect(out.string).to match(/^Notify +8 r staging /).and match(/^Notify +b /)
      { 'exit 3' => /Failed to find web01 via exec: .*returned 3/, 'true' => /Failed to find web01 via exec/,
        "echo '- a'" => /Could not load external node results for web01: it is no hash/,
        "echo 'classes: 1'" => /'classes' is neither a list of names nor a hash/, "echo 'parameters: [1]'" => /'parameters'/,
        "printf '{'" => /Could not load external node results for web01/ }.each do |text, message|
        err.truncate(0)
        expect(script.call(text)).not_to eq(0)
        expect(err.string).to match(message)
      end
    end
  end

  it 'shows the tree' do
    expect(run('parse', write('$a = 1'))).to eq(0)
    expect(out.string).to eq("(= (var \"a\") 1)\n")
  end

  it 'validates, with an exit status as linters have' do
    good = write('notice(1)')
    bad = write('$a = $b ++')
    expect(run('validate', good)).to eq(0)
    expect(run('validate', good, bad)).to eq(1)
    expect(out.string).to start_with("#{bad}:1:10: error: Syntax error at '+' (SYNTAX_ERROR)")
  end

  it 'writes diagnostics for other programs' do
    bad = write('$h = { a => 1, a => 2 }')
    expect(run('validate', '--format', 'github', bad)).to eq(1)
    expect(out.string).to start_with("::error file=#{bad},line=1,endLine=1,col=18,endColumn=20,title=DUPLICATE_KEY::The key 'a'")
    out.truncate(out.pos = 0)
    run('validate', '--format', 'sarif', '--strict', 'warning', bad)
    result = JSON.parse(out.string)['runs'].first['results'].first
    expect(result).to include('ruleId' => 'DUPLICATE_KEY', 'level' => 'warning')
    expect(result['locations'].first['physicalLocation']['region']).to eq(
      'startLine' => 1, 'startColumn' => 18, 'endLine' => 1, 'endColumn' => 20
    )
  end

  it 'walks directories, and tells of texts that are not UTF-8' do
    Dir.mktmpdir do |dir|
      FileUtils.mkdir_p(File.join(dir, 'm/manifests'))
      File.write(File.join(dir, 'm/manifests/b.pp'), "$a = 1\n")
      File.binwrite(File.join(dir, 'm/manifests/a.pp'), "# fine\n$a = '\xff'\n")
      File.write(File.join(dir, 'm/x y.epp'), "<%= $x %>\n<%= ) %>\n")
      expect(run('validate', dir)).to eq(1)
      expect(out.string.lines).to eq(
        ["#{dir}/m/manifests/a.pp:2:7: error: the text is not valid UTF-8\n", "#{dir}/m/x y.epp:2:5: error: Syntax error at ')' (SYNTAX_ERROR)\n"]
      )
      out.truncate(out.pos = 0)
      run('validate', '--format', 'sarif', dir)
      results = JSON.parse(out.string)['runs'].first['results']
      expect(results.map { |one| one['locations'][0]['physicalLocation']['artifactLocation']['uri'] }.last).to end_with('/m/x%20y.epp')
    end
  end

  it 'marks the place in the source, on a terminal', :in_process do
    bad = write("$é = [1,\n\t'é', )\n")
    allow(out).to receive(:tty?).and_return(true)
    run('validate', bad)
    expect(out.string.gsub(/\e\[\d*m/, '').lines(chomp: true).values_at(1, 2, 4, 5)).to eq(
      ["  $é = [1,", '   ^', "  \t'é', )", "  \t     ^"]
    )
  end

  it 'looks up' do
    status = run('lookup', 'profile::web::port', '--node', 'web01.example.net', '--parameter', 'role=web', '--environmentpath', EXAMPLE)
    expect([status, out.string]).to eq([0, "8080\n"])
  end

  it 'shows secrets of data to who asks for them only' do
    Dir.mktmpdir do |directory|
      FileUtils.mkdir_p(File.join(directory, 'production/data'))
      File.write(File.join(directory, 'production/hiera.yaml'), "version: 5\nhierarchy: [{ name: all, path: all.yaml }]\n")
      File.write(File.join(directory, 'production/data/all.yaml'), <<~YAML)
        lookup_options: { key: { convert_to: Sensitive } }
        key: s3cr3t
        referring: { a: ["%{alias('key')}"], b: "%{lookup('key')}" }
      YAML
      asked = ['--environmentpath', directory, '--node', 'n', '--no-server-facts']
      %w[key referring].product([[], ['--explain']], [[], %w[--format json]]).each do |key, *options|
        hidden, shown = [[], ['--show-secrets']].map do |more|
          out.truncate(out.rewind)
          expect(run('lookup', key, *asked, *options.flatten, *more)).to eq(0)
          out.string.dup
        end
        expect(hidden).to include('[value redacted]').and(satisfy { |text| !text.include?('s3cr3t') })
        expect(shown).to include('s3cr3t')
      end
    end
  end

  it 'says what is wrong with its options' do
    expect(run('compile', '--nonsense')).to eq(2)
    expect(run('compile')).to eq(2)
    expect(run('what')).to eq(2)
    expect(err.string).to include('--nonsense', '--node is missing', 'Usage: bunraku COMMAND')
  end

  it 'compares revisions of a repository without a checkout' do
    Dir.mktmpdir do |directory|
      git = ->(*arguments) { system('git', '-C', directory, '-c', 'user.name=a', '-c', 'user.email=a@b', *arguments, exception: true) }
      write = lambda do |path, text|
        FileUtils.mkdir_p(File.dirname(File.join(directory, path)))
        File.write(File.join(directory, path), text)
      end
      write['.gitignore', "modules/\n"]
      write['manifests/site.pp', "include m\nfile { '/etc/motd': content => 'old', mode => '0644' }\n"]
      write['manifests/old.pp', "notify { 'old': }\n"]
      # Modules that a Puppetfile installed are in no revision.
      write['modules/m/manifests/init.pp', "class m { notify { \"m ${environment}\": } }\n"]
      git.call('init', '-q')
      git.call('add', '.')
      git.call('commit', '-qm', 'one')
      write['manifests/site.pp', "include m\nfile { '/etc/motd': content => 'new', mode => '0600' }\n"]
      git.call('rm', '-q', 'manifests/old.pp')
      git.call('commit', '-qam', 'two')
      asked = ['diff', '--directory', directory, '--from', 'HEAD~1', '--to', 'HEAD', '--node', 'n']
      expect(run(*asked)).to eq(1)
      expect(out.string).to include('- Notify[old]').and include("mode: '0644' -> '0600'").and include("content: 'old' -> 'new'")
      out.truncate(out.rewind)
      expect(run(*asked, '--ignore', 'File[/etc/*]/content', '--format', 'markdown')).to eq(1)
      expect(out.string).to include('1 nodes, 1 differ').and include("```diff\n- Notify[old]").and include('mode')
      expect(out.string).not_to include('content:')
      expect(run(*asked, '--ignore', 'File[/etc/motd]', '--ignore', 'Notify[old]')).to eq(0)
      expect(run(*asked[0..3], 'nosuch', *asked[5..])).to eq(2)
      expect(err.string).to match(/nosuch is neither a directory nor a revision/)
      expect(run(*asked, '--ignore', 'what')).to eq(2)
    end
  end

  it 'refuses settings and limits that there are not' do
    Dir.mktmpdir do |directory|
      FileUtils.mkdir_p(File.join(directory, 'production'))
      asked = ['--environmentpath', directory, '--node', 'n', '--no-server-facts']
      said = lambda do |command, *rest|
        err.truncate(err.rewind)
        [run(command, *rest), err.string]
      end
      [['compile', *asked], ['lookup', 'k', *asked], ['graph', *asked],
       ['diff', '--from', "#{directory}/production", '--to', "#{directory}/production", '--node', 'n']].each do |command|
        status, text = said.call(*command, '--setting', 'strcit=off')
        expect([status, text]).to match([2, /there is no setting 'strcit' \(did you mean 'strict'\?\)\n\z/])
        status, text = said.call(*command, '--limit', 'secnods=1')
        expect([status, text]).to match([2, /there is no limit 'secnods' \(did you mean 'seconds'\?\)\n\z/])
      end
      expect(said.call('compile', *asked, '--setting', 'strict=no')).to match([2, /'strict' must be one of/])
      expect(said.call('compile', *asked, '--setting', 'vardir=/v', '--limit', 'seconds=9')).to match([0, /\Anote: no facts given/])
    end
  end

  it 'shows errors with their place' do
    expect(run('lookup', 'nothing', '--node', 'n', '--environmentpath', EXAMPLE)).to eq(1)
    expect(err.string).to include('error: ')
  end

  it 'gives no orders to a terminal, whatever catalogs and facts hold' do
    hostile = "a\e[31mb\u009b1mc\u202ed\u007f\tz\nf"
    Dir.mktmpdir do |directory|
      manifests = File.join(directory, 'production/manifests')
      FileUtils.mkdir_p(manifests)
      File.write(File.join(manifests, 'site.pp'), 'notify { $facts["t"]: message => $facts["t"] } notice($facts["t"])')
      facts = File.join(directory, 'facts.json')
      File.write(facts, JSON.generate('t' => hostile))
      given = ['--node', 'n', '--facts', facts]
      one, other = %w[a b].map { |name| File.join(directory, "#{name}.json") }
      [["compile", '--environmentpath', directory, *given, '--output', one],
       ["compile", '--environmentpath', directory, *given, '--explain', "Notify[#{hostile}]"]].each do |arguments|
        out = StringIO.new
        err = StringIO.new
        Bunraku::CommandLine.new(out, err).run(arguments)
        expect(out.string + err.string).to match(/\u241b\[31m/).and(satisfy { |text| !text.match?(/[\e\u009b\u202e\u007f]/) })
      end
      File.write(other, File.read(one).gsub('\\t', 'x'))
      out = StringIO.new
      expect(Bunraku::CommandLine.new(out, out).run(['diff', one, other])).to eq(1)
      expect(out.string).not_to match(/[\e\u009b\u202e\u007f]/)
    end
  end
end
