//! Upper and lower case as in Ruby's `String`: all of Unicode, one character at a time.
//!
//! The standard library's `to_lowercase` considers the neighbours of a final sigma, which Ruby does not.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// The text in lower case.
pub fn downcase(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(char::to_lowercase).collect()
}

/// The text in upper case.
pub fn upcase(text: &str) -> String {
    text.to_uppercase()
}

/// The first character in title case, the others in lower case.
pub fn capitalize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    if let Some(first) = characters.next() {
        push_title(first, &mut out);
        let (rest, start) = (characters.as_str(), out.len());
        if rest.is_ascii() {
            out.push_str(rest);
            out.split_at_mut(start).1.make_ascii_lowercase();
        } else {
            out.extend(characters.flat_map(char::to_lowercase));
        }
    }
    out
}

/// Each character in the other case.
pub fn swapcase(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match digraph(character) {
            Some((title, upper, lower)) if character == title => {
                // The parts of the digraph, each of them swapped.
                for part in [upper, lower] {
                    out.push(part);
                }
            }
            _ => {
                let mut lower = character.to_lowercase();
                if lower.len() == 1 && lower.next() == Some(character) {
                    out.extend(character.to_uppercase());
                } else {
                    out.extend(character.to_lowercase());
                }
            }
        }
    }
    out
}

/// A digraph with a title-case form, with its parts in swapped case: the first lower, the second upper.
const fn digraph(character: char) -> Option<(char, char, char)> {
    match character {
        'ǅ' => Some(('ǅ', 'd', 'Ž')),
        'ǈ' => Some(('ǈ', 'l', 'J')),
        'ǋ' => Some(('ǋ', 'n', 'J')),
        'ǲ' => Some(('ǲ', 'd', 'Z')),
        _ => None,
    }
}

/// A character in title case: like upper case, except that digraphs and Greek letters with iota subscript
/// have their own forms, and that only the first of several letters is upper case.
fn push_title(character: char, out: &mut String) {
    let code = character as u32;
    let single = match code {
        0x01C4..=0x01C6 => Some(0x01C5),
        0x01C7..=0x01C9 => Some(0x01C8),
        0x01CA..=0x01CC => Some(0x01CB),
        0x01F1..=0x01F3 => Some(0x01F2),
        0x1F80..=0x1FAF => Some(code | 8),
        0x1FB3 | 0x1FC3 | 0x1FF3 => Some(code + 9),
        0x1FBC | 0x1FCC | 0x1FFC | 0x10D0..=0x10FF => Some(code),
        // The title case of Georgian letters is lower case.
        0x1C90..=0x1CBF => Some(code - 0x1C90 + 0x10D0),
        _ => None,
    };
    if let Some(single) = single.and_then(char::from_u32) {
        out.push(single);
        return;
    }
    let mut upper = character.to_uppercase();
    out.extend(upper.next());
    if code == 0x0149 {
        out.extend(upper);
    } else {
        out.extend(upper.flat_map(char::to_lowercase));
    }
}

/// The case folding of a character, if it consists of several characters.
pub fn folds_to_several(character: char) -> Option<Box<[char]>> {
    // Only these blocks contain such characters.
    if !matches!(u32::from(character), 0xDF..=0x587 | 0x1E96..=0x1FFF | 0xFB00..=0xFB17) {
        return None;
    }
    if character == 'ẞ' {
        return Some(Box::new(['s', 's']));
    }
    let upper: Vec<char> = character.to_uppercase().collect();
    let folded: Box<[char]> = if upper.len() > 1 {
        upper.into_iter().flat_map(char::to_lowercase).collect()
    } else {
        character.to_lowercase().collect()
    };
    (folded.len() > 1).then_some(folded)
}

/// The case folding of a character that folds to one character.
pub fn fold_one(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    // A dotless i is not another case of a letter.
    if character == 'ı' {
        return character;
    }
    let upper = character.to_uppercase().next().unwrap_or(character);
    upper.to_lowercase().next().unwrap_or(upper)
}

/// The other characters that fold to a folded one.
pub fn other_cases(folded: char) -> &'static [char] {
    static CASES: LazyLock<FxHashMap<char, Vec<char>>> = LazyLock::new(|| {
        let mut cases: FxHashMap<char, Vec<char>> = FxHashMap::default();
        for character in char::MIN..='\u{1ffff}' {
            let folded = fold_one(character);
            if folded != character && folds_to_several(character).is_none() {
                cases.entry(folded).or_default().push(character);
            }
        }
        cases
    });
    CASES.get(&folded).map_or(&[], Vec::as_slice)
}

/// Characters with their case folded (Unicode's full case folding): texts that only differ in case fold to
/// the same characters.
pub fn fold(characters: impl IntoIterator<Item = char>) -> Box<[char]> {
    let mut folded = Vec::new();
    for character in characters {
        match folds_to_several(character) {
            Some(several) => folded.extend_from_slice(&several),
            None => folded.push(fold_one(character)),
        }
    }
    folded.into()
}

/// A text in its folded form, and the characters that fold to it.
pub type Folding = (Box<[char]>, Vec<char>);

/// The case foldings that consist of several characters, with the characters that fold to them.
pub fn foldings() -> &'static [Folding] {
    static FOLDINGS: LazyLock<Vec<Folding>> = LazyLock::new(|| {
        let mut all: Vec<Folding> = Vec::new();
        for character in ('\u{df}'..='\u{587}').chain('\u{1e96}'..='\u{1fff}').chain('\u{fb00}'..='\u{fb17}')
        {
            let Some(folded) = folds_to_several(character) else { continue };
            match all.iter_mut().find(|(known, _)| *known == folded) {
                Some((_, characters)) => characters.push(character),
                None => all.push((folded, vec![character])),
            }
        }
        all
    });
    &FOLDINGS
}

/// Whether texts with fewer characters also fold to this.
pub fn has_other_lengths(folded: &[char]) -> bool {
    foldings().iter().any(|(several, _)| folded.windows(several.len()).any(|window| *window == **several))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_that_of_ruby() {
        for (text, down, title, swapped) in [
            ("aB c", "ab c", "Ab c", "Ab C"),
            ("ß", "ß", "Ss", "SS"),
            ("ΑΣ", "ασ", "Ασ", "ασ"),
            ("ﬁX", "ﬁx", "Fix", "FIx"),
            ("ǆa", "ǆa", "ǅa", "ǄA"),
            ("ǅ", "ǆ", "ǅ", "dŽ"),
            ("ŉa", "ŉa", "ʼNa", "ʼNA"),
            ("ᾳ", "ᾳ", "ᾼ", "ΑΙ"),
            ("ა", "ა", "ა", "Ა"),
            ("Ა", "ა", "ა", "ა"),
            ("İ", "i\u{307}", "İ", "i\u{307}"),
        ] {
            assert_eq!(
                (downcase(text), capitalize(text), swapcase(text)),
                (down.into(), title.into(), swapped.into())
            );
        }
    }
}
