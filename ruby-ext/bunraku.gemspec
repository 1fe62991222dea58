# frozen_string_literal: true

require_relative 'lib/bunraku/version'

Gem::Specification.new do |spec|
  spec.name = 'bunraku'
  spec.version = Bunraku::VERSION
  spec.summary = 'The Puppet language as a native library'
  spec.description = 'Parser, validator, type system, evaluator, Hiera and catalog compiler of the Puppet language in Rust.'
  spec.authors = ['The bunraku maintainers']
  spec.homepage = 'https://github.com/bunraku/bunraku'
  spec.license = 'Apache-2.0'
  # JRuby takes the C library, which is installed apart, through the gem ffi that it brings along.
  is_java = RUBY_ENGINE == 'jruby'
  spec.platform = 'java' if is_java
  spec.required_ruby_version = is_java ? '>= 2.6' : '>= 3.1'
  # `make gem` lays the crates that the native part needs beside these files.
  spec.files = Dir['{lib,exe,sig,src,core}/**/*', 'Cargo.toml', 'Cargo.lock', 'extconf.rb', 'LICENSE', 'README.md']
               .reject { |path| path.end_with?('.so', '.bundle') || File.directory?(path) }
  spec.bindir = 'exe'
  spec.executables = ['bunraku']
  spec.extensions = ['extconf.rb'] unless is_java
  spec.metadata['rubygems_mfa_required'] = 'true'
end
