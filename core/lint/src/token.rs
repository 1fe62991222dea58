//! Tokens as the checks see them: those of the language, in the kinds that puppet-lint's checks distinguish.

use std::borrow::Cow;

/// The kind of a token. Words of the language that no check asks for are [`Kind::Keyword`], signs
/// [`Kind::Operator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// White space within a line.
    Whitespace,
    /// White space at the start of a line.
    Indent,
    Newline,
    Comment,
    /// `// …`, which the language does not have.
    SlashComment,
    /// `/* … */`
    StarComment,
    Name,
    /// A word with `(` directly behind it.
    FunctionName,
    /// The name of a type of the language's own.
    Type,
    /// The name of another type.
    ClassRef,
    Number,
    Variable,
    /// A variable in a string, without braces.
    UnenclosedVariable,
    /// `"…"` without interpolation.
    DoubleQuoted,
    SingleQuoted,
    DqPre,
    DqMid,
    DqPost,
    HeredocOpen,
    Heredoc,
    HeredocPre,
    HeredocMid,
    HeredocPost,
    Regex,
    LBrack,
    RBrack,
    LBrace,
    RBrace,
    LParen,
    RParen,
    Equals,
    FArrow,
    InEdge,
    InEdgeSub,
    OutEdge,
    Comma,
    Colon,
    Semic,
    QMark,
    Pipe,
    Case,
    Class,
    Default,
    Define,
    Inherits,
    Node,
    Undef,
    Unless,
    IsEqual,
    NotEqual,
    /// `<`, `<=`, `>`, `>=`
    Order,
    /// `=~`, `!~`
    Match,
    RShift,
    LCollect,
    RCollect,
    Dot,
    Keyword,
    Operator,
}

impl Kind {
    /// Whether it means nothing to the language.
    pub const fn is_formatting(self) -> bool {
        self.is_space() || self.is_comment()
    }

    /// Whether it is nothing but space.
    pub const fn is_space(self) -> bool {
        matches!(self, Self::Whitespace | Self::Indent | Self::Newline)
    }

    pub const fn is_comment(self) -> bool {
        matches!(self, Self::Comment | Self::SlashComment | Self::StarComment)
    }

    pub const fn is_variable(self) -> bool {
        matches!(self, Self::Variable | Self::UnenclosedVariable)
    }

    /// Whether a variable behind it is between the braces of an interpolation.
    pub const fn opens_interpolation(self) -> bool {
        matches!(self, Self::DqPre | Self::DqMid | Self::HeredocPre | Self::HeredocMid)
    }

    /// The kind of a word of the language.
    pub fn of_keyword(word: &str) -> Option<Self> {
        Some(match word {
            "case" => Self::Case,
            "class" => Self::Class,
            "default" => Self::Default,
            "define" => Self::Define,
            "inherits" => Self::Inherits,
            "node" => Self::Node,
            "undef" => Self::Undef,
            "unless" => Self::Unless,
            "import" | "if" | "elsif" | "else" | "and" | "or" | "false" | "true" | "in" | "function"
            | "type" | "attr" | "private" => Self::Keyword,
            _ => return None,
        })
    }
}

/// One token.
#[derive(Clone, Debug)]
pub(crate) struct Token<'t> {
    pub kind: Kind,
    /// What it says, without quotes and signs that its kind implies.
    pub value: Cow<'t, str>,
    /// How it is written, where `value` does not tell.
    pub raw: Option<Cow<'t, str>>,
    pub line: u32,
    /// Counted in characters, from 1.
    pub column: u32,
}

impl Token<'_> {
    /// How it is written, when tokens of these kinds stand around it: the one before it, the last one of the
    /// language before it, and the one behind it.
    pub fn written(&self, before: Option<Kind>, code_before: Option<Kind>, behind: Option<Kind>) -> String {
        let value = &self.value;
        let raw = self.raw.as_ref().unwrap_or(value);
        let prefix = match before {
            Some(
                Kind::UnenclosedVariable | Kind::DqPre | Kind::DqMid | Kind::HeredocPre | Kind::HeredocMid,
            ) => "",
            _ => "}",
        };
        let suffix = match behind {
            Some(
                Kind::UnenclosedVariable | Kind::DqMid | Kind::DqPost | Kind::HeredocMid | Kind::HeredocPost,
            ) => "",
            _ => "${",
        };
        match self.kind {
            Kind::DoubleQuoted => format!("\"{value}\""),
            Kind::SingleQuoted => format!("'{value}'"),
            Kind::DqPre => format!("\"{value}{suffix}"),
            Kind::DqMid | Kind::HeredocMid => format!("{prefix}{value}{suffix}"),
            Kind::DqPost => format!("{prefix}{value}\""),
            Kind::HeredocPre => format!("{value}{suffix}"),
            Kind::HeredocPost => format!("{prefix}{raw}"),
            Kind::Variable if code_before.is_some_and(Kind::opens_interpolation) => raw.as_ref().to_owned(),
            Kind::Variable | Kind::UnenclosedVariable => format!("${value}"),
            Kind::Newline => "\n".to_owned(),
            Kind::Comment => format!("#{value}"),
            Kind::SlashComment => format!("//{value}"),
            Kind::Regex => format!("/{value}/"),
            Kind::HeredocOpen => format!("@({value})"),
            Kind::StarComment | Kind::Heredoc => raw.as_ref().to_owned(),
            _ => value.as_ref().to_owned(),
        }
    }
}
