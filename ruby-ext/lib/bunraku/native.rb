# frozen_string_literal: true

module Bunraku
  # The extension; where none can be loaded, or the C library was chosen, the C library.
  if RUBY_ENGINE == 'jruby' || const_defined?(:Library, false)
    require 'bunraku/ffi/natives'
  else
    begin
      require "bunraku/#{RUBY_VERSION[/\A\d+\.\d+/]}/bunraku"
    rescue LoadError
      require 'bunraku/bunraku'
    end
  end
end
