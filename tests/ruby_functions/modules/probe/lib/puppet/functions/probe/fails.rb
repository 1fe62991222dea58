# frozen_string_literal: true

# Failures of all kinds.
Puppet::Functions.create_function(:'probe::fails') do
  def fails(how)
    case how
    when 'parse' then raise Puppet::ParseError, 'a ParseError'
    when 'placed' then raise Puppet::ParseError.new('a placed ParseError', '/some/file.pp', 7, 3)
    when 'error' then raise Puppet::Error, 'an Error'
    when 'argument' then raise ArgumentError, 'an ArgumentError'
    when 'runtime' then raise 'a RuntimeError'
    when 'nothing' then nil.nothing
    when 'zero' then 1 / 0
    when 'key' then {}.fetch('k')
    when 'dev' then raise Puppet::DevError, 'a DevError'
    when 'other' then call_function('probe::fails', 'parse')
    when 'rescued'
      begin
        call_function('fail', 'inner')
      rescue Puppet::Error => e
        "#{e.class}: #{e.message}"
      end
    when 'unknown' then call_function('probe::nothing', 1)
    when 'arguments' then call_function('probe::kinds', 1.5)
    when 'return' then call_function('with', 1) { |x| x + 1 }
    end
  end
end
