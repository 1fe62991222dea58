//! Converts values for resources: references become canonical, iterators are rejected.
//!
//! Follows the reference's `pops/evaluator/runtime3_converter.rb`. A `Puppet::Resource` there stays a `Class`
//! or `Resource` type here, in its canonical form.

use super::Compilation;
use crate::catalog::reference;
use crate::eval::{Evaluated, Evaluator};
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_pcore::value::{Hash, Str, Value, lower_case, shared};
use bunraku_pcore::{format, label};
use bunraku_syntax::diagnostic::Error;

impl Compilation<'_> {
    /// The value as a resource holds it.
    pub(super) fn convert(&self, evaluator: &Evaluator<'_>, value: &Value) -> Evaluated {
        Ok(match value {
            Value::Type(of) => match of.kind() {
                TypeKind::Resource { is_reference: true, .. } => value.clone(),
                TypeKind::Class(_) | TypeKind::Resource { .. } | TypeKind::CatalogEntry => {
                    Value::Type(self.convert_reference(evaluator, of)?)
                }
                _ => value.clone(),
            },
            Value::Iterator(_) => return Err(Error::plain("Use of an Iterator is not supported here").into()),
            Value::BigInteger(number) => return Err(format::outside_of_range(number).into()),
            Value::Array(values) if needs_conversion(value) => {
                let converted: Evaluated<Vec<Value>> =
                    values.iter().map(|value| self.convert(evaluator, value)).collect();
                Value::from(converted?)
            }
            Value::Hash(pairs) if needs_conversion(value) => {
                let mut converted = Hash::default();
                for (key, value) in pairs.iter() {
                    converted.insert(self.convert(evaluator, key)?, self.convert(evaluator, value)?);
                }
                Value::from(converted)
            }
            other => other.clone(),
        })
    }

    /// As [`convert`](Self::convert), for a value that is not needed elsewhere.
    pub(super) fn converted(&self, evaluator: &Evaluator<'_>, value: Value) -> Evaluated {
        match &value {
            Value::Type(_) | Value::Iterator(_) | Value::BigInteger(_) | Value::Array(_) | Value::Hash(_) => {
                self.convert(evaluator, &value)
            }
            _ => Ok(value),
        }
    }

    /// The canonical form of a reference. A reference to a type that does not exist means a class.
    pub(super) fn convert_reference(&self, evaluator: &Evaluator<'_>, of: &Type) -> Evaluated<Type> {
        let (type_name, title) = split_type_title(of)?;
        let Some(title) = title else {
            return Err(Error::argument(format!(
                "No title provided and {} is not a valid resource reference",
                super::inspect(&Value::String(type_name))
            ))
            .into());
        };
        if type_name == "class" {
            return Ok(class_type(&title));
        }
        if type_name == "node" {
            return Ok(resource_type("Node".into(), title));
        }
        if self.find_resource_type(evaluator, &type_name)?.is_some() {
            return Ok(resource_type(reference::capitalize_segments(&type_name), title));
        }
        Ok(match reference::split(&title) {
            Some((type_name, title)) => {
                let (type_name, title) = reference::canonical(type_name, title);
                if type_name == "Class" { class_type(&title) } else { resource_type(type_name, title) }
            }
            None => class_type(&title),
        })
    }
}

/// The type's name in lower case and the title of a reference, both without a leading `::`.
pub(super) fn split_type_title(of: &Type) -> Result<(Str, Option<Str>), Error> {
    let absolute = |name: &Str| name.strip_prefix("::").map_or_else(|| name.clone(), shared);
    match of.kind() {
        TypeKind::Class(name) => Ok(("class".into(), name.as_ref().map(absolute))),
        TypeKind::Resource { type_name: Some(type_name), title, .. } => {
            let type_name = absolute(type_name);
            if type_name == "class" || type_name == "Class" {
                return Ok(("class".into(), title.as_ref().map(absolute)));
            }
            Ok((lower_case(&type_name), Some(title.clone().unwrap_or_default())))
        }
        TypeKind::Type(Some(of)) => split_type_title(of),
        TypeKind::Resource { .. } => Err(Error::internal("a reference without a type")),
        _ => Err(Error::argument(format!(
            "Cannot split the type {}, it represents neither a PClassType, nor a PResourceType.",
            label::type_class(of)
        ))),
    }
}

fn class_type(title: &str) -> Type {
    resource_type(const { Str::inline("Class") }, reference::canonical_class(title))
}

fn resource_type(type_name: Str, title: Str) -> Type {
    TypeKind::Resource { type_name: Some(type_name), title: Some(title), is_reference: true }.into()
}

/// Whether a value holds something that conversion changes or refuses.
fn needs_conversion(value: &Value) -> bool {
    match value {
        Value::Array(values) => values.iter().any(needs_conversion),
        Value::Hash(pairs) => {
            pairs.iter().any(|(key, value)| needs_conversion(key) || needs_conversion(value))
        }
        Value::Type(of) => match of.kind() {
            TypeKind::Resource { is_reference, .. } => !is_reference,
            TypeKind::Class(_) | TypeKind::CatalogEntry => true,
            _ => false,
        },
        Value::Iterator(_) | Value::BigInteger(_) => true,
        _ => false,
    }
}
