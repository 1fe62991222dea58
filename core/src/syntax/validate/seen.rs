//! Finds what is in a list twice.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// How many members are compared one by one; more are hashed.
const FEW: usize = 32;

/// The different members of a list so far. Most lists are short and without repetitions: then hardly anything is
/// compared.
pub(super) struct Seen<T> {
    /// A set of the rough hashes of all members. What is not in it is new.
    rough: [u64; 4],
    few: Vec<T>,
    many: HashSet<T>,
}

impl<T: Eq + Hash> Seen<T> {
    /// For a list of so many members.
    pub fn of(length: usize) -> Self {
        Self { rough: [0; 4], few: Vec::with_capacity(length.min(FEW)), many: HashSet::new() }
    }

    /// Adds a member; gives it back when it is there already.
    pub fn insert(&mut self, member: T) -> Result<(), T> {
        let mut hasher = FxHasher::default();
        member.hash(&mut hasher);
        let hash = hasher.finish();
        let (word, bit) = (&mut self.rough[hash as usize & 3], 1 << (hash >> 2 & 63));
        if *word & bit != 0 && (self.few.contains(&member) || self.many.contains(&member)) {
            return Err(member);
        }
        *word |= bit;
        if self.few.len() < FEW {
            self.few.push(member);
        } else {
            self.many.insert(member);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_twice_is_found_in_short_lists_and_in_long_ones() {
        for length in [1, FEW, FEW + 1, 10 * FEW] {
            let mut seen = Seen::of(length);
            assert!((0..length).all(|member| seen.insert(member).is_ok()));
            assert!((0..length).all(|member| seen.insert(member) == Err(member)));
        }
    }
}
