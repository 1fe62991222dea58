# frozen_string_literal: true

require 'socket'

# @return [Integer] a port of this machine that nobody listens on
def free_port
  server = TCPServer.new('127.0.0.1', 0)
  server.addr[1]
ensure
  server&.close
end
