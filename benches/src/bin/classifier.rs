//! How fast nodes are classified and groups changed: 5,000 groups side by side and in one line, in memory and
//! in a database.

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bunraku::classifier::{Classifier, MemoryStore, Options, ROOT, Request, SqliteStore, Store};
use bunraku::host::disk::DiskHost;
use serde_json::{Value as Json, json};

const GROUPS: usize = 5_000;
const PINS: usize = 10_000;
const ROUNDS: usize = 9;

fn main() -> Result<(), Box<dyn Error>> {
    for (shape, is_deep) in [("wide", false), ("deep", true)] {
        let document = hierarchy(is_deep);
        let file = std::env::temp_dir().join(format!("bunraku-bench-{}-{shape}.db", std::process::id()));
        let stores: [(&str, Box<dyn Store>); 2] =
            [("memory", Box::<MemoryStore>::default()), ("database", Box::new(SqliteStore::create(&file)?))];
        for (place, store) in stores {
            println!("{GROUPS} groups, {shape}, in {place}");
            let classifier = Classifier::new(store, Arc::new(DiskHost), None, Options::default())
                .map_err(|failure| failure.message)?;
            measure(&classifier, &document);
        }
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{end}", file.display()));
        }
    }
    Ok(())
}

/// Groups with rules that hold for one node in twenty; below each other every one holds.
fn hierarchy(is_deep: bool) -> Json {
    let id = |number: usize| match number {
        0 => ROOT.to_string(),
        number => format!("{number:08x}-0000-4000-9000-000000000000"),
    };
    let group = |number: usize| {
        let rule = if is_deep || number == 0 {
            json!(["and", ["~", "name", ".*"]])
        } else {
            json!([
                "and",
                ["~", ["trusted", "certname"], format!("^web{}", number % 20)],
                [">=", ["fact", "ram"], "512"]
            ])
        };
        json!({
            "name": format!("group {number}"), "id": id(number), "environment": "production", "environment_trumps": false,
            "parent": id(if is_deep { number.saturating_sub(1) } else { 0 }), "rule": rule,
            "classes": { format!("class{}", number % 50): { "a": "b" } }, "variables": {},
        })
    };
    (0..GROUPS).map(group).collect()
}

fn measure(classifier: &Classifier, document: &Json) {
    let ask = |method: &str, path: &str, body: &Json| {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let response = classifier.answer(Request { method, path, query: "", body: body.as_bytes() });
        assert!(response.status < 400, "{path}: {}", String::from_utf8_lossy(&response.body));
        response
    };
    let import = median(|| ask("POST", "/v1/import-hierarchy", document));
    print("import all", import);
    let facts = json!({ "fact": { "ram": "1024" }, "trusted": { "certname": "web7.example.net" } });
    print("classify a node", median(|| ask("POST", "/v1/classified/nodes/web7.example.net", &facts)));
    print("list all groups", median(|| ask("GET", "/v1/groups", &Json::Null)));
    let group = format!("/v1/groups/{:08x}-0000-4000-9000-000000000000", GROUPS - 1);
    let names: Vec<String> = (0..PINS).map(|number| format!("node{number}.example.net")).collect();
    print("change one group", median(|| ask("POST", &group, &json!({ "description": "d" }))));
    print("pin 10,000 nodes", median(|| ask("POST", &format!("{group}/pin"), &json!({ "nodes": names }))));
    print(
        "classify a pinned node",
        median(|| ask("POST", "/v1/classified/nodes/node77.example.net", &facts)),
    );
    print(
        "unpin 10,000 nodes",
        median(|| ask("POST", &format!("{group}/unpin"), &json!({ "nodes": names }))),
    );
}

fn median<T>(mut work: impl FnMut() -> T) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed()
        })
        .collect();
    times.sort();
    times[ROUNDS / 2]
}

fn print(what: &str, time: Duration) {
    println!("  {what:<24} {:>9.3} ms", time.as_secs_f64() * 1e3);
}
