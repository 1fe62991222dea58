//! Nodes: how they are classified, and when they were.

use serde_json::{Value as Json, json};

use super::{Answer, Query, Response, assert_name, parsed};
use crate::classify::Node;
use crate::error::RequestError;
use crate::group::classes_to_json;
use crate::service::Asked;
use crate::store::CheckIn;

impl Asked<'_> {
    pub(super) fn classified(&self, name: &str, body: &[u8]) -> Answer {
        let (node, transaction_uuid) = node_of(name, body)?;
        let state = self.state()?;
        let classification = self.classification(&state, &node)?;
        self.check_in(&state, &node, transaction_uuid)?;
        Ok(Response::ok(&classification.to_json()))
    }

    /// The form of version 2: names of groups in addition to ids, names of classes, and parameters by class.
    pub(super) fn classified_briefly(&self, name: &str, body: &[u8]) -> Answer {
        let (node, transaction_uuid) = node_of(name, body)?;
        let state = self.state()?;
        let classification = self.classification(&state, &node)?;
        self.check_in(&state, &node, transaction_uuid)?;
        let mut groups: Vec<_> =
            classification.groups.iter().filter_map(|id| state.hierarchy.get(*id)).collect();
        groups.sort_by(|a, b| a.name.cmp(&b.name));
        let mut parameters = classification.classes.clone();
        parameters.retain(|_, values| !values.is_empty());
        Ok(Response::ok(&json!({
            "name": classification.name,
            "groups": groups.iter().map(|group| json!({ "id": group.id.to_string(), "name": group.name })).collect::<Vec<_>>(),
            "environment": classification.environment,
            "classes": classification.classes.keys().collect::<Vec<_>>(),
            "parameters": classes_to_json(&parameters),
            "variables": classification.variables,
        })))
    }

    pub(super) fn explanation(&self, name: &str, body: &[u8]) -> Answer {
        let (node, _) = node_of(name, body)?;
        Ok(Response::ok(&self.visible(&*self.state()?).explain(&node, &self.watch)))
    }

    pub(super) fn nodes(&self, query: &Query) -> Answer {
        let (offset, limit) = (query.number("offset")?.unwrap_or(0), query.number("limit")?);
        let found = self.check_ins(None, offset, limit)?;
        Ok(Response::ok(&found.iter().map(|(name, check_ins)| history(name, check_ins)).collect()))
    }

    pub(super) fn node(&self, name: &str, path: &str) -> Answer {
        let found = self.check_ins(Some(name), 0, None)?;
        let (name, check_ins) = found.first().ok_or_else(|| RequestError::not_found(path))?;
        Ok(Response::ok(&history(name, check_ins)))
    }
}

fn history(name: &str, check_ins: &[CheckIn]) -> Json {
    let check_ins: Vec<Json> = check_ins.iter().map(to_json).collect();
    json!({ "name": name, "check_ins": check_ins })
}

fn to_json(check_in: &CheckIn) -> Json {
    let mut json = json!({ "time": check_in.time, "explanation": check_in.explanation });
    if let Some(uuid) = &check_in.transaction_uuid {
        json["transaction_uuid"] = Json::from(uuid.as_str());
    }
    json
}

/// The node that a request describes, and the run that it is for: `fact`, `trusted`, `transaction_uuid`.
fn node_of(name: &str, body: &[u8]) -> Result<(Node, Option<String>), RequestError> {
    assert_name(name, "node")?;
    let mut node = Node { name: name.to_owned(), ..Node::default() };
    let mut transaction_uuid = None;
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok((node, transaction_uuid));
    }
    let json = parsed(body)?;
    let refuse = |wrong: String| {
        let facts = json!({ "String": "any value" });
        let schema = json!({ "fact (optional)": facts, "trusted (optional)": facts, "transaction_uuid (optional)": "String" });
        Err(RequestError::schema_violation(&json, schema, Json::from(wrong)))
    };
    let Json::Object(members) = &json else { return refuse("not an object".to_owned()) };
    for (member, value) in members {
        match (member.as_str(), value) {
            ("fact", Json::Object(facts)) => node.facts.clone_from(facts),
            ("trusted", Json::Object(facts)) => node.trusted.clone_from(facts),
            ("transaction_uuid", Json::String(uuid)) => transaction_uuid = Some(uuid.clone()),
            ("name", Json::String(given)) if given == name => {}
            (other, value) => return refuse(format!("{other}: not expected: {value}")),
        }
    }
    Ok((node, transaction_uuid))
}
