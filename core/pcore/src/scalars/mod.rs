//! Values that hold no others: numbers, versions, URIs, times, and bytes as text.

pub mod binary;
pub mod number;
pub mod package_version;
pub mod semver;
pub mod time;
pub mod uri;
