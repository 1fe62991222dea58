# bunraku: `make run` shows it at work, `make test` tests it, `make help` lists the rest.

SHELL       := /bin/bash
CARGO       ?= cargo
PREFIX      ?= /usr/local
OUT         := target/run
STAGE       := $(CURDIR)/target/stage
TARGET_DIR  := $(or $(CARGO_TARGET_DIR),target)
# How the library, the gem and the benches are built: `dist` takes twice as long as `release` and gives a faster library.
PROFILE     ?= release
BUILT        = $(TARGET_DIR)/$(PROFILE)
# What the library and the gem are built with: a list such as `ruby,eyaml`, empty for the language alone. core/src/lib.rs says what
# each feature is.
FEATURES    ?= full
WITH         = --no-default-features --features '$(FEATURES)'
VERSION     := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
SOVERSION   := $(basename $(VERSION))
EXAMPLE     := tests/example/environments
RUBY        ?= ruby
PACKAGES    := gcc pkg-config ruby ruby-dev libclang-dev valgrind
TEST_PACKAGES := g++ abigail-tools ruby-rspec ruby-ffi python3-pytest
REAL_PACKAGES := puppet-agent $(shell cut -f1 tests/data/corpus/packages.tsv)

.PHONY: help check-faults differential bench-growth bench-real bench-instructions hostile real-table real-public format-public yaml-public public-orders real-cloud \
        definitions-compare documentation-compare modules-compare tasks-compare types-compare real-classes \
        ruby-functions ruby-leak ruby-stress ruby-threads bench-ruby fuzz fuzz-coverage bench-syntax bench-classifier run \
        test test-rust test-c transcripts-public test-docs docs soak-c test-go test-python test-ruby test-real puppetdb-test corpus scores bench \
        bench-catalogs bench-processes bench-foreign bench-pcore bench-drop-in bench-tools drop-in-suites \
        drop-in-vectors drop-in-tools ffi-test server-test bench-server header ruby-nodes install install-test stage gem-build deps abi api \
        test-deps lint spelling features clean

ifdef OPENVOX
bench-growth bench-processes bench-real bench-tools: export OPENVOX_LIB := $(OPENVOX)/lib
endif

install bench bench-catalogs bench-growth bench-real bench-instructions bench-classifier bench-processes bench-foreign bench-syntax bench-pcore bench-drop-in bench-tools: PROFILE := dist

help: ## this text
	@sed -n 's/^\([a-z-]*\):.*## /  make \1: /p' Makefile packaging/packages.mk

run: deps stage gem-build ## compile the example's catalogs through the gem, a C program and the command without Ruby
	@mkdir -p $(OUT)
	@cc -Wall -Wextra -O2 -o $(OUT)/compile ffi/examples/compile.c \
	    $$(PKG_CONFIG_PATH=$(STAGE)/lib/pkgconfig pkg-config --cflags --libs bunraku) -Wl,-rpath,$(STAGE)/lib
	@for facts in $(EXAMPLE)/production/spec/facts/*.json; do \
	    node=$$(basename $$facts .json); \
	    echo; echo "== $$node, through the gem"; \
	    $(RUBY) -Iruby-ext/lib ruby-ext/exe/bunraku compile --environmentpath $(EXAMPLE) --node $$node --facts $$facts \
	        --seed run --output $(OUT)/$$node.ruby.json || exit 1; \
	    echo "== $$node, through C"; \
	    $(OUT)/compile $(EXAMPLE) production $$node $$facts $(OUT)/$$node.c.json '{"seed": "run"}' || exit 1; \
	    cmp $(OUT)/$$node.ruby.json $(OUT)/$$node.c.json || exit 1; \
	    $(STAGE)/bin/bunraku compile --environmentpath $(EXAMPLE) --node $$node --facts $$facts \
	        --seed run --output $(OUT)/$$node.command.json > /dev/null || exit 1; \
	    cmp $(OUT)/$$node.ruby.json $(OUT)/$$node.command.json || exit 1; \
	done
	@echo; echo "Catalogs written to $(OUT)/*.json; the gem, the C program and the command without Ruby wrote the same."

test: deps test-deps test-rust test-c test-python test-ruby test-docs ## run all tests
	@$(MAKE) --no-print-directory fuzz-syntax FUZZ_TIME=3

test-rust: ## Rust tests: the core, goldens, environments, corpus
	$(CARGO) test --release
	@[ -d /usr/share/puppet/modules/stdlib ] || echo "Debian's puppet-module-* packages are not installed: the environment" \
	    "'real' and most of the corpus were not asked. 'make test-real' installs them."

test-c: stage ## C and C++ tests under valgrind
	@mkdir -p $(OUT)
	@for source in ffi/tests/*.c; do \
	    name=$$(basename $$source .c); \
	    cc -Wall -Wextra -Werror -g -pthread -o $(OUT)/test_$$name $$source \
	        $$(PKG_CONFIG_PATH=$(STAGE)/lib/pkgconfig pkg-config --cflags --libs bunraku) -Wl,-rpath,$(STAGE)/lib || exit 1; \
	    valgrind --quiet --suppressions=ffi/tests/valgrind.supp --fair-sched=try --leak-check=full --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect --error-exitcode=99 --main-stacksize=8388608 \
	        $(OUT)/test_$$name tests/example/environments || exit 1; \
	done
	@c++ -std=c++17 -Wall -Wextra -Werror -pedantic -g -o $(OUT)/test_objects ffi/tests/objects.cpp \
	    $$(PKG_CONFIG_PATH=$(STAGE)/lib/pkgconfig pkg-config --cflags --libs bunraku) -Wl,-rpath,$(STAGE)/lib
	@valgrind --quiet --suppressions=ffi/tests/valgrind.supp --leak-check=full --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect --error-exitcode=99 \
	    $(OUT)/test_objects tests/example/environments
	@cc -Wall -Wextra -Werror -g -Iinclude -o $(OUT)/loading ffi/tests/loaded/loading.c -lpthread -ldl
	@$(OUT)/loading $(STAGE)/lib/libbunraku.so
	@nm -D --defined-only $(STAGE)/lib/libbunraku.so | sed -n 's/.* T //p' | sort >$(OUT)/symbols
	@sed -n 's/^[^{]*\(bunraku_[a-z_0-9]*\)(.*/\1@@BUNRAKU_0.2/p' ffi/abi.txt | sort | diff $(OUT)/symbols -
	@sh ffi/abi.sh $(OUT)
	@! nm -g --defined-only $(STAGE)/lib/libbunraku.a | grep ' . ' | grep -v ' bunraku_'
	@cc -Wall -Wextra -Werror -g -Iinclude -o $(OUT)/names ffi/tests/static/names.c $(STAGE)/lib/libbunraku.a -lpthread -ldl -lm
	@rm -f $(OUT)/names.db && $(OUT)/names $(OUT)/names.db
	@cc -Wall -Wextra -Werror -g -o $(OUT)/document ffi/examples/document.c \
	    $$(PKG_CONFIG_PATH=$(STAGE)/lib/pkgconfig pkg-config --cflags --libs bunraku) -Wl,-rpath,$(STAGE)/lib
	@$(OUT)/document ffi/tests/document.pp | diff ffi/tests/document.txt - && echo "document: ok"
	@cc -Wall -Wextra -Werror -g -o $(OUT)/answer ffi/examples/answer.c \
	    $$(PKG_CONFIG_PATH=$(STAGE)/lib/pkgconfig pkg-config --cflags --libs bunraku) -Wl,-rpath,$(STAGE)/lib
	@! ldd $(OUT)/answer | grep -i ruby
	@for directory in tests/data/environments/*/; do \
	    [ ! -e $$directory/PACKAGES ] || dpkg-query -W $$(sed '/^#/d; s/ .*//' $$directory/PACKAGES) > /dev/null 2>&1 || continue; \
	    $(CARGO) run --release -q -p conform -- environments $$directory --through $(OUT)/answer | grep -v failed; \
	    [ $${PIPESTATUS[0]} = 0 ] || exit 1; \
	done

SOAK ?= 10000

soak-c: stage ## C programs of 10,000 (SOAK) compilations with callbacks in 8 threads: plain, with sanitizers, under valgrind's memcheck
	@mkdir -p $(OUT)
	@flags="$$(PKG_CONFIG_PATH=$(STAGE)/lib/pkgconfig pkg-config --cflags --libs bunraku) -Wl,-rpath,$(STAGE)/lib"; \
	cc -Wall -Wextra -Werror -g -O1 -pthread -o $(OUT)/soak ffi/tests/soak/soak.c $$flags && \
	cc -Wall -Wextra -Werror -g -O1 -pthread -fsanitize=address,undefined -o $(OUT)/soak_sanitized ffi/tests/soak/soak.c $$flags
	$(OUT)/soak $(SOAK)
	$(OUT)/soak_sanitized $(SOAK)
	valgrind --quiet --suppressions=ffi/tests/valgrind.supp --fair-sched=try --leak-check=full --show-leak-kinds=definite,indirect \
	    --errors-for-leak-kinds=definite,indirect --error-exitcode=99 $(OUT)/soak $(SOAK)

test-go: stage ## the example in Go: goroutines that compile, with functions in Go
	@sh .ci/packages.sh golang-go
	@mkdir -p $(OUT)
	cd ffi/examples/go && test -z "$$(gofmt -l .)" && export PKG_CONFIG_PATH=$(STAGE)/lib/pkgconfig && \
	    go vet . && CGO_LDFLAGS=-Wl,-rpath,$(STAGE)/lib go build -buildvcs=false -o $(CURDIR)/$(OUT)/compile_go .
	$(OUT)/compile_go ffi/examples/go/environments one.example.net two.example.net | sed 's#$(CURDIR)/##' >$(OUT)/compile_go.txt
	@diff ffi/examples/go/expected.txt $(OUT)/compile_go.txt && echo "go: ok"

test-python: stage ## the Python package on the C library
	BUNRAKU_LIBRARY=$(STAGE)/lib/libbunraku.so PYTHONPATH=ffi/python /usr/bin/python3 -B -m pytest -q -p no:cacheprovider ffi/python/tests

test-ruby: stage gem-build ## Ruby specs; those of the command also put to the program that needs no Ruby
	@sh .ci/packages.sh ruby-ffi
	@sh .ci/packages.sh puppet-agent || echo "The mode :puppet is not asked."
	@sh .ci/packages.sh puppet-lint || echo "puppet-lint is not asked."
	cd ruby-ext && BUNRAKU_MODES=ruby,native,c$$([ ! -e /usr/lib/ruby/vendor_ruby/puppet.rb ] || echo ,puppet) $(RUBY) -S rspec
	cd ruby-ext && BUNRAKU_COMMAND=$(STAGE)/bin/bunraku $(RUBY) -S rspec --tag command

transcripts-public: stage ## the first ten minutes in public control repositories, of which the directory MIRROR has clones (BLESS=1 writes the output anew)
	@[ -d "$(MIRROR)" ] || { echo "make transcripts-public MIRROR=DIRECTORY"; exit 1; }
	$(RUBY) -W0 tests/real/public/run.rb --mirror $(MIRROR) --out $(or $(OUT_PUBLIC),target/public) --modes ""
	cd ruby-ext && PUBLIC=$(abspath $(or $(OUT_PUBLIC),target/public)) BUNRAKU_COMMAND=$(STAGE)/bin/bunraku \
	    $(RUBY) -S rspec --tag command spec/transcript_spec.rb

test-docs: stage gem-build ## the blocks of README.md and docs/: commands, Ruby, C, Python (BLESS=1 writes their output anew)
	$(RUBY) -S rspec --require ./tests/docs/pages.rb tests/docs/pages_spec.rb

DOCS        := target/docs/book

docs: ## build the site in target/docs/book: guide, command, and the references of Rust, C and Ruby
	@sh .ci/packages.sh yard
	@command -v mdbook > /dev/null || $(CARGO) install --locked mdbook --no-default-features --features search
	mdbook build docs
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --quiet --no-deps -p bunraku --features full
	@mkdir -p $(DOCS)/api/rust $(DOCS)/api/c
	@cp -r target/doc/. $(DOCS)/api/rust
	@cp include/bunraku.h include/bunraku.hpp $(DOCS)/api/c
	yard doc --quiet --no-save --no-cache --output-dir $(DOCS)/api/ruby --readme README.md 'ruby-ext/lib/**/*.rb'
	$(RUBY) tests/docs/links.rb $(DOCS)

ffi-test: stage ## the Ruby binding on the C library: specs on Ruby, examples on Debian's jruby, which it installs
	@sh .ci/packages.sh jruby ruby-ffi ruby-rspec
	cd ruby-ext && BUNRAKU_LIBRARY=$(STAGE)/lib/libbunraku.so $(RUBY) -S rspec spec/ffi_spec.rb
	BUNRAKU_LIBRARY=$(STAGE)/lib/libbunraku.so jruby -Iruby-ext/lib tests/ffi/jruby.rb

test-real: deps test-deps ## install Debian's Puppet modules and run everything, what needs them included
	@sh .ci/packages.sh $(REAL_PACKAGES)
	$(MAKE) test
	$(MAKE) real-table

real-table: gem-build ## print which cases of Debian's modules compile as in the reference, with Ruby and without
	ruby tests/real/table.rb

drop-in-suites: gem-build ## rspec suites of the Puppet or OpenVox source tree TREE without and with bunraku/puppet
	@[ -d "$(TREE)/spec" ] || { echo "make drop-in-suites TREE=DIRECTORY"; exit 1; }
	@sh .ci/packages.sh puppet-agent ruby-rspec ruby-rspec-its ruby-webmock ruby-vcr ruby-json-schema
	$(RUBY) tests/drop_in/suites.rb $(TREE) $(PARTS)

drop-in-vectors: gem-build ## the recorded questions, put to the Puppet that is installed (or to that of the source tree TREE) without and with bunraku/puppet
	@sh .ci/packages.sh puppet-agent
	$(RUBY) -W0 $(if $(TREE),-I $(TREE)/lib) -Iruby-ext/lib tests/drop_in/vectors.rb --every $(or $(EVERY),10)

drop-in-tools: gem-build ## Debian's tools (puppet, puppet-strings, octocatalog-diff, rspec-puppet on SOURCES) without and with bunraku/puppet
	@sh .ci/packages.sh puppet-agent puppet-strings octocatalog-diff ruby-rspec-puppet ruby-rspec-puppet-facts ruby-puppetlabs-spec-helper \
	    puppet-module-puppetlabs-stdlib puppet-module-puppetlabs-apache puppet-module-puppetlabs-concat
	$(RUBY) tests/drop_in/tools.rb $(if $(TREE),--puppet $(TREE)) $(if $(STRINGS),--strings $(STRINGS)) $(SOURCES)

server-test: deps stage ## agents against Debian's puppetserver with PuppetDB, which it installs, plain and with the gem of platform java
	@sh .ci/packages.sh puppetserver puppetdb puppet-terminus-puppetdb postgresql puppet-agent jruby \
	    puppet-module-puppetlabs-stdlib puppet-module-puppetlabs-apache puppet-module-puppetlabs-concat puppet-module-puppetlabs-ntp
	$(RUBY) packaging/gem.rb java $(STAGE)/lib/libbunraku.so
	$(RUBY) tests/server/run.rb target/packages/bunraku-*-java.gem

bench-server: deps stage ## catalogs a second of Debian's puppetserver for simulated nodes, plain and with the gem of platform java (NODES, SECONDS, INSTANCES, DEPLOY: see tests/server/bench.rb)
	@sh .ci/packages.sh puppetserver jruby puppet-module-puppetlabs-stdlib puppet-module-puppetlabs-apache puppet-module-puppetlabs-concat \
	    puppet-module-puppetlabs-ntp
	$(RUBY) packaging/gem.rb java $(STAGE)/lib/libbunraku.so
	$(RUBY) tests/server/bench.rb target/packages/bunraku-*-java.gem

real-cloud: gem-build ## compile an OpenStack cloud of Debian's modules, about 5,000 resources, and compare with the Puppet that is installed
	$(RUBY) tests/real/cloud.rb

real-classes: gem-build ## compile every class and defined type of Debian's modules, on Debian and on RedHat, and compare with the Puppet that is installed
	$(RUBY) -W0 tests/real/classes.rb --together
	$(RUBY) -W0 tests/real/classes.rb --facts rocky9-legacy --native

check-faults: ## plant faults into the golden environments, into MODULES and into ENVIRONMENTS, which use the modules of BESIDE (directories, with colons between), COUNT of each kind, and count those that `bunraku check` finds; with TOOLS=1 those that other tools find, too
	$(if $(TOOLS),rm -rf target/faults && mkdir -p target/faults)
	$(if $(TOOLS),SEEDED_DUMP='$(CURDIR)/target/faults') SEEDED_MODULES='$(MODULES)' SEEDED_ENVIRONMENTS='$(ENVIRONMENTS)' SEEDED_BESIDE='$(BESIDE)' SEEDED_COUNT='$(or $(COUNT),4)' $(CARGO) test --release -p conform --test checks -- --ignored --nocapture
	$(if $(TOOLS),$(RUBY) -W0 tests/real/fault_tools.rb target/faults)

real-public: gem-build ## compile the cases of public modules and control repositories, of which the directory MIRROR has clones, and compare with what the reference has answered (ASK=1 asks it, with OPENVOX_LIB; MODES=native,ruby,puppet,c compares these with each other, too)
	@[ -d "$(MIRROR)" ] || { echo "make real-public MIRROR=DIRECTORY"; exit 1; }
	$(RUBY) -W0 tests/real/public/run.rb --mirror $(MIRROR) --out $(or $(OUT_PUBLIC),target/public) $(if $(ASK),--ask) $(if $(MODES),--modes $(MODES)) $(if $(EVERY),--every $(EVERY))

yaml-public: ## the YAML files of the clones in the directory MIRROR, and the documents of yaml-test-suite, if it is one of them: each is read as by Psych
	@[ -d "$(MIRROR)" ] || { echo "make yaml-public MIRROR=DIRECTORY"; exit 1; }
	mkdir -p target/public
	$(RUBY) -W0 tests/data/yaml/ask.rb --clones $(MIRROR) | gzip > target/public/yaml.jsonl.gz
	YAML_ANSWERS=$(CURDIR)/target/public/yaml.jsonl.gz $(CARGO) test --release -p conform --test answers -- --ignored --nocapture yaml::public

format-public: ## the laws of the formatter over all manifests below the directory MIRROR (several: with colons between): the same tree, the same comments with the same nodes, formatted twice the same
	@[ -n "$(MIRROR)" ] || { echo "make format-public MIRROR=DIRECTORY"; exit 1; }
	MIRROR=$(MIRROR) $(CARGO) test --release -p conform --test answers -- --ignored --nocapture format::laws_hold_for_public_manifests

public-orders: gem-build ## classes, types and functions of public modules, of which the directory MIRROR has clones, in random orders and in pairs, with Ruby and without: each answers as alone
	@[ -d "$(MIRROR)" ] || { echo "make public-orders MIRROR=DIRECTORY"; exit 1; }
	$(RUBY) -W0 tests/real/public/run.rb --mirror $(MIRROR) --out $(or $(OUT_PUBLIC),target/public) --modes ""
	for mode in --native ""; do \
	    orders="$(RUBY) -W0 tests/ruby_functions/orders.rb $$mode --modules $(or $(OUT_PUBLIC),target/public)/modules/common,$(or $(OUT_PUBLIC),target/public)/modules/theforeman"; \
	    $$orders --pick 200 --orders 3 --environments 2 && $$orders --pairs --pick 20 --orders 1 || exit 1; \
	done

types-compare: gem-build ## `generate types` and `describe` of the types in Debian's modules beside the Puppet that is installed
	@sh .ci/packages.sh $(REAL_PACKAGES)
	$(RUBY) -W0 tests/resource_types/compare.rb

definitions-compare: gem-build ## made-up definitions of the Resource API beside the gem puppet-resource_api
	@sh .ci/packages.sh puppet-agent ruby-puppet-resource-api
	$(RUBY) -W0 tests/resource_types/definitions.rb

documentation-compare: gem-build ## documentation and warnings of Debian's modules and made-up ones beside puppet-strings (STRINGS: its source tree)
	@sh .ci/packages.sh $(REAL_PACKAGES) puppet-strings
	$(RUBY) -W0 tests/documentation/compare.rb

modules-compare: gem-build ## checks of Debian's modules and damaged ones beside `puppet module list` and metadata-json-lint
	@sh .ci/packages.sh $(REAL_PACKAGES) metadata-json-lint
	$(RUBY) -W0 tests/modules/compare.rb

tasks-compare: gem-build ## tasks of Debian's modules and generated ones beside the Puppet that is installed
	@sh .ci/packages.sh $(REAL_PACKAGES)
	$(RUBY) -W0 tests/tasks/compare.rb

ruby-functions: gem-build ## load and call the Ruby functions of Debian's modules, beside the Puppet that is installed
	@sh .ci/packages.sh $(REAL_PACKAGES) ruby-redis
	$(RUBY) tests/ruby_functions/load.rb
	$(RUBY) tests/ruby_functions/drivers.rb
	$(RUBY) tests/ruby_functions/drivers.rb --puppet
	$(RUBY) tests/ruby_functions/compare.rb --each 1

ruby-leak: gem-build ## 10,000 compilations with Ruby functions: memory must not grow
	$(RUBY) tests/ruby_functions/leak.rb

ruby-stress: gem-build ## the specs of Ruby functions, templates and backends while garbage is collected and moved all the time
	cd ruby-ext && BUNRAKU_GC=stress $(RUBY) -S rspec spec/host_spec.rb spec/module_functions_spec.rb spec/module_ruby_spec.rb
	cd ruby-ext && BUNRAKU_GC=compact $(RUBY) -S rspec spec/host_spec.rb spec/module_functions_spec.rb spec/module_ruby_spec.rb

ruby-threads: gem-build ## 1,000 processes in which 8 threads begin to compile at the same time: none hangs
	$(RUBY) --disable=gems tests/ruby_functions/threads.rb

bench-ruby: gem-build ## what calls of Ruby functions cost, and driver manifests beside the Puppet that is installed
	$(RUBY) benches/ruby_functions.rb

puppetdb-test: deps gem-build ## submit catalogs to Debian's PuppetDB, which it installs, and read them back
	@sh .ci/packages.sh puppetdb postgresql
	$(RUBY) -Iruby-ext/lib tests/puppetdb/run.rb

corpus: ## install the corpus' packages and parse every file of it
	@sh .ci/packages.sh $(REAL_PACKAGES)
	$(CARGO) test --release -p conform --test goldens corpus -- --nocapture
	BUNRAKU_EVERY_PLACE=1 $(CARGO) test --release -p conform --test goldens recovery -- --nocapture

# Coverage as libFuzzer wants it, which needs no nightly toolchain without sanitizers.
FUZZ_TIME   ?= 60
FUZZ_HOST   = $(shell rustc -vV | sed -n 's/^host: //p')
FUZZ_FLAGS  := -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares

# What fuzzes one target: its program, its name, its seeds.
define FUZZ
	@mkdir -p target/fuzz/corpus/$(2) target/fuzz/found target/fuzz/seeds/$(3)
	@echo "fuzzing $(2) for $(FUZZ_TIME) s"
	@TARGET=$(2) target/fuzz/$(FUZZ_HOST)/release/$(1) target/fuzz/corpus/$(2) target/fuzz/seeds/$(3) \
	    -max_total_time=$(FUZZ_TIME) -max_len=8192 -timeout=10 -rss_limit_mb=4096 -artifact_prefix=target/fuzz/found/$(2)- \
	    > target/fuzz/$(2).log 2>&1 || { tail -40 target/fuzz/$(2).log; exit 1; }
	@tail -1 target/fuzz/$(2).log

endef

fuzz: fuzz-syntax fuzz-library ## fuzz each target (tests/fuzz) for FUZZ_TIME seconds; what is found is kept below target/fuzz

# The targets, each with the directory of its seeds.
FUZZ_SYNTAX  := lexer:pp parser:pp epp:epp pn:pn binary:binary
FUZZ_LIBRARY := $(foreach name,yaml json data hiera patterns types streams documents ruby classifier modules,$(name):$(name)) \
    evaluator:pp formatter:pp
FUZZ_BUILD    = RUSTFLAGS="$(FUZZ_FLAGS)" $(CARGO) build --release --manifest-path tests/fuzz/Cargo.toml \
    --target $(FUZZ_HOST) --target-dir target/fuzz
name_of       = $(word 1,$(subst :, ,$(1)))
seeds_of      = $(word 2,$(subst :, ,$(1)))

fuzz-syntax: fuzz-seeds ## the targets of the syntax
	$(FUZZ_BUILD)
	$(foreach pair,$(FUZZ_SYNTAX),$(call FUZZ,$(call name_of,$(pair)),$(call name_of,$(pair)),$(call seeds_of,$(pair))))

fuzz-library: fuzz-seeds ## the targets of data, patterns, templates, documents, requests and environments
	$(FUZZ_BUILD) --features library
	$(foreach pair,$(FUZZ_LIBRARY),$(call FUZZ,library,$(call name_of,$(pair)),$(call seeds_of,$(pair))))

fuzz-coverage: fuzz-seeds ## how much of each room the seeds reach, and what has been fuzzed here
	$(FUZZ_BUILD) --features library
	@target/fuzz/$(FUZZ_HOST)/release/coverage $(foreach pair,$(FUZZ_SYNTAX) $(FUZZ_LIBRARY), \
	    $(foreach of,seeds/$(call seeds_of,$(pair)) corpus/$(call name_of,$(pair)),$(call name_of,$(pair)) target/fuzz/$(of)))

fuzz-seeds: test-deps
	@sh .ci/packages.sh g++
	$(CARGO) run --release -q -p conform -- seeds target/fuzz/seeds

# The reference: an OpenVox tree, or the Puppet that is installed where it is empty.
OPENVOX     ?=
differential: ## put generated questions (COUNT, SEED, KINDS) to bunraku and to the reference (OPENVOX), and compare
	@[ -n "$(OPENVOX)" ] || sh .ci/packages.sh puppet-agent
	@sh .ci/packages.sh ruby-msgpack
	$(CARGO) build --release -q -p conform
	$(RUBY) tests/differential/run.rb $(if $(OPENVOX),--openvox $(OPENVOX)) --prove
	$(RUBY) tests/differential/run.rb $(if $(OPENVOX),--openvox $(OPENVOX)) --seed $(or $(SEED),1) \
	    --count $(or $(COUNT),100000) $(if $(KINDS),--kinds $(KINDS)) $(if $(SECONDS),--seconds $(SECONDS))

hostile: ## run the hostile programs: each must end soon, without a panic, within bounded memory
	$(CARGO) test --release -q -p conform --test hostile programs:: -- --ignored --nocapture
	$(CARGO) test --release -q -p conform --test hostile memory:: -- --ignored --nocapture
	$(CARGO) test --release -q -p conform --test hostile functions:: -- --ignored --nocapture
	$(CARGO) test --release -q -p conform --test hostile edges:: -- --ignored --nocapture

scores: ## write tests/SCORES.md
	$(CARGO) run --release -q -p conform -- scores > tests/SCORES.md.new && mv tests/SCORES.md.new tests/SCORES.md

bench: ## benches beside the reference (needs Debian's puppet-agent)
	@sh .ci/packages.sh puppet-agent puppet-terminus-puppetdb
	$(CARGO) run --profile $(PROFILE) -p bunraku-benches
	$(CARGO) run --profile $(PROFILE) -p bunraku-benches --bin wire

bench-catalogs: bench-processes ## catalogs beside the reference: whole processes, memory, two threads, warm compilations (CASES=--all: of all golden cases)
	$(CARGO) run --profile $(PROFILE) -q -p bunraku-benches --bin catalogs -- $(CASES)

bench-growth: ## how time grows with size: 85 shapes at n, 2n, 4n, 8n beside the reference (OPENVOX=DIR: its source tree, Debian's Puppet otherwise; NAMES: parts of the shapes' names)
	$(CARGO) run --profile $(PROFILE) -q -p bunraku-benches --bin growth -- $(NAMES)

bench-real: gem-build ## warm compilations of public modules and control repositories, of which the directory MIRROR has clones, beside the reference (OPENVOX=DIR: its source tree, Debian's Puppet otherwise; TAKE: how many cases of each)
	@[ -d "$(MIRROR)" ] || { echo "make bench-real MIRROR=DIRECTORY"; exit 1; }
	$(CARGO) build --profile $(PROFILE) -q -p bunraku-benches --bin real
	$(RUBY) -W0 tests/real/public/run.rb --mirror $(MIRROR) --out $(or $(OUT_PUBLIC),target/public) --bench $(BUILT)/real --take $(or $(TAKE),6)

bench-instructions: ## instructions of warm compilations, by resource (needs valgrind; benches/HISTORY.md keeps them)
	$(CARGO) run --profile $(PROFILE) -q -p bunraku-benches --bin instructions -- $(NAMES)

bench-classifier: ## benches of the node classifier: 5,000 groups, 10,000 pinned nodes
	$(CARGO) run --profile $(PROFILE) -q -p bunraku-benches --bin classifier

bench-processes: stage gem-build ## whole processes: cold compilations beside the reference (OPENVOX=DIR: its source tree, Debian's Puppet otherwise), memory, four threads
	@sh .ci/packages.sh puppet-agent
	@mkdir -p $(OUT)
	@cc -O2 -o $(OUT)/compile ffi/examples/compile.c \
	    $$(PKG_CONFIG_PATH=$(STAGE)/lib/pkgconfig pkg-config --cflags --libs bunraku) -Wl,-rpath,$(STAGE)/lib
	$(CARGO) build --profile $(PROFILE) -q -p bunraku-benches --bins
	$(BUILT)/processes $(OUT)

bench-foreign: stage gem-build ## what calls of functions cost that a host brings: in Rust, C and Ruby
	$(CARGO) run --profile $(PROFILE) -q -p bunraku-benches --bin foreign
	@mkdir -p $(OUT)
	@cc -Wall -Wextra -O2 -o $(OUT)/foreign benches/foreign.c \
	    $$(PKG_CONFIG_PATH=$(STAGE)/lib/pkgconfig pkg-config --cflags --libs bunraku) -Wl,-rpath,$(STAGE)/lib
	@$(OUT)/foreign
	@$(RUBY) benches/foreign.rb

bench-syntax: ## benches of the parser alone, beside the crate tree-sitter-puppet
	$(CARGO) run --profile $(PROFILE) -q -p bunraku-benches --bin syntax

bench-pcore: gem-build ## types, values and serialization in Rust, through the gem and in the reference
	@sh .ci/packages.sh puppet-agent
	$(CARGO) run --profile $(PROFILE) -p bunraku-benches --bin pcore

bench-drop-in: gem-build ## what bunraku/puppet takes over, beside Puppet itself
	@sh .ci/packages.sh $(REAL_PACKAGES)
	$(RUBY) -W0 -Iruby-ext/lib benches/drop_in.rb

bench-tools: gem-build ## what tools do with manifests, beside the reference (OPENVOX=DIR: its source tree, Debian's Puppet otherwise; FILES=N)
	@sh .ci/packages.sh $(REAL_PACKAGES)
	$(RUBY) -W0 -Iruby-ext/lib benches/tools.rb

header: ## write include/bunraku.h anew
	BUNRAKU_WRITE_HEADER=1 $(CARGO) test --release -q -p bunraku-ffi --test header

abi: ## write ffi/abi.xml anew: the layouts that abidiff compares, when the interface grows, or with a new BUNRAKU_ABI_VERSION
	@mkdir -p $(OUT)
	@sh ffi/abi.sh $(OUT) --write

# rustdoc writes JSON for its own users only, so a stable one must be asked to.
api: ## write core/api.txt anew: the public interface of the crate (cargo-public-api)
	@$(CARGO) public-api --version >/dev/null 2>&1 || $(CARGO) install --locked --quiet cargo-public-api
	@RUSTC_BOOTSTRAP=1 $(CARGO) rustdoc --quiet -p bunraku --lib --all-features -- \
	    -Z unstable-options --output-format json
	@$(CARGO) public-api --rustdoc-json $(TARGET_DIR)/doc/bunraku.json -sss >core/api.txt

ruby-nodes: ## write ruby-ext/lib/bunraku/ffi/nodes.rb anew, which reads the binary form of programs
	BUNRAKU_WRITE_RUBY_NODES=1 $(CARGO) test --release -q -p bunraku-ffi --test ruby_nodes

include packaging/packages.mk

deps: ## check for the Debian packages that building needs; install them when root
	@sh .ci/packages.sh $(PACKAGES)

test-deps:
	@sh .ci/packages.sh $(TEST_PACKAGES)

lint: features spelling ## rustfmt, clippy (with combinations of features), rustdoc and spelling
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --quiet --release --workspace --no-deps

spelling: ## typos-cli, which cargo installs, over all texts
	@export PATH="$$PATH:$${CARGO_HOME:-$$HOME/.cargo}/bin"; \
	command -v typos > /dev/null || $(CARGO) install --quiet --locked typos-cli || \
	    { echo "typos-cli cannot be installed: spelling is not checked"; exit 0; }; \
	typos

features: ## clippy with the combinations of features that code tells apart
	@CARGO='$(CARGO)' sh .ci/features.sh --release

clean: ## remove what was built
	$(CARGO) clean
	rm -f ruby-ext/lib/bunraku/bunraku.so
