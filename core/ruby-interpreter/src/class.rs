//! The classes that programs can name, with their ancestors and methods.

use std::sync::{LazyLock, OnceLock};

use rustc_hash::FxHashMap;

use super::call::Method;
use super::methods as m;

/// A class or module.
pub(super) struct Class {
    pub name: &'static str,
    pub parent: Option<&'static Class>,
    /// Modules that it includes.
    pub modules: &'static [&'static str],
    /// Methods of its instances, its own first.
    tables: &'static [&'static [Method]],
    /// Methods of the class itself.
    own: &'static [Method],
    is_module: bool,
}

impl std::fmt::Debug for Class {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name)
    }
}

impl Class {
    const fn new(
        name: &'static str,
        parent: Option<&'static Class>,
        tables: &'static [&'static [Method]],
    ) -> Self {
        Self { name, parent, modules: &[], tables, own: &[], is_module: false }
    }

    const fn module(name: &'static str, own: &'static [Method]) -> Self {
        Self { name, parent: None, modules: &[], tables: &[], own, is_module: true }
    }

    const fn error(name: &'static str, parent: &'static Class) -> Self {
        Self::new(name, Some(parent), &[])
    }

    const fn including(self, modules: &'static [&'static str]) -> Self {
        Self { modules, ..self }
    }

    const fn with(self, own: &'static [Method]) -> Self {
        Self { own, ..self }
    }

    /// Whether it is `other` or comes from it.
    pub fn is_a(&self, other: &Class) -> bool {
        let mut class = Some(self);
        while let Some(this) = class {
            if this.name == other.name || this.modules.contains(&other.name) {
                return true;
            }
            class = this.parent;
        }
        other.name == "BasicObject" && !self.is_module
    }

    /// The class and those it comes from.
    pub fn ancestors(&'static self) -> impl Iterator<Item = &'static Class> {
        std::iter::successors(Some(self), |class| class.parent)
    }

    /// Whether an instance of a subclass is an object with variables, or an exception.
    pub fn has_plain_instances(&self) -> bool {
        self.name == "Object" || self.is_a(&EXCEPTION)
    }

    pub const fn is_module(&self) -> bool {
        self.is_module
    }

    /// The address, which identifies it.
    fn place(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// A method of its instances.
    pub fn method(&self, name: &str) -> Option<&'static Method> {
        nearest(&METHODS, self, name)
    }

    /// A method of the class itself.
    pub fn class_method(&'static self, name: &str) -> Option<&'static Method> {
        nearest(&OWN_METHODS, self, name)
    }

    /// The class of this name.
    pub fn named(name: &str) -> Option<&'static Class> {
        NAMED.get(name).copied()
    }
}

/// The method that a call has found for the first class of its receivers, which is nearly always the only
/// one.
#[derive(Default)]
pub(super) struct MethodOfClass(OnceLock<(usize, Option<&'static Method>)>);

impl MethodOfClass {
    /// The method of instances of a class by the name that the call has.
    pub fn get(&self, class: &Class, name: &str) -> Option<&'static Method> {
        let (place, method) = self.0.get_or_init(|| (class.place(), class.method(name)));
        if *place == class.place() { *method } else { class.method(name) }
    }
}

impl std::fmt::Debug for MethodOfClass {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("MethodOfClass")
    }
}

static NAMED: LazyLock<FxHashMap<&'static str, &'static Class>> =
    LazyLock::new(|| ALL.iter().rev().map(|class| (class.name, *class)).collect());

/// Methods by their names: with the places of the classes whose own tables have them.
type MethodsByName = FxHashMap<&'static str, Vec<(usize, &'static Method)>>;

fn by_name(all: impl Iterator<Item = (&'static Class, &'static Method)>) -> MethodsByName {
    let mut methods = MethodsByName::default();
    for (class, method) in all {
        for name in method.names.split(' ') {
            methods.entry(name).or_default().push((class.place(), method));
        }
    }
    methods
}

/// The method of this name that a class has, or the nearest of those it comes from.
fn nearest(methods: &MethodsByName, class: &Class, name: &str) -> Option<&'static Method> {
    let known = methods.get(name)?;
    let mut next = Some(class);
    while let Some(class) = next {
        let place = class.place();
        if let Some((_, method)) = known.iter().find(|(of, _)| *of == place) {
            return Some(method);
        }
        next = class.parent;
    }
    None
}

/// Methods of classes themselves.
static OWN_METHODS: LazyLock<MethodsByName> =
    LazyLock::new(|| by_name(ALL.iter().flat_map(|class| class.own.iter().map(|method| (*class, method)))));

/// Methods of instances.
static METHODS: LazyLock<MethodsByName> = LazyLock::new(|| {
    let of = |class: &'static Class| class.tables.iter().flat_map(|table| table.iter());
    by_name(ALL.iter().flat_map(|class| of(class).map(|method| (*class, method))))
});

/// Whether instances of any class, or a class itself, have a method of this name.
pub(super) fn is_method_of_any(name: &str) -> bool {
    METHODS.contains_key(name) || OWN_METHODS.contains_key(name)
}

macro_rules! classes {
    ($($id:ident = $class:expr;)*) => {
        $(pub(super) static $id: Class = $class;)*
        static ALL: &[&Class] = &[$(&$id),*];
    };
}

classes! {
    OBJECT = Class::new("Object", None, &[m::object::METHODS]).including(&["Kernel"]);
    BASIC_OBJECT = Class::new("BasicObject", None, &[]);
    COMPARABLE = Class::module("Comparable", &[]);
    ENUMERABLE = Class::module("Enumerable", &[]);
    KERNEL = Class::module("Kernel", m::kernel::FUNCTIONS);
    RANDOM_FUNCTIONS = Class::module("Kernel rand", m::random::KERNEL);
    RANDOM_HELPERS = Class::module("Random helpers", m::random::HELPERS);
    SECURE_RANDOM = Class::module("SecureRandom", m::random::SECURE);
    ENCODING = Class::new("Encoding", Some(&OBJECT), &[]);
    UTF_8 = Class::module("Encoding::UTF_8", m::string::ENCODING);
    HELPERS = Class::module("Kernel helpers", m::helpers::HELPERS);
    TIME_HELPERS = Class::module("Kernel of times", m::time::HELPERS);
    NIL = Class::new("NilClass", Some(&OBJECT), &[m::object::NIL]);
    TRUE = Class::new("TrueClass", Some(&OBJECT), &[m::object::BOOLEAN]);
    FALSE = Class::new("FalseClass", Some(&OBJECT), &[m::object::BOOLEAN]);
    NUMERIC = Class::new("Numeric", Some(&OBJECT), &[m::number::NUMERIC, m::object::COMPARABLE]).including(&["Comparable"]);
    INTEGER = Class::new("Integer", Some(&NUMERIC), &[m::integer::METHODS]).with(m::integer::CLASS_METHODS);
    FLOAT = Class::new("Float", Some(&NUMERIC), &[m::number::FLOAT]);
    STRING = Class::new("String", Some(&OBJECT), &[m::string::METHODS, m::string_change::METHODS, m::string_match::METHODS, m::object::COMPARABLE]).including(&["Comparable"]).with(m::string::CLASS);
    BYTES = Class::new("String of bytes", Some(&OBJECT), &[m::string::BYTES]);
    SYMBOL = Class::new("Symbol", Some(&OBJECT), &[m::symbol::METHODS, m::object::COMPARABLE]).including(&["Comparable"]);
    ARRAY = Class::new("Array", Some(&OBJECT), &[m::array::METHODS, m::array_change::METHODS, m::enumerable::METHODS]).including(&["Enumerable"]).with(m::array::CLASS);
    HASH = Class::new("Hash", Some(&OBJECT), &[m::hash::METHODS, m::hash_change::METHODS, m::enumerable::METHODS]).including(&["Enumerable"]).with(m::hash::CLASS);
    RANGE = Class::new("Range", Some(&OBJECT), &[m::range::METHODS, m::enumerable::METHODS]).including(&["Enumerable"]).with(m::range::CLASS);
    SET = Class::new("Set", Some(&OBJECT), &[m::set::METHODS, m::enumerable::METHODS]).including(&["Enumerable"]).with(m::set::CLASS);
    ENUMERATOR = Class::new("Enumerator", Some(&OBJECT), &[m::enumerator::METHODS, m::enumerable::METHODS]).including(&["Enumerable"]).with(m::enumerator::CLASS);
    REGEXP = Class::new("Regexp", Some(&OBJECT), &[m::regexp::METHODS]).with(m::regexp::CLASS);
    MATCH_DATA = Class::new("MatchData", Some(&OBJECT), &[m::regexp::MATCH]);
    PROC = Class::new("Proc", Some(&OBJECT), &[m::object::PROC]).with(m::object::PROC_CLASS);
    METHOD = Class::new("Method", Some(&OBJECT), &[m::object::METHOD, m::object::PROC]);
    MODULE = Class::new("Module", Some(&OBJECT), &[m::module::MODULE]).with(m::module::NEW_MODULE);
    CLASS = Class::new("Class", Some(&MODULE), &[m::module::CLASS]).with(m::module::NEW_CLASS);
    BINDING = Class::new("Binding", Some(&OBJECT), &[]);
    TIME = Class::new("Time", Some(&OBJECT), &[m::time::METHODS, m::object::COMPARABLE]).including(&["Comparable"]).with(m::time::CLASS);
    TEMPLATE = Class::new("Puppet::Parser::TemplateWrapper", Some(&OBJECT), &[m::world::TEMPLATE]);
    SCOPE = Class::new("Puppet::Parser::Scope", Some(&OBJECT), &[m::world::SCOPE]);
    CATALOG = Class::new("Puppet::Resource::Catalog", Some(&OBJECT), &[m::world::CATALOG]);
    ENVIRONMENT = Class::new("Puppet::Node::Environment", Some(&OBJECT), &[m::world::ENVIRONMENT]);
    COMPILER = Class::new("Puppet::Parser::Compiler", Some(&OBJECT), &[m::world::COMPILER]);
    NODE = Class::new("Puppet::Node", Some(&OBJECT), &[m::world::NODE]);
    FOREIGN = Class::new("Puppet::Pops::Types::PuppetObject", Some(&OBJECT), &[m::world::FOREIGN]);
    LOOKUP_CONTEXT = Class::new("Puppet::LookupContext", Some(&OBJECT), &[m::lookup_context::METHODS]);
    SENSITIVE = Class::new("Puppet::Pops::Types::PSensitiveType::Sensitive", Some(&OBJECT), &[m::world::FOREIGN]).with(m::world::SENSITIVE);

    FILE = Class::new("File", Some(&OBJECT), &[]).with(m::library::FILE);
    JSON = Class::module("JSON", m::json::JSON);
    YAML = Class::module("YAML", m::yaml::YAML);
    PSYCH = Class::module("Psych", m::yaml::YAML);
    ERB_UTIL = Class::module("ERB::Util", m::library::ERB_UTIL);
    CGI = Class::new("CGI", Some(&OBJECT), &[]).with(m::library::CGI);
    URI = Class::module("URI", m::library::URI);
    MATH = Class::module("Math", m::number::MATH);
    BASE64 = Class::module("Base64", m::library::BASE64);
    SHELLWORDS = Class::module("Shellwords", m::library::SHELLWORDS);
    DIGEST = Class::module("Digest", &[]);
    DIGEST_MD5 = Class::new("Digest::MD5", Some(&OBJECT), &[]).with(m::library::MD5);
    DIGEST_SHA1 = Class::new("Digest::SHA1", Some(&OBJECT), &[]).with(m::library::SHA1);
    DIGEST_SHA256 = Class::new("Digest::SHA256", Some(&OBJECT), &[]).with(m::library::SHA256);
    DIGEST_SHA512 = Class::new("Digest::SHA512", Some(&OBJECT), &[]).with(m::library::SHA512);
    PUPPET = Class::module("Puppet", m::world::PUPPET);
    FUNCTIONS = Class::module("Puppet::Functions", m::world::FUNCTIONS);
    FUNCTION = Class::new("Puppet::Functions::Function", Some(&OBJECT), &[m::world::FUNCTION]).with(m::world::FUNCTION_CLASS);
    DISPATCHER = Class::module("Puppet::Pops::Functions::Dispatcher", m::world::DISPATCHER);
    INTERNAL_FUNCTION = Class::new("Puppet::Functions::InternalFunction", Some(&FUNCTION), &[]);
    SERIALIZATION = Class::module("Puppet::Pops::Serialization", &[]);
    TO_DATA = Class::new("Puppet::Pops::Serialization::ToDataConverter", Some(&OBJECT), &[]).with(m::serialization::TO_DATA);
    FROM_DATA = Class::new("Puppet::Pops::Serialization::FromDataConverter", Some(&OBJECT), &[]).with(m::serialization::FROM_DATA);
    PUPPET_STACK = Class::module("Puppet::Pops::PuppetStack", m::world::PUPPET_STACK);
    NATIVE = Class::module("Puppet::Native", m::world::NATIVE);
    PUPPET_FUNCTIONS = Class::module("Puppet::Parser::Functions", m::world::PUPPET_FUNCTIONS);

    EXCEPTION = Class::new("Exception", Some(&OBJECT), &[m::exception::METHODS]).with(m::exception::CLASS);
    SCRIPT_ERROR = Class::error("ScriptError", &EXCEPTION);
    NOT_IMPLEMENTED_ERROR = Class::error("NotImplementedError", &SCRIPT_ERROR);
    SYNTAX_ERROR = Class::error("SyntaxError", &SCRIPT_ERROR);
    LOAD_ERROR = Class::error("LoadError", &SCRIPT_ERROR);
    STANDARD_ERROR = Class::error("StandardError", &EXCEPTION);
    ARGUMENT_ERROR = Class::error("ArgumentError", &STANDARD_ERROR);
    IP_ADDR_ERROR = Class::error("IPAddr::Error", &ARGUMENT_ERROR);
    INVALID_ADDRESS_ERROR = Class::error("IPAddr::InvalidAddressError", &IP_ADDR_ERROR);
    UNCAUGHT_THROW_ERROR = Class::error("UncaughtThrowError", &ARGUMENT_ERROR);
    ENCODING_ERROR = Class::error("EncodingError", &STANDARD_ERROR);
    IO_ERROR = Class::error("IOError", &STANDARD_ERROR);
    SYSTEM_CALL_ERROR = Class::error("SystemCallError", &STANDARD_ERROR);
    ENOENT = Class::error("Errno::ENOENT", &SYSTEM_CALL_ERROR);
    EACCES = Class::error("Errno::EACCES", &SYSTEM_CALL_ERROR);
    EEXIST = Class::error("Errno::EEXIST", &SYSTEM_CALL_ERROR);
    ENOTDIR = Class::error("Errno::ENOTDIR", &SYSTEM_CALL_ERROR);
    EISDIR = Class::error("Errno::EISDIR", &SYSTEM_CALL_ERROR);
    ENOTEMPTY = Class::error("Errno::ENOTEMPTY", &SYSTEM_CALL_ERROR);
    EPERM = Class::error("Errno::EPERM", &SYSTEM_CALL_ERROR);
    EPIPE = Class::error("Errno::EPIPE", &SYSTEM_CALL_ERROR);
    EINVAL = Class::error("Errno::EINVAL", &SYSTEM_CALL_ERROR);
    EROFS = Class::error("Errno::EROFS", &SYSTEM_CALL_ERROR);
    ECONNREFUSED = Class::error("Errno::ECONNREFUSED", &SYSTEM_CALL_ERROR);
    ECONNRESET = Class::error("Errno::ECONNRESET", &SYSTEM_CALL_ERROR);
    EHOSTDOWN = Class::error("Errno::EHOSTDOWN", &SYSTEM_CALL_ERROR);
    EHOSTUNREACH = Class::error("Errno::EHOSTUNREACH", &SYSTEM_CALL_ERROR);
    ENETUNREACH = Class::error("Errno::ENETUNREACH", &SYSTEM_CALL_ERROR);
    ETIMEDOUT = Class::error("Errno::ETIMEDOUT", &SYSTEM_CALL_ERROR);
    IP_ADDR_PREFIX_ERROR = Class::error("IPAddr::InvalidPrefixError", &INVALID_ADDRESS_ERROR);
    IP_ADDR_FAMILY_ERROR = Class::error("IPAddr::AddressFamilyError", &IP_ADDR_ERROR);
    URI_ERROR = Class::error("URI::Error", &STANDARD_ERROR);
    INVALID_URI_ERROR = Class::error("URI::InvalidURIError", &URI_ERROR);
    INVALID_COMPONENT_ERROR = Class::error("URI::InvalidComponentError", &URI_ERROR);
    EOF_ERROR = Class::error("EOFError", &IO_ERROR);
    INDEX_ERROR = Class::error("IndexError", &STANDARD_ERROR);
    KEY_ERROR = Class::error("KeyError", &INDEX_ERROR);
    STOP_ITERATION = Class::error("StopIteration", &INDEX_ERROR);
    LOCAL_JUMP_ERROR = Class::error("LocalJumpError", &STANDARD_ERROR);
    NAME_ERROR = Class::error("NameError", &STANDARD_ERROR);
    NO_METHOD_ERROR = Class::error("NoMethodError", &NAME_ERROR);
    NO_MATCHING_PATTERN_ERROR = Class::error("NoMatchingPatternError", &STANDARD_ERROR);
    NO_MATCHING_PATTERN_KEY_ERROR = Class::error("NoMatchingPatternKeyError", &NO_MATCHING_PATTERN_ERROR);
    RANGE_ERROR = Class::error("RangeError", &STANDARD_ERROR);
    FLOAT_DOMAIN_ERROR = Class::error("FloatDomainError", &RANGE_ERROR);
    DOMAIN_ERROR = Class::error("Math::DomainError", &ARGUMENT_ERROR);
    REGEXP_ERROR = Class::error("RegexpError", &STANDARD_ERROR);
    RUNTIME_ERROR = Class::error("RuntimeError", &STANDARD_ERROR);
    FROZEN_ERROR = Class::error("FrozenError", &RUNTIME_ERROR);
    TYPE_ERROR = Class::error("TypeError", &STANDARD_ERROR);
    ZERO_DIVISION_ERROR = Class::error("ZeroDivisionError", &STANDARD_ERROR);
    PSYCH_EXCEPTION = Class::error("Psych::Exception", &RUNTIME_ERROR);
    PSYCH_SYNTAX_ERROR = Class::error("Psych::SyntaxError", &PSYCH_EXCEPTION);
    PSYCH_DISALLOWED_CLASS = Class::error("Psych::DisallowedClass", &PSYCH_EXCEPTION);
    PSYCH_BAD_ALIAS = Class::error("Psych::BadAlias", &PSYCH_EXCEPTION);
    JSON_ERROR = Class::error("JSON::JSONError", &STANDARD_ERROR);
    JSON_PARSER_ERROR = Class::error("JSON::ParserError", &JSON_ERROR);
    JSON_NESTING_ERROR = Class::error("JSON::NestingError", &JSON_PARSER_ERROR);
    JSON_GENERATOR_ERROR = Class::error("JSON::GeneratorError", &JSON_ERROR);
    PUPPET_ERROR = Class::error("Puppet::Error", &RUNTIME_ERROR);
    PUPPET_PARSE_ERROR = Class::error("Puppet::ParseError", &PUPPET_ERROR);
    PUPPET_DEV_ERROR = Class::error("Puppet::DevError", &PUPPET_ERROR);
}
