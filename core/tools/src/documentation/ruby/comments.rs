//! Assigns comments to the statements of a Ruby program.
//!
//! Follows YARD's `parser/ruby/ruby_parser.rb`: adjacent lines of comments form one comment; it belongs to
//! the first node that begins on one of the two lines below it, or on its own last line.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

use lib_ruby_parser::traverse::visitor::{self, Visitor};
use lib_ruby_parser::{Node as Ast, nodes};
use regex::Regex;

use crate::documentation::tag::pattern;

/// The comments of a program by the places of the nodes that they belong to.
pub(super) struct Comments {
    begins: Vec<usize>,
    of: HashMap<usize, String>,
}

static SHEBANG: LazyLock<Regex> = LazyLock::new(|| pattern(r"\A\s*#!\S+"));
static ENCODING: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\A(?:\s*#*!.*\r?\n)?\s*#+.*coding\s*[:=]{1,2}\s*([a-z\d_\-]+)"));
static FROZEN: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)frozen(-|_)string(-|_)literal: true"));

impl Comments {
    /// Finds out what belongs together.
    pub fn attach(text: &str, tree: &Ast, comments: &[Range<usize>]) -> Self {
        let begins = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let mut own = Self { begins, of: HashMap::new() };
        let mut by_line = own.joined(text, tree.expression().begin, comments);
        let mut places = Places::default();
        places.visit(tree);
        for place in places.begins {
            let line = own.line(place);
            let near = [line.wrapping_sub(1), line.wrapping_sub(2), line];
            let found = near.iter().find(|line| by_line.get(line).is_some_and(|text| !text.is_empty()));
            if let Some(comment) = found.and_then(|found| by_line.remove(found)) {
                own.of.insert(place, comment);
            }
            by_line = by_line.split_off(&line);
        }
        own
    }

    /// Comments by their last lines.
    fn joined(&self, text: &str, first_code: usize, comments: &[Range<usize>]) -> BTreeMap<usize, String> {
        let mut by_line: BTreeMap<usize, String> = BTreeMap::new();
        let (mut last_column, mut is_head, mut has_encoding, mut is_apart) = (None, true, false, false);
        for range in comments {
            let Some(comment) = text.get(range.clone()) else { continue };
            let line = self.line(range.start);
            if comment.starts_with("=begin") {
                let body = comment.split_once('\n').map_or("", |(_, body)| body);
                let body = body.rfind("=end").and_then(|end| body.get(..end)).unwrap_or(body);
                by_line.insert(line + comment.trim_end_matches('\n').matches('\n').count(), body.to_owned());
                (last_column, is_head) = (None, false);
                continue;
            }
            // Magic comments at the head of a file do not count.
            if is_head && range.start < first_code {
                let is_encoding = ENCODING.is_match(comment);
                if (SHEBANG.is_match(comment) && !has_encoding) || is_encoding || FROZEN.is_match(comment) {
                    has_encoding |= is_encoding;
                    continue;
                }
            }
            is_head = false;
            let begin = self.begins.get(line - 1).copied().unwrap_or_default();
            let column = range.start - begin;
            let is_alone = text
                .get(begin..range.start)
                .is_some_and(|before| before.trim_matches([' ', '\t']).is_empty());
            let body = comment.trim_start_matches('#');
            let body = body.strip_prefix([' ', '\t']).unwrap_or(body).trim_end_matches(['\n', '\r']);
            if !by_line.contains_key(&(line - 1)) {
                // Ripper reports such comments before the end of the preceding line, so that YARD does not
                // see that the following ones also begin a line.
                is_apart = column == 0 && line > 1 && ends_a_statement(self.text_of_line(text, line - 1));
            }
            let joins = is_alone && last_column == Some(column) && !is_apart;
            let above = if joins { by_line.remove(&(line - 1)) } else { None };
            let joined = above.map_or_else(|| body.to_owned(), |above| format!("{above}\n{body}"));
            by_line.insert(line, joined);
            last_column = Some(column);
        }
        by_line
    }

    fn text_of_line<'t>(&self, text: &'t str, line: usize) -> &'t str {
        let begin = self.begins.get(line - 1).copied().unwrap_or_default();
        text.get(begin..).and_then(|rest| rest.lines().next()).unwrap_or_default()
    }

    /// The line of a place, from 1.
    pub fn line(&self, place: usize) -> usize {
        self.begins.partition_point(|begin| *begin <= place)
    }

    /// The comment of a node.
    pub fn of(&self, node: &Ast) -> Option<&str> {
        self.of.get(&node.expression().begin).map(String::as_str)
    }
}

/// Whether a statement may end with a line of code.
fn ends_a_statement(line: &str) -> bool {
    let line = line.trim_end();
    let word =
        line.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or_default();
    let goes_on =
        ["do", "then", "else", "begin", "ensure", "and", "or", "not", "unless", "if"].contains(&word);
    let last = line.chars().next_back();
    last.is_some_and(|last| last.is_alphanumeric() || "'\"_)]}?!`".contains(last)) && !goes_on
}

/// The beginnings of nodes, outer ones first.
#[derive(Default)]
struct Places {
    begins: Vec<usize>,
}

macro_rules! noted {
    ($($on:ident $node:ident $visit:ident),* $(,)?) => {
        $(fn $on(&mut self, node: &nodes::$node) {
            if self.begins.last() != Some(&node.expression_l.begin) {
                self.begins.push(node.expression_l.begin);
            }
            visitor::$visit(self, node);
        })*
    };
}

impl Visitor for Places {
    noted! {
        on_send Send visit_send,
        on_block Block visit_block,
        on_def Def visit_def,
        on_defs Defs visit_defs,
        on_ivasgn Ivasgn visit_ivasgn,
        on_lvasgn Lvasgn visit_lvasgn,
        on_casgn Casgn visit_casgn,
        on_masgn Masgn visit_masgn,
        on_op_asgn OpAsgn visit_op_asgn,
        on_or_asgn OrAsgn visit_or_asgn,
        on_class Class visit_class,
        on_module Module visit_module,
        on_s_class SClass visit_s_class,
        on_if If visit_if,
        on_case Case visit_case,
        on_return Return visit_return,
        on_kw_begin KwBegin visit_kw_begin,
        on_pair Pair visit_pair,
        on_const Const visit_const,
        on_str Str visit_str,
        on_sym Sym visit_sym,
        on_lvar Lvar visit_lvar,
        on_super Super visit_super,
        on_z_super ZSuper visit_z_super,
        on_yield Yield visit_yield,
    }
}
