//! `bunraku describe`, `bunraku generate`: types of resources.

use bunraku::host::disk::{self, DiskHost};
use bunraku::requests;
use clap::Subcommand;
use serde_json::{Value as Json, json};

use crate::place::directories;
use crate::{Outcome, Session};

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
    /// Directories of modules
    #[arg(long, value_name = "PATH", default_value = "", hide_default_value = true)]
    modulepath: String,
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
#[command(override_usage = "bunraku generate types --modulepath PATH [OPTIONS]")]
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
    /// Directories of modules
    #[arg(long, value_name = "PATH", default_value = "", hide_default_value = true)]
    modulepath: String,
    /// Directory to write [default: .resource_types in the working directory]
    #[arg(long, value_name = "DIRECTORY", default_value = ".resource_types", hide_default_value = true)]
    output: String,
}

impl Session<'_> {
    pub(crate) fn describe(&self, given: &DescribeArguments) -> Outcome {
        let asked = json!({
            "types": given.types, "modulepath": directories(&given.modulepath)?, "details": !given.short,
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
        let asked = json!({ "modulepath": directories(&given.modulepath)? });
        let answer = requests::generate_types(&DiskHost, &asked, &usage.ends)?;
        disk::make_directory(&given.output)?;
        let mut status = 0;
        for one in answer.as_array().into_iter().flatten() {
            let name = one["name"].as_str().unwrap_or_default();
            let source = one["file"].as_str().unwrap_or_default();
            let Json::String(text) = &one["text"] else {
                self.console.err().line(&format!("{source}: error: the type '{name}' is computed"))?;
                status = 1;
                continue;
            };
            let path = format!("{}/{name}.pp", given.output.trim_end_matches('/'));
            disk::write(&path, text.as_bytes())?;
            // Whoever generates the next time sees by it whether the type has changed.
            disk::copy_time(source, &path)?;
        }
        Ok(status)
    }
}
