//! Options for keys: what the key `lookup_options` has, by name and by pattern.
//!
//! Follows the parts of the reference's `pops/lookup/lookup_adapter.rb` that look for them.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::error::{LookupError, LookupResult, lookup_error};
use super::explain::Part;
use super::invocation::Invocation;
use super::key::{LOOKUP_OPTIONS, LookupKey};
use super::layers::Layers;
use super::merge::Strategy;
use super::provider::Provider;
use super::query::LookupQuery;
use super::session::Session;
use bunraku_pcore::ruby::values as ruby;
use bunraku_pcore::value::{Hash, RegexpValue, Str, Value};
use bunraku_syntax::diagnostic::Error;

/// The options that were looked up, each once.
#[derive(Debug, Default)]
pub(super) struct CachedOptions {
    /// By module; those that no module has, under the empty name.
    by_module: RefCell<FxHashMap<Str, Rc<Option<KeyOptions>>>>,
    /// Those of modules' default hierarchies.
    of_defaults: RefCell<FxHashMap<Str, Rc<Option<KeyOptions>>>>,
    global: RefCell<Option<Option<Value>>>,
    environment: RefCell<Option<Option<Value>>>,
}

/// Options by key, and by pattern of keys.
#[derive(Debug, Default)]
pub(super) struct KeyOptions {
    keys: Hash,
    patterns: Vec<(Arc<RegexpValue>, Value)>,
    /// Whether each strategy is one, once that was asked.
    strategies_exist: OnceCell<bool>,
}

impl KeyOptions {
    /// Sorts options by their keys.
    fn new(session: Session<'_, '_>, options: Option<&Value>) -> LookupResult<Option<Self>> {
        let Some(Value::Hash(options)) = options else { return Ok(None) };
        let mut result = Self::default();
        for (key, value) in options.iter() {
            session.charge_steps(1)?;
            match key.as_str() {
                Some(pattern) if pattern.starts_with('^') => {
                    let pattern = session.environment().regexp(pattern);
                    pattern.regex(&session.evaluator.usage)?;
                    result.patterns.push((pattern, value.clone()));
                }
                Some(_) => {
                    result.keys.insert(key.clone(), value.clone());
                }
                None => return Err(no_text_key(key)),
            }
        }
        Ok(Some(result))
    }

    /// Whether each strategy in the options is one; a lookup fails over another even where no data has its
    /// key.
    fn strategies_exist(&self) -> bool {
        *self.strategies_exist.get_or_init(|| {
            let mut values =
                self.keys.iter().map(|(_, value)| value).chain(self.patterns.iter().map(|(_, value)| value));
            values.all(|options| {
                option(Some(options), "merge").and_then(|merge| Strategy::new(merge.as_ref())).is_ok()
            })
        })
    }

    /// Whether a key may have options.
    pub fn may_have(&self, key: &Value) -> bool {
        !self.patterns.is_empty() || self.keys.contains_key(key)
    }

    /// The options of a key.
    fn of(&self, session: Session<'_, '_>, root: &Str) -> LookupResult<Option<Value>> {
        if let Some(options) = self.keys.get(&Value::String(root.clone())).filter(|value| !value.is_undef()) {
            return Ok(Some(options.clone()));
        }
        for (pattern, options) in &self.patterns {
            if pattern.regex(&session.evaluator.usage)?.is_match(root, &session.evaluator.usage)? {
                return Ok(Some(options.clone()));
            }
        }
        Ok(None)
    }
}

fn no_text_key(key: &Value) -> LookupError {
    let class = super::text::ruby_class(key);
    Error::internal(format!("A key of lookup_options is a String, not of the class {class}")).into()
}

/// An option that has a value. What is no hash answers as it does in Ruby: a text has the options that it
/// contains.
///
/// # Errors
/// Ruby's, if the options are neither.
pub(super) fn option(options: Option<&Value>, name: &str) -> LookupResult<Option<Value>> {
    match options {
        None | Some(Value::Undef) => Ok(None),
        Some(Value::Hash(hash)) => {
            Ok(hash.get(&Value::from(name)).filter(|value| !value.is_undef()).cloned())
        }
        Some(Value::Integer(_) | Value::BigInteger(_) | Value::Array(_)) => {
            Err(Error::internal("no implicit conversion of String into Integer").into())
        }
        Some(other) => match other.as_str() {
            Some(text) => Ok(text.contains(name).then(|| Value::from(name))),
            None => Err(ruby::no_method("[]", other).into()),
        },
    }
}

impl CachedOptions {
    /// Whether each strategy in the options for keys of a module is one, as far as they are known.
    pub fn strategies_exist(&self, module: &str) -> bool {
        [&self.by_module, &self.of_defaults].into_iter().all(|known| {
            let known = known.borrow();
            let options = known.get(module).and_then(|options| options.as_ref().as_ref());
            options.is_none_or(KeyOptions::strategies_exist)
        })
    }

    /// The options for a key, as all layers have them.
    pub fn of(
        &self,
        layers: &Layers,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        key: &LookupKey,
    ) -> LookupResult<Option<Value>> {
        let module = key.module_name();
        let name = module.clone().unwrap_or_default();
        let kept = self.by_module.borrow().get(&name).cloned();
        let options = match kept {
            Some(options) => options,
            None => {
                let options = match self.known_of(layers, session, invocation, module.as_ref())? {
                    Some(options) => options,
                    None => self.retrieve(layers, session, invocation, module.as_ref())?,
                };
                self.by_module.borrow_mut().insert(name, options.clone());
                options
            }
        };
        match &*options {
            Some(options) => options.of(session, &key.root),
            None => Ok(None),
        }
    }

    /// The options for a key, as the default hierarchy of its module has them.
    pub fn of_default(
        &self,
        provider: &Provider,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        module: &Str,
        key: &LookupKey,
    ) -> LookupResult<Option<Value>> {
        let kept = self.of_defaults.borrow().get(module).cloned();
        let options = match kept {
            Some(options) => options,
            None => {
                let options = Rc::new(default_options(session, invocation, provider, module)?);
                self.of_defaults.borrow_mut().insert(module.clone(), options.clone());
                options
            }
        };
        match &*options {
            Some(options) => options.of(session, &key.root),
            None => Ok(None),
        }
    }

    /// The options for keys of a module, if they are found without a search.
    pub fn known(
        &self,
        layers: &Layers,
        session: Session<'_, '_>,
        module: &Str,
    ) -> LookupResult<Option<Rc<Option<KeyOptions>>>> {
        let kept = self.by_module.borrow().get(module).cloned();
        if kept.is_some() {
            return Ok(kept);
        }
        let common = self.common_of(layers, session, module)?;
        if let Some(options) = &common {
            self.by_module.borrow_mut().insert(module.clone(), Rc::clone(options));
        }
        Ok(common)
    }

    /// Whether options are those that no module has.
    pub fn are_common(&self, options: &Rc<Option<KeyOptions>>) -> bool {
        self.by_module.borrow().get("").is_some_and(|common| Rc::ptr_eq(common, options))
    }

    /// The options of a module without data, which are those of the other layers; `None` if those are not
    /// known, or if the search for them is observed.
    fn known_of(
        &self,
        layers: &Layers,
        session: Session<'_, '_>,
        invocation: &Invocation,
        module: Option<&Str>,
    ) -> LookupResult<Option<Rc<Option<KeyOptions>>>> {
        let Some(module) = module else { return Ok(None) };
        if invocation.is_observed() || invocation.global_only.get() {
            return Ok(None);
        }
        self.common_of(layers, session, module)
    }

    fn common_of(
        &self,
        layers: &Layers,
        session: Session<'_, '_>,
        module: &Str,
    ) -> LookupResult<Option<Rc<Option<KeyOptions>>>> {
        let Some(common) = self.by_module.borrow().get("").cloned() else { return Ok(None) };
        Ok(layers.module(session, module)?.is_none().then_some(common))
    }

    /// Looks for options in the layers: those of a module are merged below those of the other layers.
    fn retrieve(
        &self,
        layers: &Layers,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        module: Option<&Str>,
    ) -> LookupResult<Rc<Option<KeyOptions>>> {
        let key = LookupKey::new(LOOKUP_OPTIONS)?;
        let meta = Rc::new(Invocation::plain(session.progress, &invocation.scope));
        let sorted = |options: Option<&Value>| KeyOptions::new(session, options).map(Rc::new);
        meta.lookup(session.progress, &key, invocation.module_name(), || {
            let _top = meta.observe(|| Part::Top { kind: "meta", key: LOOKUP_OPTIONS.into() });
            if meta.global_only.get() {
                return sorted(self.global(layers, session, &meta, &key)?.as_ref());
            }
            let options = self.environment(layers, session, &meta, &key)?;
            let Some(module) = module else { return sorted(options.as_ref()) };
            let known = self.by_module.borrow().get("").cloned();
            let shared = match known {
                Some(shared) => shared,
                None => {
                    let shared = sorted(options.as_ref())?;
                    self.by_module.borrow_mut().insert(Str::default(), Rc::clone(&shared));
                    shared
                }
            };
            let hash = Strategy::hash();
            let own = found_options(
                layers.in_module(LookupQuery { session, invocation: &meta, key: &key, strategy: &hash }),
                Some(module),
            )?;
            let options = match (options, own) {
                (None, own) => own,
                (Some(_), None) => return Ok(shared),
                (Some(options), Some(own)) => {
                    let sources =
                        [("Global and Environment".to_owned(), options), (format!("Module {module}"), own)];
                    let values = sources.into_iter().map(|(name, options)| {
                        let _source = meta.observe(|| Part::Scope(name));
                        Ok(meta.report_found(LOOKUP_OPTIONS, options))
                    });
                    Some(hash.merge_all(session, &meta, values)?)
                }
            };
            sorted(options.as_ref())
        })
    }

    /// The options of the global layer.
    fn global(
        &self,
        layers: &Layers,
        session: Session<'_, '_>,
        meta: &Rc<Invocation>,
        key: &LookupKey,
    ) -> LookupResult<Option<Value>> {
        if let Some(options) = &*self.global.borrow() {
            return Ok(options.clone());
        }
        let options = found_options(
            layers.in_global(LookupQuery { session, invocation: meta, key, strategy: &Strategy::hash() }),
            None,
        )?;
        self.global.replace(Some(options.clone()));
        Ok(options)
    }

    /// The options of the global layer and the environment.
    fn environment(
        &self,
        layers: &Layers,
        session: Session<'_, '_>,
        meta: &Rc<Invocation>,
        key: &LookupKey,
    ) -> LookupResult<Option<Value>> {
        if let Some(options) = &*self.environment.borrow() {
            return Ok(options.clone());
        }
        let hash = Strategy::hash();
        let global = self.global(layers, session, meta, key)?;
        let own = found_options(
            layers.in_environment(LookupQuery { session, invocation: meta, key, strategy: &hash }),
            None,
        )?;
        let options = match (global, own) {
            (Some(global), Some(own)) => Some(hash.merge(session, &global, &own)?),
            (global, own) => global.or(own),
        };
        self.environment.replace(Some(options.clone()));
        Ok(options)
    }
}

/// The options that the default hierarchy of a module has for keys.
fn default_options(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    provider: &Provider,
    module: &Str,
) -> LookupResult<Option<KeyOptions>> {
    let key = LookupKey::new(LOOKUP_OPTIONS)?;
    let meta = Rc::new(Invocation::plain(session.progress, &invocation.scope));
    meta.lookup(session.progress, &key, Some(module.clone()), || {
        let _search = invocation.observe(|| Part::Scope(format!("Searching for \"{LOOKUP_OPTIONS}\"")));
        let found = provider.lookup_in_default(LookupQuery {
            session,
            invocation: &meta,
            key: &key,
            strategy: &Strategy::hash(),
        });
        KeyOptions::new(session, found_options(found, Some(module))?.as_ref())
    })
}

/// The checked options that were found; `None` if nothing was found.
fn found_options(found: LookupResult, module: Option<&Str>) -> LookupResult<Option<Value>> {
    match found {
        Ok(options) => validate_options(options, module),
        Err(LookupError::NoSuchKey) => Ok(None),
        Err(stop) => Err(stop),
    }
}

/// Checks options: a hash, whose keys belong to the module when it is a module's.
fn validate_options(options: Value, module: Option<&Str>) -> LookupResult<Option<Value>> {
    let hash = match &options {
        Value::Undef => return Ok(None),
        Value::Hash(hash) => hash,
        _ => return Err(lookup_error(format!("value of {LOOKUP_OPTIONS} must be a hash"))),
    };
    let Some(module) = module else { return Ok(Some(options)) };
    let prefix = format!("{module}::");
    for key in hash.keys() {
        let name = key.as_str().ok_or_else(|| no_text_key(key))?;
        match name.strip_prefix('^') {
            Some(pattern) if !pattern.starts_with(&prefix) => {
                return Err(lookup_error(format!(
                    "all {LOOKUP_OPTIONS} patterns must match a key starting with module name '{module}'"
                )));
            }
            None if !name.starts_with(&prefix) => {
                return Err(lookup_error(format!(
                    "all {LOOKUP_OPTIONS} keys must start with module name '{module}'"
                )));
            }
            _ => {}
        }
    }
    Ok(Some(options))
}
