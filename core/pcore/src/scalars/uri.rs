//! URIs as Ruby's library reads and writes them (RFC 3986).

use std::sync::LazyLock;

use crate::data::value::{Str, UriValue};
use crate::ruby::quote::{dump_string, inspect_string};
use bunraku_syntax::diagnostic::Error;

/// Scheme, user, host, port, path, query and fragment of a URI with or without an authority.
static GENERIC: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
    regex::Regex::new(
        r"\A(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):)?(?:(?://(?:(?P<userinfo>(?:%[0-9A-Fa-f]{2}|[!$&-.0-9:;=A-Z_a-z~])*)@)?(?P<host>\[[0-9A-Fa-f:.vV!$&-,;=_~-]+\]|(?:%[0-9A-Fa-f]{2}|[!$&-.0-9;=A-Z_a-z~])*)(?::(?P<port>[0-9]*))?(?P<abempty>(?:/(?:%[0-9A-Fa-f]{2}|[!$&-.0-9:;=@-Z_a-z~])*)*))|(?P<path>(?:%[0-9A-Fa-f]{2}|[!$&-.0-9:;=@-Z_a-z~/])*))(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>(?:%[0-9A-Fa-f]{2}|[!$&-.0-9:;=@-Z_a-z~/?])*))?\z",
    )
    .ok()
});

/// The parts of a URI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UriParts {
    pub scheme: Option<Str>,
    pub userinfo: Option<Str>,
    pub host: Option<Str>,
    pub port: Option<i64>,
    pub path: Option<Str>,
    pub query: Option<Str>,
    pub fragment: Option<Str>,
    pub opaque: Option<Str>,
}

/// The port of a scheme when none is written.
fn default_port(scheme: &str) -> Option<i64> {
    Some(match scheme {
        "ftp" => 21,
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "ldap" => 389,
        "ldaps" => 636,
        _ => return None,
    })
}

impl UriParts {
    /// Splits a URI into its parts.
    ///
    /// # Errors
    /// The text is not a URI.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if !text.is_ascii() {
            return Err(Error::argument(format!("URI must be ascii only {}", dump_string(text))));
        }
        let bad = || Error::argument(format!("bad URI(is not URI?): {}", inspect_string(text)));
        let found = GENERIC.as_ref().and_then(|regex| regex.captures(text)).ok_or_else(bad)?;
        let part = |name: &str| found.name(name).map(|m| m.as_str());
        let scheme = part("scheme").map(|scheme| Str::from(scheme.to_ascii_lowercase()));
        let path = part("path");
        if path.is_some_and(|path| path.starts_with("//")) {
            return Err(bad());
        }
        // A relative path must not look like a scheme.
        let first_segment = path.and_then(|path| path.split('/').next()).unwrap_or_default();
        if scheme.is_none() && first_segment.contains(':') {
            return Err(bad());
        }
        let port = match part("port") {
            None | Some("") => None,
            Some(digits) => Some(digits.parse().map_err(|_| bad())?),
        };
        let mut parts = Self {
            scheme,
            userinfo: part("userinfo").map(Str::from),
            host: part("host").map(Str::from),
            port,
            path: part("abempty").or(path).map(Str::from),
            query: part("query").map(Str::from),
            fragment: part("fragment").map(Str::from),
            opaque: None,
        };
        if parts.scheme.is_some() && path.is_some_and(|path| !path.is_empty() && !path.starts_with('/')) {
            let mut opaque = path.unwrap_or_default().to_string();
            if let Some(query) = parts.query.take() {
                opaque.push('?');
                opaque.push_str(&query);
            }
            parts.opaque = Some(opaque.into());
            parts.path = None;
        }
        Ok(parts)
    }

    /// Puts the parts together.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let scheme = self.scheme.as_deref().unwrap_or_default();
        if !scheme.is_empty() {
            out.push_str(scheme);
            out.push(':');
        }
        if let Some(opaque) = &self.opaque {
            out.push_str(opaque);
        } else {
            if self.host.is_some() || matches!(scheme, "file" | "postgres") {
                out.push_str("//");
            }
            if let Some(user) = &self.userinfo {
                out.push_str(user);
                out.push('@');
            }
            if let Some(host) = &self.host {
                out.push_str(host);
            }
            if let Some(port) = self.port.filter(|&port| Some(port) != default_port(scheme)) {
                out.push_str(&format!(":{port}"));
            }
            let path = self.path.as_deref().unwrap_or_default();
            if self.host.is_some() && !path.is_empty() && !path.starts_with('/') {
                out.push('/');
            }
            out.push_str(path);
            if let Some(query) = &self.query {
                out.push('?');
                out.push_str(query);
            }
        }
        if let Some(fragment) = &self.fragment {
            out.push('#');
            out.push_str(fragment);
        }
        out
    }
}

impl UriValue {
    /// Parses a URI and writes it in its normal form: scheme in lower case, without the default port.
    ///
    /// # Errors
    /// The text is not a URI.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Ok(Self { text: UriParts::parse(text)?.to_text().into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_ruby() {
        let text = |text: &str| UriValue::parse(text).map(|uri| uri.text.to_string()).ok();
        assert_eq!(text("HTTP://u@Example.com:80/a?b#c").as_deref(), Some("http://u@Example.com/a?b#c"));
        assert_eq!(text("mailto:a@b.c").as_deref(), Some("mailto:a@b.c"));
        assert_eq!(text("file:///a/b").as_deref(), Some("file:///a/b"));
        assert_eq!(text("a/b").as_deref(), Some("a/b"));
        assert_eq!(text("a b"), None);
    }
}
