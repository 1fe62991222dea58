//! Options that several subcommands have.

use std::sync::OnceLock;

use bunraku::eval::limits::Usage;
use bunraku::host::disk::{self, DiskHost};
use bunraku::host::{FILE_SIZE, HostError, Reading, read};
use bunraku::pcore::value::Hash;
use bunraku::pcore::{Value, json_tokens};
use clap::{Args, ValueEnum};
use serde_json::{Map, Value as Json};

use crate::embedder::{PuppetDb, RubyFunctions};
use crate::facts::FactsArguments;
use crate::place::PathArguments;
use crate::{CommandError, Session};

/// How files are read.
#[derive(Args, Default)]
#[command(next_help_heading = "Evaluation")]
pub(crate) struct FileArguments {
    /// The maximum size of a file in bytes [default: 67108864]
    #[arg(long, value_name = "BYTES")]
    pub(crate) file_size: Option<u64>,
}

impl FileArguments {
    pub(crate) fn limit(&self) -> u64 {
        self.file_size.unwrap_or(FILE_SIZE)
    }

    /// Reads the file of an argument. It can be a pipe such as that of `<(…)`, for which this waits; `-` is
    /// standard input.
    pub(crate) fn bytes(&self, path: &str, session: &Session<'_>) -> Result<Vec<u8>, HostError> {
        let check = || session.embedder.host().check_interrupt(0);
        let reading = Reading::checked(self.limit(), &check);
        if path == "-" { disk::read_standard_input(&reading) } else { disk::read_named(path, &reading) }
    }

    /// Reads a text that an argument names.
    pub(crate) fn text(&self, path: &str, session: &Session<'_>) -> Result<String, CommandError> {
        text(self.bytes(path, session)?, path)
    }

    /// Reads a file that was found in a directory: a regular one, nothing is waited for.
    pub(crate) fn found(&self, path: &str) -> Result<Vec<u8>, HostError> {
        read(&DiskHost, path, &Reading::of_size(self.limit()))
    }
}

/// The text of a file.
pub(crate) fn text(bytes: Vec<u8>, path: &str) -> Result<String, CommandError> {
    String::from_utf8(bytes)
        .map_err(|_| CommandError::misuse(format!("the text is not valid UTF-8 - {path}")))
}

/// The node, and the environment that is loaded for it.
#[derive(Args)]
pub(crate) struct NodeArguments {
    /// Certname of the node [default: that of --certificate or of the facts]
    #[arg(long, value_name = "NAME", help_heading = "Node")]
    pub(crate) node: Option<String>,
    #[command(flatten)]
    pub(crate) facts: FactsArguments,
    #[command(flatten)]
    pub(crate) paths: PathArguments,
    /// What runs functions that modules have in Ruby
    #[arg(
        long,
        value_name = "MODE",
        value_enum,
        default_value_t,
        hide_default_value = true,
        help_heading = "Evaluation"
    )]
    pub(crate) ruby_functions: RubyFunctions,
    /// Run a module's own functions even where the library has native ones
    #[arg(long, help_heading = "Evaluation")]
    pub(crate) prefer_ruby: bool,
    /// The content of the hiera.yaml of the global layer: a pipe can only be read once.
    #[arg(skip)]
    pub(crate) global_hiera_text: OnceLock<String>,
    /// Class from a classifier, with parameters as JSON (repeatable)
    #[arg(long = "class", value_name = "NAME[={...}]", value_parser = class, help_heading = "Node")]
    pub(crate) classes: Vec<(String, Option<Hash>)>,
    /// Variable from a classifier (repeatable)
    #[arg(
        long = "parameter", value_name = "NAME=VALUE", value_parser = pair, allow_hyphen_values = true,
        help_heading = "Node"
    )]
    pub(crate) parameters: Vec<(String, String)>,
    /// JSON file with the server's facts [default: those of this machine]
    #[arg(long, value_name = "FILE", overrides_with = "no_server_facts", help_heading = "Node")]
    pub(crate) server_facts: Option<String>,
    /// Do not set $servername, $serverip and the other server variables
    #[arg(long, overrides_with = "server_facts", help_heading = "Node")]
    pub(crate) no_server_facts: bool,
    /// Database of node groups that classify the node; their environment overrides --environment
    #[arg(long, value_name = "FILE", help_heading = "Node")]
    pub(crate) classifier: Option<String>,
    /// Program that classifies the node: it is called with its name, and writes YAML (an external node
    /// classifier); its environment overrides --environment
    #[arg(long, value_name = "PROGRAM", conflicts_with = "classifier", help_heading = "Node")]
    pub(crate) node_classifier_script: Option<String>,
    /// JSON or YAML file with $trusted: certname, extensions, external, authenticated
    #[arg(long, value_name = "FILE", conflicts_with = "certificate", help_heading = "Node")]
    pub(crate) trusted: Option<String>,
    /// The node's certificate (PEM), from which $trusted is set
    #[arg(long, value_name = "FILE", help_heading = "Node")]
    pub(crate) certificate: Option<String>,
    /// Names of certificate extensions: a server's custom_trusted_oid_mapping.yaml
    #[arg(long, value_name = "FILE", help_heading = "Node")]
    pub(crate) trusted_oid_mapping: Option<String>,
    /// Change a limit: depth, steps, seconds, cpu_seconds, value_size, value_depth, output_size, resources or
    /// memory (repeatable)
    #[arg(long = "limit", value_name = "NAME=NUMBER", value_parser = limit, help_heading = "Evaluation")]
    pub(crate) limits: Vec<(String, u64)>,
    /// Change a setting, such as strict=warning or vendormoduledir=DIRECTORY (repeatable)
    #[arg(long = "setting", value_name = "NAME=VALUE", value_parser = pair, help_heading = "Evaluation")]
    pub(crate) settings: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) puppetdb: PuppetDb,
    #[command(flatten)]
    pub(crate) files: FileArguments,
}

/// The additional data for PuppetDB.
#[derive(Args)]
#[command(next_help_heading = "Identity")]
pub(crate) struct SubmissionArguments {
    /// Name of the server that submits the catalog to PuppetDB
    #[arg(long, value_name = "NAME")]
    pub(crate) producer: Option<String>,
    /// Time of submission [default: now]
    #[arg(long, value_name = "TIME")]
    pub(crate) producer_timestamp: Option<String>,
    /// UUID of the agent's run
    #[arg(long, value_name = "UUID")]
    pub(crate) transaction_uuid: Option<String>,
    /// UUID of the catalog [default: random]
    #[arg(long, value_name = "UUID")]
    pub(crate) catalog_uuid: Option<String>,
    /// Identifier of the code
    #[arg(long, value_name = "ID")]
    pub(crate) code_id: Option<String>,
    /// Identifier of the job that started the run
    #[arg(long, value_name = "ID")]
    pub(crate) job_id: Option<String>,
}

impl SubmissionArguments {
    /// The members that were given, as requests name them.
    pub(crate) fn members(&self) -> Map<String, Json> {
        let given = [
            ("producer", &self.producer),
            ("producer_timestamp", &self.producer_timestamp),
            ("transaction_uuid", &self.transaction_uuid),
            ("catalog_uuid", &self.catalog_uuid),
            ("code_id", &self.code_id),
            ("job_id", &self.job_id),
        ];
        let given = given.into_iter().filter_map(|(name, text)| Some((name, text.as_deref()?)));
        given.map(|(name, text)| (name.to_owned(), text.into())).collect()
    }
}

/// The options for reproducible compilations.
#[derive(Args)]
#[command(next_help_heading = "Identity")]
pub(crate) struct ChanceArguments {
    /// Seed of everything random: the same seed gives the same bytes
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
    /// Fixed time of the clock, such as 2024-02-29T12:00:00.000Z [default: now; 1970 with --seed]
    #[arg(long, value_name = "TIME")]
    pub(crate) time: Option<String>,
}

impl ChanceArguments {
    /// The members that were given, as requests name them.
    pub(crate) fn members(&self) -> Map<String, Json> {
        let mut members = Map::new();
        if let Some(seed) = &self.seed {
            members.insert("seed".into(), seed.as_str().into());
        }
        if let Some(time) = &self.time {
            let seconds = time.bytes().all(|byte| byte.is_ascii_digit()).then(|| time.parse::<i64>().ok());
            members.insert("time".into(), seconds.flatten().map_or_else(|| time.as_str().into(), Json::from));
        }
        members
    }
}

/// How results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextOrJson {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// Parses a name and, after an equals sign, a value.
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("it needs a name and a value: NAME=VALUE".to_owned()),
    }
}

/// Reads the name of a class and its parameters, a JSON object.
fn class(text: &str) -> Result<(String, Option<Hash>), String> {
    let Some((name, parameters)) = text.split_once('=') else { return Ok((text.to_owned(), None)) };
    match json_tokens::parse(parameters) {
        Ok(Value::Hash(parameters)) => Ok((name.to_owned(), Some(parameters.as_ref().clone()))),
        _ => Err("its parameters are a JSON object: NAME={\"port\":80}".to_owned()),
    }
}

/// Reads the name of a limit and its number.
fn limit(text: &str) -> Result<(String, u64), String> {
    let (name, number) = text.split_once('=').unwrap_or((text, ""));
    let number = number.replace('_', "").parse();
    number.map(|number| (name.to_owned(), number)).map_err(|_| "it needs a number: NAME=NUMBER".to_owned())
}

impl Session<'_> {
    /// The limits of work other than compilations; see [`Usage::of_other_work`].
    pub(crate) fn other_work(&self) -> Usage<'_> {
        Usage::of_other_work(None, self.embedder.host())
    }

    /// Watches over the reading of files of modules; see [`Usage::of_reading`].
    pub(crate) fn reading(&self) -> Usage<'_> {
        Usage::of_reading(None, self.embedder.host())
    }

    /// Writes a document to a file, or to the results.
    pub(crate) fn write(&self, path: Option<&str>, text: &str, is_json: bool) -> Result<(), CommandError> {
        match path {
            Some(path) => Ok(disk::write(path, text.as_bytes())?),
            None => Ok(self.console.out().data(text, is_json)?),
        }
    }
}
