//! Parses tokens to the tree of a document.

use std::borrow::Cow;
use std::rc::Rc;

use super::node::{Fields, Node, Shared, joined, over};
use super::tokens::{Placed, Token, path, tokens};
use super::{MAX_DEPTH, Watch};
use crate::data::value::Value;

/// The object of a text.
pub(super) fn document(text: &str, watch: &Watch<'_>) -> Result<Shared, String> {
    let tokens = tokens(text, watch)?;
    let mut parser =
        Parser { tokens: &tokens, at: 0, path: Vec::new(), depth: 0, lists: 0, unjoined: None, watch };
    let document = parser.document()?;
    parser.unjoined.map_or(Ok(document), Err)
}

struct Parser<'t> {
    tokens: &'t [Placed],
    at: usize,
    /// The path of the current value.
    path: Vec<String>,
    depth: usize,
    /// The number of lists around the value.
    lists: usize,
    /// The first error about values that do not join: the gem makes values when it has read the whole text.
    unjoined: Option<String>,
    watch: &'t Watch<'t>,
}

impl<'t> Parser<'t> {
    fn fail<T>(&self, message: &str) -> Result<T, String> {
        Err(format!("String: {}: {message}", self.tokens.get(self.at).map_or(0, |(_, line)| *line)))
    }

    /// An error that names the next token.
    fn fail_at_token<T>(&self, message: &str) -> Result<T, String> {
        self.fail(&format!("{message}{}", self.peek()))
    }

    /// As [`fail_at_token`](Self::fail_at_token), with the gem's advice to quote the token.
    fn fail_at_unquoted<T>(&self, message: &str) -> Result<T, String> {
        let token = self.peek();
        if *token == Token::End {
            return self.fail_at_token(message);
        }
        self.fail_with_advice(&format!("{message}{token}"))
    }

    /// An error about the next token, with the gem's advice to quote it.
    fn fail_with_advice<T>(&self, message: &str) -> Result<T, String> {
        let token = self.peek();
        let advice = "try enclosing the key or value in double quotes";
        self.fail(&format!(
            "{message} (if you intended {token} to be part of a key or string value, {advice}"
        ))
    }

    /// An error within a list; `wanted` is the beginning of the advice.
    fn fail_in_list<T>(&self, message: &str, wanted: &str) -> Result<T, String> {
        let token = self.peek();
        self.fail(&format!(
            "{message}, instead had token: {token} (if you want {wanted}{token} to be part of a string value, \
             then double-quote it)"
        ))
    }

    fn peek(&self) -> &'t Token {
        self.tokens.get(self.at).map_or(&Token::End, |(token, _)| token)
    }

    fn next(&mut self) -> &'t Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn take(&mut self, token: &Token) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn skip(&mut self) {
        while self.peek().is_blank() {
            self.at += 1;
        }
    }

    /// Advances to the next field or item. Returns false if neither a comma nor a newline precedes it.
    fn separator(&mut self) -> bool {
        let start = self.at;
        self.skip();
        self.take(&Token::Comma)
            || self.tokens[start..self.at].iter().any(|(token, _)| *token == Token::Newline)
    }

    fn document(&mut self) -> Result<Shared, String> {
        self.skip();
        let root = match self.peek() {
            Token::OpenBracket => return self.fail("has type LIST rather than object at file root"),
            Token::OpenBrace => self.object()?,
            _ => self.fields(&Token::End)?,
        };
        self.skip();
        if *self.peek() != Token::End {
            return self.fail_at_token("Document has trailing tokens after first object or array: ");
        }
        Ok(root)
    }

    fn enter(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth + self.path.len() > MAX_DEPTH {
            return self.fail("nesting is too deep");
        }
        Ok(())
    }

    fn object(&mut self) -> Result<Shared, String> {
        self.enter()?;
        self.next();
        let object = self.fields(&Token::CloseBrace)?;
        self.next();
        self.depth -= 1;
        Ok(object)
    }

    /// The fields of an object up to its end.
    fn fields(&mut self, end: &Token) -> Result<Shared, String> {
        let mut fields = Fields::new();
        loop {
            self.skip();
            match self.peek() {
                token if token == end => break,
                _ if self.is_closed_unopened(end) => {
                    return self.fail_with_advice("unbalanced close brace '}' with no open brace");
                }
                Token::Text(text) if text == "include" => self.include()?,
                _ => self.field(&mut fields)?,
            }
            if !self.separator() && self.peek() != end && !self.is_closed_unopened(end) {
                return self.fail_at_unquoted("Expecting close brace } or a comma, got ");
            }
        }
        Ok(Rc::new(Node::object(fields)))
    }

    /// Whether a brace closes the fields of a document that no brace opened.
    fn is_closed_unopened(&self, end: &Token) -> bool {
        *end == Token::End && *self.peek() == Token::CloseBrace
    }

    fn field(&mut self, fields: &mut Fields) -> Result<(), String> {
        let start = self.at;
        while matches!(self.peek(), Token::Text(_) | Token::Quoted(_) | Token::Plain(..)) {
            self.at += 1;
        }
        if start == self.at {
            return self.fail_at_token("expecting a close brace or a field name here, got ");
        }
        let written = start..self.at;
        let key = self.tokens[written.clone()].iter().map(|(token, _)| token);
        // The gem tells no place.
        let keys = path(key)?;
        let outer = self.path.len();
        self.path.extend_from_slice(&keys);
        self.skip();
        let value = match self.peek() {
            Token::OpenBrace => self.object()?,
            Token::Colon | Token::Equals => {
                self.next();
                self.wanted_value()?
            }
            Token::PlusEquals => {
                self.next();
                self.addition()?
            }
            _ => {
                let key: String = self.tokens[written].iter().map(|(token, _)| source_of(token)).collect();
                return self
                    .fail_at_unquoted(&format!("Key '{}' may not be followed by token: ", key.trim_end()));
            }
        };
        self.path.truncate(outer);
        // An existing value is merged with the new one.
        let before = keys.first().and_then(|key| fields.get(key.as_str()));
        self.watch.charge(1 + before.map_or(0, |before| before.size()))?;
        set(fields, &keys, value);
        Ok(())
    }

    /// The value after `+=`: the previous value with another item.
    fn addition(&mut self) -> Result<Shared, String> {
        if self.lists > 0 {
            return self.fail(
                "Due to current limitations of the config parser, += does not work nested inside a list",
            );
        }
        self.lists += 1;
        let value = self.wanted_value()?;
        self.lists -= 1;
        let before = Node::Substitution { path: self.path.clone(), optional: true, line: 0 };
        Ok(Rc::new(Node::Joined(vec![Rc::new(before), Rc::new(Node::list(vec![value]))])))
    }

    fn wanted_value(&mut self) -> Result<Shared, String> {
        match self.value()? {
            Some(value) => Ok(value),
            None => self.fail_at_unquoted("Expecting a value but got wrong token: "),
        }
    }

    /// A value: one, or several adjacent ones. `None` if there is none.
    fn value(&mut self) -> Result<Option<Shared>, String> {
        self.skip();
        let mut pieces = Vec::new();
        loop {
            pieces.push(match self.peek() {
                Token::OpenBrace => self.object()?,
                Token::OpenBracket => self.list()?,
                Token::Space => {
                    self.next();
                    continue;
                }
                Token::Substitution { path: Err(message), .. } => {
                    let error = self.fail::<Shared>(message).err();
                    self.unjoined = self.unjoined.take().or(error);
                    self.next();
                    Rc::new(Node::Plain(Value::Undef, String::new()))
                }
                token => match simple(token) {
                    Some(node) => {
                        self.next();
                        Rc::new(node)
                    }
                    None => break,
                },
            });
        }
        joined(pieces).or_else(|message| {
            let error = self.fail::<Shared>(&message).err();
            self.unjoined = self.unjoined.take().or(error);
            Ok(Some(Rc::new(Node::Plain(Value::Undef, String::new()))))
        })
    }

    fn list(&mut self) -> Result<Shared, String> {
        self.enter()?;
        self.next();
        self.lists += 1;
        let mut items = Vec::new();
        let mut may_follow = true;
        while !self.take(&Token::CloseBracket) {
            if !may_follow {
                return self.fail_in_list("List should have ended with ] or had a comma", "");
            }
            self.watch.charge(1)?;
            match self.value()? {
                Some(item) => items.push(item),
                None if *self.peek() == Token::CloseBracket => continue,
                None => {
                    return match items.is_empty() {
                        true => {
                            self.fail_in_list("List should have ] or a first element after the open [", "")
                        }
                        false => self
                            .fail_in_list("List should have had new element after a comma", "the comma or "),
                    };
                }
            }
            may_follow = self.separator();
        }
        self.lists -= 1;
        self.depth -= 1;
        Ok(Rc::new(Node::list(items)))
    }

    /// `include` in its forms, which sets nothing. Errors: includes that the gem does not support.
    fn include(&mut self) -> Result<(), String> {
        self.next();
        self.skip();
        let is_file = match self.peek() {
            Token::Text(text) if text == "file(" => true,
            Token::Text(text) if matches!(text.as_str(), "url(" | "classpath(") => {
                return self.fail(&format!("include {text}) is not supported"));
            }
            _ => false,
        };
        if is_file {
            self.next();
            self.skip();
        }
        let Token::Quoted(name) = self.peek() else {
            return self.fail_at_token("include keyword is not followed by a quoted string, but by: ");
        };
        self.next();
        if is_file {
            self.skip();
            if !matches!(self.next(), Token::Text(text) if text == ")") {
                return self.fail("expecting a close parentheses ')' here");
            }
        } else if is_url(name) {
            return self.fail("include of a URL is not supported");
        }
        Ok(())
    }
}

/// Whether the gem treats a name as a URL.
fn is_url(name: &str) -> bool {
    let scheme = name.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    let is_allowed = |char: char| char.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(char);
    matches!(scheme.as_deref(), Some("http" | "https")) && name.chars().all(is_allowed)
}

fn simple(token: &Token) -> Option<Node> {
    Some(match token {
        Token::Text(text) => Node::Text { text: text.clone(), is_quoted: false },
        Token::Quoted(text) => Node::Text { text: text.clone(), is_quoted: true },
        Token::Plain(value, text) => Node::Plain(value.clone(), text.clone()),
        Token::Substitution { path: Ok(path), optional, line } => {
            Node::Substitution { path: path.clone(), optional: *optional, line: *line }
        }
        _ => return None,
    })
}

/// Sets the value at a path of keys.
fn set(fields: &mut Fields, keys: &[String], value: Shared) {
    let Some((first, rest)) = keys.split_first() else { return };
    let value = rest
        .iter()
        .rev()
        .fold(value, |value, key| Rc::new(Node::object(Fields::from([(Rc::from(key.as_str()), value)]))));
    match fields.get_mut(first.as_str()) {
        Some(before) => {
            let older = std::mem::replace(before, Rc::new(Node::Plain(Value::Undef, String::new())));
            *before = over(value, older);
        }
        None => drop(fields.insert(Rc::from(first.as_str()), value)),
    }
}

/// A part of a key as it was written.
fn source_of(token: &Token) -> Cow<'_, str> {
    match token {
        Token::Text(text) | Token::Plain(_, text) => Cow::Borrowed(text),
        Token::Quoted(text) => Cow::Owned(format!("\"{text}\"")),
        _ => Cow::Borrowed(""),
    }
}
