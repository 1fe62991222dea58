//! One environment with many threads: each node has the catalog that it has alone.
//!
//! Environments are loaded anew in each round, so that all threads need at the same moment what nobody has
//! read yet. `BUNRAKU_SHARED_ROUNDS=NUMBER` asks for more rounds, and for more environments.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::{Arc, Barrier};

use bunraku::compiler::{CompileOptions, NodeInput, compile};
use bunraku::host::memory::MemoryHost;
use bunraku::loader::{Environment, EnvironmentOptions, Log};
use bunraku::pcore::Value;
use bunraku::pcore::value::{Hash as PuppetHash, Timestamp};
use bunraku::source::Source;
use bunraku::syntax::ast::Node;
use bunraku::syntax::{ParseOptions, parse};
use bunraku::wire::agent;
use conform::protocol::environment_on_disk;
use conform::{data, environments};

const THREADS: usize = 8;

/// The nodes of an environment.
struct Subject {
    /// Loads the environment; nothing of it is read yet.
    load: Box<dyn Fn() -> Environment + Sync>,
    /// The nodes, with the outcomes in environments of their own.
    nodes: Vec<(NodeInput, String)>,
}

impl Subject {
    /// Compiles all nodes in an order.
    fn compile(&self, environment: &Environment, order: u64) {
        let mut nodes: Vec<_> = self.nodes.iter().collect();
        nodes.sort_by_key(|(node, _)| hash_of(&(&node.name, order)));
        for (node, expected) in nodes {
            let found = outcome(environment, node);
            assert!(found == *expected, "{}, order {order}:\n{}", node.name, difference(&found, expected));
        }
    }

    /// Compiles in fresh environments: in one thread, and in many that begin at the same moment.
    fn compile_in_orders(&self, rounds: u64) {
        for round in 0..rounds {
            self.compile(&(self.load)(), round);
            let (shared, start) = ((self.load)(), Barrier::new(THREADS));
            std::thread::scope(|scope| {
                for thread in 0..THREADS as u64 {
                    let (shared, start) = (&shared, &start);
                    scope.spawn(move || {
                        start.wait();
                        // In half of the rounds all threads want the same first.
                        let order = if round % 2 == 0 { round } else { round * THREADS as u64 + thread };
                        self.compile(shared, order);
                    });
                }
            });
        }
    }
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The surroundings of the first difference of two texts.
fn difference(found: &str, expected: &str) -> String {
    let same = found.bytes().zip(expected.bytes()).take_while(|(a, b)| a == b).count();
    let near = |text: &str| {
        let bytes = text.as_bytes();
        let range = same.saturating_sub(200)..bytes.len().min(same + 300);
        String::from_utf8_lossy(&bytes[range]).into_owned()
    };
    format!("found {}\nalone {}", near(found), near(expected))
}

/// The outcome of a compilation: the bytes of its catalog or its error, and its log.
fn outcome(environment: &Environment, node: &NodeInput) -> String {
    let options = CompileOptions {
        seed: Some("shared".into()),
        time: Some(Timestamp { seconds: 1_000_000_000, nanoseconds: 0 }),
        ..CompileOptions::default()
    };
    let result = compile(environment, node.clone(), options);
    let catalog = result.outcome.and_then(|catalog| {
        agent::to_json(&catalog, &environment.settings, &Log::default()).map(|json| json.to_string())
    });
    format!("{catalog:?}\n{:?}", result.logs)
}

/// The cases of a golden environment that differ in nothing but the node.
fn golden_subjects(directory: &Path) -> Vec<Subject> {
    const OF_NODE: &[&str] = &["node", "facts", "trusted", "classes", "parameters", "server_facts"];
    let mut subjects: BTreeMap<String, Subject> = BTreeMap::new();
    for (_, request) in environments::requests(directory).expect("cases") {
        // What cannot be loaded is not shared.
        let Ok((alone, node)) = environment_on_disk(&request) else { continue };
        let expected = outcome(&alone, &node);
        let mut shared = request.clone();
        shared.as_object_mut().expect("an object").retain(|key, _| !OF_NODE.contains(&key.as_str()));
        let subject = subjects.entry(shared.to_string()).or_insert_with(|| Subject {
            load: Box::new(move || environment_on_disk(&request).expect("it was loaded before").0),
            nodes: Vec::new(),
        });
        subject.nodes.push((node, expected));
    }
    subjects.into_values().collect()
}

/// The number of files of each kind in the environment that is made here.
const FILES: usize = 8;

/// The number of the first function or lambda of a program among its nodes.
fn closure_number(text: &str, epp: bool) -> Option<usize> {
    let source = Arc::new(Source::new(None, text));
    let program = parse(source, &ParseOptions { epp, ..ParseOptions::default() }).expect("a program");
    let is_closure =
        |node: &Node| matches!(node, Node::FunctionDefinition { .. } | Node::LambdaExpression { .. });
    program.ids().filter(|id| is_closure(program.node(*id))).map(|id| id.index()).min()
}

/// An environment with many small files of every kind, which nodes need in different orders. Programs that
/// several threads parse at once take the places of others in memory; the closures of two
/// templates and of the function that is called after them have the same number.
fn many_files() -> Vec<(String, String)> {
    common_files().into_iter().chain((0..FILES).flat_map(files_of)).collect()
}

/// The files that there are once.
fn common_files() -> Vec<(String, String)> {
    vec![
        (
            "manifests/site.pp".to_owned(),
            "$facts['order'].each |$i| {\n  \
               $p = { 'p' => $i }\n  \
               notify { \"epp ${i}\": message => [epp(\"m/one${i}\", $p), epp(\"m/two${i}\", $p)] }\n  \
               $given = Integer[0, $i % 3].map |$n| { $n }\n  \
               notify { \"function ${i}\": message => call(\"m::f${i}\", *$given) }\n  \
               notify { \"erb ${i}\": message => template(\"m/t${i}.erb\") }\n  \
               notify { \"inline ${i}\": message => inline_epp(\"<%- |\\$x, \\$y| -%><%= \\$x %>-${i}\", \
                 { 'x' => 1, 'y' => 2 }) }\n  \
               notify { \"ruby ${i}\": message => call(\"m::r${i}\", $i) }\n  \
               create_resources(\"m::d${i}\", { \"d${i}\" => {} })\n  \
               include \"m::c${i}\"\n  \
               notify { \"lookup ${i}\": message => lookup(\"m::key${i}\", { 'default_value' => 'none' }) }\n\
             }\n"
            .to_owned(),
        ),
        (
            "modules/m/hiera.yaml".to_owned(),
            "version: 5\nhierarchy:\n  - name: node\n    path: \"%{facts.level}.yaml\"\n  \
             - name: common\n    path: common.yaml\n"
                .to_owned(),
        ),
        ("modules/m/data/odd.yaml".to_owned(), "m::key1: \"odd %{facts.level}\"\n".to_owned()),
        (
            "modules/m/data/common.yaml".to_owned(),
            (0..FILES / 2).map(|i| format!("m::key{i}: [{i}]\nm::c{i}::p: [{i}, {i}]\n")).collect(),
        ),
    ]
}

/// The files of one number.
fn files_of(i: usize) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let next = (i + 1) % FILES;
    let parameters: Vec<_> = (0..=i % 3).map(|p| format!("M::T{i} $p{p}")).collect();
    let parameters = parameters.join(", ");
    let mut add = |path: String, text: String| files.push((format!("modules/m/{path}"), text));
    let template = |lambda: &str, more: usize| {
        let more = "<%= 1 %>".repeat(more);
        format!(
            "<%- |Integer $p| -%>\n{more}<% $h = {{ k => {i} }}; $h.each |{lambda}| {{ %><%= $x %><% }} %>\n"
        )
    };
    let one = template("$x", 2);
    let two = |more: usize| template("$x, $y = 1", more);
    let function = |more: usize| {
        let more = vec!["1"; more].join(", ");
        format!("function m::f{i}({parameters}) {{ \"{i} ${{p0}} ${{[{more}]}}\" }}\n")
    };
    let closure = closure_number(&one, true);
    let two = (0..4).map(two).find(|text| closure_number(text, true) == closure);
    let function = (0..40).map(function).find(|text| closure_number(text, false) == closure);
    add(format!("templates/one{i}.epp"), one);
    add(format!("templates/two{i}.epp"), two.expect("one of them has as many nodes"));
    add(format!("functions/f{i}.pp"), function.expect("one of them has as many nodes"));
    add(
        format!("types/t{i}.pp"),
        format!("type M::T{i} = Variant[Integer[{i}], Integer, Array[M::T{next}]]\n"),
    );
    add(
        format!("types/o{i}.pp"),
        format!("type M::O{i} = Object[{{ attributes => {{ a => M::T{i}, b => Optional[M::O{next}] }} }}]\n")
            .replace("Optional[M::O", "{ type => Optional[M::O")
            .replace("] } }]", "], value => undef } } }]"),
    );
    add(format!("templates/t{i}.erb"), format!("<%= [{i}, @facts['level']].join(' ') %>\n"));
    add(
        format!("lib/puppet/functions/m/r{i}.rb"),
        format!(
            "Puppet::Functions.create_function(:'m::r{i}') do\n  dispatch :go do\n    \
             param 'M::T{i}', :x\n  end\n  def go(x)\n    \"ruby {i} #{{x}}\"\n  end\nend\n"
        ),
    );
    add(
        format!("manifests/c{i}.pp"),
        format!(
            "class m::c{i}(Array[M::T{i}] $p = [{i}]) {{\n  \
             $o = M::O{i}('a' => {i}, 'b' => M::O{next}('a' => 1))\n  \
             notify {{ \"class {i} ${{p}} ${{o}} ${{o =~ M::O{i}}} ${{o.b =~ M::O{next}}}\": }}\n}}\n"
        ),
    );
    add(
        format!("manifests/d{i}.pp"),
        format!("define m::d{i}($q = {i}, M::T{i} $p = $q) {{ notify {{ \"define {i} ${{p}}\": }} }}\n"),
    );
    files
}

fn made_subject() -> Subject {
    let load = || {
        let mut host = MemoryHost::new();
        for (path, text) in many_files() {
            host.add(format!("/env/{path}"), text.as_str());
        }
        let options = EnvironmentOptions {
            name: "env".to_owned(),
            environmentpath: vec!["/".to_owned()],
            ..EnvironmentOptions::default()
        };
        Environment::load(Arc::new(host), options).expect("an environment")
    };
    let nodes = (0..4).map(|number| {
        let mut order: Vec<usize> = (0..FILES).collect();
        order.sort_by_key(|i| hash_of(&(number / 2, *i)));
        order.truncate(FILES - number % 2);
        let facts: PuppetHash = [
            ("order".into(), order.into_iter().map(|i| Value::from(i as i64)).collect::<Vec<_>>().into()),
            ("level".into(), Value::from(if number % 3 == 1 { "odd" } else { "even" })),
        ]
        .into_iter()
        .collect();
        let node = NodeInput { name: format!("n{number}"), facts, ..NodeInput::default() };
        let expected = outcome(&load(), &node);
        assert!(expected.starts_with("Ok"), "{expected}");
        (node, expected)
    });
    Subject { nodes: nodes.collect(), load: Box::new(load) }
}

/// The number of rounds, if somebody wants another one.
fn wanted_rounds() -> Option<u64> {
    std::env::var("BUNRAKU_SHARED_ROUNDS").ok()?.parse().ok()
}

#[test]
fn nodes_that_need_the_same_files_have_the_catalogs_they_have_alone() {
    made_subject().compile_in_orders(wanted_rounds().unwrap_or(6));
}

#[test]
fn nodes_that_share_an_environment_have_the_catalogs_they_have_alone() {
    let directory = data::directory().join("environments");
    let mut names = vec!["control_basic", "eval_errors", "types_functions"];
    if wanted_rounds().is_some() {
        names.extend(["core_resources", "defines_data", "enc_trusted", "exported_virtual", "hiera_layers"]);
        names.extend(["ordering", "ordering_bad", "rich_data", "templates", "why"]);
        names.extend((!environments::lacks_modules(&directory.join("real"))).then_some("real"));
    }
    let mut count = 0;
    for name in names {
        let subjects = golden_subjects(&directory.join(name));
        count += subjects.iter().map(|subject| subject.nodes.len()).sum::<usize>();
        subjects.iter().for_each(|subject| subject.compile_in_orders(wanted_rounds().unwrap_or(2)));
    }
    assert!(count > 100, "{count} nodes");
}
