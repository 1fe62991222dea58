//! Collectors: they realize virtual resources, fetch exported ones, and override the resources that they
//! find.
//!
//! Follows the reference's `pops/evaluator/collectors/*.rb` and the matching of `collector_transformer.rb`.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::relationships::End;
use super::resource::{Parameter, ResourceId, Source, TypeOf, WorkingResource};
use super::state::Override;
use super::{Compilation, text_of};
use crate::catalog::provenance::{Cause, How};
use crate::catalog::reference::capitalize_segments;
use crate::eval::context::Collector;
use crate::eval::{Evaluated, Evaluator, OriginKind, Query, Scope};
use bunraku_host::{ExportedQuery, ExportedResource};
use bunraku_pcore::pairs::hash_of;
use bunraku_pcore::value::{Str, Value};
use bunraku_syntax::case::downcase;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::source::Location;

/// A collector in its compilation.
#[derive(Clone, Debug)]
pub(super) struct Collection {
    pub wanted: Wanted,
    /// The collected resources.
    pub collected: IndexMap<Str, ResourceId, FxBuildHasher>,
    /// Their numbers: most are found again each time that collectors collect.
    pub known: FxHashSet<ResourceId>,
    /// The replacement for it on the left of an arrow if it collects nothing.
    pub empty_alternative: Option<Vec<End>>,
    /// The place, if causes are recorded.
    pub cause: Option<Cause>,
}

/// The selection of a collector.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    /// Resources of a type that fit a query.
    Matching(Rc<Matching>),
    /// Given resources: `realize`. Those that are not found yet.
    Fixed(Vec<String>),
}

/// A collector with a query.
#[derive(Debug)]
pub(super) struct Matching {
    pub type_name: Str,
    pub exported: bool,
    pub query: Option<Query>,
    pub overrides: Option<Vec<Parameter>>,
    pub file: Option<Arc<str>>,
    pub line: Option<u32>,
    pub scope: Rc<Scope>,
}

/// A tag to search for, in lower case.
struct Tag<'v> {
    name: Cow<'v, str>,
    hash: u64,
}

impl<'v> Tag<'v> {
    fn new(value: &'v Value) -> Self {
        let is_lower = |text: &&str| text.is_ascii() && !text.bytes().any(|byte| byte.is_ascii_uppercase());
        let name = match value.as_str().filter(is_lower) {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(downcase(&text_of(value))),
        };
        Self { hash: hash_of(&*name), name }
    }
}

/// A query in the form in which all candidates are compared with it.
enum Condition<'q> {
    And([Box<Self>; 2]),
    Or([Box<Self>; 2]),
    /// One of these tags.
    Tagged(SmallVec<[Tag<'q>; 2]>),
    Equal(&'q str, &'q Value),
    NotEqual(&'q str, &'q Value),
}

impl<'q> Condition<'q> {
    fn of(query: &'q Query) -> Self {
        let both = |left: &'q Query, right: &'q Query| [left, right].map(|one| Box::new(Self::of(one)));
        match query {
            Query::And(left, right) => Self::And(both(left, right)),
            Query::Or(left, right) => Self::Or(both(left, right)),
            Query::Equal(name, value) if name == "tag" => Self::Tagged(match value {
                Value::Array(values) => values.iter().map(Tag::new).collect(),
                one => smallvec![Tag::new(one)],
            }),
            Query::Equal(name, value) => Self::Equal(name, value),
            Query::NotEqual(name, value) => Self::NotEqual(name, value),
        }
    }
}

impl Collection {
    /// A collector for a selection, which has not collected anything yet.
    pub fn new(wanted: Wanted) -> Self {
        Self {
            wanted,
            collected: IndexMap::default(),
            known: FxHashSet::default(),
            empty_alternative: None,
            cause: None,
        }
    }
}

impl Compilation<'_> {
    /// Makes a collector of a collect expression.
    pub(super) fn matching(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        collector: Collector,
    ) -> Evaluated<Matching> {
        let type_name = collector.type_name.to_lowercase();
        if type_name == "class" {
            return Err(Error::internal("Classes cannot be collected").into());
        }
        if self.find_resource_type(evaluator, &type_name)?.is_none() {
            return Err(Error::argument(format!("Resource type {type_name} doesn't exist")).into());
        }
        let mut overrides = Vec::new();
        for operation in &collector.operations {
            let value = self.convert(evaluator, &operation.value)?;
            overrides.push(Parameter { value, ..operation.clone() });
        }
        let query = match collector.query {
            Some(query) => Some(self.convert_query(evaluator, query)?),
            None => None,
        };
        Ok(Matching {
            type_name: capitalize_segments(&type_name),
            exported: collector.exported,
            query,
            overrides: (!overrides.is_empty()).then_some(overrides),
            file: collector.location.file,
            line: collector.location.line,
            scope: Rc::clone(scope),
        })
    }

    fn convert_query(&self, evaluator: &Evaluator<'_>, query: Query) -> Evaluated<Query> {
        let both = |left: Query, right: Query| -> Evaluated<(Box<Query>, Box<Query>)> {
            let left = self.convert_query(evaluator, left)?;
            Ok((Box::new(left), Box::new(self.convert_query(evaluator, right)?)))
        };
        Ok(match query {
            Query::Equal(name, value) => {
                if name == "tag" {
                    let mut tags = Vec::new();
                    super::resource::flatten_into(&value, &mut tags);
                    if tags.iter().any(|tag| matches!(tag, Value::Integer(_) | Value::Float(_))) {
                        return Err(Error::argument("Cannot transform a number to a tag").into());
                    }
                }
                Query::Equal(name, self.convert(evaluator, &value)?)
            }
            Query::NotEqual(name, value) => Query::NotEqual(name, self.convert(evaluator, &value)?),
            Query::And(left, right) => both(*left, *right).map(|(left, right)| Query::And(left, right))?,
            Query::Or(left, right) => both(*left, *right).map(|(left, right)| Query::Or(left, right))?,
        })
    }

    /// Lets all collectors collect. Whether one has found something new.
    pub(super) fn evaluate_collections(&self, evaluator: &Evaluator<'_>) -> Evaluated<bool> {
        let count = self.state.borrow().collections.len();
        let mut found = false;
        for id in 0..count {
            let wanted = match self.state.borrow().collections.get(id) {
                Some(Some(collection)) => collection.wanted.clone(),
                _ => continue,
            };
            let is_done = matches!(&wanted, Wanted::Fixed(missing) if missing.is_empty());
            if is_done {
                continue;
            }
            found |= match wanted {
                Wanted::Fixed(references) => self.collect_fixed(id, references)?,
                Wanted::Matching(matching) => self.collect_matching(evaluator, id, &matching)?,
            };
        }
        Ok(found)
    }

    fn collect_fixed(&self, id: usize, references: Vec<String>) -> Evaluated<bool> {
        let mut found = Vec::new();
        let mut missing = Vec::new();
        for reference in references {
            match self.find_by_reference(&reference)? {
                Some(number) => found.push(number),
                None => missing.push(reference),
            }
        }
        let any = !found.is_empty();
        self.keep_collected(id, found);
        if let Some(Some(collection)) = self.state.borrow_mut().collections.get_mut(id) {
            collection.wanted = Wanted::Fixed(missing);
        }
        Ok(any)
    }

    /// Makes resources real and remembers them. Whether there were any that the collector did not have.
    fn keep_collected(&self, id: usize, numbers: Vec<ResourceId>) -> bool {
        let mut state = self.state.borrow_mut();
        let mut found = Vec::new();
        let collection = state.collections.get(id).and_then(Option::as_ref);
        let cause = collection.and_then(|collection| collection.cause.clone());
        let is_known = |number: ResourceId| collection.is_some_and(|of| of.known.contains(&number));
        let is_known: Vec<bool> = numbers.iter().map(|&number| is_known(number)).collect();
        for (number, is_known) in numbers.into_iter().zip(is_known) {
            if let Some(resource) = state.resources.get_mut(number) {
                if resource.is_virtual {
                    self.note_realized(number, cause.clone());
                }
                resource.is_virtual = false;
                if !is_known {
                    found.push((resource.reference(), number));
                }
            }
        }
        let Some(Some(collection)) = state.collections.get_mut(id) else { return false };
        let mut is_new = false;
        for (reference, number) in found {
            collection.known.insert(number);
            is_new |= collection.collected.insert(reference, number).is_none();
        }
        is_new
    }

    fn collect_matching(&self, evaluator: &Evaluator<'_>, id: usize, matching: &Matching) -> Evaluated<bool> {
        if matching.exported && !self.environment.settings.storeconfigs {
            return Ok(false);
        }
        let mut numbers = self.matching_resources(evaluator, matching)?;
        if matching.exported {
            numbers.extend(self.fetch_exported(evaluator, matching)?);
        }
        if numbers.is_empty() {
            return Ok(false);
        }
        let mut state = self.state.borrow_mut();
        let cause = state.collections.get(id).and_then(|collection| collection.as_ref()?.cause.clone());
        for &number in &numbers {
            if let Some(resource) = state.resources.get_mut(number) {
                if resource.is_virtual {
                    self.note_realized(number, cause.clone());
                }
                resource.is_virtual = false;
            }
        }
        drop(state);
        if let Some(parameters) = &matching.overrides {
            self.override_collected(id, matching, parameters, &numbers)?;
        }
        Ok(self.keep_collected(id, numbers))
    }

    fn matching_resources(
        &self,
        evaluator: &Evaluator<'_>,
        matching: &Matching,
    ) -> Evaluated<Vec<ResourceId>> {
        let title = matching.query.as_ref().and_then(wanted_title);
        let mut numbers = self.state.borrow_mut().candidates(&matching.type_name, title);
        evaluator.charge_steps(numbers.len()).map_err(|error| {
            let location = Location { file: matching.file.clone(), line: matching.line, column: None };
            Error { location, ..*error }
        })?;
        let state = self.state.borrow();
        let condition = matching.query.as_ref().map(Condition::of);
        numbers.retain(|&number| {
            let fits =
                |resource: &WorkingResource| resource.is_listed && (!matching.exported || resource.exported);
            state.resources.get(number).is_some_and(fits)
                && condition.as_ref().is_none_or(|condition| self.matches(condition, number))
        });
        Ok(numbers)
    }

    /// Whether a resource fits a query.
    fn matches(&self, condition: &Condition<'_>, number: ResourceId) -> bool {
        match condition {
            Condition::And(both) => both.iter().all(|one| self.matches(one, number)),
            Condition::Or(both) => both.iter().any(|one| self.matches(one, number)),
            Condition::Tagged(tags) => self.is_tagged(number, tags),
            Condition::Equal(name, value) => match self.value_of(number, name) {
                list @ Value::Array(_) => super::includes(&list, value),
                one => super::equals(&one, value),
            },
            Condition::NotEqual(name, value) => !super::equals(&self.value_of(number, name), value),
        }
    }

    fn value_of(&self, number: ResourceId, name: &str) -> Value {
        self.state.borrow().resources.get(number).map(|resource| resource.get(name)).unwrap_or_default()
    }

    /// Whether a resource or one of its containers has one of these tags.
    fn is_tagged(&self, number: ResourceId, tags: &[Tag<'_>]) -> bool {
        let state = self.state.borrow();
        let mut at = Some(number);
        while let Some(resource) = at.and_then(|number| state.resources.get(number)) {
            if tags.iter().any(|tag| resource.tags.contains_hashed(tag.hash, &tag.name)) {
                return true;
            }
            let container = resource.scope.resource.get();
            at = container.filter(|&container| Some(container) != at);
        }
        false
    }

    fn override_collected(
        &self,
        id: usize,
        matching: &Matching,
        parameters: &[Parameter],
        numbers: &[ResourceId],
    ) -> Evaluated<()> {
        let source = Source::of(&matching.scope);
        if !self.state.borrow().overriding.contains(&source) {
            self.state.borrow_mut().overriding.push(source.clone());
        }
        for &number in numbers {
            let (reference, type_of, title) = {
                let state = self.state.borrow();
                let Some(resource) = state.resources.get(number) else { continue };
                let collection = state.collections.get(id).and_then(Option::as_ref);
                if collection.is_some_and(|collection| collection.known.contains(&number)) {
                    continue;
                }
                (resource.reference(), resource.type_of.clone(), resource.title.clone())
            };
            let mut carrier = WorkingResource::new(type_of, title, &matching.scope);
            carrier.file = matching.file.clone();
            carrier.line = matching.line;
            carrier.fill(parameters.iter().cloned())?;
            carrier.add_defaults()?;
            self.add_override(Override {
                reference,
                parameters: carrier.parameters,
                source: source.clone(),
                file: matching.file.clone(),
                line: matching.line,
            })?;
        }
        Ok(())
    }

    /// Adds the exported resources of other nodes that fit.
    fn fetch_exported(&self, evaluator: &Evaluator<'_>, matching: &Matching) -> Evaluated<Vec<ResourceId>> {
        let filter = matching.query.as_ref().map_or(Value::Undef, filter_of);
        let query = ExportedQuery { node: &self.node.name, type_name: &matching.type_name, filter: &filter };
        let found = self.environment.host.exported_resources(&query);
        let found = found.map_err(|error| Error::plain(error.to_string()))?;
        let mut numbers = Vec::new();
        for exported in found {
            let fits = |query| exported.is_filtered || exported_matches(query, &exported);
            if !matching.query.as_ref().is_none_or(fits) {
                continue;
            }
            let id = format!("{}|{}|{}", exported.certname, exported.type_name, exported.title);
            if let Some(existing) = self.find_resource(&exported.type_name, &exported.title)? {
                let same =
                    self.state.borrow().resources.get(existing).map(|resource| resource.collector_id.clone());
                if same != Some(Some(id)) {
                    return Err(Error::plain(format!(
                        "A duplicate resource was found while collecting exported resources, with the type and \
                         title {}[{}]",
                        matching.type_name, exported.title
                    ))
                    .into());
                }
                continue;
            }
            let type_of = self.find_resource_type(evaluator, &exported.type_name.to_lowercase())?;
            let type_of = type_of.unwrap_or_else(|| TypeOf::Unknown(exported.type_name.as_str().into()));
            let mut resource = WorkingResource::new(type_of, exported.title.as_str(), &matching.scope);
            let origin = self.origin(OriginKind::Exported, Some(&exported.certname));
            let parameters = exported.parameters.iter().map(|(name, value)| Parameter {
                origin: origin.clone(),
                ..Parameter::new(name.as_str(), value.clone(), Source::Nobody)
            });
            resource.fill(parameters)?;
            resource.add_defaults()?;
            for tag in &exported.kept_tags {
                resource.tags.add(tag)?;
            }
            resource.is_virtual = true;
            resource.collector_id = Some(id);
            let number = self.add_resource(&matching.scope, resource)?;
            let detail = Some(exported.certname.as_str().into());
            self.note_cause(number, self.outer_cause(How::Exported).map(|cause| Cause { detail, ..cause }));
            numbers.push(number);
        }
        Ok(numbers)
    }

    /// References from `realize` that were never declared.
    pub(super) fn unresolved_references(&self) -> Vec<String> {
        let state = self.state.borrow();
        let collections = state.collections.iter().flatten();
        let missing = collections.filter_map(|collection| match &collection.wanted {
            Wanted::Fixed(missing) => Some(missing.clone()),
            Wanted::Matching(_) => None,
        });
        missing.flatten().collect()
    }
}

/// A condition as the reference's terminuses get it.
fn filter_of(query: &Query) -> Value {
    match query {
        Query::And(left, right) => Value::array([filter_of(left), "and".into(), filter_of(right)]),
        Query::Or(left, right) => Value::array([filter_of(left), "or".into(), filter_of(right)]),
        Query::Equal(name, value) => Value::array([name.clone().into(), "==".into(), value.clone()]),
        Query::NotEqual(name, value) => Value::array([name.clone().into(), "!=".into(), value.clone()]),
    }
}

/// Whether an exported resource of another node fits a query.
fn exported_matches(query: &Query, resource: &ExportedResource) -> bool {
    match query {
        Query::And(left, right) => exported_matches(left, resource) && exported_matches(right, resource),
        Query::Or(left, right) => exported_matches(left, resource) || exported_matches(right, resource),
        Query::NotEqual(name, value) => {
            !exported_matches(&Query::Equal(name.clone(), value.clone()), resource)
        }
        Query::Equal(name, value) => {
            let wanted = text_of(value);
            match name.as_str() {
                "tag" => {
                    let mut wanted = Vec::new();
                    super::resource::flatten_into(value, &mut wanted);
                    let has = |wanted: &Value| {
                        resource.tags.iter().any(|tag| tag.eq_ignore_ascii_case(&text_of(wanted)))
                    };
                    wanted.iter().any(has)
                }
                "title" => resource.title == wanted,
                _ => {
                    match resource.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value)
                    {
                        Some(Value::Array(values)) => {
                            values.iter().any(|one| text_of(one) == wanted)
                                || text_of(&Value::Array(values.clone())) == wanted
                        }
                        Some(one) => text_of(one) == wanted,
                        None => wanted.is_empty(),
                    }
                }
            }
        }
    }
}

/// The title that all resources have that fit a query.
fn wanted_title(query: &Query) -> Option<&str> {
    match query {
        Query::Equal(name, Value::String(title)) if name == "title" => Some(title),
        Query::And(left, right) => wanted_title(left).or_else(|| wanted_title(right)),
        _ => None,
    }
}
