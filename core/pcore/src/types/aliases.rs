//! The types that are aliases in the reference too: `Data`, `RichData` and their like. Follows
//! `static_loader.rb` and `pcore.rb`.

use std::sync::{Arc, LazyLock};

use super::{AliasType, Type, TypeKind};

/// The names of the aliases that are not written out when types are shown.
pub(super) const BUILT_IN: [&str; 5] =
    ["Data", "RichDataKey", "RichData", "Puppet::LookupKey", "Puppet::LookupValue"];

/// Whether an alias is one that is never written out.
pub(crate) fn is_built_in(name: &str) -> bool {
    BUILT_IN.contains(&name)
}

/// An alias whose target mentions it.
fn recursive(name: &str, target: impl FnOnce(Type) -> Type) -> Type {
    let alias = Arc::new(AliasType::unresolved(name));
    let of: Type = TypeKind::Alias(alias.clone()).into();
    let _ = alias.target.set(target(of.clone()));
    of
}

static DATA: LazyLock<Type> = LazyLock::new(|| {
    recursive("Data", |data| {
        let hash = Type::hash(Type::any_string(), data.clone(), None);
        Type::variant([Type::scalar_data(), Type::undef(), hash, Type::array(data, None)])
    })
});

/// `Data`
pub fn data() -> Type {
    DATA.clone()
}

/// Whether a type is this very `Data`.
pub(super) fn is_data(of: &Type) -> bool {
    of.is_same(&DATA)
}

/// `RichDataKey`
pub fn rich_data_key() -> Type {
    static KEY: LazyLock<Type> =
        LazyLock::new(|| Type::alias("RichDataKey", Type::variant([Type::any_string(), Type::numeric()])));
    KEY.clone()
}

/// `RichData`
pub fn rich_data() -> Type {
    static RICH_DATA: LazyLock<Type> = LazyLock::new(|| {
        recursive("RichData", |data| {
            Type::variant([
                Type::scalar(),
                Type::sem_ver_range(),
                Type::binary(),
                Type::any_sensitive(),
                Type::any_type(),
                super::type_set::any(),
                Type::any_uri(),
                Type::any_object(),
                Type::undef(),
                Type::default_type(),
                Type::hash(rich_data_key(), data.clone(), None),
                Type::array(data, None),
            ])
        })
    });
    RICH_DATA.clone()
}

/// `Puppet::LookupKey`
pub fn lookup_key() -> Type {
    static KEY: LazyLock<Type> = LazyLock::new(|| Type::alias("Puppet::LookupKey", rich_data_key()));
    KEY.clone()
}

/// `Puppet::LookupValue`
pub fn lookup_value() -> Type {
    static VALUE: LazyLock<Type> = LazyLock::new(|| Type::alias("Puppet::LookupValue", rich_data()));
    VALUE.clone()
}
