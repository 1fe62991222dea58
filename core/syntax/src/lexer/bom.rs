//! Byte order marks, which a text must not start with. Follows the reference's `lexer_support.rb`.

use crate::diagnostic::{Report, issues};

/// A mark: its encoding and its bytes.
const MARKS: &[(&str, &[u8])] = &[
    ("UTF-32", &[0x00, 0x00, 0xFE, 0xFF]),
    ("UTF-32", &[0xFF, 0xFE, 0x00, 0x00]),
    ("GB-18030", &[0x84, 0x31, 0x95, 0x33]),
    ("UTF-EBCDIC", &[0xDD, 0x73, 0x66, 0x73]),
    ("SCSU", &[0x0E, 0xFE, 0xFF]),
    ("UTF-8", &[0xEF, 0xBB, 0xBF]),
    ("UTF-1", &[0xF7, 0x64, 0x4C]),
    ("BOCU", &[0xFB, 0xEE, 0x28]),
    ("UTF-16", &[0xFE, 0xFF]),
    ("UTF-16", &[0xFF, 0xFE]),
];

/// The diagnostic for the byte order mark at the start of a text, if there is one.
pub(crate) fn byte_order_mark(bytes: &[u8]) -> Option<Report> {
    // Only these bytes can start a mark.
    if !matches!(bytes.first()?, 0x00 | 0x0E | 0x84 | 0xDD | 0xEF | 0xF7 | 0xFB | 0xFE | 0xFF) {
        return None;
    }
    let (name, mark) = MARKS.iter().find(|(_, mark)| bytes.starts_with(mark))?;
    let shown: Vec<String> = mark.iter().map(|byte| format!("{byte:X}")).collect();
    Some(issues::illegal_bom(name, format!("[{}]", shown.join(" "))))
}
