//! Checks whether a text is JSON, with the errors of the reference's parser (the `json` gem 2.6 of Ruby 3.1):
//! `859: unexpected token at '…'` with the rest of the text. The number is a line of that parser and
//! identifies the state machine that failed: 859 is the document or an object, 451 an array.

/// The maximum nesting of arrays and objects.
const MAX_NESTING: usize = 100;

/// Checks a text.
///
/// # Errors
///
/// The message of Ruby's parser.
pub fn check(text: &str) -> Result<(), String> {
    let scanner = Scanner { text: text.as_bytes() };
    let unexpected = |at: usize| Err(message(859, text.as_bytes(), at));
    let start = match scanner.ignored(0) {
        Ok(start) => start,
        Err(at) => return unexpected(at),
    };
    if !scanner.begins_value(start) {
        return unexpected(start);
    }
    match scanner.value(start, 0)? {
        None => unexpected(start),
        Some(end) => match scanner.ignored(end) {
            Ok(end) if end == text.len() => Ok(()),
            Ok(at) | Err(at) => unexpected(at),
        },
    }
}

fn message(line: u32, text: &[u8], at: usize) -> String {
    let rest = String::from_utf8_lossy(text.get(at..).unwrap_or_default());
    format!("{line}: unexpected token at '{rest}'")
}

struct Scanner<'a> {
    text: &'a [u8],
}

/// The end of the value, `None` if it cannot be parsed, or the message that ends the parsing.
type Scanned = Result<Option<usize>, String>;

impl Scanner<'_> {
    fn at(&self, position: usize) -> Option<u8> {
        self.text.get(position).copied()
    }

    fn unexpected<T>(&self, line: u32, at: usize) -> Result<T, String> {
        Err(message(line, self.text, at))
    }

    fn begins_value(&self, position: usize) -> bool {
        matches!(
            self.at(position),
            Some(b'n' | b'f' | b't' | b'"' | b'-' | b'[' | b'{' | b'N' | b'I' | b'0'..=b'9')
        )
    }

    /// The position after white space and comments, or the place of an invalid comment.
    fn ignored(&self, mut position: usize) -> Result<usize, usize> {
        loop {
            match self.at(position) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => position += 1,
                Some(b'/') => {
                    let rest = self.text.get(position + 2..).unwrap_or_default();
                    let length = match self.at(position + 1) {
                        Some(b'*') => rest.windows(2).position(|pair| pair == b"*/").map(|at| at + 2),
                        Some(b'/') => rest.iter().position(|&byte| byte == b'\n').map(|at| at + 1),
                        _ => return Err(position + 1),
                    };
                    position = position + 2 + length.ok_or(self.text.len())?;
                }
                Some(_) | None => return Ok(position),
            }
        }
    }

    /// A value that begins here.
    fn value(&self, start: usize, depth: usize) -> Scanned {
        let word = |word: &str| {
            let found = self.text.get(start..).is_some_and(|rest| rest.starts_with(word.as_bytes()));
            found.then(|| start + word.len())
        };
        match self.at(start) {
            Some(b'n') => Ok(word("null")),
            Some(b't') => Ok(word("true")),
            Some(b'f') => Ok(word("false")),
            Some(b'N') if word("NaN").is_some() => self.unexpected(225, start),
            // One byte too early: a zero byte precedes the text, and the message ends there.
            Some(b'I') if word("Infinity").is_some() => {
                self.unexpected(232, start.checked_sub(1).unwrap_or(self.text.len()))
            }
            Some(b'-') if word("-Infinity").is_some() => self.unexpected(249, start),
            Some(b'-' | b'0'..=b'9') => Ok(Some(self.number(start))),
            Some(b'"') => Ok(self.string(start)),
            Some(b'[') => self.array(start, depth + 1).map(Some),
            Some(b'{') => self.object(start, depth + 1),
            Some(_) | None => Ok(None),
        }
    }

    /// The end of a number; its start if there is none, where the enclosing machine then fails.
    fn number(&self, start: usize) -> usize {
        let digits = |from: usize| {
            let rest = self.text.get(from..).unwrap_or_default();
            from + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
        };
        let first = if self.at(start) == Some(b'-') { start + 1 } else { start };
        let whole = match self.at(first) {
            Some(b'0') => first + 1,
            Some(b'1'..=b'9') => digits(first),
            Some(_) | None => return start,
        };
        let mut end = whole;
        let mut is_float = false;
        if self.at(end) == Some(b'.') && digits(end + 1) > end + 1 {
            end = digits(end + 1);
            is_float = true;
        }
        if matches!(self.at(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.at(end + 1), Some(b'+' | b'-')));
            if digits(end + 1 + sign) > end + 1 + sign {
                end = digits(end + 1 + sign);
                is_float = true;
            }
        }
        let goes_on = matches!(self.at(end), Some(b'0'..=b'9' | b'e' | b'E' | b'.' | b'-'));
        if is_float && !goes_on {
            return end;
        }
        if matches!(self.at(whole), Some(b'0'..=b'9')) { start } else { whole }
    }

    fn string(&self, start: usize) -> Option<usize> {
        let mut position = start + 1;
        loop {
            match self.at(position)? {
                b'"' => return Some(position + 1),
                0..=0x1f => return None,
                b'\\' => match self.at(position + 1)? {
                    b'u' => {
                        let digits = self.text.get(position + 2..position + 6)?;
                        if !digits.iter().all(u8::is_ascii_hexdigit) {
                            return None;
                        }
                        position += 6;
                    }
                    0..=0x1f => return None,
                    _ => position += 2,
                },
                _ => position += 1,
            }
        }
    }

    fn array(&self, start: usize, depth: usize) -> Result<usize, String> {
        if depth > MAX_NESTING {
            return Err(format!("nesting of {depth} is too deep"));
        }
        let ignored = |from: usize| self.ignored(from).or_else(|at| self.unexpected(451, at));
        let mut position = ignored(start + 1)?;
        if self.at(position) == Some(b']') {
            return Ok(position + 1);
        }
        loop {
            if !self.begins_value(position) {
                return self.unexpected(451, position);
            }
            position = match self.value(position, depth)? {
                Some(end) => ignored(end)?,
                None => return self.unexpected(451, position),
            };
            match self.at(position) {
                Some(b']') => return Ok(position + 1),
                Some(b',') => position = ignored(position + 1)?,
                Some(_) | None => return self.unexpected(451, position),
            }
        }
    }

    fn object(&self, start: usize, depth: usize) -> Scanned {
        if depth > MAX_NESTING {
            return Err(format!("nesting of {depth} is too deep"));
        }
        let Ok(mut position) = self.ignored(start + 1) else { return Ok(None) };
        if self.at(position) == Some(b'}') {
            return Ok(Some(position + 1));
        }
        loop {
            if self.at(position) != Some(b'"') {
                return Ok(None);
            }
            let Some(end) = self.string(position) else { return Ok(None) };
            let Ok(colon) = self.ignored(end) else { return Ok(None) };
            if self.at(colon) != Some(b':') {
                return Ok(None);
            }
            let Ok(value) = self.ignored(colon + 1) else { return Ok(None) };
            if !self.begins_value(value) {
                return Ok(None);
            }
            let Some(end) = self.value(value, depth)? else { return Ok(None) };
            let Ok(end) = self.ignored(end) else { return Ok(None) };
            match self.at(end) {
                Some(b'}') => return Ok(Some(end + 1)),
                Some(b',') => match self.ignored(end + 1) {
                    Ok(next) => position = next,
                    Err(_) => return Ok(None),
                },
                Some(_) | None => return Ok(None),
            }
        }
    }
}
