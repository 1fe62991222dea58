//! Reads the files in an environment's `.resource_types` that `puppet generate types` writes: a call of
//! `Puppet::Resource::ResourceType3.new` with literals.
//!
//! Follows the reference's `pops/resource/resource_type_impl.rb`.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::{AttributeKind, ResourceType, Titles};
use bunraku_pcore::value::{RegexpValue, Str};
use bunraku_stacks::COROUTINES;
use bunraku_syntax::ast::{Node, NodeId, Program};
use bunraku_syntax::source::Source;
use bunraku_syntax::{ParseOptions, parse};

/// The resource type in a file, `None` when the file holds something else.
pub fn read(path: &str, text: &str) -> Option<ResourceType> {
    let options = ParseOptions { stacks: COROUTINES, ..ParseOptions::default() };
    let program = parse(Arc::new(Source::new(Some(path), text)), &options).ok()?;
    let Node::CallMethodExpression { functor_expr, arguments, .. } = *program.node(program.body()) else {
        return None;
    };
    let Node::NamedAccessExpression { left_expr, right_expr } = *program.node(functor_expr) else {
        return None;
    };
    if reference(&program, left_expr)? != "Puppet::Resource::ResourceType3"
        || !matches!(*program.node(right_expr), Node::QualifiedName { value } if program.text(value) == "new")
    {
        return None;
    }
    let arguments = program.list(arguments);
    let name = Str::from(literal(&program, *arguments.first()?)?);
    let mut read = Attributes::default();
    for (list, kind) in arguments.iter().skip(1).zip([AttributeKind::Property, AttributeKind::Parameter]) {
        read.add(&program, *list, kind)?;
    }
    let patterns = match arguments.get(3) {
        Some(hash) => title_patterns(&program, *hash)?,
        None => None,
    };
    let titles = match (patterns, read.keys.as_slice()) {
        (_, []) => Titles::Unread,
        (Some(patterns), _) => Titles::Patterns(patterns),
        (None, [key]) => Titles::Whole(key.clone()),
        (None, _) => Titles::Unread,
    };
    let is_false = |id: &NodeId| matches!(program.node(*id), Node::LiteralBoolean { value: false });
    let isomorphic = !arguments.get(4).is_some_and(is_false);
    let Attributes { names: attributes, keys } = read;
    let features = Vec::new();
    let value_types = Vec::new();
    Some(ResourceType {
        name,
        keys,
        attributes,
        features,
        accepts_all: false,
        isomorphic,
        titles,
        value_types,
    })
}

/// The properties and parameters of a type.
#[derive(Default)]
struct Attributes {
    names: IndexMap<Str, AttributeKind, FxBuildHasher>,
    keys: Vec<Str>,
}

impl Attributes {
    /// Adds those of a list of `Puppet::Resource::Param(Type, 'name', is_namevar)`.
    fn add(&mut self, program: &Program, list: NodeId, kind: AttributeKind) -> Option<()> {
        let Node::LiteralList { values } = *program.node(list) else { return None };
        for &value in program.list(values) {
            let Node::CallNamedFunctionExpression { functor_expr, arguments, .. } = *program.node(value)
            else {
                return None;
            };
            if reference(program, functor_expr)? != "Puppet::Resource::Param" {
                return None;
            }
            let arguments = program.list(arguments);
            let name = Str::from(literal(program, *arguments.get(1)?)?);
            let is_true = |id: &NodeId| matches!(program.node(*id), Node::LiteralBoolean { value: true });
            if arguments.get(2).is_some_and(is_true) {
                self.keys.push(name.clone());
            }
            self.names.insert(name, kind);
        }
        Some(())
    }
}

type Patterns = Vec<(RegexpValue, Vec<Str>)>;

/// The patterns of a hash of regular expressions to lists of names; `None` without a hash.
fn title_patterns(program: &Program, hash: NodeId) -> Option<Option<Patterns>> {
    let Node::LiteralHash { entries } = *program.node(hash) else { return Some(None) };
    let entries = program.list(entries).iter().map(|&entry| {
        let Node::KeyedEntry { key, value } = *program.node(entry) else { return None };
        let Node::LiteralRegularExpression { pattern } = *program.node(key) else { return None };
        let Node::LiteralList { values } = *program.node(value) else { return None };
        let names = program.list(values).iter().map(|&name| literal(program, name).map(Str::from));
        Some((RegexpValue::new(program.text(pattern)), names.collect::<Option<Vec<_>>>()?))
    });
    entries.collect::<Option<Vec<_>>>().map(Some)
}

fn reference(program: &Program, id: NodeId) -> Option<&str> {
    match *program.node(id) {
        Node::QualifiedReference { cased_value } => Some(program.text(cased_value)),
        _ => None,
    }
}

fn literal(program: &Program, id: NodeId) -> Option<&str> {
    match *program.node(id) {
        Node::LiteralString { value } | Node::QualifiedName { value } => Some(program.text(value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_generate_types_writes_is_read() {
        let text = "# This file was automatically generated\n\
            Puppet::Resource::ResourceType3.new(\n  'mine',\n  [\n    # A property\n    \
            Puppet::Resource::Param(Enum['present', 'absent'], 'ensure')\n  ],\n  [\n    \
            Puppet::Resource::Param(Any, 'name', true),\n\n    Puppet::Resource::Param(Any, 'kind', true),\n\n    \
            Puppet::Resource::Param(Any, 'other')\n  ],\n  {\n    /(?m-ix:\\A(.*)@(.*)\\z)/ => ['name', 'kind']\n  },\n  \
            false,\n  false)\n";
        let of = read("/mine.pp", text).expect("a type");
        assert_eq!((&*of.name, of.keys.len(), of.isomorphic), ("mine", 2, false));
        assert!(of.has_parameter("ensure") && of.has_parameter("other") && !of.has_parameter("none"));
        let pairs = of.parse_title("a@b").expect("the pattern fits");
        assert_eq!(pairs.as_slice(), [("name".into(), "a".into()), ("kind".into(), "b".into())]);
        assert!(read("/mine.pp", "notice(1)").is_none());
    }
}
