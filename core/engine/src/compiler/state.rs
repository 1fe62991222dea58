//! The state of a compilation: the resources with their names, containment, classes, and pending evaluations.
//!
//! Follows the reference's `resource/catalog.rb` and `graph/simple_graph.rb` as far as compilations use them.

use std::rc::Rc;

use indexmap::IndexMap;
use indexmap::map::Entry;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::collectors::Collection;
use super::relationships::Relationship;
use super::resource::{Parameter, ResourceId, Source, WorkingResource};
use super::resources::Resources;
use super::{inspect, location_text};
use crate::catalog::Tags;
use crate::catalog::reference::Reference;
use crate::eval::Scope;
use bunraku_pcore::Named;
use bunraku_pcore::pairs::FEW;
use bunraku_pcore::value::{Str, Value};
use bunraku_syntax::diagnostic::Error;

/// Parameters that wait for a resource that is not declared yet.
#[derive(Clone, Debug)]
pub(super) struct Override {
    /// The reference of the resource.
    pub reference: Str,
    pub parameters: Named<Parameter>,
    pub source: Source,
    pub file: Option<std::sync::Arc<str>>,
    pub line: Option<u32>,
}

/// Containers of a resource, with how often the edge was added.
pub(super) type Containers = SmallVec<[(ResourceId, usize); 1]>;

/// The initial capacity for resources.
const USUAL: usize = 128;

/// The state of a compilation.
#[derive(Debug, Default)]
pub(super) struct CompilationState {
    /// The maximum number of resources.
    most_resources: usize,
    /// The resources in the order in which they were added.
    pub resources: Resources,
    /// Resources by type and title or alias.
    by_title: IndexMap<(Str, Str), ResourceId, FxBuildHasher>,
    /// Resources by type and the values of several key parameters, or of one that is not a text.
    by_key: FxHashMap<(Str, Vec<Value>), ResourceId>,
    /// For each resource its containers, with how often the edge was added; nearly always one.
    pub contained_in: Vec<Containers>,
    /// The positions of containers in long lists, after the first [`FEW`].
    further_containers: FxHashMap<(ResourceId, ResourceId), usize>,
    /// The contents of each resource.
    pub contains: Vec<Vec<ResourceId>>,
    /// The classes in the order in which they were evaluated.
    pub classes: Vec<Str>,
    /// The catalog's tags.
    pub tags: Tags,
    /// The scopes of classes and nodes that were evaluated.
    pub class_scopes: FxHashMap<Str, Rc<Scope>>,
    /// Collectors that run in each round; `None` for a finished one.
    pub collections: Vec<Option<Collection>>,
    /// Arrows.
    pub relationships: Vec<Relationship>,
    /// Overrides by the reference of the resource that they wait for.
    pub overrides: IndexMap<Str, Vec<Override>, FxBuildHasher>,
    /// Sources that can override everything, because a collector of theirs has done so.
    pub overriding: Vec<Source>,
    /// The candidates of collectors.
    candidates: Candidates,
}

/// The resources by type and title, built when a collector first needs them, so that no collector scans all
/// resources.
#[derive(Debug, Default)]
struct Candidates {
    /// The number of indexed resources.
    known: usize,
    of_types: FxHashMap<Str, OfType>,
}

/// The resources of one type.
#[derive(Debug, Default)]
struct OfType {
    numbers: Vec<ResourceId>,
    /// The number of resources indexed by title.
    titled: usize,
    /// By title in small letters.
    by_title: FxHashMap<Str, SmallVec<[ResourceId; 1]>>,
}

impl CompilationState {
    /// An empty state with a maximum number of resources.
    pub fn of_at_most(resources: usize) -> Self {
        Self {
            most_resources: resources,
            resources: Resources::default(),
            by_title: IndexMap::with_capacity_and_hasher(USUAL, FxBuildHasher),
            contained_in: Vec::with_capacity(USUAL),
            contains: Vec::with_capacity(USUAL),
            ..Self::default()
        }
    }

    /// A resource by canonical type and title, or alias.
    pub fn by_title(&self, type_name: &str, title: &str) -> Option<ResourceId> {
        self.by_title.get(&Reference(type_name, title)).copied()
    }

    /// The resources of a type in the order in which they were added; with a title, only those with this
    /// title, ignoring the case of ASCII letters.
    pub fn candidates(&mut self, type_name: &str, title: Option<&str>) -> Vec<ResourceId> {
        let candidates = &mut self.candidates;
        for (number, resource) in self.resources.from(candidates.known) {
            candidates.of_types.entry(resource.type_name.clone()).or_default().numbers.push(number);
        }
        candidates.known = self.resources.len();
        let Some(of_type) = candidates.of_types.get_mut(type_name) else { return Vec::new() };
        let Some(title) = title else { return of_type.numbers.clone() };
        for &number in of_type.numbers.iter().skip(of_type.titled) {
            let title = self.resources[number].title.to_ascii_lowercase();
            of_type.by_title.entry(title).or_default().push(number);
        }
        of_type.titled = of_type.numbers.len();
        of_type
            .by_title
            .get(title.to_ascii_lowercase().as_str())
            .map(|numbers| numbers.to_vec())
            .unwrap_or_default()
    }

    /// A resource by type and the values of its key parameters.
    pub fn by_key(&self, type_name: &str, key: &[Value]) -> Option<ResourceId> {
        match key {
            [Value::String(title)] => self.by_title(type_name, title),
            [Value::ByteString(title)] => self.by_title(type_name, title.text()),
            _ => self.by_key.get(&(Str::from(type_name), key.to_vec())).copied(),
        }
    }

    /// Adds a resource with its aliases.
    ///
    /// # Errors
    /// A resource with this type and title, or with one of the aliases, exists, or there are too many
    /// resources.
    pub fn add(&mut self, resource: WorkingResource) -> Result<ResourceId, Error> {
        let number = self.resources.len();
        if number >= self.most_resources {
            let most = self.most_resources;
            return Err(Error::limit(format!("More than {most} resources are declared")));
        }
        let entry = self.by_title.entry((resource.type_name.clone(), resource.title.clone()));
        if let Entry::Occupied(existing) = entry {
            let existing = &self.resources[*existing.get()];
            let place = location_text(existing.file.as_deref(), existing.line);
            let at = if place.is_empty() { String::new() } else { format!(" at {place}") };
            let message = format!(
                "Duplicate declaration: {} is already declared{at}; cannot redeclare{}",
                resource.reference(),
                location_suffix(&resource)
            );
            return Err(Error::plain(message));
        }
        entry.or_insert(number);
        self.resources.push(resource);
        self.contained_in.push(Containers::new());
        self.contains.push(Vec::new());
        self.add_aliases(number)?;
        Ok(number)
    }

    fn add_aliases(&mut self, number: ResourceId) -> Result<(), Error> {
        let Some(resource) = self.resources.get(number) else { return Ok(()) };
        if let Some(given) = resource.parameters.get("alias") {
            let mut explicit = Vec::new();
            super::resource::flatten_into(&given.value, &mut explicit);
            for alias in explicit.into_iter().filter(|alias| !alias.is_undef()) {
                self.add_alias(number, Alias::Given(alias))?;
            }
        }
        let Some(resource) = self.resources.get(number) else { return Ok(()) };
        let isomorphic = match &resource.type_of {
            super::resource::TypeOf::Native(of) => of.isomorphic,
            _ => true,
        };
        if isomorphic && !resource.is_main && !resource.is_known_by_title() {
            let key = resource.uniqueness_key()?;
            let is_title = matches!(key.as_slice(), [Value::String(only)] if *only == resource.title);
            if key.iter().any(Value::is_truthy) && !is_title {
                self.add_alias(number, Alias::Key(key.into_vec()))?;
            }
        }
        Ok(())
    }

    fn add_alias(&mut self, number: ResourceId, alias: Alias) -> Result<(), Error> {
        let Some(resource) = self.resources.get(number) else { return Ok(()) };
        let reference = resource.reference();
        // The reference's `/^(.+)\[/` is greedy: it matches the text before the last bracket of the first
        // line.
        let line = reference.lines().next().unwrap_or_default();
        let class: Str = line.rfind('[').map_or(line, |at| &line[..at]).into();
        if let Alias::Given(Value::String(title)) = &alias
            && format!("{class}[{title}]") == reference
        {
            return Ok(());
        }
        let mut key = Vec::new();
        match &alias {
            Alias::Given(value) => super::resource::flatten_into(value, &mut key),
            Alias::Key(values) => {
                values.iter().for_each(|value| super::resource::flatten_into(value, &mut key))
            }
        }
        if let Some(existing) = self.by_key(&class, &key) {
            if existing == number {
                return Ok(());
            }
            let existing = &self.resources[existing];
            let place = location_text(resource.file.as_deref(), resource.line);
            let at = if place.is_empty() { String::new() } else { format!(" at {place}") };
            let new: Vec<Value> = std::iter::once(Value::String(class)).chain(key).collect();
            return Err(Error::argument(format!(
                "Cannot alias {reference} to {}{at}; resource {} already declared{}",
                alias.inspect(),
                inspect(&Value::from(new)),
                location_suffix(existing)
            )));
        }
        match key.as_slice() {
            [Value::String(title)] => {
                self.by_title.insert((class, title.clone()), number);
                self.resources[number].aliases.push(title.clone());
            }
            _ => {
                self.by_key.insert((class, key), number);
            }
        }
        Ok(())
    }

    /// Adds a containment edge.
    pub fn add_edge(&mut self, container: ResourceId, contained: ResourceId) {
        let known = self.edge(container, contained);
        let (Some(containers), Some(contents)) =
            (self.contained_in.get_mut(contained), self.contains.get_mut(container))
        else {
            return;
        };
        match known.and_then(|at| containers.get_mut(at)) {
            Some((_, count)) => *count += 1,
            None => {
                if containers.len() >= FEW {
                    self.further_containers.insert((container, contained), containers.len());
                }
                containers.push((container, 1));
                contents.push(contained);
            }
        }
    }

    /// The position of a container among those of a resource.
    fn edge(&self, container: ResourceId, contained: ResourceId) -> Option<usize> {
        let containers = self.contained_in.get(contained)?;
        let first = containers.iter().take(FEW).position(|(known, _)| *known == container);
        first.or_else(|| {
            let further =
                (containers.len() > FEW).then(|| self.further_containers.get(&(container, contained)));
            further.flatten().copied()
        })
    }

    /// Adds the tags of one resource to another one.
    pub fn hand_down_tags(&mut self, from: ResourceId, to: ResourceId) {
        let Some(mut tags) = self.resources.get_mut(from).map(|from| std::mem::take(&mut from.tags)) else {
            return;
        };
        if let Some(to) = self.resources.get_mut(to) {
            // Tags are added only: those that were there the last time are in both.
            let (container, known) = to.handed_down;
            let known = if container == from { known } else { 0 };
            to.tags.inherit(&mut tags, known);
            to.handed_down = (from, tags.len());
        }
        if let Some(from) = self.resources.get_mut(from) {
            from.tags = tags;
        }
    }

    /// Whether the containment edge exists.
    pub fn has_edge(&self, container: ResourceId, contained: ResourceId) -> bool {
        self.edge(container, contained).is_some()
    }

    /// Adds classes to the list and to the tags.
    ///
    /// # Errors
    /// A name is not a valid tag.
    pub fn add_class(&mut self, name: &Str) -> Result<(), Error> {
        self.classes.push(name.clone());
        self.tags.add(name)
    }

    /// Whether a source is a descendant of another one, or may override anything.
    pub fn may_override(&self, source: &Source) -> bool {
        self.overriding.contains(source)
    }
}

/// Another name for a resource.
enum Alias {
    /// The value of the metaparameter `alias`.
    Given(Value),
    /// The values of the key parameters.
    Key(Vec<Value>),
}

impl Alias {
    fn inspect(&self) -> String {
        match self {
            Self::Given(value) => inspect(value),
            Self::Key(values) => inspect(&Value::from(values.clone())),
        }
    }
}

fn location_suffix(resource: &WorkingResource) -> String {
    let place = location_text(resource.file.as_deref(), resource.line);
    if place.is_empty() { place } else { format!(" {place}") }
}
