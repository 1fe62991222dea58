//! Fits a source line to a terminal, and marks a column in it.

use unicode_width::UnicodeWidthChar;

use crate::screen::printable;

/// The width of a terminal that does not report it.
pub(crate) const WIDTH: usize = 80;

/// The maximum number of columns of a tab.
const TAB: usize = 8;

/// A line, and a column of it.
pub(crate) struct SourceLine {
    text: Vec<char>,
    column: usize,
}

impl SourceLine {
    /// A line, with or without its end, and a column in characters, from 1.
    pub(crate) fn new(line: &str, column: usize) -> Self {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let text: Vec<char> = printable(line.strip_suffix('\r').unwrap_or(line)).chars().collect();
        let column = column.saturating_sub(1).min(text.len());
        Self { text, column }
    }

    /// The part of the line around the place that fits into this number of columns, and the text before a
    /// mark below it.
    pub(crate) fn fit(&self, width: usize) -> (String, String) {
        let mut text = self.text.clone();
        let mut column = self.column;
        if columns(&text) > width {
            // Tabs reach different columns when the line starts elsewhere.
            for char in text.iter_mut().filter(|char| **char == '\t') {
                *char = ' ';
            }
            let start = column.saturating_sub(width / 3);
            text = text.into_iter().skip(start).take(width).collect();
            column -= start;
            if let (true, Some(first)) = (start > 0, text.first_mut()) {
                *first = '\u{2026}';
            }
            while columns(&text) > width && text.pop().is_some() {}
        }
        let mut before = String::new();
        for char in text.iter().take(column) {
            match *char {
                '\t' => before.push('\t'),
                char => before.extend(std::iter::repeat_n(' ', width_of(char))),
            }
        }
        (text.into_iter().collect(), before)
    }
}

/// The part of a text that fits into this number of columns; an ellipsis ends a cut text.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let mut all: Vec<char> = text.chars().collect();
    if columns(&all) <= width {
        return text.to_owned();
    }
    while columns(&all) >= width && all.pop().is_some() {}
    all.push('\u{2026}');
    all.into_iter().collect()
}

fn columns(text: &[char]) -> usize {
    text.iter().map(|char| if *char == '\t' { TAB } else { width_of(*char) }).sum()
}

/// The number of columns of a character: none for combining marks, two for wide ones.
fn width_of(char: char) -> usize {
    UnicodeWidthChar::width(char).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(line: &str, column: usize, width: usize) -> (String, String) {
        SourceLine::new(line, column).fit(width)
    }

    #[test]
    fn lines_are_shown_as_a_terminal_has_them() {
        let wide = "$a = '漢字e\u{301}', )";
        assert_eq!(fit(&format!("{wide}\n"), 14, 78), (wide.to_owned(), " ".repeat(14)));
        assert_eq!(fit("\t$a\t\u{1b}[31m)", 10, 78), ("\t$a\t\u{241b}[31m)".into(), "\t  \t     ".into()));
        assert_eq!(fit("", 9, 78), (String::new(), String::new()));
    }

    #[test]
    fn of_long_lines_what_is_around_the_place_is_shown() {
        let (text, before) = fit(&format!("$a = [{})", "1, ".repeat(100_000)), 300_007, 40);
        assert_eq!(text.chars().count(), 14);
        assert_eq!(text.chars().nth(before.len()), Some(')'));
    }
}
