//! The names of values in messages: `Integer`, `Undef Value`, `Array[String]-Type`. Follows the reference's
//! `pops/model/model_label_provider.rb`; `diagnostic::label` adds articles to labels.

use std::borrow::Cow;

use crate::data::types::{Type, TypeKind};
use crate::data::value::{IteratorKind, IteratorValue, Object, Value};

/// The label of a value, without article.
pub fn label(value: &Value) -> Cow<'static, str> {
    Cow::Borrowed(match value {
        Value::Undef => "Undef Value",
        Value::Boolean(_) => "Boolean",
        Value::Integer(_) | Value::BigInteger(_) => "Integer",
        Value::Float(_) => "Float",
        Value::String(_) | Value::ByteString(_) => "String",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        Value::Regexp(_) => "Regexp",
        Value::Binary(_) => "Binary",
        Value::Sensitive(_) => "Sensitive",
        Value::Timespan(_) => "Timespan",
        Value::Timestamp(_) => "Timestamp",
        Value::SemVer(_) => "Semver",
        Value::SemVerRange(_) => "SemverRange",
        Value::Type(of) => return Cow::Owned(type_label(of)),
        Value::Runtime(runtime) => match runtime.class.rsplit("::").next() {
            Some("CatalogCollector") => "Catalog-Collector",
            Some("ExportedCollector") => "Exported-Collector",
            _ => "Object",
        },
        Value::Default | Value::Uri(_) | Value::Object(_) | Value::Iterator(_) => "Object",
    })
}

/// The label of a type, without article: `Integer-Type`, `File['/x'] Resource-Reference`.
pub fn type_label(of: &Type) -> String {
    match of.kind() {
        TypeKind::Resource { title: Some(_), .. } => format!("{of} Resource-Reference"),
        _ => format!("{of}-Type"),
    }
}

/// What the reference shows for a class without name, without its address.
const ANONYMOUS: &str = "#<Class>";

/// A value's Ruby class where messages show it.
pub fn ruby_class(value: &Value) -> Cow<'static, str> {
    Cow::Borrowed(match value {
        Value::Undef => "NilClass",
        Value::Default => "Symbol",
        Value::Boolean(true) => "TrueClass",
        Value::Boolean(false) => "FalseClass",
        Value::Integer(_) | Value::BigInteger(_) => "Integer",
        Value::Float(_) => "Float",
        Value::String(_) | Value::ByteString(_) => "String",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        Value::Regexp(_) => "Regexp",
        Value::Sensitive(_) => "Puppet::Pops::Types::PSensitiveType::Sensitive",
        Value::Binary(_) => "Puppet::Pops::Types::PBinaryType::Binary",
        Value::Timespan(_) => "Puppet::Pops::Time::Timespan",
        Value::Timestamp(_) => "Puppet::Pops::Time::Timestamp",
        Value::SemVer(_) => "SemanticPuppet::Version",
        Value::SemVerRange(_) => "SemanticPuppet::VersionRange",
        Value::Uri(uri) => return uri_class(&uri.text).into(),
        Value::Object(object) => return object_class(object).unwrap_or(ANONYMOUS.into()),
        Value::Iterator(iterator) => iterator_class(iterator),
        Value::Runtime(value) => return value.class.to_string().into(),
        Value::Type(of) => return type_class(of).into(),
    })
}

/// The name of a value's Ruby class. Classes that are made for types have none.
pub fn ruby_class_name(value: &Value) -> Cow<'static, str> {
    match value {
        Value::Object(object) => object_class(object).unwrap_or_default(),
        other => ruby_class(other),
    }
}

/// Ruby's name for a value where it expects a text: the value itself or its class.
pub fn in_place_of_text(value: &Value) -> Cow<'static, str> {
    match value {
        Value::Undef => "nil".into(),
        Value::Boolean(truth) => truth.to_string().into(),
        other => ruby_class(other),
    }
}

/// The Ruby class of objects of the types that the reference implements in Ruby.
pub fn object_class(object: &Object) -> Option<Cow<'static, str>> {
    match object.object_type.name.as_str() {
        "Error" => Some("Puppet::DataTypes::Error".into()),
        "Puppet::AST::Locator" => Some("Puppet::Pops::Parser::Locator::Locator19".into()),
        name => Some(format!("Puppet::Pops::Model::{}", name.strip_prefix("Puppet::AST::")?).into()),
    }
}

/// The Ruby class of an iterator.
pub fn iterator_class(iterator: &IteratorValue) -> &'static str {
    match &iterator.kind {
        IteratorKind::Step { source: Value::Type(_), .. }
        | IteratorKind::Reverse { source: Value::Type(_) } => {
            "Puppet::Pops::Types::Iterable::IntegerRangeIterator"
        }
        IteratorKind::Step { .. } => "Puppet::Pops::Types::Iterable::StepIterator",
        IteratorKind::Reverse { .. } => "Puppet::Pops::Types::Iterable::Iterator",
        IteratorKind::Tree { options, .. } if options.breadth_first => {
            "Puppet::Pops::Types::Iterable::BreadthFirstTreeIterator"
        }
        IteratorKind::Tree { .. } => "Puppet::Pops::Types::Iterable::DepthFirstTreeIterator",
    }
}

fn uri_class(text: &str) -> String {
    let scheme = text.split(':').next().unwrap_or_default().to_ascii_uppercase();
    match scheme.as_str() {
        "HTTP" | "HTTPS" | "FTP" | "FILE" | "LDAP" | "LDAPS" | "MAILTO" | "WS" | "WSS"
            if text.contains(':') =>
        {
            let name = if scheme == "MAILTO" {
                "MailTo"
            } else if scheme == "FILE" {
                "File"
            } else {
                &scheme
            };
            format!("URI::{name}")
        }
        _ => "URI::Generic".to_owned(),
    }
}

/// The Ruby class of a type.
pub fn type_class(of: &Type) -> String {
    match of.kind() {
        TypeKind::ObjectExtension { .. } => "Puppet::Pops::Types::PObjectTypeExtension".to_owned(),
        kind => format!("Puppet::Pops::Types::P{}Type", kind.kind_name()),
    }
}
