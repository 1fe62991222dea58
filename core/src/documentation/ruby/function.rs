//! Functions that are written in Ruby, of both interfaces.
//!
//! Follows puppet-strings' `handlers/ruby/function_handler.rb`.

use lib_ruby_parser::{Node as Ast, nodes};

use super::File;
use super::call::Call;
use crate::documentation::docstring::Docstring;
use crate::documentation::entry::{Function, FunctionKind};
use crate::documentation::puppet::without_indentation;
use crate::documentation::tag::{Overload, Tag};
use crate::documentation::{Documentation, docstring};

/// `Puppet::Functions.create_function(:name) do … end`
pub(super) fn four(file: &File<'_>, documentation: &mut Documentation, call: &Call<'_>) {
    let Some(mut function) = begun(file, call, FunctionKind::Ruby4x) else { return };
    function.docstring.tags.retain(|tag| !matches!(tag.tag_name.as_str(), "param" | "return" | "overload"));
    let own_name = function.name.rsplit("::").next().unwrap_or_default();
    let mut overloads = Vec::new();
    let mut method = None;
    for statement in call.body() {
        match statement {
            Ast::Def(definition) if definition.name == own_name => method = Some((statement, definition)),
            _ => overloads.extend(Call::of(statement).and_then(|call| dispatch(file, &function.name, &call))),
        }
    }
    if let Some((statement, definition)) = method.filter(|_| overloads.is_empty()) {
        overloads.push(of_method(file, &function.name, statement, definition));
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
    function.docstring.make_public();
    documentation.add_function(function);
}

/// `Puppet::Parser::Functions.newfunction(:name, :doc => '…') do … end`
pub(super) fn three(file: &File<'_>, documentation: &mut Documentation, call: &Call<'_>) {
    let Some(mut function) = begun(file, call, FunctionKind::Ruby3x) else { return };
    let pairs = call.pairs(1);
    let doc = pairs.iter().find(|(key, _)| file.literal(key).as_deref() == Some("doc"));
    if let Some(text) = doc.and_then(|(_, value)| file.literal(value)) {
        function.docstring = Docstring::parse(&docstring::scrub_literal(&text));
    }
    for tag in function.docstring.tags.iter_mut().filter(|tag| tag.tag_name == "param") {
        if tag.types.as_ref().is_none_or(Vec::is_empty) {
            tag.types = Some(vec![Some("Any".to_owned())]);
        }
        function.parameters.push((tag.name.clone().unwrap_or_default(), None));
    }
    add_return(&mut function.docstring);
    function.docstring.make_public();
    documentation.add_function(function);
}

fn begun(file: &File<'_>, call: &Call<'_>, kind: FunctionKind) -> Option<Function> {
    Some(Function {
        name: file.literal(call.argument(0)?)?,
        file: file.name.to_owned(),
        line: file.line(call.node),
        kind,
        docstring: file.documented(call.node),
        parameters: Vec::new(),
        source: without_indentation(file.source(call.node).trim()),
    })
}

/// `dispatch :method do … end`
fn dispatch(file: &File<'_>, name: &str, call: &Call<'_>) -> Option<Overload> {
    if call.name() != "dispatch" || call.arguments().len() != 1 || !call.has_block() {
        return None;
    }
    let mut signature = Signature::of(name, file.documented(call.node));
    let mut block = None;
    for statement in call.body() {
        let Some(part) = Call::of(statement) else { continue };
        let literal = |index| part.argument(index).and_then(|node| file.literal(node));
        match part.name() {
            "return_type" => {
                add_return(&mut signature.own.docstring);
                if let Some(tag) = signature.own.docstring.tag_mut("return") {
                    tag.types = Some(vec![literal(0)]);
                }
            }
            "block_param" | "required_block_param" | "optional_block_param" => {
                block.get_or_insert(part);
            }
            of @ ("param"
            | "required_param"
            | "optional_param"
            | "repeated_param"
            | "optional_repeated_param"
            | "required_repeated_param")
                if part.arguments().len() == 2 =>
            {
                let how = How {
                    prefix: if of.contains("repeated") { "*" } else { "" },
                    is_optional: of.contains("optional"),
                    default: None,
                };
                signature.parameter(&literal(1).unwrap_or_default(), literal(0), how);
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
            _ => None,
        };
        if let Some((name, of)) = named {
            let how = How { prefix: "&", is_optional: part.name().contains("optional"), default: None };
            signature.parameter(&name, Some(of), how);
        }
    }
    add_return(&mut signature.own.docstring);
    Some(signature.own)
}

/// A function without `dispatch` is the method of its name.
fn of_method(file: &File<'_>, name: &str, statement: &Ast, definition: &nodes::Def) -> Overload {
    let mut signature = Signature::of(name, file.documented(statement));
    let arguments = match definition.args.as_deref() {
        Some(Ast::Args(arguments)) => arguments.args.as_slice(),
        _ => &[],
    };
    let plain = |prefix| How { prefix, is_optional: false, default: None };
    let (mut optional, mut others) = (Vec::new(), Vec::new());
    for argument in arguments {
        match argument {
            Ast::Arg(nodes::Arg { name, .. }) => signature.parameter(name, None, plain("")),
            Ast::Optarg(nodes::Optarg { name, default, .. }) => optional.push((name, file.source(default))),
            Ast::Restarg(nodes::Restarg { name: Some(name), .. }) => others.push((name, "*")),
            Ast::Blockarg(nodes::Blockarg { name: Some(name), .. }) => others.push((name, "&")),
            _ => {}
        }
    }
    for (name, default) in optional {
        let default = match default {
            "nil" => "undef",
            ":default" => "default",
            other => other,
        };
        let how = How { prefix: "", is_optional: true, default: Some(default.to_owned()) };
        signature.parameter(name, None, how);
    }
    for (name, prefix) in others {
        signature.parameter(name, None, plain(prefix));
    }
    add_return(&mut signature.own.docstring);
    signature.own
}

/// How a parameter is taken.
struct How {
    prefix: &'static str,
    is_optional: bool,
    default: Option<String>,
}

struct Signature {
    own: Overload,
    /// How many tags were written.
    written: usize,
}

impl Signature {
    fn of(name: &str, docstring: Docstring) -> Self {
        let written = docstring.tags.len();
        Self { own: Overload { name: name.to_owned(), docstring, ..Overload::default() }, written }
    }

    fn parameter(&mut self, name: &str, of: Option<String>, how: How) {
        let mut written = self.own.docstring.tags.iter_mut().take(self.written);
        let tag = written.find(|tag| tag.tag_name == "param" && tag.name.as_deref() == Some(name));
        let told = || tag.as_ref().filter(|tag| tag.types.is_some()).and_then(|tag| tag.first_type());
        let mut of = of.or_else(|| told().map(str::to_owned)).unwrap_or_else(|| "Any".to_owned());
        if how.is_optional {
            of = format!("Optional[{of}]");
        }
        let name = format!("{}{name}", how.prefix);
        self.own.parameters.push((name.clone(), how.default));
        match tag {
            Some(tag) => (tag.name, tag.types) = (Some(name), Some(vec![Some(of)])),
            None => self.own.docstring.tags.push(Tag::new("param", "").typed(&of).named(&name)),
        }
    }
}

fn add_return(docstring: &mut Docstring) {
    match docstring.tag_mut("return") {
        Some(tag) if tag.types.is_none() => tag.types = Some(vec![Some("Any".to_owned())]),
        Some(_) => {}
        None => docstring.tags.push(Tag::new("return", "").typed("Any")),
    }
}
