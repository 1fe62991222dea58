//! `sum`: whole numbers and fractions are added before the rest, and floats without losing small ones.

use super::number::float;
use super::{Args, R, Run, Val, class};
use crate::interpreter::Interpreter;
use crate::value::Range;

enum Phase {
    /// Whole numbers and fractions, which are added apart from the total.
    Exact,
    /// Floats: their sum, and what was lost by rounding.
    Floats { sum: f64, lost: f64 },
    /// Everything else is added to the total with `+`.
    Other,
}

struct Sum<'a> {
    phase: Phase,
    total: Val<'a>,
    /// The sum of small whole numbers, which are added first; `None` before there is one.
    small: Option<i64>,
    fractions: Option<Val<'a>>,
    /// Arrays add whole numbers to what they begin with, also if that is no number.
    is_array: bool,
}

fn is_fraction<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> bool {
    matches!(value, Val::Object(_)) && i.class_name(value) == "Rational"
}

/// Numbers of more bits are objects in Ruby.
fn small(value: Val<'_>) -> Option<i64> {
    match value {
        Val::Integer(number) if (-(1 << 62)..1 << 62).contains(&number) => Some(number),
        _ => None,
    }
}

/// A value as the float that others are added to.
fn first_float<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, f64> {
    let shown = match value {
        Val::String(_) => "string".to_owned(),
        Val::Nil => "nil".to_owned(),
        Val::Boolean(truth) => truth.to_string(),
        Val::Time(_) | Val::Object(_) if i.responds(value, "to_f") => {
            let number = i.send(value, "to_f", &[])?;
            return float(i, number);
        }
        value => return float(i, value),
    };
    Err(i.raise(&class::TYPE_ERROR, format!("no implicit conversion to float from {shown}")))
}

impl<'a> Sum<'a> {
    fn new(i: &mut Interpreter<'a>, total: Val<'a>, is_array: bool) -> Self {
        let phase = match total {
            _ if is_array => Phase::Exact,
            Val::Float(sum) => Phase::Floats { sum, lost: 0.0 },
            Val::Integer(_) | Val::Big(_) => Phase::Exact,
            total if is_fraction(i, total) => Phase::Exact,
            _ => Phase::Other,
        };
        Self { phase, total, small: None, fractions: None, is_array }
    }

    fn add(&mut self, i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, ()> {
        match self.phase {
            Phase::Exact => self.add_exact(i, value),
            Phase::Floats { sum, lost } => self.add_float(i, value, sum, lost),
            Phase::Other => {
                self.total = i.send(self.total, "+", &[value])?;
                Ok(())
            }
        }
    }

    fn add_exact(&mut self, i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, ()> {
        if let Some(number) = small(value) {
            let sum = self.small.unwrap_or(0).saturating_add(number);
            if small(Val::Integer(sum)).is_some() {
                self.small = Some(sum);
            } else {
                self.total = i.send(Val::Integer(sum), "+", &[self.total])?;
                self.small = Some(0);
            }
            return Ok(());
        }
        match value {
            Val::Integer(_) | Val::Big(_) => {
                self.small = self.small.or(self.is_array.then_some(0));
                self.total = i.send(value, "+", &[self.total])?;
            }
            value if is_fraction(i, value) => {
                self.fractions = Some(match self.fractions {
                    Some(sum) => i.send(sum, "+", &[value])?,
                    None => value,
                });
            }
            Val::Float(_) => {
                self.finish(i)?;
                let sum = first_float(i, self.total)?;
                self.add_float(i, value, sum, 0.0)?;
            }
            value => {
                self.finish(i)?;
                self.phase = Phase::Other;
                self.total = i.send(self.total, "+", &[value])?;
            }
        }
        Ok(())
    }

    fn add_float(&mut self, i: &mut Interpreter<'a>, value: Val<'a>, sum: f64, lost: f64) -> Run<'a, ()> {
        let number = match value {
            Val::Float(number) => number,
            Val::Integer(_) | Val::Big(_) => float(i, value)?,
            value if is_fraction(i, value) => first_float(i, value)?,
            value => {
                self.phase = Phase::Other;
                self.total = i.send(Val::Float(sum), "+", &[value])?;
                return Ok(());
            }
        };
        let mut next = Phase::Floats { sum, lost };
        if sum.is_nan() {
            self.phase = next;
            return Ok(());
        }
        if number.is_nan() {
            next = Phase::Floats { sum: number, lost };
        } else if number.is_infinite() {
            let sum = if sum.is_infinite() && sum != number { f64::NAN } else { number };
            next = Phase::Floats { sum, lost };
        } else if sum.is_finite() {
            let new = sum + number;
            let rest = if sum.abs() >= number.abs() { (sum - new) + number } else { (number - new) + sum };
            next = Phase::Floats { sum: new, lost: lost + rest };
        }
        self.phase = next;
        Ok(())
    }

    /// Adds what was added apart.
    fn finish(&mut self, i: &mut Interpreter<'a>) -> Run<'a, ()> {
        let is_there = |sum: &i64| *sum != 0 || self.is_array && self.fractions.is_none();
        if let Some(sum) = self.small.take().filter(is_there) {
            self.total = i.send(Val::Integer(sum), "+", &[self.total])?;
        }
        if let Some(sum) = self.fractions.take() {
            self.total = i.send(sum, "+", &[self.total])?;
        }
        Ok(())
    }

    fn end(mut self, i: &mut Interpreter<'a>) -> R<'a> {
        match self.phase {
            Phase::Exact => {
                self.finish(i)?;
                Ok(self.total)
            }
            Phase::Floats { sum, lost } => Ok(Val::Float(sum + lost)),
            Phase::Other => Ok(self.total),
        }
    }
}

/// The sum of a range of whole numbers, which is calculated.
fn of_range<'a>(i: &mut Interpreter<'a>, range: &Range<'a>, initial: Val<'a>) -> Option<R<'a>> {
    let (Val::Integer(from), Val::Integer(to)) = (range.from, range.to) else { return None };
    if matches!(initial, Val::Float(_)) {
        return None;
    }
    let (from, to) = (i128::from(from), i128::from(to) - i128::from(range.exclusive));
    if to < from {
        return Some(Ok(initial));
    }
    let sum = (to - from + 1).checked_mul(to + from)? / 2;
    let sum = i.heap.whole(sum.into());
    // What is no number is made one as the last number of the range has it.
    let pair = match initial {
        Val::Integer(_) | Val::Big(_) => return Some(i.send(initial, "+", &[sum])),
        initial => i.send(sum, "coerce", &[initial]),
    };
    Some(pair.and_then(|pair| {
        let pair = i.vec(pair)?;
        let (one, two) = (pair.first().copied().unwrap_or(Val::Nil), pair.get(1).copied());
        i.send(one, "+", &[two.unwrap_or(Val::Nil)])
    }))
}

/// `sum`
pub(super) fn sum<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let initial = args.get(0).unwrap_or(Val::Integer(0));
    if let (Val::Range(range), None) = (this, args.block)
        && let Some(sum) = of_range(i, range, initial)
    {
        return sum;
    }
    let mut sum = Sum::new(i, initial, matches!(this, Val::Array(_)));
    i.each(this, &mut |i, value| {
        let value = match args.block {
            Some(block) => i.call_block(block, &[value])?,
            None => value,
        };
        sum.add(i, value)?;
        Ok(true)
    })?;
    sum.end(i)
}
