//! Metadata of tasks: read, and held against the schema of the task specification.

use indexmap::IndexMap;
use serde_json::{Map, Value as Json};

use bunraku_engine::loader::Module;
use bunraku_engine::wire::Violation;

/// The metadata of a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// The description.
    pub description: Option<String>,
    /// Whether the task can run without changing anything.
    pub supports_noop: bool,
    /// Whether it runs on a proxy of its target.
    pub remote: bool,
    /// How it takes its parameters.
    pub input_method: Option<InputMethod>,
    /// The parameters; `None` takes any.
    pub parameters: Option<IndexMap<String, Parameter>>,
    /// The implementations, in order of preference; `None` if the metadata has none.
    pub implementations: Option<Vec<Implementation>>,
    /// Files that all implementations need: `module/mount/path`.
    pub files: Vec<String>,
    /// Whether it is not shown in lists.
    pub is_private: bool,
}

/// A parameter of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its type, as it was written.
    pub type_text: String,
    /// The description.
    pub description: Option<String>,
    /// Whether its value is hidden.
    pub is_sensitive: bool,
    /// The value that it has when none is given.
    pub default: Option<Json>,
}

/// One of several things that can be run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Implementation {
    /// The name of a file in the directory `tasks`.
    pub name: String,
    /// The required capabilities of a target.
    pub requirements: Vec<String>,
    /// How it takes its parameters, if other than the task.
    pub input_method: Option<InputMethod>,
    /// Files that it needs besides.
    pub files: Vec<String>,
    /// Whether it runs on a proxy of its target.
    pub remote: Option<bool>,
}

/// How parameters are handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputMethod {
    /// As a JSON object on the standard input.
    Stdin,
    /// As variables of the process' environment.
    Environment,
    /// Both of these.
    Both,
    /// As named arguments of a PowerShell script.
    Powershell,
}

const INPUT_METHODS: &[(&str, InputMethod)] = &[
    ("stdin", InputMethod::Stdin),
    ("environment", InputMethod::Environment),
    ("both", InputMethod::Both),
    ("powershell", InputMethod::Powershell),
];

impl InputMethod {
    /// As metadata has it.
    pub fn name(self) -> &'static str {
        INPUT_METHODS.iter().find(|(_, method)| *method == self).map_or("", |(name, _)| name)
    }
}

impl Metadata {
    /// Reads metadata without the parts that violate the schema, and returns these violations.
    pub fn read(json: &Json) -> (Self, Vec<Violation>) {
        let mut reader = Reader { violations: Vec::new() };
        let metadata = match json {
            Json::Object(members) => reader.metadata(members),
            other => {
                reader.wrong("$", "an object", other);
                Self::default()
            }
        };
        (metadata, reader.violations)
    }
}

struct Reader {
    violations: Vec<Violation>,
}

impl Reader {
    fn metadata(&mut self, members: &Map<String, Json>) -> Metadata {
        for (name, value) in members {
            match name.as_str() {
                "puppet_task_version" if value.as_f64().is_none_or(|number| number.fract() != 0.0) => {
                    self.wrong("$.puppet_task_version", "an integer", value)
                }
                "extensions" | "identifiers" if !value.is_object() => {
                    self.wrong(&format!("$.{name}"), "an object", value);
                }
                _ => {}
            }
        }
        Metadata {
            description: self.text(members, "$", "description"),
            supports_noop: self.truth(members, "$", "supports_noop").unwrap_or_default(),
            remote: self.truth(members, "$", "remote").unwrap_or_default(),
            input_method: self.input_method(members, "$"),
            parameters: match members.get("parameters") {
                None => None,
                Some(Json::Object(parameters)) => Some(self.parameters(parameters)),
                Some(other) => {
                    self.wrong("$.parameters", "an object", other);
                    None
                }
            },
            implementations: self.list(members, "$", "implementations").map(|list| {
                let read = |(index, json): (usize, &Json)| {
                    self.implementation(&format!("$.implementations[{index}]"), json)
                };
                list.iter().enumerate().filter_map(read).collect()
            }),
            files: self.texts(members, "$", "files"),
            is_private: self.truth(members, "$", "private").unwrap_or_default(),
        }
    }

    fn parameters(&mut self, members: &Map<String, Json>) -> IndexMap<String, Parameter> {
        let mut parameters = IndexMap::new();
        for (name, json) in members {
            let is_plain = name.starts_with(|first: char| first.is_ascii_alphabetic())
                && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_');
            let at =
                if is_plain { format!("$.parameters.{name}") } else { format!("$.parameters['{name}']") };
            // Parameters are named as modules are.
            if !Module::is_name(name) {
                self.tell(&at, "the name does not match ^[a-z][a-z0-9_]*$");
            }
            let Json::Object(options) = json else {
                self.wrong(&at, "an object", json);
                continue;
            };
            let parameter = Parameter {
                type_text: self.text(options, &at, "type").unwrap_or_else(|| "Any".to_owned()),
                description: self.text(options, &at, "description"),
                is_sensitive: self.truth(options, &at, "sensitive").unwrap_or_default(),
                default: options.get("default").cloned(),
            };
            parameters.insert(name.clone(), parameter);
        }
        parameters
    }

    fn implementation(&mut self, at: &str, json: &Json) -> Option<Implementation> {
        let Json::Object(members) = json else {
            self.wrong(at, "an object", json);
            return None;
        };
        if !members.contains_key("name") {
            self.tell(at, "\"name\" is missing");
        }
        Some(Implementation {
            name: self.text(members, at, "name")?,
            requirements: self.texts(members, at, "requirements"),
            input_method: self.input_method(members, at),
            files: self.texts(members, at, "files"),
            remote: self.truth(members, at, "remote"),
        })
    }

    fn text(&mut self, members: &Map<String, Json>, at: &str, name: &str) -> Option<String> {
        match members.get(name)? {
            Json::String(text) => Some(text.clone()),
            other => {
                self.wrong(&format!("{at}.{name}"), "a string", other);
                None
            }
        }
    }

    fn truth(&mut self, members: &Map<String, Json>, at: &str, name: &str) -> Option<bool> {
        match members.get(name)? {
            Json::Bool(truth) => Some(*truth),
            other => {
                self.wrong(&format!("{at}.{name}"), "a boolean", other);
                None
            }
        }
    }

    fn list<'a>(&mut self, members: &'a Map<String, Json>, at: &str, name: &str) -> Option<&'a [Json]> {
        match members.get(name)? {
            Json::Array(list) => Some(list),
            other => {
                self.wrong(&format!("{at}.{name}"), "an array", other);
                None
            }
        }
    }

    fn texts(&mut self, members: &Map<String, Json>, at: &str, name: &str) -> Vec<String> {
        let list = self.list(members, at, name).unwrap_or_default();
        let mut texts = Vec::new();
        for (index, json) in list.iter().enumerate() {
            match json {
                Json::String(text) => texts.push(text.clone()),
                other => self.wrong(&format!("{at}.{name}[{index}]"), "a string", other),
            }
        }
        texts
    }

    fn input_method(&mut self, members: &Map<String, Json>, at: &str) -> Option<InputMethod> {
        let given = self.text(members, at, "input_method")?;
        let known = INPUT_METHODS.iter().find(|(name, _)| *name == given).map(|(_, method)| *method);
        if known.is_none() {
            let names: Vec<&str> = INPUT_METHODS.iter().map(|(name, _)| *name).collect();
            self.tell(&format!("{at}.input_method"), &format!("none of {}: \"{given}\"", names.join(", ")));
        }
        known
    }

    fn wrong(&mut self, at: &str, wanted: &str, found: &Json) {
        self.tell(at, &format!("not {wanted}: {found}"));
    }

    fn tell(&mut self, at: &str, message: &str) {
        self.violations.push(Violation { path: at.to_owned(), message: message.to_owned() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_are_read_and_what_is_none_is_told() {
        let (metadata, violations) = Metadata::read(&json!({
            "implementations": [{ "name": "a.sh", "requirements": ["shell"], "files": ["m/lib/a.sh"] }],
            "files": ["m/files/b"],
        }));
        assert_eq!(violations, []);
        assert_eq!(metadata.files, ["m/files/b"]);
        let first = &metadata.implementations.expect("there is one")[0];
        assert_eq!(
            (first.name.as_str(), &*first.requirements, &*first.files),
            ("a.sh", &["shell".to_owned()][..], &["m/lib/a.sh".to_owned()][..])
        );
        let (metadata, violations) = Metadata::read(&json!({ "implementations": {}, "files": "m/files/b" }));
        assert!(metadata.implementations.is_none() && metadata.files.is_empty());
        assert_eq!(violations.len(), 2, "{violations:?}");
    }
}
