//! Names of classes, types and functions.

use bunraku_index::Kind;
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_syntax::ast::{List, Node, NodeId};

use super::operators::{described, is_undef};
use super::{Walker, any, either};
use crate::codes::Code;
use crate::declared::Existence;
use crate::deprecated;
use crate::finding::{Finding, Severity};
use crate::narrow::{is_number, leaves};
use crate::overlap::is_required;
use crate::world::Presence;

/// Functions of server extensions such as PuppetDB's.
const OF_SERVERS: &[&str] = &["puppetdb_query", "puppetdb_lookup"];

/// A name as it is looked up.
pub(super) fn absolute(name: &str) -> String {
    name.strip_prefix("::").unwrap_or(name).to_lowercase()
}

impl Walker<'_, '_> {
    /// Reports a name that cannot be resolved.
    pub(super) fn check_name(&mut self, kind: Kind, name: &str, id: NodeId) -> bool {
        self.note_dependency(name, id);
        if self.world.presence(kind, name) == Presence::Here {
            self.check_deprecated(kind, name, id);
            return true;
        }
        self.unknown(kind, name, id);
        false
    }

    /// Reports the use of something whose documentation advises against it, outside of its own module.
    pub(super) fn check_deprecated(&mut self, kind: Kind, name: &str, id: NodeId) {
        let Some(known) = self.world.deprecation(kind, name) else { return };
        if known.module == self.file.module {
            return;
        }
        let what = match kind {
            Kind::Class => "class",
            Kind::DefinedType => "defined type",
            Kind::Function => "function",
            _ => "type",
        };
        let message = deprecated::message(&format!("the {what} '{name}'"), &known.reason);
        let finding = Finding::new(Code::Deprecated, Severity::Warning, self.place(id), message);
        self.tell(finding.related("its documentation says so", Some(known.place.clone())));
    }

    /// Reports a name that is known to be unresolved.
    pub(super) fn unknown(&mut self, kind: Kind, name: &str, id: NodeId) {
        // Bolt brings further types and functions, some of them in modules.
        let is_of_bolt = self.is_in_plan
            && matches!(kind, Kind::Type | Kind::Function)
            && (!name.contains("::") || matches!(self.world.presence(kind, name), Presence::NoModule(_)));
        if is_of_bolt || self.is_guarded(name) {
            return;
        }
        let what = match kind {
            Kind::Class => "class",
            Kind::DefinedType | Kind::ResourceType => "resource type",
            Kind::Function => "function",
            _ => "data type",
        };
        let shown = match kind {
            Kind::Type => bunraku_pcore::types::format::capitalize_segments(name),
            _ => name.to_owned(),
        };
        let near = self.world.nearest(kind, name);
        if let Presence::NoModule(module) = self.world.presence(kind, name) {
            let message = match name.contains("::") {
                true => format!("the {what} '{shown}' is of the module '{module}', which is not installed"),
                false => format!("there is no {what} '{shown}', and no module of this name is installed"),
            };
            let finding = Finding::new(Code::MissingModule, Severity::Warning, self.place(id), message)
                .meant(near.as_deref(), &self.file.source);
            return self.tell(finding);
        }
        let code = match kind {
            Kind::Class => Code::UnknownClass,
            Kind::DefinedType | Kind::ResourceType => Code::UnknownResourceType,
            Kind::Function => Code::UnknownFunction,
            _ => Code::UnknownType,
        };
        let is_sure = match name.contains("::") {
            true => true,
            false if OF_SERVERS.contains(&name) => false,
            false => self.is_complete && (near.is_some() || self.is_unconditional()),
        };
        let severity = if is_sure { Severity::Error } else { Severity::Warning };
        let message = format!("there is no {what} '{shown}'");
        let finding = Finding::new(code, severity, self.place(id), message);
        let finding = finding.meant(near.as_deref(), &self.file.source);
        self.tell(finding);
    }

    /// Whether a condition around asks whether a name is defined.
    pub(super) fn is_guarded(&self, name: &str) -> bool {
        let module = name.split("::").next().unwrap_or_default();
        self.guards.iter().any(|guard| guard == "*" || guard == name || (guard == module && name != module))
    }

    /// A type's name as a value.
    pub(super) fn type_name(&mut self, id: NodeId) -> Type {
        let Node::QualifiedReference { cased_value } = *self.program.node(id) else { return any() };
        let name = absolute(self.program.text(cased_value));
        self.check_name(Kind::Type, &name, id);
        TypeKind::Type(None).into()
    }

    /// A class that is named by a literal.
    pub(super) fn class_name(&mut self, name: &str, id: NodeId) {
        self.check_name(Kind::Class, &absolute(name), id);
    }

    /// `left[keys]`
    pub(super) fn access(&mut self, left: NodeId, keys: List) -> Type {
        if let Node::QualifiedReference { cased_value } = *self.program.node(left) {
            let name = absolute(self.program.text(cased_value));
            return self.type_access(left, &name, keys, false);
        }
        // `File['/x']['mode']` asks a resource that must be there.
        let of = match *self.program.node(left) {
            Node::AccessExpression { .. } => self.relationship(left),
            _ => self.eval(left),
        };
        let given = self.all(keys);
        let keys = self.program.list(keys);
        if let (Node::VariableExpression { .. }, [key]) = (self.program.node(left), keys)
            && self.program.source_text(left).trim_start_matches(['$', ':', '{']) == "facts"
            && let Some(TypeKind::String { value: Some(name), .. }) = given.first().map(Type::kind)
        {
            let name = name.to_string();
            self.fact(*key, &name);
        }
        self.check_access(left, &of);
        match given.as_slice() {
            [key] => element(&of, key),
            _ => any(),
        }
    }

    /// Tells of a value that has no elements.
    fn check_access(&mut self, left: NodeId, of: &Type) {
        let Some(leaves) = leaves(of) else { return };
        let has_none = |of: &Type| {
            is_number(of)
                || matches!(
                    of.kind(),
                    TypeKind::Undef
                        | TypeKind::Default
                        | TypeKind::Boolean(_)
                        | TypeKind::Regexp(_)
                        | TypeKind::Sensitive(_)
                )
        };
        let can_be_undef = leaves.iter().any(is_undef);
        if leaves.iter().all(has_none) {
            let code = if can_be_undef { Code::UndefAccess } else { Code::WrongOperand };
            let of = described(of);
            return self.error(code, left, format!("the operator '[]' takes no {of}").replace("no a", "no"));
        }
        if can_be_undef {
            let message = "the value can be undef, which has no elements";
            let finding = Finding::new(Code::UndefAccess, Severity::Note, self.place(left), message);
            self.tell(finding);
        }
    }

    /// `Type[keys]`: a type, a resource, a class.
    pub(super) fn type_access(&mut self, left: NodeId, name: &str, keys: List, is_relation: bool) -> Type {
        let list: Vec<NodeId> = self.program.list(keys).to_vec();
        match name {
            "class" => {
                for key in list {
                    let of = self.eval(key);
                    for name in texts(&of) {
                        self.class_name(&name, key);
                    }
                }
            }
            _ => {
                let is_resource = self.world.has_resource_type(name) && name != "node";
                if !is_resource {
                    self.check_name(Kind::Type, name, left);
                } else {
                    self.note_dependency(name, left);
                }
                for key in list {
                    let of = self.eval(key);
                    if is_resource && is_relation {
                        for title in texts(&of) {
                            self.check_reference(name, &title, key);
                        }
                    }
                }
            }
        }
        TypeKind::Type(None).into()
    }

    /// A resource that a relationship names by its title.
    fn check_reference(&mut self, of: &str, title: &str, id: NodeId) {
        let is_own = of == "stage" && title == "main";
        if matches!(of, "node" | "component") || title.is_empty() || is_own {
            return;
        }
        let module = self.file.module.as_deref();
        let near = match self.world.summary.code.declared.find(of, title, module) {
            Existence::Yes => return,
            Existence::Near(near) => Some(near),
            Existence::No => None,
        };
        let shown = bunraku_pcore::types::format::capitalize_segments(of);
        let message = format!("no manifest declares {shown}['{title}']");
        let finding = Finding::new(Code::UnknownResource, Severity::Warning, self.place(id), message);
        let finding = finding.meant(near.as_deref(), &self.file.source);
        self.tell(finding);
    }

    /// The operands of a relationship: references in them must have a target.
    pub(super) fn relationship(&mut self, id: NodeId) -> Type {
        match *self.program.node(id) {
            Node::AccessExpression { left_expr, keys } => {
                let Node::QualifiedReference { cased_value } = *self.program.node(left_expr) else {
                    return self.eval(id);
                };
                let name = absolute(self.program.text(cased_value));
                self.type_access(left_expr, &name, keys, true)
            }
            Node::LiteralList { values } => {
                let types: Vec<Type> =
                    self.program.list(values).iter().map(|&value| self.relationship(value)).collect();
                Type::array(either(types), None)
            }
            Node::ParenthesizedExpression { expr } => self.relationship(expr),
            Node::RelationshipExpression { left_expr, right_expr, .. } => {
                self.relationship(left_expr);
                self.relationship(right_expr)
            }
            _ => self.eval(id),
        }
    }
}

/// The texts that a type has as its only values.
pub(super) fn texts(of: &Type) -> Vec<String> {
    match of.kind() {
        TypeKind::String { value: Some(text), .. } => vec![text.to_string()],
        TypeKind::Tuple { types, size: None } => types.iter().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// The type of an element with a key.
fn element(of: &Type, key: &Type) -> Type {
    let or_undef = |of: &Type| either([of.clone(), TypeKind::Undef.into()]);
    match of.kind() {
        TypeKind::Struct { members } if !members.is_empty() => match key.kind() {
            TypeKind::String { value: Some(name), .. } => {
                let found = members.iter().find(|member| member.name == name);
                match found {
                    Some(member) if is_required(&member) => member.value.clone(),
                    Some(member) => or_undef(member.value),
                    None => TypeKind::Undef.into(),
                }
            }
            _ => any(),
        },
        TypeKind::Hash { value: Some(value), .. } => or_undef(value),
        TypeKind::Array { element: Some(element), .. } => match key.kind() {
            TypeKind::Integer(_) => or_undef(element),
            _ => any(),
        },
        TypeKind::Tuple { types, size: None } => match key.kind() {
            TypeKind::Integer(range) if range.from == range.to => {
                let at = range.from.and_then(|at| usize::try_from(at).ok());
                at.and_then(|at| types.get(at)).cloned().unwrap_or_else(any)
            }
            _ => any(),
        },
        TypeKind::Alias(alias) => alias.target.get().map_or_else(any, |of| element(of, key)),
        // `undef` has none.
        TypeKind::Optional(Some(of)) => element(of, key),
        _ => any(),
    }
}
