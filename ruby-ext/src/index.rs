//! `Bunraku::NativeIndex`: the index of an environment, renewed file by file.

use std::sync::{Arc, Mutex};

use bunraku::ErrorKind;
use bunraku::loader::{Environment, Environments};
use bunraku::requests::{self, Index, Kept};
use magnus::{DataTypeFunctions, Error, Module as _, RModule, Ruby, TypedData, gc};
use serde_json::Value as Json;

use crate::convert::json_to_ruby;
use crate::crossing::watched_reading;
use crate::entry::method;
use crate::host::RubyHost;
use crate::weight::Weight;
use crate::{class, failure};

/// The index of an environment.
#[derive(TypedData)]
#[magnus(class = "Bunraku::NativeIndex", free_immediately, mark, size)]
pub(crate) struct NativeIndex {
    environment: Arc<Environment>,
    environments: Arc<Environments>,
    /// The host of the environment, with the Ruby objects that it calls.
    host: Arc<RubyHost>,
    /// Empty while it is renewed: the renewal calls Ruby, so it holds no lock.
    index: Mutex<Option<(Index, Kept)>>,
    _weight: Weight,
}

/// The approximate size of an index.
const WEIGHT: usize = 1 << 20;

impl DataTypeFunctions for NativeIndex {
    fn mark(&self, marker: &gc::Marker) {
        self.host.mark(marker);
    }
}

impl NativeIndex {
    pub(crate) fn new(
        ruby: &Ruby,
        environment: Arc<Environment>,
        environments: Arc<Environments>,
        host: Arc<RubyHost>,
        index: Index,
    ) -> Self {
        let index = Mutex::new(Some((index, Kept::default())));
        Self { environment, environments, host, index, _weight: Weight::new(ruby, WEIGHT) }
    }

    /// Reads a file again.
    fn renew(ruby: &Ruby, own: &Self, path: String) -> Result<(), Error> {
        let (mut index, mut kept) = own.take(ruby)?;
        let renewed = watched_reading(ruby, |usage| {
            requests::renew_index(&mut index, &mut kept, &own.environment, &path, &usage.ends)
        });
        own.put((index, kept));
        renewed?.map_err(|error| failure::raised(ruby, &error))
    }

    /// Checks files again; `request` is JSON text.
    fn check(ruby: &Ruby, own: &Self, request: String) -> Result<magnus::Value, Error> {
        let request: Json = serde_json::from_str(&request)
            .map_err(|error| Error::new(ruby.exception_arg_error(), error.to_string()))?;
        let (index, mut kept) = own.take(ruby)?;
        let found = watched_reading(ruby, |usage| {
            let environment = own.environments.get_watched(&own.environment.name, &usage.ends)?;
            requests::check_in_index(&environment, &index, &mut kept, &request, &usage.ends)
        });
        own.put((index, kept));
        let found = found?.map_err(|error| match error.kind {
            ErrorKind::Argument => failure::unusable(ruby, &error),
            _ => failure::raised(ruby, &error),
        });
        json_to_ruby(ruby, &found?)
    }

    /// What the index contains, or a file of it.
    fn json(ruby: &Ruby, own: &Self, path: Option<String>) -> Result<magnus::Value, Error> {
        let index = own.take(ruby)?;
        let answer = watched_reading(ruby, |_| requests::index_json(&index.0, path.as_deref()));
        own.put(index);
        json_to_ruby(ruby, &answer?.map_err(|error| failure::raised(ruby, &error))?)
    }

    /// What a new name changes; `request` is JSON text.
    fn rename(ruby: &Ruby, own: &Self, request: String) -> Result<magnus::Value, Error> {
        let request: Json = serde_json::from_str(&request)
            .map_err(|error| Error::new(ruby.exception_arg_error(), error.to_string()))?;
        let index = own.take(ruby)?;
        let answer = watched_reading(ruby, |_| requests::rename_in_index(&index.0, &request));
        own.put(index);
        json_to_ruby(ruby, &answer?.map_err(|error| failure::raised(ruby, &error))?)
    }

    fn take(&self, ruby: &Ruby) -> Result<(Index, Kept), Error> {
        let index = self.index.try_lock().ok().and_then(|mut index| index.take());
        let in_use = || Error::new(ruby.exception_runtime_error(), "another thread uses the index");
        index.ok_or_else(in_use)
    }

    fn put(&self, index: (Index, Kept)) {
        if let Ok(mut own) = self.index.lock() {
            *own = Some(index);
        }
    }
}

/// Defines the class.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), Error> {
    let class = class::define::<NativeIndex>(ruby, module, "NativeIndex")?;
    class.define_method("renew", method!(NativeIndex::renew, 1))?;
    class.define_method("check", method!(NativeIndex::check, 1))?;
    class.define_method("rename", method!(NativeIndex::rename, 1))?;
    class.define_method("json", method!(NativeIndex::json, 1))
}
