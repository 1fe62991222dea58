# frozen_string_literal: true

require 'json'

module Bunraku
  # The definitions of modules with their comments: classes, defined types, functions, type aliases, data
  # types, resource types with their providers, tasks, plans. Ruby files are read, but not run.
  #
  # @example
  #   documentation = Bunraku.doc('modules/apache')
  #   documentation.to_h['puppet_classes'].first['docstring']['text']
  #   File.write('modules/apache/REFERENCE.md', documentation.to_markdown)
  class Documentation
    # @return [Hash{String => Array<Hash>}] what `puppet strings generate --format json` writes
    attr_reader :to_h

    # @return [Array<Hash{String => String}>] files that could not be read: `file`, `message`
    attr_reader :failures

    # Missing and wrong parts of comments, as puppet-strings logs them: parameters without `@param`, `@param`
    # without a parameter, unknown tags, definitions without a comment.
    #
    # @example
    #   Bunraku.doc('modules/apache').warnings.each do |warning|
    #     puts "#{warning['file']}:#{warning['line']}: #{warning['message']}"
    #   end
    # @return [Array<Hash{String => String, Integer}>] `severity` (`warning`, `error`), `file`, `line`,
    #   `message`
    attr_reader :warnings

    # @param paths [Array<String>] directories of modules, and files
    # @raise [ArgumentError] no paths are given
    def initialize(*paths)
      @paths = paths.flatten.map { |path| File.expand_path(path) }
      raise ArgumentError, 'no paths are given' if @paths.empty?

      answer = Bunraku.__send__(:native_document, JSON.generate(paths: @paths))
      @to_h = answer['documentation']
      @failures = answer['failures']
      @warnings = answer['warnings']
    end

    # @return [String] the documentation as `puppet strings generate --format json` writes it
    def to_json(*)
      JSON.pretty_generate(to_h)
    end

    # @return [String] one page, as `puppet strings generate --format markdown` writes it
    def to_markdown
      @to_markdown ||= Bunraku.__send__(:native_document, JSON.generate(paths: @paths, format: 'markdown'))['documentation']
    end
  end

  # Documents modules and files.
  #
  # @param paths [Array<String>] directories of modules, and files
  # @return [Documentation]
  def self.doc(*paths)
    Documentation.new(*paths)
  end
end
