//! Catalogs: what a compilation makes.

use std::sync::{Arc, OnceLock};

use bunraku_core::catalog::{Catalog, Resource};
use bunraku_core::compiler::request;
use bunraku_core::diagnostic::Error;
use bunraku_core::loader::{Journal, Settings};
use bunraku_core::pcore::serialize::{redacted, without_secrets};
use bunraku_core::wire::agent;
use serde_json::Value as Json;

use crate::boundary::{CallError, free, give, guard, guard_or, object, text};
use crate::data;
use crate::error::bunraku_error;
use crate::text::{NulTerminated, bunraku_string, bunraku_text};

/// The catalog of a node. Immutable: any number of threads may read it.
pub struct bunraku_catalog {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) settings: Settings,
    resources: Vec<bunraku_resource>,
    logs: NulTerminated,
    data_keys: NulTerminated,
    identity: NulTerminated,
}

/// A resource of a catalog. It belongs to the catalog and lives as long as it.
pub struct bunraku_resource {
    catalog: Arc<Catalog>,
    index: usize,
    // Texts are made when somebody asks for them.
    names: OnceLock<Names>,
    parameters: OnceLock<Option<NulTerminated>>,
    unwrapped_parameters: OnceLock<Option<NulTerminated>>,
    sensitive_parameters: OnceLock<NulTerminated>,
    tags: OnceLock<NulTerminated>,
}

/// What a resource is called, and where it stands.
struct Names {
    type_name: NulTerminated,
    title: NulTerminated,
    file: Option<NulTerminated>,
}

impl bunraku_catalog {
    pub(crate) fn new(catalog: Catalog, settings: Settings, logs: &Json) -> Self {
        let catalog = Arc::new(catalog);
        let resources =
            (0..catalog.resources.len()).map(|index| bunraku_resource::new(&catalog, index)).collect();
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
        Ok(agent::to_json(&self.catalog, &self.settings, &Journal::default())?)
    }
}

impl bunraku_resource {
    fn new(catalog: &Arc<Catalog>, index: usize) -> Self {
        let catalog = Arc::clone(catalog);
        Self {
            catalog,
            index,
            names: OnceLock::new(),
            parameters: OnceLock::new(),
            unwrapped_parameters: OnceLock::new(),
            sensitive_parameters: OnceLock::new(),
            tags: OnceLock::new(),
        }
    }

    fn of(&self) -> Option<&Resource> {
        self.catalog.resources.get(self.index)
    }

    fn names(&self) -> Option<&Names> {
        let of = self.of()?;
        Some(self.names.get_or_init(|| Names {
            type_name: NulTerminated::new(of.type_name.as_str()),
            title: NulTerminated::new(of.title.as_str()),
            file: of.file.as_deref().map(NulTerminated::new),
        }))
    }

    /// The parameters as JSON, each as `show` makes of its name and its rich data.
    fn written(&self, show: impl Fn(&str, Json) -> Json) -> Option<NulTerminated> {
        let parameters = self.of()?.parameters.iter();
        let parameters =
            parameters.map(|(name, value)| Ok((name.to_string(), show(name, data::to_json(value)?))));
        let parameters: Result<_, Error> = parameters.collect();
        Some(NulTerminated::new(Json::Object(parameters.ok()?).to_string()))
    }

    fn parameters(&self) -> Option<&NulTerminated> {
        let of = self.of()?;
        let is_secret = |name: &str| of.sensitive_parameters.iter().any(|secret| **secret == *name);
        let show = |name: &str, value| {
            if is_secret(name) { redacted() } else { without_secrets(&value) }
        };
        self.parameters.get_or_init(|| self.written(show)).as_ref()
    }

    fn unwrapped_parameters(&self) -> Option<&NulTerminated> {
        self.unwrapped_parameters.get_or_init(|| self.written(|_, value| value)).as_ref()
    }

    fn sensitive_parameters(&self) -> Option<&NulTerminated> {
        let of = self.of()?;
        Some(self.sensitive_parameters.get_or_init(|| {
            let names: Json = of.sensitive_parameters.iter().map(|name| Json::from(&**name)).collect();
            NulTerminated::new(names.to_string())
        }))
    }

    fn tags(&self) -> Option<&NulTerminated> {
        let of = self.of()?;
        Some(self.tags.get_or_init(|| {
            let tags: Json = of.tags.iter().map(|tag| Json::from(tag.as_str())).collect();
            NulTerminated::new(tags.to_string())
        }))
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
        agent::write_json(&own.catalog, &own.settings, &Journal::default(), &mut text)?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(text)) }
    })
}

/// What was logged while compiling: a JSON array of objects with "level" ("notice", "warning" …), "message",
/// "source", and "file", "line", "column", "issue_code" where known.
///
/// @return text that is valid until the catalog is freed
///
/// # Safety
/// `catalog` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_logs_json(catalog: *const bunraku_catalog) -> bunraku_text {
    guard_or(bunraku_text::NONE, || {
        // SAFETY: by the contract of this function.
        unsafe { catalog.as_ref().map_or(bunraku_text::NONE, |own| own.logs.as_text()) }
    })
}

/// The keys of data that the compilation looked up, each once, in order: a JSON array of texts.
///
/// @return text that is valid until the catalog is freed; NULL for NULL
///
/// # Safety
/// `catalog` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_data_keys_json(catalog: *const bunraku_catalog) -> bunraku_text {
    guard_or(bunraku_text::NONE, || {
        // SAFETY: by the contract of this function.
        unsafe { catalog.as_ref().map_or(bunraku_text::NONE, |own| own.data_keys.as_text()) }
    })
}

/// What the catalog is known by beside its node: a JSON object with "catalog_uuid", "code_id",
/// "transaction_uuid", "job_id", "producer" and "producer_timestamp", each a text or null. Documents that
/// catalogs are read from say the first two alone.
///
/// @return text that is valid until the catalog is freed; NULL for NULL
///
/// # Safety
/// `catalog` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_identity_json(catalog: *const bunraku_catalog) -> bunraku_text {
    guard_or(bunraku_text::NONE, || {
        // SAFETY: by the contract of this function.
        unsafe { catalog.as_ref().map_or(bunraku_text::NONE, |own| own.identity.as_text()) }
    })
}

/// How many resources the catalog has; 0 for NULL.
///
/// # Safety
/// `catalog` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_resource_count(catalog: *const bunraku_catalog) -> usize {
    // SAFETY: by the contract of this function.
    unsafe { catalog.as_ref() }.map_or(0, |own| own.resources.len())
}

/// A resource by its number, from 0; NULL when there is none.
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

/// A resource by its reference, such as "File[/etc/motd]"; NULL when it is not in the catalog.
///
/// # Safety
/// `catalog` is NULL or live, `reference` points to as many bytes as it tells.
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

/// Frees a catalog with its resources. NULL is allowed.
///
/// # Safety
/// `catalog` is NULL or was not freed before, and nobody uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_free(catalog: *mut bunraku_catalog) {
    // SAFETY: by the contract of this function.
    unsafe { free(catalog) }
}

/// Declares what all getters of texts share.
macro_rules! text_of {
    ($resource:ident, $field:expr) => {
        guard_or(bunraku_text::NONE, || {
            // SAFETY: by the contract of the calling function the pointers are null or valid.
            unsafe {
                let field: for<'a> fn(&'a bunraku_resource) -> Option<&'a NulTerminated> = $field;
                $resource.as_ref().and_then(field).map_or(bunraku_text::NONE, NulTerminated::as_text)
            }
        })
    };
}

/// The resource's type, such as "File".
///
/// @return text that is valid until the catalog is freed
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_type(resource: *const bunraku_resource) -> bunraku_text {
    text_of!(resource, |resource| Some(&resource.names()?.type_name))
}

/// The resource's title.
///
/// @return text that is valid until the catalog is freed
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_title(resource: *const bunraku_resource) -> bunraku_text {
    text_of!(resource, |resource| Some(&resource.names()?.title))
}

/// The resource's parameters: a JSON object in rich data, without secrets. A parameter that is sensitive, and
/// every Sensitive within another value, is {"__ptype": "Sensitive", "__pvalue": "[value redacted]"}.
///
/// @return text that is valid until the catalog is freed; NULL when a value cannot be written, of which
///     bunraku_catalog_to_json tells more
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_parameters_json(resource: *const bunraku_resource) -> bunraku_text {
    text_of!(resource, bunraku_resource::parameters)
}

/// The names of the parameters that are sensitive: a JSON array of texts. A Sensitive within an array or a
/// hash makes no parameter sensitive.
///
/// @return text that is valid until the catalog is freed
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_sensitive_parameters_json(
    resource: *const bunraku_resource,
) -> bunraku_text {
    text_of!(resource, bunraku_resource::sensitive_parameters)
}

/// The resource's parameters with their secrets, as an agent receives them: a JSON object in rich data. Not
/// to be shown or logged.
///
/// @return text that is valid until the catalog is freed; NULL when a value cannot be written, of which
///     bunraku_catalog_to_json tells more
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_unwrapped_parameters_json(
    resource: *const bunraku_resource,
) -> bunraku_text {
    text_of!(resource, bunraku_resource::unwrapped_parameters)
}

/// The resource's tags: a JSON array of texts.
///
/// @return text that is valid until the catalog is freed
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_tags_json(resource: *const bunraku_resource) -> bunraku_text {
    text_of!(resource, bunraku_resource::tags)
}

/// The file that declares the resource; NULL when it is not known.
///
/// @return text that is valid until the catalog is freed
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_file(resource: *const bunraku_resource) -> bunraku_text {
    text_of!(resource, |resource| resource.names()?.file.as_ref())
}

/// The line that declares the resource, from 1; 0 when it is not known.
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_line(resource: *const bunraku_resource) -> u32 {
    // SAFETY: by the contract of this function.
    unsafe { resource.as_ref() }.and_then(|resource| resource.of()?.line).unwrap_or(0)
}

/// Whether the resource is exported.
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_is_exported(resource: *const bunraku_resource) -> bool {
    // SAFETY: by the contract of this function.
    unsafe { resource.as_ref() }.and_then(bunraku_resource::of).is_some_and(|resource| resource.exported)
}
