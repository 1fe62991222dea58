//! `JSON`: what Ruby's library writes and reads.

use std::fmt::Write as _;

use super::{ANY, Args, Entries, Method, R, Run, Str, Val, class, method};
use crate::call::Args as Given;
use crate::interpreter::Interpreter;
use crate::modules::ResolvedMethod;
use bunraku_pcore::Value;
use bunraku_pcore::fuel::BoundedFuel;
use bunraku_pcore::number::{float_to_s, parse_whole};
use bunraku_pcore::ruby::json;

/// The maximum nesting of collections.
const MAX_DEPTH: usize = 100;

/// The white space that is written.
#[derive(Clone, Default)]
struct Style {
    indent: Str,
    space: Str,
    space_before: Str,
    object_end: Str,
    array_end: Str,
}

impl Style {
    fn pretty() -> Self {
        let (space, end): (Str, Str) = (" ".into(), "\n".into());
        Self { indent: "  ".into(), space, space_before: "".into(), object_end: end.clone(), array_end: end }
    }

    fn with_options<'a>(mut self, i: &mut Interpreter<'a>, options: Option<Val<'a>>) -> Run<'a, Self> {
        let Some(Val::Hash(options)) = options else { return Ok(self) };
        for (key, value) in options.to_entries() {
            let Val::Symbol(name) = key.0 else { continue };
            let place = match name {
                "indent" => &mut self.indent,
                "space" => &mut self.space,
                "space_before" => &mut self.space_before,
                "object_nl" => &mut self.object_end,
                "array_nl" => &mut self.array_end,
                other => return Err(i.unsupported(format!("JSON with the option {other}"))),
            };
            *place = i.str(value)?;
        }
        Ok(self)
    }
}

struct Writer {
    style: Style,
    out: String,
    depth: usize,
}

impl Writer {
    fn line(&mut self, end: &Str) {
        self.out.push_str(end);
        if !end.is_empty() {
            for _ in 0..self.depth {
                self.out.push_str(&self.style.indent);
            }
        }
    }

    fn enter<'a>(&mut self, i: &mut Interpreter<'a>) -> Run<'a, ()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("nesting of {} is too deep", self.depth);
            return Err(i.raise(&class::JSON_NESTING_ERROR, message));
        }
        Ok(())
    }

    fn write<'a>(&mut self, i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, ()> {
        i.step()?;
        i.check_size(self.out.len())?;
        match value {
            Val::Nil => self.out.push_str("null"),
            Val::Boolean(truth) => self.out.push_str(if truth { "true" } else { "false" }),
            Val::Integer(number) => {
                let _ = write!(self.out, "{number}");
            }
            Val::Big(number) => {
                let _ = write!(self.out, "{number}");
            }
            Val::Float(number) if number.is_finite() => self.out.push_str(&float_to_s(number)),
            Val::Float(number) => {
                let message = format!("920: {} not allowed in JSON", float_to_s(number));
                return Err(i.raise(&class::JSON_GENERATOR_ERROR, message));
            }
            Val::Array(list) => return self.array(i, &list.to_vec()),
            Val::Hash(map) => return self.object(i, map.to_entries()),
            Val::Bytes(_) => {
                let message = "source sequence is illegal/malformed utf-8";
                return Err(i.raise(&class::JSON_GENERATOR_ERROR, message));
            }
            Val::Object(_) => return self.of_program(i, value),
            Val::String(_) | Val::Symbol(_) => {
                let text = i.to_s(value)?;
                json::quote(&text, &mut self.out);
            }
            other => {
                let text = i.to_s(other)?;
                json::quote(&text, &mut self.out);
            }
        }
        Ok(())
    }

    /// An object of the program: its own JSON, or its text.
    fn of_program<'a>(&mut self, i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, ()> {
        if let Some(ResolvedMethod::Own(entry)) = i.find_method(value, "to_json") {
            if !self.style.object_end.is_empty() {
                return Err(i.unsupported("to_json of an object in JSON of several lines"));
            }
            let text = i.call_entry(entry, value, Given::new(&[]))?;
            self.out.push_str(&i.str(text)?);
            return Ok(());
        }
        let text = i.to_s(value)?;
        json::quote(&text, &mut self.out);
        Ok(())
    }

    fn array<'a>(&mut self, i: &mut Interpreter<'a>, values: &[Val<'a>]) -> Run<'a, ()> {
        self.enter(i)?;
        self.out.push('[');
        let end = self.style.array_end.clone();
        for (at, value) in values.iter().enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            self.line(&end);
            self.write(i, *value)?;
        }
        self.depth -= 1;
        if values.is_empty() {
            self.out.push_str(&end);
        }
        self.line(&end);
        self.out.push(']');
        Ok(())
    }

    fn object<'a>(&mut self, i: &mut Interpreter<'a>, entries: Entries<'a>) -> Run<'a, ()> {
        self.enter(i)?;
        self.out.push('{');
        let end = self.style.object_end.clone();
        for (at, (key, value)) in entries.into_iter().enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            self.line(&end);
            let key = i.to_s(key.0)?;
            json::quote(&key, &mut self.out);
            self.out.push_str(&self.style.space_before);
            self.out.push(':');
            self.out.push_str(&self.style.space);
            self.write(i, value)?;
        }
        self.depth -= 1;
        self.line(&end);
        self.out.push('}');
        Ok(())
    }
}

fn generate<'a>(i: &mut Interpreter<'a>, value: Val<'a>, style: Style) -> R<'a> {
    let mut writer = Writer { style, out: String::new(), depth: 0 };
    writer.write(i, value)?;
    Ok(i.string(writer.out))
}

/// `to_json` of Ruby's own values; a passed state is ignored.
pub(crate) fn to_json<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let style = Style::default().with_options(i, args.get(0))?;
    generate(i, this, style)
}

/// Reads text that is certainly JSON.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    symbols: bool,
}

/// Not JSON, or not beyond doubt.
struct Doubt;

impl Reader<'_> {
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn take(&mut self, wanted: u8) -> Result<(), Doubt> {
        if self.peek() == Some(wanted) {
            self.at += 1;
            return Ok(());
        }
        Err(Doubt)
    }

    fn word<'a>(&mut self, word: &str, value: Val<'a>) -> Result<Val<'a>, Doubt> {
        if self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            self.at += word.len();
            return Ok(value);
        }
        Err(Doubt)
    }

    fn value<'a>(&mut self, i: &mut Interpreter<'a>, depth: usize) -> Result<Val<'a>, Doubt> {
        if depth > MAX_DEPTH || i.step().is_err() {
            return Err(Doubt);
        }
        match self.peek().ok_or(Doubt)? {
            b'n' => self.word("null", Val::Nil),
            b't' => self.word("true", Val::Boolean(true)),
            b'f' => self.word("false", Val::Boolean(false)),
            b'"' => {
                let text = self.string()?;
                Ok(i.string(text))
            }
            b'[' => {
                self.at += 1;
                let mut values = Vec::new();
                if self.peek() == Some(b']') {
                    self.at += 1;
                    return Ok(i.array(values));
                }
                loop {
                    values.push(self.value(i, depth + 1)?);
                    match self.peek() {
                        Some(b',') => self.at += 1,
                        _ => break,
                    }
                }
                self.take(b']')?;
                Ok(i.array(values))
            }
            b'{' => {
                self.at += 1;
                let mut entries = Entries::default();
                if self.peek() == Some(b'}') {
                    self.at += 1;
                    return Ok(i.heap.hash(entries));
                }
                loop {
                    self.peek();
                    let name = self.string()?;
                    let key = if self.symbols { i.heap.symbol(name) } else { i.string(name) };
                    self.take(b':')?;
                    let value = self.value(i, depth + 1)?;
                    entries.insert(i.key(key).map_err(|_| Doubt)?, value);
                    match self.peek() {
                        Some(b',') => self.at += 1,
                        _ => break,
                    }
                }
                self.take(b'}')?;
                Ok(i.heap.hash(entries))
            }
            _ => self.number(i),
        }
    }

    fn number<'a>(&mut self, i: &mut Interpreter<'a>) -> Result<Val<'a>, Doubt> {
        let rest = self.text.get(self.at..).ok_or(Doubt)?;
        let length = rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
        let number = rest.get(..length.unwrap_or(rest.len())).ok_or(Doubt)?;
        let digits = number.strip_prefix('-').unwrap_or(number);
        let (whole, rest) = digits.split_at(digits.find(['.', 'e', 'E']).unwrap_or(digits.len()));
        let is_whole = !whole.is_empty() && whole.bytes().all(|byte| byte.is_ascii_digit());
        if !is_whole || (whole.len() > 1 && whole.starts_with('0')) {
            return Err(Doubt);
        }
        self.at += number.len();
        if rest.is_empty() {
            let value = match parse_whole(number, 10) {
                Ok(Value::Integer(number)) => Val::Integer(number),
                Ok(Value::BigInteger(number)) => i.heap.whole((*number).clone()),
                _ => return Err(Doubt),
            };
            return Ok(value);
        }
        let (fraction, exponent) = rest.split_at(rest.find(['e', 'E']).unwrap_or(rest.len()));
        let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_fraction = fraction.is_empty() || fraction.strip_prefix('.').is_some_and(all_digits);
        let exponent = exponent.get(1..).map(|text| text.strip_prefix(['+', '-']).unwrap_or(text));
        if !is_fraction || !exponent.is_none_or(all_digits) {
            return Err(Doubt);
        }
        number.parse().map(Val::Float).map_err(|_| Doubt)
    }

    fn string(&mut self) -> Result<String, Doubt> {
        let mut characters = self.text.get(self.at..).ok_or(Doubt)?.char_indices();
        if !matches!(characters.next(), Some((_, '"'))) {
            return Err(Doubt);
        }
        let mut out = String::new();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at += at + 1;
                    return Ok(out);
                }
                '\\' => match characters.next().ok_or(Doubt)?.1 {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    'r' => out.push('\r'),
                    'b' => out.push('\u{8}'),
                    'f' => out.push('\u{c}'),
                    plain @ ('"' | '\\' | '/') => out.push(plain),
                    'u' => {
                        let mut unit = || {
                            let mut code = 0;
                            for _ in 0..4 {
                                let digit = characters.next().and_then(|(_, digit)| digit.to_digit(16));
                                code = code * 16 + digit.ok_or(Doubt)?;
                            }
                            Ok(code)
                        };
                        let mut code = unit()?;
                        if (0xd800..0xdc00).contains(&code) {
                            if !matches!(
                                (characters.next(), characters.next()),
                                (Some((_, '\\')), Some((_, 'u')))
                            ) {
                                return Err(Doubt);
                            }
                            let mut low = 0;
                            for _ in 0..4 {
                                let digit = characters.next().and_then(|(_, digit)| digit.to_digit(16));
                                low = low * 16 + digit.ok_or(Doubt)?;
                            }
                            if !(0xdc00..0xe000).contains(&low) {
                                return Err(Doubt);
                            }
                            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                        }
                        out.push(char::from_u32(code).ok_or(Doubt)?);
                    }
                    _ => return Err(Doubt),
                },
                control if u32::from(control) < 0x20 => return Err(Doubt),
                plain => out.push(plain),
            }
        }
        Err(Doubt)
    }
}

fn parse<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>) -> R<'a> {
    let text = match args.at(0) {
        Val::Nil => return Err(i.no_conversion(Val::Nil, "String")),
        value => i.str(value)?,
    };
    if let Some(Val::Hash(options)) = args.get(1) {
        for key in options.to_entries().keys() {
            if !matches!(key.0, Val::Symbol("symbolize_names")) {
                let shown = i.inspect(key.0)?;
                return Err(i.unsupported(format!("JSON.parse with the option {shown}")));
            }
        }
    }
    i.charge_steps(1 + text.len() as u64 / 16)?;
    let symbols = args.option("symbolize_names").is_some_and(Val::is_truthy);
    let mut reader = Reader { text: &text, at: 0, symbols };
    if let Ok(value) = reader.value(i, 1)
        && reader.peek().is_none()
    {
        return Ok(value);
    }
    match json::parse(&text, &BoundedFuel::default()) {
        Ok(_) if symbols => Err(i.unsupported("JSON.parse of what is no JSON, with names as symbols")),
        Ok(value) => i.to_ruby(&value),
        Err(error) => Err(i.raise(&class::JSON_PARSER_ERROR, error.message)),
    }
}

pub(crate) static JSON: &[Method] = &[
    method("generate", 1, 2, |i, _, args| {
        let style = Style::default().with_options(i, args.get(1))?;
        generate(i, args.at(0), style)
    }),
    method("dump", 1, 1, |i, _, args| generate(i, args.at(0), Style::default())),
    method("pretty_generate", 1, 2, |i, _, args| {
        let style = Style::pretty().with_options(i, args.get(1))?;
        generate(i, args.at(0), style)
    }),
    method("parse", 1, 2, |i, _, args| parse(i, args)),
    method("load", 1, ANY, |i, _, args| match args.values {
        [Val::Nil] => Ok(Val::Nil),
        [Val::String(text)] if text.get().trim().is_empty() => Ok(Val::Nil),
        [Val::String(_)] => parse(i, args),
        _ => Err(i.unsupported("JSON.load with options")),
    }),
];
