//! Parts of Ruby's library that are written in Ruby, which is shorter for them: each is loaded when a program
//! names one of its constants, or calls one of its methods that is not built in.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::lower::{self, Role};
use super::tree::{Kind, Node, Program};
use super::tree_of;

/// A part of the library.
struct Part {
    /// The constants that it defines.
    constants: &'static [&'static str],
    text: &'static str,
    /// A constant, built on first use.
    program: LazyLock<Program>,
}

macro_rules! parts {
    ($($file:literal: [$($constant:literal),+];)*) => {
        [$(Part {
            constants: &[$($constant),+],
            text: include_str!(concat!("prelude/", $file)),
            program: LazyLock::new(|| parsed($file, include_str!(concat!("prelude/", $file)))),
        }),*]
    };
}

static PARTS: [Part; 43] = parts! {
    "comparable.rb": ["Comparable"];
    "enumerable.rb": ["Enumerable"];
    "date.rb": ["Date", "DateTime"];
    "deep_merge.rb": ["DeepMerge"];
    "deep_merge_hash.rb": ["Hash of deep_merge"];
    "digest.rb": ["Digest", "OpenSSL"];
    "enumerator.rb": ["Enumerator"];
    "erb.rb": ["ERB"];
    "etc.rb": ["Etc", "Process", "Find", "IO"];
    "file.rb": ["File", "FileTest", "Shellwords", "String", "Array"];
    "fileutils.rb": ["FileUtils"];
    "forwardable.rb": ["Forwardable", "SingleForwardable"];
    "gem.rb": ["Gem"];
    "ipaddr.rb": ["IPAddr"];
    "logger.rb": ["Logger"];
    "marshal.rb": ["Marshal"];
    "open3.rb": ["Open3", "Process::Status"];
    "ostruct.rb": ["OpenStruct"];
    "pathname.rb": ["Pathname"];
    "random.rb": ["Random"];
    "rational.rb": ["Rational", "Integer", "Float", "NilClass"];
    "resolv.rb": ["Resolv"];
    "semantic.rb": ["SemanticPuppet"];
    "set.rb": ["Set"];
    "singleton.rb": ["Singleton"];
    "stringio.rb": ["StringIO"];
    "puppet_execution.rb": ["Puppet::Util::Execution", "Puppet::ExecutionFailure"];
    "puppet_file_system.rb": ["Puppet::FileSystem"];
    "puppet_files.rb": ["Puppet::Module", "Puppet::Parser::Files"];
    "puppet_functions.rb": ["Puppet::Parser::Functions::Autoloader"];
    "puppet_parser.rb": ["Puppet::Parser"];
    "puppet_pops.rb": [
        "Puppet::Pops", "Puppet::Pops::Types", "Puppet::Pops::Types::Iterable", "Puppet::Pops::Types::PSensitiveType",
        "Puppet::Pops::Evaluator", "Puppet::Pops::Evaluator::Runtime3ResourceSupport", "Puppet::Pops::Lookup",
        "Puppet::Pops::Lookup::HieraConfig", "Puppet::Pops::Types::TypeCalculator", "Puppet::Pops::Types::TypeParser",
        "Puppet::Pops::Types::TypeMismatchDescriber"
    ];
    "puppet_provider.rb": ["Puppet::Provider"];
    "puppet_resource.rb": [
        "Puppet::Resource", "Puppet::Resource::Type", "Puppet::Parser::Resource", "Puppet::Parser::Resource::Param"
    ];
    "puppet_settings.rb": ["Puppet::Settings", "Puppet::Settings::EnvironmentConf"];
    "puppet_util.rb": [
        "Puppet::Util", "Puppet::Util::Package", "Puppet::Util::Yaml", "Puppet::Util::Json", "Puppet::Util::Errors"
    ];
    "resource_types.rb": ["Puppet::Type of a file"];
    "resource_type_documentation.rb": ["Documentation of Puppet::Type"];
    "struct.rb": ["Struct"];
    "symbolic_file_mode.rb": ["Puppet::Util::SymbolicFileMode"];
    "system.rb": ["Dir", "Timeout", "Zlib", "ENV"];
    "time.rb": ["Time"];
    "uri.rb": ["URI"];
};

fn parsed(file: &str, text: &str) -> Program {
    let tree = tree_of(file, text).ok().flatten();
    lower::lower(file, text, tree.as_deref(), Role::Prelude).0
}

/// The names of the methods that a text defines.
fn defined(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().flat_map(|line| {
        let line = line.trim_start();
        let (list, separator) = if let Some(rest) = line.strip_prefix("def ") {
            let rest = rest.strip_prefix("self.").unwrap_or(rest);
            (rest.split(['(', ' ', ';']).next().unwrap_or(rest), '\n')
        } else if let Some(rest) = line.strip_prefix("alias ") {
            (rest.split(' ').next().unwrap_or(rest), '\n')
        } else if let Some((_, rest)) = line.strip_prefix("attr_").and_then(|rest| rest.split_once(':')) {
            (rest, ':')
        } else {
            ("", '\n')
        };
        list.split(separator).map(|name| name.trim_end_matches([',', ' '])).filter(|name| !name.is_empty())
    })
}

static METHODS: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| PARTS.iter().flat_map(|part| defined(part.text)).collect());

/// Whether a part defines a method of this name.
pub(super) fn part_adds(part: usize, name: &str) -> bool {
    PARTS.get(part).is_some_and(|part| defined(part.text).any(|own| own == name))
}

static CONSTANTS: LazyLock<FxHashMap<&'static str, usize>> = LazyLock::new(|| {
    let constants = PARTS.iter().enumerate().rev();
    constants.flat_map(|(number, part)| part.constants.iter().map(move |name| (*name, number))).collect()
});

/// The part that has a constant; one of Puppet's by its whole name.
pub(super) fn part_of_constant(name: &str) -> Option<usize> {
    CONSTANTS.get(name).copied()
}

/// The part that is available once a library with this name is required.
pub(super) fn part_of_library(name: &str) -> Option<usize> {
    match name {
        "deep_merge" | "deep_merge/deep_merge_hash" => part_of_constant("Hash of deep_merge"),
        "deep_merge/core" => part_of_constant("DeepMerge"),
        _ => None,
    }
}

/// Whether a part defines a method of this name.
pub(super) fn adds(name: &str) -> bool {
    METHODS.contains(name)
}

/// The program of a part.
pub(super) fn program(part: usize) -> &'static Program {
    static NOTHING: LazyLock<Program> = LazyLock::new(|| Program {
        file: "".into(),
        body: Node { line: 0, kind: Kind::Nil },
        locals: Vec::new(),
        unknown: Vec::new(),
    });
    PARTS.get(part).map_or(&NOTHING, |part| &part.program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_are_known() {
        for Part { constants, text, .. } in &PARTS {
            let tree =
                tree_of("prelude", text).unwrap_or_else(|refused| panic!("{constants:?}: {refused:?}"));
            let (_, unsupported) = lower::lower("prelude", text, tree.as_deref(), Role::Prelude);
            assert!(unsupported.is_empty(), "{constants:?}: {unsupported:?}");
        }
    }
}
