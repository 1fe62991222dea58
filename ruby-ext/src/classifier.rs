//! `Bunraku::Classifier`: requests of the node classifier's interface.

use std::sync::Arc;

use bunraku::eval::limits::Usage;
use bunraku::host::disk::DiskHost;
use bunraku::requests::{Classifier, Request, open_classifier};
use magnus::{Error, RArray, RModule, RString, Ruby, prelude::*};

use crate::class;
use crate::crossing::{Exceptions, watched_reading};
use crate::entry::{function, method};
use crate::failure;
use crate::gvl;

/// A node classifier. Any number of threads can use it.
#[magnus::wrap(class = "Bunraku::Classifier", free_immediately, size)]
struct NativeClassifier(Classifier);

impl NativeClassifier {
    fn open(ruby: &Ruby, options: String) -> Result<Self, Error> {
        let options = serde_json::from_str(&options)
            .map_err(|error| Error::new(ruby.exception_arg_error(), error.to_string()))?;
        let opened = gvl::without(|| open_classifier(Arc::new(DiskHost), &options))?;
        opened.map(Self).map_err(|error| failure::exception(ruby, &error, &[], Exceptions::new(ruby)))
    }

    /// Answers a request with its status, an array of names and values of headers, and its body.
    fn answer(
        ruby: &Ruby,
        own: &Self,
        method: String,
        path: String,
        query: String,
        body: RString,
    ) -> Result<RArray, Error> {
        // SAFETY: the bytes are copied before Ruby runs again.
        let body = unsafe { body.as_slice() }.to_vec();
        let request = Request { method: &method, path: &path, query: &query, body: &body };
        let answer = |usage: &Usage<'_>| own.0.answer_watched(request, &usage.ends);
        let response = watched_reading(ruby, answer)?.map_err(|error| failure::raised(ruby, &error))?;
        let headers = ruby.ary_new();
        for (name, value) in response.headers {
            headers.push(ruby.ary_new_from_values(&[ruby.str_new(name), ruby.str_new(&value)]))?;
        }
        let answer = ruby.ary_new_capa(3);
        answer.push(response.status)?;
        answer.push(headers)?;
        answer.push(ruby.enc_str_new(&response.body, ruby.utf8_encoding()))?;
        Ok(answer)
    }
}

/// Defines the class.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), Error> {
    let class = class::define::<NativeClassifier>(ruby, module, "Classifier")?;
    class.define_singleton_method("native_open", function!(NativeClassifier::open, 1))?;
    class.define_method("native_answer", method!(NativeClassifier::answer, 4))
}
