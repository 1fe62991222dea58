//! Types with names of their own: Object types, sets of types, aliases, and names that mean nothing.

use std::sync::Arc;

use super::{Depth, Family, Formatter, Guard, optional_type, view};
use crate::data::value::Value;
use crate::types::access::{Access, Blame, Keys, refuse, wrong_arity};
use crate::types::annotation::{Annotation, wrong_count};
use crate::types::assign::{assignable, parameters_accept};
use crate::types::attributes::AttributeValues;
use crate::types::format::quote;
use crate::types::instance::part_matches;
use crate::types::mismatch::{Comparison, Mismatch};
use crate::types::{
    NoTypes, Type, TypeKind, extension, object, object_definition, type_set, type_set_definition,
};
use bunraku_syntax::diagnostic::{Error, issues};

impl Family for view::Object<'_> {
    fn accepts(&self, _: &Type, that: &Type, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        object::accepts(self.object, that, guard, depth)
    }

    fn is_instance(&self, _: &Type, value: &Value, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        object::is_instance(self.object, value, guard, depth)
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.object(self.object);
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![Value::from(object::init_hash(self.object, true))])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        if !self.object.name.is_empty() && self.object.definition.get().is_some() {
            return Ok(extension::create(self.object, &keys.flat)?);
        }
        match keys.flat.as_slice() {
            [key] => Ok(object_definition::anonymous(key, keys.loader)?),
            flat => wrong_arity("Object-Type", 1, Some(1), flat.len()),
        }
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        given.exactly("Object", 1)?;
        let definition = given.keys.first().unwrap_or(&Value::Undef);
        object_definition::anonymous(definition, given.loader).map(Value::Type)
    }

    fn named(&self, given: &Annotation<'_>) -> Result<Type, Error> {
        extension::create(self.object, &given.keys)
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        match given.at(0) {
            Value::Hash(hash) => match hash.get(&Value::from("name")).and_then(Value::as_str) {
                Some(name) => {
                    let object = object_definition::unresolved(name);
                    object_definition::define(&object, hash)?;
                    Ok(TypeKind::Object(object).into())
                }
                None => object_definition::anonymous(given.at(0), &NoTypes),
            },
            Value::Undef => Ok(Type::any_object()),
            _ => Err(given.refused()),
        }
    }
}

impl Family for view::ObjectExtension<'_> {
    fn accepts(&self, _: &Type, that: &Type, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        let base = TypeKind::Object(Arc::clone(self.base)).into();
        match that.kind() {
            TypeKind::ObjectExtension { base: other, parameters } => {
                assignable(&base, &TypeKind::Object(Arc::clone(other)).into(), guard, depth)
                    && parameters_accept(self.parameters, parameters, depth)
            }
            _ => assignable(&base, that, guard, depth) && parameters_accept(self.parameters, &[], depth),
        }
    }

    fn is_instance(&self, _: &Type, value: &Value, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        object::is_instance(self.base, value, guard, depth)
            && self.parameters.iter().all(|(name, expected)| match value {
                Value::Object(instance) => object::attribute_value(instance, name)
                    .is_some_and(|actual| part_matches(&actual, expected, depth)),
                _ => false,
            })
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.extension(self.base, self.parameters);
    }

    fn generalized(&self, _: &Type, _: &dyn Fn(&Type) -> Type) -> Type {
        TypeKind::Object(Arc::clone(self.base)).into()
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        let base = Value::Type(TypeKind::Object(Arc::clone(self.base)).into());
        Ok(vec![base, object::extension_parameters(self.base, self.parameters)])
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        match (given.of(0)?.as_ref().map(Type::kind), given.at(1)) {
            (Some(TypeKind::Object(base)), Value::Array(parameters)) => extension::create(base, parameters),
            (Some(TypeKind::Object(base)), parameters @ Value::Hash(_)) => {
                extension::create(base, std::slice::from_ref(parameters))
            }
            _ => Err(given.refused()),
        }
    }
}

impl Family for view::TypeSet<'_> {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        matches!(that.kind(), TypeKind::TypeSet(other) if type_set::is_default(self.set) || self.set == other)
    }

    fn is_instance(&self, _: &Type, value: &Value, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        matches!(value, Value::Type(of) if matches!(of.kind(), TypeKind::TypeSet(_)))
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.type_set_text(self.set);
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Err(Error::plain(
            "Initializer for class Puppet::Pops::Types::PTypeSetType parameter 'name_or_init_hash' does not match any of the attributes of type Pcore::TypeSetType",
        ))
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        match keys.flat.as_slice() {
            [key] => Ok(type_set_definition::anonymous(key, keys.loader)?),
            flat => wrong_arity("TypeSet-Type", 1, Some(1), flat.len()),
        }
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        match given.keys.as_slice() {
            [definition] => type_set_definition::anonymous(definition, given.loader).map(Value::Type),
            // The reference calls it that.
            keys => Err(wrong_count("Object", "1", keys.len())),
        }
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        Err(given.refused())
    }
}

impl Family for view::Alias<'_> {
    fn accepts(&self, _: &Type, that: &Type, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        self.alias.target.get().is_some_and(|target| assignable(target, that, guard, depth))
    }

    fn write(&self, this: &Type, out: &mut Formatter) {
        out.alias(this, self.alias);
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        let name = Value::String(self.alias.name.clone());
        Ok(vec![name, Value::Undef, optional_type(self.alias.target.get())])
    }

    fn mismatches(&self, this: &Type, asked: &Comparison<'_>) -> Vec<Mismatch> {
        match self.alias.target.get() {
            Some(target) => asked.with_target(&target.normalize(), this),
            None => asked.mismatch(),
        }
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        match (given.text(0), given.of(2)?) {
            (Some(name), Some(target)) => Ok(Type::alias(name, target)),
            _ => Err(given.refused()),
        }
    }
}

impl Family for view::Reference<'_> {
    fn accepts(&self, this: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        this == that
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.array("TypeReference", false, |f| f.push(quote(self.name)));
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![Value::String(self.name.clone())])
    }

    fn keyed(&self, _: &Keys<'_>) -> Access {
        refuse(Blame::Whole, issues::unknown_resource_type(self.name))
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        given.text(0).map(Type::reference).ok_or_else(|| given.refused())
    }
}
