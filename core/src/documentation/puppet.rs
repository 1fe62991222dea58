//! Documentation of what manifests define: classes, defined types, functions, plans and aliases of types.
//!
//! Follows puppet-strings' `parsers/puppet` and `handlers/puppet`: what is said stands in the comment right above.

use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::docstring::{Docstring, strip};
use super::entry::{Definition, Function, FunctionKind, TypeAlias};
use super::tag::{Tag, pattern};
use super::{Documentation, Failure};
use crate::source::Source;
use crate::syntax::ast::{List, Node, NodeId, Program};
use crate::syntax::{ParseOptions, parse};

/// Adds what a manifest defines.
pub(super) fn read(documentation: &mut Documentation, file: &str, text: &str) {
    let options = ParseOptions { tasks: true, ..ParseOptions::default() };
    match parse(Arc::new(Source::new(Some(file), text)), &options) {
        Ok(program) => {
            let reader = Reader { program: &program, file, lines: text.lines().collect() };
            for &id in program.definitions() {
                reader.definition(documentation, id);
            }
        }
        Err(error) => {
            let failure = Failure { file: file.to_owned(), message: error.message.clone() };
            documentation.failures.push(failure);
        }
    }
}

struct Reader<'a> {
    program: &'a Program,
    file: &'a str,
    lines: Vec<&'a str>,
}

static COMMENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"\A\s*#+\s?"));

impl Reader<'_> {
    fn definition(&self, documentation: &mut Documentation, id: NodeId) {
        match *self.program.node(id) {
            Node::HostClassDefinition { name, parameters, parent_class, .. } => {
                let inherits = parent_class.map(|parent| self.program.text(parent).to_owned());
                let class = Definition { inherits, ..self.plain(id, self.program.text(name), parameters) };
                Definition::add(&mut documentation.classes, class);
            }
            Node::ResourceTypeDefinition { name, parameters, .. } => {
                let define = self.plain(id, self.program.text(name), parameters);
                Definition::add(&mut documentation.defined_types, define);
            }
            Node::PlanDefinition { name, parameters, .. } => {
                let plan = self.plain(id, self.program.text(name), parameters);
                Definition::add(&mut documentation.plans, plan);
            }
            Node::FunctionDefinition { name, parameters, return_type, .. } => {
                let of = self.plain(id, self.program.text(name), parameters);
                let returned = return_type.map(|of| self.text(of).replace(">> ", ""));
                documentation.add_function(function(of, returned));
            }
            Node::TypeAlias { name, type_expr } => {
                let (line, mut docstring) = self.documented(id);
                docstring.make_public();
                documentation.add_alias(TypeAlias {
                    name: self.program.text(name).to_owned(),
                    file: self.file.to_owned(),
                    line,
                    docstring,
                    alias_of: type_expr.map(|of| self.aliased(of)).unwrap_or_default(),
                });
            }
            _ => {}
        }
    }

    fn plain(&self, id: NodeId, name: &str, parameters: List) -> Definition {
        let (line, mut docstring) = self.documented(id);
        let mut defaults = Vec::new();
        for &parameter in self.program.list(parameters) {
            let Node::Parameter { name, value, type_expr, .. } = *self.program.node(parameter) else {
                continue;
            };
            let name = self.program.text(name);
            let of = type_expr.map(|of| self.text(of));
            defaults.push((name.to_owned(), value.map(|value| self.text(value).to_owned())));
            let own = |tag: &&mut Tag| tag.tag_name == "param" && tag.name.as_deref() == Some(name);
            match (docstring.tags.iter_mut().find(own), of) {
                (Some(tag), Some(of)) => tag.types = Some(vec![Some(of.to_owned())]),
                (Some(tag), None) if tag.types.is_none() => tag.types = Some(vec![Some("Any".to_owned())]),
                (Some(_), None) => {}
                (None, of) => {
                    docstring.tags.push(Tag::new("param", "").typed(of.unwrap_or("Any")).named(name));
                }
            }
        }
        docstring.make_public();
        Definition {
            name: name.to_owned(),
            file: self.file.to_owned(),
            line,
            inherits: None,
            docstring,
            parameters: defaults,
            source: self.program.extent_text(id).to_owned(),
        }
    }

    /// The line of a definition, and the comment above it.
    fn documented(&self, id: NodeId) -> (usize, Docstring) {
        let line = self.program.location(id).line.unwrap_or_default() as usize;
        let above = self.lines.iter().take(line.saturating_sub(1)).rev();
        let comment = above.map_while(|text| {
            let text = strip(text);
            let found = COMMENT.find(text)?;
            text.get(found.end()..)
        });
        let mut comment: Vec<&str> = comment.collect();
        comment.reverse();
        (line, Docstring::parse(&comment.join("\n")))
    }

    /// The text of an expression with all below it, as the reference's `extract_tree_text` has it: that of a heredoc goes on
    /// into its text.
    fn text(&self, id: NodeId) -> &str {
        let mut extent = self.program.extent(id);
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            extent = extent.to(self.program.span(id));
            self.program.each_child(id, |child| open.push(child));
        }
        self.program.source().slice(extent)
    }

    fn aliased(&self, id: NodeId) -> String {
        match *self.program.node(id) {
            Node::AccessExpression { left_expr, keys } => {
                let text = |&id: &NodeId| self.text(id);
                let keys: Vec<&str> = self.program.list(keys).iter().map(text).collect();
                format!("{}[{}]", text(&left_expr), keys.join(", "))
            }
            _ => self.text(id).to_owned(),
        }
    }
}

fn function(of: Definition, returned: Option<String>) -> Function {
    let mut docstring = of.docstring;
    match (docstring.tag_mut("return"), returned) {
        (Some(tag), Some(returned)) => tag.types = Some(vec![Some(returned)]),
        (Some(tag), None) if tag.types.is_none() => tag.types = Some(vec![Some("Any".to_owned())]),
        (Some(_), None) => {}
        (None, returned) => {
            docstring.tags.push(Tag::new("return", "").typed(returned.as_deref().unwrap_or("Any")));
        }
    }
    Function {
        name: of.name,
        file: of.file,
        line: of.line,
        kind: FunctionKind::Puppet,
        docstring,
        parameters: of.parameters,
        source: without_indentation(&of.source),
    }
}

/// A text without the indentation of its last line.
pub(super) fn without_indentation(text: &str) -> String {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let last = text.rsplit('\n').next().unwrap_or_default();
    let indent = last.len() - last.trim_start_matches([' ', '\t']).len();
    let cut = |line: &str| {
        let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
        line.get(if blank >= indent { indent } else { 0 }..).unwrap_or_default().to_owned()
    };
    text.split('\n').map(cut).collect::<Vec<_>>().join("\n")
}
