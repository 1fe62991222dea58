# frozen_string_literal: true

require 'json'

# Differences that the reference causes. Each cause has a reason, patterns for the question, the reference's
# answer and ours (all must match), the only members of the answers that may differ (if it names any), and
# questions that prove it.
class Known
  attr_reader :causes

  def initialize(file)
    @causes = JSON.parse(File.read(file))
    @patterns = @causes.to_h { |cause| [cause['id'], cause['when'].transform_values { |pattern| Regexp.new(pattern) }] }
  end

  # The id of the cause that excuses a difference.
  def excuse(question, wanted, got)
    held = { 'question' => JSON.generate(question), 'reference' => JSON.generate(wanted), 'bunraku' => JSON.generate(got) }
    causes.find do |cause|
      @patterns.fetch(cause['id']).all? { |name, pattern| pattern.match?(held.fetch(name)) } &&
        (cause['members'].nil? || (Agreement.different(wanted, got) - cause['members']).empty?)
    end&.fetch('id')
  end
end
