# Records what Ruby's ERB writes. Run with Ruby 3.1, whose `inspect` and messages the reference has:
#
#   ruby ask.rb methods                             > erb-methods.jsonl
#   ruby --disable-error_highlight ask.rb reentry   | gzip -9n > erb-reentry.jsonl.gz
#   ruby ask.rb modules /usr/share/puppet/modules   | gzip -9n > erb-modules.jsonl.gz
#
# `methods` asks every line of expressions.txt (an expression whose `inspect` is shown) and every template of
# templates.txt (separated by lines of `---`); `modules` all templates below a directory, with three sets of values for
# the variables that they name; `reentry` the programs of reentry.rb.
require 'erb'
require 'json'
require 'set'
require 'yaml'
require 'base64'
require 'digest'
require 'shellwords'
require 'time'
require 'cgi'
require 'uri'
require 'zlib'
require 'timeout'

module Puppet
  # What functions raise.
  class ParseError < RuntimeError; end

  module Parser
    # What templates call `scope`.
    class Scope
      def initialize(variables)
        @variables = variables
      end

      def lookupvar(name)
        @variables[name.sub(/\A::/, '')]
      end
      alias [] lookupvar

      def include?(name)
        !lookupvar(name).nil?
      end

      def to_hash
        @variables.reject { |_, value| value.nil? }.sort.to_h
      end

      def inspect
        'Scope(Class[main])'
      end

      def setvar(name, value)
        raise ParseError, "Cannot reassign variable '$#{name}'" if @variables.key?(name)

        @variables[name] = value
      end

      def function_versioncmp(arguments)
        %w[a b].zip(arguments) do |parameter, given|
          next if given.is_a?(String)

          type = { NilClass => 'Undef', TrueClass => 'Boolean', FalseClass => 'Boolean' }.fetch(given.class, given.class)
          raise ArgumentError, "'versioncmp' parameter '#{parameter}' expects a String value, got #{type}"
        end
        a, b = arguments.map { |version| version.split('.').grep(/\A\d+\z/).map(&:to_i) }
        a <=> b
      end

      def call_function(name, arguments)
        raise ArgumentError, "Unknown function '#{name}'" unless name.to_s == 'versioncmp'

        function_versioncmp(arguments)
      end
    end

    # What templates are evaluated in.
    class TemplateWrapper
      def initialize(variables)
        @__scope__ = Scope.new(variables)
        @__scope__.to_hash.each { |name, value| instance_variable_set("@#{name.gsub(/[^\w]/, '_')}", value) }
      end

      def scope
        @__scope__
      end

      def has_variable?(name)
        scope.include?(name.to_s)
      end

      def result(text)
        ERB.new(text, trim_mode: '-').result(binding)
      end
    end
  end
end

def plain(error)
  message = error.respond_to?(:original_message) ? error.original_message : error.message
  "#{error.class}: #{message.gsub(/(#<Puppet::Parser::TemplateWrapper):0x\h+/, '\1')}"
end

def ask(text, variables, seconds = 5)
  variables = JSON.parse(JSON.generate(variables))
  output = Timeout.timeout(seconds) { Puppet::Parser::TemplateWrapper.new(variables).result(text) }
  { 'answer' => output.dup.force_encoding('UTF-8') }
rescue Timeout::Error
  raise
rescue SyntaxError
  { 'error' => 'SyntaxError' }
rescue StandardError, NotImplementedError => error
  { 'error' => plain(error) }
end

def show(row)
  puts JSON.generate(row)
rescue JSON::GeneratorError
  nil
end

VARIABLES = {
  's' => "Hello, World\n", 'n' => 42, 'f' => 2.5, 't' => true, 'a' => [3, 1, 2], 'words' => %w[pear apple fig],
  'h' => { 'b' => 2, 'a' => 1, 'c' => { 'x' => [1, nil] } }, 'empty' => '', 'none' => nil, 'list' => [%w[a 1], %w[b 2]]
}.freeze

def methods
  here = __dir__
  File.readlines("#{here}/expressions.txt", chomp: true).each_with_index do |line, index|
    next if line.empty? || line.start_with?('#')

    text = "<%= (#{line}).inspect %>"
    show({ 'id' => "expression-#{index + 1}", 'template' => text, 'variables' => VARIABLES }.merge(ask(text, VARIABLES)))
  end
  File.read("#{here}/templates.txt").split(/^---\n/).each_with_index do |text, index|
    show({ 'id' => "template-#{index + 1}", 'template' => text, 'variables' => VARIABLES }.merge(ask(text, VARIABLES)))
  end
end

SETS = [
  ['value', 8080, true, false, nil, '', %w[b a c], [], { 'k' => 'v', 'a' => '1' }, {}, '10.0.0.1', 'present', 1.5, [1, 2]],
  ['value', %w[one two], { 'x' => 'y' }, nil, true, '5.7'],
  [nil, 'text', %w[alpha], { 'z' => { 'y' => 1 } }]
].freeze

def modules(root)
  Dir.glob('*/templates/**/*.erb', base: root).sort.each do |path|
    text = File.binread("#{root}/#{path}").force_encoding('UTF-8')
    next unless text.valid_encoding?

    names = text.scan(/@([a-z_]\w*)/).flatten + text.scan(/(?:lookupvar\(|scope\[)\s*['"](?:::)?([\w:]+)['"]/).flatten
    SETS.each_with_index do |values, set|
      variables = names.uniq.sort.to_h { |name| [name, values[Zlib.crc32("#{path}#{name}#{set}") % values.size]] }
      row = { 'id' => "#{path}/#{set}", 'path' => path, 'variables' => variables }
      show(row.merge(ask(text, variables)))
    end
  end
end

$stderr.reopen(File::NULL)
def reentry
  require_relative 'reentry'
  Reentry.all.each_with_index do |text, index|
    row = { 'id' => "reentry-#{index + 1}", 'template' => text, 'variables' => {} }
    show(row.merge(ask(text, {}, 1)))
  rescue Timeout::Error, SystemStackError
    show(row.merge('endless' => true))
  end
end

case ARGV[0]
when 'modules' then modules(ARGV[1])
when 'reentry' then reentry
else methods
end
