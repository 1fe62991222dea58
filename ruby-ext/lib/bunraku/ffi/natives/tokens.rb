# frozen_string_literal: true

# The natives of {Bunraku.tokens}, {Bunraku.format} and {Bunraku.lint}.
module Bunraku
  class << self
    def native_tokens(source, epp, tasks)
      tokens = Library.make(:tokens, :tokens_new, source, Program.__send__(:syntax, epp, tasks))
      count = Library.tokens_count(tokens)
      all = Array.new(count) { |index| Library.tokens_token(tokens, index) }
      trails = Hash.new(0)
      all.each_with_index { |token, index| trails[token[:owner]] += 1 if token[:is_trivia] && token[:owner] < index }
      span = Library::Span.new
      all.each_with_index.map do |token, index|
        Library.tokens_span(tokens, index, 1, span)
        [token[:kind].to_sym, token[:offset], token[:text][:length], span[:line], span[:column],
         token[:is_trivia] ? nil : trails[index]]
      end
    end

    def native_format(source, syntax, layout, style, part)
      options = { width: layout[0], indentation: layout[1], align_arrows: style[0], single_quotes: style[1],
                  lines: part[0], recover: part[1] }.compact
      Library.text(:format, source, Program.__send__(:syntax, *syntax), JSON.generate(options))
    end

    def native_lint(source, request)
      JSON.parse(Library.text(:lint_json, source, request))
    end

    def native_lint_checks
      JSON.parse(Library.text(:lint_checks_json))
    end
  end
end
