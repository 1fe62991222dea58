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
      rules = diagnostics.map(&:issue_code).compact.uniq.sort.map { |code| { id: code } }
      results = diagnostics.map do |one|
        region = { startLine: one.line, startColumn: one.column }.compact
        location = { artifactLocation: { uri: uri(one.file.to_s) } }
        location[:region] = region unless region.empty?
        { ruleId: one.issue_code, level: LEVELS.fetch(one.severity), message: { text: one.message },
          locations: [{ physicalLocation: location }] }.compact
      end
      { '$schema': 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0',
        runs: [{ columnKind: 'unicodeCodePoints', tool: { driver: { name: 'bunraku', version: VERSION, rules: rules } }, results: results }] }
    end

    # A path as SARIF wants it: a reference to a resource, with all that is special in such references escaped.
    def self.uri(path)
      path.b.gsub(%r{[^A-Za-z0-9/._~-]}) { |byte| format('%%%02X', byte.ord) }.force_encoding(Encoding::UTF_8)
    end
    private_class_method :uri

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
