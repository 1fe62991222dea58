//! Values: immutable, reference-counted, `Send + Sync`, at most 24 bytes.
//!
//! Cloning a value is cheap and never copies its content. Rust's `==` is the reference's `eql?`: whether two
//! values are the same key of a hash (`1` and `1.0` differ, strings differ by case). The `==` of the Puppet
//! language is a function of the evaluator.

use std::any::Any;
use std::borrow::Cow;
use std::hash::{Hash as StdHash, Hasher};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use bunraku_syntax::case::downcase;
use bunraku_syntax::pattern::with_options;
use indexmap::IndexMap;

use super::big::BigInt;
use super::byte_string::ByteString;
use super::objects;
use super::pairs::Entries;
use super::release::{Parts, release, source};
use super::ruby_class::RubyClass;
use super::size_cache::{CachedSize, SizeCached};
use super::types::{ObjectType, Type, VersionRange};

/// Text. Short texts are stored inline, long ones shared.
pub type Str = ecow::EcoString;

/// A text as [`Str`], copied at once: `Str::from` goes byte by byte.
#[inline]
pub fn shared(text: &str) -> Str {
    let mut copy = Str::with_capacity(text.len());
    copy.push_str(text);
    copy
}

/// Whether there are only bytes of ASCII and no capital letters. Looks at eight bytes at once.
#[inline]
fn is_lower_case(bytes: &[u8]) -> bool {
    const EACH: u64 = u64::MAX / 0xFF;
    const HIGH: u64 = EACH * 0x80;
    let is_lower = |word: u64| {
        let (from_a, behind_z) = (EACH * (0x80 - b'A' as u64), EACH * (0x7F - b'Z' as u64));
        // The highest bit of each byte of ASCII says whether it is a capital letter; others have it already.
        (word | (word.wrapping_add(from_a) & !word.wrapping_add(behind_z))) & HIGH == 0
    };
    let half = |half: &[u8; 4]| u64::from(u32::from_ne_bytes(*half));
    match (bytes.last_chunk::<8>(), bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(last), ..) => {
            let (words, _) = bytes.as_chunks::<8>();
            words.iter().chain([last]).all(|word| is_lower(u64::from_ne_bytes(*word)))
        }
        (None, Some(first), Some(last)) => is_lower(half(first) | half(last) << 32),
        _ => bytes.iter().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()),
    }
}

/// A text in lower case.
pub fn lower_case(text: &str) -> Str {
    // Most names are in lower case.
    if is_lower_case(text.as_bytes()) {
        return shared(text);
    }
    if !text.is_ascii() {
        return shared(&downcase(text));
    }
    let mut lower = shared(text);
    lower.make_mut().make_ascii_lowercase();
    lower
}

/// A Puppet hash.
pub type Hash = SizeCached<Entries>;

/// A Puppet array.
pub type List = SizeCached<Vec<Value>>;

/// A value that must not be shown.
pub type Secret = SizeCached<Value>;

/// A value of the Puppet language. (A tag of eight bytes allows values to be moved as three words.)
#[derive(Clone, Debug, Default)]
#[repr(u64)]
pub enum Value {
    /// `undef`
    #[default]
    Undef,
    /// `default`
    Default,
    /// `true`, `false`
    Boolean(bool),
    /// A whole number of 64 bits.
    Integer(i64),
    /// A whole number beyond 64 bits, never one within them.
    BigInteger(Arc<BigInt>),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    String(Str),
    /// Text of bytes without encoding; a string for the language.
    ByteString(Arc<ByteString>),
    /// A list.
    Array(Arc<List>),
    /// A map.
    Hash(Arc<Hash>),
    /// A type; types are values.
    Type(Type),
    /// `/pattern/`
    Regexp(Arc<RegexpValue>),
    /// A value that must not be shown.
    Sensitive(Arc<Secret>),
    /// Bytes.
    Binary(Arc<Vec<u8>>),
    /// A duration.
    Timespan(Arc<Timespan>),
    /// A point in time.
    Timestamp(Arc<Timestamp>),
    /// A semantic version.
    SemVer(Arc<Version>),
    /// A range of semantic versions.
    SemVerRange(Arc<VersionRange>),
    /// A URI.
    Uri(Arc<UriValue>),
    /// An instance of an Object type (including Deferred and Error).
    Object(Arc<Object>),
    /// A lazy sequence.
    Iterator(Arc<IteratorValue>),
    /// A value of another runtime, such as a Ruby Symbol.
    Runtime(Arc<RuntimeValue>),
}

const _: () = assert!(size_of::<Value>() <= 24, "values are small");

/// A pattern compiled by an engine; only the engine knows its form.
#[derive(Clone, Debug)]
pub(crate) struct CompiledPattern(Arc<dyn Any + Send + Sync>);

impl CompiledPattern {
    pub(crate) fn new<P: Any + Send + Sync>(pattern: P) -> Self {
        Self(Arc::new(pattern))
    }

    /// The pattern, for the engine that made it.
    #[inline]
    pub(crate) fn get<P: Any>(&self) -> Option<&P> {
        self.0.downcast_ref()
    }
}

/// A regular expression in Ruby's syntax. The engine compiles it on first use.
#[derive(Debug)]
pub struct RegexpValue {
    /// The pattern without the slashes, with inline options (`(?m-ix:…)`) where Ruby's `to_s` of options
    /// needs them.
    pub source: Str,
    /// The compiled form, made on first use; the error is the message of the engine.
    pub(crate) compiled: OnceLock<Result<CompiledPattern, String>>,
}

impl PartialEq for RegexpValue {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for RegexpValue {}

impl StdHash for RegexpValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.source.hash(state);
    }
}

impl RegexpValue {
    /// A regular expression of this pattern. Compilation happens on first use.
    pub fn new(source: impl Into<Str>) -> Self {
        Self { source: source.into(), compiled: OnceLock::new() }
    }

    /// The pattern that types have which are made of this: Ruby's options stand in it as a group, and that
    /// Ruby ties it to UTF-8 is an option to the reference's mind.
    pub fn in_types(self: &Arc<Self>) -> Arc<Self> {
        match with_options(&self.source) {
            Cow::Borrowed(_) => Arc::clone(self),
            Cow::Owned(source) => Arc::new(Self::new(source)),
        }
    }
}

/// A duration in seconds and nanoseconds; the total is `seconds + nanoseconds / 10^9`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timespan {
    /// Whole seconds, rounded down; all nanoseconds together fit in 128 bits.
    pub seconds: i128,
    /// The rest, `0..1_000_000_000`.
    pub nanoseconds: u32,
}

/// A point in time: seconds and nanoseconds since 1970-01-01T00:00:00 UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp {
    /// Whole seconds, rounded down; all nanoseconds together fit in 128 bits.
    pub seconds: i128,
    /// The rest, `0..1_000_000_000`.
    pub nanoseconds: u32,
}

/// A semantic version (semver.org 2.0).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    /// The three numbers.
    pub numbers: [u64; 3],
    /// The parts after `-`; an empty list is that of the smallest version, before all pre-releases.
    pub prerelease: Option<Vec<PrereleasePart>>,
    /// The text after `+`.
    pub build: Option<Str>,
}

/// A part of a pre-release.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PrereleasePart {
    /// Only digits; sorts before text.
    Number(u64),
    /// Anything else.
    Text(Str),
}

/// A URI, kept as its text and parsed when needed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UriValue {
    /// The whole text.
    pub text: Str,
}

/// An instance of an Object type.
#[derive(Debug)]
pub struct Object {
    /// Its type.
    pub object_type: Arc<ObjectType>,
    /// The values of its attributes, by name, inherited ones first. Derived and constant attributes are not
    /// stored.
    pub attributes: IndexMap<Str, Value>,
    pub(crate) cached_size: CachedSize,
}

impl Object {
    /// An instance with these values of its attributes.
    pub fn new(object_type: Arc<ObjectType>, attributes: IndexMap<Str, Value>) -> Self {
        Self { object_type, attributes, cached_size: CachedSize::default() }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        release(self);
    }
}

impl Parts for Object {
    fn take_parts(&mut self, pending: &mut Vec<Value>) {
        self.attributes.values_mut().for_each(|value| value.take_parts(pending));
    }
}

/// A lazy sequence: the result of `step`, `reverse_each` and `tree_each` without a block.
#[derive(Debug)]
pub struct IteratorValue {
    /// The source.
    pub kind: IteratorKind,
    /// The number of elements that have been walked: a walk continues where the previous one ended.
    pub(crate) walked: AtomicUsize,
    pub(crate) cached_size: CachedSize,
}

impl Drop for IteratorValue {
    fn drop(&mut self) {
        release(source(&mut self.kind));
    }
}

impl From<IteratorKind> for Value {
    fn from(kind: IteratorKind) -> Self {
        Self::Iterator(Arc::new(IteratorValue {
            kind,
            walked: AtomicUsize::new(0),
            cached_size: CachedSize::default(),
        }))
    }
}

/// The source of an iterator.
#[derive(Debug)]
pub enum IteratorKind {
    /// Every `n`th of a source.
    Step {
        /// The source.
        source: Value,
        /// The length of each step, from 1.
        step: u64,
    },
    /// A source from its end.
    Reverse {
        /// The source.
        source: Value,
    },
    /// All nodes of a tree of collections.
    Tree {
        /// The source.
        source: Value,
        /// The options of `tree_each`.
        options: TreeOptions,
    },
}

/// The nodes that `tree_each` visits.
#[derive(Clone, Debug)]
pub struct TreeOptions {
    pub breadth_first: bool,
    pub include_root: bool,
    pub include_containers: bool,
    pub include_values: bool,
    pub include_refs: bool,
    pub container_type: Option<Type>,
}

/// A Ruby object that is not a value of the language, represented by its text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RuntimeValue {
    /// The class, `Symbol`.
    pub class: RubyClass,
    /// Its text.
    pub text: Str,
    /// The parameters of a Proc: a `Callable`.
    pub callable: Option<Type>,
}

impl RuntimeValue {
    /// An object of a class.
    pub fn new(class: impl Into<RubyClass>, text: impl Into<Str>) -> Self {
        Self { class: class.into(), text: text.into(), callable: None }
    }

    /// A Symbol.
    pub fn symbol(text: impl Into<Str>) -> Self {
        Self::new("Symbol", text)
    }

    /// Whether it is a Symbol.
    pub fn is_symbol(&self) -> bool {
        self.class == "Symbol"
    }

    /// Whether it is the Symbol that is `undef` in data from before Puppet 4.
    pub fn is_undef(&self) -> bool {
        self.text == "undef" && self.is_symbol()
    }
}

impl Value {
    /// Whether both are the same list or hash object, rather than equal ones.
    pub fn is_same_object(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Array(a), Self::Array(b)) => Arc::ptr_eq(a, b),
            (Self::Hash(a), Self::Hash(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// A list.
    pub fn array(values: impl IntoIterator<Item = Value>) -> Self {
        Self::from(values.into_iter().collect::<Vec<_>>())
    }

    /// A map from pairs; a later pair replaces the value of an earlier one with the same key.
    pub fn hash(pairs: impl IntoIterator<Item = (Value, Value)>) -> Self {
        Self::from(pairs.into_iter().collect::<Hash>())
    }

    /// A regular expression.
    pub fn regexp(source: impl Into<Str>) -> Self {
        Self::Regexp(Arc::new(RegexpValue::new(source)))
    }

    /// A value that must not be shown.
    pub fn sensitive(value: Value) -> Self {
        Self::Sensitive(Arc::new(value.into()))
    }

    /// The text, if the value is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            Self::ByteString(bytes) => Some(bytes.text()),
            _ => None,
        }
    }

    /// Whether the value is a string.
    pub const fn is_string(&self) -> bool {
        matches!(self, Self::String(_) | Self::ByteString(_))
    }

    /// Whether the value is `undef`.
    pub const fn is_undef(&self) -> bool {
        matches!(self, Self::Undef)
    }

    /// Puppet's truth: everything but `false` and `undef`.
    pub const fn is_truthy(&self) -> bool {
        !matches!(self, Self::Undef | Self::Boolean(false))
    }

    /// Whether both are the same object, as with Ruby's `equal?`: shared collections and objects by their
    /// address, immediate values by their value. The serializers' local references depend on it.
    pub fn is_same(&self, other: &Value) -> bool {
        match (self, other) {
            (Self::Array(a), Self::Array(b)) => Arc::ptr_eq(a, b),
            (Self::Hash(a), Self::Hash(b)) => Arc::ptr_eq(a, b),
            (Self::Regexp(a), Self::Regexp(b)) => Arc::ptr_eq(a, b),
            (Self::Sensitive(a), Self::Sensitive(b)) => Arc::ptr_eq(a, b),
            (Self::Binary(a), Self::Binary(b)) => Arc::ptr_eq(a, b),
            (Self::Timespan(a), Self::Timespan(b)) => Arc::ptr_eq(a, b),
            (Self::Timestamp(a), Self::Timestamp(b)) => Arc::ptr_eq(a, b),
            (Self::Object(a), Self::Object(b)) => Arc::ptr_eq(a, b),
            (Self::Iterator(a), Self::Iterator(b)) => Arc::ptr_eq(a, b),
            _ => self == other,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(shared(text))
    }
}
impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(shared(&text))
    }
}
impl From<Str> for Value {
    fn from(text: Str) -> Self {
        Self::String(text)
    }
}
impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}
impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}
impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Boolean(truth)
    }
}
impl From<Type> for Value {
    fn from(of: Type) -> Self {
        Self::Type(of)
    }
}
impl From<Timespan> for Value {
    fn from(span: Timespan) -> Self {
        Self::Timespan(Arc::new(span))
    }
}
impl From<Timestamp> for Value {
    fn from(moment: Timestamp) -> Self {
        Self::Timestamp(Arc::new(moment))
    }
}
impl From<Vec<Value>> for Value {
    fn from(values: Vec<Value>) -> Self {
        Self::Array(Arc::new(values.into()))
    }
}
impl From<List> for Value {
    fn from(list: List) -> Self {
        Self::Array(Arc::new(list))
    }
}
impl From<Hash> for Value {
    fn from(hash: Hash) -> Self {
        Self::Hash(Arc::new(hash))
    }
}

/// The identity of floats as keys: both zeros are equal, and NaN is equal to itself.
pub(super) fn float_key(number: f64) -> u64 {
    if number == 0.0 {
        0
    } else if number.is_nan() {
        f64::NAN.to_bits()
    } else {
        number.to_bits()
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Undef, Self::Undef) | (Self::Default, Self::Default) => true,
            (Self::Boolean(a), Self::Boolean(b)) => a == b,
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::BigInteger(a), Self::BigInteger(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => float_key(*a) == float_key(*b),
            (Self::String(a), Self::String(b)) => a == b,
            (Self::ByteString(a), Self::ByteString(b)) => a == b,
            (Self::ByteString(a), Self::String(b)) | (Self::String(b), Self::ByteString(a)) => a.is_text(b),
            (Self::Array(_), Self::Array(_))
            | (Self::Hash(_), Self::Hash(_))
            | (Self::Sensitive(_), Self::Sensitive(_)) => collections_equal(self, other),
            (Self::Type(a), Self::Type(b)) => a == b,
            (Self::Regexp(a), Self::Regexp(b)) => a.source == b.source,
            (Self::Binary(a), Self::Binary(b)) => a == b,
            (Self::Timespan(a), Self::Timespan(b)) => a == b,
            (Self::Timestamp(a), Self::Timestamp(b)) => a == b,
            (Self::SemVer(a), Self::SemVer(b)) => a == b,
            (Self::SemVerRange(a), Self::SemVerRange(b)) => a == b,
            (Self::Uri(a), Self::Uri(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => {
                // Each side can define what is compared.
                let equal = |a, b| objects::instances_equal(a, b, &|a, b| a == b);
                Arc::ptr_eq(a, b) || (equal(a, b) && equal(b, a))
            }
            (Self::Iterator(a), Self::Iterator(b)) => Arc::ptr_eq(a, b),
            (Self::Runtime(a), Self::Runtime(b)) => a == b,
            _ => false,
        }
    }
}

/// The number of compared pairs of collections from which the compared pairs are remembered.
const FEW_PAIRS: usize = 1_000;

/// Compares collections without recursion. All pairs must be equal, so a pair that was compared need not be
/// compared again: collections that share their parts take linear time.
fn collections_equal(a: &Value, b: &Value) -> bool {
    let mut pending = vec![(a, b)];
    let mut met = rustc_hash::FxHashSet::default();
    let mut pairs = 0;
    while let Some((a, b)) = pending.pop() {
        let addresses = match (a, b) {
            (Value::Array(a), Value::Array(b)) => (Arc::as_ptr(a) as usize, Arc::as_ptr(b) as usize),
            (Value::Hash(a), Value::Hash(b)) => (Arc::as_ptr(a) as usize, Arc::as_ptr(b) as usize),
            (Value::Sensitive(a), Value::Sensitive(b)) => (Arc::as_ptr(a) as usize, Arc::as_ptr(b) as usize),
            _ if a == b => continue,
            _ => return false,
        };
        pairs += 1;
        if addresses.0 == addresses.1 || pairs > FEW_PAIRS && !met.insert(addresses) {
            continue;
        }
        match (a, b) {
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                pending.extend(a.iter().zip(b.iter()).rev());
            }
            (Value::Hash(a), Value::Hash(b)) if a.len() == b.len() => {
                for (key, value) in a.iter() {
                    let Some(other) = b.get(key) else { return false };
                    pending.push((value, other));
                }
            }
            (Value::Sensitive(a), Value::Sensitive(b)) => pending.push((a, b)),
            _ => return false,
        }
    }
    true
}

impl Eq for Value {}

impl StdHash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash_value(self, state, 0);
    }
}

/// The depth to which values are hashed: values that only differ further down have the same hash.
const DEPTH_OF_HASH: u32 = 12;

fn hash_value<H: Hasher>(value: &Value, state: &mut H, depth: u32) {
    match value {
        Value::ByteString(_) => std::mem::discriminant(&Value::String(Str::new())).hash(state),
        value => std::mem::discriminant(value).hash(state),
    }
    match value {
        Value::ByteString(bytes) => bytes.hash(state),
        Value::Undef | Value::Default => {}
        Value::Boolean(truth) => truth.hash(state),
        Value::Integer(number) => number.hash(state),
        Value::BigInteger(number) => number.hash(state),
        Value::Float(number) => float_key(*number).hash(state),
        Value::String(text) => text.hash(state),
        Value::Array(values) => {
            values.len().hash(state);
            if depth < DEPTH_OF_HASH {
                values.iter().for_each(|value| hash_value(value, state, depth + 1));
            }
        }
        Value::Hash(hash) => hash_entries(hash, state, depth),
        Value::Type(of) => of.hash(state),
        Value::Regexp(regexp) => regexp.source.hash(state),
        Value::Sensitive(value) if depth < DEPTH_OF_HASH => hash_value(value, state, depth + 1),
        Value::Sensitive(_) => {}
        Value::Binary(bytes) => bytes.hash(state),
        Value::Timespan(span) => span.hash(state),
        Value::Timestamp(moment) => moment.hash(state),
        Value::SemVer(version) => version.hash(state),
        Value::SemVerRange(range) => range.hash(state),
        Value::Uri(uri) => uri.hash(state),
        // Instances of different types can be equal, unless their types exclude this.
        Value::Object(object) if object.object_type.compares_types() => object.object_type.hash(state),
        Value::Object(_) => {}
        Value::Iterator(iterator) => Arc::as_ptr(iterator).hash(state),
        Value::Runtime(value) => value.hash(state),
    }
}

/// The order of entries does not affect equality.
fn hash_entries<H: Hasher>(hash: &Entries, state: &mut H, depth: u32) {
    let within = if depth < DEPTH_OF_HASH { hash.len() } else { 0 };
    let sum = hash.iter().take(within).fold(0_u64, |sum, (key, value)| {
        let mut of_entry = rustc_hash::FxHasher::default();
        hash_value(key, &mut of_entry, depth + 1);
        hash_value(value, &mut of_entry, depth + 1);
        sum.wrapping_add(of_entry.finish())
    });
    (hash.len(), sum).hash(state);
}
