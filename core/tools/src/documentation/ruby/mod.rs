//! Documentation of what Ruby files define, read without running them.
//!
//! Follows puppet-strings' `handlers/ruby` and YARD, which reads statements outside of methods.

mod call;
mod comments;
mod data_type;
mod function;
mod literal;
mod plain;
mod provider;
mod resource_api;
mod resource_type;

use lib_ruby_parser::{Node as Ast, nodes};

use self::call::Call;
use self::comments::Comments;
use super::docstring::Docstring;
use super::warning::Place;
use super::{Documentation, UndocumentedFile};
use bunraku_host::DeepStacks;

/// The maximum nesting of modules and conditions.
const MAX_DEPTH: u32 = 50;

/// Adds the definitions of a Ruby program.
pub(super) fn read(documentation: &mut Documentation, name: &str, text: &str) {
    // The tree is as deep as the text nests.
    if let Err(error) = DeepStacks::default().run(|| add(documentation, name, text)) {
        documentation.failures.push(UndocumentedFile { file: name.to_owned(), message: error.to_string() });
    }
}

fn add(documentation: &mut Documentation, name: &str, text: &str) {
    match bunraku_ruby_interpreter::read(name, text) {
        Ok(read) => {
            let Some(tree) = read.tree else { return };
            let comments = Comments::attach(text, &tree, &read.comments);
            let file = File { name, text, comments };
            file.statements(documentation, &tree, 0);
        }
        Err(refused) => {
            let failure = UndocumentedFile { file: name.to_owned(), message: refused.to_error().to_string() };
            documentation.failures.push(failure);
        }
    }
}

/// A file that is read.
struct File<'t> {
    name: &'t str,
    text: &'t str,
    comments: Comments,
}

impl<'t> File<'t> {
    fn statements(&self, documentation: &mut Documentation, node: &'t Ast, depth: u32) {
        if depth > MAX_DEPTH {
            return;
        }
        for statement in statements(node) {
            match statement {
                Ast::Module(nodes::Module { body, .. }) | Ast::Class(nodes::Class { body, .. }) => {
                    documentation.warn_of_docstring(self.place(statement), &self.documented(statement));
                    if let Some(body) = body {
                        self.statements(documentation, body, depth + 1);
                    }
                }
                Ast::SClass(nodes::SClass { body: Some(body), .. }) => {
                    self.statements(documentation, body, depth + 1);
                }
                Ast::Def(nodes::Def { args, .. }) | Ast::Defs(nodes::Defs { args, .. }) => {
                    plain::method(self, documentation, statement, args.as_deref());
                }
                Ast::If(nodes::If { if_true, if_false, .. })
                | Ast::IfMod(nodes::IfMod { if_true, if_false, .. }) => {
                    for body in [if_true, if_false].into_iter().flatten() {
                        self.statements(documentation, body, depth + 1);
                    }
                }
                other => {
                    if let Some(call) = Call::of(other) {
                        self.call(documentation, &call);
                        plain::call(self, documentation, &call);
                    }
                }
            }
        }
    }

    /// A call outside of methods.
    fn call(&self, documentation: &mut Documentation, call: &Call<'t>) {
        let receiver = call.receiver().map(|receiver| self.source(receiver));
        match (call.name(), receiver) {
            ("create_function", Some("Puppet::Functions")) => {
                function::four(self, documentation, call);
            }
            ("newfunction" | "create_function", Some("Puppet::Parser::Functions"))
            | ("newfunction", None) => {
                function::three(self, documentation, call);
            }
            ("newtype", Some("Puppet::Type" | "Type")) => resource_type::newtype(self, documentation, call),
            ("newparam" | "newproperty" | "ensurable", Some(_)) => {
                resource_type::extension(self, documentation, call);
            }
            ("provide", Some(_)) => provider::provide(self, documentation, call),
            ("register_type", Some("Puppet::ResourceApi")) => {
                resource_api::register_type(self, documentation, call);
            }
            ("create_type", Some("Puppet::DataTypes" | "DataTypes")) => {
                data_type::create_type(self, documentation, call);
            }
            _ => {}
        }
    }

    /// The text of a node; of `*list` it is that of the list.
    fn source(&self, node: &Ast) -> &'t str {
        let node = match node {
            Ast::Splat(nodes::Splat { value: Some(value), .. }) => value,
            other => other,
        };
        self.text.get(node.expression().to_range()).unwrap_or_default()
    }

    fn line(&self, node: &Ast) -> usize {
        self.comments.line(node.expression().begin)
    }

    fn place(&self, node: &Ast) -> Place<'t> {
        Place { file: self.name, line: self.line(node) }
    }

    /// The docstring from the comment of a node.
    fn documented(&self, node: &Ast) -> Docstring {
        Docstring::parse(self.comments.of(node).unwrap_or_default())
    }
}

/// The statements of a body.
fn statements(node: &Ast) -> &[Ast] {
    match node {
        Ast::Begin(begin) => &begin.statements,
        Ast::KwBegin(_) => &[],
        other => std::slice::from_ref(other),
    }
}
