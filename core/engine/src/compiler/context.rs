//! The compilation, as the evaluator and functions access it.

use std::rc::Rc;
use std::sync::Arc;

use super::collectors::{Collection, Wanted};
use super::convert::split_type_title;
use super::relationships::{End, Relationship};
use super::resource::{Parameter, Source, TypeOf, WorkingResource, defaults_of};
use super::state::Override;
use super::{Compilation, text_of};
use crate::catalog::provenance::How;
use crate::catalog::reference::capitalize_segments;
use crate::eval::context::{
    CatalogView, Collector, CollectorId, Context, Declaration, Declarations, Inclusion, LookupRequest,
    RelationshipEnd, RelationshipKind,
};
use crate::eval::{Chance, Closure, Evaluated, Evaluator, Origin, OriginKind, Scope};
use bunraku_host::ForeignResource;
use bunraku_pcore::Named;
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_pcore::value::{Hash, Str, Value};
use bunraku_syntax::case::downcase;
use bunraku_syntax::diagnostic::{Error, issues};
use bunraku_syntax::source::Location;

/// The size in bytes that a collector, an override and an arrow count towards the output.
const DECLARED_SIZE: u64 = 200;

impl Context for Compilation<'_> {
    fn deferred_type(&self, evaluator: &Evaluator<'_>, deferred: &Value) -> Result<Option<Type>, Error> {
        self.returned_by(evaluator, deferred)
    }

    fn chance(&self) -> &Chance {
        &self.chance
    }

    fn scope_name(&self, scope: &Rc<Scope>) -> Arc<str> {
        format!("Scope({})", scope.reference.borrow()).into()
    }

    fn lookup(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        request: &LookupRequest,
        default_block: Option<&Closure>,
    ) -> Evaluated<Option<Value>> {
        self.look_up(evaluator, scope, request, default_block)
    }

    fn call_member(
        &self,
        evaluator: &Evaluator<'_>,
        object: &Value,
        name: &str,
        arguments: &[Value],
        block: Option<&Closure>,
    ) -> Option<Evaluated> {
        crate::hiera::call_context_function(evaluator, &self.data, object, name, arguments, block)
    }

    fn facts(&self) -> &Arc<Hash> {
        &self.facts
    }

    fn node_name(&self) -> &str {
        &self.node.name
    }
}

impl Declarations for Compilation<'_> {
    fn canonical_reference(&self, evaluator: &Evaluator<'_>, of: &Type) -> Evaluated<Type> {
        self.convert_reference(evaluator, of)
    }

    fn convert_attribute(&self, evaluator: &Evaluator<'_>, value: Value) -> Evaluated {
        evaluator.usage.put_out(value.value_size().size)?;
        if !matches!(
            value,
            Value::Type(_) | Value::Iterator(_) | Value::BigInteger(_) | Value::Array(_) | Value::Hash(_)
        ) {
            return Ok(value);
        }
        // Every attribute has its own list, even if a variable is used for several.
        Ok(match self.convert(evaluator, &value)? {
            Value::Array(list) => Value::from(list.to_vec()),
            other => other,
        })
    }

    fn replace_parameter(&self, scope: &Rc<Scope>, old: &Value, new: &Value) {
        let Some(number) = scope.resource.get() else { return };
        let mut state = self.state.borrow_mut();
        let Some(resource) = state.resources.get_mut(number) else { return };
        for parameter in resource.parameters.values_mut().filter(|known| known.value.is_same_object(old)) {
            parameter.value = new.clone();
            resource.is_checked = false;
        }
    }

    fn create_resources(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        declaration: &Declaration<'_>,
        titles: &[Value],
        parameters: Named<Parameter>,
    ) -> Evaluated<Vec<Value>> {
        self.declare(evaluator, scope, declaration, parameters, titles)
    }

    fn set_defaults(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        type_name: &str,
        parameters: &[Parameter],
        _location: &Location,
    ) -> Evaluated<()> {
        let type_name = capitalize_all(type_name);
        for attribute in parameters {
            let value = self.convert(evaluator, &attribute.value)?;
            let mut defaults = scope.defaults_mut();
            let of_type = defaults.get_or_insert_with(type_name.clone(), Named::new);
            if of_type.contains_key(&attribute.name) {
                let name = &attribute.name;
                let message =
                    format!("Default already defined for {type_name} {{ {name} }}; cannot redefine");
                return Err(Error { location: attribute.location(), ..Error::plain(message) }.into());
            }
            of_type.insert(attribute.name.clone(), Parameter { value, ..attribute.clone() });
        }
        Ok(())
    }

    fn override_resource(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        reference: &Type,
        parameters: &[Parameter],
        location: &Location,
    ) -> Evaluated<()> {
        evaluator.usage.put_out(DECLARED_SIZE)?;
        let (type_name, title) = split_type_title(reference)?;
        let type_of = self.find_resource_type(evaluator, &type_name)?;
        let type_of = type_of.unwrap_or(TypeOf::Unknown(type_name));
        let source = Source::of(scope);
        let mut carrier = WorkingResource::new(type_of, title.unwrap_or_default(), scope);
        carrier.file = location.file.clone();
        carrier.line = location.line;
        for parameter in parameters {
            let value = self.convert(evaluator, &parameter.value)?;
            let parameter = Parameter { value, ..parameter.clone() };
            if carrier.parameters.contains_key(&parameter.name) {
                let message =
                    format!("Duplicate parameter '{}' for on {}", parameter.name, carrier.reference());
                return Err(Error { location: carrier.location(), ..Error::plain(message) }.into());
            }
            carrier.set(parameter)?;
        }
        Ok(self.add_override(Override {
            reference: carrier.reference(),
            parameters: carrier.parameters,
            source,
            file: location.file.clone(),
            line: location.line,
        })?)
    }

    fn add_collector(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        collector: Collector,
    ) -> Evaluated<CollectorId> {
        let cause = self.cause(How::Collector, scope, &collector.location);
        evaluator.usage.put_out(DECLARED_SIZE)?;
        let matching = self.matching(evaluator, scope, collector)?;
        let mut state = self.state.borrow_mut();
        let collection = Collection::new(Wanted::Matching(Rc::new(matching)));
        state.collections.push(Some(Collection { cause, ..collection }));
        Ok(CollectorId(state.collections.len() - 1))
    }

    fn add_relationships(
        &self,
        evaluator: &Evaluator<'_>,
        sources: Vec<RelationshipEnd>,
        targets: Vec<RelationshipEnd>,
        kind: RelationshipKind,
        location: &Location,
    ) -> Evaluated<()> {
        let origin = self.origin_at(OriginKind::Relationship, location);
        let ends = |ends: Vec<RelationshipEnd>| -> Evaluated<Vec<End>> {
            ends.into_iter().map(|end| self.end(evaluator, end)).collect()
        };
        let relationship = Relationship { sources: ends(sources)?, targets: ends(targets)?, kind, origin };
        self.state.borrow_mut().relationships.push(relationship);
        Ok(())
    }

    fn set_empty_alternative(
        &self,
        evaluator: &Evaluator<'_>,
        collector: CollectorId,
        alternative: Vec<RelationshipEnd>,
    ) {
        let ends: Vec<End> =
            alternative.into_iter().filter_map(|end| self.end(evaluator, end).ok()).collect();
        if let Some(Some(collection)) = self.state.borrow_mut().collections.get_mut(collector.0) {
            collection.empty_alternative = Some(ends);
        }
    }

    fn include_classes(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        names: &[Str],
        how: Inclusion,
        location: &Location,
    ) -> Evaluated<()> {
        let cause = match how {
            Inclusion::Include => How::Include,
            Inclusion::Contain => How::Contain,
            Inclusion::Require => How::Require,
        };
        let cause = self.cause(cause, scope, location);
        let resources = self.evaluate_classes(evaluator, scope, names, false, cause.as_ref())?;
        let Some(container) = scope.resource.get() else { return Ok(()) };
        match how {
            Inclusion::Include => {}
            Inclusion::Contain => {
                let mut state = self.state.borrow_mut();
                for resource in resources {
                    if !state.has_edge(container, resource) {
                        state.add_edge(container, resource);
                    }
                }
            }
            Inclusion::Require => {
                for name in names {
                    let Some(class) = self.find_class(evaluator, name)? else {
                        return Err(Error::plain("Could not find class ").into());
                    };
                    let reference: Type = TypeKind::Class(Some(class.name.clone())).into();
                    let present = self.state.borrow().resources.get(container).map(|of| of.get("require"));
                    let mut values = Vec::new();
                    super::resource::flatten_into(&present.unwrap_or_default(), &mut values);
                    values.retain(|value| !value.is_undef());
                    values.push(Value::Type(reference));
                    let origin = cause.as_ref().map(|cause| {
                        let function = Some("require".into());
                        Origin { function, ..Origin::new(OriginKind::Expression, cause.location.clone()) }
                    });
                    let before = self.origin_of(container, "require");
                    let origin = origin.map(|origin| Arc::new(origin).appended_to(before));
                    self.set_parameter(container, "require", Value::from(values), origin)?;
                }
            }
        }
        Ok(())
    }

    fn realize(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        references: &[Value],
        location: &Location,
    ) -> Evaluated<()> {
        let cause = self.cause(How::Realize, scope, location);
        let mut texts = Vec::new();
        let mut flat = Vec::new();
        references.iter().for_each(|reference| super::resource::flatten_into(reference, &mut flat));
        evaluator.usage.put_out(DECLARED_SIZE)?;
        for reference in flat {
            texts.push(text_of(&self.convert(evaluator, &reference)?));
        }
        let collection = Collection { cause, ..Collection::new(Wanted::Fixed(texts)) };
        self.state.borrow_mut().collections.push(Some(collection));
        Ok(())
    }

    fn add_tags(&self, scope: &Rc<Scope>, tags: &[Str]) -> Evaluated<()> {
        let mut state = self.state.borrow_mut();
        let resource = scope.resource.get().and_then(|number| state.resources.get_mut(number));
        let Some(resource) = resource else { return Ok(()) };
        for tag in tags {
            resource.add_tag_values(&Value::String(tag.clone()))?;
        }
        Ok(())
    }
}

impl CatalogView for Compilation<'_> {
    fn class_scope(&self, name: &str) -> Option<Rc<Scope>> {
        let name = name.strip_prefix("::").unwrap_or(name);
        let found = self.state.borrow().class_scopes.get(name).cloned();
        found.or_else(|| (name == "settings").then(|| Rc::clone(self.settings_scope())))
    }

    fn has_class(&self, name: &str) -> bool {
        self.has_resource("class", name)
    }

    fn classes(&self) -> Vec<Str> {
        self.state.borrow().classes.clone()
    }

    fn catalog_tags(&self) -> Vec<Str> {
        self.state.borrow().tags.iter().cloned().collect()
    }

    fn has_resource(&self, type_name: &str, title: &str) -> bool {
        let title = if type_name.eq_ignore_ascii_case("class") {
            title.strip_prefix("::").unwrap_or(title)
        } else {
            title
        };
        matches!(self.find_resource(type_name, title), Ok(Some(_)))
    }

    fn resource_parameter(
        &self,
        evaluator: &Evaluator<'_>,
        _scope: &Rc<Scope>,
        reference: &Type,
        parameter: &str,
    ) -> Evaluated {
        let (type_name, title) = split_type_title(reference)?;
        let title = title.unwrap_or_default();
        let Some(number) = self.find_resource(&type_name, &title)? else {
            return Err(issues::unknown_resource(capitalize_segments(&type_name), title).into());
        };
        let (value, type_of, scope, shown_type) = {
            let state = self.state.borrow();
            let Some(resource) = state.resources.get(number) else { return Ok(Value::Undef) };
            (
                resource.get(parameter),
                resource.type_of.clone(),
                Rc::clone(&resource.scope),
                resource.type_name.clone(),
            )
        };
        let is_known = match &type_of {
            TypeOf::Native(of) => of.has_parameter(parameter),
            TypeOf::Class(definition) | TypeOf::Define(definition) | TypeOf::Node(definition, _) => {
                let signature = self.signature(evaluator, definition)?;
                matches!(signature.members.kind(), TypeKind::Struct { members }
                    if members.iter().any(|member| member.name == parameter))
            }
            TypeOf::Main | TypeOf::Settings | TypeOf::Unknown(_) => {
                parameter == "name" || crate::catalog::resource_types::is_metaparameter(parameter)
            }
        };
        if !is_known {
            let shown = capitalize_segments(&type_name);
            return Err(issues::unknown_resource_parameter(shown, title, parameter).into());
        }
        if !value.is_undef() {
            return Ok(value);
        }
        let defaults = defaults_of(&scope, &shown_type);
        Ok(defaults.get(parameter).map(|default| default.value.clone()).unwrap_or_default())
    }

    fn resource_values(&self, scope: &Rc<Scope>, type_name: &str, title: &str) -> Option<Vec<(Str, Value)>> {
        let number = self.find_resource(type_name, title).ok().flatten()?;
        if scope.resource.get() == Some(number) {
            return None;
        }
        let state = self.state.borrow();
        let parameters = &state.resources.get(number)?.parameters;
        Some(parameters.iter().map(|(name, parameter)| (name.clone(), parameter.value.clone())).collect())
    }

    fn resource(&self, type_name: &str, title: &str) -> Option<ForeignResource> {
        let number = self.find_resource(type_name, title).ok().flatten()?;
        self.state.borrow().resources.get(number).map(foreign_resource)
    }

    fn resources(&self) -> Vec<ForeignResource> {
        self.state.borrow().resources.iter().map(foreign_resource).collect()
    }

    fn resource_defaults(&self, scope: &Rc<Scope>, type_name: &str) -> Vec<(Str, Value)> {
        let defaults = defaults_of(scope, type_name);
        defaults.iter().map(|(name, default)| (name.clone(), default.value.clone())).collect()
    }

    fn has_resource_type(&self, evaluator: &Evaluator<'_>, name: &str) -> Evaluated<bool> {
        Ok(self.find_resource_type(evaluator, name)?.is_some())
    }

    fn has_tags(&self, scope: &Rc<Scope>, tags: &[Str]) -> bool {
        let state = self.state.borrow();
        let mut containers = Vec::new();
        let mut at = scope.resource.get();
        while let Some(resource) = at.and_then(|number| state.resources.get(number)) {
            containers.push(&resource.tags);
            let container = resource.scope.resource.get();
            at = container.filter(|&container| Some(container) != at);
        }
        tags.iter().all(|tag| {
            let tag = downcase(tag);
            state.tags.contains(&tag) || containers.iter().any(|tags| tags.contains(&tag))
        })
    }
}

impl Compilation<'_> {
    fn end(&self, evaluator: &Evaluator<'_>, end: RelationshipEnd) -> Evaluated<End> {
        Ok(match end {
            RelationshipEnd::Collector(CollectorId(id)) => End::Collector(id),
            RelationshipEnd::Resource(of) => End::Reference(self.convert_reference(evaluator, &of)?),
        })
    }
}

/// Every segment of a name with its first letter in upper case and the others in lower case.
fn capitalize_all(name: &str) -> Str {
    let name = name.strip_prefix("::").unwrap_or(name);
    capitalize_segments(&downcase(name))
}

/// A resource as functions in Ruby see it.
fn foreign_resource(resource: &WorkingResource) -> ForeignResource {
    let parameters = resource.parameters.iter();
    ForeignResource {
        type_name: resource.type_name.clone(),
        title: resource.title.clone(),
        parameters: parameters.map(|(name, parameter)| (name.clone(), parameter.value.clone())).collect(),
        tags: resource.tags.iter().map(|tag| Str::from(&**tag)).collect(),
        is_exported: resource.exported,
        is_virtual: resource.is_virtual,
        location: Location { file: resource.file.clone(), line: resource.line, column: None },
    }
}
