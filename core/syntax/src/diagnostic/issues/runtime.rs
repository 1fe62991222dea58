//! Issues of the evaluator and of serialization.

use std::fmt::Display;

use super::issues;
use crate::case::capitalize;
use crate::diagnostic::label::{a_an_uc, article, plural_s};
use crate::diagnostic::{Issue, Report};

issues! {
    ILLEGAL_RESERVED_ASSIGNMENT illegal_reserved_assignment(var) =>
        "Attempt to assign to a reserved variable name: '${var}'";
    ILLEGAL_MULTI_ASSIGNMENT_SIZE illegal_multi_assignment_size(expected, actual) =>
        "Mismatched number of assignable entries and values, expected {expected}, got {actual}";
    MISSING_MULTI_ASSIGNMENT_KEY missing_multi_assignment_key(key) =>
        "No value for required key '{key}' in assignment to variables from hash";
    MISSING_MULTI_ASSIGNMENT_VARIABLE missing_multi_assignment_variable(name) =>
        "No value for required variable '${name}' in assignment to variables from class reference";
    OPERATOR_NOT_APPLICABLE operator_not_applicable(operator, left: a_an) =>
        "Operator '{operator}' is not applicable to {left}.";
    OPERATOR_NOT_APPLICABLE_WHEN operator_not_applicable_when(operator, left: a_an, right: a_an) =>
        "Operator '{operator}' is not applicable to {left} when right side is {right}.";
    COMPARISON_NOT_POSSIBLE comparison_not_possible(left, operator, right, detail) =>
        "Comparison of: {left} {operator} {right}, is not possible. Caused by '{detail}'.";
    MATCH_NOT_REGEXP match_not_regexp(detail) =>
        "Can not convert right match operand to a regular expression. Caused by '{detail}'.";
    MATCH_NOT_STRING match_not_string(left: a_an) =>
        "Left match operand must result in a String value. Got {left}.";
    ILLEGAL_VARIABLE_EXPRESSION illegal_variable_expression(expression: a_an_uc) =>
        "Illegal variable expression. {expression} did not produce a variable name (String or Numeric).";
    ILLEGAL_RELATIONSHIP_OPERAND_TYPE illegal_relationship_operand_type(expression: a_an) =>
        "Illegal relationship operand, can not form a relationship with {expression}. A Catalog type is required.";
    NOT_CATALOG_TYPE not_catalog_type(expression_type) =>
        "Illegal relationship operand, can not form a relationship with something of type {expression_type}. A Catalog type is required.";
    BAD_STRING_SLICE_ARITY bad_string_slice_arity(actual) =>
        "String supports [] with one or two arguments. Got {actual}";
    BAD_STRING_SLICE_TYPE bad_string_slice_type(actual) =>
        "String-Type [] requires all arguments to be integers (or default). Got {actual}";
    BAD_ARRAY_SLICE_ARITY bad_array_slice_arity(actual) =>
        "Array supports [] with one or two arguments. Got {actual}";
    BAD_HASH_SLICE_ARITY bad_hash_slice_arity(actual) =>
        "Hash supports [] with one or more arguments. Got {actual}";
    BAD_INTEGER_SLICE_ARITY bad_integer_slice_arity(actual) =>
        "Integer-Type supports [] with one or two arguments (from, to). Got {actual}";
    BAD_INTEGER_SLICE_TYPE bad_integer_slice_type(actual) =>
        "Integer-Type [] requires all arguments to be integers (or default). Got {actual}";
    BAD_COLLECTION_SLICE_TYPE bad_collection_slice_type(actual: a_an) =>
        "A Type's size constraint arguments must be a single Integer type, or 1-2 integers (or default). Got {actual}";
    BAD_INTEGER_SLICE_ARITY bad_float_slice_arity(actual) =>
        "Float-Type supports [] with one or two arguments (from, to). Got {actual}";
    BAD_INTEGER_SLICE_TYPE bad_float_slice_type(actual) =>
        "Float-Type [] requires all arguments to be floats, or integers (or default). Got {actual}";
    BAD_NOT_UNDEF_SLICE_TYPE bad_not_undef_slice_type(expression, actual) =>
        "{expression}[] argument must be a Type or a String. Got {actual}";
    BAD_TYPE_SLICE_TYPE bad_type_slice_type(base_type, actual) =>
        "{base_type}[] arguments must be types. Got {actual}";
    BAD_TYPE_SPECIALIZATION bad_type_specialization(base_type: a_an, message) =>
        "Error creating type specialization of {base_type}, {message}";
    ILLEGAL_TYPE_SPECIALIZATION illegal_type_specialization(kind) =>
        "Cannot specialize an already specialized {kind} type";
    ILLEGAL_RESOURCE_SPECIALIZATION illegal_resource_specialization(actual) =>
        "First argument to Resource[] must be a resource type or a String. Got {actual}.";
    EMPTY_RESOURCE_SPECIALIZATION empty_resource_specialization() =>
        "Arguments to Resource[] are all empty/undefined";
    ILLEGAL_HOSTCLASS_NAME illegal_hostclass_name(expression: a_an_uc) =>
        "Illegal Class name in class reference. {expression} cannot be used where a String is expected";
    MISSING_REQUIRED_PARAMETER missing_required_parameter(param) =>
        "Parameter ${param} is required but no value was given";
    NOT_NUMERIC not_numeric(value) => "The value '{value}' cannot be converted to Numeric.";
    NUMERIC_COERCION numeric_coercion(before, after) =>
        "The string '{before}' was automatically coerced to the numerical value {after}";
    UNKNOWN_FUNCTION unknown_function(name) => "Unknown function: '{name}'.";
    UNKNOWN_VARIABLE unknown_variable(name) => "Unknown variable: '{name}'.";
    RUNTIME_ERROR runtime_error(expression: a_an, detail) => "Error while evaluating {expression}, {detail}";
    UNKNOWN_RESOURCE_TYPE unknown_resource_type(res_type) => "Resource type not found: {res_type}";
    ILLEGAL_RESOURCE_TYPE illegal_resource_type(actual) =>
        "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {actual}";
    DUPLICATE_TITLE duplicate_title(title) =>
        "The title '{title}' has already been used in this resource expression";
    DUPLICATE_ATTRIBUE duplicate_attribute(attribute) => "The attribute '{attribute}' has already been set";
    MISSING_TITLE missing_title() => "Missing title. The title expression resulted in undef";
    MISSING_TITLE_AT missing_title_at(index) =>
        "Missing title at index {index}. The title expression resulted in an undef title";
    ILLEGAL_TITLE_TYPE_AT illegal_title_type_at(index, actual) =>
        "Illegal title type at index {index}. Expected String, got {actual}";
    EMPTY_STRING_TITLE_AT empty_string_title_at(index) =>
        "Empty string title at {index}. Title strings must have a length greater than zero.";
    UNKNOWN_RESOURCE unknown_resource(type_name, title) => "Resource not found: {type_name}['{title}']";
    DIV_BY_ZERO div_by_zero() => "Division by 0";
    RESULT_IS_INFINITY result_is_infinity(operator) => "The result of the {operator} expression is Infinity";
    UNMATCHED_SELECTOR unmatched_selector(param) =>
        "No matching entry for selector parameter with value '{param}'";
    ILLEGAL_OVERRIDDEN_TYPE illegal_overridden_type(actual) =>
        "Resource Override can only operate on resources, got: {actual}";
    TYPE_MISMATCH type_mismatch(expected, actual) => "Expected value of type {expected}, got {actual}";
    SERIALIZATION_ENDLESS_RECURSION serialization_endless_recursion(type_name) =>
        "Endless recursion detected when attempting to serialize value of class {type_name}";
    SERIALIZATION_DEFAULT_CONVERTED_TO_STRING serialization_default_converted_to_string(path) =>
        "{path} contains the special value default. It will be converted to the String 'default'";
    SERIALIZATION_UNKNOWN_CONVERTED_TO_STRING serialization_unknown_converted_to_string(path, klass: a_an, value) =>
        "{path} contains {klass} value. It will be converted to the String '{value}'";
    SERIALIZATION_UNKNOWN_KEY_CONVERTED_TO_STRING serialization_unknown_key_converted_to_string(path, klass: a_an, value) =>
        "{path} contains a hash with {klass} key. It will be converted to the String '{value}'";
    CATALOG_OPERATION_NOT_SUPPORTED_WHEN_SCRIPTING catalog_operation_not_supported_when_scripting(operation) =>
        "The catalog operation '{operation}' is only available when compiling a catalog";
    TASK_OPERATION_NOT_SUPPORTED_WHEN_COMPILING task_operation_not_supported_when_compiling(operation) =>
        "The task operation '{operation}' is not available when compiling a catalog";
    TASK_MISSING_BOLT task_missing_bolt(action) => "The 'bolt' library is required to {action}";
    UNKNOWN_TASK unknown_task(task_name) => "Task not found: {task_name}";
    LOADER_FAILURE loader_failure(task_name) => "Failed to load: {task_name}";
}

/// `ILLEGAL_REASSIGNMENT`: a variable already has a value. `$name` and `$title` have messages of their own.
pub fn illegal_reassignment(name: &str) -> Report {
    let kind = if matches!(name, "name" | "title") { " built in (or already assigned)" } else { "" };
    Report {
        issue: Issue("ILLEGAL_REASSIGNMENT"),
        message: format!("Cannot reassign{kind} variable '${name}'"),
    }
}

/// `BAD_SLICE_KEY_TYPE`: a key of `left[key]` is not of one of the expected classes. `left` is a label
/// without article; `expected` is not empty.
pub fn bad_slice_key_type(left: impl Display, expected: &[&str], actual: impl Display) -> Report {
    let left = a_an_uc(left);
    let condition = match expected {
        [one] => format!("where {one} is expected"),
        _ => format!("where one of the following is expected: {}", expected.join(", ")),
    };
    Report {
        issue: Issue("BAD_SLICE_KEY_TYPE"),
        message: format!("{left}[] cannot use {actual} {condition}"),
    }
}

/// `BAD_STRING_SLICE_KEY_TYPE`: an index of a substring operation is not an integer.
pub fn bad_string_slice_key_type(actual_type: impl Display) -> Report {
    let actual_type = actual_type.to_string();
    Report {
        issue: Issue("BAD_STRING_SLICE_KEY_TYPE"),
        message: format!(
            "A substring operation does not accept {} {actual_type} as a character index. Expected an Integer",
            article(&actual_type)
        ),
    }
}

/// `BAD_TYPE_SLICE_ARITY`: a type was given the wrong number of arguments. `base_type` is inserted unchanged
/// (the reference adds an article with [`a_an_uc`] to labels of types, but not to texts); `max` is `None` if
/// there is no limit.
pub fn bad_type_slice_arity(
    base_type: impl Display,
    min: usize,
    max: Option<usize>,
    actual: usize,
) -> Report {
    let accepted = match max {
        None => format!("{min} or more arguments"),
        Some(max) if max != min => format!("{min} to {max} arguments"),
        Some(_) => format!("{min} {}", plural_s(min, "argument")),
    };
    Report {
        issue: Issue("BAD_TYPE_SLICE_ARITY"),
        message: format!("{base_type}[] accepts {accepted}. Got {actual}"),
    }
}

/// `UNKNOWN_RESOURCE_PARAMETER`: an existing resource does not have the parameter.
pub fn unknown_resource_parameter(
    type_name: impl Display,
    title: impl Display,
    param: impl Display,
) -> Report {
    let type_name = capitalize(&type_name.to_string());
    Report {
        issue: Issue("UNKNOWN_RESOURCE_PARAMETER"),
        message: format!("The resource {type_name}['{title}'] does not have a parameter called '{param}'"),
    }
}

/// `NUMERIC_OVERFLOW`: a result does not fit in 64 bits. `expression` is a label without article, `digits`
/// the absolute value in hexadecimal digits.
pub fn numeric_overflow_digits(expression: impl Display, negative: bool, digits: &str) -> Report {
    let expression = a_an_uc(expression);
    let (end, sign) = if negative { ("min", '-') } else { ("max", '+') };
    Report {
        issue: Issue("NUMERIC_OVERFLOW"),
        message: format!(
            "{expression} resulted in a value outside of Puppet Integer {end} range, got '{sign}0x{digits}'"
        ),
    }
}
