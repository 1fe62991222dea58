//! Evaluates the bodies of classes, defined types and nodes: their scopes, parameters and code.
//!
//! Follows `Puppet::Resource::Type#evaluate_code` and what it calls in the reference.

use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use super::resource::{Parameter, ResourceId, Source, TypeOf};
use super::{Compilation, DEFAULT_NODE, MAIN_CLASS, text_of};
use crate::catalog::resource_types::is_metaparameter;
use crate::eval::{
    BoundParameters, DeclaredResult, Evaluated, Evaluator, Groups, Origin, OriginKind, Scope, ScopeKind,
    Setter, Unwind, is_literal,
};
use crate::hiera::{self, LoadedData, LoadedValue};
use crate::loader::{Definition, DefinitionParameter, DefinitionSignature};
use bunraku_pcore::fuel::{BoundedFuel, Fuel as _};
use bunraku_pcore::types::{Type, mismatch};
use bunraku_pcore::value::{Str, Value, lower_case};
use bunraku_syntax::case::downcase;
use bunraku_syntax::diagnostic::{Error, ErrorKind, Frame};
use bunraku_syntax::names::split_first;
use bunraku_syntax::source::Location;

impl Compilation<'_> {
    /// Evaluates the body of a class, defined type or node, unless it was evaluated before. A failure gets an
    /// entry for it on its stack.
    pub(super) fn evaluate_resource(&self, evaluator: &Evaluator<'_>, number: ResourceId) -> Evaluated<()> {
        match self.evaluate_body(evaluator, number) {
            Err(Unwind::Error(mut error)) => {
                error.stack.extend(self.frame(number));
                Err(Unwind::Error(error))
            }
            result => result,
        }
    }

    /// A class, defined type or node as an entry of an error's stack: its name and the place of its
    /// declaration, or of its definition if a class has no other place. The main class has no entry.
    fn frame(&self, number: ResourceId) -> Option<Frame> {
        let state = self.state.borrow();
        let resource = state.resources.get(number).filter(|_| number != MAIN_CLASS)?;
        let declared = resource.location();
        let location = match &resource.type_of {
            TypeOf::Class(definition) | TypeOf::Define(definition) | TypeOf::Node(definition, _)
                if declared.line.is_none() =>
            {
                definition.location()
            }
            _ => declared,
        };
        Some(Frame { name: resource.reference().to_string(), location })
    }

    /// The entries of an error's stack for what contains a resource, innermost first.
    pub(super) fn frames_around(&self, number: ResourceId) -> Vec<Frame> {
        let container = |number: ResourceId| {
            let state = self.state.borrow();
            let container = state.resources.get(number)?.scope.resource.get();
            container.filter(|&container| container != number)
        };
        // Containment has no cycles: each container was declared before its content.
        std::iter::successors(container(number), |&number| container(number))
            .filter_map(|number| self.frame(number))
            .collect()
    }

    fn evaluate_body(&self, evaluator: &Evaluator<'_>, number: ResourceId) -> Evaluated<()> {
        let type_of = {
            let mut state = self.state.borrow_mut();
            let Some(resource) = state.resources.get_mut(number) else { return Ok(()) };
            if std::mem::replace(&mut resource.evaluated, true) {
                return Ok(());
            }
            resource.type_of.clone()
        };
        match type_of {
            TypeOf::Native(of) => {
                Err(Error::plain(format!("Cannot evaluate a builtin type ({})", of.name)).into())
            }
            TypeOf::Unknown(name) => Err(Error::plain(format!("Cannot find definition {name}")).into()),
            TypeOf::Settings => Ok(()),
            TypeOf::Main => self.evaluate_main_class(evaluator, number),
            TypeOf::Class(definition) => {
                self.add_scope_tags(number);
                let parent = self.evaluate_parent(evaluator, &definition)?;
                let kind = ScopeKind::Class(Arc::clone(&definition));
                let scope = self.new_scope(number, kind, &definition, parent);
                self.state.borrow_mut().add_class(&definition.name)?;
                self.evaluate_definition(evaluator, number, &definition, &scope)
            }
            TypeOf::Define(definition) => {
                self.add_scope_tags(number);
                let scope =
                    self.new_scope(number, ScopeKind::Define(Arc::clone(&definition)), &definition, None);
                self.evaluate_definition(evaluator, number, &definition, &scope)
            }
            TypeOf::Node(definition, pattern) => {
                self.add_scope_tags(number);
                let scope =
                    self.new_scope(number, ScopeKind::Node(Arc::clone(&definition)), &definition, None);
                let title = self.title(number);
                self.state.borrow_mut().add_class(&title)?;
                self.match_node(&scope, pattern.as_deref())?;
                self.evaluate_definition(evaluator, number, &definition, &scope)
            }
        }
    }

    fn title(&self, number: ResourceId) -> Str {
        self.state.borrow().resources.get(number).map(|resource| resource.title.clone()).unwrap_or_default()
    }

    /// Adds the tags of the container, once.
    pub(super) fn add_scope_tags(&self, number: ResourceId) {
        let mut state = self.state.borrow_mut();
        let Some(resource) = state.resources.get(number) else { return };
        if resource.has_scope_tags {
            return;
        }
        let container = resource.scope.resource.get().filter(|&container| container != number);
        let Some(resource) = state.resources.get_mut(number) else { return };
        resource.has_scope_tags = true;
        if let Some(container) = container {
            state.hand_down_tags(container, number);
        }
    }

    fn new_scope(
        &self,
        number: ResourceId,
        kind: ScopeKind,
        definition: &Definition,
        inherited: Option<Rc<Scope>>,
    ) -> Rc<Scope> {
        let state = self.state.borrow();
        let resource = state.resources.get(number);
        let declared_in =
            resource.map_or_else(|| Rc::clone(&self.top), |resource| Rc::clone(&resource.scope));
        let reference = resource.map(|resource| resource.reference()).unwrap_or_default();
        let parent = inherited.clone().unwrap_or(declared_in);
        let scope = Scope::new(kind).with_parent(&parent).with_inherited(inherited);
        Rc::new(scope.with_module(definition.module.clone()).with_resource(number, reference))
    }

    /// Evaluates the parent of a class, and returns its scope.
    fn evaluate_parent(
        &self,
        evaluator: &Evaluator<'_>,
        class: &Arc<Definition>,
    ) -> Evaluated<Option<Rc<Scope>>> {
        let Some(parent) = self.parent_of(evaluator, class)? else { return Ok(None) };
        let Some(number) = self.find_resource("class", &parent.name)? else { return Ok(None) };
        self.evaluate_resource(evaluator, number)?;
        match self.state.borrow().class_scopes.get(&parent.name) {
            Some(scope) => Ok(Some(Rc::clone(scope))),
            None => Err(Error::plain(format!("Could not find scope for {}", parent.name)).into()),
        }
    }

    /// Sets `$0`, `$1` … for a node definition with a regular expression, which matches the name of the node
    /// or, as in the reference, the word `default`.
    fn match_node(&self, scope: &Rc<Scope>, pattern: Option<&str>) -> Evaluated<()> {
        let Some(pattern) = pattern else { return Ok(()) };
        let pattern = self.environment.regexp(pattern);
        for name in [downcase(&self.node.name), DEFAULT_NODE.to_owned()] {
            if let Some(captures) =
                pattern.regex(&BoundedFuel::default())?.captures(&name, &BoundedFuel::default())?
            {
                scope.set_match(Groups::new(Value::from(name), captures));
                break;
            }
        }
        Ok(())
    }

    fn evaluate_definition(
        &self,
        evaluator: &Evaluator<'_>,
        number: ResourceId,
        definition: &Arc<Definition>,
        scope: &Rc<Scope>,
    ) -> Evaluated<()> {
        let signature = self.signature(evaluator, definition)?;
        self.set_resource_parameters(evaluator, number, definition, &signature, scope)?;
        self.add_edge_to_stage(number)?;
        let Some(body) = signature.body else { return Ok(()) };
        let result = match evaluator.evaluate_body(scope, &definition.program, body) {
            Ok(value) => value,
            Err(Unwind::Return(..) | Unwind::Next(..)) if !matches!(scope.kind, ScopeKind::Node(_)) => {
                Value::Undef
            }
            // Such an exit from a node's body is not an error of the language there, and its only text is its
            // class.
            Err(Unwind::Break(_)) if matches!(scope.kind, ScopeKind::Node(_)) => {
                return Err(Error::internal("break() in the body of a node definition").into());
            }
            Err(unwind) => return Err(unwind),
        };
        self.convert(evaluator, &result)?;
        Ok(())
    }

    /// Sets the variables that a body finds: names, parameters given, looked up and by default; checks their
    /// types.
    fn set_resource_parameters(
        &self,
        evaluator: &Evaluator<'_>,
        number: ResourceId,
        definition: &Arc<Definition>,
        signature: &DefinitionSignature,
        scope: &Rc<Scope>,
    ) -> Evaluated<()> {
        let is_class = matches!(scope.kind, ScopeKind::Class(_));
        let given = {
            let state = self.state.borrow();
            let resource = state.resources.get(number);
            let get = |name: &str| resource.map(|resource| resource.get(name)).unwrap_or_default();
            [get("module_name"), get("caller_module_name")]
        };
        let module = |given: Value, otherwise: Option<Str>| {
            if given.is_undef() { otherwise.map(Value::String) } else { Some(given) }
        };
        let [module_name, caller] = given;
        if let Some(module) = module(module_name, definition.module.clone()) {
            scope.set_first(&NAMES.module_name, module)?;
        }
        let calling = scope.parent.as_ref().map(|parent| parent.module.clone().unwrap_or_default());
        if let Some(calling) = module(caller, calling) {
            scope.set_first(&NAMES.caller_module_name, calling)?;
        }
        if is_class {
            self.look_up_parameters(evaluator, number, definition, signature, scope)?;
        }
        let (title, shown, name) = {
            let state = self.state.borrow();
            let Some(resource) = state.resources.get(number) else { return Ok(()) };
            (resource.title.clone(), resource.title_value(), resource.get("name"))
        };
        let name = if name.is_truthy() { name } else { shown.clone() };
        if is_class {
            scope.set_first(&NAMES.title, Value::String(lower_case(&title)))?;
            let name = match name.as_str() {
                Some(name) => lower_case(name),
                None => lower_case(&text_of(&name)),
            };
            scope.set_first(&NAMES.name, Value::String(name))?;
        } else {
            scope.set_first(&NAMES.title, shown)?;
            scope.set_first(&NAMES.name, name)?;
        }
        match scope.kind {
            ScopeKind::Class(_) => self.set_class_scope(&definition.name, scope),
            ScopeKind::Node(_) => self.set_class_scope(&title, scope),
            ScopeKind::Top | ScopeKind::Define(_) | ScopeKind::Settings => {}
        }
        let values = self.bind_parameters(evaluator, number, definition, signature, scope)?;
        if !fits(signature, &values) {
            let given = values.assigned().map(|(name, value)| (name.clone(), value.clone()));
            self.validate_parameters(evaluator, number, signature, &given.collect::<Vec<_>>())?;
        }
        if let Some(resource) = self.state.borrow_mut().resources.get_mut(number) {
            // A title that is given as a parameter is checked when the resource is finished.
            resource.is_checked = !resource.parameters.contains_key("title");
            resource.has_common_metaparameters = !signature.has_metaparameters;
        }
        let bound = scope.bind(values, signature.are_plain);
        bound.map_err(|error| Error { location: definition.location(), ..error })?;
        Ok(())
    }

    pub(super) fn set_class_scope(&self, name: &Str, scope: &Rc<Scope>) {
        self.state.borrow_mut().class_scopes.insert(name.clone(), Rc::clone(scope));
    }

    /// Automatic parameter lookup: looks up the values of missing parameters in the data.
    fn look_up_parameters(
        &self,
        evaluator: &Evaluator<'_>,
        number: ResourceId,
        definition: &Arc<Definition>,
        signature: &DefinitionSignature,
        scope: &Rc<Scope>,
    ) -> Evaluated<()> {
        let module = split_first(&definition.name).map_or(&*definition.name, |(module, _)| module);
        let (mut data, mut setter) = (None, None);
        for parameter in &signature.parameters {
            if self.is_given(number, &parameter.name) {
                continue;
            }
            let key = [&*definition.name, &*parameter.name].join("::");
            if data.is_none() && self.recording.is_none() {
                data = hiera::loaded_data(evaluator, scope, &self.data, module);
            }
            let found =
                match data.as_ref().map_or(LoadedValue::Other, |data: &Rc<LoadedData>| data.find(&key)) {
                    LoadedValue::Other => self.look_up_parameter(evaluator, scope, &key)?,
                    known => {
                        self.data.record(&key);
                        let value = if let LoadedValue::Plain(value) = known { Some(value) } else { None };
                        evaluator.usage.charge(1 + value.as_ref().map_or(0, Value::price))?;
                        value.map(|value| (value, None))
                    }
                };
            if let Some((value, origin)) = found
                && !(value.is_undef() && parameter.default.is_some())
            {
                self.set_own_parameter(number, parameter, (value, origin), &mut setter)?;
            }
        }
        Ok(())
    }

    fn is_given(&self, number: ResourceId, name: &str) -> bool {
        let state = self.state.borrow();
        let parameter = state.resources.get(number).and_then(|resource| resource.parameters.get(name));
        parameter.is_some_and(|parameter| !parameter.value.is_undef())
    }

    /// Sets a parameter of a resource on behalf of its declaration.
    pub(super) fn set_parameter(
        &self,
        number: ResourceId,
        name: impl Into<Str>,
        value: Value,
        origin: Option<Arc<Origin>>,
    ) -> Result<(), Error> {
        let mut state = self.state.borrow_mut();
        let Some(resource) = state.resources.get_mut(number) else { return Ok(()) };
        let source: Source = resource.source.clone();
        resource.set(Parameter { origin, ..Parameter::new(name, value, source) })
    }

    /// As [`set_parameter`](Self::set_parameter), for parameters of a definition, which have one setter.
    fn set_own_parameter(
        &self,
        number: ResourceId,
        parameter: &DefinitionParameter,
        (value, origin): (Value, Option<Arc<Origin>>),
        setter: &mut Option<Rc<Setter>>,
    ) -> Result<(), Error> {
        let mut state = self.state.borrow_mut();
        let Some(resource) = state.resources.get_mut(number) else { return Ok(()) };
        let setter =
            &*setter.get_or_insert_with(|| Rc::new(Setter { source: resource.source.clone(), file: None }));
        let set = Parameter { origin, ..Parameter::set_by(setter, parameter.name.clone(), value) };
        resource.set_hashed(parameter.hash, set)
    }

    /// The values of all parameters, with defaults evaluated for missing ones.
    fn bind_parameters(
        &self,
        evaluator: &Evaluator<'_>,
        number: ResourceId,
        definition: &Arc<Definition>,
        signature: &DefinitionSignature,
        scope: &Rc<Scope>,
    ) -> Evaluated<BoundParameters> {
        let given: Vec<(Str, Value)> = {
            let mut state = self.state.borrow_mut();
            let Some(resource) = state.resources.get_mut(number) else {
                return Ok(BoundParameters::default());
            };
            resource.parameters.reserve(signature.parameters.len().saturating_sub(resource.parameters.len()));
            let given =
                resource.parameters.values().filter(|given| given.name != "name" && given.name != "title");
            given.map(|given| (given.name.clone(), given.value.clone())).collect()
        };
        let reference = scope.reference.borrow().clone();
        let parameters = scope.push_parameters(reference, Arc::clone(&signature.names));
        for (name, value) in given {
            self.note_variable(scope, &name, &value, self.origin_of(number, &name));
            parameters.set(&name, value);
        }
        let mut setter = None;
        for (index, parameter) in signature.parameters.iter().enumerate() {
            let Some(default) = parameter.default else { continue };
            // A parameter that is a name has that of the resource, whatever was given.
            let is_given = match parameter.name.as_str() {
                "name" | "title" => self.is_given(number, &parameter.name),
                _ => parameters.is_given(index),
            };
            if is_given {
                continue;
            }
            let evaluate = || evaluator.evaluate(scope, &definition.program, default);
            let evaluated = match is_literal(definition.program.node(default)) {
                true => evaluate(),
                false => parameters.evaluating_at(Some(index), evaluate),
            };
            let value = evaluated.map_err(|unwind| match unwind {
                Unwind::Unevaluated(error) => Unwind::Error(error),
                // Failed lookups have no place of their own, or a file without a line.
                Unwind::Error(mut error) if error.kind == ErrorKind::Lookup => {
                    let place = definition.location();
                    error.location.file = error.location.file.take().or(place.file);
                    error.location.line = error.location.line.or(place.line);
                    Unwind::Error(error)
                }
                other => other,
            })?;
            let value = self.converted(evaluator, value)?;
            let origin = self.origin_of_default(evaluator, scope, definition, parameter.node, default);
            self.note_variable(scope, &parameter.name, &value, origin.clone());
            self.set_own_parameter(number, parameter, (value.clone(), origin), &mut setter)?;
            parameters.set_at(index, value);
        }
        Ok(parameters.into_bound())
    }

    /// Checks that all values are of the types of their parameters, that none is missing and none unknown.
    pub(super) fn validate_parameters(
        &self,
        evaluator: &Evaluator<'_>,
        number: ResourceId,
        signature: &DefinitionSignature,
        values: &[(Str, Value)],
    ) -> Evaluated<()> {
        let reference = self
            .state
            .borrow()
            .resources
            .get(number)
            .map(|resource| resource.reference())
            .unwrap_or_default();
        let returned = |deferred: &Value| self.returned_by(evaluator, deferred);
        mismatch::validate_resource_parameters(&reference, &signature.members, values, &returned)?;
        Ok(())
    }

    /// The declared result type of a Deferred's function. A missing declaration is logged as a warning, once.
    pub(super) fn returned_by(
        &self,
        evaluator: &Evaluator<'_>,
        deferred: &Value,
    ) -> Result<Option<Type>, Error> {
        let Value::Object(object) = deferred else { return Ok(None) };
        let Some(name) = object.attributes.get("name").and_then(Value::as_str) else { return Ok(None) };
        let arguments = object.attributes.get("arguments");
        match evaluator.declared_result(&self.top, name, arguments)? {
            DeclaredResult::Type(returned) => Ok(Some(returned)),
            DeclaredResult::Unknown => Ok(None),
            DeclaredResult::None => {
                let message = format!(
                    "Deferred function {name} has no return_type, unable to guarantee value type during \
                     compilation.\n   (file & line not available)"
                );
                self.warn_once(&format!("{name}_deferred_warning"), message);
                Ok(None)
            }
        }
    }

    /// Puts a class into its stage.
    fn add_edge_to_stage(&self, number: ResourceId) -> Result<(), Error> {
        let (own, inherited) = {
            let state = self.state.borrow();
            let Some(resource) = state.resources.get(number).filter(|resource| resource.is_class()) else {
                return Ok(());
            };
            let container =
                resource.scope.resource.get().and_then(|container| state.resources.get(container));
            let inherited = container.map(|container| container.get("stage")).unwrap_or_default();
            (resource.get("stage"), inherited)
        };
        let wanted = [&own, &inherited].into_iter().find(|stage| stage.is_truthy());
        let stage = match wanted {
            Some(stage) => self.find_resource("stage", &text_of(stage))?,
            None => Some(super::MAIN_STAGE),
        };
        let Some(stage) = stage else {
            let shown = if own.is_truthy() { text_of(&own) } else { "main".to_owned() };
            let state = self.state.borrow();
            let reference = state.resources.get(number).map(|resource| resource.reference());
            let reference = reference.unwrap_or_default();
            let message = format!("Could not find stage {shown} specified by {reference}");
            return Err(Error::argument(message));
        };
        if !own.is_truthy() && stage != super::MAIN_STAGE {
            let origin = self.origin(OriginKind::Container, None);
            self.set_parameter(number, "stage", Value::String(self.title(stage)), origin)?;
        }
        self.state.borrow_mut().add_edge(stage, number);
        Ok(())
    }

    fn evaluate_main_class(&self, evaluator: &Evaluator<'_>, number: ResourceId) -> Evaluated<()> {
        self.top.set("module_name", Value::from(""))?;
        self.top.set("title", Value::from("main"))?;
        self.top.set("name", Value::from("main"))?;
        self.set_class_scope(&Str::new(), &self.top);
        self.add_edge_to_stage(number)?;
        let mut value = Value::Undef;
        for program in self.environment.main_manifests(&self.loaded)? {
            let result = evaluator.evaluate_main(&self.top, &program);
            value = match result {
                Err(Unwind::Break(place)) => {
                    let location = Location { column: None, ..*place };
                    let message = "break() from context where this is illegal";
                    return Err(Error { location, ..Error::plain(message) }.into());
                }
                other => other?,
            };
        }
        *self.main_value.borrow_mut() = value;
        Ok(())
    }
}

/// Names of variables that every body finds.
struct Names {
    module_name: Str,
    caller_module_name: Str,
    title: Str,
    name: Str,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| Names {
    module_name: "module_name".into(),
    caller_module_name: "caller_module_name".into(),
    title: "title".into(),
    name: "name".into(),
});

/// Whether all parameters have values of their types, and no unknown parameter is given: most declarations
/// need no further check.
fn fits(signature: &DefinitionSignature, given: &BoundParameters) -> bool {
    let parameters = &signature.parameters;
    let is_common = |name: &Str| name == "name" || is_metaparameter(name);
    signature.are_plain
        && given.values().len() == parameters.len()
        && parameters.iter().zip(given.values()).all(|(parameter, value)| match value {
            Some(value) => mismatch::fits_parameter(&parameter.of, value),
            None => parameter.default.is_some(),
        })
        && given.more().iter().all(|(name, value)| is_common(name) && !mismatch::is_deferred(value))
}
