//! The resources of a compilation, in pieces: none of them moves when the list grows, and no memory is taken
//! twice while it does.

use std::ops::{Index, IndexMut};

use super::resource::{ResourceId, WorkingResource};

/// The number of resources in a piece.
const PIECE: usize = 32;

/// Resources by number.
#[derive(Debug, Default)]
pub(super) struct Resources {
    /// All but the last one are full.
    pieces: Vec<Vec<WorkingResource>>,
}

impl Resources {
    /// The number of resources.
    pub fn len(&self) -> usize {
        let last = self.pieces.last().map_or(0, Vec::len);
        self.pieces.len().saturating_sub(1) * PIECE + last
    }

    /// Adds a resource with the next number.
    pub fn push(&mut self, resource: WorkingResource) {
        match self.pieces.last_mut().filter(|piece| piece.len() < PIECE) {
            Some(piece) => piece.push(resource),
            None => {
                let mut piece = Vec::with_capacity(PIECE);
                piece.push(resource);
                self.pieces.push(piece);
            }
        }
    }

    /// The resource with a number.
    #[inline]
    pub fn get(&self, number: ResourceId) -> Option<&WorkingResource> {
        self.pieces.get(number / PIECE)?.get(number % PIECE)
    }

    /// The resource with a number, to be changed.
    #[inline]
    pub fn get_mut(&mut self, number: ResourceId) -> Option<&mut WorkingResource> {
        self.pieces.get_mut(number / PIECE)?.get_mut(number % PIECE)
    }

    /// All resources in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &WorkingResource> {
        self.pieces.iter().flatten()
    }

    /// All resources in order, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut WorkingResource> {
        self.pieces.iter_mut().flatten()
    }

    /// The resources from a number on.
    pub fn from(&self, number: ResourceId) -> impl Iterator<Item = (ResourceId, &WorkingResource)> {
        let pieces = self.pieces.iter().skip(number / PIECE).flatten();
        (number..).zip(pieces.skip(number % PIECE))
    }
}

impl Index<ResourceId> for Resources {
    type Output = WorkingResource;
    fn index(&self, number: ResourceId) -> &WorkingResource {
        &self.pieces[number / PIECE][number % PIECE]
    }
}

impl IndexMut<ResourceId> for Resources {
    fn index_mut(&mut self, number: ResourceId) -> &mut WorkingResource {
        &mut self.pieces[number / PIECE][number % PIECE]
    }
}
