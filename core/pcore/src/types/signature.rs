//! Signatures of built-in functions: converts the text in a function's table to a Callable type and the names
//! of its parameters.
//!
//! A text has the form of a Puppet function's parameters, `Iterable $list, Integer[1]? $size, Any* $rest,
//! Callable[1, 1]? &block >> Array`. After a type, `?` makes the parameter (or the block) optional, `*` lets
//! it take the rest, `+` lets it take the rest and requires at least one argument. Follows the
//! `DispatcherBuilder` of the reference's `functions.rb`.

use super::{CallableType, IntRange, Type, TypeKind};
use crate::data::value::Str;
use bunraku_syntax::diagnostic::Error;

/// One signature of a function.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Parameters, block and result as a `Callable`.
    pub callable: Type,
    /// The names of the parameters.
    pub parameter_names: Vec<Str>,
    /// The name of the block, when it takes one.
    pub block_name: Option<Str>,
    /// Whether the last parameter takes the rest.
    pub captures_rest: bool,
}

impl Signature {
    /// Parses a signature; `parse` parses its types.
    ///
    /// # Errors
    /// An error of `parse`, or the text is not a signature.
    pub fn parse(text: &str, parse: &dyn Fn(&str) -> Result<Type, Error>) -> Result<Self, Error> {
        let (parameters, returns) = match find_outside(text, ">>") {
            Some(at) => (&text[..at], Some(parse(text[at + 2..].trim())?)),
            None => (text, None),
        };
        let mut types = Vec::new();
        let mut parameter_names = Vec::new();
        let (mut block, mut block_name) = (None, None);
        let (mut least, mut most) = (0_i64, Some(0_i64));
        for part in split_outside(parameters) {
            let malformed = || Error::internal(format!("'{part}' is not a parameter of a signature"));
            let at = part.rfind(['$', '&']).ok_or_else(malformed)?;
            let name = Str::from(&part[at + 1..]);
            let (type_text, modifier) = match part[..at].trim_end() {
                text if text.ends_with(['?', '*', '+']) => text.split_at(text.len() - 1),
                text => (text, ""),
            };
            let parameter_type = parse(type_text.trim())?;
            if part.as_bytes()[at] == b'&' {
                let optional = modifier == "?";
                block = Some(if optional {
                    TypeKind::Optional(Some(parameter_type)).into()
                } else {
                    parameter_type
                });
                block_name = Some(name);
                continue;
            }
            types.push(parameter_type);
            parameter_names.push(name);
            match modifier {
                "?" => most = most.map(|most| most + 1),
                "*" => most = None,
                "+" => (least, most) = (least + 1, None),
                _ => (least, most) = (least + 1, most.map(|most| most + 1)),
            }
        }
        let captures_rest = most.is_none();
        let size = (least == 0 || most != Some(least)).then_some(IntRange { from: Some(least), to: most });
        let parameters = TypeKind::Tuple { types, size }.into();
        let callable = CallableType { parameters: Some(parameters), block, returns };
        Ok(Self { callable: TypeKind::Callable(callable).into(), parameter_names, block_name, captures_rest })
    }
}

/// The parts of a list, separated by the commas outside of brackets.
fn split_outside(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = find_outside(rest, ",") {
        parts.push(rest[..at].trim());
        rest = &rest[at + 1..];
    }
    parts.push(rest.trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The first position of a separator outside of brackets, braces, quotes and regular expressions.
fn find_outside(text: &str, separator: &str) -> Option<usize> {
    let mut depth = 0_u32;
    let mut closing: Option<u8> = None;
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match (closing, byte) {
            (Some(_), b'\\') => drop(bytes.next()),
            (Some(quote), _) => closing = (byte != quote).then_some(quote),
            (None, b'\'' | b'"' | b'/') => closing = Some(byte),
            (None, b'[' | b'{') => depth += 1,
            (None, b']' | b'}') => depth = depth.saturating_sub(1),
            (None, _) if depth == 0 && text.as_bytes()[at..].starts_with(separator.as_bytes()) => {
                return Some(at);
            }
            (None, _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_split_outside_of_brackets_and_patterns() {
        let parse = |text: &str| Ok(TypeKind::Reference(text.into()).into());
        let text = "Hash[Pattern[/^[,\\/]*$/], Any] $a, Any? $b, Callable[1, 1]? &block >> Array";
        let signature = Signature::parse(text, &parse).unwrap();
        assert_eq!(signature.parameter_names, ["a", "b"]);
        assert_eq!(signature.block_name.as_deref(), Some("block"));
        let TypeKind::Callable(callable) = signature.callable.kind() else { panic!() };
        let TypeKind::Tuple { types, size } = callable.parameters.as_ref().unwrap().kind() else { panic!() };
        assert_eq!(types[0], TypeKind::Reference("Hash[Pattern[/^[,\\/]*$/], Any]".into()).into());
        assert_eq!(*size, Some(IntRange { from: Some(1), to: Some(2) }));
        assert!(callable.returns.is_some() && callable.block.is_some() && !signature.captures_rest);
    }
}
