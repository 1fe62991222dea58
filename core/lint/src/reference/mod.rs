//! Tokens as puppet-lint's own lexer makes them, with its mistakes.
//!
//! The checks of this crate look at the tokens of the language (`lex`). Plug-ins in Ruby were written for
//! what puppet-lint's lexer says, also where that is wrong: the end tag of a heredoc in the middle of a line,
//! text behind it that counts as code. So its rules are here, one after the other, and a text for which they
//! fail has no tokens: puppet-lint itself then says what it says.

mod lexer;
mod slurper;

/// The type of a token of puppet-lint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type<'t> {
    /// One that has a name of its own, such as `DQPRE`.
    Named(&'static str),
    /// A word of the language: the name of its type is the word in upper case.
    Keyword(&'t str),
}

/// A token of puppet-lint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    /// Its type.
    pub kind: Type<'t>,
    /// Its value.
    pub value: std::borrow::Cow<'t, str>,
    /// How it is written, where its value does not tell.
    pub raw: Option<std::borrow::Cow<'t, str>>,
    /// The line, from 1, as puppet-lint counts.
    pub line: i64,
    /// The column in characters, from 1, as puppet-lint counts.
    pub column: i64,
}

impl Token<'_> {
    /// Whether it means nothing to the language.
    pub fn is_formatting(&self) -> bool {
        let Type::Named(name) = self.kind else { return false };
        matches!(name, "WHITESPACE" | "NEWLINE" | "COMMENT" | "MLCOMMENT" | "SLASH_COMMENT" | "INDENT")
    }

    /// Whether it is of a type that has this name.
    pub fn is(&self, name: &str) -> bool {
        matches!(self.kind, Type::Named(own) if own == name)
    }
}

/// The tokens of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokens<'t> {
    /// In the order of the text.
    pub tokens: Vec<Token<'t>>,
    /// Where the next token would stand, as line and column.
    pub end: (i64, i64),
}

/// The tokens of a text, or `None` if puppet-lint's lexer fails or ends within a string or heredoc. `types`
/// are the names that its version takes for types of the language.
///
/// ```
/// use bunraku_lint::reference::tokens;
///
/// let found = tokens("$a = \"b ${c}\"", &["String"]).unwrap_or_else(|| panic!("no tokens"));
/// let values: Vec<_> = found.tokens.iter().map(|token| &*token.value).collect();
/// assert_eq!(values, ["a", " ", "=", " ", "b ", "c", ""]);
/// assert!(tokens("$a = 'b", &[]).is_none());
/// ```
pub fn tokens<'t>(text: &'t str, types: &[&str]) -> Option<Tokens<'t>> {
    lexer::lex(text, types)
}

#[cfg(test)]
mod tests;
