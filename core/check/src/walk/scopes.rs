//! Variables and the scopes that have them.

use bunraku_engine::loader::setting_names;
use bunraku_index::Kind;
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_syntax::ast::{Node, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Walker, any, either};
use crate::codes::Code;
use crate::facts;
use crate::finding::{Finding, Severity};
use crate::suggest::nearest;

/// A scope.
pub(crate) struct Frame {
    /// The current and later variables of the scope, each with its type once it is set.
    pub names: FxHashMap<String, Option<Type>>,
    /// Variables that only some ways through the scope have set.
    pub doubtful: FxHashSet<String>,
    /// The kind of scope.
    pub kind: FrameKind,
}

/// What a condition tells of a variable.
#[derive(Clone, Debug)]
pub(crate) struct Narrowed {
    /// The index of its scope.
    pub frame: usize,
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub of: Type,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// The top of a main manifest.
    Top,
    /// A class, with its parent.
    Class(Option<String>),
    /// A defined type.
    Define,
    /// A node definition.
    Node,
    /// A function or plan: only the top scope is around it.
    Function,
    /// A block: all is visible that is around it.
    Block,
    /// A template, whose variables can be those of its caller.
    Template,
}

impl Frame {
    pub fn new(kind: FrameKind) -> Self {
        Self { names: FxHashMap::default(), doubtful: FxHashSet::default(), kind }
    }

    pub fn top() -> Self {
        Self::new(FrameKind::Top)
    }
}

/// Variables that every class and defined type has.
const OWN: &[&str] = &["title", "name", "module_name", "caller_module_name"];

impl Walker<'_, '_> {
    /// Runs work in a new scope, whose body sets variables.
    pub(super) fn within<T>(
        &mut self,
        mut frame: Frame,
        body: Option<NodeId>,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if let Some(body) = body {
            crate::variables::assigned(self.program, body, &mut |name, _| {
                frame.names.entry(name.to_owned()).or_insert(None);
            });
        }
        let narrowed = self.narrowed.len();
        self.frames.push(frame);
        let result = work(self);
        self.frames.pop();
        self.narrowed.truncate(narrowed);
        let frames = self.frames.len();
        self.set.retain(|(frame, _)| *frame < frames);
        result
    }

    /// Notes that a variable is set.
    pub(super) fn set(&mut self, name: &str, of: Type) {
        let Some(at) = self.frames.len().checked_sub(1) else { return };
        self.set.push((at, name.to_owned()));
        self.narrowed.retain(|one| one.frame != at || one.name != name);
        let Some(frame) = self.frames.last_mut() else { return };
        frame.doubtful.remove(name);
        let known = frame.names.entry(name.to_owned()).or_insert(None);
        *known = Some(match known.take() {
            Some(before) => either([before, of]),
            None => of,
        });
    }

    /// A variable as an expression.
    pub(super) fn variable(&mut self, id: NodeId) -> Type {
        let Node::VariableExpression { expr } = *self.program.node(id) else { return any() };
        let Node::QualifiedName { value } = *self.program.node(expr) else { return any() };
        let name = self.program.text(value);
        if name.contains("::") {
            self.qualified(id, name);
            return any();
        }
        self.local(name).unwrap_or_else(|| {
            self.unknown_local(id, name);
            any()
        })
    }

    /// The type of a variable without a namespace; `None` if no scope has it.
    pub(super) fn local(&self, name: &str) -> Option<Type> {
        if name.starts_with(|first: char| first.is_ascii_digit()) {
            // The groups of a match.
            return Some(Type::optional(Type::string(None)));
        }
        let mut is_open = false;
        for (at, frame) in self.frames.iter().enumerate().rev() {
            if let Some(known) = frame.names.get(name) {
                return Some(self.known(at, frame, name, known.as_ref()));
            }
            match &frame.kind {
                FrameKind::Class(parent) => {
                    is_open |= self.parents_have(parent.as_deref(), name);
                    is_open |= OWN.contains(&name);
                    break;
                }
                FrameKind::Define => {
                    is_open |= OWN.contains(&name)
                        || bunraku_engine::catalog::resource_types::is_metaparameter(name);
                    break;
                }
                FrameKind::Template => {
                    is_open = true;
                    break;
                }
                FrameKind::Function => break,
                FrameKind::Top | FrameKind::Node | FrameKind::Block => {}
            }
        }
        (is_open || self.world.has_top_variable(name)).then(any)
    }

    /// The type of a variable that a scope has.
    fn known(&self, at: usize, frame: &Frame, name: &str, known: Option<&Type>) -> Type {
        let narrowed = self.narrowed.iter().rfind(|one| one.frame == at && one.name == name);
        if let Some(narrowed) = narrowed {
            return narrowed.of.clone();
        }
        let Some(known) = known else { return any() };
        if !frame.doubtful.contains(name) {
            return known.clone();
        }
        // Other files may set variables of the top scope, too.
        match frame.kind {
            FrameKind::Top | FrameKind::Node => any(),
            _ => either([known.clone(), TypeKind::Undef.into()]),
        }
    }

    /// The scope and the name of an expression that is a variable of a scope around.
    pub(super) fn variable_of(&self, id: NodeId) -> Option<(usize, String)> {
        let id = self.peeled(id);
        let Node::VariableExpression { expr } = *self.program.node(id) else { return None };
        let Node::QualifiedName { value } = *self.program.node(expr) else { return None };
        let name = self.program.text(value);
        for (at, frame) in self.frames.iter().enumerate().rev() {
            if frame.names.contains_key(name) {
                return Some((at, name.to_owned()));
            }
            if !matches!(frame.kind, FrameKind::Top | FrameKind::Node | FrameKind::Block) {
                return None;
            }
        }
        None
    }

    /// Whether the parents of a class have a variable, or may have it.
    fn parents_have(&self, parent: Option<&str>, name: &str) -> bool {
        let Some(parent) = parent else { return false };
        let class = self.world.class(parent);
        class.is_none_or(|class| self.world.class_has_variable(&class, name).unwrap_or(true))
    }

    fn unknown_local(&mut self, id: NodeId, name: &str) {
        if self.is_guarded(name) {
            return;
        }
        let mut known: FxHashSet<String> = FxHashSet::default();
        for frame in self.frames.iter().rev() {
            known.extend(frame.names.keys().cloned());
            if let FrameKind::Class(Some(parent)) = &frame.kind
                && let Some(class) = self.world.class(parent)
            {
                known.extend(class.variables.iter().cloned());
            }
            if !matches!(frame.kind, FrameKind::Block | FrameKind::Top | FrameKind::Node) {
                break;
            }
        }
        known.extend(self.world.top_variables().map(str::to_owned));
        let near = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
        let message = format!("nothing sets the variable '${name}' here, and it is no known fact");
        let place = self.place(id);
        let near = near.map(|near| format!("${near}"));
        let finding = Finding::new(Code::UnknownVariable, Severity::Warning, place, message);
        let mut finding = finding.meant(near.as_deref(), &self.file.source);
        if finding.fix.is_none() && near.is_some() {
            let text = self.file.source.slice(self.program.span(id));
            if text == format!("${name}") {
                let near = near.unwrap_or_default();
                let message = format!("write '{near}'");
                let place = finding.place.clone();
                finding.fix = Some(crate::finding::Fix { message, place, text: near });
            }
        }
        self.tell(finding);
    }

    /// `$module::class::x`, `$::x`
    fn qualified(&mut self, id: NodeId, name: &str) {
        let absolute = name.strip_prefix("::").unwrap_or(name);
        let Some((class, variable)) = bunraku_syntax::names::split_last(absolute) else {
            if !self.world.has_top_variable(absolute) && !self.is_guarded(absolute) {
                let message = format!(
                    "no manifest sets the variable '$::{absolute}' of the top scope, and it is no known fact"
                );
                let near = nearest(absolute, self.world.top_variables()).map(|near| format!("$::{near}"));
                let finding = Finding::new(Code::UnknownVariable, Severity::Warning, self.place(id), message);
                let finding = finding.meant(near.as_deref(), &self.file.source);
                self.tell(finding);
            }
            return;
        };
        let class = class.to_lowercase();
        if class == "settings" {
            return self.setting(id, variable);
        }
        if matches!(class.as_str(), "facts" | "trusted") || self.is_guarded(&class) {
            return;
        }
        self.note_dependency(absolute, id);
        let Some(known) = self.world.class(&class) else {
            return self.unknown(Kind::Class, &class, id);
        };
        if self.world.class_has_variable(&known, variable) != Some(false) || OWN.contains(&variable) {
            return;
        }
        let near = self.world.nearest_variable(&known, variable).map(|near| format!("${near}"));
        let severity = match self.world.environment.settings.strict_variables {
            true => Severity::Error,
            false => Severity::Warning,
        };
        let message = format!("the class '{class}' has no variable '{variable}'");
        let finding = Finding::new(Code::UnknownVariable, severity, self.place(id), message)
            .related(format!("the class '{class}' is defined here"), Some(known.place()))
            .meant(near.as_deref(), &self.file.source);
        self.tell(finding);
    }

    /// `$settings::x`: whether the setting is known.
    fn setting(&mut self, id: NodeId, name: &str) {
        let given = self.world.environment.settings.others.iter().map(|(name, _)| name.as_str());
        let mut known: Vec<&str> = setting_names().collect();
        known.extend(given.chain(["all_local"]));
        if known.contains(&name) {
            return;
        }
        let near = nearest(name, known).map(|near| format!("$settings::{near}"));
        let message = format!("there is no setting '{name}'");
        let finding = Finding::new(Code::UnknownVariable, Severity::Warning, self.place(id), message);
        let finding = finding.meant(near.as_deref(), &self.file.source);
        self.tell(finding);
    }

    /// `$facts['x']`: whether the fact is known.
    pub(super) fn fact(&mut self, id: NodeId, name: &str) {
        let first = name.split('.').next().unwrap_or_default();
        if facts::is_fact(first) || self.world.index.has(Kind::Fact, first) {
            return;
        }
        let message = format!("'{name}' is none of Facter's facts, and no module here brings it");
        let finding = Finding::new(Code::UnknownFact, Severity::Note, self.place(id), message);
        self.tell(finding);
    }

    /// The type of a variable without `undef`.
    pub(super) fn without_undef(of: &Type) -> Type {
        match of.kind() {
            TypeKind::Optional(Some(of)) => of.clone(),
            _ => of.clone(),
        }
    }
}
