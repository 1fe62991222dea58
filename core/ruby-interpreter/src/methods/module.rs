//! `Module` and `Class`: what classes and modules can do.

use super::{ANY, Args, Method, R, Run, Val, class, method};
use crate::call::Block;
use crate::interpreter::Interpreter;
use crate::modules::{Body, Entry, Module, Parent, ResolvedMethod, Step, Visibility};
use crate::value::{Code, Proc};

impl<'a> Interpreter<'a> {
    /// `alias`
    pub fn alias(&mut self, module: &'a Module<'a>, new: &'a str, old: &str) -> R<'a> {
        match self.instance_method(module, old) {
            Some(ResolvedMethod::Own(entry)) => {
                module.methods.change(|methods| methods.insert(new, entry));
                Ok(Val::Symbol(new))
            }
            Some(ResolvedMethod::Native(native)) => {
                self.define(module, new, Body::Native(native), Visibility::Public)
            }
            None => Err(self.no_instance_method(module, old)),
        }
    }

    /// `undef`
    pub fn undefine(&mut self, module: &'a Module<'a>, name: &'a str) -> R<'a> {
        if self.instance_method(module, name).is_none() {
            return Err(self.no_instance_method(module, name));
        }
        self.define(module, name, Body::Undefined, Visibility::Public)?;
        Ok(Val::Nil)
    }

    /// The method that instances of a class have under a name.
    pub fn instance_method(&mut self, module: &'a Module<'a>, name: &str) -> Option<ResolvedMethod<'a>> {
        if let Some(value) = module.attached {
            return self.find_method(value, name);
        }
        let line = self.instance_line(module);
        Self::find_in(&line, name).or_else(|| {
            let native = module.native.filter(|native| native.is_module())?;
            native.class_method(name).map(ResolvedMethod::Native)
        })
    }

    fn no_instance_method(&mut self, module: &'a Module<'a>, name: &str) -> super::Unwind<'a> {
        let what = if module.is_module { "module" } else { "class" };
        let shown = self.module_name(module);
        self.raise(&class::NAME_ERROR, format!("undefined method `{name}' for {what} `{shown}'"))
    }

    /// A new instance of a class of the program.
    fn allocate(&mut self, module: &'a Module<'a>) -> R<'a> {
        if module.is_module || module.attached.is_some() {
            let name = self.module_name(module);
            return Err(self.no_method_of(name, "new", module));
        }
        let object = self.heap.object(module);
        let root = module.root();
        if root.is_a(&class::EXCEPTION) {
            let name = self.module_name(module);
            let message = self.string(name);
            return Ok(Val::Exception(super::exception::of_object(self, root, object, message)));
        }
        if !root.has_plain_instances() {
            return Err(self.unsupported(format!("instance of a subclass of {}", root.name)));
        }
        Ok(Val::Object(object))
    }

    fn no_method_of(&mut self, name: &str, method: &str, module: &'a Module<'a>) -> super::Unwind<'a> {
        let class = if module.is_module { "Module" } else { "Class" };
        self.raise(&class::NO_METHOD_ERROR, format!("undefined method `{method}' for {name}:{class}"))
    }

    pub fn instantiate(&mut self, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
        let module = match this {
            Val::Module(module) => module,
            Val::Class(native) if native.name == "Object" => self.additions(native),
            Val::Class(native) => return Err(self.unsupported(format!("method new of {}", native.name))),
            other => return Err(self.no_method(other, "new")),
        };
        let value = self.allocate(module)?;
        match self.find_method(value, "initialize") {
            Some(found) => {
                self.call_found(found, value, args)?;
            }
            None if args.values.is_empty() => {}
            None => return Err(self.wrong_count(args.values.len(), 0, 0)),
        }
        Ok(value)
    }

    /// `include` outside of all classes: every object has the methods, and every place sees the constants.
    pub fn include_outside(&mut self, args: Args<'a, '_>) -> R<'a> {
        let object = self.additions(&class::OBJECT);
        for other in args.values.iter().rev() {
            self.include(object, *other, false)?;
            self.call_hook(*other, "included", Val::Class(&class::OBJECT))?;
        }
        Ok(Val::Class(&class::OBJECT))
    }

    /// Adds a module to those of a class.
    pub fn include(&mut self, module: &'a Module<'a>, other: Val<'a>, prepend: bool) -> Run<'a, ()> {
        if let Val::Class(native) = other
            && native.is_module()
        {
            self.load_prelude_of(native.name)?;
        }
        let added = match other {
            Val::Module(_) | Val::Class(_) => Some(self.module_of(other)?),
            _ => None,
        };
        let Some(added) = added.filter(|added| added.is_module) else {
            let class = if other.is_nil() { "nil" } else { self.class_name(other) };
            let message = format!("wrong argument type {class} (expected Module)");
            return Err(self.raise(&class::TYPE_ERROR, message));
        };
        if module.native.is_some() && !self.in_prelude() && prepend {
            return Err(self.unsupported("prepend to one of Ruby's own classes"));
        }
        let place = if prepend { &module.prepended } else { &module.included };
        place.change(|known| {
            if !known.iter().any(|known| std::ptr::eq(*known, added)) {
                known.push(added);
            }
        });
        self.modules.forget_lines();
        Ok(())
    }

    fn call_hook(&mut self, of: Val<'a>, name: &str, with: Val<'a>) -> Run<'a, ()> {
        if let Some(ResolvedMethod::Own(entry)) = self.find_method(of, name) {
            self.call_entry(entry, of, Args::new(&[with]))?;
        }
        Ok(())
    }

    /// `object.extend(modules)`
    pub fn extend(&mut self, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
        if matches!(this, Val::Main) {
            return Err(self.unsupported("extend outside of a class"));
        }
        let singleton = self.singleton(this)?;
        for other in args.values.iter().rev() {
            self.include(singleton, *other, false)?;
            self.call_hook(*other, "extended", this)?;
        }
        Ok(this)
    }

    /// A list of names, given one by one or as an array.
    fn names_of(&mut self, args: Args<'a, '_>) -> Run<'a, Vec<&'a str>> {
        let mut names = Vec::new();
        for value in args.values {
            let values = match value {
                Val::Array(list) => list.to_vec(),
                other => vec![*other],
            };
            for value in values {
                let name = self.name(value)?;
                names.push(self.heap.name(name));
            }
        }
        Ok(names)
    }

    fn set_visibility_of(
        &mut self,
        module: &'a Module<'a>,
        name: &'a str,
        visibility: Visibility,
    ) -> Run<'a, ()> {
        match self.instance_method(module, name) {
            Some(ResolvedMethod::Own(entry)) => {
                // One that was inherited gets an entry of its own.
                module.methods.change(|methods| methods.insert(name, Entry { visibility, ..entry }));
                Ok(())
            }
            Some(ResolvedMethod::Native(native)) if module.native.is_none() => {
                self.define(module, name, Body::Native(native), visibility).map(|_| ())
            }
            Some(ResolvedMethod::Native(_)) => {
                Err(self.unsupported(format!("change of who may call {name}")))
            }
            None => Err(self.no_instance_method(module, name)),
        }
    }

    fn attributes(&mut self, this: Val<'a>, args: Args<'a, '_>, reads: bool, writes: bool) -> R<'a> {
        let module = self.module_of(this)?;
        let mut made = Vec::new();
        for name in self.names_of(args)? {
            if reads {
                made.push(self.define(module, name, Body::Reader(name), Visibility::Public)?);
            }
            if writes {
                let setter = self.heap.name(format!("{name}="));
                made.push(self.define(module, setter, Body::Writer(name), Visibility::Public)?);
            }
        }
        Ok(self.array(made))
    }

    fn ancestors_of(&mut self, this: Val<'a>) -> Run<'a, Vec<Val<'a>>> {
        let module = self.module_of(this)?;
        let line = self.instance_line(module);
        let mut out: Vec<Val<'a>> = Vec::new();
        for step in line.iter() {
            match step {
                Step::Own(own) if own.native.is_none() => out.push(Val::Module(own)),
                Step::Own(own) if own.is_module && !out.iter().any(|known| known.is_same(own.value())) => {
                    out.push(own.value());
                }
                Step::Instances(native) => {
                    for class in native.ancestors() {
                        out.push(Val::Class(class));
                        for name in class.modules {
                            if let Some(module) = class::Class::named(name) {
                                out.push(Val::Class(module));
                            }
                        }
                    }
                }
                Step::Own(_) | Step::Class(_) | Step::Refused(_) => {}
            }
        }
        if !module.is_module {
            out.push(Val::Class(&class::BASIC_OBJECT));
        }
        Ok(out)
    }
}

fn own<'a>(i: &mut Interpreter<'a>, this: Val<'a>) -> Run<'a, &'a Module<'a>> {
    i.module_of(this)
}

fn visibility<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    args: Args<'a, '_>,
    visibility: Visibility,
) -> R<'a> {
    let module = own(i, this)?;
    for name in i.names_of(args)? {
        i.set_visibility_of(module, name, visibility)?;
    }
    Ok(match args.values {
        [one] => *one,
        several => i.array(several.to_vec()),
    })
}

fn define_method<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let module = own(i, this)?;
    let name = i.name(args.at(0))?;
    let name = i.heap.name(name);
    let proc: &'a Proc<'a> = match (args.get(1), args.block) {
        (Some(Val::Proc(proc)), _) | (None, Some(Block::Proc(proc))) => proc,
        (None, _) => {
            return Err(i.raise(&class::ARGUMENT_ERROR, "tried to create Proc object without a block"));
        }
        (Some(other), _) => {
            let class = i.class_name(other);
            let message = format!("wrong argument type {class} (expected Proc/Method/UnboundMethod)");
            return Err(i.raise(&class::TYPE_ERROR, message));
        }
    };
    // `return` in it ends the method.
    let proc = i.heap.proc(proc.code, true);
    i.define(module, name, Body::Proc(proc), Visibility::Public)
}

fn name_of<'a>(i: &mut Interpreter<'a>, this: Val<'a>) -> R<'a> {
    Ok(match this {
        Val::Class(class) => i.string(class.name),
        Val::Module(module) => match module.name.get() {
            Some(name) => i.string(name),
            None => Val::Nil,
        },
        _ => Val::Nil,
    })
}

/// `class_exec`
fn executed<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let module = own(i, this)?;
    match args.proc() {
        Some(block) => i.call_proc_in(block, this, None, Some(module), Args { block: None, ..args }),
        None if args.block.is_some() => Err(i.unsupported("class_exec with such a block")),
        None => Err(i.raise(&class::LOCAL_JUMP_ERROR, "no block given")),
    }
}

/// `class_eval`
fn evaluated<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let module = own(i, this)?;
    let count = args.values.len();
    if args.block.is_some() && count > 0 {
        return Err(i.wrong_count(count, 0, 0));
    }
    let Some(block) = args.proc() else {
        if !(1..=3).contains(&count) {
            return Err(i.wrong_count(count, 1, 3));
        }
        let text = i.str(args.at(0))?;
        let file = args.get(1).map(|file| i.str(file)).transpose()?;
        return i.evaluate_body(module, this, &text, file.unwrap_or_else(|| "(eval)".into()));
    };
    i.call_proc_in(block, this, None, Some(module), Args::new(&[this]))
}

fn below<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, strictly: bool) -> R<'a> {
    let other = args.at(0);
    if this.is_same(other) {
        return Ok(Val::Boolean(!strictly));
    }
    if i.is_below(this, other)? {
        return Ok(Val::Boolean(true));
    }
    Ok(if i.is_below(other, this)? { Val::Boolean(false) } else { Val::Nil })
}

/// The name of a class variable, with its `@@`.
fn class_variable<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, super::Str> {
    let name = i.name(value)?;
    if !name.starts_with("@@") {
        let message = format!("`{name}' is not allowed as a class variable name");
        return Err(i.raise(&class::NAME_ERROR, message));
    }
    Ok(name)
}

/// The name of a constant, or a path of names, that an argument is.
fn constant_path<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>) -> Run<'a, &'a str> {
    let path = match args.at(0) {
        Val::Symbol(name) => name.into(),
        other => i.str(other)?,
    };
    let path = i.heap.name(path);
    let is_name = |name: &str| {
        name.starts_with(char::is_uppercase) && name.chars().all(|c| c == '_' || c.is_alphanumeric())
    };
    if path.split("::").all(is_name) {
        return Ok(path);
    }
    Err(match path.contains("::") {
        true => i.unsupported("such a path of constants"),
        false => i.raise(&class::NAME_ERROR, format!("wrong constant name {path}")),
    })
}

fn constant<'a>(i: &mut Interpreter<'a>, this: Val<'a>, path: &'a str) -> R<'a> {
    let mut value = this;
    for part in path.trim_start_matches("::").split("::") {
        let found = match i.constant_in(value, part, true)? {
            Some(found) => Some(found),
            None => outermost(i, value, part)?,
        };
        value = match found {
            Some(found) => found,
            None => i.constant_of(value, part)?,
        };
    }
    Ok(value)
}

/// A constant outside of all modules, which `Object` has, and classes that come from it.
fn outermost<'a>(i: &mut Interpreter<'a>, value: Val<'a>, name: &'a str) -> Run<'a, Option<Val<'a>>> {
    if name.contains("::") || matches!(value, Val::Module(Module { is_module: true, .. })) {
        return Ok(None);
    }
    match i.constant(name, i.outside) {
        Ok(value) => Ok(Some(value)),
        Err(super::Unwind::Raise(_)) => Ok(None),
        Err(unwind) => Err(unwind),
    }
}

fn has_constant<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let path = constant_path(i, args)?;
    match constant(i, this, path) {
        Ok(_) => Ok(Val::Boolean(true)),
        Err(super::Unwind::Raise(exception)) if exception.class.name == "NameError" => {
            Ok(Val::Boolean(false))
        }
        Err(unwind) => Err(unwind),
    }
}

/// The names of the methods of the program that a class has itself, or inherits.
fn method_names<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    args: Args<'a, '_>,
    wanted: &[Visibility],
) -> R<'a> {
    let module = own(i, this)?;
    if args.at(0).is_truthy() || args.values.is_empty() {
        return Err(i.unsupported("instance_methods with those that are inherited"));
    }
    let mut names: Vec<&'a str> = module.methods.ask(|methods| {
        let of = methods.iter().filter(|(_, entry)| wanted.contains(&entry.visibility));
        of.map(|(name, _)| *name).collect()
    });
    names.sort_unstable();
    if names.len() > 1 {
        return Err(i.unsupported("instance_methods, whose order is not told"));
    }
    Ok(i.array(names.into_iter().map(Val::Symbol).collect()))
}

/// The methods of all classes and modules.
pub(crate) static MODULE: &[Method] = &[
    method("name", 0, 0, |i, this, _| name_of(i, this)),
    method("to_s inspect", 0, 0, |i, this, _| {
        let text = i.inspect(this)?;
        Ok(i.string(text))
    }),
    method("===", 1, 1, |i, this, args| Ok(Val::Boolean(i.is_kind(args.at(0), this)?))),
    method("==", 1, 1, |_, this, args| Ok(Val::Boolean(this.is_same(args.at(0))))),
    method("<=", 1, 1, |i, this, args| below(i, this, args, false)),
    method("<", 1, 1, |i, this, args| below(i, this, args, true)),
    method(">=", 1, 1, |i, this, args| below(i, args.at(0), Args::new(&[this]), false)),
    method(">", 1, 1, |i, this, args| below(i, args.at(0), Args::new(&[this]), true)),
    method("ancestors", 0, 0, |i, this, _| {
        if let Val::Class(_) = this {
            return Err(i.unsupported("ancestors of Ruby's own classes"));
        }
        let values = i.ancestors_of(this)?;
        Ok(i.array(values))
    }),
    method("include", 1, ANY, |i, this, args| {
        let module = own(i, this)?;
        for other in args.values.iter().rev() {
            i.include(module, *other, false)?;
            i.call_hook(*other, "included", this)?;
        }
        Ok(this)
    }),
    method("prepend", 1, ANY, |i, this, args| {
        let module = own(i, this)?;
        if args.values.iter().any(|other| !matches!(other, Val::Module(_) | Val::Class(_))) {
            return Err(i.unsupported("prepend of what is no module"));
        }
        for other in args.values.iter().rev() {
            i.include(module, *other, true)?;
            i.call_hook(*other, "prepended", this)?;
        }
        Ok(this)
    }),
    method("include?", 1, 1, |i, this, args| {
        if !matches!(args.at(0), Val::Class(_) | Val::Module(_)) {
            return Err(super::regexp::no_pattern(i, args.at(0), "Module"));
        }
        Ok(Val::Boolean(!this.is_same(args.at(0)) && i.is_below(this, args.at(0))?))
    }),
    method("attr_reader attr", 0, ANY, |i, this, args| i.attributes(this, args, true, false)),
    method("attr_writer", 0, ANY, |i, this, args| i.attributes(this, args, false, true)),
    method("attr_accessor", 0, ANY, |i, this, args| i.attributes(this, args, true, true)),
    method("private", 0, ANY, |i, this, args| visibility(i, this, args, Visibility::Private)),
    method("public", 0, ANY, |i, this, args| visibility(i, this, args, Visibility::Public)),
    method("protected", 0, ANY, |i, this, args| visibility(i, this, args, Visibility::Protected)),
    method("module_function", 0, ANY, |i, this, args| {
        let module = own(i, this)?;
        let singleton = i.singleton(this)?;
        for name in i.names_of(args)? {
            if let Some(ResolvedMethod::Own(entry)) = i.instance_method(module, name) {
                let public = Entry { visibility: Visibility::Public, owner: singleton, ..entry };
                singleton.methods.change(|methods| methods.insert(name, public));
            }
            i.set_visibility_of(module, name, Visibility::Private)?;
        }
        Ok(Val::Nil)
    }),
    method("private_class_method", 0, ANY, |i, this, args| {
        let singleton = i.singleton(this)?;
        for name in i.names_of(args)? {
            i.set_visibility_of(singleton, name, Visibility::Private)?;
        }
        Ok(this)
    }),
    method("public_class_method", 0, ANY, |i, this, args| {
        let singleton = i.singleton(this)?;
        for name in i.names_of(args)? {
            i.set_visibility_of(singleton, name, Visibility::Public)?;
        }
        Ok(this)
    }),
    method("private_constant", 0, ANY, |i, this, args| {
        let module = own(i, this)?;
        let names = i.names_of(args)?;
        if !names.iter().all(|name| module.constants.ask(|constants| constants.contains_key(name))) {
            return Err(i.unsupported("private_constant of what is not known"));
        }
        module.private_constants.change(|known| known.extend(names));
        Ok(Val::Nil)
    }),
    method("define_method", 1, 2, define_method),
    method("alias_method", 2, 2, |i, this, args| {
        let module = own(i, this)?;
        let (new, old) = (i.name(args.at(0))?, i.name(args.at(1))?);
        let new = i.heap.name(new);
        i.alias(module, new, &old)?;
        Ok(Val::Symbol(new))
    }),
    method("remove_method", 0, ANY, |i, this, args| {
        let module = own(i, this)?;
        for name in i.names_of(args)? {
            if module.methods.change(|methods| methods.remove(name)).is_none() {
                let shown = i.module_name(module);
                let what = if module.is_module { "module" } else { "class" };
                let message = format!("method `{name}' not defined in {what} {shown}");
                return Err(i.raise(&class::NAME_ERROR, message.replace("class ", "").replace("module ", "")));
            }
        }
        Ok(this)
    }),
    method("undef_method", 0, ANY, |i, this, args| {
        let module = own(i, this)?;
        for name in i.names_of(args)? {
            i.undefine(module, name)?;
        }
        Ok(this)
    }),
    method("instance_methods public_instance_methods", 0, 1, |i, this, args| {
        method_names(i, this, args, &[Visibility::Public, Visibility::Protected])
    }),
    method("method_defined? public_method_defined?", 1, 2, |i, this, args| {
        let module = own(i, this)?;
        let name = i.name(args.at(0))?;
        Ok(Val::Boolean(match i.instance_method(module, &name) {
            Some(ResolvedMethod::Own(entry)) => {
                matches!(entry.visibility, Visibility::Public | Visibility::Protected)
            }
            Some(ResolvedMethod::Native(_)) => true,
            None => false,
        }))
    }),
    method("private_method_defined?", 1, 2, |i, this, args| {
        let module = own(i, this)?;
        let name = i.name(args.at(0))?;
        let found = i.instance_method(module, &name);
        Ok(Val::Boolean(matches!(
            found,
            Some(ResolvedMethod::Own(Entry { visibility: Visibility::Private, .. }))
        )))
    }),
    method("class_eval module_eval", 0, ANY, evaluated),
    method("class_exec module_exec", 0, ANY, executed),
    method("const_get", 1, 2, |i, this, args| {
        let path = constant_path(i, args)?;
        constant(i, this, path)
    }),
    method("const_defined?", 1, 2, has_constant),
    method("const_set", 2, 2, |i, this, args| {
        let module = own(i, this)?;
        let name = i.name(args.at(0))?;
        if !name.starts_with(|c: char| c.is_uppercase()) {
            return Err(i.raise(&class::NAME_ERROR, format!("wrong constant name {name}")));
        }
        let name = i.heap.name(name);
        let is_object = matches!(this, Val::Class(class) if class.name == "Object");
        i.set_constant((!is_object).then_some(module), name, args.at(1));
        Ok(args.at(1))
    }),
    method("constants", 0, 1, |i, this, _| {
        let module = own(i, this)?;
        if module.native.is_some() || !matches!(module.parent, Parent::None | Parent::Native(_)) {
            return Err(i.unsupported("constants of a class that comes from another"));
        }
        let hidden = module.private_constants.now();
        let names = module.constants.ask(|constants| {
            let shown = constants.keys().filter(|name| !hidden.contains(name));
            shown.map(|name| Val::Symbol(name)).collect()
        });
        Ok(i.array(names))
    }),
    method("class_variable_get", 1, 1, |i, this, args| {
        let module = own(i, this)?;
        let full = class_variable(i, args.at(0))?;
        let name = full.trim_start_matches('@');
        let owner = i.owner_of_class_variable(module, name);
        match owner.and_then(|owner| owner.class_variables.ask(|variables| variables.get(name).copied())) {
            Some(value) => Ok(value),
            None => {
                let class = i.module_name(module);
                let message = format!("uninitialized class variable @@{name} in {class}");
                Err(i.raise(&class::NAME_ERROR, message))
            }
        }
    }),
    method("class_variable_set", 2, 2, |i, this, args| {
        let module = own(i, this)?;
        let full = class_variable(i, args.at(0))?;
        let name = i.heap.name(full.trim_start_matches('@'));
        let owner = i.owner_of_class_variable(module, name).unwrap_or(module);
        owner.class_variables.change(|variables| variables.insert(name, args.at(1)));
        Ok(args.at(1))
    }),
    method("class_variable_defined?", 1, 1, |i, this, args| {
        let module = own(i, this)?;
        let name = class_variable(i, args.at(0))?;
        Ok(Val::Boolean(i.owner_of_class_variable(module, name.trim_start_matches('@')).is_some()))
    }),
    method("instance_method", 1, 1, |i, _, _| Err(i.unsupported("instance_method"))),
    method("hash", 0, 0, |i, _, _| Err(i.unsupported("numbers of objects"))),
];

/// The methods of only classes.
pub(crate) static CLASS: &[Method] = &[
    method("new", 0, ANY, |i, this, args| i.instantiate(this, args)),
    method("allocate", 0, 0, |i, this, _| {
        let module = own(i, this)?;
        if module.native.is_some() {
            return Err(i.unsupported("allocate"));
        }
        i.allocate(module)
    }),
    method("superclass", 0, 0, |i, this, _| match this {
        Val::Class(class) => Ok(class.parent.map_or(Val::Nil, Val::Class)),
        Val::Module(module) => Ok(i.superclass(module)),
        _ => Ok(Val::Nil),
    }),
];

/// `Class.new(parent) { … }`
pub(crate) static NEW_CLASS: &[Method] = &[method("new", 0, 1, |i, _, args| {
    let module = i.new_module(args.get(0), false)?;
    i.tell_parent(module)?;
    if let Some(block) = args.proc() {
        let this = Val::Module(module);
        i.call_proc_in(block, this, None, Some(module), Args::new(&[this]))?;
    }
    Ok(Val::Module(module))
})];

/// `Module.new { … }`
pub(crate) static NEW_MODULE: &[Method] = &[method("new", 0, 0, |i, _, args| {
    let module = i.new_module(None, true)?;
    if let Some(block) = args.proc() {
        let this = Val::Module(module);
        i.call_proc_in(block, this, None, Some(module), Args::new(&[this]))?;
    }
    Ok(Val::Module(module))
})];

/// The number of a method's arguments, as Ruby's arity.
pub(super) fn arity<'a>(i: &mut Interpreter<'a>, proc: &'a Proc<'a>) -> R<'a> {
    let lambda = match proc.code {
        Code::Block { lambda, .. } => lambda,
        Code::Method((receiver, name)) => match (receiver, i.find_method(*receiver, name)) {
            (_, Some(ResolvedMethod::Own(Entry { body: Body::Lambda(lambda, _), .. }))) => lambda,
            (Val::Main, _) if i.methods.contains_key(name) => match i.methods.get(name) {
                Some(lambda) => lambda,
                None => return Ok(Val::Nil),
            },
            _ => return Err(i.unsupported("arity of a method")),
        },
        Code::Symbol(_) => return Ok(Val::Integer(-2)),
        Code::Given => {
            let taken = i.world.block().unwrap_or_default();
            let required = taken.required as i64;
            let is_open = taken.optional > 0 || taken.has_rest;
            return Ok(Val::Integer(if is_open { -required - 1 } else { required }));
        }
        Code::Collect(_) | Code::Joined(_) => return Err(i.unsupported("arity of a method")),
    };
    let parameters = &lambda.parameters;
    let is_lambda = proc.is_lambda || !matches!(proc.code, Code::Block { .. });
    let needs_keyword = parameters.keywords.iter().any(|(_, _, default)| default.is_none());
    let needed =
        (parameters.required.len() + parameters.last.len()) as i64 + i64::from(needs_keyword && is_lambda);
    let has_keywords = !parameters.keywords.is_empty() || parameters.keyword_rest.is_some();
    let open = parameters.rest.is_some()
        || (is_lambda && (!parameters.optional.is_empty() || (has_keywords && !needs_keyword)));
    Ok(Val::Integer(if open { -needed - 1 } else { needed }))
}
