//! The tree of a document before substitution, and the merging and joining of its values.

use std::rc::Rc;

use indexmap::IndexMap;

use super::render::described;
use crate::data::value::Value;

pub(super) type Shared = Rc<Node>;
pub(super) type Fields = IndexMap<Rc<str>, Shared>;

/// A value of a document. Identity matters: substitutions find themselves by identity.
#[derive(Debug)]
pub(super) enum Node {
    /// A number, a Boolean or null, with its source text.
    Plain(Value, String),
    Text {
        text: String,
        is_quoted: bool,
    },
    List {
        items: Vec<Shared>,
        is_resolved: bool,
    },
    Object(Object),
    Substitution {
        path: Vec<String>,
        optional: bool,
        line: usize,
    },
    /// Adjacent values, including substitutions.
    Joined(Vec<Shared>),
    Layers(Layers),
}

#[derive(Clone, Debug)]
pub(super) struct Object {
    pub fields: Fields,
    is_resolved: bool,
    /// Whether a value other than an object was below it: it is not merged with what is below that.
    is_closed: bool,
}

/// Values that were set for one path, newest first: they are merged when their substitutions are replaced.
#[derive(Debug)]
pub(super) struct Layers {
    pub stack: Vec<Shared>,
    /// Whether they are known to become an object.
    pub is_object: bool,
    /// Whether they are the rest below a layer that is being resolved.
    pub is_rest: bool,
}

impl Node {
    pub(super) fn list(items: Vec<Shared>) -> Self {
        let is_resolved = items.iter().all(|item| item.is_resolved());
        Self::List { items, is_resolved }
    }

    pub(super) fn object(fields: Fields) -> Self {
        Self::Object(Object::new(fields, false))
    }

    pub(super) fn is_resolved(&self) -> bool {
        match self {
            Self::Plain(..) | Self::Text { .. } => true,
            Self::List { is_resolved, .. } => *is_resolved,
            Self::Object(object) => object.is_resolved,
            Self::Substitution { .. } | Self::Joined(_) | Self::Layers(_) => false,
        }
    }

    /// Whether the values below have no effect.
    pub(super) fn is_closed(&self) -> bool {
        match self {
            Self::Object(object) => object.is_closed,
            Self::Layers(layers) => layers.stack.last().is_some_and(|last| last.is_closed()),
            other => other.is_resolved(),
        }
    }

    /// Whether the value depends on substitutions.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Substitution { .. } | Self::Joined(_) | Self::Layers(_))
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self, Self::Object(_) | Self::Layers(Layers { is_object: true, .. }))
    }

    /// The value of a key.
    pub(super) fn field(&self, key: &str) -> Option<Shared> {
        match self {
            Self::Object(object) => object.fields.get(key).cloned(),
            Self::Layers(Layers { is_object: true, stack, .. }) => {
                stack.iter().take_while(|layer| layer.is_object()).find_map(|layer| layer.field(key))
            }
            _ => None,
        }
    }

    /// The number of entries to copy.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Plain(_, text) | Self::Text { text, .. } => text.len(),
            Self::List { items: list, .. } | Self::Joined(list) => list.len(),
            Self::Object(object) => object.fields.len(),
            Self::Layers(layers) => layers.stack.len(),
            Self::Substitution { path, .. } => path.len(),
        }
    }

    /// The value with a part replaced; a field can be removed. `None` if the value does not contain the part.
    pub(super) fn with_part(&self, part: &Shared, replacement: Option<Shared>) -> Option<Self> {
        let is_part = |value: &Shared| Rc::ptr_eq(value, part);
        if let Self::Object(object) = self {
            let at = object.fields.values().position(is_part)?;
            let mut fields = object.fields.clone();
            match replacement {
                Some(value) => fields[at] = value,
                None => drop(fields.shift_remove_index(at)),
            }
            return Some(object.with(fields));
        }
        let in_list = |list: &[Shared]| {
            let mut list = list.to_vec();
            *list.iter_mut().find(|value| is_part(value))? = replacement?;
            Some(list)
        };
        match self {
            Self::List { items, .. } => in_list(items).map(Self::list),
            Self::Joined(pieces) => in_list(pieces).map(Self::Joined),
            Self::Layers(layers) => {
                in_list(&layers.stack).map(|stack| Self::Layers(Layers { stack, ..*layers }))
            }
            _ => None,
        }
    }
}

impl Object {
    fn new(fields: Fields, is_closed: bool) -> Self {
        let is_resolved = fields.values().all(|value| value.is_resolved());
        Self { fields, is_resolved, is_closed }
    }

    /// The object with other fields.
    pub(super) fn with(&self, fields: Fields) -> Node {
        Node::Object(Self::new(fields, self.is_closed))
    }

    /// Merges the fields of a newer object, which has fewer of them, as [`merged`] does.
    fn put_before(&mut self, newer: &Self) {
        for (at, (key, above)) in newer.fields.iter().enumerate() {
            let mut value = above.clone();
            if let Some(below) = self.fields.get_mut(key) {
                value = over(value, std::mem::replace(below, above.clone()));
            }
            self.is_resolved &= value.is_resolved();
            self.fields.shift_insert(at, key.clone(), value);
        }
        if !self.is_resolved {
            self.is_resolved = self.fields.values().all(|value| value.is_resolved());
        }
    }

    /// Whether the other one has the same fields, or fields that only differ in being closed.
    fn is_same(&self, other: &Self) -> bool {
        self.fields.len() == other.fields.len()
            && self.fields.iter().zip(&other.fields).all(|(a, b)| a.0 == b.0 && is_same(a.1, b.1))
    }
}

fn is_same(a: &Shared, b: &Shared) -> bool {
    match (&**a, &**b) {
        _ if Rc::ptr_eq(a, b) => true,
        (Node::Object(a), Node::Object(b)) => a.is_same(b),
        _ => false,
    }
}

/// Sets a value over an existing one: objects are merged, any other value hides those below.
pub(super) fn over(newer: Shared, mut older: Shared) -> Shared {
    if newer.is_closed() {
        return newer;
    }
    if let (Node::Object(above), Some(Node::Object(below))) = (&*newer, Rc::get_mut(&mut older))
        && above.fields.len() < below.fields.len() / 16
    {
        below.put_before(above);
        return older;
    }
    match (&*newer, &*older) {
        (Node::Object(above), Node::Object(below)) => match merged(above, below) {
            Some(merged) => Rc::new(Node::Object(merged)),
            None => newer,
        },
        (Node::Object(object), _) if object.is_resolved && !older.is_open() => {
            Rc::new(Node::Object(Object { is_closed: true, ..object.clone() }))
        }
        _ => {
            let is_object = newer.is_object();
            let mut stack = layers(newer);
            stack.append(&mut layers(older));
            Rc::new(Node::Layers(Layers { stack, is_object, is_rest: false }))
        }
    }
}

fn layers(node: Shared) -> Vec<Shared> {
    match Rc::try_unwrap(node) {
        Ok(Node::Layers(layers)) => layers.stack,
        Ok(node) => vec![Rc::new(node)],
        Err(node) => match &*node {
            Node::Layers(layers) => layers.stack.clone(),
            _ => vec![node],
        },
    }
}

/// Merges two objects: the keys of the newer one come first. `None` if the result equals the newer one.
///
/// As in the gem, a field that was only closed by the values below counts as unchanged.
fn merged(newer: &Object, older: &Object) -> Option<Object> {
    let mut is_changed = false;
    let mut fields = Fields::with_capacity(newer.fields.len() + older.fields.len());
    for (key, above) in &newer.fields {
        let value = match older.fields.get(key) {
            Some(below) => over(above.clone(), below.clone()),
            None => above.clone(),
        };
        is_changed |= !is_same(above, &value);
        fields.insert(key.clone(), value);
    }
    for (key, below) in &older.fields {
        if !newer.fields.contains_key(key) {
            is_changed = true;
            fields.insert(key.clone(), below.clone());
        }
    }
    if is_changed {
        return Some(Object::new(fields, older.is_closed));
    }
    older.is_closed.then(|| Object { is_closed: true, ..newer.clone() })
}

/// Joins adjacent values, as far as this is possible before substitution. `None` for an empty list.
///
/// Objects are merged, lists are joined, everything else is text.
pub(super) fn joined(pieces: impl IntoIterator<Item = Shared>) -> Result<Option<Shared>, String> {
    let mut done: Vec<Shared> = Vec::new();
    for right in pieces {
        let Some(left) = done.pop() else {
            done.push(right);
            continue;
        };
        let (left, right) = match (&*left, &*right) {
            (Node::Object(object), Node::List { .. }) => (as_list(object).unwrap_or(left), right),
            (Node::List { .. }, Node::Object(object)) => {
                let list = as_list(object);
                (left, list.unwrap_or(right))
            }
            _ => (left, right),
        };
        match (&*left, &*right) {
            _ if left.is_object() && right.is_object() => done.push(over(right, left)),
            (Node::List { .. }, Node::List { items, .. }) => done.push(with_items(left, items)),
            (Node::Object(_) | Node::List { .. }, Node::Text { is_quoted: false, .. }) => done.push(left),
            _ if left.is_open() || right.is_open() => done.extend([left, right]),
            (Node::Plain(..) | Node::Text { .. }, Node::Plain(_, text) | Node::Text { text, .. }) => {
                done.push(with_text(left, text))
            }
            _ => {
                return Err(format!(
                    "Cannot concatenate object or list with a non-object-or-list, {} and {} are not compatible",
                    described(&left),
                    described(&right)
                ));
            }
        }
    }
    Ok(match done.len() {
        0 | 1 => done.pop(),
        _ => Some(Rc::new(Node::Joined(done))),
    })
}

/// A list with further items.
fn with_items(mut left: Shared, more: &[Shared]) -> Shared {
    if let Some(Node::List { items, is_resolved }) = Rc::get_mut(&mut left) {
        *is_resolved &= more.iter().all(|item| item.is_resolved());
        items.extend_from_slice(more);
        return left;
    }
    match &*left {
        Node::List { items, .. } => Rc::new(Node::list(items.iter().chain(more).cloned().collect())),
        _ => left,
    }
}

/// A simple value followed by text.
fn with_text(left: Shared, addition: &str) -> Shared {
    let mut text = match Rc::try_unwrap(left) {
        Ok(Node::Plain(_, text) | Node::Text { text, .. }) => text,
        Ok(_) => String::new(),
        Err(shared) => match &*shared {
            Node::Plain(_, text) | Node::Text { text, .. } => text.clone(),
            _ => String::new(),
        },
    };
    text.push_str(addition);
    Rc::new(Node::Text { text, is_quoted: true })
}

/// The list for an object with numbers as keys, if it is one.
fn as_list(object: &Object) -> Option<Shared> {
    let numbered = |(key, value): (&Rc<str>, &Shared)| Some((key.parse::<u64>().ok()?, value.clone()));
    let mut items: Vec<_> = object.fields.iter().filter_map(numbered).collect();
    items.sort_by_key(|(index, _)| *index);
    let items: Vec<_> = items.into_iter().map(|(_, value)| value).collect();
    (!items.is_empty()).then(|| Rc::new(Node::list(items)))
}
