//! The type of a value. Follows the reference's `type_calculator.rb`.

use std::sync::Arc;

use num_integer::Integer;
use num_traits::Signed;
use smallvec::SmallVec;

use super::guard::MAX_DEPTH;
use super::recent::{MAX_LIST_LENGTH, Recent};
use super::reduce::Reduction;
use super::value_view::{Shape, ValueView};
use super::{FloatRange, IntRange, Members, Type, TypeKind, VersionRange, object};
use crate::data::big::{BigInt, BigRange};
use crate::data::members::{Keys, MemberKey, MemberValues};
use crate::data::value::{IteratorKind, IteratorValue, Value};
use crate::ruby::names::iterator_class;

impl Type {
    /// The type of a value; elements of collections are reduced to the type that they have in common.
    pub fn infer(value: &Value) -> Type {
        Type::infer_view(value)
    }

    /// The type of a value in all detail: arrays are Tuples, hashes with names as keys are Structs.
    pub fn infer_set(value: &Value) -> Type {
        Type::infer_set_view(value)
    }

    /// The type of a list of arguments, followed by the type of the block if there is one.
    pub fn of_arguments(arguments: &[Value], block: Option<&Type>) -> Type {
        let types: Vec<Type> = arguments.iter().map(Type::infer_set).chain(block.cloned()).collect();
        if types.is_empty() { Type::empty_array() } else { Type::tuple(types, None) }
    }
}

/// The type of a subject; see [`Type::infer`].
pub(super) fn infer<S: ValueView>(subject: S, depth: u32) -> Type {
    Reduction::default().reduced(subject, depth)
}

/// The type of a subject in all detail; see [`Type::infer_set`].
pub(super) fn infer_set<S: ValueView>(subject: S, depth: u32) -> Type {
    Inference::default().detailed(subject, depth)
}

/// The state of a detailed inference.
#[derive(Default)]
struct Inference {
    /// Types that were made lately.
    recent: Recent,
}

impl Inference {
    /// The type of a part in all detail: most parts are plain.
    #[inline(always)]
    fn part<S: ValueView>(&mut self, part: S, depth: u32) -> Type {
        if depth > MAX_DEPTH {
            return Type::any();
        }
        // Values need not be brought into a shape first.
        let known = match part.as_value() {
            Some(Value::Integer(number)) => Some(self.recent.integer(*number)),
            Some(Value::String(text)) => Some(self.recent.text(text, || text.clone())),
            Some(Value::Float(number)) => Some(float(*number)),
            Some(Value::Boolean(truth)) => Some(Type::boolean(*truth)),
            Some(Value::Undef) => Some(Type::undef()),
            Some(_) => None,
            None => part.with_shape(|shape| match shape {
                Shape::Integer(number) => Some(self.recent.integer(number)),
                Shape::String(text) => Some(self.recent.text(text, || part.shared_text(text))),
                Shape::Undef | Shape::Boolean(_) | Shape::Float(_) => Some(plain(part, shape)),
                _ => None,
            }),
        };
        known.unwrap_or_else(|| self.detailed(part, depth))
    }

    fn detailed<S: ValueView>(&mut self, subject: S, depth: u32) -> Type {
        if depth > MAX_DEPTH {
            return Type::any();
        }
        enum Contents {
            Elements(usize),
            Entries(usize),
            Other,
            Plain(Type),
        }
        let found = subject.with_shape(|shape| match shape {
            Shape::Array(size) if size > 0 => Contents::Elements(size),
            Shape::Hash(size) if size > 0 => Contents::Entries(size),
            Shape::Other => Contents::Other,
            Shape::Integer(number) => Contents::Plain(self.recent.integer(number)),
            Shape::String(text) => Contents::Plain(self.recent.text(text, || subject.shared_text(text))),
            shape => Contents::Plain(plain(subject, shape)),
        });
        match found {
            Contents::Plain(of) => of,
            Contents::Elements(size) if size <= MAX_LIST_LENGTH => {
                let mut types: SmallVec<[Type; MAX_LIST_LENGTH]> = SmallVec::new();
                subject.all_elements(size, |_, element| {
                    types.push(self.part(element, depth + 1));
                    true
                });
                self.recent.tuple(&types)
            }
            Contents::Elements(size) => {
                let mut types = Vec::with_capacity(size);
                subject.all_elements(size, |_, element| {
                    types.push(self.part(element, depth + 1));
                    true
                });
                Type::tuple(types, None)
            }
            Contents::Entries(size) => self.detailed_hash(subject, size, depth),
            Contents::Other => subject.with_value(|value| match value {
                Value::Array(_) | Value::Hash(_) => self.detailed(value, depth),
                Value::SemVer(version) => {
                    let range = VersionRange::between(version, version, false);
                    TypeKind::SemVer(vec![Arc::new(range)]).into()
                }
                other => infer_other(other, depth),
            }),
        }
    }

    fn detailed_hash<S: ValueView>(&mut self, subject: S, size: usize, depth: u32) -> Type {
        // A Struct until a key is not a name; no value is visited twice, which would double the time with
        // every level.
        let mut values = MemberValues::with_capacity(size);
        let guess = self.recent.keys.guess(size, depth);
        if let Some(guess) = &guess {
            let mut names = guess.keys.iter();
            let is_guessed = subject.all_entries(|key, value| {
                let is_next = names.next().is_some_and(|guessed| key.is_text(&guessed.name));
                if is_next {
                    values.push(self.part(value, depth + 1));
                }
                is_next
            });
            if is_guessed {
                return structure(Keys::clone(&guess.keys), values);
            }
        }
        // The names up to a key that is not a name, and the types of all keys from then on.
        let known = guess.as_ref().map_or(&[][..], |guess| &guess.keys[..values.len()]);
        let mut names: Vec<MemberKey> = known.to_vec();
        let mut types: Option<Vec<Type>> = None;
        let mut seen = names.len();
        subject.all_entries(|key, value| {
            if seen > 0 {
                seen -= 1;
                return true;
            }
            if types.is_none()
                && let Some(named) = self.key(key)
            {
                names.push(named);
                values.push(self.part(value, depth + 1));
                return true;
            }
            let types = types.get_or_insert_with(|| names.drain(..).map(|name| name.key).collect());
            types.push(self.detailed(key, depth + 1));
            values.push(self.detailed(value, depth + 1));
            true
        });
        if let Some(types) = types {
            return Type::hash(Type::variant(types), Type::variant(values), Some(IntRange::exactly(size)));
        }
        structure(self.recent.keys.keys(names, guess.as_ref(), depth), values)
    }

    /// The name in a key, and its type; `None` if the key is not a name.
    fn key<S: ValueView>(&mut self, key: S) -> Option<MemberKey> {
        key.with_shape(|shape| {
            let Shape::String(text) = shape else { return None };
            (!text.is_empty()).then(|| self.recent.name(text, || key.shared_text(text)))
        })
    }
}

/// The Struct of these keys and values.
fn structure(keys: Keys, values: MemberValues) -> Type {
    Type::narrow(TypeKind::Struct { members: Members::new(keys, values) })
}

/// The type of a number with a fraction.
#[inline]
fn float(number: f64) -> Type {
    Type::narrow(TypeKind::Float(FloatRange { from: Some(number), to: Some(number) }))
}

/// The type of a value other than a collection with parts or a value without a shape.
#[inline]
pub(super) fn plain<S: ValueView>(subject: S, shape: Shape<'_>) -> Type {
    match shape {
        Shape::Undef | Shape::Other => Type::undef(),
        Shape::Default => Type::default_type(),
        Shape::Boolean(value) => Type::boolean(value),
        Shape::Integer(number) => Type::integer(Some(number), Some(number)),
        Shape::Float(number) => float(number),
        Shape::String(text) => Type::string_value(subject.shared_text(text)),
        Shape::Array(_) => Type::empty_array(),
        Shape::Hash(_) => Type::empty_hash(),
    }
}

/// The type of a value that is neither plain nor a collection.
pub(super) fn infer_other(value: &Value, depth: u32) -> Type {
    match value {
        Value::Array(_) | Value::Hash(_) => infer(value, depth),
        Value::Undef => Type::undef(),
        Value::Default => Type::default_type(),
        Value::Boolean(value) => Type::boolean(*value),
        Value::Integer(number) => Type::integer(Some(*number), Some(*number)),
        Value::BigInteger(number) => {
            let bound = Some(BigInt::clone(number));
            Type::big_integer(BigRange { from: bound.clone(), to: bound })
        }
        Value::Float(number) => float(*number),
        Value::String(text) => Type::string_value(text.clone()),
        Value::ByteString(bytes) => Type::string_value(bytes.text().clone()),
        Value::Type(of) => Type::type_type(of.clone()),
        Value::Regexp(regexp) => TypeKind::Regexp(Some(regexp.in_types())).into(),
        Value::Sensitive(value) => Type::sensitive(&infer(&***value, depth + 1)),
        Value::Binary(_) => Type::binary(),
        Value::Timespan(span) => Type::timespan(Some(**span), Some(**span)),
        Value::Timestamp(moment) => Type::timestamp(Some(**moment), Some(**moment)),
        Value::SemVer(_) => Type::any_sem_ver(),
        Value::SemVerRange(_) => Type::sem_ver_range(),
        Value::Uri(uri) => Type::uri(Some(super::uri::type_parts(&uri.text))),
        Value::Object(instance) => object::type_of_instance(instance),
        Value::Iterator(iterator) => match iterator_element_type(iterator) {
            // Walks over trees are Ruby objects rather than iterators for the reference's inference.
            _ if matches!(iterator.kind, IteratorKind::Tree { .. }) => {
                Type::runtime("ruby", iterator_class(iterator))
            }
            Some(element) => Type::iterator(element),
            None => Type::any_iterator(),
        },
        Value::Runtime(value) if value.is_undef() => Type::undef(),
        Value::Runtime(value) => {
            value.callable.clone().unwrap_or_else(|| Type::runtime("ruby", value.class.clone()))
        }
    }
}

/// The element type of an iterator, as far as the reference knows it without walking.
pub(crate) fn iterator_element_type(iterator: &IteratorValue) -> Option<Type> {
    fn element_type(source: &Value, depth: u32) -> Option<Type> {
        if depth > MAX_DEPTH {
            return None;
        }
        match source {
            Value::Iterator(iterator) => match &iterator.kind {
                IteratorKind::Step { source, .. } | IteratorKind::Reverse { source } => {
                    element_type(source, depth + 1)
                }
                IteratorKind::Tree { .. } => Some(Type::any()),
            },
            Value::String(_) | Value::ByteString(_) => Some(Type::string(Some(IntRange::exactly(1)))),
            Value::Array(values) if values.is_empty() => Some(Type::unit()),
            Value::Array(values) => Some(Type::variant(values.iter().map(Type::infer_set))),
            Value::Hash(hash) => {
                let types = if hash.is_empty() {
                    vec![Type::unit(), Type::unit()]
                } else {
                    vec![
                        Type::variant(hash.keys().map(Type::infer_set)),
                        Type::variant(hash.values().map(Type::infer_set)),
                    ]
                };
                Some(Type::tuple(types, Some(IntRange::exactly(2))))
            }
            Value::Integer(0) => Some(Type::unit()),
            Value::Integer(number) if *number > 0 => Some(Type::integer(Some(0), Some(number - 1))),
            Value::BigInteger(number) if number.is_positive() => {
                Some(Type::big_integer(BigRange { from: Some(BigInt::ZERO), to: Some(&**number - 1) }))
            }
            Value::Type(of) => Some(of.resolved().clone()),
            _ => None,
        }
    }
    let (source, step) = match &iterator.kind {
        IteratorKind::Step { source, step } => (source, i64::try_from(*step).unwrap_or(i64::MAX)),
        IteratorKind::Reverse { source } => (source, 1),
        IteratorKind::Tree { .. } => return Some(Type::any()),
    };
    let element = element_type(source, 0)?;
    // Steps over a range of numbers end at the last visited one.
    if let (TypeKind::Integer(IntRange { from: Some(from), to: Some(to) }), true) = (element.kind(), step > 1)
    {
        let rest = to.wrapping_sub(*from).rem_euclid(step);
        return Some(Type::integer(Some(*from), Some(to - rest)));
    }
    if let TypeKind::BigInteger(range) = element.kind()
        && let (Some(from), Some(to), true) = (&range.from, &range.to, step > 1)
    {
        let rest = (to - from).mod_floor(&BigInt::from(step));
        return Some(Type::big_integer(BigRange { from: Some(from.clone()), to: Some(to - rest) }));
    }
    Some(element)
}
