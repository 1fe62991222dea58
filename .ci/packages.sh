#!/bin/sh
# Sees to it that Debian packages are installed: installs what is missing when run by root, and otherwise prints the
# line that does it and fails. Usage: packages.sh PACKAGE...
missing=""
for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ]; then
    echo "installing:$missing"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086 # the names are words
    { apt-get -qq update && apt-get -qq install -y --no-install-recommends $missing; } >/tmp/bunraku-packages.$$ 2>&1
    status=$?
    [ $status = 0 ] || cat /tmp/bunraku-packages.$$ >&2
    rm -f /tmp/bunraku-packages.$$
    exit $status
fi
echo "These Debian packages are missing. Please run:" >&2
echo "    sudo apt-get install$missing" >&2
exit 1
