//! Iteration: `each`, `map`, `filter`, `reduce`, `slice`, `all`, `any`, `index`, `step`, `reverse_each`,
//! `tree_each`.
//!
//! A block with one parameter gets an element (of a hash, an array of key and value), one with two gets index
//! and element (of a hash, key and value). `break()` in the block ends most iterations; where the reference
//! lets it pass it passes here too, and ends the iteration around this one or is an error.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::ruby;
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated, Repeated, Unwind};
use bunraku_pcore::Value;
use bunraku_pcore::big;
use bunraku_pcore::iterate::{self, Elements};
use bunraku_pcore::size_cache::ValueSize;
use bunraku_pcore::types::{NoTypes, Type, TypeKind};
use bunraku_pcore::value::{Hash, IteratorKind, List, TreeOptions};
use bunraku_syntax::diagnostic::Error;

/// A function with a block of one or two parameters over hashes and other sequences.
macro_rules! walking {
    ($name:literal, $body:ident $(, $more:expr)*) => {
        BuiltIn::new(
            $name,
            &[
                Dispatch::new("Hash[Any, Any] $hash, Callable[2,2] &block", |call| $body(Walk::HASH_BY_TWO.of(call))),
                Dispatch::new("Hash[Any, Any] $hash, Callable[1,1] &block", |call| $body(Walk::HASH_BY_ONE.of(call))),
                Dispatch::new("Iterable $enumerable, Callable[2,2] &block", |call| $body(Walk::BY_TWO.of(call))),
                Dispatch::new("Iterable $enumerable, Callable[1,1] &block", |call| $body(Walk::BY_ONE.of(call))),
                $($more),*
            ],
        )
    };
}

const TREE: &str =
    "Variant[Iterator, Array, Hash, Object] $tree, OptionsType? $options, Callable[2,2] &block";
const TREE_OF_VALUES: &str =
    "Variant[Iterator, Array, Hash, Object] $tree, OptionsType? $options, Callable[1,1] &block";
const TREE_ITERATOR: &str = "Variant[Iterator, Array, Hash, Object] $tree, OptionsType? $options";

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    walking!("all", all),
    walking!("any", any),
    walking!("each", each).only_in_4x(),
    walking!("filter", filter).only_in_4x(),
    walking!("map", map).only_in_4x(),
    walking!(
        "index",
        index,
        Dispatch::new("String $str, Variant[String,Regexp] $match", index_of_text),
        Dispatch::new("Iterable $enumerable, Any $match", index_of_value)
    ),
    BuiltIn::new(
        "reduce",
        &[
            Dispatch::new("Iterable $enumerable, Callable[2,2] &block", reduce),
            Dispatch::new("Iterable $enumerable, Any $memo, Callable[2,2] &block", reduce_with_memo),
        ],
    )
    .only_in_4x(),
    BuiltIn::new(
        "reverse_each",
        &[
            Dispatch::new("Iterable $iterable", reverse_each),
            Dispatch::new("Iterable $iterable, Callable[1,1] &block", reverse_each_with_block),
        ],
    )
    .only_in_4x(),
    BuiltIn::new(
        "slice",
        &[
            Dispatch::new("Hash[Any, Any] $hash, Integer[1, default] $slice_size, Callable? &block", slice),
            Dispatch::new("Iterable $enumerable, Integer[1, default] $slice_size, Callable? &block", slice),
        ],
    )
    .only_in_4x(),
    BuiltIn::new(
        "step",
        &[
            Dispatch::new("Iterable $iterable, Integer[1] $step", step),
            Dispatch::new("Iterable $iterable, Integer[1] $step, Callable[1,1] &block", step_with_block),
        ],
    )
    .only_in_4x(),
    BuiltIn::new(
        "tree_each",
        &[
            Dispatch::new(TREE, tree_each_with_path),
            Dispatch::new(TREE_OF_VALUES, tree_each_value),
            Dispatch::new(TREE_ITERATOR, tree_each),
        ],
    )
    .with_local_types(&[
        "OptionsType = Struct[{ container_type => Optional[Type], include_root => Optional[Boolean], \
         include_containers => Optional[Boolean], include_values => Optional[Boolean], \
         order => Optional[Enum[depth_first, breadth_first]], include_refs => Optional[Boolean] }]",
    ]),
];

/// The elements of the first argument.
pub(super) fn elements(call: &Call<'_, '_>) -> Result<Elements, Unwind> {
    iterate::elements(call.argument(0)).ok_or_else(|| not_iterable(call))
}

/// The elements of the first argument that no walk has taken yet.
fn untaken(call: &Call<'_, '_>) -> Result<Elements, Unwind> {
    iterate::walk(call.argument(0)).ok_or_else(|| not_iterable(call))
}

fn not_iterable(call: &Call<'_, '_>) -> Unwind {
    let class = ruby::class_name(call.argument(0));
    call.fail(format!("{}(): wrong argument type ({class}; is not Iterable.", call.name))
}

/// Values that a function gathers for its result, as many as a value may hold.
pub(super) struct Gathered<'a, 'b, 'e> {
    call: &'a Call<'b, 'e>,
    total: ValueSize,
    pub values: Vec<Value>,
}

impl<'a, 'b, 'e> Gathered<'a, 'b, 'e> {
    pub(super) fn new(call: &'a Call<'b, 'e>) -> Self {
        Self { call, total: ValueSize::EMPTY, values: Vec::new() }
    }

    /// Adds a value, and counts a step.
    pub(super) fn push(&mut self, value: Value) -> Evaluated<()> {
        self.call.charge_steps(1)?;
        self.total.add(value.value_size());
        self.call.evaluator.usage.check_value_size(self.total.size - ValueSize::ONE)?;
        self.values.push(value);
        Ok(())
    }

    /// The list of the values, whose size is known.
    fn into_list(self) -> Value {
        List::measured(self.values, self.total).into()
    }
}

/// The pairs of the first argument, which is a hash.
fn pairs(call: &Call<'_, '_>) -> Arc<Hash> {
    match call.argument(0) {
        Value::Hash(hash) => Arc::clone(hash),
        _ => Arc::default(),
    }
}

fn entry(key: &Value, value: &Value) -> Value {
    Value::array([key.clone(), value.clone()])
}

fn index_value(index: usize) -> Value {
    Value::Integer(index as i64)
}

/// The value of a block, or none when the block breaks.
fn unless_break(result: Evaluated) -> Evaluated<Option<Value>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Unwind::Break(_)) => Ok(None),
        Err(other) => Err(other),
    }
}

/// How a function goes through its first argument.
#[derive(Clone, Copy)]
struct Walk {
    /// Whether the argument matched as a hash.
    is_hash: bool,
    /// Whether the block has two parameters: key and value, or index and element.
    by_two: bool,
}

/// The effect of `break()` in the block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AtBreak {
    /// Ends the walk, which begins with the elements that no other walk has taken.
    Ends,
    /// Passes through the function, unless the value that is walked ends itself.
    Passes,
}

/// An element on the way.
enum Element<'w> {
    /// For a hash: key and value.
    Entry(&'w Value, &'w Value),
    /// For anything else: the index, and the element.
    Item(usize, &'w Value),
}

impl Walk {
    const HASH_BY_TWO: Self = Self { is_hash: true, by_two: true };
    const HASH_BY_ONE: Self = Self { is_hash: true, by_two: false };
    const BY_TWO: Self = Self { is_hash: false, by_two: true };
    const BY_ONE: Self = Self { is_hash: false, by_two: false };

    fn of<'a, 'b, 'e>(self, call: &'a Call<'b, 'e>) -> Walking<'a, 'b, 'e> {
        Walking { walk: self, call, only_values: false }
    }
}

/// A walk during a call.
struct Walking<'a, 'b, 'e> {
    walk: Walk,
    call: &'a Call<'b, 'e>,
    /// Whether a block with one parameter gets the value of an entry, and not the entry.
    only_values: bool,
}

impl<'b> Walking<'_, 'b, '_> {
    /// Passes each element to the block, and the block's result to `visit`, which returns whether to
    /// continue.
    fn run(
        &self,
        at_break: AtBreak,
        mut visit: impl FnMut(&Element<'_>, Value) -> Evaluated<ControlFlow<()>>,
    ) -> Evaluated<()> {
        let call = self.call;
        let passes = at_break == AtBreak::Passes && !iterate::walks_itself(call.argument(0));
        let mut repeated = Repeated::default();
        let mut step = |element: Element<'_>| -> Evaluated<ControlFlow<()>> {
            let answer = self.ask(&mut repeated, &element);
            match if passes { answer.map(Some) } else { unless_break(answer) }? {
                Some(answer) => visit(&element, answer),
                None => Ok(ControlFlow::Break(())),
            }
        };
        if self.walk.is_hash {
            for (key, value) in &*pairs(call) {
                if step(Element::Entry(key, value))?.is_break() {
                    return Ok(());
                }
            }
            return Ok(());
        }
        if let Value::Array(values) = call.argument(0) {
            for (index, element) in values.iter().enumerate() {
                if step(Element::Item(index, element))?.is_break() {
                    break;
                }
            }
            return Ok(());
        }
        let elements =
            if at_break == AtBreak::Ends && !self.walk.by_two { untaken(call)? } else { elements(call)? };
        for (index, element) in elements.enumerate() {
            if step(Element::Item(index, &element))?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The result of the block for an element.
    fn ask(&self, repeated: &mut Repeated<'b>, element: &Element<'_>) -> Evaluated {
        let call = self.call;
        match *element {
            Element::Entry(key, value) if self.walk.by_two => {
                call.yield_again(repeated, [key.clone(), value.clone()])
            }
            Element::Entry(_, value) if self.only_values => call.yield_again(repeated, [value.clone()]),
            Element::Entry(key, value) => call.yield_again(repeated, [entry(key, value)]),
            Element::Item(index, element) if self.walk.by_two => match element {
                Value::Array(pair) if iterate::is_hash_style(call.argument(0)) => {
                    let part = |at: usize| pair.get(at).cloned().unwrap_or_default();
                    call.yield_again(repeated, [part(0), part(1)])
                }
                element => call.yield_again(repeated, [index_value(index), element.clone()]),
            },
            Element::Item(_, element) if self.only_values => {
                call.yield_again(repeated, [searched(call, element)])
            }
            Element::Item(_, element) => call.yield_again(repeated, [element.clone()]),
        }
    }

    /// Whether the block returns the same for all elements.
    fn is_always(&self, wanted: bool) -> Evaluated<bool> {
        let mut holds = true;
        self.run(AtBreak::Passes, |_, answer| {
            holds = answer.is_truthy() == wanted;
            Ok(if holds { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(holds)
    }
}

fn all(walking: Walking<'_, '_, '_>) -> Evaluated {
    Ok(walking.is_always(true)?.into())
}

fn any(walking: Walking<'_, '_, '_>) -> Evaluated {
    Ok((!walking.is_always(false)?).into())
}

fn each(walking: Walking<'_, '_, '_>) -> Evaluated {
    walking.run(AtBreak::Ends, |_, _| Ok(ControlFlow::Continue(())))?;
    Ok(walking.call.argument(0).clone())
}

fn map(walking: Walking<'_, '_, '_>) -> Evaluated {
    let mut mapped = Gathered::new(walking.call);
    walking.run(AtBreak::Ends, |_, answer| {
        mapped.push(answer)?;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(mapped.into_list())
}

fn filter(walking: Walking<'_, '_, '_>) -> Evaluated {
    let Walking { call, walk, .. } = walking;
    let (mut entries, mut items) = (Hash::default(), Gathered::new(call));
    let at_break = if walk.is_hash { AtBreak::Passes } else { AtBreak::Ends };
    walking.run(at_break, |element, answer| {
        match *element {
            _ if !answer.is_truthy() => {}
            Element::Entry(key, value) => {
                entries.insert(key.clone(), value.clone());
            }
            Element::Item(_, item) => items.push(item.clone())?,
        }
        Ok(ControlFlow::Continue(()))
    })?;
    if walk.is_hash {
        return Ok(entries.into());
    }
    if walk.by_two && iterate::is_hash_style(call.argument(0)) {
        return Ok(Value::hash(items.values.iter().map(path_and_value)));
    }
    Ok(items.into_list())
}

/// A block with one parameter gets the values of a hash, not its entries.
fn index(walking: Walking<'_, '_, '_>) -> Evaluated {
    let walking = Walking { only_values: true, ..walking };
    let mut found = Value::Undef;
    walking.run(AtBreak::Passes, |element, answer| {
        if !answer.is_truthy() {
            return Ok(ControlFlow::Continue(()));
        }
        found = match *element {
            Element::Entry(key, _) => key.clone(),
            Element::Item(index, item) => place(walking.call, index, item),
        };
        Ok(ControlFlow::Break(()))
    })?;
    Ok(found)
}

/// The place of an element: its index, or its key.
fn place(call: &Call<'_, '_>, index: usize, element: &Value) -> Value {
    if iterate::is_hash_style(call.argument(0)) { path_and_value(element).0 } else { index_value(index) }
}

/// The part of an element that is compared: the value of an entry.
fn searched(call: &Call<'_, '_>, element: &Value) -> Value {
    if iterate::is_hash_style(call.argument(0)) { path_and_value(element).1 } else { element.clone() }
}

fn index_of_text(call: &Call<'_, '_>) -> Evaluated {
    let text = call.text(0);
    let found = match call.argument(1) {
        Value::String(part) => text.find(part.as_str()),
        Value::Regexp(pattern) => {
            pattern.regex(call.fuel())?.find_at(text, 0, call.fuel())?.map(|(start, _)| start)
        }
        _ => None,
    };
    let characters = found.and_then(|at| text.get(..at)).map(|before| before.chars().count());
    Ok(characters.map_or(Value::Undef, index_value))
}

fn index_of_value(call: &Call<'_, '_>) -> Evaluated {
    let wanted = call.argument(1);
    for (index, element) in elements(call)?.enumerate() {
        call.charge_steps(1)?;
        if ruby::equals(&searched(call, &element), wanted) {
            return Ok(place(call, index, &element));
        }
    }
    Ok(Value::Undef)
}

fn reduce(call: &Call<'_, '_>) -> Evaluated {
    let mut elements = elements(call)?;
    match elements.next() {
        Some(first) => fold(call, elements, first),
        None => Ok(Value::Undef),
    }
}

fn reduce_with_memo(call: &Call<'_, '_>) -> Evaluated {
    fold(call, elements(call)?, call.argument(1).clone())
}

fn fold(call: &Call<'_, '_>, elements: Elements, mut memo: Value) -> Evaluated {
    let mut repeated = Repeated::default();
    for element in elements {
        let result =
            call.evaluator.lending(&mut memo, |memo| call.yield_again(&mut repeated, [memo, element]));
        match unless_break(result)? {
            Some(value) => memo = value,
            None => break,
        }
    }
    Ok(memo)
}

fn reverse_each(call: &Call<'_, '_>) -> Evaluated {
    elements(call)?;
    Ok(IteratorKind::Reverse { source: call.argument(0).clone() }.into())
}

fn reverse_each_with_block(call: &Call<'_, '_>) -> Evaluated {
    elements(call)?;
    let reversed = IteratorKind::Reverse { source: call.argument(0).clone() }.into();
    each_spread(call, iterate::elements(&reversed).into_iter().flatten())
}

fn stepper(call: &Call<'_, '_>) -> Evaluated {
    elements(call)?;
    let step = match call.argument(1) {
        Value::Integer(step) => step.unsigned_abs(),
        _ => 1,
    };
    match call.argument(0) {
        same @ Value::Iterator(_) if step == 1 => Ok(same.clone()),
        source => Ok(IteratorKind::Step { source: source.clone(), step }.into()),
    }
}

fn step(call: &Call<'_, '_>) -> Evaluated {
    stepper(call)
}

fn step_with_block(call: &Call<'_, '_>) -> Evaluated {
    let stepped = stepper(call)?;
    each_spread(call, iterate::walk(&stepped).into_iter().flatten())
}

/// Calls the block with each value. A block that does not have exactly one parameter gets the elements of a
/// collection as its arguments.
fn each_spread(call: &Call<'_, '_>, values: impl Iterator<Item = Value>) -> Evaluated {
    if call.block_arity() == Some(1) {
        return each_value(call, values);
    }
    for value in values {
        let arguments = spread(value);
        call.charge_steps(arguments.len())?;
        if unless_break(call.yield_block(&arguments))?.is_none() {
            break;
        }
    }
    Ok(Value::Undef)
}

fn each_value(call: &Call<'_, '_>, values: impl Iterator<Item = Value>) -> Evaluated {
    let mut repeated = Repeated::default();
    for value in values {
        if unless_break(call.yield_again(&mut repeated, [value]))?.is_none() {
            break;
        }
    }
    Ok(Value::Undef)
}

/// The arguments that Ruby's `*value` makes.
fn spread(value: Value) -> Vec<Value> {
    match &value {
        Value::Undef => Vec::new(),
        Value::Array(values) => values.to_vec(),
        Value::Hash(_) | Value::Iterator(_) => iterate::walk(&value).into_iter().flatten().collect(),
        Value::Type(of) => match of.kind() {
            TypeKind::Tuple { types, .. } | TypeKind::Variant(types) => {
                types.iter().cloned().map(Value::Type).collect()
            }
            _ => vec![value],
        },
        _ => vec![value],
    }
}

fn slice(call: &Call<'_, '_>) -> Evaluated {
    let elements = elements(call)?;
    let size = match call.argument(1) {
        Value::Integer(size) => usize::try_from(*size).unwrap_or(usize::MAX).max(1),
        Value::BigInteger(_) => return Err(big::too_big_for_long().into()),
        _ => 1,
    };
    let serving = serving_size(call, size)?;
    // Ruby makes no slice longer than what the iterator says its size is, unless that is zero.
    let size = match told_size(call.argument(0))? {
        Some(told) if told > 0 => size.min(told),
        Some(_) => usize::MAX,
        None => size,
    };
    let filler = if iterate::is_hash_style(call.argument(0)) { Value::array([]) } else { Value::Undef };
    let mut elements = elements.peekable();
    let mut slices = Gathered::new(call);
    while elements.peek().is_some() {
        let mut slice = Gathered::new(call);
        for element in elements.by_ref().take(size) {
            slice.push(element)?;
        }
        let mut slice = slice.values;
        let yielded = match serving {
            None => {
                slices.push(slice.into())?;
                continue;
            }
            Some(1) => call.yield_block(&[slice.into()]),
            Some(serving) => {
                call.evaluator.usage.check_count(serving)?;
                slice.resize(serving.max(slice.len()), filler.clone());
                call.yield_block(&slice)
            }
        };
        if unless_break(yielded)?.is_none() {
            break;
        }
    }
    Ok(if serving.is_some() { call.argument(0).clone() } else { slices.into_list() })
}

/// A range of integers with a step, which goes from its end if it is negative.
#[derive(Clone, Copy)]
struct Stepped {
    from: i128,
    to: i128,
    step: i128,
}

impl Stepped {
    /// The range that a value iterates over.
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Integer(count) => Some(Self { from: 0, to: i128::from(*count) - 1, step: 1 }),
            Value::Type(of) => match of.kind() {
                TypeKind::Integer(range) => {
                    Some(Self { from: i128::from(range.from?), to: i128::from(range.to?), step: 1 })
                }
                _ => None,
            },
            Value::Iterator(iterator) => match &iterator.kind {
                IteratorKind::Step { source, step } => {
                    let Self { mut from, mut to, step: inner } = Self::of(source)?;
                    let step = inner.checked_mul(i128::from(*step))?;
                    let beyond = (to - from).rem_euclid(step.abs());
                    match step < 0 {
                        true if beyond > 0 => from += step.abs() - beyond,
                        true => {}
                        false => to -= beyond,
                    }
                    Some(Self { from, to, step })
                }
                IteratorKind::Reverse { source } => {
                    let inner = Self::of(source)?;
                    Some(Self { step: -inner.step, ..inner })
                }
                IteratorKind::Tree { .. } => None,
            },
            _ => None,
        }
    }
}

/// The size that the reference's iterator over a value says it has. Ranges do not count their last number,
/// and steps leave out what is no whole step.
///
/// Errors: that of a tree is not known before it was walked.
fn told_size(value: &Value) -> Result<Option<usize>, Error> {
    if let Some(Stepped { from, to, step }) = Stepped::of(value) {
        return Ok(usize::try_from((to - from) / step.abs()).ok());
    }
    Ok(match value {
        Value::Array(values) => Some(values.len()),
        Value::Hash(hash) => Some(hash.len()),
        Value::String(text) => Some(text.chars().count()),
        Value::Iterator(iterator) => match &iterator.kind {
            IteratorKind::Step { source: Value::Iterator(tree), .. }
                if matches!(tree.kind, IteratorKind::Tree { .. }) =>
            {
                return Err(Error::argument("Not yet implemented - computes size lazily"));
            }
            IteratorKind::Step { source, step } => {
                let step = usize::try_from(*step).unwrap_or(usize::MAX).max(1);
                told_size(source)?.map(|size| size / step)
            }
            IteratorKind::Reverse { source } if !matches!(source, Value::Iterator(_)) => told_size(source)?,
            IteratorKind::Reverse { .. } | IteratorKind::Tree { .. } => None,
        },
        _ => None,
    })
}

/// The number of parameters of the block: one array, or the elements of a slice. `None` without a block.
fn serving_size(call: &Call<'_, '_>, slice_size: usize) -> Evaluated<Option<usize>> {
    let Some(arity) = call.block_arity() else { return Ok(None) };
    let serving = usize::try_from(arity).unwrap_or(slice_size);
    match serving {
        0 => Err(call.fail("slice(): block must define at least one parameter. Block has 0.")),
        _ if serving == 1 || serving == slice_size => Ok(Some(serving)),
        _ => {
            Err(Error::internal("slice(): the block takes neither one parameter nor as many as a slice has")
                .into())
        }
    }
}

fn tree(call: &Call<'_, '_>) -> Evaluated {
    let option = |name: &str| match call.argument(1) {
        Value::Hash(options) => options.get(&Value::from(name)).filter(|value| !value.is_undef()),
        _ => None,
    };
    let is_on = |name: &str| option(name).is_none_or(Value::is_truthy);
    let options = TreeOptions {
        breadth_first: option("order").and_then(Value::as_str) == Some("breadth_first"),
        include_root: is_on("include_root"),
        include_containers: is_on("include_containers"),
        include_values: is_on("include_values"),
        include_refs: option("include_refs").is_some_and(Value::is_truthy),
        container_type: match option("container_type") {
            Some(Value::Type(of)) => Some(of.clone()),
            _ => None,
        },
    };
    if let Some(container_type) = &options.container_type
        && !containers().is_assignable(container_type)
    {
        let message = format!(
            "Only Array, Hash, and Object types can be used as container types. Got {container_type}"
        );
        return Err(call.fail(message));
    }
    if !options.include_containers && !options.include_values {
        return Err(call.fail("Options 'include_containers' and 'include_values' cannot both be false"));
    }
    Ok(IteratorKind::Tree { source: call.argument(0).clone(), options }.into())
}

fn containers() -> Type {
    let object = Type::parse("Object", &NoTypes).unwrap_or_else(|_| Type::any());
    let array = TypeKind::Array { element: None, size: None };
    let hash = TypeKind::Hash { key: None, value: None, size: None };
    TypeKind::Variant(vec![array.into(), hash.into(), object]).into()
}

fn tree_each(call: &Call<'_, '_>) -> Evaluated {
    tree(call)
}

fn tree_each_value(call: &Call<'_, '_>) -> Evaluated {
    let nodes = iterate::elements(&tree(call)?).into_iter().flatten();
    each_value(call, nodes.map(|node| path_and_value(&node).1))?;
    Ok(call.argument(0).clone())
}

fn tree_each_with_path(call: &Call<'_, '_>) -> Evaluated {
    let mut repeated = Repeated::default();
    for node in iterate::elements(&tree(call)?).into_iter().flatten() {
        let (path, value) = path_and_value(&node);
        if unless_break(call.yield_again(&mut repeated, [path, value]))?.is_none() {
            break;
        }
    }
    Ok(call.argument(0).clone())
}

/// The two parts of a pair: path and value of a node of a tree, key and value of an entry.
fn path_and_value(node: &Value) -> (Value, Value) {
    match node {
        Value::Array(parts) => {
            let part = |index: usize| parts.get(index).cloned().unwrap_or_default();
            (part(0), part(1))
        }
        _ => (Value::Undef, node.clone()),
    }
}
