//! Node definitions that no node gets: Puppet takes the one with the node's name, or else the first whose
//! pattern matches.

use bunraku_index::{Definition, Kind, Located};
use bunraku_pcore::fuel::BoundedFuel;
use bunraku_pcore::value::RegexpValue;
use rustc_hash::FxHashMap;

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
    let named: FxHashMap<&str, Located<'_, Definition>> =
        nodes.iter().map(|one| (one.item.name.as_str(), *one)).collect();
    let patterns: Vec<(Located<'_, Definition>, RegexpValue)> =
        nodes.iter().filter_map(|one| Some((*one, RegexpValue::new(pattern_of(&one.item.name)?)))).collect();
    for (at, (one, regexp)) in patterns.iter().enumerate() {
        if !is_wanted(one.file.path.as_deref()) {
            continue;
        }
        let only = literal_of(&regexp.source);
        let mut before = patterns.iter().take(at).filter(|(other, _)| other.file.path == one.file.path);
        let takes_all = |regexp: &RegexpValue| {
            ALL.contains(&&*regexp.source) || only.as_deref().is_some_and(|name| matches(regexp, name))
        };
        let before = before.find(|(_, regexp)| takes_all(regexp)).map(|(other, _)| *other);
        let by_name = || only.as_deref().and_then(|name| named.get(name).copied());
        let Some(other) = before.or_else(by_name) else { continue };
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

fn matches(regexp: &RegexpValue, name: &str) -> bool {
    let fuel = BoundedFuel::default();
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
