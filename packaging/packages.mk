# What is installed and what is packed: included by the Makefile.

DESTDIR      ?=
bindir       ?= $(PREFIX)/bin
libdir       ?= $(PREFIX)/lib
includedir   ?= $(PREFIX)/include
datadir      ?= $(PREFIX)/share
mandir       ?= $(datadir)/man
docdir       ?= $(datadir)/doc/bunraku
pkgconfigdir ?= $(libdir)/pkgconfig
bashdir      ?= $(datadir)/bash-completion/completions
zshdir       ?= $(datadir)/zsh/site-functions
fishdir      ?= $(datadir)/fish/vendor_completions.d

.PHONY: build install-built uninstall same-bytes dist tarball deb gem gem-test gems gems-test wheel \
        wheel-test portable zig crates deny

empty    :=
space    := $(empty) $(empty)
comma    := ,
# What `install` installs is made here, once for each set of features.
MADE      = $(BUILT)/made-$(or $(subst $(space),-,$(strip $(subst $(comma), ,$(FEATURES)))),none)
PACKED   := target/packages
SOURCES  := $(shell find core ffi include Cargo.toml Cargo.lock -type f \
    ! -path '*/tests/*' ! -path '*[ :%]*' ! -name '*.pyc')
# What leaves this machine names none of its directories.
REMAPPED  = $(if $(filter dist,$(PROFILE)),sh packaging/remapped.sh)
PROGRAM_FEATURES = $(FEATURES) $(if $(filter dist,$(PROFILE)),mimalloc)
# Both are named in both calls, so that cargo gives the crates below the same features and builds them once.
# The allocator is chosen above them (core/global-allocator): the command has mimalloc, the C library that
# of its process.
BUILD_BOTH = $(REMAPPED) $(CARGO) build --profile $(PROFILE) -p bunraku-ffi -p bunraku-command
EPOCH     = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null || stat -c %Y Cargo.lock))
TAR       = tar --sort=name --mtime=@$(EPOCH) --owner=0 --group=0 --numeric-owner
RUBY_MINOR = $(shell $(RUBY) -e 'print RUBY_VERSION[/\A\d+\.\d+/]')

build: PROFILE := dist
build: ## build what `install` installs
	@$(MAKE) --no-print-directory $(MADE)/built PROFILE=$(PROFILE)

# The names of the targets are those of one profile, so another make has them.
install: ## install what `build` has built below PREFIX (DESTDIR, libdir …), or build it (FEATURES: fewer)
	@$(MAKE) --no-print-directory install-built PROFILE=$(PROFILE)

$(MADE)/built: $(SOURCES) packaging/remapped.sh packaging/licences.rb ffi/hide.sh ffi/bunraku.map
	$(BUILD_BOTH) --lib $(WITH)
	@rm -rf $(MADE) && mkdir -p $(MADE) && cp $(BUILT)/libbunraku.a $(MADE)/all.a
	$(BUILD_BOTH) --bin bunraku --no-default-features --features '$(PROGRAM_FEATURES)'
	@cp $(BUILT)/bunraku $(MADE)/bunraku
	@sh ffi/hide.sh $(MADE)/all.a $(MADE)/libbunraku.a && rm $(MADE)/all.a
	@cc -shared -o $(MADE)/libbunraku.so $(LDFLAGS) -Wl,-soname,libbunraku.so.$(SOVERSION) \
	    -Wl,--version-script=ffi/bunraku.map -Wl,--gc-sections,-O1,--as-needed,--strip-debug,-z,relro,-z,now \
	    -Wl,--whole-archive $(MADE)/libbunraku.a -Wl,--no-whole-archive -lgcc_s -lm -lpthread -ldl
	@sh packaging/texts.sh $(MADE)/bunraku $(MADE)
	@CARGO='$(CARGO)' $(RUBY) packaging/licences.rb bunraku-ffi bunraku-command \
	    >$(MADE)/THIRD-PARTY-LICENSES.txt
	@touch $@

install-built: $(MADE)/built
	@install -d $(addprefix $(DESTDIR),$(bindir) $(libdir) $(pkgconfigdir) $(includedir) $(mandir)/man1 \
	    $(bashdir) $(zshdir) $(fishdir) $(docdir)/examples)
	@install -m 755 $(MADE)/bunraku $(DESTDIR)$(bindir)/bunraku
	@install -m 644 include/bunraku.h include/bunraku.hpp $(DESTDIR)$(includedir)
	@install -m 644 $(MADE)/libbunraku.a $(DESTDIR)$(libdir)/libbunraku.a
	@install -m 644 $(MADE)/libbunraku.so $(DESTDIR)$(libdir)/libbunraku.so.$(VERSION)
	@ln -sf libbunraku.so.$(VERSION) $(DESTDIR)$(libdir)/libbunraku.so.$(SOVERSION)
	@ln -sf libbunraku.so.$(SOVERSION) $(DESTDIR)$(libdir)/libbunraku.so
	@sed -e 's#@PREFIX@#$(PREFIX)#' -e 's#@LIBDIR@#$(libdir)#' -e 's#@INCLUDEDIR@#$(includedir)#' \
	    -e 's#@VERSION@#$(VERSION)#' ffi/bunraku.pc.in >$(DESTDIR)$(pkgconfigdir)/bunraku.pc
	@install -m 644 $(MADE)/man/*.1 $(DESTDIR)$(mandir)/man1
	@install -m 644 $(MADE)/completions/bunraku.bash $(DESTDIR)$(bashdir)/bunraku
	@install -m 644 $(MADE)/completions/bunraku.zsh $(DESTDIR)$(zshdir)/_bunraku
	@install -m 644 $(MADE)/completions/bunraku.fish $(DESTDIR)$(fishdir)/bunraku.fish
	@install -m 644 LICENSE README.md CHANGELOG.md $(MADE)/THIRD-PARTY-LICENSES.txt $(DESTDIR)$(docdir)
	@install -m 644 ffi/examples/*.c $(DESTDIR)$(docdir)/examples
	@cp -R tests/example/environments $(DESTDIR)$(docdir)/examples/

uninstall: ## remove what `install` has installed, given the same directories
	rm -f $(addprefix $(DESTDIR),$(bindir)/bunraku $(includedir)/bunraku.h $(includedir)/bunraku.hpp \
	    $(libdir)/libbunraku.a $(libdir)/libbunraku.so $(libdir)/libbunraku.so.$(SOVERSION) \
	    $(libdir)/libbunraku.so.$(VERSION) $(pkgconfigdir)/bunraku.pc $(mandir)/man1/bunraku.1 \
	    $(bashdir)/bunraku $(zshdir)/_bunraku $(fishdir)/bunraku.fish)
	rm -f $(DESTDIR)$(mandir)/man1/bunraku-*.1
	rm -rf $(DESTDIR)$(docdir)

stage: ## build the library and install it below target/stage
	@$(MAKE) --no-print-directory install-built PREFIX=$(STAGE) DESTDIR= PROFILE=$(PROFILE)

install-test: ## use what `install` installs, look for paths of this machine in it, and uninstall it
	@sh packaging/tests/install.sh '$(MAKE)' '$(PROFILE)'

same-bytes: ## build what is installed in two directories, and compare
	@sh packaging/tests/same_bytes.sh '$(MAKE)'

# Sources with all crates, which build without a network.
SOURCE_NAME = bunraku-$(VERSION)
dist: ## pack the sources of the last commit, with all crates, into target/packages
	@rm -rf target/dist-sources && mkdir -p target/dist-sources $(PACKED)
	@git archive --prefix=$(SOURCE_NAME)/ HEAD | tar -x -C target/dist-sources
	@CARGO='$(CARGO)' $(RUBY) packaging/vendor.rb target/dist-sources/$(SOURCE_NAME)
	@set -o pipefail; $(TAR) -C target/dist-sources -c $(SOURCE_NAME) | xz -T0 -6 >$(PACKED)/$(SOURCE_NAME).tar.xz
	@cd $(PACKED) && sha256sum $(SOURCE_NAME).tar.xz >$(SOURCE_NAME).tar.xz.sha256 && ls -l $(SOURCE_NAME).tar.xz

deb: dist ## build Debian's packages from the tarball of `dist`, without network, and look at them with lintian
	@sh .ci/packages.sh debhelper devscripts lintian dh-python ruby ruby-dev libclang-dev
	@sh packaging/deb.sh $(PACKED)/$(SOURCE_NAME).tar.xz $(VERSION) $(PACKED)

# The command for any Linux: a static program with musl or, where rustc has no library for it, with glibc.
MACHINE   := $(shell uname -m)
MUSL       = $(wildcard $(shell rustc --print sysroot)/lib/rustlib/$(MACHINE)-unknown-linux-musl)
STATIC    ?= $(MACHINE)-unknown-linux-$(if $(MUSL),musl,gnu)
TARBALL    = bunraku-$(VERSION)-$(STATIC)
STATICALLY = $(if $(findstring musl,$(STATIC)),CC=musl-gcc,RUSTFLAGS='-C target-feature=+crt-static')
tarball: ## pack the command as one static program, with manual and completions, into target/packages
	@$(if $(findstring musl,$(STATIC)),sh .ci/packages.sh musl-tools)
	$(STATICALLY) sh packaging/remapped.sh $(CARGO) build --profile dist -p bunraku-command \
	    --no-default-features --features '$(FEATURES) mimalloc' --target $(STATIC)
	@rm -rf target/tarball && mkdir -p target/tarball/$(TARBALL) $(PACKED)
	@cp $(TARGET_DIR)/$(STATIC)/dist/bunraku LICENSE README.md CHANGELOG.md target/tarball/$(TARBALL)
	@sh packaging/texts.sh target/tarball/$(TARBALL)/bunraku target/tarball/$(TARBALL)
	@CARGO='$(CARGO)' $(RUBY) packaging/licences.rb bunraku-command \
	    >target/tarball/$(TARBALL)/THIRD-PARTY-LICENSES.txt
	@set -o pipefail; $(TAR) -C target/tarball -c $(TARBALL) | gzip -9n >$(PACKED)/$(TARBALL).tar.gz
	@cd $(PACKED) && sha256sum $(TARBALL).tar.gz >$(TARBALL).tar.gz.sha256 && ls -l $(TARBALL).tar.gz
	@sh packaging/tests/tarball.sh $(PACKED)/$(TARBALL).tar.gz

# Libraries for Linux with an old glibc: zig has them all. ZIG= takes the compiler and the glibc of this
# machine.
ZIG       ?= target/zig
GLIBC     ?= 2.17
HOST       = $(shell rustc -vV | sed -n 's/^host: //p')
PORTABLE   = $(TARGET_DIR)/$(if $(ZIG),$(HOST)/)dist
BUILD_PORTABLE = $(if $(ZIG),PATH="$(abspath $(ZIG))/bin:$$PATH") sh packaging/remapped.sh $(CARGO) \
    $(if $(ZIG),zigbuild --target $(HOST).$(GLIBC),build) --profile dist

zig:
	@[ -z '$(ZIG)' ] || [ -x $(ZIG)/bin/cargo-zigbuild ] || \
	    { /usr/bin/python3 -m venv target/zig && \
	    target/zig/bin/pip install -q ziglang==0.13.0.post1 cargo-zigbuild; }

portable: zig
	$(BUILD_PORTABLE) -p bunraku-ffi $(WITH)

wheel: portable ## pack the Python package with the library in it into target/packages, and try it
	@sh .ci/packages.sh python3-setuptools python3-wheel python3-venv
	@rm -rf target/wheel $(PACKED)/bunraku-$(VERSION)-*.whl && mkdir -p target/wheel $(PACKED)
	@cp -R ffi/python/bunraku ffi/python/README.md ffi/python/pyproject.toml packaging/setup.py LICENSE \
	    target/wheel
	@rm -rf target/wheel/bunraku/__pycache__
	@cp $(PORTABLE)/libbunraku.so target/wheel/bunraku/libbunraku.so
	@CARGO='$(CARGO)' $(RUBY) packaging/licences.rb bunraku-ffi >target/wheel/THIRD-PARTY-LICENSES.txt
	@cd target/wheel && SOURCE_DATE_EPOCH=$(EPOCH) /usr/bin/python3 setup.py -q bdist_wheel \
	    --plat-name "$$(sh $(CURDIR)/packaging/glibc.sh bunraku/libbunraku.so manylinux)" --dist-dir $(CURDIR)/$(PACKED)
	@ls -l $(PACKED)/*.whl
	@$(MAKE) --no-print-directory wheel-test

wheel-test: ## use the packed wheel in an empty environment of Python, without Rust
	@sh packaging/tests/wheel.sh $(PACKED)/bunraku-$(VERSION)-py3-none-*.whl

gem-build: ## build the gem's native part into ruby-ext/lib
	$(REMAPPED) $(CARGO) build --profile $(PROFILE) -p bunraku-ruby $(WITH)
	@mkdir -p ruby-ext/lib/bunraku
	@install -m 755 $(BUILT)/libbunraku_ruby.so ruby-ext/lib/bunraku/bunraku.so

gem: ## pack the gem with the sources of all crates, which builds without a network, into target/packages
	@CARGO='$(CARGO)' $(RUBY) packaging/gem.rb source

gem-test: gem ## install the packed gem into an empty home, without Rust and with it, and use it
	@sh packaging/tests/gem.sh $(PACKED)/bunraku-$(VERSION).gem $(RUBY)

# The extension needs the headers of this machine's Ruby, and so its glibc or a newer one.
gems: gem portable ## pack the gems: sources, and with the native part built for this Ruby and for JRuby
	sh packaging/remapped.sh $(CARGO) build --profile dist -p bunraku-ruby $(WITH)
	@CARGO='$(CARGO)' $(RUBY) packaging/gem.rb platform $(TARGET_DIR)/dist/libbunraku_ruby.so
	@CARGO='$(CARGO)' $(RUBY) packaging/gem.rb java $(PORTABLE)/libbunraku.so
	@$(MAKE) --no-print-directory gems-test

gems-test: ## use the packed gems in empty homes, without Rust
	@sh packaging/tests/gems.sh $(PACKED) $(VERSION) $(RUBY)

deny: ## licences, sources and advisories of all crates (cargo-deny)
	@$(CARGO) deny --version >/dev/null 2>&1 || $(CARGO) install --locked --quiet cargo-deny
	$(CARGO) deny --all-features check

crates: ## pack all crates as for crates.io, which is not asked
	@# cargo takes what it has unpacked and built of a version before for the same.
	@rm -rf $(TARGET_DIR)/crates "$${CARGO_HOME:-$$HOME/.cargo}"/registry/src/*/bunraku-*
	$(CARGO) publish --workspace --dry-run --allow-dirty --target-dir $(TARGET_DIR)/crates
