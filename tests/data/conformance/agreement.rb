# frozen_string_literal: true

# Whether an answer agrees with the reference's:
#
#  * error with "internal": that there is an error, and the issue code, unless
#    it is RUNTIME_ERROR or absent; a diagnostic with "internal": that there is
#    a diagnostic; nothing else of such a reply;
#  * any other error or diagnostic: all its fields;
#  * <opaque>, <ruby> and <VERSION> in a string of somebody else's vectors stand
#    for any text there;
#  * X_error that is true: neither X nor X_error (with generic_error: nor
#    msgpack_base64 and plain);
#  * everything in order, members of objects as well, but for those of a reply,
#    an error, a diagnostic and an entry of a log, where absent is null;
#  * floats by value; an integer never equals a float.
require 'json'

module Agreement
  # Members of a reply that hold what is told of errors.
  TOLD = %w[error diagnostics logs].freeze

  module_function

  def parsed(text)
    JSON.parse(text)
  rescue JSON::ParserError
    text
  end

  def same_text(want, got)
    return want == got unless got.is_a?(String) && want.match?(/<(?:opaque|ruby|VERSION)>/)

    got.match?(/\A#{want.split(/<(?:opaque|ruby|VERSION)>/, -1).map { |s| Regexp.escape(s) }.join('.*?')}\z/m)
  end

  def unwanted(hash)
    hash.select { |k, v| v == true && k.end_with?('_error') }.keys.flat_map do |k|
      k == 'generic_error' ? %w[generic_error generic msgpack_base64 plain] : [k, k.delete_suffix('_error')]
    end
  end

  # Whether two values are the same, or two members of a reply called `key`.
  def same(want, got, key = nil)
    case want
    when Hash
      return false unless got.is_a?(Hash)
      return told(want, got) if key == 'error'

      want.keys == got.keys && want.all? { |k, v| same(v, got[k]) }
    when Array
      return false unless got.is_a?(Array) && got.size == want.size

      want.zip(got).all? { |w, g| TOLD.include?(key) && w.is_a?(Hash) && g.is_a?(Hash) ? told(w, g) : same(w, g) }
    when String then same_text(want, got)
    when Float then got.is_a?(Float) && (want == got || (want.nan? && got.nan?))
    when Integer then got.is_a?(Integer) && want == got
    else want == got
    end
  end

  # Whether members in any order agree.
  def told(want, got)
    different(want, got).empty?
  end

  # The members that do not agree.
  def different(want, got)
    ((want.keys | got.keys) - unwanted(want)).reject { |k| same(want[k], got[k], k) }
  end

  def agree(want, got)
    return false unless got.is_a?(Hash)

    e = want['error']
    if e && e['internal']
      return got['error'].is_a?(Hash) && ([nil, 'RUNTIME_ERROR'].include?(e['issue_code']) || got['error']['issue_code'] == e['issue_code'])
    end
    if want['diagnostics'].is_a?(Array) && want['diagnostics'].any? { |d| d['internal'] }
      return got['diagnostics'].is_a?(Array) && !got['diagnostics'].empty?
    end
    told(want, got)
  end
end
