//! Source text and places in it: byte offsets inside the library, line and column outside.
//!
//! All code after the lexer uses [`Span`]s, which are two byte offsets. Only this module computes the line
//! and column that the reference prints (both from 1, the column counted in characters).

use std::sync::{Arc, OnceLock};

/// A range of a source: byte offsets, `end` is exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
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

    /// Whether the span is empty.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// The smallest span that contains both.
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

/// A range of a source, counted in some [`Unit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    /// The number of units before it.
    pub offset: u32,
    /// The number of units in it.
    pub length: u32,
    /// Line and column of its first character.
    pub start: Position,
    /// Line and column after its last character.
    pub end: Position,
}

/// A stretch of a source, counted in each [`Unit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ranges([Range; 3]);

impl Ranges {
    /// A stretch of a source.
    pub fn of(source: &Source, span: Span) -> Self {
        Self([Unit::Byte, Unit::Character, Unit::Utf16].map(|unit| source.range_in(span, unit)))
    }

    /// A stretch of bytes behind a source that no characters can be made of: one in their place.
    pub fn of_no_text(before: &Source, span: Span) -> Self {
        let mut all = Self::of(before, Span::new(span.start, span.start));
        for range in &mut all.0 {
            range.length = 1;
            range.end.column += 1;
        }
        let [bytes, ..] = &mut all.0;
        bytes.length = span.len();
        bytes.end.column = bytes.start.column + span.len();
        all
    }

    /// The stretch in a unit.
    pub const fn in_unit(&self, unit: Unit) -> Range {
        let Self([bytes, characters, utf16]) = self;
        *match unit {
            Unit::Byte => bytes,
            Unit::Character => characters,
            Unit::Utf16 => utf16,
        }
    }
}

/// The unit of offsets and columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Bytes of UTF-8, as in spans.
    Byte,
    /// Characters, as in messages and most editors.
    #[default]
    Character,
    /// UTF-16 code units, as in the Language Server Protocol and JavaScript.
    Utf16,
}

/// A text with its name. Immutable and shared; `Send + Sync`.
#[derive(Debug)]
pub struct Source {
    path: Option<Arc<str>>,
    text: String,
    lines: OnceLock<Vec<u32>>,
    /// The counts before every [`STRIDE`]th byte; `None` for a text in ASCII, where all units are the same.
    counts: OnceLock<Option<Vec<Count>>>,
}

/// The distance in bytes of the offsets for which counts are kept.
const STRIDE: usize = 1024;

/// The number of characters before an offset, and how many of them take two units of UTF-16.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    characters: u32,
    pairs: u32,
}

impl Count {
    /// The count of a piece of text, which can begin or end inside a character: a character counts where its
    /// first byte is.
    fn of(bytes: &[u8]) -> Self {
        bytes.iter().fold(Self::default(), |count, &byte| Self {
            characters: count.characters + u32::from(byte & 0xC0 != 0x80),
            pairs: count.pairs + u32::from(byte >= 0xF0),
        })
    }

    fn and(self, other: Self) -> Self {
        Self { characters: self.characters + other.characters, pairs: self.pairs + other.pairs }
    }
}

impl Source {
    /// A source of the given text. `path` is the name that errors show; a text without a file has none.
    pub fn new(path: Option<&str>, text: impl Into<String>) -> Self {
        let (lines, counts) = (OnceLock::new(), OnceLock::new());
        Self { path: path.map(Arc::from), text: text.into(), lines, counts }
    }

    /// The name of the file, if the text came from one.
    pub fn path(&self) -> Option<&Arc<str>> {
        self.path.as_ref()
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text without the name.
    pub fn into_text(self) -> String {
        self.text
    }

    /// The text of a span; empty if the span is not on character boundaries of this source.
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

    /// Line and column of a byte offset, the column in characters. An offset after the text is treated as its
    /// end.
    pub fn position(&self, offset: u32) -> Position {
        self.position_in(offset, Unit::Character)
    }

    /// Line and column of a byte offset, the column in a unit.
    pub fn position_in(&self, offset: u32, unit: Unit) -> Position {
        let offset = (offset as usize).min(self.text.len());
        let lines = self.line_offsets();
        let line = lines.partition_point(|&start| start as usize <= offset);
        let start = lines[line - 1] as usize;
        Position { line: line as u32, column: self.units(start, offset, unit) + 1 }
    }

    /// The line of a byte offset, from 1.
    pub fn line(&self, offset: u32) -> u32 {
        let offset = (offset as usize).min(self.text.len());
        self.line_offsets().partition_point(|&start| start as usize <= offset) as u32
    }

    /// The beginning and the end of a span, in a unit.
    pub fn range_in(&self, span: Span, unit: Unit) -> Range {
        let offset = self.offset_in(span.start, unit);
        Range {
            offset,
            length: self.offset_in(span.end, unit).saturating_sub(offset),
            start: self.position_in(span.start, unit),
            end: self.position_in(span.end, unit),
        }
    }

    /// The number of characters before a byte offset.
    pub fn character_offset(&self, offset: u32) -> u32 {
        self.offset_in(offset, Unit::Character)
    }

    /// The number of units before a byte offset. An offset after the text is treated as its end.
    pub fn offset_in(&self, offset: u32, unit: Unit) -> u32 {
        self.units(0, (offset as usize).min(self.text.len()), unit)
    }

    /// The byte offset of a line and column from an editor: the inverse of
    /// [`position_in`](Self::position_in). A column after the end of its line is treated as that end, one
    /// inside a character as its start; a line that does not exist has no offset.
    pub fn offset_at(&self, position: Position, unit: Unit) -> Option<u32> {
        let lines = self.line_offsets();
        let line = usize::try_from(position.line.checked_sub(1)?).ok()?;
        let start = *lines.get(line)? as usize;
        let end = lines.get(line + 1).map_or(self.text.len(), |&next| next as usize - 1);
        let wanted = position.column.saturating_sub(1);
        let text = self.text.get(start..end)?;
        let found = text.char_indices().map(|(at, _)| at).chain([text.len()]).scan(0, |units, at| {
            // Columns of the characters of a line, in order.
            let character = text.get(at..).and_then(|rest| rest.chars().next());
            let before = *units;
            *units += character.map_or(0, |character| match unit {
                Unit::Byte => character.len_utf8() as u32,
                Unit::Character => 1,
                Unit::Utf16 => character.len_utf16() as u32,
            });
            Some((at, before))
        });
        found.take_while(|&(_, before)| before <= wanted).last().map(|(at, _)| (start + at) as u32)
    }

    /// The number of units between two byte offsets.
    fn units(&self, start: usize, end: usize, unit: Unit) -> u32 {
        let bytes = (end - start) as u32;
        let count = match unit {
            Unit::Byte => return bytes,
            _ => match self.counts.get_or_init(|| self.count_all()) {
                None => return bytes,
                Some(_) if end - start <= STRIDE => Count::of(&self.text.as_bytes()[start..end]),
                Some(counts) => {
                    let (end, start) = (self.count_before(counts, end), self.count_before(counts, start));
                    Count { characters: end.characters - start.characters, pairs: end.pairs - start.pairs }
                }
            },
        };
        if unit == Unit::Utf16 { count.characters + count.pairs } else { count.characters }
    }

    fn count_all(&self) -> Option<Vec<Count>> {
        if self.text.is_ascii() {
            return None;
        }
        let chunks = self.text.as_bytes().chunks(STRIDE);
        let counts = chunks.scan(Count::default(), |total, chunk| {
            let before = *total;
            *total = before.and(Count::of(chunk));
            Some(before)
        });
        Some(counts.collect())
    }

    fn count_before(&self, counts: &[Count], offset: usize) -> Count {
        let counted = (offset / STRIDE).min(counts.len().saturating_sub(1));
        let known = counts.get(counted).copied().unwrap_or_default();
        known.and(Count::of(&self.text.as_bytes()[counted * STRIDE..offset]))
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

    #[test]
    fn units_are_counted_alike_near_and_far() {
        let text = "é😀x".repeat(1000) + "\n😀é";
        let source = Source::new(None, text.as_str());
        for (offset, _) in text.char_indices() {
            let before = &text[..offset];
            let offset = offset as u32;
            assert_eq!(source.offset_in(offset, Unit::Byte), offset);
            assert_eq!(source.offset_in(offset, Unit::Character), before.chars().count() as u32);
            assert_eq!(source.offset_in(offset, Unit::Utf16), before.encode_utf16().count() as u32);
            for unit in [Unit::Byte, Unit::Character, Unit::Utf16] {
                assert_eq!(source.offset_at(source.position_in(offset, unit), unit), Some(offset));
            }
        }
        assert_eq!(source.offset_at(Position { line: 2, column: 2 }, Unit::Utf16), Some(7001));
        assert_eq!(source.offset_at(Position { line: 1, column: 9999 }, Unit::Character), Some(7000));
        assert_eq!(source.offset_at(Position { line: 3, column: 1 }, Unit::Character), None);
    }
}
