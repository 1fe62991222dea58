//! Comparisons of types: `==`, `<`, `<=` and their like. Follows `equals` and `assignable?` of the reference's
//! `type_calculator.rb` as its evaluator uses them.
//!
//! What the reference answers is not always a truth: some of its methods give the last thing they looked at, and
//! programs see it.

use super::{Type, TypeKind, init};
use crate::diagnostic::Error;
use crate::pcore::value::Value;

impl Type {
    /// What the reference's `assignable?` answers: a truth, or what it takes for one.
    pub fn assignable_answer(&self, other: &Type) -> Value {
        if self.is_assignable(other) {
            match (self.part_that_decides().kind(), other.kind()) {
                // The text of the Enum is the last thing that it looks at.
                (TypeKind::String { size: None, value: Some(_) }, TypeKind::Enum { values, .. }) => {
                    values.first().cloned().map_or(Value::Boolean(true), Value::String)
                }
                _ => Value::Boolean(true),
            }
        } else {
            match self.part_that_decides().kind() {
                TypeKind::Init { of: Some(of), arguments }
                    if !matches!(
                        other.kind(),
                        TypeKind::Init { .. } | TypeKind::Variant(_) | TypeKind::Optional(_)
                    ) && init::ends_with_nothing(of, arguments) =>
                {
                    Value::Undef
                }
                _ => Value::Boolean(false),
            }
        }
    }

    /// The type within `Optional` and aliases, whose answer is the answer.
    fn part_that_decides(&self) -> &Type {
        match self.resolved().kind() {
            TypeKind::Optional(Some(of)) => of.resolved(),
            _ => self.resolved(),
        }
    }

    /// Fails when the type holds an `Init` of something that cannot be made.
    fn check_init(&self) -> Result<(), Error> {
        match self.part_that_decides().kind() {
            TypeKind::Init { of: Some(of), arguments } => init::check(self, of, arguments),
            _ => Ok(()),
        }
    }
}

/// Whether two types are equal, or each is assignable to the other.
///
/// # Errors
/// When one is an `Init` of something that cannot be made.
pub fn equals(left: &Type, right: &Value) -> Result<Value, Error> {
    let Value::Type(right) = right else { return Ok(Value::Boolean(false)) };
    if left == right {
        return Ok(Value::Boolean(true));
    }
    right.check_init()?;
    let answer = right.assignable_answer(left);
    if !answer.is_truthy() {
        return Ok(answer);
    }
    left.check_init()?;
    Ok(left.assignable_answer(right))
}

/// Whether `inner` is assignable to `outer`; `strictly` when they must not be equal.
///
/// # Errors
/// When one is an `Init` of something that cannot be made.
pub fn is_within(inner: &Value, outer: &Value, strictly: bool) -> Result<Value, Error> {
    let (Value::Type(inner), Value::Type(outer)) = (inner, outer) else { return Ok(Value::Boolean(false)) };
    outer.check_init()?;
    let answer = outer.assignable_answer(inner);
    if !strictly || !answer.is_truthy() {
        return Ok(answer);
    }
    let equal = equals(inner, &Value::Type(outer.clone()))?;
    Ok(Value::Boolean(!equal.is_truthy()))
}
