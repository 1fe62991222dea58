//! Scalars: plain, quoted, literal and folded ones.

use super::{Cow, Mark, Result, Scanner, Token};

/// The line breaks between two lines of a scalar.
#[derive(Default)]
struct Breaks {
    first: String,
    more: String,
}

impl Breaks {
    /// Their meaning: a single break is a space.
    fn fold(&mut self, text: &mut String) {
        if self.first.starts_with('\n') {
            text.push_str(if self.more.is_empty() { " " } else { &self.more });
        } else {
            text.push_str(&self.first);
            text.push_str(&self.more);
        }
        self.first.clear();
        self.more.clear();
    }
}

/// Adds a piece of the text; the first one is not copied.
fn append<'t>(value: &mut Cow<'t, str>, piece: &'t str) {
    if value.is_empty() {
        *value = Cow::Borrowed(piece);
    } else if !piece.is_empty() {
        value.to_mut().push_str(piece);
    }
}

impl<'t> Scanner<'t> {
    fn piece(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to).unwrap_or("")
    }

    fn push_scalar(&mut self, value: Cow<'t, str>, plain: bool, mark: Mark) {
        self.push(Token::Scalar { value, plain }, mark);
    }

    pub(super) fn fetch_plain(&mut self) -> Result<()> {
        self.save_key()?;
        self.key_allowed = false;
        let mark = self.mark;
        let indent = self.indent + 1;
        let mut value = Cow::Borrowed("");
        let mut breaks = Breaks::default();
        let mut at_line_begin = false;
        let (mut from, mut to) = (self.position, self.position);
        while !self.is_document_indicator() && self.byte(0) != b'#' {
            if !self.is_blank_or_end(0) && !self.ends_plain(mark)? {
                if at_line_begin {
                    breaks.fold(value.to_mut());
                    at_line_begin = false;
                    from = self.position;
                }
                self.skip_plain(mark)?;
                to = self.position;
            }
            if !self.is_blank() && !self.is_break() {
                break;
            }
            while self.is_blank() || self.is_break() {
                if self.is_blank() {
                    if at_line_begin && i64::from(self.mark.column) < indent && self.byte(0) == b'\t' {
                        let context = "while scanning a plain scalar";
                        return self.fault(context, mark, "found a tab character that violates indentation");
                    }
                    self.skip();
                } else if at_line_begin {
                    breaks.more.push_str(self.read_line());
                } else {
                    append(&mut value, self.piece(from, to));
                    (from, to) = (0, 0);
                    breaks.first.push_str(self.read_line());
                    at_line_begin = true;
                }
            }
            if self.flow_level == 0 && i64::from(self.mark.column) < indent {
                break;
            }
        }
        append(&mut value, self.piece(from, to));
        if at_line_begin {
            self.key_allowed = true;
        }
        self.push_scalar(value, true, mark);
        Ok(())
    }

    /// Whether a plain scalar ends before the next character, which is not blank.
    fn ends_plain(&self, mark: Mark) -> Result<bool> {
        let in_flow = self.flow_level > 0;
        match self.byte(0) {
            b':' if in_flow && matches!(self.byte(1), b',' | b'?' | b'[' | b']' | b'{' | b'}') => {
                self.fault("while scanning a plain scalar", mark, "found unexpected ':'")
            }
            b':' => Ok(self.is_blank_or_end(1)),
            b',' | b'[' | b']' | b'{' | b'}' => Ok(in_flow),
            _ => Ok(false),
        }
    }

    /// Consumes the next part of a plain scalar up to a blank.
    fn skip_plain(&mut self, mark: Mark) -> Result<()> {
        while !self.is_blank_or_end(0) && !self.ends_plain(mark)? {
            self.skip();
        }
        Ok(())
    }

    pub(super) fn fetch_quoted(&mut self, is_single: bool) -> Result<()> {
        self.save_key()?;
        self.key_allowed = false;
        let mark = self.mark;
        let context = "while scanning a quoted scalar";
        let quote = if is_single { b'\'' } else { b'"' };
        let mut value = Cow::Borrowed("");
        let mut breaks = Breaks::default();
        self.skip();
        let mut from = self.position;
        loop {
            if self.is_document_indicator() {
                return self.fault(context, mark, "found unexpected document indicator");
            }
            if self.is_end() {
                return self.fault(context, mark, "found unexpected end of stream");
            }
            let mut at_line_begin = false;
            while !self.is_blank_or_end(0) {
                if is_single && self.byte(0) == quote && self.byte(1) == quote {
                    self.skip();
                    append(&mut value, self.piece(from, self.position));
                    self.skip();
                    from = self.position;
                } else if self.byte(0) == quote {
                    break;
                } else if !is_single && self.byte(0) == b'\\' {
                    append(&mut value, self.piece(from, self.position));
                    at_line_begin = self.break_length(1) > 0;
                    if at_line_begin {
                        self.skip();
                        self.skip_line();
                    } else {
                        let char = self.escape(mark)?;
                        value.to_mut().push(char);
                    }
                    from = self.position;
                    if at_line_begin {
                        break;
                    }
                } else {
                    self.skip();
                }
            }
            if self.byte(0) == quote {
                break;
            }
            let to = self.position;
            while self.is_blank() || self.is_break() {
                if self.is_blank() {
                    self.skip();
                } else if at_line_begin {
                    breaks.more.push_str(self.read_line());
                } else {
                    append(&mut value, self.piece(from, to));
                    breaks.first.push_str(self.read_line());
                    at_line_begin = true;
                }
            }
            if at_line_begin {
                breaks.fold(value.to_mut());
                from = self.position;
            }
        }
        append(&mut value, self.piece(from, self.position));
        self.skip();
        self.push_scalar(value, false, mark);
        Ok(())
    }

    /// Consumes an escape in a double-quoted scalar.
    fn escape(&mut self, mark: Mark) -> Result<char> {
        let context = "while parsing a quoted scalar";
        let mut digits = 0;
        let char = match self.byte(1) {
            b'0' => '\0',
            b'a' => '\x07',
            b'b' => '\x08',
            b't' | b'\t' => '\t',
            b'n' => '\n',
            b'v' => '\x0b',
            b'f' => '\x0c',
            b'r' => '\r',
            b'e' => '\x1b',
            b' ' => ' ',
            b'"' => '"',
            b'/' => '/',
            b'\\' => '\\',
            b'N' => '\u{85}',
            b'_' => '\u{a0}',
            b'L' => '\u{2028}',
            b'P' => '\u{2029}',
            kind @ (b'x' | b'u' | b'U') => {
                digits = match kind {
                    b'x' => 2,
                    b'u' => 4,
                    _ => 8,
                };
                '\0'
            }
            _ => return self.fault(context, mark, "found unknown escape character"),
        };
        self.skip();
        self.skip();
        if digits == 0 {
            return Ok(char);
        }
        let mut code = 0u32;
        for offset in 0..digits {
            let Some(digit) = char::from(self.byte(offset)).to_digit(16) else {
                return self.fault(context, mark, "did not find expected hexdecimal number");
            };
            code = code << 4 | digit;
        }
        let Some(char) = char::from_u32(code) else {
            return self.fault(context, mark, "found invalid Unicode character escape code");
        };
        (0..digits).for_each(|_| self.skip());
        Ok(char)
    }

    pub(super) fn fetch_block_scalar(&mut self, is_literal: bool) -> Result<()> {
        self.remove_key()?;
        self.key_allowed = true;
        let mark = self.mark;
        let (keeps, increment) = self.block_header(mark)?;
        let mut indent = if increment > 0 { self.indent.max(0) + increment } else { 0 };
        let mut value = String::new();
        let mut breaks = Breaks::default();
        let mut was_blank = false;
        self.block_breaks(&mut indent, &mut breaks.more, mark)?;
        while i64::from(self.mark.column) == indent && !self.is_end() {
            let is_blank = self.is_blank();
            if !is_literal && breaks.first.starts_with('\n') && !was_blank && !is_blank {
                if breaks.more.is_empty() {
                    value.push(' ');
                }
            } else {
                value.push_str(&breaks.first);
            }
            value.push_str(&breaks.more);
            breaks.first.clear();
            breaks.more.clear();
            was_blank = is_blank;
            let from = self.position;
            while !self.is_end() && !self.is_break() {
                self.skip();
            }
            value.push_str(self.piece(from, self.position));
            breaks.first.push_str(self.read_line());
            self.block_breaks(&mut indent, &mut breaks.more, mark)?;
        }
        if keeps != Some(false) {
            value.push_str(&breaks.first);
        }
        if keeps == Some(true) {
            value.push_str(&breaks.more);
        }
        self.push_scalar(Cow::Owned(value), false, mark);
        Ok(())
    }

    /// The indicators after `|` or `>`: whether breaks at the end are kept (`+`) or dropped (`-`), and the
    /// indentation.
    fn block_header(&mut self, mark: Mark) -> Result<(Option<bool>, i64)> {
        let context = "while scanning a block scalar";
        let (mut keeps, mut increment) = (None, 0);
        self.skip();
        for _ in 0..2 {
            match self.byte(0) {
                sign @ (b'+' | b'-') if keeps.is_none() => keeps = Some(sign == b'+'),
                b'0' if increment == 0 => {
                    return self.fault(context, mark, "found an indentation indicator equal to 0");
                }
                digit @ b'1'..=b'9' if increment == 0 => increment = i64::from(digit - b'0'),
                _ => break,
            }
            self.skip();
        }
        self.skip_blanks();
        self.skip_comment();
        if !self.is_end() && !self.is_break() {
            return self.fault(context, mark, "did not find expected comment or line break");
        }
        self.skip_line();
        Ok((keeps, increment))
    }

    /// Consumes indentation and empty lines; the first line with content determines the indentation if it is
    /// 0.
    fn block_breaks(&mut self, indent: &mut i64, breaks: &mut String, mark: Mark) -> Result<()> {
        let mut deepest = 0;
        loop {
            let is_inside =
                |scanner: &Self, indent: i64| indent == 0 || i64::from(scanner.mark.column) < indent;
            while is_inside(self, *indent) && self.byte(0) == b' ' {
                self.skip();
            }
            deepest = deepest.max(i64::from(self.mark.column));
            if is_inside(self, *indent) && self.byte(0) == b'\t' {
                let context = "while scanning a block scalar";
                let problem = "found a tab character where an indentation space is expected";
                return self.fault(context, mark, problem);
            }
            if !self.is_break() {
                break;
            }
            breaks.push_str(self.read_line());
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent + 1).max(1);
        }
        Ok(())
    }
}
