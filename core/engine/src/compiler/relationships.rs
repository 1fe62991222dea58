//! Arrows become `before` and `notify` of their sources when the compilation ends; on request, cycles of
//! dependencies are then an error.
//!
//! Follows the reference's `parser/relationship.rb`.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::resource::{Parameter, ResourceId};
use super::resources::Resources;
use super::{Compilation, flatten_into, reference_text};
use crate::catalog::cycles::{Cycles, Dependencies};
use crate::catalog::resource_types::{RELATIONSHIPS, comes_first};
use crate::catalog::{Catalog, Resource, ResourceKind};
use crate::eval::limits::Usage;
use crate::eval::{Origin, RelationshipKind};
use bunraku_pcore::fuel::Fuel as _;
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_pcore::value::{List, Str, Value};
use bunraku_syntax::case::downcase;
use bunraku_syntax::diagnostic::{Error, ErrorKind};
use bunraku_syntax::source::Location;

/// One end of an arrow.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// A canonical reference.
    Reference(Type),
    /// The resources of a collector.
    Collector(usize),
}

/// A source of an arrow when the compilation ends.
struct SourceText {
    reference: Str,
    /// The text in failures: the alternative of an empty collector is shown as a type.
    told: Str,
}

/// An arrow: from each source to each target.
#[derive(Clone, Debug)]
pub(super) struct Relationship {
    pub sources: Vec<End>,
    pub targets: Vec<End>,
    pub kind: RelationshipKind,
    /// The place of the arrow, if origins are recorded.
    pub origin: Option<Arc<Origin>>,
}

/// A canonical reference as its type is written.
fn type_text(of: &Type) -> Str {
    match of.kind() {
        TypeKind::Resource { type_name: Some(class), title: Some(name), .. } if class == "Class" => {
            Type::from(TypeKind::Class(Some(downcase(name).into()))).to_string().into()
        }
        _ => of.to_string().into(),
    }
}

impl Compilation<'_> {
    /// Converts all arrows to parameters.
    ///
    /// # Errors
    /// An end of an arrow is not in the catalog, or a limit is exceeded: two collectors make as many
    /// relationships as the product of their resources.
    pub(super) fn evaluate_relationships(&self, usage: &Usage<'_>) -> Result<(), Error> {
        let relationships = std::mem::take(&mut self.state.borrow_mut().relationships);
        let mut additions = Additions::default();
        for relationship in &relationships {
            let mut targets: Vec<Str> = Vec::with_capacity(relationship.targets.len());
            for target in &relationship.targets {
                match target {
                    End::Reference(of) => targets.extend(reference_text(of)),
                    End::Collector(id) => targets.extend(self.collected_by(*id)),
                }
            }
            let Some(first) = targets.first() else { continue };
            let values: Rc<Vec<Value>> = Rc::new(targets.iter().cloned().map(Value::String).collect());
            let mut are_known = false;
            for source in relationship.sources.iter().flat_map(|end| self.sources_of(end)) {
                usage.charge(targets.len() as u64)?;
                let SourceText { reference, told } = &source;
                let Some(number) = self.find_by_reference(reference)? else {
                    self.expect_ends(relationship, usage)?;
                    let message = format!("Could not find resource '{told}' for relationship on '{first}'");
                    return Err(Error::argument(message));
                };
                if !std::mem::replace(&mut are_known, true) && !self.has_all(&targets)? {
                    self.expect_ends(relationship, usage)?;
                }
                let mut state = self.state.borrow_mut();
                additions.add(&mut state.resources, number, relationship, &values, usage)?;
            }
        }
        additions.settle(&mut self.state.borrow_mut().resources);
        Ok(())
    }

    fn has_all(&self, references: &[Str]) -> Result<bool, Error> {
        for reference in references {
            if self.find_by_reference(reference)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Fails for the first end of an arrow that is not in the catalog: each written source is asked with each
    /// written target, and of a collector all that it stands for.
    fn expect_ends(&self, relationship: &Relationship, usage: &Usage<'_>) -> Result<(), Error> {
        for source in &relationship.sources {
            let sources = self.sources_of(source);
            for target in &relationship.targets {
                let targets = match target {
                    End::Reference(of) => reference_text(of).into_iter().collect(),
                    End::Collector(id) => self.collected_by(*id),
                };
                let Some(first) = targets.first() else { continue };
                usage.charge((sources.len() + targets.len()) as u64)?;
                for SourceText { reference, told } in &sources {
                    if self.find_by_reference(reference)?.is_none() {
                        let message =
                            format!("Could not find resource '{told}' for relationship on '{first}'");
                        return Err(Error::argument(message));
                    }
                    for target in &targets {
                        if self.find_by_reference(target)?.is_none() {
                            let message =
                                format!("Could not find resource '{target}' for relationship from '{told}'");
                            return Err(Error::argument(message));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn collected_by(&self, id: usize) -> Vec<Str> {
        let state = self.state.borrow();
        let collection = state.collections.get(id).and_then(Option::as_ref);
        collection.map(|collection| collection.collected.keys().cloned().collect()).unwrap_or_default()
    }

    /// The references of an end as a source; an empty collector is replaced by its alternative.
    fn sources_of(&self, end: &End) -> Vec<SourceText> {
        let plain = |reference: Str| SourceText { told: reference.clone(), reference };
        let mut end = end.clone();
        loop {
            let id = match &end {
                End::Reference(of) => return reference_text(of).map(plain).into_iter().collect(),
                End::Collector(id) => *id,
            };
            let collected = self.collected_by(id);
            if !collected.is_empty() {
                return collected.into_iter().map(plain).collect();
            }
            let state = self.state.borrow();
            let collection = state.collections.get(id).and_then(Option::as_ref);
            let alternative = collection.and_then(|collection| collection.empty_alternative.clone());
            drop(state);
            match alternative.as_deref() {
                None | Some([]) => return Vec::new(),
                Some([End::Collector(other)]) if *other != id => end = End::Collector(*other),
                Some(ends) => {
                    let references = ends.iter().filter_map(|end| match end {
                        End::Reference(of) => {
                            Some(SourceText { reference: reference_text(of)?, told: type_text(of) })
                        }
                        End::Collector(_) => None,
                    });
                    return references.collect();
                }
            }
        }
    }
}

/// The number of visited resources in a step.
const RESOURCES_IN_STEP: u64 = 16;

/// The additions of arrows to parameters, until all are known: each list is made once, however many arrows
/// add to it.
#[derive(Default)]
struct Additions {
    all: Vec<Addition>,
    /// The addition to a parameter of a resource.
    of: FxHashMap<(ResourceId, RelationshipKind), usize>,
    /// The resources whose parameters are one list, by its address, for each kind that was asked for.
    sharing: FxHashMap<RelationshipKind, FxHashMap<usize, Vec<ResourceId>>>,
    /// The origins of parameters, if they are recorded.
    origins: FxHashMap<(ResourceId, RelationshipKind), Vec<Arc<Origin>>>,
}

/// The additions to one list.
struct Addition {
    kind: RelationshipKind,
    /// The resources that have the list.
    holders: Vec<ResourceId>,
    /// The existing value.
    present: Value,
    added: SmallVec<[Rc<Vec<Value>>; 1]>,
}

const fn parameter_name(kind: RelationshipKind) -> &'static str {
    match kind {
        RelationshipKind::Before => "before",
        RelationshipKind::Notify => "notify",
    }
}

fn address(list: &Arc<List>) -> usize {
    Arc::as_ptr(list) as usize
}

impl Additions {
    /// Adds the targets of an arrow to a resource's parameter.
    fn add(
        &mut self,
        resources: &mut Resources,
        number: ResourceId,
        relationship: &Relationship,
        targets: &Rc<Vec<Value>>,
        usage: &Usage<'_>,
    ) -> Result<(), Error> {
        let kind = relationship.kind;
        if let Some(origin) = &relationship.origin {
            let origins = self.origins.entry((number, kind)).or_default();
            origins.extend(std::iter::repeat_n(Arc::clone(origin), targets.len()));
        }
        let at = match self.of.get(&(number, kind)) {
            Some(&at) => at,
            None => self.begin(resources, number, kind, usage)?,
        };
        if let Some(addition) = self.all.get_mut(at) {
            addition.added.push(Rc::clone(targets));
        }
        Ok(())
    }

    /// Begins an addition to a parameter that none was made to.
    fn begin(
        &mut self,
        resources: &mut Resources,
        number: ResourceId,
        kind: RelationshipKind,
        usage: &Usage<'_>,
    ) -> Result<usize, Error> {
        let name = parameter_name(kind);
        let present = resources.get(number).map(|resource| resource.get(name)).unwrap_or_default();
        // The list is copied for the additions.
        usage.charge_value(&present).map_err(|error| *error)?;
        let mut holders = vec![number];
        match &present {
            // The reference adds to the list itself, which all titles of one declaration (and all that got
            // one default) share.
            Value::Array(list) if Arc::strong_count(list) > 2 => {
                usage.charge(resources.len() as u64 / RESOURCES_IN_STEP)?;
                let sharing = self.sharing.entry(kind).or_insert_with(|| sharing_of(resources, name));
                holders = sharing.get(&address(list)).cloned().unwrap_or(holders);
            }
            _ => {}
        }
        if let Some(resource) = resources.get_mut(number)
            && !resource.parameters.contains_key(name)
        {
            // Its place among the parameters is where the first arrow adds to it.
            let source = resource.source.clone();
            resource.set(Parameter::new(name, Value::Undef, source))?;
        }
        let at = self.all.len();
        self.of.extend(holders.iter().map(|&holder| ((holder, kind), at)));
        self.all.push(Addition { kind, holders, present, added: SmallVec::new() });
        Ok(at)
    }

    /// Gives the parameters their values. Those that have got the same targets, and had nothing, share a
    /// list.
    fn settle(mut self, resources: &mut Resources) {
        let mut alike: FxHashMap<*const Vec<Value>, Value> = FxHashMap::default();
        for Addition { kind, holders, present, added } in self.all {
            let list = || {
                let mut list = match &present {
                    Value::Array(values) => values.to_vec(),
                    Value::Undef => Vec::new(),
                    one => vec![one.clone()],
                };
                added.iter().for_each(|targets| list.extend_from_slice(targets));
                Value::from(list)
            };
            let changed = match (&present, added.as_slice()) {
                (Value::Undef, [only]) => alike.entry(Rc::as_ptr(only)).or_insert_with(list).clone(),
                _ => list(),
            };
            for number in holders {
                let Some(resource) = resources.get_mut(number) else { continue };
                resource.is_checked &= resource.has_common_metaparameters;
                let source = resource.source.clone();
                let Some(parameter) = resource.parameters.get_mut(parameter_name(kind)) else { continue };
                if !matches!(present, Value::Array(_)) {
                    // The reference sets a new parameter to the list, without a place.
                    let origin = parameter.origin.take();
                    let without_place = Parameter::new(parameter.name.clone(), Value::Undef, source);
                    *parameter = Parameter { origin, ..without_place };
                }
                parameter.value = changed.clone();
                if let Some(mut origins) = self.origins.remove(&(number, kind)) {
                    let first = parameter.origin.take().unwrap_or_else(|| origins.remove(0));
                    parameter.origin = Some(Origin::of_appended(first, origins));
                }
            }
        }
    }
}

/// The resources that have the same list as a parameter, by its address.
fn sharing_of(resources: &Resources, name: &str) -> FxHashMap<usize, Vec<ResourceId>> {
    let mut sharing: FxHashMap<usize, Vec<ResourceId>> = FxHashMap::default();
    for (number, resource) in resources.iter().enumerate() {
        if let Some(Value::Array(list)) = resource.parameters.get(name).map(|parameter| &parameter.value) {
            sharing.entry(address(list)).or_default().push(number);
        }
    }
    sharing
}

/// The references in a value, for the check that the catalog contains them. Types in a former secret have not
/// become references; their text is that of types.
pub(super) fn texts_of_references(value: &Value, is_secret: bool) -> Vec<String> {
    let mut values = Vec::new();
    flatten_into(value, &mut values);
    let text = |value: &Value| match value {
        Value::Type(of) if is_secret => of.to_string(),
        value => super::text_of(value),
    };
    values.iter().filter(|value| !value.is_undef()).map(text).collect()
}

/// Searches for dependency cycles in a finished catalog.
///
/// # Errors
/// There are cycles: they are reported in the words of an agent, at the place of a resource in the first one;
/// or a limit is exceeded.
pub(super) fn fail_on_cycles(catalog: &Catalog, usage: &Usage<'_>) -> Result<(), Error> {
    let is_container = |resource: &Resource| {
        resource.kind != ResourceKind::CompilableType || matches!(&*resource.type_name, "Stage" | "Class")
    };
    let mut dependencies = Dependencies::default();
    for resource in &catalog.resources {
        dependencies.add(resource.reference(), is_container(resource));
    }
    usage.charge((catalog.resources.len() + catalog.edges.len()) as u64)?;
    for edge in &catalog.edges {
        dependencies.contain(edge.source, edge.target);
    }
    for (number, resource) in
        catalog.resources.iter().enumerate().filter(|(_, resource)| !resource.is_virtual)
    {
        for &name in RELATIONSHIPS {
            let Some(value) = resource.parameters.get(name) else { continue };
            let is_secret = resource.sensitive_parameters.iter().any(|secret| &**secret == name);
            for other in texts_of_references(value, is_secret) {
                usage.charge(1)?;
                match catalog.number_of(&other) {
                    Some(other) if comes_first(name) => dependencies.order(number, other),
                    Some(other) => dependencies.order(other, number),
                    None => {}
                }
            }
        }
    }
    let cycles = Cycles::of(&dependencies, usage)?;
    let Some(message) = cycles.message() else { return Ok(()) };
    let first = cycles.all.first().and_then(|cycle| catalog.resource(cycle.resources.first()?));
    let place =
        |resource: &Resource| Location { file: resource.file.clone(), line: resource.line, column: None };
    let location = first.map(place).unwrap_or_default();
    Err(Error { kind: ErrorKind::Puppet, location, ..Error::plain(message) })
}
