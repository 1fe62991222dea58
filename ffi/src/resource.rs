//! Resources of a catalog: names, parameters, tags, places.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use bunraku_core::catalog::{Catalog, Resource, ResourceKind};
use bunraku_core::diagnostic::Error;
use bunraku_core::pcore::Value;
use bunraku_core::pcore::serialize::{redacted, without_secrets};
use serde_json::Value as Json;

use crate::boundary::{ask, ask_text, text};
use crate::data;
use crate::text::{NulTerminated, bunraku_text};
use crate::value::bunraku_value;

/// A resource of a catalog. It belongs to the catalog and lives as long as it.
pub struct bunraku_resource {
    from: Arc<Resources>,
    index: usize,
    // Made on first use, and small until then: a catalog has many resources.
    names: OnceLock<Box<Names>>,
    contents: OnceLock<Box<Contents>>,
}

/// What else is made of a resource, each part on first use.
#[derive(Default)]
struct Contents {
    parameters: OnceLock<Option<NulTerminated>>,
    unwrapped_parameters: OnceLock<Option<NulTerminated>>,
    sensitive_parameters: OnceLock<NulTerminated>,
    values: OnceLock<Vec<Value>>,
    tags: OnceLock<NulTerminated>,
}

/// The names of a resource.
struct Names {
    type_name: NulTerminated,
    title: NulTerminated,
}

/// What the resources of a catalog share.
struct Resources {
    catalog: Arc<Catalog>,
    /// Their files by the addresses of the catalog's texts, made on first use.
    files: OnceLock<HashMap<usize, NulTerminated>>,
}

impl Resources {
    fn file(&self, resource: &Resource) -> Option<&NulTerminated> {
        let address = |file: &Arc<str>| file.as_ptr() as usize;
        let files = self.files.get_or_init(|| {
            let all = self.catalog.resources.iter().filter_map(|one| one.file.as_ref());
            let mut files = HashMap::new();
            for file in all {
                files.entry(address(file)).or_insert_with(|| NulTerminated::new(&**file));
            }
            files
        });
        files.get(&address(resource.file.as_ref()?))
    }
}

impl bunraku_resource {
    /// All of a catalog.
    pub(crate) fn all(catalog: &Arc<Catalog>) -> Vec<Self> {
        let from = Arc::new(Resources { catalog: Arc::clone(catalog), files: OnceLock::new() });
        let one = |index| Self {
            from: Arc::clone(&from),
            index,
            names: OnceLock::new(),
            contents: OnceLock::new(),
        };
        (0..catalog.resources.len()).map(one).collect()
    }

    fn of(&self) -> Option<&Resource> {
        self.from.catalog.resources.get(self.index)
    }

    fn file(&self) -> Option<&NulTerminated> {
        self.from.file(self.of()?)
    }

    fn names(&self) -> Option<&Names> {
        let of = self.of()?;
        Some(self.names.get_or_init(|| {
            Box::new(Names {
                type_name: NulTerminated::new(of.type_name.as_str()),
                title: NulTerminated::new(of.title.as_str()),
            })
        }))
    }

    fn contents(&self) -> &Contents {
        self.contents.get_or_init(Box::default)
    }

    /// The parameters as JSON, each as `show` converts its name and its rich data.
    fn written(&self, show: impl Fn(&str, Json) -> Json) -> Option<NulTerminated> {
        let parameters = self.of()?.parameters.iter();
        let parameters =
            parameters.map(|(name, value)| Ok((name.to_string(), show(name, data::to_json(value)?))));
        let parameters: Result<_, Error> = parameters.collect();
        Some(NulTerminated::new(Json::Object(parameters.ok()?).to_string()))
    }

    fn parameters(&self) -> Option<&NulTerminated> {
        let of = self.of()?;
        let show = |name: &str, value| {
            if is_secret(of, name) { redacted() } else { without_secrets(&value) }
        };
        self.contents().parameters.get_or_init(|| self.written(show)).as_ref()
    }

    /// The values of the parameters, in their order; secrets are Sensitive.
    fn values(&self) -> Option<&[Value]> {
        let of = self.of()?;
        let value = |name: &str, value: &Value| {
            let is_bare = is_secret(of, name) && !matches!(value, Value::Sensitive(_));
            if is_bare { Value::sensitive(value.clone()) } else { value.clone() }
        };
        let values = || of.parameters.iter().map(|(name, own)| value(name, own)).collect();
        Some(self.contents().values.get_or_init(values))
    }

    fn unwrapped_parameters(&self) -> Option<&NulTerminated> {
        self.contents().unwrapped_parameters.get_or_init(|| self.written(|_, value| value)).as_ref()
    }

    fn sensitive_parameters(&self) -> Option<&NulTerminated> {
        let of = self.of()?;
        Some(self.contents().sensitive_parameters.get_or_init(|| {
            let names: Json = of.sensitive_parameters.iter().map(|name| Json::from(&**name)).collect();
            NulTerminated::new(names.to_string())
        }))
    }

    fn tags(&self) -> Option<&NulTerminated> {
        let of = self.of()?;
        Some(self.contents().tags.get_or_init(|| {
            let tags: Json = of.tags.iter().map(|tag| Json::from(tag.as_str())).collect();
            NulTerminated::new(tags.to_string())
        }))
    }
}

/// Whether a parameter holds a secret.
fn is_secret(of: &Resource, name: &str) -> bool {
    of.sensitive_parameters.iter().any(|secret| **secret == *name)
}

/// The resource's type, such as "File".
///
/// @return text that is valid until the catalog is freed
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_type(resource: *const bunraku_resource) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask_text(resource, |resource| Some(&resource.names()?.type_name)) }
}

/// The resource's title.
///
/// @return text that is valid until the catalog is freed
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_title(resource: *const bunraku_resource) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask_text(resource, |resource| Some(&resource.names()?.title)) }
}

/// The resource's parameters: a JSON object in rich data, without secrets. A parameter that is sensitive, and
/// every Sensitive within another value, is {"__ptype": "Sensitive", "__pvalue": "[value redacted]"}.
///
/// @return text that is valid until the catalog is freed; NULL if a value cannot be written, for which
///     bunraku_catalog_to_json returns the error
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_parameters_json(resource: *const bunraku_resource) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask_text(resource, bunraku_resource::parameters) }
}

/// The names of the sensitive parameters: a JSON array of texts. A Sensitive within an array or a hash does
/// not make its parameter sensitive.
///
/// @return text that is valid until the catalog is freed
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_sensitive_parameters_json(
    resource: *const bunraku_resource,
) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask_text(resource, bunraku_resource::sensitive_parameters) }
}

/// The resource's parameters with their secrets, as an agent receives them: a JSON object in rich data. It
/// must not be shown or logged.
///
/// @return text that is valid until the catalog is freed; NULL if a value cannot be written, for which
///     bunraku_catalog_to_json returns the error
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_unwrapped_parameters_json(
    resource: *const bunraku_resource,
) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask_text(resource, bunraku_resource::unwrapped_parameters) }
}

/// The resource's tags: a JSON array of texts.
///
/// @return text that is valid until the catalog is freed
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_tags_json(resource: *const bunraku_resource) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask_text(resource, bunraku_resource::tags) }
}

/// The file that declares the resource; NULL if it is unknown.
///
/// @return text that is valid until the catalog is freed
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_file(resource: *const bunraku_resource) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask_text(resource, bunraku_resource::file) }
}

/// The line that declares the resource, from 1; 0 if it is unknown.
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

/// The number of parameters of the resource.
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_parameter_count(resource: *const bunraku_resource) -> usize {
    // SAFETY: by the contract of this function.
    unsafe { ask(resource, 0, |own| Some(own.of()?.parameters.len())) }
}

/// The name of a parameter. Not NUL-terminated.
///
/// @param index  from 0
/// @return text that is valid until the catalog is freed
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_parameter_name(
    resource: *const bunraku_resource,
    index: usize,
) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe {
        ask(resource, bunraku_text::NONE, |own| {
            own.of()?.parameters.get_index(index).map(|(name, _)| bunraku_text::of(name.as_str()))
        })
    }
}

/// The value of a parameter. The value of a sensitive parameter is a Sensitive.
///
/// @param index  from 0
/// @return a value that lives until the catalog is freed and must not be freed; NULL if it does not exist
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_parameter(
    resource: *const bunraku_resource,
    index: usize,
) -> *const bunraku_value {
    // SAFETY: by the contract of this function.
    unsafe { ask(resource, std::ptr::null(), |own| own.values()?.get(index).map(bunraku_value::of)) }
}

/// The value of a parameter by name.
///
/// @param name  such as "ensure"
/// @return as bunraku_resource_parameter
///
/// # Safety
/// `resource` is NULL or live, `name` is valid for reads of its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_parameter_named(
    resource: *const bunraku_resource,
    name: bunraku_text,
) -> *const bunraku_value {
    // SAFETY: by the contract of this function.
    unsafe {
        ask(resource, std::ptr::null(), |own| {
            let index = own.of()?.parameters.get_index_of(text(name, "name").ok()?)?;
            own.values()?.get(index).map(bunraku_value::of)
        })
    }
}

/// The number of tags of the resource.
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_tag_count(resource: *const bunraku_resource) -> usize {
    // SAFETY: by the contract of this function.
    unsafe { ask(resource, 0, |own| Some(own.of()?.tags.iter().len())) }
}

/// A tag of the resource. Not NUL-terminated.
///
/// @param index  from 0
/// @return text that is valid until the catalog is freed
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_tag(
    resource: *const bunraku_resource,
    index: usize,
) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe {
        ask(resource, bunraku_text::NONE, |own| {
            own.of()?.tags.iter().nth(index).map(|tag| bunraku_text::of(tag.as_str()))
        })
    }
}

/// The kinds of declarations of resources. More may be added.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum bunraku_declaration {
    /// Anything else: included classes, nodes, NULL.
    BUNRAKU_DECLARATION_UNKNOWN = 0,
    /// A class that was declared as a resource.
    BUNRAKU_DECLARATION_CLASS = 1,
    /// A resource of a defined type.
    BUNRAKU_DECLARATION_DEFINED_TYPE = 2,
    /// A resource of a type that agents implement.
    BUNRAKU_DECLARATION_COMPILABLE_TYPE = 3,
}

/// The kind of the resource: one of bunraku_declaration, the member "kind" of catalogs.
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_kind(resource: *const bunraku_resource) -> u32 {
    let kind_of = |own: &bunraku_resource| {
        Some(match own.of()?.kind {
            ResourceKind::Unknown => bunraku_declaration::BUNRAKU_DECLARATION_UNKNOWN,
            ResourceKind::Class => bunraku_declaration::BUNRAKU_DECLARATION_CLASS,
            ResourceKind::DefinedType => bunraku_declaration::BUNRAKU_DECLARATION_DEFINED_TYPE,
            ResourceKind::CompilableType => bunraku_declaration::BUNRAKU_DECLARATION_COMPILABLE_TYPE,
        })
    };
    // SAFETY: by the contract of this function.
    unsafe { ask(resource, bunraku_declaration::BUNRAKU_DECLARATION_UNKNOWN, kind_of) as u32 }
}

/// Whether the resource is virtual. A catalog contains virtual resources only if they are exported.
///
/// # Safety
/// `resource` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_resource_is_virtual(resource: *const bunraku_resource) -> bool {
    // SAFETY: by the contract of this function.
    unsafe { ask(resource, false, |own| Some(own.of()?.is_virtual)) }
}
