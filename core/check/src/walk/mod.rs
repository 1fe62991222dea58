//! Expressions: their mistakes, and a type that contains all their possible values.

mod bodies;
mod calls;
mod comparisons;
mod conditions;
mod declaring;
mod definitions;
mod files;
mod legacy;
mod literals;
mod lookups;
mod names;
mod operators;
mod plans;
mod resources;
mod scopes;

use bunraku_index::{FileIndex, Role};
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_syntax::ast::{List, Node, NodeId, Program};
use bunraku_syntax::source::Span;
use rustc_hash::FxHashMap;

use super::codes::{Code, Subject};
use super::finding::{Finding, Place, Severity};
use super::world::World;
use bodies::Trial;
pub(crate) use bodies::{MAX_EXPRESSIONS, Question, Trouble};
use resources::Declaration;
use scopes::{Frame, Narrowed};

/// The maximum depth of visited expressions.
const MAX_DEPTH: u32 = 300;

/// Checks a file.
pub(crate) fn file(world: &World<'_>, file: &FileIndex, findings: &mut Vec<Finding>) {
    let Some(program) = &file.program else { return };
    let mut walker = Walker::new(world, file, program);
    match file.role {
        Role::Epp => walker.template(),
        _ => {
            walker.frames.push(Frame::top());
            walker.eval(program.body());
        }
    }
    findings.append(&mut walker.findings);
}

/// Walks through a file.
pub(crate) struct Walker<'a, 'w> {
    world: &'a World<'w>,
    file: &'a FileIndex,
    program: &'a Program,
    /// The scopes around, the innermost last.
    frames: Vec<Frame>,
    depth: u32,
    /// The conditions around: the statement, and which of its ways.
    conditions: Vec<(NodeId, u32)>,
    /// The number of enclosing blocks of functions.
    blocks: u32,
    /// Names that a condition around asks for with `defined`.
    guards: Vec<String>,
    /// Resources with literal titles that the scope in hand has declared.
    declarations: FxHashMap<(String, String), Vec<Declaration>>,
    findings: Vec<Finding>,
    is_complete: bool,
    is_in_plan: bool,
    /// Types that the conditions around tell of variables, the innermost last.
    narrowed: Vec<Narrowed>,
    /// The variables that the way in hand sets, with their scopes.
    set: Vec<(usize, String)>,
    /// Whether evaluation ends before the place in hand.
    has_ended: bool,
    /// The number of ways around that are never taken.
    dead: u32,
    /// The evaluation of a body with the values of a declaration, if it is one.
    trial: Option<Trial>,
    /// The number of bodies around that are evaluated so.
    depth_of_bodies: u32,
}

/// Any value.
fn any() -> Type {
    TypeKind::Any.into()
}

/// The combined type of several branches.
fn either(types: impl IntoIterator<Item = Type>) -> Type {
    let mut all: Vec<Type> = Vec::new();
    for of in types {
        match of.kind() {
            TypeKind::Any => return of,
            TypeKind::Variant(members) => {
                for member in members {
                    if !all.contains(member) {
                        all.push(member.clone());
                    }
                }
            }
            _ if all.contains(&of) => {}
            _ => all.push(of),
        }
    }
    match all.len() {
        0 => TypeKind::Undef.into(),
        1 => all.pop().unwrap_or_else(any),
        2..=32 => Type::variant(all),
        _ => any(),
    }
}

impl<'a, 'w> Walker<'a, 'w> {
    fn new(world: &'a World<'w>, file: &'a FileIndex, program: &'a Program) -> Self {
        Self {
            world,
            file,
            program,
            frames: Vec::new(),
            depth: 0,
            conditions: Vec::new(),
            blocks: 0,
            guards: Vec::new(),
            declarations: FxHashMap::default(),
            findings: Vec::new(),
            is_complete: world.is_complete(file),
            is_in_plan: false,
            narrowed: Vec::new(),
            set: Vec::new(),
            has_ended: false,
            dead: 0,
            trial: None,
            depth_of_bodies: 0,
        }
    }
}

impl Walker<'_, '_> {
    fn place(&self, id: NodeId) -> Place {
        Place::of(&self.file.source, self.program.extent(id))
    }

    fn place_of(&self, span: Span) -> Place {
        Place::of(&self.file.source, span)
    }

    /// Adds a finding. In code that is never evaluated, names are looked at and values are not.
    fn tell(&mut self, mut finding: Finding) {
        if let Some(trial) = &mut self.trial {
            if self.dead == 0 {
                self.findings.extend(trial.judge(self.program, finding, self.blocks > 0));
            }
            return;
        }
        if self.dead > 0 {
            if matches!(finding.code.subject(), Subject::Types | Subject::Flow) {
                return;
            }
            finding.severity = finding.severity.max(Severity::Warning);
        }
        self.findings.push(finding);
    }

    fn error(&mut self, code: Code, id: NodeId, message: impl Into<String>) {
        let finding = Finding::new(code, Severity::Error, self.place(id), message);
        self.tell(finding);
    }

    /// Whether the place in hand is reached whenever its definition is evaluated.
    fn is_unconditional(&self) -> bool {
        self.conditions.is_empty() && self.blocks == 0
    }

    /// Notes that a file uses something that another module may define.
    fn note_dependency(&self, name: &str, id: NodeId) {
        if self.trial.is_none() {
            self.world.note_dependency(self.file, name, id);
        }
    }

    fn all(&mut self, list: List) -> Vec<Type> {
        self.program.list(list).iter().map(|&id| self.eval(id)).collect()
    }

    /// Looks at an expression; the type of its values.
    fn eval(&mut self, id: NodeId) -> Type {
        let is_over = |trial: &Trial| trial.is_over() || !self.world.spend();
        if self.depth >= MAX_DEPTH || self.trial.as_ref().is_some_and(is_over) {
            return any();
        }
        self.depth += 1;
        let of = self.node(id);
        self.depth -= 1;
        of
    }

    fn optional(&mut self, id: Option<NodeId>) -> Type {
        id.map_or_else(|| TypeKind::Undef.into(), |id| self.eval(id))
    }

    fn node(&mut self, id: NodeId) -> Type {
        match *self.program.node(id) {
            Node::ParenthesizedExpression { expr } | Node::TextExpression { expr } => self.eval(expr),
            Node::HeredocExpression { text_expr, .. } => self.eval(text_expr),
            Node::BlockExpression { statements } | Node::ApplyBlockExpression { statements } => {
                self.statements(statements)
            }
            Node::UnfoldExpression { expr } | Node::RenderExpression { expr } => {
                self.eval(expr);
                any()
            }
            Node::EppExpression { body, .. } => self.optional(body),
            Node::NotExpression { .. }
            | Node::UnaryMinusExpression { .. }
            | Node::ArithmeticExpression { .. }
            | Node::ComparisonExpression { .. }
            | Node::MatchExpression { .. }
            | Node::InExpression { .. }
            | Node::AndExpression { .. }
            | Node::OrExpression { .. }
            | Node::AssignmentExpression { .. } => self.operator(id),
            Node::RelationshipExpression { left_expr, right_expr, .. } => {
                self.relationship(left_expr);
                self.relationship(right_expr)
            }
            Node::AccessExpression { left_expr, keys } => self.access(left_expr, keys),
            Node::IfExpression { .. }
            | Node::UnlessExpression { .. }
            | Node::CaseExpression { .. }
            | Node::SelectorExpression { .. } => self.condition(id),
            Node::CallFunctionExpression { .. }
            | Node::CallNamedFunctionExpression { .. }
            | Node::CallMethodExpression { .. } => self.call(id),
            Node::NamedAccessExpression { left_expr, .. } => {
                self.eval(left_expr);
                any()
            }
            Node::ResourceExpression { type_name, bodies, .. } => self.resource(type_name, bodies),
            Node::ResourceDefaultsExpression { type_ref, operations, .. } => {
                self.defaults(type_ref, operations)
            }
            Node::ResourceOverrideExpression { resources, operations, .. } => {
                self.resource_override(resources, operations)
            }
            Node::CollectExpression { type_expr, query, operations } => {
                self.collector(type_expr, query, operations)
            }
            Node::VirtualQuery { expr } | Node::ExportedQuery { expr } => self.optional(expr),
            Node::FunctionDefinition { .. }
            | Node::ResourceTypeDefinition { .. }
            | Node::HostClassDefinition { .. }
            | Node::PlanDefinition { .. }
            | Node::NodeDefinition { .. }
            | Node::TypeAlias { .. }
            | Node::TypeDefinition { .. }
            | Node::TypeMapping { .. } => self.definition(id),
            Node::VariableExpression { .. } => self.variable(id),
            Node::QualifiedReference { .. } => self.type_name(id),
            Node::ApplyExpression { arguments, body } => {
                self.all(arguments);
                // Each `apply` makes catalogs of its own.
                let declarations = std::mem::take(&mut self.declarations);
                self.optional(body);
                self.declarations = declarations;
                any()
            }
            // Visited by their parents.
            Node::LambdaExpression { .. }
            | Node::Parameter { .. }
            | Node::KeyedEntry { .. }
            | Node::CaseOption { .. }
            | Node::SelectorEntry { .. }
            | Node::AttributeOperation { .. }
            | Node::AttributesOperation { .. }
            | Node::ResourceBody { .. } => any(),
            _ => self.literal(id),
        }
    }
}
