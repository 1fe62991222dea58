//! Draws a graph as SVG; the crate `dagre` computes the places of boxes and edges.

use std::fmt::Write as _;

use dagre::graph::{Graph as Layout, GraphOptions};
use dagre::{EdgeLabel, LayoutOptions, NodeLabel, RankDir, layout};

use super::graph::{BoxKind, Graph};
use super::html::escape;
use super::model::EdgeKind;
use bunraku_host::DeepStacks;
use bunraku_pcore::fuel::Fuel;
use bunraku_syntax::diagnostic::Error;

/// The maximum number of boxes and edges in a drawing.
const MAX_SIZE: usize = 5_000;

/// The maximum effort of a layout. It cannot be cancelled, and takes time quadratic in the effort: this much
/// takes seconds.
const MAX_EFFORT: u64 = 20_000;

/// The number of steps for each unit of it.
const STEPS_OF_EFFORT: u64 = 1 << 10;

/// The height of a line of text.
const LINE_HEIGHT: f64 = 15.0;

/// The width of a character.
const CHARACTER_WIDTH: f64 = 6.7;

/// The margin around a drawing.
const MARGIN: f64 = 20.0;

/// The gap between boxes.
const GAP: f64 = 14.0;

/// The most characters of a line of text.
const MAX_TEXT: usize = 60;

/// The place of an item.
#[derive(Clone, Copy, Debug, Default)]
struct Rectangle {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// The points of a line.
type Points = Vec<(f64, f64)>;

impl Graph {
    /// The graph as an SVG document.
    ///
    /// # Errors
    /// It is too big to be drawn, or the layout fails; the fuel runs out.
    pub fn to_svg(&self, fuel: &dyn Fuel) -> Result<String, Error> {
        let size = self.nodes.len() + self.lines.len();
        if size > MAX_SIZE {
            return Err(Error::limit(format!(
                "The graph has {size} boxes and lines; {MAX_SIZE} can be drawn. Draw it by class, or use DOT"
            )));
        }
        let effort = self.effort();
        if effort > MAX_EFFORT {
            return Err(Error::limit(
                "The lines of the graph are too long, or its frames too deep, to be drawn. Draw it by class, or use DOT",
            ));
        }
        fuel.charge(effort.saturating_mul(STEPS_OF_EFFORT))?;
        let layout = DeepStacks::default().run(|| self.placed());
        let (mut places, lines) = layout.map_err(|_| Error::internal("the graph could not be laid out"))?;
        self.pack(&mut places);
        Ok(self.drawn(&places, &lines))
    }

    /// The places of boxes (of frames for those that have one), and the points of lines.
    fn placed(&self) -> (Vec<(Rectangle, Option<Rectangle>)>, Vec<Points>) {
        let options = GraphOptions { directed: true, multigraph: true, compound: true };
        let mut graph: Layout<NodeLabel, EdgeLabel> = Layout::with_options(options);
        let (name, frame) = (|number: usize| format!("n{number}"), |number: usize| format!("f{number}"));
        let is_alone = self.alone();
        let connected =
            || self.nodes.iter().enumerate().filter(|(number, _)| is_alone.get(*number) != Some(&true));
        for (number, node) in connected() {
            let (width, height) = text_size(&node.label);
            graph.set_node(name(number), Some(NodeLabel { width, height, ..NodeLabel::default() }));
            if node.is_frame {
                graph.set_node(frame(number), Some(NodeLabel::default()));
            }
        }
        for (number, node) in connected() {
            if node.is_frame {
                graph.set_parent(&name(number), Some(&frame(number)));
            }
            if let Some(parent) = node.parent {
                let own = if node.is_frame { frame(number) } else { name(number) };
                graph.set_parent(&own, Some(&frame(parent)));
                // The content of a frame follows the frame's own box.
                let weak = EdgeLabel { weight: 0, ..EdgeLabel::default() };
                graph.set_edge(name(parent), name(number), Some(weak), Some("frame"));
            }
        }
        for (number, line) in self.lines.iter().enumerate() {
            let label = EdgeLabel { weight: 1, ..EdgeLabel::default() };
            graph.set_edge(name(line.source), name(line.target), Some(label), Some(&name(number)));
        }
        let options = LayoutOptions {
            rankdir: RankDir::LR,
            nodesep: GAP,
            ranksep: 46.0,
            edgesep: 10.0,
            marginx: MARGIN,
            marginy: MARGIN,
            ..LayoutOptions::default()
        };
        layout(&mut graph, Some(options));
        let place = |name: &str| {
            let of = graph.node(name)?;
            Some(Rectangle { x: of.x?, y: of.y?, width: of.width, height: of.height })
        };
        let places = (0..self.nodes.len()).map(|number| {
            let is_frame = self.nodes.get(number).is_some_and(|node| node.is_frame);
            let frame = if is_frame { place(&frame(number)) } else { None };
            (place(&name(number)).unwrap_or_default(), frame)
        });
        let points = |(number, line): (usize, &super::graph::Line)| {
            let edge = graph.edge(&name(line.source), &name(line.target), Some(&name(number)));
            edge.map(|edge| edge.points.iter().map(|point| (point.x, point.y)).collect()).unwrap_or_default()
        };
        (places.collect(), self.lines.iter().enumerate().map(points).collect())
    }

    /// Whether no line and no frame joins a box to another.
    fn alone(&self) -> Vec<bool> {
        let mut alone: Vec<bool> =
            self.nodes.iter().map(|node| node.parent.is_none() && !node.is_frame).collect();
        for number in self.lines.iter().flat_map(|line| [line.source, line.target]) {
            if let Some(alone) = alone.get_mut(number) {
                *alone = false;
            }
        }
        alone
    }

    /// Places isolated boxes in a grid below the others, about as wide as the drawing.
    fn pack(&self, places: &mut [(Rectangle, Option<Rectangle>)]) {
        let alone = self.alone();
        let is_alone = |number: usize| alone.get(number) == Some(&true);
        let right = |place: &Rectangle| place.x + place.width / 2.0;
        let bottom = |place: &Rectangle| place.y + place.height / 2.0;
        let (mut width, mut height, mut area) = (0.0_f64, MARGIN, 0.0_f64);
        for (number, ((place, frame), node)) in places.iter().zip(&self.nodes).enumerate() {
            if is_alone(number) {
                let (width, height) = text_size(&node.label);
                area += (width + GAP) * (height + GAP);
                continue;
            }
            for place in [Some(place), frame.as_ref()].into_iter().flatten() {
                width = width.max(right(place));
                height = height.max(bottom(place) + MARGIN);
            }
        }
        // By themselves they are half as high as wide.
        let width = width.max((2.0 * area).sqrt());
        let (mut x, mut row) = (MARGIN, 0.0_f64);
        for (number, ((place, _), node)) in places.iter_mut().zip(&self.nodes).enumerate() {
            if !is_alone(number) {
                continue;
            }
            let size = text_size(&node.label);
            if x > MARGIN && x + size.0 > width {
                (x, height, row) = (MARGIN, height + row + GAP, 0.0);
            }
            *place =
                Rectangle { x: x + size.0 / 2.0, y: height + size.1 / 2.0, width: size.0, height: size.1 };
            x += size.0 + GAP;
            row = row.max(size.1);
        }
    }

    fn drawn(&self, places: &[(Rectangle, Option<Rectangle>)], lines: &[Points]) -> String {
        let all = places.iter().flat_map(|(place, frame)| [Some(*place), *frame]).flatten();
        let (mut width, mut height) = (0.0_f64, 0.0_f64);
        for place in all {
            width = width.max(place.x + place.width / 2.0);
            height = height.max(place.y + place.height / 2.0);
        }
        for &(x, y) in lines.iter().flatten() {
            width = width.max(x);
            height = height.max(y);
        }
        let (width, height) = (width + MARGIN, height + MARGIN);
        let mut out = String::new();
        let _ = writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">\n<title>{}</title>\n<style>{STYLE}</style>\n<defs>{}{}</defs>\n\
             <rect class=\"paper\" width=\"100%\" height=\"100%\"/>",
            escape(&self.title),
            marker("arrow", "#555"),
            marker("red-arrow", "#d00"),
        );
        // Outer frames first, so that inner ones lie on them.
        let mut frames: Vec<(&Rectangle, bool)> = places
            .iter()
            .zip(&self.nodes)
            .filter_map(|((_, frame), node)| Some((frame.as_ref()?, node.is_in_cycle)))
            .collect();
        frames.sort_by(|(a, _), (b, _)| (b.width * b.height).total_cmp(&(a.width * a.height)));
        for (place, _) in frames {
            rectangle(&mut out, place, "frame", 6.0);
        }
        for (line, points) in self.lines.iter().zip(lines) {
            self.write_line(&mut out, line, points);
        }
        for (node, (place, _)) in self.nodes.iter().zip(places) {
            let mut class = match node.kind {
                BoxKind::Class => "box class",
                BoxKind::Container => "box container",
                BoxKind::Resource => "box",
            }
            .to_owned();
            if node.is_in_cycle {
                class.push_str(" cycle");
            }
            let _ = writeln!(out, "<g><title>{}</title>", escape(&node.label));
            rectangle(&mut out, place, &class, 3.0);
            let texts: Vec<&str> = node.label.lines().collect();
            let first = place.y - (texts.len() as f64 - 1.0) * LINE_HEIGHT / 2.0;
            for (at, text) in texts.iter().enumerate() {
                let y = first + at as f64 * LINE_HEIGHT;
                let text = escape(&shortened(text));
                let _ = writeln!(out, "<text x=\"{:.1}\" y=\"{y:.1}\">{text}</text>", place.x);
            }
            out.push_str("</g>\n");
        }
        out.push_str("</svg>\n");
        out
    }

    fn write_line(&self, out: &mut String, line: &super::graph::Line, points: &[(f64, f64)]) {
        let Some(((x, y), rest)) = points.split_first() else { return };
        let mut path = format!("M{x:.1},{y:.1}");
        // Smooth: each point but the last is the control point of a curve to the middle of the next stretch.
        for pair in rest.windows(2) {
            if let [(x, y), (next_x, next_y)] = pair {
                let _ = write!(path, " Q{x:.1},{y:.1} {:.1},{:.1}", (x + next_x) / 2.0, (y + next_y) / 2.0);
            }
        }
        if let Some((x, y)) = rest.last() {
            let _ = write!(path, " L{x:.1},{y:.1}");
        }
        let mut class = match line.kind {
            EdgeKind::Contains => "line contains",
            EdgeKind::Before => "line",
            EdgeKind::Notify => "line notify",
        }
        .to_owned();
        if line.is_in_cycle {
            class.push_str(" cycle");
        }
        let marker = match (line.kind, line.is_in_cycle) {
            (EdgeKind::Contains, _) => "",
            (_, true) => " marker-end=\"url(#red-arrow)\"",
            (_, false) => " marker-end=\"url(#arrow)\"",
        };
        let label =
            |number: usize| self.nodes.get(number).map(|node| escape(&node.label)).unwrap_or_default();
        let arrow = match line.kind {
            EdgeKind::Contains => "contains",
            EdgeKind::Before => "-&gt;",
            EdgeKind::Notify => "~&gt;",
        };
        let _ = writeln!(
            out,
            "<path class=\"{class}\" d=\"{path}\"{marker}><title>{} {arrow} {}</title></path>",
            label(line.source),
            label(line.target)
        );
    }
}

/// How it looks.
const STYLE: &str = ".paper{fill:#fff}.frame{fill:#f3f6f9;fill-opacity:.7;stroke:#b6c2cd}\
.box{fill:#fff;stroke:#666}.box.class{fill:#dbe9f9;stroke:#5b86b5}.box.container{fill:#eef5e6;stroke:#7d9f5b}\
.box.cycle{stroke:#d00;stroke-width:2}text{font:11px sans-serif;text-anchor:middle;dominant-baseline:central}\
.line{fill:none;stroke:#555}.line.contains{stroke:#9aa7b4;stroke-dasharray:4 3}.line.notify{stroke-width:2}\
.line.cycle{stroke:#d00;stroke-width:2}";

fn marker(name: &str, colour: &str) -> String {
    format!(
        "<marker id=\"{name}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"{colour}\"/></marker>"
    )
}

fn rectangle(out: &mut String, place: &Rectangle, class: &str, radius: f64) {
    let (x, y) = (place.x - place.width / 2.0, place.y - place.height / 2.0);
    let _ = writeln!(
        out,
        "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{radius}\"/>",
        place.width, place.height
    );
}

/// The size of a label.
fn text_size(label: &str) -> (f64, f64) {
    let longest = label.lines().map(|line| line.chars().count().min(MAX_TEXT)).max().unwrap_or(0);
    (longest as f64 * CHARACTER_WIDTH + 14.0, label.lines().count().max(1) as f64 * LINE_HEIGHT + 9.0)
}

/// A long text with its middle left out.
fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= MAX_TEXT {
        return text.to_owned();
    }
    let half = MAX_TEXT / 2;
    let first: String = text.chars().take(half).collect();
    let last: String = text.chars().skip(count - half + 1).collect();
    format!("{first}…{last}")
}

#[cfg(test)]
mod tests {
    use super::super::graph::{BoxKind, By};
    use super::*;
    use bunraku_pcore::fuel::Unmetered;
    use serde_json::json;

    /// Two resources in a class, the one before the other, and a node beside them.
    fn graph() -> Graph {
        let resource = |kind: &str, title: &str| json!({ "type": kind, "title": title });
        let edge = |source: &str, target: &str| json!({ "source": source, "target": target });
        let mut first = resource("Notify", "x");
        first["parameters"] = json!({ "before": "Notify[y]" });
        let catalog = json!({
            "name": "n",
            "resources": [resource("Class", "a"), first, resource("Notify", "y"), resource("Node", "n")],
            "edges": [edge("Class[a]", "Notify[x]"), edge("Class[a]", "Notify[y]")],
        });
        Graph::of_json(&catalog, By::Containment, &Unmetered).expect("it is a catalog")
    }

    #[test]
    fn classes_and_nodes_are_drawn_as_such() {
        let kinds: Vec<_> = graph().nodes.iter().map(|node| (node.label.clone(), node.kind)).collect();
        let kind = |label: &str| kinds.iter().find(|(known, _)| known == label).map(|(_, kind)| *kind);
        assert_eq!(kind("Class[a]"), Some(BoxKind::Class), "{kinds:?}");
        assert_eq!(kind("Node[n]"), Some(BoxKind::Class), "{kinds:?}");
        assert_eq!(kind("Notify[x]"), Some(BoxKind::Resource), "{kinds:?}");
    }

    #[test]
    fn each_box_is_drawn_within_the_drawing_and_beside_the_others() {
        let svg = graph().to_svg(&Unmetered).expect("it can be drawn");
        let number = |line: &str, name: &str| -> f64 {
            let (_, rest) = line.split_once(&format!(" {name}=\"")).expect("it is there");
            rest.split_once('"').expect("it ends").0.parse().expect("it is a number")
        };
        let (width, height) = (number(&svg, "width"), number(&svg, "height"));
        let drawn = svg.lines().filter(|line| line.starts_with("<rect") && line.contains(" x="));
        let (frames, boxes): (Vec<&str>, Vec<&str>) = drawn.partition(|line| line.contains("\"frame"));
        assert_eq!((frames.len(), boxes.len()), (1, 4), "{svg}");
        let place = |line: &&str| ["x", "y", "width", "height"].map(|name| number(line, name));
        let boxes: Vec<[f64; 4]> = boxes.iter().map(place).collect();
        for (index, [x, y, across, down]) in boxes.iter().enumerate() {
            assert!(*x >= 0.0 && *y >= 0.0 && x + across <= width && y + down <= height, "{svg}");
            let is_beside = |[left, top, wide, high]: &[f64; 4]| {
                left + wide <= *x || x + across <= *left || top + high <= *y || y + down <= *top
            };
            assert!(boxes[index + 1..].iter().all(is_beside), "{svg}");
        }
    }
}
