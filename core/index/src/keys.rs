//! The keys of a data file in YAML, with their places.

use bunraku_syntax::source::Span;

/// The top-level keys of a YAML text with their places: text at the beginning of a line before a `:`. (The
/// YAML parser reads the values; this function finds the places.)
pub(crate) fn of_yaml(text: &str) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if let Some((start, name)) = key(line) {
            let start = (offset + start) as u32;
            found.push((name.to_owned(), Span::new(start, start + name.len() as u32)));
        }
        offset += line.len();
    }
    found
}

/// The keys of `lookup_options` in a YAML text, with their places: one level below it.
pub(crate) fn of_lookup_options(text: &str) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    let mut offset = 0;
    let mut is_inside = false;
    let mut indent = None;
    for line in text.split_inclusive('\n') {
        let inner = line.trim_start_matches(' ');
        let depth = line.len() - inner.len();
        let is_blank = inner.trim().is_empty() || inner.starts_with('#');
        if depth == 0 && !is_blank {
            is_inside = key(line).is_some_and(|(_, name)| name == "lookup_options");
            indent = None;
        } else if is_inside
            && !is_blank
            && *indent.get_or_insert(depth) == depth
            && let Some((start, name)) = key(inner)
        {
            let start = (offset + depth + start) as u32;
            found.push((name.to_owned(), Span::new(start, start + name.len() as u32)));
        }
        offset += line.len();
    }
    found
}

/// The key at the beginning of a line, and its offset in the line.
fn key(line: &str) -> Option<(usize, &str)> {
    let first = line.chars().next()?;
    if let quote @ ('"' | '\'') = first {
        let rest = line.get(1..)?;
        let end = rest.find(quote)?;
        let behind = rest.get(end + 1..)?.trim_start();
        return behind.starts_with(':').then_some((1, rest.get(..end)?));
    }
    if first.is_whitespace() || matches!(first, '#' | '-' | '?' | '{' | '[' | '%' | '.' | '&' | '*' | '!') {
        return None;
    }
    let mut from = 0;
    loop {
        let at = from + line.get(from..)?.find(':')?;
        let behind = line.get(at + 1..)?;
        if behind.is_empty() || behind.starts_with(char::is_whitespace) {
            return Some((0, line.get(..at)?.trim_end()));
        }
        from = at + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stand_at_the_beginning_of_lines() {
        let text = "---\n# a: b\na::b: 1\n'c::d' : 2\n\"e\": x\nf:\n  g: 1\n- h: 2\nu://x: 3\n";
        let found: Vec<_> = of_yaml(text).into_iter().map(|(name, span)| (name, span.start)).collect();
        let wanted = [("a::b", 11), ("c::d", 20), ("e", 31), ("f", 37), ("u://x", 54)];
        assert_eq!(found, wanted.map(|(name, at)| (name.to_owned(), at)));
    }

    #[test]
    fn keys_of_lookup_options_are_one_level_below() {
        let text = "a: 1\nlookup_options:\n  # b: c\n  b::c:\n    merge: deep\n\n  'd::e': {}\nf:\n  g: 1\n";
        let found: Vec<_> =
            of_lookup_options(text).into_iter().map(|(name, span)| (name, span.start)).collect();
        assert_eq!(found, [("b::c", 32), ("d::e", 58)].map(|(name, at)| (name.to_owned(), at)));
    }
}
