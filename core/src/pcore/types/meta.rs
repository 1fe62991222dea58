//! The Object types that describe types (`Pcore::IntegerType` and its like), so that types can be written and read as
//! values. Follows the `register_ptype` methods of the reference's types.

use super::Type;

/// The Object type that describes a type.
pub fn meta_type(of: &Type) -> Option<Type> {
    let _ = of;
    None
}
