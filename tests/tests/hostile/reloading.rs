//! Environments that are loaded again.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use bunraku::compiler::{Limits, NodeInput, compile, request};
use bunraku::diagnostic::Error;
use bunraku::host::disk::DiskHost;
use bunraku::host::{FileInfo, Host, HostError, Reading};
use bunraku::loader::{Environment, EnvironmentOptions, Environments, Reload};
use bunraku::pcore::Value;
use bunraku::pcore::value::Timestamp;
use serde_json::json;

/// Files that the test changes, a clock that it turns, and commands that it answers.
#[derive(Default)]
struct TestHost {
    files: Mutex<HashMap<String, (String, i64)>>,
    clock: Mutex<i64>,
}

impl TestHost {
    fn write(&self, path: &str, text: &str) {
        let mut clock = self.clock.lock().expect("the clock");
        *clock += 1;
        self.files.lock().expect("files").insert(path.to_owned(), (text.to_owned(), *clock));
    }
}

impl Host for TestHost {
    fn read(&self, path: &str, _reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
        let files = self.files.lock().expect("files");
        let file = files.get(path).ok_or_else(|| HostError::NotFound(path.to_owned()))?;
        Ok(file.0.clone().into_bytes())
    }

    fn info(&self, path: &str) -> Option<FileInfo> {
        let files = self.files.lock().expect("files");
        let info = |is_directory, seconds: i64| FileInfo {
            is_directory,
            size: 0,
            modified: Timestamp { seconds: i128::from(seconds), nanoseconds: 0 },
            inode: 0,
        };
        if let Some((_, changed)) = files.get(path) {
            return Some(info(false, *changed));
        }
        let below = files.keys().filter(|name| Path::new(name).starts_with(path)).count();
        (below > 0).then(|| info(true, below as i64))
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        let files = self.files.lock().expect("files");
        let prefix = format!("{path}/");
        let below = files.keys().filter_map(|name| name.strip_prefix(&prefix)?.split('/').next());
        let mut names: Vec<String> = below.map(str::to_owned).collect();
        names.sort();
        names.dedup();
        Ok(names)
    }

    fn now(&self) -> Timestamp {
        Timestamp { seconds: i128::from(*self.clock.lock().expect("the clock")), nanoseconds: 0 }
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), HostError> {
        DiskHost.random(bytes)
    }

    fn run_command(&self, command: &[&str], _reading: &Reading<'_>) -> Result<String, HostError> {
        match command {
            ["/environments/production/version.sh", "production"] => Ok("release 7\n".into()),
            _ => Err(HostError::Refused("no".into())),
        }
    }
}

fn titles(environments: &Environments) -> Vec<String> {
    let environment = environments.get("production").expect("an environment");
    let node = NodeInput { name: "n.example.net".into(), ..NodeInput::default() };
    let catalog = compile(&environment, node, Limits::default()).outcome.expect("a catalog");
    let notifies = catalog.resources.iter().filter(|resource| resource.type_name == "Notify");
    notifies.map(|resource| resource.title.to_string()).collect()
}

#[test]
fn environments_are_read_anew_as_they_should_be() {
    let host = Arc::new(TestHost::default());
    host.write("/environments/production/environment.conf", "environment_timeout = 1m\n");
    host.write(
        "/environments/production/manifests/site.pp",
        "include a\nnotify { lookup('title'): }\nnotify { lookup('other', default_value => 'none'): }\n\
         notify { template('a/t.erb'): }\nnotify { epp('a/t'): }",
    );
    // Templates are read whenever they are rendered.
    let templates = |name: &str| {
        let [erb, epp] =
            ["erb", "epp"].map(|kind| format!("/environments/production/modules/a/templates/t.{kind}"));
        host.write(&erb, &format!("{name}<%= 1 %>"));
        host.write(&epp, &format!("{name}<%= 2 %>"));
    };
    templates("t");
    host.write("/environments/production/modules/a/manifests/init.pp", "class a { notify { 'a': } }");
    host.write(
        "/environments/production/hiera.yaml",
        "version: 5\nhierarchy: [{ name: more, glob: 'more/*.yaml' }, { name: common, path: common.yaml }]\n",
    );
    host.write("/environments/production/data/common.yaml", "title: one\n");
    let new = |reload| {
        let environmentpath = vec!["/environments".to_owned()];
        let options = EnvironmentOptions { environmentpath, ..EnvironmentOptions::default() };
        Environments::new(host.clone(), options, reload)
    };
    let (never, changed, configured) =
        (new(Reload::Never), new(Reload::WhenChanged), new(Reload::AsConfigured));
    let all = || [titles(&never), titles(&changed), titles(&configured)];
    let first = ["a", "one", "none", "t1", "t2"];
    assert_eq!(all(), [first, first, first]);
    let kept = changed.get("production").expect("an environment");
    assert!(Arc::ptr_eq(&kept, &changed.get("production").expect("an environment")), "nothing has changed");

    host.write("/environments/production/data/common.yaml", "title: two\nother: more\n");
    assert_eq!(all(), [first, ["a", "two", "more", "t1", "t2"], first]);
    host.write("/environments/production/data/more/a.yaml", "title: three\n");
    assert_eq!(all(), [first, ["a", "three", "more", "t1", "t2"], first]);
    host.write("/environments/production/modules/a/manifests/init.pp", "class a { notify { 'b': } }");
    assert_eq!(all(), [first, ["b", "three", "more", "t1", "t2"], first]);
    *host.clock.lock().expect("the clock") += 60;
    assert_eq!(all(), [first, ["b", "three", "more", "t1", "t2"], ["b", "three", "more", "t1", "t2"]]);
    never.clear(Some("production"));
    assert_eq!(titles(&never), ["b", "three", "more", "t1", "t2"]);
    templates("u");
    let last = ["b", "three", "more", "u1", "u2"];
    assert_eq!(all(), [last, last, last]);
    assert_eq!(never.names(), ["production"]);
}

#[test]
fn what_is_made_of_a_file_is_kept_for_later_compilations_until_the_file_changes() {
    let host = Arc::new(TestHost::default());
    host.write(
        "/environments/production/manifests/site.pp",
        "$context = Puppet::LookupContext.new('m')\n\
         notify { $context.cached_file_data('/text') |$text| { \"${text} for ${trusted['certname']}\" }: }\n\
         notify { $context.cached_file_data('/none') |$text| { [Notify, \"${trusted['certname']}\"] }[1]: }",
    );
    host.write("/text", "one");
    host.write("/none", "");
    let options =
        EnvironmentOptions { environmentpath: vec!["/environments".to_owned()], ..Default::default() };
    let environments = Environments::new(host.clone(), options, Reload::Never);
    let titles = |name: &str| {
        let environment = environments.get("production").expect("an environment");
        let node = NodeInput { name: name.into(), ..NodeInput::default() };
        let catalog = compile(&environment, node, Limits::default()).outcome.expect("a catalog");
        let notifies = catalog.resources.iter().filter(|resource| resource.type_name == "Notify");
        notifies.map(|resource| resource.title.to_string()).collect::<Vec<_>>()
    };
    // Lists with types may refer to the compilation and are made anew.
    assert_eq!(titles("a"), ["one for a", "a"]);
    assert_eq!(titles("b"), ["one for a", "b"]);
    host.write("/text", "two");
    assert_eq!(titles("b"), ["two for b", "b"]);
    assert_eq!(titles("a"), ["two for b", "a"]);
}

#[test]
fn the_version_of_a_configuration_is_what_its_command_prints() -> Result<(), Error> {
    let version = |script: &str| -> Result<(Value, Vec<String>), Error> {
        let host = TestHost::default();
        host.write("/environments/production/environment.conf", &format!("config_version = {script}\n"));
        let options = EnvironmentOptions {
            name: "production".into(),
            environmentpath: vec!["/environments".into()],
            commands: true,
            ..EnvironmentOptions::default()
        };
        let environment = Environment::load(Arc::new(host), options)?;
        let node = NodeInput { name: "n.example.net".into(), ..NodeInput::default() };
        let result = compile(&environment, node, Limits::default());
        Ok((result.outcome?.version, result.logs.into_iter().map(|entry| entry.message).collect()))
    };
    assert_eq!(version("version.sh $environment")?, ("release 7".into(), Vec::new()));
    let (time, logs) = version("other.sh")?;
    assert!(matches!(time, Value::Integer(_)), "a host that runs no commands: the time");
    assert!(logs.iter().any(|message| message.contains("other.sh")), "{logs:?}");
    Ok(())
}

#[test]
fn a_node_that_was_classified_into_another_environment_is_refused() {
    let request = json!({ "modulepath": [], "code": "" });
    let request = request::of_environment(&request).expect("known keys");
    let environment = request::load_environment(Arc::new(DiskHost), &request).expect("an environment");
    for (wanted, is_refused) in [("staging", true), ("production", false), ("agent-specified", false)] {
        let classification = json!({ "environment": wanted });
        let node = json!({ "node": "n", "classification": classification });
        let node = request::of_catalog(&node).and_then(|node| request::node_input(&node)).expect("a node");
        let compiled = compile(&environment, node, Limits::default());
        let message = compiled.outcome.err().map(|error| error.message);
        let refused = message
            .as_ref()
            .is_some_and(|message| message.contains("classified into the environment staging"));
        assert_eq!((refused, message.is_some()), (is_refused, is_refused), "{wanted}: {message:?}");
        let asked = json!({ "node": "n", "key": "k", "default": 1, "classification": classification });
        let asked = request::of_lookup(&asked).expect("known keys");
        let (answer, _) = request::lookup(&environment, &asked, Limits::default()).expect("an answer");
        assert_eq!(answer["error"].is_object(), is_refused, "{answer}");
    }
}

#[test]
fn compilations_see_changes_of_data() {
    let host = Arc::new(TestHost::default());
    let manifest = "/environments/production/manifests/site.pp";
    let file = |name: &str| format!("/environments/production/{name}");
    host.write(manifest, "notify { ['x', lookup('k'), lookup('l', default_value => 'none')]: }");
    let hierarchy = |second: &str| {
        let text = format!(
            "version: 5\nhierarchy: [{{ name: own, path: '%{{trusted.certname}}.yaml' }}, \
             {{ name: many, glob: '*.json' }}, {{ name: common, path: {second} }}]\n"
        );
        host.write(&file("hiera.yaml"), &text);
    };
    hierarchy("common.yaml");
    host.write(&file("data/common.yaml"), "k: one\n");
    host.write(&file("data/other.yaml"), "k: other\n");
    let load = |fresh_data| {
        let environmentpath = vec!["/environments".to_owned()];
        let options = EnvironmentOptions { environmentpath, fresh_data, ..EnvironmentOptions::default() };
        Environments::new(host.clone(), options, Reload::Never)
    };
    let (kept, fresh) = (load(false), load(true));
    let first = ["x", "one", "none"];
    let both = || [titles(&kept), titles(&fresh)];
    assert_eq!(both(), [first, first]);

    host.write(manifest, "notify { 'not read again': }");
    host.write(&file("data/common.yaml"), "k: two\n");
    assert_eq!(both(), [first, ["x", "two", "none"]]);
    host.write(&file("data/a.json"), r#"{"l": "matched"}"#);
    assert_eq!(both(), [first, ["x", "two", "matched"]]);
    host.write(&file("data/n.example.net.yaml"), "k: own\n");
    assert_eq!(both(), [first, ["x", "own", "matched"]]);
    let remove = |name: &str| host.files.lock().expect("files").remove(&file(name)).expect("a file");
    remove("data/n.example.net.yaml");
    remove("data/a.json");
    hierarchy("other.yaml");
    assert_eq!(both(), [first, ["x", "other", "none"]]);
}
