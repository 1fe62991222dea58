//! Definitions of the Resource API as they are asked for in JSON, by the C library and the gem.

use serde_json::{Value as Json, json};

use super::definition::{Complaint, check, check_values};
use crate::loader::Check;
use bunraku_host::{FILE_SIZE, Host, Reading};
use bunraku_pcore::keys::{Keyed, Names};
use bunraku_syntax::diagnostic::Error;

/// The members that [`definitions`] reads.
const DEFINITIONS: Names = &["definition", "file", "values"];

/// Checks definitions: of a request with `definition` (an object) or `file` (a path of a file in Ruby), an
/// array of objects with `definition` and `complaints` (objects with `severity`, `path`, `message`); with
/// `values` (an object of a resource's attributes) also `values`, the complaints about those. A definition
/// that is computed is null.
///
/// # Errors
/// The request has the wrong form, or the file cannot be read; the failure of `ends`, which ends the work in
/// the middle; the library was built without `ruby`, and a file is given.
pub fn definitions(host: &dyn Host, request: &Json, ends: Check<'_>) -> Result<Json, Error> {
    let request = Keyed::new(request, "the request", &[DEFINITIONS])?;
    let definitions = match request["file"].as_str() {
        Some(path) => {
            let bytes = bunraku_host::read(host, path, &Reading::checked(FILE_SIZE, &|| ends.check()));
            let bytes = bytes.map_err(|error| error.into_error(|error| Error::io(error.to_string())))?;
            definitions_in(path, &String::from_utf8_lossy(&bytes))?
        }
        None if request.get("definition").is_some() => vec![request["definition"].clone()],
        None => return Err(Error::argument("neither 'definition' nor 'file' is given")),
    };
    let list = |complaints: Vec<Complaint>| complaints.iter().map(Complaint::to_json).collect::<Vec<_>>();
    let answer = |definition: Json| -> Result<Json, Error> {
        ends.check()?;
        let complaints = if definition.is_null() { Vec::new() } else { list(check(&definition)) };
        let mut answer = json!({ "definition": definition, "complaints": complaints });
        if let Some(values) = request["values"].as_object() {
            answer["values"] = list(check_values(&answer["definition"], values)).into();
        }
        Ok(answer)
    };
    definitions.into_iter().map(answer).collect()
}

/// The definitions that a file in Ruby registers.
#[cfg(feature = "ruby")]
fn definitions_in(path: &str, text: &str) -> Result<Vec<Json>, Error> {
    // The tree is as deep as the text nests.
    bunraku_host::DeepStacks::default().run(|| super::definitions_in(path, text))
}

#[cfg(not(feature = "ruby"))]
fn definitions_in(_: &str, _: &str) -> Result<Vec<Json>, Error> {
    Err(Error::without_feature("ruby"))
}
