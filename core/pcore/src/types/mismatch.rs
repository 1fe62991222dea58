//! Describes why a value does not match a type. Follows the reference's `type_mismatch_describer.rb`.
//!
//! A `Mismatch` is one reason with the path to its place. The merging (of the members of a Variant, the
//! signatures of a function) and the wording are exactly the reference's.

use std::fmt::Write;

use super::assign::or_any;
use super::guard::MAX_DEPTH;
use super::{CallableType, IntRange, Member, Members, Signature, Type, TypeKind, explain};
use crate::data::value::{Str, Value};
use bunraku_syntax::diagnostic::Error;

/// One step of the path to a mismatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Named(String),
    EntryValue(Str),
    EntryKey(Str),
    Parameter(Str),
    Return,
    Block,
    Index(usize),
    Variant(usize),
    Signature(usize),
}

impl Step {
    fn text(&self) -> String {
        match self {
            Self::Named(text) => text.clone(),
            Self::EntryValue(key) => format!("entry '{key}'"),
            Self::EntryKey(key) => format!("key of entry '{key}'"),
            Self::Parameter(name) => format!("parameter '{name}'"),
            Self::Return => "return".to_owned(),
            Self::Block => "block".to_owned(),
            Self::Index(index) => format!("index {index}"),
            Self::Variant(index) => format!("variant {index}"),
            Self::Signature(index) => format!("{}.", index + 1),
        }
    }
}

/// The kind of mismatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    MissingKey(Str),
    MissingParameter(Str),
    ExtraneousKey(Str),
    InvalidParameter(Str),
    UnexpectedBlock,
    MissingRequiredBlock,
    UnresolvedReference(Str),
    Type { expected: Type, actual: Type },
    Pattern { expected: Type, actual: Type },
    Size { expected: IntRange, actual: IntRange },
    Count { expected: IntRange, actual: IntRange },
}

/// A reason with the path to it.
#[derive(Clone, Debug)]
pub(super) struct Mismatch {
    path: Vec<Step>,
    pub reason: Reason,
}

impl Mismatch {
    fn new(path: &[Step], reason: Reason) -> Self {
        Self { path: path.to_vec(), reason }
    }

    pub fn of_types(path: &[Step], expected: &Type, actual: &Type) -> Self {
        let reason = Reason::Type { expected: expected.normalize(), actual: actual.normalize() };
        Self::new(path, reason)
    }

    pub fn of_pattern(path: &[Step], expected: &Type, actual: &Type) -> Self {
        let reason = Reason::Pattern { expected: expected.normalize(), actual: actual.normalize() };
        Self::new(path, reason)
    }

    /// Whether this repeats the other one. The reference wrongly compares mismatches whose reasons have
    /// details: these never count as repeated.
    fn repeats(&self, other: &Self) -> bool {
        matches!(self.reason, Reason::UnexpectedBlock | Reason::MissingRequiredBlock)
            && self.reason == other.reason
            && self.canonical_path().eq(other.canonical_path())
    }

    /// The path without the steps into members of Variants and signatures.
    fn canonical_path(&self) -> impl Iterator<Item = &Step> {
        self.path.iter().filter(|step| !matches!(step, Step::Variant(_) | Step::Signature(_)))
    }

    /// The same mismatch without one step.
    fn without_step(&self, index: usize) -> Self {
        let mut chopped = self.clone();
        if index < chopped.path.len() {
            chopped.path.remove(index);
        }
        chopped
    }

    /// Both as one.
    fn merge(&self, other: &Self) -> Self {
        let union = |a: &Type, b: &Type| {
            if a == b { a.normalize() } else { Type::variant([a.clone(), b.clone()]).normalize() }
        };
        let hull = |a: IntRange, b: IntRange| {
            let from = a.from.unwrap_or(0).min(b.from.unwrap_or(0));
            IntRange::new(Some(from), a.to.zip(b.to).map(|(a, b)| a.max(b)))
        };
        let reason = match (&self.reason, &other.reason) {
            (
                Reason::Type { expected, actual },
                Reason::Type { expected: b, .. } | Reason::Pattern { expected: b, .. },
            ) => Reason::Type { expected: union(expected, b), actual: actual.normalize() },
            (
                Reason::Pattern { expected, actual },
                Reason::Type { expected: b, .. } | Reason::Pattern { expected: b, .. },
            ) => Reason::Pattern { expected: union(expected, b), actual: actual.normalize() },
            (
                Reason::Size { expected, actual },
                Reason::Size { expected: b, .. } | Reason::Count { expected: b, .. },
            ) => Reason::Size { expected: hull(*expected, *b), actual: *actual },
            (
                Reason::Count { expected, actual },
                Reason::Size { expected: b, .. } | Reason::Count { expected: b, .. },
            ) => Reason::Count { expected: hull(*expected, *b), actual: *actual },
            (reason, _) => reason.clone(),
        };
        Self::new(&self.path, reason)
    }

    /// The mismatch in words, beginning with a blank.
    fn text(&self) -> String {
        let mut path = self.path.as_slice();
        let mut variant = String::new();
        if let [Step::Signature(_), rest @ ..] = path {
            variant = format!(" {}", self.path[0].text());
            path = rest;
        }
        let position = if path.is_empty() {
            String::new()
        } else {
            format!(" {}", path.iter().map(Step::text).collect::<Vec<_>>().join(" "))
        };
        let at = format!("{variant}{position}");
        match &self.reason {
            Reason::MissingKey(key) => format!("{at} expects a value for key '{key}'"),
            Reason::MissingParameter(key) => format!("{at} expects a value for parameter '{key}'"),
            Reason::ExtraneousKey(key) => format!("{at} unrecognized key '{key}'"),
            Reason::InvalidParameter(key) => format!("{at} has no parameter named '{key}'"),
            Reason::UnexpectedBlock => format!("{at} does not expect a block"),
            Reason::MissingRequiredBlock => format!("{at} expects a block"),
            Reason::UnresolvedReference(name) => format!("{at} references an unresolved type '{name}'"),
            Reason::Type { expected, actual } => format!("{at} {}", explain::types(expected, actual)),
            Reason::Pattern { expected, actual } => format!("{at} {}", explain::pattern(expected, actual)),
            Reason::Size { expected, actual } => format!(
                "{at} expects size to be {}, got {}",
                explain::range(*expected, "0"),
                explain::range(*actual, "0")
            ),
            Reason::Count { expected, actual } => {
                let (least, most) = (expected.from.unwrap_or(0), expected.to);
                let is_one =
                    (least == 1 && most.is_none_or(|most| most == 1)) || (least == 0 && most == Some(1));
                format!(
                    "{at} expects {} argument{}, got {}",
                    explain::range(*expected, "no"),
                    if is_one { "" } else { "s" },
                    explain::range(*actual, "none")
                )
            }
        }
    }
}

/// The reasons why `actual` does not match `expected`; the text begins with `name`. Empty if it matches.
pub fn describe(name: &str, expected: &Type, actual: &Type) -> String {
    let errors = describe_at(expected, actual, &[Step::Named(name.to_owned())], 0);
    match errors.as_slice() {
        [one] => one.text().trim().to_owned(),
        _ => join(&errors),
    }
}

impl Type {
    /// The reason why a value is not an instance of this type, about `name` (which can be empty); `None` if
    /// it is one.
    pub fn mismatch(&self, name: &str, value: &Value) -> Option<String> {
        (!self.is_instance(value)).then(|| describe(name, self, &Type::infer_set(value)))
    }
}

fn join(errors: &[Mismatch]) -> String {
    errors.iter().map(Mismatch::text).collect::<Vec<_>>().join("\n ")
}

/// Fails with the mismatches about `subject`, if there are any.
fn fail(subject: &str, errors: &[Mismatch]) -> Result<(), Error> {
    match errors {
        [] => Ok(()),
        [one] => Err(Error::plain(format!("{subject}:{}", one.text()))),
        _ => Err(Error::plain(format!("{subject}:\n {}", join(errors)))),
    }
}

/// Returns the declared result type of a Deferred's function.
pub type DeferredType<'a> = dyn Fn(&Value) -> Result<Option<Type>, Error> + 'a;

/// Checks named arguments against the parameters of a class, defined type or template, given as a Struct.
/// `missing_ok` ignores missing parameters; `deferred_type` returns the declared result type of a Deferred's
/// function.
///
/// # Errors
/// Every mismatch, about `subject`, or an error of `deferred_type`.
pub fn validate_parameters(
    subject: &str,
    parameters: &Type,
    given: &[(Str, Value)],
    missing_ok: bool,
    deferred_type: &DeferredType<'_>,
) -> Result<(), Error> {
    fail(subject, &describe_parameters(parameters, given, missing_ok, deferred_type)?)
}

/// Like [`validate_parameters`], for the parameters of resources: references to classes are resources in a
/// catalog.
///
/// # Errors
/// Every mismatch, about `subject`, or an error of `deferred_type`.
pub fn validate_resource_parameters(
    subject: &str,
    parameters: &Type,
    given: &[(Str, Value)],
    deferred_type: &DeferredType<'_>,
) -> Result<(), Error> {
    if !given.iter().any(|(_, value)| holds_class(value, 0)) {
        return fail(subject, &describe_parameters(parameters, given, false, deferred_type)?);
    }
    let given: Vec<_> = given.iter().map(|(name, value)| (name.clone(), with_resources(value, 0))).collect();
    fail(subject, &describe_parameters(parameters, &given, false, deferred_type)?)
}

/// Whether a reference to a class is in a value.
fn holds_class(value: &Value, depth: u32) -> bool {
    depth < MAX_DEPTH
        && match value {
            Value::Type(of) => matches!(of.kind(), TypeKind::Class(Some(_))),
            Value::Array(values) => values.iter().any(|value| holds_class(value, depth + 1)),
            Value::Hash(hash) => {
                hash.iter().any(|(key, value)| holds_class(key, depth + 1) || holds_class(value, depth + 1))
            }
            _ => false,
        }
}

/// The value with references to classes as references to resources of the type `Class`.
fn with_resources(value: &Value, depth: u32) -> Value {
    if depth > MAX_DEPTH {
        return value.clone();
    }
    match value {
        Value::Type(of) => match of.kind() {
            TypeKind::Class(Some(name)) => {
                let title = super::format::capitalize_segments(name);
                Value::Type(Type::resource("Class", Some(title.into())))
            }
            _ => value.clone(),
        },
        Value::Array(values) => Value::array(values.iter().map(|value| with_resources(value, depth + 1))),
        Value::Hash(hash) => Value::hash(
            hash.iter()
                .map(|(key, value)| (with_resources(key, depth + 1), with_resources(value, depth + 1))),
        ),
        _ => value.clone(),
    }
}

fn describe_parameters(
    parameters: &Type,
    given: &[(Str, Value)],
    missing_ok: bool,
    deferred_type: &DeferredType<'_>,
) -> Result<Vec<Mismatch>, Error> {
    let TypeKind::Struct { members } = parameters.kind() else { return Ok(Vec::new()) };
    if fits(members, given, missing_ok) {
        return Ok(Vec::new());
    }
    let is_known = |name: &Str| members.iter().any(|member| member.name == name);
    let unknown = given.iter().filter(|(name, _)| !is_known(name));
    let mut errors: Vec<Mismatch> =
        unknown.map(|(name, _)| Mismatch::new(&[], Reason::InvalidParameter(name.clone()))).collect();
    for Member { name, key, value: expected } in members {
        let path = [Step::Parameter(name.clone())];
        match given.iter().find(|(given, _)| given == name) {
            Some((_, value)) if is_deferred(value) => {
                if let Some(returned) = deferred_type(value)?
                    && !expected.generalize().is_assignable(&returned.generalize())
                {
                    errors.extend(describe_at(expected, &returned, &path, 0));
                }
            }
            Some((_, value)) => {
                if !expected.check_instance(value)? {
                    errors.extend(describe_at(expected, &Type::infer_set(value), &path, 0));
                }
            }
            None if missing_ok || matches!(key.kind(), TypeKind::Optional(_)) => {}
            None => errors.push(Mismatch::new(&[], Reason::MissingParameter(name.clone()))),
        }
    }
    Ok(errors)
}

/// Whether all arguments match and none is deferred: most parameters need no further check.
fn fits(members: &Members, given: &[(Str, Value)], missing_ok: bool) -> bool {
    // The arguments usually have the order of the members: each search starts after the previous one.
    let mut is_given = vec![false; members.len()];
    let mut next = 0;
    let fit = given.iter().all(|(name, value)| {
        let named = |at: usize| members.get(at).filter(|member| member.name == name);
        let found = (next..members.len()).chain(0..next).find_map(|at| Some((at, named(at)?)));
        let Some((at, member)) = found else { return false };
        is_given[at] = true;
        next = at + 1;
        !is_deferred(value) && member.value.is_instance(value)
    });
    let is_optional = |member: Member<'_>| matches!(member.key.kind(), TypeKind::Optional(_));
    fit && (missing_ok || members.iter().zip(is_given).all(|(member, given)| given || is_optional(member)))
}

/// Whether a value is plainly one that a parameter of a resource takes: it is an instance, is not computed
/// later, and refers to no classes, whose references [`validate_resource_parameters`] takes for others.
pub fn fits_parameter(expected: &Type, value: &Value) -> bool {
    !is_deferred(value) && !holds_class(value, 0) && expected.is_instance(value)
}

/// Whether a value is computed later, by the agent.
pub fn is_deferred(value: &Value) -> bool {
    matches!(value, Value::Object(object) if object.object_type.name == "Deferred")
}

/// The reason why arguments match none of the signatures of `name` (`lambda` for a block).
pub fn describe_signatures(name: &str, signatures: &[&Signature], arguments: &Type) -> String {
    let mut errors: Vec<Vec<Mismatch>> = signatures
        .iter()
        .enumerate()
        .map(|(index, signature)| describe_arguments(signature, arguments, &[Step::Signature(index)]))
        .collect();
    if errors.iter().any(Vec::is_empty) {
        let blocks: Vec<Vec<Mismatch>> = signatures
            .iter()
            .enumerate()
            .map(|(index, signature)| describe_block(signature, arguments, &[Step::Signature(index)]))
            .collect();
        if blocks.iter().all(|block| !block.is_empty()) {
            errors = blocks;
        } else {
            for (errors, block) in errors.iter_mut().zip(blocks) {
                if errors.is_empty() {
                    *errors = block;
                }
            }
        }
    }
    let label = if name == "lambda" { "block".to_owned() } else { format!("'{name}'") };
    let is_count = |mismatch: &Mismatch| matches!(mismatch.reason, Reason::Count { .. });
    let merged = merge(0, &is_count, &errors);
    if let [one] = merged.as_slice() {
        return format!("{label}{}", one.text());
    }
    let mut text = match signatures {
        [only] => format!("{label} expects ({})", signature_text(only)),
        _ => format!("The function {label} was called with arguments it does not accept. It expects one of:"),
    };
    for (signature, errors) in signatures.iter().zip(&errors) {
        let margin = if signatures.len() == 1 {
            "  "
        } else {
            let _ = write!(text, "\n  ({})", signature_text(signature));
            "    "
        };
        for error in errors {
            let _ = write!(text, "\n{margin}rejected:{}", error.without_step(0).text());
        }
    }
    text
}

/// The types of the parameters with the sizes that they allow.
fn parameters(callable: &Type) -> (Vec<Type>, IntRange, Option<Type>) {
    let TypeKind::Callable(CallableType { parameters, block, .. }) = callable.kind() else {
        return (Vec::new(), IntRange::ANY_SIZE, None);
    };
    match parameters.as_ref().map(Type::kind) {
        Some(TypeKind::Tuple { types, size }) => {
            (types.clone(), Type::tuple_size(types, *size), block.clone())
        }
        _ => (Vec::new(), IntRange::ANY_SIZE, block.clone()),
    }
}

fn describe_arguments(signature: &Signature, arguments: &Type, path: &[Step]) -> Vec<Mismatch> {
    let (expected, expected_size, _) = parameters(&signature.callable);
    let (actual, mut actual_size) = match arguments.kind() {
        TypeKind::Tuple { types, size } => (types.clone(), Type::tuple_size(types, *size)),
        TypeKind::Array { element, size } => {
            (vec![or_any(element.as_ref()); expected.len()], size.unwrap_or(IntRange::ANY_SIZE))
        }
        _ => {
            let tuple = Type::tuple(expected, Some(expected_size));
            return vec![Mismatch::of_types(path, &tuple, arguments)];
        }
    };
    let mut count = actual.len();
    if actual.last().is_some_and(|last| last.is_kind_of_callable(true)) {
        count -= 1;
        actual_size = IntRange::exactly(count);
    }
    if !expected_size.covers(&actual_size) {
        return vec![Mismatch::new(path, Reason::Count { expected: expected_size, actual: actual_size })];
    }
    for (index, actual) in actual.iter().take(count).enumerate() {
        let at = index.min(expected.len().saturating_sub(1));
        let Some(expected) = expected.get(at) else { break };
        if !expected.is_assignable(actual) {
            let name = signature.parameter_names.get(at).cloned().unwrap_or_default();
            let descriptions = describe_at(expected, actual, &extend(path, Step::Parameter(name)), 0);
            if !descriptions.is_empty() {
                return descriptions;
            }
        }
    }
    Vec::new()
}

fn describe_block(signature: &Signature, arguments: &Type, path: &[Step]) -> Vec<Mismatch> {
    let (_, _, expected) = parameters(&signature.callable);
    let actual = match arguments.kind() {
        TypeKind::Tuple { types, .. } => types.last().filter(|last| last.is_kind_of_callable(true)),
        _ => None,
    };
    match (expected, actual) {
        (None, Some(_)) => vec![Mismatch::new(path, Reason::UnexpectedBlock)],
        (Some(expected), Some(actual)) => describe_at(&expected, actual, &extend(path, Step::Block), 0),
        (None, None) => Vec::new(),
        (Some(expected), None) if expected.is_assignable(&Type::undef()) => Vec::new(),
        (Some(_), None) => vec![Mismatch::new(path, Reason::MissingRequiredBlock)],
    }
}

fn extend(path: &[Step], step: Step) -> Vec<Step> {
    let mut path = path.to_vec();
    path.push(step);
    path
}

/// Merges mismatches that are the same for every member.
pub(super) fn merge(
    varying: usize,
    is_size: &dyn Fn(&Mismatch) -> bool,
    members: &[Vec<Mismatch>],
) -> Vec<Mismatch> {
    let mut descriptions: Vec<Mismatch> = members.concat();
    let classes: [&dyn Fn(&Mismatch) -> bool; 4] = [
        is_size,
        &|mismatch| mismatch.reason == Reason::MissingRequiredBlock,
        &|mismatch| mismatch.reason == Reason::UnexpectedBlock,
        &|mismatch| matches!(mismatch.reason, Reason::Type { .. } | Reason::Pattern { .. }),
    ];
    for class in classes {
        let mut selected = descriptions.iter().filter(|mismatch| class(mismatch));
        if selected.clone().count() != members.len() {
            continue;
        }
        let Some(first) = selected.next() else { continue };
        let merged = selected.try_fold(first.clone(), |merged, next| {
            merged.canonical_path().eq(next.canonical_path()).then(|| merged.merge(next))
        });
        if let Some(merged) = merged {
            descriptions = vec![merged];
            break;
        }
    }
    let mut unique: Vec<Mismatch> = Vec::new();
    for description in descriptions {
        if !unique.iter().any(|known| description.repeats(known)) {
            unique.push(description);
        }
    }
    match unique.as_slice() {
        [one] => vec![one.without_step(varying)],
        _ => unique,
    }
}

/// The mismatches of two types. A name that cannot be resolved is the only reason if there is one.
fn describe_at(expected: &Type, actual: &Type, path: &[Step], depth: u32) -> Vec<Mismatch> {
    if depth > MAX_DEPTH {
        return Vec::new();
    }
    if let Some(unresolved) = expected.unresolved_reference()
        && let TypeKind::Reference(name) = unresolved.kind()
    {
        return vec![Mismatch::new(path, Reason::UnresolvedReference(name.clone()))];
    }
    Comparison { original: expected, actual, path, depth: depth + 1 }.with(&expected.normalize())
}

/// A type that is compared with an expected one.
pub(super) struct Comparison<'c> {
    /// The expected type as it is written.
    pub original: &'c Type,
    /// The actual type.
    pub actual: &'c Type,
    /// Its place.
    pub path: &'c [Step],
    /// The nesting.
    depth: u32,
}

impl Comparison<'_> {
    /// The mismatches with an expected type in its simplest form.
    fn with(&self, expected: &Type) -> Vec<Mismatch> {
        if self.depth > MAX_DEPTH {
            return Vec::new();
        }
        expected.kind().ask(|family| family.mismatches(expected, self))
    }

    /// The mismatches with the resolved expected type; `original` is shown as the expected type.
    pub fn with_target(&self, target: &Type, original: &Type) -> Vec<Mismatch> {
        Comparison { original, actual: self.actual, path: self.path, depth: self.depth + 1 }.with(target)
    }

    /// As this one, of other types at the same place.
    pub fn of<'o>(&'o self, original: &'o Type, actual: &'o Type) -> Comparison<'o> {
        Comparison { original, actual, path: self.path, depth: self.depth }
    }

    /// The mismatches of a part.
    pub fn part(&self, step: Step, expected: &Type, actual: &Type) -> Vec<Mismatch> {
        describe_at(expected, actual, &extend(self.path, step), self.depth + 1)
    }

    /// The mismatch that the types differ.
    pub fn mismatch(&self) -> Vec<Mismatch> {
        self.mismatch_with(self.actual)
    }

    /// The mismatch that the types differ, showing another actual type.
    pub fn mismatch_with(&self, actual: &Type) -> Vec<Mismatch> {
        vec![Mismatch::of_types(self.path, self.original, actual)]
    }

    /// The mismatch that a part has another type.
    pub fn mismatch_at(&self, step: Step, expected: &Type, actual: &Type) -> Vec<Mismatch> {
        vec![Mismatch::of_types(&extend(self.path, step), expected, actual)]
    }

    /// One mismatch.
    pub fn one(&self, reason: Reason) -> Vec<Mismatch> {
        vec![Mismatch::new(self.path, reason)]
    }
}

/// A signature as it is shown: `Integer a, String b?`.
fn signature_text(signature: &Signature) -> String {
    let (types, size, block) = parameters(&signature.callable);
    let (from, to) = (size.from.unwrap_or(0), size.to);
    if (from, to) == (0, Some(0)) {
        return String::new();
    }
    let required = usize::try_from(from).unwrap_or(usize::MAX);
    let unnamed = vec![Str::new(); types.len()];
    let names = if signature.parameter_names.is_empty() { &unnamed } else { &signature.parameter_names };
    let mut parts: Vec<String> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let Some(mut of) = types.get(index).or(types.last()).map(Some) else { continue };
        let mut indicator = "";
        if to.is_none() && index + 1 == names.len() {
            indicator = if required == names.len() { "+" } else { "*" };
        } else if index + 1 > required {
            indicator = "?";
            // A bare Optional has nothing inside that could be shown.
            if let Some(TypeKind::Optional(inner)) = of.map(Type::kind) {
                of = inner.as_ref();
            }
        }
        let shown = of.map(Type::to_string).unwrap_or_default();
        parts.push(format!("{shown} {name}{indicator}"));
    }
    let block_name = signature.block_name.as_deref().unwrap_or_default();
    match block.as_ref().map(|block| (block, block.kind())) {
        Some((_, TypeKind::Optional(Some(inner)))) => parts.push(format!("{inner} {block_name}?")),
        Some((block, TypeKind::Callable(_))) => parts.push(format!("{block} {block_name}")),
        _ => {}
    }
    parts.join(", ")
}
