//! `bunraku parse`.

use std::sync::Arc;

use bunraku::Error;
use bunraku::pcore::formats::json_tokens;
use bunraku::pcore::ruby::json::to_json;
use bunraku::source::Source;
use bunraku::syntax::watch::Watch;
use bunraku::syntax::{ParseOptions, parse_watched, pn};
use clap::ValueEnum;

use crate::arguments::FileArguments;
use crate::{CommandError, Outcome, Session};

/// Show the syntax tree of manifests or templates
///
/// Shows the syntax tree of manifests (.pp) and templates (.epp). The path - is standard input.
#[derive(clap::Args)]
#[command(
    after_help = "Exit status: 0 all were parsed, 1 a text is at fault, 2 a file cannot be read, or wrong options."
)]
pub(crate) struct Arguments {
    /// Files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Read every file as a template (EPP)
    #[arg(long)]
    epp: bool,
    /// Accept plans and apply
    #[arg(long)]
    tasks: bool,
    /// Write each element on its own line
    #[arg(long)]
    pretty: bool,
    #[command(flatten)]
    reading: FileArguments,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Notation,
}

/// How a tree is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Notation {
    /// Puppet Extended S-Expression Notation.
    #[default]
    Pn,
    /// JSON.
    Json,
}

impl Session<'_> {
    pub(crate) fn parse(&self, given: &Arguments) -> Outcome {
        let mut status = 0;
        for path in &given.files {
            match self.parse_file(path, given) {
                Err(failure @ CommandError::Output(_)) => return Err(failure),
                Err(CommandError::Failed(error, logs)) if error.kind.ends_work() => {
                    return Err(CommandError::Failed(error, logs));
                }
                Err(failure) => status = self.console.show(&failure).max(status),
                Ok(()) => (),
            }
        }
        Ok(status)
    }

    fn parse_file(&self, path: &str, given: &Arguments) -> Result<(), CommandError> {
        let source = Source::of_bytes(Some(path), given.reading.bytes(path, self)?).map_err(Error::from)?;
        let epp = given.epp || path.ends_with(".epp");
        let options = ParseOptions { epp, tasks: given.tasks, ..ParseOptions::default() };
        let usage = self.reading();
        let watch = Watch::new(&usage.ends);
        let program =
            parse_watched(Arc::new(source), &options, &mut Vec::new(), &watch)?.map_err(Error::from)?;
        let body = program.body();
        let mut text = match (given.format, given.pretty) {
            (Notation::Pn, false) => pn::to_text(&program, body),
            (Notation::Pn, true) => pn::to_pretty_text(&program, body),
            (Notation::Json, _) => pn::to_json(&program, body),
        }
        .map_err(Error::from)?;
        let is_json = given.format == Notation::Json;
        if is_json && given.pretty {
            text = to_json(&json_tokens::parse(&text)?, true)?;
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
        Ok(self.console.out().data(&text, is_json)?)
    }
}
