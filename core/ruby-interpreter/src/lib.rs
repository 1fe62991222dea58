//! Ruby without Ruby: a parser, and an interpreter of the part of the language that templates and functions
//! of modules use.
//!
//! A text becomes a [`Program`] in two steps: the crate `lib-ruby-parser` makes a tree of it, and `lower`
//! makes the executable tree and lists what it does not support: a construct, or a method that exists in Ruby
//! but not in the interpreter. Such a program is rejected before it runs. [`erb`] converts templates to Ruby
//! code.
//!
//! A program runs in a [`World`], which is all that it can access: variables, functions and the limits of the
//! compilation. Its values live in a heap of their own that ends with it. Ruby's methods are implemented in
//! `methods`, one table for each class, and in `prelude` in Ruby itself; `core/docs/ruby.md` lists them.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::get_unwrap,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]
// Methods are named as Ruby's; the interpreter changes while it converts.
#![allow(clippy::wrong_self_convention)]

mod absent;
mod assign;
mod bind;
mod call;
mod class;
mod constants;
mod convert;
mod define;
mod defined;
pub mod described_type;
pub mod erb;
mod failure;
mod files;
pub mod function;
mod held;
mod instances;
mod interpreter;
mod kept;
mod lower;
mod methods;
mod modules;
mod names;
mod numbers;
mod patterns;
mod prelude;
pub mod programs;
mod rescue;
pub mod resource_type;
mod same;
mod shared;
mod text;
pub mod title_patterns;
pub mod tree;
mod value;
mod world;
mod writing;

use lib_ruby_parser::{ErrorLevel, LocExt as _, Parser, ParserOptions};

pub use failure::Failure;
pub use lower::Unsupported;
pub use tree::Program;
pub use world::World;

use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::diagnostic::bug::guarded;

/// The longest program, in bytes. The parser's tree is as deep as the text nests.
const MAX_LENGTH: usize = 1 << 20;

/// The reason why a text is not a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefusedError {
    /// It is not Ruby.
    Syntax {
        /// The parser's message.
        message: String,
        /// The line.
        line: u32,
    },
    /// It is Ruby, but uses what the interpreter does not know.
    Unsupported(Vec<Unsupported>),
}

impl RefusedError {
    /// The line of the first complaint.
    pub fn line(&self) -> u32 {
        match self {
            Self::Syntax { line, .. } => *line,
            Self::Unsupported(list) => list.first().map_or(0, |first| first.line),
        }
    }

    /// The complaint as an error without a place.
    pub fn to_error(&self) -> Error {
        match self {
            Self::Syntax { message, .. } => Error::internal(format!("syntax error, {message}")),
            Self::Unsupported(list) => {
                Error::plain(unsupported_message(list.first().map_or("", |first| first.construct.as_str())))
            }
        }
    }
}

/// The message about Ruby that is not supported here.
fn unsupported_message(construct: impl std::fmt::Display) -> String {
    format!("{construct}{NEEDS_RUBY}")
}

/// The end of such messages.
const NEEDS_RUBY: &str = " is not known to the Ruby that is built in; it needs a host with Ruby";

/// Makes a program of a text.
///
/// # Errors
/// The text is not Ruby, or uses something that the interpreter does not know.
pub fn parse(file: &str, text: &str) -> Result<Program, RefusedError> {
    let tree = tree_of(file, text)?;
    let (program, unsupported) = lower::lower(file, text, tree.as_deref(), lower::Role::Whole);
    if unsupported.is_empty() { Ok(program) } else { Err(RefusedError::Unsupported(unsupported)) }
}

/// The program of a template.
///
/// # Errors
/// As [`parse`].
pub fn parse_template(file: &str, text: &str, trim: erb::Trim) -> Result<Program, RefusedError> {
    let (short, texts) = erb::short(text, trim);
    let tree = tree_of(file, &short);
    let done = tree.ok().and_then(|tree| lower::lower_template(file, &short, tree.as_deref(), texts));
    // Where something is wrong, the program is read as Ruby has it.
    done.map_or_else(|| parse(file, &erb::to_ruby(text, trim)), Ok)
}

/// As [`parse`], for a file of a module: it can name modules that other files define, below `PuppetX` or
/// `Puppet`, and what is not supported in it ([`Program::unknown`]) is rejected when it is reached.
///
/// # Errors
/// The text is not Ruby, or uses something unsupported that cannot be delayed until it is reached.
pub fn parse_file(file: &str, text: &str) -> Result<Program, RefusedError> {
    let tree = tree_of(file, text)?;
    let (program, unsupported) = lower::lower(file, text, tree.as_deref(), lower::Role::WithLibraries);
    if unsupported.is_empty() { Ok(program) } else { Err(RefusedError::Unsupported(unsupported)) }
}

/// A parsed text: its tree, and the places of its comments.
pub struct Read {
    /// The tree; none of an empty text.
    pub tree: Option<Box<lib_ruby_parser::Node>>,
    /// Comments from their `#` on, with what ends them, in their order.
    pub comments: Vec<std::ops::Range<usize>>,
}

/// The tree of a text; none of an empty one.
///
/// # Errors
/// The text is not Ruby, or too long.
pub fn tree_of(file: &str, text: &str) -> Result<Option<Box<lib_ruby_parser::Node>>, RefusedError> {
    read(file, text).map(|read| read.tree)
}

/// Reads a text with its comments.
///
/// # Errors
/// The text is not Ruby, or too long.
pub fn read(file: &str, text: &str) -> Result<Read, RefusedError> {
    if text.len() > MAX_LENGTH {
        let construct = format!("program of more than {MAX_LENGTH} bytes");
        return Err(RefusedError::Unsupported(vec![Unsupported { construct, line: 1 }]));
    }
    let options = ParserOptions { buffer_name: file.to_owned(), decoder: None, record_tokens: false };
    // The crate's own mistakes on hostile texts are refusals.
    let Ok(parsed) = guarded(|| Parser::new(text.as_bytes().to_vec(), options).do_parse()) else {
        return Err(RefusedError::Syntax { message: "the parser gave up".to_owned(), line: 1 });
    };
    if let Some(wrong) = parsed.diagnostics.iter().find(|diagnostic| diagnostic.level == ErrorLevel::Error) {
        let line = wrong.loc.begin_line_col(&parsed.input).map_or(1, |(line, _)| line as u32 + 1);
        return Err(RefusedError::Syntax { message: wrong.render_message(), line });
    }
    let comments = parsed.comments.iter().map(|comment| comment.location.to_range()).collect();
    Ok(Read { tree: parsed.ast, comments })
}

/// The support of a class: its name, the methods that work as in Ruby, and those that are rejected.
pub type Methods = (&'static str, Vec<&'static str>, Vec<&'static str>);

/// The supported methods of instances of Ruby's classes; an inherited method is listed once.
pub fn methods() -> Vec<Methods> {
    names::instance_methods()
}

/// The supported methods of Ruby's classes and modules themselves.
pub fn class_methods() -> Vec<Methods> {
    names::class_methods()
}

/// Runs a template's program and returns its output.
///
/// # Errors
/// An exception that the program does not rescue, or a limit.
pub fn render(program: &Program, world: &dyn World) -> Result<String, Failure> {
    let heap = value::Heap::default();
    let mut interpreter = interpreter::Interpreter::new(&heap, world, &program.file);
    let result = interpreter.run(program).and_then(|value| interpreter.to_s(value));
    let result = interpreter.tell_changes().and(result);
    let told = interpreter.tell_steps();
    match result.and_then(|text| told.map(|()| text)) {
        Ok(text) => Ok(text.to_string()),
        Err(unwind) => Err(interpreter.failure(unwind)),
    }
}
