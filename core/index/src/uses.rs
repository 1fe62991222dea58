//! The references in a program.

use bunraku_syntax::ast::{List, Node, NodeId, Program};

use super::definitions::absolute;
use super::{Definition, Kind, Usage, Use};

/// Functions that declare classes by their arguments.
pub(crate) const INCLUDES: &[&str] = &["include", "contain", "require"];
/// Functions that look up data by their first argument.
const LOOKUPS: &[&str] = &["lookup", "hiera", "hiera_array", "hiera_hash", "hiera_include"];

/// The references in a program, in source order.
pub(crate) fn of_program(program: &Program, definitions: &[Definition]) -> Vec<Use> {
    let mut reader = Reader { program, uses: Vec::new() };
    // The arena also contains nodes that the parser has replaced.
    program.descendants(program.body()).into_iter().for_each(|id| reader.node(id));
    let mut uses = reader.uses;
    uses.sort_by_key(|one| one.span.start);
    for one in &mut uses {
        let around = |definition: &Definition| {
            definition.node.is_some()
                && definition.span.start <= one.span.start
                && one.span.end <= definition.span.end
        };
        let mut places = definitions.iter().enumerate().filter(|(_, definition)| around(definition));
        one.inside = places.next_back().map(|(index, _)| index);
    }
    uses
}

struct Reader<'p> {
    program: &'p Program,
    uses: Vec<Use>,
}

impl Reader<'_> {
    fn add(&mut self, kind: Kind, usage: Usage, name: &str, title: Option<String>, node: NodeId) {
        let name = match kind {
            Kind::Variable => name.strip_prefix("::").unwrap_or(name).to_owned(),
            Kind::DataKey | Kind::Template | Kind::File => name.to_owned(),
            _ => absolute(name),
        };
        let span = self.program.span(node);
        self.uses.push(Use { kind, usage, name, title, span, node, inside: None });
    }

    /// The text of a literal.
    fn literal(&self, id: NodeId) -> Option<&str> {
        literal(self.program, id)
    }

    fn node(&mut self, id: NodeId) {
        let program = self.program;
        match *program.node(id) {
            Node::VariableExpression { expr } => {
                if let Node::QualifiedName { value } = *program.node(expr) {
                    self.add(Kind::Variable, Usage::Refer, program.text(value), None, id);
                }
            }
            Node::AssignmentExpression { left_expr, .. } => self.assigned(left_expr),
            Node::CallNamedFunctionExpression { functor_expr, arguments, .. } => {
                if let Node::QualifiedName { value } = *program.node(functor_expr) {
                    let name = program.text(value);
                    self.add(Kind::Function, Usage::Call, name, None, functor_expr);
                    self.arguments(name, program.list(arguments));
                }
            }
            Node::CallMethodExpression { functor_expr, arguments, .. } => {
                if let Node::NamedAccessExpression { left_expr, right_expr } = *program.node(functor_expr)
                    && let Node::QualifiedName { value } = *program.node(right_expr)
                {
                    let name = program.text(value);
                    self.add(Kind::Function, Usage::Call, name, None, right_expr);
                    let mut given = vec![left_expr];
                    given.extend(program.list(arguments));
                    self.arguments(name, &given);
                }
            }
            Node::ResourceExpression { type_name, bodies, .. } => self.resource(type_name, bodies),
            Node::ResourceDefaultsExpression { type_ref: Some(of), .. } => self.overridden(of),
            Node::CollectExpression { type_expr, .. } => self.overridden(type_expr),
            Node::AccessExpression { left_expr, keys } => self.access(left_expr, keys),
            Node::QualifiedReference { cased_value } => {
                self.add(Kind::Type, Usage::Refer, program.text(cased_value), None, id);
            }
            Node::HostClassDefinition { parent_class: Some(parent), .. } if !parent.is_empty() => {
                self.add(Kind::Class, Usage::Include, program.text(parent), None, id);
            }
            _ => {}
        }
    }

    /// Variables that are assigned.
    fn assigned(&mut self, left: NodeId) {
        match *self.program.node(left) {
            Node::VariableExpression { expr } => {
                if let Node::QualifiedName { value } = *self.program.node(expr) {
                    self.add(Kind::Variable, Usage::Assign, self.program.text(value), None, left);
                }
            }
            Node::LiteralList { values } => {
                for &value in self.program.list(values) {
                    if !matches!(self.program.node(value), Node::LiteralList { .. }) {
                        self.assigned(value);
                    }
                }
            }
            _ => {}
        }
    }

    /// The arguments of functions that take names of classes, templates, files and keys.
    fn arguments(&mut self, name: &str, arguments: &[NodeId]) {
        if INCLUDES.contains(&name) {
            for &argument in arguments {
                let list = match *self.program.node(argument) {
                    Node::LiteralList { values } => self.program.list(values),
                    _ => std::slice::from_ref(&argument),
                };
                for &one in list {
                    if let Some(class) = self.literal(one) {
                        let class = class.to_owned();
                        self.add(Kind::Class, Usage::Include, &class, None, one);
                    }
                }
            }
            return;
        }
        let (kind, usage) = match name {
            "template" | "epp" => (Kind::Template, Usage::Refer),
            "file" => (Kind::File, Usage::Refer),
            name if LOOKUPS.contains(&name) => (Kind::DataKey, Usage::Lookup),
            _ => return,
        };
        if let Some(&first) = arguments.first()
            && let Some(text) = self.literal(first)
        {
            let text = text.to_owned();
            self.add(kind, usage, &text, None, first);
        }
    }

    fn resource(&mut self, type_name: NodeId, bodies: List) {
        let Some(name) = self.literal(type_name).map(str::to_owned) else { return };
        for &body in self.program.list(bodies) {
            let Node::ResourceBody { title: Some(title), .. } = *self.program.node(body) else { continue };
            let titles = match *self.program.node(title) {
                Node::LiteralList { values } => self.program.list(values),
                _ => std::slice::from_ref(&title),
            };
            for &title in titles {
                let text = self.literal(title).map(str::to_owned);
                match (name.as_str(), &text) {
                    ("class", Some(class)) => self.add(Kind::Class, Usage::Include, class, None, title),
                    ("class", None) => {}
                    _ => self.add(Kind::Resource, Usage::Declare, &name, text, title),
                }
            }
        }
    }

    /// Defaults of a type, and overrides of its collected resources.
    fn overridden(&mut self, of: NodeId) {
        if let Node::QualifiedReference { cased_value } = *self.program.node(of) {
            self.add(Kind::Resource, Usage::Override, self.program.text(cased_value), None, of);
        }
    }

    /// `Class['x']`, `File['/x']`
    fn access(&mut self, left: NodeId, keys: List) {
        let Node::QualifiedReference { cased_value } = *self.program.node(left) else { return };
        let name = self.program.text(cased_value).to_owned();
        for &key in self.program.list(keys) {
            let Some(title) = self.literal(key).map(str::to_owned) else { continue };
            match name.as_str() {
                "Class" => self.add(Kind::Class, Usage::Refer, &title, None, key),
                _ => self.add(Kind::Resource, Usage::Refer, &name, Some(title), key),
            }
        }
    }
}

/// The text of a literal string or a name.
pub(crate) fn literal(program: &Program, id: NodeId) -> Option<&str> {
    match *program.node(id) {
        Node::LiteralString { value } | Node::QualifiedName { value } => Some(program.text(value)),
        Node::ConcatenatedString { segments } => match *program.list(segments) {
            [only] => match *program.node(only) {
                Node::LiteralString { value } => Some(program.text(value)),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}
