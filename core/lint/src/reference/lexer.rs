//! The rules of puppet-lint's lexer, in its order.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::LazyLock;

use regex::Regex;

use super::slurper::{self, Segment};
use super::{Token, Tokens, Type};

/// How deep strings may nest.
const DEPTH: u32 = 64;

/// The words of the language.
const KEYWORDS: [&str; 21] = [
    "case", "class", "default", "define", "import", "if", "elsif", "else", "inherits", "node", "and", "or",
    "undef", "false", "true", "in", "unless", "function", "type", "attr", "private",
];

/// Signs and the types of their tokens, longer ones before those that they begin with.
const SIGNS: [(&str, &str); 40] = [
    ("[", "LBRACK"),
    ("]", "RBRACK"),
    ("{", "LBRACE"),
    ("}", "RBRACE"),
    ("(", "LPAREN"),
    (")", "RPAREN"),
    ("==", "ISEQUAL"),
    ("=~", "MATCH"),
    ("=>", "FARROW"),
    ("=", "EQUALS"),
    ("+=", "APPENDS"),
    ("+>", "PARROW"),
    ("+", "PLUS"),
    (">=", "GREATEREQUAL"),
    (">>", "RSHIFT"),
    (">", "GREATERTHAN"),
    ("<=", "LESSEQUAL"),
    ("<<|", "LLCOLLECT"),
    ("<-", "OUT_EDGE"),
    ("<~", "OUT_EDGE_SUB"),
    ("<|", "LCOLLECT"),
    ("<<", "LSHIFT"),
    ("<", "LESSTHAN"),
    ("!~", "NOMATCH"),
    ("!=", "NOTEQUAL"),
    ("!", "NOT"),
    ("|>>", "RRCOLLECT"),
    ("|>", "RCOLLECT"),
    ("->", "IN_EDGE"),
    ("~>", "IN_EDGE_SUB"),
    ("-", "MINUS"),
    (",", "COMMA"),
    (".", "DOT"),
    (":", "COLON"),
    (";", "SEMIC"),
    ("?", "QMARK"),
    ("\\", "BACKSLASH"),
    ("*", "TIMES"),
    ("%", "MODULO"),
    ("|", "PIPE"),
];

static HEREDOC: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"^@\(("?.+?"?(?::.+?)?[\t\x0B\f\p{Zs}]*(?:/.*?)?)\)"#).ok());

/// The tokens of a text.
pub(super) fn lex<'t>(text: &'t str, types: &[&str]) -> Option<Tokens<'t>> {
    let mut lexing = Lexing { text, types, at: 0, depth: 0, made: Made::new(), heredocs: VecDeque::new() };
    lexing.run()?;
    let end = (lexing.made.line, lexing.made.column);
    // A heredoc that has no text is waited for in the next file.
    lexing.heredocs.is_empty().then_some(Tokens { tokens: lexing.made.tokens, end })
}

/// Tokens with their places.
struct Made<'t> {
    tokens: Vec<Token<'t>>,
    line: i64,
    column: i64,
    /// The last token of the language.
    last_code: Option<usize>,
}

impl<'t> Made<'t> {
    fn new() -> Self {
        Self { tokens: Vec::new(), line: 1, column: 1, last_code: None }
    }

    fn push(&mut self, kind: Type<'t>, value: impl Into<Cow<'t, str>>, raw: Option<Cow<'t, str>>) {
        if kind == Type::Named("UNENC_VARIABLE") {
            self.column -= 2;
        }
        let token = Token { kind, value: value.into(), raw, line: self.line, column: self.column };
        if token.is("NEWLINE") {
            self.line += 1;
            self.column = 1;
        } else {
            self.advance(&token);
        }
        if !token.is_formatting() {
            self.last_code = Some(self.tokens.len());
        }
        self.tokens.push(token);
    }

    /// Goes over how puppet-lint writes the last token, which has none behind it yet.
    fn advance(&mut self, token: &Token<'t>) {
        let (mut lines, mut width) = (0, 0);
        let mut was_return = false;
        let mut go = |piece: &str| {
            for character in piece.chars() {
                match character {
                    '\n' if was_return => {}
                    '\n' | '\r' => (lines, width) = (lines + 1, 0),
                    _ => width += 1,
                }
                was_return = character == '\r';
            }
        };
        let raw = token.raw.as_deref();
        let value: &str = &token.value;
        let is_enclosed = self.tokens.last().is_some_and(|last| {
            ["UNENC_VARIABLE", "DQPRE", "DQMID", "HEREDOC_PRE", "HEREDOC_MID"]
                .iter()
                .any(|name| last.is(name))
        });
        let prefix = if is_enclosed { "" } else { "}" };
        let Type::Named(name) = token.kind else { return self.column += value.chars().count() as i64 };
        let pieces = match name {
            "STRING" => ["\"", value, "\""],
            "SSTRING" => ["'", value, "'"],
            "DQPRE" => ["\"", value, "${"],
            "DQPOST" => [prefix, value, "\""],
            "DQMID" | "HEREDOC_MID" => [prefix, value, "${"],
            "VARIABLE" if self.opens_interpolation() => ["", raw.unwrap_or(value), ""],
            "VARIABLE" | "UNENC_VARIABLE" => ["$", value, ""],
            "COMMENT" => ["#", value, ""],
            "REGEX" => ["/", value, "/"],
            "MLCOMMENT" | "HEREDOC" => ["", raw.unwrap_or_default(), ""],
            "HEREDOC_OPEN" => ["@(", value, ")"],
            "HEREDOC_PRE" => ["", value, "${"],
            "HEREDOC_POST" => [prefix, raw.unwrap_or_default(), ""],
            _ => ["", value, ""],
        };
        pieces.into_iter().for_each(&mut go);
        if pieces.iter().all(|piece| piece.is_empty()) {
            // Nothing has no lines, of which one is taken away.
            self.line -= 1;
        } else if lines > 0 {
            self.line += lines;
            self.column = width + 1;
        } else {
            self.column += width;
        }
    }

    /// Whether the last token of the language is the beginning of a string before an interpolation.
    fn opens_interpolation(&self) -> bool {
        self.last_code.is_some_and(|at| {
            ["DQPRE", "DQMID", "HEREDOC_PRE", "HEREDOC_MID"].iter().any(|name| self.tokens[at].is(name))
        })
    }
}

struct Lexing<'t, 'l> {
    text: &'t str,
    types: &'l [&'l str],
    at: usize,
    depth: u32,
    made: Made<'t>,
    heredocs: VecDeque<&'t str>,
}

impl<'t> Lexing<'t, '_> {
    fn run(&mut self) -> Option<()> {
        while self.at < self.text.len() {
            self.step()?;
        }
        Some(())
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Makes the next bytes a token.
    fn take(&mut self, name: &'static str, length: usize) {
        let value = &self.rest()[..length];
        self.made.push(Type::Named(name), value, None);
        self.at += length;
    }

    fn step(&mut self) -> Option<()> {
        let rest = self.rest();
        let first = rest.chars().next()?;
        if is_space(first) {
            self.take("WHITESPACE", spaces(rest));
            return Some(());
        }
        if self.word(rest, first) {
            return Some(());
        }
        match first {
            '$' => {
                let length = variable(&rest[1..])?;
                let (value, raw) = (&rest[1..=length], &rest[..=length]);
                self.made.push(Type::Named("VARIABLE"), value, Some(Cow::Borrowed(raw)));
                self.at += length + 1;
            }
            '\'' => self.quoted("SSTRING", rest, b'\'')?,
            '"' => self.string(rest)?,
            '@' => match HEREDOC.as_ref()?.captures(rest).and_then(|found| found.get(1)) {
                Some(tag) => self.heredoc_open(tag.as_str())?,
                None => self.take("AT", 1),
            },
            '#' => {
                let end = line_end(rest);
                self.made.push(Type::Named("COMMENT"), &rest[1..end], None);
                self.at += end;
            }
            '/' => self.slash(rest)?,
            '\n' | '\r' => self.newline(rest)?,
            _ => return None,
        }
        Some(())
    }

    /// Takes what has a rule of its own: words, numbers, signs.
    fn word(&mut self, rest: &'t str, first: char) -> bool {
        if first.is_ascii_uppercase() || rest.starts_with("::") {
            let length = rest.find(|one: char| !one.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let is_end = !rest[length..].starts_with(is_word_anywhere);
            if is_end && self.types.contains(&&rest[..length]) {
                self.take("TYPE", length);
                return true;
            }
            if let Some(length) = class_reference(rest) {
                self.take("CLASSREF", length);
                return true;
            }
        }
        if first.is_ascii_digit()
            && let Some(length) = number(rest)
        {
            self.take("NUMBER", length);
            return true;
        }
        if let Some(length) = name(rest) {
            let word = &rest[..length];
            if rest[length..].starts_with('(') {
                self.take("FUNCTION_NAME", length);
            } else if KEYWORDS.contains(&word) {
                self.made.push(Type::Keyword(word), word, None);
                self.at += length;
            } else {
                self.take("NAME", length);
            }
            return true;
        }
        match SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            Some((sign, name)) => self.take(name, sign.len()),
            None => return false,
        }
        true
    }

    /// A text between two signs of which the second has no backslash before it.
    fn quoted(&mut self, name: &'static str, rest: &'t str, sign: u8) -> Option<()> {
        let length = quoted_length(&rest[1..], sign)?;
        self.made.push(Type::Named(name), &rest[1..length], None);
        self.at += length + 1;
        Some(())
    }

    fn string(&mut self, rest: &'t str) -> Option<()> {
        let (mut segments, length) = slurper::string(&rest[1..])?;
        let last = segments.pop()?;
        if segments.is_empty() {
            self.made.push(Type::Named("STRING"), last.text(), None);
        } else {
            self.segments(segments, ["DQPRE", "DQMID"])?;
            self.made.push(Type::Named("DQPOST"), last.text(), None);
        }
        self.at += length + 1;
        Some(())
    }

    /// The parts of a string or heredoc but for the last one.
    fn segments(&mut self, segments: Vec<Segment<'t>>, [first, next]: [&'static str; 2]) -> Option<()> {
        for (number, segment) in segments.into_iter().enumerate() {
            match segment {
                Segment::Text(text) => {
                    self.made.push(Type::Named(if number == 0 { first } else { next }), text, None);
                }
                Segment::Variable(text) => {
                    let value = text.strip_prefix('$').unwrap_or(text);
                    self.made.push(Type::Named("UNENC_VARIABLE"), value, None);
                }
                Segment::Code(text) => self.code(text)?,
            }
        }
        Some(())
    }

    /// The tokens of an interpolation, which another lexer makes.
    fn code(&mut self, text: &'t str) -> Option<()> {
        if self.depth == DEPTH {
            return None;
        }
        let (depth, made) = (self.depth + 1, Made::new());
        let mut inner = Lexing { text, types: self.types, at: 0, depth, made, heredocs: VecDeque::new() };
        if !self.heredocs.is_empty() && text.contains(['\n', '\r']) {
            // The inner lexer would look for the text of the outer one's heredoc.
            return None;
        }
        inner.run()?;
        for (number, token) in inner.made.tokens.into_iter().enumerate() {
            let is_name = match &token.kind {
                Type::Keyword(_) => true,
                Type::Named(name) => *name == "NAME",
            };
            let kind = if number == 0 && is_name { Type::Named("VARIABLE") } else { token.kind };
            self.made.push(kind, token.value, token.raw);
        }
        Some(())
    }

    fn heredoc_open(&mut self, tag: &'t str) -> Option<()> {
        if self.depth > 0 {
            return None;
        }
        self.heredocs.push_back(tag);
        self.made.push(Type::Named("HEREDOC_OPEN"), tag, None);
        self.at += tag.len() + 3;
        Some(())
    }

    fn slash(&mut self, rest: &'t str) -> Option<()> {
        if rest.starts_with("//") {
            let end = line_end(rest);
            self.made.push(Type::Named("SLASH_COMMENT"), &rest[2..end], None);
            self.at += end;
        } else if let Some(length) = rest.strip_prefix("/*").and_then(|text| text.find("*/")) {
            let raw = &rest[..length + 4];
            self.made.push(Type::Named("MLCOMMENT"), star_comment(raw), Some(Cow::Borrowed(raw)));
            self.at += raw.len();
        } else if self.is_regex_possible() && rest[1..].contains('/') {
            self.quoted("REGEX", rest, b'/')?;
        } else {
            self.take("DIV", 1);
        }
        Some(())
    }

    fn is_regex_possible(&self) -> bool {
        let Some(last) = self.made.last_code.map(|at| &self.made.tokens[at]) else { return true };
        match &last.kind {
            Type::Keyword(word) => matches!(*word, "node" | "if" | "elsif"),
            Type::Named(name) => {
                matches!(
                    *name,
                    "LBRACE" | "RBRACE" | "MATCH" | "NOMATCH" | "COMMA" | "LBRACK" | "LPAREN" | "EQUALS"
                )
            }
        }
    }

    fn newline(&mut self, rest: &'t str) -> Option<()> {
        let length = if rest.starts_with("\r\n") { 2 } else { 1 };
        self.take("NEWLINE", length);
        let rest = self.rest();
        match self.heredocs.pop_front() {
            Some(tag) => self.heredoc(tag, rest)?,
            None => match spaces(rest) {
                0 => {}
                length => self.take("INDENT", length),
            },
        }
        Some(())
    }

    fn heredoc(&mut self, tag: &str, rest: &'t str) -> Option<()> {
        let (mut segments, from, end) = slurper::heredoc(tag, rest)?;
        let last = segments.pop()?.text();
        let raw = Cow::Borrowed(&rest[from..end]);
        if segments.is_empty() {
            self.made.push(Type::Named("HEREDOC"), last, Some(raw));
        } else {
            self.segments(segments, ["HEREDOC_PRE", "HEREDOC_MID"])?;
            self.made.push(Type::Named("HEREDOC_POST"), last, Some(raw));
        }
        self.at += end;
        Some(())
    }
}

/// White space within a line.
pub(super) fn is_space(character: char) -> bool {
    matches!(
        character,
        '\t' | '\u{b}' | '\u{c}' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

fn spaces(text: &str) -> usize {
    text.len() - text.trim_start_matches(is_space).len()
}

fn line_end(text: &str) -> usize {
    text.find(['\n', '\r']).unwrap_or(text.len())
}

pub(super) fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// Whether a character belongs to a word of any language, as Ruby's `\b` sees it.
fn is_word_anywhere(character: char) -> bool {
    static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\w").ok());
    if character.is_ascii() {
        return is_word(character);
    }
    WORD.as_ref().is_some_and(|word| word.is_match(character.encode_utf8(&mut [0; 4])))
}

/// How long the dashes and word characters are that a text begins with.
fn dashed(text: &str) -> usize {
    text.len() - text.trim_start_matches(|one| is_word(one) || one == '-').len()
}

fn class_reference(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let own = rest.strip_prefix("::").unwrap_or(rest);
        if !own.starts_with(|one: char| one.is_ascii_uppercase()) {
            return (at > 0).then_some(at);
        }
        at = text.len() - own.len() + dashed(own);
    }
}

/// A name: parts that may begin with a digit, an underscore only the first.
fn name(text: &str) -> Option<usize> {
    let starts = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit();
    let own = text.strip_prefix("::").unwrap_or(text);
    if !own.starts_with(|one: char| starts(one) || one == '_') {
        return None;
    }
    let mut at = text.len() - own.len() + dashed(own);
    while let Some(next) = text[at..].strip_prefix("::").filter(|next| next.starts_with(starts)) {
        at += 2 + dashed(next);
    }
    Some(at)
}

fn number(text: &str) -> Option<usize> {
    let is_end = |at: usize| !text[at..].starts_with(is_word_anywhere);
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let length = hex.bytes().take_while(u8::is_ascii_hexdigit).count();
        if length > 0 && is_end(length + 2) {
            return Some(length + 2);
        }
    }
    let exponent = |from: usize| {
        let sign = text[from..].strip_prefix(['e', 'E'])?;
        let from = from + 1 + usize::from(sign.starts_with('-'));
        Some(from + digits(from)).filter(|&end| end > from)
    };
    let whole = digits(0);
    let fraction = text[whole..].strip_prefix('.').map(|_| digits(whole + 1)).filter(|&length| length > 0);
    let mantissas = [fraction.map(|length| whole + 1 + length), Some(whole)];
    mantissas
        .into_iter()
        .flatten()
        .flat_map(|mantissa| [exponent(mantissa), Some(mantissa)])
        .flatten()
        .find(|&end| is_end(end))
}

/// How long the name of a variable with its accesses is, behind the `$`.
fn variable(text: &str) -> Option<usize> {
    let mut at = variable_name(text)?;
    while let Some(access) = access(&text[at..]) {
        at += access;
    }
    Some(at)
}

/// How long the name of a variable is, behind the `$`.
pub(super) fn variable_name(text: &str) -> Option<usize> {
    let word = |from: usize| text.len() - from - text[from..].trim_start_matches(is_word).len();
    let mut at = if text.starts_with("::") { 2 } else { 0 };
    loop {
        match word(at) {
            0 => return None,
            length => at += length,
        }
        while text[at..].starts_with('-') && word(at + 1) > 0 {
            at += 1 + word(at + 1);
        }
        if !text[at..].starts_with("::") || word(at + 2) == 0 {
            return Some(at);
        }
        at += 2;
    }
}

/// How long an access in brackets is that a text begins with; it ends on the same line.
fn access(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('[')?;
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let first = line.chars().next()?.len_utf8();
    Some(line[first..].find(']')? + first + 2)
}

/// How long a text is up to the sign that no backslash is before.
fn quoted_length(text: &str, sign: u8) -> Option<usize> {
    let mut backslashes = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\\' => backslashes += 1,
            _ if byte == sign && backslashes.is_multiple_of(2) => return Some(at + 1),
            _ => backslashes = 0,
        }
    }
    None
}

/// What a comment `/* … */` says.
fn star_comment(raw: &str) -> String {
    let text = raw.strip_prefix("/*").unwrap_or(raw);
    let text = text.strip_prefix(' ').unwrap_or(text);
    let text = text.strip_suffix("*/").unwrap_or(text);
    let text = text.strip_suffix(' ').unwrap_or(text);
    let lines = text.split('\n').map(|line| line.trim_start_matches(' ').strip_prefix('*').unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}
