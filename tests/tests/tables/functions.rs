//! The table of functions in `core/docs/functions.md`: their signatures, the number of questions that the
//! reference has answered about each, and the native functions of puppetlabs-stdlib. `BUNRAKU_WRITE_DOCS=1`
//! writes the file again.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use bunraku::eval::BuiltIn;
use bunraku::functions;
use conform::data;

const HEAD: &str = "# Functions

The built-in functions, the signatures against which their arguments are checked, and the number of questions
about each that the reference has answered (`tests/data/functions/NAME.jsonl`, asked by
`tests/tests/goldens/vectors.rs`). `?` follows the type of an optional parameter, `*` that of a parameter that
takes the rest, and `+` where the rest must not be empty. Functions of the 3.x API have no signatures; the
table has the number of their arguments.

| function | signatures | questions |
|---|---|---|
";

const STDLIB: &str = "
## puppetlabs-stdlib

Native where the module is on the modulepath, as of version 8.5. The module's own Ruby replaces them where the
host asks for it. `pry`, `validate_augeas`, `validate_cmd` and `validate_x509_rsa_key_pair` are not native,
because they run commands, write files or bind libraries; they run where the host has Ruby.

| function | API |
|---|---|
";

fn arity(function: &BuiltIn) -> String {
    let Some(legacy) = &function.legacy else { return String::new() };
    let count = match legacy.arity {
        least @ ..0 => match least.unsigned_abs() - 1 {
            0 => "any number of arguments".to_owned(),
            least => format!("at least {least}"),
        },
        exactly => format!("exactly {exactly}"),
    };
    let kind = if legacy.is_rvalue { "gives a value" } else { "a statement" };
    format!("3.x: {count}, {kind}")
}

fn signatures(function: &BuiltIn) -> String {
    if function.legacy.is_some() {
        return arity(function);
    }
    let shown = |signature: &str| format!("`({})`", signature.replace('|', "\\|"));
    let signatures: Vec<String> =
        function.dispatches.iter().map(|dispatch| shown(dispatch.signature)).collect();
    signatures.join("<br>")
}

#[test]
fn the_table_is_up_to_date() {
    let table = functions::table();
    let mut functions: Vec<&BuiltIn> = table.functions().collect();
    functions.sort_unstable_by_key(|function| function.name);
    let (mut language, mut stdlib) = (HEAD.to_owned(), STDLIB.to_owned());
    for function in functions {
        let name = function.name;
        if function.module.is_some() {
            let api = if function.legacy.is_some() { arity(function) } else { signatures(function) };
            let _ = writeln!(stdlib, "| `{name}` | {api} |");
            continue;
        }
        let questions = fs::read_to_string(data::directory().join(format!("functions/{name}.jsonl")));
        let count = match questions {
            Ok(text) => text.lines().count().to_string(),
            Err(_) => "asked with environments".to_owned(),
        };
        let _ = writeln!(language, "| `{name}` | {} | {count} |", signatures(function));
    }
    let text = language + &stdlib;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/docs/functions.md");
    if std::env::var_os("BUNRAKU_WRITE_DOCS").is_some() {
        fs::write(&path, text).expect("the table can be written");
    } else {
        let written = fs::read_to_string(&path).unwrap_or_default();
        assert!(written == text, "core/docs/functions.md is not up to date; BUNRAKU_WRITE_DOCS=1 writes it");
    }
}
