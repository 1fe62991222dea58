//! Reports as they are asked for in JSON, by the C library and the gem.

use serde::Deserialize;
use serde_json::Value as Json;

use super::diff::Diff;
use super::fleet::{Fleet, NodeDiff};
use super::focus::Focus;
use super::graph::{By, Graph};
use super::ignore::Ignored;
use super::{html, text};
use bunraku_pcore::fuel::Fuel;
use bunraku_pcore::keys::{Keyed, Names};
use bunraku_syntax::diagnostic::Error;

/// Parses JSON.
///
/// # Errors
/// The text is not JSON.
pub fn parse(text: &str) -> Result<Json, Error> {
    serde_json::from_str(text).map_err(|error| Error::argument(format!("not JSON: {error}")))
}

/// The differences of two written catalogs, as data: `added`, `removed`, `changed`, `edges`, `classes`. An
/// object `{"error": MESSAGE}` can replace a catalog whose compilation failed.
///
/// # Errors
/// One of the two is not a catalog, or the fuel runs out.
pub fn diff(from: &Json, to: &Json, fuel: &dyn Fuel) -> Result<Json, Error> {
    let failure = |catalog: &Json| match &catalog["error"] {
        Json::Null => None,
        Json::String(message) => Some(message.clone()),
        error => Some(error["message"].as_str().unwrap_or_default().to_owned()),
    };
    let diff = match (failure(from), failure(to)) {
        (None, None) => Diff::of_json(from, to, fuel)?,
        (from, to) => Diff::of_failures(from.as_deref(), to.as_deref()),
    };
    serde_json::to_value(diff).map_err(|error| Error::internal(error.to_string()))
}

/// Differences (the result of [`diff`]) as text.
///
/// # Errors
/// The data is not a result of [`diff`], or the fuel runs out.
pub fn diff_text(diff: Json, fuel: &dyn Fuel) -> Result<String, Error> {
    text::diff_to_text(&read(diff)?, fuel)
}

/// Differences (the result of [`diff`]) without expected ones: see [`Ignored::parse`] for the rules.
///
/// # Errors
/// The data is not a result of [`diff`], or a rule is invalid.
pub fn without_ignored(diff: Json, rules: &[String]) -> Result<Json, Error> {
    let mut diff: Diff = read(diff)?;
    Ignored::parse(rules.iter().map(String::as_str))?.take_from(&mut diff);
    serde_json::to_value(diff).map_err(|error| Error::internal(error.to_string()))
}

/// The members that [`fleet`] reads, and those of its nodes.
const FLEET: Names = &["from", "to", "nodes", "format"];
const NODE: Names = &["node", "diff"];

/// The members that [`draw`] reads.
const DRAW: Names = &["by", "depth", "focus", "format"];

/// The request of [`fleet`].
#[derive(Deserialize)]
struct FleetRequest {
    #[serde(default)]
    from: String,
    #[serde(default)]
    to: String,
    nodes: Vec<NodeDiff>,
    #[serde(default)]
    format: Option<String>,
}

/// Groups the differences of many nodes: `nodes` is a list of objects with `node` and `diff` (the result of
/// [`diff`]), `from` and `to` name the sides, `format` is `json`, `text`, `markdown` or `html`.
///
/// # Errors
/// The request has the wrong form, or the fuel runs out.
pub fn fleet(request: Json, fuel: &dyn Fuel) -> Result<String, Error> {
    let asked = Keyed::new(&request, "the request", &[FLEET])?;
    for node in asked["nodes"].as_array().into_iter().flatten() {
        Keyed::new(node, "a node of the request", &[NODE])?;
    }
    let request: FleetRequest = read(request)?;
    let fleet = Fleet::new(request.from, request.to, request.nodes, fuel)?;
    match request.format.as_deref() {
        None | Some("json") => {
            serde_json::to_string(&fleet).map_err(|error| Error::internal(error.to_string()))
        }
        Some("text") => text::fleet_to_text(&fleet, fuel),
        Some("markdown") => text::fleet_to_markdown(&fleet, fuel),
        Some("html") => html::fleet_to_html(&fleet, fuel),
        Some(other) => {
            Err(Error::argument(format!("unknown format '{other}': json, text, markdown or html")))
        }
    }
}

/// The default distance of a drawing from its focus.
const DEPTH: u64 = 2;

/// Draws a written catalog: `by` is `containment`, `class` or `resource`, `format` is `svg`, `html` or `dot`.
/// With `focus`, a reference or a list of them, only their neighbourhood is drawn, up to the distance
/// `depth`, 2 by default.
///
/// # Errors
/// It is not a catalog, an option has an unknown value, the graph is too large, or the fuel runs out.
pub fn draw(catalog: &Json, options: &Json, fuel: &dyn Fuel) -> Result<String, Error> {
    let options = Keyed::new(options, "the options of a drawing", &[DRAW])?;
    let option = |name: &str, otherwise: &'static str| match &options[name] {
        Json::Null => Ok(otherwise.to_owned()),
        Json::String(text) => Ok(text.clone()),
        _ => Err(Error::argument(format!("'{name}' must be a text"))),
    };
    let by = option("by", "containment")?;
    let by = By::from_name(&by).ok_or_else(|| {
        Error::argument(format!("unknown way to draw '{by}': containment, class or resource"))
    })?;
    let mut graph = Graph::of_json(catalog, by, fuel)?;
    if let Some(focus) = focus(&options["focus"], &options["depth"])? {
        graph = graph.around(&focus, fuel)?;
    }
    match option("format", "svg")?.as_str() {
        "svg" => graph.to_svg(fuel),
        "html" => graph.to_html(fuel),
        "dot" => Ok(graph.to_dot()),
        other => Err(Error::argument(format!("unknown format '{other}': svg, html or dot"))),
    }
}

/// Reads the focus of a drawing.
fn focus(references: &Json, depth: &Json) -> Result<Option<Focus>, Error> {
    let depth_of = |depth: &Json| match depth {
        Json::Null => Ok(DEPTH),
        depth => depth.as_u64().ok_or_else(|| Error::argument("'depth' must be a number")),
    };
    let wrong = || Error::argument("'focus' must be a reference, or a list of references");
    let references = match references {
        Json::Null if depth.is_null() => return Ok(None),
        Json::Null => return Err(Error::argument("'depth' needs 'focus'")),
        Json::String(one) => vec![one.clone()],
        Json::Array(several) => {
            let texts = several.iter().map(|one| one.as_str().map(str::to_owned).ok_or_else(wrong));
            texts.collect::<Result<_, _>>()?
        }
        _ => return Err(wrong()),
    };
    let depth = usize::try_from(depth_of(depth)?).unwrap_or(usize::MAX);
    Ok(Some(Focus { references, depth }))
}

fn read<T: for<'de> Deserialize<'de>>(json: Json) -> Result<T, Error> {
    serde_json::from_value(json)
        .map_err(|error| Error::argument(format!("not the form that is asked for: {error}")))
}
