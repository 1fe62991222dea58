//! Scopes: the storage and the lookup of variables.
//!
//! Follows the reference's `parser/scope.rb`. A [`Scope`] belongs to the top, a node, a class or a defined
//! type. Variables of lambdas, functions and matches are on a stack inside the scope (the reference's
//! ephemeral scopes), so that code in a scope sees its current contents. A name is searched for on the stack
//! from its top, then in the scope's own table, then in the scope of the inherited class or the enclosing
//! node or top scope.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use super::context::{Parameter, Setter};
use super::stack::{Groups, Mark, Outer, Parameters, Stack, StackLookup};
use super::variables::{BoundParameters, Variables};
use crate::loader::Definition;
use bunraku_pcore::Named;
use bunraku_pcore::pairs::hash_of;
use bunraku_pcore::value::{Hash, Str, Value};
use bunraku_syntax::diagnostic::Error;

/// The owner of a scope.
#[derive(Clone, Debug)]
pub enum ScopeKind {
    /// The top scope.
    Top,
    /// A node definition's body.
    Node(Arc<Definition>),
    /// A class's body.
    Class(Arc<Definition>),
    /// A defined type's body.
    Define(Arc<Definition>),
    /// The class `settings`, which no file defines.
    Settings,
}

/// The source of a parameter or a declaration: a class, defined type or node. Determines the right to
/// override.
#[derive(Clone, Debug)]
pub enum Source {
    /// Nobody's: what the compiler makes by itself.
    Nobody,
    /// The main class.
    Main,
    /// The class `settings`.
    Settings,
    /// A definition's.
    Of(Arc<Definition>),
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nobody, Self::Nobody) | (Self::Main, Self::Main) | (Self::Settings, Self::Settings) => {
                true
            }
            (Self::Of(a), Self::Of(b)) => {
                Arc::ptr_eq(a, b) || (a.node == b.node && Arc::ptr_eq(&a.program, &b.program))
            }
            _ => false,
        }
    }
}

impl Source {
    /// Whose code runs in a scope.
    pub fn of(scope: &Scope) -> Self {
        match &scope.kind {
            ScopeKind::Top => Self::Main,
            ScopeKind::Settings => Self::Settings,
            ScopeKind::Node(definition) | ScopeKind::Class(definition) | ScopeKind::Define(definition) => {
                Self::Of(Arc::clone(definition))
            }
        }
    }
}

/// Resource defaults by resource type (capitalised), then by parameter.
pub type Defaults = Named<Named<Parameter>>;

/// Variables, and the scopes around them. Shared within one compilation.
#[derive(Debug)]
pub struct Scope {
    /// The owner.
    pub kind: ScopeKind,
    /// The scope in which the class was included, the resource declared; `None` for the top scope.
    pub parent: Option<Rc<Scope>>,
    /// The node or top scope around it.
    enclosing: Option<Rc<Scope>>,
    /// The scope of the class that this class inherits from.
    pub inherited: Option<Rc<Scope>>,
    /// The module whose code runs here.
    pub module: Option<Str>,
    /// The catalog's number of the resource whose body is evaluated here; meaningful to the `Context`.
    pub resource: Cell<Option<usize>>,
    /// The reference of that resource (`Class[main]`), for messages.
    pub reference: RefCell<Str>,
    /// Resource defaults that were set in this scope. Those of the parents apply too.
    defaults: RefCell<Defaults>,
    /// Whether any scope below the same top scope has resource defaults.
    has_defaults: Option<Rc<Cell<bool>>>,
    /// The setter of parameters here, for the last used file.
    setter: RefCell<Option<Rc<Setter>>>,
    variables: RefCell<Variables>,
    /// Whether variables have names that Ruby would write otherwise.
    has_odd_names: Cell<bool>,
    stack: RefCell<Stack>,
}

/// The result of a variable's lookup.
#[derive(Debug)]
pub enum Lookup {
    /// Its value, which may be `undef`.
    Found(Value),
    /// The variable does not exist.
    Missing,
    /// It is a parameter that has no value yet; the failure that this is.
    Unevaluated(Error),
}

impl Scope {
    /// A scope without variables. Add its properties with the methods `with_…`.
    pub fn new(kind: ScopeKind) -> Self {
        Self {
            kind,
            parent: None,
            enclosing: None,
            inherited: None,
            module: None,
            resource: Cell::new(None),
            reference: RefCell::new(Str::new()),
            defaults: RefCell::default(),
            has_defaults: None,
            has_odd_names: Cell::new(false),
            setter: RefCell::default(),
            variables: RefCell::default(),
            stack: RefCell::default(),
        }
    }

    /// The top scope.
    pub fn top() -> Rc<Self> {
        Rc::new(Self { has_defaults: Some(Rc::default()), ..Self::new(ScopeKind::Top) })
    }

    /// The setter for code of a file in this scope.
    pub fn setter(&self, file: Option<&Arc<str>>) -> Rc<Setter> {
        let mut last = self.setter.borrow_mut();
        let is_of = |setter: &&Rc<Setter>| match (&setter.file, file) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        match last.as_ref().filter(is_of) {
            Some(setter) => Rc::clone(setter),
            None => Rc::clone(last.insert(Rc::new(Setter { source: Source::of(self), file: file.cloned() }))),
        }
    }

    /// With the scope in which the class was included or the resource declared.
    #[must_use]
    pub fn with_parent(mut self, parent: &Rc<Scope>) -> Self {
        self.has_defaults = parent.has_defaults.clone();
        self.enclosing = match &parent.enclosing {
            Some(enclosing) if !matches!(parent.kind, ScopeKind::Top | ScopeKind::Node(_)) => {
                Some(Rc::clone(enclosing))
            }
            _ => Some(Rc::clone(parent)),
        };
        self.parent = Some(Rc::clone(parent));
        self
    }

    /// With the scope of the inherited class.
    #[must_use]
    pub fn with_inherited(mut self, inherited: Option<Rc<Scope>>) -> Self {
        self.inherited = inherited;
        self
    }

    /// With the module whose code runs here.
    #[must_use]
    pub fn with_module(mut self, module: Option<Str>) -> Self {
        self.module = module;
        self
    }

    /// With the resource whose body is evaluated here: its number and its reference.
    #[must_use]
    pub fn with_resource(self, number: usize, reference: impl Into<Str>) -> Self {
        self.resource.set(Some(number));
        *self.reference.borrow_mut() = reference.into();
        self
    }

    /// Sets the resource whose body is evaluated here: its number and its reference. The top scope gets it
    /// late.
    pub fn set_resource(&self, number: usize, reference: impl Into<Str>) {
        self.resource.set(Some(number));
        *self.reference.borrow_mut() = reference.into();
    }

    /// Resource defaults that were set in this scope.
    pub fn defaults(&self) -> Ref<'_, Defaults> {
        self.defaults.borrow()
    }

    /// Resource defaults that were set in this scope, to be changed.
    pub fn defaults_mut(&self) -> RefMut<'_, Defaults> {
        if let Some(has_defaults) = &self.has_defaults {
            has_defaults.set(true);
        }
        self.defaults.borrow_mut()
    }

    /// Whether any scope below the same top scope has resource defaults.
    pub fn may_have_defaults(&self) -> bool {
        self.has_defaults.as_ref().is_none_or(|any| any.get())
    }

    /// The scopes that have defaults for a resource type, from this one outwards. Usually there are none for
    /// any type.
    pub fn with_defaults_for(self: &Rc<Self>, type_name: &str) -> impl Iterator<Item = &Rc<Self>> {
        let may_have = |scope: &&Rc<Self>| scope.may_have_defaults();
        std::iter::successors(Some(self).filter(may_have), |scope| scope.parent.as_ref())
            .filter(move |scope| scope.defaults.borrow().contains_key(type_name))
    }

    /// Whether this is the top scope.
    pub const fn is_top(&self) -> bool {
        matches!(self.kind, ScopeKind::Top)
    }

    /// The name of the class or defined type whose body is evaluated here.
    pub fn definition(&self) -> Option<&Arc<Definition>> {
        match &self.kind {
            ScopeKind::Node(definition) | ScopeKind::Class(definition) | ScopeKind::Define(definition) => {
                Some(definition)
            }
            ScopeKind::Top | ScopeKind::Settings => None,
        }
    }

    /// The enclosing node or top scope.
    pub fn enclosing(&self) -> Option<&Rc<Scope>> {
        self.enclosing.as_ref()
    }

    /// The next scope in which a name is searched for.
    pub(super) fn next(&self) -> Option<&Rc<Scope>> {
        self.inherited.as_ref().or_else(|| self.enclosing())
    }

    /// The top scope.
    pub fn top_of(scope: &Rc<Scope>) -> &Rc<Scope> {
        let mut scope = scope;
        while let Some(parent) = &scope.parent {
            scope = parent;
        }
        scope
    }

    /// The nearest node or top scope, this one included: where `epp` templates are evaluated.
    pub fn global_of(scope: &Rc<Scope>) -> &Rc<Scope> {
        let mut scope = scope;
        while !matches!(scope.kind, ScopeKind::Top | ScopeKind::Node(_)) {
            match scope.next() {
                Some(next) => scope = next,
                None => break,
            }
        }
        scope
    }

    /// Looks for a variable by a name without `::`.
    pub fn find(&self, name: &str) -> Lookup {
        let mut scope = self;
        loop {
            match scope.find_here(name) {
                Lookup::Missing => match scope.next() {
                    Some(next) => scope = next,
                    None => return Lookup::Missing,
                },
                found => return found,
            }
        }
    }

    /// Looks up a variable only in this scope, including its stack.
    pub fn find_here(&self, name: &str) -> Lookup {
        match self.stack.borrow().find(name) {
            Some(StackLookup::Value(value)) => return Lookup::Found(value.clone()),
            Some(StackLookup::NoGroup) => return Lookup::Found(Value::Undef),
            Some(StackLookup::Unevaluated(parameters)) => {
                return Lookup::Unevaluated(parameters.unevaluated(name));
            }
            None => {}
        }
        self.variables.borrow().get(name).map_or(Lookup::Missing, |value| Lookup::Found(value.clone()))
    }

    /// The value of a variable in place, by a name other than that of a match group. `None` for names with
    /// `::`, and while parameters are evaluated. Nothing can be assigned while it is borrowed.
    ///
    /// `place` is where the reading node found it last.
    pub(super) fn peek<'p>(
        &self,
        name: &str,
        place: impl FnOnce() -> Option<&'p AtomicU32>,
    ) -> Option<Ref<'_, Value>> {
        let stack = self.stack.borrow();
        if stack.has_parameters() {
            return None;
        }
        match Ref::filter_map(stack, |stack| stack.local(name)) {
            Ok(value) => return Some(value),
            Err(stack) => drop(stack),
        }
        let place = place();
        if let Some(place) = place
            && let Ok(value) = Ref::filter_map(self.variables.borrow(), |own| own.get_placed(place, name))
        {
            return Some(value);
        }
        self.peek_behind_stack(name, place)
    }

    /// As [`peek`](Self::peek), of a group of a match.
    pub(super) fn peek_group(&self, name: &str) -> Option<Ref<'_, Value>> {
        let number = number_of_group(name)?;
        Ref::filter_map(self.stack.borrow(), |stack| stack.group(number)).ok()
    }

    /// The text of a group of a match, of which no value is made.
    pub(super) fn peek_group_text(&self, name: &str) -> Option<Ref<'_, str>> {
        let number = number_of_group(name)?;
        Ref::filter_map(self.stack.borrow(), |stack| stack.group_text(number)).ok()
    }

    /// As [`peek`](Self::peek), of a variable that is not on this scope's stack.
    fn peek_behind_stack(&self, name: &str, place: Option<&AtomicU32>) -> Option<Ref<'_, Value>> {
        if name.bytes().any(|byte| byte == b':') {
            return None;
        }
        let mut scope = self;
        let hash = hash_of(name);
        loop {
            if let Ok(value) = Ref::filter_map(scope.variables.borrow(), |own| own.get_hashed(hash, name)) {
                // Variables of the scopes around it are behind those of this one.
                if let Some(place) = place.filter(|_| std::ptr::eq(scope, self)) {
                    self.variables.borrow().note_place(place, name);
                }
                return Some(value);
            }
            scope = scope.next()?;
            let stack = scope.stack.borrow();
            if stack.has_parameters() {
                return None;
            }
            if let Ok(value) = Ref::filter_map(stack, |stack| stack.local(name)) {
                return Some(value);
            }
        }
    }

    /// Reads a variable of this scope's own table in place, whatever is on its stack.
    ///
    /// `place` is where the reading node found it last.
    pub(super) fn read_own<T>(
        &self,
        name: &str,
        place: Option<&AtomicU32>,
        read: impl FnOnce(&Value) -> T,
    ) -> Option<T> {
        let own = self.variables.borrow();
        if let Some(value) = place.and_then(|place| own.get_placed(place, name)) {
            return Some(read(value));
        }
        let value = own.get(name)?;
        if let Some(place) = place {
            own.note_place(place, name);
        }
        Some(read(value))
    }

    /// Whether this scope has no variable of its own with a name with `::`.
    pub(super) fn has_plain_names(&self) -> bool {
        !self.has_odd_names.get()
    }

    /// A variable of this scope's own table, whatever is on its stack. Names with `::` are variables that
    /// templates were given.
    pub fn own(&self, name: &str) -> Option<Value> {
        self.variables.borrow().get(name).cloned()
    }

    /// As [`own`](Self::own), which is not asked for a name that no variable has.
    pub(super) fn own_odd(&self, name: &str) -> Option<Value> {
        if is_odd(name) && !self.has_odd_names.get() { None } else { self.own(name) }
    }

    /// Whether a variable with this name without `::` exists in this scope or the following ones.
    pub fn exists(&self, name: &str) -> bool {
        !matches!(self.find(name), Lookup::Missing)
    }

    /// Whether an assignment of this name would be a reassignment.
    pub fn is_bound(&self, name: &str) -> bool {
        let bound = self.stack.borrow().is_bound(name);
        bound.unwrap_or_else(|| self.variables.borrow().get(name).is_some())
    }

    /// Sets a variable where assignments go now: in the innermost lambda, function or template, or else in
    /// the scope's own table.
    ///
    /// # Errors
    /// A reserved or numeric name, a variable that is set already, or an assignment while defaults of
    /// parameters are evaluated.
    pub fn set(&self, name: impl Into<Str>, value: Value) -> Result<(), Error> {
        let name = name.into();
        check_name(&name)?;
        if self.is_bound(&name) {
            return Err(Error::plain(format!("Cannot reassign variable '${name}'")));
        }
        self.put(name, value)
    }

    /// Sets a variable that a definition's body finds, by a name that needs no look.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn set_first(&self, name: &Str, value: Value) -> Result<(), Error> {
        if !self.stack.borrow().is_idle() {
            return self.set(name.clone(), value);
        }
        let inserted = self.variables.borrow_mut().insert_new(name, || name.clone(), value);
        inserted.map_err(|_| Error::plain(format!("Cannot reassign variable '${name}'")))
    }

    /// Sets the parameters of the scope's definition. `are_plain`: the names may be assigned, and Ruby would
    /// write them alike.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn bind(&self, parameters: BoundParameters, are_plain: bool) -> Result<(), Error> {
        let parameters = match are_plain && parameters.more().is_empty() && self.stack.borrow().is_idle() {
            true => match self.variables.borrow_mut().bind(parameters) {
                Ok(()) => return Ok(()),
                Err(parameters) => parameters,
            },
            false => parameters,
        };
        parameters.assigned().try_for_each(|(name, value)| self.set(name.clone(), value.clone()))
    }

    /// Sets the entries of hashes as variables, which stay in the hashes. All keys are
    /// [plain](is_plain_name), unique names that are not set yet.
    pub(crate) fn set_facts(&self, facts: Vec<Arc<Hash>>) {
        self.variables.borrow_mut().set_facts(facts);
    }

    /// Sets a variable that is known not to be [bound](Self::is_bound).
    ///
    /// # Errors
    /// A reserved or numeric name, or an assignment while defaults of parameters are evaluated.
    pub(super) fn add(&self, name: Str, value: Value) -> Result<(), Error> {
        check_name(&name)?;
        self.put(name, value)
    }

    fn put(&self, name: Str, value: Value) -> Result<(), Error> {
        if let Some((name, value)) = self.stack.borrow_mut().add(name, value)? {
            self.note_name(&name);
            self.variables.borrow_mut().add_new(name, value);
        }
        Ok(())
    }

    /// Sets a variable of the scope's own table that is not there, as all others of a class body; returns the
    /// value if the name, a variable or the stack needs a closer look.
    #[inline]
    pub(super) fn assign_plain(
        &self,
        name: &str,
        make_name: impl FnOnce() -> Str,
        value: Value,
    ) -> Result<(), Value> {
        if !is_plain_name(name) || !self.stack.borrow().takes_no_assignments() {
            return Err(value);
        }
        self.variables.borrow_mut().insert_new(name, make_name, value)
    }

    fn note_name(&self, name: &str) {
        if is_odd(name) {
            self.has_odd_names.set(true);
        }
    }

    /// Sets a variable as [`set`](Self::set) does, including reserved names, and replaces an existing value.
    pub fn set_privileged(&self, name: impl Into<Str>, value: Value) -> Result<(), Error> {
        let name = name.into();
        if let Some((name, value)) = self.stack.borrow_mut().set(name, value)? {
            self.note_name(&name);
            self.variables.borrow_mut().insert(name, value);
        }
        Ok(())
    }

    /// Replaces a list or hash by another value, wherever only this scope holds it, and a text in the
    /// variable with this name.
    pub fn replace(&self, name: Option<&str>, old: &Value, new: &Value) {
        let replace = |known: &Str, value: &mut Value| {
            let is_text = old.is_string() && name == Some(known.as_str()) && value == old;
            if is_text || value.is_same_object(old) {
                *value = new.clone();
            }
        };
        self.variables.borrow_mut().iter_mut().for_each(|(known, value)| replace(known, value));
        self.stack.borrow_mut().each_mut(replace);
    }

    /// Forgets the value of a variable of the innermost lambda, function or template.
    pub(super) fn let_go(&self, name: &str) {
        self.stack.borrow_mut().let_go(name);
    }

    /// Makes the groups of a successful match `$0`, `$1` … until the block ends in which it happened.
    pub fn set_match(&self, groups: Groups) {
        self.stack.borrow_mut().set_match(groups);
    }

    /// Runs `body` and then forgets the matches and variables that it added to the stack.
    pub fn guarded<T>(&self, body: impl FnOnce() -> T) -> T {
        let _block = self.guard();
        body()
    }

    fn guard(&self) -> Block<'_> {
        Block { scope: self, outer: self.stack.borrow_mut().guard() }
    }

    /// Puts variables on the stack; they leave it when the result is dropped.
    fn push_local(&self, variables: impl Iterator<Item = (Str, Value)>) -> Block<'_> {
        let mut stack = self.stack.borrow_mut();
        let outer = stack.guard();
        stack.push_local(variables);
        Block { scope: self, outer }
    }

    /// As [`push_local`](Self::push_local), of names that are known with their marks.
    #[inline]
    pub(super) fn push_marked(
        &self,
        names: &[Str],
        marks: &[Mark],
        values: impl Iterator<Item = Value>,
    ) -> Block<'_> {
        let mut stack = self.stack.borrow_mut();
        let outer = stack.guard();
        stack.push_marked(names, marks, values);
        Block { scope: self, outer }
    }

    /// Runs `body` with these variables around it.
    ///
    /// # Errors
    /// A name is reserved or numeric.
    pub fn with_local<T>(&self, variables: Vec<(Str, Value)>, body: impl FnOnce() -> T) -> Result<T, Error> {
        for (name, _) in &variables {
            check_name(name)?;
        }
        let _block = self.push_local(variables.into_iter());
        Ok(body())
    }

    /// Runs `body` without anything on the scope's stack, as functions and `epp` templates see the global
    /// scope.
    pub fn without_ephemerals<T>(&self, body: impl FnOnce() -> T) -> T {
        let _hidden = self.hide();
        body()
    }

    /// Hides the stack until the result is dropped.
    pub(super) fn hide(&self) -> Block<'_> {
        Block { scope: self, outer: self.stack.borrow_mut().hide() }
    }

    /// Pushes parameters while their defaults are evaluated; they are removed when the result is dropped.
    /// `callee` is their owner, for messages.
    pub fn push_parameters(&self, callee: impl Into<Str>, names: Arc<Named<()>>) -> ParameterScope<'_> {
        let block = self.guard();
        let parameters = Parameters::new(callee.into(), names);
        self.stack.borrow_mut().push_parameters(parameters);
        ParameterScope { at: block.outer.first_frame(), block }
    }

    /// The variable that [`to_variables`](Self::to_variables) has under a name.
    pub fn variable(&self, name: &str) -> Option<Value> {
        let stacked = |stack: &Stack| {
            let variables = stack.variables().iter().rev();
            variables.filter(|(known, _)| known == name).map(|(_, value)| value.clone()).next()
        };
        if let Some(value) = stacked(&self.stack.borrow()).or_else(|| self.own(name)) {
            return (!value.is_undef()).then_some(value);
        }
        let inherited = self.inherited.as_ref().and_then(|scope| scope.variable(name));
        inherited.or_else(|| self.enclosing().and_then(|scope| scope.variable(name)))
    }

    /// Whether a visible variable has a name that is not valid in Ruby, with only letters, digits and `_`.
    pub fn has_odd_names(&self) -> bool {
        self.has_odd_names.get()
            || self.stack.borrow().variables().iter().any(|(name, _)| is_odd(name))
            || self.inherited.as_ref().is_some_and(|scope| scope.has_odd_names())
            || self.enclosing().is_some_and(|scope| scope.has_odd_names())
    }

    /// All variables that are visible here with their values, those of outer scopes first; `$0` … are not
    /// among them.
    pub fn to_variables(&self) -> Named<Value> {
        let mut all = self.enclosing().map(|scope| scope.to_variables()).unwrap_or_default();
        if let Some(inherited) = &self.inherited {
            all.extend(inherited.to_variables());
        }
        let mut add = |name: &Str, value: &Value| {
            if value.is_undef() {
                all.shift_remove(name);
            } else {
                all.insert(name.clone(), value.clone());
            }
        };
        self.variables.borrow().iter().for_each(|(name, value)| add(name, value));
        self.stack.borrow().variables().iter().for_each(|(name, value)| add(name, value));
        all
    }
}

/// Whether a name is one that Ruby would write otherwise.
fn is_odd(name: &str) -> bool {
    const PLAIN: [bool; 256] = {
        let mut plain = [false; 256];
        let mut byte = 0;
        while byte < plain.len() {
            plain[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
            byte += 1;
        }
        plain
    };
    !name.bytes().all(|byte| PLAIN[usize::from(byte)])
}

/// Whether a name may be assigned, and is one that Ruby would write alike.
pub(crate) fn is_plain_name(name: &str) -> bool {
    !is_odd(name) && check_name(name).is_ok()
}

/// Removes a block's variables from the stack of a scope.
#[derive(Debug)]
pub(super) struct Block<'s> {
    scope: &'s Scope,
    outer: Outer,
}

impl Block<'_> {
    /// Gives the variables with which the block began these values, and takes away what was added since.
    #[inline]
    pub fn refill<const N: usize>(&self, values: [Value; N]) {
        self.scope.stack.borrow_mut().refill(self.outer, values);
    }
}

impl Drop for Block<'_> {
    fn drop(&mut self) {
        self.scope.stack.borrow_mut().restore(self.outer);
    }
}

/// Parameters on a scope's stack, see [`Scope::push_parameters`].
#[derive(Debug)]
pub struct ParameterScope<'s> {
    block: Block<'s>,
    at: usize,
}

impl ParameterScope<'_> {
    fn with<T: Default>(&self, use_parameters: impl FnOnce(&mut Parameters) -> T) -> T {
        self.block.scope.stack.borrow_mut().parameters(self.at).map(use_parameters).unwrap_or_default()
    }

    /// Sets the value of a parameter. A name other than those of the parameters is appended.
    pub fn set(&self, name: &str, value: Value) {
        self.with(|parameters| parameters.put(name, value));
    }

    /// Whether the parameter with a number has a value other than `undef`.
    pub fn is_given(&self, number: usize) -> bool {
        self.with(|parameters| parameters.value_of(number).is_some_and(|value| !value.is_undef()))
    }

    /// Gives the parameter with a number its value.
    pub fn set_at(&self, number: usize, value: Value) {
        self.with(|parameters| parameters.put_at(number, value));
    }

    /// Runs `body`, the evaluation of the default of this parameter: nothing may be assigned in it.
    pub fn evaluating<T>(&self, name: &str, body: impl FnOnce() -> T) -> T {
        let number = self.with(|parameters| parameters.position(name));
        self.evaluating_at(number, body)
    }

    /// As [`evaluating`](Self::evaluating), of the parameter with a number.
    pub fn evaluating_at<T>(&self, number: Option<usize>, body: impl FnOnce() -> T) -> T {
        let outer = self.with(|parameters| std::mem::replace(&mut parameters.evaluating, number));
        let result = self.block.scope.guarded(body);
        self.with(|parameters| parameters.evaluating = outer);
        result
    }

    /// The parameters that have values, which leave the stack.
    pub fn into_assigned(self) -> Vec<(Str, Value)> {
        self.with(Parameters::take_assigned)
    }

    /// The parameters, which leave the stack.
    pub fn into_bound(self) -> BoundParameters {
        self.with(Parameters::take_bound)
    }
}

/// The number in the name of a group of a match, nearly always one digit.
#[inline]
fn number_of_group(name: &str) -> Option<usize> {
    match *name.as_bytes() {
        [digit @ b'0'..=b'9'] => Some(usize::from(digit - b'0')),
        _ => name.parse().ok(),
    }
}

/// Whether a name is that of a group of a match: digits only.
pub(super) fn is_match_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Refuses names that cannot be assigned.
pub(super) fn check_name(name: &str) -> Result<(), Error> {
    if is_match_name(name) {
        let message = format!("Cannot assign to a numeric match result variable '${name}'");
        return Err(Error::plain(message));
    }
    if matches!(name, "trusted" | "facts" | "server_facts") {
        return Err(Error::plain(format!("Attempt to assign to a reserved variable name: '{name}'")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(text: &str) -> Groups {
        Groups::new(text.into(), vec![Some((0, text.len()))])
    }

    fn value(scope: &Scope, name: &str) -> Option<Value> {
        match scope.find(name) {
            Lookup::Found(value) => Some(value),
            Lookup::Missing | Lookup::Unevaluated(_) => None,
        }
    }

    #[test]
    fn matches_end_with_the_block_and_locals_shadow() {
        let top = Scope::top();
        top.set("a", Value::Integer(1)).unwrap();
        top.set_match(matched("outer"));
        top.guarded(|| {
            top.set_match(matched("inner"));
            assert_eq!(value(&top, "0"), Some(Value::from("inner")));
            assert_eq!(value(&top, "7"), Some(Value::Undef));
        });
        assert_eq!(value(&top, "0"), Some(Value::from("outer")));
        top.with_local(vec![("a".into(), Value::Integer(2))], || {
            assert_eq!(value(&top, "a"), Some(Value::Integer(2)));
            assert!(top.set("a", Value::Undef).is_err());
        })
        .unwrap();
        top.without_ephemerals(|| assert_eq!(value(&top, "0"), None));
        assert_eq!(value(&top, "a"), Some(Value::Integer(1)));
    }

    #[test]
    fn what_a_block_assigns_belongs_to_the_call_around_it() {
        let top = Scope::top();
        top.with_local(vec![("a".into(), Value::Integer(1))], || {
            top.guarded(|| {
                top.set_match(matched("x"));
                top.set("b", Value::Integer(2)).unwrap();
            });
            assert_eq!(value(&top, "b"), Some(Value::Integer(2)));
            assert_eq!(value(&top, "0"), None);
        })
        .unwrap();
        assert_eq!(value(&top, "b"), None);
    }

    #[test]
    fn defaults_see_earlier_parameters_only() {
        let top = Scope::top();
        let names: Named<()> = [("a".into(), ()), ("b".into(), ())].into_iter().collect();
        let parameters = top.push_parameters("f", Arc::new(names));
        parameters.evaluating("a", || {
            let Lookup::Unevaluated(error) = top.find("b") else { panic!("b has no value") };
            assert_eq!(
                error.message,
                "f: default expression for $a tries to illegally access not yet evaluated $b"
            );
            assert!(top.set("c", Value::Undef).is_err());
        });
        parameters.set("a", Value::Integer(1));
        assert_eq!(value(&top, "a"), Some(Value::Integer(1)));
        drop(parameters);
        assert_eq!(value(&top, "a"), None);
    }
}
