//! Catalogs as documents, written and read: the form for agents and the forms for PuppetDB.
//!
//! * [`agent`], [`agent_reader`]: the form for agents, in JSON or MessagePack
//! * [`puppetdb`]: the form for PuppetDB, versions 1 to 9
//! * [`form`]: the forms by name; writing, checking and converting documents
//! * [`Violation`]: a violation of a form's rule by a document

pub mod agent;
pub mod agent_reader;
mod document;
pub mod form;
pub mod puppetdb;
mod streaming;
pub mod stringified;

pub use document::Violation;

use serde_json::Value as Json;

use crate::catalog::{Catalog, Resource};
use crate::compiler::reference_text;
use crate::loader::{Log, Settings, Strictness};
use bunraku_pcore::serialize::{DataOptions, to_data};
use bunraku_pcore::value::{Hash, Value};
use bunraku_syntax::diagnostic::{Error, LogEntry, LogLevel, Report};
use bunraku_syntax::source::Location;

/// A value with the references in it as texts, in arrays and hashes of any depth.
fn with_reference_texts(value: &Value) -> Value {
    match value {
        Value::Type(of) => reference_text(of).map_or_else(|| value.clone(), Value::from),
        Value::Array(values) if values.iter().any(holds_reference) => {
            Value::array(values.iter().map(with_reference_texts))
        }
        Value::Hash(pairs)
            if pairs.iter().any(|(key, value)| holds_reference(key) || holds_reference(value)) =>
        {
            let pairs =
                pairs.iter().map(|(key, value)| (with_reference_texts(key), with_reference_texts(value)));
            Value::from(pairs.collect::<Hash>())
        }
        other => other.clone(),
    }
}

fn holds_reference(value: &Value) -> bool {
    match value {
        Value::Type(of) => reference_text(of).is_some(),
        Value::Array(values) => values.iter().any(holds_reference),
        Value::Hash(pairs) => pairs.iter().any(|(key, value)| holds_reference(key) || holds_reference(value)),
        _ => false,
    }
}

/// The reference of a resource by its number.
fn reference(catalog: &Catalog, number: usize) -> String {
    catalog.resources.get(number).map(|resource| resource.reference()).unwrap_or_default()
}

/// The parameters of a resource as rich data or, depending on the settings, with texts for values without a
/// form as data. Such a loss is an error or a warning at the place of the resource.
fn data(value: &Value, resource: &Resource, settings: &Settings, log: &Log) -> Result<Json, Error> {
    let location = Location { file: resource.file.clone(), line: resource.line, column: None };
    let report = |report: Report| match settings.strict {
        Strictness::Error => Err(Error { location: location.clone(), ..report.into_error() }),
        Strictness::Warning | Strictness::Off => {
            log.add(LogEntry {
                level: LogLevel::Warning,
                message: report.message,
                source: "Puppet".into(),
                location: location.clone(),
                issue: Some(report.issue),
                once: None,
            });
            Ok(())
        }
    };
    let options = DataOptions {
        rich_data: settings.rich_data,
        symbol_as_string: true,
        message_prefix: resource.reference(),
        reporter: Some(&report),
        ..DataOptions::rich()
    };
    to_data(value, &options)
}
