//! What functions in Ruby keep from one call to another, and what they cannot keep.

use std::sync::Arc;

use bunraku::{Environment, MemoryHost, NodeInput};

/// The error of a manifest that calls `m::f`, whose method has this body, twice; nothing if there is none.
fn twice(body: &str) -> Option<String> {
    let mut host = MemoryHost::new();
    host.add("/e/manifests/site.pp", "m::f()\nm::f()\n");
    let text = format!(
        "class One\n  class << self\n    attr_accessor :own\n  end\n  def self.of_all(made = nil)\n    \
         made ? @@all ||= made : (defined?(@@all) ? @@all : nil)\n  end\nend\n\
         Puppet::Functions.create_function(:'m::f') do\n  dispatch(:f) {{}}\n  def f\n    one = Object.new\n    \
         def one.count\n      @count = (@count || 0) + 1\n    end\n    {body}\n    nil\n  end\nend\n"
    );
    host.add("/e/modules/m/lib/puppet/functions/m/f.rb", text);
    let loaded = Environment::builder("production").host(Arc::new(host)).directory("/e").load();
    let environment = loaded.expect("the environment can be loaded");
    let catalog = environment.compilation(NodeInput::new("a.example.net")).run().catalog;
    catalog.err().map(|error| error.message)
}

#[test]
fn objects_with_methods_of_their_own_are_refused_wherever_they_are_kept() {
    for (body, place) in [
        ("($one ||= one).count", "global variable ($one)"),
        ("$one ? $one.count : $one = one", "global variable ($one)"),
        ("defined?($one) ? 1 : $one = one", "global variable ($one)"),
        ("$all = [one] unless $all\n    $all[0].count", "global variable ($all)"),
        ("(@one ||= one).count", "function (@one)"),
        ("@one ? @one.count : @one = one", "function (@one)"),
        ("(One.own ||= one).count", "class (@own of One)"),
        ("One.of_all(one).count", "class (@@all of One)"),
        ("One.of_all ? 1 : One.of_all(one)", "class (@@all of One)"),
    ] {
        let error = twice(body).unwrap_or_default();
        assert!(
            error.contains(&format!("object that an earlier call has kept in a {place}")),
            "{body}: {error}"
        );
    }
}

#[test]
fn what_a_call_makes_anew_it_can_use() {
    for body in
        ["$one = one\n    $one.count", "@one = one\n    @one.count", "One.own = one\n    One.own.count"]
    {
        assert_eq!(twice(body), None, "{body}");
    }
}
