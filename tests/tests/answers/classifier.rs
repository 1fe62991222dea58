//! The node classifier's interface: every path with its successes and its errors.

use std::process::{Command, Stdio};
use std::sync::Arc;

use bunraku::classifier::{
    Change, Classifier, EnvironmentClasses, Group, Hierarchy, MemoryStore, Options, ROOT, Request,
    SqliteStore, Store,
};
use bunraku::host::memory::MemoryHost;
use bunraku::loader::{EnvironmentOptions, Environments, Reload};
use serde_json::{Value as Json, json};

const MANIFEST: &str = "
class apache(String $serveradmin = 'root@localhost', Integer $keepalive_timeout = 15, $port = $facts['port'], $docroot) {}
class ssl($keystore = undef) {}
";

fn host() -> Arc<MemoryHost> {
    let mut host = MemoryHost::default();
    for environment in ["production", "staging"] {
        host.add(format!("/envs/{environment}/modules/web/manifests/init.pp"), MANIFEST);
        host.add(format!("/envs/{environment}/environment.conf"), "");
    }
    host.add("/envs/staging/modules/web/manifests/extra.pp", "class extra {}");
    Arc::new(host)
}

fn classifier_with(store: Box<dyn Store>, options: Options) -> Classifier {
    let environments = EnvironmentOptions { environmentpath: vec!["/envs".to_owned()], ..Default::default() };
    let environments = Arc::new(Environments::new(host(), environments, Reload::Never));
    let classes = Arc::new(EnvironmentClasses::new(environments));
    Classifier::new(store, host(), Some(classes), options).expect("a classifier")
}

fn classifier() -> Classifier {
    classifier_with(Box::<MemoryStore>::default(), Options { stores_check_ins: true, ..Options::default() })
}

struct Answer {
    status: u16,
    location: Option<String>,
    body: Json,
}

fn ask_raw(classifier: &Classifier, method: &str, path: &str, body: &[u8]) -> Answer {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let response = classifier.answer(Request { method, path, query, body });
    let location =
        response.headers.iter().find(|(name, _)| *name == "location").map(|(_, value)| value.clone());
    let body = if response.body.is_empty() {
        Json::Null
    } else {
        serde_json::from_slice(&response.body).expect("JSON")
    };
    Answer { status: response.status, location, body }
}

fn ask(classifier: &Classifier, method: &str, path: &str, body: Json) -> Answer {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    ask_raw(classifier, method, path, body.as_bytes())
}

fn group(name: &str, parent: &str) -> Json {
    json!({ "name": name, "parent": parent, "classes": {} })
}

/// Creates a group and returns its path.
fn create(classifier: &Classifier, document: Json) -> String {
    let answer = ask(classifier, "POST", "/v1/groups", document);
    assert_eq!(answer.status, 303, "{}", answer.body);
    answer.location.expect("a location")
}

fn id(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

#[track_caller]
fn assert_refused(answer: &Answer, status: u16, kind: &str) {
    assert_eq!((answer.status, answer.body["kind"].as_str()), (status, Some(kind)), "{}", answer.body);
    assert!(answer.body["msg"].as_str().is_some_and(|message| !message.is_empty()), "{}", answer.body);
}

fn root() -> String {
    ROOT.to_string()
}

#[test]
fn groups_are_created_read_and_listed() {
    let classifier = classifier();
    let document = json!({
        "name": "Webservers", "description": "all of them", "environment": "staging", "environment_trumps": true,
        "parent": root(), "rule": ["and", ["~", ["trusted", "certname"], "www"], [">=", ["fact", "total_ram"], "512"]],
        "classes": { "apache": { "serveradmin": "bofh@travaglia.net" } },
        "config_data": { "ssl": { "keystore": "/k" }, "qux": {} }, "variables": { "ntp_servers": ["a", "b"] },
    });
    let path = create(&classifier, document.clone());
    assert!(path.starts_with("/classifier-api/v1/groups/"), "{path}");
    let read = ask(&classifier, "GET", &path, Json::Null);
    let mut expected = document;
    expected["id"] = id(&path).into();
    expected["config_data"] = json!({ "ssl": { "keystore": "/k" } });
    assert_eq!((read.status, &read.body), (200, &expected));
    let listed = ask(&classifier, "GET", "/v1/groups", Json::Null);
    assert_eq!(listed.body.as_array().map(Vec::len), Some(2));
    assert_eq!(listed.body[0]["name"], "All Nodes");
    assert_eq!(listed.body[0]["rule"], json!(["and", ["~", "name", ".*"]]));
}

#[test]
fn groups_show_what_they_inherit_when_asked() {
    let classifier = classifier();
    let mut parent = group("Parent", &root());
    parent["classes"] = json!({ "apache": { "serveradmin": "p", "keepalive_timeout": 1 } });
    parent["variables"] = json!({ "a": 1, "b": 1 });
    let parent = create(&classifier, parent);
    let mut child = group("Child", id(&parent));
    child["classes"] = json!({ "apache": { "serveradmin": "c" }, "ssl": {} });
    child["variables"] = json!({ "b": 2 });
    let child = create(&classifier, child);
    let whole = ask(&classifier, "GET", &format!("{child}?inherited=true"), Json::Null).body;
    assert_eq!(
        whole["classes"],
        json!({ "apache": { "serveradmin": "c", "keepalive_timeout": 1 }, "ssl": {} })
    );
    assert_eq!(whole["variables"], json!({ "b": 2, "a": 1 }));
    let own = ask(&classifier, "GET", &format!("{child}?inherited=0"), Json::Null).body;
    assert_eq!(own["variables"], json!({ "b": 2 }));
    let all = ask(&classifier, "GET", "/v1/groups?inherited=1", Json::Null).body;
    assert_eq!(all[2]["variables"], json!({ "b": 2, "a": 1 }));
}

#[test]
fn what_is_no_group_is_refused() {
    let classifier = classifier();
    let refused = ask_raw(&classifier, "POST", "/v1/groups", b"{\"name\":");
    assert_refused(&refused, 400, "malformed-request");
    assert_eq!(refused.body["details"]["body"], "{\"name\":");
    assert!(refused.body["details"]["error"].is_string());
    let submitted = json!({ "name": 5, "parent": "x", "rule": ["xor"], "color": "red" });
    let refused = ask(&classifier, "POST", "/v1/groups", submitted.clone());
    assert_refused(&refused, 400, "schema-violation");
    let details = &refused.body["details"];
    assert_eq!(details["submitted"], submitted);
    assert!(details["schema"].is_object());
    let wrong: Vec<&String> = details["error"].as_object().expect("errors").keys().collect();
    assert_eq!(wrong, ["color", "name", "parent", "rule", "classes"]);
}

#[test]
fn groups_must_fit_into_the_hierarchy() {
    let classifier = classifier();
    let first = create(&classifier, group("Web", &root()));
    let refused = ask(&classifier, "POST", "/v1/groups", group("Web", &root()));
    assert_refused(&refused, 422, "uniqueness-violation");
    assert_eq!(refused.body["details"]["conflict"], json!({ "name": "Web", "environment": "production" }));
    assert!(refused.body["details"]["constraintName"].is_string());
    let mut elsewhere = group("Web", &root());
    elsewhere["environment"] = "staging".into();
    create(&classifier, elsewhere);
    let nowhere = "11111111-1111-4111-8111-111111111111";
    let refused = ask(&classifier, "POST", "/v1/groups", group("Lost", nowhere));
    assert_refused(&refused, 422, "missing-parent");
    assert!(refused.body["msg"].as_str().unwrap_or_default().contains(nowhere));
    assert_eq!(refused.body["details"]["name"], "Lost");
    let second = create(&classifier, group("Below", id(&first)));
    let refused = ask(&classifier, "POST", &first, json!({ "parent": id(&second) }));
    assert_refused(&refused, 422, "inheritance-cycle");
    assert_eq!(refused.body["details"].as_array().map(Vec::len), Some(2));
    assert!(
        refused.body["msg"].as_str().unwrap_or_default().ends_with("Web -> Below -> Web"),
        "{}",
        refused.body["msg"]
    );
    let refused = ask(&classifier, "POST", &first, json!({ "parent": id(&first) }));
    assert_refused(&refused, 422, "inheritance-cycle");
}

#[test]
fn classes_must_be_there() {
    let classifier = classifier();
    let mut parent = group("Parent", &root());
    parent["environment"] = "staging".into();
    parent["classes"] = json!({ "extra": {} });
    let parent = create(&classifier, parent);
    let mut child = group("Child", id(&parent));
    child["classes"] = json!({ "apache": { "color": "red" }, "nginx": { "a": 1 } });
    let refused = ask(&classifier, "POST", "/v1/groups", child);
    assert_refused(&refused, 422, "missing-referents");
    let mut missing: Vec<String> = refused.body["details"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|one| {
            let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
            format!(
                "{} {} {} {} {}",
                text("kind"),
                text("missing"),
                text("environment"),
                text("group"),
                text("defined_by")
            )
        })
        .collect();
    missing.sort();
    assert_eq!(
        missing,
        [
            "missing-class extra production Child Parent",
            "missing-class nginx production Child Child",
            "missing-parameter color production Child Child",
        ]
    );
}

#[test]
fn lost_classes_are_marked_and_may_stay() {
    let path = "/v1/groups/fc500c43-5065-469b-91fc-37ed0e500e81";
    let groups = {
        // Without knowledge of classes, anything goes.
        let store = Box::<MemoryStore>::default();
        let classifier = Classifier::new(store, host(), None, Options::default()).expect("a classifier");
        let mut spaceship = group("Spaceship", &root());
        spaceship["classes"] =
            json!({ "payload": { "mass": "10.64" }, "ssl": { "stages": "3", "keystore": "k" } });
        assert_eq!(ask(&classifier, "PUT", path, spaceship).status, 201);
        assert!(ask(&classifier, "GET", path, Json::Null).body.get("deleted").is_none());
        ask(&classifier, "GET", "/v1/groups", Json::Null).body
    };
    let classifier = classifier();
    assert_eq!(ask(&classifier, "POST", "/v1/import-hierarchy", groups).status, 204);
    let read = ask(&classifier, "GET", path, Json::Null).body;
    assert_eq!(
        read["deleted"],
        json!({
            "payload": { "puppetlabs.classifier/deleted": true },
            "ssl": {
                "puppetlabs.classifier/deleted": false,
                "stages": { "puppetlabs.classifier/deleted": true, "value": "3" },
            },
        })
    );
    assert_eq!(
        ask(&classifier, "POST", path, json!({ "description": "still" })).status,
        200,
        "no more is missing"
    );
    let refused = ask(&classifier, "POST", path, json!({ "classes": { "warp": {} } }));
    assert_refused(&refused, 422, "missing-referents");
    let read = ask(&classifier, "GET", path, Json::Null).body;
    assert_eq!(ask(&classifier, "PUT", path, read).status, 200, "answers are requests");
}

#[test]
fn ids_and_methods_are_checked() {
    let classifier = classifier();
    for path in ["/v1/groups/42", "/v1/groups/FC500C43-5065-469B-91FC-37ED0E500E81", "/v1/group-children/x"] {
        assert_refused(&ask(&classifier, "GET", path, Json::Null), 400, "malformed-uuid");
    }
    let nowhere = "/v1/groups/11111111-1111-4111-8111-111111111111";
    for (method, path) in [("GET", ""), ("POST", ""), ("DELETE", ""), ("GET", "/rules")] {
        let body = if method == "POST" { json!({}) } else { Json::Null };
        assert_refused(&ask(&classifier, method, &format!("{nowhere}{path}"), body), 404, "not-found");
    }
    for path in ["pin", "unpin"] {
        let answer = ask(&classifier, "POST", &format!("{nowhere}/{path}?nodes=a"), Json::Null);
        assert_refused(&answer, 404, "not-found");
    }
    let other =
        json!({ "id": "22222222-2222-4222-8222-222222222222", "name": "a", "parent": root(), "classes": {} });
    for method in ["PUT", "POST"] {
        let refused = ask(&classifier, method, nowhere, other.clone());
        assert_refused(&refused, 400, "conflicting-ids");
        assert_eq!(refused.body["details"]["fromUrl"], "11111111-1111-4111-8111-111111111111");
        assert_eq!(refused.body["details"]["submitted"], "22222222-2222-4222-8222-222222222222");
    }
    assert_refused(&ask(&classifier, "GET", "/v1/nothing", Json::Null), 404, "not-found");
    assert_refused(&ask(&classifier, "PATCH", "/v1/groups", Json::Null), 405, "method-not-allowed");
}

#[test]
fn groups_are_put() {
    let classifier = classifier();
    let path = "/v1/groups/fc500c43-5065-469b-91fc-37ed0e500e81";
    let created = ask(&classifier, "PUT", path, group("A", &root()));
    assert_eq!((created.status, &created.body["environment"]), (201, &json!("production")));
    let same = ask(&classifier, "PUT", path, created.body.clone());
    assert_eq!((same.status, &same.body), (200, &created.body));
    assert_eq!(ask(&classifier, "PUT", path, group("B", &root())).status, 201);
    assert_refused(&ask_raw(&classifier, "PUT", path, b"{"), 400, "malformed-request");
    assert_refused(&ask(&classifier, "PUT", path, json!([])), 400, "schema-violation");
}

#[test]
fn deltas_are_merged() {
    let classifier = classifier();
    let mut document = group("Webservers", &root());
    document["environment"] = "staging".into();
    document["rule"] = json!(["~", ["trusted", "certname"], "www"]);
    document["classes"] = json!({ "apache": { "serveradmin": "bofh@travaglia.net", "keepalive_timeout": 5 }, "ssl": { "keystore": "/k" } });
    document["variables"] = json!({ "ntp_servers": ["0", "1"], "tree": { "a": 1 } });
    let path = create(&classifier, document);
    let parent = create(&classifier, group("Above", &root()));
    let delta = json!({
        "name": "Production Webservers", "id": id(&path), "environment": "production", "parent": id(&parent),
        "classes": { "apache": { "serveradmin": "roy@reynholm.co.uk", "keepalive_timeout": null }, "ssl": null },
        "variables": { "dns_servers": ["dns"], "tree": { "b": 2 } },
        "config_data": { "ssl": { "keystore": "c" } },
    });
    let changed = ask(&classifier, "POST", &path, delta);
    assert_eq!(changed.status, 200, "{}", changed.body);
    assert_eq!(
        changed.body,
        json!({
            "name": "Production Webservers", "id": id(&path), "environment": "production", "environment_trumps": false,
            "parent": id(&parent), "rule": ["~", ["trusted", "certname"], "www"],
            "classes": { "apache": { "serveradmin": "roy@reynholm.co.uk" } },
            "config_data": { "ssl": { "keystore": "c" } },
            "variables": { "ntp_servers": ["0", "1"], "tree": { "b": 2 }, "dns_servers": ["dns"] },
        })
    );
    let changed =
        ask(&classifier, "POST", &path, json!({ "rule": null, "variables": null, "description": "d" }));
    assert_eq!((&changed.body["rule"], &changed.body["variables"]), (&Json::Null, &json!({})));
    let read = ask(&classifier, "GET", &path, Json::Null).body;
    assert_eq!(read, changed.body, "what was answered is kept");
    assert_refused(&ask_raw(&classifier, "POST", &path, b"nil"), 400, "malformed-request");
    assert_refused(&ask(&classifier, "POST", &path, json!({ "name": 1 })), 400, "schema-violation");
    let root = format!("/v1/groups/{}", root());
    assert_refused(
        &ask(&classifier, "POST", &root, json!({ "rule": ["=", "name", "a"] })),
        422,
        "root-rule-edit",
    );
    assert_refused(
        &ask(&classifier, "POST", &format!("{root}/pin?nodes=a"), Json::Null),
        422,
        "root-rule-edit",
    );
    assert_eq!(ask(&classifier, "POST", &root, json!({ "description": "all" })).status, 200);
}

#[test]
fn groups_are_deleted_from_below() {
    let classifier = classifier();
    let parent = create(&classifier, group("Parent", &root()));
    let child = create(&classifier, group("Child", id(&parent)));
    let refused = ask(&classifier, "DELETE", &parent, Json::Null);
    assert_refused(&refused, 422, "children-present");
    assert!(refused.body["msg"].as_str().unwrap_or_default().ends_with("Child"));
    assert_eq!(refused.body["details"]["group"]["name"], "Parent");
    assert_eq!(refused.body["details"]["children"][0]["name"], "Child");
    assert_eq!(ask(&classifier, "DELETE", &child, Json::Null).status, 204);
    assert_eq!(ask(&classifier, "DELETE", &parent, Json::Null).status, 204);
    assert_refused(&ask(&classifier, "DELETE", &parent, Json::Null), 404, "not-found");
    assert_refused(
        &ask(&classifier, "DELETE", &format!("/v1/groups/{}", root()), Json::Null),
        422,
        "root-group",
    );
}

#[test]
fn nodes_are_pinned_and_unpinned() {
    let classifier = classifier();
    let path = create(&classifier, group("Pins", &root()));
    let rule = || ask(&classifier, "GET", &path, Json::Null).body["rule"].clone();
    assert_eq!(ask(&classifier, "POST", &format!("{path}/pin?nodes=foo%2Cbar"), Json::Null).status, 204);
    assert_eq!(rule(), json!(["or", ["=", "name", "foo"], ["=", "name", "bar"]]));
    let many: Vec<String> = (0..10_000).map(|number| format!("node{number}")).collect();
    assert_eq!(ask(&classifier, "POST", &format!("{path}/pin"), json!({ "nodes": many })).status, 204);
    assert_eq!(rule().as_array().map(Vec::len), Some(10_003));
    let answer = ask(&classifier, "POST", "/v1/classified/nodes/node9999", Json::Null).body;
    assert_eq!(answer["groups"], json!([root(), id(&path)]));
    assert_eq!(ask(&classifier, "POST", &format!("{path}/unpin"), json!({ "nodes": many })).status, 204);
    assert_eq!(ask(&classifier, "POST", &format!("{path}/unpin?nodes=other,foo"), Json::Null).status, 204);
    assert_eq!(rule(), json!(["or", ["=", "name", "bar"]]));
    for end in ["pin", "unpin"] {
        let at = format!("{path}/{end}");
        assert_refused(&ask(&classifier, "POST", &at, Json::Null), 400, "missing-parameters");
        assert_refused(&ask_raw(&classifier, "POST", &at, b"foo"), 400, "malformed-request");
        assert_refused(
            &ask(&classifier, "POST", &at, json!({ "nodes": ["a"], "x": 1 })),
            400,
            "schema-violation",
        );
        assert_refused(&ask(&classifier, "POST", &at, json!({ "nodes": [1] })), 400, "schema-violation");
    }
    let unpinned =
        ask(&classifier, "POST", "/v1/commands/unpin-from-all", json!({ "nodes": ["bar", "foo"] })).body;
    assert_eq!(
        unpinned,
        json!({ "nodes": [{ "name": "bar", "groups": [{ "id": id(&path), "name": "Pins", "environment": "production" }] }] })
    );
    assert_eq!(rule(), Json::Null);
}

#[test]
fn nodes_are_classified() {
    let classifier = classifier();
    let mut web = group("Web", &root());
    web["rule"] = json!(["~", "name", "^www"]);
    web["classes"] = json!({ "apache": { "serveradmin": "w" } });
    web["environment"] = "staging".into();
    web["variables"] = json!({ "tier": 1 });
    let web = create(&classifier, web);
    let mut secure = group("Secure", id(&web));
    secure["rule"] = json!(["=", ["fact", "secure"], "true"]);
    secure["environment"] = "staging".into();
    secure["classes"] = json!({ "ssl": {} });
    secure["config_data"] = json!({ "ssl": { "keystore": "k" } });
    let secure = create(&classifier, secure);
    let facts = json!({ "fact": { "secure": true }, "transaction_uuid": "t" });
    let answer = ask(&classifier, "POST", "/v1/classified/nodes/www1", facts.clone());
    assert_eq!(
        answer.body,
        json!({
            "name": "www1", "groups": [root(), id(&web), id(&secure)], "environment": "staging",
            "classes": { "ssl": {}, "apache": { "serveradmin": "w" } }, "parameters": { "tier": 1 },
            "config_data": { "ssl": { "keystore": "k" } },
        })
    );
    let other = ask(&classifier, "POST", "/v1/classified/nodes/db1", facts.clone()).body;
    assert_eq!((&other["groups"], &other["environment"]), (&json!([root()]), &json!("production")));
    let brief = ask(&classifier, "POST", "/v2/classified/nodes/www1", facts).body;
    assert_eq!(brief["groups"][1], json!({ "id": id(&secure), "name": "Secure" }));
    assert_eq!(brief["classes"], json!(["ssl", "apache"]));
    let history = ask(&classifier, "GET", "/v1/nodes/www1", Json::Null).body;
    assert_eq!(history["check_ins"][0]["transaction_uuid"], "t");
    assert_eq!(history["check_ins"][0]["explanation"][id(&web)]["value"], true);
    let all = ask(&classifier, "GET", "/v1/nodes?limit=1&offset=1", Json::Null).body;
    assert_eq!((all.as_array().map(Vec::len), &all[0]["name"]), (Some(1), &json!("www1")));
    assert_refused(&ask(&classifier, "GET", "/v1/nodes/unseen", Json::Null), 404, "not-found");
    assert_refused(&ask(&classifier, "GET", "/v1/nodes?limit=x", Json::Null), 400, "malformed-number");
    let wrong = ask(&classifier, "POST", "/v1/classified/nodes/a", json!({ "facts": {} }));
    assert_refused(&wrong, 400, "schema-violation");
    assert_refused(&ask_raw(&classifier, "POST", "/v1/classified/nodes/a", b"{"), 400, "malformed-request");
}

#[test]
fn conflicts_are_explained() {
    let classifier = classifier();
    let conflicting = |name: &str, environment: &str, admin: &str| {
        let mut one = group(name, &root());
        one["rule"] = json!(["=", "name", "a"]);
        one["environment"] = environment.into();
        one["classes"] = json!({ "apache": { "serveradmin": admin, "keepalive_timeout": 1 } });
        one["variables"] = json!({ "v": admin });
        create(&classifier, one)
    };
    conflicting("One", "production", "1");
    let two = conflicting("Two", "staging", "2");
    let refused = ask(&classifier, "POST", "/v1/classified/nodes/a", Json::Null);
    assert_refused(&refused, 500, "classification-conflict");
    let details = &refused.body["details"];
    assert_eq!(details["environment"][1]["value"], "staging");
    assert_eq!(details["classes"]["apache"]["serveradmin"][0]["from"]["name"], "One");
    assert_eq!(details["variables"]["v"][1]["defined_by"]["name"], "Two");
    assert!(details["classes"]["apache"].get("keepalive_timeout").is_none(), "they agree");
    let explained = ask(&classifier, "POST", "/v1/classified/nodes/a/explanation", Json::Null).body;
    assert_eq!(explained["conflicts"], *details);
    assert_eq!(explained["leaf_groups"].as_object().map(serde_json::Map::len), Some(2));
    let delta = json!({ "environment_trumps": true, "classes": { "apache": { "serveradmin": "1" } }, "variables": { "v": "1" } });
    assert_eq!(ask(&classifier, "POST", &two, delta).status, 200);
    let solved = ask(&classifier, "POST", "/v1/classified/nodes/a", Json::Null).body;
    assert_eq!(solved["environment"], "staging");
    let explained = ask(&classifier, "POST", "/v1/classified/nodes/a/explanation", Json::Null).body;
    let form = &explained["match_explanations"][id(&two)];
    assert_eq!(*form, json!({ "value": true, "form": ["=", { "path": "name", "value": "a" }, "a"] }));
    assert_eq!(explained["classification_sources"]["environment"], json!(["Two"]));
    assert_eq!(explained["final_classification"]["variables"], json!({ "v": "1" }));
}

#[test]
fn classes_and_environments_are_listed() {
    let classifier = classifier();
    let before = ask(&classifier, "GET", "/v1/last-class-update", Json::Null).body;
    assert_eq!(before, json!({ "last_update": null }));
    let classes = ask(&classifier, "GET", "/v1/classes", Json::Null).body;
    let names: Vec<&Json> = classes.as_array().into_iter().flatten().map(|class| &class["name"]).collect();
    assert_eq!(names, ["apache", "ssl", "apache", "extra", "ssl"]);
    assert_eq!(
        classes[0],
        json!({
            "name": "apache", "environment": "production",
            "parameters": {
                "serveradmin": "root@localhost", "keepalive_timeout": 15, "port": "$facts['port']", "docroot": null,
            },
        })
    );
    let one = ask(&classifier, "GET", "/v1/environments/staging/classes/extra", Json::Null).body;
    assert_eq!(one["environment"], "staging");
    let own = ask(&classifier, "GET", "/v1/environments/production/classes", Json::Null).body;
    assert_eq!(own.as_array().map(Vec::len), Some(2));
    for path in
        ["/v1/environments/x", "/v1/environments/x/classes", "/v1/environments/production/classes/extra"]
    {
        assert_refused(&ask(&classifier, "GET", path, Json::Null), 404, "not-found");
    }
    assert_eq!(ask(&classifier, "PUT", "/v1/environments/made%20up", Json::Null).status, 201);
    assert_eq!(ask(&classifier, "PUT", "/v1/environments/production", Json::Null).status, 200);
    let names = ask(&classifier, "GET", "/v1/environments", Json::Null).body;
    assert_eq!(names, json!([{ "name": "made up" }, { "name": "production" }, { "name": "staging" }]));
    assert_eq!(ask(&classifier, "POST", "/v1/update-classes", Json::Null).status, 201);
    assert_eq!(ask(&classifier, "POST", "/v1/update-classes?environment=staging", Json::Null).status, 201);
    assert!(ask(&classifier, "GET", "/v1/last-class-update", Json::Null).body["last_update"].is_string());
}

#[test]
fn rules_are_translated() {
    let classifier = classifier();
    let translate =
        |format: &str, rule: Json| ask(&classifier, "POST", &format!("/v1/rules/translate{format}"), rule);
    let rule = json!(["and", ["=", "name", "a"], ["not", [">", ["fact", "cpus"], "4"]]]);
    assert_eq!(
        translate("", rule).body,
        json!(["and", ["=", "certname", "a"], ["not", [">", ["fact", "cpus"], 4]]])
    );
    let structured = json!(["~", ["fact", "os", "release", 0, "a b"], "x"]);
    assert_eq!(
        translate("?format=inventory", structured.clone()).body,
        json!(["~", "facts.os.release[0].\"a b\"", "x"])
    );
    assert_refused(&translate("", structured), 422, "untranslatable-rule");
    let trusted = json!(["=", ["trusted", "certname"], "x"]);
    assert_eq!(translate("?format=inventory", trusted.clone()).body, json!(["=", "trusted.certname", "x"]));
    assert_refused(&translate("?format=nodes", trusted), 422, "untranslatable-rule");
    assert_refused(&translate("", json!(["="])), 400, "schema-violation");
    assert_refused(&translate("?format=x", json!(["=", "name", "a"])), 400, "schema-violation");
    assert_refused(&ask_raw(&classifier, "POST", "/v1/rules/translate", b"["), 400, "malformed-request");
    let mut parent = group("P", &root());
    parent["rule"] = json!(["=", ["fact", "a"], "1"]);
    let path = create(&classifier, parent);
    let rules = ask(&classifier, "GET", &format!("{path}/rules"), Json::Null).body;
    assert_eq!(
        rules["rule_with_inherited"],
        json!(["and", ["=", ["fact", "a"], "1"], ["and", ["~", "name", ".*"]]])
    );
    assert_eq!(rules["translated"]["nodes_query_format"][1], json!(["=", ["fact", "a"], "1"]));
}

#[test]
fn groups_are_validated_and_imported_and_shown_as_trees() {
    let classifier = classifier();
    let validate = |document: Json| ask(&classifier, "POST", "/v1/validate/group", document);
    assert_eq!(validate(group("A", &root())).status, 200);
    let mut wrong = group("A", &root());
    wrong["classes"] = json!({ "nothing": {} });
    assert_refused(&validate(wrong), 422, "missing-referents");
    assert_refused(&validate(json!({})), 400, "schema-violation");
    assert_eq!(ask(&classifier, "GET", "/v1/groups", Json::Null).body.as_array().map(Vec::len), Some(1));

    let mut last = root();
    for depth in 0..3 {
        let path = create(&classifier, group(&format!("level {depth}"), &last));
        create(&classifier, group(&format!("side {depth}"), &last));
        last = id(&path).to_owned();
    }
    let tree = ask(&classifier, "GET", &format!("/v1/group-children/{}?depth=1", root()), Json::Null).body;
    assert_eq!(tree[0]["immediate_child_count"], 2);
    assert_eq!(tree[0]["children"][0]["name"], "level 0");
    assert_eq!(tree[0]["children"][1]["name"], "side 0");
    assert_eq!(tree[0]["children"][0]["immediate_child_count"], 2);
    assert_eq!(tree[0]["children"][0]["children"], json!([]));
    let whole = ask(&classifier, "GET", &format!("/v1/group-children/{}", root()), Json::Null).body;
    assert_eq!(whole[0]["children"][0]["children"][0]["children"][0]["name"], "level 2");

    let mut all = ask(&classifier, "GET", "/v1/groups", Json::Null).body;
    let import = |document: &Json| ask(&classifier, "POST", "/v1/import-hierarchy", document.clone());
    assert_eq!(import(&all).status, 204);
    assert_eq!(ask(&classifier, "GET", "/v1/groups", Json::Null).body, all);
    assert_refused(&import(&json!({})), 400, "schema-violation");
    let without_root: Json = all.as_array().into_iter().flatten().skip(1).cloned().collect();
    assert_refused(&import(&without_root), 422, "missing-parent");
    let (one, two) = (all[1]["id"].clone(), all[3]["id"].clone());
    all[1]["parent"] = two;
    all[3]["parent"] = one;
    assert_refused(&import(&all), 422, "inheritance-cycle");
    all[1].as_object_mut().map(|members| members.remove("environment"));
    assert_refused(&import(&all), 400, "schema-violation");
}

#[test]
fn configuration_data_can_be_switched_off() {
    let options = Options { allow_config_data: false, ..Options::default() };
    let classifier = classifier_with(Box::<MemoryStore>::default(), options);
    let mut document = group("A", &root());
    let path = create(&classifier, document.clone());
    assert!(ask(&classifier, "GET", &path, Json::Null).body.get("config_data").is_none());
    document["config_data"] = json!({});
    assert_refused(&ask(&classifier, "POST", "/v1/groups", document), 400, "schema-violation");
    assert_eq!(ask(&classifier, "POST", &path, json!({ "description": "d" })).status, 200);
}

#[test]
fn configuration_data_of_before_is_kept_and_not_used() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("groups.db");
    let open = |allow_config_data| {
        let store = SqliteStore::create(&file).expect("a database");
        classifier_with(Box::new(store), Options { allow_config_data, ..Options::default() })
    };
    let mut document = group("A", &root());
    document["rule"] = json!(["=", "name", "www1"]);
    document["config_data"] = json!({ "ssl": { "keystore": "secret" } });
    let path = create(&open(true), document.clone());
    let off = open(false);
    for asked in ["/v1/classified/nodes/www1", "/v1/classified/nodes/www1/explanation"] {
        let body = ask(&off, "POST", asked, Json::Null).body.to_string();
        assert!(body.contains("www1") && !body.contains("secret"), "{body}");
    }
    document.as_object_mut().map(|members| members.remove("config_data"));
    document["description"] = json!("new");
    assert_eq!(ask(&off, "PUT", &path, document.clone()).status, 201);
    assert_eq!(ask(&off, "PUT", &path, document).status, 200);
    assert_eq!(ask(&open(true), "GET", &path, Json::Null).body["config_data"]["ssl"]["keystore"], "secret");
}

#[test]
fn two_processes_share_a_database() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("groups.db");
    let open =
        || classifier_with(Box::new(SqliteStore::create(&file).expect("a database")), Options::default());
    let (one, two) = (open(), open());
    let path = create(&one, group("A", &root()));
    assert_eq!(ask(&two, "GET", &path, Json::Null).status, 200, "what one writes the other reads");
    std::thread::scope(|scope| {
        for (writer, classifier) in [&one, &two].into_iter().enumerate() {
            for thread in 0..2 {
                let path = &path;
                scope.spawn(move || {
                    for number in 0..10 {
                        let at = format!("{path}/pin?nodes=n{writer}-{thread}-{number}");
                        assert_eq!(ask(classifier, "POST", &at, Json::Null).status, 204);
                    }
                });
            }
        }
    });
    let rule = ask(&two, "GET", &path, Json::Null).body["rule"].clone();
    assert_eq!(rule.as_array().map(Vec::len), Some(41), "no change is lost");
    drop((one, two));
    let again = open().hierarchy().map(|hierarchy: Hierarchy| hierarchy.len());
    assert_eq!(again.ok(), Some(2));
}

#[test]
fn opening_is_not_making() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("groups.db");
    let refused = |path: &std::path::Path| SqliteStore::open(path).expect_err("no database").to_string();
    assert_eq!(refused(&file), "the store cannot be used: there is no such database");
    assert!(!file.exists(), "asking makes nothing");
    std::fs::write(&file, "").expect("an empty file");
    assert_eq!(refused(&file), "the store cannot be used: it is no database of a node classifier");
    drop(SqliteStore::create(&file).expect("a database"));
    drop(SqliteStore::open(&file).expect("the database"));
    drop(SqliteStore::create(&file).expect("the same database"));
    let other = directory.path().join("other.db");
    let elsewhere = rusqlite::Connection::open(&other).expect("a database");
    elsewhere.execute_batch("CREATE TABLE users (name TEXT)").expect("a table");
    drop(elsewhere);
    let before = std::fs::read(&other).expect("its bytes");
    assert_eq!(refused(&other), "the store cannot be used: it is no database of a node classifier");
    assert!(SqliteStore::create(&other).is_err());
    assert_eq!(std::fs::read(&other).expect("its bytes"), before, "others' databases stay as they are");
}

#[test]
fn put_tells_what_is_deleted() {
    let store = MemoryStore::default();
    let mut old = Group::root();
    (old.name, old.rule) = ("Old".to_owned(), None);
    old.id = "11111111-1111-4111-8111-111111111111".parse().expect("an id");
    old.classes.insert("gone".to_owned(), serde_json::Map::new());
    let path = format!("/v1/groups/{}", old.id);
    let changes = [Group::root(), old].map(|group| Change::Put(Box::new(group)));
    store.commit(0, &changes).expect("groups");
    let classifier = classifier_with(Box::new(store), Options::default());
    let shown = ask(&classifier, "GET", &path, Json::Null).body;
    assert_eq!(shown["deleted"], json!({ "gone": { "puppetlabs.classifier/deleted": true } }));
    let put = |description: &str| {
        let mut document = shown.clone();
        document["description"] = json!(description);
        ask(&classifier, "PUT", &path, document)
    };
    for (description, status) in [("new", 201), ("new", 200)] {
        let answer = put(description);
        assert_eq!((answer.status, &answer.body["deleted"]), (status, &shown["deleted"]));
    }
    let tree = ask(&classifier, "GET", &format!("/v1/group-children/{}", root()), Json::Null).body;
    assert_eq!(tree[0]["children"][0]["deleted"], shown["deleted"]);
}

#[test]
fn lists_of_nodes_in_queries_are_of_any_length() {
    let classifier = classifier_with(Box::<MemoryStore>::default(), Options::default());
    let path = create(&classifier, group("A", &root()));
    let nodes: Vec<String> = (0..100_000).map(|number| format!("node{number:06}.example.net")).collect();
    let at = format!("{path}/pin?nodes={}", nodes.join("%2C"));
    assert_eq!(ask(&classifier, "POST", &at, Json::Null).status, 204);
    let rule = ask(&classifier, "GET", &path, Json::Null).body["rule"].clone();
    let pinned = rule.as_array().into_iter().flatten().filter(|one| one[1] == "name" && one[0] == "=");
    assert_eq!(pinned.count(), nodes.len());
}

/// The work of the killed process: pins nodes, and prints which ones are done.
#[test]
#[ignore = "is the process that the next test kills"]
fn writes_until_killed() {
    let file = std::env::var_os("BUNRAKU_TEST_DATABASE").expect("a path");
    let store = SqliteStore::open(file.as_ref()).expect("a database");
    let classifier = classifier_with(Box::new(store), Options::default());
    let path =
        ask(&classifier, "GET", "/v1/groups", Json::Null).body[1]["id"].as_str().expect("an id").to_owned();
    for number in 0.. {
        let answer = ask(&classifier, "POST", &format!("/v1/groups/{path}/pin?nodes=n{number}"), Json::Null);
        assert_eq!(answer.status, 204);
        println!("done {number}");
    }
}

#[test]
fn acknowledged_writes_survive_a_kill() {
    use std::io::BufRead as _;
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("groups.db");
    let open =
        || classifier_with(Box::new(SqliteStore::create(&file).expect("a database")), Options::default());
    let path = create(&open(), group("A", &root()));
    for _ in 0..3 {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "classifier::writes_until_killed", "--ignored", "--nocapture"])
            .env("BUNRAKU_TEST_DATABASE", &file)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let lines = std::io::BufReader::new(child.stdout.take().expect("output")).lines();
        let mut last = None;
        for line in lines.map_while(Result::ok) {
            if let Some((_, number)) = line.split_once("done ") {
                last = number.parse::<usize>().ok();
            }
            if last == Some(20) {
                child.kill().expect("killed");
            }
        }
        child.wait().expect("ended");
        let last = last.expect("something was written");
        let rule = ask(&open(), "GET", &path, Json::Null).body["rule"].clone();
        for number in 0..=last {
            let pin = json!(["=", "name", format!("n{number}")]);
            assert!(rule.as_array().is_some_and(|pins| pins.contains(&pin)), "n{number} was acknowledged");
        }
    }
}
