//! How many definitions survive damage: each manifest is parsed with one of its tokens removed, or written
//! twice, and its classes, defined types, functions, plans, nodes and types are looked for in the result.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::Arc;

use bunraku::source::Source;
use bunraku::syntax::ast::{Kind, Node, Program};
use bunraku::syntax::tokens::{StretchKind, Tokens};
use bunraku::syntax::{ParseOptions, Recovered, parse, parse_recovering};

use crate::manifests::Manifest;
use crate::workers;

/// What is done to a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Damage {
    /// It is removed.
    Removed,
    /// It is written twice.
    Doubled,
}

/// The number of damaged texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// All of them.
    pub texts: usize,
    /// Those with all definitions.
    pub kept: usize,
    /// Those with all definitions, each with all parameters.
    pub whole: usize,
}

impl Count {
    /// Texts with all definitions, in percent.
    pub fn percent(&self) -> f64 {
        100.0 * self.kept as f64 / self.texts.max(1) as f64
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.texts += other.texts;
        self.kept += other.kept;
        self.whole += other.whole;
    }
}

/// The results of all manifests.
#[derive(Debug, Default)]
pub struct Measure {
    /// Counts by damage and kind of token.
    pub counts: BTreeMap<(Damage, &'static str), Count>,
    /// Damaged texts without one of their definitions, or one of the parameters.
    pub lost: Vec<String>,
    /// Damaged texts whose first error is not that of the ordinary parser.
    pub other_errors: Vec<String>,
}

impl Measure {
    /// The counts of all damaged texts.
    pub fn total(&self) -> Count {
        let mut total = Count::default();
        self.counts.values().for_each(|&count| total += count);
        total
    }

    fn add(&mut self, other: Self) {
        for (key, count) in other.counts {
            *self.counts.entry(key).or_default() += count;
        }
        self.lost.extend(other.lost);
        self.other_errors.extend(other.other_errors);
    }
}

/// Damages at most `places` tokens of each manifest, spread evenly over it. Manifests with errors, without
/// definitions, and templates are left out.
pub fn measure(manifests: &[Manifest], places: usize) -> Measure {
    let results = workers::run_all(manifests, |manifest| measure_one(manifest, places));
    let mut measure = Measure::default();
    for (manifest, result) in manifests.iter().zip(results) {
        match result {
            Ok(one) => measure.add(one),
            Err(panic) => measure.other_errors.push(format!("{}: {panic}", manifest.path.display())),
        }
    }
    measure
}

/// A definition, as it is recognized: kind, name and parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Definition {
    kind: Kind,
    name: String,
    parameters: Vec<String>,
}

fn measure_one(manifest: &Manifest, places: usize) -> Measure {
    let mut measure = Measure::default();
    let tasks = manifest.path.iter().any(|part| part == "plans");
    let options = ParseOptions { tasks, ..ParseOptions::default() };
    let source = |text: &str| Arc::new(Source::new(None, text));
    let Ok(sound) = parse(source(&manifest.text), &options) else { return measure };
    let wanted = definitions(&sound);
    if wanted.is_empty() || manifest.epp {
        return measure;
    }
    let tokens = Tokens::new(source(&manifest.text), &options);
    let tokens: Vec<_> = tokens
        .stretches()
        .iter()
        .filter_map(|stretch| match stretch.kind {
            StretchKind::Token(kind) => Some((kind, stretch.span)),
            _ => None,
        })
        .collect();
    let step = (tokens.len() / places.max(1)).max(1);
    for &(kind, span) in tokens.iter().skip(step / 2).step_by(step) {
        let (start, end) = (span.start as usize, span.end as usize);
        let [before, token, behind] =
            [&manifest.text[..start], &manifest.text[start..end], &manifest.text[end..]];
        let removed = format!("{before}{behind}");
        let doubled = format!("{before}{token} {token}{behind}");
        for (damage, text) in [(Damage::Removed, removed), (Damage::Doubled, doubled)] {
            let Recovered { program, errors } = parse_recovering(source(&text), &options);
            let place = || {
                let line = before.matches('\n').count() + 1;
                format!("{}:{line}: {token:?} {damage:?}", manifest.path.display())
            };
            if errors.first() != parse(source(&text), &options).err().as_ref() {
                measure.other_errors.push(place());
            }
            let found = definitions(&program);
            let is_kept = wanted.iter().all(|one| found.iter().any(|other| one.is_named_as(other)));
            let is_whole = wanted.iter().all(|one| found.contains(one));
            if !is_whole {
                let what = if is_kept { "a parameter" } else { "a definition" };
                measure.lost.push(format!("{} loses {what}", place()));
            }
            let count = Count { texts: 1, kept: is_kept.into(), whole: is_whole.into() };
            *measure.counts.entry((damage, kind.name())).or_default() += count;
        }
    }
    measure
}

impl Definition {
    fn is_named_as(&self, other: &Self) -> bool {
        self.kind == other.kind && self.name == other.name
    }
}

fn definitions(program: &Program) -> Vec<Definition> {
    let text = |text| program.text(text).to_owned();
    let definition = |id: &_| {
        let node = program.node(*id);
        let (name, parameters) = match *node {
            Node::HostClassDefinition { name, parameters, .. }
            | Node::ResourceTypeDefinition { name, parameters, .. }
            | Node::FunctionDefinition { name, parameters, .. }
            | Node::PlanDefinition { name, parameters, .. } => (text(name), program.list(parameters)),
            Node::TypeAlias { name, .. } | Node::TypeDefinition { name, .. } => (text(name), [].as_slice()),
            Node::NodeDefinition { host_matches, .. } => {
                let hosts = program.list(host_matches).iter();
                let hosts = hosts.map(|&host| program.source().slice(program.span(host)));
                (hosts.collect::<Vec<_>>().join(","), [].as_slice())
            }
            _ => (String::new(), [].as_slice()),
        };
        let parameters = parameters.iter().filter_map(|&parameter| match *program.node(parameter) {
            Node::Parameter { name, .. } => Some(text(name)),
            _ => None,
        });
        Definition { kind: node.kind(), name, parameters: parameters.collect() }
    };
    program.definitions().iter().map(definition).collect()
}
