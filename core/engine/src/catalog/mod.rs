//! The catalog: the result of a compilation for a node. Plain data, immutable and `Send`.
//!
//! Follows the reference's `resource/catalog.rb` and `resource.rb` as far as a finished catalog is concerned:
//! resources in the order in which they were added, containment edges, classes and tags. `compiler` has the
//! working form, which knows scopes and overrides.

pub mod cycles;
pub mod provenance;
pub mod reference;
pub mod resource_types;
pub mod tags;

use std::fmt;
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};
use serde_json::{Map, Value as Json};

pub use provenance::Provenance;
use reference::Reference;
pub use tags::Tags;

use bunraku_pcore::value::Str;
use bunraku_pcore::{Named, Value};

/// The kind of a resource's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// A class that was declared like a resource.
    Class,
    /// A defined type.
    DefinedType,
    /// A type of resources that an agent can manage.
    CompilableType,
    /// Anything else: classes that were included, nodes.
    Unknown,
}

impl ResourceKind {
    /// The word in catalogs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::DefinedType => "defined_type",
            Self::CompilableType => "compilable_type",
            Self::Unknown => "unknown",
        }
    }

    /// The kind that a word in catalogs means.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Class, Self::DefinedType, Self::CompilableType, Self::Unknown]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// A resource of a finished catalog. Its `Debug` shows no secrets.
#[derive(Clone)]
pub struct Resource {
    /// The type's name, capitalised per segment.
    pub type_name: Str,
    /// The title.
    pub title: Str,
    /// The tags, in the order in which they were added.
    pub tags: Tags,
    /// The file that declares it; empty for a manifest from nowhere.
    pub file: Option<Arc<str>>,
    /// The line in the file.
    pub line: Option<u32>,
    /// Whether it is exported.
    pub exported: bool,
    /// Whether it is virtual (only resources that are exported too are in a finished catalog).
    pub is_virtual: bool,
    /// Whether a function has declared it (`create_resources`).
    pub by_function: bool,
    /// The kind of its type.
    pub kind: ResourceKind,
    /// The parameters, those that hold secrets without their `Sensitive`; a resource reference is a
    /// `Resource` or `Class` type.
    pub parameters: Named<Value>,
    /// Names of the parameters that hold secrets.
    pub sensitive_parameters: Vec<Str>,
    /// The parameter for the title, if the type has exactly one (`name` for classes and defined types).
    pub namevar: Str,
    /// Whether its type has one parameter that identifies a resource, whose value is another name for it.
    pub is_known_by_name: bool,
    /// The number of parameters of its type that identify a resource.
    pub key_count: usize,
    /// Titles under which it is known too: values of the names of its type that differ from the title.
    pub aliases: Vec<Str>,
}

impl Resource {
    /// `Type[title]`
    pub fn reference(&self) -> String {
        format!("{}[{}]", self.type_name, self.title)
    }

    /// Whether documents have its kind before `exported`: the reference has no value for that then, and adds
    /// it at the end.
    pub(crate) const fn is_kind_first(&self) -> bool {
        self.by_function && !self.exported
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters = self.parameters.iter().map(|(name, value)| {
            let is_secret = self.sensitive_parameters.contains(name);
            (name, if is_secret { Value::sensitive(Value::Undef) } else { value.clone() })
        });
        let Self { type_name, title, tags, file, line, exported, is_virtual, .. } = self;
        let Self { by_function, kind, sensitive_parameters, .. } = self;
        let Self { namevar, is_known_by_name, key_count, aliases, .. } = self;
        out.debug_struct("Resource")
            .field("type_name", type_name)
            .field("title", title)
            .field("tags", tags)
            .field("file", file)
            .field("line", line)
            .field("exported", exported)
            .field("is_virtual", is_virtual)
            .field("by_function", by_function)
            .field("kind", kind)
            .field("parameters", &parameters.collect::<Vec<_>>())
            .field("sensitive_parameters", sensitive_parameters)
            .field("namevar", namevar)
            .field("is_known_by_name", is_known_by_name)
            .field("key_count", key_count)
            .field("aliases", aliases)
            .finish()
    }
}

/// A containment edge: numbers of resources in [`Catalog::resources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The container.
    pub source: usize,
    /// The contained resource.
    pub target: usize,
}

/// The identity of a catalog apart from its node: its own ids, and those of its request. Only the catalog's
/// own id and the time are not part of the request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The id of the catalog, a UUID. A compilation makes one by default.
    pub catalog_uuid: Option<String>,
    /// The id of the code that it was made from.
    pub code_id: Option<String>,
    /// The id of the agent's run that asked for it.
    pub transaction_uuid: Option<String>,
    /// The id of the job that asked for the run.
    pub job_id: Option<String>,
    /// The name of the server that has made it.
    pub producer: Option<String>,
    /// The time of the compilation, as ISO 8601 with a time zone. A compilation sets it by default.
    pub producer_timestamp: Option<String>,
}

/// A finished catalog.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// The certname of the node.
    pub name: String,
    /// The environment.
    pub environment: String,
    /// The version: the result of `config_version`, or the time.
    pub version: Value,
    /// The identity of the catalog apart from its node.
    pub identity: Identity,
    /// The classes, in the order in which they were evaluated; those of the classifier first.
    pub classes: Vec<Str>,
    /// The tags.
    pub tags: Tags,
    /// The resources, in the order in which they were added.
    pub resources: Vec<Resource>,
    /// Containment, by target in the order of the resources.
    pub edges: Vec<Edge>,
    /// The keys of data that the compilation looked up, each once, in order. Only compiled catalogs have
    /// them.
    pub data_keys: Vec<Str>,
    /// Whether the compilation read variables of the class `settings`. Only compiled catalogs have it.
    pub reads_settings: bool,
    /// The origins of values, if the compilation recorded them.
    pub provenance: Option<Arc<Provenance>>,
    /// The metadata of files in a static catalog: checksums and owners by the title of the resource. Only
    /// catalogs that were read have it.
    pub metadata: Map<String, Json>,
    /// The same for directories with their contents.
    pub recursive_metadata: Map<String, Json>,
    /// The indices of resources by type and title or alias, computed on first use.
    pub(crate) by_reference: OnceLock<References>,
}

/// Numbers of resources by type and title or alias.
pub(crate) type References = IndexMap<(Str, Str), usize, FxBuildHasher>;

impl Catalog {
    /// The number of a resource by its type (capitalised per segment) and title or alias.
    pub fn find(&self, type_name: &str, title: &str) -> Option<usize> {
        let known = self.by_reference.get_or_init(|| self.references());
        known.get(&Reference(type_name, title)).copied()
    }

    fn references(&self) -> References {
        let mut known = References::with_capacity_and_hasher(self.resources.len(), FxBuildHasher);
        for (number, resource) in self.resources.iter().enumerate() {
            let key = |title: &Str| (resource.type_name.clone(), title.clone());
            known.insert(key(&resource.title), number);
            for alias in &resource.aliases {
                known.entry(key(alias)).or_insert(number);
            }
        }
        known
    }

    /// The indices of the resources for which this is true.
    pub fn indices(&self, is_wanted: impl Fn(&Resource) -> bool) -> Vec<usize> {
        let resources = self.resources.iter().enumerate();
        resources.filter(|(_, one)| is_wanted(one)).map(|(index, _)| index).collect()
    }

    /// The types of the resources, each with its kind.
    pub fn kinds(&self) -> Vec<(String, &'static str)> {
        let mut seen = FxHashSet::default();
        let resources = self.resources.iter().filter(|one| seen.insert(&one.type_name));
        resources.map(|one| (one.type_name.to_string(), one.kind.name())).collect()
    }

    /// The classes and defined types of the resources, by their names in lower case, each with its kind.
    pub fn definitions(&self) -> Vec<(&'static str, String)> {
        let mut seen = FxHashSet::default();
        let names = self.resources.iter().filter_map(|one| match one.kind {
            ResourceKind::DefinedType => Some((one.kind.name(), &one.type_name)),
            _ if one.type_name == "Class" => Some((ResourceKind::Class.name(), &one.title)),
            _ => None,
        });
        names
            .filter(|name| seen.insert(*name))
            .map(|(kind, name)| (kind, name.to_lowercase().to_string()))
            .collect()
    }

    /// A resource by its reference, such as `File[/etc/motd]`.
    pub fn resource(&self, reference: &str) -> Option<&Resource> {
        self.resources.get(self.number_of(reference)?)
    }

    /// The number of a resource by its reference.
    pub fn number_of(&self, reference: &str) -> Option<usize> {
        let (type_name, title) = reference::split(reference)?;
        self.find(type_name, title).or_else(|| {
            let (type_name, title) = reference::canonical(type_name, title);
            self.find(&type_name, &title)
        })
    }
}
