//! The elements of a value that is iterated: arrays, hashes, strings, whole numbers, ranges and Enums as
//! types, and iterators.
//!
//! Follows the reference's `pops/types/iterable.rb` and `tree_iterators.rb`. An iterator remembers its
//! position: a `map` does not see the elements that a previous `map` has taken. Only operations that Ruby
//! performs on an underlying enumeration (`reduce`, conversion to an Array …) start again.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use num_traits::Signed;

use bunraku_syntax::diagnostic::Error;

use crate::data::big;
use crate::data::size_cache::ValueSize;
use crate::data::value::{IteratorKind, IteratorValue, List, TreeOptions, Value};
use crate::types::{AttributeKind, TypeKind, object};

/// The elements of a value, in order. Those of a hash are arrays of a key and a value.
#[derive(Clone, Debug)]
pub struct Elements {
    state: ElementSource,
    /// The iterator whose position is updated.
    walker: Option<Arc<IteratorValue>>,
}

#[derive(Clone, Debug)]
enum ElementSource {
    Shared(Arc<List>, usize),
    Made(std::vec::IntoIter<Value>),
    Range(Range),
    Tree(Box<Tree>),
}

impl Iterator for Elements {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        let element = match &mut self.state {
            ElementSource::Shared(values, next) => {
                let value = values.get(*next).cloned();
                *next += 1;
                value
            }
            ElementSource::Made(values) => values.next(),
            ElementSource::Range(range) => range.next().map(Value::whole),
            ElementSource::Tree(tree) => tree.next(),
        };
        if let (Some(_), Some(walker)) = (&element, &self.walker) {
            walker.walked.fetch_add(1, Ordering::Relaxed);
        }
        element
    }
}

/// The maximum total size of the elements of a walk that are collected at once.
const MAX_GATHERED_SIZE: u64 = 1 << 27;

impl Elements {
    /// Collects all elements.
    ///
    /// # Errors
    /// They are too large in total.
    pub fn gather(self) -> Result<Vec<Value>, Error> {
        let (mut gathered, mut size) = (Vec::new(), 0);
        if let ElementSource::Range(range) = &self.state
            && range.count() > MAX_GATHERED_SIZE as i128 / ValueSize::ONE as i128
        {
            return Err(too_much());
        }
        for element in self {
            size += element.value_size().size;
            if size > MAX_GATHERED_SIZE {
                return Err(too_much());
            }
            gathered.push(element);
        }
        Ok(gathered)
    }
}

#[cold]
fn too_much() -> Error {
    Error::limit(format!("Elements of more than {MAX_GATHERED_SIZE} bytes together"))
}

/// Whole numbers with a constant distance; descending if the step is negative. The bounds of 128 bits are
/// never reached in practice.
#[derive(Clone, Copy, Debug)]
struct Range {
    from: i128,
    to: i128,
    step: i128,
    /// The next number; `None` at the end.
    next: Option<i128>,
}

impl Range {
    const fn new(from: i128, to: i128, step: i128) -> Self {
        Self { from, to, step, next: Some(if step < 0 { to } else { from }) }
    }

    /// The number of elements.
    const fn count(&self) -> i128 {
        let distance = self.to.saturating_sub(self.from);
        if distance < 0 { 0 } else { (distance / self.step.saturating_abs()).saturating_add(1) }
    }

    const fn reversed(self) -> Self {
        Self::new(self.from, self.to, self.step.saturating_neg())
    }

    /// Every `n`th element. The reference truncates the range so that its length is a multiple of the step,
    /// at the wrong end for a descending range.
    fn stepped(self, n: i64) -> Self {
        let step = self.step.saturating_mul(i128::from(n));
        let rest = self.to.saturating_sub(self.from) % step;
        let rest = if rest != 0 && step < 0 { rest + step } else { rest };
        match rest {
            ..0 => Self::new(self.from.saturating_sub(rest), self.to, step),
            _ => Self::new(self.from, self.to.saturating_sub(rest), step),
        }
    }
}

impl Iterator for Range {
    type Item = i128;

    fn next(&mut self) -> Option<i128> {
        let number = self.next.filter(|number| (self.from..=self.to).contains(number))?;
        self.next = number.checked_add(self.step);
        Some(number)
    }
}

impl From<ElementSource> for Elements {
    fn from(state: ElementSource) -> Self {
        Self { state, walker: None }
    }
}

/// The elements of a value, or `None` if it cannot be iterated. An iterator over an existing value starts
/// again; other iterators continue.
pub fn elements(value: &Value) -> Option<Elements> {
    if walks_itself(value) { walk(value) } else { all(value) }
}

/// Walks the elements of a value one by one, or `None` if it cannot be iterated. An iterator continues where
/// its previous walk ended.
pub fn walk(value: &Value) -> Option<Elements> {
    let mut elements = all(value)?;
    if let Value::Iterator(iterator) = value {
        let walked = iterator.walked.load(Ordering::Relaxed);
        if walked > 0 {
            elements.nth(walked - 1);
        }
        elements.walker = Some(Arc::clone(iterator));
    }
    Some(elements)
}

fn all(value: &Value) -> Option<Elements> {
    if let Some(range) = range(value) {
        return Some(ElementSource::Range(range).into());
    }
    let made = |values: Vec<Value>| Some(ElementSource::Made(values.into_iter()).into());
    match value {
        Value::Array(values) => Some(ElementSource::Shared(Arc::clone(values), 0).into()),
        Value::Hash(hash) => {
            made(hash.iter().map(|(key, value)| Value::array([key.clone(), value.clone()])).collect())
        }
        Value::ByteString(bytes) => {
            made(bytes.bytes().iter().map(|&byte| Value::byte_string(vec![byte])).collect())
        }
        Value::String(text) => made(text.chars().map(|character| Value::String(character.into())).collect()),
        Value::Type(of) => match of.kind() {
            TypeKind::Enum { values, .. } => made(values.iter().cloned().map(Value::String).collect()),
            TypeKind::Alias(alias) => all(&alias.target.get()?.clone().into()),
            _ => None,
        },
        Value::Iterator(iterator) => match &iterator.kind {
            IteratorKind::Step { source, step } => {
                let step = usize::try_from(*step).unwrap_or(usize::MAX).max(1);
                made(all(source)?.step_by(step).collect())
            }
            IteratorKind::Reverse { source } => {
                let mut values: Vec<Value> = all(source)?.collect();
                values.reverse();
                made(values)
            }
            IteratorKind::Tree { source, options } => {
                Some(ElementSource::Tree(Box::new(Tree::new(source, options))).into())
            }
        },
        _ => None,
    }
}

/// The range of a value that is a number, a range or an iterator over one of these.
fn range(value: &Value) -> Option<Range> {
    match value {
        Value::Integer(count @ 0..) => Some(Range::new(0, i128::from(*count) - 1, 1)),
        Value::BigInteger(count) if count.is_positive() => Some(Range::new(0, big::clamp(count) - 1, 1)),
        Value::Type(of) => match of.kind() {
            TypeKind::Integer(bounds) => Some(Range::new(bounds.from?.into(), bounds.to?.into(), 1)),
            TypeKind::BigInteger(bounds) => {
                Some(Range::new(big::clamp(bounds.from.as_ref()?), big::clamp(bounds.to.as_ref()?), 1))
            }
            TypeKind::Alias(alias) => range(&alias.target.get()?.clone().into()),
            _ => None,
        },
        Value::Iterator(iterator) => match &iterator.kind {
            IteratorKind::Step { source, step } => {
                Some(range(source)?.stepped(i64::try_from(*step).unwrap_or(i64::MAX).max(1)))
            }
            IteratorKind::Reverse { source } => range(source).map(Range::reversed),
            IteratorKind::Tree { .. } => None,
        },
        _ => None,
    }
}

/// Whether the elements are pairs that a block with two parameters receives separately: those of a hash, and
/// of an iterator over all of one.
pub fn is_hash_style(value: &Value) -> bool {
    match value {
        Value::Hash(_) => true,
        Value::Iterator(iterator) => match &iterator.kind {
            IteratorKind::Step { source, step: 1 } => matches!(source, Value::Hash(_)),
            _ => false,
        },
        _ => false,
    }
}

/// Whether the reference always walks the value step by step (numbers, ranges, and every `n`th of anything).
/// Such a walk catches every `break`.
pub fn walks_itself(value: &Value) -> bool {
    match value {
        Value::Iterator(iterator) => match &iterator.kind {
            IteratorKind::Step { source, step } => *step > 1 || walks_itself(source),
            IteratorKind::Reverse { .. } => range(value).is_some(),
            IteratorKind::Tree { .. } => true,
        },
        _ => range(value).is_some() && !matches!(value, Value::Integer(0)),
    }
}

/// Whether a value is a container of a tree, which `container_type` can override.
fn is_container(value: &Value, options: &TreeOptions) -> bool {
    let may_be = matches!(value, Value::Array(_) | Value::Hash(_) | Value::Object(_));
    may_be && options.container_type.as_ref().is_none_or(|of| of.is_instance(value))
}

/// The branches from a container to its values.
fn branches(value: &Value, options: &TreeOptions) -> Vec<(Value, Value)> {
    match value {
        Value::Array(values) => {
            values.iter().enumerate().map(|(index, value)| ((index as i64).into(), value.clone())).collect()
        }
        Value::Hash(hash) => hash.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
        Value::Object(instance) => {
            let Some(definition) = instance.object_type.definition.get() else { return Vec::new() };
            let walked = definition
                .attributes
                .iter()
                .filter(|(_, attribute)| options.include_refs || attribute.kind != AttributeKind::Reference);
            walked
                .map(|(name, _)| {
                    let value = object::attribute_value(instance, name).unwrap_or_default();
                    (Value::String(name.clone()), value)
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The rest of a container: keys and values.
type Branches = std::vec::IntoIter<(Value, Value)>;

/// The selected nodes of a tree, each an array of its path and its value.
#[derive(Clone, Debug)]
struct Tree {
    options: TreeOptions,
    /// The root, if it is selected and not yet returned.
    root: Option<Value>,
    /// Containers in progress: their path, and their rest.
    waiting: VecDeque<(Vec<Value>, Branches)>,
}

impl Tree {
    fn new(root: &Value, options: &TreeOptions) -> Self {
        let inner = if is_container(root, options) { branches(root, options) } else { Vec::new() };
        let is_wanted = options.include_root && options.include_containers;
        Self {
            options: options.clone(),
            root: is_wanted.then(|| root.clone()),
            waiting: VecDeque::from([(Vec::new(), inner.into_iter())]),
        }
    }
}

impl Iterator for Tree {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        let node = |path: &[Value], value: &Value| Value::array([Value::array(path.to_vec()), value.clone()]);
        if let Some(root) = self.root.take() {
            return Some(node(&[], &root));
        }
        let options = &self.options;
        loop {
            let container =
                if options.breadth_first { self.waiting.front_mut() } else { self.waiting.back_mut() };
            let (path, rest) = container?;
            let Some((step, value)) = rest.next() else {
                if options.breadth_first {
                    self.waiting.pop_front()
                } else {
                    self.waiting.pop_back()
                };
                continue;
            };
            let mut path = path.clone();
            path.push(step);
            let is_container = is_container(&value, options);
            let is_wanted = if is_container {
                options.include_containers
            } else {
                options.include_values || options.breadth_first
            };
            let wanted = is_wanted.then(|| node(&path, &value));
            if is_container {
                self.waiting.push_back((path, branches(&value, options).into_iter()));
            }
            if wanted.is_some() {
                return wanted;
            }
        }
    }
}
