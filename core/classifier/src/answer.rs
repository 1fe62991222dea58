//! The interface: answers a method, a path, a query and a body with a status, headers and a body.
//!
//! A program that speaks HTTP carries them: the gem's Rack application, or a C program. Authorization is also
//! up to that program.

mod groups;
mod nodes;

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value as Json, json};
use uuid::Uuid;

use super::error::RequestError;
use super::group::{A_NAME, is_name, uuid};
use super::rule::Rule;
use super::service::{Asked, Classifier, Step};
use super::store::Change;
use super::translate::{Target, translate};
use bunraku_engine::loader::Check;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::Watch;

/// A request.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The method in upper case, such as `GET`.
    pub method: &'a str,
    /// The path, percent-encoded, with or without the prefix of the interface.
    pub path: &'a str,
    /// The query without the question mark, percent-encoded.
    pub query: &'a str,
    /// The body.
    pub body: &'a [u8],
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// The body: JSON, or nothing.
    pub body: Vec<u8>,
}

impl Response {
    fn json(status: u16, json: &Json) -> Self {
        let headers = vec![("content-type", "application/json;charset=utf-8".to_owned())];
        Self { status, headers, body: json.to_string().into_bytes() }
    }

    fn ok(json: &Json) -> Self {
        Self::json(200, json)
    }

    fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new() }
    }

    fn without_body(mut self) -> Self {
        self.headers.push(("content-length", self.body.len().to_string()));
        self.body.clear();
        self
    }
}

/// The result of a handler.
type Answer = Result<Response, RequestError>;

impl Classifier {
    /// Answers a request; errors are answers, too. `docs` of the gem and of the C library list the paths.
    /// `HEAD` is answered as `GET` is, with the length of the body in the place of the body.
    pub fn answer(&self, request: Request<'_>) -> Response {
        Asked { classifier: self, watch: Watch::default() }.answer(request)
    }

    /// As [`answer`](Self::answer); `check` is asked again and again, and ends it in the middle. Nothing is
    /// changed then.
    ///
    /// # Errors
    /// `check`'s.
    pub fn answer_watched(&self, request: Request<'_>, check: Check<'_>) -> Result<Response, Error> {
        let asked = Asked { classifier: self, watch: Watch::new(check) };
        let answer = asked.answer(request);
        asked.watch.result().map(|()| answer)
    }
}

impl Asked<'_> {
    fn answer(&self, request: Request<'_>) -> Response {
        let is_head = request.method == "HEAD";
        let answer = self.route(if is_head { Request { method: "GET", ..request } } else { request });
        let answer = answer.unwrap_or_else(|failure| Response::json(failure.status, &failure.to_json()));
        if is_head { answer.without_body() } else { answer }
    }

    fn route(&self, request: Request<'_>) -> Answer {
        let path = request.path.strip_prefix(&self.options.prefix).unwrap_or(request.path);
        let segments: Vec<Cow<'_, str>> = path
            .trim_matches('/')
            .split('/')
            .map(|segment| percent_decode_str(segment).decode_utf8())
            .collect::<Result<_, _>>()
            .map_err(|_| RequestError::not_found(request.path))?;
        let segments: Vec<&str> = segments.iter().map(AsRef::as_ref).collect();
        let (method, body) = (request.method, request.body);
        let query = Query::parse(request.query);
        match (segments.as_slice(), method) {
            (["v1", "groups"], "GET") => self.groups(&query),
            (["v1", "groups"], "POST") => self.create_group(body),
            (["v1", "groups", id], "GET") => self.group(uuid_of(id)?, &query, request.path),
            (["v1", "groups", id], "PUT") => self.put_group(uuid_of(id)?, body),
            (["v1", "groups", id], "POST") => self.update_group(uuid_of(id)?, body, request.path),
            (["v1", "groups", id], "DELETE") => self.delete_group(uuid_of(id)?, request.path),
            (["v1", "groups", id, "rules"], "GET") => self.group_rules(uuid_of(id)?, request.path),
            (["v1", "groups", id, "pin"], "POST") => self.pin(uuid_of(id)?, &query, body, request.path),
            (["v1", "groups", id, "unpin"], "POST") => self.unpin(uuid_of(id)?, &query, body, request.path),
            (["v1", "group-children", id], "GET") => self.group_children(uuid_of(id)?, &query, request.path),
            (["v1", "validate", "group"], "POST") => self.validate_group(body),
            (["v1", "import-hierarchy"], "POST") => self.import_hierarchy(body),
            (["v1", "commands", "unpin-from-all"], "POST") => self.unpin_from_all(body),
            (["v1", "rules", "translate"], "POST") => translate_rule(&query, body),
            (["v1", "classes"], "GET") => self.classes(),
            (["v1", "environments"], "GET") => self.environments(),
            (["v1", "environments", name], "GET") => self.environment(name, request.path),
            (["v1", "environments", name], "PUT") => self.create_environment(name),
            (["v1", "environments", name, "classes"], "GET") => self.environment_classes(name, request.path),
            (["v1", "environments", name, "classes", class], "GET") => {
                self.environment_class(name, class, request.path)
            }
            (["v1", "last-class-update"], "GET") => {
                Ok(Response::ok(&json!({ "last_update": self.last_class_update() })))
            }
            (["v1", "update-classes"], "POST") => {
                self.update_classes(query.get("environment"))?;
                Ok(Response::empty(201))
            }
            (["v1", "nodes"], "GET") => self.nodes(&query),
            (["v1", "nodes", name], "GET") => self.node(name, request.path),
            (["v1", "classified", "nodes", name], "POST") => self.classified(name, body),
            (["v2", "classified", "nodes", name], "POST") => self.classified_briefly(name, body),
            (["v1", "classified", "nodes", name, "explanation"], "POST") => self.explanation(name, body),
            (known, _) if is_path(known) => Err(RequestError::method_not_allowed(method, request.path)),
            _ => Err(RequestError::not_found(request.path)),
        }
    }

    fn classes(&self) -> Answer {
        let names = self.environment_names(&*self.state()?);
        let mut all = Vec::new();
        for name in names {
            all.extend(self.classes_json(&name)?);
        }
        Ok(Response::ok(&Json::Array(all)))
    }

    fn classes_json(&self, environment: &str) -> Result<Vec<Json>, RequestError> {
        let known = self.known_classes(std::iter::once(environment))?;
        let classes = known.get(environment).into_iter().flat_map(|classes| classes.iter());
        let say = |(name, parameters): (&String, &Map<String, Json>)| json!({ "name": name, "environment": environment, "parameters": parameters });
        Ok(classes.map(say).collect())
    }

    fn environments(&self) -> Answer {
        let names = self.environment_names(&*self.state()?);
        Ok(Response::ok(&names.iter().map(|name| json!({ "name": name })).collect()))
    }

    fn environment(&self, name: &str, path: &str) -> Answer {
        self.assert_environment(name, path)?;
        Ok(Response::ok(&json!({ "name": name })))
    }

    fn assert_environment(&self, name: &str, path: &str) -> Result<(), RequestError> {
        let names = self.environment_names(&*self.state()?);
        if names.iter().any(|known| known == name) { Ok(()) } else { Err(RequestError::not_found(path)) }
    }

    fn create_environment(&self, name: &str) -> Answer {
        assert_name(name, "environment")?;
        let is_new = self.change(|state| {
            let is_new = !self.environment_names(state).iter().any(|known| known == name);
            let changes = if is_new { vec![Change::Environment(name.to_owned())] } else { Vec::new() };
            Ok(Step { changes, hierarchy: state.hierarchy.clone(), result: is_new })
        })?;
        Ok(Response::json(if is_new { 201 } else { 200 }, &json!({ "name": name })))
    }

    fn environment_classes(&self, name: &str, path: &str) -> Answer {
        self.assert_environment(name, path)?;
        Ok(Response::ok(&Json::Array(self.classes_json(name)?)))
    }

    fn environment_class(&self, name: &str, class: &str, path: &str) -> Answer {
        let found = self.classes_json(name)?.into_iter().find(|known| known["name"] == class);
        Ok(Response::ok(&found.ok_or_else(|| RequestError::not_found(path))?))
    }
}

/// Whether a path exists for another method.
fn is_path(segments: &[&str]) -> bool {
    match segments {
        ["v1", only] => matches!(
            *only,
            "groups"
                | "import-hierarchy"
                | "classes"
                | "environments"
                | "last-class-update"
                | "update-classes"
                | "nodes"
        ),
        ["v1", "groups" | "group-children" | "environments" | "nodes", _]
        | ["v1", "groups", _, "rules" | "pin" | "unpin"]
        | ["v1", "environments", _, "classes"]
        | ["v1", "environments", _, "classes", _]
        | ["v1", "validate", "group"]
        | ["v1", "commands", "unpin-from-all"]
        | ["v1", "rules", "translate"]
        | ["v1" | "v2", "classified", "nodes", _]
        | ["v1", "classified", "nodes", _, "explanation"] => true,
        _ => false,
    }
}

fn translate_rule(query: &Query, body: &[u8]) -> Answer {
    let target = match query.get("format") {
        None | Some("nodes") => Target::Nodes,
        Some("inventory") => Target::Inventory,
        Some(other) => {
            let wrong = format!("format: neither nodes nor inventory: {other}");
            return Err(RequestError::schema_violation(
                &Json::from(other),
                json!("nodes or inventory"),
                Json::from(wrong),
            ));
        }
    };
    let json = parsed(body)?;
    let rule = Rule::from_json(&json)
        .map_err(|wrong| RequestError::schema_violation(&json, json!("condition"), Json::from(wrong)))?;
    let translated =
        translate(&rule, target).map_err(|why| RequestError::untranslatable_rule(&json, &why))?;
    Ok(Response::ok(&translated))
}

/// Refuses a name in a path that cannot be one.
fn assert_name(name: &str, of: &str) -> Result<(), RequestError> {
    if is_name(name) {
        return Ok(());
    }
    let wrong = format!("{of}: not {A_NAME}");
    Err(RequestError::schema_violation(&Json::from(name), json!("String"), Json::from(wrong)))
}

fn parsed(body: &[u8]) -> Result<Json, RequestError> {
    serde_json::from_slice(body).map_err(|error| RequestError::malformed_request(body, error))
}

fn uuid_of(text: &str) -> Result<Uuid, RequestError> {
    uuid(text).ok_or_else(|| RequestError::malformed_uuid(text))
}

/// The parameters of a query.
struct Query(Vec<(String, String)>);

impl Query {
    fn parse(text: &str) -> Self {
        Self(form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn number(&self, name: &str) -> Result<Option<usize>, RequestError> {
        let given = self.get(name);
        given.map(|text| text.parse().map_err(|_| RequestError::malformed_number(name, text))).transpose()
    }

    /// Whether a parameter has a value other than `0` and `false`.
    fn is_set(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| !matches!(value, "0" | "false"))
    }
}
