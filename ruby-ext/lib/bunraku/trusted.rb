# frozen_string_literal: true

module Bunraku
  # The trusted data of a node's certificate: `$trusted`.
  module Trusted
    # Reads a certificate. It does not verify the certificate: whoever accepted it from the node has done
    # that.
    #
    # @example
    #   trusted = Bunraku::Trusted.from_certificate(File.read('web01.pem'))
    #   environment.compile(node: trusted['certname'], trusted: trusted)
    #
    # @param pem [String] a text with certificates in PEM, of which the first is used
    # @param oid_mapping [String, nil] the text of a `custom_trusted_oid_mapping.yaml`, which names extensions
    #   in addition to those that Puppet names
    # @param path [String, nil] the path of that file, for messages
    # @return [Hash{String => Object}] `authenticated` (`remote`), `certname` (the common name, in lower
    #   case), `hostname`, `domain`, `extensions` (by their short names, or else their numbers; Strings for
    #   every text type of the certificate, true, false, nil or Arrays; numbers and times are Strings; bytes
    #   that are not UTF-8 have no encoding) and `external` (empty, for data of the caller)
    # @raise [Error] the text contains no certificate or the certificate cannot be read, its common name is
    #   not printable ASCII, or the mapping has another form or renames a known extension
    def self.from_certificate(pem, oid_mapping = nil, path: nil)
      ::Bunraku.__send__(:native_trusted, pem, oid_mapping, path)
    end
  end
end
