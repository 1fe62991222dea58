//! The words of a Ruby file, as far as declarations of resource types need them: names, symbols, strings, regular
//! expressions and punctuation. Comments, heredocs and what is interpolated into strings are skipped.

/// A word of a Ruby file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or keyword, with `?` or `!` behind it; `@name` too.
    Name(String),
    /// `:name`, `:'name'`
    Symbol(String),
    /// `name:` in front of a value.
    Key(String),
    /// A string.
    Text(String),
    /// `%w[a b]`, `%i[a b]`: words, and whether they are symbols.
    Words(Vec<String>),
    /// A regular expression with its options; interpolations are still in it.
    Regexp(String, String),
    /// Anything else, one character at a time.
    Mark(char),
    /// The end of a line.
    Newline,
}

/// Takes a Ruby file apart. What cannot be read ends the list.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut reader = Reader { rest: text, tokens: Vec::new(), heredocs: Vec::new(), is_spaced: true };
    while reader.next().is_some() {}
    reader.tokens
}

struct Reader<'t> {
    rest: &'t str,
    tokens: Vec<Token>,
    /// Ends of heredocs that begin in this line, and whether they may be indented.
    heredocs: Vec<String>,
    /// Whether white space stands before the next word.
    is_spaced: bool,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<()> {
        let first = self.rest.chars().next()?;
        let spaced = std::mem::replace(&mut self.is_spaced, false);
        match first {
            '\n' => {
                self.skip(1);
                self.push(Token::Newline);
                self.is_spaced = true;
                self.skip_heredocs();
                if self.rest.starts_with("=begin") {
                    let end = self.rest.find("\n=end").map_or(self.rest.len(), |at| at + 5);
                    self.skip(end);
                }
                if self.rest.starts_with("__END__") {
                    self.rest = "";
                }
            }
            ' ' | '\t' | '\r' => {
                self.skip(1);
                self.is_spaced = true;
            }
            '#' => {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.skip(end);
            }
            '\'' | '"' => {
                self.skip(1);
                let text = self.delimited(first, None);
                if self.rest.starts_with(':') && !self.rest.starts_with("::") {
                    self.skip(1);
                    self.push(Token::Key(text));
                } else {
                    self.push(Token::Text(text));
                }
            }
            '`' => {
                self.skip(1);
                let text = self.delimited('`', None);
                self.push(Token::Text(text));
            }
            ':' => self.colon(),
            '%' => self.percent(spaced),
            '/' if self.expects_value(spaced) => {
                self.skip(1);
                self.regexp('/', None);
            }
            '<' if self.rest.starts_with("<<") && self.heredoc() => {}
            '@' | '$' | '_' | 'a'..='z' | 'A'..='Z' => self.name(),
            _ => {
                self.skip(first.len_utf8());
                self.push(Token::Mark(first));
            }
        }
        Some(())
    }

    fn push(&mut self, token: Token) {
        self.tokens.push(token);
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or("");
    }

    /// Whether a `/` or `%` that stands here begins a value.
    fn expects_value(&self, spaced: bool) -> bool {
        let is_followed_by_space = self.rest.chars().nth(1).is_some_and(char::is_whitespace);
        match self.tokens.last() {
            None | Some(Token::Newline | Token::Key(_)) => true,
            Some(Token::Mark(mark)) => !matches!(mark, ')' | ']' | '}' | '0'..='9'),
            Some(Token::Name(name)) => {
                matches!(
                    name.as_str(),
                    "when" | "if" | "unless" | "and" | "or" | "not" | "return" | "then" | "in"
                ) || spaced && !is_followed_by_space
            }
            Some(Token::Symbol(_) | Token::Text(_) | Token::Words(_) | Token::Regexp(..)) => false,
        }
    }

    fn colon(&mut self) {
        if self.rest.starts_with("::") {
            self.skip(2);
            self.push(Token::Mark(':'));
            self.push(Token::Mark(':'));
            return;
        }
        self.skip(1);
        match self.rest.chars().next() {
            Some(quote @ ('\'' | '"')) => {
                self.skip(1);
                let text = self.delimited(quote, None);
                self.push(Token::Symbol(text));
            }
            Some(first) if first.is_alphabetic() || first == '_' => {
                let name = self.word();
                self.push(Token::Symbol(name));
            }
            _ => self.push(Token::Mark(':')),
        }
    }

    fn name(&mut self) {
        let sigils = self.rest.len() - self.rest.trim_start_matches(['@', '$']).len();
        let sigil = self.rest.get(..sigils).unwrap_or("").to_owned();
        self.skip(sigils);
        let name = sigil + &self.word();
        if name.is_empty() || name == "@" || name == "$" {
            let first = self.rest.chars().next().map_or(0, char::len_utf8);
            self.skip(first);
            return;
        }
        let is_ternary = self.tokens.last() == Some(&Token::Mark('?'));
        if self.rest.starts_with(':') && !self.rest.starts_with("::") && !is_ternary {
            self.skip(1);
            self.push(Token::Key(name));
        } else {
            self.push(Token::Name(name));
        }
    }

    fn word(&mut self) -> String {
        let mut end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let behind = self.rest.get(end..).unwrap_or("");
        if behind.starts_with(['?', '!']) && !behind[1..].starts_with('=') {
            end += 1;
        }
        let word = self.rest.get(..end).unwrap_or("").to_owned();
        self.skip(end);
        word
    }

    /// `%w[…]`, `%q{…}`, `%r{…}` and their like.
    fn percent(&mut self, spaced: bool) {
        let mut letters = self.rest.chars().skip(1);
        let (kind, open) = match letters.next() {
            Some(kind @ ('w' | 'W' | 'i' | 'I' | 'q' | 'Q' | 'r' | 's' | 'x')) => (kind, letters.next()),
            Some(open @ ('(' | '[' | '{' | '<')) => ('Q', Some(open)),
            _ => (' ', None),
        };
        let open = open.filter(|open| !open.is_alphanumeric() && !open.is_whitespace());
        let Some(open) = open.filter(|_| self.expects_value(spaced)) else {
            self.skip(1);
            self.push(Token::Mark('%'));
            return;
        };
        let start = self.rest.find(open).map_or(self.rest.len(), |at| at + open.len_utf8());
        self.skip(start);
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            other => other,
        };
        let nested = (close != open).then_some(open);
        match kind {
            'r' => self.regexp(close, nested),
            'w' | 'W' | 'i' | 'I' => {
                let words = self.delimited(close, nested).split_whitespace().map(str::to_owned).collect();
                self.push(Token::Words(words));
            }
            _ => {
                let text = self.delimited(close, nested);
                self.push(Token::Text(text));
            }
        }
    }

    fn regexp(&mut self, close: char, nested: Option<char>) {
        let source = self.raw(close, nested);
        let end = self.rest.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(self.rest.len());
        let options = self.rest.get(..end).unwrap_or("").to_owned();
        self.skip(end);
        self.push(Token::Regexp(source, options));
    }

    /// The text up to a delimiter, with simple escapes resolved.
    fn delimited(&mut self, close: char, nested: Option<char>) -> String {
        let raw = self.raw(close, nested);
        let mut text = String::with_capacity(raw.len());
        let mut characters = raw.chars();
        while let Some(character) = characters.next() {
            match character {
                '\\' => text.extend(characters.next()),
                other => text.push(other),
            }
        }
        text
    }

    /// The text up to a delimiter as it stands.
    fn raw(&mut self, close: char, nested: Option<char>) -> String {
        let mut depth = 0_usize;
        let mut characters = self.rest.char_indices();
        let mut end = self.rest.len();
        while let Some((at, character)) = characters.next() {
            if character == '\\' {
                characters.next();
            } else if Some(character) == nested {
                depth += 1;
            } else if character == close {
                if depth == 0 {
                    end = at;
                    break;
                }
                depth -= 1;
            }
        }
        let text = self.rest.get(..end).unwrap_or("").to_owned();
        self.skip(end + close.len_utf8());
        text
    }

    /// `<<TAG`, `<<-'TAG'`, `<<~TAG`: remembers to skip the text. Whether it was one.
    fn heredoc(&mut self) -> bool {
        let behind = self.rest.get(2..).unwrap_or("").trim_start_matches(['-', '~']);
        let quoted = behind.trim_start_matches(['\'', '"']);
        let end = quoted.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(quoted.len());
        let tag = quoted.get(..end).unwrap_or("");
        if !tag.starts_with(|c: char| c.is_ascii_uppercase() || c == '_') {
            return false;
        }
        let tag = tag.to_owned();
        let after = quoted.get(end..).unwrap_or("").trim_start_matches(['\'', '"']);
        let used = self.rest.len() - after.len();
        self.skip(used);
        self.heredocs.push(tag);
        self.push(Token::Text(String::new()));
        true
    }

    fn skip_heredocs(&mut self) {
        for tag in std::mem::take(&mut self.heredocs) {
            loop {
                let end = self.rest.find('\n').map_or(self.rest.len(), |at| at + 1);
                let line = self.rest.get(..end).unwrap_or("").trim();
                let is_end = line == tag || self.rest.is_empty();
                self.skip(end);
                if is_end {
                    break;
                }
            }
        }
    }
}
