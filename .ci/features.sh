#!/bin/sh
# Lints the C library, and with it all crates below it, with each combination of its features; the command and the
# gem, which have no conditions of their own, with none of them.
#
# Usage: features.sh [CARGO'S OPTIONS]
set -eu
lint() {
    package=$1
    features=$2
    shift 2
    ${CARGO:-cargo} clippy --quiet "$@" -p "$package" --no-default-features --features "$features" -- -D warnings || {
        echo "features.sh: $package with the features '$features'" >&2
        exit 1
    }
}
count=0
# Features that need one another are in one word.
for of_modules in "" ruby ruby,documentation tasks ruby,tasks ruby,documentation,tasks ruby,documentation,tasks,modules; do
    for report in "" ,report; do
        for eyaml in "" ,eyaml; do
            for classifier in "" ,classifier; do
                lint bunraku-ffi "$of_modules$report$eyaml$classifier" "$@"
                count=$((count + 1))
            done
        done
    done
done
# No code of another feature depends on these.
for feature in check lint; do
    lint bunraku-ffi "$feature" "$@"
    count=$((count + 1))
done
lint bunraku-command "" "$@"
lint bunraku-ruby "" "$@"
# The language alone says what is left out. (The tests of all packages together have all features.)
${CARGO:-cargo} test --quiet -p bunraku --lib
echo "features.sh: $count combinations of features"
