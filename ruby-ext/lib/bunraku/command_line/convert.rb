# frozen_string_literal: true

autoload :Digest, 'digest'
autoload :SecureRandom, 'securerandom'

module Bunraku
  class CommandLine
    # `bunraku convert`: documents that hold catalogs are checked and written in other forms.
    module Convert
      private

      def convert(arguments)
        options = { from: 'agent', submission: {} }
        parser = OptionParser.new('Usage: bunraku convert FILE [OPTIONS]') do |o|
          o.separator('')
          o.separator('Checks a catalog in FILE (- reads standard input) and writes it in another form. Forms: agent,')
          o.separator('agent:msgpack, and PuppetDB\'s puppetdb:1, puppetdb:1-api, puppetdb:4 to puppetdb:9.')
          o.separator('')
          o.on('--from FORM', 'the form of the file (agent)') { |v| options[:from] = v }
          o.on('--to FORM', 'the other form; without it the file is checked only') { |v| options[:to] = v }
          o.on('--output FILE', 'where to write; standard output without it') { |v| options[:output] = v }
          submission_options(o, options[:submission])
          o.on('--environment NAME', 'the environment, where the file does not say it') do |v|
            options[:submission][:environment_name] = v
          end
          file_size_option(o)
          help_option(o)
        end
        files = parser.permute(arguments)
        raise Misuse, 'convert needs one file' unless files.size == 1

        document = read(files.first, encoding: Encoding::BINARY)
        return check_document(document, options[:from]) unless options[:to]

        write_document(convert_document(document, options), options[:output])
      rescue ArgumentError => e
        raise Misuse, e.message
      end

      def convert_document(document, options)
        submission = options[:submission]
        submission[:producer_timestamp] ||= Time.now if options[:to].start_with?('puppetdb')
        Catalog.convert(document, from: options[:from], to: options[:to], **submission)
      end

      def check_document(document, form)
        violations = Catalog.validate(document, form: form)
        violations.each { |violation| @out.puts(violation) }
        violations.empty? ? 0 : 1
      end

      def write_document(document, path)
        return File.binwrite(path, document) && 0 if path

        is_text = document.encoding != Encoding::BINARY
        is_text ? @out.data(document, json: true) : @out.io.write(document)
        @out.puts if @out.tty?
        0
      end

      # What PuppetDB is told beside a catalog.
      def submission_options(parser, submission)
        parser.on('--producer NAME', 'the server that PuppetDB is told of') { |v| submission[:producer] = v }
        parser.on('--producer-timestamp TIME', 'when it is sent (now)') { |v| submission[:producer_timestamp] = v }
        parser.on('--transaction-uuid UUID', "the id of the agent's run") { |v| submission[:transaction_uuid] = v }
        parser.on('--catalog-uuid UUID', 'the id of the catalog') { |v| submission[:catalog_uuid] = v }
        parser.on('--code-id ID', 'the id of the code') { |v| submission[:code_id] = v }
        parser.on('--job-id ID', 'the id of the job that asked for the run') { |v| submission[:job_id] = v }
      end

      # What makes a compilation repeatable.
      def chance_options(parser, identity)
        parser.on('--seed TEXT', 'what is random follows from it: the same seed gives the same bytes') { |v| identity[:seed] = v }
        parser.on('--time TIME', 'where the clock stands still, such as 2024-02-29T12:00:00.000Z (1970 with --seed only)') do |v|
          identity[:time] = v.match?(/\A\d+\z/) ? Integer(v, 10) : v
        end
      end

      # The id of the run that this command is, for PuppetDB.
      def run_id(seed)
        return SecureRandom.uuid unless seed

        digest = Digest::SHA256.hexdigest("transaction #{seed}")
        [digest[0, 8], digest[8, 4], "4#{digest[12, 3]}", "8#{digest[15, 3]}", digest[18, 12]].join('-')
      end
    end
  end
end
