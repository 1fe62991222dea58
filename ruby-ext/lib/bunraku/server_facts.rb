# frozen_string_literal: true

require 'socket'

module Bunraku
  # What a server says of itself to the manifests: `$server_facts`, and `$servername`, `$serverip` and their like.
  module ServerFacts
    # The release of the reference that the language is that of.
    REFERENCE = '8.28.1'
    private_constant :REFERENCE

    # What this machine says of itself, as OpenVox does. Addresses and names that it does not have are left out.
    #
    # @return [Hash{String => String}] `serverimplementation`, `serverversion`, `servername`, `serverip`, `serverip6`
    def self.of_this_machine
      { 'serverimplementation' => 'openvox', 'serverversion' => REFERENCE, 'servername' => name, 'serverip' => address(Socket::AF_INET),
        'serverip6' => address(Socket::AF_INET6) }.compact
    end

    # The name of the machine with its domain, where that can be found.
    def self.name
      host = Socket.gethostname
      return host if host.include?('.')

      found = Addrinfo.getaddrinfo(host, nil, nil, :STREAM, nil, Socket::AI_CANONNAME).first
      full = found&.canonname
      full&.start_with?("#{host}.") ? full : host
    rescue SocketError
      host
    end
    private_class_method :name

    # The first address that others may reach the machine by.
    def self.address(family)
      found = Socket.ip_address_list.find do |one|
        one.afamily == family && !one.ipv4_loopback? && !one.ipv6_loopback? && !one.ipv6_linklocal?
      end
      found&.ip_address
    end
    private_class_method :address
  end
end
