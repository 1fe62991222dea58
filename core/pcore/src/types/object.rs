//! Object types: their members, how they relate, and what their instances are. Follows the reference's
//! `p_object_type.rb`, `p_object_type_extension.rb` and the classes that `ruby_generator.rb` makes.
//!
//! Definitions are read in [`object_definition`](super::object_definition), instances made in
//! `instantiate`.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::assign::assignable;
use super::guard::{Depth, Guard, Pending};
use super::{Attribute, AttributeKind, Function, ObjectType, Type, TypeKind};
use crate::data::value::{Hash, Object, Str, Value};
use crate::types::compare::ruby_equals;
use bunraku_syntax::diagnostic::Error;

impl AttributeKind {
    /// The reference's name, if it has one.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Normal => None,
            Self::Constant => Some("constant"),
            Self::Derived => Some("derived"),
            Self::GivenOrDerived => Some("given_or_derived"),
            Self::Reference => Some("reference"),
        }
    }
}

/// A member of an Object type as it is found by name: with the type that declares it.
#[derive(Clone, Copy, Debug)]
pub enum Member<'a> {
    /// An attribute.
    Attribute(&'a ObjectType, &'a Attribute),
    /// A function.
    Function(&'a ObjectType, &'a Function),
}

impl ObjectType {
    /// The name in messages: its own, or `Object`.
    pub fn label(&self) -> Str {
        if self.name.is_empty() { "Object".into() } else { self.name.clone() }
    }

    /// The last segment of the name.
    pub fn simple_name(&self) -> Str {
        let label = self.label();
        label.rsplit("::").next().unwrap_or_default().into()
    }

    /// A member by name, own or inherited.
    pub fn member(&self, name: &str) -> Option<Member<'_>> {
        self.ancestors().into_iter().find_map(|of| {
            let definition = of.definition();
            let attribute = definition.attributes.get(name).map(|attribute| Member::Attribute(of, attribute));
            attribute
                .or_else(|| definition.functions.get(name).map(|function| Member::Function(of, function)))
        })
    }

    /// All attributes with the types that declare them, inherited ones first.
    pub fn attributes(&self) -> IndexMap<Str, (&ObjectType, &Attribute)> {
        let mut all = IndexMap::new();
        for of in self.ancestors().into_iter().rev() {
            let own = of.definition().attributes.iter();
            all.extend(own.map(|(name, attribute)| (name.clone(), (of, attribute))));
        }
        all
    }

    /// As [`attributes`](Self::attributes), as a list.
    pub(crate) fn listed_attributes(&self) -> Vec<(&Str, &ObjectType, &Attribute)> {
        let ancestors = self.ancestors();
        let mut all = Vec::new();
        // The place of each name, once a name may be there already.
        let mut places: FxHashMap<&Str, usize> = FxHashMap::default();
        for (at, of) in ancestors.iter().copied().rev().enumerate() {
            for (name, attribute) in &of.definition().attributes {
                let known = if at == 0 { None } else { places.get(name).and_then(|at| all.get_mut(*at)) };
                match known {
                    Some(known) => *known = (name, of, attribute),
                    None => {
                        if ancestors.len() > 1 {
                            places.insert(name, all.len());
                        }
                        all.push((name, of, attribute));
                    }
                }
            }
        }
        all
    }

    /// All functions with the types that declare them, inherited ones first.
    pub fn functions(&self) -> IndexMap<Str, (&ObjectType, &Function)> {
        let mut all = IndexMap::new();
        for of in self.ancestors().into_iter().rev() {
            let own = of.definition().functions.iter();
            all.extend(own.map(|(name, function)| (name.clone(), (of, function))));
        }
        all
    }

    /// All type parameters with the types that declare them, inherited ones first.
    pub fn type_parameters(&self) -> IndexMap<Str, (&ObjectType, &Attribute)> {
        let mut all = IndexMap::new();
        for of in self.ancestors().into_iter().rev() {
            let own = of.definition().type_parameters.iter();
            all.extend(own.map(|(name, parameter)| (name.clone(), (of, parameter))));
        }
        all
    }

    /// Whether it has type parameters.
    pub fn is_parameterized(&self) -> bool {
        self.ancestors().into_iter().any(|of| !of.definition().type_parameters.is_empty())
    }

    /// The attributes from which an instance is made: required ones first, then those with a default.
    pub fn init_attributes(&self) -> Vec<(Str, &ObjectType, &Attribute)> {
        let given = self.listed_attributes().into_iter().filter(|(.., attribute)| {
            !matches!(attribute.kind, AttributeKind::Constant | AttributeKind::Derived)
        });
        let (optional, mut required): (Vec<_>, Vec<_>) = given
            .map(|(name, of, attribute)| (name.clone(), of, attribute))
            .partition(|(.., attribute)| attribute.value.is_some());
        required.extend(optional);
        required
    }

    /// The Struct that a hash must match to make an instance of it.
    ///
    /// # Errors
    /// The type of an attribute cannot be asked: it contains an `Init` of what cannot be made.
    pub fn init_hash_type(&self) -> Result<Type, Error> {
        self.init_hash_type_amid(Pending::default())
    }

    pub(crate) fn init_hash_type_amid(&self, pending: Pending<'_>) -> Result<Type, Error> {
        let undef = Type::undef();
        let mut members = Vec::new();
        for (name, _, attribute) in self.listed_attributes() {
            if matches!(attribute.kind, AttributeKind::Constant | AttributeKind::Derived) {
                continue;
            }
            // A key given by name is optional when the value may be undef, whatever the default.
            let is_required =
                attribute.value.is_none() && !pending.check_assignable(&attribute.attribute_type, &undef)?;
            members.push((name.as_str(), attribute.attribute_type.clone(), is_required));
        }
        Ok(Type::structure_of(members))
    }
}

/// The reference's `_assignable?` of an Object type.
pub(crate) fn accepts(
    this: &Arc<ObjectType>,
    that: &Type,
    guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> bool {
    if depth.is_exceeded() {
        return false;
    }
    match that.kind() {
        TypeKind::Object(other) => {
            is_any(this) || this == other || {
                let this: Type = TypeKind::Object(this.clone()).into();
                other.parent().is_some_and(|parent| assignable(&this, parent, guard, depth + 1))
            }
        }
        TypeKind::ObjectExtension { base, .. } => {
            accepts(this, &TypeKind::Object(base.clone()).into(), guard, depth + 1)
        }
        _ => false,
    }
}

/// Whether it is the bare `Object`.
pub fn is_any(object: &ObjectType) -> bool {
    object.name.is_empty()
        && object.definition.get().is_some_and(|definition| {
            definition.parent.is_none()
                && definition.attributes.is_empty()
                && definition.functions.is_empty()
                && definition.type_parameters.is_empty()
                && definition.equality.is_none()
        })
}

/// The reference's `instance?` of an Object type. Types are instances of the Object types that describe them.
pub(crate) fn is_instance(
    this: &Arc<ObjectType>,
    value: &Value,
    guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> bool {
    match value {
        Value::Object(instance) => {
            accepts(this, &TypeKind::Object(instance.object_type.clone()).into(), guard, depth)
        }
        Value::Type(of) => match super::meta::meta_type(of) {
            Some(meta) => accepts(this, &meta, guard, depth),
            None => false,
        },
        _ => false,
    }
}

/// The type of an instance, with the values of its type parameters.
pub(crate) fn type_of_instance(instance: &Object) -> Type {
    let object_type = &instance.object_type;
    if !object_type.is_parameterized() {
        return TypeKind::Object(object_type.clone()).into();
    }
    let parameters = object_type.type_parameters();
    let values =
        parameters.keys().map(|name| (name.clone(), attribute_value(instance, name).unwrap_or_default()));
    let parameters: Vec<_> = values.filter(|(_, value)| !matches!(value, Value::Default)).collect();
    if parameters.is_empty() {
        return TypeKind::Object(object_type.clone()).into();
    }
    TypeKind::ObjectExtension { base: object_type.clone(), parameters }.into()
}

/// The value of an attribute of an instance: stored, constant, or its default.
pub fn attribute_value(instance: &Object, name: &str) -> Option<Value> {
    if let Some(value) = instance.attributes.get(name) {
        return Some(value.clone());
    }
    match instance.object_type.member(name)? {
        Member::Attribute(_, attribute) if attribute.kind != AttributeKind::Derived => {
            Some(attribute.value.clone().unwrap_or_default())
        }
        Member::Attribute(..) | Member::Function(..) => None,
    }
}

/// The hash that makes an equal instance: attributes with their values, without those that have their
/// default.
pub fn instance_init_hash(instance: &Object) -> Hash {
    if instance.object_type.is_locator() {
        return Hash::default();
    }
    let attributes = instance.object_type.attributes();
    let mut hash = Hash::default();
    for (name, (_, attribute)) in attributes {
        if matches!(attribute.kind, AttributeKind::Constant | AttributeKind::Derived) {
            continue;
        }
        let value = instance.attributes.get(&name).cloned().unwrap_or_default();
        if !attribute.value.as_ref().is_some_and(|default| ruby_equals(default, &value)) {
            hash.insert(Value::String(name), value);
        }
    }
    hash
}

/// The parameters of an Object type in the form of its brackets: a list, or a hash if there are many.
pub fn extension_parameters(base: &ObjectType, parameters: &[(Str, Value)]) -> Value {
    let declared = base.type_parameters();
    if declared.len() > 2 {
        return Value::hash(
            parameters.iter().map(|(name, value)| (Value::String(name.clone()), value.clone())),
        );
    }
    let value = |name: &Str| {
        parameters.iter().find(|(other, _)| other == name).map_or(Value::Default, |(_, value)| value.clone())
    };
    let mut values: Vec<Value> = declared.keys().map(value).collect();
    while matches!(values.last(), Some(Value::Default)) {
        values.pop();
    }
    Value::from(values)
}

/// The features of an attribute as a hash.
fn attribute_features(attribute: &Attribute) -> Hash {
    let mut features = Hash::default();
    features.insert("type".into(), Value::Type(attribute.attribute_type.clone()));
    if attribute.is_final && attribute.kind != AttributeKind::Constant {
        features.insert("final".into(), Value::Boolean(true));
    }
    if attribute.is_override {
        features.insert("override".into(), Value::Boolean(true));
    }
    add_annotations(&mut features, attribute.annotations.as_ref());
    if let Some(kind) = attribute.kind.name() {
        features.insert("kind".into(), kind.into());
    }
    if let Some(value) = &attribute.value {
        features.insert("value".into(), value.clone());
    }
    features
}

/// The features of a function as a hash.
fn function_features(function: &Function) -> Hash {
    let mut features = Hash::default();
    features.insert("type".into(), Value::Type(function.function_type.clone()));
    if function.is_final {
        features.insert("final".into(), Value::Boolean(true));
    }
    if function.is_override {
        features.insert("override".into(), Value::Boolean(true));
    }
    add_annotations(&mut features, function.annotations.as_ref());
    features
}

pub(crate) fn add_annotations(hash: &mut Hash, annotations: Option<&Vec<(Type, Value)>>) {
    if let Some(annotations) = annotations {
        let annotations = annotations.iter().map(|(of, value)| (Value::Type(of.clone()), value.clone()));
        hash.insert("annotations".into(), Value::hash(annotations));
    }
}

/// A hash of features, or only the type if there is nothing else.
fn compressed(features: Hash) -> Value {
    match features.get(&Value::from("type")) {
        Some(of) if features.len() == 1 => of.clone(),
        _ => Value::from(features),
    }
}

fn compressed_members<'a, T: 'a>(
    members: impl IntoIterator<Item = (&'a Str, &'a T)>,
    features: impl Fn(&T) -> Hash,
) -> Value {
    let member = |(name, member): (&Str, &'a T)| (Value::String(name.clone()), compressed(features(member)));
    Value::hash(members.into_iter().map(member))
}

/// The hash that defines an Object type, in the reference's normal form.
pub fn init_hash(object: &ObjectType, with_name: bool) -> Hash {
    let definition = object.definition();
    let mut hash = Hash::default();
    add_annotations(&mut hash, definition.annotations.as_ref());
    if with_name && !object.name.is_empty() {
        hash.insert("name".into(), Value::String(object.name.clone()));
    }
    if let Some(parent) = &definition.parent {
        hash.insert("parent".into(), Value::Type(parent.clone()));
    }
    if !definition.type_parameters.is_empty() {
        let features = |parameter: &Attribute| {
            let mut features = attribute_features(parameter);
            if let TypeKind::Optional(Some(of)) = parameter.attribute_type.kind() {
                features.insert("type".into(), Value::Type(of.clone()));
            }
            if parameter.value.as_ref().is_some_and(Value::is_undef) {
                features.shift_remove(&Value::from("value"));
            }
            features
        };
        hash.insert("type_parameters".into(), compressed_members(&definition.type_parameters, features));
    }
    let is_plain_constant = |attribute: &Attribute| {
        attribute.kind == AttributeKind::Constant
            && attribute
                .value
                .as_ref()
                .is_some_and(|value| attribute.attribute_type == Type::infer(value).generalize())
    };
    let (constants, others): (Vec<_>, Vec<_>) =
        definition.attributes.iter().partition(|(_, attribute)| is_plain_constant(attribute));
    if !others.is_empty() {
        hash.insert("attributes".into(), compressed_members(others, attribute_features));
    }
    if !constants.is_empty() {
        let constants = constants.into_iter().map(|(name, attribute)| {
            (Value::String(name.clone()), attribute.value.clone().unwrap_or_default())
        });
        hash.insert("constants".into(), Value::hash(constants));
    }
    if !definition.functions.is_empty() {
        hash.insert("functions".into(), compressed_members(&definition.functions, function_features));
    }
    if let Some(equality) = &definition.equality {
        hash.insert("equality".into(), Value::array(equality.iter().cloned().map(Value::String)));
    }
    if let Some(checks) = definition.init_hash.as_ref().and_then(|given| match given {
        Value::Hash(given) => given.get(&Value::from("checks")).cloned(),
        _ => None,
    }) {
        hash.insert("checks".into(), checks);
    }
    hash
}
