//! Configuration to locations: the entries of a hierarchy, which name the functions that give data, their
//! options and the places where data may be.
//!
//! Follows the reference's `pops/lookup/hiera_config.rb` (`create_configured_data_providers`) and
//! `location_resolver.rb`.

use std::rc::Rc;
use std::sync::Arc;

use super::config::{Config, FUNCTION_KEYS, LOCATION_KEYS, strings};
use super::dig::sub_lookup;
use super::error::{LookupError, LookupResult};
use super::interpolate::{Interpolation, Unknown, interpolate, scope_lookup, variable};
use super::invocation::{Invocation, ScopeInterpolation};
use super::session::Session;
use crate::eval::Unwind;
use crate::loader::{CachedHierarchy, join_path};
use bunraku_pcore::value::{Hash, Str, Value};
use bunraku_syntax::diagnostic::{ErrorKind, issues};

/// A place where data may be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct DataLocation {
    /// The text in the configuration.
    pub original: String,
    /// Interpolated: a path or a URI.
    pub location: String,
    /// Whether it is a URI.
    pub is_uri: bool,
    /// Whether it exists; URIs are assumed to exist.
    pub exists: bool,
}

/// The kind of a hierarchy's function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FunctionKind {
    DataHash,
    LookupKey,
    DataDig,
    V3DataHash,
    V3LookupKey,
    V3Backend,
    V4DataHash,
}

impl FunctionKind {
    /// The kind with this key in a configuration.
    fn new(key: &str) -> Self {
        match key {
            "lookup_key" => Self::LookupKey,
            "data_dig" => Self::DataDig,
            "hiera3_backend" => Self::V3Backend,
            "v4_data_hash" => Self::V4DataHash,
            _ => Self::DataHash,
        }
    }

    /// The word for it in messages.
    pub fn tag(self) -> &'static str {
        match self {
            Self::DataHash => "data_hash",
            Self::LookupKey => "lookup_key",
            Self::DataDig => "data_dig",
            Self::V3DataHash => "v3_data_hash",
            Self::V3LookupKey => "v3_lookup_key",
            Self::V3Backend => "hiera3_backend",
            Self::V4DataHash => "v4_data_hash",
        }
    }
}

/// An entry of a hierarchy: a function with its options and places.
#[derive(Debug)]
pub(super) struct Entry {
    /// The name.
    pub name: String,
    /// The kind of the function.
    pub kind: FunctionKind,
    /// The name of the function.
    pub function: String,
    /// The options of the function besides the place.
    pub options: Hash,
    /// The possible places of data; a single `None` if the function needs no place.
    pub places: Vec<Option<DataLocation>>,
    /// In version 3: where paths start, and how they end.
    pub datadir: Option<(String, String)>,
}

impl Entry {
    fn new(
        name: &str,
        kind: FunctionKind,
        function: &str,
        options: Value,
        places: Option<Vec<DataLocation>>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            function: function.to_owned(),
            options: match options {
                Value::Hash(hash) => Hash::clone(&hash),
                _ => Hash::default(),
            },
            places: places.map_or_else(|| vec![None], |places| places.into_iter().map(Some).collect()),
            datadir: None,
        }
    }
}

/// The entries of a configuration, made for the values that some variables had.
#[derive(Debug)]
pub(super) struct Hierarchy {
    /// From `hierarchy`.
    pub entries: Vec<Arc<Entry>>,
    /// From `default_hierarchy`.
    pub default_entries: Vec<Arc<Entry>>,
    /// The variables that may become others within a compilation.
    pub dependencies: Dependencies,
    /// All variables.
    variables: Dependencies,
}

/// The variables that places depend on, with the values that they had.
#[derive(Debug)]
pub(super) struct Dependencies(Vec<ScopeInterpolation>);

impl Hierarchy {
    /// The entries of a configuration for the current variables: those of another compilation, if it had the
    /// same variables, unless other files may exist now.
    pub fn of(session: Session<'_, '_>, invocation: &Invocation, config: &Config) -> LookupResult<Arc<Self>> {
        let is_shared =
            config.version == 5 && !invocation.is_hiera3 && !session.environment().has_fresh_data();
        if is_shared {
            let fits = |kept: &CachedHierarchy| {
                let kept = Arc::clone(kept).downcast::<Self>().ok()?;
                match kept.variables.are_stable(session, invocation) {
                    Ok(true) => Some(Ok(kept)),
                    Ok(false) => None,
                    Err(stop) => Some(Err(stop)),
                }
            };
            if let Some(found) = config.hierarchies.find(fits) {
                return found;
            }
        }
        let made = Arc::new(Self::new(session, invocation, config)?);
        // A compilation is warned of variables that are not known.
        if is_shared && made.variables.0.iter().all(|of| of.is_known) {
            config.hierarchies.keep(Arc::clone(&made) as CachedHierarchy);
        }
        Ok(made)
    }

    fn new(session: Session<'_, '_>, invocation: &Invocation, config: &Config) -> LookupResult<Self> {
        let collecting = Rc::new(invocation.collecting());
        let maker = Maker { session, config, invocation: &collecting };
        let make = || -> LookupResult<_> {
            let entries = maker.entries("hierarchy")?;
            let default_entries = match config.has_default_hierarchy() {
                true => maker.entries("default_hierarchy")?,
                false => Vec::new(),
            };
            Ok((entries, default_entries))
        };
        let (entries, default_entries) = make().map_err(|stop| undefined_variable(config, stop))?;
        let variables = collecting.interpolations();
        // A variable that cannot be assigned, or not again, stays unchanged.
        let is_settled = |of: &&ScopeInterpolation| {
            matches!(of.root.as_str(), "facts" | "trusted") || of.key.starts_with("::")
        };
        let dependencies = variables.iter().filter(|of| of.value.is_undef() || !is_settled(of));
        let dependencies = Dependencies(dependencies.cloned().collect());
        let shared = |entries: Vec<Entry>| entries.into_iter().map(Arc::new).collect();
        Ok(Self {
            entries: shared(entries),
            default_entries: shared(default_entries),
            dependencies,
            variables: Dependencies(variables),
        })
    }
}

impl Dependencies {
    /// Whether there are none.
    pub const fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the variables still have the values that they had.
    pub fn are_stable(&self, session: Session<'_, '_>, invocation: &Invocation) -> LookupResult<bool> {
        invocation.without_explanation(|| {
            for old in &self.0 {
                session.charge_steps(1)?;
                session.charge_value(&old.value)?;
                let value = variable(session, invocation, &old.root, Unknown::Forgiven)?.unwrap_or_default();
                let value = if value.is_undef() || old.segments.is_empty() {
                    value
                } else {
                    match sub_lookup(&old.key, invocation, &old.segments, value) {
                        Ok(value) => value,
                        Err(LookupError::NoSuchKey) => Value::Undef,
                        Err(stop) => return Err(stop),
                    }
                };
                if value != old.value {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }
}

/// The error for an unknown variable in a configuration contains its line.
fn undefined_variable(config: &Config, stop: LookupError) -> LookupError {
    let LookupError::Failed(Unwind::Error(error)) = &stop else { return stop };
    let name = error.message.strip_prefix("Undefined variable '").and_then(|rest| rest.split('\'').next());
    match name.filter(|name| !name.is_empty() && error.kind == ErrorKind::Argument) {
        Some(name) => {
            let line = config.line_matching(&format!(r#"%\{{['"]?{name}['"]?\}}"#), 1);
            config.fail(issues::hiera_undefined_variable(name), line)
        }
        None => stop,
    }
}

/// Makes the entries of a configuration.
struct Maker<'m, 'a, 'e> {
    session: Session<'a, 'e>,
    config: &'m Config,
    invocation: &'m Rc<Invocation>,
}

impl Maker<'_, '_, '_> {
    fn entries(&self, hierarchy: &str) -> LookupResult<Vec<Entry>> {
        match self.config.version {
            3 => self.version_3(),
            4 => self.version_4(),
            _ => self.version_5(hierarchy),
        }
    }

    fn version_5(&self, hierarchy: &str) -> LookupResult<Vec<Entry>> {
        let empty = Hash::default();
        let defaults = match self.config.get("defaults") {
            Some(Value::Hash(hash)) => hash,
            _ => &empty,
        };
        let default_datadir = text_of(defaults, "datadir").unwrap_or("data");
        let Some(Value::Array(declared)) = self.config.get(hierarchy) else { return Ok(Vec::new()) };
        let mut entries: Vec<Entry> = Vec::new();
        for entry in declared.iter() {
            let Value::Hash(entry) = entry else { continue };
            let name = text_of(entry, "name").unwrap_or("");
            self.check_name(&entries, name)?;
            let own = FUNCTION_KEYS.iter().find(|key| entry.contains_key(&Value::from(**key)));
            let (kind, function) = match own {
                Some(kind) => (*kind, text_of(entry, kind)),
                None => {
                    let of_defaults = |key: &&&str| defaults.contains_key(&Value::from(**key));
                    let kind = FUNCTION_KEYS[..4].iter().find(of_defaults).copied().unwrap_or("data_hash");
                    (kind, text_of(defaults, kind))
                }
            };
            let datadir = plus(&self.config.root, text_of(entry, "datadir").unwrap_or(default_datadir));
            let datadir = self.text(&datadir, Interpolation::CONFIGURATION)?;
            let places = self.places(entry, &datadir)?;
            if self.config.path.is_none() && places.as_ref().is_some_and(Vec::is_empty) {
                continue;
            }
            let given =
                |hash: &Hash| hash.get(&Value::from("options")).filter(|value| value.is_truthy()).cloned();
            let options = match given(entry).or_else(|| given(defaults)) {
                Some(options) => self.interpolated(&options, Interpolation::CONFIGURATION)?,
                None => Value::Undef,
            };
            let kind = FunctionKind::new(kind);
            entries.push(Entry::new(name, kind, function.unwrap_or(""), options, places));
        }
        Ok(entries)
    }

    /// Refuses a second entry of one name.
    fn check_name(&self, entries: &[Entry], name: &str) -> LookupResult<()> {
        self.session.charge_steps(1 + entries.len() / 16)?;
        if !entries.iter().any(|entry| entry.name == name) {
            return Ok(());
        }
        let (line, first) = self.config.duplicate_lines(&format!(r#"\s+name:\s+['"]?{name}(?:[^\w]|$)"#));
        Err(self.config.fail(issues::hiera_hierarchy_name_multiply_defined(name, first), line))
    }

    /// The places of an entry; none when it has no word about them.
    fn places(&self, entry: &Hash, datadir: &str) -> LookupResult<Option<Vec<DataLocation>>> {
        let Some(key) = LOCATION_KEYS.iter().find(|key| entry.contains_key(&Value::from(**key))) else {
            return Ok(None);
        };
        let values = strings(entry.get(&Value::from(*key)));
        let places = match *key {
            "path" | "paths" => self.paths(datadir, &values, None)?,
            "glob" | "globs" => {
                let mut places = Vec::new();
                for value in &values {
                    let pattern = plus(datadir, &self.text(value, Interpolation::PATH)?);
                    places.extend(self.matching(&pattern));
                    self.session.charge_steps(1 + places.len() / 16)?;
                }
                places
            }
            "uri" | "uris" => {
                let mut places = Vec::new();
                for value in &values {
                    let location = self.text(value, Interpolation::PATH)?;
                    places.push(DataLocation {
                        original: value.clone(),
                        location,
                        is_uri: true,
                        exists: true,
                    });
                }
                places
            }
            _ => self.mapped_paths(datadir, &values)?,
        };
        Ok(Some(places))
    }

    fn paths(
        &self,
        datadir: &str,
        declared: &[String],
        extension: Option<&str>,
    ) -> LookupResult<Vec<DataLocation>> {
        let mut places = Vec::new();
        for original in declared {
            self.session.charge_steps(1)?;
            let mut path = self.text(original, Interpolation::PATH)?;
            if let Some(extension) = extension.filter(|extension| !path.ends_with(*extension)) {
                path.push_str(extension);
            }
            let location = plus(datadir, &path);
            let exists = self.exists(&location);
            if exists || self.config.path.is_some() {
                places.push(DataLocation { original: original.clone(), location, is_uri: false, exists });
            }
        }
        Ok(places)
    }

    /// The files that a pattern matches.
    fn matching(&self, pattern: &str) -> Vec<DataLocation> {
        let place = |location: &String| DataLocation {
            original: pattern.to_owned(),
            location: location.clone(),
            is_uri: false,
            exists: true,
        };
        self.session
            .environment()
            .data_files_matching(pattern, self.session.evaluator.loaded)
            .iter()
            .map(place)
            .collect()
    }

    /// One path for each value of a variable.
    fn mapped_paths(&self, datadir: &str, triplet: &[String]) -> LookupResult<Vec<DataLocation>> {
        let [variable, name, template] = triplet else { return Ok(Vec::new()) };
        let values = scope_lookup(self.session, self.invocation, variable, "mapped_path[0]", true)?;
        let values: Vec<Value> = match values {
            Value::Undef => return Ok(Vec::new()),
            Value::String(text) if text.is_empty() => return Ok(Vec::new()),
            Value::String(text) => vec![Value::String(text)],
            Value::Array(list) => list.to_vec(),
            Value::Hash(hash) => {
                hash.iter().map(|(key, value)| Value::array([key.clone(), value.clone()])).collect()
            }
            other => {
                let class = super::text::ruby_class(&other);
                let message =
                    format!("Mapped paths come of a String, an Array or a Hash, not of the class {class}");
                return Err(bunraku_syntax::diagnostic::Error::internal(message).into());
            }
        };
        self.invocation.eluding(name, || {
            let scope = &self.invocation.scope;
            let mut places = Vec::new();
            for value in values {
                self.session.charge_steps(1)?;
                let local = vec![(Str::from(name.as_str()), value)];
                let path = scope.with_local(local, || self.text(template, Interpolation::PATH))??;
                let location = plus(datadir, &path);
                let exists = self.exists(&location);
                places.push(DataLocation { original: template.clone(), location, is_uri: false, exists });
            }
            Ok(places)
        })
    }

    fn version_4(&self) -> LookupResult<Vec<Entry>> {
        let default_datadir = text_of(&self.config.data, "datadir").unwrap_or("data");
        let Some(Value::Array(declared)) = self.config.get("hierarchy") else { return Ok(Vec::new()) };
        let mut entries: Vec<Entry> = Vec::new();
        for entry in declared.iter() {
            let Value::Hash(entry) = entry else { continue };
            let name = text_of(entry, "name").unwrap_or("");
            self.check_name(&entries, name)?;
            let backend = text_of(entry, "backend").unwrap_or("");
            let extension = match backend {
                "json" => ".json",
                "yaml" => ".yaml",
                "hocon" => ".conf",
                backend => {
                    let line = self.config.line_matching(&format!(r"[^\w]{backend}(?:[^\w]|$)"), 1);
                    return Err(self.config.fail(issues::hiera_no_provider_for_backend(backend), line));
                }
            };
            let declared = match entry.get(&Value::from("paths")) {
                Some(paths) => strings(Some(paths)),
                None => vec![text_of(entry, "path").unwrap_or(name).to_owned()],
            };
            let datadir = plus(&self.config.root, text_of(entry, "datadir").unwrap_or(default_datadir));
            let places = self.paths(&datadir, &declared, Some(extension))?;
            let function = format!("{backend}_data");
            entries.push(Entry::new(name, FunctionKind::DataHash, &function, Value::Undef, Some(places)));
        }
        Ok(entries)
    }

    fn version_3(&self) -> LookupResult<Vec<Entry>> {
        let hierarchy = strings(self.config.get("hierarchy"));
        let mut entries: Vec<Entry> = Vec::new();
        for backend in strings(self.config.get("backends")) {
            self.session.charge_steps(1 + entries.len() / 16)?;
            if entries.iter().any(|entry| entry.name == backend) {
                let (line, first) = self.config.duplicate_lines(&format!(r"[^\w]{backend}(?:[^\w]|$)"));
                return Err(self.config.fail(issues::hiera_backend_multiply_defined(&backend, first), line));
            }
            let settings = match self.config.data.get(&Value::from(backend.as_str())) {
                Some(settings) => self.interpolated(settings, Interpolation::CONFIGURATION)?,
                None => Value::Undef,
            };
            let setting = |name: &str| match &settings {
                Value::Hash(hash) => text_of(hash, name).map(str::to_owned),
                _ => None,
            };
            let datadir = match setting("datadir") {
                Some(datadir) => datadir,
                None => self.default_datadir(),
            };
            let extension = match setting("extension") {
                Some(extension) => format!(".{extension}"),
                None if backend == "hocon" => ".conf".to_owned(),
                None => format!(".{backend}"),
            };
            let places = self.paths(&datadir, &hierarchy, Some(&extension))?;
            let (kind, function) = match backend.as_str() {
                "json" | "yaml" | "hocon" => (FunctionKind::V3DataHash, format!("{backend}_data")),
                "eyaml" => (FunctionKind::V3LookupKey, "eyaml_lookup_key".to_owned()),
                _ => (FunctionKind::V3Backend, "hiera_v3_data".to_owned()),
            };
            let options = if kind == FunctionKind::V3LookupKey { settings } else { Value::Undef };
            let entry = Entry::new(&backend, kind, &function, options, Some(places));
            entries.push(Entry { datadir: Some((datadir, extension)), ..entry });
        }
        Ok(entries)
    }

    /// The default directory of version 3.
    fn default_datadir(&self) -> String {
        let environment = self.session.environment();
        match &environment.directory {
            Some(directory) => join_path(directory, "hieradata"),
            None => format!("/etc/puppetlabs/code/environments/{}/hieradata", environment.name),
        }
    }

    fn text(&self, text: &str, how: Interpolation) -> LookupResult<String> {
        self.interpolated(&Value::from(text), how).map(|value| super::text::to_s(&value))
    }

    /// A value of the configuration; an issue of its interpolation is one of the file.
    fn interpolated(&self, value: &Value, how: Interpolation) -> LookupResult {
        interpolate(self.session, self.invocation, value, how).map_err(|stop| match stop {
            LookupError::Failed(Unwind::Error(mut error))
                if error.kind == ErrorKind::Lookup && error.issue.is_some() =>
            {
                error.location.file = self.config.path.as_deref().map(Into::into);
                Unwind::Error(error).into()
            }
            stop => stop,
        })
    }

    fn exists(&self, path: &str) -> bool {
        self.session.environment().has_data_file(path, self.session.evaluator.loaded)
    }
}

impl Clone for Maker<'_, '_, '_> {
    fn clone(&self) -> Self {
        *self
    }
}

impl Copy for Maker<'_, '_, '_> {}

/// More places for paths that a call of `hiera` puts first.
pub(super) fn override_places(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    config: &Config,
    datadir: &str,
    extension: &str,
) -> LookupResult<Vec<DataLocation>> {
    let declared: Vec<String> = invocation.location_overrides.borrow().iter().map(Str::to_string).collect();
    let maker = Maker { session, config, invocation };
    maker.paths(datadir, &declared, Some(extension))
}

/// A text of a hash.
fn text_of<'h>(hash: &'h Hash, key: &str) -> Option<&'h str> {
    hash.get(&Value::from(key)).and_then(Value::as_str)
}

/// A path that starts at another one, as Ruby's `Pathname#+` joins them: `..` at its start goes up, `.` at
/// the end of the first one is left out.
fn plus(base: &str, path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    let (mut base, mut rest) = (base, path);
    loop {
        while let Some(inner) = without_first(rest, ".") {
            rest = inner;
        }
        let trimmed = base.trim_end_matches('/');
        let (above, name) = trimmed.split_at(trimmed.rfind('/').map_or(0, |at| at + 1));
        match (name, without_first(rest, "..")) {
            ("", Some(inner)) if base.starts_with('/') => rest = inner,
            ("", _) => break,
            (".", _) => base = above,
            (name, Some(inner)) if name != ".." => (base, rest) = (above, inner),
            _ => {
                base = trimmed;
                break;
            }
        }
    }
    match (base, rest) {
        ("", "") => ".".to_owned(),
        (base, "") => base.to_owned(),
        ("", rest) => rest.to_owned(),
        (base, rest) => join_path(base, rest),
    }
}

/// A path without its first name, if it is this one.
fn without_first<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(name)?;
    (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::plus;

    #[test]
    fn paths_are_joined_as_ruby_joins_them() {
        for (base, path, joined) in [
            ("/a/data", "x.yaml", "/a/data/x.yaml"),
            ("/a/data/", "", "/a/data"),
            ("/a/data/", "x/", "/a/data/x/"),
            ("/a/data", "../x", "/a/x"),
            ("/a/data", "../../../x", "/x"),
            ("/a/data/..", "../x", "/a/data/../../x"),
            ("/a/data/.", "x", "/a/data/x"),
            ("/a/data", "././/x//y", "/a/data/x//y"),
            ("/a/data", "x/../y", "/a/data/x/../y"),
            ("/a/data", "..x", "/a/data/..x"),
            ("/a", "/b", "/b"),
            ("/", "x", "/x"),
            ("/", "..", "/"),
        ] {
            assert_eq!(plus(base, path), joined, "{base} + {path}");
        }
    }
}
