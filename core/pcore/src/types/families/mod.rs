//! The meaning of types: each type implements [`Family`] in the file of its family.
//!
//! A type is accessed through a view of its parameters, which has the name of its variant of [`TypeKind`].

mod catalog;
mod collection;
mod named;
mod plain;
mod rich;
mod text;
mod variant;
mod wrapper;

use super::access::{Access, Keys};
use super::annotation::Annotation;
use super::attributes::AttributeValues;
use super::format::Formatter;
use super::generalize::Normal;
use super::guard::{Depth, Guard};
use super::mismatch::{Comparison, Mismatch};
use super::{IntRange, Type, TypeKind};
use crate::data::kinds::each_kind;
use crate::data::value::{Str, Value};
use bunraku_syntax::diagnostic::Error;

/// The operations of each type; `this` is the type itself.
pub(super) trait Family {
    /// Whether every instance of another type is one of this type, if the other one does not represent
    /// several types: the reference's `_assignable?`.
    fn accepts(&self, this: &Type, that: &Type, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool;

    /// Whether a value is an instance, if its shape does not decide. Plain types are decided by shapes.
    fn is_instance(&self, this: &Type, value: &Value, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        let _ = (this, value, guard, depth);
        false
    }

    /// Writes the type, as it is read.
    fn write(&self, this: &Type, out: &mut Formatter);

    /// The type without what only describes one value; `general` does so for parts.
    fn generalized(&self, this: &Type, general: &dyn Fn(&Type) -> Type) -> Type {
        let _ = general;
        this.clone()
    }

    /// The type in its simplest form; `normal` simplifies parts and the result.
    fn normalized(&self, this: &Type, normal: &Normal<'_>) -> Type {
        let _ = normal;
        this.clone()
    }

    /// The narrowest type that this and another one have in common, where neither accepts the other; nothing
    /// where no more is known than of any two types.
    fn common(&self, that: &Type, depth: u32) -> Option<Type> {
        let _ = (that, depth);
        None
    }

    /// The reasons why a type does not match this one, which is in its simplest form.
    fn mismatches(&self, this: &Type, asked: &Comparison<'_>) -> Vec<Mismatch> {
        if this.is_assignable(asked.actual) { Vec::new() } else { asked.mismatch() }
    }

    /// The type with keys that were evaluated: `Type[key, …]`.
    fn keyed(&self, keys: &Keys<'_>) -> Access {
        keys.not_applicable()
    }

    /// The bare type with parameters in a text, without evaluation.
    ///
    /// # Errors
    /// The reference's error for invalid parameters.
    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        Err(given.unparameterized())
    }

    /// As [`annotated`](Self::annotated), of a type that has a name of its own (`File['/etc/motd']`).
    fn named(&self, given: &Annotation<'_>) -> Result<Type, Error> {
        Err(given.unparameterized())
    }

    /// The type from the values of its attributes, in the order in which the table declares them; the bare
    /// type if it has none.
    ///
    /// # Errors
    /// The values do not make a type.
    /// The values make no type.
    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        Ok(given.bare())
    }

    /// The values of the attributes that the table declares, in their order.
    ///
    /// # Errors
    /// The reference cannot take the type apart.
    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(Vec::new())
    }
}

/// Declares the views, and the conversion of a type to its view. (Whether a Resource is the value of a
/// parameter only matters to catalogs.)
macro_rules! views {
    (
        $($(#[$unit_doc:meta])* $unit:ident,)*;
        $($(#[$tuple_doc:meta])* $tuple:ident($parameter:ident: $of:ty),)*;
        $($(#[$fields_doc:meta])* $fields:ident {
            $($(#[$field_doc:meta])* $field:ident: $field_of:ty),* $(,)?
            $(; $($(#[$more_doc:meta])* $more:ident: $more_of:ty,)*)?
        },)*
    ) => {
        /// The parameters of each type.
        mod view {
            use std::sync::Arc;

            use crate::data::big::BigRange;
            use crate::data::value::{RegexpValue, Str, Timespan as Span, Timestamp as Moment, Value};
            use crate::types::{
                AliasType, CallableType, FloatRange, IntRange, Members, ObjectType, RuntimeName, Type as Of,
                TypeSetType, VersionRange,
            };

            $(
                pub struct $unit;
            )*
            $(
                pub struct $tuple<'t> {
                    pub $parameter: &'t $of,
                }
            )*
            $(
                pub struct $fields<'t> {
                    $(pub $field: &'t $field_of,)*
                }
            )*
        }

        impl TypeKind {
            /// Calls an operation of the type.
            #[inline]
            pub(super) fn ask<A>(&self, ask: impl FnOnce(&dyn Family) -> A) -> A {
                match self {
                    $(TypeKind::$unit => ask(&view::$unit),)*
                    $(TypeKind::$tuple($parameter) => ask(&view::$tuple { $parameter }),)*
                    $(TypeKind::$fields { $($field,)* .. } => ask(&view::$fields { $($field),* }),)*
                }
            }
        }
    };
}

each_kind!(views);

fn optional_type(of: Option<&Type>) -> Value {
    of.map_or(Value::Undef, |of| Value::Type(of.clone()))
}

fn type_or_any(of: Option<&Type>) -> Value {
    Value::Type(of.cloned().unwrap_or_else(Type::any))
}

fn size_of(size: Option<IntRange>) -> Value {
    size.map_or(Value::Undef, |size| Value::Type(Type::integer(size.from, size.to)))
}

fn text_value(value: Option<&Str>) -> Value {
    value.map_or(Value::Undef, |text| Value::String(text.clone()))
}

fn type_values(types: &[Type]) -> Value {
    Value::array(types.iter().cloned().map(Value::Type))
}
