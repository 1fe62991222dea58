//! Reports: the origins of values and resources, differences between catalogs, drawings.

use bunraku_core::catalog::Catalog;
use bunraku_core::diagnostic::Error;
use bunraku_core::report::explain;
use bunraku_core::requests;
use bunraku_core::syntax::watch::Watch;
use serde_json::Value as Json;

use crate::boundary::{CallError, give, guard, object, text};
use crate::cancel::{watch, watch_reading};
use crate::catalog::bunraku_catalog;
use crate::data;
use crate::error::bunraku_error;
use crate::text::{bunraku_string, bunraku_text};

/// The failure for a resource that the catalog does not contain.
fn unknown(reference: &str) -> CallError {
    let message = format!("{reference} is not in the catalog, or it was compiled without \"provenance\"");
    Error::argument(message).into()
}

/// The origins of a resource's parameters, in a catalog that was compiled with "provenance": a JSON object of
/// names to objects with "kind" ("hiera", "default", "expression", "splat", "resource_default", "override",
/// "collector", "enc", …), and where known "file", "line", "column", "layer", "level", "key", "merge",
/// "parts", "function", "sources" (the origins of the variables and calls in the expression).
///
/// @param reference  such as "File[/etc/motd]"
/// @param json  receives the text, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `catalog` is live, `reference` is valid for reads of its length, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_provenance_json(
    catalog: *const bunraku_catalog,
    reference: bunraku_text,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    // SAFETY: by the contract of this function.
    unsafe { give_report(catalog, reference, json, Catalog::provenance_to_json) }
}

/// The chain of declarations and inclusions that added a resource to a catalog that was compiled with
/// "provenance": a JSON array of objects with "resource", "how" ("declaration", "include", "enc", "node", …),
/// and where known "by", "file", "line", "column", "function", "also" and "realized" (further causes).
///
/// @param reference  such as "File[/etc/motd]"
/// @param json  receives the text, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `catalog` is live, `reference` is valid for reads of its length, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_why_json(
    catalog: *const bunraku_catalog,
    reference: bunraku_text,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    // SAFETY: by the contract of this function.
    unsafe { give_report(catalog, reference, json, Catalog::why_to_json) }
}

/// Returns a report about one resource of a catalog.
///
/// # Safety
/// As [`bunraku_catalog_provenance_json`].
unsafe fn give_report(
    catalog: *const bunraku_catalog,
    reference: bunraku_text,
    json: *mut *mut bunraku_string,
    tell: fn(&Catalog, &str, &Watch<'_>) -> Result<Option<Json>, Error>,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (own, reference) = unsafe { (object(catalog, "catalog")?, text(reference, "reference")?) };
        let usage = watch_reading();
        let told = tell(own.catalog(), reference, &Watch::new(&usage.ends))?;
        let told = told.ok_or_else(|| unknown(reference))?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(told.to_string())) }
    })
}

/// Both reports as text for people: the parameters of a resource with their origins, and why the catalog
/// contains the resource.
///
/// @param reference  such as "File[/etc/motd]"
/// @param directory  paths below it are shown relative to it; BUNRAKU_NO_TEXT for none
/// @param output  receives the text, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `catalog` is live, the texts are valid for reads of their lengths, `output` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_explain(
    catalog: *const bunraku_catalog,
    reference: bunraku_text,
    directory: bunraku_text,
    output: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (own, reference, directory) = unsafe {
            (object(catalog, "catalog")?, text(reference, "reference")?, text(directory, "directory")?)
        };
        let usage = watch_reading();
        let explained = explain::explain(own.catalog(), reference, directory, &Watch::new(&usage.ends))?;
        let explained = explained.ok_or_else(|| unknown(reference))?;
        // SAFETY: by the contract of this function.
        unsafe { give(output, bunraku_string::new(explained)) }
    })
}

/// The differences between two catalogs: a JSON object with "added" and "removed" (resources with their
/// parameters), "changed" (resources with the parameters that differ, each with "name", "from", "to" and
/// "paths"), "edges" and "classes" (each with "added" and "removed"). Files, lines, tags and the order of
/// resources are ignored; secrets are compared, but not shown.
///
/// @param json  receives the text, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `from` and `to` are live, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_diff_json(
    from: *const bunraku_catalog,
    to: *const bunraku_catalog,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (from, to) = unsafe { (object(from, "from")?, object(to, "to")?) };
        let diff = requests::diff(&from.document()?, &to.document()?, &watch())?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(diff.to_string())) }
    })
}

/// As bunraku_catalog_diff_json, for written catalogs: JSON as agents or PuppetDB receive it. `{"error":
/// MESSAGE}` can replace a catalog whose compilation failed.
///
/// @param json  receives the text, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// The texts are valid for reads of their lengths, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_diff_json(
    from: bunraku_text,
    to: bunraku_text,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (from, to) = unsafe { (text(from, "from")?, text(to, "to")?) };
        let diff =
            requests::diff(&requests::parse_document(from)?, &requests::parse_document(to)?, &watch())?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(diff.to_string())) }
    })
}

/// Differences as text for people; empty if there are none.
///
/// @param diff  the result of bunraku_catalog_diff_json or bunraku_diff_json
/// @param output  receives the text, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `diff` is valid for reads of its length, `output` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_diff_text(
    diff: bunraku_text,
    output: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let diff = unsafe { text(diff, "diff") }?;
        let shown = requests::diff_text(requests::parse_document(diff)?, &watch())?;
        // SAFETY: by the contract of this function.
        unsafe { give(output, bunraku_string::new(shown)) }
    })
}

/// Combines the differences of many nodes: lists each change once, with the nodes that have it.
///
/// @param request_json  a JSON object: "nodes" (a list of objects with "node" and "diff", the result of
///     bunraku_diff_json), "from" and "to" (names of the sides), "format" ("json", "text", or "html" for one
///     self-contained page)
/// @param output  receives the text, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `request_json` is valid for reads of its length, `output` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_fleet_report(
    request_json: bunraku_text,
    output: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let request_text = unsafe { text(request_json, "request_json") }?;
        let report = requests::fleet(requests::parse_document(request_text)?, &watch())?;
        // SAFETY: by the contract of this function.
        unsafe { give(output, bunraku_string::new(report)) }
    })
}

/// Draws a catalog's resources and their edges; cycles are red.
///
/// @param options_json  a JSON object, or BUNRAKU_NO_TEXT: "by" ("containment", the default, "class" or
///     "resource"), "format" ("svg", the default, "html", a page with search and zoom, or "dot"), "focus" (a
///     reference or a list of them: only their neighbourhood is drawn) and "depth" (the distance of the
///     neighbourhood in edges or frames, 2 by default)
/// @param output  receives the text, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `catalog` is live, `options_json` is valid for reads of its length, `output` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_graph(
    catalog: *const bunraku_catalog,
    options_json: bunraku_text,
    output: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (own, options) = unsafe { (object(catalog, "catalog")?, text(options_json, "options_json")?) };
        let options: Json = data::parse(options)?;
        let drawn = requests::draw(&own.document()?, &options, &watch())?;
        // SAFETY: by the contract of this function.
        unsafe { give(output, bunraku_string::new(drawn)) }
    })
}
