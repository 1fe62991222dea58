//! Assignability of types: `is_assignable`. Follows the `assignable?` methods of the reference's `types.rb`
//! and of the `p_*_type.rb` beside it.

use super::guard::{Depth, Guard, MAX_DEPTH, Memo, state};
use super::instance::part_matches;
use super::{AliasType, CallableType, IntRange, Member, Members, Type, TypeKind};
use crate::data::fuel::Fuel;
use crate::data::value::{Str, Value};
use bunraku_syntax::diagnostic::Error;

impl Type {
    /// Whether every instance of `other` is an instance of this type; not when
    /// [`check_assignable`](Self::check_assignable) has no answer.
    pub fn is_assignable(&self, other: &Type) -> bool {
        self.check_assignable(other).unwrap_or(false)
    }

    /// Whether every instance of `other` is an instance of this type.
    ///
    /// # Errors
    /// It cannot be decided: a type is nested too deeply, or one contains an `Init` of a type without a
    /// constructor.
    pub fn check_assignable(&self, other: &Type) -> Result<bool, Error> {
        assigned(self, other, Memo::default())
    }

    /// As [`check_assignable`](Self::check_assignable), with fuel.
    ///
    /// # Errors
    /// Those; the fuel runs out.
    pub fn check_assignable_with(&self, other: &Type, fuel: &dyn Fuel) -> Result<bool, Error> {
        assigned(self, other, Memo::new(fuel))
    }

    /// Whether this Callable takes these arguments and a block of this type (or none).
    ///
    /// # Errors
    /// As [`check_assignable`](Self::check_assignable).
    pub fn check_callable_with(&self, arguments: &Value, block: Option<&Type>) -> Result<bool, Error> {
        let TypeKind::Callable(CallableType { parameters, block: expected, .. }) = self.resolved().kind()
        else {
            return Ok(false);
        };
        let Some(parameters) = parameters else { return Ok(true) };
        if !parameters.check_instance(arguments)? {
            return Ok(false);
        }
        match (expected, block) {
            (None, block) => Ok(block.is_none()),
            (Some(expected), Some(block)) => expected.check_assignable(block),
            (Some(expected), None) => expected.check_instance(&Value::Undef),
        }
    }

    /// Whether the type is a Callable, or surely one of several; `Optional` counts when `optional` is set.
    pub fn is_kind_of_callable(&self, optional: bool) -> bool {
        kind_of_callable(self, optional, 0)
    }

    /// Whether instances can be iterated over.
    pub fn is_iterable(&self) -> bool {
        match self.kind() {
            TypeKind::Type(Some(of)) => match of.kind() {
                TypeKind::Enum { .. } => true,
                TypeKind::Integer(range) => range.is_finite(),
                TypeKind::BigInteger(range) => range.is_finite(),
                _ => false,
            },
            TypeKind::Enum { .. }
            | TypeKind::Integer(_)
            | TypeKind::BigInteger(_)
            | TypeKind::Collection { .. }
            | TypeKind::Array { .. }
            | TypeKind::Hash { .. }
            | TypeKind::Iterable(_)
            | TypeKind::Iterator(_)
            | TypeKind::String { .. }
            | TypeKind::Struct { .. }
            | TypeKind::Tuple { .. } => true,
            TypeKind::Alias(_) => {
                let resolved = self.resolved();
                !matches!(resolved.kind(), TypeKind::Alias(_)) && resolved.is_iterable()
            }
            TypeKind::Object(object) => object.parent().is_some_and(Type::is_iterable),
            _ => false,
        }
    }

    /// The Iterable of the elements that iterating over instances yields.
    pub fn iterable_type(&self) -> Option<Type> {
        let pair = |key: Type, value: Type| {
            Type::iterable(Type::tuple(vec![key, value], Some(IntRange::exactly(2))))
        };
        let unit_pair = || pair(Type::unit(), Type::unit());
        match self.kind() {
            TypeKind::Type(Some(of)) => match of.kind() {
                TypeKind::Enum { .. } => Some(Type::iterable(of.clone())),
                TypeKind::Integer(range) if range.is_finite() => Some(Type::iterable(of.clone())),
                TypeKind::BigInteger(range) if range.is_finite() => Some(Type::iterable(of.clone())),
                _ => None,
            },
            TypeKind::Enum { .. } | TypeKind::String { .. } => {
                Some(Type::iterable(Type::string(Some(IntRange::exactly(1)))))
            }
            TypeKind::Integer(_) | TypeKind::BigInteger(_) => Some(Type::iterable(Type::any_integer())),
            TypeKind::Iterable(_) => Some(self.clone()),
            TypeKind::Iterator(of) | TypeKind::Array { element: of, .. } => {
                Some(of.clone().map_or_else(Type::any_iterable, Type::iterable))
            }
            TypeKind::Hash { key: None, value: None, size: None } => Some(unit_pair()),
            TypeKind::Hash { .. } if *self == Type::empty_hash() => Some(unit_pair()),
            TypeKind::Hash { key, value, .. } => {
                let [key, value] = [key, value].map(|of| of.clone().unwrap_or_else(Type::any));
                Some(pair(key, value))
            }
            TypeKind::Struct { members } if members.is_empty() => Some(unit_pair()),
            TypeKind::Struct { members } => Some(pair(
                Type::variant(members.iter().map(|member| member.key.clone())),
                Type::variant(members.iter().map(|member| member.value.clone())),
            )),
            TypeKind::Tuple { types, .. } => Some(Type::iterable(Type::variant(types.iter().cloned()))),
            TypeKind::Alias(_) => {
                let resolved = self.resolved();
                if matches!(resolved.kind(), TypeKind::Alias(_)) { None } else { resolved.iterable_type() }
            }
            TypeKind::Object(object) => object.parent().and_then(Type::iterable_type),
            _ => None,
        }
    }

    /// The least and greatest number of members of a Tuple.
    pub fn tuple_size(types: &[Type], size: Option<IntRange>) -> IntRange {
        match size {
            Some(size) => size,
            None if types.is_empty() => IntRange::ANY_SIZE,
            None => IntRange::exactly(types.len()),
        }
    }
}

fn assigned(this: &Type, other: &Type, memo: Memo<'_>) -> Result<bool, Error> {
    let answer = assignable(this, other, None, memo.start());
    memo.finish(answer)
}

fn kind_of_callable(of: &Type, optional: bool, depth: u32) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    match of.kind() {
        TypeKind::Callable(_) => true,
        TypeKind::Variant(types) => types.iter().all(|of| kind_of_callable(of, optional, depth + 1)),
        TypeKind::Optional(Some(of)) => optional && kind_of_callable(of, optional, depth + 1),
        TypeKind::Alias(alias) => {
            alias.target.get().is_some_and(|target| kind_of_callable(target, optional, depth + 1))
        }
        TypeKind::Object(object) => {
            object.parent().is_some_and(|parent| kind_of_callable(parent, optional, depth + 1))
        }
        _ => false,
    }
}

/// The member of a Tuple at an index; the last one repeats.
pub(crate) fn member_at(types: &[Type], index: usize) -> Option<&Type> {
    types.get(index).or(types.last())
}

fn members_assignable(
    expected: &[Type],
    actual: &[Type],
    mut guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> bool {
    actual.iter().enumerate().all(|(index, actual)| {
        member_at(expected, index)
            .is_some_and(|expected| assignable(expected, actual, guard.as_deref_mut(), depth + 1))
    })
}

/// The reference's `assignable?` with its guard.
pub(crate) fn assignable(this: &Type, that: &Type, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
    if depth.is_exceeded() {
        return false;
    }
    match guard {
        None => depth.answer(this, that, || assignable_now(this, that, None, depth)),
        // Within types that contain themselves the answer depends on where we come from.
        guard => assignable_now(this, that, guard, depth),
    }
}

fn assignable_now(this: &Type, that: &Type, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
    if this.is_same(that)
        && !matches!(this.kind(), TypeKind::Variant(types) if types.is_empty())
        && is_reflexive(this)
    {
        return true;
    }
    match this.kind() {
        TypeKind::Unit => true,
        TypeKind::Alias(alias) if alias.is_recursive() => {
            let mut local = Guard::default();
            let guard = guard.unwrap_or(&mut local);
            guard.with_this(alias.identity(), |guard, state| {
                state == state::BOTH || assignable_to(this, that, Some(guard), depth)
            })
        }
        TypeKind::Variant(types) => match that.kind() {
            TypeKind::Undef if types.is_empty() => false,
            TypeKind::Variant(_) if types.is_empty() => true,
            TypeKind::Variant(others) => {
                let mut guard = guard;
                !others.is_empty()
                    && others.iter().all(|other| assignable_to(this, other, guard.as_deref_mut(), depth))
            }
            _ => assignable_to(this, that, guard, depth),
        },
        _ => assignable_to(this, that, guard, depth),
    }
}

/// Whether a type is surely assignable to itself, so that the very same type need not be compared.
fn is_reflexive(of: &Type) -> bool {
    matches!(
        of.kind(),
        TypeKind::Any
            | TypeKind::Integer(_)
            | TypeKind::BigInteger(_)
            | TypeKind::Float(_)
            | TypeKind::Numeric
            | TypeKind::Boolean(_)
            | TypeKind::String { .. }
            | TypeKind::Enum { .. }
            | TypeKind::Pattern(_)
            | TypeKind::Undef
            | TypeKind::Default
    )
}

/// The common part of all types: resolves a type that represents several ones.
fn assignable_to(this: &Type, that: &Type, mut guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
    let depth = depth + 1;
    match that.kind() {
        TypeKind::Unit => true,
        TypeKind::Alias(alias) => {
            let Some(target) = alias.target.get() else { return is_same_alias(this, alias) };
            if alias.is_recursive() {
                let mut local = Guard::default();
                let guard = guard.unwrap_or(&mut local);
                guard.add_that(alias.identity()) == state::BOTH
                    || assignable(this, target, Some(guard), depth)
            } else {
                assignable(this, target, guard, depth)
            }
        }
        TypeKind::Variant(types) => match this.kind() {
            TypeKind::Any => true,
            TypeKind::NotUndef(_) if types.is_empty() => {
                this.kind().ask(|family| family.accepts(this, that, guard, depth))
            }
            _ => {
                !types.is_empty() && types.iter().all(|of| assignable(this, of, guard.as_deref_mut(), depth))
            }
        },
        TypeKind::Optional(of) => {
            assignable(this, &Type::undef(), None, depth)
                && of.as_ref().is_none_or(|of| assignable(this, of, None, depth))
        }
        TypeKind::NotUndef(Some(of)) if !assignable(of, &Type::undef(), None, depth) => {
            assignable(this, of, guard, depth)
        }
        _ => this.kind().ask(|family| family.accepts(this, that, guard, depth)),
    }
}

fn is_same_alias(this: &Type, alias: &AliasType) -> bool {
    matches!(this.kind(), TypeKind::Any) || matches!(this.kind(), TypeKind::Alias(other) if **other == *alias)
}

/// The type of elements, which is `Any` by default.
pub(crate) fn or_any(of: Option<&Type>) -> Type {
    of.cloned().unwrap_or_else(Type::any)
}

/// Whether every parameter is matched by the one of the same name: URIs and parameterised Object types.
pub(super) fn parameters_accept(
    parameters: &[(Str, Value)],
    others: &[(Str, Value)],
    depth: Depth<'_>,
) -> bool {
    parameters.iter().all(|(name, expected)| {
        let Some((_, actual)) = others.iter().find(|(other, _)| other == name) else { return false };
        part_matches(actual, expected, depth)
            || matches!((actual, expected), (Value::Type(actual), Value::Type(expected)) if expected.is_assignable(actual))
    })
}

pub(super) fn tuple_accepts(
    this: &Type,
    types: &[Type],
    size: Option<IntRange>,
    that: &Type,
    mut guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> bool {
    if this == that {
        return true;
    }
    let size = Type::tuple_size(types, size);
    match that.kind() {
        TypeKind::Tuple { types: others, size: other_size } => {
            if !size.covers(&Type::tuple_size(others, *other_size)) {
                return false;
            }
            match (types.is_empty(), others.is_empty()) {
                (true, _) => true,
                (false, true) => size.from == Some(0),
                (false, false) => members_assignable(types, others, guard, depth),
            }
        }
        TypeKind::Array { element, size: other_size } => {
            let other_size = other_size.unwrap_or(IntRange::ANY_SIZE);
            if !size.covers(&other_size) {
                return false;
            }
            let element = or_any(element.as_ref());
            let count = other_size
                .to
                .map_or(types.len(), |to| usize::try_from(to).unwrap_or(usize::MAX).min(types.len()));
            types.iter().take(count).all(|of| assignable(of, &element, guard.as_deref_mut(), depth))
        }
        _ => false,
    }
}

/// Whether a member of a Struct may be missing.
pub(crate) fn is_optional_member(member: Member<'_>) -> bool {
    matches!(member.key.kind(), TypeKind::Optional(_))
}

pub(super) fn struct_accepts(
    members: &Members,
    that: &Type,
    mut guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> bool {
    match that.kind() {
        TypeKind::Struct { members: others } => {
            let mut matched = 0;
            members.iter().all(|member| match others.iter().rev().find(|other| other.name == member.name) {
                None => is_optional_member(member),
                Some(other) => {
                    matched += 1;
                    assignable(member.key, other.key, guard.as_deref_mut(), depth)
                        && assignable(member.value, other.value, guard.as_deref_mut(), depth)
                }
            }) && matched == others.len()
        }
        TypeKind::Hash { key, value, size } => {
            let mut required = 0;
            let (key, value) = (or_any(key.as_ref()), or_any(value.as_ref()));
            let fits = members.iter().all(|member| {
                if is_optional_member(member) {
                    return true;
                }
                required += 1;
                assignable(member.value, &value, guard.as_deref_mut(), depth)
                    && assignable(&member.key.generalize(), &key, None, depth)
            });
            let range = IntRange::new(Some(required), i64::try_from(members.len()).ok());
            fits && range.covers(&size.unwrap_or(IntRange::ANY_SIZE))
        }
        _ => false,
    }
}

pub(super) fn callable_accepts(
    parts: &CallableType,
    that: &Type,
    mut guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> bool {
    let TypeKind::Callable(others) = that.kind() else { return false };
    if let Some(returns) = &parts.returns
        && !assignable(returns, &or_any(others.returns.as_ref()), guard.as_deref_mut(), depth)
    {
        return false;
    }
    let Some(parameters) = &parts.parameters else { return true };
    let Some(other_parameters) = &others.parameters else { return false };
    if !assignable(other_parameters, parameters, guard.as_deref_mut(), depth) {
        return false;
    }
    let block = |parts: &CallableType| parts.block.clone().unwrap_or_else(Type::undef);
    assignable(&block(others), &block(parts), guard, depth)
}
