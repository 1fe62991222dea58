//! The native part of the gem `bunraku`: one file per Ruby class.
//!
//! Rust values that Ruby sees are wrapped and immutable; panics end at [`entry`]. Long work runs without the
//! GVL ([`gvl`]); compilations can call Ruby from there ([`crossing`]), as they do for functions that are
//! written in Ruby ([`host`], [`registry`]). Failures become exceptions of the plain Ruby classes in
//! `lib/bunraku/errors.rb` ([`failure`]). The documentation for Ruby users is in `lib/` and `sig/`, because
//! YARD does not see methods that are defined here.
//!
//! Locks: every call of Ruby can pass the GVL to another thread. So while Ruby is called, no Rust lock is
//! held and nothing is initialized behind one (`OnceLock`, `LazyLock`, magnus's `Lazy` and `LazyId`): a
//! thread that waits for it with the GVL would wait for ever. What magnus would look up on first use is
//! looked up in [`init`]: classes by [`class::define`], names by `LazyId::force`. The locks of [`host`] and
//! [`registry`] are only held to access a map.

mod call;
mod catalog;
mod class;
mod classifier;
mod command;
mod convert;
mod crossing;
mod direct;
mod document;
mod entry;
mod environment;
mod failure;
mod files;
mod gvl;
mod host;
mod index;
mod model;
mod modules;
mod node;
mod notation;
mod pcore;
mod pops;
mod program;
#[cfg(feature = "lint")]
mod puppet_lint;
mod query;
mod raw;
mod registry;
mod report;
mod runtime;
mod tokens;
mod trusted;
mod types;
mod value;
mod value_view;
mod weight;

use magnus::{Error, Ruby, prelude::*};

use crate::entry::function;

/// Defines the module and its classes; called by Ruby when the library is required.
#[magnus::init(name = "bunraku")]
fn init(ruby: &Ruby) -> Result<(), Error> {
    let module = ruby.define_module("Bunraku")?;
    module.define_singleton_method("native_version", function!(version, 0))?;
    module.define_singleton_method("native_features", function!(features, 0))?;
    ractor_safe(true);
    program::define(ruby, module)?;
    node::define(ruby, module)?;
    query::define(ruby, module)?;
    tokens::define(ruby, module)?;
    index::define(ruby, module)?;
    ractor_safe(false);
    files::define(ruby, module)?;
    model::define(ruby, module)?;
    types::define(ruby, module)?;
    value::define(ruby, module)?;
    pcore::define(ruby, module)?;
    pops::define(ruby, module)?;
    catalog::define(ruby, module)?;
    classifier::define(ruby, module)?;
    command::define(ruby, module)?;
    #[cfg(feature = "lint")]
    puppet_lint::define(module)?;
    modules::define(module)?;
    trusted::define(module)?;
    report::define(ruby, module)?;
    call::define(ruby, module)?;
    entry::define(module)?;
    registry::prepare(ruby);
    environment::define(ruby, module)
}

/// Declares whether the methods that are defined next can be called in any Ractor. Those of programs and
/// nodes can: their shared data never changes, except for rows of nodes, which are exchanged atomically.
fn ractor_safe(are_safe: bool) {
    // SAFETY: Ruby loads the library.
    unsafe { rb_sys::rb_ext_ractor_safe(are_safe) };
}

fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The features that the native part was built with.
fn features() -> Vec<&'static str> {
    bunraku::FEATURES.to_vec()
}
