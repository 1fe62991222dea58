//! Calls of methods as documentation sees them.

use lib_ruby_parser::{Node as Ast, nodes};

use super::statements;

/// A call, with the block that it is given.
#[derive(Clone, Copy)]
pub(super) struct Call<'t> {
    /// The whole expression.
    pub node: &'t Ast,
    send: &'t nodes::Send,
    block: Option<&'t nodes::Block>,
}

impl<'t> Call<'t> {
    /// A node as a call; none when it is something else, an operator or an assignment.
    pub fn of(node: &'t Ast) -> Option<Self> {
        let (send, block) = match node {
            Ast::Send(send) => (send, None),
            Ast::Block(block) => match &*block.call {
                Ast::Send(send) => (send, Some(block)),
                _ => return None,
            },
            _ => return None,
        };
        Self::is_plain(send).then_some(Self { node, send, block })
    }

    /// Whether a call has a name; operators do not count.
    fn is_plain(send: &nodes::Send) -> bool {
        let is_name = send.method_name.starts_with(|first: char| first.is_alphabetic() || first == '_');
        is_name && send.operator_l.is_none()
    }

    /// The method.
    pub fn name(&self) -> &'t str {
        &self.send.method_name
    }

    /// The receiver.
    pub fn receiver(&self) -> Option<&'t Ast> {
        self.send.recv.as_deref()
    }

    /// The arguments without a block that is handed on.
    pub fn arguments(&self) -> Vec<&'t Ast> {
        self.send.args.iter().filter(|argument| !matches!(argument, Ast::BlockPass(_))).collect()
    }

    /// An argument.
    pub fn argument(&self, index: usize) -> Option<&'t Ast> {
        self.arguments().into_iter().nth(index)
    }

    /// The pairs of an argument that is a hash.
    pub fn pairs(&self, index: usize) -> Vec<(&'t Ast, &'t Ast)> {
        self.argument(index).map(pairs).unwrap_or_default()
    }

    /// Whether a block is given.
    pub fn has_block(&self) -> bool {
        self.block.is_some()
    }

    /// The statements of the block.
    pub fn body(&self) -> &'t [Ast] {
        self.block.and_then(|block| block.body.as_deref()).map(statements).unwrap_or_default()
    }
}

/// The pairs of a hash.
pub(super) fn pairs(node: &Ast) -> Vec<(&Ast, &Ast)> {
    let pairs = match node {
        Ast::Hash(hash) => &hash.pairs,
        Ast::Kwargs(hash) => &hash.pairs,
        _ => return Vec::new(),
    };
    let mut list = Vec::new();
    for node in pairs {
        if let Ast::Pair(nodes::Pair { key, value, .. }) = node {
            list.push((key.as_ref(), value.as_ref()));
        }
    }
    list
}
