#!/bin/sh
# Builds Debian's packages from the tarball of `make dist`, as somebody without a network would, and looks
# at them with lintian. Usage: deb.sh TARBALL VERSION RESULTS
#
# Debian 12 and 13 have an older Rust than is needed: the profile pkg.bunraku.rustup takes the one that is
# at hand.
set -eu
tarball=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
version=$2
results=$(cd "$3" && pwd)
work=$(pwd)/target/deb
rm -rf "$work"
mkdir -p "$work"
cp "$tarball" "$work/bunraku_$version.orig.tar.xz"
cd "$work"
tar -xJf "bunraku_$version.orig.tar.xz"
cd "bunraku-$version"
PATH=$(rustc --print sysroot)/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
without_network=
unshare --map-root-user --net true 2>/dev/null && without_network="unshare --map-root-user --net"
$without_network dpkg-buildpackage --no-sign -Ppkg.bunraku.rustup
cp ../*.deb ../*.dsc ../*.debian.tar.xz ../*.orig.tar.xz ../*.changes ../*.buildinfo "$results"
cd ..
ls -l ./*.deb
lintian --fail-on error --allow-root ./*.changes
