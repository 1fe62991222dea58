//! Classes of characters, as in the reference's patterns.

/// `\w` of the reference: ASCII letters, digits and `_`.
pub fn is_word(byte: u8) -> bool {
    WORD[byte as usize]
}

const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

/// The end of the run of word characters at an offset. Eight bytes are tested together, without a branch for
/// each: the length of words is unpredictable.
#[inline]
pub fn word_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let others = !words(u64::from_le_bytes(chunk)) & (EVERY * 0x80);
        if others != 0 {
            return at + others.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|&byte| is_word(byte)) {
        at += 1;
    }
    at
}

/// The end of the run of spaces at an offset.
#[inline]
pub fn spaces_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let others = u64::from_le_bytes(chunk) ^ (EVERY * b' ' as u64);
        if others != 0 {
            return at + others.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while bytes.get(at) == Some(&b' ') {
        at += 1;
    }
    at
}

/// A one in each of eight bytes.
const EVERY: u64 = 0x0101_0101_0101_0101;

/// The word characters among eight bytes: their highest bits are set.
#[inline]
const fn words(bytes: u64) -> u64 {
    let ascii = bytes & (EVERY * 0x7f);
    let small = ascii | (EVERY * 0x20);
    let letters = at_least(small, b'a') & !at_least(small, b'z' + 1);
    let digits = at_least(ascii, b'0') & !at_least(ascii, b'9' + 1);
    let underscores = !at_least(ascii ^ (EVERY * b'_' as u64), 1);
    (letters | digits | underscores) & !bytes & (EVERY * 0x80)
}

/// The bytes, among eight below 128, that are not below a limit: their highest bits are set.
#[inline]
const fn at_least(bytes: u64, least: u8) -> u64 {
    bytes + EVERY * (0x80 - least as u64)
}

/// `[[:blank:]]` of the reference: tab and all spaces of Unicode, but no line ends.
pub fn is_blank(character: char) -> bool {
    matches!(
        character,
        ' ' | '\t' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Whether a character continues a word for the reference's `\b`, which uses all of Unicode.
pub fn continues_word(character: char) -> bool {
    character == '_'
        || character.is_alphanumeric()
        || matches!(
            character,
            '\u{300}'..='\u{36f}' | '\u{203f}' | '\u{2040}' | '\u{fe33}' | '\u{fe34}' | '\u{ff3f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_end_where_they_end_byte_by_byte() {
        for byte in 0..=255 {
            for length in 0..20 {
                for tail in 0..10 {
                    let text = [vec![b'a'; length], vec![byte], vec![b'b'; tail]].concat();
                    let expected = if is_word(byte) { text.len() } else { length };
                    assert_eq!(word_end(&text, 0), expected, "{text:?}");
                    let text = [vec![b' '; length], vec![byte], vec![b'b'; tail]].concat();
                    assert_eq!(spaces_end(&text, 0), length + usize::from(byte == b' '), "{text:?}");
                }
            }
        }
        assert_eq!((word_end(b"ab", 2), word_end(b"ab", 3), spaces_end(b" ", 1)), (2, 3, 1));
    }
}
