# frozen_string_literal: true

# Lays the crates that a workspace needs into its directory vendor/, and says so in .cargo/config.toml, so
# that cargo needs no network there.
#
# Usage: vendor.rb DIRECTORY
#
# Crates that other systems alone need (Windows, WebAssembly) are larger than all others together: they keep
# their manifests, by which cargo solves the dependencies, and lose what is in them.
require 'fileutils'
require 'json'
require 'open3'

# The systems that what is packed can be built for.
PLATFORMS = %w[x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu
               x86_64-unknown-linux-musl aarch64-unknown-linux-musl
               x86_64-apple-darwin aarch64-apple-darwin x86_64-unknown-freebsd].freeze

# Parts of crates that no feature in use needs.
UNUSED = { 'libsqlite3-sys' => ['sqlcipher'] }.freeze

# Sections of a manifest that name files.
WITH_FILES = /\A\[+(lib|bin|example|test|bench|(target\..*)?dev-dependencies|package\.metadata|badges|lints)\b/.freeze

def cargo(*arguments)
  out, status = Open3.capture2(ENV.fetch('CARGO', 'cargo'), *arguments)
  abort "vendor.rb: cargo #{arguments.first} failed" unless status.success?
  out
end

def forget(directory, names)
  path = File.join(directory, '.cargo-checksum.json')
  sums = JSON.parse(File.read(path))
  sums['files'].select! { |name, _| names.include?(name) }
  File.write(path, JSON.generate(sums))
end

def hollow(directory)
  sections = File.read(File.join(directory, 'Cargo.toml')).split(/^(?=\[)/)
  manifest = sections.grep_v(WITH_FILES).join
  manifest = manifest.gsub(/^(build|links|readme|license-file|default-run) = .*\n/, '')
  contents = Dir.children(directory) - ['.cargo-checksum.json']
  FileUtils.rm_rf(contents.map { |name| File.join(directory, name) })
  FileUtils.mkdir_p(File.join(directory, 'src'))
  File.write(File.join(directory, 'src/lib.rs'), '')
  File.write(File.join(directory, 'Cargo.toml'), manifest)
  forget(directory, [])
end

Dir.chdir(ARGV.fetch(0))
FileUtils.rm_rf(%w[vendor .cargo/config.toml])
cargo('vendor', '--quiet', '--locked', '--versioned-dirs', 'vendor')
needed = PLATFORMS.flat_map do |platform|
  metadata = JSON.parse(cargo('metadata', '--format-version=1', '--locked', "--filter-platform=#{platform}"))
  metadata['resolve']['nodes'].map { |node| node['id'][/[^#]*\z/].sub('@', '-') }
end
Dir.children('vendor').each do |name|
  directory = File.join('vendor', name)
  next hollow(directory) unless needed.include?(name)

  UNUSED.fetch(name[/\A(.*?)-\d/, 1], []).each do |part|
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
