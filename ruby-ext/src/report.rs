//! Reports: origins of a catalog's values, differences between catalogs, drawings.

use bunraku::diagnostic::Error as CoreError;
use bunraku::eval::limits::Usage;
use bunraku::loader::Log;
use bunraku::report::explain;
use bunraku::requests;
use bunraku::syntax::watch::Watch;
use bunraku::wire::agent;
use magnus::{Error, Module as _, RModule, Ruby, prelude::*, typed_data::Obj};
use serde_json::Value as Json;

use crate::catalog::NativeCatalog;
use crate::crossing::{watched, watched_reading};
use crate::entry::{function, method};
use crate::failure;

/// Runs work without the GVL; a failure becomes an exception.
fn without_gvl<T: Send>(
    ruby: &Ruby,
    work: impl FnOnce(&Usage<'_>) -> Result<T, CoreError> + Send,
) -> Result<T, Error> {
    watched(ruby, work)?.map_err(|error| failure::raised(ruby, &error))
}

/// Makes a report about a catalog without the GVL.
fn report<T: Send>(
    ruby: &Ruby,
    tell: impl FnOnce(&Watch<'_>) -> Result<Option<T>, CoreError> + Send,
) -> Result<Option<T>, Error> {
    let told = watched_reading(ruby, |usage| tell(&Watch::new(&usage.ends)))?;
    told.map_err(|error| failure::raised(ruby, &error))
}

/// The origins of a resource's parameters as JSON text; nil if they are unknown.
fn provenance(ruby: &Ruby, own: &NativeCatalog, reference: String) -> Result<Option<String>, Error> {
    let origins = |watch: &Watch<'_>| own.catalog.provenance_to_json(&reference, watch);
    Ok(report(ruby, origins)?.map(|origins| origins.to_string()))
}

/// The chain that added a resource as JSON text; nil if it is unknown.
fn why(ruby: &Ruby, own: &NativeCatalog, reference: String) -> Result<Option<String>, Error> {
    Ok(report(ruby, |watch| own.catalog.why_to_json(&reference, watch))?.map(|chain| chain.to_string()))
}

/// Both as text; nil if they are unknown.
fn explained(
    ruby: &Ruby,
    own: &NativeCatalog,
    reference: String,
    directory: String,
) -> Result<Option<String>, Error> {
    report(ruby, |watch| explain::explain(&own.catalog, &reference, &directory, watch))
}

fn document(own: &NativeCatalog) -> Result<Json, CoreError> {
    agent::to_json(&own.catalog, &own.settings, &Log::default())
}

/// The differences between two catalogs, as JSON text.
fn diff(ruby: &Ruby, own: &NativeCatalog, other: Obj<NativeCatalog>) -> Result<String, Error> {
    let other: &NativeCatalog = &other;
    let work = |fuel: &Usage<'_>| Ok(requests::diff(&document(own)?, &document(other)?, fuel)?.to_string());
    without_gvl(ruby, work)
}

/// Draws a catalog with options, a JSON text.
fn graph(ruby: &Ruby, own: &NativeCatalog, options: String) -> Result<String, Error> {
    without_gvl(ruby, |fuel| requests::draw(&document(own)?, &requests::parse_document(&options)?, fuel))
}

/// The differences between two written catalogs, as JSON text.
fn diff_of_documents(ruby: &Ruby, from: String, to: String) -> Result<String, Error> {
    let work = |fuel: &Usage<'_>| {
        Ok(requests::diff(&requests::parse_document(&from)?, &requests::parse_document(&to)?, fuel)?
            .to_string())
    };
    without_gvl(ruby, work)
}

/// Formats differences, a JSON text, as text for people.
fn diff_text(ruby: &Ruby, diff: String) -> Result<String, Error> {
    without_gvl(ruby, |fuel| requests::diff_text(requests::parse_document(&diff)?, fuel))
}

/// Returns differences (JSON) without the expected ones, as JSON.
fn diff_without(ruby: &Ruby, diff: String, rules: Vec<String>) -> Result<String, Error> {
    without_gvl(ruby, |_| {
        requests::without_ignored(requests::parse_document(&diff)?, &rules).map(|diff| diff.to_string())
    })
}

/// Combines the differences of many nodes, for a request, a JSON text.
fn fleet(ruby: &Ruby, fleet: String) -> Result<String, Error> {
    without_gvl(ruby, |fuel| requests::fleet(requests::parse_document(&fleet)?, fuel))
}

/// Draws a written catalog.
fn graph_of_document(ruby: &Ruby, catalog: String, options: String) -> Result<String, Error> {
    without_gvl(ruby, |fuel| {
        requests::draw(&requests::parse_document(&catalog)?, &requests::parse_document(&options)?, fuel)
    })
}

/// Defines the methods.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), Error> {
    let catalog = module.define_class("Catalog", ruby.class_object())?;
    catalog.define_method("native_provenance", method!(provenance, 1))?;
    catalog.define_method("native_why", method!(why, 1))?;
    catalog.define_method("native_explain", method!(explained, 2))?;
    catalog.define_method("native_diff", method!(diff, 1))?;
    catalog.define_method("native_graph", method!(graph, 1))?;
    module.define_singleton_method("native_diff", function!(diff_of_documents, 2))?;
    module.define_singleton_method("native_diff_text", function!(diff_text, 1))?;
    module.define_singleton_method("native_diff_without", function!(diff_without, 2))?;
    module.define_singleton_method("native_fleet", function!(fleet, 1))?;
    module.define_singleton_method("native_graph", function!(graph_of_document, 2))
}
