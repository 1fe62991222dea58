//! The table of types: the name, the bare type, the target of `new`, and the attributes for serialization.
//!
//! [`TypeKind`] has the parameters of each type; the file of its [family](super::families) defines its
//! meaning. The Object types that describe types (`Pcore::IntegerType`) are made from this table
//! ([`meta`](super::meta)).

use std::sync::LazyLock;

use super::common::Scalars;
use super::constructor::Target;
use super::{Type, TypeKind, extension, meta, object_definition, type_set, type_set_definition, uri};
use crate::data::value::{Str, Value};

/// The properties of a type that are independent of its parameters.
pub(super) struct Row {
    /// The name of the kind.
    pub name: &'static str,
    /// The name of the Object type that describes it, without `Pcore::` and `Type`.
    pub meta_name: &'static str,
    /// The place of the type whose attributes it inherits.
    pub parent: Option<usize>,
    /// The type without parameters.
    pub bare: fn() -> Type,
    /// A type of this kind.
    pub sample: fn() -> Type,
    /// Whether the language reads the name as the bare type.
    pub is_read: bool,
    /// The target of `new`.
    pub target: Option<Target>,
    /// Whether its class wants an argument where the type is made by a call of the one that describes it.
    pub wants_argument: bool,
    /// The kind of scalars of its instances, if they are of one kind.
    pub scalars: Option<Scalars>,
    /// Its own attributes.
    pub attributes: fn() -> Vec<Attribute>,
}

/// An attribute of a type.
pub(super) struct Attribute {
    /// The name.
    pub name: &'static str,
    /// The type of its value.
    pub of: Type,
    /// The value that need not be written.
    pub default: Option<Value>,
}

/// The name of an attribute, and its default.
pub(super) type Written = (Str, Option<Value>);

macro_rules! option {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}

macro_rules! last {
    ($value:expr) => {
        $value
    };
    ($first:expr, $value:expr) => {
        $value
    };
}

/// Declares the types, parents first: `Variant + another variant of the same type: "Name" as "name of its
/// Object type" < Parent { … }`, where `bare` makes the type without parameters, `sample` makes one of this
/// kind if that is another, `read` is whether the language knows the name, `new` is the result,
/// `wants_argument` is whether a call needs an argument, `scalars` is the kind of scalars of its instances,
/// and each attribute has a type and an optional default.
macro_rules! types {
    ($(
        $variant:ident $(+ $twin:ident)? : $name:literal $(as $meta_name:literal)? $(< $parent:ident)? {
            bare: $bare:expr,
            $(sample: $sample:expr,)?
            $(read: $is_read:literal,)?
            $(new: $target:ident,)?
            $(wants_argument: $wants_argument:literal,)?
            $(scalars: $scalars:ident,)?
            $(attributes: { $($attribute:ident: $of:expr $(=> $default:expr)?,)* },)?
        }
    )*) => {
        /// The places of the types in [`ROWS`].
        enum RowNumber {
            $($variant,)*
        }

        /// The place of a type in [`ROWS`].
        pub(super) fn place(kind: &TypeKind) -> usize {
            let place = match kind {
                $(TypeKind::$variant { .. } $(| TypeKind::$twin { .. })? => RowNumber::$variant,)*
            };
            place as usize
        }

        /// All types.
        pub(super) static ROWS: &[Row] = &[$(
            Row {
                name: $name,
                meta_name: last!($name $(, $meta_name)?),
                parent: option!($(RowNumber::$parent as usize)?),
                bare: $bare,
                sample: last!($bare $(, $sample)?),
                is_read: last!(true $(, $is_read)?),
                target: option!($(Target::$target)?),
                wants_argument: last!(false $(, $wants_argument)?),
                scalars: option!($(Scalars::$scalars)?),
                attributes: || vec![$($(
                    Attribute { name: stringify!($attribute), of: $of, default: option!($($default)?) },
                )*)?],
            },
        )*];
    };
}

fn text() -> Type {
    Type::optional(Type::non_empty_string())
}

fn any_type() -> Type {
    Type::optional(Type::any_type())
}

fn size() -> Type {
    Type::optional(Type::type_type(Type::any_integer()))
}

fn types() -> Type {
    Type::array(Type::any_type(), None)
}

fn any() -> Value {
    Value::Type(Type::any())
}

fn empty() -> Value {
    Value::from(Vec::new())
}

types! {
    Any: "Any" { bare: Type::any, }
    Unit: "Unit" < Any { bare: Type::unit, read: false, new: Unit, }
    Undef: "Undef" < Any { bare: Type::undef, }
    Default: "Default" < Any { bare: Type::default_type, }
    Type: "Type" < Any {
        bare: Type::any_type,
        new: Type,
        attributes: {
            type: any_type() => Value::Undef,
        },
    }
    NotUndef: "NotUndef" < Any {
        bare: Type::any_not_undef,
        attributes: {
            type: any_type() => Value::Undef,
        },
    }
    Optional: "Optional" < Any {
        bare: Type::any_optional,
        attributes: {
            type: any_type() => Value::Undef,
        },
    }
    Iterable: "Iterable" < Any {
        bare: Type::any_iterable,
        attributes: {
            type: any_type() => Value::Undef,
        },
    }
    Iterator: "Iterator" < Any {
        bare: Type::any_iterator,
        attributes: {
            type: any_type() => Value::Undef,
        },
    }
    Sensitive: "Sensitive" < Any { bare: Type::any_sensitive, new: Sensitive, }
    Variant: "Variant" < Any {
        bare: Type::any_variant,
        attributes: {
            types: types(),
        },
    }

    Scalar: "Scalar" < Any { bare: Type::scalar, }
    ScalarData: "ScalarData" < Scalar { bare: Type::scalar_data, }
    Numeric: "Numeric" < ScalarData {
        bare: Type::numeric,
        new: Numeric,
        wants_argument: true,
        attributes: {
            from: Type::optional(Type::numeric()) => Value::Undef,
            to: Type::optional(Type::numeric()) => Value::Undef,
        },
    }
    Integer + BigInteger: "Integer" < Numeric {
        bare: Type::any_integer,
        new: Integer,
        wants_argument: true,
        scalars: Integer,
    }
    Float: "Float" < Numeric { bare: Type::any_float, new: Float, wants_argument: true, scalars: Float, }
    Boolean: "Boolean" < ScalarData { bare: Type::any_boolean, new: Boolean, scalars: Boolean, }
    String: "String" < ScalarData {
        bare: Type::any_string,
        new: String,
        wants_argument: true,
        scalars: Text,
        attributes: {
            size_type_or_value: Type::optional(
                Type::variant([Type::any_string(), Type::type_type(Type::any_integer())]),
            ) => Value::Undef,
        },
    }
    Enum: "Enum" < ScalarData {
        bare: Type::any_enum,
        scalars: Text,
        attributes: {
            values: Type::array(Type::non_empty_string(), None),
            case_insensitive: Type::any_boolean() => Value::Boolean(false),
        },
    }
    Pattern: "Pattern" < ScalarData {
        bare: Type::any_pattern,
        scalars: Text,
        attributes: {
            patterns: Type::array(Type::any_regexp(), None),
        },
    }
    Regexp: "Regexp" < Scalar {
        bare: Type::any_regexp,
        new: Regexp,
        wants_argument: true,
        attributes: {
            pattern: Type::variant([Type::undef(), Type::any_string(), Type::any_regexp()]) => Value::Undef,
        },
    }
    SemVer: "SemVer" < Scalar {
        bare: Type::any_sem_ver,
        new: SemVer,
        wants_argument: true,
        attributes: {
            ranges: Type::array(Type::variant([Type::sem_ver_range(), Type::non_empty_string()]), None) => empty(),
        },
    }
    SemVerRange: "SemVerRange" < Any { bare: Type::sem_ver_range, new: SemVerRange, }
    Timespan: "Timespan" < Scalar {
        bare: Type::any_timespan,
        new: Timespan,
        wants_argument: true,
        attributes: {
            from: Type::optional(Type::any_timespan()) => Value::Undef,
            to: Type::optional(Type::any_timespan()) => Value::Undef,
        },
    }
    Timestamp: "Timestamp" < Scalar {
        bare: Type::any_timestamp,
        new: Timestamp,
        wants_argument: true,
        attributes: {
            from: Type::optional(Type::any_timestamp()) => Value::Undef,
            to: Type::optional(Type::any_timestamp()) => Value::Undef,
        },
    }
    Binary: "Binary" < Any { bare: Type::binary, new: Binary, }
    Uri: "URI" < Any {
        bare: Type::any_uri,
        new: Uri,
        attributes: {
            parameters: Type::optional(uri::parameter_type()) => Value::Undef,
        },
    }

    Collection: "Collection" < Any {
        bare: Type::any_collection,
        wants_argument: true,
        attributes: {
            size_type: size() => Value::Undef,
        },
    }
    Array: "Array" < Collection {
        bare: Type::any_array,
        new: Array,
        wants_argument: true,
        attributes: {
            element_type: any_type() => any(),
        },
    }
    Hash: "Hash" < Collection {
        bare: Type::any_hash,
        new: Hash,
        wants_argument: true,
        attributes: {
            key_type: any_type() => any(),
            value_type: any_type() => any(),
        },
    }
    Tuple: "Tuple" < Any {
        bare: Type::any_tuple,
        new: Array,
        attributes: {
            types: types(),
            size_type: size() => Value::Undef,
        },
    }
    Struct: "Struct" < Any {
        bare: Type::any_struct,
        new: Hash,
        attributes: {
            elements: Type::array(meta::struct_element(), None),
        },
    }
    Callable: "Callable" < Any {
        bare: Type::any_callable,
        wants_argument: true,
        attributes: {
            param_types: Type::optional(Type::type_type(Type::any_tuple())) => Value::Undef,
            block_type: Type::optional(Type::type_type(Type::any_callable())) => Value::Undef,
            return_type: any_type() => any(),
        },
    }

    CatalogEntry: "CatalogEntry" < Any { bare: Type::catalog_entry, }
    Class: "Class" < CatalogEntry {
        bare: Type::any_class,
        attributes: {
            class_name: text() => Value::Undef,
        },
    }
    Resource: "Resource" < CatalogEntry {
        bare: Type::any_resource,
        attributes: {
            type_name: text() => Value::Undef,
            title: text() => Value::Undef,
        },
    }

    Runtime: "Runtime" < Any {
        bare: Type::any_runtime,
        attributes: {
            runtime: text() => Value::Undef,
            name_or_pattern: Type::optional(Type::variant([
                Type::non_empty_string(),
                Type::tuple(vec![Type::any_regexp(), Type::non_empty_string()], None),
            ])) => Value::Undef,
        },
    }
    Init: "Init" < Any {
        bare: Type::any_init,
        wants_argument: true,
        attributes: {
            type: any_type() => Value::Undef,
            init_args: Type::any_array() => empty(),
        },
    }
    Object: "Object" < Any {
        bare: Type::any_object,
        attributes: {
            _pcore_init_hash: object_definition::INITIALIZER.clone(),
        },
    }
    // The reference takes four letters from the end of its class name, and `Any` for the bare type.
    ObjectExtension: "ObjectTypeExtension" as "ObjectTypeExten" < Any {
        bare: Type::any,
        sample: extension::any,
        read: false,
        attributes: {
            base_type: Type::any_type(),
            init_parameters: Type::any_array(),
        },
    }
    TypeSet: "TypeSet" < Any {
        bare: type_set::any,
        attributes: {
            _pcore_init_hash: type_set_definition::INITIALIZER.clone(),
        },
    }
    Alias: "TypeAlias" < Any {
        bare: || Type::alias("UnresolvedAlias", Type::reference("UnresolvedReference")),
        attributes: {
            name: Type::non_empty_string(),
            type_expr: Type::any(),
            resolved_type: any_type() => Value::Undef,
        },
    }
    Reference: "TypeReference" < Any {
        bare: || Type::reference("UnresolvedReference"),
        attributes: {
            type_string: Type::non_empty_string(),
        },
    }
}

impl TypeKind {
    /// The table's row of the type.
    pub(super) fn row(&self) -> &'static Row {
        &ROWS[place(self)]
    }

    /// The name of the kind: the reference's class name without `P` and `Type`.
    pub fn kind_name(&self) -> &'static str {
        self.row().name
    }

    /// The names and defaults of the attributes that the type is written with, in order: its own before those
    /// that it inherits.
    pub(super) fn written_attributes(&self) -> &'static [Written] {
        static WRITTEN: LazyLock<Vec<Vec<Written>>> = LazyLock::new(|| {
            let all = |row: &'static Row| {
                let lineage = std::iter::successors(Some(row), |row| row.parent.map(|parent| &ROWS[parent]));
                let attributes = lineage.flat_map(|row| (row.attributes)());
                attributes.map(|attribute| (attribute.name.into(), attribute.default)).collect()
            };
            ROWS.iter().map(all).collect()
        });
        &WRITTEN[place(self)]
    }
}

impl Type {
    /// The type without its parameters; an alias is one by itself.
    pub(super) fn bare(&self) -> Type {
        match self.kind() {
            TypeKind::Alias(_) => self.clone(),
            kind => (kind.row().bare)(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_first_and_samples_are_of_their_kind() {
        for (at, row) in ROWS.iter().enumerate() {
            assert!(row.parent.is_none_or(|parent| parent < at), "{}", row.name);
            assert_eq!(place((row.sample)().kind()), at, "{}", row.name);
        }
    }
}
