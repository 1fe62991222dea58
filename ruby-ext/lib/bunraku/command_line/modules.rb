# frozen_string_literal: true

module Bunraku
  class CommandLine
    # `bunraku doc`: what modules define.
    module Modules
      private

      def doc(arguments)
        options = { format: 'json' }
        parser = OptionParser.new('Usage: bunraku doc [PATH...] [OPTIONS]') do |o|
          o.separator('')
          o.separator('Documents modules (directories) and files, as `puppet strings generate` does: what they define, with what')
          o.separator('comments say of it. Without a path it is the module in the working directory. Files that cannot be read')
          o.separator('are told, and make the exit status 1.')
          o.separator('')
          o.on('--output FILE', 'write it there') { |v| options[:output] = v }
          format_option(o, options, %w[json markdown])
        end
        paths = parser.permute(arguments)
        missing = paths.reject { |path| File.exist?(path) }
        raise Misuse, "there is no #{missing.first}" unless missing.empty?

        documentation = Bunraku.doc(*(paths.empty? ? ['.'] : paths))
        text = options[:format] == 'markdown' ? documentation.to_markdown : "#{documentation.to_json}\n"
        options[:output] ? File.write(options[:output], text) : @out.print(text)
        documentation.failures.each { |failure| @err.puts("#{failure['file']}: error: #{failure['message']}") }
        documentation.failures.empty? ? 0 : 1
      end
    end
  end
end
