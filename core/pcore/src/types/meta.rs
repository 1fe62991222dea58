//! The Object types that describe types (`Pcore::IntegerType` and its like), and the other Object types that
//! come with the language: `Deferred`, `Error`, `Annotation`. Follows the `register_ptype` methods of the
//! reference's types, `pcore.rb`, and `datatypes/error.rb`.

use std::sync::{Arc, LazyLock};

use indexmap::IndexMap;

use super::table::{ROWS, place};
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
    TypeKind::Object(Arc::new(ObjectType::defined(name, definition))).into()
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
    TypeKind::Object(Arc::new(ObjectType::defined("Error", definition))).into()
}

/// All Object types of this file.
pub fn types() -> &'static [Type] {
    static TYPES: LazyLock<Vec<Type>> = LazyLock::new(make_types);
    &TYPES
}

fn make_types() -> Vec<Type> {
    let text = Type::optional(Type::non_empty_string());
    let method = vec![("body", Type::any_string(), None), ("parameters", text, Some(Value::Undef))];
    let others = [
        annotation(),
        object("RubyMethod", Some(&annotation()), method),
        deferred(),
        error(),
        object("Pcore", None, Vec::new()),
        struct_element(),
    ];
    others.into_iter().chain(META_TYPES.iter().cloned()).collect()
}

/// `Pcore::StructElement`
pub(super) fn struct_element() -> Type {
    static ELEMENT: LazyLock<Type> = LazyLock::new(|| {
        let rows = vec![("key_type", Type::any_type(), None), ("value_type", Type::any_type(), None)];
        object("Pcore::StructElement", None, rows)
    });
    ELEMENT.clone()
}

/// The Object types that describe the types of the table, in its order.
static META_TYPES: LazyLock<Vec<Type>> = LazyLock::new(|| {
    let mut made: Vec<Type> = Vec::with_capacity(ROWS.len());
    for row in ROWS {
        let parent = row.parent.and_then(|parent| made.get(parent)).cloned().unwrap_or_else(Type::any);
        let attributes =
            (row.attributes)().into_iter().map(|attribute| (attribute.name, attribute.of, attribute.default));
        made.push(object(&format!("Pcore::{}Type", row.meta_name), Some(&parent), attributes.collect()));
    }
    made
});

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
    META_TYPES.get(place(of.kind())).cloned()
}
