# frozen_string_literal: true

require 'socket'

# @return [Integer] a free port of this machine
def free_port
  server = TCPServer.new('127.0.0.1', 0)
  server.addr[1]
ensure
  server&.close
end
