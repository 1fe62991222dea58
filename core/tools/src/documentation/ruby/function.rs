//! Functions that are written in Ruby, of both interfaces.
//!
//! Follows puppet-strings' `handlers/ruby/function_handler.rb`.

use lib_ruby_parser::{Node as Ast, nodes};

use super::File;
use super::call::Call;
use crate::documentation::docstring::Docstring;
use crate::documentation::entry::{Function, FunctionKind};
use crate::documentation::puppet::without_indentation;
use crate::documentation::reference::group_of;
use crate::documentation::tag::{Overload, Tag};
use crate::documentation::warning::Place;
use crate::documentation::{Documentation, docstring};

/// `Puppet::Functions.create_function(:name) do … end`
pub(super) fn four(file: &File<'_>, documentation: &mut Documentation, call: &Call<'_>) {
    let Some(mut function) = begun(file, documentation, call, FunctionKind::Ruby4x) else { return };
    warn_of_own_tags(documentation, file.place(call.node), &function);
    function.docstring.tags.retain(|tag| !matches!(tag.tag_name.as_str(), "param" | "return" | "overload"));
    let own_name = function.name.rsplit("::").next().unwrap_or_default();
    let mut overloads = Vec::new();
    let mut method = None;
    for statement in call.body() {
        match statement {
            Ast::Def(definition) if definition.name == own_name => method = Some((statement, definition)),
            _ => overloads.extend(
                Call::of(statement).and_then(|call| dispatch(file, documentation, &function.name, &call)),
            ),
        }
    }
    if let Some((statement, definition)) = method.filter(|_| overloads.is_empty()) {
        overloads.push(of_method(file, documentation, &function.name, statement, definition));
    }
    match <[Overload; 1]>::try_from(overloads) {
        Ok([overload]) => {
            function.docstring.tags.extend(overload.docstring.sorted_tags().into_iter().cloned());
            function.parameters = overload.parameters;
        }
        Err(overloads) => {
            let tags = overloads.into_iter().map(|overload| Tag {
                tag_name: "overload".to_owned(),
                name: Some(overload.name.clone()),
                overload: Some(Box::new(overload)),
                ..Tag::default()
            });
            function.docstring.tags.extend(tags);
        }
    }
    finish(documentation, function);
}

fn finish(documentation: &mut Documentation, mut function: Function) {
    function.docstring.make_public();
    let place = Place { file: &function.file, line: function.line };
    documentation.warn_of_summary(place, "puppet_function", &function.name, &function.docstring);
    documentation.add_function(function);
}

/// The documentation of parameters and results belongs to `dispatch`.
fn warn_of_own_tags(documentation: &mut Documentation, place: Place<'_>, function: &Function) {
    let Function { name, docstring, .. } = function;
    documentation.warn_of_silence(place, &format!("function '{name}'"), docstring);
    for (tag, instead) in [
        ("param", "parameter documentation should be made on the dispatch call."),
        ("return", "return value documentation should be made on the dispatch call."),
        ("overload", "overload tags are automatically generated from the dispatch calls."),
    ] {
        if docstring.has_tag(tag) {
            let message = format!(
                "The docstring for Puppet 4.x function '{name}' contains @{tag} tags near {place}: {instead}"
            );
            documentation.warn(place, message);
        }
    }
}

/// `Puppet::Parser::Functions.newfunction(:name, :doc => '…') do … end`
pub(super) fn three(file: &File<'_>, documentation: &mut Documentation, call: &Call<'_>) {
    let Some(mut function) = begun(file, documentation, call, FunctionKind::Ruby3x) else { return };
    let place = file.place(call.node);
    let pairs = call.pairs(1);
    let doc = pairs.iter().find(|(key, _)| file.literal(key).as_deref() == Some("doc"));
    match doc.map(|(_, value)| file.literal(value)) {
        Some(Some(text)) => {
            function.docstring = Docstring::parse(&docstring::scrub_literal(&text));
            documentation.begin(place, group_of(FunctionKind::Ruby3x), &mut function.docstring);
        }
        Some(None) => {
            let what = format!("3.x Puppet function '{}'", function.name);
            documentation.error(place, format!("Failed to parse docstring for {what} near {place}."));
        }
        None => {
            let what = format!("Puppet function '{}'", function.name);
            documentation.warn(place, format!("Missing documentation for {what} at {place}."));
        }
    }
    for tag in function.docstring.tags.iter_mut().filter(|tag| tag.tag_name == "param") {
        if tag.types.as_ref().is_none_or(Vec::is_empty) {
            tag.types = Some(vec![Some("Any".to_owned())]);
        }
        function.parameters.push((tag.name.clone().unwrap_or_default(), None));
    }
    add_return(documentation, place, &mut function.docstring);
    finish(documentation, function);
}

fn begun(
    file: &File<'_>,
    documentation: &mut Documentation,
    call: &Call<'_>,
    kind: FunctionKind,
) -> Option<Function> {
    let name = file.literal(call.argument(0)?)?;
    let mut docstring = file.documented(call.node);
    documentation.begin(file.place(call.node), group_of(kind), &mut docstring);
    Some(Function {
        name,
        file: file.name.to_owned(),
        line: file.line(call.node),
        kind,
        docstring,
        parameters: Vec::new(),
        source: without_indentation(file.source(call.node).trim()),
    })
}

/// `dispatch :method do … end`
fn dispatch(
    file: &File<'_>,
    documentation: &mut Documentation,
    name: &str,
    call: &Call<'_>,
) -> Option<Overload> {
    if call.name() != "dispatch" || call.arguments().len() != 1 || !call.has_block() {
        return None;
    }
    let place = file.place(call.node);
    let mut signature = Signature::of(name, file.documented(call.node));
    documentation.warn_of_comment(place, &signature.own.docstring);
    let mut block: Option<Call<'_>> = None;
    for statement in call.body() {
        let Some(part) = Call::of(statement) else { continue };
        let literal = |index| part.argument(index).and_then(|node| file.literal(node));
        match part.name() {
            "return_type" => {
                if !signature.own.docstring.has_tag("return") {
                    signature.own.docstring.add_tag(Tag::new("return", "").typed("Any"));
                }
                if let Some(tag) = signature.own.docstring.tag_mut("return") {
                    tag.types = Some(vec![literal(0)]);
                }
            }
            "block_param" | "required_block_param" | "optional_block_param" if block.is_some() => {
                let place = file.place(part.node);
                let what =
                    format!("A duplicate block parameter was found for Puppet function '{name}' at {place}.");
                documentation.warn(place, what);
            }
            "block_param" | "required_block_param" | "optional_block_param" => block = Some(part),
            of @ ("param"
            | "required_param"
            | "optional_param"
            | "repeated_param"
            | "optional_repeated_param"
            | "required_repeated_param") => {
                let place = file.place(part.node);
                if part.arguments().len() != 2 {
                    let message = format!(
                        "Expected 2 arguments to '{of}' call at {place}: parameter information may not be correct."
                    );
                    documentation.warn(place, message);
                    continue;
                }
                let how = How {
                    place,
                    prefix: if of.contains("repeated") { "*" } else { "" },
                    is_optional: of.contains("optional"),
                    default: None,
                };
                signature.parameter(documentation, &literal(1).unwrap_or_default(), literal(0), how);
            }
            _ => {}
        }
    }
    if let Some(part) = block {
        let literal = |index| part.argument(index).and_then(|node| file.literal(node));
        let named = match part.arguments().len() {
            0 => Some(("block".to_owned(), "Callable".to_owned())),
            1 => literal(0).map(|name| (name, "Callable".to_owned())),
            2 => literal(1).zip(literal(0)),
            _ => {
                let place = file.place(part.node);
                let message = format!("Unexpected number of arguments to block definition at {place}.");
                documentation.warn(place, message);
                None
            }
        };
        if let Some((name, of)) = named {
            let (place, is_optional) = (file.place(part.node), part.name().contains("optional"));
            let how = How { place, prefix: "&", is_optional, default: None };
            signature.parameter(documentation, &name, Some(of), how);
        }
    }
    add_return(documentation, place, &mut signature.own.docstring);
    signature.warn_of_others(documentation, place);
    Some(signature.own)
}

/// A function without `dispatch` is the method of its name.
fn of_method(
    file: &File<'_>,
    documentation: &mut Documentation,
    name: &str,
    statement: &Ast,
    definition: &nodes::Def,
) -> Overload {
    let place = file.place(statement);
    let mut signature = Signature::of(name, file.documented(statement));
    documentation.warn_of_comment(place, &signature.own.docstring);
    let arguments = match definition.args.as_deref() {
        Some(Ast::Args(arguments)) => arguments.args.as_slice(),
        _ => &[],
    };
    let plain = |prefix, node| How { place: file.place(node), prefix, is_optional: false, default: None };
    let (mut optional, mut others) = (Vec::new(), Vec::new());
    for argument in arguments {
        let is_last = !optional.is_empty() || !others.is_empty();
        match argument {
            // Those after optional ones are skipped.
            Ast::Arg(_) if is_last => {}
            Ast::Arg(nodes::Arg { name, .. }) => {
                signature.parameter(documentation, name, None, plain("", argument));
            }
            Ast::Optarg(nodes::Optarg { name, default, .. }) => {
                optional.push((name, file.source(default), file.place(argument)));
            }
            Ast::Restarg(nodes::Restarg { name: Some(name), .. }) => others.push((name, "*", argument)),
            Ast::Blockarg(nodes::Blockarg { name: Some(name), .. }) => others.push((name, "&", argument)),
            _ => {}
        }
    }
    for (name, default, place) in optional {
        let default = match default {
            "nil" => "undef",
            ":default" => "default",
            other => other,
        };
        let how = How { place, prefix: "", is_optional: true, default: Some(default.to_owned()) };
        signature.parameter(documentation, name, None, how);
    }
    for (name, prefix, argument) in others {
        signature.parameter(documentation, name, None, plain(prefix, argument));
    }
    add_return(documentation, place, &mut signature.own.docstring);
    signature.warn_of_others(documentation, place);
    signature.own
}

/// How a parameter is taken.
struct How<'a> {
    place: Place<'a>,
    prefix: &'static str,
    is_optional: bool,
    default: Option<String>,
}

struct Signature {
    own: Overload,
    /// The number of written tags.
    written: usize,
}

impl Signature {
    fn of(name: &str, docstring: Docstring) -> Self {
        let written = docstring.tags.len();
        Self { own: Overload { name: name.to_owned(), docstring, ..Overload::default() }, written }
    }

    /// Records tags of parameters that do not exist.
    fn warn_of_others(&self, documentation: &mut Documentation, place: Place<'_>) {
        for tag in self.own.docstring.tags_named("param") {
            let name = tag.name.as_deref().unwrap_or_default();
            if !self.own.parameters.iter().any(|(own, _)| own == name) {
                let message =
                    format!("The @param tag for parameter '{name}' has no matching parameter at {place}.");
                documentation.warn(place, message);
            }
        }
    }

    fn parameter(&mut self, documentation: &mut Documentation, name: &str, of: Option<String>, how: How<'_>) {
        let mut written = self.own.docstring.tags.iter_mut().take(self.written);
        let tag = written.find(|tag| tag.tag_name == "param" && tag.name.as_deref() == Some(name));
        let place = how.place;
        if tag.is_none() && !self.own.docstring.all.is_empty() {
            let message = format!("Missing @param tag for parameter '{name}' near {place}.");
            documentation.warn(place, message);
        }
        if of.is_some()
            && tag.as_ref().is_some_and(|tag| tag.types.as_ref().is_some_and(|types| !types.is_empty()))
        {
            let message = format!(
                "The @param tag for parameter '{name}' should not contain a type specification near {place}: ignoring in \
                 favor of dispatch type information."
            );
            documentation.warn(place, message);
        }
        let told = || tag.as_ref().filter(|tag| tag.types.is_some()).and_then(|tag| tag.first_type());
        let mut of = of.or_else(|| told().map(str::to_owned)).unwrap_or_else(|| "Any".to_owned());
        if how.is_optional {
            of = format!("Optional[{of}]");
        }
        let name = format!("{}{name}", how.prefix);
        self.own.parameters.push((name.clone(), how.default));
        match tag {
            Some(tag) => (tag.name, tag.types) = (Some(name), Some(vec![Some(of)])),
            None => self.own.docstring.add_tag(Tag::new("param", "").typed(&of).named(&name)),
        }
    }
}

fn add_return(documentation: &mut Documentation, place: Place<'_>, docstring: &mut Docstring) {
    match docstring.tag_mut("return") {
        Some(tag) if tag.types.is_none() => tag.types = Some(vec![Some("Any".to_owned())]),
        Some(_) => {}
        None => {
            documentation.warn(place, format!("Missing @return tag near {place}."));
            docstring.add_tag(Tag::new("return", "").typed("Any"));
        }
    }
}
