//! Catalogs: the results of compilations.

use std::sync::Arc;

use bunraku_core::catalog::Catalog;
use bunraku_core::compiler::request;
use bunraku_core::loader::{Log, Settings};
use bunraku_core::wire::agent;
use serde_json::{Value as Json, json};

use crate::boundary::{CallError, ask_text, free, give, guard, guard_or, misuse, object, text};
use crate::error::bunraku_error;
use crate::resource::bunraku_resource;
use crate::text::{NulTerminated, bunraku_string, bunraku_text};

/// The catalog of a node. Immutable: any number of threads can read it.
pub struct bunraku_catalog {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) settings: Settings,
    resources: Vec<bunraku_resource>,
    logs: NulTerminated,
    data_keys: NulTerminated,
    identity: NulTerminated,
}

/// A containment edge. A plain value; the resources belong to the catalog.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct bunraku_edge {
    /// The container.
    pub source: *const bunraku_resource,
    /// The contained resource.
    pub target: *const bunraku_resource,
}

impl bunraku_catalog {
    pub(crate) fn new(catalog: Catalog, settings: Settings, logs: &Json) -> Self {
        let catalog = Arc::new(catalog);
        let resources = bunraku_resource::all(&catalog);
        let data_keys: Json = catalog.data_keys.iter().map(|key| Json::from(key.as_str())).collect();
        let (logs, data_keys) =
            (NulTerminated::new(logs.to_string()), NulTerminated::new(data_keys.to_string()));
        let identity = NulTerminated::new(request::identity_to_json(&catalog.identity).to_string());
        Self { catalog, settings, resources, logs, data_keys, identity }
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The catalog as an agent receives it.
    pub(crate) fn document(&self) -> Result<Json, CallError> {
        Ok(agent::to_json(&self.catalog, &self.settings, &Log::default())?)
    }
}

/// The catalog as an agent receives it: JSON in the format "rich_data_json".
///
/// @param json  receives the text, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `catalog` is live, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_to_json(
    catalog: *const bunraku_catalog,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let own = unsafe { object(catalog, "catalog") }?;
        let mut text = Vec::new();
        agent::write_json(&own.catalog, &own.settings, &Log::default(), &mut text)?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(text)) }
    })
}

/// The resources and the edges of what an agent receives, for callers that write the rest of the document
/// themselves.
///
/// @param with_exported  whether resources that are only exported are included
/// @param resources  receives a JSON array, to be freed with bunraku_string_free
/// @param edges  receives a JSON array, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `catalog` is live, `resources` and `edges` are writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_body(
    catalog: *const bunraku_catalog,
    with_exported: bool,
    resources: *mut *mut bunraku_string,
    edges: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let own = unsafe { object(catalog, "catalog") }?;
        let written = agent::write_body(&own.catalog, &own.settings, &Log::default(), with_exported)?;
        if resources.is_null() || edges.is_null() {
            return Err(misuse("the output parameter is NULL"));
        }
        // SAFETY: by the contract of this function.
        unsafe {
            give(resources, bunraku_string::new(written.resources))?;
            give(edges, bunraku_string::new(written.edges))
        }
    })
}

/// Describes what the catalog consists of.
///
/// @param json  receives a JSON object, to be freed with bunraku_string_free: "kinds" (the types of the
///     resources, each an array of type and kind: "compilable_type", "defined_type", "class" or "unknown"),
///     "definitions" (the classes and defined types in use, each an array of kind and name in lower case),
///     "by_function" (the indices of the resources that functions have declared), "rich" (the indices of the
///     resources with parameters that JSON cannot represent directly) and "edges" (arrays of the indices of
///     container and contained resource)
/// @return NULL on success
///
/// # Safety
/// `catalog` is live, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_outline_json(
    catalog: *const bunraku_catalog,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let own = &unsafe { object(catalog, "catalog") }?.catalog;
        let outline = json!({
            "kinds": own.kinds(),
            "definitions": own.definitions(),
            "by_function": own.indices(|one| one.by_function),
            "rich": own.indices(|one| !agent::is_plain_resource(one)),
            "edges": own.edges.iter().map(|edge| [edge.source, edge.target]).collect::<Vec<_>>(),
        });
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(outline.to_string())) }
    })
}

/// The log of the compilation: a JSON array of objects with "level" ("notice", "warning" …), "message",
/// "source", and "file", "line", "column", "issue_code", "once" (the key under which the
/// reference logs the message once in a process) where known.
///
/// @return text that is valid until the catalog is freed
///
/// # Safety
/// `catalog` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_logs_json(catalog: *const bunraku_catalog) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask_text(catalog, |own| Some(&own.logs)) }
}

/// The keys of data that the compilation looked up, each once, in order: a JSON array of texts.
///
/// @return text that is valid until the catalog is freed; NULL for NULL
///
/// # Safety
/// `catalog` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_data_keys_json(catalog: *const bunraku_catalog) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask_text(catalog, |own| Some(&own.data_keys)) }
}

/// Whether the compilation read variables of the class `settings`: a host for which some settings cost time
/// to find can compile without them, and again with them if this is true.
///
/// @return false for NULL
///
/// # Safety
/// `catalog` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_reads_settings(catalog: *const bunraku_catalog) -> bool {
    // SAFETY: by the contract of this function.
    unsafe { catalog.as_ref() }.is_some_and(|own| own.catalog.reads_settings)
}

/// The identity of the catalog apart from its node: a JSON object with "catalog_uuid", "code_id",
/// "transaction_uuid", "job_id", "producer" and "producer_timestamp", each a text or null. A document that a
/// catalog is read from contains only the first two.
///
/// @return text that is valid until the catalog is freed; NULL for NULL
///
/// # Safety
/// `catalog` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_identity_json(catalog: *const bunraku_catalog) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask_text(catalog, |own| Some(&own.identity)) }
}

/// The number of resources in the catalog; 0 for NULL.
///
/// # Safety
/// `catalog` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_resource_count(catalog: *const bunraku_catalog) -> usize {
    // SAFETY: by the contract of this function.
    unsafe { catalog.as_ref() }.map_or(0, |own| own.resources.len())
}

/// A resource by its index, from 0; NULL if it does not exist.
///
/// # Safety
/// `catalog` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_resource(
    catalog: *const bunraku_catalog,
    index: usize,
) -> *const bunraku_resource {
    // SAFETY: by the contract of this function.
    let found = unsafe { catalog.as_ref() }.and_then(|own| own.resources.get(index));
    found.map_or(std::ptr::null(), std::ptr::from_ref)
}

/// A resource by its reference, such as "File[/etc/motd]"; NULL if the catalog does not contain it.
///
/// # Safety
/// `catalog` is NULL or live, `reference` is valid for reads of its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_find(
    catalog: *const bunraku_catalog,
    reference: bunraku_text,
) -> *const bunraku_resource {
    guard_or(std::ptr::null(), || {
        // SAFETY: by the contract of this function.
        let (Some(own), Ok(reference)) = (unsafe { (catalog.as_ref(), text(reference, "reference")) }) else {
            return std::ptr::null();
        };
        let found = own.catalog.resource(reference);
        let index =
            found.and_then(|found| own.catalog.resources.iter().position(|one| std::ptr::eq(one, found)));
        index.and_then(|index| own.resources.get(index)).map_or(std::ptr::null(), std::ptr::from_ref)
    })
}

/// The number of containment edges in the catalog.
///
/// # Safety
/// `catalog` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_edge_count(catalog: *const bunraku_catalog) -> usize {
    // SAFETY: by the contract of this function.
    guard_or(0, || unsafe { catalog.as_ref() }.map_or(0, |own| own.catalog.edges.len()))
}

/// A containment edge by its index.
///
/// @param index  from 0
/// @param edge  receives the edge
/// @return whether it exists; otherwise nothing is written
///
/// # Safety
/// `catalog` is NULL or live, `edge` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_edge(
    catalog: *const bunraku_catalog,
    index: usize,
    edge: *mut bunraku_edge,
) -> bool {
    guard_or(false, || {
        // SAFETY: by the contract of this function.
        let (Some(own), Some(edge)) = (unsafe { (catalog.as_ref(), edge.as_mut()) }) else { return false };
        let found = own.catalog.edges.get(index);
        let ends =
            found.and_then(|edge| Some((own.resources.get(edge.source)?, own.resources.get(edge.target)?)));
        let Some((source, target)) = ends else { return false };
        *edge = bunraku_edge { source, target };
        true
    })
}

/// Frees a catalog with its resources. NULL is allowed.
///
/// # Safety
/// `catalog` is NULL or live, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_free(catalog: *mut bunraku_catalog) {
    // SAFETY: by the contract of this function.
    unsafe { free(catalog) }
}
