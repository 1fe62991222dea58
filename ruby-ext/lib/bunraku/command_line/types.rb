# frozen_string_literal: true

module Bunraku
  class CommandLine
    # `bunraku describe`, `bunraku generate`: types of resources.
    module Types
      private

      def describe(arguments)
        options = { modulepath: [], shown: {} }
        parser = OptionParser.new('Usage: bunraku describe [TYPE...] [OPTIONS]') do |o|
          o.separator('')
          o.separator('Describes types of resources that modules have, as `puppet describe` does; without a type it lists them.')
          o.separator('')
          o.on('--modulepath PATH', 'directories with modules') { |v| options[:modulepath] = v.split(':') }
          o.on('-s', '--short', 'only the names of attributes') { options[:shown][:details] = false }
          o.on('-p', '--providers', 'what is said of providers, too') { options[:shown][:providers] = true }
          o.on('-m', '--meta', 'metaparameters, too') { options[:shown][:metaparameters] = true }
          help_option(o)
        end
        types = parser.permute(arguments)
        texts = ResourceTypes.describe(*types, modulepath: options[:modulepath], **options[:shown])
        texts.each_with_index { |text, index| text ? @out.print(text) : @err.puts("Unknown type #{types[index]}") }
        texts.include?(nil) ? 1 : 0
      end

      def generate(arguments)
        options = { modulepath: [], output: '.resource_types' }
        parser = OptionParser.new('Usage: bunraku generate types --modulepath PATH [OPTIONS]') do |o|
          o.separator('')
          o.separator('Writes what Puppet reads of types of resources instead of their Ruby files. Types that are computed cannot be')
          o.separator('written: they are told, and make the exit status 1.')
          o.separator('')
          o.on('--modulepath PATH', 'directories with modules') { |v| options[:modulepath] = v.split(':') }
          o.on('--output DIRECTORY', "the environment's directory '.resource_types' (that of the working directory)") do |v|
            options[:output] = v
          end
          help_option(o)
        end
        raise Misuse, "generate takes 'types'" unless parser.permute(arguments) == ['types']

        types = ResourceTypes.generate(modulepath: options[:modulepath])
        Dir.mkdir(options[:output]) unless File.directory?(options[:output])
        types.each { |type| write_type(type, options[:output]) }
        types.all? { |type| type['text'] } ? 0 : 1
      end

      def write_type(type, directory)
        return @err.puts("#{type['file']}: error: the type '#{type['name']}' is computed") unless type['text']

        file = File.join(directory, "#{type['name']}.pp")
        File.write(file, type['text'])
        # Whoever generates the next time sees by it whether the type has changed.
        time = File.mtime(type['file'])
        File.utime(time, time, file)
      end
    end
  end
end
