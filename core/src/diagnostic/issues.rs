//! The table of issues: code, arguments and message of each complaint of the reference.
//!
//! Every line declares a constant (the code) and a function (the message with its arguments, so that a missing
//! argument is a compile error). Follows the reference's `pops/issues.rb`; texts are what users and tools match on.

use super::{Issue, Report};

/// Declares issues: `CODE fn_name(arg, …) => "format with {arg}";`. An issue whose code differs from its name in
/// the reference is written with the code that is reported.
macro_rules! issues {
    ($( $(#[$doc:meta])* $code:ident $name:ident ( $($arg:ident),* ) => $format:literal ; )*) => {
        $(
            #[doc = concat!("`", stringify!($code), "`: ", $format)]
            $(#[$doc])*
            pub fn $name($($arg: impl std::fmt::Display),*) -> Report {
                Report { issue: Issue(stringify!($code)), message: format!($format) }
            }
        )*

        /// Every code of the table, in its order.
        pub const CODES: &[Issue] = &[ $( Issue(stringify!($code)) ),* ];
    };
}

issues! {
    SYNTAX_ERROR syntax_error(at) => "Syntax error at {at}";
    CROSS_SCOPE_ASSIGNMENT cross_scope_assignment(name) =>
        "Illegal attempt to assign to '{name}'. Cannot assign to variables in other namespaces";
}
