#!/bin/sh
# Lints the C library, and with it all crates below it, with the combinations of its features that code tells
# apart; the command and the gem, which have no conditions of their own, with none of them.
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
# Features that need one another are in one word. No code asks for two of the other three, so that each stands
# alone, and all of them beside each word.
for of_modules in "" ruby ruby,documentation tasks ruby,tasks ruby,documentation,tasks ruby,documentation,tasks,modules; do
    for others in "" ,report,eyaml,classifier; do
        lint bunraku-ffi "$of_modules$others" "$@"
        count=$((count + 1))
    done
done
for feature in report eyaml classifier; do
    lint bunraku-ffi "$feature" "$@"
    count=$((count + 1))
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
