//! `Bunraku::Catalog`: the result of a compilation.

use bunraku::catalog::{Catalog, Resource};
use bunraku::compiler::request;
use bunraku::diagnostic::LogEntry;
use bunraku::loader::{Log, Settings};
use bunraku::pcore::Value;
use bunraku::wire::agent;
use magnus::{Error, Module as _, RArray, RHash, RModule, Ruby};

use crate::class;
use crate::convert::{json_to_ruby, to_ruby};
use crate::crossing::Exceptions;
use crate::entry::method;
use crate::weight::Weight;
use crate::{document, failure};

/// A catalog as Ruby sees it.
#[magnus::wrap(class = "Bunraku::Catalog", free_immediately, size, frozen_shareable)]
pub(crate) struct NativeCatalog {
    pub(crate) catalog: Catalog,
    pub(crate) settings: Settings,
    logs: Vec<LogEntry>,
    _weight: Weight,
}

/// The approximate size of a resource.
const RESOURCE_WEIGHT: usize = 1 << 10;

impl NativeCatalog {
    pub(crate) fn new(ruby: &Ruby, catalog: Catalog, settings: Settings, logs: Vec<LogEntry>) -> Self {
        let weight = Weight::new(ruby, catalog.resources.len().saturating_mul(RESOURCE_WEIGHT));
        Self { catalog, settings, logs, _weight: weight }
    }

    fn name(&self) -> String {
        self.catalog.name.clone()
    }

    fn environment(&self) -> String {
        self.catalog.environment.clone()
    }

    fn version(ruby: &Ruby, own: &Self) -> Result<magnus::Value, Error> {
        to_ruby(ruby, &own.catalog.version)
    }

    fn tags(&self) -> Vec<String> {
        self.catalog.tags.iter().map(ToString::to_string).collect()
    }

    fn classes(&self) -> Vec<String> {
        self.catalog.classes.iter().map(ToString::to_string).collect()
    }

    fn data_keys(&self) -> Vec<String> {
        self.catalog.data_keys.iter().map(ToString::to_string).collect()
    }

    fn reads_settings(&self) -> bool {
        self.catalog.reads_settings
    }

    fn identity(ruby: &Ruby, own: &Self) -> Result<magnus::Value, Error> {
        json_to_ruby(ruby, &request::identity_to_json(&own.catalog.identity))
    }

    fn size(&self) -> usize {
        self.catalog.resources.len()
    }

    /// The members of a resource, by index.
    fn resource(ruby: &Ruby, own: &Self, index: usize) -> Result<Option<RHash>, Error> {
        own.catalog.resources.get(index).map(|resource| resource_hash(ruby, resource)).transpose()
    }

    /// The index of a resource, by reference.
    fn index(&self, reference: String) -> Option<usize> {
        let found = self.catalog.resource(&reference)?;
        self.catalog.resources.iter().position(|one| std::ptr::eq(one, found))
    }

    /// The indices of the resources that functions have declared.
    fn by_function(&self) -> Vec<usize> {
        self.catalog.indices(|one| one.by_function)
    }

    /// The types of the resources, each with its kind.
    fn kinds(&self) -> Vec<(String, &'static str)> {
        self.catalog.kinds()
    }

    /// The classes and defined types of the resources, by their names in lower case, each with its kind.
    fn definitions(&self) -> Vec<(&'static str, String)> {
        self.catalog.definitions()
    }

    fn edges(ruby: &Ruby, own: &Self) -> Result<RArray, Error> {
        let edges = ruby.ary_new_capa(own.catalog.edges.len());
        for edge in &own.catalog.edges {
            edges.push((edge.source, edge.target))?;
        }
        Ok(edges)
    }

    fn logs(ruby: &Ruby, own: &Self) -> Result<RArray, Error> {
        failure::log_entries(ruby, &own.logs)
    }

    fn to_h(ruby: &Ruby, own: &Self) -> Result<magnus::Value, Error> {
        // The compilation has already logged the losses.
        let document = agent::to_json(&own.catalog, &own.settings, &Log::default());
        let document =
            document.map_err(|error| failure::exception(ruby, &error, &[], Exceptions::new(ruby)))?;
        json_to_ruby(ruby, &document)
    }
}

fn resource_hash(ruby: &Ruby, resource: &Resource) -> Result<RHash, Error> {
    let parameters = ruby.hash_new();
    for (name, value) in &resource.parameters {
        // A parameter that the catalog marks as secret is returned as a Sensitive, so that only unwrapping
        // shows it.
        let value = if resource.sensitive_parameters.contains(name) {
            to_ruby(ruby, &Value::sensitive(value.clone()))?
        } else {
            to_ruby(ruby, value)?
        };
        parameters.aset(name.as_str(), value)?;
    }
    let texts = |all: &mut dyn Iterator<Item = String>| all.collect::<Vec<_>>();
    let hash = ruby.hash_new();
    hash.aset(ruby.to_symbol("type"), resource.type_name.as_str())?;
    hash.aset(ruby.to_symbol("title"), resource.title.as_str())?;
    hash.aset(ruby.to_symbol("parameters"), parameters)?;
    hash.aset(ruby.to_symbol("tags"), texts(&mut resource.tags.iter().map(ToString::to_string)))?;
    hash.aset(ruby.to_symbol("file"), resource.file.as_deref())?;
    hash.aset(ruby.to_symbol("line"), resource.line)?;
    hash.aset(ruby.to_symbol("exported"), resource.exported)?;
    hash.aset(ruby.to_symbol("virtual"), resource.is_virtual)?;
    hash.aset(ruby.to_symbol("kind"), ruby.to_symbol(resource.kind.name()))?;
    let sensitive = texts(&mut resource.sensitive_parameters.iter().map(ToString::to_string));
    hash.aset(ruby.to_symbol("sensitive_parameters"), sensitive)?;
    Ok(hash)
}

/// Defines the class.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), Error> {
    let class = class::define::<NativeCatalog>(ruby, module, "Catalog")?;
    class.define_method("name", method!(NativeCatalog::name, 0))?;
    class.define_method("environment", method!(NativeCatalog::environment, 0))?;
    class.define_method("version", method!(NativeCatalog::version, 0))?;
    class.define_method("tags", method!(NativeCatalog::tags, 0))?;
    class.define_method("classes", method!(NativeCatalog::classes, 0))?;
    class.define_method("data_keys", method!(NativeCatalog::data_keys, 0))?;
    class.define_method("reads_settings?", method!(NativeCatalog::reads_settings, 0))?;
    class.define_method("native_identity", method!(NativeCatalog::identity, 0))?;
    class.define_method("size", method!(NativeCatalog::size, 0))?;
    class.define_method("native_resource", method!(NativeCatalog::resource, 1))?;
    class.define_method("native_by_function", method!(NativeCatalog::by_function, 0))?;
    class.define_method("native_index", method!(NativeCatalog::index, 1))?;
    class.define_method("native_kinds", method!(NativeCatalog::kinds, 0))?;
    class.define_method("native_definitions", method!(NativeCatalog::definitions, 0))?;
    class.define_method("native_edges", method!(NativeCatalog::edges, 0))?;
    class.define_method("logs", method!(NativeCatalog::logs, 0))?;
    class.define_method("to_h", method!(NativeCatalog::to_h, 0))?;
    document::define(class)
}
