//! Resources during a compilation: parameters with their setters, tags, and the rules of overriding.
//!
//! Follows the reference's `parser/resource.rb` and `parser/resource/param.rb`.

use std::rc::Rc;
use std::sync::Arc;

use smallvec::SmallVec;

use super::location_text;
use crate::catalog::reference::{self, capitalize_segments};
use crate::catalog::resource_types::{ResourceType, is_metaparameter};
use crate::catalog::{ResourceKind, Tags};
use crate::eval::Scope;
pub(super) use crate::eval::{Parameter, Source};
use crate::loader::Definition;
use bunraku_pcore::Named;
use bunraku_pcore::pairs::hash_of;
use bunraku_pcore::types::Type;
use bunraku_pcore::types::mismatch::is_deferred;
use bunraku_pcore::value::{Str, Value};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::source::Location;

/// The number of a resource in its compilation: its position in the catalog.
pub(super) type ResourceId = usize;

/// The type of a resource.
#[derive(Clone, Debug)]
pub(super) enum TypeOf {
    /// A type that agents manage.
    Native(Arc<ResourceType>),
    /// A class.
    Class(Arc<Definition>),
    /// A defined type.
    Define(Arc<Definition>),
    /// A node definition, with the pattern when it has one.
    Node(Arc<Definition>, Option<Str>),
    /// The main class.
    Main,
    /// The class `settings`.
    Settings,
    /// Nothing that is known.
    Unknown(Str),
}

impl TypeOf {
    /// The type's name as references show it.
    pub fn name(&self) -> Str {
        match self {
            Self::Native(of) => capitalize_segments(&of.name),
            Self::Define(definition) => capitalize_segments(&definition.name),
            Self::Class(_) | Self::Main | Self::Settings => "Class".into(),
            Self::Node(..) => "Node".into(),
            Self::Unknown(name) => capitalize_segments(name),
        }
    }

    /// The word for the type in catalogs, unless the declaration says otherwise.
    pub const fn kind(&self) -> ResourceKind {
        match self {
            Self::Native(_) => ResourceKind::CompilableType,
            Self::Define(_) => ResourceKind::DefinedType,
            Self::Class(_) | Self::Main | Self::Settings | Self::Node(..) | Self::Unknown(_) => {
                ResourceKind::Unknown
            }
        }
    }
}

/// A resource in the making.
#[derive(Clone, Debug)]
pub(super) struct WorkingResource {
    /// As references show it.
    pub type_name: Str,
    pub title: Str,
    /// The title as a function has given it, when it was no text. Such a title makes no tag, and `name` is
    /// the text.
    pub bare_title: Option<Value>,
    /// Whether the title is the reference's symbol `:main`, which no manifest can write.
    pub is_main: bool,
    pub type_of: TypeOf,
    pub kind: ResourceKind,
    pub file: Option<Arc<str>>,
    pub line: Option<u32>,
    pub is_virtual: bool,
    pub exported: bool,
    /// Whether a function has declared it.
    pub by_function: bool,
    /// Whether its body was evaluated, or is being evaluated.
    pub evaluated: bool,
    /// Whether the tags of the scope were added.
    pub has_scope_tags: bool,
    pub finished: bool,
    /// Whether the parameters, as they are, were checked against those of the class or defined type.
    pub is_checked: bool,
    /// Whether its metaparameters accept any values: its definition has no parameters with these names.
    pub has_common_metaparameters: bool,
    /// Whether the compiler finishes it: all but the first stage and the settings.
    pub is_listed: bool,
    pub parameters: Named<Parameter>,
    pub sensitive: Vec<Str>,
    pub tags: Tags,
    /// The container whose tags were handed down last, and how many there were; none of the first resource's
    /// at the beginning.
    pub handed_down: (ResourceId, usize),
    pub source: Source,
    /// The scope that declares it.
    pub scope: Rc<Scope>,
    /// Which exported resource of another node it is.
    pub collector_id: Option<String>,
    /// Titles under which it is known too.
    pub aliases: Vec<Str>,
}

impl WorkingResource {
    /// A resource of a type in a scope, without parameters and tags.
    pub fn new(type_of: TypeOf, title: impl Into<Str>, scope: &Rc<Scope>) -> Self {
        let type_name = type_of.name();
        Self::named(type_of, type_name, title.into(), scope)
    }

    /// As [`new`](Self::new), of a type whose name as references show it is known.
    pub fn named(type_of: TypeOf, type_name: Str, title: Str, scope: &Rc<Scope>) -> Self {
        // The type `component` represents a class, as in the reference.
        let (type_name, title) = match &type_of {
            TypeOf::Native(of) if of.name == "component" => reference::canonical(&of.name, &title),
            _ => (type_name, title),
        };
        Self {
            type_name,
            title,
            bare_title: None,
            is_main: false,
            kind: type_of.kind(),
            type_of,
            file: None,
            line: None,
            is_virtual: false,
            exported: false,
            by_function: false,
            evaluated: false,
            has_scope_tags: false,
            finished: false,
            is_checked: false,
            has_common_metaparameters: false,
            is_listed: true,
            parameters: Named::new(),
            sensitive: Vec::new(),
            tags: Tags::new(),
            handed_down: (0, 0),
            source: Source::of(scope),
            scope: Rc::clone(scope),
            collector_id: None,
            aliases: Vec::new(),
        }
    }

    /// `Type[title]`
    pub fn reference(&self) -> Str {
        reference::text(&self.type_name, &self.title)
    }

    /// The reference as a type of the language.
    pub fn reference_type(&self) -> Type {
        Type::resource(self.type_name.clone(), Some(self.title.clone()))
    }

    /// Whether it is a class.
    pub fn is_class(&self) -> bool {
        self.type_name == "Class"
    }

    /// Whether it is a type that agents manage.
    pub const fn is_native(&self) -> bool {
        matches!(self.type_of, TypeOf::Native(_))
    }

    /// The place of the declaration, for errors.
    pub fn location(&self) -> Location {
        let file = self.file.clone().filter(|file| !file.is_empty());
        Location { file, line: self.line, column: None }
    }

    /// The title as manifests see it.
    pub fn title_value(&self) -> Value {
        self.bare_title.clone().unwrap_or_else(|| Value::String(self.title.clone()))
    }

    /// A parameter's value, when it is set; `title` is the title.
    pub fn get(&self, name: &str) -> Value {
        if name == "title" {
            return self.title_value();
        }
        self.parameters.get(name).map(|parameter| parameter.value.clone()).unwrap_or_default()
    }

    /// Sets a parameter and replaces an existing value. The values of `tag` become tags.
    ///
    /// # Errors
    /// A tag is invalid.
    pub fn set(&mut self, parameter: Parameter) -> Result<(), Error> {
        self.set_hashed(hash_of(parameter.name.as_str()), parameter)
    }

    /// As [`set`](Self::set), with the known [hash](hash_of) of the name.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn set_hashed(&mut self, hash: u64, parameter: Parameter) -> Result<(), Error> {
        self.is_checked = self.is_checked
            && self.has_common_metaparameters
            && is_metaparameter(&parameter.name)
            && !is_deferred(&parameter.value);
        if parameter.name == "tag" {
            self.add_tag_values(&parameter.value)?;
        }
        self.parameters.insert_hashed(hash, parameter.name.clone(), parameter);
        Ok(())
    }

    /// Adds the texts in a value as tags.
    ///
    /// # Errors
    /// A tag is invalid.
    pub fn add_tag_values(&mut self, value: &Value) -> Result<(), Error> {
        if let Some(tag) = value.as_str() {
            return self.tags.add(tag).map_err(|error| Error { location: self.location(), ..error });
        }
        let mut tags = Vec::new();
        tag_texts(value, &mut tags);
        for tag in tags {
            self.tags.add(&tag).map_err(|error| Error { location: self.location(), ..error })?;
        }
        Ok(())
    }

    /// Sets the parameters of a declaration and adds the tags that every resource has.
    ///
    /// # Errors
    /// A parameter is given twice, or a tag is invalid.
    pub fn fill(&mut self, parameters: impl IntoIterator<Item = Parameter>) -> Result<(), Error> {
        let parameters = parameters.into_iter();
        let mut named = Named::with_capacity(parameters.size_hint().0);
        for parameter in parameters {
            let name = parameter.name.clone();
            if !named.insert_new(name.clone(), parameter) {
                let message = format!("Duplicate parameter '{name}' for on {}", self.reference());
                return Err(Error { location: self.location(), ..Error::plain(message) });
            }
        }
        self.fill_with(named)
    }

    /// As [`fill`](Self::fill), with parameters whose names are unique.
    ///
    /// # Errors
    /// A tag is invalid.
    pub fn fill_with(&mut self, parameters: Named<Parameter>) -> Result<(), Error> {
        self.parameters = parameters;
        if let TypeOf::Class(class) = &self.type_of
            && self.tags.is_empty()
            && self.bare_title.is_none()
            && class.findings.title.get() == Some(&self.title)
            && !self.parameters.contains_key("tag")
        {
            let tags = class.findings.tags.get_or_init(|| {
                let mut tags = Tags::new();
                tags.add_if_valid(&self.type_name);
                tags.add_if_valid(&self.title);
                tags.iter().map(|tag| (tag.clone(), ())).collect()
            });
            self.tags = Tags::from(tags.clone());
            return Ok(());
        }
        if let Some(tag) = self.parameters.get("tag").map(|tag| tag.value.clone()) {
            self.add_tag_values(&tag)?;
        }
        match &self.type_of {
            TypeOf::Native(of) if of.name != "component" => self.tags.add_name(&of.name),
            TypeOf::Define(definition) => self.tags.add_name(&definition.name),
            _ => self.tags.add(&self.type_name)?,
        }
        if !self.is_main && self.bare_title.is_none() {
            self.tags.add_if_valid(&self.title);
        }
        Ok(())
    }

    /// Sets the defaults of its scope for missing parameters.
    ///
    /// # Errors
    /// A tag is invalid.
    pub fn add_defaults(&mut self) -> Result<(), Error> {
        if !self.scope.may_have_defaults() {
            return Ok(());
        }
        for default in defaults_of(&self.scope, &self.type_name).into_values() {
            if !self.parameters.contains_key(&default.name) {
                self.set(default)?;
            }
        }
        Ok(())
    }

    /// Whether its title is certainly the value of its only identifying parameter.
    pub fn is_known_by_title(&self) -> bool {
        let is_set = |name: &str| self.parameters.contains_key(name);
        match &self.type_of {
            TypeOf::Native(of) => {
                of.is_named_by_title(&self.title) && !is_set("name") && !is_set(of.namevar())
            }
            _ => !is_set("name"),
        }
    }

    /// The values of the identifying parameters, sorted by the names of the parameters.
    ///
    /// # Errors
    /// The title matches no pattern of the type.
    pub fn uniqueness_key(&self) -> Result<Key, Error> {
        let TypeOf::Native(of) = &self.type_of else {
            let name = self.get("name");
            let key = if name.is_undef() { Value::String(self.title.clone()) } else { name };
            return Ok(Key::from_iter([key]));
        };
        let get = |name: &str| Some(self.get(name)).filter(|value| !value.is_undef());
        native_key(of, &self.title, get)
    }

    /// Applies a parameter of an override.
    ///
    /// # Errors
    /// The parameter has a value that must not be overridden from here.
    pub fn override_parameter(
        &mut self,
        parameter: Parameter,
        is_child_of: &dyn Fn(&Source, &Source) -> bool,
    ) -> Result<(), Error> {
        let Some(current) = self.parameters.get(&parameter.name) else { return self.set(parameter) };
        if is_default(&self.scope, &self.type_name, &parameter.name, &parameter.value) {
            return Ok(());
        }
        let allowed = is_child_of(&parameter.setter.source, &current.setter.source)
            || parameter.setter.source == current.setter.source
                && is_default(&self.scope, &self.type_name, &parameter.name, &current.value);
        if !allowed {
            let by =
                if current.setter.source == Source::Nobody { "" } else { " by #<Puppet::Resource::Type>" };
            let place = location_text(current.setter.file.as_deref(), current.line);
            let at = if place.is_empty() { String::new() } else { format!(" at {place}") };
            let message = format!(
                "Parameter '{}' is already set on {}{by}{at}; cannot redefine",
                parameter.name,
                self.reference()
            );
            return Err(Error { location: parameter.location(), ..Error::plain(message) });
        }
        let mut parameter = parameter;
        if parameter.append {
            let mut values = Vec::new();
            flatten_into(&current.value, &mut values);
            flatten_into(&parameter.value, &mut values);
            parameter.value = Value::from(values);
            let before = current.origin.clone();
            parameter.origin = parameter.origin.map(|origin| origin.appended_to(before));
        }
        self.set(parameter)
    }

    /// Moves secrets out of the parameters: the values become plain, their names are noted.
    pub fn unwrap_sensitive(&mut self) {
        for parameter in self.parameters.values_mut() {
            if let Value::Sensitive(secret) = &parameter.value {
                parameter.value = Value::clone(secret);
                self.sensitive.push(parameter.name.clone());
            }
        }
    }
}

/// The values of the parameters that identify a resource; nearly always one.
pub(super) type Key = SmallVec<[Value; 1]>;

/// The values of a native type's key parameters, sorted by name; `get` returns the parameters that are set.
pub(super) fn native_key(
    of: &ResourceType,
    title: &str,
    get: impl Fn(&str) -> Option<Value>,
) -> Result<Key, Error> {
    let from_title = of.parse_title(title)?;
    let value = |name: &str| {
        let parsed =
            || from_title.iter().find(|(known, _)| known == name).map(|(_, text)| text.clone().into());
        get(name).or_else(parsed)
    };
    let namevar = of.namevar();
    let name = [namevar, "name"].into_iter().find_map(|name| value(name).filter(Value::is_truthy));
    let name = name.unwrap_or_else(|| Value::from(title));
    if of.keys.len() == 1 {
        return Ok(Key::from_iter([name]));
    }
    let mut keys: SmallVec<[&Str; 2]> = of.keys.iter().collect();
    keys.sort();
    let of_key = |key: &Str| {
        let found = value(key).filter(|found| key != namevar && key != "name" || found.is_truthy());
        found.unwrap_or_else(|| if key == namevar || key == "name" { name.clone() } else { Value::Undef })
    };
    Ok(keys.into_iter().map(of_key).collect())
}

/// The defaults for a resource type in a scope; those of inner scopes go before those of outer ones.
pub(super) fn defaults_of(scope: &Rc<Scope>, type_name: &str) -> Named<Parameter> {
    let with: SmallVec<[_; 4]> = scope.with_defaults_for(type_name).collect();
    let mut all = Named::new();
    for scope in with.into_iter().rev() {
        if let Some(defaults) = scope.defaults().get(type_name) {
            all.extend(defaults.iter().map(|(name, default)| (name.clone(), default.clone())));
        }
    }
    all
}

/// Whether a value is the default for a parameter in a scope or those around it.
fn is_default(scope: &Rc<Scope>, type_name: &str, name: &str, value: &Value) -> bool {
    scope.with_defaults_for(type_name).any(|scope| {
        let defaults = scope.defaults();
        let default = defaults.get(type_name).and_then(|defaults| defaults.get(name));
        default.is_some_and(|default| default.value == *value)
    })
}

/// Adds a value to a list; arrays with all that is in them.
pub(super) fn flatten_into(value: &Value, into: &mut Vec<Value>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| flatten_into(value, into)),
        other => into.push(other.clone()),
    }
}

fn tag_texts(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Undef => {}
        Value::Array(values) => values.iter().for_each(|value| tag_texts(value, into)),
        Value::Hash(pairs) => pairs.iter().for_each(|(key, value)| {
            tag_texts(key, into);
            tag_texts(value, into);
        }),
        other => into.push(super::text_of(other)),
    }
}
