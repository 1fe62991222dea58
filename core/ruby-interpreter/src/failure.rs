//! How evaluation ends before its end: exceptions, `break`, `next`, `return`, `throw`, and what no program
//! can rescue.

use super::class::{self, Class};
use super::value::{Exception, Val};
use bunraku_pcore::value::Str;
use bunraku_syntax::diagnostic::Error;

/// The reason why an expression has no value.
#[derive(Clone)]
pub(super) enum Unwind<'a> {
    /// An exception.
    Raise(&'a Exception<'a>),
    /// `break` of the block of a call.
    Break(u64, Val<'a>),
    /// `next`
    Next(Val<'a>),
    /// `return` of a method; 0 is the whole program.
    Return(u64, Val<'a>),
    /// `break` in a loop.
    BreakLoop(Val<'a>),
    /// `next` in a loop.
    NextLoop,
    /// `retry`
    Retry,
    /// `throw`: the tag and the value.
    Throw(Box<(Val<'a>, Val<'a>)>),
    /// A limit, or something that the interpreter does not know.
    Fatal(Box<Error>),
}

pub(super) type Run<'a, T> = Result<T, Unwind<'a>>;
pub(super) type R<'a> = Run<'a, Val<'a>>;

/// The reason why a program has failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The class of the exception; `None` if a program cannot rescue it.
    pub class: Option<&'static str>,
    /// The name of its class; for a class of the program, `class` is the nearest one of Ruby's own.
    pub name: Option<Str>,
    /// The error.
    pub error: Box<Error>,
    /// The line of the program.
    pub line: u32,
}

impl Failure {
    /// Whether the program reached something that the interpreter does not support.
    pub fn needs_ruby(&self) -> bool {
        self.class.is_none() && self.error.message.contains(super::NEEDS_RUBY)
    }

    /// Whether `rescue` without a class would take it.
    pub fn is_standard(&self) -> bool {
        self.class.and_then(Class::named).is_some_and(|class| class.is_a(&class::STANDARD_ERROR))
    }
}
