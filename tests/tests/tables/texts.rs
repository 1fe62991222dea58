//! How texts for people look: comments, and the pages of the documentation.

use std::fs;
use std::path::{Path, PathBuf};

/// The columns that a line of a comment or a page may have.
const MAX_COLUMNS: usize = 110;

/// Directories with sources and pages.
const DIRECTORIES: &[&str] = &["benches", "core", "docs", "ffi", "packaging", "ruby-ext", "tests"];

/// Directories with foreign, recorded or built files.
const LEFT_OUT: &[&str] = &["data", "fixtures", "target", "vendor"];

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !LEFT_OUT.contains(&name.as_str()) && !name.starts_with('.') {
                files(&path, found);
            }
        } else {
            found.push(path);
        }
    }
}

/// The comment markers in a file with this name; `None` for files that are not checked.
fn comment_marks(path: &Path) -> Option<&'static [&'static str]> {
    match path.extension()?.to_str()? {
        "rs" => Some(&["//"]),
        "rb" => Some(&["# "]),
        _ => None,
    }
}

/// The lines of a page that are too long: tables, blocks, and links are not broken.
fn long_lines_of_page(text: &str) -> Vec<usize> {
    let mut is_block = false;
    let is_long = |line: &str| {
        let breaks = line.trim_start().trim_start_matches(['-', '*']).trim_start().contains(' ');
        let is_text = !line.starts_with("    ") && !line.trim_start().starts_with('|');
        line.chars().count() > MAX_COLUMNS && breaks && is_text
    };
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_block = !is_block;
        } else if !is_block && is_long(line) {
            found.push(number + 1);
        }
    }
    found
}

fn long_lines(path: &Path, text: &str) -> Vec<usize> {
    if path.extension().is_some_and(|extension| extension == "md") {
        return long_lines_of_page(text);
    }
    let Some(marks) = comment_marks(path) else { return Vec::new() };
    let is_comment = |line: &str| marks.iter().any(|mark| line.trim_start().starts_with(mark));
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| is_comment(line) && line.chars().count() > MAX_COLUMNS && !line.contains("://"))
        .map(|(number, _)| number + 1)
        .collect()
}

#[test]
fn comments_and_pages_have_lines_that_fit() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
            .iter()
            .map(|name| root.join(name))
            .collect();
    for directory in DIRECTORIES {
        files(&root.join(directory), &mut paths);
    }
    let mut found = Vec::new();
    for path in paths {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let lines = long_lines(&path, &text);
        let shown = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        found.extend(lines.into_iter().map(|line| format!("{shown}:{line}")));
    }
    assert!(found.is_empty(), "longer than {MAX_COLUMNS} columns:\n{}", found.join("\n"));
}
