# frozen_string_literal: true

# Makes Puppet faster: the native library replaces slow parts in Ruby from here on.
#
# `require 'bunraku/puppet'`, or `RUBYOPT=-rbunraku/puppet` for a tool that cannot be changed. See
# {Bunraku::DropIn}.
require_relative 'drop_in'

Bunraku::DropIn.enable
Bunraku::DropIn::Report.tell_at_exit(ENV['BUNRAKU_PUPPET_REPORT']) unless ENV['BUNRAKU_PUPPET_REPORT'].to_s.empty?
