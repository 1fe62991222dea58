//! When values are the same: `eql?`, by which keys are found, `==`, `<=>`, and the numbers that tables sort
//! keys by.
//!
//! Collections may hold themselves, or one thing many times. As in Ruby, two that are being compared count as
//! equal where they meet again inside; so none is compared with another twice, and nested ones wait in a list
//! instead of on the stack.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::hash::{BuildHasher as _, Hash, Hasher};

use indexmap::map::raw_entry_v1::RawEntryApiV1 as _;
use rustc_hash::{FxHashSet, FxHasher};

use super::call::Args;
use super::failure::{Run, Unwind};
use super::interpreter::Interpreter;
use super::methods::number::by_coercion;
use super::modules::{Module, Object, Parent, ResolvedMethod};
use super::value::{Entries, Key, Val};
use bunraku_pcore::big::{BigInt, compare_with_float};
use bunraku_pcore::fuel::{BYTES_IN_STEP, Fuel};
use bunraku_syntax::diagnostic::Error;

/// The nesting of keys in keys from which they are only compared by identity.
const MAX_KEY_DEPTH: u32 = 100;

/// The maximum depth for ordering nested arrays.
const MAX_ORDER_DEPTH: usize = 2000;

/// The number of values in a collection that its hash as a key depends on.
const HASHED: usize = 256;

/// `eql?`: as `==`, but `1` is not `1.0`.
pub(super) fn eql<'a>(a: Val<'a>, b: Val<'a>) -> bool {
    simple(a, b, true).unwrap_or_else(|| Comparison::default().same(a, b, true))
}

/// Whether two values are equal, if this is known without comparing collections.
fn simple<'a>(a: Val<'a>, b: Val<'a>, strict: bool) -> Option<bool> {
    Some(match (a, b) {
        (Val::Integer(a), Val::Float(b)) | (Val::Float(b), Val::Integer(a)) if !strict => {
            compare_mixed(a, b) == Some(Ordering::Equal)
        }
        (Val::Big(a), Val::Float(b)) | (Val::Float(b), Val::Big(a)) if !strict => {
            compare_with_float(a, b) == Some(Ordering::Equal)
        }
        (Val::Nil, Val::Nil) | (Val::Main, Val::Main) => true,
        (Val::Boolean(a), Val::Boolean(b)) => a == b,
        (Val::Integer(a), Val::Integer(b)) => a == b,
        (Val::Big(a), Val::Big(b)) => a == b,
        (Val::Float(a), Val::Float(b)) => a == b,
        (Val::String(a), Val::String(b)) => std::ptr::eq(a, b) || a.get() == b.get(),
        (Val::Symbol(a), Val::Symbol(b)) => a == b,
        (Val::Array(a), Val::Array(b)) if !std::ptr::addr_eq(a, b) => return None,
        (Val::Hash(a), Val::Hash(b)) | (Val::Set(a), Val::Set(b)) if !std::ptr::addr_eq(a, b) => return None,
        (Val::Range(a), Val::Range(b)) if !std::ptr::addr_eq(a, b) => return None,
        (Val::Array(_), Val::Array(_))
        | (Val::Hash(_), Val::Hash(_))
        | (Val::Set(_), Val::Set(_))
        | (Val::Range(_), Val::Range(_)) => true,
        (Val::Regexp(a), Val::Regexp(b)) => a == b,
        (Val::Match(a), Val::Match(b)) => std::ptr::eq(a, b),
        (Val::Proc(a), Val::Proc(b)) => std::ptr::eq(a, b),
        (Val::Class(a), Val::Class(b)) => a.name == b.name,
        (Val::Module(a), Val::Module(b)) => std::ptr::eq(a, b),
        (Val::Object(a), Val::Object(b)) => std::ptr::eq(a, b),
        (Val::Binding(a), Val::Binding(b)) => std::ptr::eq(a, b),
        (Val::Exception(a), Val::Exception(b)) => std::ptr::eq(a, b),
        (Val::Enumerator(a), Val::Enumerator(b)) => std::ptr::eq(a, b),
        (Val::World(a), Val::World(b)) => a == b,
        (Val::Foreign(a), Val::Foreign(b)) => a == b,
        (Val::Bytes(a), Val::Bytes(b)) => a == b,
        (Val::Time(a), Val::Time(b)) => a.at == b.at,
        _ => false,
    })
}

/// Two collections, by their places.
type Pair = (usize, usize);

/// The collections seen so far in one comparison. Assuming that they are equal is correct in the end, because
/// one difference ends the comparison.
#[derive(Default)]
struct Comparison<'m> {
    /// The fuel, if there is any.
    fuel: Option<&'m dyn Fuel>,
    /// The fuel's complaint; the answer means nothing then.
    ended: Option<Error>,
    /// The compared size that has not been charged yet, approximately in bytes.
    looked_at: usize,
    /// Met so far, by `eql?` or by `==`, in their order.
    met: FxHashSet<(Pair, bool)>,
    trail: Vec<(Pair, bool)>,
    /// Keys that were found to differ.
    different: FxHashSet<Pair>,
    /// The nesting of keys in keys.
    depth: u32,
}

impl Comparison<'_> {
    fn same<'a>(&mut self, a: Val<'a>, b: Val<'a>, strict: bool) -> bool {
        let mut pending = vec![(a, b)];
        while let Some((a, b)) = pending.pop() {
            let pair = (place(a), place(b));
            if self.met.contains(&(pair, strict)) {
                continue;
            }
            let waiting = pending.len();
            if !self.look_inside(a, b, strict, &mut pending) || !self.pay() {
                return false;
            }
            if pending.len() > waiting {
                self.met.insert((pair, strict));
                self.trail.push((pair, strict));
            }
        }
        true
    }

    /// Whether the comparison can continue.
    fn pay(&mut self) -> bool {
        let steps = self.looked_at as u64 / BYTES_IN_STEP;
        if steps > 0 {
            self.looked_at = 0;
            self.ended = self.fuel.and_then(|fuel| fuel.charge(steps).err()).or_else(|| self.ended.take());
        }
        self.ended.is_none()
    }

    /// Compares what two collections hold; collections in them are left for later.
    fn look_inside<'a>(
        &mut self,
        a: Val<'a>,
        b: Val<'a>,
        strict: bool,
        pending: &mut Vec<(Val<'a>, Val<'a>)>,
    ) -> bool {
        let mut looked_at = 0_usize;
        let mut differ = |a: Val<'a>, b: Val<'a>| {
            looked_at += size_of::<Val<'_>>() + shorter(a, b);
            match simple(a, b, strict) {
                Some(same) => !same,
                None => {
                    pending.push((a, b));
                    false
                }
            }
        };
        let same = match (a, b) {
            (Val::Array(a), Val::Array(b)) => {
                let (a, b) = (a.now(), b.now());
                a.len() == b.len() && !a.iter().zip(b.iter()).any(|(a, b)| differ(*a, *b))
            }
            (Val::Hash(a), Val::Hash(b)) | (Val::Set(a), Val::Set(b)) => {
                let (a, b) = (a.now(), b.now());
                a.len() == b.len()
                    && a.iter()
                        .all(|(key, value)| self.find(&b, *key).is_some_and(|other| !differ(*value, other)))
            }
            (Val::Range(a), Val::Range(b)) => {
                a.exclusive == b.exclusive && !differ(a.from, b.from) && !differ(a.to, b.to)
            }
            _ => false,
        };
        self.looked_at += looked_at;
        same
    }

    /// The value of a key, found with what this comparison knows already.
    fn find<'a>(&mut self, entries: &Entries<'a>, key: Key<'a>) -> Option<Val<'a>> {
        let hash = entries.hasher().hash_one(key);
        let found = entries.raw_entry_v1().from_hash(hash, |known| self.is_key(known.0, key.0));
        found.map(|(_, value)| *value)
    }

    fn is_key<'a>(&mut self, known: Val<'a>, wanted: Val<'a>) -> bool {
        if let Some(same) = simple(known, wanted, true) {
            return same;
        }
        let pair = (place(known), place(wanted));
        if self.met.contains(&(pair, true)) {
            return true;
        }
        if self.depth >= MAX_KEY_DEPTH || self.different.contains(&pair) {
            return false;
        }
        self.depth += 1;
        let before = self.trail.len();
        let same = self.same(known, wanted, true);
        self.depth -= 1;
        if same {
            self.met.insert((pair, true));
            self.trail.push((pair, true));
        } else {
            // Assumptions on the way can be wrong.
            for pair in self.trail.drain(before..) {
                self.met.remove(&pair);
            }
            self.different.insert(pair);
        }
        same
    }
}

/// The maximum number of bytes that a comparison of two texts reads.
fn shorter(a: Val<'_>, b: Val<'_>) -> usize {
    match (a, b) {
        (Val::String(a), Val::String(b)) => a.len().min(b.len()),
        _ => 0,
    }
}

/// The address of a collection.
pub(super) fn place(value: Val<'_>) -> usize {
    match value {
        Val::Array(list) => std::ptr::from_ref(list).addr(),
        Val::Hash(map) | Val::Set(map) => std::ptr::from_ref(map).addr(),
        Val::Range(range) => std::ptr::from_ref(range).addr(),
        _ => 0,
    }
}

impl PartialEq for Key<'_> {
    fn eq(&self, other: &Self) -> bool {
        eql(self.0, other.0)
    }
}

impl Eq for Key<'_> {}

impl Hash for Key<'_> {
    /// The first values of collections count, outermost first.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut left = HASHED;
        let mut pending = VecDeque::new();
        let mut next = Some(self.0);
        while let Some(value) = next {
            hash_simple(value, state);
            let room = left.saturating_sub(pending.len());
            match value {
                Val::Array(list) => pending.extend(list.now().iter().take(room)),
                Val::Range(range) => pending.extend([range.from, range.to]),
                // In whatever order.
                Val::Hash(map) | Val::Set(map) => {
                    let pairs = map.now();
                    let sum = pairs.iter().take(HASHED).map(|(key, value)| {
                        let mut state = FxHasher::default();
                        hash_simple(key.0, &mut state);
                        hash_simple(*value, &mut state);
                        state.finish()
                    });
                    if pairs.len() <= HASHED {
                        sum.fold(0_u64, u64::wrapping_add).hash(state);
                    }
                }
                _ => {}
            }
            left = left.saturating_sub(1);
            next = if left == 0 { None } else { pending.pop_front() };
        }
    }
}

/// The part of a value that counts as a key, without its content.
fn hash_simple<H: Hasher>(value: Val<'_>, state: &mut H) {
    std::mem::discriminant(&value).hash(state);
    match value {
        Val::Boolean(truth) => truth.hash(state),
        Val::Integer(number) => number.hash(state),
        Val::Big(number) => number.hash(state),
        Val::Float(number) => (if number == 0.0 { 0 } else { number.to_bits() }).hash(state),
        Val::String(text) => text.get().hash(state),
        Val::Symbol(name) => name.hash(state),
        Val::Array(list) => list.len().hash(state),
        Val::Hash(map) | Val::Set(map) => map.len().hash(state),
        Val::Class(class) => class.name.hash(state),
        Val::Module(module) => std::ptr::from_ref(module).addr().hash(state),
        Val::Object(object) => std::ptr::from_ref(object).addr().hash(state),
        Val::Foreign(value) => value.hash(state),
        Val::Bytes(bytes) => bytes.hash(state),
        Val::Time(time) => time.at.hash(state),
        Val::Nil
        | Val::Range(_)
        | Val::Regexp(_)
        | Val::Match(_)
        | Val::Proc(_)
        | Val::Exception(_)
        | Val::Enumerator(_)
        | Val::Main
        | Val::Binding(_)
        | Val::World(_) => {}
    }
}

/// Whether objects of the program are in a collection, or in those in it, as far as is looked.
fn holds_objects(value: Val<'_>) -> bool {
    let mut pending = vec![value];
    let mut left = 10_000_u32;
    let mut met = FxHashSet::default();
    while let Some(value) = pending.pop() {
        left = left.saturating_sub(1);
        if left == 0 {
            return false;
        }
        let place = place(value);
        if place != 0 && !met.insert(place) {
            continue;
        }
        match value {
            Val::Object(_) => return true,
            Val::Array(list) => pending.extend(list.now().iter()),
            Val::Hash(map) => pending.extend(map.now().values()),
            _ => {}
        }
    }
    false
}

pub(super) fn compare_mixed(a: i64, b: f64) -> Option<Ordering> {
    if b.is_nan() {
        return None;
    }
    if b >= 9.223_372_036_854_776e18 {
        return Some(Ordering::Less);
    }
    if b < -9.223_372_036_854_776e18 {
        return Some(Ordering::Greater);
    }
    let whole = b.trunc();
    match a.cmp(&(whole as i64)) {
        Ordering::Equal => 0.0.partial_cmp(&(b - whole)),
        other => Some(other),
    }
}

impl<'a> Interpreter<'a> {
    /// `==`
    ///
    /// # Errors
    /// A limit is reached.
    pub fn equal(&mut self, a: Val<'a>, b: Val<'a>) -> Run<'a, bool> {
        self.same(a, b, false)
    }

    /// `eql?`
    ///
    /// # Errors
    /// A limit is reached.
    pub fn eql(&mut self, a: Val<'a>, b: Val<'a>) -> Run<'a, bool> {
        self.same(a, b, true)
    }

    /// `==`, or `eql?` if `strict`.
    fn same(&mut self, a: Val<'a>, b: Val<'a>, strict: bool) -> Run<'a, bool> {
        let texts = shorter(a, b) as u64 / BYTES_IN_STEP;
        if texts > 0 {
            self.charge_steps(texts)?;
        }
        if let (Val::Object(_), _) | (_, Val::Object(_)) = (a, b) {
            return self.same_objects(a, b, strict);
        }
        if let Some(same) = simple(a, b, strict) {
            return Ok(same);
        }
        if self.heap.has_objects() && (holds_objects(a) || holds_objects(b)) {
            return self.same_with_objects(a, b, strict, 0);
        }
        let mut comparison = Comparison { fuel: Some(self.fuel()), ..Comparison::default() };
        let same = comparison.same(a, b, strict);
        match comparison.ended {
            Some(error) => Err(self.fail(error)),
            None => Ok(same),
        }
    }

    /// By the methods of the objects themselves.
    fn same_objects(&mut self, a: Val<'a>, b: Val<'a>, strict: bool) -> Run<'a, bool> {
        if a.is_same(b) {
            return Ok(true);
        }
        let (asked, other) = if matches!(a, Val::Object(_)) { (a, b) } else { (b, a) };
        // A value other than an object of the program only calls the other one if that could be converted.
        if !matches!(a, Val::Object(_)) {
            let is_number = matches!(a, Val::Integer(_) | Val::Big(_) | Val::Float(_));
            let converts = ["to_ary", "to_hash", "to_str"].iter().any(|name| self.responds(asked, name));
            if !(converts || is_number && !strict) {
                return Ok(false);
            }
        }
        let name = if strict { "eql?" } else { "==" };
        match self.find_method(asked, name) {
            Some(ResolvedMethod::Own(entry)) => {
                self.step()?;
                Ok(self.call_entry(entry, asked, Args::new(&[other]))?.is_truthy())
            }
            _ => Ok(false),
        }
    }

    /// Collections with objects of the program in them, one after the other.
    fn same_with_objects(&mut self, a: Val<'a>, b: Val<'a>, strict: bool, depth: usize) -> Run<'a, bool> {
        if depth > 100 {
            return Err(self.unsupported("comparison of deep collections of objects"));
        }
        match (a, b) {
            (Val::Array(a), Val::Array(b)) => {
                let (a, b) = (a.to_vec(), b.to_vec());
                if a.len() != b.len() {
                    return Ok(false);
                }
                for (a, b) in a.into_iter().zip(b) {
                    if !self.same_with_objects(a, b, strict, depth + 1)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Val::Hash(a), Val::Hash(b)) => {
                if a.len() != b.len() {
                    return Ok(false);
                }
                for (key, value) in a.to_entries() {
                    let Some(other) = b.get(key.0) else { return Ok(false) };
                    if !self.same_with_objects(value, other, strict, depth + 1)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (a, b) => self.same(a, b, strict),
        }
    }

    /// Charges for values that become keys, or are looked up among keys: for all of their content, each
    /// collection once.
    ///
    /// # Errors
    /// A limit is exceeded.
    pub fn charge_keys(&self, values: &[Val<'a>]) -> Run<'a, ()> {
        let mut bytes = 0_usize;
        for value in values {
            match value {
                Val::Object(object) => self.check_key(object)?,
                Val::String(text) => bytes += text.len(),
                Val::Array(_) | Val::Hash(_) | Val::Set(_) | Val::Range(_) => self.charge_inside(*value)?,
                _ => {}
            }
        }
        match bytes as u64 / BYTES_IN_STEP {
            0 => Ok(()),
            steps => self.charge_steps(steps),
        }
    }

    /// Objects are the same key if they are the same object: those that override this are rejected.
    fn check_key(&self, object: &'a Object<'a>) -> Run<'a, ()> {
        let mut class = Some(object.class);
        while let Some(module) = class {
            let says = |module: &Module<'a>| {
                module.methods.ask(|methods| methods.contains_key("hash") || methods.contains_key("eql?"))
            };
            if says(module) || module.included.now().iter().any(|module| says(module)) {
                return Err(self.unsupported("object with a hash of its own as a key"));
            }
            class = match module.parent {
                Parent::Own(parent) => Some(parent),
                _ => None,
            };
        }
        Ok(())
    }

    fn charge_inside(&self, value: Val<'a>) -> Run<'a, ()> {
        let mut met = FxHashSet::default();
        let mut pending = vec![value];
        let mut bytes = 0;
        while let Some(value) = pending.pop() {
            bytes += size_of::<Val<'_>>();
            match value {
                Val::String(text) => bytes += text.len(),
                Val::Object(object) => self.check_key(object)?,
                Val::Array(_) | Val::Hash(_) | Val::Set(_) | Val::Range(_) if !met.insert(place(value)) => {}
                Val::Array(list) => pending.extend(list.now().iter()),
                Val::Hash(map) | Val::Set(map) => {
                    pending.extend(map.now().iter().flat_map(|(key, value)| [key.0, *value]));
                }
                Val::Range(range) => pending.extend([range.from, range.to]),
                _ => {}
            }
            let steps = bytes as u64 / BYTES_IN_STEP;
            if steps > 0 {
                bytes = 0;
                self.charge_steps(steps)?;
            }
        }
        Ok(())
    }

    /// `<=>`: nothing when the two cannot be compared.
    pub fn compare(&mut self, a: Val<'a>, b: Val<'a>) -> Run<'a, Option<Ordering>> {
        self.compare_inside(a, b, &mut FxHashSet::default(), 0)
    }

    /// As [`compare`](Self::compare); `met` contains the arrays compared so far, which are equal or in
    /// progress.
    fn compare_inside(
        &mut self,
        a: Val<'a>,
        b: Val<'a>,
        met: &mut FxHashSet<Pair>,
        depth: usize,
    ) -> Run<'a, Option<Ordering>> {
        let (Val::Array(left), Val::Array(right)) = (a, b) else { return self.compare_simple(a, b) };
        if std::ptr::addr_eq(left, right) {
            return Ok(Some(Ordering::Equal));
        }
        if depth > MAX_ORDER_DEPTH {
            return Err(self.unsupported(format!("order of arrays that nest deeper than {MAX_ORDER_DEPTH}")));
        }
        let (left, right) = (left.now(), right.now());
        // Only values that contain arrays can occur again.
        let is_nested = left.iter().any(|value| matches!(value, Val::Array(_)));
        if is_nested && !met.insert((place(a), place(b))) {
            return Ok(Some(left.len().cmp(&right.len())));
        }
        for (a, b) in left.iter().zip(right.iter()) {
            match self.compare_inside(*a, *b, met, depth + 1)? {
                Some(Ordering::Equal) => {}
                other => return Ok(other),
            }
        }
        Ok(Some(left.len().cmp(&right.len())))
    }

    /// `<=>` of values other than arrays.
    fn compare_simple(&mut self, a: Val<'a>, b: Val<'a>) -> Run<'a, Option<Ordering>> {
        if let Val::Object(_) = a
            && !matches!(self.find_method(a, "<=>"), Some(ResolvedMethod::Native(_)))
        {
            return match self.send(a, "<=>", &[b])? {
                Val::Integer(order) => Ok(Some(order.cmp(&0))),
                _ => Ok(None),
            };
        }
        if let (Val::Integer(_) | Val::Big(_) | Val::Float(_), Val::Object(_)) = (a, b) {
            return match by_coercion(self, a, "<=>", b) {
                Ok(Val::Integer(order)) => Ok(Some(order.cmp(&0))),
                Ok(_) | Err(Unwind::Raise(_)) => Ok(None),
                Err(other) => Err(other),
            };
        }
        if let (Val::Time(_), Val::Object(_)) = (a, b) {
            return Err(self.unsupported("order of a time and an object"));
        }
        let texts = shorter(a, b) as u64 / BYTES_IN_STEP;
        if texts > 0 {
            self.charge_steps(texts)?;
        }
        match order(a, b) {
            Some(order) => Ok(order),
            None => Ok(self.equal(a, b)?.then_some(Ordering::Equal)),
        }
    }
}

/// `<=>` of numbers, texts and times; nothing for other values.
fn order(a: Val<'_>, b: Val<'_>) -> Option<Option<Ordering>> {
    Some(match (a, b) {
        (Val::Integer(a), Val::Integer(b)) => Some(a.cmp(&b)),
        (Val::Float(a), Val::Float(b)) => a.partial_cmp(&b),
        (Val::Integer(a), Val::Float(b)) => compare_mixed(a, b),
        (Val::Float(a), Val::Integer(b)) => compare_mixed(b, a).map(Ordering::reverse),
        (Val::Big(a), Val::Big(b)) => Some(a.cmp(b)),
        (Val::Big(a), Val::Integer(b)) => Some((*a).cmp(&b.into())),
        (Val::Integer(a), Val::Big(b)) => Some(BigInt::from(a).cmp(b)),
        (Val::Big(a), Val::Float(b)) => compare_with_float(a, b),
        (Val::Float(a), Val::Big(b)) => compare_with_float(b, a).map(Ordering::reverse),
        (Val::String(a), Val::String(b)) => Some(a.get().as_bytes().cmp(b.get().as_bytes())),
        (Val::Symbol(a), Val::Symbol(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Val::Time(a), Val::Time(b)) => Some(a.at.cmp(&b.at)),
        _ => return None,
    })
}
