//! A lookup as a whole: options for the key, the search through the layers, the conversion of the result.
//!
//! Follows the reference's `pops/lookup.rb` and `pops/lookup/lookup_adapter.rb`.

use std::rc::Rc;

use super::convert::{convert, holds_secret, names_secret};
use super::error::{LookupError, LookupResult};
use super::explain::Part;
use super::invocation::Invocation;
use super::key::{LOOKUP_OPTIONS, LookupKey};
use super::merge::Strategy;
use super::options::option;
use super::query::LookupQuery;
use super::session::{Lookups, Session};
use super::state::LookupState;
use super::types;
use crate::eval::Closure;
use crate::eval::context::LookupRequest;
use bunraku_pcore::fuel::BYTES_IN_STEP;
use bunraku_pcore::value::Value;

impl Lookups for LookupState {
    fn look_up(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        request: &LookupRequest,
    ) -> LookupResult {
        first_of(session, self, invocation, request, None)
    }
}

/// Looks up the names of a request in turn: overrides, data, default values, the block or the default.
pub(super) fn first_of(
    session: Session<'_, '_>,
    state: &LookupState,
    invocation: &Rc<Invocation>,
    request: &LookupRequest,
    default_block: Option<&Closure>,
) -> LookupResult {
    let check = |subject: &str, value: Value| -> LookupResult {
        if let Some(expected) = &request.value_type {
            types::assert_type(subject, expected, &value)?;
        }
        Ok(value)
    };
    for name in &request.names {
        let found = match invocation.overrides.get(&Value::String(name.clone())) {
            Some(value) => {
                Some(check(&format!("Value found for key '{name}' in override hash"), value.clone())?)
            }
            None => match lookup(session, state, invocation, name, request.merge.as_ref()) {
                Ok(value) => Some(value),
                Err(LookupError::NoSuchKey) => None,
                Err(stop) => return Err(stop),
            },
        };
        if let Some(value) = found {
            return check("Found value", value);
        }
    }
    for name in &request.names {
        if let Some(value) = invocation.defaults.get(&Value::String(name.clone())) {
            return check(&format!("Value found for key '{name}' in default values hash"), value.clone());
        }
    }
    if let Some(block) = default_block {
        let names = match request.names.as_slice() {
            [name] => Value::String(name.clone()),
            names => Value::array(names.iter().cloned().map(Value::String)),
        };
        return check("Value returned from default block", session.evaluator.call_closure(block, &[names])?);
    }
    if let Some(default) = &request.default {
        return check("Default value", default.clone());
    }
    Err(request.not_found().into())
}

/// Searches for a key in all layers, according to its options and `merge`.
pub(super) fn lookup(
    session: Session<'_, '_>,
    state: &LookupState,
    invocation: &Rc<Invocation>,
    name: &str,
    merge: Option<&Value>,
) -> LookupResult {
    if name == LOOKUP_OPTIONS || name.strip_prefix(LOOKUP_OPTIONS).is_some_and(|rest| rest.starts_with('.')) {
        let _refused = invocation.observe(|| Part::InvalidKey(LOOKUP_OPTIONS.into()));
        return Err(LookupError::NoSuchKey);
    }
    state.record(name);
    session.charge_steps(name.len() / BYTES_IN_STEP as usize)?;
    let key = LookupKey::new(name)?;
    session.nested(|| {
        invocation.lookup(session.progress, &key, None, || {
            if invocation.only_explain_options() {
                let options = LookupKey::new(LOOKUP_OPTIONS)?;
                let strategy = Strategy::hash();
                let query = LookupQuery { session, invocation, key: &options, strategy: &strategy };
                return match state.layers.search(query) {
                    Ok(_) | Err(LookupError::NoSuchKey) => Ok(Value::Undef),
                    Err(stop) => Err(stop),
                };
            }
            lookup_with_options(session, state, invocation, &key, merge)
        })
    })
}

/// Finds the options of a key, then its value, and converts it accordingly.
fn lookup_with_options(
    session: Session<'_, '_>,
    state: &LookupState,
    invocation: &Rc<Invocation>,
    key: &LookupKey,
    merge: Option<&Value>,
) -> LookupResult {
    let options = state.options.of(&state.layers, session, invocation, key)?;
    let options = options.filter(Value::is_truthy);
    let option = |name: &str| option(options.as_ref(), name);
    let merge = match merge.filter(|merge| !merge.is_undef()) {
        Some(merge) => Some(merge.clone()),
        None => option("merge")?.inspect(|_| invocation.report_merge_source(LOOKUP_OPTIONS)),
    };
    // What is wrong with it, the reference tells once it has found a value.
    let target = option("convert_to").unwrap_or_default();
    let is_secret = |found: &LookupResult| {
        let converted = found.as_ref().is_ok_and(holds_secret);
        target.as_ref().is_some_and(|target| converted || names_secret(session, target))
    };
    let outer = invocation.convert_to.replace(target.clone());
    let found = invocation.guarding(is_secret, || {
        let found = search_data(session, state, invocation, key, merge.as_ref())?;
        match option("convert_to")? {
            Some(target) => convert(session, invocation, &key.text, &target, found),
            None => Ok(found),
        }
    });
    invocation.convert_to.replace(outer);
    found
}

/// Looks for a key in the layers, then in the default hierarchy of its module.
fn search_data(
    session: Session<'_, '_>,
    state: &LookupState,
    invocation: &Rc<Invocation>,
    key: &LookupKey,
    merge: Option<&Value>,
) -> LookupResult {
    let _top = invocation.observe(|| Part::Top { kind: "data", key: key.text.to_string() });
    let strategy = Strategy::new(merge)?;
    match state.layers.search(LookupQuery { session, invocation, key, strategy: &strategy }) {
        Err(LookupError::NoSuchKey) if !invocation.global_only.get() => {
            key.dig(invocation, default_in_module(session, state, invocation, key)?)
        }
        found => found,
    }
}

/// Looks for a key in the default hierarchy of its module.
fn default_in_module(
    session: Session<'_, '_>,
    state: &LookupState,
    invocation: &Rc<Invocation>,
    key: &LookupKey,
) -> LookupResult {
    let module = invocation.module_name().ok_or(LookupError::NoSuchKey)?;
    let provider = state.layers.module(session, &module)?.ok_or(LookupError::NoSuchKey)?;
    if !provider.config(session)?.has_default_hierarchy() {
        return Err(LookupError::NoSuchKey);
    }
    let _module =
        invocation.observe(|| Part::Scope(format!("Searching default_hierarchy of module \"{module}\"")));
    let options = state.options.of_default(&provider, session, invocation, &module, key)?;
    let strategy = Strategy::new(option(options.as_ref(), "merge")?.as_ref())?;
    let _search = invocation.observe(|| Part::Scope(format!("Searching for \"{}\"", key.text)));
    provider.lookup_in_default(LookupQuery { session, invocation, key, strategy: &strategy })
}
