//! The files of modules that the library's own functions replace.
//!
//! A module's function can differ in another version. A native one replaces it only if the module's file is
//! one that it was checked against: `stand_ins.txt` contains, for each function, digests of the code of such
//! files.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// The names of functions, with the digests of the code of their files.
static CHECKED: LazyLock<FxHashMap<&'static str, Vec<u64>>> = LazyLock::new(|| {
    let lines = include_str!("stand_ins.txt").lines().filter(|line| !line.starts_with('#'));
    let entry = |line: &'static str| {
        let mut words = line.split_ascii_whitespace();
        let name = words.next()?;
        Some((name, words.filter_map(|word| u64::from_str_radix(word, 16).ok()).collect()))
    };
    lines.filter_map(entry).collect()
});

/// Whether a native function with this name was checked against a file with this text. A file without a
/// function only shows that the module has it.
pub fn is_checked(name: &str, text: &str) -> bool {
    if !text.contains("create_function") && !text.contains("newfunction") {
        return true;
    }
    CHECKED.get(name).is_some_and(|known| known.contains(&digest(text)))
}

/// A digest of the lines that are neither empty nor comments, without indentation (FNV-1a of 64 bits).
pub fn digest(text: &str) -> u64 {
    let mut digest: u64 = 0xcbf2_9ce4_8422_2325;
    let code = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in code {
        for byte in line.bytes().chain([b'\n']) {
            digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_do_not_count() {
        let one = "# Old\nPuppet::Functions.create_function(:a) do\n  x\nend\n";
        let other = "Puppet::Functions.create_function(:a) do\n\n    # New\n    x\nend";
        assert_eq!(digest(one), digest(other));
        assert_ne!(digest(one), digest(&other.replace('x', "y")));
        assert!(!is_checked("merge", one));
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        let lines = include_str!("stand_ins.txt").lines().filter(|line| !line.starts_with('#'));
        assert_eq!(CHECKED.len(), lines.count());
        assert!(CHECKED.values().all(|digests| !digests.is_empty()));
    }
}
