//! Damaged manifests: every prefix of a file, and every file with any one piece deleted, is parsed to its
//! end.
//!
//! The properties of each damaged text:
//! - the recovering parser does not panic, and its first error is the one of the ordinary parser;
//! - its work is bounded: the nodes that it makes, including discarded ones, are fewer than the bytes of the
//!   text;
//! - statements before the damage are kept, and those after it unless the damage removed a quote or a
//!   bracket: not only those at the top level, but also those in the bodies of the definitions and conditions
//!   around the damage.
//!
//! The repository's own manifests are damaged at every piece, small ones at every character, too. Each file
//! of the corpus, if it is installed, is damaged at a few places, spread evenly over it; with
//! `BUNRAKU_EVERY_PLACE=1` (`make corpus` sets it) at all of them.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use bunraku::source::Source;
use bunraku::syntax::ast::{Kind, Node, NodeId, Program};
use bunraku::syntax::{ParseOptions, Recovered, parse, parse_recovering};
use conform::manifests::{self, Manifest};
use conform::suite::{self, Test};
use conform::workers;

/// The number of damaged places in a file of the corpus, for each kind of damage.
const FEW_PLACES: usize = 40;
/// Files of up to this number of bytes are also cut at every character.
const SMALL: usize = 1500;

const OF_THE_CORPUS: &str = "damaged_manifests_of_the_corpus_are_read_to_their_end";

pub fn tests() -> Vec<Test> {
    let bundled = || {
        let manifests = manifests::bundled();
        assert!(manifests.len() > 50, "{} manifests", manifests.len());
        damage_all(&manifests, usize::MAX);
    };
    let installed = manifests::installed();
    let of_the_corpus = match installed.is_empty() {
        true => suite::ignored(OF_THE_CORPUS, "no modules are installed"),
        false => suite::plain(OF_THE_CORPUS, move || {
            let all = std::env::var_os("BUNRAKU_EVERY_PLACE").is_some();
            damage_all(&installed, if all { usize::MAX } else { FEW_PLACES });
        }),
    };
    let name = "damaged_manifests_of_the_repository_are_read_to_their_end";
    vec![suite::plain(name, bundled), of_the_corpus]
}

fn damage_all(manifests: &[Manifest], places: usize) {
    let results = workers::run_all(manifests, |manifest| damage(manifest, places));
    let mut texts = 0;
    let mut complaints = Vec::new();
    for (manifest, result) in manifests.iter().zip(results) {
        let (count, found) = result.unwrap_or_else(|panic| (0, vec![format!("panic: {panic}")]));
        texts += count;
        complaints.extend(found.into_iter().map(|found| format!("{}: {found}", manifest.path.display())));
    }
    assert!(texts > manifests.len(), "{} files, {texts} damaged texts", manifests.len());
    let known = known_files();
    let is_known = |complaint: &&String| known.iter().any(|file| complaint.contains(file));
    let shown: Vec<&String> = complaints.iter().filter(|one| !is_known(one)).take(20).collect();
    assert!(shown.is_empty(), "{} complaints, such as {shown:#?}", complaints.len());
    let is_read = |file: &&String| manifests.iter().any(|manifest| manifest.path.ends_with(file.as_str()));
    let mended: Vec<&String> = known
        .iter()
        .filter(is_read)
        .filter(|file| !complaints.iter().any(|complaint| complaint.contains(file.as_str())))
        .collect();
    assert!(mended.is_empty(), "tests/known/recovery.txt lists what is mended: {mended:?}");
}

/// The files of the repository that lose statements: several are on one line, and those after the damage are
/// lost with it.
fn known_files() -> Vec<String> {
    let list = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("known/recovery.txt");
    let list = std::fs::read_to_string(list).unwrap_or_default();
    list.lines().map(str::to_owned).filter(|line| !line.is_empty()).collect()
}

/// Damages a file in all ways; returns the number of texts, and the failures.
fn damage(manifest: &Manifest, places: usize) -> (usize, Vec<String>) {
    let text = &manifest.text;
    let options = ParseOptions {
        epp: manifest.epp,
        tasks: manifest.path.iter().any(|part| part == "plans"),
        ..ParseOptions::default()
    };
    let sound = parse(source(text), &options).ok().map(|program| Outline::of(&program));
    let pieces = pieces(text);
    let mut cuts: Vec<usize> = spread(&pieces, places).map(|piece| piece.start).collect();
    if places == usize::MAX && text.len() <= SMALL {
        cuts = text.char_indices().map(|(at, _)| at).collect();
    }
    let cuts = cuts.into_iter().map(|at| at..text.len());
    let deletions = spread(&pieces, places);
    let mut found = Vec::new();
    let mut count = 0;
    for gone in cuts.chain(deletions) {
        count += 1;
        let damaged = format!("{}{}", &text[..gone.start], &text[gone.end..]);
        let mut complain = |complaint: String| {
            found.push(format!(
                "without {gone:?} {:?}: {complaint}",
                &text[gone.start..gone.end.min(gone.start + 20)]
            ))
        };
        let Recovered { program, errors } = parse_recovering(source(&damaged), &options);
        let strict = parse(source(&damaged), &options).err();
        if errors.first() != strict.as_ref() {
            complain(format!("the first error is {:?} and not {strict:?}", errors.first()));
        }
        if program.node_count() > damaged.len() + 16 {
            complain(format!("{} nodes", program.node_count()));
        }
        if let Some(sound) = &sound {
            let kept = Outline::of(&program);
            for lost in sound.expected(&gone, text).iter().filter(|lost| !kept.has(lost)) {
                complain(format!("lost the {:?} at {}", lost.kind, lost.start));
            }
        }
    }
    (count, found)
}

fn source(text: &str) -> Arc<Source> {
    Arc::new(Source::new(None, text))
}

/// At most `count` members of a list, spread evenly.
fn spread(pieces: &[Range<usize>], count: usize) -> impl Iterator<Item = Range<usize>> {
    let step = (pieces.len() / count.max(1)).max(1);
    pieces.iter().step_by(step).cloned()
}

/// The pieces of a text, roughly its tokens: words, strings on one line, and single characters other than
/// space.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &text[at..];
        let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | ':');
        let length = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'\'' | b'"' => {
                let line = rest.lines().next().unwrap_or(rest);
                line[1..].find(char::from(byte)).map_or(1, |end| end + 2)
            }
            b'#' => rest.find('\n').unwrap_or(rest.len()),
            b':' => 1,
            _ => match rest.find(|character| !is_word(character)) {
                Some(0) => rest.chars().next().map_or(1, char::len_utf8),
                Some(end) => end,
                None => rest.len(),
            },
        };
        found.push(at..at + length);
        at += length;
    }
    found
}

/// A node, as it is recognized in another tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Mark {
    kind: Kind,
    /// The start of its first node.
    start: usize,
    /// The number of its nodes.
    size: usize,
}

/// A statement with the blocks in it.
struct Statement {
    mark: Mark,
    end: usize,
    blocks: Vec<Vec<Statement>>,
}

/// The recognized parts of a program.
struct Outline {
    statements: Vec<Statement>,
    marks: HashSet<Mark>,
}

impl Outline {
    fn of(program: &Program) -> Self {
        let mut order = vec![program.body()];
        let mut next = 0;
        while let Some(&id) = order.get(next) {
            program.node(id).children(program, |child| order.push(child));
            next += 1;
        }
        let mut measures = vec![Measure::default(); program.node_count()];
        for &id in order.iter().rev() {
            let span = program.span(id);
            let mut measure = Measure { start: span.start as usize, end: span.end as usize, size: 1 };
            program.node(id).children(program, |child| measure.add(measures[child.index()]));
            measures[id.index()] = measure;
        }
        let mark = |id: NodeId| {
            let Measure { start, size, .. } = measures[id.index()];
            Mark { kind: program.node(id).kind(), start, size }
        };
        let marks = order.iter().map(|&id| mark(id)).collect();
        let sketch = Sketch { program, measures: &measures, mark: &mark };
        Self { statements: sketch.statements(program.body()), marks }
    }

    fn has(&self, mark: &Mark) -> bool {
        self.marks.contains(mark)
    }

    /// The expectation for a text without a stretch.
    fn expected(&self, gone: &Range<usize>, text: &str) -> Vec<Mark> {
        let piece = &text[gone.clone()];
        let structure =
            ['\'', '"', '{', '}', '(', ')', '[', ']', '|', '@', '/', '#', '<', '>', '$', '?', '\\', '*', '%'];
        let is_string = piece.len() > 1 && piece.starts_with(['\'', '"']);
        // Text that looks like a string or a comment can be between strings, or in one.
        let stands_free = text[..gone.start].ends_with([' ', '\n', '[', '(', '{'])
            && text[gone.end..].starts_with([' ', '\n', ',', ':', ')', ']', '}', ';']);
        let is_structure = match piece.get(1..piece.len().max(2) - 1) {
            Some(content) if is_string && stands_free => content.contains(structure),
            _ if piece.starts_with('#') => !stands_free || piece.contains(['\'', '"']),
            _ => piece.contains(structure),
        };
        // Whether a `/` is a division or begins a regular expression, in which quotes are literal, depends on
        // the preceding text.
        let is_structure = is_structure || text[gone.end..].trim_start().starts_with('/');
        let is_cut = gone.end == text.len();
        let mut found = Vec::new();
        let expectation = Expectation {
            text,
            gone,
            with_rest: !is_cut && !is_structure && !text.contains("@(") && !text.contains("<%"),
            in_conditions: is_cut || !is_structure,
        };
        expectation.add(&self.statements, &mut found);
        found
    }
}

/// Which statements around damage are expected to be kept.
struct Expectation<'r> {
    text: &'r str,
    gone: &'r Range<usize>,
    /// Whether those after the damage are expected.
    with_rest: bool,
    /// Whether those in the same block of a condition are.
    in_conditions: bool,
}

impl Expectation<'_> {
    /// Adds those of a block. The damaged statement can absorb the next one, and the previous one if its
    /// first word is damaged.
    fn add(&self, statements: &[Statement], found: &mut Vec<Mark>) {
        let gone = self.gone;
        let behind = statements.partition_point(|statement| statement.mark.start <= gone.start);
        let damaged = behind.checked_sub(1).and_then(|at| statements.get(at));
        let lost_start = damaged.is_some_and(|damaged| {
            let left = &self.text[damaged.mark.start..gone.start];
            left.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | ':'))
        });
        let before = behind.saturating_sub(if lost_start { 2 } else { 1 });
        found.extend(statements[..before].iter().map(|statement| statement.mark));
        if self.with_rest {
            let rest = statements.iter().skip(behind + 1).map(|statement| statement.mark);
            found.extend(rest.map(|mark| Mark { start: mark.start - gone.len(), ..mark }));
        }
        let Some(damaged) = damaged else { return };
        let is_condition =
            matches!(damaged.mark.kind, Kind::IfExpression | Kind::UnlessExpression | Kind::CaseExpression);
        let block = damaged.blocks.iter().find(|block| {
            let first = block.first().map_or(usize::MAX, |first| first.mark.start);
            let end = block.last().map_or(0, |last| last.end);
            (first..end).contains(&gone.start)
        });
        if let Some(block) = block
            && (self.in_conditions || !is_condition)
        {
            self.add(block, found);
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Measure {
    start: usize,
    end: usize,
    size: usize,
}

impl Measure {
    fn add(&mut self, child: Measure) {
        self.start = self.start.min(child.start);
        self.end = self.end.max(child.end);
        self.size += child.size;
    }
}

/// Draws the statements of a program.
struct Sketch<'p> {
    program: &'p Program,
    measures: &'p [Measure],
    mark: &'p dyn Fn(NodeId) -> Mark,
}

impl Sketch<'_> {
    fn statements(&self, block: NodeId) -> Vec<Statement> {
        let statements = match *self.program.node(block) {
            Node::BlockExpression { statements } => self.program.list(statements),
            _ => &[block],
        };
        let statement = |&id: &NodeId| Statement {
            mark: (self.mark)(id),
            end: self.measures[id.index()].end,
            blocks: self.blocks(id).into_iter().map(|block| self.statements(block)).collect(),
        };
        statements.iter().map(statement).collect()
    }

    /// The blocks of a definition or a condition.
    fn blocks(&self, id: NodeId) -> Vec<NodeId> {
        match *self.program.node(id) {
            Node::HostClassDefinition { body, .. }
            | Node::ResourceTypeDefinition { body, .. }
            | Node::NodeDefinition { body, .. }
            | Node::FunctionDefinition { body, .. } => body.into_iter().collect(),
            Node::IfExpression { then_expr, else_expr, .. }
            | Node::UnlessExpression { then_expr, else_expr, .. } => {
                then_expr.into_iter().chain(else_expr).collect()
            }
            Node::CaseExpression { options, .. } => {
                let option = |&option: &NodeId| match *self.program.node(option) {
                    Node::CaseOption { then_expr, .. } => then_expr,
                    _ => None,
                };
                self.program.list(options).iter().filter_map(option).collect()
            }
            _ => Vec::new(),
        }
    }
}
