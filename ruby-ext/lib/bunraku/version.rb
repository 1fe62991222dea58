# frozen_string_literal: true

module Bunraku
  # The version of the gem, and of the library in it.
  VERSION = '0.2.0'
end
