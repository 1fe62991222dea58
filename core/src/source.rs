//! Source text and places in it: byte offsets inside the library, line and column outside.
//!
//! Everything behind the lexer speaks in [`Span`]s, two byte offsets. The line and column that the reference
//! prints (both from 1, the column counted in characters) are computed here and nowhere else.

use std::sync::{Arc, OnceLock};

/// A stretch of a source: byte offsets, `end` is exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to, not including, `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Length in bytes.
    pub const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Whether no byte is in the span.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }
}

/// A place as people and the reference count it: line and column from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// A text with its name. Immutable and shared; `Send + Sync`.
#[derive(Debug)]
pub struct Source {
    path: Option<Arc<str>>,
    text: String,
    lines: OnceLock<Vec<u32>>,
}

impl Source {
    /// A source of the given text. `path` is the name that errors show; a text from nowhere has none.
    pub fn new(path: Option<&str>, text: impl Into<String>) -> Self {
        Self { path: path.map(Arc::from), text: text.into(), lines: OnceLock::new() }
    }

    /// The name of the file, if the text came from one.
    pub fn path(&self) -> Option<&Arc<str>> {
        self.path.as_ref()
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty when the span does not lie on character boundaries of this source.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Offsets of the first byte of every line. A line ends with `\n`, as in the reference.
    pub fn line_offsets(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let newlines = memchr::memchr_iter(b'\n', self.text.as_bytes()).map(|at| at as u32 + 1);
            std::iter::once(0).chain(newlines).collect()
        })
    }

    /// Line and column of a byte offset. An offset beyond the text is taken as its end.
    pub fn position(&self, offset: u32) -> Position {
        let offset = (offset as usize).min(self.text.len());
        let lines = self.line_offsets();
        let line = lines.partition_point(|&start| start as usize <= offset);
        let start = lines[line - 1] as usize;
        let column = self.text.as_bytes()[start..offset].iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        Position { line: line as u32, column: column as u32 + 1 }
    }

    /// How many characters stand before a byte offset (editors count characters).
    pub fn character_offset(&self, offset: u32) -> u32 {
        let offset = (offset as usize).min(self.text.len());
        self.text.as_bytes()[..offset].iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u32
    }
}

/// A place for messages: file, line and column, each known or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The file's name.
    pub file: Option<Arc<str>>,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Column in characters, from 1.
    pub column: Option<u32>,
}

impl Location {
    /// The place of an offset in a source.
    pub fn of(source: &Source, offset: u32) -> Self {
        let Position { line, column } = source.position(offset);
        Self { file: source.path().cloned(), line: Some(line), column: Some(column) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_start_after_newlines() {
        let source = Source::new(None, "añb\nc");
        assert_eq!(source.position(3), Position { line: 1, column: 3 });
        assert_eq!(source.position(5), Position { line: 2, column: 1 });
        assert_eq!(source.position(99), Position { line: 2, column: 2 });
        assert_eq!(source.character_offset(5), 4);
    }
}
