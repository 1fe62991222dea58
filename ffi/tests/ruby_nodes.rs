//! The part of the Ruby binding that follows the table of nodes: which kinds there are, and how their fields
//! are read from the binary form (`core/docs/binary.md`).
//!
//! `make ruby-nodes` writes it anew (the test itself does, when `BUNRAKU_WRITE_RUBY_NODES` is set); otherwise
//! the committed file is compared with it.

use std::fmt::Write as _;
use std::path::Path;

use bunraku_core::syntax::ast::{Kind, nodes::OPERATORS};
use bunraku_core::syntax::binary::VERSION;

const FILE: &str = "../ruby-ext/lib/bunraku/ffi/nodes.rb";

/// The expression in Ruby that reads a field.
fn reader(field_type: &str) -> String {
    let plain: String = field_type.chars().filter(|character| !character.is_whitespace()).collect();
    if let Some(inner) = plain.strip_prefix("Option<").and_then(|rest| rest.strip_suffix('>')) {
        return format!("(boolean ? {} : nil)", reader(inner));
    }
    match plain.as_str() {
        "NodeId" => "node".to_owned(),
        "List" => "nodes".to_owned(),
        "Text" => "pooled_text".to_owned(),
        "bool" => "boolean".to_owned(),
        "Radix" => "byte".to_owned(),
        "i64" => "integer".to_owned(),
        "f64" => "float".to_owned(),
        operator => {
            let known = OPERATORS.iter().any(|(name, _)| *name == operator);
            assert!(known, "nobody knows how a {operator} is read");
            format!("operator({})", constant(operator))
        }
    }
}

/// `AssignmentOperator` as `ASSIGNMENT_OPERATOR`.
fn constant(name: &str) -> String {
    let mut text = String::new();
    for (at, character) in name.chars().enumerate() {
        if at > 0 && character.is_uppercase() {
            text.push('_');
        }
        text.extend(character.to_uppercase());
    }
    text
}

fn words(words: &[&str]) -> String {
    format!("%w[{}].freeze", words.join(" "))
}

fn generate() -> String {
    let mut text = String::from(
        "# frozen_string_literal: true\n\n\
         # Generated from the table of nodes (core/syntax/src/ast/nodes.rs) by `make ruby-nodes`; \
         do not edit.\n\
         module Bunraku\n\
         \x20 class BinaryProgram\n\
         \x20   # The part of the binary form after the table of nodes.\n\
         \x20   #\n\
         \x20   # @api private\n\
         \x20   module Nodes\n",
    );
    let mut line = |line: String| writeln!(text, "{line}").expect("a String takes all");
    line("      # The version of the form.".to_owned());
    line(format!("      VERSION = {VERSION}\n"));
    for (name, texts) in OPERATORS {
        line(format!("      {} = {}", constant(name), words(texts)));
    }
    line("\n      # The kinds of nodes, in order, and the names of their fields.".to_owned());
    line("      KINDS = {".to_owned());
    for (at, kind) in Kind::ALL.iter().enumerate() {
        let comma = if at + 1 < Kind::ALL.len() { "," } else { "" };
        line(format!("        '{}' => {}{comma}", kind.name(), words(kind.field_names())));
    }
    line("      }.freeze\n\n      private\n".to_owned());
    line("      # The fields of a node of a kind, by the kind's number.".to_owned());
    line("      def fields(kind)\n        case kind".to_owned());
    for (number, kind) in Kind::ALL.iter().enumerate() {
        let readers: Vec<String> = kind.field_types().iter().map(|field| reader(field)).collect();
        line(format!("        when {number} then [{}] # {}", readers.join(", "), kind.name()));
    }
    line("        else damaged\n        end\n      end\n    end\n  end\nend".to_owned());
    text
}

#[test]
fn the_ruby_nodes_are_those_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let generated = generate();
    if std::env::var_os("BUNRAKU_WRITE_RUBY_NODES").is_some() {
        std::fs::write(&path, &generated).expect("the file can be written");
        return;
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == generated, "{FILE} is not up to date: run `make ruby-nodes`");
}
