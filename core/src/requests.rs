//! What the bindings ask in JSON of the parts that a library may be built without: each function answers for
//! its feature, and returns an error of the kind [`Unsupported`](crate::ErrorKind::Unsupported) where that is
//! left out. So a binding needs no conditions, and the C library has the same names whatever is in it.

use serde_json::Value as Json;

use bunraku_engine::loader::{Check, Environment};
use bunraku_host::Host;
use bunraku_pcore::fuel::Fuel;
use bunraku_syntax::diagnostic::Error;

#[cfg(feature = "documentation")]
use bunraku_tools::documentation::request as documentation;
#[cfg(feature = "modules")]
use bunraku_tools::module_schema::request as module_schema;
#[cfg(feature = "report")]
use bunraku_tools::report::request as report;
#[cfg(feature = "tasks")]
use bunraku_tools::tasks::request as tasks;

#[cfg(feature = "classifier")]
pub use bunraku_classifier::{Classifier, Request, Response};

#[cfg(not(feature = "classifier"))]
mod no_classifier;
#[cfg(not(feature = "classifier"))]
pub use no_classifier::{Classifier, Request, Response};

/// Declares functions that ask one of a feature.
macro_rules! requests {
    ($(
        $(#[$attribute:meta])*
        $feature:literal fn $name:ident($($argument:ident: $of:ty),*) -> $answer:ty { $ask:expr }
    )*) => {$(
        $(#[$attribute])*
        ///
        /// # Errors
        /// What is asked for is wrong, or the library was built without the feature.
        pub fn $name($($argument: $of),*) -> Result<$answer, Error> {
            #[cfg(feature = $feature)]
            {
                $ask
            }
            #[cfg(not(feature = $feature))]
            {
                let _ = ($($argument,)*);
                Err(Error::without_feature($feature))
            }
        }
    )*};
}

requests! {
    /// Checks an environment.
    "check" fn check_environment(environment: &Environment, request: &Json, check: Check<'_>) -> Json {
        bunraku_check::request::findings(environment, request, check)
    }

    /// What an environment defines, and who refers to it.
    "check" fn index(environment: &Environment, check: Check<'_>) -> Json {
        Ok(bunraku_index::Index::of(environment, check)?.to_json())
    }

    /// Opens a node classifier.
    "classifier" fn open_classifier(host: std::sync::Arc<dyn Host>, options: &Json) -> Classifier {
        bunraku_classifier::request::open(host, options)
    }

    /// Documents modules and files.
    "documentation" fn document(host: &dyn Host, request: &Json, check: Check<'_>) -> Json {
        documentation::document(host, request, check)
    }

    /// Describes types of resources.
    "documentation" fn describe_types(host: &dyn Host, request: &Json, check: Check<'_>) -> Json {
        documentation::describe(host, request, check)
    }

    /// Writes types of resources for `.resource_types`.
    "documentation" fn generate_types(host: &dyn Host, request: &Json, check: Check<'_>) -> Json {
        documentation::generate_types(host, request, check)
    }

    /// Checks a module.
    "modules" fn check_module(host: &dyn Host, request: &Json, check: Check<'_>) -> Json {
        module_schema::findings(host, request, check)
    }

    /// Which files in Ruby the built-in Ruby knows.
    "modules" fn ruby_report(environment: &Environment, check: Check<'_>) -> Json {
        bunraku_tools::ruby_report::report(environment, check)
    }

    /// What differs between two written catalogs.
    "report" fn diff(from: &Json, to: &Json, fuel: &dyn Fuel) -> Json {
        report::diff(from, to, fuel)
    }

    /// Differences as text for people.
    "report" fn diff_text(diff: Json, fuel: &dyn Fuel) -> String {
        report::diff_text(diff, fuel)
    }

    /// Differences without those that are expected.
    "report" fn without_ignored(diff: Json, rules: &[String]) -> Json {
        report::without_ignored(diff, rules)
    }

    /// The differences of many nodes, put together.
    "report" fn fleet(request: Json, fuel: &dyn Fuel) -> String {
        report::fleet(request, fuel)
    }

    /// A drawing of a written catalog.
    "report" fn draw(catalog: &Json, options: &Json, fuel: &dyn Fuel) -> String {
        report::draw(catalog, options, fuel)
    }

    /// Reads what the functions above take.
    "report" fn parse_document(text: &str) -> Json {
        report::parse(text)
    }

    /// All tasks of an environment.
    "tasks" fn tasks(environment: &Environment, check: Check<'_>) -> Json {
        tasks::list(environment, check)
    }

    /// What to run for a task.
    "tasks" fn task_invocation(environment: &Environment, request: &Json, check: Check<'_>) -> Json {
        tasks::invocation(environment, request, check)
    }

    /// How the output of a task is read, and what it keeps secret.
    "tasks" fn task_outcome(stdout: &[u8], exit_code: i32) -> (Json, Option<Json>) {
        Ok(tasks::outcome(stdout, exit_code))
    }
}

#[cfg(test)]
mod tests;
