//! Records the origins of values and the causes of resources during a compilation.
//!
//! This is only active with [`CompileOptions::provenance`](super::CompileOptions). The origin of a parameter
//! is stored with its value in the resource in progress; causes are stored by the number of the resource.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::resource::{Parameter, ResourceId, WorkingResource};
use super::{Compilation, text_of};
use crate::catalog::Resource;
use crate::catalog::provenance::{Cause, How, ResourceProvenance};
use crate::eval::provenance::CallNode;
use crate::eval::{Evaluator, Origin, OriginKind, Recorder, Scope};
use crate::hiera::{ExplainOptions, Explanation, Finding, FoundPlace};
use crate::loader::Definition;
use bunraku_pcore::value::{Str, Value, lower_case};
use bunraku_syntax::ast::NodeId;
use bunraku_syntax::source::Location;

/// The records of a compilation.
#[derive(Debug, Default)]
pub(super) struct Recording {
    /// The origins of variables.
    pub values: Recorder,
    causes: RefCell<Vec<ResourceProvenance>>,
}

impl Compilation<'_> {
    /// A cause in the code of a scope; none when nothing is recorded. A place without a column is that of a
    /// call.
    pub(super) fn cause(&self, how: How, scope: &Scope, location: &Location) -> Option<Cause> {
        let recording = self.recording.as_ref()?;
        let location = match location.column {
            Some(_) => location.clone(),
            None => recording.values.call_location(location),
        };
        Some(Cause { how, location, by: Some(scope.reference.borrow().clone()), detail: None })
    }

    /// The name of the function that was called last.
    pub(super) fn calling(&self) -> Option<Str> {
        self.recording.as_ref()?.values.call()?.name()
    }

    /// The call that was made last.
    pub(super) fn last_call(&self) -> Option<CallNode> {
        self.recording.as_ref()?.values.call()
    }

    /// A cause without a place in a manifest; `None` if nothing is recorded.
    pub(super) fn outer_cause(&self, how: How) -> Option<Cause> {
        self.recording.as_ref()?;
        Some(Cause { how, location: Location::default(), by: None, detail: None })
    }

    /// Notes what brings a resource in, or would have.
    pub(super) fn note_cause(&self, number: ResourceId, cause: Option<Cause>) {
        self.note(number, cause, |known| &mut known.causes);
    }

    /// Notes what makes a virtual resource real.
    pub(super) fn note_realized(&self, number: ResourceId, cause: Option<Cause>) {
        self.note(number, cause, |known| &mut known.realized);
    }

    fn note(
        &self,
        number: ResourceId,
        cause: Option<Cause>,
        list: impl FnOnce(&mut ResourceProvenance) -> &mut Vec<Cause>,
    ) {
        let (Some(recording), Some(cause)) = (&self.recording, cause) else { return };
        let mut causes = recording.causes.borrow_mut();
        if causes.len() <= number {
            causes.resize_with(number + 1, ResourceProvenance::default);
        }
        if let Some(known) = causes.get_mut(number) {
            let list = list(known);
            if !list.contains(&cause) {
                list.push(cause);
            }
        }
    }

    /// An origin without more than its kind, when origins are recorded.
    pub(super) fn origin(&self, kind: OriginKind, key: Option<&str>) -> Option<Arc<Origin>> {
        self.recording.as_ref()?;
        let key = key.map(Str::from);
        Some(Arc::new(Origin { key, ..Origin::new(kind, Location::default()) }))
    }

    /// An origin at a place, when origins are recorded.
    pub(super) fn origin_at(&self, kind: OriginKind, location: &Location) -> Option<Arc<Origin>> {
        self.recording.as_ref()?;
        Some(Arc::new(Origin::new(kind, location.clone())))
    }

    /// The origin of a default of a parameter, when origins are recorded.
    pub(super) fn origin_of_default(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        definition: &Definition,
        parameter: NodeId,
        default: NodeId,
    ) -> Option<Arc<Origin>> {
        let recording = self.recording.as_ref()?;
        let sources = recording.values.sources_in(evaluator, scope, &definition.program, default);
        let location = definition.program.location(parameter);
        Some(Arc::new(Origin { sources, ..Origin::new(OriginKind::Default, location) }))
    }

    /// Notes from where a variable has its value.
    pub(super) fn note_variable(
        &self,
        scope: &Rc<Scope>,
        name: &str,
        value: &Value,
        origin: Option<Arc<Origin>>,
    ) {
        if let (Some(recording), Some(origin)) = (&self.recording, origin) {
            recording.values.bind(scope, name, value, origin);
        }
    }

    /// The origin of a parameter of a resource.
    pub(super) fn origin_of(&self, number: ResourceId, name: &str) -> Option<Arc<Origin>> {
        self.recording.as_ref()?;
        self.state.borrow().resources.get(number)?.parameters.get(name)?.origin.clone()
    }

    /// An explanation for a lookup whose places are wanted.
    pub(super) fn tracing(&self) -> Option<Rc<Explanation>> {
        self.recording.as_ref()?;
        let options = ExplainOptions { only_places: true, ..ExplainOptions::default() };
        Some(Rc::new(Explanation::new(options)))
    }

    /// The origin of a value that a lookup has found.
    pub(super) fn origin_of_lookup(&self, explanation: &Explanation) -> Option<Arc<Origin>> {
        Some(self.origin_of_finding(&explanation.finding()?))
    }

    fn origin_of_finding(&self, finding: &Finding) -> Arc<Origin> {
        let place = |place: &FoundPlace| {
            let check = || self.loaded.check(&*self.environment.host);
            let at = place
                .file
                .as_deref()
                .and_then(|file| self.data.key_place(self.environment, file, &place.key, &check));
            Origin {
                layer: Some(place.layer),
                level: Some(place.level.as_str().into()),
                key: Some(finding.key.as_str().into()),
                ..Origin::new(
                    OriginKind::Hiera,
                    Location {
                        file: place.file.as_deref().map(Arc::from),
                        line: at.map(|(line, _)| line),
                        column: at.map(|(_, column)| column),
                    },
                )
            }
        };
        let places: Vec<Origin> = finding.places.iter().map(place).collect();
        let mut origin =
            places.first().cloned().unwrap_or_else(|| Origin::new(OriginKind::Hiera, Location::default()));
        if let Some(merge) = finding.merge {
            origin.merge = Some(merge.into());
            origin.parts = places.into_iter().map(Arc::new).collect();
        }
        let interpolated = finding.interpolated.iter();
        origin.sources = interpolated
            .map(|inner| (Str::from(format!("%{{lookup('{}')}}", inner.key)), self.origin_of_finding(inner)))
            .collect();
        Arc::new(origin)
    }

    /// Records the result of a `lookup` call.
    pub(super) fn note_lookup(&self, call: Option<CallNode>, names: &[Str], explanation: &Explanation) {
        if let (Some(recording), Some(call), Some(origin)) =
            (&self.recording, call, self.origin_of_lookup(explanation))
        {
            let key = origin.key.clone().or_else(|| names.first().cloned()).unwrap_or_default();
            recording.values.looked_up(&call, format!("lookup('{key}')").into(), origin);
        }
    }

    /// The origins of metaparameters that a container hands down.
    pub(super) fn handed_down<'n>(
        &self,
        container: ResourceId,
        names: impl Iterator<Item = &'n Str>,
    ) -> FxHashMap<Str, Arc<Origin>> {
        if self.recording.is_none() {
            return FxHashMap::default();
        }
        let reference = self.state.borrow().resources.get(container).map(WorkingResource::reference);
        let origin = |name: &Str| {
            let own = self.origin_of(container, name);
            Origin {
                key: reference.as_deref().map(Str::from),
                sources: own.map(|own| (name.clone(), own)).into_iter().collect(),
                ..Origin::new(OriginKind::Container, Location::default())
            }
        };
        names.map(|name| (name.clone(), Arc::new(origin(name)))).collect()
    }

    /// The recorded data of a resource that leaves the compiler.
    pub(super) fn provenance_of(
        &self,
        number: ResourceId,
        working: &WorkingResource,
        resource: &Resource,
    ) -> Option<ResourceProvenance> {
        let recording = self.recording.as_ref()?;
        let mut known = recording.causes.borrow().get(number).cloned().unwrap_or_default();
        // The last value set under a name counts.
        let set = working.parameters.values().filter(|parameter| !parameter.value.is_undef());
        let set: FxHashMap<Str, &Parameter> = set
            .map(|parameter| match lower_case(&parameter.name) {
                name if name == "name" => (resource.namevar.clone(), parameter),
                name => (name, parameter),
            })
            .collect();
        for name in resource.parameters.keys() {
            let origin = match set.get(name) {
                Some(parameter) => parameter.origin.clone(),
                None => Some(Arc::new(Origin::new(OriginKind::Title, working.location()))),
            };
            if let Some(origin) = origin {
                known.parameters.insert(name.clone(), origin);
            }
        }
        Some(known)
    }

    /// Records the variables of the top scope: the classifier's parameters, facts, and server facts.
    pub(super) fn note_node_variables(&self) {
        if self.recording.is_none() {
            return;
        }
        let note = |name: &str, kind| {
            if let Some(value) = self.top.own(name) {
                self.note_variable(&self.top, name, &value, self.origin(kind, Some(name)));
            }
        };
        let server_facts = self.node.server_facts.iter().flatten();
        let names = [("server_facts", OriginKind::ServerFact), ("environment", OriginKind::ServerFact)];
        server_facts.for_each(|(name, _)| note(&text_of(name), OriginKind::ServerFact));
        self.facts.iter().for_each(|(name, _)| note(&text_of(name), OriginKind::Fact));
        self.node.parameters.iter().for_each(|(name, _)| note(&text_of(name), OriginKind::Enc));
        names.into_iter().for_each(|(name, kind)| note(name, kind));
        note("facts", OriginKind::Fact);
        note("trusted", OriginKind::Trusted);
    }
}
