//! Assignments of all kinds.

use super::call::Args;
use super::failure::{R, Run, Unwind};
use super::interpreter::{Interpreter, find, put};
use super::tree::{Node, Operator, Target, Targets};
use super::value::{Env, Frame, Val};

impl<'a> Interpreter<'a> {
    /// Assigns a value to a target.
    pub fn assign(
        &mut self,
        target: &'a Target,
        value: Val<'a>,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> Run<'a, ()> {
        match target {
            Target::Local(local) => put(env, *local, value),
            Target::Instance(name) => self.set_variable_of(frame.context.itself, name, value)?,
            Target::ClassVariable(name) => self.set_class_variable(name, value, frame)?,
            Target::Global(name) => {
                self.note_global(name);
                self.globals.insert(name, value);
            }
            Target::Constant(name) => self.set_constant(frame.context.nesting.module, name, value),
            Target::ConstantOf(around, name) => {
                let around = self.eval(around, env, frame)?;
                let module = self.module_of(around)?;
                self.set_constant(Some(module), name, value);
            }
            Target::Index(receiver, arguments) => {
                let receiver = self.eval(receiver, env, frame)?;
                let mut arguments = self.list(arguments, env, frame)?;
                arguments.push(value);
                self.send_public(receiver, "[]=", Args::new(&arguments), frame.context.itself)?;
            }
            Target::Attribute(receiver, name, safe) => {
                let receiver = self.eval(receiver, env, frame)?;
                if !(*safe && receiver.is_nil()) {
                    self.set_attribute(receiver, name, value)?;
                }
            }
            Target::Many(targets) => self.assign_many(targets, value, env, frame)?,
        }
        Ok(())
    }

    pub fn assign_many(
        &mut self,
        targets: &'a Targets,
        value: Val<'a>,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> Run<'a, ()> {
        let values = match value {
            Val::Array(list) => list.to_vec(),
            other => self.taken_apart(other)?,
        };
        let (before, behind) = (targets.first.len(), targets.last.len());
        for (at, target) in targets.first.iter().enumerate() {
            self.assign(target, values.get(at).copied().unwrap_or(Val::Nil), env, frame)?;
        }
        let spare = values.len().saturating_sub(before + behind);
        if let Some(Some(rest)) = &targets.rest {
            let taken = values.iter().skip(before).take(spare).copied().collect();
            self.assign(rest, self.heap.array(taken), env, frame)?;
        }
        for (at, target) in targets.last.iter().enumerate() {
            self.assign(target, values.get(before + spare + at).copied().unwrap_or(Val::Nil), env, frame)?;
        }
        Ok(())
    }

    pub fn assign_with(
        &mut self,
        target: &'a Target,
        operator: &'a Operator,
        value: &'a Node,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> R<'a> {
        // Receiver and index are evaluated once.
        let (receiver, arguments) = match target {
            Target::Index(receiver, arguments) => {
                (self.eval(receiver, env, frame)?, self.list(arguments, env, frame)?)
            }
            Target::Attribute(receiver, _, safe) => {
                let receiver = self.eval(receiver, env, frame)?;
                if *safe && receiver.is_nil() {
                    return Ok(Val::Nil);
                }
                (receiver, Vec::new())
            }
            _ => (Val::Nil, Vec::new()),
        };
        let present = match target {
            Target::Local(local) => find(env, *local),
            Target::Instance(name) => self.variable_of(frame.context.itself, name)?.unwrap_or(Val::Nil),
            Target::ClassVariable(name) if matches!(operator, Operator::Or) => {
                if self.has_class_variable(name, frame)? {
                    self.class_variable(name, frame)?
                } else {
                    Val::Nil
                }
            }
            Target::ClassVariable(name) => self.class_variable(name, frame)?,
            Target::Global(name) => self.global(name)?,
            Target::Constant(name) => match self.constant(name, frame.context.nesting) {
                Err(Unwind::Raise(_)) if matches!(operator, Operator::Or) => Val::Nil,
                other => other?,
            },
            Target::ConstantOf(..) => return Err(self.unsupported("operator assignment to a::B")),
            Target::Index(..) => self.send(receiver, "[]", &arguments)?,
            Target::Attribute(_, name, _) => self.send(receiver, name, &[])?,
            Target::Many(_) => Val::Nil,
        };
        let new = match operator {
            Operator::Or if present.is_truthy() => return Ok(present),
            Operator::And if !present.is_truthy() => return Ok(present),
            Operator::Or | Operator::And => self.eval(value, env, frame)?,
            Operator::Method(name) => {
                let value = self.eval(value, env, frame)?;
                self.send(present, name, &[value])?
            }
        };
        match target {
            Target::Index(..) => {
                let mut arguments = arguments;
                arguments.push(new);
                self.send_public(receiver, "[]=", Args::new(&arguments), frame.context.itself)?;
            }
            Target::Attribute(_, name, _) => {
                self.set_attribute(receiver, name, new)?;
            }
            target => self.assign(target, new, env, frame)?,
        }
        Ok(new)
    }

    /// The parts of a value for several targets.
    fn taken_apart(&mut self, value: Val<'a>) -> Run<'a, Vec<Val<'a>>> {
        match value {
            Val::Object(_) if self.responds(value, "to_ary") => {
                let list = self.send(value, "to_ary", &[])?;
                self.elements(list)
            }
            other => Ok(vec![other]),
        }
    }

    fn set_attribute(&mut self, receiver: Val<'a>, name: &str, value: Val<'a>) -> R<'a> {
        self.send(receiver, &format!("{name}="), &[value])
    }
}
