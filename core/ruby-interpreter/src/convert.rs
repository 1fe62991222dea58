//! Puppet's values and Ruby's: both ways.

use rustc_hash::FxHashMap;

use super::failure::{R, Run};
use super::interpreter::Interpreter;
use super::same::place;
use super::value::{Entries, Key, Val};
use bunraku_pcore::types::format::capitalize_segments;
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_pcore::value::{Hash, RuntimeValue, Value};
use bunraku_syntax::diagnostic::Error;

/// The maximum nesting of values.
const MAX_DEPTH: u32 = 1000;

/// Collections by their places, as Puppet has them.
type Converted = FxHashMap<usize, Value>;

impl<'a> Interpreter<'a> {
    /// A value of Puppet as Ruby code sees it.
    pub fn to_ruby(&mut self, value: &Value) -> R<'a> {
        self.ruby_value(value, 0)
    }

    fn ruby_value(&mut self, value: &Value, depth: u32) -> R<'a> {
        if depth > MAX_DEPTH {
            return Err(self.fail(Error::limit("a value is nested too deeply")));
        }
        Ok(match value {
            Value::Undef => Val::Nil,
            Value::Default => Val::Symbol("default"),
            Value::Boolean(truth) => Val::Boolean(*truth),
            Value::Integer(number) => Val::Integer(*number),
            Value::BigInteger(number) => self.heap.whole((**number).clone()),
            Value::Float(number) => Val::Float(*number),
            Value::String(text) => self.heap.utf8(text.clone()),
            Value::ByteString(bytes) => self.heap.utf8(bytes.text().clone()),
            Value::Array(values) => {
                let mut out = Vec::with_capacity(values.len());
                for value in &**values {
                    out.push(self.ruby_value(value, depth + 1)?);
                }
                self.heap.array(out)
            }
            Value::Hash(hash) => {
                let mut entries = Entries::default();
                for (key, value) in &**hash {
                    let key = self.ruby_value(key, depth + 1)?;
                    let key = self.key(key)?;
                    entries.insert(key, self.ruby_value(value, depth + 1)?);
                }
                self.heap.hash(entries)
            }
            Value::Regexp(pattern) => Val::Regexp(self.heap.pattern(pattern.clone())),
            Value::Type(of) if self.is_legacy => self.legacy_type(of, value)?,
            Value::Runtime(value) if value.is_symbol() => self.heap.symbol(value.text.clone()),
            other => self.heap.foreign(other.clone()),
        })
    }

    /// The form of a type for functions of the 3.x API: a `Puppet::Resource` for a reference to one.
    fn legacy_type(&mut self, of: &Type, value: &Value) -> R<'a> {
        let (kind, title) = match of.kind() {
            TypeKind::Class(Some(name)) => ("Class".to_owned(), name),
            TypeKind::Resource { type_name: Some(name), title: Some(title), .. } => {
                (capitalize_segments(name), title)
            }
            _ => return Ok(self.heap.foreign(value.clone())),
        };
        let arguments = [self.string(kind), self.string(title.clone())];
        let class = self.constant("Puppet::Resource", self.outside)?;
        self.send(class, "new", &arguments)
    }

    /// A value of Ruby as Puppet's functions get it.
    pub fn to_puppet(&mut self, value: Val<'a>) -> Run<'a, Value> {
        self.puppet_value(value, &mut Converted::default(), 0)
    }

    /// `known`: the converted collections; one object in Ruby becomes one in Puppet.
    fn puppet_value(&mut self, value: Val<'a>, known: &mut Converted, depth: u32) -> Run<'a, Value> {
        if depth > MAX_DEPTH {
            return Err(self.fail(Error::limit("a value is nested too deeply")));
        }
        let own = place(value);
        if own == 0 {
            return self.converted(value, known, depth);
        }
        if let Some(made) = known.get(&own) {
            return Ok(made.clone());
        }
        let made = self.converted(value, known, depth)?;
        known.insert(own, made.clone());
        Ok(made)
    }

    fn converted(&mut self, value: Val<'a>, known: &mut Converted, depth: u32) -> Run<'a, Value> {
        Ok(match value {
            Val::Nil | Val::Symbol("undef") => Value::Undef,
            Val::Boolean(truth) => Value::Boolean(truth),
            Val::Integer(number) => Value::Integer(number),
            Val::Big(number) => Value::from(number.clone()),
            Val::Float(number) => Value::Float(number),
            Val::String(text) => Value::String(text.get()),
            Val::Symbol("default") => Value::Default,
            Val::Symbol(name) => Value::Runtime(std::sync::Arc::new(RuntimeValue::symbol(name))),
            Val::Array(list) => {
                let mut out = Vec::with_capacity(list.len());
                for value in list.now().iter() {
                    out.push(self.puppet_value(*value, known, depth + 1)?);
                }
                Value::from(out)
            }
            Val::Hash(map) => {
                let mut out = Hash::default();
                for (Key(key), value) in map.now().iter() {
                    let key = self.puppet_value(*key, known, depth + 1)?;
                    out.insert(key, self.puppet_value(*value, known, depth + 1)?);
                }
                Value::from(out)
            }
            Val::Set(_) => {
                let values = self.elements(value)?;
                let values = self.heap.array(values);
                return self.puppet_value(values, known, depth + 1);
            }
            Val::Regexp(pattern) => Value::Regexp(pattern.clone()),
            Val::Foreign(value) => value.clone(),
            Val::Time(time) => Value::Timestamp(time.at.into()),
            Val::Bytes(bytes) => Value::byte_string(bytes.to_vec()),
            Val::World(super::value::WorldObject::Environment | super::value::WorldObject::Node)
            | Val::Class(_) => Value::from(self.to_s(value)?),
            other => {
                let class = self.class_name(other);
                if class == "Puppet::Resource" {
                    return self.reference(other);
                }
                return Err(self.unsupported(format!("a {class} as a value of Puppet")));
            }
        })
    }

    /// The language's value for a `Puppet::Resource`.
    fn reference(&mut self, resource: Val<'a>) -> Run<'a, Value> {
        let (kind, title) = (self.send(resource, "type", &[])?, self.send(resource, "title", &[])?);
        let (kind, title) = (self.to_s(kind)?, self.to_s(title)?);
        let of = if kind == "Class" { Type::class(title) } else { Type::resource(kind, Some(title)) };
        Ok(Value::from(of))
    }

    /// A value as the generator of YAML takes it.
    pub fn to_data(&mut self, value: Val<'a>) -> Run<'a, Value> {
        self.data_value(value, 0)
    }

    fn data_value(&mut self, value: Val<'a>, depth: u32) -> Run<'a, Value> {
        if depth > MAX_DEPTH {
            return Err(self.fail(Error::limit("a value is nested too deeply")));
        }
        self.step()?;
        Ok(match value {
            Val::Symbol(name) => Value::Runtime(std::sync::Arc::new(RuntimeValue::symbol(name))),
            Val::Object(_) | Val::Module(_) => return Err(self.unsupported("object in YAML")),
            Val::Array(list) => {
                let mut out = Vec::with_capacity(list.len());
                for value in list.now().iter() {
                    out.push(self.data_value(*value, depth + 1)?);
                }
                Value::from(out)
            }
            Val::Hash(map) => {
                let mut out = Hash::default();
                for (Key(key), value) in map.now().iter() {
                    let key = self.data_value(*key, depth + 1)?;
                    out.insert(key, self.data_value(*value, depth + 1)?);
                }
                Value::from(out)
            }
            other => self.puppet_value(other, &mut Converted::default(), depth)?,
        })
    }
}
