//! The origins of a catalog's values and the causes of its resources, if the compilation recorded them.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use serde_json::{Map, Value as Json, json};

use super::Catalog;
use crate::eval::{Origin, OriginKind};
use bunraku_pcore::value::Str;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::source::Location;
use bunraku_syntax::watch::Watch;

/// The maximum depth of origins of origins; assignments in loops can make long chains.
const MAX_DEPTH: usize = 12;

/// The recorded data of a catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// By the number of the resource in the catalog.
    pub resources: Vec<ResourceProvenance>,
}

/// The recorded data of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceProvenance {
    /// The causes that added it: the first one did, the others would have.
    pub causes: Vec<Cause>,
    /// The causes that realized it, if it was declared virtual.
    pub realized: Vec<Cause>,
    /// The origins of its parameters.
    pub parameters: IndexMap<Str, Arc<Origin>>,
}

/// Something that brings a resource into a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The kind.
    pub how: How,
    /// The place.
    pub location: Location,
    /// The resource whose body contains it, or the inheriting class.
    pub by: Option<Str>,
    /// The function that declares; the node that exports.
    pub detail: Option<Str>,
}

/// The kinds of causes that add a resource to a catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum How {
    /// Every catalog has it.
    BuiltIn,
    /// The main manifest.
    Main,
    /// The node definition that fits.
    Node,
    /// A resource expression, or a function that declares resources.
    Declaration,
    /// `include`, and functions like it.
    Include,
    /// `contain`
    Contain,
    /// `require`
    Require,
    /// A class that inherits from it.
    Inherits,
    /// The classifier.
    Enc,
    /// Another node exports it.
    Exported,
    /// A collector makes it real.
    Collector,
    /// `realize`
    Realize,
}

impl How {
    /// The word in data.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BuiltIn => "built_in",
            Self::Main => "main",
            Self::Node => "node",
            Self::Declaration => "declaration",
            Self::Include => "include",
            Self::Contain => "contain",
            Self::Require => "require",
            Self::Inherits => "inherits",
            Self::Enc => "enc",
            Self::Exported => "exported",
            Self::Collector => "collector",
            Self::Realize => "realize",
        }
    }
}

/// A link of the chain that brought a resource in.
#[derive(Clone, Copy, Debug)]
pub struct Link<'c> {
    /// The number of the resource in the catalog.
    pub number: usize,
    /// The recorded data.
    pub known: &'c ResourceProvenance,
}

impl Catalog {
    /// The recorded data of a resource; `None` if the catalog does not contain it or nothing was recorded.
    pub fn provenance_of(&self, reference: &str) -> Option<&ResourceProvenance> {
        self.provenance.as_ref()?.resources.get(self.number_of(reference)?)
    }

    /// The chain of declarations and inclusions that brought a resource in, beginning with the resource
    /// itself.
    pub fn why(&self, reference: &str) -> Vec<Link<'_>> {
        let mut chain: Vec<Link<'_>> = Vec::new();
        let Some(provenance) = &self.provenance else { return chain };
        let mut next = self.number_of(reference);
        let mut passed = FxHashSet::default();
        while let Some(number) = next.filter(|number| passed.insert(*number)) {
            let Some(known) = provenance.resources.get(number) else { break };
            chain.push(Link { number, known });
            next = known.causes.first().and_then(|cause| self.number_of(cause.by.as_deref()?));
        }
        chain
    }

    /// The origins of a resource's parameters as data: an object of names to objects with `kind`, and as
    /// known `layer`, `key`, `level`, `function`, `file`, `line`, `column`, `merge`, `parts` (of merged data,
    /// or what `+>` has put together), `sources` (what the variables and calls of the expression go back to,
    /// each with its `name`).
    ///
    /// # Errors
    /// The watch ended the work: origins of origins can be very many.
    pub fn provenance_to_json(&self, reference: &str, watch: &Watch<'_>) -> Result<Option<Json>, Error> {
        let Some(known) = self.provenance_of(reference) else { return Ok(None) };
        let told = |(name, origin): (&Str, &Arc<Origin>)| {
            (name.to_string(), Json::Object(members_of(origin, 0, watch)))
        };
        let members = known.parameters.iter().map(told).collect();
        watch.result().map(|()| Some(Json::Object(members)))
    }

    /// The answer of [`why`](Self::why) as data: a list of objects with `resource`, `how`, `by`, `file`,
    /// `line`, `column`, and in `also` and `realized` the other causes, each as known. None when the resource
    /// is not in the catalog or nothing was recorded.
    ///
    /// # Errors
    /// The watch ended the work.
    pub fn why_to_json(&self, reference: &str, watch: &Watch<'_>) -> Result<Option<Json>, Error> {
        let chain = self.why(reference);
        if chain.is_empty() {
            return Ok(None);
        }
        let link = |link: &Link<'_>| {
            watch.check().ok()?;
            let resource = self.resources.get(link.number)?;
            let mut members = Map::new();
            members.insert("resource".into(), Json::from(resource.reference()));
            let mut causes = link.known.causes.iter().map(cause_to_json);
            members.extend(causes.next().unwrap_or_default());
            let lists = [
                ("also", causes.collect()),
                ("realized", link.known.realized.iter().map(cause_to_json).collect()),
            ];
            for (key, list) in lists {
                let list: Vec<Map<String, Json>> = list;
                if !list.is_empty() {
                    members.insert(key.into(), list.into_iter().map(Json::Object).collect());
                }
            }
            Some(Json::Object(members))
        };
        let told = chain.iter().filter_map(link).collect();
        watch.result().map(|()| Some(told))
    }
}

fn cause_to_json(cause: &Cause) -> Map<String, Json> {
    let mut members = Map::new();
    members.insert("how".into(), Json::from(cause.how.name()));
    let texts =
        [("by", &cause.by), (if cause.how == How::Exported { "node" } else { "function" }, &cause.detail)];
    for (key, text) in texts {
        if let Some(text) = text {
            members.insert(key.into(), Json::from(text.as_str()));
        }
    }
    add_location(&mut members, &cause.location);
    members
}

/// The members of an origin; incomplete if the watch has cancelled the work.
fn members_of(origin: &Origin, depth: usize, watch: &Watch<'_>) -> Map<String, Json> {
    let mut members = Map::new();
    members.insert("kind".into(), Json::from(origin.kind.name()));
    let key = match origin.kind {
        OriginKind::Exported => "node",
        OriginKind::Container => "resource",
        _ => "key",
    };
    let texts = [
        ("layer", origin.layer),
        (key, origin.key.as_deref()),
        ("level", origin.level.as_deref()),
        ("function", origin.function.as_deref()),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            members.insert(key.into(), Json::from(text));
        }
    }
    add_location(&mut members, &origin.location);
    if let Some(merge) = &origin.merge {
        members.insert("merge".into(), Json::from(merge.as_str()));
    }
    if depth >= MAX_DEPTH || watch.check().is_err() {
        return members;
    }
    if !origin.parts.is_empty() {
        let part = |part: &Arc<Origin>| Json::Object(members_of(part, depth + 1, watch));
        members.insert("parts".into(), origin.parts.iter().map(part).collect());
    }
    if !origin.sources.is_empty() {
        let source = |(name, source): &(Str, Arc<Origin>)| {
            let mut named = Map::new();
            named.insert("name".into(), Json::from(name.as_str()));
            named.extend(members_of(source, depth + 1, watch));
            Json::Object(named)
        };
        members.insert("sources".into(), origin.sources.iter().map(source).collect());
    }
    members
}

fn add_location(members: &mut Map<String, Json>, location: &Location) {
    let place = json!({ "file": location.file.as_deref(), "line": location.line, "column": location.column });
    if let Json::Object(place) = place {
        members.extend(place.into_iter().filter(|(_, value)| !value.is_null() && value != ""));
    }
}
