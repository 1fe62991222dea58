# frozen_string_literal: true

require 'bunraku/command_line'
require 'stringio'
require 'tempfile'

RSpec.describe Bunraku::CommandLine do
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
    expect(out.string).to match(%r{^File +/etc/motd +base.pp:13$}).and match(/^\d+ resources, \d+ bytes of JSON$/)
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
    expect(out.string).to start_with("::error file=#{bad},line=1,col=18,title=DUPLICATE_KEY::The key 'a'")
    out.truncate(out.pos = 0)
    run('validate', '--format', 'sarif', '--strict', 'warning', bad)
    result = JSON.parse(out.string)['runs'].first['results'].first
    expect(result).to include('ruleId' => 'DUPLICATE_KEY', 'level' => 'warning')
    expect(result['locations'].first['physicalLocation']['region']).to eq('startLine' => 1, 'startColumn' => 18)
  end

  it 'looks up' do
    status = run('lookup', 'profile::web::port', '--node', 'web01.example.net', '--parameter', 'role=web', '--environmentpath', EXAMPLE)
    expect([status, out.string]).to eq([0, "8080\n"])
  end

  it 'says what is wrong with its options' do
    expect(run('compile', '--nonsense')).to eq(2)
    expect(run('compile')).to eq(2)
    expect(run('what')).to eq(2)
    expect(err.string).to include('--nonsense', '--node is missing', 'Usage: bunraku COMMAND')
  end

  it 'shows errors with their place' do
    expect(run('lookup', 'nothing', '--node', 'n', '--environmentpath', EXAMPLE)).to eq(1)
    expect(err.string).to include('error: ')
  end
end
