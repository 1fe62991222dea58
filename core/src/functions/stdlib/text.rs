//! Texts, truth and numbers: from `any2bool` to `uriescape`.

use md5::{Digest, Md5};

use super::super::random::Random;
use super::super::{ruby, variable};
use super::{arguments, refuse, value};
use crate::diagnostic::Error;
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use crate::pcore::Value;
use crate::pcore::regexp::{self, Regex};

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    value!("any2bool", -1, any2bool),
    value!("basename", -1, basename),
    value!("bool2num", -1, bool2num),
    value!("bool2str", -1, bool2str),
    value!("clamp", -2, clamp),
    value!("dirname", -1, dirname),
    value!("dos2unix", 1, |call| line_ends(call, |text| text.replace("\r\n", "\n"))),
    value!("enclose_ipv6", -1, enclose_ipv6),
    value!("fqdn_rotate", -1, fqdn_rotate),
    value!("grep", -1, |call| by_pattern(call, true)),
    value!("num2bool", -1, num2bool),
    value!("regexpescape", -1, |call| escaped(call, regexp::escape)),
    value!("reject", -1, |call| by_pattern(call, false)),
    value!("seeded_rand", 2, seeded_rand),
    value!("shell_join", -1, shell_join),
    value!("squeeze", -1, squeeze),
    value!("str2bool", -1, str2bool),
    value!("swapcase", -1, |call| escaped(call, swapcase)),
    value!("to_bytes", -1, to_bytes),
    value!("unix2dos", 1, |call| line_ends(call, to_dos)),
    value!("uriescape", -1, |call| escaped(call, uri_escape)),
    BuiltIn::new("batch_escape", &[Dispatch::new("Any $string", batch_escape)]).of_module("stdlib"),
    BuiltIn::new("powershell_escape", &[Dispatch::new("Any $string", powershell_escape)]).of_module("stdlib"),
    BuiltIn::new(
        "shell_escape",
        &[Dispatch::new("Any $string", |call| Ok(shell_escape(&ruby::to_s(call.argument(0))).into()))],
    )
    .of_module("stdlib"),
    BuiltIn::new("to_json", &[Dispatch::new("Any $data", to_json)]).of_module("stdlib"),
    BuiltIn::new(
        "stdlib::extname",
        &[Dispatch::new("String $filename", |call| Ok(extension(call.text(0)).into()))],
    )
    .of_module("stdlib"),
    BuiltIn::new(
        "stdlib::start_with",
        &[Dispatch::new(
            "String[1] $test_string, Variant[String[1],Array[String[1], 1]] $prefixes",
            |call| Ok(affixes(call).any(|affix| call.text(0).starts_with(affix)).into()),
        )],
    )
    .of_module("stdlib"),
    BuiltIn::new(
        "stdlib::end_with",
        &[Dispatch::new(
            "String[1] $test_string, Variant[String[1],Array[String[1], 1]] $suffixes",
            |call| Ok(affixes(call).any(|affix| call.text(0).ends_with(affix)).into()),
        )],
    )
    .of_module("stdlib"),
];

fn affixes<'a>(call: &'a Call<'_, '_>) -> impl Iterator<Item = &'a str> {
    let values = match call.argument(1) {
        Value::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    };
    values.iter().filter_map(Value::as_str)
}

/// Truth as `str2bool` reads it.
pub(super) fn to_boolean(value: &Value) -> Evaluated<bool> {
    let text = match value {
        Value::Boolean(truth) => return Ok(*truth),
        Value::String(text) => text,
        _ => return Err(refuse("str2bool(): Requires string to work with")),
    };
    let is_line =
        |words: &[&str]| text.split('\n').any(|line| words.iter().any(|w| line.eq_ignore_ascii_case(w)));
    if is_line(&[""]) {
        Ok(false)
    } else if is_line(&["1", "t", "y", "true", "yes"]) {
        Ok(true)
    } else if is_line(&["0", "f", "n", "false", "no"])
        || text.split('\n').any(|l| l == "undef" || l == "undefined")
    {
        Ok(false)
    } else {
        Err(refuse("str2bool(): Unknown type of boolean given"))
    }
}

fn str2bool(call: &Call<'_, '_>) -> Evaluated {
    let arguments = arguments(call, |count| count > 0, "1")?;
    Ok(to_boolean(arguments.first().unwrap_or(&Value::Undef))?.into())
}

fn bool2num(call: &Call<'_, '_>) -> Evaluated {
    let arguments = arguments(call, |count| count > 0, "1")?;
    Ok(Value::Integer(i64::from(to_boolean(arguments.first().unwrap_or(&Value::Undef))?)))
}

fn bool2str(call: &Call<'_, '_>) -> Evaluated {
    let arguments = arguments(call, |count| count == 1 || count == 3, "3")?;
    let Some(Value::Boolean(truth)) = arguments.first() else {
        return Err(refuse("bool2str(): Requires a boolean to work with"));
    };
    let text = |at: usize, default: &str| match arguments.get(at) {
        None | Some(Value::Undef | Value::Boolean(false)) => Some(default.into()),
        Some(text @ Value::String(_)) => Some(text.clone()),
        Some(_) => None,
    };
    match (text(1, "true"), text(2, "false")) {
        (Some(yes), Some(no)) => Ok(if *truth { yes } else { no }),
        _ => Err(refuse("bool2str(): Requires strings to convert to")),
    }
}

fn number_to_boolean(value: &Value) -> Evaluated<bool> {
    let number = match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        Value::String(text) => ruby::float(text).ok_or_else(|| {
            refuse(format!(
                "num2bool(): '{text}' does not look like a number: invalid value for Float(): {text:?}"
            ))
        })?,
        other => ruby::to_f(&ruby::to_s(other)),
    };
    Ok(number >= 1.0)
}

fn num2bool(call: &Call<'_, '_>) -> Evaluated {
    let arguments = arguments(call, |count| count == 1, "1")?;
    Ok(number_to_boolean(arguments.first().unwrap_or(&Value::Undef))?.into())
}

fn any2bool(call: &Call<'_, '_>) -> Evaluated {
    let arguments = arguments(call, |count| count > 0, "1")?;
    let truth = match arguments.first() {
        Some(Value::Boolean(truth)) => *truth,
        None | Some(Value::Undef) => false,
        Some(number @ (Value::Integer(_) | Value::Float(_))) => number_to_boolean(number)?,
        Some(text @ Value::String(string)) => {
            if ruby::float(string).is_some() {
                number_to_boolean(text)?
            } else {
                to_boolean(text)?
            }
        }
        Some(_) => true,
    };
    Ok(truth.into())
}

/// The last name of a path (`File.basename`).
fn last_name(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" if path.is_empty() => "",
        "" => "/",
        trimmed => trimmed.rsplit('/').next().unwrap_or(trimmed),
    }
}

/// What is left of a path without its last name (`File.dirname`).
fn directory(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some((directory, _)) if directory.trim_end_matches('/').is_empty() => "/",
        Some((directory, _)) => directory.trim_end_matches('/'),
        None if path.starts_with('/') => "/",
        None => ".",
    }
}

/// The extension of a path with its dot (`File.extname`).
fn extension(path: &str) -> &str {
    let name = last_name(path).trim_start_matches('.');
    match name.rfind('.') {
        Some(at) if at + 1 < name.len() && at > 0 => &name[at..],
        _ => "",
    }
}

fn basename(call: &Call<'_, '_>) -> Evaluated {
    let name = match call.arguments {
        [] => return Err(refuse("basename(): No arguments given")),
        [Value::String(path)] => last_name(path),
        [Value::String(path), Value::String(suffix)] => {
            let name = last_name(path);
            match suffix.as_str() {
                ".*" => name.strip_suffix(extension(name)).unwrap_or(name),
                suffix => name.strip_suffix(suffix).filter(|rest| !rest.is_empty()).unwrap_or(name),
            }
        }
        [Value::String(_), _] => return Err(refuse("basename(): Requires string as second argument")),
        [_] | [_, _] => return Err(refuse("basename(): Requires string as first argument")),
        more => return Err(refuse(format!("basename(): Too many arguments given ({})", more.len()))),
    };
    Ok(name.into())
}

fn dirname(call: &Call<'_, '_>) -> Evaluated {
    match call.arguments {
        [] => Err(refuse("dirname(): No arguments given")),
        [Value::String(path)] if path.is_empty() => {
            Err(refuse("dirname(): Requires a non-empty string as argument"))
        }
        [Value::String(path)] => Ok(directory(path).into()),
        [_] => Err(refuse("dirname(): Requires string as argument")),
        more => Err(refuse(format!("dirname(): Too many arguments given ({})", more.len()))),
    }
}

fn clamp(call: &Call<'_, '_>) -> Evaluated {
    let values = ruby::flatten(call.arguments);
    if values.len() != 3 {
        return Err(refuse("clamp(): Wrong number of arguments, need three to clamp"));
    }
    let mut numbers = Vec::new();
    for value in &values {
        let text = ruby::to_s(value);
        match value {
            Value::String(digits) if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) => {
                return Err(refuse(format!("clamp(): Required explicit numeric ({text}:String)")));
            }
            Value::Hash(_) => return Err(refuse(format!("clamp(): The Hash type is not allowed ({text})"))),
            Value::Float(number) => numbers.push(*number as i64),
            _ => {
                let number = ruby::to_i(&text).and_then(|number| i64::try_from(number).ok());
                numbers.push(number.unwrap_or_default());
            }
        }
    }
    numbers.sort_unstable();
    Ok(numbers.get(1).copied().map_or(Value::Undef, Value::Integer))
}

fn line_ends(call: &Call<'_, '_>, convert: fn(&str) -> String) -> Evaluated {
    match call.argument(0) {
        Value::String(text) => Ok(convert(text).into()),
        _ => Err(refuse(format!("{}(): Requires string as argument", call.name))),
    }
}

fn to_dos(text: &str) -> String {
    let mut lines = text.split('\n').peekable();
    let mut out = String::new();
    while let Some(line) = lines.next() {
        if lines.peek().is_some() {
            out.push_str(line.trim_end_matches('\r'));
            out.push_str("\r\n");
        } else {
            out.push_str(line);
        }
    }
    out
}

fn enclose_ipv6(call: &Call<'_, '_>) -> Evaluated {
    let values = match call.arguments {
        [Value::String(_)] => call.arguments,
        [Value::Array(values)] => values.as_slice(),
        [other] => {
            let class = ruby::class_name(other);
            return Err(refuse(format!(
                "enclose_ipv6(): Wrong argument type given {class} expected String or Array"
            )));
        }
        more => {
            let count = more.len();
            return Err(refuse(format!("enclose_ipv6(): Wrong number of arguments given {count} for 1")));
        }
    };
    let mut enclosed: Vec<Value> = Vec::new();
    for value in ruby::flatten(values) {
        let text = match &value {
            Value::Undef => continue,
            other => ruby::to_s(other),
        };
        let shown = match text.parse::<std::net::IpAddr>() {
            _ if text == "*" => text,
            Ok(std::net::IpAddr::V6(address)) => format!("[{address}]"),
            Ok(std::net::IpAddr::V4(_)) => text,
            Err(_) => {
                let message = format!("enclose_ipv6(): Wrong argument given {text} is not an ip address.");
                return Err(refuse(message));
            }
        };
        let shown = Value::from(shown);
        if !enclosed.contains(&shown) {
            enclosed.push(shown);
        }
    }
    Ok(enclosed.into())
}

/// A number below a limit, made of the digest of a text.
fn number_from(text: &str, limit: u64) -> u64 {
    let words: Vec<u32> = Md5::digest(text.as_bytes())
        .rchunks(4)
        .map(|chunk| chunk.iter().fold(0, |word, &byte| word << 8 | u32::from(byte)))
        .collect();
    Random::new(&words).up_to(limit.saturating_sub(1))
}

fn fqdn_rotate(call: &Call<'_, '_>) -> Evaluated {
    let Some((value, seeds)) = call.arguments.split_first() else {
        return Err(refuse("fqdn_rotate(): Wrong number of arguments given (0 for 1)"));
    };
    let mut values = match value {
        Value::Array(values) => values.to_vec(),
        Value::String(text) => text.chars().map(|c| Value::String(c.into())).collect(),
        _ => return Err(refuse("fqdn_rotate(): Requires either array or string to work with")),
    };
    if values.len() > 1 {
        let fqdn = variable(call, "::fqdn")?.unwrap_or_default();
        let text = ruby::join(&[fqdn, seeds.to_vec().into()], ":");
        let offset = number_from(&text, values.len() as u64) as usize;
        values.rotate_left(offset);
    }
    Ok(match value {
        Value::String(_) => ruby::join(&values, "").into(),
        _ => values.into(),
    })
}

fn seeded_rand(call: &Call<'_, '_>) -> Evaluated {
    let max = match call.argument(0) {
        Value::Integer(max) => Some(*max),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    let Some(max) = max.filter(|&max| max > 0) else {
        return Err(call.fail("seeded_rand(): first argument must be a positive integer"));
    };
    let Value::String(seed) = call.argument(1) else {
        return Err(call.fail("seeded_rand(): second argument must be a string"));
    };
    Ok(Value::Integer(number_from(seed, max.unsigned_abs()) as i64))
}

fn by_pattern(call: &Call<'_, '_>, keeps: bool) -> Evaluated {
    let [Value::Array(values), Value::String(pattern)] = call.arguments else {
        let (name, count) = (call.name, call.arguments.len());
        return Err(refuse(format!("{name}(): Wrong number of arguments given {count} for 2")));
    };
    let pattern = Regex::new(pattern).map_err(Error::argument)?;
    let mut kept = Vec::new();
    for value in &**values {
        let is_match = match value {
            Value::String(text) => pattern.is_match(text)?,
            _ => false,
        };
        if is_match == keeps {
            kept.push(value.clone());
        }
    }
    Ok(kept.into())
}

/// A function of a string, or of the strings in an array.
fn escaped(call: &Call<'_, '_>, convert: fn(&str) -> String) -> Evaluated {
    let arguments = arguments(call, |count| count > 0, "1")?;
    match arguments.first() {
        Some(Value::String(text)) => Ok(convert(text).into()),
        Some(Value::Array(values)) => Ok(Value::array(values.iter().map(|value| match value {
            Value::String(text) => convert(text).into(),
            other => other.clone(),
        }))),
        _ => Err(refuse(format!("{}(): Requires either array or string to work with", call.name))),
    }
}

fn swapcase(text: &str) -> String {
    let swap = |c: char| -> String {
        if c.is_uppercase() { c.to_lowercase().collect() } else { c.to_uppercase().collect() }
    };
    text.chars().map(swap).collect()
}

fn uri_escape(text: &str) -> String {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.!~*'();/?:@&=+$,[]".contains(&byte);
    let escape = |byte: u8| if is_safe(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(escape).collect()
}

/// A word of a shell (`Shellwords.escape`).
fn shell_escape(text: &str) -> String {
    if text.is_empty() {
        return "''".to_owned();
    }
    let mut out = String::new();
    for character in text.chars() {
        let is_safe = character.is_ascii_alphanumeric() || "_-.,:+/@\n".contains(character);
        match character {
            '\n' => out.push_str("'\n'"),
            _ if is_safe => out.push(character),
            _ => out.extend(['\\', character]),
        }
    }
    out
}

fn shell_join(call: &Call<'_, '_>) -> Evaluated {
    let arguments = arguments(call, |count| count == 1, "1")?;
    let Some(Value::Array(words)) = arguments.first() else {
        let text = crate::pcore::format::inspect(call.argument(0));
        return Err(refuse(format!("First argument is not an Array: {text}")));
    };
    let words: Vec<String> = words.iter().map(|word| shell_escape(&ruby::to_s(word))).collect();
    Ok(words.join(" ").into())
}

fn batch_escape(call: &Call<'_, '_>) -> Evaluated {
    let mut out = String::from("\"");
    for character in ruby::to_s(call.argument(0)).chars() {
        match character {
            '"' => out.push_str("\"\""),
            '$' | '\\' => out.extend(['\\', character]),
            _ => out.push(character),
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
            _ => out.push(character),
        }
    }
    Ok(out.into())
}

fn squeeze(call: &Call<'_, '_>) -> Evaluated {
    let (value, set) = match call.arguments {
        [value] => (value, None),
        [value, set] => (value, set.as_str()),
        more => {
            let count = more.len();
            return Err(refuse(format!("squeeze(): Wrong number of arguments given {count} for 2 or 1")));
        }
    };
    let squeeze = |text: &str| {
        let mut out = String::new();
        for character in text.chars() {
            let squeezes = set.is_none_or(|set| set.contains(character));
            if !(squeezes && out.ends_with(character)) {
                out.push(character);
            }
        }
        Value::from(out)
    };
    match value {
        Value::Array(values) => Ok(Value::array(values.iter().map(|value| match value {
            Value::String(text) => squeeze(text),
            other => other.clone(),
        }))),
        Value::String(text) => Ok(squeeze(text)),
        other => {
            let class = ruby::class_name(other);
            Err(Error::internal(format!("undefined method `squeeze' for {class}")).into())
        }
    }
}

fn to_bytes(call: &Call<'_, '_>) -> Evaluated {
    let arguments = arguments(call, |count| count == 1, "1")?;
    let text = match arguments.first() {
        Some(number @ (Value::Integer(_) | Value::Float(_))) => return Ok(number.clone()),
        Some(Value::String(text)) => text.clone(),
        _ => return Err(Error::internal("no implicit conversion into String").into()),
    };
    let is_number = |c: char| c.is_ascii_digit() || ".e+-".contains(c);
    let end = text.find(|c| !is_number(c)).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim_start().chars().next().filter(|unit| !unit.eq_ignore_ascii_case(&'b'));
    let power = match unit {
        None => 0,
        Some('k') => 10,
        Some('M') => 20,
        Some('G') => 30,
        Some('T') => 40,
        Some('P') => 50,
        Some('E') => 60,
        Some(other) => return Err(refuse(format!("to_bytes(): Unknown prefix {other}"))),
    };
    Ok(Value::Integer((ruby::to_f(number) * 2_f64.powi(power)) as i64))
}

fn to_json(call: &Call<'_, '_>) -> Evaluated {
    fn json(value: &Value) -> serde_json::Value {
        match value {
            Value::Undef => serde_json::Value::Null,
            Value::Boolean(truth) => (*truth).into(),
            Value::Integer(number) => (*number).into(),
            Value::Float(number) => (*number).into(),
            Value::Array(values) => values.iter().map(json).collect(),
            Value::Hash(hash) => hash.iter().map(|(key, value)| (ruby::to_s(key), json(value))).collect(),
            other => ruby::to_s(other).into(),
        }
    }
    Ok(json(call.argument(0)).to_string().into())
}
