//! Common operations of all values: showing, comparing and walking them.

use std::cmp::Ordering;

use super::call::{Args, Block};
use super::class;
use super::failure::{Run, Unwind};
use super::interpreter::Interpreter;
use super::modules::{ResolvedMethod, Step};
use super::same::place;
use super::value::{Code, Enumerator, Exception, Match, Val, WorldObject};
use bunraku_pcore::format::{self, float_to_s, inspect_string};
use bunraku_pcore::value::Str;
use bunraku_syntax::pattern;

/// The maximum depth of shown collections.
const MAX_DEPTH: usize = 2000;

impl<'a> Interpreter<'a> {
    /// `to_s`
    pub fn to_s(&mut self, value: Val<'a>) -> Run<'a, Str> {
        Ok(match value {
            Val::Nil => Str::new(),
            Val::String(text) => text.get(),
            Val::Symbol(name) => name.into(),
            Val::Class(class) if class.name == "Encoding::UTF_8" => "UTF-8".into(),
            Val::Exception(exception) => return self.message_of(exception),
            Val::Object(_) => return self.object_to_s(value),
            // Ruby shows its address, which is as long as nothing here.
            Val::Enumerator(_) => return Err(self.unsupported("text of an enumerator")),
            Val::Regexp(pattern) => pattern::to_s(&pattern.source).into(),
            Val::Match(found) => found.group(0).unwrap_or_default().into(),
            Val::Range(range) => {
                let mut out = self.to_s(range.from)?;
                out.push_str(if range.exclusive { "..." } else { ".." });
                out.push_str(&self.to_s(range.to)?);
                out
            }
            Val::Time(time) => time.to_s().into(),
            Val::Foreign(value) => format::to_s(value).into(),
            Val::Main => format!("template[{}]", self.file).into(),
            Val::World(WorldObject::Environment) => self.world.environment(),
            Val::World(WorldObject::Node) => self.world.node(),
            Val::World(WorldObject::Scope) => self.world.scope_name(),
            Val::Bytes(_) => return Err(self.unsupported("text of bytes that are not UTF-8")),
            _ => self.inspect(value)?.into(),
        })
    }

    /// `inspect`
    pub fn inspect(&mut self, value: Val<'a>) -> Run<'a, String> {
        let mut out = String::new();
        self.write_inspected(value, &mut out, &mut Vec::new())?;
        Ok(out)
    }

    /// `around`: the addresses of the collections in progress; a repeated one is abbreviated.
    fn write_inspected(&mut self, value: Val<'a>, out: &mut String, around: &mut Vec<usize>) -> Run<'a, ()> {
        self.check_size(out.len())?;
        let own = match value {
            Val::Object(object) => std::ptr::from_ref(object).addr(),
            _ => place(value),
        };
        if own == 0 {
            return self.write_inspected_inside(value, out, around);
        }
        self.step()?;
        if around.contains(&own) {
            if let Val::Object(_) = value {
                out.push_str(&format!("#<{} ...>", self.class_name(value)));
                return Ok(());
            }
            out.push_str(match value {
                Val::Array(_) => "[...]",
                Val::Hash(_) => "{...}",
                Val::Set(_) => "#<Set: {...}>",
                Val::Range(range) if range.exclusive => "(... ... ...)",
                Val::Range(_) => "(... .. ...)",
                _ => "...",
            });
            return Ok(());
        }
        if around.len() >= MAX_DEPTH {
            return Err(self.unsupported(format!("text of what nests deeper than {MAX_DEPTH}")));
        }
        around.push(own);
        let result = self.write_inspected_inside(value, out, around);
        around.pop();
        result
    }

    /// Records the entry into an array, which is added to the enclosing ones; `recursive` is raised if it is
    /// one of them.
    pub fn go_inside(&mut self, value: Val<'a>, around: &mut Vec<usize>, recursive: &str) -> Run<'a, ()> {
        self.step()?;
        let own = place(value);
        if around.contains(&own) {
            return Err(self.raise(&class::ARGUMENT_ERROR, recursive));
        }
        if around.len() >= MAX_DEPTH {
            return Err(self.unsupported(format!("array that nests deeper than {MAX_DEPTH}")));
        }
        around.push(own);
        Ok(())
    }

    fn write_inspected_inside(
        &mut self,
        value: Val<'a>,
        out: &mut String,
        around: &mut Vec<usize>,
    ) -> Run<'a, ()> {
        match value {
            Val::Nil => out.push_str("nil"),
            Val::Boolean(truth) => out.push_str(if truth { "true" } else { "false" }),
            Val::Integer(number) => out.push_str(&number.to_string()),
            Val::Big(number) => out.push_str(&number.to_string()),
            Val::Float(number) => out.push_str(&float_to_s(number)),
            Val::String(text) => {
                self.charge_value(value)?;
                out.push_str(&inspect_string(&text.get()));
            }
            Val::Symbol(name) => out.push_str(&inspect_symbol(name)),
            Val::Array(list) => {
                out.push('[');
                self.write_inspected_list(list.now().iter().copied(), out, around)?;
                out.push(']');
            }
            Val::Hash(map) => {
                out.push('{');
                for (index, (key, value)) in map.now().iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    self.write_inspected(key.0, out, around)?;
                    out.push_str("=>");
                    self.write_inspected(*value, out, around)?;
                }
                out.push('}');
            }
            Val::Set(map) => {
                out.push_str("#<Set: {");
                self.write_inspected_list(map.now().keys().map(|key| key.0), out, around)?;
                out.push_str("}>");
            }
            Val::Range(range) => {
                let is_whole = range.from.is_nil() && range.to.is_nil();
                if !range.from.is_nil() || is_whole {
                    self.write_inspected(range.from, out, around)?;
                }
                out.push_str(if range.exclusive { "..." } else { ".." });
                if !range.to.is_nil() || is_whole {
                    self.write_inspected(range.to, out, around)?;
                }
            }
            Val::Regexp(pattern) => out.push_str(&inspect_regexp(&pattern.source)),
            Val::Match(found) => write_match(found, out),
            Val::Class(class) if class.name == "Encoding::UTF_8" => out.push_str("#<Encoding:UTF-8>"),
            Val::Class(class) => out.push_str(class.name),
            Val::Module(module) => out.push_str(self.module_name(module)),
            Val::Object(_) => self.write_object(value, out, around)?,
            Val::Exception(exception) => self.write_exception(exception, out)?,
            Val::Time(time) => out.push_str(&time.inspect()),
            Val::Foreign(value) => out.push_str(&format::inspect(value)),
            Val::Bytes(bytes) => write_bytes(bytes, out),
            Val::Enumerator(enumerator) => self.write_enumerator(enumerator, out, around)?,
            Val::Proc(super::value::Proc { code: Code::Method(_), .. }) => {
                return Err(self.unsupported("text of a method"));
            }
            Val::Main if self.definition.is_none() => self.write_template(out, around)?,
            Val::World(WorldObject::Scope) => out.push_str(&self.world.scope_name()),
            Val::World(WorldObject::TopScope) => out.push_str("Scope()"),
            Val::World(_) => {
                let class = self.class_name(value).to_owned();
                return Err(self.unsupported(format!("text of a {class}")));
            }
            Val::Proc(_) | Val::Main | Val::Binding(_) => {
                out.push_str(&format!("#<{}>", self.class_name(value)));
            }
        }
        Ok(())
    }

    /// Values with commas between them.
    fn write_inspected_list(
        &mut self,
        values: impl Iterator<Item = Val<'a>>,
        out: &mut String,
        around: &mut Vec<usize>,
    ) -> Run<'a, ()> {
        for (index, value) in values.enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            self.write_inspected(value, out, around)?;
        }
        Ok(())
    }

    fn write_exception(&mut self, exception: &'a Exception<'a>, out: &mut String) -> Run<'a, ()> {
        let value = Val::Exception(exception);
        let message = match exception.object {
            Some(_) => {
                let text = self.send(value, "to_s", &[])?;
                self.to_s(text)?
            }
            None => self.to_s(exception.message.get())?,
        };
        let name = self.class_name(value);
        if message.is_empty() {
            out.push_str(name);
        } else {
            out.push_str(&format!("#<{name}: {message}>"));
        }
        Ok(())
    }

    /// Refuses an enumerator that is an arithmetic sequence in Ruby.
    pub(super) fn check_no_sequence(&self, enumerator: &Enumerator<'a>) -> Run<'a, ()> {
        let is_step = matches!(enumerator.method, "step" | "%");
        let is_number = matches!(enumerator.receiver, Val::Integer(_) | Val::Big(_) | Val::Float(_));
        if is_step && (is_number || matches!(enumerator.receiver, Val::Range(_))) {
            return Err(self.unsupported("arithmetic sequence as such"));
        }
        Ok(())
    }

    fn write_enumerator(
        &mut self,
        enumerator: &'a Enumerator<'a>,
        out: &mut String,
        around: &mut Vec<usize>,
    ) -> Run<'a, ()> {
        self.check_no_sequence(enumerator)?;
        // These have several names, and Ruby shows the one that was called.
        const ALIASED: &[&str] =
            &["find", "find_index", "flat_map", "index", "map", "select", "with_index", "with_object"];
        if ALIASED.contains(&enumerator.method) {
            return Err(self.unsupported(format!("text of an enumerator of {}", enumerator.method)));
        }
        // Names at the end are shown as in a call.
        let is_named =
            |map: &super::value::Map<'a>| map.now().keys().all(|key| matches!(key.0, Val::Symbol(_)));
        if matches!(enumerator.arguments.last(), Some(Val::Hash(map)) if is_named(map)) {
            return Err(self.unsupported("text of an enumerator with a hash"));
        }
        out.push_str("#<Enumerator: ");
        self.write_inspected(enumerator.receiver, out, around)?;
        out.push(':');
        out.push_str(enumerator.method);
        for (at, argument) in enumerator.arguments.iter().enumerate() {
            out.push_str(if at == 0 { "(" } else { ", " });
            self.write_inspected(*argument, out, around)?;
        }
        out.push_str(if enumerator.arguments.is_empty() { ">" } else { ")>" });
        Ok(())
    }

    fn object_to_s(&mut self, value: Val<'a>) -> Run<'a, Str> {
        if let Some(ResolvedMethod::Own(entry)) = self.find_method(value, "to_s") {
            self.step()?;
            if let Val::String(text) = self.call_entry(entry, value, Args::new(&[]))? {
                return Ok(text.get());
            }
        }
        Ok(format!("#<{}>", self.class_name(value)).into())
    }

    /// An object as Ruby shows it, but without its address, which is another one each time.
    fn write_object(&mut self, value: Val<'a>, out: &mut String, around: &mut Vec<usize>) -> Run<'a, ()> {
        if let Some(ResolvedMethod::Own(entry)) = self.find_method(value, "inspect") {
            self.step()?;
            let text = self.call_entry(entry, value, Args::new(&[]))?;
            out.push_str(&self.to_s(text)?);
            return Ok(());
        }
        let names = self.variable_names(value);
        if !names.is_empty() && self.is_of_library(value) {
            // Ruby's own have other variables.
            let class = self.class_name(value).to_owned();
            return match class.as_str() {
                "StringIO" => {
                    out.push_str("#<StringIO>");
                    Ok(())
                }
                _ => Err(self.unsupported(format!("text of an object of the class {class}"))),
            };
        }
        out.push_str(&format!("#<{}", self.class_name(value)));
        for (at, name) in names.iter().enumerate() {
            out.push_str(if at == 0 { " @" } else { ", @" });
            out.push_str(name);
            out.push('=');
            let one = self.variable_of(value, name)?.unwrap_or(Val::Nil);
            self.write_inspected(one, out, around)?;
        }
        out.push('>');
        Ok(())
    }

    /// Whether an object's class is one of Ruby's library, or comes from one.
    fn is_of_library(&mut self, value: Val<'a>) -> bool {
        let line = self.line_of(value).unwrap_or_default();
        line.iter().any(|step| matches!(step, Step::Own(class) if class.is_library && !class.is_module))
    }

    /// The object that a template runs on: it has the variables of the scope.
    fn write_template(&mut self, out: &mut String, around: &mut Vec<usize>) -> Run<'a, ()> {
        out.push_str(&format!("#<{} @__scope__={}", class::TEMPLATE.name, self.world.scope_name()));
        if self.file.starts_with('/') {
            out.push_str(&format!(", @__file__={}", inspect_string(self.file)));
        }
        for name in self.instance_names() {
            out.push_str(&format!(", @{name}="));
            let one = self.instance(&name)?;
            self.write_inspected(one, out, around)?;
        }
        out.push('>');
        Ok(())
    }

    /// The values of an object's `each`, collected.
    pub fn collected(
        &mut self,
        value: Val<'a>,
        method: &str,
        arguments: &[Val<'a>],
    ) -> Run<'a, Vec<Val<'a>>> {
        let list = self.array(Vec::new());
        let Val::Array(into) = list else { return Ok(Vec::new()) };
        let block = self.heap.proc(Code::Collect(into), false);
        let args = Args { values: arguments, block: Some(Block::Proc(block)), keywords: false };
        self.send_with(value, method, args)?;
        Ok(into.to_vec())
    }

    /// `<=>` where the two must be comparable.
    pub fn ordered(&mut self, a: Val<'a>, b: Val<'a>) -> Run<'a, Ordering> {
        match self.compare(a, b)? {
            Some(ordering) => Ok(ordering),
            None => Err(self.incomparable(a, b)),
        }
    }

    /// The complaint about values that cannot be compared.
    pub fn incomparable(&mut self, a: Val<'a>, b: Val<'a>) -> Unwind<'a> {
        let class = self.class_name(a);
        // Whole numbers of more bits are objects in Ruby.
        const SMALL: std::ops::Range<i64> = -(1 << 62)..1 << 62;
        let other = match b {
            Val::Integer(number) if !SMALL.contains(&number) => self.class_name(b).to_owned(),
            Val::Nil | Val::Boolean(_) | Val::Integer(_) | Val::Float(_) | Val::Symbol(_) => {
                self.inspect(b).unwrap_or_default()
            }
            _ => self.class_name(b).to_owned(),
        };
        self.raise(&class::ARGUMENT_ERROR, format!("comparison of {class} with {other} failed"))
    }

    /// Sorts by a comparison that may fail: by merging, as the C library does that Ruby asks. The order of
    /// comparisons shows in messages, and where a comparison contradicts itself.
    pub fn sort_with<T: Copy>(
        &mut self,
        values: &mut [T],
        compare: &mut dyn FnMut(&mut Self, T, T) -> Run<'a, Ordering>,
    ) -> Run<'a, ()> {
        if values.len() < 2 {
            return Ok(());
        }
        let (left, right) = values.split_at_mut(values.len() / 2);
        self.sort_with(left, compare)?;
        self.sort_with(right, compare)?;
        let mut merged = Vec::with_capacity(left.len() + right.len());
        let (mut rest, mut other) = (&*left, &*right);
        while let ([a, after_a @ ..], [b, after_b @ ..]) = (rest, other) {
            if compare(self, *a, *b)?.is_gt() {
                merged.push(*b);
                other = after_b;
            } else {
                merged.push(*a);
                rest = after_a;
            }
        }
        merged.extend_from_slice(rest);
        merged.extend_from_slice(other);
        values.copy_from_slice(&merged);
        Ok(())
    }

    /// Walks a value as its `each` does: a hash yields pairs. Continues while `body` returns true.
    pub fn each(
        &mut self,
        value: Val<'a>,
        body: &mut dyn FnMut(&mut Self, Val<'a>) -> Run<'a, bool>,
    ) -> Run<'a, ()> {
        match value {
            Val::Array(list) => {
                // It may grow meanwhile.
                let mut at = 0;
                while let Some(element) = list.get(at) {
                    at += 1;
                    if !body(self, element)? {
                        break;
                    }
                }
            }
            Val::Hash(map) => {
                for (key, value) in map.walk() {
                    let pair = self.heap.array(vec![key, value]);
                    if !body(self, pair)? {
                        break;
                    }
                }
            }
            Val::Set(map) => {
                for (key, _) in map.walk() {
                    if !body(self, key)? {
                        break;
                    }
                }
            }
            Val::Range(range) => super::methods::range::each(self, range, body)?,
            Val::Object(_) if self.responds(value, "each") => {
                for element in self.collected(value, "each", &[])? {
                    if !body(self, element)? {
                        break;
                    }
                }
            }
            Val::Enumerator(enumerator)
                if matches!(
                    self.find_method(enumerator.receiver, enumerator.method),
                    Some(ResolvedMethod::Own(_))
                ) =>
            {
                for element in
                    self.collected(enumerator.receiver, enumerator.method, &enumerator.arguments)?
                {
                    if !body(self, element)? {
                        break;
                    }
                }
            }
            Val::Enumerator(enumerator) => self.each_given(enumerator, body)?,
            other => return Err(self.no_method(other, "each")),
        }
        Ok(())
    }

    /// Walks the values that a built-in method yields to its block.
    fn each_given(
        &mut self,
        enumerator: &'a Enumerator<'a>,
        body: &mut dyn FnMut(&mut Self, Val<'a>) -> Run<'a, bool>,
    ) -> Run<'a, ()> {
        let body = std::cell::RefCell::new(body);
        let tag = self.next_number();
        let block = |i: &mut Self, values: &[Val<'a>]| {
            let value = match values {
                [one] => *one,
                several => i.heap.array(several.to_vec()),
            };
            let go_on = match body.try_borrow_mut() {
                Ok(mut body) => (*body)(i, value)?,
                Err(_) => return Err(i.unsupported("enumerator inside itself")),
            };
            if go_on { Ok(Val::Nil) } else { Err(Unwind::Break(tag, Val::Nil)) }
        };
        let args =
            Args { values: &enumerator.arguments, block: Some(Block::Native(&block)), keywords: false };
        match self.send_with(enumerator.receiver, enumerator.method, args) {
            Err(Unwind::Break(of, _)) if of == tag => {}
            other => {
                other?;
            }
        }
        Ok(())
    }

    /// The elements of a collection.
    pub fn elements(&mut self, value: Val<'a>) -> Run<'a, Vec<Val<'a>>> {
        if let Val::Array(list) = value {
            return Ok(list.to_vec());
        }
        let mut values = Vec::new();
        self.each(value, &mut |i, element| {
            values.push(element);
            i.check_size(values.len() * size_of::<Val<'a>>())?;
            Ok(true)
        })?;
        Ok(values)
    }

    /// A string argument.
    pub fn str(&mut self, value: Val<'a>) -> Run<'a, Str> {
        match value {
            Val::String(text) => Ok(text.get()),
            Val::Object(_) if self.responds(value, "to_str") => {
                let text = self.send(value, "to_str", &[])?;
                self.to_s(text)
            }
            other => Err(self.no_conversion(other, "String")),
        }
    }

    /// A string or symbol argument.
    pub fn name(&mut self, value: Val<'a>) -> Run<'a, Str> {
        match value {
            Val::Symbol(name) => Ok(name.into()),
            Val::String(text) => Ok(text.get()),
            other => {
                let shown = self.inspect(other)?;
                self.check_conversion(value)?;
                Err(self.raise(&class::TYPE_ERROR, format!("{shown} is not a symbol nor a string")))
            }
        }
    }

    /// A whole number as argument.
    pub fn int(&mut self, value: Val<'a>) -> Run<'a, i64> {
        match value {
            Val::Integer(number) => Ok(number),
            Val::Float(number) if number.abs() < 9.2e18 => Ok(number as i64),
            Val::Float(_) => Err(self.unsupported("so large a float as a whole number")),
            Val::Big(_) => Err(self.raise(&class::RANGE_ERROR, "bignum too big to convert into `long'")),
            Val::Nil => Err(self.raise(&class::TYPE_ERROR, "no implicit conversion from nil to integer")),
            Val::Boolean(truth) => {
                Err(self.raise(&class::TYPE_ERROR, format!("no implicit conversion of {truth} into Integer")))
            }
            Val::Object(_) if self.responds(value, "to_int") => match self.send(value, "to_int", &[])? {
                Val::Integer(number) => Ok(number),
                _ => Err(self.unsupported("to_int that gives no whole number")),
            },
            other => Err(self.no_conversion(other, "Integer")),
        }
    }

    /// An array as argument.
    pub fn vec(&mut self, value: Val<'a>) -> Run<'a, Vec<Val<'a>>> {
        match value {
            Val::Array(list) => Ok(list.to_vec()),
            Val::Object(_) if self.responds(value, "to_ary") => {
                let list = self.send(value, "to_ary", &[])?;
                self.elements(list)
            }
            other => Err(self.no_conversion(other, "Array")),
        }
    }

    /// Refuses objects with `method_missing`, which Ruby asks for conversions that they do not have.
    pub fn check_conversion(&mut self, value: Val<'a>) -> Run<'a, ()> {
        if matches!(value, Val::Object(_)) && self.find_method(value, "method_missing").is_some() {
            return Err(self.unsupported("conversion of an object that answers anything"));
        }
        Ok(())
    }

    /// The complaint about an argument of the wrong class.
    pub fn no_conversion(&mut self, value: Val<'a>, wanted: &str) -> Unwind<'a> {
        if let Err(refused) = self.check_conversion(value) {
            return refused;
        }
        let class = match value {
            Val::Nil => "nil",
            Val::Boolean(true) => "true",
            Val::Boolean(false) => "false",
            other => self.class_name(other),
        };
        self.raise(&class::TYPE_ERROR, format!("no implicit conversion of {class} into {wanted}"))
    }

    /// A new array.
    pub fn array(&self, values: Vec<Val<'a>>) -> Val<'a> {
        self.heap.array(values)
    }

    /// A new string.
    pub fn string(&self, text: impl Into<Str>) -> Val<'a> {
        self.heap.string(text)
    }
}

/// `Symbol#inspect`
pub(super) fn inspect_symbol(name: &str) -> String {
    if is_plain_symbol(name) { format!(":{name}") } else { format!(":{}", inspect_string(name)) }
}

fn is_plain_symbol(name: &str) -> bool {
    const OPERATORS: &[&str] = &[
        "+", "-", "*", "/", "%", "**", "==", "!=", "<", ">", "<=", ">=", "<=>", "===", "[]", "[]=", "<<",
        ">>", "!", "=~", "!~", "&", "|", "^", "~", "+@", "-@", "`",
    ];
    let body = name.trim_start_matches('@').trim_start_matches('$');
    let body = body.strip_suffix(['?', '!', '=']).unwrap_or(body);
    let mut characters = body.chars();
    OPERATORS.contains(&name)
        || (characters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && characters.all(|c| c.is_alphanumeric() || c == '_'))
}

/// The options and the pattern of a source whose options are written into it, as a group around all of it.
fn own_options(source: &str) -> ([bool; 3], &str) {
    let behind = source.strip_prefix("(?").map(|rest| rest.trim_start_matches(['m', 'i', 'x', '-']));
    match behind {
        Some(behind) if behind.starts_with(':') && !source.starts_with("(?:") => {
            pattern::split_options(source)
        }
        _ => ([false; 3], source),
    }
}

/// `Regexp#inspect`
fn inspect_regexp(source: &str) -> String {
    let (on, pattern) = own_options(source);
    let on: String =
        ['m', 'i', 'x'].into_iter().zip(on).filter(|(_, on)| *on).map(|(name, _)| name).collect();
    pattern::inspect(pattern, &on)
}

/// `Regexp#source`
pub(super) fn regexp_source(source: &str) -> &str {
    own_options(source).1
}

/// `inspect` of a match.
fn write_match(found: &Match<'_>, out: &mut String) {
    out.push_str("#<MatchData ");
    out.push_str(&inspect_string(found.group(0).unwrap_or_default()));
    for number in 1..found.captures.len() {
        let name = found.regex().ok().and_then(|regex| {
            regex.names().iter().find(|(_, at)| *at == number).map(|(name, _)| name.clone())
        });
        let shown = found.group(number).map_or_else(|| "nil".to_owned(), inspect_string);
        out.push_str(&format!(" {}:{shown}", name.unwrap_or_else(|| number.to_string())));
    }
    out.push('>');
}

/// `inspect` of bytes that are not text.
fn write_bytes(bytes: &[u8], out: &mut String) {
    out.push('"');
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            0x07 => out.push_str("\\a"),
            0x08 => out.push_str("\\b"),
            0x0b => out.push_str("\\v"),
            0x0c => out.push_str("\\f"),
            0x1b => out.push_str("\\e"),
            b'#' if matches!(bytes.get(at + 1), Some(b'{' | b'$' | b'@')) => out.push_str("\\#"),
            b'"' | b'\\' => out.extend(['\\', *byte as char]),
            0x20..=0x7e => out.push(*byte as char),
            byte => out.push_str(&format!("\\x{byte:02X}")),
        }
    }
    out.push('"');
}
