//! The Ruby that is built in, or what stands for it in a library without the feature `ruby`.

#[cfg(feature = "ruby")]
pub use bunraku_ruby_interpreter::function::{Function, FunctionSource};

#[cfg(not(feature = "ruby"))]
pub use left_out::{Function, FunctionSource};

#[cfg(not(feature = "ruby"))]
mod left_out {
    use bunraku_host::{ForeignCall, ForeignFunction, FunctionApi};
    use bunraku_pcore::Value;
    use bunraku_pcore::value::Str;
    use bunraku_syntax::diagnostic::Error;

    /// Reads the files that a function's file requires.
    type Files<'c> = &'c dyn Fn(&str) -> Result<Option<(Str, Str)>, Error>;

    /// A file that defines a function.
    #[derive(Clone, Copy)]
    pub struct FunctionSource<'f> {
        pub name: &'f str,
        pub path: &'f str,
        pub text: &'f str,
        pub api: FunctionApi,
        pub required: Files<'f>,
    }

    /// There is no such function.
    pub enum Function {}

    impl Function {
        /// Refuses the function of a file.
        ///
        /// # Errors
        /// Always.
        pub fn load(file: FunctionSource<'_>) -> Result<Self, Error> {
            let FunctionSource { name, path, text, api, required } = file;
            // Nothing is done with the file's contents.
            let _ = (text, api, required);
            let error = Error::without_feature("ruby");
            let message =
                format!("The function '{name}' is written in Ruby: {} (file: {path})", error.message);
            Err(Error { message, ..error })
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
