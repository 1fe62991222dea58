//! The declared resources, for references to them.

use std::sync::Arc;

use bunraku_index::{FileIndex, Kind, Usage};
use bunraku_syntax::ast::{Node, NodeId, Program};
use bunraku_syntax::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// The resources that manifests declare, by type.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Declared {
    types: FxHashMap<String, Titles>,
    /// Classes that are declared as resources with values.
    classes: FxHashSet<String>,
    /// The modules whose classes and defined types a module declares.
    reach: FxHashMap<String, FxHashSet<String>>,
}

#[derive(Debug, Default, PartialEq)]
struct Titles {
    literal: FxHashSet<String>,
    /// Computed titles: the module, and the beginning and end of the title.
    computed: Vec<(Option<String>, String, String)>,
}

/// Whether a resource with a title exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Existence {
    /// It is declared, or may be.
    Yes,
    /// It does not, and no other title matches. This one is similar.
    Near(String),
    /// It is not declared.
    No,
}

impl Declared {
    pub fn of(files: &[Arc<FileIndex>]) -> Self {
        let mut all = Self::default();
        for file in files {
            let Some(program) = &file.program else { continue };
            for one in file.uses.iter() {
                match (one.kind, one.usage) {
                    (Kind::Resource, Usage::Declare) => {
                        all.reaches(file, &one.name);
                        match &one.title {
                            Some(title) => all.literal(&one.name, title),
                            None => all.computed(file, &one.name, program, one.node),
                        }
                    }
                    (Kind::Class, Usage::Include) => {
                        all.reaches(file, &one.name);
                        if has_attributes(file, one.span) {
                            all.classes.insert(one.name.clone());
                        }
                    }
                    (Kind::Function, Usage::Call) => all.made_by_function(file, program, &one.name, one.node),
                    _ => {}
                }
            }
        }
        all
    }

    /// Notes the module of what a file declares.
    fn reaches(&mut self, file: &FileIndex, name: &str) {
        let Some(from) = &file.module else { return };
        let to = name.split("::").next().unwrap_or(name);
        if from != to && !self.reach.get(from).is_some_and(|reached| reached.contains(to)) {
            self.reach.entry(from.clone()).or_default().insert(to.to_owned());
        }
    }

    /// Whether a class is declared as a resource with values somewhere.
    pub fn has_class(&self, name: &str) -> bool {
        self.classes.contains(name)
    }

    fn literal(&mut self, of: &str, title: &str) {
        self.types.entry(of.to_owned()).or_default().literal.insert(plain(of, title).to_owned());
    }

    fn computed(&mut self, file: &FileIndex, of: &str, program: &Program, title: NodeId) {
        let (before, behind) = ends_of(program, title);
        let titles = self.types.entry(of.to_owned()).or_default();
        titles.computed.push((file.module.clone(), before, behind));
    }

    /// `create_resources('type', …)`, `ensure_packages([…])` and their like.
    fn made_by_function(&mut self, file: &FileIndex, program: &Program, name: &str, functor: NodeId) {
        let name = name.strip_prefix("stdlib::").unwrap_or(name);
        if !matches!(name, "create_resources" | "ensure_resource" | "ensure_resources" | "ensure_packages") {
            return;
        }
        let Some(call) = program.parent(functor) else { return };
        let Node::CallNamedFunctionExpression { arguments, .. } = *program.node(call) else {
            self.types.entry("package".to_owned()).or_default().computed.push((
                file.module.clone(),
                String::new(),
                String::new(),
            ));
            return;
        };
        let arguments = program.list(arguments);
        let (of, titles) = match name {
            "ensure_packages" => (Some("package".to_owned()), arguments.first()),
            _ => {
                let of = arguments.first().and_then(|&id| text_of(program, id));
                (of.map(|of| of.trim_start_matches(['@', ':']).to_lowercase()), arguments.get(1))
            }
        };
        let (Some(of), Some(&titles)) = (of, titles) else { return };
        let list: Vec<NodeId> = match *program.node(titles) {
            Node::LiteralList { values } => program.list(values).to_vec(),
            Node::LiteralHash { entries } => {
                let key = |&entry: &NodeId| match *program.node(entry) {
                    Node::KeyedEntry { key, .. } => Some(key),
                    _ => None,
                };
                program.list(entries).iter().filter_map(key).collect()
            }
            _ => vec![titles],
        };
        for title in list {
            match text_of(program, title) {
                Some(text) => self.literal(&of, &text),
                None => self.computed(file, &of, program, title),
            }
        }
    }

    /// Whether a resource is declared somewhere.
    pub fn find(&self, of: &str, title: &str, module: Option<&str>) -> Existence {
        let Some(titles) = self.types.get(of) else { return Existence::No };
        let title = plain(of, title);
        if titles.literal.contains(title) {
            return Existence::Yes;
        }
        let fits = |before: &str, behind: &str| {
            title.starts_with(before) && title.ends_with(behind) && title.len() >= before.len() + behind.len()
        };
        let has_ends = |(_, before, behind): &&(Option<String>, String, String)| {
            !before.is_empty() || !behind.is_empty()
        };
        if titles.computed.iter().filter(has_ends).any(|(_, before, behind)| fits(before, behind)) {
            return Existence::Yes;
        }
        let near = super::suggest::nearest(title, titles.literal.iter().map(String::as_str));
        let any = titles.computed.iter().filter(|one| !has_ends(one));
        // What another module declares has this title if the module gives it to it.
        let reached = module.and_then(|module| self.reach.get(module));
        let mut any = any.filter(|(owner, ..)| {
            let is_reached = |owner: &String| reached.is_some_and(|reached| reached.contains(owner));
            owner.as_deref() == module || module.is_none() || owner.as_ref().is_some_and(is_reached)
        });
        match (near, any.next()) {
            (Some(near), _) => Existence::Near(near.to_owned()),
            (None, Some(_)) => Existence::Yes,
            (None, None) => Existence::No,
        }
    }
}

/// Whether the name of a class at a place is the title of a resource with attributes: a colon and more
/// follow.
fn has_attributes(file: &FileIndex, name: Span) -> bool {
    let behind = file.source.text().get(name.end as usize..).unwrap_or_default();
    let attributes = behind.trim_start_matches(['\'', '"']).trim_start().strip_prefix(':');
    attributes.is_some_and(|attributes| !attributes.trim_start().starts_with(['}', ';']))
}

/// A title as references compare it.
fn plain<'t>(of: &str, title: &'t str) -> &'t str {
    let stripped = title.trim_end_matches('/');
    if of == "file" && !stripped.is_empty() { stripped } else { title }
}

/// The text of a literal.
fn text_of(program: &Program, id: NodeId) -> Option<String> {
    match *program.node(id) {
        Node::LiteralString { value } | Node::QualifiedName { value } => Some(program.text(value).to_owned()),
        _ => None,
    }
}

/// The certain beginning and end of an expression's text.
pub(crate) fn ends_of(program: &Program, id: NodeId) -> (String, String) {
    let Node::ConcatenatedString { segments } = *program.node(id) else {
        return (String::new(), String::new());
    };
    let segments = program.list(segments);
    let text = |id: Option<&NodeId>| id.and_then(|&id| text_of(program, id)).unwrap_or_default();
    (text(segments.first()), text(segments.last()))
}
