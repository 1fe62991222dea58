//! Checks that a modulepath contains a module's dependencies.
//!
//! Follows the reference's `Puppet::Module#unmet_dependencies`.

use serde_json::Value as Json;

use super::{Finding, ModuleCheck, Severity};
use bunraku_engine::loader::join_path;
use bunraku_host::{self as host, FILE_SIZE, Reading};
use bunraku_pcore::ruby::json;
use bunraku_pcore::types::VersionRange;
use bunraku_pcore::value::Version;

impl ModuleCheck<'_> {
    /// Complains about modules that are missing or have another version.
    pub(super) fn dependencies(&mut self, metadata: &Json, modulepath: &[String]) {
        let Some(dependencies) = metadata["dependencies"].as_array() else { return };
        for (index, dependency) in dependencies.iter().enumerate() {
            if self.watch.check().is_err() {
                return;
            }
            let Some(name) = dependency["name"].as_str() else { continue };
            let wanted = dependency["version_requirement"].as_str().unwrap_or(">= 0.0.0");
            if let Some(message) = self.unmet(&name.replace('-', "/"), wanted, modulepath) {
                let path = format!("$.dependencies[{index}]");
                self.tell(Finding::new(Severity::Error, "dependency", "metadata.json", message).at(&path));
            }
        }
    }

    fn unmet(&self, name: &str, wanted: &str, modulepath: &[String]) -> Option<String> {
        let directory = name.split_once('/').map_or(name, |(_, directory)| directory);
        let found = modulepath.iter().find_map(|path| {
            let path = join_path(&join_path(path, directory), "metadata.json");
            let check = || self.watch.check();
            let bytes = host::read(self.host, &path, &Reading::checked(FILE_SIZE, &check)).ok()?;
            json::read(&String::from_utf8_lossy(&bytes)).ok()
        });
        let of_author = found
            .filter(|found| found["name"].as_str().map(|own| own.replace('-', "/")).as_deref() == Some(name));
        let Some(found) = of_author else {
            return Some(format!("'{name}' ({wanted}) is not on the modulepath"));
        };
        let installed = found["version"].as_str().unwrap_or_default();
        match (VersionRange::parse(wanted), Version::parse(installed)) {
            (Ok(range), Ok(version)) if range.includes(&version) => None,
            (Ok(_), Ok(_)) => {
                Some(format!("'{name}' ({wanted}) is there in version {installed}, which will not do"))
            }
            (Err(_), _) => Some(format!(
                "'{name}' ({wanted}) is there in version {installed}, but what is wanted is no range"
            )),
            (_, Err(_)) => Some(format!(
                "'{name}' ({wanted}) is there in version '{installed}', which is not a semantic one"
            )),
        }
    }
}
