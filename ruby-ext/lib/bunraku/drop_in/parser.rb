# frozen_string_literal: true

require_relative 'cache'
require_relative 'model'
require_relative 'untouched'

module Bunraku
  module DropIn
    # `Puppet::Pops::Parser::Parser#parse_string` and `#parse_file`, and those of `EppParser`: parses texts
    # without errors and warnings natively, into the same objects. The trees of files are cached.
    #
    # Parsers and lexers of subclasses, and those with methods of their own, use Puppet's parser.
    module Parser
      # The maximum number of bytes of source text whose trees are cached.
      CACHED = 16 * 1024 * 1024

      # The reason to leave a text to Puppet.
      FAULTY = 'an error or a warning is to be told'

      class << self
        # @return [Cache] the cached trees
        attr_reader :cache

        # Installs itself before Puppet's methods.
        #
        # @api private
        def install
          @cache = Cache.new(CACHED)
          @modes = { pops::Parser => :manifest, pops::EppParser => :template }
          Untouched.replace(:parser, pops::Parser, :parse_string) do |original|
            ->(parser, code, path = nil) { Parser.parse(parser, code, path) || original.bind(parser).call(code, path) }
          end
          [pops::Parser, pops::EppParser].each do |owner|
            Untouched.replace(:parser, owner, :parse_file) { |original| ->(parser, file) { Parser.parse_file(parser, file) || original.bind(parser).call(file) } }
          end
          @own = Untouched.new([pops::Parser, pops::EppParser, pops::Lexer2, ::Puppet::Pops::Model::Factory].to_h do |watched|
            [watched, Untouched.methods_of(watched) - %i[parse_string parse_file]]
          end)
        end

        # @param parser [Puppet::Pops::Parser::Parser]
        # @param code [String]
        # @param path [String, nil]
        # @return [Puppet::Pops::Model::Factory, nil] nil if Puppet has to parse
        # @api private
        def parse(parser, code, path)
          return unless DropIn.enabled?(:parser) && (mode = mode_of(parser)) && ordinary?(parser, code, path)

          tasks = ::Puppet[:tasks] ? true : false
          make = -> { Tree.parse(code, path, mode, tasks) }
          tree = path ? @cache.fetch([code, path, mode, tasks], &make) : make.call
          return Report.left(:parser, FAULTY) unless tree

          Report.native(:parser)
          code.freeze
          tree.to_factory
        end

        # As {parse}, for the text in a file. Missing files are left to Puppet.
        #
        # @api private
        def parse_file(parser, file)
          return unless DropIn.enabled?(:parser) && file.instance_of?(String) && ::Puppet::FileSystem.exist?(file)

          parse(parser, text_of(file), file)
        end

        # As {parse_file}, without creating Puppet's objects.
        #
        # @return [Program, nil] nil if Puppet has to parse
        # @api private
        def program(parser, file)
          return unless DropIn.enabled?(:parser) && mode_of(parser) == :manifest && ::Puppet::FileSystem.exist?(file)

          code = text_of(file)
          return unless ordinary?(parser, code, file)

          tasks = ::Puppet[:tasks] ? true : false
          program = Program.__send__(:native_parse_flawless, code, file, false, tasks) if code.valid_encoding?
          program ? Report.native(:parser) : Report.left(:parser, FAULTY)
          program
        end

        # Returns the tree of a program.
        #
        # @param program [Puppet::Pops::Model::Program]
        # @return [Tree, nil] nil for a program that was not made here
        # @api private
        def tree_of(program)
          tree = program.locator.instance_variable_get(:@bunraku_tree)
          tree if tree && tree.body.equal?(program.body)
        end

        private

        def text_of(file)
          ::Puppet::FileSystem.read(file, mode: 'rb', encoding: 'utf-8')
        end

        def pops
          ::Puppet::Pops::Parser
        end

        def mode_of(parser)
          @modes[parser.class] || Report.left(:parser, "a parser of the class #{parser.class}")
        end

        def ordinary?(parser, code, path)
          lexer = parser.lexer
          text = code.instance_of?(String) && code.encoding == Encoding::UTF_8 && (path.nil? || path.instance_of?(String))
          return Report.left(:parser, 'a text of another kind') unless text
          return Report.left(:parser, 'a lexer of its own') unless lexer.instance_of?(pops::Lexer2) && lexer.singleton_methods(false).empty?

          @own.untouched?(:parser)
        end
      end

      # A parsed text.
      #
      # @api private
      class Tree
        # @return [Bunraku::Program]
        attr_reader :program

        # @return [Puppet::Pops::Model::PopsObject]
        attr_reader :body

        # @return [Tree, nil] nil for a text with errors or warnings
        def self.parse(code, path, mode, tasks)
          return unless code.valid_encoding?

          program = Program.__send__(:native_parse_flawless, code, path, mode == :template, tasks)
          new(program, code, path) if program
        rescue RegexpError
          nil
        end

        def initialize(program, code, path)
          @program = program
          @locator = ::Puppet::Pops::Parser::Locator.locator(code, path, program.__send__(:native_line_offsets).freeze)
          @locator.instance_variable_set(:@bunraku_tree, self)
          @body, @definitions = Model.build(program, @locator)
        end

        # @param manifest [String, nil] the file or directory that can contain any definition
        # @param modulepath [Array<String>] the directories in which the path of a file determines its
        #   definitions
        # @return [Boolean] whether validation finds nothing
        def flawless?(manifest, modulepath)
          asked = [manifest, modulepath]
          return @is_flawless if @asked == asked

          @is_flawless = @program.__send__(:native_flawless?, manifest, modulepath)
          @asked = asked
          @is_flawless
        end

        # @return [Puppet::Pops::Model::Factory] a new program over the tree
        def to_factory
          ::Puppet::Pops::Model::Factory.PROGRAM(@body, @definitions, @locator)
        end
      end
    end
  end
end
