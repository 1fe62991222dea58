# frozen_string_literal: true

# Builds the native part: with the Makefile of the gem rb_sys if it is installed, otherwise by calling cargo
# directly. `BUNRAKU_FEATURES=ruby,eyaml gem install bunraku` builds only these features; an empty value
# builds none.
require 'mkmf'

features = ENV['BUNRAKU_FEATURES']
options = features ? ['--no-default-features', "--features=#{features}"] : []

begin
  require 'rb_sys/mkmf'
  create_rust_makefile('bunraku/bunraku') { |builder| builder.extra_cargo_args += options }
rescue LoadError
  abort 'bunraku needs Rust to build: cargo was not found' unless find_executable('cargo')
  extension = RbConfig::CONFIG['DLEXT']
  library = RbConfig::CONFIG['host_os'].match?(/darwin/) ? 'libbunraku_ruby.dylib' : 'libbunraku_ruby.so'
  File.write('Makefile', <<~MAKEFILE)
    SOURCE := #{__dir__}
    TARGET := $(CURDIR)/target
    sitearchdir ?= #{RbConfig::CONFIG['sitearchdir']}

    all: bunraku.#{extension}

    bunraku.#{extension}:
    \tcargo build --profile dist #{options.join(' ')} --manifest-path $(SOURCE)/Cargo.toml --target-dir $(TARGET)
    \tcp $(TARGET)/dist/#{library} $@

    install: all
    \tmkdir -p $(DESTDIR)$(sitearchdir)/bunraku
    \tcp bunraku.#{extension} $(DESTDIR)$(sitearchdir)/bunraku/

    clean:
    \trm -rf $(TARGET) bunraku.#{extension}

    .PHONY: all install clean bunraku.#{extension}
  MAKEFILE
end
