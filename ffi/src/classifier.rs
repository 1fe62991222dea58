//! The node classifier: groups of nodes, kept in memory or in a database, asked and changed by requests.
//!
//! A program that speaks HTTP hands requests over as they come and sends the answers: the interface is that
//! of Puppet Enterprise's node classifier, version 1. Paths: groups, groups/ID (with rules, pin, unpin),
//! group-children/ID, validate/group, import-hierarchy, commands/unpin-from-all, rules/translate, classes,
//! environments, environments/NAME/classes, last-class-update, update-classes, nodes, classified/nodes/NAME
//! (with explanation), each below /v1.

use bunraku_core::requests::{Classifier, Request, open_classifier};
use serde_json::Value as Json;

use crate::boundary::{bytes, free, give, guard, misuse, object, text};
use crate::cancel::watch_reading;
use crate::data;
use crate::error::bunraku_error;
use crate::host::{bunraku_host, host_or_disk};
use crate::text::{bunraku_string, bunraku_text};

/// A node classifier. Any number of threads may use it at once, and other processes may use the same
/// database.
pub struct bunraku_classifier(Classifier);

/// Opens a classifier.
///
/// @param options_json  a JSON object, or BUNRAKU_NO_TEXT: "database" (the path of a SQLite database;
///     without it groups are kept in memory), "create" (false; whether the database is made when it is not
///     there: without it a path where there is none is an error), "environmentpath" (a list of directories:
///     groups may use the classes of these environments only; any without it) and what else
///     bunraku_environment_load takes, "allow_config_data" (true), "stores_check_ins" (false; whether it is
///     noted when nodes are classified), "prefix" (what may stand before /v1 in paths; "/classifier-api")
/// @param host  callbacks, copied; NULL for the disk and nothing else
/// @param classifier  receives the classifier, to be freed with bunraku_classifier_free
/// @return NULL on success
///
/// # Safety
/// The text points to as many bytes as told, `host` is NULL or readable for as many bytes as its size tells,
/// `classifier` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_classifier_open(
    options_json: bunraku_text,
    host: *const bunraku_host,
    classifier: *mut *mut bunraku_classifier,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (options, host) = unsafe { (text(options_json, "options_json")?, host_or_disk(host)?) };
        let opened = open_classifier(host, &data::parse(options)?)?;
        // SAFETY: by the contract of this function.
        unsafe { give(classifier, bunraku_classifier(opened)) }
    })
}

/// Answers a request. Errors of the interface are answers, too; a request that the switch of
/// bunraku_cancel_attach or a limit ends is an error, and changes nothing.
///
/// @param method  such as "GET"
/// @param path  the path, percent-encoded, with or without the prefix
/// @param query  what stands behind the question mark; BUNRAKU_NO_TEXT for nothing
/// @param body  the body; BUNRAKU_NO_TEXT for none
/// @param status  receives the status
/// @param headers_json  receives a JSON object of headers to values, to be freed with bunraku_string_free
/// @param answer  receives the body of the answer, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `classifier` is live, the texts point to as many bytes as told, the outputs are writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_classifier_answer(
    classifier: *const bunraku_classifier,
    method: bunraku_text,
    path: bunraku_text,
    query: bunraku_text,
    body: bunraku_text,
    status: *mut u16,
    headers_json: *mut *mut bunraku_string,
    answer: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (own, request) = unsafe {
            let request = Request {
                method: text(method, "method")?,
                path: text(path, "path")?,
                query: text(query, "query")?,
                body: bytes(body, "body")?,
            };
            (object(classifier, "classifier")?, request)
        };
        if status.is_null() || headers_json.is_null() || answer.is_null() {
            return Err(misuse("an output parameter is NULL"));
        }
        let usage = watch_reading();
        let response = own.0.answer_watched(request, &usage.ends)?;
        let headers = response.headers.into_iter().map(|(name, value)| (name.to_owned(), Json::from(value)));
        let headers = Json::Object(headers.collect()).to_string();
        // SAFETY: by the contract of this function.
        unsafe {
            status.write(response.status);
            give(headers_json, bunraku_string::new(headers))?;
            give(answer, bunraku_string::new(response.body))
        }
    })
}

/// Frees a classifier.
///
/// # Safety
/// `classifier` is NULL, or live and not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_classifier_free(classifier: *mut bunraku_classifier) {
    // SAFETY: by the contract of this function.
    unsafe { free(classifier) }
}
