//! Missing methods: their replacements, and the errors about them.

use super::call::{Args, receiver_is_main};
use super::class;
use super::failure::{R, Run, Unwind};
use super::interpreter::Interpreter;
use super::modules::ResolvedMethod;
use super::names;
use super::value::{Val, WorldObject};
use bunraku_pcore::Value;

impl<'a> Interpreter<'a> {
    /// Calls `method_missing`, where the program defines it.
    pub(super) fn call_method_missing(
        &mut self,
        receiver: Val<'a>,
        name: &str,
        args: Args<'a, '_>,
    ) -> Option<R<'a>> {
        let Some(ResolvedMethod::Own(entry)) = self.find_method(receiver, "method_missing") else {
            return None;
        };
        let mut values = vec![self.heap.symbol(name)];
        values.extend(args.values);
        Some(self.call_entry(entry, receiver, Args { values: &values, ..args }))
    }

    pub(super) fn missing(&mut self, receiver: Val<'a>, name: &str, args: Args<'a, '_>) -> R<'a> {
        if receiver_is_main(receiver)
            && let Some(lambda) = self.methods.get(name).copied()
        {
            return self.call_defined(lambda, args);
        }
        if matches!(receiver, Val::World(WorldObject::Scope | WorldObject::TopScope))
            && let Some(function) = name.strip_prefix("function_")
        {
            return self.legacy_function(receiver, function, name, args);
        }
        if let Some(result) = self.call_method_missing(receiver, name, args) {
            return result;
        }
        if self.load_additions_with(receiver, name)?
            && let Some(found) = self.find_method(receiver, name)
        {
            return self.call_found(found, receiver, args);
        }
        Err(self.undefined(receiver, name, args))
    }

    /// Loads the part of Ruby's library, as far as it is written in Ruby here, that adds a method to a
    /// value's class.
    pub(super) fn load_additions_with(&mut self, receiver: Val<'a>, name: &str) -> Run<'a, bool> {
        if !super::prelude::adds(name) {
            return Ok(false);
        }
        let mut loaded = false;
        let class = self.class_of(receiver);
        for class in class.ancestors() {
            for name in std::iter::once(&class.name).chain(class.modules) {
                if let Some(part) = super::prelude::part_of_constant(name) {
                    loaded |= self.load_prelude(part)?;
                }
            }
        }
        if let Val::Class(class) = receiver
            && let Some(part) = super::prelude::part_of_constant(class.name)
        {
            loaded |= self.load_prelude(part)?;
        }
        Ok(loaded)
    }

    /// The complaint about a method that is not there, or is not known.
    pub(super) fn undefined(&mut self, receiver: Val<'a>, name: &str, _: Args<'a, '_>) -> Unwind<'a> {
        let is_rubys = match receiver {
            Val::Class(class) => names::lacks_class_method(class.name, name),
            Val::Module(module) => {
                let own = self.module_name(module);
                names::ruby_has(&class::CLASS, name)
                    || names::ruby_has(&class::OBJECT, name)
                    || names::library_class_has(own, name)
            }
            Val::Bytes(_) => names::ruby_has(&class::STRING, name),
            // Its class in Puppet has methods of its own.
            Val::Foreign(value) => !matches!(value, Value::Sensitive(_)),
            Val::Object(_) if self.librarys_own(receiver, name) => true,
            _ => self.class_of(receiver).ancestors().any(|class| names::ruby_has(class, name)),
        };
        if is_rubys {
            let class = match receiver {
                Val::Bytes(_) => class::BYTES.name,
                Val::Module(module) => self.module_name(module),
                _ => self.class_name(receiver),
            };
            return self.unsupported(format!("method {name} of {class}"));
        }
        self.no_method(receiver, name)
    }

    /// Whether a class of Ruby's library that an object's class comes from has a method in Ruby.
    pub(super) fn librarys_own(&mut self, receiver: Val<'a>, name: &str) -> bool {
        let line = self.line_of(receiver).unwrap_or_default();
        line.iter().any(|step| match step {
            super::modules::Step::Own(module) => names::library_has(self.module_name(module), name),
            _ => false,
        })
    }

    /// The complaint about a method that is not there.
    pub fn no_method(&mut self, receiver: Val<'a>, name: &str) -> Unwind<'a> {
        if let Err(unwind @ Unwind::Fatal(_)) = self.inspect(receiver) {
            return unwind;
        }
        let described = self.described(receiver);
        let is_function = class::KERNEL.class_method(name).is_some() && !name.starts_with("__");
        if is_function || names::is_unknown_function(name) {
            return self
                .raise(&class::NO_METHOD_ERROR, format!("private method `{name}' called for {described}"));
        }
        self.raise(&class::NO_METHOD_ERROR, format!("undefined method `{name}' for {described}"))
    }

    /// A value as complaints about names show it.
    pub fn described(&mut self, value: Val<'a>) -> String {
        let class = self.class_name(value);
        match value {
            Val::Class(class) if class.name != "Encoding::UTF_8" => {
                format!("{}:{}", class.name, self.class_of(value).name)
            }
            Val::Module(module) => format!("{}:{class}", self.module_name(module)),
            Val::Object(_) => match self.inspect(value) {
                Ok(text) if text.starts_with('#') => text,
                Ok(text) => format!("{text}:{class}"),
                Err(_) => format!("#<{class}>"),
            },
            Val::World(WorldObject::Scope) => format!("{}:{class}", self.world.scope_name()),
            Val::World(_) | Val::Proc(_) => format!("#<{class}>"),
            Val::Class(class) if class.name == "Encoding::UTF_8" => "#<Encoding:UTF-8>".to_owned(),
            _ => match self.inspect(value) {
                Ok(text) if text.starts_with('#') => text,
                Ok(text) => format!("{text}:{class}"),
                _ => format!("#<{class}>"),
            },
        }
    }
}
