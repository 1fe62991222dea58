//! Values as Ruby shows them: in explanations and interpolations.

use bunraku_pcore::value::Value;

/// The name of a value's Ruby class, for messages.
pub(super) fn ruby_class(value: &Value) -> &'static str {
    match value {
        Value::Undef => "NilClass",
        Value::Boolean(true) => "TrueClass",
        Value::Boolean(false) => "FalseClass",
        Value::Integer(_) | Value::BigInteger(_) => "Integer",
        Value::Float(_) => "Float",
        Value::String(_) | Value::Octets(_) => "String",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        Value::Regexp(_) => "Regexp",
        Value::Default | Value::Runtime(_) => "Symbol",
        Value::Sensitive(_) => "Puppet::Pops::Types::PSensitiveType::Sensitive",
        Value::Binary(_) => "Puppet::Pops::Types::PBinaryType::Binary",
        Value::Timespan(_) => "Puppet::Pops::Time::Timespan",
        Value::Timestamp(_) => "Puppet::Pops::Time::Timestamp",
        Value::SemVer(_) => "SemanticPuppet::Version",
        Value::SemVerRange(_) => "SemanticPuppet::VersionRange",
        Value::Uri(_) => "URI::Generic",
        Value::Type(_) => "Puppet::Pops::Types::PAnyType",
        Value::Object(_) => "Puppet::Pops::Types::PuppetObject",
        Value::Iterator(_) => "Puppet::Pops::Types::Iterable",
    }
}

/// A value as Ruby's `inspect` shows it.
pub(super) fn inspect(value: &Value) -> String {
    bunraku_pcore::format::inspect(value)
}

/// A value as Ruby's `to_s` gives it.
pub(super) fn to_s(value: &Value) -> String {
    match value {
        Value::Undef => String::new(),
        Value::String(text) => text.to_string(),
        Value::Octets(octets) => octets.text().to_string(),
        Value::Runtime(runtime) => runtime.text.to_string(),
        Value::Default => "default".into(),
        Value::Array(_) | Value::Hash(_) | Value::Float(_) => inspect(value),
        value => bunraku_pcore::convert::string::to_string(value).to_string(),
    }
}
