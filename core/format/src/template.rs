//! Templates: they stay unchanged, after they have been parsed successfully.

use bunraku_syntax::tokens::Tokens;

/// Writes a template.
pub(crate) fn print(tokens: &Tokens) -> String {
    tokens.source().text().to_owned()
}
