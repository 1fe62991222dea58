//! Parses queries.

use bunraku_syntax::ast::Kind;
use regex::Regex;

use crate::{Item, NodePattern, Pattern, Predicate, Query, QueryError, Repeat, Test, What};

/// The maximum nesting of patterns, and the maximum number of parts in each: matching is recursive in both.
const DEEPEST: usize = 32;
const MOST: usize = 128;

/// Parses a query.
pub(crate) fn query(text: &str) -> Result<Query, QueryError> {
    let mut reader = Reader { text, at: 0, captures: Vec::new(), predicates: Vec::new(), parts: 0 };
    let mut patterns = Vec::new();
    reader.space();
    while reader.peek().is_some() {
        reader.parts = 0;
        let root = reader.item(0)?;
        if root.repeat != Repeat::Once {
            return Err(reader.wrong("a pattern at the top matches once"));
        }
        // Predicates can be after their pattern, or inside it.
        while reader.rest().starts_with("(#") {
            reader.predicate()?;
        }
        let predicates = std::mem::take(&mut reader.predicates);
        patterns.push(Pattern { root, predicates });
    }
    match patterns.is_empty() {
        true => Err(reader.wrong("a query has a pattern")),
        false => Ok(Query { patterns, captures: reader.captures }),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    captures: Vec<String>,
    predicates: Vec<Predicate>,
    parts: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn wrong(&self, message: impl Into<String>) -> QueryError {
        QueryError { message: message.into(), offset: self.at }
    }

    /// Skips white space and comments.
    fn space(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with(';') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    /// Consumes a character, and the space after it, if it is next.
    fn take(&mut self, wanted: char) -> bool {
        let is_here = self.peek() == Some(wanted);
        if is_here {
            self.at += wanted.len_utf8();
            self.space();
        }
        is_here
    }

    fn expect(&mut self, wanted: char) -> Result<(), QueryError> {
        if self.take(wanted) { Ok(()) } else { Err(self.wrong(format!("'{wanted}' expected"))) }
    }

    fn name(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '?');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let name = rest.get(..length).filter(|name| !name.is_empty())?;
        self.at += length;
        self.space();
        Some(name)
    }

    /// A text in double quotes; `\` makes the next character literal, except that `\n` and `\t` have their
    /// usual meaning.
    fn quoted(&mut self) -> Result<String, QueryError> {
        let begin = self.at;
        let mut characters = self.rest().char_indices().skip(1);
        let mut text = String::new();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at += at + 1;
                    self.space();
                    return Ok(text);
                }
                '\\' => match characters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, other)) => text.push(other),
                    None => break,
                },
                other => text.push(other),
            }
        }
        Err(QueryError { message: "a text has no end".to_owned(), offset: begin })
    }

    /// A pattern with its repetition and its captures.
    fn item(&mut self, depth: usize) -> Result<Item, QueryError> {
        if depth > DEEPEST {
            return Err(self.wrong("patterns nest too deep"));
        }
        self.parts += 1;
        if self.parts > MOST {
            return Err(self.wrong("a pattern has too many parts"));
        }
        let what = match self.peek() {
            Some('(') => self.node(depth)?,
            Some('[') => self.alternatives(depth)?,
            Some('"') => What::Text(self.quoted()?),
            _ => self.word()?,
        };
        let repeat = match self.peek() {
            Some('?') => Repeat::Optional,
            Some('*') => Repeat::Any,
            Some('+') => Repeat::Some,
            _ => Repeat::Once,
        };
        if repeat != Repeat::Once {
            self.at += 1;
            self.space();
        }
        let mut captures = Vec::new();
        while self.peek() == Some('@') {
            captures.push(self.capture(true)?);
        }
        Ok(Item { what, repeat, captures, adjacent: false })
    }

    fn word(&mut self) -> Result<What, QueryError> {
        let begin = self.at;
        let unknown = |message: String| QueryError { message, offset: begin };
        match self.name() {
            Some("_") => Ok(What::Any),
            Some("true") => Ok(What::Boolean(true)),
            Some("false") => Ok(What::Boolean(false)),
            Some(word) => {
                let number = word.parse().map_err(|_| unknown(format!("'{word}' is no pattern")))?;
                Ok(What::Number(number))
            }
            None => Err(unknown("a pattern expected".to_owned())),
        }
    }

    fn alternatives(&mut self, depth: usize) -> Result<What, QueryError> {
        self.expect('[')?;
        let mut all = Vec::new();
        while !self.take(']') {
            let item = self.item(depth + 1)?;
            if item.repeat != Repeat::Once {
                return Err(self.wrong("one of several holds once"));
            }
            all.push(item);
        }
        if all.is_empty() { Err(self.wrong("a pattern expected")) } else { Ok(What::OneOf(all)) }
    }

    fn node(&mut self, depth: usize) -> Result<What, QueryError> {
        self.expect('(')?;
        let begin = self.at;
        let name = self.name().ok_or_else(|| self.wrong("the kind of a node expected"))?;
        let kind = match name {
            "_" => None,
            _ => Some(kind(name).ok_or_else(|| QueryError {
                message: format!("there is no kind '{name}' of nodes"),
                offset: begin,
            })?),
        };
        let mut pattern =
            NodePattern { kind, fields: Vec::new(), absent: Vec::new(), children: Vec::new(), closed: false };
        let mut adjacent = false;
        while !self.take(')') {
            match self.peek() {
                None => return Err(self.wrong("')' expected")),
                Some('.') => {
                    self.expect('.')?;
                    adjacent = true;
                }
                Some('!') => {
                    self.at += 1;
                    let name = self.field(kind)?;
                    pattern.absent.push(name);
                }
                Some('(') if self.rest().starts_with("(#") => self.predicate()?,
                Some(_) if self.is_field() => {
                    let name = self.field(kind)?;
                    self.expect(':')?;
                    pattern.fields.push((name, self.item(depth + 1)?));
                }
                Some(_) => {
                    let child = self.item(depth + 1)?;
                    pattern.children.push(Item { adjacent: std::mem::take(&mut adjacent), ..child });
                }
            }
        }
        pattern.closed = adjacent;
        Ok(What::Node(pattern))
    }

    /// Whether a name with a colon is next.
    fn is_field(&self) -> bool {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        end > 0 && rest.get(end..).is_some_and(|rest| rest.trim_start().starts_with(':'))
    }

    fn field(&mut self, kind: Option<Kind>) -> Result<String, QueryError> {
        let begin = self.at;
        let name = self.name().unwrap_or_default();
        let kinds = kind.as_ref().map_or(Kind::ALL, std::slice::from_ref);
        if kinds.iter().any(|kind| kind.field_names().contains(&name)) {
            return Ok(name.to_owned());
        }
        let of = kind.map_or("no node", Kind::name);
        Err(QueryError { message: format!("{of} has a field '{name}'"), offset: begin }.of_kind(kind))
    }

    /// The index of a capture; an unknown one is new, or an error.
    fn capture(&mut self, may_be_new: bool) -> Result<usize, QueryError> {
        let begin = self.at;
        self.expect('@')?;
        let name = self.name().ok_or_else(|| self.wrong("the name of a capture expected"))?;
        match self.captures.iter().position(|one| one == name) {
            Some(number) => Ok(number),
            None if may_be_new => {
                self.captures.push(name.to_owned());
                Ok(self.captures.len() - 1)
            }
            None => {
                Err(QueryError { message: format!("nothing is captured as '@{name}' before"), offset: begin })
            }
        }
    }

    fn predicate(&mut self) -> Result<(), QueryError> {
        self.expect('(')?;
        self.expect('#')?;
        let begin = self.at;
        let written = self.name().unwrap_or_default();
        let (negated, name) = written.strip_prefix("not-").map_or((false, written), |name| (true, name));
        let capture = self.capture(false)?;
        let wrong = |message: String| QueryError { message, offset: begin };
        let test = match (name, self.peek()) {
            ("eq?", Some('@')) => Test::Capture(self.capture(false)?),
            ("eq?", _) => Test::OneOf(vec![self.quoted()?]),
            ("match?", _) => {
                let regex = Regex::new(&self.quoted()?).map_err(|error| wrong(error.to_string()))?;
                Test::Matches(regex)
            }
            ("any-of?", _) => {
                let mut texts = Vec::new();
                while self.peek() == Some('"') {
                    texts.push(self.quoted()?);
                }
                Test::OneOf(texts)
            }
            _ => return Err(wrong(format!("there is no predicate '#{written}'"))),
        };
        self.expect(')')?;
        self.predicates.push(Predicate { capture, negated, test });
        Ok(())
    }
}

impl QueryError {
    /// The error for a field that a kind does not have.
    fn of_kind(mut self, kind: Option<Kind>) -> Self {
        if let Some(kind) = kind {
            let known = kind.field_names();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            self.message = self.message.replacen(" has a field ", " has no field ", 1) + ", but: " + &known;
        }
        self
    }
}

fn kind(name: &str) -> Option<Kind> {
    Kind::ALL.iter().copied().find(|kind| kind.name() == name)
}
