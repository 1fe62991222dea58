//! `bunraku parse`.

use std::sync::Arc;

use bunraku::source::Source;
use bunraku::syntax::watch::Watch;
use bunraku::syntax::{ParseOptions, parse_watched, pn};
use clap::ValueEnum;

use crate::arguments::FileArguments;
use crate::{Outcome, Session};

/// Show the syntax tree of manifests or templates
///
/// Shows the syntax tree of manifests (.pp) and templates (.epp); - reads standard input.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Take every file for a template
    #[arg(long)]
    epp: bool,
    /// Know plans and apply
    #[arg(long)]
    tasks: bool,
    #[command(flatten)]
    reading: FileArguments,
    /// How the tree is written
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
        for path in &given.files {
            let source = Arc::new(Source::new(Some(path), given.reading.text(path, self)?));
            let options = ParseOptions {
                epp: given.epp || path.ends_with(".epp"),
                tasks: given.tasks,
                ..ParseOptions::default()
            };
            let watch = self.reading();
            let program = parse_watched(source, &options, &mut Vec::new(), &Watch::new(&watch.ends))?;
            let program = program.map_err(bunraku::Error::from)?;
            let is_json = given.format == Notation::Json;
            let write = if is_json { pn::to_json } else { pn::to_text };
            let mut text = write(&program, program.body()).map_err(bunraku::Error::from)?;
            if !text.ends_with('\n') {
                text.push('\n');
            }
            self.console.out().data(&text, is_json)?;
        }
        Ok(0)
    }
}
