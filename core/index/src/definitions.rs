//! The definitions in a file.

use bunraku_syntax::ast::{self, List, Node, NodeId, Program, Text};
use bunraku_syntax::source::Span;
use serde_json::Value as Json;

use super::{Definition, FileIndex, Kind, Parameter, Role, keys};

/// The definitions of a program, in source order.
pub(crate) fn of_program(program: &Program, file: &FileIndex) -> Vec<Definition> {
    let mut found: Vec<Definition> =
        program.definitions().iter().flat_map(|&id| of_node(program, id)).collect();
    if file.role == Role::Epp {
        found.extend(template(program, file));
    }
    found.sort_by_key(|one| (one.span.start, std::cmp::Reverse(one.span.end)));
    found
}

/// The name in the form in which it is looked up.
pub(crate) fn absolute(name: &str) -> String {
    name.strip_prefix("::").unwrap_or(name).to_lowercase()
}

pub(crate) fn of_node(program: &Program, id: NodeId) -> Vec<Definition> {
    let named = |kind: Kind, name: Text, parameters: List| {
        let parent = match *program.node(id) {
            Node::HostClassDefinition { parent_class: Some(parent), .. } => {
                Some(absolute(program.text(parent))).filter(|parent| !parent.is_empty())
            }
            _ => None,
        };
        let name = program.text(name);
        Definition {
            kind,
            name: absolute(name),
            span: program.extent(id),
            name_span: name_span(program, id, name),
            node: Some(id),
            documentation: program.documentation(id),
            parameters: parameters_of(program, parameters),
            parent,
        }
    };
    match *program.node(id) {
        Node::HostClassDefinition { name, parameters, .. } => vec![named(Kind::Class, name, parameters)],
        Node::ResourceTypeDefinition { name, parameters, .. } => {
            vec![named(Kind::DefinedType, name, parameters)]
        }
        Node::FunctionDefinition { name, parameters, .. } => vec![named(Kind::Function, name, parameters)],
        Node::PlanDefinition { name, parameters, .. } => vec![named(Kind::Plan, name, parameters)],
        Node::TypeAlias { name, .. } | Node::TypeDefinition { name, .. } => {
            vec![named(Kind::Type, name, List::EMPTY)]
        }
        Node::NodeDefinition { host_matches, .. } => {
            let host = |&name: &NodeId| Definition {
                kind: Kind::Node,
                name: program.source_text(name).trim_matches(['\'', '"']).to_owned(),
                span: program.extent(id),
                name_span: program.span(name),
                node: Some(id),
                documentation: program.documentation(id),
                parameters: Vec::new(),
                parent: None,
            };
            program.list(host_matches).iter().map(host).collect()
        }
        _ => Vec::new(),
    }
}

/// The place of a definition's name: after its keyword.
fn name_span(program: &Program, id: NodeId, name: &str) -> Span {
    let extent = program.extent(id);
    let text = program.source().slice(extent);
    // The extent of a type's definition begins with its name.
    let keyword = match program.node(id).kind() {
        ast::Kind::TypeAlias | ast::Kind::TypeDefinition => 0,
        _ => text.find(char::is_whitespace).unwrap_or(0),
    };
    match text.get(keyword..).and_then(|rest| rest.find(name)) {
        Some(at) => {
            let start = extent.start + (keyword + at) as u32;
            Span::new(start, start + name.len() as u32)
        }
        None => extent,
    }
}

/// The parameters of a definition or a lambda.
pub(crate) fn parameters_of(program: &Program, list: List) -> Vec<Parameter> {
    let parameter = |&id: &NodeId| match *program.node(id) {
        Node::Parameter { name, value, type_expr, captures_rest } => Some(Parameter {
            name: program.text(name).to_owned(),
            type_text: type_expr.map(|of| program.extent_text(of).to_owned()),
            default_text: value.map(|value| program.extent_text(value).to_owned()),
            captures_rest,
            span: program.span(id),
            node: Some(id),
        }),
        _ => None,
    };
    program.list(list).iter().filter_map(parameter).collect()
}

/// The template of an EPP file.
fn template(program: &Program, file: &FileIndex) -> Option<Definition> {
    let Node::LambdaExpression { parameters, .. } = *program.node(program.body()) else { return None };
    Some(Definition {
        kind: Kind::Template,
        name: template_name(file)?,
        span: program.extent(program.body()),
        name_span: Span::new(0, 0),
        node: Some(program.body()),
        documentation: None,
        parameters: parameters_of(program, parameters),
        parent: None,
    })
}

/// `module/dir/name.epp`, the name of a template in functions.
fn template_name(file: &FileIndex) -> Option<String> {
    let (module, path) = (file.module.as_deref()?, file.path.as_deref()?);
    let (_, rest) = path.rsplit_once("/templates/")?;
    Some(format!("{module}/{rest}"))
}

/// The definitions of a file that is not written in the language.
pub(crate) fn of_others(file: &mut FileIndex) {
    let Some(path) = file.path.as_deref() else { return };
    let stem = |after: &str, ending: &str| {
        let (_, rest) = path.rsplit_once(after)?;
        Some(rest.strip_suffix(ending)?.replace('/', "::"))
    };
    let whole = |kind: Kind, name: String| Definition {
        kind,
        name,
        span: Span::new(0, 0),
        name_span: Span::new(0, 0),
        node: None,
        documentation: None,
        parameters: Vec::new(),
        parent: None,
    };
    let found: Vec<Definition> = match file.role {
        Role::Erb => template_name(file).map(|name| whole(Kind::Template, name)).into_iter().collect(),
        Role::RubyFunction => {
            stem("/functions/", ".rb").map(|name| whole(Kind::Function, name)).into_iter().collect()
        }
        Role::ResourceType => {
            stem("/type/", ".rb").map(|name| whole(Kind::ResourceType, name)).into_iter().collect()
        }
        Role::Task => {
            let name = stem("/tasks/", ".json").zip(file.module.as_deref());
            let full = |(name, module): (String, &str)| match name.as_str() {
                "init" => module.to_owned(),
                _ => format!("{module}::{name}"),
            };
            name.map(|both| whole(Kind::Task, full(both))).into_iter().collect()
        }
        Role::Fact => {
            let fact = |(at, name): (usize, String)| Definition {
                span: Span::new(at as u32, (at + name.len()) as u32),
                ..whole(Kind::Fact, name)
            };
            facts(file.source.text()).into_iter().map(fact).collect()
        }
        Role::Data => {
            let key = |(name, span): (String, Span)| Definition {
                span,
                name_span: span,
                ..whole(Kind::DataKey, name)
            };
            keys_of(file.source.text(), path).into_iter().map(key).collect()
        }
        _ => Vec::new(),
    };
    file.definitions = found;
}

/// The names of facts that a Ruby file adds, with their places.
fn facts(text: &str) -> Vec<(usize, String)> {
    let calls = text.match_indices("Facter.add");
    let name = |(at, word): (usize, &str)| {
        let rest = text.get(at + word.len()..)?;
        let begin = rest.find(|char: char| !matches!(char, '(' | ' ' | ':' | '\'' | '"'))?;
        let name: String = rest
            .get(begin..)?
            .chars()
            .take_while(|char| char.is_alphanumeric() || matches!(char, '_' | '.'))
            .collect();
        (!name.is_empty()).then_some((at + word.len() + begin, name))
    };
    calls.filter_map(name).collect()
}

/// The keys of a data file in JSON or YAML, depending on the extension of its path, with their places.
pub fn keys_of(text: &str, path: &str) -> Vec<(String, Span)> {
    if path.ends_with(".json") { json_keys(text) } else { keys::of_yaml(text) }
}

/// The keys of a JSON object, with their places.
fn json_keys(text: &str) -> Vec<(String, Span)> {
    let Ok(Json::Object(members)) = serde_json::from_str::<Json>(text) else { return Vec::new() };
    let place = |name: String| {
        let quoted = format!("\"{name}\"");
        let at = text.find(&quoted)? as u32 + 1;
        let span = Span::new(at, at + name.len() as u32);
        Some((name, span))
    };
    members.into_iter().filter_map(|(name, _)| place(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_have_names_and_places() {
        let text = "Facter.add('a_b') { }\nFacter.add(:c) do\nend\nFacter.add(name)\n";
        let found: Vec<_> = facts(text).into_iter().map(|(at, name)| (&text[at..at + 1], name)).collect();
        let wanted = [("a", "a_b"), ("c", "c"), ("n", "name")].map(|(first, name)| (first, name.to_owned()));
        assert_eq!(found, wanted);
    }
}
