//! The maximum lengths of source files and functions.

use std::fs;
use std::path::{Path, PathBuf};

use crate::layers::rust_files;

/// The lines that a source file may have.
const MAX_FILE_LINES: usize = 1000;

/// The lines that a function may have, unless it is a table.
const MAX_FUNCTION_LINES: usize = 80;

/// The lines that an arm of a table may have, without its patterns.
const MAX_ARM_LINES: usize = 12;

/// The lines that a table may have around its `match`.
const MAX_LINES_AROUND_TABLE: usize = 20;

/// The sources of the workspace, with their paths.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for directory in ["core", "ffi/src", "ruby-ext/src", "tests/src", "tests/tests", "benches"] {
        rust_files(&root.join(directory), &mut files);
    }
    let text = |path: &PathBuf| fs::read_to_string(path).expect("the source can be read");
    files.into_iter().map(|path| (path.strip_prefix(&root).expect("below").into(), text(&path))).collect()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The index of the line that closes what the first of the lines opens: the next one that is indented as it
/// and begins with a brace. rustfmt has made it so.
fn closing(lines: &[&str]) -> Option<usize> {
    let depth = indent(lines.first()?);
    lines.iter().position(|line| line.trim_start().starts_with('}') && indent(line) == depth)
}

/// The functions of a source file that have bodies of several lines: the number of the first line, and the
/// lines.
fn functions<'t>(lines: &'t [&'t str]) -> impl Iterator<Item = (usize, &'t [&'t str])> {
    lines.iter().enumerate().filter_map(|(at, line)| {
        let (before, _) = line.split_once("fn ")?;
        let is_function = before.trim_start().is_empty()
            || ["pub", "const", "async", "unsafe", "extern"]
                .iter()
                .any(|word| before.trim_start().starts_with(word));
        // A method of a trait may have no body: its signature ends with a semicolon.
        let signature = lines[at..].iter().find(|line| line.ends_with('{') || line.ends_with([';', '}']))?;
        if !is_function || !signature.ends_with('{') {
            return None;
        }
        let length = closing(&lines[at..])? + 1;
        Some((at + 1, &lines[at..at + length]))
    })
}

/// Whether a function is a table: one `match` with short arms.
fn is_table(function: &[&str]) -> bool {
    let matches = function.iter().enumerate().filter_map(|(at, line)| {
        let begins = line.contains("match ") && line.ends_with('{');
        let length = begins.then(|| closing(&function[at..])).flatten()?;
        Some((&function[at + 1..at + length], indent(line) + 4))
    });
    let Some((arms, depth)) = matches.max_by_key(|(arms, _)| arms.len()) else { return false };
    let mut arm_lines = 0;
    let is_short = arms.iter().all(|line| {
        let text = line.trim_start();
        let is_own = indent(line) == depth;
        if is_own && text.starts_with(|c: char| !matches!(c, '|' | '}' | ')' | ']' | '/')) {
            arm_lines = 0;
        }
        // The patterns of an arm are not counted.
        arm_lines += usize::from(!is_own || !text.starts_with('|'));
        arm_lines <= MAX_ARM_LINES
    });
    is_short && function.len() - arms.len() <= MAX_LINES_AROUND_TABLE
}

#[test]
fn no_source_file_is_longer_than_a_thousand_lines() {
    let lines = sources().into_iter().map(|(path, text)| (path, text.lines().count()));
    let long: Vec<_> = lines.filter(|(_, count)| *count > MAX_FILE_LINES).collect();
    assert!(long.is_empty(), "{long:?}");
}

#[test]
fn functions_are_short_but_for_tables() {
    let (mut count, mut tables, mut long) = (0, 0, Vec::new());
    for (path, text) in sources() {
        let lines: Vec<&str> = text.lines().collect();
        for (number, function) in functions(&lines) {
            count += 1;
            if function.len() > MAX_FUNCTION_LINES {
                if is_table(function) {
                    tables += 1;
                } else {
                    long.push(format!("{}:{number}: {} lines", path.display(), function.len()));
                }
            }
        }
    }
    assert!(count > 8_000, "{count} functions");
    assert!(tables < 10, "{tables} tables");
    assert!(long.is_empty(), "{}", long.join("\n"));
}
