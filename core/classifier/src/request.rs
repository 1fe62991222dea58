//! Classifiers as requests in JSON ask for them: the C library and the gem speak the same language.

use std::sync::Arc;

use serde_json::Value as Json;

use super::classes::{ClassSource, EnvironmentClasses};
use super::service::{Classifier, Options};
use super::store::{MemoryStore, Store};
use bunraku_engine::compiler::request;
use bunraku_host::Host;
use bunraku_pcore::keys::{Keyed, Names};
use bunraku_syntax::diagnostic::Error;

/// The members that [`open`] reads besides those of environments.
const OWN: Names = &["database", "create", "allow_config_data", "stores_check_ins", "prefix"];

/// Opens the classifier of a request: `database` (the path of a SQLite database; by default groups are kept
/// in memory), `create` (false; whether a missing database is created), the members of
/// [`request::environments`] for the environments whose classes groups can use (any, without
/// `environmentpath`), `allow_config_data` (true), `stores_check_ins` (false), `prefix` (`/classifier-api`).
///
/// # Errors
/// A member has the wrong form, the database cannot be used, or its content is not a hierarchy of groups.
pub fn open(host: Arc<dyn Host>, request: &Json) -> Result<Classifier, Error> {
    let request = &Keyed::new(request, "the options of a classifier", &[OWN, request::ENVIRONMENT])?;
    let mut options = Options::default();
    let mut create = false;
    for (name, option) in [
        ("create", &mut create),
        ("allow_config_data", &mut options.allow_config_data),
        ("stores_check_ins", &mut options.stores_check_ins),
    ] {
        match &request[name] {
            Json::Null => {}
            Json::Bool(truth) => *option = *truth,
            _ => return Err(Error::argument(format!("'{name}' is no boolean"))),
        }
    }
    if let Some(prefix) = text(request, "prefix")? {
        options.prefix = prefix.trim_end_matches('/').to_owned();
    }
    let store: Box<dyn Store> = match text(request, "database")? {
        Some(path) => database(path, create)?,
        None => Box::<MemoryStore>::default(),
    };
    let classes: Option<Arc<dyn ClassSource>> = match &request["environmentpath"] {
        Json::Null => None,
        _ => {
            let environments = Arc::new(request::environments(host.clone(), request)?);
            Some(Arc::new(EnvironmentClasses::new(environments)))
        }
    };
    Classifier::new(store, host, classes, options).map_err(|failure| Error::argument(failure.message))
}

#[cfg(feature = "sqlite")]
fn database(path: &str, create: bool) -> Result<Box<dyn Store>, Error> {
    use super::sqlite::SqliteStore;
    let store = if create { SqliteStore::create(path.as_ref()) } else { SqliteStore::open(path.as_ref()) };
    Ok(Box::new(store.map_err(|error| Error::argument(format!("{path}: {error}")))?))
}

#[cfg(not(feature = "sqlite"))]
fn database(path: &str, _create: bool) -> Result<Box<dyn Store>, Error> {
    Err(Error::argument(format!("{path}: this library was built without SQLite")))
}

fn text<'a>(request: &'a Keyed<'_>, name: &str) -> Result<Option<&'a str>, Error> {
    match &request[name] {
        Json::Null => Ok(None),
        Json::String(text) => Ok(Some(text)),
        _ => Err(Error::argument(format!("'{name}' is no text"))),
    }
}
