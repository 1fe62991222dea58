//! `bunraku convert`.

use bunraku::host::disk::DiskHost;
use bunraku::pcore::types::NoTypes;
use bunraku::wire::Violation;
use bunraku::wire::form::{self, ConversionError, Form};
use bunraku::wire::puppetdb::Submission;
use bunraku::{Error, Host as _};
use serde_json::Value as Json;

use crate::arguments::{FileArguments, SubmissionArguments};
use crate::{CommandError, Outcome, Session};

/// Check a written catalog or convert it
///
/// Checks the catalog in FILE (- for standard input) and writes it in another form. Forms: agent,
/// agent:msgpack, puppetdb:1, puppetdb:1-api, and puppetdb:4 to puppetdb:9.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// File with the catalog
    file: String,
    /// Form of the file
    #[arg(long, value_name = "FORM", default_value = "agent", value_parser = form_of)]
    from: Form,
    /// Form to write [default: none, the file is only checked]
    #[arg(long, value_name = "FORM", value_parser = form_of)]
    to: Option<Form>,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    output: Option<String>,
    #[command(flatten)]
    submission: SubmissionArguments,
    /// Environment, when the file does not name it
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,
    #[command(flatten)]
    files: FileArguments,
}

fn form_of(name: &str) -> Result<Form, String> {
    name.parse().map_err(|error: Error| error.message)
}

impl Session<'_> {
    pub(crate) fn convert(&self, given: &Arguments) -> Outcome {
        let document = given.files.bytes(&given.file, self)?;
        let watch = self.other_work();
        let Some(to) = given.to else {
            let violations = form::validate(&document, given.from, &NoTypes, &watch)?;
            let mut out = self.console.out();
            violations.iter().try_for_each(|one| out.line(&describe(one)))?;
            return Ok((!violations.is_empty()).into());
        };
        let mut submission = given.submission.members();
        if let Some(name) = &given.environment {
            submission.insert("environment".into(), name.as_str().into());
        }
        if matches!(to, Form::PuppetDb(_)) {
            let now = DiskHost.now().format("%FT%T.%LZ", None)?;
            submission.entry("producer_timestamp").or_insert_with(|| now.into());
        }
        let submission =
            Submission::from_json(&Json::Object(submission)).map_err(CommandError::of_arguments)?;
        let mut written = Vec::new();
        form::convert(&document, given.from, to, &submission, &NoTypes, &watch, &mut written)
            .map_err(|error| failure_of(error, given.from))?;
        self.document(to, &written, given.output.as_deref())
    }
}

fn describe(violation: &Violation) -> String {
    format!("{}: {}", violation.path, violation.message)
}

/// The reason why a document cannot be written in another form.
fn failure_of(error: ConversionError, form: Form) -> CommandError {
    match error {
        ConversionError::Unwritable(error) => error.into(),
        ConversionError::Invalid(violations) => {
            let lines: String = violations.iter().map(|one| format!("\n{}", describe(one))).collect();
            Error::plain(format!("not a sound catalog of the form {form}{lines}")).into()
        }
    }
}
