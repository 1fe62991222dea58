# frozen_string_literal: true

require 'fileutils'

# The input of the bench of `bunraku/puppet`: an environment with many resources, and a module of classes and
# EPP templates with its rspec-puppet examples.
module Fixtures
  # The number of classes in the tested module, and of operating systems for its examples.
  CLASSES = 8
  SYSTEMS = %w[Debian RedHat].freeze

  module_function

  def write(path, text)
    FileUtils.mkdir_p(File.dirname(path))
    File.write(path, text)
  end

  # @param directory [String] the target directory
  # @param count [Integer] the approximate number of resources in a catalog
  def environment(directory, count)
    write("#{directory}/manifests/site.pp", <<~PUPPET)
      node default {
        Integer[1, #{count / 5}].each |$number| {
          farm::site { "site${number}": port => 1024 + $number, aliases => ["www.site${number}", "old.site${number}"] }
        }
      }
    PUPPET
    write("#{directory}/modules/farm/manifests/site.pp", <<~'PUPPET')
      define farm::site(Integer[1024, 65535] $port, Array[String] $aliases = [], Enum['present', 'absent'] $ensure = present) {
        $root = "/srv/${title}"
        $names = [$title] + $aliases.map |$name| { $name.downcase }
        file {
          default: owner => 'root', group => 'root', mode => '0644';
          $root: ensure => directory, mode => '0755';
          "${root}/site.conf": content => epp('farm/site.conf.epp', { 'name' => $title, 'names' => $names, 'port' => $port });
          "${root}/index.html": content => "<h1>${title}</h1>\n";
        }
        exec { "reload ${title}":
          command => '/bin/true', refreshonly => true, subscribe => File["${root}/site.conf"],
        }
      }
    PUPPET
    write("#{directory}/modules/farm/templates/site.conf.epp", <<~'EPP')
      <%- | String $name, Array[String] $names, Integer $port | -%>
      <VirtualHost *:<%= $port %>>
        ServerName <%= $name %>
      <% $names.each |$alias| { -%>
        ServerAlias <%= $alias %>
      <% } -%>
      </VirtualHost>
    EPP
  end

  # @param directory [String] the target directory
  def tested_module(directory)
    (1..CLASSES).each { |number| tested_class(directory, number) }
    write("#{directory}/modules/farm/manifests/init.pp", <<~PUPPET)
      class farm(Hash[String, Integer] $ports = {}) {
        #{(1..CLASSES).map { |number| "include farm::part#{number}" }.join("\n  ")}
      }
    PUPPET
    write("#{directory}/spec/spec_helper.rb", <<~RUBY)
      require 'rspec-puppet'
      RSpec.configure do |config|
        config.module_path = '#{directory}/modules'
        config.manifest = '#{directory}/site.pp'
      end
    RUBY
    write("#{directory}/site.pp", '')
    write("#{directory}/spec/classes/farm_spec.rb", <<~RUBY)
      require 'spec_helper'
      #{SYSTEMS}.each do |system|
        (0..#{CLASSES}).each do |number|
          describe(number.zero? ? 'farm' : "farm::part\#{number}") do
            let(:facts) { { 'os' => { 'family' => system, 'name' => system }, 'number' => number } }
            let(:pre_condition) { 'include farm' }
            it { is_expected.to contain_file("/etc/farm/part\#{number.zero? ? 1 : number}.conf").with_content(/system = \#{system}/) }
            it { is_expected.to contain_class('farm') }
          end
        end
      end
    RUBY
  end

  def tested_class(directory, number)
    write("#{directory}/modules/farm/manifests/part#{number}.pp", <<~PUPPET)
      # Part #{number}.
      class farm::part#{number}(
        Integer[0, 10] $level = #{number % 10},
        Array[String[1]] $names = ['a', 'b', 'c', 'd'],
        Hash[String, Variant[String, Integer]] $options = { 'one' => 1, 'two' => 'zwei' },
      ) {
        $path = '/etc/farm/part#{number}'
        file { "${path}.conf": content => epp('farm/part#{number}.epp', { 'system' => $facts['os']['family'], 'names' => $names, 'options' => $options }) }
        $names.each |Integer $index, String $name| {
          $text = if $level > $index { "${name} is on" } else { "${name} is off" }
          file { "${path}.${name}": content => epp('farm/part#{number}.epp', { 'system' => $text, 'names' => [$name], 'options' => {} }), mode => '0644' }
        }
      }
    PUPPET
    write("#{directory}/modules/farm/templates/part#{number}.epp", <<~EPP)
      <%- | String $system, Array[String] $names, Hash $options | -%>
      # part #{number}
      system = <%= $system %>
      #{(1..30).map { |line| "option#{line} = <%= #{line} * #{number} %> <% if $names.size > #{line % 5} { -%>more<% } else { %>less<% } %>" }.join("\n")}
      <% $names.each |$name| { -%>
      name = <%= $name %>
      <% } -%>
      <% $options.each |$key, $value| { -%>
      <%= $key %> = <%= $value %>
      <% } -%>
    EPP
  end
end
