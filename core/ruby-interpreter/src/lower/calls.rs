//! Calls of methods, with their blocks.

use std::sync::Arc;

use lib_ruby_parser::{Loc, Node as Ast};

use super::{BlockArgument, Call, Kind, Lowering, Node, constant_name};
use crate::class::MethodOfClass;
use crate::{erb, names};

impl Lowering {
    pub(super) fn call(&mut self, ast: &Ast) -> Node {
        match ast {
            Ast::Block(block) => {
                if matches!(&*block.call, Ast::Lambda(_)) {
                    let lambda = self.lambda(block.args.as_deref(), block.body.as_deref(), true);
                    return self.at(block.expression_l, Kind::Lambda(Arc::new(lambda)));
                }
                let mut call = match &*block.call {
                    Ast::Super(_) | Ast::ZSuper(_) => self.super_call(&block.call),
                    call => self.call_without_block(call),
                };
                let lambda = Arc::new(self.lambda(block.args.as_deref(), block.body.as_deref(), true));
                if let Kind::Call(call) | Kind::Super(call) = &mut call.kind {
                    call.block = Some(BlockArgument::Literal(lambda));
                    call.bare = false;
                }
                call
            }
            Ast::Numblock(block) => {
                if matches!(&*block.call, Ast::Lambda(_)) {
                    let lambda = self.numbered_block(block.numargs, &block.body);
                    return self.at(block.expression_l, Kind::Lambda(Arc::new(lambda)));
                }
                let mut call = self.call_without_block(&block.call);
                let lambda = Arc::new(self.numbered_block(block.numargs, &block.body));
                if let Kind::Call(call) = &mut call.kind {
                    call.block = Some(BlockArgument::Literal(lambda));
                }
                call
            }
            other => self.call_without_block(other),
        }
    }

    fn call_without_block(&mut self, ast: &Ast) -> Node {
        let loc = *ast.expression();
        let (receiver, name, arguments, safe, place) = match ast {
            Ast::Send(send) => {
                (send.recv.as_deref(), send.method_name.as_str(), &send.args, false, send.selector_l)
            }
            Ast::CSend(send) => {
                (Some(&*send.recv), send.method_name.as_str(), &send.args, true, send.selector_l)
            }
            Ast::Index(index) => (Some(&*index.recv), "[]", &index.indexes, false, None),
            other => return self.refuse(loc, names::construct(other.str_type())),
        };
        let bare = receiver.is_none()
            && arguments.is_empty()
            && matches!(ast, Ast::Send(send) if send.begin_l.is_none());
        if bare && let Some(write) = self.text_of_template(name, loc) {
            return write;
        }
        if let (Some(pattern @ Ast::Regexp(_)), "=~", [text]) = (receiver, name, arguments.as_slice()) {
            // Named groups become variables.
            let kind = self.match_names(pattern, text);
            return self.at(loc, kind);
        }
        let place = place.unwrap_or(Loc { begin: loc.begin, end: loc.end });
        let place = if matches!(ast, Ast::Index(_)) { loc } else { place };
        if let Some(refused) = self.unknown_method(receiver, name) {
            return self.refuse(loc, format!("method {refused}"));
        }
        if bare && let Some(local) = self.known_local(name) {
            return self.at(loc, Kind::Local(local));
        }
        if bare && name == "binding" {
            self.keepers += 1;
            let seen = self.scopes.iter().rposition(|scope| !scope.sees_outer).unwrap_or_default();
            let names = self.scopes.iter().skip(seen).map(|scope| scope.names.clone()).collect();
            return self.at(loc, Kind::Binding(names));
        }
        if bare && name == "__dir__" {
            let directory = self.file.rsplit_once('/').map_or(".", |(directory, _)| directory);
            return self.at(loc, Kind::Text(directory.into()));
        }
        if receiver.is_none() && matches!(name, "refine" | "using") {
            return self.refuse(loc, "refinements");
        }
        let receiver = receiver.map(|receiver| self.node(receiver));
        let (mut values, block, keywords) = self.arguments(arguments);
        if name == "require_relative" && receiver.is_none() {
            values.push(Node { line: 0, kind: Kind::Text(self.file.clone()) });
        }
        let found = MethodOfClass::default();
        let call =
            Call { receiver, name: name.into(), arguments: values, block, safe, bare, keywords, found };
        self.at(place, Kind::Call(Box::new(call)))
    }

    /// `_erbout.<< "text".freeze`, for which a name stands.
    fn text_of_template(&mut self, name: &str, loc: Loc) -> Option<Node> {
        if self.texts.is_empty() {
            return None;
        }
        let number: usize = name.strip_prefix(erb::TEXT)?.parse().ok()?;
        let own = self.known_local("_erbout")?;
        let (text, times) = self.texts.get_mut(number)?;
        *times += 1;
        let text = Kind::Text(text.clone());
        let text = self.at(loc, text);
        let frozen = self.at(loc, Kind::Call(Box::new(Call::of(text, "freeze", Vec::new()))));
        let own = self.at(loc, Kind::Local(own));
        Some(self.at(loc, Kind::Call(Box::new(Call::of(own, "<<", vec![frozen])))))
    }

    /// Arguments, the block among them, and whether the last is a hash without braces.
    pub(super) fn arguments(&mut self, arguments: &[Ast]) -> (Vec<Node>, Option<BlockArgument>, bool) {
        let mut block = None;
        let mut values = Vec::with_capacity(arguments.len());
        let mut keywords = false;
        for argument in arguments {
            match argument {
                Ast::BlockPass(pass) => {
                    block = Some(BlockArgument::Pass(match pass.value.as_deref() {
                        Some(value) => self.node(value),
                        None => self.variable("&"),
                    }));
                }
                Ast::ForwardedArgs(_) => {
                    let list = self.variable("*");
                    values.push(Node { line: 0, kind: Kind::Splat(Box::new(list)) });
                    let map = self.variable("**");
                    let pair = (Node { line: 0, kind: Kind::DoubleSplat(Box::new(map)) }, None);
                    values.push(Node { line: 0, kind: Kind::Hash(vec![pair]) });
                    keywords = true;
                    block = Some(BlockArgument::Pass(self.variable("&")));
                }
                argument => {
                    keywords = matches!(argument, Ast::Kwargs(_));
                    values.push(self.node(argument));
                }
            }
        }
        (values, block, keywords)
    }

    /// A method that exists in Ruby but not in the interpreter. In a program with libraries it can be theirs,
    /// which is only known when it is called.
    fn unknown_method(&self, receiver: Option<&Ast>, name: &str) -> Option<String> {
        if self.role == super::Role::Prelude || self.methods.iter().any(|method| method == name) {
            return None;
        }
        let is_delayed = self.role == super::Role::WithLibraries;
        match receiver {
            Some(receiver @ Ast::Const(_)) => {
                let constant = constant_name(receiver).unwrap_or_default();
                names::is_unknown_class_method(&constant, name).then(|| format!("{constant}.{name}"))
            }
            _ if is_delayed => None,
            None => names::is_unknown_function(name).then(|| name.to_owned()),
            Some(_) => names::is_unknown_method(name).then(|| name.to_owned()),
        }
    }
}
