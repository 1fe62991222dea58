//! Literals: numbers, strings, symbols, regular expressions, arrays, hashes, ranges.

use std::sync::Arc;

use lib_ruby_parser::{Bytes, Loc, Node as Ast, nodes};

use super::Lowering;
use crate::class::MethodOfClass;
use crate::names;
use crate::tree::{Call, Kind, Local, Node};
use bunraku_pcore::fuel::BoundedFuel;
use bunraku_pcore::number::parse_whole;
use bunraku_pcore::value::{RegexpValue, Str, Value};

impl Lowering {
    pub(super) fn literal(&mut self, ast: &Ast) -> Node {
        let loc = *ast.expression();
        let kind = match ast {
            Ast::Int(node) => match parse_whole(&node.value, 0).ok() {
                Some(Value::Integer(number)) => Kind::Integer(number),
                Some(Value::BigInteger(number)) => Kind::Big((*number).clone()),
                _ => return self.refuse(loc, "whole number of more than 100,000 digits"),
            },
            Ast::Float(node) => Kind::Float(node.value.replace('_', "").parse().unwrap_or(f64::NAN)),
            Ast::Str(node) => match self.text(loc, &node.value) {
                Some(text) => Kind::Text(text),
                None => return Node { line: self.line(loc), kind: Kind::Nil },
            },
            Ast::Dstr(node) => self.interpolated(&node.parts),
            Ast::Heredoc(node) => self.interpolated(&node.parts),
            Ast::Xstr(node) => self.command(loc, &node.parts),
            Ast::XHeredoc(node) => self.command(loc, &node.parts),
            Ast::Sym(node) => match self.text(loc, &node.name) {
                Some(text) => Kind::Symbol(text),
                None => Kind::Nil,
            },
            Ast::Dsym(node) => Kind::InterpolatedSymbol(self.all(&node.parts)),
            Ast::Regexp(node) => return self.regexp(node),
            Ast::Array(node) => Kind::Array(self.all(&node.elements)),
            Ast::Hash(node) => self.hash(&node.pairs),
            Ast::Kwargs(node) => self.hash(&node.pairs),
            Ast::Irange(node) => self.range(node.left.as_deref(), node.right.as_deref(), false),
            Ast::Erange(node) => self.range(node.left.as_deref(), node.right.as_deref(), true),
            Ast::Line(_) => Kind::Integer(i64::from(self.line(loc))),
            other => return self.refuse(loc, names::construct(other.str_type())),
        };
        self.at(loc, kind)
    }

    /// A string's text. Bytes that are not text are rejected.
    pub(super) fn text(&mut self, loc: Loc, bytes: &Bytes) -> Option<Str> {
        match std::str::from_utf8(bytes.as_raw()) {
            Ok(text) => Some(text.into()),
            Err(_) => {
                self.refuse_part(loc, "string of bytes that are not UTF-8");
                None
            }
        }
    }

    fn interpolated(&mut self, parts: &[Ast]) -> Kind {
        let all_text = parts.iter().all(|part| matches!(part, Ast::Str(_)));
        if !all_text {
            return Kind::Interpolated(self.all(parts));
        }
        let mut text = Str::new();
        for part in parts {
            if let Ast::Str(part) = part {
                text.push_str(&self.text(part.expression_l, &part.value).unwrap_or_default());
            }
        }
        Kind::Text(text)
    }

    /// A command of the shell, a call of a method whose name is its quote.
    fn command(&mut self, loc: Loc, parts: &[Ast]) -> Kind {
        let text = self.interpolated(parts);
        Kind::Call(Box::new(Call {
            receiver: None,
            name: "`".into(),
            arguments: vec![self.at(loc, text)],
            block: None,
            safe: false,
            bare: false,
            keywords: false,
            found: MethodOfClass::default(),
        }))
    }

    fn hash(&mut self, pairs: &[Ast]) -> Kind {
        let mut entries = Vec::new();
        for pair in pairs {
            match pair {
                Ast::Pair(pair) => entries.push((self.node(&pair.key), Some(self.node(&pair.value)))),
                other => entries.push((self.node(other), None)),
            }
        }
        Kind::Hash(without_doubles(entries))
    }

    fn range(&mut self, from: Option<&Ast>, to: Option<&Ast>, exclusive: bool) -> Kind {
        let from = from.map(|node| self.boxed(node));
        Kind::Range(from, to.map(|node| self.boxed(node)), exclusive)
    }

    fn regexp(&mut self, node: &nodes::Regexp) -> Node {
        let loc = node.expression_l;
        let options = match node.options.as_deref() {
            Some(Ast::RegOpt(options)) => options.options.clone().unwrap_or_default(),
            _ => String::new(),
        };
        // `o` interpolates once, `u`, `n`, `e` and `s` set the encoding: all text is UTF-8 here.
        let on: Str = ['m', 'i', 'x'].into_iter().filter(|on| options.contains(*on)).collect();
        let mut source = String::new();
        for part in &node.parts {
            match part {
                Ast::Str(part) => {
                    source.push_str(&self.text(part.expression_l, &part.value).unwrap_or_default())
                }
                _ => {
                    return Node {
                        line: self.line(loc),
                        kind: Kind::InterpolatedPattern(self.all(&node.parts), on),
                    };
                }
            }
        }
        let pattern = RegexpValue::new(with_options(&source, &on));
        if let Err(error) = pattern.regex(&BoundedFuel::default()) {
            return self.refuse(loc, format!("regular expression ({})", error.message));
        }
        self.at(loc, Kind::Pattern(Arc::new(pattern)))
    }

    /// `/(?<name>…)/ =~ text`
    pub(super) fn match_names(&mut self, pattern: &Ast, text: &Ast) -> Kind {
        let pattern = self.boxed(pattern);
        let text = self.boxed(text);
        let names: Vec<Str> = match &pattern.kind {
            Kind::Pattern(pattern) => pattern
                .regex(&BoundedFuel::default())
                .map(|regex| regex.names().iter().map(|(name, _)| Str::from(name.as_str())).collect())
                .unwrap_or_default(),
            _ => Vec::new(),
        };
        let locals: Vec<(Str, Local)> = names
            .into_iter()
            .map(|name| {
                let local = self.local(&name);
                (name, local)
            })
            .collect();
        Kind::MatchNames(pattern, text, locals)
    }
}

/// A pattern with its options written into it.
pub(crate) fn with_options(source: &str, options: &str) -> Str {
    if options.is_empty() { source.into() } else { format!("(?{options}:{source})").into() }
}

/// If a hash repeats a literal key, Ruby keeps only the last one.
fn without_doubles(entries: Vec<(Node, Option<Node>)>) -> Vec<(Node, Option<Node>)> {
    let same = |a: &Kind, b: &Kind| match (a, b) {
        (Kind::Symbol(a), Kind::Symbol(b)) | (Kind::Text(a), Kind::Text(b)) => a == b,
        (Kind::Integer(a), Kind::Integer(b)) => a == b,
        (Kind::Float(a), Kind::Float(b)) => a == b,
        (Kind::Big(a), Kind::Big(b)) => a == b,
        _ => false,
    };
    let is_last = |at: usize| {
        let Some((key, _)) = entries.get(at) else { return false };
        !entries.iter().skip(at + 1).any(|(later, _)| same(&key.kind, &later.kind))
    };
    let keep: Vec<bool> = (0..entries.len()).map(is_last).collect();
    entries.into_iter().zip(keep).filter_map(|(entry, keep)| keep.then_some(entry)).collect()
}
