# frozen_string_literal: true

require 'json'

module Bunraku
  # What a check of the style of a manifest found.
  #
  # @!attribute [r] check
  #   @return [Symbol] the name of the check, as puppet-lint has it
  # @!attribute [r] kind
  #   @return [Symbol] `:error`, `:warning`, `:fixed` or `:ignored`
  # @!attribute [r] message
  #   @return [String] what is wrong
  # @!attribute [r] line
  #   @return [Integer] the line, from 1
  # @!attribute [r] column
  #   @return [Integer] the column in characters, from 1
  # @!attribute [r] reason
  #   @return [String, nil] why it is ignored, as the comment says
  LintFinding = Struct.new(:check, :kind, :message, :line, :column, :reason)

  # What all checks found in a text.
  #
  # @!attribute [r] findings
  #   @return [Array<LintFinding>] by check
  # @!attribute [r] warnings
  #   @return [Array<String>] comments that switch checks off and do not fit together
  # @!attribute [r] fixed
  #   @return [String, nil] the mended text, if it was asked for and the text can be read
  LintReport = Struct.new(:findings, :warnings, :fixed)

  # Checks a manifest as puppet-lint does. A text whose path ends with .yaml or .yml is data, where old names
  # of facts are found.
  #
  # @param source [String] the text
  # @param path [String, nil] the absolute path of the file; without one `autoloader_layout` finds nothing
  # @param fix [Boolean] whether the text is mended
  # @param relative [Boolean] whether the layout of a module counts from its root
  # @param only_checks [Array<Symbol, String>, nil] the checks that run, or nil for those that are on
  # @param plugins [Array<String>] plug-ins of puppet-lint whose checks run, too;
  #   "voxpupuli-puppet-lint-plugins" names several
  # @param checks [Hash{Symbol, String => Boolean}] checks that are switched on or off
  # @param top_scope_variables [Array<String>] variables of the top scope that are no facts
  # @param docs_allowed_styles [Array<String>, nil] how comments may document parameters: "doc", "kafo",
  #   "strings"; nil for all
  # @param chars_per_indent [Integer] how far `strict_indent` wants lines indented for each level
  # @return [LintReport]
  # @raise [Error] a check or plug-in is unknown
  def self.lint(source, path: nil, fix: false, relative: false, only_checks: nil, plugins: [], checks: {},
                top_scope_variables: [], docs_allowed_styles: nil, chars_per_indent: 2)
    request = { path: path, fix: fix, relative: relative, only_checks: only_checks, plugins: plugins, checks: checks,
                top_scope_variables: top_scope_variables, docs_allowed_styles: docs_allowed_styles,
                chars_per_indent: chars_per_indent }
    answer = native_lint(utf8(source), JSON.generate(request.compact))
    findings = answer['findings'].map do |one|
      LintFinding.new(one['check'].to_sym, one['kind'].to_sym, *one.values_at('message', 'line', 'column', 'reason')).freeze
    end
    LintReport.new(findings.freeze, answer['warnings'].freeze, answer['fixed']).freeze
  end

  # The checks of {lint}.
  #
  # @return [Array<Hash>] each with "check", "severity", "on" (whether it runs unless the caller says
  #   otherwise), "fixed" (whether what it finds can be mended), "about" and "plugin" (the plug-in of
  #   puppet-lint that has it, or nil)
  def self.lint_checks
    native_lint_checks
  end
end
