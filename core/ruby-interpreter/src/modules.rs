//! Modules that a program defines: a name, constants, and methods of its own. There are no instances of them.

use rustc_hash::FxHashMap;

use super::tree::Lambda;
use bunraku_pcore::value::Str;

/// The modules of a program.
#[derive(Default)]
pub(super) struct Modules<'a> {
    /// The module whose code runs, by its whole name; empty outside of modules.
    pub current: &'a str,
    methods: FxHashMap<&'a str, FxHashMap<&'a str, &'a Lambda>>,
}

impl<'a> Modules<'a> {
    /// The whole name of what is defined under a name here.
    pub fn full_name(&self, name: &str) -> Str {
        if self.current.is_empty() { name.into() } else { format!("{}::{name}", self.current).into() }
    }

    /// The names that a constant could have, the nearest first.
    pub fn candidates(&self, name: &str) -> Vec<Str> {
        let mut around = self.current;
        let mut names = Vec::new();
        while !around.is_empty() {
            names.push(format!("{around}::{name}").into());
            around = around.rsplit_once("::").map_or("", |(outer, _)| outer);
        }
        names.push(name.into());
        names
    }

    /// Begins or goes on with a module, and those that its name stands in.
    pub fn open(&mut self, name: &'a str) {
        self.methods.entry(name).or_default();
        for (at, _) in name.match_indices("::") {
            self.methods.entry(&name[..at]).or_default();
        }
    }

    /// A method of the module whose code runs.
    pub fn define(&mut self, name: &'a str, lambda: &'a Lambda) {
        self.methods.entry(self.current).or_default().insert(name, lambda);
    }

    /// The module of a whole name.
    pub fn named(&self, name: &str) -> Option<&'a str> {
        self.methods.get_key_value(name).map(|(name, _)| *name).filter(|name| !name.is_empty())
    }

    /// A method of a module.
    pub fn method(&self, module: &str, name: &str) -> Option<&'a Lambda> {
        self.methods.get(module)?.get(name).copied()
    }
}
