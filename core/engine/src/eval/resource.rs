//! Resource expressions, overrides and defaults: titles and attributes are evaluated here, the rest is asked
//! of [`Context`](super::Context).

use std::rc::Rc;

use smallvec::{SmallVec, smallvec};

use super::access::{capitalize_segments, flatten};
use super::context::{Declaration, Form, Parameter, Setter};
use super::evaluator::{Demotion, Env, text_constant};
use super::{Evaluated, Evaluator, OriginKind};
use bunraku_pcore::format::to_s;
use bunraku_pcore::label::label;
use bunraku_pcore::pairs::Pairs;
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_pcore::value::{Str, shared};
use bunraku_pcore::{Named, Value};
use bunraku_syntax::ast::nodes::{AttributeOperator, ResourceForm};
use bunraku_syntax::ast::{List, Node, NodeId};
use bunraku_syntax::diagnostic::{Error, issues};

/// The attributes of a resource body, by name.
type Attributes = Named<Parameter>;

/// Titles, or bodies: nearly always one.
type Few<T> = SmallVec<[T; 1]>;

/// Takes the attributes that an operation sets.
type Take<'t> = &'t mut dyn FnMut(Parameter) -> Evaluated<()>;

/// A resource body whose titles and attributes were evaluated.
struct Body {
    titles: Few<Value>,
    attributes: Attributes,
}

impl Evaluator<'_> {
    pub(super) fn resource(
        &self,
        env: Env<'_>,
        id: NodeId,
        form: ResourceForm,
        type_name: NodeId,
        bodies: List,
        gives_references: bool,
    ) -> Evaluated {
        let type_name = self.resource_type_name(env, type_name)?;
        if form == ResourceForm::Exported {
            let demotion =
                if self.environment.settings.storeconfigs { Demotion::Ignore } else { Demotion::Warn };
            self.report(env, id, demotion, issues::rt_no_storeconfigs_export())?;
        }
        let mut used = Pairs::new();
        let mut evaluated: Few<Body> = Few::new();
        let mut default_body = None;
        for &body in env.list(bodies) {
            let Node::ResourceBody { title, operations } = *env.node(body) else { continue };
            let titles = self.titles(env, id, body, title, &mut used)?;
            if titles.iter().any(Option::is_none) {
                default_body = Some(evaluated.len());
            }
            let titles = titles.into_iter().flatten().map(Value::String).collect();
            evaluated.push(Body { titles, attributes: self.attributes(env, id, operations)? });
        }
        let defaults = default_body.and_then(|at| evaluated.get(at)).map(|body| body.attributes.clone());
        let location = env.location(id);
        let form = Form { of: form, by_function: false };
        let mut references = Vec::new();
        for Body { titles, attributes } in evaluated {
            let attributes = match &defaults {
                None => attributes,
                Some(defaults) => {
                    let mut all = defaults.clone();
                    all.extend(attributes);
                    all
                }
            };
            let declaration =
                Declaration { form, type_name: &type_name, location: &location, gives_references };
            let declared =
                self.context.create_resources(self, env.scope, &declaration, &titles, attributes)?;
            if references.is_empty() { references = declared } else { references.extend(declared) }
        }
        if !gives_references {
            return Ok(Value::Undef);
        }
        Ok(Value::from(references))
    }

    /// The name of the type of the resources.
    fn resource_type_name(&self, env: Env<'_>, expr: NodeId) -> Evaluated<Str> {
        let is_acceptable = match *env.node(expr) {
            Node::QualifiedName { value } => return Ok(env.program.text(value).into()),
            Node::QualifiedReference { .. } => true,
            Node::AccessExpression { left_expr, .. } => {
                matches!(env.node(left_expr), Node::QualifiedReference { .. })
            }
            _ => false,
        };
        let value = self.eval(env, expr)?;
        let refuse = |actual: String| Err(env.fail(expr, issues::illegal_resource_type(actual)));
        let inferred = || Type::infer(&value).generalize().to_string();
        if !is_acceptable {
            return refuse(inferred());
        }
        match &value {
            Value::Type(of) => match of.kind() {
                TypeKind::Class(None) => Ok("class".into()),
                TypeKind::Resource { type_name: Some(name), title: None, .. } => Ok(name.clone()),
                TypeKind::Class(Some(_)) | TypeKind::Resource { .. } => refuse(of.to_string()),
                _ => refuse(inferred()),
            },
            _ => refuse(inferred()),
        }
    }

    /// The titles of a body; `None` is `default`.
    fn titles(
        &self,
        env: Env<'_>,
        id: NodeId,
        body: NodeId,
        title: Option<NodeId>,
        used: &mut Pairs<Option<Str>, ()>,
    ) -> Evaluated<Few<Option<Str>>> {
        let at = title.unwrap_or(body);
        let value = self.eval_optional(env, title)?;
        if value.is_undef() {
            return Err(env.fail(at, issues::missing_title()));
        }
        let values: Few<Value> = match value {
            Value::Array(_) => flatten(vec![value]).into(),
            one => smallvec![one],
        };
        let mut titles = Few::new();
        for (index, title) in values.into_iter().enumerate() {
            let title = match title.in_utf8().into_owned() {
                Value::Undef => return Err(env.fail(at, issues::missing_title_at(index))),
                Value::String(title) if title.is_empty() => {
                    return Err(env.fail(at, issues::empty_string_title_at(index)));
                }
                Value::String(title) => Some(title),
                Value::Default => None,
                other => {
                    let actual = Type::infer(&other).generalize();
                    return Err(env.fail(at, issues::illegal_title_type_at(index, actual)));
                }
            };
            if !used.insert_new(title.clone(), ()) {
                let title = title.unwrap_or_else(|| "default".into());
                return Err(env.fail(id, issues::duplicate_title(title)));
            }
            titles.push(title);
        }
        Ok(titles)
    }

    fn attributes(&self, env: Env<'_>, id: NodeId, operations: List) -> Evaluated<Attributes> {
        let operations = env.list(operations);
        let mut attributes = Attributes::with_capacity(operations.len());
        let setter = env.scope.setter(env.program.source().path());
        for &operation in operations {
            self.operation(env, operation, (OriginKind::Expression, &setter), &mut |attribute| {
                let name = attribute.name.clone();
                match attributes.insert_new(name.clone(), attribute) {
                    true => Ok(()),
                    false => Err(env.fail(id, issues::duplicate_attribute(&name))),
                }
            })?;
        }
        Ok(attributes)
    }

    /// Takes the attributes that one operation sets.
    fn operation(
        &self,
        env: Env<'_>,
        id: NodeId,
        of: (OriginKind, &Rc<Setter>),
        take: Take<'_>,
    ) -> Evaluated<()> {
        let result = match *env.node(id) {
            Node::AttributeOperation { attribute_name, operator, value_expr } => {
                self.operation_value(env, value_expr).and_then(|value| {
                    let name = shared(env.program.text(attribute_name));
                    let mut parameter = self.parameter(env, id, of, name, value);
                    parameter.append = operator == AttributeOperator::Append;
                    take(parameter)
                })
            }
            Node::AttributesOperation { expr } => self.within(|| {
                let value = self.eval(env, expr)?;
                let Value::Hash(hash) = value else {
                    let actual = Type::infer(&value).generalize();
                    return Err(env.fail(expr, issues::type_mismatch("Hash", actual)));
                };
                for (key, value) in hash.iter() {
                    let name = match &*key.in_utf8() {
                        Value::String(name) => name.clone(),
                        Value::Default => "default".into(),
                        other => {
                            let message = format!("'{}' is no name of an attribute", to_s(other));
                            return Err(Error::internal(message).into());
                        }
                    };
                    let value = self.context.convert_attribute(self, value.clone())?;
                    take(self.parameter(env, id, of, name, value))?;
                }
                Ok(())
            }),
            _ => Err(Error::internal("an attribute is expected").into()),
        };
        self.place(env, id, result)
    }

    /// The value of an attribute operation.
    fn operation_value(&self, env: Env<'_>, value: NodeId) -> Evaluated {
        let value = match literal(env, value) {
            Some(literal) => {
                self.usage.charge_steps(2)?;
                literal
            }
            None => self.within(|| self.eval(env, value))?,
        };
        self.context.convert_attribute(self, value)
    }

    /// Calls `work` a step later and one expression deeper.
    fn within<T>(&self, work: impl FnOnce() -> Evaluated<T>) -> Evaluated<T> {
        self.usage.enter()?;
        let result = work();
        self.usage.leave();
        result
    }

    /// The parameter of an operation.
    fn parameter(
        &self,
        env: Env<'_>,
        id: NodeId,
        of: (OriginKind, &Rc<Setter>),
        name: Str,
        value: Value,
    ) -> Parameter {
        let (kind, setter) = of;
        let origin = self.recorder.map(|recorder| recorder.attribute(self, env, id, kind));
        let line = Some(env.program.source().line(env.program.span(id).start));
        Parameter { line, origin, ..Parameter::set_by(setter, name, value) }
    }

    /// The attributes of operations; `kind` is the kind of their expression.
    pub(super) fn all_operations(
        &self,
        env: Env<'_>,
        operations: List,
        kind: OriginKind,
    ) -> Evaluated<Vec<Parameter>> {
        let mut attributes = Vec::new();
        let setter = env.scope.setter(env.program.source().path());
        for &operation in env.list(operations) {
            self.operation(env, operation, (kind, &setter), &mut |attribute| {
                attributes.push(attribute);
                Ok(())
            })?;
        }
        Ok(attributes)
    }

    pub(super) fn resource_defaults(
        &self,
        env: Env<'_>,
        id: NodeId,
        type_ref: Option<NodeId>,
        operations: List,
    ) -> Evaluated {
        let value = self.eval_optional(env, type_ref)?;
        let type_name = match &value {
            Value::Type(of) => match of.kind() {
                TypeKind::Resource { type_name: Some(name), title: None, .. } => Some(name.clone()),
                _ => None,
            },
            _ => None,
        };
        let Some(type_name) = type_name else {
            let actual = Type::infer(&value).generalize();
            return Err(env.fail(type_ref.unwrap_or(id), issues::illegal_resource_type(actual)));
        };
        let attributes = self.all_operations(env, operations, OriginKind::ResourceDefault)?;
        let type_name = capitalize_segments(&type_name);
        self.context.set_defaults(self, env.scope, &type_name, &attributes, &env.location(id))?;
        Ok(value)
    }

    pub(super) fn resource_override(
        &self,
        env: Env<'_>,
        id: NodeId,
        resources: NodeId,
        operations: List,
    ) -> Evaluated {
        let value = self.eval(env, resources)?;
        let attributes = self.all_operations(env, operations, OriginKind::Override)?;
        let location = env.location(id);
        for reference in flatten(vec![value.clone()]) {
            let resource = match &reference {
                Value::Type(of) => match of.kind() {
                    TypeKind::Resource { type_name, .. } if type_name.as_deref() != Some("class") => Some(of),
                    _ => None,
                },
                _ => None,
            };
            let Some(resource) = resource else {
                return Err(env.fail(id, issues::illegal_overridden_type(label(&reference))));
            };
            self.context.override_resource(self, env.scope, resource, &attributes, &location)?;
        }
        Ok(value)
    }
}

/// The value of an expression that is a literal of the usual kinds.
fn literal(env: Env<'_>, id: NodeId) -> Option<Value> {
    match *env.node(id) {
        Node::LiteralString { value } | Node::QualifiedName { value } => Some(text_constant(env, id, value)),
        Node::LiteralInteger { value, .. } => Some(Value::Integer(value)),
        Node::LiteralBoolean { value } => Some(Value::Boolean(value)),
        _ => None,
    }
}
