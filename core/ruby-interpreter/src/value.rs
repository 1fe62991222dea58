//! The values of a running Ruby program. They live in a [`Heap`] that is dropped as a whole at the end of the
//! program: cycles do not leak, and passing a value copies a reference.

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;

use indexmap::IndexMap;
use typed_arena::Arena;

use super::class::Class;
pub(super) use super::held::{List, Map, Text};
pub(super) use super::methods::time::Moment;
use super::modules::{Context, Entry, Module, Nesting, Object};
pub(super) use super::same::eql;
use super::tree::{Lambda, Program};
use bunraku_pcore::Value;
use bunraku_pcore::big::BigInt;
use bunraku_pcore::fuel::Unmetered;
use bunraku_pcore::regexp::{Captures, Regex};
use bunraku_pcore::ruby::random::Random;
use bunraku_pcore::value::{RegexpValue, Str};
use bunraku_syntax::diagnostic::Error;

/// A value.
#[derive(Clone, Copy)]
pub(super) enum Val<'a> {
    Nil,
    Boolean(bool),
    Integer(i64),
    /// A whole number beyond 64 bits.
    Big(&'a BigInt),
    Float(f64),
    String(&'a Text),
    Symbol(&'a str),
    Array(&'a List<'a>),
    Hash(&'a Map<'a>),
    Range(&'a Range<'a>),
    Regexp(&'a Arc<RegexpValue>),
    Match(&'a Match<'a>),
    Proc(&'a Proc<'a>),
    Class(&'static Class),
    /// A class or module that the program defines.
    Module(&'a Module<'a>),
    /// An instance of a class that the program defines.
    Object(&'a Object<'a>),
    /// The result of `binding`.
    Binding(&'a Binding<'a>),
    Exception(&'a Exception<'a>),
    Set(&'a Map<'a>),
    Enumerator(&'a Enumerator<'a>),
    /// `self`: the template, or the module that a function is written in.
    Main,
    /// The object `scope` in templates, and the objects that it returns.
    World(WorldObject),
    /// A value of Puppet that Ruby code can only hand on and show.
    Foreign(&'a Value),
    /// A string of bytes that are not text.
    Bytes(&'a [u8]),
    /// A moment.
    Time(&'a Moment),
}

/// Objects of the compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorldObject {
    Scope,
    /// The top scope, in which functions of the 4.x API run.
    TopScope,
    Catalog,
    Environment,
    Compiler,
    Node,
}

/// Whether an object is the value of a Puppet variable, or a part of one: Ruby's changes of such an object
/// apply to the variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Given {
    /// The program's own.
    #[default]
    No,
    /// As it was given.
    Unchanged,
    /// Changed since.
    Changed,
}

pub(super) type Entries<'a> = IndexMap<Key<'a>, Val<'a>, rustc_hash::FxBuildHasher>;

/// A range.
pub(super) struct Range<'a> {
    pub from: Val<'a>,
    pub to: Val<'a>,
    pub exclusive: bool,
    pub is_copy: bool,
}

/// A match of a regular expression.
pub(super) struct Match<'a> {
    pub pattern: &'a Arc<RegexpValue>,
    pub text: Str,
    pub captures: Captures,
}

impl Match<'_> {
    pub fn group(&self, number: usize) -> Option<&str> {
        let (start, end) = self.captures.get(number).copied().flatten()?;
        self.text.get(start..end)
    }

    pub fn regex(&self) -> Result<&Regex, Error> {
        self.pattern.regex(&Unmetered)
    }
}

/// A block that has become a value.
pub(super) struct Proc<'a> {
    pub code: Code<'a>,
    pub is_lambda: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Code<'a> {
    Block {
        lambda: &'a Lambda,
        env: &'a Env<'a>,
        /// The method whose `return` it is, and the block that this method was given.
        frame: Frame<'a>,
        /// The call that `break` ends.
        tag: u64,
    },
    /// `:name.to_proc`
    Symbol(&'a str),
    /// `object.method(:name)`
    Method(&'a (Val<'a>, &'a str)),
    /// The block that Puppet gave a function.
    Given,
    /// Collects yielded values in a list.
    Collect(&'a List<'a>),
    /// `f >> g`, `f.curry`, `hash.to_proc`
    Joined(&'a (Join, Val<'a>, Val<'a>)),
}

/// The composition of a proc from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    /// The first, then the second with its result.
    Then,
    /// A curried proc: how many arguments it waits for, and those that it has.
    Curry(i64),
    /// The value of a key.
    Lookup,
}

/// The local variables that can be seen from a place.
pub(super) struct Binding<'a> {
    pub env: &'a Env<'a>,
    pub frame: Frame<'a>,
    /// The names of each block's variables, the outermost block first.
    pub names: &'a [Vec<Str>],
}

/// The running method.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub id: u64,
    pub block: Option<&'a Proc<'a>>,
    /// The call that `break` ends.
    pub tag: u64,
    pub context: &'a Context<'a>,
}

/// The variables of a block or method.
pub(super) struct Env<'a> {
    pub slots: &'a [Cell<Val<'a>>],
    pub outer: Option<&'a Env<'a>>,
}

/// An exception.
pub(super) struct Exception<'a> {
    /// Its class, or the nearest of Ruby's own that its class comes from.
    pub class: &'static Class,
    /// When its class is the program's own.
    pub object: Option<&'a Object<'a>>,
    pub message: Cell<Val<'a>>,
    pub line: Cell<u32>,
    /// The one that was being handled when it was raised.
    pub cause: Cell<Option<&'a Exception<'a>>>,
    pub backtrace: Cell<Val<'a>>,
    /// The original error before it entered Ruby.
    pub error: Option<Error>,
}

/// The result of `each_with_index` and similar methods without a block.
pub(super) struct Enumerator<'a> {
    pub receiver: Val<'a>,
    pub method: &'a str,
    pub arguments: Vec<Val<'a>>,
    /// Whether a method without its block made it, which then knows the size.
    pub is_sized: bool,
}

/// A value as the key of a hash: equal by `eql?`.
#[derive(Clone, Copy)]
pub(super) struct Key<'a>(pub Val<'a>);

impl<'a> Val<'a> {
    /// Ruby's truth.
    pub const fn is_truthy(self) -> bool {
        !matches!(self, Val::Nil | Val::Boolean(false))
    }

    /// Whether it is, or is part of, the value of a variable.
    pub fn given(self) -> Option<&'a Cell<Given>> {
        match self {
            Val::String(text) => Some(&text.given),
            Val::Array(list) => Some(&list.given),
            Val::Hash(map) => Some(&map.given),
            _ => None,
        }
    }

    pub const fn is_nil(self) -> bool {
        matches!(self, Val::Nil)
    }

    /// Whether both are the same object.
    pub fn is_same(self, other: Val<'a>) -> bool {
        match (self, other) {
            (Val::String(a), Val::String(b)) => std::ptr::eq(a, b),
            (Val::Array(a), Val::Array(b)) => std::ptr::addr_eq(a, b),
            (Val::Hash(a), Val::Hash(b)) | (Val::Set(a), Val::Set(b)) => std::ptr::addr_eq(a, b),
            (Val::Object(a), Val::Object(b)) => std::ptr::eq(a, b),
            _ => eql(self, other),
        }
    }
}

/// Values of one kind. Most programs have none of most kinds, for which nothing is taken.
struct Store<T>(OnceCell<Arena<T>>);

impl<T> Default for Store<T> {
    fn default() -> Self {
        Self(OnceCell::new())
    }
}

impl<T> Store<T> {
    fn alloc(&self, value: T) -> &mut T {
        self.0.get_or_init(Arena::new).alloc(value)
    }

    fn alloc_extend(&self, values: impl IntoIterator<Item = T>) -> &mut [T] {
        self.0.get_or_init(Arena::new).alloc_extend(values)
    }

    fn is_empty(&self) -> bool {
        self.0.get().is_none_or(|values| values.len() == 0)
    }
}

/// The storage of a program's values.
#[derive(Default)]
pub(super) struct Heap<'a> {
    texts: Store<Text>,
    names: Store<Str>,
    lists: Store<List<'a>>,
    maps: Store<Map<'a>>,
    ranges: Store<Range<'a>>,
    patterns: Store<Arc<RegexpValue>>,
    matches: Store<Match<'a>>,
    procs: Store<Proc<'a>>,
    methods: Store<(Val<'a>, &'a str)>,
    envs: Store<Env<'a>>,
    slots: Store<Cell<Val<'a>>>,
    exceptions: Store<Exception<'a>>,
    enumerators: Store<Enumerator<'a>>,
    foreign: Store<Value>,
    bytes: Store<Vec<u8>>,
    numbers: Store<BigInt>,
    times: Store<Moment>,
    modules: Store<Module<'a>>,
    objects: Store<Object<'a>>,
    contexts: Store<Context<'a>>,
    nestings: Store<Nesting<'a>>,
    bindings: Store<Binding<'a>>,
    joined: Store<(Join, Val<'a>, Val<'a>)>,
    programs: Store<Arc<Program>>,
    lambdas: Store<Arc<Lambda>>,
    entries: Store<Entry<'a>>,
    generators: RefCell<Vec<Random>>,
    /// About how many bytes were taken.
    used: Cell<usize>,
}

impl<'a> Heap<'a> {
    /// About how many bytes were taken.
    pub fn used(&self) -> usize {
        self.used.get()
    }

    fn count(&self, bytes: usize) {
        self.used.set(self.used.get().saturating_add(bytes));
    }

    pub fn string(&'a self, text: impl Into<Str>) -> Val<'a> {
        let text = text.into();
        self.count(size_of::<Text>() + text.len());
        Val::String(self.texts.alloc(Text::new(text)))
    }

    /// A text that was written, or is Puppet's.
    pub fn utf8(&'a self, text: impl Into<Str>) -> Val<'a> {
        let made = self.string(text);
        if let Val::String(text) = made {
            text.is_utf8.set(true);
        }
        made
    }

    pub fn name(&'a self, name: impl Into<Str>) -> &'a str {
        let name = name.into();
        self.count(size_of::<Str>() + name.len());
        self.names.alloc(name)
    }

    pub fn symbol(&'a self, name: impl Into<Str>) -> Val<'a> {
        Val::Symbol(self.name(name))
    }

    pub fn array(&'a self, values: Vec<Val<'a>>) -> Val<'a> {
        self.count(size_of::<List<'a>>() + values.len() * size_of::<Val<'a>>());
        Val::Array(self.lists.alloc(List::new(values)))
    }

    pub fn map(&'a self, entries: Entries<'a>) -> &'a Map<'a> {
        self.count(size_of::<Map<'a>>() + entries.len() * 48);
        self.maps.alloc(Map::new(entries))
    }

    pub fn hash(&'a self, entries: Entries<'a>) -> Val<'a> {
        Val::Hash(self.map(entries))
    }

    pub fn range(&'a self, from: Val<'a>, to: Val<'a>, exclusive: bool) -> Val<'a> {
        self.count(size_of::<Range<'a>>());
        Val::Range(self.ranges.alloc(Range { from, to, exclusive, is_copy: false }))
    }

    /// The `dup` of a range: all others are frozen.
    pub fn copied_range(&'a self, of: &Range<'a>) -> Val<'a> {
        self.count(size_of::<Range<'a>>());
        Val::Range(self.ranges.alloc(Range { is_copy: true, ..*of }))
    }

    pub fn pattern(&'a self, pattern: Arc<RegexpValue>) -> &'a Arc<RegexpValue> {
        self.count(size_of::<Arc<RegexpValue>>());
        self.patterns.alloc(pattern)
    }

    pub fn matched(&'a self, matched: Match<'a>) -> &'a Match<'a> {
        self.count(size_of::<Match<'a>>() + matched.captures.len() * 24);
        self.matches.alloc(matched)
    }

    pub fn proc(&'a self, code: Code<'a>, is_lambda: bool) -> &'a Proc<'a> {
        self.count(size_of::<Proc<'a>>());
        self.procs.alloc(Proc { code, is_lambda })
    }

    pub fn method(&'a self, receiver: Val<'a>, name: &'a str) -> Code<'a> {
        self.count(32);
        Code::Method(self.methods.alloc((receiver, name)))
    }

    pub fn env(&'a self, slots: usize, outer: Option<&'a Env<'a>>) -> &'a Env<'a> {
        self.count(size_of::<Env<'a>>() + slots * size_of::<Val<'a>>());
        let slots: &'a [Cell<Val<'a>>] = match slots {
            0 => &[],
            slots => self.slots.alloc_extend(std::iter::repeat_n(Val::Nil, slots).map(Cell::new)),
        };
        self.envs.alloc(Env { slots, outer })
    }

    pub fn exception(&'a self, exception: Exception<'a>) -> &'a Exception<'a> {
        self.count(size_of::<Exception<'a>>());
        self.exceptions.alloc(exception)
    }

    pub fn enumerator(&'a self, made: Enumerator<'a>) -> Val<'a> {
        self.count(size_of::<Enumerator<'a>>());
        Val::Enumerator(self.enumerators.alloc(made))
    }

    pub fn foreign(&'a self, value: Value) -> Val<'a> {
        self.count(size_of::<Value>());
        Val::Foreign(self.foreign.alloc(value))
    }

    /// A whole number of any size.
    pub fn whole(&'a self, number: BigInt) -> Val<'a> {
        match i64::try_from(&number) {
            Ok(number) => Val::Integer(number),
            Err(_) => {
                self.count(number.bits() as usize / 8 + size_of::<BigInt>());
                Val::Big(self.numbers.alloc(number))
            }
        }
    }

    pub fn bytes(&'a self, bytes: Vec<u8>) -> Val<'a> {
        self.count(bytes.len() + 24);
        Val::Bytes(self.bytes.alloc(bytes))
    }

    pub fn time(&'a self, time: Moment) -> Val<'a> {
        self.count(size_of::<Moment>());
        Val::Time(self.times.alloc(time))
    }
    pub fn module(&'a self, module: Module<'a>) -> &'a Module<'a> {
        self.count(size_of::<Module<'a>>() + 128);
        self.modules.alloc(module)
    }

    pub fn object(&'a self, class: &'a Module<'a>) -> &'a Object<'a> {
        self.count(size_of::<Object<'a>>() + 64);
        self.objects.alloc(Object::new(class))
    }

    /// Whether instances of the program's classes exist.
    pub fn has_objects(&self) -> bool {
        !self.objects.is_empty()
    }

    pub fn context(&'a self, context: Context<'a>) -> &'a Context<'a> {
        self.count(size_of::<Context<'a>>());
        self.contexts.alloc(context)
    }

    pub fn nesting(&'a self, nesting: Nesting<'a>) -> &'a Nesting<'a> {
        self.count(size_of::<Nesting<'a>>());
        self.nestings.alloc(nesting)
    }

    pub fn binding(&'a self, binding: Binding<'a>) -> Val<'a> {
        self.count(size_of::<Binding<'a>>());
        Val::Binding(self.bindings.alloc(binding))
    }

    pub fn joined(&'a self, how: Join, one: Val<'a>, two: Val<'a>) -> Code<'a> {
        self.count(size_of::<(Join, Val<'a>, Val<'a>)>());
        Code::Joined(self.joined.alloc((how, one, two)))
    }

    /// A program that was read while another runs.
    pub fn program(&'a self, program: Arc<Program>) -> &'a Program {
        self.programs.alloc(program)
    }

    /// A generator of random numbers with a seed, by its number.
    pub fn generator(&self, words: &[u32]) -> usize {
        self.count(size_of::<Random>());
        let mut generators = self.generators.borrow_mut();
        generators.push(Random::new(words));
        generators.len() - 1
    }

    /// Draws from a generator; `None` if it does not exist.
    pub fn draw<T>(&self, generator: usize, draw: impl FnOnce(&mut Random) -> T) -> Option<T> {
        self.generators.borrow_mut().get_mut(generator).map(draw)
    }

    /// A method of another template.
    pub fn lambda(&'a self, lambda: Arc<Lambda>) -> &'a Lambda {
        self.lambdas.alloc(lambda)
    }

    pub fn entry(&'a self, entry: Entry<'a>) -> &'a Entry<'a> {
        self.count(size_of::<Entry<'a>>());
        self.entries.alloc(entry)
    }
}
