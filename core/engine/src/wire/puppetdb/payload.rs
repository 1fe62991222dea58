//! A payload in memory: the data of all versions, in the form of the newest.

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::version::Text;
use bunraku_pcore::keys::{Keyed, Names};
use bunraku_syntax::diagnostic::Error;

/// The sender's data about a submission. Requests in JSON use the same names.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Submission {
    /// The server's name.
    pub producer: Option<String>,
    /// When it is sent, as ISO 8601 with a time zone.
    pub producer_timestamp: Option<String>,
    /// The id of the catalog.
    pub catalog_uuid: Option<String>,
    /// The id of the code.
    pub code_id: Option<String>,
    /// The id of the agent's run.
    pub transaction_uuid: Option<String>,
    /// The id of the job that asked for the run.
    pub job_id: Option<String>,
    /// The environment, for payloads of versions without it.
    pub environment: Option<String>,
}

/// The members of a [`Submission`] in JSON.
const SUBMISSION: Names = &[
    "producer",
    "producer_timestamp",
    "catalog_uuid",
    "code_id",
    "transaction_uuid",
    "job_id",
    "environment",
];

impl Submission {
    /// Reads it from JSON.
    ///
    /// # Errors
    /// A member is unknown, or not a text.
    pub fn from_json(json: &Json) -> Result<Self, Error> {
        Keyed::new(json, "the submission", &[SUBMISSION])?;
        Self::deserialize(json).map_err(|error| Error::argument(format!("the submission: {error}")))
    }
}

/// A catalog as PuppetDB knows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Payload {
    /// The node's name.
    pub certname: String,
    /// The catalog's version.
    pub version: String,
    /// The environment (from version 4).
    pub environment: Option<String>,
    /// The id of the agent's run (not in version 1 of PuppetDB 0.9).
    pub transaction_uuid: Option<String>,
    /// When the catalog was sent (from version 5).
    pub producer_timestamp: Option<String>,
    /// The id of the code (from version 7).
    pub code_id: Option<String>,
    /// The id of the catalog (from version 8).
    pub catalog_uuid: Option<String>,
    /// The id of the job (version 9).
    pub job_id: Option<String>,
    /// The server's name (version 9).
    pub producer: Option<String>,
    /// The classes (version 1 of PuppetDB 0.9 only).
    pub classes: Option<Vec<String>>,
    /// The catalog's tags (version 1 of PuppetDB 0.9 only).
    pub tags: Option<Vec<String>>,
    /// The resources.
    pub resources: Vec<Resource>,
    /// The edges.
    pub edges: Vec<Edge>,
}

/// A resource of a payload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resource {
    /// The type, capitalised per segment.
    pub type_name: String,
    /// The title.
    pub title: String,
    /// The other names; null, a name, or an array of names.
    pub alias: Json,
    /// Whether it is exported.
    pub exported: bool,
    /// The manifest; resources that no manifest declares have none.
    pub file: Option<String>,
    /// The line in the manifest.
    pub line: Option<u32>,
    /// The tags.
    pub tags: Vec<String>,
    /// The kind of its type (version 9).
    pub kind: Option<String>,
    /// The parameters.
    pub parameters: Map<String, Json>,
}

/// Which resource is meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ResourceSpec {
    /// The type, capitalised per segment.
    pub type_name: String,
    /// The title, never another name.
    pub title: String,
}

/// An edge; its source is managed before its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The resource that is managed first.
    pub source: ResourceSpec,
    /// The resource that is managed second.
    pub target: ResourceSpec,
    /// How they are related.
    pub relationship: Relationship,
}

/// The kind of a relationship in the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relationship {
    /// A class or a resource of a defined type contains the target.
    Contains,
    /// `before` of the source, or `->`.
    Before,
    /// `require` of the target.
    RequiredBy,
    /// `notify` of the source, or `~>`.
    Notifies,
    /// `subscribe` of the target.
    SubscriptionOf,
}

impl Relationship {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Contains, Self::Before, Self::RequiredBy, Self::Notifies, Self::SubscriptionOf];

    /// The word in payloads.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contains => "contains",
            Self::Before => "before",
            Self::RequiredBy => "required-by",
            Self::Notifies => "notifies",
            Self::SubscriptionOf => "subscription-of",
        }
    }
}

impl Payload {
    /// Adds the sender's data for what the payload does not contain.
    pub fn complete(&mut self, submission: &Submission) {
        let given = [
            (&mut self.producer, &submission.producer),
            (&mut self.producer_timestamp, &submission.producer_timestamp),
            (&mut self.catalog_uuid, &submission.catalog_uuid),
            (&mut self.code_id, &submission.code_id),
            (&mut self.transaction_uuid, &submission.transaction_uuid),
            (&mut self.job_id, &submission.job_id),
            (&mut self.environment, &submission.environment),
        ];
        for (own, given) in given {
            if own.is_none() {
                own.clone_from(given);
            }
        }
    }

    pub(super) fn text(&self, text: Text) -> Option<&str> {
        match text {
            Text::Certname => Some(&self.certname),
            Text::Version => Some(&self.version),
            Text::Environment => self.environment.as_deref(),
            Text::TransactionUuid => self.transaction_uuid.as_deref(),
            Text::ProducerTimestamp => self.producer_timestamp.as_deref(),
            Text::CodeId => self.code_id.as_deref(),
            Text::CatalogUuid => self.catalog_uuid.as_deref(),
            Text::JobId => self.job_id.as_deref(),
            Text::Producer => self.producer.as_deref(),
        }
    }

    pub(super) fn set_text(&mut self, text: Text, value: String) {
        match text {
            Text::Certname => self.certname = value,
            Text::Version => self.version = value,
            Text::Environment => self.environment = Some(value),
            Text::TransactionUuid => self.transaction_uuid = Some(value),
            Text::ProducerTimestamp => self.producer_timestamp = Some(value),
            Text::CodeId => self.code_id = Some(value),
            Text::CatalogUuid => self.catalog_uuid = Some(value),
            Text::JobId => self.job_id = Some(value),
            Text::Producer => self.producer = Some(value),
        }
    }
}
