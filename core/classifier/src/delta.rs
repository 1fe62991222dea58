//! Changes of a group: members of a delta replace those of the group, or are merged with them; null takes
//! away.

use serde_json::{Map, Value as Json};

use super::group::{Completeness, Group, Violations};

/// The members that are merged.
const MERGED: &[&str] = &["classes", "config_data", "variables"];

/// Applies a delta to a group.
///
/// # Errors
/// The result violates the rules of groups.
pub(super) fn changed(group: &Group, delta: &Json, allow_config_data: bool) -> Result<Group, Violations> {
    let Json::Object(delta) = delta else {
        return Err([("group delta".to_owned(), Json::from("not an object"))].into_iter().collect());
    };
    let Json::Object(mut changed) = group.to_json() else { return Ok(group.clone()) };
    if !allow_config_data {
        changed.remove("config_data");
    }
    for (name, value) in delta {
        let merged = match (changed.get(name), value) {
            (Some(Json::Object(old)), Json::Object(new)) if MERGED.contains(&name.as_str()) => {
                // Values of variables are replaced whole, parameters of classes are merged.
                let depth = if name == "variables" { 0 } else { 1 };
                Json::Object(merge(old, new, depth))
            }
            _ => value.clone(),
        };
        changed.insert(name.clone(), merged);
    }
    for name in MERGED {
        if changed.get(*name).is_some_and(Json::is_null) {
            changed.insert((*name).to_owned(), Json::Object(Map::new()));
        }
    }
    let mut changed =
        Group::from_json(&Json::Object(changed), Some(group.id), allow_config_data, Completeness::Required)?;
    if !allow_config_data {
        changed.config_data.clone_from(&group.config_data);
    }
    Ok(changed)
}

/// Merges members, with nested objects up to a depth, and removes those that are null.
fn merge(old: &Map<String, Json>, new: &Map<String, Json>, depth: usize) -> Map<String, Json> {
    let mut merged = old.clone();
    for (name, value) in new {
        match (merged.get(name), value) {
            (_, Json::Null) => {
                merged.shift_remove(name);
            }
            (Some(Json::Object(old)), Json::Object(new)) if depth > 0 => {
                let inner = merge(old, new, depth - 1);
                merged.insert(name.clone(), Json::Object(inner));
            }
            (None, Json::Object(new)) if depth > 0 => {
                merged.insert(name.clone(), Json::Object(merge(&Map::new(), new, depth - 1)));
            }
            _ => {
                merged.insert(name.clone(), value.clone());
            }
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_are_merged_up_to_a_depth() {
        let object = |value: Json| value.as_object().cloned().unwrap_or_default();
        let old = object(json!({"a": {"b": {"c": 1}, "d": 1}, "e": 1}));
        let new =
            object(json!({"a": {"b": {"f": 2}, "d": null}, "g": {"h": null, "i": 3, "j": {"k": null}}}));
        let merged = |depth| Json::Object(merge(&old, &new, depth));
        assert_eq!(merged(2), json!({"a": {"b": {"c": 1, "f": 2}}, "e": 1, "g": {"i": 3, "j": {}}}));
        assert_eq!(merged(1), json!({"a": {"b": {"f": 2}}, "e": 1, "g": {"i": 3, "j": {"k": null}}}));
        let all = json!({"h": null, "i": 3, "j": {"k": null}});
        assert_eq!(merged(0), json!({"a": {"b": {"f": 2}, "d": null}, "e": 1, "g": all}));
    }
}
