# frozen_string_literal: true

require_relative 'syntax'
require_relative 'command_line/screen'

autoload :JSON, 'json'
autoload :OptionParser, 'optparse'

module Bunraku
  # The command `bunraku`. Exit status: 0 all is well, 1 the program or the data is at fault, 2 the command was used wrongly,
  # 70 the library itself is at fault.
  class CommandLine
    # The commands that need nothing but the syntax. For the others the rest is loaded, which takes longer than to check a file.
    SYNTAX = ['parse', 'validate', '--version', '-V', '--help', '-h', 'help', nil].freeze
    private_constant :SYNTAX

    %w[Classifier Convert Modules Reports Types].each { |part| autoload part, File.join(__dir__, 'command_line', part.downcase) }

    # Which parts of this class the commands have that are not in this file.
    PARTS = {
      'classifier' => [:Classifier], 'compile' => %i[Convert Reports], 'convert' => [:Convert], 'describe' => [:Types],
      'diff' => [:Reports], 'doc' => [:Modules], 'generate' => [:Types], 'graph' => [:Reports], 'module' => [:Modules]
    }.freeze
    private_constant :PARTS

    OVERVIEW = <<~TEXT
      bunraku: the Puppet language, natively

      Usage: bunraku COMMAND [OPTIONS]

        classifier  serve the node classifier
        compile     compile the catalog of a node
        convert     check a written catalog, write it in another form
        describe    describe types of resources
        diff        compare catalogs: of nodes in two environments, or written ones
        doc         document modules
        generate    write types of resources for environments
        graph       draw a catalog
        lookup      look up data as a node sees it
        module      check a module: files, metadata, definitions
        parse       show the syntax tree of manifests or templates
        validate    check manifests and templates

      bunraku COMMAND --help tells more. bunraku --version prints the version.
    TEXT

    # A failure of the command itself: unusable options, files that cannot be read.
    class Misuse < StandardError; end

    # @param out [IO] results
    # @param err [IO] messages
    def initialize(out, err)
      @out = Screen.new(out)
      @err = Screen.new(err)
    end

    # @param arguments [Array<String>] the command and its options
    # @return [Integer] the exit status
    def run(arguments)
      command, *rest = arguments
      require 'bunraku' unless SYNTAX.include?(command)
      PARTS.fetch(command, []).each { |part| extend self.class.const_get(part) }
      case command
      when 'classifier', 'compile', 'convert', 'describe', 'diff', 'doc', 'generate', 'graph', 'lookup', 'parse', 'validate' then send(command, rest)
      when 'module' then module_command(rest)
      when '--version', '-V' then say(VERSION)
      when '--help', '-h', 'help' then say(OVERVIEW)
      else
        @err.puts(OVERVIEW)
        2
      end
    rescue Errno::EPIPE
      0
    rescue Interrupt
      130
    rescue OptionError => e
      @err.puts("bunraku: #{e.message}")
      2
    rescue Error => e
      show_error(e)
      e.is_a?(BugError) ? 70 : 1
    rescue Misuse, Files::Refused, SystemCallError, OptionParser::ParseError, JSON::ParserError => e
      @err.puts("bunraku: #{e.message}")
      2
    end

    private

    def compile(arguments)
      options = { facts: {}, settings: {}, format: 'text', submission: {} }
      parser = OptionParser.new('Usage: bunraku compile --node NAME [OPTIONS]') do |o|
        o.separator('')
        o.separator('Compiles the catalog of a node and shows its resources, or writes it in a form: agent (json is the')
        o.separator("same), agent:msgpack, or PuppetDB's puppetdb:1, puppetdb:1-api, puppetdb:4 to puppetdb:9.")
        o.separator('')
        node_options(o, options)
        o.on('--output FILE', 'write the catalog there, as an agent receives it without --format') { |v| options[:output] = v }
        o.on('--format FORM', 'text, or a form') { |v| options[:format] = v }
        o.on('--explain REFERENCE', 'tell where the values of a resource come from and why it is there (may be given again)') do |v|
          (options[:explain] ||= []) << v
        end
        o.on('--check-cycles', 'fail on cycles of dependencies and tell their paths') { options[:check_cycles] = true }
        submission_options(o, options[:submission])
        chance_options(o, options[:submission])
        help_option(o)
      end
      parser.permute(arguments)
      options[:submission][:transaction_uuid] ||= run_id(options[:submission][:seed])
      environment = load_environment(options)
      catalog = compile_node(environment, options)
      catalog.logs.each { |entry| log(entry) }
      return explain_resources(catalog, options[:explain], environment) if options[:explain]
      return write_document(document_of(catalog, options), options[:output]) unless options[:format] == 'text'

      json = catalog.to_json
      File.write(options[:output], json) if options[:output]
      show_catalog(catalog, options[:output], json)
    end

    def compile_node(environment, options)
      as_misuse do
        environment.compile(**node_of(options), provenance: !options[:explain].nil?,
                                                check_cycles: options.fetch(:check_cycles, false), **options[:submission])
      end
    end

    # What the library does not take, the command was not to be given.
    def as_misuse
      yield
    rescue ArgumentError => e
      raise Misuse, e.message
    end

    def document_of(catalog, options)
      case options[:format]
      when 'agent', 'json' then catalog.to_json
      when 'agent:msgpack' then catalog.to_msgpack
      when /\Apuppetdb(?::(.+))?\z/ then catalog.to_puppetdb(version: Regexp.last_match(1) || 9)
      else raise Misuse, "invalid argument: --format #{options[:format]}"
      end
    rescue ArgumentError => e
      raise Misuse, e.message
    end

    def lookup(arguments)
      options = { facts: {}, settings: {}, format: 'text', request: {} }
      parser = OptionParser.new('Usage: bunraku lookup KEY --node NAME [OPTIONS]') do |o|
        o.separator('')
        o.separator('Looks up data as `puppet lookup` does.')
        o.separator('')
        node_options(o, options)
        o.on('--type TYPE', 'the value must be of this type') { |v| options[:request][:type] = v }
        o.on('--merge STRATEGY', 'first, unique, hash or deep') { |v| options[:request][:merge] = v }
        o.on('--default VALUE', 'the value when nothing is found') { |v| options[:request][:default] = v }
        o.on('--explain', 'tell how the value was found') { options[:explain] = true }
        o.on('--show-secrets', 'show what is Sensitive, and with --explain what was encrypted') { options[:show_secrets] = true }
        format_option(o, options, %w[text json])
      end
      keys = parser.permute(arguments)
      raise Misuse, 'lookup needs one key' unless keys.size == 1

      environment = load_environment(options)
      question = node_of(options).merge(options[:request])
      return explain_lookup(environment, keys.first, question, options) if options[:explain]

      value = environment.lookup(keys.first, **question)
      value = without_secrets(value) unless options[:show_secrets]
      value.is_a?(String) && options[:format] == 'text' ? say_data(value) : say_json(value)
    end

    def explain_lookup(environment, key, question, options)
      question = { **question, show_secrets: options.fetch(:show_secrets, false) }
      return say(environment.explain(key, **question)) if options[:format] == 'text'

      say_json(environment.explain(key, **question, format: :data))
    end

    # Rich data with the text that Puppet shows for each Sensitive in it.
    def without_secrets(value)
      case value
      when Hash then value['__ptype'] == 'Sensitive' ? 'Sensitive [value redacted]' : value.transform_values { |one| without_secrets(one) }
      when Array then value.map { |one| without_secrets(one) }
      else value
      end
    end

    def parse(arguments)
      options = { format: 'pn' }
      parser = OptionParser.new('Usage: bunraku parse FILE... [OPTIONS]') do |o|
        o.separator('')
        o.separator('Shows the syntax tree of manifests (.pp) and templates (.epp); - reads standard input.')
        o.separator('')
        o.on('--epp', 'take every file for a template') { options[:epp] = true }
        o.on('--tasks', 'know plans and apply') { options[:tasks] = true }
        file_size_option(o)
        format_option(o, options, %w[pn json])
      end
      paths = parser.permute(arguments)
      raise Misuse, 'parse needs a file' if paths.empty?

      paths.each do |path|
        program = Bunraku.parse(read(path), path: path, epp: options[:epp] || path.end_with?('.epp'), tasks: options[:tasks])
        options[:format] == 'json' ? say_data(program.to_json, json: true) : say_data(program.to_pn)
      end
      0
    end

    def validate(arguments)
      options = { format: 'text', strict: :error }
      # To load what reads options takes longer than to check a file.
      has_options = arguments.any? { |argument| argument.start_with?('-') && argument != '-' }
      paths = has_options ? validate_options(options).permute(arguments) : arguments
      raise Misuse, 'validate needs a path' if paths.empty?

      found = check(manifests(paths), options)
      require_relative 'diagnostic_formats' unless options[:format] == 'text'
      case options[:format]
      when 'json' then say_json(found.map(&:to_h))
      when 'sarif' then say_json(DiagnosticFormats.sarif(found))
      when 'github' then found.each { |one| say(DiagnosticFormats.github(one)) }
      else found.each { |one| show_diagnostic(one) }
      end
      found.any? { |one| one.severity == :error } ? 1 : 0
    end

    def validate_options(options)
      OptionParser.new('Usage: bunraku validate PATH... [OPTIONS]') do |o|
        o.separator('')
        o.separator('Checks manifests (.pp) and templates (.epp), in directories too.')
        o.separator('')
        o.on('--strict LEVEL', %w[off warning error], 'off, warning or error (the default)') { |v| options[:strict] = v.to_sym }
        o.on('--tasks', 'know plans and apply') { options[:tasks] = true }
        file_size_option(o)
        format_option(o, options, %w[text json sarif github])
      end
    end

    # Validates files; on a terminal a line tells how far it is when it takes longer.
    def check(files, options)
      is_shown = false
      next_look = now + 0.5
      files.each_with_index.flat_map do |(path, is_named), index|
        if @err.tty? && now >= next_look
          next_look = now + 0.1
          is_shown = true
          @err.io.print("\r#{index}/#{files.size} files")
        end
        check_file(path, is_named ? read(path) : read_found(path), options)
      end
    ensure
      @err.io.print("\r\e[K") if is_shown
    end

    def check_file(path, text, options)
      return [not_utf8(text, path)] unless text.valid_encoding?

      Bunraku.validate(text, path: path, strict: options[:strict], epp: path.end_with?('.epp'), tasks: options[:tasks])
    end

    # What is said of a text that no program can be made of, with the place of its first byte that is wrong.
    def not_utf8(text, path)
      before = text.scrub('').empty? ? '' : text.each_char.take_while(&:valid_encoding?).join
      Diagnostic.new(severity: :error, message: 'the text is not valid UTF-8', file: path, line: before.count("\n") + 1,
                     column: before.size - (before.rindex("\n") || -1), offset: before.bytesize)
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    # ---- options

    def node_options(parser, options, environments: true)
      parser.on('--node NAME', 'the certname of the node; the name in its --certificate without this') { |v| options[:node] = v }
      parser.on('--facts FILE', 'its facts, a JSON file; - reads standard input') { |v| options[:facts] = JSON.parse(read(v)) }
      if environments
        parser.on('--environmentpath PATH', 'directories that hold environments') { |v| options[:environmentpath] = v }
        parser.on('--environment NAME', 'the environment (production)') { |v| options[:environment] = v }
      end
      parser.on('--basemodulepath PATH', 'modules that all environments share') { |v| options[:basemodulepath] = v.split(':') }
      parser.on('--ruby-functions MODE', %w[auto own puppet off], "what runs modules' functions in Ruby: auto, own, puppet, off") do |v|
        options[:ruby_functions] = v
      end
      parser.on('--prefer-ruby', "run modules' own functions where native ones stand in for them") { options[:prefer_ruby] = true }
      parser.on('--global-hiera FILE', 'hiera.yaml of the global layer') { |v| options[:global_hiera] = v }
      parser.on('--class NAME', 'a class from the classifier (may be given again)') { |v| (options[:classes] ||= []) << v }
      parser.on('--parameter NAME=VALUE', 'a variable from the classifier (may be given again)') do |v|
        name, value = v.split('=', 2)
        (options[:parameters] ||= {})[name] = value
      end
      parser.on('--server-facts FILE', 'what the server says of itself, a JSON file; what this machine does without it') do |v|
        options[:server_facts] = JSON.parse(read(v))
        raise Misuse, "#{v} holds no object" unless options[:server_facts].is_a?(Hash)
      end
      parser.on('--no-server-facts', 'without $servername, $serverip and their like') { options[:server_facts] = {} }
      parser.on('--classifier FILE', 'classify the node by the groups in this database; their environment goes before --environment') { |v| options[:classifier] = v }
      certificate_options(parser, options)
      parser.on('--limit NAME=NUMBER', 'a limit: depth, steps, seconds, cpu_seconds, value_size, value_depth, output_size, resources, memory') do |v|
        name, value = v.split('=', 2)
        (options[:limits] ||= {})[name] = Integer(value || '', exception: false) || raise(Misuse, "--limit #{v} needs a number")
      end
      file_size_option(parser)
      parser.on('--setting NAME=VALUE', 'a setting, such as strict=warning or vendormoduledir=DIRECTORY') do |v|
        name, value = v.split('=', 2)
        options[:settings][name] = value
      end
    end

    def certificate_options(parser, options)
      parser.on('--certificate FILE', 'its certificate in PEM, of which $trusted is made') { |v| options[:certificate] = v }
      parser.on('--trusted-oid-mapping FILE', "names of the certificate's extensions, custom_trusted_oid_mapping.yaml of a server") do |v|
        options[:oid_mapping] = v
      end
    end

    def file_size_option(parser)
      parser.on('--file-size BYTES', Integer, "how many bytes a file may have (#{Files::SIZE}); stands before the files") do |v|
        @file_size = v
      end
    end

    def format_option(parser, options, formats)
      parser.on('--format FORMAT', formats, "#{formats.join(' or ')} (#{options[:format]})") { |v| options[:format] = v }
      help_option(parser)
    end

    def help_option(parser)
      parser.on('-h', '--help', 'this text') do
        @out.puts(parser.help)
        exit 0
      end
    end

    def load_environment(options)
      read_certificate(options)
      raise Misuse, '--node is missing' unless options[:node]

      if options[:classifier]
        groups = ::Bunraku::Classifier.open(database: options[:classifier])
        options[:classification] = groups.classify(options[:node], facts: options[:facts], trusted: options[:trusted] || {})
        # The server's word on the environment goes before the agent's.
        wanted = options[:classification]['environment']
        options[:environment] = wanted unless [nil, 'agent-specified'].include?(wanted)
      end
      Environment.new(options[:environment] || 'production', settings: options[:settings],
                                                             environmentpath: options[:environmentpath] || '.',
                                                             basemodulepath: options[:basemodulepath] || [],
                                                             **options.slice(:ruby_functions, :prefer_ruby),
                                                             global_hiera: options[:global_hiera], commands: true,
                                                             file_size: @file_size)
    end

    # What is trusted of the node, where there is a certificate.
    def read_certificate(options)
      mapping = options[:oid_mapping]
      return unless options[:certificate] || (mapping && raise(Misuse, '--trusted-oid-mapping needs a --certificate'))

      options[:trusted] = Trusted.from_certificate(read(options[:certificate]), mapping && read(mapping), path: mapping)
      options[:node] ||= options[:trusted]['certname']
    end

    def node_of(options)
      { node: options[:node], facts: options[:facts], classes: options[:classes] || [],
        parameters: options[:parameters] || {}, classification: options[:classification], trusted: options[:trusted],
        server_facts: options.fetch(:server_facts, true), limits: options[:limits] }.compact
    end

    # Reads what an argument names: a pipe such as that of `<(…)`, too.
    def read(path, encoding: 'UTF-8')
      limit = @file_size || Files::SIZE
      return Files.read_from($stdin, 'standard input', size: limit, encoding: encoding) if path == '-'

      Files.read_named(path, size: limit, encoding: encoding)
    end

    # Reads a file that was found in a directory.
    def read_found(path)
      Files.read(path, size: @file_size || Files::SIZE)
    end

    # The paths of manifests and templates, and whether each was named itself.
    def manifests(paths)
      paths.flat_map do |path|
        next [[path, true]] unless File.directory?(path)

        Dir.glob('**/*.{pp,epp}', base: path).sort.map { |name| [path == '.' ? name : File.join(path, name), false] }
      end
    end

    # ---- output

    # What people read.
    def say(text)
      @out.puts(text)
      0
    end

    # What programs may read.
    def say_data(text, json: false)
      @out.data(text.end_with?("\n") ? text : "#{text}\n", json: json)
      0
    end

    def say_json(value)
      say_data(JSON.pretty_generate(value), json: true)
    end

    def show_catalog(catalog, output, json)
      rows = catalog.map { |one| [one.type, one.title, one.line ? "#{File.basename(one.file.to_s)}:#{one.line}" : ''] }
      @out.puts(format('%-24<type>s %-40<title>s %<place>s', type: 'TYPE', title: 'TITLE', place: 'DECLARED AT'))
      rows.each { |type, title, place| @out.puts(format('%-24s %-40s %s', type, title, place).rstrip) }
      @out.puts("#{catalog.size} resources, #{json.bytesize} bytes of JSON#{" in #{output}" if output}")
      0
    end

    def show_error(error)
      error.logs.each { |entry| log(entry) }
      place = [error.file, error.line, error.column].compact.join(':')
      code = error.issue_code && " (#{error.issue_code})"
      @err.puts([("#{place}: " unless place.empty?), colour('error', 31), ": #{error.basic_message}#{code}"])
      error.trace.lines.drop(error.message.lines.size).each { |line| @err.puts(line) }
    end

    def show_diagnostic(diagnostic)
      number = { error: 31, warning: 33 }.fetch(diagnostic.severity, 35)
      severity = colour(diagnostic.severity.to_s, number, @out)
      place = [diagnostic.file, diagnostic.line, diagnostic.column].compact.join(':')
      code = diagnostic.issue_code && " (#{diagnostic.issue_code})"
      @out.puts(["#{place}: ", severity, ": #{diagnostic.message}#{code}"])
      return unless @out.tty?

      require_relative 'command_line/source_line'
      show_source(diagnostic) if diagnostic.line && diagnostic.file && File.file?(diagnostic.file)
    end

    # The line that a diagnostic is about, with a mark under its column.
    def show_source(diagnostic)
      line = File.foreach(diagnostic.file, encoding: 'UTF-8').lazy.drop(diagnostic.line - 1).first
      return unless line

      text, indent = SourceLine.new(line, diagnostic.column || 1).fit(SourceLine.width_of(@out.io) - 3)
      @out.puts("  #{text}", ["  #{indent}", colour('^', 32, @out)])
    end

    def log(entry)
      place = [entry[:file], entry[:line]].compact.join(':')
      @err.puts("#{entry[:level]}: #{entry[:message]}#{" (#{place})" unless place.empty?}")
    end

    def colour(text, number, stream = @err)
      stream.tty? && !ENV.key?('NO_COLOR') ? Screen::Coloured.new(text, number) : text
    end
  end
end
