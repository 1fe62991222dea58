//! The table of checks, in the order in which puppet-lint runs them.

use crate::fix::{self, Fix};
use crate::manifest::{Manifest, Stop};
use crate::problem::Found;
use crate::{Severity, classes, comments, facts, resources, strings, variables, whitespace};

/// What a check does.
type Run = for<'m> fn(&'m Manifest<'m>, &mut Found<'m>) -> Result<(), Stop>;

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

/// Declares the checks: name, severity, whether it is on, function, what it looks for, and how it is mended.
macro_rules! checks {
    ($( $name:literal $severity:ident $on:ident $family:ident::$run:ident $about:literal $(fix $fix:ident)? ; )*) => {
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
        } ),* ];
    };
    (@on on) => { true };
    (@on off) => { false };
    (@fix $fix:ident) => { Some(fix::$fix) };
    (@fix) => { None };
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
        "no white space stands at the end of lines" fix trailing_whitespace;
    "legacy_facts" Warning on facts::legacy_facts
        "facts have their names of today" fix legacy_fact;
    "top_scope_facts" Warning on facts::top_scope_facts
        "facts are taken from $facts" fix top_scope_fact;
}
