//! `YAML`, which is another name of `Psych`.

use bunraku_pcore::formats::yaml::{self, Problem, Rules};
use bunraku_pcore::ruby::psych;
use bunraku_pcore::value::Value;

use super::{ANY, Args, Method, R, Run, Str, Val, class, method};
use crate::interpreter::Interpreter;
use crate::value::Entries;

/// The keywords of `load` and `safe_load`.
const SAFE: &[&str] = &[
    "permitted_classes",
    "permitted_symbols",
    "aliases",
    "filename",
    "fallback",
    "symbolize_names",
    "freeze",
];
/// Those of `unsafe_load`.
const UNSAFE: &[&str] = &["filename", "fallback", "symbolize_names", "freeze"];

/// A method that loads: by which rules, unless its keywords tell otherwise, and with which keywords.
#[derive(Clone, Copy)]
enum Loader {
    /// `load`, which allows symbols.
    Plain,
    /// `safe_load`, which allows data.
    Safe,
    /// `unsafe_load`, which allows everything.
    Unsafe,
}

/// How a text is read.
struct Reading<'a> {
    rules: Rules,
    /// What messages call the text.
    filename: Option<Str>,
    /// The value of a text without a document.
    fallback: Val<'a>,
    /// Whether the keys of hashes become symbols.
    has_symbols: bool,
    /// Whether the values are frozen.
    is_frozen: bool,
}

impl<'a> Reading<'a> {
    fn new(i: &mut Interpreter<'a>, loader: Loader, args: Args<'a, '_>) -> Run<'a, Self> {
        let keywords = if matches!(loader, Loader::Unsafe) { UNSAFE } else { SAFE };
        check_keywords(i, args, keywords)?;
        let option = |name| if args.keywords { args.option(name) } else { None };
        let mut rules = match loader {
            Loader::Plain => Rules { aliases: false, ..Rules::data() },
            Loader::Safe => Rules { classes: Some(Vec::new()), ..Rules::default() },
            Loader::Unsafe => Rules::all(),
        };
        if let Some(classes) = option("permitted_classes") {
            rules.classes = Some(texts(i, classes)?);
        }
        if let Some(symbols) = option("permitted_symbols") {
            rules.symbols = texts(i, symbols)?;
        }
        if let Some(aliases) = option("aliases") {
            rules.aliases = aliases.is_truthy();
        }
        let filename = match option("filename") {
            None | Some(Val::Nil) => None,
            Some(name) => Some(i.to_s(name)?),
        };
        let without = if matches!(loader, Loader::Unsafe) { Val::Boolean(false) } else { Val::Nil };
        Ok(Self {
            rules,
            filename,
            fallback: option("fallback").unwrap_or(without),
            has_symbols: option("symbolize_names").is_some_and(Val::is_truthy),
            is_frozen: option("freeze").is_some_and(Val::is_truthy),
        })
    }

    fn read(&self, i: &mut Interpreter<'a>, text: &str) -> R<'a> {
        match yaml::read(text, &self.rules, i.fuel()) {
            Ok(None) => Ok(self.fallback),
            Ok(Some(value)) => self.made(i, &value),
            Err(problem) => Err(self.refused(i, problem)),
        }
    }

    /// What a document is in Ruby.
    fn made(&self, i: &mut Interpreter<'a>, document: &Value) -> R<'a> {
        let value = i.to_ruby(document)?;
        let value = if self.has_symbols { with_symbols(i, value)? } else { value };
        if self.is_frozen { frozen(i, value) } else { Ok(value) }
    }

    fn refused(&self, i: &mut Interpreter<'a>, problem: Problem) -> crate::failure::Unwind<'a> {
        let message = problem.message();
        match problem {
            Problem::Syntax(_) => {
                let name = self.filename.as_deref().unwrap_or("<unknown>");
                i.raise(&class::PSYCH_SYNTAX_ERROR, format!("({name}): {message}"))
            }
            Problem::Class(_) => i.raise(&class::PSYCH_DISALLOWED_CLASS, message),
            Problem::Alias(_) => i.raise(&class::PSYCH_BAD_ALIAS, message),
            Problem::Scalar(_) => i.raise(&class::ARGUMENT_ERROR, message),
            Problem::Unread(class) => i.unsupported(format!("YAML with an object of the class {class}")),
            Problem::Stopped(error) => i.fail(error),
            _ => i.unsupported(format!("YAML: {message}")),
        }
    }
}

/// The number of arguments must be one, and the keywords known.
fn check_keywords<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>, known: &[&str]) -> Run<'a, ()> {
    let count = args.values.len() - usize::from(args.keywords && !args.values.is_empty());
    if count != 1 {
        return Err(i.wrong_count(count, 1, 1));
    }
    let (true, Some(Val::Hash(given))) = (args.keywords, args.values.last()) else { return Ok(()) };
    let given = given.to_entries();
    let is_known = |key: &Val<'a>| matches!(key, Val::Symbol(name) if known.contains(name));
    i.refuse_keywords(given.keys().map(|key| key.0).filter(|key| !is_known(key)))
}

fn texts<'a>(i: &mut Interpreter<'a>, list: Val<'a>) -> Run<'a, Vec<String>> {
    let mut out = Vec::new();
    for one in i.elements(list)? {
        out.push(i.to_s(one)?.to_string());
    }
    Ok(out)
}

/// The value with symbols for the keys of its hashes that are texts.
fn with_symbols<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> R<'a> {
    i.charge_steps(1)?;
    match value {
        Val::Array(list) => {
            let mut out = Vec::new();
            for one in list.to_vec() {
                out.push(with_symbols(i, one)?);
            }
            Ok(i.array(out))
        }
        Val::Hash(map) => {
            let mut out = Entries::default();
            for (key, one) in map.to_entries() {
                let key = match key.0 {
                    Val::String(text) => i.send(Val::String(text), "to_sym", &[])?,
                    other => other,
                };
                let key = i.key(key)?;
                out.insert(key, with_symbols(i, one)?);
            }
            Ok(i.heap.hash(out))
        }
        other => Ok(other),
    }
}

fn frozen<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> R<'a> {
    i.charge_steps(1)?;
    match value {
        Val::Array(list) => {
            for one in list.to_vec() {
                frozen(i, one)?;
            }
        }
        Val::Hash(map) => {
            for (_, one) in map.to_entries() {
                frozen(i, one)?;
            }
        }
        _ => {}
    }
    i.send(value, "freeze", &[])
}

/// The text of an argument, which may be something that can be read.
fn source<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, Str> {
    let text = match value {
        Val::Object(_) if i.responds(value, "read") => i.send(value, "read", &[])?,
        text => text,
    };
    i.str(text)
}

fn load<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>, loader: Loader) -> R<'a> {
    let reading = Reading::new(i, loader, args)?;
    let text = source(i, args.at(0))?;
    reading.read(i, &text)
}

fn load_file<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>, loader: Loader) -> R<'a> {
    let mut reading = Reading::new(i, loader, args)?;
    let path = i.str(args.at(0))?;
    let text = i.send(Val::Class(&class::FILE), "read", &[args.at(0)])?;
    let text = i.str(text)?;
    reading.filename.get_or_insert(path);
    // The byte order mark of a file is not part of its content; in other texts it is a character.
    reading.read(i, text.strip_prefix('\u{feff}').unwrap_or(&text))
}

fn load_stream<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>) -> R<'a> {
    let reading = Reading::new(i, Loader::Unsafe, args)?;
    if args.block.is_some() {
        return Err(i.unsupported("YAML.load_stream with a block"));
    }
    let text = source(i, args.at(0))?;
    let all = match yaml::read_all(&text, &reading.rules, i.fuel()) {
        Ok(all) => all,
        Err(problem) => return Err(reading.refused(i, problem)),
    };
    if all.is_empty() && args.keywords && args.option("fallback").is_some() {
        return Ok(reading.fallback);
    }
    let mut out = Vec::with_capacity(all.len());
    for document in &all {
        out.push(reading.made(i, document)?);
    }
    Ok(i.array(out))
}

pub(super) fn to_yaml<'a>(i: &mut Interpreter<'a>, this: Val<'a>, _: Args<'a, '_>) -> R<'a> {
    let data = i.to_data(this)?;
    Ok(i.string(psych::generate(&data, &psych::Layout::default())))
}

pub(crate) static YAML: &[Method] = &[
    method("dump", 1, 2, |i, _, args| to_yaml(i, args.at(0), args)),
    method("load", 0, ANY, |i, _, args| load(i, args, Loader::Plain)),
    method("safe_load", 0, ANY, |i, _, args| load(i, args, Loader::Safe)),
    method("unsafe_load", 0, ANY, |i, _, args| load(i, args, Loader::Unsafe)),
    method("load_file", 0, ANY, |i, _, args| load_file(i, args, Loader::Plain)),
    method("safe_load_file", 0, ANY, |i, _, args| load_file(i, args, Loader::Safe)),
    method("unsafe_load_file", 0, ANY, |i, _, args| load_file(i, args, Loader::Unsafe)),
    method("load_stream", 0, ANY, |i, _, args| load_stream(i, args)),
];
