//! The options of a node, and its environment, loaded.

use std::sync::Arc;

use bunraku::compiler::trusted::{OidNames, Trusted};
use bunraku::compiler::{Limits, NodeInput, facts, request};
use bunraku::host::Reading;
use bunraku::host::disk::{self, DiskHost};
use bunraku::loader::{Environment, PuppetConf};
use bunraku::pcore::json::from_data;
use bunraku::pcore::value::Hash;
use bunraku::pcore::{Value, json_tokens};
use bunraku::requests::{self, Request};
use bunraku::{Error, Host as _};
use serde_json::{Map, Value as Json, json};

use crate::arguments::NodeArguments;
use crate::facts::with_those_of_agents;
use crate::place::{EnvironmentArguments, EnvironmentSource, load, missing_modules};
use crate::revision::Repository;
use crate::{CommandError, Session};

/// The options of one or several nodes: all except their names and facts.
pub(crate) struct NodeOptions {
    pub(crate) name: Option<String>,
    pub(crate) facts: Hash,
    pub(crate) trusted: Option<Hash>,
    classes: Vec<(String, Option<Hash>)>,
    parameters: Hash,
    classification: Json,
    /// The server facts; by default those of the machine.
    server_facts: Option<Hash>,
    limits: Map<String, Json>,
}

impl NodeArguments {
    /// Reads the files that the options name.
    pub(crate) fn node_options(&self, session: &Session<'_>) -> Result<NodeOptions, CommandError> {
        let server_facts = match &self.server_facts {
            Some(path) => Some(self.hash_in(path, session)?),
            None if self.no_server_facts => Some(Hash::default()),
            None => None,
        };
        let parameters = self.parameters.iter();
        let parameters =
            parameters.map(|(name, value)| (Value::from(name.as_str()), Value::from(value.as_str())));
        let limits = self.limits.iter().map(|(name, number)| (name.clone(), (*number).into()));
        let mut options = NodeOptions {
            name: self.node.clone(),
            facts: Hash::default(),
            trusted: None,
            classes: self.classes.clone(),
            parameters: parameters.collect(),
            classification: Json::Null,
            server_facts,
            limits: limits.collect(),
        };
        self.read_certificate(&mut options, session)?;
        match self.facts.read(&self.files, options.name.as_deref(), session)? {
            Some(read) => {
                options.name = options.name.or(read.name);
                options.facts = read.facts;
            }
            None if self.puppetdb.url.is_some() => self.read_stored_facts(&mut options, session)?,
            None => {}
        }
        self.read_trusted(&mut options, session)?;
        Ok(options)
    }

    /// Reads the facts of the node from PuppetDB.
    fn read_stored_facts(
        &self,
        options: &mut NodeOptions,
        session: &Session<'_>,
    ) -> Result<(), CommandError> {
        let Some(name) = &options.name else {
            return Err(CommandError::misuse("facts come from --puppetdb: --node is missing"));
        };
        let text = session.embedder.stored_facts(&self.puppetdb, name).map_err(CommandError::of_arguments)?;
        options.facts = self.facts.parse(&text, "the answer of PuppetDB")?.facts;
        Ok(())
    }

    /// Reads the trusted data of the node from a file.
    fn read_trusted(&self, options: &mut NodeOptions, session: &Session<'_>) -> Result<(), CommandError> {
        let Some(path) = &self.trusted else { return Ok(()) };
        let given = facts::read_hash(&self.files.text(path, session)?, path)
            .map_err(|error| CommandError::misuse(error.message))?;
        let certname = given.get(&Value::from("certname")).and_then(Value::as_str);
        let name = options.name.get_or_insert_with(|| certname.unwrap_or_default().to_owned());
        let trusted = request::trusted(name, &given)
            .map_err(|error| CommandError::misuse(format!("{path}: {}", error.message)))?;
        options.trusted = Some(trusted);
        Ok(())
    }

    fn hash_in(&self, path: &str, session: &Session<'_>) -> Result<Hash, CommandError> {
        let text = self.files.text(path, session)?;
        match json_tokens::parse(&text) {
            Ok(Value::Hash(members)) => Ok(members.as_ref().clone()),
            Ok(_) => Err(CommandError::misuse(format!("{path} holds no object"))),
            Err(error) => Err(CommandError::misuse(format!("{path} is not JSON: {}", error.message))),
        }
    }

    /// Reads the trusted data of the node, if there is a certificate.
    fn read_certificate(&self, options: &mut NodeOptions, session: &Session<'_>) -> Result<(), CommandError> {
        let Some(certificate) = &self.certificate else {
            return match self.trusted_oid_mapping {
                Some(_) => Err(CommandError::misuse("--trusted-oid-mapping needs a --certificate")),
                None => Ok(()),
            };
        };
        let pem = self.files.text(certificate, session)?;
        let names = match &self.trusted_oid_mapping {
            Some(path) => OidNames::from_mapping(&self.files.text(path, session)?, path)?,
            None => OidNames::default(),
        };
        let trusted = Trusted::from_certificate(&pem, &names)?;
        options.name.get_or_insert_with(|| trusted.certname.clone());
        options.trusted = Some(trusted.to_hash());
        Ok(())
    }

    /// Loads an environment, with the options' modules, settings and Ruby; its files are those of a revision
    /// where one is given.
    pub(crate) fn load(
        &self,
        session: &Session<'_>,
        place: &EnvironmentSource,
        conf: Option<&PuppetConf>,
        at: Option<(&Repository, &str)>,
    ) -> Result<Arc<Environment>, CommandError> {
        let around = session
            .embedder
            .surroundings(self.ruby_functions, &self.puppetdb)
            .map_err(CommandError::of_arguments)?;
        let of_store = self.puppetdb.url.iter().map(|_| ("storeconfigs".to_owned(), Json::from(true)));
        let settings = self.settings.iter().map(|(name, value)| (name.clone(), Json::from(value.as_str())));
        let settings = of_store.chain(settings);
        let mut asked = json!({
            "commands": true,
            "gems": around.gems,
            "load_path": around.load_path,
            "prefer_ruby": if self.prefer_ruby { vec!["*"] } else { vec![] },
            "file_size": self.files.limit(),
        });
        place.add_to(&mut asked);
        self.paths.add_to(&mut asked, conf, settings.collect())?;
        let of_conf = conf.and_then(|conf| conf.get("hiera_config"));
        let of_conf = of_conf.filter(|path| DiskHost.info(path).is_some());
        if let Some(path) = self.paths.global_hiera.as_deref().or(of_conf.as_deref()) {
            asked["global_hiera"] = disk::absolute_path(path)?.into();
            asked["global_hiera_text"] = self.global_hiera_text(path, session)?.into();
        }
        let host = match at {
            Some((repository, revision)) => repository.at_revision(revision, around.host, session)?,
            None => around.host,
        };
        load(host, &asked, place.name())
    }

    /// The content of the configuration of the global layer.
    fn global_hiera_text(&self, path: &str, session: &Session<'_>) -> Result<Option<&str>, CommandError> {
        if self.global_hiera_text.get().is_none() {
            let bytes = self.files.bytes(path, session)?;
            let _ = self.global_hiera_text.set(String::from_utf8_lossy(&bytes).into_owned());
        }
        Ok(self.global_hiera_text.get().map(String::as_str))
    }

    /// Returns the classification of a node by an external node classifier.
    fn classified_by(&self, program: &str, node: &str, session: &Session<'_>) -> Result<Json, CommandError> {
        // The classifier's standard error is not part of its answer.
        let quiet = ["sh", "-c", "\"$@\" 2>/dev/null", program];
        let command: Vec<&str> = quiet.into_iter().chain(program.split_whitespace()).chain([node]).collect();
        let check = || session.embedder.host().check_interrupt(0);
        let failed = |why: &str| Error::plain(format!("Failed to find {node} via exec: {why}"));
        let said = DiskHost
            .run_command(&command, &Reading::checked(self.files.limit(), &check))
            .map_err(|error| failed(&error.to_string().replacen("sh -c \"$@\" 2>/dev/null ", "", 1)))?;
        if said.trim().is_empty() {
            return Err(failed("it wrote nothing").into());
        }
        request::classification_of_script(&said, node)
            .map_err(|error| CommandError::from(failed(&error.message)))
    }

    /// The node and the environment that it is in, by its classification where a classifier is asked.
    pub(crate) fn known_in(
        &self,
        session: &Session<'_>,
        places: &EnvironmentArguments,
    ) -> Result<(NodeOptions, Arc<Environment>), CommandError> {
        let mut options = self.node_options(session)?;
        let Some(name) = options.name.clone() else { return Err(CommandError::misuse("--node is missing")) };
        if !self.facts.is_given() {
            session
                .note("no facts given (--facts FILE; --facts-set debian-12 has those of a fresh machine)")?;
        }
        if let Some(database) = &self.classifier {
            options.classification = classify(database, &name, &options)?;
        }
        if let Some(program) = &self.node_classifier_script {
            options.classification = self.classified_by(program, &name, session)?;
        }
        // The server's word on the environment goes before the agent's.
        let classified = options.classification["environment"].as_str();
        let classified = classified.filter(|environment| *environment != "agent-specified");
        let conf = self.paths.conf(&self.files, session)?;
        let place = places.place(classified, conf.as_ref())?;
        let environment = self.load(session, &place, conf.as_ref(), None)?;
        session.tell_of_missing(missing_modules(&environment))?;
        Ok((options, environment))
    }
}

impl NodeOptions {
    /// The input of a compilation for a node with this name and these facts.
    pub(crate) fn input(&self, name: &str, facts: &Hash) -> Result<NodeInput, Error> {
        let mut node = NodeInput {
            name: name.to_owned(),
            facts: with_those_of_agents(facts, name),
            trusted: self.trusted.clone(),
            server_facts: self.server_facts.clone(),
            server_facts_of_host: self.server_facts.is_none(),
            classes: self.classes.iter().map(|(name, given)| (name.as_str().into(), given.clone())).collect(),
            parameters: self.parameters.clone(),
            ..NodeInput::default()
        };
        request::add_classification(&mut node, &self.classification)?;
        Ok(node)
    }

    /// The node that the options name.
    pub(crate) fn node(&self) -> Result<NodeInput, CommandError> {
        let name = self.name.as_deref().unwrap_or_default();
        self.input(name, &self.facts).map_err(CommandError::of_arguments)
    }

    /// The limits of a compilation.
    ///
    /// # Errors
    /// A limit does not exist.
    pub(crate) fn limits(&self) -> Result<Limits, Error> {
        let asked = json!({ "limits": self.limits });
        request::limits(&request::of_catalog(&asked)?)
    }

    /// The members of a request that describe the node.
    pub(crate) fn members(&self) -> Json {
        let data = |hash: &Hash| from_data(&Value::from(hash.clone()));
        let facts = with_those_of_agents(&self.facts, self.name.as_deref().unwrap_or_default());
        let classes = self.classes.iter();
        let classes =
            classes.map(|(name, given)| (name.clone(), given.as_ref().map_or_else(|| json!({}), data)));
        let mut members = json!({
            "node": self.name,
            "facts": data(&facts),
            "classes": classes.collect::<Map<_, _>>(),
            "parameters": data(&self.parameters),
            "server_facts": self.server_facts.as_ref().map_or(Json::from(true), data),
            "limits": self.limits,
            "classification": self.classification,
        });
        if let Some(trusted) = &self.trusted {
            members["trusted"] = data(trusted);
        }
        members
    }
}

/// How the groups in a database classify a node.
fn classify(database: &str, node: &str, options: &NodeOptions) -> Result<Json, CommandError> {
    let groups = requests::open_classifier(Arc::new(DiskHost), &json!({ "database": database }))?;
    let empty = Hash::default();
    let data = |hash: &Hash| from_data(&Value::from(hash.clone()));
    let trusted = data(options.trusted.as_ref().unwrap_or(&empty));
    let body = json!({ "fact": data(&options.facts), "trusted": trusted }).to_string();
    let path = format!("/v1/classified/nodes/{}", percent_encoded(node));
    let asked = Request { method: "POST", path: &path, query: "", body: body.as_bytes() };
    let response = groups.answer(asked);
    let answer: Json = serde_json::from_slice(&response.body)
        .map_err(|error| Error::plain(format!("the classifier's answer is not JSON: {error}")))?;
    if response.status >= 400 {
        return Err(Error::plain(answer["msg"].as_str().unwrap_or_default()).into());
    }
    Ok(answer)
}

/// A text as a segment of a path.
fn percent_encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'~' | b'-' => out.push(byte.into()),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
