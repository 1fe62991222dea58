//! `bunraku lookup`.

use bunraku::compiler::request;
use serde_json::Value as Json;

use crate::arguments::{NodeArguments, TextOrJson};
use crate::place::EnvironmentArguments;
use crate::{CommandError, Outcome, Session};

/// Look up data for a node, as `puppet lookup` does
#[derive(clap::Args)]
#[command(override_usage = "bunraku lookup KEY --node NAME [OPTIONS]")]
pub(crate) struct Arguments {
    /// Key to look up; dots dig into the value
    key: String,
    #[command(flatten)]
    node: NodeArguments,
    #[command(flatten)]
    environment: EnvironmentArguments,
    /// Data type that the value must have
    #[arg(long = "type", value_name = "TYPE", help_heading = "Lookup")]
    value_type: Option<String>,
    /// Merge strategy: first, unique, hash or deep
    #[arg(long, value_name = "STRATEGY", help_heading = "Lookup")]
    merge: Option<String>,
    /// Value when nothing is found
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, help_heading = "Lookup")]
    default: Option<String>,
    /// Explain how the value was found
    #[arg(long, help_heading = "Lookup")]
    explain: bool,
    /// Show Sensitive values, and with --explain decrypted ones
    #[arg(long, help_heading = "Lookup")]
    show_secrets: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Lookup")]
    format: TextOrJson,
}

impl Session<'_> {
    pub(crate) fn lookup(&self, given: &Arguments) -> Outcome {
        let (known, environment) = given.node.known_in(self, &given.environment)?;
        let mut asked = known.members();
        asked["key"] = given.key.as_str().into();
        asked["explain"] = given.explain.into();
        asked["show_secrets"] = given.show_secrets.into();
        for (name, text) in
            [("type", &given.value_type), ("merge", &given.merge), ("default", &given.default)]
        {
            if let Some(text) = text {
                asked[name] = text.as_str().into();
            }
        }
        let limits = known.limits().map_err(CommandError::of_arguments)?;
        let answer = request::answer_lookup(&environment, &request::of_lookup(&asked)?, limits)?;
        if given.explain {
            let Some(explained) = answer.explained else {
                return answer.outcome.map(|_| 0).map_err(CommandError::from);
            };
            match given.format {
                TextOrJson::Text => {
                    if let Ok(mut value) = answer.outcome {
                        if !given.show_secrets {
                            redact(&mut value);
                        }
                        self.show_value(&value, given.format)?;
                        self.console.out().line("")?;
                    }
                    self.console.out().line(&explained.text)?;
                }
                TextOrJson::Json => self.console.json(&explained.data)?,
            }
            return Ok(0);
        }
        let mut value = answer.outcome?;
        if !given.show_secrets {
            redact(&mut value);
        }
        self.show_value(&value, given.format)?;
        Ok(0)
    }

    fn show_value(&self, value: &Json, format: TextOrJson) -> Result<(), CommandError> {
        match (value.as_str(), format) {
            (Some(text), TextOrJson::Text) => {
                let end = if text.ends_with('\n') { "" } else { "\n" };
                Ok(self.console.out().data(&format!("{text}{end}"), false)?)
            }
            _ => self.console.json(value),
        }
    }
}

/// Puts the text that Puppet shows in the place of each Sensitive of rich data.
fn redact(value: &mut Json) {
    // Rich data nests no deeper than values of the language may.
    match value {
        Json::Object(members) if members.get("__ptype").is_some_and(|of| of == "Sensitive") => {
            *value = "Sensitive [value redacted]".into();
        }
        Json::Object(members) => members.values_mut().for_each(redact),
        Json::Array(values) => values.iter_mut().for_each(redact),
        _ => {}
    }
}
