//! Tasks: the parameters that their metadata declare, and those that their scripts read.

use bunraku_engine::loader::{Environment, Loaded, join_path};
use bunraku_host::{self as host, FILE_SIZE, Reading};
use bunraku_index::{FileIndex, Role};
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_pcore::value::Value;
use bunraku_syntax::source::Span;
use rustc_hash::FxHashSet;
use serde_json::{Map, Value as Json};

use super::codes::Code;
use super::finding::{Finding, Place, Severity};
use super::suggest::nearest;
use super::world::{Parameter, World};

/// Reports parameters that only the metadata or only the scripts of a task know.
pub(crate) fn check(
    world: &World<'_>,
    is_wanted: &dyn Fn(Option<&str>) -> bool,
    findings: &mut Vec<Finding>,
) {
    let files = world.index.files().iter().filter(|file| file.role == Role::Task);
    for file in files.filter(|file| is_wanted(file.path.as_deref())) {
        let Some(task) = Task::of(world, file) else { continue };
        task.unread(findings);
        task.undeclared(findings);
    }
}

/// The parameters that the metadata of a task list; `None` if they list none.
pub(crate) fn parameters(
    environment: &Environment,
    loaded: &Loaded,
    file: &FileIndex,
) -> Option<Vec<Parameter>> {
    let document = serde_json::from_str::<Json>(file.source.text()).ok()?;
    let types = environment.types(loaded);
    let parameter = |(name, one): (&String, &Json)| {
        let text = one.get("type").and_then(Json::as_str).unwrap_or("Any");
        let of = Type::parse(text, &types).unwrap_or_else(|_| TypeKind::Any.into());
        Parameter {
            name: name.clone(),
            is_required: one.get("default").is_none() && !of.is_instance(&Value::Undef),
            of,
            place: place_of(file, name),
        }
    };
    Some(document.get("parameters")?.as_object()?.iter().map(parameter).collect())
}

/// Whether a module has a task without metadata.
pub(crate) fn exists(environment: &Environment, name: &str) -> bool {
    let (module, task) = name.split_once("::").unwrap_or((name, "init"));
    let Some(module) = environment.find_module(module) else { return false };
    let names = environment.host.list(&module.file("tasks")).unwrap_or_default();
    names.iter().any(|name| name.split('.').next() == Some(task))
}

/// The place of a parameter in the metadata of a task.
fn place_of(file: &FileIndex, name: &str) -> Place {
    let text = file.source.text();
    let from = text.find("\"parameters\"").unwrap_or_default();
    let quoted = format!("\"{name}\"");
    let at = text.get(from..).and_then(|rest| rest.find(&quoted)).map_or(from, |at| from + at) + 1;
    Place::of(&file.source, Span::new(at as u32, (at + name.len()) as u32))
}

/// A task that says which parameters it takes.
struct Task<'w> {
    file: &'w FileIndex,
    name: String,
    parameters: Map<String, Json>,
    /// The texts of what can be run, and of files that it may load.
    scripts: Vec<String>,
    /// Whether all files that it asks for are there.
    is_whole: bool,
}

impl<'w> Task<'w> {
    fn of(world: &World<'w>, file: &'w FileIndex) -> Option<Self> {
        let document = serde_json::from_str::<Json>(file.source.text()).ok()?;
        let Some(Json::Object(parameters)) = document.get("parameters") else { return None };
        let host = &*world.environment.host;
        let (directory, name) = file.path.as_deref()?.rsplit_once('/')?;
        let name = name.strip_suffix(".json")?;
        let implementations = document.get("implementations").and_then(Json::as_array);
        let listed: Vec<&str> = implementations
            .into_iter()
            .flatten()
            .filter_map(|one| one.get("name").and_then(Json::as_str))
            .collect();
        let is_own = |other: &String| match listed.as_slice() {
            [] => other.split('.').next() == Some(name) && !other.ends_with(".json"),
            listed => listed.contains(&other.as_str()),
        };
        let own = host.list(directory).unwrap_or_default().into_iter().filter(is_own);
        let mut paths: Vec<String> = own.map(|name| join_path(directory, &name)).collect();
        let parts = std::iter::once(&document).chain(implementations.into_iter().flatten());
        let mut is_whole = true;
        for one in parts.filter_map(|part| part.get("files")?.as_array()).flatten() {
            let named = one.as_str().and_then(|path| path.split_once('/'));
            let path =
                named.and_then(|(module, rest)| Some(world.environment.find_module(module)?.file(rest)));
            match path {
                Some(path) if path.ends_with('/') => {
                    paths.extend(bunraku_index::files_below(host, path.trim_end_matches('/'), ".rb"));
                }
                Some(path) if host.info(&path).is_some() => paths.push(path),
                _ => is_whole = false,
            }
        }
        let read = |path: &String| host::read(host, path, &Reading::of_size(FILE_SIZE)).ok();
        let scripts = paths.iter().filter_map(read);
        let scripts = scripts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect();
        Some(Self { file, name: name.to_owned(), parameters: parameters.clone(), scripts, is_whole })
    }

    /// Parameters that no script names. A script that names none hands all of them on.
    fn unread(&self, findings: &mut Vec<Finding>) {
        let is_read = |name: &&String| self.scripts.iter().any(|text| has_name(text, name));
        let (read, unread): (Vec<&String>, Vec<&String>) = self.parameters.keys().partition(is_read);
        if read.is_empty() || !self.is_whole {
            return;
        }
        // A script that takes its input as a whole may hand on what it does not name.
        let takes_all =
            |text: &String| ["stdin", "STDIN", "kwargs", "**", "PT_*"].iter().any(|word| text.contains(word));
        let severity = if self.scripts.iter().any(takes_all) { Severity::Note } else { Severity::Warning };
        for name in unread.into_iter().filter(|name| !name.starts_with('_')) {
            let message = format!("no script of the task '{}' reads its parameter '{name}'", self.name);
            findings.push(Finding::new(Code::TaskParameter, severity, place_of(self.file, name), message));
        }
    }

    /// Variables of the environment for parameters that the metadata do not have.
    fn undeclared(&self, findings: &mut Vec<Finding>) {
        let mut told = FxHashSet::default();
        for name in self.scripts.iter().flat_map(|text| variables(text)) {
            let is_known = self.parameters.keys().any(|known| known.eq_ignore_ascii_case(name));
            if is_known || name.starts_with('_') || name == "noop" || !told.insert(name) {
                continue;
            }
            let mut message = format!(
                "a script of the task '{}' reads the parameter '{name}', which there is not",
                self.name
            );
            if let Some(near) = nearest(name, self.parameters.keys().map(String::as_str)) {
                message.push_str(&format!("; did it mean '{near}'?"));
            }
            let place = place_of(self.file, "parameters");
            findings.push(Finding::new(Code::TaskParameter, Severity::Warning, place, message));
        }
    }
}

/// The names of parameters in variables of the environment: `PT_x`.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
    text.match_indices("PT_").filter_map(move |(at, mark)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let rest = text.get(at + mark.len()..)?;
        let end = rest.find(|char| !is_part(char)).unwrap_or(rest.len());
        let name = rest.get(..end)?;
        // `PT_${name}` is put together.
        let is_whole = !rest.get(end..)?.starts_with(['$', '{', '#', '*']) && !name.is_empty();
        (!before.is_some_and(is_part) && is_whole).then_some(name)
    })
}

/// Whether a script names a parameter, in any case of letters as PowerShell does.
fn has_name(text: &str, name: &str) -> bool {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let (text, name) = (text.to_ascii_lowercase(), name.to_ascii_lowercase());
    text.match_indices(&name).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let bytes = text.as_bytes();
        let is_start = !is_part(before.as_bytes().last()) || before.ends_with("pt_");
        is_start && !is_part(bytes.get(at + name.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_variables_of_the_environment() {
        let text = "echo $PT_name ${PT_count} $PT_${x} $PT__task XPT_y ENV['PT_mode']";
        assert_eq!(variables(text).collect::<Vec<_>>(), ["name", "count", "_task", "mode"]);
        assert!(has_name(text, "count") && has_name("Param([String]$Count)", "count"));
        assert!(!has_name("counts recount", "count"));
    }
}
