//! Special files: pipes, devices, infinite files, directories that lead back up. An environment with them
//! answers soon, and reports which file it could not read and why.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bunraku::compiler::{Compilation, request};
use bunraku::diagnostic::{Error, ErrorKind};
use bunraku::eval::limits::Cancel;
use bunraku::host::disk::DiskHost;
use bunraku::host::{Host, HostError, Reading};
use serde_json::{Value as Json, json};

/// A replacement for a file: its name, how it is made, and the error about it.
type Trap = (&'static str, fn(&Path), &'static str);

const TRAPS: &[Trap] = &[
    ("a pipe", make_pipe, "a named pipe"),
    ("a link to a pipe", |path| link_to(path, make_pipe), "a named pipe"),
    ("a device without end", |path| symlink("/dev/zero", path).expect("a link"), "a device"),
    ("a terminal", |path| symlink("/dev/ptmx", path).expect("a link"), "a device"),
    ("a socket", make_socket, "a socket"),
    ("a sparse file", make_sparse, "File too large: it has more than 67108864 bytes"),
];

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
}

fn link_to(path: &Path, make: fn(&Path)) {
    let target = path.with_extension("target");
    make(&target);
    symlink(target, path).expect("a link");
}

fn make_socket(path: &Path) {
    drop(std::os::unix::net::UnixListener::bind(path).expect("a socket"));
}

fn make_sparse(path: &Path) {
    fs::File::create(path).expect("a file").set_len(1 << 30).expect("it can be sparse");
}

/// Files of an environment, and whether an error in them ends the compilation or is logged.
const PLACES: &[(&str, bool)] = &[
    ("environment.conf", true),
    ("manifests/site.pp", true),
    ("manifests/more.pp", true),
    ("hiera.yaml", true),
    ("data/common.yaml", true),
    ("data/more.json", true),
    ("modules/m/manifests/init.pp", true),
    ("modules/m/functions/f.pp", true),
    ("modules/m/types/t.pp", true),
    ("modules/m/templates/t.epp", true),
    ("modules/m/templates/t.erb", true),
    ("modules/m/files/f", true),
    ("modules/m/files/b", true),
    ("modules/m/metadata.json", false),
];

const MANIFEST: &str = "include m
$f = m::f()
$t = 1 =~ M::T
$e = epp('m/t.epp')
$r = template('m/t.erb')
$x = file('m/f')
$b = binary_file('m/b')
$l = lookup('key', default_value => 0)
";

/// An environment with all of the places.
fn environment() -> (tempfile::TempDir, PathBuf) {
    let root = tempfile::tempdir().expect("a directory");
    let directory = root.path().join("production");
    let text = |place: &str| match place {
        "manifests/site.pp" => MANIFEST,
        "hiera.yaml" => {
            "version: 5\nhierarchy:\n  - name: a\n    path: common.yaml\n  - name: b\n    data_hash: json_data\n    path: more.json\n"
        }
        "data/more.json" => "{}",
        "modules/m/manifests/init.pp" => "class m { }",
        "modules/m/functions/f.pp" => "function m::f() { 1 }",
        "modules/m/types/t.pp" => "type M::T = Integer",
        "modules/m/metadata.json" => {
            r#"{"name":"a-m","version":"1.0.0","source":"s","author":"a","license":"MIT","dependencies":[]}"#
        }
        _ => "",
    };
    for (place, _) in PLACES {
        let path = directory.join(place);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a directory");
        fs::write(path, text(place)).expect("a file");
    }
    (root, directory)
}

/// Compiles; returns the result and the log.
fn compile(root: &Path, rest: &Json) -> (Result<(), Error>, Vec<String>) {
    let mut asked = json!({ "environmentpath": root, "node": "n" });
    for (key, value) in rest.as_object().into_iter().flatten() {
        asked[key] = value.clone();
    }
    let asked = request::whole(&asked).expect("the request has known keys");
    let environment = match request::load_environment(Arc::new(DiskHost), &asked) {
        Ok(environment) => environment,
        Err(error) => return (Err(error), Vec::new()),
    };
    let node = request::node_input(&asked).expect("a node");
    let options = request::compile_options(&asked).expect("options");
    let work = || {
        let compilation = Compilation::new(&environment, node, options);
        let outcome = compilation.compile().map(drop);
        let logs = compilation.loaded().log.entries.take();
        (outcome, logs.iter().map(|entry| entry.message.clone()).collect())
    };
    environment.on_deep_stack(work).expect("there is a stack")
}

#[test]
fn what_is_no_file_is_refused_and_named() {
    for &(place, is_fatal) in PLACES {
        for &(trap, make, reason) in TRAPS {
            let (root, directory) = environment();
            let path = directory.join(place);
            fs::remove_file(&path).expect("it is there");
            make(&path);
            let begin = Instant::now();
            let (outcome, logs) = compile(root.path(), &json!({}));
            assert!(begin.elapsed() < Duration::from_secs(30), "{place}: {trap} takes too long");
            let said = match (&outcome, is_fatal) {
                (Err(error), true) => format!("{} {:?}", error.full_message(), error.location),
                (Ok(()) | Err(_), false) => logs.join("\n"),
                (Ok(()), true) => panic!("{place}: {trap} is no failure: {logs:?}"),
            };
            assert!(said.contains(reason), "{place}: {trap}: {said}");
            assert!(said.contains(&*path.to_string_lossy()), "{place}: {trap}: {said}");
        }
    }
}

#[test]
fn the_null_device_is_empty() {
    for &(place, _) in PLACES {
        let (root, directory) = environment();
        let path = directory.join(place);
        fs::write(&path, "").expect("it is there");
        let (as_empty, logs) = compile(root.path(), &json!({}));
        fs::remove_file(&path).expect("it is there");
        symlink("/dev/null", &path).expect("a link");
        let (as_device, more_logs) = compile(root.path(), &json!({}));
        assert_eq!(
            as_empty.map_err(|error| error.full_message().to_string()),
            as_device.map_err(|error| error.full_message().to_string())
        );
        assert_eq!(logs, more_logs, "{place}");
    }
}

#[test]
fn files_have_the_size_that_the_environment_allows() {
    let (root, directory) = environment();
    fs::write(directory.join("modules/m/files/f"), "x".repeat(1000)).expect("a file");
    assert!(compile(root.path(), &json!({ "file_size": 1000 })).0.is_ok());
    let failure = compile(root.path(), &json!({ "file_size": 999 })).0.expect_err("it is too large");
    assert!(failure.message.contains("File too large: it has more than 999 bytes - "), "{failure:?}");
    // A host that returns more despite the limit is rejected.
    let host = bunraku::host::memory::MemoryHost::new();
    let mut host = host;
    host.add("/f", "x".repeat(1000));
    let read = bunraku::host::read(&host, "/f", &Reading::of_size(999));
    assert!(matches!(read, Err(HostError::Failed(message)) if message.contains("more than 999 bytes - /f")));
}

#[test]
fn reading_can_be_ended() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("large");
    make_sparse(&path);
    let pieces = std::cell::Cell::new(0);
    let check = || {
        pieces.set(pieces.get() + 1);
        if pieces.get() > 5 { Err(Error::limit("enough")) } else { Ok(()) }
    };
    let read = DiskHost.read(&path.to_string_lossy(), &Reading::checked(u64::MAX, &check));
    assert!(matches!(read, Err(HostError::Ended(error)) if error.kind == ErrorKind::Limit));
    assert_eq!(pieces.get(), 6);
}

#[test]
fn what_a_limit_has_ended_is_read_by_the_next_compilation() {
    let (root, directory) = environment();
    fs::write(directory.join("data/common.yaml"), "key: 1\n").expect("a file");
    let asked = json!({ "environmentpath": root.path(), "node": "n" });
    let asked = request::whole(&asked).expect("the request has known keys");
    let environment = request::load_environment(Arc::new(DiskHost), &asked).expect("an environment");
    let compile = |cancel: Option<Cancel>| {
        let node = request::node_input(&asked).expect("a node");
        let mut options = request::compile_options(&asked).expect("options");
        options.limits.cancel = cancel;
        let work = || Compilation::new(&environment, node, options).compile().map(drop);
        environment.on_deep_stack(work).expect("there is a stack")
    };
    let cancel = Cancel::new();
    cancel.cancel();
    let failure = compile(Some(cancel)).expect_err("it was cancelled");
    assert_eq!(failure.kind, ErrorKind::Cancelled, "{failure:?}");
    compile(None).expect("nothing is left of that");
}

#[test]
fn directories_that_lead_back_up_have_an_end() {
    for place in ["manifests", "modules/m/manifests", "modules/m/functions", "modules/m/types", "data"] {
        let (root, directory) = environment();
        for name in ["a", "b", "c"] {
            symlink(".", directory.join(place).join(name)).expect("a link");
            symlink(directory.join(place), directory.join(place).join(format!("{name}_absolute")))
                .expect("a link");
        }
        fs::write(
            directory.join("hiera.yaml"),
            "version: 5\nhierarchy:\n  - name: a\n    glob: '**/*.yaml'\n",
        )
        .expect("a file");
        let begin = Instant::now();
        // Whatever is found more than once is complained about.
        drop(compile(root.path(), &json!({})));
        assert!(begin.elapsed() < Duration::from_secs(60), "{place}: {:?}", begin.elapsed());
    }
}
