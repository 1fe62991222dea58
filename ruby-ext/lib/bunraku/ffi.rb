# frozen_string_literal: true

# Bunraku on its C library and the gem ffi, written in Ruby only: for JRuby (and with it Puppet Server), which
# cannot load extensions, and for systems without a compiler. It has the classes and methods of the extension,
# as far as the C library supports them:
#
# * {Bunraku.parse}, {Bunraku.validate}, {Bunraku::Program} and its nodes: all of it. A program is transferred
#   once, in its binary form, and becomes nodes in Ruby;
# * {Bunraku::Type}: `parse`, `infer`, `common`, `instance?`, `assignable?`, `new`, `mismatch`, `to_s`,
#   `name`, `kind` and the others; {Bunraku::Value};
# * {Bunraku::Environment}: `compile`, `lookup`, `explain`, `check`, `index`, tasks. Ruby functions and
#   templates of modules run on the built-in Ruby of the library;
# * {Bunraku::DropIn}: all parts. Compilers of several interpreters in a process share their environments;
# * {Bunraku::Catalog}: all of it. Values without a class in Ruby are {Bunraku::Value};
# * {Bunraku::CommandLine}: it runs the program `bunraku`, which is installed with the C library.
#
# On JRuby `require 'bunraku'` loads this automatically. The library is searched for at the path in
# `BUNRAKU_LIBRARY`, beside this file, and in the system's library directories.
require_relative 'ffi/natives'

require_relative 'syntax'
require_relative 'type'
require_relative 'host'
require_relative 'environment'
require_relative 'check'
require_relative 'catalog'
require_relative 'diff'
