#!/bin/sh
# Installs the packed gems that have the native part built, each into an empty home, and uses them where no
# Rust is.
# Usage: gems.sh DIRECTORY VERSION RUBY, in the root of the source tree
set -eu
packed=$(cd "$1" && pwd)
version=$2
root=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
try() { # RUBY GEM
    ruby=$(command -v "$1")
    gem=$2
    home=$work/$(basename "$gem" .gem)
    mkdir -p "$home"
    alone() {
        env -i HOME="$home" PATH=/usr/bin:/bin LANG=C.UTF-8 GEM_HOME="$home/gems" GEM_PATH="$home/gems" "$@"
    }
    alone "$ruby" -S gem install --local --no-document "$gem"
    alone "$ruby" "$root/packaging/tests/use.rb" "$root/tests/example/environments"
    [ ! -e "$home/gems/bin/bunraku" ] || alone "$ruby" "$home/gems/bin/bunraku" --version
    ls -l "$gem" | awk '{ print $5, "bytes" }'
}
try "$3" "$packed/bunraku-$version-$("$3" -e 'print Gem::Platform.local').gem"
if command -v jruby >/dev/null; then
    try jruby "$packed/bunraku-$version-java.gem"
else
    echo "gems.sh: no jruby is installed: its gem is not tried"
fi
echo "gems: ok"
