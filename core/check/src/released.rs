//! Which releases of Puppet and of its standard library have a function or a data type.
//!
//! A line of `released.txt` is a name: whose it is, its kind, the name, the first release that has it (`-` or
//! nothing for the oldest one listed), and the first later release without it. The line `versions` lists the
//! releases.

use std::sync::LazyLock;

use bunraku_pcore::types::VersionRange;
use bunraku_pcore::value::Version;
use rustc_hash::FxHashMap;

static TABLE: LazyLock<FxHashMap<&'static str, Releases>> =
    LazyLock::new(|| read(include_str!("released.txt")));

/// The releases of Puppet, or of a module.
#[derive(Debug, Default)]
pub(crate) struct Releases {
    versions: Vec<Version>,
    /// The first release with a name, and the first later one without it; by `kind name`.
    names: FxHashMap<String, (Option<Version>, Option<Version>)>,
}

/// The releases of `puppet` or of a module, if they are known.
pub(crate) fn of(name: &str) -> Option<&'static Releases> {
    TABLE.get(name)
}

fn read(text: &'static str) -> FxHashMap<&'static str, Releases> {
    let mut all: FxHashMap<&'static str, Releases> = FxHashMap::default();
    for line in text.lines() {
        let mut words = line.split(' ');
        let (Some(of), Some(kind)) = (words.next(), words.next()) else { continue };
        let releases = all.entry(of).or_default();
        if kind == "versions" {
            releases.versions = words.filter_map(|word| Version::parse(word).ok()).collect();
            continue;
        }
        let Some(name) = words.next() else { continue };
        let mut version = || words.next().and_then(|word| Version::parse(word).ok());
        let between = (version(), version());
        releases.names.insert(format!("{kind} {name}"), between);
    }
    all
}

impl Releases {
    /// Whether some release has a name.
    pub fn know(&self, kind: &str, name: &str) -> bool {
        self.names.contains_key(&format!("{kind} {name}"))
    }

    /// The oldest release within a range that does not have a name.
    pub fn without(&self, kind: &str, name: &str, range: &VersionRange) -> Option<&Version> {
        let between = self.names.get(&format!("{kind} {name}"));
        let has = |version: &Version| match between {
            None => false,
            Some((first, end)) => {
                first.as_ref().is_none_or(|first| version.compare(first).is_ge())
                    && end.as_ref().is_none_or(|end| version.compare(end).is_lt())
            }
        };
        self.versions.iter().filter(|version| range.includes(version)).find(|version| !has(version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_have_names_from_one_version_to_another() {
        let stdlib = of("stdlib").expect("its releases are known");
        let without = |name: &str, range: &str| {
            let range = VersionRange::parse(range).expect("the range is sound");
            stdlib.without("function", name, &range).map(Version::to_string)
        };
        assert_eq!(without("stdlib::ensure", ">= 8.0.0 < 10.0.0"), None);
        assert_eq!(without("stdlib::has_function", ">= 9.0.0 < 10.0.0").as_deref(), Some("9.0.0"));
        assert_eq!(without("is_string", ">= 8.0.0 < 10.0.0").as_deref(), Some("9.0.0"));
        assert_eq!(without("is_string", ">= 4.13.1 < 9.0.0"), None);
        assert!(of("puppet").is_some_and(|of| of.know("function", "unique")));
    }
}
