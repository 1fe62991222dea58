//! Groups of nodes, and their form in JSON.

use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};
use uuid::Uuid;

use super::rule::Rule;

/// The group of all nodes, the root of the hierarchy and its own parent.
pub const ROOT: Uuid = Uuid::from_u128(0x0000_0000_0000_4000_8000_0000_0000_0000);

/// The environment of groups that name none.
pub(super) const DEFAULT_ENVIRONMENT: &str = "production";

/// Classes with their parameters.
pub(super) type ClassParameters = IndexMap<String, Map<String, Json>>;

/// A group of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its id, a random UUID.
    pub id: Uuid,
    /// Its name, the only one in its environment.
    pub name: String,
    /// The description for people.
    pub description: Option<String>,
    /// The environment that its nodes use.
    pub environment: String,
    /// Whether the environment overrides those of other groups.
    pub environment_trumps: bool,
    /// The group that it inherits from.
    pub parent: Uuid,
    /// The rule that selects its nodes; `None` means no nodes.
    pub rule: Option<Rule>,
    /// The classes of its nodes, with parameters.
    pub classes: IndexMap<String, Map<String, Json>>,
    /// Parameters of classes, whatever declares them.
    pub config_data: IndexMap<String, Map<String, Json>>,
    /// Variables of the top scope.
    pub variables: Map<String, Json>,
}

/// The members that a document of a group must contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Completeness {
    /// The members without a default: `name`, `parent`, `classes`.
    Required,
    /// Everything but a description.
    Full,
    /// The members in a store: as `Required`, with all names that were valid when it was written.
    Kept,
}

/// Whether a text can be the name of a group, an environment, a class, a parameter, a variable or a node.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains('\0')
}

/// The violations of the rules of groups by a document, by its members.
pub(super) type Violations = Map<String, Json>;

/// The description of a valid name.
pub(super) const A_NAME: &str = "a string that is not empty and holds no NUL";

/// Members of answers that are taken and not read in requests, so that answers are requests.
const IGNORED: &[&str] = &["deleted", "last_edited", "serial_number"];

impl Group {
    /// The group of all nodes, as a new hierarchy has it.
    pub fn root() -> Self {
        Self {
            id: ROOT,
            name: "All Nodes".to_owned(),
            description: None,
            environment: DEFAULT_ENVIRONMENT.to_owned(),
            environment_trumps: false,
            parent: ROOT,
            rule: Rule::from_json(&json!(["and", ["~", "name", ".*"]])).ok(),
            classes: IndexMap::new(),
            config_data: IndexMap::new(),
            variables: Map::new(),
        }
    }

    /// Reads a group. The id is that of the document, or the given one.
    ///
    /// # Errors
    /// All that the document breaks of the rules of groups.
    pub(super) fn from_json(
        json: &Json,
        id: Option<Uuid>,
        allow_config_data: bool,
        completeness: Completeness,
    ) -> Result<Self, Violations> {
        let Json::Object(given) = json else {
            return Err([("group".to_owned(), Json::from("not an object"))].into_iter().collect());
        };
        let is_full = completeness == Completeness::Full;
        let takes_any_name = completeness == Completeness::Kept;
        let mut reader = Reader { given, takes_any_name, violations: Map::new() };
        reader.check_names(allow_config_data);
        let group = Self {
            id: match id {
                Some(id) => id,
                None => reader.uuid("id"),
            },
            name: reader.name("name").unwrap_or_default(),
            description: reader.optional_text("description"),
            environment: match reader.optional_name("environment") {
                None if is_full => reader.missing("environment"),
                other => other.unwrap_or_else(|| DEFAULT_ENVIRONMENT.to_owned()),
            },
            environment_trumps: reader.truth("environment_trumps", is_full),
            parent: reader.uuid("parent"),
            rule: reader.rule("rule"),
            classes: reader.classes("classes", true),
            config_data: reader.classes("config_data", false),
            variables: reader.variables("variables", is_full),
        };
        if reader.violations.is_empty() { Ok(group.tidied()) } else { Err(reader.violations) }
    }

    /// Removes configuration data without parameters.
    fn tidied(mut self) -> Self {
        self.config_data.retain(|_, parameters| !parameters.is_empty());
        self
    }

    /// The group as JSON.
    pub fn to_json(&self) -> Json {
        self.to_json_with(None)
    }

    /// The group as JSON with the member `deleted`, if there is any.
    pub(super) fn to_json_with(&self, deleted: Option<Json>) -> Json {
        let mut json = Map::new();
        json.insert("name".to_owned(), self.name.as_str().into());
        json.insert("id".to_owned(), self.id.to_string().into());
        if let Some(description) = &self.description {
            json.insert("description".to_owned(), description.as_str().into());
        }
        json.insert("environment".to_owned(), self.environment.as_str().into());
        json.insert("environment_trumps".to_owned(), self.environment_trumps.into());
        json.insert("parent".to_owned(), self.parent.to_string().into());
        json.insert("rule".to_owned(), self.rule.as_ref().map(Rule::to_json).unwrap_or_default());
        json.insert("classes".to_owned(), classes_to_json(&self.classes));
        json.insert("config_data".to_owned(), classes_to_json(&self.config_data));
        if let Some(deleted) = deleted {
            json.insert("deleted".to_owned(), deleted);
        }
        json.insert("variables".to_owned(), Json::Object(self.variables.clone()));
        Json::Object(json)
    }

    /// Inherits the values that it does not set from its parent, which has already inherited.
    pub(super) fn inherit(&mut self, parent: &Self) {
        inherit_classes(&mut self.classes, &parent.classes);
        inherit_classes(&mut self.config_data, &parent.config_data);
        for (name, value) in &parent.variables {
            if !self.variables.contains_key(name) {
                self.variables.insert(name.clone(), value.clone());
            }
        }
    }
}

fn inherit_classes(own: &mut ClassParameters, parents: &ClassParameters) {
    for (class, inherited) in parents {
        let parameters = own.entry(class.clone()).or_default();
        for (name, value) in inherited {
            if !parameters.contains_key(name) {
                parameters.insert(name.clone(), value.clone());
            }
        }
    }
}

pub(super) fn classes_to_json(classes: &ClassParameters) -> Json {
    let members = classes.iter().map(|(class, parameters)| (class.clone(), Json::Object(parameters.clone())));
    Json::Object(members.collect())
}

/// A UUID as ids of groups are written: in lower case, with hyphens.
pub(super) fn uuid(text: &str) -> Option<Uuid> {
    Uuid::parse_str(text).ok().filter(|id| id.hyphenated().to_string() == text)
}

/// The rules of groups, as they are shown after a violation.
pub(super) fn schema() -> Json {
    let classes = json!({ "String": { "String": "any value" } });
    json!({
        "name": "String",
        "id (optional)": "UUID",
        "description (optional)": "String or null",
        "environment (optional)": "String",
        "environment_trumps (optional)": "Boolean",
        "parent": "UUID",
        "rule (optional)": "condition or null",
        "classes": classes,
        "config_data (optional)": classes,
        "variables (optional)": { "String": "any value" },
    })
}

/// Reads the members of a document, and records violations.
struct Reader<'a> {
    given: &'a Map<String, Json>,
    takes_any_name: bool,
    violations: Violations,
}

impl Reader<'_> {
    fn check_names(&mut self, allow_config_data: bool) {
        for name in self.given.keys() {
            let is_known = match name.as_str() {
                "config_data" => allow_config_data,
                "name" | "id" | "description" | "environment" | "environment_trumps" | "parent" | "rule"
                | "classes" | "variables" => true,
                other => IGNORED.contains(&other),
            };
            if !is_known {
                self.violations.insert(name.clone(), Json::from("not a member of groups"));
            }
        }
    }

    fn missing<T: Default>(&mut self, name: &str) -> T {
        self.violations.insert(name.to_owned(), Json::from("missing"));
        T::default()
    }

    fn wrong<T: Default>(&mut self, name: &str, wanted: &str) -> T {
        let found = self.given.get(name).map(Json::to_string).unwrap_or_default();
        self.violations.insert(name.to_owned(), Json::from(format!("not {wanted}: {found}")));
        T::default()
    }

    fn name(&mut self, name: &str) -> Option<String> {
        if self.given.contains_key(name) { self.optional_name(name) } else { self.missing(name) }
    }

    fn optional_name(&mut self, name: &str) -> Option<String> {
        match self.optional_text(name) {
            Some(text) if !self.is_name(&text) => self.wrong(name, A_NAME),
            other => other,
        }
    }

    fn is_name(&self, text: &str) -> bool {
        self.takes_any_name || is_name(text)
    }

    /// Notes names of members that cannot be names.
    fn check_names_of<'n>(&mut self, name: &str, what: &str, mut names: impl Iterator<Item = &'n String>) {
        if let Some(wrong) = names.find(|one| !self.is_name(one)) {
            let wrong = format!("a name of {what} is not {A_NAME}: {}", Json::from(wrong.as_str()));
            self.violations.insert(name.to_owned(), Json::from(wrong));
        }
    }

    fn variables(&mut self, name: &str, is_required: bool) -> Map<String, Json> {
        let variables = self.object(name, is_required);
        self.check_names_of(name, "a variable", variables.keys());
        variables
    }

    fn optional_text(&mut self, name: &str) -> Option<String> {
        match self.given.get(name) {
            Some(Json::String(text)) => Some(text.clone()),
            Some(Json::Null) | None => None,
            Some(_) => self.wrong(name, "a string"),
        }
    }

    fn truth(&mut self, name: &str, is_required: bool) -> bool {
        match self.given.get(name) {
            Some(Json::Bool(truth)) => *truth,
            Some(_) => self.wrong(name, "a boolean"),
            None if is_required => self.missing(name),
            None => false,
        }
    }

    fn uuid(&mut self, name: &str) -> Uuid {
        match self.given.get(name) {
            Some(Json::String(text)) => uuid(text).unwrap_or_else(|| self.wrong(name, "a UUID")),
            Some(_) => self.wrong(name, "a UUID"),
            None => self.missing(name),
        }
    }

    fn rule(&mut self, name: &str) -> Option<Rule> {
        match self.given.get(name) {
            None | Some(Json::Null) => None,
            Some(rule) => match Rule::from_json(rule) {
                Ok(rule) => Some(rule),
                Err(wrong) => {
                    self.violations.insert(name.to_owned(), Json::from(wrong));
                    None
                }
            },
        }
    }

    fn object(&mut self, name: &str, is_required: bool) -> Map<String, Json> {
        match self.given.get(name) {
            Some(Json::Object(members)) => members.clone(),
            Some(_) => self.wrong(name, "an object"),
            None if is_required => self.missing(name),
            None => Map::new(),
        }
    }

    fn classes(&mut self, name: &str, is_required: bool) -> ClassParameters {
        let mut classes = ClassParameters::new();
        let given = self.object(name, is_required);
        self.check_names_of(name, "a class", given.keys());
        for (class, parameters) in given {
            match parameters {
                Json::Object(parameters) => {
                    self.check_names_of(name, "a parameter", parameters.keys());
                    classes.insert(class, parameters);
                }
                other => {
                    let wrong = format!("the parameters of \"{class}\" are not an object: {other}");
                    self.violations.insert(name.to_owned(), Json::from(wrong));
                }
            }
        }
        classes
    }
}
