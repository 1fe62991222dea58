//! URIs as types see them: their parts by name. Follows the reference's `p_uri_type.rb`.

use std::sync::{Arc, LazyLock};

use super::Type;
use crate::data::value::{Str, UriValue, Value};
use bunraku_syntax::diagnostic::Error;

/// Whether a text is an absolute URI, as far as the reference looks.
pub(crate) fn is_uri(text: &str) -> bool {
    uri_pattern().is_instance(&Value::from(text))
}

/// `Pcore::URI`
pub(crate) fn uri_pattern() -> Type {
    static PATTERN: LazyLock<Type> = LazyLock::new(|| Type::pattern([absolute_uri()]));
    PATTERN.clone()
}

/// Ruby's pattern for an absolute URI (RFC 2396), in Ruby's notation: messages show it.
fn absolute_uri() -> String {
    let character = |further: &str| format!(r"(?:[\-_.!~*'()a-zA-Z\d{further}]|%[a-fA-F\d]{{2}})");
    let scheme = r"[a-zA-Z][\-+.a-zA-Z\d]*";
    let any = character(r";/?:@&=+$,\[\]");
    let opaque = format!("{}{any}*", character(";?:@&=+$,"));
    let userinfo = format!("{}*", character(";:&=+$,"));
    let (group, v4) = (r"[a-fA-F\d]{1,4}", r"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}");
    let end = format!("(?:{group}:)*(?:{group}|{v4})");
    let v6 = format!(r"\[(?:{end}|(?:(?:{group}:)*{group})?::(?:{end})?)\]");
    let host = format!(r"(?:[a-zA-Z0-9\-.]|%\h\h)+|{v4}|{v6}");
    let registry = format!("{}+", character("$,;:@&=+"));
    let segment = format!("{0}*(?:;{0}*)*", character(":@&=+$,"));
    let path = format!(r"/{segment}(?:/{segment})*");
    let space = |columns: usize| " ".repeat(columns);
    let lines = [
        format!("({scheme}):{}(?# 1: scheme)", space(27)),
        "(?:".to_owned(),
        format!("   ({opaque}){}(?# 2: opaque)", space(20)),
        "|".to_owned(),
        "   (?:(?:".to_owned(),
        r"     //(?:".to_owned(),
        format!("         (?:(?:({userinfo})@)?{}(?# 3: userinfo)", space(8)),
        format!(r"           (?:((?:{host}))(?::(\d*))?))? (?# 4: host, 5: port)"),
        "       |".to_owned(),
        format!("         ({registry}){}(?# 6: registry)", space(17)),
        "       )".to_owned(),
        "     |".to_owned(),
        format!(r"     (?!//)){}(?# XXX: '//' is the mark for hostport)", space(27)),
        format!("     ({path})?{}(?# 7: path)", space(20)),
        format!(r"   )(?:\?({any}*))?{}(?# 8: query)", space(17)),
        ")".to_owned(),
        format!(r"(?:\#({any}*))?{}(?# 9: fragment)", space(18)),
    ];
    let lines: String = lines.iter().map(|line| format!("\n{}{line}", space(8))).collect();
    format!("(?x-mi:{lines}\n{})", space(6))
}

/// The type of `URI`'s parameter.
pub(crate) fn parameter_type() -> Type {
    static PARAMETER: LazyLock<Type> = LazyLock::new(|| {
        let text = Type::optional(Type::variant([
            Type::non_empty_string(),
            Type::any_regexp(),
            Type::type_type(Type::any_pattern()),
            Type::type_type(Type::any_enum()),
            Type::type_type(Type::any_not_undef()),
            Type::type_type(Type::undef()),
        ]));
        let number = Type::optional(Type::variant([
            Type::integer(Some(0), None),
            Type::type_type(Type::any_not_undef()),
            Type::type_type(Type::undef()),
        ]));
        let of = |name: &str| if name == "port" { number.clone() } else { text.clone() };
        let parts = Type::structure_of(PARTS.map(|name| (name, of(name), false)));
        Type::variant([Type::non_empty_string(), parts])
    });
    PARAMETER.clone()
}

/// The names of the parts, in the reference's order.
pub const PARTS: [&str; 8] = ["scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque"];

/// The parts of a URI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts<'a> {
    pub scheme: Option<&'a str>,
    pub userinfo: Option<&'a str>,
    pub host: Option<&'a str>,
    pub port: Option<u32>,
    pub path: Option<&'a str>,
    pub query: Option<&'a str>,
    pub fragment: Option<&'a str>,
    pub opaque: Option<&'a str>,
}

/// The port that a scheme has without being asked.
fn default_port(scheme: &str) -> Option<u32> {
    Some(match scheme.to_ascii_lowercase().as_str() {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "ftp" => 21,
        "ldap" => 389,
        "ldaps" => 636,
        _ => return None,
    })
}

/// Takes a URI apart as Ruby's URI library does.
pub fn split(text: &str) -> Parts<'_> {
    let mut parts = Parts::default();
    let mut rest = text;
    if let Some((before, fragment)) = rest.split_once('#') {
        (rest, parts.fragment) = (before, Some(fragment));
    }
    let scheme_end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
    if let Some(end) = scheme_end
        && rest[end..].starts_with(':')
        && rest.starts_with(|c: char| c.is_ascii_alphabetic())
    {
        parts.scheme = Some(&rest[..end]);
        rest = &rest[end + 1..];
        if !rest.starts_with('/') {
            parts.opaque = Some(rest);
            parts.port = default_port(&text[..end]);
            return parts;
        }
    }
    if let Some((before, query)) = rest.split_once('?') {
        (rest, parts.query) = (before, Some(query));
    }
    if let Some(authority) = rest.strip_prefix("//") {
        let end = authority.find('/').unwrap_or(authority.len());
        let (authority, path) = authority.split_at(end);
        rest = path;
        let host = match authority.rsplit_once('@') {
            Some((userinfo, host)) => {
                parts.userinfo = Some(userinfo);
                host
            }
            None => authority,
        };
        let port_at = host.rfind(':').filter(|&at| host[at + 1..].bytes().all(|byte| byte.is_ascii_digit()));
        parts.host = Some(match port_at {
            Some(at) => {
                parts.port = host[at + 1..].parse().ok();
                &host[..at]
            }
            None => host,
        });
    }
    parts.path = Some(rest);
    parts.port = parts.port.or_else(|| parts.scheme.and_then(default_port));
    parts
}

/// A part by name, as the attributes of a URI return it; `None` for an unknown name.
pub fn part(text: &str, name: &str) -> Option<Value> {
    let parts = split(text);
    let value = |text: Option<&str>| text.map_or(Value::Undef, Value::from);
    Some(match name {
        "scheme" => value(parts.scheme.map(str::to_ascii_lowercase).as_deref()),
        "userinfo" => value(parts.userinfo),
        "host" => value(parts.host),
        "port" => parts.port.map_or(Value::Undef, |port| Value::Integer(i64::from(port))),
        "path" => value(parts.path),
        "query" => value(parts.query),
        "fragment" => value(parts.fragment),
        "opaque" => value(parts.opaque),
        _ => return None,
    })
}

/// The parts that the type of a URI compares: in lower case where case does not matter, without what goes
/// without saying.
pub fn type_parts(text: &str) -> Vec<(Str, Value)> {
    let parts = split(text);
    let scheme = parts.scheme.map(str::to_lowercase);
    let mut result = Vec::new();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            result.push((Str::from(name), Value::from(value)));
        }
    };
    add("scheme", scheme.clone());
    add("userinfo", parts.userinfo.map(str::to_owned));
    add("host", parts.host.filter(|host| !host.is_empty()).map(str::to_lowercase));
    let goes_without_saying =
        matches!((parts.port, scheme.as_deref()), (Some(80), Some("http")) | (Some(443), Some("https")));
    add("port", parts.port.filter(|_| !goes_without_saying).map(|port| port.to_string()));
    add("path", parts.path.filter(|path| !path.is_empty()).map(str::to_owned));
    add("query", parts.query.map(str::to_owned));
    add("fragment", parts.fragment.map(str::to_owned));
    add("opaque", parts.opaque.map(str::to_owned));
    result
}

/// Joins a reference to a base, as Ruby's `URI#merge` does (RFC 2396, section 5.2).
///
/// # Errors
/// Neither has a scheme.
pub fn merge(base: &str, reference: &str) -> Result<Value, Error> {
    let relative = split(reference);
    let made = |text: String| Ok(Value::Uri(Arc::new(UriValue { text: text.into() })));
    if let Some(scheme) = relative.scheme {
        if let Some(opaque) = relative.opaque {
            return made(format!("{}:{opaque}", scheme.to_lowercase()));
        }
        let path = relative.path.filter(|path| !path.is_empty()).unwrap_or("/");
        let host = relative.host.map(str::to_lowercase);
        return made(join(scheme, &relative, host.as_deref(), path, relative.query, relative.fragment));
    }
    let parts = split(base);
    let Some(scheme) = parts.scheme else { return Err(Error::argument("both URI are relative")) };
    let path = relative.path.unwrap_or("");
    let has_authority = relative.userinfo.is_some() || relative.host.is_some() || relative.port.is_some();
    let own_path = parts.path.unwrap_or("");
    if path.is_empty() && !has_authority && relative.query.is_none() {
        let fragment = relative.fragment.or(parts.fragment);
        return made(join(scheme, &parts, parts.host, own_path, parts.query, fragment));
    }
    if has_authority {
        return made(join(scheme, &relative, relative.host, path, relative.query, relative.fragment));
    }
    let path = merge_path(own_path, path);
    made(join(scheme, &parts, parts.host, &path, relative.query, relative.fragment))
}

/// A URI from its parts; userinfo and port are those of `parts`.
fn join(
    scheme: &str,
    parts: &Parts<'_>,
    host: Option<&str>,
    path: &str,
    query: Option<&str>,
    fragment: Option<&str>,
) -> String {
    let mut text = format!("{}:", scheme.to_lowercase());
    if let Some(host) = host {
        text.push_str("//");
        if let Some(userinfo) = parts.userinfo {
            text.push_str(userinfo);
            text.push('@');
        }
        text.push_str(host);
        if let Some(port) = parts.port.filter(|&port| Some(port) != default_port(scheme)) {
            text.push_str(&format!(":{port}"));
        }
    }
    text.push_str(path);
    for (mark, part) in [('?', query), ('#', fragment)] {
        if let Some(part) = part {
            text.push(mark);
            text.push_str(part);
        }
    }
    text
}

fn merge_path(base: &str, relative: &str) -> String {
    let segments = |path: &str| -> Vec<String> {
        if path.is_empty() { Vec::new() } else { path.split('/').map(str::to_owned).collect() }
    };
    let (mut base, mut relative) = (segments(base), segments(relative));
    if base.last().is_some_and(|last| last == "..") {
        base.push(String::new());
    }
    while let Some(at) = base.iter().position(|segment| segment == "..") {
        base.drain(at.saturating_sub(1)..=at);
    }
    if relative.first().is_some_and(String::is_empty) {
        base.clear();
        relative.remove(0);
    }
    if relative.last().is_some_and(|last| last == "." || last == "..") {
        relative.push(String::new());
    }
    relative.retain(|segment| segment != ".");
    let mut rest: Vec<String> = Vec::new();
    for segment in relative {
        if segment == ".." && rest.last().is_some_and(|last| last != "..") {
            rest.pop();
        } else {
            rest.push(segment);
        }
    }
    let mut ends_with_slash = !rest.is_empty();
    if base.is_empty() {
        base.push(String::new());
    } else if ends_with_slash {
        base.pop();
    }
    let up = rest.iter().take_while(|segment| *segment == "..").count();
    for _ in 0..up {
        if base.len() > 1 {
            base.pop();
        }
    }
    if up < rest.len() {
        base.extend(rest.drain(up..));
        ends_with_slash = false;
    }
    if ends_with_slash {
        base.push(String::new());
    }
    base.join("/")
}
