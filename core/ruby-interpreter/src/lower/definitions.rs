//! Classes, modules, methods of other objects, `super`.

use std::sync::Arc;

use lib_ruby_parser::{Node as Ast, nodes};

use super::{Kind, Lambda, Lowering, Node, constant_name};
use crate::class::MethodOfClass;
use crate::tree::{Call, Open};
use bunraku_pcore::value::Str;

/// A parameter of the enclosing method, as a plain `super` passes it on.
#[derive(Clone, Debug)]
pub(super) enum Handed {
    Value(String),
    Rest(String),
    Keyword(String),
    KeywordRest(String),
    /// It cannot be handed on.
    Unknown,
}

/// The names that a plain `super` passes on.
pub(super) fn handed(parameters: Option<&Ast>) -> Vec<Handed> {
    let Some(Ast::Args(args)) = parameters else { return Vec::new() };
    let mut out = Vec::new();
    for arg in &args.args {
        match arg {
            Ast::Arg(arg) => out.push(Handed::Value(arg.name.clone())),
            Ast::Optarg(arg) => out.push(Handed::Value(arg.name.clone())),
            Ast::Restarg(arg) => out.push(Handed::Rest(arg.name.clone().unwrap_or_else(|| "*".to_owned()))),
            Ast::Kwarg(arg) => out.push(Handed::Keyword(arg.name.clone())),
            Ast::Kwoptarg(arg) => out.push(Handed::Keyword(arg.name.clone())),
            Ast::Kwrestarg(arg) => {
                out.push(Handed::KeywordRest(arg.name.clone().unwrap_or_else(|| "**".to_owned())));
            }
            Ast::ForwardArg(_) => {
                out.push(Handed::Rest("*".to_owned()));
                out.push(Handed::KeywordRest("**".to_owned()));
            }
            Ast::Blockarg(_) | Ast::Shadowarg(_) | Ast::Kwnilarg(_) => {}
            _ => out.push(Handed::Unknown),
        }
    }
    out
}

impl Lowering {
    /// A definition; `None` for another node.
    pub(super) fn definition(&mut self, ast: &Ast) -> Option<Node> {
        let loc = *ast.expression();
        let kind = match ast {
            Ast::Def(def) => {
                let body = self.method(def.args.as_deref(), def.body.as_deref());
                Kind::Define(def.name.as_str().into(), Arc::new(body))
            }
            Ast::Defs(def) => {
                let receiver = self.boxed(&def.definee);
                let body = self.method(def.args.as_deref(), def.body.as_deref());
                Kind::DefineOn(receiver, def.name.as_str().into(), Arc::new(body))
            }
            Ast::Class(nodes::Class { name, superclass, body, .. }) => {
                let parent = superclass.as_deref().map(|parent| self.node(parent));
                let body = self.body(body.as_deref());
                return Some(self.open(ast, name, parent, false, body));
            }
            Ast::Module(nodes::Module { name, body, .. }) => {
                let body = self.body(body.as_deref());
                return Some(self.open(ast, name, None, true, body));
            }
            Ast::SClass(class) => {
                let receiver = self.boxed(&class.expr);
                let body = self.body(class.body.as_deref());
                Kind::Singleton(receiver, Arc::new(body))
            }
            Ast::Alias(alias) => {
                if matches!(*alias.to, Ast::Gvar(_)) {
                    return Some(self.refuse(loc, "alias of a global variable"));
                }
                Kind::Alias(self.boxed(&alias.to), self.boxed(&alias.from))
            }
            Ast::Undef(undef) => Kind::Undefine(self.all(&undef.names)),
            _ => return None,
        };
        Some(self.at(loc, kind))
    }

    /// `class` or `module` with a body that was lowered.
    pub(super) fn open(
        &mut self,
        ast: &Ast,
        name: &Ast,
        parent: Option<Node>,
        is_module: bool,
        body: Lambda,
    ) -> Node {
        let loc = *ast.expression();
        let Ast::Const(constant) = name else { return self.refuse(loc, "class of an expression") };
        let (around, is_top) = match constant.scope.as_deref() {
            None => (None, false),
            Some(Ast::Cbase(_)) => (None, true),
            Some(scope) => {
                // The enclosing module can be named without being known.
                let around = match constant_name(scope) {
                    Some(name) => self.at(loc, Kind::Constant(name.into())),
                    None => self.node(scope),
                };
                (Some(around), false)
            }
        };
        let name: Str = constant.name.as_str().into();
        let open = Open { around, is_top, name, parent, is_module, body: Arc::new(body) };
        self.at(loc, Kind::Open(Box::new(open)))
    }

    fn method(&mut self, parameters: Option<&Ast>, body: Option<&Ast>) -> Lambda {
        self.methods_around.push(Some(handed(parameters)));
        let lambda = self.lambda(parameters, body, false);
        self.methods_around.pop();
        lambda
    }

    /// The body of a class or module.
    fn body(&mut self, body: Option<&Ast>) -> Lambda {
        self.methods_around.push(None);
        let lambda = self.lambda(None, body, false);
        self.methods_around.pop();
        lambda
    }

    /// `super`, with arguments or with those of the method around.
    pub(super) fn super_call(&mut self, ast: &Ast) -> Node {
        let loc = *ast.expression();
        let mut call = Call {
            receiver: None,
            name: "super".into(),
            arguments: Vec::new(),
            block: None,
            safe: false,
            bare: false,
            keywords: false,
            found: MethodOfClass::default(),
        };
        match ast {
            Ast::Super(node) => {
                let (values, block, keywords) = self.arguments(&node.args);
                call.arguments = values;
                call.block = block;
                call.keywords = keywords;
            }
            _ => {
                let Some(Some(handed)) = self.methods_around.last().cloned() else {
                    return self.refuse(loc, "super without arguments outside of a method");
                };
                if !self.hand_on(&handed, &mut call) {
                    return self.refuse(loc, "super without arguments in a method that takes arrays apart");
                }
            }
        }
        self.at(loc, Kind::Super(Box::new(call)))
    }

    fn hand_on(&mut self, handed: &[Handed], call: &mut Call) -> bool {
        let mut pairs = Vec::new();
        for one in handed {
            match one {
                Handed::Value(name) => call.arguments.push(self.variable(name)),
                Handed::Rest(name) => {
                    let list = self.variable(name);
                    call.arguments.push(Node { line: 0, kind: Kind::Splat(Box::new(list)) });
                }
                Handed::Keyword(name) => {
                    let key = Node { line: 0, kind: Kind::Symbol(name.as_str().into()) };
                    pairs.push((key, Some(self.variable(name))));
                }
                Handed::KeywordRest(name) => {
                    let map = self.variable(name);
                    pairs.push((Node { line: 0, kind: Kind::DoubleSplat(Box::new(map)) }, None));
                }
                Handed::Unknown => return false,
            }
        }
        if !pairs.is_empty() {
            call.arguments.push(Node { line: 0, kind: Kind::Hash(pairs) });
            call.keywords = true;
        }
        true
    }

    pub(super) fn variable(&mut self, name: &str) -> Node {
        let local = self.local(name);
        Node { line: 0, kind: Kind::Local(local) }
    }
}
