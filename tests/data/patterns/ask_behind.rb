# frozen_string_literal: true

# Writes random look-behinds and texts with what Ruby finds: `ruby ask_behind.rb SEED COUNT > behind.jsonl`. A
# line is as those of `ask.rb`; the match of a pattern that Ruby refuses is false.

require 'json'

LETTERS = %w[a s t f i k ŉ ﬁ ß ﬃ ᾳ ſ é ʼ n İ K ǰ ſt].freeze
TEXTS = %w[aß ass fi aﬁ ŉ ʼn ſt abﬃ ffi kK sſ éÉ xa i̇ tsS ﬅ ǰa FI].freeze

srand(ARGV[0].to_i)
$stderr = File.open(File::NULL, 'w')

def letters
  Array.new(1 + rand(3)) { LETTERS.sample }.join
end

def piece(depth)
  letter = LETTERS.sample[0]
  case rand(depth > 2 ? 7 : 14)
  when 0..4 then letters
  when 5 then "[#{letter}#{%w[b é].sample}]"
  when 6 then ['^', '\b', '\w', '.', '$', '\h'].sample
  when 7 then "(?:#{alternatives(depth + 1)})"
  when 8 then "(?i:#{alternatives(depth + 1)})"
  when 9 then "(#{'?:' if @is_named}#{alternatives(depth + 1)})"
  when 10 then "#{letter}{2}"
  when 11 then ["#{letter}?", "(?=#{letter})", "(?<=#{letter})", '\z', '(?>a)'].sample
  when 12 then @is_named ? '\g<x>' : letter
  else "(?i)#{alternatives(depth + 1)}"
  end
end

def sequence(depth)
  Array.new(1 + rand(2)) { piece(depth) }.join
end

def alternatives(depth)
  Array.new(rand(4).zero? ? 2 : 1) { sequence(depth) }.join('|')
end

# Places in characters as places in bytes.
def bytes(text, places)
  places.first && places.map { |place| text[0, place].bytesize }
end

ARGV[1].to_i.times do
  @is_named = rand(3).zero?
  # Groups that are called are compared with case.
  called = @is_named ? "(?-i:(?<x>#{['a', 'ab', 'a|bc', '[aé]', '(?>s)', 'f\b'].sample}){0})" : ''
  source = "#{['', '(?i)'].sample}#{called}(?<#{['=', '=', '!'].sample}#{alternatives(0)})"
  text = TEXTS.sample
  begin
    match = Regexp.new(source).match(text)
    spans = match && Array.new(match.size) { |group| bytes(text, match.offset(group)) }
    puts JSON.generate([source, text, 0, spans])
  rescue RegexpError => e
    # A pattern of ASCII is refused when the text is not.
    puts JSON.generate([source, text, 0, false]) unless source.ascii_only?
  end
end
