//! Types of the contents of catalogs.

use super::{Depth, Family, Formatter, Guard, text_value, view};
use crate::data::value::Value;
use crate::ruby::names::ruby_class;
use crate::types::annotation::{Annotation, wrong_count};
use crate::types::attributes::AttributeValues;
use crate::types::format::{capitalize_segments, quote};
use crate::types::{Type, TypeKind, factory};
use bunraku_syntax::diagnostic::Error;

impl Family for view::CatalogEntry {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        matches!(that.kind(), TypeKind::CatalogEntry | TypeKind::Class(_) | TypeKind::Resource { .. })
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.push("CatalogEntry");
    }
}

impl Family for view::Class<'_> {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        matches!(that.kind(), TypeKind::Class(other) if self.name.is_none() || self.name == other)
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.array("Class", self.name.is_none(), |f| f.push(self.name.as_deref().unwrap_or_default()));
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![text_value(self.name.as_ref())])
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        given.exactly("Class", 1)?;
        match given.keys.first() {
            Some(Value::String(name)) => {
                Ok(Value::Type(Type::class(name.strip_prefix("::").unwrap_or(name))))
            }
            _ => Err(Error::internal("The name of a class is not a String")),
        }
    }

    fn common(&self, that: &Type, _: u32) -> Option<Type> {
        matches!(that.kind(), TypeKind::Class(_)).then(Type::any_class)
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        Ok(TypeKind::Class(given.text(0)).into())
    }
}

impl Family for view::Resource<'_> {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        match that.kind() {
            TypeKind::Resource { type_name: other, title, .. } => {
                let Some(type_name) = self.type_name else { return true };
                other.as_ref().is_some_and(|other| type_name.to_lowercase() == other.to_lowercase())
                    && (self.title.is_none() || self.title == title)
            }
            _ => false,
        }
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        match self.type_name {
            None => out.push("Resource"),
            Some(name) => {
                let title = self.title.as_deref();
                out.array(&capitalize_segments(name), title.is_none(), |f| {
                    f.push(quote(title.unwrap_or_default()));
                });
            }
        }
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        let name = self.type_name.as_ref();
        let name = name.map_or(Value::Undef, |name| Value::from(capitalize_segments(name)));
        Ok(vec![name, text_value(self.title.as_ref())])
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        resource_of_keys(given).map(Value::Type)
    }

    fn named(&self, given: &Annotation<'_>) -> Result<Type, Error> {
        let Some(type_name) = self.type_name else { return Err(given.unparameterized()) };
        match given.keys.as_slice() {
            [Value::String(title)] => factory::resource(type_name, Some(title.clone())),
            [_] => Ok(Type::resource(type_name.clone(), None)),
            keys => Err(wrong_count(given.name, "1", keys.len())),
        }
    }

    fn common(&self, that: &Type, _: u32) -> Option<Type> {
        let TypeKind::Resource { type_name, .. } = that.kind() else { return None };
        Some(match self.type_name {
            Some(name) if self.type_name == type_name => Type::resource(name.clone(), None),
            _ => Type::any_resource(),
        })
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        let type_name = given.text(0).map(|name| name.to_lowercase());
        Ok(TypeKind::Resource { type_name, title: given.text(1), is_reference: false }.into())
    }
}

/// The type that `Resource[…]` is.
fn resource_of_keys(given: &Annotation<'_>) -> Result<Type, Error> {
    let mut keys = given.keys.clone();
    let mut name = keys.first().cloned().unwrap_or_default();
    if let Value::Type(of) = &name
        && let TypeKind::Reference(text) = of.kind()
    {
        let text = text.clone();
        match text.find('[') {
            None => name = Value::String(text),
            Some(at) => {
                let Value::Array(titles) = Type::parse_literal(&text[at..], given.loader)? else {
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
            _ => Err(Error::argument(format!("The type name cannot be a {}", ruby_class(&name)))),
        },
        Value::String(name) => factory::resource(name, title),
        Value::Undef if title.is_some() => {
            Err(Error::argument("The type name cannot be nil, if title is given"))
        }
        Value::Undef => Ok(Type::any_resource()),
        _ => Err(Error::argument(format!("The type name cannot be a {}", ruby_class(&name)))),
    }
}
