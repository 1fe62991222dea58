//! Arrows become `before` and `notify` of their sources when the compilation ends; on request, cycles of
//! dependencies are then an error.
//!
//! Follows the reference's `parser/relationship.rb`.

use std::sync::Arc;

use super::resource::Parameter;
use super::{Compilation, flatten_into, reference_text};
use crate::catalog::cycles::{Cycles, Dependencies};
use crate::catalog::resource_types::{RELATIONSHIPS, comes_first};
use crate::catalog::{Catalog, Resource, ResourceKind};
use crate::eval::limits::Usage;
use crate::eval::{Origin, RelationshipKind};
use bunraku_pcore::fuel::Fuel as _;
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_pcore::value::{Str, Value};
use bunraku_syntax::diagnostic::{Error, ErrorKind};
use bunraku_syntax::source::Location;

/// One end of an arrow.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// A canonical reference.
    Reference(Type),
    /// What a collector has collected.
    Collector(usize),
}

/// A source of an arrow when the compilation ends.
struct SourceText {
    reference: Str,
    /// How failures tell it: the alternative of an empty collector is told as a type.
    told: Str,
}

/// An arrow.
#[derive(Clone, Debug)]
pub(super) struct Relationship {
    pub source: End,
    pub target: End,
    pub kind: RelationshipKind,
    /// Where the arrow stands, when origins are recorded.
    pub origin: Option<Arc<Origin>>,
}

/// A canonical reference as its type is written.
fn type_text(of: &Type) -> Str {
    match of.kind() {
        TypeKind::Resource { type_name: Some(class), title: Some(name), .. } if class == "Class" => {
            Type::from(TypeKind::Class(Some(name.to_lowercase()))).to_string().into()
        }
        _ => of.to_string().into(),
    }
}

impl Compilation<'_> {
    /// Turns all arrows into parameters.
    ///
    /// # Errors
    /// An end of an arrow is not in the catalog, or a limit is reached: two collectors make as many
    /// relationships as the product of what they collect.
    pub(super) fn evaluate_relationships(&self, usage: &Usage<'_>) -> Result<(), Error> {
        let relationships = std::mem::take(&mut self.state.borrow_mut().relationships);
        for relationship in &relationships {
            let targets = match &relationship.target {
                End::Reference(of) => reference_text(of).into_iter().collect(),
                End::Collector(id) => self.collected_by(*id),
            };
            for source in self.sources_of(&relationship.source) {
                for target in &targets {
                    usage.charge(1)?;
                    self.make_relationship(&source, target, relationship, usage)?;
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

    /// The references that an end stands for as a source; an empty collector is replaced by its alternative.
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

    fn make_relationship(
        &self,
        source: &SourceText,
        target: &str,
        relationship: &Relationship,
        usage: &Usage<'_>,
    ) -> Result<(), Error> {
        let SourceText { reference, told } = source;
        let Some(number) = self.find_by_reference(reference)? else {
            let message = format!("Could not find resource '{told}' for relationship on '{target}'");
            return Err(Error::argument(message));
        };
        if self.find_by_reference(target)?.is_none() {
            let message = format!("Could not find resource '{target}' for relationship from '{told}'");
            return Err(Error::argument(message));
        }
        let name: Str = match relationship.kind {
            RelationshipKind::Before => "before".into(),
            RelationshipKind::Notify => "notify".into(),
        };
        let mut state = self.state.borrow_mut();
        let Some(resource) = state.resources.get_mut(number) else { return Ok(()) };
        let present = resource.get(&name);
        // The list is copied for what it gets.
        usage.charge_value(&present).map_err(|error| *error)?;
        let mut values = match &present {
            Value::Array(values) => values.to_vec(),
            Value::Undef => Vec::new(),
            one => vec![one.clone()],
        };
        values.push(Value::from(target));
        let changed = Value::from(values);
        match resource.parameters.get_mut(&name) {
            Some(parameter) => {
                parameter.value = changed.clone();
                let origin = relationship.origin.clone();
                parameter.origin = origin.map(|origin| origin.appended_to(parameter.origin.take()));
            }
            None => {
                let (source, origin) = (resource.source.clone(), relationship.origin.clone());
                let parameter = Parameter::new(name.clone(), changed.clone(), source);
                resource.set(Parameter { origin, ..parameter })?;
            }
        }
        // The reference adds to the list itself, which all titles of one declaration (and all that got one
        // default) share.
        if let Value::Array(list) = &present
            && Arc::strong_count(list) > 1
        {
            usage.charge(state.resources.len() as u64 / RESOURCES_IN_STEP)?;
            for resource in &mut state.resources {
                if let Some(parameter) = resource.parameters.get_mut(&name)
                    && parameter.value.is_same(&present)
                {
                    parameter.value = changed.clone();
                }
            }
        }
        Ok(())
    }
}

/// How many resources that are only looked at count as a step.
const RESOURCES_IN_STEP: u64 = 16;

/// The references in a value, for the check that they are in the catalog. Types in what was a secret have not
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

/// Looks for cycles of dependencies in a finished catalog.
///
/// # Errors
/// There are some: they are told as an agent tells of them, at the place of a resource in the first one; or a
/// limit is reached.
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
