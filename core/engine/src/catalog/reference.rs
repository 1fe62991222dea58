//! References to resources: `Type[title]` as text, and the canonical form of type names and titles.
//!
//! Follows `Puppet::Resource.type_and_title` and `TypeFormatter#capitalize_segments` of the reference.

use indexmap::Equivalent;
use memchr::memchr;

use bunraku_pcore::value::{Str, lower_case, shared};
use bunraku_syntax::case::capitalize;

/// A type and a title to look up among stored pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reference<'r>(pub &'r str, pub &'r str);

impl Equivalent<(Str, Str)> for Reference<'_> {
    fn equivalent(&self, key: &(Str, Str)) -> bool {
        key.1 == self.1 && key.0 == self.0
    }
}

/// The type and title of a text such as `File[/etc/motd]`; `None` if it is not a reference. In a text of
/// several lines, only lines with a reference count.
pub fn split(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    if bytes.last() == Some(&b']') && !bytes.contains(&b'\n') {
        let open = bytes.iter().position(|byte| matches!(byte, b'[' | b']'))?;
        let (type_name, title) = (text.get(..open)?, text.get(open + 1..bytes.len() - 1)?);
        let is_reference = bytes.get(open) == Some(&b'[') && !type_name.is_empty() && !title.is_empty();
        return is_reference.then_some((type_name, title));
    }
    let ends_line = |close: usize| matches!(text.as_bytes().get(close + 1), None | Some(b'\n'));
    let close = text.rmatch_indices(']').map(|(close, _)| close).find(|&close| ends_line(close))?;
    let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(end, _)| end + 1));
    let mut bracket = None;
    for start in lines {
        // The first bracket after a line's start also belongs to the preceding lines.
        let open = match bracket.filter(|open| *open >= start) {
            Some(open) => open,
            None => start + text.get(start..)?.find(['[', ']'])?,
        };
        bracket = Some(open);
        if open > start && text.as_bytes().get(open) == Some(&b'[') && close > open + 1 {
            return Some((text.get(start..open)?, text.get(open + 1..close)?));
        }
    }
    None
}

/// `Type[title]`
pub fn text(type_name: &str, title: &str) -> Str {
    let mut text = Str::with_capacity(type_name.len() + title.len() + 2);
    [type_name, "[", title, "]"].into_iter().for_each(|part| text.push_str(part));
    text
}

/// Whether a reference surely is in its canonical form.
pub fn is_canonical(type_name: &str, title: &str) -> bool {
    let stays = |name: &str| {
        name.as_bytes().first().is_some_and(u8::is_ascii_uppercase) && !name.eq_ignore_ascii_case("component")
    };
    stays(type_name) && (type_name != "Class" || stays(title))
}

/// Type name and title as the catalog knows them: the type capitalised per segment, the title of a class too.
/// An empty type and `component` mean a class, an empty class title means the main class.
pub fn canonical(type_name: &str, title: &str) -> (Str, Str) {
    let type_name = canonical_type(type_name);
    let title = if type_name == "Class" { canonical_class(title) } else { shared(title) };
    (type_name, title)
}

/// The title of a class as the catalog knows it.
pub fn canonical_class(title: &str) -> Str {
    if title.is_empty() { const { Str::inline("main") } } else { canonical_type(title) }
}

fn canonical_type(name: &str) -> Str {
    if name.is_empty() || name.eq_ignore_ascii_case("component") {
        return const { Str::inline("Class") };
    }
    capitalize_segments(name)
}

/// `a::b` as `A::B`. A name that begins with a capital letter stays as it is; all other letters become small.
pub fn capitalize_segments(name: &str) -> Str {
    if name.starts_with(|c: char| c.is_ascii_uppercase()) {
        return shared(name);
    }
    if name.is_ascii() && !name.ends_with("::") {
        return capitalize_ascii(name);
    }
    let mut result = Str::with_capacity(name.len());
    for (number, segment) in name.trim_end_matches("::").split("::").enumerate() {
        if number > 0 {
            result.push_str("::");
        }
        push_capitalized(&mut result, segment);
    }
    result
}

fn capitalize_ascii(name: &str) -> Str {
    let mut result = lower_case(name);
    let text = result.make_mut();
    let mut capitalize = |at: usize| text.get_mut(at..=at).map(str::make_ascii_uppercase);
    capitalize(0);
    let bytes = name.as_bytes();
    let mut at = 0;
    while let Some(colon) = bytes.get(at..).and_then(|rest| memchr(b':', rest)) {
        at += colon + 1;
        if bytes.get(at) == Some(&b':') {
            at += 1;
            capitalize(at);
        }
    }
    result
}

fn push_capitalized(result: &mut Str, segment: &str) {
    if !segment.is_ascii() {
        return result.push_str(&capitalize(segment));
    }
    result.extend(segment.chars().enumerate().map(|(place, letter)| match place {
        0 => letter.to_ascii_uppercase(),
        _ => letter.to_ascii_lowercase(),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_of_a_line_are_split_at_their_first_bracket() {
        for (text, wanted) in [
            ("File[/a]", Some(("File", "/a"))),
            ("File[[a]", Some(("File", "[a"))),
            ("File[a]]", Some(("File", "a]"))),
            ("File[a][b]", Some(("File", "a][b"))),
            ("File[]", None),
            ("[a]", None),
            ("File]a]", None),
            ("File[a", None),
            ("]", None),
            ("", None),
            ("File[a]\nFile[b]", Some(("File", "a]\nFile[b"))),
        ] {
            assert_eq!(split(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_canonical_stays() {
        for (type_name, title) in [("File", "/a"), ("Class", "A::B"), ("A::B", ""), ("Fíle", "x")] {
            assert!(is_canonical(type_name, title));
            assert_eq!(canonical(type_name, title), (type_name.into(), title.into()));
        }
        for (type_name, title) in
            [("", "a"), ("file", "a"), ("Class", "a"), ("Class", ""), ("Component", "a")]
        {
            assert!(!is_canonical(type_name, title));
        }
    }

    #[test]
    fn segments_are_capitalised_alike_with_and_without_other_letters() {
        for (name, wanted) in [
            ("file", "File"),
            ("a::bC::d", "A::Bc::D"),
            ("::a", "::A"),
            ("a::", "A"),
            ("a::::b", "A::::B"),
            ("a:::b", "A:::b"),
            ("", ""),
            ("aé::bc", "Aé::Bc"),
            ("A::b", "A::b"),
        ] {
            assert_eq!(capitalize_segments(name), wanted, "{name}");
        }
    }
}
