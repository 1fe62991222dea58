module Puppet::Parser::Functions
  # A comment that is not the documentation
  newfunction(:three, :type => :rvalue, :arity => -2, :doc => <<-DOC
    Gives three times as much.

        three(1)

    @param number The number
    @param [Integer] times How often
    @option times [String] word Something
    @return three of them
    DOC
  ) do |args|
    args
  end

  # Only a comment
  # @return [String] a word
  newfunction(:bare, type: :rvalue) { |args| args.first }
end

Puppet::Parser::Functions.newfunction(:quoted, doc: %q{
  A text in braces,
  of two lines
}) do |args|
end
if true
  Puppet::Parser::Functions::newfunction(:one_line, doc: 'Says "it\'s"') { |_| }
end
