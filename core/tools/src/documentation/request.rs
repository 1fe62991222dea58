//! Documentation as it is asked for in JSON, by the C library and the gem.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::generate::generate;
use super::module_files::ModuleFiles;
use super::{Documentation, Shown, list_files};
use bunraku_engine::loader::{Check, join_path};
use bunraku_host::Host;
use bunraku_pcore::keys::{Keyed, Names};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::Watch;

/// The members that [`document`], [`describe`] and [`generate_types`] read.
const DOCUMENT: Names = &["paths", "format"];
const DESCRIBE: Names = &["modulepath", "types", "details", "providers", "metaparameters"];
const GENERATE: Names = &["modulepath"];

/// Documents modules and files: of a request with `paths` (directories of modules, and files), an object with
/// `documentation` (as `puppet strings generate --format json` writes it), `failures` (objects with `file`,
/// `message`) and `warnings` (objects with `severity`, which is `warning` or `error`, `file`, `line`, and
/// `message` as puppet-strings logs it); with `format` as `markdown` the documentation is a text.
///
/// # Errors
/// The request has the wrong form; `check`'s, which ends the work in the middle.
pub fn document(host: &dyn Host, request: &Json, check: Check<'_>) -> Result<Json, Error> {
    let watch = &Watch::new(check);
    let request = Keyed::new(request, "the request", &[DOCUMENT])?;
    let paths: Vec<&str> =
        request["paths"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    if paths.is_empty() {
        return Err(Error::argument("'paths' is not a list of paths"));
    }
    let mut documentation = Documentation::default();
    for path in paths {
        match host.info(path) {
            Some(info) if info.is_directory => {
                documentation.append(Documentation::of_module(host, path, watch)?);
            }
            _ => documentation.add_file(host, path, path, watch)?,
        }
    }
    documentation.resolve_references(watch)?;
    let failures = documentation.failures.iter();
    let failures: Vec<Json> =
        failures.map(|failure| json!({ "file": failure.file, "message": failure.message })).collect();
    let warnings = documentation.warnings.iter().map(|warning| {
        let severity = if warning.is_error { "error" } else { "warning" };
        json!({ "severity": severity, "file": warning.file, "line": warning.line, "message": warning.message })
    });
    let warnings: Vec<Json> = warnings.collect();
    let written = match request["format"].as_str() {
        None | Some("json") => documentation.to_json(),
        Some("markdown") => documentation.to_markdown().into(),
        Some(other) => return Err(Error::argument(format!("'format' is none of json, markdown: {other}"))),
    };
    watch.result()?;
    Ok(json!({ "documentation": written, "failures": failures, "warnings": warnings }))
}

/// Describes types of resources: of a request with `modulepath` (a list), `types` (a list of names; without
/// it all are listed) and `details`, `providers`, `metaparameters` (whether to show them), an array of texts,
/// null for a type that is not known.
///
/// # Errors
/// The request has the wrong form; `check`'s, which ends the work in the middle.
pub fn describe(host: &dyn Host, request: &Json, check: Check<'_>) -> Result<Json, Error> {
    let watch = &Watch::new(check);
    let request = &Keyed::new(request, "the request", &[DESCRIBE])?;
    let mut documentation = Documentation::default();
    let mut seen = BTreeSet::new();
    for path in texts(request, "modulepath") {
        for name in host.list(path).unwrap_or_default() {
            watch.check()?;
            if seen.contains(&name) {
                continue;
            }
            let module = join_path(path, &name);
            for place in ["lib/puppet/type", "lib/puppet/provider"] {
                let mut files = Vec::new();
                list_files(host, &module, place, watch, &mut files);
                for file in files.iter().filter(|file| file.ends_with(".rb")) {
                    documentation.add_file(host, &join_path(&module, file), file, watch)?;
                }
            }
            seen.insert(name);
        }
    }
    watch.result()?;
    let files = ModuleFiles::new(host, texts(request, "modulepath"), watch);
    for name in texts(request, "types") {
        let Some(file) = files.type_file(name) else { continue };
        if !documentation.define_type(name, &file, &files)? {
            documentation.run_type(name, &file, &files)?;
        }
    }
    watch.result()?;
    let is = |name: &str| request[name] == true;
    let shown = Shown {
        details: request["details"] != false,
        providers: is("providers"),
        metaparameters: is("metaparameters"),
    };
    let names = texts(request, "types");
    if names.is_empty() {
        return Ok(json!([documentation.described_types()]));
    }
    Ok(names.into_iter().map(|name| Json::from(documentation.describe(name, shown))).collect())
}

/// Writes types of resources for `.resource_types`: of a request with `modulepath` (a list), an array of
/// objects with `name`, `file`, and `text`, which is null where a type is computed.
///
/// # Errors
/// The request has the wrong form; `check`'s, which ends the work in the middle.
pub fn generate_types(host: &dyn Host, request: &Json, check: Check<'_>) -> Result<Json, Error> {
    let request = &Keyed::new(request, "the request", &[GENERATE])?;
    let modulepath: Vec<String> = texts(request, "modulepath").into_iter().map(str::to_owned).collect();
    let written = generate(host, &modulepath, &Watch::new(check))?.into_iter();
    Ok(written.map(|one| json!({ "name": one.name, "file": one.file, "text": one.text })).collect())
}

fn texts<'a>(request: &'a Keyed<'_>, name: &str) -> Vec<&'a str> {
    request[name].as_array().into_iter().flatten().filter_map(Json::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_host::memory::MemoryHost;

    #[test]
    fn modules_and_files_are_documented_together() {
        let mut host = MemoryHost::new();
        host.add("/m/manifests/init.pp", "# A class.\nclass m { }\n");
        host.add("/f.pp", "# A function.\nfunction f() { }\n");
        let said = document(&host, &json!({ "paths": ["/m", "/f.pp"] }), &|| Ok(())).expect("they are read");
        let names = |kind: &str| said["documentation"][kind][0]["name"].clone();
        assert_eq!([names("puppet_classes"), names("puppet_functions")], ["m", "f"]);
        assert_eq!(said["failures"], json!([]));
        let error = document(&host, &json!({ "paths": [] }), &|| Ok(())).expect_err("there are none");
        assert_eq!(error.message, "'paths' is not a list of paths");
    }
}
