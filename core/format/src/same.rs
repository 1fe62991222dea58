//! Whether two programs mean the same: their trees, except for places, the text of their comments, and
//! between which nodes these stand.

use bunraku_syntax::ast::{FieldValue, NodeId, Program};

/// Compares the formatted program with its source. Both were parsed in the same way: equal nodes have equal
/// ids.
pub(crate) fn is_same(one: &Program, other: &Program) -> bool {
    let (comments_before, comments_after) = (Comments::of(one), Comments::of(other));
    let is_attached = |id| comments_before.around(id) == comments_after.around(id);
    one.node_count() == other.node_count()
        && one.comments().len() == other.comments().len()
        && one.ids().all(|id| {
            let (before, after) = (one.node(id), other.node(id));
            before.kind() == after.kind()
                && is_attached(id)
                && one.big_integer(id) == other.big_integer(id)
                && {
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
                        is_same &=
                            fields.get(at).is_some_and(|&value| says_same(one, value, other, field.value));
                        at += 1;
                    });
                    is_same && at == count
                }
        })
        && one.comments().iter().zip(other.comments()).all(|(before, after)| {
            one.source().slice(before.span).trim_end() == other.source().slice(after.span).trim_end()
        })
}

/// The comments of a program.
struct Comments<'p> {
    program: &'p Program,
    starts: Vec<u32>,
}

impl<'p> Comments<'p> {
    fn of(program: &'p Program) -> Self {
        Self { program, starts: program.comments().iter().map(|comment| comment.span.start).collect() }
    }

    /// How many comments stand before the beginning and before the end of a node. If they are as many for all
    /// nodes, each comment stands between the same nodes.
    fn around(&self, id: NodeId) -> (usize, usize) {
        let span = self.program.span(id);
        let before = |place: u32| self.starts.partition_point(|&start| start < place);
        (before(span.start), before(span.end))
    }
}

fn says_same(one: &Program, before: FieldValue, other: &Program, after: FieldValue) -> bool {
    match (before, after) {
        (FieldValue::Text(before), FieldValue::Text(after)) => one.text(before) == other.text(after),
        (FieldValue::Nodes(before), FieldValue::Nodes(after)) => one.list(before) == other.list(after),
        (FieldValue::Float(before), FieldValue::Float(after)) => before.to_bits() == after.to_bits(),
        (before, after) => before == after,
    }
}
