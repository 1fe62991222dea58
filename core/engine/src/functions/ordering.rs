//! Order: `compare`, `max`, `min`, `sort`.

use std::cmp::Ordering;

use super::{ruby, warn_once};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_pcore::value::List;
use bunraku_pcore::{Value, label};
use bunraku_syntax::diagnostic::Error;

/// The signatures of `max` and `min`, which differ in the place of the one for arrays of strings.
macro_rules! extreme {
    ($name:literal, $($array:literal => $body:ident),*) => {
        BuiltIn::new(
            $name,
            &[
                Dispatch::new("Numeric* $values", of_comparable),
                Dispatch::new("String* $values", of_strings),
                Dispatch::new("Semver* $values", of_comparable),
                Dispatch::new("Timespan* $values", of_comparable),
                Dispatch::new("Timestamp* $values", of_comparable),
                $(Dispatch::new(concat!($array, " $values, Callable[2,2]? &block"), $body),)*
                Dispatch::new("Any* $values, Callable[2,2] &block", of_anything),
                Dispatch::new("Any* $values", of_anything),
            ],
        )
    };
}

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    BuiltIn::new(
        "compare",
        &[
            Dispatch::new("Numeric $a, Numeric $b", compare),
            Dispatch::new("String $a, String $b, Boolean? $ignore_case", compare_strings),
            Dispatch::new("Semver $a, Semver $b", compare),
            Dispatch::new("Numeric $a, Variant[Timespan, Timestamp] $b", compare_reversed),
            Dispatch::new("Timestamp $a, Variant[Timestamp, Numeric] $b", compare),
            Dispatch::new("Timespan $a, Variant[Timespan, Numeric] $b", compare),
        ],
    )
    .with_local_types(&[
        "TimeComparable = Variant[Numeric, Timespan, Timestamp]",
        "Comparable = Variant[String, Semver, TimeComparable]",
    ])
    .with_mismatches(&[
        Dispatch::new("Comparable $a, Comparable $b, Any* $ignore_case", wrongly_compared),
        Dispatch::new("Any $a, Any $b, Any* $ignore_case", not_comparable),
    ]),
    extreme!(
        "max",
        "Array[Numeric]" => array_of_comparable,
        "Array[String]" => array_of_strings,
        "Array[Semver]" => array_of_comparable,
        "Array[Timespan]" => array_of_comparable,
        "Array[Timestamp]" => array_of_comparable,
        "Array" => array_of_anything
    ),
    extreme!(
        "min",
        "Array[Numeric]" => array_of_comparable,
        "Array[Semver]" => array_of_comparable,
        "Array[Timespan]" => array_of_comparable,
        "Array[Timestamp]" => array_of_comparable,
        "Array[String]" => array_of_strings,
        "Array" => array_of_anything
    ),
    BuiltIn::new(
        "sort",
        &[
            Dispatch::new("String $string_value, Callable[2,2]? &block", sort_string),
            Dispatch::new("Array $array_value, Callable[2,2]? &block", sort_array),
        ],
    ),
];

fn compare(call: &Call<'_, '_>) -> Evaluated {
    let (a, b) = (call.argument(0), call.argument(1));
    Ok(ruby::compare(a, b).map_or(Value::Undef, |ordering| (ordering as i64).into()))
}

fn compare_reversed(call: &Call<'_, '_>) -> Evaluated {
    let (a, b) = (call.argument(0), call.argument(1));
    let ordering = ruby::ordered(b, a)?;
    Ok((ordering.reverse() as i64).into())
}

fn compare_strings(call: &Call<'_, '_>) -> Evaluated {
    let (a, b) = (call.text(0), call.text(1));
    let ordering = if call.arguments.get(2).is_none_or(Value::is_truthy) {
        a.to_ascii_lowercase().cmp(&b.to_ascii_lowercase())
    } else {
        a.cmp(b)
    };
    Ok((ordering as i64).into())
}

fn not_comparable(call: &Call<'_, '_>) -> Evaluated {
    Ok(format!(
        "compare(): Non comparable type. Only values of the types Numeric, String, Semver, Timestamp and Timestamp can be compared. Got {} and {}",
        label::label(call.argument(0)),
        label::label(call.argument(1))
    )
    .into())
}

fn wrongly_compared(call: &Call<'_, '_>) -> Evaluated {
    let (a, b) = (call.argument(0), call.argument(1));
    let rest = call.arguments.get(2..).unwrap_or_default();
    if !rest.is_empty() {
        if !matches!((a, b), (Value::String(_), Value::String(_))) {
            return Ok(
                "compare(): The third argument (ignore case) can only be used when comparing strings".into()
            );
        }
        if rest.len() != 1 {
            let count = 2 + rest.len();
            return Ok(format!("compare(): Accepts at most 3 arguments, got {count}").into());
        }
        // The reference fails on its own check of the third argument here.
        return Err(Error::internal("compare(): the third argument (ignore case) is a Boolean").into());
    }
    if ruby::class_name(a) == ruby::class_name(b) {
        return Ok("".into());
    }
    Ok(format!(
        "compare(): Can only compare values of the same type (or for Timestamp/Timespan also against Numeric). Got {} and {}",
        label::label(a),
        label::label(b)
    )
    .into())
}

/// The greatest or least of some values by a comparison, which is asked whether a value beats the best one so
/// far.
fn extreme(
    call: &Call<'_, '_>,
    values: &[Value],
    mut compare: impl FnMut(&Value, &Value) -> Evaluated<Ordering>,
) -> Evaluated {
    let beats = if call.name == "max" { Ordering::Greater } else { Ordering::Less };
    let Some((mut best, rest)) = values.split_first() else { return Ok(Value::Undef) };
    for value in rest {
        if compare(value, best)? == beats {
            best = value;
        }
    }
    Ok(best.clone())
}

fn assert_some(call: &Call<'_, '_>, values: &[Value]) -> Evaluated<()> {
    if values.is_empty() {
        return Err(call.fail(format!("{}(): Wrong number of arguments need at least one", call.name)));
    }
    Ok(())
}

fn of_comparable(call: &Call<'_, '_>) -> Evaluated {
    comparable(call, call.arguments)
}

fn comparable(call: &Call<'_, '_>, values: &[Value]) -> Evaluated {
    assert_some(call, values)?;
    extreme(call, values, |a, b| Ok(ruby::ordered(a, b)?))
}

fn of_strings(call: &Call<'_, '_>) -> Evaluated {
    strings(call, call.arguments)
}

fn strings(call: &Call<'_, '_>, values: &[Value]) -> Evaluated {
    assert_some(call, values)?;
    extreme(call, values, |a, b| {
        let (a, b) = (a.as_str().unwrap_or(""), b.as_str().unwrap_or(""));
        Ok(compare_as_numbers(call, a, b).unwrap_or_else(|| a.cmp(b)))
    })
}

/// Compares two strings as numbers, when both look like some.
fn compare_as_numbers(call: &Call<'_, '_>, a: &str, b: &str) -> Option<Ordering> {
    let is_number = |text: &str| {
        let text = text.strip_prefix('-').unwrap_or(text);
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.split_once(['.', '_', 'e', 'E']) {
            Some((before, behind)) => is_digits(before) && is_digits(behind),
            None => is_digits(text),
        }
    };
    if !is_number(a) || !is_number(b) {
        return None;
    }
    let name = call.name;
    warn_once(
        call,
        &format!("{name}_function_numeric_coerce_string"),
        &format!(
            "The {name}() function's auto conversion of String to Numeric is deprecated - change to convert input before calling, or use lambda"
        ),
    );
    Some(ruby::to_f(a).partial_cmp(&ruby::to_f(b)).unwrap_or(Ordering::Equal))
}

fn of_anything(call: &Call<'_, '_>) -> Evaluated {
    anything(call, call.arguments)
}

fn anything(call: &Call<'_, '_>, values: &[Value]) -> Evaluated {
    if call.block.is_some() {
        return by_block(call, values);
    }
    assert_some(call, values)?;
    let name = call.name;
    extreme(call, values, |a, b| {
        let (a, b) = (ruby::to_s(a), ruby::to_s(b));
        if let Some(ordering) = compare_as_numbers(call, &a, &b) {
            return Ok(ordering);
        }
        warn_once(
            call,
            &format!("{name}_function_string_coerce_any"),
            &format!(
                "The {name}() function's auto conversion of Any to String is deprecated - change to convert input before calling, or use lambda"
            ),
        );
        Ok(a.cmp(&b))
    })
}

fn by_block(call: &Call<'_, '_>, values: &[Value]) -> Evaluated {
    extreme(call, values, |a, b| compare_by_block(call, a, b))
}

fn compare_by_block(call: &Call<'_, '_>, a: &Value, b: &Value) -> Evaluated<Ordering> {
    Ok(ruby::ordering(&call.yield_block(&[a.clone(), b.clone()])?, a, b)?)
}

fn array<'a>(call: &'a Call<'_, '_>) -> &'a [Value] {
    match call.argument(0) {
        Value::Array(values) => values,
        _ => &[],
    }
}

fn array_of_comparable(call: &Call<'_, '_>) -> Evaluated {
    if call.block.is_some() { by_block(call, array(call)) } else { comparable(call, array(call)) }
}

fn array_of_strings(call: &Call<'_, '_>) -> Evaluated {
    if call.block.is_some() { by_block(call, array(call)) } else { strings(call, array(call)) }
}

fn array_of_anything(call: &Call<'_, '_>) -> Evaluated {
    anything(call, array(call))
}

fn sort_string(call: &Call<'_, '_>) -> Evaluated {
    let characters = call.text(0).chars().map(|character| Value::String(character.into()));
    let mut characters: Vec<Value> = characters.collect();
    sort(call, &mut characters)?;
    Ok(characters.iter().filter_map(Value::as_str).collect::<String>().into())
}

fn sort_array(call: &Call<'_, '_>) -> Evaluated {
    let Value::Array(values) = call.argument(0) else { return Ok(Value::array([])) };
    let mut values = List::clone(values);
    values.reorder(|values| sort(call, values))?;
    Ok(values.into())
}

fn sort(call: &Call<'_, '_>, values: &mut [Value]) -> Evaluated<()> {
    if call.block.is_some() {
        return ruby::sort(values, &mut |a, b| compare_by_block(call, a, b));
    }
    let comparisons = values.len() * values.len().checked_ilog2().map_or(0, |halvings| halvings as usize + 1);
    call.charge_steps(comparisons)?;
    if !ruby::sort_plain(values) {
        ruby::sort(values, &mut ruby::ordered)?;
    }
    Ok(())
}
