//! Recently made types during a detailed inference: large data often repeats values, and one type represents
//! all equal ones. (For the serializers, each occurrence is a separate type.)
//!
//! An interner, which has hash tables by value instead of these few slots and compares texts as slices where
//! `data::short_str` does not, takes a fifth more instructions for "infer, detailed" of `make bench-pcore`.

use std::hash::{Hash as _, Hasher as _};

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use super::{IntRange, Type, TypeKind};
use crate::data::members::{Keys, MemberKey};
use crate::data::value::Str;

/// The number of types that are made before any is remembered: small data is finished by then.
const FEW: usize = 64;
/// The number of remembered types of a kind; the content of each determines its slot.
const PLACES: usize = 256;
/// The maximum length of a text whose type is remembered: longer ones are rarely repeated.
const MAX_TEXT_LENGTH: usize = 15;
/// The maximum length of a list whose type is remembered.
pub(super) const MAX_LIST_LENGTH: usize = 8;
/// The number of Structs that are made before any keys are remembered.
const FEW_STRUCTS: usize = 4;
/// The maximum number of keys of a Struct whose keys are remembered.
const MAX_KEYS: usize = 64;
/// The number of remembered lists of keys.
const MAX_KEPT_STRUCTS: usize = 256;
/// The number of remembered names of members: large data has few, or else there is no benefit.
const MAX_KEPT_NAMES: usize = 1_000;

/// Types that were made lately.
#[derive(Default)]
pub(super) struct Recent {
    made: usize,
    integers: Vec<Option<(i64, Type)>>,
    texts: Vec<Option<(Str, Type)>>,
    tuples: Vec<Option<Type>>,
    names: Names,
    pub keys: KeysCache,
}

impl Recent {
    /// Whether nothing is remembered yet.
    #[inline]
    fn is_early(&mut self) -> bool {
        self.made += 1;
        self.made <= FEW && !self.begins()
    }

    /// Whether enough was made for a beginning.
    #[cold]
    fn begins(&mut self) -> bool {
        if self.made < FEW {
            return false;
        }
        self.integers = vec![None; PLACES];
        self.texts = vec![None; PLACES];
        self.tuples = vec![None; PLACES];
        true
    }

    /// The type of a whole number.
    #[inline]
    pub fn integer(&mut self, number: i64) -> Type {
        let make = || {
            let range = IntRange { from: Some(number), to: Some(number) };
            Type::narrow_standing_for_equals(TypeKind::Integer(range))
        };
        if self.is_early() {
            return make();
        }
        let Some(place) = self.integers.get_mut(number.rem_euclid(PLACES as i64) as usize) else {
            return make();
        };
        match place {
            Some((known, of)) if *known == number => of.clone(),
            place => place.insert((number, make())).1.clone(),
        }
    }

    /// The type of a text, which `shared` returns for keeping.
    #[inline]
    pub fn text(&mut self, text: &str, shared: impl FnOnce() -> Str) -> Type {
        if text.len() > MAX_TEXT_LENGTH || self.is_early() {
            return text_type(shared());
        }
        let mut hasher = FxHasher::default();
        text.hash(&mut hasher);
        match self.texts.get_mut(hasher.finish() as usize % PLACES) {
            Some(Some((known, of))) if known == text => of.clone(),
            place => {
                let text = shared();
                let of = text_type(text.clone());
                if let Some(place) = place {
                    *place = Some((text, of.clone()));
                }
                of
            }
        }
    }

    /// The Tuple of a few types.
    pub fn tuple(&mut self, types: &[Type]) -> Type {
        let make = || Type::narrow_standing_for_equals(TypeKind::Tuple { types: types.to_vec(), size: None });
        let Some(first) = types.first().filter(|_| !self.is_early()) else { return make() };
        // Types lie some dozens of bytes apart.
        let Some(place) = self.tuples.get_mut(first.address() / 64 % PLACES) else { return make() };
        match place {
            Some(known) if is_tuple_of(known, types) => known.clone(),
            place => place.insert(make()).clone(),
        }
    }

    /// A name of a member, which `shared` returns for keeping, and its type.
    #[inline]
    pub fn name(&mut self, name: &str, shared: impl FnOnce() -> Str) -> MemberKey {
        let (name, key) = self.names.name(name, shared);
        MemberKey { name, key }
    }
}

fn text_type(text: Str) -> Type {
    Type::narrow_standing_for_equals(TypeKind::String { size: None, value: Some(text) })
}

/// Whether a Tuple consists of these type objects.
fn is_tuple_of(tuple: &Type, types: &[Type]) -> bool {
    match tuple.kind() {
        TypeKind::Tuple { types: known, .. } => {
            known.len() == types.len() && known.iter().zip(types).all(|(a, b)| a.is_same(b))
        }
        _ => false,
    }
}

/// The keys of Structs, and their successors at the same depth, which usually repeat.
#[derive(Default)]
pub(super) struct KeysCache {
    made: usize,
    known: Vec<CachedKeys>,
    places: FxHashMap<u64, usize>,
    /// The places of the last ones at each depth, once there were any.
    last: SmallVec<[Option<usize>; 8]>,
}

struct CachedKeys {
    keys: Keys,
    /// The slot of its successor.
    next: usize,
}

/// Keys that a Struct may have.
pub(super) struct Guess {
    pub keys: Keys,
    /// The place of the keys before.
    before: usize,
}

impl KeysCache {
    /// The likely keys of a Struct with this number of members.
    #[inline]
    pub fn guess(&mut self, size: usize, depth: u32) -> Option<Guess> {
        let last = self.last.get_mut(depth as usize)?;
        let before = (*last)?;
        let next = self.known.get(before)?.next;
        let known = self.known.get(next).filter(|known| known.keys.len() == size)?;
        *last = Some(next);
        Some(Guess { keys: Keys::clone(&known.keys), before })
    }

    /// The keys that a Struct has, which were not guessed, or not rightly.
    pub fn keys(&mut self, keys: Vec<MemberKey>, guess: Option<&Guess>, depth: u32) -> Keys {
        self.made += 1;
        if self.made <= FEW_STRUCTS || keys.len() > MAX_KEYS {
            return keys.into();
        }
        let mut hasher = FxHasher::default();
        keys.iter().for_each(|key| key.name.hash(&mut hasher));
        let hash = hasher.finish();
        let place = match self.places.get(&hash) {
            Some(place) => *place,
            None if self.known.len() >= MAX_KEPT_STRUCTS => return keys.into(),
            None => self.known.len(),
        };
        let depth = depth as usize;
        if self.last.len() <= depth {
            self.last.resize(depth + 1, None);
        }
        if let Some(last) = self.last.get_mut(depth) {
            let before = guess.map(|guess| guess.before).or(*last);
            if let Some(before) = before.and_then(|before| self.known.get_mut(before)) {
                before.next = place;
            }
            *last = Some(place);
        }
        let are_they = |known: &CachedKeys| {
            known.keys.len() == keys.len() && known.keys.iter().zip(&keys).all(|(a, b)| a.name == b.name)
        };
        match self.known.get_mut(place) {
            Some(known) if are_they(known) => Keys::clone(&known.keys),
            // Other names have the same hash: these take their place.
            Some(known) => {
                known.keys = keys.into();
                Keys::clone(&known.keys)
            }
            None => {
                let keys = Keys::from(keys);
                self.places.insert(hash, place);
                self.known.push(CachedKeys { keys: Keys::clone(&keys), next: place });
                keys
            }
        }
    }
}

/// Names of members, and their successors, which usually repeat.
#[derive(Default)]
struct Names {
    known: Vec<Name>,
    places: FxHashMap<Str, usize>,
    /// The place of the last one.
    last: usize,
}

struct Name {
    name: Str,
    of: Type,
    /// The slot of its successor.
    next: usize,
}

impl Names {
    #[inline]
    fn name(&mut self, name: &str, shared: impl FnOnce() -> Str) -> (Str, Type) {
        let next = self.known.get(self.last).map_or(0, |last| last.next);
        match self.known.get(next) {
            Some(known) if known.name == name => {
                self.last = next;
                (known.name.clone(), known.of.clone())
            }
            _ => self.unexpected(name, shared),
        }
    }

    fn unexpected(&mut self, name: &str, shared: impl FnOnce() -> Str) -> (Str, Type) {
        let place = match self.places.get(name) {
            Some(place) => *place,
            None => {
                let name = shared();
                let of = text_type(name.clone());
                let place = self.known.len();
                if place >= MAX_KEPT_NAMES {
                    return (name, of);
                }
                self.places.insert(name.clone(), place);
                self.known.push(Name { name, of, next: 0 });
                place
            }
        };
        if let Some(last) = self.known.get_mut(self.last) {
            last.next = place;
        }
        self.last = place;
        self.known.get(place).map_or_else(
            || (name.into(), text_type(name.into())),
            |known| (known.name.clone(), known.of.clone()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    #[test]
    fn equal_values_share_their_types_once_there_are_many() {
        let mut recent = Recent::default();
        let types: Vec<Type> = (0..FEW * 8).map(|turn| recent.integer(turn as i64 % 3)).collect();
        assert!(types.iter().zip(0..).all(|(of, turn)| *of == Type::integer(Some(turn % 3), Some(turn % 3))));
        let [.., before, _, _, last] = types.as_slice() else { return };
        assert!(last.is_same(before));
        let [one, other] = ["a", "b"].map(|text| recent.text(text, || text.into()));
        let tuples = [[&one, &other], [&other, &one], [&one, &other]]
            .map(|types| recent.tuple(&types.map(Type::clone)));
        assert!(tuples[0].is_same(&tuples[2]) && tuples[0] != tuples[1]);
    }

    #[test]
    fn structs_with_the_same_names_share_their_keys() {
        let mut known = KeysCache::default();
        let mut keys = |names: &[&str]| {
            let guess = known.guess(names.len(), 0);
            let is_right = |guess: &Guess| guess.keys.iter().map(|key| key.name.as_str()).eq(names.to_vec());
            match guess {
                Some(guess) if is_right(&guess) => (guess.keys, true),
                guess => {
                    let key =
                        |name: &&str| MemberKey { name: (*name).into(), key: Type::string_value(*name) };
                    (known.keys(names.iter().map(key).collect(), guess.as_ref(), 0), false)
                }
            }
        };
        let lists: [&[&str]; 4] = [&["a", "b"], &["c"], &["b", "a"], &["c"]];
        let made: Vec<_> = lists.iter().cycle().take(40).map(|names| keys(names)).collect();
        for (names, (keys, _)) in lists.iter().cycle().zip(&made) {
            assert!(keys.iter().map(|key| key.name.as_str()).eq(names.iter().copied()));
        }
        assert!(Keys::ptr_eq(&made[39].0, &made[37].0));
        assert!(made.iter().filter(|(_, is_guessed)| *is_guessed).count() > 10);
    }

    #[test]
    fn structs_within_structs_are_guessed() {
        let host = |number: i64| {
            let options = Value::hash([("weight".into(), number.into()), ("ratio".into(), 0.5.into())]);
            Value::hash([("port".into(), number.into()), ("options".into(), options)])
        };
        let of = Type::infer_set(&Value::array((0..20).map(host)));
        let TypeKind::Tuple { types, .. } = of.kind() else { panic!("{of}") };
        let member = |host: usize, index| match types[host].kind() {
            TypeKind::Struct { members } => members.get(index).unwrap(),
            _ => panic!("{of}"),
        };
        let inner = |host: usize| match member(host, 1).value.kind() {
            TypeKind::Struct { members } => members.get(0).unwrap().name,
            _ => panic!("{of}"),
        };
        assert!(std::ptr::eq(member(18, 0).name, member(19, 0).name));
        assert!(std::ptr::eq(inner(18), inner(19)));
        assert_eq!(*member(19, 0).value, Type::integer(Some(19), Some(19)));
        assert_eq!((inner(19).as_str(), member(19, 1).name.as_str()), ("weight", "options"));
    }

    #[test]
    fn names_are_known_in_any_order() {
        let mut recent = Recent::default();
        for name in ["a", "b", "c", "a", "c", "b", "a", "b", "c", "c"] {
            let MemberKey { name: known, key: of } = recent.name(name, || name.into());
            assert_eq!((known.as_str(), of), (name, Type::string_value(name)));
        }
    }
}
