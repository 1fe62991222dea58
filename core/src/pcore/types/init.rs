//! `Init[T]`: everything that `T.new` takes as its one argument. Follows the reference's `p_init_type.rb`.

use super::assign::assignable;
use super::guard::Guard;
use super::instance;
use super::{Type, aliases};
use crate::pcore::value::Value;

/// What `Init` accepts.
pub(crate) fn accepts(
    of: Option<&Type>,
    arguments: &[Value],
    that: &Type,
    guard: Option<&mut Guard>,
    depth: u32,
) -> bool {
    let _ = arguments;
    match (of, that.kind()) {
        (None, super::TypeKind::Init { .. }) => true,
        (Some(of), super::TypeKind::Init { of: other, .. }) => {
            other.as_ref().is_some_and(|other| assignable(of, other, guard, depth))
        }
        (None, _) => assignable(&aliases::rich_data(), that, guard, depth),
        (Some(of), _) => assignable(of, that, guard, depth),
    }
}

/// The reference's `really_instance?` of `Init`.
pub(crate) fn really_instance(
    of: Option<&Type>,
    arguments: &[Value],
    value: &Value,
    guard: Option<&mut Guard>,
    depth: u32,
) -> i8 {
    let _ = arguments;
    match of {
        None => instance::really_instance(&aliases::rich_data(), value, None, depth),
        Some(of) => instance::really_instance(of, value, guard, depth),
    }
}
