//! Parses type expressions. Follows the reference's `type_parser.rb`: the language of type annotations and of
//! types in texts, without evaluation. ([`access`](super::super::access) handles `Type[…]` in ordinary code.)

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use super::annotation::Annotation;
use super::guard::MAX_DEPTH;
use super::table::ROWS;
use super::{IntRange, Type, aliases, ast, meta, short_text};
use crate::data::fuel::BoundedFuel;
use crate::data::value::{Hash, RegexpValue, Str, Value, lower_case};
use crate::scalars::number::parse_whole;
use bunraku_stacks::COROUTINES;
use bunraku_syntax::ast::{FieldValue, Node, NodeId, Program};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::source::{Location, Source, Span};
use bunraku_syntax::watch::{Check, Never, Watch};
use bunraku_syntax::{self as syntax, ParseOptions};

/// Resolves the names of types.
pub trait TypeLoader {
    /// A type by its name in lower case. Types of the language itself are not requested.
    ///
    /// # Errors
    /// The type exists, but is invalid.
    fn load_type(&self, name: &str) -> Result<Option<Type>, Error>;

    /// Whether the types that the reference loads when they are asked for are known, too: `Error`.
    fn has_loaded_types(&self) -> bool {
        true
    }

    /// Whether the types of a TypeSet that is being resolved are found by the names that they have in it.
    fn finds_members(&self) -> bool {
        true
    }

    /// Hears of a key that a definition in a program has twice, at a node. It is a question of the setting
    /// `strict` what that means.
    ///
    /// # Errors
    /// The definition is refused.
    fn key_given_twice(&self, _key: &str, _program: &Program, _node: NodeId) -> Result<(), Error> {
        Ok(())
    }

    /// Decides whether work on a long text or a large definition can continue.
    fn end(&self) -> &dyn Check {
        &Never
    }
}

/// The types that the reference has before it loads any: those that `Type.new` finds.
#[derive(Clone, Copy, Debug)]
pub struct StaticTypes;

impl TypeLoader for StaticTypes {
    fn load_type(&self, _name: &str) -> Result<Option<Type>, Error> {
        Ok(None)
    }

    fn has_loaded_types(&self) -> bool {
        false
    }
}

/// The types of the language itself; any other name is an error. It is for callers that would otherwise
/// mistake an unknown name for a type without instances.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInTypes;

impl TypeLoader for BuiltInTypes {
    fn load_type(&self, name: &str) -> Result<Option<Type>, Error> {
        let name = super::format::capitalize_segments(name);
        Err(Error::argument(format!(
            "the type {name} is not known: it takes the environment that defines it"
        )))
    }
}

/// No types but those of the language itself.
#[derive(Clone, Copy, Debug)]
pub struct NoTypes;

impl TypeLoader for NoTypes {
    fn load_type(&self, _name: &str) -> Result<Option<Type>, Error> {
        Ok(None)
    }
}

/// The types that have parameters of their own, or none: the reference's `type_map`.
static TYPES: LazyLock<FxHashMap<String, Type>> = LazyLock::new(|| {
    let read = ROWS.iter().filter(|row| row.is_read);
    read.map(|row| (row.name.to_ascii_lowercase(), (row.bare)())).collect()
});

/// The resource types that the reference knows without loading anything.
const RESOURCE_TYPES: [&str; 15] = [
    "Component",
    "Exec",
    "File",
    "Filebucket",
    "Group",
    "Node",
    "Notify",
    "Package",
    "Resources",
    "Schedule",
    "Service",
    "Stage",
    "Tidy",
    "User",
    "Whit",
];

/// Types with names that come with the language: aliases of data, resource types.
static NAMED_TYPES: LazyLock<FxHashMap<Str, Type>> = LazyLock::new(|| {
    let mut types: FxHashMap<Str, Type> = [
        aliases::data(),
        aliases::rich_data(),
        aliases::rich_data_key(),
        aliases::lookup_key(),
        aliases::lookup_value(),
    ]
    .into_iter()
    .filter_map(|of| Some((of.name()?.to_lowercase(), of)))
    .collect();
    types.extend(RESOURCE_TYPES.map(|name| (Str::from(name.to_lowercase()), Type::resource(name, None))));
    types
});

/// The types that describe types, and further Object types, with their aliases. Few programs name one.
static META_TYPES: LazyLock<FxHashMap<Str, Type>> = LazyLock::new(|| {
    let types = meta::aliases().into_iter().chain(meta::types().iter().cloned());
    types.filter_map(|of| Some((of.name()?.to_lowercase(), of))).collect()
});

/// A type with a name of its own, by this name in lower case.
fn named_type(name: &str) -> Option<&'static Type> {
    NAMED_TYPES.get(name).or_else(|| if is_meta_name(name) { META_TYPES.get(name) } else { None })
}

/// Whether a name may be that of one of [`META_TYPES`].
fn is_meta_name(name: &str) -> bool {
    name.starts_with("pcore") || matches!(name, "annotation" | "deferred" | "error" | "rubymethod")
}

/// The type of the language that the reference loads when it is asked for.
const LOADED: &str = "error";

/// The origin of a type that the language has from the start, by its name in lower case.
pub fn built_in_origin(name: &str) -> Option<&'static str> {
    if TYPES.contains_key(name) {
        return Some("Originally set by Puppet-Type-System/Static-Loader.");
    }
    let is_static = name != LOADED && (named_type(name).is_some() || ast::get(name).is_some());
    is_static.then_some("Set at unknown location")
}

/// The names of the types that the language reads, but for those of resources.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    let read = ROWS.iter().filter(|row| row.is_read).map(|row| row.name);
    read.chain(aliases::BUILT_IN).chain(["Deferred", "Error"])
}

/// A type that comes with the language, by its name in lower case.
pub fn built_in(name: &str) -> Option<Type> {
    TYPES.get(name).or_else(|| named_type(name)).cloned().or_else(|| ast::get(name))
}

impl Type {
    /// Parses a type from text.
    ///
    /// # Errors
    /// The text is not an expression, or the expression is not a type.
    pub fn parse(text: &str, loader: &dyn TypeLoader) -> Result<Type, Error> {
        if text.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && text.starts_with(|first: char| first.is_ascii_uppercase())
            && let Some(of) = TYPES.get(text.to_ascii_lowercase().as_str())
        {
            return Ok(of.clone());
        }
        match text {
            // The reference has a table of common texts, and this one is wrong in it as it is here.
            "Array[1]" => return Ok(Type::array(Type::any(), Some(IntRange::new(Some(1), None)))),
            "String[1]" => return Ok(Type::non_empty_string()),
            _ => {}
        }
        if let Some(Value::Type(of)) = short_text::read(text, Naming { loader }) {
            return Ok(of);
        }
        let program = parse_text(text, loader)?;
        interpret(&program, program.body(), loader)
    }

    /// Parses a value from text that can contain types: literals, lists, hashes, types.
    ///
    /// # Errors
    /// The text is not such a value.
    pub fn parse_literal(text: &str, loader: &dyn TypeLoader) -> Result<Value, Error> {
        parse_literal_of_program(text, loader)
    }
}

/// Reads a value from text the long way, as a program.
pub(super) fn parse_literal_of_program(text: &str, loader: &dyn TypeLoader) -> Result<Value, Error> {
    let program = parse_text(text, loader)?;
    interpret_any(&program, program.body(), loader)
}

fn parse_text(text: &str, loader: &dyn TypeLoader) -> Result<Program, Error> {
    let source = Arc::new(Source::new(None, text));
    let watch = Watch::new(loader.end());
    let options = ParseOptions { stacks: COROUTINES, ..ParseOptions::default() };
    let parsed = syntax::parse_watched(source, &options, &mut Vec::new(), &watch);
    // Whoever asks for the type has a better place than the line of the text.
    let parsed = parsed.map_err(|error| Error { location: Location::default(), ..error })?;
    Ok(parsed?)
}

/// The type that an expression denotes.
///
/// # Errors
/// The expression is not a type.
pub fn interpret(program: &Program, node: NodeId, loader: &dyn TypeLoader) -> Result<Type, Error> {
    match interpret_any(program, node, loader)? {
        Value::Type(of) => Ok(of),
        _ => Err(not_a_type(program, node)),
    }
}

/// The value that an expression denotes: literals, lists, hashes, types.
///
/// # Errors
/// When the expression is something else.
pub fn interpret_any(program: &Program, node: NodeId, loader: &dyn TypeLoader) -> Result<Value, Error> {
    Interpreter { program, naming: Naming { loader } }.value(node, 0)
}

/// The text of an expression with all that is in it.
fn tree_text(program: &Program, node: NodeId) -> &str {
    let mut span = program.span(node);
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        let part = program.span(node);
        if !part.is_empty() {
            span = Span::new(span.start.min(part.start), span.end.max(part.end));
        }
        program.node(node).fields(|field| match field.value {
            FieldValue::Node(child) => pending.push(child),
            FieldValue::Nodes(list) => pending.extend(program.list(list)),
            _ => {}
        });
    }
    program.source().slice(span)
}

fn not_a_type(program: &Program, node: NodeId) -> Error {
    let text = tree_text(program, node);
    Error::plain(format!("The expression <{text}> is not a valid type specification."))
}

/// The place of a type's parameters.
#[derive(Clone, Copy)]
pub(super) struct ParameterSite<'p> {
    /// The program, the expression, and the part before the parameters; `None` on the fast path, where errors
    /// are discarded.
    at: Option<(&'p Program, NodeId, NodeId)>,
}

impl ParameterSite<'_> {
    /// A place without errors.
    pub const UNKNOWN: Self = Self { at: None };

    pub(super) fn not_a_type(self) -> Error {
        match self.at {
            Some((program, node, _)) => not_a_type(program, node),
            None => Error::plain(""),
        }
    }

    pub(super) fn unparameterized(self) -> Error {
        let name = self.at.map_or("", |(program, _, left)| tree_text(program, left));
        Error::plain(format!("Not a parameterized type <{name}>"))
    }

    /// The type of a name that means nothing, with its parameters.
    fn reference(self) -> Result<Type, Error> {
        match self.at {
            Some((program, node, _)) => Ok(Type::reference(tree_text(program, node))),
            None => Err(self.not_a_type()),
        }
    }
}

/// Makes types of their names and parameters.
#[derive(Clone, Copy)]
pub(super) struct Naming<'a> {
    /// Resolves other types.
    pub loader: &'a dyn TypeLoader,
}

struct Interpreter<'a> {
    program: &'a Program,
    naming: Naming<'a>,
}

impl Interpreter<'_> {
    fn value(&self, node: NodeId, depth: u32) -> Result<Value, Error> {
        if depth > MAX_DEPTH {
            return Err(Error::limit("A type is nested too deeply"));
        }
        let depth = depth + 1;
        let program = self.program;
        Ok(match *program.node(node) {
            Node::HeredocExpression { text_expr, .. } => self.value(text_expr, depth)?,
            Node::QualifiedName { value } | Node::LiteralString { value } => {
                Value::String(program.text(value).into())
            }
            Node::LiteralBoolean { value } => Value::Boolean(value),
            Node::LiteralDefault {} => Value::Default,
            Node::LiteralFloat { value } => Value::Float(value),
            Node::LiteralInteger { value, .. } => self.whole_number(node, value)?,
            Node::LiteralUndef {} => Value::Undef,
            Node::LiteralRegularExpression { pattern } => Value::regexp(program.text(pattern)),
            Node::LiteralHash { entries } => {
                let mut hash = Hash::default();
                for &entry in program.list(entries) {
                    let Node::KeyedEntry { key, value } = *program.node(entry) else { continue };
                    hash.insert(self.value(key, depth)?, self.value(value, depth)?);
                }
                Value::from(hash)
            }
            Node::LiteralList { values } => {
                let values = program.list(values).iter().map(|&value| self.value(value, depth));
                Value::from(values.collect::<Result<Vec<_>, _>>()?)
            }
            Node::UnaryMinusExpression { expr } => match self.value(expr, depth)? {
                Value::Integer(number) => Value::whole(-i128::from(number)),
                Value::BigInteger(number) => Value::from(-&*number),
                Value::Float(number) => Value::Float(-number),
                _ => return Err(not_a_type(program, node)),
            },
            Node::QualifiedReference { cased_value } => {
                let name = program.text(cased_value);
                let found = self.naming.load(&lower_case(name))?;
                Value::Type(found.unwrap_or_else(|| Type::reference(name)))
            }
            Node::AccessExpression { left_expr, keys } => {
                let keys = program.list(keys).iter().map(|&key| self.value(key, depth));
                let keys = keys.collect::<Result<Vec<_>, _>>()?;
                match *program.node(left_expr) {
                    Node::QualifiedReference { cased_value } => {
                        let place = ParameterSite { at: Some((program, node, left_expr)) };
                        self.naming.access(place, program.text(cased_value), keys)?
                    }
                    _ => return Err(not_a_type(program, node)),
                }
            }
            _ => return Err(not_a_type(program, node)),
        })
    }

    /// A number; the nodes have the nearest one of 64 bits of one that is beyond, and the text all of it.
    fn whole_number(&self, node: NodeId, value: i64) -> Result<Value, Error> {
        if value != i64::MAX {
            return Ok(Value::Integer(value));
        }
        parse_whole(self.program.source_text(node), 0).map_err(|_| Error::limit("number too large"))
    }
}

impl Naming<'_> {
    /// A type by its name in lower case.
    pub fn load(&self, name: &str) -> Result<Option<Type>, Error> {
        let name = name.strip_prefix("::").unwrap_or(name);
        match built_in(name) {
            Some(_) if name == LOADED && !self.loader.has_loaded_types() => Ok(None),
            Some(of) => Ok(Some(of)),
            None => self.loader.load_type(name),
        }
    }

    /// A type with parameters.
    pub fn access(
        &self,
        place: ParameterSite<'_>,
        cased_name: &str,
        keys: Vec<Value>,
    ) -> Result<Value, Error> {
        let name = lower_case(cased_name);
        let given = Annotation { name: cased_name, keys, place, loader: self.loader };
        if let Some(of) = TYPES.get(name.as_str()) {
            return of.kind().ask(|family| family.annotated(&given));
        }
        let Some(of) = self.load(&name)? else { return place.reference().map(Value::Type) };
        of.kind().ask(|family| family.named(&given)).map(Value::Type)
    }
}

/// A regular expression that is checked where it is written.
pub(crate) fn checked_pattern(source: &str) -> Result<Arc<RegexpValue>, Error> {
    let regexp = Arc::new(RegexpValue::new(source));
    regexp.regex(&BoundedFuel::default())?;
    Ok(regexp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types_that_describe_types_are_known_as_such() {
        assert!(META_TYPES.len() > ROWS.len());
        for name in META_TYPES.keys() {
            assert!(is_meta_name(name), "{name}");
            assert!(!NAMED_TYPES.contains_key(name), "{name}");
        }
    }
}
