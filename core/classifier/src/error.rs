//! Errors of the interface: a status, a kind, a message, and details that depend on the kind.

use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::group::{Group, Violations, schema};
use super::hierarchy::Missing;
use super::store::StoreError;
use bunraku_syntax::diagnostic::Error;

/// The reason why a request is rejected.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestError {
    /// The HTTP status.
    pub status: u16,
    /// The kind of error, such as `schema-violation`.
    pub kind: &'static str,
    /// The message for people.
    pub message: String,
    /// The machine-readable details.
    pub details: Json,
}

impl RequestError {
    fn new(status: u16, kind: &'static str, message: impl Into<String>, details: Json) -> Self {
        Self { status, kind, message: message.into(), details }
    }

    /// The body of the answer.
    pub fn to_json(&self) -> Json {
        json!({ "kind": self.kind, "msg": self.message, "details": self.details })
    }

    /// The work was ended in the middle.
    pub(super) fn ended(error: &Error) -> Self {
        Self::new(503, "ended", error.message.clone(), Json::Null)
    }

    pub(super) fn malformed_request(body: &[u8], error: impl std::fmt::Display) -> Self {
        let body = String::from_utf8_lossy(body);
        let details = json!({ "body": body, "error": error.to_string() });
        Self::new(400, "malformed-request", "The body of the request is not valid JSON.", details)
    }

    /// The error for a document that is not a group.
    pub(super) fn no_group(submitted: &Json, violations: Violations) -> Self {
        Self::schema_violation(submitted, schema(), Json::Object(violations))
    }

    pub(super) fn schema_violation(submitted: &Json, schema: Json, error: Json) -> Self {
        let listed = match &error {
            Json::Object(errors) => {
                let lines = errors.iter().map(|(name, error)| match error {
                    Json::String(error) => format!("{name}: {error}"),
                    other => format!("{name}: {other}"),
                });
                lines.collect::<Vec<_>>().join("; ")
            }
            Json::String(error) => error.clone(),
            other => other.to_string(),
        };
        let message = format!("The submitted object does not conform to the schema. {listed}");
        Self::new(
            400,
            "schema-violation",
            message,
            json!({ "submitted": submitted, "schema": schema, "error": error }),
        )
    }

    pub(super) fn malformed_uuid(given: &str) -> Self {
        let message = format!("'{given}' is not a valid UUID.");
        Self::new(400, "malformed-uuid", message, Json::from(given))
    }

    pub(super) fn malformed_number(name: &str, given: &str) -> Self {
        let message = format!("The query parameter '{name}' is not a whole number: '{given}'.");
        Self::new(400, "malformed-number", message, Json::from(given))
    }

    pub(super) fn missing_parameters(name: &str) -> Self {
        let message = format!("The '{name}' query parameter is missing, and so is a body.");
        Self::new(400, "missing-parameters", message, Json::from(vec![name]))
    }

    pub(super) fn conflicting_ids(submitted: &Json, from_url: Uuid) -> Self {
        let details = json!({ "submitted": submitted, "fromUrl": from_url.to_string() });
        let message = "The node group id in the submitted object differs from the id in the URL.";
        Self::new(400, "conflicting-ids", message, details)
    }

    pub(super) fn not_found(path: &str) -> Self {
        Self::new(404, "not-found", "The resource could not be found.", Json::from(path))
    }

    pub(super) fn method_not_allowed(method: &str, path: &str) -> Self {
        let message = format!("The method {method} is not allowed here.");
        Self::new(405, "method-not-allowed", message, Json::from(path))
    }

    pub(super) fn uniqueness_violation(group: &Group) -> Self {
        let message = format!(
            "Could not complete the request because it violates a uniqueness constraint: there is already a node group \
             with name = {} and environment = {}.",
            group.name, group.environment
        );
        let conflict = json!({ "name": group.name, "environment": group.environment });
        let details = json!({ "constraintName": "groups_name_environment_key", "conflict": conflict });
        Self::new(422, "uniqueness-violation", message, details)
    }

    pub(super) fn missing_referents(missing: &[Missing]) -> Self {
        let lines: Vec<String> = missing.iter().map(Missing::sentence).collect();
        let details = missing.iter().map(Missing::to_json).collect();
        Self::new(422, "missing-referents", lines.join("\n"), details)
    }

    pub(super) fn missing_parent(group: &Group) -> Self {
        let message = format!("The parent group with id {} does not exist.", group.parent);
        Self::new(422, "missing-parent", message, group.to_json())
    }

    pub(super) fn inheritance_cycle(groups: &[&Group]) -> Self {
        let names = groups.iter().chain(groups.first()).map(|group| group.name.as_str());
        let message = format!("Detected an inheritance cycle: {}", names.collect::<Vec<_>>().join(" -> "));
        Self::new(422, "inheritance-cycle", message, groups.iter().map(|group| group.to_json()).collect())
    }

    /// Groups that no way leads to from the root.
    pub(super) fn unreachable_groups(groups: &[&Group]) -> Self {
        let names = groups.iter().map(|group| group.name.as_str()).collect::<Vec<_>>().join(", ");
        let message = format!("The groups are not reachable from the root of the hierarchy: {names}");
        Self::new(422, "unreachable-groups", message, groups.iter().map(|group| group.to_json()).collect())
    }

    pub(super) fn children_present(group: &Group, children: &[&Group]) -> Self {
        let names = children.iter().map(|child| child.name.as_str()).collect::<Vec<_>>().join(", ");
        let message = format!("The group {} cannot be deleted because it has children: {names}", group.name);
        let children: Json = children.iter().map(|child| child.to_json()).collect();
        Self::new(422, "children-present", message, json!({ "group": group.to_json(), "children": children }))
    }

    pub(super) fn root_rule_edit(group: &Group) -> Self {
        let message = "The rule of the root group cannot be edited.";
        Self::new(422, "root-rule-edit", message, group.to_json())
    }

    pub(super) fn root_group(group: &Group) -> Self {
        let message = "The root group cannot be deleted, and is its own parent.";
        Self::new(422, "root-group", message, group.to_json())
    }

    pub(super) fn untranslatable_rule(rule: &Json, why: &str) -> Self {
        let message = format!("The rule cannot be translated into a PuppetDB query: {why}.");
        Self::new(422, "untranslatable-rule", message, rule.clone())
    }

    pub(super) fn classification_conflict(details: Json) -> Self {
        let message = "The node was classified into multiple unrelated groups that define conflicting class parameters, \
                       top-level variables or environments.";
        Self::new(500, "classification-conflict", message, details)
    }

    /// The error if no id can be made.
    pub(super) fn no_id(error: &bunraku_host::HostError) -> Self {
        Self::new(500, "application-error", error.to_string(), Json::Null)
    }

    /// The environments cannot be read.
    pub(super) fn unreadable_classes(error: &bunraku_syntax::diagnostic::Error) -> Self {
        Self::new(500, "application-error", error.to_string(), Json::Null)
    }
}

impl From<StoreError> for RequestError {
    fn from(error: StoreError) -> Self {
        let (kind, details) = match &error {
            StoreError::Corrupt { retrieved, error } => {
                ("database-corruption", json!({ "retrieved": retrieved, "schema": schema(), "error": error }))
            }
            StoreError::Unavailable(_) => ("application-error", Json::Null),
        };
        Self::new(500, kind, error.to_string(), details)
    }
}
