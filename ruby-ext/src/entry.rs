//! The entry points from Ruby: the macros `method!` and `function!` are those of magnus, except that a panic
//! becomes a `Bunraku::BugError`. Magnus raises Ruby's `fatal`, which cannot be rescued.

use bunraku::diagnostic::bug::guarded;
use magnus::{Error, RModule, Ruby, Value, prelude::*};

use crate::crossing::{again, run, with_ruby};
use crate::{failure, gvl};

/// Calls the body of a method, and raises its error.
///
/// `work` must own nothing that needs to be dropped, because raising is a jump.
pub(crate) fn answer(ruby: &Ruby, work: impl Fn() -> Result<Value, Error> + Copy) -> Value {
    let body = |_: Value| guarded(work).unwrap_or_else(|bug| Err(failure::raised(ruby, &bug)));
    // SAFETY: called by Ruby; the frames between here and Ruby own nothing.
    unsafe { magnus::method::Method0::call_handle_error(body, ruby, ruby.qnil().as_value()) }
}

/// A function that Ruby can call. The arguments are the traits that convert its arguments, how it receives
/// its receiver, and the names of the arguments.
macro_rules! entry {
    ($name:expr, $plain:ident, $with_ruby:ident, $own:ident, [$($passed:ident)?], [$($argument:ident)*]) => {{
        unsafe extern "C" fn entered($own: magnus::Value, $($argument: magnus::Value),*) -> magnus::Value {
            #[allow(unused_imports, reason = "one of them is used")]
            use magnus::method::{$plain, $with_ruby};
            // SAFETY: Ruby calls this function.
            let ruby = unsafe { magnus::Ruby::get_unchecked() };
            let _ = $own;
            $crate::entry::answer(&ruby, || $name.call_convert_value(&ruby, $($passed,)? $($argument),*))
        }
        entered as unsafe extern "C" fn(magnus::Value, $($crate::entry::entry!(@value $argument)),*) -> magnus::Value
    }};
    ($name:expr, $plain:ident, $with_ruby:ident, $own:ident, [$($passed:ident)?], any) => {{
        unsafe extern "C" fn entered(
            count: std::ffi::c_int,
            arguments: *const magnus::Value,
            $own: magnus::Value,
        ) -> magnus::Value {
            #[allow(unused_imports, reason = "one of them is used")]
            use magnus::method::{$plain, $with_ruby};
            // SAFETY: Ruby calls this function.
            let ruby = unsafe { magnus::Ruby::get_unchecked() };
            let _ = $own;
            // SAFETY: Ruby passes this number of arguments.
            let call = || unsafe { $name.call_convert_value(&ruby, count, arguments, $($passed)?) };
            $crate::entry::answer(&ruby, call)
        }
        entered as unsafe extern "C" fn(std::ffi::c_int, *const magnus::Value, magnus::Value) -> magnus::Value
    }};
    (@value $argument:ident) => { magnus::Value };
}

/// A method with this number of arguments.
macro_rules! method {
    ($name:expr, -1) => { $crate::entry::entry!($name, MethodCAry, RubyMethodCAry, own, [own], any) };
    ($name:expr, 0) => { $crate::entry::entry!($name, Method0, RubyMethod0, own, [own], []) };
    ($name:expr, 1) => { $crate::entry::entry!($name, Method1, RubyMethod1, own, [own], [a]) };
    ($name:expr, 2) => { $crate::entry::entry!($name, Method2, RubyMethod2, own, [own], [a b]) };
    ($name:expr, 3) => { $crate::entry::entry!($name, Method3, RubyMethod3, own, [own], [a b c]) };
    ($name:expr, 4) => { $crate::entry::entry!($name, Method4, RubyMethod4, own, [own], [a b c d]) };
    ($name:expr, 5) => { $crate::entry::entry!($name, Method5, RubyMethod5, own, [own], [a b c d e]) };
}

/// A function with this number of arguments, which does not receive its receiver.
macro_rules! function {
    ($name:expr, -1) => { $crate::entry::entry!($name, FunctionCAry, RubyFunctionCAry, own, [], any) };
    ($name:expr, 0) => { $crate::entry::entry!($name, Function0, RubyFunction0, own, [], []) };
    ($name:expr, 1) => { $crate::entry::entry!($name, Function1, RubyFunction1, own, [], [a]) };
    ($name:expr, 2) => { $crate::entry::entry!($name, Function2, RubyFunction2, own, [], [a b]) };
    ($name:expr, 3) => { $crate::entry::entry!($name, Function3, RubyFunction3, own, [], [a b c]) };
    ($name:expr, 4) => { $crate::entry::entry!($name, Function4, RubyFunction4, own, [], [a b c d]) };
    ($name:expr, 5) => { $crate::entry::entry!($name, Function5, RubyFunction5, own, [], [a b c d e]) };
}

pub(crate) use {entry, function, method};

/// Panics, for tests of the results of panics: in the method, without the GVL, in a compilation, in Ruby code
/// that a compilation calls, or in what such code calls back.
fn panic_in(ruby: &Ruby, place: String) -> Result<(), Error> {
    const TEXT: &str = "on purpose";
    match place.as_str() {
        "unlocked" => gvl::without(|| panic!("{TEXT}")),
        "compilation" => run(ruby, || panic!("{TEXT}")).map(|((), _)| ()),
        "ruby" => run(ruby, || drop(with_ruby(|_, _| -> Result<(), Error> { panic!("{TEXT}") }))).map(|_| ()),
        "again" => run(ruby, || {
            drop(with_ruby(|ruby, crossing| again(crossing, ruby, || panic!("{TEXT}")).map(|(): ()| ())));
        })
        .map(|_| ()),
        _ => panic!("{TEXT}"),
    }
}

/// Defines the function that panics.
pub(crate) fn define(module: RModule) -> Result<(), Error> {
    module.define_singleton_method("native_panic", function!(panic_in, 1))
}
