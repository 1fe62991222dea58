//! Catalogs written and read back, in all their forms, over the golden catalogs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku::catalog::Catalog;
use bunraku::host::disk::DiskHost;
use bunraku::loader::{Environment, EnvironmentOptions, Loaded, Log, Settings};
use bunraku::pcore::fuel::Unmetered;
use bunraku::pcore::types::NoTypes;
use bunraku::wire::form::ConversionError;
use bunraku::wire::puppetdb::{self, Submission, Version};
use bunraku::wire::{agent, agent_reader};
use conform::data;
use serde_json::{Value as Json, json};

/// The environment whose golden file this is.
fn environment(golden: &Path) -> Environment {
    let directory = golden.ancestors().nth(3).expect("the environment's directory");
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let options = EnvironmentOptions {
        name: text(directory.file_name().expect("a name").as_ref()),
        environmentpath: vec![text(directory.parent().expect("a directory"))],
        ..EnvironmentOptions::default()
    };
    Environment::load(Arc::new(DiskHost), options).expect("the environment can be loaded")
}

/// Whether a catalog was asked for with rich data; others may hold hashes that only look like it.
fn has_rich_data(golden: &Path) -> bool {
    let name = golden.file_name().expect("a name").to_string_lossy();
    let case = name.split('.').next().expect("a case");
    let request = data::read_json(&golden.with_file_name(format!("../nodes/{case}.json")));
    request.map_or(true, |request| request["settings"]["rich_data"] != json!(false))
}

/// The golden files whose name contains their content's.
fn goldens(what: &str) -> Vec<PathBuf> {
    let environments = data::directory().join("environments");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("example/environments");
    let mut found = Vec::new();
    for parent in [environments, example] {
        for environment in parent.read_dir().expect("the data is there").filter_map(Result::ok) {
            let Ok(files) = environment.path().join("spec/golden").read_dir() else { continue };
            let files = files.filter_map(Result::ok).map(|file| file.path());
            let is_wanted = |path: &PathBuf| {
                let name = path.to_string_lossy();
                name.trim_end_matches(".gz").ends_with(&format!(".{what}.json"))
            };
            found.extend(files.filter(is_wanted));
        }
    }
    found.sort();
    assert!(found.len() > 20, "golden files of {what}");
    found
}

fn golden(path: &Path) -> Json {
    serde_json::from_str(&data::read_text(path).expect("the golden file is there")).expect("it is JSON")
}

fn told(error: &ConversionError) -> String {
    match error {
        ConversionError::Invalid(found) => found.iter().map(|violation| format!("{violation}\n")).collect(),
        ConversionError::Unwritable(error) => error.to_string(),
    }
}

/// The members that the golden catalogs have; those of the run itself are left out of them.
fn common(written: &Json, golden: &Json) -> Json {
    let members = written.as_object().expect("an object");
    members
        .iter()
        .filter(|(name, _)| golden.get(name).is_some())
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect()
}

fn agent_json(catalog: &Catalog) -> Json {
    agent::to_json(catalog, &Settings::default(), &Log::default()).expect("it can be written")
}

#[test]
fn a_catalog_for_agents_is_read_as_it_was_written() {
    for path in goldens("catalog") {
        if !has_rich_data(&path) {
            continue;
        }
        let golden = golden(&path);
        let environment = environment(&path);
        let loaded = Loaded::default();
        let types = environment.types(&loaded);
        let catalog = agent_reader::read_json(golden.to_string().as_bytes(), &types, &Unmetered);
        let catalog = catalog.unwrap_or_else(|found| panic!("{}: {}", path.display(), told(&found)));
        let document = agent_json(&catalog);
        assert_eq!(common(&document, &golden), golden, "{}", path.display());

        let mut packed = Vec::new();
        agent::write_message_pack(&catalog, &Settings::default(), &Log::default(), &mut packed)
            .expect("it can be written");
        let catalog = agent_reader::read_message_pack(&packed, &types, &Unmetered);
        let catalog = catalog.unwrap_or_else(|found| panic!("{}: {}", path.display(), told(&found)));
        assert_eq!(agent_json(&catalog), document, "{}", path.display());
    }
}

#[test]
fn a_payload_is_read_as_it_was_written_in_every_version() {
    let submission = Submission {
        transaction_uuid: Some("6ba7b810-9dad-41d1-80b4-00c04fd430c8".to_owned()),
        ..Submission::default()
    };
    for path in goldens("puppetdb") {
        let mut golden = golden(&path);
        // Values that differ from run to run are not in the golden data.
        golden["producer_timestamp"] = json!("1970-01-01T00:00:00.000Z");
        golden["catalog_uuid"] = json!("6ba7b811-9dad-41d1-80b4-00c04fd430c8");
        for (member, value) in [("version", json!("1")), ("code_id", Json::Null)] {
            if golden.get(member).is_none() {
                golden[member] = value;
            }
        }
        let payload = puppetdb::read(golden.clone(), Version::V9, &Unmetered);
        let mut payload = payload.unwrap_or_else(|found| panic!("{}: {}", path.display(), told(&found)));
        let mut text = Vec::new();
        puppetdb::write_payload(&payload, Version::V9, &mut text).expect("it can be written");
        assert_eq!(serde_json::from_slice::<Json>(&text).expect("JSON"), golden, "{}", path.display());

        payload.complete(&submission);
        payload.classes = Some(vec!["main".to_owned()]);
        payload.tags = Some(vec!["node".to_owned()]);
        for version in Version::ALL {
            let mut text = Vec::new();
            puppetdb::write_payload(&payload, version, &mut text).expect("it can be written");
            let again = puppetdb::read_bytes(&text, version, &Unmetered);
            let again = again.unwrap_or_else(|found| panic!("{}: {}", path.display(), told(&found)));
            let mut second = Vec::new();
            puppetdb::write_payload(&again, version, &mut second).expect("it can be written");
            assert_eq!(String::from_utf8(second), String::from_utf8(text), "{}: {version}", path.display());
        }
    }
}

/// Every damage to a document is reported or has no effect on readers.
#[test]
fn damaged_documents_are_refused() {
    let path = goldens("puppetdb").into_iter().next().expect("a golden file");
    let text = golden(&path).to_string();
    let step = text.len() / 300 + 1;
    for length in (0..text.len()).step_by(step) {
        let Some(part) = text.get(..length) else { continue };
        assert!(puppetdb::read_bytes(part.as_bytes(), Version::V9, &Unmetered).is_err(), "{length} bytes");
        assert!(agent_reader::read_json(part.as_bytes(), &NoTypes, &Unmetered).is_err(), "{length} bytes");
    }
    let mut bytes = text.into_bytes();
    for at in (0..bytes.len()).step_by(step) {
        let before = std::mem::replace(&mut bytes[at], 0xff);
        assert!(puppetdb::read_bytes(&bytes, Version::V9, &Unmetered).is_err(), "byte {at}");
        bytes[at] = before;
    }
}
