//! The versions of the form, as tables of keys.

use std::fmt;
use std::str::FromStr;

use bunraku_syntax::diagnostic::Error;

/// A version of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// PuppetDB 0.9: an envelope with the version, and the catalog's classes and tags.
    V1,
    /// PuppetDB 1.0 to 1.x, called version 1 as well: an envelope with the version of the API.
    V1Api,
    /// Adds the environment; no envelope from here on.
    V4,
    /// Adds the time.
    V5,
    /// Keys with underscores, and `certname` for `name`.
    V6,
    /// Adds the id of the code.
    V7,
    /// Adds the id of the catalog.
    V8,
    /// Adds the job and the producer; aliases are a parameter.
    V9,
}

/// The content of a key of the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    /// One of the texts of a payload.
    Text(Text),
    /// The titles of classes.
    Classes,
    /// The tags of the catalog.
    Tags,
    Resources,
    Edges,
}

/// The texts of a payload besides its resources and edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Text {
    Certname,
    Version,
    Environment,
    TransactionUuid,
    ProducerTimestamp,
    CodeId,
    CatalogUuid,
    JobId,
    Producer,
}

impl Text {
    /// Whether it is an id that has to be a UUID. That of a job and that of the code may be any text.
    pub(super) const fn is_uuid(self) -> bool {
        matches!(self, Self::TransactionUuid | Self::CatalogUuid)
    }
}

/// Whether a text is a UUID as it is written: hexadecimal digits with hyphens.
pub(super) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// A key of the catalog in a version.
pub(super) struct Key {
    pub name: &'static str,
    pub member: Member,
    /// Whether it may be null.
    pub nullable: bool,
}

const fn key(name: &'static str, member: Member) -> Key {
    Key { name, member, nullable: false }
}

const fn nullable(name: &'static str, text: Text) -> Key {
    Key { name, member: Member::Text(text), nullable: true }
}

const V1: &[Key] = &[
    key("name", Member::Text(Text::Certname)),
    key("version", Member::Text(Text::Version)),
    key("classes", Member::Classes),
    key("tags", Member::Tags),
    key("edges", Member::Edges),
    key("resources", Member::Resources),
];

const V1_API: &[Key] = &[
    key("name", Member::Text(Text::Certname)),
    key("version", Member::Text(Text::Version)),
    key("transaction-uuid", Member::Text(Text::TransactionUuid)),
    key("edges", Member::Edges),
    key("resources", Member::Resources),
];

const V4: &[Key] = &[
    key("name", Member::Text(Text::Certname)),
    key("version", Member::Text(Text::Version)),
    key("environment", Member::Text(Text::Environment)),
    key("transaction-uuid", Member::Text(Text::TransactionUuid)),
    key("edges", Member::Edges),
    key("resources", Member::Resources),
];

const V5: &[Key] = &[
    key("name", Member::Text(Text::Certname)),
    key("version", Member::Text(Text::Version)),
    key("environment", Member::Text(Text::Environment)),
    key("transaction-uuid", Member::Text(Text::TransactionUuid)),
    key("producer-timestamp", Member::Text(Text::ProducerTimestamp)),
    key("edges", Member::Edges),
    key("resources", Member::Resources),
];

/// Version 8 in the order of its document; versions 6 and 7 are parts of it.
const V8: &[Key] = &[
    key("certname", Member::Text(Text::Certname)),
    key("version", Member::Text(Text::Version)),
    key("environment", Member::Text(Text::Environment)),
    key("transaction_uuid", Member::Text(Text::TransactionUuid)),
    key("producer_timestamp", Member::Text(Text::ProducerTimestamp)),
    key("edges", Member::Edges),
    key("resources", Member::Resources),
    nullable("code_id", Text::CodeId),
    nullable("catalog_uuid", Text::CatalogUuid),
];

/// Version 9 in the order in which the reference's terminus writes it.
const V9: &[Key] = &[
    key("version", Member::Text(Text::Version)),
    nullable("code_id", Text::CodeId),
    nullable("catalog_uuid", Text::CatalogUuid),
    key("resources", Member::Resources),
    key("edges", Member::Edges),
    nullable("job_id", Text::JobId),
    key("certname", Member::Text(Text::Certname)),
    nullable("transaction_uuid", Text::TransactionUuid),
    key("environment", Member::Text(Text::Environment)),
    key("producer_timestamp", Member::Text(Text::ProducerTimestamp)),
    nullable("producer", Text::Producer),
];

impl Version {
    /// All versions, oldest first.
    pub const ALL: [Self; 8] =
        [Self::V1, Self::V1Api, Self::V4, Self::V5, Self::V6, Self::V7, Self::V8, Self::V9];

    /// The number, with which the command is sent too.
    pub const fn number(self) -> u32 {
        match self {
            Self::V1 | Self::V1Api => 1,
            Self::V4 => 4,
            Self::V5 => 5,
            Self::V6 => 6,
            Self::V7 => 7,
            Self::V8 => 8,
            Self::V9 => 9,
        }
    }

    /// The name: the number, and `1-api` for the version 1 that has no classes and tags.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1 => "1",
            Self::V1Api => "1-api",
            Self::V4 => "4",
            Self::V5 => "5",
            Self::V6 => "6",
            Self::V7 => "7",
            Self::V8 => "8",
            Self::V9 => "9",
        }
    }

    /// The keys of the catalog, in the order in which they are written.
    pub(super) fn keys(self) -> &'static [Key] {
        match self {
            Self::V1 => V1,
            Self::V1Api => V1_API,
            Self::V4 => V4,
            Self::V5 => V5,
            Self::V6 => V8.split_at(7).0,
            Self::V7 => V8.split_at(8).0,
            Self::V8 => V8,
            Self::V9 => V9,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Version {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|version| version.name() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::argument(format!("PuppetDB's catalogs have no version {name}; there are {names}"))
        })
    }
}
