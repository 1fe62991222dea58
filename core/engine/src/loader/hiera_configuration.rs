//! A `hiera.yaml` as an environment keeps it. What reads and checks it is in `hiera`.

use bunraku_pcore::value::Hash;

/// Where a configuration of Hiera belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum HieraLayer {
    Global,
    Environment,
    Module,
}

/// A configuration that was read and checked.
#[derive(Debug)]
pub(crate) struct HieraConfiguration {
    /// 3, 4 or 5.
    pub version: i64,
    /// The directory that paths start at.
    pub root: String,
    /// The file; none for the default configuration.
    pub path: Option<String>,
    /// What it says, defaults filled in.
    pub data: Hash,
    /// Its text.
    pub text: String,
}
