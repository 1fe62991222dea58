//! Shapes of data and environments: Hiera's lookups and merges, facts, modules, nodes.

use serde_json::json;

use super::{Row, each};

pub(super) const SHAPES: &[Row] = &[
    ("classes of modules", 60, |n, files| {
        for i in 0..n {
            files.manifest(
                &format!("m{i}"),
                format!(
                    "class m{i}(String $x = 'd') {{\n  file {{ '/srv/{i}': content => $x }}\n\
         }}\n"
                ),
            );
        }
        files.main(each(n, |i| format!("include m{i}\n")));
    }),
    ("classes with parameters from data", 60, |n, files| {
        for i in 0..n {
            files.manifest(
                &format!("m{i}"),
                format!(
                    "class m{i}(String $x, Integer $y = 1, Array $z = []) {{\n  file {{ '/srv/{i}': \
         content => \"${{x}}${{y}}${{z}}\" }}\n\
         }}\n"
                ),
            );
        }
        files.data(&["other: 1\n", &each(n, |i| format!("m{i}::x: 'v{i}'\nm{i}::y: {i}\n"))]);
        files.main(each(n, |i| format!("include m{i}\n")));
    }),
    ("modules with data", 60, |n, files| {
        for i in 0..n {
            files.manifest(
                &format!("m{i}"),
                format!(
                    "class m{i}(String $x) {{\n  file {{ '/srv/{i}': content => $x }}\n\
         }}\n"
                ),
            );
            files.add(
                format!("modules/m{i}/hiera.yaml"),
                "version: 5\n\
         hierarchy:\n  - name: common\n    path: common.yaml\n",
            );
            files.add(format!("modules/m{i}/data/common.yaml"), format!("m{i}::x: 'v{i}'\n"));
        }
        files.main(each(n, |i| format!("include m{i}\n")));
    }),
    ("lookups", 125, |n, files| {
        files.data(&["other: 1\n", &each(n, |i| format!("k{i}: {{ a: [{i}], b: x }}\n"))]);
        files.main(format!(
            "Integer[0, {}].each |$n| {{ notify {{ \"n${{n}}\": message => lookup(\"k${{n}}.a.0\") \
         }} }}\n",
            n - 1
        ));
    }),
    ("levels of a hierarchy", 25, |n, files| {
        let levels: Vec<String> = (0..n).map(|i| format!("k{i}: {i}\nall: [{i}]\n")).collect();
        files.data(&levels.iter().map(String::as_str).collect::<Vec<_>>());
        files.main(format!(
            "$r = lookup('all', Array, 'unique')\n\
         notify {{ 'n': message => \"${{r}} ${{lookup('k{}')}}\" }}\n",
            n - 1
        ));
    }),
    ("keys merged deep", 125, |n, files| {
        let level = |l: usize| {
            format!("h:\n{}", each(n, |i| format!("  k{i}: {{ l{l}: {i}, common: [{l}, {i}] }}\n")))
        };
        files.data(&[&level(0), &level(1), &level(2)]);
        files.main(
            "$h = lookup('h', Hash, 'deep')\n\
         notify { 'n': message => $h.length }\n",
        );
    }),
    ("keys merged as hashes", 125, |n, files| {
        let level = |l: usize| format!("h:\n{}", each(n, |i| format!("  k{l}_{i}: {i}\n")));
        files.data(&[&level(0), &level(1), &level(2)]);
        files.main(
            "$h = lookup('h', Hash, 'hash')\n\
         notify { 'n': message => $h.length }\n",
        );
    }),
    ("elements merged uniquely", 125, |n, files| {
        let level = |l: usize| format!("h:\n{}", each(n, |i| format!("  - v{}\n", l * n / 2 + i)));
        files.data(&[&level(0), &level(1), &level(2)]);
        files.main(
            "$h = lookup('h', Array, 'unique')\n\
         notify { 'n': message => $h.length }\n",
        );
    }),
    ("lookup_options", 60, |n, files| {
        let options = each(n, |i| format!("  k{i}: {{ merge: {{ strategy: deep }} }}\n"));
        let keys = |l: usize| each(n, |i| format!("k{i}: {{ l{l}: {i} }}\n"));
        files.data(&[&keys(0), &format!("lookup_options:\n{options}{}", keys(1))]);
        files.main(format!(
            "Integer[0, {}].each |$n| {{ notify {{ \"n${{n}}\": message => \
         lookup(\"k${{n}}\").length }} }}\n",
            n - 1
        ));
    }),
    ("lookup_options of patterns", 60, |n, files| {
        let keys = |l: usize| each(n, |i| format!("k{i}: [{l}, {i}]\n"));
        files.data(&[&keys(0), &format!("lookup_options:\n  '^k.*': {{ merge: unique }}\n{}", keys(1))]);
        files.main(format!(
            "Integer[0, {}].each |$n| {{ notify {{ \"n${{n}}\": message => \
         lookup(\"k${{n}}\").length }} }}\n",
            n - 1
        ));
    }),
    ("interpolations in data", 125, |n, files| {
        files.fact("site", json!("north"));
        files.data(&[&format!(
            "base: 'b'\n{}",
            each(n, |i| format!("k{i}: 'at %{{facts.site}} is %{{lookup(\"base\")}} {i}'\n"))
        )]);
        files.main(format!(
            "Integer[0, {}].each |$n| {{ notify {{ \"n${{n}}\": message => lookup(\"k${{n}}\") }} \
         }}\n",
            n - 1
        ));
    }),
    ("resources from data", 125, |n, files| {
        files.data(&[&format!(
            "users:\n{}",
            each(n, |i| format!("  u{i}: {{ ensure: present, uid: {i}, groups: [a, b] }}\n"))
        )]);
        files.main("lookup('users', Hash).each |$name, $of| { user { $name: * => $of } }\n");
    }),
    ("node definitions", 60, |n, files| {
        files.main(format!(
            "node default {{ notify {{ 'd': }} }}\n{}",
            each(n, |i| format!("node 'host{i}.example.net' {{ notify {{ 'n{i}': }} }}\n"))
        ));
    }),
    ("node definitions with patterns", 60, |n, files| {
        files.main(format!(
            "node default {{ notify {{ 'd': }} }}\n{}",
            each(n, |i| format!("node /^host{i}\\.example/ {{ notify {{ 'n{i}': }} }}\n"))
        ));
    }),
    ("facts", 250, |n, files| {
        for i in 0..n {
            files.fact(format!("fact{i}"), json!({ "a": i, "b": [i, "x"] }));
        }
        files.main(format!(
            "$s = Integer[0, {}].reduce(0) |$s, $n| {{ $s + $facts[\"fact${{n}}\"]['a'] }}\n\
         notify {{ 'n': message => $s }}\n",
            n - 1
        ));
    }),
    ("definitions that nothing uses", 250, |n, files| {
        files.main(format!(
            "notify {{ 'n': }}\n{}",
            each(n, |i| format!(
                "class c{i}($x = {i}) {{ notify {{ 'n{i}': }} }}\n\
         define d{i}() {{ }}\n\
         function f{i}() {{ 1 }}\n"
            ))
        ));
    }),
];
