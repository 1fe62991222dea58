//! The places of a lookup's data: the layers, levels and files with a value, and the line of a key in a file.
//!
//! The former come from the [`Explanation`] of the lookup; for the latter the file is read again, only for
//! the places of its keys.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::explain::{Event, Explanation, Node, Part, ProviderRole};
use super::key::LOOKUP_OPTIONS;
use super::state::LookupState;
use super::yaml::{Event as YamlEvent, Parser};
use crate::loader::Environment;
use bunraku_syntax::diagnostic::Error;

/// The result of a lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The key.
    pub key: String,
    /// The merge strategy, when it is not the first value that counts.
    pub merge: Option<&'static str>,
    /// The places with a value, highest priority first. Without a merge it is only one.
    pub places: Vec<FoundPlace>,
    /// The lookups for interpolating the value.
    pub interpolated: Vec<Finding>,
}

/// A place of a hierarchy that had a value for a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundPlace {
    /// `global`, `environment` or `module`.
    pub layer: &'static str,
    /// The name of the level in `hiera.yaml`.
    pub level: String,
    /// The file; none when a function gave the value without one.
    pub file: Option<String>,
    /// The key under which the value was found there.
    pub key: String,
}

impl Explanation {
    /// The result of the explained lookup; `None` if nothing was found.
    pub fn finding(&self) -> Option<Finding> {
        let nodes = self.nodes();
        let mut found = Vec::new();
        collect_findings(&nodes, 0, &mut found);
        found.pop()
    }
}

/// Adds the findings of the searches for data below a node.
fn collect_findings(nodes: &[Node], at: usize, found: &mut Vec<Finding>) {
    let Some(node) = nodes.get(at) else { return };
    match &node.part {
        Part::Top { kind: "data", key } => {
            let mut finding =
                Finding { key: key.clone(), merge: None, places: Vec::new(), interpolated: Vec::new() };
            let here = FoundPlace::default();
            node.branches.iter().for_each(|&branch| collect_places(nodes, branch, &here, &mut finding));
            if !finding.places.is_empty() {
                found.push(finding);
            }
        }
        Part::Top { .. } => {}
        _ => node.branches.iter().for_each(|&branch| collect_findings(nodes, branch, found)),
    }
}

/// Adds the places below a node that had a value.
fn collect_places(nodes: &[Node], at: usize, outer: &FoundPlace, finding: &mut Finding) {
    let Some(node) = nodes.get(at) else { return };
    let mut here = outer.clone();
    match &node.part {
        Part::Top { .. }
        | Part::InvalidKey(_)
        | Part::MergeSource(_)
        | Part::SubLookup(_)
        | Part::Segment => return,
        Part::Interpolate(_) => return collect_findings(nodes, at, &mut finding.interpolated),
        Part::Merge { strategy, .. } => {
            if !matches!(*strategy, "first" | "default") {
                finding.merge = finding.merge.or(Some(strategy));
            }
        }
        Part::DataProvider { role: ProviderRole::Layer(layer), .. } => here.layer = layer,
        Part::DataProvider { role: ProviderRole::Level(level), .. } => here.level.clone_from(level),
        Part::Location { is_uri: false, location, .. } => here.file = Some(location.clone()),
        Part::Location { is_uri: true, .. } | Part::Root | Part::Module(_) | Part::Scope(_) => {}
    }
    let key = node.key.as_deref().unwrap_or_default();
    if node.event == Some(Event::LookupResult) && !here.layer.is_empty() && key != LOOKUP_OPTIONS {
        finding.places.push(FoundPlace { key: key.to_owned(), ..here.clone() });
    }
    node.branches.iter().for_each(|&branch| collect_places(nodes, branch, &here, finding));
}

/// Line and column of the keys of a data file, from 1.
pub(super) type KeyPlaces = FxHashMap<String, (u32, u32)>;

impl LookupState {
    /// Line and column of a key in a data file; `None` if the file cannot be read, or does not contain the
    /// key literally.
    pub fn key_place(
        &self,
        environment: &Environment,
        file: &str,
        key: &str,
        check: &dyn Fn() -> Result<(), Error>,
    ) -> Option<(u32, u32)> {
        let kept = self.key_places.borrow().get(file).cloned();
        let places = kept.unwrap_or_else(|| {
            let text =
                environment.read_file(file, check).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            let places = Rc::new(text.map(|text| places_of_keys(file, &text)).unwrap_or_default());
            self.key_places.borrow_mut().insert(file.to_owned(), Rc::clone(&places));
            places
        });
        let symbol = || places.get(format!(":{key}").as_str());
        let root = || places.get(key.split('.').next().unwrap_or(key));
        places.get(key).or_else(symbol).or_else(root).copied()
    }
}

/// The keys at the top of a text, which is JSON, HOCON or YAML by the name of its file.
fn places_of_keys(file: &str, text: &str) -> KeyPlaces {
    match file.rsplit_once('.').map(|(_, extension)| extension) {
        Some("json" | "conf" | "hocon") => Scanner::new(text).keys(),
        _ => yaml_keys(text),
    }
}

/// A collection of a YAML text that is being read.
enum Frame<'t> {
    Sequence { merges: bool },
    Mapping { anchor: Option<&'t str>, keys: KeyPlaces, key: Option<String> },
}

/// The keys of the first document's mapping, with those that merge keys (`<<`) bring.
fn yaml_keys(text: &str) -> KeyPlaces {
    let mut anchors: FxHashMap<&str, KeyPlaces> = FxHashMap::default();
    let mut frames: Vec<Frame<'_>> = Vec::new();
    let mut parser = Parser::new(text.strip_prefix('\u{feff}').unwrap_or(text));
    while let Ok((event, mark)) = parser.next_event() {
        let place = (mark.line + 1, mark.column + 1);
        match event {
            YamlEvent::Scalar { value, .. } => scalar_key(&mut frames, &value, place),
            YamlEvent::Alias(anchor) => {
                let merged = anchors.get(anchor).cloned().unwrap_or_default();
                match frames.last_mut() {
                    Some(Frame::Mapping { key, .. }) if key.is_none() => *key = Some(String::new()),
                    _ => merge_keys(&mut frames, merged),
                }
            }
            YamlEvent::SequenceStart { .. } => {
                let merges = is_merging(&frames);
                value_begins(&mut frames);
                frames.push(Frame::Sequence { merges });
            }
            YamlEvent::MappingStart { anchor, .. } => {
                value_begins(&mut frames);
                frames.push(Frame::Mapping { anchor, keys: KeyPlaces::default(), key: None });
            }
            YamlEvent::SequenceEnd => {
                frames.pop();
                value_ends(&mut frames);
            }
            YamlEvent::MappingEnd => {
                let Some(Frame::Mapping { anchor, keys, .. }) = frames.pop() else { continue };
                if frames.is_empty() {
                    return keys;
                }
                if is_merging(&frames) {
                    merge_keys(&mut frames, keys.clone());
                } else {
                    value_ends(&mut frames);
                }
                if let Some(anchor) = anchor {
                    anchors.insert(anchor, keys);
                }
            }
            YamlEvent::DocumentEnd | YamlEvent::StreamEnd => break,
            _ => {}
        }
    }
    match frames.into_iter().next() {
        Some(Frame::Mapping { keys, .. }) => keys,
        _ => KeyPlaces::default(),
    }
}

/// Whether the next element is the value of `<<`, or in the list that is its value.
fn is_merging(frames: &[Frame<'_>]) -> bool {
    match frames.last() {
        Some(Frame::Mapping { key, .. }) => key.as_deref() == Some("<<"),
        Some(Frame::Sequence { merges }) => *merges,
        None => false,
    }
}

/// A collection begins; where a key is expected it is one without a name.
fn value_begins(frames: &mut [Frame<'_>]) {
    if let Some(Frame::Mapping { key, .. }) = frames.last_mut()
        && key.is_none()
    {
        *key = Some(String::new());
    }
}

fn value_ends(frames: &mut [Frame<'_>]) {
    if let Some(Frame::Mapping { key, .. }) = frames.last_mut() {
        *key = None;
    }
}

fn scalar_key(frames: &mut [Frame<'_>], text: &str, place: (u32, u32)) {
    if let Some(Frame::Mapping { keys, key, .. }) = frames.last_mut() {
        match key {
            Some(_) => *key = None,
            None => {
                keys.insert(text.to_owned(), place);
                *key = Some(text.to_owned());
            }
        }
    }
}

/// Adds the keys of a mapping that `<<` names to the innermost mapping; those that it has itself stay.
fn merge_keys(frames: &mut [Frame<'_>], merged: KeyPlaces) {
    let in_sequence = matches!(frames.last(), Some(Frame::Sequence { .. }));
    let merges = is_merging(frames);
    let mapping = frames.iter_mut().rev().find_map(|frame| match frame {
        Frame::Mapping { keys, key, .. } => Some((keys, key)),
        Frame::Sequence { .. } => None,
    });
    let Some((keys, key)) = mapping else { return };
    if merges {
        for (name, place) in merged {
            keys.entry(name).or_insert(place);
        }
    }
    if !in_sequence {
        *key = None;
    }
}

/// Reads the keys at the top of a JSON or HOCON text; values are skipped.
struct Scanner<'t> {
    rest: &'t str,
    line: u32,
    column: u32,
}

impl<'t> Scanner<'t> {
    const fn new(text: &'t str) -> Self {
        Self { rest: text, line: 1, column: 1 }
    }

    fn keys(mut self) -> KeyPlaces {
        let mut keys = KeyPlaces::default();
        self.blank();
        let base = u32::from(self.rest.starts_with('{'));
        let (mut depth, mut expects_key) = (0, base == 0);
        while let Some(first) = self.rest.chars().next() {
            let place = (self.line, self.column);
            match first {
                '"' => {
                    let text = self.quoted();
                    if expects_key && depth == base {
                        keys.insert(text, place);
                        expects_key = false;
                    }
                }
                '{' | '[' => {
                    depth += 1;
                    expects_key = depth == base && first == '{';
                    self.take(1);
                }
                '}' | ']' => {
                    depth -= depth.min(1);
                    self.take(1);
                }
                ',' | '\n' => {
                    expects_key |= depth == base;
                    self.take(1);
                }
                '#' => self.skip_line(),
                '/' if self.rest.starts_with("//") => self.skip_line(),
                _ if expects_key && depth == base && !first.is_whitespace() => {
                    let is_end = |char: char| char.is_whitespace() || ".:={}+,\"".contains(char);
                    let length = self.rest.find(is_end).unwrap_or(self.rest.len()).max(first.len_utf8());
                    let key = self.rest.get(..length).unwrap_or_default().to_owned();
                    self.take(length);
                    keys.entry(key).or_insert(place);
                    expects_key = false;
                }
                _ => self.take(first.len_utf8()),
            }
        }
        keys
    }

    /// Skips blank space and comments.
    fn blank(&mut self) {
        while let Some(first) = self.rest.chars().next() {
            if first.is_whitespace() || first == '\u{feff}' {
                self.take(first.len_utf8());
            } else if first == '#' || self.rest.starts_with("//") {
                self.skip_line();
            } else {
                return;
            }
        }
    }

    fn skip_line(&mut self) {
        self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
    }

    /// Consumes a quoted text, and returns its content.
    fn quoted(&mut self) -> String {
        if self.rest.starts_with("\"\"\"") {
            let length =
                self.rest.get(3..).and_then(|rest| rest.find("\"\"\"")).map_or(self.rest.len(), |at| at + 6);
            self.take(length);
            return String::new();
        }
        let mut escaped = false;
        let end = self.rest.char_indices().skip(1).find(|&(_, char)| {
            let is_end = char == '"' && !escaped;
            escaped = char == '\\' && !escaped;
            is_end
        });
        let length = end.map_or(self.rest.len(), |(at, _)| at + 1);
        let text = self.rest.get(..length).unwrap_or_default();
        let said = serde_json::from_str(text).unwrap_or_else(|_| text.trim_matches('"').to_owned());
        self.take(length);
        said
    }

    /// Consumes this number of bytes.
    fn take(&mut self, length: usize) {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        for char in taken.chars() {
            if char == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.rest = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &str, text: &str, key: &str) -> Option<(u32, u32)> {
        places_of_keys(file, text).get(key).copied()
    }

    #[test]
    fn keys_of_yaml_are_found_where_they_are_written_also_merged_ones() {
        let text = "---\nbase: &base\n  a::b: 1\n<<: *base\n'a::c': [1,\n 2]\nd: {e: 1}\n";
        assert_eq!(place("x.yaml", text, "a::b"), Some((3, 3)));
        assert_eq!(place("x.yaml", text, "a::c"), Some((5, 1)));
        assert_eq!(place("x.yaml", text, "d"), Some((7, 1)));
        assert_eq!(place("x.yaml", text, "e"), None);
        let text = "a: &a {x: 1}\nb: &b {y: 2}\nz: {w: 1}\n<<: [*a, *b]\nc: 1\n";
        assert_eq!(place("x.yaml", text, "y"), Some((2, 8)));
        assert_eq!(place("x.yaml", text, "c"), Some((5, 1)));
        assert_eq!(place("x.yaml", text, "w"), None);
    }

    #[test]
    fn keys_of_json_and_hocon_are_those_at_the_top() {
        let text = "{ \"a::b\": {\"c\": [1, 2]},\n  \"d\\u0065\": \"x\\\"y\" }";
        assert_eq!(place("x.json", text, "a::b"), Some((1, 3)));
        assert_eq!(place("x.json", text, "de"), Some((2, 3)));
        assert_eq!(place("x.json", text, "c"), None);
        let text = "# comment\n\"a::b\" = 1\nport : 2\nx.y { z = 3 }\n";
        assert_eq!(place("x.conf", text, "a::b"), Some((2, 1)));
        assert_eq!(place("x.conf", text, "port"), Some((3, 1)));
        assert_eq!(place("x.conf", text, "x"), Some((4, 1)));
        assert_eq!(place("x.conf", text, "z"), None);
    }
}
