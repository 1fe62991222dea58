#!/bin/sh
# Installs the gem of sources: without Rust it says what it misses, with Rust it is built without a network,
# and nothing that was built on the way is left. Usage: gem.sh GEM RUBY, in the root of the source tree
set -eu
packed=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
ruby=$(command -v "$2")
root=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
install() {
    "$ruby" -S gem install --local --no-document --install-dir "$work/home" --bindir "$work/bin" "$packed"
}
if (PATH=/usr/bin:/bin install) >"$work/refused" 2>&1; then
    [ -x /usr/bin/cargo ] || { echo "gem.sh: it was built without Rust" >&2; exit 1; }
else
    grep "needs Rust" "$work/refused"
fi
# No network: cargo's own directory is empty, too.
CARGO_HOME=$work/cargo CARGO_NET_OFFLINE=true install
export GEM_HOME="$work/home" GEM_PATH="$work/home"
"$ruby" "$root/packaging/tests/use.rb" "$root/tests/example/environments"
if find "$work/home" -type d \( -name target -o -name build \) | grep -v /vendor/ | grep .; then
    echo "gem.sh: left behind" >&2
    exit 1
fi
du -sh "$work/home" | cut -f1
echo "gem: ok"
