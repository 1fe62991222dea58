//! The findings in small environments.

use std::sync::Arc;

use bunraku_check::{BESIDE, CODES, Code, EXAMPLES, Options, Severity, check, files_of_example};
use bunraku_engine::loader::{Environment, EnvironmentOptions};
use bunraku_host::memory::MemoryHost;

mod small;

use small::{ROOT, environment, found, found_with};

/// The findings in a manifest beside a module `m`, whose own unused names are left out.
fn in_site(text: &str) -> Vec<String> {
    let files = [
        ("manifests/site.pp", text),
        ("modules/m/manifests/init.pp", "class m(String $name_of = 'a', Integer[1] $count = 1) { $own = 1 }"),
        ("modules/m/manifests/need.pp", "class m::need(String $must) { }"),
        ("modules/m/manifests/child.pp", "class m::child inherits m { notice($own) }"),
        ("modules/m/manifests/thing.pp", "define m::thing(Enum['a', 'b'] $mode, Boolean $on = true) { }"),
        ("modules/m/functions/twice.pp", "function m::twice(Integer $n) >> Integer { $n * 2 }"),
        ("modules/m/types/port.pp", "type M::Port = Integer[1, 65535]"),
        ("modules/m/files/a.txt", "a"),
        ("modules/m/templates/t.epp", "<%- | String $x, Integer $n = 1 | -%>\n<%= $x %>"),
        ("modules/m/templates/t.erb", "<%= @here %> <%= @nowhere %>"),
    ];
    found_with(&files, &Options { ignore: vec!["unused".into()], ..Options::default() })
}

#[test]
fn resources_and_values_of_other_declarations_count() {
    let files = [
        (
            "manifests/site.pp",
            "class { 'a::need': must => 1 }\ninclude a::need\ninclude a::other\nService['nowhere'] -> Service['ssh']",
        ),
        (
            "modules/a/manifests/need.pp",
            "class a::need($must) { unit { 'x': }\n  Service['x'] -> Class['a::need'] }",
        ),
        ("modules/a/manifests/other.pp", "class a::other($must) { }"),
        ("modules/unit/manifests/init.pp", "define unit() { service { $title: } }"),
        ("modules/ssh/manifests/init.pp", "class ssh { service { 'ssh': } service { \"${facts['x']}\": } }"),
    ];
    let about = |part: &str| found(&files).into_iter().filter(|one| one.contains(part)).collect::<Vec<_>>();
    assert_eq!(
        about("missing-parameter"),
        [
            "manifests/site.pp:3:9 warning missing-parameter: the class 'a::other' needs a value for its parameter 'must', and no data has one"
        ]
    );
    assert_eq!(about("unknown-resource").iter().filter(|one| one.contains("Service['x']")).count(), 0);
}

#[test]
fn what_is_right_is_left_alone() {
    let text = "
        $here = 'x'
        include m, m::child
        class { 'm::need': must => 'x' }
        m::thing { 'a': mode => 'a', on => $facts['a'], require => File['/a'] }
        file { '/a': ensure => file, content => file('m/a.txt'), source => undef }
        $port = m::twice(21)
        notice($m::own, $m::child::own, $port.then |M::Port $p| { $p + 1 })
        notice(epp('m/t.epp', { x => 'a' }), epp('m/t', { x => 'a' }), Integer('1'), [1, 2].map |$x| { $x * 2 })
        if defined(Class['gone']) { include gone }
        if defined('gone::thing') { gone::thing { 'x': } }
        $facts['os'].each |$k, $v| { notice(\"${k}${v}\") }
        create_resources('m::thing', { 'b' => { 'mode' => 'b' } })
        case $here { 'x': { notify { 'one': } } default: { notify { 'one': } } }";
    assert_eq!(in_site(text), [""; 0]);
}

#[test]
fn names_that_mean_nothing_are_told() {
    assert_eq!(
        in_site("include m::chld"),
        ["manifests/site.pp:1:9 error unknown-class: there is no class 'm::chld'; did you mean 'm::child'?"]
    );
    assert_eq!(
        in_site("include other::x"),
        [
            "manifests/site.pp:1:9 warning missing-module: the class 'other::x' is of the module 'other', which is not installed"
        ]
    );
    assert_eq!(
        in_site("m::thng { 'a': mode => 'a' }"),
        [
            "manifests/site.pp:1:1 error unknown-resource-type: there is no resource type 'm::thng'; did you mean 'm::thing'?"
        ]
    );
    assert_eq!(
        in_site("notice(upcse('a'))"),
        [
            "manifests/site.pp:1:8 error unknown-function: there is no function 'upcse'; did you mean 'upcase'?"
        ]
    );
    assert_eq!(
        in_site("notice($m::ownn)"),
        [
            "manifests/site.pp:1:8 error unknown-variable: the class 'm' has no variable 'ownn'; did you mean '$m::own'?"
        ]
    );
    assert_eq!(
        in_site("function f(M::Prt $x) { $x }"),
        [
            "manifests/site.pp:1:12 error unknown-type: there is no data type 'M::Prt'; did you mean 'M::Port'?"
        ]
    );
    assert_eq!(
        in_site("function f(SemVerRnge $x) { $x }"),
        [
            "manifests/site.pp:1:12 error unknown-type: there is no data type 'Semverrnge'; did you mean 'SemVerRange'?"
        ]
    );
    assert_eq!(
        in_site("class c($value) { notice($vlaue) }")
            .iter()
            .filter(|line| line.contains("unknown-variable"))
            .collect::<Vec<_>>(),
        [
            "manifests/site.pp:1:26 warning unknown-variable: nothing sets the variable '$vlaue' here, and it is no known fact; did you mean '$value'?"
        ]
    );
}

#[test]
fn what_compiles_or_is_applied_apart_is_no_finding() {
    let apply = "apply($t) { notify { 'x': } }";
    let plan = format!("plan m::p(TargetSpec $t) {{ {apply} {apply} }}");
    assert_eq!(found(&[("modules/m/plans/p.pp", plan.as_str())]), [] as [&str; 0]);
    let twice = "plan m::p(TargetSpec $t) { apply($t) { notify { 'x': } notify { 'x': } } }";
    assert_eq!(
        found(&[("modules/m/plans/p.pp", twice)]),
        ["modules/m/plans/p.pp:1:65 error duplicate-resource: Notify['x'] is declared twice"]
    );
    assert_eq!(in_site("notice(type('x') =~ Type(Array), Integer(5), Type('Array'))"), [] as [&str; 0]);
    assert_eq!(
        in_site("notice(Type(5))"),
        ["manifests/site.pp:1:8 error wrong-arguments: 'new_type' parameter 'type_string' expects a String \
          value, got Integer"]
    );
    let ensure = "ensure_resource('notify', 8080, {})";
    let stdlib = ("modules/stdlib/lib/puppet/parser/functions/ensure_resource.rb", ENSURE_RESOURCE);
    assert_eq!(found(&[("manifests/site.pp", ensure), stdlib]), [] as [&str; 0]);
}

/// A function of the 3.x API.
const ENSURE_RESOURCE: &str = "Puppet::Parser::Functions.newfunction(:ensure_resource) { |args| }";

#[test]
fn plans_use_what_bolt_brings() {
    let plan = "plan m::p(TargetSpec $targets, M::Prt $x) { run_task('m::t', $targets) out::message('a') }";
    assert_eq!(
        found(&[("modules/m/plans/p.pp", plan), ("modules/m/tasks/t.sh", "echo")]),
        ["modules/m/plans/p.pp:1:32 error unknown-type: there is no data type 'M::Prt'"]
    );
}

#[test]
fn parameters_and_their_values_are_held_against_declarations() {
    assert_eq!(
        in_site("class { 'm': nmae_of => 'x' }"),
        [
            "manifests/site.pp:1:14 error unknown-parameter: the class 'm' has no parameter 'nmae_of'; did you mean 'name_of'?"
        ]
    );
    assert_eq!(
        in_site("class { 'm': count => 0 }"),
        [
            "manifests/site.pp:1:23 error wrong-type: parameter 'count' expects an Integer[1] value, got Integer[0, 0]"
        ]
    );
    assert_eq!(
        in_site("$x = { 'a' => 'b' }\nm::thing { 'a': mode => $x['a'], on => \"${x}\" }"),
        ["manifests/site.pp:2:40 error wrong-type: parameter 'on' expects a Boolean value, got String"]
    );
    assert_eq!(
        in_site("class x { class { \"${title}::y\": nme => 1 } }\nclass x::y($nam = 1) { notice($nam) }"),
        ["manifests/site.pp:1:34 error unknown-parameter: the class 'x::y' has no parameter 'nme'"]
    );
    assert_eq!(
        in_site("m::thing { 'a': }"),
        [
            "manifests/site.pp:1:12 error missing-parameter: the defined type 'm::thing' needs a value for its parameter 'mode'"
        ]
    );
    assert_eq!(
        in_site("file { '/a': ownr => 'x' }"),
        [
            "manifests/site.pp:1:14 error unknown-parameter: the resource type 'file' has no parameter 'ownr'; did you mean 'owner'?"
        ]
    );
    assert_eq!(
        in_site("file { '/a': ensure => file, ensure => absent }"),
        ["manifests/site.pp:1:30 error duplicate-parameter: 'ensure' is given twice"]
    );
    assert_eq!(
        in_site("class { 'm::need': }\ninclude m::need"),
        [
            "manifests/site.pp:1:9 warning missing-parameter: the class 'm::need' needs a value for its parameter 'must', and no data has one",
            "manifests/site.pp:2:9 warning missing-parameter: the class 'm::need' needs a value for its parameter 'must', and no data has one"
        ]
    );
    assert_eq!(
        in_site("notice(m::twice('a'), m::twice(1, 2))"),
        [
            "manifests/site.pp:1:17 error wrong-arguments: 'm::twice' parameter 'n' expects an Integer value, got String",
            "manifests/site.pp:1:23 error wrong-arguments: 'm::twice' expects 1 argument, got 2"
        ]
    );
    assert_eq!(
        in_site("$x = Integer('1', 2, true, 4)"),
        ["manifests/site.pp:1:6 error wrong-arguments: 'new' expects between 1 and 3 arguments, got 4"]
    );
    assert_eq!(
        in_site("create_resources('m::thing')"),
        [
            "manifests/site.pp:1:1 error wrong-arguments: 'create_resources' expects between 2 and 3 arguments, got 1"
        ]
    );
    assert_eq!(
        in_site("notify { 'a': require => 5 }"),
        ["manifests/site.pp:1:26 error wrong-type: 'require' takes references such as File['/x'], not 5"]
    );
    assert_eq!(
        in_site("$x = 1 + 'a'"),
        ["manifests/site.pp:1:10 error wrong-operand: the operator '+' takes a number, not the text 'a'"]
    );
    assert_eq!(
        in_site("function f() >> Integer { 'a' }"),
        [
            "manifests/site.pp:1:27 error wrong-return: the returned value expects an Integer value, got String"
        ]
    );
}

#[test]
fn undef_asks_for_the_default() {
    let told = |body: &str| {
        let manifest = format!("class c(Optional[String] $l = undef) {{\n{body}\n}}");
        let files = [
            ("manifests/site.pp", manifest.as_str()),
            (
                "modules/m/manifests/init.pp",
                "class m(Boolean $latest = false, Boolean $must = true) { notice($latest, $must) }",
            ),
            ("modules/m/manifests/need.pp", "class m::need(Boolean $must) { notice($must) }"),
            ("modules/m/templates/t.epp", "<%- | Integer $x = 1, Integer $y = 2 | -%>\n<%= $x + $y %>"),
        ];
        found(&files)
    };
    let nothing: [String; 0] = [];
    assert_eq!(told("class { 'm': latest => $l, must => undef }"), nothing);
    assert_eq!(told("notice(epp('m/t.epp', { x => undef, y => $l }))"), nothing);
    assert_eq!(told("file { '/x': recurselimit => $l }"), nothing);
    let line = "manifests/site.pp:2:28 error wrong-type: parameter 'must' expects a Boolean value, got Optional[String]";
    assert_eq!(told("class { 'm::need': must => $l }"), [line]);
}

#[test]
fn resources_files_and_templates_must_be_there() {
    assert_eq!(
        in_site("notify { 'a': }\nif $facts['x'] { notify { 'a': } }"),
        ["manifests/site.pp:2:27 error duplicate-resource: Notify['a'] is declared twice"]
    );
    let guarded = "if !defined(Notify['a']) {\nnotify { 'a': }\nnotify { 'a': }\n}\nnotify { 'a': }";
    assert_eq!(
        in_site(guarded),
        ["manifests/site.pp:3:10 error duplicate-resource: Notify['a'] is declared twice"]
    );
    assert_eq!(
        in_site("service { 'a': require => Package['b'] }\npackage { 'c': }"),
        ["manifests/site.pp:1:35 warning unknown-resource: no manifest declares Package['b']"]
    );
    assert_eq!(
        in_site("notice(file('m/b.txt'))"),
        ["manifests/site.pp:1:13 error missing-file: there is no file 'm/b.txt'; did you mean 'm/a.txt'?"]
    );
    assert_eq!(
        in_site("file { '/a': source => 'puppet:///modules/m/none' }"),
        ["manifests/site.pp:1:24 warning missing-file: there is no file 'puppet:///modules/m/none'"]
    );
    assert_eq!(
        in_site("notice(epp('m/t.epp', { y => 1 }))"),
        [
            "manifests/site.pp:1:23 error missing-parameter: the template 'm/t.epp' needs a value for its parameter 'x'",
            "manifests/site.pp:1:25 error unknown-parameter: the template 'm/t.epp' has no parameter 'y'"
        ]
    );
    assert_eq!(
        in_site("$here = 1\nnotice(template('m/t.erb'))"),
        [
            "modules/m/templates/t.erb:1:18 warning template-variable: no scope that renders 'm/t.erb' has the variable '$nowhere'"
        ]
    );
}

#[test]
fn data_is_held_against_the_parameters_that_it_binds_to() {
    let files = |data: &'static str| {
        [
            (
                "hiera.yaml",
                "version: 5\nhierarchy:\n  - {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n  - {name: c, path: c.yaml}\n",
            ),
            ("data/nodes/a.yaml", data),
            ("data/c.yaml", "lookup_options:\n  m::merged: {merge: deep}\n"),
            (
                "modules/m/manifests/init.pp",
                "class m(Integer $n, Hash[String, Struct[{a => Integer}]] $merged = {}) { }",
            ),
            ("manifests/site.pp", "include m"),
        ]
    };
    assert_eq!(found(&files("m::n: 5\nm::merged: {x: {}}\n")), [""; 0]);
    assert_eq!(
        found(&files("m::n: '%{facts.x}'\n")),
        [
            "data/nodes/a.yaml:1:1 error wrong-data: the class 'm' does not take this value: parameter 'n' expects an Integer value, got String"
        ]
    );
    assert_eq!(
        found(&files("m::n: 5\nm::m: 1\nm::n: 6\n")),
        [
            "data/nodes/a.yaml:2:1 warning unknown-key: the class 'm' has no parameter 'm'",
            "data/nodes/a.yaml:3:1 warning duplicate-key: the key 'm::n' stands here a second time; the first one is lost"
        ]
    );
    let broken = found(&[
        ("hiera.yaml", "version: 5\nhierarchy:\n  - {nmae: c, path: c.yaml}\n"),
        ("manifests/site.pp", ""),
    ]);
    assert!(
        broken[0].starts_with("hiera.yaml:") && broken[0].contains("error invalid-hierarchy"),
        "{broken:?}"
    );
}

#[test]
fn hierarchies_and_options_name_what_is_there() {
    let hierarchy = "version: 5\nhierarchy:\n  - name: a\n    paths: ['nodes/%{trusted.certname}.yaml', 'other.yaml']\n  - name: b\n    glob: 'os/*.yaml'\n";
    let files = [
        ("hiera.yaml", hierarchy),
        (
            "data/os/debian.yaml",
            "lookup_options:\n  m::label: {merge: first}\n  m::labels: {merge: unique}\n  mm::x: {merge: deep}\nm::label: a\n",
        ),
        ("modules/m/manifests/init.pp", "class m($label) { notice($label) }"),
    ];
    assert_eq!(
        found(&files),
        [
            "data/os/debian.yaml:3:3 warning unknown-key: the class 'm' has no parameter 'labels'; did you mean 'm::label'?",
            "hiera.yaml:4:48 warning missing-data-file: no file is there that 'other.yaml' could be",
        ]
    );
}

#[test]
fn settings_are_known() {
    assert_eq!(
        found(&[(
            "manifests/site.pp",
            "notice($settings::certname, $settings::vardir, $settings::all_local, $settings::certnames)",
        )]),
        [
            "manifests/site.pp:1:70 warning unknown-variable: there is no setting 'certnames'; did you mean '$settings::certname'?"
        ]
    );
}

#[test]
fn nodes_are_not_shadowed() {
    let shadowed = |text: &str| found(&[("manifests/site.pp", text)]);
    let nothing: [String; 0] = [];
    assert_eq!(shadowed("node 'web1' { }\nnode /^web/ { }\nnode /./ { }\nnode default { }"), nothing);
    assert_eq!(
        shadowed(
            "node /web/ { }\nnode 'db' { }\nnode /^db$/ { }\nnode /^web\\.a$/ { }\nnode /.*/ { }\nnode /x/ { }"
        ),
        [
            "manifests/site.pp:3:6 warning shadowed-node: no node gets /^db$/: 'db' is chosen before",
            "manifests/site.pp:4:6 warning shadowed-node: no node gets /^web\\.a$/: '/web/' is chosen before",
            "manifests/site.pp:6:6 warning shadowed-node: no node gets /x/: '/.*/' is chosen before",
        ]
    );
}

#[test]
fn what_is_deprecated_is_told() {
    let files = [
        (
            "manifests/site.pp",
            "m::old()\nclass { 'm': past => 1, now => 2 }\ninclude m::gone\nm::kind { 'a': }\nlegacy()",
        ),
        ("modules/m/functions/old.pp", "# Makes x.\n# @deprecated Use m::new.\nfunction m::old() { 1 }"),
        (
            "modules/m/manifests/init.pp",
            "# A class.\n# @param past\n#   Deprecated, has no effect.\n# @param now What counts.\nclass m($past = 0, $now = 1) { notice($past, $now, m::old()) }",
        ),
        ("modules/m/manifests/gone.pp", "# @summary DEPRECATED. See m.\nclass m::gone { }"),
        ("modules/m/manifests/kind.pp", "# @deprecated\ndefine m::kind { }"),
        (
            "modules/m/lib/puppet/functions/legacy.rb",
            "# frozen_string_literal: true\n\n# @summary DEPRECATED.  Use the namespaced function.\nPuppet::Functions.create_function(:legacy) do\n  def legacy\n    1\n  end\nend\n",
        ),
    ];
    assert_eq!(
        found(&files),
        [
            "manifests/site.pp:1:1 warning deprecated: the function 'm::old' is deprecated: Use m::new.",
            "manifests/site.pp:2:14 warning deprecated: the parameter 'past' of the class 'm' is deprecated: has no effect.",
            "manifests/site.pp:3:9 warning deprecated: the class 'm::gone' is deprecated: See m.",
            "manifests/site.pp:4:1 warning deprecated: the defined type 'm::kind' is deprecated",
            "manifests/site.pp:5:1 warning deprecated: the function 'legacy' is deprecated: Use the namespaced function.",
        ]
    );
}

#[test]
fn data_that_is_elsewhere_may_have_parameters() {
    let with = |hierarchy: &'static str| {
        let files = [
            (hierarchy, "version: 5\n"),
            ("manifests/site.pp", "class { 'm': }"),
            ("modules/m/manifests/init.pp", "class m($n) { notice($n) }"),
        ];
        found(&files).first().cloned().unwrap_or_default()
    };
    assert!(with("hiera.yaml").contains("error missing-parameter"));
    assert!(with("other.yaml").contains("warning missing-parameter"));
}

#[test]
fn what_modules_that_are_not_there_may_bring_is_no_error() {
    let with = |more: &[(&'static str, &'static str)]| {
        let mut files = vec![
            (
                "hiera.yaml",
                "version: 5\nhierarchy:\n  - name: http\n    lookup_key: hiera_http\n    uri: http://x\n",
            ),
            ("manifests/site.pp", "include apache::mod\nfirewall { 'a': }\nintrusion()"),
        ];
        files.extend(more);
        found(&files).into_iter().map(|line| line.split(": ").next().unwrap_or_default().to_owned()).collect()
    };
    let alone: Vec<String> = with(&[]);
    assert_eq!(
        alone,
        [
            "hiera.yaml:1:1 error invalid-hierarchy",
            "manifests/site.pp:1:9 warning missing-module",
            "manifests/site.pp:2:1 error unknown-resource-type",
            "manifests/site.pp:3:1 error unknown-function",
        ]
    );
    let of_puppetfile: Vec<String> = with(&[("Puppetfile", "mod 'puppetlabs/firewall', '1.0.0'\n")]);
    assert_eq!(
        of_puppetfile,
        [
            "hiera.yaml:1:1 warning invalid-hierarchy",
            "manifests/site.pp:1:9 warning missing-module",
            "manifests/site.pp:2:1 warning unknown-resource-type",
            "manifests/site.pp:3:1 warning unknown-function",
        ]
    );
    // A submodule that is not checked out.
    let mut host = MemoryHost::new();
    host.add(format!("{ROOT}/manifests/site.pp"), "include apache::mod");
    host.add_directory(format!("{ROOT}/modules/apache"));
    let options = EnvironmentOptions {
        name: "production".into(),
        environmentpath: vec!["/code".into()],
        ..EnvironmentOptions::default()
    };
    let environment = Environment::load(Arc::new(host), options).expect("the environment is loaded");
    let findings = check(&environment, &Options::default(), &|| Ok(())).expect("nothing ends it");
    let codes: Vec<_> = findings.iter().map(|one| (one.code, one.severity)).collect();
    assert_eq!(codes, [(Code::MissingModule, Severity::Warning)]);
}

#[test]
fn modules_are_looked_at_as_a_whole() {
    let files = [
        ("modules/a/manifests/init.pp", "class a inherits a::b { }"),
        ("modules/a/manifests/b.pp", "class a::b inherits a { }"),
        ("modules/a/manifests/c.pp", "class a::wrong { b::f() }"),
        (
            "modules/a/metadata.json",
            r#"{"name": "x-a", "version": "1.0.0", "author": "x", "license": "MIT", "source": "s", "dependencies": []}"#,
        ),
        ("modules/b/functions/f.pp", "function b::f() { 1 }"),
    ];
    assert_eq!(
        found(&files),
        [
            "modules/a/manifests/b.pp:1:7 error inheritance-cycle: the class inherits itself: a::b inherits a inherits a::b",
            "modules/a/manifests/c.pp:1:1 error misplaced-definition: Unacceptable location. The name 'a::wrong' is unacceptable in file '/code/production/modules/a/manifests/c.pp'",
            "modules/a/manifests/c.pp:1:18 warning undeclared-dependency: the module 'a' uses 'b', which its metadata.json does not name",
            "modules/a/manifests/init.pp:1:7 error inheritance-cycle: the class inherits itself: a inherits a::b inherits a",
        ]
    );
}

#[test]
fn findings_are_left_out_by_comments_and_options() {
    let text = "include m::x # bunraku:ignore[unknown-class] it comes later\n# bunraku:ignore[unknown]\ninclude m::y\ninclude m::z";
    let lines = in_site(text);
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with("manifests/site.pp:4:9"), "{lines:?}");
    let files = [("manifests/site.pp", "include a::x\nnotice(nothing_like_it())")];
    let told = |options: Options| found_with(&files, &options).len();
    assert_eq!(told(Options::default()), 2);
    assert_eq!(told(Options { select: vec!["missing".into()], ..Options::default() }), 1);
    assert_eq!(told(Options { ignore: vec!["missing".into()], ..Options::default() }), 1);
    assert_eq!(told(Options { paths: vec![format!("{ROOT}/modules")], ..Options::default() }), 0);
}

#[test]
fn fixes_write_what_was_meant() {
    let text = "file { '/a': ensrue => file }";
    let files = [("manifests/site.pp", text)];
    let findings = check(&environment(&files), &Options::default(), &|| Ok(())).expect("nothing ends it");
    let [finding] = findings.as_slice() else { panic!("one is found: {findings:?}") };
    assert_eq!((finding.code, finding.severity), (Code::UnknownParameter, Severity::Error));
    let fix = finding.fix.as_ref().expect("there is a fix");
    let span = fix.place.span.expect("it has a place");
    assert_eq!(&text[span.start as usize..span.end as usize], "ensrue");
    assert_eq!(fix.text, "ensure");
}

/// The findings in a function with typed parameters, without those of unused names.
fn in_body(text: &str) -> Vec<String> {
    let parameters = "Enum['a', 'b'] $mode, String $text, Integer[0] $count, Optional[Hash] $map, $any";
    let text = format!("function f({parameters}) {{\n{text}\n}}");
    let ignore = vec!["unused".to_owned()];
    let lines = found_with(&[("functions/f.pp", &text)], &Options { ignore, ..Options::default() });
    let short = |line: &String| line.strip_prefix("functions/f.pp:").unwrap_or(line).to_owned();
    lines.iter().map(short).collect()
}

#[test]
fn comparisons_that_always_have_one_result_are_told() {
    for (text, wanted) in [
        ("if $mode == 'c' { }", "2:4 warning constant-condition: this is always false"),
        ("if $count < 0 { }", "2:4 warning constant-condition: this is always false"),
        ("if $count == 'x' { }", "2:4 warning constant-condition: this is always false"),
        ("if $text { }", "2:4 warning constant-condition: this is always true for a condition"),
        ("if $any and !$text { }", "2:14 warning constant-condition: this is always true for a condition"),
        ("if $text =~ Integer { }", "2:4 warning constant-condition: this is always false"),
        ("if $text !~ Undef { }", "2:4 warning constant-condition: this is always true"),
        ("if $mode in ['x', 'y'] { }", "2:4 warning constant-condition: this is always false"),
        ("unless $mode == 'a' { notice($mode == 'a') }", "2:30 warning constant-condition"),
        ("if $map == undef { } else { notice($map =~ Undef) }", "2:36 warning constant-condition"),
        ("notice($count < $text)", "2:17 error wrong-operand: the operator '<' does not compare"),
        ("notice($count > undef)", "2:17 error wrong-operand: the operator '>' has no order for undef"),
        ("notice($any > [1])", "2:15 error wrong-operand: the operator '>' has no order for"),
        ("notice(SemVer('1.0.0') < 'a')", "2:26 error wrong-operand: the operator '<' does not compare"),
        ("notice($count =~ /5/)", "2:8 error wrong-operand: the operator '=~' takes a text"),
    ] {
        let lines = in_body(text);
        assert!(lines.len() == 1 && lines[0].starts_with(wanted), "{text}: {lines:?}");
    }
    let open = "if $mode == 'A' and $any == 1 and $count > 5 and $map and $text == '' { notice($any > 5) }
        if $any =~ String { notice($any == 'x') } elsif $any { notice($any == 5, $any =~ /x/, $any in 'x') }
        if $facts['a'] { $x = 1 } else { $x = undef }
        if $x { notice($x + 1) }
        if $any { $y = 'a' }
        if $y { notice($y =~ String) }
        if $mode == 'a' { notice(1) } elsif $mode == 'b' { notice(2) }";
    assert_eq!(in_body(open), [""; 0]);
}

#[test]
fn code_that_nobody_reaches_is_told() {
    for (text, wanted) in [
        ("fail('x')\nnotice(1)", "3:1 warning unreachable-code: evaluation ends before this statement"),
        ("if $any { return(1) } else { fail('x') }\nnotice(1)", "3:1 warning unreachable-code"),
        ("[1].each |$x| { next()\nnotice($x) }", "3:1 warning unreachable-code"),
        ("case $mode { 'c': { notice(1) } default: { } }", "2:14 warning unreachable-code"),
        (
            "case $mode { 'a': { } 'b', 'A': { } }",
            "2:28 warning unreachable-code: this option is never chosen: earlier",
        ),
        (
            "case $any { String: { notice($any + []) } default: { } }\nnotice($text ? { undef => 1, default => 2 })",
            "3:18 warning unreachable-code",
        ),
        ("notice($mode ? { 'c' => 1, 'd' => 2 })", "2:8 error unmatched-selector: no entry is for a value"),
    ] {
        let lines = in_body(text);
        assert!(lines.iter().any(|line| line.starts_with(wanted)), "{text}: {lines:?}");
    }
    let open = "if $any == 'z' { fail('x') }\nnotice(1)
        [1].each |$x| { if $x > 5 { break() } notice($x) }
        case $mode { /a/: { notice(1) } 'A': { notice(2) } default: { notice(3) } }
        notice($map ? { undef => 1, {} => 2, Hash => 3 })
        case $any { Integer: { notice($any + 1) } 'x', undef: { notice(2) } *$text: { notice(3) } }";
    assert_eq!(in_body(open), [""; 0]);
    // What a constant excludes may be looked at for its names, but not for its values.
    let lines = in_body("if $text == 5 { notice(1 + 'a', upcse('a')) }");
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[1].contains("warning unknown-function"), "{lines:?}");
}

#[test]
fn conditions_tell_types() {
    for (text, wanted) in [
        ("$x = undef\nnotice($x['a'])", "3:8 error undef-access: the operator '[]' takes no undef"),
        ("$x = { a => 1 }\nnotice($x['b']['c'])", "3:8 error undef-access"),
        ("if $map == undef { notice($map['a']) }", "2:27 error undef-access"),
        ("if !$map { notice($map['a']) }", "2:19 error undef-access"),
        ("unless $map =~ NotUndef { notice($map['a']) }", "2:34 error undef-access"),
        ("if $any =~ Array { notice($any + 1, 1 + $any) }", "2:41 error wrong-operand"),
        ("case $any { Hash: { notice(1 + $any) } }", "2:32 error wrong-operand"),
        ("if $any !~ Boolean { fail('x') }\nnotice($any + 1)", "3:8 error wrong-operand"),
        ("assert_type(Boolean, $any)\nnotice($any + 1)", "3:8 error wrong-operand"),
        (
            "notice(assert_type(Integer, $text))",
            "2:8 error wrong-type: assert_type(): expects an Integer value",
        ),
        ("notice($count[0])", "2:8 error wrong-operand: the operator '[]' takes no"),
    ] {
        let lines = in_body(text);
        assert!(lines.len() == 1 && lines[0].starts_with(wanted), "{text}: {lines:?}");
    }
    let open = "if $map { notice($map['a']) }
        notice($map['a']['b'])
        $x = { a => 1, b => undef }
        notice($x['a'] + 1)
        if $any =~ Variant[Integer, Array] { notice($any + 1) }
        $y = assert_type(String, $any) |$wanted, $got| { 'other' }
        notice(upcase($y), $text[0])";
    assert_eq!(in_body(open), [""; 0]);
    let notes = Options { notes: true, select: vec!["undef-access".into()], ..Options::default() };
    let text = "function f(Optional[Hash] $map) { $map['a'] }";
    let lines = found_with(&[("functions/f.pp", text)], &notes);
    assert_eq!(
        lines,
        ["functions/f.pp:1:35 note undef-access: the value can be undef, which has no elements"]
    );
}

#[test]
fn names_that_nobody_reads_are_told() {
    let files = [
        ("manifests/site.pp", "include m"),
        (
            "modules/m/manifests/init.pp",
            "# @param old\n#   Deprecated.\nclass m($used = 1, $old = 2, $lost = 3, $rendered = 4, $plain = 5) inherits m::params {
                $a = 1\n$b = 2\n$_c = 3\n[$d, $e] = [1, 2]\n$f = 1\nif $used { $g = 2 } else { $g = 3 }
                notice($used, \"${a}\", inline_template('<%= @b %>'), $e, template('m/t.erb', 'm/x.conf'), defined('$f'))
                [1].each |$i, $k| { $h = 1\nnotice($k, $inherited) }\nm::private(1) }",
        ),
        ("modules/m/manifests/params.pp", "class m::params { $inherited = 1\n$elsewhere = 2 }"),
        ("modules/m/manifests/other.pp", "define m::other($p, $q) { notice($m::params::elsewhere, $q) }"),
        ("modules/m/functions/private.pp", "function m::private($x) { $x }"),
        ("modules/m/functions/lost.pp", "function m::lost($x) { $x }"),
        ("modules/m/templates/t.erb", "<%= @rendered %>"),
        ("modules/m/templates/x.conf", "<%= @plain %>"),
    ];
    let lines = found_with(&files, &Options { select: vec!["unused".into()], ..Options::default() });
    assert_eq!(
        lines,
        [
            "modules/m/functions/lost.pp:1:10 warning unused-function: nobody calls the function 'm::lost'",
            "modules/m/manifests/init.pp:3:20 note unused-parameter: nobody reads the parameter '$old'",
            "modules/m/manifests/init.pp:3:30 warning unused-parameter: nobody reads the parameter '$lost'",
            "modules/m/manifests/init.pp:9:12 warning unused-variable: nobody reads the variable '$g'",
            "modules/m/manifests/other.pp:1:17 warning unused-parameter: nobody reads the parameter '$p'",
        ]
    );
}

#[test]
fn examples_are_true() {
    for code in CODES {
        let example = EXAMPLES.iter().find(|example| example.code == *code).expect("each code has one");
        for (text, is_wrong) in [(example.wrong, true), (example.right, false)] {
            let options = Options { select: vec![code.name().into()], notes: true, ..Options::default() };
            let mut files = files_of_example(BESIDE);
            files.extend(files_of_example(text));
            let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
            let lines = found_with(&files, &options);
            assert_eq!(!lines.is_empty(), is_wrong, "{code:?}: {lines:?}\n{text}");
        }
    }
}

#[test]
fn codes_are_told_apart() {
    for (index, code) in CODES.iter().enumerate() {
        assert!(code.name().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{code:?}");
        assert!(!CODES[..index].iter().any(|other| other.name() == code.name()), "{code:?}");
        assert!(code.text().len() > code.title().len(), "{code:?}");
    }
}

#[test]
fn what_is_picked_is_the_first_value() {
    let in_class = |argument: &str| {
        let text =
            format!("class a(Optional[Integer] $x, Integer $y) {{ m::thing {{ 'a': mode => {argument} }} }}");
        let pick = "Puppet::Parser::Functions.newfunction(:pick, type: :rvalue) { |args| }";
        let files = [
            ("manifests/site.pp", text.as_str()),
            ("modules/m/manifests/thing.pp", "define m::thing(Enum['a', 'b'] $mode) { notice($mode) }"),
            ("modules/stdlib/lib/puppet/parser/functions/pick.rb", pick),
        ];
        found(&files)
    };
    let wrong = "manifests/site.pp:1:69 error wrong-type: parameter 'mode' expects a match for Enum['a', 'b'], got Integer";
    assert_eq!(in_class("pick($x, $y)"), [wrong]);
    assert_eq!(in_class("pick($x, 'a')"), [] as [&str; 0]);
    assert_eq!(in_class("pick('a', $y)"), [] as [&str; 0]);
}

#[test]
fn bodies_fail_with_values_of_their_parameters() {
    let thing = "define m::thing($mode, $on = true, $other = undef, $name_of = '') {\n\
        validate_legacy(String, 'validate_string', $mode)\n\
        if $on { validate_bool($on) validate_string($name_of) }\n\
        if $facts['x'] == 'y' { validate_bool($other) }\n}";
    let functions = ["validate_legacy", "validate_bool", "validate_array", "validate_string"].map(|name| {
        let path = format!("modules/stdlib/lib/puppet/parser/functions/{name}.rb");
        (path, format!("Puppet::Parser::Functions.newfunction(:{name}, arity: -2) {{ |args| }}"))
    });
    let given = |parameters: &str| {
        let site = format!("m::thing {{ 'a': {parameters} }}");
        let mut files = vec![("manifests/site.pp", site.as_str()), ("modules/m/manifests/thing.pp", thing)];
        files.extend(functions.iter().map(|(path, text)| (path.as_str(), text.as_str())));
        found(&files)
    };
    let fails = |column: u32, severity: &str, parameter: &str, message: &str| {
        format!(
            "manifests/site.pp:1:{column} {severity} wrong-type: the defined type 'm::thing' fails with this \
             value of '{parameter}': {message}"
        )
    };
    let validate_bool = "'validate_bool' parameter 'values' expects a Boolean value, got";
    assert_eq!(
        given("mode => [1], on => 'x', other => 'b', name_of => 5"),
        [
            fails(
                25,
                "error",
                "mode",
                "validate_legacy() value expects a value of type Undef or String, got Tuple"
            ),
            fails(36, "error", "on", &format!("{validate_bool} String")),
            fails(50, "warning", "other", &format!("{validate_bool} String")),
            fails(
                66,
                "error",
                "name_of",
                "'validate_string' parameter 'values' expects a value of type Undef or String, got Integer"
            ),
        ]
    );
    assert_eq!(given("mode => 'a', on => false, other => true, name_of => 5"), [] as [&str; 0]);
}

#[test]
fn values_are_followed_through_bodies() {
    let files = |site: &'static str| {
        found(&[
            ("manifests/site.pp", site),
            (
                "modules/m/manifests/init.pp",
                "class m($ensure = running, $package = 'm', $config = undef) {\n\
                 case $ensure {\n/^(running|stopped)$/: { }\ndefault: { fail(\"no ${ensure}\") }\n}\n\
                 class { 'm::install': package => $package }\n\
                 $real = $config ? { undef => '/etc/m', default => $config }\n\
                 if $config { file { $real: } }\n}",
            ),
            (
                "modules/m/manifests/install.pp",
                "class m::install($package) {\npackage { $package: }\nreturn()\n}",
            ),
        ])
    };
    let fails = |column: u32, parameter: &str, message: &str| {
        let class = "manifests/site.pp:1:";
        format!(
            "{class}{column} error wrong-type: the class 'm' fails with this value of '{parameter}': {message}"
        )
    };
    assert_eq!(
        files("class { 'm': ensure => stopped, package => ['a', ['b']], config => '/x' }"),
        [] as [&str; 0]
    );
    assert_eq!(files("class { 'm': ensure => -7.5 }"), [fails(24, "ensure", "it calls fail()")]);
    let inner = "the class 'm::install' fails with this value of 'package': a title is a String, not";
    assert_eq!(
        files("class { 'm': package => [5] }"),
        [fails(25, "package", &format!("{inner} a Tuple[Integer]"))]
    );
    assert_eq!(
        files("class { 'm': config => {} }"),
        [fails(24, "config", "a title is a String, not a Hash[0, 0]")]
    );
    let told_inside = found(&[
        ("manifests/site.pp", "class { 'o': on => true }"),
        ("modules/o/manifests/init.pp", "class o($on) {\nif $on { notice(1 + [2]) }\n}"),
    ]);
    assert_eq!(told_inside.len(), 1, "{told_inside:?}");
    let of_data = found(&[
        ("hiera.yaml", "version: 5\n"),
        ("data/common.yaml", "n::package: [a, [b]]\nn::file: {}\n"),
        (
            "modules/n/manifests/init.pp",
            "class n($package, $file) {\npackage { $package: }\nfile { $file: }\n}",
        ),
    ]);
    assert_eq!(
        of_data,
        [
            "data/common.yaml:2:1 warning wrong-data: the class 'n' does not take this value: a title is a String, not a Hash[0, 0]"
        ]
    );
}

#[test]
fn functions_in_ruby_take_as_many_arguments_as_they_declare() {
    let of = |call: &str| {
        let function = |name: &str, arity: i32| {
            format!(
                "Puppet::Parser::Functions.newfunction(:{name}, :type => :rvalue, :arity => {arity}) {{ |a| 1 }}"
            )
        };
        let path = |name: &str| format!("modules/m/lib/puppet/parser/functions/{name}.rb");
        let (two, more) = (function("two", 2), function("more", -2));
        let site = format!("notice({call})");
        let files = [
            ("manifests/site.pp", site.as_str()),
            (&path("two"), two.as_str()),
            (&path("more"), more.as_str()),
            ("modules/m/manifests/init.pp", "class m { }"),
        ];
        let lines = found(&files);
        lines.iter().filter_map(|line| Some(line.split_once("arguments: ")?.1.to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(of("two(1, 2)"), [""; 0]);
    assert_eq!(of("two(1)"), ["'two' takes 2 arguments, and is given 1"]);
    assert_eq!(of("two(1, 2, 3)"), ["'two' takes 2 arguments, and is given 3"]);
    assert_eq!(of("more(1, 2, 3)"), [""; 0]);
    assert_eq!(of("more()"), ["'more' takes at least 1 argument, and is given 0"]);
}

#[test]
fn blocks_may_leave_out_what_they_need_not_take() {
    assert_eq!(in_site("notice(lest(undef) |$x = 1| { $x })"), [""; 0]);
    assert_eq!(in_site("notice(lest(undef) |$x| { $x })").len(), 1);
}

#[test]
fn results_of_operators_and_functions_have_types() {
    assert_eq!(in_site("m::thing { 'a': mode => 1 + 2 }").len(), 1);
    assert_eq!(in_site("notice(m::twice(upcase('x')))").len(), 1);
    assert_eq!(in_site("notice(m::twice(upcase(['x'])))").len(), 0);
    assert_eq!(in_site("notice(*nowhere())").len(), 1);
}
