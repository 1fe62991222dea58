# frozen_string_literal: true

# Asks a reference the questions of vector files anew and writes its answers into the files; tells of each
# answer that is new.
#
#   ruby renew.rb FILE.jsonl[.gz] ... -- COMMAND ARG ...
#
# COMMAND speaks the oracle's protocol. What alone.txt names is asked in a process of its own: the answer would
# depend on what the process was asked before. A module's Ruby that is stored empty (data/stdlib: that the
# module has it is all that the library looks at) is asked with what the installed module has.
require 'json'
require 'open3'
require 'zlib'

ALONE = File.readlines(File.join(__dir__, 'alone.txt'), chomp: true)
MODULES = '/usr/share/puppet/modules'

sep = ARGV.index('--') or abort 'usage: renew.rb FILE ... -- COMMAND ...'
files = ARGV[0...sep]
command = ARGV[(sep + 1)..]

def read(file)
  file.end_with?('.gz') ? Zlib::GzipReader.open(file, &:read) : File.read(file)
end

def write(file, text)
  return File.write(file, text) unless file.end_with?('.gz')

  Zlib::GzipWriter.open(file, 9) do |zip|
    zip.mtime = 1
    zip.write(text)
  end
end

def filled(question)
  return question unless question['files']

  files = question['files'].to_h do |path, text|
    [path, text.empty? && path.end_with?('.rb') ? File.read(File.join(MODULES, path.delete_prefix('modules/'))) : text]
  end
  question.merge('files' => files)
end

# The answers of one process to questions, by their ids.
def answers_to(questions, command)
  input = questions.map { |question| JSON.generate(filled(question.reject { |key, _| key == 'expect' })) }
  output, = Open3.capture2(*command, stdin_data: "#{input.join("\n")}\n")
  output.lines.map { |line| JSON.parse(line) }.map { |answer| [answer['id'], answer.reject { |key, _| key == 'id' }] }
end

files.each do |file|
  lines = read(file).lines
  questions = lines.map { |line| JSON.parse(line) }
  together, alone = questions.partition { |question| !ALONE.include?(question['id']) }
  answers = [together, *alone.map { |question| [question] }].flat_map { |some| answers_to(some, command) }.to_h
  answers = questions.filter_map { |question| answers[question['id']] }
  abort "#{file}: #{answers.size} answers to #{questions.size} questions" unless answers.size == questions.size
  new = 0
  renewed = lines.zip(questions, answers).map do |line, question, answer|
    next line if question['expect'] == answer

    new += 1
    puts "#{question['id']}\n  was: #{JSON.generate(question['expect'])}\n  is:  #{JSON.generate(answer)}"
    "#{JSON.generate(question.merge('expect' => answer))}\n"
  end
  write(file, renewed.join) if new.positive?
  warn "#{File.basename(file)}: #{new} of #{questions.size} answers are new"
end
