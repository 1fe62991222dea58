# frozen_string_literal: true

require 'json'
require 'strscan'

# Differences that the reference causes. Each cause has a reason, patterns for the question, the reference's
# answer and ours (all must match), the only members of the answers that may differ (if it names any), a
# pattern whose first group is the same in both answers (if it has one), whether the answers are the same
# outside of Ruby's objects that the reference shows, and questions that prove it.
class Known
  attr_reader :causes

  def initialize(file)
    @causes = JSON.parse(File.read(file))
    @patterns = @causes.to_h { |cause| [cause['id'], cause['when'].transform_values { |pattern| Regexp.new(pattern) }] }
  end

  # The id of the cause that excuses a difference.
  def excuse(question, wanted, got)
    held = { 'question' => JSON.generate(question, max_nesting: false), 'reference' => JSON.generate(wanted, max_nesting: false), 'bunraku' => JSON.generate(got, max_nesting: false) }
    causes.find do |cause|
      @patterns.fetch(cause['id']).all? { |name, pattern| pattern.match?(held.fetch(name)) } &&
        (cause['members'].nil? || (Agreement.different(wanted, got) - cause['members']).empty?) &&
        (cause['same'].nil? || held.values_at('reference', 'bunraku').map { |answer| answer[Regexp.new(cause['same']), 1] }.then { |told| told.first && told.uniq.one? }) &&
        (cause['outside'].nil? || same_outside?(wanted, got))
    end&.fetch('id')
  end

  private

  # Whether answers are the same but for objects in the texts of the reference, as Ruby's inspect shows them.
  def same_outside?(wanted, got)
    case wanted
    when Hash then got.is_a?(Hash) && wanted.keys.sort == got.keys.sort && wanted.all? { |key, value| same_outside?(value, got[key]) }
    when Array then got.is_a?(Array) && wanted.size == got.size && wanted.zip(got).all? { |pair| same_outside?(*pair) }
    when String then wanted == got || (got.is_a?(String) && around_objects(wanted).match?(got))
    else wanted == got
    end
  end

  # A pattern of a text in which anything can be in the place of Ruby's objects.
  def around_objects(text)
    scanner = StringScanner.new(text)
    pattern = +''
    pattern << (scanner.scan(/#</) ? skip_object(scanner) : Regexp.escape(scanner.getch)) until scanner.eos?
    /\A#{pattern}\z/m
  end

  # An object up to its end; texts in it and arrows can contain angle brackets.
  def skip_object(scanner)
    depth = 1
    until depth.zero? || scanner.eos?
      next if scanner.skip(/"(?:[^"\\]|\\.)*"|=>/m)

      depth += { '<' => 1, '>' => -1 }.fetch(scanner.getch, 0)
    end
    '.+?'
  end
end
