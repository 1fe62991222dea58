//! `Bunraku::Node`: the nodes of a program as objects. Each is created once and kept as long as its program.
//!
//! A node's object has no memory of its own: it points to its row in the table of its program ([`Nodes`]),
//! and the row to the object. Tools visit millions of nodes, so the most frequent methods use Ruby's C
//! interface directly. In addition to the reasons in `raw`, this is sound because:
//! * The table lives as long as the program, which each of its nodes marks; the program marks its nodes. So
//!   they die together, and no data of a node is read when it is swept.
//! * A row receives its object once, by an atomic exchange that one of two threads wins (Ractors have no
//!   common lock); the write barrier informs the collector before anything else is allocated.
//! * Only this module creates objects of the class, which has no allocator.

use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bunraku::diagnostic::bug::guarded;
use bunraku::source::Unit;
use bunraku::syntax::ast::{FieldValue, Kind, NodeId, Program};
use bunraku::syntax::pn;
use magnus::rb_sys::{AsRawValue as _, FromRawValue as _};
use magnus::{Error, Module as _, Object as _, RArray, RClass, RModule, Ruby, TryConvert, Value, prelude::*};
use rb_sys::macros::LONG2FIX;
use rb_sys::{VALUE, rb_data_type_t};

use crate::entry::{self, function, method};
use crate::failure;
use crate::notation::RubySink;
use crate::raw::{self, NewArray, NewHash};

/// The maximum length of an attribute's text of which Ruby keeps a single copy.
const SHORT: usize = 32;

/// The classes of the kinds, by index; empty until `lib/bunraku/node.rb` registers them.
static CLASSES: [AtomicUsize; Kind::ALL.len()] = [const { AtomicUsize::new(0) }; Kind::ALL.len()];

/// The description of a node for Ruby.
struct Type(rb_data_type_t);

// SAFETY: nothing changes it.
unsafe impl Sync for Type {}

static TYPE: Type = Type(rb_data_type_t {
    wrap_struct_name: c"Bunraku::Node".as_ptr(),
    function: rb_sys::rb_data_type_struct__bindgen_ty_1 {
        dmark: Some(mark),
        dfree: None,
        dsize: None,
        dcompact: None,
        reserved: [ptr::null_mut(); 1],
    },
    parent: ptr::null(),
    data: ptr::null_mut(),
    flags: (rb_sys::rbimpl_typeddata_flags::RUBY_TYPED_WB_PROTECTED as VALUE)
        | (rb_sys::rbimpl_typeddata_flags::RUBY_TYPED_FROZEN_SHAREABLE as VALUE),
});

/// The row of a node: its object, once it exists.
struct Row {
    table: *const Nodes,
    object: AtomicUsize,
}

/// The nodes of a program.
pub(crate) struct Nodes {
    /// The program's object.
    owner: VALUE,
    program: Arc<Program>,
    rows: Box<[Row]>,
    /// The array of all nodes below the body, once it was requested.
    order: AtomicUsize,
}

// SAFETY: rows are exchanged atomically; the objects belong to Ruby, and only the thread that runs Ruby uses
// them.
unsafe impl Send for Nodes {}
// SAFETY: as above.
unsafe impl Sync for Nodes {}

impl Nodes {
    /// The table of a program. Its address stays the same while it lives.
    pub(crate) fn new(owner: Value, program: &Arc<Program>) -> Box<Self> {
        let mut table = Box::new(Self {
            owner: owner.as_raw(),
            program: Arc::clone(program),
            rows: Box::default(),
            order: AtomicUsize::new(0),
        });
        let address = &raw const *table;
        let row = |_| Row { table: address, object: AtomicUsize::new(0) };
        table.rows = (0..program.node_count()).map(row).collect();
        table
    }

    /// Marks the existing objects for the collector.
    pub(crate) fn mark(&self) {
        let objects = self.rows.iter().map(|row| &row.object).chain([&self.order]);
        for object in objects.map(|object| object.load(Ordering::Relaxed)).filter(|object| *object != 0) {
            // SAFETY: called by the collector; the object is alive, because it has been marked since it was
            // created.
            unsafe { rb_sys::rb_gc_mark(object as VALUE) };
        }
    }

    /// The memory of the table in bytes.
    pub(crate) fn size(&self) -> usize {
        size_of_val(self) + size_of_val(&*self.rows)
    }

    /// Stores an object if none is stored, and returns the stored one.
    fn keep(&self, place: &AtomicUsize, object: VALUE) -> VALUE {
        match place.compare_exchange(0, object as usize, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: both are alive, and the program refers to the object from now on.
            Ok(_) => unsafe {
                rb_sys::rb_gc_writebarrier(self.owner, object);
                object
            },
            Err(other) => other as VALUE,
        }
    }

    /// The object of a node; nil if the program does not have the node.
    pub(crate) fn node(&self, id: NodeId) -> Value {
        object(self.raw(id))
    }

    fn raw(&self, id: NodeId) -> VALUE {
        let Some(row) = self.rows.get(id.index()) else { return rb_sys::Qnil.into() };
        match row.object.load(Ordering::Acquire) {
            0 => {
                let class = CLASSES[self.program.node(id).kind() as usize].load(Ordering::Relaxed);
                // SAFETY: the class is registered with the collector, and has no allocator; the row lives as
                // long as the object, which is on the stack here.
                let object = unsafe {
                    let row: *const Row = row;
                    let object = rb_sys::rb_data_typed_object_wrap(
                        class as VALUE,
                        row as *mut c_void,
                        &raw const TYPE.0,
                    );
                    rb_sys::rb_obj_freeze(object)
                };
                self.keep(&row.object, object)
            }
            object => object as VALUE,
        }
    }

    /// The program.
    pub(crate) const fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// An array of nodes.
    pub(crate) fn array(&self, ruby: &Ruby, ids: &[NodeId]) -> Value {
        let array = NewArray::new(ruby, ids.len());
        ids.iter().for_each(|id| array.push(self.node(*id)));
        array.object()
    }

    /// All nodes from one on, each before its descendants, in a frozen array.
    fn all(&self, ruby: &Ruby, from: NodeId) -> Value {
        let is_body = from == self.program.body();
        match self.order.load(Ordering::Acquire) {
            kept if is_body && kept != 0 => object(kept as VALUE),
            _ => {
                let all = self.array(ruby, &self.program.descendants(from));
                all.freeze();
                if is_body { object(self.keep(&self.order, all.as_raw())) } else { all }
            }
        }
    }

    /// The content of a field.
    fn value(&self, ruby: &Ruby, id: NodeId, value: FieldValue) -> VALUE {
        match value {
            FieldValue::Absent => rb_sys::Qnil.into(),
            FieldValue::Node(child) => self.raw(child),
            FieldValue::Nodes(list) => {
                let array = self.array(ruby, self.program.list(list));
                array.freeze();
                array.as_raw()
            }
            FieldValue::Text(text) => match self.program.text(text) {
                short if short.len() <= SHORT => raw::interned(ruby, short).as_raw(),
                long => {
                    let text = raw::text(ruby, long);
                    text.freeze();
                    text.as_raw()
                }
            },
            FieldValue::Symbol(text) => raw::interned(ruby, text).as_raw(),
            FieldValue::Integer(number) => match self.program.big_integer(id) {
                // Digits that Ruby parses without errors; a radix is never that large.
                Some(digits) if number == i64::MAX => {
                    let number: Result<Value, _> = ruby.str_new(digits).funcall("to_i", (0,));
                    number.map_or_else(|_| rb_sys::Qnil.into(), |number| number.as_raw())
                }
                _ => ruby.integer_from_i64(number).as_raw(),
            },
            FieldValue::Float(number) => ruby.float_from_f64(number).as_raw(),
            FieldValue::Boolean(true) => rb_sys::Qtrue.into(),
            FieldValue::Boolean(false) => rb_sys::Qfalse.into(),
        }
    }
}

/// An object that is alive.
fn object(value: VALUE) -> Value {
    // SAFETY: objects of nodes and their arrays are alive while their program is.
    unsafe { Value::from_raw(value) }
}

unsafe extern "C" fn mark(row: *mut c_void) {
    // SAFETY: the data of a node is its row, whose table lives while the program does, as for all marked
    // nodes.
    unsafe { rb_sys::rb_gc_mark((*(*row.cast::<Row>()).table).owner) };
}

/// A node that Ruby has passed in: its object is on the stack.
#[derive(Clone, Copy)]
pub(crate) struct NodeRef(NonNull<Row>);

impl TryConvert for NodeRef {
    fn try_convert(value: Value) -> Result<Self, Error> {
        // SAFETY: the object is alive; its data is only read if it is a node.
        let row = unsafe {
            match rb_sys::rb_typeddata_is_kind_of(value.as_raw(), &raw const TYPE.0) {
                0 => ptr::null_mut(),
                _ => rb_sys::rb_check_typeddata(value.as_raw(), &raw const TYPE.0),
            }
        };
        let wrong = || {
            let ruby = Ruby::get_with(value);
            Error::new(ruby.exception_type_error(), format!("no node: {}", value.class()))
        };
        NonNull::new(row.cast()).map(Self).ok_or_else(wrong)
    }
}

impl NodeRef {
    /// The node of an object; raises for other objects.
    ///
    /// # Safety
    /// The object is alive and stays so; the frames up to Ruby own nothing.
    unsafe fn of(value: VALUE) -> Self {
        // SAFETY: by the contract of this function. The data of a node is never null.
        unsafe { Self(NonNull::new_unchecked(rb_sys::rb_check_typeddata(value, &raw const TYPE.0).cast())) }
    }

    fn row(&self) -> &Row {
        // SAFETY: the row lives as long as the node, which is on the stack.
        unsafe { self.0.as_ref() }
    }

    /// The nodes of its program.
    pub(crate) fn table(&self) -> &Nodes {
        // SAFETY: as above.
        unsafe { &*self.row().table }
    }

    fn program(&self) -> &Program {
        &self.table().program
    }

    /// The node's id.
    pub(crate) fn id(&self) -> NodeId {
        let first = self.table().rows.as_ptr() as usize;
        let index = (self.0.as_ptr() as usize - first) / size_of::<Row>();
        NodeId::from_index(index as u32).unwrap_or_else(|| self.program().body())
    }

    fn field(&self, wanted: usize) -> FieldValue {
        let (mut found, mut index) = (FieldValue::Absent, 0);
        self.program().node(self.id()).fields(|field| {
            if index == wanted {
                found = field.value;
            }
            index += 1;
        });
        found
    }

    fn children(ruby: &Ruby, own: Self) -> Value {
        own.table().array(ruby, &own.program().children(own.id()))
    }

    fn attributes(ruby: &Ruby, own: Self) -> Value {
        let attributes = NewHash::new(ruby);
        own.program().node(own.id()).fields(|field| {
            let value = own.table().value(ruby, own.id(), field.value);
            // Symbols are Ruby's own: no Ruby code is called for them.
            let _ = attributes.insert(ruby.to_symbol(field.name).as_value(), object(value));
        });
        attributes.object()
    }

    fn all(ruby: &Ruby, own: Self) -> Value {
        own.table().all(ruby, own.id())
    }

    fn parent(own: Self) -> Option<Value> {
        own.program().parent(own.id()).map(|above| own.table().node(above))
    }

    /// The innermost enclosing definition of a node.
    fn enclosing(own: Self) -> Option<Value> {
        own.program().enclosing_definition(own.id()).map(|above| own.table().node(above))
    }

    /// The previous and the next sibling of a node.
    fn siblings(own: Self) -> (Option<Value>, Option<Value>) {
        let (before, behind) = own.program().siblings(own.id());
        let object = |id: Option<NodeId>| id.map(|id| own.table().node(id));
        (object(before), object(behind))
    }

    /// The place of a node, alone or with its descendants, in the unit `byte`, `character` or `utf16`:
    /// offset, length, line, column, end line, end column.
    fn place(ruby: &Ruby, own: Self, whole: bool, unit: String) -> Result<RArray, Error> {
        let unit = match unit.as_str() {
            "byte" => Unit::Byte,
            "character" => Unit::Character,
            "utf16" => Unit::Utf16,
            _ => return Err(Error::new(ruby.exception_arg_error(), "unit is one of byte, character, utf16")),
        };
        let (program, id) = (own.program(), own.id());
        let span = if whole { program.extent(id) } else { program.span(id) };
        let range = program.source().range_in(span, unit);
        Ok(ruby.ary_from_iter([
            range.offset,
            range.length,
            range.start.line,
            range.start.column,
            range.end.line,
            range.end.column,
        ]))
    }

    /// The source text of a node, alone or with its descendants.
    fn text(ruby: &Ruby, own: Self, whole: bool) -> Value {
        let (program, id) = (own.program(), own.id());
        raw::text(ruby, if whole { program.extent_text(id) } else { program.source_text(id) })
    }

    /// The text of a node's comments.
    fn documentation(own: Self) -> Option<String> {
        own.program().documentation(own.id())
    }

    /// The notation of a node: `pn`, `pretty` or `json`.
    fn notation(ruby: &Ruby, own: Self, format: String) -> Result<String, Error> {
        let write = match format.as_str() {
            "json" => pn::to_json,
            "pretty" => pn::to_pretty_text,
            _ => pn::to_text,
        };
        write(own.program(), own.id()).map_err(|diagnostic| failure::parse_exception(ruby, &diagnostic))
    }

    /// The notation of a node as arrays and hashes.
    fn data(ruby: &Ruby, own: Self) -> Result<Value, Error> {
        let mut sink = RubySink::new(ruby)?;
        let told = pn::tell(own.program(), own.id(), &mut sink);
        told.map_err(|diagnostic| failure::parse_exception(ruby, &diagnostic))?;
        sink.finish()
    }
}

/// Answers a frequent method of a node without arguments.
fn quick(own: VALUE, answer: impl Fn(&Ruby, NodeRef) -> VALUE) -> VALUE {
    // SAFETY: Ruby calls this with its own object; these frames own nothing.
    let (ruby, node) = unsafe { (Ruby::get_unchecked(), NodeRef::of(own)) };
    match guarded(|| answer(&ruby, node)) {
        Ok(value) => value,
        Err(bug) => entry::answer(&ruby, || Err(failure::raised(&ruby, &bug))).as_raw(),
    }
}

/// As [`quick`], with a number as its result.
fn number(own: VALUE, answer: impl Fn(NodeRef, &Program) -> u32) -> VALUE {
    // SAFETY: a number of 32 bits is a Fixnum.
    quick(own, |_, node| unsafe { LONG2FIX(answer(node, node.program()).into()) })
}

unsafe extern "C" fn program(own: VALUE) -> VALUE {
    quick(own, |_, node| node.table().owner)
}

unsafe extern "C" fn id(own: VALUE) -> VALUE {
    number(own, |node, _| node.id().index() as u32)
}

unsafe extern "C" fn offset(own: VALUE) -> VALUE {
    number(own, |node, program| program.span(node.id()).start)
}

unsafe extern "C" fn length(own: VALUE) -> VALUE {
    number(own, |node, program| program.span(node.id()).len())
}

unsafe extern "C" fn line(own: VALUE) -> VALUE {
    number(own, |node, program| program.source().line(program.span(node.id()).start))
}

unsafe extern "C" fn column(own: VALUE) -> VALUE {
    number(own, |node, program| program.source().position(program.span(node.id()).start).column)
}

/// The field with this index.
unsafe extern "C" fn field<const INDEX: usize>(own: VALUE) -> VALUE {
    quick(own, |ruby, node| node.table().value(ruby, node.id(), node.field(INDEX)))
}

/// A native method of Ruby without arguments.
type Getter = unsafe extern "C" fn(VALUE) -> VALUE;

/// The readers of fields, by index.
const FIELDS: [Getter; 4] = [field::<0>, field::<1>, field::<2>, field::<3>];

const _: () = {
    let mut kind = 0;
    while kind < Kind::ALL.len() {
        assert!(Kind::ALL[kind].field_names().len() <= FIELDS.len(), "each field has a reader");
        kind += 1;
    }
};

/// Defines a method.
fn define_getter(class: RClass, name: &std::ffi::CStr, getter: Getter) {
    // SAFETY: the class is alive, the name is copied, and the function takes only its receiver.
    unsafe {
        let getter = std::mem::transmute::<Getter, unsafe extern "C" fn() -> VALUE>(getter);
        rb_sys::rb_define_method(class.as_raw(), name.as_ptr(), Some(getter), 0);
    }
}

/// Registers the class for the nodes of a kind, and defines readers of its fields.
fn register(ruby: &Ruby, kind: String, class: RClass) -> Result<(), Error> {
    let unknown = || Error::new(ruby.exception_arg_error(), format!("there is no kind {kind}"));
    let kind = *Kind::ALL.iter().find(|one| one.name() == kind).ok_or_else(unknown)?;
    // SAFETY: the class is alive, and stays so from here on.
    unsafe { rb_sys::rb_gc_register_mark_object(class.as_raw()) };
    class.undef_default_alloc_func();
    CLASSES[kind as usize].store(class.as_raw() as usize, Ordering::Release);
    for (name, getter) in kind.field_names().iter().zip(FIELDS) {
        let name = std::ffi::CString::new(*name).map_err(|_| unknown())?;
        define_getter(class, &name, getter);
    }
    Ok(())
}

/// Defines the class.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), Error> {
    let class = module.define_class("Node", ruby.class_object())?;
    class.undef_default_alloc_func();
    let getters: [(&std::ffi::CStr, Getter); 6] = [
        (c"program", program),
        (c"id", id),
        (c"offset", offset),
        (c"length", length),
        (c"line", line),
        (c"column", column),
    ];
    getters.into_iter().for_each(|(name, getter)| define_getter(class, name, getter));
    class.define_singleton_method("native_register", function!(register, 2))?;
    class.define_method("children", method!(NodeRef::children, 0))?;
    class.define_method("attributes", method!(NodeRef::attributes, 0))?;
    class.define_method("parent", method!(NodeRef::parent, 0))?;
    class.define_method("enclosing_definition", method!(NodeRef::enclosing, 0))?;
    class.define_method("native_siblings", method!(NodeRef::siblings, 0))?;
    class.define_method("documentation", method!(NodeRef::documentation, 0))?;
    class.define_method("native_all", method!(NodeRef::all, 0))?;
    class.define_method("native_place", method!(NodeRef::place, 2))?;
    class.define_method("native_text", method!(NodeRef::text, 1))?;
    class.define_method("native_notation", method!(NodeRef::notation, 1))?;
    class.define_method("native_data", method!(NodeRef::data, 0))
}
