//! The cycles of a written catalog.

use indexmap::IndexSet;

use super::model::{CatalogModel, Edge, EdgeKind};
use bunraku_engine::catalog::cycles::{self, Dependencies};
use bunraku_pcore::fuel::Fuel;
use bunraku_syntax::diagnostic::Error;

/// The cycles of a catalog, by references.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cycles {
    references: IndexSet<String>,
    found: cycles::Cycles,
}

impl Cycles {
    /// Finds the cycles.
    ///
    /// # Errors
    /// The fuel runs out, or the work is cancelled.
    pub fn of(model: &CatalogModel, fuel: &dyn Fuel) -> Result<Self, Error> {
        let references: IndexSet<String> = model.resources.keys().cloned().collect();
        let is_containment = |edge: &&Edge| edge.relationship == EdgeKind::Contains;
        let containers: IndexSet<&str> =
            model.edges.iter().filter(is_containment).map(|edge| edge.source.as_str()).collect();
        let mut dependencies = Dependencies::default();
        for (reference, resource) in &model.resources {
            let is_container = matches!(resource.type_name.as_str(), "Class" | "Stage");
            dependencies.add(reference.clone(), is_container || containers.contains(reference.as_str()));
        }
        for edge in &model.edges {
            if let Some((source, target)) = numbers(&references, edge) {
                match edge.relationship {
                    EdgeKind::Contains => dependencies.contain(source, target),
                    EdgeKind::Before | EdgeKind::Notify => dependencies.order(source, target),
                }
            }
        }
        Ok(Self { found: cycles::Cycles::of(&dependencies, fuel)?, references })
    }

    /// Whether a resource is in a cycle.
    pub fn has_resource(&self, reference: &str) -> bool {
        self.references.get_index_of(reference).is_some_and(|number| self.found.has(number))
    }

    /// Whether an edge is a part of a cycle.
    pub fn has_edge(&self, edge: &Edge) -> bool {
        numbers(&self.references, edge).is_some_and(|(source, target)| match edge.relationship {
            EdgeKind::Contains => self.found.has_containment(source, target),
            EdgeKind::Before | EdgeKind::Notify => self.found.has_order(source, target),
        })
    }
}

/// The numbers of the ends of an edge.
fn numbers(references: &IndexSet<String>, edge: &Edge) -> Option<(usize, usize)> {
    Some((references.get_index_of(edge.source.as_str())?, references.get_index_of(edge.target.as_str())?))
}
