//! Finds repeated members of a list.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hash};

use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::ast::NodeId;

/// The maximum length of lists that need no allocation for their marks.
const SHORT: usize = 64;

/// The members of a list that occur earlier in it, in order. `length` is the approximate length of the list.
///
/// Most lists have no repetitions. So at first only one bit is marked for each member, at a position that
/// depends on its hash: this needs little memory that is close together, even for a long list. Only members
/// whose bit was already marked, and those like them, are compared.
pub(super) fn repeated<T: Eq + Hash>(
    members: impl Iterator<Item = (NodeId, T)> + Clone,
    length: usize,
) -> Vec<(NodeId, T)> {
    let mut few = [0; SHORT / 4];
    let mut many = Vec::new();
    let marks: &mut [u64] = if length <= SHORT {
        &mut few
    } else {
        many.resize((length / 4).next_power_of_two(), 0);
        &mut many
    };
    let last = marks.len() as u64 - 1;
    let hash = |member: &T| FxBuildHasher.hash_one(member);
    let mut suspects: FxHashSet<u64> = HashSet::default();
    for (_, member) in members.clone() {
        let hash = hash(&member);
        let (word, bit) = (&mut marks[(hash >> 6 & last) as usize], 1 << (hash & 63));
        if *word & bit != 0 {
            suspects.insert(hash);
        }
        *word |= bit;
    }
    if suspects.is_empty() {
        return Vec::new();
    }
    let mut seen: HashSet<T> = HashSet::new();
    members
        .filter(|(_, member)| suspects.contains(&hash(member)))
        .filter_map(|(id, member)| {
            if seen.contains(&member) {
                return Some((id, member));
            }
            seen.insert(member);
            None
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_twice_is_found_in_short_lists_and_in_long_ones() {
        for length in [0, 1, 2, SHORT, SHORT + 1, 100 * SHORT] {
            let once = (0..length).filter_map(|number| Some((NodeId::from_index(number as u32)?, number)));
            assert_eq!(repeated(once.clone(), length), []);
            let again = once.clone().skip(length / 2);
            let expected: Vec<(NodeId, usize)> = again.clone().collect();
            assert_eq!(repeated(once.chain(again), length), expected);
        }
    }
}
