# frozen_string_literal: true

require_relative 'words'

# Heredocs: tags, syntaxes, escapes, margins, joined lines, several on a line, one within another.
class Heredocs < Words
  TAGS = ['X', 'END', 'a b', 'X ', ' X', 'é', 'X:Y', '', 'X-1', '|', '|X', 'X/', '$x', 'x::y'].freeze
  SYNTAXES = ['json', 'pp', 'epp', 'yaml', 'nope', 'ruby', 'a+json', 'a+b', 'base64', '', 'json ', '1', 'J', ':'].freeze
  ESCAPES = ['', 't', 'n', 'L', 'r', 's', 'u', '$', 'nt', 'nL', 'tL', 'tsrnLu$', 'tsrnL$u', 'x', 'tt', ' t', 't ', 'Lx', '\\', 'T'].freeze
  PIECES = ['a', 'b c', ' ', '  ', "\t", '\\t', '\\n', '\\', '\\\\', '\\$', '\\u00e9', '\\u{1F600}', '\\u{110000}', '\\uZ', '\\s', '\\r', '\\q', '$v', '${v}', '${v', '$', '${[1, 2]}', "${'x'}", '${v[0]}', '$v[0]',
            '${1 + 1}', '"', "'", 'é', '日', '%', '#', '|', '-', '{"a": 1}', '[1, ]', 'X', '| X', '<%= 1 %>', 'notice(1)', "\u00a0", '@(Y)', '$w', '${w.map |$x| { $x }}', '\\${v}', '$$v', '${{}}', "\r"].freeze
  ENDS = ['', '', '', '', '\\', ' ', '\\ ', "\r", "\t"].freeze

  def question
    { 'op' => pick(%w[eval eval eval parse validate]), 'source' => source }
  end

  def source
    made = "$v = #{pick(["'v'", '[1, 2]', '{a => b}', '3'])}\n"
    made << (chance(0.3) ? "$z = #{[heredoc, heredoc].then { |all| on_a_line(all) { |names| pick(["[#{names}]", "'%s%s'.sprintf(#{names})"]) } }}" : on_a_line([heredoc]) { |name| around(name) })
    made = made.delete_suffix("\n") if chance(0.1)
    made = made.gsub("\n", "\r\n") if chance(0.05)
    made << pick(['', '', "\n$z", "\n@", "\n'end'"])
  end

  # The texts of all heredocs follow the line on which they stand.
  def on_a_line(heredocs)
    "#{yield heredocs.map(&:first).join(', ')}\n#{heredocs.map(&:last).join}"
  end

  def around(name)
    pick([name, name, name, "#{name}.size", "[#{name}, 1]", "notice(#{name})", "{a => #{name}}", "\"<${#{name}}>\"", "if true { #{name} }", "#{name} =~ /a/", "#{name} # c", "#{name} /* c */", "#{name}\n", "inline_epp(#{name})"])
  end

  # A heredoc's beginning and its text.
  def heredoc
    tag = chance(0.75) ? 'X' : pick(TAGS)
    written = pick([tag, tag, "\"#{tag}\"", "\"#{tag}\"", "\"#{tag}\"", " #{tag} ", " \"#{tag}\" ", "'#{tag}'", "\"#{tag}"])
    written += "#{pick([':', ':', ' : '])}#{pick(SYNTAXES)}" if chance(0.25)
    written += "#{pick(['/', '/', ' / '])}#{pick(ESCAPES)}" if chance(0.5)
    ["@(#{written})", "#{lines}#{ending(tag)}"]
  end

  def lines
    margin = pick(['', '  ', '    ', "\t", "  \t", '      '])
    return some(0..4) { "#{chance(0.8) ? margin : pick(['', ' ', "\t"])}#{some(0..4) { pick(PIECES) }.join}#{pick(ENDS)}\n" }.join if chance(0.85)

    inner = on_a_line([["@(Y#{pick(['', '/L', ':json'])})", "#{margin}in #{pick(PIECES)}\n#{margin}#{pick(['', '| ', '|-'])} Y\n"]]) { |name| "${#{name}}#{pick(PIECES)}" }
    "#{margin}#{pick(PIECES)}#{inner}#{margin}#{pick(PIECES)}\n"
  end

  def ending(tag)
    return "#{pick(PIECES)}\n" if chance(0.04)

    "#{pick(['', '', '  ', '    ', "\t", ' '])}#{pick(['', '| ', '|', '|- ', '|-', '- ', '-', '| -', '|  '])}#{tag.strip.delete_prefix('|')}#{pick(['', '', '', ' ', "\t", 'x'])}\n"
  end
end
