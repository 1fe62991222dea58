//! Templates: their text stays as it is; in tags, spaces between tokens of a line are put in order.

use bunraku_syntax::tokens::Tokens;

/// Writes a template.
pub(crate) fn print(tokens: &Tokens) -> String {
    tokens.source().text().to_owned()
}
