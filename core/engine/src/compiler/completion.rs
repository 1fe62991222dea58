//! The end of a compilation: evaluates everything that is pending, and finishes, checks and returns the
//! resources.
//!
//! Follows `Compiler#compile` with what it calls, `Puppet::Parser::Resource#finish`, the catalog validators
//! and `Puppet::Resource::Catalog#to_resource` of the reference.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::resource::{Parameter, ResourceId, TypeOf, WorkingResource, flatten_into};
use super::state::{CompilationState, Override};
use super::{Compilation, inspect, location_text, reference_text, relationships};
use crate::catalog::reference::is_canonical;
use crate::catalog::resource_types::{
    METAPARAMETERS, ResourceType, TitleParts, is_metaparameter, is_relationship,
};
use crate::catalog::{Catalog, Edge, Identity, Provenance, References, Resource, Tags};
use crate::eval::limits::Usage;
use crate::eval::{Evaluated, Evaluator, Unwind};
use crate::loader::Strictness;
use bunraku_host::HostError;
use bunraku_pcore::Named;
use bunraku_pcore::fuel::Fuel as _;
use bunraku_pcore::types::TypeKind;
use bunraku_pcore::value::{List, Str, Value};
use bunraku_syntax::diagnostic::{Error, ErrorKind, issues};
use bunraku_syntax::source::Location;

/// The number of visited resources in a step.
const RESOURCES_IN_STEP: u64 = 64;
/// The number of propagated parameters or tags in a step.
const NAMES_IN_STEP: u64 = 16;

/// The maximum number of rounds of collectors and defined types.
const ROUNDS: usize = 1000;

impl Compilation<'_> {
    /// Evaluates collectors and bodies of defined types until nothing new appears.
    pub(super) fn evaluate_generators(&self, evaluator: &Evaluator<'_>) -> Evaluated<()> {
        for _ in 0..=ROUNDS {
            let looked_at = self.state.borrow().resources.len() as u64;
            evaluator.usage.charge(1 + looked_at / RESOURCES_IN_STEP)?;
            let collected = self.evaluate_collections(evaluator).map_err(wrap_foreign)?;
            let evaluated = self.evaluate_definitions(evaluator)?;
            if !collected && !evaluated {
                return Ok(());
            }
        }
        Err(Error::plain("Somehow looped more than 1000 times while evaluating host catalog").into())
    }

    fn evaluate_definitions(&self, evaluator: &Evaluator<'_>) -> Evaluated<bool> {
        let waiting: Vec<ResourceId> = {
            let state = self.state.borrow();
            let resources = state.resources.iter().enumerate();
            let waits = |resource: &WorkingResource| {
                resource.is_listed && !resource.evaluated && !resource.is_virtual && !resource.is_native()
            };
            resources.filter(|(_, resource)| waits(resource)).map(|(number, _)| number).collect()
        };
        for &number in &waiting {
            self.evaluate_resource(evaluator, number).map_err(|unwind| self.at_resource(number, unwind))?;
        }
        Ok(!waiting.is_empty())
    }

    /// A failure in a body that was evaluated late, as the reference reports it against the resource.
    fn at_resource(&self, number: ResourceId, unwind: Unwind) -> Unwind {
        let (detail, stack) = match unwind {
            Unwind::Break(place) => {
                let detail = "break() from context where this is illegal";
                let error = issues::runtime_error("Object", detail).into_error();
                return Error { location: Location { column: None, ..*place }, ..error }.into();
            }
            other => {
                let mut error = other.into_error();
                error.stack.extend(self.frames_around(number));
                if error.kind.ends_work() {
                    return error.into();
                }
                if (error.kind == ErrorKind::Argument || error.kind.is_crash())
                    && error.location.line.is_none()
                {
                    return wrap_foreign(error.into());
                }
                let stack = std::mem::take(&mut error.stack);
                (error.to_string(), stack)
            }
        };
        let location =
            self.state.borrow().resources.get(number).map(WorkingResource::location).unwrap_or_default();
        let error = issues::runtime_error("Resource Statement", detail).into_error();
        Error { location, stack, ..error }.into()
    }

    /// Merges an override into its resource, or stores it until the resource exists.
    pub(super) fn add_override(&self, given: Override) -> Result<(), Error> {
        match self.find_by_reference(&given.reference)? {
            Some(number) => self.merge(number, given),
            None => {
                let mut state = self.state.borrow_mut();
                state.overrides.entry(given.reference.clone()).or_default().push(given);
                Ok(())
            }
        }
    }

    fn merge(&self, number: ResourceId, given: Override) -> Result<(), Error> {
        let place = || {
            let file = given.file.clone().filter(|file| !file.is_empty());
            Location { file, line: given.line, column: None }
        };
        let (source, evaluated, at) = {
            let state = self.state.borrow();
            let Some(resource) = state.resources.get(number) else { return Ok(()) };
            let at = location_text(resource.file.as_deref(), resource.line);
            (resource.source.clone(), resource.evaluated, at)
        };
        if source != given.source && !self.is_child_of(&given.source, &source) {
            return Err(Error {
                location: place(),
                ..Error::plain("Only subclasses can override parameters")
            });
        }
        if evaluated {
            let defined = if at.is_empty() { String::new() } else { format!(", defined at {at},") };
            let message =
                format!("Attempt to override an already evaluated resource{defined} with new values");
            match self.environment.settings.strict {
                Strictness::Off => {}
                Strictness::Error => return Err(Error { location: place(), ..Error::plain(message) }),
                Strictness::Warning => {
                    let place = location_text(given.file.as_deref(), given.line);
                    let space = if place.is_empty() { "" } else { " " };
                    self.loaded.log.add(super::definitions::warning(format!("{message}{space}{place}")));
                }
            }
        }
        let is_child_of = |source: &_, ancestor: &_| self.is_child_of(source, ancestor);
        for parameter in given.parameters.into_values() {
            // The check whether an override is allowed uses the state, so the resource is taken out of it
            // meanwhile.
            let resource = self.state.borrow().resources.get(number).cloned();
            let Some(mut resource) = resource else { return Ok(()) };
            resource.override_parameter(parameter, &is_child_of)?;
            if let Some(slot) = self.state.borrow_mut().resources.get_mut(number) {
                *slot = resource;
            }
        }
        Ok(())
    }

    /// Relationships, late overrides, tags, secrets, checks, and metaparameters of containers.
    pub(super) fn finish(&self, evaluator: &Evaluator<'_>) -> Evaluated<()> {
        self.evaluate_relationships(&evaluator.usage)?;
        let count = self.state.borrow().resources.len();
        for number in 0..count {
            evaluator.usage.charge(1)?;
            let overrides = {
                let mut state = self.state.borrow_mut();
                let Some(resource) = state.resources.get(number).filter(|resource| resource.is_listed) else {
                    continue;
                };
                if state.overrides.is_empty() {
                    Vec::new()
                } else {
                    let reference = resource.reference();
                    state.overrides.shift_remove(&reference).unwrap_or_default()
                }
            };
            for given in overrides {
                self.merge(number, given)?;
            }
            self.finish_resource(evaluator, number)?;
        }
        self.spread_metaparameters(&evaluator.usage)?;
        Ok(())
    }

    fn finish_resource(&self, evaluator: &Evaluator<'_>, number: ResourceId) -> Evaluated<()> {
        self.add_scope_tags(number);
        let (definition, values) = {
            let mut state = self.state.borrow_mut();
            let Some(resource) = state.resources.get_mut(number) else { return Ok(()) };
            if std::mem::replace(&mut resource.finished, true) {
                return Ok(());
            }
            resource.unwrap_sensitive();
            if resource.is_checked {
                return Ok(());
            }
            let definition = match &resource.type_of {
                TypeOf::Native(of) => return Ok(self.check_names(of, resource)?),
                TypeOf::Class(definition) | TypeOf::Define(definition) | TypeOf::Node(definition, _) => {
                    Arc::clone(definition)
                }
                TypeOf::Main | TypeOf::Settings | TypeOf::Unknown(_) => return Ok(()),
            };
            let again = |name: &Str, value: &Value| {
                if resource.sensitive.contains(name) {
                    Value::sensitive(value.clone())
                } else {
                    value.clone()
                }
            };
            let values = resource.parameters.iter().map(|(name, of)| (name.clone(), again(name, &of.value)));
            let values: Vec<(Str, Value)> = values.collect();
            (definition, values)
        };
        let signature = self.signature(evaluator, &definition)?;
        self.validate_parameters(evaluator, number, &signature, &values)
    }

    /// Checks that a native type has the parameters that a resource sets.
    fn check_names(&self, of: &ResourceType, resource: &WorkingResource) -> Result<(), Error> {
        if let Some(unknown) = resource.parameters.keys().find(|name| !of.has_parameter(name)) {
            let location = resource.location();
            let place = location_text(location.file.as_deref(), location.line);
            let space = if place.is_empty() { "" } else { " " };
            let reference = resource.reference();
            let message = format!("no parameter named '{unknown}'{space}{place} on {reference}");
            return Err(Error { location, ..Error::plain(message) });
        }
        if self.environment.settings.check_resource_types {
            check_values(of, resource)?;
        }
        if let Some(unread) = resource.parameters.keys().find(|name| of.is_unread(name)) {
            let name = &of.name;
            let message = format!(
                "The type '{name}' cannot be read in full from its Ruby file; parameters such as '{unread}' are not checked"
            );
            self.warn_once(&format!("unread type {name}"), message);
        }
        Ok(())
    }

    /// Propagates metaparameters and tags from containers to their contents, beginning with the main class.
    fn spread_metaparameters(&self, usage: &Usage<'_>) -> Result<(), Error> {
        let is_handed_down = |parameter: &Parameter| {
            METAPARAMETERS.contains(&parameter.name.as_str()) && !is_relationship(&parameter.name)
        };
        let own = |resource: &WorkingResource| -> Vec<(Str, Value)> {
            let set = resource.parameters.values().filter(|of| is_handed_down(of) && !of.value.is_undef());
            let mut set: Vec<_> = set.map(|of| (of.name.clone(), of.value.clone())).collect();
            set.sort_by_key(|(name, _)| METAPARAMETERS.iter().position(|known| name == known));
            set
        };
        let mut data: FxHashMap<ResourceId, Named<Value>> = FxHashMap::default();
        let mut queue = std::collections::VecDeque::from([super::MAIN_CLASS]);
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(source) = queue.pop_front() {
            if !seen.insert(source) {
                continue;
            }
            let contents: Vec<ResourceId> = {
                let state = self.state.borrow();
                let Some(contents) = state.contains.get(source).filter(|contents| !contents.is_empty())
                else {
                    continue;
                };
                if let Some(resource) = state.resources.get(source) {
                    data.entry(source).or_insert_with(|| own(resource).into_iter().collect());
                }
                contents.clone()
            };
            let inherited = data.get(&source).cloned().unwrap_or_default();
            let origins = self.handed_down(source, inherited.keys());
            for target in contents {
                let tags = self.state.borrow().resources.get(source).map_or(0, |from| from.tags.len());
                usage.charge(1 + (inherited.len() + tags) as u64 / NAMES_IN_STEP)?;
                let mut state = self.state.borrow_mut();
                let Some(resource) = state.resources.get_mut(target) else { continue };
                if !inherited.is_empty() {
                    for (name, value) in &inherited {
                        if resource.get(name).is_undef() {
                            let source = resource.source.clone();
                            let origin = origins.get(name).cloned();
                            let parameter = Parameter::new(name.clone(), value.clone(), source);
                            resource.set(Parameter { origin, ..parameter })?;
                        }
                    }
                    let mut merged = inherited.clone();
                    merged.extend(own(resource));
                    data.insert(target, merged);
                }
                state.hand_down_tags(source, target);
                drop(state);
                queue.push_back(target);
            }
        }
        Ok(())
    }

    /// Fails when overrides or realised references have found no resource.
    pub(super) fn fail_on_unevaluated(&self) -> Result<(), Error> {
        let overrides: Vec<Str> = {
            let state = self.state.borrow();
            state.overrides.values().flatten().map(|given| given.reference.clone()).collect()
        };
        if !overrides.is_empty() {
            let list = overrides.join(", ");
            return Err(Error::plain(format!("Could not find resource(s) {list} for overriding")));
        }
        let missing = self.unresolved_references();
        if !missing.is_empty() {
            return Err(Error::plain(format!("Failed to realize virtual resources {}", missing.join(", "))));
        }
        Ok(())
    }

    /// Checks that what relationships refer to is in the catalog.
    pub(super) fn validate_relationships(&self, usage: &Usage<'_>) -> Result<(), Error> {
        let count = self.state.borrow().resources.len();
        // Lists that many resources share are checked once.
        let mut known: FxHashSet<*const List> = FxHashSet::default();
        for number in 0..count {
            let relating: SmallVec<[(Parameter, bool); 1]> = {
                let state = self.state.borrow();
                let Some(resource) = state.resources.get(number).filter(|resource| !resource.is_virtual)
                else {
                    continue;
                };
                let of = resource.parameters.values().filter(|parameter| is_relationship(&parameter.name));
                let of = of.filter(|of| !refers_to_one(&state, &of.value));
                of.map(|of| (of.clone(), resource.sensitive.contains(&of.name))).collect()
            };
            for (parameter, is_secret) in relating {
                if let Value::Array(list) = &parameter.value
                    && !is_secret
                    && !known.insert(Arc::as_ptr(list))
                {
                    continue;
                }
                self.validate_references(&parameter, is_secret, usage)?;
            }
        }
        Ok(())
    }

    fn validate_references(
        &self,
        parameter: &Parameter,
        is_secret: bool,
        usage: &Usage<'_>,
    ) -> Result<(), Error> {
        let location = parameter.location();
        for text in relationships::texts_of_references(&parameter.value, is_secret) {
            usage.charge(1)?;
            let name = &parameter.name;
            let not_found = |text: &str| {
                let message = format!("Could not find resource '{text}' in parameter '{name}'");
                Error { location: location.clone(), ..Error::plain(message) }
            };
            let found = self.find_by_reference(&text).map_err(|error| match error.kind {
                ErrorKind::Argument if is_secret => not_found(REDACTED),
                ErrorKind::Argument => Error { kind: ErrorKind::Puppet, location: location.clone(), ..error },
                _ => error,
            })?;
            if found.is_none() {
                return Err(not_found(if is_secret { REDACTED } else { &text }));
            }
        }
        Ok(())
    }

    /// The version of the configuration: what the environment's command prints, or the time. A host that runs
    /// no commands is warned of, not an error.
    pub(super) fn find_version(&self, evaluator: &Evaluator<'_>) -> Result<Value, Error> {
        let time = || Value::Integer(self.chance.now(&*self.environment.host).clock_seconds());
        let Some(command) = self.environment.config_version.as_deref().filter(|command| !command.is_empty())
        else {
            return Ok(time());
        };
        let run = || {
            // As Ruby starts a command that is one text.
            if command.contains(|char| "*?{}[]<>()~&|\\$;'`\"\n#=%".contains(char)) {
                return evaluator.run_command(&["/bin/sh", "-c", command]);
            }
            let words: Vec<&str> = command.split_whitespace().collect();
            evaluator.run_command(&words)
        };
        // Run once for the environment; the cancellation of one compilation is not its result.
        let kept = &self.environment.caches.config_version;
        let told = match kept.get() {
            Some(told) => told,
            None => match run() {
                Err(HostError::Ended(error)) => return Err(*error),
                told => kept.get_or_init(|| told),
            },
        };
        match told {
            Ok(version) => Ok(Value::from(version.trim())),
            Err(HostError::Refused(_)) => {
                let message = format!(
                    "The config_version command '{command}' is not run, as the host runs no commands; the version is the time"
                );
                self.warn_once("config_version", message);
                Ok(time())
            }
            Err(error) => {
                Err(Error::plain(format!("Execution of config_version command `{command}` failed: {error}")))
            }
        }
    }

    /// The identity of the catalog: the given one, a new id, and the time.
    fn identity(&self) -> Result<Identity, Error> {
        let host = &*self.environment.host;
        let mut identity = self.identity.clone();
        if identity.catalog_uuid.is_none() {
            identity.catalog_uuid = Some(self.chance.uuid(host, "catalog")?.to_string());
        }
        if identity.producer_timestamp.is_none() {
            identity.producer_timestamp = Some(self.chance.now(host).to_milliseconds());
        }
        Ok(identity)
    }

    /// The finished catalog. Virtual resources are left out, unless they are exported.
    ///
    /// # Errors
    /// Two resources have the same alias.
    pub(super) fn to_catalog(&self, usage: &Usage<'_>) -> Result<Catalog, Error> {
        let mut state = self.state.borrow_mut();
        let CompilationState { resources, contained_in, classes, tags, .. } = &mut *state;
        let mut known_by = Tags::new();
        classes.iter().try_for_each(|name| known_by.add(name))?;
        known_by.merge(tags);
        let mut catalog = Catalog {
            resources: Vec::with_capacity(resources.len()),
            name: self.node.name.clone(),
            environment: self.environment.name.clone(),
            version: self.version.get().cloned().unwrap_or_default(),
            classes: classes.clone(),
            tags: known_by,
            data_keys: self.looked_up_keys(),
            reads_settings: self.reads_settings(),
            identity: self.identity()?,
            ..Catalog::default()
        };
        let mut has_aliases = false;
        let mut numbers: Vec<Option<usize>> = Vec::with_capacity(resources.len());
        let mut provenance = Vec::new();
        for (number, working) in resources.iter_mut().enumerate() {
            if working.is_virtual && !working.exported {
                numbers.push(None);
                continue;
            }
            usage.charge(1 + (working.parameters.len() + working.tags.len()) as u64 / NAMES_IN_STEP)?;
            let tags = std::mem::take(&mut working.tags);
            let resource = to_resource(working, tags, self.recording.is_some())?;
            provenance.extend(self.provenance_of(number, working, &resource));
            if self.recording.is_none() {
                // Their values are in the catalog: the room of one form is room for the other.
                working.parameters = Named::new();
            }
            numbers.push(Some(catalog.resources.len()));
            has_aliases |= resource.parameters.contains_key("alias");
            catalog.resources.push(resource);
        }
        if has_aliases {
            catalog.by_reference = with_aliases(&catalog)?.into();
        }
        catalog.provenance = self.recording.as_ref().map(|_| Arc::new(Provenance { resources: provenance }));
        let in_catalog = |number: usize| numbers.get(number).copied().flatten();
        for (target, containers) in contained_in.iter().enumerate() {
            for (source, count) in containers {
                usage.charge(1)?;
                if let (Some(source), Some(target)) = (in_catalog(*source), in_catalog(target)) {
                    catalog.edges.extend(std::iter::repeat_n(Edge { source, target }, *count));
                }
            }
        }
        Ok(catalog)
    }
}

/// Any error that is not of the reference's `Puppet::Error` family, as its compiler wraps it.
fn wrap_foreign(unwind: Unwind) -> Unwind {
    match unwind {
        Unwind::Error(error)
            if error.location.line.is_none() && matches!(error.kind, ErrorKind::Argument) =>
        {
            let message =
                format!("Puppet::Parser::Compiler failed with error ArgumentError: {}", error.message);
            Error::plain(message).into()
        }
        other => other,
    }
}

/// A resource as it leaves the compiler. Its values go with it, unless they are needed here.
fn to_resource(working: &mut WorkingResource, tags: Tags, keeps_values: bool) -> Result<Resource, Error> {
    let (is_known_by_name, key_count) = match &working.type_of {
        TypeOf::Native(of) => (of.isomorphic, of.keys.len()),
        _ => (true, 1),
    };
    let namevar: Str = match &working.type_of {
        TypeOf::Native(of) => of.namevar().into(),
        _ => "name".into(),
    };
    let repeats_title = !working.is_main && working.bare_title.is_none();
    let has_capitals = |name: &Str| name.bytes().any(|byte| byte.is_ascii_uppercase());
    let take = |value: &mut Value| if keeps_values { value.clone() } else { std::mem::take(value) };
    let parameters =
        if repeats_title && working.is_known_by_title() && !working.parameters.keys().any(has_capitals) {
            // The parameters from the title are the title, and are omitted: nothing is renamed or repeated.
            working.parameters.filter_map(|name, parameter| {
                (!parameter.value.is_undef()).then(|| flattened(name, take(&mut parameter.value)))
            })
        } else {
            let from_title: TitleParts = match &working.type_of {
                TypeOf::Native(of) => of.parse_title(&working.title)?,
                _ => smallvec![("name".into(), working.title.clone())],
            };
            let mut parameters: Named<Value> = Named::with_capacity(working.parameters.len() + 1);
            parameters.extend(from_title.into_iter().map(|(name, text)| (name, Value::String(text))));
            for (name, parameter) in working.parameters.iter_mut() {
                if parameter.value.is_undef() {
                    continue;
                }
                let name = if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
                    name.to_lowercase()
                } else {
                    name.clone()
                };
                let name = if name == "name" { namevar.clone() } else { name };
                let value = flattened(&name, take(&mut parameter.value));
                parameters.insert(name, value);
            }
            let shows_title =
                parameters.get(&namevar).and_then(Value::as_str) == Some(working.title.as_str());
            if shows_title && repeats_title {
                parameters.shift_remove(&namevar);
            }
            parameters
        };
    Ok(Resource {
        type_name: working.type_name.clone(),
        title: working.title.clone(),
        tags,
        file: working.file.clone(),
        line: working.line,
        exported: working.exported,
        is_virtual: working.is_virtual,
        by_function: working.by_function,
        kind: working.kind,
        parameters,
        sensitive_parameters: working.sensitive.clone(),
        namevar,
        is_known_by_name,
        key_count,
        aliases: working.aliases.clone(),
    })
}

/// Arrays of references are flat; those of relationships always, and without `undef`.
fn flattened(name: &str, value: Value) -> Value {
    let Value::Array(list) = &value else { return value };
    if !list.iter().any(|value| matches!(value, Value::Array(_) | Value::Undef)) {
        return value;
    }
    let mut values = Vec::new();
    flatten_into(&value, &mut values);
    let has_reference =
        || values.iter().any(|value| matches!(value, Value::Type(of) if reference_text(of).is_some()));
    if is_metaparameter(name) && is_relationship(name) {
        values.retain(|value| !value.is_undef());
        Value::from(values)
    } else if has_reference() {
        Value::from(values)
    } else {
        value
    }
}

/// Resources by their titles and all aliases; explicit ones must be unique in the finished catalog too.
fn with_aliases(catalog: &Catalog) -> Result<References, Error> {
    let mut known = References::default();
    for (number, resource) in catalog.resources.iter().enumerate() {
        let key = |title: &Str| (resource.type_name.clone(), title.clone());
        known.insert(key(&resource.title), number);
        let mut aliases = Vec::new();
        if let Some(alias) = resource.parameters.get("alias") {
            flatten_into(alias, &mut aliases);
        }
        for alias in aliases.iter().filter(|alias| !alias.is_undef()) {
            let title = Str::from(super::text_of(alias));
            if title == resource.title {
                continue;
            }
            match known.get(&key(&title)) {
                Some(&existing) if existing != number => {
                    return Err(alias_taken(resource, alias, catalog.resources.get(existing)));
                }
                _ => {
                    known.insert(key(&title), number);
                }
            }
        }
        for alias in &resource.aliases {
            known.entry(key(alias)).or_insert(number);
        }
    }
    Ok(known)
}

/// The error that an alias is that of another resource.
fn alias_taken(resource: &Resource, alias: &Value, existing: Option<&Resource>) -> Error {
    let place = location_text(resource.file.as_deref(), resource.line);
    let at = if place.is_empty() { String::new() } else { format!(" at {place}") };
    let other = existing.map(|other| location_text(other.file.as_deref(), other.line)).unwrap_or_default();
    let space = if other.is_empty() { "" } else { " " };
    let new = Value::array([Value::String(resource.type_name.clone()), alias.clone()]);
    Error::argument(format!(
        "Cannot alias {} to {}{at}; resource {} already declared{space}{other}",
        resource.reference(),
        inspect(alias),
        inspect(&new)
    ))
}

/// Whether a value is one reference to an existing resource.
fn refers_to_one(state: &CompilationState, value: &Value) -> bool {
    let Value::Type(of) = value else { return false };
    match of.kind() {
        TypeKind::Resource { type_name: Some(type_name), title: Some(title), is_reference: true } => {
            is_canonical(type_name, title) && state.by_title(type_name, title).is_some()
        }
        _ => false,
    }
}

/// The replacement for a secret in texts.
const REDACTED: &str = "Sensitive [value redacted]";

/// Checks the values of a native type's attributes whose types are known; values that an agent computes are
/// left to the agent.
fn check_values(of: &ResourceType, resource: &WorkingResource) -> Result<(), Error> {
    for (name, parameter) in &resource.parameters {
        let value = match &parameter.value {
            Value::Sensitive(secret) => &***secret,
            value => value,
        };
        let is_later = matches!(value, Value::Object(object) if object.object_type.name == "Deferred");
        if is_later || value.is_undef() {
            continue;
        }
        if let Some(mismatch) = of.mismatch(name, value) {
            // Texts about a mismatch quote values.
            let is_secret = resource.sensitive.contains(name);
            let mismatch = if is_secret { "it does not take this value".to_owned() } else { mismatch };
            let message = format!("Parameter {name} failed on {}: {mismatch}", resource.reference());
            return Err(Error { location: resource.location(), ..Error::plain(message) });
        }
    }
    Ok(())
}
