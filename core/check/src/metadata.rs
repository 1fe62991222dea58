//! Modules as wholes: the modules that they use, and what their `metadata.json` and `.fixtures.yml` say of
//! these.

use std::cell::OnceCell;

use bunraku_engine::loader::Module;
use bunraku_host::{self as host, FILE_SIZE, Reading};
use bunraku_index::{FileIndex, Kind, Role, Usage, files_below};
use bunraku_pcore::formats::yaml;
use bunraku_pcore::types::VersionRange;
use bunraku_pcore::value::{Hash, Value};
use bunraku_syntax::source::{Source, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value as Json;

use super::codes::Code;
use super::finding::{Finding, Place, Severity};
use super::released;
use super::unused::add_words;
use super::world::World;

/// Reports dependencies that metadata lack, and those that are of no use or too old.
pub(crate) fn check(world: &World<'_>, findings: &mut Vec<Finding>) {
    undeclared(world, findings);
    let files = world.index.files().iter().filter(|file| file.role == Role::Metadata);
    for file in files {
        let module = file.module.as_deref().and_then(|name| world.environment.find_module(name));
        let Some(module) = module.filter(|module| module.has_metadata) else { continue };
        let Ok(document) = serde_json::from_str::<Json>(file.source.text()) else { continue };
        let metadata = Metadata { world, file, module, document, words: OnceCell::new() };
        metadata.unused(findings);
        metadata.outdated(findings);
        fixtures(world, module, findings);
    }
}

/// Modules that files use and metadata do not name.
fn undeclared(world: &World<'_>, findings: &mut Vec<Finding>) {
    let mut used: Vec<_> =
        world.dependencies.borrow().iter().map(|(key, place)| (key.clone(), place.clone())).collect();
    used.sort_by(|one, other| one.0.cmp(&other.0));
    for ((own, module), place) in used {
        let Some(of) = world.environment.find_module(&own).filter(|of| of.has_metadata) else { continue };
        if named_in(of).any(|name| name == module) || !world.has_module(&module) {
            continue;
        }
        let message = format!("the module '{own}' uses '{module}', which its metadata.json does not name");
        findings.push(Finding::new(Code::UndeclaredDependency, Severity::Warning, place, message));
    }
}

/// The names of the modules that a module asks for, without their authors.
fn named_in(module: &Module) -> impl Iterator<Item = &str> {
    module.dependencies.iter().filter_map(|one| one.name.rsplit('/').next())
}

/// A module with its metadata.
struct Metadata<'m, 'w> {
    world: &'m World<'w>,
    file: &'w FileIndex,
    module: &'w Module,
    document: Json,
    /// The words of its files.
    words: OnceCell<FxHashSet<String>>,
}

impl Metadata<'_, '_> {
    /// Dependencies whose names, and those of what they define, stand nowhere in the module's files.
    fn unused(&self, findings: &mut Vec<Finding>) {
        for dependency in &self.module.dependencies {
            let name = dependency.name.rsplit('/').next().unwrap_or_default();
            if name == self.module.name || !self.world.has_module(name) || self.uses(name) {
                continue;
            }
            let message = format!("nothing in the module '{}' uses the module '{name}'", self.module.name);
            let place = self.place_of(&dependency.name);
            findings.push(Finding::new(Code::UnusedDependency, Severity::Warning, place, message));
        }
    }

    fn uses(&self, name: &str) -> bool {
        let words = self.words.get_or_init(|| self.words());
        if words.contains(name) {
            return true;
        }
        let files = self.world.index.files().iter().filter(|file| file.module.as_deref() == Some(name));
        let mut definitions = files.flat_map(|file| &file.definitions);
        let is_named = definitions.any(|one| {
            let is_wanted = matches!(one.kind, Kind::Function | Kind::ResourceType | Kind::Fact);
            is_wanted && words.contains(&one.name.to_lowercase())
        });
        is_named || self.providers(name).iter().any(|provider| words.contains(provider))
    }

    /// The names of a module's providers.
    fn providers(&self, name: &str) -> Vec<String> {
        let Some(module) = self.world.environment.find_module(name) else { return Vec::new() };
        let files = files_below(&*self.world.environment.host, &module.file("lib/puppet/provider"), ".rb");
        let stem = |path: &String| Some(path.rsplit('/').next()?.strip_suffix(".rb")?.to_lowercase());
        files.iter().filter_map(stem).collect()
    }

    /// The words of the files where a module may name another one, all but its metadata, in lower case.
    fn words(&self) -> FxHashSet<String> {
        let (world, host) = (self.world, &*self.world.environment.host);
        let own = world.index.files().iter().filter(|file| file.module == self.file.module);
        let own = own.filter(|file| file.role != Role::Metadata);
        let mut words = FxHashSet::default();
        own.for_each(|file| add_words(file.source.text(), &mut words));
        for path in files_below(host, &self.module.file("lib"), ".rb") {
            if let Ok(bytes) = host::read(host, &path, &Reading::of_size(FILE_SIZE)) {
                add_words(&String::from_utf8_lossy(&bytes), &mut words);
            }
        }
        let templates = world.loose.of_templates(world.environment, &self.module.name);
        words.iter().chain(templates.iter()).map(|word| word.to_lowercase()).collect()
    }

    /// The place of a dependency's name.
    fn place_of(&self, name: &str) -> Place {
        let text = self.file.source.text();
        let quoted = |name: &str| text.find(&format!("\"{name}\"")).map(|at| (at + 1, name.len()));
        let found = quoted(name).or_else(|| quoted(&name.replacen('/', "-", 1)));
        let (at, length) = found.unwrap_or_default();
        Place::of(&self.file.source, Span::new(at as u32, (at + length) as u32))
    }

    /// The versions that the metadata allow, of Puppet or of a module.
    fn allowed(&self, of: &str) -> Option<VersionRange> {
        let list = if of == "puppet" { "requirements" } else { "dependencies" };
        let is_it = |one: &&Json| {
            let name = one.get("name").and_then(Json::as_str).unwrap_or_default();
            name.rsplit(['/', '-']).next() == Some(of)
        };
        let entry = self.document.get(list)?.as_array()?.iter().find(is_it)?;
        VersionRange::parse(entry.get("version_requirement")?.as_str()?).ok()
    }

    /// Functions and data types that some of the allowed versions do not have.
    fn outdated(&self, findings: &mut Vec<Finding>) {
        let ranges: Vec<(&str, VersionRange)> =
            ["puppet", "stdlib"].iter().filter_map(|of| Some((*of, self.allowed(of)?))).collect();
        let mut told: FxHashSet<(&str, &str)> = FxHashSet::default();
        let own = self.world.index.files().iter().filter(|file| file.module == self.file.module);
        for (file, one) in own.flat_map(|file| file.uses.iter().map(move |one| (file, one))) {
            let kind = match (one.kind, one.usage) {
                (Kind::Function, Usage::Call) => "function",
                (Kind::Type, Usage::Refer) => "type",
                _ => continue,
            };
            if !told.insert((kind, &one.name)) || self.is_of_another(one.kind, &one.name) {
                continue;
            }
            let Some(versions) = lacking(&ranges, kind, &one.name) else { continue };
            let (what, shown) = match kind {
                "type" => ("data type", bunraku_pcore::types::format::capitalize_segments(&one.name)),
                _ => (kind, one.name.clone()),
            };
            let message = format!("metadata.json allows {versions}, without the {what} '{shown}'");
            let place = Place::of(&file.source, one.span);
            findings.push(Finding::new(Code::OutdatedDependency, Severity::Warning, place, message));
        }
    }

    /// Whether a name is neither Puppet's nor the standard library's here.
    fn is_of_another(&self, kind: Kind, name: &str) -> bool {
        let mut files = self.world.index.definitions(kind, name).map(|place| place.file.module.as_deref());
        files.any(|module| module != Some("stdlib"))
    }
}

/// The allowed versions of Puppet and of modules that lack a name which others of their versions have; `None`
/// if all allowed versions of one of them have it.
fn lacking(ranges: &[(&'static str, VersionRange)], kind: &str, name: &str) -> Option<String> {
    let knows = |of: &str| released::of(of).is_some_and(|releases| releases.know(kind, name));
    if !ranges.iter().any(|(of, _)| *of == "puppet") && knows("puppet") {
        return None;
    }
    let mut found = Vec::new();
    for (of, range) in ranges.iter().filter(|(of, _)| knows(of)) {
        let version = released::of(of)?.without(kind, name, range)?;
        let of = if *of == "puppet" { "Puppet" } else { of };
        found.push(format!("{of} {version}"));
    }
    (!found.is_empty()).then(|| found.join(" with "))
}

/// Dependencies that `.fixtures.yml` does not bring.
fn fixtures(world: &World<'_>, module: &Module, findings: &mut Vec<Finding>) {
    let path = module.file(".fixtures.yml");
    let Ok(bytes) = host::read(&*world.environment.host, &path, &Reading::of_size(FILE_SIZE)) else { return };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let document = yaml::parse(&text, Some(&path));
    let source = Source::new(Some(path.as_str()), text);
    let place = |span: Span| Place::of(&source, span);
    let document = match document {
        Ok(document) => document,
        Err(message) => {
            let finding =
                Finding::new(Code::MissingFixture, Severity::Warning, place(Span::new(0, 0)), message);
            return findings.push(finding);
        }
    };
    let Some(brought) = fixtures_of(&document) else { return };
    let used = world.dependencies.borrow();
    let used = used
        .keys()
        .filter(|(own, name)| *own == module.name && world.has_module(name))
        .map(|(_, name)| name.clone());
    let mut wanted: FxHashMap<String, &str> = used.map(|name| (name, "uses")).collect();
    wanted.extend(named_in(module).map(|name| (name.to_owned(), "depends on")));
    let mut wanted: Vec<_> = wanted.into_iter().filter(|(name, _)| !brought.contains(name)).collect();
    wanted.sort_unstable();
    let at = source.text().find("fixtures:").unwrap_or_default() as u32;
    for (name, verb) in wanted {
        let message = format!("the module '{}' {verb} '{name}', which no fixture brings", module.name);
        let place = place(Span::new(at, at + "fixtures".len() as u32));
        findings.push(Finding::new(Code::MissingFixture, Severity::Warning, place, message));
    }
}

/// The names of the modules that fixtures bring; `None` if there is no list of them.
fn fixtures_of(document: &Value) -> Option<FxHashSet<String>> {
    let member = |hash: &Hash, name: &str| match hash.get(&Value::from(name)) {
        Some(Value::Hash(hash)) => Some(Hash::clone(hash)),
        _ => None,
    };
    let Value::Hash(document) = document else { return None };
    let fixtures = member(document, "fixtures")?;
    let mut names = FxHashSet::default();
    for kind in ["repositories", "forge_modules", "symlinks"] {
        let Some(entries) = member(&fixtures, kind) else { continue };
        names.extend(entries.keys().filter_map(Value::as_str).map(str::to_owned));
        // What an entry brings may have another name than the entry.
        let texts = entries.values().filter_map(Value::as_str);
        names.extend(texts.filter_map(|text| text.rsplit(['/', '-']).next()).map(str::to_owned));
    }
    (!names.is_empty()).then_some(names)
}
