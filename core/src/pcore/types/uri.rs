//! URIs as types see them: their parts by name. Follows the reference's `p_uri_type.rb`.

use crate::pcore::value::{Str, Value};

/// The names of the parts, in the reference's order.
pub const PARTS: [&str; 8] = ["scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque"];

/// A URI taken apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
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

/// A part by name, as the attributes of a URI give it; `None` for a name that is no part.
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

/// The parts that the type of a URI compares: in lower case where case does not matter, without what goes without
/// saying.
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
