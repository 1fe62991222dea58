//! The template itself, `scope` and what it hands out, and the values that only Puppet knows.

use super::{ANY, Args, Entries, Method, R, Run, Str, Val, class, method, text};
use crate::interpreter::Interpreter;
use crate::value::WorldObject;
use bunraku_pcore::Value;
use bunraku_syntax::diagnostic::LogLevel;

fn strings<'a>(i: &Interpreter<'a>, names: Vec<Str>) -> Val<'a> {
    i.array(names.into_iter().map(|name| i.string(name)).collect())
}

/// `scope[name]`, `scope.lookupvar(name)`
fn lookup<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>) -> R<'a> {
    let Val::String(_) = args.at(0) else {
        let shown = i.inspect(args.at(0))?;
        let class = i.class_name(args.at(0));
        return Err(i.raise(
            &class::PUPPET_PARSE_ERROR,
            format!("Scope variable name {shown} is a {class}, not a string"),
        ));
    };
    let name = text(args.at(0));
    match i.world.lookup_variable(&name).map_err(|error| i.fail(error))? {
        Some(value) => i.shared_value(&name, &value),
        None => Ok(Val::Nil),
    }
}

/// Whether a variable has a value that is not `nil`.
fn has<'a>(i: &mut Interpreter<'a>, name: Val<'a>) -> Run<'a, bool> {
    let name = i.to_s(name)?;
    if !i.world.has_variable(&name) {
        return Ok(false);
    }
    let value = i.world.lookup_variable(&name).map_err(|error| i.fail(error))?;
    Ok(value.is_some_and(|value| !value.is_undef()))
}

impl<'a> Interpreter<'a> {
    fn puppet_function(
        &mut self,
        name: &str,
        arguments: &[Val<'a>],
        legacy: bool,
    ) -> Run<'a, Option<Val<'a>>> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.to_puppet(*argument)?);
        }
        self.tell_changes()?;
        let (line, last_match) = (self.line, self.last_match);
        let result = self.world.call_function(name, &values, legacy);
        (self.line, self.last_match) = (line, last_match);
        self.hear_changes()?;
        match result.map_err(|error| self.fail(error))? {
            Some(value) => self.to_ruby(&value).map(Some),
            None => Ok(None),
        }
    }

    /// `scope.function_name([arguments])`
    pub fn legacy_function(&mut self, function: &str, method: &str, args: Args<'a, '_>) -> R<'a> {
        let [Val::Array(list)] = args.values else {
            let message = "custom functions must be called with a single array that contains the arguments. For example, \
                           function_example([1]) instead of function_example(1)";
            return Err(self.raise(&class::ARGUMENT_ERROR, message));
        };
        let arguments = list.to_vec();
        match self.puppet_function(function, &arguments, true)? {
            Some(value) => Ok(value),
            None => Err(self.no_method(Val::World(WorldObject::Scope), method)),
        }
    }
}

fn log<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>, level: LogLevel) -> R<'a> {
    let message = i.to_s(args.at(0))?;
    i.world.log(level, message.to_string());
    Ok(Val::Nil)
}

pub(crate) static TEMPLATE: &[Method] = &[
    method("scope", 0, 0, |_, _, _| Ok(Val::World(WorldObject::Scope))),
    method("file", 0, 0, |i, _, _| Ok(if i.file.starts_with('/') { i.string(i.file) } else { Val::Nil })),
    method("has_variable?", 1, 1, |i, _, args| has(i, args.at(0)).map(Val::Boolean)),
    method("classes", 0, 0, |i, _, _| Ok(strings(i, i.world.classes()))),
    method("all_tags", 0, 0, |i, _, _| Ok(strings(i, i.world.catalog_tags()))),
    method("tags", 0, 0, |i, _, _| Err(i.raise(&class::NOT_IMPLEMENTED_ERROR, "Call 'all_tags' instead."))),
    method("debug", 1, 1, |i, _, args| log(i, args, LogLevel::Debug)),
    method("info", 1, 1, |i, _, args| log(i, args, LogLevel::Info)),
    method("notice", 1, 1, |i, _, args| log(i, args, LogLevel::Notice)),
    method("warning", 1, 1, |i, _, args| log(i, args, LogLevel::Warning)),
    method("err", 1, 1, |i, _, args| log(i, args, LogLevel::Err)),
];

pub(crate) static SCOPE: &[Method] = &[
    method("[] lookupvar", 1, 2, |i, _, args| lookup(i, args)),
    method("include?", 1, 1, |i, _, args| has(i, args.at(0)).map(Val::Boolean)),
    method("exist? has_variable?", 1, 1, |i, _, args| {
        let name = i.to_s(args.at(0))?;
        Ok(Val::Boolean(i.world.has_variable(&name)))
    }),
    method("[]= setvar", 2, 3, |i, _, args| {
        let name = i.str(args.at(0))?;
        let value = i.to_puppet(args.at(1))?;
        i.set_variable(&name, value.clone())?;
        i.share(&name, args.at(1), &value);
        Ok(args.at(1))
    }),
    method("to_hash", 0, 2, |i, _, _| {
        let mut entries = Entries::default();
        for (name, value) in i.world.variables() {
            let key = i.string(name.clone());
            let value = i.shared_value(&name, &value)?;
            entries.insert(i.key(key)?, value);
        }
        Ok(i.heap.hash(entries))
    }),
    method("call_function", 1, 2, |i, _, args| {
        let name = i.name(args.at(0))?;
        let arguments = match args.get(1) {
            Some(Val::Array(list)) => list.to_vec(),
            Some(one) => vec![one],
            None => Vec::new(),
        };
        match i.puppet_function(&name, &arguments, false)? {
            Some(value) => Ok(value),
            None => Err(i.raise(&class::ARGUMENT_ERROR, format!("Unknown function '{name}'"))),
        }
    }),
    method("catalog", 0, 0, |_, _, _| Ok(Val::World(WorldObject::Catalog))),
    method("compiler", 0, 0, |_, _, _| Ok(Val::World(WorldObject::Compiler))),
    method("environment", 0, 0, |_, _, _| Ok(Val::World(WorldObject::Environment))),
    method("module_name", 0, 0, |i, _, _| Ok(i.world.module().map_or(Val::Nil, |name| i.string(name)))),
];

pub(crate) static CATALOG: &[Method] = &[
    method("classes", 0, 0, |i, _, _| Ok(strings(i, i.world.classes()))),
    method("tags", 0, 0, |i, _, _| Ok(strings(i, i.world.catalog_tags()))),
];

pub(crate) static ENVIRONMENT: &[Method] = &[
    method("name", 0, 0, |i, _, _| Ok(i.heap.symbol(i.world.environment()))),
    method("to_s", 0, 0, |i, _, _| Ok(i.string(i.world.environment()))),
];

pub(crate) static COMPILER: &[Method] = &[
    method("catalog", 0, 0, |_, _, _| Ok(Val::World(WorldObject::Catalog))),
    method("environment", 0, 0, |_, _, _| Ok(Val::World(WorldObject::Environment))),
    method("topscope", 0, 0, |_, _, _| Ok(Val::World(WorldObject::Scope))),
    method("node", 0, 0, |_, _, _| Ok(Val::World(WorldObject::Node))),
];

pub(crate) static NODE: &[Method] = &[method("name to_s", 0, 0, |i, _, _| Ok(i.string(i.world.node())))];

pub(crate) static FOREIGN: &[Method] = &[method("unwrap", 0, 0, |i, this, _| match this {
    Val::Foreign(Value::Sensitive(inner)) => i.to_ruby(inner),
    this => Err(i.no_method(this, "unwrap")),
})];

pub(crate) static FUNCTIONS: &[Method] =
    &[method("create_function", 1, 2, |i, _, args| i.create_function(args))];

pub(crate) static PUPPET: &[Method] = &[
    method("debug", 1, 1, |i, _, args| log(i, args, LogLevel::Debug)),
    method("info", 1, 1, |i, _, args| log(i, args, LogLevel::Info)),
    method("notice", 1, 1, |i, _, args| log(i, args, LogLevel::Notice)),
    method("warning", 1, 1, |i, _, args| log(i, args, LogLevel::Warning)),
    method("err", 1, 1, |i, _, args| log(i, args, LogLevel::Err)),
];

pub(crate) static PUPPET_FUNCTIONS: &[Method] = &[
    method("newfunction", 1, 2, |i, _, args| i.new_function(args)),
    // Loading a function by name before it is called was needed once.
    method("function", 1, ANY, |i, _, args| {
        let name = i.name(args.at(0))?;
        Ok(i.string(format!("function_{name}")))
    }),
    method("autoloader", 0, 0, |i, _, _| Err(i.unsupported("Puppet's autoloader"))),
];
