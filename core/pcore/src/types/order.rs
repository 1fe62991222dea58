//! Comparisons of types: `==`, `<`, `<=` and similar. Follows `equals` and `assignable?` of the reference's
//! `type_calculator.rb` as its evaluator uses them.
//!
//! The reference's result is not always a Boolean: some of its methods return the last value that they
//! evaluated, which programs can see.

use super::guard::MAX_DEPTH;
use super::{AliasType, Type, TypeKind, init};
use crate::data::fuel::Fuel;
use crate::data::value::Value;
use bunraku_syntax::diagnostic::Error;

impl Type {
    /// The result of the reference's `assignable?`: a Boolean, or a value that counts as one.
    ///
    /// # Errors
    /// Those of [`check_assignable_with`](Self::check_assignable_with).
    pub fn assignable_answer(&self, other: &Type, fuel: &dyn Fuel) -> Result<Value, Error> {
        answer(self, other, fuel, 0)
    }

    /// Fails when the type is an `Init` of something that cannot be made: nothing can be asked of it.
    ///
    /// # Errors
    /// `Creation of new instance of type '…' is not supported`
    pub fn check_init(&self) -> Result<(), Error> {
        match self.resolved().kind() {
            TypeKind::Init { of: Some(of), arguments } => init::check(self, of, arguments),
            TypeKind::Optional(Some(of)) => match of.resolved().kind() {
                TypeKind::Init { of: Some(made), arguments } => init::check(of, made, arguments),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

fn answer(this: &Type, other: &Type, fuel: &dyn Fuel, depth: u32) -> Result<Value, Error> {
    if depth > MAX_DEPTH {
        return Ok(Value::Boolean(false));
    }
    // What contains itself is compared as it is named: its guard begins with the name.
    let is_plain = |alias: &AliasType, of: &Type| {
        !alias.is_recursive() && !matches!(of.resolved().kind(), TypeKind::Alias(_))
    };
    match other.kind() {
        TypeKind::Alias(alias) if is_plain(alias, other) => answer(this, other.resolved(), fuel, depth + 1),
        TypeKind::Optional(of) => {
            let undef = answer(this, &Type::undef(), fuel, depth + 1)?;
            match of {
                Some(of) if undef.is_truthy() => answer(this, of, fuel, depth + 1),
                _ => Ok(undef),
            }
        }
        TypeKind::NotUndef(Some(of)) if !of.check_assignable_with(&Type::undef(), fuel)? => {
            answer(this, of, fuel, depth + 1)
        }
        _ => match (this.kind(), other.kind()) {
            (TypeKind::Alias(alias), _) if is_plain(alias, this) => {
                answer(this.resolved(), other, fuel, depth + 1)
            }
            (TypeKind::Optional(Some(of)), kind)
                if !matches!(kind, TypeKind::Undef | TypeKind::Variant(_)) =>
            {
                answer(of, other, fuel, depth + 1)
            }
            // The text of the Enum is the last value that the reference evaluates.
            (TypeKind::String { size: None, value: Some(_) }, TypeKind::Enum { values, .. }) => {
                match values.first() {
                    Some(text) if this.is_assignable(other) => Ok(Value::String(text.clone())),
                    _ => Ok(Value::Boolean(false)),
                }
            }
            (TypeKind::Init { of: Some(of), arguments }, kind)
                if !matches!(kind, TypeKind::Init { .. } | TypeKind::Variant(_))
                    && !this.is_assignable(other)
                    && init::ends_with_nothing(of, arguments) =>
            {
                Ok(Value::Undef)
            }
            _ => this.check_assignable_with(other, fuel).map(Value::Boolean),
        },
    }
}

/// Whether two types are equal, or each is assignable to the other.
///
/// # Errors
/// When one is an `Init` of something that cannot be made; the fuel runs out.
pub fn equals(left: &Type, right: &Value, fuel: &dyn Fuel) -> Result<Value, Error> {
    let Value::Type(right) = right else { return Ok(Value::Boolean(false)) };
    if left == right {
        return Ok(Value::Boolean(true));
    }
    let answer = right.assignable_answer(left, fuel)?;
    if !answer.is_truthy() {
        return Ok(answer);
    }
    left.assignable_answer(right, fuel)
}

/// Whether `inner` is assignable to `outer`; `strictly` when they must not be equal.
///
/// # Errors
/// When one is an `Init` of something that cannot be made; the fuel runs out.
pub fn is_within(inner: &Value, outer: &Value, strictly: bool, fuel: &dyn Fuel) -> Result<Value, Error> {
    let (Value::Type(inner), Value::Type(outer)) = (inner, outer) else { return Ok(Value::Boolean(false)) };
    let answer = outer.assignable_answer(inner, fuel)?;
    if !strictly || !answer.is_truthy() {
        return Ok(answer);
    }
    let equal = equals(inner, &Value::Type(outer.clone()), fuel)?;
    Ok(Value::Boolean(!equal.is_truthy()))
}
