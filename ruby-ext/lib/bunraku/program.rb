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

    # @return [Node] the expression that the file is
    def body
      node(native_body)
    end

    # @return [Array<Node>] the classes, defined types, functions, types and nodes that the file defines
    def definitions
      native_definitions.map { |id| node(id) }
    end

    # @return [Array<String>] the comments, in order
    def comments
      native_comments.map { |offset, length, _| source.byteslice(offset, length) }
    end

    # @yieldparam node [Node] every node, in the order of the source
    # @return [self, Enumerator]
    def each(&block)
      return body.each unless block

      body.each(&block)
      self
    end
    alias walk each

    # @param id [Integer] the number of a node
    # @return [Node]
    def node(id)
      kind, *place, fields = native_node(id)
      Model.const_get(kind).new(self, id, *place, fields)
    end

    # @param line [Integer] a line, from 1
    # @return [Array<String>] the lines of the comment directly above it, without `#`
    def comment_above(line)
      by_line = native_comments.to_h { |offset, length, at| [at, source.byteslice(offset, length)] }
      lines = []
      while (line -= 1).positive? && by_line[line]&.start_with?('#')
        lines.unshift(by_line[line].sub(/\A# ?/, ''))
      end
      lines
    end

    # @return [Hash] the tree, all the way down
    def to_h
      body.to_h
    end

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
