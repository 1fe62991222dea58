//! Nodes of a program in generic form: kind, fields, place, comments.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char};
use std::sync::LazyLock;

use bunraku_core::source::{Position, Range, Source, Span, Unit};
use bunraku_core::syntax::ast::{FieldValue, Kind, NodeId, Placement, Program};

use crate::boundary::{give, give_some, guard, guard_or, misuse, text};
use crate::error::bunraku_error;
use crate::program::{bunraku_program, notation};
use crate::text::{bunraku_string, bunraku_text};

/// A node of a program. A plain value that can be copied and is not freed. It is valid as long as its program
/// lives. If "program" is NULL, there is no node; all functions accept such a value and return 0, NULL or
/// false.
/// 0, NULL or false.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bunraku_node {
    /// The program that the node belongs to.
    pub program: *const bunraku_program,
    /// The node's index in the program, from 0.
    pub number: u32,
}

/// The kinds of content of a node's field.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum bunraku_field_type {
    /// Nothing: the field is optional.
    BUNRAKU_FIELD_ABSENT = 0,
    /// A node: "node".
    BUNRAKU_FIELD_NODE = 1,
    /// A list of nodes: "count" is the number, bunraku_node_member returns them.
    BUNRAKU_FIELD_NODES = 2,
    /// A text: "text". Operators and forms are texts, too.
    BUNRAKU_FIELD_TEXT = 3,
    /// A whole number: "integer"; one of more than 64 bits has its literal in "text".
    BUNRAKU_FIELD_INTEGER = 4,
    /// A number with a fraction: "number".
    BUNRAKU_FIELD_FLOAT = 5,
    /// True or false: "boolean".
    BUNRAKU_FIELD_BOOLEAN = 6,
}

/// A field of a node. The members that its type does not name are 0, NULL or false.
#[repr(C)]
pub struct bunraku_field {
    /// The name in the reference's model, such as "left_expr"; NUL-terminated and static.
    pub name: *const c_char,
    /// The field's index in its node, from 0.
    pub index: usize,
    /// The kind of content: one of bunraku_field_type.
    pub field_type: u32,
    /// The node.
    pub node: bunraku_node,
    /// The number of nodes.
    pub count: usize,
    /// The text, valid until the program is freed. Not NUL-terminated.
    pub text: bunraku_text,
    /// The whole number.
    pub integer: i64,
    /// The number with a fraction.
    pub number: f64,
    /// The Boolean value.
    pub boolean: bool,
}

/// The unit of offsets, lengths and columns.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum bunraku_unit {
    /// Bytes of UTF-8.
    BUNRAKU_UNIT_BYTE = 0,
    /// Characters, as in messages.
    BUNRAKU_UNIT_CHARACTER = 1,
    /// UTF-16 code units, as in the Language Server Protocol.
    BUNRAKU_UNIT_UTF16 = 2,
}

/// A range of a source.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct bunraku_span {
    /// The beginning, from 0.
    pub offset: u32,
    /// The length.
    pub length: u32,
    /// The line of the beginning, from 1.
    pub line: u32,
    /// The column of the beginning, from 1.
    pub column: u32,
    /// The line of the end.
    pub end_line: u32,
    /// The column after the end.
    pub end_column: u32,
}

/// The names of kinds and fields, and the values of fields that are words of the language, as C strings.
static NAMES: LazyLock<BTreeMap<&'static str, CString>> = LazyLock::new(|| {
    let names = Kind::ALL.iter().flat_map(|kind| kind.field_names().iter().copied().chain([kind.name()]));
    names.filter_map(|name| Some((name, CString::new(name).ok()?))).collect()
});

/// A name of the model, NUL-terminated.
fn c_name(name: &str) -> *const c_char {
    NAMES.get(name).map_or(std::ptr::null(), |name| name.as_ptr())
}

const NONE: bunraku_node = bunraku_node { program: std::ptr::null(), number: 0 };

impl bunraku_node {
    /// A node, or the absent node.
    pub(crate) fn of(program: *const bunraku_program, id: Option<NodeId>) -> Self {
        id.map_or(NONE, |id| Self { program, number: id.index() as u32 })
    }

    /// The program and the id, unless the node is absent.
    ///
    /// # Safety
    /// The program is null or live.
    pub(crate) unsafe fn resolve<'a>(self) -> Option<(&'a Program, NodeId)> {
        // SAFETY: by the contract of this function.
        let program = &unsafe { self.program.as_ref() }?.program;
        let id = NodeId::from_index(self.number).filter(|id| id.index() < program.node_count())?;
        Some((program, id))
    }

    /// Reads something from a node; returns `otherwise` for an absent node.
    ///
    /// # Safety
    /// The program is null or live.
    unsafe fn ask<T>(self, otherwise: T, question: impl FnOnce(&Program, NodeId) -> Option<T>) -> T
    where
        T: Copy,
    {
        guard_or(otherwise, || {
            // SAFETY: by the contract of this function.
            let resolved = unsafe { self.resolve() };
            resolved.and_then(|(program, id)| question(program, id)).unwrap_or(otherwise)
        })
    }
}

/// The root node of a program: its expression, usually a block of statements.
///
/// # Safety
/// `program` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_body(program: *const bunraku_program) -> bunraku_node {
    guard_or(NONE, || {
        // SAFETY: by the contract of this function.
        let own = unsafe { program.as_ref() };
        own.map_or(NONE, |own| bunraku_node::of(program, Some(own.program.body())))
    })
}

/// The number of classes, defined types, functions, types, plans and nodes that a program defines.
///
/// # Safety
/// `program` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_definition_count(program: *const bunraku_program) -> usize {
    // SAFETY: by the contract of this function.
    guard_or(0, || unsafe { program.as_ref() }.map_or(0, |own| own.program.definitions().len()))
}

/// A definition of a program by its index. Inner definitions precede outer ones.
///
/// # Safety
/// `program` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_definition(
    program: *const bunraku_program,
    index: usize,
) -> bunraku_node {
    guard_or(NONE, || {
        // SAFETY: by the contract of this function.
        let own = unsafe { program.as_ref() };
        own.map_or(NONE, |own| bunraku_node::of(program, own.program.definitions().get(index).copied()))
    })
}

/// The name of a node's kind in the reference's model, such as "LiteralString". NUL-terminated and static.
///
/// # Safety
/// The node's program is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_node_kind(node: bunraku_node) -> *const c_char {
    // SAFETY: by the contract of this function.
    unsafe { node.ask(std::ptr::null(), |program, id| Some(c_name(program.node(id).kind().name()))) }
}

/// The kind of a node as a number: one of bunraku_node_type; BUNRAKU_NODE_NONE for no node. A newer library
/// may return kinds that this header does not name.
///
/// # Safety
/// The node's program is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_node_type_of(node: bunraku_node) -> u32 {
    // SAFETY: by the contract of this function.
    unsafe { node.ask(0, |program, id| Some(program.node(id).kind() as u32 + 1)) }
}

/// The parent of a node; none for the body.
///
/// # Safety
/// The node's program is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_node_parent(node: bunraku_node) -> bunraku_node {
    // SAFETY: by the contract of this function.
    unsafe { node.ask(NONE, |program, id| Some(bunraku_node::of(node.program, program.parent(id)))) }
}

/// The innermost definition that encloses a node: of a class, a type, a function, a plan or a node; none if
/// no definition encloses it.
///
/// # Safety
/// The node's program is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_node_enclosing_definition(node: bunraku_node) -> bunraku_node {
    // SAFETY: by the contract of this function.
    unsafe {
        node.ask(NONE, |program, id| Some(bunraku_node::of(node.program, program.enclosing_definition(id))))
    }
}

/// The previous sibling of a node; none for the first.
///
/// # Safety
/// The node's program is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_node_previous_sibling(node: bunraku_node) -> bunraku_node {
    // SAFETY: by the contract of this function.
    unsafe { node.ask(NONE, |program, id| Some(bunraku_node::of(node.program, program.siblings(id).0))) }
}

/// The next sibling of a node; none for the last.
///
/// # Safety
/// The node's program is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_node_next_sibling(node: bunraku_node) -> bunraku_node {
    // SAFETY: by the contract of this function.
    unsafe { node.ask(NONE, |program, id| Some(bunraku_node::of(node.program, program.siblings(id).1))) }
}

/// The number of children of a node.
///
/// # Safety
/// The node's program is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_node_child_count(node: bunraku_node) -> usize {
    // SAFETY: by the contract of this function.
    unsafe {
        node.ask(0, |program, id| {
            let mut count = 0;
            program.each_child(id, |_| count += 1);
            Some(count)
        })
    }
}

/// A child of a node, in the order of the fields.
///
/// # Safety
/// The node's program is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_node_child(node: bunraku_node, index: usize) -> bunraku_node {
    // SAFETY: by the contract of this function.
    unsafe {
        node.ask(NONE, |program, id| {
            let (mut number, mut found) = (0, None);
            program.each_child(id, |child| {
                if number == index {
                    found = Some(child);
                }
                number += 1;
            });
            Some(bunraku_node::of(node.program, found))
        })
    }
}

/// The number of fields of a node.
///
/// # Safety
/// The node's program is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_node_field_count(node: bunraku_node) -> usize {
    // SAFETY: by the contract of this function.
    unsafe { node.ask(0, |program, id| Some(program.node(id).kind().field_names().len())) }
}

/// A field of a node by its index.
///
/// @param field  receives the field
/// @return whether it exists; otherwise nothing is written
///
/// # Safety
/// The node's program is NULL or live, `field` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_node_field(
    node: bunraku_node,
    index: usize,
    field: *mut bunraku_field,
) -> bool {
    // SAFETY: by the contract of this function.
    unsafe { node.ask(false, |program, id| Some(write_field(node, program, id, index, field))) }
}

/// A field of a node by name.
///
/// @param name  such as "left_expr"
/// @param field  receives the field
/// @return whether it exists; otherwise nothing is written
///
/// # Safety
/// The node's program is NULL or live, `name` is valid for reads of its length, `field` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_node_field_named(
    node: bunraku_node,
    name: bunraku_text,
    field: *mut bunraku_field,
) -> bool {
    // SAFETY: by the contract of this function.
    unsafe {
        node.ask(false, |program, id| {
            let name = text(name, "name").ok()?;
            let index = program.node(id).kind().field_names().iter().position(|known| *known == name)?;
            Some(write_field(node, program, id, index, field))
        })
    }
}

/// A node of a field that is a list.
///
/// @param field  the index of the field
/// @param index  the index in the list
///
/// # Safety
/// The node's program is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_node_member(node: bunraku_node, field: usize, index: usize) -> bunraku_node {
    // SAFETY: by the contract of this function.
    unsafe {
        node.ask(NONE, |program, id| match value(program, id, field)? {
            FieldValue::Nodes(list) => {
                Some(bunraku_node::of(node.program, program.list(list).get(index).copied()))
            }
            _ => None,
        })
    }
}

/// The source text of a node. Valid until the program is freed; not NUL-terminated.
///
/// # Safety
/// The node's program is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_node_text(node: bunraku_node) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { node.ask(bunraku_text::NONE, |program, id| Some(bunraku_text::of(program.source_text(id)))) }
}

/// The place of a node, as the reference has it. For some nodes it is a part only: for a parameter, its name.
///
/// @param unit  the unit: one of bunraku_unit
/// @param span  receives the place
/// @return whether it exists; otherwise nothing is written
///
/// # Safety
/// The node's program is NULL or live, `span` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_node_span(node: bunraku_node, unit: u32, span: *mut bunraku_span) -> bool {
    // SAFETY: by the contract of this function.
    unsafe { node.ask(false, |program, id| Some(write_span(program.source(), program.span(id), unit, span))) }
}

/// The place of a node with everything below it: for a parameter, from its type to the end of its default.
///
/// @param unit  the unit: one of bunraku_unit
/// @param span  receives the place
/// @return whether it exists; otherwise nothing is written
///
/// # Safety
/// The node's program is NULL or live, `span` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_node_extent(node: bunraku_node, unit: u32, span: *mut bunraku_span) -> bool {
    // SAFETY: by the contract of this function.
    unsafe {
        node.ask(false, |program, id| Some(write_span(program.source(), program.extent(id), unit, span)))
    }
}

/// Writes a node and everything below it in Puppet Extended S-Expression Notation.
///
/// @param format  as bunraku_program_to_pn takes it
/// @param pn  receives the text, to be freed with bunraku_string_free
/// @return NULL on success; an error if the notation cannot represent the name of a parameter
///
/// # Safety
/// The node's program is NULL or live, `format` is valid for reads of its length, `pn` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_node_to_pn(
    node: bunraku_node,
    format: bunraku_text,
    pn: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (found, format) = unsafe { (node.resolve(), text(format, "format")?) };
        let (program, id) = found.ok_or_else(|| misuse("there is no such node"))?;
        let written = notation(program, id, format)?;
        // SAFETY: by the contract of this function.
        unsafe { give(pn, bunraku_string::new(written)) }
    })
}

/// The text of the comments directly above a node or, without these, of the one after it on its last line. It
/// excludes "#", "/*" and "*/".
///
/// @param documentation  receives the text, to be freed with bunraku_string_free; NULL if there is none
/// @return NULL on success
///
/// # Safety
/// The node's program is live, `documentation` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_node_documentation(
    node: bunraku_node,
    documentation: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (program, id) = unsafe { node.resolve() }.ok_or_else(|| misuse("there is no such node"))?;
        // SAFETY: by the contract of this function.
        unsafe { give_some(documentation, program.documentation(id).map(bunraku_string::new)) }
    })
}

/// The number of comments in a program.
///
/// # Safety
/// `program` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_comment_count(program: *const bunraku_program) -> usize {
    // SAFETY: by the contract of this function.
    guard_or(0, || unsafe { program.as_ref() }.map_or(0, |own| own.program.comments().len()))
}

/// The place of a comment, in the order of the source.
///
/// @param unit  the unit: one of bunraku_unit
/// @param span  receives the place
/// @return whether it exists; otherwise nothing is written
///
/// # Safety
/// `program` is NULL or live, `span` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_comment(
    program: *const bunraku_program,
    index: usize,
    unit: u32,
    span: *mut bunraku_span,
) -> bool {
    guard_or(false, || {
        // SAFETY: by the contract of this function.
        let Some(own) = (unsafe { program.as_ref() }) else { return false };
        let Some(comment) = own.program.comments().get(index) else { return false };
        // SAFETY: by the contract of this function.
        unsafe { write_span(own.program.source(), comment.span, unit, span) }
    })
}

/// The position of a comment relative to its node.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum bunraku_placement {
    /// On a line of its own before the node.
    BUNRAKU_PLACEMENT_LEADING = 0,
    /// After the node: in its line, or below it if nothing else follows in the same brackets.
    BUNRAKU_PLACEMENT_TRAILING = 1,
    /// Inside the node, with no other node beside it.
    BUNRAKU_PLACEMENT_DANGLING = 2,
}

/// The node that a comment belongs to; no node if the comment does not exist.
///
/// @param index  the index of the comment, from 0, as in bunraku_program_comment
/// @param placement  receives its position relative to the node, one of bunraku_placement, unless it is NULL
///
/// # Safety
/// `program` is NULL or live, `placement` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_comment_node(
    program: *const bunraku_program,
    index: usize,
    placement: *mut u32,
) -> bunraku_node {
    guard_or(NONE, || {
        // SAFETY: by the contract of this function.
        let Some(own) = (unsafe { program.as_ref() }) else { return NONE };
        let comments = own.comments.get_or_init(|| own.program.placed_comments());
        let Some(comment) = comments.get(index) else { return NONE };
        let placed = match comment.placement {
            Placement::Leading => bunraku_placement::BUNRAKU_PLACEMENT_LEADING,
            Placement::Trailing => bunraku_placement::BUNRAKU_PLACEMENT_TRAILING,
            Placement::Dangling => bunraku_placement::BUNRAKU_PLACEMENT_DANGLING,
        };
        // SAFETY: by the contract of this function.
        if let Some(placement) = unsafe { placement.as_mut() } {
            *placement = placed as u32;
        }
        bunraku_node::of(program, Some(comment.node))
    })
}

/// The text that a program was parsed from. Valid until the program is freed; not NUL-terminated.
///
/// # Safety
/// `program` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_source(program: *const bunraku_program) -> bunraku_text {
    guard_or(bunraku_text::NONE, || {
        // SAFETY: by the contract of this function.
        let own = unsafe { program.as_ref() };
        own.map_or(bunraku_text::NONE, |own| bunraku_text::of(own.program.source().text().as_bytes()))
    })
}

/// The content of a field.
fn value(program: &Program, id: NodeId, index: usize) -> Option<FieldValue> {
    let (mut number, mut found) = (0, None);
    program.node(id).fields(|field| {
        if number == index {
            found = Some(field.value);
        }
        number += 1;
    });
    found
}

/// Writes a field; returns false if it does not exist.
///
/// # Safety
/// `output` is null or may be written.
unsafe fn write_field(
    node: bunraku_node,
    program: &Program,
    id: NodeId,
    index: usize,
    output: *mut bunraku_field,
) -> bool {
    let Some(value) = value(program, id, index) else { return false };
    let Some(name) = program.node(id).kind().field_names().get(index) else { return false };
    let mut field = bunraku_field {
        name: c_name(name),
        index,
        field_type: bunraku_field_type::BUNRAKU_FIELD_ABSENT as u32,
        node: NONE,
        count: 0,
        text: bunraku_text::NONE,
        integer: 0,
        number: 0.0,
        boolean: false,
    };
    let mut set_text = |text: &str| field.text = bunraku_text::of(text);
    let field_type = match value {
        FieldValue::Absent => bunraku_field_type::BUNRAKU_FIELD_ABSENT,
        FieldValue::Node(id) => {
            field.node = bunraku_node::of(node.program, Some(id));
            bunraku_field_type::BUNRAKU_FIELD_NODE
        }
        FieldValue::Nodes(list) => {
            field.count = list.len();
            bunraku_field_type::BUNRAKU_FIELD_NODES
        }
        FieldValue::Text(text) => {
            set_text(program.text(text));
            bunraku_field_type::BUNRAKU_FIELD_TEXT
        }
        FieldValue::Symbol(text) => {
            set_text(text);
            bunraku_field_type::BUNRAKU_FIELD_TEXT
        }
        FieldValue::Integer(number) => {
            if let Some(literal) = program.big_integer(id).filter(|_| *name == "value") {
                set_text(literal);
            }
            field.integer = number;
            bunraku_field_type::BUNRAKU_FIELD_INTEGER
        }
        FieldValue::Float(number) => {
            field.number = number;
            bunraku_field_type::BUNRAKU_FIELD_FLOAT
        }
        FieldValue::Boolean(truth) => {
            field.boolean = truth;
            bunraku_field_type::BUNRAKU_FIELD_BOOLEAN
        }
    };
    field.field_type = field_type as u32;
    if output.is_null() {
        return false;
    }
    // SAFETY: not null, and by the contract of this function it may be written.
    unsafe { output.write(field) };
    true
}

/// The unit that a number of [`bunraku_unit`] means.
pub(crate) fn unit_of(unit: u32) -> Option<Unit> {
    const BYTE: u32 = bunraku_unit::BUNRAKU_UNIT_BYTE as u32;
    const CHARACTER: u32 = bunraku_unit::BUNRAKU_UNIT_CHARACTER as u32;
    const UTF16: u32 = bunraku_unit::BUNRAKU_UNIT_UTF16 as u32;
    match unit {
        BYTE => Some(Unit::Byte),
        CHARACTER => Some(Unit::Character),
        UTF16 => Some(Unit::Utf16),
        _ => None,
    }
}

/// Writes a place in a unit; false when there is no such unit.
///
/// # Safety
/// `output` is null or may be written.
pub(crate) unsafe fn write_span(source: &Source, span: Span, unit: u32, output: *mut bunraku_span) -> bool {
    // SAFETY: by the contract of this function.
    unit_of(unit).is_some_and(|unit| unsafe { write_range(source.range_in(span, unit), output) })
}

/// Writes a place.
///
/// # Safety
/// `output` is null or may be written.
pub(crate) unsafe fn write_range(range: Range, output: *mut bunraku_span) -> bool {
    let Range { offset, length, start, end } = range;
    let Position { line, column } = start;
    let Position { line: end_line, column: end_column } = end;
    if output.is_null() {
        return false;
    }
    // SAFETY: not null, and by the contract of this function it may be written.
    unsafe { output.write(bunraku_span { offset, length, line, column, end_line, end_column }) };
    true
}
