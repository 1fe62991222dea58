//! The documentation of a module's definitions, and its form in JSON.
//!
//! Follows puppet-strings' `code_objects`.

use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};

use super::docstring::Docstring;
use super::tag::{defaults, signature};
use super::warning::Place;

/// Parameters with the texts of their defaults.
pub type Parameters = Vec<(String, Option<String>)>;

/// A class, a defined type or a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// The full name.
    pub name: String,
    /// The file, as it was asked for.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The class that it inherits.
    pub inherits: Option<String>,
    /// The docstring.
    pub docstring: Docstring,
    /// Its parameters.
    pub parameters: Parameters,
    /// Its text.
    pub source: String,
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The full name.
    pub name: String,
    /// The file, as it was asked for.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The language.
    pub kind: FunctionKind,
    /// The docstring.
    pub docstring: Docstring,
    /// Its parameters, when it has one signature.
    pub parameters: Parameters,
    /// Its text.
    pub source: String,
}

/// The language of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// The Puppet language.
    Puppet,
    /// Ruby, with `Puppet::Parser::Functions`.
    Ruby3x,
    /// Ruby, with `Puppet::Functions`.
    Ruby4x,
}

/// An alias of a type.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeAlias {
    /// The full name.
    pub name: String,
    /// The file, as it was asked for.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The docstring.
    pub docstring: Docstring,
    /// The type of the alias.
    pub alias_of: String,
}

/// A data type that is written in Ruby.
#[derive(Clone, Debug, PartialEq)]
pub struct DataType {
    /// The name.
    pub name: String,
    /// The file, as it was asked for.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The docstring.
    pub docstring: Docstring,
    /// Values of attributes that are not given.
    pub defaults: IndexMap<String, Json>,
    /// Its functions: name, signature, documentation.
    pub functions: Vec<(String, String, Docstring)>,
}

/// A type of resources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceType {
    /// The name.
    pub name: String,
    /// The file, as it was asked for.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The docstring.
    pub docstring: Docstring,
    /// Its own description, with tags.
    pub description: String,
    /// The text that Puppet shows: its own, without those of its parts.
    pub own_text: String,
    /// Whether the type itself was declared, and not only more attributes of it.
    pub is_declared: bool,
    /// Whether it is a definition of the Resource API.
    pub is_defined: bool,
    /// The managed attributes.
    pub properties: Vec<Attribute>,
    /// How it is managed.
    pub parameters: Vec<Attribute>,
    /// The checks that decide whether it is managed.
    pub checks: Vec<Attribute>,
    /// The possible features of providers, with their descriptions.
    pub features: Vec<(String, String)>,
}

/// An attribute of a type of resources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attribute {
    /// The name.
    pub name: String,
    /// The description.
    pub description: String,
    /// The text that Puppet shows: its own.
    pub own_text: String,
    /// The values that it takes.
    pub values: Vec<String>,
    /// Its type, as it was written.
    pub data_type: Option<Json>,
    /// Other words for values.
    pub aliases: IndexMap<String, String>,
    /// Whether it names the resource.
    pub is_namevar: bool,
    /// Whether it declares this itself.
    pub says_namevar: bool,
    /// The feature that providers need for it.
    pub required_features: Option<String>,
    /// All features that providers need for it.
    pub needs: Vec<String>,
    /// Its value when none is given.
    pub default: Option<Json>,
    /// Puppet's form of its data type, or of its values if the type's file has run.
    pub shown: Option<ShownValues>,
}

/// The values of an attribute, as Puppet shows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownValues {
    /// The values, for people.
    pub text: String,
    /// Their type, for `.resource_types`.
    pub of: String,
}

/// A provider of a type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provider {
    /// The name.
    pub name: String,
    /// The type.
    pub type_name: String,
    /// The file, as it was asked for.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The docstring.
    pub docstring: Docstring,
    /// The conditions for its use.
    pub confines: IndexMap<String, String>,
    /// The features.
    pub features: Vec<String>,
    /// The conditions under which it is the default.
    pub defaults: Vec<Vec<(String, String)>>,
    /// Programs that it runs.
    pub commands: IndexMap<String, String>,
    /// Its own text.
    pub own_text: String,
    /// All programs that it knows, those that need not be there too.
    pub binaries: Vec<String>,
    /// The text that Puppet shows, if its file has run.
    pub shown: Option<String>,
}

/// A task.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The name of its file.
    pub name: String,
    /// The file with its metadata.
    pub file: String,
    /// The description.
    pub description: Docstring,
    /// The parameters: name, description, type.
    pub parameters: Vec<(String, String, Option<String>)>,
    /// The text of the metadata.
    pub source: String,
    /// The value in the metadata.
    pub supports_noop: Json,
    /// The value in the metadata.
    pub input_method: Json,
}

struct Members(Map<String, Json>);

impl Members {
    fn of(name: &str, file: &str, line: usize) -> Self {
        Self(Map::new()).with("name", name).with("file", file).with("line", line)
    }

    fn with(mut self, name: &str, value: impl Into<Json>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    fn with_some(self, name: &str, value: Option<Json>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    fn with_list(self, name: &str, list: Vec<Json>) -> Self {
        if list.is_empty() { self } else { self.with(name, list) }
    }

    fn with_texts(self, name: &str, texts: &IndexMap<String, String>) -> Self {
        let members: Map<String, Json> =
            texts.iter().map(|(name, text)| (name.clone(), text.as_str().into())).collect();
        if members.is_empty() { self } else { self.with(name, members) }
    }

    fn with_source(self, source: &str) -> Self {
        if source.is_empty() { self } else { self.with("source", source) }
    }
}

impl Definition {
    /// The place.
    pub(super) fn place(&self) -> Place<'_> {
        Place { file: &self.file, line: self.line }
    }

    /// Adds a definition; one of the same name before it keeps its text.
    pub(super) fn add(all: &mut Vec<Self>, own: Self) {
        match all.iter_mut().find(|other| other.name == own.name) {
            Some(other) => other.docstring = own.docstring,
            None => all.push(own),
        }
    }

    /// As puppet-strings writes it.
    pub fn to_json(&self) -> Json {
        let own = Members::of(&self.name, &self.file, self.line)
            .with_some("inherits", self.inherits.as_deref().map(Json::from))
            .with("docstring", self.docstring.to_json())
            .with_some("defaults", defaults(&self.parameters))
            .with_source(&self.source);
        Json::Object(own.0)
    }
}

impl FunctionKind {
    /// As puppet-strings writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Puppet => "puppet",
            Self::Ruby3x => "ruby3x",
            Self::Ruby4x => "ruby4x",
        }
    }

    /// As people read it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Puppet => "Puppet Language",
            Self::Ruby3x => "Ruby 3.x API",
            Self::Ruby4x => "Ruby 4.x API",
        }
    }
}

impl Function {
    /// The signatures, each with its docstring.
    pub fn signatures(&self) -> Vec<(String, &Docstring)> {
        let overloads = self.docstring.tags_named("overload").filter_map(|tag| tag.overload.as_deref());
        let overloads: Vec<_> = overloads.map(|one| (one.signature(), &one.docstring)).collect();
        if overloads.is_empty() {
            vec![(signature(&self.name, &self.parameters, &self.docstring), &self.docstring)]
        } else {
            overloads
        }
    }

    /// As puppet-strings writes it.
    pub fn to_json(&self) -> Json {
        let signatures = self.signatures().into_iter().map(|(signature, docstring)| {
            json!({ "signature": signature, "docstring": docstring.to_json_of_signature() })
        });
        let own = Members::of(&self.name, &self.file, self.line)
            .with("type", self.kind.name())
            .with("signatures", signatures.collect::<Vec<_>>())
            .with("docstring", self.docstring.to_json())
            .with_some("defaults", defaults(&self.parameters))
            .with_source(&self.source);
        Json::Object(own.0)
    }
}

impl TypeAlias {
    /// As puppet-strings writes it.
    pub fn to_json(&self) -> Json {
        let own = Members::of(&self.name, &self.file, self.line)
            .with("docstring", self.docstring.to_json())
            .with("alias_of", self.alias_of.as_str());
        Json::Object(own.0)
    }
}

impl DataType {
    /// As puppet-strings writes it.
    pub fn to_json(&self) -> Json {
        let defaults: Map<String, Json> =
            self.defaults.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let functions = self.functions.iter().map(|(name, signature, docstring)| {
            json!({ "name": name, "signature": signature, "docstring": docstring.to_json_of_signature() })
        });
        let own = Members::of(&self.name, &self.file, self.line)
            .with("docstring", self.docstring.to_json_of_signature())
            .with_some("defaults", (!defaults.is_empty()).then_some(Json::Object(defaults)))
            .with("functions", functions.collect::<Vec<_>>());
        Json::Object(own.0)
    }
}

impl Attribute {
    /// As puppet-strings writes it.
    pub fn to_json(&self) -> Json {
        let own = Members(Map::new())
            .with("name", self.name.as_str())
            .with_some(
                "description",
                (!self.description.is_empty()).then(|| self.description.as_str().into()),
            )
            .with_list("values", self.values.iter().map(|value| Json::from(value.as_str())).collect())
            .with_some("data_type", self.data_type.clone())
            .with_texts("aliases", &self.aliases)
            .with_some("isnamevar", self.is_namevar.then_some(Json::Bool(true)))
            .with_some("required_features", self.required_features.as_deref().map(Json::from))
            .with_some("default", self.default.clone());
        Json::Object(own.0)
    }
}

impl ResourceType {
    /// As puppet-strings writes it; `providers` are those of all types.
    pub fn to_json(&self, providers: &[Provider]) -> Json {
        let mut of_type: Vec<&Provider> =
            providers.iter().filter(|provider| provider.type_name == self.name).collect();
        of_type.sort_by(|one, other| one.name.cmp(&other.name));
        let features = self.features.iter().map(|(name, text)| {
            if text.is_empty() {
                json!({ "name": name })
            } else {
                json!({ "name": name, "description": text })
            }
        });
        let mut features: Vec<Json> = features.collect();
        features.sort_by(|one, other| one["name"].as_str().cmp(&other["name"].as_str()));
        let own = Members::of(&self.name, &self.file, self.line)
            .with("docstring", self.docstring.to_json())
            .with_list("properties", sorted(&self.properties))
            .with_list("parameters", sorted(&self.all_parameters(!of_type.is_empty())))
            .with_list("checks", sorted(&self.checks))
            .with_list("features", features)
            .with_list("providers", of_type.into_iter().map(Provider::to_json).collect());
        Json::Object(own.0)
    }

    /// The parameters, with the provider if there are providers.
    pub fn all_parameters(&self, has_providers: bool) -> Vec<Attribute> {
        let mut parameters = self.parameters.clone();
        if has_providers && !parameters.iter().any(|one| one.name == "provider") {
            let description = format!(
                "The specific backend to use for this `{}` resource. You will seldom need to specify this --- Puppet \
                 will usually discover the appropriate provider for your platform.",
                self.name
            );
            parameters.push(Attribute { name: "provider".to_owned(), description, ..Attribute::default() });
        }
        parameters
    }
}

fn sorted(attributes: &[Attribute]) -> Vec<Json> {
    let mut attributes: Vec<&Attribute> = attributes.iter().collect();
    attributes.sort_by(|one, other| one.name.cmp(&other.name));
    attributes.into_iter().map(Attribute::to_json).collect()
}

impl Provider {
    /// As puppet-strings writes it.
    pub fn to_json(&self) -> Json {
        let defaults =
            self.defaults.iter().map(|of| of.iter().map(|(name, value)| json!([name, value])).collect());
        let own = Members(Map::new())
            .with("name", self.name.as_str())
            .with("type_name", self.type_name.as_str())
            .with("file", self.file.as_str())
            .with("line", self.line)
            .with("docstring", self.docstring.to_json())
            .with_texts("confines", &self.confines)
            .with_list("features", self.features.iter().map(|feature| Json::from(feature.as_str())).collect())
            .with_list("defaults", defaults.collect())
            .with_texts("commands", &self.commands);
        Json::Object(own.0)
    }
}

impl Task {
    /// As puppet-strings writes it.
    pub fn to_json(&self) -> Json {
        let tags = self.parameters.iter().map(
            |(name, text, of)| json!({ "name": name, "tag_name": "param", "text": text, "types": [of] }),
        );
        json!({
            "name": self.name,
            "file": self.file,
            "line": 0,
            "docstring": { "text": self.description.text, "tags": tags.collect::<Vec<_>>() },
            "source": self.source,
            "supports_noop": self.supports_noop,
            "input_method": self.input_method,
        })
    }
}
