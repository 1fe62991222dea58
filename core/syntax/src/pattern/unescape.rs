//! The escapes that Ruby itself reads before the engine sees a pattern, and refuses before any other error.
//! Follows `unescape_nonascii` of Ruby's `re.c`.

/// The bytes of the longest character.
const LONGEST: usize = 4;

/// The characters of a pattern for the engine: escaped bytes and codes beyond ASCII are the characters
/// themselves, others are `\x` and two digits.
///
/// # Errors
/// Ruby's message about an escape.
pub(super) fn unescape(source: &str) -> Result<Vec<char>, String> {
    if !source.contains('\\') {
        return Ok(source.chars().collect());
    }
    let mut reader = Reader { text: source.chars().collect(), at: 0, out: Vec::with_capacity(source.len()) };
    while let Some(c) = reader.next() {
        if c == '\\' { reader.escape()? } else { reader.out.push(c) }
    }
    Ok(reader.out)
}

struct Reader {
    text: Vec<char>,
    at: usize,
    out: Vec<char>,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    /// The next character, if it is ASCII.
    fn next_ascii(&mut self) -> Option<char> {
        self.peek().filter(char::is_ascii)?;
        self.next()
    }

    /// The rest of an escape.
    fn escape(&mut self) -> Result<(), String> {
        let c = self.next().ok_or("too short escape sequence")?;
        match c {
            // A reference, or a code that the engine reads.
            '1'..='7' if self.octal_ahead() <= 0o177 => self.out.extend(['\\', c]),
            '0'..='7' | 'x' | 'c' | 'C' | 'M' => {
                self.at -= 2;
                let character = self.escaped_character()?;
                self.push_code(character);
            }
            'u' => match self.peek() {
                None => return Err("too short escape sequence".into()),
                Some('{') => self.list()?,
                Some(_) => {
                    let (code, digits) = self.digits(16, 4);
                    let code = code.filter(|_| digits == 4).ok_or("invalid Unicode escape")?;
                    self.push_unicode(code)?;
                }
            },
            _ => self.out.extend(['\\', c]),
        }
        Ok(())
    }

    /// The number of the octal digits from the last character on.
    fn octal_ahead(&self) -> u32 {
        let digits = self.text.iter().skip(self.at - 1).map_while(|c| c.to_digit(8));
        digits.fold(0_u32, |number, digit| number.saturating_mul(8).saturating_add(digit))
    }

    /// At most so many digits, with their number.
    fn digits(&mut self, radix: u32, most: usize) -> (Option<u32>, usize) {
        let (mut value, start) = (None, self.at);
        while self.at - start < most
            && let Some(digit) = self.peek().and_then(|c| c.to_digit(radix))
        {
            value = Some(value.unwrap_or(0_u32).saturating_mul(radix).saturating_add(digit));
            self.at += 1;
        }
        (value, self.at - start)
    }

    /// `\u{61 e9}`, from the brace on.
    fn list(&mut self) -> Result<(), String> {
        self.at += 1;
        let skip = |reader: &mut Self| {
            while reader.peek().is_some_and(|c| c.is_ascii_whitespace() || c == '\u{b}') {
                reader.at += 1;
            }
        };
        skip(self);
        let mut is_empty = true;
        while let (Some(code), digits) = self.digits(16, usize::MAX) {
            if digits > 6 {
                return Err("invalid Unicode range".into());
            }
            self.push_unicode(code)?;
            is_empty = false;
            skip(self);
        }
        if is_empty || self.next() != Some('}') {
            return Err("invalid Unicode list".into());
        }
        Ok(())
    }

    fn push_unicode(&mut self, code: u32) -> Result<(), String> {
        self.push_code(char::from_u32(code).ok_or("invalid Unicode range")?);
        Ok(())
    }

    fn push_code(&mut self, character: char) {
        if character.is_ascii() {
            self.out.extend(format!("\\x{:02X}", u32::from(character)).chars());
        } else {
            self.out.push(character);
        }
    }

    /// A character whose bytes are escaped, each.
    fn escaped_character(&mut self) -> Result<char, String> {
        let mut bytes = vec![self.escaped_byte()?];
        loop {
            match std::str::from_utf8(&bytes) {
                Ok(text) => return text.chars().next().ok_or_else(|| "invalid multibyte escape".into()),
                Err(error) if error.error_len().is_none() && bytes.len() < LONGEST => {
                    bytes.push(self.escaped_byte()?);
                }
                Err(_) => return Err("invalid multibyte escape".into()),
            }
        }
    }

    fn escaped_byte(&mut self) -> Result<u8, String> {
        if self.next() != Some('\\') {
            return Err("too short escaped multibyte character".into());
        }
        let (mut is_meta, mut is_control) = (false, false);
        let code = loop {
            match self.next().ok_or("too short escape sequence")? {
                '\\' => break u32::from('\\'),
                'n' => break 0xa,
                't' => break 0x9,
                'r' => break 0xd,
                'f' => break 0xc,
                'v' => break 0xb,
                'a' => break 0x7,
                'e' => break 0x1b,
                '0'..='7' => {
                    self.at -= 1;
                    break self.digits(8, 3).0.unwrap_or(0);
                }
                'x' => break self.digits(16, 2).0.ok_or("invalid hex escape")?,
                'M' => {
                    if std::mem::replace(&mut is_meta, true) {
                        return Err("duplicate meta escape".into());
                    }
                    let character = if self.next() == Some('-') { self.next_ascii() } else { None };
                    match character.ok_or("too short meta escape")? {
                        '\\' => {}
                        character => break u32::from(character),
                    }
                }
                letter @ ('C' | 'c') => {
                    if letter == 'C' && self.next() != Some('-') {
                        return Err("too short control escape".into());
                    }
                    if std::mem::replace(&mut is_control, true) {
                        return Err("duplicate control escape".into());
                    }
                    match self.next_ascii().ok_or("too short control escape")? {
                        '\\' => {}
                        character => break u32::from(character),
                    }
                }
                _ => return Err("unexpected escape sequence".into()),
            }
        };
        let code = u8::try_from(code).map_err(|_| "invalid escape code")?;
        let code = if is_control { code & 0x1f } else { code };
        Ok(if is_meta { code | 0x80 } else { code })
    }
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn escapes_are_read_as_ruby_does() {
        for (source, expected) in [
            (r"a\u{61 e9}b\1\d", "a\\x61éb\\1\\d"),
            (r"\xC3\xA9\303\251\x41", "éé\\x41"),
            (r"\cA\C-a\0\200x", ""),
            (r"\c?", "\\x1F"),
            (r"\é\p{L}", "\\é\\p{L}"),
        ] {
            let read = unescape(source).map(String::from_iter).unwrap_or_default();
            assert_eq!(read, expected, "{source}");
        }
        for (source, message) in [
            ("\\", "too short escape sequence"),
            (r"\x", "invalid hex escape"),
            (r"\xC3x", "too short escaped multibyte character"),
            (r"\xC3\A", "unexpected escape sequence"),
            (r"\u{61", "invalid Unicode list"),
            (r"\u{}", "invalid Unicode list"),
            (r"\u{1234567}", "invalid Unicode range"),
            (r"\u12", "invalid Unicode escape"),
            (r"\M-", "too short meta escape"),
            (r"\c", "too short control escape"),
            (r"\M-\M-a", "duplicate meta escape"),
            (r"\777", "invalid escape code"),
            (r"(?P\400", "invalid escape code"),
            (r"\M-\c\C-a", "duplicate control escape"),
            (r"\x80", "invalid multibyte escape"),
        ] {
            assert_eq!(unescape(source).unwrap_err(), message, "{source}");
        }
    }
}
