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

/// `String#succ`; `None` where an alphabet that is not Latin ends, or with digits of other scripts.
pub(super) fn successor(text: &str) -> Option<String> {
    let mut characters: Vec<char> = text.chars().collect();
    if characters.is_empty() {
        return Some(String::new());
    }
    if characters.iter().any(|character| !character.is_ascii() && character.is_numeric()) {
        return None;
    }
    let has_alnum = characters.iter().any(|character| character.is_alphanumeric());
    if !has_alnum {
        let mut at = characters.len();
        while let Some(last) = at.checked_sub(1).and_then(|at| characters.get_mut(at)) {
            at -= 1;
            match char::from_u32(*last as u32 + 1) {
                Some(next) => {
                    *last = next;
                    return Some(characters.into_iter().collect());
                }
                None => *last = '\u{1}',
            }
        }
        characters.insert(0, '\u{1}');
        return Some(characters.into_iter().collect());
    }
    let mut at = characters.len();
    let mut carried: Option<(usize, char)> = None;
    let mut is_behind_others = false;
    while at > 0 {
        at -= 1;
        let Some(character) = characters.get(at).copied() else { break };
        // Over other characters a letter carries to letters alone, and a digit to digits.
        let differs = |(_, carry): (usize, char)| match carry {
            '1' => character.is_ascii_alphabetic(),
            carry => carry.is_ascii() && character.is_ascii_digit(),
        };
        if is_behind_others && carried.is_some_and(differs) {
            break;
        }
        is_behind_others = !character.is_alphabetic() && !character.is_ascii_digit();
        if is_behind_others {
            continue;
        }
        let (next, overflow) = match character {
            'z' => ('a', Some('a')),
            'Z' => ('A', Some('A')),
            '9' => ('0', Some('1')),
            other => (next_letter(other)?, None),
        };
        if let Some(place) = characters.get_mut(at) {
            *place = next;
        }
        match overflow {
            None => return Some(characters.into_iter().collect()),
            Some(overflow) => carried = Some((at, overflow)),
        }
    }
    if let Some((at, overflow)) = carried {
        characters.insert(at, overflow);
    }
    Some(characters.into_iter().collect())
}

/// The next letter or digit; one character between two letters is passed over. `None` at the end of an
/// alphabet that is not Latin.
fn next_letter(character: char) -> Option<char> {
    if character.is_ascii() {
        return char::from_u32(character as u32 + 1);
    }
    let following = (1..=2).filter_map(|step| char::from_u32(character as u32 + step));
    following.filter(|next| next.len_utf8() == character.len_utf8()).find(|next| next.is_alphabetic())
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
        for (text, next) in [
            ("az", "ba"),
            ("Zz", "AAa"),
            ("a9", "b0"),
            ("zz", "aaa"),
            ("1.9", "2.0"),
            ("<<k>>", "<<l>>"),
            ("a-9", "a-10"),
        ] {
            assert_eq!(successor(text).as_deref(), Some(next), "{text}");
        }
    }
}
