# frozen_string_literal: true

# Makes puppet-lint faster: its tokens and the places of resources, classes and others come from the native
# library, for its own checks and for plug-ins, which stay as they are.
#
# `require 'bunraku/puppet-lint'`, or `RUBYOPT=-rbunraku/puppet-lint` for a run that cannot be changed. See
# {Bunraku::DropIn::Lint}.
require_relative 'drop_in/lint'

Bunraku::DropIn::Lint.enable
