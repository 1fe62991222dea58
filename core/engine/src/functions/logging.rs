//! The log: `debug`, `info`, `notice`, `warning`, `err`, `alert`, `crit`, `emerg`.

use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_pcore::Value;
use bunraku_pcore::convert::string;
use bunraku_syntax::diagnostic::LogLevel;

/// A function that logs its arguments at a level.
macro_rules! log {
    ($name:literal, $level:ident) => {
        BuiltIn::new($name, &[Dispatch::new("Any* $values >> Undef", |call| log(call, LogLevel::$level))])
    };
}

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    log!("debug", Debug),
    log!("info", Info),
    log!("notice", Notice),
    log!("warning", Warning),
    log!("err", Err),
    log!("alert", Alert),
    log!("crit", Crit),
    log!("emerg", Emerg),
];

fn log(call: &Call<'_, '_>, level: LogLevel) -> Evaluated {
    let mut message = String::new();
    for (index, value) in call.arguments.iter().enumerate() {
        if index > 0 {
            message.push(' ');
        }
        message.push_str(&string::to_string(value));
    }
    call.log(level, message)?;
    Ok(Value::Undef)
}
