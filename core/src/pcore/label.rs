//! What messages call a value: `Integer`, `Undef Value`, `Array[String]-Type`. Follows the reference's
//! `pops/model/model_label_provider.rb`; articles are put before labels by `diagnostic::label`.

use std::borrow::Cow;

use super::{Type, TypeKind, Value};

/// The label of a value, without article.
pub fn label(value: &Value) -> Cow<'static, str> {
    Cow::Borrowed(match value {
        Value::Undef => "Undef Value",
        Value::Boolean(_) => "Boolean",
        Value::Integer(_) => "Integer",
        Value::Float(_) => "Float",
        Value::String(_) => "String",
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
