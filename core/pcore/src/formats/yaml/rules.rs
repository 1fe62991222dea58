//! What a document may hold besides data, and the reasons why a text is refused.

use std::sync::Arc;

use bunraku_syntax::diagnostic::Error;

use super::Read;
use crate::data::fuel::Unmetered;
use crate::data::value::{RegexpValue, Value};

/// What a document may hold besides data: the arguments of Psych's `safe_load`.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// Whether aliases are allowed.
    pub aliases: bool,
    /// The names of the classes of which there may be objects; `None` allows all.
    pub classes: Option<Vec<String>>,
    /// The symbols that are allowed if their class is; all if there are none.
    pub symbols: Vec<String>,
}

impl Rules {
    /// Those of Puppet's data: aliases and symbols.
    pub fn data() -> Self {
        Self { aliases: true, classes: Some(vec!["Symbol".to_owned()]), symbols: Vec::new() }
    }

    /// Those of Psych's `unsafe_load`: aliases and all classes.
    pub fn all() -> Self {
        Self { aliases: true, classes: None, symbols: Vec::new() }
    }

    fn allows(&self, class: &str) -> bool {
        self.classes.as_ref().is_none_or(|classes| classes.iter().any(|one| one == class))
    }

    /// Refuses an object of a class of which none is made here.
    pub(super) fn refuse<T>(&self, class: &str) -> Read<T> {
        let class = class.to_owned();
        Err(if self.allows(&class) { Problem::Unread(class) } else { Problem::Class(class) })
    }

    /// A value that is a symbol only if it is allowed.
    pub(super) fn symbol(&self, value: Value) -> Read<Value> {
        let is_allowed = match &value {
            Value::Runtime(object) if object.is_symbol() => {
                self.allows("Symbol")
                    && (self.symbols.is_empty() || self.symbols.iter().any(|one| **one == *object.text))
            }
            _ => true,
        };
        if is_allowed { Ok(value) } else { Err(Problem::Class("Symbol".to_owned())) }
    }

    /// A regular expression between slashes, of which no options are read.
    pub(super) fn regexp(&self, text: &str) -> Read<Value> {
        let source = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
        match source.map(|source| Arc::new(RegexpValue::new(source))) {
            Some(pattern) if self.allows("Regexp") && pattern.regex(&Unmetered).is_ok() => {
                Ok(Value::Regexp(pattern))
            }
            _ => self.refuse("Regexp"),
        }
    }
}

/// The reason why a text has no value.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Problem {
    /// It is not YAML.
    Syntax(String),
    /// It is larger or deeper than what is read.
    Limit(String),
    /// It holds an object of a class of which none is allowed.
    Class(String),
    /// It holds an object of a class of which objects are allowed, but not made here.
    Unread(String),
    /// It holds an alias that is not allowed, or names no anchor before it.
    Alias(String),
    /// A scalar that its tag does not fit.
    Scalar(String),
    /// The error of the fuel.
    Stopped(Error),
}

impl Problem {
    /// The message without the file.
    pub fn message(&self) -> String {
        match self {
            Self::Syntax(message) | Self::Limit(message) | Self::Scalar(message) => message.clone(),
            Self::Class(class) | Self::Unread(class) => format!("Tried to load unspecified class: {class}"),
            Self::Alias(name) => format!("Unknown alias: {name}"),
            Self::Stopped(error) => error.message.clone(),
        }
    }

    /// The error that Puppet's `YamlLoadError` is, with the file before the message or not, as there.
    pub(super) fn into_error(self, path: Option<&str>) -> Error {
        match self {
            Self::Stopped(error) => error,
            Self::Alias(_) | Self::Scalar(_) => Error::argument(self.message()),
            _ => Error::argument(format!("({}): {}", path.unwrap_or("<unknown>"), self.message())),
        }
    }
}
