//! New names for classes, defined types and functions.

use std::sync::Arc;

use bunraku_syntax::ast::{List, Node, NodeId, Program};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::edit::Edits;
use bunraku_syntax::source::{Location, Source, Span};

use super::definitions::{absolute, of_node};
use super::uses::{INCLUDES, literal};
use super::{Definition, FileIndex, Index, Kind, Role, keys};

/// Functions whose first argument is the name of a class or a resource type.
const NAMES_FIRST: &[&str] = &["create_resources", "ensure_resource", "ensure_resources", "defined"];

/// A new name for a class, a defined type or a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    kind: Kind,
    from: String,
    to: String,
}

/// What a new name changes in an environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renamed {
    /// The changed files, by path, with their new texts. A main manifest that was given as text has no path.
    pub files: Vec<(Option<Arc<str>>, String)>,
    /// Files that have to be moved, because the path of a file says what it defines.
    pub moves: Vec<(Arc<str>, String)>,
}

impl Renaming {
    /// A new name; both names are full ones.
    ///
    /// # Errors
    /// The kind is none of class, defined type and function, or the new name is invalid.
    pub fn new(kind: Kind, from: &str, to: &str) -> Result<Self, Error> {
        if !matches!(kind, Kind::Class | Kind::DefinedType | Kind::Function) {
            return Err(Error::argument("a class, a defined type or a function can have a new name"));
        }
        let is_part = |part: &str| {
            part.starts_with(|first: char| first.is_ascii_lowercase())
                && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        };
        let new = to.strip_prefix("::").unwrap_or(to);
        if !new.split("::").all(is_part) {
            return Err(Error::argument(format!("'{to}' is not a valid name")));
        }
        Ok(Self { kind, from: absolute(from), to: new.to_owned() })
    }

    /// From the name of a kind: `class`, `define` (also `defined_type`) or `function`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn named(kind: &str, from: &str, to: &str) -> Result<Self, Error> {
        let kind = match kind {
            "class" => Kind::Class,
            "define" | "defined_type" => Kind::DefinedType,
            "function" => Kind::Function,
            _ => {
                return Err(Error::argument(format!(
                    "a {kind} cannot have a new name: class, define, function"
                )));
            }
        };
        Self::new(kind, from, to)
    }

    /// Adds the changes in one program: the definition, those inside it, and the references.
    ///
    /// # Errors
    /// A name is written in a way that cannot be changed, or a definition would leave the one around it.
    pub fn add_to(&self, edits: &mut Edits<'_>) -> Result<(), Error> {
        let program = edits.program();
        let definitions: Vec<Definition> =
            program.definitions().iter().flat_map(|&id| of_node(program, id)).collect();
        let all = self.with_inner(definitions.iter());
        all.iter().try_for_each(|one| one.change(program, edits))
    }

    /// This renaming, and those of the classes and defined types inside of what it renames.
    fn with_inner<'d>(&self, definitions: impl Iterator<Item = &'d Definition> + Clone) -> Vec<Self> {
        let mut all = vec![self.clone()];
        for outer in definitions.clone().filter(|one| one.kind == self.kind && one.name == self.from) {
            let is_inner = |one: &&Definition| {
                matches!(one.kind, Kind::Class | Kind::DefinedType)
                    && outer.span.start < one.span.start
                    && one.span.end <= outer.span.end
            };
            for inner in definitions.clone().filter(is_inner) {
                let Some(rest) = inner.name.strip_prefix(&self.from).filter(|rest| rest.starts_with("::"))
                else {
                    continue;
                };
                let one =
                    Self { kind: inner.kind, from: inner.name.clone(), to: format!("{}{rest}", self.to) };
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
        all
    }

    fn change(&self, program: &Program, edits: &mut Edits<'_>) -> Result<(), Error> {
        // The arena also contains nodes that the parser has replaced.
        for id in program.descendants(program.body()) {
            Changing { renaming: self, program, edits }.node(id)?;
        }
        Ok(())
    }

    /// The new name where `written` stands, if that is the old one.
    fn written(&self, written: &str) -> Option<String> {
        let (colons, name) = written.strip_prefix("::").map_or(("", written), |name| ("::", name));
        (name.to_lowercase() == self.from).then(|| format!("{colons}{}", self.to))
    }

    /// The name as that of a type.
    fn type_name(&self) -> String {
        let capital = |part: &str| {
            let mut characters = part.chars();
            characters.next().into_iter().flat_map(char::to_uppercase).chain(characters).collect::<String>()
        };
        self.to.split("::").map(capital).collect::<Vec<_>>().join("::")
    }

    /// Where a file that defines this has to stand, if its path says the old name.
    fn moved(&self, path: &str) -> Option<String> {
        let directory = if self.kind == Kind::Function { "functions" } else { "manifests" };
        let place = |name: &str| match name.split_once("::") {
            Some((module, rest)) => format!("/{module}/{directory}/{}.pp", rest.replace("::", "/")),
            None if self.kind == Kind::Function => format!("/{name}/{directory}/{name}.pp"),
            None => format!("/{name}/{directory}/init.pp"),
        };
        let root = path.strip_suffix(&place(&self.from))?;
        Some(format!("{root}{}", place(&self.to)))
    }
}

/// A program whose names change.
struct Changing<'c, 'p> {
    renaming: &'c Renaming,
    program: &'c Program,
    edits: &'c mut Edits<'p>,
}

impl Changing<'_, '_> {
    fn node(&mut self, id: NodeId) -> Result<(), Error> {
        let kind = self.renaming.kind;
        match *self.program.node(id) {
            Node::HostClassDefinition { name, parent_class, parameters, .. } => {
                let parent = parent_class.map(|parent| absolute(self.program.text(parent)));
                if kind == Kind::Class && parent.as_deref() == Some(self.renaming.from.as_str()) {
                    self.parent(id, parameters)?;
                }
                self.definition(id, Kind::Class, self.program.text(name))
            }
            Node::ResourceTypeDefinition { name, .. } => {
                self.definition(id, Kind::DefinedType, self.program.text(name))
            }
            Node::FunctionDefinition { name, .. } => {
                self.definition(id, Kind::Function, self.program.text(name))
            }
            Node::CallNamedFunctionExpression { functor_expr, arguments, .. } => {
                self.call(functor_expr, self.program.extent(id), self.program.list(arguments))
            }
            Node::CallMethodExpression { functor_expr, arguments, .. } => {
                let Node::NamedAccessExpression { left_expr, right_expr } = *self.program.node(functor_expr)
                else {
                    return Ok(());
                };
                let mut given = vec![left_expr];
                given.extend(self.program.list(arguments));
                let behind = Span::new(self.program.extent(left_expr).end, self.program.extent(id).end);
                self.call(right_expr, behind, &given)
            }
            Node::ResourceExpression { type_name, bodies, .. } => self.resource(type_name, bodies),
            Node::QualifiedReference { .. } if kind == Kind::DefinedType => {
                let written = self.program.source_text(id);
                if self.renaming.written(written).is_some() {
                    let colons = if written.starts_with("::") { "::" } else { "" };
                    let name = format!("{colons}{}", self.renaming.type_name());
                    self.edits.replace_span(self.program.span(id), name);
                }
                Ok(())
            }
            Node::AccessExpression { left_expr, keys } => self.access(left_expr, keys),
            Node::VariableExpression { .. } if kind == Kind::Class => {
                self.variable(id);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The name behind the keyword of a definition.
    fn definition(&mut self, id: NodeId, kind: Kind, full: &str) -> Result<(), Error> {
        let renaming = self.renaming;
        if kind != renaming.kind || absolute(full) != renaming.from {
            return Ok(());
        }
        let extent = self.program.extent(id);
        let Some((at, written)) = words(self.program.source().slice(extent)).nth(1) else {
            return Err(refused(self.program, id, "the name of the definition is not found"));
        };
        let new = renaming.written(written).or_else(|| {
            // The name of a definition inside a class does not repeat that of the class.
            let around = renaming.from.strip_suffix(&written.to_lowercase())?;
            Some(renaming.to.strip_prefix(around)?.to_owned())
        });
        let inner = renaming.from.len() > written.len() && renaming.written(written).is_none();
        let new = match new {
            Some(new) => new,
            // The class around it has a new name, too; that of this one stays as it is written.
            None if inner && renaming.to.ends_with(&format!("::{}", written.to_lowercase())) => return Ok(()),
            None => {
                return Err(refused(self.program, id, "it is defined inside a class that keeps its name"));
            }
        };
        let start = extent.start + at as u32;
        self.edits.replace_span(Span::new(start, start + written.len() as u32), new);
        Ok(())
    }

    /// The name behind `inherits`.
    fn parent(&mut self, id: NodeId, parameters: List) -> Result<(), Error> {
        let extent = self.program.extent(id);
        let parameters = self.program.list(parameters).last().map(|&last| self.program.extent(last).end);
        let from = parameters.unwrap_or(extent.start);
        let text = self.program.source().slice(Span::new(from, extent.end));
        let mut behind = words(text).skip_while(|(_, word)| *word != "inherits").skip(1);
        let found = behind.next().and_then(|(at, word)| Some((at, word, self.renaming.written(word)?)));
        let Some((at, word, new)) = found else {
            return Err(refused(self.program, id, "the name behind inherits is not found"));
        };
        let start = from + at as u32;
        self.edits.replace_span(Span::new(start, start + word.len() as u32), new);
        Ok(())
    }

    /// A call, whose function stands first in `around`.
    fn call(&mut self, functor: NodeId, around: Span, arguments: &[NodeId]) -> Result<(), Error> {
        let Node::QualifiedName { value } = *self.program.node(functor) else { return Ok(()) };
        let function = absolute(self.program.text(value));
        if self.renaming.kind == Kind::Function {
            self.name_in(functor, around)?;
            return if function == "call" { self.literals(arguments.iter().take(1)) } else { Ok(()) };
        }
        if INCLUDES.contains(&function.as_str()) && self.renaming.kind == Kind::Class {
            return self.literals(arguments.iter());
        }
        let taken = match function.as_str() {
            "defined" => arguments.len(),
            name if NAMES_FIRST.contains(&name) => 1,
            _ => return Ok(()),
        };
        self.literals(arguments.iter().take(taken))
    }

    fn resource(&mut self, type_name: NodeId, bodies: List) -> Result<(), Error> {
        let Some(name) = literal(self.program, type_name) else { return Ok(()) };
        if self.renaming.kind == Kind::DefinedType {
            return self.literal(type_name);
        }
        if name != "class" || self.renaming.kind != Kind::Class {
            return Ok(());
        }
        for &body in self.program.list(bodies) {
            if let Node::ResourceBody { title: Some(title), .. } = *self.program.node(body) {
                self.literals(std::iter::once(&title))?;
            }
        }
        Ok(())
    }

    /// `Class['x']`, `Resource['x', 'title']`
    fn access(&mut self, left: NodeId, keys: List) -> Result<(), Error> {
        let Node::QualifiedReference { cased_value } = *self.program.node(left) else { return Ok(()) };
        let keys = self.program.list(keys);
        match (self.program.text(cased_value), self.renaming.kind) {
            ("Class", Kind::Class) => self.literals(keys.iter()),
            ("Resource", Kind::DefinedType) => self.literals(keys.iter().take(1)),
            ("Resource", Kind::Class) => {
                let is_class = keys.first().and_then(|&first| literal(self.program, first)) == Some("class");
                self.literals(keys.iter().skip(1).take(if is_class { keys.len() } else { 0 }))
            }
            _ => Ok(()),
        }
    }

    /// `$a::x`, also where a text has it.
    fn variable(&mut self, id: NodeId) {
        let span = self.program.span(id);
        let written = self.program.source().slice(span);
        let name = written.strip_prefix('$').unwrap_or(written);
        let own = name.strip_prefix("::").unwrap_or(name);
        let Some((class, last)) = own.rsplit_once("::") else { return };
        if class == self.renaming.from
            && last.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            let start = span.start + (written.len() - own.len()) as u32;
            self.edits.replace_span(Span::new(start, start + class.len() as u32), self.renaming.to.as_str());
        }
    }

    /// Literals, also in lists.
    fn literals<'a>(&mut self, ids: impl Iterator<Item = &'a NodeId>) -> Result<(), Error> {
        for &id in ids {
            match *self.program.node(id) {
                Node::LiteralList { values } => {
                    let program = self.program;
                    program.list(values).iter().try_for_each(|&value| self.literal(value))?;
                }
                _ => self.literal(id)?,
            }
        }
        Ok(())
    }

    /// A name, or a text that is one.
    fn literal(&mut self, id: NodeId) -> Result<(), Error> {
        self.name_in(id, self.program.span(id))
    }

    /// A name that stands first in `span`. The name of a function has no place of its own in some calls.
    fn name_in(&mut self, id: NodeId, span: Span) -> Result<(), Error> {
        let Some(text) = literal(self.program, id) else { return Ok(()) };
        if absolute(text) != self.renaming.from {
            return Ok(());
        }
        let written = self.program.source().slice(span);
        let first = words(written).next();
        match first.and_then(|(at, word)| Some((at, word, self.renaming.written(word)?))) {
            Some((at, word, new)) => {
                let start = span.start + at as u32;
                self.edits.replace_span(Span::new(start, start + word.len() as u32), new);
                Ok(())
            }
            None => Err(refused(self.program, id, "the name is written with escapes or as a heredoc")),
        }
    }
}

/// The words of a text outside of comments, with their offsets: letters, digits, underscores and colons.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
            let is_word = |one: char| one.is_alphanumeric() || matches!(one, '_' | ':');
            let skipped = if rest.starts_with('#') {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                rest.find(|one: char| is_word(one) || matches!(one, '#' | '/')).unwrap_or(rest.len())
            };
            let word = rest.get(..rest.find(|one: char| !is_word(one)).unwrap_or(rest.len()))?;
            if !word.is_empty() {
                let start = at;
                at += word.len();
                return Some((start, word));
            }
            at += skipped.max(1);
        }
    })
}

fn refused(program: &Program, id: NodeId, why: &str) -> Error {
    let location = Location::of(program.source(), program.span(id).start);
    Error { location, ..Error::argument(why) }
}

impl Index {
    /// What a new name changes in the environment: manifests, templates in EPP, and keys of data for the
    /// parameters of a class. Nothing is written. ERB, Ruby, texts that are put together when they are used
    /// (`include "a::${b}"`), other data, and tags stay as they are.
    ///
    /// # Errors
    /// What is to be renamed does not exist or is not written in the language; the new name is taken; a name
    /// is written in a way that cannot be changed.
    pub fn rename(&self, renaming: &Renaming) -> Result<Renamed, Error> {
        let Renaming { kind, from, to } = renaming;
        let found: Vec<_> = self.definitions(*kind, from).collect();
        if found.is_empty() {
            return Err(Error::argument(format!("there is no {} '{from}'", kind.name())));
        }
        if found.iter().any(|one| one.item.node.is_none()) {
            return Err(Error::argument(format!("the {} '{from}' is written in Ruby", kind.name())));
        }
        let rivals: &[Kind] = match kind {
            Kind::Function => &[Kind::Function],
            _ => &[Kind::Class, Kind::DefinedType, Kind::ResourceType],
        };
        if from != to && rivals.iter().any(|&rival| self.has(rival, to)) {
            return Err(Error::argument(format!("'{to}' is defined already")));
        }
        if *kind == Kind::DefinedType && self.has(Kind::Type, from) {
            return Err(Error::argument(format!("the data type '{from}' has the same name")));
        }
        let mut all = Vec::new();
        for one in &found {
            for renaming in renaming.with_inner(one.file.definitions.iter()) {
                if !all.contains(&renaming) {
                    all.push(renaming);
                }
            }
        }
        let mut renamed = Renamed::default();
        for file in self.files() {
            if let Some(text) = self.changed(file, &all)? {
                renamed.files.push((file.path.clone(), text));
            }
        }
        for one in found {
            if let Some(path) = &one.file.path
                && let Some(moved) = renaming.moved(path)
                && *moved != **path
            {
                renamed.moves.push((path.clone(), moved));
            }
        }
        Ok(renamed)
    }

    /// The new text of a file, if it changes.
    fn changed(&self, file: &FileIndex, all: &[Renaming]) -> Result<Option<String>, Error> {
        if let Some(program) = &file.program {
            let mut edits = Edits::new(program);
            for renaming in all {
                renaming.change(program, &mut edits)?;
                self.lookups(file, renaming, &mut edits);
            }
            return if edits.is_empty() { Ok(None) } else { edits.apply().map(Some) };
        }
        if file.role != Role::Data {
            return Ok(None);
        }
        let mut spans: Vec<(Span, &str)> = Vec::new();
        for renaming in all.iter().filter(|one| one.kind == Kind::Class) {
            let keys = file.definitions.iter().filter(|key| is_key(&file.source, key.name_span, &key.name));
            let keys = keys.map(|key| (key.name.clone(), key.name_span));
            let all = keys.chain(keys::of_lookup_options(file.source.text()));
            let own = all.filter(|(name, _)| self.is_key_of(name, renaming));
            let class = |start: u32| Span::new(start, start + renaming.from.len() as u32);
            spans.extend(own.map(|(_, span)| (class(span.start), renaming.to.as_str())));
        }
        spans.sort_by_key(|(span, _)| span.start);
        let mut text = file.source.text().to_owned();
        for (span, new) in spans.iter().rev() {
            text.replace_range(span.start as usize..span.end as usize, new);
        }
        Ok((!spans.is_empty()).then_some(text))
    }

    /// Keys that `lookup` is given.
    fn lookups(&self, file: &FileIndex, renaming: &Renaming, edits: &mut Edits<'_>) {
        if renaming.kind != Kind::Class {
            return;
        }
        let is_lookup = |kind: Kind, name: &str| kind == Kind::DataKey && self.is_key_of(name, renaming);
        for one in file.uses.iter().filter(|one| is_lookup(one.kind, &one.name)) {
            let written = file.source.slice(one.span);
            if let Some(at) = written.find(&one.name) {
                let start = one.span.start + at as u32;
                let span = Span::new(start, start + renaming.from.len() as u32);
                edits.replace_span(span, renaming.to.as_str());
            }
        }
    }

    /// Whether a key of data is that of a parameter of the class.
    fn is_key_of(&self, key: &str, renaming: &Renaming) -> bool {
        let parameter = key.strip_prefix(&renaming.from).and_then(|rest| rest.strip_prefix("::"));
        let Some(parameter) = parameter else { return false };
        self.definitions(Kind::Class, &renaming.from)
            .any(|class| class.item.parameters.iter().any(|one| one.name == parameter))
    }
}

/// Whether a key stands at a place: a colon follows it.
fn is_key(source: &Source, span: Span, name: &str) -> bool {
    let text = source.text();
    let behind =
        text.get(span.end as usize..).unwrap_or_default().trim_start_matches(['"', '\'']).trim_start();
    text.get(span.start as usize..span.end as usize) == Some(name) && behind.starts_with(':')
}
