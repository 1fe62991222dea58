//! The values of all settings, as manifests read them (`$settings::name`) and `environment.conf` names them
//! (`$name`).
//!
//! Follows the reference's `settings.rb`, and `defaults.rb` for the defaults on a server (`settings.json`,
//! which excludes those that depend on the machine, such as `certname`).

use std::sync::LazyLock;

use super::{EnvironmentOptions, Reload, Settings};
use bunraku_pcore::value::{Hash, Value};

/// The maximum nesting of settings that name each other.
const MAX_DEPTH: usize = 16;

static DEFAULTS: LazyLock<Hash> = LazyLock::new(|| {
    let defaults: serde_json::Value = serde_json::from_str(include_str!("settings.json")).unwrap_or_default();
    match Value::from(&defaults) {
        Value::Hash(defaults) => Hash::clone(&defaults),
        _ => Hash::default(),
    }
});

/// Settings without a default here, because it depends on the machine or the environment.
const WITHOUT_DEFAULT: &[&str] = &[
    "certname",
    "code",
    "config_version",
    "environment",
    "environment_timeout",
    "http_user_agent",
    "manifest",
    "maxwaitforcert",
    "modulepath",
    "name",
];

/// The names of all settings that the reference has.
pub fn names() -> impl Iterator<Item = &'static str> {
    DEFAULTS.keys().filter_map(Value::as_str).chain(WITHOUT_DEFAULT.iter().copied())
}

/// A setting that `environment.conf` names: the given value, or the default; as text.
pub(super) fn text(options: &EnvironmentOptions, name: &str) -> Option<String> {
    text_at(&|name| given(options, name), name, 0)
}

/// A setting from `given`, or the default; as text.
pub(super) fn text_among(given: &dyn Fn(&str) -> Option<Value>, name: &str) -> Option<String> {
    text_at(given, name, 0)
}

/// The given value of a setting.
fn given(options: &EnvironmentOptions, name: &str) -> Option<Value> {
    match name {
        "basemodulepath" => path(&options.base_modulepath),
        "environmentpath" => path(&options.environmentpath),
        "environment" => Some(Value::from(options.name.as_str())),
        name => other(&options.settings, name),
    }
}

/// Directories as the value of a setting, unless there are none.
pub(super) fn path(directories: &[String]) -> Option<Value> {
    (!directories.is_empty()).then(|| Value::from(directories.join(":")))
}

fn other(settings: &Settings, name: &str) -> Option<Value> {
    settings.others.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
}

fn text_at(given: &dyn Fn(&str) -> Option<Value>, name: &str, depth: usize) -> Option<String> {
    match value_at(given, name, depth)? {
        Value::String(text) => Some(text.to_string()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Boolean(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// The value of a setting; none when it, or one that it names, is not known.
fn value_at(given: &dyn Fn(&str) -> Option<Value>, name: &str, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    let value = given(name).or_else(|| DEFAULTS.get(&Value::from(name)).cloned())?;
    let Some(text) = value.as_str().filter(|text| text.contains('$')) else { return Some(value) };
    // One that is another stays what that is: a port is a number.
    if text.starts_with('$')
        && let (expression, name) = variable_at(text)
        && expression == text
        && !name.is_empty()
    {
        return value_at(given, name, depth + 1);
    }
    let result = interpolated(text, |_, name| text_at(given, name, depth + 1).ok_or(()));
    result.ok().map(Value::from)
}

/// A text with each `$name` and `${name}` replaced by the result of `value`, which receives the expression
/// and the name.
///
/// Errors: as `value`.
pub(super) fn interpolated<E>(
    text: &str,
    mut value: impl FnMut(&str, &str) -> Result<String, E>,
) -> Result<String, E> {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        result.push_str(&rest[..at]);
        let (expression, name) = variable_at(&rest[at..]);
        rest = &rest[at + expression.len()..];
        if name.is_empty() {
            result.push_str(expression);
        } else {
            result.push_str(&value(expression, name)?);
        }
    }
    result.push_str(rest);
    Ok(result)
}

/// The expression at a `$` and the name in it; an empty name if there is none.
fn variable_at(text: &str) -> (&str, &str) {
    let word =
        |text: &str| text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let bare = word(&text[1..]);
    if bare > 0 {
        return (&text[..=bare], &text[1..=bare]);
    }
    if text[1..].starts_with('{') {
        let length = word(&text[2..]);
        if length > 0 && text[2 + length..].starts_with('}') {
            return (&text[..length + 3], &text[2..2 + length]);
        }
    }
    (&text[..1], "")
}

/// All settings, by name. `environment` are those that the environment has itself.
pub(super) fn all(settings: &Settings, environment: &[(&str, Value)]) -> Hash {
    let own = [
        ("strict", Value::from(settings.strict.name())),
        ("strict_variables", settings.strict_variables.into()),
        ("tasks", settings.tasks.into()),
        ("rich_data", settings.rich_data.into()),
        ("storeconfigs", settings.storeconfigs.into()),
        ("maxwaitforcert", Value::Float(f64::INFINITY)),
    ];
    let given = |name: &str| {
        let is = |(known, _): &&(&str, Value)| *known == name;
        let known = environment.iter().find(is).or_else(|| own.iter().find(is));
        known.map(|(_, value)| value.clone()).or_else(|| other(settings, name))
    };
    let names = own.iter().chain(environment).map(|(name, _)| Value::from(*name));
    let names = names.chain(DEFAULTS.keys().cloned());
    let names = names.chain(settings.others.iter().map(|(name, _)| Value::from(name.as_str())));
    let mut all = Hash::default();
    for name in names {
        if let Some(text) = name.as_str().filter(|text| *text != "name" && !all.contains_key(&name))
            && let Some(value) = value_at(&given, text, 0)
        {
            all.insert(name, value);
        }
    }
    all
}

/// `environment_timeout` as a number of seconds.
pub(super) fn timeout(text: Option<&str>) -> Value {
    match text.and_then(|text| Reload::of_timeout(text).ok()) {
        Some(Reload::Never) => Value::Float(f64::INFINITY),
        Some(Reload::After(seconds)) => i64::try_from(seconds).map_or(Value::Undef, Value::Integer),
        _ => Value::Integer(0),
    }
}
