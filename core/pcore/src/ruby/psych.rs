//! YAML as Ruby's Psych 4 writes it: how a string is quoted is Psych's choice, how lines are laid out is
//! libyaml's.
//!
//! Arrays and hashes that occur more than once are written once, with an anchor, as Psych does for the same
//! object.

use crate::data::value::Value;
use crate::scalars::number::float_to_s;

/// The options of `to_yaml`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    /// Columns of a level, 2 unless it is from 2 to 9.
    pub indentation: Option<i64>,
    /// The column after which lines are broken, 80 by default; negative for none.
    pub line_width: Option<i64>,
}

/// Writes a value as a document.
pub fn generate(value: &Value, layout: &Layout) -> String {
    let step = layout.indentation.and_then(|step| usize::try_from(step).ok());
    let step = step.filter(|step| (2..=9).contains(step)).unwrap_or(2);
    let width = match layout.line_width {
        Some(width) if width < 0 => usize::MAX,
        Some(width) => usize::try_from(width).ok().filter(|&width| width > step * 2).unwrap_or(80),
        None => 80,
    };
    let mut anchors = Anchors::default();
    anchors.collect(value, 0);
    let mut emitter = Emitter {
        out: String::new(),
        step,
        width,
        fold_beyond: layout.line_width.and_then(|width| usize::try_from(width).ok()),
        indent: None,
        column: 0,
        whitespace: true,
        indention: true,
        open_ended: false,
        anchors,
        written: Vec::new(),
    };
    emitter.indicator("---", true, false, false);
    emitter.node(value, false, false, 0);
    emitter.break_to_indent();
    if emitter.open_ended {
        emitter.out.push_str("...\n");
    }
    emitter.out
}

/// Deeper than this nothing is written.
const MAX_DEPTH: usize = 1000;

/// Collections that occur more than once, by their number: in the order in which they occur again.
#[derive(Default)]
struct Anchors {
    met: Vec<(Value, Option<usize>)>,
    index: std::collections::HashMap<usize, usize>,
    count: usize,
}

/// The address of a collection, which is its identity.
fn address(value: &Value) -> Option<usize> {
    match value {
        Value::Array(values) => Some(std::sync::Arc::as_ptr(values).addr()),
        Value::Hash(hash) => Some(std::sync::Arc::as_ptr(hash).addr()),
        _ => None,
    }
}

impl Anchors {
    fn collect(&mut self, value: &Value, depth: usize) {
        let Some(address) = address(value) else { return };
        if let Some(&index) = self.index.get(&address) {
            if let Some((_, number @ None)) = self.met.get_mut(index) {
                self.count += 1;
                *number = Some(self.count);
            }
            return;
        }
        self.index.insert(address, self.met.len());
        self.met.push((value.clone(), None));
        if depth > MAX_DEPTH {
            return;
        }
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.collect(value, depth + 1)),
            Value::Hash(hash) => {
                for (key, value) in hash.iter() {
                    self.collect(key, depth + 1);
                    self.collect(value, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn number(&self, value: &Value) -> Option<usize> {
        self.met.get(*self.index.get(&address(value)?)?)?.1
    }
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    Literal,
    Folded,
}

/// A scalar: its text and how Psych wants it written.
struct Scalar {
    text: String,
    style: Style,
    tag: Option<&'static str>,
    /// Whether its type is clear when it is quoted.
    quoted_implicit: bool,
}

/// Libyaml's analysis of a text.
struct Analysis {
    multiline: bool,
    plain_allowed: bool,
    single_allowed: bool,
    block_allowed: bool,
}

struct Emitter {
    out: String,
    step: usize,
    width: usize,
    /// Texts longer than this are folded.
    fold_beyond: Option<usize>,
    indent: Option<usize>,
    column: usize,
    /// The last thing written was white space.
    whitespace: bool,
    /// Only indentation has been written in this line.
    indention: bool,
    /// A text with line ends to keep was the last thing: the document needs an end mark.
    open_ended: bool,
    anchors: Anchors,
    written: Vec<usize>,
}

impl Emitter {
    fn put(&mut self, character: char) {
        self.out.push(character);
        self.column += 1;
    }

    fn put_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    fn indicator(&mut self, text: &str, need_whitespace: bool, is_whitespace: bool, is_indention: bool) {
        if need_whitespace && !self.whitespace {
            self.put(' ');
        }
        text.chars().for_each(|character| self.put(character));
        self.whitespace = is_whitespace;
        self.indention = self.indention && is_indention;
        self.open_ended = false;
    }

    fn write_indent(&mut self) {
        let indent = self.indent.unwrap_or(0);
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.put_break();
        }
        while self.column < indent {
            self.put(' ');
        }
        self.whitespace = true;
        self.indention = true;
    }

    fn break_to_indent(&mut self) {
        self.indent = None;
        self.write_indent();
    }

    /// Runs `body` one level deeper.
    fn deeper(&mut self, flow: bool, indentless: bool, body: impl FnOnce(&mut Self)) {
        let outer = self.indent;
        self.indent = match outer {
            None => Some(if flow { self.step } else { 0 }),
            Some(indent) if indentless => Some(indent),
            Some(indent) => Some(indent + self.step),
        };
        body(self);
        self.indent = outer;
    }

    fn node(&mut self, value: &Value, in_mapping: bool, simple_key: bool, depth: usize) {
        if let Some(number) = self.anchors.number(value) {
            if self.written.contains(&number) {
                self.indicator("*", true, false, false);
                number.to_string().chars().for_each(|digit| self.put(digit));
                if simple_key {
                    self.put(' ');
                }
                return;
            }
            self.written.push(number);
            self.indicator("&", true, false, false);
            number.to_string().chars().for_each(|digit| self.put(digit));
        }
        match value {
            Value::Array(values) if values.is_empty() || depth > MAX_DEPTH => {
                self.indicator("[", true, true, false);
                self.indicator("]", false, false, false);
            }
            Value::Hash(hash) if hash.is_empty() || depth > MAX_DEPTH => {
                self.indicator("{", true, true, false);
                self.indicator("}", false, false, false);
            }
            Value::Array(values) => {
                let indentless = in_mapping && !self.indention;
                self.deeper(false, indentless, |emitter| {
                    for value in values.iter() {
                        emitter.write_indent();
                        emitter.indicator("-", true, false, true);
                        emitter.node(value, false, false, depth + 1);
                    }
                });
            }
            Value::Hash(hash) => self.deeper(false, false, |emitter| {
                for (key, value) in hash.iter() {
                    emitter.pair(key, value, depth + 1);
                }
            }),
            scalar => {
                let scalar = self.scalar_of(scalar);
                self.scalar(&scalar, simple_key);
            }
        }
    }

    fn pair(&mut self, key: &Value, value: &Value, depth: usize) {
        self.write_indent();
        if self.is_simple_key(key) {
            self.node(key, true, true, depth);
            self.indicator(":", false, false, false);
        } else {
            self.indicator("?", true, false, true);
            self.node(key, true, false, depth);
            self.write_indent();
            self.indicator(":", true, false, true);
        }
        self.node(value, true, false, depth);
    }

    /// Whether a key fits on the line of its value.
    fn is_simple_key(&self, key: &Value) -> bool {
        let anchor = self.anchors.number(key).map_or(0, |number| number.to_string().len());
        match key {
            Value::Array(_) | Value::Hash(_)
                if self.anchors.number(key).is_some_and(|number| self.written.contains(&number)) =>
            {
                true
            }
            Value::Array(values) => values.is_empty() && anchor <= 128,
            Value::Hash(hash) => hash.is_empty() && anchor <= 128,
            scalar => {
                let scalar = self.scalar_of(scalar);
                !analyze(&scalar.text).multiline && scalar.text.len() + scalar.tag.map_or(0, str::len) <= 128
            }
        }
    }

    /// Psych's choices for a value.
    fn scalar_of(&self, value: &Value) -> Scalar {
        let plain = |text: String| Scalar { text, style: Style::Plain, tag: None, quoted_implicit: false };
        match value {
            Value::Undef => plain(String::new()),
            Value::Boolean(truth) => plain(truth.to_string()),
            Value::Integer(number) => plain(number.to_string()),
            Value::BigInteger(number) => plain(number.to_string()),
            Value::Float(number) if number.is_nan() => plain(".nan".to_owned()),
            Value::Float(number) if number.is_infinite() => {
                plain(if *number > 0.0 { ".inf" } else { "-.inf" }.to_owned())
            }
            Value::Float(number) => plain(float_to_s(*number).to_string()),
            Value::Default => plain(":default".to_owned()),
            Value::Runtime(symbol) if symbol.is_symbol() && symbol.text.is_empty() => Scalar {
                text: String::new(),
                style: Style::Plain,
                tag: Some("!ruby/symbol"),
                quoted_implicit: false,
            },
            Value::Runtime(symbol) if symbol.is_symbol() => Scalar {
                text: format!(":{}", symbol.text),
                style: Style::Plain,
                tag: None,
                quoted_implicit: true,
            },
            Value::String(text) if text == "<<" => Scalar {
                text: text.to_string(),
                style: Style::Single,
                tag: Some("!!str"),
                quoted_implicit: false,
            },
            other => {
                let text = super::to_s(other);
                Scalar { style: self.string_style(&text), text, tag: None, quoted_implicit: true }
            }
        }
    }

    fn string_style(&self, text: &str) -> Style {
        // A line end that is not at the end of the text, except for one more line end after it.
        let is_inside = |at: usize| at + 1 < text.len() && text.get(at + 1..) != Some("\n");
        if text.match_indices('\n').any(|(at, _)| is_inside(at)) {
            return Style::Literal;
        }
        if text == "y" || text == "n" {
            return Style::Double;
        }
        if self.fold_beyond.is_some_and(|limit| text.chars().count() > limit) {
            return Style::Folded;
        }
        if starts_oddly(text) {
            return Style::Double;
        }
        let octal_rest =
            text.strip_prefix('0').map(|rest| rest.trim_start_matches(|c: char| ('0'..='7').contains(&c)));
        let looks_octal = octal_rest.is_some_and(|rest| rest.starts_with(['8', '9']));
        let is_string =
            !text.is_empty() && matches!(crate::formats::yaml::plain_scalar(text), Ok(Value::String(_)));
        if !is_string || looks_octal { Style::Single } else { Style::Plain }
    }

    fn scalar(&mut self, scalar: &Scalar, simple_key: bool) {
        let text = scalar.text.as_str();
        let analysis = analyze(text);
        let mut style = scalar.style;
        if simple_key && analysis.multiline {
            style = Style::Double;
        }
        if style == Style::Plain && (!analysis.plain_allowed || (text.is_empty() && simple_key)) {
            style = Style::Single;
        }
        if style == Style::Single && !analysis.single_allowed {
            style = Style::Double;
        }
        if matches!(style, Style::Literal | Style::Folded) && (!analysis.block_allowed || simple_key) {
            style = Style::Double;
        }
        if let Some(tag) = scalar.tag {
            self.indicator(tag, true, false, false);
        } else if !scalar.quoted_implicit && style != Style::Plain {
            self.indicator("!", true, false, false);
        }
        self.deeper(true, false, |emitter| match style {
            Style::Plain => emitter.plain(text, !simple_key),
            Style::Single => emitter.single_quoted(text, !simple_key),
            Style::Double => emitter.double_quoted(text, !simple_key),
            Style::Literal => emitter.literal(text),
            Style::Folded => emitter.folded(text),
        });
    }

    fn plain(&mut self, text: &str, allow_breaks: bool) {
        if !self.whitespace && !text.is_empty() {
            self.put(' ');
        }
        let characters: Vec<char> = text.chars().collect();
        let mut spaces = false;
        for (index, &character) in characters.iter().enumerate() {
            if character == ' ' {
                let next_is_space = characters.get(index + 1) == Some(&' ');
                if allow_breaks && !spaces && self.column > self.width && !next_is_space {
                    self.write_indent();
                } else {
                    self.put(' ');
                }
                spaces = true;
            } else {
                self.put(character);
                self.indention = false;
                spaces = false;
            }
        }
        self.whitespace = false;
        self.indention = false;
        self.open_ended = false;
    }

    fn single_quoted(&mut self, text: &str, allow_breaks: bool) {
        self.indicator("'", true, false, false);
        let characters: Vec<char> = text.chars().collect();
        let (mut spaces, mut breaks) = (false, false);
        for (index, &character) in characters.iter().enumerate() {
            if character == ' ' {
                let inside = index > 0 && index + 1 < characters.len();
                let next_is_space = characters.get(index + 1) == Some(&' ');
                if allow_breaks && !spaces && self.column > self.width && inside && !next_is_space {
                    self.write_indent();
                } else {
                    self.put(' ');
                }
                spaces = true;
            } else if is_break(character) {
                if !breaks && character == '\n' {
                    self.put_break();
                }
                self.line_end(character);
                self.indention = true;
                breaks = true;
            } else {
                if breaks {
                    self.write_indent();
                }
                if character == '\'' {
                    self.put('\'');
                }
                self.put(character);
                self.indention = false;
                spaces = false;
                breaks = false;
            }
        }
        if breaks {
            self.write_indent();
        }
        self.indicator("'", false, false, false);
        self.whitespace = false;
        self.indention = false;
    }

    fn line_end(&mut self, character: char) {
        self.out.push(character);
        self.column = 0;
    }

    fn double_quoted(&mut self, text: &str, allow_breaks: bool) {
        self.indicator("\"", true, false, false);
        let characters: Vec<char> = text.chars().collect();
        let mut spaces = false;
        for (index, &character) in characters.iter().enumerate() {
            if !is_printable(character) || is_break(character) || matches!(character, '"' | '\\') {
                escape(character).chars().for_each(|character| self.put(character));
                spaces = false;
            } else if character == ' ' {
                let inside = index > 0 && index + 1 < characters.len();
                if allow_breaks && !spaces && self.column > self.width && inside {
                    self.write_indent();
                    if characters.get(index + 1) == Some(&' ') {
                        self.put('\\');
                    }
                } else {
                    self.put(' ');
                }
                spaces = true;
            } else {
                self.put(character);
                spaces = false;
            }
        }
        self.indicator("\"", false, false, false);
        self.whitespace = false;
        self.indention = false;
    }

    /// The indicators after `|` or `>`: an indentation that cannot be detected, and the treatment of line
    /// ends at the end.
    fn block_hints(&mut self, text: &str) {
        if text.starts_with([' ', '\n']) {
            let step = self.step.to_string();
            self.indicator(&step, false, false, false);
        }
        let mut last = text.chars().rev();
        match (last.next().is_some_and(is_break), last.next()) {
            (false, _) => self.indicator("-", false, false, false),
            (true, Some(before)) if !is_break(before) => {}
            (true, _) => {
                self.indicator("+", false, false, false);
                self.open_ended = true;
            }
        }
        self.put_break();
        self.indention = true;
        self.whitespace = true;
    }

    fn literal(&mut self, text: &str) {
        self.indicator("|", true, false, false);
        self.block_hints(text);
        let mut breaks = true;
        for character in text.chars() {
            if is_break(character) {
                self.line_end(character);
                self.indention = true;
                breaks = true;
            } else {
                if breaks {
                    self.write_indent();
                }
                self.put(character);
                self.indention = false;
                breaks = false;
            }
        }
    }

    fn folded(&mut self, text: &str) {
        self.indicator(">", true, false, false);
        self.block_hints(text);
        let characters: Vec<char> = text.chars().collect();
        let (mut breaks, mut leading_spaces) = (true, true);
        for (index, &character) in characters.iter().enumerate() {
            let next = characters.get(index + 1).copied();
            if is_break(character) {
                if !breaks && !leading_spaces && character == '\n' {
                    let behind = characters[index..].iter().find(|&&character| !is_break(character));
                    if behind.is_some_and(|&character| !matches!(character, ' ' | '\t')) {
                        self.put_break();
                    }
                }
                self.line_end(character);
                self.indention = true;
                breaks = true;
            } else {
                if breaks {
                    self.write_indent();
                    leading_spaces = matches!(character, ' ' | '\t');
                }
                if !breaks && character == ' ' && next != Some(' ') && self.column > self.width {
                    self.write_indent();
                } else {
                    self.put(character);
                }
                self.indention = false;
                breaks = false;
            }
        }
    }
}

/// Psych's `/^[^[:word:]][^"]*$/`: a line begins with a character other than a letter, and no quote follows.
fn starts_oddly(text: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    loop {
        let mut characters = rest.chars();
        match characters.next() {
            None => return false,
            Some(first) if !is_word(first) => {
                let tail = characters.as_str();
                let line = tail.split('"').next().unwrap_or("");
                if line.len() == tail.len() || line.contains('\n') || (first == '\n') {
                    return true;
                }
            }
            Some(_) => {}
        }
        match rest.split_once('\n') {
            Some((_, next)) if !next.is_empty() => rest = next,
            Some(_) | None => return false,
        }
    }
}

fn is_break(character: char) -> bool {
    matches!(character, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The characters that libyaml treats as printable: no tabs, nothing beyond 16 bits.
fn is_printable(character: char) -> bool {
    matches!(character, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        && character != '\u{feff}'
}

fn escape(character: char) -> String {
    match character {
        '\0' => "\\0".to_owned(),
        '\u{7}' => "\\a".to_owned(),
        '\u{8}' => "\\b".to_owned(),
        '\t' => "\\t".to_owned(),
        '\n' => "\\n".to_owned(),
        '\u{b}' => "\\v".to_owned(),
        '\u{c}' => "\\f".to_owned(),
        '\r' => "\\r".to_owned(),
        '\u{1b}' => "\\e".to_owned(),
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\u{85}' => "\\N".to_owned(),
        '\u{a0}' => "\\_".to_owned(),
        '\u{2028}' => "\\L".to_owned(),
        '\u{2029}' => "\\P".to_owned(),
        other => match other as u32 {
            code @ 0..=0xff => format!("\\x{code:02X}"),
            code @ 0x100..=0xffff => format!("\\u{code:04X}"),
            code => format!("\\U{code:08X}"),
        },
    }
}

fn analyze(text: &str) -> Analysis {
    if text.is_empty() {
        return Analysis {
            multiline: false,
            plain_allowed: true,
            single_allowed: true,
            block_allowed: false,
        };
    }
    let characters: Vec<char> = text.chars().collect();
    let is_blank = |character: Option<&char>| match character {
        None => true,
        Some(&character) => matches!(character, ' ' | '\t' | '\0') || is_break(character),
    };
    let mut indicators = text.starts_with("---") || text.starts_with("...");
    let (mut special, mut line_breaks) = (false, false);
    let (mut space_at_edge, mut break_at_edge, mut trailing_space) = (false, false, false);
    let (mut break_space, mut space_break) = (false, false);
    let (mut previous_space, mut previous_break) = (false, false);
    let mut preceded_by_blank = true;
    for (index, &character) in characters.iter().enumerate() {
        let (first, last) = (index == 0, index + 1 == characters.len());
        let followed_by_blank = is_blank(characters.get(index + 1));
        indicators |= match character {
            '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@'
            | '`'
                if first =>
            {
                true
            }
            '?' | '-' if first => followed_by_blank,
            ':' => followed_by_blank,
            '#' => preceded_by_blank,
            _ => false,
        };
        special |= !is_printable(character);
        line_breaks |= is_break(character);
        if character == ' ' {
            space_at_edge |= first || last;
            trailing_space |= last;
            break_space |= previous_break;
            (previous_space, previous_break) = (true, false);
        } else if is_break(character) {
            break_at_edge |= first || last;
            space_break |= previous_space;
            (previous_space, previous_break) = (false, true);
        } else {
            (previous_space, previous_break) = (false, false);
        }
        preceded_by_blank = is_blank(Some(&character));
    }
    let unusual = space_break || special;
    Analysis {
        multiline: line_breaks,
        plain_allowed: !(indicators
            || space_at_edge
            || break_at_edge
            || break_space
            || unusual
            || line_breaks),
        single_allowed: !(break_space || unusual),
        block_allowed: !(trailing_space || unusual),
    }
}
