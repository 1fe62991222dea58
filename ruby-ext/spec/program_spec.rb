# frozen_string_literal: true

require 'tmpdir'

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

  describe 'the tree' do
    let(:source) { "# Says hello.\n# To all.\nclass a($x = 1) inherits b {\n  include c, d\n  notify { 'é': message => \"${x}!\" }\n}\n" }
    let(:program) { Bunraku.parse(source) }

    it 'has the classes and attributes of the reference' do
      definition = program.definitions.first
      expect(definition).to be_a(Bunraku::Model::HostClassDefinition).and be_a(Bunraku::Model::Definition)
      expect(definition).to have_attributes(name: 'a', parent_class: 'b', line: 3, column: 1, offset: 24)
      expect(definition.parameters.first).to have_attributes(name: 'x', source_text: '$x')
      expect(definition.parameters.first.value.value).to eq(1)
    end

    it 'knows the comment above a definition' do
      expect(program.definitions.first.comment).to eq(['Says hello.', 'To all.'])
    end

    it 'matches patterns' do
      found = program.walk.filter_map do |node|
        case node
        in Bunraku::Model::CallNamedFunctionExpression[functor_expr: { value: 'include' }, arguments:]
          arguments.map(&:value)
        else nil
        end
      end
      expect(found).to eq([%w[c d]])
    end

    it 'is visited, and written as hashes' do
      visitor = Class.new do
        attr_reader :titles

        def visit_ResourceBody(node) # rubocop:disable Naming/MethodName
          (@titles ||= []) << node.title.value
        end
      end.new
      program.body.accept(visitor)
      expect(visitor.titles).to eq(['é'])
      expect(program.to_h[:kind]).to eq('HostClassDefinition').or eq('BlockExpression')
    end

    it 'is read from many files at the same time' do
      Dir.mktmpdir do |dir|
        paths = Array.new(20) { |n| File.join(dir, "#{n}.pp").tap { |path| File.write(path, n == 7 ? '}' : "$a = #{n}") } }
        results = Bunraku.parse_files(paths, threads: 4)
        expect(results[7]).to be_a(Bunraku::ParseError).and have_attributes(file: paths[7], line: 1)
        expect(results[19].to_pn).to eq('(= (var "a") 19)')
      end
    end
  end

  it 'refuses what is no text' do
    expect { Bunraku.parse(nil) }.to raise_error(NoMethodError)
    expect { Bunraku.parse("\xff") }.to raise_error(ArgumentError, /UTF-8/)
  end
end
