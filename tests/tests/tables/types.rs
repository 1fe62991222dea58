//! The table of types in `core/docs/types.md`: construction, conversion, notation, inference and
//! serialization. Each cell is computed by bunraku while the test runs; `BUNRAKU_WRITE_DOCS=1` writes the
//! file again.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use conform::{protocol, workers};
use serde_json::{Value as Json, json};

/// A type: how to make a value, another form that `new` accepts (or what is impossible), and how a value is
/// shown.
struct Row {
    name: &'static str,
    /// Makes a value.
    construct: &'static str,
    /// Makes one of something else.
    convert: &'static str,
    /// Writes one with a format.
    format: &'static str,
}

const fn row(
    name: &'static str,
    construct: &'static str,
    convert: &'static str,
    format: &'static str,
) -> Row {
    Row { name, construct, convert, format }
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("Any", "Any", "Any.new(1)", "String(Any, '%#s')"),
    row("Undef", "undef", "Undef.new(1)", "String(undef, '%u')"),
    row("Default", "default", "Default.new(1)", "String(default, '%D')"),
    row("Scalar", "Scalar", "Scalar.new(1)", "String(Scalar, '%s')"),
    row("ScalarData", "ScalarData", "ScalarData.new(1)", "String(ScalarData, '%s')"),
    row("Data", "[1, {a => 'b'}]", "Data.new(1)", "String([1, {a => 'b'}], '%#p')"),
    row("RichData", "[/a/, Integer]", "RichData.new(1)", "String([/a/, Integer], '%p')"),
    row("RichDataKey", "RichDataKey", "RichDataKey.new(1)", "String(RichDataKey, '%s')"),
    row("Numeric", "Numeric('0x1F')", "Numeric(true)", "String(Numeric('1.5'), '%08.3f')"),
    row("Integer", "Integer('0x1F')", "Integer(Timespan(90))", "String(255, '%#x')"),
    row("Integer (beyond 64 bits)", "Integer('18446744073709551615')", "Integer(1e19)", "String(Integer('18446744073709551616'), '%b')"),
    row("Float", "Float('1.5e3')", "Float('0x10')", "String(3.14159, '%+.2e')"),
    row("String", "String(1)", "String([1, 'a'])", "String('abc', '%10.2s')"),
    row("Enum", "Enum['a', 'B', true]", "Enum['a'].new('a')", "String(Enum['a', 'B', true], '%p')"),
    row("Pattern", "Pattern[/a/, 'b']", "Pattern[/a/].new('b')", "String(Pattern[/a/], '%s')"),
    row("Regexp", "Regexp('a+')", "Regexp('a+', true)", "String(/a+/, '%p')"),
    row("Boolean", "Boolean('yes')", "Boolean(0)", "String(true, '%#Y')"),
    row("Collection", "Collection[1, 2]", "Collection.new(1)", "String(Collection[1], '%s')"),
    row("Array", "Array({a => 1})", "Array('ab')", "String([1, [2]], '%#a')"),
    row("Hash", "Hash([['a', 1]])", "Hash(['a', 1])", "String({a => 1}, '%#h')"),
    row("Tuple", "Tuple({a => 1})", "Tuple[String, String].new('ab')", "String(Tuple[Integer, 1], '%s')"),
    row("Struct", "Struct[{a => Integer}].new([['a', 1]])", "Struct(['a', 1])", "String(Struct[{Optional[a] => Integer}], '%s')"),
    row("Optional", "Optional[Integer].new('1')", "Optional[Integer].new(undef)", "String(Optional['a'], '%s')"),
    row("NotUndef", "NotUndef[Integer].new('1')", "NotUndef.new(1)", "String(NotUndef['a'], '%s')"),
    row("Variant", "Variant[Integer, String]", "Variant[Integer, String].new(1)", "String(Variant[Integer, String], '%s')"),
    row("Iterable", "Iterable[Integer]", "Iterable.new([1])", "String(Iterable[Integer], '%s')"),
    row("Iterator", "[1, 2].reverse_each", "Iterator.new([1])", "String([1, 2].reverse_each, '%a')"),
    row("Callable", "Callable[[Integer, 1, 2, Callable], String]", "Callable.new(1)", "String(Callable[[0, 0], Any], '%s')"),
    row("Type", "Type('Array[Integer]')", "Type[Integer].new('Integer')", "String(Type[Integer], '%#s')"),
    row("TypeAlias", "type A = Array[Variant[Integer, A]]\nA", "type A = Integer\nA.new('1')", "type A = Integer\nString(A, '%s')"),
    row("TypeReference", "TypeReference['Foo']", "TypeReference['Foo'].new(1)", "String(TypeReference['Foo'], '%s')"),
    row("Unit", "type(Array[0, 0])", "Pcore::UnitType.new", "String(Pcore::UnitType.new, '%s')"),
    row("Runtime", "Runtime['ruby', 'Symbol']", "Runtime['ruby', 'Symbol'].new('a')", "String(Runtime['ruby', 'X'], '%s')"),
    row("CatalogEntry", "CatalogEntry", "CatalogEntry.new(1)", "String(CatalogEntry, '%s')"),
    row("Class", "Class['a']", "Class.new('a')", "String(Class['a'], '%p')"),
    row("Resource", "File['/x']", "Resource.new('file')", "String(Resource['file', '/x'], '%#s')"),
    row("SemVer", "SemVer('1.2.3-rc.1')", "SemVer({major => 1, minor => 2, patch => 3})", "String(SemVer('1.2.3'), '%10s')"),
    row("SemVerRange", "SemVerRange('^1.2 || 3.x')", "SemVerRange('1.0.0', '2.0.0')", "String(SemVerRange('~1.2'), '%p')"),
    row("Timestamp", "Timestamp('2001-02-03T04:05:06 CET')", "Timestamp('03/02/2001', '%d/%m/%Y', '+02:00')", "strftime(Timestamp(0), '%-d %b %Y %Z', 'Europe/Berlin')"),
    row("Timespan", "Timespan('1-02:03:04.5')", "Timespan({hours => 25})", "strftime(Timespan(90061.5), '%-Dd %H:%M:%S.%-L')"),
    row("Binary", "Binary('YWJj')", "Binary([97, 98])", "String(Binary('YWJj'), '%s')"),
    row("URI", "URI('http://a/b?c#d')", "URI({scheme => 'http', host => 'a'})", "String(URI('http://a/b'), '%p')"),
    row("Sensitive", "Sensitive('x')", "Sensitive[Integer].new('1')", "String(Sensitive('x'), '%s')"),
    row("Deferred", "Deferred('f', [1])", "Deferred({name => 'f'})", "String(Deferred('f', [1]), '%p')"),
    row("Init", "Init[Integer, 16].new('1F')", "Init[Array[Integer]].new([1])", "String(Init[Integer, 16], '%s')"),
    row("Object", "type P = Object[{attributes => {a => Integer, b => {type => String, value => 'x'}}}]\nP(1)",
        "type P = Object[{attributes => {a => Integer}}]\nP({a => 1})",
        "type P = Object[{attributes => {a => Integer}}]\nString(P(1), '%#p')"),
    row("TypeSet", "type S = TypeSet[{pcore_version => '1.0.0', version => '1.0.0', types => {A => Integer}}]\nS",
        "type S = TypeSet[{pcore_version => '1.0.0', version => '1.0.0', types => {A => Integer}}]\nS::A.new('1')",
        "type S = TypeSet[{pcore_version => '1.0.0', version => '1.0.0', types => {A => Integer}}]\nString(S, '%s')"),
    row("Error", "Error('m', 'k', {a => 1})", "Error({msg => 'm'})", "String(Error('m'), '%p')"),
    row("Pcore::…Type", "Pcore::ArrayType", "Pcore::ArrayType.new(Integer)", "String(Pcore::IntegerType, '%s')"),
];

/// The definitions that a question begins with.
fn definitions(source: &str) -> &str {
    source.rsplit_once('\n').map_or("", |(before, _)| before)
}

fn ask(request: &Json) -> Json {
    protocol::answer(request)
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    let text = text.replace('|', "\\|").replace('\n', "⏎");
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("`{short}`")
}

fn shown(source: &str) -> String {
    let reply = ask(&json!({"op": "eval", "source": source}));
    match reply["string"].as_str() {
        Some(text) => cell(text),
        None => {
            let message = reply["error"]["message"].as_str().unwrap_or_default();
            let refused = message.contains("is not supported");
            (if refused { "no instances" } else { "refused" }).to_owned()
        }
    }
}

/// Whether a value stays the same when it is written in a form and read back, judged by its type and text.
fn returns(source: &str, form: &str) -> &'static str {
    let written = ask(&json!({"op": "serialize", "source": source}));
    let Some(text) = written.get(form).filter(|text| !text.is_null()) else {
        // undef is null.
        return if written.get(form).is_some() { "yes" } else { "no" };
    };
    let member = if form == "json" { "json" } else { "generic" };
    let read = ask(&json!({"op": "deserialize", member: text, "pre": definitions(source)}));
    let made = ask(&json!({"op": "eval", "source": source}));
    if read["error"].is_null() && read["type"] == made["type"] && read["string"] == made["string"] {
        "yes"
    } else {
        "no"
    }
}

fn table() -> String {
    let mut out = String::from(
        "# What works for each type\n\n\
         Each cell has bunraku's answer, which a test compares (`tests/tests/tables/types.rs`). *construct* makes a\n\
         value, or the type where it has no values. *convert* gives `new` another kind of argument. *format* writes a\n\
         value. *infer* is the type of the constructed value. *data* and *stream* say whether the constructed value\n\
         comes back from generic data and from the Pcore stream.\n\n\
         | type | construct | convert | format | infer | data | stream |\n|---|---|---|---|---|---|---|\n",
    );
    for row in ROWS {
        let made = ask(&json!({"op": "eval", "source": row.construct}));
        let inferred = made["type"].as_str().map_or_else(|| "refused".to_owned(), cell);
        let last = |source: &str| cell(source.rsplit('\n').next().unwrap_or(source));
        let _ = writeln!(
            out,
            "| {} | {} → {} | {} → {} | {} → {} | {} | {} | {} |",
            row.name,
            last(row.construct),
            shown(row.construct),
            last(row.convert),
            shown(row.convert),
            last(row.format),
            shown(row.format),
            inferred,
            returns(row.construct, "generic"),
            returns(row.construct, "json"),
        );
    }
    out
}

#[test]
fn the_table_of_types_says_what_works() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/docs/types.md");
    let table = workers::run_one(table).expect("the table is made");
    if std::env::var_os("BUNRAKU_WRITE_DOCS").is_some() {
        fs::write(&path, &table).expect("the file can be written");
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(known, table, "core/docs/types.md is out of date: run with BUNRAKU_WRITE_DOCS=1");
}
