//! A catalog's graph as it is drawn: by resource, by class, or with containers as frames.

use indexmap::{IndexMap, IndexSet};
use serde_json::Value as Json;

use super::cycles::Cycles;
use super::model::{CatalogModel, Edge, EdgeKind};
use bunraku_pcore::fuel::Fuel;
use bunraku_syntax::diagnostic::Error;

/// The maximum nesting of containers; deeper ones are drawn beside each other.
const MAX_DEPTH: usize = 40;

/// The number of steps for the place and the cycles of a resource or an edge.
const STEPS_FOR_EACH: u64 = 4;

/// The boxes of a drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Every resource; containment is drawn as edges.
    Resource,
    /// Every class, with the resources in it counted and their relationships put together.
    Class,
    /// Every resource, within frames of what contains it.
    #[default]
    Containment,
}

impl By {
    /// The value for a word: `resource`, `class` or `containment`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "resource" => Some(Self::Resource),
            "class" => Some(Self::Class),
            "containment" => Some(Self::Containment),
            _ => None,
        }
    }
}

/// The kind of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxKind {
    /// A class or a node.
    Class,
    /// A container other than a class.
    Container,
    /// Any other resource.
    Resource,
}

/// A box of a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The label.
    pub label: String,
    /// The kind.
    pub kind: BoxKind,
    /// Whether it is in a cycle.
    pub is_in_cycle: bool,
    /// The number of the box whose frame it is in.
    pub parent: Option<usize>,
    /// Whether others are in its frame.
    pub is_frame: bool,
}

/// A line of a drawing: numbers of boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// The start.
    pub source: usize,
    /// The end with the arrow.
    pub target: usize,
    /// The kind.
    pub kind: EdgeKind,
    /// Whether it is a part of a cycle.
    pub is_in_cycle: bool,
}

/// A drawing without places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// The node that the catalog is for.
    pub title: String,
    /// The boxes.
    pub nodes: Vec<Node>,
    /// The lines.
    pub lines: Vec<Line>,
}

impl Graph {
    /// The graph of a written catalog.
    ///
    /// # Errors
    /// It is not a catalog, or the fuel runs out.
    pub fn of_json(catalog: &Json, by: By, fuel: &dyn Fuel) -> Result<Self, Error> {
        let model = CatalogModel::read(catalog, fuel)?;
        let size = model.resources.len().saturating_add(model.edges.len());
        fuel.charge((size as u64).saturating_mul(STEPS_FOR_EACH))?;
        Self::new(&model, by, fuel)
    }

    /// The graph of a catalog.
    ///
    /// # Errors
    /// The fuel runs out, or the work is cancelled.
    pub fn new(model: &CatalogModel, by: By, fuel: &dyn Fuel) -> Result<Self, Error> {
        let cycles = Cycles::of(model, fuel)?;
        let containers = containers(model);
        Ok(match by {
            By::Resource => Self::of_resources(model, &cycles, None),
            By::Containment => Self::of_resources(model, &cycles, Some(&containers)),
            By::Class => Self::of_classes(model, &cycles, &containers),
        })
    }

    fn of_resources(
        model: &CatalogModel,
        cycles: &Cycles,
        containers: Option<&IndexMap<&str, &str>>,
    ) -> Self {
        let is_shown = |reference: &&str| !is_scenery(reference) || is_related(model, reference);
        let shown: IndexSet<&str> = model.resources.keys().map(String::as_str).filter(is_shown).collect();
        let frames: IndexSet<&str> = containers.into_iter().flat_map(|of| of.values().copied()).collect();
        let node = |reference: &&str| Node {
            label: (*reference).to_owned(),
            kind: kind_of(reference, frames.contains(reference)),
            is_in_cycle: cycles.has_resource(reference),
            parent: containers.and_then(|of| shown.get_index_of(of.get(reference)?)),
            is_frame: false,
        };
        let mut graph =
            Self { title: model.name.clone(), nodes: shown.iter().map(node).collect(), lines: Vec::new() };
        let parents: Vec<usize> = graph.nodes.iter().filter_map(|node| node.parent).collect();
        for parent in parents {
            if let Some(node) = graph.nodes.get_mut(parent) {
                node.is_frame = true;
            }
        }
        let line = |edge: &Edge| {
            let is_drawn = edge.relationship != EdgeKind::Contains || containers.is_none();
            is_drawn.then_some(())?;
            Some(Line {
                source: shown.get_index_of(edge.source.as_str())?,
                target: shown.get_index_of(edge.target.as_str())?,
                kind: edge.relationship,
                is_in_cycle: cycles.has_edge(edge),
            })
        };
        graph.lines = model.edges.iter().filter_map(line).collect();
        graph
    }

    fn of_classes(model: &CatalogModel, cycles: &Cycles, containers: &IndexMap<&str, &str>) -> Self {
        let class_of = |reference: &str| {
            let mut at = model.resources.get_key_value(reference).map(|(reference, _)| reference.as_str())?;
            for _ in 0..MAX_DEPTH {
                if is_class(at) {
                    return Some(at);
                }
                at = containers.get(at)?;
            }
            None
        };
        let mut counts: IndexMap<&str, usize> = IndexMap::new();
        let mut red: IndexSet<&str> = IndexSet::new();
        for reference in model.resources.keys() {
            let Some(class) = class_of(reference).filter(|class| *class != "Class[Settings]") else {
                continue;
            };
            *counts.entry(class).or_default() += usize::from(class != reference.as_str());
            if cycles.has_resource(reference) {
                red.insert(class);
            }
        }
        let node = |(reference, count): (&&str, &usize)| Node {
            label: match count {
                0 => (*reference).to_owned(),
                1 => format!("{reference}\n1 resource"),
                count => format!("{reference}\n{count} resources"),
            },
            kind: BoxKind::Class,
            is_in_cycle: red.contains(reference),
            parent: None,
            is_frame: false,
        };
        let nodes = counts.iter().map(node).collect();
        let mut lines: IndexMap<(usize, usize, EdgeKind), bool> = IndexMap::new();
        for edge in &model.edges {
            let ends = (class_of(&edge.source), class_of(&edge.target));
            let (Some(source), Some(target)) = ends else { continue };
            let ends = (counts.get_index_of(source), counts.get_index_of(target));
            if let ((Some(source), Some(target)), true) = (ends, source != target) {
                *lines.entry((source, target, edge.relationship)).or_default() |= cycles.has_edge(edge);
            }
        }
        let line = |((source, target, kind), is_in_cycle)| Line { source, target, kind, is_in_cycle };
        Self { title: model.name.clone(), nodes, lines: lines.into_iter().map(line).collect() }
    }
}

/// The container of each resource: the first one, unless that closes a ring or is nested too deep.
fn containers(model: &CatalogModel) -> IndexMap<&str, &str> {
    let mut containers: IndexMap<&str, &str> = IndexMap::new();
    for edge in model.edges.iter().filter(|edge| edge.relationship == EdgeKind::Contains) {
        let (source, target) = (edge.source.as_str(), edge.target.as_str());
        if containers.contains_key(target) || is_scenery(source) || !model.resources.contains_key(source) {
            continue;
        }
        let mut at = Some(source);
        let mut depth = 0;
        while let Some(container) = at.filter(|&container| container != target && depth < MAX_DEPTH) {
            at = containers.get(container).copied();
            depth += 1;
        }
        if at.is_none() {
            containers.insert(target, source);
        }
    }
    containers
}

/// Whether a resource takes part in a relationship.
fn is_related(model: &CatalogModel, reference: &str) -> bool {
    let mut edges = model.edges.iter().filter(|edge| edge.relationship != EdgeKind::Contains);
    edges.any(|edge| edge.source == reference || edge.target == reference)
}

/// Whether every catalog contains the resource.
fn is_scenery(reference: &str) -> bool {
    matches!(reference, "Stage[main]" | "Class[Settings]")
}

fn is_class(reference: &str) -> bool {
    reference.starts_with("Class[") || reference.starts_with("Node[")
}

fn kind_of(reference: &str, is_container: bool) -> BoxKind {
    match (is_class(reference), is_container) {
        (true, _) => BoxKind::Class,
        (false, true) => BoxKind::Container,
        (false, false) => BoxKind::Resource,
    }
}
