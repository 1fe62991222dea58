//! Facts of nodes: files in any form, directories, Facter, sets that come with the command.

use std::process::Stdio;

use bunraku::Host as _;
use bunraku::compiler::facts::{self, NodeFacts};
use bunraku::host::Reading;
use bunraku::host::disk::{self, DiskHost};
use bunraku::pcore::Value;
use bunraku::pcore::value::Hash;
use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::arguments::FileArguments;
use crate::place::is_directory;
use crate::{CommandError, Session, legacy_facts};

/// The source of a node's facts.
#[derive(Args)]
#[command(next_help_heading = "Facts")]
pub(crate) struct FactsArguments {
    /// File with facts (JSON or YAML, plain or as Puppet stores them), directory with a file per node, or -
    /// for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) facts: Option<String>,
    /// Facts of a freshly installed system, such as debian-12
    #[arg(
        long, value_name = "NAME", value_parser = names(), hide_possible_values = true,
        conflicts_with_all = ["facts", "facts_from_facter"]
    )]
    pub(crate) facts_set: Option<String>,
    /// Facts of this machine, from the program facter
    #[arg(long, conflicts_with = "facts")]
    pub(crate) facts_from_facter: bool,
    /// Add legacy facts (operatingsystem, ipaddress_eth0, ...) derived from structured ones
    #[arg(long)]
    pub(crate) legacy_facts: bool,
}

macro_rules! sets {
    ($($name:literal)*) => {
        /// The facts of fresh machines, by name.
        const SETS: &[(&str, &str)] = &[$(($name, include_str!(concat!("fact_sets/", $name, ".json"))),)*];
    };
}

sets! {
    "almalinux-9" "archlinux" "centos-9" "debian-11" "debian-12" "debian-13" "fedora-42" "freebsd-14"
    "redhat-10" "redhat-8" "redhat-9" "rocky-9" "sles-15" "ubuntu-22.04" "ubuntu-24.04" "windows-2022"
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(SETS.iter().map(|(name, _)| *name))
}

impl FactsArguments {
    /// Whether facts are given.
    pub(crate) fn is_given(&self) -> bool {
        self.facts.is_some() || self.facts_set.is_some() || self.facts_from_facter
    }

    /// Reads the facts; `node` is the node's name, if it is known. `None` without facts.
    pub(crate) fn read(
        &self,
        files: &FileArguments,
        node: Option<&str>,
        session: &Session<'_>,
    ) -> Result<Option<NodeFacts>, CommandError> {
        let mut read = self.read_given(files, node, session)?;
        if let Some(read) = read.as_mut() {
            self.complete(&mut read.facts);
        }
        Ok(read)
    }

    /// Reads facts from a text that `from` describes.
    pub(crate) fn parse(&self, text: &str, from: &str) -> Result<NodeFacts, CommandError> {
        let mut read = parse(text, from)?;
        self.complete(&mut read.facts);
        Ok(read)
    }

    /// Adds what the options ask for.
    fn complete(&self, facts: &mut Hash) {
        if self.legacy_facts {
            legacy_facts::add(facts);
        }
    }

    fn read_given(
        &self,
        files: &FileArguments,
        node: Option<&str>,
        session: &Session<'_>,
    ) -> Result<Option<NodeFacts>, CommandError> {
        if let Some(name) = &self.facts_set {
            let (_, text) = SETS.iter().find(|(known, _)| known == name).copied().unwrap_or_default();
            let mut read = parse(text, name)?;
            if let Some(node) = node {
                add_names(&mut read.facts, node);
            }
            return Ok(Some(read));
        }
        if self.facts_from_facter {
            let check = || session.embedder.host().check_interrupt(0);
            let reading = Reading::checked(files.limit(), &check);
            // Facter fails if a single fact has, but prints the others; its messages say why.
            let output = disk::output_of_program(&["facter", "--json"], Stdio::inherit(), &reading)?;
            if !output.status.success() && output.bytes.is_empty() {
                return Err(CommandError::misuse(format!("facter --json: {}", output.status)));
            }
            let text = String::from_utf8_lossy(&output.bytes);
            return parse(&text, "the output of facter --json").map(Some);
        }
        let Some(path) = &self.facts else { return Ok(None) };
        if !is_directory(path) {
            let text = files.text(path, session)?;
            return parse(&text, if path == "-" { "standard input" } else { path }).map(Some);
        }
        let Some(node) = node else {
            return Err(CommandError::misuse(format!("--facts is a directory, {path}: --node is missing")));
        };
        for end in ENDS {
            let file = format!("{}/{node}{end}", path.trim_end_matches('/'));
            if DiskHost.info(&file).is_some() {
                return parse(&String::from_utf8_lossy(&files.found(&file)?), &file).map(Some);
            }
        }
        let wanted = ENDS.map(|end| format!("{node}{end}")).join(", ");
        Err(CommandError::misuse(format!("there are no facts of {node} in {path}: none of {wanted}")))
    }
}

/// Adds the names that a machine has of itself.
fn add_names(facts: &mut Hash, node: &str) {
    let name = Value::from("networking");
    let Some(Value::Hash(networking)) = facts.get(&name) else { return };
    let mut networking = networking.as_ref().clone();
    let (host, domain) = node.split_once('.').unwrap_or((node, ""));
    networking.insert(Value::from("hostname"), Value::from(host));
    networking.insert(Value::from("fqdn"), Value::from(node));
    if !domain.is_empty() {
        networking.insert(Value::from("domain"), Value::from(domain));
    }
    facts.insert(name, Value::from(networking));
}

/// How names of files with facts end.
const ENDS: [&str; 3] = [".json", ".yaml", ".yml"];

fn parse(text: &str, path: &str) -> Result<NodeFacts, CommandError> {
    facts::read(text, path).map_err(|error| CommandError::misuse(error.message))
}

/// The facts of a node with what its agent adds, unless they have it.
pub(crate) fn with_those_of_agents(facts: &Hash, node: &str) -> Hash {
    let mut facts = facts.clone();
    let own = [
        ("clientcert", Value::from(node)),
        ("clientnoop", Value::from(false)),
        ("clientversion", Value::from(bunraku::compiler::REFERENCE)),
    ];
    for (name, value) in own {
        let name = Value::from(name);
        if facts.get(&name).is_none() {
            facts.insert(name, value);
        }
    }
    facts
}

/// Reads a file with facts that was found in a directory: the name of the node, and its facts.
pub(crate) fn read_found(
    given: &FactsArguments,
    files: &FileArguments,
    path: &str,
) -> Result<(String, Hash), CommandError> {
    let mut document = parse(&String::from_utf8_lossy(&files.found(path)?), path)?;
    let stem = path.rsplit('/').next().unwrap_or(path);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    given.complete(&mut document.facts);
    Ok((document.name.unwrap_or_else(|| stem.to_owned()), document.facts))
}

/// The files with facts in a directory, in order.
pub(crate) fn found_in(directory: &str) -> Result<Vec<String>, CommandError> {
    if !is_directory(directory) {
        return Err(CommandError::misuse(format!("there is no directory {directory}")));
    }
    let names = DiskHost.list(directory)?.into_iter().filter(|name| !name.starts_with('.'));
    let is_facts = |name: &String| ENDS.iter().any(|end| name.ends_with(end));
    let files: Vec<String> = names.filter(is_facts).map(|name| format!("{directory}/{name}")).collect();
    if files.is_empty() {
        return Err(CommandError::misuse(format!(
            "there are no facts in {directory}: no file ends with {}",
            ENDS.join(", ")
        )));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_set_has_what_modules_ask_for() {
        for (name, text) in SETS {
            let facts = parse(text, name).unwrap().facts;
            let os = facts.get(&Value::from("os")).unwrap_or_else(|| panic!("{name} has no os"));
            let Value::Hash(os) = os else { panic!("os of {name} is no hash") };
            for key in ["name", "family", "release", "architecture"] {
                assert!(os.get(&Value::from(key)).is_some(), "{name}: os.{key}");
            }
            for key in ["kernel", "networking", "memory", "processors", "puppetversion"] {
                assert!(facts.get(&Value::from(key)).is_some(), "{name}: {key}");
            }
        }
    }
}
