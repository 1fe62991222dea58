//! Definitions: their parameters and bodies.

use bunraku_engine::catalog::resource_types::is_metaparameter;
use bunraku_index::Kind;
use bunraku_pcore::types::{Type, TypeKind, mismatch};
use bunraku_syntax::ast::{List, Node, NodeId};

use super::names::absolute;
use super::operators::is_undef;
use super::scopes::{Frame, FrameKind};
use super::{Walker, any};
use crate::codes::Code;
use crate::finding::{Finding, Severity};
use crate::overlap::overlap;

impl Walker<'_, '_> {
    pub(super) fn definition(&mut self, id: NodeId) -> Type {
        match *self.program.node(id) {
            Node::HostClassDefinition { name, parameters, body, parent_class, .. } => {
                let parent = parent_class.map(|parent| absolute(self.program.text(parent)));
                let parent = parent.filter(|parent| !parent.is_empty());
                if let Some(parent) = &parent
                    && parent != "default"
                {
                    self.check_parent(parent, id);
                }
                let mut frame = Frame::new(FrameKind::Class(parent));
                let title = Type::string_value(self.program.text(name).to_lowercase());
                frame.names.insert("title".to_owned(), Some(title));
                self.scope(frame, parameters, body, None);
            }
            Node::ResourceTypeDefinition { parameters, body, .. } => {
                self.scope(Frame::new(FrameKind::Define), parameters, body, None);
            }
            Node::FunctionDefinition { parameters, body, return_type, .. } => {
                self.scope(Frame::new(FrameKind::Function), parameters, body, return_type);
            }
            Node::PlanDefinition { parameters, body, return_type, .. } => {
                let is_around = std::mem::replace(&mut self.is_in_plan, true);
                self.scope(Frame::new(FrameKind::Function), parameters, body, return_type);
                self.is_in_plan = is_around;
            }
            Node::NodeDefinition { host_matches, body, .. } => {
                self.all(host_matches);
                self.scope(Frame::new(FrameKind::Node), List::EMPTY, body, None);
            }
            Node::TypeAlias { type_expr: Some(of), .. } => drop(self.check_type_expression(of)),
            _ => {}
        }
        any()
    }

    fn check_parent(&mut self, parent: &str, id: NodeId) {
        let before = self.findings.len();
        if !self.check_name(Kind::Class, parent, id) {
            // The place is only that of the name.
            let extent = self.program.extent(id);
            let text = self.file.source.slice(extent);
            let at = text.find("inherits").map(|at| at + "inherits".len());
            let name = at.and_then(|at| {
                let rest = text.get(at..)?;
                let skipped = rest.len() - rest.trim_start().len();
                let name: usize = rest.trim_start().find(|char: char| char.is_whitespace() || char == '{')?;
                Some((at + skipped, name))
            });
            if let (Some((at, length)), Some(finding)) = (name, self.findings.get_mut(before)) {
                let start = extent.start + at as u32;
                let span = bunraku_syntax::source::Span::new(start, start + length as u32);
                finding.place = crate::finding::Place::of(&self.file.source, span);
                finding.fix = None;
            }
        }
    }

    /// The scope of a definition.
    fn scope(&mut self, frame: Frame, parameters: List, body: Option<NodeId>, returns: Option<NodeId>) {
        let conditions = std::mem::take(&mut self.conditions);
        let blocks = std::mem::take(&mut self.blocks);
        let declarations = std::mem::take(&mut self.declarations);
        let set = std::mem::take(&mut self.set);
        let has_ended = std::mem::take(&mut self.has_ended);
        let is_resource = matches!(frame.kind, FrameKind::Class(_) | FrameKind::Define);
        let returned = returns.map(|of| self.parameter_type(Some(of)));
        self.within(frame, body, |walker| {
            walker.parameters(parameters, is_resource);
            let result = walker.optional(body);
            if let (Some(wanted), Some(body), false) = (returned, body, walker.has_ended) {
                walker.check_return(&wanted, &result, body);
            }
        });
        (self.conditions, self.blocks, self.declarations) = (conditions, blocks, declarations);
        (self.set, self.has_ended) = (set, has_ended);
    }

    /// Parameters with their types and defaults.
    pub(super) fn parameters(&mut self, parameters: List, is_resource: bool) {
        let mut types = Vec::new();
        let bound = self.trial.as_mut().map(|trial| std::mem::take(&mut trial.bound)).unwrap_or_default();
        // Defaults can use later parameters.
        for &id in self.program.list(parameters) {
            if let Node::Parameter { name, type_expr, captures_rest, .. } = *self.program.node(id) {
                let of = self.parameter_type(type_expr);
                let name = self.program.text(name).to_owned();
                let visible = match bound.get(&name) {
                    Some(Some(given)) => given.clone(),
                    _ if captures_rest => Type::array(any(), None),
                    _ => of.clone(),
                };
                if let Some(frame) = self.frames.last_mut() {
                    frame.names.insert(name, Some(visible));
                }
                types.push((id, of));
            }
        }
        for (id, of) in types {
            let Node::Parameter { name, value: Some(value), .. } = *self.program.node(id) else { continue };
            let given = self.eval(value);
            let name = self.program.text(name);
            if let (Some(None), Some(frame)) = (bound.get(name), self.frames.last_mut()) {
                frame.names.insert(name.to_owned(), Some(given.clone()));
            }
            if is_undef(&given) && (!is_resource || is_metaparameter(name)) {
                continue;
            }
            if !overlap(&of, &given) {
                let message = mismatch::describe(&format!("parameter '{name}'"), &of, &given);
                let place = self.place(value);
                let finding = Finding::new(
                    Code::WrongType,
                    Severity::Warning,
                    place,
                    format!("the default does not fit: {message}"),
                );
                self.tell(finding);
            }
        }
    }

    fn check_return(&mut self, wanted: &Type, given: &Type, body: NodeId) {
        // `return()` can return something else; all other paths end with the last expression.
        if overlap(wanted, given) || matches!(given.kind(), TypeKind::Any) {
            return;
        }
        let last = match *self.program.node(body) {
            Node::BlockExpression { statements } => self.program.list(statements).last().copied(),
            _ => Some(body),
        };
        let message = mismatch::describe("the returned value", wanted, given);
        self.error(Code::WrongReturn, last.unwrap_or(body), message);
    }

    /// A template in EPP.
    pub(super) fn template(&mut self) {
        let body = self.program.body();
        let (parameters, inner, is_closed) = match *self.program.node(body) {
            Node::LambdaExpression { parameters, body, .. } => {
                let specified = body.is_some_and(|body| {
                    matches!(self.program.node(body), Node::EppExpression { parameters_specified: true, .. })
                });
                (parameters, body, specified)
            }
            _ => (List::EMPTY, Some(body), false),
        };
        let kind = if is_closed { FrameKind::Function } else { FrameKind::Template };
        self.within(Frame::new(kind), inner, |walker| {
            walker.parameters(parameters, false);
            walker.optional(inner);
        });
    }
}
