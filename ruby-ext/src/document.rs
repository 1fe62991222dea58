//! Catalogs as documents: the methods of `Bunraku::Catalog` that write, read, check and convert them.

use bunraku::diagnostic::Error as CoreError;
use bunraku::loader::{Loaded, Log};
use bunraku::pcore::types::{NoTypes, TypeLoader};
use bunraku::wire::form::{self, ConversionError, Form};
use bunraku::wire::puppetdb::Submission;
use bunraku::wire::{Violation, agent};
use magnus::{
    Error, Exception, ExceptionClass, Object as _, RArray, RClass, RModule, RString, Ruby, prelude::*,
    typed_data::Obj,
};

use crate::catalog::NativeCatalog;
use crate::convert::json_to_ruby;
use crate::crossing::{Exceptions, watched};
use crate::entry::{function, method};
use crate::environment::NativeEnvironment;
use crate::failure;

/// Writes a catalog in a form; the additional data for PuppetDB is JSON text.
fn write(ruby: &Ruby, own: &NativeCatalog, form: String, submission: String) -> Result<RString, Error> {
    let (form, submission) = (form_of(ruby, &form)?, submission_of(ruby, &submission)?);
    let written = watched(ruby, |fuel| {
        let mut written = Vec::new();
        // The compilation has already logged the losses.
        form::write(&own.catalog, form, &submission, &own.settings, &Log::default(), fuel, &mut written)
            .map(|()| written)
    })?;
    written.map(|written| string(ruby, form, &written)).map_err(|error| raised(ruby, &error))
}

/// The resources and the edges of an agent's document as JSON texts, optionally with those that are only
/// exported.
fn body(ruby: &Ruby, own: &NativeCatalog, with_exported: bool) -> Result<(RString, RString), Error> {
    let written = agent::write_body(&own.catalog, &own.settings, &Log::default(), with_exported);
    let written = written.map_err(|error| raised(ruby, &error))?;
    let text = |bytes: &[u8]| ruby.enc_str_new(bytes, ruby.utf8_encoding());
    Ok((text(&written.resources), text(&written.edges)))
}

/// As [`body`], as Ruby objects.
fn body_data(
    ruby: &Ruby,
    own: &NativeCatalog,
    with_exported: bool,
) -> Result<(magnus::Value, magnus::Value), Error> {
    let body = agent::body_to_json(&own.catalog, &own.settings, &Log::default(), with_exported);
    let body = body.map_err(|error| raised(ruby, &error))?;
    Ok((json_to_ruby(ruby, &body.resources)?, json_to_ruby(ruby, &body.edges)?))
}

/// The indices of the resources with parameters that JSON cannot represent directly.
fn rich(own: &NativeCatalog) -> Vec<usize> {
    own.catalog.indices(|one| !agent::is_plain_resource(one))
}

/// Reads a catalog from a form of agents.
fn read(
    ruby: &Ruby,
    document: RString,
    form: String,
    environment: Option<Obj<NativeEnvironment>>,
) -> Result<NativeCatalog, Error> {
    let (document, form) = (bytes(document), form_of(ruby, &form)?);
    let environment = environment.as_deref();
    let read =
        watched(ruby, |fuel| with_types(environment, |types| form::read(&document, form, types, fuel)))?;
    let settings = environment.map(|own| own.environment.settings.clone()).unwrap_or_default();
    match read {
        Ok(catalog) => Ok(NativeCatalog::new(ruby, catalog, settings, Vec::new())),
        Err(error) => Err(conversion_failed(ruby, form, &error)),
    }
}

/// The violations in a document: arrays of path and message.
fn validate(
    ruby: &Ruby,
    document: RString,
    form: String,
    environment: Option<Obj<NativeEnvironment>>,
) -> Result<RArray, Error> {
    let (document, form) = (bytes(document), form_of(ruby, &form)?);
    let environment = environment.as_deref();
    let found =
        watched(ruby, |fuel| with_types(environment, |types| form::validate(&document, form, types, fuel)))?;
    violations(ruby, &found.map_err(|error| raised(ruby, &error))?)
}

/// Writes a document in another form.
fn convert(
    ruby: &Ruby,
    document: RString,
    from: String,
    to: String,
    submission: String,
    environment: Option<Obj<NativeEnvironment>>,
) -> Result<RString, Error> {
    let (from, to) = (form_of(ruby, &from)?, form_of(ruby, &to)?);
    let (document, submission) = (bytes(document), submission_of(ruby, &submission)?);
    let environment = environment.as_deref();
    let written = watched(ruby, |fuel| {
        with_types(environment, |types| {
            let mut written = Vec::new();
            form::convert(&document, from, to, &submission, types, fuel, &mut written).map(|()| written)
        })
    })?;
    match written {
        Ok(written) => Ok(string(ruby, to, &written)),
        Err(error) => Err(conversion_failed(ruby, from, &error)),
    }
}

fn form_of(ruby: &Ruby, name: &str) -> Result<Form, Error> {
    name.parse().map_err(|error: CoreError| Error::new(ruby.exception_arg_error(), error.message))
}

fn submission_of(ruby: &Ruby, json: &str) -> Result<Submission, Error> {
    let misuse = |message: String| Error::new(ruby.exception_arg_error(), message);
    let json = serde_json::from_str(json).map_err(|error| misuse(error.to_string()))?;
    Submission::from_json(&json).map_err(|error| misuse(error.message))
}

/// A copy of the bytes: other threads can change the string while the GVL is released.
fn bytes(document: RString) -> Vec<u8> {
    // SAFETY: the bytes are copied immediately, before Ruby can run.
    unsafe { document.as_slice() }.to_vec()
}

fn string(ruby: &Ruby, form: Form, bytes: &[u8]) -> RString {
    if form == Form::AgentMessagePack {
        return ruby.str_from_slice(bytes);
    }
    ruby.enc_str_new(bytes, ruby.utf8_encoding())
}

fn with_types<T>(environment: Option<&NativeEnvironment>, work: impl FnOnce(&dyn TypeLoader) -> T) -> T {
    match environment {
        Some(own) => work(&own.environment.types(&Loaded::default())),
        None => work(&NoTypes),
    }
}

fn violations(ruby: &Ruby, found: &[Violation]) -> Result<RArray, Error> {
    let all = ruby.ary_new_capa(found.len());
    for one in found {
        all.push((one.path.as_str(), one.message.as_str()))?;
    }
    Ok(all)
}

fn raised(ruby: &Ruby, error: &CoreError) -> Error {
    failure::exception(ruby, error, &[], Exceptions::new(ruby))
}

fn conversion_failed(ruby: &Ruby, form: Form, error: &ConversionError) -> Error {
    match error {
        ConversionError::Unwritable(error) => raised(ruby, error),
        ConversionError::Invalid(found) => invalid(ruby, form, found).unwrap_or_else(|error| error),
    }
}

fn invalid(ruby: &Ruby, form: Form, found: &[Violation]) -> Result<Error, Error> {
    let module: RModule = ruby.class_object().const_get("Bunraku")?;
    let class: ExceptionClass = module.const_get("InvalidDocument")?;
    let exception: Exception = class.new_instance((form.to_string(), violations(ruby, found)?))?;
    Ok(Error::from(exception))
}

/// Defines the methods on the class `Bunraku::Catalog`.
pub(crate) fn define(class: RClass) -> Result<(), Error> {
    class.define_method("native_write", method!(write, 2))?;
    class.define_method("native_body", method!(body, 1))?;
    class.define_method("native_body_data", method!(body_data, 1))?;
    class.define_method("native_rich", method!(rich, 0))?;
    class.define_singleton_method("native_read", function!(read, 3))?;
    class.define_singleton_method("native_validate", function!(validate, 3))?;
    class.define_singleton_method("native_convert", function!(convert, 5))
}
