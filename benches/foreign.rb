# frozen_string_literal: true

# Times calls of a function that a Ruby program provides: `make bench-foreign`.

$LOAD_PATH.unshift(File.expand_path('../ruby-ext/lib', __dir__))
require 'bunraku'
require_relative 'timing'

CALLS = 100_000
ROUNDS = 5

# The least CPU time of some compilations of a program that evaluates this for each number.
def measure(body)
  environment = Bunraku::Environment.new('production', modulepath: [], code: "Integer[1, #{CALLS}].each |$n| { #{body} }") do |host|
    host.function('next_number', 'Callable[Integer]') { |_call, number| number + 1 }
    host.function('next_with', 'Callable[Integer, Callable[Integer]]') { |call, number| call.yield(number + 1) }
  end
  Array.new(ROUNDS) { Timing.seconds(:cpu) { environment.compile(node: 'node') } }.min
end

without = measure('$n')
{ 'a function in Ruby' => 'next_number($n)', 'a function in Ruby that takes a lambda' => 'next_with($n) |$x| { $x }' }.each do |name, body|
  puts format('%-45s %6d ns a call', name, (measure(body) - without) * 1e9 / CALLS)
end
