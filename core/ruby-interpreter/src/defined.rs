//! `defined?`.

use super::class;
use super::failure::{Run, Unwind};
use super::interpreter::Interpreter;
use super::names;
use super::tree::{Kind, Node};
use super::value::{Env, Frame, Val};

impl<'a> Interpreter<'a> {
    pub(super) fn defined(
        &mut self,
        node: &'a Node,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> Run<'a, Option<&'static str>> {
        Ok(Some(match &node.kind {
            Kind::Nil => "expression",
            Kind::Local(_) => "local-variable",
            Kind::Instance(name) => {
                if self.variable_of(frame.context.itself, name)?.is_none() {
                    return Ok(None);
                }
                "instance-variable"
            }
            Kind::ClassVariable(name) => {
                if !self.has_class_variable(name, frame)? {
                    return Ok(None);
                }
                "class variable"
            }
            Kind::Super(_) => return self.defined_super(frame),
            Kind::Global(name) => {
                self.global(name)?;
                if !self.globals.contains_key(name.as_str()) {
                    return Ok(None);
                }
                "global-variable"
            }
            Kind::Constant(_) | Kind::ConstantOf(..) => match self.eval(node, env, frame) {
                Ok(_) => "constant",
                Err(Unwind::Raise(_)) => return Ok(None),
                Err(unwind) => return Err(unwind),
            },
            Kind::Group(_) | Kind::LastMatch | Kind::Around(_) => {
                if self.eval(node, env, frame)?.is_nil() {
                    return Ok(None);
                }
                "global-variable"
            }
            Kind::Call(call) => {
                let itself = frame.context.itself;
                let known = match &call.receiver {
                    None if !matches!(itself, Val::Main) && self.answers(itself, &call.name, true) => true,
                    None => {
                        self.methods.contains_key(call.name.as_str())
                            || class::TEMPLATE.method(&call.name).is_some()
                            || class::KERNEL.class_method(&call.name).is_some()
                            || names::is_unknown_function(&call.name)
                    }
                    Some(receiver) => match self.eval(receiver, env, frame) {
                        Ok(receiver) => self.responds(receiver, &call.name),
                        Err(Unwind::Raise(_)) => false,
                        Err(unwind) => return Err(unwind),
                    },
                };
                if !known {
                    return Ok(None);
                }
                "method"
            }
            Kind::Yield(..) => {
                if frame.block.is_none() {
                    return Ok(None);
                }
                "yield"
            }
            Kind::Itself => "self",
            Kind::Boolean(true) => "true",
            Kind::Boolean(false) => "false",
            Kind::Assign(..) | Kind::AssignMany(..) | Kind::AssignWith(..) => "assignment",
            _ => "expression",
        }))
    }

    fn defined_super(&mut self, frame: Frame<'a>) -> Run<'a, Option<&'static str>> {
        let Some(entry) = frame.context.method else { return Ok(None) };
        let line = self.line_of(frame.context.itself);
        let found = line.and_then(|line| {
            let at = line.iter().position(
                |step| matches!(step, super::modules::Step::Own(own) if std::ptr::eq(*own, entry.owner)),
            )?;
            Self::find_in(line.get(at + 1..)?, entry.name)
        });
        Ok(found.map(|_| "super"))
    }
}
