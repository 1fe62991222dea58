//! Queries of syntax trees.

use bunraku_core::query::{Match, Query};
use bunraku_core::syntax::watch::Watch;

use crate::boundary::{ask, ask_text, free, give, guard, misuse, object, text};
use crate::cancel::watch_reading;
use crate::error::bunraku_error;
use crate::node::bunraku_node;
use crate::program::bunraku_program;
use crate::text::{NulTerminated, bunraku_text};

/// A query: patterns of nodes, after the model of tree-sitter's query language. Immutable: any number of
/// threads may use one.
///
/// (ResourceExpression type_name: "file" bodies: (ResourceBody title: _ @title)) @resource
///
/// "(Kind ...)" is a node of a kind, "_" any node, "\"text\"" a node that says a text, "[...]" one of several;
/// "field: ..." holds for what a field has, "!field" where there is nothing in it; other patterns hold for the
/// nodes directly below, in their order, with "." between them where nothing stands between. "*", "+" and "?"
/// take all that hold, at least one, or none. "@name" captures a node; (#eq? @a "text"), (#match? @a "regex"),
/// (#any-of? @a "x" "y") and their "#not-" forms hold for what captured nodes say.
pub struct bunraku_query {
    query: Query,
    captures: Vec<NulTerminated>,
}

/// What a query has found. Immutable: any number of threads may read it. It needs its program.
pub struct bunraku_matches {
    program: *const bunraku_program,
    found: Vec<Match>,
}

/// Reads a query.
///
/// @param source  the query, UTF-8
/// @param query  receives the query, to be freed with bunraku_query_free
/// @return NULL on success; an error that tells what is wrong, and at which byte
///
/// # Safety
/// The text points to as many bytes as told, `query` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_query_new(
    source: bunraku_text,
    query: *mut *mut bunraku_query,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let source = unsafe { text(source, "source") }?;
        let read = Query::new(source).map_err(|error| misuse(&error.to_string()))?;
        let captures = read.captures().iter().map(|name| NulTerminated::new(name.as_str())).collect();
        // SAFETY: by the contract of this function.
        unsafe { give(query, bunraku_query { query: read, captures }) }
    })
}

/// Frees a query; NULL is none.
///
/// # Safety
/// The query is NULL or came from bunraku_query_new, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_query_free(query: *mut bunraku_query) {
    // SAFETY: by the contract of this function.
    unsafe { free(query) }
}

/// How many names captures have.
///
/// # Safety
/// `query` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_query_capture_count(query: *const bunraku_query) -> usize {
    // SAFETY: by the contract of this function.
    unsafe { ask(query, 0, |own| Some(own.captures.len())) }
}

/// The name of a capture by its number, from 0; no text where there is none. Valid until the query is freed.
///
/// # Safety
/// `query` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_query_capture_name(
    query: *const bunraku_query,
    index: usize,
) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask_text(query, |own| own.captures.get(index)) }
}

/// Finds all matches for a node and those below it, in the order of the source: with bunraku_program_body in a
/// whole program. Threads may ask at the same time.
///
/// @param matches  receives what was found, to be freed with bunraku_matches_free
/// @return NULL on success, also when nothing was found; an error where it was cancelled
///     (bunraku_cancel_attach) or takes more than 300 seconds of the processor
///
/// # Safety
/// `query` and the node's program are live, `matches` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_query_run(
    query: *const bunraku_query,
    below: bunraku_node,
    matches: *mut *mut bunraku_matches,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (own, resolved) = unsafe { (object(query, "query")?, below.resolve()) };
        let (program, id) = resolved.ok_or_else(|| misuse("there is no such node"))?;
        let usage = watch_reading();
        let found = own.query.matches_below(program, id, &Watch::new(&usage.ends))?;
        // SAFETY: by the contract of this function.
        unsafe { give(matches, bunraku_matches { program: below.program, found }) }
    })
}

/// Frees what a query has found; NULL is nothing.
///
/// # Safety
/// `matches` is NULL or came from bunraku_query_run, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_matches_free(matches: *mut bunraku_matches) {
    // SAFETY: by the contract of this function.
    unsafe { free(matches) }
}

/// How many matches there are.
///
/// # Safety
/// `matches` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_matches_count(matches: *const bunraku_matches) -> usize {
    // SAFETY: by the contract of this function.
    unsafe { ask(matches, 0, |own| Some(own.found.len())) }
}

/// The number of the pattern of the query that has matched, from 0.
///
/// # Safety
/// `matches` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_matches_pattern(matches: *const bunraku_matches, index: usize) -> usize {
    // SAFETY: by the contract of this function.
    unsafe { ask(matches, 0, |own| own.found.get(index).map(|one| one.pattern)) }
}

/// The node that a match is for.
///
/// # Safety
/// `matches` is NULL or live, and so is its program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_matches_node(matches: *const bunraku_matches, index: usize) -> bunraku_node {
    let none = bunraku_node::of(std::ptr::null(), None);
    // SAFETY: by the contract of this function.
    unsafe {
        ask(matches, none, |own| {
            own.found.get(index).map(|one| bunraku_node::of(own.program, Some(one.node)))
        })
    }
}

/// How many nodes a match captures.
///
/// # Safety
/// `matches` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_matches_capture_count(
    matches: *const bunraku_matches,
    index: usize,
) -> usize {
    // SAFETY: by the contract of this function.
    unsafe { ask(matches, 0, |own| own.found.get(index).map(|one| one.captures.len())) }
}

/// A node that a match captures, in the order in which they were found.
///
/// @param capture  which one, from 0
/// @param name  receives the number of the capture's name, unless it is NULL or there is no such node
///
/// # Safety
/// `matches` is NULL or live, and so is its program; `name` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_matches_capture(
    matches: *const bunraku_matches,
    index: usize,
    capture: usize,
    name: *mut usize,
) -> bunraku_node {
    let none = bunraku_node::of(std::ptr::null(), None);
    // SAFETY: by the contract of this function.
    unsafe {
        ask(matches, none, |own| {
            let captured = own.found.get(index)?.captures.get(capture)?;
            if let Some(name) = name.as_mut() {
                *name = captured.name;
            }
            Some(bunraku_node::of(own.program, Some(captured.node)))
        })
    }
}
