//! The allowed imports within `bunraku-engine` and `bunraku-pcore`: every `crate::` path is checked against
//! the table in ARCHITECTURE.md. Cargo keeps the order of the crates.

use std::fs;
use std::path::{Path, PathBuf};

/// Layers, lowest first. A room may use its own layer and those below it. A module of a room may have a layer
/// of its own.
type Layers = &'static [&'static [&'static str]];

const ENGINE: Layers =
    &[&["loader", "memory"], &["eval"], &["catalog", "hiera", "functions"], &["compiler", "wire"]];

const PCORE: Layers = &[
    &["data"],
    &["regexp", "ruby::quote", "scalars"],
    &["ruby::names", "types"],
    &["convert", "ruby"],
    &["formats", "ruby::json", "ruby::psych"],
    &["serialize"],
];

/// The layer of a path's first two names: that of the module, or else of its room.
fn layer(layers: Layers, room: &str, module: &str) -> Option<usize> {
    let place = |name: &str| layers.iter().position(|rooms| rooms.contains(&name));
    place(&format!("{room}::{module}")).or_else(|| place(room))
}

pub(crate) fn rust_files(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the sources are there").filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The names at the beginning of a path after `crate::`, or of each path in its braces.
fn beginnings(path: &str) -> Vec<(String, String)> {
    let name =
        |text: &str| text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect::<String>();
    let pair = |room: String, rest: &str| match rest.strip_prefix("::") {
        Some(rest) if rest.starts_with('{') => {
            let inside = rest[1..].split('}').next().unwrap_or_default();
            inside.split(',').map(|part| (room.clone(), name(part.trim()))).collect()
        }
        Some(rest) => vec![(room, name(rest))],
        None => vec![(room, String::new())],
    };
    match path.strip_prefix('{') {
        Some(rest) => {
            let parts = rest.split('}').next().unwrap_or_default().split(',');
            parts.flat_map(|part| pair(name(part.trim()), &part.trim()[name(part.trim()).len()..])).collect()
        }
        None => pair(name(path), &path[name(path).len()..]),
    }
}

/// The imports from lower to higher layers in the sources of a crate; with `all`, also those of modules
/// without a layer.
fn wrong_imports(sources: &str, layers: Layers, all: bool) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(sources);
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    let mut wrong = Vec::new();
    for path in files {
        let relative = path.strip_prefix(&root).expect("the file is below the root");
        let mut names = relative.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let mut name = || names.next().unwrap_or_default().trim_end_matches(".rs").to_owned();
        let (own, module) = (name(), name());
        let Some(own_layer) = layer(layers, &own, &module) else { continue };
        let text = fs::read_to_string(&path).expect("the source can be read");
        // The imports of tests are independent of layers.
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let lines = code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (number, line) in lines {
            for (at, _) in line.match_indices("crate::") {
                for (used, part) in beginnings(&line[at + 7..]) {
                    let is_wrong = match layer(layers, &used, &part) {
                        Some(used) => used > own_layer,
                        None => all,
                    };
                    if is_wrong {
                        wrong.push(format!(
                            "{}:{}: {own} uses {used}::{part}",
                            relative.display(),
                            number + 1
                        ));
                    }
                }
            }
        }
    }
    wrong
}

#[test]
fn lower_layers_never_import_higher_ones() {
    let mut wrong = wrong_imports("../core/engine/src", ENGINE, false);
    wrong.extend(wrong_imports("../core/pcore/src", PCORE, true));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The files of `hiera`, lowest first: a lookup goes one way, and its layers are those of `hiera/mod.rs`.
const HIERA: Layers = &[
    &["text", "yaml"],
    &["explain", "error"],
    &["types", "key"],
    &["session", "invocation"],
    &["config", "merge", "dig", "convert"],
    &["query", "interpolate"],
    &["context", "backends", "locations", "loaded"],
    &["values"],
    &["provider"],
    &["layers"],
    &["options"],
    &["state", "places"],
    &["search"],
    &["mod"],
];

#[test]
fn a_lookup_goes_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/engine/src/hiera");
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    let (mut asked, mut wrong) = (0, Vec::new());
    for path in files {
        let relative = path.strip_prefix(&root).expect("the file is below the root");
        let is_inner = relative.components().count() > 1 && !relative.ends_with("mod.rs");
        let own = relative.iter().next().unwrap_or_default().to_string_lossy();
        let own = own.trim_end_matches(".rs");
        let own_layer = layer(HIERA, own, "").unwrap_or_else(|| panic!("{own} has no layer"));
        let text = fs::read_to_string(&path).expect("the source can be read");
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let lines = code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (number, line) in lines {
            let starts = if is_inner { "crate::hiera::" } else { "super::" };
            for (at, found) in line.match_indices(starts) {
                for (used, _) in beginnings(&line[at + found.len()..]) {
                    asked += 1;
                    let used_layer = layer(HIERA, &used, "");
                    if own != "mod" && used_layer.is_none_or(|used| used > own_layer) {
                        wrong.push(format!("{}:{}: {own} uses {used}", relative.display(), number + 1));
                    }
                }
            }
        }
    }
    assert!(asked > 80, "{asked} imports");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A thread that waits for a lock while it holds Ruby's own waits for ever if the lock's holder needs Ruby's
/// (ARCHITECTURE.md, "Invariants").
#[test]
fn what_the_gem_needs_of_ruby_is_looked_up_when_it_is_loaded() {
    let mut files = Vec::new();
    rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../ruby-ext/src"), &mut files);
    let texts: Vec<String> =
        files.iter().map(|path| fs::read_to_string(path).expect("the source can be read")).collect();
    let code =
        || texts.iter().flat_map(|text| text.lines()).filter(|line| !line.trim_start().starts_with("//"));
    let word = |text: &str| -> String {
        text.trim_start().chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect()
    };

    let mut classes = Vec::new();
    for text in &texts {
        for (at, _) in text.match_indices("class = \"Bunraku::") {
            classes.extend(text[at..].split_once("struct ").map(|(_, name)| word(name)));
        }
    }
    assert!(classes.len() >= 8, "{classes:?}");
    for class in classes {
        let defined = format!("class::define::<{class}>(");
        assert!(code().any(|line| line.contains(&defined)), "{class}: class::define");
    }
    for line in code().filter(|line| line.contains(": LazyId")) {
        let name = word(line.split_once("static ").expect("it is static").1);
        let forced = format!("LazyId::force(&{name},");
        assert!(code().any(|line| line.contains(&forced)), "{name}: LazyId::force");
    }
    let late = ["OnceLock", "LazyLock", "OnceCell", "Lazy<", "Condvar"];
    let found: Vec<&str> = code().filter(|line| late.iter().any(|word| line.contains(word))).collect();
    assert!(found.is_empty(), "{found:?}");
}

/// The words of a `static`'s type.
fn statics(text: &str) -> Vec<(usize, String)> {
    let starts_static = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix("pub").map_or(line, |rest| {
            rest.strip_prefix('(')
                .and_then(|rest| rest.split_once(')'))
                .map_or(rest, |(_, rest)| rest)
                .trim_start()
        });
        line.starts_with("static ")
    };
    let mut found = Vec::new();
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if starts_static(line) {
            let item = &text[at..];
            found.push((number + 1, item[..item.find(" =").unwrap_or(item.len())].to_owned()));
        }
        at += line.len();
    }
    found
}

/// The shared state of compilations belongs to an environment (`loader/caches.rs`). A `LazyLock` is a
/// constant that is built on first use. The counts of threads are the allocator's, the current stack of a
/// thread is the crossing's, and `bug.rs` decides how a panic is reported.
#[test]
fn no_static_of_the_core_holds_state() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core");
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    let kept_by_threads =
        ["allocator/src/lib.rs", "crossing/src/lib.rs", "stacks/src/room.rs", "syntax/src/diagnostic/bug.rs"];
    let holders = ["Mutex", "RwLock", "Once", "OnceLock", "OnceCell", "Cell", "RefCell", "UnsafeCell", "mut"];
    let (mut count, mut wrong) = (0, Vec::new());
    for path in files {
        let relative = path.strip_prefix(&root).expect("the file is below the root").to_string_lossy();
        if kept_by_threads.contains(&&*relative) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("the source can be read");
        for (line, item) in statics(&text) {
            count += 1;
            let mut words = item.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
            if words.any(|word| holders.contains(&word) || word.starts_with("Atomic")) {
                wrong.push(format!("{relative}:{line}: {item}"));
            }
        }
        if text.lines().any(|line| line.trim_start().starts_with("thread_local!")) {
            wrong.push(format!("{relative}: thread_local"));
        }
    }
    assert!(count > 50, "{count} statics");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
