//! Issues of Hiera: its configuration, its hierarchies and its interpolation.

use std::fmt::Display;

use super::issues;
use crate::diagnostic::label::combine_strings;
use crate::diagnostic::{Issue, Report};

issues! {
    HIERA_UNSUPPORTED_VERSION hiera_unsupported_version(version) =>
        "This runtime does not support hiera.yaml version {version}";
    HIERA_VERSION_3_NOT_GLOBAL hiera_version_3_not_global(location: a_an) =>
        "hiera.yaml version 3 cannot be used in {location}";
    HIERA_UNSUPPORTED_VERSION_IN_GLOBAL hiera_unsupported_version_in_global() =>
        "hiera.yaml version 4 cannot be used in the global layer";
    HIERA_UNDEFINED_VARIABLE hiera_undefined_variable(name) => "Undefined variable '{name}'";
    HIERA_NO_PROVIDER_FOR_BACKEND hiera_no_provider_for_backend(name) =>
        "No data provider is registered for backend '{name}'";
    HIERA_V3_BACKEND_NOT_GLOBAL hiera_v3_backend_not_global() =>
        "'hiera3_backend' is only allowed in the global layer";
    HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE hiera_default_hierarchy_not_in_module() =>
        "'default_hierarchy' is only allowed in the module layer";
    HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH hiera_v3_backend_replaced_by_data_hash(function_name) =>
        "Use \"data_hash: {function_name}_data\" instead of \"hiera3_backend: {function_name}\"";
    HIERA_OPTION_RESERVED_BY_PUPPET hiera_option_reserved_by_puppet(key, name) =>
        "Option key '{key}' used in hierarchy '{name}' is reserved by Puppet";
    HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET hiera_default_option_reserved_by_puppet(key) =>
        "Option key '{key}' used in defaults is reserved by Puppet";
    HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND hiera_data_provider_function_not_found(function_type, function_name) =>
        "Unable to find '{function_type}' function named '{function_name}'";
    HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING hiera_interpolation_alias_not_entire_string() =>
        "'alias' interpolation is only permitted if the expression is equal to the entire string";
    HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD hiera_interpolation_unknown_interpolation_method(name) =>
        "Unknown interpolation method '{name}'";
    HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED hiera_interpolation_method_syntax_not_allowed() =>
        "Interpolation using method syntax is not allowed in this context";
}

/// Keys of a hierarchy entry that name the function for its data.
pub const FUNCTION_KEYS: &[&str] = &["data_hash", "lookup_key", "data_dig", "hiera3_backend"];

/// Keys of a hierarchy entry that locate its data.
pub const LOCATION_KEYS: &[&str] = &["path", "paths", "glob", "globs", "uri", "uris", "mapped_paths"];

/// ` First defined at (line: 3)` if the line is known.
fn first_defined(line: Option<u32>) -> String {
    line.map_or(String::new(), |line| format!(" First defined at (line: {line})"))
}

/// `HIERA_BACKEND_MULTIPLY_DEFINED`
pub fn hiera_backend_multiply_defined(name: impl Display, first_line: Option<u32>) -> Report {
    Report {
        issue: Issue("HIERA_BACKEND_MULTIPLY_DEFINED"),
        message: format!("Backend '{name}' is defined more than once.{}", first_defined(first_line)),
    }
}

/// `HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED`
pub fn hiera_hierarchy_name_multiply_defined(name: impl Display, first_line: Option<u32>) -> Report {
    Report {
        issue: Issue("HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED"),
        message: format!("Hierarchy name '{name}' defined more than once.{}", first_defined(first_line)),
    }
}

/// `HIERA_MISSING_DATA_PROVIDER_FUNCTION`
pub fn hiera_missing_data_provider_function(name: impl Display) -> Report {
    Report {
        issue: Issue("HIERA_MISSING_DATA_PROVIDER_FUNCTION"),
        message: format!(
            "One of {} must be defined in hierarchy '{name}'",
            combine_strings(FUNCTION_KEYS, "or")
        ),
    }
}

/// `HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS`
pub fn hiera_multiple_data_provider_functions(name: impl Display) -> Report {
    Report {
        issue: Issue("HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS"),
        message: format!(
            "Only one of {} can be defined in hierarchy '{name}'",
            combine_strings(FUNCTION_KEYS, "or")
        ),
    }
}

/// `HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT`
pub fn hiera_multiple_data_provider_functions_in_default() -> Report {
    Report {
        issue: Issue("HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT"),
        message: format!("Only one of {} can be defined in defaults", combine_strings(FUNCTION_KEYS, "or")),
    }
}

/// `HIERA_MULTIPLE_LOCATION_SPECS`
pub fn hiera_multiple_location_specs(name: impl Display) -> Report {
    Report {
        issue: Issue("HIERA_MULTIPLE_LOCATION_SPECS"),
        message: format!(
            "Only one of {} can be defined in hierarchy '{name}'",
            combine_strings(LOCATION_KEYS, "or")
        ),
    }
}
