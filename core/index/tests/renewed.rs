//! An index after changes of files.

use std::sync::Arc;

use bunraku_engine::loader::{Environment, EnvironmentOptions};
use bunraku_host::memory::MemoryHost;
use bunraku_index::{Index, Kind, Role, Usage};

const MODULE: &str = "/code/production/modules/m";

fn environment(files: &[(&str, &str)]) -> Environment {
    let mut host = MemoryHost::new();
    host.add("/code/production/manifests/site.pp", "include m\nm::d { 'x': }");
    host.add(format!("{MODULE}/manifests/init.pp"), "class m { notice(m::f($facts['os'])) }");
    for (path, text) in files {
        host.add(format!("{MODULE}/{path}"), *text);
    }
    let options = EnvironmentOptions {
        name: "production".into(),
        environmentpath: vec!["/code".into()],
        ..EnvironmentOptions::default()
    };
    Environment::load(Arc::new(host), options).expect("the environment is loaded")
}

fn names(index: &Index, kind: Kind) -> Vec<&str> {
    index.all(kind).map(|place| place.item.name.as_str()).collect()
}

#[test]
fn files_are_read_for_what_they_are() {
    let files = [
        ("manifests/d.pp", "# Does it\ndefine m::d(Integer $n = 1) { }"),
        ("functions/f.pp", "function m::f($x) { $x }"),
        ("types/t.pp", "type M::T = Integer"),
        ("lib/puppet/functions/m/g.rb", "Puppet::Functions.create_function(:'m::g') {}"),
        ("lib/puppet/type/own.rb", "Puppet::Type.newtype(:own) {}"),
        ("lib/facter/own.rb", "Facter.add(:own_fact) { setcode { 1 } }"),
        ("tasks/go.json", "{}"),
        ("data/common.yaml", "m::x: 1\n"),
        ("templates/a.epp", "<%- | $p | -%>"),
    ];
    let index = Index::of(&environment(&files), &|| Ok(())).expect("nothing ends it");
    for (kind, wanted) in [
        (Kind::Class, vec!["m"]),
        (Kind::DefinedType, vec!["m::d"]),
        (Kind::Function, vec!["m::f", "m::g"]),
        (Kind::Type, vec!["m::t"]),
        (Kind::ResourceType, vec!["own"]),
        (Kind::Fact, vec!["own_fact"]),
        (Kind::Task, vec!["m::go"]),
        (Kind::DataKey, vec!["m::x"]),
        (Kind::Template, vec!["m/a.epp"]),
    ] {
        assert_eq!(names(&index, kind), wanted, "{kind:?}");
    }
    let define = index.find(Kind::DefinedType, "m::d").expect("it is there");
    assert_eq!(define.item.documentation.as_deref(), Some("Does it"));
    assert_eq!((define.file.role, define.item.parameters[0].is_required()), (Role::Manifest, false));
    let calls: Vec<_> = index.references(Kind::Function, "m::f").map(|place| place.item.usage).collect();
    assert_eq!(calls, [Usage::Call]);
    let unused: Vec<&str> = index.unused().iter().map(|place| place.item.name.as_str()).collect();
    assert_eq!(unused, ["m::t", "m/a.epp", "m::g"]);
}

#[test]
fn one_file_is_renewed_alone() {
    let path = format!("{MODULE}/manifests/d.pp");
    let check = || Ok(());
    let mut index = Index::of(&environment(&[]), &check).expect("nothing ends it");
    assert!(!index.has(Kind::DefinedType, "m::d"));
    let made = environment(&[("manifests/d.pp", "define m::d() { }")]);
    index.renew(&made, &path, &check).expect("nothing ends it");
    assert!(index.has(Kind::DefinedType, "m::d"));
    let changed = environment(&[("manifests/d.pp", "define m::other() { }")]);
    index.renew(&changed, &path, &check).expect("nothing ends it");
    assert_eq!(names(&index, Kind::DefinedType), ["m::other"]);
    assert!(!index.has(Kind::DefinedType, "m::d") && index.has(Kind::Class, "m"));
    index.renew(&environment(&[]), &path, &check).expect("nothing ends it");
    assert_eq!(names(&index, Kind::DefinedType), [""; 0]);
    assert_eq!(index.references(Kind::DefinedType, "m::d").count(), 1);
    index.renew(&made, "/elsewhere/a.pp", &check).expect("nothing ends it");
    assert!(index.file("/elsewhere/a.pp").is_none());
}
