# frozen_string_literal: true

require_relative 'lib/bunraku/version'

# What all gems of bunraku have. `packaging/gem.rb` adds the sources of the native part, or the built one and
# its platform.
Gem::Specification.new do |spec|
  spec.name = 'bunraku'
  spec.version = Bunraku::VERSION
  spec.summary = 'The Puppet language as a native library'
  spec.description = 'Parser, validator, type system, evaluator, Hiera and catalog compiler of the Puppet language ' \
                     'in Rust.'
  spec.authors = ['The bunraku maintainers']
  spec.homepage = 'https://github.com/bunraku/bunraku'
  spec.license = 'Apache-2.0'
  spec.required_ruby_version = '>= 3.1'
  spec.files = Dir['{lib,exe,sig}/**/*', 'LICENSE', 'README.md', 'CHANGELOG.md', 'THIRD-PARTY-LICENSES.txt']
               .reject { |path| path.end_with?('.so', '.bundle', '.dylib') || File.directory?(path) }
  spec.bindir = 'exe'
  spec.executables = ['bunraku']
  spec.metadata = {
    'bug_tracker_uri' => "#{spec.homepage}/issues",
    'changelog_uri' => "#{spec.homepage}/blob/main/CHANGELOG.md",
    'documentation_uri' => 'https://www.rubydoc.info/gems/bunraku',
    'rubygems_mfa_required' => 'true',
    'source_code_uri' => spec.homepage
  }
end
