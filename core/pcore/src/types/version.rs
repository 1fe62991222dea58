//! Ranges of semantic versions as `SemVer` types hold them. Follows the reference's `p_sem_ver_type.rb`.

use std::sync::Arc;

use super::VersionRange;

/// The ranges with those that overlap or touch made one.
pub(crate) fn merge_ranges(mut ranges: Vec<Arc<VersionRange>>) -> Vec<Arc<VersionRange>> {
    if ranges.len() < 2 {
        return ranges;
    }
    let mut result = Vec::new();
    while let Some(mut merged) = ranges.pop() {
        let mut left = Vec::new();
        for range in ranges {
            match merged.merge(&range) {
                Some(both) => merged = Arc::new(both),
                None => left.push(range),
            }
        }
        result.push(merged);
        ranges = left;
    }
    result.reverse();
    result
}
