# frozen_string_literal: true

module PuppetX
  module Probe
    # What functions of the module share.
    module Words
      LOUD = { 'a' => 'A' }.freeze

      def self.loud(text)
        _('%{text}!') % { text: text.upcase }
      end
    end
  end
end
