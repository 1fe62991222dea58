module Puppet
  class ExecutionFailure < Puppet::Error
  end

  module Util
    module Execution
      # Gives what the command has printed.
      def self.execute(command, options = nil)
        words = command.is_a?(Array) ? command.flatten.map(&:to_s) : ['/bin/sh', '-c', command.to_s]
        told = command.is_a?(Array) ? words.join(' ') : command.to_s
        succeeded, text = Puppet::Native.run(words)
        return text if succeeded

        found = /\AExecution of '.*' returned (\d+): (.*)\z/m.match(text)
        status = found ? found[1].to_i : 1
        output = found ? found[2] : text
        return output unless options.nil? || options[:failonfail]

        raise Puppet::ExecutionFailure, "Execution of '#{told}' returned #{status}: #{output.strip}"
      end

      def self.execpipe(command, failonfail = true)
        output = execute(command, failonfail: failonfail)
        yield StringIO.new(output)
      end
    end
  end
end
