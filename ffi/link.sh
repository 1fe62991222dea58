#!/bin/sh
# Builds the library with the functions that a compilation calls side by side in the shared one: a process then maps
# 2 MB of its code instead of 8, as the system maps what stands around a function along with it.
#
# Usage: link.sh PROFILE, with cargo's command in CARGO
#
# Which functions are called is seen by valgrind in examples/compile.c at work, and kept in target/link until a source
# changes. Without valgrind, or where the linker cannot order functions, they stay as they come.
set -eu
profile=$1
directory=target/link/$profile
order=$directory/functions
example=tests/example/environments
# Besides the order: relocations in a tenth of the room, which glibc reads from 2.36 on.
flags="-Clink-arg=-Wl,--symbol-ordering-file=$PWD/$order -Clink-arg=-Wl,--no-warn-symbol-ordering
    -Clink-arg=-Wl,-z,pack-relative-relocs"

# Whether a program that is linked so is made, and runs.
is_possible() {
    : >"$order"
    # shellcheck disable=SC2086 # the flags are words
    echo 'fn main() {}' | rustc $flags -o "$directory/probe" - 2>/dev/null && "$directory/probe" 2>/dev/null
    status=$?
    rm "$order"
    return $status
}

# Writes the names of all functions that are called while the nodes of the example are compiled.
record() {
    cc -O2 -Iinclude -o "$directory/compile" ffi/examples/compile.c target/$profile/libbunraku.a -lpthread -ldl -lm
    for facts in "$example"/production/spec/facts/*.json; do
        node=$(basename "$facts" .json)
        valgrind --quiet --tool=callgrind --demangle=no --callgrind-out-file="$directory/calls.$node" \
            "$directory/compile" "$example" production "$node" "$facts" /dev/null >/dev/null
    done
    sed -n "s/^c\{0,1\}fn=([0-9]*) \([^']*\).*/\1/p" "$directory"/calls.* | sort -u
}

mkdir -p "$directory"
[ -z "$(find core ffi/src Cargo.lock -newer "$order" 2>/dev/null)" ] || rm "$order"
if [ ! -e "$order" ] && command -v valgrind >/dev/null && is_possible; then
    ${CARGO:-cargo} build --profile "$profile" -p bunraku-ffi
    record >"$order.new" || echo "link.sh: functions stay in the order in which they come" >&2
    [ ! -s "$order.new" ] || mv "$order.new" "$order"
fi
if [ -e "$order" ]; then
    # shellcheck disable=SC2086
    exec ${CARGO:-cargo} rustc --profile "$profile" -p bunraku-ffi --lib -- $flags
fi
exec ${CARGO:-cargo} build --profile "$profile" -p bunraku-ffi
