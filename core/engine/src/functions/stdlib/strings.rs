//! Strings: paths, escaping for shells, URIs and patterns, `base64`, `squeeze`, line ends, `sprintf_hash`.

use super::{function, map_strings, no_method, ruby, rvalue, wrong_number, wrong_number_plain};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_pcore::Value;
use bunraku_pcore::format::character_set::CharacterSet;
use bunraku_pcore::format::inspect;
use bunraku_pcore::fuel::{Fuel, pieces};
use bunraku_pcore::shell;
use bunraku_syntax::diagnostic::Error;

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    rvalue!("base64", base64),
    rvalue!("basename", basename),
    function("batch_escape", &[Dispatch::new("Any $string", batch_escape)]),
    rvalue!("dirname", dirname),
    rvalue!("dos2unix", 1, dos2unix),
    function("powershell_escape", &[Dispatch::new("Any $string", powershell_escape)]),
    rvalue!("regexpescape", |call: &Call<'_, '_>, arguments: &[Value]| {
        let Some(value) = arguments.first() else { return Err(wrong_number(call, 0, "1")) };
        let refusal = "regexpescape(): Requires either array or string to work with";
        map_strings(value, refusal, bunraku_pcore::regexp::escape)
    }),
    function("shell_escape", &[Dispatch::new("Any $string", shell_escape)]),
    rvalue!("shell_join", shell_join),
    rvalue!("shell_split", shell_split),
    rvalue!("squeeze", squeeze),
    function(
        "stdlib::end_with",
        &[Dispatch::new(
            "String $test_string, Variant[String[1],Array[String[1], 1]] $suffixes >> Boolean",
            |call| has_affix(call, |text, suffix| text.ends_with(suffix)),
        )],
    ),
    function("stdlib::extname", &[Dispatch::new("String $filename >> String", extname)]),
    function(
        "stdlib::start_with",
        &[Dispatch::new(
            "String $test_string, Variant[String[1],Array[String[1], 1]] $prefixes >> Boolean",
            |call| has_affix(call, |text, prefix| text.starts_with(prefix)),
        )],
    ),
    function(
        "stdlib::xml_encode",
        &[Dispatch::new("String $str, Enum['text','attr']? $type >> String", xml_encode)],
    ),
    rvalue!("unix2dos", 1, unix2dos),
    rvalue!("uriescape", |call: &Call<'_, '_>, arguments: &[Value]| {
        let Some(value) = arguments.first() else { return Err(wrong_number(call, 0, "1")) };
        map_strings(value, "uriescape(): Requires either array or string to work with", uri_escape)
    }),
];

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding and without line ends.
pub(super) fn base64_encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..4 {
            if index <= chunk.len() {
                out.push(char::from(LETTERS[(bits >> (18 - 6 * index)) as usize & 63]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

/// The bytes of a text in Base64. Invalid characters are skipped, the first `=` is the end.
fn base64_decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for &byte in text {
        if byte == b'=' {
            break;
        }
        let Some(value) = LETTERS.iter().position(|&letter| letter == byte) else { continue };
        bits = bits << 6 | value as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}

fn base64(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [action, value, rest @ ..] = arguments else {
        let given = arguments.len();
        return Err(call.fail(format!("base64(): Wrong number of arguments ({given}; must be >= 2)")));
    };
    let encodes = match action.as_str() {
        Some("encode") => true,
        Some("decode") => false,
        _ => {
            return Err(call.fail("base64(): the first argument must be one of 'encode' or 'decode'"));
        }
    };
    let Value::String(text) = value else {
        return Err(call.fail("base64(): the second argument must be a string to base64"));
    };
    let method = match rest.first() {
        None => "default",
        Some(method) => method.as_str().unwrap_or(""),
    };
    if !matches!(method, "default" | "strict" | "urlsafe") {
        let message = "base64(): the third argument must be one of 'default', 'strict', or 'urlsafe'";
        return Err(call.fail(message));
    }
    if encodes {
        let encoded = base64_encode(match call.argument(1) {
            Value::ByteString(bytes) => bytes.bytes(),
            _ => text.as_bytes(),
        });
        return Ok(match method {
            "strict" => encoded,
            "urlsafe" => encoded.replace('+', "-").replace('/', "_"),
            _ => encoded
                .as_bytes()
                .chunks(60)
                .map(|line| String::from_utf8_lossy(line).into_owned() + "\n")
                .collect(),
        }
        .into());
    }
    let decoded = match method {
        "default" => base64_decode(text.as_bytes()),
        "strict" => strict_decode(text)?,
        _ => {
            let mut text = text.as_str().replace('-', "+").replace('_', "/");
            if text.len() % 4 != 0 && !text.ends_with('=') {
                text.push_str(&"=".repeat(4 - text.len() % 4));
            }
            strict_decode(&text)?
        }
    };
    Ok(Value::byte_string(decoded))
}

fn strict_decode(text: &str) -> Result<Vec<u8>, Error> {
    if bunraku_syntax::validate::external::is_base64(text.as_bytes()) {
        Ok(base64_decode(text.as_bytes()))
    } else {
        Err(Error::argument("invalid base64"))
    }
}

fn basename(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    if arguments.len() > 2 {
        return Err(call.fail(format!("basename(): Too many arguments given ({})", arguments.len())));
    }
    let Some(path) = arguments.first() else {
        return Err(call.fail("basename(): No arguments given"));
    };
    let Value::String(path) = path else {
        return Err(call.fail("basename(): Requires string as first argument"));
    };
    let name = last_name(path);
    let suffix = match arguments.get(1) {
        None => return Ok(name.into()),
        Some(Value::String(suffix)) => suffix.as_str(),
        Some(_) => return Err(call.fail("basename(): Requires string as second argument")),
    };
    let stem = match suffix {
        ".*" => match name.rfind('.') {
            Some(at) if at > 0 => &name[..at],
            _ => name,
        },
        _ => name.strip_suffix(suffix).filter(|stem| !stem.is_empty()).unwrap_or(name),
    };
    Ok(stem.into())
}

/// `File.basename`: the part after the last slash, ignoring slashes at the end.
fn last_name(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return if path.is_empty() { "" } else { "/" };
    }
    trimmed.rsplit('/').next().unwrap_or(trimmed)
}

fn dirname(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let path = match arguments {
        [] => return Err(call.fail("dirname(): No arguments given")),
        [path] => path,
        _ => return Err(call.fail(format!("dirname(): Too many arguments given ({})", arguments.len()))),
    };
    match path {
        Value::String(path) if path.is_empty() => {
            Err(call.fail("dirname(): Requires a non-empty string as argument"))
        }
        Value::String(path) => Ok(directory(path).into()),
        _ => Err(call.fail("dirname(): Requires string as argument")),
    }
}

/// `File.dirname`
fn directory(path: &str) -> String {
    let rooted = path.starts_with('/');
    // Slashes at the start count as one.
    let body = path.trim_start_matches('/').trim_end_matches('/');
    match body.rfind('/') {
        Some(at) => {
            let body = body[..at].trim_end_matches('/');
            if rooted { format!("/{body}") } else { body.to_owned() }
        }
        None => (if rooted { "/" } else { "." }).to_owned(),
    }
}

fn extname(call: &Call<'_, '_>) -> Evaluated {
    let name = last_name(call.argument(0).as_str().unwrap_or(""));
    let stem = name.trim_start_matches('.');
    Ok(match stem.rfind('.') {
        Some(at) if at > 0 || stem.len() < name.len() => stem[at..].into(),
        _ => "".into(),
    })
}

fn has_affix(call: &Call<'_, '_>, has: fn(&str, &str) -> bool) -> Evaluated {
    let text = call.argument(0).as_str().unwrap_or("");
    Ok(match call.argument(1) {
        Value::Array(values) => values.iter().filter_map(Value::as_str).any(|affix| has(text, affix)),
        other => other.as_str().is_some_and(|affix| has(text, affix)),
    }
    .into())
}

fn batch_escape(call: &Call<'_, '_>) -> Evaluated {
    let mut out = String::from("\"");
    for character in ruby::to_s(call.argument(0)).chars() {
        match character {
            '"' => out.push_str("\"\""),
            '$' | '\\' => out.extend(['\\', character]),
            other => out.push(other),
        }
    }
    out.push('"');
    Ok(out.into())
}

fn powershell_escape(call: &Call<'_, '_>) -> Evaluated {
    let mut out = String::new();
    for character in ruby::to_s(call.argument(0)).chars() {
        match character {
            ' ' | '\'' | '`' | '|' | '\n' | '$' => out.extend(['`', character]),
            '"' => out.push_str("\\`\""),
            other => out.push(other),
        }
    }
    Ok(out.into())
}

fn shell_escape(call: &Call<'_, '_>) -> Evaluated {
    Ok(shell::escaped(&ruby::to_s(call.argument(0))).into())
}

fn shell_join(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    match arguments {
        [Value::Array(values)] => {
            let words: Vec<String> = values.iter().map(|value| shell::escaped(&ruby::to_s(value))).collect();
            Ok(words.join(" ").into())
        }
        [other] => Err(call.fail(format!("First argument is not an Array: {}", inspect(other)))),
        _ => Err(wrong_number(call, arguments.len(), "1")),
    }
}

fn shell_split(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [value] = arguments else { return Err(wrong_number(call, arguments.len(), "1")) };
    let text = ruby::to_s(value);
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars().peekable();
    let unmatched =
        || Err(Error::argument(format!("Unmatched quote: {}", inspect(&Value::from(text.as_str())))).into());
    while let Some(character) = characters.next() {
        match character {
            c if c.is_ascii() && ruby::is_space(c as u8) => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some('\'') => break,
                        Some(other) => word.push(other),
                        None => return unmatched(),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some('"') => break,
                        Some('\\') => match characters.next() {
                            Some(escaped @ ('$' | '`' | '"' | '\\' | '\n')) => word.push(escaped),
                            Some(other) => word.extend(['\\', other]),
                            None => return unmatched(),
                        },
                        Some(other) => word.push(other),
                        None => return unmatched(),
                    }
                }
            }
            '\\' => {
                let word = word.get_or_insert_default();
                match characters.next() {
                    Some('\n') => word.push_str("\\\n"),
                    Some(other) => word.push(other),
                    None => word.push('\\'),
                }
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(Value::array(words.into_iter().map(Value::from)))
}

fn squeeze(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    if !matches!(arguments.len(), 1 | 2) {
        return Err(wrong_number_plain(call, arguments.len(), "2 or 1"));
    }
    let set = match arguments.get(1).filter(|set| set.is_truthy()) {
        None => None,
        Some(Value::String(set)) => Some(CharacterSet::new(set, call.fuel())?),
        Some(other) => return Err(super::legacy::no_string(other).into()),
    };
    let body = |value: &Value| match value {
        Value::String(text) => Ok(Value::from(squeezed(text, set.as_ref(), call.fuel())?)),
        other => Err(no_method("squeeze", other)),
    };
    match arguments.first().unwrap_or(&Value::Undef) {
        Value::Array(values) => Ok(values.iter().map(body).collect::<Result<Vec<_>, _>>()?.into()),
        other => body(other),
    }
}

/// `String#squeeze`: runs of a character become one, of any or of those that a set (`a-z`, `^a`) holds.
fn squeezed(text: &str, set: Option<&CharacterSet>, fuel: &dyn Fuel) -> Result<String, Error> {
    let mut out = String::with_capacity(text.len());
    let mut previous = None;
    for piece in pieces(text, fuel) {
        for character in piece?.chars() {
            if previous != Some(character) || set.is_some_and(|set| !set.has(character)) {
                out.push(character);
            }
            previous = Some(character);
        }
    }
    Ok(out)
}

fn dos2unix(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    match arguments.first() {
        Some(Value::String(text)) => Ok(text.replace("\r\n", "\n").into()),
        _ => Err(call.fail("dos2unix(): Requires string as argument")),
    }
}

fn unix2dos(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let Some(Value::String(text)) = arguments.first() else {
        return Err(call.fail("unix2dos(): Requires string as argument"));
    };
    let lines: Vec<&str> = text.split('\n').collect();
    let last = lines.len() - 1;
    let lines: Vec<&str> = lines
        .iter()
        .enumerate()
        .map(|(index, line)| if index < last { line.trim_end_matches('\r') } else { line })
        .collect();
    Ok(lines.join("\r\n").into())
}

/// Escapes what RFC 2396 does not allow in a URI.
fn uri_escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'();/?:@&=+$,[]".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn xml_encode(call: &Call<'_, '_>) -> Evaluated {
    let text = call.argument(0).as_str().unwrap_or("");
    let attribute = call.argument(1).as_str() == Some("attr");
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if attribute => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
    Ok(if attribute { format!("\"{out}\"") } else { out }.into())
}
