//! Checks definitions of the Resource API.
//!
//! Follows the gem puppet-resource_api (`type_definition.rb`, `data_type_handling.rb`) with its messages, but
//! reports all violations, each with its place.

use serde_json::{Map, Value as Json, json};

use bunraku_pcore::format::inspect;
use bunraku_pcore::fuel::BoundedFuel;
use bunraku_pcore::types::{NoTypes, Type, TypeKind};
use bunraku_pcore::value::Value;

/// A rule that a definition breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The place, as a JSON path.
    pub path: String,
    /// The violation.
    pub message: String,
    /// Whether the definition can be used all the same.
    pub is_warning: bool,
}

impl Complaint {
    /// As an object with `severity`, `path` and `message`.
    pub fn to_json(&self) -> Json {
        let severity = if self.is_warning { "warning" } else { "error" };
        json!({ "severity": severity, "path": self.path, "message": self.message })
    }
}

/// Names that attributes cannot have.
const RESERVED: &[&str] = &[
    "title",
    "provider",
    "alias",
    "audit",
    "before",
    "consume",
    "export",
    "loglevel",
    "noop",
    "notify",
    "require",
    "schedule",
    "stage",
    "subscribe",
    "tag",
];

const FEATURES: &[&str] = &[
    "supports_noop",
    "canonicalize",
    "custom_insync",
    "remote_resource",
    "simple_get_filter",
    "custom_generate",
];

const BEHAVIOURS: &[&str] = &["read_only", "namevar", "parameter", "init_only"];

const AUTORELATIONS: &[&str] = &["autorequire", "autobefore", "autosubscribe", "autonotify"];

/// Everything in which a definition breaks the rules.
pub fn check(definition: &Json) -> Vec<Complaint> {
    let mut checker = Checker { complaints: Vec::new(), name: String::new() };
    match definition {
        Json::Object(members) => checker.definition(members),
        other => {
            let of = class_of(other);
            checker.wrong("$", format!("Puppet::ResourceApi::TypeDefinition must be a Hash, not `{of}`"));
        }
    }
    checker.complaints
}

/// All violations of a resource's attributes against its definition: unknown ones, and values of other types.
pub fn check_values(definition: &Json, values: &Map<String, Json>) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (name, value) in values.iter().filter(|(name, _)| *name != "title") {
        let path = format!("$.{name}");
        let Some(attribute) = definition["attributes"].get(name) else {
            complaints.push(Complaint {
                path,
                message: format!("Unknown attribute: {name}"),
                is_warning: false,
            });
            continue;
        };
        let of = attribute["type"].as_str().and_then(|text| Type::parse(text, &NoTypes).ok());
        if let Some(mismatch) = of.and_then(|of| of.mismatch("", &Value::from(value))) {
            let shown = match attribute["sensitive"] == true {
                true => format!("<< redacted value >> {mismatch}"),
                false => format!(
                    "{} ({mismatch})",
                    match value {
                        Json::Null => String::new(),
                        Json::String(text) => text.clone(),
                        other => inspect(&Value::from(other)),
                    }
                ),
            };
            let message = format!("Value type mismatch: {name}: {shown}");
            complaints.push(Complaint { path, message, is_warning: false });
        }
    }
    complaints
}

struct Checker {
    complaints: Vec<Complaint>,
    name: String,
}

impl Checker {
    fn wrong(&mut self, path: &str, message: impl Into<String>) {
        self.complaints.push(Complaint { path: path.to_owned(), message: message.into(), is_warning: false });
    }

    fn warn(&mut self, path: &str, message: impl Into<String>) {
        self.complaints.push(Complaint { path: path.to_owned(), message: message.into(), is_warning: true });
    }

    fn definition(&mut self, members: &Map<String, Json>) {
        match members.get("name") {
            None => self.wrong("$", "Puppet::ResourceApi::TypeDefinition must have a name"),
            Some(name) => self.name = name.as_str().map_or_else(|| name.to_string(), str::to_owned),
        }
        let name = self.name.clone();
        let none = Map::new();
        let attributes = match members.get("attributes") {
            None => {
                self.wrong("$", "Puppet::ResourceApi::TypeDefinition must have `attributes`");
                &none
            }
            Some(Json::Object(attributes)) => attributes,
            Some(other) => {
                let of = class_of(other);
                self.wrong("$.attributes", format!("`{name}.attributes` must be a hash, not `{of}`"));
                &none
            }
        };
        match (members.get("docs"), members.get("desc")) {
            (Some(_), Some(desc)) if !desc.is_null() => {
                self.wrong("$.docs", format!("`{name}` has both `desc` and `docs`, prefer using `desc`"))
            }
            (None, None) => {
                self.warn("$", format!("`{name}` has no documentation, add it using a `desc` key"))
            }
            _ => {}
        }
        for (key, attribute) in attributes {
            self.attribute(key, attribute);
        }
        for key in RESERVED.iter().filter(|key| attributes.contains_key(**key)) {
            let path = format!("$.attributes.{key}");
            self.wrong(&path, format!("must not define an attribute called `:{key}`"));
        }
        match members.get("title_patterns") {
            None => {}
            Some(Json::Array(patterns)) => self.title_patterns(patterns),
            Some(other) => {
                let of = class_of(other);
                self.wrong("$.title_patterns", format!("`:title_patterns` must be an array, not `{of}`"));
            }
        }
        let ensure = attributes.get("ensure").and_then(|ensure| ensure["type"].as_str());
        let ensure = ensure.and_then(|text| Type::parse(text, &NoTypes).ok());
        if ensure.is_some_and(|of| !is_type_of_ensure(&of)) {
            let message = "`:ensure` attribute must have a type of: `Enum[present, absent]` or `Optional[Enum[present, absent]]`";
            self.wrong("$.attributes.ensure.type", message);
        }
        let features: Vec<&Json> =
            members.get("features").and_then(Json::as_array).into_iter().flatten().collect();
        let is_known = |feature: &&Json| feature.as_str().is_some_and(|feature| FEATURES.contains(&feature));
        let unknown: Vec<String> =
            features.into_iter().filter(|feature| !is_known(feature)).map(Json::to_string).collect();
        if !unknown.is_empty() {
            self.warn("$.features", format!("Unknown feature detected: [{}]", unknown.join(", ")));
        }
        for (key, attribute) in attributes {
            self.behaviour(key, attribute);
        }
        for relation in AUTORELATIONS {
            if members.get(*relation).is_some_and(|relation| !relation.is_object() && !relation.is_null()) {
                self.wrong(
                    &format!("$.{relation}"),
                    format!("`{relation}` must be a hash of types to titles"),
                );
            }
        }
    }

    fn attribute(&mut self, key: &str, attribute: &Json) {
        let (path, name) = (format!("$.attributes.{key}"), self.name.clone());
        if key == "rsapi_custom_insync_trigger" {
            let message = "`rsapi_custom_insync_trigger` cannot be specified as an attribute; it is reserved for propertyless types \
                           with the custom_insync feature";
            self.wrong(&path, message);
        }
        let Json::Object(members) = attribute else {
            let of = class_of(attribute);
            return self.wrong(&path, format!("`{name}.{key}` must be a Hash, not a {of}"));
        };
        if !members.contains_key("desc") {
            self.warn(&path, format!("`{name}.{key}` has no documentation, add it using a `desc` key"));
        }
        match members.get("type").map(Json::as_str) {
            None => self.wrong(&path, format!("`{name}.{key}` has no type")),
            Some(text) => self.attribute_type(key, &path, text.unwrap_or_default(), members.get("default")),
        }
        if members.contains_key("behavior") && members.contains_key("behaviour") {
            let message =
                format!("the '{key}' attribute has both a `behavior` and a `behaviour`, only use one");
            self.wrong(&path, message);
        }
    }

    fn behaviour(&mut self, key: &str, attribute: &Json) {
        let behaviour = attribute.get("behavior").filter(|of| !of.is_null());
        let behaviour = behaviour.or_else(|| attribute.get("behaviour")).filter(|of| !of.is_null());
        if let Some(of) = behaviour.filter(|of| !of.as_str().is_some_and(|of| BEHAVIOURS.contains(&of))) {
            let of = of.as_str().map_or_else(|| of.to_string(), str::to_owned);
            let path = format!("$.attributes.{key}.behaviour");
            self.wrong(&path, format!("`{of}` is not a valid behaviour value"));
        }
    }

    fn attribute_type(&mut self, key: &str, path: &str, text: &str, default: Option<&Json>) {
        let at = format!("{path}.type");
        let of = match Type::parse(text, &NoTypes) {
            Ok(of) => of,
            Err(error) => {
                let (what, message) = match error.issue {
                    // The gem reports the place of the error in the type.
                    Some(_) => ("could not be parsed", error.to_string()),
                    None => ("is not recognised", error.message),
                };
                return self
                    .wrong(&at, format!("The type of the `{key}` attribute `{text}` {what}: {message}"));
            }
        };
        let mismatch =
            default.and_then(|default| of.mismatch(&format!("{}.{key}", self.name), &Value::from(default)));
        if let Some(mismatch) = mismatch {
            // The gem only sees it when a resource takes the default.
            self.warn(&format!("{path}.default"), mismatch);
        }
    }

    fn title_patterns(&mut self, patterns: &[Json]) {
        for (index, pattern) in patterns.iter().enumerate() {
            let path = format!("$.title_patterns[{index}]");
            match pattern["pattern"].as_str() {
                None => self.wrong(&path, "a title pattern needs a `pattern`, a regular expression"),
                Some(source) => {
                    if let Err(error) =
                        bunraku_pcore::value::RegexpValue::new(source).regex(&BoundedFuel::default())
                    {
                        self.wrong(&format!("{path}.pattern"), error.message);
                    }
                }
            }
        }
    }
}

fn is_type_of_ensure(of: &Type) -> bool {
    let inner = match of.kind() {
        TypeKind::Optional(Some(inner)) => inner,
        _ => of,
    };
    let is_states = |of: &Type| match of.kind() {
        TypeKind::Enum { values, .. } => {
            let mut values: Vec<&str> = values.iter().map(|value| &**value).collect();
            values.sort_unstable();
            values == ["absent", "present"]
        }
        _ => false,
    };
    let is_undef = |of: &Type| matches!(of.kind(), TypeKind::Undef);
    let is_variant = |of: &Type| match of.kind() {
        TypeKind::Variant(of) => of.len() == 2 && of.iter().any(is_states) && of.iter().any(is_undef),
        _ => false,
    };
    is_states(inner) || is_variant(of)
}

/// Ruby's class of a JSON value.
fn class_of(json: &Json) -> &'static str {
    match json {
        Json::Null => "NilClass",
        Json::Bool(true) => "TrueClass",
        Json::Bool(false) => "FalseClass",
        Json::Number(number) if number.is_f64() => "Float",
        Json::Number(_) => "Integer",
        Json::String(_) => "String",
        Json::Array(_) => "Array",
        Json::Object(_) => "Hash",
    }
}
