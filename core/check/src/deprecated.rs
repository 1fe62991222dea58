//! Documentation that advises against a use.

use bunraku_index::{Definition, Located, Role};

/// What the documentation of a definition says of why it is not to be used any more: its tag `@deprecated`,
/// or a description that begins with the word.
pub(crate) fn of(place: Located<'_, Definition>) -> Option<String> {
    match (&place.item.documentation, place.file.role) {
        (Some(documentation), _) => said(documentation.lines()),
        (None, Role::RubyFunction) => {
            let lines = place.file.source.text().lines().map(str::trim_start);
            let comments = lines.take_while(|line| line.is_empty() || line.starts_with('#'));
            said(comments.map(|line| line.trim_start_matches('#')))
        }
        _ => None,
    }
}

fn said<'t>(lines: impl Iterator<Item = &'t str>) -> Option<String> {
    let mut is_of_all = true;
    for line in lines.map(str::trim) {
        let text = line.strip_prefix("@summary").unwrap_or(line).trim_start();
        if let Some(reason) = line.strip_prefix("@deprecated") {
            return Some(reason.trim_start_matches([':', ' ']).to_owned());
        }
        if text.starts_with('@') {
            // The descriptions of parameters and results follow.
            is_of_all = false;
        }
        if let Some(reason) = first_word(text).filter(|_| is_of_all) {
            return Some(reason);
        }
    }
    None
}

/// What follows in a text that begins with the word.
fn first_word(text: &str) -> Option<String> {
    let word = text.split(|char: char| !char.is_ascii_alphabetic()).next()?;
    let reason = text.get(word.len()..).filter(|_| word.eq_ignore_ascii_case("deprecated"))?;
    Some(reason.trim_start_matches(|char: char| !char.is_alphanumeric()).to_owned())
}

/// What the documentation of a definition says of why a parameter is not to be given any more.
pub(crate) fn parameter(documentation: &str, name: &str) -> Option<String> {
    of_parameter(documentation, name).find_map(first_word)
}

/// Whether the documentation says that a parameter has no effect.
pub(crate) fn is_without_effect(documentation: &str, name: &str) -> bool {
    const WORDS: &[&str] =
        &["deprecated", "deprecation", "unused", "not used", "no longer", "no effect", "ignored", "obsolete"];
    of_parameter(documentation, name).any(|line| {
        let line = line.to_lowercase();
        WORDS.iter().any(|word| line.contains(word))
    })
}

/// The lines that documentation has for a parameter: those of `@param name`, or those behind `[*name*]`.
fn of_parameter<'t>(documentation: &'t str, name: &'t str) -> impl Iterator<Item = &'t str> {
    let mut is_inside = false;
    documentation.lines().map(str::trim).filter_map(move |line| {
        let mut text = line;
        if let Some(rest) = line.strip_prefix('@') {
            let rest = rest.strip_prefix("param").map(str::trim_start);
            let rest = rest.map(|rest| match rest.strip_prefix('[') {
                Some(rest) => rest.split_once(']').map_or("", |(_, rest)| rest.trim_start()),
                None => rest,
            });
            let (named, described) = rest.map_or(("", ""), |rest| rest.split_once(' ').unwrap_or((rest, "")));
            is_inside = named == name;
            text = described.trim_start();
        } else if let Some((named, described)) =
            line.strip_prefix("[*").and_then(|rest| rest.split_once("*]"))
        {
            is_inside = named == name;
            text = described.trim_start();
        }
        is_inside.then_some(text)
    })
}

/// The message of a finding: what it is, and the reason if there is one.
pub(crate) fn message(what: &str, reason: &str) -> String {
    match reason {
        "" => format!("{what} is deprecated"),
        _ => format!("{what} is deprecated: {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_first_words_count() {
        let said = |text: &str| said(text.lines());
        assert_eq!(said("Makes x.\n@deprecated Use b.").as_deref(), Some("Use b."));
        assert_eq!(
            said("@summary DEPRECATED.  Use the namespaced one").as_deref(),
            Some("Use the namespaced one")
        );
        assert_eq!(said("**Deprecated**: gone soon").as_deref(), None);
        assert_eq!(said("Makes x, not deprecated.\n@param a\n  Deprecated."), None);
    }

    #[test]
    fn what_is_kept_for_old_users_has_no_effect() {
        let text =
            "A class.\n@param a\n  Deprecated, use b.\n@param b\n  What counts.\n@param [Any] c Is ignored";
        assert_eq!(["a", "b", "c"].map(|name| is_without_effect(text, name)), [true, false, true]);
    }

    #[test]
    fn parameters_have_their_own_words() {
        let text = "A class.\n@param a\n  What counts.\n@param b Deprecated, use a.\n@param [String] c\n  DEPRECATED";
        assert_eq!(parameter(text, "a"), None);
        assert_eq!(parameter(text, "b").as_deref(), Some("use a."));
        assert_eq!(parameter(text, "c").as_deref(), Some(""));
        let text = "A class.\n[*a*]\n  Deprecated, use b.\n[*b*]\n  What counts.";
        assert_eq!(parameter(text, "a").as_deref(), Some("use b."));
        assert_eq!(parameter(text, "b"), None);
    }
}
