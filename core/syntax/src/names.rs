//! Names with namespaces, `a::b`. They are searched for colons, because most are short, and a substring
//! search has a set-up cost each time.

use memchr::{memchr_iter, memrchr_iter};

/// Whether `::` begins at a colon.
#[inline]
fn is_pair(name: &str, at: usize) -> bool {
    name.as_bytes().get(at + 1) == Some(&b':')
}

/// Whether a name has a namespace.
#[inline]
pub fn is_qualified(name: &str) -> bool {
    memchr_iter(b':', name.as_bytes()).any(|at| is_pair(name, at))
}

/// The parts before and after the first `::`.
pub fn split_first(name: &str) -> Option<(&str, &str)> {
    let at = memchr_iter(b':', name.as_bytes()).find(|&at| is_pair(name, at))?;
    Some((name.get(..at)?, name.get(at + 2..)?))
}

/// The parts before and after the last `::`.
pub fn split_last(name: &str) -> Option<(&str, &str)> {
    let at = memrchr_iter(b':', name.as_bytes()).find(|&at| is_pair(name, at))?;
    Some((name.get(..at)?, name.get(at + 2..)?))
}

/// The segments between `::`.
pub fn segments(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(name);
    std::iter::from_fn(move || {
        let name = rest?;
        match split_first(name) {
            Some((segment, behind)) => {
                rest = Some(behind);
                Some(segment)
            }
            None => rest.take(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_as_by_searches() {
        for name in ["", "a", "::", "a::b", "::a", "a::", "a::b::c", "a:::b", "a::::b", ":::", "é::ü"] {
            assert_eq!(is_qualified(name), name.contains("::"), "{name}");
            assert_eq!(split_first(name), name.split_once("::"), "{name}");
            assert_eq!(split_last(name), name.rsplit_once("::"), "{name}");
            assert!(segments(name).eq(name.split("::")), "{name}");
        }
    }
}
