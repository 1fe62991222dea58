//! `+ - * / % << >>` on numbers, times, collections, URIs and binaries; unary minus; texts as numbers.
//!
//! Follows `calculate`, `concatenate` and `delete` of the reference's evaluator and the operators of its time
//! classes.

use std::sync::Arc;

use num_integer::Integer as _;
use num_traits::{Signed, ToPrimitive, Zero};
use rustc_hash::FxHashSet;

use super::evaluator::{Demotion, Env};
use super::{Evaluated, Evaluator, quick};
use bunraku_pcore::big::{self, BigInt};
use bunraku_pcore::compare::{ruby_equals, version_is_no_number};
use bunraku_pcore::format::to_s;
use bunraku_pcore::label::label;
use bunraku_pcore::pairs::Pairs;
use bunraku_pcore::time::{SECOND, nanoseconds_of_whole, too_large};
use bunraku_pcore::value::{Str, Timespan, Timestamp};
use bunraku_pcore::{Hash, Value};
use bunraku_syntax::ast::NodeId;
use bunraku_syntax::ast::nodes::ArithmeticOperator;
use bunraku_syntax::diagnostic::label::{a_an, a_an_uc};
use bunraku_syntax::diagnostic::{Error, issues};

/// A number of the language: what arithmetic works on.
#[derive(Clone, Debug)]
enum Number {
    Integer(i64),
    /// One beyond 64 bits, which only conversions make.
    Big(Arc<BigInt>),
    Float(f64),
    Timespan(Timespan),
    Timestamp(Timestamp),
    /// A version is a number too, of a kind that one cannot calculate with.
    Version,
}

impl Number {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Integer(number) => Some(Self::Integer(*number)),
            Value::BigInteger(number) => Some(Self::Big(Arc::clone(number))),
            Value::Float(number) => Some(Self::Float(*number)),
            Value::Timespan(span) => Some(Self::Timespan(**span)),
            Value::Timestamp(moment) => Some(Self::Timestamp(**moment)),
            Value::SemVer(_) => Some(Self::Version),
            _ => None,
        }
    }

    /// The label of the number as a value.
    const fn label(&self) -> &'static str {
        match self {
            Self::Integer(_) | Self::Big(_) => "Integer",
            Self::Float(_) => "Float",
            Self::Timespan(_) => "Timespan",
            Self::Timestamp(_) => "Timestamp",
            Self::Version => "Semver",
        }
    }

    /// The name in the reference's time classes.
    const fn class_name(&self) -> &'static str {
        match self {
            Self::Version => "Version",
            Self::Integer(_) | Self::Big(_) | Self::Float(_) | Self::Timespan(_) | Self::Timestamp(_) => {
                self.label()
            }
        }
    }

    const fn is_time(&self) -> bool {
        matches!(self, Self::Timespan(_) | Self::Timestamp(_))
    }
}

/// The reason why an operation on numbers failed.
enum Refusal {
    /// The left operand does not have the operator.
    NotApplicable,
    /// It has none for the right operand.
    NotApplicableWhen,
    /// Division by zero.
    ZeroDivision,
    /// An integer beyond 64 bits.
    Overflow(Box<BigInt>),
    /// Another failure.
    Error(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// The number of elements that an operator visits in a step.
pub(super) const ELEMENTS_IN_A_STEP: usize = 16;

fn count(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.len(),
        Value::Hash(hash) => hash.len(),
        Value::String(text) => text.len() / ELEMENTS_IN_A_STEP,
        Value::ByteString(bytes) => bytes.bytes().len() / ELEMENTS_IN_A_STEP,
        Value::Binary(bytes) => bytes.len() / ELEMENTS_IN_A_STEP,
        Value::Uri(uri) => uri.text.len() / ELEMENTS_IN_A_STEP,
        _ => 1,
    }
}

impl Evaluator<'_> {
    /// Counts steps for an operator that goes through the elements of a value, and not into them.
    pub(super) fn spend_on(&self, value: &Value) -> Evaluated<()> {
        Ok(self.charge_steps(count(value) / ELEMENTS_IN_A_STEP)?)
    }

    pub(super) fn arithmetic(
        &self,
        env: Env<'_>,
        id: NodeId,
        operator: ArithmeticOperator,
        left_expr: NodeId,
        right_expr: NodeId,
    ) -> Evaluated {
        let left = self.eval(env, left_expr)?;
        let right = self.eval(env, right_expr)?;
        use ArithmeticOperator::{Minus, Plus, ShiftLeft};
        if let (Value::Integer(left), Value::Integer(right)) = (&left, &right)
            && let Some(result) = quick::integers(operator, *left, *right)
        {
            return Ok(Value::Integer(result));
        }
        match (operator, &left) {
            (Plus, Value::Uri(_) | Value::Binary(_) | Value::Array(_) | Value::Hash(_)) => {
                self.let_go(env, id, left_expr, &left);
                if !is_alone(&left) {
                    self.spend_on(&left)?;
                }
                self.spend_on(&right)?;
                Ok(concatenate(left, right)?)
            }
            (Minus, Value::Array(_)) => {
                let gone = Gone::of(&right);
                let compared = gone.comparisons(&left);
                self.charge_steps(compared / ELEMENTS_IN_A_STEP)?;
                match compared <= count(&left).saturating_add(count(&right)) {
                    true => self.usage.charge_all(&[&left, &right])?,
                    false => self.usage.charge_each(count(&left), &right)?,
                }
                Ok(without(left, &gone))
            }
            (Minus, Value::Hash(_)) => {
                self.spend_on(&left)?;
                self.usage.charge_value(&right)?;
                Ok(without_keys(left, &right))
            }
            (ShiftLeft, Value::Array(_)) => {
                self.let_go(env, id, left_expr, &left);
                let Value::Array(mut values) = left else { return Ok(Value::Undef) };
                Arc::make_mut(&mut values).push(right);
                Ok(Value::Array(values))
            }
            (ShiftLeft, Value::Hash(_)) => {
                Err(env.fail(left_expr, issues::operator_not_applicable("<<", label(&left))))
            }
            _ => {
                self.usage.charge_all(&[&left, &right])?;
                let left = self.coerce_numeric(env, left_expr, &left)?;
                let right = self.coerce_numeric(env, right_expr, &right)?;
                calculate(operator, left.clone(), right.clone())
                    .map_err(|refusal| match refusal {
                        Refusal::NotApplicable => env
                            .fail(left_expr, issues::operator_not_applicable(operator.text(), left.label())),
                        Refusal::NotApplicableWhen => {
                            let (left, right) = (left.label(), right.label());
                            env.fail(
                                left_expr,
                                issues::operator_not_applicable_when(operator.text(), left, right),
                            )
                        }
                        Refusal::ZeroDivision => env.fail(right_expr, issues::div_by_zero()),
                        Refusal::Overflow(value) => {
                            let (label, digits) = (env.program.label(id), format!("{:x}", value.magnitude()));
                            env.fail(id, issues::numeric_overflow_digits(label, value.is_negative(), &digits))
                        }
                        Refusal::Error(error) => error.into(),
                    })
                    .and_then(|result| match result {
                        Value::Float(number) if number.is_infinite() => {
                            Err(env.fail(left_expr, issues::result_is_infinity(operator.text())))
                        }
                        result => Ok(result),
                    })
            }
        }
    }

    pub(super) fn negate(&self, env: Env<'_>, id: NodeId, expr: NodeId) -> Evaluated {
        let value = self.eval(env, expr)?;
        let number = self.coerce_numeric(env, id, &value)?;
        match number {
            Number::Integer(number) => Ok(Value::whole(-i128::from(number))),
            Number::Big(number) => Ok(Value::from(-&*number)),
            Number::Float(number) => Ok(Value::Float(-number)),
            Number::Timespan(span) => Ok(timespan(span.total().checked_neg())?),
            Number::Timestamp(_) | Number::Version => {
                Err(Error::internal(format!("A {} has no negative", number.class_name())).into())
            }
        }
    }

    /// A value as a number; a text is converted where the setting `strict` allows it.
    fn coerce_numeric(&self, env: Env<'_>, id: NodeId, value: &Value) -> Evaluated<Number> {
        if let Some(number) = Number::of(value) {
            return Ok(number);
        }
        let Some(number) = value.as_str().and_then(to_n) else {
            return Err(env.fail(id, issues::not_numeric(to_s(value))));
        };
        let report = issues::numeric_coercion(to_s(value), to_s(&number));
        self.report(env, id, Demotion::from(self.environment.settings.strict), report)?;
        Number::of(&number).ok_or_else(|| out_of_range().into())
    }

    /// A value as an index: a number, or a text that is one.
    pub(super) fn coerce_index(&self, env: Env<'_>, id: NodeId, value: &Value) -> Evaluated {
        Ok(match self.coerce_numeric(env, id, value)? {
            Number::Integer(number) => Value::Integer(number),
            Number::Big(number) => Value::BigInteger(number),
            Number::Float(number) => Value::Float(number),
            Number::Timespan(_) | Number::Timestamp(_) | Number::Version => value.clone(),
        })
    }
}

fn calculate(operator: ArithmeticOperator, left: Number, right: Number) -> Result<Value, Refusal> {
    use ArithmeticOperator::{Minus, Modulo, Multiply, Plus};
    use Number::{Float, Integer};
    if operator == Modulo {
        match (&left, &right) {
            (Float(_), _) => return Err(Refusal::NotApplicable),
            (_, Float(_)) => return Err(Refusal::NotApplicableWhen),
            _ => {}
        }
    }
    let (left, right) = match (&left, operator, &right) {
        (left_, _, right_) if left_.is_time() || !right_.is_time() => (left, right),
        (_, Plus, _) | (_, Multiply, Number::Timespan(_)) => (right, left),
        (Number::Version, Minus, Number::Timespan(_)) => return Err(Refusal::NotApplicable),
        (_, Minus, Number::Timespan(_)) => {
            (Number::Timespan(Timespan::of(seconds_as_nanoseconds(left)?)), right)
        }
        _ => return Err(Refusal::NotApplicableWhen),
    };
    match (left, right) {
        (Integer(left), Integer(right)) => integers(operator, left, right),
        (Integer(left), Float(right)) => match operator {
            ArithmeticOperator::ShiftLeft | ArithmeticOperator::ShiftRight => {
                match Value::truncated(right).ok_or_else(out_of_range)? {
                    Value::Integer(right) => integers(operator, left, right),
                    right => match right.as_big_integer() {
                        Some(right) => big_integers(operator, &left.into(), &right),
                        None => Err(out_of_range().into()),
                    },
                }
            }
            _ => floats(operator, left as f64, right),
        },
        (Number::Big(left), Integer(right)) => big_integers(operator, &left, &right.into()),
        (Integer(left), Number::Big(right)) => big_integers(operator, &left.into(), &right),
        (Number::Big(left), Number::Big(right)) => big_integers(operator, &left, &right),
        (Number::Big(left), Float(right)) => match operator {
            ArithmeticOperator::ShiftLeft | ArithmeticOperator::ShiftRight => {
                let bits = Value::truncated(right).ok_or_else(out_of_range)?;
                big_integers(operator, &left, &bits.as_big_integer().unwrap_or_default())
            }
            _ => floats(operator, big::to_f64(&left), right),
        },
        (Float(left), Number::Big(right)) => floats(operator, left, big::to_f64(&right)),
        (Float(left), Integer(right)) => floats(operator, left, right as f64),
        (Float(left), Float(right)) => floats(operator, left, right),
        (Number::Timespan(left), right) => timespans(operator, left.total(), right),
        (Number::Timestamp(left), right) => timestamps(operator, left.total(), right),
        (Number::Version, Integer(0)) if operator == Modulo => Err(Refusal::ZeroDivision),
        (Number::Version, _) => Err(Refusal::NotApplicable),
        (Integer(_) | Number::Big(_) | Float(_), Number::Version) => match operator {
            ArithmeticOperator::ShiftLeft | ArithmeticOperator::ShiftRight => Err(Refusal::NotApplicable),
            _ => Err(Refusal::Error(version_is_no_number())),
        },
        (Integer(_) | Number::Big(_) | Float(_), Number::Timespan(_) | Number::Timestamp(_)) => {
            Err(Refusal::NotApplicableWhen)
        }
    }
}

fn integers(operator: ArithmeticOperator, left: i64, right: i64) -> Result<Value, Refusal> {
    match quick::integers(operator, left, right) {
        Some(result) => Ok(Value::Integer(result)),
        None => big_integers(operator, &left.into(), &right.into()),
    }
}

/// An operation on whole numbers of any size, whose result must be one of 64 bits.
fn big_integers(operator: ArithmeticOperator, left: &BigInt, right: &BigInt) -> Result<Value, Refusal> {
    let result = match operator {
        ArithmeticOperator::Plus => left + right,
        ArithmeticOperator::Minus => left - right,
        ArithmeticOperator::Multiply => left * right,
        ArithmeticOperator::Divide | ArithmeticOperator::Modulo if right.is_zero() => {
            return Err(Refusal::ZeroDivision);
        }
        ArithmeticOperator::Divide => left.div_floor(right),
        ArithmeticOperator::Modulo => left.mod_floor(right),
        ArithmeticOperator::ShiftLeft => shift_left(left, right)?,
        ArithmeticOperator::ShiftRight => shift_left(left, &-right)?,
    };
    match Value::from(result) {
        Value::BigInteger(result) => Err(Refusal::Overflow(Box::new(Arc::unwrap_or_clone(result)))),
        result => Ok(result),
    }
}

const fn floor_div(a: i128, b: i128) -> i128 {
    let quotient = a / b;
    if a % b != 0 && ((a < 0) != (b < 0)) { quotient - 1 } else { quotient }
}

/// Shifts by more bits than this are not shown in full.
const MAX_SHIFT: u64 = 1 << 16;

fn shift_left(left: &BigInt, bits: &BigInt) -> Result<BigInt, Refusal> {
    if left.is_zero() {
        return Ok(BigInt::ZERO);
    }
    let count = bits.magnitude().to_u64().unwrap_or(u64::MAX);
    if bits.is_negative() {
        return Ok(left >> count.min(left.bits() + 1));
    }
    if count > MAX_SHIFT {
        return Err(Refusal::Error(Error::internal("shift width too big")));
    }
    Ok(left << count)
}

fn floats(operator: ArithmeticOperator, left: f64, right: f64) -> Result<Value, Refusal> {
    Ok(Value::Float(match operator {
        ArithmeticOperator::Plus => left + right,
        ArithmeticOperator::Minus => left - right,
        ArithmeticOperator::Multiply => left * right,
        ArithmeticOperator::Divide => left / right,
        ArithmeticOperator::Modulo | ArithmeticOperator::ShiftLeft | ArithmeticOperator::ShiftRight => {
            return Err(Refusal::NotApplicable);
        }
    }))
}

fn timespans(operator: ArithmeticOperator, left: i128, right: Number) -> Result<Value, Refusal> {
    let refuse = |text: String| Err(Refusal::Error(Error::argument(text)));
    let name = right.class_name();
    match (operator, right) {
        (ArithmeticOperator::Plus, Number::Timestamp(right)) => {
            Ok(timestamp(left.checked_add(right.total()))?)
        }
        (ArithmeticOperator::Plus, Number::Timespan(right)) => Ok(timespan(left.checked_add(right.total()))?),
        (ArithmeticOperator::Plus, Number::Version) => {
            refuse(format!("{} cannot be added to a Timespan", a_an_uc(name)))
        }
        (ArithmeticOperator::Plus, right) => Ok(timespan(left.checked_add(seconds_as_nanoseconds(right)?))?),
        (ArithmeticOperator::Minus, Number::Timespan(right)) => {
            Ok(timespan(left.checked_sub(right.total()))?)
        }
        (ArithmeticOperator::Minus, Number::Timestamp(_) | Number::Version) => {
            refuse(format!("{} cannot be subtracted from a Timespan", a_an_uc(name)))
        }
        (ArithmeticOperator::Minus, right) => Ok(timespan(left.checked_sub(seconds_as_nanoseconds(right)?))?),
        (ArithmeticOperator::Multiply, Number::Integer(right)) => {
            Ok(timespan(left.checked_mul(i128::from(right)))?)
        }
        (ArithmeticOperator::Multiply, Number::Big(right)) => {
            Ok(timespan((BigInt::from(left) * &*right).to_i128())?)
        }
        (ArithmeticOperator::Divide, Number::Big(right)) => {
            Ok(timespan(BigInt::from(left).div_floor(&right).to_i128())?)
        }
        (ArithmeticOperator::Modulo, Number::Big(right)) => {
            Ok(Value::from(BigInt::from(floor_div(left, SECOND)).mod_floor(&right)))
        }
        (ArithmeticOperator::Multiply, Number::Float(right)) => {
            Ok(timespan(Some(truncate(left as f64 * right)?))?)
        }
        (ArithmeticOperator::Multiply, _) => {
            refuse(format!("A Timestamp cannot be multiplied by {}", a_an(name)))
        }
        (ArithmeticOperator::Divide, Number::Timespan(right)) => {
            Ok(Value::Float(left as f64 / right.total() as f64))
        }
        (ArithmeticOperator::Divide, Number::Integer(0)) => Err(Refusal::ZeroDivision),
        (ArithmeticOperator::Divide, Number::Integer(right)) => {
            Ok(timespan(Some(floor_div(left, i128::from(right))))?)
        }
        (ArithmeticOperator::Divide, Number::Float(0.0)) => Err(Refusal::ZeroDivision),
        (ArithmeticOperator::Divide, Number::Float(right)) => {
            Ok(timespan(Some(truncate((left as f64 / right).floor())?))?)
        }
        (ArithmeticOperator::Divide, _) => refuse(format!("A Timespan cannot be divided by {}", a_an(name))),
        (ArithmeticOperator::Modulo, Number::Integer(0)) => Err(Refusal::ZeroDivision),
        (ArithmeticOperator::Modulo, Number::Integer(right)) => {
            let seconds = floor_div(left, SECOND);
            let right = i128::from(right);
            Ok(Value::Integer((seconds - right * floor_div(seconds, right)) as i64))
        }
        (ArithmeticOperator::Modulo, _) => {
            refuse(format!("Can not do modulus on a Timespan using a {}", a_an(name)))
        }
        (ArithmeticOperator::ShiftLeft | ArithmeticOperator::ShiftRight, _) => Err(Refusal::NotApplicable),
    }
}

fn timestamps(operator: ArithmeticOperator, left: i128, right: Number) -> Result<Value, Refusal> {
    let refuse = |text: String| Err(Refusal::Error(Error::argument(text)));
    let name = a_an_uc(right.class_name());
    match (operator, right) {
        (ArithmeticOperator::Plus, Number::Timestamp(_) | Number::Version) => {
            refuse(format!("{name} cannot be added to a Timestamp"))
        }
        (ArithmeticOperator::Minus, Number::Version) => {
            refuse(format!("{name} cannot be subtracted from a Timestamp"))
        }
        (ArithmeticOperator::Plus, Number::Timespan(right)) => {
            Ok(timestamp(left.checked_add(right.total()))?)
        }
        (ArithmeticOperator::Plus, right) => Ok(timestamp(left.checked_add(seconds_as_nanoseconds(right)?))?),
        (ArithmeticOperator::Minus, Number::Timestamp(right)) => {
            Ok(timespan(left.checked_sub(right.total()))?)
        }
        (ArithmeticOperator::Minus, Number::Timespan(right)) => {
            Ok(timestamp(left.checked_sub(right.total()))?)
        }
        (ArithmeticOperator::Minus, right) => {
            Ok(timestamp(left.checked_sub(seconds_as_nanoseconds(right)?))?)
        }
        (
            ArithmeticOperator::Multiply
            | ArithmeticOperator::Divide
            | ArithmeticOperator::Modulo
            | ArithmeticOperator::ShiftLeft
            | ArithmeticOperator::ShiftRight,
            _,
        ) => Err(Refusal::NotApplicable),
    }
}

/// A number of seconds as nanoseconds, a fraction of one cut off.
fn seconds_as_nanoseconds(number: Number) -> Result<i128, Error> {
    match number {
        Number::Integer(seconds) => Ok(i128::from(seconds) * SECOND),
        Number::Big(seconds) => nanoseconds_of_whole(&seconds),
        Number::Float(seconds) => truncate(seconds * SECOND as f64),
        Number::Timespan(span) => Ok(span.total()),
        Number::Timestamp(moment) => Ok(moment.total()),
        Number::Version => Err(out_of_range()),
    }
}

fn truncate(number: f64) -> Result<i128, Error> {
    if number.is_finite() && number.abs() < 1e38 { Ok(number as i128) } else { Err(out_of_range()) }
}

fn out_of_range() -> Error {
    Error::internal("a number is out of range")
}

/// The Timespan of nanoseconds, `None` if they are too many.
fn timespan(nanoseconds: Option<i128>) -> Result<Value, Error> {
    nanoseconds.map(|nanoseconds| Timespan::of(nanoseconds).into()).ok_or_else(too_large)
}

/// The Timestamp of nanoseconds, `None` if they are too many.
fn timestamp(nanoseconds: Option<i128>) -> Result<Value, Error> {
    nanoseconds.map(|nanoseconds| Timestamp::of(nanoseconds).into()).ok_or_else(too_large)
}

/// `left + right` of collections, binaries and URIs.
fn concatenate(left: Value, right: Value) -> Result<Value, Error> {
    match (left, right) {
        (Value::Array(mut left), right) => {
            let values = Arc::make_mut(&mut left);
            match right {
                Value::Array(right) => values.extend(right.iter().cloned()),
                Value::Hash(right) => values.extend(pairs(&right)),
                right => values.push(right),
            }
            Ok(Value::Array(left))
        }
        (Value::Hash(mut left), right) => {
            let entries = match right {
                Value::Hash(right) => right,
                Value::Array(right) => Arc::new(array_to_hash(&right)?),
                _ => return Err(Error::argument("Can only append Array or Hash to a Hash")),
            };
            let hash = Arc::make_mut(&mut left);
            entries.iter().for_each(|(key, value)| hash.put(key.clone(), value.clone()));
            Ok(Value::Hash(left))
        }
        (Value::Binary(mut left), Value::Binary(right)) => {
            Arc::make_mut(&mut left).extend_from_slice(&right);
            Ok(Value::Binary(left))
        }
        (Value::Binary(_), _) => Err(Error::argument("Can only append Binary to a Binary")),
        (Value::Uri(left), Value::Uri(right)) => bunraku_pcore::types::uri::merge(&left.text, &right.text),
        (Value::Uri(left), Value::String(right)) => {
            bunraku_pcore::types::uri::merge(&left.text, right.as_str())
        }
        (Value::Uri(_), _) => Err(Error::argument("An URI can only be merged with an URI or String")),
        (left, right) => concatenate(Value::array([left]), right),
    }
}

/// Whether a list or hash has no other holder, so that it is changed in place.
fn is_alone(value: &Value) -> bool {
    match value {
        Value::Array(values) => Arc::strong_count(values) == 1,
        Value::Hash(hash) => Arc::strong_count(hash) == 1,
        _ => false,
    }
}

fn pairs(hash: &Hash) -> impl Iterator<Item = Value> {
    hash.iter().map(|(key, value)| Value::array([key.clone(), value.clone()]))
}

/// An array as a hash: of pairs when all elements are arrays, else of keys and values in turn.
fn array_to_hash(values: &[Value]) -> Result<Hash, Error> {
    if let [Value::Hash(hash)] = values {
        return Ok((**hash).clone());
    }
    let is_array = |value: &Value| matches!(value, Value::Array(_));
    if !values.is_empty() && values.iter().all(is_array) {
        let pair = |(index, value): (usize, &Value)| match value {
            Value::Array(pair) => match &pair[..] {
                [key, value] => Ok((key.clone(), value.clone())),
                other => Err(Error::argument(format!(
                    "wrong array length at {index} (expected 2, was {})",
                    other.len()
                ))),
            },
            _ => Err(Error::argument("a pair is not an array")),
        };
        return values.iter().enumerate().map(pair).collect();
    }
    if values.len() % 2 == 1 {
        return Err(Error::argument("odd number of arguments for Hash"));
    }
    Ok(values.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect())
}

/// The elements to remove from a list. Texts and whole numbers are looked up; values that can equal those of
/// another kind are compared with each.
struct Gone {
    texts: FxHashSet<Str>,
    numbers: FxHashSet<i64>,
    others: Vec<Value>,
    all: Vec<Value>,
}

impl Gone {
    fn of(right: &Value) -> Self {
        let all: Vec<Value> = match right {
            Value::Array(right) => right.to_vec(),
            Value::Hash(right) => pairs(right).collect(),
            other => vec![other.clone()],
        };
        let mut gone = Self {
            texts: FxHashSet::default(),
            numbers: FxHashSet::default(),
            others: Vec::new(),
            all: Vec::new(),
        };
        for value in &all {
            match value {
                Value::String(text) => drop(gone.texts.insert(text.clone())),
                Value::Integer(number) => drop(gone.numbers.insert(*number)),
                other => gone.others.push(other.clone()),
            }
        }
        Self { all, ..gone }
    }

    /// The number of comparisons and lookups to remove these from a list.
    fn comparisons(&self, left: &Value) -> usize {
        let Value::Array(values) = left else { return 0 };
        let is_looked_up = |value: &&Value| matches!(value, Value::String(_) | Value::Integer(_));
        let looked_up = values.iter().filter(is_looked_up).count();
        let looked_at = looked_up.saturating_mul(self.others.len() + 1);
        looked_at.saturating_add((values.len() - looked_up).saturating_mul(self.all.len() + 1))
    }

    fn contains(&self, value: &Value) -> bool {
        let is_among = |all: &[Value]| all.iter().any(|gone| ruby_equals(value, gone));
        match value {
            Value::String(text) => self.texts.contains(text) || is_among(&self.others),
            Value::Integer(number) => self.numbers.contains(number) || is_among(&self.others),
            _ => is_among(&self.all),
        }
    }
}

/// A list without some values.
fn without(left: Value, gone: &Gone) -> Value {
    let Value::Array(mut values) = left else { return left };
    Arc::make_mut(&mut values).retain(|value| !gone.contains(value));
    Value::Array(values)
}

/// A hash without some keys.
fn without_keys(left: Value, right: &Value) -> Value {
    let Value::Hash(mut hash) = left else { return left };
    let of_keys = |keys: &mut dyn Iterator<Item = &Value>| keys.map(|key| (key.clone(), ())).collect();
    let gone: Pairs<Value, ()> = match right {
        Value::Array(keys) => of_keys(&mut keys.iter()),
        Value::Hash(keys) => of_keys(&mut keys.keys()),
        key => of_keys(&mut std::iter::once(key)),
    };
    Arc::make_mut(&mut hash).retain(|key, _| !gone.contains_key(key));
    Value::Hash(hash)
}

/// The number in a text: decimal, octal (`017`), hexadecimal (`0x1f`) or with a fraction, with a sign and
/// surrounding blanks. One beyond 64 bits is returned as a text of its digits, for messages.
pub fn to_n(text: &str) -> Option<Value> {
    let is_blank = |character: char| matches!(character, ' ' | '\t');
    let text = text.strip_prefix("::").unwrap_or(text).trim_matches(is_blank);
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?.trim_start_matches(is_blank)),
        b'+' => (false, text.get(1..)?.trim_start_matches(is_blank)),
        _ => (false, text),
    };
    if let Some(hexadecimal) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return whole_number(negative, hexadecimal, 16);
    }
    let whole = digits.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = digits.split_at(whole);
    if whole.is_empty() {
        return None;
    }
    let radix = if whole.len() > 1 && whole.starts_with('0') { 8 } else { 10 };
    if rest.is_empty() {
        return whole_number(negative, whole, radix);
    }
    if !is_fraction(rest) {
        return None;
    }
    // Ruby reads the whole part by itself first, and refuses `08`.
    let is_zero = match whole_number(false, whole, radix)? {
        Value::Integer(number) => number == 0,
        _ => false,
    };
    let zeros = rest.strip_prefix('.').unwrap_or(rest).trim_start_matches('0');
    if is_zero && zeros.starts_with(['e', 'E']) {
        return None;
    }
    let number: f64 = digits.parse().ok().filter(|number: &f64| number.is_finite())?;
    Some(Value::Float(if negative { -number } else { number }))
}

/// `.5`, `e10`, `.5e-10`
fn is_fraction(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (fraction, exponent) = match text.split_once(['e', 'E']) {
        Some((fraction, exponent)) => (fraction, Some(exponent)),
        None => (text, None),
    };
    let exponent = exponent.is_none_or(|exponent| digits(exponent.strip_prefix('-').unwrap_or(exponent)));
    let fraction = fraction.is_empty() || fraction.strip_prefix('.').is_some_and(digits);
    fraction && exponent
}

fn whole_number(negative: bool, digits: &str, radix: u32) -> Option<Value> {
    if digits.is_empty() || !digits.bytes().all(|byte| (byte as char).is_digit(radix)) {
        return None;
    }
    bunraku_pcore::number::parse_digits(negative, digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbers_as_the_language_writes_them() {
        assert_eq!(to_n(" - 017 "), Some(Value::Integer(-15)));
        assert_eq!(to_n("0X1f"), Some(Value::Integer(31)));
        assert_eq!(to_n("1.5e-1"), Some(Value::Float(0.15)));
        assert_eq!(to_n("08"), None);
        assert_eq!(to_n("0.0e5"), None);
        assert_eq!(to_n("1."), None);
    }

    #[test]
    fn integers_round_down_and_overflow() {
        let result = |operator, left, right| integers(operator, left, right).ok();
        assert_eq!(result(ArithmeticOperator::Divide, -7, 2), Some(Value::Integer(-4)));
        assert_eq!(result(ArithmeticOperator::Modulo, -7, 2), Some(Value::Integer(1)));
        assert_eq!(result(ArithmeticOperator::ShiftLeft, 1, -1), Some(Value::Integer(0)));
        assert_eq!(result(ArithmeticOperator::Plus, i64::MAX, 1), None);
        assert_eq!(result(ArithmeticOperator::ShiftLeft, -1, 200), None);
        assert_eq!(result(ArithmeticOperator::ShiftRight, -1, i64::MAX), Some(Value::Integer(-1)));
    }
}
