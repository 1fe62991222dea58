#!/bin/sh
# Builds what is installed in two directories of different names, and compares. Usage: same_bytes.sh MAKE
set -eu
work=$(pwd)/target/same-bytes
rm -rf "$work"
for name in one another/directory; do
    mkdir -p "$work/$name"
    git archive HEAD | tar -x -C "$work/$name"
    (cd "$work/$name" && env -u CARGO_TARGET_DIR "$1" --no-print-directory build)
    (cd "$work/$name/target/dist/made-full" && find . -type f ! -name built -exec sha256sum {} + | sort -k2) \
        >"$work/sums"
    if [ -e "$work/sums.one" ]; then
        diff "$work/sums.one" "$work/sums"
        echo "same bytes: ok, $(wc -l <"$work/sums") files"
        exit
    fi
    mv "$work/sums" "$work/sums.one"
    rm -rf "$work/$name/target/dist/build" "$work/$name/target/dist/deps"
done
