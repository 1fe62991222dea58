//! Names with namespaces, `a::b`. They are scanned byte by byte, because most are short, and a substring
//! search has a set-up cost each time.

/// Whether a name has a namespace.
#[inline]
pub fn is_qualified(name: &str) -> bool {
    name.as_bytes().windows(2).any(|pair| pair == b"::")
}

/// The parts before and after the first `::`.
pub fn split_first(name: &str) -> Option<(&str, &str)> {
    let at = name.as_bytes().windows(2).position(|pair| pair == b"::")?;
    Some((name.get(..at)?, name.get(at + 2..)?))
}

/// The parts before and after the last `::`.
pub fn split_last(name: &str) -> Option<(&str, &str)> {
    let at = name.as_bytes().windows(2).rposition(|pair| pair == b"::")?;
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
