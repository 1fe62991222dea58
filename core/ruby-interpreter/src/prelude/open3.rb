# Commands, where the compilation may run them: what they write, and how they end.
module Process
  class Status
    attr_reader :exitstatus

    def initialize(exitstatus)
      @exitstatus = exitstatus
    end

    def success?
      @exitstatus == 0
    end

    def exited?
      true
    end

    def signaled?
      false
    end

    def to_i
      @exitstatus << 8
    end

    def ==(other)
      other.is_a?(Process::Status) ? to_i == other.to_i : to_i == other
    end

    def pid
      __refuse('number of a process')
    end

    def inspect
      __refuse('number of a process')
    end

    def to_s
      __refuse('number of a process')
    end
  end
end

module Open3
  # Runs the words after it. Standard error, its size in bytes and the status come after standard output.
  KEEPING_APART = <<~'SHELL'
    exec 3>&1
    err=$({ "$@" >&3 3>&-; } 2>&1; s=$?; printf x; exit "$s")
    s=$?
    err=${err%x}
    printf '%s\n%d %d' "$err" "${#err}" "$s"
  SHELL
  # What makes a command one for the shell.
  FOR_SHELL = /[*?{}\[\]<>()~&|\\$;'`"\n#]|\A\s*[^\s\/=]*=/
  WORDS_OF_SHELL = %w[
    ! . : break case continue do done elif else esac eval exec exit export fi for if in readonly return set shift then times trap unset
    until while
  ].freeze
  private_constant :KEEPING_APART, :FOR_SHELL, :WORDS_OF_SHELL

  class << self
    def capture3(*command, stdin_data: '', binmode: false, **options)
      __refuse('Open3 with options') unless options.empty?
      __run(command, stdin_data)
    end

    def capture2(*command, stdin_data: '', binmode: false, **options)
      __refuse('Open3 with options') unless options.empty?
      output, _, status = __run(command, stdin_data)
      [output, status]
    end

    def capture2e(*command, stdin_data: '', binmode: false, **options)
      __refuse('Open3 with options') unless options.empty?
      words = ['/bin/sh', '-c', 'exec 2>&1; "$@"', 'sh', *__words(command)]
      output, _, status = __ended(words, __words(command).first, stdin_data)
      [output, status]
    end

    def popen3(*)
      __refuse('Open3.popen3')
    end

    def popen2(*)
      __refuse('Open3.popen2')
    end

    def popen2e(*)
      __refuse('Open3.popen2e')
    end

    # `command`
    def __output(command)
      raise TypeError, "no implicit conversion of #{__kind(command)} into String" unless command.respond_to?(:to_str)

      output, _, $CHILD_STATUS = __run([command.to_str], '')
      output
    end

    # Whether the command succeeds; nil if there is none of this name. What it writes is not kept.
    def __success(command)
      _, _, $CHILD_STATUS = __run(command, '')
      $CHILD_STATUS.success?
    rescue Errno::ENOENT
      $CHILD_STATUS = Process::Status.new(127)
      nil
    end

    private

    def __run(command, input)
      words = __words(command)
      __ended(words, words.first, input)
    end

    def __words(command)
      raise ArgumentError, 'wrong number of arguments (given 0, expected 1+)' if command.empty?
      __refuse('command with an environment, options or another name') unless command.all? { |word| word.is_a?(String) }
      return command if command.size > 1

      text = command.first
      raise Errno::ENOENT, '' if text.strip.empty?

      words = text.split
      text.match?(FOR_SHELL) || WORDS_OF_SHELL.include?(words.first) ? ['/bin/sh', '-c', text] : words
    end

    def __ended(words, program, input)
      __refuse('command with an input') unless input.nil? || input.empty?
      succeeded, text = Puppet::Native.run(['/bin/sh', '-c', KEEPING_APART, 'sh', *words])
      raise Puppet::ExecutionFailure, text unless succeeded

      __refuse('output of a command that is not UTF-8') if text.include?("\uFFFD")
      found = /\n(\d+) (\d+)\z/.match(text)
      size, status = found[1].to_i, found[2].to_i
      raise Errno::ENOENT, program if status == 127 && !__program?(program)

      told = found.pre_match
      [told.byteslice(0, told.bytesize - size), told.byteslice(told.bytesize - size, size), Process::Status.new(status)]
    end

    def __program?(program)
      return File.file?(program) if program.include?('/')

      ENV['PATH'].to_s.split(':').any? { |directory| File.file?(File.join(directory, program)) }
    end
  end
end
