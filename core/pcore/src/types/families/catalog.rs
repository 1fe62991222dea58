//! Types of what stands in catalogs.

use super::{Depth, Family, Formatter, Guard, text_value, view};
use crate::data::value::Value;
use crate::types::format::{capitalize_segments, quote};
use crate::types::{Type, TypeKind};
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
}
