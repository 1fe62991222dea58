# frozen_string_literal: true

module Bunraku
  # A complaint of the parser or the validator.
  #
  # @!attribute severity [r] @return [Symbol] `:error`, `:warning` or `:deprecation`
  # @!attribute issue_code [r] @return [String] such as `SYNTAX_ERROR`
  # @!attribute message [r] @return [String] the message without the place
  # @!attribute file [r] @return [String, nil]
  # @!attribute line [r] @return [Integer, nil] from 1
  # @!attribute column [r] @return [Integer, nil] in characters, from 1
  Diagnostic = Struct.new(:severity, :issue_code, :message, :file, :line, :column, keyword_init: true) do
    # @return [String] `file:line:column: severity: message (CODE)`
    def to_s
      place = [file, line, column].compact.join(':')
      "#{"#{place}: " unless place.empty?}#{severity}: #{message} (#{issue_code})"
    end
  end

  # A parsed manifest or template. Made by {Bunraku.parse}.
  class Program
    # @!method to_pn
    #   @return [String] Puppet Extended S-Expression Notation, as `puppet parser dump --format pn` writes it
    # @!method to_data
    #   @return [Object] the notation as arrays and hashes, as `puppet parser dump --format json` has it
    # @!method source
    #   @return [String] the text
    # @!method path
    #   @return [String, nil] the file name
    # @!method node_count
    #   @return [Integer] how many nodes the syntax tree has

    # @param strict [Symbol] how questionable code is treated: `:off`, `:warning`, `:error`
    # @return [Array<Diagnostic>] in the order in which the reference reports them
    def validate(strict: :error)
      native_validate(strict.to_s).map { |members| Diagnostic.new(**members) }
    end

    # @return [String] {#to_data} as JSON
    def to_json(*)
      native_json
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{path || 'without a file'}, #{node_count} nodes>"
    end
  end
end
