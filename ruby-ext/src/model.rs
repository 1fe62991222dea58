//! `Bunraku::ModelBuilder`: programs as the objects that Puppet's own parser makes, `Puppet::Pops::Model`.
//!
//! The classes and the attributes of their constructors are determined from the loaded Puppet (see
//! `lib/bunraku/drop_in/model.rb`). If a constructor only stores its arguments and combines their hashes into
//! its own, objects are made without calling it.

use bunraku::syntax::ast::{FieldValue, Kind, NodeId, Program};
use magnus::r_regexp::Opts;
use magnus::value::Opaque;
use magnus::{
    DataTypeFunctions, Error, IntoValue as _, RArray, RClass, RModule, Ruby, TryConvert, TypedData, gc,
    prelude::*,
};
use rustc_hash::FxHashMap;

use crate::class;
use crate::entry::{function, method};
use crate::program::NativeProgram;
use crate::raw::{self, Attributes, NewArray};

/// The maximum number of attributes of an object besides its place.
const MOST: usize = 6;

/// An argument of a constructor.
#[derive(Clone, Copy)]
enum Argument {
    /// The field with this index.
    Field(usize),
    /// As [`Field`](Self::Field), but `nil` for false.
    Flag(usize),
    /// The digits of a whole number of any size.
    Digits(usize),
    /// The Regexp of a regular expression.
    Regexp,
    /// The text of the Regexp, as Ruby shows it.
    Pattern,
}

/// How to make the objects of a kind.
struct Class {
    class: Opaque<RClass>,
    arguments: Vec<Argument>,
    /// The instance variables of objects that are made without their constructor.
    direct: Option<Attributes>,
}

impl Class {
    /// From `[name of the kind, class, names of the constructor's attributes, whether it can be skipped]`.
    fn of(ruby: &Ruby, kind: Kind, described: magnus::Value) -> Result<Self, Error> {
        let (_, class, names, is_direct): (String, RClass, Vec<String>, bool) =
            TryConvert::try_convert(described)?;
        let unknown = |name: &str| {
            let message = format!("{} has an attribute that is not known: {name}", kind.name());
            Error::new(ruby.exception_arg_error(), message)
        };
        if let Some(name) = names.get(MOST) {
            return Err(unknown(name));
        }
        let argument = |name: &String| {
            let field = kind.field_names().iter().position(|field| field == name);
            match (kind, name.as_str(), field) {
                (Kind::LiteralRegularExpression, "value", _) => Ok(Argument::Regexp),
                (Kind::LiteralRegularExpression, "pattern", _) => Ok(Argument::Pattern),
                (Kind::LiteralInteger, "value", Some(index)) => Ok(Argument::Digits(index)),
                (Kind::Parameter, "captures_rest", Some(index)) => Ok(Argument::Flag(index)),
                (_, _, Some(index)) => Ok(Argument::Field(index)),
                (_, _, None) => Err(unknown(name)),
            }
        };
        let arguments = names.iter().map(argument).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { class: class.into(), arguments, direct: is_direct.then(|| Attributes::new(ruby, &names)) })
    }
}

/// Makes the objects of one Puppet.
#[derive(TypedData)]
#[magnus(class = "Bunraku::ModelBuilder", free_immediately, mark)]
struct Builder {
    /// By kind; `None` for a kind without a class in Puppet.
    classes: Vec<Option<Class>>,
    /// The initial value of the hashes of all objects.
    hash: i64,
}

impl DataTypeFunctions for Builder {
    fn mark(&self, marker: &gc::Marker) {
        self.classes.iter().flatten().for_each(|class| marker.mark(class.class));
    }
}

impl Builder {
    /// `classes` are arguments of [`Class::of`], which begin with the names of kinds.
    fn new(ruby: &Ruby, classes: RArray, hash: i64) -> Result<Self, Error> {
        let mut described = FxHashMap::default();
        for class in classes {
            let name: String = RArray::try_convert(class)?.entry(0)?;
            described.insert(name, Opaque::from(class));
        }
        let class = |kind: &Kind| {
            let described = described.get(kind.name()).copied();
            described.map(|described| Class::of(ruby, *kind, ruby.get_inner(described))).transpose()
        };
        Ok(Self { classes: Kind::ALL.iter().map(class).collect::<Result<_, _>>()?, hash })
    }

    /// The body and the definitions of a program.
    fn build(
        ruby: &Ruby,
        own: &Self,
        program: &NativeProgram,
        locator: magnus::Value,
    ) -> Result<(magnus::Value, RArray), Error> {
        let program = program.program();
        let ids = program.definitions();
        let definitions = ruby.ary_new_capa(ids.len());
        let places = ids.iter().enumerate().map(|(place, id)| (id.index(), place)).collect();
        let body = Building { ruby, own, program, locator, definitions, places }.object(program.body())?;
        Ok((body, definitions))
    }
}

/// A program during its conversion to objects. Objects are on the stack, where Ruby sees them, until they are
/// parts of others.
struct Building<'b> {
    ruby: &'b Ruby,
    own: &'b Builder,
    program: &'b Program,
    locator: magnus::Value,
    definitions: RArray,
    /// The positions of definitions in their list, by node.
    places: FxHashMap<usize, usize>,
}

impl Building<'_> {
    fn object(&self, id: NodeId) -> Result<magnus::Value, Error> {
        let (node, span) = (self.program.node(id), self.program.span(id));
        let Some(Some(class)) = self.own.classes.get(node.kind() as usize) else {
            let message = format!("there is no class for a {}", node.kind().name());
            return Err(Error::new(self.ruby.exception_not_imp_error(), message));
        };
        let mut fields = [FieldValue::Absent; MOST];
        let mut slots = fields.iter_mut();
        node.fields(|field| {
            if let Some(slot) = slots.next() {
                *slot = field.value;
            }
        });
        let mut arguments = [self.ruby.qnil().as_value(); MOST];
        let mut regexp = None;
        for (slot, argument) in arguments.iter_mut().zip(&class.arguments) {
            let field = |index: usize| fields.get(index).copied().unwrap_or(FieldValue::Absent);
            *slot = match *argument {
                Argument::Flag(index) if field(index) == FieldValue::Boolean(false) => continue,
                Argument::Field(index) | Argument::Flag(index) => self.field(id, field(index))?,
                Argument::Digits(index) => match self.program.big_integer(id) {
                    Some(digits) => self.ruby.str_new(digits).funcall("to_i", (0,))?,
                    None => self.field(id, field(index))?,
                },
                Argument::Regexp => self.regexp(&mut regexp, field(0))?,
                Argument::Pattern => self.regexp(&mut regexp, field(0))?.funcall("inspect", ())?,
            };
        }
        let arguments = arguments.get(..class.arguments.len()).unwrap_or_default();
        let of = self.ruby.get_inner(class.class);
        let object = match &class.direct {
            Some(attributes) => {
                let place = (span.start, span.len());
                raw::new_object(of, attributes, self.own.hash, self.locator, place, arguments)
            }
            None => {
                let mut all = [self.locator; 3 + MOST];
                all[1] = span.start.into_value_with(self.ruby);
                all[2] = span.len().into_value_with(self.ruby);
                let taken = all.iter_mut().skip(3).zip(arguments).map(|(slot, value)| *slot = *value).count();
                of.new_instance(all.get(..3 + taken).unwrap_or_default())?
            }
        };
        if let Some(place) = self.places.get(&id.index()) {
            self.definitions.store(isize::try_from(*place).unwrap_or(isize::MAX), object)?;
        }
        Ok(object)
    }

    fn field(&self, id: NodeId, value: FieldValue) -> Result<magnus::Value, Error> {
        let ruby = self.ruby;
        Ok(match value {
            FieldValue::Absent => ruby.qnil().as_value(),
            FieldValue::Node(child) => self.object(child)?,
            FieldValue::Nodes(list) => {
                let members = self.program.list(list);
                let objects = NewArray::new(ruby, members.len());
                for member in members {
                    objects.push(self.object(*member)?);
                }
                objects.object()
            }
            FieldValue::Text(text) => {
                let text = self.program.text(text);
                if self.is_frozen(id, text) { raw::interned(ruby, text) } else { raw::text(ruby, text) }
            }
            FieldValue::Symbol(text) => raw::interned(ruby, text),
            FieldValue::Integer(number) => number.into_value_with(ruby),
            FieldValue::Float(number) => number.into_value_with(ruby),
            FieldValue::Boolean(truth) => truth.into_value_with(ruby),
        })
    }

    /// The Regexp of a pattern: `made` caches that of this node.
    fn regexp(&self, made: &mut Option<magnus::Value>, pattern: FieldValue) -> Result<magnus::Value, Error> {
        if let (None, FieldValue::Text(pattern)) = (*made, pattern) {
            *made = Some(self.ruby.reg_new(self.program.text(pattern), Opts::new())?.as_value());
        }
        Ok(made.unwrap_or_else(|| self.ruby.qnil().as_value()))
    }

    /// Whether the texts of a node are frozen, as names and texts in single quotes are.
    fn is_frozen(&self, id: NodeId, text: &str) -> bool {
        match self.program.node(id).kind() {
            Kind::LiteralString => {
                let written = self.program.source_text(id);
                // A quote at the start of a double-quoted text can look like one.
                written.starts_with('\'') && written.len() >= text.len() + 2
            }
            Kind::RenderStringExpression => false,
            _ => true,
        }
    }
}

/// Defines the class.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), Error> {
    let class = class::define::<Builder>(ruby, module, "ModelBuilder")?;
    class.define_singleton_method("new", function!(Builder::new, 2))?;
    class.define_method("build", method!(Builder::build, 2))
}
