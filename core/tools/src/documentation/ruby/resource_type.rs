//! Types of resources: `Puppet::Type.newtype(:name) do … end`.
//!
//! Follows puppet-strings' `handlers/ruby/type_handler.rb`, `type_base.rb` and `type_extras_handler.rb`.

use lib_ruby_parser::traverse::visitor::{self, Visitor};
use lib_ruby_parser::{Node as Ast, nodes};

use super::File;
use super::call::Call;
use crate::documentation::Documentation;
use crate::documentation::docstring::{Docstring, scrub_literal};
use crate::documentation::entry::{Attribute, ResourceType};
use crate::documentation::tag::{Reading, Tag};
use crate::documentation::warning::Place;

const ENSURABLE: &str = "The basic property that the resource should be in.";

/// `Puppet::Type.newtype(:name) do … end`
pub(super) fn newtype(file: &File<'_>, documentation: &mut Documentation, call: &Call<'_>) {
    let Some(name) = call.argument(0).and_then(|name| file.literal(name)) else { return };
    let place = file.place(call.node);
    let comment = begin(file, documentation, call, &name);
    let said = description(file, documentation, call.node, &format!("Puppet resource type '{name}'"));
    let mut said = said.map(|text| (Docstring::parse(&text), text));
    if let Some((docstring, _)) = &mut said {
        documentation.begin(place, "puppet_types", docstring);
    }
    let mut attributes = Vec::new();
    for part in call.body().iter().filter_map(Call::of) {
        attributes.push(described(file, documentation, &part));
    }
    let (own, _) = documentation.resource_type(&name, file.name, place.line, comment);
    own.is_declared = true;
    run_directives(own);
    if let Some((docstring, text)) = said {
        own.docstring = docstring;
        own.description = text;
        run_directives(own);
    }
    own.own_text = own_text(file, call);
    for (part, attribute) in call.body().iter().filter_map(Call::of).zip(attributes) {
        let name = part.argument(0).and_then(|name| file.literal(name));
        match (part.name(), attribute, name) {
            ("newproperty" | "ensurable", Some(attribute), _) => own.properties.push(attribute),
            ("newparam", Some(attribute), _) => own.parameters.push(attribute),
            ("newcheck", Some(attribute), _) => own.checks.push(attribute),
            ("feature", _, Some(name)) => {
                if let Some(text) = part.argument(1).and_then(|text| file.literal(text)) {
                    own.features.push((name, scrub_literal(&text).replace('\n', " ")));
                }
            }
            _ => {}
        }
    }
    own.find_namevar();
    own.docstring.make_public();
    let docstring = own.docstring.clone();
    documentation.warn_of_summary(place, "puppet_type", &name, &docstring);
}

/// The comment of a call that declares a type, or a part of one; that of a type that is known is not read.
fn begin(file: &File<'_>, documentation: &mut Documentation, call: &Call<'_>, type_name: &str) -> Docstring {
    let mut comment = file.documented(call.node);
    if !documentation.resource_types.iter().any(|own| own.name == type_name) {
        documentation.begin(file.place(call.node), "puppet_types", &mut comment);
    }
    comment
}

/// The attribute that a statement declares.
fn described(file: &File<'_>, documentation: &mut Documentation, part: &Call<'_>) -> Option<Attribute> {
    let name = part.argument(0).and_then(|name| file.literal(name));
    let what = match part.name() {
        "newproperty" => "property",
        "newparam" => "parameter",
        "newcheck" => "check",
        "ensurable" if part.has_block() => {
            let mut ensure = attribute(file, documentation, "ensure", "property", part);
            if ensure.description.is_empty() {
                ensure.description = ENSURABLE.to_owned();
            }
            return Some(ensure);
        }
        "ensurable" => return Some(Attribute::ensurable()),
        _ => return None,
    };
    Some(attribute(file, documentation, &name?, what, part))
}

/// `Puppet::Type.type(:name).newparam(:other) do … end`
pub(super) fn extension(file: &File<'_>, documentation: &mut Documentation, call: &Call<'_>) {
    let Some(of) = call.receiver().and_then(Call::of).filter(|of| of.name() == "type") else { return };
    let receiver = of.receiver().map(|receiver| file.source(receiver));
    if !matches!(receiver, Some("Type" | "Puppet::Type")) {
        return;
    }
    let Some(type_name) = of.argument(0).and_then(|name| file.literal(name)) else { return };
    let name = match call.name() {
        "ensurable" => Some("ensure".to_owned()),
        _ => call.argument(0).and_then(|name| file.literal(name)),
    };
    let Some(name) = name else { return };
    let comment = begin(file, documentation, call, &type_name);
    let what = if call.name() == "newparam" { "parameter" } else { "property" };
    let attribute = attribute(file, documentation, &name, what, call);
    let (own, _) = documentation.resource_type(&type_name, file.name, file.line(call.node), comment);
    if call.name() == "newparam" {
        own.parameters.push(attribute);
    } else {
        own.properties.push(attribute);
    }
    own.find_namevar();
}

/// The first text of `desc` or `@doc =` below the node of `what`.
pub(super) fn description(
    file: &File<'_>,
    documentation: &mut Documentation,
    node: &Ast,
    what: &str,
) -> Option<String> {
    let mut finder = Descriptions { file, first: None };
    finder.visit(node);
    match finder.first {
        Some((_, Some(text))) => Some(scrub_literal(&text)),
        Some((line, None)) => {
            let place = Place { line, ..file.place(node) };
            documentation.error(place, format!("Failed to parse docstring for {what} near {place}."));
            None
        }
        None => {
            let place = file.place(node);
            documentation.warn(place, format!("Missing a description for {what} at {place}."));
            None
        }
    }
}

/// The own text of a block's body: the last of `desc` and `@doc =`.
pub(super) fn own_text(file: &File<'_>, call: &Call<'_>) -> String {
    let said = |node: &Ast| -> Option<String> {
        match node {
            Ast::Ivasgn(assigned) if assigned.name == "@doc" => said_text(file, assigned.value.as_deref()?),
            node => {
                let part =
                    Call::of(node).filter(|part| part.name() == "desc" && part.receiver().is_none())?;
                said_text(file, part.argument(0)?)
            }
        }
    };
    call.body().iter().rev().find_map(said).map(|text| scrub_literal(&text)).unwrap_or_default()
}

/// The value of a literal, as Ruby reads it.
fn said_text(file: &File<'_>, node: &Ast) -> Option<String> {
    match node {
        Ast::Str(text) => Some(text.value.to_string_lossy()),
        Ast::Dstr(whole) => whole.parts.iter().map(|part| said_text(file, part)).collect(),
        Ast::Heredoc(whole) => whole.parts.iter().map(|part| said_text(file, part)).collect(),
        other => file.literal(other),
    }
}

/// `None` until a description is found: its line, and its text when it is a literal.
struct Descriptions<'a, 't> {
    file: &'a File<'t>,
    first: Option<(usize, Option<String>)>,
}

impl Visitor for Descriptions<'_, '_> {
    fn on_ivasgn(&mut self, node: &nodes::Ivasgn) {
        if let Some(value) = node.value.as_deref().filter(|_| node.name == "@doc" && self.first.is_none()) {
            let line = self.file.comments.line(node.expression_l.begin);
            self.first = Some((line, self.file.literal(value)));
        }
        visitor::visit_ivasgn(self, node);
    }

    fn on_send(&mut self, node: &nodes::Send) {
        if let ([text], "desc", None) = (node.args.as_slice(), node.method_name.as_str(), &self.first) {
            let line = self.file.comments.line(node.expression_l.begin);
            self.first = Some((line, self.file.literal(text)));
        }
        visitor::visit_send(self, node);
    }
}

fn attribute(
    file: &File<'_>,
    documentation: &mut Documentation,
    name: &str,
    what: &str,
    call: &Call<'_>,
) -> Attribute {
    let mut own = Attribute { name: name.to_owned(), ..Attribute::default() };
    let what = format!("Puppet resource {what} '{name}'");
    own.description = description(file, documentation, call.node, &what).unwrap_or_default();
    own.own_text = own_text(file, call);
    let says = |(key, value): (&Ast, &Ast)| {
        matches!(value, Ast::True(_)) && file.literal(key).as_deref() == Some("namevar")
    };
    own.says_namevar = call.pairs(1).into_iter().any(says);
    if !call.has_block() {
        return own;
    }
    for part in call.body().iter().filter_map(Call::of) {
        let text = |index| part.argument(index).map(|node| file.literal_or_source(node));
        match part.name() {
            "newvalue" => own.values.extend(text(0)),
            "newvalues" => {
                own.values.extend(part.arguments().into_iter().map(|node| file.literal_or_source(node)))
            }
            "aliasvalue" => {
                if let Some((alias, value)) = text(0).zip(text(1)) {
                    own.add_value(&alias);
                    own.aliases.insert(alias, value);
                }
            }
            "defaultto" => {
                if let Some(text) = text(0) {
                    own.default = Some(text.into());
                }
            }
            "isnamevar" => (own.is_namevar, own.says_namevar) = (true, true),
            "defaultvalues" if name == "ensure" => own.be_ensurable(),
            _ => {}
        }
    }
    let options = call.pairs(1);
    let option = |wanted| options.iter().find(|(key, _)| file.literal(key).as_deref() == Some(wanted));
    if let Some((_, features)) = option("required_features") {
        own.required_features = file.literal(features);
        let words = file.source(features).trim_start_matches("%w").trim_start_matches("%i");
        let words = words.split(|one: char| !one.is_alphanumeric() && one != '_');
        own.needs = words.filter(|word| !word.is_empty()).map(str::to_owned).collect();
    }
    if option("parent").is_some_and(|(_, parent)| file.source(parent) == "Puppet::Parameter::Boolean") {
        ["true", "false", "yes", "no"].into_iter().for_each(|value| own.add_value(value));
    }
    own
}

/// `@!puppet.type.param` and `@!puppet.type.property` declare attributes.
fn run_directives(own: &mut ResourceType) {
    for (name, text) in std::mem::take(&mut own.docstring.directives) {
        let list = match name.as_str() {
            "puppet.type.param" => &mut own.parameters,
            "puppet.type.property" => &mut own.properties,
            _ => continue,
        };
        let Reading::Tag(tag) = Tag::read("param", &text) else { continue };
        list.push(Attribute {
            name: tag.name.unwrap_or_default(),
            description: tag.text.unwrap_or_default(),
            values: tag.types.unwrap_or_default().into_iter().flatten().collect(),
            ..Attribute::default()
        });
    }
}

impl Attribute {
    /// The property that `ensurable` declares.
    pub(in crate::documentation) fn ensurable() -> Self {
        let mut ensure = Self { name: "ensure".to_owned(), ..Self::default() };
        ensure.description = ENSURABLE.to_owned();
        ensure.own_text = ENSURABLE.to_owned();
        ensure.be_ensurable();
        ensure
    }

    fn add_value(&mut self, value: &str) {
        if !self.values.iter().any(|other| other == value) {
            self.values.push(value.to_owned());
        }
    }

    fn be_ensurable(&mut self) {
        self.values.extend(["present".to_owned(), "absent".to_owned()]);
        self.default = Some("present".into());
    }
}

impl ResourceType {
    /// If no attribute names the resource, the one called `name` does.
    fn find_namevar(&mut self) {
        if self.properties.iter().chain(&self.parameters).any(|own| own.is_namevar) {
            return;
        }
        let last = self.properties.iter_mut().rev().find(|own| own.name == "name");
        let named = last.or_else(|| self.parameters.iter_mut().find(|own| own.name == "name"));
        if let Some(named) = named {
            named.is_namevar = true;
        }
    }
}
