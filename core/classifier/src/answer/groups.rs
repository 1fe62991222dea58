//! Groups: read, create, replace, change, delete, pin nodes.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::{Answer, Query, Response, parsed};
use crate::classes::KnownClasses;
use crate::delta;
use crate::error::RequestError;
use crate::group::{A_NAME, Completeness, Group, ROOT, Violations, is_name};
use crate::hierarchy::{Hierarchy, Missing, deleted};
use crate::rule::Rule;
use crate::service::{Asked, Snapshot, Step};
use crate::store::Change;
use crate::translate::{Target, translate};

impl Asked<'_> {
    /// Groups as they are shown, on their own or with inherited members.
    fn shown(&self, state: &Snapshot, groups: &[&Group], query: &Query) -> Result<Vec<Json>, RequestError> {
        let known = self.known_classes(groups.iter().map(|group| group.environment.as_str()))?;
        let show =
            |group: &&Group| self.watch.check().is_ok().then(|| self.shown_one(state, group, &known, query));
        Ok(groups.iter().map_while(show).collect())
    }

    fn shown_one(
        &self,
        state: &Snapshot,
        group: &Group,
        known: &FxHashMap<String, Arc<KnownClasses>>,
        query: &Query,
    ) -> Json {
        let known = known.get(&group.environment).map(AsRef::as_ref);
        if query.is_set("inherited") {
            self.written(&state.hierarchy.inherited_watched(group, &self.watch), known)
        } else {
            self.written(group, known)
        }
    }

    fn written(&self, group: &Group, known: Option<&KnownClasses>) -> Json {
        let mut json = group.to_json_with(deleted(group, known));
        if let (Json::Object(members), false) = (&mut json, self.options.allow_config_data) {
            members.shift_remove("config_data");
        }
        json
    }

    fn written_with_deleted(&self, group: &Group) -> Result<Json, RequestError> {
        let known = self.known_classes(std::iter::once(group.environment.as_str()))?;
        Ok(self.written(group, known.get(&group.environment).map(AsRef::as_ref)))
    }

    pub(super) fn groups(&self, query: &Query) -> Answer {
        let state = self.state()?;
        let groups: Vec<&Group> = state.hierarchy.groups().collect();
        Ok(Response::ok(&Json::Array(self.shown(&state, &groups, query)?)))
    }

    pub(super) fn group(&self, id: Uuid, query: &Query, path: &str) -> Answer {
        let state = self.state()?;
        let group = state.group(id, path)?;
        let shown = self.shown(&state, &[group], query)?;
        Ok(Response::ok(shown.first().unwrap_or(&Json::Null)))
    }

    pub(super) fn group_rules(&self, id: Uuid, path: &str) -> Answer {
        let state = self.state()?;
        let group = state.group(id, path)?;
        let inherited = state.hierarchy.inherited_rule(group).unwrap_or_default();
        let query = |target: Target| {
            let rule = Rule::from_json(&inherited).ok();
            rule.and_then(|rule| translate(&rule, target).ok()).unwrap_or_default()
        };
        Ok(Response::ok(&json!({
            "rule": group.rule.as_ref().map(Rule::to_json),
            "rule_with_inherited": inherited,
            "translated": { "nodes_query_format": query(Target::Nodes), "inventory_query_format": query(Target::Inventory) },
        })))
    }

    pub(super) fn group_children(&self, id: Uuid, query: &Query, path: &str) -> Answer {
        let state = self.state()?;
        let group = state.group(id, path)?;
        let depth = query.number("depth")?.unwrap_or(usize::MAX);
        Ok(Response::ok(&Json::from(vec![self.tree(&state.hierarchy, group, depth)?])))
    }

    /// A group with those below it. They are made from the leaves up, as deep as the hierarchy may be.
    fn tree(&self, hierarchy: &Hierarchy, root: &Group, depth: usize) -> Result<Json, RequestError> {
        let below = hierarchy.descendants(root);
        let known = self.known_classes(below.iter().map(|group| group.environment.as_str()))?;
        let mut levels: IndexMap<Uuid, usize> = IndexMap::from([(root.id, 0)]);
        for group in below.into_iter().skip(1) {
            let level = levels.get(&group.parent).map_or(0, |level| level + 1);
            levels.insert(group.id, level);
        }
        let mut made: IndexMap<Uuid, Vec<Json>> = IndexMap::new();
        let mut whole = Json::Null;
        for (id, level) in levels.into_iter().rev() {
            let Some(group) = hierarchy.get(id).filter(|_| level <= depth) else { continue };
            if self.watch.check().is_err() {
                break;
            }
            let mut children = made.swap_remove(&id).unwrap_or_default();
            children.reverse();
            let mut json = self.written(group, known.get(&group.environment).map(AsRef::as_ref));
            json["immediate_child_count"] = hierarchy.children(id).count().into();
            json["children"] = Json::Array(children);
            if id == root.id {
                whole = json;
            } else {
                made.entry(group.parent).or_default().push(json);
            }
        }
        Ok(whole)
    }

    fn read_group(&self, submitted: &Json, id: Option<Uuid>) -> Result<Group, RequestError> {
        Group::from_json(submitted, id, self.options.allow_config_data, Completeness::Required)
            .map_err(|violations| RequestError::no_group(submitted, violations))
    }

    /// The classes and parameters that a group and those below it use and that are not there.
    fn missing(&self, hierarchy: &Hierarchy, group: &Group) -> Result<FxHashSet<Missing>, RequestError> {
        let below = hierarchy.descendants(group);
        let known = self.known_classes(below.iter().map(|group| group.environment.as_str()))?;
        Ok(hierarchy.missing(group, &|environment| known.get(environment).map(Arc::clone), &self.watch))
    }

    /// The hierarchy with a group that is new or other than before.
    ///
    /// References that were missing before the change may stay missing; the change may not add others.
    fn with_group(&self, hierarchy: &Hierarchy, group: &Group) -> Result<Hierarchy, RequestError> {
        let changed = hierarchy.with(group.clone())?;
        let missing = self.missing(&changed, group)?;
        let before = match hierarchy.get(group.id) {
            Some(old) if !missing.is_empty() => self.missing(hierarchy, old)?.len(),
            _ => 0,
        };
        if missing.len() > before {
            let mut missing: Vec<Missing> = missing.into_iter().collect();
            missing.sort_by_cached_key(Missing::sentence);
            return Err(RequestError::missing_referents(&missing));
        }
        Ok(changed)
    }

    pub(super) fn create_group(&self, body: &[u8]) -> Answer {
        let submitted = parsed(body)?;
        if submitted.get("id").is_some() {
            let violations =
                Violations::from_iter([("id".to_owned(), Json::from("is chosen by the classifier"))]);
            return Err(RequestError::no_group(&submitted, violations));
        }
        let group = self.read_group(&submitted, Some(self.new_id()?))?;
        let (_, group) = self.put(group)?;
        let location = format!("{}/v1/groups/{}", self.options.prefix, group.id);
        Ok(Response { headers: vec![("location", location)], ..Response::empty(303) })
    }

    /// Puts a group into the hierarchy; returns whether that changed anything, and the resulting group.
    fn put(&self, group: Group) -> Result<(bool, Group), RequestError> {
        self.change(|state| {
            let old = state.hierarchy.get(group.id);
            let mut group = group.clone();
            if let (Some(old), false) = (old, self.options.allow_config_data) {
                // Members that are left out of answers cannot be in requests, and are therefore kept.
                group.config_data.clone_from(&old.config_data);
            }
            if old == Some(&group) {
                let result = (false, group);
                return Ok(Step { changes: Vec::new(), hierarchy: state.hierarchy.clone(), result });
            }
            if let (Some(old), ROOT) = (old, group.id)
                && old.rule != group.rule
            {
                return Err(RequestError::root_rule_edit(old));
            }
            let hierarchy = self.with_group(&state.hierarchy, &group)?;
            Ok(Step { changes: vec![Change::Put(Box::new(group.clone()))], hierarchy, result: (true, group) })
        })
    }

    pub(super) fn put_group(&self, id: Uuid, body: &[u8]) -> Answer {
        let submitted = parsed(body)?;
        assert_same_id(&submitted, id)?;
        let group = self.read_group(&submitted, Some(id))?;
        let (is_changed, group) = self.put(group)?;
        Ok(Response::json(if is_changed { 201 } else { 200 }, &self.written_with_deleted(&group)?))
    }

    pub(super) fn update_group(&self, id: Uuid, body: &[u8], path: &str) -> Answer {
        let submitted = parsed(body)?;
        assert_same_id(&submitted, id)?;
        self.change_group(id, path, |group| {
            let changed = delta::changed(group, &submitted, self.options.allow_config_data)
                .map_err(|violations| RequestError::no_group(&submitted, violations))?;
            if id == ROOT && changed.rule != group.rule {
                return Err(RequestError::root_rule_edit(group));
            }
            Ok(changed)
        })
        .and_then(|group| Ok(Response::ok(&self.written_with_deleted(&group)?)))
    }

    /// Changes a group, and returns the result.
    fn change_group(
        &self,
        id: Uuid,
        path: &str,
        change: impl Fn(&Group) -> Result<Group, RequestError>,
    ) -> Result<Group, RequestError> {
        self.change(|state| {
            let group = change(state.group(id, path)?)?;
            let hierarchy = self.with_group(&state.hierarchy, &group)?;
            Ok(Step { changes: vec![Change::Put(Box::new(group.clone()))], hierarchy, result: group })
        })
    }

    pub(super) fn delete_group(&self, id: Uuid, path: &str) -> Answer {
        self.change(|state| {
            let hierarchy = state.hierarchy.without(state.group(id, path)?)?;
            Ok(Step { changes: vec![Change::Delete(id)], hierarchy, result: () })
        })?;
        Ok(Response::empty(204))
    }

    pub(super) fn pin(&self, id: Uuid, query: &Query, body: &[u8], path: &str) -> Answer {
        let nodes = nodes_of(query, body)?;
        self.change_group(id, path, |group| {
            if id == ROOT {
                return Err(RequestError::root_rule_edit(group));
            }
            Ok(Group { rule: Rule::with_pinned(group.rule.as_ref(), &nodes), ..group.clone() })
        })?;
        Ok(Response::empty(204))
    }

    pub(super) fn unpin(&self, id: Uuid, query: &Query, body: &[u8], path: &str) -> Answer {
        let nodes = nodes_of(query, body)?;
        let nodes: FxHashSet<&str> = nodes.iter().map(String::as_str).collect();
        self.change_group(id, path, |group| {
            if id == ROOT {
                return Err(RequestError::root_rule_edit(group));
            }
            let rule = group.rule.as_ref().and_then(|rule| rule.without_pinned(&nodes));
            Ok(Group { rule, ..group.clone() })
        })?;
        Ok(Response::empty(204))
    }

    pub(super) fn unpin_from_all(&self, body: &[u8]) -> Answer {
        let nodes = nodes_in(&parsed(body)?)?;
        let names: FxHashSet<&str> = nodes.iter().map(String::as_str).collect();
        let unpinned = self.change(|state| {
            let mut changes = Vec::new();
            let mut hierarchy = state.hierarchy.clone();
            let mut unpinned: IndexMap<&str, Vec<Json>> = IndexMap::new();
            let groups = state.hierarchy.groups().take_while(|_| self.watch.check().is_ok());
            for group in groups.filter(|group| group.id != ROOT) {
                let Some(rule) = &group.rule else { continue };
                let pinned: Vec<&str> =
                    rule.pinned_nodes().into_iter().filter_map(|name| names.get(name).copied()).collect();
                if pinned.is_empty() {
                    continue;
                }
                for name in pinned {
                    unpinned.entry(name).or_default().push(json!({
                        "id": group.id.to_string(),
                        "name": group.name,
                        "environment": group.environment,
                    }));
                }
                let changed = Group { rule: rule.without_pinned(&names), ..group.clone() };
                hierarchy = hierarchy.with(changed.clone())?;
                changes.push(Change::Put(Box::new(changed)));
            }
            let listed = nodes.iter().filter_map(|name| {
                let groups = unpinned.swap_remove(name.as_str())?;
                Some(json!({ "name": name, "groups": groups }))
            });
            let result = json!({ "nodes": listed.collect::<Vec<_>>() });
            Ok(Step { changes, hierarchy, result })
        })?;
        Ok(Response::ok(&unpinned))
    }

    pub(super) fn validate_group(&self, body: &[u8]) -> Answer {
        let submitted = parsed(body)?;
        let id = if submitted.get("id").is_some() { None } else { Some(self.new_id()?) };
        let group = self.read_group(&submitted, id)?;
        self.with_group(&self.state()?.hierarchy, &group)?;
        Ok(Response::ok(&self.written_with_deleted(&group)?))
    }

    pub(super) fn import_hierarchy(&self, body: &[u8]) -> Answer {
        let submitted = parsed(body)?;
        let Json::Array(documents) = &submitted else {
            let schema = json!([crate::group::schema()]);
            return Err(RequestError::schema_violation(&submitted, schema, Json::from("not an array")));
        };
        let read = |document: &Json| {
            self.assert_going_on()?;
            // Disabled members are left out of answers, and so can be missing here.
            Group::from_json(document, None, self.options.allow_config_data, Completeness::Full)
                .map_err(|violations| RequestError::no_group(document, violations))
        };
        let groups = documents.iter().map(read).collect::<Result<Vec<Group>, _>>()?;
        let hierarchy = Hierarchy::new(groups.iter().cloned())?;
        if hierarchy.get(ROOT).is_none() {
            let lost: Vec<&Group> = groups.iter().collect();
            return Err(RequestError::unreachable_groups(&lost));
        }
        self.change(|_| {
            let changes = vec![Change::Replace(groups.clone())];
            Ok(Step { changes, hierarchy: hierarchy.clone(), result: () })
        })?;
        Ok(Response::empty(204))
    }
}

fn assert_same_id(submitted: &Json, id: Uuid) -> Result<(), RequestError> {
    match submitted.get("id") {
        Some(given) if *given != id.to_string() => Err(RequestError::conflicting_ids(given, id)),
        _ => Ok(()),
    }
}

/// The nodes of a request: from its query, or its body.
fn nodes_of(query: &Query, body: &[u8]) -> Result<Vec<String>, RequestError> {
    match query.get("nodes") {
        Some(listed) => nodes_in(&json!({ "nodes": listed.split(',').collect::<Vec<_>>() })),
        None if body.iter().all(u8::is_ascii_whitespace) => Err(RequestError::missing_parameters("nodes")),
        None => nodes_in(&parsed(body)?),
    }
}

/// The nodes of a document `{"nodes": [name, …]}`, or `{"nodes": name}`.
fn nodes_in(json: &Json) -> Result<Vec<String>, RequestError> {
    let refuse = |wrong: &str| {
        Err(RequestError::schema_violation(
            json,
            json!({ "nodes": ["String"] }),
            Json::from(format!("nodes: {wrong}")),
        ))
    };
    let Json::Object(members) = json else { return refuse("not an object") };
    if members.len() > 1 {
        return refuse("is the only member");
    }
    let names = match members.get("nodes") {
        Some(Json::String(name)) => Some(vec![name.clone()]),
        Some(Json::Array(names)) => names.iter().map(|name| name.as_str().map(str::to_owned)).collect(),
        Some(_) => None,
        None => return refuse("missing"),
    };
    let Some(names) = names else { return refuse("not an array of strings") };
    if !names.iter().all(|name| is_name(name)) {
        return refuse(&format!("a name is not {A_NAME}"));
    }
    Ok(names)
}
