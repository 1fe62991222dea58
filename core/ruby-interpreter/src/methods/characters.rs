//! Sets of characters as `delete`, `count`, `squeeze` and `tr` take them, and `succ`.

use bunraku_pcore::format::character_set::{CharacterSet, Sequence};
use bunraku_pcore::fuel::{Fuel, pieces};
use bunraku_syntax::diagnostic::Error;
use rustc_hash::FxHashMap;

/// The characters of a text for which `keep` holds. It gets whether all sets have a character.
pub(super) fn kept(
    text: &str,
    sets: &[CharacterSet],
    fuel: &dyn Fuel,
    mut keep: impl FnMut(char, bool) -> bool,
) -> Result<String, Error> {
    let mut out = String::with_capacity(text.len());
    for piece in pieces(text, fuel) {
        out.extend(piece?.chars().filter(|character| keep(*character, in_all(sets, *character))));
    }
    Ok(out)
}

/// The number of characters that all sets have.
pub(super) fn count(text: &str, sets: &[CharacterSet], fuel: &dyn Fuel) -> Result<i64, Error> {
    pieces(text, fuel).try_fold(0, |found, piece| {
        Ok(found + piece?.chars().filter(|character| in_all(sets, *character)).count() as i64)
    })
}

/// Whether all sets have a character.
fn in_all(sets: &[CharacterSet], character: char) -> bool {
    sets.iter().all(|set| set.has(character))
}

/// `tr`, and with `squeeze` `tr_s`.
pub(super) fn translate(
    text: &str,
    from: &Sequence,
    to: &Sequence,
    squeeze: bool,
    fuel: &dyn Fuel,
) -> Result<String, Error> {
    let mut out = String::with_capacity(text.len());
    // What becomes of each character: `None` stays, `Some(None)` goes.
    let mut known: FxHashMap<char, Option<Option<char>>> = FxHashMap::default();
    let mut last = None;
    for piece in pieces(text, fuel) {
        for character in piece?.chars() {
            let becomes = match known.get(&character) {
                Some(known) => *known,
                None => {
                    let becomes = from.place(character, fuel)?.xor(from.is_negated.then_some(u64::MAX));
                    *known.entry(character).or_insert(becomes.map(|place| to.at(place)))
                }
            };
            match becomes {
                None => {
                    out.push(character);
                    last = None;
                }
                Some(replacement) => {
                    out.extend(replacement.filter(|_| !(squeeze && last == replacement)));
                    last = replacement;
                }
            }
        }
    }
    Ok(out)
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
    use bunraku_pcore::fuel::Unmetered;

    #[test]
    fn characters_and_successors_are_rubys() {
        for (text, from, to, squeeze, expected) in [
            ("hello", "el", "ip", false, "hippo"),
            ("hello", "^l", "*", false, "**ll*"),
            ("hello", "a-y", "b-z", false, "ifmmp"),
            ("hello", "a-y", "^b-z", false, "hello"),
            ("hello", "lo", "", false, "he"),
            ("héé", "é-ë", "1-3", false, "h11"),
            ("abcabc", "aba", "123", false, "32c32c"),
            ("aabb", "ab", "x", true, "x"),
        ] {
            let [from, to] = [Sequence::new(from, &Unmetered), Sequence::of(to, &Unmetered)];
            let [from, to] = [from, to].map(|sequence| sequence.expect("a sequence"));
            let translated = translate(text, &from, &to, squeeze, &Unmetered).expect("there is fuel");
            assert_eq!(translated, expected, "{text}");
        }
        for (text, next) in
            [("az", "ba"), ("Zz", "AAa"), ("a9", "b0"), ("zz", "aaa"), ("1.9", "2.0"), ("<<k>>", "<<l>>")]
        {
            assert_eq!(successor(text), next, "{text}");
        }
    }
}
