//! Scopes: where variables live and how they are found.
//!
//! Follows the reference's `parser/scope.rb`: top, node, class, defined type and local scopes. A scope is shared
//! within one compilation (`Rc`).

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::loader::Definition;
use crate::pcore::value::{Str, Value};

/// What a scope belongs to.
#[derive(Clone, Debug)]
pub enum ScopeKind {
    /// The top scope.
    Top,
    /// A node definition's body.
    Node,
    /// A class's body.
    Class(Arc<Definition>),
    /// A defined type's body.
    Define(Arc<Definition>),
    /// A function's body: sees its parameters and the top scope only.
    Function,
    /// A lambda's body, or a block with variables of its own.
    Local,
}

/// Variables, and the scopes around them.
#[derive(Debug)]
pub struct Scope {
    /// What it belongs to.
    pub kind: ScopeKind,
    /// The enclosing scope; `None` for the top scope.
    pub parent: Option<Rc<Scope>>,
    /// The scope of the class that this class inherits from.
    pub inherited: Option<Rc<Scope>>,
    /// The module whose code runs here.
    pub module: Option<Str>,
    /// The catalog's number of the resource whose body is evaluated here; meaningful to the `Context`.
    pub resource: Option<usize>,
    /// The variables.
    pub variables: RefCell<FxHashMap<Str, Value>>,
    /// `$0`, `$1` … of the last match in this scope.
    pub matches: RefCell<Option<Rc<[Value]>>>,
}
