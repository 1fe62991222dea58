//! Explains the origins of a resource's values and its causes, as text for people.

use std::fmt::Write as _;

use bunraku_engine::catalog::provenance::{Cause, How, Link};
use bunraku_engine::catalog::{Catalog, Resource};
use bunraku_engine::eval::{Origin, OriginKind};
use bunraku_pcore::Value;
use bunraku_pcore::convert::string;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::source::Location;
use bunraku_syntax::watch::Watch;

/// The maximum number of characters of a value that are shown.
const SHOWN: usize = 100;

/// The maximum depth of origins of origins.
const MAX_DEPTH: usize = 8;

/// Explains a resource: its parameters with their origins, and the chain that brought it in. Paths below
/// `directory` are shown without it. None when the resource is not in the catalog, or nothing was recorded
/// ([`CompileOptions::provenance`](bunraku_engine::compiler::CompileOptions)).
///
/// # Errors
/// The watch ended the work: origins of origins can be very many.
pub fn explain(
    catalog: &Catalog,
    reference: &str,
    directory: &str,
    watch: &Watch<'_>,
) -> Result<Option<String>, Error> {
    let chain = catalog.why(reference);
    let Some(first) = chain.first() else { return Ok(None) };
    let Some(resource) = catalog.resources.get(first.number) else { return Ok(None) };
    let mut writer = Writer { out: String::new(), directory, watch };
    let _ = writeln!(writer.out, "{}", resource.reference());
    for (name, value) in &resource.parameters {
        let _ = writeln!(writer.out, "  {name} => {}", shown(resource, name, value));
        match first.known.parameters.get(name) {
            Some(origin) => writer.origin(origin, "    ", None, 0),
            None => writer.out.push_str("    not known\n"),
        }
    }
    writer.out.push_str("\nWhy it is in the catalog\n");
    for link in &chain {
        writer.link(catalog, link);
    }
    watch.result().map(|()| Some(writer.out))
}

/// A value in one line; secrets are not shown.
fn shown(resource: &Resource, name: &str, value: &Value) -> String {
    if resource.sensitive_parameters.iter().any(|secret| secret == name) {
        return "Sensitive [value redacted]".to_owned();
    }
    let text =
        string::format(value, &Value::from("%p")).unwrap_or_else(|_| string::to_string(value).to_string());
    let text = text.replace('\n', "\\n");
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

struct Writer<'d> {
    out: String,
    directory: &'d str,
    watch: &'d Watch<'d>,
}

impl Writer<'_> {
    fn origin(&mut self, origin: &Origin, indent: &str, name: Option<&str>, depth: usize) {
        let name = name.map(|name| format!("{name}: ")).unwrap_or_default();
        let place = self.place(&origin.location);
        let space = if place.is_empty() { "" } else { "  " };
        let _ = writeln!(self.out, "{indent}{name}{}{space}{place}", description(origin));
        if depth >= MAX_DEPTH || self.watch.check().is_err() {
            return;
        }
        let inner = format!("{indent}  ");
        if origin.merge.is_some() || origin.parts.len() > 1 {
            for part in &origin.parts {
                self.origin(
                    part,
                    &inner,
                    Some(if origin.merge.is_some() { "merged" } else { "with" }),
                    depth + 1,
                );
            }
        }
        for (name, source) in &origin.sources {
            self.origin(source, &inner, Some(name), depth + 1);
        }
    }

    fn link(&mut self, catalog: &Catalog, link: &Link<'_>) {
        let Some(resource) = catalog.resources.get(link.number) else { return };
        if self.watch.check().is_err() {
            return;
        }
        let reference = resource.reference();
        let mut causes = link.known.causes.iter();
        match causes.next() {
            Some(cause) => self.cause(&format!("  {reference}: "), cause),
            None => {
                let _ = writeln!(self.out, "  {reference}");
            }
        }
        for cause in &link.known.realized {
            self.cause("    made real: ", cause);
        }
        for cause in causes {
            self.cause("    also: ", cause);
        }
    }

    fn cause(&mut self, before: &str, cause: &Cause) {
        let detail = cause.detail.as_deref().unwrap_or_default();
        let what = match cause.how {
            How::BuiltIn => "in every catalog".to_owned(),
            How::Main => "the main manifest".to_owned(),
            How::Node => "node definition".to_owned(),
            How::Declaration if detail.is_empty() => "declared".to_owned(),
            How::Declaration => format!("declared by {detail}()"),
            How::Include => "include".to_owned(),
            How::Contain => "contain".to_owned(),
            How::Require => "require".to_owned(),
            How::Inherits => "inherited".to_owned(),
            How::Enc => "given by the classifier".to_owned(),
            How::Exported => format!("exported by {detail}"),
            How::Collector => "collector".to_owned(),
            How::Realize => "realize".to_owned(),
        };
        let by = cause.by.as_deref().map(|by| format!(" in {by}")).unwrap_or_default();
        let by = if cause.how == How::Inherits { by.replacen(" in ", " by ", 1) } else { by };
        let place = self.place(&cause.location);
        let space = if place.is_empty() { "" } else { "  " };
        let _ = writeln!(self.out, "{before}{what}{by}{space}{place}");
    }

    /// `file:line:column`, as far as it is known.
    fn place(&self, location: &Location) -> String {
        let Some(file) = location.file.as_deref().filter(|file| !file.is_empty()) else {
            return location.line.map(|line| format!("line {line}")).unwrap_or_default();
        };
        let directory = self.directory.trim_end_matches('/');
        let inside = file.strip_prefix(directory).and_then(|rest| rest.strip_prefix('/'));
        let mut place = inside.filter(|_| !directory.is_empty()).unwrap_or(file).to_owned();
        for number in [location.line, location.column].into_iter().flatten() {
            let _ = write!(place, ":{number}");
        }
        place
    }
}

/// The description of an origin.
fn description(origin: &Origin) -> String {
    let key = origin.key.as_deref().unwrap_or_default();
    let function = origin.function.as_deref().unwrap_or_default();
    match origin.kind {
        OriginKind::Hiera => {
            let layer = origin.layer.unwrap_or_default();
            let level =
                origin.level.as_deref().map(|level| format!(", level \"{level}\"")).unwrap_or_default();
            match &origin.merge {
                Some(merge) => format!("Hiera key {key}, merge {merge}, first in {layer} layer{level}"),
                None => format!("Hiera key {key}, {layer} layer{level}"),
            }
        }
        OriginKind::Default => "default of the parameter".to_owned(),
        OriginKind::Expression if function.is_empty() => "attribute".to_owned(),
        OriginKind::Expression => format!("{function}()"),
        OriginKind::Splat => "attributes of * => …".to_owned(),
        OriginKind::ResourceDefault => "resource default".to_owned(),
        OriginKind::Override => "override".to_owned(),
        OriginKind::Collector => "override by a collector".to_owned(),
        OriginKind::Enc => format!("classifier, {key}"),
        OriginKind::Title => "the title".to_owned(),
        OriginKind::Container if key.is_empty() => "handed down by the container".to_owned(),
        OriginKind::Container => format!("handed down by {key}"),
        OriginKind::Relationship => "arrow".to_owned(),
        OriginKind::Exported => format!("exported by {key}"),
        OriginKind::Variable => "assignment".to_owned(),
        OriginKind::Fact => "fact".to_owned(),
        OriginKind::Trusted => "trusted data".to_owned(),
        OriginKind::ServerFact => "what the server says".to_owned(),
        OriginKind::LambdaParameter if function.is_empty() => "parameter of a lambda".to_owned(),
        OriginKind::LambdaParameter => format!("parameter of the lambda of {function}()"),
        OriginKind::Argument => format!("argument of {function}()"),
        OriginKind::Function => "function".to_owned(),
    }
}
