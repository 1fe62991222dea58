//! The validator: what a program that parses may still not say.
//!
//! Every node is checked in isolation, parents before children, in source order; the order of the diagnostics
//! is the order of the checks. A check may look at the containers of its node and at its children, but
//! complains about the role of a child only: the child's own content has its own check. Follows the
//! reference's `pops/validation/checker4_0.rb`, `tasks_checker.rb` and `validator_factory_4_0.rb`.

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

/// What the validator has to know besides the program.
#[derive(Clone, Copy, Debug, Default)]
pub struct ValidateOptions<'a> {
    /// The setting `strict`: how bad repeated keys of a hash are.
    pub strict: Strictness,
    /// The setting `tasks`: plans instead of catalogs.
    pub tasks: bool,
    /// The environment's `manifest`: a file or directory whose files may hold anything.
    pub manifest: Option<&'a str>,
    /// The environment's whole module path: files in it hold what their names say.
    pub modulepath: &'a [String],
    /// How many texts with a syntax of Puppet stand around the program (heredocs in heredocs).
    pub nesting: u8,
    /// Where to go on when the program nests deep.
    pub stacks: Stacks,
}

/// Checks a program. Gives every complaint in the order of the reference; the program is refused when there
/// is an [error](Severity::Error) among them.
pub fn validate(program: &Program, options: &ValidateOptions<'_>) -> Vec<Diagnostic> {
    validate_and_log(program, options, &mut Vec::new())
}

/// As [`validate`]. A text of Puppet in a heredoc (`@(END:pp)`) is read and checked as if it was a file of
/// its own, and what is logged of it (warnings, and errors if there are several) is added to `logs`.
pub fn validate_and_log(
    program: &Program,
    options: &ValidateOptions<'_>,
    logs: &mut Vec<LogEntry>,
) -> Vec<Diagnostic> {
    judge(program, options, logs, &Watch::default())
}

/// As [`validate_and_log`]; what watches may end it in the middle.
///
/// # Errors
/// Why it was ended, with the place that was reached.
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
    // Literals are looked at with recursion.
    options.stacks.run(STACK, || check(program, options, logs, watch)).unwrap_or_else(|_| {
        let report = Report { issue: Issue::NONE, message: "there is no stack to validate on".to_owned() };
        vec![report.nowhere()]
    })
}

/// How deep programs may nest that are looked at on the caller's stack.
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

/// What stands around a node.
#[derive(Clone, Copy)]
enum Container {
    /// Nothing: beyond the program.
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
    /// What the place of the file says.
    place: FileContents,
    /// The definitions among the statements of the program, in order of their ids.
    top_definitions: Vec<NodeId>,
    /// The nodes around the one that is being checked, outermost first, when they are known.
    path: Option<Vec<NodeId>>,
    /// Whether a check has asked for the nodes around its own when they were not known.
    has_asked: Cell<bool>,
    diagnostics: Vec<Diagnostic>,
    /// The complaint that ends the validation and is then the only one.
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

    /// Whether checking all nodes, in any order and without knowing what stands around them, shows that there
    /// is nothing to complain of. That is what most programs are like, and is much faster than the walk.
    /// False when something is amiss, and when a check asks for the surroundings of its node.
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

    /// Checks the body and everything in it, and gives what there is to say.
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

    /// Asks whether checking may go on with a node.
    #[cold]
    fn may_go_on(&self, id: NodeId) -> bool {
        self.watch.may_go_on(|| Location::of(self.program.source(), self.program.span(id).start))
    }

    /// Checks one node, by the rules for catalogs or for tasks.
    fn check(&mut self, id: NodeId) {
        if !(self.options.tasks && self.check_for_tasks(id)) {
            self.check_for_catalogs(id);
        }
    }

    /// The nodes around the one that is being checked, outermost first; `None` when they are not known now,
    /// and the check will be made again.
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

    /// The node that directly holds the one that is being checked.
    fn parent(&self) -> Option<NodeId> {
        self.path()?.last().copied()
    }

    fn node(&self, id: NodeId) -> &'a Node {
        self.program.node(id)
    }

    /// The label of a node, for a complaint.
    #[cold]
    fn label(&self, id: NodeId) -> std::borrow::Cow<'static, str> {
        self.program.label(id)
    }

    /// Notes an error about a node.
    #[cold]
    fn error(&mut self, report: Report, id: NodeId) {
        self.accept(report, Severity::Error, id);
    }

    /// Notes a complaint about a node.
    #[cold]
    fn accept(&mut self, report: Report, severity: Severity, id: NodeId) {
        self.diagnostics.push(report.at(severity, self.program.source(), self.program.span(id)));
    }
}

/// The kinds of nodes about which the rules have nothing to say.
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

/// Variables: there is nothing to say about them either, when the lexer has seen that all their names are
/// plain.
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
