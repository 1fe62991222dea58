# frozen_string_literal: true

require 'bunraku'
require 'bunraku/classifier/app'

module Bunraku
  class CommandLine
    # The node classifier as a server: what `bunraku classifier` runs.
    #
    # @api private
    class Server
      # @param options [Hash{Symbol => Object}] the command's options
      # @param err [IO] messages
      def initialize(options, err)
        @options = options
        @err = err
      end

      # Serves until a signal ends it.
      #
      # @return [nil]
      # @raise [ArgumentError] the gem puma is missing, or an option is invalid
      # @raise [Error] the database cannot be used
      def run
        app = application
        load_puma
        server = Puma::Server.new(app)
        url = listen(server)
        @err.puts("bunraku: the classifier listens on #{url}#{' and nobody may write' unless may_write?}")
        thread = server.run
        # The first signal lets running requests finish, the second does not.
        %w[HUP INT TERM].each do |signal|
          before = trap(signal) { trap(signal, 'SYSTEM_DEFAULT') && Thread.new { server.stop } }
          trap(signal, before) if before == 'IGNORE'
        end
        thread.join
        nil
      end

      private

      def application
        open = @options.slice(:database, :create, :environmentpath, :allow_config_data, :stores_check_ins)
        access = @options.slice(:token, :read_token, :open_to_read, :certnames, :read_certnames)
        Classifier::App.new(Classifier.open(**open), **access)
      end

      def load_puma
        require 'rubygems' unless defined?(Gem)
        require 'puma'
        require 'puma/server'
      rescue LoadError
        raise ArgumentError, "the command 'classifier' needs the gem puma"
      end

      def may_write?
        @options[:token] || !@options[:certnames].empty?
      end

      def listen(server)
        host, port, cert = @options.values_at(:host, :port, :cert)
        unless cert
          server.add_tcp_listener(host, port)
          return "http://#{host}:#{port}/classifier-api/v1"
        end
        require 'puma/minissl'
        context = Puma::MiniSSL::Context.new
        context.cert = cert
        context.key = @options[:key]
        context.ca = @options[:ca] if @options[:ca]
        context.verify_mode = @options[:ca] ? Puma::MiniSSL::VERIFY_PEER : Puma::MiniSSL::VERIFY_NONE
        server.add_ssl_listener(host, port, context)
        "https://#{host}:#{port}/classifier-api/v1"
      end
    end
  end
end
