#!/bin/sh
# Has the command write its manual pages and completions. Usage: texts.sh COMMAND DIRECTORY
set -eu
mkdir -p "$2/man" "$2/completions"
"$1" man --output "$2/man"
for shell in bash zsh fish; do
    "$1" completions $shell >"$2/completions/bunraku.$shell"
done
