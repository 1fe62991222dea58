# frozen_string_literal: true

module Bunraku
  class CommandLine
    # `bunraku classifier`: the node classifier as a server.
    module Classifier
      private

      def classifier(arguments)
        options = { port: 4433, host: '127.0.0.1', open: {}, app: {} }
        parser = OptionParser.new('Usage: bunraku classifier --db FILE --token-file FILE [OPTIONS]') do |o|
          o.separator('')
          o.separator('Serves the node classifier\'s HTTP interface (/classifier-api/v1) until it is interrupted. Needs the gem')
          o.separator('puma. Who asks needs a token or a client certificate.')
          o.separator('')
          store_options(o, options[:open])
          o.on('--port N', Integer, 'the port (4433)') { |v| options[:port] = v }
          o.on('--host ADDRESS', 'the address (127.0.0.1)') { |v| options[:host] = v }
          access_options(o, options)
          help_option(o)
        end
        extra = parser.permute(arguments)
        raise Misuse, "classifier takes no arguments: #{extra.join(' ')}" unless extra.empty?

        assert_access(options)
        serve(options)
      end

      def store_options(parser, open)
        parser.on('--db FILE', 'the SQLite database with the groups; in memory without it') { |v| open[:database] = v }
        parser.on('--create', 'make the database when it is not there') { open[:create] = true }
        parser.on('--environmentpath PATH', 'groups may use the classes of these environments only') { |v| open[:environmentpath] = v }
        parser.on('--[no-]allow-config-data', 'whether groups may have configuration data (they may)') do |v|
          open[:allow_config_data] = v
        end
        parser.on('--check-ins', 'note when nodes are classified') { open[:stores_check_ins] = true }
      end

      def access_options(parser, options)
        app = options[:app]
        parser.on('--token-file FILE', 'who knows the token in it may read and write') { |v| app[:token] = token(v) }
        parser.on('--read-token-file FILE', 'who knows the token in it may read') { |v| app[:read_token] = token(v) }
        parser.on('--open-to-read', 'anybody may read') { app[:open_to_read] = true }
        parser.on('--ssl-cert FILE', 'the certificate of the server') { |v| options[:cert] = v }
        parser.on('--ssl-key FILE', 'its private key') { |v| options[:key] = v }
        parser.on('--ssl-ca FILE', 'who signs certificates of clients') { |v| options[:ca] = v }
        parser.on('--certname NAME', 'whose certificate may read and write (may be given again)') { |v| (app[:certnames] ||= []) << v }
        parser.on('--read-certname NAME', 'whose certificate may read (may be given again)') { |v| (app[:read_certnames] ||= []) << v }
      end

      def token(path)
        token = read(path).strip
        raise Misuse, "#{path}: there is no token in it" if token.empty?

        token
      end

      # What is asked for must be possible, and somebody must be able to read.
      def assert_access(options)
        app = options[:app]
        names = [*app[:certnames], *app[:read_certnames]]
        raise Misuse, '--ssl-cert needs --ssl-key' if options[:cert] && !options[:key]
        raise Misuse, '--ssl-ca needs --ssl-cert' if options[:ca] && !options[:cert]
        raise Misuse, '--certname and --read-certname need --ssl-ca' if !names.empty? && !options[:ca]
        raise Misuse, '--ssl-ca needs --certname or --read-certname: who it signs is not who may ask' if options[:ca] && names.empty?
        return if app[:token] || app[:read_token] || app[:open_to_read] || !names.empty?

        raise Misuse, 'nobody may read: give --token-file, --read-token-file, --certname, --read-certname or --open-to-read'
      end

      def serve(options)
        require 'bunraku/classifier/app'
        app = application(options)
        begin
          require 'rubygems' unless defined?(Gem)
          require 'puma'
          require 'puma/server'
        rescue LoadError
          raise Misuse, "the command 'classifier' needs the gem puma"
        end
        server = Puma::Server.new(app)
        url = listen(server, options)
        @err.puts("bunraku: the classifier listens on #{url}#{' and nobody may write' unless may_write?(options)}")
        thread = server.run
        # The first one lets requests be answered that were begun, the second does not.
        %w[HUP INT TERM].each do |signal|
          before = trap(signal) { trap(signal, 'SYSTEM_DEFAULT') && Thread.new { server.stop } }
          trap(signal, before) if before == 'IGNORE'
        end
        thread.join
        0
      end

      def application(options)
        ::Bunraku::Classifier::App.new(::Bunraku::Classifier.open(**options[:open]), **options[:app])
      rescue ArgumentError => e
        raise Misuse, e.message
      end

      def may_write?(options)
        options[:app][:token] || options[:app][:certnames]
      end

      def listen(server, options)
        unless options[:cert]
          server.add_tcp_listener(options[:host], options[:port])
          return "http://#{options[:host]}:#{options[:port]}/classifier-api/v1"
        end
        require 'puma/minissl'
        context = Puma::MiniSSL::Context.new
        context.cert = options[:cert]
        context.key = options[:key]
        context.ca = options[:ca] if options[:ca]
        context.verify_mode = options[:ca] ? Puma::MiniSSL::VERIFY_PEER : Puma::MiniSSL::VERIFY_NONE
        server.add_ssl_listener(options[:host], options[:port], context)
        "https://#{options[:host]}:#{options[:port]}/classifier-api/v1"
      end
    end
  end
end
