//! The tables of issues: code, arguments and message of each of the reference's diagnostics.
//!
//! Every line of a table declares a function that fills in the message: `CODE name(argument, …) => "text"`.
//! The arguments are the texts in the message, in order of appearance; a missing one is a compile error. An
//! argument marked `a_an`, `a_an_uc` or `the` is a label *without* article, which the function adds
//! ([`super::label`]). If the reference reports a code that differs from the issue's name, the line has the
//! reported code and the function has the name. Messages with conditions are functions below the tables.
//! Follows the reference's `pops/issues.rb`; users and tools match on codes and texts.
//! tools match on.

pub mod hiera;
pub mod runtime;
pub mod syntax;
pub mod validation;

pub use hiera::*;
pub use runtime::*;
pub use syntax::*;
pub use validation::*;

/// Declares issues, see the module.
macro_rules! issues {
    ($( $code:ident $name:ident ( $($arg:ident $(: $article:ident)?),* ) => $format:literal ; )*) => { $(
        #[doc = concat!("`", stringify!($code), "`:\n\n```text\n", $format, "\n```")]
        pub fn $name($($arg: impl std::fmt::Display),*) -> crate::diagnostic::Report {
            $($( let $arg = crate::diagnostic::label::$article($arg); )?)*
            crate::diagnostic::Report {
                issue: crate::diagnostic::Issue(stringify!($code)),
                message: format!($format),
            }
        }
    )* };
}
use issues;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_get_their_articles_from_the_table() {
        let report = illegal_expression("'if' statement", "hostname", "Node Definition");
        assert_eq!(
            report.message,
            "Illegal expression. An 'if' statement is unacceptable as hostname in a Node Definition"
        );
        assert_eq!(duplicate_attribute("x").issue.code(), "DUPLICATE_ATTRIBUE");
        assert_eq!(
            numeric_overflow_digits("'+' expression", true, "10000000000000000").message,
            "A '+' expression resulted in a value outside of Puppet Integer min range, got '-0x10000000000000000'"
        );
    }
}
