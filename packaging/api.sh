#!/bin/sh
# Prints the public interface of the crate `bunraku`, a line for each name, by cargo-public-api, which reads what
# rustdoc of a nightly toolchain writes. What a derive writes is left out.
set -eu
cargo +nightly public-api -p bunraku --features full --omit blanket-impls,auto-trait-impls,auto-derived-impls \
    --target-dir target/api
