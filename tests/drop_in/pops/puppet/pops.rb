# frozen_string_literal: true

require 'bunraku/pops'
