# frozen_string_literal: true

require 'spec_helper'
require 'tmpdir'
require 'fileutils'

RSpec.describe 'Ruby of modules' do
  around { |example| Dir.mktmpdir { |dir| @root = dir and example.run } }

  def write(path, text)
    file = File.join(@root, 'production', path)
    FileUtils.mkdir_p(File.dirname(file))
    File.write(file, text)
  end

  def environment(**options)
    Bunraku::Environment.new('production', environmentpath: @root, **options)
  end

  def notified(**options)
    catalog = environment(**options).compile(node: 'web01', facts: { 'os' => { 'name' => 'Debian' } })
    catalog.to_h['resources'].select { |resource| resource['type'] == 'Notify' }.map { |resource| resource['title'] }
  end

  describe 'templates' do
    before do
      write('environment.conf', '')
      write('modules/web/lib/puppet_x/web/words.rb', "module PuppetX\n  module Web\n    def self.loud(text)\n      text.upcase\n    end\n  end\nend\n")
      write('modules/web/manifests/init.pp', <<~PUPPET)
        class web($names = ['b', 'a'], $options = { 'x' => 1 }, $none = undef) {
          notify { template('web/page.erb'): }
        }
      PUPPET
      write('manifests/site.pp', 'include web')
    end

    %i[auto ruby].each do |templates|
      it "sees variables, the scope, functions and helpers of modules (#{templates})" do
        write('modules/web/templates/page.erb', <<~ERB)
          <%- require 'puppet_x/web/words' -%>
          <%= PuppetX::Web.loud(@names.sort.join(',')) %> <%= scope['web::names'].size %> <%= scope.lookupvar('os')['name'] %>
          <%= has_variable?('none') %> <%= has_variable?('options') %> <%= @none.inspect %> <%= @title %>
          <%= scope.function_sprintf(['%s-%s', 'a', 'b']) %> <%= scope.call_function('upcase', ['x']) %>
        ERB
        expect(notified(templates: templates)).to eq ["A,B 2 Debian\nfalse true nil web\na-b X\n"]
      end
    end

    it 'renders with Ruby what the Ruby that is built in does not know' do
      write('modules/web/templates/page.erb', "<%= [1, 2].pack('C*').unpack('H*').first %><%= ObjectSpace.name %>")
      expect(notified).to eq ['0102ObjectSpace']
      expect { notified(templates: :native) }.to raise_error(Bunraku::Error, /not known to the Ruby that is built in/)
    end

    it 'has the methods that helpers define outside of classes' do
      write('modules/web/lib/puppet_x/web/plain.rb', "def twice(text)\n  text.empty? ? text : text[0] * 2 + twice(text[1..-1])\nend\n")
      write('modules/web/lib/puppet/functions/web/twice.rb', <<~RUBY)
        require 'puppet_x/web/plain'
        Puppet::Functions.create_function(:'web::twice') do
          dispatch(:run) { param 'String', :text }

          def run(text)
            twice(text)
          end
        end
      RUBY
      write('modules/web/lib/puppet/parser/functions/web_twice.rb', <<~RUBY)
        require 'puppet_x/web/plain'
        module Puppet::Parser::Functions
          newfunction(:web_twice, type: :rvalue) { |arguments| twice(arguments[0]) }
        end
      RUBY
      write('modules/web/templates/page.erb', "<% require 'puppet_x/web/plain' %><%= twice('c') %>")
      write('manifests/site.pp', "include web\nnotify { [web::twice('ab'), web_twice('x')]: }")
      %i[auto ruby].each { |templates| expect(notified(templates: templates)).to contain_exactly('cc', 'aabb', 'xx') }
      expect(notified(ruby_functions: :off)).to contain_exactly('cc', 'aabb', 'xx')
      expect(''.respond_to?(:twice, true)).to be(false)
    end

    it "changes Ruby's own classes once for all environments" do
      write('modules/web/lib/puppet_x/web/patch.rb', <<~RUBY)
        require 'ostruct'
        class OpenStruct
          alias bunraku_plain_inspect inspect
          def inspect
            "*\#{bunraku_plain_inspect}"
          end
        end
      RUBY
      write('modules/web/templates/page.erb', "<% require 'puppet_x/web/patch' %><%= OpenStruct.new(a: 1).inspect %>")
      2.times { expect(notified(templates: :ruby)).to eq ['*#<OpenStruct a=1>'] }
    ensure
      OpenStruct.class_eval { alias_method(:inspect, :bunraku_plain_inspect) }
    end

    it 'shares what templates change in place' do
      write('modules/web/templates/page.erb', "<% scope.setvar('own', {}) %><% scope['own'][:a] = 1 %><%= scope.function_template(['web/part.erb']) %>")
      write('modules/web/templates/part.erb', "<%= scope['own'][:a] %>")
      %i[auto ruby].each { |templates| expect(notified(templates: templates)).to eq ['1'] }
    end

    it 'tells file and line of errors' do
      write('modules/web/templates/page.erb', "one\n<%= @names.nope %>\n")
      %i[auto ruby].each do |templates|
        expect { notified(templates: templates) }.to raise_error(Bunraku::Error) do |error|
          expect(error.message).to match(%r{Failed to parse template web/page.erb:\n  Filepath: .*/page.erb\n  Line: 2\n  Detail: undefined method `nope' for})
        end
      end
    end
  end

  describe 'data functions of Hiera' do
    it 'answer through the context' do
      write('hiera.yaml', <<~YAML)
        version: 5
        hierarchy:
          - { name: keys, lookup_key: 'store::by_key', options: { prefix: p } }
          - { name: all, data_hash: 'store::all' }
          - { name: digs, data_dig: 'store::dig' }
      YAML
      write('modules/store/lib/puppet/functions/store/by_key.rb', <<~RUBY)
        Puppet::Functions.create_function(:'store::by_key') do
          dispatch :by_key do
            param 'String', :key
            param 'Hash', :options
            param 'Puppet::LookupContext', :context
          end

          def by_key(key, options, context)
            begin
              context.not_found unless key.start_with?('k')
            rescue StandardError
              return 'rescued'
            end
            context.cache('calls', (context.cached_value('calls') || 0) + 1)
            context.cache_all('other' => 1)
            context.explain { 'said so' }
            [context.interpolate("\#{options['prefix']}-%{node}"), context.cached_value('calls'), context.cache_has_key('other'),
             context.cached_entries.to_a.map(&:first), context.environment_name.to_s, context.module_name]
          end
        end
      RUBY
      write('modules/store/lib/puppet/functions/store/all.rb', <<~RUBY)
        Puppet::Functions.create_function(:'store::all') do
          dispatch :all do
            param 'Hash', :options
            param 'Puppet::LookupContext', :context
          end

          def all(_options, context)
            { 'all' => context.cached_file_data('#{@root}/production/data.txt') { |text| text.strip.upcase } }
          end
        end
      RUBY
      write('modules/store/lib/puppet/functions/store/dig.rb', <<~RUBY)
        Puppet::Functions.create_function(:'store::dig') do
          dispatch :dig do
            param 'Array', :segments
            param 'Hash', :options
            param 'Puppet::LookupContext', :context
          end

          def dig(segments, _options, context)
            segments.first == 'deep' ? segments.join('/') : context.not_found
          end
        end
      RUBY
      write('data.txt', "text\n")
      loaded = environment
      ask = ->(key) { loaded.lookup(key, node: 'web01', parameters: { 'node' => 'web01' }) }
      expect(ask['key']).to eq ['p-web01', 1, true, %w[calls other], 'production', nil]
      expect(ask['all']).to eq 'TEXT'
      expect(ask['deep.a.b']).to eq 'deep/a/b'
      expect { ask['nothing'] }.to raise_error(Bunraku::LookupError)
      expect(loaded.explain('key', node: 'web01', parameters: { 'node' => 'web01' })).to include 'said so'
    end

    it 'keeps what they make of a file until the file changes' do
      write('hiera.yaml', <<~YAML)
        version: 5
        hierarchy:
          - { name: files, data_hash: 'store::file', path: "#{@root}/production/data.txt", options: { node: '%{node}' } }
      YAML
      write('modules/store/lib/puppet/functions/store/file.rb', <<~RUBY)
        Puppet::Functions.create_function(:'store::file') do
          dispatch(:file) { param 'Hash', :options; param 'Puppet::LookupContext', :context }

          def file(options, context)
            made = context.cached_file_data(options['path']) { |text| [text.strip, options['node']] }
            missing = begin
              context.cached_file_data('/does not exist') { 'made' }
            rescue Errno::ENOENT
              'missing'
            end
            { 'made' => made, 'missing' => missing }
          end
        end
      RUBY
      write('data.txt', "one\n")
      [environment, environment(ruby_functions: :off)].each do |loaded|
        ask = ->(key, node) { loaded.lookup(key, node: node, parameters: { 'node' => node }) }
        File.write("#{@root}/production/data.txt", "one\n")
        expect([ask['made', 'a'], ask['made', 'b'], ask['missing', 'b']]).to eq [%w[one a], %w[one a], 'missing']
        File.write("#{@root}/production/data.txt", "two two\n")
        expect([ask['made', 'b'], ask['made', 'a']]).to eq [['two two', 'b'], ['two two', 'b']]
      end
    end
  end

  describe 'resource types' do
    it 'are run where their text does not tell all' do
      write('modules/box/lib/puppet_x/box.rb', "module PuppetX\n  module Box\n    def self.names\n      %w[width height].map(&:to_sym)\n    end\n  end\nend\n")
      write('modules/box/lib/puppet/type/box.rb', <<~RUBY)
        require 'puppet_x/box'
        Puppet::Type.newtype(:box) do
          @doc = 'A box'
          ensurable
          feature :stackable, 'can be stacked'
          newparam(:name, namevar: true) { desc 'The name' }
          newparam(:shelf) { isnamevar }
          def self.title_patterns
            [[/\\A([^@]+)@(.*)\\z/, [[:name], [:shelf]]], [/\\A(.*)\\z/m, [[:name]]]]
          end
          PuppetX::Box.names.each do |name|
            newproperty(name) { newvalues(/\\A\\d+\\z/); munge { |value| Integer(value) } }
          end
          autorequire(:file) { self[:path] }
          validate { raise 'never run' }
        end
        Puppet::Type.type(:box).provide(:none) { raise 'never run' }
      RUBY
      write('manifests/site.pp', "box { 'a@b': width => 1 }")
      box = environment.compile(node: 'n').to_h['resources'].find { |resource| resource['type'] == 'Box' }
      expect(box['parameters']).to eq('name' => 'a', 'shelf' => 'b', 'width' => 1)
      write('manifests/site.pp', "box { 'a@b': depth => 1 }")
      expect { environment.compile(node: 'n') }.to raise_error(Bunraku::Error, /no parameter named 'depth'/)
    end
  end
end
