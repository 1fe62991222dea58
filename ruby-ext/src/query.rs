//! `Bunraku::Query`: queries of syntax trees.

use std::sync::Arc;

use bunraku::diagnostic::Error as CoreError;
use bunraku::query::{Match, Query};
use bunraku::syntax::ast::Program;
use bunraku::syntax::watch::Watch;
use magnus::typed_data::Obj;
use magnus::{Error, RArray, RModule, Ruby, Value, prelude::*};

use crate::crossing::watched_reading;
use crate::entry::{function, method};
use crate::node::{NodeRef, Nodes};
use crate::program::NativeProgram;
use crate::raw::{NewArray, NewHash};
use crate::{class, failure};

/// A query as Ruby sees it.
#[magnus::wrap(class = "Bunraku::Query", free_immediately, size, frozen_shareable)]
struct NativeQuery(Arc<Query>);

impl NativeQuery {
    fn new(ruby: &Ruby, text: String) -> Result<Self, Error> {
        let query = Query::new(&text).map_err(|error| CoreError::argument(error.to_string()));
        query.map(|query| Self(Arc::new(query))).map_err(|error| failure::raised(ruby, &error))
    }

    /// The names of its captures.
    fn captures(ruby: &Ruby, own: &Self) -> RArray {
        ruby.ary_from_iter(own.0.captures().iter().map(|name| ruby.to_symbol(name)))
    }

    /// The matches in a node and its descendants.
    fn matches(ruby: &Ruby, own: &Self, below: NodeRef) -> Result<Value, Error> {
        let (query, table) = (Arc::clone(&own.0), below.table());
        let (program, from) = (Arc::clone(table.program()), below.id());
        let found = watched_reading(ruby, move |usage| {
            query.matches_below(&program, from, &Watch::new(&usage.ends))
        })?;
        let found = found.map_err(|error| failure::raised(ruby, &error))?;
        own.matches_to_ruby(ruby, table, &found)
    }

    /// The matches in each of many programs, which are in a frozen array.
    fn matches_of(ruby: &Ruby, own: &Self, programs: RArray, threads: usize) -> Result<RArray, Error> {
        let program = |index: usize| -> Result<Obj<NativeProgram>, Error> {
            programs.entry(isize::try_from(index).unwrap_or(isize::MAX))
        };
        let query = Arc::clone(&own.0);
        let shared = (0..programs.len()).map(|index| program(index).map(|one| Arc::clone(one.shared())));
        let shared: Vec<Arc<Program>> = shared.collect::<Result<_, _>>()?;
        let found = watched_reading(ruby, move |usage| {
            let programs: Vec<&Program> = shared.iter().map(|program| &**program).collect();
            query.matches_of(&programs, threads, &usage.ends)
        })?;
        let found = found.map_err(|error| failure::raised(ruby, &error))?;
        let all = ruby.ary_new_capa(found.len());
        for (index, matches) in found.into_iter().enumerate() {
            let object = program(index)?;
            all.push(match matches.is_empty() {
                true => ruby.ary_new().as_value(),
                false => own.matches_to_ruby(ruby, object.nodes(object), &matches)?,
            })?;
        }
        Ok(all)
    }

    /// `[index of the pattern, node, nodes by the names of captures]` of each match.
    fn matches_to_ruby(&self, ruby: &Ruby, table: &Nodes, found: &[Match]) -> Result<Value, Error> {
        let names = self.0.captures();
        let all = NewArray::new(ruby, found.len());
        for one in found {
            let captures = NewHash::new(ruby);
            for (number, name) in names.iter().enumerate() {
                let nodes = one.captures.iter().filter(|capture| capture.name == number);
                let nodes: Vec<_> = nodes.map(|capture| capture.node).collect();
                if !nodes.is_empty() {
                    let nodes = table.array(ruby, &nodes);
                    nodes.freeze();
                    captures.insert(ruby.to_symbol(name).as_value(), nodes)?;
                }
            }
            captures.object().freeze();
            let row = NewArray::new(ruby, 3);
            row.push(ruby.integer_from_u64(one.pattern as u64).as_value());
            row.push(table.node(one.node));
            row.push(captures.object());
            all.push(row.object());
        }
        Ok(all.object())
    }
}

/// Defines the class.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), Error> {
    let class = class::define::<NativeQuery>(ruby, module, "Query")?;
    class.define_singleton_method("native_new", function!(NativeQuery::new, 1))?;
    class.define_method("captures", method!(NativeQuery::captures, 0))?;
    class.define_method("native_matches", method!(NativeQuery::matches, 1))?;
    class.define_method("native_matches_of", method!(NativeQuery::matches_of, 2))
}
