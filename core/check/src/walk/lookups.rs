//! Calls of functions that look up data.

use bunraku_pcore::types::TypeKind;

use super::Walker;
use super::calls::Argument;
use super::names::texts;
use crate::codes::Code;
use crate::finding::Finding;
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
        let has_options = others.iter().any(|(_, of)| has_default(of.kind()));
        if has_block || given.len() > most || has_options || self.is_in_plan {
            return;
        }
        // One of several names is enough.
        let [key] = texts(of).try_into().unwrap_or_default();
        let key: String = key;
        let root = root_of(&key);
        let data = &self.world.summary.data;
        if root.is_empty() || data.has(root) {
            return;
        }
        let message = format!("no data has the key '{root}'");
        let finding = Finding::new(Code::MissingKey, data.severity_of_missing(), self.place(*place), message);
        let near = data.nearest(root);
        self.tell(finding.meant(near.as_deref(), &self.file.source));
    }
}

/// Whether the options of a lookup may have a default value.
fn has_default(options: &TypeKind) -> bool {
    match options {
        TypeKind::Struct { members } => members.iter().any(|one| one.name.starts_with("default_value")),
        TypeKind::Hash { .. } | TypeKind::Any => true,
        _ => false,
    }
}
