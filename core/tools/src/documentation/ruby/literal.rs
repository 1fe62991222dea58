//! Literals of Ruby as documentation shows them: as they are written, escapes and all.
//!
//! Follows puppet-strings' `handlers/ruby/base.rb` with what Ripper and YARD make of strings: one in plain
//! quotes is its text, one in other delimiters has them, a heredoc is its lines.

use std::sync::LazyLock;

use lib_ruby_parser::{Loc, Node as Ast, nodes};
use regex::Regex;

use super::File;
use crate::documentation::tag::pattern;

static HEREDOC: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?m)^<?<[-~]?['"]?(\w+)['"]?[^\n]*\n?"#));

impl File<'_> {
    /// The text of a literal: a symbol, a string, a regular expression.
    pub fn literal(&self, node: &Ast) -> Option<String> {
        match node {
            Ast::Sym(nodes::Sym { begin_l, end_l, expression_l, .. }) => {
                let source = self.at(*expression_l);
                Some(match (begin_l, end_l) {
                    (Some(begin), Some(end)) => {
                        let inner = self.between(*begin, *end);
                        if inner.is_empty() { source } else { inner }.to_owned()
                    }
                    (Some(_), None) => source.strip_prefix(':').unwrap_or(source).to_owned(),
                    (None, _) => source.trim_end_matches(':').to_owned(),
                })
            }
            Ast::Dsym(nodes::Dsym { begin_l: Some(begin), end_l: Some(end), .. }) => {
                Some(self.between(*begin, *end).to_owned())
            }
            Ast::Str(nodes::Str { begin_l: Some(begin), end_l: Some(end), expression_l, .. })
            | Ast::Dstr(nodes::Dstr { begin_l: Some(begin), end_l: Some(end), expression_l, .. }) => {
                let source = self.at(*expression_l);
                let inner = self.between(*begin, *end);
                if !matches!(self.at(*begin), "'" | "\"") || inner.is_empty() {
                    return Some(lines_of_heredoc(source));
                }
                Some(match node {
                    Ast::Dstr(string) => self.first_part(string, inner),
                    _ => inner.to_owned(),
                })
            }
            Ast::Heredoc(heredoc) => Some(self.heredoc(heredoc.expression_l, heredoc.heredoc_body_l)),
            Ast::XHeredoc(_) => None,
            Ast::Regexp(regexp) => Some(self.at(regexp.expression_l).to_owned()),
            _ => None,
        }
    }

    /// A literal's text, or the source of another expression.
    pub fn literal_or_source(&self, node: &Ast) -> String {
        self.literal(node).unwrap_or_else(|| self.source(node).to_owned())
    }

    fn at(&self, place: Loc) -> &str {
        self.text.get(place.to_range()).unwrap_or_default()
    }

    fn between(&self, begin: Loc, end: Loc) -> &str {
        self.text.get(begin.end..end.begin).unwrap_or_default()
    }

    /// The part before the first interpolation, or between the first two.
    fn first_part(&self, string: &nodes::Dstr, inner: &str) -> String {
        let is_text = |part: &Ast| matches!(part, Ast::Str(_));
        let mut parts = string.parts.iter().skip_while(|part| !is_text(part));
        let Some(first) = parts.next() else { return inner.to_owned() };
        let last = parts.take_while(|part| is_text(part)).last().unwrap_or(first);
        self.text.get(first.expression().begin..last.expression().end).unwrap_or_default().to_owned()
    }

    /// A heredoc's lines. YARD counts the rest of the line on which it begins after its text, so that its
    /// source is too short by this length.
    fn heredoc(&self, begin: Loc, body: Loc) -> String {
        let rest = self.text.get(body.end..).unwrap_or_default();
        let last = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let count = |range: std::ops::Range<usize>| self.text.get(range).unwrap_or_default().chars().count();
        let length = count(begin.to_range()) + count(body.to_range()) + count(body.end..body.end + last);
        let source = self.text.get(begin.begin..).unwrap_or_default();
        let end = source.char_indices().nth(length).map_or(source.len(), |(at, _)| at);
        lines_of_heredoc(source.get(..end).unwrap_or_default())
    }
}

/// The lines between the first and the last of a text that looks like a heredoc.
fn lines_of_heredoc(source: &str) -> String {
    let Some(tag) = HEREDOC.captures(source).and_then(|found| found.get(1)) else { return source.to_owned() };
    let mut lines: Vec<&str> = source.split('\n').collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let mut tag = tag.as_str().to_owned();
    tag.pop();
    if lines.len() < 2 {
        return source.to_owned();
    }
    if lines.last().is_some_and(|line| line.contains(&tag)) {
        lines.pop();
    }
    lines.get(1..).unwrap_or_default().join("\n")
}
