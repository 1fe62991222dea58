# frozen_string_literal: true

# Writes the licences of the crates that are built into a package, with their texts.
#
# Usage: licences.rb PACKAGE... >FILE, where cargo finds the workspace
require 'digest'
require 'json'
require 'open3'

# The files of a crate that are licences or must be handed on with it.
NAMES = /\A(licen[cs]e|copying|copyright|notice|unlicense)/i.freeze

# The crates that the packages are built of, those of this repository left out.
class Crates
  def initialize(roots)
    host = IO.popen([ENV.fetch('RUSTC', 'rustc'), '-vV'], &:read)[/^host: (.*)/, 1]
    out, status = Open3.capture2(ENV.fetch('CARGO', 'cargo'), 'metadata', '--format-version=1', '--locked',
                                 "--filter-platform=#{host}", '--features=full')
    abort 'licences.rb: cargo metadata failed' unless status.success?
    metadata = JSON.parse(out)
    @packages = metadata['packages'].to_h { |package| [package['id'], package] }
    @nodes = metadata['resolve']['nodes'].to_h { |node| [node['id'], node] }
    @roots = @packages.values.select { |package| package['source'].nil? && roots.include?(package['name']) }
    missing = roots - @roots.map { |package| package['name'] }
    abort "licences.rb: no package #{missing.join(', ')}" unless missing.empty?
  end

  def list
    found = {}
    waiting = @roots.map { |package| package['id'] }
    while (id = waiting.pop)
      next if found[id]

      found[id] = true
      waiting.concat(@nodes[id]['deps'].select { |dep| built_in?(dep) }.map { |dep| dep['pkg'] })
    end
    packages = found.keys.map { |id| @packages[id] }.select { |package| package['source'] }
    packages.sort_by { |one| [one['name'], one['version']] }
  end

  private

  # The crates of tests and build scripts are not part of what is built. The crate of a macro may leave some
  # of its code there.
  def built_in?(dependency)
    dependency['dep_kinds'].any? { |kind| kind['kind'].nil? }
  end
end

crates = Crates.new(ARGV).list
texts = {}
crates.each do |crate|
  directory = File.dirname(crate['manifest_path'])
  Dir.children(directory).grep(NAMES).sort.each do |name|
    path = File.join(directory, name)
    next unless File.file?(path)

    text = File.read(path, encoding: 'UTF-8').scrub.delete("\r").strip
    same = (texts[Digest::SHA256.hexdigest(text)] ||= { text: text, of: [] })
    same[:of] << "#{crate['name']} #{crate['version']}: #{name}"
  end
end

puts "bunraku is built with Rust's standard library (MIT OR Apache-2.0) and these #{crates.size} crates.", ''
crates.each do |crate|
  licence = crate['license'] || 'see its text'
  puts "#{crate['name']} #{crate['version']}  #{licence}  #{crate['repository']}".rstrip
end
texts.each_value { |one| puts '', '-' * 100, *one[:of], '', one[:text] }
