//! The Object types that describe types (`Pcore::IntegerType` and its like), and the other Object types that come with
//! the language: `Deferred`, `Error`, `Annotation`. Follows the `register_ptype` methods of the reference's types,
//! `pcore.rb`, and `datatypes/error.rb`.

use std::sync::{Arc, LazyLock, OnceLock};

use indexmap::IndexMap;

use super::{
    Attribute, AttributeKind, Function, ObjectDefinition, ObjectType, Type, TypeKind, object_definition, uri,
};
use crate::data::value::{Str, Value};

/// An attribute of the table: name, type, default.
type Row = (&'static str, Type, Option<Value>);

fn object(name: &str, parent: Option<&Type>, rows: Vec<Row>) -> Type {
    let attribute = |(name, attribute_type, value): Row| {
        let attribute = Attribute {
            attribute_type,
            kind: AttributeKind::Normal,
            value,
            is_final: false,
            is_override: false,
            annotations: None,
        };
        (Str::from(name), attribute)
    };
    let definition = ObjectDefinition {
        parent: parent.cloned(),
        attributes: rows.into_iter().map(attribute).collect(),
        equality_include_type: true,
        ..ObjectDefinition::default()
    };
    TypeKind::Object(Arc::new(ObjectType { name: name.into(), definition: OnceLock::from(definition) }))
        .into()
}

/// `Annotation`
pub fn annotation() -> Type {
    static ANNOTATION: LazyLock<Type> = LazyLock::new(|| object("Annotation", None, Vec::new()));
    ANNOTATION.clone()
}

/// `Deferred`
pub fn deferred() -> Type {
    static DEFERRED: LazyLock<Type> = LazyLock::new(|| {
        let name = Type::pattern([r"\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\z"]);
        let arguments = Type::optional(Type::any_array());
        object("Deferred", None, vec![("name", name, None), ("arguments", arguments, Some(Value::Undef))])
    });
    DEFERRED.clone()
}

/// `Error`
pub fn error() -> Type {
    static ERROR: LazyLock<Type> = LazyLock::new(make_error);
    ERROR.clone()
}

fn make_error() -> Type {
    // Each of them is a type of its own: data points to types that are the very same.
    let non_empty = || Type::string(Some(super::IntRange { from: Some(1), to: None }));
    let text = || Type::optional(non_empty());
    let details = Type::hash(non_empty(), super::aliases::data(), None);
    let undef = || Some(Value::Undef);
    let error = object(
        "Error",
        None,
        vec![
            ("msg", non_empty(), None),
            ("kind", text(), undef()),
            ("details", Type::optional(details), undef()),
            ("issue_code", text(), undef()),
        ],
    );
    let TypeKind::Object(plain) = error.kind() else { return error };
    let parameter_type = || {
        Type::optional(Type::variant([
            Type::any_string(),
            Type::any_regexp(),
            Type::type_type(Type::any_enum()),
            Type::type_type(Type::any_pattern()),
            Type::type_type(Type::any_not_undef()),
            Type::type_type(Type::undef()),
        ]))
    };
    let parameter = |name: &str| {
        let parameter = Attribute {
            attribute_type: parameter_type(),
            kind: AttributeKind::Normal,
            value: None,
            is_final: false,
            is_override: false,
            annotations: None,
        };
        (Str::from(name), parameter)
    };
    let message = Function {
        function_type: Type::callable(Some(Type::tuple(Vec::new(), None)), None, Some(non_empty())),
        is_final: false,
        is_override: false,
        annotations: None,
    };
    let definition = ObjectDefinition {
        type_parameters: ["kind", "issue_code"].map(parameter).into_iter().collect(),
        functions: IndexMap::from_iter([(Str::from("message"), message)]),
        ..plain.definition().clone()
    };
    TypeKind::Object(Arc::new(ObjectType { name: "Error".into(), definition: OnceLock::from(definition) }))
        .into()
}

/// All Object types of this file.
pub fn types() -> &'static [Type] {
    static TYPES: LazyLock<Vec<Type>> = LazyLock::new(make_types);
    &TYPES
}

fn make_types() -> Vec<Type> {
    let undef = || Some(Value::Undef);
    let text = || Type::optional(Type::non_empty_string());
    let of = || Type::optional(Type::any_type());
    let size = || Type::optional(Type::type_type(Type::any_integer()));
    let any = object("Pcore::AnyType", Some(&Type::any()), Vec::new());
    let plain = |name: &str, rows: Vec<Row>| object(name, Some(&any), rows);
    let containing = |name: &str| plain(name, vec![("type", of(), undef())]);
    let scalar = plain("Pcore::ScalarType", Vec::new());
    let scalar_data = object("Pcore::ScalarDataType", Some(&scalar), Vec::new());
    let number = || Type::optional(Type::numeric());
    let numeric = object(
        "Pcore::NumericType",
        Some(&scalar_data),
        vec![("from", number(), undef()), ("to", number(), undef())],
    );
    let collection = plain("Pcore::CollectionType", vec![("size_type", size(), undef())]);
    let catalog_entry = plain("Pcore::CatalogEntryType", Vec::new());
    let element = object(
        "Pcore::StructElement",
        None,
        vec![("key_type", Type::any_type(), None), ("value_type", Type::any_type(), None)],
    );
    let between =
        |of: Type| vec![("from", Type::optional(of.clone()), undef()), ("to", Type::optional(of), undef())];
    let any_value = || Some(Value::Type(Type::any()));
    let types = || Type::array(Type::any_type(), None);
    let empty = || Some(Value::from(Vec::new()));
    let ranges = Type::array(Type::variant([Type::sem_ver_range(), Type::non_empty_string()]), None);
    let mapping = Type::tuple(vec![Type::any_regexp(), Type::non_empty_string()], None);
    vec![
        annotation(),
        object(
            "RubyMethod",
            Some(&annotation()),
            vec![("body", Type::any_string(), None), ("parameters", text(), undef())],
        ),
        deferred(),
        error(),
        object("Pcore", None, Vec::new()),
        any.clone(),
        containing("Pcore::TypeType"),
        containing("Pcore::NotUndefType"),
        containing("Pcore::OptionalType"),
        containing("Pcore::IterableType"),
        containing("Pcore::IteratorType"),
        plain("Pcore::SensitiveType", Vec::new()),
        plain("Pcore::UndefType", Vec::new()),
        plain("Pcore::UnitType", Vec::new()),
        plain("Pcore::DefaultType", Vec::new()),
        scalar.clone(),
        scalar_data.clone(),
        object(
            "Pcore::EnumType",
            Some(&scalar_data),
            vec![
                ("values", Type::array(Type::non_empty_string(), None), None),
                ("case_insensitive", Type::any_boolean(), Some(Value::Boolean(false))),
            ],
        ),
        numeric.clone(),
        object("Pcore::IntegerType", Some(&numeric), Vec::new()),
        object("Pcore::FloatType", Some(&numeric), Vec::new()),
        collection.clone(),
        object(
            "Pcore::StringType",
            Some(&scalar_data),
            vec![(
                "size_type_or_value",
                Type::optional(Type::variant([Type::any_string(), Type::type_type(Type::any_integer())])),
                undef(),
            )],
        ),
        object(
            "Pcore::RegexpType",
            Some(&scalar),
            vec![(
                "pattern",
                Type::variant([Type::undef(), Type::any_string(), Type::any_regexp()]),
                undef(),
            )],
        ),
        object(
            "Pcore::PatternType",
            Some(&scalar_data),
            vec![("patterns", Type::array(Type::any_regexp(), None), None)],
        ),
        object("Pcore::BooleanType", Some(&scalar_data), Vec::new()),
        element.clone(),
        plain("Pcore::StructType", vec![("elements", Type::array(element, None), None)]),
        plain("Pcore::TupleType", vec![("types", types(), None), ("size_type", size(), undef())]),
        plain(
            "Pcore::CallableType",
            vec![
                ("param_types", Type::optional(Type::type_type(Type::any_tuple())), undef()),
                ("block_type", Type::optional(Type::type_type(Type::any_callable())), undef()),
                ("return_type", of(), any_value()),
            ],
        ),
        object("Pcore::ArrayType", Some(&collection), vec![("element_type", of(), any_value())]),
        object(
            "Pcore::HashType",
            Some(&collection),
            vec![("key_type", of(), any_value()), ("value_type", of(), any_value())],
        ),
        plain("Pcore::VariantType", vec![("types", types(), None)]),
        catalog_entry.clone(),
        object("Pcore::ClassType", Some(&catalog_entry), vec![("class_name", text(), undef())]),
        object(
            "Pcore::ResourceType",
            Some(&catalog_entry),
            vec![("type_name", text(), undef()), ("title", text(), undef())],
        ),
        plain("Pcore::TypeReferenceType", vec![("type_string", Type::non_empty_string(), None)]),
        plain(
            "Pcore::TypeAliasType",
            vec![
                ("name", Type::non_empty_string(), None),
                ("type_expr", Type::any(), None),
                ("resolved_type", of(), undef()),
            ],
        ),
        plain(
            "Pcore::RuntimeType",
            vec![
                ("runtime", text(), undef()),
                (
                    "name_or_pattern",
                    Type::optional(Type::variant([Type::non_empty_string(), mapping])),
                    undef(),
                ),
            ],
        ),
        object("Pcore::SemVerType", Some(&scalar), vec![("ranges", ranges, empty())]),
        plain("Pcore::SemVerRangeType", Vec::new()),
        object("Pcore::TimespanType", Some(&scalar), between(Type::any_timespan())),
        object("Pcore::TimestampType", Some(&scalar), between(Type::any_timestamp())),
        plain("Pcore::BinaryType", Vec::new()),
        plain("Pcore::InitType", vec![("type", of(), undef()), ("init_args", Type::any_array(), empty())]),
        // The reference takes four letters from the end of its class name.
        plain(
            "Pcore::ObjectTypeExtenType",
            vec![("base_type", Type::any_type(), None), ("init_parameters", Type::any_array(), None)],
        ),
        plain("Pcore::ObjectType", vec![("_pcore_init_hash", object_definition::INITIALIZER.clone(), None)]),
        plain(
            "Pcore::TypeSetType",
            vec![("_pcore_init_hash", super::type_set_definition::INITIALIZER.clone(), None)],
        ),
        plain("Pcore::URIType", vec![("parameters", Type::optional(uri::parameter_type()), undef())]),
    ]
}

/// The aliases that describe the names of types and members.
pub fn aliases() -> Vec<Type> {
    vec![
        Type::alias("Pcore::URI", uri::uri_pattern()),
        Type::alias("Pcore::SimpleTypeName", object_definition::simple_type_name()),
        Type::alias("Pcore::MemberName", object_definition::member_name()),
        Type::alias("Pcore::TypeName", object_definition::qualified_reference()),
        Type::alias("Pcore::QRef", object_definition::qualified_reference()),
    ]
}

/// The Object type that describes a type.
pub fn meta_type(of: &Type) -> Option<Type> {
    let name = match of.kind() {
        TypeKind::ObjectExtension { .. } => "ObjectTypeExten",
        kind => kind.kind_name(),
    };
    let matches = |meta: &&Type| {
        matches!(meta.kind(), TypeKind::Object(object)
            if object.name.strip_prefix("Pcore::").and_then(|rest| rest.strip_suffix("Type")) == Some(name))
    };
    types().iter().find(matches).cloned()
}
