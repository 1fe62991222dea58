#!/bin/sh
# Installs as a packager does, and uses what is there: with pkg-config, a C program and the command. Nothing
# of it names a directory of this machine, nothing is built that has been built, and `uninstall` leaves
# nothing.
#
# Usage: install.sh MAKE PROFILE, in the root of the source tree
set -eu
make=$1
profile=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
places="DESTDIR=$work/root PREFIX=/opt/bunraku libdir=/opt/bunraku/lib64 mandir=/opt/bunraku/man"
$make --no-print-directory build PROFILE="$profile"
# No cargo, no compiler: a build now would fail.
# shellcheck disable=SC2086 # the places are words
$make --no-print-directory install PROFILE="$profile" CARGO=false RUBY=false $places
here=$work/root/opt/bunraku
for file in bin/bunraku lib64/libbunraku.a lib64/libbunraku.so include/bunraku.h man/man1/bunraku-compile.1 \
    share/bash-completion/completions/bunraku share/doc/bunraku/LICENSE share/doc/bunraku/examples/compile.c; do
    [ -s "$here/$file" ] || { echo "install.sh: no $file" >&2; exit 1; }
done
grep -q '^MIT License' "$here/share/doc/bunraku/THIRD-PARTY-LICENSES.txt"

export PKG_CONFIG_SYSROOT_DIR="$work/root" PKG_CONFIG_PATH="$here/lib64/pkgconfig"
# shellcheck disable=SC2046
cc -Wall -Werror -o "$work/compile" "$here/share/doc/bunraku/examples/compile.c" \
    $(pkg-config --cflags --libs bunraku)
examples=$here/share/doc/bunraku/examples/environments
node=web01.example.net
facts=$examples/production/spec/facts/$node.json
LD_LIBRARY_PATH=$here/lib64 "$work/compile" "$examples" production $node "$facts" "$work/c.json" \
    '{"seed": "run"}' >/dev/null
"$here/bin/bunraku" compile --environmentpath "$examples" --node $node --facts "$facts" --seed run \
    --output "$work/command.json" >/dev/null
cmp "$work/c.json" "$work/command.json"

if [ "$profile" = dist ]; then
    for path in "$(pwd -P)" "${CARGO_HOME:-$HOME/.cargo}/" "$(rustc --print sysroot)"; do
        for file in bin/bunraku lib64/libbunraku.a lib64/libbunraku.so; do
            if strings -a "$here/$file" | grep -F "$path" >"$work/paths"; then
                echo "install.sh: $file names $path:" >&2
                head -5 "$work/paths" >&2
                exit 1
            fi
        done
    done
fi
(cd "$here" && ls -l bin/bunraku lib64/libbunraku.a lib64/libbunraku.so.*.*.*) | awk '{ print $5, $9 }'
# shellcheck disable=SC2086
$make --no-print-directory uninstall $places >/dev/null
left=$(find "$work/root" ! -type d)
[ -z "$left" ] || { echo "install.sh: left behind: $left" >&2; exit 1; }
echo "install: ok"
