//! The TypeSet `Puppet::AST`: the nodes of programs as types of the language. Follows the reference's
//! `pops/model/ast.pp`; a test compares the nodes and their attributes with the table of nodes
//! (`syntax::ast`), which has no abstract ones.

use std::sync::{Arc, LazyLock, OnceLock};

use indexmap::IndexMap;

use super::{
    Attribute, AttributeKind, ObjectDefinition, ObjectType, Type, TypeKind, TypeLoader, TypeSetDefinition,
    TypeSetType,
};
use crate::data::value::{Object, Str, Value, Version};
use bunraku_syntax::diagnostic::Error;

/// The name of the set.
const NAME: &str = "Puppet::AST";

/// How an attribute contains values of its type.
#[derive(Clone, Copy)]
enum Holds {
    /// One, which must be given.
    One,
    /// One, or else this value.
    Else(&'static str),
    /// One or none.
    Maybe,
    /// Any number in a list.
    List,
    /// One or more in a list, which must be given.
    Filled,
    /// One that is not a part of the node.
    Other,
    /// Any number in a list that are not parts of the node.
    Others,
    /// Computed from the other attributes.
    Derived,
}

use Holds::{Derived, Else, Filled, List, Maybe, One, Other, Others};

/// A type: its name, its parent's, and its own attributes.
type Row = (&'static str, &'static str, &'static [(&'static str, Holds, &'static str)]);

/// The types, in the reference's order: each follows those that it names.
#[rustfmt::skip]
static TYPES: &[Row] = &[
    ("Locator", "", &[("string", One, "String"), ("file", One, "String"), ("line_index", Maybe, "Array[Integer]")]),
    ("PopsObject", "", &[]),
    ("Positioned", "PopsObject", &[("locator", Other, "Locator"), ("offset", One, "Integer"), ("length", One, "Integer"),
        ("file", Derived, "String"), ("line", Derived, "Integer"), ("pos", Derived, "Integer")]),
    ("Expression", "Positioned", &[]),
    ("Nop", "Expression", &[]),
    ("BinaryExpression", "Expression", &[("left_expr", One, "Expression"), ("right_expr", One, "Expression")]),
    ("UnaryExpression", "Expression", &[("expr", One, "Expression")]),
    ("ParenthesizedExpression", "UnaryExpression", &[]),
    ("NotExpression", "UnaryExpression", &[]),
    ("UnaryMinusExpression", "UnaryExpression", &[]),
    ("UnfoldExpression", "UnaryExpression", &[]),
    ("AssignmentExpression", "BinaryExpression", &[("operator", One, "Enum['+=', '-=', '=']")]),
    ("ArithmeticExpression", "BinaryExpression", &[("operator", One, "Enum['%', '*', '+', '-', '/', '<<', '>>']")]),
    ("RelationshipExpression", "BinaryExpression", &[("operator", One, "Enum['->', '<-', '<~', '~>']")]),
    ("AccessExpression", "Expression", &[("left_expr", One, "Expression"), ("keys", List, "Expression")]),
    ("ComparisonExpression", "BinaryExpression", &[("operator", One, "Enum['!=', '<', '<=', '==', '>', '>=']")]),
    ("MatchExpression", "BinaryExpression", &[("operator", One, "Enum['!~', '=~']")]),
    ("InExpression", "BinaryExpression", &[]),
    ("BooleanExpression", "BinaryExpression", &[]),
    ("AndExpression", "BooleanExpression", &[]),
    ("OrExpression", "BooleanExpression", &[]),
    ("LiteralList", "Expression", &[("values", List, "Expression")]),
    ("KeyedEntry", "Positioned", &[("key", One, "Expression"), ("value", One, "Expression")]),
    ("LiteralHash", "Expression", &[("entries", List, "KeyedEntry")]),
    ("BlockExpression", "Expression", &[("statements", List, "Expression")]),
    ("ApplyBlockExpression", "BlockExpression", &[]),
    ("CaseOption", "Expression", &[("values", Filled, "Expression"), ("then_expr", Maybe, "Expression")]),
    ("CaseExpression", "Expression", &[("test", One, "Expression"), ("options", List, "CaseOption")]),
    ("QueryExpression", "Expression", &[("expr", Maybe, "Expression")]),
    ("ExportedQuery", "QueryExpression", &[]),
    ("VirtualQuery", "QueryExpression", &[]),
    ("AbstractAttributeOperation", "Positioned", &[]),
    ("AttributeOperation", "AbstractAttributeOperation", &[("attribute_name", One, "String"),
        ("operator", One, "Enum['+>', '=>']"), ("value_expr", One, "Expression")]),
    ("AttributesOperation", "AbstractAttributeOperation", &[("expr", One, "Expression")]),
    ("CollectExpression", "Expression", &[("type_expr", One, "Expression"), ("query", One, "QueryExpression"),
        ("operations", List, "AbstractAttributeOperation")]),
    ("Parameter", "Positioned", &[("name", One, "String"), ("value", Maybe, "Expression"), ("type_expr", Maybe, "Expression"),
        ("captures_rest", Maybe, "Boolean")]),
    ("Definition", "Expression", &[]),
    ("NamedDefinition", "Definition", &[("name", One, "String"), ("parameters", List, "Parameter"), ("body", Maybe, "Expression")]),
    ("FunctionDefinition", "NamedDefinition", &[("return_type", Maybe, "Expression")]),
    ("ResourceTypeDefinition", "NamedDefinition", &[]),
    ("QRefDefinition", "Definition", &[("name", One, "String")]),
    ("TypeAlias", "QRefDefinition", &[("type_expr", Maybe, "Expression")]),
    ("TypeMapping", "Definition", &[("type_expr", Maybe, "Expression"), ("mapping_expr", Maybe, "Expression")]),
    ("TypeDefinition", "QRefDefinition", &[("parent", Maybe, "String"), ("body", Maybe, "Expression")]),
    ("NodeDefinition", "Definition", &[("parent", Maybe, "Expression"), ("host_matches", Filled, "Expression"),
        ("body", Maybe, "Expression")]),
    ("HeredocExpression", "Expression", &[("syntax", Maybe, "String"), ("text_expr", One, "Expression")]),
    ("HostClassDefinition", "NamedDefinition", &[("parent_class", Maybe, "String")]),
    ("PlanDefinition", "FunctionDefinition", &[]),
    ("LambdaExpression", "Expression", &[("parameters", List, "Parameter"), ("body", Maybe, "Expression"),
        ("return_type", Maybe, "Expression")]),
    ("ApplyExpression", "Expression", &[("arguments", List, "Expression"), ("body", Maybe, "Expression")]),
    ("IfExpression", "Expression", &[("test", One, "Expression"), ("then_expr", Maybe, "Expression"), ("else_expr", Maybe, "Expression")]),
    ("UnlessExpression", "IfExpression", &[]),
    ("CallExpression", "Expression", &[("rval_required", Else("false"), "Boolean"), ("functor_expr", One, "Expression"),
        ("arguments", List, "Expression"), ("lambda", Maybe, "Expression")]),
    ("CallFunctionExpression", "CallExpression", &[]),
    ("CallNamedFunctionExpression", "CallExpression", &[]),
    ("CallMethodExpression", "CallExpression", &[]),
    ("Literal", "Expression", &[]),
    ("LiteralValue", "Literal", &[]),
    ("LiteralRegularExpression", "LiteralValue", &[("value", One, "Any"), ("pattern", One, "String")]),
    ("LiteralString", "LiteralValue", &[("value", One, "String")]),
    ("LiteralNumber", "LiteralValue", &[]),
    ("LiteralInteger", "LiteralNumber", &[("radix", Else("10"), "Integer"), ("value", One, "Integer")]),
    ("LiteralFloat", "LiteralNumber", &[("value", One, "Float")]),
    ("LiteralUndef", "Literal", &[]),
    ("LiteralDefault", "Literal", &[]),
    ("LiteralBoolean", "LiteralValue", &[("value", One, "Boolean")]),
    ("TextExpression", "UnaryExpression", &[]),
    ("ConcatenatedString", "Expression", &[("segments", List, "Expression")]),
    ("QualifiedName", "LiteralValue", &[("value", One, "String")]),
    ("ReservedWord", "LiteralValue", &[("word", One, "String"), ("future", Maybe, "Boolean")]),
    ("QualifiedReference", "LiteralValue", &[("cased_value", One, "String"), ("value", Derived, "String")]),
    ("VariableExpression", "UnaryExpression", &[]),
    ("EppExpression", "Expression", &[("parameters_specified", Maybe, "Boolean"), ("body", Maybe, "Expression")]),
    ("RenderStringExpression", "LiteralString", &[]),
    ("RenderExpression", "UnaryExpression", &[]),
    ("ResourceBody", "Positioned", &[("title", Maybe, "Expression"), ("operations", List, "AbstractAttributeOperation")]),
    ("AbstractResource", "Expression", &[("form", Else("'regular'"), "Enum['exported', 'regular', 'virtual']"),
        ("virtual", Derived, "Boolean"), ("exported", Derived, "Boolean")]),
    ("ResourceExpression", "AbstractResource", &[("type_name", One, "Expression"), ("bodies", List, "ResourceBody")]),
    ("ResourceDefaultsExpression", "AbstractResource", &[("type_ref", Maybe, "Expression"),
        ("operations", List, "AbstractAttributeOperation")]),
    ("ResourceOverrideExpression", "AbstractResource", &[("resources", One, "Expression"),
        ("operations", List, "AbstractAttributeOperation")]),
    ("SelectorEntry", "Positioned", &[("matching_expr", One, "Expression"), ("value_expr", One, "Expression")]),
    ("SelectorExpression", "Expression", &[("left_expr", One, "Expression"), ("selectors", List, "SelectorEntry")]),
    ("NamedAccessExpression", "BinaryExpression", &[]),
    ("Program", "PopsObject", &[("body", Maybe, "Expression"), ("definitions", Others, "Definition"), ("source_text", Derived, "String"),
        ("source_ref", Derived, "String"), ("line_offsets", Derived, "Array[Integer]"), ("locator", One, "Locator")]),
];

/// The set and its types, by their names in lower case; none if the table were wrong.
static SET: LazyLock<IndexMap<Str, Type>> = LazyLock::new(|| make().unwrap_or_default());

/// The set, or a type of it, by its name in lower case.
pub(super) fn get(name: &str) -> Option<Type> {
    if name.starts_with("puppet::ast") { SET.get(name).cloned() } else { None }
}

/// The types made so far, by their names in lower case.
struct Made<'m>(&'m IndexMap<Str, Type>);

impl TypeLoader for Made<'_> {
    fn load_type(&self, name: &str) -> Result<Option<Type>, Error> {
        Ok(self.0.get(name).cloned())
    }
}

fn make() -> Result<IndexMap<Str, Type>, Error> {
    let mut made: IndexMap<Str, Type> = IndexMap::new();
    let mut types = IndexMap::new();
    for &(name, parent, attributes) in TYPES {
        let definition = ObjectDefinition {
            parent: made.get(parent.to_lowercase().as_str()).cloned(),
            attributes: attributes
                .iter()
                .map(|&(name, holds, of)| Ok((name.into(), attribute(holds, of, &Made(&made))?)))
                .collect::<Result<_, Error>>()?,
            // The place of a node does not affect equality.
            equality: (name == "Positioned").then(Vec::new),
            equality_include_type: true,
            ..ObjectDefinition::default()
        };
        let object = ObjectType::defined(format!("{NAME}::{name}"), definition);
        let of: Type = TypeKind::Object(Arc::new(object)).into();
        made.insert(name.to_lowercase().into(), of.clone());
        types.insert(Str::from(name), of);
    }
    let definition = TypeSetDefinition {
        version: None,
        name_authority: None,
        pcore_version: Some(Version::of(1, 0, 0)),
        pcore_uri: None,
        types,
        references: IndexMap::new(),
        annotations: None,
    };
    let set = TypeSetType { name: NAME.into(), definition: OnceLock::from(definition) };
    let prefix = NAME.to_lowercase();
    let mut known: IndexMap<Str, Type> =
        made.into_iter().map(|(name, of)| (format!("{prefix}::{name}").into(), of)).collect();
    known.insert(prefix.into(), TypeKind::TypeSet(Arc::new(set)).into());
    Ok(known)
}

fn attribute(holds: Holds, of: &str, made: &Made<'_>) -> Result<Attribute, Error> {
    let of = Type::parse(of, made)?;
    let none = Some(Value::from(Vec::new()));
    let (attribute_type, value) = match holds {
        One | Other | Derived => (of, None),
        Else(value) => (of, Some(Type::parse_literal(value, made)?)),
        Maybe => (Type::optional(of), Some(Value::Undef)),
        List | Others => (Type::array(of, None), none),
        Filled => (Type::array(of, Some(super::IntRange::new(Some(1), None))), None),
    };
    let kind = match holds {
        Derived => AttributeKind::Derived,
        Other | Others => AttributeKind::Reference,
        One | Else(_) | Maybe | List | Filled => AttributeKind::Normal,
    };
    Ok(Attribute { attribute_type, kind, value, is_final: false, is_override: false, annotations: None })
}

/// The value of a derived attribute of a node; `None` if the object is not a node, or has no such attribute.
pub fn derived(node: &Object, name: &str) -> Option<Value> {
    let own = node.object_type.name.strip_prefix(NAME)?.strip_prefix("::")?;
    let locator = || match node.attributes.get("locator") {
        Some(Value::Object(locator)) => Some(locator),
        _ => None,
    };
    let of_locator = |name: &str| locator()?.attributes.get(name).cloned();
    let form = || node.attributes.get("form").and_then(Value::as_str).unwrap_or_default();
    match (own, name) {
        ("Program", "source_text") => of_locator("string"),
        ("Program", "source_ref") => of_locator("file"),
        ("Program", "line_offsets") => Some(line_index(locator()?)),
        ("QualifiedReference", "value") => {
            Some(node.attributes.get("cased_value")?.as_str()?.to_lowercase().into())
        }
        (_, "virtual") => Some(matches!(form(), "virtual" | "exported").into()),
        (_, "exported") => Some((form() == "exported").into()),
        (_, "file") => of_locator("file"),
        (_, "line" | "pos") => {
            let Some(Value::Integer(offset)) = node.attributes.get("offset") else { return None };
            let (line, begin) = line_of(locator()?, *offset);
            Some(Value::Integer(if name == "line" { line } else { offset.saturating_sub(begin) + 1 }))
        }
        _ => None,
    }
}

/// The offsets of the lines in a locator's text: those given, or computed from the text.
pub(crate) fn line_index(locator: &Object) -> Value {
    match (locator.attributes.get("line_index"), locator.attributes.get("string")) {
        (Some(known @ Value::Array(_)), _) => known.clone(),
        (_, Some(Value::String(text))) => {
            let ends = text.char_indices().filter(|(_, character)| *character == '\n');
            let begins = ends.filter_map(|(index, _)| i64::try_from(index + 1).ok()).map(Value::Integer);
            Value::array(std::iter::once(Value::Integer(0)).chain(begins))
        }
        _ => Value::Undef,
    }
}

/// The line of an offset, and where it begins.
fn line_of(locator: &Object, offset: i64) -> (i64, i64) {
    let index = line_index(locator);
    let Value::Array(begins) = &index else { return (1, 0) };
    let begins = begins.iter().map(|begin| if let Value::Integer(begin) = begin { *begin } else { 0 });
    let passed: Vec<i64> = begins.take_while(|begin| *begin <= offset).collect();
    (i64::try_from(passed.len()).unwrap_or(i64::MAX), passed.last().copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_syntax::ast::Kind;

    #[test]
    fn each_node_is_a_type_with_its_fields() {
        // An unreadable part is a node only here.
        for kind in Kind::ALL.iter().filter(|kind| **kind != Kind::Error) {
            let name = format!("puppet::ast::{}", kind.name().to_lowercase());
            let Some(of) = get(&name) else { panic!("{name}") };
            let TypeKind::Object(object) = of.kind() else { panic!("{name}") };
            for field in kind.field_names() {
                let known = object.attributes();
                assert!(known.iter().any(|(known, _)| known == *field), "{name}: {field}");
            }
        }
        assert!(get("puppet::ast").is_some() && get("puppet::ast::nowhere").is_none());
    }
}
