//! Finished catalogs.

use std::sync::Arc;

use bunraku_engine::catalog;
use bunraku_engine::eval::limits::Usage;
use bunraku_engine::loader::{Log, Settings};
use bunraku_engine::wire::puppetdb::{Submission, Version};
use bunraku_engine::wire::{agent, puppetdb};
use bunraku_host::disk::DiskHost;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::Watch;
#[cfg(feature = "report")]
use bunraku_tools::report::diff::Diff;
use bunraku_tools::report::explain::explain;

use super::Value;

/// A finished catalog. Clones are the same catalog.
#[derive(Clone, Debug)]
pub struct Catalog {
    inner: Arc<catalog::Catalog>,
    settings: Arc<Settings>,
}

impl Catalog {
    pub(crate) fn new(inner: catalog::Catalog, settings: Settings) -> Self {
        Self { inner: Arc::new(inner), settings: Arc::new(settings) }
    }

    /// The certname of the node.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The environment.
    pub fn environment(&self) -> &str {
        &self.inner.environment
    }

    /// The names of the classes, in the order in which they were evaluated.
    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.inner.classes.iter().map(|name| name.as_str())
    }

    /// The resources, in the order in which they were added.
    pub fn resources(&self) -> impl Iterator<Item = Resource<'_>> {
        self.inner.resources.iter().map(Resource)
    }

    /// A resource by its reference, such as `File[/etc/motd]`.
    pub fn resource(&self, reference: &str) -> Option<Resource<'_>> {
        self.inner.resource(reference).map(Resource)
    }

    /// The containment edges, as references: the container, and what it contains.
    pub fn edges(&self) -> impl Iterator<Item = (String, String)> {
        let reference = |number: usize| self.inner.resources.get(number).map(catalog::Resource::reference);
        self.inner
            .edges
            .iter()
            .filter_map(move |edge| Some((reference(edge.source)?, reference(edge.target)?)))
    }

    /// The catalog as an agent receives it, in JSON.
    ///
    /// # Errors
    /// A value has no form in JSON.
    pub fn to_json(&self) -> Result<String, Error> {
        let mut text = Vec::new();
        agent::write_json(&self.inner, &self.settings, &Log::default(), &mut text)?;
        String::from_utf8(text).map_err(|error| Error::internal(error.to_string()))
    }

    /// The catalog as PuppetDB's command "replace catalog" takes it, in JSON. `submission` adds what the
    /// catalog does not contain.
    ///
    /// # Errors
    /// A value has no form in JSON.
    pub fn to_puppetdb(&self, version: Version, submission: &Submission) -> Result<String, Error> {
        let mut text = Vec::new();
        puppetdb::write_catalog(&self.inner, submission, version, &mut text)?;
        String::from_utf8(text).map_err(|error| Error::internal(error.to_string()))
    }

    /// What another catalog adds, removes and changes. Requires the feature `report`.
    ///
    /// # Errors
    /// One of the two catalogs has no form in JSON, which the comparison needs.
    #[cfg(feature = "report")]
    pub fn diff(&self, other: &Catalog) -> Result<Diff, Error> {
        let document = |catalog: &Catalog| agent::to_json(&catalog.inner, &catalog.settings, &Log::default());
        let watch = Usage::of_other_work(None, &DiskHost);
        Diff::of_json(&document(self)?, &document(other)?, &watch)
    }

    /// Explains as text where the values of a resource come from and why it is in the catalog. Returns `None`
    /// if the catalog has no such resource or the compilation did not record provenance
    /// ([`Compilation::provenance`](super::Compilation::provenance)).
    ///
    /// Paths below `directory` are shown relative to it.
    ///
    /// # Errors
    /// The origins of the values are so many that the explanation exceeds its limit of time or memory.
    pub fn explain(&self, reference: &str, directory: &str) -> Result<Option<String>, Error> {
        let usage = Usage::of_reading(None, &DiskHost);
        explain(&self.inner, reference, directory, &Watch::new(&usage.ends))
    }
}

/// A resource of a catalog.
#[derive(Clone, Copy, Debug)]
pub struct Resource<'c>(&'c catalog::Resource);

impl<'c> Resource<'c> {
    /// The reference, `Type[title]`.
    pub fn reference(&self) -> String {
        self.0.reference()
    }

    /// The name of the type, capitalised per segment.
    pub fn type_name(&self) -> &'c str {
        &self.0.type_name
    }

    /// The title.
    pub fn title(&self) -> &'c str {
        &self.0.title
    }

    /// The file that declares the resource, if it has one.
    pub fn file(&self) -> Option<&'c str> {
        self.0.file.as_deref()
    }

    /// The line in the file.
    pub fn line(&self) -> Option<u32> {
        self.0.line
    }

    /// Whether the resource is exported.
    pub fn is_exported(&self) -> bool {
        self.0.exported
    }

    /// The tags.
    pub fn tags(&self) -> impl Iterator<Item = &'c str> {
        self.0.tags.iter().map(|tag| &**tag)
    }

    /// The value of a parameter. A parameter that holds a secret is `Sensitive`.
    pub fn parameter(&self, name: &str) -> Option<Value> {
        self.0.parameters.get(name).map(|value| self.guarded(name, value))
    }

    /// The parameters with their values, in order. A parameter that holds a secret is `Sensitive`.
    pub fn parameters(&self) -> impl Iterator<Item = (&'c str, Value)> {
        let resource = *self;
        self.0.parameters.iter().map(move |(name, value)| (name.as_str(), resource.guarded(name, value)))
    }

    fn guarded(&self, name: &str, value: &bunraku_pcore::Value) -> Value {
        let is_secret = self.0.sensitive_parameters.iter().any(|secret| secret.as_str() == name);
        let is_marked = matches!(value, bunraku_pcore::Value::Sensitive(_));
        Value(if is_secret && !is_marked {
            bunraku_pcore::Value::sensitive(value.clone())
        } else {
            value.clone()
        })
    }
}
