//! Dependency cycles: resources that must each precede themselves.
//!
//! Follows the reference's relationship graph (`graph/relationship_graph.rb`: what precedes a container
//! precedes everything in it, and what follows it follows everything in it) and its report of cycles
//! (`graph/simple_graph.rb`). Relationships that types add themselves (`autorequire` and the like) are
//! written in Ruby and not known here.

use std::cell::OnceCell;
use std::collections::VecDeque;

use indexmap::IndexSet;
use rustc_hash::FxHashSet;

use bunraku_pcore::fuel::Fuel;
use bunraku_syntax::diagnostic::Error;

/// Watches over the way through a graph: what its fuel has refused stays refused.
struct WalkFuel<'m> {
    fuel: &'m dyn Fuel,
    end: OnceCell<Error>,
}

impl WalkFuel<'_> {
    fn check(&self) -> Result<(), Error> {
        if self.end.get().is_none()
            && let Err(error) = self.fuel.charge(STEPS_BETWEEN_LOOKS as u64)
        {
            let _ = self.end.set(error);
        }
        self.result()
    }

    fn result(&self) -> Result<(), Error> {
        self.end.get().map_or(Ok(()), |error| Err(error.clone()))
    }
}

/// The number of steps through the graph between two checks for cancellation.
const STEPS_BETWEEN_LOOKS: usize = 1024;

/// The maximum number of paths that are tried to find the reference's description of a cycle.
const MAX_PATHS: usize = 100_000;

/// The graph that determines the order of resources, which are numbers.
#[derive(Clone, Debug, Default)]
pub struct Dependencies {
    resources: Vec<Vertex>,
    contents: Vec<(usize, usize)>,
    relationships: Vec<(usize, usize)>,
}

#[derive(Clone, Debug)]
struct Vertex {
    reference: String,
    is_container: bool,
}

impl Dependencies {
    /// Adds the next resource: `Type[title]`, and whether it is a class, a stage or of a defined type.
    pub fn add(&mut self, reference: String, is_container: bool) {
        self.resources.push(Vertex { reference, is_container });
    }

    /// Notes that one resource contains another. Both have been added; else nothing is noted.
    pub fn contain(&mut self, container: usize, content: usize) {
        if container.max(content) < self.resources.len() {
            self.contents.push((container, content));
        }
    }

    /// Notes that one resource comes before another. Both have been added; else nothing is noted.
    pub fn order(&mut self, first: usize, second: usize) {
        if first.max(second) < self.resources.len() {
            self.relationships.push((first, second));
        }
    }

    /// The vertex of a resource's beginning.
    fn begin(&self, number: usize) -> usize {
        2 * number
    }

    /// The vertex of a resource's end: its beginning, unless it contains others.
    fn end(&self, number: usize) -> usize {
        2 * number + usize::from(self.resources.get(number).is_some_and(|resource| resource.is_container))
    }

    /// The successors of each beginning and end, in the order in which the reference finds them: it
    /// successively replaces each container by its beginning and end, and adds its edges again.
    fn next(&self, watch: &WalkFuel<'_>) -> Vec<IndexSet<usize>> {
        const NEVER: usize = usize::MAX;
        let (mut turns, mut turn) = (vec![NEVER; self.resources.len()], 0);
        for (number, _) in self.resources.iter().enumerate().filter(|(_, resource)| resource.is_container) {
            turn += 1;
            turns[number] = turn;
        }
        let turn_of = |number: usize| turns.get(number).copied().unwrap_or(NEVER);
        let mut edges = Vec::new();
        let mut is_empty = vec![true; self.resources.len()];
        for &(container, content) in
            self.contents.iter().filter(|(container, _)| turn_of(*container) != NEVER)
        {
            is_empty[container] = false;
            edges.push((turn_of(container), 0, self.begin(container), self.begin(content)));
            edges.push((turn_of(container), 0, self.end(content), self.end(container)));
        }
        for number in (0..self.resources.len()).filter(|&number| is_empty[number] && turn_of(number) != NEVER)
        {
            edges.push((turn_of(number), 0, self.begin(number), self.end(number)));
        }
        for &(first, second) in &self.relationships {
            let (turn, step) = match (turn_of(first), turn_of(second)) {
                (NEVER, NEVER) => (0, 0),
                (first, second) if second <= first => (second, 1),
                (first, _) => (first, 2),
            };
            edges.push((turn, step, self.end(first), self.begin(second)));
        }
        edges.sort_by_key(|&(turn, step, ..)| (turn, step));
        let mut next = vec![IndexSet::new(); 2 * self.resources.len()];
        for (at, (_, _, from, to)) in edges.into_iter().enumerate() {
            if at.is_multiple_of(STEPS_BETWEEN_LOOKS) && watch.check().is_err() {
                break;
            }
            next[from].insert(to);
        }
        next
    }

    /// The name by which the reference sorts a vertex.
    fn name(&self, vertex: usize) -> String {
        match self.resources.get(vertex / 2) {
            Some(Vertex { reference, is_container: true }) => {
                let end = if vertex.is_multiple_of(2) { "admissible" } else { "completed" };
                format!("Whit[{end}_{reference}]")
            }
            Some(Vertex { reference, .. }) => reference.clone(),
            None => String::new(),
        }
    }
}

/// One cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The references of the resources in it, each once.
    pub resources: Vec<String>,
    /// A way from a resource back to one that was passed: the shortest one that begins with the first
    /// resource.
    pub path: Vec<String>,
}

/// The cycles of a catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cycles {
    /// The cycles.
    pub all: Vec<Cycle>,
    /// In which strongly connected components each resource begins and ends.
    components: Vec<(usize, usize)>,
    /// Whether each component is a cycle.
    is_cycle: Vec<bool>,
}

impl Cycles {
    /// Finds the cycles.
    ///
    /// # Errors
    /// The fuel runs out, or the work is cancelled.
    pub fn of(dependencies: &Dependencies, fuel: &dyn Fuel) -> Result<Self, Error> {
        let watch = &WalkFuel { fuel, end: OnceCell::new() };
        let next = dependencies.next(watch);
        watch.check()?;
        let components = strongly_connected(&next, watch);
        watch.check()?;
        let mut members: Vec<Vec<usize>> =
            vec![Vec::new(); components.iter().max().map_or(0, |most| most + 1)];
        for (vertex, &component) in components.iter().enumerate() {
            members[component].push(vertex);
        }
        let refers_to_itself = |vertex: usize| next[vertex].contains(&vertex);
        let is_ring =
            |members: &Vec<usize>| members.len() > 1 || members.iter().any(|&one| refers_to_itself(one));
        let is_cycle: Vec<bool> = members.iter().map(is_ring).collect();
        let mut rings: Vec<Vec<(String, usize)>> = Vec::new();
        for ring in members.into_iter().filter(is_ring) {
            let mut named: Vec<(String, usize)> =
                ring.into_iter().map(|vertex| (dependencies.name(vertex), vertex)).collect();
            named.sort();
            rings.push(named);
        }
        rings.sort();
        let reference = |vertex: usize| dependencies.resources[vertex / 2].reference.clone();
        let cycle = |ring: Vec<(String, usize)>| {
            let vertices: IndexSet<usize> = ring.into_iter().map(|(_, vertex)| vertex).collect();
            let resources: IndexSet<usize> = vertices.iter().map(|vertex| vertex / 2).collect();
            Cycle {
                path: path(&vertices, &next, watch).into_iter().map(reference).collect(),
                resources: resources.into_iter().map(|number| reference(2 * number)).collect(),
            }
        };
        let of =
            |number: usize| (components[dependencies.begin(number)], components[dependencies.end(number)]);
        let found = Self {
            all: rings.into_iter().map(cycle).collect(),
            components: (0..dependencies.resources.len()).map(of).collect(),
            is_cycle,
        };
        watch.result().map(|()| found)
    }

    fn ends(&self, number: usize) -> (Option<usize>, Option<usize>) {
        let ring =
            |component: usize| self.is_cycle.get(component).is_some_and(|ring| *ring).then_some(component);
        self.components.get(number).map_or((None, None), |&(begin, end)| (ring(begin), ring(end)))
    }

    /// Whether a resource is in a cycle.
    pub fn has(&self, number: usize) -> bool {
        self.ends(number) != (None, None)
    }

    /// Whether it is a part of a cycle that one resource contains another.
    pub fn has_containment(&self, container: usize, content: usize) -> bool {
        let (outer, inner) = (self.ends(container), self.ends(content));
        outer.0.is_some() && outer.0 == inner.0 || outer.1.is_some() && outer.1 == inner.1
    }

    /// Whether it is a part of a cycle that one resource comes before another.
    pub fn has_order(&self, first: usize, second: usize) -> bool {
        let end = self.ends(first).1;
        end.is_some() && end == self.ends(second).0
    }

    /// The reference's message about the cycles; `None` without cycles.
    pub fn message(&self) -> Option<String> {
        let count = self.all.len();
        let plural = match count {
            0 => return None,
            1 => "",
            _ => "s",
        };
        let paths: Vec<String> =
            self.all.iter().map(|cycle| format!("({})", cycle.path.join(" => "))).collect();
        Some(format!("Found {count} dependency cycle{plural}:\n{}", paths.join("\n")))
    }
}

/// The shortest path from the first vertex of a cycle to one that was passed. Of several, it is the one that
/// the reference finds first; if there are too many to try, it is one that leads back to the first vertex.
fn path(cycle: &IndexSet<usize>, next: &[IndexSet<usize>], watch: &WalkFuel<'_>) -> Vec<usize> {
    let Some(&first) = cycle.first() else { return Vec::new() };
    // Each step knows the one before it.
    let mut steps: Vec<(usize, Option<usize>)> = vec![(first, None)];
    let back = |steps: &[(usize, Option<usize>)], mut at: usize| {
        let mut way = vec![steps[at].0];
        while let Some(before) = steps[at].1 {
            way.push(steps[before].0);
            at = before;
        }
        way.reverse();
        way
    };
    // Whether a way has come by its last vertex before.
    let is_closed = |steps: &[(usize, Option<usize>)], at: usize| {
        let (vertex, mut before) = steps[at];
        let mut passed = 0_usize;
        while let Some(at) = before {
            passed += 1;
            let is_over = passed.is_multiple_of(STEPS_BETWEEN_LOOKS) && watch.check().is_err();
            if steps[at].0 == vertex || is_over {
                return true;
            }
            before = steps[at].1;
        }
        false
    };
    let mut at = 0;
    let mut met = FxHashSet::default();
    while let Some(&(vertex, _)) = steps.get(at) {
        // Ways are only looked through for a vertex that some way has come by.
        if !met.insert(vertex) && is_closed(&steps, at) {
            return back(&steps, at);
        }
        if steps.len() > MAX_PATHS {
            break;
        }
        steps.extend(next[vertex].iter().filter(|to| cycle.contains(*to)).map(|&to| (to, Some(at))));
        at += 1;
    }
    let mut seen: IndexSet<usize> = IndexSet::new();
    let mut steps: Vec<(usize, Option<usize>)> = vec![(first, None)];
    let mut waiting = VecDeque::from([0]);
    while let Some(at) = waiting.pop_front() {
        for &to in next[steps[at].0].iter().filter(|to| cycle.contains(*to)) {
            if seen.insert(to) {
                steps.push((to, Some(at)));
                if to == first {
                    return back(&steps, steps.len() - 1);
                }
                waiting.push_back(steps.len() - 1);
            }
        }
    }
    Vec::new()
}

/// The number of the strongly connected component of each vertex, by Tarjan's algorithm, without recursion.
fn strongly_connected(next: &[IndexSet<usize>], watch: &WalkFuel<'_>) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let count = next.len();
    let (mut index, mut low) = (vec![NEW; count], vec![NEW; count]);
    let (mut component, mut on_stack) = (vec![NEW; count], vec![false; count]);
    let (mut stack, mut next_index, mut next_component, mut steps) = (Vec::new(), 0, 0, 0_usize);
    for start in 0..count {
        if index[start] != NEW {
            continue;
        }
        let mut calls = vec![(start, 0)];
        while let Some((vertex, at)) = calls.pop() {
            steps += 1;
            if steps.is_multiple_of(STEPS_BETWEEN_LOOKS) && watch.check().is_err() {
                return component;
            }
            if at == 0 {
                index[vertex] = next_index;
                low[vertex] = next_index;
                next_index += 1;
                stack.push(vertex);
                on_stack[vertex] = true;
            }
            match next[vertex].get_index(at) {
                Some(&target) => {
                    calls.push((vertex, at + 1));
                    if index[target] == NEW {
                        calls.push((target, 0));
                    } else if on_stack[target] {
                        low[vertex] = low[vertex].min(index[target]);
                    }
                }
                None => {
                    if low[vertex] == index[vertex] {
                        while let Some(member) = stack.pop() {
                            on_stack[member] = false;
                            component[member] = next_component;
                            if member == vertex {
                                break;
                            }
                        }
                        next_component += 1;
                    }
                    if let Some(&(caller, _)) = calls.last() {
                        low[caller] = low[caller].min(low[vertex]);
                    }
                }
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_pcore::fuel::Unmetered;

    fn cycles(resources: &[(&str, bool)], contents: &[(usize, usize)], order: &[(usize, usize)]) -> Cycles {
        let mut dependencies = Dependencies::default();
        for (reference, is_container) in resources {
            dependencies.add((*reference).to_owned(), *is_container);
        }
        contents.iter().for_each(|&(container, content)| dependencies.contain(container, content));
        order.iter().for_each(|&(first, second)| dependencies.order(first, second));
        Cycles::of(&dependencies, &Unmetered).expect("nobody ends it")
    }

    #[test]
    fn what_requires_its_own_container_is_in_a_cycle() {
        let resources = [("Class[A]", true), ("File[/x]", false), ("File[/y]", false)];
        let found = cycles(&resources, &[(0, 1)], &[(0, 1), (1, 2)]);
        let message = "Found 1 dependency cycle:\n(File[/x] => Class[A] => File[/x])";
        assert_eq!(found.message().as_deref(), Some(message));
        assert!(found.has(0) && found.has(1) && !found.has(2));
        assert!(found.has_order(0, 1) && found.has_containment(0, 1) && !found.has_order(1, 2));
    }

    #[test]
    fn a_chain_is_no_cycle_and_a_ring_is_one() {
        let resources = [("File[b]", false), ("File[a]", false), ("File[c]", false)];
        assert_eq!(cycles(&resources, &[], &[(0, 1), (1, 2)]).message(), None);
        let ring = cycles(&resources, &[], &[(0, 1), (1, 2), (2, 0)]);
        assert_eq!(ring.all[0].path, ["File[a]", "File[c]", "File[b]", "File[a]"]);
    }

    #[test]
    fn very_many_ways_are_not_all_tried() {
        let resources: Vec<(String, bool)> =
            (0..200).map(|number| (format!("Exec[{number:03}]"), false)).collect();
        let resources: Vec<(&str, bool)> =
            resources.iter().map(|(name, inner)| (name.as_str(), *inner)).collect();
        // A ladder: each of two leads to each of the next two, and the last ones to the first.
        let rung = |number: usize| [2 * number, 2 * number + 1];
        let mut order = Vec::new();
        for number in 0..100 {
            for first in rung(number) {
                order.extend(rung((number + 1) % 100).map(|second| (first, second)));
            }
        }
        let found = cycles(&resources, &[], &order);
        assert_eq!((found.all.len(), found.all[0].path.len()), (1, 101));
    }
}
