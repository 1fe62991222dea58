//! What is known of a node.

use bunraku_engine::compiler;
use bunraku_engine::compiler::trusted::{self, OidNames};
use bunraku_pcore::value::Value as Inner;
use bunraku_syntax::diagnostic::Error;

use super::Value;

/// What is known of a node before its catalog is compiled: its name, its facts, and what a classifier says of
/// it.
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

    /// Sets the environment that the classifier gives the node. As on a server, it goes before the one that
    /// the node asks for: to compile the node in another one is an error, so that no node gets a catalog of
    /// an environment that it is not in.
    ///
    /// ```
    /// use bunraku::{Environment, NodeInput};
    ///
    /// let environment = |name: &str| Environment::builder(name).code("notify { $environment: }").load();
    /// let node = NodeInput::new("web01.example.net").environment("staging");
    /// let error = environment("production")?.compile(node.clone()).unwrap_err();
    /// assert!(error.message.contains("classified into the environment staging"));
    /// assert!(environment("staging")?.compile(node)?.resource("Notify[staging]").is_some());
    /// # Ok::<(), bunraku::Error>(())
    /// ```
    #[must_use]
    pub fn environment(mut self, name: impl Into<String>) -> Self {
        self.0.environment = Some(name.into());
        self
    }

    /// Adds to what the server says of itself: a variable of the top scope, and an entry of `$server_facts`.
    #[must_use]
    pub fn server_fact(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.server_facts.get_or_insert_default().insert(Inner::from(name), value.into().0);
        self
    }

    /// Has the server say what OpenVox's does: `$serverversion`, `$serverimplementation`, and `$servername`,
    /// `$serverip` and `$serverip6` as [`Host::machine`](crate::Host::machine) tells them. Without it
    /// manifests do not have these variables; a [`server_fact`](Self::server_fact) of the same name goes
    /// before them.
    ///
    /// ```
    /// use bunraku::{Environment, NodeInput};
    ///
    /// let code = "notify { \"${servername}, ${serverimplementation}, ${server_facts['environment']}\": }";
    /// let environment = Environment::builder("production").code(code).load()?;
    /// let node = NodeInput::new("web01.example.net").server_fact("servername", "puppet.example.net").server_facts();
    /// let catalog = environment.compile(node)?;
    /// assert!(catalog.resource("Notify[puppet.example.net, openvox, production]").is_some());
    /// # Ok::<(), bunraku::Error>(())
    /// ```
    #[must_use]
    pub fn server_facts(mut self) -> Self {
        self.0.server_facts_of_host = true;
        self
    }

    /// Sets `$trusted`. Without it the node is one that is compiled for locally, without a certificate:
    /// `authenticated` is `local`.
    #[must_use]
    pub fn trusted(mut self, trusted: &Trusted) -> Self {
        self.0.trusted = Some(trusted.0.to_hash());
        self
    }
}

/// What is known of a node from its certificate: the value of `$trusted`.
///
/// ```no_run
/// use bunraku::{NodeInput, Trusted};
///
/// let pem = std::fs::read_to_string("/etc/puppetlabs/puppetserver/ca/signed/web01.example.net.pem")?;
/// let trusted = Trusted::from_certificate(&pem, None)?;
/// let role = trusted.extension("pp_role");
/// let node = NodeInput::new(trusted.certname()).trusted(&trusted);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Trusted(trusted::Trusted);

impl Trusted {
    /// Reads a certificate in PEM, the first of the text. It is not verified: whoever took it from the node
    /// has done that.
    ///
    /// `oid_mapping` is the text of a `custom_trusted_oid_mapping.yaml`, which names extensions beside those
    /// that Puppet names. An extension is a text, whatever type of text the certificate has it in (bytes that
    /// are no UTF-8 have no encoding in the language), a Boolean, `undef` or an array; numbers and times are
    /// their texts.
    ///
    /// # Errors
    /// The text has no certificate, or it cannot be read; its common name is not printable ASCII; the mapping
    /// has another form, or names what has a name.
    pub fn from_certificate(pem: &str, oid_mapping: Option<&str>) -> Result<Self, Error> {
        let names = match oid_mapping {
            Some(text) => OidNames::from_mapping(text, trusted::MAPPING_FILE)?,
            None => OidNames::default(),
        };
        trusted::Trusted::from_certificate(pem, &names).map(Self)
    }

    /// The name in the certificate, in small letters.
    pub fn certname(&self) -> &str {
        &self.0.certname
    }

    /// An extension, by its short name or, when it has none, by its number.
    pub fn extension(&self, name: &str) -> Option<Value> {
        self.0.extensions.get(&Inner::from(name)).cloned().map(Value)
    }

    /// Adds to what the server knows of the node from elsewhere, `$trusted['external']`.
    #[must_use]
    pub fn external(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.external.insert(Inner::from(name), value.into().0);
        self
    }
}
