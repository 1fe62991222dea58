//! The command as a whole, in this process.

use std::io::{self, Write};
use std::os::fd::AsRawFd as _;
use std::sync::{Arc, Mutex};

use bunraku::Error;
use bunraku::diagnostic::bug::locked;
use bunraku::host::Reading;
use bunraku::host::disk::DiskHost;

use crate::embedder::{Embedder, NoRuby, PuppetDb, RubyFunctions, Surroundings, Work};
use crate::{ServerOptions, ShadowOptions, ShadowReport, Stream, Streams, run};

/// The output of a stream.
#[derive(Clone, Default)]
pub(crate) struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(locked(&self.0).clone()).expect("it is UTF-8")
    }
}

/// A stream that records its output.
pub(crate) struct Recorded {
    written: Written,
    is_terminal: bool,
}

impl Recorded {
    pub(crate) fn new(is_terminal: bool) -> (Written, Self) {
        let written = Written::default();
        (written.clone(), Self { written, is_terminal })
    }
}

impl Write for Recorded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        locked(&self.written.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Recorded {
    fn is_terminal(&self) -> bool {
        self.is_terminal
    }
}

/// A stream without a reader.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Closed {
    fn is_terminal(&self) -> bool {
        false
    }
}

fn run_with(embedder: &dyn Embedder, arguments: &[&str]) -> (u8, String, String) {
    let ((out, out_stream), (err, err_stream)) = (Recorded::new(false), Recorded::new(false));
    let streams = Streams { out: Box::new(out_stream), err: Box::new(err_stream) };
    let status = run(arguments.iter().map(Into::into), streams, embedder);
    (status, out.text(), err.text())
}

fn bunraku(arguments: &[&str]) -> (u8, String, String) {
    run_with(&NoRuby, arguments)
}

#[test]
fn wrong_options_are_told_with_what_was_meant() {
    let (status, out, err) = bunraku(&["compile", "--enviroment", "x"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("error: unexpected argument '--enviroment' found"), "{err}");
    assert!(err.contains("'--environment"), "{err}");
    let (status, _, err) = bunraku(&["validat"]);
    assert_eq!(status, 2);
    assert!(err.contains("'validate'") && err.contains("Usage: bunraku COMMAND"), "{err}");
    let (status, _, err) = bunraku(&[]);
    assert_eq!(status, 2);
    assert!(err.contains("Usage: bunraku COMMAND"), "{err}");
    assert_eq!(bunraku(&["validate"]).0, 2);
    assert_eq!(bunraku(&["validate", "--format", "xml", "a.pp"]).0, 2);
}

#[test]
fn help_and_the_version_are_results() {
    for arguments in [&["--help"][..], &["help"], &["-h"]] {
        let (status, out, err) = bunraku(arguments);
        assert_eq!((status, err.as_str()), (0, ""));
        for command in ["classifier", "compile", "completions", "diff", "lookup", "module", "validate"] {
            assert!(out.contains(&format!("\n  {command} ")), "{command}: {out}");
        }
    }
    assert_eq!(bunraku(&["--version"]), (0, format!("{}\n", env!("CARGO_PKG_VERSION")), String::new()));
    let (status, out, _) = bunraku(&["compile", "--help"]);
    assert_eq!(status, 0);
    assert!(out.contains("--node <NAME>"), "{out}");
}

#[test]
fn options_may_be_abbreviated_and_the_last_one_counts() {
    let empty = tempfile::Builder::new().suffix(".pp").tempfile().expect("a file can be made");
    let path = empty.path().to_str().expect("its name is UTF-8");
    let (status, out, err) = bunraku(&["validate", path, "--form", "sarif", "--format=json"]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "[\n\n]\n", ""));
}

#[test]
fn shells_can_complete_the_options() {
    for shell in ["bash", "zsh", "fish"] {
        let (status, out, _) = bunraku(&["completions", shell]);
        assert_eq!(status, 0);
        assert!(out.contains("check-cycles"), "{shell}");
    }
}

#[test]
fn who_has_read_enough_is_no_failure() {
    let streams = Streams { out: Box::new(Closed), err: Box::new(Closed) };
    assert_eq!(run(["--help".into()], streams, &NoRuby), 0);
}

#[test]
fn orders_to_a_terminal_in_options_are_shown() {
    let (_, _, err) = bunraku(&["compile", "--x\u{202e}\u{1b}[31my"]);
    assert!(err.contains("--x\u{fffd}") && !err.contains(['\u{1b}', '\u{202e}']), "{err:?}");
}

#[test]
fn ruby_that_is_not_there_is_told() {
    let (status, _, err) =
        bunraku(&["compile", "--directory", ".", "--node", "n", "--ruby-functions", "own"]);
    assert_eq!(status, 2);
    assert!(err.contains("--ruby-functions own needs Ruby"), "{err}");
    let (status, _, err) = bunraku(&["classifier", "--open-to-read"]);
    assert_eq!(status, 2);
    assert!(err.contains("gem install bunraku puma"), "{err}");
    let (status, _, err) = bunraku(&["compile", "--node", "n", "--puppetdb", "http://localhost:1"]);
    assert_eq!(status, 2);
    assert!(err.contains("--puppetdb needs Ruby"), "{err}");
    let (status, _, err) = bunraku(&["shadow", "--all-nodes", "."]);
    assert_eq!(status, 2);
    assert!(err.contains("this program does not run Puppet"), "{err}");
}

/// An embedder with a bug.
struct Broken;

impl Embedder for Broken {
    fn surroundings(&self, _: RubyFunctions, _: &PuppetDb) -> Result<Surroundings, Error> {
        panic!("on purpose")
    }

    fn stored_facts(&self, _: &PuppetDb, _: &str) -> Result<String, Error> {
        panic!("on purpose")
    }

    fn in_parallel(&self, _: usize, _: Work) -> Result<(), Error> {
        Ok(())
    }

    fn serve(&self, _: &ServerOptions) -> Result<(), Error> {
        Ok(())
    }

    fn shadow(&self, _: &ShadowOptions) -> Result<ShadowReport, Error> {
        panic!("on purpose")
    }
}

#[test]
fn a_bug_has_an_exit_status_of_its_own() {
    for command in [&["compile", "--directory", "."][..], &["diff", "--from", ".", "--to", "."]] {
        let (status, out, err) = run_with(&Broken, &[command, &["--node", "n"]].concat());
        assert_eq!((status, out.as_str()), (70, ""));
        assert!(err.contains("error: bunraku has a bug at ") && err.contains("please report it"), "{err}");
    }
}

#[test]
fn an_environment_is_found_and_what_is_not_there_is_told() {
    let own = tempfile::tempdir().unwrap();
    let path = own.path().to_str().unwrap();
    std::fs::create_dir_all(own.path().join("manifests")).unwrap();
    std::fs::write(own.path().join("Puppetfile"), "mod 'puppetlabs/apache'\n").unwrap();
    let site = "notify { \"${facts['os']['name']} ${environment} ${facts['clientcert']} ${x} ${facts['networking']['fqdn']}\": }";
    std::fs::write(own.path().join("manifests/site.pp"), site).unwrap();
    let asked = ["compile", "--directory", path, "--node", "web01"];
    let known = ["--facts-set", "debian-12", "--parameter", "x=y"];
    let (status, out, err) = bunraku(&[&asked[..], &known].concat());
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("Notify  Debian production web01 y web01  manifests/site.pp:1\n"), "{out}");
    assert_eq!(err, "note: of the Puppetfile's modules apache is not installed: r10k puppetfile install\n");
    let (status, _, err) = bunraku(&[&asked[..], &known, &["--environment", "control-repo"]].concat());
    assert_eq!(
        (status, err.as_str()),
        (2, "bunraku: 'control-repo' is no valid environment name: letters, digits, _\n")
    );
    for (wrong, said) in [
        (&["--parameter", "x"][..], "NAME=VALUE"),
        (&["--class", "a=1"], "JSON object"),
        (&["--global-hiera", "/nope"], "No such file or directory - /nope"),
        (&["--basemodulepath", "/nope"], "there is no directory /nope"),
        (&["--manifest", "/nope"], "there is no /nope"),
        (&["--confdir", "/nope"], "/nope/puppet.conf"),
        (&["--facts-set", "debian-1"], "debian-12"),
        (&["surplus"], "surplus"),
    ] {
        let (status, _, err) = bunraku(&[&asked[..], &known[2..], wrong].concat());
        assert!(status == 2 && err.contains(said), "{wrong:?}: {err}");
    }
}

#[test]
fn an_environment_with_another_module_path_keeps_its_directory() {
    let own = tempfile::tempdir().unwrap();
    let root = own.path().to_str().unwrap();
    std::fs::create_dir_all(own.path().join("envs/production/manifests")).unwrap();
    std::fs::create_dir_all(own.path().join("more/m/manifests")).unwrap();
    std::fs::write(own.path().join("envs/production/manifests/site.pp"), "include m").unwrap();
    std::fs::write(own.path().join("more/m/manifests/init.pp"), "class m { notify { 'm': } }").unwrap();
    let (path, more) = (format!("{root}/envs"), format!("{root}/more"));
    let asked = ["compile", "--environmentpath", &path, "--modulepath", &more, "--node", "n"];
    let (status, out, err) = bunraku(&asked);
    assert!(status == 0 && out.contains("Notify  m"), "{out}{err}");
    let (status, _, err) = bunraku(&[&asked[..], &["--environment", "other"]].concat());
    assert!(status != 0 && err.contains("'other'"), "{err}");
}

#[test]
fn listings_are_as_wide_as_they_must_be_and_can_be_filtered() {
    let own = tempfile::tempdir().unwrap();
    let path = own.path().to_str().unwrap();
    std::fs::create_dir_all(own.path().join("manifests")).unwrap();
    let site = "class a { notify { 'in a': } }\ninclude a\nnotify { 'outside': }\n";
    std::fs::write(own.path().join("manifests/site.pp"), site).unwrap();
    let asked = ["compile", "--directory", path, "--node", "n"];
    let listed = |more: &[&str]| {
        let (_, out, _) = bunraku(&[&asked[..], more].concat());
        let lines: Vec<String> = out.lines().skip(1).map(str::to_owned).collect();
        lines[..lines.len() - 1].join("|")
    };
    assert_eq!(listed(&["--in-class", "a"]), "Class   A|Notify  in a   manifests/site.pp:1");
    assert_eq!(listed(&["--type", "notify", "--title", "out"]), "Notify  outside  manifests/site.pp:3");
}

#[test]
fn a_file_gives_options_that_the_command_line_has_not() {
    let own = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(own.path().join("code/manifests")).unwrap();
    std::fs::write(own.path().join("code/manifests/site.pp"), "notice($environment)\nnotify { $x: }")
        .unwrap();
    let file = own.path().join("options.toml");
    let path = file.to_str().unwrap();
    let with = |text: &str, arguments: &[&str]| {
        std::fs::write(&file, text).unwrap();
        bunraku(&[arguments, &["--config", path]].concat())
    };
    let text = "environment = 'testing'\n[compile]\nnode = 'web01'\ndirectory = 'code'\nfacts_set = 'debian-12'\n\
        parameter = { x = 'from the file' }\n[lookup]\nnode = 'other'\n[format]\nwidth = 100\n";
    let (status, out, err) = with(text, &["compile"]);
    assert_eq!((status, err.as_str()), (0, "notice: testing\n"), "{out}");
    assert!(out.contains("Notify  from the file  manifests/site.pp:2\n"), "{out}");
    let (status, _, err) = with(text, &["compile", "--environment", "other", "--quiet"]);
    assert_eq!((status, err.as_str()), (0, ""));
    // An option of the command line goes before those that it excludes.
    let (status, _, err) = with(text, &["compile", "--environmentpath", "/nope"]);
    assert!(status != 0 && err.contains("/nope"), "{err}");
    for (text, wanted) in [
        ("[compile]\nnod = 'x'", "'compile' has no option 'nod' (did you mean 'node'?)"),
        (
            "[comple]\nnode = 'x'",
            "no command is called 'comple' or has such an option (did you mean 'compile'?)",
        ),
        ("[module.check]\nforce = 1", "'module check' has no option 'force'"),
        ("[format]\nwidht = 80", "[format]: unknown field `widht`"),
        ("[compile]\noutput = '/etc/passwd'", "'compile' has no option 'output'"),
        ("[compile]\ncheck_cycles = 'yes'", "'check-cycles' is true or false"),
        ("[compile]\nnode = [[1]]", "'node' is a text, a number, or a list of them"),
        ("a = 1\nb = [", "options.toml:2: "),
    ] {
        let (status, _, err) = with(text, &["compile"]);
        assert!(status == 2 && err.starts_with("bunraku: ") && err.contains(wanted), "{err}");
    }
    let (status, _, err) = bunraku(&["compile", "--no-config"]);
    assert_eq!((status, err.as_str()), (2, "bunraku: --node is missing\n"));
}

#[test]
fn colours_and_levels_are_chosen() {
    let own = tempfile::tempdir().unwrap();
    let path = own.path().to_str().unwrap();
    std::fs::create_dir_all(own.path().join("manifests")).unwrap();
    std::fs::write(own.path().join("manifests/site.pp"), "info('i')\nnotice('n')\nerr('e')\nfail('f')")
        .unwrap();
    let asked = ["compile", "--directory", path, "--node", "n", "--facts-set", "debian-12"];
    let said = |more: &[&str]| bunraku(&[&asked[..], more].concat()).2;
    assert!(said(&[]).starts_with("notice: n\n"));
    assert!(said(&["-v"]).starts_with("info: i\nnotice: n\n"));
    assert!(said(&["-q"]).starts_with("err: e\n"));
    assert!(said(&["--color", "always"]).contains("\x1b[31merror\x1b[0m"));
    assert!(!said(&["--color", "never"]).contains('\x1b'));
}

#[test]
fn files_with_options_may_be_pipes_and_are_limited() {
    let (status, _, err) = bunraku(&["compile", "--config", "/dev/zero", "--node", "n"]);
    assert_eq!((status, err.contains("File too large")), (2, true), "{err}");
    let own = tempfile::tempdir().unwrap();
    let (reader, mut writer) = io::pipe().unwrap();
    writer.write_all(b"[validate]\nformat = 'json'").unwrap();
    drop(writer);
    let path = format!("/dev/fd/{}", reader.as_raw_fd());
    let (status, out, err) = bunraku(&["validate", "--config", &path, own.path().to_str().unwrap()]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "[\n\n]\n", ""));
}

fn text_of(path: &std::path::Path) -> String {
    let bytes = bunraku::Host::read(&DiskHost, path.to_str().unwrap(), &Reading::default()).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn each_subcommand_has_a_page_for_man() {
    let own = tempfile::tempdir().unwrap();
    let path = own.path().join("man1");
    assert_eq!(bunraku(&["man", "--output", path.to_str().unwrap()]), (0, String::new(), String::new()));
    for name in ["bunraku", "bunraku-compile", "bunraku-module-check"] {
        let page = text_of(&path.join(format!("{name}.1")));
        assert!(page.contains(".SH NAME") && page.contains("\\-\\-config"), "{page}");
    }
}

#[test]
fn a_catalog_is_written_as_yaml() {
    let own = tempfile::tempdir().unwrap();
    let path = own.path().to_str().unwrap();
    std::fs::create_dir_all(own.path().join("manifests")).unwrap();
    std::fs::write(own.path().join("manifests/site.pp"), "notify { 'on': message => '1' }").unwrap();
    let (status, out, err) = bunraku(&["compile", "--directory", path, "--node", "n", "--format", "yaml"]);
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("  title: 'on'\n") && out.contains("    message: '1'\n"), "{out}");
}

/// A repository with one fault of each sort; its path.
fn flawed(root: &std::path::Path) -> String {
    let files = [
        ("Puppetfile", ""),
        (".gitignore", "vendor\n"),
        ("vendor/bad.pp", "}"),
        ("manifests/a.pp", "node default {}\n"),
        ("manifests/b.pp", "node default {}\n"),
        ("modules/a/manifests/init.pp", "class a($tag) { ) }\nclass b { ( }\n"),
        ("modules/a/manifests/c.pp", "class a::c($tag) {}\nclass a::c {\n}\n"),
        ("modules/a/manifests/d.pp", "class a::d {\n"),
        ("modules/a/manifests/plans/e.pp", "class a::plans::e { $apply = 1 }\n"),
        ("modules/a/plans/f.pp", "plan a::f() { apply('x') { } }\n"),
        ("modules/a/templates/g.epp", "<%= 1 %>"),
        ("hiera.yaml", "version: 5\nhierarchy: [{name: x, datadir: hiera, path: x.yaml}]\n"),
        ("hiera/x.yaml", "a: [1\n"),
        ("other/x.yaml", "a: [1\n"),
        ("modules/a/metadata.json", "{\"name\": \"x-a\"}"),
        ("modules/a/tasks/t.json", "{,}"),
    ];
    for (name, text) in files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().expect("it is in one")).expect("it can be made");
        std::fs::write(path, text).expect("it can be written");
    }
    root.to_string_lossy().into_owned()
}

#[test]
fn a_repository_is_validated() {
    let root = tempfile::tempdir().expect("there is room");
    let path = flawed(root.path());
    let (status, out, err) = bunraku(&["validate", &path, "--no-ignore", "--exclude", "/vendor"]);
    let told: Vec<String> = out
        .lines()
        .map(|line| {
            let line = line.strip_prefix(&format!("{path}/")).expect("it is in the repository");
            let code = line.rsplit(' ').next().unwrap_or_default();
            format!("{} {code}", line.split(' ').next().unwrap_or_default())
        })
        .collect();
    assert_eq!(
        told,
        [
            "hiera/x.yaml:1:4: (invalid-data)",
            "manifests/b.pp:1:1: (duplicate-definition-across-files)",
            "modules/a/manifests/c.pp:1:12: (metaparameter)",
            "modules/a/manifests/c.pp:2:1: (duplicate-definition)",
            "modules/a/manifests/d.pp:2:1: (SYNTAX_ERROR)",
            "modules/a/manifests/init.pp:1:17: (SYNTAX_ERROR)",
            "modules/a/manifests/init.pp:2:13: (SYNTAX_ERROR)",
            "modules/a/tasks/t.json:1:2: (invalid-data)",
        ]
    );
    assert_eq!((status, err.as_str()), (1, "12 files, 8 errors, 0 warnings\n"));
    let (status, out, _) = bunraku(&["validate", &path, "--format", "sarif"]);
    let sarif: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    let run = &sarif["runs"][0];
    let ended = &run["results"][4];
    assert_eq!((status, &ended["ruleId"]), (1, &"SYNTAX_ERROR".into()));
    assert_eq!(ended["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
    let rules = run["tool"]["driver"]["rules"].as_array().expect("there are rules");
    for part in ["shortDescription", "fullDescription", "help"] {
        assert!(rules.iter().all(|rule| !rule[part]["text"].as_str().unwrap_or_default().is_empty()));
    }
    let (_, out, _) = bunraku(&["validate", &path, "--format", "junit"]);
    assert!(out.contains("tests=\"8\" failures=\"8\""), "{out}");
    let (_, out, _) = bunraku(&["validate", &path, "--format", "github"]);
    assert!(out.lines().all(|line| line.starts_with("::error file=")), "{out}");
}

#[test]
#[cfg(feature = "check")]
fn codes_of_checks_are_explained() {
    let (status, out, _) = bunraku(&["check", "--explain", "undef-access"]);
    assert_eq!(status, 0);
    assert!(out.starts_with("# undef-access\n") && out.contains("Right:\n\n```puppet\n"), "{out}");
    let (status, _, err) = bunraku(&["check", "--explain", "undef"]);
    assert_eq!(status, 2);
    assert!(err.contains("there is no code 'undef'; there are syntax, unknown-class"), "{err}");
    let root = tempfile::tempdir().expect("there is room");
    let manifests = root.path().join("manifests");
    std::fs::create_dir(&manifests).expect("it can be made");
    std::fs::write(manifests.join("site.pp"), "$x = undef\nnotice($x['a'])\n").expect("it can be written");
    let path = root.path().to_string_lossy().into_owned();
    let (status, out, err) = bunraku(&["check", "--directory", &path, "--format", "sarif"]);
    let sarif: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    let rule = &sarif["runs"][0]["tool"]["driver"]["rules"][0];
    assert_eq!((status, &rule["id"]), (1, &"undef-access".into()), "{err}");
    assert!(rule["help"]["markdown"].as_str().unwrap_or_default().contains("Wrong:"));
}

#[test]
fn what_cannot_be_validated_is_told() {
    let root = tempfile::tempdir().expect("there is room");
    let path = root.path().to_string_lossy().into_owned();
    let (status, out, err) = bunraku(&["validate", &path]);
    assert_eq!((status, out.as_str()), (0, ""));
    let told = format!(
        "bunraku: there are no manifests, templates or data in {path}\n0 files, 0 errors, 0 warnings\n"
    );
    assert_eq!(err, told);
    std::fs::write(root.path().join("a.pp"), "}").expect("it can be written");
    let missing = format!("{path}/missing.pp");
    let (status, out, _) = bunraku(&["--quiet", "validate", &missing, &path]);
    assert_eq!(status, 2, "{out}");
    assert!(out.contains("(unreadable)") && out.contains("a.pp:1:1: error"), "{out}");
    let (status, _, err) = bunraku(&["validate", &path, "--exclude", "[z-a]"]);
    assert!(status != 0 && err.contains("'[z-a]' is no pattern"), "{err}");
}

#[test]
fn what_has_changed_is_validated() {
    let root = tempfile::tempdir().expect("there is room");
    let path = flawed(root.path());
    let git = |arguments: &[&str]| {
        let own = ["git", "-C", &path, "-c", "user.name=x", "-c", "user.email=x@example.net"];
        let command = [&own[..], arguments].concat();
        bunraku::Host::run_command(&DiskHost, &command, &Reading::default()).expect("git does it")
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "x"]);
    let changed = || {
        let (_, out, _) = bunraku(&["--quiet", "validate", &path, "--changed-since", "HEAD"]);
        out.lines().count()
    };
    assert_eq!(changed(), 0);
    std::fs::write(root.path().join("manifests/b.pp"), "node default {}\n# x\n").expect("it can be written");
    std::fs::write(root.path().join("manifests/new.pp"), "}").expect("it can be written");
    assert_eq!(changed(), 2);
    let (status, _, err) = bunraku(&["validate", &path, "--changed-since", "nowhere"]);
    assert!(status == 2 && err.contains("nowhere is neither a directory nor a revision"), "{err}");
}

/// An environment with one error and one warning in `manifests/site.pp`; its path.
#[cfg(feature = "check")]
fn faulty(root: &std::path::Path) -> String {
    let manifests = root.join("manifests");
    std::fs::create_dir_all(&manifests).expect("it can be made");
    std::fs::write(root.join("environment.conf"), "").expect("it can be written");
    let text = "file { '/a': ensrue => '<&>' }\ninclude gone::away\n";
    std::fs::write(manifests.join("site.pp"), text).expect("it can be written");
    root.to_string_lossy().into_owned()
}

#[cfg(feature = "check")]
#[test]
fn an_environment_is_checked_in_each_format() {
    let root = tempfile::tempdir().expect("there is room");
    let path = faulty(root.path());
    let (status, out, _) = run_with(&NoRuby, &["check", &path]);
    assert_eq!(status, 1);
    let site = format!("{path}/manifests/site.pp");
    let first = "error: the resource type 'file' has no parameter 'ensrue'; did you mean 'ensure'? (unknown-parameter)";
    assert_eq!(out.lines().next(), Some(format!("{site}:1:14: {first}").as_str()));
    assert_eq!(out.lines().count(), 2);
    let json = |format: &str| {
        let (status, out, _) = run_with(&NoRuby, &["check", &path, "--format", format]);
        assert_eq!(status, 1);
        serde_json::from_str::<serde_json::Value>(&out).expect("it is JSON")
    };
    let found = json("json");
    assert_eq!((&found[0]["code"], &found[0]["end_column"]), (&"unknown-parameter".into(), &20.into()));
    assert_eq!((&found[1]["severity"], &found[1]["line"]), (&"warning".into(), &2.into()));
    let sarif = json("sarif");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "unknown-parameter");
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["endColumn"], 20);
    let (_, out, _) = run_with(&NoRuby, &["check", &path, "--format", "github"]);
    assert!(
        out.starts_with(&format!("::error file={site},line=1,endLine=1,col=14,endColumn=20,title=")),
        "{out}"
    );
    let (_, out, _) = run_with(&NoRuby, &["check", &path, "--format", "junit"]);
    assert!(out.contains("tests=\"2\" failures=\"1\"") && out.ends_with("</testsuites>\n"), "{out}");
}

#[cfg(feature = "check")]
#[test]
fn findings_that_are_known_are_left_out() {
    let root = tempfile::tempdir().expect("there is room");
    let path = faulty(root.path());
    let baseline = root.path().join("known.json").to_string_lossy().into_owned();
    assert_eq!(run_with(&NoRuby, &["check", &path, "--write-baseline", &baseline]).0, 0);
    let (status, out, _) = run_with(&NoRuby, &["check", &path, "--baseline", &baseline]);
    assert_eq!((status, out.as_str()), (0, ""));
    let more = "\n\nfile { '/b': onwer => 'x' }\nfile { '/a': ensrue => 1 }\n";
    std::fs::write(root.path().join("manifests/site.pp"), more).expect("it can be written");
    let (status, out, _) = run_with(&NoRuby, &["check", &path, "--baseline", &baseline]);
    assert!(status == 1 && out.lines().count() == 1 && out.contains("'onwer'"), "{out}");
    let (status, _, err) = run_with(&NoRuby, &["check", "/nowhere/at/all"]);
    assert!(status == 2 && err.contains("there is no /nowhere/at/all"), "{err}");
    assert_eq!(run_with(&NoRuby, &["check", &path, "--select", "missing"]).0, 0);
}

#[cfg(feature = "check")]
#[test]
fn errors_are_mended_and_files_that_stay_are_left_out() {
    let root = tempfile::tempdir().expect("there is room");
    let path = faulty(root.path());
    let git = |arguments: &[&str]| {
        let own = ["git", "-C", &path, "-c", "user.name=x", "-c", "user.email=x@example.net"];
        let command = [&own[..], arguments].concat();
        bunraku::Host::run_command(&DiskHost, &command, &Reading::default()).expect("git does it")
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "x"]);
    let changed = ["check", &path, "--changed-since", "HEAD"];
    assert_eq!(run_with(&NoRuby, &changed), (0, String::new(), String::new()));
    let (status, out, _) = run_with(&NoRuby, &["check", &path, "--fix"]);
    assert!(
        status == 0 && out.contains("fixed: the resource type 'file' has no parameter 'ensrue'"),
        "{out}"
    );
    let site = root.path().join("manifests/site.pp");
    assert_eq!(text_of(&site), "file { '/a': ensure => '<&>' }\ninclude gone::away\n");
    let (status, out, _) = run_with(&NoRuby, &changed);
    assert!(status == 0 && out.lines().count() == 1 && out.contains("gone"), "{out}");
}

#[cfg(feature = "lint")]
#[test]
#[expect(clippy::disallowed_methods, reason = "a test reads what the command has written")]
fn the_style_of_manifests_is_checked_and_mended() {
    let root = tempfile::tempdir().expect("there is room");
    let write = |name: &str, text: &str| {
        let path = root.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("it can be made");
        std::fs::write(&path, text).expect("it can be written");
        path.to_string_lossy().into_owned()
    };
    let path = write("a/manifests/init.pp", "# A class.\nclass a {\n  $b = \"c\" \n}\n");
    write("vendor/x/y.pp", "$b = \"c\"\n");
    let directory = root.path().to_string_lossy().into_owned();
    let lint = |more: &[&str]| run_with(&NoRuby, &[&["lint", "--no-rc", &directory], more].concat());
    let (status, out, _) = lint(&["--ignore-paths", "*/vendor/*"]);
    let quoted = format!(
        "{path}:3:8: warning: double quoted string containing no variables (double_quoted_strings)\n"
    );
    let trailing = format!("{path}:3:11: error: trailing whitespace found (trailing_whitespace)\n");
    assert_eq!((status, out), (1, format!("{quoted}{trailing}")));
    let (status, out, _) = lint(&["--no-trailing_whitespace-check", "--ignore-paths", "*/vendor/*"]);
    assert_eq!((status, out), (0, quoted));
    let only = ["--only-checks", "double_quoted_strings", "--fail-on-warnings"];
    assert_eq!(lint(&only).0, 1);
    let (_, out, _) = lint(&["--only-checks", "trailing_whitespace", "--log-format", "%{KIND} %{line} 5%"]);
    assert_eq!(out, "ERROR 3 5%\n");
    let (_, out, _) = lint(&["--only-checks", "trailing_whitespace", "--format", "json"]);
    let found: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!((&found[0]["check"], &found[0]["column"]), (&"trailing_whitespace".into(), &11.into()));
    let (status, _, err) = lint(&["--only-checks", "none"]);
    assert!(status == 2 && err.contains("there is no check 'none'"), "{err}");
    let (status, _, _) = lint(&["--fix"]);
    assert_eq!(status, 0);
    assert_eq!(
        std::fs::read_to_string(&path).expect("it is there"),
        "# A class.\nclass a {\n  $b = 'c'\n}\n"
    );
}
