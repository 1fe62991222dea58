//! The node before its manifests are evaluated: variables of the top scope, `$trusted`, `$facts`, the
//! settings.
//!
//! Follows the reference's `node.rb`, `Compiler#set_node_parameters` and `Scope#merge_settings`.

use std::rc::Rc;
use std::sync::Arc;

use super::{Compilation, NodeInput, inspect, text_of, trusted};
use crate::eval::{Scope, ScopeKind};
use crate::loader::Environment;
use bunraku_pcore::Named;
use bunraku_pcore::value::{Hash, Str, Value};
use bunraku_syntax::diagnostic::Error;

pub use bunraku_host::REFERENCE;

impl NodeInput {
    /// Adds what the server says of itself, where that is wanted. Follows `node/server_facts.rb`.
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

impl Compilation<'_> {
    /// Sets the variables that are known before any manifest is evaluated.
    ///
    /// # Errors
    /// A fact or parameter has a reserved name.
    pub(super) fn set_node_parameters(&self) -> Result<(), Error> {
        let parameters = self.merged_parameters();
        for (name, value) in parameters {
            if name != "environment" {
                self.top.set(name.clone(), value.clone())?;
            }
        }
        self.top.set_privileged("environment", Value::from(self.environment.name.as_str()))?;
        self.top.set_privileged("trusted", Value::from(self.trusted()))?;
        let mut server_facts = self.node.server_facts.clone().unwrap_or_default();
        server_facts.insert("environment".into(), Value::from(self.environment.name.as_str()));
        self.top.set_privileged("server_facts", Value::from(server_facts))?;
        self.top.set_privileged("facts", self.facts.clone())
    }

    /// The classifier's parameters, the facts and what the server says of itself, merged in this order: what
    /// was set first stays, and what was set again is warned of, once.
    pub(super) fn merged_parameters(&self) -> &Named<Value> {
        self.parameters.get_or_init(|| self.merge_parameters())
    }

    fn merge_parameters(&self) -> Named<Value> {
        let environment = Value::from(self.environment.name.as_str());
        let mut parameters: Named<Value> = Named::new();
        for (name, value) in &self.node.parameters {
            parameters.insert(text_of(name).into(), value.clone());
        }
        parameters.insert("environment".into(), environment);
        let server_facts = self.node.server_facts.as_ref().filter(|_| !self.node.server_facts_merged);
        let server_facts = server_facts.into_iter().flatten();
        for (name, value) in self.node.facts.iter().chain(server_facts) {
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
        parameters
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
