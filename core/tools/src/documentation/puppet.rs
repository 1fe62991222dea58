//! Documentation of manifests: classes, defined types, functions, plans and type aliases.
//!
//! Follows puppet-strings' `parsers/puppet` and `handlers/puppet`: the documentation is the comment directly
//! above.

use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::docstring::{Docstring, strip};
use super::entry::{Definition, Function, FunctionKind, TypeAlias};
use super::tag::{Tag, pattern};
use super::warning::Place;
use super::{Documentation, UndocumentedFile};
use bunraku_stacks::COROUTINES;
use bunraku_syntax::ast::{List, Node, NodeId, Program};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::source::Source;
use bunraku_syntax::watch::Watch;
use bunraku_syntax::{ParseOptions, parse_watched};

/// Adds the definitions of a manifest.
///
/// Errors: the watch has cancelled it.
pub(super) fn read(
    documentation: &mut Documentation,
    file: &str,
    text: &str,
    watch: &Watch<'_>,
) -> Result<(), Error> {
    let options = ParseOptions { tasks: true, stacks: COROUTINES, ..ParseOptions::default() };
    match parse_watched(Arc::new(Source::new(Some(file), text)), &options, &mut Vec::new(), watch)? {
        Ok(program) => {
            let reader = Reader { program: &program, file, lines: text.lines().collect() };
            // All comments of a file are read before its definitions.
            for &id in program.definitions().iter().filter(|id| reader.is_documented(**id)) {
                watch.check()?;
                let (line, docstring) = reader.documented(id);
                documentation.warn_of_comment(Place { file, line }, &docstring);
            }
            for &id in program.definitions() {
                watch.check()?;
                reader.definition(documentation, id);
            }
        }
        Err(error) => {
            let failure = UndocumentedFile { file: file.to_owned(), message: error.message.clone() };
            documentation.failures.push(failure);
        }
    }
    Ok(())
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
                let name = self.program.text(name);
                let class = self.plain(documentation, id, "class", name, parameters);
                documentation.warn_of_summary(class.place(), "puppet_class", name, &class.docstring);
                let class = Definition { inherits, ..class };
                Definition::add(&mut documentation.classes, class);
            }
            Node::ResourceTypeDefinition { name, parameters, .. } => {
                let name = self.program.text(name);
                let define = self.plain(documentation, id, "defined type", name, parameters);
                documentation.warn_of_summary(define.place(), "puppet_defined_type", name, &define.docstring);
                Definition::add(&mut documentation.defined_types, define);
            }
            Node::PlanDefinition { name, parameters, .. } => {
                let name = self.program.text(name);
                let plan = self.plain(documentation, id, "plan", name, parameters);
                documentation.warn_of_summary(plan.place(), "puppet_plan", name, &plan.docstring);
                Definition::add(&mut documentation.plans, plan);
            }
            Node::FunctionDefinition { name, parameters, return_type, .. } => {
                let name = self.program.text(name);
                let of = self.plain(documentation, id, "function", name, parameters);
                let returned = return_type.map(|of| self.text(of).replace(">> ", ""));
                let function = function(documentation, of, returned);
                let place = Place { file: self.file, line: function.line };
                documentation.warn_of_summary(place, "puppet_function", name, &function.docstring);
                documentation.add_function(function);
            }
            Node::TypeAlias { name, type_expr } => {
                let (line, mut docstring) = self.documented(id);
                let (place, name) = (Place { file: self.file, line }, self.program.text(name));
                documentation.begin(place, "puppet_data_type_aliases", &mut docstring);
                documentation.warn_of_silence(place, &format!("type alias '{name}'"), &docstring);
                docstring.make_public();
                documentation.warn_of_summary(place, "puppet_data_type_alias", name, &docstring);
                documentation.add_alias(TypeAlias {
                    name: name.to_owned(),
                    file: self.file.to_owned(),
                    line,
                    docstring,
                    alias_of: type_expr.map(|of| self.aliased(of)).unwrap_or_default(),
                });
            }
            _ => {}
        }
    }

    /// Whether a definition is one that documentation has.
    fn is_documented(&self, id: NodeId) -> bool {
        matches!(
            self.program.node(id),
            Node::HostClassDefinition { .. }
                | Node::ResourceTypeDefinition { .. }
                | Node::PlanDefinition { .. }
                | Node::FunctionDefinition { .. }
                | Node::TypeAlias { .. }
        )
    }

    /// The name of a parameter, and the text of its type.
    fn parameter(&self, id: NodeId) -> Option<(&str, Option<&str>)> {
        match *self.program.node(id) {
            Node::Parameter { name, type_expr, .. } => {
                Some((self.program.text(name), type_expr.map(|of| self.text(of))))
            }
            _ => None,
        }
    }

    fn warn_of_parameters(
        &self,
        documentation: &mut Documentation,
        place: Place<'_>,
        docstring: &Docstring,
        parameters: List,
    ) {
        let parameters = self.program.list(parameters);
        let parameters: Vec<_> = parameters.iter().filter_map(|id| self.parameter(*id)).collect();
        for tag in docstring.tags_named("param") {
            let name = tag.name.as_deref();
            let is_known = parameters.iter().any(|(own, _)| Some(*own) == name);
            if !is_known && !matches!(name, Some("name" | "title")) {
                let name = name.unwrap_or_default();
                let message =
                    format!("The @param tag for parameter '{name}' has no matching parameter at {place}.");
                documentation.warn(place, message);
            }
        }
        for (name, of) in parameters {
            match docstring.tags_named("param").find(|tag| tag.name.as_deref() == Some(name)) {
                None if !docstring.text.is_empty() => {
                    documentation
                        .warn(place, format!("Missing @param tag for parameter '{name}' near {place}."));
                }
                Some(tag) if of.is_some_and(|of| tag.differs(of)) => documentation.warn(
                    place,
                    format!(
                        "The type of the @param tag for parameter '{name}' does not match the parameter type \
                         specification near {place}: ignoring in favor of parameter type information."
                    ),
                ),
                _ => {}
            }
        }
    }

    fn plain(
        &self,
        documentation: &mut Documentation,
        id: NodeId,
        what: &str,
        name: &str,
        parameters: List,
    ) -> Definition {
        let (line, mut docstring) = self.documented(id);
        let place = Place { file: self.file, line };
        let group = match what {
            "class" => "puppet_classes",
            "defined type" => "puppet_defined_types",
            "plan" => "puppet_plans",
            _ => "puppet_functions_puppet",
        };
        documentation.begin(place, group, &mut docstring);
        documentation.warn_of_silence(place, &format!("{what} '{name}'"), &docstring);
        self.warn_of_parameters(documentation, place, &docstring, parameters);
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
                    docstring.add_tag(Tag::new("param", "").typed(of.unwrap_or("Any")).named(name));
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
        // It is read twice, so that what the whole of it refers to is lost.
        (line, Docstring::parse(&Docstring::parse(&comment.join("\n")).all))
    }

    /// The text of an expression with its descendants, as with the reference's `extract_tree_text`: that of a
    /// heredoc extends into its text.
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

fn function(documentation: &mut Documentation, of: Definition, returned: Option<String>) -> Function {
    let place = of.place();
    match of.docstring.tags_named("return").next() {
        None => documentation.warn(place, format!("Missing @return tag near {place}.")),
        Some(tag) if returned.as_deref().is_some_and(|returned| tag.differs(returned)) => documentation.warn(
            place,
            format!("Documented return type does not match return type in function definition near {place}."),
        ),
        Some(_) => {}
    }
    let mut docstring = of.docstring;
    match (docstring.tag_mut("return"), returned) {
        (Some(tag), Some(returned)) => tag.types = Some(vec![Some(returned)]),
        (Some(tag), None) if tag.types.is_none() => tag.types = Some(vec![Some("Any".to_owned())]),
        (Some(_), None) => {}
        (None, returned) => {
            docstring.add_tag(Tag::new("return", "").typed(returned.as_deref().unwrap_or("Any")));
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
