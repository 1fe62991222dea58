//! Files that are checked again after they have changed.
#![expect(clippy::disallowed_methods, reason = "the system tells of time and memory in files")]

use std::sync::Arc;

use bunraku_check::{Finding, Kept, Options, check_changed, check_index};
use bunraku_engine::loader::{Environment, EnvironmentOptions};
use bunraku_host::memory::MemoryHost;
use bunraku_index::Index;

const ROOT: &str = "/code/production";

type Files = Vec<(String, String)>;

fn environment(files: &Files) -> Environment {
    let mut host = MemoryHost::new();
    for (path, text) in files {
        host.add(format!("{ROOT}/{path}"), text.as_str());
    }
    let options = EnvironmentOptions {
        name: "production".into(),
        environmentpath: vec!["/code".into()],
        ..EnvironmentOptions::default()
    };
    Environment::load(Arc::new(host), options).expect("the environment is loaded")
}

fn forever() -> Result<(), bunraku_syntax::diagnostic::Error> {
    Ok(())
}

/// Modules with classes that use one another's classes, defined types, functions, types, templates and data.
fn modules(count: usize, classes: usize) -> Files {
    let mut files = vec![(
        "manifests/site.pp".to_owned(),
        "$datacentre = 'one'\nnode default { include m0::c0 }\n".to_owned(),
    )];
    files.push(("hiera.yaml".to_owned(), "version: 5\nhierarchy:\n  - {name: c, path: c.yaml}\n".to_owned()));
    let mut data = String::new();
    for module in 0..count {
        let other = (module + 1) % count;
        for class in 0..classes {
            let next = (class + 1) % classes;
            let text = format!(
                "# A class.\nclass m{module}::c{class} (\n  String $title_of = 'x',\n  Integer[0] $port = {class},\n  \
                 Optional[Hash] $options = undef,\n  Enum['present', 'absent'] $ensure = 'present',\n) {{\n  \
                 $path = \"/etc/m{module}/c{class}\"\n  if $ensure == 'present' and $options {{\n    \
                 $more = $options['more']\n    $text = \"${{more}} ${{title_of}} ${{datacentre}}\"\n  }} else {{\n    \
                 $text = m{other}::f('a')\n  }}\n  file {{ $path:\n    ensure  => file,\n    mode    => '0644',\n    \
                 content => epp('m{module}/t.epp', {{ 'text' => $text, 'port' => $port }}),\n    \
                 require => Package['m{module}-{class}'],\n  }}\n  package {{ 'm{module}-{class}':\n    \
                 ensure => $ensure,\n  }}\n  m{other}::d {{ \"${{path}}-{class}\":\n    port => $port + 1,\n  }}\n  \
                 Package['m{module}-{class}'] ~> Service['m{module}-{class}']\n  service {{ 'm{module}-{class}':\n    \
                 ensure => running,\n  }}\n  case $facts['os']['family'] {{\n    'Debian': {{ include m{module}::c{next} }}\n    \
                 default: {{ fail(\"not for ${{path}} ${{m{other}::c0::port}}\") }}\n  }}\n}}\n"
            );
            files.push((format!("modules/m{module}/manifests/c{class}.pp"), text));
            data.push_str(&format!("m{module}::c{class}::port: {class}\n"));
        }
        files.push((
            format!("modules/m{module}/manifests/d.pp"),
            format!("define m{module}::d (Integer $port) {{\n  notice(\"${{title}} ${{port}}\")\n}}\n"),
        ));
        files.push((
            format!("modules/m{module}/functions/f.pp"),
            format!("function m{module}::f(String $x) >> String {{\n  \"${{x}}!\"\n}}\n"),
        ));
        files.push((
            format!("modules/m{module}/templates/t.epp"),
            "<%- | String $text, Integer $port | -%>\n<%= $text %>:<%= $port %>\n".to_owned(),
        ));
    }
    files.push(("data/c.yaml".to_owned(), data));
    files
}

fn told(findings: &[Finding], path: &str) -> Vec<String> {
    let here = findings.iter().filter(|one| one.place.file.as_deref() == Some(path));
    here.map(|one| format!("{} {} {}", one.place.line, one.code.name(), one.message)).collect()
}

#[test]
fn a_changed_file_is_checked_as_if_all_were() {
    let mut files = modules(3, 3);
    let mut kept = Kept::default();
    let mut present = environment(&files);
    let mut index = Index::of(&present, &forever).expect("nothing ends it");
    let options = Options { notes: true, ..Options::default() };
    let text =
        |files: &Files, path: &str| files.iter().find(|one| one.0 == path).expect("it is there").1.clone();
    let class = "modules/m0/manifests/c1.pp";
    let whole = text(&files, class);
    let changes = [
        (class, whole.clone()),
        (class, whole.replace("epp('m0/t.epp'", "epp('m0/tt.epp'")),
        // Another class's references have no target any more, and then they have one again.
        (class, whole.replace("package { 'm0-1'", "package { 'other'")),
        (class, whole.clone()),
        ("manifests/site.pp", "$datacenter = 'one'\n".to_owned()),
        (class, format!("{whole}\n# {whole}").replace("\n# #", "\n#")),
        ("data/c.yaml", "m0::c1::port: x\nm0::c1::prt: 1\n".to_owned()),
        ("modules/m1/functions/f.pp", "function m1::f(Integer $x, $unused) { $x }\n".to_owned()),
        (class, whole.replace("$path =", "$unread =")),
    ];
    for (path, text) in changes {
        files.iter_mut().find(|one| one.0 == path).expect("it is there").1 = text;
        present = environment(&files);
        let full = format!("{ROOT}/{path}");
        index.renew(&present, &full, &forever).expect("nothing ends it");
        let all = check_index(&present, &index, &options, &forever).expect("nothing ends it");
        for path in [full, format!("{ROOT}/{class}")] {
            let again = check_changed(&present, &index, &mut kept, &[&path], &options, &forever);
            assert_eq!(told(&again.expect("nothing ends it"), &path), told(&all, &path), "{path}");
        }
    }
}

/// The time that this thread has had of a processor, in milliseconds.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|text| text.parse::<f64>().ok()).unwrap_or_default() / 1e6
}

/// The memory of this process, in bytes.
fn memory() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or_default() * 4096
}

/// Prints the times and the memory of 5,000 files in 100 modules.
#[test]
#[ignore = "it measures"]
fn five_thousand_files() {
    let mut files = modules(100, 47);
    let size: usize = files.iter().map(|one| one.1.len()).sum();
    let (start, before) = (processor_time(), memory());
    let present = environment(&files);
    let loaded = processor_time();
    let mut index = Index::of(&present, &forever).expect("nothing ends it");
    let indexed = processor_time();
    let after_index = memory();
    let options = Options::default();
    let findings = check_index(&present, &index, &options, &forever).expect("nothing ends it");
    let checked = processor_time();
    println!("{} files, {size} bytes, {} findings", files.len(), findings.len());
    println!(
        "loaded {:.0} ms, indexed {:.0} ms, checked {:.0} ms",
        loaded - start,
        indexed - loaded,
        checked - indexed
    );
    let files_of = index.files();
    let nodes: usize = files_of.iter().filter_map(|file| Some(file.program.as_ref()?.memory())).sum();
    let (uses, definitions) = files_of.iter().fold((0, 0), |(uses, definitions), file| {
        (uses + file.uses.len(), definitions + file.definitions.len())
    });
    println!(
        "{nodes} bytes of programs, {uses} uses of {} bytes, {definitions} definitions of {}, a file {}",
        size_of::<bunraku_index::Use>(),
        size_of::<bunraku_index::Definition>(),
        size_of::<bunraku_index::FileIndex>()
    );
    let times = |bytes: usize| bytes as f64 / size as f64;
    println!(
        "memory: index {:.1} times the source, all {:.1}",
        times(after_index - before),
        times(memory() - before)
    );
    let mut kept = Kept::default();
    for (round, edit) in
        ["", "", "# comment\n", "include m5::c1\n", "file { '/new': ensure => file }\n"].iter().enumerate()
    {
        let path = "modules/m50/manifests/c20.pp";
        let file = files.iter_mut().find(|one| one.0 == path).expect("it is there");
        file.1.push_str(edit);
        let present = environment(&files);
        let full = format!("{ROOT}/{path}");
        let start = processor_time();
        index.renew(&present, &full, &forever).expect("nothing ends it");
        let renewed = processor_time();
        let again = check_changed(&present, &index, &mut kept, &[&full], &options, &forever);
        let count = again.expect("nothing ends it").len();
        let (renewed, all) = (renewed - start, processor_time() - renewed);
        println!("round {round} ({edit:?}): renewed {renewed:.1} ms, checked {all:.1} ms, {count} findings");
    }
}
