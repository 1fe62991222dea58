//! Time: `strftime`.

use super::warn_once_here;
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_pcore::Value;
use bunraku_pcore::value::Timestamp;

pub(super) static FUNCTIONS: &[BuiltIn] = &[BuiltIn::new(
    "strftime",
    &[
        Dispatch::new("Timespan $time_object, String $format", strftime),
        Dispatch::new("Timestamp $time_object, String $format, String? $timezone", strftime),
        Dispatch::new("String $format, String? $timezone", strftime_now),
    ],
)
.only_in_4x()];

fn strftime(call: &Call<'_, '_>) -> Evaluated {
    match call.argument(0) {
        Value::Timespan(span) => Ok(span.format(call.text(1))?.into()),
        Value::Timestamp(moment) => format(**moment, call.text(1), call.arguments.get(2)),
        other => Ok(other.clone()),
    }
}

fn format(moment: Timestamp, format: &str, zone: Option<&Value>) -> Evaluated {
    Ok(moment.format(format, zone.and_then(Value::as_str))?.into())
}

fn strftime_now(call: &Call<'_, '_>) -> Evaluated {
    warn_once_here(
        call,
        "legacy#strftime",
        "The argument signature (String format, [String timezone]) is deprecated for #strftime. See #strftime documentation and Timespan type for more info",
    );
    format(call.evaluator.now(), call.text(0), call.arguments.get(1))
}
