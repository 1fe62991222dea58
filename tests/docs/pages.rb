# frozen_string_literal: true

# The pages of the documentation as tests. A page is Markdown; its fenced blocks are
#
# - `console`: lines `$ COMMAND`, each followed by its output;
# - `ruby`: run in one process per page, in order; in `EXPRESSION # => TEXT`, TEXT is the result of `inspect`;
# - any language, after a line `<!-- file: PATH -->`: a file that the following blocks use;
# - `rust`: a documentation test of the crate `conform`;
# - `text`: not run.
#
# Everything runs in a copy of the example's environment, which is a git repository with one commit. The size
# of a catalog depends on the name of the directory, so it is shown as `N bytes`.
module Pages
  ROOT = File.expand_path('../..', __dir__)
  EXAMPLE = File.join(ROOT, 'tests/example/environments/production')
  LANGUAGES = %w[console ruby rust text].freeze

  # A fenced block: where its text begins in the page (a line, from 0), its fence, and its lines.
  Block = Struct.new(:line, :fence, :language, :file, :lines)

  module_function

  def all
    [File.join(ROOT, 'README.md'), *Dir.glob(File.join(ROOT, 'docs/src/**/*.md'))]
  end

  # @return [Array<Block>]
  def blocks(lines)
    found = []
    open = nil
    lines.each_with_index do |line, index|
      if open
        line == open.fence ? (found << open; open = nil) : open.lines << line
      elsif (fence = line[/\A```+/])
        file = lines[index - 1][/\A<!-- file: (.+) -->\z/, 1] if index.positive?
        open = Block.new(index + 1, fence, line.delete_prefix(fence), file, [])
      end
    end
    found
  end

  # A page with the current results: the text is unchanged if every block is correct.
  class Run
    def initialize(path)
      @lines = File.readlines(path, chomp: true, encoding: Encoding::UTF_8)
      @blocks = Pages.blocks(@lines)
    end

    # @return [String]
    def text
      unknown = @blocks.reject { |block| block.file || LANGUAGES.include?(block.language) }
      raise "blocks that nothing runs: #{unknown.map { |block| "#{block.line}: #{block.language}" }.join(', ')}" if unknown.any?

      checkout do |directory|
        @directory = directory
        now = files_and_consoles
        answers = ruby_answers
        @blocks.reverse_each do |block|
          @lines[block.line, block.lines.size] = now.fetch(block) { answered(block, answers) }
        end
      end
      "#{@lines.join("\n")}\n"
    end

    private

    def checkout
      Dir.mktmpdir do |parent|
        path = File.join(parent, 'control-repo')
        FileUtils.cp_r(EXAMPLE, path)
        FileUtils.rm_rf(File.join(path, 'spec/golden'))
        git = %w[git -c user.name=a -c user.email=a@example.net -c init.defaultBranch=main]
        [%w[init -q], %w[add .], %w[commit -q -m first]].each { |given| system(*git, *given, chdir: path) || raise }
        yield path
      end
    end

    def files_and_consoles
      @blocks.each_with_object({}) do |block, now|
        if block.file
          path = File.join(@directory, block.file)
          FileUtils.mkdir_p(File.dirname(path))
          File.write(path, "#{block.lines.join("\n")}\n")
          now[block] = block.lines
        else
          now[block] = block.language == 'console' ? console(block) : block.lines unless block.language == 'ruby'
        end
      end
    end

    def console(block)
      commands = block.lines.grep(/\A\$ /)
      commands.flat_map { |command| [command, *shell(command.delete_prefix('$ '))] }
    end

    def shell(command)
      output, = Open3.capture2e(environment, 'sh', '-c', command, chdir: @directory)
      tidy(output).lines(chomp: true)
    end

    def tidy(text)
      text.dup.force_encoding(Encoding::UTF_8).gsub(@directory, '/control-repo').gsub(/\d+ bytes of JSON/, 'N bytes of JSON').gsub(/ +$/, '')
    end

    def environment
      stage = File.join(ROOT, 'target/stage')
      { 'PATH' => "#{stage}/bin:#{ENV.fetch('PATH')}", 'PKG_CONFIG_PATH' => "#{stage}/lib/pkgconfig", 'NO_COLOR' => '1',
        'LD_LIBRARY_PATH' => "#{stage}/lib", 'BUNRAKU_LIBRARY' => "#{stage}/lib/libbunraku.so", 'TERM' => 'dumb',
        'PYTHONPATH' => File.join(ROOT, 'ffi/python'), 'PYTHONDONTWRITEBYTECODE' => '1', 'RUBYOPT' => '-W0',
        'RUBYLIB' => File.join(ROOT, 'ruby-ext/lib') }
    end

    # Returns the current text of each `# =>` in the page's Ruby, by its line in the page.
    def ruby_answers
      blocks = @blocks.select { |block| block.language == 'ruby' && !block.file }
      return {} if blocks.empty?

      out, status = Open3.capture2e(environment, RbConfig.ruby, '-rjson', '-', stdin_data: script(blocks), chdir: @directory)
      raise out.delete_prefix("\n") unless status.success?

      JSON.parse(out.lines.last).to_h { |line, text| [line, tidy(text)] }
    end

    def script(blocks)
      lines = blocks.flat_map do |block|
        block.lines.each_with_index.map do |line, index|
          expression, comment = line.split(/ +# => /, 2)
          comment ? "($answers << [#{block.line + index}, ((#{expression})).inspect]).last" : line
        end
      end
      ['$answers = []', *lines, 'puts', 'puts JSON.generate($answers)'].join("\n")
    end

    def answered(block, answers)
      block.lines.each_with_index.map do |line, index|
        answer = answers[block.line + index]
        answer ? line.sub(/(?<= # => ).*/) { answer } : line
      end
    end
  end
end
