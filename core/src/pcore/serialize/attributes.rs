//! Types as data: what the reference's `Pcore::` Object types say a type is made of.
//!
//! Follows the `register_ptype` methods of the reference's types. An attribute that has its default value at the end of
//! the list is left out when a type is written.

use std::sync::Arc;

use crate::pcore::types::{IntRange, RuntimeName, StructMember, Type, TypeKind};
use crate::pcore::types::{object, type_set};
use crate::pcore::value::{Hash, RuntimeValue, Str, Value};

/// What an attribute holds.
pub(super) enum Part {
    /// A value.
    Value(Value),
    /// The members of a Struct, which are no values of the language.
    Members(Vec<StructMember>),
}

/// A type as an object: the name of its Object type, and its attributes with their defaults.
pub(super) struct Description {
    /// `Pcore::IntegerType`
    pub name: &'static str,
    /// Name, value and default (none for a required attribute), in the order of the constructor.
    pub attributes: Vec<(&'static str, Part, Option<Value>)>,
}

impl Description {
    /// The attributes to write: without those at the end that have their default value.
    pub fn written(mut self) -> Vec<(&'static str, Part)> {
        while let Some((_, Part::Value(value), Some(default))) = self.attributes.last() {
            if value != default {
                break;
            }
            self.attributes.pop();
        }
        self.attributes.into_iter().map(|(name, part, _)| (name, part)).collect()
    }
}

/// What a type is made of.
pub(super) fn describe(of: &Type) -> Description {
    let optional_type = |of: &Option<Type>| of.clone().map_or(Value::Undef, Value::Type);
    let types = |types: &[Type]| Value::array(types.iter().cloned().map(Value::Type));
    let size = |size: &Option<IntRange>| {
        size.map_or(Value::Undef, |size| Value::Type(Type::integer(size.from, size.to)))
    };
    let integer = |number: Option<i64>| number.map_or(Value::Undef, Value::Integer);
    let text = |text: &Option<Str>| text.clone().map_or(Value::Undef, Value::String);
    let element = |element: &Option<Type>, size: &Option<IntRange>| {
        let empty = size.is_some_and(|size| size.is_zero());
        Value::Type(element.clone().unwrap_or_else(|| if empty { Type::unit() } else { Type::any() }))
    };
    let required = |name, value| (name, Part::Value(value), None);
    let with_default = |name, value, default| (name, Part::Value(value), Some(default));
    let optional = |name, value| (name, Part::Value(value), Some(Value::Undef));
    let any = || Value::Type(Type::any());
    let (name, attributes) = match of.kind() {
        TypeKind::Any => ("Pcore::AnyType", vec![]),
        TypeKind::Unit => ("Pcore::UnitType", vec![]),
        TypeKind::Undef => ("Pcore::UndefType", vec![]),
        TypeKind::Default => ("Pcore::DefaultType", vec![]),
        TypeKind::Scalar => ("Pcore::ScalarType", vec![]),
        TypeKind::ScalarData => ("Pcore::ScalarDataType", vec![]),
        TypeKind::Numeric => ("Pcore::NumericType", vec![]),
        TypeKind::Integer(range) => (
            "Pcore::IntegerType",
            vec![optional("from", integer(range.from)), optional("to", integer(range.to))],
        ),
        TypeKind::Float(range) => {
            let float = |number: Option<f64>| number.map_or(Value::Undef, Value::Float);
            ("Pcore::FloatType", vec![optional("from", float(range.from)), optional("to", float(range.to))])
        }
        TypeKind::Boolean(_) => ("Pcore::BooleanType", vec![]),
        TypeKind::String { size: bounds, value } => {
            let given = if value.is_some() { text(value) } else { size(bounds) };
            ("Pcore::StringType", vec![optional("size_type_or_value", given)])
        }
        TypeKind::Enum { values, case_insensitive } => {
            let values = Value::array(values.iter().cloned().map(Value::String));
            let flag =
                with_default("case_insensitive", Value::Boolean(*case_insensitive), Value::Boolean(false));
            ("Pcore::EnumType", vec![required("values", values), flag])
        }
        TypeKind::Pattern(patterns) => {
            let patterns = patterns
                .iter()
                .map(|pattern| Value::Type(TypeKind::Regexp(Some(Arc::clone(pattern))).into()));
            ("Pcore::PatternType", vec![required("patterns", Value::array(patterns))])
        }
        TypeKind::Regexp(pattern) => {
            let pattern =
                pattern.as_ref().map_or(Value::Undef, |pattern| Value::String(pattern.source.clone()));
            ("Pcore::RegexpType", vec![optional("pattern", pattern)])
        }
        TypeKind::Collection { size: bounds } => {
            ("Pcore::CollectionType", vec![optional("size_type", size(bounds))])
        }
        TypeKind::Array { element: of, size: bounds } => {
            let element = with_default("element_type", element(of, bounds), any());
            ("Pcore::ArrayType", vec![element, optional("size_type", size(bounds))])
        }
        TypeKind::Hash { key, value, size: bounds } => {
            let key = with_default("key_type", element(key, bounds), any());
            let value = with_default("value_type", element(value, bounds), any());
            ("Pcore::HashType", vec![key, value, optional("size_type", size(bounds))])
        }
        TypeKind::Tuple { types: of, size: bounds } => {
            let of = types(of);
            ("Pcore::TupleType", vec![required("types", of), optional("size_type", size(bounds))])
        }
        TypeKind::Struct { members } => {
            ("Pcore::StructType", vec![("elements", Part::Members(members.clone()), None)])
        }
        TypeKind::Iterable(of) => ("Pcore::IterableType", vec![optional("type", optional_type(of))]),
        TypeKind::Iterator(of) => ("Pcore::IteratorType", vec![optional("type", optional_type(of))]),
        TypeKind::Callable(of) => {
            let part =
                |part: fn(&crate::pcore::types::CallableType) -> &Option<Type>| optional_type(part(of));
            let parameters = optional("param_types", part(|of| &of.parameters));
            let block = optional("block_type", part(|of| &of.block));
            let returns = with_default("return_type", part(|of| &of.returns), any());
            ("Pcore::CallableType", vec![parameters, block, returns])
        }
        TypeKind::Type(of) => ("Pcore::TypeType", vec![optional("type", optional_type(of))]),
        TypeKind::Optional(of) => ("Pcore::OptionalType", vec![optional("type", optional_type(of))]),
        TypeKind::NotUndef(of) => ("Pcore::NotUndefType", vec![optional("type", optional_type(of))]),
        TypeKind::Variant(of) => ("Pcore::VariantType", vec![required("types", types(of))]),
        TypeKind::Sensitive(_) => ("Pcore::SensitiveType", vec![]),
        TypeKind::CatalogEntry => ("Pcore::CatalogEntryType", vec![]),
        TypeKind::Class(name) => ("Pcore::ClassType", vec![optional("class_name", text(name))]),
        TypeKind::Resource { type_name, title } => (
            "Pcore::ResourceType",
            vec![optional("type_name", text(type_name)), optional("title", text(title))],
        ),
        TypeKind::SemVer(ranges) => {
            let ranges = Value::array(ranges.iter().cloned().map(Value::SemVerRange));
            ("Pcore::SemVerType", vec![with_default("ranges", ranges, Value::array([]))])
        }
        TypeKind::SemVerRange => ("Pcore::SemVerRangeType", vec![]),
        TypeKind::Timestamp { from, to } => {
            let moment = |moment: &Option<_>| moment.map_or(Value::Undef, Value::Timestamp);
            ("Pcore::TimestampType", vec![optional("from", moment(from)), optional("to", moment(to))])
        }
        TypeKind::Timespan { from, to } => {
            let span = |span: &Option<_>| span.map_or(Value::Undef, Value::Timespan);
            ("Pcore::TimespanType", vec![optional("from", span(from)), optional("to", span(to))])
        }
        TypeKind::Binary => ("Pcore::BinaryType", vec![]),
        TypeKind::Uri(parameter) => {
            let parameters = match parameter {
                None => Value::Undef,
                Some(parts) => {
                    let parts =
                        parts.iter().map(|(name, value)| (Value::String(name.clone()), value.clone()));
                    Value::from(parts.collect::<Hash>())
                }
            };
            ("Pcore::URIType", vec![optional("parameters", parameters)])
        }
        TypeKind::Runtime { runtime, name } => {
            let runtime = runtime.as_ref().map_or(Value::Undef, |runtime| symbol(runtime));
            let name = match name {
                None => Value::Undef,
                Some(RuntimeName::Class(name)) => Value::String(name.clone()),
                Some(RuntimeName::Mapping(pattern, replacement)) => {
                    Value::array([Value::regexp(pattern.clone()), Value::String(replacement.clone())])
                }
            };
            ("Pcore::RuntimeType", vec![optional("runtime", runtime), optional("name_or_pattern", name)])
        }
        TypeKind::Init { of, arguments } => {
            let arguments =
                with_default("init_args", Value::array(arguments.iter().cloned()), Value::array([]));
            ("Pcore::InitType", vec![optional("type", optional_type(of)), arguments])
        }
        TypeKind::Object(of) => (
            "Pcore::ObjectType",
            vec![required("_pcore_init_hash", Value::from(object::init_hash(of, true)))],
        ),
        TypeKind::ObjectExtension { base, parameters } => {
            let base_type = Value::Type(TypeKind::Object(Arc::clone(base)).into());
            let given = object::extension_parameters(base, parameters);
            (
                "Pcore::ObjectTypeExtenType",
                vec![required("base_type", base_type), required("init_parameters", given)],
            )
        }
        TypeKind::TypeSet(set) => {
            ("Pcore::TypeSet", vec![required("_pcore_init_hash", Value::from(type_set::init_hash(set)))])
        }
        TypeKind::Alias(alias) => {
            let target = optional("resolved_type", optional_type(&alias.target.get().cloned()));
            let name = required("name", Value::String(alias.name.clone()));
            ("Pcore::TypeAliasType", vec![name, required("type_expr", Value::Undef), target])
        }
        TypeKind::Reference(text) => {
            ("Pcore::TypeReferenceType", vec![required("type_string", Value::String(text.clone()))])
        }
    };
    Description { name, attributes }
}

/// A Ruby symbol.
fn symbol(text: &str) -> Value {
    Value::Runtime(Arc::new(RuntimeValue {
        runtime: "ruby".into(),
        class: "Symbol".into(),
        text: text.into(),
    }))
}
