//! Checks of arguments from the time before types: `validate_*`, `is_*`, `validate_legacy`, and `deprecation`
//! that most of them begin with.

use super::super::legacy::no_string;
use super::{function, ruby, rvalue, wrong_number, wrong_number_plain};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated, Unwind};
use crate::loader::Strictness;
use bunraku_pcore::Value;
use bunraku_pcore::format::{float_to_s, inspect};
use bunraku_pcore::number::parse_whole;
use bunraku_pcore::types::{NoTypes, Signature, Type, mismatch};
use bunraku_pcore::value::RuntimeValue;
use bunraku_syntax::diagnostic::{Error, ErrorKind, LogEntry, LogLevel};
use bunraku_syntax::source::Location;

/// A validation that first logs its deprecation; the message contains the type to use instead.
macro_rules! validation {
    ($name:literal, $instead:literal) => {
        function(
            $name,
            &[Dispatch::new("Any* $args", |call| {
                deprecate(call, $name, &validation_message($instead))?;
                check(call, $name, call.arguments)
            })],
        )
    };
}

/// A predicate that first logs its deprecation; how it counts its arguments.
macro_rules! predicate {
    ($name:literal, $instead:literal, $count:expr, $body:expr) => {
        function(
            $name,
            &[Dispatch::new("Any* $args", |call| {
                deprecate(call, $name, &predicate_message($instead))?;
                $count.check(call, $body)
            })],
        )
    };
}

/// How a predicate of one argument counts its arguments, and words its error.
#[derive(Clone, Copy)]
struct Count {
    /// Whether more than one argument is taken, too.
    more: bool,
    /// Whether the complaint has the number in parentheses.
    parentheses: bool,
}

impl Count {
    const EXACT: Self = Self { more: false, parentheses: false };
    const EXACT_IN_PARENTHESES: Self = Self { more: false, parentheses: true };
    const AT_LEAST: Self = Self { more: true, parentheses: true };

    /// Applies the predicate to the first argument.
    fn check(self, call: &Call<'_, '_>, holds: impl Fn(&Value) -> bool) -> Evaluated {
        match call.arguments {
            [value] => Ok(holds(value).into()),
            [value, ..] if self.more => Ok(holds(value).into()),
            arguments => {
                let given = format!("{} for 1", arguments.len());
                let given = if self.parentheses { format!("({given})") } else { given };
                let message = format!("{}(): Wrong number of arguments given {given}", call.name);
                Err(Error::argument(message).into())
            }
        }
    }
}

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    function("deprecation", &[Dispatch::new("String $key, String $message", deprecation)]),
    rvalue!("is_function_available", |call: &Call<'_, '_>, arguments: &[Value]| match arguments {
        [Value::String(name)] => {
            let function = call.evaluator.functions.get(name);
            Ok(function.is_some_and(|function| function.legacy.is_some()).into())
        }
        [_] => Ok(false.into()),
        _ => {
            let given = arguments.len();
            let message = format!("is_function_available?(): Wrong number of arguments given {given} for 1");
            Err(call.fail(message))
        }
    }),
    function(
        "sprintf_hash",
        &[Dispatch::new("String $format, Hash $arguments", |call| {
            let message = "This method is deprecated. From Puppet 4.10.10/5.3.4 please use the built-in sprintf instead";
            deprecate(call, "sprintf_hash", message)?;
            call.call_function("sprintf", call.arguments, None)
        })],
    ),
    function(
        "is_absolute_path",
        &[Dispatch::new("Any* $args", |call| {
            deprecate(call, call.name, &predicate_message("Absolute_Path"))?;
            Count::EXACT_IN_PARENTHESES.check(call, |value| is_absolute_path(call, value))
        })],
    ),
    predicate!("is_array", "Array", Count::AT_LEAST, |value| matches!(value, Value::Array(_))),
    predicate!("is_bool", "Bool", Count::EXACT_IN_PARENTHESES, |value| matches!(value, Value::Boolean(_))),
    predicate!("is_float", "Float", Count::EXACT, is_float),
    predicate!("is_numeric", "Numeric", Count::EXACT, is_numeric),
    predicate!("is_string", "String", Count::AT_LEAST, is_string),
    rvalue!("is_domain_name", |_: &Call<'_, '_>, arguments: &[Value]| {
        one("is_domain_name", arguments, is_domain_name)
    }),
    rvalue!("is_email_address", |_: &Call<'_, '_>, arguments: &[Value]| {
        one("is_email_address", arguments, is_email_address)
    }),
    rvalue!("is_hash", |call: &Call<'_, '_>, arguments: &[Value]| match arguments {
        [value] => Ok(matches!(value, Value::Hash(_)).into()),
        _ => Err(wrong_number(call, arguments.len(), "1")),
    }),
    rvalue!("is_integer", |_: &Call<'_, '_>, arguments: &[Value]| {
        one("is_integer", arguments, |value| match value {
            Value::Integer(_) | Value::BigInteger(_) => true,
            Value::String(text) => is_integer_text(text),
            _ => false,
        })
    }),
    rvalue!("is_mac_address", |call: &Call<'_, '_>, arguments: &[Value]| match arguments {
        [Value::String(text)] => Ok(is_mac_address(text).into()),
        [other] => Err(no_string(other).into()),
        _ => Err(wrong_number_plain(call, arguments.len(), "1")),
    }),
    validation!("validate_absolute_path", "Stdlib::Compat::Absolute_Path"),
    validation!("validate_array", "Stdlib::Compat::Array"),
    validation!("validate_bool", "Stdlib::Compat::Bool"),
    validation!("validate_hash", "Stdlib::Compat::Hash"),
    validation!("validate_integer", "Stdlib::Compat::Integer"),
    validation!("validate_numeric", "Stdlib::Compat::Numeric"),
    validation!("validate_re", "Pattern[]"),
    validation!("validate_slength", "String[]"),
    validation!("validate_string", "Stdlib::Compat::String"),
    super::statement!("validate_domain_name", |call: &Call<'_, '_>, arguments: &[Value]| {
        check(call, "validate_domain_name", arguments)
    }),
    super::statement!("validate_email_address", |call: &Call<'_, '_>, arguments: &[Value]| {
        check(call, "validate_email_address", arguments)
    }),
    function(
        "validate_legacy",
        &[
            // The reference's function takes the scope first, and mentions it in errors about arguments.
            Dispatch::new("Any* $args", validate_legacy),
        ],
    ),
];

/// The deprecation message of a validation.
pub(super) fn validation_message(instead: &str) -> String {
    format!(
        "This method is deprecated, please use the stdlib validate_legacy function,\n                    with {instead}. There is further documentation for validate_legacy function in the README."
    )
}

/// The deprecation message of a predicate.
pub(super) fn predicate_message(instead: &str) -> String {
    format!(
        "This method is deprecated, please use match expressions with Stdlib::Compat::{instead} instead. They are described at https://docs.puppet.com/puppet/latest/reference/lang_data_type.html#match-expressions."
    )
}

fn deprecation(call: &Call<'_, '_>) -> Evaluated {
    deprecate(call, call.text(0), call.text(1))
}

/// The result of Ruby functions whose last call logs something: the entry.
fn logged(message: &str) -> Value {
    Value::Runtime(RuntimeValue::new("Puppet::Util::Log", message).into())
}

/// Reports a deprecation: an error or a warning, depending on the setting `strict`; a warning once for a key,
/// which is then the result.
///
/// # Errors
/// The setting makes it an error.
pub(super) fn deprecate(call: &Call<'_, '_>, key: &str, message: &str) -> Evaluated {
    let loaded = call.evaluator.loaded;
    let once = format!("deprecation:{key}");
    let strict = call.evaluator.environment.settings.strict;
    if strict == Strictness::Off || strict == Strictness::Warning && loaded.log.has(&once) {
        return Ok(Value::Undef);
    }
    let frame = |location: &Location| {
        let file = location.file.as_deref().unwrap_or("unknown");
        format!("[{}, {}]", inspect(&file.into()), location.line.unwrap_or(0))
    };
    // It takes the first two entries of the stack for a file and a line.
    let around = call.evaluator.calls_around(call.site);
    let message =
        format!("{message} at {}:{}", frame(&call.location()), around.first().map_or(String::new(), frame));
    if strict == Strictness::Error {
        return Err(call.fail(format!("deprecation. {key}. {message}")));
    }
    let message = message + &whence(call);
    loaded.log.add_once(&once, LogEntry::of_puppet(LogLevel::Warning, message.clone()));
    Ok(logged(&message))
}

/// The reference's place of a warning: the line of the module's own function that logs it.
fn whence(call: &Call<'_, '_>) -> String {
    let Some(module) = call.evaluator.environment.find_module("stdlib") else { return String::new() };
    let file = module.file("lib/puppet/functions/deprecation.rb");
    let bytes = call.evaluator.read_file(&file).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().position(|line| line.contains("Puppet.deprecation_warning("));
    let line = line.map_or(String::new(), |index| format!(":{}", index + 1));
    format!("\n   (location: {file}{line}:in `deprecation')")
}

/// A predicate of one argument, of the 3.x API.
fn one(name: &str, arguments: &[Value], holds: impl Fn(&Value) -> bool) -> Evaluated {
    match arguments {
        [value] => Ok(holds(value).into()),
        _ => {
            let given = arguments.len();
            Err(Error::argument(format!("{name}(): Wrong number of arguments given {given} for 1")).into())
        }
    }
}

/// Whether a line of a text fits.
fn some_line(text: &str, fits: impl Fn(&str) -> bool) -> bool {
    text.split('\n').any(fits)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A decimal whole number without leading zeros.
fn is_whole(text: &str) -> bool {
    text == "0" || (is_digits(text) && !text.starts_with('0'))
}

pub(super) fn is_integer_text(text: &str) -> bool {
    some_line(text, |line| is_whole(line.strip_prefix('-').unwrap_or(line)))
}

fn is_numeric(value: &Value) -> bool {
    match value {
        Value::Integer(_) | Value::BigInteger(_) | Value::Float(_) => true,
        Value::String(text) => some_line(text, |line| {
            let line = line.strip_prefix('-').unwrap_or(line);
            let (line, exponent) = match line.split_once(['e', 'E']) {
                Some((line, exponent)) => (line, Some(exponent.strip_prefix('-').unwrap_or(exponent))),
                None => (line, None),
            };
            let (whole, fraction) = match line.split_once('.') {
                Some((whole, fraction)) => (whole, Some(fraction)),
                None => (line, None),
            };
            is_whole(whole) && fraction.is_none_or(is_digits) && exponent.is_none_or(is_digits)
        }),
        _ => false,
    }
}

fn is_float(value: &Value) -> bool {
    match value {
        Value::Float(_) => true,
        Value::String(text) => float_to_s(ruby::to_f(text)) == text.as_str(),
        _ => false,
    }
}

/// Texts that are not numbers, and `undef`.
fn is_string(value: &Value) -> bool {
    match value {
        Value::Undef => true,
        Value::String(text) => {
            let is_integer = ruby::to_i(text).is_some_and(|number| number.to_string() == text.as_str());
            float_to_s(ruby::to_f(text)) != text.as_str() && !is_integer
        }
        _ => false,
    }
}

/// Absolute for POSIX or for Windows.
fn is_absolute_path(call: &Call<'_, '_>, value: &Value) -> bool {
    let Value::String(path) = value else {
        let (shown, class) = (ruby::to_s(value), ruby::class_name(value));
        // Once for paths of POSIX, and once for those of Windows.
        for _ in 0..2 {
            call.evaluator.loaded.log.add(LogEntry::of_puppet(
                LogLevel::Warning,
                format!(
                    "Cannot check if {shown} is an absolute path because it is a '{class}' and not a String'"
                ),
            ));
        }
        return false;
    };
    let is_slash = |byte: Option<&u8>| matches!(byte, Some(b'/' | b'\\'));
    let bytes = path.as_bytes();
    if some_line(path, |line| line.starts_with('/')) {
        return true;
    }
    some_line(path, |line| {
        let bytes = line.as_bytes();
        bytes.first().is_some_and(u8::is_ascii_alphabetic)
            && bytes.get(1) == Some(&b':')
            && is_slash(bytes.get(2))
    }) || (is_slash(bytes.first()) && is_slash(bytes.get(1)) && {
        let mut parts = path[2..].split(['/', '\\']);
        let first = parts.next().unwrap_or("");
        !first.is_empty() && parts.next().is_some_and(|second| !second.is_empty())
    })
}

fn is_domain_name(value: &Value) -> bool {
    let Value::String(domain) = value else { return false };
    if domain == "." {
        return true;
    }
    let domain = domain.strip_suffix('.').unwrap_or(domain);
    if domain.is_empty() || domain.chars().count() > 255 {
        return false;
    }
    if let Some((_, last)) = domain.rsplit_once('.')
        && (last.is_empty() || !last.bytes().all(|byte| byte.is_ascii_alphabetic()))
    {
        return false;
    }
    domain.split('.').all(|label| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    })
}

fn is_email_address(value: &Value) -> bool {
    let Value::String(text) = value else { return false };
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-');
    // `([\w+\-].?)+`: no two characters side by side that are neither.
    let mut allows_any = false;
    for character in local.chars() {
        if is_word(character) {
            allows_any = true;
        } else if allows_any && character != '\n' {
            allows_any = false;
        } else {
            return false;
        }
    }
    let mut labels = domain.split('.');
    let first = labels.next().unwrap_or("");
    let rest: Vec<&str> = labels.collect();
    let is_host = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !local.is_empty()
        && !first.is_empty()
        && first.chars().all(is_host)
        && !rest.is_empty()
        && rest.iter().all(|label| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_lowercase()))
}

fn is_mac_address(text: &str) -> bool {
    some_line(text, |line| {
        let groups: Vec<&str> = line.split(':').collect();
        matches!(groups.len(), 6 | 20)
            && groups.iter().all(|group| {
                (1..=2).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_hexdigit())
            })
    })
}

/// The check of the validation with this name.
///
/// # Errors
/// An argument is not valid ([`ErrorKind::Argument`]), or the validation does not exist.
fn check(call: &Call<'_, '_>, name: &str, arguments: &[Value]) -> Evaluated {
    let refuse = |message: String| Err(Error::argument(message).into());
    let each = |fits: &dyn Fn(&Value) -> bool, what: &str| {
        if arguments.is_empty() {
            return refuse(format!("{name}(): wrong number of arguments (0; must be > 0)"));
        }
        match arguments.iter().find(|argument| !fits(argument)) {
            None => Ok(Value::Undef),
            Some(argument) => {
                let class = ruby::class_name(argument);
                refuse(format!("{} is not {what}.  It looks to be a {class}", inspect(argument)))
            }
        }
    };
    match name {
        "validate_array" => each(&|value| matches!(value, Value::Array(_)), "an Array"),
        "validate_bool" => each(&|value| matches!(value, Value::Boolean(_)), "a boolean"),
        "validate_hash" => each(&|value| matches!(value, Value::Hash(_)), "a Hash"),
        "validate_string" => each(&|value| matches!(value, Value::String(_) | Value::Undef), "a string"),
        "validate_absolute_path" => {
            if arguments.is_empty() {
                return refuse(format!("{name}(): wrong number of arguments (0; must be > 0)"));
            }
            let paths = arguments.iter().flat_map(|argument| match argument {
                Value::Array(paths) => paths.to_vec(),
                other => vec![other.clone()],
            });
            match paths.into_iter().find(|path| !is_absolute_path(call, path)) {
                None => Ok(Value::Undef),
                Some(path) => refuse(format!("{} is not an absolute path.", inspect(&path))),
            }
        }
        "validate_domain_name" => {
            syntax(name, arguments, is_domain_name, "syntactically correct domain name")
        }
        "validate_email_address" => syntax(name, arguments, is_email_address, "valid email address"),
        "validate_integer" => bounds::<i128>(name, "an Integer", arguments),
        "validate_numeric" => bounds::<f64>(name, "a Numeric", arguments),
        "validate_re" => validate_re(call, arguments),
        "validate_slength" => validate_slength(arguments),
        "validate_ip_address" | "validate_ipv4_address" | "validate_ipv6_address" => {
            super::ip::validate(name, arguments)
        }
        _ => Err(Error::internal(format!("There is no validation '{name}'")).into()),
    }
}

fn syntax(name: &str, arguments: &[Value], fits: fn(&Value) -> bool, what: &str) -> Evaluated {
    if arguments.is_empty() {
        let message = format!("{name}(): wrong number of arguments (0; must be > 0)");
        return Err(Error::argument(message).into());
    }
    for argument in arguments {
        let shown = inspect(argument);
        if !matches!(argument, Value::String(_)) {
            return Err(Error::argument(format!("{shown} is not a string.")).into());
        }
        if !fits(argument) {
            return Err(Error::argument(format!("{shown} is not a {what}")).into());
        }
    }
    Ok(Value::Undef)
}

/// A number that a validation reads and compares.
trait Number: PartialOrd + Copy {
    fn read(text: &str) -> Option<Self>;
    fn shown(self) -> String;
}

impl Number for i128 {
    fn read(text: &str) -> Option<Self> {
        integer(text)
    }
    fn shown(self) -> String {
        self.to_string()
    }
}

impl Number for f64 {
    fn read(text: &str) -> Option<Self> {
        ruby::float(text)
    }
    fn shown(self) -> String {
        float_to_s(self).to_string()
    }
}

/// `Integer()` of a text, within 128 bits.
fn integer(text: &str) -> Option<i128> {
    i128::try_from(&*parse_whole(text, 0).ok()?.as_big_integer()?).ok()
}

/// `validate_integer` and `validate_numeric`: a number, or an array of them, between bounds.
fn bounds<N: Number>(name: &str, kind: &str, arguments: &[Value]) -> Evaluated {
    let refuse = |message: String| Error::argument(format!("{name}(): {message}"));
    let count = arguments.len();
    let Some(input) = arguments.first().filter(|_| count < 4) else {
        return Err(refuse(format!("Wrong number of arguments; must be 1, 2 or 3, got {count}")).into());
    };
    let word = kind.split_once(' ').map_or(kind, |(_, word)| word);
    let mut max = None;
    if let Some(value) = arguments.get(1) {
        let text = ruby::to_s(value);
        if !(count > 2 && text.is_empty()) {
            max = Some(N::read(&text).ok_or_else(|| {
                refuse(format!("Expected second argument to be unset or {kind}, got {text}:String"))
            })?);
        }
    }
    let mut min = None;
    if let Some(value) = arguments.get(2) {
        let text = ruby::to_s(value);
        min = Some(N::read(&text).ok_or_else(|| {
            let class = ruby::class_name(value);
            refuse(format!("Expected third argument to be unset or {kind}, got {text}:{class}"))
        })?);
    }
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        let (max, min) = (max.shown(), min.shown());
        return Err(refuse(format!(
            "Expected second argument to be larger than third argument, got {max} < {min}"
        ))
        .into());
    }
    let within = |number: N, shown: &str| -> Result<(), Error> {
        if let Some(max) = max.filter(|&max| number > max) {
            let max = max.shown();
            return Err(refuse(format!("Expected {shown} to be smaller or equal to {max}, got {shown}.")));
        }
        if let Some(min) = min.filter(|&min| number < min) {
            let min = min.shown();
            return Err(refuse(format!("Expected {shown} to be greater or equal to {min}, got {shown}.")));
        }
        Ok(())
    };
    match input {
        Value::Array(values) => {
            let shown = inspect(input).to_string();
            for (position, value) in values.iter().enumerate() {
                let number = match value {
                    Value::Hash(_) => None,
                    other => N::read(&ruby::to_s(other)),
                };
                let number = number.ok_or_else(|| {
                    let class = ruby::class_name(value);
                    refuse(format!("Expected element at array position {position} to be {kind}, got {class}"))
                })?;
                within(number, &shown)?;
            }
        }
        other => {
            let number = match other {
                Value::Hash(_) => None,
                other => N::read(&ruby::to_s(other)),
            };
            let number = number.ok_or_else(|| {
                let class = ruby::class_name(other);
                let name = if matches!(other, Value::Hash(_)) { "validate_integer" } else { name };
                let article = kind.split(' ').next().unwrap_or("a");
                Error::argument(format!(
                    "{name}(): Expected first argument to be {article} {word} or Array, got {class}"
                ))
            })?;
            within(number, &number.shown())?;
        }
    }
    Ok(Value::Undef)
}

fn validate_re(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let (value, patterns, message) = match arguments {
        [value, patterns] => (value, patterns, None),
        [value, patterns, message] => (value, patterns, Some(message).filter(|message| message.is_truthy())),
        _ => {
            let count = arguments.len();
            let message = format!("validate_re(): wrong number of arguments ({count}; must be 2 or 3)");
            return Err(Error::argument(message).into());
        }
    };
    let Value::String(text) = value else {
        let class = ruby::class_name(value);
        return Err(
            Error::argument(format!("validate_re(): input needs to be a String, not a {class}")).into()
        );
    };
    for pattern in ruby::flatten(std::slice::from_ref(patterns)) {
        let matches = match &pattern {
            Value::String(source) => {
                let pattern = call.evaluator.environment.regexp_in_text(source);
                let regex = pattern.regex(call.fuel()).map_err(|error| Error::internal(error.message))?;
                regex.is_match(text, call.fuel())?
            }
            Value::Regexp(regexp) => regexp.regex(call.fuel())?.is_match(text, call.fuel())?,
            other => return Err(super::legacy::no_string(other).into()),
        };
        if matches {
            return Ok(Value::Undef);
        }
    }
    let message = match message {
        Some(message) => ruby::to_s(message),
        None => format!("validate_re(): {} does not match {}", inspect(value), inspect(patterns)),
    };
    Err(Error::argument(message).into())
}

fn validate_slength(arguments: &[Value]) -> Evaluated {
    let refuse = |message: String| Error::argument(format!("validate_slength(): {message}"));
    if !matches!(arguments.len(), 2 | 3) {
        let count = arguments.len();
        return Err(refuse(format!("Wrong number of arguments ({count}; must be 2 or 3)")).into());
    }
    let length = |value: &Value| match value {
        Value::Integer(number) => Some(i128::from(*number)),
        Value::Float(number) if number.is_finite() => Some(*number as i128),
        Value::String(text) => integer(text),
        _ => None,
    };
    let max = match arguments.get(1).map(|value| (value, length(value))) {
        Some((_, Some(max))) if max > 0 => max,
        Some((value, number)) => {
            let shown = number.map_or_else(|| ruby::to_s(value), |number| number.to_string());
            let class = if number.is_some() { "Integer".into() } else { ruby::class_name(value) };
            return Err(refuse(format!(
                "Expected second argument to be a positive Numeric, got {shown}:{class}"
            ))
            .into());
        }
        None => 0,
    };
    let min = match arguments.get(2).filter(|value| value.is_truthy()) {
        None => 0,
        Some(value) => match length(value) {
            Some(min) if min >= 0 => min,
            number => {
                let shown = number.map_or_else(|| ruby::to_s(value), |number| number.to_string());
                let class = if number.is_some() { "Integer".into() } else { ruby::class_name(value) };
                return Err(refuse(format!(
                    "Expected third argument to be unset or a positive Numeric, got {shown}:{class}"
                ))
                .into());
            }
        },
    };
    if max < min {
        let message = "Expected second argument to be equal to or larger than third argument";
        return Err(refuse(message.to_owned()).into());
    }
    let input = arguments.first().unwrap_or(&Value::Undef);
    let fits = |text: &str| (min..=max).contains(&(text.chars().count() as i128));
    let too_long = |length: usize| {
        let shown = inspect(input);
        refuse(format!("Expected length of {shown} to be between {min} and {max}, was {length}"))
    };
    match input {
        Value::String(text) if fits(text) => {}
        Value::String(text) => return Err(too_long(text.chars().count()).into()),
        Value::Array(values) => {
            for (position, value) in values.iter().enumerate() {
                match value {
                    Value::String(text) if fits(text) => {}
                    Value::String(_) => return Err(too_long(values.len()).into()),
                    other => {
                        let class = ruby::class_name(other);
                        return Err(refuse(format!(
                            "Expected element at array position {position} to be a String, got {class}"
                        ))
                        .into());
                    }
                }
            }
        }
        other => {
            let class = ruby::class_name(other);
            return Err(
                refuse(format!("Expected first argument to be a String or Array, got {class}")).into()
            );
        }
    }
    Ok(Value::Undef)
}

/// The complaint about arguments of `validate_legacy`, which counts the scope among them.
fn refuse_legacy(call: &Call<'_, '_>) -> Evaluated<Unwind> {
    let signature = |first: &str| {
        let text = format!("Any $scope, {first}, String $function_name, Any $value, Any* $args");
        Signature::parse(&text, &|of| Type::parse(of, &NoTypes))
    };
    let signatures = [signature("Type $target_type")?, signature("String $type_string")?];
    let scope = RuntimeValue::new("Puppet::Parser::Scope", "");
    let mut given = vec![Value::Runtime(scope.into())];
    given.extend(call.arguments.iter().cloned());
    let actual = Type::of_arguments(&given, None);
    let message = mismatch::describe_signatures(call.name, &[&signatures[0], &signatures[1]], &actual);
    Ok(Error::argument(message).into())
}

/// Checks a value by a type and by an old validation, and complains where the two do not agree.
fn validate_legacy(call: &Call<'_, '_>) -> Evaluated {
    if !matches!(call.arguments, [Value::Type(_) | Value::String(_), Value::String(_), _, ..]) {
        return Err(refuse_legacy(call)?);
    }
    let target = match call.argument(0) {
        Value::Type(of) => of.clone(),
        other => Type::parse(&ruby::to_s(other), call.evaluator)?,
    };
    let function = call.text(1);
    let values = call.arguments.get(2..).unwrap_or_default();
    let value = call.argument(2);
    let was_valid = match check(call, function, values) {
        Ok(_) => true,
        Err(Unwind::Error(error)) if error.kind == ErrorKind::Argument => false,
        Err(other) => return Err(other),
    };
    if target.check_instance_with(value, call.fuel())? {
        if !was_valid {
            let message = format!("Accepting previously invalid value for target type '{target}'");
            call.evaluator.loaded.log.add(LogEntry::of_puppet(LogLevel::Notice, message.clone()));
            return Ok(logged(&message));
        }
        return Ok(Value::Undef);
    }
    let name = format!("validate_legacy({function})");
    let message = mismatch::describe(&name, &target, &Type::infer_set(value));
    if was_valid {
        return deprecate(call, "validate_legacy", &message);
    }
    call.call_function("fail", &[message.into()], None)
}
