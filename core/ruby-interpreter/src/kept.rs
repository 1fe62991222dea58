//! The state that Ruby code keeps from one call to another: what functions set on the catalog and in their
//! own object, variables of classes and modules, global variables, constants that were changed in place.
//!
//! The values of a program end with its run. So the state becomes a graph without lifetime when a run ends or
//! calls out, and values again in the next run. What cannot become such a graph (blocks, methods of single
//! objects) is refused when a later call needs it.

use std::any::Any;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::class::Class;
use super::failure::{R, Run};
use super::interpreter::Interpreter;
use super::methods::time::Moment;
use super::modules::{Module, Object};
use super::shared::{has_changed, mark};
use super::value::{Entries, Given, Key, Val};
use bunraku_pcore::Value;
use bunraku_pcore::big::BigInt;
use bunraku_pcore::value::{RegexpValue, Str};

/// Where a value of the state is found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    Catalog(Str),
    /// A variable of the object of a function, by the function's file.
    Function(Str, Str),
    /// A variable of a class or module itself.
    Module(Str, Str),
    ClassVariable(Str, Str),
    Constant(Str, Str),
    Global(Str),
}

/// A value of the state; other values are named by their numbers.
#[derive(Clone, Debug)]
enum Kept {
    Nil,
    Boolean(bool),
    Integer(i64),
    Big(BigInt),
    Float(f64),
    Text {
        text: Str,
        frozen: bool,
        is_utf8: bool,
    },
    Symbol(Str),
    Array {
        values: Vec<usize>,
        frozen: bool,
    },
    Hash {
        pairs: Vec<(usize, usize)>,
        default: Option<usize>,
        frozen: bool,
    },
    Set {
        values: Vec<usize>,
        frozen: bool,
    },
    Range {
        from: usize,
        to: usize,
        exclusive: bool,
    },
    Regexp(Arc<RegexpValue>),
    Class(&'static Class),
    Module(Str),
    Object {
        class: Str,
        variables: Vec<(Str, usize)>,
        frozen: bool,
    },
    Foreign(Value),
    Bytes(Vec<u8>),
    Time(Moment),
    /// What only the run that made it can use.
    Refused,
}

/// The state after a run.
#[derive(Debug, Default)]
struct State {
    values: Vec<Kept>,
    places: Vec<(Place, usize)>,
    /// The files that define its classes.
    files: Vec<Str>,
}

impl State {
    /// Whether a value consists of what later runs can use.
    fn is_usable(&self, root: usize) -> bool {
        let (mut pending, mut met) = (vec![root], FxHashSet::default());
        while let Some(at) = pending.pop() {
            match self.values.get(at) {
                None | Some(Kept::Refused) => return false,
                Some(value) if met.insert(at) => each_inner(value, |inner| pending.push(inner)),
                Some(_) => {}
            }
        }
        true
    }
}

fn each_inner(value: &Kept, mut see: impl FnMut(usize)) {
    match value {
        Kept::Array { values, .. } | Kept::Set { values, .. } => values.iter().copied().for_each(see),
        Kept::Hash { pairs, default, .. } => {
            pairs.iter().for_each(|(key, value)| {
                see(*key);
                see(*value);
            });
            default.iter().copied().for_each(see);
        }
        Kept::Range { from, to, .. } => {
            see(*from);
            see(*to);
        }
        Kept::Object { variables, .. } => variables.iter().for_each(|(_, value)| see(*value)),
        _ => {}
    }
}

/// The state as a run sees it.
#[derive(Default)]
pub(super) struct Seen<'a> {
    /// The state that earlier runs have left.
    state: Option<Arc<State>>,
    /// The values of this run that it has become.
    made: FxHashMap<usize, Val<'a>>,
    /// The places that have got their values.
    done: FxHashSet<Place>,
    /// The places whose values only an earlier run could use.
    refused: FxHashSet<Place>,
    /// The places that the called code has assigned, other than the loaded files.
    assigned: FxHashSet<Place>,
    /// Whether the function was called: before, its file is loaded.
    pub is_called: bool,
    /// The number of files in progress of loading.
    pub loads: u32,
    /// The object of the function.
    pub function: Option<(&'a str, &'a Object<'a>)>,
}

/// Makes a state of values.
#[derive(Default)]
struct Keeper<'a> {
    state: State,
    numbers: FxHashMap<usize, usize>,
    pending: Vec<(usize, Val<'a>)>,
}

impl<'a> Keeper<'a> {
    fn number(&mut self, value: Val<'a>) -> usize {
        let address = address(value);
        if let Some(known) = address.and_then(|address| self.numbers.get(&address)) {
            return *known;
        }
        let number = self.state.values.len();
        self.state.values.push(Kept::Nil);
        address.map(|address| self.numbers.insert(address, number));
        self.pending.push((number, value));
        number
    }

    fn keep(&mut self, place: Place, value: Val<'a>) {
        let number = self.number(value);
        self.state.places.push((place, number));
    }

    /// Takes over a value of an earlier state.
    fn keep_earlier(&mut self, place: Place, earlier: &State, root: usize) {
        let mut numbers = FxHashMap::default();
        let mut pending = vec![root];
        while let Some(at) = pending.pop() {
            if numbers.contains_key(&at) {
                continue;
            }
            numbers.insert(at, self.state.values.len());
            let value = earlier.values.get(at).unwrap_or(&Kept::Refused);
            self.state.values.push(value.clone());
            each_inner(value, |inner| pending.push(inner));
        }
        for number in numbers.values() {
            if let Some(value) = self.state.values.get_mut(*number) {
                renumber(value, &numbers);
            }
        }
        self.state.places.push((place, numbers.get(&root).copied().unwrap_or_default()));
    }

    fn describe(&mut self, i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, Kept> {
        Ok(match value {
            Val::Nil => Kept::Nil,
            Val::Boolean(truth) => Kept::Boolean(truth),
            Val::Integer(number) => Kept::Integer(number),
            Val::Big(number) => Kept::Big(number.clone()),
            Val::Float(number) => Kept::Float(number),
            Val::String(text) => {
                Kept::Text { text: text.get(), frozen: text.frozen.get(), is_utf8: text.is_utf8.get() }
            }
            Val::Symbol(name) => Kept::Symbol(name.into()),
            Val::Array(list) => Kept::Array {
                values: list.to_vec().into_iter().map(|value| self.number(value)).collect(),
                frozen: list.frozen.get(),
            },
            Val::Hash(map) if map.default_block.get().is_none() => Kept::Hash {
                pairs: map
                    .now()
                    .iter()
                    .map(|(key, value)| (self.number(key.0), self.number(*value)))
                    .collect(),
                default: map.default.get().map(|value| self.number(value)),
                frozen: map.frozen.get(),
            },
            Val::Set(map) => Kept::Set {
                values: map.now().keys().map(|key| self.number(key.0)).collect(),
                frozen: map.frozen.get(),
            },
            Val::Range(range) if !range.is_copy => Kept::Range {
                from: self.number(range.from),
                to: self.number(range.to),
                exclusive: range.exclusive,
            },
            Val::Regexp(pattern) => Kept::Regexp(pattern.clone()),
            Val::Class(class) => Kept::Class(class),
            Val::Module(module) => match i.kept_name(module) {
                Some(name) => Kept::Module(name),
                None => Kept::Refused,
            },
            Val::Object(object) => match i.kept_name(object.class) {
                Some(class) if object.singleton.get().is_none() => {
                    let variables = object.variables.now();
                    let variables =
                        variables.iter().map(|(name, value)| ((*name).into(), self.number(*value)));
                    Kept::Object { class, variables: variables.collect(), frozen: object.frozen.get() }
                }
                _ => Kept::Refused,
            },
            Val::Foreign(value) => Kept::Foreign(value.clone()),
            Val::Bytes(bytes) => Kept::Bytes(bytes.to_vec()),
            Val::Time(moment) => Kept::Time(*moment),
            _ => Kept::Refused,
        })
    }

    fn finish(mut self, i: &mut Interpreter<'a>) -> Run<'a, State> {
        while let Some((number, value)) = self.pending.pop() {
            let kept = self.describe(i, value)?;
            if let Some(place) = self.state.values.get_mut(number) {
                *place = kept;
            }
        }
        i.charge_steps(1 + self.state.values.len() as u64 / 8)?;
        Ok(self.state)
    }
}

fn renumber(value: &mut Kept, numbers: &FxHashMap<usize, usize>) {
    let change = |number: &mut usize| *number = numbers.get(number).copied().unwrap_or_default();
    match value {
        Kept::Array { values, .. } | Kept::Set { values, .. } => values.iter_mut().for_each(change),
        Kept::Hash { pairs, default, .. } => {
            pairs.iter_mut().for_each(|(key, value)| {
                change(key);
                change(value);
            });
            default.iter_mut().for_each(change);
        }
        Kept::Range { from, to, .. } => {
            change(from);
            change(to);
        }
        Kept::Object { variables, .. } => variables.iter_mut().for_each(|(_, value)| change(value)),
        _ => {}
    }
}

/// What tells an object that can change from others.
fn address(value: Val<'_>) -> Option<usize> {
    Some(match value {
        Val::String(text) => std::ptr::from_ref(text).addr(),
        Val::Array(list) => std::ptr::from_ref(list).addr(),
        Val::Hash(map) | Val::Set(map) => std::ptr::from_ref(map).addr(),
        Val::Object(object) => std::ptr::from_ref(object).addr(),
        Val::Module(module) => std::ptr::from_ref(module).addr(),
        _ => return None,
    })
}

/// Whether a constant can have been changed in place: a collection says so, an object does not.
fn can_have_changed(value: Val<'_>) -> bool {
    match value {
        Val::Object(object) => !object.frozen.get(),
        Val::Set(set) => !set.frozen.get(),
        _ => has_changed(value),
    }
}

impl<'a> Interpreter<'a> {
    /// The catalog as an object with variables.
    pub(super) fn catalog_object(&mut self) -> &'a Object<'a> {
        let (heap, class) = (self.heap, self.nowhere);
        self.catalog.get_or_insert_with(|| heap.object(class))
    }

    /// A variable of the catalog that an earlier call has set.
    pub(super) fn kept_on_catalog(&mut self, name: &str) -> Run<'a, Option<Val<'a>>> {
        self.see_state();
        let place = Place::Catalog(name.into());
        if self.kept.done.contains(&place) {
            return Ok(None);
        }
        let Some((state, number)) = self.kept_at(&place) else { return Ok(None) };
        if !state.is_usable(number) {
            return Err(
                self.unsupported(format!("object that an earlier call has kept on the catalog (@{name})"))
            );
        }
        let value = self.kept_value(&state, number, 0)?;
        self.kept.done.insert(place);
        let name = self.heap.name(name);
        self.catalog_object().variables.change(|variables| variables.insert(name, value));
        Ok(Some(value))
    }

    /// Must be called when a variable of a class or module is set.
    pub(super) fn note_assigned(&mut self, module: &'a Module<'a>, name: &str, is_class_variable: bool) {
        if !self.kept.is_called || self.kept.loads > 0 {
            return;
        }
        if let Some(path) = self.kept_name(module) {
            let place = if is_class_variable { Place::ClassVariable } else { Place::Module };
            let place = place(path, name.into());
            self.note_place(place);
        }
    }

    /// Refuses a variable of a class or module whose value only an earlier call could use.
    pub(super) fn check_kept(
        &self,
        module: &'a Module<'a>,
        name: &str,
        is_class_variable: bool,
    ) -> Run<'a, ()> {
        if self.kept.refused.is_empty() {
            return Ok(());
        }
        let Some(path) = self.kept_name(module) else { return Ok(()) };
        let place = if is_class_variable { Place::ClassVariable } else { Place::Module };
        if self.kept.refused.contains(&place(path.clone(), name.into())) {
            let sign = if is_class_variable { "@@" } else { "@" };
            let what = format!("object that an earlier call has kept in a class ({sign}{name} of {path})");
            return Err(self.unsupported(what));
        }
        Ok(())
    }

    /// The place of a variable of the function's own object.
    fn place_in_function(&self, object: &'a Object<'a>, name: &str) -> Option<Place> {
        let (file, own) = self.kept.function?;
        std::ptr::eq(own, object).then(|| Place::Function(file.into(), name.into()))
    }

    /// Must be called when a variable of an object is set.
    pub(super) fn note_set(&mut self, object: &'a Object<'a>, name: &str) {
        if let Some(place) = self.place_in_function(object, name) {
            self.note_place(place);
        }
    }

    /// Must be called when a global variable is set.
    pub(super) fn note_global(&mut self, name: &str) {
        self.note_place(Place::Global(name.into()));
    }

    fn note_place(&mut self, place: Place) {
        if self.kept.is_called && self.kept.loads == 0 {
            self.kept.refused.remove(&place);
            self.kept.assigned.insert(place);
        }
    }

    /// Refuses a variable of the function's own object whose value only an earlier call could use.
    pub(super) fn check_set(&self, object: &'a Object<'a>, name: &str) -> Run<'a, ()> {
        if self.kept.refused.is_empty() {
            return Ok(());
        }
        match self.place_in_function(object, name) {
            Some(place) if self.kept.refused.contains(&place) => {
                Err(self.unsupported(format!("object that an earlier call has kept in a function (@{name})")))
            }
            _ => Ok(()),
        }
    }

    /// A global variable, by its name without `$`.
    pub(super) fn global(&self, name: &str) -> R<'a> {
        match self.globals.get(name) {
            Some(value) => Ok(*value),
            None if self.kept.refused.is_empty() => Ok(Val::Nil),
            None if self.kept.refused.contains(&Place::Global(name.into())) => Err(self
                .unsupported(format!("object that an earlier call has kept in a global variable (${name})"))),
            None => Ok(Val::Nil),
        }
    }

    /// The name by which another run finds a class or module.
    fn kept_name(&self, module: &'a Module<'a>) -> Option<Str> {
        let name = module.name.get().filter(|_| module.attached.is_none())?;
        let found = match module.native {
            Some(_) => Some(module),
            None => self.module_at(name),
        };
        found.is_some_and(|found| std::ptr::eq(found, module)).then(|| name.into())
    }

    /// A module that was defined, by its whole name.
    fn module_at(&self, path: &str) -> Option<&'a Module<'a>> {
        if let Some(module) = self.modules.additions.get(path) {
            return Some(module);
        }
        let mut parts = bunraku_syntax::names::segments(path);
        let mut found = *self.constants.get(parts.next()?)?;
        for part in parts {
            let around = match found {
                Val::Module(module) => module,
                Val::Class(class) => self.modules.additions.get(class.name)?,
                _ => return None,
            };
            found = around.constants.ask(|constants| constants.get(part).copied())?;
        }
        if let Val::Module(module) = found { Some(module) } else { None }
    }

    /// All modules that were defined.
    fn all_modules(&self) -> Vec<&'a Module<'a>> {
        let mut all: Vec<&'a Module<'a>> = self.modules.additions.values().copied().collect();
        let mut met: FxHashSet<usize> = all.iter().map(|one| std::ptr::from_ref(*one).addr()).collect();
        let mut add = |value: &Val<'a>, all: &mut Vec<&'a Module<'a>>| {
            if let Val::Module(module) = *value
                && met.insert(std::ptr::from_ref(module).addr())
            {
                all.push(module);
            }
        };
        self.constants.values().for_each(|value| add(value, &mut all));
        let mut at = 0;
        while let Some(module) = all.get(at).copied() {
            module.constants.now().values().for_each(|value| add(value, &mut all));
            at += 1;
        }
        all
    }

    fn see_state(&mut self) {
        if self.kept.state.is_none() {
            self.kept.state = self.world.kept().and_then(|state| state.downcast().ok());
        }
    }

    fn kept_at(&self, place: &Place) -> Option<(Arc<State>, usize)> {
        let state = self.kept.state.as_ref()?;
        let (_, number) = state.places.iter().find(|(known, _)| known == place)?;
        Some((state.clone(), *number))
    }

    /// Gives what is loaded the state that earlier calls have left; to be called after files were loaded.
    pub(super) fn restore_state(&mut self) -> Run<'a, ()> {
        if self.kept.loads > 0 {
            return Ok(());
        }
        self.mark_constants();
        self.see_state();
        let Some(state) = self.kept.state.clone() else { return Ok(()) };
        for (place, number) in &state.places {
            if matches!(place, Place::Catalog(_) | Place::Function(..)) || self.kept.done.contains(place) {
                continue;
            }
            let module = match place {
                Place::Module(path, _) | Place::ClassVariable(path, _) | Place::Constant(path, _) => {
                    match self.module_at(path) {
                        Some(module) => Some(module),
                        None => continue,
                    }
                }
                _ => None,
            };
            self.kept.done.insert(place.clone());
            if !state.is_usable(*number) {
                self.kept.refused.insert(place.clone());
                continue;
            }
            let value = self.kept_value(&state, *number, 0)?;
            self.restore(place, module, value);
        }
        Ok(())
    }

    fn restore(&mut self, place: &Place, module: Option<&'a Module<'a>>, value: Val<'a>) {
        let (Place::Module(_, name)
        | Place::ClassVariable(_, name)
        | Place::Constant(_, name)
        | Place::Global(name)
        | Place::Function(_, name)
        | Place::Catalog(name)) = place;
        let name = self.heap.name(name.clone());
        match (place, module) {
            (Place::Global(_), _) => drop(self.globals.insert(name, value)),
            (Place::Module(..), Some(module)) => {
                module.variables.change(|variables| variables.insert(name, value));
            }
            (Place::ClassVariable(..), Some(module)) => {
                module.class_variables.change(|variables| variables.insert(name, value));
            }
            (Place::Constant(..), Some(module)) => {
                // It stays one that was changed.
                value.given().inspect(|given| given.set(Given::Changed));
                module.constants.change(|constants| constants.insert(name, value));
            }
            _ => {}
        }
    }

    /// Gives the object of the function the variables that it had after the earlier call.
    pub(super) fn restore_function(&mut self, object: &'a Object<'a>) -> Run<'a, ()> {
        let file = self.file;
        self.kept.function = Some((file, object));
        self.see_state();
        let Some(state) = self.kept.state.clone() else { return Ok(()) };
        for (place, number) in &state.places {
            if let Place::Function(of, name) = place
                && of == file
            {
                if !state.is_usable(*number) {
                    // One of this run stays.
                    if !object.variables.ask(|variables| variables.contains_key(name.as_str())) {
                        self.kept.refused.insert(place.clone());
                    }
                    continue;
                }
                let value = self.kept_value(&state, *number, 0)?;
                let name = self.heap.name(name.clone());
                object.variables.change(|variables| variables.insert(name, value));
            }
        }
        Ok(())
    }

    /// Marks the collections of constants, so that they tell whether they were changed.
    fn mark_constants(&mut self) {
        for module in self.all_modules() {
            for value in module.constants.now().values() {
                if value.given().is_some_and(|given| given.get() == Given::No) {
                    mark(*value);
                }
            }
        }
    }

    /// Hands the state to the compilation.
    pub(super) fn keep_state(&mut self) -> Run<'a, ()> {
        let mut keeper = Keeper::default();
        if let Some(catalog) = self.catalog {
            let variables = catalog.variables.now();
            variables.iter().for_each(|(name, value)| keeper.keep(Place::Catalog((*name).into()), *value));
        }
        if let Some((file, object)) = self.kept.function {
            let variables = object.variables.now();
            let place = |name: &str| Place::Function(file.into(), name.into());
            variables.iter().for_each(|(name, value)| keeper.keep(place(name), *value));
        }
        for (name, value) in self.globals.iter().filter(|(name, _)| **name != "LOAD_PATH") {
            keeper.keep(Place::Global((*name).into()), *value);
        }
        for module in self.all_modules() {
            let Some(path) = self.kept_name(module) else { continue };
            let own = |name: &str| (path.clone(), Str::from(name));
            for (name, value) in module.variables.now().iter() {
                let (path, name) = own(name);
                keeper.keep(Place::Module(path, name), *value);
            }
            for (name, value) in module.class_variables.now().iter() {
                let (path, name) = own(name);
                keeper.keep(Place::ClassVariable(path, name), *value);
            }
            for (name, value) in module.constants.now().iter().filter(|(_, value)| can_have_changed(**value))
            {
                let (path, name) = own(name);
                keeper.keep(Place::Constant(path, name), *value);
            }
        }
        self.see_state();
        let earlier = self.kept.state.clone();
        if keeper.state.places.is_empty() && earlier.is_none() {
            return Ok(());
        }
        if let Some(earlier) = &earlier {
            for (place, number) in &earlier.places {
                let is_there = keeper.state.places.iter().any(|(known, _)| known == place);
                if !is_there && !self.kept.done.contains(place) {
                    keeper.keep_earlier(place.clone(), earlier, *number);
                }
            }
        }
        keeper.state.files = self.loaded.clone();
        if let Some(earlier) = &earlier {
            let more = earlier.files.iter().filter(|file| !self.loaded.contains(file));
            keeper.state.files.extend(more.cloned());
        }
        let mut state = keeper.finish(self)?;
        // What only this run can use and files alone have set is the same when they are loaded anew.
        let places = std::mem::take(&mut state.places);
        let (assigned, refused) = (&self.kept.assigned, &self.kept.refused);
        let is_kept = |place: &Place, number: usize| match place {
            Place::Catalog(_) => true,
            Place::Constant(..) => state.is_usable(number),
            _ => state.is_usable(number) || assigned.contains(place) || refused.contains(place),
        };
        state.places = places.into_iter().filter(|(place, number)| is_kept(place, *number)).collect();
        let state = Arc::new(state);
        if self.world.keep(state.clone() as Arc<dyn Any + Send + Sync>) {
            self.kept.done.extend(state.places.iter().map(|(place, _)| place.clone()));
            self.kept.state = Some(state);
            return Ok(());
        }
        match self.catalog {
            Some(_) => Err(self.unsupported("instance variable of a catalog")),
            None => Ok(()),
        }
    }

    /// Takes over what other runs have changed while this one has called out.
    pub(super) fn hear_state(&mut self) -> Run<'a, ()> {
        let now: Option<Arc<State>> = self.world.kept().and_then(|state| state.downcast().ok());
        let is_same = match (&now, &self.kept.state) {
            (Some(now), Some(known)) => Arc::ptr_eq(now, known),
            (now, _) => now.is_none(),
        };
        if is_same {
            return Ok(());
        }
        self.kept.state = now;
        self.kept.made.clear();
        self.kept.done.clear();
        self.kept.refused.clear();
        if let Some(catalog) = self.catalog {
            catalog.variables.change(|variables| variables.clear());
        }
        if let Some((_, object)) = self.kept.function {
            self.restore_function(object)?;
        }
        self.restore_state()
    }

    /// A value of the state as one of this run.
    fn kept_value(&mut self, state: &Arc<State>, number: usize, depth: u32) -> R<'a> {
        const DEEPEST: u32 = 200;
        if let Some(made) = self.kept.made.get(&number) {
            return Ok(*made);
        }
        if depth > DEEPEST {
            return Err(self.unsupported("objects of an earlier call that nest so deep"));
        }
        let heap = self.heap;
        let value = match state.values.get(number) {
            None | Some(Kept::Refused) => return Err(self.unsupported("object of an earlier call")),
            Some(Kept::Nil) => Val::Nil,
            Some(Kept::Boolean(truth)) => Val::Boolean(*truth),
            Some(Kept::Integer(number)) => Val::Integer(*number),
            Some(Kept::Big(number)) => heap.whole(number.clone()),
            Some(Kept::Float(number)) => Val::Float(*number),
            Some(Kept::Text { text, frozen, is_utf8 }) => {
                let made = heap.string(text.clone());
                if let Val::String(text) = made {
                    text.frozen.set(*frozen);
                    text.is_utf8.set(*is_utf8);
                }
                made
            }
            Some(Kept::Symbol(name)) => heap.symbol(name.clone()),
            Some(Kept::Regexp(pattern)) => Val::Regexp(heap.pattern(pattern.clone())),
            Some(Kept::Class(class)) => Val::Class(class),
            Some(Kept::Foreign(value)) => heap.foreign(value.clone()),
            Some(Kept::Bytes(bytes)) => heap.bytes(bytes.clone()),
            Some(Kept::Time(moment)) => heap.time(*moment),
            Some(Kept::Module(path)) => Val::Module(self.kept_class(state, path)?),
            Some(Kept::Range { from, to, exclusive }) => {
                let from = self.kept_value(state, *from, depth + 1)?;
                let to = self.kept_value(state, *to, depth + 1)?;
                heap.range(from, to, *exclusive)
            }
            Some(inner) => return self.kept_collection(state, (number, inner), depth),
        };
        self.kept.made.insert(number, value);
        Ok(value)
    }

    /// As [`kept_value`](Self::kept_value): what may contain itself.
    fn kept_collection(&mut self, state: &Arc<State>, (number, kept): (usize, &Kept), depth: u32) -> R<'a> {
        let heap = self.heap;
        match kept {
            Kept::Array { values, frozen } => {
                let made = heap.array(Vec::new());
                self.kept.made.insert(number, made);
                let all: Run<'a, Vec<_>> =
                    values.iter().map(|value| self.kept_value(state, *value, depth + 1)).collect();
                if let Val::Array(list) = made {
                    list.set(all?);
                    list.frozen.set(*frozen);
                }
                Ok(made)
            }
            Kept::Hash { pairs, default, frozen } => {
                let map = heap.map(Entries::default());
                self.kept.made.insert(number, Val::Hash(map));
                let mut entries = Entries::default();
                for (key, value) in pairs {
                    let key = self.kept_value(state, *key, depth + 1)?;
                    entries.insert(Key(key), self.kept_value(state, *value, depth + 1)?);
                }
                map.set(entries);
                map.default.set(default.map(|value| self.kept_value(state, value, depth + 1)).transpose()?);
                map.frozen.set(*frozen);
                Ok(Val::Hash(map))
            }
            Kept::Set { values, frozen } => {
                let map = heap.map(Entries::default());
                self.kept.made.insert(number, Val::Set(map));
                let mut entries = Entries::default();
                for value in values {
                    entries.insert(Key(self.kept_value(state, *value, depth + 1)?), Val::Boolean(true));
                }
                map.set(entries);
                map.frozen.set(*frozen);
                Ok(Val::Set(map))
            }
            Kept::Object { class, variables, frozen } => {
                let class = self.kept_class(state, class)?;
                let object = heap.object(class);
                self.kept.made.insert(number, Val::Object(object));
                for (name, value) in variables {
                    let value = self.kept_value(state, *value, depth + 1)?;
                    let name = heap.name(name.clone());
                    object.variables.change(|variables| variables.insert(name, value));
                }
                object.frozen.set(*frozen);
                Ok(Val::Object(object))
            }
            _ => Err(self.unsupported("object of an earlier call")),
        }
    }

    /// A copy of a value with all that is in it, as `Marshal` makes one: nothing in it is frozen but the
    /// texts that are keys.
    pub(super) fn deep_copy(&mut self, value: Val<'a>) -> R<'a> {
        let mut keeper = Keeper::default();
        let root = keeper.number(value);
        let mut state = keeper.finish(self)?;
        if !state.is_usable(root) {
            return Err(self.unsupported("Marshal of such a value"));
        }
        let mut keys = FxHashSet::default();
        for kept in &state.values {
            if let Kept::Hash { pairs, .. } = kept {
                keys.extend(pairs.iter().map(|(key, _)| *key));
            }
        }
        for (number, kept) in state.values.iter_mut().enumerate() {
            if let Kept::Text { frozen, .. }
            | Kept::Array { frozen, .. }
            | Kept::Hash { frozen, .. }
            | Kept::Set { frozen, .. }
            | Kept::Object { frozen, .. } = kept
            {
                *frozen = *frozen && keys.contains(&number);
            }
        }
        let made = std::mem::take(&mut self.kept.made);
        let copy = self.kept_value(&Arc::new(state), root, 0);
        self.kept.made = made;
        copy
    }

    /// A class or module of an earlier run. The files that the run had loaded are loaded here, too, where it
    /// is missing.
    fn kept_class(&mut self, state: &Arc<State>, path: &str) -> Run<'a, &'a Module<'a>> {
        if let Some(module) = self.module_at(path) {
            return Ok(module);
        }
        if self.load_prelude_of(path)?
            && let Some(module) = self.module_at(path)
        {
            return Ok(module);
        }
        for file in &state.files {
            if self.loaded.contains(file) {
                continue;
            }
            if let Some(text) = self.world.read_file(file).map_err(|error| self.fail(error))? {
                self.load(file.clone(), &text)?;
            }
            if let Some(module) = self.module_at(path) {
                return Ok(module);
            }
        }
        Err(self.unsupported(format!("object that an earlier call has kept ({path})")))
    }
}
