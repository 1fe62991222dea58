# frozen_string_literal: true

# A statement.
module Puppet::Parser::Functions
  newfunction(:probe_statement, type: :statement) { |args| Puppet.notice("statement #{args.inspect}") || 'ignored' }
end
