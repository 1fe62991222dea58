//! The built-in Ruby, or its replacement in a library without the feature `ruby`.

#[cfg(feature = "ruby")]
pub use bunraku_ruby_interpreter::{function::Function, programs::Programs};

#[cfg(not(feature = "ruby"))]
pub use left_out::{Function, Programs};

#[cfg(not(feature = "ruby"))]
mod left_out {
    use std::sync::Arc;

    use bunraku_host::{ForeignCall, ForeignFunction, FunctionSource};
    use bunraku_pcore::Value;
    use bunraku_syntax::diagnostic::Error;

    /// A function that cannot exist.
    pub enum Function {}

    /// The programs of none.
    #[derive(Default)]
    pub struct Programs;

    impl Function {
        /// Refuses the function of a file.
        ///
        /// # Errors
        /// Always.
        pub fn load(file: FunctionSource<'_>, _: &Arc<Programs>) -> Result<Self, Error> {
            let FunctionSource { name, path, .. } = file;
            let error = Error::without_feature("ruby");
            let message =
                format!("The function '{name}' is written in Ruby: {} (file: {path})", error.message);
            Err(Error { message, ..error })
        }

        /// Whether the interpreter knows all of its file.
        pub fn is_known(&self) -> bool {
            match *self {}
        }
    }

    impl ForeignFunction for Function {
        fn signatures(&self) -> Vec<String> {
            match *self {}
        }

        fn call(&self, _: usize, _: &[Value], _: &dyn ForeignCall) -> Result<Value, Error> {
            match *self {}
        }
    }
}
