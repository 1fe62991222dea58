//! Queries of syntax trees: patterns of nodes, modelled on tree-sitter's query language.
//!
//! ```text
//! (ResourceExpression type_name: "file" bodies: (ResourceBody title: (_) @title)) @resource
//! ```
//!
//! * `(Kind …)` matches a node of a kind of the table of nodes. `(_)` and `_` match any node. `"text"`
//!   matches a node with this text: a name, a reference to a type (in any case), a literal, a variable's
//!   name. `[…]` matches one of several patterns.
//! * `field: …` matches the content of a field: a node, one of a list of nodes, or a text, number, `true`,
//!   `false`. `!field` matches if the field is empty. Patterns without a name match direct children, in their
//!   order; `.` between them requires that they are adjacent.
//! * `*`, `+` and `?` after a pattern match all nodes, at least one, or none. Without them each node is a
//!   separate match.
//! * `@name` captures a node. `(#eq? @a "text")`, `(#eq? @a @b)`, `(#match? @a "regex")`, `(#any-of? @a "x"
//!   "y")` and their `#not-` forms compare the text of captured nodes, or their source text if they have no
//!   text.
//! * `;` begins a comment. The patterns of a query are matched independently.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::get_unwrap, clippy::panic, clippy::unreachable, clippy::unwrap_used)
)]

mod find;
mod read;

use bunraku_syntax::ast::{FieldValue, Kind, Node, NodeId, Program};
use regex::Regex;

pub use find::{Capture, Match};

/// A parsed query. Immutable: any number of threads can use it.
#[derive(Clone, Debug)]
pub struct Query {
    patterns: Vec<Pattern>,
    captures: Vec<String>,
}

/// An error in a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}, at byte {offset} of the query")]
pub struct QueryError {
    /// The message.
    pub message: String,
    /// The offset in bytes.
    pub offset: usize,
}

/// A top-level pattern with its predicates.
#[derive(Clone, Debug)]
struct Pattern {
    root: Item,
    predicates: Vec<Predicate>,
}

/// A pattern with its repetition and its captures.
#[derive(Clone, Debug)]
struct Item {
    what: What,
    repeat: Repeat,
    /// Indices of captures.
    captures: Vec<usize>,
    /// Whether it must directly follow the previous one.
    adjacent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repeat {
    Once,
    Optional,
    Any,
    Some,
}

#[derive(Clone, Debug)]
enum What {
    /// Any node.
    Any,
    /// A node with this text, or a field with this value.
    Text(String),
    Number(f64),
    Boolean(bool),
    /// One of several.
    OneOf(Vec<Item>),
    Node(NodePattern),
}

#[derive(Clone, Debug)]
struct NodePattern {
    /// `None` for any kind.
    kind: Option<Kind>,
    fields: Vec<(String, Item)>,
    absent: Vec<String>,
    children: Vec<Item>,
    /// Whether nothing can follow the last child.
    closed: bool,
}

/// A condition on the text of captured nodes.
#[derive(Clone, Debug)]
struct Predicate {
    capture: usize,
    negated: bool,
    test: Test,
}

#[derive(Clone, Debug)]
enum Test {
    Capture(usize),
    OneOf(Vec<String>),
    Matches(Regex),
}

impl Query {
    /// Parses a query.
    ///
    /// # Errors
    /// The query is invalid, or names unknown kinds, fields or captures.
    ///
    /// ```
    /// let query = bunraku_query::Query::new("(HostClassDefinition name: \"a\") @class")?;
    /// assert_eq!(query.captures(), ["class"]);
    /// # Ok::<(), bunraku_query::QueryError>(())
    /// ```
    pub fn new(text: &str) -> Result<Self, QueryError> {
        read::query(text)
    }

    /// The names of the captures, by index.
    pub fn captures(&self) -> &[String] {
        &self.captures
    }
}

/// The text of a node: its name, or the text or number of a literal. `None` for other nodes.
pub fn said(program: &Program, id: NodeId) -> Option<String> {
    match *program.node(id) {
        Node::VariableExpression { expr } | Node::TextExpression { expr } => said(program, expr),
        Node::LiteralUndef {} => Some("undef".to_owned()),
        Node::LiteralDefault {} => Some("default".to_owned()),
        Node::LiteralBoolean { value } => Some(value.to_string()),
        Node::LiteralFloat { .. } => Some(program.source_text(id).to_owned()),
        Node::LiteralInteger { value, .. } => {
            Some(program.big_integer(id).map_or_else(|| value.to_string(), str::to_owned))
        }
        Node::LiteralString { value: text }
        | Node::QualifiedName { value: text }
        | Node::QualifiedReference { cased_value: text }
        | Node::LiteralRegularExpression { pattern: text }
        | Node::RenderStringExpression { value: text }
        | Node::ReservedWord { word: text, .. } => Some(program.text(text).to_owned()),
        _ => None,
    }
}

/// Whether a node has a text; case is ignored for references to types.
fn says(program: &Program, id: NodeId, wanted: &str) -> bool {
    match *program.node(id) {
        Node::QualifiedReference { cased_value } => program.text(cased_value).eq_ignore_ascii_case(wanted),
        Node::QualifiedName { value } | Node::LiteralString { value } => program.text(value) == wanted,
        _ => said(program, id).is_some_and(|said| said == wanted),
    }
}

/// A field of a node by its name.
fn field(program: &Program, id: NodeId, name: &str) -> FieldValue {
    let mut found = FieldValue::Absent;
    program.node(id).fields(|field| {
        if field.name == name {
            found = field.value;
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bunraku_syntax::source::Source;
    use bunraku_syntax::watch::Watch;
    use bunraku_syntax::{ParseOptions, parse};

    use super::*;

    const TEXT: &str = "class a($x = 1, String $y = 'z') inherits b {\n\
        file { ['/a', \"/b/${x}\"]: ensure => file, mode => '0644' }\n\
        File { '/c': ensure => absent }\n\
        include c, d\n\
        if $x { notice($y, 5, true) }\n}\n";

    fn program(text: &str) -> Program {
        parse(Arc::new(Source::new(None, text)), &ParseOptions::default()).expect("the text parses")
    }

    /// The captures of each match, as text.
    fn captured(text: &str, query: &str) -> Vec<Vec<String>> {
        let (program, query) = (program(text), Query::new(query).expect(query));
        let told =
            |one: &Capture| format!("{}={}", query.captures()[one.name], program.extent_text(one.node));
        query.matches(&program).iter().map(|one| one.captures.iter().map(told).collect()).collect()
    }

    #[test]
    fn fields_hold_for_nodes_lists_and_values() {
        let resources =
            captured(TEXT, "(ResourceExpression type_name: \"file\" bodies: (ResourceBody title: _ @t))");
        assert_eq!(resources, [["t=['/a', \"/b/${x}\"]"], ["t='/c'"]]);
        assert_eq!(captured(TEXT, "(HostClassDefinition name: \"a\" parent_class: \"b\") @c").len(), 1);
        assert_eq!(captured(TEXT, "(Parameter type_expr: _ value: \"z\") @p"), [["p=String $y = 'z'"]]);
        assert_eq!(captured(TEXT, "(Parameter !type_expr) @p"), [["p=$x = 1"]]);
        assert_eq!(captured(TEXT, "(LiteralInteger value: 5) @n"), [["n=5"]]);
        assert_eq!(
            captured(TEXT, "(AttributeOperation operator: \"=>\" attribute_name: \"mode\" value_expr: _ @v)"),
            [["v='0644'"]]
        );
        let calls = "(CallNamedFunctionExpression rval_required: false functor_expr: \"include\" arguments: _ @class)";
        assert_eq!(captured(TEXT, calls), [["class=c"], ["class=d"]]);
    }

    #[test]
    fn repeated_patterns_take_all() {
        let of = |arguments: &str| {
            captured(
                TEXT,
                &format!("(CallNamedFunctionExpression functor_expr: _ @f arguments: {arguments})"),
            )
        };
        assert_eq!(of("_* @a"), [vec!["f=include", "a=c", "a=d"], vec!["f=notice", "a=$y", "a=5", "a=true"]]);
        assert_eq!(of("(LiteralInteger)+ @a"), [["f=notice", "a=5"]]);
        assert_eq!(of("(LiteralInteger)? @a"), [vec!["f=include"], vec!["f=notice", "a=5"]]);
        assert_eq!(
            of("[(LiteralInteger) (LiteralBoolean)] @a"),
            [["f=notice", "a=5"], ["f=notice", "a=true"]]
        );
    }

    #[test]
    fn children_stand_in_their_order() {
        let list = "$l = [1, 2, 3]";
        assert_eq!(captured(list, "(LiteralList _ @a . _ @b)"), [["a=1", "b=2"], ["a=2", "b=3"]]);
        assert_eq!(captured(list, "(LiteralList _ @a _ @b)").len(), 3);
        assert_eq!(captured(list, "(LiteralList . _ @first)"), [["first=1"]]);
        assert_eq!(captured(list, "(LiteralList _ @last .)"), [["last=3"]]);
        assert_eq!(captured(list, "(LiteralList . _ @a _* @rest .)"), [["a=1", "rest=2", "rest=3"]]);
        assert_eq!(captured(list, "(LiteralList 2 @two)"), [["two=2"]]);
    }

    #[test]
    fn children_that_repeat_begin_where_one_matches() {
        let of = |children: &str| captured("$l = [a, 1, 2, b, 3]", &format!("(LiteralList {children})"));
        assert_eq!(of("(LiteralInteger)+ @n . _ @next"), [["n=1", "n=2", "next=b"]]);
        assert_eq!(of("(LiteralInteger)* @n . _ @next"), [["n=1", "n=2", "next=b"]]);
        assert_eq!(of("(LiteralInteger)? @n . _ @next"), [["n=1", "next=2"]]);
        assert_eq!(of("(QualifiedName)+ @n . _ @next"), [["n=a", "next=1"]]);
        assert_eq!(
            of("(QualifiedName) @q . (LiteralInteger)+ @n . _ @next"),
            [["q=a", "n=1", "n=2", "next=b"]]
        );
        // Behind an anchor, or where none matches, there are none.
        assert_eq!(of(". (LiteralInteger)* @n . _ @next"), [["next=a"]]);
        assert_eq!(of("(LiteralUndef)* @n . _ @next"), [["next=a"]]);
        assert_eq!(of("(LiteralUndef)? @n . _ @next"), [["next=a"]]);
        assert!(of(". (LiteralInteger)+ @n").is_empty());
        assert!(of("(LiteralUndef)+ @n").is_empty());
    }

    #[test]
    fn texts_and_booleans_stand_for_nodes_that_say_them() {
        let of = |argument: &str| {
            captured(
                "f(true, 'true', 2.5, default, undef, b, File)",
                &format!("(_ arguments: {argument} @a)"),
            )
        };
        assert_eq!(of("true"), [["a=true"], ["a='true'"]]);
        assert!(of("false").is_empty());
        assert_eq!(of("\"2.5\""), [["a=2.5"]]);
        assert_eq!(of("\"default\""), [["a=default"]]);
        assert_eq!(of("\"undef\""), [["a=undef"]]);
        assert_eq!(of("\"b\""), [["a=b"]]);
        assert_eq!(of("\"file\""), [["a=File"]]);
        assert!(of("\"B\"").is_empty());
    }

    #[test]
    fn predicates_look_at_what_nodes_say() {
        assert_eq!(captured(TEXT, "(VariableExpression) @v (#eq? @v \"y\")"), [["v=$y"]]);
        let calls = "(CallNamedFunctionExpression functor_expr: _ @f arguments: _* @a (#not-any-of? @f \"notice\" \"x\"))";
        assert_eq!(captured(TEXT, calls), [["f=include", "a=c", "a=d"]]);
        let names = "(QualifiedName) @n (#match? @n \"^[cd]$\") ; names of classes";
        assert_eq!(captured(TEXT, names), [["n=c"], ["n=d"]]);
        assert_eq!(
            captured(
                "$a == $a\n$a == $b",
                "(ComparisonExpression left_expr: _ @l right_expr: _ @r (#eq? @l @r))"
            )
            .len(),
            1
        );
    }

    #[test]
    fn what_is_no_query_is_told_with_its_place() {
        let wrong = |text: &str| Query::new(text).expect_err(text).to_string();
        assert_eq!(wrong("(Class)"), "there is no kind 'Class' of nodes, at byte 1 of the query");
        assert!(
            wrong("(LiteralList value: 1)")
                .starts_with("LiteralList has no field 'value', but: values, at byte 13")
        );
        assert_eq!(wrong("(_ nothing: 1)"), "no node has a field 'nothing', at byte 3 of the query");
        assert_eq!(
            wrong("(Nop) (#eq? @a \"b\")"),
            "nothing is captured as '@a' before, at byte 12 of the query"
        );
        assert_eq!(wrong("; nothing"), "a query has a pattern, at byte 9 of the query");
        assert_eq!(wrong("(Nop \"a"), "a text has no end, at byte 5 of the query");
        assert!(wrong("(Nop) @a (#match? @a \"(\")").contains("unclosed group"));
        assert!(wrong(&"(_ ".repeat(1000)).contains("nest too deep"));
        assert!(wrong(&format!("(_ {})", "_ ".repeat(1000))).contains("has too many parts"));
        let nested = |depth: usize| "(_ ".repeat(depth) + &")".repeat(depth);
        assert!(Query::new(&nested(32)).is_ok());
        assert!(wrong(&nested(40)).contains("nest too deep"));
        for text in
            ["(", "(Nop", "[", "[]", "@a", "(Nop)*", "(Nop) @", "(#eq? @a)", "é", "(Nop é)", "(Nop !)", "_ ."]
        {
            assert!(Query::new(text).is_err(), "{text}");
        }
    }

    #[test]
    fn many_ways_can_be_ended() {
        let list = program(&format!("[{}]", vec!["1"; 60].join(",")));
        let query = Query::new(&format!("(LiteralList {})", "_ @a ".repeat(12))).expect("it is a query");
        let asked = std::sync::atomic::AtomicU32::new(0);
        let check = || match asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
            0..3 => Ok(()),
            _ => Err(bunraku_syntax::diagnostic::Error::cancelled("enough")),
        };
        let ended = query.matches_below(&list, list.body(), &Watch::new(&check));
        assert_eq!(ended.expect_err("it would take for ever").message, "enough");
    }

    #[test]
    fn programs_are_asked_side_by_side() {
        let programs: Vec<Program> = (0..50).map(|n| program(&format!("$a = {n}"))).collect();
        let query = Query::new("(LiteralInteger value: 7) @n").expect("it is a query");
        let programs: Vec<&Program> = programs.iter().collect();
        let found = query.matches_of(&programs, 4, &bunraku_syntax::watch::Never).expect("nobody ends it");
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>().iter().sum::<usize>(), 1);
        assert_eq!(found[7].len(), 1);
    }
}
