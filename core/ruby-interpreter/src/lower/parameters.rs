//! Parameters and bodies of blocks, lambdas and methods.

use lib_ruby_parser::{Node as Ast, nodes};

use super::{Lambda, Lowering, Names, Node, Target, Targets};
use crate::names;
use crate::tree::Parameters;

impl Lowering {
    /// A block (which sees the variables around it) or a method (which does not).
    pub(super) fn lambda(
        &mut self,
        parameters: Option<&Ast>,
        body: Option<&Ast>,
        sees_outer: bool,
    ) -> Lambda {
        let keepers = self.keepers;
        self.scopes.push(Names { names: Vec::new(), sees_outer });
        self.loops.push(false);
        let mut parameters = self.parameters(parameters);
        parameters.settle();
        let body = self.optional(body);
        self.loops.pop();
        let locals = self.scopes.pop().map_or(0, |scope| scope.names.len());
        self.made(parameters, locals, body, keepers)
    }

    /// A block, which keeps the variables around it, or a method. `keepers`: the number of such before its
    /// body.
    fn made(&mut self, parameters: Parameters, locals: usize, body: Node, keepers: u32) -> Lambda {
        let keeps_variables = self.keepers > keepers;
        self.keepers += 1;
        Lambda { parameters, locals, body, is_library: self.is_library(), keeps_variables }
    }

    /// A block whose parameters are `_1`, `_2` ….
    pub(super) fn numbered_block(&mut self, count: u8, body: &Ast) -> Lambda {
        let keepers = self.keepers;
        self.scopes.push(Names { names: Vec::new(), sees_outer: true });
        self.loops.push(false);
        let required = (1..=count).map(|number| Target::Local(self.declare(&format!("_{number}")))).collect();
        let body = self.node(body);
        self.loops.pop();
        let locals = self.scopes.pop().map_or(0, |scope| scope.names.len());
        let mut parameters = Parameters { required, ..Parameters::default() };
        parameters.settle();
        self.made(parameters, locals, body, keepers)
    }

    fn parameters(&mut self, parameters: Option<&Ast>) -> Parameters {
        let mut found = Parameters::default();
        let list = match parameters {
            Some(Ast::Args(args)) => &args.args,
            Some(other) => {
                self.refuse_part(*other.expression(), names::construct(other.str_type()));
                return found;
            }
            None => return found,
        };
        found.trailing_comma = matches!(&**list, [Ast::Arg(_)]);
        for parameter in list {
            match parameter {
                Ast::Procarg0(nodes::Procarg0 { args, .. }) => match &**args {
                    [one] => {
                        let target = self.target(one);
                        found.required.push(target);
                    }
                    several => {
                        let targets = self.targets(several);
                        found.required.push(Target::Many(targets));
                    }
                },
                Ast::Arg(_) | Ast::Mlhs(_) => {
                    let target = self.target(parameter);
                    if found.rest.is_none() && found.optional.is_empty() {
                        found.required.push(target);
                    } else {
                        found.last.push(target);
                    }
                }
                Ast::Optarg(optional) => {
                    let local = self.declare(&optional.name);
                    found.optional.push((local, self.node(&optional.default)));
                }
                Ast::Restarg(rest) => {
                    let name = rest.name.as_deref().unwrap_or("*");
                    found.rest = Some(Some(self.declare(name)));
                }
                Ast::Kwarg(keyword) => {
                    let local = self.declare(&keyword.name);
                    found.keywords.push((keyword.name.as_str().into(), local, None));
                }
                Ast::Kwoptarg(keyword) => {
                    let local = self.declare(&keyword.name);
                    let default = self.node(&keyword.default);
                    found.keywords.push((keyword.name.as_str().into(), local, Some(default)));
                }
                Ast::Kwrestarg(rest) => {
                    let name = rest.name.as_deref().unwrap_or("**");
                    found.keyword_rest = Some(Some(self.declare(name)));
                }
                Ast::Blockarg(block) => {
                    found.block = Some(self.declare(block.name.as_deref().unwrap_or("&")))
                }
                Ast::ForwardArg(_) => {
                    found.rest = Some(Some(self.declare("*")));
                    found.keyword_rest = Some(Some(self.declare("**")));
                    found.block = Some(self.declare("&"));
                }
                Ast::Kwnilarg(_) => found.no_keywords = true,
                Ast::Shadowarg(shadow) => {
                    self.declare(&shadow.name);
                }
                other => {
                    self.refuse_part(*other.expression(), names::construct(other.str_type()));
                }
            }
        }
        found
    }
}

/// An empty list of targets.
impl Default for Targets {
    fn default() -> Self {
        Self { first: Vec::new(), rest: None, last: Vec::new() }
    }
}
