# frozen_string_literal: true

require 'tmpdir'
require 'fileutils'

RSpec.describe Bunraku::Error do
  def failure(code, **options)
    Bunraku::Environment.new('production', code: code, modulepath: []).compile(node: 'n', **options)
    nil
  rescue described_class => e
    e
  end

  it 'has subclasses that tell the kinds of failures apart' do
    kinds = { '$a = 1 +' => 'SyntaxError', '1 notice(2)' => 'ValidationError', 'fail("no")' => 'EvaluationError',
              'lookup("none")' => 'LookupError', 'call("")' => 'ReferenceFailsError' }
    expect(kinds.to_h { |code, _| [code, failure(code).class.name.delete_prefix('Bunraku::')] }).to eq(kinds)
    expect(failure('Integer[1, 9999].each |$n| { }', limits: { steps: 100 })).to be_instance_of(Bunraku::LimitError)
  end

  it 'keeps the classes that there were as ancestors' do
    expect([Bunraku::SyntaxError, Bunraku::ValidationError]).to all(be < Bunraku::ParseError)
    expect(Bunraku::CancelledError).to be < Bunraku::LimitError
    expect([Bunraku::IoError, Bunraku::ReferenceFailsError]).to all(be < described_class)
  end

  it 'says that a file cannot be read' do
    Dir.mktmpdir do |directory|
      FileUtils.mkdir_p(File.join(directory, 'production/environment.conf'))
      expect { Bunraku::Environment.new('production', environmentpath: directory) }
        .to raise_error(Bunraku::IoError, /environment\.conf/)
    end
  end

  it 'is a syntax error where a text is parsed alone' do
    expect { Bunraku.parse('$a = ') }.to raise_error(Bunraku::SyntaxError)
  end
end
