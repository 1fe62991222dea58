//! Types of the Puppet language: `table` declares them; the files beside it define their meaning.

pub mod access;
pub mod aliases;
mod annotation;
pub mod asserter;
mod assign;
pub mod ast;
pub(crate) mod attributes;
mod common;
pub mod compare;
mod construct;
pub mod constructor;
pub mod define;
mod explain;
pub mod extension;
pub(crate) mod factory;
mod families;
pub mod format;
mod generalize;
mod guard;
mod infer;
mod init;
mod instance;
pub mod instantiate;
pub mod meta;
pub mod mismatch;
mod name;
pub mod object;
pub mod object_definition;
pub mod order;
mod parse;
mod recent;
mod reduce;
mod short_text;
mod signature;
mod table;
mod time;
pub mod type_set;
pub mod type_set_definition;
pub mod uri;
mod value_view;
mod version;
mod walk;

pub use crate::data::members::{Member, MemberIter, Members};
pub use crate::data::ruby_class::RubyClass;
pub use crate::data::types::*;
pub use attributes::Described;
pub(crate) use infer::iterator_element_type;
pub use parse::{
    BuiltInTypes, NoTypes, StaticTypes, TypeLoader, built_in, built_in_names, built_in_origin, interpret,
    interpret_any,
};
pub use signature::Signature;
pub use value_view::{Shape, ValueView};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::value::Value;

    fn parse(text: &str) -> Type {
        Type::parse(text, &NoTypes).unwrap()
    }

    #[test]
    fn types_are_written_as_they_are_read() {
        for text in [
            "Array[Optional[String[1]], 0, 3]",
            "Struct[{'a' => Integer, Optional['b'] => String, NotUndef['c'] => Optional[Float]}]",
            "Callable[[Integer, 1, 2, Callable[String]], Boolean]",
            "Variant[Enum['a', 'b', true], Pattern[/x\\/y/], Hash[String, Data]]",
        ] {
            assert_eq!(parse(text).to_string(), text);
        }
    }

    #[test]
    fn collections_accept_what_their_members_and_sizes_allow() {
        let inner = Type::infer_set(&Value::array([Value::from(1_i64), Value::from("a")]));
        assert!(parse("Array[Scalar, 2]").is_assignable(&inner));
        assert!(!parse("Array[Scalar, 3]").is_assignable(&inner));
        assert!(parse("Data").is_assignable(&inner));
        assert!(parse("Tuple[Integer[0, 5], String]").is_assignable(&inner));
    }

    #[test]
    fn mismatches_are_said_with_their_path() {
        let actual = Type::infer_set(&Value::array([Value::from(1_i64), Value::from("a")]));
        let text = mismatch::describe("x", &parse("Array[Integer]"), &actual);
        assert_eq!(text, "x index 1 expects an Integer value, got String");
        let text =
            mismatch::describe("x", &parse("Variant[Integer, Float]"), &Type::infer(&Value::from("a")));
        assert_eq!(text, "x expects a value of type Integer or Float, got String");
    }
}
