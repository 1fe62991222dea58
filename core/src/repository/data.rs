//! YAML and JSON files beside the code of a repository: the data of Hiera and the metadata of modules.

use bunraku_host::FILE_SIZE;
use bunraku_host::disk::DiskHost;
use bunraku_host::{Reading, read};
use bunraku_pcore::Value;
use bunraku_pcore::formats::{json_tokens, yaml};
use bunraku_syntax::diagnostic::{Diagnostic, Issue, Report, Severity};
use bunraku_syntax::source::{Position, Source, Span, Unit};

/// The code of data that is not valid YAML or JSON.
pub(super) const INVALID_DATA: Issue = Issue("invalid-data");

/// The data directories of each Hiera version if the configuration names no others.
const DATA_DIRECTORIES: &[&str] = &["data", "hieradata"];

/// The YAML and JSON files that Hiera and Puppet read: `hiera.yaml`, the files below the data directories
/// that it names, `metadata.json` and the metadata of tasks.
pub(super) fn known(paths: &[String]) -> Vec<String> {
    let name = |path: &str| path.rsplit_once('/').map_or(path, |(_, name)| name).to_owned();
    let mut directories = Vec::new();
    for path in paths.iter().filter(|path| name(path) == "hiera.yaml") {
        let root = path.strip_suffix("hiera.yaml").unwrap_or_default();
        directories.extend(DATA_DIRECTORIES.iter().map(|one| format!("{root}{one}/")));
        directories.extend(named_directories(path).into_iter().map(|one| format!("{root}{one}/")));
    }
    let is_task =
        |path: &str| path.ends_with(".json") && (path.starts_with("tasks/") || path.contains("/tasks/"));
    let is_known = |path: &&String| {
        matches!(name(path).as_str(), "hiera.yaml" | "metadata.json")
            || is_task(path)
            || directories.iter().any(|directory| path.starts_with(directory.as_str()))
    };
    paths.iter().filter(is_known).cloned().collect()
}

/// Returns the data directories that a Hiera configuration names, without those that are patterns.
fn named_directories(path: &str) -> Vec<String> {
    let Ok(bytes) = read(&DiskHost, path, &Reading::of_size(FILE_SIZE)) else { return Vec::new() };
    let Ok(Value::Hash(configuration)) = yaml::parse(&String::from_utf8_lossy(&bytes), Some(path)) else {
        return Vec::new();
    };
    let datadir = |of: &Value| match of {
        Value::Hash(of) => of.get(&Value::from("datadir")).and_then(Value::as_str).map(str::to_owned),
        _ => None,
    };
    let mut found: Vec<String> = Vec::new();
    for (key, value) in configuration.iter() {
        match (key.as_str(), value) {
            (Some("hierarchy" | "default_hierarchy"), Value::Array(entries)) => {
                found.extend(entries.iter().filter_map(datadir));
            }
            (Some("defaults"), value) => found.extend(datadir(value)),
            _ => {}
        }
    }
    let fixed = |name: String| name.split("%{").next().unwrap_or_default().trim_end_matches('/').to_owned();
    found.into_iter().map(fixed).filter(|name| !name.is_empty() && !name.starts_with('/')).collect()
}

/// Returns what is invalid in the text of a YAML or JSON file; the file name selects the format.
pub(super) fn check(source: &Source) -> Option<Diagnostic> {
    let path = source.path().map(|path| &**path).unwrap_or_default();
    let text = source.text();
    let (message, position) = if path.ends_with(".json") {
        // The place of the error comes from another reader.
        let wrong = json_tokens::parse(text).err()?;
        match serde_json::from_str::<serde_json::Value>(text) {
            Err(wrong) => {
                let place = format!(" at line {} column {}", wrong.line(), wrong.column());
                let message = wrong.to_string();
                let message = message.strip_suffix(&place).unwrap_or(&message).to_owned();
                (message, number(wrong.line()).zip(number(wrong.column())))
            }
            Ok(_) => (wrong.message, None),
        }
    } else {
        let wrong = yaml::parse(text, Some(path)).err()?;
        let message = wrong.strip_prefix(&format!("({path}): ")).unwrap_or(&wrong).to_owned();
        let position = fault(text);
        let place = position.map(|(line, column)| format!(" at line {line} column {column}"));
        let message = place.and_then(|place| message.strip_suffix(&place)).unwrap_or(&message).to_owned();
        (message, position)
    };
    let report = Report { issue: INVALID_DATA, message };
    let offset = position.and_then(|(line, column)| {
        source.offset_at(Position { line, column: column.max(1) }, Unit::Character)
    });
    Some(match offset {
        Some(offset) => report.at(Severity::Error, source, Span::new(offset, offset)),
        None => {
            let mut diagnostic = report.unplaced(source, Span::new(0, 0));
            diagnostic.location.file = source.path().cloned();
            diagnostic
        }
    })
}

/// Returns the line and column at which the first document of a text stops being YAML.
pub(crate) fn fault(text: &str) -> Option<(u32, u32)> {
    let mut parser = yaml::Parser::new(text.strip_prefix('\u{feff}').unwrap_or(text));
    loop {
        match parser.next_event() {
            Ok((yaml::Event::DocumentEnd | yaml::Event::StreamEnd, _)) => return None,
            Ok(_) => {}
            Err(fault) => return Some((fault.mark.line + 1, fault.mark.column + 1)),
        }
    }
}

fn number(of: usize) -> Option<u32> {
    u32::try_from(of).ok().filter(|&number| number > 0)
}
