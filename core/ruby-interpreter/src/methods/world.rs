//! The template itself, `scope` and its objects, and the values that only Puppet knows.

use super::{ANY, Args, Entries, Method, R, Run, Str, Unwind, Val, class, method, text};
use crate::interpreter::Interpreter;
use crate::value::WorldObject;
use bunraku_host::ForeignResource;
use bunraku_pcore::types::format::capitalize_segments;
use bunraku_pcore::types::{Type, VersionRange, mismatch};
use bunraku_pcore::value::Version;
use bunraku_pcore::{Value, package_version};
use bunraku_syntax::diagnostic::LogLevel;
use bunraku_syntax::source::Location;

fn strings<'a>(i: &Interpreter<'a>, names: Vec<Str>) -> Val<'a> {
    i.array(names.into_iter().map(|name| i.string(name)).collect())
}

/// `scope[name]`, `scope.lookupvar(name)`
fn lookup<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let Val::String(_) = args.at(0) else {
        let shown = i.inspect(args.at(0))?;
        let class = i.class_name(args.at(0));
        return Err(i.raise(
            &class::PUPPET_PARSE_ERROR,
            format!("Scope variable name {shown} is a {class}, not a string"),
        ));
    };
    let name = text(args.at(0));
    // The reference throws if a caller catches, and raises otherwise.
    const UNDEFINED: &str = "undefined_variable";
    let is_caught = i.catches.iter().any(|tag| matches!(tag, Val::Symbol(tag) if *tag == UNDEFINED));
    if is_caught && !i.world.has_variable(&name) {
        return Err(Unwind::Throw(Box::new((Val::Symbol(UNDEFINED), Val::Nil))));
    }
    if is_top(this) {
        let value = i.world.lookup_top_variable(&name).map_err(|error| i.fail(error))?;
        return value.map_or(Ok(Val::Nil), |value| i.to_ruby(&value));
    }
    match i.world.lookup_variable(&name).map_err(|error| i.fail(error))? {
        Some(value) => i.shared_value(&name, &value),
        None => Ok(Val::Nil),
    }
}

/// Whether a scope is the top scope.
const fn is_top(scope: Val<'_>) -> bool {
    matches!(scope, Val::World(WorldObject::TopScope))
}

/// `scope[name] = value`
fn set<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let name = i.str(args.at(0))?;
    let value = i.to_puppet(args.at(1))?;
    if is_top(this) {
        i.world.set_top_variable(&name, value).map_err(|error| i.fail(error))?;
        return Ok(args.at(1));
    }
    i.set_variable(&name, value.clone())?;
    i.share(&name, args.at(1), &value);
    Ok(args.at(1))
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
        scope: Val<'a>,
        name: &str,
        arguments: &[Val<'a>],
        legacy: bool,
    ) -> Run<'a, Option<Val<'a>>> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.to_puppet(*argument)?);
        }
        self.tell_changes()?;
        self.keep_state()?;
        let (line, last_match) = (self.line, self.last_match);
        let neighbour = self.legacy_neighbour(name);
        let legacy = legacy || neighbour.is_some();
        let result = if is_top(scope) && !legacy {
            self.world.call_from_top(name, &values).map(Some)
        } else {
            self.world.call_function(name, &values, legacy)
        };
        (self.line, self.last_match) = (line, last_match);
        self.hear_changes()?;
        self.hear_state()?;
        match (result.map_err(|error| self.fail(error))?, neighbour) {
            (Some(value), _) => self.to_ruby(&value).map(Some),
            (None, Some(body)) => self.call_legacy_neighbour(body, arguments).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// `scope.function_name([arguments])`
    pub fn legacy_function(
        &mut self,
        scope: Val<'a>,
        function: &str,
        method: &str,
        args: Args<'a, '_>,
    ) -> R<'a> {
        let [Val::Array(list)] = args.values else {
            let message = "custom functions must be called with a single array that contains the arguments. For example, \
                           function_example([1]) instead of function_example(1)";
            return Err(self.raise(&class::ARGUMENT_ERROR, message));
        };
        let arguments = list.to_vec();
        match self.puppet_function(scope, function, &arguments, true)? {
            Some(value) => Ok(value),
            None => Err(self.no_method(scope, method)),
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
    method("[] lookupvar", 1, 2, lookup),
    method("include?", 1, 1, |i, _, args| has(i, args.at(0)).map(Val::Boolean)),
    method("exist? has_variable?", 1, 1, |i, _, args| {
        let name = i.to_s(args.at(0))?;
        Ok(Val::Boolean(i.world.has_variable(&name)))
    }),
    method("[]= setvar", 2, 3, set),
    method("to_hash", 0, 2, |i, _, _| {
        let mut entries = Entries::default();
        for (name, value) in i.world.variables() {
            let key = i.string(name.clone());
            let value = i.shared_value(&name, &value)?;
            entries.insert(i.key(key)?, value);
        }
        Ok(i.heap.hash(entries))
    }),
    method("call_function", 1, 2, |i, this, args| {
        let name = i.name(args.at(0))?;
        if args.block.is_some() {
            // The compilation cannot call back into the program that calls it.
            return Err(i.unsupported(format!("block of the function {name}")));
        }
        // A value that is not a list becomes one, a hash one of pairs.
        let arguments = match args.get(1) {
            Some(one) => i.splat(one)?,
            None => Vec::new(),
        };
        match i.puppet_function(this, &name, &arguments, false)? {
            Some(value) => Ok(value),
            None => Err(i.raise(&class::ARGUMENT_ERROR, format!("Unknown function '{name}'"))),
        }
    }),
    method("catalog", 0, 0, |_, _, _| Ok(Val::World(WorldObject::Catalog))),
    method("compiler", 0, 0, |_, _, _| Ok(Val::World(WorldObject::Compiler))),
    method("environment", 0, 0, |_, _, _| Ok(Val::World(WorldObject::Environment))),
    method("debug", 1, 1, |i, _, args| log(i, args, LogLevel::Debug)),
    method("info", 1, 1, |i, _, args| log(i, args, LogLevel::Info)),
    method("notice", 1, 1, |i, _, args| log(i, args, LogLevel::Notice)),
    method("warning", 1, 1, |i, _, args| log(i, args, LogLevel::Warning)),
    method("err", 1, 1, |i, _, args| log(i, args, LogLevel::Err)),
    method("findresource", 1, 2, |i, _, args| resource(i, args)),
    method("find_global_scope topscope", 0, 0, |_, _, _| Ok(Val::World(WorldObject::TopScope))),
    method("is_topscope?", 0, 0, |i, this, _| {
        Ok(Val::Boolean(is_top(this) || i.world.scope_name() == "Scope(Class[main])"))
    }),
    method("to_s inspect", 0, 0, |i, this, _| {
        Ok(if is_top(this) { i.string("Scope()") } else { i.string(i.world.scope_name()) })
    }),
    method("resource", 0, 0, |i, this, _| match owner(i, this) {
        Some((kind, title)) => native_resource(i, &kind, &title),
        None => Ok(Val::Nil),
    }),
    method("source", 0, 0, |i, this, _| match owner(i, this) {
        Some((kind, title)) => {
            let is_class = kind == "Class";
            let name = if is_class { title.to_lowercase() } else { kind.to_lowercase() };
            let kind = i.heap.symbol(if is_class { "hostclass" } else { "definition" });
            let name = i.string(name);
            let of = i.constant("Puppet::Resource::Type", i.outside)?;
            i.send(of, "new", &[kind, name])
        }
        None => Ok(Val::Nil),
    }),
    method("respond_to?", 1, 2, |i, this, args| {
        let name = i.name(args.at(0))?;
        // Functions of both APIs are methods of scopes.
        let is_function = match name.strip_prefix("function_") {
            Some(function) => {
                i.world.has_function(function).map_err(|error| i.fail(error))?
                    || i.legacy_neighbour(function).is_some()
            }
            None => false,
        };
        Ok(Val::Boolean(is_function || i.answers(this, &name, args.at(1).is_truthy())))
    }),
    method("module_name", 0, 0, |i, _, _| Ok(i.world.module().map_or(Val::Nil, |name| i.string(name)))),
];

/// The type and the title of a scope's owner.
fn owner(i: &Interpreter<'_>, scope: Val<'_>) -> Option<(String, String)> {
    let name = i.world.scope_name();
    let inner = name.strip_prefix("Scope(")?.strip_suffix(")")?;
    let (kind, title) = inner.split_once('[')?;
    let title = title.strip_suffix(']')?;
    (!is_top(scope)).then(|| (kind.to_owned(), title.to_owned()))
}

/// A resource of the catalog by `Type[title]`, or by type and title; `nil` if it does not exist.
fn resource<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>) -> R<'a> {
    let first = match args.at(0) {
        of @ Val::Object(_) if i.responds(of, "name") => i.send(of, "name", &[])?,
        first => first,
    };
    let first = i.to_s(first)?;
    let (kind, title) = match args.get(1) {
        Some(title) if !title.is_nil() => (first.to_string(), i.to_s(title)?.to_string()),
        _ => match first.strip_suffix(']').and_then(|text| text.split_once('[')) {
            Some((kind, title)) => (kind.to_owned(), title.to_owned()),
            None => return Ok(Val::Nil),
        },
    };
    native_resource(i, &kind, &title)
}

fn native_resource<'a>(i: &mut Interpreter<'a>, kind: &str, title: &str) -> R<'a> {
    match i.world.resource(&capitalize_segments(kind), title) {
        Some(found) => resource_object(i, found),
        None => Ok(Val::Nil),
    }
}

/// A `Puppet::Resource` of what the catalog has.
fn resource_object<'a>(i: &mut Interpreter<'a>, found: ForeignResource) -> R<'a> {
    let mut entries = Entries::default();
    for (name, value) in &found.parameters {
        let key = i.heap.symbol(name.clone());
        let value = i.to_ruby(value)?;
        entries.insert(i.key(key)?, value);
    }
    let parameters = i.heap.hash(entries);
    let file = found.location.file.as_ref().map_or(Val::Nil, |file| i.string(file.to_string()));
    let line = found.location.line.map_or(Val::Nil, |line| Val::Integer(i64::from(line)));
    let arguments = [
        i.string(found.type_name),
        i.string(found.title),
        parameters,
        strings(i, found.tags),
        file,
        line,
        Val::Boolean(found.is_virtual),
        Val::Boolean(found.is_exported),
    ];
    let class = i.constant("Puppet::Resource", i.outside)?;
    i.send(class, "__of", &arguments)
}

/// `[major, minor, patch, prerelease, build]`
fn version_parts<'a>(i: &Interpreter<'a>, version: &Version) -> Val<'a> {
    let mut parts: Vec<Val<'a>> = Vec::new();
    for number in version.numbers {
        parts.push(i.heap.whole(number.into()));
    }
    let text = |text: Option<String>| text.map_or(Val::Nil, |text| i.string(text));
    parts.push(text(version.prerelease_text()));
    parts.push(text(version.build.as_ref().map(ToString::to_string)));
    i.array(parts)
}

/// The native base of Puppet's Ruby API in Ruby.
pub(crate) static NATIVE: &[Method] = &[
    method("module_directory", 1, 1, |i, _, args| {
        let name = i.str(args.at(0))?;
        Ok(i.world.module_directory(&name).map_or(Val::Nil, |path| i.string(path)))
    }),
    method("call", 1, ANY, |i, _, args| {
        let name = i.name(args.at(0))?;
        let arguments = args.values.get(1..).unwrap_or_default().to_vec();
        let top = Val::World(WorldObject::TopScope);
        Ok(i.puppet_function(top, &name, &arguments, false)?.unwrap_or(Val::Nil))
    }),
    method("write", 2, 2, |i, _, args| {
        let (path, bytes) = (i.str(args.at(0))?, super::library::bytes_of(i, args.at(1))?);
        i.world.write_file(&path, &bytes).map_err(|error| Unwind::Fatal(Box::new(error)))?;
        Ok(Val::Integer(bytes.len() as i64))
    }),
    method("writable?", 1, 1, |i, _, args| {
        let path = i.str(args.at(0))?;
        Ok(Val::Boolean(i.world.can_write(&path)))
    }),
    method("make_directories", 1, 1, |i, _, args| {
        let path = i.str(args.at(0))?;
        i.world.make_directories(&path).map_err(|error| Unwind::Fatal(Box::new(error)))?;
        Ok(Val::Nil)
    }),
    method("run", 1, 1, |i, _, args| {
        let mut words = Vec::new();
        for word in i.elements(args.at(0))? {
            words.push(i.to_s(word)?);
        }
        let words: Vec<&str> = words.iter().map(Str::as_str).collect();
        let (succeeded, text) =
            match i.world.run_command(&words).map_err(|error| Unwind::Fatal(Box::new(error)))? {
                Ok(output) => (true, output),
                Err(message) => (false, message),
            };
        let told = vec![Val::Boolean(succeeded), i.string(text)];
        Ok(i.array(told))
    }),
    method("version", 1, 1, |i, _, args| {
        let text = i.str(args.at(0))?;
        let Ok(version) = Version::parse(&text) else { return Ok(Val::Nil) };
        Ok(version_parts(i, &version))
    }),
    method("compare_versions", 2, 2, |i, _, args| {
        let (one, other) = (i.str(args.at(0))?, i.str(args.at(1))?);
        let (Ok(one), Ok(other)) = (Version::parse(&one), Version::parse(&other)) else {
            return Ok(Val::Nil);
        };
        Ok(Val::Integer(one.compare(&other) as i64))
    }),
    method("compare_package_versions", 2, 2, |i, _, args| {
        let (one, other) = (i.str(args.at(0))?, i.str(args.at(1))?);
        Ok(Val::Integer(package_version::compare(&one, &other) as i64))
    }),
    method("version_range?", 1, 1, |i, _, args| {
        let text = i.str(args.at(0))?;
        Ok(Val::Boolean(VersionRange::parse(&text).is_ok()))
    }),
    method("version_within?", 2, 2, |i, _, args| {
        let (range, version) = (i.str(args.at(0))?, i.str(args.at(1))?);
        let (Ok(range), Ok(version)) = (VersionRange::parse(&range), Version::parse(&version)) else {
            return Ok(Val::Boolean(false));
        };
        Ok(Val::Boolean(range.includes(&version)))
    }),
    method("instance?", 2, 2, |i, _, args| {
        let (of, value) = (type_of(i, args.at(0))?, i.to_puppet(args.at(1))?);
        Ok(Val::Boolean(of.is_instance(&value)))
    }),
    method("assignable?", 2, 2, |i, _, args| {
        let (of, other) = (type_of(i, args.at(0))?, type_of(i, args.at(1))?);
        Ok(Val::Boolean(of.is_assignable(&other)))
    }),
    method("parse_type", 1, 1, |i, _, args| {
        let text = i.str(args.at(0))?;
        let of = i.world.parse_type(&text).map_err(|error| i.fail(error))?;
        Ok(i.heap.foreign(Value::from(of)))
    }),
    method("describe_mismatch", 3, 3, |i, _, args| {
        let name = i.to_s(args.at(0))?;
        let (expected, actual) = (type_of(i, args.at(1))?, type_of(i, args.at(2))?);
        Ok(i.string(mismatch::describe(&name, &expected, &actual)))
    }),
    method("catalog", 0, 0, |_, _, _| Ok(Val::World(WorldObject::Catalog))),
    method("environment", 0, 0, |_, _, _| Ok(Val::World(WorldObject::Environment))),
    method("top_scope", 0, 0, |_, _, _| Ok(Val::World(WorldObject::TopScope))),
    method("unknown", 1, 1, |i, _, args| {
        let what = i.to_s(args.at(0))?;
        Err(i.unsupported(what))
    }),
];

/// The type that a value is.
fn type_of<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, Type> {
    match i.to_puppet(value)? {
        Value::Type(of) => Ok(of),
        _ => Err(i.unsupported("type that is no value of Puppet")),
    }
}

/// `Sensitive.new(value)`
pub(crate) static SENSITIVE: &[Method] = &[method("new", 1, 1, |i, _, args| {
    let value = i.to_puppet(args.at(0))?;
    Ok(match value {
        secret @ Value::Sensitive(_) => i.heap.foreign(secret),
        value => i.heap.foreign(Value::sensitive(value)),
    })
})];

pub(crate) static CATALOG: &[Method] = &[
    method("resource", 1, 2, |i, _, args| resource(i, args)),
    method("resources", 0, 0, |i, _, _| {
        let mut all = Vec::new();
        for found in i.world.resources().map_err(|error| i.fail(error))? {
            i.step()?;
            all.push(resource_object(i, found)?);
        }
        Ok(i.array(all))
    }),
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
    method("topscope", 0, 0, |_, _, _| Ok(Val::World(WorldObject::TopScope))),
    method("node", 0, 0, |_, _, _| Ok(Val::World(WorldObject::Node))),
];

pub(crate) static NODE: &[Method] = &[method("name to_s", 0, 0, |i, _, _| Ok(i.string(i.world.node())))];

pub(crate) static FOREIGN: &[Method] = &[method("unwrap", 0, 0, |i, this, _| match this {
    Val::Foreign(Value::Sensitive(inner)) => i.to_ruby(inner),
    this => Err(i.no_method(this, "unwrap")),
})];

/// The inherited methods of functions of the 4.x API.
pub(crate) static FUNCTION: &[Method] = &[
    method("initialize", 0, 2, |_, _, _| Ok(Val::Nil)),
    method("call_function", 1, ANY, |i, _, args| i.call_puppet(args)),
    method("closure_scope", 0, 0, |_, _, _| Ok(Val::World(WorldObject::TopScope))),
    method("loader", 0, 0, |_, _, _| Ok(Val::Nil)),
];

/// Of the class of a function.
pub(crate) static FUNCTION_CLASS: &[Method] =
    &[method("dispatcher", 0, 0, |_, _, _| Ok(Val::Class(&class::DISPATCHER)))];

pub(crate) static DISPATCHER: &[Method] = &[method("dispatch", 3, 3, |i, _, args| i.dispatch_call(args))];

pub(crate) static FUNCTIONS: &[Method] =
    &[method("create_function", 1, 2, |i, _, args| i.create_function(args))];

/// `Puppet[:name]`: a setting that the language sees.
fn setting<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>) -> R<'a> {
    let name = i.name(args.at(0))?;
    let value = i.world.lookup_top_variable(&format!("settings::{name}"));
    match value.map_err(|error| i.fail(error))? {
        // The settings with a list of values have symbols in Ruby.
        Some(value) if name == "strict" => Ok(i.heap.symbol(value.as_str().unwrap_or_default())),
        Some(value) => i.to_ruby(&value),
        None => Err(i.unsupported(format!("setting {name}"))),
    }
}

/// A place in a manifest as the reference's stack has it: `[file, line]`.
fn place<'a>(i: &Interpreter<'a>, location: &Location) -> Val<'a> {
    let file = i.string(location.file.as_deref().unwrap_or("unknown"));
    i.array(vec![file, Val::Integer(i64::from(location.line.unwrap_or(0)))])
}

/// `Puppet.deprecation_warning(message, key)`: once for a key, with the place in Ruby.
fn deprecation_warning<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>) -> R<'a> {
    let message = i.to_s(args.at(0))?;
    let of = i.method.map_or("<top (required)>", |name| name);
    let whence = format!("{}:{}:in `{of}'", i.file, i.line);
    let key = match args.get(1) {
        Some(key) if !key.is_nil() => i.to_s(key)?.to_string(),
        _ => whence.clone(),
    };
    let text = format!("{message}\n   (location: {whence})");
    i.world.log_once(&format!("deprecation:{key}"), LogLevel::Warning, text);
    Ok(Val::Nil)
}

/// `Puppet.warn_once(kind, key, message, file, line, level)`
fn warn_once<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>) -> R<'a> {
    let (key, message) = (i.to_s(args.at(1))?, i.to_s(args.at(2))?);
    let is_default = |value: Option<Val<'a>>| matches!(value, Some(Val::Symbol("default")));
    let mut text = message.to_string();
    if !(is_default(args.get(3)) && is_default(args.get(4))) {
        let shown = |i: &mut Interpreter<'a>, value: Option<Val<'a>>| match value {
            Some(value) if !value.is_nil() => i.to_s(value).map(|text| Some(text.to_string())),
            _ => Ok(None),
        };
        let place = match (shown(i, args.get(3))?, shown(i, args.get(4))?) {
            (Some(file), Some(line)) => format!("(file: {file}, line: {line})"),
            (Some(file), None) => format!("(file: {file})"),
            (None, Some(line)) => format!("(line: {line})"),
            (None, None) => "(file & line not available)".to_owned(),
        };
        text = format!("{text}\n   {place}");
    }
    let level = match args.get(5) {
        Some(level) => LogLevel::from_name(&i.name(level)?).unwrap_or(LogLevel::Warning),
        None => LogLevel::Warning,
    };
    i.world.log_once(&key, level, text);
    Ok(Val::Nil)
}

pub(crate) static PUPPET_STACK: &[Method] = &[
    method("stacktrace", 0, 0, |i, _, _| {
        let places = i.world.stack().iter().map(|location| place(i, location)).collect();
        Ok(i.array(places))
    }),
    method("top_of_stack", 0, 0, |i, _, _| {
        Ok(i.world.stack().first().map_or_else(|| i.array(Vec::new()), |location| place(i, location)))
    }),
];

pub(crate) static PUPPET: &[Method] = &[
    method("deprecation_warning", 1, 2, |i, _, args| deprecation_warning(i, args)),
    method("warn_once", 3, 6, |i, _, args| warn_once(i, args)),
    method("[]", 1, 1, |i, _, args| setting(i, args)),
    method("[]=", 2, 2, |i, _, _| Err(i.unsupported("change of a setting"))),
    method("settings", 0, 0, |_, this, _| Ok(this)),
    method("version", 0, 0, |i, _, _| Ok(i.string(bunraku_host::REFERENCE))),
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
    // Functions are loaded when they are called.
    method("autoloader", 0, 0, |i, _, _| i.constant("Puppet::Parser::Functions::Autoloader", i.outside)),
];
