//! A catalog's resources as a table for people.

use bunraku::catalog::{Catalog, Resource};
use bunraku::loader::Environment;
use unicode_width::UnicodeWidthStr as _;

use crate::screen::{Screen, printable};
use crate::source_line::cut;

/// Which resources are listed.
#[derive(clap::Args)]
#[command(next_help_heading = "Catalog")]
pub(crate) struct Filters {
    /// List only resources of this type
    #[arg(long = "type", value_name = "TYPE")]
    type_name: Option<String>,
    /// List only resources whose titles contain this text
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// List only what this class contains
    #[arg(long, value_name = "NAME")]
    in_class: Option<String>,
}

/// A line of the table.
struct Row<'c> {
    type_name: &'c str,
    title: String,
    place: String,
}

/// The narrowest column of titles.
const TITLE: usize = 16;

/// Shows the resources of a catalog, one on each line, with the width of the terminal if it is one.
pub(crate) fn show(
    catalog: &Catalog,
    environment: &Environment,
    filters: &Filters,
    out: &mut Screen,
) -> std::io::Result<usize> {
    let listed = listed(catalog, filters);
    let rows: Vec<Row<'_>> = listed.iter().map(|resource| row(resource, environment)).collect();
    let widest = |of: &dyn Fn(&Row<'_>) -> usize| rows.iter().map(of).max().unwrap_or_default();
    let types = widest(&|row| row.type_name.width()).max("TYPE".len());
    let places = widest(&|row| row.place.width()).max("DECLARED AT".len());
    let mut titles = widest(&|row| row.title.width()).max("TITLE".len());
    if let Some(columns) = out.columns() {
        titles = titles.min(columns.saturating_sub(types + places + 4).max(TITLE));
    }
    let mut line = |type_name: &str, title: &str, place: &str| {
        let title = cut(title, titles);
        let padding = " ".repeat(titles.saturating_sub(title.width()));
        out.line(format!("{type_name:<types$}  {title}{padding}  {place}").trim_end_matches(' '))
    };
    line("TYPE", "TITLE", "DECLARED AT")?;
    rows.iter().try_for_each(|row| line(row.type_name, &row.title, &row.place))?;
    Ok(rows.len())
}

fn row<'c>(resource: &'c Resource, environment: &Environment) -> Row<'c> {
    let file = resource.file.as_deref().map(|file| relative(file, environment));
    let place = match (file, resource.line) {
        (Some(file), Some(line)) => printable(&format!("{file}:{line}")),
        (Some(file), None) => printable(file),
        _ => String::new(),
    };
    let title = printable(&resource.title).replace(['\n', '\t'], " ");
    Row { type_name: &resource.type_name, title, place }
}

/// A path from the environment's directory, or from that of modules elsewhere.
pub(crate) fn relative<'f>(file: &'f str, environment: &Environment) -> &'f str {
    let bases = environment.directory.iter().chain(&environment.modulepath);
    let below = |base: &String| file.strip_prefix(base.as_str())?.strip_prefix('/');
    bases.into_iter().find_map(below).unwrap_or(file)
}

/// The resources that are wanted, in order.
fn listed<'c>(catalog: &'c Catalog, filters: &Filters) -> Vec<&'c Resource> {
    let container = containers(catalog);
    let resource = |number: usize| catalog.resources.get(number);
    let is_class = |of: &Resource| of.type_name.as_str() == "Class";
    // The container, up to a class; nothing contains itself.
    let class_of = |mut number: usize| {
        for _ in 0..catalog.resources.len() {
            number = container.get(number).copied().flatten()?;
            if let Some(found) = resource(number).filter(|found| is_class(found)) {
                return Some(found.title.as_str());
            }
        }
        None
    };
    let same = |one: &str, other: &str| one.trim_start_matches("::").eq_ignore_ascii_case(other);
    let is_wanted = |(number, resource): &(usize, &'c Resource)| {
        filters.type_name.as_ref().is_none_or(|wanted| same(wanted, &resource.type_name))
            && filters.title.as_ref().is_none_or(|text| resource.title.contains(text.as_str()))
            && filters.in_class.as_ref().is_none_or(|wanted| {
                class_of(*number).is_some_and(|title| same(wanted, title))
                    || (is_class(resource) && same(wanted, &resource.title))
            })
    };
    catalog.resources.iter().enumerate().filter(is_wanted).map(|(_, resource)| resource).collect()
}

/// The container of each resource, by index.
fn containers(catalog: &Catalog) -> Vec<Option<usize>> {
    let mut containers = vec![None; catalog.resources.len()];
    for edge in &catalog.edges {
        if let Some(container) = containers.get_mut(edge.target) {
            *container = Some(edge.source);
        }
    }
    containers
}
