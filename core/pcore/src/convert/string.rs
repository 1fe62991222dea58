//! Values as text: interpolation, and `String.new` with formats per type.
//!
//! Follows the reference's `string_converter.rb`: the type of a value is inferred, the first format whose
//! type accepts it is used, and each kind of value has its own letters.

pub use crate::ruby::quote::inspect_bytes;
use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;

use super::string_format::{self, DEFAULTS, ELEMENTS, Format, FormatMap};
use crate::data::big;
use crate::data::value::{Hash, IteratorKind, RegexpValue, Str, Value};
use crate::ruby::names;
use crate::ruby::{float_to_s, sprintf};
use crate::scalars::binary;
use crate::types::format::{Formatter, double_quote, quote, regexp_text};
use crate::types::{Type, TypeKind};
use bunraku_syntax::case::{capitalize, downcase, upcase};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::pattern;

/// `String.new(value, formats)`. A text without encoding stays one with the plain and the single-quoted
/// format; any other format makes a text in UTF-8.
///
/// # Errors
/// As [`format()`].
pub fn made(value: &Value, formats: &Value) -> Result<Value, Error> {
    match (value, formats) {
        (Value::ByteString(_), Value::Default | Value::Undef) => Ok(value.clone()),
        (Value::ByteString(bytes), formats) if formats.as_str() == Some("%p") => {
            let latin: String = bytes.bytes().iter().map(|&byte| char::from(byte)).collect();
            let quoted = quote(&latin);
            let is_plain = bytes.bytes().is_ascii() && quoted.starts_with('\'');
            Ok(if is_plain { Value::byte_string(quoted.into_bytes()) } else { quoted.into() })
        }
        _ => format(value, formats).map(Value::from),
    }
}

/// The maximum nesting of collections.
const MAX_DEPTH: usize = 700;

/// The text of a value in interpolation: `"${value}"`.
pub fn to_string(value: &Value) -> Str {
    match value {
        Value::String(text) => text.clone(),
        Value::ByteString(bytes) => bytes.text().clone(),
        other => {
            let mut out = String::new();
            interpolate(&mut out, other, 0);
            out.into()
        }
    }
}

/// Appends the text of a value in interpolation.
pub fn push_string(out: &mut String, value: &Value) {
    interpolate(out, value, 0);
}

/// The text of a type; that of a resource in a catalog is its reference.
fn type_text(of: &Type) -> String {
    match of.kind() {
        TypeKind::Resource { type_name: Some(name), title: Some(title), is_reference: true } => {
            format!("{name}[{title}]")
        }
        _ => of.to_string(),
    }
}

fn interpolate(out: &mut String, value: &Value, depth: usize) {
    if depth > MAX_DEPTH {
        out.push_str("...");
        return;
    }
    match value {
        Value::Undef => {}
        Value::Default => out.push_str("default"),
        Value::Boolean(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Integer(number) => out.push_str(itoa::Buffer::new().format(*number)),
        Value::BigInteger(number) => out.push_str(&number.to_string()),
        Value::Float(number) => out.push_str(&float_to_s(*number)),
        Value::String(text) => out.push_str(text),
        Value::ByteString(bytes) => out.push_str(bytes.text()),
        Value::Array(values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                interpolate(out, value, depth + 1);
            }
            out.push(']');
        }
        Value::Hash(hash) => {
            out.push('{');
            for (index, (key, value)) in hash.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                interpolate(out, key, depth + 1);
                out.push_str(" => ");
                interpolate(out, value, depth + 1);
            }
            out.push('}');
        }
        Value::Regexp(regexp) => out.push_str(&regexp_text(regexp)),
        Value::Sensitive(_) => out.push_str("Sensitive [value redacted]"),
        Value::SemVer(version) => out.push_str(&version.to_string()),
        Value::SemVerRange(range) => out.push_str(&range.text),
        Value::Uri(uri) => out.push_str(&uri.text),
        Value::Runtime(value) if value.is_undef() => {}
        Value::Runtime(value) => out.push_str(&value.text),
        Value::Type(of) => out.push_str(&type_text(of)),
        Value::Object(_) => out.push_str(&Formatter::default().value_text(value)),
        Value::Binary(bytes) => out.push_str(&binary::to_base64(bytes)),
        Value::Timespan(span) => out.push_str(&span.to_string()),
        Value::Timestamp(moment) => out.push_str(&moment.to_string()),
        Value::Iterator(walk) if matches!(walk.kind, IteratorKind::Tree { .. }) => {
            out.push_str(&format!("#<{}>", names::iterator_class(walk)));
        }
        Value::Iterator(_) => match Type::infer(value).kind() {
            TypeKind::Iterator(Some(element)) => {
                out.push_str(&format!("Iterator[{}]-Value", element.generalize()));
            }
            _ => out.push_str("Iterator-Value"),
        },
    }
}

/// The text of a value with formats: `default`, one format, or a hash from types to formats. This is
/// `String.new`.
///
/// # Errors
/// A format is malformed or does not suit the value.
pub fn format(value: &Value, formats: &Value) -> Result<String, Error> {
    let written = Cell::new(0);
    let outermost = Indentation::none(&written);
    if let Some(format) = formats.as_str().filter(|_| is_single(value)) {
        // Its own type is more specific than all other types that accept it.
        let formats = vec![(Type::any(), Format::parse(format)?)];
        return convert(value, None, &formats, outermost);
    }
    let value_type = Type::infer_set(value);
    let user = match formats {
        Value::Default | Value::Undef => {
            return convert(value, Some(&value_type), &DEFAULTS, outermost);
        }
        Value::String(_) | Value::ByteString(_) => {
            let text = formats.as_str().unwrap_or_default();
            let key = match value_type.kind() {
                TypeKind::Array { .. } | TypeKind::Tuple { .. } => Type::array(Type::any(), None),
                TypeKind::Hash { .. } | TypeKind::Struct { .. } => Type::hash(Type::any(), Type::any(), None),
                _ => value_type.clone(),
            };
            vec![(key, Format::parse(text)?)]
        }
        Value::Hash(formats) => string_format::read(formats)?,
        other => {
            return Err(Error::argument(format!(
                "string conversion expects a Default value or a Hash of type to format mappings, got a '{}'",
                Type::infer(other)
            )));
        }
    };
    convert(value, Some(&value_type), &string_format::over_defaults(&user), outermost)
}

/// Whether a single format determines how a value is written.
fn is_single(value: &Value) -> bool {
    use Value as V;
    matches!(
        value,
        V::Undef | V::Default | V::Boolean(_) | V::Integer(_) | V::Float(_) | V::String(_) | V::Regexp(_)
    )
}

/// The maximum number of bytes that are joined, where a text counts again in each enclosing collection.
const MAX_TEXT: usize = 1 << 28;

/// The depth of a value, and the size of the text so far.
#[derive(Clone, Copy)]
struct Indentation<'w> {
    written: &'w Cell<usize>,
    level: usize,
    is_first: bool,
    is_indenting: bool,
}

impl<'w> Indentation<'w> {
    const fn none(written: &'w Cell<usize>) -> Self {
        Self { written, level: 0, is_first: true, is_indenting: false }
    }

    const fn subsequent(self) -> Self {
        Self { is_first: false, ..self }
    }

    const fn indenting(self, is_indenting: bool) -> Self {
        Self { is_indenting, ..self }
    }

    const fn increase(self, is_indenting: bool) -> Self {
        Self { level: self.level + 1, is_first: true, is_indenting, ..self }
    }

    const fn breaks(self) -> bool {
        self.is_indenting && self.level > 0 && !self.is_first
    }

    /// Counts a written text.
    fn write(self, text: String) -> Result<String, Error> {
        let written = self.written.get().saturating_add(text.len());
        self.written.set(written);
        if written > MAX_TEXT { Err(Error::limit("the formatted text is too long")) } else { Ok(text) }
    }

    fn padding(self) -> String {
        "  ".repeat(self.level)
    }
}

/// The format of a value of this type.
///
/// Errors: a type cannot be compared.
fn format_for<'a>(of: &Type, formats: &'a FormatMap) -> Result<Cow<'a, Format>, Error> {
    for (key, format) in formats {
        if key.check_assignable(of)? {
            return Ok(Cow::Borrowed(format));
        }
    }
    Ok(Cow::Owned(Format::plain()))
}

/// The format of a value of unknown type.
fn format_of<'a>(value: &Value, formats: &'a FormatMap) -> Result<Cow<'a, Format>, Error> {
    for (key, format) in formats {
        let fits = match key.kind() {
            // An assignable type need not be the type of an instance.
            TypeKind::Optional(None) | TypeKind::Init { .. } => {
                key.check_assignable(&Type::infer_set(value))?
            }
            _ => key.is_instance(value),
        };
        if fits {
            return Ok(Cow::Borrowed(format));
        }
    }
    Ok(Cow::Owned(Format::plain()))
}

fn refused(type_name: &str, format: &Format, expected: &str) -> Error {
    Error::argument(format!(
        "Illegal format '{}' specified for value of {type_name} type - expected one of the characters '{expected}'",
        format.letter
    ))
}

fn ruby(format: &str, value: impl Into<Value>) -> Result<String, Error> {
    sprintf(format, &[value.into()])
}

/// Width, precision and side of a text.
fn in_field(format: &Format, text: &str) -> Result<String, Error> {
    if !format.left && format.width.is_none() && format.precision.is_none() {
        return Ok(text.into());
    }
    let mut directive = String::from("%");
    if format.left {
        directive.push('-');
    }
    if let Some(width) = format.width {
        directive.push_str(&width.to_string());
    }
    if let Some(precision) = format.precision {
        directive.push('.');
        directive.push_str(&precision.to_string());
    }
    directive.push('s');
    ruby(&directive, text)
}

fn convert(
    value: &Value,
    value_type: Option<&Type>,
    formats: &FormatMap,
    indentation: Indentation<'_>,
) -> Result<String, Error> {
    if indentation.level > MAX_DEPTH {
        return Err(Error::limit("the value is nested too deeply"));
    }
    let found = match value_type {
        // Objects with type parameters are formatted by their type without them.
        Some(of) => match of.kind() {
            TypeKind::ObjectExtension { base, .. } => {
                format_for(&TypeKind::Object(Arc::clone(base)).into(), formats)?
            }
            _ => format_for(of, formats)?,
        },
        None => format_of(value, formats)?,
    };
    let format: &Format = &found;
    match value {
        Value::Undef => undef(format),
        Value::Default => default(format),
        Value::Boolean(truth) => boolean(*truth, format),
        Value::Integer(_) | Value::BigInteger(_) => integer(value, format),
        Value::Float(number) => float(*number, format),
        Value::String(text) => string(text, format),
        Value::ByteString(bytes) => string(bytes.text(), format),
        Value::Array(values) => array(values, value_type, format, formats, indentation),
        Value::Hash(hash) => self::hash(hash, value_type, format, formats, indentation),
        Value::Iterator(_) => {
            let elements: Vec<Value> = match crate::convert::iterate::elements(value) {
                Some(elements) => elements.gather()?,
                None => Vec::new(),
            };
            let elements = Value::from(elements);
            convert(&elements, None, formats, indentation)
        }
        Value::Regexp(regexp) => self::regexp(regexp, format),
        Value::Binary(bytes) => binary(bytes, format),
        Value::Type(of) => match format.letter {
            's' if format.alternate => ruby(&format.text, format!("\"{}\"", type_text(of))),
            's' => ruby(&format.text, type_text(of)),
            'p' => ruby(&format.text.as_str().replace('p', "s"), type_text(of)),
            _ => Err(refused("Type", format, "sp")),
        },
        Value::Uri(uri) => match format.letter {
            'p' => Ok(written(value, format, indentation)),
            's' if format.alternate => ruby(&format.text, quote(&uri.text)),
            's' => ruby(&format.text, uri.text.clone()),
            _ => Err(refused("URI", format, "sp")),
        },
        Value::Object(_) => match format.letter {
            'p' => Ok(written(value, format, indentation)),
            's' => Ok(to_string(value).to_string()),
            'q' => Ok(crate::ruby::inspect(value)),
            _ => Err(refused("Object", format, "spq")),
        },
        Value::Runtime(inner) => match format.letter {
            's' => Ok(inner.text.to_string()),
            'p' => Ok(quote(&inner.text)),
            'q' => Ok(crate::ruby::inspect(value)),
            _ => Err(refused("Runtime", format, "spq")),
        },
        Value::Sensitive(_)
        | Value::Timespan(_)
        | Value::Timestamp(_)
        | Value::SemVer(_)
        | Value::SemVerRange(_) => ruby(&format.text, value.clone()),
    }
}

fn default(format: &Format) -> Result<String, Error> {
    let text = match (format.letter, format.alternate) {
        ('d' | 's' | 'p', true) => "\"default\"",
        ('d' | 's' | 'p', false) => "default",
        ('D', true) => "\"Default\"",
        ('D', false) => "Default",
        _ => return Err(refused("Default", format, "dDsp")),
    };
    in_field(format, text)
}

fn regexp(regexp: &RegexpValue, format: &Format) -> Result<String, Error> {
    let text = match format.letter {
        'p' => regexp_text(regexp),
        's' if format.alternate => quote(&pattern::with_options(&regexp.source)),
        's' => pattern::with_options(&regexp.source).into_owned(),
        _ => return Err(refused("Regexp", format, "sp")),
    };
    let bare = ["%p", "%s"].contains(&&*format.text);
    if bare { Ok(text) } else { ruby(&format.text.as_str().replace('p', "s"), text) }
}

/// Formats the parameters of types, on several lines if requested.
fn written(value: &Value, format: &Format, indentation: Indentation<'_>) -> String {
    let formatter = if format.alternate || indentation.is_indenting {
        Formatter::indented(indentation.level, 2)
    } else {
        Formatter::default()
    };
    formatter.value_text(value)
}

fn undef(format: &Format) -> Result<String, Error> {
    let pick =
        |alternate: &'static str, plain: &'static str| if format.alternate { alternate } else { plain };
    let text = match format.letter {
        'n' => pick("null", "nil"),
        'u' => pick("undefined", "undef"),
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => "NaN",
        'v' => "n/a",
        'V' => "N/A",
        's' => pick("\"\"", ""),
        'p' => pick("\"undef\"", "undef"),
        _ => return Err(refused("Undef", format, "nudxXobBeEfgGaAvVsp")),
    };
    in_field(format, text)
}

fn boolean(truth: bool, format: &Format) -> Result<String, Error> {
    let text = match format.letter {
        't' | 's' | 'p' => {
            if truth {
                "true"
            } else {
                "false"
            }
        }
        'T' => {
            if truth {
                "True"
            } else {
                "False"
            }
        }
        'y' => {
            if truth {
                "yes"
            } else {
                "no"
            }
        }
        'Y' => {
            if truth {
                "Yes"
            } else {
                "No"
            }
        }
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' => return integer(&Value::Integer(i64::from(truth)), format),
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => return float(f64::from(u8::from(truth)), format),
        _ => return Err(refused("Boolean", format, "tTyYdxXobBeEfgGaAsp")),
    };
    let is_short = format.alternate && matches!(format.letter, 't' | 'T' | 'y' | 'Y');
    in_field(format, if is_short { text.get(..1).unwrap_or_default() } else { text })
}

fn integer(number: &Value, format: &Format) -> Result<String, Error> {
    match format.letter {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'p' => ruby(&format.text, number.clone()),
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => match number {
            Value::Integer(number) => ruby(&format.text, *number as f64),
            Value::BigInteger(number) => ruby(&format.text, big::to_f64(number)),
            _ => Err(refused("Integer", format, "dxXobBeEfgGaAspc")),
        },
        'c' => {
            let Value::Integer(number) = *number else { return Err(big::too_big_for_long()) };
            let character = u32::try_from(number).ok().and_then(char::from_u32);
            let Some(character) = character else {
                return Err(Error::argument("pack(U): value out of range"));
            };
            let text = if format.alternate { format!("\"{character}\"") } else { character.to_string() };
            ruby(&format.text.as_str().replace('c', "s"), text)
        }
        's' => {
            let text = to_string(number).to_string();
            ruby(&format.text.as_str().replace('s', if format.alternate { "p" } else { "s" }), text)
        }
        _ => Err(refused("Integer", format, "dxXobBeEfgGaAspc")),
    }
}

fn float(number: f64, format: &Format) -> Result<String, Error> {
    match format.letter {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' => {
            if !number.is_finite() {
                return Err(Error::argument(float_to_s(number)));
            }
            ruby(&format.text, number)
        }
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' | 'p' => ruby(&format.text, number),
        's' => {
            let text = float_to_s(number);
            ruby(&format.text, if format.alternate { format!("\"{text}\"") } else { text })
        }
        _ => Err(refused("Float", format, "dxXobBeEfgGaAsp")),
    }
}

fn binary(bytes: &[u8], format: &Format) -> Result<String, Error> {
    let quoted =
        |letter: char| format.text.as_str().replace(letter, if format.alternate { "p" } else { "s" });
    match format.letter {
        's' if format.alternate => {
            let shown = inspect_bytes(bytes);
            ruby(&quoted('s').replace('p', "s"), shown)
        }
        's' => match std::str::from_utf8(bytes) {
            Ok(text) => ruby(&quoted('s'), text),
            Err(error) => {
                let byte = bytes.get(error.valid_up_to()).copied().unwrap_or(0);
                Err(Error::argument(format!("\"\\x{byte:02X}\" from ASCII-8BIT to UTF-8")))
            }
        },
        'p' => {
            let text = ruby(&format.text.as_str().replace('p', "s"), binary::to_base64(bytes))?;
            Ok(format!("Binary(\"{text}\")"))
        }
        'b' => ruby(&quoted('b'), binary::to_base64_lines(bytes)),
        'B' => ruby(&quoted('B'), binary::to_base64(bytes)),
        'u' => ruby(&quoted('u'), binary::to_base64_urlsafe(bytes)),
        't' => ruby(&quoted('t'), "Binary"),
        'T' => ruby(&quoted('T'), "BINARY"),
        _ => Err(refused("Binary", format, "bButTsp")),
    }
}

fn string(text: &str, format: &Format) -> Result<String, Error> {
    let changed = match format.letter {
        's' => return ruby(&format.text, text),
        'p' => {
            return in_field(format, &if format.alternate { double_quote(text) } else { quote(text) });
        }
        'c' => capitalize(text),
        'C' => {
            let mut segments: Vec<&str> = text.split("::").collect();
            while segments.last().is_some_and(|segment| segment.is_empty()) {
                segments.pop();
            }
            segments.into_iter().map(capitalize).collect::<Vec<_>>().join("::")
        }
        'u' => upcase(text),
        'd' => downcase(text),
        't' => text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\u{b}' || c == '\0').to_string(),
        _ => return Err(refused("String", format, "cCudspt")),
    };
    if format.alternate {
        in_field(format, &quote(&changed))
    } else {
        ruby(&format.text.as_str().replace(format.letter, "s"), changed)
    }
}

/// Whether a value inherits the formats of its container. Objects with type parameters do not.
fn is_container(value: &Value) -> bool {
    match value {
        Value::Array(_) | Value::Hash(_) => true,
        Value::Object(_) => matches!(Type::infer(value).kind(), TypeKind::Object(_)),
        _ => false,
    }
}

const fn is_collection(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Hash(_))
}

/// The text of an element of a collection; `known` is its type, if that of the collection determines it.
fn element(
    value: &Value,
    known: Option<&Type>,
    format: &Format,
    formats: &FormatMap,
    indentation: Indentation<'_>,
) -> Result<String, Error> {
    let inner = if is_container(value) { formats } else { format.elements.as_deref().unwrap_or(&ELEMENTS) };
    // A value that is nested too deeply for a type is Any. Collections need no type, which would have to be
    // inferred again on each level.
    let known = known.filter(|of| !matches!(of.kind(), TypeKind::Any));
    let own = (known.is_none() && !is_container(value)).then(|| Type::infer_set(value));
    indentation.write(convert(value, known.or(own.as_ref()), inner, indentation)?)
}

fn array(
    values: &[Value],
    of: Option<&Type>,
    format: &Format,
    formats: &FormatMap,
    indentation: Indentation<'_>,
) -> Result<String, Error> {
    if !matches!(format.letter, 'a' | 's' | 'p') {
        return Err(refused("Array", format, "asp"));
    }
    let separator = format.separator.as_deref().unwrap_or(", ");
    let (open, close) = format.delimiters(("[", "]"));
    let indentation = indentation.indenting(format.alternate || indentation.is_indenting);
    let mut out = String::new();
    if indentation.breaks() {
        out.push('\n');
        out.push_str(&indentation.padding());
    }
    out.push_str(open);
    let children = indentation.increase(format.alternate).subsequent();
    let known: &[Type] = match of.map(Type::kind) {
        Some(TypeKind::Tuple { types, .. }) if types.len() == values.len() => types,
        _ => &[],
    };
    let texts = values
        .iter()
        .enumerate()
        .map(|(index, value)| element(value, known.get(index), format, formats, children))
        .collect::<Result<Vec<_>, _>>()?;
    // The widest run between nested collections determines whether each element gets its own line.
    let is_too_wide = match format.width.filter(|_| format.alternate) {
        Some(width) => {
            let (mut widest, mut run) = (0, 0);
            for (value, text) in values.iter().zip(&texts) {
                run = if is_collection(value) { 0 } else { run + text.chars().count() };
                widest = widest.max(run);
            }
            widest > width
        }
        None => false,
    };
    let children = indentation.increase(format.alternate);
    let mut previous: Option<&Value> = None;
    for (value, text) in values.iter().zip(&texts) {
        match previous {
            None => {
                if is_too_wide && !is_collection(value) {
                    out.push(' ');
                }
            }
            Some(previous) => {
                out.push_str(separator);
                if out.len() > MAX_TEXT {
                    return Err(Error::limit("the formatted text is too long"));
                }
                let after_collection = format.alternate && is_collection(previous) && !is_collection(value);
                if (is_too_wide && !is_collection(value)) || after_collection {
                    if !out.ends_with('\n') {
                        strip_end(&mut out);
                    }
                    out.push('\n');
                    out.push_str(&children.padding());
                }
            }
        }
        if out.ends_with(' ') && text.starts_with('\n') {
            strip_end(&mut out);
        }
        out.push_str(text);
        previous = Some(value);
    }
    out.push_str(close);
    Ok(out)
}

fn strip_end(text: &mut String) {
    let kept = text.trim_end_matches(|c: char| c.is_ascii_whitespace() || c == '\u{b}' || c == '\0').len();
    text.truncate(kept);
}

fn hash(
    hash: &Hash,
    of: Option<&Type>,
    format: &Format,
    formats: &FormatMap,
    indentation: Indentation<'_>,
) -> Result<String, Error> {
    let mut separator = format.separator.clone().unwrap_or_else(|| ", ".into()).to_string();
    let between = format.separator2.as_deref().unwrap_or(" => ");
    let (open, close) = format.delimiters(("{", "}"));
    if format.alternate {
        if !separator.ends_with('\n') {
            strip_end(&mut separator);
        }
        separator.push('\n');
    }
    match format.letter {
        'a' => {
            let pairs = hash.iter().map(|(key, value)| Value::array([key.clone(), value.clone()]));
            let pairs = Value::array(pairs);
            convert(&pairs, None, formats, indentation)
        }
        'h' | 's' | 'p' => {
            let indentation = indentation.indenting(format.alternate || indentation.is_indenting);
            let mut out = String::new();
            if indentation.breaks() {
                out.push('\n');
                out.push_str(&indentation.padding());
            }
            let children = indentation.increase(false);
            let (line, padding) =
                if format.alternate { ("\n", children.padding()) } else { ("", String::new()) };
            out.push_str(open);
            out.push_str(line);
            let known = match of.map(Type::kind) {
                Some(TypeKind::Struct { members }) if members.len() == hash.len() => Some(members),
                _ => None,
            };
            for (index, (key, value)) in hash.iter().enumerate() {
                if index > 0 {
                    out.push_str(&separator);
                }
                out.push_str(&padding);
                if out.len() > MAX_TEXT {
                    return Err(Error::limit("the formatted text is too long"));
                }
                let known = known
                    .and_then(|known| known.get(index))
                    .filter(|member| key.as_str() == Some(member.name))
                    .map(|member| member.value);
                out.push_str(&element(key, None, format, formats, children)?);
                out.push_str(between);
                out.push_str(&element(value, known, format, formats, children)?);
            }
            if format.alternate {
                out.push_str(line);
                out.push_str(&indentation.padding());
            }
            out.push_str(close);
            Ok(out)
        }
        _ => Err(refused("Hash", format, "hasp")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::value::RegexpValue;

    #[test]
    fn one_format_for_a_single_value_is_what_all_formats_together_say() {
        let values = [
            Value::Undef,
            Value::Default,
            Value::Boolean(true),
            Value::Boolean(false),
            Value::Integer(0),
            Value::Integer(-255),
            Value::Integer(i64::MAX),
            Value::Float(0.0),
            Value::Float(-12.75),
            Value::from(""),
            Value::from("Any"),
            Value::from("Zoo 'q'"),
            Value::Regexp(Arc::new(RegexpValue::new("a/b"))),
        ];
        let texts = [
            "%s", "%#s", "%p", "%#p", "%d", "%x", "%#x", "%o", "%e", "%08.3f", "%-9s", "%+d", "%t", "%T",
            "%D", "%q",
        ];
        for value in &values {
            assert!(is_single(value));
            let of = Type::infer_set(value);
            for text in texts {
                let written = Cell::new(0);
                let all = string_format::over_defaults(&vec![(of.clone(), Format::parse(text).unwrap())]);
                let expected = convert(value, Some(&of), &all, Indentation::none(&written));
                let message = |result: Result<String, Error>| result.map_err(|error| error.message);
                assert_eq!(message(format(value, &text.into())), message(expected), "{of} {text}");
            }
        }
    }
}
