//! The table of checks, in the order in which puppet-lint runs them.

use crate::fix::{self, Fix};
use crate::manifest::{CheckError, Manifest};
use crate::plugins::{commas, indent, names, parameters, resources as attributes, spaces, values};
use crate::problem::Problems;
use crate::{Severity, classes, comments, facts, resources, strings, variables, whitespace};

/// What a check does.
type Run = for<'m> fn(&'m Manifest<'m>, &mut Problems<'m>) -> Result<(), CheckError>;

/// The check that looks at data, too.
pub(crate) const LEGACY_FACTS: &str = "legacy_facts";

/// A check.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its name, as puppet-lint has it.
    pub name: &'static str,
    /// The option of the command that switches it on, without dashes in front.
    pub switch_on: &'static str,
    /// The option of the command that switches it off.
    pub switch_off: &'static str,
    /// How bad it is what it finds.
    pub severity: Severity,
    /// Whether it runs unless the caller says otherwise.
    pub is_on: bool,
    /// What it looks for.
    pub about: &'static str,
    /// The plug-in of puppet-lint that has it; none for its own checks.
    pub plugin: Option<&'static str>,
    pub(crate) run: Run,
    pub(crate) fix: Option<Fix>,
}

impl Check {
    /// Whether what it finds can be mended.
    pub const fn is_fixed(&self) -> bool {
        self.fix.is_some()
    }
}

/// The check of a name.
pub fn check_named(name: &str) -> Option<&'static Check> {
    CHECKS.iter().find(|check| check.name == name)
}

/// The name under which all plug-ins are installed together.
const BUNDLE: &str = "voxpupuli-puppet-lint-plugins";

/// Plug-ins that are not installed under that name.
const NOT_IN_BUNDLE: &[&str] = &[
    "puppet-lint-empty_string-check",
    "puppet-lint-spaceship_operator_without_tag-check",
    "puppet-lint-undef_in_function-check",
];

/// The checks of a plug-in, or of "voxpupuli-puppet-lint-plugins". Empty if it is unknown.
pub fn checks_of_plugin(plugin: &str) -> Vec<&'static Check> {
    let is_of = |check: &&Check| {
        check.plugin.is_some_and(|name| name == plugin || plugin == BUNDLE && !NOT_IN_BUNDLE.contains(&name))
    };
    CHECKS.iter().filter(is_of).collect()
}

/// Declares the checks: name, severity, whether it is on, function, what it looks for, how it is mended, and
/// the plug-in that has it.
macro_rules! checks {
    ($( $name:literal $severity:ident $on:ident $family:ident::$run:ident $about:literal
        $(fix $fix:ident)? $(of $plugin:literal)? ; )*) => {
        /// All checks.
        pub static CHECKS: &[Check] = &[ $( Check {
            name: $name,
            switch_on: concat!($name, "-check"),
            switch_off: concat!("no-", $name, "-check"),
            severity: Severity::$severity,
            is_on: checks!(@on $on),
            about: $about,
            run: $family::$run,
            fix: checks!(@fix $($fix)?),
            plugin: checks!(@of $($plugin)?),
        } ),* ];
    };
    (@on on) => { true };
    (@on off) => { false };
    (@fix $fix:ident) => { Some(fix::$fix) };
    (@fix) => { None };
    (@of $plugin:literal) => { Some(concat!("puppet-lint-", $plugin)) };
    (@of) => { None };
}

checks! {
    "arrow_on_right_operand_line" Warning on classes::arrow_on_right_operand_line
        "arrows between resources stand on the line of what follows them" fix arrow_on_right_operand_line;
    "autoloader_layout" Error on classes::autoloader_layout
        "classes and defined types stand in the file that their name tells";
    "class_inherits_from_params_class" Warning off classes::class_inherits_from_params_class
        "no class inherits from a class of parameters";
    "code_on_top_scope" Warning off classes::code_on_top_scope
        "all code is in a class or a defined type";
    "inherits_across_namespaces" Warning on classes::inherits_across_namespaces
        "classes inherit from classes of their module";
    "names_containing_dash" Error on classes::names_containing_dash
        "names of classes and defined types have no dash";
    "names_containing_uppercase" Error on classes::names_containing_uppercase
        "names of classes and defined types have no capital letters" fix downcase;
    "nested_classes_or_defines" Warning on classes::nested_classes_or_defines
        "no class or defined type stands in a class";
    "parameter_order" Warning on classes::parameter_order
        "parameters without default values stand first";
    "right_to_left_relationship" Warning on classes::right_to_left_relationship
        "arrows point to the right";
    "variable_scope" Warning on variables::variable_scope
        "variables are set in the class that uses them, or have a namespace";
    "slash_comments" Warning on comments::slash_comments
        "comments begin with #, not with //" fix slash_comment;
    "star_comments" Warning on comments::star_comments
        "comments begin with #, not with /*" fix star_comment;
    "case_without_default" Warning on classes::case_without_default
        "each case has a default";
    "selector_inside_resource" Warning on resources::selector_inside_resource
        "values of attributes are no selectors";
    "documentation" Warning on classes::documentation
        "classes and defined types have a comment above";
    "unquoted_node_name" Warning on classes::unquoted_node_name
        "names of nodes are quoted" fix quote;
    "duplicate_params" Error on resources::duplicate_params
        "no attribute stands twice in a resource";
    "ensure_first_param" Warning on resources::ensure_first_param
        "ensure is the first attribute" fix ensure_first;
    "ensure_not_symlink_target" Warning on resources::ensure_not_symlink_target
        "the target of a link stands in target, not in ensure" fix symlink_target;
    "file_mode" Warning on resources::file_mode
        "modes of files have four octal digits, or are symbolic" fix mode;
    "unquoted_file_mode" Warning on resources::unquoted_file_mode
        "modes of files are quoted" fix quote;
    "unquoted_resource_title" Warning on resources::unquoted_resource_title
        "titles of resources are quoted" fix quote;
    "double_quoted_strings" Warning on strings::double_quoted_strings
        "strings without variables and escapes have single quotes" fix quote;
    "only_variable_string" Warning on strings::only_variable_string
        "variables that are a whole string have no quotes" fix unquote_variable;
    "puppet_url_without_modules" Warning on strings::puppet_url_without_modules
        "addresses of files have modules/ in them" fix url;
    "quoted_booleans" Warning off strings::quoted_booleans
        "true and false are not quoted" fix unquote;
    "single_quote_string_with_variables" Error on strings::single_quote_string_with_variables
        "strings with ${ have double quotes";
    "variables_not_enclosed" Warning on strings::variables_not_enclosed
        "variables in strings have braces" fix enclose;
    "variable_contains_dash" Warning on variables::variable_contains_dash
        "names of variables have no dash";
    "variable_is_lowercase" Warning on variables::variable_is_lowercase
        "names of variables have no capital letters";
    "140chars" Warning on whitespace::chars_140
        "lines have at most 140 characters";
    "2sp_soft_tabs" Error on whitespace::soft_tabs
        "lines are indented by an even number of spaces";
    "80chars" Warning off whitespace::chars_80
        "lines have at most 80 characters";
    "arrow_alignment" Warning on resources::arrow_alignment
        "arrows of a resource or hash stand below each other" fix align_arrow;
    "hard_tabs" Error on whitespace::hard_tabs
        "no tabs stand in lines" fix tab;
    "space_before_arrow" Warning on resources::space_before_arrow
        "one space stands before the only arrow" fix space;
    "trailing_whitespace" Error on whitespace::trailing_whitespace
        "no white space stands at the end of lines" fix delete;
    "legacy_facts" Warning on facts::legacy_facts
        "facts have their names of today" fix legacy_fact;
    "top_scope_facts" Warning on facts::top_scope_facts
        "facts are taken from $facts" fix top_scope_fact;
    "trailing_comma" Warning off commas::trailing_comma
        "lists that end on a line of their own end with a comma" fix comma
        of "trailing_comma-check";
    "unquoted_string_in_case" Warning off values::unquoted_string_in_case
        "words that a case compares with are quoted" fix quote
        of "unquoted_string-check";
    "unquoted_string_in_selector" Warning off values::unquoted_string_in_selector
        "words that a selector compares with are quoted" fix quote
        of "unquoted_string-check";
    "leading_zero" Warning off values::leading_zero
        "numbers with a zero in front are quoted" fix quote
        of "leading_zero-check";
    "version_comparison" Warning off values::version_comparison
        "versions are compared with versioncmp" fix versioncmp
        of "version_comparison-check";
    "file_ensure" Warning off attributes::file_ensure
        "ensure of files says more than present" fix value
        of "file_ensure-check";
    "variable_contains_upcase" Warning off names::variable_contains_upcase
        "names of variables have no capital letters" fix downcase_variable
        of "variable_contains_upcase";
    "relative_classname_inclusion" Warning off names::relative_classname_inclusion
        "names of included classes have no :: in front" fix relative_name
        of "absolute_classname-check";
    "relative_classname_reference" Warning off names::relative_classname_reference
        "names in references to classes have no :: in front" fix relative_name
        of "absolute_classname-check";
    "parameter_documentation" Warning off parameters::parameter_documentation
        "comments document all parameters, once, and no others"
        of "param-docs";
    "strict_indent" Warning off indent::strict_indent
        "lines are indented by the brackets that are open" fix indent
        of "strict_indent-check";
    "resource_reference_chain_without_whitespace" Error off names::resource_reference_chain_without_whitespace
        "no white space stands before the brackets of the language's types"
        of "resource_reference_syntax";
    "resource_reference_with_unquoted_title" Error off names::resource_reference_with_unquoted_title
        "titles in references are quoted" fix quote
        of "resource_reference_syntax";
    "resource_reference_without_title_capital" Error off names::resource_reference_without_title_capital
        "titles in references are no names of types"
        of "resource_reference_syntax";
    "resource_reference_without_whitespace" Error off names::resource_reference_without_whitespace
        "no white space stands before the title of a reference"
        of "resource_reference_syntax";
    "topscope_variable" Warning off names::topscope_variable
        "names of variables with a namespace have no :: in front" fix relative_name
        of "topscope-variable-check";
    "anchor_resource" Warning off attributes::anchor_resource
        "classes are contained, not anchored"
        of "anchor-check";
    "lookup_in_parameter" Warning off parameters::lookup_in_parameter
        "default values of parameters look nothing up"
        of "lookup_in_parameter-check";
    "params_empty_string_assignment" Warning off parameters::params_empty_string_assignment
        "parameters of texts have no empty text as default value"
        of "params_empty_string-check";
    "params_not_optional_with_undef" Warning off parameters::params_not_optional_with_undef
        "parameters with undef as default value are Optional"
        of "params_not_optional_with_undef-check";
    "optional_default" Warning off parameters::optional_default
        "Optional parameters have undef as default value"
        of "optional_default-check";
    "parameter_types" Warning off parameters::parameter_types
        "parameters have types"
        of "param-types";
    "exec_idempotency" Warning off attributes::exec_idempotency
        "commands of exec do not run each time"
        of "exec_idempotency-check";
    "package_ensure" Warning off attributes::package_ensure
        "packages are not kept at the latest version" fix value
        of "package_ensure-check";
    "manifest_whitespace_arrows_single_space_after" Error off spaces::arrows_single_space_after
        "one space stands behind arrows" fix space_after_arrow
        of "manifest_whitespace-check";
    "manifest_whitespace_inherits_name_single_space_before" Error off spaces::inherits_name_single_space_before
        "one space stands behind inherits" fix single_space
        of "manifest_whitespace-check";
    "manifest_whitespace_class_name_single_space_before" Error off spaces::class_name_single_space_before
        "one space stands before the name of a class or defined type" fix single_space
        of "manifest_whitespace-check";
    "manifest_whitespace_class_name_single_space_after" Error off spaces::class_name_single_space_after
        "one space stands behind the name of a class or defined type" fix space_after_name
        of "manifest_whitespace-check";
    "manifest_whitespace_closing_brace_before" Error off spaces::closing_brace_before
        "a space or a new line stands before closing braces" fix before_closing_brace
        of "manifest_whitespace-check";
    "manifest_whitespace_closing_brace_after" Error off spaces::closing_brace_after
        "no space stands between closing braces and the signs behind them" fix after_closing
        of "manifest_whitespace-check";
    "manifest_whitespace_closing_bracket_before" Error off spaces::closing_bracket_before
        "no space stands before closing brackets" fix before_closing_bracket
        of "manifest_whitespace-check";
    "manifest_whitespace_closing_bracket_after" Error off spaces::closing_bracket_after
        "no space stands between closing brackets and the signs behind them" fix after_closing
        of "manifest_whitespace-check";
    "manifest_whitespace_two_empty_lines" Error off spaces::two_empty_lines
        "no more than one line in a row is empty" fix delete
        of "manifest_whitespace-check";
    "manifest_whitespace_newline_beginning_of_file" Error off spaces::newline_beginning_of_file
        "manifests begin with no empty line" fix delete
        of "manifest_whitespace-check";
    "manifest_whitespace_missing_newline_end_of_file" Error off spaces::missing_newline_end_of_file
        "the last line of a manifest ends" fix newline_after
        of "manifest_whitespace-check";
    "manifest_whitespace_double_newline_end_of_file" Error off spaces::double_newline_end_of_file
        "manifests end with no empty line" fix delete
        of "manifest_whitespace-check";
    "manifest_whitespace_opening_brace_before" Error off spaces::opening_brace_before
        "one space stands before opening braces" fix before_opening_brace
        of "manifest_whitespace-check";
    "manifest_whitespace_opening_brace_after" Error off spaces::opening_brace_after
        "a space or a new line stands behind opening braces" fix after_opening_brace
        of "manifest_whitespace-check";
    "manifest_whitespace_opening_bracket_before" Error off spaces::opening_bracket_before
        "one space stands before opening brackets" fix before_opening_bracket
        of "manifest_whitespace-check";
    "manifest_whitespace_opening_bracket_after" Error off spaces::opening_bracket_after
        "no space stands behind opening brackets" fix after_opening_bracket
        of "manifest_whitespace-check";
    "empty_string_assignment" Warning off values::empty_string_assignment
        "no variable is set to an empty text" fix undef
        of "empty_string-check";
    "spaceship_operator_without_tag" Warning off attributes::spaceship_operator_without_tag
        "collectors ask for something"
        of "spaceship_operator_without_tag-check";
    "undef_in_function" Warning off values::undef_in_function
        "no call has undef among its arguments"
        of "undef_in_function-check";
}
