//! Nodes that a query matches.

use std::convert::identity;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use bunraku_syntax::ast::{FieldValue, Kind, NodeId, Program};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::diagnostic::bug::guarded;
use bunraku_syntax::watch::{Check, Watch};

use crate::{Item, NodePattern, Pattern, Predicate, Query, Repeat, Test, What, field, said, says};

/// The number of nodes between two checks whether the work can continue.
const LOOK: u32 = 4096;
/// The time that the waiting thread waits before it checks whether the work can continue.
const PAUSE: Duration = Duration::from_millis(50);

/// A match of a query's pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The index of the pattern in the query, from 0.
    pub pattern: usize,
    /// The matching node.
    pub node: NodeId,
    /// The captures, in the order in which they were found.
    pub captures: Vec<Capture>,
}

/// A node that a match captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The index of the capture's name, see [`Query::captures`].
    pub name: usize,
    /// The node.
    pub node: NodeId,
}

impl Query {
    /// All matches in a program, in the order of the source.
    pub fn matches(&self, program: &Program) -> Vec<Match> {
        self.matches_below(program, program.body(), &Watch::default()).unwrap_or_default()
    }

    /// All matches in a node and its descendants; the watch can cancel the work. A query with several
    /// adjacent repeated patterns can have very many.
    ///
    /// # Errors
    /// The reason for the cancellation.
    pub fn matches_below(
        &self,
        program: &Program,
        below: NodeId,
        watch: &Watch<'_>,
    ) -> Result<Vec<Match>, Error> {
        let mut finding = Finding { program, watch, looks: 0, ended: None };
        let mut found = Vec::new();
        let roots: Vec<Option<Vec<Kind>>> = self.patterns.iter().map(|one| kinds(&one.root.what)).collect();
        for node in program.descendants(below) {
            let kind = program.node(node).kind();
            for (number, (pattern, roots)) in self.patterns.iter().zip(&roots).enumerate() {
                if roots.as_ref().is_none_or(|roots| roots.contains(&kind)) {
                    finding.matches_at(number, pattern, node, &mut found);
                }
            }
            if let Some(error) = finding.ended {
                return Err(*error);
            }
        }
        Ok(found)
    }
}

impl Query {
    /// All matches in many programs, searched by this number of threads. This thread waits for them. All of
    /// them call `check` periodically; its failure ends the work.
    ///
    /// # Errors
    /// The reason for the cancellation, or the library is at fault.
    pub fn matches_of(
        &self,
        programs: &[&Program],
        threads: usize,
        check: &dyn Check,
    ) -> Result<Vec<Vec<Match>>, Error> {
        let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let may_go_on = || match over.load(Ordering::Relaxed) {
            true => Err(Error::cancelled("Another thread has ended the work")),
            false => check.check().inspect_err(|_| over.store(true, Ordering::Relaxed)),
        };
        let work = || -> Result<Vec<(usize, Vec<Match>)>, Error> {
            let (mut found, watch) = (Vec::new(), Watch::new(&may_go_on));
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(program) = programs.get(index) else { return Ok(found) };
                watch.check()?;
                found.push((index, self.matches_below(program, program.body(), &watch)?));
            }
        };
        let (sender, receiver) = mpsc::channel();
        let mut ended = Ok(());
        let mut all = Vec::with_capacity(programs.len());
        std::thread::scope(|scope| {
            for _ in 0..threads.clamp(1, programs.len().max(1)) {
                let sender = sender.clone();
                scope.spawn(move || drop(sender.send(guarded(work).and_then(identity))));
            }
            drop(sender);
            loop {
                match receiver.recv_timeout(PAUSE) {
                    Ok(Ok(found)) => all.extend(found),
                    Ok(Err(error)) => ended = ended.clone().and(Err(error)),
                    Err(RecvTimeoutError::Timeout) => ended = ended.clone().and(may_go_on()),
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        });
        ended?;
        all.sort_by_key(|(index, _)| *index);
        Ok(all.into_iter().map(|(_, matches)| matches).collect())
    }
}

/// The kinds of nodes that a pattern can match; `None` for any kind.
fn kinds(what: &What) -> Option<Vec<Kind>> {
    match what {
        What::Node(NodePattern { kind: Some(kind), .. }) => Some(vec![*kind]),
        What::OneOf(all) => {
            all.iter().map(|one| kinds(&one.what)).collect::<Option<Vec<_>>>().map(|all| all.concat())
        }
        _ => None,
    }
}

/// The continuation after a pattern has matched.
type Next<'n> = &'n mut dyn FnMut(&mut Finding<'_>, &mut Vec<Capture>);

struct Finding<'p> {
    program: &'p Program,
    watch: &'p Watch<'p>,
    looks: u32,
    ended: Option<Box<Error>>,
}

impl Finding<'_> {
    fn matches_at(&mut self, number: usize, pattern: &Pattern, node: NodeId, found: &mut Vec<Match>) {
        let mut captures = Vec::new();
        self.item(&pattern.root, node, &mut captures, &mut |finding, captures| {
            if pattern.predicates.iter().all(|predicate| holds(finding.program, predicate, captures)) {
                found.push(Match { pattern: number, node, captures: captures.clone() });
            }
        });
    }

    /// Whether the work continues.
    fn goes_on(&mut self) -> bool {
        self.looks += 1;
        if self.looks.is_multiple_of(LOOK)
            && self.ended.is_none()
            && let Err(error) = self.watch.check()
        {
            self.ended = Some(Box::new(error));
        }
        self.ended.is_none()
    }

    /// Whether a pattern matches a node once; its captures are recorded while `next` runs.
    fn item(&mut self, item: &Item, node: NodeId, captures: &mut Vec<Capture>, next: Next<'_>) {
        if !self.goes_on() {
            return;
        }
        let before = captures.len();
        captures.extend(item.captures.iter().map(|&name| Capture { name, node }));
        match &item.what {
            What::Any => next(self, captures),
            What::Text(text) if says(self.program, node, text) => next(self, captures),
            What::Number(number) => {
                if said(self.program, node).and_then(|said| said.parse().ok()) == Some(*number) {
                    next(self, captures);
                }
            }
            What::Boolean(truth) if says(self.program, node, &truth.to_string()) => next(self, captures),
            What::OneOf(all) => all.iter().for_each(|one| self.item(one, node, captures, &mut *next)),
            What::Node(pattern) if pattern.kind.is_none_or(|kind| kind == self.program.node(node).kind()) => {
                if pattern.absent.iter().all(|name| is_absent(self.program, node, name)) {
                    self.fields(pattern, 0, node, captures, next);
                }
            }
            What::Text(_) | What::Boolean(_) | What::Node(_) => (),
        }
        captures.truncate(before);
    }

    /// The fields of a pattern from one on, then its children.
    fn fields(
        &mut self,
        pattern: &NodePattern,
        from: usize,
        node: NodeId,
        captures: &mut Vec<Capture>,
        next: Next<'_>,
    ) {
        let Some((name, item)) = pattern.fields.get(from) else {
            if pattern.children.is_empty() && !pattern.closed {
                return next(self, captures);
            }
            let children = self.program.children(node);
            return self.children(pattern, 0, &children, 0, captures, next);
        };
        let value = field(self.program, node, name);
        let mut after = |finding: &mut Finding<'_>, captures: &mut Vec<Capture>| {
            finding.fields(pattern, from + 1, node, captures, &mut *next);
        };
        match value {
            FieldValue::Node(child) => self.one_of(item, &[child], captures, &mut after),
            FieldValue::Nodes(list) => {
                let members = self.program.list(list).to_vec();
                self.one_of(item, &members, captures, &mut after);
            }
            FieldValue::Absent => self.one_of(item, &[], captures, &mut after),
            value => {
                if is_value(self.program, &item.what, value) {
                    after(self, captures);
                }
            }
        }
    }

    /// A pattern for one of several nodes, or for all of them if it repeats.
    fn one_of(&mut self, item: &Item, nodes: &[NodeId], captures: &mut Vec<Capture>, next: Next<'_>) {
        if item.repeat == Repeat::Once {
            return nodes.iter().for_each(|&node| self.item(item, node, captures, &mut *next));
        }
        let before = captures.len();
        let held = nodes.iter().filter(|&&node| self.captured(item, node, captures)).count();
        if held > 0 || item.repeat != Repeat::Some {
            next(self, captures);
        }
        captures.truncate(before);
    }

    /// Whether a pattern matches a node, with the captures of its first match.
    fn captured(&mut self, item: &Item, node: NodeId, captures: &mut Vec<Capture>) -> bool {
        let (before, mut first) = (captures.len(), None);
        self.item(item, node, captures, &mut |_, captures| {
            if first.is_none() {
                first = Some(captures.get(before..).unwrap_or_default().to_vec());
            }
        });
        let holds = first.is_some();
        captures.extend(first.into_iter().flatten());
        holds
    }

    /// Matches the children of a pattern from one on with the nodes from one on.
    fn children(
        &mut self,
        pattern: &NodePattern,
        from: usize,
        nodes: &[NodeId],
        first: usize,
        captures: &mut Vec<Capture>,
        next: Next<'_>,
    ) {
        let rest = nodes.get(first..).unwrap_or_default();
        let Some(item) = pattern.children.get(from) else {
            if !pattern.closed || rest.is_empty() {
                next(self, captures);
            }
            return;
        };
        let reach = if item.adjacent { rest.len().min(1) } else { rest.len() };
        match item.repeat {
            Repeat::Once => {
                for (index, &node) in rest.iter().enumerate().take(reach) {
                    self.item(item, node, captures, &mut |finding, captures| {
                        let behind = first + index + 1;
                        finding.children(pattern, from + 1, nodes, behind, captures, &mut *next);
                    });
                }
            }
            // As many as match from the first matching one on.
            repeat => {
                let before = captures.len();
                let limit = if repeat == Repeat::Optional { 1 } else { usize::MAX };
                let mut held = 0;
                let mut last = first;
                for (index, &node) in rest.iter().enumerate() {
                    let is_reached = held > 0 || index < reach.max(1);
                    if held == limit || !is_reached || !self.captured(item, node, captures) {
                        if held > 0 || item.adjacent {
                            break;
                        }
                        continue;
                    }
                    held += 1;
                    last = first + index + 1;
                }
                if held > 0 || repeat != Repeat::Some {
                    self.children(pattern, from + 1, nodes, last, captures, next);
                }
                captures.truncate(before);
            }
        }
    }
}

/// Whether a field is empty.
fn is_absent(program: &Program, node: NodeId, name: &str) -> bool {
    match field(program, node, name) {
        FieldValue::Absent | FieldValue::Boolean(false) => true,
        FieldValue::Nodes(list) => list.is_empty(),
        _ => false,
    }
}

/// Whether a field other than a node has a value.
fn is_value(program: &Program, what: &What, value: FieldValue) -> bool {
    match (what, value) {
        (What::Any, _) => true,
        (What::Text(text), FieldValue::Text(own)) => program.text(own) == text,
        (What::Text(text), FieldValue::Symbol(own)) => own == text,
        (What::Number(number), FieldValue::Integer(own)) => own as f64 == *number,
        (What::Number(number), FieldValue::Float(own)) => own == *number,
        (What::Boolean(truth), FieldValue::Boolean(own)) => own == *truth,
        (What::OneOf(all), value) => all.iter().any(|one| is_value(program, &one.what, value)),
        _ => false,
    }
}

/// Whether a predicate holds for all nodes that the capture contains.
fn holds(program: &Program, predicate: &Predicate, captures: &[Capture]) -> bool {
    let texts = |name: usize| {
        let nodes = captures.iter().filter(move |capture| capture.name == name).map(|capture| capture.node);
        nodes.map(|node| said(program, node).unwrap_or_else(|| program.extent_text(node).to_owned()))
    };
    texts(predicate.capture).all(|text| {
        let is_so = match &predicate.test {
            Test::Capture(other) => texts(*other).all(|other| other == text),
            Test::OneOf(all) => all.contains(&text),
            Test::Matches(regex) => regex.is_match(&text),
        };
        is_so != predicate.negated
    })
}
