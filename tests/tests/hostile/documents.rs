//! Hostile documents: catalogs, differences and drawings that are far larger than those of nodes. Work with a
//! step for each part of them ends in seconds, and all of it can be cancelled.

use std::time::{Duration, Instant};

use bunraku::diagnostic::{Error, ErrorKind};
use bunraku::eval::limits::{Cancel, Usage};
use bunraku::host::disk::DiskHost;
use bunraku::loader::{Log, Settings};
use bunraku::pcore::fuel::Unmetered;
use bunraku::pcore::types::NoTypes;
use bunraku::report::request;
use bunraku::wire::form::{self, ConversionError, Form};
use bunraku::wire::puppetdb::Submission;
use serde_json::{Value as Json, json};

/// The maximum time of everything here, without optimisation and in parallel with other tests.
const MOST: Duration = Duration::from_secs(60);

/// Runs work that must not take long.
fn soon<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = work();
    let taken = begin.elapsed();
    assert!(taken < MOST, "{what} takes {taken:?}");
    result
}

/// Cancelled fuel.
fn cancelled() -> Usage<'static> {
    let cancel = Cancel::new();
    cancel.cancel();
    Usage::of_other_work(Some(cancel), &DiskHost)
}

fn is_cancelled(error: &Error) {
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Cancelled, "The work was cancelled"));
}

/// A catalog of this number of files, each with a text.
fn catalog(count: usize, text: impl Fn(usize) -> String) -> Json {
    let file = |number: usize| {
        let before = (number + 1 < count).then(|| format!("File[/{}]", number + 1));
        let parameters = json!({ "content": text(number), "before": before });
        json!({ "type": "File", "title": format!("/{number}"), "parameters": parameters })
    };
    let edge = |number: usize| json!({ "source": "Class[Main]", "target": format!("File[/{number}]") });
    let main = json!({ "type": "Class", "title": "Main" });
    json!({
        "name": "n",
        "resources": std::iter::once(main).chain((0..count).map(file)).collect::<Vec<_>>(),
        "edges": (0..count).map(edge).collect::<Vec<_>>(),
    })
}

#[test]
fn catalogs_of_many_resources_are_read_and_converted() {
    let text = catalog(20_000, |_| "x".repeat(100)).to_string();
    soon("reading", || {
        let read = form::read(text.as_bytes(), Form::Agent, &NoTypes, &Unmetered).expect("it is sound");
        assert_eq!(read.resources.len(), 20_001);
        let mut packed = Vec::new();
        let to = Form::AgentMessagePack;
        let converted = form::convert(
            text.as_bytes(),
            Form::Agent,
            to,
            &Submission::default(),
            &NoTypes,
            &Unmetered,
            &mut packed,
        );
        assert!(converted.is_ok());
        assert!(form::read(&packed, to, &NoTypes, &Unmetered).is_ok());
    });
}

#[test]
fn many_parameters_are_secrets_at_once() {
    let names: Vec<String> = (0..20_000).map(|number| format!("p{number}")).collect();
    let parameters: Json =
        names.iter().map(|name| (name.clone(), json!(["x"]))).collect::<serde_json::Map<_, _>>().into();
    let resource =
        json!({ "type": "A", "title": "a", "parameters": parameters, "sensitive_parameters": names });
    let document = json!({ "name": "n", "resources": [resource] });
    let other = json!({ "name": "n", "resources": [{ "type": "A", "title": "a" }] });
    soon("writing", || {
        let text = document.to_string();
        let read = form::read(text.as_bytes(), Form::Agent, &NoTypes, &Unmetered).expect("it is sound");
        let (settings, log) = (Settings::default(), Log::default());
        let mut written = Vec::new();
        form::write(&read, Form::Agent, &Submission::default(), &settings, &log, &Unmetered, &mut written)
            .expect("it can be written");
        assert!(written.len() > 20_000);
        let told = request::diff(&document, &other, &Unmetered).expect("they are catalogs");
        assert_eq!(told["changed"][0]["parameters"].as_array().map(Vec::len), Some(20_000));
    });
}

#[test]
fn paths_of_violations_are_short() {
    let key = "k".repeat(1 << 20);
    let twice = r#""a": 1, "a": 2, "#.repeat(500);
    let text = format!(r#"{{"name": "n", "resources": [], "{key}": {{{twice}"b": 1}}}}"#);
    let told = soon("checking", || form::validate(text.as_bytes(), Form::Agent, &NoTypes, &Unmetered));
    let told = told.expect("nothing ends it");
    assert!(told.len() > 900, "{}", told.len());
    assert!(told.iter().all(|one| one.path.len() < 500));
}

#[test]
fn work_on_documents_can_be_cancelled() {
    let text = catalog(2_000, |_| "x".to_owned()).to_string();
    let bytes = text.as_bytes();
    let submission = Submission::default();
    for form in [Form::Agent, "puppetdb:8".parse().expect("there is such a form")] {
        let error = form::validate(bytes, form, &NoTypes, &cancelled()).expect_err("it is cancelled");
        is_cancelled(&error);
    }
    let read = form::read(bytes, Form::Agent, &NoTypes, &Unmetered).expect("it is sound");
    let converted =
        form::convert(bytes, Form::Agent, Form::Agent, &submission, &NoTypes, &cancelled(), std::io::sink());
    match converted {
        Err(ConversionError::Unwritable(error)) => is_cancelled(&error),
        other => panic!("{other:?}"),
    }
    for form in [Form::Agent, Form::AgentMessagePack] {
        let (settings, log) = (Settings::default(), Log::default());
        let written = form::write(&read, form, &submission, &settings, &log, &cancelled(), std::io::sink());
        is_cancelled(&written.expect_err("it is cancelled"));
    }
}

#[test]
fn work_on_reports_can_be_cancelled() {
    let (one, other) = (catalog(100, |_| "a\nb\n".to_owned()), catalog(100, |_| "a\nc\n".to_owned()));
    is_cancelled(&request::diff(&one, &other, &cancelled()).expect_err("it is cancelled"));
    is_cancelled(&request::draw(&one, &json!({}), &cancelled()).expect_err("it is cancelled"));
    let diff = request::diff(&one, &other, &Unmetered).expect("they are catalogs");
    is_cancelled(&request::diff_text(diff.clone(), &cancelled()).expect_err("it is cancelled"));
    for format in ["json", "text", "html"] {
        let fleet = json!({ "nodes": [{ "node": "n", "diff": diff }], "format": format });
        is_cancelled(&request::fleet(fleet, &cancelled()).expect_err("it is cancelled"));
    }
}

#[test]
fn differences_of_many_resources_and_edges_are_told() {
    let (one, other) = (catalog(10_000, |_| "a".to_owned()), json!({ "name": "n", "resources": [] }));
    soon("comparing", || {
        let diff = request::diff(&other, &one, &Unmetered).expect("they are catalogs");
        let text = request::diff_text(diff.clone(), &Unmetered).expect("nothing ends it");
        assert!(text.contains("+ File[/9999]"));
        let nodes: Vec<Json> =
            (0..3).map(|node| json!({ "node": format!("n{node}"), "diff": diff })).collect();
        let fleet = json!({ "nodes": nodes, "format": "html" });
        assert!(request::fleet(fleet, &Unmetered).expect("nothing ends it").contains("File[/9999]"));
    });
}

#[test]
fn texts_of_many_lines_are_compared() {
    let lines =
        |step: usize| (0..50_000_usize).map(|line| format!("{}\n", line * step % 50_021)).collect::<String>();
    let (before, after) = (lines(7), lines(11));
    let catalogs = |text: &str| catalog(1, |_| text.to_owned());
    soon("comparing", || {
        let diff =
            request::diff(&catalogs(&before), &catalogs(&after), &Unmetered).expect("they are catalogs");
        let text = request::diff_text(diff, &Unmetered).expect("nothing ends it");
        assert!(text.contains("@@ -"), "{text:.200}");
    });
    let lists = |text: &str| {
        let parameters = json!({ "list": text.lines().take(2_000).collect::<Vec<_>>() });
        json!({ "resources": [{ "type": "A", "title": "a", "parameters": parameters }] })
    };
    soon("comparing lists", || {
        request::diff(&lists(&before), &lists(&after), &Unmetered).expect("they are catalogs")
    });
}

#[test]
fn what_is_far_apart_in_a_long_text_is_told_by_its_lines() {
    let lines: Vec<String> = (0..5_000).map(|line| format!("line {line}\n")).collect();
    let mut others = lines.clone();
    others[10] = "here\n".to_owned();
    others[4_990] = "there\n".to_owned();
    let diff = |from: String, to: String| {
        let told = request::diff(&catalog(1, |_| from.clone()), &catalog(1, |_| to.clone()), &Unmetered);
        request::diff_text(told.expect("they are catalogs"), &Unmetered).expect("nothing ends it")
    };
    let text = diff(lines.concat(), others.concat());
    let expected = "~ File[/0]\n    content:\n      @@ -9,5 +9,5 @@\n       line 8\n       line 9\n      -line 10\n      \
                    +here\n       line 11\n       line 12\n      @@ -4989,5 +4989,5 @@\n       line 4988\n       line 4989\n      \
                    -line 4990\n      +there\n       line 4991\n       line 4992\n";
    assert_eq!(text, expected);
}

#[test]
fn drawings_of_many_edges_end() {
    let dense = |count: usize| {
        let file = |number: usize| {
            let behind: Vec<String> = (number + 1..count).map(|other| format!("File[/{other}]")).collect();
            json!({ "type": "File", "title": format!("/{number}"), "parameters": { "before": behind } })
        };
        json!({ "name": "n", "resources": (0..count).map(file).collect::<Vec<_>>() })
    };
    let error = request::draw(&dense(400), &json!({}), &Unmetered).expect_err("it is too big");
    assert_eq!(error.kind, ErrorKind::Limit);
    let long = |count: usize| {
        let file = |number: usize| {
            let behind = [format!("File[/{}]", number + 1), format!("File[/{count}]")];
            json!({ "type": "File", "title": format!("/{number}"), "parameters": { "before": behind } })
        };
        json!({ "name": "n", "resources": (0..=count).map(file).collect::<Vec<_>>() })
    };
    let error = request::draw(&long(400), &json!({}), &Unmetered).expect_err("its lines are too long");
    assert!(error.message.starts_with("The lines of the graph are too long"), "{}", error.message);
    let drawn = soon("drawing", || request::draw(&long(20), &json!({}), &Unmetered));
    assert!(drawn.expect("it is small").contains("File[/20]"));
    let dot = soon("writing DOT", || request::draw(&dense(400), &json!({ "format": "dot" }), &Unmetered));
    assert!(dot.expect("it can be written").contains("File[/399]"));
}
