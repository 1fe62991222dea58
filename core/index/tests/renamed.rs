//! New names for what an environment defines.

use std::sync::Arc;

use bunraku_engine::loader::{Environment, EnvironmentOptions};
use bunraku_host::memory::MemoryHost;
use bunraku_index::{Index, Kind, Renaming};
use bunraku_syntax::edit::Edits;
use bunraku_syntax::source::Source;
use bunraku_syntax::{ParseOptions, parse};

fn in_program(text: &str, kind: Kind, from: &str, to: &str) -> Result<String, String> {
    let program = parse(Arc::new(Source::new(None, text)), &ParseOptions::default()).expect("it is one");
    let mut edits = Edits::new(&program);
    let renaming = Renaming::new(kind, from, to).map_err(|error| error.message)?;
    renaming.add_to(&mut edits).map_err(|error| error.message)?;
    edits.apply().map_err(|error| error.message)
}

#[test]
fn classes_have_new_names_wherever_they_stand() {
    let text = "# a is here\nclass a /* a */ ($x = 'a') { $y = 1 # a\n  class inner { } }\n\
                class b ( $p = 'inherits a' ) # inherits a\n  inherits ::a { notice($a::x, \"${a::y} $::a::x $a::b::c $a\") }\n\
                include a, 'A', \"a\", [ ::a ]\nclass { ['a', 'b']: }\nClass['a'] -> Class[a] -> Resource['class', 'a']\n\
                a { 'a': a => a }\nif defined('a') { a('a') }\n'a'.contain\ninclude a::inner\nnotice('a')\n";
    let wanted = "# a is here\nclass c::d /* a */ ($x = 'a') { $y = 1 # a\n  class inner { } }\n\
                  class b ( $p = 'inherits a' ) # inherits a\n  inherits ::c::d { notice($c::d::x, \"${c::d::y} $::c::d::x $a::b::c $a\") }\n\
                  include c::d, 'c::d', \"c::d\", [ ::c::d ]\nclass { ['c::d', 'b']: }\n\
                  Class['c::d'] -> Class[c::d] -> Resource['class', 'c::d']\n\
                  a { 'a': a => a }\nif defined('c::d') { a('a') }\n'c::d'.contain\ninclude c::d::inner\nnotice('a')\n";
    assert_eq!(in_program(text, Kind::Class, "a", "c::d").as_deref(), Ok(wanted));
    assert_eq!(
        in_program(wanted, Kind::Class, "::C::d", "a").as_deref(),
        Ok(text.replace("'A'", "'a'").as_str())
    );
}

#[test]
fn defined_types_and_functions_have_new_names() {
    let text = "define a::b($a) { }\na::b { 'a::b': a => 1 }\n@@a::b { default: ; 'x': }\nA::B { a => 1 }\n\
                A::B <| title == 'a::b' |> -> ::A::B['a::b']\nResource['a::b', 'x']\n\
                create_resources('a::b', { 'a::b' => { } })\nType[A::B] ? { A::B => 'a::b' }\n";
    let wanted = "define c($a) { }\nc { 'a::b': a => 1 }\n@@c { default: ; 'x': }\nC { a => 1 }\n\
                  C <| title == 'a::b' |> -> ::C['a::b']\nResource['c', 'x']\n\
                  create_resources('c', { 'a::b' => { } })\nType[C] ? { C => 'a::b' }\n";
    assert_eq!(in_program(text, Kind::DefinedType, "a::b", "c").as_deref(), Ok(wanted));
    let text = "function a::b($x) >> Integer { $x }\na::b(1)\n$x = a::b (2) + 3.a::b |$a| { }\ncall('a::b', 'a::b')\nA::B['x']\n";
    let wanted = "function a::c($x) >> Integer { $x }\na::c(1)\n$x = a::c (2) + 3.a::c |$a| { }\ncall('a::c', 'a::b')\nA::B['x']\n";
    assert_eq!(in_program(text, Kind::Function, "a::b", "a::c").as_deref(), Ok(wanted));
}

#[test]
fn what_cannot_have_a_new_name_is_refused() {
    let refused = |text: &str, kind, to: &str| in_program(text, kind, "a", to).unwrap_err();
    assert_eq!(refused("", Kind::Class, "A b"), "'A b' is not a valid name");
    assert!(refused("", Kind::Type, "b").contains("can have a new name"));
    let inner = in_program("class a { class b { } }", Kind::Class, "a::b", "c::d").unwrap_err();
    assert_eq!(inner, "it is defined inside a class that keeps its name");
    let moved = in_program("class a { class b { } }\ninclude a::b", Kind::Class, "a::b", "a::c");
    assert_eq!(moved.as_deref(), Ok("class a { class c { } }\ninclude a::c"));
}

fn index(files: &[(&str, &str)]) -> Index {
    let mut host = MemoryHost::new();
    for (path, text) in files {
        host.add(format!("/code/production/{path}"), *text);
    }
    let options = EnvironmentOptions {
        name: "production".into(),
        environmentpath: vec!["/code".into()],
        ..EnvironmentOptions::default()
    };
    let environment = Environment::load(Arc::new(host), options).expect("the environment is loaded");
    Index::of(&environment, &|| Ok(())).expect("nothing ends it")
}

#[test]
fn an_environment_changes_as_a_whole() {
    let index = index(&[
        (
            "manifests/site.pp",
            "node default { include m::a }\n$x = lookup('m::a::port') + lookup('m::a::other')\n",
        ),
        ("modules/m/manifests/a.pp", "class m::a ($port = 80) { }\n"),
        ("modules/m/manifests/b.pp", "class m::b { }\n"),
        ("modules/m/templates/t.epp", "<%= $m::a::port %> m::a\n"),
        (
            "modules/m/data/common.yaml",
            "m::a::port: 1 # m::a::port\n'm::a::port' : m::a\nm::a::other: m::a\nlookup_options:\n  m::a::port:\n    merge: m::a::port\n",
        ),
        ("modules/m/data/x.json", "{\"m::a::port\": \"m::a::port\"}"),
        ("modules/m/lib/puppet/functions/m/f.rb", "Puppet::Functions.create_function(:'m::f') {}"),
        ("modules/m/functions/g.pp", "function m::g() { }\n"),
    ]);
    let renamed = index.rename(&Renaming::new(Kind::Class, "m::a", "n").unwrap()).expect("it can be done");
    let text = |path: &str| {
        let path = format!("/code/production/{path}");
        let file = renamed.files.iter().find(|(at, _)| at.as_deref() == Some(path.as_str()));
        file.map(|(_, text)| text.as_str())
    };
    assert_eq!(renamed.files.len(), 5);
    let site = "node default { include n }\n$x = lookup('n::port') + lookup('m::a::other')\n";
    assert_eq!(text("manifests/site.pp"), Some(site));
    assert_eq!(text("modules/m/manifests/a.pp"), Some("class n ($port = 80) { }\n"));
    assert_eq!(text("modules/m/templates/t.epp"), Some("<%= $n::port %> m::a\n"));
    let data = "n::port: 1 # m::a::port\n'n::port' : m::a\nm::a::other: m::a\nlookup_options:\n  n::port:\n    merge: m::a::port\n";
    assert_eq!(text("modules/m/data/common.yaml"), Some(data));
    assert_eq!(text("modules/m/data/x.json"), Some("{\"n::port\": \"m::a::port\"}"));
    let (from, to) = &renamed.moves[0];
    assert_eq!(&**from, "/code/production/modules/m/manifests/a.pp");
    assert_eq!(to, "/code/production/modules/n/manifests/init.pp");

    let refused = |kind, from: &str, to: &str| {
        index.rename(&Renaming::new(kind, from, to).unwrap()).unwrap_err().message
    };
    assert_eq!(refused(Kind::Class, "m::c", "n"), "there is no class 'm::c'");
    assert_eq!(refused(Kind::Class, "m::a", "m::b"), "'m::b' is defined already");
    assert_eq!(refused(Kind::Function, "m::f", "m::h"), "the function 'm::f' is written in Ruby");
    let moved = index.rename(&Renaming::new(Kind::Function, "m::g", "m::h::i").unwrap()).unwrap().moves;
    assert_eq!(moved[0].1, "/code/production/modules/m/functions/h/i.pp");
}
