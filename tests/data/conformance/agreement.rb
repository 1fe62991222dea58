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
#  * "tags" of catalogs and resources, "classes" and "edges": as sets;
#  * "json": the two texts as JSON; elsewhere members of objects in any order;
#  * floats by value; an integer never equals a float.
require 'json'

module Agreement
  SETS = %w[tags classes edges].freeze

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

  def same(want, got, key = nil)
    case want
    when Hash
      return false unless got.is_a?(Hash)

      ((want.keys | got.keys) - unwanted(want)).all? { |k| same(want[k], got[k], k) }
    when Array
      return false unless got.is_a?(Array) && got.size == want.size

      want, got = [want, got].map { |a| a.sort_by { |v| v.is_a?(Hash) ? v.sort.to_s : v.to_s } } if SETS.include?(key)
      want.each_index.all? { |n| same(want[n], got[n]) }
    when String
      a, b = [want, got].map { |t| parsed(t) } if key == 'json' && got.is_a?(String)
      a.is_a?(Array) ? same(a, b) : same_text(want, got)
    when Float then got.is_a?(Float) && (want == got || (want.nan? && got.nan?))
    when Integer then got.is_a?(Integer) && want == got
    else want == got
    end
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
    same(want, got)
  end
end
