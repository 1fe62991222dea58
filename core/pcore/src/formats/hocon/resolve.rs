//! Replaces substitutions, and makes the resulting value.

use std::rc::Rc;

use super::Watch;
use super::node::{Layers, Node, Object, Shared, joined, over};
use super::render::written;
use crate::data::value::{Hash, Value};

/// The maximum nesting of values in progress.
const MAX_DEPTH: usize = 400;

/// The maximum work to replace the substitutions of a document: visited values, copied entries and bytes.
const MAX_WORK: usize = 20_000_000;

/// The value of a document; `environment` contains the variables of the process.
pub(super) fn value(
    root: &Shared,
    environment: &dyn Fn(&str) -> Option<String>,
    watch: &Watch<'_>,
) -> Result<Value, String> {
    let source = Source { root: root.clone(), parents: None };
    let mut resolver = Resolver { environment, resolving: Vec::new(), depth: 0, work: 0, watch };
    match resolver.resolve(root, None, &source) {
        Ok(resolved) => resolved.map_or_else(|| Ok(Value::Undef), |node| plain(&node, watch)),
        Err(Unresolved::Cycle) => Err(CYCLE.into()),
        Err(Unresolved::Message(message)) => Err(message),
    }
}

const CYCLE: &str = "was part of a cycle of substitutions";

fn plain(node: &Node, watch: &Watch<'_>) -> Result<Value, String> {
    watch.charge(1)?;
    Ok(match node {
        Node::Plain(value, _) => value.clone(),
        Node::Text { text, .. } => Value::from(text.as_str()),
        Node::List { items, .. } => {
            Value::from(items.iter().map(|item| plain(item, watch)).collect::<Result<Vec<_>, _>>()?)
        }
        Node::Object(object) => {
            let mut hash = Hash::default();
            for (key, node) in &object.fields {
                hash.insert((&**key).into(), plain(node, watch)?);
            }
            Value::from(hash)
        }
        Node::Substitution { .. } | Node::Joined(_) | Node::Layers(_) => {
            return Err("substitution not resolved".into());
        }
    })
}

enum Unresolved {
    /// A substitution refers to itself; the code that requested its value handles this.
    Cycle,
    Message(String),
}

impl From<String> for Unresolved {
    fn from(message: String) -> Self {
        Self::Message(message)
    }
}

/// `None`: an optional substitution without a value.
type Resolved = Result<Option<Shared>, Unresolved>;

/// Where substitutions search for values.
#[derive(Clone)]
struct Source {
    root: Shared,
    /// The containers of the current value, from the inside to the root; `None` if the value is not known to
    /// be in it.
    parents: Option<Rc<Parents>>,
}

struct Parents {
    node: Shared,
    outer: Option<Rc<Parents>>,
}

impl Source {
    fn within(&self, node: &Shared) -> Self {
        if self.parents.is_none() && !Rc::ptr_eq(node, &self.root) {
            return self.clone();
        }
        let parents = Parents { node: node.clone(), outer: self.parents.clone() };
        Self { root: self.root.clone(), parents: Some(Rc::new(parents)) }
    }
}

/// A path along which a value is resolved, excluding the value at its end.
type Along<'p> = Option<&'p [String]>;

struct Resolver<'e> {
    environment: &'e dyn Fn(&str) -> Option<String>,
    /// The substitutions in progress.
    resolving: Vec<Shared>,
    depth: usize,
    work: usize,
    watch: &'e Watch<'e>,
}

impl Resolver<'_> {
    fn charge_steps(&mut self, work: usize) -> Result<(), Unresolved> {
        self.work = self.work.saturating_add(work);
        if self.work > MAX_WORK || self.depth > MAX_DEPTH {
            return Err(Unresolved::Message("substitutions make the document too big".into()));
        }
        self.watch.charge(work)?;
        Ok(())
    }

    fn resolve(&mut self, node: &Shared, along: Along<'_>, source: &Source) -> Resolved {
        if node.is_resolved() {
            return Ok(Some(node.clone()));
        }
        self.depth += 1;
        let resolved = self.charge_steps(1).and_then(|()| match &**node {
            Node::Plain(..) | Node::Text { .. } => Ok(Some(node.clone())),
            Node::List { items, .. } => self.list(node, items, along, source),
            Node::Object(object) => self.object(node, object, along, source).map(Some),
            Node::Substitution { path, optional, line } => {
                self.substitution(node, (path, *line), *optional, along, source)
            }
            Node::Joined(pieces) => self.join(pieces, &source.within(node)),
            Node::Layers(layers) => self.layers(node, layers, along, source),
        });
        self.depth -= 1;
        resolved
    }

    fn list(&mut self, node: &Shared, items: &[Shared], along: Along<'_>, source: &Source) -> Resolved {
        if along.is_some() {
            return Ok(Some(node.clone()));
        }
        let source = source.within(node);
        let mut resolved = Vec::with_capacity(items.len());
        for item in items {
            resolved.extend(self.resolve(item, None, &source)?);
        }
        Ok(Some(Rc::new(Node::list(resolved))))
    }

    fn object(
        &mut self,
        node: &Shared,
        object: &Object,
        along: Along<'_>,
        source: &Source,
    ) -> Result<Shared, Unresolved> {
        let source = source.within(node);
        let (range, rest) = match along {
            None => (0..object.fields.len(), None),
            // The value at the end of the path stays unchanged.
            Some([] | [_]) => return Ok(node.clone()),
            Some([key, rest @ ..]) => match object.fields.get_index_of(key.as_str()) {
                Some(at) => (at..at + 1, Some(rest)),
                None => return Ok(node.clone()),
            },
        };
        let mut changes = Vec::new();
        for at in range {
            let value = &object.fields[at];
            match self.resolve(value, rest, &source)? {
                Some(resolved) if Rc::ptr_eq(&resolved, value) => {}
                resolved => changes.push((at, resolved)),
            }
        }
        if changes.is_empty() {
            return Ok(node.clone());
        }
        self.charge_steps(object.fields.len())?;
        let mut changes = changes.into_iter().peekable();
        let changed = |(at, (key, value)): (usize, (&Rc<str>, &Shared))| {
            let value = match changes.next_if(|(changed, _)| *changed == at) {
                Some((_, resolved)) => resolved?,
                None => value.clone(),
            };
            Some((key.clone(), value))
        };
        let fields = object.fields.iter().enumerate().filter_map(changed).collect();
        Ok(Rc::new(object.with(fields)))
    }

    fn substitution(
        &mut self,
        node: &Shared,
        (path, line): (&[String], usize),
        optional: bool,
        along: Along<'_>,
        source: &Source,
    ) -> Resolved {
        if self.resolving.iter().any(|other| Rc::ptr_eq(other, node)) {
            return Err(Unresolved::Cycle);
        }
        self.resolving.push(node.clone());
        let found = self.find(&source.root, path).and_then(|(found, source)| match found {
            Some(found) => self.resolve(&found, along, &source),
            None => Ok(None),
        });
        self.resolving.pop();
        let problem = match found {
            Ok(None) if !optional => "Could not resolve substitution to a value",
            Err(Unresolved::Cycle) if optional => return Ok(None),
            Err(Unresolved::Cycle) => CYCLE,
            found => return found,
        };
        Err(Unresolved::Message(format!("{line}: {problem}: ${{{}}}", written(path))))
    }

    /// The value at a path, and where its own substitutions search for values.
    fn find(&mut self, root: &Shared, path: &[String]) -> Result<(Option<Shared>, Source), Unresolved> {
        let source = Source { root: root.clone(), parents: None };
        let mut found = self.resolve(root, Some(path), &source)?;
        let mut source = Source { root: found.as_ref().unwrap_or(root).clone(), parents: None };
        for key in path {
            let Some(node) = found else { break };
            found = node.field(key);
            source = source.within(&node);
        }
        if let (None, [name]) = (&found, path) {
            let variable = (self.environment)(name);
            found = variable.map(|text| Rc::new(Node::Text { text, is_quoted: true }));
        }
        Ok((found, source))
    }

    /// Adjacent values: these must be completely resolved to be joined.
    fn join(&mut self, pieces: &[Shared], source: &Source) -> Resolved {
        let mut resolved = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let piece = self.resolve(piece, None, source)?;
            self.charge_steps(piece.as_ref().map_or(0, |piece| piece.size()))?;
            resolved.extend(piece);
        }
        Ok(joined(resolved)?)
    }

    /// Merges layers. While a layer is resolved, only the layers below it take their place.
    fn layers(&mut self, node: &Shared, layers: &Layers, along: Along<'_>, source: &Source) -> Resolved {
        let mut merged: Option<Shared> = None;
        for (at, layer) in layers.stack.iter().enumerate() {
            let source = if layer.is_open() {
                self.replaced(node, below(&layers.stack[at + 1..]), source)?
            } else {
                source.within(node)
            };
            if let Some(resolved) = self.resolve(layer, along, &source)? {
                self.charge_steps(resolved.size())?;
                merged = Some(match merged {
                    Some(above) => over(above, resolved),
                    None => resolved,
                });
            }
            // Hidden layers only matter for their errors, and all layers are checked where they come from.
            if layers.is_rest && merged.as_ref().is_some_and(|merged| merged.is_closed()) {
                break;
            }
        }
        match &merged {
            Some(merged) if merged.is_object() => {}
            _ if layers.is_object => return Err(Unresolved::Message("Expecting an object".into())),
            _ => {}
        }
        Ok(merged)
    }

    /// The source with a value replaced or removed. The place of the value in it is unknown.
    fn replaced(
        &mut self,
        node: &Shared,
        replacement: Option<Shared>,
        source: &Source,
    ) -> Result<Source, Unresolved> {
        let mut part = node;
        let mut replacement = replacement;
        let mut parents = source.parents.as_deref();
        while let Some(Parents { node, outer }) = parents {
            self.charge_steps(node.size())?;
            let Some(changed) = node.with_part(part, replacement) else {
                return Ok(Source { parents: None, ..source.clone() });
            };
            replacement = Some(Rc::new(changed));
            part = node;
            parents = outer.as_deref();
        }
        let root = replacement.filter(|_| source.parents.is_some()).unwrap_or_else(|| source.root.clone());
        Ok(Source { root, parents: None })
    }
}

/// The layers below one of them.
fn below(stack: &[Shared]) -> Option<Shared> {
    let merged = stack.iter().cloned().reduce(over)?;
    Some(match Rc::try_unwrap(merged) {
        Ok(Node::Layers(layers)) => Rc::new(Node::Layers(Layers { is_rest: true, ..layers })),
        Ok(node) => Rc::new(node),
        Err(shared) => shared,
    })
}
