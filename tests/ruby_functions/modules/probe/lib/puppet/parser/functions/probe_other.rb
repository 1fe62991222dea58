# frozen_string_literal: true

# Called by others.
module Puppet::Parser::Functions
  newfunction(:probe_other, type: :rvalue, arity: 2) { |args| "other #{args.inspect}" }
end
