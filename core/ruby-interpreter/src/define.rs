//! Definitions of methods, classes and modules; `super`.

use std::sync::Arc;

use super::call::{Args, Block};
use super::failure::{R, Unwind};
use super::interpreter::Interpreter;
use super::modules::{Body, Visibility};
use super::tree::{Call, Kind, Lambda, Node};
use super::value::{Env, Frame, Val};

impl<'a> Interpreter<'a> {
    pub fn define_here(&mut self, name: &'a str, lambda: &'a Arc<Lambda>, frame: Frame<'a>) -> R<'a> {
        let context = frame.context;
        match context.definee {
            Some(module) => {
                let visibility = context.visibility.get();
                self.define(module, name, Body::Lambda(lambda, context.nesting), visibility)
            }
            None => {
                self.methods.insert(name, lambda);
                self.world.keep_method(name, lambda);
                Ok(Val::Symbol(name))
            }
        }
    }

    /// A definition of a class, a module or one of its methods.
    pub fn definition(&mut self, node: &'a Node, env: &'a Env<'a>, frame: Frame<'a>) -> R<'a> {
        match &node.kind {
            Kind::DefineOn(receiver, name, lambda) => {
                let receiver = self.eval(receiver, env, frame)?;
                if matches!(receiver, Val::Main) {
                    self.methods.insert(name, lambda);
                    return Ok(Val::Symbol(name));
                }
                let singleton = self.singleton(receiver)?;
                self.define(singleton, name, Body::Lambda(lambda, frame.context.nesting), Visibility::Public)
            }
            Kind::Open(open) => {
                let around = match &open.around {
                    Some(Node { kind: Kind::Constant(path), .. }) => {
                        Some(self.around(path, frame.context.nesting)?)
                    }
                    Some(around) => {
                        let around = self.eval(around, env, frame)?;
                        Some(self.module_of(around)?)
                    }
                    None if open.is_top => None,
                    None => frame.context.nesting.module,
                };
                let parent = open.parent.as_ref().map(|parent| self.eval(parent, env, frame)).transpose()?;
                self.line = node.line.max(self.line);
                let module = self.open(around, &open.name, parent, open.is_module)?;
                self.run_body(module, &open.body, frame)
            }
            Kind::Singleton(receiver, body) => {
                let receiver = self.eval(receiver, env, frame)?;
                let singleton = self.singleton(receiver)?;
                self.run_body(singleton, body, frame)
            }
            Kind::Alias(new, old) => {
                let (new, old) = (self.eval(new, env, frame)?, self.eval(old, env, frame)?);
                let (new, old) = (self.name(new)?, self.name(old)?);
                let Some(module) = frame.context.definee else {
                    let Some(lambda) = self.methods.get(old.as_str()).copied() else {
                        return Err(self.unsupported("alias outside of a class"));
                    };
                    let new = self.heap.name(new);
                    self.methods.insert(new, lambda);
                    return Ok(Val::Nil);
                };
                let new = self.heap.name(new);
                self.alias(module, new, &old)?;
                Ok(Val::Nil)
            }
            Kind::Undefine(names) => {
                for name in names {
                    let name = self.eval(name, env, frame)?;
                    let name = self.name(name)?;
                    let Some(module) = frame.context.definee else {
                        return Err(self.unsupported("undef outside of a class"));
                    };
                    let name = self.heap.name(name);
                    self.undefine(module, name)?;
                }
                Ok(Val::Nil)
            }
            _ => Ok(Val::Nil),
        }
    }

    pub fn super_call(
        &mut self,
        node: &'a Node,
        call: &'a Call,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> R<'a> {
        let (values, keywords) = self.arguments(&call.arguments, call.keywords, env, frame)?;
        let (mut block, tag) = self.block_of(call, env, frame)?;
        if call.block.is_none() {
            block = frame.block;
        }
        self.line = node.line.max(self.line);
        let result =
            self.call_super(frame, Args { values: &values, block: block.map(Block::Proc), keywords });
        match result {
            Err(Unwind::Break(of, value)) if tag != 0 && of == tag => Ok(value),
            other => other,
        }
    }
}
