//! Whether two programs mean the same: their trees, except for places, the text of their comments, and
//! between which nodes these stand.

use bunraku_syntax::ast::nodes::ResourceForm;
use bunraku_syntax::ast::{FieldValue, Node, NodeId, Program};

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
    /// The end of each node, by index; empty without comments.
    ends: Vec<u32>,
}

impl<'p> Comments<'p> {
    fn of(program: &'p Program) -> Self {
        let starts: Vec<u32> = program.comments().iter().map(|comment| comment.span.start).collect();
        let ends = if starts.is_empty() { Vec::new() } else { ends(program) };
        Self { program, starts, ends }
    }

    /// How many comments stand before the beginning and before the end of a node. If they are as many for all
    /// nodes, each comment stands between the same nodes.
    fn around(&self, id: NodeId) -> (usize, usize) {
        let Some(&end) = self.ends.get(id.index()).filter(|&&end| end != IN_HEREDOC) else { return (0, 0) };
        let before = |place: u32| self.starts.partition_point(|&start| start < place);
        (before(self.program.span(id).start), before(end))
    }
}

/// In place of the end of what stands in the text of a heredoc: a comment behind the text can move to the
/// line of the tag, in front of it.
const IN_HEREDOC: u32 = u32::MAX;

/// The end of each node. That of an `if` is as far from its word as its closing brace is from its test (as in
/// the reference), so it is in another place when the spaces after the word change. So it is for the `@` of
/// a resource, and for nodes that end with either.
fn ends(program: &Program) -> Vec<u32> {
    let mut ends: Vec<u32> = program.ids().map(|id| program.span(id).end).collect();
    // Nodes are made after their children.
    for id in program.ids() {
        let span = program.span(id);
        let end = match *program.node(id) {
            Node::IfExpression { else_expr: Some(other), .. } => ends[other.index()],
            Node::IfExpression { test, .. } => program.span(test).start + span.len(),
            Node::ResourceExpression { type_name: name, form, .. }
            | Node::ResourceDefaultsExpression { type_ref: Some(name), form, .. }
                if form != ResourceForm::Regular =>
            {
                let name = program.span(name);
                if name.is_empty() { span.start } else { name.start + span.len() }
            }
            _ => {
                let mut end = span.end;
                program.node(id).children(program, |child| {
                    if program.span(child).end == span.end {
                        end = end.max(ends[child.index()]);
                    }
                });
                end
            }
        };
        ends[id.index()] = end;
    }
    let ids: Vec<NodeId> = program.ids().collect();
    for &id in ids.iter().rev() {
        if ends[id.index()] == IN_HEREDOC || matches!(program.node(id), Node::HeredocExpression { .. }) {
            program.node(id).children(program, |child| ends[child.index()] = IN_HEREDOC);
        }
    }
    ends
}

fn says_same(one: &Program, before: FieldValue, other: &Program, after: FieldValue) -> bool {
    match (before, after) {
        (FieldValue::Text(before), FieldValue::Text(after)) => one.text(before) == other.text(after),
        (FieldValue::Nodes(before), FieldValue::Nodes(after)) => one.list(before) == other.list(after),
        (FieldValue::Float(before), FieldValue::Float(after)) => before.to_bits() == after.to_bits(),
        (before, after) => before == after,
    }
}
