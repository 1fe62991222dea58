#!/bin/sh
# Writes an archive that shows nothing but what the header declares: a program may have a SQLite, a zstd or a
# Rust of its own, whose names would clash otherwise.
#
# Usage: hide.sh ARCHIVE RESULT
#
# The objects become one, in which all that is not called bunraku_* is local. Groups of sections (COMDAT) are
# dissolved, as a linker would take another program's group of the same name for ours; sections stay apart, so
# that --gc-sections drops what is not needed. What the compiler has left for optimisation at link time goes,
# as nobody else can read it.
set -eu
archive=$1
result=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${LD:-ld} -r --force-group-allocation --whole-archive "$archive" -o "$work/all.o"
${OBJCOPY:-objcopy} --wildcard --keep-global-symbol='bunraku_*' \
    --remove-section=.llvmbc --remove-section=.llvmcmd "$work/all.o" "$work/bunraku.o"
rm -f "$work/libbunraku.a"
${AR:-ar} rcs "$work/libbunraku.a" "$work/bunraku.o"
cp "$work/libbunraku.a" "$result"
