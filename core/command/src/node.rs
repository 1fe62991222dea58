//! What is known of a node, and the environment that its catalog is compiled in.

use std::sync::Arc;

use bunraku::compiler::trusted::{OidNames, Trusted};
use bunraku::compiler::{Limits, NodeInput, request};
use bunraku::host::HostError;
use bunraku::host::disk::{self, DiskHost};
use bunraku::loader::Environment;
use bunraku::pcore::json::from_data;
use bunraku::pcore::value::Hash;
use bunraku::pcore::{Value, json_tokens};
use bunraku::requests::{self, Request};
use bunraku::{Error, Host as _};
use serde_json::{Map, Value as Json, json};

use crate::arguments::{EnvironmentArguments, FileArguments, NodeArguments, directories};
use crate::{CommandError, Session};

/// What the options say of a node, or of several: all but their names and facts.
pub(crate) struct Known {
    pub(crate) name: Option<String>,
    pub(crate) facts: Hash,
    pub(crate) trusted: Option<Hash>,
    classes: Vec<String>,
    parameters: Hash,
    classification: Json,
    /// What the server says of itself; without it, what the machine does.
    server_facts: Option<Hash>,
    limits: Map<String, Json>,
}

impl NodeArguments {
    /// Reads the files that the options name.
    pub(crate) fn known(&self, session: &Session<'_>) -> Result<Known, CommandError> {
        let facts = match &self.facts {
            Some(path) => self.hash_in(path, session)?,
            None => Hash::default(),
        };
        let server_facts = match &self.server_facts {
            Some(path) => Some(self.hash_in(path, session)?),
            None if self.no_server_facts => Some(Hash::default()),
            None => None,
        };
        let parameters = self.parameters.iter().map(|(name, value)| {
            (Value::from(name.as_str()), value.as_deref().map_or(Value::Undef, Value::from))
        });
        let limits = self.limits.iter().map(|(name, number)| (name.clone(), (*number).into()));
        let mut known = Known {
            name: self.node.clone(),
            facts,
            trusted: None,
            classes: self.classes.clone(),
            parameters: parameters.collect(),
            classification: Json::Null,
            server_facts,
            limits: limits.collect(),
        };
        self.read_certificate(&mut known, session)?;
        Ok(known)
    }

    fn hash_in(&self, path: &str, session: &Session<'_>) -> Result<Hash, CommandError> {
        let text = self.files.text(path, session)?;
        match json_tokens::parse(&text) {
            Ok(Value::Hash(members)) => Ok(members.as_ref().clone()),
            Ok(_) => Err(CommandError::misuse(format!("{path} holds no object"))),
            Err(error) => Err(CommandError::misuse(format!("{path} is not JSON: {}", error.message))),
        }
    }

    /// Reads what is trusted of the node, where there is a certificate.
    fn read_certificate(&self, known: &mut Known, session: &Session<'_>) -> Result<(), CommandError> {
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
        known.name.get_or_insert_with(|| trusted.certname.clone());
        known.trusted = Some(trusted.to_hash());
        Ok(())
    }

    /// Loads an environment, with the options' modules, settings and Ruby.
    pub(crate) fn load(
        &self,
        session: &Session<'_>,
        environmentpath: &[String],
        name: &str,
    ) -> Result<Arc<Environment>, CommandError> {
        let around = session
            .embedder
            .surroundings(self.ruby_functions, self.prefer_ruby)
            .map_err(CommandError::of_arguments)?;
        let settings = self.settings.iter().map(|(name, value)| (name.clone(), Json::from(value.as_deref())));
        let mut asked = json!({
            "environment": name,
            "environmentpath": environmentpath,
            "basemodulepath": directories(self.basemodulepath.as_deref().unwrap_or_default())?,
            "settings": settings.collect::<Map<_, _>>(),
            "commands": true,
            "gems": around.gems,
            "load_path": around.load_path,
            "file_size": self.files.limit(),
        });
        if let Some(path) = &self.global_hiera {
            asked["global_hiera"] = disk::absolute_path(path)?.into();
            asked["global_hiera_text"] = self.global_hiera_text(path, session)?.into();
        }
        let environments = request::of_environment(&asked)
            .and_then(|asked| request::environments(around.host, &asked))
            .map_err(CommandError::of_arguments)?;
        Ok(environments.get(name)?)
    }

    /// What stands in the configuration of the global layer; nothing where there is no such file, as without
    /// one.
    fn global_hiera_text(&self, path: &str, session: &Session<'_>) -> Result<Option<&str>, CommandError> {
        if self.global_hiera_text.get().is_none() {
            let bytes = match self.files.bytes(path, session) {
                Ok(bytes) => bytes,
                Err(HostError::NotFound(_)) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            let _ = self.global_hiera_text.set(String::from_utf8_lossy(&bytes).into_owned());
        }
        Ok(self.global_hiera_text.get().map(String::as_str))
    }

    /// The node and the environment that it is in, by its classification where a classifier is asked.
    pub(crate) fn known_in(
        &self,
        session: &Session<'_>,
        places: &EnvironmentArguments,
    ) -> Result<(Known, Arc<Environment>), CommandError> {
        let mut known = self.known(session)?;
        let Some(name) = known.name.clone() else { return Err(CommandError::misuse("--node is missing")) };
        if let Some(database) = &self.classifier {
            known.classification = classify(database, &name, &known)?;
        }
        // The server's word on the environment goes before the agent's.
        let classified = known.classification["environment"].as_str();
        let classified = classified.filter(|environment| *environment != "agent-specified");
        let environment = classified.or(places.environment.as_deref()).unwrap_or("production").to_owned();
        let path = directories(places.environmentpath.as_deref().unwrap_or("."))?;
        let environment = self.load(session, &path, &environment)?;
        Ok((known, environment))
    }
}

impl Known {
    /// What a compilation for a node of this name with these facts is given.
    pub(crate) fn input(&self, name: &str, facts: &Hash) -> Result<NodeInput, Error> {
        let mut node = NodeInput {
            name: name.to_owned(),
            facts: facts.clone(),
            trusted: self.trusted.clone(),
            server_facts: self.server_facts.clone(),
            server_facts_of_host: self.server_facts.is_none(),
            classes: self.classes.iter().map(|name| (name.as_str().into(), None)).collect(),
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

    /// What a compilation may use up.
    ///
    /// # Errors
    /// There is no such limit.
    pub(crate) fn limits(&self) -> Result<Limits, Error> {
        let asked = json!({ "limits": self.limits });
        request::limits(&request::of_catalog(&asked)?)
    }

    /// The members of a request that describe the node.
    pub(crate) fn members(&self) -> Json {
        let data = |hash: &Hash| from_data(&Value::from(hash.clone()));
        let mut members = json!({
            "node": self.name,
            "facts": data(&self.facts),
            "classes": self.classes,
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
fn classify(database: &str, node: &str, known: &Known) -> Result<Json, CommandError> {
    let groups = requests::open_classifier(Arc::new(DiskHost), &json!({ "database": database }))?;
    let empty = Hash::default();
    let data = |hash: &Hash| from_data(&Value::from(hash.clone()));
    let trusted = data(known.trusted.as_ref().unwrap_or(&empty));
    let body = json!({ "fact": data(&known.facts), "trusted": trusted }).to_string();
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

/// Reads a file with facts that was found in a directory: the name of the node, and its facts.
pub(crate) fn read_facts(files: &FileArguments, path: &str) -> Result<(String, Hash), CommandError> {
    let text = String::from_utf8_lossy(&files.found(path)?).into_owned();
    let document =
        bunraku::compiler::facts::read(&text, path).map_err(|error| CommandError::misuse(error.message))?;
    let stem = path.rsplit('/').next().unwrap_or(path);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    Ok((document.name.unwrap_or_else(|| stem.to_owned()), document.facts))
}

/// The files with facts in a directory, in order.
pub(crate) fn facts_in(directory: &str) -> Result<Vec<String>, CommandError> {
    let names = DiskHost.list(directory).unwrap_or_default().into_iter();
    let names = names.filter(|name| !name.starts_with('.'));
    let is_facts = |name: &String| [".json", ".yaml", ".yml"].iter().any(|end| name.ends_with(end));
    let files: Vec<String> = names.filter(is_facts).map(|name| format!("{directory}/{name}")).collect();
    if files.is_empty() {
        return Err(CommandError::misuse(format!("there are no facts in {directory}")));
    }
    Ok(files)
}
