//! Classes that declare each other in a circle.

use bunraku_index::{FileIndex, Kind, Usage, Use};
use bunraku_syntax::ast::{Node, NodeId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use super::codes::Code;
use super::finding::{Finding, Place, Severity};
use super::world::World;

/// A class that another one declares.
struct Edge<'w> {
    to: &'w str,
    file: &'w FileIndex,
    at: &'w Use,
    /// Whether it orders the classes, and is made whenever the first one is evaluated.
    is_strict: bool,
}

type Edges<'w> = FxHashMap<&'w str, Vec<Edge<'w>>>;

/// Reports classes that declare themselves by way of others.
pub(crate) fn check(world: &World<'_>, findings: &mut Vec<Finding>) {
    let edges = edges(world);
    let mut names: Vec<&str> = edges.keys().copied().collect();
    names.sort_unstable();
    let mut told: FxHashSet<&str> = FxHashSet::default();
    for is_strict in [true, false] {
        for &name in &names {
            if told.contains(name) {
                continue;
            }
            let Some(circle) = circle(&edges, name, is_strict) else { continue };
            told.extend(circle.iter().map(|edge| edge.to));
            findings.extend(finding(name, &circle, is_strict));
        }
    }
}

fn finding(name: &str, circle: &[&Edge<'_>], is_strict: bool) -> Option<Finding> {
    let (first, others) = circle.split_first()?;
    let names: Vec<&str> = std::iter::once(name).chain(circle.iter().map(|edge| edge.to)).collect();
    let (verb, severity) = match is_strict {
        true => ("requires or contains", Severity::Warning),
        false => ("declares", Severity::Note),
    };
    let message = format!("the class {verb} itself: {}", names.join(" -> "));
    let place = |edge: &Edge<'_>| Place::of(&edge.file.source, edge.at.span);
    let finding = Finding::new(Code::IncludeCycle, severity, place(first), message);
    Some(others.iter().fold(finding, |finding, edge| {
        finding.related(format!("'{}' is declared here", edge.to), Some(place(edge)))
    }))
}

/// The classes that each class declares by functions, by their names.
fn edges<'w>(world: &World<'w>) -> Edges<'w> {
    let mut edges: Edges<'w> = FxHashMap::default();
    for file in world.index.files() {
        let Some(program) = &file.program else { continue };
        let uses = file.uses.iter().filter(|one| one.kind == Kind::Class && one.usage == Usage::Include);
        for at in uses {
            let around = at.inside.and_then(|inside| file.definitions.get(inside));
            let Some(around) = around.filter(|around| around.kind == Kind::Class) else { continue };
            let Some(function) = declaring(program, at.node) else { continue };
            let is_strict = function.0 != "include" && is_always(program, function.1, around.node);
            let edge = Edge { to: &at.name, file, at, is_strict };
            edges.entry(&around.name).or_default().push(edge);
        }
    }
    edges
}

/// The function that declares a class with an argument, and its call.
fn declaring(program: &Program, argument: NodeId) -> Option<(&str, NodeId)> {
    let mut id = program.parent(argument)?;
    if matches!(program.node(id), Node::LiteralList { .. }) {
        id = program.parent(id)?;
    }
    let Node::CallNamedFunctionExpression { functor_expr, .. } = *program.node(id) else { return None };
    let Node::QualifiedName { value } = *program.node(functor_expr) else { return None };
    Some((program.text(value), id))
}

/// Whether an expression is evaluated whenever the definition around it is.
pub(crate) fn is_always(program: &Program, id: NodeId, around: Option<NodeId>) -> bool {
    let mut between = program.ancestors(id).take_while(|above| Some(*above) != around);
    !between.any(|above| {
        matches!(
            program.node(above),
            Node::IfExpression { .. }
                | Node::UnlessExpression { .. }
                | Node::CaseExpression { .. }
                | Node::SelectorExpression { .. }
                | Node::AndExpression { .. }
                | Node::OrExpression { .. }
                | Node::LambdaExpression { .. }
        )
    })
}

/// The shortest way from a class back to itself.
fn circle<'e, 'w>(edges: &'e Edges<'w>, name: &str, is_strict: bool) -> Option<Vec<&'e Edge<'w>>> {
    let mut from: FxHashMap<&str, (&str, &'e Edge<'w>)> = FxHashMap::default();
    let mut ways = std::collections::VecDeque::from([name]);
    while let Some(class) = ways.pop_front() {
        let next = edges.get(class).into_iter().flatten().filter(|edge| edge.is_strict || !is_strict);
        for edge in next {
            if edge.to == name {
                let mut way = vec![edge];
                let mut at = class;
                while at != name {
                    let &(before, edge) = from.get(at)?;
                    way.push(edge);
                    at = before;
                }
                way.reverse();
                return Some(way);
            }
            if !from.contains_key(edge.to) {
                from.insert(edge.to, (class, edge));
                ways.push_back(edge.to);
            }
        }
    }
    None
}
