//! Classes of characters, as the reference's patterns see them.

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

/// `[[:blank:]]` of the reference: tab and all spaces of Unicode, but no line ends.
pub fn is_blank(character: char) -> bool {
    matches!(
        character,
        ' ' | '\t' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Whether a character continues a word for `\b` of the reference, which knows all of Unicode.
pub fn continues_word(character: char) -> bool {
    character == '_'
        || character.is_alphanumeric()
        || matches!(
            character,
            '\u{300}'..='\u{36f}' | '\u{203f}' | '\u{2040}' | '\u{fe33}' | '\u{fe34}' | '\u{ff3f}'
        )
}
