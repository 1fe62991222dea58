//! Parts of Ruby's library: `File`, `JSON`, `ERB::Util`, `CGI`, `URI`, `Base64`, `Shellwords`,
//! digests.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose;
use md5::Digest as _;

use super::{ANY, Args, Method, R, Run, Str, Val, class, method};
use crate::interpreter::Interpreter;
use bunraku_pcore::shell;

/// The bytes of a string.
pub(super) fn bytes_of<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, Vec<u8>> {
    match value {
        Val::Bytes(bytes) => Ok(bytes.to_vec()),
        other => Ok(i.str(other)?.as_bytes().to_vec()),
    }
}

/// A string of bytes, as text when they are text.
pub(super) fn string_of<'a>(i: &Interpreter<'a>, bytes: Vec<u8>) -> Val<'a> {
    // Ruby shows control characters differently in text that it knows to be bytes.
    let is_odd = |byte: &u8| matches!(byte, 0..=6 | 0xe..=0x1a | 0x1c..=0x1f | 0x7f);
    match String::from_utf8(bytes) {
        Ok(text) if text.bytes().any(|byte| is_odd(&byte)) => i.heap.bytes(text.into_bytes()),
        Ok(text) => i.string(text),
        Err(error) => i.heap.bytes(error.into_bytes()),
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// `unpack` and `unpack1` with one of the directives `H*`, `C*`, `m`, `a*`.
pub(super) fn unpack<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let directive = i.str(args.at(0))?;
    let bytes = bytes_of(i, this)?;
    let value = match directive.as_str() {
        "H*" => i.string(hex(&bytes)),
        "C*" => return Ok(i.array(bytes.into_iter().map(|byte| Val::Integer(i64::from(byte))).collect())),
        "m" | "m0" => {
            let text: Vec<u8> = bytes.into_iter().filter(|byte| !byte.is_ascii_whitespace()).collect();
            let decoded = general_purpose::STANDARD.decode(text).unwrap_or_default();
            string_of(i, decoded)
        }
        "a*" if bytes.is_ascii() => this,
        other => return Err(i.unsupported(format!("unpack with {other}"))),
    };
    Ok(i.array(vec![value]))
}

/// `pack` with one of the directives `m0`, `m`, `H*`, `C*`, `U*`.
pub(super) fn pack<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let directive = i.str(args.at(0))?;
    let values = i.elements(this)?;
    let first = values.first().copied().unwrap_or(Val::Nil);
    match directive.as_str() {
        "m0" | "m" => {
            let encoded = general_purpose::STANDARD.encode(bytes_of(i, first)?);
            Ok(i.string(if directive == "m" { in_lines(&encoded) } else { encoded }))
        }
        "H*" => {
            let digits = i.str(first)?;
            let bytes = digits.as_bytes().chunks(2).map(|pair| {
                let pair = std::str::from_utf8(pair).unwrap_or("0");
                u8::from_str_radix(pair, 16).unwrap_or(0) << (4 * (2 - pair.len().min(2)))
            });
            let bytes = bytes.collect();
            Ok(string_of(i, bytes))
        }
        "C*" | "c*" => {
            let bytes = values
                .into_iter()
                .map(|value| match value {
                    Val::Integer(number) => Ok(number as u8),
                    _ => Err(i.unsupported("pack of such a value")),
                })
                .collect::<Run<'_, Vec<_>>>()?;
            Ok(string_of(i, bytes))
        }
        "U*" => {
            let mut out = String::new();
            for value in values {
                let Val::Integer(code) = value else { return Err(i.unsupported("pack of such a value")) };
                match u32::try_from(code).ok() {
                    None => return Err(i.raise(&class::RANGE_ERROR, "pack(U): value out of range")),
                    Some(code) => match char::from_u32(code) {
                        Some(character) => out.push(character),
                        None => return Err(i.unsupported("pack of what is no character")),
                    },
                }
            }
            Ok(i.string(out))
        }
        other => Err(i.unsupported(format!("pack with {other}"))),
    }
}

/// Base64 in lines of 60 characters.
fn in_lines(encoded: &str) -> String {
    let mut out = String::new();
    for line in encoded.as_bytes().chunks(60) {
        out.push_str(std::str::from_utf8(line).unwrap_or_default());
        out.push('\n');
    }
    out
}

/// Base name of a path.
fn base(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    match trimmed.rsplit('/').next() {
        Some("") | None if !path.is_empty() => "/",
        name => name.unwrap_or_default(),
    }
}

fn directory(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    let parent = match trimmed.rfind('/') {
        Some(at) => trimmed.get(..at).unwrap_or_default(),
        None if trimmed.is_empty() && !path.is_empty() => "",
        None => return ".",
    };
    let parent = parent.trim_end_matches('/');
    // Of several slashes at the start, one is kept.
    let several = parent.len() - parent.trim_start_matches('/').len();
    if parent.is_empty() { "/" } else { parent.get(several.saturating_sub(1)..).unwrap_or(parent) }
}

fn extension(path: &str) -> &str {
    let name = base(path);
    match name.rfind('.') {
        Some(at) if name.get(..at).is_some_and(|before| before.contains(|c| c != '.')) => {
            name.get(at..).unwrap_or_default()
        }
        _ => "",
    }
}

/// A path joined, with `.` and `..` resolved.
pub(crate) fn expanded(path: &str, base: &str) -> String {
    let whole = if path.starts_with('/') { path.to_owned() } else { format!("{base}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// `File.join`: lists are joined first; of the separators between two parts, those of the second are kept, or
/// else those of the first, or else there is one.
fn joined<'a>(i: &mut Interpreter<'a>, values: &[Val<'a>], around: &mut Vec<usize>) -> Run<'a, String> {
    let mut out = String::new();
    for (at, value) in values.iter().enumerate() {
        let part = match value {
            Val::Array(list) => {
                i.go_inside(*value, around, "recursive array")?;
                let part = joined(i, &list.now(), around)?;
                around.pop();
                part.into()
            }
            value => i.str(*value)?,
        };
        if at > 0 && part.starts_with('/') {
            out.truncate(out.trim_end_matches('/').len());
        } else if at > 0 && !out.ends_with('/') {
            out.push('/');
        }
        out.push_str(&part);
    }
    Ok(out)
}

pub(crate) static FILE: &[Method] = &[
    method("new", 1, ANY, |i, this, args| {
        i.load_prelude_of("File")?;
        i.send_with(this, "__new", args)
    }),
    method("join", 0, ANY, |i, _, args| {
        let path = joined(i, args.values, &mut Vec::new())?;
        Ok(i.string(path))
    }),
    method("basename", 1, 2, |i, _, args| {
        let path = i.str(args.at(0))?;
        let name = base(&path);
        let name = match args.get(1) {
            Some(end) => {
                let end = i.str(end)?;
                let end = if end == ".*" { extension(name) } else { end.as_str() };
                // A name is not its own ending.
                name.strip_suffix(end).filter(|name| !name.is_empty()).unwrap_or(name)
            }
            None => name,
        };
        Ok(i.string(name))
    }),
    method("dirname", 1, 1, |i, _, args| {
        let path = i.str(args.at(0))?;
        Ok(i.string(directory(&path)))
    }),
    method("extname", 1, 1, |i, _, args| {
        let path = i.str(args.at(0))?;
        Ok(i.string(extension(&path)))
    }),
    method("split", 1, 1, |i, _, args| {
        let path = i.str(args.at(0))?;
        let parts = vec![i.string(directory(&path)), i.string(base(&path))];
        Ok(i.array(parts))
    }),
    method("expand_path absolute_path", 1, 2, |i, _, args| {
        let path = i.str(args.at(0))?;
        let from = match args.get(1) {
            Some(from) => i.str(from)?,
            None => Str::from("/"),
        };
        Ok(i.string(expanded(&path, &from)))
    }),
    method("exist? exists?", 1, 1, |i, _, args| {
        let path = i.str(args.at(0))?;
        Ok(Val::Boolean(i.world.file_kind(&path).is_some()))
    }),
    method("file? readable?", 1, 1, |i, _, args| {
        let path = i.str(args.at(0))?;
        Ok(Val::Boolean(i.world.file_kind(&path) == Some(false)))
    }),
    method("directory?", 1, 1, |i, _, args| {
        let path = i.str(args.at(0))?;
        Ok(Val::Boolean(i.world.file_kind(&path) == Some(true)))
    }),
    method("read", 1, 2, |i, _, args| {
        let path = i.str(args.at(0))?;
        match i.world.read_file(&path).map_err(|error| i.fail(error))? {
            Some(text) => Ok(i.string(text)),
            None => Err(i.raise(&class::ENOENT, format!("No such file or directory @ rb_sysopen - {path}"))),
        }
    }),
];

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

fn percent(text: &str, plain: &[u8], space: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            byte if byte.is_ascii_alphanumeric() || plain.contains(&byte) => out.push(byte as char),
            b' ' if !space.is_empty() => out.push_str(space),
            byte => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

fn unpercent(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        let code = text.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (byte, code) {
            (b'%', Some(code)) => {
                out.push(code);
                at += 3;
            }
            (b'+', _) => {
                out.push(b' ');
                at += 1;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

fn html<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>) -> R<'a> {
    let text = i.to_s(args.at(0))?;
    Ok(i.string(escaped(&text)))
}

pub(crate) static ERB_UTIL: &[Method] = &[
    method("html_escape h", 1, 1, |i, _, args| html(i, args)),
    method("url_encode u", 1, 1, |i, _, args| {
        let text = i.to_s(args.at(0))?;
        Ok(i.string(percent(&text, b"_-.~", "")))
    }),
];

pub(crate) static CGI: &[Method] = &[
    method("escapeHTML escape_html h", 1, 1, |i, _, args| html(i, args)),
    method("escape", 1, 1, |i, _, args| {
        let text = i.str(args.at(0))?;
        Ok(i.string(percent(&text, b"_-.*~", "+")))
    }),
    method("unescape", 1, 1, |i, _, args| {
        let text = i.str(args.at(0))?;
        Ok(string_of(i, unpercent(&text)))
    }),
];

pub(crate) static URI: &[Method] = &[
    method("encode_www_form_component", 1, 1, |i, _, args| {
        let text = i.to_s(args.at(0))?;
        Ok(i.string(percent(&text, b"_-.*", "+")))
    }),
    method("decode_www_form_component", 1, 1, |i, _, args| {
        let text = i.str(args.at(0))?;
        Ok(string_of(i, unpercent(&text)))
    }),
];

fn strictly_decoded<'a>(i: &mut Interpreter<'a>, text: Vec<u8>) -> R<'a> {
    match general_purpose::STANDARD.decode(text) {
        Ok(bytes) => Ok(string_of(i, bytes)),
        Err(_) => Err(i.raise(&class::ARGUMENT_ERROR, "invalid base64")),
    }
}

pub(crate) static BASE64: &[Method] = &[
    method("strict_encode64", 1, 1, |i, _, args| {
        let bytes = bytes_of(i, args.at(0))?;
        Ok(i.string(general_purpose::STANDARD.encode(bytes)))
    }),
    method("encode64", 1, 1, |i, _, args| {
        let bytes = bytes_of(i, args.at(0))?;
        Ok(i.string(in_lines(&general_purpose::STANDARD.encode(bytes))))
    }),
    method("urlsafe_encode64", 1, 2, |i, _, args| {
        let bytes = bytes_of(i, args.at(0))?;
        Ok(i.string(general_purpose::URL_SAFE.encode(bytes)))
    }),
    method("decode64", 1, 1, |i, _, args| {
        let text: Vec<u8> =
            bytes_of(i, args.at(0))?.into_iter().filter(|byte| !byte.is_ascii_whitespace()).collect();
        match general_purpose::STANDARD.decode(text) {
            Ok(bytes) => Ok(string_of(i, bytes)),
            // Ruby decodes as much of it as it can.
            Err(_) => Err(i.unsupported("decode64 of what is no base64")),
        }
    }),
    method("strict_decode64", 1, 1, |i, _, args| {
        let text = bytes_of(i, args.at(0))?;
        strictly_decoded(i, text)
    }),
    method("urlsafe_decode64", 1, 1, |i, _, args| {
        let mut text = bytes_of(i, args.at(0))?;
        for byte in &mut text {
            match *byte {
                b'-' => *byte = b'+',
                b'_' => *byte = b'/',
                _ => {}
            }
        }
        if text.last() != Some(&b'=') {
            text.resize(text.len().next_multiple_of(4), b'=');
        }
        strictly_decoded(i, text)
    }),
];

pub(crate) static SHELLWORDS: &[Method] = &[
    method("escape shellescape", 1, 1, |i, _, args| {
        let text = i.to_s(args.at(0))?;
        Ok(i.string(shell::escaped(&text)))
    }),
    method("join shelljoin", 1, 1, |i, _, args| {
        let mut words = Vec::new();
        for word in i.elements(args.at(0))? {
            words.push(shell::escaped(&i.to_s(word)?));
        }
        Ok(i.string(words.join(" ")))
    }),
];

/// The methods of a class of digests.
macro_rules! digest {
    ($name:ident, $hasher:ty) => {
        pub(crate) static $name: &[Method] = &[
            method("hexdigest", 1, 1, |i, _, args| {
                let bytes = bytes_of(i, args.at(0))?;
                Ok(i.string(hex(&<$hasher>::digest(bytes))))
            }),
            method("digest", 1, 1, |i, _, args| {
                let bytes = bytes_of(i, args.at(0))?;
                Ok(i.heap.bytes(<$hasher>::digest(bytes).to_vec()))
            }),
            method("base64digest", 1, 1, |i, _, args| {
                let bytes = bytes_of(i, args.at(0))?;
                Ok(i.string(general_purpose::STANDARD.encode(<$hasher>::digest(bytes))))
            }),
        ];
    };
}

digest!(MD5, md5::Md5);
digest!(SHA1, sha1::Sha1);
digest!(SHA256, sha2::Sha256);
digest!(SHA512, sha2::Sha512);
