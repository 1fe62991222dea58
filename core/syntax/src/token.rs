//! The table of tokens: the interface between lexer and parser. Names are the reference's, in Rust's
//! spelling.

use super::ast::Text;
use crate::source::Span;

/// Declares [`TokenKind`] and the properties of each kind. The properties follow the text: `start` (an
/// expression can start with it), `keyword` (a word that can also name an attribute), `open` (a `/` after it
/// is a division).
macro_rules! tokens {
    ($( $name:ident $text:literal $($property:ident)* ; )*) => {
        /// The kind of a token.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum TokenKind { $( $name ),* }

        impl TokenKind {
            /// The text of the token; empty if the text varies.
            pub const fn text(self) -> &'static str {
                match self { $( TokenKind::$name => $text ),* }
            }

            /// Every kind, in the order of the table.
            pub const ALL: &'static [TokenKind] = &[ $( TokenKind::$name ),* ];

            /// The name of the kind.
            pub const fn name(self) -> &'static str {
                match self { $( TokenKind::$name => stringify!($name) ),* }
            }

            const STARTS: u128 = 0 $( | tokens!(@start $name $($property)*) )*;
            const KEYWORDS: u128 = 0 $( | tokens!(@keyword $name $($property)*) )*;
            const OPERANDS: u128 = 0 $( | tokens!(@operand $name $($property)*) )*;
        }
    };
    (@start $name:ident start $($rest:ident)*) => { 1 << TokenKind::$name as u32 };
    (@start $name:ident $other:ident $($rest:ident)*) => { tokens!(@start $name $($rest)*) };
    (@start $name:ident) => { 0 };
    (@keyword $name:ident keyword $($rest:ident)*) => { 1 << TokenKind::$name as u32 };
    (@keyword $name:ident $other:ident $($rest:ident)*) => { tokens!(@keyword $name $($rest)*) };
    (@keyword $name:ident) => { 0 };
    (@operand $name:ident operand $($rest:ident)*) => { 1 << TokenKind::$name as u32 };
    (@operand $name:ident $other:ident $($rest:ident)*) => { tokens!(@operand $name $($rest)*) };
    (@operand $name:ident) => { 0 };
}

tokens! {
    End "";
    Bad "";
    Other "";
    Tilde "~";

    LBrack "[" start;
    ListStart "[" start;
    RBrack "]" operand;
    LBrace "{" start;
    RBrace "}";
    SelBrace "{";
    LParen "(" start;
    WsLParen "(" start;
    RParen ")" operand;

    Equals "=";
    Appends "+=";
    Deletes "-=";
    IsEqual "==";
    NotEqual "!=";
    Match "=~";
    NoMatch "!~";
    GreaterEqual ">=";
    GreaterThan ">";
    LessEqual "<=";
    LessThan "<";
    FArrow "=>";
    PArrow "+>";
    LShift "<<";
    LlCollect "<<|";
    LCollect "<|";
    RShift ">>";
    RrCollect "|>>" operand;
    RCollect "|>" operand;
    Plus "+";
    Minus "-" start;
    Div "/";
    Times "*" start;
    Modulo "%";
    Not "!" start;
    Dot ".";
    Pipe "|";
    At "@" start;
    AtAt "@@" start;
    Colon ":";
    Comma ",";
    Semic ";";
    QMark "?";
    InEdge "->";
    InEdgeSub "~>";
    OutEdge "<-";
    OutEdgeSub "<~";

    String "" start operand;
    Word "" start operand;
    DqPre "" start operand;
    DqMid "" operand;
    DqPost "" operand;
    Number "" start operand;
    Variable "" start operand;
    Regex "" start operand;
    Heredoc "" start operand;
    Name "" start operand;
    ClassRef "" start operand;
    True "true" start operand;
    False "false" start operand;

    Case "case" start keyword;
    Class "class" start keyword;
    Default "default" start keyword;
    Define "define" start keyword;
    If "if" start keyword;
    Elsif "elsif" keyword;
    Else "else" keyword;
    Inherits "inherits" keyword;
    Node "node" start keyword;
    And "and" keyword;
    Or "or" keyword;
    Undef "undef" start keyword;
    In "in" keyword;
    Unless "unless" start keyword;
    Function "function" start keyword;
    Type "type" start keyword;
    Attr "attr" start keyword;
    Private "private" start keyword;
    Plan "plan" start keyword;
    Apply "apply" start keyword;

    EppStart "";
    EppEnd "%>";
    EppEndTrim "-%>";
    RenderString "" start;
    RenderExpr "" start;
}

impl TokenKind {
    const fn is_in(self, set: u128) -> bool {
        set & (1 << self as u32) != 0
    }

    /// Whether an expression, and with it a statement, can start with this token.
    pub const fn starts_expression(self) -> bool {
        self.is_in(Self::STARTS)
    }

    /// Whether the token is a word of the language that can also name an attribute of a resource.
    pub const fn is_keyword(self) -> bool {
        self.is_in(Self::KEYWORDS)
    }

    /// Whether a `/` after this token is a division; after any other it starts a regular expression.
    pub const fn ends_operand(self) -> bool {
        self.is_in(Self::OPERANDS)
    }

    /// The keyword for a word, if it is one. `tasks` adds those of plans.
    pub fn of_word(word: &[u8], tasks: bool) -> Option<TokenKind> {
        Some(match word {
            b"if" => Self::If,
            b"in" => Self::In,
            b"or" => Self::Or,
            b"and" => Self::And,
            b"case" => Self::Case,
            b"else" => Self::Else,
            b"node" => Self::Node,
            b"true" => Self::True,
            b"type" => Self::Type,
            b"attr" => Self::Attr,
            b"class" => Self::Class,
            b"elsif" => Self::Elsif,
            b"false" => Self::False,
            b"undef" => Self::Undef,
            b"define" => Self::Define,
            b"unless" => Self::Unless,
            b"default" => Self::Default,
            b"private" => Self::Private,
            b"inherits" => Self::Inherits,
            b"function" => Self::Function,
            b"plan" if tasks => Self::Plan,
            b"apply" if tasks => Self::Apply,
            _ => return None,
        })
    }

    /// Whether `${word}` and `${word[...]}`, `${word.name}` are variables if the first token is of this kind.
    pub const fn names_variable(self) -> bool {
        match self {
            Self::Plan | Self::Apply => false,
            Self::Number | Self::Name | Self::Word | Self::True | Self::False => true,
            other => other.is_keyword(),
        }
    }
}

/// A token: its kind, its place, and its text (for a string: without quotes, with escapes resolved).
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// The kind.
    pub kind: TokenKind,
    /// Offsets in the text that the lexer reads.
    pub span: Span,
    /// The value.
    pub text: Text,
}

const _: () = assert!((TokenKind::RenderExpr as u32) < 128, "sets of kinds are 128 bits");
