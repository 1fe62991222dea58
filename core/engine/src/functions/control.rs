//! Control: `break`, `next`, `return`, `call`, `fail`, `import`, `lest`, `then`, `unwrap`, `with`.

use super::{legacy, ruby};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated, Jump, Unwind};
use bunraku_pcore::Value;
use bunraku_syntax::diagnostic::{Error, issues};

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    BuiltIn::new("break", &[Dispatch::new("", |call| Err(Unwind::Break(Box::new(call.location()))))])
        .only_in_4x(),
    BuiltIn::new("next", &[Dispatch::new("Any? $value", |call| Err(Unwind::Next(jump(call))))])
        .only_in_4x()
        .looking_only(),
    BuiltIn::new("return", &[Dispatch::new("Any? $value", |call| Err(Unwind::Return(jump(call))))])
        .only_in_4x()
        .looking_only(),
    BuiltIn::new(
        "call",
        &[
            Dispatch::new("String $function_name, Any* $arguments, Callable? &block", call_by_name),
            Dispatch::new("Deferred $deferred", call_deferred),
        ],
    )
    .looking_only()
    .calling(),
    BuiltIn::legacy("fail", -1, false, &[Dispatch::new("", fail)]),
    BuiltIn::new("import", &[Dispatch::new("Any* $args", |_| Err(issues::discontinued_import().into()))]),
    BuiltIn::new("lest", &[Dispatch::new("Any $arg, Callable[0,0] &block", lest)])
        .only_in_4x()
        .looking_only(),
    BuiltIn::new("then", &[Dispatch::new("Any $arg, Callable[1,1] &block", then)])
        .only_in_4x()
        .looking_only(),
    BuiltIn::new(
        "unwrap",
        &[
            Dispatch::new("Sensitive $arg, Callable? &block", unwrap),
            Dispatch::new("Any $arg, Callable? &block", unwrap),
        ],
    ),
    BuiltIn::new(
        "with",
        &[Dispatch::new("Any* $arg, Callable &block", |call| call.yield_block(call.arguments))],
    )
    .only_in_4x()
    .looking_only(),
];

/// A call of `next` or `return`, on its way out.
fn jump(call: &Call<'_, '_>) -> Box<Jump> {
    Box::new(Jump { value: call.argument(0).clone(), location: call.location() })
}

fn call_by_name(call: &Call<'_, '_>) -> Evaluated {
    let name = call.text(0);
    if name.is_empty() {
        return Err(Error::internal("call(): the name of the function is empty").into());
    }
    call.call_function(name, call.arguments.get(1..).unwrap_or_default(), call.block)
}

fn call_deferred(call: &Call<'_, '_>) -> Evaluated {
    call.evaluator.resolve_deferred(call.scope, call.argument(0), &call.location())
}

fn fail(call: &Call<'_, '_>) -> Evaluated {
    let values: Vec<String> = legacy::arguments(call).iter().map(ruby::to_s).collect();
    Err(Error::plain(values.join(" ")).into())
}

fn lest(call: &Call<'_, '_>) -> Evaluated {
    if call.argument(0).is_undef() { call.yield_block(&[]) } else { Ok(call.argument(0).clone()) }
}

fn then(call: &Call<'_, '_>) -> Evaluated {
    if call.argument(0).is_undef() { Ok(Value::Undef) } else { call.yield_block(call.arguments) }
}

fn unwrap(call: &Call<'_, '_>) -> Evaluated {
    let value = match call.argument(0) {
        Value::Sensitive(value) => Value::clone(value),
        other => other.clone(),
    };
    if call.block.is_some() { call.yield_block(&[value]) } else { Ok(value) }
}
