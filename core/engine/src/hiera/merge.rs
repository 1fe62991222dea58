//! Merge strategies: they combine the values of several places for one key.
//!
//! Follows the reference's `pops/merge_strategy.rb`, and the gem `deep_merge` (1.1) that it uses.

use std::cell::OnceCell;
use std::sync::{Arc, LazyLock};

use indexmap::IndexSet;
use regex::Regex;
use rustc_hash::FxBuildHasher;

use super::error::{LookupError, LookupResult};
use super::explain::Part;
use super::invocation::Invocation;
use super::session::Session;
use super::types;
use bunraku_pcore::fuel::Fuel;
use bunraku_pcore::pairs::FEW;
use bunraku_pcore::ruby::values as ruby;
use bunraku_pcore::types::{NoTypes, Type, aliases};
use bunraku_pcore::value::{Hash, Value};
use bunraku_syntax::diagnostic::Error;

/// The strategies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    First,
    Default,
    Hash,
    Unique,
    Deep,
    UnconstrainedDeep,
    ReverseDeep,
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::First,
        Self::Default,
        Self::Hash,
        Self::Unique,
        Self::Deep,
        Self::UnconstrainedDeep,
        Self::ReverseDeep,
    ];

    /// The type of the options.
    fn options_type(self) -> Result<Type, Error> {
        /// A constant, built on first use.
        static TYPES: LazyLock<[Result<Type, Error>; 7]> =
            LazyLock::new(|| Kind::ALL.map(|kind| Type::parse(kind.options_type_text(), &NoTypes)));
        TYPES.get(self as usize).cloned().unwrap_or_else(|| Ok(Type::any()))
    }

    const fn options_type_text(self) -> &'static str {
        match self {
            Self::First => "Struct[{strategy=>Optional[Pattern[/first/]]}]",
            Self::Default => "Struct[{strategy=>Optional[Pattern[/default/]]}]",
            Self::Hash => "Struct[{strategy=>Optional[Pattern[/hash/]]}]",
            Self::Unique => "Struct[{strategy=>Optional[Pattern[/unique/]]}]",
            Self::Deep => {
                "Struct[{strategy=>Optional[Pattern[deep]],knockout_prefix=>Optional[String],merge_debug=>\
                 Optional[Boolean],merge_hash_arrays=>Optional[Boolean],sort_merged_arrays=>Optional[Boolean]}]"
            }
            Self::UnconstrainedDeep | Self::ReverseDeep => "Hash[String[1],Any]",
        }
    }
}

/// A merge strategy with its options.
#[derive(Clone, Debug)]
pub(super) struct Strategy {
    kind: Kind,
    options: Hash,
}

/// The maximum nesting of data.
const MAX_DEPTH: usize = 500;

impl Strategy {
    /// Takes the first value that is found.
    pub fn default() -> Self {
        Self { kind: Kind::Default, options: Hash::default() }
    }

    /// Merges hashes at their top level.
    pub fn hash() -> Self {
        Self { kind: Kind::Hash, options: Hash::default() }
    }

    /// The strategy for a name, or for a hash with a name and options.
    ///
    /// Errors: an unknown name, or unknown options of the strategy.
    pub fn new(merge: Option<&Value>) -> Result<Self, LookupError> {
        let (name, options) = match merge {
            None | Some(Value::Undef | Value::Boolean(false)) => return Ok(Self::default()),
            Some(Value::Hash(hash)) => match hash.get(&Value::from("strategy")) {
                None | Some(Value::Undef) => {
                    return Err(Error::argument(
                        "The hash given as 'merge' must contain the name of a strategy in string form for the key \
                         'strategy'",
                    )
                    .into());
                }
                Some(name) if hash.len() == 1 => (name, Hash::default()),
                Some(name) => (name, Hash::clone(hash)),
            },
            Some(name) => (name, Hash::default()),
        };
        let kind = match name.as_str() {
            Some("first") => Kind::First,
            Some("default") => Kind::Default,
            Some("hash") => Kind::Hash,
            Some("unique") => Kind::Unique,
            Some("deep") => Kind::Deep,
            Some("unconstrained_deep") if options.is_empty() => Kind::Deep,
            Some("unconstrained_deep") => Kind::UnconstrainedDeep,
            Some("reverse_deep") => Kind::ReverseDeep,
            _ => {
                let name = super::text::to_s(name);
                return Err(Error::argument(format!("Unknown merge strategy: '{name}'")).into());
            }
        };
        let strategy = Self { kind, options };
        if !strategy.options.is_empty() {
            let options = Value::from(strategy.options.clone());
            types::assert_type("The merge options", &strategy.kind.options_type()?, &options)?;
        }
        Ok(strategy)
    }

    /// Whether it is the strategy that is used when none is asked for.
    pub fn is_default(&self) -> bool {
        self.kind == Kind::Default
    }

    /// Whether it is `hash`.
    pub fn is_hash(&self) -> bool {
        self.kind == Kind::Hash
    }

    /// Whether it is `unique`.
    pub fn is_unique(&self) -> bool {
        self.kind == Kind::Unique
    }

    /// Whether it merges hashes within hashes.
    pub fn is_deep(&self) -> bool {
        matches!(self.kind, Kind::Deep | Kind::UnconstrainedDeep | Kind::ReverseDeep)
    }

    fn name(&self) -> &'static str {
        match self.kind {
            Kind::First => "first",
            Kind::Default => "default",
            Kind::Hash => "hash",
            Kind::Unique => "unique",
            Kind::Deep => "deep",
            Kind::UnconstrainedDeep => "unconstrained_deep",
            Kind::ReverseDeep => "reverse_deep",
        }
    }

    /// Takes the values of places, highest priority first, as far as they are wanted, and merges them.
    pub fn merge_all(
        &self,
        session: Session<'_, '_>,
        invocation: &Invocation,
        values: impl ExactSizeIterator<Item = LookupResult>,
    ) -> LookupResult {
        let count = values.len();
        let mut found = values.filter(|value| !matches!(value, Err(LookupError::NoSuchKey)));
        if matches!(self.kind, Kind::First | Kind::Default) {
            return found.next().unwrap_or(Err(LookupError::NoSuchKey));
        }
        if count < 2 {
            let value = found.next().ok_or(LookupError::NoSuchKey)??;
            session.charge_value(&value)?;
            return Ok(self.merge_single(value));
        }
        let _merge = invocation.observe(|| self.part());
        if self.kind == Kind::Unique {
            return Ok(invocation.report_result(merge_uniquely(session, found)?));
        }
        let mut result: Option<Value> = None;
        // A merged value has the expected type.
        let mut is_merged = false;
        for value in found {
            let value = value?;
            result = Some(match result {
                None => value,
                Some(before) => {
                    let mut source = before.clone();
                    session.charge_value(&before)?;
                    session.charge_value(&value)?;
                    self.check_elements((!is_merged).then_some(&before), &value)?;
                    let merged = self.merge_checked(&mut source, &value, &session.evaluator.usage)?;
                    is_merged = true;
                    session.evaluator.usage.check_value(&merged)?;
                    if !source.is_same(&before) {
                        invocation.report_changed(&before, &source);
                    }
                    merged
                }
            });
        }
        result.map(|value| invocation.report_result(value)).ok_or(LookupError::NoSuchKey)
    }

    fn part(&self) -> Part {
        let mut options = self.options.clone();
        options.shift_remove(&Value::from("strategy"));
        Part::Merge { strategy: self.name(), options }
    }

    /// Merges two values; the first has the higher priority.
    pub fn merge(&self, session: Session<'_, '_>, first: &Value, second: &Value) -> LookupResult {
        self.merge_into(session, &mut first.clone(), second)
    }

    /// Merges two values. The first one loses the elements that a deep merge removes (those with the knockout
    /// prefix); the reference's explanations show that.
    fn merge_into(&self, session: Session<'_, '_>, first: &mut Value, second: &Value) -> LookupResult {
        session.charge_value(first)?;
        session.charge_value(second)?;
        self.merged(first, second, &session.evaluator.usage)
    }

    fn merged(&self, first: &mut Value, second: &Value, fuel: &dyn Fuel) -> LookupResult {
        self.check_elements(Some(first), second)?;
        self.merge_checked(first, second, fuel)
    }

    /// Rejects values that the strategy cannot merge; the first one is `None` if it was already checked.
    fn check_elements(&self, first: Option<&Value>, second: &Value) -> Result<(), LookupError> {
        static HASH: LazyLock<Type> = LazyLock::new(|| Type::hash(Type::any_string(), aliases::data(), None));
        static UNIQUE: LazyLock<Type> =
            LazyLock::new(|| Type::variant([Type::scalar(), Type::array(aliases::data(), None)]));
        let expected: Option<&Type> = match self.kind {
            Kind::Hash => Some(&HASH),
            Kind::Unique => Some(&UNIQUE),
            Kind::First | Kind::Default | Kind::Deep | Kind::UnconstrainedDeep | Kind::ReverseDeep => None,
        };
        let Some(expected) = expected else { return Ok(()) };
        let is_plain = |value: &Value| match value {
            Value::Hash(_) => self.kind == Kind::Hash && value.holds::<types::PlainData>(),
            Value::Array(_) => self.kind == Kind::Unique && value.holds::<types::PlainData>(),
            _ => false,
        };
        if let Some(first) = first.filter(|first| !is_plain(first)) {
            types::assert_type("The first element of the merge", expected, first)?;
        }
        if !is_plain(second) {
            types::assert_type("The second element of the merge", expected, second)?;
        }
        Ok(())
    }

    fn merge_checked(&self, first: &mut Value, second: &Value, fuel: &dyn Fuel) -> LookupResult {
        match self.kind {
            Kind::Deep | Kind::UnconstrainedDeep => return self.deep(first, second, fuel),
            Kind::ReverseDeep => return self.deep(&mut second.clone(), first, fuel),
            Kind::First | Kind::Default | Kind::Hash | Kind::Unique => {}
        }
        match (self.kind, &*first, second) {
            (Kind::Hash, Value::Hash(first), Value::Hash(second)) => {
                let mut result = Hash::clone(second);
                result.extend(first.iter().map(|(key, value)| (key.clone(), value.clone())));
                Ok(Value::from(result))
            }
            (Kind::Unique, first, second) => {
                let mut all = flatten(first);
                all.extend(flatten(second));
                Ok(unique(all))
            }
            (_, first, _) => Ok(first.clone()),
        }
    }

    fn merge_single(&self, value: Value) -> Value {
        match (self.kind, &value) {
            (Kind::Unique, Value::Array(list)) => unique(list.to_vec()),
            _ => value,
        }
    }

    fn deep(&self, source: &mut Value, dest: &Value, fuel: &dyn Fuel) -> LookupResult {
        let options = DeepOptions::new(&self.options, fuel)?;
        Ok(options.merge(source, dest.clone(), 0)?)
    }
}

/// The members of all values, each once.
fn merge_uniquely(session: Session<'_, '_>, values: impl Iterator<Item = LookupResult>) -> LookupResult {
    let unique = Strategy { kind: Kind::Unique, options: Hash::default() };
    let mut first = None;
    let mut all: Option<IndexSet<Value, FxBuildHasher>> = None;
    for value in values {
        let value = value?;
        let Some(before) = &first else {
            first = Some(Value::from(flatten(&value)));
            continue;
        };
        session.charge_value(&value)?;
        unique.check_elements(all.is_none().then_some(before), &value)?;
        let all = all.get_or_insert_with(|| flatten(before).into_iter().collect());
        let more = flatten(&value);
        all.reserve(more.len());
        all.extend(more);
        session.evaluator.usage.check_count(all.len())?;
    }
    let merged = all.map(Value::array).or(first).ok_or(LookupError::NoSuchKey)?;
    session.charge_value(&merged)?;
    session.evaluator.usage.check_value(&merged)?;
    Ok(merged)
}

/// The members of an array and of nested arrays; any other value as the only one.
fn flatten(value: &Value) -> Vec<Value> {
    fn add(value: &Value, depth: usize, result: &mut Vec<Value>) {
        match value {
            Value::Array(list) if depth < MAX_DEPTH => {
                list.iter().for_each(|value| add(value, depth + 1, result));
            }
            value => result.push(value.clone()),
        }
    }
    let mut result = Vec::new();
    add(value, 0, &mut result);
    result
}

fn unique(values: Vec<Value>) -> Value {
    Value::from(distinct(values))
}

/// The values, each once.
fn distinct(mut values: Vec<Value>) -> Vec<Value> {
    if values.len() > FEW {
        return values.into_iter().collect::<IndexSet<_, FxBuildHasher>>().into_iter().collect();
    }
    let mut kept = 0;
    for at in 0..values.len() {
        let (before, rest) = values.split_at(at);
        let is_new = rest.first().is_some_and(|value| !before.iter().take(kept).any(|known| known == value));
        if is_new {
            values.swap(kept, at);
            kept += 1;
        }
    }
    values.truncate(kept);
    values
}

/// The options of the gem `deep_merge`.
struct DeepOptions<'m> {
    fuel: &'m dyn Fuel,
    preserve_unmergeables: bool,
    knockout_prefix: Option<String>,
    /// The prefix at the beginning of a line, once there may be one.
    knockout: OnceCell<Option<Regex>>,
    unpack_arrays: Option<String>,
    overwrite_arrays: bool,
    sort_merged_arrays: bool,
    merge_hash_arrays: bool,
    extend_existing_arrays: bool,
}

impl<'m> DeepOptions<'m> {
    fn new(options: &Hash, fuel: &'m dyn Fuel) -> Result<Self, Error> {
        let flag = |name: &str| options.get(&Value::from(name)).is_some_and(Value::is_truthy);
        let text = |name: &str| options.get(&Value::from(name)).and_then(Value::as_str).map(str::to_owned);
        let knockout_prefix = text("knockout_prefix");
        let preserve_unmergeables = flag("preserve_unmergeables");
        if knockout_prefix.as_deref() == Some("") {
            return Err(Error::argument("knockout_prefix cannot be an empty string in deep_merge!"));
        }
        if knockout_prefix.is_some() && preserve_unmergeables {
            let message = "overwrite_unmergeable must be true if knockout_prefix is specified in deep_merge!";
            return Err(Error::argument(message));
        }
        Ok(Self {
            fuel,
            preserve_unmergeables,
            knockout_prefix,
            knockout: OnceCell::new(),
            unpack_arrays: text("unpack_arrays"),
            overwrite_arrays: flag("overwrite_arrays"),
            sort_merged_arrays: flag("sort_merged_arrays"),
            merge_hash_arrays: flag("merge_hash_arrays"),
            extend_existing_arrays: flag("extend_existing_arrays"),
        })
    }

    /// A text without the knockout prefix, when it has it.
    fn knocked_out<'t>(&self, text: &'t str) -> Option<std::borrow::Cow<'t, str>> {
        let prefix = self.knockout_prefix.as_deref()?;
        let stands_for_itself = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'~');
        if prefix.bytes().all(stands_for_itself) && !text.starts_with(prefix) && !text.contains('\n') {
            return None;
        }
        let make = || {
            Regex::new(&format!("(?m)^{prefix}"))
                .or_else(|_| Regex::new(&format!("(?m)^{}", regex::escape(prefix))))
                .ok()
        };
        let knockout = self.knockout.get_or_init(make).as_ref()?;
        match knockout.replace_all(text, "") {
            std::borrow::Cow::Borrowed(_) => None,
            changed => Some(changed),
        }
    }

    /// Merges `source` into `dest`. Elements removed from `source` on the way are missing in it afterwards.
    fn merge(&self, source: &mut Value, dest: Value, depth: usize) -> Result<Value, Error> {
        if depth > MAX_DEPTH {
            return Err(Error::internal("Data is nested too deeply"));
        }
        self.fuel.charge(1)?;
        if source.is_undef() {
            return Ok(dest);
        }
        if !dest.is_truthy() && !self.preserve_unmergeables {
            return Ok(source.clone());
        }
        match source {
            Value::Hash(_) => self.merge_hash(source, dest, depth),
            Value::Array(_) => self.merge_array(source, dest, depth),
            _ => match dest {
                Value::Array(list) if self.extend_existing_arrays => {
                    let mut list = list.to_vec();
                    list.push(source.clone());
                    Ok(Value::from(list))
                }
                dest => Ok(self.overwrite(source, dest)),
            },
        }
    }

    fn merge_hash(&self, source: &mut Value, dest: Value, depth: usize) -> Result<Value, Error> {
        let Value::Hash(hash) = source else { return Ok(dest) };
        let hash = hash.clone();
        let mut dest = dest;
        for (key, value) in hash.iter() {
            match &mut dest {
                Value::Hash(result) => {
                    let result = Arc::make_mut(result);
                    let mut part = value.clone();
                    match result.get_mut(key) {
                        Some(present) => {
                            let own =
                                if present.is_truthy() { std::mem::take(present) } else { value.clone() };
                            *present = self.merge(&mut part, own, depth + 1)?;
                        }
                        None => {
                            let own = self.merge(&mut part, value.clone(), depth + 1)?;
                            result.insert(key.clone(), own);
                        }
                    }
                    if let (Value::Hash(own), false) = (&mut *source, part.is_same(value)) {
                        Arc::make_mut(own).insert(key.clone(), part);
                    }
                }
                Value::Array(list) if self.extend_existing_arrays => {
                    Arc::make_mut(list).push(source.clone());
                }
                _ if !self.preserve_unmergeables => {
                    let before = std::mem::take(&mut dest);
                    dest = self.overwrite(source, before);
                }
                _ => {}
            }
        }
        Ok(dest)
    }

    fn merge_array(&self, source: &mut Value, dest: Value, depth: usize) -> Result<Value, Error> {
        if self.overwrite_arrays {
            return Ok(source.clone());
        }
        let Value::Array(own) = &*source else { return Ok(dest) };
        let mut items = own.to_vec();
        let mut dest = dest;
        if let Some(separator) = &self.unpack_arrays {
            items = split_and_join(&items, separator);
            if let Value::Array(list) = &dest {
                dest = Value::from(split_and_join(list, separator));
            }
        }
        let count = items.len();
        if let Some(prefix) = &self.knockout_prefix {
            let naked = |value: &Value| value.as_str() == Some(prefix);
            if items.iter().any(naked) {
                dest = match dest {
                    Value::Array(_) => Value::array([]),
                    Value::Hash(_) => Value::hash([]),
                    Value::String(_) => Value::from(""),
                    _ => Value::Undef,
                };
                items.retain(|value| !naked(value));
            }
        }
        let Value::Array(list) = &dest else {
            let mut items = Value::from(items);
            return Ok(if self.preserve_unmergeables { dest } else { self.overwrite(&mut items, dest) });
        };
        let mut list = list.to_vec();
        if self.knockout_prefix.is_some() {
            let mut kept = Vec::with_capacity(items.len());
            for item in items {
                let Some(name) = item.as_str().and_then(|text| self.knocked_out(text)) else {
                    kept.push(item);
                    continue;
                };
                // Each knocked-out element is searched for in the whole list.
                self.fuel.charge(1 + (list.len() / 16) as u64)?;
                list.retain(|value| value.as_str() != Some(&*name) && *value != item);
            }
            items = kept;
        }
        if items.len() != count && self.unpack_arrays.is_none() {
            *source = Value::from(items.clone());
        }
        let all_hashes = |values: &[Value]| values.iter().all(|value| matches!(value, Value::Hash(_)));
        let mut result = if self.merge_hash_arrays && all_hashes(&items) && all_hashes(&list) {
            let mut merged = Vec::with_capacity(list.len().max(items.len()));
            for (at, value) in list.iter().enumerate() {
                let mut item = items.get(at).cloned().unwrap_or_else(|| Value::hash([]));
                merged.push(self.merge(&mut item, value.clone(), depth + 1)?);
            }
            merged.extend(items.into_iter().skip(list.len()));
            merged
        } else {
            list.extend(items);
            distinct(list)
        };
        if self.sort_merged_arrays {
            ruby::sort(&mut result, &mut ruby::ordered)?;
        }
        Ok(Value::from(result))
    }

    /// The result if two values cannot be merged.
    fn overwrite(&self, source: &mut Value, dest: Value) -> Value {
        if self.preserve_unmergeables {
            return dest;
        }
        if self.knockout_prefix.is_none() {
            return source.clone();
        }
        let is_kept = |value: &Value| value.as_str().is_none_or(|text| self.knocked_out(text).is_none());
        match &*source {
            Value::String(text) if self.knocked_out(text).is_some() => Value::from(""),
            Value::Array(list) if !list.iter().all(is_kept) => {
                *source = Value::array(list.iter().filter(|value| is_kept(value)).cloned());
                source.clone()
            }
            _ => source.clone(),
        }
    }
}

fn split_and_join(values: &[Value], separator: &str) -> Vec<Value> {
    let texts: Vec<String> = values.iter().map(super::text::to_s).collect();
    let joined = texts.join(separator);
    if separator.is_empty() {
        return joined.chars().map(|char| Value::from(char.to_string())).collect();
    }
    let mut parts: Vec<&str> = joined.split(separator).collect();
    while parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    parts.into_iter().map(Value::from).collect()
}

#[cfg(test)]
mod tests {
    use super::super::yaml;
    use super::*;
    use bunraku_pcore::fuel::Unmetered;

    fn merged(options: &str, first: &str, second: &str) -> Value {
        let read = |text| yaml::parse(text, None).unwrap();
        let Value::Hash(options) = read(options) else { panic!("options are a hash") };
        let strategy = Strategy { kind: Kind::Deep, options: Hash::clone(&options) };
        strategy.merged(&mut read(first), &read(second), &Unmetered).unwrap_or_default()
    }

    fn read(text: &str) -> Value {
        yaml::parse(text, None).unwrap()
    }

    #[test]
    fn deep_merges_follow_the_gem() {
        assert_eq!(
            merged("{}", "{a: 1, l: [3, 1], h: {x: 1}}", "{a: 2, l: [1, 2], h: {y: 2}, z: 0}"),
            read("{a: 1, l: [1, 2, 3], h: {y: 2, x: 1}, z: 0}")
        );
        assert_eq!(
            merged("{knockout_prefix: '--'}", "{l: [x, '--y'], k: '--'}", "{l: [y, z], k: old}"),
            read("{l: [z, x], k: ''}")
        );
        assert_eq!(
            merged("{merge_hash_arrays: true}", "{l: [{a: 1}, {b: 2}]}", "{l: [{c: 3}]}"),
            read("{l: [{c: 3, a: 1}, {b: 2}]}")
        );
        assert_eq!(merged("{sort_merged_arrays: true}", "[3, 1]", "[2]"), read("[1, 2, 3]"));
    }
}
