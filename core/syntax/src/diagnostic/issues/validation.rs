//! Issues of the validator.

use std::fmt::Display;

use super::issues;
use crate::diagnostic::{Issue, Report};

issues! {
    NAME_WITH_HYPHEN name_with_hyphen(issue: a_an_uc, name) =>
        "{issue} may not have a name containing a hyphen. The name '{name}' is not legal";
    VAR_WITH_HYPHEN var_with_hyphen(name) =>
        "A variable name may not contain a hyphen. The name '{name}' is not legal";
    NOT_TOP_LEVEL not_top_level() =>
        "Classes, definitions, and nodes may only appear at toplevel or inside other classes";
    NOT_ABSOLUTE_TOP_LEVEL not_absolute_top_level(value: a_an_uc) => "{value} may only appear at toplevel";
    CROSS_SCOPE_ASSIGNMENT cross_scope_assignment(name) =>
        "Illegal attempt to assign to '{name}'. Cannot assign to variables in other namespaces";
    ILLEGAL_ASSIGNMENT illegal_assignment(value: a_an) =>
        "Illegal attempt to assign to '{value}'. Not an assignable reference";
    ILLEGAL_NUMERIC_ASSIGNMENT illegal_numeric_assignment(var) =>
        "Illegal attempt to assign to the numeric match result variable '${var}'. Numeric variables are not assignable";
    ILLEGAL_ASSIGNMENT_CONTEXT illegal_assignment_context() => "Assignment not allowed here";
    ILLEGAL_NUMERIC_PARAMETER illegal_numeric_parameter(name) =>
        "The numeric parameter name '${name}' cannot be used (clashes with numeric match result variables)";
    ILLEGAL_NONLITERAL_PARAMETER_TYPE illegal_nonliteral_parameter_type(name, type_class: a_an) =>
        "The parameter '${name}' must be a literal type, not {type_class}";
    ILLEGAL_INDEXED_ASSIGNMENT illegal_indexed_assignment() =>
        "Illegal attempt to assign via [index/key]. Not an assignable reference";
    ILLEGAL_ASSIGNMENT_VIA_INDEX illegal_assignment_via_index(value: a_an) =>
        "Illegal attempt to assign to {value} via [index/key]. Not an assignable reference";
    APPENDS_DELETES_NO_LONGER_SUPPORTED appends_deletes_no_longer_supported(operator) =>
        "The operator '{operator}' is no longer supported. See http://links.puppet.com/remove-plus-equals";
    UNSUPPORTED_OPERATOR unsupported_operator(operator) => "The operator '{operator}' is not supported.";
    UNSUPPORTED_OPERATOR_IN_CONTEXT unsupported_operator_in_context(operator, value: a_an) =>
        "The operator '{operator}' in {value} is not supported.";
    NOT_RVALUE not_rvalue(value: a_an_uc) => "Invalid use of expression. {value} does not produce a value";
    ILLEGAL_ATTRIBUTE_APPEND illegal_attribute_append(attr, expression: a_an) =>
        "Illegal +> operation on attribute {attr}. This operator can not be used in {expression}";
    ILLEGAL_NAME illegal_name(name) =>
        "Illegal name. The given name '{name}' does not conform to the naming rule /^((::)?[a-z_]\\w*)(::[a-z]\\w*)*$/";
    ILLEGAL_TYPE_MAPPING illegal_single_type_mapping(expression: a_an_uc) =>
        "Illegal type mapping. Expected a Type on the left side, got {expression}";
    ILLEGAL_TYPE_MAPPING illegal_regexp_type_mapping(expression: a_an_uc) =>
        "Illegal type mapping. Expected a Tuple[Regexp,String] on the left side, got {expression}";
    ILLEGAL_PARAM_NAME illegal_param_name(name) =>
        "Illegal parameter name. The given name '{name}' does not conform to the naming rule /^[a-z_]\\w*$/";
    ILLEGAL_VAR_NAME illegal_var_name(name) =>
        "Illegal variable name, The given name '{name}' does not conform to the naming rule /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/";
    ILLEGAL_NUMERIC_VAR_NAME illegal_numeric_var_name(name) =>
        "Illegal numeric variable name, The given name '{name}' must be a decimal value if it starts with a digit 0-9";
    ILLEGAL_CLASSREF illegal_classref(name) =>
        "Illegal type reference. The given name '{name}' does not conform to the naming rule";
    RT_NO_STORECONFIGS rt_no_storeconfigs() =>
        "You cannot collect exported resources without storeconfigs being set; the collection will be ignored";
    RT_NO_STORECONFIGS_EXPORT rt_no_storeconfigs_export() =>
        "You cannot collect exported resources without storeconfigs being set; the export is ignored";
    ILLEGAL_HOSTNAME_CHARS illegal_hostname_chars(hostname) =>
        "The hostname '{hostname}' contains illegal characters (only letters, digits, '_', '-', and '.' are allowed)";
    ILLEGAL_HOSTNAME_INTERPOLATION illegal_hostname_interpolation() =>
        "An interpolated expression is not allowed in a hostname of a node";
    ILLEGAL_EXPRESSION illegal_expression(expression: a_an_uc, feature, container: a_an) =>
        "Illegal expression. {expression} is unacceptable as {feature} in {container}";
    ILLEGAL_QUERY_EXPRESSION illegal_query_expression(expression: a_an_uc) =>
        "Illegal query expression. {expression} cannot be used in a query";
    NOT_VIRTUALIZEABLE not_virtualizeable() => "Resource Defaults are not virtualizable";
    CLASS_NOT_VIRTUALIZABLE class_not_virtualizable() => "Classes are not virtualizable";
    UNSUPPORTED_RANGE unsupported_range(expression: a_an, count) =>
        "Attempt to use unsupported range in {expression}, {count} values given for max 1";
    UNSUPPORTED_EXPRESSION unsupported_expression(expression: a_an) =>
        "Expressions of type {expression} are not supported in this version of Puppet";
    ILLEGAL_DEFINITION_NAME illegal_definition_name(name, value: a_an) =>
        "Unacceptable name. The name '{name}' is unacceptable as the name of {value}";
    ILLEGAL_DEFINITION_LOCATION illegal_definition_location(name, file) =>
        "Unacceptable location. The name '{name}' is unacceptable in file '{file}'";
    CAPTURES_REST_NOT_LAST captures_rest_not_last(param) =>
        "Parameter ${param} is not last, and has 'captures rest'";
    CAPTURES_REST_NOT_SUPPORTED captures_rest_not_supported(param, container: a_an) =>
        "Parameter ${param} has 'captures rest' - not supported in {container}";
    REQUIRED_PARAMETER_AFTER_OPTIONAL required_parameter_after_optional(param) =>
        "Parameter ${param} is required but appears after optional parameters";
    IDEM_EXPRESSION_NOT_LAST idem_expression_not_last(expression) =>
        "This {expression} has no effect. A value was produced and then forgotten (one or more preceding expressions may have the wrong form)";
    RESOURCE_WITHOUT_TITLE resource_without_title(name) =>
        "This expression is invalid. Did you try declaring a '{name}' resource without a title?";
    IDEM_NOT_ALLOWED_LAST idem_not_allowed_last(expression, container: a_an_uc) =>
        "This {expression} has no effect. {container} can not end with a value-producing expression without other effect";
    RESERVED_WORD reserved_word(word) =>
        "Use of reserved word: {word}, must be quoted if intended to be a String value";
    FUTURE_RESERVED_WORD future_reserved_word(word) => "Use of future reserved word: '{word}'";
    RESERVED_TYPE_NAME reserved_type_name(name, expression: a_an) =>
        "The name: '{name}' is already defined by Puppet and can not be used as the name of {expression}.";
    ILLEGAL_NODE_INHERITANCE illegal_node_inheritance() =>
        "Node inheritance is not supported in Puppet >= 4.0.0. See http://links.puppet.com/puppet-node-inheritance-deprecation";
    DUPLICATE_PARAMETER duplicate_parameter(param) =>
        "The parameter '{param}' is declared more than once in the parameter list";
    DUPLICATE_KEY duplicate_key(key) => "The key '{key}' is declared more than once";
    DUPLICATE_DEFAULT duplicate_default(container) =>
        "This {container} already has a 'default' entry - this is a duplicate";
    RESERVED_PARAMETER reserved_parameter(param, container: the) =>
        "The parameter ${param} redefines a built in parameter in {container}";
    MULTIPLE_ATTRIBUTES_UNFOLD multiple_attributes_unfold() =>
        "Unfolding of attributes from Hash can only be used once per resource body";
    ILLEGAL_CATALOG_RELATED_EXPRESSION illegal_catalog_related_expression(expression) =>
        "This {expression} appears in a context where catalog related expressions are not allowed";
    NOT_SUPPORTED_WHEN_SCRIPTING feature_not_supported_when_scripting(feature) =>
        "The feature '{feature}' is only available when compiling a catalog";
    EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING expression_not_supported_when_scripting(expr: a_an_uc) =>
        "{expr} is only available when compiling a catalog";
    EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING expression_not_supported_when_compiling(expr: a_an_uc) =>
        "{expr} is not available when compiling a catalog";
}

/// `ILLEGAL_TOP_CONSTRUCT_LOCATION`: a construct that is not allowed at the top level of a module's manifest.
/// `value` is the construct's label, `name` its name if it is a named definition.
pub fn illegal_top_construct_location(value: impl Display, name: Option<&str>) -> Report {
    let subject = match name {
        Some(name) => format!("The {value} '{name}'"),
        None => format!("This {value}"),
    };
    Report {
        issue: Issue("ILLEGAL_TOP_CONSTRUCT_LOCATION"),
        message: format!("{subject} is unacceptable as a top level construct in this location"),
    }
}
