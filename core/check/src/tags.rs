//! Tags that collectors ask for.

use bunraku_index::Index;

/// Whether anything in an environment can have a tag: the word stands anywhere in a file, apart from the
/// queries that ask for it, or an interpolation may make it. Tags come from names, titles, data and
/// templates, too.
pub(crate) fn may_exist(index: &Index, tag: &str) -> bool {
    let texts = || index.files().iter().map(|file| file.source.text());
    let interpolated = interpolations(tag);
    texts().any(|text| has(text, tag))
        || texts().any(|text| interpolated.iter().any(|part| text.contains(part.as_str())))
        || texts().any(|text| has(&text.to_lowercase(), tag))
}

/// The beginnings and ends of texts with an interpolation that make a tag.
fn interpolations(tag: &str) -> Vec<String> {
    let splits = tag.char_indices().map(|(at, _)| tag.split_at(at)).skip(1);
    let parts = |(first, last): (&str, &str)| {
        ['"', '\''].map(|quote| [format!("{quote}{first}${{"), format!("}}{last}{quote}")])
    };
    splits.flat_map(parts).flatten().collect()
}

fn has(text: &str, tag: &str) -> bool {
    let is_part = |char: Option<char>| char.is_some_and(|char| char.is_alphanumeric() || char == '_');
    text.match_indices(tag).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let behind = text.get(at + tag.len()..).unwrap_or_default();
        !is_part(before.chars().next_back()) && !is_part(behind.chars().next()) && !is_query(before)
    })
}

/// Whether a text ends within the query for a tag: `tag == '`.
fn is_query(before: &str) -> bool {
    let before = before.trim_end_matches(['\'', '"']).trim_end();
    before.strip_suffix("==").is_some_and(|before| before.trim_end().ends_with("tag"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolations_may_make_tags() {
        let is_interpolated =
            |text: &str, tag| interpolations(tag).iter().any(|part| text.contains(part.as_str()));
        assert!(is_interpolated("tag => \"php::package::${sapi}\"", "php::package::fpm"));
        assert!(is_interpolated("tag => \"${name}_fpm\"", "php_fpm"));
        assert!(!is_interpolated("tag => \"x${name}\"", "php_fpm"));
    }

    #[test]
    fn queries_do_not_count() {
        assert!(!has("File <| tag == 'web' |>\nUser <| tag=='web' |>", "web"));
        assert!(!has("tag('webs')", "web") && !has("tag('the_web')", "web"));
        assert!(
            has("tag('web')", "web")
                && has("class a::web {", "web")
                && has("File <| tag == 'web' |> # web", "web")
        );
    }
}
