# frozen_string_literal: true

# Bunraku through its C library and the gem ffi, in Ruby alone: for JRuby (and with it Puppet Server), where
# no extension can be loaded, and for whoever has no compiler. The same classes and methods as with the
# extension, as far as the C library has them:
#
# * {Bunraku.parse}, {Bunraku.validate}, {Bunraku::Program} and its nodes: all of it. A program comes over in
#   one piece, its binary form, and becomes nodes in Ruby;
# * {Bunraku::Type}: `parse`, `infer`, `common`, `instance?`, `assignable?`, `new`, `mismatch`, `to_s`,
#   `name`, `kind` and the others; {Bunraku::Value};
# * {Bunraku::Environment}: `compile`, `lookup`, `explain`, tasks. Functions and templates of modules in Ruby
#   run on the Ruby that is built into the library; an own {Bunraku::Host} needs the extension;
# * {Bunraku::Catalog}: all of it. Values that Ruby has no class for are {Bunraku::Value};
# * {Bunraku::CommandLine}: it runs the program `bunraku` that is installed with the C library.
#
# On JRuby `require 'bunraku'` loads this by itself. The library is looked for where `BUNRAKU_LIBRARY` says,
# beside this file, and where the system has its libraries.
require_relative 'ffi/natives'

require_relative 'syntax'
require_relative 'type'
require_relative 'host'
require_relative 'environment'
require_relative 'catalog'
require_relative 'diff'
