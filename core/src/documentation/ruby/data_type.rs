//! Data types that are written in Ruby: `Puppet::DataTypes.create_type('Name') do interface <<-PUPPET … end`.
//!
//! Follows puppet-strings' `handlers/ruby/data_type_handler.rb`: the interface says which attributes and functions there are.

use std::sync::Arc;

use indexmap::IndexMap;
use lib_ruby_parser::nodes;
use lib_ruby_parser::traverse::visitor::{self, Visitor};
use serde_json::{Map, Value as Json};

use super::File;
use super::call::Call;
use crate::documentation::Documentation;
use crate::documentation::docstring::{Docstring, strip};
use crate::documentation::entry::DataType;
use crate::documentation::tag::Tag;
use crate::pcore::types::{NoTypes, Type, TypeKind};
use crate::source::Source;
use crate::syntax::ast::{Node, NodeId, Program};
use crate::syntax::{ParseOptions, parse};

/// How deep an interface may nest.
const DEEPEST: u32 = 50;

/// Adds a data type.
pub(super) fn create_type(file: &File<'_>, documentation: &mut Documentation, call: &Call<'_>) {
    let Some(name) = call.argument(0).and_then(|name| file.literal(name)) else { return };
    let mut finder = Interface { file, text: None };
    call.body().iter().for_each(|statement| finder.visit(statement));
    let interface = finder.text.map(|text| read_interface(&text)).unwrap_or_default();
    let mut docstring = file.documented(call.node);
    let directives = std::mem::take(&mut docstring.directives);
    let defaults = document_attributes(&mut docstring, &interface);
    docstring.make_public();
    let functions = functions(&name, &directives, &interface);
    documentation.data_types.retain(|other| other.name != name);
    let (file_name, line) = (file.name.to_owned(), file.line(call.node));
    documentation.data_types.push(DataType { name, file: file_name, line, docstring, defaults, functions });
}

/// The first text that `interface` is given.
struct Interface<'a, 't> {
    file: &'a File<'t>,
    text: Option<String>,
}

impl Visitor for Interface<'_, '_> {
    fn on_send(&mut self, node: &nodes::Send) {
        if node.method_name == "interface" && self.text.is_none() {
            self.text = node.args.first().and_then(|text| self.file.literal(text));
        }
        visitor::visit_send(self, node);
    }
}

/// Attributes are documented as parameters, whatever the comment has of them.
fn document_attributes(docstring: &mut Docstring, interface: &Map<String, Json>) -> IndexMap<String, Json> {
    let mut defaults = IndexMap::new();
    let attributes = interface.get("attributes").and_then(Json::as_object);
    let attributes: Vec<_> = attributes.into_iter().flatten().collect();
    docstring.tags.retain(|tag| {
        let is_attribute = |(name, _): &(&String, &Json)| Some(*name) == tag.name.as_ref();
        tag.tag_name != "param" || attributes.iter().any(is_attribute)
    });
    for (name, of) in attributes {
        let written = of.as_str().or_else(|| of["type"].as_str());
        let types = written.map_or("Any", |of| of);
        let own = |tag: &&mut Tag| tag.tag_name == "param" && tag.name.as_ref() == Some(name);
        match docstring.tags.iter_mut().find(own) {
            Some(tag) => tag.types = Some(vec![Some(types.to_owned())]),
            None => docstring.tags.push(Tag::new("param", "").typed(types).named(name)),
        }
        if let Some(default) = of.get("value").filter(|default| !default.is_null()) {
            defaults.insert(name.clone(), default.clone());
        }
    }
    defaults
}

/// The functions of the interface, with what `@!method` says of them.
fn functions(
    type_name: &str,
    directives: &[(String, String)],
    interface: &Map<String, Json>,
) -> Vec<(String, String, Docstring)> {
    let declared = interface.get("functions").and_then(Json::as_object);
    let of_type = |name: &str| declared?.get(name)?.as_str().map(callable);
    let mut told: Vec<(String, Docstring)> = Vec::new();
    for (_, text) in directives.iter().filter(|(name, _)| name == "method") {
        let (head, body) = text.split_once('\n').unwrap_or((text, ""));
        let name = strip(head).split(['(', ' ']).next().unwrap_or_default();
        if of_type(name).is_some() {
            told.push((name.to_owned(), Docstring::parse(body)));
        }
    }
    for (name, _) in declared.into_iter().flatten() {
        if !told.iter().any(|(own, _)| own == name) {
            told.push((name.clone(), Docstring::default()));
        }
    }
    let finish = |(name, mut docstring): (String, Docstring)| {
        let (parameters, returned) = of_type(&name).unwrap_or_default();
        let mut count = 0;
        docstring.tags.retain_mut(|tag| {
            if tag.tag_name != "param" {
                return true;
            }
            let of = parameters.get(count).cloned();
            count += 1;
            tag.types = Some(vec![of.clone()]);
            of.is_some()
        });
        for (index, of) in parameters.iter().enumerate().skip(count) {
            docstring.tags.push(Tag::new("param", "").typed(of).named(&format!("param{}", index + 1)));
        }
        match docstring.tag_mut("return") {
            Some(tag) => tag.types = Some(vec![returned]),
            None => docstring.tags.insert(0, Tag { types: Some(vec![returned]), ..Tag::new("return", "") }),
        }
        let names: Vec<&str> = docstring.tags_named("param").filter_map(|tag| tag.name.as_deref()).collect();
        let list = if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) };
        (name.clone(), format!("{type_name}.{name}{list}"), docstring)
    };
    told.into_iter().map(finish).collect()
}

/// The types of what a Callable takes and gives.
fn callable(text: &str) -> (Vec<String>, Option<String>) {
    let Ok(of) = Type::parse(text, &NoTypes) else { return (Vec::new(), None) };
    let TypeKind::Callable(parts) = of.kind() else { return (Vec::new(), None) };
    let parameters = match parts.parameters.as_ref().map(Type::kind) {
        Some(TypeKind::Tuple { types, .. }) => types.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    };
    (parameters, parts.returns.as_ref().map(ToString::to_string))
}

/// The members of an interface; what is not literal is left out.
fn read_interface(text: &str) -> Map<String, Json> {
    let source = Arc::new(Source::new(None, format!("{{ {text} }}")));
    let Ok(program) = parse(source, &ParseOptions::default()) else { return Map::new() };
    match value(&program, program.body(), 0) {
        Json::Object(members) => members,
        _ => Map::new(),
    }
}

fn value(program: &Program, id: NodeId, depth: u32) -> Json {
    if depth > DEEPEST {
        return Json::Null;
    }
    let inner = |id: &NodeId| value(program, *id, depth + 1);
    match program.node(id) {
        Node::AccessExpression { .. } | Node::QualifiedReference { .. } => program.extent_text(id).into(),
        Node::LiteralString { value } | Node::QualifiedName { value } => program.text(*value).into(),
        Node::LiteralInteger { .. } | Node::LiteralFloat { .. } | Node::UnaryMinusExpression { .. } => {
            serde_json::from_str(program.extent_text(id)).unwrap_or_default()
        }
        Node::LiteralBoolean { value } => (*value).into(),
        Node::LiteralDefault {} => "default".into(),
        Node::BlockExpression { statements } => program.list(*statements).last().map_or(Json::Null, inner),
        Node::LiteralList { values } => program.list(*values).iter().map(inner).collect(),
        Node::LiteralHash { entries } => {
            let entry = |&entry: &NodeId| {
                let Node::KeyedEntry { key, value } = program.node(entry) else { return None };
                Some((inner(key).as_str()?.to_owned(), inner(value)))
            };
            Json::Object(program.list(*entries).iter().filter_map(entry).collect())
        }
        _ => Json::Null,
    }
}
