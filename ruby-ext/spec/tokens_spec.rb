# frozen_string_literal: true

require_relative 'spec_helper'

RSpec.describe 'tokens and formatting' do
  let(:text) { "# a\nclass é {\t# b\r\n  $x = \"y${z}\" /* c */\n  $h = @(END)\n    text\n    | END\n}\n\n# d" }

  it 'gives tokens that are the text, of broken and unbroken texts' do
    ['', text, "#{text}'", "x ${ \"", "<% a %>", "@(END)\n x"].each do |source|
      [true, false].each do |epp|
        expect(Bunraku.tokens(source, epp: epp).map(&:full_text).join).to eq(source)
      end
    end
  end

  it 'tells what stands around a token, and where' do
    tokens = Bunraku.tokens(text)
    brace = tokens.find { |token| token.kind == :LBrace }
    expect(brace.to_a.first(5)).to eq([:LBrace, '{', 13, 2, 9])
    expect(brace.trailing.map(&:to_a)).to eq([[:Space, "\t", 14, 2, 10], [:Comment, '# b', 15, 2, 11]])
    expect(tokens.first.leading.map(&:kind)).to eq(%i[Comment LineEnd])
    expect(tokens.map(&:kind)).to include(:DqPre, :DqPost, :Heredoc, :HeredocText)
    expect(tokens.last.to_a.first(5)).to eq([:End, '', text.bytesize, 9, 4])
    expect(tokens.last.leading.map(&:text)).to eq(["\n", "\n", '# d'])
    expect(tokens).to be_frozen
    expect(tokens).to all(be_frozen)
  end

  it 'gives the texts of comments' do
    expect(Bunraku.parse("# ä\n$a = 1 /* b\nc */ # d").comments).to eq(['# ä', "/* b\nc */", '# d'])
    expect(Bunraku.parse('$a = 1').comments).to eq([])
  end

  it 'gives comments with their nodes' do
    placed = Bunraku.parse("# a\nclass b { # c\n  notice(1) # d\n}\n").placed_comments
    expect(placed.map { |one| [one.text, one.line, one.column, one.placement, one.node.class.name[/\w+\z/]] }).to eq(
      [['# a', 1, 1, :leading, 'HostClassDefinition'], ['# c', 2, 11, :dangling, 'HostClassDefinition'],
       ['# d', 3, 13, :trailing, 'CallNamedFunctionExpression']]
    )
  end

  it 'formats' do
    expect(Bunraku.format("file{\"/x\":ensure=>file,mode=>'0644'}")).to eq("file { '/x':\n  ensure => file,\n  mode   => '0644',\n}\n")
    options = { width: 10, indentation: 4, align_arrows: false, single_quotes: false }
    expect(Bunraku.format('$a={"b"=>11,ccc=>22}', **options)).to eq("$a = {\n    \"b\" => 11,\n    ccc => 22,\n}\n")
    expect(Bunraku.format('plan a(){apply("x"){ }}', tasks: true)).to eq("plan a() {\n  apply('x') {}\n}\n")
    expect(Bunraku.format("$a=1\n\n$b=2\n", lines: 3..4)).to eq("$a=1\n\n$b = 2\n")
    expect(Bunraku.format("$a=1\n$b=)\n", recover: true)).to eq("$a = 1\n$b=)\n")
    expect(Bunraku.format("text <%$a%>\n", epp: true)).to eq("text <% $a %>\n")
    expect(Bunraku.format("text <% $a %>\n", epp: true)).to eq("text <% $a %>\n")
  end

  it 'formats nothing that cannot be parsed' do
    expect { Bunraku.format("class {\n") }.to raise_error(Bunraku::ParseError, /Syntax error at/)
    expect { Bunraku.format("\xff") }.to raise_error(ArgumentError)
    expect { Bunraku.tokens(nil) }.to raise_error(TypeError)
  end
end
