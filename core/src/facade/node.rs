//! The input of a compilation about a node.

use bunraku_engine::compiler;
use bunraku_engine::compiler::trusted::{self, OidNames};
use bunraku_pcore::value::Value as Inner;
use bunraku_syntax::diagnostic::Error;

use super::Value;

/// What the compilation knows about a node: its name, its facts, and its classification.
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
    /// A node with this certname and without facts.
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

    /// Sets the environment that the classifier assigns to the node. As on a server, it takes precedence over
    /// the one that the node requests: compiling the node in another environment is an error, so that no node
    /// gets a catalog of an environment that it is not in.
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

    /// Adds a fact about the server: a variable of the top scope, and an entry of `$server_facts`.
    #[must_use]
    pub fn server_fact(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.server_facts.get_or_insert_default().insert(Inner::from(name), value.into().0);
        self
    }

    /// Adds the server facts of OpenVox: `$serverversion`, `$serverimplementation`, and `$servername`,
    /// `$serverip` and `$serverip6` from [`Host::machine`](crate::Host::machine). Without this call manifests
    /// do not have these variables. A [`server_fact`](Self::server_fact) of the same name takes precedence.
    ///
    /// ```
    /// use bunraku::{Environment, NodeInput};
    ///
    /// let code = "notify { \"${servername}, ${serverimplementation}, ${server_facts['environment']}\": }";
    /// let environment = Environment::builder("production").code(code).load()?;
    /// let node = NodeInput::new("web01.example.net")
    ///     .server_fact("servername", "puppet.example.net")
    ///     .server_facts();
    /// let catalog = environment.compile(node)?;
    /// assert!(catalog.resource("Notify[puppet.example.net, openvox, production]").is_some());
    /// # Ok::<(), bunraku::Error>(())
    /// ```
    #[must_use]
    pub fn server_facts(mut self) -> Self {
        self.0.server_facts_of_host = true;
        self
    }

    /// Sets `$trusted`. The default is that of a node that is compiled locally, without a certificate:
    /// `authenticated` is `local`.
    #[must_use]
    pub fn trusted(mut self, trusted: &Trusted) -> Self {
        self.0.trusted = Some(trusted.0.to_hash());
        self
    }
}

/// The data of a node's certificate: the value of `$trusted`.
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
    /// Reads the first certificate of a text in PEM. It does not verify the certificate: whoever accepted it
    /// from the node has done that.
    ///
    /// `oid_mapping` is the text of a `custom_trusted_oid_mapping.yaml`, which names extensions in addition
    /// to those that Puppet names. The value of an extension is a String for every text type of the
    /// certificate (bytes that are not UTF-8 have no encoding in the language), a Boolean, `undef` or an
    /// Array. Numbers and times are Strings.
    ///
    /// # Errors
    /// The text contains no certificate or the certificate cannot be read, its common name is not printable
    /// ASCII, or the mapping has another form or renames a known extension.
    pub fn from_certificate(pem: &str, oid_mapping: Option<&str>) -> Result<Self, Error> {
        let names = match oid_mapping {
            Some(text) => OidNames::from_mapping(text, trusted::MAPPING_FILE)?,
            None => OidNames::default(),
        };
        trusted::Trusted::from_certificate(pem, &names).map(Self)
    }

    /// The name in the certificate, in lower case.
    pub fn certname(&self) -> &str {
        &self.0.certname
    }

    /// An extension, by its short name or, if it has none, by its number.
    pub fn extension(&self, name: &str) -> Option<Value> {
        self.0.extensions.get(&Inner::from(name)).cloned().map(Value)
    }

    /// Adds external trusted data, `$trusted['external']`.
    #[must_use]
    pub fn external(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.external.insert(Inner::from(name), value.into().0);
        self
    }
}
