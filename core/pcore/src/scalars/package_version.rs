//! Versions of packages, which follow no scheme.

use std::cmp::Ordering;

use bunraku_syntax::case::upcase;

/// Compares two versions of packages: the reference's `Puppet::Util::Package.versioncmp`.
pub fn compare(a: &str, b: &str) -> Ordering {
    let (mut rest_a, mut rest_b) = (a, b);
    while let (Some(part_a), Some(part_b)) = (version_part(&mut rest_a), version_part(&mut rest_b)) {
        if part_a == part_b {
            continue;
        }
        return match (part_a, part_b) {
            ("-", _) => Ordering::Less,
            (_, "-") => Ordering::Greater,
            (".", _) => Ordering::Less,
            (_, ".") => Ordering::Greater,
            _ => {
                let is_number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit() && c != '0');
                if is_number(part_a) && is_number(part_b) {
                    part_a.len().cmp(&part_b.len()).then_with(|| part_a.cmp(part_b))
                } else {
                    upcase(part_a).cmp(&upcase(part_b))
                }
            }
        };
    }
    a.cmp(b)
}

/// The next part of a version: a dash, a dot, digits, or anything else up to these.
fn version_part<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let first = rest.chars().next()?;
    let end = match first {
        '-' | '.' => 1,
        '0'..='9' => rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()),
        _ => rest.find(|c: char| c.is_ascii_digit() || c == '-' || c == '.').unwrap_or(rest.len()),
    };
    let (part, after) = rest.split_at(end);
    *rest = after;
    Some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_part_by_part() {
        let cases = [
            ("1.10", "1.9", Ordering::Greater),
            ("1.0a", "1.0b", Ordering::Less),
            ("1.0.rc1", "1.0.1", Ordering::Greater),
            ("01", "1", Ordering::Less),
            ("1.2.3", "1.2.03", Ordering::Greater),
            ("2.4.b", "2.4b", Ordering::Less),
            ("1.0", "1.0.0", Ordering::Less),
        ];
        for (a, b, ordering) in cases {
            assert_eq!(compare(a, b), ordering, "{a} {b}");
        }
    }
}
