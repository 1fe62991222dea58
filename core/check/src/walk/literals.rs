//! Literals.

use bunraku_pcore::Value;
use bunraku_pcore::types::{IntRange, Type, TypeKind};
use bunraku_syntax::ast::{Node, NodeId};

use super::{Walker, any, either};

/// The maximum number of members of a literal whose type contains each of them.
const MAX_MEMBERS: usize = 64;

impl Walker<'_, '_> {
    pub(super) fn literal(&mut self, id: NodeId) -> Type {
        let program = self.program;
        match *program.node(id) {
            Node::LiteralString { value }
            | Node::QualifiedName { value }
            | Node::ReservedWord { word: value, .. } => Type::string_value(program.text(value)),
            Node::LiteralInteger { .. } if program.big_integer(id).is_some() => any(),
            Node::LiteralInteger { value, .. } => Type::integer(Some(value), Some(value)),
            Node::LiteralFloat { value } => Type::float(Some(value), Some(value)),
            Node::LiteralBoolean { value } => Type::boolean(value),
            Node::LiteralRegularExpression { pattern } => Type::regexp(program.text(pattern)),
            Node::LiteralUndef {} | Node::Nop {} => TypeKind::Undef.into(),
            Node::LiteralDefault {} => TypeKind::Default.into(),
            Node::ConcatenatedString { segments } => self.concatenated(program.list(segments)),
            Node::LiteralList { values } => self.list(program.list(values)),
            Node::LiteralHash { entries } => self.hash(program.list(entries)),
            _ => any(),
        }
    }

    /// A text with interpolation: its value if all parts are known, or else at least as long as its literal
    /// parts.
    fn concatenated(&mut self, segments: &[NodeId]) -> Type {
        let mut least = 0;
        let mut whole = Some(String::new());
        for &segment in segments {
            let part = match *self.program.node(segment) {
                Node::LiteralString { value } => {
                    let text = self.program.text(value);
                    least += text.chars().count() as i64;
                    Some(text.to_owned())
                }
                _ => match self.eval(segment).kind() {
                    TypeKind::String { value: Some(text), .. } => Some(text.to_string()),
                    _ => None,
                },
            };
            whole = whole.zip(part).map(|(whole, part)| whole + &part);
        }
        match whole {
            Some(whole) => Type::string_value(whole),
            None => Type::string(Some(IntRange { from: Some(least), to: None })),
        }
    }

    fn list(&mut self, values: &[NodeId]) -> Type {
        let is_unfolded = |&id: &NodeId| matches!(self.program.node(id), Node::UnfoldExpression { .. });
        let is_open = values.iter().any(is_unfolded);
        let types: Vec<Type> = values.iter().map(|&id| self.eval(id)).collect();
        if types.is_empty() {
            return Type::infer_set(&Value::array([]));
        }
        if is_open {
            return Type::array(any(), None);
        }
        if types.len() > MAX_MEMBERS {
            let count = types.len() as i64;
            return Type::array(either(types), Some(IntRange { from: Some(count), to: Some(count) }));
        }
        Type::tuple(types, None)
    }

    fn hash(&mut self, entries: &[NodeId]) -> Type {
        let mut members: Vec<(String, Type)> = Vec::new();
        let mut values = Vec::new();
        let mut are_texts = true;
        for &entry in entries {
            let Node::KeyedEntry { key, value } = *self.program.node(entry) else { continue };
            let key = self.eval(key);
            let value = self.eval(value);
            match key.kind() {
                TypeKind::String { value: Some(name), .. } if !name.is_empty() => {
                    members.retain(|(known, _)| known != name.as_str());
                    members.push((name.to_string(), value.clone()));
                }
                _ => are_texts = false,
            }
            values.push(value);
        }
        if entries.is_empty() {
            return Type::infer_set(&Value::hash([]));
        }
        if !are_texts || members.len() > MAX_MEMBERS {
            return Type::hash(any(), either(values), Some(IntRange { from: Some(1), to: None }));
        }
        Type::structure_of(members.iter().map(|(name, of)| (name.as_str(), of.clone(), true)))
    }
}
