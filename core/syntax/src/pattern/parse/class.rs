//! Sets of characters in brackets. Follows `parse_char_class` of the reference's engine (Onigmo).

use super::super::ast::{Class, ClassItem};
use super::{LONGEST_POSIX, MAX_DEPTH, Options, POSIX_NAMES, Parser, Range, SHORTEST_POSIX, posix};

/// A part of a set.
enum Token {
    Character(char),
    Set(ClassItem),
    Dash,
    Open,
    And,
    Close,
    End,
}

/// What the part before is, for a dash.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    /// A character, or a set when there is none: what a dash can make the beginning of a range.
    Value(Option<char>),
    /// A character and a dash.
    Range(char),
    /// A range.
    Complete,
}

/// The parts of a set that are read; a set in brackets leaves the state as it is.
struct Members {
    items: Vec<ClassItem>,
    state: State,
}

impl Members {
    fn character(&mut self, c: char) -> Result<(), String> {
        self.state = match self.state {
            State::Range(first) if first > c => return Err("empty range in char class".into()),
            State::Range(first) => {
                self.items.push(ClassItem::Range(first, c));
                State::Complete
            }
            _ => {
                self.finish();
                State::Value(Some(c))
            }
        };
        Ok(())
    }

    fn set(&mut self, set: ClassItem) -> Result<(), String> {
        if matches!(self.state, State::Range(_)) {
            return Err("char-class value at end of range".into());
        }
        self.finish();
        self.items.push(set);
        self.state = State::Value(None);
        Ok(())
    }

    /// Keeps a character that is no beginning of a range.
    fn finish(&mut self) {
        if let State::Value(Some(c)) = self.state {
            self.items.push(ClassItem::Range(c, c));
        }
    }
}

impl Parser<'_> {
    /// A set; the opening bracket has been read.
    pub fn class(&mut self, options: Options) -> Result<Class, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("too deep nest level".into());
        }
        let mut class = Class { negated: self.accept("^"), operands: Vec::new() };
        let mut members = Members { items: Vec::new(), state: State::Start };
        let mut token = self.class_token(options)?;
        if matches!(token, Token::Close) {
            // A bracket at the start is literal if another one closes the set.
            if !self.text.iter().skip(self.at).any(|&c| c == ']') {
                return Err("empty char-class".into());
            }
            token = Token::Character(']');
        }
        loop {
            let mut ahead = None;
            match token {
                Token::Close => break,
                Token::End => return Err("premature end of char-class".into()),
                Token::Character(c) => members.character(c)?,
                Token::Set(set) => members.set(set)?,
                Token::Open => members.items.push(ClassItem::Nested(self.class(options)?)),
                Token::And => {
                    members.finish();
                    members.state = State::Start;
                    class.operands.push(std::mem::take(&mut members.items));
                }
                Token::Dash => ahead = self.dash(&mut members, options)?,
            }
            token = match ahead {
                Some(token) => token,
                None => self.class_token(options)?,
            };
        }
        members.finish();
        class.operands.push(members.items);
        self.depth -= 1;
        Ok(class)
    }

    /// A dash that has been read; returns the token behind it if that was read, too.
    fn dash(&mut self, members: &mut Members, options: Options) -> Result<Option<Token>, String> {
        if let State::Range(_) = members.state {
            members.character('-')?;
            return Ok(None);
        }
        let ahead = self.class_token(options)?;
        match (members.state, &ahead) {
            (State::Value(_), Token::Close | Token::And) | (State::Start | State::Complete, _) => {
                members.character('-')?;
            }
            (State::Value(Some(first)), _) => members.state = State::Range(first),
            _ => return Err("unmatched range specifier in char-class".into()),
        }
        Ok(Some(ahead))
    }

    fn class_token(&mut self, options: Options) -> Result<Token, String> {
        let Some(c) = self.next() else { return Ok(Token::End) };
        Ok(match c {
            ']' => Token::Close,
            '-' => Token::Dash,
            '&' if self.accept("&") => Token::And,
            '[' if self.peek() == Some(':') && self.posix_ahead() => match self.posix_bracket(options)? {
                Some(set) => Token::Set(set),
                None => Token::Character('['),
            },
            '[' => Token::Open,
            c => match self.class_atom(c, options)? {
                Ok(c) => Token::Character(c),
                Err(set) => Token::Set(set),
            },
        })
    }

    /// A character of a set, or a set when it is an escape for one.
    fn class_atom(&mut self, c: char, options: Options) -> Result<Result<char, ClassItem>, String> {
        if c != '\\' {
            return Ok(Ok(c));
        }
        let Some(c) = self.next() else { return Err("too short escape sequence".into()) };
        if let Some(set) = self.class_escape(c, options)? {
            return Ok(Err(set));
        }
        match c {
            'b' => Ok(Ok('\u{8}')),
            'R' | 'X' => Ok(Ok(c)),
            '8' | '9' => Ok(Ok(c)),
            _ => self.character_escape(c).map(Ok),
        }
    }

    /// Whether a colon and a bracket are ahead of any other bracket.
    fn posix_ahead(&self) -> bool {
        let mut rest = self.text.get(self.at + 1..).unwrap_or_default();
        loop {
            rest = match rest {
                [':', ']', ..] => return true,
                [] | [']', ..] => return false,
                ['\\', _, rest @ ..] | [_, rest @ ..] => rest,
            };
        }
    }

    /// A POSIX bracket after its first character; `None` if that is a character of the set: a text up to the
    /// next colon that is no name is only an error if a bracket follows it.
    fn posix_bracket(&mut self, options: Options) -> Result<Option<ClassItem>, String> {
        const INVALID: &str = "invalid POSIX bracket type";
        let start = self.at;
        self.at += 1;
        let negated = self.accept("^");
        let rest = self.text.get(self.at..).unwrap_or_default();
        let is_ascii = options.range == Range::Ascii;
        let found = POSIX_NAMES.iter().find(|name| {
            rest.len() >= SHORTEST_POSIX && rest.iter().take(name.len()).copied().eq(name.chars())
        });
        let Some(name) = found else {
            self.at = start;
            let length = rest.iter().take(LONGEST_POSIX + 1).take_while(|c| !matches!(c, ':' | ']')).count();
            return match rest.get(length..) {
                Some([':', ']', ..]) if length <= LONGEST_POSIX => Err(INVALID.into()),
                _ => Ok(None),
            };
        };
        self.at += name.len();
        if !self.accept(":]") {
            return Err(INVALID.into());
        }
        let set = posix(name, is_ascii).ok_or(INVALID)?;
        let text = if negated { format!("[^{set}]") } else { set.to_string() };
        let is_narrow = is_ascii || matches!(*name, "word" | "ascii");
        Ok(Some(if is_narrow { ClassItem::Narrow(text) } else { ClassItem::Named(text) }))
    }
}
