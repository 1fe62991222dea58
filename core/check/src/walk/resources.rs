//! Resources and classes: whether the type exists, whether it has the parameters, and whether values match.

use std::rc::Rc;

use bunraku_engine::catalog::resource_types::{is_metaparameter, is_relationship};
use bunraku_engine::loader::ResourceType;
use bunraku_index::Kind;
use bunraku_pcore::Value;
use bunraku_pcore::types::{Type, TypeKind, mismatch};
use bunraku_syntax::ast::nodes::ComparisonOperator;
use bunraku_syntax::ast::{List, Node, NodeId};

use super::names::{absolute, texts};
use super::operators::{described, is_undef};
use super::{Walker, any};
use crate::codes::Code;
use crate::deprecated;
use crate::finding::{Finding, Place, Severity};
use crate::narrow::{is_text, leaves};
use crate::overlap::{can_be_undef, overlap, size_of};
use crate::suggest::nearest;
use crate::tags;
use crate::world::{Declarable, Presence};

/// A resource with a literal title that a scope has declared.
pub(crate) struct Declaration {
    conditions: Vec<(NodeId, u32)>,
    place: Place,
    /// Whether a condition around asks with `defined`.
    is_guarded: bool,
}

/// A value that is given for a parameter.
pub(super) struct Given {
    pub name: String,
    pub of: Type,
    /// The place of the name, and of the value.
    pub name_place: Place,
    pub value: NodeId,
}

/// A target with parameters.
pub(super) enum Target<'w> {
    Definition(Rc<Declarable<'w>>, &'static str),
    Native(std::sync::Arc<ResourceType>),
}

impl<'w> Walker<'_, 'w> {
    pub(super) fn resource(&mut self, type_name: NodeId, bodies: List) -> Type {
        let name = match *self.program.node(type_name) {
            Node::QualifiedName { value } | Node::LiteralString { value } => Some(self.program.text(value)),
            Node::QualifiedReference { cased_value } => Some(self.program.text(cased_value)),
            _ => None,
        };
        let Some(name) = name.map(absolute) else {
            self.eval(type_name);
            for &body in self.program.list(bodies) {
                self.body(body, None, "", &[]);
            }
            return any();
        };
        let target = match name.as_str() {
            "class" => None,
            _ => self.target(&name, type_name),
        };
        let list = self.program.list(bodies).to_vec();
        let defaults = self.default_body(&list);
        for body in list {
            if name == "class" {
                self.class_body(body, &defaults);
            } else {
                self.body(body, target.as_ref(), &name, &defaults);
            }
        }
        TypeKind::Type(None).into()
    }

    /// The resource type with this name; reports a missing one.
    pub(super) fn target(&mut self, name: &str, id: NodeId) -> Option<Target<'w>> {
        self.note_dependency(name, id);
        if !name.contains("::")
            && let Some(native) = self.world.native(name)
        {
            return Some(Target::Native(native));
        }
        if let Some(known) = self.world.define(name) {
            self.check_deprecated(Kind::DefinedType, name, id);
            return Some(Target::Definition(known, "defined type"));
        }
        if self.world.presence(Kind::ResourceType, name) != Presence::Here {
            self.unknown(Kind::ResourceType, name, id);
        }
        None
    }

    /// The names that `default:` of an expression sets for all its bodies.
    fn default_body(&mut self, bodies: &[NodeId]) -> Vec<String> {
        for &body in bodies {
            let Node::ResourceBody { title: Some(title), operations } = *self.program.node(body) else {
                continue;
            };
            if matches!(self.program.node(title), Node::LiteralDefault {}) {
                let name = |&id: &NodeId| match *self.program.node(id) {
                    Node::AttributeOperation { attribute_name, .. } => {
                        self.program.text(attribute_name).to_owned()
                    }
                    _ => "*".to_owned(),
                };
                return self.program.list(operations).iter().map(name).collect();
            }
        }
        Vec::new()
    }

    fn body(&mut self, body: NodeId, target: Option<&Target<'w>>, name: &str, defaults: &[String]) {
        let Node::ResourceBody { title, operations } = *self.program.node(body) else { return };
        let of_title = self.optional(title);
        let is_default = title.is_some_and(|id| matches!(self.program.node(id), Node::LiteralDefault {}));
        self.check_title(title, &of_title);
        let (given, is_open) = self.operations(operations, name);
        if let Some(target) = target {
            self.check_given(target, &given);
            if !is_default && !is_open {
                let place = title.map_or_else(|| self.place(body), |title| self.place(title));
                self.check_missing(target, name, &given, defaults, place, Severity::Error);
            }
            if !is_default {
                self.check_body(target, &given, defaults, is_open, title.unwrap_or(body));
            }
        }
        if let (Some(title), false) = (title, is_default) {
            for text in texts(&of_title) {
                self.declare(name, &text, title);
            }
        }
    }

    /// Titles are texts, or lists of them.
    pub(super) fn check_title(&mut self, title: Option<NodeId>, of: &Type) {
        let Some(title) = title.filter(|_| !can_be_title(of, 0)) else { return };
        let message = format!("a title is a String, not {}", described(of));
        self.error(Code::WrongType, title, message);
    }

    /// The parameters of a body, and whether `* =>` can add more.
    pub(super) fn operations(&mut self, operations: List, type_name: &str) -> (Vec<Given>, bool) {
        let mut given: Vec<Given> = Vec::new();
        let mut is_open = false;
        for &id in self.program.list(operations) {
            match *self.program.node(id) {
                Node::AttributeOperation { attribute_name, value_expr, .. } => {
                    let name = self.program.text(attribute_name).to_owned();
                    let of = match is_relationship(&name) {
                        true => self.relationship(value_expr),
                        false => self.eval(value_expr),
                    };
                    if type_name == "file" && name == "source" {
                        self.served(value_expr);
                    }
                    let span = self.program.span(id);
                    let start = span.start;
                    let end = start + name.len() as u32;
                    let name_place = self.place_of(bunraku_syntax::source::Span::new(start, end));
                    if given.iter().any(|other| other.name == name) {
                        let message = format!("'{name}' is given twice");
                        let finding = Finding::new(
                            Code::DuplicateParameter,
                            Severity::Error,
                            name_place.clone(),
                            message,
                        );
                        self.tell(finding);
                    }
                    given.push(Given { name, of, name_place, value: value_expr });
                }
                Node::AttributesOperation { expr } => {
                    let of = self.eval(expr);
                    match of.kind() {
                        TypeKind::Struct { members } if !members.is_empty() => {
                            let place = self.place(expr);
                            for member in members {
                                given.push(Given {
                                    name: member.name.to_string(),
                                    of: member.value.clone(),
                                    name_place: place.clone(),
                                    value: expr,
                                });
                            }
                        }
                        _ => is_open = true,
                    }
                }
                _ => {}
            }
        }
        (given, is_open)
    }

    /// Reports unknown names, and values that do not match.
    pub(super) fn check_given(&mut self, target: &Target<'w>, given: &[Given]) {
        for one in given {
            match target {
                Target::Definition(known, what) => self.check_parameter(known, what, one),
                Target::Native(native) => self.check_attribute(native, one),
            }
        }
    }

    fn check_parameter(&mut self, known: &Rc<Declarable<'w>>, what: &str, one: &Given) {
        let name = &known.definition.name;
        let Some(parameter) = known.parameter(&one.name) else {
            if one.name == "name" || is_metaparameter(&one.name) {
                return self.check_metaparameter(what, one);
            }
            let near = nearest(&one.name, known.parameters.iter().map(|one| one.name.as_str()));
            let message = format!("the {what} '{name}' has no parameter '{}'", one.name);
            let finding =
                Finding::new(Code::UnknownParameter, Severity::Error, one.name_place.clone(), message)
                    .related(format!("'{name}' is defined here"), Some(known.place()))
                    .meant(near, &self.file.source);
            return self.tell(finding);
        };
        self.check_deprecated_parameter(known, what, one);
        // What lacks a value is told apart.
        if is_undef(&one.of) {
            return;
        }
        let severity = match parameter.takes(&one.of) {
            false => Severity::Error,
            true if parameter.refuses_some(&one.of) => Severity::Note,
            true => return,
        };
        let message = mismatch::describe(&format!("parameter '{}'", one.name), &parameter.of, &one.of);
        if message.is_empty() {
            return;
        }
        let finding = Finding::new(Code::WrongType, severity, self.place(one.value), message)
            .related(format!("the parameter of '{name}' is declared here"), Some(parameter.place.clone()));
        self.tell(finding);
    }

    /// Reports a value for a parameter whose documentation advises against it, outside of its own module.
    fn check_deprecated_parameter(&mut self, known: &Declarable<'w>, what: &str, one: &Given) {
        let documentation = known.definition.documentation.as_deref();
        if is_undef(&one.of) || known.file.module == self.file.module {
            return;
        }
        let Some(reason) = documentation.and_then(|text| deprecated::parameter(text, &one.name)) else {
            return;
        };
        let name = &known.definition.name;
        let what = format!("the parameter '{}' of the {what} '{name}'", one.name);
        let message = deprecated::message(&what, &reason);
        let finding = Finding::new(Code::Deprecated, Severity::Warning, one.name_place.clone(), message);
        self.tell(finding.related("its documentation says so", Some(known.place())));
    }

    /// The stage of a class is a name; relationships are made with references.
    fn check_metaparameter(&mut self, what: &str, one: &Given) {
        if is_relationship(&one.name) && !may_be_reference(&one.of) {
            let message =
                format!("'{}' takes references such as File['/x'], not {}", one.name, described(&one.of));
            return self.error(Code::WrongType, one.value, message);
        }
        if what != "class" || one.name != "stage" || overlap(&Type::optional(Type::string(None)), &one.of) {
            return;
        }
        let message = mismatch::describe("parameter 'stage'", &Type::string(None), &one.of);
        self.error(Code::WrongType, one.value, message);
    }

    fn check_attribute(&mut self, native: &ResourceType, one: &Given) {
        if !native.has_parameter(&one.name) {
            let names = native.attributes.keys().map(|name| name.as_str());
            let metaparameters = bunraku_engine::catalog::resource_types::METAPARAMETERS.iter().copied();
            let near = nearest(&one.name, names.chain(metaparameters));
            let message = format!("the resource type '{}' has no parameter '{}'", native.name, one.name);
            let finding =
                Finding::new(Code::UnknownParameter, Severity::Error, one.name_place.clone(), message)
                    .meant(near, &self.file.source);
            return self.tell(finding);
        }
        if is_metaparameter(&one.name) {
            return self.check_metaparameter(&native.name, one);
        }
        let Some((_, of)) = native.value_types.iter().find(|(name, _)| *name == one.name) else { return };
        // An attribute that is `undef` is not set.
        let is_taken = overlap(of, &one.of) || can_be_undef(&one.of);
        if is_taken || !self.world.environment.settings.check_resource_types {
            return;
        }
        let message = mismatch::describe(&format!("{}.{}", native.name, one.name), of, &one.of);
        self.error(Code::WrongType, one.value, message);
    }

    /// Tells of parameters without default that are not given.
    pub(super) fn check_missing(
        &mut self,
        target: &Target<'w>,
        name: &str,
        given: &[Given],
        defaults: &[String],
        place: Place,
        severity: Severity,
    ) {
        let Target::Definition(known, what) = target else { return };
        if defaults.iter().any(|name| name == "*") {
            return;
        }
        let is_class = *what == "class";
        // Without a hierarchy the data is elsewhere.
        let is_sure = !is_class || self.world.summary.data.is_here();
        let severity = if is_sure { severity } else { severity.max(Severity::Warning) };
        for parameter in known.parameters.iter().filter(|one| one.is_required) {
            // `undef` is a value where the type takes it.
            let is_value = |one: &Given| !is_undef(&one.of) || parameter.of.is_instance(&Value::Undef);
            let is_given = given.iter().any(|one| one.name == parameter.name && is_value(one))
                || defaults.contains(&parameter.name)
                || self.world.may_be_given(name, &parameter.name);
            if is_given || (is_class && self.world.summary.data.may_have(name, &parameter.name)) {
                continue;
            }
            let message = match is_class {
                true => format!(
                    "the {what} '{name}' needs a value for its parameter '{}', and no data has one",
                    parameter.name
                ),
                false => {
                    format!("the {what} '{name}' needs a value for its parameter '{}'", parameter.name)
                }
            };
            let finding = Finding::new(Code::MissingParameter, severity, place.clone(), message)
                .related("the parameter is declared here", Some(parameter.place.clone()));
            self.tell(finding);
        }
    }

    /// `class { 'a': … }`
    fn class_body(&mut self, body: NodeId, defaults: &[String]) {
        let Node::ResourceBody { title, operations } = *self.program.node(body) else { return };
        let of_title = self.optional(title);
        let (given, is_open) = self.operations(operations, "class");
        self.check_title(title, &of_title);
        let Some(title) = title else { return };
        for text in texts(&of_title) {
            self.class_name(&text, title);
            let name = absolute(&text);
            self.declare("class", &name, title);
            if let Some(known) = self.world.class(&name) {
                let target = Target::Definition(known, "class");
                self.check_given(&target, &given);
                if !is_open {
                    self.check_missing(&target, &name, &given, defaults, self.place(title), Severity::Error);
                }
                self.check_body(&target, &given, defaults, is_open, title);
            }
        }
    }

    /// A class that is included: its parameters must have values.
    pub(super) fn check_included(&mut self, name: &str, id: NodeId) {
        if let Some(known) = self.world.class(name) {
            let target = Target::Definition(known, "class");
            // Another declaration, evaluated before, may have given the values.
            let is_declared = self.world.summary.code.declared.has_class(name);
            let severity = if is_declared { Severity::Note } else { Severity::Warning };
            self.check_missing(&target, name, &[], &[], self.place(id), severity);
        }
    }

    /// Records a resource, and reports an earlier declaration in the scope.
    fn declare(&mut self, of: &str, title: &str, id: NodeId) {
        if self.blocks > 0 {
            return;
        }
        let place = self.place(id);
        let is_guarded = self.has_guard();
        let conditions = self.conditions.clone();
        let key = (of.to_owned(), title.to_owned());
        let mut told = None;
        for earlier in self.declarations.get(&key).into_iter().flatten() {
            let is_around = conditions.starts_with(&earlier.conditions);
            let is_within = earlier.conditions.starts_with(&conditions);
            // Where a condition asks for the resource, one way can have it twice.
            let is_open = (is_guarded || earlier.is_guarded) && earlier.conditions != conditions;
            if (is_around || is_within) && !is_open {
                let severity = if is_around { Severity::Error } else { Severity::Warning };
                told = Some((severity, earlier.place.clone()));
                break;
            }
        }
        if let Some((severity, earlier)) = told {
            let shown = bunraku_pcore::types::format::capitalize_segments(of);
            let message = format!("{shown}['{title}'] is declared twice");
            let finding = Finding::new(Code::DuplicateResource, severity, place.clone(), message)
                .related("it is declared here first", Some(earlier));
            self.tell(finding);
        }
        self.declarations.entry(key).or_default().push(Declaration { conditions, place, is_guarded });
    }

    /// `Type { … }`
    pub(super) fn defaults(&mut self, type_ref: Option<NodeId>, operations: List) -> Type {
        if let Some(of) = type_ref {
            self.overriding(of, operations);
        }
        any()
    }

    /// `Type <| … |> { … }`
    pub(super) fn collector(&mut self, of: NodeId, query: NodeId, operations: List) -> Type {
        self.overriding(of, operations);
        // Other nodes export from other environments, too.
        let is_exported = matches!(self.program.node(query), Node::ExportedQuery { .. });
        self.query(query, is_exported);
        any()
    }

    /// The values in a query; its names are those of attributes.
    fn query(&mut self, id: NodeId, is_exported: bool) {
        match *self.program.node(id) {
            Node::VirtualQuery { expr } | Node::ExportedQuery { expr } => {
                if let Some(expr) = expr {
                    self.query(expr, is_exported);
                }
            }
            Node::AndExpression { left_expr, right_expr } | Node::OrExpression { left_expr, right_expr } => {
                self.query(left_expr, is_exported);
                self.query(right_expr, is_exported);
            }
            Node::ParenthesizedExpression { expr } => self.query(expr, is_exported),
            Node::ComparisonExpression { operator, left_expr, right_expr } => {
                let of = self.eval(right_expr);
                let is_tag = matches!(*self.program.node(left_expr), Node::QualifiedName { value }
                    if self.program.text(value) == "tag");
                if is_tag && operator == ComparisonOperator::Equal && !is_exported {
                    texts(&of).iter().for_each(|tag| self.check_tag(tag, right_expr));
                }
            }
            _ => {}
        }
    }

    /// Reports a tag that nothing in the environment has.
    fn check_tag(&mut self, tag: &str, id: NodeId) {
        if tag.is_empty() || tags::may_exist(self.world.index, &tag.to_lowercase()) {
            return;
        }
        let message = format!("nothing has the tag '{tag}'");
        let severity = if self.is_complete { Severity::Warning } else { Severity::Note };
        let finding = Finding::new(Code::UnknownTag, severity, self.place(id), message);
        self.tell(finding);
    }

    fn overriding(&mut self, of: NodeId, operations: List) {
        let name = match *self.program.node(of) {
            Node::QualifiedReference { cased_value } => absolute(self.program.text(cased_value)),
            _ => String::new(),
        };
        let (given, _) = self.operations(operations, &name);
        if name.is_empty() || name == "class" {
            return;
        }
        if let Some(target) = self.target(&name, of) {
            self.check_given(&target, &given);
        }
    }

    /// `Type['title'] { … }`
    pub(super) fn resource_override(&mut self, resources: NodeId, operations: List) -> Type {
        self.relationship(resources);
        let name = match *self.program.node(resources) {
            Node::AccessExpression { left_expr, .. } => match *self.program.node(left_expr) {
                Node::QualifiedReference { cased_value } => absolute(self.program.text(cased_value)),
                _ => String::new(),
            },
            _ => String::new(),
        };
        let (given, _) = self.operations(operations, &name);
        if !name.is_empty()
            && name != "class"
            && self.world.presence(Kind::ResourceType, &name) == Presence::Here
            && let Some(target) = self.target(&name, resources)
        {
            self.check_given(&target, &given);
        }
        any()
    }

    /// The place of a key in a hash literal.
    pub(super) fn key_place(&self, id: NodeId, name: &str) -> Place {
        let is_key = |&inner: &NodeId| match *self.program.node(inner) {
            Node::LiteralString { value } | Node::QualifiedName { value } => self.program.text(value) == name,
            _ => false,
        };
        let found = self.program.descendants(id).into_iter().find(is_key);
        self.place(found.unwrap_or(id))
    }
}

/// Whether a value may be a title, or a list of them.
fn can_be_title(of: &Type, depth: u32) -> bool {
    let Some(leaves) = leaves(of).filter(|_| depth < 16) else { return true };
    leaves.iter().any(|one| match one.kind() {
        TypeKind::Array { element: Some(element), .. } => {
            size_of(one).0 == 0 || can_be_title(element, depth + 1)
        }
        TypeKind::Tuple { types, .. } => types.iter().all(|one| can_be_title(one, depth + 1)),
        TypeKind::Array { .. } | TypeKind::Collection { .. } | TypeKind::Default => true,
        _ => is_text(one),
    })
}

/// Whether a value may be what relationships are made with.
fn may_be_reference(of: &Type) -> bool {
    match of.kind() {
        TypeKind::Integer(_)
        | TypeKind::Float(_)
        | TypeKind::Boolean(_)
        | TypeKind::Regexp(_)
        | TypeKind::Hash { .. }
        | TypeKind::Struct { .. } => false,
        TypeKind::Variant(types) => types.iter().any(may_be_reference),
        _ => true,
    }
}
