//! The validator: finds errors in programs that parse.
//!
//! Every node is checked in isolation, parents before children, in source order; the diagnostics have the
//! order of the checks. A check can inspect the ancestors of its node and its children, but only reports the
//! role of a child: the child's own content has its own check. Follows the reference's
//! `pops/validation/checker4_0.rb`, `tasks_checker.rb` and `validator_factory_4_0.rb`.

mod checks;
mod definitions;
pub mod external;
pub mod json;
mod literal;
mod place;
mod repeated;
mod roles;
mod tasks;

use std::cell::Cell;

use super::ast::{Kind, Node, NodeId, Program};
use crate::diagnostic::{Diagnostic, Error, Issue, LogEntry, Report, Severity, Strictness};
use crate::source::Location;
use crate::stack::Stacks;
use crate::watch::{NODES_BETWEEN_LOOKS, Watch};
use place::FileContents;

/// The input of the validator besides the program.
#[derive(Clone, Copy, Debug, Default)]
pub struct ValidateOptions<'a> {
    /// The setting `strict`: the severity of repeated keys of a hash.
    pub strict: Strictness,
    /// The setting `tasks`: plans instead of catalogs.
    pub tasks: bool,
    /// The environment's `manifest`: a file or directory whose files can contain anything.
    pub manifest: Option<&'a str>,
    /// The environment's whole module path: the path of a file in it determines its definitions.
    pub modulepath: &'a [String],
    /// The number of enclosing Puppet texts (heredocs in heredocs).
    pub nesting: u8,
    /// Where validation continues if the program is deeply nested.
    pub stacks: Stacks,
}

/// Checks a program. Returns all diagnostics in the order of the reference; the program is invalid if they
/// contain an [error](Severity::Error).
pub fn validate(program: &Program, options: &ValidateOptions<'_>) -> Vec<Diagnostic> {
    validate_and_log(program, options, &mut Vec::new())
}

/// As [`validate`]. A Puppet text in a heredoc (`@(END:pp)`) is parsed and checked like a separate file, and
/// its log (warnings, and errors if there are several) is added to `logs`.
pub fn validate_and_log(
    program: &Program,
    options: &ValidateOptions<'_>,
    logs: &mut Vec<LogEntry>,
) -> Vec<Diagnostic> {
    judge(program, options, logs, &Watch::default())
}

/// As [`validate_and_log`]; the watch can cancel it.
///
/// # Errors
/// The reason for the cancellation, with the place that was reached.
pub fn validate_watched(
    program: &Program,
    options: &ValidateOptions<'_>,
    logs: &mut Vec<LogEntry>,
    watch: &Watch<'_>,
) -> Result<Vec<Diagnostic>, Error> {
    let diagnostics = judge(program, options, logs, watch);
    watch.result().map(|()| diagnostics)
}

fn judge(
    program: &Program,
    options: &ValidateOptions<'_>,
    logs: &mut Vec<LogEntry>,
    watch: &Watch<'_>,
) -> Vec<Diagnostic> {
    if program.depth <= SHALLOW {
        return check(program, options, logs, watch);
    }
    // Literals are evaluated recursively.
    options.stacks.run(STACK, || check(program, options, logs, watch)).unwrap_or_else(|_| {
        let report = Report { issue: Issue::NONE, message: "there is no stack to validate on".to_owned() };
        vec![report.nowhere()]
    })
}

/// The maximum nesting of programs that are checked on the caller's stack.
const SHALLOW: u32 = 16;

/// The size of the stack for others, in bytes (reserved, not used up front).
const STACK: usize = 128 << 20;

fn check(
    program: &Program,
    options: &ValidateOptions<'_>,
    logs: &mut Vec<LogEntry>,
    watch: &Watch<'_>,
) -> Vec<Diagnostic> {
    let mut checker = Checker::new(program, options, watch);
    if checker.is_fine_at_a_glance() {
        debug_assert!(
            Checker::new(program, options, watch).judge(logs).is_empty(),
            "a glance misses nothing"
        );
        return Vec::new();
    }
    Checker::new(program, options, watch).judge(logs)
}

/// The container of a node.
#[derive(Clone, Copy)]
enum Container {
    /// Nothing: outside of the program.
    Nothing,
    /// The program itself.
    Program,
    /// A node.
    Node(NodeId),
}

/// One run of the validator.
struct Checker<'a> {
    program: &'a Program,
    options: &'a ValidateOptions<'a>,
    watch: &'a Watch<'a>,
    /// The rule that follows from the path of the file.
    place: FileContents,
    /// The definitions among the statements of the program, in order of their ids.
    top_definitions: Vec<NodeId>,
    /// The ancestors of the current node, outermost first, if they are known.
    path: Option<Vec<NodeId>>,
    /// Whether a check has requested the ancestors of its node when they were unknown.
    has_asked: Cell<bool>,
    diagnostics: Vec<Diagnostic>,
    /// The diagnostic that ends the validation and is then the only one.
    refused: Option<Diagnostic>,
    logs: Vec<LogEntry>,
}

impl<'a> Checker<'a> {
    fn new(program: &'a Program, options: &'a ValidateOptions<'a>, watch: &'a Watch<'a>) -> Self {
        Checker {
            program,
            options,
            watch,
            place: place::place_of_program(program, options),
            top_definitions: definitions::at_top(program),
            path: None,
            has_asked: Cell::new(false),
            diagnostics: Vec::new(),
            refused: None,
            logs: Vec::new(),
        }
    }

    /// Checks all nodes, in any order and without their ancestors, and returns whether this shows that there
    /// are no diagnostics. This holds for most programs, and is much faster than the walk. Returns false if
    /// there may be a diagnostic, or if a check requests the ancestors of its node.
    fn is_fine_at_a_glance(&mut self) -> bool {
        self.check_top_constructs();
        let fine = if self.program.has_odd_variables { ALWAYS_FINE } else { ALWAYS_FINE | PLAIN_VARIABLES };
        for (index, node) in (0..).zip(&self.program.nodes) {
            let Some(id) = NodeId::from_index(index).filter(|_| fine & 1 << node.kind() as u32 == 0) else {
                continue;
            };
            self.check(id);
            let is_over = (index as usize).is_multiple_of(NODES_BETWEEN_LOOKS) && !self.may_go_on(id);
            if !self.diagnostics.is_empty() || self.has_asked.get() || is_over {
                return false;
            }
        }
        self.diagnostics.is_empty()
    }

    /// Checks the body with its descendants, and returns the diagnostics.
    fn judge(mut self, logs: &mut Vec<LogEntry>) -> Vec<Diagnostic> {
        self.check_top_constructs();
        let mut pending = vec![(self.program.body(), 0)];
        self.path = Some(Vec::new());
        let mut checked = 0_usize;
        while let Some((id, depth)) = pending.pop() {
            if checked.is_multiple_of(NODES_BETWEEN_LOOKS) && !self.may_go_on(id) {
                return Vec::new();
            }
            checked += 1;
            self.path.get_or_insert_default().truncate(depth);
            self.check(id);
            logs.append(&mut self.logs);
            if let Some(refused) = self.refused {
                return vec![refused];
            }
            self.path.get_or_insert_default().push(id);
            let first = pending.len();
            self.node(id).children(self.program, |child| pending.push((child, depth + 1)));
            pending[first..].reverse();
        }
        self.diagnostics
    }

    /// Asks the watch whether checking can continue with a node.
    #[cold]
    fn may_go_on(&self, id: NodeId) -> bool {
        self.watch.may_go_on(|| Location::of(self.program.source(), self.program.span(id).start))
    }

    /// Checks one node, under the rules for catalogs or for tasks.
    fn check(&mut self, id: NodeId) {
        if !(self.options.tasks && self.check_for_tasks(id)) {
            self.check_for_catalogs(id);
        }
    }

    /// The ancestors of the current node, outermost first; `None` if they are not known now, and the check
    /// will be repeated.
    fn path(&self) -> Option<&[NodeId]> {
        if self.path.is_none() {
            self.has_asked.set(true);
        }
        self.path.as_deref()
    }

    /// The container that is `level` levels up: 1 is the direct one.
    fn container(&self, level: usize) -> Container {
        let path = self.path().unwrap_or_default();
        match path.len().checked_sub(level) {
            Some(index) => Container::Node(path[index]),
            None if level == path.len() + 1 => Container::Program,
            None => Container::Nothing,
        }
    }

    /// The parent of the current node.
    fn parent(&self) -> Option<NodeId> {
        self.path()?.last().copied()
    }

    fn node(&self, id: NodeId) -> &'a Node {
        self.program.node(id)
    }

    /// The label of a node, for a message.
    #[cold]
    fn label(&self, id: NodeId) -> std::borrow::Cow<'static, str> {
        self.program.label(id)
    }

    /// Records an error about a node.
    #[cold]
    fn error(&mut self, report: Report, id: NodeId) {
        self.accept(report, Severity::Error, id);
    }

    /// Records a diagnostic about a node.
    #[cold]
    fn accept(&mut self, report: Report, severity: Severity, id: NodeId) {
        self.diagnostics.push(report.at(severity, self.program.source(), self.program.span(id)));
    }
}

/// The kinds of nodes that no rule checks.
const ALWAYS_FINE: u128 = set(&[
    Kind::Nop,
    Kind::QualifiedName,
    Kind::LiteralString,
    Kind::LiteralUndef,
    Kind::LiteralBoolean,
    Kind::LiteralDefault,
    Kind::LiteralRegularExpression,
    Kind::LiteralFloat,
    Kind::RenderStringExpression,
    Kind::ConcatenatedString,
    Kind::AccessExpression,
    Kind::CallMethodExpression,
]);

/// Variables: no rule reports them if the lexer has seen that all their names are plain.
const PLAIN_VARIABLES: u128 = set(&[Kind::VariableExpression]);

const fn set(kinds: &[Kind]) -> u128 {
    let mut set = 0;
    let mut at = 0;
    while at < kinds.len() {
        set |= 1 << kinds[at] as u32;
        at += 1;
    }
    set
}

const _: () = assert!(Kind::ALL.len() <= 128, "sets of kinds are 128 bits");
