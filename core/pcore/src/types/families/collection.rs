//! Types of collections and of what is walked like one. Whether values are their instances stands in
//! [`instance`](crate::types::instance), as data is made of them.

use num_traits::Signed;

use super::{Depth, Family, Formatter, Guard, optional_type, size_of, type_or_any, type_values, view};
use crate::data::value::Value;
use crate::types::assign::{assignable, or_any, struct_accepts, tuple_accepts};
use crate::types::attributes::member;
use crate::types::guard::MAX_DEPTH;
use crate::types::instance::instance;
use crate::types::{IntRange, Type, TypeKind, iterator_element_type};
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
