//! Types of collections and of iterable values. [`instance`](crate::types::instance) checks their instances,
//! because these make up data.

use std::collections::HashMap;

use num_traits::Signed;

use super::{Depth, Family, Formatter, Guard, optional_type, size_of, type_or_any, type_values, view};
use crate::data::big::BigRange;
use crate::data::value::{Str, Value};
use crate::ruby::names::ruby_class;
use crate::types::access::{Access, Keys, is_type, size, types, wrong_arity, wrong_type};
use crate::types::annotation::{Annotation, wrong_count};
use crate::types::assign::{assignable, is_optional_member, or_any, struct_accepts, tuple_accepts};
use crate::types::attributes::AttributeValues;
use crate::types::attributes::member;
use crate::types::common::common;
use crate::types::construct::checked_range;
use crate::types::factory::{is_range_parameter, split_size};
use crate::types::generalize::Normal;
use crate::types::guard::MAX_DEPTH;
use crate::types::instance::instance;
use crate::types::mismatch::{Comparison, Mismatch, Reason, Step};
use crate::types::{IntRange, Member, Members, StructMember, Type, TypeKind, factory, iterator_element_type};
use bunraku_syntax::diagnostic::Error;

/// The number of members that instances have.
fn size_of_collection(that: &Type) -> Option<IntRange> {
    match that.kind() {
        TypeKind::Collection { size } | TypeKind::Array { size, .. } | TypeKind::Hash { size, .. } => {
            Some(size.unwrap_or(IntRange::ANY_SIZE))
        }
        TypeKind::Tuple { types, size } => Some(size.unwrap_or_else(|| IntRange::exactly(types.len()))),
        TypeKind::Struct { members } => Some(IntRange::exactly(members.len())),
        _ => None,
    }
}

impl Family for view::Collection<'_> {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        size_of_collection(that).is_some_and(|other| self.size.unwrap_or(IntRange::ANY_SIZE).covers(&other))
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.array("Collection", self.size.is_none_or(|size| size.is_unbounded()), |f| {
            f.range(*self.size);
            f.chomp_list();
        });
    }

    fn generalized(&self, _: &Type, _: &dyn Fn(&Type) -> Type) -> Type {
        Type::any_collection()
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![size_of(*self.size)])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        match keys.flat.len() {
            1 | 2 => Ok(Type::collection(Some(size(0, &keys.flat)?))),
            count => wrong_arity("Collection-Type", 1, Some(2), count),
        }
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        given.between("Collection", 1, 2)?;
        Ok(Value::Type(Type::collection(Some(given.size(&given.keys)?))))
    }

    fn normalized(&self, _: &Type, _: &Normal<'_>) -> Type {
        Type::any_collection()
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        Ok(Type::collection(given.range(0)?))
    }
}

impl Family for view::Array<'_> {
    fn accepts(&self, _: &Type, that: &Type, mut guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        let Some(other_size) = size_of_collection(that) else { return false };
        let fits = self.size.unwrap_or(IntRange::ANY_SIZE).covers(&other_size);
        let accepts_member = |of: &Type, guard: Option<&mut Guard>| match self.element {
            None => true,
            Some(element) => assignable(element, of, guard, depth),
        };
        match that.kind() {
            TypeKind::Tuple { types, .. } => {
                fits && types.iter().all(|of| accepts_member(of, guard.as_deref_mut()))
            }
            TypeKind::Array { element: other, .. } => fits && accepts_member(&or_any(other.as_ref()), guard),
            _ => false,
        }
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        if self.size.is_some_and(|size| size.is_zero()) {
            return out.push("Array[0, 0]");
        }
        out.array("Array", self.element.is_none() && self.size.is_none(), |f| {
            f.type_text(&or_any(self.element.as_ref()));
            f.comma();
            f.range(*self.size);
            f.chomp_list();
        });
    }

    fn generalized(&self, _: &Type, general: &dyn Fn(&Type) -> Type) -> Type {
        match self.element {
            None => Type::any_array(),
            Some(element) => Type::array(general(element), None),
        }
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![type_or_any(self.element.as_ref()), size_of(*self.size)])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        let (of, size) = match keys.flat.as_slice() {
            [Value::Type(of)] => (of.clone(), None),
            [Value::Type(of), rest @ ..] if rest.len() <= 2 => (of.clone(), Some(size(1, rest)?)),
            sizes @ [_, _] => (Type::any(), Some(size(0, sizes)?)),
            [key] | [key, _, _] => return wrong_type("Array-Type", 0, key),
            flat => return wrong_arity("Array-Type", 1, Some(3), flat.len()),
        };
        Ok(Type::array(of, size))
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        Ok(Value::Type(match given.keys.as_slice() {
            [_] => Type::array(given.type_at(0)?, None),
            [Value::Type(of), size] => Type::array(of.clone(), Some(given.size(std::slice::from_ref(size))?)),
            // The reference takes the missing type for the value `default`.
            sizes @ [_, _] => Type::array(Type::default_type(), Some(given.size(sizes)?)),
            [_, sizes @ ..] if sizes.len() == 2 => {
                let of = given.type_at(0)?;
                Type::array(of, Some(given.size(sizes)?))
            }
            keys => return Err(wrong_count("Array", "1 to 3", keys.len())),
        }))
    }

    fn normalized(&self, _: &Type, normal: &Normal<'_>) -> Type {
        match self.element {
            Some(element) => Type::array(normal.of(element), *self.size),
            // The reference loses the size of an array of anything.
            None => Type::any_array(),
        }
    }

    fn common(&self, that: &Type, depth: u32) -> Option<Type> {
        let TypeKind::Array { element, .. } = that.kind() else { return None };
        Some(Type::array(common(&or_any(self.element.as_ref()), &or_any(element.as_ref()), depth), None))
    }

    fn mismatches(&self, _: &Type, asked: &Comparison<'_>) -> Vec<Mismatch> {
        let expected = self.size.unwrap_or(IntRange::ANY_SIZE);
        match asked.actual.kind() {
            TypeKind::Tuple { types, size } => {
                let actual = size.unwrap_or_else(|| IntRange::exactly(types.len()));
                if !expected.covers(&actual) {
                    return asked.one(Reason::Size { expected, actual });
                }
                let element = or_any(self.element.as_ref());
                let wrong = types.iter().enumerate().filter(|(_, of)| !element.is_assignable(of));
                wrong.flat_map(|(index, of)| asked.part(Step::Index(index), &element, of)).collect()
            }
            TypeKind::Array { element, size } => {
                let actual = size.unwrap_or(IntRange::ANY_SIZE);
                if self.size.is_none() || expected.covers(&actual) {
                    asked.mismatch_with(&Type::array(or_any(element.as_ref()), None))
                } else {
                    asked.one(Reason::Size { expected, actual })
                }
            }
            _ => asked.mismatch(),
        }
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        Ok(Type::array(given.of(0)?.unwrap_or_else(Type::any), given.range(1)?))
    }
}

impl Family for view::Hash<'_> {
    fn accepts(&self, _: &Type, that: &Type, mut guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        let Self { key, value, size } = *self;
        let accepted = |of: &Option<Type>, other: &Type, guard: Option<&mut Guard>| match of {
            None => true,
            Some(of) => assignable(of, other, guard, depth),
        };
        match that.kind() {
            TypeKind::Hash { key: other_key, value: other_value, size: other_size } => {
                if size.is_none_or(|size| size.from == Some(0)) && *that == Type::empty_hash() {
                    return true;
                }
                accepted(key, &or_any(other_key.as_ref()), guard.as_deref_mut())
                    && accepted(value, &or_any(other_value.as_ref()), guard.as_deref_mut())
                    && size.unwrap_or(IntRange::ANY_SIZE).covers(&other_size.unwrap_or(IntRange::ANY_SIZE))
            }
            TypeKind::Struct { members } => {
                size.unwrap_or(IntRange::ANY_SIZE).includes_size(members.len())
                    && members.iter().all(|member| {
                        let name = Value::String(member.name.clone());
                        key.as_ref().is_none_or(|key| instance(key, &name, guard.as_deref_mut(), depth))
                            && accepted(value, member.value, guard.as_deref_mut())
                    })
            }
            _ => false,
        }
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        let Self { key, value, size } = *self;
        if size.is_some_and(|size| size.is_zero()) {
            return out.push("Hash[0, 0]");
        }
        out.array("Hash", key.is_none() && value.is_none() && size.is_none(), |f| {
            for of in [key, value] {
                f.type_text(&or_any(of.as_ref()));
                f.comma();
            }
            f.range(*size);
            f.chomp_list();
        });
    }

    fn generalized(&self, this: &Type, general: &dyn Fn(&Type) -> Type) -> Type {
        if *this == Type::empty_hash() {
            return this.clone();
        }
        let [key, value] = [self.key, self.value].map(|of| of.as_ref().map(general));
        TypeKind::Hash { key, value, size: None }.into()
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![type_or_any(self.key.as_ref()), type_or_any(self.value.as_ref()), size_of(*self.size)])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        let is_number = |key: &Value| matches!(key, Value::Integer(_) | Value::BigInteger(_));
        let flat = keys.flat.as_slice();
        if let [from, to] = flat
            && is_number(from)
            && is_number(to)
        {
            return Ok(Type::hash(Type::any(), Type::any(), Some(factory::range(from, to)?)));
        }
        if let Some((at, key)) = flat.iter().take(2).enumerate().find(|(_, key)| !is_type(key)) {
            return wrong_type("Hash-Type", at, key);
        }
        let [Value::Type(key), Value::Type(value), rest @ ..] = flat else {
            return wrong_arity("Hash-Type", 2, Some(4), flat.len());
        };
        let size = match rest {
            [] => None,
            [Value::Type(of)] => match BigRange::of(of) {
                Some(range) => Some(range.clamped()),
                None => return Err(Error::internal("comparison of a type with Float failed").into()),
            },
            [from @ (Value::String(_) | Value::SemVer(_))] => {
                let message = format!("comparison of {} with Infinity failed", ruby_class(from));
                return Err(Error::internal(message).into());
            }
            [from] => Some(factory::range(from, &Value::Default)?),
            [_, _] => Some(size(2, rest)?),
            _ => return wrong_arity("Hash-Type", 2, Some(4), flat.len()),
        };
        Ok(Type::hash(key.clone(), value.clone(), size))
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        Ok(Value::Type(match given.keys.as_slice() {
            [Value::Type(key), Value::Type(value)] => Type::hash(key.clone(), value.clone(), None),
            sizes @ [_, _] => {
                Type::hash(Type::default_type(), Type::default_type(), Some(given.size(sizes)?))
            }
            [_, _, sizes @ ..] if (1..=2).contains(&sizes.len()) => {
                let size = given.size(sizes)?;
                Type::hash(given.type_at(0)?, given.type_at(1)?, Some(size))
            }
            keys => return Err(wrong_count("Hash", "2 to 4", keys.len())),
        }))
    }

    fn normalized(&self, this: &Type, normal: &Normal<'_>) -> Type {
        if *this == Type::empty_hash() {
            return this.clone();
        }
        let [key, value] = [self.key, self.value].map(|of| of.as_ref().map(|of| normal.of(of)));
        TypeKind::Hash { key, value, size: *self.size }.into()
    }

    fn common(&self, that: &Type, depth: u32) -> Option<Type> {
        let TypeKind::Hash { key, value, .. } = that.kind() else { return None };
        let both =
            |a: &Option<Type>, b: &Option<Type>| common(&or_any(a.as_ref()), &or_any(b.as_ref()), depth);
        Some(Type::hash(both(self.key, key), both(self.value, value), None))
    }

    fn mismatches(&self, _: &Type, asked: &Comparison<'_>) -> Vec<Mismatch> {
        let expected = self.size.unwrap_or(IntRange::ANY_SIZE);
        match asked.actual.kind() {
            TypeKind::Struct { members } => {
                let actual = size_of_members(members);
                if !expected.covers(&actual) {
                    return asked.one(Reason::Size { expected, actual });
                }
                let (key, value) = (or_any(self.key.as_ref()), or_any(self.value.as_ref()));
                members.iter().flat_map(|member| member_mismatches((&key, &value), member, asked)).collect()
            }
            TypeKind::Hash { key, value, size } => {
                let actual = size.unwrap_or(IntRange::ANY_SIZE);
                if self.size.is_none() || expected.covers(&actual) {
                    let actual = Type::hash(or_any(key.as_ref()), or_any(value.as_ref()), None);
                    asked.mismatch_with(&actual)
                } else {
                    asked.one(Reason::Size { expected, actual })
                }
            }
            _ => asked.mismatch(),
        }
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        let [key, value] = [given.of(0)?, given.of(1)?].map(|of| of.unwrap_or_else(Type::any));
        Ok(Type::hash(key, value, given.range(2)?))
    }
}

impl Family for view::Tuple<'_> {
    fn accepts(&self, this: &Type, that: &Type, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        tuple_accepts(this, self.types, *self.size, that, guard, depth)
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.array("Tuple", self.types.is_empty(), |f| {
            f.types(self.types);
            f.range(*self.size);
            f.chomp_list();
        });
    }

    fn generalized(&self, _: &Type, general: &dyn Fn(&Type) -> Type) -> Type {
        Type::tuple(self.types.iter().map(general).collect(), *self.size)
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![type_values(self.types), size_of(*self.size)])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        let mut flat = keys.flat.clone();
        let size = split_size(&mut flat)?;
        keys.assert_types(&flat)?;
        Ok(Type::tuple(types(&flat).collect(), size))
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        let keys = &given.keys;
        given.some("Tuple", keys)?;
        let bound = |value: &Value| match value {
            Value::Integer(number) => Some(*number),
            _ => None,
        };
        let least = |value: &Value| bound(value).or(Some(0));
        let (types, size) = match keys.as_slice() {
            [types @ .., from, to] if is_range_parameter(from) => {
                given.assert_range(to)?;
                (types, Some((least(from), bound(to))))
            }
            [types @ .., from] if is_range_parameter(from) => (types, Some((least(from), None))),
            types => (types, None),
        };
        let size = size.map(|(from, to)| checked_range(from, to)).transpose()?;
        let types = types.iter().map(factory::type_of).collect::<Result<_, _>>()?;
        Ok(Value::Type(Type::tuple(types, size)))
    }

    fn normalized(&self, _: &Type, normal: &Normal<'_>) -> Type {
        Type::tuple(self.types.iter().map(|of| normal.of(of)).collect(), *self.size)
    }

    fn mismatches(&self, this: &Type, asked: &Comparison<'_>) -> Vec<Mismatch> {
        let is_fitting = this == asked.actual
            || (self.types.is_empty() && matches!(asked.actual.kind(), TypeKind::Array { .. }));
        if is_fitting { Vec::new() } else { tuple_mismatches((self.types, *self.size), false, asked) }
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        Ok(Type::tuple(given.types(0)?, given.range(1)?))
    }
}

impl Family for view::Struct<'_> {
    fn accepts(&self, _: &Type, that: &Type, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        struct_accepts(self.members, that, guard, depth)
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.structure(self.members);
    }

    fn generalized(&self, _: &Type, general: &dyn Fn(&Type) -> Type) -> Type {
        Type::structure(self.members.with_values(general))
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![Value::array(self.members.iter().map(member))])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        keys.assert(keys.given, Some(1), "Hash", |key| matches!(key, Value::Hash(_)))?;
        match keys.given.first() {
            Some(Value::Hash(hash)) => Ok(factory::structure(hash)?),
            _ => Ok(Type::any_struct()),
        }
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        given.exactly("Struct", 1)?;
        match given.keys.first() {
            Some(Value::Hash(hash)) => factory::structure(hash).map(Value::Type),
            _ => Err(given.not_a_type()),
        }
    }

    fn normalized(&self, _: &Type, normal: &Normal<'_>) -> Type {
        Type::structure(self.members.with_values(|of| normal.of(of)))
    }

    fn mismatches(&self, _: &Type, asked: &Comparison<'_>) -> Vec<Mismatch> {
        match asked.actual.kind() {
            TypeKind::Struct { members } => struct_mismatches(self.members, members, asked),
            TypeKind::Hash { key, value, size } => {
                let expected = size_of_members(self.members);
                let actual_size = size.unwrap_or(IntRange::ANY_SIZE);
                if expected.covers(&actual_size) {
                    let actual = Type::hash(or_any(key.as_ref()), or_any(value.as_ref()), None);
                    asked.mismatch_with(&actual)
                } else {
                    asked.one(Reason::Size { expected, actual: actual_size })
                }
            }
            _ => asked.mismatch(),
        }
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        let members =
            given.list(0)?.iter().map(|value| member_of_value(value).ok_or_else(|| given.refused()));
        Ok(Type::structure(members.collect::<Result<Members, _>>()?))
    }
}

impl Family for view::Iterable<'_> {
    fn accepts(&self, _: &Type, that: &Type, mut guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        let is_narrow = |of: &&Type| !assignable(of, &Type::any(), guard.as_deref_mut(), depth);
        let Some(of) = self.of.as_ref().filter(is_narrow) else { return that.is_iterable() };
        match that.iterable_type().as_ref().map(Type::kind) {
            Some(TypeKind::Iterable(Some(element))) => assignable(of, element, guard, depth),
            _ => false,
        }
    }

    fn is_instance(
        &self,
        this: &Type,
        value: &Value,
        mut guard: Option<&mut Guard>,
        depth: Depth<'_>,
    ) -> bool {
        let takes_all = |of: &Type| assignable(of, &Type::any(), guard.as_deref_mut(), depth);
        if self.of.as_ref().is_none_or(takes_all) {
            is_iterable(value, depth.level)
        } else {
            assignable(this, &Type::infer(value), guard, depth)
        }
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.contained("Iterable", self.of.as_ref());
    }

    fn generalized(&self, this: &Type, general: &dyn Fn(&Type) -> Type) -> Type {
        self.of.as_ref().map_or_else(|| this.clone(), |of| Type::iterable(general(of)))
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![optional_type(self.of.as_ref())])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        Ok(Type::iterable(keys.one_type()?))
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        given.exactly("Iterable", 1)?;
        Ok(Value::Type(Type::iterable(given.type_at(0)?)))
    }

    fn normalized(&self, this: &Type, normal: &Normal<'_>) -> Type {
        self.of.as_ref().map_or_else(|| this.clone(), |of| Type::iterable(normal.of(of)))
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        Ok(TypeKind::Iterable(given.of(0)?).into())
    }
}

impl Family for view::Iterator<'_> {
    fn accepts(&self, _: &Type, that: &Type, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        match (self.of, that.kind()) {
            (None, TypeKind::Iterator(_)) => true,
            (Some(of), TypeKind::Iterator(Some(other))) => assignable(of, other, guard, depth),
            _ => false,
        }
    }

    fn is_instance(&self, _: &Type, value: &Value, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        match value {
            Value::Iterator(iterator) => self.of.as_ref().is_none_or(|of| {
                iterator_element_type(iterator).is_some_and(|element| assignable(of, &element, guard, depth))
            }),
            _ => false,
        }
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.contained("Iterator", self.of.as_ref());
    }

    fn generalized(&self, this: &Type, general: &dyn Fn(&Type) -> Type) -> Type {
        self.of.as_ref().map_or_else(|| this.clone(), |of| Type::iterator(general(of)))
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![optional_type(self.of.as_ref())])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        Ok(Type::iterator(keys.one_type()?))
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        given.exactly("Iterator", 1)?;
        Ok(Value::Type(Type::iterator(given.type_at(0)?)))
    }

    fn normalized(&self, this: &Type, normal: &Normal<'_>) -> Type {
        self.of.as_ref().map_or_else(|| this.clone(), |of| Type::iterator(normal.of(of)))
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        Ok(TypeKind::Iterator(given.of(0)?).into())
    }
}

/// Whether a value can be iterated over, whatever its elements are.
fn is_iterable(value: &Value, depth: u32) -> bool {
    match value {
        Value::Iterator(_) | Value::String(_) | Value::ByteString(_) | Value::Hash(_) | Value::Array(_) => {
            true
        }
        Value::Integer(number) => *number >= 0,
        Value::BigInteger(number) => !number.is_negative(),
        Value::Type(of) => match of.kind() {
            TypeKind::Enum { .. } => true,
            TypeKind::Integer(range) => range.is_finite(),
            TypeKind::BigInteger(range) => range.is_finite(),
            TypeKind::Alias(alias) if depth < MAX_DEPTH => {
                alias.target.get().is_some_and(|target| is_iterable(&Value::Type(target.clone()), depth + 1))
            }
            _ => false,
        },
        Value::Runtime(object) => object.class.is_a("Range"),
        _ => false,
    }
}

/// The minimum and maximum number of a Struct's members.
fn size_of_members(members: &Members) -> IntRange {
    let required = members.iter().filter(|member| !is_optional_member(*member)).count();
    IntRange { from: IntRange::exactly(required).from, to: IntRange::exactly(members.len()).to }
}

/// The mismatches of the key and the value of an entry with their expected types.
fn member_mismatches(
    (key, value): (&Type, &Type),
    actual: Member<'_>,
    asked: &Comparison<'_>,
) -> Vec<Mismatch> {
    let mut mismatches = Vec::new();
    if !key.is_assignable(actual.key) {
        mismatches.extend(asked.part(Step::EntryKey(actual.name.clone()), key, actual.key));
    }
    if !value.is_assignable(actual.value) {
        mismatches.extend(asked.part(Step::EntryValue(actual.name.clone()), value, actual.value));
    }
    mismatches
}

fn struct_mismatches(members: &Members, others: &Members, asked: &Comparison<'_>) -> Vec<Mismatch> {
    let given: HashMap<&Str, Member<'_>> = others.iter().map(|other| (other.name, other)).collect();
    let mut mismatches = Vec::new();
    for member in members {
        match given.get(member.name) {
            Some(other) => mismatches.extend(member_mismatches((member.key, member.value), *other, asked)),
            None if is_optional_member(member) => {}
            None => mismatches.extend(asked.one(Reason::MissingKey(member.name.clone()))),
        }
    }
    let is_known = |other: &Member<'_>| members.iter().any(|member| member.name == other.name);
    let unknown = others.iter().filter(|other| !is_known(other));
    mismatches.extend(unknown.flat_map(|other| asked.one(Reason::ExtraneousKey(other.name.clone()))));
    mismatches
}

/// The mismatches of the elements of a list, or of arguments.
pub(super) fn tuple_mismatches(
    (types, size): (&[Type], Option<IntRange>),
    are_arguments: bool,
    asked: &Comparison<'_>,
) -> Vec<Mismatch> {
    let expected = Type::tuple_size(types, size);
    let actual_size = match asked.actual.kind() {
        TypeKind::Tuple { types: others, size } => Type::tuple_size(others, *size),
        TypeKind::Array { size, .. } => size.unwrap_or(IntRange::ANY_SIZE),
        _ => return asked.mismatch(),
    };
    if !expected.covers(&actual_size) {
        let actual = actual_size;
        return asked.one(if are_arguments {
            Reason::Count { expected, actual }
        } else {
            Reason::Size { expected, actual }
        });
    }
    match asked.actual.kind() {
        TypeKind::Tuple { types: others, .. } => {
            let part = |(index, other): (usize, &Type)| {
                let at = index.min(types.len().saturating_sub(1));
                types.get(at).map_or_else(Vec::new, |of| asked.part(Step::Index(at), of, other))
            };
            others.iter().enumerate().flat_map(part).collect()
        }
        TypeKind::Array { element, .. } => {
            let element = or_any(element.as_ref());
            let part = |(index, of): (usize, &Type)| asked.part(Step::Index(index), of, &element);
            types.iter().enumerate().flat_map(part).collect()
        }
        _ => Vec::new(),
    }
}

/// The member from an object of the type `Pcore::StructElement`.
fn member_of_value(value: &Value) -> Option<StructMember> {
    let Value::Object(object) = value else { return None };
    let attribute = |name: &str| match object.attributes.get(name) {
        Some(Value::Type(of)) => Some(of.clone()),
        _ => None,
    };
    let (key, value) = (attribute("key_type")?, attribute("value_type")?);
    let named = match key.kind() {
        TypeKind::Optional(Some(of)) | TypeKind::NotUndef(Some(of)) => of,
        _ => &key,
    };
    let TypeKind::String { value: Some(name), .. } = named.kind() else { return None };
    let name = name.clone();
    Some(StructMember { name, key, value })
}
