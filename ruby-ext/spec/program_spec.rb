# frozen_string_literal: true

RSpec.describe 'parsing and validating' do
  it 'gives the tree in the notation of the reference' do
    expect(Bunraku.parse("notice('hi')").to_pn).to eq('(invoke {:functor (qn "notice") :args ["hi"]})')
  end

  it 'gives the same tree as JSON' do
    program = Bunraku.parse('$a = 1')
    expect(program.to_data).to eq('^' => ['=', { '^' => %w[var a] }, 1])
    expect(JSON.parse(program.to_json)).to eq(program.to_data)
  end

  it 'reads templates' do
    expect(Bunraku.parse('a <%= $b %>', epp: true).to_pn).to include('render')
  end

  it 'raises for a syntax error, with its place' do
    expect { Bunraku.parse("$a = 1\n}", path: 'site.pp') }.to raise_error(Bunraku::ParseError) { |error|
      expect(error).to have_attributes(file: 'site.pp', line: 2, column: 1, issue_code: 'SYNTAX_ERROR')
      expect(error.message).to eq("Syntax error at '}' (file: site.pp, line: 2, column: 1)")
    }
  end

  it 'validates as strictly as told' do
    source = "$h = { a => 1, a => 2 }"
    expect(Bunraku.validate(source).map(&:severity)).to eq([:error])
    expect(Bunraku.validate(source, strict: :warning).map(&:severity)).to eq([:warning])
    expect(Bunraku.validate(source, strict: :off)).to eq([])
  end

  it 'gives a syntax error as a diagnostic' do
    expect(Bunraku.validate('$a =').map(&:to_s)).to eq(['error: Syntax error at end of input (SYNTAX_ERROR)'])
  end

  it 'refuses what is no text' do
    expect { Bunraku.parse(nil) }.to raise_error(NoMethodError)
    expect { Bunraku.parse("\xff") }.to raise_error(ArgumentError, /UTF-8/)
  end
end
