#!/bin/sh
# Prints the platform that a library runs on, by the newest symbol of glibc that it needs, and fails where
# it needs other libraries than those of glibc and the compiler.
#
# Usage: glibc.sh LIBRARY PREFIX        prints PREFIX_2_17_x86_64
set -eu
others=$(objdump -p "$1" | sed -n 's/^ *NEEDED *//p' |
    grep -Ev '^(libc|libm|libdl|librt|libpthread|libutil|libgcc_s|ld-linux[-a-z0-9_]*)\.so\.[0-9]+$' || true)
[ -z "$others" ] || { echo "glibc.sh: $1 needs $others" >&2; exit 1; }
newest=$(objdump -T "$1" | sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -uV | tail -1)
echo "$2_$(echo "$newest" | cut -d. -f1-2 | tr . _)_$(uname -m)"
