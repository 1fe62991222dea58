//! The arguments of `new` for each type: the reference's `new_function` of every type, as tables of
//! signatures.
//!
//! Signatures are tried in order. If none matches, the error describes the arguments against all of them,
//! unless a mismatch signature has a better message. The names of the functions are the reference's, with its
//! oddities.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashSet;

use super::attributes;
use super::guard::{self, Pending};
use super::table::ROWS;
use crate::data::value::{Str, Value};
use crate::types::Signature;
use crate::types::TypeLoader;
use crate::types::{CallableType, IntRange, Making, ObjectType, Type, TypeKind, mismatch};
use bunraku_syntax::diagnostic::Error;

/// The function that makes values of a type.
#[derive(Clone, Debug)]
pub struct Constructor {
    /// Its name in messages.
    pub name: Str,
    /// The accepted arguments.
    pub signatures: Vec<Signature>,
    /// Rejected arguments with a message of their own.
    pub mismatches: Vec<Signature>,
    /// How arguments become a value.
    pub target: Target,
}

/// The result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Unit,
    Type,
    Numeric,
    Integer,
    Float,
    Boolean,
    String,
    Regexp,
    Array,
    Hash,
    Sensitive,
    SemVer,
    SemVerRange,
    Binary,
    Timespan,
    Timestamp,
    Uri,
    Object(Arc<ObjectType>),
    /// A type of the language itself, by its meta type.
    MetaType(Arc<ObjectType>),
    Init {
        of: Type,
        arguments: Vec<Value>,
        single: Type,
    },
}

/// A line of the table.
struct Row {
    name: &'static str,
    /// Names for types in the signatures.
    local_types: &'static [(&'static str, &'static str)],
    signatures: &'static [&'static str],
    mismatches: &'static [&'static str],
}

const NUMERIC_PATTERN: &str = r"Pattern[/\A[+-]?\s*(?:(?:(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE]-?\d+)?)|(?:0[xX][0-9A-Fa-f]+)|(?:0[0-7]+)|(?:0[bB][01]+))\z/]";
const INTEGER_PATTERN: &str = r"Pattern[/\A[+-]?\s*(?:(?:\d+)|(?:0[xX][0-9A-Fa-f]+)|(?:0[bB][01]+))\z/]";
/// The pattern of a format, as the signature of `String.new` has it.
const FORMAT_PATTERN: &str = r"^%([\s\[+#0{<(|-]*)([1-9][0-9]*)?(?:\.([0-9]+))?([a-zA-Z])$";
const VERSION_PATTERN: &str = r"Pattern[/\A(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?\Z/]";

const FORMATS: (&str, &str) = ("Formats", "Variant[String[2], Array[String[2], 1]]");

const NUMERIC: Row = Row {
    name: "new_numeric",
    local_types: &[
        ("Convertible", "Variant[Integer, Float, Boolean, %NUMERIC%, Timespan, Timestamp]"),
        ("NamedArgs", "Struct[{from => Convertible, Optional[abs] => Boolean}]"),
    ],
    signatures: &["Convertible $from, Boolean? $abs", "NamedArgs $hash_args"],
    mismatches: &["Any $from, Boolean? $abs"],
};

const INTEGER: Row = Row {
    name: "new",
    local_types: &[
        ("Radix", "Variant[Default, Integer[2,2], Integer[8,8], Integer[10,10], Integer[16,16]]"),
        ("Convertible", "Variant[Numeric, Boolean, %INTEGER%, Timespan, Timestamp]"),
        ("NamedArgs", "Struct[{from => Convertible, Optional[radix] => Radix, Optional[abs] => Boolean}]"),
    ],
    signatures: &["Convertible $from, Radix? $radix, Boolean? $abs", "NamedArgs $hash_args"],
    mismatches: &["Hash $hash_args", "Any $from, Integer? $radix, Boolean? $abs"],
};

const FLOAT: Row = Row {
    name: "new_float",
    local_types: &[
        ("Convertible", "Variant[Numeric, Boolean, %NUMERIC%, Timespan, Timestamp]"),
        ("NamedArgs", "Struct[{from => Convertible, Optional[abs] => Boolean}]"),
    ],
    signatures: &["Convertible $from, Boolean? $abs", "NamedArgs $hash_args"],
    mismatches: &["Any $from, Boolean? $abs"],
};

const BOOLEAN: Row = Row {
    name: "new_boolean",
    local_types: &[],
    signatures: &["Variant[Integer, Float, Boolean, Enum['false','true','yes','no','y','n',true]] $from"],
    mismatches: &["Any $from"],
};

const STRING: Row = Row {
    name: "new_string",
    local_types: &[
        ("Format", "%FORMAT%"),
        (
            "ContainerFormat",
            "Struct[{Optional[format] => Format, Optional[separator] => String, Optional[separator2] => String, Optional[string_formats] => Hash[Type, Format]}]",
        ),
        ("TypeMap", "Hash[Type, Variant[Format, ContainerFormat]]"),
        ("Convertible", "Any"),
        ("Formats", "Variant[Default, String[1], TypeMap]"),
    ],
    signatures: &["Convertible $from, Formats? $string_formats"],
    mismatches: &[],
};

const ARRAY: Row = Row {
    name: "new_array",
    local_types: &[],
    signatures: &[
        "Variant[Array,Hash,Binary,Iterable] $from, Boolean[false]? $wrap",
        "Any $from, Boolean[true] $wrap",
    ],
    mismatches: &["Any $from, Boolean? $wrap"],
};

const HASH: Row = Row {
    name: "new_hash",
    local_types: &[
        ("KeyValueArray", "Array[Tuple[Any,Any],1]"),
        ("TreeArray", "Array[Tuple[Array,Any],1]"),
        ("NewHashOption", "Enum[tree, hash_tree]"),
    ],
    signatures: &["TreeArray $from, NewHashOption? $build_option", "KeyValueArray $from", "Any $from"],
    mismatches: &[],
};

const SEM_VER: Row = Row {
    name: "new_Version",
    local_types: &[
        ("PositiveInteger", "Integer[0,default]"),
        ("SemVerQualifier", r"Pattern[/\A(?<part>[0-9A-Za-z-]+)(?:\.\g<part>)*\Z/]"),
        ("SemVerPattern", "%VERSION%"),
        (
            "SemVerHash",
            "Struct[{major=>PositiveInteger,minor=>PositiveInteger,patch=>PositiveInteger,Optional[prerelease]=>SemVerQualifier,Optional[build]=>SemVerQualifier}]",
        ),
    ],
    signatures: &[
        "SemVerPattern $str",
        "PositiveInteger $major, PositiveInteger $minor, PositiveInteger $patch, SemVerQualifier? $prerelease, SemVerQualifier? $build",
        "SemVerHash $hash_args",
    ],
    mismatches: &["String $str"],
};

const SEM_VER_RANGE: Row = Row {
    name: "new_VersionRange",
    local_types: &[
        ("SemVerRangeString", "String[1]"),
        (
            "SemVerRangeHash",
            "Struct[{min=>Variant[Default,SemVer],Optional[max]=>Variant[Default,SemVer],Optional[exclude_max]=>Boolean}]",
        ),
    ],
    signatures: &[
        "SemVerRangeString $str",
        "Variant[Default,SemVer] $min, Variant[Default,SemVer] $max, Boolean? $exclude_max",
        "SemVerRangeHash $hash_args",
    ],
    mismatches: &[],
};

const BINARY: Row = Row {
    name: "new_Binary",
    local_types: &[
        ("ByteInteger", "Integer[0,255]"),
        ("Base64Format", r#"Enum["%b", "%u", "%B", "%s", "%r"]"#),
        ("StringHash", r#"Struct[{value => String, "format" => Optional[Base64Format]}]"#),
        ("ArrayHash", "Struct[{value => Array[ByteInteger]}]"),
        ("BinaryArgsHash", "Variant[StringHash, ArrayHash]"),
    ],
    signatures: &[
        "String $str, Base64Format? $format",
        "Array[ByteInteger] $byte_array",
        "BinaryArgsHash $hash_args",
    ],
    mismatches: &[],
};

const TIMESPAN: Row = Row {
    name: "new_timespan",
    local_types: &[FORMATS],
    signatures: &[
        "Variant[Integer,Float] $seconds",
        "String[1] $string, Formats? $format",
        "Integer $days, Integer $hours, Integer $minutes, Integer $seconds, Integer? $milliseconds, Integer? $microseconds, Integer? $nanoseconds",
        "Struct[{string => String[1], Optional[format] => Formats}] $hash_arg",
        "Struct[{Optional[negative] => Boolean, Optional[days] => Integer, Optional[hours] => Integer, Optional[minutes] => Integer, Optional[seconds] => Integer, Optional[milliseconds] => Integer, Optional[microseconds] => Integer, Optional[nanoseconds] => Integer}] $hash_arg",
    ],
    mismatches: &[],
};

const TIMESTAMP: Row = Row {
    name: "new_timestamp",
    local_types: &[FORMATS],
    signatures: &[
        "",
        "Variant[Integer,Float] $seconds",
        "String[1] $string, Formats? $format, String[1]? $timezone",
        "Struct[{string => String[1], Optional[format] => Formats, Optional[timezone] => String[1]}] $hash_arg",
    ],
    mismatches: &[],
};

const URI: Row = row_of(
    "new_error",
    &[
        "String[1] $uri",
        "Struct[{Optional[scheme] => String[1], Optional[userinfo] => String[1], Optional[host] => String[1], Optional[port] => Integer[0], Optional[path] => String[1], Optional[query] => String[1], Optional[fragment] => String[1], Optional[opaque] => String[1]}] $hash",
    ],
);

fn row(target: &Target) -> Row {
    match target {
        Target::Unit => row_of("new_unit", &["Any $from"]),
        Target::Type => row_of("new_type", &["String[1] $type_string"]),
        Target::Numeric => NUMERIC,
        Target::Integer => INTEGER,
        Target::Float => FLOAT,
        Target::Boolean => BOOLEAN,
        Target::String => STRING,
        Target::Regexp => row_of("new_float", &["String $pattern, Boolean? $escape"]),
        Target::Array => ARRAY,
        Target::Hash => HASH,
        Target::Sensitive => row_of("new_Sensitive", &["Sensitive $value", "Any $value"]),
        Target::SemVer => SEM_VER,
        Target::SemVerRange => SEM_VER_RANGE,
        Target::Binary => BINARY,
        Target::Timespan => TIMESPAN,
        Target::Timestamp => TIMESTAMP,
        Target::Uri => URI,
        Target::Init { arguments, .. } if arguments.is_empty() => {
            row_of("new_Init", &["Array $value", "Any $value"])
        }
        Target::Init { .. } => row_of("new_Init", &["Any $value"]),
        Target::Object(_) | Target::MetaType(_) => row_of("new", &[]),
    }
}

const fn row_of(name: &'static str, signatures: &'static [&'static str]) -> Row {
    Row { name, local_types: &[], signatures, mismatches: &[] }
}

/// The local types of a row, as a loader.
struct LocalTypes(Vec<(String, Type)>);

impl TypeLoader for LocalTypes {
    fn load_type(&self, name: &str) -> Result<Option<Type>, Error> {
        Ok(self.0.iter().find(|(known, _)| known == name).map(|(_, of)| of.clone()))
    }
}

fn with_patterns(text: &str) -> String {
    text.replace("%NUMERIC%", NUMERIC_PATTERN)
        .replace("%INTEGER%", INTEGER_PATTERN)
        .replace("%VERSION%", VERSION_PATTERN)
        .replace("%FORMAT%", &format!("Pattern[/{}/]", FORMAT_PATTERN))
}

fn build(target: &Target) -> Result<Constructor, Error> {
    let row = row(target);
    let mut local = LocalTypes(Vec::new());
    for (name, text) in row.local_types {
        let of = Type::parse(&with_patterns(text), &local)?;
        local.0.push((name.to_ascii_lowercase(), Type::alias(*name, of)));
    }
    let parse = |texts: &[&str]| {
        let one = |text: &&str| Signature::parse(text, &|of| Type::parse(of, &local));
        texts.iter().map(one).collect::<Result<Vec<_>, _>>()
    };
    Ok(Constructor {
        name: row.name.into(),
        signatures: parse(row.signatures)?,
        mismatches: parse(row.mismatches)?,
        target: target.clone(),
    })
}

/// Constructors that do not depend on parameters of the type, made once.
static CONSTRUCTORS: LazyLock<Vec<Result<Constructor, Error>>> =
    LazyLock::new(|| ROWS.iter().filter_map(|row| row.target.as_ref()).map(build).collect());

fn made(target: &Target) -> Result<Cow<'static, Constructor>, Error> {
    let known = CONSTRUCTORS.iter().filter_map(|known| known.as_ref().ok());
    match known.into_iter().find(|known| known.target == *target) {
        Some(known) => Ok(Cow::Borrowed(known)),
        None => build(target).map(Cow::Owned),
    }
}

/// The maximum depth of types that refer to types here.
const MAX_DEPTH: usize = 100;

/// The function that makes values of a type.
///
/// # Errors
/// When values of the type cannot be made.
pub fn constructor(of: &Type) -> Result<Cow<'static, Constructor>, Error> {
    constructor_at(of, 0, Pending::default())
}

fn constructor_at(of: &Type, depth: usize, pending: Pending<'_>) -> Result<Cow<'static, Constructor>, Error> {
    let refused = || Error::argument(format!("Creation of new instance of type '{of}' is not supported"));
    if depth > MAX_DEPTH {
        return Err(refused());
    }
    match of.kind() {
        TypeKind::Optional(Some(of)) | TypeKind::NotUndef(Some(of)) => constructor_at(of, depth + 1, pending),
        TypeKind::Optional(None) => Err(Error::argument("undefined method `new_function' for nil:NilClass")),
        TypeKind::Reference(_) => Err(refused()),
        TypeKind::NotUndef(None) => made(&Target::Unit),
        TypeKind::Alias(alias) => match alias.target.get() {
            // The bare `TypeAlias` has an undefined target; the reference fails where it accesses it.
            Some(_) if alias.name == "UnresolvedAlias" => Err(Error::argument(
                "protected method `new_function' called for #<Puppet::Pops::Types::PTypeAliasType, @self_recursion=false>",
            )),
            Some(target) => constructor_at(target, depth + 1, pending),
            None => Err(refused()),
        },
        TypeKind::Object(object) | TypeKind::ObjectExtension { base: object, .. } => {
            of_object(object, pending).map(Cow::Owned)
        }
        TypeKind::Init { of: Some(target), arguments } => {
            of_init(of, target, arguments, depth, pending).map(Cow::Owned)
        }
        kind => match &kind.row().target {
            Some(target) => made(target),
            None => Err(refused()),
        },
    }
}

fn callable(types: Vec<Type>, least: usize) -> Type {
    let most = types.len();
    let count = |size: usize| i64::try_from(size).ok();
    let size = (least == 0 || least != most).then_some(IntRange { from: count(least), to: count(most) });
    let parameters = Type::tuple(types, size);
    TypeKind::Callable(CallableType { parameters: Some(parameters), block: None, returns: None }).into()
}

fn signature(callable: Type, parameter_names: Vec<Str>) -> Signature {
    Signature { callable, parameter_names, block_name: None, captures_rest: false }
}

/// The names and types of an Object type's attributes in the order of arguments: those without a default
/// first. Also how many are required: a value that may be undef is not.
///
/// # Errors
/// A type cannot be asked: it contains an `Init` of what cannot be made.
pub(crate) fn object_parameters(object: &ObjectType) -> Result<(Vec<(Str, Type)>, usize), Error> {
    object_parameters_amid(object, Pending::default())
}

fn object_parameters_amid(
    object: &ObjectType,
    pending: Pending<'_>,
) -> Result<(Vec<(Str, Type)>, usize), Error> {
    let undef = Type::undef();
    let mut required = 0;
    let mut parameters = Vec::new();
    for (name, _, attribute) in object.init_attributes() {
        let of = &attribute.attribute_type;
        if attribute.value.is_none() && !pending.check_assignable(of, &undef)? {
            required += 1;
        }
        parameters.push((name, of.clone()));
    }
    Ok((parameters, required))
}

fn of_object(object: &Arc<ObjectType>, pending: Pending<'_>) -> Result<Constructor, Error> {
    if object.name.is_empty() {
        return Err(Error::argument("undefined method `sub' for nil:NilClass"));
    }
    if attributes::is_meta_type(object) {
        // Types are not made from hashes.
        let (parameters, required) = attributes::parameters(object)?;
        let (names, types): (Vec<_>, Vec<_>) = parameters.into_iter().unzip();
        return Ok(Constructor {
            name: format!("new_{}", object.name).into(),
            signatures: vec![signature(callable(types, required), names)],
            mismatches: Vec::new(),
            target: Target::MetaType(Arc::clone(object)),
        });
    }
    let making = making(object, pending)?;
    let by_position = signature(making.by_position.clone(), making.names.clone());
    let signatures = if object.is_locator() {
        vec![by_position]
    } else {
        vec![signature(making.by_hash.clone(), vec!["hash".into()]), by_position]
    };
    Ok(Constructor {
        name: making.name.clone(),
        signatures,
        mismatches: Vec::new(),
        target: Target::Object(Arc::clone(object)),
    })
}

/// Whether an Object type and its ancestors are defined. What is being defined may have others later.
fn is_settled(object: &ObjectType) -> bool {
    let ancestors = object.ancestors();
    ancestors.iter().all(|of| of.definition.get().is_some())
        && ancestors.last().is_some_and(|of| of.parent().is_none())
}

/// Whether it is decided for good that a type accepts `undef`: what is in Object types does not matter, and
/// `Init` asks other constructors.
fn is_decided(of: &Type) -> bool {
    let (mut seen, mut pending) = (FxHashSet::default(), vec![of.clone()]);
    while let Some(of) = pending.pop() {
        match of.kind() {
            TypeKind::Object(_) | TypeKind::TypeSet(_) => continue,
            TypeKind::Reference(_) | TypeKind::Init { .. } => return false,
            TypeKind::Alias(alias) => {
                if alias.target.get().is_none() {
                    return false;
                }
                if !seen.insert(Arc::as_ptr(alias)) {
                    continue;
                }
            }
            _ => {}
        }
        of.each_part(&mut |part| pending.push(part.clone()));
    }
    true
}

/// How instances of an Object type are made; found out once for a type that is complete.
///
/// # Errors
/// As [`object_parameters`].
pub(crate) fn making<'o>(object: &'o ObjectType, pending: Pending<'_>) -> Result<Cow<'o, Making>, Error> {
    if let Some(known) = object.making.get().filter(|_| pending.is_none()) {
        return Ok(Cow::Borrowed(known));
    }
    let (parameters, required) = object_parameters_amid(object, pending)?;
    let by_hash = callable(vec![object.init_hash_type_amid(pending)?], 1);
    let (names, types): (Vec<_>, Vec<_>) = parameters.into_iter().unzip();
    let least = object.init_attributes().iter().filter(|(.., attribute)| attribute.value.is_none()).count();
    let name = format!("new_{}", object.name).into();
    let made = Making { name, names, least, by_hash, by_position: callable(types, required) };
    if pending.is_none()
        && is_settled(object)
        && [&made.by_hash, &made.by_position].into_iter().all(is_decided)
    {
        return Ok(Cow::Borrowed(object.making.get_or_init(|| made)));
    }
    Ok(Cow::Owned(made))
}

/// The single argument types that `Init[T]` accepts: T itself, and the types that its `new` accepts as its
/// only argument or before the given arguments.
///
/// # Errors
/// T has no constructor, or the arguments do not match.
pub(crate) fn init_single_type(
    init: &Type,
    of: &Type,
    arguments: &[Value],
    pending: Pending<'_>,
) -> Result<(Type, Vec<Type>), Error> {
    init_types(init, of, arguments, 0, pending)
}

fn init_types(
    init: &Type,
    of: &Type,
    arguments: &[Value],
    depth: usize,
    pending: Pending<'_>,
) -> Result<(Type, Vec<Type>), Error> {
    let pending = &guard::Init { this: init, outer: pending };
    let pending = Pending::with(pending);
    let refused = || Error::argument(format!("Creation of new instance of type '{of}' is not supported"));
    if matches!(of.kind(), TypeKind::Init { .. } | TypeKind::Optional(_) | TypeKind::NotUndef(_)) {
        return Err(refused());
    }
    let constructor = constructor_at(of, depth + 1, pending).map_err(|error| match error.kind {
        bunraku_syntax::diagnostic::ErrorKind::Argument => refused(),
        _ => error,
    })?;
    let tuples: Vec<(Type, Vec<Type>, IntRange)> = constructor
        .signatures
        .iter()
        .filter_map(|signature| {
            let TypeKind::Callable(CallableType { parameters: Some(tuple), .. }) = signature.callable.kind()
            else {
                return None;
            };
            let TypeKind::Tuple { types, size } = tuple.kind() else { return None };
            Some((tuple.clone(), types.clone(), Type::tuple_size(types, *size)))
        })
        .collect();
    let mut singles = vec![of.clone()];
    let mut others = Vec::new();
    if arguments.is_empty() {
        for (tuple, types, size) in tuples {
            match types.first() {
                Some(first) if size.from == Some(1) && size.to == Some(1) => singles.push(first.clone()),
                _ => others.push(tuple),
            }
        }
    } else {
        let count = i64::try_from(arguments.len() + 1).unwrap_or(i64::MAX);
        let given: Vec<Type> = arguments.iter().map(Type::infer_set).collect();
        let mut firsts = Vec::new();
        for (tuple, types, size) in tuples {
            let Some(first) = types.into_iter().next().filter(|_| size.includes(count)) else { continue };
            let with: Vec<Type> = std::iter::once(first.clone()).chain(given.clone()).collect();
            if pending.check_assignable(&tuple, &Type::tuple(with, None))? {
                firsts.push(first);
            }
        }
        if firsts.is_empty() {
            let name = of.name().unwrap_or_default();
            return Err(Error::argument(format!(
                "The type '{init}' does not represent a valid set of parameters for {name}.new()"
            )));
        }
        singles.extend(firsts);
    }
    Ok((Type::variant(singles), others))
}

fn of_init(
    init: &Type,
    of: &Type,
    arguments: &[Value],
    depth: usize,
    pending: Pending<'_>,
) -> Result<Constructor, Error> {
    // An Init that contains itself is asked for its constructor before it is known what that takes.
    let single =
        if pending.includes(init) { of.clone() } else { init_types(init, of, arguments, depth, pending)?.0 };
    build(&Target::Init { of: of.clone(), arguments: arguments.to_vec(), single })
}

/// Which signature arguments match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Matched {
    /// One that makes a value.
    Signature(usize),
    /// A signature that reports the error.
    Mismatch(usize),
}

impl Constructor {
    /// Finds the signature that arguments match.
    ///
    /// # Errors
    /// Why they match none.
    pub(crate) fn find(&self, arguments: &[Value]) -> Result<Matched, Error> {
        let given = Value::from(arguments.to_vec());
        for (index, signature) in self.signatures.iter().enumerate() {
            if signature.callable.check_callable_with(&given, None)? {
                return Ok(Matched::Signature(index));
            }
        }
        for (index, signature) in self.mismatches.iter().enumerate() {
            if signature.callable.check_callable_with(&given, None)? {
                return Ok(Matched::Mismatch(index));
            }
        }
        let signatures: Vec<&Signature> = self.signatures.iter().collect();
        let of_arguments = Type::of_arguments(arguments, None);
        Err(Error::argument(mismatch::describe_signatures(&self.name, &signatures, &of_arguments)))
    }
}
