//! `bunraku lookup`.

use bunraku::compiler::request;

use crate::arguments::{EnvironmentArguments, NodeArguments, TextOrJson};
use crate::{Failure, Outcome, Session};

/// Look up data as a node sees it, as `puppet lookup` does
#[derive(clap::Args)]
#[command(override_usage = "bunraku lookup KEY --node NAME [OPTIONS]")]
pub(crate) struct Arguments {
    /// What is looked up; dots dig into it
    key: String,
    #[command(flatten)]
    node: NodeArguments,
    #[command(flatten)]
    environment: EnvironmentArguments,
    /// The value must be of this type
    #[arg(long = "type", value_name = "TYPE")]
    value_type: Option<String>,
    /// first, unique, hash or deep
    #[arg(long, value_name = "STRATEGY")]
    merge: Option<String>,
    /// The value when nothing is found
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    default: Option<String>,
    /// Tell how the value was found
    #[arg(long)]
    explain: bool,
    /// How the value is written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: TextOrJson,
}

impl Session<'_> {
    pub(crate) fn lookup(&self, given: &Arguments) -> Outcome {
        let (known, environment) = given.node.known_in(self, &given.environment)?;
        let mut asked = known.members();
        asked["key"] = given.key.as_str().into();
        asked["explain"] = given.explain.into();
        for (name, text) in
            [("type", &given.value_type), ("merge", &given.merge), ("default", &given.default)]
        {
            if let Some(text) = text {
                asked[name] = text.as_str().into();
            }
        }
        let limits = known.limits()?;
        let answer = request::answer_lookup(&environment, &request::of_lookup(&asked)?, limits)?;
        if given.explain {
            let Some(explained) = answer.explained else {
                return answer.outcome.map(|_| 0).map_err(Failure::from);
            };
            match given.format {
                TextOrJson::Text => self.console.out().line(&explained.text)?,
                TextOrJson::Json => self.console.json(&explained.data)?,
            }
            return Ok(0);
        }
        let value = answer.outcome?;
        match (value.as_str(), given.format) {
            (Some(text), TextOrJson::Text) => {
                let end = if text.ends_with('\n') { "" } else { "\n" };
                self.console.out().data(&format!("{text}{end}"), false)?;
            }
            _ => self.console.json(&value)?,
        }
        Ok(0)
    }
}
