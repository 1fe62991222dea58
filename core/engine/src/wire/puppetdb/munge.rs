//! The form of a compiled resource in a payload: values as plain data, names as aliases, no secrets.
//!
//! Follows the terminus of PuppetDB (`puppet/indirector/catalog/puppetdb.rb`). Nothing is made unless it is
//! written.
//! written.

use std::borrow::Cow;

use rustc_hash::FxHashSet;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::version::Version;
use crate::catalog::Resource;
use crate::wire::stringified::{self, Scalars, Stringified};
use bunraku_pcore::value::{Str, Value};

/// Metaparameters whose arrays have no order.
const UNORDERED: &[&str] = &["alias", "audit", "before", "check", "notify", "require", "subscribe", "tag"];

/// The parameters of a resource as a version has them.
pub(super) struct Parameters<'r> {
    of: &'r Resource,
    aliases: &'r [&'r Value],
    version: Version,
}

impl<'r> Parameters<'r> {
    /// The parameters of a resource that has these aliases, which only the newest version counts among them.
    pub(super) fn new(of: &'r Resource, aliases: &'r [&'r Value], version: Version) -> Self {
        let aliases = if version < Version::V9 { &[] } else { aliases };
        Self { of, aliases, version }
    }
}

impl Serialize for Parameters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let scalars = if self.version < Version::V9 { Scalars::Texts } else { Scalars::AsTheyAre };
        let mut members = serializer.serialize_map(None)?;
        // If several parameters identify a resource, `alias` stays as it was given.
        let mut aliases = Some(self.aliases).filter(|aliases| !aliases.is_empty() && self.of.key_count <= 1);
        let one = |value| Stringified::new(value, scalars);
        let secrets: FxHashSet<&Str> = self.of.sensitive_parameters.iter().collect();
        for (name, value) in &self.of.parameters {
            if secrets.contains(name) || one(value).is_left_out() {
                continue;
            }
            let values = match aliases.take_if(|_| name == "alias") {
                Some(aliases) => Some(Cow::Borrowed(aliases)),
                None => unordered(name, value).map(Cow::Owned),
            };
            match values {
                Some(values) => {
                    let values = values.iter().map(|&value| one(value)).filter(|value| !value.is_left_out());
                    members.serialize_entry(name.as_str(), &values.collect::<Vec<_>>())?;
                }
                None => members.serialize_entry(name.as_str(), &one(value))?,
            }
        }
        if let Some(aliases) = aliases {
            let aliases: Vec<_> = aliases.iter().map(|&value| one(value)).collect();
            members.serialize_entry("alias", &aliases)?;
        }
        members.end()
    }
}

/// The values of a metaparameter without order, sorted; nothing for other parameters and for single values.
fn unordered<'v>(parameter: &str, value: &'v Value) -> Option<Vec<&'v Value>> {
    match value {
        Value::Array(values) if values.len() > 1 && UNORDERED.contains(&parameter) => {
            Some(sorted(values.iter().collect()))
        }
        _ => None,
    }
}

fn sorted(mut values: Vec<&Value>) -> Vec<&Value> {
    if values.len() > 1 {
        values.sort_by_cached_key(|value| stringified::name(value));
    }
    values
}

/// The names in a relationship parameter, in the order of the payload.
pub(super) fn related<'v>(parameter: &str, value: &'v Value) -> Vec<&'v Value> {
    let mut all = Vec::new();
    match unordered(parameter, value) {
        Some(values) => values.into_iter().for_each(|value| flatten(value, &mut all)),
        None => flatten(value, &mut all),
    }
    all
}

/// Which names of a resource count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// All of them.
    All,
    /// The parameters that are not secrets.
    Shown,
}

/// The other names of a resource: those of `alias` and, if its type has a single identifying parameter, the
/// value of that.
pub(super) fn aliases(of: &Resource, names: Names) -> Vec<&Value> {
    let parameter = |name: &str| {
        let (name, value) = of.parameters.get_key_value(name)?;
        (names == Names::All || !of.sensitive_parameters.contains(name)).then_some(value)
    };
    let mut aliases = Vec::new();
    if let Some(value) = parameter("alias") {
        flatten(value, &mut aliases);
    }
    if of.key_count <= 1
        && of.is_known_by_name
        && let Some(name) = parameter(&of.namevar)
        && !aliases.iter().any(|alias| is_same(alias, name))
    {
        aliases.push(name);
    }
    sorted(aliases)
}

fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::String(_) | Value::ByteString(_), Value::String(_) | Value::ByteString(_)) => a == b,
        _ => stringified::to_json(a) == stringified::to_json(b),
    }
}

/// Adds the values in arrays of any depth, without nulls.
fn flatten<'v>(value: &'v Value, into: &mut Vec<&'v Value>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| flatten(value, into)),
        Value::Undef => {}
        other => into.push(other),
    }
}
