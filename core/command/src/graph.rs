//! `bunraku graph`.

use bunraku::loader::Log;
use bunraku::requests;
use bunraku::wire::agent;
use clap::ValueEnum;
use serde_json::{Map, json};

use crate::arguments::NodeArguments;
use crate::compile::options_of;
use crate::place::EnvironmentArguments;
use crate::{CommandError, Outcome, Session};

/// Draw a catalog
///
/// Draws the resources of a catalog and their edges. Dependency cycles are red.
#[derive(clap::Args)]
#[command(
    override_usage = "bunraku graph --node NAME [OPTIONS]\n       bunraku graph CATALOG.json [OPTIONS]"
)]
pub(crate) struct Arguments {
    /// File with a catalog
    #[arg(value_name = "CATALOG")]
    files: Vec<String>,
    #[command(flatten)]
    node: NodeArguments,
    #[command(flatten)]
    environment: EnvironmentArguments,
    /// What to draw: nested frames, one box per class, or resources only
    #[arg(long, value_name = "WHAT", value_enum, default_value_t, help_heading = "Output")]
    by: By,
    /// Draw only what is near this resource, such as Class[Nginx] (repeatable)
    #[arg(long, value_name = "REFERENCE", help_heading = "Output")]
    focus: Vec<String>,
    /// Number of steps from --focus that are drawn [default: 2]
    #[arg(long, value_name = "NUMBER", requires = "focus", help_heading = "Output")]
    depth: Option<usize>,
    /// Output format: svg, html (a page with search and zoom) or dot (Graphviz)
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Output")]
    format: Format,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    output: Option<String>,
}

/// The boxes of a drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum By {
    #[default]
    Containment,
    Class,
    Resource,
}

/// How it is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    #[default]
    Svg,
    Html,
    Dot,
}

impl Session<'_> {
    pub(crate) fn graph(&self, given: &Arguments) -> Outcome {
        let catalog = match given.files.as_slice() {
            [] => {
                let (known, environment) = given.node.known_in(self, &given.environment)?;
                let options = options_of(&known, Map::new())?;
                let catalog = self.catalog_of(&environment, &known, options)?;
                agent::to_json(&catalog, &environment.settings, &Log::default())?
            }
            [path] => requests::parse_document(&given.node.files.text(path, self)?)?,
            _ => return Err(CommandError::misuse("graph draws one catalog")),
        };
        let by = match given.by {
            By::Containment => "containment",
            By::Class => "class",
            By::Resource => "resource",
        };
        let format = match given.format {
            Format::Svg => "svg",
            Format::Html => "html",
            Format::Dot => "dot",
        };
        let mut options = json!({ "by": by, "format": format });
        if !given.focus.is_empty() {
            options["focus"] = given.focus.as_slice().into();
            options["depth"] = given.depth.into();
        }
        let watch = self.other_work();
        let drawn = requests::draw(&catalog, &options, &watch).map_err(CommandError::of_arguments)?;
        self.write(given.output.as_deref(), &drawn, false)?;
        Ok(0)
    }
}
