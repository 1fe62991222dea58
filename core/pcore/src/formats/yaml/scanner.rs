//! The tokens of a YAML text, as libyaml 0.2.5 finds them: the same tokens, the same rules for keys and the
//! same errors, with its messages. Puppet reads YAML with Psych, that is with libyaml; other YAML readers
//! differ in what they allow (a closing bracket at the column of its key, tabs, the letters of anchors).

use std::borrow::Cow;
use std::collections::VecDeque;

mod scalars;

/// A place in a text: lines and columns count from 0, columns and the index count characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mark {
    pub index: usize,
    pub line: u32,
    pub column: u32,
}

/// The reason why a text is not YAML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    pub problem: &'static str,
    pub context: &'static str,
    /// The beginning of what `context` names.
    pub mark: Mark,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.problem)?;
        if !self.context.is_empty() {
            write!(f, " {}", self.context)?;
        }
        write!(f, " at line {} column {}", self.mark.line + 1, self.mark.column + 1)
    }
}

pub type Result<T> = std::result::Result<T, Fault>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token<'t> {
    StreamStart,
    StreamEnd,
    Version(u32, u32),
    TagDirective(String, String),
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(&'t str),
    Anchor(&'t str),
    /// Handle and suffix.
    Tag(String, String),
    Scalar {
        value: Cow<'t, str>,
        plain: bool,
    },
}

/// The beginning of a possible key on one line whose `:` has not been found yet.
#[derive(Clone, Copy, Default)]
struct SimpleKey {
    possible: bool,
    required: bool,
    token: usize,
    mark: Mark,
}

/// The amount of text that libyaml checks for forbidden characters at a time.
const CHUNK: usize = 16_384;

/// The maximum number of characters in a key on one line.
const MAX_KEY_LENGTH: usize = 1024;

/// The maximum number of digits in a number of `%YAML`.
const MAX_NUMBER_LENGTH: usize = 9;

pub struct Scanner<'t> {
    text: &'t str,
    position: usize,
    mark: Mark,
    /// The text ends before a part with a forbidden character.
    is_cut: bool,
    has_started: bool,
    flow_level: usize,
    tokens: VecDeque<(Token<'t>, Mark)>,
    parsed: usize,
    is_ready: bool,
    indents: Vec<i64>,
    indent: i64,
    key_allowed: bool,
    keys: Vec<SimpleKey>,
    /// Keys before this one are impossible; this avoids a scan of all of them for each token.
    live: usize,
}

impl<'t> Scanner<'t> {
    pub fn new(text: &'t str) -> Self {
        let cut = forbidden(text).map(|at| {
            let mut chunk = 0;
            loop {
                let mut end = chunk + CHUNK;
                while end < text.len() && !text.is_char_boundary(end) {
                    end -= 1;
                }
                if at < end {
                    break chunk;
                }
                chunk = end;
            }
        });
        Self {
            text: text.get(..cut.unwrap_or(text.len())).unwrap_or(text),
            position: 0,
            mark: Mark::default(),
            is_cut: cut.is_some(),
            has_started: false,
            flow_level: 0,
            tokens: VecDeque::with_capacity(16),
            parsed: 0,
            is_ready: false,
            indents: Vec::new(),
            indent: -1,
            key_allowed: false,
            keys: Vec::new(),
            live: 0,
        }
    }

    /// The next token, without consuming it.
    pub fn peek(&mut self) -> Result<(&mut Token<'t>, Mark)> {
        if !self.is_ready {
            self.fetch_tokens()?;
        }
        match self.tokens.front_mut() {
            Some((token, mark)) => Ok((token, *mark)),
            None => Err(Fault { problem: "no more tokens", context: "", mark: self.mark }),
        }
    }

    /// Consumes the next token.
    pub fn skip_token(&mut self) {
        self.is_ready = false;
        self.parsed += 1;
        self.tokens.pop_front();
    }

    fn fault<T>(&self, context: &'static str, mark: Mark, problem: &'static str) -> Result<T> {
        // An error at a cut may only be caused by the cut.
        if self.is_cut && self.position + 4 > self.text.len() {
            return self.forbidden_character();
        }
        Err(Fault { problem, context, mark })
    }

    fn forbidden_character<T>(&self) -> Result<T> {
        Err(Fault { problem: "control characters are not allowed", context: "", mark: Mark::default() })
    }

    fn byte(&self, offset: usize) -> u8 {
        self.text.as_bytes().get(self.position + offset).copied().unwrap_or(0)
    }

    const fn is_end(&self) -> bool {
        self.position >= self.text.len()
    }

    /// The number of bytes of the line break at this position.
    fn break_length(&self, offset: usize) -> usize {
        match self.byte(offset) {
            b'\n' => 1,
            b'\r' => 1 + usize::from(self.byte(offset + 1) == b'\n'),
            0xc2 if self.byte(offset + 1) == 0x85 => 2,
            0xe2 if self.byte(offset + 1) == 0x80 && matches!(self.byte(offset + 2), 0xa8 | 0xa9) => 3,
            _ => 0,
        }
    }

    fn is_break(&self) -> bool {
        self.break_length(0) > 0
    }

    fn is_blank(&self) -> bool {
        matches!(self.byte(0), b' ' | b'\t')
    }

    fn is_blank_or_end(&self, offset: usize) -> bool {
        match self.byte(offset) {
            b' ' | b'\t' | 0 => true,
            0x21..=0xc1 => false,
            _ => self.break_length(offset) > 0,
        }
    }

    /// Whether the line begins with `---` or `...` followed by a blank.
    fn is_document_indicator(&self) -> bool {
        self.mark.column == 0
            && self
                .text
                .get(self.position..self.position + 3)
                .is_some_and(|text| matches!(text, "---" | "..."))
            && self.is_blank_or_end(3)
    }

    fn skip(&mut self) {
        self.position += match self.byte(0) {
            0..0xc0 => 1,
            0xc0..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        };
        self.mark.index += 1;
        self.mark.column += 1;
    }

    fn skip_blanks(&mut self) {
        while self.is_blank() {
            self.skip();
        }
    }

    fn skip_comment(&mut self) {
        if self.byte(0) == b'#' {
            while !self.is_end() && !self.is_break() {
                self.skip();
            }
        }
    }

    fn skip_line(&mut self) {
        let length = self.break_length(0);
        if length > 0 {
            self.mark.index += if self.byte(1) == b'\n' && length == 2 { 2 } else { 1 };
            self.mark.column = 0;
            self.mark.line += 1;
            self.position += length;
        }
    }

    /// Consumes a line break, and returns its meaning in a scalar.
    fn read_line(&mut self) -> &'t str {
        let text = self.text;
        let from = self.position;
        self.skip_line();
        match text.get(from..self.position) {
            Some(taken @ ("\u{2028}" | "\u{2029}")) => taken,
            Some("") | None => "",
            Some(_) => "\n",
        }
    }

    fn push(&mut self, token: Token<'t>, mark: Mark) {
        self.tokens.push_back((token, mark));
    }

    fn fetch_tokens(&mut self) -> Result<()> {
        loop {
            if !self.tokens.is_empty() {
                self.forget_stale_keys()?;
                let waits = |key: &SimpleKey| key.possible && key.token == self.parsed;
                if !self.keys.get(self.live).is_some_and(waits) {
                    break;
                }
            }
            self.fetch_token()?;
        }
        self.is_ready = true;
        Ok(())
    }

    fn fetch_token(&mut self) -> Result<()> {
        if !self.has_started {
            if self.is_cut && self.text.is_empty() {
                return self.forbidden_character();
            }
            self.keys.push(SimpleKey::default());
            self.key_allowed = true;
            self.has_started = true;
            self.push(Token::StreamStart, self.mark);
            return Ok(());
        }
        self.skip_to_token();
        self.forget_stale_keys()?;
        self.unroll_indents(i64::from(self.mark.column));
        if self.is_end() {
            return self.fetch_stream_end();
        }
        if self.mark.column == 0 && self.byte(0) == b'%' {
            return self.fetch_directive();
        }
        if self.is_document_indicator() {
            return self.fetch_document_indicator();
        }
        let in_flow = self.flow_level > 0;
        match self.byte(0) {
            b'[' => self.fetch_flow_start(Token::FlowSequenceStart),
            b'{' => self.fetch_flow_start(Token::FlowMappingStart),
            b']' => self.fetch_flow_end(Token::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(Token::FlowMappingEnd),
            b',' => self.fetch_flow_entry(),
            b'-' if self.is_blank_or_end(1) => self.fetch_block_entry(),
            b'?' if in_flow || self.is_blank_or_end(1) => self.fetch_key(),
            b':' if in_flow || self.is_blank_or_end(1) => self.fetch_value(),
            b'*' | b'&' => self.fetch_anchor(),
            b'!' => self.fetch_tag(),
            b'|' if !in_flow => self.fetch_block_scalar(true),
            b'>' if !in_flow => self.fetch_block_scalar(false),
            b'\'' => self.fetch_quoted(true),
            b'"' => self.fetch_quoted(false),
            b'\t' | b'#' | b'|' | b'>' | b'%' | b'@' | b'`' => self.fault(
                "while scanning for the next token",
                self.mark,
                "found character that cannot start any token",
            ),
            _ => self.fetch_plain(),
        }
    }

    fn forget_stale_keys(&mut self) -> Result<()> {
        while let Some(key) = self.keys.get_mut(self.live) {
            if key.possible {
                let mark = key.mark;
                if mark.line == self.mark.line && mark.index + MAX_KEY_LENGTH >= self.mark.index {
                    break;
                }
                if key.required {
                    return self.missing_colon(mark);
                }
                key.possible = false;
            }
            self.live += 1;
        }
        Ok(())
    }

    fn missing_colon(&self, mark: Mark) -> Result<()> {
        self.fault("while scanning a simple key", mark, "could not find expected ':'")
    }

    fn save_key(&mut self) -> Result<()> {
        if self.key_allowed {
            let required = self.flow_level == 0 && self.indent == i64::from(self.mark.column);
            let token = self.parsed + self.tokens.len();
            self.remove_key()?;
            self.live = self.live.min(self.keys.len().saturating_sub(1));
            if let Some(key) = self.keys.last_mut() {
                *key = SimpleKey { possible: true, required, token, mark: self.mark };
            }
        }
        Ok(())
    }

    fn remove_key(&mut self) -> Result<()> {
        let Some(key) = self.keys.last_mut() else { return Ok(()) };
        if key.possible && key.required {
            let mark = key.mark;
            return self.missing_colon(mark);
        }
        key.possible = false;
        Ok(())
    }

    /// Begins a collection if the next token is indented deeper. `at` is the number of the token before which
    /// it begins.
    fn roll_indent(&mut self, at: Option<usize>, token: Token<'t>, mark: Mark) {
        let column = i64::from(mark.column);
        if self.flow_level > 0 || self.indent >= column {
            return;
        }
        self.indents.push(self.indent);
        self.indent = column;
        match at {
            Some(at) => {
                self.tokens.insert(at.saturating_sub(self.parsed).min(self.tokens.len()), (token, mark))
            }
            None => self.push(token, mark),
        }
    }

    fn unroll_indents(&mut self, column: i64) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.push(Token::BlockEnd, self.mark);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    fn fetch_stream_end(&mut self) -> Result<()> {
        if self.is_cut {
            return self.forbidden_character();
        }
        if self.mark.column != 0 {
            self.mark.column = 0;
            self.mark.line += 1;
        }
        self.unroll_indents(-1);
        self.remove_key()?;
        self.key_allowed = false;
        self.push(Token::StreamEnd, self.mark);
        Ok(())
    }

    fn fetch_document_indicator(&mut self) -> Result<()> {
        self.unroll_indents(-1);
        self.remove_key()?;
        self.key_allowed = false;
        let token = if self.byte(0) == b'-' { Token::DocumentStart } else { Token::DocumentEnd };
        let mark = self.mark;
        (0..3).for_each(|_| self.skip());
        self.push(token, mark);
        Ok(())
    }

    /// A token of one character.
    fn push_indicator(&mut self, token: Token<'t>) {
        let mark = self.mark;
        self.skip();
        self.push(token, mark);
    }

    fn fetch_flow_start(&mut self, token: Token<'t>) -> Result<()> {
        self.save_key()?;
        self.keys.push(SimpleKey::default());
        self.flow_level += 1;
        self.key_allowed = true;
        self.push_indicator(token);
        Ok(())
    }

    fn fetch_flow_end(&mut self, token: Token<'t>) -> Result<()> {
        self.remove_key()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            self.keys.pop();
        }
        self.key_allowed = false;
        self.push_indicator(token);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Result<()> {
        self.remove_key()?;
        self.key_allowed = true;
        self.push_indicator(Token::FlowEntry);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<()> {
        if self.flow_level == 0 {
            if !self.key_allowed {
                return self.fault("", self.mark, "block sequence entries are not allowed in this context");
            }
            self.roll_indent(None, Token::BlockSequenceStart, self.mark);
        }
        self.remove_key()?;
        self.key_allowed = true;
        self.push_indicator(Token::BlockEntry);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<()> {
        if self.flow_level == 0 {
            if !self.key_allowed {
                return self.fault("", self.mark, "mapping keys are not allowed in this context");
            }
            self.roll_indent(None, Token::BlockMappingStart, self.mark);
        }
        self.remove_key()?;
        self.key_allowed = self.flow_level == 0;
        self.push_indicator(Token::Key);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<()> {
        match self.keys.last_mut().filter(|key| key.possible) {
            Some(key) => {
                key.possible = false;
                let SimpleKey { token, mark, .. } = *key;
                let at = token.saturating_sub(self.parsed).min(self.tokens.len());
                self.tokens.insert(at, (Token::Key, mark));
                self.roll_indent(Some(token), Token::BlockMappingStart, mark);
                self.key_allowed = false;
            }
            None => {
                if self.flow_level == 0 {
                    if !self.key_allowed {
                        return self.fault("", self.mark, "mapping values are not allowed in this context");
                    }
                    self.roll_indent(None, Token::BlockMappingStart, self.mark);
                }
                self.key_allowed = self.flow_level == 0;
            }
        }
        self.push_indicator(Token::Value);
        Ok(())
    }

    fn skip_to_token(&mut self) {
        loop {
            if self.mark.column == 0 && self.byte(0) == 0xef && self.byte(1) == 0xbb && self.byte(2) == 0xbf {
                self.skip();
            }
            let tabs = self.flow_level > 0 || !self.key_allowed;
            while self.byte(0) == b' ' || tabs && self.byte(0) == b'\t' {
                self.skip();
            }
            self.skip_comment();
            if !self.is_break() {
                return;
            }
            self.skip_line();
            if self.flow_level == 0 {
                self.key_allowed = true;
            }
        }
    }

    fn fetch_anchor(&mut self) -> Result<()> {
        self.save_key()?;
        self.key_allowed = false;
        let mark = self.mark;
        let is_alias = self.byte(0) == b'*';
        self.skip();
        let name = self.read_word();
        let ends = self.is_blank_or_end(0)
            || matches!(self.byte(0), b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`');
        if name.is_empty() || !ends {
            let context = if is_alias { "while scanning an alias" } else { "while scanning an anchor" };
            return self.fault(context, mark, "did not find expected alphabetic or numeric character");
        }
        self.push(if is_alias { Token::Alias(name) } else { Token::Anchor(name) }, mark);
        Ok(())
    }

    /// Consumes letters, digits, `_` and `-`.
    fn read_word(&mut self) -> &'t str {
        let text = self.text;
        let from = self.position;
        while self.byte(0).is_ascii_alphanumeric() || matches!(self.byte(0), b'_' | b'-') {
            self.skip();
        }
        text.get(from..self.position).unwrap_or("")
    }

    fn fetch_directive(&mut self) -> Result<()> {
        self.unroll_indents(-1);
        self.remove_key()?;
        self.key_allowed = false;
        let mark = self.mark;
        let context = "while scanning a directive";
        self.skip();
        let name = self.read_word();
        if name.is_empty() {
            return self.fault(context, mark, "could not find expected directive name");
        }
        if !self.is_blank_or_end(0) {
            return self.fault(context, mark, "found unexpected non-alphabetical character");
        }
        let token = match name {
            "YAML" => {
                self.skip_blanks();
                let major = self.version_number(mark)?;
                if self.byte(0) != b'.' {
                    let context = "while scanning a %YAML directive";
                    return self.fault(context, mark, "did not find expected digit or '.' character");
                }
                self.skip();
                Token::Version(major, self.version_number(mark)?)
            }
            "TAG" => self.tag_directive(mark)?,
            _ => return self.fault(context, mark, "found unknown directive name"),
        };
        self.skip_blanks();
        self.skip_comment();
        if !self.is_end() && !self.is_break() {
            return self.fault(context, mark, "did not find expected comment or line break");
        }
        self.skip_line();
        self.push(token, mark);
        Ok(())
    }

    fn version_number(&mut self, mark: Mark) -> Result<u32> {
        let context = "while scanning a %YAML directive";
        let from = self.position;
        while self.byte(0).is_ascii_digit() {
            if self.position - from == MAX_NUMBER_LENGTH {
                return self.fault(context, mark, "found extremely long version number");
            }
            self.skip();
        }
        match self.text.get(from..self.position).and_then(|digits| digits.parse().ok()) {
            Some(number) => Ok(number),
            None => self.fault(context, mark, "did not find expected version number"),
        }
    }

    fn tag_directive(&mut self, mark: Mark) -> Result<Token<'t>> {
        let context = "while scanning a %TAG directive";
        self.skip_blanks();
        let handle = self.tag_handle(true, mark)?;
        if !self.is_blank() {
            return self.fault(context, mark, "did not find expected whitespace");
        }
        self.skip_blanks();
        let prefix = self.tag_uri(true, true, "", mark)?;
        if !self.is_blank_or_end(0) {
            return self.fault(context, mark, "did not find expected whitespace or line break");
        }
        Ok(Token::TagDirective(handle, prefix))
    }

    fn fetch_tag(&mut self) -> Result<()> {
        self.save_key()?;
        self.key_allowed = false;
        let mark = self.mark;
        let context = "while scanning a tag";
        let (handle, suffix) = if self.byte(1) == b'<' {
            self.skip();
            self.skip();
            let suffix = self.tag_uri(true, false, "", mark)?;
            if self.byte(0) != b'>' {
                return self.fault(context, mark, "did not find the expected '>'");
            }
            self.skip();
            (String::new(), suffix)
        } else {
            let handle = self.tag_handle(false, mark)?;
            if handle.len() > 1 && handle.ends_with('!') {
                let suffix = self.tag_uri(false, false, "", mark)?;
                (handle, suffix)
            } else {
                match self.tag_uri(false, false, &handle, mark)? {
                    suffix if suffix.is_empty() => (suffix, "!".to_owned()),
                    suffix => ("!".to_owned(), suffix),
                }
            }
        };
        if !self.is_blank_or_end(0) && (self.flow_level == 0 || self.byte(0) != b',') {
            return self.fault(context, mark, "did not find expected whitespace or line break");
        }
        self.push(Token::Tag(handle, suffix), mark);
        Ok(())
    }

    fn tag_handle(&mut self, is_directive: bool, mark: Mark) -> Result<String> {
        if self.byte(0) != b'!' {
            let context =
                if is_directive { "while scanning a tag directive" } else { "while scanning a tag" };
            return self.fault(context, mark, "did not find expected '!'");
        }
        self.skip();
        let word = self.read_word();
        let mut handle = format!("!{word}");
        if self.byte(0) == b'!' {
            self.skip();
            handle.push('!');
        } else if is_directive && !word.is_empty() {
            return self.fault("while parsing a tag directive", mark, "did not find expected '!'");
        }
        Ok(handle)
    }

    /// The rest after a handle; `head` was read as a part of the handle, and belongs to the rest.
    fn tag_uri(&mut self, all: bool, is_directive: bool, head: &str, mark: Mark) -> Result<String> {
        let mut uri: Vec<u8> = head.bytes().skip(1).collect();
        let mut length = head.len();
        loop {
            match self.byte(0) {
                b'%' => self.tag_escape(is_directive, mark, &mut uri)?,
                byte if byte.is_ascii_alphanumeric() || b"-_;/?:@&=+$.!~*'()".contains(&byte) => {
                    uri.push(byte);
                    self.skip();
                }
                byte @ (b',' | b'[' | b']') if all => {
                    uri.push(byte);
                    self.skip();
                }
                _ => break,
            }
            length += 1;
        }
        if length == 0 {
            let context = tag_context(is_directive);
            return self.fault(context, mark, "did not find expected tag URI");
        }
        Ok(String::from_utf8(uri)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// A UTF-8 character whose bytes are written as `%xx`.
    fn tag_escape(&mut self, is_directive: bool, mark: Mark, uri: &mut Vec<u8>) -> Result<()> {
        let context = tag_context(is_directive);
        let mut width = 0;
        loop {
            let digits = self.text.get(self.position + 1..self.position + 3).unwrap_or("");
            let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let octet =
                u8::from_str_radix(digits, 16).ok().filter(|_| is_hexadecimal && self.byte(0) == b'%');
            let Some(octet) = octet else {
                return self.fault(context, mark, "did not find URI escaped octet");
            };
            if width == 0 {
                width = match octet {
                    0..0x80 => 1,
                    0xc0..0xe0 => 2,
                    0xe0..0xf0 => 3,
                    0xf0..0xf8 => 4,
                    _ => return self.fault(context, mark, "found an incorrect leading UTF-8 octet"),
                };
            } else if octet & 0xc0 != 0x80 {
                return self.fault(context, mark, "found an incorrect trailing UTF-8 octet");
            }
            uri.push(octet);
            (0..3).for_each(|_| self.skip());
            width -= 1;
            if width == 0 {
                return Ok(());
            }
        }
    }
}

const fn tag_context(is_directive: bool) -> &'static str {
    if is_directive { "while parsing a %TAG directive" } else { "while parsing a tag" }
}

/// The position of the first character that YAML forbids.
fn forbidden(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let mut at = 0;
    while let Some(next) = bytes.get(at..)?.iter().position(|&byte| SUSPICIOUS[usize::from(byte)]) {
        at += next;
        let is_forbidden = match byte(at) {
            0xc2 => byte(at + 1) < 0xa0 && byte(at + 1) != 0x85,
            0xef => byte(at + 1) == 0xbf && byte(at + 2) >= 0xbe,
            _ => true,
        };
        if is_forbidden {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// The bytes that begin characters of which some are forbidden.
static SUSPICIOUS: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = !matches!(byte as u8, b'\t' | b'\n' | b'\r');
        byte += 1;
    }
    table[0x7f] = true;
    table[0xc2] = true;
    table[0xef] = true;
    table
};
