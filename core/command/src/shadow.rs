//! `bunraku shadow`.

use bunraku::host::disk;
use clap::Args;

use crate::arguments::FileArguments;
use crate::embedder::PuppetDb;
use crate::{CommandError, Outcome, Session};

/// Compare with the installed Puppet, node by node
///
/// Compiles the nodes of a site with the installed Puppet, in processes of its own, and with bunraku, and
/// compares catalogs, errors and messages. What differs is grouped by cause.
#[derive(Args)]
#[command(
    override_usage = "bunraku shadow --all-nodes FACTS_DIR [OPTIONS] [-- PUPPET_OPTIONS]\n       \
                      bunraku shadow --puppetdb URL [OPTIONS] [-- PUPPET_OPTIONS]",
    after_help = "Exit status: 0 no differences, 1 differences, 2 wrong options or unreadable files. Options behind -- are \
                  Puppet's, such as --confdir /etc/puppetlabs/puppet --node_terminus exec."
)]
pub(crate) struct Arguments {
    /// Directory with the facts of the nodes (NAME.json or NAME.yaml), such as a server's yaml/facts
    /// [default: all nodes of --puppetdb]
    #[arg(long, value_name = "FACTS_DIR", required_unless_present = "puppetdb_url")]
    all_nodes: Option<String>,
    /// Options of Puppet
    #[arg(last = true, value_name = "PUPPET_OPTIONS")]
    puppet: Vec<String>,
    /// Environment of nodes that are not classified into another [default: Puppet's setting]
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,
    /// Ruby that runs Puppet, with its options, such as 'ruby -I /src/openvox/lib'
    #[arg(long, value_name = "COMMAND")]
    ruby: Option<String>,
    /// Number of Puppet processes [default: number of processors]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    workers: Option<u32>,
    /// Compile some of the nodes only: a number, or a part such as 10%
    #[arg(long, value_name = "SIZE")]
    sample: Option<String>,
    /// File that keeps what is done: with it, a run goes on where another one ended
    #[arg(long, value_name = "FILE")]
    state: Option<String>,
    /// File with expected differences, one a line: rules as of diff --ignore, error:PATTERN, log:PATTERN
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    accept: Option<String>,
    /// Write the report as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<String>,
    /// Write the report as an HTML page
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<String>,
    #[command(flatten)]
    puppetdb: PuppetDb,
    #[command(flatten)]
    files: FileArguments,
}

/// Options of a comparison with the installed Puppet.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ShadowOptions {
    /// The directory with facts; by default they come from the PuppetDB.
    pub facts: Option<String>,
    /// The PuppetDB, which also has the exported resources of other nodes.
    pub puppetdb: PuppetDb,
    /// Puppet's options.
    pub puppet: Vec<String>,
    /// The environment of nodes without one.
    pub environment: Option<String>,
    /// The Ruby that runs Puppet; by default the Ruby of this process.
    pub ruby: Option<String>,
    /// The number of Puppet processes.
    pub workers: Option<u32>,
    /// The number or share of the nodes to compare.
    pub sample: Option<String>,
    /// The file that stores the finished results.
    pub state: Option<String>,
    /// Rules for expected differences.
    pub accept: Vec<String>,
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct ShadowReport {
    /// Whether anything differs.
    pub differs: bool,
    /// The report as text.
    pub text: String,
    /// The report as JSON.
    pub json: String,
    /// The report as an HTML page.
    pub html: String,
}

impl Session<'_> {
    pub(crate) fn shadow(&self, given: &Arguments) -> Outcome {
        let accept = match &given.accept {
            Some(path) => {
                let text = given.files.text(path, self)?;
                let lines = text.lines().map(str::trim);
                lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
            }
            None => Vec::new(),
        };
        let options = ShadowOptions {
            facts: given.all_nodes.clone(),
            puppetdb: given.puppetdb.clone(),
            puppet: given.puppet.clone(),
            environment: given.environment.clone(),
            ruby: given.ruby.clone(),
            workers: given.workers,
            sample: given.sample.clone(),
            state: given.state.clone(),
            accept,
        };
        self.console.flush()?;
        let report = self.embedder.shadow(&options).map_err(CommandError::of_arguments)?;
        for (path, text) in [(&given.json, &report.json), (&given.html, &report.html)] {
            if let Some(path) = path {
                disk::write(path, text.as_bytes())?;
            }
        }
        self.console.out().text(&report.text)?;
        Ok(u8::from(report.differs))
    }
}
