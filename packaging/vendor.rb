# frozen_string_literal: true

# Copies the crates that a workspace needs into its directory vendor/ and configures them in
# .cargo/config.toml, so that cargo needs no network.
#
# Usage: vendor.rb DIRECTORY
#
# Crates that only other systems need (Windows, WebAssembly) are larger than all others together. They keep
# their manifest, because cargo needs it to resolve the dependencies, and lose their content.
require 'fileutils'
require 'json'
require 'open3'

# The systems that the package can be built for.
PLATFORMS = %w[x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu
               x86_64-unknown-linux-musl aarch64-unknown-linux-musl
               x86_64-apple-darwin aarch64-apple-darwin x86_64-unknown-freebsd].freeze

# Parts of crates that no build here needs: code of features that are off, libraries and texts for tests.
# Debian wants sources for each binary, and licences for each text.
UNUSED = { 'libsqlite3-sys' => ['sqlcipher'], 'libloading' => ['tests'], 'spdx' => ['src/text'],
           'vcpkg' => ['test-data'] }.freeze

def cargo(*arguments)
  out, status = Open3.capture2(ENV.fetch('CARGO', 'cargo'), *arguments)
  abort "vendor.rb: cargo #{arguments.first} failed" unless status.success?
  out
end

def metadata(*options)
  JSON.parse(cargo('metadata', '--format-version=1', '--locked', *options))
end

def directory_of(package)
  "#{package['name']}-#{package['version']}"
end

def forget(directory, names)
  path = File.join(directory, '.cargo-checksum.json')
  sums = JSON.parse(File.read(path))
  sums['files'].select! { |name, _| names.include?(name) }
  File.write(path, JSON.generate(sums))
end

# The texts, lists and truth values of JSON are those of TOML.
def table(name, pairs)
  ["[#{name}]", *pairs.compact.map { |key, value| "#{key.to_json} = #{value.to_json}" }, '']
end

def dependency(one)
  kind = one['kind'] ? "#{one['kind']}-dependencies" : 'dependencies'
  target = one['target'] ? "target.#{one['target'].to_json}." : ''
  table("#{target}#{kind}.#{(one['rename'] || one['name']).to_json}",
        'package' => one['name'], 'version' => one['req'], 'optional' => one['optional'],
        'default-features' => one['uses_default_features'], 'features' => one['features'])
end

def manifest(package)
  lines = table('package', package.slice('name', 'version', 'edition', 'license'))
  lines += table('lib', 'path' => 'src/lib.rs') + table('features', package['features'])
  package['dependencies'].each { |one| lines += dependency(one) }
  lines.join("\n")
end

def hollow(directory, package)
  contents = Dir.children(directory) - ['.cargo-checksum.json']
  FileUtils.rm_rf(contents.map { |name| File.join(directory, name) })
  FileUtils.mkdir_p(File.join(directory, 'src'))
  File.write(File.join(directory, 'src/lib.rs'), '')
  File.write(File.join(directory, 'Cargo.toml'), manifest(package))
  forget(directory, [])
end

Dir.chdir(ARGV.fetch(0))
FileUtils.rm_rf(%w[vendor .cargo/config.toml])
cargo('vendor', '--quiet', '--locked', '--versioned-dirs', 'vendor')
packages = metadata['packages'].select { |package| package['source'] }
needed = PLATFORMS.flat_map do |platform|
  metadata("--filter-platform=#{platform}")['resolve']['nodes'].map { |node| node['id'] }
end
packages.each do |package|
  directory = File.join('vendor', directory_of(package))
  next hollow(directory, package) unless needed.include?(package['id'])

  UNUSED.fetch(package['name'], []).each do |part|
    FileUtils.rm_rf(File.join(directory, part))
    forget(directory, Dir.glob('**/*', File::FNM_DOTMATCH, base: directory))
  end
end
FileUtils.mkdir_p('.cargo')
File.write('.cargo/config.toml', <<~TOML)
  [source.crates-io]
  replace-with = "vendored-sources"

  [source.vendored-sources]
  directory = "vendor"

  [net]
  offline = true
TOML
# From here on cargo only reads vendor/: a missing crate fails here.
metadata('--offline')
