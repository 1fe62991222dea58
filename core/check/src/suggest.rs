//! Suggestions for unknown names.

/// The name that is nearest to another, if one is near: a letter too much, too few, wrong or swapped.
pub(crate) fn nearest<'n>(wrong: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let most = match wrong.chars().count() {
        0..=2 => 0,
        3..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    within(wrong, names, most)
}

/// The name that another one was meant to be, if it is sure: they differ in one letter of five or more.
pub(crate) fn slip<'n>(wrong: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    (wrong.chars().count() > 4).then(|| within(wrong, names, 1)).flatten()
}

/// The nearest name of those that are not farther than a number of edits.
fn within<'n>(wrong: &str, names: impl IntoIterator<Item = &'n str>, most: usize) -> Option<&'n str> {
    let letters = letters_of(wrong);
    // Each edit changes the set of letters by two at most.
    let may_be_near = |name: &&str| {
        name.len().abs_diff(wrong.len()) <= most * 4
            && (letters_of(name) ^ letters).count_ones() as usize <= most * 2
            && *name != wrong
    };
    let near = names.into_iter().filter(may_be_near).filter_map(|name| {
        let far = distance(wrong, name, most)?;
        Some((far, name))
    });
    near.min_by_key(|(far, name)| (*far, name.len(), *name)).map(|(_, name)| name)
}

/// Which letters a name has, as bits.
fn letters_of(name: &str) -> u64 {
    name.bytes().fold(0, |all, byte| all | 1 << (byte & 63))
}

/// The edit distance (Damerau and Levenshtein, with swapped adjacent letters); `None` if it is more than
/// `most`.
fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > most {
        return None;
    }
    let width = other.len() + 1;
    let mut before: Vec<usize> = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for (row, a) in one.iter().enumerate() {
        let mut next = vec![row + 1; width];
        for (column, b) in other.iter().enumerate() {
            let at = |line: &[usize], column: usize| line.get(column).copied().unwrap_or(usize::MAX / 2);
            let mut cost = at(&last, column) + usize::from(a != b);
            cost = cost.min(at(&last, column + 1) + 1).min(at(&next, column) + 1);
            let is_swapped = row > 0
                && column > 0
                && one.get(row - 1) == Some(b)
                && other.get(column - 1) == Some(a)
                && a != b;
            if is_swapped {
                cost = cost.min(at(&before, column - 1) + 1);
            }
            if let Some(place) = next.get_mut(column + 1) {
                *place = cost;
            }
        }
        before = std::mem::replace(&mut last, next);
    }
    last.last().copied().filter(|far| *far <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        let names = ["ensure", "enable", "content", "source"];
        assert_eq!(nearest("ensrue", names), Some("ensure"));
        assert_eq!(nearest("contnt", names), Some("content"));
        assert_eq!(nearest("sources", names), Some("source"));
        assert_eq!(nearest("owner", names), None);
        assert_eq!(nearest("ab", ["ac"]), None);
        assert_eq!(distance("ab", "ba", 3), Some(1));
        assert_eq!(distance("abc", "", 3), Some(3));
    }
}
