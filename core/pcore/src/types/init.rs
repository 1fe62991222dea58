//! `Init[T]`: everything that `T.new` takes as its one argument. Follows the reference's `p_init_type.rb`.

use std::sync::Arc;

use super::assign::assignable;
use super::guard::{Depth, Guard, Pending, state};
use super::instance::really_instance as really;
use super::{Type, TypeKind, aliases};
use crate::data::value::Value;
use crate::types::constructor::init_single_type;
use bunraku_syntax::diagnostic::Error;

/// The arguments that `T.new` accepts.
struct Accepted {
    /// One argument: T itself and the single arguments.
    single: Type,
    /// Several arguments, as Tuples.
    several: Option<Type>,
    /// Whether one argument may be enough for these.
    has_optional_single: bool,
}

/// Fails when T cannot be made, or not with these arguments.
pub(crate) fn check(init: &Type, of: &Type, arguments: &[Value]) -> Result<(), Error> {
    accepted(init, of, arguments, Pending::default()).map(|_| ())
}

/// Whether the last question that the reference asks has no answer: nothing takes several arguments.
pub(crate) fn ends_with_nothing(of: &Type, arguments: &[Value]) -> bool {
    let init = Type::init(of.clone(), arguments.to_vec());
    accepted(&init, of, arguments, Pending::default()).is_ok_and(|accepted| accepted.several.is_none())
}

fn accepted(init: &Type, of: &Type, arguments: &[Value], pending: Pending<'_>) -> Result<Accepted, Error> {
    if pending.includes(init) {
        return Ok(Accepted { single: of.clone(), several: None, has_optional_single: false });
    }
    let (single, several) = init_single_type(init, of, arguments, pending)?;
    let takes_one = |tuple: &Type| match tuple.kind() {
        TypeKind::Tuple { types, size } => Type::tuple_size(types, *size).from == Some(1),
        _ => false,
    };
    // With arguments of its own only those signatures count that take them.
    let several = if arguments.is_empty() { several } else { Vec::new() };
    let has_optional_single = several.iter().any(takes_one);
    let several = (!several.is_empty()).then(|| Type::variant(several));
    Ok(Accepted { single, several, has_optional_single })
}

/// The types that `Init` accepts.
pub(crate) fn accepts(
    this: &Type,
    of: Option<&Type>,
    arguments: &[Value],
    that: &Type,
    guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> bool {
    if depth.is_exceeded() {
        return false;
    }
    let Some(of) = of else {
        return matches!(that.kind(), TypeKind::Init { .. })
            || assignable(&aliases::rich_data(), that, guard, depth);
    };
    let mut local = Guard::default();
    let guard = guard.unwrap_or(&mut local);
    guard.with_this(identity(of, arguments), |guard, found| {
        found & state::THIS == 0 && accepts_guarded(this, (of, arguments), that, guard, depth)
    })
}

fn accepts_guarded(
    this: &Type,
    (of, arguments): (&Type, &[Value]),
    that: &Type,
    guard: &mut Guard,
    depth: Depth<'_>,
) -> bool {
    let accepted = match accepted(this, of, arguments, depth.pending()) {
        Ok(accepted) => accepted,
        Err(error) => {
            depth.fail(error);
            return false;
        }
    };
    if let TypeKind::Init { of: other, .. } = that.kind() {
        return other.as_ref().is_some_and(|other| assignable(of, other, Some(guard), depth + 1));
    }
    assignable(of, that, Some(guard), depth + 1)
        || assignable(&accepted.single, that, Some(guard), depth + 1)
        || accepted.several.is_some_and(|several| {
            assignable(&several, that, Some(guard), depth + 1)
                || (accepted.has_optional_single
                    && assignable(&several, &Type::tuple(vec![that.clone()], None), None, depth + 1))
        })
}

/// What recognizes an `Init` that contains itself: the named type that it makes, or the address of another
/// type.
fn identity(of: &Type, arguments: &[Value]) -> usize {
    let address = match of.kind() {
        TypeKind::Object(object) => Arc::as_ptr(object) as usize,
        TypeKind::Alias(alias) => alias.identity(),
        _ => of.address(),
    };
    // An Object type or alias is recognized by its own address.
    address.wrapping_add(1 + arguments.len())
}

/// The reference's `really_instance?` of `Init`.
pub(crate) fn really_instance(
    this: &Type,
    of: Option<&Type>,
    arguments: &[Value],
    value: &Value,
    guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> i8 {
    if depth.is_exceeded() {
        return -1;
    }
    let Some(of) = of else { return really(&aliases::rich_data(), value, None, depth) };
    let accepted = match accepted(this, of, arguments, depth.pending()) {
        Ok(accepted) => accepted,
        Err(error) => {
            depth.fail(error);
            return -1;
        }
    };
    let mut local = Guard::default();
    let guard = guard.unwrap_or(&mut local);
    guard.with_this(identity(of, arguments), |guard, found| {
        if found & state::THIS == 0 { accepted.really(of, value, guard, depth + 1) } else { 0 }
    })
}

impl Accepted {
    fn really(self, of: &Type, value: &Value, guard: &mut Guard, depth: Depth<'_>) -> i8 {
        let mut best = really(of, value, Some(guard), depth);
        if best < 1 {
            best = best.max(really(&self.single, value, Some(guard), depth));
        }
        if best < 1
            && let Some(several) = self.several
        {
            let mut answer = really(&several, value, Some(guard), depth);
            if answer < 0 && self.has_optional_single {
                answer = really(&several, &Value::array([value.clone()]), Some(guard), depth);
            }
            best = best.max(answer);
        }
        best
    }
}
