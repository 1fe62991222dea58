//! Forms of a catalog by name, and what can be done with documents in them: writing, checking, converting.

use std::fmt;
use std::io;
use std::str::FromStr;

use super::puppetdb::{self, Submission, Version};
use super::{Violation, agent, agent_reader};
use crate::catalog::Catalog;
use crate::loader::{Log, Settings};
use bunraku_pcore::fuel::{BYTES_IN_STEP, Fuel};
use bunraku_pcore::types::TypeLoader;
use bunraku_syntax::diagnostic::Error;

/// A form of a catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The form for agents, in JSON: `agent`.
    Agent,
    /// The form for agents, in MessagePack: `agent:msgpack`.
    AgentMessagePack,
    /// The form for PuppetDB, in a version: `puppetdb:9`; a plain `puppetdb` is the newest.
    PuppetDb(Version),
}

impl FromStr for Form {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name.split_once(':') {
            None if name == "agent" => Ok(Self::Agent),
            None if name == "puppetdb" => Ok(Self::PuppetDb(Version::V9)),
            Some(("agent", "json")) => Ok(Self::Agent),
            Some(("agent", "msgpack")) => Ok(Self::AgentMessagePack),
            Some(("puppetdb", version)) => version.parse().map(Self::PuppetDb),
            _ => Err(Error::argument(format!(
                "catalogs have no form \"{name}\"; there are agent, agent:msgpack, puppetdb and puppetdb:VERSION"
            ))),
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent => f.write_str("agent"),
            Self::AgentMessagePack => f.write_str("agent:msgpack"),
            Self::PuppetDb(version) => write!(f, "puppetdb:{version}"),
        }
    }
}

/// The reason why a document could not be read or converted.
#[derive(Clone, Debug)]
pub enum ConversionError {
    /// The document breaks rules of its form.
    Invalid(Vec<Violation>),
    /// The document lacks data that the other form needs, it cannot be written, or the work was cancelled.
    Unwritable(Error),
}

impl From<Vec<Violation>> for ConversionError {
    fn from(violations: Vec<Violation>) -> Self {
        Self::Invalid(violations)
    }
}

impl From<Error> for ConversionError {
    fn from(error: Error) -> Self {
        Self::Unwritable(error)
    }
}

/// Writes a catalog in a form. `submission` is the additional data for PuppetDB; losses are reported as in
/// [`agent::to_json`]. `fuel` counts the output.
///
/// # Errors
/// The catalog cannot be written in this form, or an error of `out` or of the fuel.
pub fn write(
    catalog: &Catalog,
    form: Form,
    submission: &Submission,
    settings: &Settings,
    log: &Log,
    fuel: &dyn Fuel,
    out: impl io::Write,
) -> Result<(), Error> {
    charged(fuel, out, |out| match form {
        Form::Agent => agent::write_json(catalog, settings, log, out),
        Form::AgentMessagePack => agent::write_message_pack(catalog, settings, log, out),
        Form::PuppetDb(version) => puppetdb::write_catalog(catalog, submission, version, out),
    })
}

/// A writer that counts its output.
struct ChargingWriter<'m, W> {
    out: W,
    fuel: &'m dyn Fuel,
    /// The number of uncounted bytes.
    bytes: u64,
    /// The reason why the writing has ended.
    ended: Option<Error>,
}

impl<W: io::Write> io::Write for ChargingWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        if self.bytes >= BYTES_IN_STEP {
            let counted = self.fuel.charge(self.bytes / BYTES_IN_STEP);
            self.bytes %= BYTES_IN_STEP;
            counted.map_err(|error| {
                let text = io::Error::other(error.message.clone());
                self.ended = Some(error);
                text
            })?;
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes something with fuel, whose error is not lost in that of the writing.
fn charged<W: io::Write>(
    fuel: &dyn Fuel,
    out: W,
    write: impl FnOnce(&mut ChargingWriter<'_, W>) -> Result<(), Error>,
) -> Result<(), Error> {
    fuel.charge(1)?;
    let mut out = ChargingWriter { out, fuel, bytes: 0, ended: None };
    let written = write(&mut out);
    out.ended.map_or(written, Err)
}

/// Reads a catalog in the form that agents receive.
///
/// # Errors
/// All violations of the rules of the form; PuppetDB's forms do not contain a complete catalog; the fuel runs
/// out.
pub fn read(
    bytes: &[u8],
    form: Form,
    types: &dyn TypeLoader,
    fuel: &dyn Fuel,
) -> Result<Catalog, ConversionError> {
    match form {
        Form::Agent => agent_reader::read_json(bytes, types, fuel),
        Form::AgentMessagePack => agent_reader::read_message_pack(bytes, types, fuel),
        Form::PuppetDb(_) => {
            let message = format!("{form} does not say all that a catalog for agents has");
            Err(Error::argument(message).into())
        }
    }
}

/// Checks a document against the rules of its form: all violations, none for a sound one. `types` are those
/// that objects in the catalog may have.
///
/// # Errors
/// The fuel runs out, or the work is cancelled.
pub fn validate(
    bytes: &[u8],
    form: Form,
    types: &dyn TypeLoader,
    fuel: &dyn Fuel,
) -> Result<Vec<Violation>, Error> {
    let read = match form {
        Form::PuppetDb(version) => puppetdb::read_bytes(bytes, version, fuel).map(drop),
        _ => read(bytes, form, types, fuel).map(drop),
    };
    match read {
        Ok(()) => Ok(Vec::new()),
        Err(ConversionError::Invalid(violations)) => Ok(violations),
        Err(ConversionError::Unwritable(error)) => Err(error),
    }
}

/// Writes a document in another form. `submission` adds data that the first form does not contain.
///
/// Everything can be made from the form of agents; the names of resources of types that only modules define
/// are then their titles.
///
/// # Errors
/// The document is invalid or lacks data that the other form needs, or the fuel runs out.
pub fn convert(
    bytes: &[u8],
    from: Form,
    to: Form,
    submission: &Submission,
    types: &dyn TypeLoader,
    fuel: &dyn Fuel,
    out: impl io::Write,
) -> Result<(), ConversionError> {
    if let (Form::PuppetDb(from), Form::PuppetDb(to)) = (from, to) {
        let mut payload = puppetdb::read_bytes(bytes, from, fuel)?;
        payload.complete(submission);
        return Ok(charged(fuel, out, |out| puppetdb::write_payload(&payload, to, out))?);
    }
    let catalog = read(bytes, from, types, fuel)?;
    Ok(write(&catalog, to, submission, &Settings::default(), &Log::default(), fuel, out)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_have_names() {
        for name in ["agent", "agent:msgpack", "puppetdb:1", "puppetdb:1-api", "puppetdb:8"] {
            assert_eq!(name.parse::<Form>().unwrap().to_string(), name);
        }
        let error = "puppetdb:3".parse::<Form>().unwrap_err();
        assert_eq!(
            error.message,
            "PuppetDB's catalogs have no version 3; there are 1, 1-api, 4, 5, 6, 7, 8, 9"
        );
    }
}
