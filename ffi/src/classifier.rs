//! The node classifier: groups of nodes in memory or in a database, controlled by requests.
//!
//! A program that speaks HTTP passes on the requests that it receives and sends the responses. The interface
//! is that of Puppet Enterprise's node classifier, version 1. Paths: groups, groups/ID (with rules, pin,
//! unpin), group-children/ID, validate/group, import-hierarchy, commands/unpin-from-all, rules/translate,
//! classes, environments, environments/NAME/classes, last-class-update, update-classes, nodes,
//! classified/nodes/NAME (with explanation), each below /v1.

use bunraku_core::requests::{Classifier, Request, open_classifier};
use serde_json::Value as Json;

use crate::boundary::{bytes, free, give, guard, misuse, object, text};
use crate::cancel::watch_reading;
use crate::data;
use crate::error::bunraku_error;
use crate::host::{bunraku_host, host_or_disk};
use crate::text::{bunraku_string, bunraku_text};

/// A node classifier. Any number of threads can use it at the same time, and other processes can use the same
/// database.
pub struct bunraku_classifier(Classifier);

/// Opens a classifier.
///
/// @param options_json  a JSON object, or BUNRAKU_NO_TEXT: "database" (the path of a SQLite database; by
///     default groups are kept in memory), "create" (whether a missing database is created; false by default:
///     a path without a database is an error), "environmentpath" (a list of directories: groups can only use
///     the classes of these environments; by default any class) and the other options of
///     bunraku_environment_load, "allow_config_data" (true), "stores_check_ins" (whether classifications of
///     nodes are recorded; false), "prefix" (what can precede /v1 in paths; "/classifier-api")
/// @param host  callbacks, which are copied; NULL for the disk without further functions
/// @param classifier  receives the classifier, to be freed with bunraku_classifier_free
/// @return NULL on success
///
/// # Safety
/// The text is valid for reads of its length, `host` is NULL or valid for reads of its "size", `classifier`
/// is writable.
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

/// Answers a request. Errors of the HTTP interface are responses, too. If the switch of bunraku_cancel_attach
/// or a limit ends the request, the result is an error and nothing is changed.
///
/// @param method  such as "GET"
/// @param path  the path, percent-encoded, with or without the prefix
/// @param query  the part of the URL after the question mark; BUNRAKU_NO_TEXT for none
/// @param body  the body; BUNRAKU_NO_TEXT for none
/// @param status  receives the HTTP status
/// @param headers_json  receives a JSON object of headers to values, to be freed with bunraku_string_free
/// @param answer  receives the body of the response, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `classifier` is live, the texts are valid for reads of their lengths, the outputs are writable.
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
/// `classifier` is NULL or live, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_classifier_free(classifier: *mut bunraku_classifier) {
    // SAFETY: by the contract of this function.
    unsafe { free(classifier) }
}
