//! HOCON as data: JSON with comments, unquoted text, paths as keys, merged objects and substitutions.
//!
//! Follows the HOCON specification as far as Ruby's gem `hocon` does; `include` is not done.

use indexmap::IndexMap;

use crate::pcore::value::Value;

/// How deep collections and substitutions may nest.
const MAXIMUM_DEPTH: usize = 200;

/// How many values a document may have when substitutions are replaced.
const MAXIMUM_VALUES: usize = 1_000_000;

/// Reads a text and resolves its substitutions. Errors: the text is no HOCON; a substitution has no value.
pub fn parse(text: &str) -> Result<Value, String> {
    let mut parser = Parser { text, at: 0, line: 1, depth: 0 };
    let root = parser.root()?;
    let mut resolver = Resolver { root: &root, resolving: Vec::new(), values: 0 };
    Ok(resolver.resolve(&root)?.unwrap_or_default())
}

type Fields = IndexMap<String, Node>;

/// A value before its substitutions are replaced.
#[derive(Clone, Debug)]
enum Node {
    /// A value, with how it was written where that matters for joining it with text.
    Scalar(Value, String),
    Object(Fields),
    Array(Vec<Node>),
    /// Values side by side; the texts between them are white space.
    Joined(Vec<Node>),
    Substitution {
        path: Vec<String>,
        optional: bool,
    },
    /// A value that was set when the path had one already.
    Over {
        path: Vec<String>,
        value: Box<Node>,
        before: Box<Node>,
    },
    /// `+=`
    Append {
        path: Vec<String>,
        value: Box<Node>,
        before: Option<Box<Node>>,
    },
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn fail<T>(&self, message: &str) -> Result<T, String> {
        Err(format!("{}: {message}", self.line))
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn advance(&mut self, length: usize) {
        let end = (self.at + length).min(self.text.len());
        self.line += self.text[self.at..end].matches('\n').count();
        self.at = end;
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.advance(text.len());
        }
        found
    }

    /// Skips white space and comments; newlines too when `newlines`.
    fn skip(&mut self, newlines: bool) {
        loop {
            let rest = self.rest();
            if rest.starts_with('#') || rest.starts_with("//") {
                self.advance(rest.find('\n').unwrap_or(rest.len()));
                continue;
            }
            match self.peek() {
                Some(char) if is_space(char) && (newlines || char != '\n') => self.advance(char.len_utf8()),
                _ => return,
            }
        }
    }

    fn root(&mut self) -> Result<Node, String> {
        self.take("\u{feff}");
        self.skip(true);
        let node = match self.peek() {
            Some('[') => self.array()?,
            Some('{') => self.object(&[])?,
            _ => {
                let mut fields = Fields::new();
                self.fields(&mut fields, &[])?;
                Node::Object(fields)
            }
        };
        self.skip(true);
        if self.peek().is_some() {
            return self.fail("Document has trailing tokens after first object or array");
        }
        Ok(node)
    }

    fn object(&mut self, path: &[String]) -> Result<Node, String> {
        self.enter()?;
        self.advance(1);
        let mut fields = Fields::new();
        self.fields(&mut fields, path)?;
        if !self.take("}") {
            return self.fail("Expecting close brace }");
        }
        self.depth -= 1;
        Ok(Node::Object(fields))
    }

    fn enter(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > MAXIMUM_DEPTH {
            return self.fail("nesting is too deep");
        }
        Ok(())
    }

    /// The fields of an object up to its end.
    fn fields(&mut self, fields: &mut Fields, base: &[String]) -> Result<(), String> {
        loop {
            self.skip(true);
            while self.take(",") {
                self.skip(true);
            }
            if matches!(self.peek(), None | Some('}')) {
                return Ok(());
            }
            let keys = self.path()?;
            self.skip(true);
            let full: Vec<String> = base.iter().chain(&keys).cloned().collect();
            let appends = self.take("+=");
            if !appends && self.peek() != Some('{') && !self.take(":") && !self.take("=") {
                let token = if self.peek().is_none() { "token: end of file" } else { "this token" };
                return self.fail(&format!("Key '{}' may not be followed by {token}", keys.join(".")));
            }
            self.skip(true);
            let value = self.value(&full)?;
            insert(fields, base, &keys, value, appends);
            self.skip(false);
            match self.peek() {
                None | Some('}' | ',' | '\n') => {}
                Some(_) => return self.fail("Expecting close brace } or a comma"),
            }
        }
    }

    /// The path that a key is: names with dots between them.
    fn path(&mut self) -> Result<Vec<String>, String> {
        let mut path = Vec::new();
        let mut name = String::new();
        let mut has_name = false;
        loop {
            match self.peek() {
                Some('"') => {
                    name.push_str(&self.quoted()?);
                    has_name = true;
                }
                Some('.') => {
                    self.advance(1);
                    if !has_name {
                        return self.fail("path has a leading, trailing, or two adjacent period '.'");
                    }
                    path.push(std::mem::take(&mut name));
                    has_name = false;
                }
                Some(char) if is_space(char) && char != '\n' => {
                    let start = self.at;
                    self.skip(false);
                    if matches!(self.peek(), None | Some(':' | '=' | '{' | '+' | '}' | '\n' | ',')) {
                        break;
                    }
                    name.push_str(&self.text[start..self.at]);
                }
                Some(char) if is_unquoted(char) && !self.rest().starts_with("//") => {
                    name.push(char);
                    self.advance(char.len_utf8());
                    has_name = true;
                }
                _ => break,
            }
        }
        if !has_name {
            return match self.peek() {
                Some(char) if !is_unquoted(char) && !is_space(char) && !"{}[],:=\"".contains(char) => self
                    .fail(&format!(
                        "expecting a close brace or a field name here, got '{char}' \
                         (Reserved character '{char}' is not allowed outside quotes)"
                    )),
                _ => self.fail("expecting a field name"),
            };
        }
        path.push(name);
        Ok(path)
    }

    /// A value: one, or several side by side.
    fn value(&mut self, path: &[String]) -> Result<Node, String> {
        let mut parts: Vec<Node> = Vec::new();
        let mut space = String::new();
        loop {
            let start = self.at;
            while let Some(char) = self.peek().filter(|char| is_space(*char) && *char != '\n') {
                self.advance(char.len_utf8());
            }
            space.push_str(&self.text[start..self.at]);
            let rest = self.rest();
            if rest.is_empty() || rest.starts_with(['\n', ',', '}', ']', '#']) || rest.starts_with("//") {
                break;
            }
            let part = self.part(path)?;
            if !parts.is_empty() && !space.is_empty() {
                parts.push(Node::Scalar(Value::from(space.as_str()), std::mem::take(&mut space)));
            }
            space.clear();
            parts.push(part);
        }
        match parts.len() {
            0 => self.fail("expecting a value"),
            1 => Ok(parts.remove(0)),
            _ => Ok(Node::Joined(parts)),
        }
    }

    fn part(&mut self, path: &[String]) -> Result<Node, String> {
        match self.peek() {
            Some('{') => self.object(path),
            Some('[') => self.array(),
            Some('"') => {
                let text = self.quoted()?;
                Ok(Node::Scalar(Value::from(text.as_str()), text))
            }
            Some('$') => self.substitution(),
            Some(char) if is_unquoted(char) || char == '.' => {
                let start = self.at;
                while let Some(char) = self.peek() {
                    if !(is_unquoted(char) || char == '.') || self.rest().starts_with("//") {
                        break;
                    }
                    self.advance(char.len_utf8());
                }
                let text = &self.text[start..self.at];
                Ok(Node::Scalar(unquoted(text), text.to_owned()))
            }
            Some(char) => self.fail(&format!("Reserved character '{char}' is not allowed outside quotes")),
            None => self.fail("expecting a value"),
        }
    }

    fn array(&mut self) -> Result<Node, String> {
        self.enter()?;
        self.advance(1);
        let mut values = Vec::new();
        loop {
            self.skip(true);
            if self.take("]") {
                break;
            }
            values.push(self.value(&[])?);
            self.skip(true);
            self.take(",");
            if self.peek().is_none() {
                return self.fail("List should have ended with ] or had a comma");
            }
        }
        self.depth -= 1;
        Ok(Node::Array(values))
    }

    fn substitution(&mut self) -> Result<Node, String> {
        if !self.take("${") {
            return self.fail("Reserved character '$' is not allowed outside quotes");
        }
        let optional = self.take("?");
        self.skip(false);
        let path = self.path()?;
        self.skip(false);
        if !self.take("}") {
            return self.fail("Substitution ${ was not closed with a }");
        }
        Ok(Node::Substitution { path, optional })
    }

    /// A text in quotes, one or three.
    fn quoted(&mut self) -> Result<String, String> {
        if self.take("\"\"\"") {
            let rest = self.rest();
            let Some(mut end) = rest.find("\"\"\"") else {
                return self.fail("End of input but triple quote was still open");
            };
            while rest[end + 3..].starts_with('"') {
                end += 1;
            }
            self.advance(end + 3);
            return Ok(rest[..end].to_owned());
        }
        self.advance(1);
        let mut text = String::new();
        loop {
            let Some(char) = self.peek().filter(|char| *char != '\n') else {
                return self.fail("End of input but string quote was still open");
            };
            self.advance(char.len_utf8());
            match char {
                '"' => return Ok(text),
                '\\' => text.push(self.escape()?),
                char => text.push(char),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let Some(char) = self.peek() else { return self.fail("backslash at the end of input") };
        self.advance(char.len_utf8());
        Ok(match char {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            '"' | '\\' | '/' => char,
            'u' => {
                let first = self.hexadecimal()?;
                let code = if (0xD800..0xDC00).contains(&first) && self.take("\\u") {
                    0x10000 + ((first - 0xD800) << 10) + (self.hexadecimal()?.wrapping_sub(0xDC00) & 0x3FF)
                } else {
                    first
                };
                char::from_u32(code).unwrap_or('\u{fffd}')
            }
            char => return self.fail(&format!("backslash followed by '{char}', this is not a valid escape")),
        })
    }

    fn hexadecimal(&mut self) -> Result<u32, String> {
        let digits = self.rest().get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let Some(code) = digits else { return self.fail("Malformed hex digits after \\u escape") };
        self.advance(4);
        Ok(code)
    }
}

fn is_space(char: char) -> bool {
    char.is_whitespace() || char == '\u{feff}'
}

/// Whether a character may stand in text without quotes.
fn is_unquoted(char: char) -> bool {
    !is_space(char)
        && !matches!(
            char,
            '$' | '"'
                | '{'
                | '}'
                | '['
                | ']'
                | ':'
                | '='
                | ','
                | '+'
                | '#'
                | '`'
                | '^'
                | '?'
                | '!'
                | '@'
                | '*'
                | '&'
                | '\\'
                | '.'
        )
}

/// What text without quotes means.
fn unquoted(text: &str) -> Value {
    match text {
        "null" => return Value::Undef,
        "true" => return Value::Boolean(true),
        "false" => return Value::Boolean(false),
        _ => {}
    }
    if text.starts_with(|char: char| char.is_ascii_digit() || char == '-') {
        if let Ok(number) = text.parse::<i64>() {
            return Value::Integer(number);
        }
        let is_number =
            text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
        if let Some(number) = text.parse::<f64>().ok().filter(|_| is_number) {
            return Value::Float(number);
        }
    }
    Value::from(text)
}

/// Sets what a path of keys means; objects are merged.
fn insert(fields: &mut Fields, base: &[String], keys: &[String], value: Node, appends: bool) {
    let Some((first, rest)) = keys.split_first() else { return };
    let path: Vec<String> = base.iter().chain(std::iter::once(first)).cloned().collect();
    if !rest.is_empty() {
        let mut inner = Fields::new();
        insert(&mut inner, &path, rest, value, appends);
        set(fields, first, path, Node::Object(inner));
    } else if appends {
        let before = fields.get(first).cloned().map(Box::new);
        fields.insert(first.clone(), Node::Append { path, value: Box::new(value), before });
    } else {
        set(fields, first, path, value);
    }
}

fn set(fields: &mut Fields, key: &str, path: Vec<String>, value: Node) {
    let Some(before) = fields.get_mut(key) else {
        fields.insert(key.to_owned(), value);
        return;
    };
    match (before, value) {
        (Node::Object(before), Node::Object(value)) => {
            for (name, value) in value {
                let path = path.iter().cloned().chain(std::iter::once(name.clone())).collect();
                set(before, &name, path, value);
            }
        }
        (before, value @ (Node::Scalar(..) | Node::Array(_))) if !has_substitution(&value) => *before = value,
        (before, value) => {
            let old = std::mem::replace(before, Node::Array(Vec::new()));
            *before = Node::Over { path, value: Box::new(value), before: Box::new(old) };
        }
    }
}

fn has_substitution(node: &Node) -> bool {
    match node {
        Node::Scalar(..) => false,
        Node::Object(fields) => fields.values().any(has_substitution),
        Node::Array(list) | Node::Joined(list) => list.iter().any(has_substitution),
        Node::Substitution { .. } | Node::Over { .. } | Node::Append { .. } => true,
    }
}

/// Replaces substitutions.
struct Resolver<'n> {
    root: &'n Node,
    /// The paths that are being resolved, with what they were before they were set again.
    resolving: Vec<(Vec<String>, Option<Node>)>,
    values: usize,
}

impl Resolver<'_> {
    /// The value of a node; `None` for an optional substitution without a value.
    fn resolve(&mut self, node: &Node) -> Result<Option<Value>, String> {
        self.values += 1;
        if self.values > MAXIMUM_VALUES || self.resolving.len() > MAXIMUM_DEPTH {
            return Err("substitutions make the document too big".into());
        }
        match node {
            Node::Scalar(value, _) => Ok(Some(value.clone())),
            Node::Array(list) => {
                let mut values = Vec::with_capacity(list.len());
                for node in list {
                    values.extend(self.resolve(node)?);
                }
                Ok(Some(Value::from(values)))
            }
            Node::Object(fields) => {
                let mut hash = crate::pcore::value::Hash::default();
                for (key, node) in fields {
                    if let Some(value) = self.resolve(node)? {
                        hash.insert(key.as_str().into(), value);
                    }
                }
                Ok(Some(Value::from(hash)))
            }
            Node::Joined(parts) => self.join(parts),
            Node::Substitution { path, optional } => match self.find(path)? {
                None if !optional => {
                    Err(format!("Could not resolve substitution to a value: ${{{}}}", path.join(".")))
                }
                found => Ok(found),
            },
            Node::Over { path, value, before } => {
                self.resolving.push((path.clone(), Some((**before).clone())));
                let value = self.resolve(value);
                self.resolving.pop();
                match value? {
                    Some(Value::Hash(new)) => match self.resolve(before)? {
                        Some(old @ Value::Hash(_)) => Ok(Some(merged(old, Value::Hash(new)))),
                        _ => Ok(Some(Value::Hash(new))),
                    },
                    Some(value) => Ok(Some(value)),
                    None => self.resolve(before),
                }
            }
            Node::Append { path, value, before } => {
                let mut list = match before {
                    Some(before) => match self.resolve(before)? {
                        Some(Value::Array(list)) => list.to_vec(),
                        None => Vec::new(),
                        Some(_) => return Err(format!("{} is no list to append to", path.join("."))),
                    },
                    None => Vec::new(),
                };
                list.extend(self.resolve(value)?);
                Ok(Some(Value::from(list)))
            }
        }
    }

    /// The value at a path of the document.
    fn find(&mut self, path: &[String]) -> Result<Option<Value>, String> {
        if let Some(at) = self.resolving.iter().rposition(|(known, _)| known == path) {
            let Some(before) = self.resolving[at].1.clone() else {
                return Err(format!("Cycle in substitutions at ${{{}}}", path.join(".")));
            };
            let saved = self.resolving.split_off(at);
            let result = self.resolve(&before);
            self.resolving.extend(saved);
            return result;
        }
        let mut node = self.root;
        for (at, name) in path.iter().enumerate() {
            match node {
                Node::Object(fields) => match fields.get(name) {
                    Some(inner) => node = inner,
                    None => return Ok(None),
                },
                node => {
                    let value = self.resolve(node)?;
                    let step = |value: Value, name: &String| match value {
                        Value::Hash(hash) => hash.get(&Value::from(name.as_str())).cloned(),
                        _ => None,
                    };
                    return Ok(value.and_then(|value| path[at..].iter().try_fold(value, step)));
                }
            }
        }
        let is_set_again = matches!(node, Node::Over { .. });
        if !is_set_again {
            self.resolving.push((path.to_vec(), None));
        }
        let result = self.resolve(node);
        if !is_set_again {
            self.resolving.pop();
        }
        result
    }

    /// Values side by side: objects are merged, lists joined, everything else is text.
    fn join(&mut self, parts: &[Node]) -> Result<Option<Value>, String> {
        let mut values = Vec::new();
        for part in parts {
            let text = match part {
                Node::Scalar(_, text) => Some(text.clone()),
                _ => None,
            };
            values.push((self.resolve(part)?, text));
        }
        let is_space = |text: &Option<String>| text.as_ref().is_some_and(|text| text.trim().is_empty());
        let solid: Vec<&Value> = values
            .iter()
            .filter(|(_, text)| !is_space(text))
            .filter_map(|(value, _)| value.as_ref())
            .collect();
        if solid.is_empty() {
            return Ok(None);
        }
        if solid.iter().all(|value| matches!(value, Value::Hash(_))) {
            return Ok(solid.into_iter().cloned().reduce(merged));
        }
        if solid.iter().all(|value| matches!(value, Value::Array(_))) {
            let lists = solid.iter().filter_map(|value| match value {
                Value::Array(list) => Some(list.iter().cloned()),
                _ => None,
            });
            return Ok(Some(Value::array(lists.flatten())));
        }
        let mut result = String::new();
        for (value, text) in &values {
            match (value, text) {
                (_, Some(text)) => result.push_str(text),
                (Some(Value::Array(_) | Value::Hash(_)), None) => {
                    return Err("Cannot concatenate object or list with a non-object-or-list".into());
                }
                (Some(Value::Undef), None) => result.push_str("null"),
                (Some(value), None) => result.push_str(&super::super::text::to_s(value)),
                (None, None) => {}
            }
        }
        Ok(Some(Value::from(result)))
    }
}

/// Two objects merged; the second wins.
fn merged(first: Value, second: Value) -> Value {
    match (first, second) {
        (Value::Hash(first), Value::Hash(second)) => {
            let mut result = crate::pcore::value::Hash::clone(&first);
            for (key, value) in second.iter() {
                let value = match result.get(key) {
                    Some(before) => merged(before.clone(), value.clone()),
                    None => value.clone(),
                };
                result.insert(key.clone(), value);
            }
            Value::from(result)
        }
        (_, second) => second,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hiera::yaml;

    #[test]
    fn documents_are_resolved() {
        let text = "# a comment\na.b = 1\na { c: two words, d = [1, 2.5,\n x] } // more\nbase : sub\n\
                    e = ${base}stituted\nf = ${a} { b: 3 }\nlist = [1]\nlist += 2\ng = \"q\\\"\"\nh = ${?no}\n\
                    i = ${list} [3]\n";
        let expected = "{a: {b: 1, c: two words, d: [1, 2.5, x]}, base: sub, e: substituted, \
                        f: {b: 3, c: two words, d: [1, 2.5, x]}, list: [1, 2], g: 'q\"', i: [1, 2, 3]}";
        assert_eq!(parse(text), Ok(yaml::parse(expected, None).unwrap()));
        assert!(parse("a = ${a}").is_err());
        assert!(parse("a = [1").is_err());
        assert_eq!(parse("p = [1]\np = ${p} [2]"), Ok(yaml::parse("p: [1, 2]", None).unwrap()));
    }
}
