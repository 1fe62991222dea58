//! Values by nodes of programs.

use std::sync::{Arc, Weak};

use bunraku_syntax::ast::{NodeId, Program};
use rustc_hash::FxHashMap;

/// Values by the address of a program and a node. A weak pointer keeps the address from being given to
/// another program, but not the program itself in memory.
#[derive(Debug)]
pub(crate) struct NodeMap<V>(FxHashMap<(usize, NodeId), (Weak<Program>, V)>);

impl<V> Default for NodeMap<V> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<V> NodeMap<V> {
    pub(crate) fn get(&self, program: &Arc<Program>, node: NodeId) -> Option<&V> {
        self.0.get(&(address(program), node)).map(|(_, value)| value)
    }

    pub(crate) fn insert(&mut self, program: &Arc<Program>, node: NodeId, value: V) {
        self.0.insert((address(program), node), (Arc::downgrade(program), value));
    }
}

fn address(program: &Arc<Program>) -> usize {
    Arc::as_ptr(program) as usize
}

#[cfg(test)]
mod tests {
    use bunraku_syntax::source::Source;
    use bunraku_syntax::{ParseOptions, parse};

    use super::*;

    fn program(text: &str) -> Arc<Program> {
        let source = Arc::new(Source::new(None, text));
        Arc::new(parse(source, &ParseOptions::default()).expect("the text is a program"))
    }

    #[test]
    fn a_program_that_is_no_longer_used_keeps_its_address() {
        let mut map = NodeMap::default();
        for number in 0..1_000 {
            let program = program("$a = 1");
            assert_eq!(map.get(&program, program.body()), None);
            map.insert(&program, program.body(), number);
        }
    }
}
