//! Object types from the hashes that define them, with all errors of such a hash. Follows
//! `_pcore_init_from_hash` and the members of the reference's `p_object_type.rb`.

use std::sync::{Arc, LazyLock};

use indexmap::IndexMap;

use super::object::Member;
use super::parse::TypeLoader;
use super::{
    Attribute, AttributeKind, Function, ObjectDefinition, ObjectType, Type, TypeKind, asserter, meta,
};
use crate::data::value::{Hash, Str, Value};
use bunraku_syntax::diagnostic::Error;

/// A name of types: `Pcore::QRef`.
pub(crate) fn qualified_reference() -> Type {
    Type::pattern([r"\A[A-Z]\w*(?:::[A-Z]\w*)*\z"])
}

/// A name of a type in a set.
pub(crate) fn simple_type_name() -> Type {
    Type::pattern([r"\A[A-Z]\w*\z"])
}

/// A name of attributes and functions.
pub(crate) fn member_name() -> Type {
    Type::pattern([r"\A[a-z_]\w*\z"])
}

/// `Optional[Hash[Type[Annotation], Hash[Pcore::MemberName, Any]]]`
pub(crate) fn annotations_type() -> Type {
    let values = Type::hash(member_name(), Type::any(), None);
    Type::optional(Type::hash(Type::type_type(meta::annotation()), values, None))
}

static ATTRIBUTE: LazyLock<Type> = LazyLock::new(|| {
    Type::structure_of([
        ("type", Type::any_type(), true),
        ("final", Type::any_boolean(), false),
        ("override", Type::any_boolean(), false),
        ("kind", Type::enumeration(["constant", "derived", "given_or_derived", "reference"], false), false),
        ("value", Type::any(), false),
        ("annotations", annotations_type(), false),
    ])
});

static FUNCTION: LazyLock<Type> = LazyLock::new(|| {
    Type::structure_of([
        ("type", Type::type_type(Type::any_callable()), true),
        ("final", Type::any_boolean(), false),
        ("override", Type::any_boolean(), false),
        ("annotations", annotations_type(), false),
    ])
});

/// The type of a hash that defines an Object type.
pub(crate) static INITIALIZER: LazyLock<Type> = LazyLock::new(|| {
    let members = || Type::hash(member_name(), Type::any_not_undef(), None);
    let function_name = Type::variant([member_name(), Type::string_value("[]")]);
    Type::structure_of([
        ("name", qualified_reference(), false),
        ("parent", Type::any_type(), false),
        ("type_parameters", members(), false),
        ("attributes", members(), false),
        ("constants", Type::hash(member_name(), Type::any(), None), false),
        ("functions", Type::hash(function_name, Type::any_not_undef(), None), false),
        ("equality", Type::variant([member_name(), Type::array(member_name(), None)]), false),
        ("equality_include_type", Type::any_boolean(), false),
        ("checks", Type::any(), false),
        ("annotations", annotations_type(), false),
    ])
});

/// `Object[…]` from the content of the brackets.
///
/// # Errors
/// The content does not define an Object type.
pub fn anonymous(value: &Value, _loader: &dyn TypeLoader) -> Result<Type, Error> {
    match value {
        Value::Undef => Ok(Type::any_object()),
        Value::Hash(hash) if hash.is_empty() => Ok(Type::any_object()),
        Value::Hash(hash) => {
            let name =
                hash.get(&Value::from("name")).and_then(Value::as_str).map(Str::from).unwrap_or_default();
            let object = unresolved(name);
            define(&object, hash)?;
            Ok(TypeKind::Object(object).into())
        }
        Value::String(name) if name.is_empty() => Ok(Type::any_object()),
        Value::String(name) => {
            asserter::assert_instance("object name", &qualified_reference(), value)?;
            let object = unresolved(name.clone());
            let _ =
                object.definition.set(ObjectDefinition { equality_include_type: true, ..Default::default() });
            Ok(TypeKind::Object(object).into())
        }
        Value::Array(values) if values.is_empty() => Ok(Type::any_object()),
        Value::Array(_) | Value::Default => {
            asserter::assert_instance("object name", &qualified_reference(), value)?;
            Ok(Type::any_object())
        }
        _ => Err(Error::internal("The parent of an Object is a type or its name")),
    }
}

/// An Object type that is not defined yet.
pub fn unresolved(name: impl Into<Str>) -> Arc<ObjectType> {
    Arc::new(ObjectType::undefined(name))
}

fn refuse<T>(message: String) -> Result<T, Error> {
    Err(Error::plain(message))
}

fn text_key(hash: &Hash, key: &str) -> Option<Value> {
    hash.get(&Value::from(key)).cloned()
}

fn flag(hash: &Hash, key: &str) -> bool {
    matches!(hash.get(&Value::from(key)), Some(Value::Boolean(true)))
}

/// The annotations in a hash of features.
pub(crate) fn annotations(hash: &Hash) -> Option<Vec<(Type, Value)>> {
    let Some(Value::Hash(annotations)) = text_key(hash, "annotations") else { return None };
    let annotation = |(key, value): (&Value, &Value)| match key {
        Value::Type(of) => Some((of.clone(), value.clone())),
        _ => None,
    };
    Some(annotations.iter().filter_map(annotation).collect())
}

/// The members of a hash with names.
fn entries(hash: &Hash, key: &str) -> Vec<(Str, Value)> {
    match text_key(hash, key) {
        Some(Value::Hash(members)) => {
            let entry = |(name, value): (&Value, &Value)| Some((Str::from(name.as_str()?), value.clone()));
            members.iter().filter_map(entry).collect()
        }
        _ => Vec::new(),
    }
}

/// Defines an Object type by a hash.
///
/// # Errors
/// Everything that the reference refuses.
pub fn define(object: &Arc<ObjectType>, hash: &Hash) -> Result<(), Error> {
    let initializer = Value::from(hash.clone());
    asserter::assert_instance("object initializer", &INITIALIZER, &initializer)?;
    let parent = match text_key(hash, "parent") {
        Some(Value::Type(parent)) => Some(parent),
        _ => None,
    };
    let mut definition = ObjectDefinition {
        annotations: annotations(hash),
        equality_include_type: text_key(hash, "equality_include_type").is_none_or(|value| value.is_truthy()),
        init_hash: Some(initializer),
        ..ObjectDefinition::default()
    };
    let mut parent_object = None;
    if let Some(parent) = &parent {
        check_self_recursion(object, parent)?;
        match parent.resolved().kind() {
            TypeKind::Reference(name) => return refuse(format!("reference to unresolved type '{name}'")),
            // An alias in progress has this name.
            TypeKind::Alias(_) => {
                return refuse("reference to unresolved type 'UnresolvedReference'".to_owned());
            }
            TypeKind::Object(of) => parent_object = Some(of.clone()),
            _ => {}
        }
    }
    let builder = Builder { object, parent: parent_object };
    definition.parent = parent;
    definition.type_parameters = builder.type_parameters(hash)?;
    definition.attributes = builder.attributes(hash)?;
    definition.functions = builder.functions(hash, &definition.attributes)?;
    definition.equality = builder.equality(hash, &definition)?;
    // A type that is already defined stays as it is.
    let _ = object.definition.set(definition);
    Ok(())
}

/// Fails when a type inherits from itself.
fn check_self_recursion(object: &Arc<ObjectType>, parent: &Type) -> Result<(), Error> {
    let is_self =
        |of: &Type| matches!(of.resolved().kind(), TypeKind::Object(other) if Arc::ptr_eq(other, object));
    let mut last = Some(parent.clone());
    let mut steps = 0;
    while let Some(of) = last {
        if is_self(&of) || steps > 500 {
            return Err(Error::plain(format!("The Object type '{}' inherits from itself", object.label())));
        }
        steps += 1;
        last = match of.resolved().kind() {
            TypeKind::Object(object) => object.parent().cloned(),
            _ => None,
        };
    }
    Ok(())
}

struct Builder<'a> {
    object: &'a Arc<ObjectType>,
    parent: Option<Arc<ObjectType>>,
}

/// The name of a member in messages.
fn member_label(kind: &str, owner: &ObjectType, name: &str) -> String {
    format!("{kind} {}[{name}]", owner.label())
}

impl Builder<'_> {
    fn parent_member(&self, name: &str) -> Option<Member<'_>> {
        self.parent.as_ref()?.member(name)
    }

    fn type_parameters(&self, hash: &Hash) -> Result<IndexMap<Str, Attribute>, Error> {
        let mut parameters = IndexMap::new();
        for (name, spec) in entries(hash, "type_parameters") {
            let label = member_label("type_parameter", self.object, &name);
            let (of, value) = match &spec {
                Value::Hash(features) => {
                    (text_key(features, "type").unwrap_or_default(), text_key(features, "value"))
                }
                _ => {
                    asserter::assert_instance(&label, &Type::any_type(), &spec)?;
                    (spec.clone(), None)
                }
            };
            let of = match of {
                Value::Type(of) if matches!(of.kind(), TypeKind::Optional(_)) => of,
                Value::Type(of) => Type::optional(of),
                _ => return refuse(format!("{label} has no type")),
            };
            let mut features = Hash::default();
            features.insert("type".into(), Value::Type(of));
            if let Some(value) = value {
                features.insert("value".into(), value);
            }
            let parameter = self.attribute("type_parameter", &name, &features)?;
            let inherited = self.parent.as_ref().and_then(|parent| {
                parent
                    .type_parameters()
                    .get(&name)
                    .map(|(owner, parameter)| (owner.label(), (*parameter).clone()))
            });
            if let Some((owner, inherited)) = inherited {
                let owner = format!("type_parameter {owner}[{name}]");
                check_override(
                    &owner,
                    Side::of_attribute(&inherited),
                    &label,
                    Side::of_attribute(&parameter),
                )?;
            }
            parameters.insert(name, parameter);
        }
        Ok(parameters)
    }

    fn attributes(&self, hash: &Hash) -> Result<IndexMap<Str, Attribute>, Error> {
        let mut specs: IndexMap<Str, Value> = entries(hash, "attributes").into_iter().collect();
        let label = self.object.label();
        for (name, value) in entries(hash, "constants") {
            if specs.contains_key(&name) {
                return refuse(format!(
                    "attribute {label}[{name}] is defined as both a constant and an attribute"
                ));
            }
            let is_override = self.parent_member(&name).is_some();
            let of = Type::infer(&value).generalize();
            let spec = Value::hash([
                ("type".into(), Value::Type(of)),
                ("value".into(), value),
                ("kind".into(), "constant".into()),
                ("override".into(), Value::Boolean(is_override)),
            ]);
            specs.insert(name, spec);
        }
        let mut attributes = IndexMap::new();
        for (name, spec) in specs {
            let label = member_label("attribute", self.object, &name);
            let features = match &spec {
                Value::Hash(features) => (**features).clone(),
                _ => {
                    asserter::assert_instance(&label, &Type::any_type(), &spec)?;
                    let is_optional =
                        matches!(&spec, Value::Type(of) if matches!(of.kind(), TypeKind::Optional(_)));
                    let mut features = Hash::default();
                    features.insert("type".into(), spec);
                    if is_optional {
                        features.insert("value".into(), Value::Undef);
                    }
                    features
                }
            };
            let attribute = self.attribute("attribute", &name, &features)?;
            self.check_member(&name, &label, "attribute", Side::of_attribute(&attribute))?;
            attributes.insert(name, attribute);
        }
        Ok(attributes)
    }

    /// An attribute or type parameter of its features.
    fn attribute(&self, kind_of_member: &str, name: &Str, features: &Hash) -> Result<Attribute, Error> {
        let label = member_label(kind_of_member, self.object, name);
        asserter::assert_instance(
            format_args!("initializer for {label}"),
            &ATTRIBUTE,
            &Value::from(features.clone()),
        )?;
        if name == "__ptype" || name == "__pvalue" {
            return refuse(format!("The attribute '{name}' is reserved and cannot be used"));
        }
        let Some(Value::Type(attribute_type)) = text_key(features, "type") else {
            return refuse(format!("{label} has no type"));
        };
        let kind = match text_key(features, "kind").as_ref().and_then(Value::as_str) {
            Some("constant") => AttributeKind::Constant,
            Some("derived") => AttributeKind::Derived,
            Some("given_or_derived") => AttributeKind::GivenOrDerived,
            Some("reference") => AttributeKind::Reference,
            _ => AttributeKind::Normal,
        };
        let mut is_final = flag(features, "final");
        if kind == AttributeKind::Constant {
            if features.contains_key(&Value::from("final")) && !is_final {
                return refuse(format!("{label} of kind 'constant' cannot be combined with final => false"));
            }
            is_final = true;
        }
        let value = text_key(features, "value");
        match (&value, kind) {
            (Some(_), AttributeKind::Derived | AttributeKind::GivenOrDerived) => {
                let kind = kind.name().unwrap_or_default();
                return refuse(format!(
                    "{label} of kind '{kind}' cannot be combined with an attribute value"
                ));
            }
            (Some(Value::Default), _) => {}
            (Some(value), _) => {
                asserter::assert_instance(format_args!("{label} value"), &attribute_type, value)?
            }
            (None, AttributeKind::Constant) => {
                return refuse(format!("{label} of kind 'constant' requires a value"));
            }
            (None, _) => {}
        }
        Ok(Attribute {
            attribute_type,
            kind,
            value,
            is_final,
            is_override: flag(features, "override"),
            annotations: annotations(features),
        })
    }

    fn functions(
        &self,
        hash: &Hash,
        attributes: &IndexMap<Str, Attribute>,
    ) -> Result<IndexMap<Str, Function>, Error> {
        let mut functions = IndexMap::new();
        for (name, spec) in entries(hash, "functions") {
            let label = member_label("function", self.object, &name);
            let features = match spec {
                Value::Hash(features) => (*features).clone(),
                spec => {
                    asserter::assert_instance(&label, &Type::type_type(Type::any_callable()), &spec)?;
                    Hash::from_iter([("type".into(), spec)])
                }
            };
            let subject = format!("initializer for function '{name}'");
            asserter::assert_instance(&subject, &FUNCTION, &Value::from(features.clone()))?;
            let Some(Value::Type(function_type)) = text_key(&features, "type") else { continue };
            let function = Function {
                function_type,
                is_final: flag(&features, "final"),
                is_override: flag(&features, "override"),
                annotations: annotations(&features),
            };
            if attributes.contains_key(&name) {
                return refuse(format!("{label} conflicts with attribute with the same name"));
            }
            self.check_member(&name, &label, "function", Side::of_function(&function))?;
            functions.insert(name, function);
        }
        Ok(functions)
    }

    /// Checks a member against the one of the parent that it overrides.
    fn check_member(
        &self,
        name: &str,
        label: &str,
        kind: &'static str,
        member: Side<'_>,
    ) -> Result<(), Error> {
        match self.parent_member(name) {
            None if member.is_override => refuse(format!(
                "expected {label} to override an inherited {kind}, but no such {kind} was found"
            )),
            None => Ok(()),
            Some(Member::Attribute(owner, inherited)) => {
                let inherited_label = member_label("attribute", owner, name);
                check_override(&inherited_label, Side::of_attribute(inherited), label, member)
            }
            Some(Member::Function(owner, inherited)) => {
                let inherited_label = member_label("function", owner, name);
                check_override(&inherited_label, Side::of_function(inherited), label, member)
            }
        }
    }

    fn equality(&self, hash: &Hash, definition: &ObjectDefinition) -> Result<Option<Vec<Str>>, Error> {
        let names: Vec<Str> = match text_key(hash, "equality") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(Str::from).collect(),
            _ => return Ok(None),
        };
        if names.is_empty() {
            return Ok(Some(names));
        }
        if !definition.equality_include_type {
            return refuse(
                "equality_include_type = false cannot be combined with non empty equality specification"
                    .to_owned(),
            );
        }
        let label = self.object.label();
        for name in &names {
            let kind = match self.parent_member(name) {
                Some(Member::Attribute(owner, attribute)) => {
                    let attribute_label = member_label("attribute", owner, name);
                    if let Some(parent) = &self.parent
                        && parent.equality_attributes().contains_key(name)
                    {
                        let definer = self.equality_definer(name);
                        return refuse(format!(
                            "{label} equality is referencing {attribute_label} which is included in equality of {definer}"
                        ));
                    }
                    (attribute.kind, attribute_label)
                }
                Some(Member::Function(owner, _)) => {
                    return self.not_an_attribute(&member_label("function", owner, name));
                }
                None => match definition.attributes.get(name) {
                    Some(attribute) => (attribute.kind, member_label("attribute", self.object, name)),
                    None if definition.functions.contains_key(name) => {
                        return self.not_an_attribute(&member_label("function", self.object, name));
                    }
                    None => {
                        return refuse(format!(
                            "{label} equality is referencing non existent attribute '{name}'"
                        ));
                    }
                },
            };
            if let (AttributeKind::Constant, attribute) = kind {
                return refuse(format!(
                    "{label} equality is referencing constant {attribute}. Reference to constant is not allowed in equality"
                ));
            }
        }
        Ok(Some(names))
    }

    fn not_an_attribute<T>(&self, member: &str) -> Result<T, Error> {
        let label = self.object.label();
        refuse(format!("{label} equality is referencing {member}. Only attribute references are allowed"))
    }

    /// The type that includes an attribute in its equality.
    fn equality_definer(&self, name: &str) -> Str {
        let Some(parent) = &self.parent else { return self.object.label() };
        let ancestors = parent.ancestors();
        let mut definer = self.object.label();
        for of in ancestors {
            if !of.equality_attributes().contains_key(name) {
                break;
            }
            definer = of.label();
        }
        definer
    }
}

/// The properties that matter when a member overrides another one.
#[derive(Clone, Copy)]
struct Side<'a> {
    is_attribute: bool,
    is_constant: bool,
    is_final: bool,
    is_override: bool,
    of: &'a Type,
}

impl<'a> Side<'a> {
    fn of_attribute(attribute: &'a Attribute) -> Self {
        Self {
            is_attribute: true,
            is_constant: attribute.kind == AttributeKind::Constant,
            is_final: attribute.is_final,
            is_override: attribute.is_override,
            of: &attribute.attribute_type,
        }
    }

    fn of_function(function: &'a Function) -> Self {
        Self {
            is_attribute: false,
            is_constant: false,
            is_final: function.is_final,
            is_override: function.is_override,
            of: &function.function_type,
        }
    }
}

fn check_override(
    inherited_label: &str,
    inherited: Side<'_>,
    label: &str,
    member: Side<'_>,
) -> Result<(), Error> {
    if inherited.is_attribute != member.is_attribute {
        return refuse(format!("{label} attempts to override {inherited_label}"));
    }
    if inherited.is_final && !(inherited.is_constant && member.is_constant) {
        return refuse(format!("{label} attempts to override final {inherited_label}"));
    }
    if !member.is_override {
        return refuse(format!(
            "{label} attempts to override {inherited_label} without having override => true"
        ));
    }
    if !inherited.of.is_assignable(member.of) {
        return refuse(format!(
            "{label} attempts to override {inherited_label} with a type that does not match"
        ));
    }
    Ok(())
}
