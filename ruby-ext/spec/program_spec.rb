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
        broken = Bunraku.parse_files(paths, threads: 4, recover: true)[7]
        expect(broken.errors.map(&:line)).to eq([1])
      end
    end
  end

  describe 'many files' do
    around do |example|
      Dir.mktmpdir do |dir|
        @paths = { 'a.pp' => '$h = { a => 1, a => 2 }', 'latin1.pp' => "notice(\"\xe9\")", 'b.pp' => '$a =', 'c.epp' => '<%= $x %>',
                   'd.pp' => '"\q"' }.map { |name, text| File.join(dir, name).tap { |path| File.binwrite(path, text) } }
        @paths << File.join(dir, 'missing.pp') << dir
        example.run
      end
    end

    it 'have their own results' do
      results = Bunraku.parse_files(@paths)
      expect(results.map(&:class)).to eq([Bunraku::Program, Bunraku::SyntaxError, Bunraku::SyntaxError, Bunraku::Program, Bunraku::Program,
                                          Bunraku::IoError, Bunraku::IoError])
      expect(results[1]).to have_attributes(message: /\Athe text is not valid UTF-8 \(file: .*latin1.pp, line: 1, column: 9\)/, issue_code: nil)
      expect(results[5].message).to match(/\ANo such file or directory - .*missing.pp/)
    end

    it 'are given as they are ready, and counted' do
      seen = {}
      steps = []
      expect(Bunraku.parse_files(@paths, progress: ->(*step) { steps << step }) { |path, result| seen[path] = result.class }).to be_nil
      expect(seen.keys).to match_array(@paths)
      expect(steps).to eq((1..7).map { |done| [done, 7] })
      given = 0
      Bunraku.parse_files(@paths * 1000) { (given += 1) == 3 and break }
      expect(given).to eq(3)
      expect { Bunraku.parse_files(@paths, threads: 0) }.to raise_error(ArgumentError, /threads/)
      expect(Bunraku.parse_files([])).to eq([])
    end

    it 'takes plans where they are asked for' do
      Dir.mktmpdir do |directory|
        path = File.join(directory, 'a.pp')
        File.write(path, 'plan a() { apply($nodes) { } }')
        expect(Bunraku.parse_files([path])).to match([be_a(Bunraku::SyntaxError)])
        expect(Bunraku.parse_files([path], tasks: true).map(&:to_pn)).to eq([Bunraku.parse(File.read(path), tasks: true).to_pn])
        expect([true, false].map { |tasks| Bunraku.validate_files([path], tasks: tasks)[path].empty? }).to eq([true, false])
      end
    end

    it 'are validated' do
      found = Bunraku.validate_files(@paths, strict: :warning)
      expect(found.keys).to eq(@paths)
      expect(found.values.map { |all| all.map(&:severity) }).to eq([[:warning], [:error], [:error], [], [:warning], [:error], [:error]])
      expect(found[@paths[4]].first.message).to eq("Unrecognized escape sequence '\\q'")
      expect(found[@paths[5]].first).to have_attributes(file: @paths[5], line: nil, issue_code: nil)
      expect(Bunraku.validate_files(@paths, strict: :off)[@paths[0]]).to eq([])
    end

    it 'are validated as a repository' do
      root = File.dirname(@paths[0])
      File.write(File.join(root, '.gitignore'), "b.pp\n")
      FileUtils.mkdir_p([File.join(root, 'plans'), File.join(root, 'empty')])
      File.write(File.join(root, 'plans', 'p.pp'), 'plan x::p() { apply("n") { } }')
      File.write(File.join(root, 'metadata.json'), '{"name": }')
      done = Bunraku.validate_repository([root], strict: :warning, threads: 2, exclude: ['latin1.pp', '.git*'])
      expect(done).to have_attributes(files: 5, empty: [], valid?: false)
      expect(done.diagnostics.map(&:issue_code)).to eq(%w[DUPLICATE_KEY UNRECOGNIZED_ESCAPE invalid-data])
      expect(done.diagnostics.last).to have_attributes(line: 1, column: 10, file: File.join(root, 'metadata.json'))
      only = Bunraku.validate_repository([root], only: [@paths[4]])
      expect([only.files, only.diagnostics.map(&:issue_code)]).to eq([1, %w[UNRECOGNIZED_ESCAPE]])
      expect(Bunraku.validate_repository([File.join(root, 'empty')]).empty).to eq([File.join(root, 'empty')])
      expect(Bunraku.validate_repository([root], gitignore: false).diagnostics.map(&:issue_code)).to include('SYNTAX_ERROR')
      expect { Bunraku.validate_repository([root], exclude: ['[z-a]']) }.to raise_error(Bunraku::Error, /is no pattern/)
    end
  end

  it 'gives what it defines new names' do
    program = Bunraku.parse("class a { } # a\ninclude 'a'\nnotice(\"${a::x}\")\n")
    edited = program.edit { |edits| edits.rename(:class, 'a', 'b::c') }
    expect(edited.source).to eq("class b::c { } # a\ninclude 'b::c'\nnotice(\"${b::c::x}\")\n")
    expect { program.edit { |edits| edits.rename(:class, 'a', 'B') } }.to raise_error(Bunraku::Error, /'B' is not a valid name/)
    expect { program.edit { |edits| edits.rename(:type, 'a', 'b') } }.to raise_error(Bunraku::Error, /class, define, function/)
    expect { program.edit { |edits| edits.rename(:class, 'a', 'b').rename(:class, 'a', 'c') } }.to raise_error(Bunraku::Error, /overlap/)
  end

  it 'is edited, and keeps the rest' do
    program = Bunraku.parse("# \u00e9\nclass a {\n  include b  # b\n  include c\n}\n", path: 'a.pp')
    first, second = program.select(:CallNamedFunctionExpression)
    edited = program.edit { |edits| edits.remove(second).replace(first, 'require b').insert_after(first, ' ') }
    expect(edited.source).to eq("# \u00e9\nclass a {\n  require b   # b\n}\n")
    expect(edited.path).to eq('a.pp')
    expect { program.edit { |edits| edits.replace(program.body, '').remove(first) } }.to raise_error(Bunraku::Error, /edits overlap.*line: 3/)
    expect { program.edit { |edits| edits.insert_before(first, ')') } }.to raise_error(Bunraku::SyntaxError, /Syntax error at '\)'/)
    expect(program.edit(recover: true) { |edits| edits.insert_before(first, ') ') }.errors.size).to eq(1)
    expect { program.edit { |edits| edits.remove(edited.body) } }.to raise_error(ArgumentError, /another program/)
  end

  it 'is known by its path' do
    expect(Bunraku.validate('<% $x = 1 %>', path: 'a.epp')).to eq([])
    expect(Bunraku.validate('plan a() { apply("n") { } }', path: 'plans/init.pp')).to eq([])
    expect(Bunraku.validate('<% $x = 1 %>', path: 'a.epp', epp: false).map(&:issue_code)).to eq(%w[SYNTAX_ERROR])
    expect(Bunraku.parse('plan a() { }', path: '/x/manifests/plans/init.pp', recover: true).errors).not_to be_empty
  end

  it 'has what puppet parser validate adds' do
    text = "class a($tag, $noop = 1) {}\nclass a {}\n"
    found = Bunraku.validate(text, path: 'a.pp').map { |one| [one.severity, one.issue_code, one.line, one.column] }
    expect(found).to eq([[:error, 'metaparameter', 1, 9], [:warning, 'metaparameter', 1, 15], [:error, 'duplicate-definition', 2, 1]])
  end

  it 'tells where all is wrong in each unit' do
    text = "$a = 'é😀'\n$b = '😀' )\n"
    error = Bunraku.validate(text).first
    expect(error.place).to eq(Bunraku::Place.new(19, 1, 2, 10, 2, 11))
    expect(error.place(:byte)).to eq(Bunraku::Place.new(26, 1, 2, 13, 2, 14))
    expect(error.place(:utf16)).to eq(Bunraku::Place.new(21, 1, 2, 11, 2, 12))
    expect(error).to have_attributes(line: 2, column: 10, offset: 26, length: 1, end_line: 2, end_column: 11)
    ended = Bunraku.validate("class a { # é\n")
    expect(ended.map(&:line)).to eq([nil])
    expect(ended.first.place).to eq(Bunraku::Place.new(14, 0, 2, 1, 2, 1))
    expect { error.place(:word) }.to raise_error(ArgumentError, /byte, character, utf16/)
    expect { Bunraku.parse('$a = ') }.to(raise_error { |raised| expect(raised.ranges[:byte].offset).to eq(5) })
  end

  it 'keeps what it builds on to itself' do
    expect { Bunraku::Program.native_kinds }.to raise_error(NoMethodError, /private/)
    expect { Bunraku.parse("1").__send__(:class).native_from_binary("", false) }.to raise_error(NoMethodError, /private/)
  end

  it 'goes on behind errors, if told so' do
    program = Bunraku.parse("$a = 1\n$b = )\n$c = 3\n$d ==\n", recover: true)
    expect(program.errors.map(&:message)).to eq(["Syntax error at ')'", 'Syntax error at end of input'])
    expect(program.errors.first).to have_attributes(line: 2, column: 6, offset: 12)
    expect(program.walk.grep(Bunraku::Model::Error).map(&:line)).to eq([2, 4])
    expect(program.walk.grep(Bunraku::Model::AssignmentExpression).map { |node| node.left_expr.expr.value }).to eq(%w[a c])
    expect(Bunraku.parse('$a = 1').errors).to eq([])
  end

  it 'keeps programs as bytes' do
    program = Bunraku.parse("plan p($x = 99999999999999999999) { }", path: 'p.pp', tasks: true)
    read = Bunraku::Program.from_binary(program.to_binary, tasks: true)
    expect([read.to_pn, read.path, read.validate]).to eq([program.to_pn, 'p.pp', program.validate])
    expect(Marshal.load(Marshal.dump(program)).tasks?).to be(true)
    expect { Bunraku::Program.from_binary(program.to_binary.chop) }.to raise_error(Bunraku::Error, /not a program/)
  end

  it 'has one object of a program, and one of each of its nodes' do
    program = Bunraku.parse('$a = [1, $b]')
    node = program.body
    expect(program.dup).to equal(program)
    expect(program).to be_frozen
    expect([node.dup, node.clone, program.body, program.node(node.id), node.left_expr.parent, program.each.first]).to all(equal(node).and(be_frozen))
    expect(node.right_expr.values.last).to equal(node.right_expr.children.last)
    expect(node.right_expr.values).to be_frozen
    expect(node.left_expr.expr.value).to eq('a').and be_frozen
    expect { program.node(100) }.to raise_error(IndexError)
  end

  it 'keeps nodes as long as somebody holds one', :extension do
    nodes = Array.new(50) { |n| Bunraku.parse("$a#{n} = [#{(['1'] * 50).join(',')}]").body }
    GC.stress = true
    nodes.each { |node| node.left_expr.expr.value }
    GC.stress = false
    GC.start
    GC.compact if GC.respond_to?(:compact)
    expect(nodes.map { |node| node.left_expr.expr.value }).to eq((0...50).map { |n| "a#{n}" })
    expect(nodes.map { |node| node.walk.count }.uniq).to eq([54])
    expect(nodes.last.program.walk.to_a).to all(satisfy { |node| node.program.equal?(nodes.last.program) })
    expect(ObjectSpace.count_objects[:T_DATA]).to be > 50 * 54
    expect { nodes.first.class.allocate }.to raise_error(TypeError)
    copy = Marshal.load(Marshal.dump(nodes.last))
    expect(copy.to_h).to eq(nodes.last.to_h)
  ensure
    GC.stress = false
  end

  it 'makes what a pattern asks for, and nothing else' do
    node = Bunraku.parse('include a').body
    expect(node.deconstruct_keys(%i[functor_expr line nowhere])).to eq(functor_expr: node.functor_expr, line: 1)
    expect(node.deconstruct_keys(nil).keys).to eq(%i[rval_required functor_expr arguments lambda offset length line column])
  end

  it 'parses and walks in any Ractor', :extension do
    program = Bunraku.parse('$a = [1, $b]', path: 'a.pp')
    asked = Array.new(4) do
      Ractor.new(program) do |given|
        own = Bunraku.parse("class a { $x = 1 }\nnotify { 'a': }", path: 'b.pp')
        broken = begin
          Bunraku.parse('$a = )')
        rescue Bunraku::SyntaxError => e
          e.column
        end
        kinds = own.walk.map(&:kind)
        [given.walk.to_a, own.to_pn, kinds, own.validate.size, broken, own.definitions.map(&:name), own.body]
      end
    end
    answers = asked.map(&:take)
    expect(answers.map(&:first)).to all(eq(program.walk.to_a))
    expect(answers.map { |answer| answer[1..5] }.uniq.size).to eq(1)
    expect(answers.first[4..5]).to eq([6, ['a']])
    expect(answers.first.last.statements.size).to eq(2)
  end

  it 'counts in bytes, characters and units of UTF-16' do
    node = Bunraku.parse("'é😀' + $b").body.right_expr
    places = %i[byte character utf16].map { |unit| node.place(unit).to_a.values_at(0, 1, 3, 5) }
    expect(places).to eq([[11, 2, 12, 14], [7, 2, 8, 10], [8, 2, 9, 11]])
    expect { node.place(:line) }.to raise_error(ArgumentError)
  end

  it 'keeps whole numbers of any size' do
    expect(Bunraku.parse('0xffffffffffffffffff').body.value).to eq((1 << 72) - 1)
    expect(Bunraku.parse('-99999999999999999999').to_data).to eq(-99_999_999_999_999_999_999)
  end

  it 'tells what the notation cannot say' do
    expect { Bunraku.parse('define d($a::b) { }').to_pn }.to raise_error(Bunraku::ParseError, /key a::b does not conform/)
  end

  it 'documents parameters' do
    program = Bunraku.parse("# Does it.\ndefine d(\n  # The a.\n  Optional[String] $a = undef,\n  $b = [1, # no\n    2], # The b.\n) { }\n")
    a, b = program.definitions.first.parameters
    expect(program.definitions.first.documentation).to eq('Does it.')
    expect([a.documentation, a.type_expr.extent_text, a.value.extent_text]).to eq(['The a.', 'Optional[String]', 'undef'])
    expect([b.documentation, b.extent_text, b.parent.kind]).to eq(['The b.', "$b = [1, # no\n    2]", 'ResourceTypeDefinition'])
    expect([b.extent.line, b.extent.end_line]).to eq([5, 6])
  end

  it 'visits by the classes of the reference, and skips what the visitor is told to' do
    visitor = Class.new do
      attr_reader :seen

      def visit_NamedDefinition(node) # rubocop:disable Naming/MethodName
        (@seen ||= []) << node.name
        :skip
      end

      def visit(node)
        (@seen ||= []) << node.kind
      end
    end.new
    Bunraku.parse("class a { $x = 1 }\nfunction b() { }\n$y").walk(visitor)
    expect(visitor.seen).to eq(%w[BlockExpression a b VariableExpression QualifiedName])
  end

  it 'refuses what is no text' do
    [nil, 1, :a, ['a']].each { |other| expect { Bunraku.parse(other) }.to raise_error(TypeError, /into String/) }
    expect { Bunraku.parse("\xff") }.to raise_error(ArgumentError, /UTF-8/)
  end
end
