//! Instance variables of the program itself: the variables of the scope.

use rustc_hash::FxHashMap;

use super::failure::{R, Run};
use super::interpreter::Interpreter;
use super::value::Val;
use bunraku_pcore::Value;
use bunraku_pcore::value::Str;

impl<'a> Interpreter<'a> {
    /// Whether an instance variable of the program itself was set.
    pub fn has_instance(&self, name: &str) -> bool {
        self.instances.contains_key(name)
    }

    /// An instance variable of the program itself, by its name without `@`.
    pub fn instance(&mut self, name: &str) -> R<'a> {
        if let Some(value) = self.instances.get(name) {
            return Ok(*value);
        }
        let is_one_by_one = self.variables.is_none() && self.is_named_alike();
        let found = match self.before.get(name) {
            Some(before) => before.clone().map(|value| (name.into(), value)),
            None if is_one_by_one => self.world.variable(name).map(|value| (name.into(), value)),
            None => self.all_variables().get(name).cloned(),
        };
        let Some((known_as, value)) = found else { return Ok(Val::Nil) };
        let value = self.shared_value(&known_as, &value)?;
        self.instances.insert(name.into(), value);
        Ok(value)
    }

    /// Whether variables of the scope have the same names in Ruby.
    fn is_named_alike(&mut self) -> bool {
        *self.is_named_alike.get_or_insert_with(|| self.world.names_variables_as_ruby())
    }

    /// The current variables, except for those that the program has set, which are instance variables from
    /// here on.
    fn all_variables(&mut self) -> &FxHashMap<String, (Str, Value)> {
        self.variables.get_or_insert_with(|| {
            let variables = self.world.variables().into_iter();
            let mut all: FxHashMap<String, (Str, Value)> =
                variables.map(|(name, value)| (ruby_name(&name), (name, value))).collect();
            for (name, before) in self.before.drain() {
                match before {
                    Some(value) => drop(all.insert(name.to_string(), (name, value))),
                    None => drop(all.remove(name.as_str())),
                }
            }
            all
        })
    }

    /// Sets a variable of the scope. Instance variables keep the values that they have.
    pub fn set_variable(&mut self, name: &str, value: Value) -> Run<'a, ()> {
        let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if self.variables.is_none() && is_plain && self.is_named_alike() {
            if !self.before.contains_key(name) {
                self.before.insert(name.into(), self.world.variable(name));
            }
        } else {
            self.all_variables();
        }
        self.world.set_variable(name, value).map_err(|error| self.fail(error))
    }

    /// The names of the instance variables.
    pub fn instance_names(&mut self) -> Vec<String> {
        let mut names: Vec<String> = self.world.variables().iter().map(|(name, _)| ruby_name(name)).collect();
        for name in self.instances.keys() {
            if !names.iter().any(|known| known == name.as_str()) {
                names.push(name.to_string());
            }
        }
        names
    }

    /// Sets an instance variable.
    pub fn set_instance(&mut self, name: &str, value: Val<'a>) {
        self.instances.insert(name.trim_start_matches('@').into(), value);
    }
}

/// The name that a variable has as an instance variable.
fn ruby_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect()
}
