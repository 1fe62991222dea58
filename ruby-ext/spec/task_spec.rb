# frozen_string_literal: true

require 'fileutils'
require 'tmpdir'

RSpec.describe Bunraku::Environment, 'tasks' do
  around do |example|
    Dir.mktmpdir do |path|
      @path = path
      example.run
    end
  end

  let(:environment) { described_class.new('production', environmentpath: @path) }

  def write(name, content = '')
    file = "#{@path}/production/modules/#{name}"
    FileUtils.mkdir_p(File.dirname(file))
    File.write(file, content)
  end

  it 'finds tasks, and says what is wrong with others' do
    write('app/tasks/init.sh')
    write('app/tasks/init.json', '{"description": "d", "files": ["app/files/more/"], "private": 1}')
    write('app/files/more/a/b.txt')
    write('app/tasks/two.sh')
    write('app/tasks/two.rb')
    write('app/tasks/README.md')
    write('app/tasks/No.sh')
    init, two, *more = environment.tasks
    expect(more).to be_empty
    expect(init).to include('name' => 'app', 'description' => 'd',
                            'violations' => [{ 'path' => '$.private', 'message' => 'not a boolean: 1' }])
    expect(init['files'].map { |file| file['name'] }).to eq(['app/files/more/a/b.txt'])
    expect(two['error']['kind']).to eq('puppet.tasks/multiple-implementations')
  end

  it 'chooses what to run, checks parameters, and prepares the input' do
    write('app/tasks/run.json', JSON.generate(
      supports_noop: true,
      parameters: { name: { type: 'String[1]' }, count: { type: 'Integer', default: 3 }, secret: { type: 'Optional[Any]', sensitive: true },
                    pin: { type: 'Optional[Pattern[/\A\d+\z/]]', sensitive: true },
                    more: { type: 'Optional[Hash]' } },
      implementations: [{ name: 'run_ps1.ps1', requirements: ['powershell'] },
                        { name: 'run_sh.sh', requirements: ['shell'], input_method: 'environment' }]
    ))
    write('app/tasks/run_sh.sh')
    write('app/tasks/run_ps1.ps1')
    found = environment.task_invocation('app::run', parameters: { name: 'a', more: { x: [1] } }, features: ['shell'], noop: true)
    expect(found['executable']['name']).to eq('run_sh.sh')
    expect(found['sensitive']).to eq(%w[secret pin])
    expect(found['environment']).to eq('PT_name' => 'a', 'PT_count' => '3', 'PT_more' => '{"x":[1]}', 'PT__task' => 'app::run',
                                       'PT__noop' => 'true')
    windows = environment.task_invocation('app::run', parameters: { name: 'a' }, features: ['powershell'])
    expect(windows['powershell']).to include('name' => 'a', 'count' => 3)
    wrong = { count: 'x', other: 1 }
    expect { environment.task_invocation('app::run', parameters: wrong, features: ['shell']) }
      .to raise_error(Bunraku::TaskError) { |error|
        expect(error.kind).to eq('puppet.tasks/invalid-parameters')
        expect(error.message).to include("has no parameter named 'other'", "expects a value for parameter 'name'",
                                         "parameter 'count' expects an Integer value, got String")
      }
    expect { environment.task_invocation('app::run', parameters: { name: 'a', pin: 'p4ss' }, features: ['shell']) }
      .to raise_error(Bunraku::TaskError) { |error|
        expect(error.message).to include("parameter 'pin' expects a").and(include('got Sensitive')).and(match(/\A((?!p4ss).)*\z/m))
      }
    expect { environment.task_invocation('app::run', parameters: { name: 'a' }) }
      .to raise_error(Bunraku::TaskError, /No suitable implementation/)
    expect { environment.task_invocation('app::none') }.to raise_error(Bunraku::TaskError, 'Task app::none not found in module app.')
  end

  it 'reads output' do
    expect(described_class.task_outcome('text', 0)).to eq('status' => 'success', 'value' => { '_output' => 'text' }, 'sensitive' => [])
    failed = described_class.task_outcome('{"a": 1}', 12)
    expect(failed).to eq('status' => 'failure', 'sensitive' => [],
                         'value' => { 'a' => 1, '_error' => { 'kind' => 'puppetlabs.tasks/task-error',
                                                              'msg' => 'The task errored with a code 12',
                                                              'details' => { 'exitcode' => 12 } } })
    expect(described_class.task_outcome('{"_error": {"kind": "a/b", "msg": "m"}}', 0)['status']).to eq('failure')
    expect(described_class.task_outcome("\xff", 0)['value']['_error']['kind']).to eq('puppetlabs.tasks/output-encoding-error')
  end

  it 'marks and hides what is sensitive' do
    outcome = described_class.task_outcome('{"a": 1, "_sensitive": {"password": "p4ss"}}', 0)
    expect([outcome.inspect, outcome.to_s, JSON.generate(outcome)].join).not_to include('p4ss')
    expect(outcome).to include('status' => 'success', 'sensitive' => ['_sensitive'])
    expect(outcome['value']['a']).to eq(1)
    expect(outcome['value']['_sensitive'].unwrap).to eq('password' => 'p4ss')
  end
end
