//! `bunraku compile`.

use bunraku::Error;
use bunraku::catalog::Catalog;
use bunraku::compiler::{self, CompileOptions, request, run_id};
use bunraku::host::disk::DiskHost;
use bunraku::loader::{Environment, Log};
use bunraku::pcore::Value;
use bunraku::pcore::ruby::psych;
use bunraku::report::explain::explain;
use bunraku::syntax::watch::Watch;
use bunraku::wire::agent;
use bunraku::wire::form::{self, Form};
use bunraku::wire::puppetdb::Submission;
use serde_json::{Map, Value as Json};

use crate::arguments::{ChanceArguments, NodeArguments, SubmissionArguments};
use crate::listing::{self, Filters};
use crate::node::NodeOptions;
use crate::place::EnvironmentArguments;
use crate::{CommandError, Outcome, Session};

/// Compile the catalog of a node
///
/// Lists the resources of the catalog, or writes the catalog in a form: agent (or json), agent:msgpack,
/// puppetdb:1, puppetdb:1-api, or puppetdb:4 to puppetdb:9.
#[derive(clap::Args)]
#[command(override_usage = "bunraku compile --node NAME [OPTIONS]")]
pub(crate) struct Arguments {
    #[command(flatten)]
    node: NodeArguments,
    #[command(flatten)]
    environment: EnvironmentArguments,
    #[command(flatten)]
    filters: Filters,
    /// Write the catalog to this file, in the form agent unless --format is given
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    output: Option<String>,
    /// Output format: table (or text), yaml, or a form
    #[arg(long, value_name = "FORM", value_parser = written, default_value = "table", help_heading = "Output")]
    format: Written,
    /// Show where the values of a resource come from and why it is in the catalog (repeatable)
    #[arg(long, value_name = "REFERENCE", help_heading = "Output")]
    explain: Vec<String>,
    /// Fail on dependency cycles, and show them
    #[arg(long, help_heading = "Output")]
    check_cycles: bool,
    #[command(flatten)]
    submission: SubmissionArguments,
    #[command(flatten)]
    chance: ChanceArguments,
}

/// How a catalog is written.
#[derive(Clone, Copy)]
enum Written {
    Table,
    Yaml,
    Form(Form),
}

/// Reads how a catalog is written.
fn written(name: &str) -> Result<Written, String> {
    match name {
        "table" | "text" => Ok(Written::Table),
        "yaml" => Ok(Written::Yaml),
        "json" => Ok(Written::Form(Form::Agent)),
        name => name.parse().map(Written::Form).map_err(|error: bunraku::Error| error.message),
    }
}

/// How a node's catalog is compiled.
pub(crate) fn options_of(
    known: &NodeOptions,
    members: Map<String, Json>,
) -> Result<CompileOptions, CommandError> {
    let asked = Json::Object(members);
    let options = request::of_catalog(&asked).and_then(|asked| request::compile_options(&asked));
    let options = options.map_err(CommandError::of_arguments)?;
    Ok(CompileOptions { limits: known.limits().map_err(CommandError::of_arguments)?, ..options })
}

impl Session<'_> {
    pub(crate) fn compile(&self, given: &Arguments) -> Outcome {
        let (known, environment) = given.node.known_in(self, &given.environment)?;
        let mut members = given.submission.members();
        members.extend(given.chance.members());
        members.insert("provenance".into(), (!given.explain.is_empty()).into());
        members.insert("check_cycles".into(), given.check_cycles.into());
        if !members.contains_key("transaction_uuid") {
            let id = run_id(&DiskHost, given.chance.seed.as_deref())?;
            members.insert("transaction_uuid".into(), id.into());
        }
        let options = options_of(&known, members)?;
        let catalog = self.catalog_of(&environment, &known, options)?;
        if !given.explain.is_empty() {
            return self.explain(&catalog, &given.explain, &environment);
        }
        match given.format {
            Written::Form(form) => {
                let document = self.written(&catalog, form, &environment)?;
                return self.document(form, &document, given.output.as_deref());
            }
            Written::Yaml => {
                let document: Json =
                    serde_json::from_slice(&self.written(&catalog, Form::Agent, &environment)?)
                        .map_err(|error| Error::internal(error.to_string()))?;
                let text = psych::generate(&Value::from(&document), &psych::Layout::default());
                self.write(given.output.as_deref(), &text, false)?;
                return Ok(0);
            }
            Written::Table => {}
        }
        let document = self.written(&catalog, Form::Agent, &environment)?;
        if let Some(path) = &given.output {
            bunraku::host::disk::write(path, &document)?;
        }
        self.show_catalog(&catalog, &environment, given, document.len())?;
        Ok(0)
    }

    /// Compiles the catalog of the options' node, and shows the log.
    pub(crate) fn catalog_of(
        &self,
        environment: &Environment,
        known: &NodeOptions,
        options: CompileOptions,
    ) -> Result<Catalog, CommandError> {
        let compiled = compiler::compile(environment, known.node()?, options);
        let mut logs = compiled.logs;
        let catalog = match compiled.outcome {
            Ok(catalog) => catalog,
            Err(error) => return Err(CommandError::Failed(Box::new(error), logs)),
        };
        logs.extend(agent::losses(&catalog, &environment.settings));
        logs.iter().try_for_each(|entry| self.console.log(entry))?;
        Ok(catalog)
    }

    /// Shows where the values of resources come from.
    fn explain(&self, catalog: &Catalog, references: &[String], environment: &Environment) -> Outcome {
        let directory = environment.directory.as_deref().unwrap_or_default();
        let usage = self.reading();
        for (index, reference) in references.iter().enumerate() {
            let explained = explain(catalog, reference, directory, &Watch::new(&usage.ends))?;
            let Some(explained) = explained else {
                return Err(CommandError::misuse(format!("{reference} is not in the catalog")));
            };
            let mut out = self.console.out();
            if index > 0 {
                out.line("")?;
            }
            out.line(&explained)?;
        }
        Ok(0)
    }

    fn show_catalog(
        &self,
        catalog: &Catalog,
        environment: &Environment,
        given: &Arguments,
        size: usize,
    ) -> std::io::Result<()> {
        let mut out = self.console.out();
        let count = listing::show(catalog, environment, &given.filters, &mut out)?;
        let all = catalog.resources.len();
        let of_all = if count == all { String::new() } else { format!("{count} of ") };
        let place = given.output.as_deref().map(|path| format!(" in {path}")).unwrap_or_default();
        out.line(&format!("{of_all}{all} resources, {size} bytes of JSON{place}"))
    }

    /// A catalog as a document of a form.
    fn written(
        &self,
        catalog: &Catalog,
        form: Form,
        environment: &Environment,
    ) -> Result<Vec<u8>, CommandError> {
        let watch = self.other_work();
        let submission = Submission {
            producer_timestamp: catalog.identity.producer_timestamp.clone(),
            ..Submission::default()
        };
        let mut document = Vec::new();
        // The compilation has already logged the losses.
        let log = Log::default();
        form::write(catalog, form, &submission, &environment.settings, &log, &watch, &mut document)?;
        Ok(document)
    }

    /// Writes a document to a file, or to the results.
    pub(crate) fn document(&self, form: Form, document: &[u8], path: Option<&str>) -> Outcome {
        if let Some(path) = path {
            bunraku::host::disk::write(path, document)?;
            return Ok(0);
        }
        let mut out = self.console.out();
        match std::str::from_utf8(document) {
            Ok(text) if form != Form::AgentMessagePack => out.data(text, true)?,
            _ => out.bytes(document)?,
        }
        if out.is_terminal() {
            out.line("")?;
        }
        Ok(0)
    }
}
