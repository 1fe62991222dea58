//! The findings in data, configurations of Hiera, templates in ERB, tasks, plans and metadata.

use bunraku_check::Options;

mod small;

use small::{found, found_with};

/// The findings of a code, notes among them.
fn of(code: &str, files: &[(&str, &str)]) -> Vec<String> {
    let options = Options { select: vec![code.into()], notes: true, ..Options::default() };
    let lines = found_with(files, &options);
    lines.into_iter().map(|line| line.replace(&format!(" {code}:"), "")).collect()
}

const HIERARCHY: &str =
    "version: 5\nhierarchy:\n  - name: all\n    paths: ['nodes/%{trusted.certname}.yaml', 'all.yaml']\n";

#[test]
fn keys_that_no_data_has() {
    let files = [
        (
            "manifests/site.pp",
            "notice(lookup('zone'), lookup('zoen'), lookup('x', String, 'first', 'a'), lookup('y') |$k| { 1 })\n\
             notice(lookup('z', { 'default_value' => 1 }), hiera('u'), hiera('v', 1), lookup(['a', 'b']))\n\
             notice('nested.key'.lookup, lookup('zone.a.b'))",
        ),
        ("hiera.yaml", HIERARCHY),
        ("data/all.yaml", "zone: \"%{lookup('zone2')}%{alias('other')}\"\nzone2: 1\n"),
        ("data/nodes/a.yaml", "{}"),
    ];
    assert_eq!(
        of("missing-key", &files),
        [
            "data/all.yaml:1:35 warning no data has the key 'other'",
            "manifests/site.pp:1:31 warning no data has the key 'zoen'; did you mean 'zone'?",
            "manifests/site.pp:2:53 warning no data has the key 'u'",
            "manifests/site.pp:3:8 warning no data has the key 'nested'",
        ]
    );
    // Files of a level are elsewhere.
    let partial =
        [("manifests/site.pp", "notice(lookup('x'))"), ("hiera.yaml", HIERARCHY), ("data/all.yaml", "a: 1")];
    assert_eq!(of("missing-key", &partial), ["manifests/site.pp:1:15 note no data has the key 'x'"]);
    // Without a hierarchy the data is elsewhere; a function may have any key.
    let elsewhere = [("manifests/site.pp", "notice(lookup('zoen'))")];
    assert_eq!(of("missing-key", &elsewhere), [""; 0]);
    let open = [
        ("manifests/site.pp", "notice(lookup('zoen'))"),
        ("hiera.yaml", "version: 5\nhierarchy:\n  - name: all\n    data_hash: a::data\n"),
    ];
    assert_eq!(of("missing-key", &open), [""; 0]);
}

#[test]
fn interpolations_of_data_and_configurations() {
    let configuration = "version: 5\nhierarchy:\n  - name: \"%{lookup('x')}\"\n    paths:\n      - '%{facts.networkng.fqdn}.yaml'\n      - '%{::hostnme}.yaml'\n      # %{nothing}\n      - '%{trusted.certnam}.yaml'\n      - '%{role}.yaml'\n      - all.yaml\n";
    let files = [
        ("manifests/site.pp", "$zone = 'a'\ninclude m"),
        ("modules/m/manifests/init.pp", "class m($port = 1) { $own = 2 }"),
        ("hiera.yaml", configuration),
        (
            "data/all.yaml",
            "a: '%{zone} %{::zone} %{m::port} %{m::own} %{literal(\"%\")} %{scope(\"zone\")}'\n\
             b: '%{m::prot} %{n::x} %{fact(\"a\")} %{lookpu(\"a\")} %{facts.os.family} %{environment}'\n",
        ),
    ];
    assert_eq!(
        of("invalid-interpolation", &files),
        [
            "data/all.yaml:2:26 error there is no method 'fact'",
            "data/all.yaml:2:39 error there is no method 'lookpu'; did you mean 'lookup'?",
            "hiera.yaml:3:14 error a configuration takes no method such as 'lookup'",
        ]
    );
    assert_eq!(
        of("unknown-variable", &files),
        [
            "data/all.yaml:2:7 warning the class 'm' has no variable '$prot'; did you mean 'm::port'?",
            "hiera.yaml:6:14 warning no scope sets the variable '$hostnme', and it is no known fact; did you mean 'hostname'?",
            "hiera.yaml:9:12 note no scope sets the variable '$role', and it is no known fact",
        ]
    );
    assert_eq!(
        of("unknown-fact", &files),
        [
            "hiera.yaml:5:18 warning no fact 'networkng' is known; did you mean 'networking'?",
            "hiera.yaml:8:20 warning 'trusted' has no 'certnam'; did you mean 'certname'?",
        ]
    );
}

#[test]
fn encrypted_values() {
    let value = "a: plain\nb: { c: ['>', 'ENC[PKCS7,MIIBeQYJKoZIhvcNAQcDoIIBajCC]'] }\n";
    let files = [("hiera.yaml", HIERARCHY), ("data/all.yaml", value)];
    assert_eq!(
        of("encrypted-data", &files),
        ["data/all.yaml:2:1 warning 'b' is encrypted, and the backend of its level does not decrypt it"]
    );
    let eyaml =
        "version: 5\nhierarchy:\n  - name: all\n    lookup_key: eyaml_lookup_key\n    path: all.yaml\n";
    let files = [("hiera.yaml", eyaml), ("data/all.yaml", value)];
    assert_eq!(
        of("encrypted-data", &files),
        ["data/all.yaml:2:1 error 'b' cannot be decrypted: the text is no message"]
    );
}

#[test]
fn templates_ask_for_functions_and_variables_of_classes() {
    let text = "<% x = 1 -%>\n<%= x %> <%= port %> <%= host.upcase -%> <%# y %>\n\
        <%= scope['m::prot'] %> <%= scope.lookupvar('::m::port') %> <%= scope['n::x'] %>\n\
        <%= scope.function_mdd5(['a']) %> <%= scope.call_function('md5', 'a') %> <%= scope.call_function(\"m::#{x}\") %>\n\
        <% [1].each do |one| %><%= one %><% end %>";
    let files = [
        ("manifests/site.pp", "include m"),
        ("modules/m/manifests/init.pp", "class m($port = 1) { notice(template('m/t.erb')) }"),
        ("modules/m/templates/t.erb", text),
    ];
    let found: Vec<_> = found(&files).into_iter().filter(|line| line.contains("t.erb")).collect();
    assert_eq!(
        found,
        [
            "modules/m/templates/t.erb:2:14 error template-variable: the template has no local variable or method 'port'; did you mean '@port'?",
            "modules/m/templates/t.erb:2:26 error template-variable: the template has no local variable or method 'host'; did you mean '@host'?",
            "modules/m/templates/t.erb:3:12 warning template-variable: the class 'm' has no variable '$prot'; did you mean 'm::port'?",
            "modules/m/templates/t.erb:4:20 error unknown-function: there is no function 'mdd5'; did you mean 'md5'?",
        ]
    );
}

/// A module `clock` beside `ntp`, with its metadata and other files.
fn clock<'f>(metadata: &'f str, others: &[(&'f str, &'f str)]) -> Vec<(&'f str, &'f str)> {
    let mut files = vec![
        ("modules/ntp/functions/seconds.pp", "function ntp::seconds(Integer $minutes) { $minutes * 60 }"),
        ("modules/ntp/lib/puppet/provider/package/clockwork.rb", "# a provider"),
        ("modules/clock/metadata.json", metadata),
    ];
    files.extend(others);
    files
}

#[test]
fn dependencies_are_used() {
    let metadata = r#"{ "name": "a-clock", "version": "1.0.0", "author": "a", "license": "MIT", "source": "s", "dependencies": [{ "name": "a/ntp" }] }"#;
    let unused =
        |text| of("unused-dependency", &clock(metadata, &[("modules/clock/manifests/init.pp", text)]));
    assert_eq!(
        unused("class clock { notice(1) }"),
        ["modules/clock/metadata.json:1:118 warning nothing in the module 'clock' uses the module 'ntp'"]
    );
    for used in
        ["class clock { notice(ntp::seconds(1)) }", "class clock { package { 'a': provider => clockwork } }"]
    {
        assert_eq!(unused(used), [""; 0], "{used}");
    }
}

#[test]
fn dependencies_have_what_is_used() {
    let text = "class clock(Stdlib::Port $port) { notice(index([1], 1), stdlib::has_function('a'), is_string('a'), unique([1])) }";
    let found = |puppet: &str, stdlib: &str| {
        let metadata = format!(
            r#"{{ "name": "a-clock", "version": "1.0.0", "author": "a", "license": "MIT", "source": "s",
            "requirements": [{{ "name": "puppet", "version_requirement": "{puppet}" }}],
            "dependencies": [{{ "name": "puppetlabs/stdlib", "version_requirement": "{stdlib}" }}] }}"#
        );
        of("outdated-dependency", &clock(&metadata, &[("modules/clock/manifests/init.pp", text)]))
    };
    assert_eq!(
        found(">= 5.0.0 < 9.0.0", ">= 4.20.0 < 10.0.0"),
        [
            "modules/clock/manifests/init.pp:1:13 warning metadata.json allows stdlib 4.20.0, without the data type 'Stdlib::Port'",
            "modules/clock/manifests/init.pp:1:42 warning metadata.json allows Puppet 5.0.0, without the function 'index'",
            "modules/clock/manifests/init.pp:1:57 warning metadata.json allows stdlib 4.20.0, without the function 'stdlib::has_function'",
            "modules/clock/manifests/init.pp:1:84 warning metadata.json allows stdlib 9.0.0, without the function 'is_string'",
        ]
    );
    assert_eq!(found(">= 7.0.0 < 9.0.0", ">= 9.3.0 < 10.0.0").len(), 1);
}

#[test]
fn fixtures_bring_the_dependencies() {
    let metadata = r#"{ "name": "a-clock", "version": "1.0.0", "author": "a", "license": "MIT", "source": "s", "dependencies": [{ "name": "a/ntp" }, { "name": "a/chrony" }] }"#;
    let fixtures = "---\nfixtures:\n  repositories:\n    ntp: https://example.net/ntp\n";
    let files = clock(metadata, &[("modules/clock/.fixtures.yml", fixtures)]);
    assert_eq!(
        of("missing-fixture", &files),
        [
            "modules/clock/.fixtures.yml:2:1 warning the module 'clock' depends on 'chrony', which no fixture brings"
        ]
    );
    let files = clock(metadata, &[("modules/clock/.fixtures.yml", "fixtures: [\n")]);
    assert_eq!(of("missing-fixture", &files).len(), 1);
    // Fixtures that are made from the metadata have no list.
    let files = clock(metadata, &[("modules/clock/.fixtures.yml", "---\nfixtures: {}\n")]);
    assert_eq!(of("missing-fixture", &files), [""; 0]);
}

#[test]
fn classes_declare_each_other() {
    let circle = |one: &str, other: &str| {
        let files = [
            ("modules/m/manifests/init.pp", format!("class m {{ {one} }}")),
            ("modules/m/manifests/a.pp", format!("class m::a {{ {other} }}")),
        ];
        let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        of("include-cycle", &files)
    };
    assert_eq!(
        circle("contain m::a", "require m"),
        ["modules/m/manifests/init.pp:1:19 warning the class requires or contains itself: m -> m::a -> m"]
    );
    let note = ["modules/m/manifests/init.pp:1:19 note the class declares itself: m -> m::a -> m"];
    assert_eq!(circle("include m::a", "include m"), note);
    assert_eq!(circle("contain m::a", "if $facts['a'] { require m }"), note);
    assert_eq!(circle("include m::a", "notice(m)"), [""; 0]);
}

#[test]
fn scripts_and_metadata_of_tasks_agree() {
    let metadata =
        r#"{ "parameters": { "date": { "type": "String" }, "zone": { "type": "Optional[String]" } } }"#;
    let found =
        |name, script| of("task-parameter", &[("modules/clock/tasks/set.json", metadata), (name, script)]);
    assert_eq!(
        found("modules/clock/tasks/set.sh", "hwclock --set $PT_date $PT_zoen $PT__installdir"),
        [
            "modules/clock/tasks/set.json:1:4 warning a script of the task 'set' reads the parameter 'zoen', which there is not; did it mean 'zone'?",
            "modules/clock/tasks/set.json:1:50 warning no script of the task 'set' reads its parameter 'zone'",
        ]
    );
    assert_eq!(
        found("modules/clock/tasks/set.rb", "params = JSON.parse(STDIN.read)\nputs params['date']"),
        ["modules/clock/tasks/set.json:1:50 note no script of the task 'set' reads its parameter 'zone'"]
    );
    // A script that hands everything on names nothing.
    assert_eq!(found("modules/clock/tasks/set.sh", "exec helper"), [""; 0]);
}

#[test]
fn plans_run_tasks_and_plans() {
    let plan = "plan clock(TargetSpec $targets) {\n\
        run_task('clock::set', $targets, 'sets', { 'date' => 1, 'zoen' => 'a', '_catch_errors' => true })\n\
        run_task('clock::set', $targets)\n\
        run_task('clock::sett', $targets)\n\
        run_task('clock::any', $targets, { 'x' => 1 })\n\
        run_task('elsewhere::set', $targets)\n\
        run_plan('clock::one', $targets, { 'many' => 'a' })\n\
        run_plan('clock::one', { 'targets' => $targets, 'many' => 1 })\n\
        run_plan('clock::two')\n}";
    let files = [
        ("modules/clock/plans/init.pp", plan),
        ("modules/clock/plans/one.pp", "plan clock::one(TargetSpec $targets, Integer $many) { }"),
        (
            "modules/clock/tasks/set.json",
            r#"{ "parameters": { "date": { "type": "String" }, "zone": { "type": "Optional[String]" } } }"#,
        ),
        ("modules/clock/tasks/set.sh", "echo $PT_date $PT_zone"),
        ("modules/clock/tasks/any.sh", "echo"),
    ];
    let found: Vec<_> = found(&files).into_iter().filter(|line| line.contains("init.pp")).collect();
    assert_eq!(
        found,
        [
            "modules/clock/plans/init.pp:2:44 error wrong-type: parameter 'date' expects a String value, got Integer",
            "modules/clock/plans/init.pp:2:57 error unknown-parameter: the task 'clock::set' has no parameter 'zoen'; did you mean 'zone'?",
            "modules/clock/plans/init.pp:3:1 error missing-parameter: the task 'clock::set' needs a value for its parameter 'date'",
            "modules/clock/plans/init.pp:4:10 error unknown-task: there is no task 'clock::sett'; did you mean 'clock::set'?",
            "modules/clock/plans/init.pp:7:36 error wrong-type: parameter 'many' expects an Integer value, got String",
            "modules/clock/plans/init.pp:9:10 error unknown-task: there is no plan 'clock::two'; did you mean 'clock::one'?",
        ]
    );
}

#[test]
fn values_that_are_refused_in_part_are_notes() {
    let files = [
        (
            "manifests/site.pp",
            "class a(Optional[String] $x, Variant[String, Integer] $y) {\n  m::thing { 'a': of => $x }\n  notice(m::twice($y), m::twice(1))\n}",
        ),
        ("modules/m/manifests/thing.pp", "define m::thing(String $of) { notice($of) }"),
        ("modules/m/functions/twice.pp", "function m::twice(Integer $n) { $n * 2 }"),
    ];
    assert_eq!(
        of("wrong", &files),
        [
            "manifests/site.pp:2:25 note wrong-type: parameter 'of' expects a String value, got Optional[String]",
            "manifests/site.pp:3:19 note wrong-arguments: 'm::twice' parameter 'n' expects an Integer value, got Variant",
        ]
    );
}
