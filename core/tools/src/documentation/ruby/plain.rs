//! Ruby methods and calls without a meaning for Puppet: YARD also reads their comments, and reports problems
//! in them.
//!
//! Follows YARD's `handlers/ruby/method_handler.rb`, `dsl_handler_methods.rb` and the later steps of
//! `docstring_parser.rb`.

use std::sync::LazyLock;

use lib_ruby_parser::{Node as Ast, nodes};
use regex::Regex;

use super::File;
use super::call::Call;
use crate::documentation::Documentation;
use crate::documentation::docstring::{Docstring, strip};
use crate::documentation::tag::pattern;
use crate::documentation::warning::Place;

/// Calls whose comments are ignored.
const IGNORED: &[&str] = &[
    "alias",
    "alias_method",
    "autoload",
    "attr",
    "attr_accessor",
    "attr_reader",
    "attr_writer",
    "extend",
    "include",
    "module_function",
    "public",
    "private",
    "protected",
    "private_constant",
    "private_class_method",
    "public_class_method",
    "create_function",
    "newtype",
];

static MEANS_METHOD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^@!?(?:overload|visibility|scope|return)\b"));
static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r"\A[a-zA-Z_]\w*[!?=]?\z"));
static SAYS_METHOD: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^@!?(?:method|attribute)\b"));

/// A method outside of what Puppet knows.
pub(super) fn method(
    file: &File<'_>,
    documentation: &mut Documentation,
    statement: &Ast,
    arguments: Option<&Ast>,
) {
    let docstring = file.documented(statement);
    let place = file.place(statement);
    documentation.warn_of_docstring(place, &docstring);
    warn_of_parameters(documentation, place, &docstring, &names(arguments));
}

/// A call whose comment may declare a method.
pub(super) fn call(file: &File<'_>, documentation: &mut Documentation, call: &Call<'_>) {
    if IGNORED.contains(&call.name()) {
        return;
    }
    let (docstring, place) = (file.documented(call.node), file.place(call.node));
    let is_method = MEANS_METHOD.is_match(&docstring.all) && !SAYS_METHOD.is_match(&docstring.all);
    if is_method && !names_method(file, call) {
        let line = file.source(call.node).lines().next().unwrap_or_default();
        documentation.warn(
            place,
            format!(
                "in YARD::Handlers::Ruby::DSLHandler: Undocumentable method, missing name\n\tin file '{}':{}:\n\n\t{}: {line}\n",
                place.file, place.line, place.line
            ),
        );
    } else if is_method {
        documentation.warn_of_docstring(place, &docstring);
        warn_of_parameters(documentation, place, &docstring, &[]);
    } else {
        documentation.warn_of_comment(place, &docstring);
        for method in methods(&docstring) {
            documentation.warn_of_comment(place, &method.docstring);
            method.warn(documentation, place);
        }
    }
}

/// Whether the first argument of a call may be the name of a method.
fn names_method(file: &File<'_>, call: &Call<'_>) -> bool {
    match call.argument(0) {
        Some(node @ (Ast::Sym(_) | Ast::Str(_))) => {
            file.literal(node).is_some_and(|name| NAME.is_match(&name))
        }
        Some(Ast::Send(_) | Ast::Lvar(_)) => true,
        _ => false,
    }
}

/// A method that a comment declares: `@!method name(parameters)`.
pub(super) struct Declared {
    /// The name.
    pub name: String,
    parameters: Vec<String>,
    /// The docstring; by default that of the whole comment.
    pub docstring: Docstring,
}

/// The methods that a comment declares.
pub(super) fn methods(docstring: &Docstring) -> Vec<Declared> {
    let declared = docstring.directives.iter().filter(|(name, _)| name == "method");
    let declared = declared.map(|(_, text)| {
        let (head, body) = text.split_once('\n').unwrap_or((text, ""));
        let (name, list) = strip(head).split_once(['(', ' ']).unwrap_or((strip(head), ""));
        let list = list.trim_end().trim_end_matches(')').split(',').map(|one| {
            let one = one.split([':', '=']).next().unwrap_or_default();
            one.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect()
        });
        Declared {
            name: name.to_owned(),
            parameters: list.collect(),
            docstring: if body.is_empty() {
                Docstring { problems: Vec::new(), directives: Vec::new(), ..docstring.clone() }
            } else {
                Docstring::parse(body)
            },
        }
    });
    declared.collect()
}

impl Declared {
    /// Records its problems as a method.
    pub fn warn(&self, documentation: &mut Documentation, place: Place<'_>) {
        let names: Vec<&str> = self.parameters.iter().map(String::as_str).collect();
        warn_of_parameters(documentation, place, &self.docstring, &names);
        documentation.warn_of_see(place, &self.docstring);
    }
}

/// Tags of parameters that the method does not have, or that come twice.
pub(super) fn warn_of_parameters(
    documentation: &mut Documentation,
    place: Place<'_>,
    docstring: &Docstring,
    names: &[&str],
) {
    let mut seen: Vec<&str> = Vec::new();
    let near = format!("\n    in file `{}' near line {}", place.file, place.line);
    for tag in docstring.tags_named("param") {
        let name = tag.name.as_deref().unwrap_or_default();
        if seen.contains(&name) {
            documentation.warn(place, format!("@param tag has duplicate parameter name: {name} {near}"));
        } else if names.contains(&name) {
            seen.push(name);
        } else {
            documentation.warn(place, format!("@param tag has unknown parameter name: {name} {near}"));
        }
    }
}

fn names<'a>(arguments: Option<&'a Ast>) -> Vec<&'a str> {
    let Some(Ast::Args(nodes::Args { args, .. })) = arguments else { return Vec::new() };
    let name = |argument: &'a Ast| match argument {
        Ast::Arg(nodes::Arg { name, .. })
        | Ast::Optarg(nodes::Optarg { name, .. })
        | Ast::Kwarg(nodes::Kwarg { name, .. })
        | Ast::Kwoptarg(nodes::Kwoptarg { name, .. }) => Some(name.as_str()),
        Ast::Restarg(nodes::Restarg { name, .. })
        | Ast::Kwrestarg(nodes::Kwrestarg { name, .. })
        | Ast::Blockarg(nodes::Blockarg { name, .. }) => name.as_deref(),
        _ => None,
    };
    args.iter().filter_map(name).collect()
}
