//! `hiera.yaml`: reading and checking it, for the versions 3, 4 and 5.
//!
//! Follows the reference's `pops/lookup/hiera_config.rb`.

use std::sync::{Arc, LazyLock, OnceLock};

use regex::Regex;

use super::error::{LookupError, LookupResult};
use super::session::Session;
use super::{types, yaml};
use crate::loader::{CachedHierarchies, HieraFile, Strictness, parent_path};
pub(super) use crate::loader::{HieraConfiguration as Config, HieraLayer as Layer};
use bunraku_host::HostError;
use bunraku_pcore::types::{NoTypes, Type};
use bunraku_pcore::value::{Hash, Value};
use bunraku_syntax::diagnostic::{Error, Report, issues};
use bunraku_syntax::source::Location;

/// The name of the file.
pub(super) const FILE_NAME: &str = "hiera.yaml";

/// The keys that name the function of a hierarchy entry, in search order.
pub(super) const FUNCTION_KEYS: &[&str] =
    &["data_hash", "lookup_key", "data_dig", "hiera3_backend", "v4_data_hash"];

/// The keys that locate the data of a hierarchy entry.
pub(super) const LOCATION_KEYS: &[&str] = &["path", "paths", "glob", "globs", "uri", "uris", "mapped_paths"];

impl Layer {
    /// The word for it in data.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Environment => "environment",
            Self::Module => "module",
        }
    }
}

/// The text of a configuration, or why it cannot be read; `None` if the file does not exist.
///
/// Errors: the end of the compilation.
fn read_text(session: Session<'_, '_>, path: &str) -> Result<Option<Result<String, String>>, Error> {
    session.environment().note(path);
    match session.evaluator.read_file(path) {
        Ok(bytes) => Ok(Some(Ok(String::from_utf8_lossy(&bytes).into_owned()))),
        Err(HostError::NotFound(_)) => Ok(None),
        Err(HostError::Ended(error)) => Err(*error),
        Err(error) => Ok(Some(Err(error.on_opening()))),
    }
}

impl Config {
    /// Reads a configuration. A missing file means the default configuration of version 5.
    ///
    /// Errors: the file is not YAML, or not a valid configuration.
    pub(super) fn load(session: Session<'_, '_>, path: &str, layer: Layer) -> LookupResult<Arc<Self>> {
        let environment = session.environment();
        environment.look_at_data(path, session.evaluator.loaded);
        // Older versions are logged as warnings in each compilation, so only configurations of version 5 are
        // shared.
        let shared = environment.caches.hiera_configurations.get(&(layer, path.to_owned()), OnceLock::new);
        if let Some(config) = shared.get() {
            return Ok(config.clone());
        }
        let config = Arc::new(Self::read(session, path, layer)?);
        if config.version == 5 {
            return Ok(shared.get_or_init(|| config).clone());
        }
        Ok(config)
    }

    fn read(session: Session<'_, '_>, path: &str, layer: Layer) -> LookupResult<Self> {
        let environment = session.environment();
        let root = parent_path(path).to_owned();
        let load = || -> Result<HieraFile, Error> {
            let given = environment.global_hiera_text.as_ref();
            let given = given.filter(|_| environment.global_hiera.as_deref() == Some(path));
            let text = match given {
                Some(text) => text.clone(),
                None => match read_text(session, path)? {
                    Some(Ok(text)) => text,
                    Some(Err(refused)) => return Ok(Some(Err(refused))),
                    None => return Ok(None),
                },
            };
            let parsed = match yaml::parse_with(&text, Some(path), &session.evaluator.usage) {
                Err(error) if error.kind.is_limit() => return Err(error),
                parsed => parsed.map_err(|error| error.message),
            };
            Ok(Some(parsed.map(|value| (text, value))))
        };
        // The cancellation of one compilation must not be stored for the environment.
        let loaded = environment.caches.hiera_files.try_get(path, load)?;
        let (text, value) = match &*loaded {
            None => return Self::new(session, root, None, String::new(), default_configuration(), layer),
            Some(Ok(loaded)) => loaded.clone(),
            Some(Err(message)) => return Err(Error::plain(message.clone()).into()),
        };
        let data = match value {
            Value::Hash(hash) => Hash::clone(&hash),
            _ => {
                session.warn(format!(
                    "{path}: File exists but does not contain a valid YAML hash. Falling back to Hiera version 3 default \
                     config"
                ));
                Hash::default()
            }
        };
        Self::new(session, root, Some(path.to_owned()), text, data, layer)
    }

    /// The configuration for a function that returns all data, the old way to provide data.
    pub(super) fn of_function(
        session: Session<'_, '_>,
        root: &str,
        function: &str,
        layer: Layer,
    ) -> LookupResult<Self> {
        if session.environment().settings.strict != Strictness::Off {
            let message = format!(
                "Using of legacy data provider function '{function}'. Please convert to a 'data_hash' function"
            );
            session.warn_once("legacy_provider_function", &message, None);
        }
        let entry = Value::hash([
            ("name".into(), Value::from(format!("Legacy function '{function}'"))),
            ("v4_data_hash".into(), function.into()),
        ]);
        let data =
            [("version".into(), Value::Integer(5)), ("hierarchy".into(), Value::array([entry]))].into_iter();
        Self::new(session, root.to_owned(), None, String::new(), data.collect(), layer)
    }

    fn new(
        session: Session<'_, '_>,
        root: String,
        path: Option<String>,
        text: String,
        data: Hash,
        layer: Layer,
    ) -> LookupResult<Self> {
        let Value::Hash(data) = symbol_keys_to_strings(&Value::from(data)) else {
            return Err(Error::internal("the configuration is no hash").into());
        };
        let version = match data.get(&Value::from("version")) {
            None | Some(Value::Undef) => 3,
            Some(Value::Integer(version)) => *version,
            Some(Value::Float(version)) => *version as i64,
            Some(Value::String(text)) => leading_integer(text),
            Some(_) => return Err(Error::internal("The version of a hiera.yaml is a number").into()),
        };
        let mut config = Self {
            version,
            root,
            path,
            data: Hash::clone(&data),
            text,
            hierarchies: CachedHierarchies::default(),
        };
        match version {
            5 => config.check_version_5(layer)?,
            4 => config.check_version_4(session)?,
            3 => config.check_version_3(session)?,
            version => return Err(config.fail(issues::hiera_unsupported_version(version), None)),
        }
        Ok(config)
    }

    /// A failure about the file.
    pub(super) fn fail(&self, report: Report, line: Option<u32>) -> LookupError {
        let location = Location { file: self.path.as_deref().map(Into::into), line, column: None };
        LookupError::from(Error { issue: Some(report.issue), location, ..Error::lookup(report.message) })
    }

    /// A setting.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.data.get(&Value::from(key)).filter(|value| !value.is_undef())
    }

    /// Whether a module has data for when nothing else is found.
    pub(super) fn has_default_hierarchy(&self) -> bool {
        self.data.contains_key(&Value::from("default_hierarchy"))
    }

    /// The number of the first line from `start` that a pattern matches, comments left out.
    pub(super) fn line_matching(&self, pattern: &str, start: u32) -> Option<u32> {
        let pattern = Regex::new(pattern).ok()?;
        let mut lines = self.text.split_inclusive('\n').zip(1u32..);
        lines
            .find(|(line, number)| *number >= start && pattern.is_match(&without_comment(line)))
            .map(|(_, number)| number)
    }

    /// The line of the second definition of a name, and that of the first one when both are known.
    pub(super) fn duplicate_lines(&self, pattern: &str) -> (Option<u32>, Option<u32>) {
        let first = self.line_matching(pattern, 1);
        match first.and_then(|first| self.line_matching(pattern, first + 1)) {
            Some(second) => (Some(second), first),
            None => (first, None),
        }
    }

    fn subject(&self) -> String {
        format!("The Lookup Configuration at '{}'", self.path.as_deref().unwrap_or(""))
    }

    fn set_default(&mut self, key: &str, value: impl FnOnce() -> Value) {
        let missing = !self.data.get(&Value::from(key)).is_some_and(Value::is_truthy);
        if missing {
            self.data.insert(key.into(), value());
        }
    }

    fn check_version_5(&mut self, layer: Layer) -> LookupResult<()> {
        let defaults = default_configuration();
        for key in ["defaults", "hierarchy"] {
            self.set_default(key, || defaults.get(&Value::from(key)).cloned().unwrap_or_default());
        }
        // The type is made once: a configuration is read by every compilation.
        static EXPECTED: LazyLock<Option<Type>> = LazyLock::new(|| Type::parse(VERSION_5, &NoTypes).ok());
        if let Some(expected) = &*EXPECTED {
            types::assert_type(&self.subject(), expected, &Value::from(self.data.clone()))?;
        }
        let empty = Hash::default();
        let defaults = match self.get("defaults") {
            Some(Value::Hash(hash)) => Hash::clone(hash),
            _ => empty,
        };
        let has = |hash: &Hash, key: &str| hash.contains_key(&Value::from(key));
        if FUNCTION_KEYS[..4].iter().filter(|key| has(&defaults, key)).count() > 1 {
            return Err(self.fail(issues::hiera_multiple_data_provider_functions_in_default(), None));
        }
        if let Some(Value::Hash(options)) = defaults.get(&Value::from("options"))
            && let Some(key) = ["path", "uri"].into_iter().find(|key| has(options, key))
        {
            return Err(self.fail(issues::hiera_default_option_reserved_by_puppet(key), None));
        }
        for hierarchy in ["hierarchy", "plan_hierarchy"] {
            self.check_hierarchy(hierarchy, &defaults, layer)?;
        }
        if self.has_default_hierarchy() {
            if layer != Layer::Module {
                let line = self.line_matching(r"(?:^|\s+)default_hierarchy:", 1);
                return Err(self.fail(issues::hiera_default_hierarchy_not_in_module(), line));
            }
            self.check_hierarchy("default_hierarchy", &defaults, layer)?;
        }
        Ok(())
    }

    fn check_hierarchy(&self, key: &str, defaults: &Hash, layer: Layer) -> LookupResult<()> {
        let Some(Value::Array(entries)) = self.get(key) else { return Ok(()) };
        for entry in entries.iter() {
            if let Value::Hash(entry) = entry {
                self.check_entry(entry, defaults, layer)?;
            }
        }
        Ok(())
    }

    fn check_entry(&self, entry: &Hash, defaults: &Hash, layer: Layer) -> LookupResult<()> {
        let has = |hash: &Hash, key: &str| hash.contains_key(&Value::from(key));
        let name = super::text::to_s(entry.get(&Value::from("name")).unwrap_or(&Value::Undef));
        match FUNCTION_KEYS.iter().filter(|key| has(entry, key)).count() {
            0 if !FUNCTION_KEYS[..4].iter().any(|key| has(defaults, key)) => {
                return Err(self.fail(issues::hiera_missing_data_provider_function(name), None));
            }
            0 | 1 => {}
            _ => return Err(self.fail(issues::hiera_multiple_data_provider_functions(name), None)),
        }
        if let Some(backend) = entry.get(&Value::from("hiera3_backend")).and_then(Value::as_str) {
            if layer != Layer::Global {
                let line = self.line_matching(r"\s+hiera3_backend:", 1);
                return Err(self.fail(issues::hiera_v3_backend_not_global(), line));
            }
            if matches!(backend, "json" | "yaml" | "hocon") {
                let line =
                    self.line_matching(&format!(r#"\s+hiera3_backend:\s*['"]?{backend}(?:[^\w]|$)"#), 1);
                return Err(self.fail(issues::hiera_v3_backend_replaced_by_data_hash(backend), line));
            }
        }
        if LOCATION_KEYS.iter().filter(|key| has(entry, key)).count() > 1 {
            return Err(self.fail(issues::hiera_multiple_location_specs(name), None));
        }
        if let Some(Value::Hash(options)) = entry.get(&Value::from("options"))
            && let Some(key) = ["path", "uri"].into_iter().find(|key| has(options, key))
        {
            return Err(self.fail(issues::hiera_option_reserved_by_puppet(key, name), None));
        }
        Ok(())
    }

    fn warn_deprecated(&self, session: Session<'_, '_>) {
        if session.environment().settings.strict == Strictness::Off {
            return;
        }
        let path = self.path.as_deref().unwrap_or("");
        let version = self.version;
        let message = format!(
            "{path}: Use of 'hiera.yaml' version {version} is deprecated. It should be converted to version 5"
        );
        session.warn_once("hiera.yaml", &message, self.path.as_deref());
    }

    fn check_version_4(&mut self, session: Session<'_, '_>) -> LookupResult<()> {
        self.warn_deprecated(session);
        self.set_default("datadir", || "data".into());
        self.set_default("hierarchy", || {
            Value::array([Value::hash([("name".into(), "common".into()), ("backend".into(), "yaml".into())])])
        });
        types::assert_instance(&self.subject(), VERSION_4, &Value::from(self.data.clone()))
    }

    fn check_version_3(&mut self, session: Session<'_, '_>) -> LookupResult<()> {
        self.warn_deprecated(session);
        self.set_default("version", || Value::Integer(3));
        self.set_default("backends", || Value::array(["yaml".into()]));
        self.set_default("hierarchy", || {
            Value::array(["nodes/%{::trusted.certname}".into(), "common".into()])
        });
        self.set_default("merge_behavior", || "native".into());
        self.set_default("deep_merge_options", || Value::hash([]));
        let backends = strings(self.get("backends"));
        let own: Vec<String> = backends
            .iter()
            .map(|name| {
                format!(
                    "Optional['{}'] => Hash[String[1],Any]",
                    name.replace('\\', "\\\\").replace('\'', "\\'")
                )
            })
            .collect();
        let expected = format!("Struct[{{{VERSION_3}, {}}}]", own.join(", "));
        types::assert_instance(&self.subject(), &expected, &Value::from(self.data.clone()))
    }
}

/// The configuration of version 5 that applies without a file.
fn default_configuration() -> Hash {
    let defaults = Value::hash([("datadir".into(), "data".into()), ("data_hash".into(), "yaml_data".into())]);
    let common = Value::hash([("name".into(), "Common".into()), ("path".into(), "common.yaml".into())]);
    [
        ("version".into(), Value::Integer(5)),
        ("defaults".into(), defaults),
        ("hierarchy".into(), Value::array([common])),
    ]
    .into_iter()
    .collect()
}

/// The content of a configuration of version 3, besides its backends' own settings.
const VERSION_3: &str = "Optional['version'] => Integer[3,3], \
    Optional['backends'] => Variant[String[1],Array[String[1]]], \
    Optional['logger'] => String[1], \
    Optional['merge_behavior'] => Enum['deep','deeper','native'], \
    Optional['deep_merge_options'] => Hash[String[1],Variant[String,Boolean]], \
    Optional['hierarchy'] => Variant[String[1],Array[String[1]]]";

/// The content of a configuration of version 4.
const VERSION_4: &str = "Struct[{'version' => Integer[4,4], \
    Optional['datadir'] => String[1], \
    Optional['hierarchy'] => Array[Struct[{'backend' => String[1], 'name' => String[1], \
    Optional['datadir'] => String[1], Optional['path'] => String[1], Optional['paths'] => Array[String[1]]}]]}]";

/// The type of a hierarchy of version 5.
macro_rules! hierarchy_type {
    () => {
        concat!(
            "Array[Struct[{'name' => String[1], ",
            r"Optional['options'] => Hash[Pattern[/\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\z/],Data], ",
            "Optional['data_hash'] => String[1], Optional['lookup_key'] => String[1], ",
            "Optional['hiera3_backend'] => String[1], Optional['v4_data_hash'] => String[1], ",
            "Optional['data_dig'] => String[1], Optional['path'] => String[1], ",
            "Optional['paths'] => Array[String[1],1,default], Optional['glob'] => String[1], ",
            "Optional['globs'] => Array[String[1],1,default], Optional['uri'] => String[1], ",
            "Optional['uris'] => Array[String[1],1,default], Optional['mapped_paths'] => Array[String[1],3,3], ",
            "Optional['datadir'] => String[1]}]]"
        )
    };
}

/// The content of a configuration of version 5.
const VERSION_5: &str = concat!(
    "Struct[{'version' => Integer[5,5], ",
    "Optional['defaults'] => Struct[{Optional['data_hash'] => String[1], Optional['lookup_key'] => String[1], ",
    "Optional['data_dig'] => String[1], Optional['datadir'] => String[1], ",
    r"Optional['options'] => Hash[Pattern[/\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\z/],Data]}], ",
    "Optional['hierarchy'] => ",
    hierarchy_type!(),
    ", Optional['plan_hierarchy'] => ",
    hierarchy_type!(),
    ", Optional['default_hierarchy'] => ",
    hierarchy_type!(),
    "}]"
);

/// Converts Symbol keys to strings, at all levels.
pub(super) fn symbol_keys_to_strings(value: &Value) -> Value {
    match value {
        Value::Hash(hash) => Value::hash(hash.iter().map(|(key, value)| {
            let key = match key {
                Value::Runtime(symbol) if symbol.is_symbol() => Value::String(symbol.text.clone()),
                key => key.clone(),
            };
            (key, symbol_keys_to_strings(value))
        })),
        Value::Array(list) => Value::array(list.iter().map(symbol_keys_to_strings)),
        value => value.clone(),
    }
}

/// One text, or those of an array.
pub(super) fn strings(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.to_string()],
        Some(Value::Array(list)) => {
            list.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    }
}

/// The number at the start of a text, as Ruby's `to_i` reads it.
fn leading_integer(text: &str) -> i64 {
    let text = text.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..digits].parse().unwrap_or(0)
}

/// A line up to its comment.
fn without_comment(line: &str) -> String {
    let mut quote = None;
    let mut kept = String::new();
    for char in line.chars() {
        match char {
            '"' | '\'' if quote == Some(char) => quote = None,
            '"' | '\'' if quote.is_none() => quote = Some(char),
            '#' => break,
            _ => {}
        }
        kept.push(char);
    }
    kept
}
