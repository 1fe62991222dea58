//! Constants, the opening of classes and modules, and variables of objects and classes.

use std::cell::Cell;

use super::class::{self, Class};
use super::failure::{R, Run};
use super::interpreter::Interpreter;
use super::modules::{Context, Module, Nesting, Parent, Step, Visibility};
use super::tree::Lambda;
use super::value::{Frame, Val, WorldObject};
use super::{names, prelude};
use bunraku_syntax::names::{segments, split_first};

impl<'a> Interpreter<'a> {
    /// The constant at a path such as `A::B`; `::A` is searched for outside of all modules.
    pub fn constant(&mut self, path: &'a str, nesting: &'a Nesting<'a>) -> R<'a> {
        let (path, found) = match path.strip_prefix("::") {
            Some(path) => (path, self.top_constant(first_of(path))?),
            None => (path, self.constant_here(first_of(path), nesting)?),
        };
        let Some(mut value) = found else {
            return match self.native_constant(path)? {
                Some(value) => Ok(value),
                None => self.missing_constant(first_of(path), nesting),
            };
        };
        // Puppet's own classes are found without the modules around them, which are loaded for nothing else.
        if let Val::Class(Class { name: "Puppet", .. }) = value
            && let Some(class) = Class::named(path)
        {
            return Ok(Val::Class(class));
        }
        for part in segments(path).skip(1) {
            value = match self.constant_in(value, part, true)? {
                Some(next) => next,
                None => match self.native_constant(path)? {
                    Some(value) => return Ok(value),
                    None => return self.missing_in(value, part),
                },
            };
        }
        Ok(value)
    }

    fn constant_here(&mut self, name: &'a str, nesting: &'a Nesting<'a>) -> Run<'a, Option<Val<'a>>> {
        let mut around = Some(nesting);
        while let Some(here) = around {
            if let Some(module) = here.module
                && let Some(value) = self.own_constant(module, name)
            {
                return Ok(Some(value));
            }
            around = here.outer;
        }
        if let Some(module) = nesting.module
            && let Some(value) = self.inherited_constant(module, name)
        {
            return Ok(Some(value));
        }
        self.top_constant(name)
    }

    /// A constant of a module itself.
    fn own_constant(&mut self, module: &'a Module<'a>, name: &str) -> Option<Val<'a>> {
        if let Some(value) = module.constants.ask(|constants| constants.get(name).copied()) {
            return Some(value);
        }
        let around = match module.native {
            Some(native) => native.name,
            // Puppet's own modules around the known ones are not known themselves.
            None => module.name.get().filter(|name| name.starts_with("Puppet::"))?,
        };
        self.native_constant(&format!("{around}::{name}")).ok().flatten()
    }

    fn inherited_constant(&mut self, module: &'a Module<'a>, name: &str) -> Option<Val<'a>> {
        let line = match module.attached {
            Some(Val::Module(module)) => self.instance_line(module),
            Some(Val::Object(object)) => self.instance_line(object.class),
            _ => self.instance_line(module),
        };
        line.iter().find_map(|step| match step {
            Step::Own(module) => self.own_constant(module, name),
            Step::Instances(class) => class
                .ancestors()
                .find_map(|class| Class::named(&format!("{}::{name}", class.name)))
                .map(Val::Class),
            Step::Class(_) | Step::Refused(_) => None,
        })
    }

    /// A constant outside of all modules.
    fn top_constant(&mut self, name: &str) -> Run<'a, Option<Val<'a>>> {
        if let Some(value) = self.constants.get(name) {
            return Ok(Some(*value));
        }
        if let Some(value) = self.native_constant(name)? {
            return Ok(Some(value));
        }
        // Modules can be included outside of all classes.
        let Some(object) = self.modules.additions.get(class::OBJECT.name).copied() else { return Ok(None) };
        let included = object.included.now();
        Ok(included.iter().rev().find_map(|module| self.own_constant(module, name)))
    }

    /// A constant of Ruby's own, by its whole name.
    fn native_constant(&mut self, path: &str) -> Run<'a, Option<Val<'a>>> {
        // `YAML` is another name of `Psych`.
        let psych = path.strip_prefix("YAML::").and_then(|name| Class::named(&format!("Psych::{name}")));
        if let Some(class) = Class::named(path).or(psych) {
            return Ok(Some(Val::Class(class)));
        }
        if self.load_prelude_of(path)?
            && let Some(value) = self.constant_of_prelude(path)
        {
            return Ok(Some(value));
        }
        Ok(Some(match path {
            "Float::INFINITY" => Val::Float(f64::INFINITY),
            "Float::NAN" => Val::Float(f64::NAN),
            "Float::EPSILON" => Val::Float(f64::EPSILON),
            "Float::MAX" => Val::Float(f64::MAX),
            "Float::MIN" => Val::Float(f64::MIN_POSITIVE),
            "Float::DIG" => Val::Integer(15),
            "Math::PI" => Val::Float(std::f64::consts::PI),
            "Math::E" => Val::Float(std::f64::consts::E),
            "Regexp::IGNORECASE" => Val::Integer(1),
            "Regexp::EXTENDED" => Val::Integer(2),
            "Regexp::MULTILINE" => Val::Integer(4),
            "File::SEPARATOR" | "File::Separator" => self.heap.string("/"),
            "File::PATH_SEPARATOR" => self.heap.string(":"),
            "File::ALT_SEPARATOR" => Val::Nil,
            // The version whose methods it has, whatever Ruby a host has.
            "RUBY_VERSION" => self.heap.string("3.1.7"),
            "RUBY_ENGINE" => self.heap.string("ruby"),
            _ => return Ok(None),
        }))
    }

    /// A constant of what the parts of Ruby's library that are loaded define.
    fn constant_of_prelude(&self, path: &str) -> Option<Val<'a>> {
        let first = first_of(path);
        let known = self.constants.get(first).copied();
        let mut value = known.or_else(|| Class::named(first).map(Val::Class))?;
        for part in segments(path).skip(1) {
            let module = match value {
                Val::Module(module) => module,
                Val::Class(class) => self.modules.additions.get(class.name).copied()?,
                _ => return None,
            };
            value = module.constants.ask(|constants| constants.get(part).copied())?;
        }
        Some(value)
    }

    /// A constant of a module, or of its included modules and ancestors.
    pub fn constant_in(&mut self, value: Val<'a>, name: &str, inherit: bool) -> Run<'a, Option<Val<'a>>> {
        match value {
            Val::Module(module) if inherit => Ok(match self.own_constant(module, name) {
                Some(value) => Some(value),
                None => self.inherited_constant(module, name),
            }),
            Val::Module(module) => Ok(self.own_constant(module, name)),
            Val::Class(class) => {
                if let Some(module) = self.modules.additions.get(class.name).copied()
                    && let Some(value) = module.constants.ask(|constants| constants.get(name).copied())
                {
                    return Ok(Some(value));
                }
                for class in class.ancestors() {
                    if let Some(value) = self.native_constant(&format!("{}::{name}", class.name))? {
                        return Ok(Some(value));
                    }
                }
                Ok(None)
            }
            other => {
                let shown = self.inspect(other)?;
                Err(self.raise(&class::TYPE_ERROR, format!("{shown} is not a class/module")))
            }
        }
    }

    /// As [`constant_in`](Self::constant_in), with an error if it does not exist.
    pub fn constant_of(&mut self, value: Val<'a>, name: &'a str) -> R<'a> {
        match self.constant_in(value, name, true)? {
            Some(found) => Ok(found),
            None => self.missing_in(value, name),
        }
    }

    fn missing_in(&mut self, value: Val<'a>, name: &str) -> R<'a> {
        if let Some(found) = self.constant_from_hook(value, name) {
            return found;
        }
        let around = self.to_s(value)?;
        let full = format!("{around}::{name}");
        if names::is_foreign_constant(&full) {
            return Err(self.unsupported(format!("constant {full}")));
        }
        Err(self.raise(&class::NAME_ERROR, format!("uninitialized constant {full}")))
    }

    fn missing_constant(&mut self, name: &str, nesting: &'a Nesting<'a>) -> R<'a> {
        if names::is_foreign_constant(name) {
            return Err(self.unsupported(format!("constant {name}")));
        }
        match nesting.module {
            Some(module) if module.attached.is_none() => {
                match self.constant_from_hook(module.value(), name) {
                    Some(found) => found,
                    None => {
                        let around = self.module_name(module);
                        Err(self
                            .raise(&class::NAME_ERROR, format!("uninitialized constant {around}::{name}")))
                    }
                }
            }
            _ if self.definition.is_none() => {
                let message = format!("uninitialized constant Puppet::Parser::TemplateWrapper::{name}");
                Err(self.raise(&class::NAME_ERROR, message))
            }
            _ => Err(self.raise(&class::NAME_ERROR, format!("uninitialized constant {name}"))),
        }
    }

    fn constant_from_hook(&mut self, value: Val<'a>, name: &str) -> Option<R<'a>> {
        match self.find_method(value, "const_missing")? {
            super::modules::ResolvedMethod::Own(entry) => {
                let name = self.heap.symbol(name);
                Some(self.call_entry(entry, value, super::call::Args::new(&[name])))
            }
            super::modules::ResolvedMethod::Native(_) => None,
        }
    }

    /// Gives a constant of a module, or one outside of all, a value. A class without a name gets this one.
    pub fn set_constant(&mut self, module: Option<&'a Module<'a>>, name: &'a str, value: Val<'a>) {
        if let Val::Module(own) = value
            && own.name.get().is_none()
        {
            own.name.set(Some(self.full_name(module, name)));
        }
        match module {
            Some(module) => module.constants.change(|constants| {
                constants.insert(name, value);
            }),
            None => {
                self.constants.insert(name, value);
            }
        }
    }

    fn full_name(&mut self, module: Option<&'a Module<'a>>, name: &'a str) -> &'a str {
        match module {
            Some(module) => {
                let around = self.module_name(module);
                self.heap.name(format!("{around}::{name}"))
            }
            None => name,
        }
    }

    /// The enclosing module of a class or module whose name has several parts.
    pub fn around(&mut self, path: &'a str, nesting: &'a Nesting<'a>) -> Run<'a, &'a Module<'a>> {
        match self.constant(path, nesting) {
            Ok(value) => self.module_of(value),
            Err(_) if matches!(first_of(path), "Puppet" | "PuppetX") => {
                let mut around = None;
                for part in path.split("::") {
                    around = Some(self.open(around, part, None, true)?);
                }
                around.map_or_else(|| self.module_of(Val::Nil), Ok)
            }
            Err(unwind) => Err(unwind),
        }
    }

    /// Defines or reopens a class or module.
    pub fn open(
        &mut self,
        around: Option<&'a Module<'a>>,
        name: &'a str,
        parent: Option<Val<'a>>,
        is_module: bool,
    ) -> Run<'a, &'a Module<'a>> {
        let known = match around {
            Some(module) => self.own_constant(module, name),
            None => self.top_constant(name)?,
        };
        let full = self.full_name(around, name);
        match known {
            Some(Val::Class(native)) => {
                if native.is_module() != is_module {
                    let what = if is_module { "module" } else { "class" };
                    return Err(self.raise(&class::TYPE_ERROR, format!("{full} is not a {what}")));
                }
                return Ok(self.additions(native));
            }
            Some(Val::Module(module)) if module.is_module == is_module => {
                if let Some(parent) = parent
                    && !self.superclass(module).is_same(parent)
                {
                    let message = format!("superclass mismatch for class {full}");
                    return Err(self.raise(&class::TYPE_ERROR, message));
                }
                return Ok(module);
            }
            Some(_) => {
                let what = if is_module { "module" } else { "class" };
                return Err(self.raise(&class::TYPE_ERROR, format!("{full} is not a {what}")));
            }
            None => {}
        }
        let module = self.new_module(parent, is_module)?;
        module.name.set(Some(full));
        self.set_constant(around, name, Val::Module(module));
        self.tell_parent(module)?;
        Ok(module)
    }

    /// A class or module without a name.
    pub fn new_module(&mut self, parent: Option<Val<'a>>, is_module: bool) -> Run<'a, &'a Module<'a>> {
        let parent = match parent {
            None if is_module => Parent::None,
            None => Parent::Native(&class::OBJECT),
            Some(Val::Class(native)) if !native.is_module() => {
                if native.name == "Class" {
                    return Err(self.raise(&class::TYPE_ERROR, "can't make subclass of Class"));
                }
                Parent::Native(native)
            }
            Some(Val::Module(module)) if !module.is_module => Parent::Own(module),
            Some(_) => return Err(self.raise(&class::TYPE_ERROR, "superclass must be a Class")),
        };
        let parent = match parent {
            // A program's addition to `Object` is found.
            Parent::Own(module) => match module.native {
                Some(native) => Parent::Native(native),
                None => Parent::Own(module),
            },
            other => other,
        };
        let is_library = self.in_prelude();
        Ok(self.heap.module(Module { is_module, is_library, parent, ..Module::default() }))
    }

    /// Calls `inherited` of a new class's parent, where the program defines it.
    pub fn tell_parent(&mut self, module: &'a Module<'a>) -> Run<'a, ()> {
        if let Parent::Own(parent) = module.parent
            && let Some(super::modules::ResolvedMethod::Own(entry)) =
                self.find_method(Val::Module(parent), "inherited")
        {
            self.call_entry(entry, Val::Module(parent), super::call::Args::new(&[Val::Module(module)]))?;
        }
        Ok(())
    }

    /// The class that a class comes from.
    pub fn superclass(&mut self, module: &'a Module<'a>) -> Val<'a> {
        match (module.native, module.parent) {
            (Some(native), _) => native.parent.map_or(Val::Nil, Val::Class),
            (None, Parent::None) => Val::Nil,
            (None, Parent::Native(class)) => Val::Class(class),
            (None, Parent::Own(module)) => Val::Module(module),
        }
    }

    /// Runs the body of a class or module.
    pub fn run_body(&mut self, module: &'a Module<'a>, body: &'a Lambda, frame: Frame<'a>) -> R<'a> {
        let nesting = self.heap.nesting(Nesting { module: Some(module), outer: Some(frame.context.nesting) });
        let itself = match module.attached {
            // `self` in `class << self` represents the methods that only this object has.
            Some(_) => Val::Module(module),
            None => module.value(),
        };
        let context = self.heap.context(Context {
            itself,
            nesting,
            definee: Some(module),
            method: None,
            visibility: Cell::new(Visibility::Public),
        });
        let env = self.heap.env(body.locals, None);
        let frame = Frame { id: self.next_number(), block: None, tag: u64::MAX, context };
        self.enter()?;
        let result = self.eval(&body.body, env, frame);
        self.world.leave();
        result
    }

    /// The variables of an object; nothing when it can have none here.
    fn variables_of(&mut self, itself: Val<'a>) -> Option<&'a super::held::Held<super::modules::Named<'a>>> {
        match itself {
            Val::Object(object) => Some(&object.variables),
            Val::Module(module) => Some(&module.variables),
            Val::Class(class) => Some(&self.additions(class).variables),
            Val::Exception(exception) => exception.object.map(|object| &object.variables),
            Val::World(WorldObject::Catalog) => Some(&self.catalog_object().variables),
            _ => None,
        }
    }

    /// An instance variable, by its name without `@`; nothing when it was never set.
    pub fn variable_of(&mut self, itself: Val<'a>, name: &str) -> Run<'a, Option<Val<'a>>> {
        if matches!(itself, Val::Main) {
            let value = self.instance(name)?;
            return Ok((!value.is_nil() || self.has_instance(name)).then_some(value));
        }
        if let Val::Class(class) = itself
            && !self.modules.additions.contains_key(class.name)
        {
            return Ok(None);
        }
        match itself {
            Val::Module(module) => self.check_kept(module, name, false)?,
            Val::Object(object) => self.check_set(object, name)?,
            _ => {}
        }
        let variables = self.variables_of(itself);
        let found = variables.and_then(|variables| variables.ask(|variables| variables.get(name).copied()));
        match (found, itself) {
            (None, Val::World(WorldObject::Catalog)) => self.kept_on_catalog(name),
            (found, _) => Ok(found),
        }
    }

    /// Sets an instance variable.
    pub fn set_variable_of(&mut self, itself: Val<'a>, name: &'a str, value: Val<'a>) -> Run<'a, ()> {
        if matches!(itself, Val::Main) {
            self.set_instance(name, value);
            return Ok(());
        }
        let is_frozen = match itself {
            Val::Object(object) => object.frozen.get(),
            Val::Module(module) => module.frozen.get(),
            _ => false,
        };
        if is_frozen {
            let class = self.class_name(itself);
            let shown = self.inspect(itself)?;
            return Err(self.raise(&class::FROZEN_ERROR, format!("can't modify frozen {class}: {shown}")));
        }
        match itself {
            Val::Module(module) => self.note_assigned(module, name, false),
            Val::Object(object) => self.note_set(object, name),
            _ => {}
        }
        if matches!(itself, Val::World(WorldObject::Catalog)) && !self.kept.is_called {
            return Err(self.unsupported("instance variable of a catalog"));
        }
        match self.variables_of(itself) {
            Some(variables) => {
                variables.change(|variables| {
                    variables.insert(name, value);
                });
                Ok(())
            }
            None => {
                let class = self.class_name(itself);
                Err(self.unsupported(format!("instance variable of a {class}")))
            }
        }
    }

    /// Takes an instance variable away.
    pub fn remove_variable_of(&mut self, itself: Val<'a>, name: &str) -> Option<Val<'a>> {
        self.variables_of(itself)?.change(|variables| variables.shift_remove(name))
    }

    /// The names of an object's instance variables.
    pub fn variable_names(&mut self, itself: Val<'a>) -> Vec<String> {
        if matches!(itself, Val::Main) {
            return self.instance_names();
        }
        if let Val::Class(class) = itself
            && !self.modules.additions.contains_key(class.name)
        {
            return Vec::new();
        }
        let names = self.variables_of(itself).map(|variables| {
            variables.ask(|variables| variables.keys().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        });
        names.unwrap_or_default().into_iter().filter(|name| !name.starts_with('#')).collect()
    }

    /// The module whose class variables a text sees.
    fn class_of_text(&mut self, frame: Frame<'a>) -> Run<'a, &'a Module<'a>> {
        let mut around = Some(frame.context.nesting);
        while let Some(here) = around {
            match here.module {
                Some(Module { attached: Some(Val::Module(module)), .. }) => return Ok(module),
                Some(Module { attached: Some(_), .. }) => {}
                Some(module) => return Ok(module),
                None => {}
            }
            around = here.outer;
        }
        Err(self.unsupported("class variable outside of a class"))
    }

    /// The module that has a class variable, seen from a class.
    pub fn owner_of_class_variable(&mut self, module: &'a Module<'a>, name: &str) -> Option<&'a Module<'a>> {
        let has =
            |module: &&'a Module<'a>| module.class_variables.ask(|variables| variables.contains_key(name));
        let line = self.instance_line(module);
        let mut owners = line.iter().filter_map(|step| match step {
            Step::Own(module) => Some(*module),
            _ => None,
        });
        Some(module).filter(has).or_else(|| owners.find(has))
    }

    /// `@@name`
    pub fn class_variable(&mut self, name: &'a str, frame: Frame<'a>) -> R<'a> {
        let module = self.class_of_text(frame)?;
        let owner = self.owner_of_class_variable(module, name);
        self.check_kept(owner.unwrap_or(module), name, true)?;
        match owner.and_then(|owner| owner.class_variables.ask(|variables| variables.get(name).copied())) {
            Some(value) => Ok(value),
            None => {
                let class = self.module_name(module);
                let message = format!("uninitialized class variable @@{name} in {class}");
                Err(self.raise(&class::NAME_ERROR, message))
            }
        }
    }

    /// Whether `@@name` has a value.
    pub fn has_class_variable(&mut self, name: &'a str, frame: Frame<'a>) -> Run<'a, bool> {
        let module = self.class_of_text(frame)?;
        let owner = self.owner_of_class_variable(module, name);
        self.check_kept(owner.unwrap_or(module), name, true)?;
        Ok(owner.is_some())
    }

    /// `@@name = value`
    pub fn set_class_variable(&mut self, name: &'a str, value: Val<'a>, frame: Frame<'a>) -> Run<'a, ()> {
        let module = self.class_of_text(frame)?;
        let owner = self.owner_of_class_variable(module, name).unwrap_or(module);
        self.note_assigned(owner, name, true);
        owner.class_variables.change(|variables| {
            variables.insert(name, value);
        });
        Ok(())
    }

    /// Whether what runs is a part of Ruby's library that is written in Ruby here.
    pub const fn in_prelude(&self) -> bool {
        self.loading > 0
    }

    /// Loads the part of Ruby's library that defines a constant; returns whether it exists.
    pub fn load_prelude_of(&mut self, constant: &str) -> Run<'a, bool> {
        let part = prelude::part_of_constant(constant);
        match part.or_else(|| prelude::part_of_constant(first_of(constant))) {
            Some(part) => self.load_prelude(part),
            None => Ok(false),
        }
    }

    /// Loads a part of Ruby's library once; returns whether it was not loaded before.
    pub fn load_prelude(&mut self, part: usize) -> Run<'a, bool> {
        if std::mem::replace(self.preludes.entry(part).or_insert(false), true) {
            return Ok(false);
        }
        let program = prelude::program(part);
        self.loading += 1;
        let (line, file) = (self.line, self.file);
        let in_library = std::mem::take(&mut self.in_library);
        let result = self.run_file(program);
        (self.line, self.file, self.in_library) = (line, file, in_library);
        self.loading -= 1;
        result.map(|_| true)
    }
}

fn first_of(path: &str) -> &str {
    split_first(path).map_or(path, |(first, _)| first)
}
