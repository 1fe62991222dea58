//! Cases for people: a manifest in `tests/cases/NAME.pp` and, in `NAME.out`, the output and the result of
//! compiling it.
//!
//! A case has one file, or several after lines `# -- PATH --`; the text before the first of them is the main
//! manifest. A line `#: facts {…}` sets facts as JSON, `#: setting NAME=VALUE` a setting. `cases/ask.rb`
//! compares the same files with the reference.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku::{Catalog, Environment, Error, LogEntry, MemoryHost, NodeInput, Resource, Value};
use serde_json::{Map, Value as Json};

/// The environment's directory in the host's memory.
const ROOT: &str = "/code/production";
/// The resources of every catalog.
const ALWAYS: [&str; 3] = ["Stage[main]", "Class[Settings]", "Class[main]"];

/// A manifest with its expected result.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name of its file without the suffix.
    pub name: String,
    manifest: PathBuf,
}

/// The directory of the cases.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

/// All cases, by name.
///
/// # Errors
/// The directory cannot be read.
pub fn all() -> io::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for entry in fs::read_dir(directory())? {
        let manifest = entry?.path();
        if manifest.extension().is_some_and(|extension| extension == "pp") {
            let name = manifest.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            cases.push(Case { name, manifest });
        }
    }
    cases.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(cases)
}

impl Case {
    fn expected(&self) -> PathBuf {
        self.manifest.with_extension("out")
    }

    /// Compares the result of the case with its file.
    ///
    /// # Errors
    /// They differ: the message contains the differing lines and how to renew the file. Or a file cannot be
    /// read.
    pub fn check(&self) -> Result<(), String> {
        let text =
            |path: &Path| fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
        let manifest = text(&self.manifest)?;
        let (wanted, got) = (text(&self.expected())?, answer(&manifest)?);
        if wanted == got {
            return Ok(());
        }
        let mut told = format!("tests/cases/{}.pp\n", self.name);
        for difference in lines_that_differ(&wanted, &got) {
            told.push_str(&difference);
        }
        let _ = writeln!(told, "renew:  cargo run -p conform -- cases --bless {}", self.name);
        Err(told)
    }

    /// Writes the result of the case to its file.
    ///
    /// # Errors
    /// A file cannot be read or written, or the case has an invalid header.
    pub fn bless(&self) -> io::Result<()> {
        let text = answer(&fs::read_to_string(&self.manifest)?).map_err(io::Error::other)?;
        fs::write(self.expected(), text)
    }
}

/// The lines of both texts from the first that differs to the last, with their signs.
fn lines_that_differ(wanted: &str, got: &str) -> Vec<String> {
    let (wanted, got): (Vec<&str>, Vec<&str>) = (wanted.lines().collect(), got.lines().collect());
    let same = |(one, other): &(&&str, &&str)| one == other;
    let before = wanted.iter().zip(&got).take_while(same).count();
    let behind = wanted[before..].iter().rev().zip(got[before..].iter().rev()).take_while(same).count();
    let signed = |sign: char, lines: &[&str]| -> Vec<String> {
        lines[before..lines.len() - behind].iter().map(|line| format!("{sign} {line}\n")).collect()
    };
    [signed('-', &wanted), signed('+', &got)].concat()
}

/// The result of a case, as text.
fn answer(text: &str) -> Result<String, String> {
    let mut host = MemoryHost::new();
    let mut node = NodeInput::new("web01.example.net");
    let mut settings = Map::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("#: ")) {
        match line.split_once(' ') {
            Some(("facts", facts)) => {
                let facts: Map<String, Json> =
                    serde_json::from_str(facts).map_err(|error| format!("facts: {error}"))?;
                for (name, value) in &facts {
                    node = node.fact(name, Value::from_json(value).map_err(|error| error.message)?);
                }
            }
            Some(("setting", setting)) => {
                let (name, value) = setting.split_once('=').ok_or("a setting has no value")?;
                settings.insert(name.to_owned(), Json::from(value));
            }
            _ => return Err(format!("unknown header: {line}")),
        }
    }
    for (path, text) in files(text) {
        host.add(format!("{ROOT}/{path}"), text);
    }
    let builder = Environment::builder("production").environmentpath("/code").host(Arc::new(host));
    let builder = settings.into_iter().fold(builder, |builder, (name, value)| builder.setting(name, value));
    let environment = match builder.load() {
        Ok(environment) => environment,
        Err(error) => return Ok(failure(&error)),
    };
    let compiled = environment.compilation(node).check_cycles().run();
    let mut out: String = compiled.logs.iter().map(log).collect();
    out.push_str(&compiled.catalog.map_or_else(|error| failure(&error), |catalog| contents(&catalog)));
    Ok(out)
}

/// The files of a case, by their paths in the environment.
fn files(text: &str) -> Vec<(String, String)> {
    let mut files = vec![("manifests/site.pp".to_owned(), String::new())];
    for line in text.lines() {
        let path = line.strip_prefix("# -- ").and_then(|line| line.strip_suffix(" --"));
        match (path, files.last_mut()) {
            (Some(path), _) => files.push((path.to_owned(), String::new())),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    files
}

fn place(file: Option<&str>, line: Option<u32>) -> String {
    let file = file.map(|file| file.trim_start_matches(ROOT).trim_start_matches('/'));
    match (file, line) {
        (Some(file), Some(line)) => format!("  # {file}:{line}"),
        (Some(file), None) => format!("  # {file}"),
        _ => String::new(),
    }
}

fn log(entry: &LogEntry) -> String {
    let place = place(entry.location.file.as_deref(), entry.location.line);
    let level = format!("{:?}", entry.level).to_lowercase();
    format!("{level}: {}: {}{place}\n", entry.source, entry.message.replace(&format!("{ROOT}/"), ""))
}

fn failure(error: &Error) -> String {
    format!("error: {}\n", error.to_string().replace(&format!("{ROOT}/"), ""))
}

fn contents(catalog: &Catalog) -> String {
    let mut out = String::new();
    let of_case = catalog.resources().filter(|resource| !ALWAYS.contains(&resource.reference().as_str()));
    for resource in of_case {
        write_resource(&mut out, &resource);
    }
    out
}

fn write_resource(out: &mut String, resource: &Resource<'_>) {
    let sign = if resource.is_exported() { "@@" } else { "" };
    let place = place(resource.file(), resource.line());
    let _ = writeln!(out, "{sign}{}{place}", resource.reference());
    for (name, value) in resource.parameters() {
        let _ = writeln!(out, "  {name} => {value}");
    }
}
