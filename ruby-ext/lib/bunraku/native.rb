# frozen_string_literal: true

module Bunraku
  # Loads the extension, or the C library if extensions are not supported or the C library was chosen.
  if RUBY_ENGINE == 'jruby' || const_defined?(:Library, false)
    require 'bunraku/ffi/natives'
  else
    begin
      require "bunraku/#{RUBY_VERSION[/\A\d+\.\d+/]}/bunraku"
    rescue LoadError
      require 'bunraku/bunraku'
    end
  end

  # The constants that the files beside this one build on are private.
  [self, *constants(false).reject { |name| autoload?(name) }.map { |name| const_get(name) }.grep(Module)].each do |owner|
    hidden = ->(names) { names.grep(/\Anative_/) }
    hidden.(owner.instance_methods(false)).each { |name| owner.__send__(:private, name) }
    hidden.(owner.singleton_methods(false)).each { |name| owner.private_class_method(name) }
  end
end
