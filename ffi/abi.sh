#!/bin/sh
# Compares the layouts that programs are compiled against with those of ffi/abi.xml, by libabigail's abidiff:
#   ffi/abi.sh DIRECTORY          fails when a program compiled before needs what is gone or has moved
#   ffi/abi.sh DIRECTORY --write  writes ffi/abi.xml anew: the interface has grown, or has a new BUNRAKU_ABI_VERSION
# DIRECTORY is for what is compiled on the way. Without abidiff nothing is compared, which it says.
set -eu
cd "$(dirname "$0")/.."
command -v abidiff >/dev/null || { echo "abi: not compared, as abidiff (package abigail-tools) is missing"; exit 0; }

# A library in C whose functions are the header's, so that its debug information is that of the header alone.
{
    echo '#include "bunraku.h"'
    sed -n 's/^\([^#{]*bunraku_[a-z_0-9]*(.*)\);$/\1 { __builtin_trap(); }/p' ffi/abi.txt
} >"$1/abi.c"
include=$PWD/include
(cd "$1" && cc -g -fPIC -shared -w -I"$include" -fdebug-prefix-map="$include"=include -o abi.so abi.c)
if [ "${2:-}" = --write ]; then
    abidw --no-show-locs --no-corpus-path --no-comp-dir-path --out-file ffi/abi.xml "$1/abi.so"
else
    abidiff --suppressions ffi/abi.suppr --no-added-syms ffi/abi.xml "$1/abi.so"
    echo "abi: ok"
fi
