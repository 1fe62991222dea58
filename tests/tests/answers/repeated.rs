//! An environment's caches change no answer: all its compilations log and return the same as the first.

use std::sync::Arc;

use bunraku::compiler::{Limits, NodeInput, compile};
use bunraku::host::memory::MemoryHost;
use bunraku::loader::{Environment, EnvironmentOptions};

/// The references in the catalog, or the error, and the log.
type Answer = (Result<Vec<String>, String>, Vec<String>);

fn answer(environment: &Environment) -> Answer {
    let node = NodeInput { name: "node".into(), ..NodeInput::default() };
    let compiled = compile(environment, node, Limits::default());
    let references = |catalog: &bunraku::catalog::Catalog| {
        catalog.resources.iter().map(|resource| resource.reference()).collect()
    };
    let outcome = compiled.outcome.as_ref().map(references).map_err(ToString::to_string);
    (outcome, compiled.logs.into_iter().map(|entry| entry.message).collect())
}

fn environment(files: &[(&str, &str)]) -> Environment {
    let mut host = MemoryHost::new();
    for (path, text) in files {
        host.add(format!("/env/{path}"), *text);
    }
    let options = EnvironmentOptions {
        name: "env".into(),
        environmentpath: vec!["/".into()],
        ..EnvironmentOptions::default()
    };
    Environment::load(Arc::new(host), options).expect("an environment")
}

/// A class whose parameter has a type of its module, with the files of both.
fn answers(of_type: &str, init: &str, value: &str) -> [Answer; 3] {
    let class = "class m::c(Optional[M::T] $x = undef, Array[M::T] $y = []) { notify { \"${x}\": } }";
    let site = format!("class {{ 'm::c': x => {value} }}");
    let files = [
        ("modules/m/types/t.pp", of_type),
        ("modules/m/manifests/init.pp", init),
        ("modules/m/manifests/c.pp", class),
        ("manifests/site.pp", &site),
    ];
    let environment = environment(&files);
    [answer(&environment), answer(&environment), answer(&environment)]
}

#[test]
fn a_type_of_a_module_says_the_same_to_all() {
    let (plain, doubtful) = ("type M::T = Enum[a, b]", "type M::T = Enum[a, \"b\\d\"]");
    let (quiet, warning) = ("class m { }", "class m { $x = \"\\d\" }");
    for (of_type, init, value, warnings, fits) in [
        (plain, quiet, "'a'", 0, true),
        (plain, quiet, "'c'", 0, false),
        (doubtful, quiet, "'a'", 1, true),
        (plain, warning, "'a'", 1, true),
        (doubtful, warning, "'c'", 2, false),
    ] {
        let [first, second, third] = answers(of_type, init, value);
        assert_eq!((first.0.is_ok(), first.1.len()), (fits, warnings), "{first:?}");
        assert_eq!((&second, &third), (&first, &first));
    }
}
