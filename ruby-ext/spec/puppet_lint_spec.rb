# frozen_string_literal: true

require 'open3'
require 'tmpdir'

# puppet-lint is loaded in separate processes, because its methods are replaced for the whole process.
RSpec.describe 'bunraku/puppet-lint' do
  def ruby(code)
    said, status = Open3.capture2e({ 'RUBYOPT' => nil }, RbConfig.ruby, '-W0', '-I', File.expand_path('../lib', __dir__), '-e', code)
    raise said unless status.success?

    said
  end

  before(:all) do
    skip 'puppet-lint is not installed' unless system(RbConfig.ruby, '-W0', '-e', 'require "puppet-lint"', err: File::NULL)
  end

  let(:own) { <<~RUBY }
    require 'puppet-lint'
    TOKENISE = PuppetLint::Lexer.instance_method(:tokenise)
    INDEXES = %i[title_tokens resource_indexes class_indexes defined_type_indexes node_indexes function_indexes
                 array_indexes hash_indexes defaults_indexes].to_h { |name| [name, PuppetLint::Data.singleton_class.instance_method(name)] }
    require 'bunraku/puppet-lint'
  RUBY

  it "makes puppet-lint's own tokens" do
    expect(ruby(own + <<~'RUBY')).to eq('')
      def facts(token)
        links = %i[next_token prev_token next_code_token prev_code_token].map { |name| token.__send__(name)&.inspect }
        [token.class, token.type, token.value, token.raw, token.line, token.column, token.to_manifest, token.instance_variables, links]
      end
      [
        "class a::b($x = \"a ${b['c']} $d-e\") inherits ::c { include d }\n", "\"$a$b${c}\\\"\"", "$a = /b\\/c/ ? { 1.5e3 => 0x1F }",
        "\r\n  $x = @(\"E\"/L)\n  a ${b} $c the E\n", "# é\n// b\n/* c\n * d */", "a-b::c(1) ~> B['c']", '', "\u00a0\t$::a::b['c'][1]",
        "\"${a[\"b${c}\"]}\" \"${\"d\"}\" \"\n$e\""
      ].each do |text|
        lexers = [PuppetLint::Lexer.new, PuppetLint::Lexer.new]
        made = [lexers[0].tokenise(text.dup), TOKENISE.bind_call(lexers[1], text.dup)]
        raise text unless made.map { |all| all.map { |token| facts(token) } }.uniq.one?
        raise text unless lexers.map { |lexer| lexer.instance_variables.map { |name| lexer.instance_variable_get(name).to_s } }.uniq.one?
        raise text unless made[0].all? { |token| token.value.encoding == Encoding::UTF_8 && !token.value.frozen? }
      end
      raise Bunraku::DropIn.report[:lint].inspect unless Bunraku::DropIn.report[:lint][:left].empty?
    RUBY
  end

  it 'finds the places that puppet-lint finds' do
    expect(ruby(own + <<~'RUBY')).to eq('')
      left = INDEXES.keys.select { |name| PuppetLint::Data.singleton_class.instance_method(name) == INDEXES[name] }
      raise "left to puppet-lint: #{left}" unless left.empty?
      texts = [
        "file { ['/a', b]: mode => '0644', * => $h; '/c': a => { b => 1 } }\nFile { owner => root }\nPackage { 'p': a => b }\n",
        "class a($b = [1], $c = {}) inherits d { class e { } }\nclass { 'f': }\ndefine g { h('i') }\nnode default { }\n",
        "include a\n  b(c(d), 'e')\n$x = { a => [B['c']] }\ncase $y { 'z': { } }\n", "x ? { a: b }\n", "a: b", "]: a }"
      ]
      texts.each do |text|
        INDEXES.each do |name, original|
          answers = [-> { PuppetLint::Data.__send__(name) }, -> { original.bind_call(PuppetLint::Data) }].map do |ask|
            PuppetLint::Data.tokens = (@made ||= {})[text] ||= PuppetLint::Lexer.new.tokenise(text)
            begin
              ask.call
            rescue StandardError => e
              e.class
            end
          end
          raise "#{name} of #{text}: #{answers.inspect}" unless answers[0] == answers[1] && PuppetLint::Data.instance_variable_get(:"@#{name}") == (answers[1] if answers[1].is_a?(Array))
        end
      end
    RUBY
  end

  it "raises puppet-lint's errors" do
    said = ruby(own + <<~'RUBY')
      ["a\n 'b", '"a', '^', "$\n"].each do |text|
        begin
          PuppetLint::Lexer.new.tokenise(text)
        rescue PuppetLint::LexerError => e
          puts e
        end
      end
      p Bunraku::DropIn.report[:lint][:left]
    RUBY
    expect(said).to eq(<<~TEXT)
      PuppetLint::LexerError: Line:2 Column: 2 Reason: 
      PuppetLint::LexerError: Line:1 Column: 1 Reason: unterminated string
      PuppetLint::LexerError: Line:1 Column: 1 Reason: 
      PuppetLint::LexerError: Line:1 Column: 1 Reason: 
      {"a text that puppet-lint does not read"=>4}
    TEXT
  end

  it 'leaves the work to what somebody replaced' do
    said = ruby(own + <<~'RUBY')
      class PuppetLint::Lexer
        def new_token(type, value, *) = super rescue PuppetLint::Lexer::Token.new(:OTHER, value, 1, 1)
      end
      p PuppetLint::Lexer.new.tokenise('a').map(&:type)
      def (PuppetLint::Data).class_indexes = [:mine]
      def (PuppetLint::Data).param_tokens(_) = [:other]
      p PuppetLint::Data.class_indexes
      PuppetLint::Data.tokens = TOKENISE.bind_call(PuppetLint::Lexer.new, 'define a { }')
      p PuppetLint::Data.node_indexes
      puts Bunraku::DropIn.report[:lint][:left].keys
    RUBY
    expect(said).to eq(<<~TEXT)
      [:OTHER]
      [:mine]
      []
      PuppetLint::Lexer#new_token was replaced
      #<Class:PuppetLint::Data>#param_tokens was replaced
    TEXT
  end

  it 'runs checks that have something to look at' do
    said = ['', "require 'bunraku/puppet-lint'\n"].map do |ours|
      ruby(ours + <<~'RUBY')
        require 'puppet-lint'
        ["A['b'] ->\nC['d']\n", "A['b'] -> C['d']\n", "$a = '#{'x' * 135}'\n", "$a = '#{'\u00e9' * 133}'\n", "notice($::osfamily, $facts['fqdn'])\n"].each do |text|
          lint = PuppetLint.new
          lint.code = text
          lint.run
          lint.problems.each { |one| puts one.values_at(:check, :message, :line, :column).join(' ') }
        end
      RUBY
    end
    expect(said[0]).to eq(said[1])
    expect(said[0]).to include('arrow_on_right_operand_line', '140chars')
  end

  it 'mends the same bytes, through RUBYOPT' do
    Dir.mktmpdir do |directory|
      library = File.expand_path('../lib', __dir__)
      written = ['', "-I#{library} -rbunraku/puppet-lint"].map do |options|
        path = File.join(directory, 'init.pp')
        File.write(path, "class a {\n  file { \"/a\":\n    mode  => 644,\n    ensure => present,\n  }\n}\n")
        said, = Open3.capture2e({ 'RUBYOPT' => "-W0 #{options}" }, 'puppet-lint', '--fix', path)
        [said, File.read(path)]
      end
      expect(written[0]).to eq(written[1])
      expect(written[0][1]).to include("    ensure => present,\n    mode   => '0644',\n")
    end
  end
end
