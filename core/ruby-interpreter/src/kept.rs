//! Variables of the catalog: what a function sets there is there for later calls of the compilation.
//!
//! The values of a program end with its run. So data is handed to the compilation; an object stays with the
//! run that made it, and later ones refuse to go on without it.

use super::failure::Run;
use super::interpreter::Interpreter;
use super::modules::Object;
use super::value::Val;

impl<'a> Interpreter<'a> {
    /// The catalog as an object with variables.
    pub(super) fn catalog_object(&mut self) -> &'a Object<'a> {
        let (heap, class) = (self.heap, self.nowhere);
        self.catalog.get_or_insert_with(|| heap.object(class))
    }

    /// A variable that an earlier call has set; from now on it is the run's own.
    pub(super) fn kept_on_catalog(&mut self, name: &str) -> Run<'a, Option<Val<'a>>> {
        let Some(kept) = self.world.kept_on_catalog(name) else { return Ok(None) };
        let Some(value) = kept else {
            return Err(
                self.unsupported(format!("object that an earlier call has kept on the catalog (@{name})"))
            );
        };
        let value = self.to_ruby(&value)?;
        let name = self.heap.name(name);
        self.catalog_object().variables.change(|variables| variables.insert(name, value));
        Ok(Some(value))
    }

    /// Hands a variable to the compilation.
    pub(super) fn keep_on_catalog(&mut self, name: &str, value: Val<'a>) -> Run<'a, ()> {
        let data = if is_data(value, 0) { Some(self.to_puppet(value)?) } else { None };
        if self.world.keep_on_catalog(name, data) {
            return Ok(());
        }
        Err(self.unsupported("instance variable of a catalog"))
    }

    /// Hands all variables of the catalog to the compilation: their values can have changed in place.
    pub(super) fn keep_catalog(&mut self) -> Run<'a, ()> {
        let Some(catalog) = self.catalog else { return Ok(()) };
        let variables = catalog.variables.now();
        variables.iter().try_for_each(|(name, value)| self.keep_on_catalog(name, *value))
    }
}

/// Whether a value is the same after it was one of Puppet.
fn is_data(value: Val<'_>, depth: u32) -> bool {
    const DEEPEST: u32 = 100;
    match value {
        Val::Nil | Val::Boolean(_) | Val::Integer(_) | Val::Float(_) | Val::String(_) => true,
        Val::Array(list) => depth < DEEPEST && list.to_vec().into_iter().all(|one| is_data(one, depth + 1)),
        Val::Hash(map) => {
            depth < DEEPEST
                && map
                    .now()
                    .iter()
                    .all(|(key, one)| matches!(key.0, Val::String(_)) && is_data(*one, depth + 1))
        }
        _ => false,
    }
}
