//! The values of literal expressions, by which the keys of hashes are compared. Follows the reference's
//! `pops/evaluator/literal_evaluator.rb`.

use std::borrow::Cow;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::super::ast::{List, Node, NodeId, Program};
use super::super::pattern;
use super::super::pn::ruby_float;

/// The value of a literal expression, with Ruby's equality.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Literal<'p> {
    Nil,
    Default,
    Boolean(bool),
    Integer(i64),
    Float(Float),
    String(Cow<'p, str>),
    Regexp(&'p str),
    Array(Vec<Literal<'p>>),
    Hash(IndexMap<Literal<'p>, Literal<'p>>),
}

/// A number that keeps the sign of a zero, which does not count for equality.
#[derive(Clone, Copy, Debug)]
pub(super) struct Float(f64);

impl Float {
    fn bits(self) -> u64 {
        if self.0 == 0.0 { 0 } else { self.0.to_bits() }
    }
}

impl PartialEq for Float {
    fn eq(&self, other: &Self) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for Float {}

impl Hash for Literal<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Literal::Nil | Literal::Default => {}
            Literal::Boolean(value) => value.hash(state),
            Literal::Integer(value) => value.hash(state),
            Literal::Float(number) => number.bits().hash(state),
            Literal::String(text) => text.hash(state),
            Literal::Regexp(pattern) => pattern.hash(state),
            Literal::Array(members) => members.hash(state),
            // The order of the entries does not matter.
            Literal::Hash(pairs) => {
                pairs.iter().fold(0, |all, pair| all ^ FxBuildHasher.hash_one(pair)).hash(state);
            }
        }
    }
}

impl Literal<'_> {
    pub(super) fn is_nil(&self) -> bool {
        matches!(self, Literal::Nil)
    }
}

/// The value of an expression, if it is a literal.
pub(super) fn literal(program: &Program, id: NodeId) -> Option<Literal<'_>> {
    let list = |members: List| {
        program.list(members).iter().map(|&member| literal(program, member)).collect::<Option<Vec<_>>>()
    };
    Some(match *program.node(id) {
        Node::LiteralString { value }
        | Node::RenderStringExpression { value }
        | Node::QualifiedName { value } => Literal::String(program.text(value).into()),
        Node::LiteralInteger { value, .. } => Literal::Integer(value),
        Node::LiteralFloat { value } => Literal::Float(Float(value)),
        Node::LiteralBoolean { value } => Literal::Boolean(value),
        Node::LiteralUndef {} => Literal::Nil,
        Node::LiteralDefault {} => Literal::Default,
        Node::LiteralRegularExpression { pattern } => Literal::Regexp(program.text(pattern)),
        Node::QualifiedReference { cased_value } => {
            Literal::String(program.text(cased_value).to_lowercase().into())
        }
        Node::AccessExpression { keys, .. } => {
            if let [only] = *program.list(keys)
                && matches!(program.node(only), Node::LiteralList { .. })
            {
                return None;
            }
            Literal::Array(list(keys)?)
        }
        Node::UnaryMinusExpression { expr } => match literal(program, expr)? {
            Literal::Integer(value) => Literal::Integer(value.wrapping_neg()),
            Literal::Float(Float(value)) => Literal::Float(Float(-value)),
            text @ Literal::String(_) => text,
            _ => return None,
        },
        Node::ConcatenatedString { segments } => match *program.list(segments) {
            [only] => match *program.node(only) {
                Node::LiteralString { value } | Node::RenderStringExpression { value } => {
                    Literal::String(program.text(value).into())
                }
                _ => return None,
            },
            _ => return None,
        },
        Node::LiteralList { values } => Literal::Array(list(values)?),
        Node::LiteralHash { entries } => {
            let pair = |&entry: &NodeId| match *program.node(entry) {
                Node::KeyedEntry { key, value } => Some((literal(program, key)?, literal(program, value)?)),
                _ => None,
            };
            Literal::Hash(program.list(entries).iter().map(pair).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

impl fmt::Display for Literal<'_> {
    /// Ruby's `to_s`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Nil => Ok(()),
            Literal::Default => out.write_str("default"),
            Literal::String(text) => out.write_str(text),
            Literal::Regexp(pattern) => out.write_str(&pattern::to_s(pattern)),
            Literal::Boolean(_)
            | Literal::Integer(_)
            | Literal::Float(_)
            | Literal::Array(_)
            | Literal::Hash(_) => self.inspect(out),
        }
    }
}

impl Literal<'_> {
    /// Ruby's `inspect`.
    fn inspect(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Nil => out.write_str("nil"),
            Literal::Default => out.write_str(":default"),
            Literal::Boolean(value) => write!(out, "{value}"),
            Literal::Integer(value) => write!(out, "{value}"),
            Literal::Float(Float(value)) => out.write_str(&ruby_float(*value)),
            Literal::String(text) => inspect_string(text, out),
            Literal::Regexp(pattern) => write!(out, "/{pattern}/"),
            Literal::Array(members) => {
                out.write_str("[")?;
                for (index, member) in members.iter().enumerate() {
                    out.write_str(if index == 0 { "" } else { ", " })?;
                    member.inspect(out)?;
                }
                out.write_str("]")
            }
            Literal::Hash(pairs) => {
                out.write_str("{")?;
                for (index, (key, value)) in pairs.iter().enumerate() {
                    out.write_str(if index == 0 { "" } else { ", " })?;
                    key.inspect(out)?;
                    out.write_str("=>")?;
                    value.inspect(out)?;
                }
                out.write_str("}")
            }
        }
    }
}

fn inspect_string(text: &str, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    out.write_str("\"")?;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\t' => out.write_str("\\t")?,
            '\r' => out.write_str("\\r")?,
            '\u{1b}' => out.write_str("\\e")?,
            '#' if matches!(characters.peek(), Some('{' | '$' | '@')) => out.write_str("\\#")?,
            control if control.is_control() => write!(out, "\\x{:02X}", control as u32)?,
            other => write!(out, "{other}")?,
        }
    }
    out.write_str("\"")
}

/// The hexadecimal digits, without leading zeros, of a whole number in the notation of a program: decimal,
/// octal after `0`, hexadecimal after `0x`.
pub(super) fn hexadecimal_digits(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.strip_prefix("0x") {
        Some(digits) => (digits, 16_u64),
        None if lower.len() > 1 && lower.starts_with('0') => (&lower[1..], 8),
        None => (lower.as_str(), 10),
    };
    if radix == 16 {
        return digits.trim_start_matches('0').to_owned();
    }
    // Limbs of 32 bits, least significant first; nine digits are added at a time.
    let mut limbs: Vec<u32> = Vec::new();
    for chunk in digits.as_bytes().chunks(9) {
        let value =
            chunk.iter().fold(0, |value, &digit| value * radix + u64::from(digit.saturating_sub(b'0')));
        let mut carry = value;
        for limb in &mut limbs {
            carry += u64::from(*limb) * radix.pow(chunk.len() as u32);
            *limb = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            limbs.push(carry as u32);
        }
    }
    let all: String = limbs.iter().rev().map(|limb| format!("{limb:08x}")).collect();
    all.trim_start_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_written_in_hexadecimal() {
        assert_eq!(hexadecimal_digits("9223372036854775808"), "8000000000000000");
        assert_eq!(hexadecimal_digits("01000000000000000000000"), "8000000000000000");
        assert_eq!(hexadecimal_digits("0x00fF"), "ff");
        assert_eq!(hexadecimal_digits("18446744073709551616000000"), "f42400000000000000000");
        assert_eq!(
            hexadecimal_digits("340282366920938463463374607431768211456"),
            "1".to_owned() + &"0".repeat(32)
        );
    }
}
