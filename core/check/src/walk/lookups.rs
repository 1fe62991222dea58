//! Calls of functions that look up data.

use bunraku_pcore::types::{Type, TypeKind};

use super::Walker;
use super::calls::Argument;
use super::names::texts;
use crate::interpolations::root_of;

impl Walker<'_, '_> {
    /// `lookup('a')`, `hiera('a')` and their like without a default: data must have the key.
    pub(super) fn looks_up(&mut self, name: &str, given: &[Argument], has_block: bool) {
        let most = match name {
            "lookup" => 3,
            "hiera" | "hiera_array" | "hiera_hash" | "hiera_include" => 1,
            _ => return,
        };
        let [(place, of), others @ ..] = given else { return };
        if has_block || given.len() > most || self.is_in_plan {
            return;
        }
        // One of several names is enough.
        let [key] = texts(of).try_into().unwrap_or_default();
        let key: String = key;
        let root = root_of(&key);
        if root.is_empty() || others.iter().any(|(_, of)| have_value(of, root)) {
            return;
        }
        if let Some(finding) = self.world.missing_key(root, self.place(*place), &self.file.source) {
            self.tell(finding);
        }
    }
}

/// Whether the options of a lookup have a value for a key that no data has, or may have one.
fn have_value(options: &Type, key: &str) -> bool {
    match options.kind() {
        TypeKind::Struct { members } => members.iter().any(|one| match one.name.as_str() {
            "default_value" => true,
            "default_values_hash" | "override" => match one.value.kind() {
                TypeKind::Struct { members } => members.iter().any(|one| one.name == key),
                _ => true,
            },
            _ => false,
        }),
        TypeKind::Hash { .. } | TypeKind::Any => true,
        _ => false,
    }
}
