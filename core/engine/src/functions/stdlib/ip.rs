//! IP addresses: `is_ip_address` and its like, `validate_ip_address` and its like, `enclose_ipv6`,
//! `stdlib::ip_in_range`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::validate::deprecate;
use super::{function, ruby, rvalue, wrong_number_plain};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_pcore::Value;
use bunraku_pcore::format::inspect;
use bunraku_syntax::diagnostic::Error;

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    rvalue!("enclose_ipv6", enclose_ipv6),
    function(
        "is_ip_address",
        &[Dispatch::new("Any* $args", |call| is(call, "is_ip_address", "Ip_address", |_| true))],
    ),
    function(
        "is_ipv4_address",
        &[Dispatch::new("Any* $args", |call| is(call, "is_ipv4_address", "Ipv4", IpAddr::is_ipv4))],
    ),
    function(
        "is_ipv6_address",
        &[Dispatch::new("Any* $args", |call| is(call, "is_ipv4_address", "Ipv6", IpAddr::is_ipv6))],
    ),
    function(
        "validate_ip_address",
        &[Dispatch::new("Any* $args", |call| {
            deprecate_validation(call, "Ip_Address")?;
            validate(call.name, call.arguments)
        })],
    ),
    function(
        "validate_ipv4_address",
        &[Dispatch::new("Any* $args", |call| {
            deprecate_validation(call, "Ipv4_Address")?;
            validate(call.name, call.arguments)
        })],
    ),
    function(
        "validate_ipv6_address",
        &[Dispatch::new("Any* $args", |call| {
            deprecate_validation(call, "Ipv6_address")?;
            validate(call.name, call.arguments)
        })],
    ),
    function(
        "stdlib::ip_in_range",
        &[Dispatch::new("String $ipaddress, Variant[String, Array] $range >> Boolean", ip_in_range)],
    ),
];

fn deprecate_validation(call: &Call<'_, '_>, type_name: &str) -> Result<(), crate::eval::Unwind> {
    let message = super::validate::validation_message(&format!("Stdlib::Compat::{type_name}"));
    deprecate(call, call.name, &message).map(drop)
}

/// An address or a network: the address with the bits after the prefix cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Network {
    address: IpAddr,
    prefix: u32,
}

/// The result of Ruby's `IPAddr` for a text: an address, optionally in brackets, with a prefix length or a
/// mask.
fn network(text: &str) -> Option<Network> {
    let (address, prefix) = match text.split_once('/') {
        Some((address, prefix)) => (address, Some(prefix)),
        None => (text, None),
    };
    let address = address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(address);
    let address = match parse_v4(address) {
        Some(address) => IpAddr::V4(address),
        None => {
            let bare = address.split_once('%').map_or(address, |(bare, _)| bare);
            IpAddr::V6(bare.parse::<Ipv6Addr>().ok()?)
        }
    };
    let bits = if address.is_ipv4() { 32 } else { 128 };
    let prefix = match prefix {
        None => bits,
        Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            digits.parse::<u32>().ok().filter(|&prefix| prefix <= bits)?
        }
        Some(mask) => {
            let mask: IpAddr = mask.parse().ok()?;
            if mask.is_ipv4() != address.is_ipv4() {
                return None;
            }
            let bits_of_mask = value_of(mask);
            let ones = if mask.is_ipv4() {
                (bits_of_mask as u32).leading_ones()
            } else {
                bits_of_mask.leading_ones()
            };
            (masked(mask, ones) == mask).then_some(ones)?
        }
    };
    Some(Network { address: masked(address, prefix), prefix })
}

/// The error of Ruby's `IPAddr` for a text that is not an address. It no longer contains the text; for an
/// invalid prefix, it contains the address as a number.
fn refusal(text: &str) -> String {
    let (address, prefix) = text.split_once('/').unwrap_or((text, ""));
    let numbers =
        || address.split('.').map(|part| part.bytes().all(|byte| byte.is_ascii_digit()) && !part.is_empty());
    let Some(found) = network(address) else {
        let is_filled = |part: &str| part.len() > 1 && part.starts_with('0');
        let is_ambiguous =
            numbers().count() == 4 && numbers().all(|is| is) && address.split('.').any(is_filled);
        let problem =
            if is_ambiguous { "zero-filled number in IPv4 address is ambiguous" } else { "invalid address" };
        return format!("{problem}: ");
    };
    let number = value_of(found.address);
    match prefix.parse::<IpAddr>() {
        _ if prefix.bytes().all(|byte| byte.is_ascii_digit()) => format!("invalid length: {number}"),
        Ok(mask) if mask.is_ipv4() != found.address.is_ipv4() => {
            format!("address family is not same: {number}")
        }
        Ok(_) => format!("invalid mask {prefix}: {number}"),
        Err(_) => "invalid address: ".to_owned(),
    }
}

/// Four decimal numbers without leading zeros.
fn parse_v4(text: &str) -> Option<Ipv4Addr> {
    text.parse().ok()
}

fn value_of(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(u32::from(address)),
        IpAddr::V6(address) => u128::from(address),
    }
}

fn masked(address: IpAddr, prefix: u32) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - prefix.min(32)).unwrap_or(0);
            IpAddr::V4((u32::from(address) & mask).into())
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - prefix.min(128)).unwrap_or(0);
            IpAddr::V6((u128::from(address) & mask).into())
        }
    }
}

/// `is_ip_address` and similar functions, which first log their deprecation.
fn is(call: &Call<'_, '_>, key: &str, type_name: &str, fits: fn(&IpAddr) -> bool) -> Evaluated {
    deprecate(call, key, &super::validate::predicate_message(type_name))?;
    match call.arguments {
        [Value::String(text)] => Ok(network(text).is_some_and(|network| fits(&network.address)).into()),
        // For `IPAddr`, a value that is not a text is an address of no family.
        [_] => Ok(Value::Boolean(false)),
        _ => Err(wrong_number_plain(call, call.arguments.len(), "1")),
    }
}

/// The validation of addresses. `name` is that of the function.
pub(super) fn validate(name: &str, arguments: &[Value]) -> Evaluated {
    if arguments.is_empty() {
        let message = format!("{name}(): wrong number of arguments (0; must be > 0)");
        return Err(Error::argument(message).into());
    }
    for argument in arguments {
        let Value::String(text) = argument else {
            return Err(Error::argument(format!("{} is not a string.", inspect(argument))).into());
        };
        let found = network(text);
        let (fits, kind) = match name {
            "validate_ipv4_address" => (found.is_some_and(|network| network.address.is_ipv4()), "IPv4"),
            "validate_ipv6_address" => (found.is_some_and(|network| network.address.is_ipv6()), "IPv6"),
            _ => (found.is_some(), "IP"),
        };
        if !fits {
            let message = format!("{} is not a valid {kind} address.", inspect(argument));
            return Err(Error::argument(message).into());
        }
    }
    Ok(Value::Undef)
}

fn enclose_ipv6(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [argument] = arguments else { return Err(wrong_number_plain(call, arguments.len(), "1")) };
    let values = match argument {
        Value::String(_) => vec![argument.clone()],
        Value::Array(values) => ruby::flatten(values),
        other => {
            let class = ruby::class_name(other);
            return Err(call.fail(format!(
                "enclose_ipv6(): Wrong argument type given {class} expected String or Array"
            )));
        }
    };
    let mut enclosed: Vec<Value> = Vec::new();
    for value in values.iter().filter(|value| !value.is_undef()) {
        let text = ruby::to_s(value);
        let shown = match (text.as_str(), network(&text)) {
            ("*", _) => value.clone(),
            (_, Some(network)) if network.address.is_ipv6() => format!("[{}]", network.address).into(),
            (_, Some(_)) => value.clone(),
            (_, None) => {
                let message = format!("enclose_ipv6(): Wrong argument given {text} is not an ip address.");
                return Err(call.fail(message));
            }
        };
        if !enclosed.contains(&shown) {
            enclosed.push(shown);
        }
    }
    Ok(enclosed.into())
}

fn ip_in_range(call: &Call<'_, '_>) -> Evaluated {
    let parse = |value: &Value| match value {
        Value::String(text) => network(text).ok_or_else(|| Error::argument(refusal(text))),
        _ => Err(Error::argument("address family must be specified")),
    };
    let address = parse(call.argument(0))?;
    let ranges = match call.argument(1) {
        Value::Array(values) => values.iter().map(parse).collect::<Result<Vec<_>, _>>()?,
        other => vec![parse(other)?],
    };
    let holds = |range: &Network| {
        range.address.is_ipv4() == address.address.is_ipv4()
            && range.prefix <= address.prefix
            && masked(address.address, range.prefix) == range.address
    };
    Ok(ranges.iter().any(holds).into())
}
