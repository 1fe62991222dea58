//! Replacement texts of `sub` and `gsub`.

use indexmap::IndexMap;

use super::{Captures, Regex};
use crate::data::fuel::Fuel;
use bunraku_syntax::diagnostic::Error;

/// The replacement of a match.
#[derive(Debug)]
pub enum Replacement<'a> {
    /// A text in which `\0` to `\9`, `\&`, `` \` ``, `\'`, `\+`, `\\` and `\k<name>` are replaced with parts
    /// of the match.
    Template(&'a str),
    /// The value of the matched text in a map; empty if there is none.
    Map(&'a IndexMap<String, String>),
}

impl Replacement<'_> {
    /// Writes what replaces a match.
    pub(super) fn push(
        &self,
        regex: &Regex,
        text: &str,
        captures: &Captures,
        fuel: &dyn Fuel,
        out: &mut String,
    ) -> Result<(), Error> {
        let group = |number: usize| {
            let span = captures.get(number).copied().flatten();
            span.and_then(|(start, end)| text.get(start..end)).unwrap_or_default()
        };
        let template = match self {
            Self::Template(template) => *template,
            Self::Map(map) => {
                out.push_str(map.get(group(0)).map_or("", String::as_str));
                return Ok(());
            }
        };
        let (start, end) = captures.first().copied().flatten().unwrap_or_default();
        let mut rest = template;
        while let Some(at) = rest.find('\\') {
            fuel.check_size(out.len())?;
            out.push_str(rest.get(..at).unwrap_or_default());
            rest = rest.get(at + 1..).unwrap_or_default();
            let Some(c) = rest.chars().next() else {
                out.push('\\');
                break;
            };
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            match c {
                '0' | '&' => out.push_str(group(0)),
                // Numbers mean nothing to Ruby where groups have names.
                '1'..='9' if !regex.names().is_empty() => {}
                '1'..='9' => out.push_str(group(c as usize - '0' as usize)),
                '`' => out.push_str(text.get(..start).unwrap_or_default()),
                '\'' => out.push_str(text.get(end..).unwrap_or_default()),
                '+' => {
                    let last = captures.iter().rposition(Option::is_some).unwrap_or(0);
                    out.push_str(if last == 0 { "" } else { group(last) });
                }
                '\\' => out.push('\\'),
                'k' if rest.starts_with('<') => {
                    let Some(close) = rest.find('>') else {
                        return Err(Error::argument("invalid group name reference format"));
                    };
                    let name = rest.get(1..close).unwrap_or_default();
                    let Some(number) = regex.group(name, captures) else {
                        return Err(Error::argument(format!("undefined group name reference: {name}")));
                    };
                    out.push_str(group(number));
                    rest = rest.get(close + 1..).unwrap_or_default();
                }
                other => {
                    out.push('\\');
                    out.push(other);
                }
            }
        }
        out.push_str(rest);
        Ok(())
    }
}

/// A text in which matches are being replaced.
pub(super) struct Replaced<'r> {
    regex: &'r Regex,
    text: &'r str,
    replacement: &'r Replacement<'r>,
    fuel: &'r dyn Fuel,
    out: String,
    /// Up to where the text was taken over.
    at: usize,
}

impl<'r> Replaced<'r> {
    /// Nothing replaced yet.
    pub fn new(
        regex: &'r Regex,
        text: &'r str,
        replacement: &'r Replacement<'r>,
        fuel: &'r dyn Fuel,
    ) -> Self {
        Self { regex, text, replacement, fuel, out: String::with_capacity(text.len()), at: 0 }
    }

    /// Replaces the next match.
    pub fn add(&mut self, captures: &Captures) -> Result<(), Error> {
        let Some((start, end)) = captures.first().copied().flatten() else { return Ok(()) };
        self.out.push_str(self.text.get(self.at..start).unwrap_or_default());
        self.replacement.push(self.regex, self.text, captures, self.fuel, &mut self.out)?;
        self.at = end;
        self.fuel.check_size(self.out.len())
    }

    /// The result, with the text after the last match.
    pub fn finish(mut self) -> Result<String, Error> {
        self.out.push_str(self.text.get(self.at..).unwrap_or_default());
        self.fuel.check_size(self.out.len())?;
        Ok(self.out)
    }
}
