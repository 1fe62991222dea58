//! Comments that suppress findings.

use bunraku_index::Index;
use rustc_hash::FxHashMap;

use super::finding::Finding;

/// How comments begin that leave findings out.
const MARK: &str = "bunraku:ignore[";

/// Removes the findings that comments in their files suppress: those on the line of the comment, and those on
/// the next line if the comment has a line of its own.
pub(crate) fn suppress(index: &Index, only: Option<&[&str]>, findings: &mut Vec<Finding>) {
    let mut lines: FxHashMap<&str, Vec<(u32, Vec<String>)>> = FxHashMap::default();
    let files: Vec<_> = match only {
        Some(only) => only.iter().filter_map(|path| index.file(path)).collect(),
        None => index.files().iter().collect(),
    };
    for file in files {
        let text = file.source.text();
        let Some(path) = file.path.as_deref().filter(|_| text.contains(MARK)) else { continue };
        lines.insert(path, suppressions(text));
    }
    if lines.is_empty() {
        return;
    }
    findings.retain(|finding| {
        let of_file = finding.place.file.as_deref().and_then(|file| lines.get(file));
        let is_out = |(line, codes): &(u32, Vec<String>)| {
            *line == finding.place.line
                && codes.iter().any(|code| finding.code.name().starts_with(code.as_str()))
        };
        !of_file.is_some_and(|all| all.iter().any(is_out))
    });
}

/// The lines of a text that comments speak of, with the codes that they leave out.
fn suppressions(text: &str) -> Vec<(u32, Vec<String>)> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some((before, rest)) = line.split_once(MARK) else { continue };
        let Some((codes, _)) = rest.split_once(']') else { continue };
        let Some((code, _)) = before.rsplit_once('#') else { continue };
        let codes = codes.split(',').map(|code| code.trim().to_owned()).filter(|code| !code.is_empty());
        let is_alone = code.trim().trim_start_matches("<%").is_empty();
        found.push((if is_alone { number + 1 } else { number }, codes.collect()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_speak_of_their_line_or_the_next() {
        let text = "a # bunraku:ignore[x, y] why\n# bunraku:ignore[z]\nb\n";
        let wanted = vec![(1, vec!["x".to_owned(), "y".to_owned()]), (3, vec!["z".to_owned()])];
        assert_eq!(suppressions(text), wanted);
    }
}
