//! `left[key, …]`: elements of collections and texts, parameters of resources and classes, and types from
//! types.
//!
//! Follows the reference's `pops/evaluator/access_operator.rb`; `pcore::types::access` checks the keys of
//! types other than references.

use std::sync::Arc;

use super::arithmetic::{ELEMENTS_IN_A_STEP, to_n};
use super::constant::{is_constant, keep, kept};
use super::evaluator::Env;
use super::{Evaluated, Evaluator, Unwind};
use bunraku_pcore::big;
use bunraku_pcore::format::to_s;
use bunraku_pcore::label::{label, type_label};
use bunraku_pcore::types::access::{Blame, Refusal, access_type};
use bunraku_pcore::types::{Type, TypeKind, interpret};
use bunraku_pcore::value::{List as Array, Str, shared};
use bunraku_pcore::{Hash, Value};
use bunraku_syntax::ast::{Node, NodeId};
use bunraku_syntax::case::capitalize;
use bunraku_syntax::diagnostic::{Report, issues};
use bunraku_syntax::names::segments;

/// The nodes of an access, for messages.
#[derive(Clone, Copy)]
pub(super) struct Access<'h> {
    pub env: Env<'h>,
    pub whole: NodeId,
    pub left: NodeId,
    pub keys: &'h [NodeId],
}

impl<'h> Access<'h> {
    /// The access that a node is.
    #[inline]
    pub fn of(env: Env<'h>, id: NodeId) -> Option<Self> {
        let Node::AccessExpression { left_expr, keys } = *env.node(id) else { return None };
        Some(Self { env, whole: id, left: left_expr, keys: env.list(keys) })
    }

    /// This issue at a key. A key that came out of an array has no place of its own: the issue has none then.
    fn fail_key(self, index: usize, report: Report) -> Unwind {
        match self.keys.get(index) {
            Some(&key) => self.env.fail(key, report),
            None => {
                let mut error = report.into_error();
                error.is_final = true;
                error.into()
            }
        }
    }

    fn fail(self, report: Report) -> Unwind {
        self.env.fail(self.whole, report)
    }
}

impl Evaluator<'_> {
    pub(super) fn qualified_reference(&self, env: Env<'_>, id: NodeId) -> Evaluated {
        if let Some(value @ Value::Type(_)) = kept(env.program, id) {
            return Ok(value.clone());
        }
        let of = interpret(env.program, id, self)?;
        keep_constant(env, id, &of);
        match of.kind() {
            TypeKind::Reference(name) => Err(env.fail(id, issues::unknown_resource_type(name))),
            _ => Ok(Value::Type(of)),
        }
    }

    /// The value of an access to a type.
    pub(super) fn type_access(&self, at: Access<'_>) -> Evaluated {
        if let Some(value @ Value::Type(_)) = kept(at.env.program, at.whole) {
            return Ok(value.clone());
        }
        let left = self.eval(at.env, at.left)?;
        self.access(at, &left)
    }

    /// The value of an access to what its left side is.
    pub(super) fn access(&self, at: Access<'_>, left: &Value) -> Evaluated {
        let env = at.env;
        if matches!(left, Value::String(_) | Value::ByteString(_) | Value::Binary(_)) {
            self.usage.charge_value(left)?;
        }
        match left {
            Value::Array(values) => self.access_array(at, values, &self.keys(at)?),
            Value::Hash(hash) => self.access_hash(at, hash),
            Value::String(text) => {
                let keys = flatten(self.keys(at)?);
                let characters = || text.chars().count();
                let slice = self.text_slice(at, &keys, characters)?;
                Ok(Value::String(match slice {
                    Some((start, length)) => text.chars().skip(start).take(length).collect(),
                    None => Str::new(),
                }))
            }
            Value::ByteString(bytes) => {
                let keys = flatten(self.keys(at)?);
                let bytes = bytes.bytes();
                let slice = self.text_slice(at, &keys, || bytes.len())?;
                let (start, length) = slice.unwrap_or((0, 0));
                Ok(Value::byte_string(bytes.iter().skip(start).take(length).copied().collect()))
            }
            Value::Binary(bytes) => {
                let keys = flatten(self.keys(at)?);
                let slice = self.text_slice(at, &keys, || bytes.len())?;
                let (start, length) = slice.unwrap_or((0, 0));
                Ok(Value::Binary(Arc::new(bytes.iter().skip(start).take(length).copied().collect())))
            }
            Value::Type(of) => match of.kind() {
                TypeKind::Class(name) => {
                    let keys = at.keys.iter().map(|&key| match env.node(key) {
                        Node::QualifiedReference { .. } => Ok(Value::Type(self.place(
                            env,
                            key,
                            interpret(env.program, key, self).map_err(Unwind::from),
                        )?)),
                        _ => self.eval(env, key),
                    });
                    let keys = keys.collect::<Evaluated<Vec<Value>>>()?;
                    self.access_class(at, of, name.as_ref(), keys)
                }
                TypeKind::Resource { type_name, title, .. } => {
                    let keys = self.keys(at)?;
                    if let (None, None, [Value::Type(key)]) = (type_name, title, &keys[..])
                        && matches!(key.kind(), TypeKind::Resource { .. })
                    {
                        return Ok(Value::Type(key.clone()));
                    }
                    self.access_resource(at, of, type_name.as_ref(), title.as_ref(), keys)
                }
                _ => {
                    let keys = self.keys(at)?;
                    let made = access_type(of, &keys, self).map_err(|refusal| match refusal {
                        Refusal::Report(Blame::Whole, report) => at.fail(report),
                        Refusal::Report(Blame::Left, report) => env.fail(at.left, report),
                        Refusal::Report(Blame::Key(index), report) => at.fail_key(index, report),
                        Refusal::Error(error) => error.into(),
                    })?;
                    if let Value::Type(of) = &made {
                        keep_constant(env, at.whole, of);
                    }
                    Ok(made)
                }
            },
            _ => {
                self.keys(at)?;
                Err(env.fail(at.left, issues::operator_not_applicable("[]", label(left))))
            }
        }
    }

    fn keys(&self, at: Access<'_>) -> Evaluated<Vec<Value>> {
        at.keys.iter().map(|&key| self.eval(at.env, key)).collect()
    }

    pub(super) fn access_array(&self, at: Access<'_>, values: &Array, keys: &[Value]) -> Evaluated {
        let flat;
        let keys = if keys.iter().any(|key| matches!(key, Value::Array(_))) {
            flat = flatten(keys.to_vec());
            &flat
        } else {
            keys
        };
        match keys {
            [key] => {
                let index = self.array_index(at, 0, key)?;
                let index = if index < 0 { index + values.len() as i64 } else { index };
                let value = usize::try_from(index).ok().and_then(|index| values.get(index));
                Ok(value.cloned().unwrap_or_default())
            }
            [first, second] => {
                let numbers = [self.index_number(at, 0, first)?, self.index_number(at, 1, second)?];
                let mut indexes = [0; 2];
                for (position, number) in numbers.iter().enumerate() {
                    indexes[position] = check_array_index(at, position, number)?;
                }
                let (start, length) = slice(indexes[0], indexes[1], values.len())?.unwrap_or((0, 0));
                self.charge_steps(length.min(values.len()) / ELEMENTS_IN_A_STEP)?;
                Ok(Value::from(values.iter().skip(start).take(length).cloned().collect::<Vec<_>>()))
            }
            _ => Err(at.env.fail(at.left, issues::bad_array_slice_arity(keys.len()))),
        }
    }

    fn array_index(&self, at: Access<'_>, position: usize, key: &Value) -> Evaluated<i64> {
        if let Value::Integer(index) = key {
            return Ok(*index);
        }
        let number = self.index_number(at, position, key)?;
        let index = check_array_index(at, position, &number)?;
        i64::try_from(index).map_err(|_| big::too_big_for_long().into())
    }

    fn index_number(&self, at: Access<'_>, position: usize, key: &Value) -> Evaluated {
        match at.keys.get(position) {
            Some(&node) => self.coerce_index(at.env, node, key),
            None if matches!(key, Value::Integer(_) | Value::BigInteger(_) | Value::Float(_)) => {
                Ok(key.clone())
            }
            None => match key.as_str().and_then(to_n) {
                Some(number) => Ok(number),
                None => Err(at.fail_key(position, issues::not_numeric(to_s(key)))),
            },
        }
    }

    fn access_hash(&self, at: Access<'_>, hash: &Hash) -> Evaluated {
        if at.keys.is_empty() {
            return Err(at.env.fail(at.left, issues::bad_hash_slice_arity(0)));
        }
        let keys = self.keys(at)?;
        self.usage.charge_all(&keys)?;
        let found = keys.iter().filter_map(|key| hash.get(key)).filter(|value| !value.is_undef());
        Ok(Value::array(found.cloned()))
    }

    /// The start and the number of the characters or bytes that the keys select.
    fn text_slice(
        &self,
        at: Access<'_>,
        keys: &[Value],
        length: impl FnOnce() -> usize,
    ) -> Evaluated<Option<(usize, usize)>> {
        let index = |position: usize| {
            let key = keys.get(position).unwrap_or(&Value::Undef);
            let number = match key {
                Value::Integer(_)
                | Value::BigInteger(_)
                | Value::Float(_)
                | Value::Timespan(_)
                | Value::Timestamp(_) => Some(key.clone()),
                Value::String(text) => to_n(text),
                Value::ByteString(bytes) => to_n(bytes.text()),
                _ => None,
            };
            match number {
                Some(Value::Integer(index)) => Ok(index.into()),
                Some(Value::BigInteger(index)) => Ok(big::clamp(&index)),
                number => {
                    let actual = key_type(number.as_ref().unwrap_or(key));
                    Err(at.fail_key(position, issues::bad_string_slice_key_type(actual)))
                }
            }
        };
        match keys.len() {
            1 => {
                let length = length();
                let start = index(0)?;
                let start = if start < 0 { start.saturating_add(length as i128) } else { start };
                if i64::try_from(start).is_err() && start > 0 {
                    return Err(big::too_big_for_long().into());
                }
                Ok(usize::try_from(start).ok().filter(|&start| start < length).map(|start| (start, 1)))
            }
            2 => {
                let (start, count) = (index(0)?, index(1)?);
                slice(start, count, length())
            }
            count => Err(at.env.fail(at.left, issues::bad_string_slice_arity(count))),
        }
    }

    fn access_resource(
        &self,
        at: Access<'_>,
        of: &Type,
        own_type: Option<&Str>,
        own_title: Option<&Str>,
        mut keys: Vec<Value>,
    ) -> Evaluated {
        let blamed = at.keys.first().copied().unwrap_or(at.whole);
        if keys.is_empty() {
            return Err(at.env.fail(blamed, issues::bad_type_slice_arity(of, 1, None, 0)));
        }
        let type_name = match own_type {
            Some(type_name) => type_name.clone(),
            None => match &*keys.remove(0).in_utf8() {
                Value::String(name) if name.starts_with(|first: char| first.is_ascii_uppercase()) => {
                    name.clone()
                }
                Value::String(name) => capitalize_segments(name),
                other => match resource_type_name(other) {
                    Some(type_name) => type_name,
                    None => {
                        let report = issues::illegal_resource_specialization(key_type(other));
                        return Err(at.env.fail(blamed, report));
                    }
                },
            },
        };
        if !is_class_reference(&type_name) {
            return Err(at.env.fail(blamed, issues::illegal_classref(type_name)));
        }
        let is_list = keys.len() > 1 || matches!(keys.first(), Some(Value::Array(_)));
        let given = keys.len();
        let keys: Vec<Value> = flatten(keys).into_iter().filter(|key| !key.is_undef()).collect();
        if keys.is_empty() && given > 0 {
            return Ok(if is_list { Value::array([]) } else { Value::Undef });
        }
        if let Some(title) = own_title {
            if !self.context.has_resource(&type_name, title) {
                return Err(at.fail(issues::unknown_resource(&type_name, title)));
            }
            return self.parameters(at, of, (&type_name, title), &keys, is_list);
        }
        if keys.is_empty() {
            return Ok(Type::resource(type_name, None).into());
        }
        let mut types = Vec::with_capacity(keys.len());
        for (index, key) in keys.iter().enumerate() {
            let Some(title) = key.as_str() else {
                let index = if given == keys.len() { index } else { index + 1 };
                let message =
                    format!("Cannot use {} where a resource title String is expected", key_type(key));
                return Err(at.fail_key(index, issues::bad_type_specialization(type_label(of), message)));
            };
            types.push(Value::Type(Type::resource(type_name.clone(), Some(shared(title)))));
        }
        Ok(one_or_all(types, is_list))
    }

    fn access_class(&self, at: Access<'_>, of: &Type, own_name: Option<&Str>, keys: Vec<Value>) -> Evaluated {
        let blamed = at.keys.first().copied().unwrap_or(at.whole);
        if keys.is_empty() {
            return Err(at.env.fail(blamed, issues::bad_type_slice_arity(of, 1, None, 0)));
        }
        let is_list = keys.len() > 1 || matches!(keys.first(), Some(Value::Array(_)));
        let keys: Vec<Value> = flatten(keys).into_iter().filter(|key| !key.is_undef()).collect();
        if keys.is_empty() {
            return Ok(if is_list { Value::array([]) } else { Value::Undef });
        }
        if let Some(class) = own_name {
            if !self.context.has_resource("Class", class) {
                return Err(at.fail(issues::unknown_resource("Class", class)));
            }
            return self.parameters(at, of, ("Class", class), &keys, is_list);
        }
        let mut types = Vec::with_capacity(keys.len());
        for (index, key) in keys.iter().enumerate() {
            let Some(name) = key.as_str() else {
                return Err(at.fail_key(index, issues::illegal_hostclass_name(label(key))));
            };
            let lower = name.to_lowercase();
            let lower = lower.strip_prefix("::").unwrap_or(&lower);
            if !is_name(lower) {
                return Err(at.fail_key(index, issues::illegal_name(name)));
            }
            types.push(Value::Type(Type::class(lower)));
        }
        Ok(one_or_all(types, is_list))
    }

    /// Parameters of a resource that is in the catalog.
    fn parameters(
        &self,
        at: Access<'_>,
        of: &Type,
        (type_name, title): (&str, &str),
        keys: &[Value],
        is_list: bool,
    ) -> Evaluated {
        let parameter = |key: &Value| match &*key.in_utf8() {
            Value::String(name) => self.context.resource_parameter(self, at.env.scope, of, name),
            other => {
                let name = to_s(other);
                Err(issues::unknown_resource_parameter(type_name, title, name).into())
            }
        };
        let values = keys.iter().map(parameter).collect::<Evaluated<Vec<_>>>()?;
        Ok(one_or_all(values, is_list))
    }
}

/// Keeps the type of an expression that always has the same.
fn keep_constant(env: Env<'_>, id: NodeId, of: &Type) {
    if kept(env.program, id).is_none() {
        let value = if is_constant(env.program, id) { Value::Type(of.clone()) } else { Value::Default };
        keep(env.program, id, &value);
    }
}

fn check_array_index(at: Access<'_>, position: usize, number: &Value) -> Evaluated<i128> {
    match number {
        Value::Integer(index) => Ok((*index).into()),
        Value::BigInteger(index) => Ok(big::clamp(index)),
        other => {
            let report = issues::bad_slice_key_type("Array", &["Integer"], key_type(other));
            Err(at.fail_key(position, report))
        }
    }
}

/// The entry of a hash with a text as key, found without making a value of the text.
pub(super) fn text_entry<'h>(hash: &'h Hash, key: &str) -> Option<&'h Value> {
    struct Key<'k>(&'k str);
    impl std::hash::Hash for Key<'_> {
        fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
            std::mem::discriminant(&Value::String(Str::new())).hash(state);
            self.0.hash(state);
        }
    }
    impl indexmap::Equivalent<Value> for Key<'_> {
        fn equivalent(&self, key: &Value) -> bool {
            key.as_str() == Some(self.0)
        }
    }
    hash.get(&Key(key))
}

/// From an index and a count, either may be negative, to where a slice begins and how long it is at most.
fn slice(start: i128, count: i128, length: usize) -> Evaluated<Option<(usize, usize)>> {
    let length = length as i128;
    let mut start = if start < 0 { length.saturating_add(start) } else { start };
    let mut count = if count < 0 { length.saturating_sub(start).saturating_add(count + 1) } else { count };
    if start < 0 {
        count = count.saturating_add(start);
        start = 0;
    }
    if i64::try_from(start).is_err() || i64::try_from(count).is_err() {
        return Err(big::too_big_for_long().into());
    }
    if start > length {
        return Ok(None);
    }
    Ok(usize::try_from(start).ok().zip(usize::try_from(count).ok()))
}

/// All values of nested arrays.
pub(super) fn flatten(values: Vec<Value>) -> Vec<Value> {
    fn add(flat: &mut Vec<Value>, value: Value) {
        // Values yet to come, the next one last: nesting does not use up the stack.
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            match value {
                Value::Array(values) => pending.extend(values.iter().rev().cloned()),
                other => flat.push(other),
            }
        }
    }
    if !values.iter().any(|value| matches!(value, Value::Array(_))) {
        return values;
    }
    let mut flat = Vec::with_capacity(values.len());
    values.into_iter().for_each(|value| add(&mut flat, value));
    flat
}

fn one_or_all(mut values: Vec<Value>, is_list: bool) -> Value {
    if is_list { Value::from(values) } else { values.pop().unwrap_or_default() }
}

/// The type of resources that a value is, such as `File`; empty for any type of resources.
fn resource_type_name(value: &Value) -> Option<Str> {
    match value {
        Value::Type(of) => match of.kind() {
            TypeKind::Resource { type_name, .. } => Some(type_name.clone().unwrap_or_default()),
            _ => None,
        },
        _ => None,
    }
}

/// The name of a key's type in messages.
pub(super) fn key_type(key: &Value) -> String {
    match key {
        Value::Undef => "Undef".to_owned(),
        Value::Default => "Default".to_owned(),
        other => Type::infer(other).generalize().to_string(),
    }
}

/// `a::b` as `A::B`.
pub(super) fn capitalize_segments(name: &str) -> Str {
    let segments: Vec<String> = name.split("::").map(capitalize).collect();
    segments.join("::").into()
}

/// `A::B`, also with `::` before it.
fn is_class_reference(name: &str) -> bool {
    let segment = |segment: &str| {
        let mut bytes = segment.bytes();
        bytes.next().is_some_and(|byte| byte.is_ascii_uppercase()) && bytes.all(is_word)
    };
    segments(name.strip_prefix("::").unwrap_or(name)).all(segment)
}

/// `a::b`, also with `::` before it.
fn is_name(name: &str) -> bool {
    let segment = |segment: &str| {
        let mut bytes = segment.bytes();
        bytes.next().is_some_and(|byte| byte.is_ascii_lowercase()) && bytes.all(is_word)
    };
    segments(name.strip_prefix("::").unwrap_or(name)).all(segment)
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
