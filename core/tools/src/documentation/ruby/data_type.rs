//! Data types that are written in Ruby: `Puppet::DataTypes.create_type('Name') do interface <<-PUPPET … end`.
//!
//! Follows puppet-strings' `handlers/ruby/data_type_handler.rb`: the interface declares the attributes and
//! functions.

use std::sync::Arc;

use indexmap::IndexMap;
use lib_ruby_parser::nodes;
use lib_ruby_parser::traverse::visitor::{self, Visitor};
use serde_json::{Map, Value as Json};

use super::File;
use super::call::Call;
use super::plain::{self, Declared};
use crate::documentation::Documentation;
use crate::documentation::docstring::Docstring;
use crate::documentation::entry::DataType;
use crate::documentation::tag::Tag;
use crate::documentation::warning::Place;
use bunraku_pcore::types::{NoTypes, Type, TypeKind};
use bunraku_stacks::COROUTINES;
use bunraku_syntax::ast::{Node, NodeId, Program};
use bunraku_syntax::source::Source;
use bunraku_syntax::{ParseOptions, parse};

/// The maximum nesting of an interface.
const MAX_DEPTH: u32 = 50;

/// Adds a data type.
pub(super) fn create_type(file: &File<'_>, documentation: &mut Documentation, call: &Call<'_>) {
    let Some(name) = call.argument(0).and_then(|name| file.literal(name)) else { return };
    let place = file.place(call.node);
    let mut docstring = file.documented(call.node);
    documentation.begin(place, "puppet_data_types", &mut docstring);
    let methods = plain::methods(&docstring);
    for method in &methods {
        documentation.warn_of_docstring(place, &method.docstring);
        method.warn(documentation, place);
    }
    docstring.directives.clear();
    let mut finder = Interfaces { file, texts: Vec::new() };
    call.body().iter().for_each(|statement| finder.visit(statement));
    let mut interface = Map::new();
    for text in finder.texts {
        match read_interface(&text) {
            Ok(members) => {
                interface = members;
                break;
            }
            Err(message) => {
                documentation.warn(place, format!("Invalid datatype definition at {place}: {message}"));
            }
        }
    }
    let callables = callables(documentation, place, &interface);
    let defaults = document_attributes(documentation, place, &mut docstring, &interface);
    docstring.make_public();
    let functions = functions(documentation, place, &name, methods, &callables);
    documentation.warn_of_summary(place, "puppet_data_type", &name, &docstring);
    documentation.data_types.retain(|other| other.name != name);
    let (file_name, line) = (file.name.to_owned(), place.line);
    documentation.data_types.push(DataType { name, file: file_name, line, docstring, defaults, functions });
}

/// The texts that `interface` is given.
struct Interfaces<'a, 't> {
    file: &'a File<'t>,
    texts: Vec<String>,
}

impl Visitor for Interfaces<'_, '_> {
    fn on_send(&mut self, node: &nodes::Send) {
        if node.method_name == "interface" {
            self.texts.extend(node.args.first().and_then(|text| self.file.literal(text)));
        }
        visitor::visit_send(self, node);
    }
}

/// The type of an attribute as the interface has it.
fn type_of(attribute: &Json) -> Option<&str> {
    attribute.as_str().or_else(|| attribute["type"].as_str())
}

/// Attributes are documented as parameters, whatever the comment has of them.
fn document_attributes(
    documentation: &mut Documentation,
    place: Place<'_>,
    docstring: &mut Docstring,
    interface: &Map<String, Json>,
) -> IndexMap<String, Json> {
    let mut defaults = IndexMap::new();
    let attributes = interface.get("attributes").and_then(Json::as_object);
    let attributes: Vec<_> = attributes.into_iter().flatten().collect();
    let find = |tag: &Tag| attributes.iter().find(|(name, _)| Some(*name) == tag.name.as_ref());
    for (name, _) in &attributes {
        if !docstring.tags_named("param").any(|tag| tag.name.as_ref() == Some(*name)) {
            documentation.warn(place, format!("Missing @param tag for attribute '{name}' near {place}."));
        }
    }
    for tag in docstring.tags_named("param").filter(|tag| find(tag).is_none()) {
        let name = tag.name.as_deref().unwrap_or_default();
        documentation
            .warn(place, format!("The @param tag for '{name}' has no matching attribute near {place}."));
    }
    for tag in docstring.tags_named("param") {
        let Some((name, of)) = find(tag).and_then(|(name, of)| Some((name, type_of(of)?))) else { continue };
        if tag.types.as_ref().is_some_and(|types| !matches!(types.as_slice(), [Some(own)] if own == of)) {
            let than = "has a different type definition than the actual attribute";
            documentation.warn(place, format!("The @param tag for '{name}' {than} near {place}."));
        }
    }
    docstring.tags.retain(|tag| tag.tag_name != "param" || find(tag).is_some());
    for (name, of) in attributes {
        let types = type_of(of).unwrap_or("Any");
        let own = |tag: &&mut Tag| tag.tag_name == "param" && tag.name.as_ref() == Some(name);
        match docstring.tags.iter_mut().find(own) {
            Some(tag) => tag.types = Some(vec![Some(types.to_owned())]),
            None => docstring.add_tag(Tag::new("param", "").typed(types).named(name)),
        }
        if let Some(default) = of.get("value").filter(|default| !default.is_null()) {
            defaults.insert(name.clone(), default.clone());
        }
    }
    defaults
}

/// The parameters and the result of a function.
#[derive(Default)]
struct Callable {
    parameters: Vec<String>,
    returned: Option<String>,
}

/// The functions of the interface.
fn callables(
    documentation: &mut Documentation,
    place: Place<'_>,
    interface: &Map<String, Json>,
) -> IndexMap<String, Callable> {
    let declared = interface.get("functions").and_then(Json::as_object).into_iter().flatten();
    let mut callables = IndexMap::new();
    for (name, of) in declared {
        let read = Type::parse(of.as_str().unwrap_or_default(), &NoTypes);
        let read = match &read {
            Ok(of) => {
                let callable = callable(of);
                if callable.is_none() {
                    let message =
                        format!("The function definition for '{name}' near {place} is not a Callable type");
                    documentation.warn(place, message);
                }
                callable
            }
            Err(error) => {
                let message =
                    format!("Unable to parse the function definition for '{name}' near {place}. {error}");
                documentation.warn(place, message);
                None
            }
        };
        callables.insert(name.clone(), read.unwrap_or_default());
    }
    callables
}

/// As Ruby shows a list of a type.
fn expected(of: Option<&str>) -> String {
    of.map_or_else(|| "[nil]".to_owned(), |of| format!("[{of:?}]"))
}

/// The functions of the interface, with the text of their `@!method`.
fn functions(
    documentation: &mut Documentation,
    place: Place<'_>,
    type_name: &str,
    methods: Vec<Declared>,
    callables: &IndexMap<String, Callable>,
) -> Vec<(String, String, Docstring)> {
    let mut told: Vec<(String, Docstring)> = Vec::new();
    for method in methods {
        match told.iter_mut().find(|(name, _)| *name == method.name) {
            Some((_, docstring)) => *docstring = method.docstring,
            None => told.push((method.name, method.docstring)),
        }
    }
    for name in callables.keys().filter(|name| !told.iter().any(|(own, _)| own == *name)) {
        documentation.warn(place, format!("Missing @!method tag for function '{name}' near {place}."));
    }
    for (name, _) in told.iter().filter(|(name, _)| !callables.contains_key(name)) {
        let what = format!("The @!method tag for '{name}' has no matching function definition");
        documentation.warn(place, format!("{what} near {place}."));
    }
    told.retain(|(name, _)| callables.contains_key(name));
    for (name, docstring) in &mut told {
        let (Some(tag), Some(of)) = (docstring.tag_mut("return"), callables.get(name)) else { continue };
        let types = vec![of.returned.clone()];
        if tag.types.as_ref() != Some(&types) {
            let what = format!(
                "The @return tag for '{name}' has a different type definition than the actual function"
            );
            let expected = expected(of.returned.as_deref());
            documentation.warn(place, format!("{what} near {place}. Expected {expected}"));
            tag.types = Some(types);
        }
    }
    for (name, of) in callables {
        if told.iter().any(|(own, _)| own == name) {
            continue;
        }
        let mut docstring = Docstring::default();
        for (index, of) in of.parameters.iter().enumerate() {
            docstring.add_tag(Tag::new("param", "").typed(of).named(&format!("param{}", index + 1)));
        }
        told.push((name.clone(), docstring));
    }
    let finish = |(name, mut docstring): (String, Docstring)| {
        let of = callables.get(&name)?;
        document_function(documentation, place, &name, &mut docstring, of);
        let names: Vec<&str> = docstring.tags_named("param").filter_map(|tag| tag.name.as_deref()).collect();
        let list = if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) };
        Some((name.clone(), format!("{type_name}.{name}{list}"), docstring))
    };
    told.into_iter().filter_map(finish).collect()
}

/// A function has the parameters of its type, whatever the comment has of them.
fn document_function(
    documentation: &mut Documentation,
    place: Place<'_>,
    name: &str,
    docstring: &mut Docstring,
    of: &Callable,
) {
    let mut count = 0;
    let limit = of.parameters.len();
    docstring.tags.retain(|tag| {
        if tag.tag_name != "param" {
            return true;
        }
        count += 1;
        if count > limit {
            let own = tag.name.as_deref().unwrap_or_default();
            let what = format!("The @param tag for '{own}' should not exist for function '{name}'");
            let expected = format!("that is defined near {place}. Expected only {limit} parameter/s");
            documentation.warn(place, format!("{what} {expected}"));
        }
        count <= limit
    });
    for (index, of) in of.parameters.iter().enumerate().skip(count) {
        docstring.add_tag(Tag::new("param", "").typed(of).named(&format!("param{}", index + 1)));
    }
    let parameters = docstring.tags.iter_mut().filter(|tag| tag.tag_name == "param");
    for (tag, of) in parameters.zip(&of.parameters) {
        let types = vec![Some(of.clone())];
        if tag.types.as_ref() != Some(&types) {
            let own = tag.name.as_deref().unwrap_or_default();
            let what =
                format!("The @param tag for '{own}' for function '{name}' has a different type definition");
            let expected = expected(Some(of));
            let message = format!("{what} than the actual function near {place}. Expected {expected}");
            documentation.warn(place, message);
            tag.types = Some(types);
        }
    }
    if !docstring.has_tag("return") {
        docstring.tags.insert(0, Tag { types: Some(vec![of.returned.clone()]), ..Tag::new("return", "") });
    }
}

/// The parameter and result types of a Callable; `None` for another type.
fn callable(of: &Type) -> Option<Callable> {
    let TypeKind::Callable(parts) = of.kind() else { return None };
    let parameters = match parts.parameters.as_ref().map(Type::kind) {
        Some(TypeKind::Tuple { types, .. }) => types.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    };
    Some(Callable { parameters, returned: parts.returns.as_ref().map(ToString::to_string) })
}

/// The members of an interface, without computed ones. The error is that of the parser.
fn read_interface(text: &str) -> Result<Map<String, Json>, String> {
    let source = Arc::new(Source::new(None, format!("{{ {text} }}")));
    let program = parse(source, &ParseOptions { stacks: COROUTINES, ..ParseOptions::default() })
        .map_err(|error| error.message.clone())?;
    Ok(match value(&program, program.body(), 0) {
        Json::Object(members) => members,
        _ => Map::new(),
    })
}

fn value(program: &Program, id: NodeId, depth: u32) -> Json {
    if depth > MAX_DEPTH {
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
