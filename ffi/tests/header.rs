//! The header is what cbindgen makes of the sources, in titled sections.
//!
//! `make header` writes it anew (the test itself does, when `BUNRAKU_WRITE_HEADER` is set); otherwise the
//! committed header is compared with it.

use std::fs;
use std::path::Path;

use bunraku_core::syntax::ast::Kind;

/// The sections of the header: the title, a text, and what its names begin with. The first prefix that fits
/// counts.
const SECTIONS: &[(&str, &str, &[&str])] = &[
    (
        "Version",
        "Which version the header belongs to, which one runs, and what it was built with. The header\n\
         is that of a library with all features: functions stay where their feature is left out, and\n\
         return an error of the kind \"unsupported\".",
        &["BUNRAKU_VERSION", "bunraku_version", "BUNRAKU_ABI", "bunraku_abi", "bunraku_features"],
    ),
    (
        "Errors",
        "Every function that can fail returns a bunraku_error: NULL on success, an error that belongs\n\
         to the caller otherwise. Output parameters come last and are written only on success.",
        &["bunraku_error"],
    ),
    (
        "Text",
        "Text that goes in: BUNRAKU_TEXT(\"a literal\"), bunraku_text_of(with_a_nul), BUNRAKU_NO_TEXT,\n\
         or a pointer and a length. Text that comes out and belongs to the caller is a\n\
         bunraku_string.",
        &["bunraku_string", "bunraku_bytes", "bunraku_text"],
    ),
    ("Values", "Values of the language, from JSON and to JSON, as data and as streams.", &["bunraku_value"]),
    ("Types", "Types of the language: what is an instance of them, and what they make.", &["bunraku_type"]),
    (
        "Programs",
        "Manifests and templates, parsed: see if they are valid, look at their syntax.",
        &["bunraku_program", "bunraku_syntax", "bunraku_strictness"],
    ),
    (
        "Nodes",
        "The syntax tree: what kind a node is of, what stands in its fields, where it stands, what\n\
         comments say of it. Names of kinds and fields are those of the reference's model\n\
         (Puppet::Pops::Model).",
        &["bunraku_node", "bunraku_field", "bunraku_unit", "bunraku_span", "bunraku_placement"],
    ),
    (
        "Tokens, formatting and style",
        "All of a text as tokens with white space and comments, programs as the style guide has them, and what is\n\
         not as it has them.",
        &["bunraku_token", "bunraku_format", "bunraku_lint"],
    ),
    (
        "Queries",
        "Nodes by kind, fields and structure: a query is read once, and asked for any number of programs.",
        &["bunraku_query", "bunraku_matches"],
    ),
    (
        "Hosts",
        "What an embedder provides: files that are not on the disk, functions of its own, a log.\n\
         A bunraku_sink takes the answer of a callback; a bunraku_call lets a function call back.",
        &["bunraku_sink", "bunraku_call", "bunraku_host"],
    ),
    (
        "Environments",
        "Load an environment once; compile and look up in it from any thread. A bunraku_cancel ends\n\
         either, and other work.",
        &["bunraku_environment", "bunraku_index", "bunraku_trusted", "bunraku_cancel"],
    ),
    (
        "Catalogs",
        "What a compilation makes: resources and their edges.",
        &["bunraku_catalog", "bunraku_resource", "bunraku_edge", "bunraku_declaration"],
    ),
    (
        "Reports",
        "What differs between written catalogs, and between those of many nodes.",
        &["bunraku_diff", "bunraku_fleet"],
    ),
    (
        "Tasks",
        "Tasks of modules: which ones there are, what to run with which input, how output is read.\n\
         Running is yours.",
        &["bunraku_task"],
    ),
    ("Modules", "What is told of modules without a compilation.", &["bunraku_module"]),
    (
        "Classifier",
        "Groups of nodes by rules, with the classes and data that their nodes get: the requests of\n\
         the classifier's HTTP interface (Puppet Enterprise's, version 1), answered without a server.",
        &["bunraku_classifier"],
    ),
];

/// The kinds of nodes, as the table of nodes has them.
fn node_types() -> String {
    let mut text = String::from(
        "// What kind of node it is: the names of the reference's model. More may be added at the end.\n\
         typedef enum {\n    // There is no node.\n    BUNRAKU_NODE_NONE = 0,\n",
    );
    for (number, kind) in Kind::ALL.iter().enumerate() {
        let mut name = String::new();
        for letter in kind.name().chars() {
            if letter.is_uppercase() && !name.is_empty() && !name.ends_with(char::is_uppercase) {
                name.push('_');
            }
            name.push(letter);
        }
        let name = name.to_uppercase();
        text.push_str(&format!("    // \"{}\".\n    BUNRAKU_NODE_{name} = {},\n", kind.name(), number + 1));
    }
    text + "} bunraku_node_type;\n"
}

const OVERVIEW: &str = "\
/*
 * bunraku: the Puppet language as a native library.
 *
 * Load an environment, compile the catalog of a node, read it:
 *
 *     bunraku_text directory = BUNRAKU_TEXT(\"environments\");
 *     bunraku_environment *environment;
 *     bunraku_catalog *catalog;
 *     bunraku_error *error;
 *
 *     error = bunraku_environment_load(&directory, 1, BUNRAKU_TEXT(\"production\"), BUNRAKU_NO_TEXT, NULL,
 *                                      &environment);
 *     if (!error) {
 *         error = bunraku_environment_compile(environment, BUNRAKU_TEXT(\"web01\"), BUNRAKU_TEXT(\"{}\"),
 *                                             BUNRAKU_NO_TEXT, NULL, &catalog);
 *     }
 *
 * Ownership   What a function gives through an output parameter belongs to the caller, who gives it back
 *             to the _free function of its type. What a getter returns belongs to the object it was asked
 *             of. Never call free() on either.
 * Threads     Objects are immutable: any number of threads may use one at the same time (const T *). The
 *             one exclusive use is _free (T *). The library has no global state but constants that are
 *             built on first use (a thread has what bunraku_cancel_attach gave it), and touches neither
 *             signals, locale nor the working directory.
 * Text        UTF-8, as a bunraku_text: a pointer and a length in bytes; text that comes out has a NUL
 *             behind it, too.
 * Failures    No function unwinds, exits or prints.
 */
";

/// Hand-written C code at the beginning of a section.
const IN_C: &[(&str, &str)] = &[(
    "Text",
    "\
// A literal as text, and no text.
#ifdef __cplusplus
#define BUNRAKU_TEXT(literal) (bunraku_text{\"\" literal, sizeof(literal) - 1})
#define BUNRAKU_NO_TEXT (bunraku_text{NULL, 0})
#else
#define BUNRAKU_TEXT(literal) ((bunraku_text){\"\" literal, sizeof(literal) - 1})
#define BUNRAKU_NO_TEXT ((bunraku_text){NULL, 0})
#endif

// The text before a NUL. NULL gives BUNRAKU_NO_TEXT.
static inline bunraku_text bunraku_text_of(const char *text)
{
    bunraku_text result = {text, text ? strlen(text) : 0};

    return result;
}

",
)];

fn generate() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("the configuration is valid");
    let bindings = cbindgen::Builder::new()
        .with_crate(root)
        .with_config(config)
        .generate()
        .expect("the sources can be read");
    let mut raw = Vec::new();
    bindings.write(&mut raw);
    arrange(&String::from_utf8(raw).expect("the header is UTF-8"))
}

/// The name that a block declares.
fn name(block: &str) -> &str {
    let code: Vec<&str> = block.lines().filter(|line| !line.starts_with("//")).collect();
    let is_name = |word: &&str| word.to_lowercase().starts_with("bunraku_");
    let line = code.first().copied().unwrap_or_default();
    if line.starts_with("typedef") {
        // `typedef struct name name;`, `typedef struct { … } name;`
        let last = code.last().copied().unwrap_or_default();
        return last.split(|c: char| !c.is_alphanumeric() && c != '_').find(is_name).unwrap_or_default();
    }
    if let Some(rest) = line.strip_prefix("#define ") {
        return rest.split_whitespace().next().unwrap_or_default();
    }
    let before = code.iter().find_map(|line| line.split_once('(')).map_or("", |(before, _)| before);
    before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').find(is_name).unwrap_or_default()
}

/// Puts the declarations under their titles.
fn arrange(raw: &str) -> String {
    let start = raw.find("#define BUNRAKU_H").map_or(0, |at| at + "#define BUNRAKU_H".len());
    let end = raw.rfind("#endif  /* BUNRAKU_H */").unwrap_or(raw.len());
    let body = &raw[start..end];
    let skip = ["#ifdef __cplusplus", "extern \"C\" {", "#endif", "}  // extern"];
    let mut blocks: Vec<String> = Vec::new();
    let mut block = String::new();
    let mut depth = 0_i32;
    for line in body.lines() {
        if depth == 0 && skip.iter().any(|start| line.starts_with(start)) {
            continue;
        }
        depth += line.matches('{').count() as i32 - line.matches('}').count() as i32;
        if line.trim().is_empty() && depth == 0 {
            if !block.trim().is_empty() {
                blocks.push(std::mem::take(&mut block));
            }
            block.clear();
        } else {
            block.push_str(line.trim_end());
            block.push('\n');
        }
    }
    if !block.trim().is_empty() {
        blocks.push(block);
    }
    let mut text = format!(
        "#ifndef BUNRAKU_H\n#define BUNRAKU_H\n\n{OVERVIEW}\n\
         /* Generated from ffi/src by `make header`; do not edit. */\n\n\
         #include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
    );
    // Types first, so that every section can use those of the others.
    let is_opaque = |block: &String| {
        let code = block.lines().find(|line| !line.starts_with("//")).unwrap_or_default();
        code.starts_with("typedef struct") && code.ends_with(';')
    };
    let section_of = |name: &str| {
        SECTIONS.iter().position(|(_, _, prefixes)| prefixes.iter().any(|p| name.starts_with(p)))
    };
    blocks.push(node_types());
    text.push_str("/* ---- Types ");
    text.push_str(&format!("{} */\n\n", "-".repeat(91)));
    let is_type = |block: &&String| name(block).starts_with("bunraku_") && block.contains("typedef ");
    for block in blocks
        .iter()
        .filter(|block| is_opaque(block))
        .chain(blocks.iter().filter(|b| is_type(b) && !is_opaque(b)))
    {
        text.push_str(block);
        text.push('\n');
    }
    for (number, (title, about, _)) in SECTIONS.iter().enumerate() {
        let rule = "-".repeat(106_usize.saturating_sub(title.len() + 8));
        text.push_str(&format!("/* ---- {title} {rule}\n"));
        for line in about.lines() {
            text.push_str(&format!(" * {}\n", line.trim_start()));
        }
        text.push_str(" */\n\n");
        IN_C.iter().filter(|(section, _)| section == title).for_each(|(_, code)| text.push_str(code));
        for block in blocks.iter().filter(|block| !block.contains("typedef ")) {
            if section_of(name(block)) == Some(number) {
                text.push_str(block);
                text.push('\n');
            }
        }
    }
    let lost: Vec<&str> = blocks
        .iter()
        .filter(|block| !block.contains("typedef ") && section_of(name(block)).is_none())
        .map(|block| name(block))
        .filter(|name| !name.is_empty())
        .collect();
    assert!(lost.is_empty(), "declarations without a section: {lost:?}");
    text.push_str("#ifdef __cplusplus\n}\n#endif\n\n#endif /* BUNRAKU_H */\n");
    // The contract of `unsafe` is Rust's; C has the parameters' descriptions.
    without_safety(&text)
}

/// Leaves out the `# Safety` paragraphs of the documentation.
fn without_safety(text: &str) -> String {
    let mut result = String::new();
    let mut in_safety = false;
    for line in text.lines() {
        let is_comment = line.starts_with("//");
        if line.trim_end() == "// # Safety" {
            in_safety = true;
            while result.ends_with("//\n") {
                result.truncate(result.len() - 3);
            }
        } else if !is_comment {
            in_safety = false;
        }
        if !(in_safety && is_comment) {
            result.push_str(line);
            result.push('\n');
        }
    }
    result
}

/// The interface that programs are compiled against: the header's types and functions, one per line.
fn declarations(header: &str) -> Vec<String> {
    let code = |line: &&str| !matches!(line.trim_start().as_bytes(), [b'/' | b'#', ..] | [b'*', ..]);
    let (mut found, mut current, mut depth) = (Vec::new(), String::new(), 0_i32);
    for line in header.lines().filter(code).filter(|line| !line.starts_with("extern")) {
        depth += line.matches('{').count() as i32 - line.matches('}').count() as i32;
        current.push(' ');
        current.push_str(line);
        if depth > 0 || !line.ends_with([';', '}']) {
            continue;
        }
        let text = current.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = text.rsplit("*/ ").next().unwrap_or_default();
        let is_declared = text.starts_with("typedef") || text.contains("bunraku_") && text.ends_with(");");
        if is_declared {
            found.push(text.to_owned());
        }
        current.clear();
    }
    found.sort();
    found
}

/// Whether a program that was compiled with one declaration can use the other: a host grows at its end, an
/// enum by further numbers.
fn goes_on_with(old: &str, new: &str) -> bool {
    let Some(body) = old.strip_prefix("typedef struct {").or_else(|| old.strip_prefix("typedef enum {"))
    else {
        return false;
    };
    let (Some((_, name)), Some(at)) = (old.rsplit_once("} "), body.rfind('}')) else { return false };
    let may_grow = old.starts_with("typedef enum") || name == "bunraku_host;";
    may_grow && new.ends_with(&format!("}} {name}")) && new.contains(body[..at].trim_end())
}

/// `ffi/abi.txt` is the committed binary interface. It changes only together with its version, but for what
/// is added.
#[test]
fn programs_that_are_compiled_can_use_the_library() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("abi.txt");
    let header = generate();
    let version = header.lines().find(|line| line.starts_with("#define BUNRAKU_ABI_VERSION"));
    let version = version.expect("the header has a version");
    let now = declarations(&header);
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let mut lines = committed.lines();
    if lines.next() == Some(version) {
        let lost: Vec<&str> =
            lines.filter(|old| !now.iter().any(|new| new == old || goes_on_with(old, new))).collect();
        assert!(lost.is_empty(), "programs need these, or BUNRAKU_ABI_VERSION has to grow: {lost:#?}");
    }
    let text = format!("{version}\n{}\n", now.join("\n"));
    if std::env::var_os("BUNRAKU_WRITE_HEADER").is_some() {
        fs::write(&path, text).expect("the list can be written");
        return;
    }
    assert!(committed == text, "ffi/abi.txt is out of date: run `make header`");
}

#[test]
fn hosts_and_enums_may_grow_at_their_end() {
    let host = "typedef struct { size_t size; void *data; } bunraku_host;";
    assert!(goes_on_with(
        host,
        "typedef struct { size_t size; void *data; void (*more)(void); } bunraku_host;"
    ));
    assert!(!goes_on_with(host, "typedef struct { size_t size; int more; void *data; } bunraku_host;"));
    let text = "typedef struct { const char *data; } bunraku_text;";
    assert!(!goes_on_with(text, "typedef struct { const char *data; size_t length; } bunraku_text;"));
    let unit = "typedef enum { A = 0, } bunraku_unit;";
    assert!(goes_on_with(unit, "typedef enum { A = 0, B = 1, } bunraku_unit;"));
    assert!(!goes_on_with(unit, "typedef enum { A = 1, B = 0, } bunraku_unit;"));
    assert!(!goes_on_with("void bunraku_a(int a);", "void bunraku_a(long a);"));
}

#[test]
fn the_committed_header_is_what_the_sources_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include/bunraku.h");
    let generated = generate();
    if std::env::var_os("BUNRAKU_WRITE_HEADER").is_some() {
        fs::write(&path, generated).expect("the header can be written");
        return;
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == generated, "include/bunraku.h is out of date: run `make header`");
}
