//! The parts of Ruby that the interpreter does not support, as opposed to names that do not exist: the former
//! are rejected before a program runs, the latter are exceptions as in Ruby.

mod library;
mod tables;

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::class::{self, Class};
use super::prelude;
use library::LIBRARY;
use tables::{CLASS, CONSTANTS, FUNCTIONS, INSTANCE};

fn list_has(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|known| known == name)
}

/// Whether Ruby's own class has a method of this name for its instances.
pub(super) fn ruby_has(class: &Class, name: &str) -> bool {
    INSTANCE.iter().any(|(known, list)| *known == class.name && list_has(list, name))
}

/// Whether instances of a class of Ruby's library have a method of this name in Ruby.
pub(super) fn library_has(class: &str, name: &str) -> bool {
    LIBRARY.iter().any(|(known, list, _)| *known == class && list_has(list, name))
}

/// Whether a class or module of Ruby's library has a method of this name in Ruby.
pub(super) fn library_class_has(class: &str, name: &str) -> bool {
    LIBRARY.iter().any(|(known, _, list)| *known == class && list_has(list, name))
        || CLASS.iter().any(|(known, list)| *known == class && list_has(list, name))
}

/// Whether Ruby accepts another number of arguments for a method, or reports it differently.
pub(super) fn counts_otherwise(method: &'static str) -> bool {
    const OTHERWISE: &str = "\
        Float Integer base64digest capitalize chr clone count decode_www_form_component digest dirname display
        downcase each_entry each_line each_with_index encode encode_www_form_component fill find_index first
        hexdigest last match min reverse_each rindex round step sub sub! sum swapcase swapcase! tally to_set unescape upcase
        upcase! downcase! capitalize!";
    method.split(' ').any(|name| list_has(OTHERWISE, name))
}

/// Whether Ruby has a method of this name, and the interpreter for no class.
pub(super) fn is_unknown_method(name: &str) -> bool {
    !class::is_method_of_any(name) && METHODS_OF_RUBY.contains(name) && !prelude::adds(name)
}

/// The names of the methods that instances of Ruby's own classes have, but for errors.
static METHODS_OF_RUBY: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    let known = INSTANCE.iter().filter(|(of, _)| !of.ends_with("Error") && Class::named(of).is_some());
    known.flat_map(|(_, list)| list.split_whitespace()).collect()
});

/// Whether Ruby's class has a method of this name, and the interpreter's has not.
pub(super) fn is_unknown_class_method(class_name: &str, name: &str) -> bool {
    lacks_class_method(class_name, name)
        && !(prelude::part_of_constant(class_name).is_some() && prelude::adds(name))
}

/// The same for a class with the methods in Ruby that it has: none of them has this name.
pub(super) fn lacks_class_method(class_name: &str, name: &str) -> bool {
    let Some(of) = Class::named(class_name) else { return false };
    if of.class_method(name).is_some()
        || class::CLASS.method(name).is_some()
        || is_functions_of_module(of, name)
    {
        return false;
    }
    let rubys = CLASS.iter().find(|(known, _)| *known == class_name);
    rubys.map_or(name == "new", |(_, list)| list_has(list, name)) || ruby_has(&class::CLASS, name)
}

fn is_functions_of_module(class: &'static Class, name: &str) -> bool {
    class.name == "Kernel" && class::KERNEL.class_method(name).is_some()
}

/// Whether Ruby can call this without a receiver, and the interpreter cannot.
pub(super) fn is_unknown_function(name: &str) -> bool {
    let known = class::KERNEL.class_method(name).is_some()
        || class::HELPERS.class_method(name).is_some()
        || class::RANDOM_FUNCTIONS.class_method(name).is_some()
        || class::CLASS.method(name).is_some()
        || class::TEMPLATE.method(name).is_some()
        || matches!(name, "block_given?" | "binding" | "__method__" | "__dir__");
    !known && list_has(FUNCTIONS, name)
}

/// Whether a constant belongs to Ruby or Puppet, and the interpreter has it not.
pub(super) fn is_foreign_constant(name: &str) -> bool {
    if Class::named(name).is_some()
        || prelude::part_of_constant(name).is_some()
        || prelude::part_of_constant(name.split("::").next().unwrap_or(name)).is_some()
    {
        return false;
    }
    if matches!(name, "RUBY_VERSION" | "RUBY_ENGINE") {
        return false;
    }
    let root = name.split("::").next().unwrap_or(name);
    (list_has(CONSTANTS, root) && Class::named(root).is_none()) || name.starts_with("Puppet::")
}

/// A construct by the name of its node, as messages show it.
pub(super) fn construct(node: &str) -> String {
    match node {
        "class" => "class definition",
        "module" => "module definition",
        "sclass" => "singleton class",
        "defs" => "singleton method",
        "super" | "zsuper" => "super",
        "case_match" | "match_pattern" | "match_pattern_p" => "pattern matching",
        "cvar" | "cvasgn" => "class variable",
        "redo" => "redo",
        "rational" | "complex" => "rational or complex number",
        "iflipflop" | "eflipflop" => "flip-flop",
        "alias" => "alias",
        "undef" => "undef",
        "preexe" | "postexe" => "BEGIN or END block",
        "forward_args" | "forwarded_args" => "forwarded arguments",
        "kwnilarg" => "**nil parameter",
        "match_current_line" => "regular expression as condition",
        "__ENCODING__" => "__ENCODING__",
        other => other,
    }
    .to_owned()
}

/// The support of a class: its name, supported methods, and rejected methods.
pub(super) type Row = (&'static str, Vec<&'static str>, Vec<&'static str>);

/// The instance methods of each of Ruby's own classes and those of its library. An inherited method is listed
/// once.
pub(super) fn instance_methods() -> Vec<Row> {
    let own = INSTANCE.iter().filter_map(|(name, list)| {
        let class = Class::named(name).filter(|class| !class.is_a(&class::EXCEPTION))?;
        let inherited = |method: &str| class.parent.is_some_and(|parent| ruby_has(parent, method));
        let parts: Vec<usize> = std::iter::once(&class.name)
            .chain(class.ancestors().flat_map(|class| class.modules))
            .filter_map(|name| prelude::part_of_constant(name))
            .collect();
        let is_known = |method: &&str| {
            class.method(method).is_some() || parts.iter().any(|part| prelude::part_adds(*part, method))
        };
        let methods = list.split_whitespace().filter(|method| *name == "Object" || !inherited(method));
        let (known, refused): (Vec<&str>, Vec<&str>) = methods.partition(is_known);
        Some((*name, known, refused))
    });
    let library = LIBRARY.iter().filter(|(name, list, _)| !list.is_empty() && is_in_library(name));
    own.chain(library.map(|(name, list, _)| row(name, list, &["Comparable", "Enumerable"]))).collect()
}

/// The same of the methods of the classes and modules themselves.
pub(super) fn class_methods() -> Vec<Row> {
    let own = CLASS.iter().filter_map(|(name, list)| {
        let class = Class::named(name)?;
        let part = prelude::part_of_constant(name);
        let is_known = |method: &&str| {
            class.class_method(method).is_some()
                || class::CLASS.method(method).is_some()
                || is_functions_of_module(class, method)
                || part.is_some_and(|part| prelude::part_adds(part, method))
        };
        let (known, refused) = list.split_whitespace().partition(is_known);
        Some((*name, known, refused))
    });
    let is_told = |name: &str| CLASS.iter().any(|(told, _)| *told == name);
    let library =
        LIBRARY.iter().filter(|(name, _, list)| !list.is_empty() && is_in_library(name) && !is_told(name));
    own.chain(library.map(|(name, _, list)| row(name, list, &[]))).collect()
}

fn is_in_library(name: &str) -> bool {
    prelude::part_of_constant(name.split("::").next().unwrap_or(name)).is_some()
}

/// A class of the library, as far as its part in Ruby defines its methods, or those of modules do.
fn row(name: &'static str, list: &'static str, modules: &[&str]) -> Row {
    let first = name.split("::").next().unwrap_or(name);
    let parts: Vec<usize> =
        modules.iter().chain([&first]).filter_map(|name| prelude::part_of_constant(name)).collect();
    let is_known = |method: &&str| parts.iter().any(|part| prelude::part_adds(*part, method));
    let (known, refused) = list.split_whitespace().partition(is_known);
    (name, known, refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ruby_has_is_told_from_what_nobody_has() {
        assert!(
            is_unknown_method("unicode_normalize!")
                && !is_unknown_method("gsub")
                && !is_unknown_method("nobody")
        );
        assert!(
            is_unknown_function("spawn") && !is_unknown_function("raise") && !is_unknown_function("nobody")
        );
        assert!(is_unknown_class_method("File", "delete") && !is_unknown_class_method("File", "join"));
        assert!(
            is_foreign_constant("Socket") && !is_foreign_constant("JSON") && !is_foreign_constant("Nobody")
        );
    }
}
