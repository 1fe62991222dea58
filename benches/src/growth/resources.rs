//! Shapes of resources: declared in every way, overridden, collected, ordered, contained, tagged.

use serde_json::json;

use super::{Row, each};

pub(super) const SHAPES: &[Row] = &[
    ("files", 250, |n, files| {
        files.main(each(n, |i| {
            format!(
                "file {{ '/srv/{i}': ensure => file, owner => 'root', mode => '0644', content => \
         'x{i}' }}\n"
            )
        }));
    }),
    ("titles of one resource", 250, |n, files| {
        let titles = each(n, |i| format!("'/srv/{i}', "));
        files.main(format!(
            "file {{ [{titles}]: ensure => file, mode => '0644', before => Notify['end'] }}\n\
         notify {{ 'end': }}\n"
        ));
    }),
    ("bodies of one resource", 250, |n, files| {
        let bodies = each(n, |i| format!("'/srv/{i}': ensure => file, content => 'x{i}';\n"));
        files.main(format!("file {{ default: mode => '0644';\n{bodies} }}\n"));
    }),
    ("defined types", 125, |n, files| {
        files.manifest(
            "entry",
            "define entry(Integer $n, String $label = \"e${n}\") {\n\
           notify { \"${title} ${label}\": }\n\
         }\n",
        );
        files.main(each(n, |i| format!("entry {{ 'e{i}': n => {i} }}\n")));
    }),
    ("nested defined types", 60, |n, files| {
        files.manifest(
            "a",
            "define a(Integer $n) {\n\
           a::b { \"${title} b\": n => $n }\n\
           file { \"/a/${title}\": ensure => file }\n\
         }\n",
        );
        files.manifest(
            "a::b",
            "define a::b(Integer $n) {\n\
           a::c { \"${title} c\": n => $n; \"${title} d\": n => $n + 1 }\n\
         }\n",
        );
        files.manifest(
            "a::c",
            "define a::c(Integer $n) {\n\
           notify { \"${title} ${n}\": require => A::B[regsubst($title, ' .$', '')] }\n\
         }\n",
        );
        files.main(format!("Integer[1, {n}].each |$n| {{ a {{ \"t${{n}}\": n => $n }} }}\n"));
    }),
    ("resources in each", 250, |n, files| {
        files.main(format!(
            "Integer[1, {n}].each |$n| {{ file {{ \"/srv/${{n}}\": ensure => file, content => \
         \"x${{n}}\" }} }}\n"
        ));
    }),
    ("create_resources", 250, |n, files| {
        let all = each(n, |i| format!("'/srv/{i}' => {{ ensure => file, content => 'x{i}' }},\n"));
        files.main(format!(
            "$all = {{ {all} }}\n\
         create_resources('file', $all, {{ mode => '0644' }})\n"
        ));
    }),
    ("attributes by *", 250, |n, files| {
        files.main(format!(
            "$of = {{ ensure => file, mode => '0644', owner => 'root' }}\n\
         Integer[1, {n}].each |$n| {{ file {{ \"/srv/${{n}}\": group => 'root', * => $of }} }}\n"
        ));
    }),
    ("resource defaults", 250, |n, files| {
        files.main(format!(
            "File {{ mode => '0644', owner => 'root' }}\n\
         class c {{\n\
           File {{ group => 'adm' }}\n\
         {} }}\n\
         include c\n",
            each(n, |i| format!("  file {{ '/srv/{i}': ensure => file }}\n"))
        ));
    }),
    ("overrides by reference", 125, |n, files| {
        files.main(each(n, |i| {
            format!(
                "file {{ '/srv/{i}': ensure => file }}\n\
         File['/srv/{i}'] {{ mode => '0644' }}\n"
            )
        }));
    }),
    ("overrides of one class's resources", 125, |n, files| {
        files.manifest(
            "base",
            format!(
                "class base {{\n{} }}\n",
                each(n, |i| format!("  file {{ '/srv/{i}': mode => '0600', tag => ['a'] }}\n"))
            ),
        );
        files.manifest(
            "base::sub",
            format!(
                "class base::sub inherits base {{\n{} }}\n",
                each(n, |i| format!("  File['/srv/{i}'] {{ mode => '0644', tag +> ['b'] }}\n"))
            ),
        );
        files.main("include base::sub\n");
    }),
    ("overrides of one parameter in a chain of classes", 10, |n, files| {
        files.manifest("c0", "class c0 {\n  file { '/srv/x': tag => ['t'] }\n}\n");
        for i in 1..=n {
            files.manifest(
                &format!("c{i}"),
                format!(
                    "class c{i} inherits c{} {{\n\
           file {{ '/srv/{i}': mode => '0644' }}\n\
         }}\n",
                    i - 1
                ),
            );
        }
        files.main(format!("include c{n}\n"));
    }),
    ("virtual resources, one collector", 250, |n, files| {
        files.main(format!("{}User <| |>\n", each(n, |i| format!("@user {{ 'u{i}': uid => {i} }}\n"))));
    }),
    ("collector with a query", 250, |n, files| {
        files.main(format!(
            "{}User <| tag == 'even' and uid != 4 |>\n",
            each(n, |i| {
                format!(
                    "@user {{ 'u{i}': uid => {i}, tag => ['{}', 'x{i}'] }}\n",
                    if i % 2 == 0 { "even" } else { "odd" }
                )
            })
        ));
    }),
    ("collectors by title", 125, |n, files| {
        files.main(each(n, |i| {
            format!(
                "@user {{ 'u{i}': uid => {i} }}\n\
         User <| title == 'u{i}' |>\n"
            )
        }));
    }),
    ("realize", 125, |n, files| {
        files.main(each(n, |i| format!("@user {{ 'u{i}': uid => {i} }}\nrealize(User['u{i}'])\n")));
    }),
    ("collector that overrides", 250, |n, files| {
        files.main(format!(
            "{}File <| title != '/srv/3' |> {{ mode => '0644', owner => 'root' }}\n",
            each(n, |i| format!("file {{ '/srv/{i}': ensure => file }}\n"))
        ));
    }),
    ("exported resources", 125, |n, files| {
        for i in 0..n {
            files.export(json!({
                "certname": format!("other{i}.example.net"),
                "type": "Notify",
                "title": format!("from {i}"),
                "exported": true,
                "tags": ["notify", "x"],
                "parameters": { "message": format!("m{i}"), "tag": "x" },
            }));
        }
        files.main(format!(
            "{}Notify <<| tag == 'x' |>>\n",
            each(n, |i| format!("@@file {{ '/srv/{i}': ensure => file }}\n"))
        ));
    }),
    ("arrows between references", 250, |n, files| {
        files.main(format!(
            "{}{}",
            each(n + 1, |i| format!("file {{ '/srv/{i}': ensure => file }}\n")),
            each(n, |i| format!("File['/srv/{i}'] -> File['/srv/{}']\n", i + 1))
        ));
    }),
    ("arrows from one reference", 250, |n, files| {
        files.main(format!(
            "notify {{ 'first': }}\n{}",
            each(n, |i| format!(
                "file {{ '/srv/{i}': ensure => file }}\n\
         Notify['first'] -> File['/srv/{i}']\n"
            ))
        ));
    }),
    ("arrows of 20 references to many", 100, |n, files| {
        files.main(format!(
            "Integer[1, 20].each |$n| {{ package {{ \"p${{n}}\": }} }}\n\
         {}Integer[1, 20].map |$n| {{ Package[\"p${{n}}\"] }} -> [{}]\n",
            each(n, |i| format!("file {{ '/srv/{i}': ensure => file }}\n")),
            each(n, |i| format!("File['/srv/{i}'], "))
        ));
    }),
    ("arrows of 50 packages to all files", 100, |n, files| {
        files.main(format!(
            "Integer[1, 50].each |$n| {{ package {{ \"p${{n}}\": }} }}\n\
         Package <| |> -> File <| |>\n\
         {}",
            each(n, |i| format!("file {{ '/srv/{i}': ensure => file }}\n"))
        ));
    }),
    ("arrows of all files to 50 services", 100, |n, files| {
        files.main(format!(
            "Integer[1, 50].each |$n| {{ service {{ \"s${{n}}\": }} }}\n\
         File <| |> ~> Service <| |>\n\
         {}",
            each(n, |i| format!("file {{ '/srv/{i}': ensure => file }}\n"))
        ));
    }),
    ("arrows between titles of one resource", 20, |n, files| {
        files.main(format!(
            "package {{ [{}]: ensure => installed, before => [Notify['end']] }}\n\
         notify {{ ['end', 'a', 'b']: }}\n\
         Package <| |> -> Notify['a']\n",
            each(n, |i| format!("'p{i}', "))
        ));
    }),
    ("require and notify", 250, |n, files| {
        files.main(format!(
            "service {{ 's': }}\nfile {{ '/srv/0': }}\n{}",
            each(n, |i| {
                format!(
                    "file {{ '/srv/{}': require => File['/srv/{i}'], notify => [Service['s']] }}\n",
                    i + 1
                )
            })
        ));
    }),
    ("stages", 60, |n, files| {
        files.main(format!(
            "{}{}",
            each(n, |i| format!("stage {{ 's{i}': before => Stage['main'] }}\n")),
            each(n, |i| format!(
                "class c{i} {{ file {{ '/srv/{i}': }} }}\n\
         class {{ 'c{i}': stage => 's{i}' }}\n"
            ))
        ));
    }),
    ("classes that contain classes", 60, |n, files| {
        for i in 0..n {
            files.manifest(
                &format!("m{i}"),
                format!(
                    "class m{i} {{\n\
           contain m{i}::a\n\
           contain m{i}::b\n\
           Class['m{i}::a'] -> Class['m{i}::b']\n\
         }}\n"
                ),
            );
            files.manifest(&format!("m{i}::a"), format!("class m{i}::a {{\n  package {{ 'p{i}': }}\n}}\n"));
            files.manifest(
                &format!("m{i}::b"),
                format!(
                    "class m{i}::b {{\n\
           file {{ '/srv/{i}': ensure => file }}\n\
         }}\n"
                ),
            );
        }
        files.main(each(n, |i| format!("include m{i}\n")));
    }),
    ("classes included by each other", 25, |n, files| {
        for i in 0..n {
            files.manifest(
                &format!("m{i}"),
                format!(
                    "class m{i} {{\n\
           include m{}\n\
           notify {{ 'n{i}': }}\n\
         }}\n",
                    i + 1
                ),
            );
        }
        files.manifest(&format!("m{n}"), format!("class m{n} {{ }}\n"));
        files.main("include m0\n");
    }),
    ("classes included again", 125, |n, files| {
        files.manifest("m", "class m($x = 1) { notify { 'm': } }\n");
        files.main(format!(
            "include m\n{}",
            each(n, |i| format!(
                "class c{i} {{ include m\n\
          require m\n\
          notify {{ 'n{i}': message => $m::x }} }}\n\
         include c{i}\n"
            ))
        ));
    }),
    ("tags", 125, |n, files| {
        files.main(format!(
            "class c {{\n tag('all', 'of')\n{} }}\ninclude c\n",
            each(n, |i| {
                format!(
                    "  file {{ '/srv/{i}': tag => ['a{i}', 'b{i}', 'common'] }}\n\
           if tagged('all') {{ notify {{ 'n{i}': }} }}\n"
                )
            })
        ));
    }),
    ("tags of one resource", 125, |n, files| {
        let tags = each(n, |i| format!("'t{i}', "));
        files.main(format!(
            "class c {{\n\
           tag({tags})\n\
          Integer[1, 10].each |$n| {{ notify {{ \"n${{n}}\": }} }}\n\
         }}\n\
         include c\n"
        ));
    }),
    ("metaparameters of containers", 125, |n, files| {
        files.main(format!(
            "class c {{\n\
         {} }}\n\
         class {{ 'c': noop => true, schedule => 's', loglevel => 'notice' }}\n\
         schedule {{ 's': }}\n",
            each(n, |i| format!("  file {{ '/srv/{i}': ensure => file }}\n"))
        ));
    }),
    ("aliases", 125, |n, files| {
        files.main(each(n, |i| {
            format!(
                "file {{ 'f{i}': path => '/srv/{i}', alias => 'a{i}' }}\n\
         notify {{ 'n{i}': require => File['a{i}'] }}\n"
            )
        }));
    }),
    ("defined and parameters of references", 125, |n, files| {
        files.main(each(n, |i| {
            format!(
                "file {{ '/srv/{i}': mode => '0644' }}\n\
         unless defined(File['/srv/x{i}']) {{ notify {{ 'n{i}': message => \
         File['/srv/{i}']['mode'] }} }}\n"
            )
        }));
    }),
];
