//! The pieces of a directive of Ruby's `format`: `%-08.3f` is a flag, a flag, a width, a precision and a
//! conversion.

use nom::branch::alt;
use nom::bytes::complete::take_until;
use nom::character::complete::{anychar, char, digit0, digit1, one_of};
use nom::combinator::{consumed, map, opt};
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser as _};

/// A piece of a directive.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// `-`, `0` and so on.
    Flag(char),
    /// `2$`: the digits.
    Argument(&'t str),
    /// `10`, `*`, `*2$`
    Width(Count<'t>),
    /// `.3`, `.*`, `.*2$`
    Precision(Count<'t>),
    /// `<name>` or `{name}`
    Name {
        /// With the brackets.
        whole: &'t str,
        /// Without them.
        name: &'t str,
    },
    /// Any other character.
    Conversion(char),
}

/// A number in a directive.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Count<'t> {
    /// The digits, which are optional in a precision.
    Digits(&'t str),
    /// The value of an argument: the one with these digits, or the next one.
    Argument(Option<&'t str>),
}

/// The first piece; fails at the end of the text.
pub(super) fn piece(input: &str) -> IResult<&str, Piece<'_>> {
    let argument = || terminated(digit1, char('$'));
    // Without digits it is the argument 0, which does not exist.
    let asterisk = || map(preceded(char('*'), opt(terminated(digit0, char('$')))), Count::Argument);
    let angled = delimited(char('<'), take_until(">"), char('>'));
    let braced = delimited(char('{'), take_until("}"), char('}'));
    alt((
        map(one_of(" #+-0"), Piece::Flag),
        map(argument(), Piece::Argument),
        map(alt((map(digit1, Count::Digits), asterisk())), Piece::Width),
        map(preceded(char('.'), alt((asterisk(), map(digit0, Count::Digits)))), Piece::Precision),
        map(consumed(alt((angled, braced))), |(whole, name)| Piece::Name { whole, name }),
        map(anychar, Piece::Conversion),
    ))
    .parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_fall_into_pieces() {
        let mut rest = "-12$10.*3$<na>d";
        let mut pieces = Vec::new();
        while let Ok((behind, found)) = piece(rest) {
            pieces.push(found);
            rest = behind;
        }
        let whole = "<na>";
        assert_eq!(
            pieces,
            [
                Piece::Flag('-'),
                Piece::Argument("12"),
                Piece::Width(Count::Digits("10")),
                Piece::Precision(Count::Argument(Some("3"))),
                Piece::Name { whole, name: "na" },
                Piece::Conversion('d'),
            ]
        );
    }
}
