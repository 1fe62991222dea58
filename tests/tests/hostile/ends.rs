//! Everything that reads modules, tasks and requests can be cancelled at any point without leaving anything
//! behind; work that would take for ever ends by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use bunraku::classifier::{Classifier, EnvironmentClasses, MemoryStore, Options, Request};
use bunraku::compiler::{Compilation, CompileOptions, Limits, NodeInput, compile};
use bunraku::diagnostic::{Error, ErrorKind};
use bunraku::eval::limits::{Cancel, Usage};
use bunraku::host::disk::DiskHost;
use bunraku::host::memory::MemoryHost;
use bunraku::loader::{Check, Environment, EnvironmentOptions, Environments, Reload};
use bunraku::requests;
use bunraku::syntax::ast::Program;
use bunraku::syntax::watch::Watch;
use bunraku::syntax::{ParseOptions, parse_recovering_watched, parse_watched};
use conform::priced::timed;
use serde_json::{Value as Json, json};

const CLASS: &str =
    "# A class.\n#\n# @summary Short\n# @param a (see m::other)\nclass m(Integer $a = 1) { }\n";
const METADATA: &str = r#"{ "name": "me-m", "version": "1.0.0", "author": "me", "summary": "s", "license": "MIT",
  "source": "s", "dependencies": [{ "name": "me/n", "version_requirement": ">= 1.0.0" }],
  "requirements": [{ "name": "puppet", "version_requirement": ">= 8.0.0" }] }"#;
const TASK: &str =
    r#"{ "description": "d", "parameters": { "a": { "type": "Array[Integer]" } }, "files": ["m/files/"] }"#;
const TYPE: &str = "Puppet::Type.newtype(:thing) do\n  newparam(:name) { isnamevar }\nend\n";

/// A module with something of everything.
fn files() -> MemoryHost {
    let mut host = MemoryHost::new();
    let mut add = |path: &str, text: &str| host.add(format!("/envs/production/modules/m/{path}"), text);
    add("manifests/init.pp", CLASS);
    add("manifests/other.pp", "# @param a A number.\nclass m::other($a = 1) { }\n");
    add("functions/f.pp", "function m::f() { 1 }\n");
    add("types/t.pp", "type M::T = Integer\n");
    add("lib/puppet/type/thing.rb", TYPE);
    add("metadata.json", METADATA);
    add("hiera.yaml", "version: 5\nhierarchy: []\n");
    add("tasks/go.json", TASK);
    add("tasks/go.sh", "true\n");
    add("files/a/b", "");
    add("files/c", "");
    host.add("/envs/production/modules/n/metadata.json", METADATA.replace("me-m", "me-n"));
    host
}

fn environment_options() -> EnvironmentOptions {
    let environmentpath = vec!["/envs".to_owned()];
    EnvironmentOptions { name: "production".to_owned(), environmentpath, ..EnvironmentOptions::default() }
}

/// Cancels work at each of its checks, and finally lets it complete. Returns the number of checks.
fn end_everywhere(what: &str, work: &mut dyn FnMut(Check<'_>) -> Result<(), Error>) -> usize {
    for allowed in 0.. {
        let asked = AtomicUsize::new(0);
        let check = || {
            if asked.fetch_add(1, Relaxed) >= allowed { Err(Error::limit("It is enough")) } else { Ok(()) }
        };
        match work(&check) {
            Ok(()) => return allowed,
            Err(error) => {
                let told = (error.kind, error.message.as_str());
                assert_eq!(told, (ErrorKind::Limit, "It is enough"), "{what}, asked {allowed} times");
            }
        }
    }
    unreachable!("it goes through at last")
}

#[test]
fn what_is_asked_of_modules_ends_wherever_it_is() {
    let host = files();
    let module = "/envs/production/modules/m";
    let modulepath = json!(["/envs/production/modules"]);
    type Ask = fn(&MemoryHost, &Json, Check<'_>) -> Result<Json, Error>;
    let questions: [(&str, Ask, Json, usize); 6] = [
        (
            "documentation",
            |host, json, check| requests::document(host, json, check),
            json!({ "paths": [module] }),
            20,
        ),
        (
            "documentation as Markdown",
            |host, json, check| requests::document(host, json, check),
            json!({ "paths": [module, format!("{module}/manifests/init.pp")], "format": "markdown" }),
            20,
        ),
        (
            "types of resources",
            |host, json, check| requests::describe_types(host, json, check),
            json!({ "modulepath": modulepath, "types": ["thing"] }),
            3,
        ),
        (
            "files of types",
            |host, json, check| requests::generate_types(host, json, check),
            json!({ "modulepath": modulepath }),
            2,
        ),
        (
            "the module's form",
            |host, json, check| requests::check_module(host, json, check),
            json!({ "directory": module, "modulepath": modulepath }),
            20,
        ),
        (
            "definitions",
            |host, json, check| bunraku::catalog::resource_types::request::definitions(host, json, check),
            json!({ "definition": { "name": "a" } }),
            1,
        ),
    ];
    for (what, ask, request, least) in questions {
        let asked = end_everywhere(what, &mut |check| ask(&host, &request, check).map(drop));
        assert!(asked >= least, "{what} asks {asked} times");
    }
}

#[test]
fn checks_and_indexes_end_wherever_they_are() {
    let environment = Environment::load(Arc::new(files()), environment_options()).expect("an environment");
    let asked = end_everywhere("an index", &mut |check| requests::index(&environment, check).map(drop));
    assert!(asked > 10, "{asked}");
    let asked = end_everywhere("a check", &mut |check| {
        requests::check_environment(&environment, &json!({}), check).map(drop)
    });
    assert!(asked > 20, "{asked}");
}

#[test]
fn tasks_end_wherever_they_are() {
    let environment = Environment::load(Arc::new(files()), environment_options()).expect("an environment");
    let asked = end_everywhere("tasks", &mut |check| requests::tasks(&environment, check).map(drop));
    assert!(asked > 5, "{asked}");
    let request = json!({ "task": "m::go", "parameters": { "a": [1] } });
    let asked = end_everywhere("an invocation", &mut |check| {
        let answer = requests::task_invocation(&environment, &request, check)?;
        assert!(answer["error"].is_null() && answer["files"][0]["name"] == "m/files/a/b", "{answer}");
        Ok(())
    });
    assert!(asked > 5, "{asked}");
}

fn classifier() -> Classifier {
    let environments = Environments::new(Arc::new(files()), environment_options(), Reload::Never);
    let classes = EnvironmentClasses::new(Arc::new(environments));
    let options = Options { stores_check_ins: true, ..Options::default() };
    Classifier::new(Box::<MemoryStore>::default(), Arc::new(files()), Some(Arc::new(classes)), options)
        .expect("a classifier")
}

const ROOT: &str = "00000000-0000-4000-8000-000000000000";

fn group(number: u32, parent: &str, rule: &Json) -> Json {
    json!({
        "id": format!("00000000-0000-4000-8000-{number:012}"),
        "name": format!("g{number}"),
        "environment": "production",
        "parent": parent,
        "rule": rule,
        "classes": { "m": { "a": number } },
        "variables": { "v": number },
    })
}

#[test]
fn requests_to_a_classifier_end_wherever_they_are_and_change_nothing() {
    let classifier = classifier();
    let ask = |method: &str, path: &str, body: &Json, check: Check<'_>| {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        classifier.answer_watched(Request { method, path, query, body: body.as_bytes() }, check)
    };
    let go =
        |method: &str, path: &str, body: &Json| ask(method, path, body, &|| Ok(())).expect("nobody ends it");
    let rule = json!(["~", "name", "a(?=b)"]);
    for number in 1..4 {
        let parent = if number == 3 { format!("00000000-0000-4000-8000-{:012}", 1) } else { ROOT.to_owned() };
        let group = group(number, &parent, &rule);
        let path = format!("/v1/groups/{}", group["id"].as_str().expect("it has an id"));
        let put = &mut |check: Check<'_>| {
            let before = go("GET", "/v1/groups", &Json::Null);
            let answer = ask("PUT", &path, &group, check);
            if answer.is_err() {
                assert_eq!(go("GET", "/v1/groups", &Json::Null), before, "nothing was changed");
            }
            answer.map(|answer| assert_eq!(answer.status, 201, "{}", String::from_utf8_lossy(&answer.body)))
        };
        assert!(end_everywhere("a group", put) > 1);
    }
    let node = json!({ "fact": { "a": 1 } });
    let facts = &node;
    let questions = [
        ("GET", "/v1/groups?inherited=1", &Json::Null, 200),
        ("POST", "/v1/update-classes", &Json::Null, 201),
        ("POST", "/v1/classified/nodes/ab", facts, 500),
        ("POST", "/v1/classified/nodes/other", facts, 200),
        ("POST", "/v1/classified/nodes/ab/explanation", facts, 200),
    ];
    for (method, path, body, status) in questions {
        let asked = end_everywhere(path, &mut |check| {
            let answer = ask(method, path, body, check)?;
            assert_eq!(answer.status, status, "{path}: {}", String::from_utf8_lossy(&answer.body));
            Ok(())
        });
        assert!(asked > 0, "{path} asks {asked} times");
    }
}

#[test]
fn classes_that_were_not_all_read_are_read_anew() {
    let classifier = classifier();
    let request = Request { method: "GET", path: "/v1/classes", query: "", body: b"" };
    let asked = end_everywhere("classes", &mut |check| {
        let answer = classifier.answer_watched(request, check)?;
        let classes: Json = serde_json::from_slice(&answer.body).expect("it is JSON");
        assert_eq!(classes.as_array().map(Vec::len), Some(2), "{classes}");
        Ok(())
    });
    assert!(asked > 3, "{asked}");
}

#[test]
fn a_pattern_that_goes_back_does_not_go_through_long_facts() {
    let classifier = classifier();
    let rule = json!(["~", ["fact", "a"], "(?:(?=.*x).)*y"]);
    let group = group(1, ROOT, &rule);
    let path = format!("/v1/groups/{}", group["id"].as_str().expect("it has an id"));
    let ask = |method: &str, path: &str, body: &Json| {
        let body = body.to_string();
        classifier.answer(Request { method, path, query: "", body: body.as_bytes() })
    };
    assert_eq!(ask("PUT", &path, &group).status, 201);
    let long = json!({ "fact": { "a": format!("{}x", "a".repeat(1 << 20)) } });
    let (answer, taken) = timed(|| ask("POST", "/v1/classified/nodes/n", &long));
    assert_eq!(answer.status, 200);
    assert!(taken.as_secs() < 30, "{taken:?}");
}

fn with_code(code: String) -> Environment {
    let mut host = files();
    host.add("/envs/production/manifests/site.pp", code);
    Environment::load(Arc::new(host), environment_options()).expect("an environment")
}

fn catalog(environment: &Environment, limits: Limits) -> Result<usize, Error> {
    let node = NodeInput { name: "node".to_owned(), ..NodeInput::default() };
    compile(environment, node, limits).outcome.map(|catalog| catalog.resources.len())
}

/// A manifest of about this number of bytes that takes the maximum memory for each.
fn long(bytes: usize) -> String {
    format!("$a = [\n{}1]\nnotify {{ 'end': }}\n", "1,\n".repeat(bytes / 3))
}

#[test]
fn a_manifest_is_read_as_long_as_the_compilation_may() {
    let environment = with_code(long(200_000));
    let cancel = Cancel::new();
    cancel.cancel();
    let error = catalog(&environment, Limits { cancel: Some(cancel), ..Limits::default() });
    let error = error.expect_err("it is cancelled");
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Cancelled, "The compilation was cancelled"));
    let error = catalog(&environment, Limits { memory: Some(4 << 20), ..Limits::default() });
    let error = error.expect_err("it has too little memory");
    assert_eq!(error.message, "The compilation takes more than 4194304 bytes of memory");
    assert_eq!(error.location.file.as_deref(), Some("/envs/production/manifests/site.pp"));
    assert!(error.location.line > Some(1000), "{:?}", error.location);
    // The cancellation of one compilation is not an error of the manifest.
    assert_eq!(catalog(&environment, Limits::default()).expect("it is sound"), 4);
}

#[test]
fn memory_is_limited_while_a_manifest_is_read() {
    let texts = [
        long(2 << 20),
        "1;".repeat(1 << 20),
        "#\n".repeat(1 << 20),
        "$a+".repeat(1 << 19) + "1",
        "f() ".repeat(1 << 19),
        "\"${x}\" ".repeat(1 << 18),
        "@(A) ".repeat(1 << 12) + "\n" + &"x\nA\n".repeat(1 << 12),
        "class a { } ".repeat(1 << 17),
        "[ ] = 1 ".repeat(1 << 17),
    ];
    for text in texts {
        let head: String = text.chars().take(10).collect();
        let environment = with_code(text);
        let limit: u64 = 8 << 20;
        let before = bunraku_allocator::live();
        bunraku_allocator::reset_peak();
        let result = catalog(&environment, Limits { memory: Some(limit), ..Limits::default() });
        let taken = u64::try_from(bunraku_allocator::peak() - before).unwrap_or_default();
        if let Err(error) = &result {
            println!("{head:?} {taken} {error}");
        }
        assert!(result.is_err(), "{head:?}");
        assert!(taken < 4 * limit, "{head:?} takes {taken} bytes");
    }
}

#[test]
fn programs_are_read_as_long_as_somebody_allows() {
    let source = || Arc::new(bunraku::source::Source::new(Some("a.pp"), long(200_000)));
    let options = ParseOptions::default();
    let parse = &mut |check: Check<'_>| -> Result<(), Error> {
        let parsed = parse_watched(source(), &options, &mut Vec::new(), &Watch::new(check))?;
        let program: Program = parsed?;
        assert!(program.node_count() > 60_000);
        Ok(())
    };
    assert!(end_everywhere("parsing", parse) >= 12);
    let recover = &mut |check: Check<'_>| {
        let recovered = parse_recovering_watched(source(), &options, &Watch::new(check))?;
        assert!(recovered.errors.is_empty());
        Ok(())
    };
    assert!(end_everywhere("recovering", recover) >= 12);
}

/// A manifest whose catalog takes far more steps than its evaluation.
fn crossed() -> Environment {
    let code = "Integer[1, 400].each |$n| { notify { \"a${n}\": } exec { \"/b${n}\": } }\n\
                Notify<| |> -> Exec<| |>\n";
    with_code(code.to_owned())
}

#[test]
fn the_end_of_a_compilation_is_priced() {
    let environment = crossed();
    let limits = |steps| Limits { steps: Some(steps), ..Limits::default() };
    let error = catalog(&environment, limits(20_000)).expect_err("it takes more steps");
    assert_eq!(error.message, "More than 20000 steps were taken");
    assert_eq!(catalog(&environment, limits(3_000_000)).expect("it takes less"), 803);
}

#[test]
fn long_rings_and_ladders_of_dependencies_are_told_soon() {
    let ring = "Integer[0, 9999].each |$n| { $next = ($n + 1) % 10000\n\
                notify { \"n${n}\": before => Notify[\"n${next}\"] } }\n";
    let ladder = "Integer[0, 1999].each |$n| {\n\
                  $next = [1, 2, 3].map |$by| { Notify[\"n${($n + $by) % 2000}\"] }\n\
                  notify { \"n${n}\": before => $next } }\n";
    for code in [ring, ladder] {
        let environment = with_code(code.to_owned());
        let options = |limits| CompileOptions { check_cycles: true, limits, ..CompileOptions::default() };
        let node = || NodeInput { name: "node".to_owned(), ..NodeInput::default() };
        let (outcome, taken) =
            timed(|| compile(&environment, node(), options(Limits::default())).outcome.map(drop));
        let error = outcome.expect_err("there is a cycle");
        assert!(
            error.message.starts_with("Found 1 dependency cycle:\n(Notify[n0] => "),
            "{:.80}",
            error.message
        );
        assert!(taken.as_secs() < 30, "{taken:?}");
    }
}

#[test]
fn explanations_of_very_much_end() {
    let layer = |at: u32| -> String {
        let before: Vec<String> = (0..8).map(|number| format!("$v{}_{number}", at - 1)).collect();
        (0..8)
            .map(|number| format!("$v{at}_{number} = [{}].length + {number}\n", before.join(", ")))
            .collect()
    };
    let first: String = (0..8).map(|number| format!("$v0_{number} = {number}\n")).collect();
    let code = first + &(1..12).map(layer).collect::<String>() + "notify { 'n': message => $v11_0 }\n";
    let environment = with_code(code);
    let node = NodeInput { name: "node".to_owned(), ..NodeInput::default() };
    let options = CompileOptions { provenance: true, ..CompileOptions::default() };
    let catalog = Compilation::new(&environment, node, options).compile().expect("it is sound");
    let calls = AtomicUsize::new(0);
    let check = || {
        if calls.fetch_add(1, Relaxed) >= 20_000 { Err(Error::limit("It is enough")) } else { Ok(()) }
    };
    let told = catalog.provenance_to_json("Notify[n]", &Watch::new(&check));
    assert_eq!(told.expect_err("it is too much").message, "It is enough");
    calls.store(0, Relaxed);
    let told = bunraku::report::explain::explain(&catalog, "Notify[n]", "", &Watch::new(&check));
    assert_eq!(told.expect_err("it is too much").message, "It is enough");
    calls.store(20_000, Relaxed);
    let told = catalog.why_to_json("Notify[n]", &Watch::new(&check));
    assert_eq!(told.expect_err("it is too much").message, "It is enough");
}

#[test]
fn ruby_that_nests_deep_is_no_end_of_the_process() {
    for text in ["(", "->{", "\"#{"] {
        let mut host = MemoryHost::new();
        host.add("/m/lib/puppet/functions/f.rb", text.repeat((1 << 20) / text.len()));
        let usage = Usage::of_reading(None, &DiskHost);
        for request in [json!({ "paths": ["/m"] }), json!({ "directory": "/m" })] {
            let answer = if request["paths"].is_null() {
                requests::check_module(&host, &request, &usage.ends)
            } else {
                requests::document(&host, &request, &usage.ends)
            };
            assert!(answer.is_ok(), "{text}: {answer:?}");
        }
    }
    for (open, close) in [("(", ")"), ("!", ""), ("if 1;", ";end")] {
        let count = (1_000_000 / (open.len() + close.len())).min(500_000);
        let text = format!("{}1{}", open.repeat(count), close.repeat(count));
        let mut host = MemoryHost::new();
        host.add("/m/lib/puppet/functions/f.rb", format!("Puppet::Type.newtype(:f) {{ {text} }}\n"));
        host.add("/m/lib/puppet/type/f.rb", format!("Puppet::Type.newtype(:f) {{ {text} }}\n"));
        let request = json!({ "paths": ["/m"] });
        assert!(requests::document(&host, &request, &|| Ok(())).is_ok(), "{open}");
        let request = json!({ "modulepath": ["/"] });
        assert!(requests::generate_types(&host, &request, &|| Ok(())).is_ok(), "{open}");
    }
}

#[test]
fn ruby_and_puppet_that_call_each_other_without_end_are_refused() {
    let ruby = "Puppet::Functions.create_function(:down) do\n  dispatch(:go) { param 'Integer', :n }\n  def go(n)\n    \
        step(n, 200)\n  end\n  def step(n, more)\n    more == 0 ? call_function('down', n + 1) : 1 + step(n, more - 1)\n  \
        end\nend\n";
    let template = "<% def step(more) more == 0 ? scope.call_function('around', []) : 1 + step(more - 1) end %>\
        <%= step(200) %>";
    for call in ["down(0)", "around()"] {
        let mut host = files();
        host.add("/envs/production/modules/m/lib/puppet/functions/down.rb", ruby);
        host.add("/envs/production/modules/m/templates/t.erb", template);
        host.add(
            "/envs/production/manifests/site.pp",
            format!("function around() {{ template('m/t.erb') }}\nnotice({call})\n"),
        );
        let environment = Environment::load(Arc::new(host), environment_options()).expect("an environment");
        let error = catalog(&environment, Limits::default()).expect_err("it never ends");
        assert_eq!(error.kind, ErrorKind::Limit, "{call}: {error:?}");
    }
}

#[test]
fn environments_are_loaded_as_long_as_somebody_wants_it() {
    let options = || {
        let code = Some("notice(1)\n".repeat(10_000));
        EnvironmentOptions { code, ..environment_options() }
    };
    let load = |check: Check<'_>| Environment::load_watched(Arc::new(files()), options(), check).map(drop);
    // Before and after each file of two modules, and repeatedly in the text.
    let asked = end_everywhere("an environment", &mut |check| load(check));
    assert!(asked >= 10, "asked {asked} times");
    let environments = Environments::new(Arc::new(files()), environment_options(), Reload::Always);
    let get = |check: Check<'_>| environments.get_watched("production", check).map(drop);
    assert!(end_everywhere("environments", &mut |check| get(check)) >= 4);

    let cancel = Cancel::new();
    let builder = || bunraku::Environment::builder("production").code("notice(1)").host(Arc::new(files()));
    assert!(builder().cancel(cancel.clone()).load().is_ok());
    cancel.cancel();
    let kind = builder().cancel(cancel.clone()).load().map_err(|error| error.kind);
    assert_eq!(kind.err(), Some(ErrorKind::Cancelled));
    let told = bunraku::validate_cancellable("notice(1)", None, &cancel).map_err(|error| error.kind);
    assert_eq!(told.err(), Some(ErrorKind::Cancelled));
}

#[test]
fn whatever_a_limit_ends_it_has_a_place() {
    let code = "define d($n) { if $n > 0 { d { \"${title}x\": n => $n - 1, before => Notify['e'] } } }\n\
                notify { ['a', 'b', 'c', 'd', 'e']: tag => 't' }\n\
                Notify <| tag == 't' |> { message => 'm' }\n\
                d { 'a': n => 30 }\n";
    let environment = on_disk(code);
    let mut ended = 0;
    for steps in 1.. {
        match catalog(&environment, Limits { steps: Some(steps), ..Limits::default() }) {
            Ok(_) => break,
            Err(error) => {
                assert_eq!(error.kind, ErrorKind::Limit, "{steps} steps: {error}");
                assert!(error.location.line.is_some(), "{steps} steps: {error}");
                ended += 1;
            }
        }
    }
    assert!(ended > 100, "{ended}");
}

#[test]
fn the_global_layer_may_come_as_text() {
    let data = "version: 5\nhierarchy: [{ name: c, path: c.yaml, datadir: /data }]\n";
    let mut host = MemoryHost::new();
    host.add("/data/c.yaml", "k: of the text\n");
    let builder = bunraku::Environment::builder("production").code("").host(Arc::new(host));
    let loaded =
        builder.global_hiera("/nowhere/hiera.yaml").global_hiera_text(data).load().expect("it loads");
    let found = loaded.lookup(bunraku::NodeInput::new("n"), "k").expect("it is found");
    assert_eq!(found.as_ref().and_then(|value| value.as_str()), Some("of the text"));
}

fn on_disk(code: &str) -> Environment {
    let options = EnvironmentOptions {
        name: "production".to_owned(),
        modulepath: Some(Vec::new()),
        code: Some(code.to_owned()),
        ..EnvironmentOptions::default()
    };
    Environment::load(Arc::new(DiskHost), options).expect("it has no files to read")
}

#[test]
fn the_deadline_of_the_processor_ends_what_no_other_limit_does() {
    let environment = on_disk("Integer[1, 1000000000000].each |$n| { $n }\n");
    let limits = Limits { steps: None, cpu_seconds: Some(1), ..Limits::default() };
    assert_eq!(Limits::default().cpu_seconds, Some(300), "there is one unless somebody says otherwise");
    let error = catalog(&environment, limits).expect_err("it would take days");
    let told = (error.kind, error.message.as_str(), error.location.line);
    assert_eq!(
        told,
        (ErrorKind::Limit, "The compilation took longer than 1 seconds of the processor", Some(1))
    );
}

#[test]
fn large_texts_cost_as_many_steps_as_they_have_kilobytes() {
    let capitals = "$m = Integer[1, 25].reduce('x') |$m, $i| { \"${m}${m}\" }\n\
                    Integer[1, 3000].each |$i| { $m.capitalize }\n";
    let number = "$s = Integer[1, 20].reduce('1') |$m, $i| { \"${m}${m}\" }\n\
                  Integer[1, 3000].each |$i| { Float(\"${s}.0\") }\n";
    for (code, steps) in [(capitals, 100_000), (number, 5_000)] {
        let environment = on_disk(code);
        let limits = Limits { steps: Some(steps), ..Limits::default() };
        let (result, taken) = timed(|| catalog(&environment, limits));
        let error = result.expect_err("it takes more steps");
        println!("{steps} steps in {taken:?}: {error}");
        assert_eq!(error.kind, ErrorKind::Limit);
        assert!(taken < conform::priced::LONGEST.saturating_mul(20), "{taken:?}");
    }
}
