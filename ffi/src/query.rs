//! Queries of syntax trees.

use bunraku_core::query::{Match, Query};
use bunraku_core::syntax::watch::Watch;

use crate::boundary::{ask, ask_text, free, give, guard, misuse, object, text};
use crate::cancel::watch_reading;
use crate::error::bunraku_error;
use crate::node::bunraku_node;
use crate::program::bunraku_program;
use crate::text::{NulTerminated, bunraku_text};

/// A query: patterns of nodes, modelled on tree-sitter's query language. Immutable: any number of threads can
/// use it.
///
/// (ResourceExpression type_name: "file" bodies: (ResourceBody title: _ @title)) @resource
///
/// "(Kind ...)" matches a node of a kind, "_" any node, "\"text\"" a node with this text, "[...]" one of
/// several patterns. "field: ..." matches the content of a field, "!field" an empty field. Patterns without a
/// field match direct children, in their order; "." between them requires that they are adjacent. "*", "+"
/// and "?" match all nodes, at least one, or none. "@name" captures a node; (#eq? @a "text"), (#match? @a
/// "regex"), (#any-of? @a "x" "y") and their "#not-" forms compare the text of captured nodes.
pub struct bunraku_query {
    query: Query,
    captures: Vec<NulTerminated>,
}

/// The matches of a query. Immutable: any number of threads can read it. It requires its program.
pub struct bunraku_matches {
    program: *const bunraku_program,
    found: Vec<Match>,
}

/// Parses a query.
///
/// @param source  the query, UTF-8
/// @param query  receives the query, to be freed with bunraku_query_free
/// @return NULL on success; otherwise an error with the reason and the offset in bytes
///
/// # Safety
/// The text is valid for reads of its length, `query` is writable.
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

/// Frees a query. NULL is allowed.
///
/// # Safety
/// The query is NULL or came from bunraku_query_new, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_query_free(query: *mut bunraku_query) {
    // SAFETY: by the contract of this function.
    unsafe { free(query) }
}

/// The number of capture names.
///
/// # Safety
/// `query` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_query_capture_count(query: *const bunraku_query) -> usize {
    // SAFETY: by the contract of this function.
    unsafe { ask(query, 0, |own| Some(own.captures.len())) }
}

/// The name of a capture by its index, from 0; no text if it does not exist. Valid until the query is freed.
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

/// Finds all matches in a node and its descendants, in the order of the source. Pass bunraku_program_body to
/// search a whole program. Threads can call it at the same time.
///
/// @param matches  receives the matches, to be freed with bunraku_matches_free
/// @return NULL on success, even without matches; an error if the search is cancelled (bunraku_cancel_attach)
///     or takes more than 300 seconds of processor time
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

/// Frees the matches of a query. NULL is allowed.
///
/// # Safety
/// `matches` is NULL or came from bunraku_query_run, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_matches_free(matches: *mut bunraku_matches) {
    // SAFETY: by the contract of this function.
    unsafe { free(matches) }
}

/// The number of matches.
///
/// # Safety
/// `matches` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_matches_count(matches: *const bunraku_matches) -> usize {
    // SAFETY: by the contract of this function.
    unsafe { ask(matches, 0, |own| Some(own.found.len())) }
}

/// The index of the query's pattern that matched, from 0.
///
/// # Safety
/// `matches` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_matches_pattern(matches: *const bunraku_matches, index: usize) -> usize {
    // SAFETY: by the contract of this function.
    unsafe { ask(matches, 0, |own| own.found.get(index).map(|one| one.pattern)) }
}

/// The node that matched.
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

/// The number of nodes that a match captures.
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
/// @param capture  the index of the capture, from 0
/// @param name  receives the index of the capture's name, unless it is NULL or the node does not exist
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
