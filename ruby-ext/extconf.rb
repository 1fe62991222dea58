# frozen_string_literal: true

# Builds the native part of the gem from the sources of all crates, which it brings along: no network is
# needed. `BUNRAKU_FEATURES=ruby,eyaml gem install bunraku` builds it with these features alone; with an
# empty one, with none.
require 'rbconfig'
require 'rubygems/version'

def version_of(program)
  IO.popen([program, '--version'], err: File::NULL, &:read)[/\d+\.\d+\.\d+/]
rescue SystemCallError
  nil
end

def refuse(why)
  abort <<~TEXT
    bunraku: #{why}
    Install Rust from https://rustup.rs or as a package of your system. Or take a gem with the native part
    built: RubyGems does so by itself where there is one for your Ruby and system.
  TEXT
end

wanted = File.read(File.join(__dir__, 'Cargo.toml'))[/^rust-version = "(.*)"/, 1]
refuse("building it needs Rust #{wanted} or later, and cargo is not on the PATH.") unless version_of('cargo')
found = version_of(ENV.fetch('RUSTC', 'rustc'))
refuse("building it needs Rust #{wanted} or later, and rustc is not on the PATH.") unless found
if Gem::Version.new(found) < Gem::Version.new(wanted)
  refuse("building it needs Rust #{wanted} or later; this is Rust #{found}.")
end
unless File.exist?(File.join(RbConfig::CONFIG['rubyhdrdir'], 'ruby.h'))
  abort 'bunraku: building it needs the headers of Ruby (Debian: ruby-dev, Fedora: ruby-devel).'
end

features = ENV['BUNRAKU_FEATURES']
options = features ? ['--no-default-features', "--features=#{features}"] : []
extension = RbConfig::CONFIG['DLEXT']
library = RbConfig::CONFIG['host_os'].include?('darwin') ? 'libbunraku_ruby.dylib' : 'libbunraku_ruby.so'
# The built library names no directory of this machine.
remapped = ["#{__dir__}=/usr/src/bunraku", "#{__dir__}/vendor=/usr/src/crates"]
remapped.map! { |pair| "--remap-path-prefix=#{pair}" }

# cargo looks for .cargo/config.toml, which names the crates' directory, from the working directory on. What
# it builds on the way is ten times the sources' size and goes once the library is there.
File.write('Makefile', <<~MAKEFILE)
  SOURCE := #{__dir__}
  BUILD := $(CURDIR)/build
  DLLIB := bunraku.#{extension}
  sitearchdir ?= #{RbConfig::CONFIG['sitearchdir']}
  export RUBY := #{RbConfig.ruby}
  export RUSTFLAGS := $(RUSTFLAGS) #{remapped.join(' ')}

  all: $(DLLIB)

  $(DLLIB):
  \tcd $(SOURCE) && cargo build --profile dist --locked --offline #{options.join(' ')} --target-dir $(BUILD)
  \tcp $(BUILD)/dist/#{library} $@
  \trm -rf $(BUILD)

  install: all
  \tmkdir -p $(DESTDIR)$(sitearchdir)/bunraku
  \tcp $(DLLIB) $(DESTDIR)$(sitearchdir)/bunraku/

  clean:
  \trm -rf $(BUILD) $(DLLIB)

  .PHONY: all install clean
MAKEFILE
