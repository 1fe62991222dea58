//! A panic is an error of the kind `Bug`, is reported nowhere else, and the environment stays usable.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bunraku::compiler::{Limits, NodeInput, compile, request};
use bunraku::diagnostic::{Error, ErrorKind};
use bunraku::host::memory::MemoryHost;
use bunraku::host::{DeepStacks, FileInfo, ForeignCall, ForeignFunction, Host, HostError, Reading};
use bunraku::loader::{Environment, EnvironmentOptions};
use bunraku::pcore::Value;
use bunraku::pcore::value::Timestamp;
use serde_json::json;

const DATA: &str = "/env/data/common.yaml";

/// A function that panics, with a text that shows its argument; with a block, after it was called.
struct Panics;

impl ForeignFunction for Panics {
    fn signatures(&self) -> Vec<String> {
        vec!["Callable[Any]".to_owned(), "Callable[[Any, 1, 1, Callable[Any]], Any]".to_owned()]
    }

    fn call(&self, _: usize, arguments: &[Value], call: &dyn ForeignCall) -> Result<Value, Error> {
        if call.has_block() {
            call.call_block(arguments)?;
        }
        panic!("no idea what to do with {arguments:?}");
    }
}

/// A host with a function that panics, and with data whose first reading does.
struct Faulty {
    files: MemoryHost,
    has_read: AtomicBool,
    /// Whether compilations have threads of their own.
    on_threads: bool,
}

impl Host for Faulty {
    fn read(&self, path: &str, reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
        assert!(path != DATA || self.has_read.swap(true, Ordering::Relaxed), "not yet");
        self.files.read(path, reading)
    }

    fn info(&self, path: &str) -> Option<FileInfo> {
        self.files.info(path)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        self.files.list(path)
    }

    fn now(&self) -> Timestamp {
        self.files.now()
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), HostError> {
        self.files.random(bytes)
    }

    fn run_on_deep_stack(&self, stacks: &DeepStacks, work: &mut (dyn FnMut() + Send)) -> Result<(), Error> {
        if self.on_threads { DeepStacks::run_on_thread(work) } else { stacks.run(work) }
    }

    fn foreign_function(
        &self,
        name: &str,
        _: Option<&str>,
    ) -> Result<Option<Arc<dyn ForeignFunction>>, Error> {
        Ok((name == "panics").then(|| Arc::new(Panics) as Arc<dyn ForeignFunction>))
    }
}

fn environment(on_threads: bool) -> Environment {
    let mut files = MemoryHost::new();
    files.add("/env/hiera.yaml", "version: 5\nhierarchy: [{name: a, path: common.yaml}]\n");
    files.add(DATA, "panicking: false\nkey: found\n");
    let code = "notice('begun')\n\
                if $trusted['certname'] == 'bad' { panics('p4ss') }\n\
                if $trusted['certname'] == 'block' { panics('p4ss') |$x| { notice('inside') } }\n\
                if $trusted['certname'] == 'data' { notice(lookup('key')) }";
    files.add("/env/manifests/site.pp", code);
    let host = Faulty { files, has_read: AtomicBool::new(false), on_threads };
    let options = EnvironmentOptions {
        name: "env".into(),
        environmentpath: vec!["/".into()],
        ..EnvironmentOptions::default()
    };
    Environment::load(Arc::new(host), options).expect("an environment")
}

fn node(name: &str) -> NodeInput {
    NodeInput { name: name.into(), ..NodeInput::default() }
}

/// The kind of the error, and the log.
fn outcome(environment: &Environment, name: &str) -> (Result<(), ErrorKind>, Vec<String>) {
    let compiled = compile(environment, node(name), Limits::default());
    if let Err(error) = &compiled.outcome {
        assert!(error.message.contains(" at "), "{error}");
        assert!(!error.trace().contains("p4ss"), "{error}");
    }
    let logged = compiled.logs.into_iter().map(|entry| entry.message).collect();
    (compiled.outcome.map(drop).map_err(|error| error.kind), logged)
}

fn assert_outcomes(environment: &Environment) {
    let said = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(outcome(environment, "good"), (Ok(()), said(&["begun"])));
    assert_eq!(outcome(environment, "bad"), (Err(ErrorKind::Bug), said(&["begun"])));
    assert_eq!(outcome(environment, "block"), (Err(ErrorKind::Bug), said(&["begun", "inside"])));
    assert_eq!(outcome(environment, "good"), (Ok(()), said(&["begun"])));
}

#[test]
fn a_panic_is_an_error_and_the_environment_goes_on() {
    for on_threads in [false, true] {
        let environment = environment(on_threads);
        assert_outcomes(&environment);
        // Something is cached by work that panicked at first.
        assert_eq!(outcome(&environment, "data").0, Err(ErrorKind::Bug));
        assert_eq!(outcome(&environment, "data").1, ["begun", "found"]);
        let request = json!({ "key": "key", "node": "bad", "compile": true });
        let answer = request::lookup(
            &environment,
            &request::of_lookup(&request).expect("known keys"),
            Limits::default(),
        );
        assert_eq!(answer.unwrap_err().kind, ErrorKind::Bug);
        let request = json!({ "key": "key", "node": "good" });
        let answer = request::lookup(
            &environment,
            &request::of_lookup(&request).expect("known keys"),
            Limits::default(),
        );
        assert_eq!(answer.expect("an answer").0["value"], "found");
    }
}

#[test]
fn threads_that_share_an_environment_do_not_hurt_each_other() {
    let environment = environment(false);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..50).for_each(|_| assert_outcomes(&environment)));
        }
    });
}

/// Runs one test of this file in its own process and returns its standard error.
fn standard_error(test: &str) -> String {
    let program = std::env::current_exe().expect("this program");
    let arguments = [test, "--exact", "--nocapture", "--include-ignored"];
    let output = Command::new(program).args(arguments).output().expect("it runs");
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn nothing_is_said_on_standard_error() {
    assert_eq!(standard_error("bugs::a_panic_is_an_error_and_the_environment_goes_on"), "");
}

#[test]
fn panics_of_others_are_told_as_before() {
    let told = standard_error("bugs::panics_inside_and_outside");
    assert!(told.contains("outside of all") && !told.contains("no idea"), "{told}");
}

#[test]
#[ignore = "another test runs it in a process of its own"]
fn panics_inside_and_outside() {
    assert_outcomes(&environment(false));
    assert!(std::thread::spawn(|| panic!("outside of all")).join().is_err());
}
