//! Checks of modules as they are asked for in JSON, by the C library and the gem.

use serde_json::Value as Json;

use super::{Finding, check};
use bunraku_engine::loader::Check;
use bunraku_host::Host;
use bunraku_pcore::keys::{Keyed, Names};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::Watch;

/// The members that [`findings`] reads.
const CHECK: Names = &["directory", "modulepath"];

/// Checks the module of a request: `directory`, and `modulepath` (a list) for its dependencies. Returns an
/// array of objects with `severity`, `rule`, `file`, `message`, and `line` or `path`.
///
/// # Errors
/// The request has the wrong form, the directory does not exist, or `ends` fails, which ends the work.
pub fn findings(host: &dyn Host, request: &Json, ends: Check<'_>) -> Result<Json, Error> {
    let request = Keyed::new(request, "the request", &[CHECK])?;
    let directory = request["directory"].as_str().unwrap_or_default();
    if !host.info(directory).is_some_and(|info| info.is_directory) {
        return Err(Error::argument(format!("'directory' is none: {directory}")));
    }
    let modulepath = match &request["modulepath"] {
        Json::Null => None,
        list => Some(
            serde_json::from_value::<Vec<String>>(list.clone())
                .map_err(|_| Error::argument("'modulepath' is not a list of directories"))?,
        ),
    };
    let found = check(host, directory, modulepath.as_deref(), &Watch::new(ends))?;
    Ok(found.iter().map(Finding::to_json).collect())
}
