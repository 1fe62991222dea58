//! `bunraku describe`, `bunraku generate`: types of resources.

use std::sync::Arc;

use bunraku::host::disk::{self, DiskHost};
use bunraku::requests;
use clap::{Args, Subcommand};
use serde_json::{Value as Json, json};

use crate::place::{self, EnvironmentArguments, directories};
use crate::{CommandError, Outcome, Session};

/// Describe resource types
///
/// Describes the resource types of modules, as `puppet describe` does. Without a type it lists them.
#[derive(clap::Args)]
pub(crate) struct DescribeArguments {
    /// Types
    #[arg(value_name = "TYPE")]
    types: Vec<String>,
    /// List the types (default without TYPE)
    #[arg(short, long, conflicts_with = "types")]
    list: bool,
    #[command(flatten)]
    modules: ModuleArguments,
    /// Show only the names of attributes
    #[arg(short, long)]
    short: bool,
    /// Show providers, too
    #[arg(short, long)]
    providers: bool,
    /// Show metaparameters, too
    #[arg(short, long)]
    meta: bool,
}

/// Write resource types for environments
#[derive(clap::Args)]
#[command(override_usage = "bunraku generate types [OPTIONS]")]
pub(crate) struct GenerateArguments {
    #[command(subcommand)]
    what: Generated,
}

#[derive(Subcommand)]
enum Generated {
    Types(TypesArguments),
}

/// Write resource types
///
/// Writes the files that Puppet reads instead of the Ruby files of resource types, as `puppet generate types`
/// does. Types that are computed cannot be written; they are errors.
#[derive(clap::Args)]
struct TypesArguments {
    #[command(flatten)]
    modules: ModuleArguments,
    /// Directory to write [default: .resource_types in the environment]
    #[arg(long, value_name = "DIRECTORY")]
    output: Option<String>,
}

/// Whose types they are.
#[derive(Args)]
struct ModuleArguments {
    /// Directories of modules [default: those of the environment]
    #[arg(long, value_name = "PATH", help_heading = "Environment")]
    modulepath: Option<String>,
    #[command(flatten)]
    environment: EnvironmentArguments,
}

/// Directories of modules, and that of the environment they are of.
struct Modules {
    modulepath: Vec<String>,
    environment: Option<String>,
}

impl ModuleArguments {
    fn find(&self) -> Result<Modules, CommandError> {
        if let Some(path) = &self.modulepath {
            return Ok(Modules { modulepath: directories(path)?, environment: None });
        }
        let given = &self.environment;
        let source = match given.place(None, None) {
            Ok(source) => source,
            Err(_) if !given.is_given() => return Ok(Modules { modulepath: Vec::new(), environment: None }),
            Err(error) => return Err(error),
        };
        let mut asked = json!({});
        source.add_to(&mut asked);
        let environment = place::load(Arc::new(DiskHost), &asked, source.name())?;
        Ok(Modules {
            modulepath: environment.modulepath.clone(),
            environment: environment.directory.as_deref().map(str::to_owned),
        })
    }
}

impl Session<'_> {
    pub(crate) fn describe(&self, given: &DescribeArguments) -> Outcome {
        let asked = json!({
            "types": given.types, "modulepath": given.modules.find()?.modulepath, "details": !given.short,
            "providers": given.providers, "metaparameters": given.meta,
        });
        let usage = self.reading();
        let answer = requests::describe_types(&DiskHost, &asked, &usage.ends)?;
        let mut status = 0;
        for (index, text) in answer.as_array().into_iter().flatten().enumerate() {
            match (text.as_str(), given.types.get(index)) {
                (Some(text), _) => self.console.out().text(text)?,
                (None, name) => {
                    let name = name.map(String::as_str).unwrap_or_default();
                    self.console.err().line(&format!("Unknown type {name}"))?;
                    status = 1;
                }
            }
        }
        Ok(status)
    }

    pub(crate) fn generate(&self, given: &GenerateArguments) -> Outcome {
        let Generated::Types(given) = &given.what;
        let usage = self.reading();
        let modules = given.modules.find()?;
        let asked = json!({ "modulepath": modules.modulepath });
        let answer = requests::generate_types(&DiskHost, &asked, &usage.ends)?;
        let output = given.output.clone().unwrap_or_else(|| match &modules.environment {
            Some(directory) => format!("{directory}/.resource_types"),
            None => ".resource_types".to_owned(),
        });
        disk::make_directory(&output)?;
        let mut status = 0;
        for one in answer.as_array().into_iter().flatten() {
            let name = one["name"].as_str().unwrap_or_default();
            let source = one["file"].as_str().unwrap_or_default();
            let Json::String(text) = &one["text"] else {
                self.console.err().line(&format!("{source}: error: the type '{name}' is computed"))?;
                status = 1;
                continue;
            };
            let path = format!("{}/{name}.pp", output.trim_end_matches('/'));
            disk::write(&path, text.as_bytes())?;
            // Whoever generates the next time sees by it whether the type has changed.
            disk::copy_time(source, &path)?;
        }
        Ok(status)
    }
}
