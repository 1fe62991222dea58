//! `%{…}` in data and in configurations: variables, and the methods `lookup`, `hiera`, `alias`, `scope`,
//! `literal`.
//!
//! Follows the reference's `pops/lookup/interpolation.rb`, and `parser/scope.rb` for how a variable is found.

use std::rc::Rc;

use nom::branch::alt;
use nom::bytes::complete::{is_not, tag, take_until, take_while1};
use nom::character::complete::char;
use nom::combinator::all_consuming;
use nom::sequence::delimited;
use nom::{IResult, Parser as _};

use super::convert::names_secret;
use super::dig::sub_lookup;
use super::error::{LookupError, LookupResult, lookup_error};
use super::explain::{Part, REDACTED};
use super::invocation::{Invocation, ScopeInterpolation};
use super::key::{LookupKey, Segment, split_key};
use super::session::Session;
use super::text;
use crate::eval::Variable;
use crate::eval::context::LookupRequest;
use crate::eval::scope::Scope;
use crate::loader::Strictness;
use bunraku_pcore::size_cache::Fact;
use bunraku_pcore::value::{Hash, Str, Value};
use bunraku_syntax::diagnostic::{Error, issues};

/// The maximum nesting of data.
const MAX_DEPTH: usize = 500;

/// What an interpolation may do and how it treats unknown variables.
#[derive(Clone, Copy)]
pub(super) struct Interpolation {
    /// Methods such as `lookup('key')` are allowed.
    pub methods: bool,
    /// An unknown variable is a warning at most: paths of a hierarchy.
    pub forgiving: bool,
}

impl Interpolation {
    /// For data.
    pub const DATA: Self = Self { methods: true, forgiving: false };
    /// For options and data directories.
    pub const CONFIGURATION: Self = Self { methods: false, forgiving: false };
    /// For paths.
    pub const PATH: Self = Self { methods: false, forgiving: true };
}

/// Interpolates the strings in a value.
pub(super) fn interpolate(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    value: &Value,
    how: Interpolation,
) -> LookupResult {
    session.charge_value(value)?;
    if value.holds::<WithoutExpressions>() {
        return Ok(value.clone());
    }
    let mut depth = 0;
    interpolate_nested(session, invocation, value, how, &mut depth)
}

fn interpolate_nested(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    value: &Value,
    how: Interpolation,
    depth: &mut usize,
) -> LookupResult {
    match value {
        Value::String(text) if may_have_expressions(text) => {
            interpolate_string(session, invocation, text, how)
        }
        Value::ByteString(bytes) if may_have_expressions(bytes.text()) => {
            let value = interpolate_string(session, invocation, bytes.text(), how)?;
            Ok(match value {
                Value::String(text) => Value::byte_string(text.as_bytes().to_vec()),
                aliased => aliased,
            })
        }
        Value::Array(_) | Value::Hash(_) if *depth >= MAX_DEPTH => {
            Err(Error::internal("Data is nested too deeply").into())
        }
        Value::Array(list) if list.iter().any(has_interpolation) => {
            *depth += 1;
            let result = list
                .iter()
                .map(|value| interpolate_nested(session, invocation, value, how, depth))
                .collect::<LookupResult<Vec<_>>>();
            *depth -= 1;
            result.map(Value::from)
        }
        Value::Hash(hash)
            if hash.iter().any(|(key, value)| has_interpolation(key) || has_interpolation(value)) =>
        {
            *depth += 1;
            let mut result = Hash::default();
            for (key, value) in hash.iter() {
                let key = interpolate_nested(session, invocation, key, how, depth)?;
                result.insert(key, interpolate_nested(session, invocation, value, how, depth)?);
            }
            *depth -= 1;
            Ok(Value::from(result))
        }
        value => Ok(value.clone()),
    }
}

/// That nothing in a value needs interpolation.
pub(super) struct WithoutExpressions;

impl Fact for WithoutExpressions {
    const NOTE: u8 = 1;

    fn holds_for_key(key: &Value) -> bool {
        !matches!(key, Value::Array(_) | Value::Hash(_)) && !has_interpolation(key)
    }

    fn holds_for(value: &Value) -> bool {
        !has_interpolation(value)
    }
}

/// Whether anything in a value may need interpolation; collections are looked into one level at a time.
fn has_interpolation(value: &Value) -> bool {
    match value {
        Value::String(_) | Value::ByteString(_) => value.as_str().is_some_and(may_have_expressions),
        Value::Array(list) => !list.is_empty(),
        Value::Hash(hash) => !hash.is_empty(),
        _ => false,
    }
}

/// The methods of an interpolation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    /// `lookup`, and its other name `hiera`.
    Lookup,
    Alias,
    Scope,
    Literal,
}

/// Interpolates a string. The value of an alias can have any type.
fn interpolate_string(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    subject: &str,
    how: Interpolation,
) -> LookupResult {
    let found = replace_expressions(session, invocation, subject, how);
    let is_secret = || {
        let target = invocation.convert_to.borrow();
        target.as_ref().is_some_and(|target| names_secret(session, target))
    };
    found.map_err(|stop: LookupError| {
        if how.methods && is_secret() { stop.hiding(subject, &without_literals(subject)) } else { stop }
    })
}

/// A string with what its expressions give in their places.
fn replace_expressions(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    subject: &str,
    how: Interpolation,
) -> LookupResult {
    let _interpolation = invocation.observe(|| Part::Interpolate(subject.to_owned()));
    let mut result = String::new();
    let mut rest = subject;
    while let Some((before, expression, behind)) = next_expression(rest) {
        session.charge_steps(1)?;
        let is_whole = before.is_empty() && behind.is_empty() && rest.len() == subject.len();
        let expression = expression.trim();
        result.push_str(before);
        rest = behind;
        if matches!(expression, "" | "::" | "\"\"" | "''" | "\"::\"" | "'::'") {
            continue;
        }
        let (method, key) = method_and_key(expression, how)?;
        if method == Method::Alias && !is_whole {
            return Err(issues::hiera_interpolation_alias_not_entire_string().into());
        }
        let value = call(session, invocation, method, key, subject, how)?;
        if method == Method::Alias {
            return Ok(value);
        }
        let name = if method == Method::Scope { format!("scope:{key}").into() } else { Str::from(key) };
        let value = invocation.check(&name, || interpolate(session, invocation, &value, how))?;
        session.charge_value(&value)?;
        result.push_str(&text::to_s(&value));
        session.evaluator.usage.check_size(result.len())?;
    }
    result.push_str(rest);
    let result = Value::from(result);
    session.charge_value(&result)?;
    Ok(result)
}

/// The text before the first expression, the content of its braces, and the rest.
#[inline]
fn next_expression(text: &str) -> Option<(&str, &str, &str)> {
    let expression = delimited(tag("%{"), take_until("}"), char('}'));
    let parsed: IResult<&str, (&str, &str)> = (take_until("%{"), expression).parse(text);
    parsed.ok().map(|(behind, (before, expression))| (before, expression, behind))
}

/// The expressions of a secret text, so that its author can find an invalid one, with the surrounding text
/// redacted. Only punctuation stays.
fn without_literals(subject: &str) -> String {
    let mut shown = String::new();
    let literal = |shown: &mut String, text: &str| {
        let is_secret = text.contains(|char: char| !char.is_ascii_punctuation() && char != ' ');
        shown.push_str(if is_secret { REDACTED } else { text });
    };
    let mut rest = subject;
    while let Some((before, expression, behind)) = next_expression(rest) {
        literal(&mut shown, before);
        let is_literal = expression.trim_start().starts_with("literal(");
        if is_literal {
            shown.push_str(REDACTED);
        } else {
            shown.extend(["%{", expression, "}"]);
        }
        rest = behind;
    }
    literal(&mut shown, rest);
    shown
}

/// Takes `method("key")` apart; everything else is a variable.
fn method_and_key(expression: &str, how: Interpolation) -> LookupResult<(Method, &str)> {
    let Some((name, key)) = split_method(expression) else { return Ok((Method::Scope, expression)) };
    if !how.methods {
        return Err(issues::hiera_interpolation_method_syntax_not_allowed().into());
    }
    let method = match name {
        "lookup" | "hiera" => Method::Lookup,
        "alias" => Method::Alias,
        "scope" => Method::Scope,
        "literal" => Method::Literal,
        name => return Err(issues::hiera_interpolation_unknown_interpolation_method(name).into()),
    };
    Ok((method, key))
}

/// `method("key")` or `method('key')`, and nothing else.
fn split_method(expression: &str) -> Option<(&str, &str)> {
    let name = take_while1(|letter: char| letter.is_ascii_alphanumeric() || letter == '_');
    let key =
        alt((delimited(char('"'), is_not("\""), char('"')), delimited(char('\''), is_not("'"), char('\''))));
    let method: IResult<&str, (&str, &str)> =
        all_consuming((name, delimited(char('('), key, char(')')))).parse(expression);
    method.ok().map(|(_, method)| method)
}

fn call(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    method: Method,
    key: &str,
    subject: &str,
    how: Interpolation,
) -> LookupResult {
    match method {
        Method::Literal => Ok(Value::from(key)),
        Method::Scope => scope_lookup(session, invocation, key, subject, how.forgiving),
        Method::Lookup | Method::Alias => {
            let is_hiera3 = invocation.is_hiera3 && invocation.global_only.get();
            let inner = Rc::new(invocation.with_view(session.progress, is_hiera3));
            let lookup_key = LookupKey::new(key)?;
            inner.lookup(session.progress, &lookup_key, None, || {
                let request = LookupRequest {
                    names: vec![key.into()],
                    default: Some(Value::from("")),
                    ..LookupRequest::default()
                };
                session.lookups.look_up(session, &inner, &request)
            })
        }
    }
}

/// The value of a variable, with its segments applied; `undef` if it does not exist.
pub(super) fn scope_lookup(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    key: &str,
    subject: &str,
    forgiving: bool,
) -> LookupResult {
    let mut segments =
        split_key(key).ok_or_else(|| lookup_error(format!("Syntax error in string: {subject}")))?.into_iter();
    let root = segments.next().map_or(Str::new(), |segment| segment.to_string().into());
    let segments: Vec<Segment> = segments.collect();
    let found = global_variable(session, invocation, &root, forgiving)?;
    let is_known = found.is_some();
    let value = found.unwrap_or_default();
    let value = if value.is_undef() || segments.is_empty() {
        value
    } else {
        match sub_lookup(key, invocation, &segments, value) {
            Ok(value) => value,
            Err(LookupError::NoSuchKey) => Value::Undef,
            Err(stop) => return Err(stop),
        }
    };
    let interpolation =
        ScopeInterpolation { key: key.into(), root, segments, value: value.clone(), is_known };
    invocation.remember(interpolation);
    Ok(value)
}

/// A variable, as overrides, the scope or default values have it; `None` when it is not known.
fn global_variable(
    session: Session<'_, '_>,
    invocation: &Invocation,
    root: &Str,
    forgiving: bool,
) -> LookupResult<Option<Value>> {
    let _scope = invocation.observe(|| Part::Scope("Global Scope".into()));
    let key = Value::String(root.clone());
    if let Some(value) = invocation.overrides.get(&key) {
        return Ok(Some(invocation.report_found_in_overrides(root, value.clone())));
    }
    let default = invocation.defaults.get(&key);
    let unknown = match default {
        Some(_) => Unknown::Silent,
        None if forgiving => Unknown::Forgiven,
        None => Unknown::AsStrict,
    };
    Ok(match (variable(session, invocation, root, unknown)?, default) {
        (Some(value), _) => Some(invocation.report_found(root, value)),
        (None, Some(default)) => Some(invocation.report_found_in_defaults(root, default.clone())),
        (None, None) => None,
    })
}

/// The treatment of an unknown variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    /// Nothing.
    Silent,
    /// At most a warning.
    Forgiven,
    /// Depending on the setting `strict`.
    AsStrict,
}

/// A variable as data sees it; `None` when it is not known.
pub(super) fn variable(
    session: Session<'_, '_>,
    invocation: &Invocation,
    name: &str,
    unknown: Unknown,
) -> LookupResult<Option<Value>> {
    if !invocation.is_hiera3 {
        return scope_variable(session, &invocation.scope, name, unknown);
    }
    let value = match name {
        "calling_class" => Value::from(calling_class(&invocation.scope).unwrap_or_default()),
        "calling_class_path" => {
            Value::from(calling_class(&invocation.scope).unwrap_or_default().replace("::", "/"))
        }
        name => {
            let name = if name == "calling_module" { "module_name" } else { name };
            match scope_variable(session, &invocation.scope, name, unknown)? {
                Some(value) => value,
                None => return Ok(None),
            }
        }
    };
    Ok(Some(if value.as_str() == Some("") { Value::Undef } else { value }))
}

/// The class in whose body the lookup is made.
fn calling_class(scope: &Rc<Scope>) -> Option<String> {
    let mut scope = Some(scope);
    while let Some(here) = scope {
        if let crate::eval::ScopeKind::Class(definition) = &here.kind {
            return Some(definition.name.to_string());
        }
        scope = here.parent.as_ref();
    }
    None
}

fn scope_variable(
    session: Session<'_, '_>,
    scope: &Rc<Scope>,
    name: &str,
    unknown: Unknown,
) -> LookupResult<Option<Value>> {
    match session.evaluator.find_variable(scope, name)? {
        Variable::Known(value) => Ok(Some(value)),
        Variable::Unknown(missing) => {
            not_found(session, &missing.name, missing.reason.as_deref().unwrap_or_default(), unknown)
        }
    }
}

/// The result for an unknown variable, depending on the setting `strict`.
fn not_found(
    session: Session<'_, '_>,
    name: &str,
    reason: &str,
    unknown: Unknown,
) -> LookupResult<Option<Value>> {
    let is_match = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    if unknown == Unknown::Silent || is_match || matches!(name, "module_name" | "caller_module_name") {
        return Ok(None);
    }
    let key = format!("Variable: {name}");
    match session.environment().settings.strict {
        Strictness::Off => {}
        Strictness::Warning => {
            session.warn_once(&key, &format!("Undefined variable '{name}'; {reason}"), None);
        }
        Strictness::Error if unknown == Unknown::Forgiven => {
            let message = format!("Interpolation failed with '{name}', but compilation continuing; {reason}");
            session.warn_once(&key, &message, None);
        }
        Strictness::Error => {
            return Err(Error::argument(format!("Undefined variable '{name}'; {reason}")).into());
        }
    }
    Ok(None)
}

/// Whether a text has the beginning of an expression. Few have a `%`, which is found sooner.
fn may_have_expressions(text: &str) -> bool {
    text.as_bytes().contains(&b'%') && text.contains("%{")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_secrets_are_hidden() {
        assert_eq!(without_literals("%{a.'b}-"), "%{a.'b}-");
        assert_eq!(
            without_literals("p4%{a} %{ literal('p') }x%{b"),
            format!("{REDACTED}%{{a}} {REDACTED}{REDACTED}")
        );
    }

    #[test]
    fn methods_need_a_quoted_key() {
        assert_eq!(split_method("lookup('a.b')"), Some(("lookup", "a.b")));
        assert_eq!(split_method("alias(\"a'b\")"), Some(("alias", "a'b")));
        assert_eq!(split_method("lookup(a)"), None);
        assert_eq!(split_method("facts.os"), None);
        assert_eq!(split_method("lookup('')"), None);
    }
}
