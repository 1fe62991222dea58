//! The effort of a layout, estimated in advance: the layout cannot be cancelled.

use super::graph::Graph;

impl Graph {
    /// About how many boxes the layout works with: those of the graph, those that it puts where a line passes
    /// by others, and all of them for each level of frames.
    pub(super) fn effort(&self) -> u64 {
        let frames = self.nodes.iter().enumerate();
        let frames = frames.filter_map(|(number, node)| Some((node.parent?, number)));
        let edges: Vec<(usize, usize)> =
            self.lines.iter().map(|line| (line.source, line.target)).chain(frames).collect();
        let ranks = ranks(self.nodes.len(), &edges);
        let rank = |number: usize| ranks.get(number).copied().unwrap_or_default();
        // Between two ranks there is one for the labels of edges.
        let passed: u64 = edges.iter().map(|&(source, target)| 2 * rank(source).abs_diff(rank(target))).sum();
        let boxes = (self.nodes.len() + edges.len()) as u64;
        (boxes + passed).saturating_mul(1 + self.levels())
    }

    /// The nesting of frames.
    fn levels(&self) -> u64 {
        let mut deepest = 0;
        for node in &self.nodes {
            let (mut levels, mut at) = (0, node.parent);
            // No box is its own ancestor, and there are only a few levels.
            while let Some(parent) = at.and_then(|number| self.nodes.get(number)) {
                levels += 1;
                at = parent.parent;
            }
            deepest = deepest.max(levels);
        }
        deepest
    }
}

/// The rank of each box: one more than the maximum of its predecessors, and without predecessors one less
/// than the minimum of its successors. Edges that close a cycle count in the other direction.
fn ranks(count: usize, edges: &[(usize, usize)]) -> Vec<u64> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(source, target) in edges {
        if let (Some(behind), true) = (next.get_mut(source), target < count) {
            behind.push(target);
        }
    }
    let order = finished_last(&next);
    let mut places = vec![0; count];
    for (place, &number) in order.iter().enumerate() {
        places[number] = place;
    }
    let forward = |&(one, other): &(usize, usize)| {
        let (one_place, other_place) = (places.get(one)?, places.get(other)?);
        Some(if one_place <= other_place { (one, other) } else { (other, one) })
    };
    let mut edges: Vec<(usize, usize)> = edges.iter().filter_map(forward).collect();
    edges.sort_by_key(|&(source, _)| places[source]);
    let mut ranks = vec![0_u64; count];
    let mut is_first = vec![true; count];
    for &(source, target) in edges.iter().filter(|(source, target)| source != target) {
        ranks[target] = ranks[target].max(ranks[source] + 1);
        is_first[target] = false;
    }
    let mut nearest = vec![u64::MAX; count];
    for &(source, target) in &edges {
        nearest[source] = nearest[source].min(ranks[target]);
    }
    for number in (0..count).filter(|&number| is_first[number] && nearest[number] != u64::MAX) {
        ranks[number] = nearest[number].saturating_sub(1);
    }
    ranks
}

/// The boxes in an order in which each precedes its successors, except in cycles.
fn finished_last(next: &[Vec<usize>]) -> Vec<usize> {
    let mut is_met = vec![false; next.len()];
    let mut order = Vec::with_capacity(next.len());
    for start in 0..next.len() {
        let mut open = vec![(start, 0)];
        while let Some((number, at)) = open.pop() {
            if at == 0 && std::mem::replace(&mut is_met[number], true) {
                continue;
            }
            match next[number].get(at) {
                Some(&target) => {
                    open.push((number, at + 1));
                    if !is_met[target] {
                        open.push((target, 0));
                    }
                }
                None => order.push(number),
            }
        }
    }
    order.reverse();
    order
}
