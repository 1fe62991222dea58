//! `Enumerable`: everything that rests on `each`.

use std::cmp::Ordering;

use super::{ANY, Args, Block, Entries, Key, Method, R, Run, Val, class, enumerator, method};
use crate::interpreter::Interpreter;

/// The arguments of a block: `each_with_index` and similar methods yield two values, which some methods pass
/// on unchanged.
fn given<'a>(this: Val<'a>, value: Val<'a>) -> Vec<Val<'a>> {
    const TWO: &[&str] = &["each_with_index", "with_index", "each_with_object", "with_object"];
    match (this, value) {
        (Val::Enumerator(enumerator), Val::Array(list)) if TWO.contains(&enumerator.method) => list.to_vec(),
        _ => vec![value],
    }
}

/// The test of an element: a pattern, a block, or its truth.
fn test<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: &Args<'a, '_>, value: Val<'a>) -> Run<'a, bool> {
    Ok(match (args.get(0), args.block) {
        (Some(pattern), _) => i.send(pattern, "===", &[value])?.is_truthy(),
        (None, Some(block)) => i.call_block(block, &given(this, value))?.is_truthy(),
        (None, None) => value.is_truthy(),
    })
}

/// The number of elements that pass; stops when `enough` are found.
fn count_passing<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    args: Args<'a, '_>,
    wanted: bool,
    enough: usize,
) -> Run<'a, usize> {
    let mut found = 0;
    i.each(this, &mut |i, value| {
        if test(i, this, &args, value)? == wanted {
            found += 1;
        }
        Ok(found < enough)
    })?;
    Ok(found)
}

/// The elements for which a block answers `wanted`.
fn filtered<'a>(i: &mut Interpreter<'a>, this: Val<'a>, block: Block<'a, '_>, wanted: bool) -> R<'a> {
    let mut kept = Vec::new();
    i.each(this, &mut |i, value| {
        if i.call_block(block, &[value])?.is_truthy() == wanted {
            kept.push(value);
        }
        Ok(true)
    })?;
    Ok(i.array(kept))
}

/// Compares with a block or with `<=>`.
pub(super) fn order<'a>(
    i: &mut Interpreter<'a>,
    block: Option<Block<'a, '_>>,
    a: Val<'a>,
    b: Val<'a>,
) -> Run<'a, Ordering> {
    let Some(block) = block else { return i.ordered(a, b) };
    match i.call_block(block, &[a, b])? {
        Val::Integer(order) => Ok(order.cmp(&0)),
        Val::Float(order) => Ok(order.partial_cmp(&0.0).unwrap_or(Ordering::Equal)),
        Val::Nil => Err(i.incomparable(a, b)),
        order if i.send(order, ">", &[Val::Integer(0)])?.is_truthy() => Ok(Ordering::Greater),
        order if i.send(order, "<", &[Val::Integer(0)])?.is_truthy() => Ok(Ordering::Less),
        _ => Ok(Ordering::Equal),
    }
}

fn sorted<'a>(i: &mut Interpreter<'a>, this: Val<'a>, block: Option<Block<'a, '_>>) -> Run<'a, Vec<Val<'a>>> {
    let mut values = i.elements(this)?;
    i.sort_with(&mut values, &mut |i, a, b| order(i, block, a, b))?;
    Ok(values)
}

/// Elements with the results of a block.
fn keyed<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    block: Block<'a, '_>,
) -> Run<'a, Vec<(Val<'a>, Val<'a>)>> {
    let mut out = Vec::new();
    i.each(this, &mut |i, value| {
        let key = i.call_block(block, &[value])?;
        out.push((key, value));
        Ok(true)
    })?;
    Ok(out)
}

fn sorted_by<'a>(i: &mut Interpreter<'a>, this: Val<'a>, block: Block<'a, '_>) -> Run<'a, Vec<Val<'a>>> {
    let mut pairs = keyed(i, this, block)?;
    i.sort_with(&mut pairs, &mut |i, a, b| i.ordered(a.0, b.0))?;
    Ok(pairs.into_iter().map(|(_, value)| value).collect())
}

/// The choice among equal values is arbitrary, unless they are identical; so is that by a block that gives no
/// order.
fn check_unlike<'a>(
    i: &mut Interpreter<'a>,
    sorted: &[Val<'a>],
    block: Option<Block<'a, '_>>,
    is_key: bool,
) -> Run<'a, ()> {
    for pair in sorted.windows(2) {
        let [a, b] = pair else { continue };
        if crate::value::eql(*a, *b) {
            continue;
        }
        let found = match block {
            Some(block) if is_key => {
                let (a, b) = (i.call_block(block, &[*a])?, i.call_block(block, &[*b])?);
                i.ordered(a, b)?
            }
            block => order(i, block, *a, *b)?,
        };
        match found {
            Ordering::Less => {}
            Ordering::Equal => {
                return Err(i.unsupported("the best so many of values that are equal in order"));
            }
            Ordering::Greater => return Err(i.unsupported("the best so many by a block that gives no order")),
        }
    }
    Ok(())
}

/// `min` and `max` and those with `_by`: the first of the best, or a number of the best.
pub(super) fn extreme<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    args: Args<'a, '_>,
    wanted: Ordering,
    by: Option<Block<'a, '_>>,
) -> R<'a> {
    if let Some(count) = args.get(0).filter(|count| !count.is_nil()) {
        let count = i.int(count)?;
        let Ok(count) = usize::try_from(count) else {
            return Err(i.raise(&class::ARGUMENT_ERROR, format!("negative size ({count})")));
        };
        let all = match by {
            Some(block) => sorted_by(i, this, block),
            None => sorted(i, this, args.block),
        };
        // The order of comparisons is visible in exceptions.
        let mut all = match all {
            Err(crate::failure::Unwind::Raise(_)) => return Err(i.unsupported("order of such values")),
            all => all?,
        };
        if count > 0 && count < all.len() {
            check_unlike(i, &all, by.or(args.block), by.is_some())?;
        }
        if wanted == Ordering::Greater {
            all.reverse();
        }
        all.truncate(count);
        return Ok(i.array(all));
    }
    let mut best: Option<(Val<'a>, Val<'a>)> = None;
    i.each(this, &mut |i, value| {
        let key = by.map_or(Ok(value), |block| i.call_block(block, &[value]))?;
        let better = match best {
            None => true,
            Some((other, _)) if by.is_some() => i.ordered(key, other)? == wanted,
            // Arrays call the current value, except for numbers and texts.
            Some((other, _))
                if args.block.is_none()
                    && matches!(this, Val::Array(_))
                    && !matches!(other, Val::Integer(_) | Val::Float(_) | Val::String(_)) =>
            {
                // The receiver of the comparison is visible in exceptions.
                match i.compare(other, key)? {
                    Some(order) => order == wanted.reverse(),
                    None => return Err(i.unsupported("extremes of values that have no order")),
                }
            }
            Some((other, _)) => match order(i, args.block, key, other) {
                Err(crate::failure::Unwind::Raise(_)) if args.block.is_none() => {
                    return Err(i.unsupported("extremes of values that have no order"));
                }
                order => order? == wanted,
            },
        };
        if better {
            best = Some((key, value));
        }
        Ok(true)
    })?;
    Ok(best.map_or(Val::Nil, |(_, value)| value))
}

/// The extremes of a walk, with what they are compared by.
struct Extremes<'a, 'b> {
    /// The block that compares.
    block: Option<Block<'a, 'b>>,
    /// The least and the most so far, each with its key.
    ends: Option<[(Val<'a>, Val<'a>); 2]>,
}

impl<'a> Extremes<'a, '_> {
    fn update(
        &mut self,
        i: &mut Interpreter<'a>,
        low: (Val<'a>, Val<'a>),
        high: (Val<'a>, Val<'a>),
    ) -> Run<'a, ()> {
        let Some([mut least, mut most]) = self.ends else {
            self.ends = Some([low, high]);
            return Ok(());
        };
        if order(i, self.block, low.0, least.0)?.is_lt() {
            least = low;
        }
        if order(i, self.block, high.0, most.0)?.is_gt() {
            most = high;
        }
        self.ends = Some([least, most]);
        Ok(())
    }
}

/// `minmax` and `minmax_by`: elements are compared in pairs, then with the extremes so far.
pub(super) fn minmax<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    block: Option<Block<'a, '_>>,
    by: Option<Block<'a, '_>>,
) -> R<'a> {
    let mut extremes = Extremes { block, ends: None };
    let mut last: Option<(Val<'a>, Val<'a>)> = None;
    i.each(this, &mut |i, value| {
        let one = (by.map_or(Ok(value), |by| i.call_block(by, &[value]))?, value);
        let Some(other) = last.take() else {
            last = Some(one);
            return Ok(true);
        };
        let (low, high) = match order(i, block, other.0, one.0)? {
            Ordering::Equal => (other, other),
            Ordering::Less => (other, one),
            Ordering::Greater => (one, other),
        };
        extremes.update(i, low, high)?;
        Ok(true)
    })?;
    if let Some(one) = last {
        extremes.update(i, one, one)?;
    }
    let ends = extremes.ends.map_or([Val::Nil; 2], |ends| ends.map(|(_, value)| value));
    Ok(i.array(ends.to_vec()))
}

/// `count`
pub(super) fn count<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let mut count = 0;
    i.each(this, &mut |i, value| {
        let counts = match (args.get(0), args.block) {
            (Some(wanted), _) => i.equal(value, wanted)?,
            (None, Some(block)) => i.call_block(block, &given(this, value))?.is_truthy(),
            (None, None) => true,
        };
        count += i64::from(counts);
        Ok(true)
    })?;
    Ok(Val::Integer(count))
}

/// The first elements, as many as are wanted.
fn beginning<'a>(i: &mut Interpreter<'a>, this: Val<'a>, count: usize) -> Run<'a, Vec<Val<'a>>> {
    let mut out = Vec::new();
    if count > 0 {
        i.each(this, &mut |_, value| {
            out.push(value);
            Ok(out.len() < count)
        })?;
    }
    Ok(out)
}

fn inject<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let (mut memo, operation) = match (args.values, args.block) {
        ([], _) => (None, None),
        ([operation], None) => (None, Some(*operation)),
        ([initial], Some(_)) => (Some(*initial), None),
        ([initial, operation, ..], _) => (Some(*initial), Some(*operation)),
    };
    let operation = operation.map(|operation| i.name(operation)).transpose()?;
    i.each(this, &mut |i, value| {
        memo = Some(match (memo, &operation) {
            (None, _) => value,
            (Some(memo), Some(operation)) => i.send(memo, operation, &[value])?,
            (Some(memo), None) => i.call_given(&args, &[memo, value])?,
        });
        Ok(true)
    })?;
    Ok(memo.unwrap_or(Val::Nil))
}

fn slices<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    args: Args<'a, '_>,
    name: &'static str,
    overlap: bool,
) -> R<'a> {
    let size = i.int(args.at(0))?;
    let Some(size) = usize::try_from(size).ok().filter(|size| *size > 0) else {
        let what = if overlap { "size" } else { "slice size" };
        return Err(i.raise(&class::ARGUMENT_ERROR, format!("invalid {what}")));
    };
    let Some(block) = args.block else { return enumerator(i, this, name, args) };
    let mut part: Vec<Val<'a>> = Vec::new();
    i.each(this, &mut |i, value| {
        if part.len() == size {
            part.remove(0);
        }
        part.push(value);
        if part.len() == size {
            let whole = if overlap { part.clone() } else { std::mem::take(&mut part) };
            let whole = i.array(whole);
            i.call_block(block, &[whole])?;
        }
        Ok(true)
    })?;
    if !overlap && !part.is_empty() {
        let rest = i.array(part);
        i.call_block(block, &[rest])?;
    }
    Ok(this)
}

/// The elements that match a pattern, or do not, as a block converts them.
fn grep<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, wanted: bool) -> R<'a> {
    let mut kept = Vec::new();
    i.each(this, &mut |i, value| {
        if i.send(args.at(0), "===", &[value])?.is_truthy() == wanted {
            kept.push(match args.block {
                Some(block) => i.call_block(block, &[value])?,
                None => value,
            });
        }
        Ok(true)
    })?;
    Ok(i.array(kept))
}

/// A number of elements to take or drop.
fn amount<'a>(i: &mut Interpreter<'a>, value: Val<'a>, what: &str) -> Run<'a, usize> {
    let count = i.int(value)?;
    match usize::try_from(count) {
        Ok(count) => Ok(count),
        Err(_) => Err(i.raise(&class::ARGUMENT_ERROR, format!("attempt to {what} negative size"))),
    }
}

/// A key and its value; `at` is the index in an array, if there is one.
pub(super) fn pair<'a>(
    i: &mut Interpreter<'a>,
    value: Val<'a>,
    at: Option<usize>,
) -> Run<'a, (Val<'a>, Val<'a>)> {
    match value {
        Val::Array(list) => {
            let values = list.to_vec();
            match values.as_slice() {
                [key, value] => Ok((*key, *value)),
                _ => {
                    let length = values.len();
                    let message = match at {
                        Some(at) => format!("wrong array length at {at} (expected 2, was {length})"),
                        None => format!("element has wrong array length (expected 2, was {length})"),
                    };
                    Err(i.raise(&class::ARGUMENT_ERROR, message))
                }
            }
        }
        other => {
            let class = match other {
                Val::Nil if at.is_none() => "nil",
                Val::Boolean(true) if at.is_none() => "true",
                Val::Boolean(false) if at.is_none() => "false",
                other => i.class_name(other),
            };
            let at = at.map(|at| format!(" at {at}")).unwrap_or_default();
            Err(i.raise(&class::TYPE_ERROR, format!("wrong element type {class}{at} (expected array)")))
        }
    }
}

/// A method that needs its block, and returns an enumerator without one.
macro_rules! with_block {
    ($names:literal, $least:literal, $most:expr, $name:literal, |$i:ident, $this:ident, $args:ident, $block:ident| $body:expr) => {
        method($names, $least, $most, |$i, $this, $args| {
            let Some($block) = $args.block else { return enumerator($i, $this, $name, $args) };
            $body
        })
    };
}

pub(crate) static METHODS: &[Method] = &[
    method("all?", 0, 1, |i, this, args| Ok(Val::Boolean(count_passing(i, this, args, false, 1)? == 0))),
    method("any?", 0, 1, |i, this, args| Ok(Val::Boolean(count_passing(i, this, args, true, 1)? > 0))),
    method("none?", 0, 1, |i, this, args| Ok(Val::Boolean(count_passing(i, this, args, true, 1)? == 0))),
    method("one?", 0, 1, |i, this, args| Ok(Val::Boolean(count_passing(i, this, args, true, 2)? == 1))),
    method("count", 0, 1, count),
    with_block!("map collect", 0, 0, "map", |i, this, args, block| {
        let mut out = Vec::new();
        i.each(this, &mut |i, value| {
            out.push(i.call_block(block, &given(this, value))?);
            Ok(true)
        })?;
        Ok(i.array(out))
    }),
    with_block!("flat_map collect_concat", 0, 0, "flat_map", |i, this, args, block| {
        let mut out = Vec::new();
        i.each(this, &mut |i, value| {
            match i.call_block(block, &given(this, value))? {
                Val::Array(list) => out.extend(list.now().iter().copied()),
                value => out.push(value),
            }
            Ok(true)
        })?;
        Ok(i.array(out))
    }),
    with_block!("select filter find_all", 0, 0, "select", |i, this, args, block| filtered(
        i, this, block, true
    )),
    with_block!("reject", 0, 0, "reject", |i, this, args, block| filtered(i, this, block, false)),
    with_block!("filter_map", 0, 0, "filter_map", |i, this, args, block| {
        let mut out = Vec::new();
        i.each(this, &mut |i, value| {
            let value = i.call_block(block, &given(this, value))?;
            if value.is_truthy() {
                out.push(value);
            }
            Ok(true)
        })?;
        Ok(i.array(out))
    }),
    with_block!("find detect", 0, 1, "find", |i, this, args, block| {
        if args.get(0).is_some_and(|usual| !usual.is_nil()) {
            return Err(i.unsupported("find with what is called when nothing is found"));
        }
        let mut found = Val::Nil;
        i.each(this, &mut |i, value| {
            let fits = i.call_block(block, &[value])?.is_truthy();
            if fits {
                found = value;
            }
            Ok(!fits)
        })?;
        Ok(found)
    }),
    method("find_index", 0, 1, |i, this, args| {
        if args.values.is_empty() {
            i.needs_block(&args)?;
        }
        let (mut at, mut found) = (0, None);
        i.each(this, &mut |i, value| {
            let fits = match args.get(0) {
                Some(wanted) => i.equal(value, wanted)?,
                None => i.call_given(&args, &given(this, value))?.is_truthy(),
            };
            found = fits.then_some(at);
            at += 1;
            Ok(!fits)
        })?;
        Ok(found.map_or(Val::Nil, Val::Integer))
    }),
    with_block!("each_entry", 0, 0, "each_entry", |i, this, args, block| {
        i.each(this, &mut |i, value| i.call_block(block, &[value]).map(|_| true))?;
        Ok(this)
    }),
    with_block!("each_with_index", 0, 0, "each_with_index", |i, this, args, block| {
        let mut at = 0;
        i.each(this, &mut |i, value| {
            i.call_block(block, &[value, Val::Integer(at)])?;
            at += 1;
            Ok(true)
        })?;
        Ok(this)
    }),
    with_block!("each_with_object", 1, 1, "each_with_object", |i, this, args, block| {
        let memo = args.at(0);
        i.each(this, &mut |i, value| i.call_block(block, &[value, memo]).map(|_| true))?;
        Ok(memo)
    }),
    with_block!("reverse_each", 0, 0, "reverse_each", |i, this, args, block| {
        for value in i.elements(this)?.into_iter().rev() {
            i.call_block(block, &[value])?;
        }
        Ok(this)
    }),
    method("each_slice", 1, 1, |i, this, args| slices(i, this, args, "each_slice", false)),
    method("each_cons", 1, 1, |i, this, args| slices(i, this, args, "each_cons", true)),
    method("to_a entries", 0, 0, |i, this, _| {
        let values = i.all_elements(this)?;
        Ok(i.array(values))
    }),
    method("first", 0, 1, |i, this, args| {
        if let Val::Range(range) = this {
            if range.from.is_nil() {
                let message = "cannot get the first element of beginless range";
                return Err(i.raise(&class::RANGE_ERROR, message));
            }
            if args.values.is_empty() {
                return Ok(range.from);
            }
        }
        let count = match args.get(0) {
            Some(count) if matches!(this, Val::Range(_)) && i.int(count)? < 0 => {
                let message = "negative array size (or size too big)";
                return Err(i.raise(&class::ARGUMENT_ERROR, message));
            }
            Some(count) if matches!(this, Val::Array(_)) && i.int(count)? < 0 => {
                return Err(i.raise(&class::ARGUMENT_ERROR, "negative array size"));
            }
            Some(count) => Some(amount(i, count, "take")?),
            None => None,
        };
        if let Val::Range(range) = this
            && matches!(range.from, Val::Float(_))
        {
            return Err(i.raise(&class::TYPE_ERROR, "can't iterate from Float"));
        }
        let out = beginning(i, this, count.unwrap_or(1))?;
        Ok(if count.is_some() { i.array(out) } else { out.first().copied().unwrap_or(Val::Nil) })
    }),
    method("take", 1, 1, |i, this, args| {
        let count = amount(i, args.at(0), "take")?;
        let out = beginning(i, this, count)?;
        Ok(i.array(out))
    }),
    method("drop", 1, 1, |i, this, args| {
        let count = amount(i, args.at(0), "drop")?;
        let rest = i.elements(this)?.into_iter().skip(count).collect();
        Ok(i.array(rest))
    }),
    with_block!("take_while", 0, 0, "take_while", |i, this, args, block| {
        let mut out = Vec::new();
        i.each(this, &mut |i, value| {
            let goes_on = i.call_block(block, &given(this, value))?.is_truthy();
            if goes_on {
                out.push(value);
            }
            Ok(goes_on)
        })?;
        Ok(i.array(out))
    }),
    with_block!("drop_while", 0, 0, "drop_while", |i, this, args, block| {
        let (mut out, mut dropping) = (Vec::new(), true);
        i.each(this, &mut |i, value| {
            dropping = dropping && i.call_block(block, &[value])?.is_truthy();
            if !dropping {
                out.push(value);
            }
            Ok(true)
        })?;
        Ok(i.array(out))
    }),
    method("include? member?", 1, 1, |i, this, args| {
        let mut found = false;
        i.each(this, &mut |i, value| {
            found = i.equal(value, args.at(0))?;
            Ok(!found)
        })?;
        Ok(Val::Boolean(found))
    }),
    method("inject reduce", 0, 2, inject),
    method("sum", 0, 1, super::sum::sum),
    method("sort", 0, 0, |i, this, args| {
        let values = sorted(i, this, args.block)?;
        Ok(i.array(values))
    }),
    with_block!("sort_by", 0, 0, "sort_by", |i, this, args, block| {
        let values = sorted_by(i, this, block)?;
        Ok(i.array(values))
    }),
    method("min", 0, 1, |i, this, args| extreme(i, this, args, Ordering::Less, None)),
    method("max", 0, 1, |i, this, args| extreme(i, this, args, Ordering::Greater, None)),
    with_block!("min_by", 0, 1, "min_by", |i, this, args, block| extreme(
        i,
        this,
        args,
        Ordering::Less,
        Some(block)
    )),
    with_block!("max_by", 0, 1, "max_by", |i, this, args, block| extreme(
        i,
        this,
        args,
        Ordering::Greater,
        Some(block)
    )),
    method("minmax", 0, 0, |i, this, args| {
        if args.block.is_some() || !matches!(this, Val::Array(_)) {
            return minmax(i, this, args.block, None);
        }
        let least = extreme(i, this, args, Ordering::Less, None)?;
        let most = extreme(i, this, args, Ordering::Greater, None)?;
        Ok(i.array(vec![least, most]))
    }),
    with_block!("minmax_by", 0, 0, "minmax_by", |i, this, args, block| minmax(i, this, None, Some(block))),
    with_block!("partition", 0, 0, "partition", |i, this, args, block| {
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        i.each(this, &mut |i, value| {
            let side = if i.call_block(block, &[value])?.is_truthy() { &mut yes } else { &mut no };
            side.push(value);
            Ok(true)
        })?;
        let (yes, no) = (i.array(yes), i.array(no));
        Ok(i.array(vec![yes, no]))
    }),
    with_block!("group_by", 0, 0, "group_by", |i, this, args, block| {
        let mut groups: indexmap::IndexMap<Key<'_>, Vec<Val<'_>>> = indexmap::IndexMap::new();
        for (key, value) in keyed(i, this, block)? {
            groups.entry(i.key(key)?).or_default().push(value);
        }
        let groups: Entries<'_> = groups.into_iter().map(|(key, values)| (key, i.array(values))).collect();
        Ok(i.heap.hash(groups))
    }),
    method("tally", 0, 0, |i, this, _| {
        let mut counts: indexmap::IndexMap<Key<'_>, i64> = indexmap::IndexMap::new();
        for value in i.elements(this)? {
            *counts.entry(i.key(value)?).or_default() += 1;
        }
        Ok(i.heap.hash(counts.into_iter().map(|(key, count)| (key, Val::Integer(count))).collect()))
    }),
    method("uniq", 0, 0, |i, this, args| {
        let mut seen = Entries::default();
        i.each(this, &mut |i, value| {
            let key = match args.block {
                Some(block) => i.call_block(block, &given(this, value))?,
                None => value,
            };
            i.charge_keys(&[key])?;
            seen.entry(Key(key)).or_insert(value);
            Ok(true)
        })?;
        Ok(i.array(seen.into_values().collect()))
    }),
    method("to_h", 0, 0, |i, this, args| {
        let mut entries = Entries::default();
        let mut at = matches!(this, Val::Array(_)).then_some(0);
        i.each(this, &mut |i, value| {
            let value = match args.block {
                Some(block) => i.call_block(block, &given(this, value))?,
                None => value,
            };
            let (key, value) = pair(i, value, at)?;
            at = at.map(|at| at + 1);
            entries.insert(i.key(key)?, value);
            Ok(true)
        })?;
        Ok(i.heap.hash(entries))
    }),
    method("to_set", 0, 0, |i, this, args| {
        if args.block.is_some() {
            return Err(i.unsupported("to_set with a block"));
        }
        let keys = i.elements(this)?;
        i.charge_keys(&keys)?;
        let keys = keys.into_iter().map(|value| (Key(value), Val::Boolean(true))).collect();
        Ok(Val::Set(i.heap.map(keys)))
    }),
    method("zip", 0, ANY, |i, this, args| {
        if matches!(this, Val::Array(list) if list.len() == 0) {
            return Ok(if args.block.is_some() { Val::Nil } else { i.array(Vec::new()) });
        }
        for other in args.values {
            let is_known = matches!(
                other,
                Val::Array(_) | Val::Hash(_) | Val::Range(_) | Val::Set(_) | Val::Enumerator(_)
            );
            if !is_known && !i.responds(*other, "each") {
                let class = i.class_name(*other);
                let message = format!("wrong argument type {class} (must respond to :each)");
                return Err(i.raise(&class::TYPE_ERROR, message));
            }
        }
        let own = i.elements(this)?;
        // With no rows the others are not walked.
        let walked = if own.is_empty() { &[] } else { args.values };
        let others = walked.iter().map(|other| i.elements(*other)).collect::<Run<'_, Vec<_>>>()?;
        let mut rows = Vec::new();
        for (at, value) in own.into_iter().enumerate() {
            let mut row = vec![value];
            row.extend(others.iter().map(|other| other.get(at).copied().unwrap_or(Val::Nil)));
            rows.push(i.array(row));
        }
        match args.block {
            Some(block) => {
                for row in rows {
                    i.call_block(block, &[row])?;
                }
                Ok(Val::Nil)
            }
            None => Ok(i.array(rows)),
        }
    }),
    with_block!("cycle", 0, 1, "cycle", |i, this, args, block| {
        let times = match args.at(0) {
            Val::Nil => i64::MAX,
            times => i.int(times)?,
        };
        if times <= 0 {
            return Ok(Val::Nil);
        }
        let values = i.elements(this)?;
        let mut round = 0;
        while round < times && !values.is_empty() {
            for value in &values {
                i.call_block(block, &[*value])?;
            }
            round += 1;
        }
        Ok(Val::Nil)
    }),
    method("lazy", 0, 0, |i, this, _| {
        let class = i.constant("Enumerator::Lazy", i.outside)?;
        i.send(class, "new", &[this])
    }),
    method("grep", 1, 1, |i, this, args| grep(i, this, args, true)),
    method("grep_v", 1, 1, |i, this, args| grep(i, this, args, false)),
];
