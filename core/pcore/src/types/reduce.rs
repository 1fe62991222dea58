//! The type of a value, where the element types of collections are reduced to their common type. Follows
//! `infer` of the reference's `type_calculator.rb`.
//!
//! No types are made of scalars as long as their common type is clear. Large data often repeats types:
//! recently made ones and their common types are remembered.

use std::hash::{Hash as _, Hasher as _};

use rustc_hash::FxHasher;
use smallvec::{SmallVec, smallvec};

use super::common::{Scalars, common};
use super::guard::MAX_DEPTH;
use super::infer::{infer_other, plain};
use super::value_view::{Shape, ValueView};
use super::{FloatRange, IntRange, Type, TypeKind, aliases};
use crate::data::short_str::is_same;
use crate::data::type_flags::TypeFlags;
use crate::data::value::Str;

/// The number of results before any is remembered: small data is finished by then.
const FEW: usize = 16;
/// The number of remembered results of a kind; the content of each determines its slot.
const PLACES: usize = 64;
/// The maximum length of a remembered list of texts.
const SHORT_LIST: usize = 64;

/// Texts of a list, as they come.
type Texts = SmallVec<[Str; 8]>;

/// The common type of the parts so far.
#[derive(Default)]
enum Common {
    /// There was no part yet.
    #[default]
    Nothing,
    /// All were texts, or `undef` after the first one. An Enum that grows by one text at a time would be
    /// copied each time.
    Texts(Texts),
    /// As well, whole numbers: the least and the greatest.
    Integers(i64, i64),
    /// As well, numbers with a fraction.
    Floats(f64, f64),
    /// This type.
    Type(Type),
}

impl Common {
    /// Includes a part if no type needs to be made of it; returns whether it did.
    #[inline]
    fn add<S: ValueView>(&mut self, part: S, shape: Shape<'_>) -> bool {
        if matches!(shape, Shape::Undef) {
            if matches!(self, Self::Nothing) {
                *self = Self::Type(Type::undef());
            }
            return true;
        }
        let Some(scalars) = Scalars::of_shape(shape) else { return false };
        if let Self::Type(known) = self {
            match known.kind() {
                TypeKind::Undef => *self = Self::Nothing,
                TypeKind::Unit => return false,
                TypeKind::Alias(_) => return aliases::is_data(known),
                _ => return TypeFlags::of(shape).meets(known.accepted()),
            }
        }
        match (&mut *self, shape) {
            (Self::Nothing, Shape::String(text)) => *self = Self::Texts(smallvec![part.shared_text(text)]),
            (Self::Nothing, Shape::Integer(number)) => *self = Self::Integers(number, number),
            (Self::Nothing, Shape::Float(number)) => *self = Self::Floats(number, number),
            (Self::Nothing, Shape::Boolean(truth)) => *self = Self::Type(Type::boolean(truth)),
            (Self::Texts(texts), Shape::String(text)) => texts.push(part.shared_text(text)),
            (Self::Integers(from, to), Shape::Integer(number)) => {
                (*from, *to) = (number.min(*from), number.max(*to));
            }
            (Self::Floats(from, to), Shape::Float(number)) => {
                // Of equal numbers (0.0 and -0.0 are equal) the first one is kept.
                if number < *from {
                    *from = number;
                }
                if number > *to {
                    *to = number;
                }
            }
            (known, _) => match known.scalars().and_then(|known| known.common(scalars)) {
                Some(wide) => *self = Self::Type(wide),
                None => return false,
            },
        }
        true
    }

    fn scalars(&self) -> Option<Scalars> {
        match self {
            Self::Texts(_) => Some(Scalars::Text),
            Self::Integers(..) => Some(Scalars::Integer),
            Self::Floats(..) => Some(Scalars::Float),
            Self::Nothing | Self::Type(_) => None,
        }
    }
}

/// The state of an inference.
#[derive(Default)]
pub(super) struct Reduction {
    /// Texts of lists, and the types that they have in common.
    texts: Places<(Texts, Type)>,
    /// Types of collections.
    collections: Places<Type>,
    /// Two types and their common type.
    commons: Places<[Type; 3]>,
}

impl Reduction {
    /// The type of a subject at a depth; see [`Type::infer`].
    pub fn reduced<S: ValueView>(&mut self, subject: S, depth: u32) -> Type {
        if depth > MAX_DEPTH {
            return Type::any();
        }
        let collection = subject.with_shape(|shape| {
            Err(match shape {
                Shape::Array(size) if size > 0 => return Ok(Some((true, size))),
                Shape::Hash(size) if size > 0 => return Ok(Some((false, size))),
                Shape::Other => return Ok(None),
                shape => plain(subject, shape),
            })
        });
        match collection {
            Err(known) => known,
            Ok(None) => subject.with_value(|value| infer_other(value, depth)),
            Ok(Some((true, size))) => {
                let mut element = Common::Nothing;
                subject.all_elements(size, |_, part| {
                    self.add(&mut element, part, depth);
                    true
                });
                let element = self.type_of(&element).unwrap_or_else(Type::any);
                self.array(element, IntRange::exactly(size), depth)
            }
            Ok(Some((false, size))) => {
                let (mut key, mut value) = (Common::Nothing, Common::Nothing);
                subject.all_entries(|name, part| {
                    self.add(&mut key, name, depth);
                    self.add(&mut value, part, depth);
                    true
                });
                let [key, value] = [key, value].map(|of| self.type_of(&of).unwrap_or_else(Type::any));
                self.hash(key, value, IntRange::exactly(size), depth)
            }
        }
    }

    /// Takes a part into what the parts before have in common.
    #[inline]
    fn add<S: ValueView>(&mut self, of: &mut Common, part: S, depth: u32) {
        if depth < MAX_DEPTH && part.with_shape(|shape| of.add(part, shape)) {
            return;
        }
        self.add_type(of, part, depth);
    }

    /// As [`add`](Self::add), for a part that needs a type.
    fn add_type<S: ValueView>(&mut self, of: &mut Common, part: S, depth: u32) {
        let is_collection = |of: &Type| matches!(of.kind(), TypeKind::Array { .. } | TypeKind::Hash { .. });
        // The common type of collections and scalars does not depend on the scalars.
        let part = match &*of {
            Common::Type(known) if is_collection(known) && depth < MAX_DEPTH => {
                part.with_shape(|shape| Scalars::of_shape(shape).map(Scalars::any))
            }
            _ => None,
        }
        .unwrap_or_else(|| self.reduced(part, depth + 1));
        let known = match of.scalars() {
            Some(_) if matches!(part.kind(), TypeKind::Undef | TypeKind::Unit) => return,
            Some(scalars) if is_collection(&part) => Some(scalars.any()),
            _ => self.type_of(of),
        };
        *of = Common::Type(match known {
            Some(known) => self.common(&known, &part, depth),
            None => part,
        });
    }

    /// The type that parts have in common; nothing when there was none.
    fn type_of(&mut self, of: &Common) -> Option<Type> {
        Some(match of {
            Common::Nothing => return None,
            Common::Type(of) => of.clone(),
            Common::Integers(from, to) => Type::integer(Some(*from), Some(*to)),
            // The type of one number has its bounds even where they are infinite.
            Common::Floats(from, to) if from == to => {
                TypeKind::Float(FloatRange { from: Some(*from), to: Some(*to) }).into()
            }
            Common::Floats(from, to) => Type::float(Some(*from), Some(*to)),
            Common::Texts(texts) => self.type_of_texts(texts),
        })
    }

    fn type_of_texts(&mut self, texts: &Texts) -> Type {
        let make = || match texts.as_slice() {
            [only] => Type::string_value(only.clone()),
            [first, rest @ ..] if rest.iter().all(|text| text == first) => Type::string_value(first.clone()),
            _ => Type::enumeration(texts.iter().cloned(), false),
        };
        if texts.len() > SHORT_LIST {
            return make();
        }
        let mut hasher = FxHasher::default();
        texts.iter().for_each(|text| text.hash(&mut hasher));
        let is_it = |(known, _): &(Texts, Type)| {
            known.len() == texts.len() && known.iter().zip(texts).all(|(a, b)| is_same(a, b))
        };
        match self.texts.at(hasher.finish() as usize) {
            None => make(),
            Some(Some(known)) if is_it(known) => known.1.clone(),
            Some(place) => place.insert((texts.clone(), standing_for_equals(&make()))).1.clone(),
        }
    }

    fn array(&mut self, element: Type, size: IntRange, depth: u32) -> Type {
        let place = if depth > 0 && element.is_shared() {
            self.collections.at(number_of(&element) ^ number_of_size(size))
        } else {
            None
        };
        let is_it = |known: &Type| match known.kind() {
            TypeKind::Array { element: Some(of), size: known } => {
                of.is_same(&element) && *known == Some(size)
            }
            _ => false,
        };
        match place {
            Some(Some(known)) if is_it(known) => known.clone(),
            Some(place) => place.insert(standing_for_equals(&Type::array(element, Some(size)))).clone(),
            None => Type::array(element, Some(size)),
        }
    }

    fn hash(&mut self, key: Type, value: Type, size: IntRange, depth: u32) -> Type {
        let place = if depth > 0 && key.is_shared() && value.is_shared() {
            self.collections.at(number_of_both(&key, &value) ^ number_of_size(size))
        } else {
            None
        };
        let is_it = |known: &Type| match known.kind() {
            TypeKind::Hash { key: Some(of), value: Some(value_of), size: known } => {
                of.is_same(&key) && value_of.is_same(&value) && *known == Some(size)
            }
            _ => false,
        };
        match place {
            Some(Some(known)) if is_it(known) => known.clone(),
            Some(place) => place.insert(standing_for_equals(&Type::hash(key, value, Some(size)))).clone(),
            None => Type::hash(key, value, Some(size)),
        }
    }

    /// The common type of two types.
    fn common(&mut self, a: &Type, b: &Type, depth: u32) -> Type {
        let place = if a.is_shared() && b.is_shared() { self.commons.at(number_of_both(a, b)) } else { None };
        match place {
            Some(Some([of, and, known])) if of.is_same(a) && and.is_same(b) => known.clone(),
            Some(place) => {
                let [.., known] = place.insert([a.clone(), b.clone(), common(a, b, depth)]);
                known.clone()
            }
            None => common(a, b, depth),
        }
    }
}

/// The same type, if it represents all equal ones.
fn standing_for_equals(of: &Type) -> Type {
    Type::standing_for_equals(of.kind().clone())
}

/// A number to find a type by, as long as it is kept. (Types lie some dozens of bytes apart.)
fn number_of(of: &Type) -> usize {
    of.address() / 64
}

fn number_of_both(a: &Type, b: &Type) -> usize {
    number_of(a).wrapping_mul(31) ^ number_of(b)
}

fn number_of_size(size: IntRange) -> usize {
    size.to.unwrap_or_default() as usize
}

/// Recent results in a small number of slots.
struct Places<T> {
    asked: usize,
    places: Vec<Option<T>>,
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Self { asked: 0, places: Vec::new() }
    }
}

impl<T> Places<T> {
    /// The slot for a number; `None` as long as remembering is not worthwhile.
    #[inline]
    fn at(&mut self, number: usize) -> Option<&mut Option<T>> {
        if self.places.is_empty() {
            self.asked += 1;
            if self.asked <= FEW {
                return None;
            }
            self.places.resize_with(PLACES, || None);
        }
        self.places.get_mut(number % PLACES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    /// The common type of the parts, pairwise and without remembering.
    fn two_by_two(parts: &[Value]) -> Type {
        let types = parts.iter().map(Type::infer);
        Type::array(
            types.reduce(|known, part| common(&known, &part, 0)).unwrap(),
            Some(IntRange::exactly(parts.len())),
        )
    }

    #[test]
    fn parts_have_in_common_what_their_types_have() {
        let array = |values: &[Value]| Value::array(values.iter().cloned());
        let parts: Vec<Value> = vec![
            Value::Undef,
            Value::Default,
            true.into(),
            false.into(),
            1.into(),
            (-7).into(),
            0.0.into(),
            (-0.0).into(),
            2.5.into(),
            f64::INFINITY.into(),
            "a".into(),
            "b".into(),
            "".into(),
            array(&[]),
            array(&[1.into()]),
            array(&["b".into(), "a".into()]),
            Value::hash([("a".into(), 1.into())]),
            Value::regexp("x"),
        ];
        for first in &parts {
            for second in &parts {
                for third in &parts {
                    let list = [first.clone(), second.clone(), third.clone()];
                    assert_eq!(Type::infer(&array(&list)), two_by_two(&list), "{list:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_remembered_is_what_would_be_found() {
        let host = |number: i64| {
            let tags = Value::array(["web".into(), (if number % 5 == 0 { "a" } else { "b" }).into()]);
            let options = [("weight".into(), number.into()), ("ratio".into(), 0.5.into())];
            let options = if number % 7 == 0 { Value::hash([]) } else { Value::hash(options) };
            Value::hash([("port".into(), number.into()), ("tags".into(), tags), ("options".into(), options)])
        };
        let hosts: Vec<Value> = (0..100).map(host).collect();
        let of = Type::infer(&Value::array(hosts.iter().cloned()));
        assert_eq!(of, two_by_two(&hosts));
        assert!(!of.stands_for_equals());
    }
}
