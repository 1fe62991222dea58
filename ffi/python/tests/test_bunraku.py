"""The package, used as its readers would."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import bunraku
import pytest
from bunraku import _library, values

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "tests/example/environments"


def resources(catalog):
    return [(one["type"], one["title"], one.get("parameters")) for one in catalog["resources"]]


def test_parses_and_tells_what_is_wrong():
    program = bunraku.parse("class a(Integer $n = 99999999999999999999) { notify { 'ä': } }", "a.pp")
    definition = program.body
    assert definition.kind == "HostClassDefinition" and definition.fields["name"] == "a"
    parameter = definition.fields["parameters"][0]
    assert parameter.fields["value"].fields["value"] == 99999999999999999999
    assert [node.text for node in definition.walk() if node.kind == "LiteralString"] == ["'ä'"]
    assert parameter.parent.kind == definition.kind and definition.parent is None
    assert bunraku.parse("$a = 1").to_pn() == '(= (var "a") 1)'
    assert bunraku.parse("$h = {a => 1, a => 2}").validate("warning")[0]["issue_code"] == "DUPLICATE_KEY"
    with pytest.raises(bunraku.Error) as raised:
        bunraku.parse("$a =\n}", "site.pp")
    error = raised.value
    assert (error.kind, error.file, error.line, error.column) == ("syntax", "site.pp", 2, 1)
    assert str(error) == "site.pp:2:1: Syntax error at '}'"


def test_compiles_catalogs_on_many_threads():
    environment = bunraku.Environment(EXAMPLE)
    facts = json.loads((EXAMPLE / "production/spec/facts/web01.example.net.json").read_text())
    golden = json.loads((EXAMPLE / "production/spec/golden/web01.catalog.json").read_text())
    with ThreadPoolExecutor(4) as pool:
        catalogs = list(pool.map(lambda _: environment.compile("web01.example.net", facts), range(8)))
    for catalog in catalogs:
        assert resources(json.loads(catalog.to_json())) == resources(golden)
    assert [str(resource) for resource in catalogs[0]] == [
        f"{one['type']}[{one['title']}]" for one in golden["resources"]
    ]
    assert len(catalogs[0].edges) == len(golden["edges"])


def test_secrets_stay_secrets():
    environment = bunraku.Environment(
        code="file { '/f': content => $facts['s'], mode => '0600' } notice($facts['s'])", modulepath=[]
    )
    catalog = environment.compile("n", {"s": bunraku.Sensitive("p4ss")})
    content = catalog["File[/f]"]["content"]
    assert content == bunraku.Sensitive("p4ss") and "p4ss" not in repr(content) and content.unwrap() == "p4ss"
    assert [entry["message"] for entry in catalog.logs] == ["Sensitive [value redacted]"]
    assert "File[/g]" not in catalog
    with pytest.raises(KeyError):
        catalog["File[/g]"]


def test_values_come_and_go():
    every = {
        "a": [None, True, 2**70, -1, 1.5, "ä\0", {}],
        "s": bunraku.Sensitive({"k": [1]}),
        "d": bunraku.DEFAULT,
    }
    assert values.from_json(values.to_json(every)) == every
    assert values.from_json(values.to_json({1: 2, (3, 4): "x"})) == {1: 2, (3, 4): "x"}
    assert values.from_json('{"__ptype":"SemVer","__pvalue":"1.2.3"}').text == "1.2.3"
    with pytest.raises(TypeError):
        values.to_json(object())
    assert bunraku.Type("Array[Variant[Integer, Sensitive]]").is_instance([1, bunraku.Sensitive(1)])
    assert str(bunraku.Type("Array[ Integer ]")) == "Array[Integer]"


def test_functions_of_the_embedder():
    def each_twice(call, numbers):
        return [call.block(call.function("abs", number) * 2) for number in numbers] + [
            call.variable("x"),
            call.variable("y"),
        ]

    def fails(_call):
        raise ValueError("out of order")

    code = "$x = 3 notice(twice([1, -2]) |$n| { $n + 1 }) if $facts['fails'] { fails() }"
    functions = {
        "twice": (["Callable[Array, Callable[Integer]]"], each_twice),
        "fails": (["Callable"], fails),
    }
    environment = bunraku.Environment(code=code, modulepath=[], functions=functions)
    assert [entry["message"] for entry in environment.compile("n").logs] == ["[3, 5, 3, ]"]
    with pytest.raises(bunraku.Error, match="out of order") as raised:
        environment.compile("n", {"fails": True})
    assert raised.value.kind == "evaluation" and raised.value.line == 1 and len(raised.value.logs) == 1


def test_hosts_hear_the_log_and_end_work():
    said, steps = [], []

    def progress(count: int) -> bool:
        steps.append(count)
        return len(said) < 2

    code = "Integer[1, 5].each |$n| { notice($n); Integer[1, 3000].each |$m| { $m } }"
    environment = bunraku.Environment(code=code, modulepath=[], log=said.append, progress=progress)
    with pytest.raises(bunraku.Error, match="The host has ended the work") as raised:
        environment.compile("n")
    assert raised.value.kind == "cancelled" and max(steps) < 20_000
    assert [(entry["level"], entry["message"]) for entry in said] == [("notice", "1"), ("notice", "2")]
    assert raised.value.logs == said


def test_looks_up_data():
    environment = bunraku.Environment(EXAMPLE)
    assert environment.lookup("no::such::key", node="n", default={"a": [1]}) == {"a": [1]}
    with pytest.raises(bunraku.Error) as raised:
        environment.lookup("no::such::key", node="n")
    assert raised.value.kind == "lookup"


def test_limits_and_misspelt_options():
    environment = bunraku.Environment(code="Integer[1, 10000000].each |$i| { $i }", modulepath=[])
    with pytest.raises(bunraku.Error) as raised:
        environment.compile("n", limits={"steps": 1000})
    assert raised.value.kind == "limit"
    with pytest.raises(bunraku.Error, match="did you mean 'limits'"):
        environment.compile("n", limts={"steps": 1000})


def test_tokens_and_formatting():
    text = "# ä\n$a =>  # why\n  'x"
    tokens = bunraku.tokens(text)
    assert "".join(token.text for token in tokens) == text
    comment = next(token for token in tokens if token.text == "# why")
    assert (comment.kind, comment.line, comment.column, tokens[comment.owner].text) == ("Comment", 2, 8, "=>")
    assert bunraku.format('$a=[1,"b"]', width=4) == "$a = [\n  1,\n  'b',\n]\n"
    with pytest.raises(bunraku.Error, match="Syntax error"):
        bunraku.format("$a =")


def test_functions_are_those_of_the_header():
    header = re.sub(r"//.*", "", (ROOT / "include/bunraku.h").read_text())
    declared = dict(re.findall(r"\bbunraku_(\w+)\(([^;{]*)\);", header))
    for name, arguments in {
        **{name: given for name, (given, _) in _library.OTHERS.items()},
        **_library.FAILING,
    }.items():
        wanted = len(arguments) + (name in _library.FAILING)
        given = [one for one in declared[name].split(",") if one.strip() != "void"]
        assert len(given) == wanted, name
