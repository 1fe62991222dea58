//! The node before its manifests are evaluated: variables of the top scope, `$trusted`, `$facts`, the
//! settings.
//!
//! Follows the reference's `node.rb`, `Compiler#set_node_parameters` and `Scope#merge_settings`.

use std::rc::Rc;
use std::sync::Arc;

use super::{Compilation, NodeInput, inspect, text_of, trusted};
use crate::eval::{Scope, ScopeKind, is_plain_name};
use crate::loader::Environment;
use bunraku_pcore::Named;
use bunraku_pcore::value::{Hash, Str, Value};
use bunraku_syntax::diagnostic::Error;

pub use bunraku_host::REFERENCE;

impl NodeInput {
    /// Adds the server facts, if they are requested. Follows `node/server_facts.rb`.
    pub(super) fn add_server_facts(&mut self, environment: &Environment) {
        if !self.server_facts_of_host {
            return;
        }
        let machine = environment.machine();
        let text = |text: &Option<String>| text.as_deref().map(Value::from);
        let found = [
            ("serverimplementation", Some("openvox".into())),
            ("serverversion", Some(REFERENCE.into())),
            ("servername", text(&machine.name)),
            ("serverip", text(&machine.ip)),
            ("serverip6", text(&machine.ip6)),
        ];
        let known = found.into_iter().filter_map(|(name, value)| Some((Value::from(name), value?)));
        let mut facts: Hash = known.collect();
        facts.extend(self.server_facts.take().into_iter().flatten());
        self.server_facts = Some(facts);
    }
}

/// The variables of the top scope.
pub(super) struct NodeParameters {
    set: Named<Value>,
    /// Whether the facts and server facts are separate and follow these.
    facts_apart: bool,
}

impl Compilation<'_> {
    /// Sets the variables that are known before any manifest is evaluated.
    ///
    /// # Errors
    /// A fact or parameter has a reserved name.
    pub(super) fn set_node_parameters(&self) -> Result<(), Error> {
        let NodeParameters { set, facts_apart } = self.merged_parameters();
        for (name, value) in set.iter().filter(|(name, _)| *name != "environment") {
            self.top.set(name.clone(), value.clone())?;
        }
        let environment = || Value::from(self.environment.name.as_str());
        let mut server_facts = self.node.server_facts.clone().unwrap_or_default();
        server_facts.insert("environment".into(), environment());
        let server_facts = Arc::new(server_facts);
        match (facts_apart, self.node.server_facts_merged) {
            (true, false) => self.top.set_facts(vec![Arc::clone(&self.facts), Arc::clone(&server_facts)]),
            (true, true) => self.top.set_facts(vec![Arc::clone(&self.facts)]),
            (false, _) => {}
        }
        if !*facts_apart || self.node.server_facts_merged {
            self.top.set_privileged("environment", environment())?;
        }
        self.top.set_privileged("trusted", Value::from(self.trusted()))?;
        self.top.set_privileged("server_facts", Value::Hash(server_facts))?;
        self.top.set_privileged("facts", Value::Hash(Arc::clone(&self.facts)))
    }

    /// The classifier's parameters, the facts and the server facts, merged in this order: the first value is
    /// kept, and a repeated one is logged as a warning, once.
    pub(super) fn merged_parameters(&self) -> &NodeParameters {
        self.parameters.get_or_init(|| self.merge_parameters())
    }

    fn merge_parameters(&self) -> NodeParameters {
        let environment = Value::from(self.environment.name.as_str());
        let mut parameters: Named<Value> = Named::new();
        for (name, value) in &self.node.parameters {
            parameters.insert(text_of(name).into(), value.clone());
        }
        parameters.insert("environment".into(), environment);
        let server_facts = self.node.server_facts.as_ref().filter(|_| !self.node.server_facts_merged);
        let server_facts = || server_facts.into_iter().flatten();
        // These are nearly always names that nothing else has: then they need no copies.
        let is_apart = |name: &Value| match name {
            Value::String(name) => is_plain_name(name) && !parameters.contains_key(name.as_str()),
            _ => false,
        };
        let facts_apart = !parameters.contains_key("trusted")
            && self.facts.keys().all(is_apart)
            && server_facts().all(|(name, _)| is_apart(name) && !self.facts.contains_key(name));
        let merged = (!facts_apart).then(|| self.facts.iter().chain(server_facts()));
        for (name, value) in merged.into_iter().flatten() {
            let name: Str = text_of(name).into();
            match parameters.get(&name) {
                Some(present) => {
                    let message = format!(
                        "The node parameter '{name}' for node '{}' was already set to '{}'. It could not be set to '{}'",
                        self.node.name,
                        shown(present),
                        shown(value)
                    );
                    self.warn_once(&message.clone(), message);
                }
                None => {
                    parameters.insert(name, value.clone());
                }
            }
        }
        if parameters.get("trusted").is_some_and(Value::is_truthy) {
            parameters.shift_remove("trusted");
        }
        NodeParameters { set: parameters, facts_apart }
    }

    fn trusted(&self) -> Hash {
        if let Some(trusted) = &self.node.trusted {
            return trusted.clone();
        }
        let empty = || Value::from(Hash::default());
        trusted::hash_of("local".into(), self.node.name.as_str().into(), empty(), empty())
    }

    /// The scope of the class `settings`, with a variable for each setting. It is made when it is asked for.
    pub(super) fn settings_scope(&self) -> &Rc<Scope> {
        self.settings_scope.get_or_init(|| {
            let scope = Scope::new(ScopeKind::Settings).with_parent(&self.top);
            let scope = Rc::new(scope.with_resource(super::SETTINGS_CLASS, "Class[Settings]"));
            let all = self.environment.setting_values();
            let names = [("title", "settings"), ("name", "settings")];
            let names = names.map(|(name, value)| (Value::from(name), Value::from(value)));
            let all_local = [(Value::from("all_local"), Value::Hash(Arc::clone(all)))];
            let own = all.iter().map(|(name, value)| (name.clone(), value.clone()));
            for (name, value) in names.into_iter().chain(own).chain(all_local) {
                // A setting with a name that no variable may have is not there.
                let _ = scope.set_privileged(text_of(&name), value);
            }
            scope
        })
    }
}

/// A value in the warning about a parameter that is set twice.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Hash(_) => inspect(value),
        other => text_of(other),
    }
}
