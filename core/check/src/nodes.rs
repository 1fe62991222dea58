//! Node definitions that no node gets: Puppet takes the one with the node's name, or else the first whose
//! pattern matches.

use bunraku_index::{Definition, Kind, Located};
use bunraku_pcore::fuel::BoundedFuel;
use bunraku_pcore::value::RegexpValue;
use rustc_hash::FxHashSet;

use super::codes::Code;
use super::finding::{Finding, Place, Severity};
use super::world::World;

/// Patterns that match every name.
const ALL: &[&str] = &["", ".", ".*", ".+", "^", "^.", "^.*", "^.+", "$", ".$", ".*$", ".+$", "^.*$", "^.+$"];

/// Reports node definitions whose nodes all get another one.
pub(crate) fn check(
    world: &World<'_>,
    is_wanted: &dyn Fn(Option<&str>) -> bool,
    findings: &mut Vec<Finding>,
) {
    let nodes: Vec<Located<'_, Definition>> = world.index.all(Kind::Node).collect();
    let names: FxHashSet<&str> = nodes.iter().map(|one| one.item.name.as_str()).collect();
    for (at, one) in nodes.iter().enumerate() {
        let Some(pattern) = pattern_of(&one.item.name).filter(|_| is_wanted(one.file.path.as_deref())) else {
            continue;
        };
        let only = literal_of(pattern);
        let is_before = |other: &&Located<'_, Definition>| other.file.path == one.file.path;
        let mut before = nodes.iter().take(at).filter(is_before);
        let before = before.find(|other| {
            pattern_of(&other.item.name).is_some_and(|other| {
                ALL.contains(&other) || only.as_deref().is_some_and(|name| matches(other, name))
            })
        });
        let named = || nodes.iter().find(|other| Some(other.item.name.as_str()) == only.as_deref());
        let is_named = only.as_deref().is_some_and(|name| names.contains(name));
        let Some(other) = before.or_else(|| named().filter(|_| is_named)) else { continue };
        let message = format!("no node gets {}: '{}' is chosen before", one.item.name, other.item.name);
        let place = Place::of(&one.file.source, one.item.name_span);
        let finding = Finding::new(Code::ShadowedNode, Severity::Warning, place, message);
        let other = Place::of(&other.file.source, other.item.name_span);
        findings.push(finding.related("this one is chosen", Some(other)));
    }
}

/// The pattern of a node definition that has one: its name is written between slashes.
fn pattern_of(name: &str) -> Option<&str> {
    name.strip_prefix('/')?.strip_suffix('/')
}

/// The only name that a pattern matches, if there is only one.
fn literal_of(pattern: &str) -> Option<String> {
    let pattern = pattern.strip_prefix('^').or_else(|| pattern.strip_prefix("\\A"))?;
    let ends = ["\\z", "\\Z", "$"];
    let pattern = ends.iter().find_map(|end| pattern.strip_suffix(end))?;
    let mut name = String::new();
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => name.push(chars.next().filter(|char| char.is_ascii_punctuation())?),
            'a'..='z' | '0'..='9' | '-' | '_' => name.push(char),
            _ => return None,
        }
    }
    Some(name)
}

fn matches(pattern: &str, name: &str) -> bool {
    let fuel = BoundedFuel::default();
    let regexp = RegexpValue::new(pattern);
    regexp.regex(&fuel).and_then(|regex| regex.is_match(name, &fuel)).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_one_name_are_known() {
        assert_eq!(literal_of(r"^web1\.example\.net$").as_deref(), Some("web1.example.net"));
        assert_eq!(literal_of(r"\Aweb-1\z").as_deref(), Some("web-1"));
        for several in ["web1", "^web1", "^web.$", "^web(1|2)$", r"^web\d$", "^Web$"] {
            assert_eq!(literal_of(several), None, "{several}");
        }
    }
}
