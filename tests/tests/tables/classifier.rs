//! The table of `core/docs/classifier.md`: each cell, a status of success or a kind of error, is asked; the
//! table has no cell that is not asked, and nothing is asked that the table does not have.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use bunraku::classifier::{
    Change, CheckIn, Classifier, Commit, EnvironmentClasses, MemoryStore, Options, Request, Snapshot, Store,
    StoreError,
};
use bunraku::host::memory::MemoryHost;
use bunraku::loader::{EnvironmentOptions, Environments, Reload};
use serde_json::{Value as Json, json};

const TABLE: &str = include_str!("../../../core/docs/classifier.md");

/// A line each: the row of the table, the expected status, the request, its body. `$ROOT`, `$WEB`, `$CHILD`,
/// `$GONE`, `$NEW` are ids.
const CASES: &str = r#"
GET /v1/groups | 200 | GET /v1/groups
GET /v1/groups | 200 | GET /v1/groups?inherited=1
POST /v1/groups | 303 | POST /v1/groups | {"name":"N","parent":"$ROOT","classes":{}}
POST /v1/groups | malformed-request | POST /v1/groups | {"name":
POST /v1/groups | schema-violation | POST /v1/groups | {"name":5}
POST /v1/groups | schema-violation | POST /v1/groups | {"name":"","parent":"$ROOT","classes":{}}
POST /v1/groups | schema-violation | POST /v1/groups | {"name":"a\u0000b","parent":"$ROOT","classes":{}}
POST /v1/groups | schema-violation | POST /v1/groups | {"name":"N","environment":"","parent":"$ROOT","classes":{}}
POST /v1/groups | schema-violation | POST /v1/groups | {"name":"N","parent":"$ROOT","environment":"agent-specified","classes":{"":{}}}
POST /v1/groups | schema-violation | POST /v1/groups | {"name":"N","parent":"$ROOT","environment":"agent-specified","classes":{"a\u0000":{}}}
POST /v1/groups | schema-violation | POST /v1/groups | {"name":"N","parent":"$ROOT","environment":"agent-specified","classes":{"a":{"":1}}}
POST /v1/groups | schema-violation | POST /v1/groups | {"name":"N","parent":"$ROOT","classes":{},"config_data":{"":{"a":1}}}
POST /v1/groups | schema-violation | POST /v1/groups | {"name":"N","parent":"$ROOT","classes":{},"variables":{"\u0000":1}}
POST /v1/groups | uniqueness-violation | POST /v1/groups | {"name":"Web","parent":"$ROOT","classes":{}}
POST /v1/groups | missing-parent | POST /v1/groups | {"name":"N","parent":"$GONE","classes":{}}
POST /v1/groups | missing-referents | POST /v1/groups | {"name":"N","parent":"$ROOT","classes":{"nothing":{}}}
GET /v1/groups/ID | 200 | GET /v1/groups/$WEB
GET /v1/groups/ID | 200 | GET /v1/groups/$CHILD?inherited=true
GET /v1/groups/ID | not-found | GET /v1/groups/$GONE
GET /v1/groups/ID | malformed-uuid | GET /v1/groups/42
PUT /v1/groups/ID | 201 | PUT /v1/groups/$NEW | {"name":"N","parent":"$ROOT","classes":{}}
PUT /v1/groups/ID | 200 | PUT /v1/groups/$CHILD | {"name":"Child","parent":"$WEB","environment":"production","classes":{},"rule":["=","name","www1"]}
PUT /v1/groups/ID | malformed-request | PUT /v1/groups/$NEW | {
PUT /v1/groups/ID | schema-violation | PUT /v1/groups/$NEW | {"name":"N","parent":"$ROOT","classes":[]}
PUT /v1/groups/ID | uniqueness-violation | PUT /v1/groups/$NEW | {"name":"Web","parent":"$ROOT","classes":{}}
PUT /v1/groups/ID | missing-parent | PUT /v1/groups/$NEW | {"name":"N","parent":"$GONE","classes":{}}
PUT /v1/groups/ID | missing-referents | PUT /v1/groups/$NEW | {"name":"N","parent":"$ROOT","classes":{"ssl":{"nothing":1}}}
PUT /v1/groups/ID | conflicting-ids | PUT /v1/groups/$NEW | {"id":"$GONE","name":"N","parent":"$ROOT","classes":{}}
PUT /v1/groups/ID | inheritance-cycle | PUT /v1/groups/$WEB | {"name":"Web","parent":"$CHILD","classes":{}}
PUT /v1/groups/ID | root-rule-edit | PUT /v1/groups/$ROOT | {"name":"All Nodes","parent":"$ROOT","classes":{},"rule":["=","name","a"]}
PUT /v1/groups/ID | malformed-uuid | PUT /v1/groups/x | {"name":"N","parent":"$ROOT","classes":{}}
POST /v1/groups/ID | 200 | POST /v1/groups/$WEB | {"description":"d"}
POST /v1/groups/ID | malformed-request | POST /v1/groups/$WEB | {"description"
POST /v1/groups/ID | schema-violation | POST /v1/groups/$WEB | {"description":1}
POST /v1/groups/ID | schema-violation | POST /v1/groups/$WEB | {"name":""}
POST /v1/groups/ID | uniqueness-violation | POST /v1/groups/$CHILD | {"name":"Web"}
POST /v1/groups/ID | missing-parent | POST /v1/groups/$CHILD | {"parent":"$GONE"}
POST /v1/groups/ID | missing-referents | POST /v1/groups/$CHILD | {"classes":{"nothing":{}}}
POST /v1/groups/ID | conflicting-ids | POST /v1/groups/$CHILD | {"id":"$GONE"}
POST /v1/groups/ID | inheritance-cycle | POST /v1/groups/$WEB | {"parent":"$CHILD"}
POST /v1/groups/ID | root-rule-edit | POST /v1/groups/$ROOT | {"rule":["=","name","a"]}
POST /v1/groups/ID | malformed-uuid | POST /v1/groups/x | {}
POST /v1/groups/ID | not-found | POST /v1/groups/$GONE | {}
DELETE /v1/groups/ID | 204 | DELETE /v1/groups/$CHILD
DELETE /v1/groups/ID | not-found | DELETE /v1/groups/$GONE
DELETE /v1/groups/ID | malformed-uuid | DELETE /v1/groups/x
DELETE /v1/groups/ID | children-present | DELETE /v1/groups/$WEB
DELETE /v1/groups/ID | root-group | DELETE /v1/groups/$LONELY_ROOT
GET /v1/groups/ID/rules | 200 | GET /v1/groups/$CHILD/rules
GET /v1/groups/ID/rules | not-found | GET /v1/groups/$GONE/rules
GET /v1/groups/ID/rules | malformed-uuid | GET /v1/groups/x/rules
POST /v1/groups/ID/pin | 204 | POST /v1/groups/$WEB/pin?nodes=a,b
POST /v1/groups/ID/pin | 204 | POST /v1/groups/$WEB/pin | {"nodes":["a"]}
POST /v1/groups/ID/pin | not-found | POST /v1/groups/$GONE/pin?nodes=a
POST /v1/groups/ID/pin | malformed-uuid | POST /v1/groups/x/pin?nodes=a
POST /v1/groups/ID/pin | missing-parameters | POST /v1/groups/$WEB/pin
POST /v1/groups/ID/pin | malformed-request | POST /v1/groups/$WEB/pin | {
POST /v1/groups/ID/pin | schema-violation | POST /v1/groups/$WEB/pin | {"nodes":[1]}
POST /v1/groups/ID/pin | schema-violation | POST /v1/groups/$WEB/pin | {"nodes":["a",""]}
POST /v1/groups/ID/pin | schema-violation | POST /v1/groups/$WEB/pin?nodes=a,,b
POST /v1/groups/ID/pin | schema-violation | POST /v1/groups/$WEB/pin?nodes=
POST /v1/groups/ID/pin | schema-violation | POST /v1/groups/$WEB/pin?nodes=a%00
POST /v1/groups/ID/pin | root-rule-edit | POST /v1/groups/$ROOT/pin?nodes=a
POST /v1/groups/ID/unpin | 204 | POST /v1/groups/$WEB/unpin?nodes=a
POST /v1/groups/ID/unpin | not-found | POST /v1/groups/$GONE/unpin?nodes=a
POST /v1/groups/ID/unpin | malformed-uuid | POST /v1/groups/x/unpin?nodes=a
POST /v1/groups/ID/unpin | missing-parameters | POST /v1/groups/$WEB/unpin
POST /v1/groups/ID/unpin | malformed-request | POST /v1/groups/$WEB/unpin | {
POST /v1/groups/ID/unpin | schema-violation | POST /v1/groups/$WEB/unpin | {"nodes":{}}
GET /v1/group-children/ID | 200 | GET /v1/group-children/$ROOT?depth=1
GET /v1/group-children/ID | not-found | GET /v1/group-children/$GONE
GET /v1/group-children/ID | malformed-uuid | GET /v1/group-children/x
GET /v1/group-children/ID | malformed-number | GET /v1/group-children/$ROOT?depth=x
POST /v1/validate/group | 200 | POST /v1/validate/group | {"name":"N","parent":"$ROOT","classes":{}}
POST /v1/validate/group | malformed-request | POST /v1/validate/group | [
POST /v1/validate/group | schema-violation | POST /v1/validate/group | {}
POST /v1/validate/group | uniqueness-violation | POST /v1/validate/group | {"name":"Web","parent":"$ROOT","classes":{}}
POST /v1/validate/group | missing-parent | POST /v1/validate/group | {"name":"N","parent":"$GONE","classes":{}}
POST /v1/validate/group | missing-referents | POST /v1/validate/group | {"name":"N","parent":"$ROOT","classes":{"nothing":{}}}
POST /v1/import-hierarchy | 204 | POST /v1/import-hierarchy | [$ROOT_GROUP]
POST /v1/import-hierarchy | malformed-request | POST /v1/import-hierarchy | [
POST /v1/import-hierarchy | schema-violation | POST /v1/import-hierarchy | {}
POST /v1/import-hierarchy | uniqueness-violation | POST /v1/import-hierarchy | [$ROOT_GROUP, {"id":"$WEB","name":"A","parent":"$ROOT","environment":"production","environment_trumps":false,"classes":{},"variables":{}}, {"id":"$NEW","name":"A","parent":"$ROOT","environment":"production","environment_trumps":false,"classes":{},"variables":{}}]
POST /v1/import-hierarchy | missing-parent | POST /v1/import-hierarchy | [$ROOT_GROUP, {"id":"$WEB","name":"A","parent":"$GONE","environment":"production","environment_trumps":false,"classes":{},"variables":{}}]
POST /v1/import-hierarchy | inheritance-cycle | POST /v1/import-hierarchy | [$ROOT_GROUP, {"id":"$WEB","name":"A","parent":"$NEW","environment":"production","environment_trumps":false,"classes":{},"variables":{}}, {"id":"$NEW","name":"B","parent":"$WEB","environment":"production","environment_trumps":false,"classes":{},"variables":{}}]
POST /v1/import-hierarchy | unreachable-groups | POST /v1/import-hierarchy | []
POST /v1/commands/unpin-from-all | 200 | POST /v1/commands/unpin-from-all | {"nodes":["a"]}
POST /v1/commands/unpin-from-all | malformed-request | POST /v1/commands/unpin-from-all | {
POST /v1/commands/unpin-from-all | schema-violation | POST /v1/commands/unpin-from-all | {"nodes":1}
POST /v1/rules/translate | 200 | POST /v1/rules/translate | ["=","name","a"]
POST /v1/rules/translate | 200 | POST /v1/rules/translate?format=inventory | ["=",["trusted","certname"],"a"]
POST /v1/rules/translate | malformed-request | POST /v1/rules/translate | [
POST /v1/rules/translate | schema-violation | POST /v1/rules/translate | ["="]
POST /v1/rules/translate | untranslatable-rule | POST /v1/rules/translate | ["=",["fact","a","b"],"c"]
GET /v1/classes | 200 | GET /v1/classes
GET /v1/environments | 200 | GET /v1/environments
GET /v1/environments/NAME | 200 | GET /v1/environments/production
GET /v1/environments/NAME | not-found | GET /v1/environments/nothing
GET /v1/environments/NAME/classes | 200 | GET /v1/environments/production/classes
GET /v1/environments/NAME/classes | not-found | GET /v1/environments/nothing/classes
GET /v1/environments/NAME/classes/CLASS | 200 | GET /v1/environments/production/classes/ssl
GET /v1/environments/NAME/classes/CLASS | not-found | GET /v1/environments/production/classes/nothing
PUT /v1/environments/NAME | 201 | PUT /v1/environments/new
PUT /v1/environments/NAME | 200 | PUT /v1/environments/production
PUT /v1/environments/NAME | schema-violation | PUT /v1/environments/a%00b
GET /v1/last-class-update | 200 | GET /v1/last-class-update
POST /v1/update-classes | 201 | POST /v1/update-classes
POST /v1/update-classes | 201 | POST /v1/update-classes?environment=staging
GET /v1/nodes | 200 | GET /v1/nodes?limit=1&offset=0
GET /v1/nodes | malformed-number | GET /v1/nodes?limit=x
GET /v1/nodes/NAME | 200 | GET /v1/nodes/www1
GET /v1/nodes/NAME | not-found | GET /v1/nodes/nobody
POST /v1/classified/nodes/NAME | 200 | POST /v1/classified/nodes/www1 | {"fact":{},"trusted":{}}
POST /v1/classified/nodes/NAME | classification-conflict | POST /v1/classified/nodes/both | {}
POST /v1/classified/nodes/NAME | malformed-request | POST /v1/classified/nodes/www1 | {
POST /v1/classified/nodes/NAME | schema-violation | POST /v1/classified/nodes/www1 | {"fact":1}
POST /v1/classified/nodes/NAME | schema-violation | POST /v1/classified/nodes/a%00 | {}
POST /v1/classified/nodes/NAME/explanation | 200 | POST /v1/classified/nodes/both/explanation | {}
POST /v1/classified/nodes/NAME/explanation | malformed-request | POST /v1/classified/nodes/www1/explanation | {
POST /v1/classified/nodes/NAME/explanation | schema-violation | POST /v1/classified/nodes/www1/explanation | []
POST /v2/classified/nodes/NAME | 200 | POST /v2/classified/nodes/www1 | {}
POST /v2/classified/nodes/NAME | classification-conflict | POST /v2/classified/nodes/both | {}
POST /v2/classified/nodes/NAME | malformed-request | POST /v2/classified/nodes/www1 | {
POST /v2/classified/nodes/NAME | schema-violation | POST /v2/classified/nodes/www1 | {"trusted":[]}
any | not-found | GET /v1/nothing
any | not-found | PUT /v1/environments/%FF
any | method-not-allowed | PATCH /v1/groups
any | method-not-allowed | HEAD /v1/validate/group
"#;

const IDS: &[(&str, &str)] = &[
    (
        "$ROOT_GROUP",
        r#"{"id":"$ROOT","name":"All Nodes","parent":"$ROOT","environment":"production","environment_trumps":false,"classes":{},"variables":{},"rule":["and",["~","name",".*"]]}"#,
    ),
    ("$LONELY_ROOT", "$ROOT"),
    ("$ROOT", "00000000-0000-4000-8000-000000000000"),
    ("$WEB", "11111111-1111-4111-8111-111111111111"),
    ("$CHILD", "22222222-2222-4222-8222-222222222222"),
    ("$NEW", "33333333-3333-4333-8333-333333333333"),
    ("$GONE", "44444444-4444-4444-8444-444444444444"),
];

/// The groups before each request.
const GROUPS: &[(&str, &str)] = &[
    ("$WEB", r#"{"name":"Web","parent":"$ROOT","classes":{"ssl":{}},"rule":["~","name","^www"]}"#),
    ("$CHILD", r#"{"name":"Child","parent":"$WEB","classes":{},"rule":["=","name","www1"]}"#),
    (
        "55555555-5555-4555-8555-555555555555",
        r#"{"name":"One","parent":"$ROOT","classes":{"ssl":{"keystore":"1"}},"rule":["=","name","both"]}"#,
    ),
    (
        "66666666-6666-4666-8666-666666666666",
        r#"{"name":"Two","parent":"$ROOT","classes":{"ssl":{"keystore":"2"}},"rule":["=","name","both"]}"#,
    ),
];

fn filled(text: &str) -> String {
    IDS.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
}

fn classifier(store: Box<dyn Store>) -> Classifier {
    let mut host = MemoryHost::default();
    for environment in ["production", "staging"] {
        host.add(
            format!("/envs/{environment}/modules/ssl/manifests/init.pp"),
            "class ssl($keystore = undef) {}",
        );
        host.add(format!("/envs/{environment}/environment.conf"), "");
    }
    let host = Arc::new(host);
    let environments = EnvironmentOptions { environmentpath: vec!["/envs".to_owned()], ..Default::default() };
    let environments = Arc::new(Environments::new(host.clone(), environments, Reload::Never));
    let classes = Arc::new(EnvironmentClasses::new(environments));
    let options = Options { stores_check_ins: true, ..Options::default() };
    Classifier::new(store, host, Some(classes), options).expect("a classifier")
}

/// The status of an answer, and the kind of its error.
fn ask(classifier: &Classifier, request: &str, body: &str) -> (u16, Json) {
    let (method, path) = request.split_once(' ').expect("a method and a path");
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let response = classifier.answer(Request { method, path, query, body: body.as_bytes() });
    let kind = serde_json::from_slice::<Json>(&response.body).map(|body| body["kind"].clone());
    (response.status, kind.unwrap_or_default())
}

fn prepared() -> Classifier {
    let classifier = classifier(Box::<MemoryStore>::default());
    for (id, group) in GROUPS {
        let (status, kind) = ask(&classifier, &filled(&format!("PUT /v1/groups/{id}")), &filled(group));
        assert_eq!((status, kind), (201, Json::Null), "{group}");
    }
    assert_eq!(ask(&classifier, "POST /v1/classified/nodes/www1", "{}").0, 200);
    classifier
}

/// The cells of the table in the documentation: its rows, each with its possible results.
fn documented() -> BTreeSet<(String, String)> {
    let (requests, _) = TABLE.split_once("Statuses of errors: ").expect("what follows the table");
    let rows = requests.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix('|'));
    rows.flat_map(|row| {
        let (request, outcomes) = row.split_once('|').expect("columns");
        let request = request.split('`').next().unwrap_or_default().to_owned();
        let words = outcomes.split(|one: char| !one.is_ascii_alphanumeric() && one != '-');
        let is_outcome = |word: &&str| word.contains('-') || word.parse::<u16>().is_ok();
        words.filter(is_outcome).map(|word| (request.clone(), word.to_owned())).collect::<Vec<_>>()
    })
    .collect()
}

/// The status of an error of a kind, according to the documentation below the table.
fn documented_status(kind: &str) -> Option<u16> {
    let (_, list) = TABLE.split_once("Statuses of errors: ")?;
    let list = list.split("Each cell").next()?;
    let at = list.find(&format!("`{kind}`"))?;
    list[..at].split(|one: char| !one.is_ascii_digit()).filter_map(|word| word.parse().ok()).next_back()
}

#[test]
fn each_cell_of_the_table_is_asked() {
    let mut asked = BTreeSet::new();
    let mut wrong = Vec::new();
    for case in CASES.lines().filter(|line| !line.is_empty()) {
        let mut parts = case.splitn(4, " | ");
        let mut part = || parts.next().unwrap_or_default();
        let (row, expected, request, body) = (part(), part(), part(), part());
        // The root goes only when it has no children, if it went.
        let is_lonely = request.contains("$LONELY_ROOT");
        let classifier = if is_lonely { classifier(Box::<MemoryStore>::default()) } else { prepared() };
        let (status, kind) = match request.strip_prefix("HEAD ") {
            Some(path) => {
                assert_head(&classifier, &filled(path));
                ask(&classifier, &filled(&format!("GET {path}")), "")
            }
            None => ask(&classifier, &filled(request), &filled(body)),
        };
        if let Some(path) = request.strip_prefix("GET ") {
            assert_head(&classifier, &filled(path));
        }
        let is_right = match expected.parse::<u16>() {
            Ok(number) => status == number && kind == Json::Null,
            Err(_) => kind == expected && Some(status) == documented_status(expected),
        };
        if !is_right {
            wrong.push(format!("{case}: {status} {kind}"));
        }
        asked.insert((row.to_owned(), expected.to_owned()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let documented = documented();
    assert!(documented.len() > 80, "{documented:?}");
    let only = |one: &BTreeSet<(String, String)>, other| one.difference(other).cloned().collect::<Vec<_>>();
    // The stores and the server have their own tests.
    let elsewhere = [
        "application-error",
        "database-corruption",
        "not-authenticated",
        "permission-denied",
        "request-too-large",
    ];
    let unasked: Vec<_> = only(&documented, &asked)
        .into_iter()
        .filter(|(_, outcome)| !elsewhere.contains(&outcome.as_str()))
        .collect();
    assert_eq!((unasked, only(&asked, &documented)), (Vec::new(), Vec::new()));
}

/// `HEAD` is answered as `GET`, except for the body, of which it has the length.
fn assert_head(classifier: &Classifier, path: &str) {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let answer = |method| classifier.answer(Request { method, path, query, body: b"" });
    let (get, head) = (answer("GET"), answer("HEAD"));
    let mut headers = get.headers.clone();
    headers.push(("content-length", get.body.len().to_string()));
    assert_eq!((head.status, head.headers, head.body), (get.status, headers, Vec::new()), "{path}");
}

/// A store that can be made to fail.
#[derive(Default)]
struct Failing {
    inner: MemoryStore,
    error: Arc<Mutex<Option<StoreError>>>,
}

impl Failing {
    fn working(&self) -> Result<&MemoryStore, StoreError> {
        self.error.lock().expect("the lock").clone().map_or(Ok(&self.inner), Err)
    }
}

impl Store for Failing {
    fn revision(&self) -> Result<u64, StoreError> {
        self.working()?.revision()
    }

    fn load(&self) -> Result<Snapshot, StoreError> {
        self.working()?.load()
    }

    fn commit(&self, base: u64, changes: &[Change]) -> Result<Commit, StoreError> {
        self.working()?.commit(base, changes)
    }

    fn check_in(&self, node: &str, check_in: &CheckIn) -> Result<(), StoreError> {
        self.working()?.check_in(node, check_in)
    }

    fn check_ins(
        &self,
        node: Option<&str>,
        offset: usize,
        limit: Option<usize>,
    ) -> Result<Vec<(String, Vec<CheckIn>)>, StoreError> {
        self.working()?.check_ins(node, offset, limit)
    }
}

#[test]
fn stores_that_fail_are_told() {
    let store = Failing::default();
    let error = Arc::clone(&store.error);
    let classifier = classifier(Box::new(store));
    let corrupt = StoreError::Corrupt { retrieved: json!({}), error: "no name".to_owned() };
    let kinds =
        [(StoreError::Unavailable("gone".to_owned()), "application-error"), (corrupt, "database-corruption")];
    for (failure, kind) in kinds {
        *error.lock().expect("the lock") = Some(failure);
        for request in
            ["GET /v1/groups", "DELETE /v1/groups/11111111-1111-4111-8111-111111111111", "GET /v1/nodes"]
        {
            assert_eq!(ask(&classifier, request, ""), (500, kind.into()), "{request}");
            assert_eq!(documented_status(kind), Some(500));
        }
    }
    *error.lock().expect("the lock") = None;
    assert_eq!(ask(&classifier, "GET /v1/groups", "").0, 200);
}
