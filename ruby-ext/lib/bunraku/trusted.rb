# frozen_string_literal: true

module Bunraku
  # What is known of a node from its certificate: `$trusted`.
  module Trusted
    # Reads a certificate. It is not verified: whoever took it from the node has done that.
    #
    # @example
    #   trusted = Bunraku::Trusted.from_certificate(File.read('web01.pem'))
    #   environment.compile(node: trusted['certname'], trusted: trusted)
    #
    # @param pem [String] the certificate in PEM, the first of the text
    # @param oid_mapping [String, nil] the text of a `custom_trusted_oid_mapping.yaml`, which names extensions
    #   beside those that Puppet names
    # @param path [String, nil] the path of that file, for messages
    # @return [Hash{String => Object}] `authenticated` (`remote`), `certname` (the common name, in small
    #   letters), `hostname`, `domain`, `extensions` (by their short names, or else their numbers; texts,
    #   whatever type of text the certificate has them in, true, false, nil or arrays; numbers and times are
    #   their texts; what is no UTF-8 has no encoding) and `external` (empty, for what the caller knows from
    #   elsewhere)
    # @raise [Error] the text has no certificate, or it cannot be read; its common name is not printable
    #   ASCII; the mapping has another form, or names what has a name
    def self.from_certificate(pem, oid_mapping = nil, path: nil)
      ::Bunraku.__send__(:native_trusted, pem, oid_mapping, path)
    end
  end
end
