//! Templates: they stay as they are, once they are known to parse.

use bunraku_syntax::tokens::Tokens;

/// Writes a template.
pub(crate) fn print(tokens: &Tokens) -> String {
    tokens.source().text().to_owned()
}
