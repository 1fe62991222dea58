#!/bin/sh
# Runs a command (cargo) so that what it builds names no directory of this machine: two directories give the
# same bytes.
#
# Usage: remapped.sh COMMAND [ARGUMENT...], in the root of the source tree
#
# rustc and the compilers of C replace the beginnings of paths. Crates have one name whether they come from
# the registry or from vendor/. Of prefixes that overlap, rustc takes the last one, so the general ones come
# first.
set -eu
here=$(pwd -P)
target=${CARGO_TARGET_DIR:-target}
case $target in /*) ;; *) target=$here/$target ;; esac
map="$here=/usr/src/bunraku
$target=/usr/src/bunraku/target
$here/vendor=/usr/src/crates
$(${RUSTC:-rustc} --print sysroot)/lib/rustlib/src/rust=/usr/src/rust"
for directory in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do
    map="$map
$directory=/usr/src/crates"
done
unit=$(printf '\037')
rust=${CARGO_ENCODED_RUSTFLAGS:-$(printf '%s' "${RUSTFLAGS:-}" | sed 's/^ *//; s/ *$//' | tr -s ' ' '\037')}
c=${CFLAGS:-}
IFS='
'
for pair in $map; do
    rust="$rust${rust:+$unit}--remap-path-prefix=$pair"
    c="$c -ffile-prefix-map=$pair"
done
unset IFS
# The time that C's __DATE__ and __TIME__ are (mimalloc has them): that of the sources.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y Cargo.lock)}
export SOURCE_DATE_EPOCH
CARGO_ENCODED_RUSTFLAGS=$rust CFLAGS=$c exec "$@"
