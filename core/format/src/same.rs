//! Whether two programs mean the same: their trees, except for places, and the text of their comments.

use bunraku_syntax::ast::{FieldValue, Program};

/// Compares the formatted program with its source. Both were parsed in the same way: equal nodes have equal
/// ids.
pub(crate) fn is_same(one: &Program, other: &Program) -> bool {
    one.node_count() == other.node_count()
        && one.comments().len() == other.comments().len()
        && one.ids().all(|id| {
            let (before, after) = (one.node(id), other.node(id));
            before.kind() == after.kind() && one.big_integer(id) == other.big_integer(id) && {
                let mut fields = [const { FieldValue::Absent }; 5];
                let mut count = 0;
                before.fields(|field| {
                    if let Some(place) = fields.get_mut(count) {
                        *place = field.value;
                    }
                    count += 1;
                });
                let (mut at, mut is_same) = (0, true);
                after.fields(|field| {
                    is_same &= fields.get(at).is_some_and(|&value| says_same(one, value, other, field.value));
                    at += 1;
                });
                is_same && at == count
            }
        })
        && one.comments().iter().zip(other.comments()).all(|(before, after)| {
            one.source().slice(before.span).trim_end() == other.source().slice(after.span).trim_end()
        })
}

fn says_same(one: &Program, before: FieldValue, other: &Program, after: FieldValue) -> bool {
    match (before, after) {
        (FieldValue::Text(before), FieldValue::Text(after)) => one.text(before) == other.text(after),
        (FieldValue::Nodes(before), FieldValue::Nodes(after)) => one.list(before) == other.list(after),
        (FieldValue::Float(before), FieldValue::Float(after)) => before.to_bits() == after.to_bits(),
        (before, after) => before == after,
    }
}
