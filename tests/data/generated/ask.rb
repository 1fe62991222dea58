# frozen_string_literal: true

# Asks the reference about the generated environments anew, and writes them with its answers. Each line of
# `environments.jsonl.gz` is one environment: its name, and its files by path, answers (`spec/golden`) among them.
#
#   OPENVOX_LIB=<openvox>/lib ruby data/generated/ask.rb

require 'fileutils'
require 'json'
require 'tmpdir'
require 'zlib'

PACKED = File.join(__dir__, 'environments.jsonl.gz')
COMPILE = File.expand_path('../environments/compile.rb', __dir__)

def unpack(directory, files)
  files.each do |path, text|
    next if path.start_with?('spec/golden/')

    path = File.join(directory, path)
    FileUtils.mkdir_p(File.dirname(path))
    File.write(path, text)
  end
end

def pack(directory)
  paths = Dir.glob('**/*', File::FNM_DOTMATCH, base: directory).select { |path| File.file?(File.join(directory, path)) }
  paths.reject { |path| path == 'spec/golden/index.json' }.sort.to_h { |path| [path, File.read(File.join(directory, path))] }
end

Dir.mktmpdir do |root|
  names = Zlib::GzipReader.open(PACKED) { |file| file.each_line.map { |line| JSON.parse(line) } }.map do |environment|
    unpack(File.join(root, environment['name']), environment['files'])
    environment['name']
  end
  directories = names.flat_map { |name| ['--env', File.join(root, name)] }
  system('ruby', COMPILE, *directories, exception: true)
  Zlib::GzipWriter.open(PACKED, 9) do |file|
    names.each { |name| file.puts JSON.generate('name' => name, 'files' => pack(File.join(root, name))) }
  end
end
