//! Hiera's hierarchies and data: keys, and values against the types of their parameters.
//!
//! Paths of a hierarchy are not enumerated: their interpolations can have any value, so a path is a pattern
//! of files.

use std::sync::Arc;

use bunraku_engine::compiler::{Compilation, NodeInput};
use bunraku_engine::eval::Limits;
use bunraku_engine::eval::context::LookupRequest;
use bunraku_engine::loader::{Check, Environment, join_path};
use bunraku_host::{self as host, FILE_SIZE, HostError, Reading, glob};
use bunraku_index::{Kind, Usage, data_keys, files_below};
use bunraku_pcore::formats::yaml;
use bunraku_pcore::types::{Type, TypeKind, mismatch};
use bunraku_pcore::value::{Hash, RegexpValue, Value};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::names::split_last;
use bunraku_syntax::source::{Source, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::codes::Code;
use super::encrypted::{self, Keys};
use super::finding::{Finding, Place, Severity};
use super::interpolations;
use super::overlap::overlap;
use super::suggest::{nearest, slip};
use super::world::World;

/// The data of an environment.
#[derive(Debug, Default)]
pub(crate) struct DataKeys {
    keys: FxHashSet<String>,
    /// Whether there are backends with unknown keys.
    is_open: bool,
    /// Whether a level of a hierarchy has its files in a directory that is not here.
    is_partial: bool,
    /// Whether the environment's or the global layer has a hierarchy.
    has_hierarchy: bool,
    files: Vec<Arc<DataFile>>,
    /// Files that were read before and have not changed, by path.
    known: FxHashMap<String, Arc<DataFile>>,
    /// The paths that were read: as data of a hierarchy, and only for their keys.
    read: FxHashSet<String>,
    noted: FxHashSet<String>,
    options: Vec<(Pattern, Options)>,
    /// Files of levels that decrypt values, with their keys where these are here.
    decrypted: FxHashMap<String, Option<Arc<Keys>>>,
    /// Paths of hierarchies that match no file: the configuration, and the path as written.
    unmatched: Vec<(Arc<Source>, String)>,
}

#[derive(Debug)]
struct DataFile {
    source: Arc<Source>,
    data: Result<Hash, String>,
}

impl DataFile {
    fn read(host: &dyn bunraku_host::Host, path: &str) -> Option<Self> {
        let text = read_text(host, path)?;
        let data = match path.rsplit('.').next() {
            Some("json" | "conf") => match serde_json::from_str::<serde_json::Value>(&text) {
                Ok(json) => Ok(Value::from(&json)),
                Err(_) if path.ends_with(".conf") => Ok(Value::Undef),
                Err(wrong) => Err(wrong.to_string()),
            },
            _ => yaml::parse(&text, Some(path)),
        };
        let data = data.map(|data| match data {
            Value::Hash(hash) => Hash::clone(&hash),
            _ => Hash::default(),
        });
        Some(Self { source: Arc::new(Source::new(Some(path), text)), data })
    }
}

/// Which keys options are for.
#[derive(Debug)]
enum Pattern {
    Key(String),
    Matching(Arc<RegexpValue>),
}

#[derive(Clone, Copy, Debug, Default)]
struct Options {
    merges: bool,
    converts: bool,
}

/// Functions that give the data of files.
const READERS: &[&str] = &["yaml_data", "json_data", "hocon_data", "eyaml_lookup_key"];

impl DataKeys {
    pub fn of(environment: &Environment) -> Self {
        Self::default().renewed(environment, &[])
    }

    /// Reads the data again, of which only some files have changed.
    pub fn renewed(self, environment: &Environment, changed: &[&str]) -> Self {
        let of_path = |file: Arc<DataFile>| Some((file.source.path()?.to_string(), file));
        let mut known: FxHashMap<String, _> = self.files.into_iter().filter_map(of_path).collect();
        changed.iter().for_each(|path| drop(known.remove(*path)));
        let mut all = Self { known, ..Self::default() };
        let global =
            environment.global_hiera.as_deref().and_then(|path| Some((path, path.rsplit_once('/')?.0)));
        if let Some((path, root)) = global {
            all.hierarchy(environment, path, root);
        }
        let own = environment.directory.iter().map(String::as_str);
        for root in own.chain(environment.modules().iter().map(|module| module.path.as_str())) {
            all.hierarchy(environment, &join_path(root, "hiera.yaml"), root);
        }
        let own = environment.directory.as_deref().map(|own| join_path(own, "hiera.yaml"));
        let is_there = |path: &str| environment.host.info(path).is_some();
        all.has_hierarchy =
            global.is_some_and(|(path, _)| is_there(path)) || own.is_some_and(|own| is_there(&own));
        if environment.data_provider.as_deref().is_some_and(|provider| provider == "function") {
            all.is_open = true;
        }
        all.known.clear();
        all
    }

    /// Whether the data of nodes is here: that of the environment or of the global layer.
    pub const fn is_here(&self) -> bool {
        self.has_hierarchy
    }

    /// Whether data may have a value for a parameter of a class.
    pub fn may_have(&self, class: &str, parameter: &str) -> bool {
        self.is_open || self.keys.contains(&format!("{class}::{parameter}"))
    }

    /// How bad it is that no level has a key, and the key that was meant; nothing where a level may have it.
    ///
    /// Where a level's keys are not known, or its data is kept elsewhere, only keys that resemble others are
    /// missing for sure.
    pub fn missing(&self, key: &str) -> Option<(Severity, Option<String>)> {
        if !self.has_hierarchy || self.keys.contains(key) {
            return None;
        }
        let keys = || self.keys.iter().map(String::as_str);
        let near = if self.is_open { slip(key, keys()) } else { nearest(key, keys()) };
        let severity = match near {
            None if self.is_open => return None,
            None if self.is_partial => Severity::Note,
            _ => Severity::Warning,
        };
        Some((severity, near.map(str::to_owned)))
    }

    fn hierarchy(&mut self, environment: &Environment, path: &str, root: &str) {
        let host = &*environment.host;
        let Some(text) = read_text(host, path) else {
            // Without a configuration the data is in `data/common.yaml`.
            if host.info(&join_path(root, "data/common.yaml")).is_some() {
                self.file(host, &join_path(root, "data/common.yaml"));
            }
            return;
        };
        let Ok(Value::Hash(configuration)) = yaml::parse(&text, Some(path)) else { return };
        let get = |hash: &Hash, name: &str| hash.get(&Value::from(name)).cloned();
        if !matches!(get(&configuration, "version"), Some(Value::Integer(5))) {
            self.is_open = true;
            return;
        }
        let source = Arc::new(Source::new(Some(path), text));
        let defaults = match get(&configuration, "defaults") {
            Some(Value::Hash(defaults)) => Hash::clone(&defaults),
            _ => Hash::default(),
        };
        for part in ["hierarchy", "default_hierarchy"] {
            let Some(Value::Array(entries)) = get(&configuration, part) else { continue };
            for entry in entries.iter() {
                if let Value::Hash(entry) = entry {
                    self.entry(host, (&source, root), entry, &defaults);
                }
            }
        }
        if get(&configuration, "hierarchy").is_none()
            && host.info(&join_path(root, "data/common.yaml")).is_some()
        {
            self.file(host, &join_path(root, "data/common.yaml"));
        }
    }

    fn entry(
        &mut self,
        host: &dyn bunraku_host::Host,
        (configuration, root): (&Arc<Source>, &str),
        entry: &Hash,
        defaults: &Hash,
    ) {
        let get = |name: &str| entry.get(&Value::from(name)).cloned();
        let functions = ["data_hash", "lookup_key", "data_dig", "hiera3_backend"];
        let own = functions.iter().find_map(|name| get(name));
        let function =
            own.or_else(|| functions.iter().find_map(|name| defaults.get(&Value::from(*name)).cloned()));
        let function = function.as_ref().and_then(Value::as_str).unwrap_or("yaml_data").to_owned();
        if !READERS.contains(&function.as_str()) {
            self.is_open = true;
            return;
        }
        let datadir = get("datadir").or_else(|| defaults.get(&Value::from("datadir")).cloned());
        let datadir = datadir.as_ref().and_then(Value::as_str).unwrap_or("data").to_owned();
        let directory = if datadir.starts_with('/') { datadir } else { join_path(root, &datadir) };
        let keys = (function == "eyaml_lookup_key").then(|| {
            let options = get("options").or_else(|| defaults.get(&Value::from("options")).cloned());
            Keys::of(host, options.as_ref()).map(Arc::new)
        });
        let mut paths = Vec::new();
        let mut add = |value: &Value| paths.extend(value.as_str().map(str::to_owned));
        for name in ["path", "glob"] {
            get(name).iter().for_each(&mut add);
        }
        for name in ["paths", "globs"] {
            if let Some(Value::Array(list)) = get(name) {
                list.iter().for_each(&mut add);
            }
        }
        if let Some(Value::Array(mapped)) = get("mapped_paths") {
            mapped.get(2).into_iter().for_each(&mut add);
        }
        for path in paths {
            let mut files = glob(host, &pattern_of(&join_path(&directory, &path)));
            files.retain(|file| host.info(file).is_some_and(|info| !info.is_directory));
            files.iter().for_each(|file| self.file(host, file));
            if let Some(keys) = &keys {
                self.decrypted.extend(files.iter().map(|file| (file.clone(), keys.clone())));
            }
            if files.is_empty() {
                self.unmatched.push((Arc::clone(configuration), path.clone()));
                let whole = join_path(&directory, &path);
                let fixed = whole.split(['%', '*', '?', '[', '{']).next().unwrap_or_default();
                let directory = fixed.rsplit_once('/').map_or("", |(directory, _)| directory);
                self.is_partial |= host.info(directory).is_none();
            }
            // Interpolated values may have directories in them; their files have keys all the same.
            if path.contains("%{") {
                let fixed = directory.split("%{").next().unwrap_or_default().trim_end_matches('/');
                if !self.noted.insert(fixed.to_owned()) {
                    continue;
                }
                for ending in [".yaml", ".yml", ".json", ".eyaml"] {
                    for file in files_below(host, fixed, ending) {
                        self.note_keys(host, &file);
                    }
                }
            }
        }
    }

    /// Notes the keys of a file that may be one of the hierarchy.
    fn note_keys(&mut self, host: &dyn bunraku_host::Host, path: &str) {
        if self.read.contains(path) || !self.noted.insert(path.to_owned()) {
            return;
        }
        if let Some(text) = read_text(host, path) {
            self.keys.extend(data_keys(&text, path).into_iter().map(|(name, _)| name));
        }
    }

    fn file(&mut self, host: &dyn bunraku_host::Host, path: &str) {
        if !self.read.insert(path.to_owned()) {
            return;
        }
        let known = self.known.remove(path).or_else(|| DataFile::read(host, path).map(Arc::new));
        let Some(file) = known else { return };
        if let Ok(data) = &file.data {
            self.keys.extend(data.keys().filter_map(Value::as_str).map(str::to_owned));
            if let Some(Value::Hash(options)) = data.get(&Value::from("lookup_options")) {
                self.options.extend(options.iter().filter_map(|(key, value)| options_of(key, value)));
            }
        }
        self.files.push(file);
    }

    /// The options of a key, combined from all levels.
    fn options(&self, key: &str) -> Options {
        let fuel = bunraku_pcore::fuel::BoundedFuel::default();
        let is_for = |pattern: &Pattern| match pattern {
            Pattern::Key(name) => name == key,
            Pattern::Matching(regexp) => {
                regexp.regex(&fuel).and_then(|regex| regex.is_match(key, &fuel)).unwrap_or(true)
            }
        };
        self.options.iter().filter(|(pattern, _)| is_for(pattern)).fold(
            Options::default(),
            |all, (_, one)| Options {
                merges: all.merges || one.merges,
                converts: all.converts || one.converts,
            },
        )
    }
}

fn options_of(key: &Value, value: &Value) -> Option<(Pattern, Options)> {
    let name = key.as_str()?;
    let Value::Hash(options) = value else { return None };
    let has = |name: &str| options.get(&Value::from(name)).is_some_and(|value| !value.is_undef());
    let is_first = options.get(&Value::from("merge")).and_then(Value::as_str) == Some("first");
    let pattern = match name.starts_with('^') {
        true => Pattern::Matching(Arc::new(RegexpValue::new(name))),
        false => Pattern::Key(name.to_owned()),
    };
    Some((pattern, Options { merges: has("merge") && !is_first, converts: has("convert_to") }))
}

fn read_text(host: &dyn bunraku_host::Host, path: &str) -> Option<String> {
    match host::read(host, path, &Reading::of_size(FILE_SIZE)) {
        Ok(bytes) => String::from_utf8(bytes).ok(),
        Err(HostError::NotFound(_) | _) => None,
    }
}

/// The files that a path may mean, as a pattern.
fn pattern_of(path: &str) -> String {
    let mut pattern = String::new();
    let mut rest = path;
    while let Some((before, behind)) = rest.split_once("%{") {
        pattern.push_str(before);
        pattern.push('*');
        rest = behind.split_once('}').map_or("", |(_, rest)| rest);
    }
    pattern.push_str(rest);
    pattern
}

/// Reports mistakes in hierarchies and data.
pub(crate) fn check(
    world: &World<'_>,
    is_wanted: &dyn Fn(Option<&str>) -> bool,
    findings: &mut Vec<Finding>,
    ends: Check<'_>,
) -> Result<(), Error> {
    hierarchies(world, is_wanted, findings);
    missing_files(world, is_wanted, findings);
    for file in interpolations::configurations(world).filter(|file| is_wanted(file.path.as_deref())) {
        findings.extend(interpolations::of_configuration(world, &file.source));
    }
    let path_of = |file: &DataFile| file.source.path().cloned();
    let files = world.summary.data.files.iter();
    let files: Vec<_> = files.filter(|file| is_wanted(path_of(file).as_deref())).collect();
    if files.is_empty() {
        return Ok(());
    }
    let looked_up: FxHashSet<&str> = world
        .index
        .uses()
        .filter(|place| place.item.kind == Kind::DataKey && place.item.usage == Usage::Lookup)
        .map(|place| place.item.name.as_str())
        .collect();
    for file in files {
        ends.check()?;
        check_file(world, file, &looked_up, findings);
    }
    Ok(())
}

fn check_file(world: &World<'_>, file: &DataFile, looked_up: &FxHashSet<&str>, findings: &mut Vec<Finding>) {
    let data = match &file.data {
        Ok(data) => data,
        Err(message) => {
            findings.push(Finding::new(
                Code::InvalidData,
                Severity::Error,
                place_in(file, message),
                message.clone(),
            ));
            return;
        }
    };
    let path = file.source.path().map(|path| path.to_string()).unwrap_or_default();
    let mut places: FxHashMap<String, Span> = FxHashMap::default();
    for (name, span) in data_keys(file.source.text(), &path) {
        if places.insert(name.clone(), span).is_some() {
            let message = format!("the key '{name}' stands here a second time; the first one is lost");
            findings.push(Finding::new(
                Code::DuplicateKey,
                Severity::Warning,
                Place::of(&file.source, span),
                message,
            ));
        }
    }
    for (key, value) in data.iter() {
        let Some(key) = key.as_str() else { continue };
        let span = places.get(key).copied().unwrap_or(Span::new(0, 0));
        let place = Place::of(&file.source, span);
        if let ("lookup_options", Value::Hash(options)) = (key, value) {
            findings.extend(unknown_options(world, file, options, span, looked_up));
        }
        check_key(world, file, key, value, place, looked_up, findings);
    }
    findings.extend(interpolations::of_data(world, &file.source));
    let keys = world.summary.data.decrypted.get(&path).map(Option::as_deref);
    for (key, value) in data.iter().filter_map(|(key, value)| Some((key.as_str()?, value))) {
        let Some(message) = encrypted::problem(value, keys) else { continue };
        let place = Place::of(&file.source, places.get(key).copied().unwrap_or(Span::new(0, 0)));
        let severity = if keys.is_some() { Severity::Error } else { Severity::Warning };
        findings.push(Finding::new(Code::EncryptedData, severity, place, format!("'{key}' {message}")));
    }
}

/// The options that `lookup_options` has for keys of classes and parameters that there are not.
fn unknown_options(
    world: &World<'_>,
    file: &DataFile,
    options: &Hash,
    span: Span,
    looked_up: &FxHashSet<&str>,
) -> Vec<Finding> {
    let names = options.keys().filter_map(Value::as_str).filter(|name| !name.starts_with('^'));
    let unknown = |name: &str| {
        let behind = file.source.text().get(span.end as usize..)?;
        let is_key = |at: &usize| {
            let rest = behind.get(at + name.len()..).unwrap_or_default();
            rest.starts_with([':', '\'', '"']) && !rest.starts_with("::")
        };
        let at = behind.match_indices(name).map(|(at, _)| at).find(is_key).unwrap_or_default();
        let at = span.end + at as u32;
        let place = Place::of(&file.source, Span::new(at, at + name.len() as u32));
        unknown_key(world, file, name, place, looked_up)
    };
    names.filter_map(unknown).collect()
}

/// The place in a message of the YAML parser.
fn place_in(file: &DataFile, message: &str) -> Place {
    let line = message.split("line ").nth(1).and_then(|rest| {
        rest.split(|char: char| !char.is_ascii_digit()).next().and_then(|digits| digits.parse::<u32>().ok())
    });
    let place = Place::of(&file.source, Span::new(0, 0));
    match line {
        Some(line) => Place { line, end_line: line, ..place },
        None => place,
    }
}

/// That a key belongs to no parameter, and that nobody looks it up.
fn unknown_key(
    world: &World<'_>,
    file: &DataFile,
    key: &str,
    place: Place,
    looked_up: &FxHashSet<&str>,
) -> Option<Finding> {
    let (class, parameter) = split_last(key)?;
    if looked_up.contains(key) {
        return None;
    }
    let unknown = |message: String, near: Option<String>| {
        Finding::new(Code::UnknownKey, Severity::Warning, place, message).meant(near.as_deref(), &file.source)
    };
    let Some(known) = world.class(class) else {
        let module = class.split("::").next().unwrap_or_default();
        return world.has_module(module).then(|| {
            let near = world.nearest(Kind::Class, class);
            let near = near.map(|near| format!("{near}::{parameter}"));
            unknown(format!("no class '{class}' is there that this key could belong to"), near)
        });
    };
    if known.parameter(parameter).is_some() {
        return None;
    }
    let near = nearest(parameter, known.parameters.iter().map(|one| one.name.as_str()));
    let near = near.map(|near| format!("{class}::{near}"));
    let finding = unknown(format!("the class '{class}' has no parameter '{parameter}'"), near);
    Some(finding.related(format!("'{class}' is defined here"), Some(known.place())))
}

fn check_key(
    world: &World<'_>,
    file: &DataFile,
    key: &str,
    value: &Value,
    place: Place,
    looked_up: &FxHashSet<&str>,
    findings: &mut Vec<Finding>,
) {
    let known = split_last(key).and_then(|(class, parameter)| Some((class, world.class(class)?, parameter)));
    let parameter = known.as_ref().and_then(|(class, known, name)| Some((*class, known.parameter(name)?)));
    let Some((class, parameter)) = parameter else {
        findings.extend(unknown_key(world, file, key, place, looked_up));
        return;
    };
    let options = world.summary.data.options(key);
    if options.converts || value.is_undef() {
        return;
    }
    let given = type_of(value, options.merges, 0);
    let refusal = |message: &str| format!("the class '{class}' does not take this value: {message}");
    if !overlap(&parameter.of, &given) {
        let message = mismatch::describe(&format!("parameter '{}'", parameter.name), &parameter.of, &given);
        let finding = Finding::new(Code::WrongData, Severity::Error, place, refusal(&message))
            .related("the parameter is declared here", Some(parameter.place.clone()));
        findings.push(finding);
    } else if let Some((_, known, name)) = &known {
        // Another level, or a declaration, may give another value.
        for trouble in world.troubles_with(known, name, given).iter() {
            let message = refusal(&trouble.message);
            let finding = Finding::new(Code::WrongData, Severity::Warning, place.clone(), message);
            findings.push(finding.related("it fails here", Some(trouble.place.clone())));
        }
    }
}

/// The type of a lookup's result for a value in data. A value that is merged with other levels has more
/// members.
fn type_of(value: &Value, merges: bool, depth: u32) -> Type {
    let any = || Type::from(TypeKind::Any);
    if depth > 20 {
        return any();
    }
    match value {
        Value::String(text) if text.contains("%{") => {
            let is_whole = text.starts_with("%{alias(") || text.starts_with("%{ alias(");
            if is_whole { any() } else { Type::string(None) }
        }
        Value::String(text) if text.starts_with("ENC[") => Type::string(None),
        Value::Array(_) if merges => Type::array(any(), None),
        Value::Hash(_) if merges => Type::hash(any(), any(), None),
        Value::Array(values) if !values.is_empty() && values.len() <= 64 => {
            Type::tuple(values.iter().map(|value| type_of(value, false, depth + 1)).collect(), None)
        }
        Value::Hash(hash) if !hash.is_empty() => {
            let members: Option<Vec<(&str, Type, bool)>> = hash
                .iter()
                .map(|(key, value)| {
                    let key = key.as_str().filter(|key| !key.is_empty() && !key.contains("%{"))?;
                    Some((key, type_of(value, false, depth + 1), true))
                })
                .collect();
            members.map_or_else(|| Type::hash(any(), any(), None), Type::structure_of)
        }
        Value::Array(values) if !values.is_empty() => Type::array(any(), None),
        _ => Type::infer_set(value),
    }
}

/// Reports paths of hierarchies that match no file.
fn missing_files(world: &World<'_>, is_wanted: &dyn Fn(Option<&str>) -> bool, findings: &mut Vec<Finding>) {
    let of_modules: FxHashSet<String> =
        world.environment.modules().iter().map(|module| module.file("hiera.yaml")).collect();
    for (source, path) in &world.summary.data.unmatched {
        let configuration = source.path().map_or("", |path| path);
        if !is_wanted(Some(configuration)) {
            continue;
        }
        let at = source.text().find(path.as_str()).unwrap_or_default() as u32;
        let place = Place::of(source, Span::new(at, at + path.len() as u32));
        let is_of_module = of_modules.contains(configuration);
        let severity = match is_of_module || path.contains("%{") {
            true => Severity::Note,
            false => Severity::Warning,
        };
        let message = format!("no file is there that '{path}' could be");
        findings.push(Finding::new(Code::MissingDataFile, severity, place, message));
    }
}

/// The function for data that a lookup has not found, which a module that is not installed may bring.
fn missing_function(message: &str) -> Option<&str> {
    let (_, named) = message.strip_prefix("Unable to find '")?.split_once("function named '")?;
    Some(named.split_once('\'')?.0)
}

/// Reports invalid hierarchies: the failures of a lookup.
fn hierarchies(world: &World<'_>, is_wanted: &dyn Fn(Option<&str>) -> bool, findings: &mut Vec<Finding>) {
    let environment = world.environment;
    let own = environment.directory.as_deref().map(|root| (root, None, "bunraku_check".to_owned()));
    let modules = environment.modules().iter();
    let modules = modules.map(|module| {
        (module.path.as_str(), Some(module.name.as_str()), format!("{}::bunraku_check", module.name))
    });
    let mut is_own_wrong = false;
    for (root, module, key) in own.into_iter().chain(modules) {
        let path = join_path(root, "hiera.yaml");
        if is_own_wrong || !is_wanted(Some(&path)) || environment.host.info(&path).is_none() {
            continue;
        }
        let compilation = Compilation::new(environment, NodeInput::default(), Limits::default());
        compilation.loaded().leave_out_main_manifest();
        let request = LookupRequest {
            names: vec![key.as_str().into()],
            default: Some(Value::Undef),
            ..LookupRequest::default()
        };
        let outcome = compilation.set_up().and_then(|()| compilation.lookup(&request));
        let Err(error) = outcome else { continue };
        if error.location.file.as_deref() != Some(&*path) && !error.message.contains(&*path) {
            continue;
        }
        is_own_wrong = environment.directory.as_deref() == Some(root);
        let line = error.location.line.unwrap_or(1);
        let column = error.location.column.unwrap_or(1);
        let file = Some(Arc::from(path.as_str()));
        let place = Place { file, line, column, end_line: line, end_column: column, span: None };
        let is_sure = missing_function(&error.message).is_none_or(|name| match name.split_once("::") {
            Some((of, _)) => world.has_module(of),
            None => world.has_what_is_asked_for(module),
        });
        let severity = if is_sure { Severity::Error } else { Severity::Warning };
        findings.push(Finding::new(Code::InvalidHierarchy, severity, place, error.message.clone()));
    }
}
