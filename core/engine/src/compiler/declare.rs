//! Resources and classes enter the catalog, and are found in it.
//!
//! Follows the reference's `pops/evaluator/runtime3_resource_support.rb`, `Compiler#add_resource` and
//! `Compiler#evaluate_classes`, and `Puppet::Resource::Type#ensure_in_catalog`.

use std::rc::Rc;
use std::sync::Arc;

use super::resource::{Parameter, ResourceId, Source, TypeOf, WorkingResource, native_key};
use super::text::text_of;
use super::{Compilation, inspect};
use crate::catalog::provenance::{Cause, How};
use crate::catalog::{ResourceKind, Tags, reference};
use crate::eval::context::Declaration;
use crate::eval::{Evaluated, Evaluator, OriginKind, Scope};
use crate::loader::Definition;
use bunraku_pcore::Named;
use bunraku_pcore::value::{Hash, Str, Value};
use bunraku_syntax::ast::nodes::ResourceForm;
use bunraku_syntax::diagnostic::Error;

/// The maximum length of a chain of inherited classes: a longer one is a cycle.
const MAX_INHERITANCE: u32 = 500;

impl Compilation<'_> {
    /// Declares a resource for each title and returns references to them. Classes are evaluated immediately.
    pub(super) fn declare(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        declaration: &Declaration<'_>,
        mut parameters: Named<Parameter>,
        titles: &[Value],
    ) -> Evaluated<Vec<Value>> {
        if declaration.type_name.eq_ignore_ascii_case("class") {
            return self.declare_classes(evaluator, scope, declaration, titles, &parameters);
        }
        let Some((type_of, type_name)) = self.find_named_type(evaluator, declaration.type_name)? else {
            let message = format!("Unknown resource type: '{}'", declaration.type_name);
            return Err(Error::argument(message).into());
        };
        let mut references = Vec::new();
        for (number, title) in titles.iter().enumerate() {
            let mut resource =
                WorkingResource::named(type_of.clone(), type_name.clone(), title_text(title), scope);
            if !title.is_string() {
                resource.bare_title = Some(title.clone());
            }
            place(&mut resource, declaration);
            match number + 1 == titles.len() {
                true => resource.fill_with(std::mem::take(&mut parameters))?,
                false => resource.fill_with(parameters.clone())?,
            }
            resource.add_defaults()?;
            if declaration.gives_references {
                references.push(Value::Type(resource.reference_type()));
            }
            let number = self.add_resource(scope, resource)?;
            self.note_cause(number, self.declaring(scope, declaration));
        }
        Ok(references)
    }

    /// The declaration as a cause; one that a function makes is known by its place, which has no column.
    fn declaring(&self, scope: &Scope, declaration: &Declaration<'_>) -> Option<Cause> {
        let cause = self.cause(How::Declaration, scope, declaration.location)?;
        let function = match declaration.location.column {
            Some(_) => None,
            None => self.calling(),
        };
        Some(Cause { detail: function, ..cause })
    }

    fn declare_classes(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        declaration: &Declaration<'_>,
        titles: &[Value],
        parameters: &Named<Parameter>,
    ) -> Evaluated<Vec<Value>> {
        let mut classes = Vec::new();
        for title in titles {
            let title = text_of(title);
            let class = self.find_class(evaluator, &title)?;
            classes.push((title, class));
        }
        let mut references = Vec::with_capacity(titles.len());
        for (title, class) in classes {
            let Some(class) = class else {
                if is_settings(&title) {
                    // It is in every catalog, so that this reports a duplicate.
                    let mut resource = WorkingResource::new(TypeOf::Settings, "Settings", scope);
                    place(&mut resource, declaration);
                    resource.kind = ResourceKind::Class;
                    self.add_resource(scope, resource)?;
                }
                return Err(Error::argument(format!("Could not find declared class {title}")).into());
            };
            let title = class_title(&class);
            let mut resource = WorkingResource::new(TypeOf::Class(Arc::clone(&class)), title, scope);
            place(&mut resource, declaration);
            resource.kind = ResourceKind::Class;
            resource.fill_with(parameters.clone())?;
            resource.add_defaults()?;
            references.push(Value::Type(resource.reference_type()));
            let cause = self.declaring(scope, declaration);
            self.declare_parent(evaluator, scope, &class)?;
            self.state.borrow_mut().tags.merge(&resource.tags);
            let number = self.add_resource(scope, resource)?;
            self.note_cause(number, cause);
            self.evaluate_classes(evaluator, scope, std::slice::from_ref(&class.name), false, None)?;
        }
        Ok(references)
    }

    /// Adds a resource to the catalog, into the container of its scope.
    pub(super) fn add_resource(
        &self,
        scope: &Rc<Scope>,
        resource: WorkingResource,
    ) -> Result<ResourceId, Error> {
        let is_class = resource.is_class();
        let is_stage = resource.type_name.eq_ignore_ascii_case("stage");
        let has_stage = !resource.get("stage").is_undef();
        let mut state = self.state.borrow_mut();
        let number = state.add(resource)?;
        if has_stage && !is_class {
            let message = "Only classes can set 'stage'; normal resources like";
            let reference = state.resources.get(number).map(WorkingResource::reference).unwrap_or_default();
            return Err(Error::argument(format!("{message} {reference} cannot change run stage")));
        }
        if !is_stage
            && !is_class
            && let Some(container) = scope.resource.get()
        {
            state.add_edge(container, number);
        }
        Ok(number)
    }

    /// Declares classes by name, each unless it was before, and evaluates them unless that waits. Gives the
    /// resources.
    pub(super) fn evaluate_classes(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        names: &[Str],
        is_lazy: bool,
        cause: Option<&Cause>,
    ) -> Evaluated<Vec<ResourceId>> {
        let mut already = Vec::new();
        let mut newly = Vec::new();
        for class in self.find_classes(evaluator, names)? {
            let known =
                self.state.borrow().class_scopes.get(&class.name).and_then(|scope| scope.resource.get());
            match known {
                Some(resource) => {
                    self.note_cause(resource, cause.cloned());
                    already.push(resource);
                }
                None => newly.push(self.ensure_class(evaluator, scope, &class, None, cause)?),
            }
        }
        if !is_lazy {
            for &number in &newly {
                self.evaluate_resource(evaluator, number)?;
            }
        }
        already.append(&mut newly);
        Ok(already)
    }

    /// Declares classes with parameters, as the classifier does.
    pub(super) fn declare_node_classes(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        classes: &[(Str, Hash)],
    ) -> Evaluated<()> {
        let (cause, none) = (self.outer_cause(How::Enc), Hash::default());
        let names: Vec<Str> = classes.iter().map(|(name, _)| name.clone()).collect();
        for class in self.find_classes(evaluator, &names)? {
            let parameters = classes.iter().find(|(name, _)| *name == class.name).map(|(_, given)| given);
            let parameters = Some(parameters.unwrap_or(&none));
            self.ensure_class(evaluator, scope, &class, parameters, cause.as_ref())?;
        }
        Ok(())
    }

    fn find_classes(&self, evaluator: &Evaluator<'_>, names: &[Str]) -> Evaluated<Vec<Arc<Definition>>> {
        let mut classes = Vec::with_capacity(names.len());
        for name in names {
            match self.find_class(evaluator, name)? {
                Some(class) => classes.push(class),
                None if is_settings(name) => {}
                None => {
                    let node = &self.node.name;
                    return Err(Error::plain(format!("Could not find class {name} for {node}")).into());
                }
            }
        }
        Ok(classes)
    }

    /// The resource of a class; it is added if it is missing. With parameters it must be missing.
    pub(super) fn ensure_class(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        class: &Arc<Definition>,
        parameters: Option<&Hash>,
        cause: Option<&Cause>,
    ) -> Evaluated<ResourceId> {
        let title = class_title(class);
        if parameters.is_none()
            && let Some(number) = self.state.borrow().by_title("Class", &title)
        {
            self.note_cause(number, cause.cloned());
            return Ok(number);
        }
        let source = Source::Of(Arc::clone(class));
        let mut resource = WorkingResource::new(TypeOf::Class(Arc::clone(class)), title, scope);
        resource.source = source.clone();
        let given = parameters.into_iter().flatten();
        let origin = self.origin(OriginKind::Enc, Some(&class.name));
        let given = given.map(|(name, value)| Parameter {
            origin: origin.clone(),
            ..Parameter::new(super::text_of(name).as_str(), value.clone(), source.clone())
        });
        resource.fill(given)?;
        resource.add_defaults()?;
        self.declare_parent(evaluator, scope, class)?;
        self.state.borrow_mut().tags.merge(&resource.tags);
        let number = self.add_resource(scope, resource)?;
        self.note_cause(number, cause.cloned());
        Ok(number)
    }

    /// Declares the class that a class inherits from.
    fn declare_parent(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        class: &Arc<Definition>,
    ) -> Evaluated<()> {
        let Some(parent) = self.parent_of(evaluator, class)? else { return Ok(()) };
        let depth = self.inheritance_depth.get() + 1;
        if depth > MAX_INHERITANCE {
            return Err(Error::internal("A class inherits from itself").into());
        }
        self.inheritance_depth.set(depth);
        let cause = self.outer_cause(How::Inherits).map(|cause| Cause {
            location: class.program.location(class.node),
            by: Some(format!("Class[{}]", reference::canonical("class", &class.name).1).into()),
            ..cause
        });
        let result = self.ensure_class(evaluator, scope, &parent, None, cause.as_ref());
        self.inheritance_depth.set(depth - 1);
        result.map(|_| ())
    }

    /// The class that a class inherits from.
    pub(super) fn parent_of(
        &self,
        evaluator: &Evaluator<'_>,
        class: &Arc<Definition>,
    ) -> Evaluated<Option<Arc<Definition>>> {
        let Some(parent) = self.signature(evaluator, class)?.parent.clone() else { return Ok(None) };
        if let Some(parent) = self.find_class(evaluator, &parent)? {
            return Ok(Some(parent));
        }
        let absolute = if parent.starts_with("::") { String::new() } else { "::".to_owned() };
        let message = format!(
            "Could not find parent resource type '{absolute}{parent}' of type hostclass in {}",
            self.environment.name
        );
        Err(Error { location: class.location(), ..Error::plain(message) }.into())
    }

    /// Whether a class or definition descends from another one.
    pub(super) fn is_child_of(&self, source: &Source, ancestor: &Source) -> bool {
        if self.state.borrow().may_override(source) {
            return true;
        }
        let (Source::Of(definition), Source::Of(ancestor)) = (source, ancestor) else { return false };
        let mut seen = 0;
        let mut definition = Arc::clone(definition);
        loop {
            let signature = self.known_signature(&definition);
            let Some(parent) = signature.and_then(|known| known.parent.clone()) else { return false };
            let Ok(Some(parent)) = self.environment.find_class(&parent, &self.loaded) else { return false };
            if Source::Of(Arc::clone(&parent)) == Source::Of(Arc::clone(ancestor)) {
                return true;
            }
            definition = parent;
            seen += 1;
            if seen > 1000 {
                return false;
            }
        }
    }

    /// A resource by type and title, in any form of writing them, or by what makes it unique.
    ///
    /// # Errors
    /// The title fits no pattern of the type.
    pub(super) fn find_resource(&self, type_name: &str, title: &str) -> Result<Option<ResourceId>, Error> {
        if reference::is_canonical(type_name, title)
            && let Some(number) = self.state.borrow().by_title(type_name, title)
        {
            return Ok(Some(number));
        }
        let (type_name, title) = reference::canonical(type_name, title);
        if let Some(number) = self.state.borrow().by_title(&type_name, &title) {
            return Ok(Some(number));
        }
        let Some(native) = (!type_name.contains(':')).then(|| self.native_type(&type_name)).flatten() else {
            return Ok(None);
        };
        let key = native_key(&native, &title, |_| None)?;
        Ok(self.state.borrow().by_key(&type_name, &key))
    }

    /// A resource by its reference.
    ///
    /// # Errors
    /// The text is not a reference, or the type of a missing resource is not a valid tag.
    pub(super) fn find_by_reference(&self, text: &str) -> Result<Option<ResourceId>, Error> {
        match reference::split(text) {
            Some((type_name, title)) => {
                let found = self.find_resource(type_name, title)?;
                if found.is_none() {
                    Tags::default().add(type_name)?;
                }
                Ok(found)
            }
            None => Err(Error::argument(format!(
                "No title provided and {} is not a valid resource reference",
                inspect(&Value::from(text))
            ))),
        }
    }
}

/// A title as text.
fn title_text(title: &Value) -> Str {
    match title {
        Value::String(text) => text.clone(),
        other => text_of(other).into(),
    }
}

fn place(resource: &mut WorkingResource, declaration: &Declaration<'_>) {
    resource.file = Some(declaration.location.file.clone().unwrap_or_else(|| "".into()));
    resource.line = declaration.location.line;
    resource.is_virtual = !matches!(declaration.form.of, ResourceForm::Regular);
    resource.exported = matches!(declaration.form.of, ResourceForm::Exported);
    resource.by_function = declaration.form.by_function;
}

/// Whether a name is that of the class that holds the settings, which every catalog has.
fn is_settings(name: &str) -> bool {
    name.trim_start_matches("::").eq_ignore_ascii_case("settings")
}

/// The title of a class's resource.
fn class_title(class: &Definition) -> Str {
    class.findings.title.get_or_init(|| reference::canonical_class(&class.name)).clone()
}
