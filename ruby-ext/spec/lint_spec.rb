# frozen_string_literal: true

RSpec.describe 'checks of style' do
  it 'tells what puppet-lint tells' do
    report = Bunraku.lint("$a = \"b\"\n")
    expect(report.findings.size).to eq(1)
    expect(report.findings.first).to have_attributes(
      check: :double_quoted_strings, kind: :warning, line: 1, column: 6, message: 'double quoted string containing no variables'
    )
    expect(report.fixed).to be_nil
  end

  it 'mends what can be mended' do
    report = Bunraku.lint("$a = \"b\"\n", fix: true)
    expect(report.findings.map(&:kind)).to eq([:fixed])
    expect(report.fixed).to eq("$a = 'b'\n")
  end

  it 'runs the checks that are asked for' do
    text = "$a = \"b\" \n$c = 'true' # lint:ignore:quoted_booleans it is a text\n"
    expect(Bunraku.lint(text, only_checks: [:trailing_whitespace]).findings.map(&:check)).to eq([:trailing_whitespace])
    expect(Bunraku.lint(text, checks: { double_quoted_strings: false }).findings.map(&:check)).to eq([:trailing_whitespace])
    found = Bunraku.lint(text, only_checks: [], checks: { quoted_booleans: true }).findings
    expect(found.map(&:to_a)).to eq([[:quoted_booleans, :ignored, 'quoted boolean value found', 2, 6, 'it is a text']])
    expect(Bunraku.lint_checks.find { |check| check['check'] == 'quoted_booleans' }).to include('on' => false, 'fixed' => true)
    expect { Bunraku.lint(text, only_checks: ['none']) }.to raise_error(Bunraku::Error, /there is no check 'none'/)
  end

  it 'looks at the place of a class in its module' do
    text = "# A class.\nclass a::b { }\n"
    expect(Bunraku.lint(text, path: '/code/a/manifests/b.pp').findings).to be_empty
    expect(Bunraku.lint(text, path: '/code/a/manifests/c.pp').findings.map(&:check)).to eq([:autoloader_layout])
  end

  it 'runs the checks of plug-ins that are chosen, and searches data' do
    text = "$a = [\n  1\n]\n"
    expect(Bunraku.lint(text).findings).to eq([])
    expect(Bunraku.lint(text, plugins: ['puppet-lint-trailing_comma-check'], fix: true).fixed).to eq("$a = [\n  1,\n]\n")
    expect { Bunraku.lint(text, plugins: ['none']) }.to raise_error(Bunraku::Error, /there is no plug-in 'none'/)
    found = Bunraku.lint("a:\n  - '%{::fqdn}'\n", path: '/data/common.yaml').findings
    expect(found.map { |one| [one.check, one.line, one.message] }).to eq([[:legacy_facts, 2, "legacy fact 'fqdn'"]])
    wrong = Bunraku.lint("a:\n  - b\n  c: d\n", path: '/data/common.yaml').findings
    expect(wrong.map { |one| [one.check, one.line, one.column] }).to eq([[:syntax, 2, 3]])
  end
end
