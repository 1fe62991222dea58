//! Types of plain values, and those without parameters.

use super::{Depth, Family, Formatter, Guard, view};
use crate::data::big::{self, BigRange};
use crate::data::value::Value;
use crate::ruby::names::ruby_class;
use crate::scalars::number::float_to_s;
use crate::types::access::{Access, Blame, Keys, refuse};
use crate::types::annotation::{Annotation, wrong_count};
use crate::types::attributes::AttributeValues;
use crate::types::{IntRange, Type, TypeKind, factory};
use bunraku_syntax::diagnostic::{Error, issues};

/// Implements types that only accept their own kind.
macro_rules! accepts_its_kind {
    ($($name:ident)*) => { $(
        impl Family for view::$name {
            fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
                matches!(that.kind(), TypeKind::$name)
            }

            fn write(&self, _: &Type, out: &mut Formatter) {
                out.push(stringify!($name));
            }
        }
    )* };
}

accepts_its_kind!(Undef Default);

impl Family for view::Any {
    fn accepts(&self, _: &Type, _: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        true
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.push("Any");
    }
}

impl Family for view::Unit {
    fn accepts(&self, _: &Type, _: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        true
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.push("Unit");
    }
}

fn is_scalar_data(that: &Type) -> bool {
    matches!(
        that.kind(),
        TypeKind::ScalarData
            | TypeKind::Numeric
            | TypeKind::Integer(_)
            | TypeKind::BigInteger(_)
            | TypeKind::Float(_)
            | TypeKind::String { .. }
            | TypeKind::Enum { .. }
            | TypeKind::Pattern(_)
            | TypeKind::Boolean(_)
    )
}

impl Family for view::Scalar {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        is_scalar_data(that)
            || matches!(
                that.kind(),
                TypeKind::Scalar
                    | TypeKind::Regexp(_)
                    | TypeKind::SemVer(_)
                    | TypeKind::SemVerRange
                    | TypeKind::Timespan { .. }
                    | TypeKind::Timestamp { .. }
            )
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.push("Scalar");
    }
}

impl Family for view::ScalarData {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        is_scalar_data(that)
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.push("ScalarData");
    }
}

impl Family for view::Numeric {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        matches!(
            that.kind(),
            TypeKind::Numeric | TypeKind::Integer(_) | TypeKind::BigInteger(_) | TypeKind::Float(_)
        )
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.push("Numeric");
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![Value::Undef, Value::Undef])
    }
}

impl Family for view::Integer<'_> {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        match that.kind() {
            TypeKind::Integer(other) => self.range.covers(other),
            TypeKind::BigInteger(other) => BigRange::from(self.range).covers(other),
            _ => false,
        }
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.array("Integer", self.range.is_unbounded(), |f| {
            f.range(Some(*self.range));
            f.chomp_list();
        });
    }

    fn generalized(&self, _: &Type, _: &dyn Fn(&Type) -> Type) -> Type {
        Type::any_integer()
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok([self.range.from, self.range.to].map(|bound| bound.map_or(Value::Undef, Value::Integer)).into())
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        integer_of_keys(&keys.flat)
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        Ok(Value::Type(match given.keys.as_slice() {
            [from @ (Value::Integer(_) | Value::BigInteger(_))] => factory::integer(from, &Value::Default)?,
            [Value::Default] => Type::any_integer(),
            [_] => return Ok(Value::Undef),
            [from, to] => factory::integer(from, to)?,
            keys => return Err(wrong_count("Integer", "1 or 2", keys.len())),
        }))
    }

    fn common(&self, that: &Type, _: u32) -> Option<Type> {
        match that.kind() {
            TypeKind::Integer(other) => {
                let IntRange { from, to } = self.range.hull(other);
                Some(Type::integer(from, to))
            }
            TypeKind::BigInteger(other) => Some(Type::big_integer(BigRange::from(self.range).hull(other))),
            _ => None,
        }
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        let is_bound = |value: &Value| {
            matches!(value, Value::Integer(_) | Value::BigInteger(_) | Value::Undef | Value::Default)
        };
        let (from, to) = (given.at(0), given.at(1));
        if is_bound(from) && is_bound(to) { factory::integer(from, to) } else { Err(given.refused()) }
    }
}

impl Family for view::BigInteger<'_> {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        BigRange::of(that).is_some_and(|other| self.range.covers(&other))
    }

    fn is_instance(&self, _: &Type, value: &Value, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        value.as_big_integer().is_some_and(|number| self.range.includes(&number))
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.array("Integer", false, |f| {
            f.push(self.range.from.as_ref().map_or_else(|| "default".to_owned(), ToString::to_string));
            if let Some(to) = &self.range.to {
                f.comma();
                f.push(to.to_string());
            }
        });
    }

    fn generalized(&self, _: &Type, _: &dyn Fn(&Type) -> Type) -> Type {
        Type::any_integer()
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        let bounds = [&self.range.from, &self.range.to];
        Ok(bounds.map(|bound| bound.clone().map_or(Value::Undef, Value::from)).into())
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        integer_of_keys(&keys.flat)
    }

    fn common(&self, that: &Type, _: u32) -> Option<Type> {
        Some(Type::big_integer(self.range.hull(BigRange::of(that)?.as_ref())))
    }
}

impl Family for view::Float<'_> {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        matches!(that.kind(), TypeKind::Float(other) if self.range.covers(other))
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        // Infinite bounds are no bounds.
        let from = self.range.from.filter(|&from| from != f64::NEG_INFINITY);
        let to = self.range.to.filter(|&to| to != f64::INFINITY);
        out.array("Float", from.is_none() && to.is_none(), |f| {
            f.push(from.map_or_else(|| "default".to_owned(), float_to_s));
            if let Some(to) = to {
                f.comma();
                f.push(float_to_s(to));
            }
        });
    }

    fn generalized(&self, _: &Type, _: &dyn Fn(&Type) -> Type) -> Type {
        Type::any_float()
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok([self.range.from, self.range.to].map(|bound| bound.map_or(Value::Undef, Value::Float)).into())
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        let flat = &keys.flat;
        let (Some(from), 1 | 2) = (flat.first(), flat.len()) else {
            return refuse(Blame::Whole, issues::bad_float_slice_arity(flat.len()));
        };
        let is_bound = |key: &Value| {
            matches!(key, Value::Integer(_) | Value::BigInteger(_) | Value::Float(_) | Value::Default)
        };
        if let Some((at, key)) = flat.iter().enumerate().find(|(_, key)| !is_bound(key)) {
            return refuse(Blame::Key(at), issues::bad_float_slice_type(ruby_class(key)));
        }
        let to = flat.get(1).map(factory::float).transpose()?.flatten();
        Ok(Type::checked_float(factory::float(from)?, to)?)
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        Ok(Value::Type(match given.keys.as_slice() {
            [Value::Default] => Type::any_float(),
            [from @ (Value::Integer(_) | Value::BigInteger(_) | Value::Float(_))] => {
                Type::float(factory::float(from)?, None)
            }
            [_] => return Ok(Value::Undef),
            [from, to] => Type::checked_float(factory::float(from)?, factory::float(to)?)?,
            keys => return Err(wrong_count("Float", "1 or 2", keys.len())),
        }))
    }

    fn common(&self, that: &Type, _: u32) -> Option<Type> {
        let TypeKind::Float(other) = that.kind() else { return None };
        let (a, b) = (self.range, other);
        Some(Type::float(a.from.zip(b.from).map(|(a, b)| a.min(b)), a.to.zip(b.to).map(|(a, b)| a.max(b))))
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        let bound = |value: &Value| match value {
            Value::Integer(number) => Ok(Some(*number as f64)),
            Value::BigInteger(number) => Ok(Some(big::to_f64(number))),
            Value::Float(number) => Ok(Some(*number)),
            Value::Undef | Value::Default => Ok(None),
            _ => Err(given.refused()),
        };
        Type::checked_float(bound(given.at(0))?, bound(given.at(1))?)
    }
}

impl Family for view::Boolean<'_> {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        matches!(that.kind(), TypeKind::Boolean(other) if self.value.is_none() || self.value == other)
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.array("Boolean", self.value.is_none(), |f| {
            f.push(if *self.value == Some(true) { "true" } else { "false" });
        });
    }

    fn generalized(&self, _: &Type, _: &dyn Fn(&Type) -> Type) -> Type {
        Type::any_boolean()
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        let is_boolean = |key: &Value| matches!(key, Value::Boolean(_));
        keys.assert(&keys.flat, Some(1), "TrueClass or FalseClass", is_boolean)?;
        Ok(Type::boolean(keys.flat.first() == Some(&Value::Boolean(true))))
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        given.exactly("Boolean", 1)?;
        match given.keys.first() {
            Some(Value::Boolean(value)) => Ok(Value::Type(Type::boolean(*value))),
            _ => Err(Error::plain("Boolean parameter must be true or false")),
        }
    }
}

fn integer_of_keys(flat: &[Value]) -> Access {
    let (Some(from), 1 | 2) = (flat.first(), flat.len()) else {
        return refuse(Blame::Whole, issues::bad_integer_slice_arity(flat.len()));
    };
    let is_bound = |key: &Value| matches!(key, Value::Integer(_) | Value::BigInteger(_) | Value::Default);
    if let Some((at, key)) = flat.iter().enumerate().find(|(_, key)| !is_bound(key)) {
        return refuse(Blame::Key(at), issues::bad_integer_slice_type(ruby_class(key)));
    }
    Ok(factory::integer(from, flat.get(1).unwrap_or(&Value::Default))?)
}
