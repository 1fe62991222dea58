//! What types mean: each answers the questions of [`Family`] in the file of its family.
//!
//! A type is looked at through a view of its parameters, which has the name of its variant of [`TypeKind`].

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
use super::guard::{Depth, Guard};
use super::mismatch::{Comparison, Mismatch};
use super::{IntRange, Type, TypeKind};
use crate::data::value::{Str, Value};
use bunraku_syntax::diagnostic::Error;

/// What is asked of each type; `this` is the type itself.
pub(super) trait Family {
    /// Whether every instance of another type is one of this type, when the other one does not stand for
    /// several types: the reference's `_assignable?`.
    fn accepts(&self, this: &Type, that: &Type, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool;

    /// Whether a value is an instance, when its shape does not tell. Plain types are answered by shapes.
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

    /// The type in its simplest form; `normal` gives that of parts, and of what it becomes.
    fn normalized(&self, this: &Type, normal: &dyn Fn(&Type) -> Type) -> Type {
        let _ = normal;
        this.clone()
    }

    /// The narrowest type that this and another one have in common, where neither accepts the other; nothing
    /// where no more is known than of any two types.
    fn common(&self, that: &Type, depth: u32) -> Option<Type> {
        let _ = (that, depth);
        None
    }

    /// Why a type does not fit this one, which is in its simplest form.
    fn mismatches(&self, this: &Type, asked: &Comparison<'_>) -> Vec<Mismatch> {
        if this.is_assignable(asked.actual) { Vec::new() } else { asked.mismatch() }
    }

    /// The type with keys that were evaluated: `Type[key, …]`.
    fn keyed(&self, keys: &Keys<'_>) -> Access {
        keys.not_applicable()
    }

    /// The bare type with parameters in a text, where nothing is evaluated.
    ///
    /// # Errors
    /// What the reference says of parameters that are wrong.
    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        Err(given.unparameterized())
    }

    /// As [`annotated`](Self::annotated), of a type that has a name of its own (`File['/etc/motd']`).
    fn named(&self, given: &Annotation<'_>) -> Result<Type, Error> {
        Err(given.unparameterized())
    }

    /// The type that values of the attributes make, in the order in which the table declares them; the bare
    /// type where it has none.
    ///
    /// # Errors
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

/// Declares the views, and finds that of a type. (Whether a Resource is what a parameter holds matters to
/// catalogs alone.)
macro_rules! views {
    (
        $($unit:ident)*;
        $($tuple:ident($parameter:ident: $of:ty))*;
        $($fields:ident { $($field:ident: $field_of:ty),* })*
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
            /// Asks the type something.
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

views! {
    Any Unit Undef Default Scalar ScalarData Numeric CatalogEntry SemVerRange Binary;

    Integer(range: IntRange)
    BigInteger(range: Arc<BigRange>)
    Float(range: FloatRange)
    Boolean(value: Option<bool>)
    Pattern(patterns: Vec<Arc<RegexpValue>>)
    Regexp(pattern: Option<Arc<RegexpValue>>)
    Iterable(of: Option<Of>)
    Iterator(of: Option<Of>)
    Callable(parts: CallableType)
    Type(of: Option<Of>)
    Optional(of: Option<Of>)
    NotUndef(of: Option<Of>)
    Variant(types: Vec<Of>)
    Sensitive(of: Option<Of>)
    Class(name: Option<Str>)
    SemVer(ranges: Vec<Arc<VersionRange>>)
    Uri(parts: Option<Vec<(Str, Value)>>)
    Object(object: Arc<ObjectType>)
    TypeSet(set: Arc<TypeSetType>)
    Alias(alias: Arc<AliasType>)
    Reference(name: Str);

    String { size: Option<IntRange>, value: Option<Str> }
    Enum { values: Vec<Str>, case_insensitive: bool }
    Collection { size: Option<IntRange> }
    Array { element: Option<Of>, size: Option<IntRange> }
    Hash { key: Option<Of>, value: Option<Of>, size: Option<IntRange> }
    Tuple { types: Vec<Of>, size: Option<IntRange> }
    Struct { members: Members }
    Resource { type_name: Option<Str>, title: Option<Str> }
    Timestamp { from: Option<Moment>, to: Option<Moment> }
    Timespan { from: Option<Span>, to: Option<Span> }
    Runtime { runtime: Option<Str>, name: Option<RuntimeName> }
    Init { of: Option<Of>, arguments: Vec<Value> }
    ObjectExtension { base: Arc<ObjectType>, parameters: Vec<(Str, Value)> }
}

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
