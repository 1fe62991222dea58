//! Type expressions become types. Follows the reference's `type_parser.rb`: the language of type annotations
//! and of types in texts, where nothing is evaluated. (`Type[…]` in ordinary code is
//! [`access`](super::super::access).)

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use super::factory::{self, is_range_parameter};
use super::guard::MAX_DEPTH;
use super::table::ROWS;
use super::{
    IntRange, Type, TypeKind, aliases, ast, meta, object_definition, short_text, type_set_definition,
};
use crate::data::big::BigRange;
use crate::data::fuel::BoundedFuel;
use crate::data::value::{Hash, RegexpValue, Str, Value, lower_case};
use crate::scalars::number::parse_whole;
use bunraku_stacks::COROUTINES;
use bunraku_syntax::ast::{FieldValue, Node, NodeId, Program};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::source::{Location, Source, Span};
use bunraku_syntax::watch::{Check, Never, Watch};
use bunraku_syntax::{self as syntax, ParseOptions};

/// Where types with names are found.
pub trait TypeLoader {
    /// A type by its name in lower case. Types of the language itself are not asked for.
    ///
    /// # Errors
    /// When the type is there, but wrong.
    fn load_type(&self, name: &str) -> Result<Option<Type>, Error>;

    /// Whether the types that the reference loads when they are asked for are known, too: `Error`.
    fn has_loaded_types(&self) -> bool {
        true
    }

    /// Says whether work on a long text or a great definition may go on.
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

/// Types with names that come with the language: aliases, resource types, Object types.
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
    types.extend(meta::aliases().into_iter().filter_map(|of| Some((of.name()?.to_lowercase(), of))));
    types.extend(meta::types().iter().filter_map(|of| Some((of.name()?.to_lowercase(), of.clone()))));
    types
});

/// The type of the language that the reference loads when it is asked for.
const LOADED: &str = "error";

/// What is said of where a type comes from that the language has from the start, by its name in lower case.
pub fn built_in_origin(name: &str) -> Option<&'static str> {
    if TYPES.contains_key(name) {
        return Some("Originally set by Puppet-Type-System/Static-Loader.");
    }
    let is_static = name != LOADED && (NAMED_TYPES.contains_key(name) || ast::get(name).is_some());
    is_static.then_some("Set at unknown location")
}

/// A type that comes with the language, by its name in lower case.
pub fn built_in(name: &str) -> Option<Type> {
    TYPES.get(name).or_else(|| NAMED_TYPES.get(name)).cloned().or_else(|| ast::get(name))
}

impl Type {
    /// Reads a type from text.
    ///
    /// # Errors
    /// When the text is no expression, or the expression no type.
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

    /// Reads a value from text in which types may stand: literals, lists, hashes, types.
    ///
    /// # Errors
    /// When the text is none.
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
/// When the expression is no type.
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

fn wrong_count(name: &str, required: &str, given: usize) -> Error {
    Error::plain(format!(
        "Invalid number of type parameters specified: {name} requires {required}, {given} provided"
    ))
}

/// Where a type is given parameters.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    /// The program, the expression, and what stands before the parameters in it; nothing while a text is read
    /// the short way, where complaints are of no interest.
    at: Option<(&'p Program, NodeId, NodeId)>,
}

impl Place<'_> {
    /// A place that nobody complains about.
    pub const UNKNOWN: Self = Self { at: None };

    fn not_a_type(self) -> Error {
        match self.at {
            Some((program, node, _)) => not_a_type(program, node),
            None => Error::plain(""),
        }
    }

    fn unparameterized(self) -> Error {
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
    /// Where other types are found.
    pub loader: &'a dyn TypeLoader,
}

struct Interpreter<'a> {
    program: &'a Program,
    naming: Naming<'a>,
}

/// The bound that a parameter stands for.
fn bound(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(number) => Some(*number),
        _ => None,
    }
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
                        let place = Place { at: Some((program, node, left_expr)) };
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

    fn type_at(&self, place: Place<'_>, values: &[Value], index: usize) -> Result<Type, Error> {
        match values.get(index) {
            Some(Value::Type(of)) => Ok(of.clone()),
            _ => Err(place.not_a_type()),
        }
    }

    fn assert_range(&self, place: Place<'_>, value: &Value) -> Result<(), Error> {
        if is_range_parameter(value) { Ok(()) } else { Err(place.not_a_type()) }
    }

    /// A size: an Integer type, or one or two bounds.
    fn size(&self, place: Place<'_>, values: &[Value]) -> Result<IntRange, Error> {
        match values {
            [Value::Type(of)] => match BigRange::of(of) {
                Some(range) => Ok(range.clamped()),
                None => Err(place.not_a_type()),
            },
            [from] => {
                self.assert_range(place, from)?;
                factory::range(from, &Value::Default)
            }
            [from, to, ..] => {
                self.assert_range(place, from)?;
                self.assert_range(place, to)?;
                factory::range(from, to)
            }
            [] => Ok(IntRange::ANY_SIZE),
        }
    }

    /// A type with parameters.
    pub fn access(&self, place: Place<'_>, cased_name: &str, mut keys: Vec<Value>) -> Result<Value, Error> {
        let name = lower_case(cased_name);
        let count = keys.len();
        let exactly = |name: &str, required: usize| {
            if count == required { Ok(()) } else { Err(wrong_count(name, &required.to_string(), count)) }
        };
        let at_least_one = |name: &str, count: usize| {
            if count >= 1 { Ok(()) } else { Err(wrong_count(name, "1 or more", count)) }
        };
        let invalid = || place.not_a_type();
        Ok(Value::Type(match name.as_str() {
            "array" => match keys.as_slice() {
                [_] => Type::array(self.type_at(place, &keys, 0)?, None),
                [Value::Type(of), size] => {
                    Type::array(of.clone(), Some(self.size(place, std::slice::from_ref(size))?))
                }
                // The reference takes the missing type for the value `default`.
                [_, _] => Type::array(Type::default_type(), Some(self.size(place, &keys)?)),
                [_, from, to] => {
                    let of = self.type_at(place, &keys, 0)?;
                    Type::array(of, Some(self.size(place, &[from.clone(), to.clone()])?))
                }
                _ => return Err(wrong_count("Array", "1 to 3", count)),
            },
            "hash" => match keys.as_slice() {
                [Value::Type(key), Value::Type(value)] => Type::hash(key.clone(), value.clone(), None),
                [_, _] => {
                    let size = self.size(place, &keys)?;
                    Type::hash(Type::default_type(), Type::default_type(), Some(size))
                }
                [_, _, size @ ..] if size.len() <= 2 && count > 2 => {
                    let size = self.size(place, size)?;
                    Type::hash(self.type_at(place, &keys, 0)?, self.type_at(place, &keys, 1)?, Some(size))
                }
                _ => return Err(wrong_count("Hash", "2 to 4", count)),
            },
            "collection" => match count {
                1 | 2 => Type::collection(Some(self.size(place, &keys)?)),
                _ => return Err(wrong_count("Collection", "1 to 2", count)),
            },
            "class" => {
                exactly("Class", 1)?;
                match keys.first() {
                    Some(Value::String(name)) => Type::class(name.strip_prefix("::").unwrap_or(name)),
                    _ => return Err(Error::internal("The name of a class is not a String")),
                }
            }
            "resource" => self.resource(&keys)?,
            "regexp" => {
                exactly("Regexp", 1)?;
                match keys.first() {
                    Some(Value::String(source)) => Type::regexp(source.clone()),
                    Some(Value::Regexp(regexp)) => TypeKind::Regexp(Some(regexp.clone())).into(),
                    _ => Type::any_regexp(),
                }
            }
            "enum" => {
                let case_insensitive = match keys.last() {
                    Some(Value::Boolean(fold)) => Some(*fold),
                    _ => None,
                };
                if case_insensitive.is_some() {
                    keys.pop();
                }
                at_least_one("Enum", keys.len())?;
                let texts = keys.iter().map(|key| match key {
                    Value::String(text) => Ok(text.clone()),
                    _ => Err(Error::plain("Enum parameters must be identifiers or strings")),
                });
                Type::enumeration(texts.collect::<Result<Vec<_>, _>>()?, case_insensitive.unwrap_or(false))
            }
            "pattern" => {
                at_least_one("Pattern", count)?;
                factory::pattern(&keys)?
            }
            "uri" => {
                exactly("URI", 1)?;
                factory::uri(&keys[0])?
            }
            "variant" => {
                at_least_one("Variant", count)?;
                let types = (0..count).map(|index| self.type_at(place, &keys, index));
                Type::variant(types.collect::<Result<Vec<_>, _>>()?)
            }
            "tuple" => {
                at_least_one("Tuple", count)?;
                let is_range =
                    |index: Option<usize>| index.is_some_and(|index| is_range_parameter(&keys[index]));
                let least = |value: &Value| bound(value).or(Some(0));
                let (types, size) = if is_range(count.checked_sub(2)) {
                    self.assert_range(place, &keys[count - 1])?;
                    (count - 2, Some((least(&keys[count - 2]), bound(&keys[count - 1]))))
                } else if is_range(count.checked_sub(1)) {
                    (count - 1, Some((least(&keys[count - 1]), None)))
                } else {
                    (count, None)
                };
                let size = size.map(|(from, to)| super::construct::checked_range(from, to)).transpose()?;
                Type::tuple(keys[..types].iter().map(factory::type_of).collect(), size)
            }
            "callable" => {
                if count > 1 && matches!(keys.first(), Some(Value::Array(_))) && count != 2 {
                    return Err(wrong_count("callable", "2 when first parameter is an array", count));
                }
                factory::callable(keys)?
            }
            "struct" => {
                exactly("Struct", 1)?;
                match keys.first() {
                    Some(Value::Hash(hash)) => factory::structure(hash)?,
                    _ => return Err(invalid()),
                }
            }
            "boolean" => {
                exactly("Boolean", 1)?;
                match keys.first() {
                    Some(Value::Boolean(value)) => Type::boolean(*value),
                    _ => return Err(Error::plain("Boolean parameter must be true or false")),
                }
            }
            "integer" => match keys.as_slice() {
                [from @ (Value::Integer(_) | Value::BigInteger(_))] => {
                    factory::integer(from, &Value::Default)?
                }
                [Value::Default] => Type::any_integer(),
                [_] => return Ok(Value::Undef),
                [from, to] => factory::integer(from, to)?,
                _ => return Err(wrong_count("Integer", "1 or 2", count)),
            },
            "float" => match keys.as_slice() {
                [Value::Default] => Type::any_float(),
                [from @ (Value::Integer(_) | Value::BigInteger(_) | Value::Float(_))] => {
                    Type::float(factory::float(from)?, None)
                }
                [_] => return Ok(Value::Undef),
                [from, to] => Type::checked_float(factory::float(from)?, factory::float(to)?)?,
                _ => return Err(wrong_count("Float", "1 or 2", count)),
            },
            "string" => match count {
                1 | 2 => Type::string(Some(self.size(place, &keys)?)),
                _ => return Err(wrong_count("String", "1 to 2", count)),
            },
            "object" => {
                exactly("Object", 1)?;
                object_definition::anonymous(&keys[0], self.loader)?
            }
            "typeset" => {
                exactly("Object", 1)?;
                type_set_definition::anonymous(&keys[0], self.loader)?
            }
            "init" => {
                let of = self.type_at(place, &keys, 0)?;
                Type::init(of, keys.split_off(1))
            }
            "iterable" => {
                exactly("Iterable", 1)?;
                Type::iterable(self.type_at(place, &keys, 0)?)
            }
            "iterator" => {
                exactly("Iterator", 1)?;
                Type::iterator(self.type_at(place, &keys, 0)?)
            }
            "sensitive" => match count {
                0 => Type::any_sensitive(),
                1 => Type::sensitive(&self.type_at(place, &keys, 0)?),
                _ => return Err(wrong_count("Sensitive", "0 to 1", count)),
            },
            "optional" | "notundef" => {
                let is_optional = name == "optional";
                let make = |of| if is_optional { Type::optional(of) } else { Type::not_undef(of) };
                match (count, keys.first()) {
                    (1, Some(Value::String(text))) => make(Type::string_value(text.clone())),
                    (1, _) => make(self.type_at(place, &keys, 0)?),
                    (0, _) if !is_optional => Type::any_not_undef(),
                    _ if is_optional => return Err(wrong_count("Optional", "1", count)),
                    _ => return Err(wrong_count("NotUndef", "0 to 1", count)),
                }
            }
            "any" | "data" | "catalogentry" | "scalar" | "undef" | "numeric" | "default" | "semverrange" => {
                return Err(place.unparameterized());
            }
            "type" => {
                exactly("Type", 1)?;
                Type::type_type(self.type_at(place, &keys, 0)?)
            }
            "runtime" => {
                exactly("Runtime", 2)?;
                factory::runtime(&keys[0], &keys[1])?
            }
            "timespan" => {
                if count > 2 {
                    return Err(wrong_count("Timespan", "0 to 2", count));
                }
                factory::timespan(&keys)?
            }
            "timestamp" => {
                if count > 2 {
                    return Err(wrong_count("Timestamp", "0 to 2", count));
                }
                factory::timestamp(&keys)?
            }
            "semver" => {
                at_least_one("SemVer", count)?;
                factory::sem_ver(&keys)?
            }
            _ => self.named(place, cased_name, &name, keys)?,
        }))
    }

    /// A type with a name of its own that is given parameters.
    fn named(&self, place: Place<'_>, cased: &str, name: &str, keys: Vec<Value>) -> Result<Type, Error> {
        let Some(of) = self.load(name)? else { return place.reference() };
        match of.kind() {
            TypeKind::Resource { type_name: Some(type_name), .. } => match keys.as_slice() {
                [Value::String(title)] => factory::resource(type_name, Some(title.clone())),
                [_] => Ok(Type::resource(type_name.clone(), None)),
                _ => Err(wrong_count(cased, "1", keys.len())),
            },
            TypeKind::Object(object) => super::extension::create(object, &keys),
            _ => Err(place.unparameterized()),
        }
    }

    fn resource(&self, keys: &[Value]) -> Result<Type, Error> {
        let mut keys = keys.to_vec();
        let mut name = keys.first().cloned().unwrap_or_default();
        if let Value::Type(of) = &name
            && let TypeKind::Reference(text) = of.kind()
        {
            let text = text.clone();
            match text.find('[') {
                None => name = Value::String(text),
                Some(at) => {
                    let Value::Array(titles) = Type::parse_literal(&text[at..], self.loader)? else {
                        return Err(Error::internal("A reference does not have a list of titles"));
                    };
                    if titles.len() != 1 {
                        return Err(wrong_count(&of.to_string(), "1", titles.len()));
                    }
                    name = Value::from(&text[..at]);
                    keys = std::iter::once(name.clone()).chain(titles.iter().cloned()).collect();
                }
            }
        }
        let title = match keys.len() {
            1 => None,
            2 => keys.get(1).and_then(Value::as_str).map(Into::into),
            count => return Err(wrong_count("Resource", "1 or 2", count)),
        };
        match &name {
            Value::Type(of) => match of.kind() {
                TypeKind::Resource { type_name: Some(type_name), .. } => {
                    Ok(Type::resource(type_name.clone(), title))
                }
                TypeKind::Resource { .. } => Ok(Type::any_resource()),
                _ => Err(Error::argument(format!(
                    "The type name cannot be a {}",
                    crate::ruby::names::ruby_class(&name)
                ))),
            },
            Value::String(name) => factory::resource(name, title),
            Value::Undef if title.is_some() => {
                Err(Error::argument("The type name cannot be nil, if title is given"))
            }
            Value::Undef => Ok(Type::any_resource()),
            _ => Err(Error::argument(format!(
                "The type name cannot be a {}",
                crate::ruby::names::ruby_class(&name)
            ))),
        }
    }
}

/// A regular expression that is checked where it is written.
pub(crate) fn checked_pattern(source: &str) -> Result<Arc<RegexpValue>, Error> {
    let regexp = Arc::new(RegexpValue::new(source));
    regexp.regex(&BoundedFuel::default())?;
    Ok(regexp)
}
