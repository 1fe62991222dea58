//! Catalogs as documents: writing, reading, checking and converting them.
//!
//! Forms have names: "agent" (rich data in JSON, what agents get), "agent:msgpack" (the same in MessagePack),
//! "puppetdb:VERSION" (the payload of PuppetDB's command "replace catalog"; versions 1, 1-api, 4 to 9) and
//! "puppetdb" (the newest of these).

use bunraku_core::diagnostic::Error;
use bunraku_core::loader::{Loaded, Log};
use bunraku_core::pcore::types::{NoTypes, TypeLoader};
use bunraku_core::wire::Violation;
use bunraku_core::wire::form::{self, ConversionError, Form};
use bunraku_core::wire::puppetdb::Submission;
use serde_json::{Value as Json, json};

use crate::boundary::{CallError, bytes, give, guard, object, text};
use crate::cancel::watch;
use crate::catalog::bunraku_catalog;
use crate::data;
use crate::environment::bunraku_environment;
use crate::error::bunraku_error;
use crate::text::{bunraku_string, bunraku_text};

/// Writes a catalog in a form.
///
/// @param form  the form's name
/// @param submission_json  the data for PuppetDB in addition to the catalog, a JSON object: "producer",
///     "producer_timestamp" (ISO 8601 with a time zone), "transaction_uuid", "job_id", and data that the
///     catalog does not contain: "catalog_uuid", "code_id", "environment"; BUNRAKU_NO_TEXT for only what the
///     catalog was compiled with. The version of the form determines which of them it needs
/// @param document  receives the document (bytes, when it is MessagePack), to be freed with
///     bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `catalog` is live, the texts are valid for reads of their lengths, `document` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_write(
    catalog: *const bunraku_catalog,
    form: bunraku_text,
    submission_json: bunraku_text,
    document: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (own, form, submission) = unsafe {
            (object(catalog, "catalog")?, text(form, "form")?, text(submission_json, "submission_json")?)
        };
        let (form, submission) = (form.parse()?, submission_of(submission)?);
        let mut written = Vec::new();
        // The compilation has already logged the losses.
        form::write(&own.catalog, form, &submission, &own.settings, &Log::default(), &watch(), &mut written)?;
        // SAFETY: by the contract of this function.
        unsafe { give(document, bunraku_string::new(written)) }
    })
}

/// Reads a catalog from the form "agent" or "agent:msgpack".
///
/// @param document  the document
/// @param form  the form's name
/// @param environment  resolves types of objects in the catalog that the language does not define; can be
///     NULL
/// @param catalog  receives the catalog, to be freed with bunraku_catalog_free
/// @return NULL on success; the error's message has a line for each violation of the form's rules
///
/// # Safety
/// The texts are valid for reads of their lengths, `environment` is NULL or live, `catalog` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_read(
    document: bunraku_text,
    form: bunraku_text,
    environment: *const bunraku_environment,
    catalog: *mut *mut bunraku_catalog,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (document, form, environment) = unsafe { given(document, form, environment) }?;
        let read = with_types(environment, |types| form::read(document, form, types, &watch()));
        let read = read.map_err(|error| failure(form, error))?;
        let settings = environment.map(|own| own.environment.settings.clone()).unwrap_or_default();
        let read = bunraku_catalog::new(read, settings, &json!([]));
        // SAFETY: by the contract of this function.
        unsafe { give(catalog, read) }
    })
}

/// Checks a document against the rules of its form.
///
/// @param document  the document
/// @param form  the form's name
/// @param environment  resolves types of objects in the catalog that the language does not define; can be
///     NULL
/// @param violations  receives a JSON array of objects with "path" (a JSON path) and "message", empty if the
///     document is valid; to be freed with bunraku_string_free
/// @return NULL on success, whether the document is valid or not
///
/// # Safety
/// The texts are valid for reads of their lengths, `environment` is NULL or live, `violations` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_validate(
    document: bunraku_text,
    form: bunraku_text,
    environment: *const bunraku_environment,
    violations: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (document, form, environment) = unsafe { given(document, form, environment) }?;
        let found = with_types(environment, |types| form::validate(document, form, types, &watch()))?;
        let found: Json =
            found.iter().map(|one| json!({ "path": one.path, "message": one.message })).collect();
        // SAFETY: by the contract of this function.
        unsafe { give(violations, bunraku_string::new(found.to_string())) }
    })
}

/// Writes a document in another form.
///
/// @param document  the document
/// @param from  the name of its form
/// @param to  the name of the other form
/// @param submission_json  the data that the document does not contain; see bunraku_catalog_write
/// @param environment  resolves types of objects in the catalog that the language does not define; can be
///     NULL
/// @param converted  receives the other document, to be freed with bunraku_string_free
/// @return NULL on success; an error if the document is invalid or lacks data that the other form needs
///
/// # Safety
/// The texts are valid for reads of their lengths, `environment` is NULL or live, `converted` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_catalog_convert(
    document: bunraku_text,
    from: bunraku_text,
    to: bunraku_text,
    submission_json: bunraku_text,
    environment: *const bunraku_environment,
    converted: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (document, from, to, submission, environment) = unsafe {
            (
                bytes(document, "document")?,
                text(from, "from")?,
                text(to, "to")?,
                text(submission_json, "submission_json")?,
                environment.as_ref(),
            )
        };
        let (from, to, submission) = (from.parse()?, to.parse()?, submission_of(submission)?);
        let mut written = Vec::new();
        let result = with_types(environment, |types| {
            form::convert(document, from, to, &submission, types, &watch(), &mut written)
        });
        result.map_err(|error| failure(from, error))?;
        // SAFETY: by the contract of this function.
        unsafe { give(converted, bunraku_string::new(written)) }
    })
}

/// A document with its form, and the environment that resolves its types.
///
/// # Safety
/// As [`bunraku_catalog_read`].
unsafe fn given<'a>(
    document: bunraku_text,
    form: bunraku_text,
    environment: *const bunraku_environment,
) -> Result<(&'a [u8], Form, Option<&'a bunraku_environment>), CallError> {
    // SAFETY: by the contract of this function.
    unsafe {
        let document = bytes(document, "document")?;
        Ok((document, text(form, "form")?.parse()?, environment.as_ref()))
    }
}

fn submission_of(text: &str) -> Result<Submission, CallError> {
    Ok(Submission::from_json(&data::parse(text)?)?)
}

fn with_types<T>(environment: Option<&bunraku_environment>, work: impl FnOnce(&dyn TypeLoader) -> T) -> T {
    match environment {
        Some(own) => work(&own.environment.types(&Loaded::default())),
        None => work(&NoTypes),
    }
}

fn failure(form: Form, error: ConversionError) -> Error {
    match error {
        ConversionError::Unwritable(error) => error,
        ConversionError::Invalid(found) => Error::argument(message(form, &found)),
    }
}

fn message(form: Form, violations: &[Violation]) -> String {
    let lines: String = violations.iter().map(|violation| format!("\n{violation}")).collect();
    format!("not a sound catalog of the form {form}{lines}")
}
