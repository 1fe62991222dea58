//! Sets of characters as `tr`, `delete`, `count` and `squeeze` take them, and the successor of a string.

/// A set such as `a-z`, `^0-9`.
pub(super) struct Characters {
    negated: bool,
    pub members: Vec<char>,
}

/// The most characters that a set may name.
const MAX_LENGTH: usize = 1 << 17;

impl Characters {
    pub fn new(text: &str) -> Self {
        let negated = is_negated(text);
        let mut members = Vec::new();
        for (first, last) in ranges(text) {
            members.extend((first..=last).take(MAX_LENGTH));
        }
        Self { negated, members }
    }

    /// The first range of a set whose end comes before its beginning.
    pub fn reversed(text: &str) -> Option<String> {
        let (first, last) = ranges(text).into_iter().find(|(first, last)| first > last)?;
        Some(format!("invalid range \"{first}-{last}\" in string transliteration"))
    }

    pub fn has(&self, character: char) -> bool {
        self.members.contains(&character) != self.negated
    }
}

fn is_negated(text: &str) -> bool {
    text.starts_with('^') && text.len() > 1
}

/// The ranges of a set; a single character is one.
fn ranges(text: &str) -> Vec<(char, char)> {
    let text: Vec<char> = text.chars().skip(usize::from(is_negated(text))).collect();
    let (mut ranges, mut at) = (Vec::new(), 0);
    while let Some(&first) = text.get(at) {
        let (first, length) = match (first, text.get(at + 1)) {
            ('\\', Some(&escaped)) => (escaped, 2),
            _ => (first, 1),
        };
        at += length;
        let last = match (text.get(at), text.get(at + 1)) {
            (Some('-'), Some(&last)) => {
                at += 2;
                last
            }
            _ => first,
        };
        ranges.push((first, last));
    }
    ranges
}

/// Whether all sets have a character.
pub(super) fn in_all(sets: &[Characters], character: char) -> bool {
    sets.iter().all(|set| set.has(character))
}

/// `tr`, and with `squeeze` `tr_s`.
pub(super) fn translate(text: &str, from: &str, to: &str, squeeze: bool) -> String {
    let from = Characters::new(from);
    // A leading `^` of the replacement means itself.
    let to = if to.starts_with('^') { Characters::new(&format!("\\{to}")) } else { Characters::new(to) };
    let mut out = String::with_capacity(text.len());
    let mut last = None;
    for character in text.chars() {
        if !from.has(character) {
            out.push(character);
            last = None;
            continue;
        }
        let replacement = if from.negated {
            to.members.last().copied()
        } else {
            let at = from.members.iter().rposition(|member| *member == character).unwrap_or(0);
            to.members.get(at).or(to.members.last()).copied()
        };
        if let Some(replacement) = replacement
            && !(squeeze && last == Some(replacement))
        {
            out.push(replacement);
        }
        last = replacement;
    }
    out
}

/// `String#succ`
pub(super) fn successor(text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    if characters.is_empty() {
        return String::new();
    }
    let has_alnum = characters.iter().any(char::is_ascii_alphanumeric);
    if !has_alnum {
        let mut at = characters.len();
        while let Some(last) = at.checked_sub(1).and_then(|at| characters.get_mut(at)) {
            at -= 1;
            match char::from_u32(*last as u32 + 1) {
                Some(next) => {
                    *last = next;
                    return characters.into_iter().collect();
                }
                None => *last = '\u{1}',
            }
        }
        characters.insert(0, '\u{1}');
        return characters.into_iter().collect();
    }
    let mut at = characters.len();
    let mut carried: Option<(usize, char)> = None;
    while at > 0 {
        at -= 1;
        let Some(character) = characters.get(at).copied() else { break };
        if !character.is_ascii_alphanumeric() {
            // Between letters and digits, other characters stop the carry only when nothing was carried yet.
            if carried.is_some() && !characters.iter().take(at).any(char::is_ascii_alphanumeric) {
                break;
            }
            continue;
        }
        let (next, overflow) = match character {
            'z' => ('a', Some('a')),
            'Z' => ('A', Some('A')),
            '9' => ('0', Some('1')),
            other => (char::from_u32(other as u32 + 1).unwrap_or(other), None),
        };
        if let Some(place) = characters.get_mut(at) {
            *place = next;
        }
        match overflow {
            None => return characters.into_iter().collect(),
            Some(overflow) => carried = Some((at, overflow)),
        }
    }
    if let Some((at, overflow)) = carried {
        characters.insert(at, overflow);
    }
    characters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_and_successors_are_rubys() {
        assert_eq!(translate("hello", "el", "ip", false), "hippo");
        assert_eq!(translate("hello", "^l", "*", false), "**ll*");
        assert_eq!(translate("hello", "a-y", "b-z", false), "ifmmp");
        assert_eq!(translate("aabb", "ab", "x", true), "x");
        for (text, next) in
            [("az", "ba"), ("Zz", "AAa"), ("a9", "b0"), ("zz", "aaa"), ("1.9", "2.0"), ("<<k>>", "<<l>>")]
        {
            assert_eq!(successor(text), next, "{text}");
        }
    }
}
