//! Classes and modules of a program, its additions to Ruby's own, and the lookup of methods and constants.

use std::cell::Cell;
use std::rc::Rc;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::call::Method;
use super::class::{self, Class};
use super::failure::{R, Run};
use super::held::Held;
use super::interpreter::Interpreter;
use super::tree::Lambda;
use super::value::{Proc, Val};

/// Values by name: variables of an object, constants of a module.
pub(super) type Named<'a> = IndexMap<&'a str, Val<'a>, rustc_hash::FxBuildHasher>;

/// The visibility of a method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Visibility {
    #[default]
    Public,
    Protected,
    Private,
    /// Private, and a public one of the module itself: what `module_function` makes.
    ModuleFunction,
}

/// The implementation of a program's method.
#[derive(Clone, Copy)]
pub(super) enum Body<'a> {
    Lambda(&'a Lambda, &'a Nesting<'a>),
    /// `define_method`
    Proc(&'a Proc<'a>),
    /// `attr_reader`
    Reader(&'a str),
    /// `attr_writer`
    Writer(&'a str),
    /// Another name of one of Ruby's own.
    Native(&'static Method),
    /// `undef_method`: the search ends here.
    Undefined,
}

/// A method of the program.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub body: Body<'a>,
    pub visibility: Visibility,
    pub name: &'a str,
    pub owner: &'a Module<'a>,
}

/// A class or module of the program, or its additions to one of Ruby's own.
#[derive(Default)]
pub(super) struct Module<'a> {
    pub name: Cell<Option<&'a str>>,
    pub is_module: bool,
    /// Whether it is a part of Ruby's library.
    pub is_library: bool,
    /// The one of Ruby's own that this adds to.
    pub native: Option<&'static Class>,
    /// The only object that has these methods.
    pub attached: Option<Val<'a>>,
    pub parent: Parent<'a>,
    pub methods: Held<FxHashMap<&'a str, Entry<'a>>>,
    /// In the order in which they were included.
    pub included: Held<Vec<&'a Module<'a>>>,
    pub prepended: Held<Vec<&'a Module<'a>>>,
    pub constants: Held<Named<'a>>,
    pub private_constants: Held<Vec<&'a str>>,
    pub class_variables: Held<Named<'a>>,
    pub variables: Held<Named<'a>>,
    pub singleton: Cell<Option<&'a Module<'a>>>,
    pub frozen: Cell<bool>,
}

impl std::fmt::Debug for Module<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name.get().unwrap_or("anonymous"))
    }
}

/// The parent of a class.
#[derive(Clone, Copy, Default)]
pub(super) enum Parent<'a> {
    #[default]
    None,
    Native(&'static Class),
    Own(&'a Module<'a>),
}

impl<'a> Module<'a> {
    /// The nearest class of Ruby's own that it comes from.
    pub fn root(&self) -> &'static Class {
        let mut parent = self.parent;
        if let Some(native) = self.native {
            return native;
        }
        loop {
            match parent {
                Parent::None => return &class::OBJECT,
                Parent::Native(class) => return class,
                Parent::Own(module) => match module.native {
                    Some(native) => return native,
                    None => parent = module.parent,
                },
            }
        }
    }

    /// Its value: Ruby's own class represents its additions.
    pub fn value(&'a self) -> Val<'a> {
        self.native.map_or(Val::Module(self), Val::Class)
    }
}

/// An instance of a class of the program.
pub(super) struct Object<'a> {
    pub class: &'a Module<'a>,
    /// By their names without `@`; those that begin with `#` are not shown.
    pub variables: Held<Named<'a>>,
    pub singleton: Cell<Option<&'a Module<'a>>>,
    pub frozen: Cell<bool>,
}

impl<'a> Object<'a> {
    pub fn new(class: &'a Module<'a>) -> Self {
        Self { class, variables: Held::default(), singleton: Cell::new(None), frozen: Cell::new(false) }
    }
}

/// The enclosing modules of a text, innermost first.
#[derive(Clone, Copy, Default)]
pub(super) struct Nesting<'a> {
    pub module: Option<&'a Module<'a>>,
    pub outer: Option<&'a Nesting<'a>>,
}

/// The common context of the body of a method, a class or a file.
pub(super) struct Context<'a> {
    pub itself: Val<'a>,
    pub nesting: &'a Nesting<'a>,
    /// The module to which `def` adds methods; `None` for those of the program.
    pub definee: Option<&'a Module<'a>>,
    /// The running method: where it was found, and its name there.
    pub method: Option<&'a Entry<'a>>,
    /// The visibility set by `private` without arguments.
    pub visibility: Cell<Visibility>,
}

/// A place where methods are searched for.
#[derive(Clone, Copy)]
pub(super) enum Step<'a> {
    Own(&'a Module<'a>),
    /// Methods of instances of one of Ruby's classes, with those that it inherits.
    Instances(&'static Class),
    /// Methods of one of Ruby's classes itself, with those that it inherits.
    Class(&'static Class),
    /// Such methods of a subclass whose instances cannot be made: they are refused.
    Refused(&'static Class),
}

static REFUSED: Method = super::methods::method("", 0, super::call::ANY, |i, this, _| {
    let class = i.class_name(this);
    Err(i.unsupported(format!("method of a subclass of one of Ruby's classes ({class})")))
});

/// A method that was found.
#[derive(Clone, Copy)]
pub(super) enum ResolvedMethod<'a> {
    Own(Entry<'a>),
    Native(&'static Method),
}

type Line<'a> = Rc<Vec<Step<'a>>>;

/// The modules of a program.
#[derive(Default)]
pub(super) struct Modules<'a> {
    /// The additions to Ruby's own, by their names.
    pub additions: FxHashMap<&'static str, &'a Module<'a>>,
    /// The search order of methods, by the address of the class, and whether the class's own methods are
    /// meant.
    lines: FxHashMap<(usize, bool), Line<'a>>,
}

impl Modules<'_> {
    /// Must be called when a class gets modules or methods of its own.
    pub fn forget_lines(&mut self) {
        self.lines.clear();
    }
}

fn push<'a>(out: &mut Vec<Step<'a>>, module: &'a Module<'a>) -> bool {
    let known = out.iter().any(|step| matches!(step, Step::Own(known) if std::ptr::eq(*known, module)));
    if !known {
        out.push(Step::Own(module));
    }
    !known
}

impl<'a> Interpreter<'a> {
    /// The program's additions to one of Ruby's own classes.
    pub fn additions(&mut self, class: &'static Class) -> &'a Module<'a> {
        if let Some(module) = self.modules.additions.get(class.name) {
            return module;
        }
        let module = self.heap.module(Module {
            name: Cell::new(Some(class.name)),
            is_module: class.is_module(),
            native: Some(class),
            ..Module::default()
        });
        self.modules.additions.insert(class.name, module);
        self.modules.forget_lines();
        module
    }

    fn add_module(&self, module: &'a Module<'a>, out: &mut Vec<Step<'a>>) {
        if let Some(native) = module.native.filter(|_| !module.is_module) {
            return self.add_native(native, out);
        }
        for prepended in module.prepended.now().iter().rev() {
            self.add_module(prepended, out);
        }
        if !push(out, module) {
            return;
        }
        for included in module.included.now().iter().rev() {
            self.add_module(included, out);
        }
        match module.parent {
            Parent::None => {}
            Parent::Native(class) => self.add_native(class, out),
            Parent::Own(parent) => self.add_module(parent, out),
        }
    }

    fn add_additions(&self, name: &str, out: &mut Vec<Step<'a>>) {
        let Some(module) = self.modules.additions.get(name) else { return };
        for prepended in module.prepended.now().iter().rev() {
            self.add_module(prepended, out);
        }
        push(out, module);
        for included in module.included.now().iter().rev() {
            self.add_module(included, out);
        }
    }

    /// Ruby's own methods come before those that were added to what the class comes from: none of them is
    /// replaced.
    fn add_native(&self, class: &'static Class, out: &mut Vec<Step<'a>>) {
        self.add_additions(class.name, out);
        out.push(Step::Instances(class));
        for ancestor in class.ancestors() {
            self.add_additions(ancestor.name, out);
            for module in ancestor.modules {
                self.add_additions(module, out);
            }
        }
    }

    fn add_singleton(&self, singleton: Option<&'a Module<'a>>, out: &mut Vec<Step<'a>>) {
        if let Some(singleton) = singleton {
            self.add_module(singleton, out);
        }
    }

    fn add_class_methods(&self, class: &'static Class, out: &mut Vec<Step<'a>>) {
        for ancestor in class.ancestors() {
            if let Some(module) = self.modules.additions.get(ancestor.name) {
                self.add_singleton(module.singleton.get(), out);
            }
        }
        out.push(Step::Class(class));
    }

    fn line(&mut self, key: (usize, bool), fill: impl FnOnce(&Self, &mut Vec<Step<'a>>)) -> Line<'a> {
        if let Some(line) = self.modules.lines.get(&key) {
            return line.clone();
        }
        let mut out = Vec::new();
        fill(self, &mut out);
        let line = Rc::new(out);
        self.modules.lines.insert(key, line.clone());
        line
    }

    /// The search order for methods of instances of a class.
    pub fn instance_line(&mut self, class: &'a Module<'a>) -> Line<'a> {
        self.line((std::ptr::from_ref(class).addr(), false), |i, out| i.add_module(class, out))
    }

    fn native_line(&mut self, class: &'static Class) -> Line<'a> {
        self.line((std::ptr::from_ref(class).addr(), false), |i, out| i.add_native(class, out))
    }

    /// The search order for methods of a class or module itself.
    fn class_line(&mut self, value: Val<'a>) -> Line<'a> {
        let (place, meta) = match value {
            Val::Class(class) => (
                std::ptr::from_ref(class).addr(),
                if class.is_module() { &class::MODULE } else { &class::CLASS },
            ),
            Val::Module(module) => {
                let meta = if module.is_module { &class::MODULE } else { &class::CLASS };
                (std::ptr::from_ref(module).addr(), meta)
            }
            _ => (0, &class::OBJECT),
        };
        self.line((place, true), |i, out| {
            let mut next = match value {
                Val::Class(class) => Parent::Native(class),
                Val::Module(module) => Parent::Own(module),
                _ => Parent::None,
            };
            loop {
                next = match next {
                    Parent::None => break,
                    Parent::Native(class) => {
                        i.add_class_methods(class, out);
                        if matches!(value, Val::Module(Module { native: None, .. }))
                            && !class.has_plain_instances()
                            && !class.is_a(&class::FUNCTION)
                        {
                            out.retain(|step| !matches!(step, Step::Class(_)));
                            out.push(Step::Refused(class));
                        }
                        break;
                    }
                    Parent::Own(module) => {
                        i.add_singleton(module.singleton.get(), out);
                        match module.native {
                            Some(native) => Parent::Native(native),
                            None => module.parent,
                        }
                    }
                };
            }
            i.add_native(meta, out);
        })
    }

    /// The search order for methods of a value; `None` if the program has not changed them.
    pub fn line_of(&mut self, receiver: Val<'a>) -> Option<Line<'a>> {
        let (class, singleton) = match receiver {
            Val::Object(object) => (object.class, object.singleton.get()),
            Val::Exception(exception) if exception.object.is_some() => {
                let object = exception.object?;
                (object.class, object.singleton.get())
            }
            Val::Module(_) => return Some(self.class_line(receiver)),
            _ if self.modules.additions.is_empty() => return None,
            Val::Class(_) => return Some(self.class_line(receiver)),
            _ => {
                let class = self.class_of(receiver);
                return Some(self.native_line(class));
            }
        };
        let Some(singleton) = singleton else { return Some(self.instance_line(class)) };
        let mut line = Vec::new();
        self.add_module(singleton, &mut line);
        line.extend(self.instance_line(class).iter().copied());
        Some(Rc::new(line))
    }

    /// The method with a name in the rest of a search order.
    pub fn find_in(line: &[Step<'a>], name: &str) -> Option<ResolvedMethod<'a>> {
        for step in line {
            let found = match step {
                Step::Own(module) => {
                    module.methods.ask(|methods| methods.get(name).copied()).map(ResolvedMethod::Own)
                }
                Step::Instances(class) => class.method(name).map(ResolvedMethod::Native),
                Step::Class(class) => class.class_method(name).map(ResolvedMethod::Native),
                Step::Refused(class) => (class::CLASS.method(name).is_none())
                    .then(|| class.class_method(name).map(|_| ResolvedMethod::Native(&REFUSED)))
                    .flatten(),
            };
            match found {
                Some(ResolvedMethod::Own(Entry { body: Body::Undefined, .. })) => return None,
                Some(found) => return Some(found),
                None => {}
            }
        }
        None
    }

    /// The method of a value.
    pub fn find_method(&mut self, receiver: Val<'a>, name: &str) -> Option<ResolvedMethod<'a>> {
        if let Some(line) = self.line_of(receiver) {
            return Self::find_in(&line, name);
        }
        if let Val::Class(class) = receiver
            && let Some(method) = class.class_method(name)
        {
            return Some(ResolvedMethod::Native(method));
        }
        self.class_of(receiver).method(name).map(ResolvedMethod::Native)
    }

    /// The methods that only this value has.
    pub fn singleton(&mut self, value: Val<'a>) -> Run<'a, &'a Module<'a>> {
        let place = match value {
            Val::Object(object) => &object.singleton,
            Val::Module(module) => &module.singleton,
            Val::Class(class) => &self.additions(class).singleton,
            Val::Exception(exception) if exception.object.is_some() => match exception.object {
                Some(object) => &object.singleton,
                None => return Err(self.no_singleton(value)),
            },
            _ => return Err(self.no_singleton(value)),
        };
        if let Some(singleton) = place.get() {
            return Ok(singleton);
        }
        let singleton = self.heap.module(Module { attached: Some(value), ..Module::default() });
        place.set(Some(singleton));
        self.modules.forget_lines();
        Ok(singleton)
    }

    fn no_singleton(&mut self, value: Val<'a>) -> super::failure::Unwind<'a> {
        let class = self.class_name(value);
        self.unsupported(format!("singleton class of a {class}"))
    }

    /// The class or module of a value, with its additions.
    pub fn module_of(&mut self, value: Val<'a>) -> Run<'a, &'a Module<'a>> {
        match value {
            Val::Module(module) => Ok(module),
            Val::Class(class) => Ok(self.additions(class)),
            other => {
                let shown = self.inspect(other)?;
                Err(self.raise(&class::TYPE_ERROR, format!("{shown} is not a class/module")))
            }
        }
    }

    /// The name of a value's class.
    pub fn class_name(&mut self, value: Val<'a>) -> &'a str {
        match value {
            Val::Object(object) => self.module_name(object.class),
            Val::Exception(exception) => match exception.object {
                Some(object) => self.module_name(object.class),
                None => exception.class.name,
            },
            Val::Bytes(_) => class::STRING.name,
            other => self.class_of(other).name,
        }
    }

    /// The name of a class or module.
    pub fn module_name(&mut self, module: &'a Module<'a>) -> &'a str {
        if let Some(name) = module.name.get() {
            return name;
        }
        match module.attached {
            Some(value) => {
                let shown = self.inspect(value).unwrap_or_default();
                self.heap.name(format!("#<Class:{shown}>"))
            }
            None if module.is_module => "#<Module:0x000055d5>",
            None => "#<Class:0x000055d5>",
        }
    }

    /// The class of a value as a value.
    pub fn class_value(&mut self, value: Val<'a>) -> Val<'a> {
        match value {
            Val::Object(object) => object.class.value(),
            Val::Exception(exception) => match exception.object {
                Some(object) => object.class.value(),
                None => Val::Class(exception.class),
            },
            Val::Module(module) if module.attached.is_some() => Val::Class(&class::CLASS),
            Val::Bytes(_) => Val::Class(&class::STRING),
            other => Val::Class(self.class_of(other)),
        }
    }

    /// Whether a value is one of a class or module.
    pub fn is_kind(&mut self, value: Val<'a>, wanted: Val<'a>) -> Run<'a, bool> {
        match wanted {
            Val::Class(class) if self.class_of(value).is_a(class) => Ok(true),
            Val::Class(class) if matches!(value, Val::Bytes(_)) => Ok(class::STRING.is_a(class)),
            // Fractions are in Ruby here; the natively written methods of numbers are not theirs.
            Val::Class(class)
                if class.name == class::NUMERIC.name && self.class_name(value) == "Rational" =>
            {
                Ok(true)
            }
            Val::Class(class) => {
                let Some(module) = self.modules.additions.get(class.name).copied() else { return Ok(false) };
                Ok(self.is_in_line(value, module))
            }
            Val::Module(module) => Ok(self.is_in_line(value, module)),
            _ => Err(self.raise(&class::TYPE_ERROR, "class or module required")),
        }
    }

    fn is_in_line(&mut self, value: Val<'a>, module: &'a Module<'a>) -> bool {
        let has = |line: &Line<'a>| {
            line.iter().any(|step| matches!(step, Step::Own(own) if std::ptr::eq(*own, module)))
        };
        self.line_of(value).is_some_and(|line| has(&line))
    }

    /// Whether a class is another, or comes from it.
    pub fn is_below(&mut self, class: Val<'a>, other: Val<'a>) -> Run<'a, bool> {
        Ok(match (class, other) {
            (Val::Class(class), Val::Class(other)) => class.is_a(other),
            (Val::Class(class), Val::Module(other)) => {
                let line = self.native_line(class);
                line.iter().any(|step| matches!(step, Step::Own(own) if std::ptr::eq(*own, other)))
            }
            (Val::Module(class), Val::Module(other)) => {
                let line = self.instance_line(class);
                line.iter().any(|step| matches!(step, Step::Own(own) if std::ptr::eq(*own, other)))
            }
            (Val::Module(module), Val::Class(other)) => {
                if other.name == class::NUMERIC.name && self.to_s(class)?.as_str() == "Rational" {
                    return Ok(true);
                }
                let line = self.instance_line(module);
                line.iter().any(|step| match step {
                    Step::Own(own) => own.native.is_some_and(|native| native.name == other.name),
                    Step::Instances(class) => class.is_a(other),
                    Step::Class(_) | Step::Refused(_) => false,
                })
            }
            _ => return Err(self.raise(&class::TYPE_ERROR, "compared with non class/module")),
        })
    }

    /// Puts a method into a class or module.
    pub fn define(
        &mut self,
        module: &'a Module<'a>,
        name: &'a str,
        body: Body<'a>,
        visibility: Visibility,
    ) -> R<'a> {
        if let Some(native) = module.native
            && !self.in_prelude()
            && (native.method(name).is_some() || super::names::ruby_has(native, name))
        {
            return Err(self.unsupported(format!("redefinition of {}#{name}", native.name)));
        }
        if let Some(Val::Class(class)) = module.attached
            && !self.in_prelude()
            && (class.class_method(name).is_some() || super::names::is_unknown_class_method(class.name, name))
            && name != "new"
        {
            return Err(self.unsupported(format!("redefinition of {}.{name}", class.name)));
        }
        let is_private = matches!(name, "initialize" | "initialize_copy" | "respond_to_missing?");
        let own = match visibility {
            _ if is_private => Visibility::Private,
            Visibility::ModuleFunction => Visibility::Private,
            other => other,
        };
        module.methods.change(|methods| {
            methods.insert(name, Entry { body, visibility: own, name, owner: module });
        });
        if visibility == Visibility::ModuleFunction {
            let singleton = self.singleton(module.value())?;
            singleton.methods.change(|methods| {
                methods.insert(name, Entry { body, visibility: Visibility::Public, name, owner: singleton });
            });
        }
        let hook = match module.attached {
            Some(value) => Some((value, "singleton_method_added")),
            None => Some((module.value(), "method_added")),
        };
        if let Some((value, hook)) = hook.filter(|_| !self.in_prelude())
            && let Some(ResolvedMethod::Own(entry)) = self.find_method(value, hook)
        {
            self.call_entry(entry, value, super::call::Args::new(&[Val::Symbol(name)]))?;
        }
        Ok(Val::Symbol(name))
    }
}
