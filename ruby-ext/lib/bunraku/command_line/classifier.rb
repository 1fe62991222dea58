# frozen_string_literal: true

module Bunraku
  class CommandLine
    # `bunraku classifier`: the node classifier as a server.
    module Classifier
      private

      def classifier(arguments)
        options = { port: 4433, host: '127.0.0.1', open: {}, app: {} }
        parser = OptionParser.new('Usage: bunraku classifier --db FILE [OPTIONS]') do |o|
          o.separator('')
          o.separator('Serves the node classifier\'s HTTP interface (/classifier-api/v1) until it is interrupted. Needs the gem')
          o.separator('puma. Whoever reaches it may read; writing takes a token or a client certificate.')
          o.separator('')
          o.on('--db FILE', 'the SQLite database with the groups; in memory without it') { |v| options[:open][:database] = v }
          o.on('--environmentpath PATH', 'groups may use the classes of these environments only') do |v|
            options[:open][:environmentpath] = v
          end
          o.on('--port N', Integer, 'the port (4433)') { |v| options[:port] = v }
          o.on('--host ADDRESS', 'the address (127.0.0.1)') { |v| options[:host] = v }
          o.on('--token-file FILE', 'who knows the token in it may write') { |v| options[:app][:token] = File.read(v) }
          o.on('--ssl-cert FILE', 'the certificate of the server') { |v| options[:cert] = v }
          o.on('--ssl-key FILE', 'its private key') { |v| options[:key] = v }
          o.on('--ssl-ca FILE', 'who signs certificates of clients that may write') { |v| options[:ca] = v }
          o.on('--certname NAME', 'whose certificate may write (may be given again; any without it)') do |v|
            (options[:app][:certnames] ||= []) << v
          end
          o.on('--check-ins', 'note when nodes are classified') { options[:open][:stores_check_ins] = true }
          help_option(o)
        end
        extra = parser.permute(arguments)
        raise Misuse, "classifier takes no arguments: #{extra.join(' ')}" unless extra.empty?

        serve(options)
      end

      def serve(options)
        begin
          require 'rubygems' unless defined?(Gem)
          require 'puma'
          require 'puma/server'
        rescue LoadError
          raise Misuse, "the command 'classifier' needs the gem puma"
        end
        require 'bunraku/classifier/app'
        app = ::Bunraku::Classifier::App.new(::Bunraku::Classifier.open(**options[:open]), **options[:app])
        server = Puma::Server.new(app)
        url = listen(server, options)
        @err.puts("bunraku: the classifier listens on #{url}#{' and nobody may write' unless may_write?(options)}")
        thread = server.run
        %w[INT TERM].each { |signal| trap(signal) { Thread.new { server.stop } } }
        thread.join
        0
      end

      def may_write?(options)
        options[:app][:token] || options[:ca]
      end

      def listen(server, options)
        unless options[:cert]
          server.add_tcp_listener(options[:host], options[:port])
          return "http://#{options[:host]}:#{options[:port]}/classifier-api/v1"
        end
        require 'puma/minissl'
        context = Puma::MiniSSL::Context.new
        context.cert = options[:cert]
        context.key = options[:key] || raise(Misuse, '--ssl-cert needs --ssl-key')
        context.ca = options[:ca] if options[:ca]
        context.verify_mode = options[:ca] ? Puma::MiniSSL::VERIFY_PEER : Puma::MiniSSL::VERIFY_NONE
        server.add_ssl_listener(options[:host], options[:port], context)
        "https://#{options[:host]}:#{options[:port]}/classifier-api/v1"
      end
    end
  end
end
