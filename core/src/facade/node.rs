//! What is known of a node.

use bunraku_engine::compiler;
use bunraku_pcore::value::Value as Inner;

use super::Value;

/// What is known of a node before its catalog is compiled: its name, its facts, and what a classifier says of it.
///
/// ```
/// use bunraku::{NodeInput, Value};
///
/// let os = Value::from_json(&serde_json::json!({ "family": "Debian" }))?;
/// let node = NodeInput::new("web01.example.net").fact("os", os).class("motd").variable("role", "web");
/// # Ok::<(), bunraku::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NodeInput(pub(crate) compiler::NodeInput);

impl NodeInput {
    /// A node of this certname, without facts.
    pub fn new(name: impl Into<String>) -> Self {
        Self(compiler::NodeInput { name: name.into(), ..compiler::NodeInput::default() })
    }

    /// Adds a fact, a variable of the top scope and an entry of `$facts`.
    #[must_use]
    pub fn fact(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.facts.insert(Inner::from(name), value.into().0);
        self
    }

    /// Adds facts by their names.
    #[must_use]
    pub fn facts<N: AsRef<str>>(self, facts: impl IntoIterator<Item = (N, Value)>) -> Self {
        facts.into_iter().fold(self, |node, (name, value)| node.fact(name.as_ref(), value))
    }

    /// Adds a class that the classifier gives the node.
    #[must_use]
    pub fn class(mut self, name: &str) -> Self {
        self.0.classes.push((name.into(), None));
        self
    }

    /// Adds a class that the classifier gives the node, with parameters.
    #[must_use]
    pub fn class_with<N: AsRef<str>>(
        mut self,
        name: &str,
        parameters: impl IntoIterator<Item = (N, Value)>,
    ) -> Self {
        let parameters = parameters.into_iter().map(|(name, value)| (Inner::from(name.as_ref()), value.0));
        self.0.classes.push((name.into(), Some(parameters.collect())));
        self
    }

    /// Adds a variable of the top scope that the classifier gives the node.
    #[must_use]
    pub fn variable(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.parameters.insert(Inner::from(name), value.into().0);
        self
    }
}
