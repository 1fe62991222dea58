//! The index of an environment, renewed file by file.

use std::sync::{Arc, Mutex, RwLock};

use bunraku_core::diagnostic::bug::{locked, reading, writing};
use bunraku_core::loader::{Environment, Environments};
use bunraku_core::requests::{self, Index, Kept};

use crate::boundary::{free, give, guard, object, text};
use crate::cancel::watch_reading;
use crate::data;
use crate::environment::bunraku_environment;
use crate::error::bunraku_error;
use crate::text::{bunraku_string, bunraku_text};

/// What an environment defines and who refers to it. Any number of threads can use it at the same time. A
/// renewal waits for the others and they for it, so a callback of a host must not use the index of its
/// environment.
pub struct bunraku_index {
    environment: Arc<Environment>,
    environments: Arc<Environments>,
    index: RwLock<Index>,
    kept: Mutex<Kept>,
}

/// Reads all files of an environment for an index. The index keeps the environment as it is now: a module
/// that is added later is not part of it.
///
/// @param index  receives the index, to be freed with bunraku_index_free
/// @return NULL on success
///
/// # Safety
/// `environment` is live, `index` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_index_new(
    environment: *const bunraku_environment,
    index: *mut *mut bunraku_index,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let own = unsafe { object(environment, "environment") }?;
        let usage = watch_reading();
        let environment = own.current(&usage.ends)?;
        let opened = requests::open_index(&environment, &usage.ends)?;
        let made = bunraku_index {
            environment,
            environments: Arc::clone(&own.environments),
            index: RwLock::new(opened),
            kept: Mutex::default(),
        };
        // SAFETY: by the contract of this function.
        unsafe { give(index, made) }
    })
}

/// Reads a file again that was changed, created or removed. The others stay unchanged.
///
/// @param path  the path of the file, as the host knows it; a file that does not belong to the environment
///     changes nothing
/// @return NULL on success
///
/// # Safety
/// `index` is live, the text is valid for reads of its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_index_renew(
    index: *const bunraku_index,
    path: bunraku_text,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (own, path) = unsafe { (object(index, "index")?, text(path, "path")?) };
        let usage = watch_reading();
        let (mut index, mut kept) = (writing(&own.index), locked(&own.kept));
        Ok(requests::renew_index(&mut index, &mut kept, &own.environment, path, &usage.ends)?)
    })
}

/// Checks some files again, without a look at the others but for the names that they have: milliseconds in a
/// repository of thousands of files. Renew the files that have changed first. What is written in Ruby, and
/// functions and types in the language, are as the environment has loaded them: see
/// bunraku_environment_clear.
///
/// @param request_json  a JSON object with "paths" (the files, as the host knows them), and optionally
///     "select", "ignore" (lists of codes) and "notes"
/// @param json  receives a JSON array as that of bunraku_environment_check, without findings that need all
///     files (templates in ERB, metadata); to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `index` is live, the text is valid for reads of its length, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_index_check_json(
    index: *const bunraku_index,
    request_json: bunraku_text,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (own, request) = unsafe { (object(index, "index")?, text(request_json, "request_json")?) };
        let (request, usage) = (data::parse(request)?, watch_reading());
        let environment = own.environments.get_watched(&own.environment.name, &usage.ends)?;
        let (index, mut kept) = (reading(&own.index), locked(&own.kept));
        let found = requests::check_in_index(&environment, &index, &mut kept, &request, &usage.ends)?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(found.to_string())) }
    })
}

/// What an index contains.
///
/// @param path  a file, for an object with its "definitions" and "references"; BUNRAKU_NO_TEXT for all, as
///     bunraku_environment_index_json writes it, with "unused"
/// @param json  receives a JSON object, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `index` is live, the text is valid for reads of its length, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_index_json(
    index: *const bunraku_index,
    path: bunraku_text,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (own, path) = unsafe { (object(index, "index")?, text(path, "path")?) };
        let path = Some(path).filter(|path| !path.is_empty());
        let answer = requests::index_json(&reading(&own.index), path)?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(answer.to_string())) }
    })
}

/// What a new name changes in the environment of an index: definitions, references, keys of data for the
/// parameters of a class. Nothing is written.
///
/// @param request_json  a JSON object with "kind" ("class", "define", "function"), "from" and "to"
/// @param json  receives a JSON object with "files" (objects with "path", null for a main manifest that was
///     given as text, and "text") and "moves" (objects with "from" and "to": files whose paths say the old
///     name); to be freed with bunraku_string_free
/// @return NULL on success; an error when there is no such definition, the new name is taken, or a name is
///     written in a way that cannot be changed, with its place
///
/// # Safety
/// `index` is live, the text is valid for reads of its length, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_index_rename_json(
    index: *const bunraku_index,
    request_json: bunraku_text,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (own, request) = unsafe { (object(index, "index")?, text(request_json, "request_json")?) };
        let answer = requests::rename_in_index(&reading(&own.index), &data::parse(request)?)?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(answer.to_string())) }
    })
}

/// Frees an index; NULL is allowed.
///
/// # Safety
/// `index` is NULL, or from bunraku_index_new and not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_index_free(index: *mut bunraku_index) {
    // SAFETY: by the contract of this function.
    unsafe { free(index) }
}
