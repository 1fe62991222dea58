# frozen_string_literal: true

module Bunraku
  class CommandLine
    # `bunraku doc`, `bunraku module`: what modules define, and whether they are as they should be.
    module Modules
      private

      def doc(arguments)
        options = { format: 'json', warnings: true }
        parser = OptionParser.new('Usage: bunraku doc [PATH...] [OPTIONS]') do |o|
          o.separator('')
          o.separator('Documents modules (directories) and files, as `puppet strings generate` does: what they define, with what')
          o.separator('comments say of it. Without a path it is the module in the working directory. Files that cannot be read')
          o.separator('are told, and make the exit status 1. What comments miss or have wrong (parameters without @param, @param')
          o.separator('without a parameter, unknown tags, no comment at all) is told on standard error, as puppet-strings does.')
          o.separator('')
          o.on('--output FILE', 'write it there') { |v| options[:output] = v }
          o.on('--[no-]warnings', 'tell what comments miss or have wrong (the default)') { |v| options[:warnings] = v }
          o.on('--fail-on-warning', 'exit status 1 when there is such a thing') { options[:fail] = true }
          format_option(o, options, %w[json markdown])
        end
        paths = parser.permute(arguments)
        missing = paths.reject { |path| File.exist?(path) }
        raise Misuse, "there is no #{missing.first}" unless missing.empty?

        documentation = Bunraku.doc(*(paths.empty? ? ['.'] : paths))
        text = options[:format] == 'markdown' ? documentation.to_markdown : "#{documentation.to_json}\n"
        options[:output] ? File.write(options[:output], text) : @out.data(text, json: options[:format] == 'json')
        tell_of(documentation, options)
      end

      # The exit status.
      def tell_of(documentation, options)
        documentation.failures.each { |failure| @err.puts("#{failure['file']}: error: #{failure['message']}") }
        words = { 'warning' => 'warn', 'error' => 'error' }
        documentation.warnings.each { |one| @err.puts("[#{words[one['severity']]}]: #{one['message']}") } if options[:warnings]
        documentation.failures.any? || (options[:fail] && documentation.warnings.any?) ? 1 : 0
      end

      # `module` is a word of Ruby.
      def module_command(arguments)
        options = { format: 'text' }
        parser = OptionParser.new('Usage: bunraku module check [DIRECTORY...] [OPTIONS]') do |o|
          o.separator('')
          o.separator('Checks modules: files that do not belong in a release, what is missing, metadata, definitions in files where')
          o.separator('Puppet does not look for them, tasks. The exit status is 1 when there is an error.')
          o.separator('')
          o.on('--modulepath PATH', 'directories with modules; what is depended on must be there') do |v|
            options[:modulepath] = v.split(':')
          end
          o.on('--[no-]warnings', 'show warnings and notices, too') { |v| options[:warnings] = v }
          format_option(o, options, %w[text json])
        end
        action, *directories = parser.permute(arguments)
        raise Misuse, "module takes 'check'" unless action == 'check'

        show_findings(directories.empty? ? ['.'] : directories, options)
      end

      def show_findings(directories, options)
        found = directories.to_h do |directory|
          raise Misuse, "there is no directory #{directory}" unless File.directory?(directory)

          all = ModuleCheck.of(directory, modulepath: options[:modulepath])
          [directory, options[:warnings] == false ? all.select { |one| one.severity == :error } : all]
        end
        if options[:format] == 'json'
          say_json(found.transform_values { |all| all.map { |one| one.to_h.compact } })
        else
          found.each { |directory, all| all.each { |one| say(File.join(directory, one.to_s)) } }
        end
        found.values.flatten.any? { |one| one.severity == :error } ? 1 : 0
      end
    end
  end
end
