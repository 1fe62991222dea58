# frozen_string_literal: true

module Bunraku
  # Diagnostics in the forms that other programs read.
  module DiagnosticFormats
    LEVELS = { error: 'error', warning: 'warning', deprecation: 'note' }.freeze

    # SARIF 2.1.0, as code scanners exchange it.
    #
    # @param diagnostics [Array<Diagnostic>]
    # @return [Hash]
    def self.sarif(diagnostics)
      rules = diagnostics.map(&:issue_code).uniq.sort.map { |code| { id: code } }
      results = diagnostics.map do |one|
        region = { startLine: one.line, startColumn: one.column }.compact
        location = { artifactLocation: { uri: one.file } }
        location[:region] = region unless region.empty?
        { ruleId: one.issue_code, level: LEVELS.fetch(one.severity), message: { text: one.message },
          locations: [{ physicalLocation: location }] }
      end
      { '$schema': 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0',
        runs: [{ tool: { driver: { name: 'bunraku', version: VERSION, rules: rules } }, results: results }] }
    end

    # A line that GitHub Actions shows beside the source.
    #
    # @param diagnostic [Diagnostic]
    # @return [String]
    def self.github(diagnostic)
      level = { error: 'error', warning: 'warning', deprecation: 'notice' }.fetch(diagnostic.severity)
      place = { file: diagnostic.file, line: diagnostic.line, col: diagnostic.column, title: diagnostic.issue_code }.compact
      escape = ->(text, more = '') { text.to_s.gsub(/[%\r\n#{more}]/) { |char| format('%%%02X', char.ord) } }
      "::#{level} #{place.map { |name, value| "#{name}=#{escape.call(value, ':,')}" }.join(',')}::#{escape.call(diagnostic.message)}"
    end
  end
end
