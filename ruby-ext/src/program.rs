//! `Bunraku::Program`: a parsed manifest or template.

use std::sync::Arc;

use bunraku::diagnostic::{Diagnostic, Error as CoreError, LogEntry};
use bunraku::eval::limits::Usage;
use bunraku::loader::{Check, Strictness};
use bunraku::requests;
use bunraku::source::Source;
use bunraku::syntax::ast::{FieldValue, Kind, Node, NodeId, Program};
use bunraku::syntax::validate::{ValidateOptions, validate_and_log, validate_watched};
use bunraku::syntax::watch::Watch;
use bunraku::syntax::{
    ParseOptions, Recovered, binary, parse, parse_recovering, parse_recovering_watched, parse_watched,
};
use bunraku::validate_program;
use magnus::typed_data::Obj;
use magnus::{
    DataTypeFunctions, Error, RArray, RHash, RModule, RString, Ruby, TypedData, Value, gc, prelude::*,
};
use once_cell::race::OnceBox;

use crate::class;
use crate::convert::json_to_ruby;
use crate::crossing::watched_reading;
use crate::entry::{function, method};
use crate::node::Nodes;
use crate::{failure, gvl};

/// The size in bytes from which parsing can be interrupted; a shorter text is parsed without checks, within
/// milliseconds.
const LONG: usize = 32 << 10;
/// The number of nodes from which validation can be interrupted.
const MANY: usize = 8 << 10;

/// A parsed file as Ruby sees it.
#[derive(TypedData)]
#[magnus(class = "Bunraku::Program", free_immediately, size, mark, wb_protected, frozen_shareable)]
pub(crate) struct NativeProgram {
    program: Arc<Program>,
    /// Its nodes, once one was requested. Two threads that request nodes first do not wait for each other.
    nodes: OnceBox<Nodes>,
    tasks: bool,
    /// The errors after which the parser continued.
    errors: Vec<Diagnostic>,
}

impl DataTypeFunctions for NativeProgram {
    fn mark(&self, _: &gc::Marker) {
        if let Some(nodes) = self.nodes.get() {
            nodes.mark();
        }
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.program.memory() + self.nodes.get().map_or(0, |nodes| nodes.size())
    }
}

impl NativeProgram {
    /// The parsed program.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    fn of(program: Program, tasks: bool) -> Self {
        Self::recovered(Arc::new(program), tasks, Vec::new())
    }

    /// A program that was parsed in spite of these errors.
    pub(crate) fn recovered(program: Arc<Program>, tasks: bool, errors: Vec<Diagnostic>) -> Self {
        Self { program, nodes: OnceBox::new(), tasks, errors }
    }

    fn parse(
        ruby: &Ruby,
        source: String,
        path: Option<String>,
        epp: bool,
        tasks: bool,
        recover: bool,
    ) -> Result<Self, Error> {
        let source = Arc::new(Source::new(path.as_deref(), source));
        let options = ParseOptions { epp, tasks, ..ParseOptions::default() };
        let parsed = Self::read_long(ruby, source, options, recover)?;
        parsed.map_err(|diagnostic| failure::parse_exception(ruby, &diagnostic))
    }

    /// Parses a text without the GVL; an interruption of Ruby ends it if it takes long.
    fn read_long(
        ruby: &Ruby,
        source: Arc<Source>,
        options: ParseOptions,
        recover: bool,
    ) -> Result<Result<Self, Diagnostic>, Error> {
        if source.text().len() < LONG {
            return gvl::without(move || Self::read(source, options, recover));
        }
        let read = |usage: &Usage<'_>| Self::read_watched(source, options, recover, &usage.ends);
        watched_reading(ruby, read)?.map_err(|error| failure::raised(ruby, &error))
    }

    /// Validates without the GVL; an interruption of Ruby ends it if it takes long.
    fn judge(
        &self,
        ruby: &Ruby,
        options: &ValidateOptions<'_>,
        logs: &mut Vec<LogEntry>,
    ) -> Result<Vec<Diagnostic>, Error> {
        if self.program.node_count() < MANY {
            return gvl::without(|| validate_and_log(&self.program, options, logs));
        }
        let work =
            |usage: &Usage<'_>| validate_watched(&self.program, options, logs, &Watch::new(&usage.ends));
        watched_reading(ruby, work)?.map_err(|error| failure::raised(ruby, &error))
    }

    /// Parses a text; with `recover`, to its end despite errors.
    fn read(source: Arc<Source>, options: ParseOptions, recover: bool) -> Result<Self, Diagnostic> {
        if recover {
            let Recovered { program, errors } = parse_recovering(source, &options);
            return Ok(Self::recovered(Arc::new(program), options.tasks, errors));
        }
        parse(source, &options).map(|program| Self::of(program, options.tasks))
    }

    /// As [`read`](Self::read), as long as `check` allows.
    fn read_watched(
        source: Arc<Source>,
        options: ParseOptions,
        recover: bool,
        check: Check<'_>,
    ) -> Result<Result<Self, Diagnostic>, CoreError> {
        let watch = Watch::new(check);
        if recover {
            let Recovered { program, errors } = parse_recovering_watched(source, &options, &watch)?;
            return Ok(Ok(Self::recovered(Arc::new(program), options.tasks, errors)));
        }
        let parsed = parse_watched(source, &options, &mut Vec::new(), &watch)?;
        Ok(parsed.map(|program| Self::of(program, options.tasks)))
    }

    /// Parses a text that may have errors or warnings: returns nil if it has any.
    fn parse_flawless(
        ruby: &Ruby,
        source: String,
        path: Option<String>,
        epp: bool,
        tasks: bool,
    ) -> Result<Option<Self>, Error> {
        let source = Arc::new(Source::new(path.as_deref(), source));
        let options = ParseOptions { epp, tasks, ..ParseOptions::default() };
        let parsed = Self::read_long(ruby, source, options, false)?;
        Ok(parsed.ok().filter(|program| program.program.warnings().is_empty()))
    }

    /// Whether validation finds nothing, even under the strictest rules.
    fn is_flawless(
        ruby: &Ruby,
        own: &Self,
        manifest: Option<String>,
        modulepath: Vec<String>,
    ) -> Result<bool, Error> {
        let options = ValidateOptions {
            strict: Strictness::Error,
            tasks: own.tasks,
            manifest: manifest.as_deref(),
            modulepath: &modulepath,
            ..ValidateOptions::default()
        };
        let mut logs = Vec::new();
        let found = own.judge(ruby, &options, &mut logs)?;
        Ok(found.is_empty() && logs.is_empty())
    }

    /// The offsets of the lines.
    fn line_offsets(&self) -> Vec<u32> {
        self.program.source().line_offsets().to_vec()
    }

    /// The errors after which the parser continued, as hashes.
    fn errors(ruby: &Ruby, own: &Self) -> Result<RArray, Error> {
        to_hashes(ruby, &own.errors)
    }

    /// The warnings of the lexer, as hashes.
    fn warnings(ruby: &Ruby, own: &Self) -> Result<RArray, Error> {
        to_hashes(ruby, own.program.warnings())
    }

    /// The binary form.
    fn to_binary(ruby: &Ruby, own: &Self) -> Result<RString, Error> {
        let bytes = gvl::without(|| binary::write(&own.program))?;
        Ok(ruby.str_from_slice(&bytes))
    }

    fn from_binary(ruby: &Ruby, bytes: RString, tasks: bool) -> Result<Self, Error> {
        // SAFETY: the bytes are copied before Ruby runs again.
        let bytes = unsafe { bytes.as_slice() }.to_vec();
        match gvl::without(move || binary::read(&bytes))? {
            Ok(program) => Ok(Self::of(program, tasks)),
            Err(damaged) => Err(failure::raised(ruby, &CoreError::argument(damaged.to_string()))),
        }
    }

    /// The text with changes, which are JSON.
    fn edited(ruby: &Ruby, own: &Self, edits: String) -> Result<String, Error> {
        let edits = serde_json::from_str(&edits)
            .map_err(|error| Error::new(ruby.exception_arg_error(), error.to_string()))?;
        requests::edited(&own.program, &edits).map_err(|error| failure::raised(ruby, &error))
    }

    fn tasks(&self) -> bool {
        self.tasks
    }

    fn validate(ruby: &Ruby, own: &Self, strict: String) -> Result<RArray, Error> {
        let strict = strictness(ruby, &strict)?;
        let work =
            |usage: &Usage<'_>| validate_program(&own.program, strict, own.tasks, &Watch::new(&usage.ends));
        let found = if own.program.node_count() < MANY {
            gvl::without(|| validate_program(&own.program, strict, own.tasks, &Watch::default()))?
        } else {
            watched_reading(ruby, work)?
        };
        let found = found.map_err(|error| failure::raised(ruby, &error))?;
        to_hashes(ruby, &found)
    }

    fn id(&self, ruby: &Ruby, index: u32) -> Result<NodeId, Error> {
        let id = NodeId::from_index(index).filter(|id| id.index() < self.program.node_count());
        id.ok_or_else(|| Error::new(ruby.exception_index_error(), "there is no such node"))
    }

    /// The kinds of nodes: name and names of the fields.
    fn kinds(ruby: &Ruby) -> Result<RHash, Error> {
        let kinds = ruby.hash_new();
        for kind in Kind::ALL {
            kinds.aset(kind.name(), kind.field_names().to_vec())?;
        }
        Ok(kinds)
    }

    /// The root node of the program.
    fn body(own: Obj<Self>) -> Value {
        own.nodes(own).node(own.program.body())
    }

    /// The definitions.
    fn definitions(ruby: &Ruby, own: Obj<Self>) -> Value {
        own.nodes(own).array(ruby, own.program.definitions())
    }

    /// A node by its index.
    fn node(ruby: &Ruby, own: Obj<Self>, index: u32) -> Result<Value, Error> {
        let id = own.id(ruby, index)?;
        Ok(own.nodes(own).node(id))
    }

    /// The shared program.
    pub(crate) const fn shared(&self) -> &Arc<Program> {
        &self.program
    }

    /// The nodes; `object` is the object of the program.
    pub(crate) fn nodes(&self, object: Obj<Self>) -> &Nodes {
        self.nodes.get_or_init(|| Nodes::new(object.as_value(), &self.program))
    }

    /// The data for an import of the program: the kind, name, line, column and the names of the parameters of
    /// each definition, and all regular expressions.
    fn outline(ruby: &Ruby, own: &Self) -> Result<(RArray, Vec<String>), Error> {
        let program = &own.program;
        let definitions = ruby.ary_new();
        for &id in program.definitions() {
            let (mut name, mut parameters) = (None, Vec::new());
            program.node(id).fields(|field| match field.value {
                FieldValue::Text(text) if field.name == "name" => name = Some(program.text(text)),
                FieldValue::Nodes(list) if field.name == "parameters" => {
                    parameters.extend(program.list(list).iter().filter_map(|&id| match *program.node(id) {
                        Node::Parameter { name, .. } => Some(program.text(name)),
                        _ => None,
                    }));
                }
                _ => (),
            });
            let place = program.source().position(program.span(id).start);
            let row = ruby.ary_new_capa(5);
            row.push(program.node(id).kind().name())?;
            row.push(name)?;
            row.push(place.line)?;
            row.push(place.column)?;
            row.push(parameters)?;
            definitions.push(row)?;
        }
        let patterns = program.ids().filter_map(|id| match *program.node(id) {
            Node::LiteralRegularExpression { pattern } => Some(program.text(pattern).to_owned()),
            _ => None,
        });
        Ok((definitions, patterns.collect()))
    }

    /// The comments: offset and length of each.
    fn comments(&self) -> Vec<(u32, u32)> {
        self.program.comments().iter().map(|one| (one.span.start, one.span.len())).collect()
    }

    /// The comments with their nodes: offset, length, line and column of each, the node's index, and the
    /// position relative to the node.
    fn placed_comments(ruby: &Ruby, own: &Self) -> Result<RArray, Error> {
        let rows = ruby.ary_new();
        for placed in gvl::without(|| own.program.placed_comments())? {
            let place = own.program.source().position(placed.span.start);
            let row = ruby.ary_new_capa(6);
            row.push(placed.span.start)?;
            row.push(placed.span.len())?;
            row.push(place.line)?;
            row.push(place.column)?;
            row.push(placed.node.index())?;
            row.push(ruby.to_symbol(placed.placement.name()))?;
            rows.push(row)?;
        }
        Ok(rows)
    }

    fn source(&self) -> String {
        self.program.source().text().to_owned()
    }

    fn path(&self) -> Option<String> {
        self.program.source().path().map(|path| path.to_string())
    }

    fn node_count(&self) -> usize {
        self.program.node_count()
    }
}

/// The strictness with this name.
pub(crate) fn strictness(ruby: &Ruby, name: &str) -> Result<Strictness, Error> {
    match name {
        "off" => Ok(Strictness::Off),
        "warning" => Ok(Strictness::Warning),
        "error" => Ok(Strictness::Error),
        _ => Err(Error::new(ruby.exception_arg_error(), "strict is one of off, warning, error")),
    }
}

pub(crate) fn to_hashes(ruby: &Ruby, diagnostics: &[Diagnostic]) -> Result<RArray, Error> {
    let hashes = ruby.ary_new_capa(diagnostics.len());
    for diagnostic in diagnostics {
        hashes.push(json_to_ruby(ruby, &requests::diagnostic(diagnostic))?)?;
    }
    Ok(hashes)
}

/// Defines the class.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), Error> {
    let class = class::define::<NativeProgram>(ruby, module, "Program")?;
    class.define_singleton_method("native_parse", function!(NativeProgram::parse, 5))?;
    class.define_singleton_method("native_parse_flawless", function!(NativeProgram::parse_flawless, 4))?;
    class.define_method("native_flawless?", method!(NativeProgram::is_flawless, 2))?;
    class.define_method("native_line_offsets", method!(NativeProgram::line_offsets, 0))?;
    class.define_method("native_validate", method!(NativeProgram::validate, 1))?;
    class.define_method("native_errors", method!(NativeProgram::errors, 0))?;
    class.define_method("native_warnings", method!(NativeProgram::warnings, 0))?;
    class.define_method("native_edited", method!(NativeProgram::edited, 1))?;
    class.define_method("to_binary", method!(NativeProgram::to_binary, 0))?;
    class.define_singleton_method("native_from_binary", function!(NativeProgram::from_binary, 2))?;
    class.define_method("tasks?", method!(NativeProgram::tasks, 0))?;
    class.define_singleton_method("native_kinds", function!(NativeProgram::kinds, 0))?;
    class.define_method("body", method!(NativeProgram::body, 0))?;
    class.define_method("definitions", method!(NativeProgram::definitions, 0))?;
    class.define_method("node", method!(NativeProgram::node, 1))?;
    class.define_method("native_outline", method!(NativeProgram::outline, 0))?;
    class.define_method("native_comments", method!(NativeProgram::comments, 0))?;
    class.define_method("native_placed_comments", method!(NativeProgram::placed_comments, 0))?;
    class.define_method("source", method!(NativeProgram::source, 0))?;
    class.define_method("path", method!(NativeProgram::path, 0))?;
    class.define_method("node_count", method!(NativeProgram::node_count, 0))
}
