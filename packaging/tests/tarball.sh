#!/bin/sh
# Unpacks the tarball of the command and uses it in a root directory where there is nothing else.
# Usage: tarball.sh TARBALL
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$(dirname "$1")" && sha256sum --quiet -c "$(basename "$1").sha256")
tar -xzf "$1" -C "$work" --strip-components=1
for file in man/bunraku.1 completions/bunraku.bash LICENSE THIRD-PARTY-LICENSES.txt; do
    [ -s "$work/$file" ] || { echo "tarball.sh: no $file" >&2; exit 1; }
done
if strings -a "$work/bunraku" | grep -F "$(pwd -P)"; then
    echo "tarball.sh: the command names a directory of this machine" >&2
    exit 1
fi
cp -R tests/example/environments "$work/environments"
mkdir -p "$work/tmp"
alone() { env -i PATH=/usr/sbin:/usr/bin unshare --map-root-user chroot "$work" /bunraku "$@"; }
alone --version
alone validate /environments/production/manifests/site.pp
alone compile --environmentpath /environments --node web01.example.net \
    --facts /environments/production/spec/facts/web01.example.net.json --seed run --output /catalog.json | tail -1
grep -q '"web01.example.net"' "$work/catalog.json"
ls -l "$work/bunraku" | awk '{ print $5, "bytes" }'
echo "tarball: ok"
