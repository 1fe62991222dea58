# frozen_string_literal: true

require 'etc'

module Bunraku
  def self.native_validate_files(request)
    JSON.parse(Library.text(:program_validate_files, request))
  end

  # The natives of {Reading}: Ruby threads that read and parse one file after another.
  class Reading
    def self.native_open(paths, options)
      new(paths, *options)
    end

    def initialize(paths, threads, tasks, recover, strict)
      @tasks = tasks
      @recover = recover
      @strict = strict
      waiting = Queue.new
      paths.each_with_index { |path, index| waiting << [index, path] }
      waiting.close
      @ready = Queue.new
      @workers = Array.new([threads || Etc.nprocessors, paths.size].min) { Thread.new { work(waiting) } }
      @left = paths.size
    end

    def native_next
      return if @left.zero?

      ready = [@ready.pop]
      ready << @ready.pop until @ready.empty?
      @left -= ready.size
      ready
    end

    def native_close
      @workers.each(&:kill)
    end

    private

    def work(waiting)
      while (index, path = waiting.pop)
        result = begin
          result_of(path)
        rescue Error => e
          e
        end
        @ready << [index, result]
      end
    end

    def result_of(path)
      epp, tasks = Bunraku.__send__(:syntax_of, path, nil, @tasks || nil)
      program = Program.__send__(:native_parse, text_of(path), path, epp, tasks, @recover)
      return program unless @strict

      errors = program.__send__(:native_errors)
      found = errors.empty? ? program.__send__(:native_validate, @strict) : errors
      program.__send__(:native_warnings) + found
    end

    def text_of(path)
      text = Files.read_named(path)
      return text if text.valid_encoding?

      valid = text.each_char.take_while(&:valid_encoding?).join
      lines = valid.lines
      place = { file: path, line: valid.count("\n") + 1, column: valid.end_with?("\n") ? 1 : lines.last.to_s.length + 1 }
      raise SyntaxError.new('the text is not valid UTF-8', place)
    rescue SystemCallError, Files::Refused => e
      raise IoError, e.message.sub(/ @ \w+ - /, ' - ')
    end
  end
end
