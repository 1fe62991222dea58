//! The explanation of a lookup: a tree of the places that were searched and of what was found there.
//!
//! Follows the reference's `pops/lookup/explainer.rb`; [`Explanation::text`] is the text of `puppet lookup
//! --explain`. The reference shows the value of a key that becomes Sensitive, and decrypted values; here both
//! are redacted unless [`ExplainOptions::show_secrets`] is set.

use std::cell::{Cell, RefCell};
use std::fmt::{self, Write as _};

use super::text;
use bunraku_pcore::serialize::{DataOptions, to_data, without_secrets};
use bunraku_pcore::value::{Hash, Str, Value};
use bunraku_syntax::diagnostic::Error;
use serde_json::Value as Json;

/// Which parts of a lookup are explained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExplainOptions {
    /// Only the search for `lookup_options`, not the one for the key.
    pub only_options: bool,
    /// Only the places of the data are requested: texts from functions of backends are not.
    pub only_places: bool,
    /// Values that become Sensitive or were encrypted are shown.
    pub show_secrets: bool,
}

/// The replacement for a secret.
pub(super) const REDACTED: &str = "[value redacted]";

/// The kind of a node of the tree.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Root,
    /// The search for a key, or for the options of keys (`meta`).
    Top {
        kind: &'static str,
        key: String,
    },
    InvalidKey(String),
    MergeSource(String),
    Module(String),
    Interpolate(String),
    Merge {
        strategy: &'static str,
        options: Hash,
    },
    DataProvider {
        name: String,
        configuration: Option<String>,
        module: Option<Str>,
        role: ProviderRole,
    },
    Location {
        is_uri: bool,
        location: String,
        original: String,
    },
    SubLookup(String),
    Segment,
    Scope(String),
}

/// Whose data a provider has.
#[derive(Clone, Debug)]
pub(super) enum ProviderRole {
    /// A layer's, by its word in data.
    Layer(&'static str),
    /// That of a level of a hierarchy, by its name in `hiera.yaml`.
    Level(String),
}

/// The event at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    LookupResult,
    FoundInOverrides,
    FoundInDefaults,
    Result,
    NotFound,
    LocationNotFound,
    ModuleNotFound,
    ModuleProviderNotFound,
}

impl Event {
    fn name(self) -> &'static str {
        match self {
            Self::LookupResult => "found",
            Self::FoundInOverrides => "found_in_overrides",
            Self::FoundInDefaults => "found_in_defaults",
            Self::Result => "result",
            Self::NotFound => "not_found",
            Self::LocationNotFound => "location_not_found",
            Self::ModuleNotFound => "module_not_found",
            Self::ModuleProviderNotFound => "module_provider_not_found",
        }
    }

    fn has_value(self) -> bool {
        matches!(self, Self::LookupResult | Self::FoundInOverrides | Self::FoundInDefaults | Self::Result)
    }
}

/// A node of the tree.
#[derive(Debug)]
pub(super) struct Node {
    pub part: Part,
    parent: usize,
    pub branches: Vec<usize>,
    pub event: Option<Event>,
    pub key: Option<String>,
    value: Value,
    texts: Vec<Text>,
}

/// A text at a node.
#[derive(Debug)]
struct Text {
    text: String,
    /// Whether a function of a backend wrote it, which can quote data.
    is_foreign: bool,
}

/// The explanation of a lookup. Only [`text`](Self::text) and [`to_data`](Self::to_data) show its values.
pub struct Explanation {
    nodes: RefCell<Vec<Node>>,
    current: Cell<usize>,
    options: ExplainOptions,
    /// Whether the following results contain decrypted data.
    has_decrypted: Cell<bool>,
}

impl fmt::Debug for Explanation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Explanation").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Explanation {
    /// An explanation without content.
    pub fn new(options: ExplainOptions) -> Self {
        let root = Node {
            part: Part::Root,
            parent: 0,
            branches: Vec::new(),
            event: None,
            key: None,
            value: Value::Undef,
            texts: Vec::new(),
        };
        Self {
            nodes: RefCell::new(vec![root]),
            current: Cell::new(0),
            options,
            has_decrypted: Cell::new(false),
        }
    }

    pub(super) fn options(&self) -> ExplainOptions {
        self.options
    }

    /// The nodes; the root has the index 0.
    pub(super) fn nodes(&self) -> std::cell::Ref<'_, [Node]> {
        std::cell::Ref::map(self.nodes.borrow(), Vec::as_slice)
    }

    pub(super) fn push(&self, part: Part) {
        let mut nodes = self.nodes.borrow_mut();
        let number = nodes.len();
        let parent = self.current.get();
        nodes.push(Node {
            part,
            parent,
            branches: Vec::new(),
            event: None,
            key: None,
            value: Value::Undef,
            texts: Vec::new(),
        });
        if let Some(parent) = nodes.get_mut(parent) {
            parent.branches.push(number);
        }
        self.current.set(number);
    }

    pub(super) fn pop(&self) {
        let parent = self.nodes.borrow().get(self.current.get()).map_or(0, |node| node.parent);
        self.current.set(parent);
    }

    /// A node without branches of its own.
    fn leaf(&self, part: Part, event: Option<Event>) {
        self.push(part);
        self.update(|node| node.event = event);
        self.pop();
    }

    fn update(&self, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.nodes.borrow_mut().get_mut(self.current.get()) {
            change(node);
        }
    }

    fn value(&self, event: Event, key: Option<String>, value: &Value) {
        self.update(|node| {
            node.event = Some(event);
            node.value = value.clone();
            if key.is_some() {
                node.key = key;
            }
        });
    }

    pub(super) fn found(&self, key: impl ToString, value: &Value) {
        self.value(Event::LookupResult, Some(key.to_string()), value);
    }

    pub(super) fn found_in_overrides(&self, key: impl ToString, value: &Value) {
        self.value(Event::FoundInOverrides, Some(key.to_string()), value);
    }

    pub(super) fn found_in_defaults(&self, key: impl ToString, value: &Value) {
        self.value(Event::FoundInDefaults, Some(key.to_string()), value);
    }

    pub(super) fn result(&self, value: &Value) {
        self.value(Event::Result, None, value);
    }

    pub(super) fn not_found(&self, key: impl ToString) {
        let key = key.to_string();
        self.update(|node| {
            node.event = Some(Event::NotFound);
            node.key = Some(key);
        });
    }

    pub(super) fn location_not_found(&self) {
        self.update(|node| node.event = Some(Event::LocationNotFound));
    }

    pub(super) fn merge_source(&self, source: &str) {
        self.leaf(Part::MergeSource(source.to_owned()), None);
    }

    pub(super) fn module_not_found(&self, module: &str) {
        self.leaf(Part::Module(module.to_owned()), Some(Event::ModuleNotFound));
    }

    pub(super) fn module_provider_not_found(&self, module: &str) {
        self.leaf(Part::Module(module.to_owned()), Some(Event::ModuleProviderNotFound));
    }

    /// Shows another value wherever this very one was noted.
    pub(super) fn replace(&self, old: &Value, new: &Value) {
        if !matches!(old, Value::Hash(_) | Value::Array(_)) {
            return;
        }
        for node in self.nodes.borrow_mut().iter_mut().filter(|node| node.value.is_same(old)) {
            node.value = new.clone();
        }
    }

    /// Adds a text to where the lookup is now.
    pub fn add_text(&self, text: impl Into<String>) {
        self.push_text(text.into(), false);
    }

    /// Adds a text of a backend's function to where the lookup is now.
    pub(super) fn add_foreign_text(&self, text: String) {
        self.push_text(text, true);
    }

    fn push_text(&self, text: String, is_foreign: bool) {
        self.update(|node| node.texts.push(Text { text, is_foreign }));
    }

    /// Something was decrypted for the keys that are being looked up.
    pub(super) fn decrypted(&self) {
        self.has_decrypted.set(true);
    }

    /// Whether something was decrypted so far.
    pub(super) fn has_decrypted(&self) -> bool {
        self.has_decrypted.get()
    }

    /// The number of nodes; for [`redact`](Self::redact).
    pub(super) fn length(&self) -> usize {
        self.nodes.borrow().len()
    }

    /// Removes the data from the nodes from index `first` on: the value was a secret.
    pub(super) fn redact(&self, first: usize) {
        if self.options.show_secrets {
            return;
        }
        for node in self.nodes.borrow_mut().iter_mut().skip(first) {
            if node.event.is_some_and(Event::has_value) {
                node.value = Value::sensitive(REDACTED.into());
            }
            if let Part::Interpolate(expression) = &mut node.part {
                REDACTED.clone_into(expression);
            }
            for text in node.texts.iter_mut().filter(|text| text.is_foreign) {
                REDACTED.clone_into(&mut text.text);
            }
        }
    }

    /// The text that `puppet lookup --explain` prints.
    pub fn text(&self) -> String {
        let nodes = self.nodes.borrow();
        let mut writer = Writer { nodes: &nodes, out: String::new() };
        writer.dump(0, "", "");
        writer.out
    }

    /// The explanation as rich data, with the reference's keys.
    ///
    /// # Errors
    /// A value that was found cannot be written.
    pub fn to_data(&self) -> Result<Json, Error> {
        let nodes = self.nodes.borrow();
        let value = match nodes.first().map(|root| root.branches.as_slice()) {
            Some([only]) => data(&nodes, *only),
            _ => data(&nodes, 0),
        };
        let written = to_data(&value, &DataOptions::rich())?;
        Ok(if self.options.show_secrets { written } else { without_secrets(&written) })
    }
}

fn data(nodes: &[Node], number: usize) -> Value {
    let Some(node) = nodes.get(number) else { return Value::Undef };
    if let (Part::Merge { .. }, [only]) = (&node.part, node.branches.as_slice()) {
        return data(nodes, *only);
    }
    let mut hash = Hash::default();
    let mut put = |key: &str, value: Value| hash.insert(key.into(), value);
    if let Part::MergeSource(source) = &node.part {
        put("type", "merge_source".into());
        put("merge_source", source.as_str().into());
        return Value::from(hash);
    }
    if !node.branches.is_empty() {
        put("branches", Value::array(node.branches.iter().map(|&branch| data(nodes, branch))));
    }
    if !matches!(node.part, Part::Root) {
        let own = match &node.part {
            Part::Top { key, .. } | Part::InvalidKey(key) => Some(key),
            _ => None,
        };
        if let Some(key) = node.key.as_ref().or(own) {
            put("key", key.as_str().into());
        }
        if node.event.is_some_and(Event::has_value) {
            put("value", node.value.clone());
        }
        if let Some(event) = node.event {
            put("event", event.name().into());
        }
        if !node.texts.is_empty() {
            put("texts", Value::array(node.texts.iter().map(|text| text.text.as_str().into())));
        }
        put("type", part_type(&node.part).into());
    }
    match &node.part {
        Part::Interpolate(expression) => {
            put("expression", expression.as_str().into());
        }
        Part::Merge { strategy, options } => {
            put("merge", (*strategy).into());
            if !options.is_empty() {
                put("options", Value::from(options.clone()));
            }
        }
        Part::DataProvider { name, configuration, module, .. } => {
            put("name", name.as_str().into());
            if let Some(path) = configuration {
                put("configuration_path", path.as_str().into());
            }
            if let Some(module) = module {
                put("module", module.clone().into());
            }
        }
        Part::Location { is_uri, location, original } => {
            let (first, second) = if *is_uri { ("original_uri", "uri") } else { ("original_path", "path") };
            put(first, original.as_str().into());
            put(second, location.as_str().into());
        }
        Part::Scope(name) => {
            put("name", name.as_str().into());
        }
        Part::Root
        | Part::Top { .. }
        | Part::InvalidKey(_)
        | Part::MergeSource(_)
        | Part::Module(_)
        | Part::SubLookup(_)
        | Part::Segment => {}
    }
    Value::from(hash)
}

fn part_type(part: &Part) -> &'static str {
    match part {
        // The reference keeps the purpose of such a node, but does not show it.
        Part::Root | Part::Top { .. } => "root",
        Part::InvalidKey(_) => "invalid_key",
        Part::MergeSource(_) => "merge_source",
        Part::Module(_) => "module",
        Part::Interpolate(_) => "interpolate",
        Part::Merge { .. } => "merge",
        Part::DataProvider { .. } => "data_provider",
        Part::Location { is_uri: true, .. } => "uri",
        Part::Location { is_uri: false, .. } => "path",
        Part::SubLookup(_) => "sub_key",
        Part::Segment => "segment",
        Part::Scope(_) => "scope",
    }
}

/// Writes the tree as text.
struct Writer<'n> {
    nodes: &'n [Node],
    out: String,
}

impl Writer<'_> {
    fn line(&mut self, indent: &str, text: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.out, "{indent}{text}");
    }

    fn branches(&mut self, node: &Node, indent: &str) {
        for &branch in &node.branches {
            self.dump(branch, indent, indent);
        }
    }

    /// The result of merging several branches.
    fn merged(&mut self, node: &Node, indent: &str, options: &Hash) {
        if !options.is_empty() {
            let _ = write!(self.out, "{indent}Options: ");
            self.value(indent, &Value::from(options.clone()));
            self.out.push('\n');
        }
        self.branches(node, indent);
        if node.event == Some(Event::Result) {
            let _ = write!(self.out, "{indent}Merged result: ");
            self.value(indent, &node.value);
            self.out.push('\n');
        }
    }

    fn dump(&mut self, number: usize, indent: &str, first: &str) {
        let nodes = self.nodes;
        let Some(node) = nodes.get(number) else { return };
        let inner = format!("{indent}  ");
        match &node.part {
            Part::Root => {
                for &branch in &node.branches {
                    self.dump(branch, indent, first);
                }
                self.texts(node, indent);
            }
            Part::Top { key, .. } => {
                self.line(first, format_args!("Searching for \"{key}\""));
                self.branches(node, &inner);
            }
            Part::InvalidKey(key) => self.line(first, format_args!("Invalid key \"{key}\"")),
            Part::MergeSource(source) => {
                self.line(first, format_args!("Using merge options from \"{source}\" hash"));
            }
            Part::Module(name) => match node.event {
                Some(Event::ModuleNotFound) => {
                    self.line(indent, format_args!("Module \"{name}\" not found"));
                }
                Some(Event::ModuleProviderNotFound) => {
                    self.line(indent, format_args!("Module data provider for module \"{name}\" not found"));
                }
                _ => {}
            },
            Part::Interpolate(expression) => {
                self.line(first, format_args!("Interpolation on \"{expression}\""));
                self.branches(node, &inner);
            }
            Part::Merge { strategy, options } => match node.branches.as_slice() {
                [] => {}
                [only] => self.dump(*only, indent, first),
                _ => {
                    self.line(first, format_args!("Merge strategy {strategy}"));
                    self.merged(node, &inner, options);
                }
            },
            Part::DataProvider { name, configuration, .. } => {
                self.line(first, format_args!("{name}"));
                if let Some(path) = configuration {
                    self.line(&inner, format_args!("Using configuration \"{path}\""));
                }
                self.branches(node, &inner);
                self.outcome(node, &inner);
            }
            Part::Location { is_uri, location, original } => {
                let (kind, lower) = if *is_uri { ("URI", "uri") } else { ("Path", "path") };
                self.line(indent, format_args!("{kind} \"{location}\""));
                self.line(&inner, format_args!("Original {lower}: \"{original}\""));
                self.branches(node, &inner);
                if node.event == Some(Event::LocationNotFound) {
                    self.line(&inner, format_args!("{kind} not found"));
                }
                self.outcome(node, &inner);
            }
            Part::SubLookup(key) => {
                self.line(indent, format_args!("Sub key: \"{key}\""));
                self.branches(node, &inner);
                self.outcome(node, &inner);
            }
            Part::Segment => self.outcome(node, indent),
            Part::Scope(name) => {
                self.line(indent, format_args!("{name}"));
                self.branches(node, &inner);
                self.outcome(node, &inner);
            }
        }
    }

    fn texts(&mut self, node: &Node, indent: &str) {
        for text in &node.texts {
            self.line(indent, format_args!("{}", text.text));
        }
    }

    fn outcome(&mut self, node: &Node, indent: &str) {
        let key = node.key.as_deref().unwrap_or("");
        match node.event {
            Some(Event::NotFound) => self.line(indent, format_args!("No such key: \"{key}\"")),
            Some(event @ (Event::LookupResult | Event::FoundInOverrides | Event::FoundInDefaults)) => {
                let _ = write!(self.out, "{indent}Found key: \"{key}\" value: ");
                self.value(indent, &node.value);
                self.out.push_str(match event {
                    Event::FoundInOverrides => " in overrides\n",
                    Event::FoundInDefaults => " in defaults\n",
                    _ => "\n",
                });
            }
            Some(
                Event::Result
                | Event::LocationNotFound
                | Event::ModuleNotFound
                | Event::ModuleProviderNotFound,
            )
            | None => {}
        }
        self.texts(node, indent);
    }

    fn value(&mut self, indent: &str, value: &Value) {
        let inner = format!("{indent}  ");
        match value {
            Value::Hash(hash) => {
                self.out.push('{');
                for (at, (key, value)) in hash.iter().enumerate() {
                    self.out.push_str(if at == 0 { "\n" } else { ",\n" });
                    self.out.push_str(&inner);
                    self.value(&inner, key);
                    self.out.push_str(" => ");
                    self.value(&inner, value);
                }
                self.close(hash.is_empty(), indent, '}');
            }
            Value::Array(list) => {
                self.out.push('[');
                for (at, value) in list.iter().enumerate() {
                    self.out.push_str(if at == 0 { "\n" } else { ",\n" });
                    self.out.push_str(&inner);
                    self.value(&inner, value);
                }
                self.close(list.is_empty(), indent, ']');
            }
            value => self.out.push_str(&text::inspect(value)),
        }
    }

    fn close(&mut self, is_empty: bool, indent: &str, end: char) {
        if !is_empty {
            self.out.push('\n');
            self.out.push_str(indent);
        }
        self.out.push(end);
    }
}
