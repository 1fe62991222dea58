#!/bin/sh
# Installs the wheel into an empty environment of Python and uses it, without Rust and without a library of
# the system.
# Usage: wheel.sh WHEEL [PYTHON], in the root of the source tree
set -eu
wheel=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
python=${2:-/usr/bin/python3}
examples=$(pwd)/tests/example/environments
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
alone() { env -i HOME="$work" PATH=/usr/bin:/bin "$@"; }
alone "$python" -m venv "$work/python"
alone "$work/python/bin/pip" install --quiet --no-index --disable-pip-version-check "$wheel"
cd "$work"
alone "$work/python/bin/python" - "$examples" <<'PYTHON'
import json
import pathlib
import sys

import bunraku
from bunraku import _library

package = pathlib.Path(bunraku.__file__).parent
assert (package / "py.typed").exists()
assert "python3" in str(package), package
with open("/proc/self/maps") as maps:
    assert f"{package}/libbunraku.so" in maps.read()
examples = pathlib.Path(sys.argv[1])
facts = json.loads((examples / "production/spec/facts/web01.example.net.json").read_text())
catalog = bunraku.Environment(examples).compile("web01.example.net", facts)
count = sum(1 for _ in catalog)
assert count > 3, count
try:
    bunraku.parse("$a = }", "site.pp")
except bunraku.Error as error:
    assert error.line == 1, error
else:
    raise AssertionError("that is a syntax error")
print(f"bunraku {bunraku.version()} in {package.name}: {count} resources")
PYTHON
echo "wheel: ok"
