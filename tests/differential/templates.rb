# frozen_string_literal: true

require_relative 'words'
require_relative '../ruby/generator'

# ERB templates that contain Ruby, compared with Ruby.
class Templates < Words
  FACTS = { 'os' => { 'family' => 'Debian' }, 'list' => [1, 'a', nil, 2.5], 'text' => "a b\nc" }.freeze

  ENDLESS = /\(\d+\.\.\)\)*\.(?!lazy|first|take\b|begin|end\b|size|include|cover|member|===|inspect|to_s|min|step|class|frozen|eql|dup)/.freeze

  def initialize(seed)
    super
    @ruby = Generator.new(seed)
  end

  def question
    { 'op' => 'eval', 'source' => "inline_template(#{quoted(template)})", 'facts' => FACTS }
  end

  def template
    some(1..4) do
      pick([-> { "<%= (#{expression}).inspect %>" }, -> { "<% x = #{expression} %><%= x.class %>" }, -> { "text\n" },
            -> { "<% @list.each_with_index do |v, i| -%>\n<%= i %>:<%= v.inspect %>\n<% end -%>" }, -> { "<%- if #{expression} -%>y<%- else -%>n<%- end -%>" },
            -> { "<%= @os['family'] %><%= scope['facts']['text'].lines.size %>" }, -> { '<%# c %><%% x %%>' }, -> { "<%= scope.lookupvar('::list').map { |v| v.to_s }.join(',') %>" },
            -> { "<%= begin; #{expression}; rescue => e; [e.class, e.message].inspect; end %>" }]).call
    end.join
  end

  # Over a range without an end, most methods run until the time is up.
  def expression
    made = @ruby.expression while made.nil? || made.match?(ENDLESS)
    made
  end
end
