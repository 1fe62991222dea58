//! Types of texts and patterns.

use std::sync::Arc;

use super::{Depth, Family, Formatter, Guard, size_of, text_value, view};
use crate::data::value::{RegexpValue, Str, Value};
use crate::types::access::{Access, Blame, Keys, refuse, size};
use crate::types::annotation::Annotation;
use crate::types::attributes::AttributeValues;
use crate::types::construct::unique;
use crate::types::format::{quote, regexp_text};
use crate::types::instance::{enum_includes, matches};
use crate::types::mismatch::{Comparison, Mismatch};
use crate::types::{IntRange, Type, TypeKind, factory};
use bunraku_syntax::diagnostic::{Error, issues};
use bunraku_syntax::pattern::with_options;

impl Family for view::String<'_> {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        let Some(size) = self.size else {
            return match (self.value, that.kind()) {
                (None, TypeKind::String { .. } | TypeKind::Enum { .. } | TypeKind::Pattern(_)) => true,
                (Some(value), TypeKind::String { value: Some(other), .. }) => value == other,
                // The reference compares nothing more here.
                (Some(_), TypeKind::Enum { values, case_insensitive }) => {
                    values.len() == 1 && !case_insensitive
                }
                _ => false,
            };
        };
        match that.kind() {
            TypeKind::String { size: other, value } => {
                let other = match (other, value) {
                    (Some(other), _) => *other,
                    (None, Some(value)) => IntRange::exactly(value.chars().count()),
                    (None, None) => IntRange::ANY_SIZE,
                };
                size.covers(&other)
            }
            TypeKind::Enum { values, .. } if values.is_empty() => size.covers(&IntRange::ANY_SIZE),
            TypeKind::Enum { values, .. } => {
                values.iter().all(|text| size.includes_size(text.chars().count()))
            }
            TypeKind::Pattern(_) => size.covers(&IntRange::ANY_SIZE),
            _ => false,
        }
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        let has_range = self.size.is_some_and(|size| !size.is_unbounded());
        out.array("String", !has_range, |f| {
            f.range(*self.size);
            f.chomp_list();
        });
    }

    fn generalized(&self, _: &Type, _: &dyn Fn(&Type) -> Type) -> Type {
        Type::any_string()
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![match self.value {
            Some(value) => Value::String(value.clone()),
            None => size_of(*self.size),
        }])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        match keys.flat.len() {
            1 | 2 => Ok(Type::string(Some(size(0, &keys.flat)?))),
            count => refuse(Blame::Whole, issues::bad_string_slice_arity(count)),
        }
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        given.between("String", 1, 2)?;
        Ok(Value::Type(Type::string(Some(given.size(&given.keys)?))))
    }

    fn common(&self, that: &Type, _: u32) -> Option<Type> {
        match that.kind() {
            TypeKind::Enum { values, .. } => Some(with_value(values, self.value.as_ref())),
            TypeKind::String { size, value } => Some(match (self.size, size) {
                (Some(a), Some(b)) => Type::string(Some(a.hull(b))),
                _ => match (self.value, value) {
                    (Some(value), Some(other)) => Type::enumeration([value.clone(), other.clone()], false),
                    _ => Type::any_string(),
                },
            }),
            _ => None,
        }
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        match given.at(0) {
            Value::String(value) => Ok(Type::string_value(value.clone())),
            _ => Ok(Type::string(given.range(0)?)),
        }
    }
}

impl Family for view::Enum<'_> {
    fn accepts(&self, this: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        let Self { values, case_insensitive } = *self;
        if this == that {
            return true;
        }
        let includes = |text: &Str| enum_includes(values, *case_insensitive, text);
        match that.kind() {
            TypeKind::String { .. } | TypeKind::Enum { .. } | TypeKind::Pattern(_) if values.is_empty() => {
                true
            }
            TypeKind::String { value, .. } => value.as_ref().is_some_and(includes),
            TypeKind::Enum { values: others, case_insensitive: fold } => {
                !others.is_empty() && (*case_insensitive || !fold) && others.iter().all(includes)
            }
            _ => false,
        }
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.array("Enum", self.values.is_empty(), |f| {
            for value in self.values {
                f.push(quote(value));
                f.comma();
            }
            if *self.case_insensitive {
                f.push("true");
            } else {
                f.chomp_list();
            }
        });
    }

    fn generalized(&self, _: &Type, _: &dyn Fn(&Type) -> Type) -> Type {
        let sizes = self.values.iter().map(|value| i64::try_from(value.chars().count()).unwrap_or(i64::MAX));
        match (sizes.clone().min(), sizes.max()) {
            (Some(least), Some(most)) => Type::string(Some(IntRange::new(Some(least), Some(most)))),
            _ => Type::any_string(),
        }
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        let values = Value::array(self.values.iter().cloned().map(Value::String));
        Ok(vec![values, Value::Boolean(*self.case_insensitive)])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        let (texts, case_insensitive) = match keys.flat.split_last() {
            Some((Value::Boolean(fold), texts)) => (texts, *fold),
            _ => (keys.flat.as_slice(), false),
        };
        keys.assert(texts, None, "String", |key| matches!(key, Value::String(_)))?;
        Ok(Type::enumeration(texts.iter().filter_map(Value::as_str), case_insensitive))
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        let (texts, case_insensitive) = match given.keys.split_last() {
            Some((Value::Boolean(fold), texts)) => (texts, *fold),
            _ => (given.keys.as_slice(), false),
        };
        given.some("Enum", texts)?;
        let texts = texts.iter().map(|key| match key {
            Value::String(text) => Ok(text.clone()),
            _ => Err(Error::plain("Enum parameters must be identifiers or strings")),
        });
        Ok(Value::Type(Type::enumeration(texts.collect::<Result<Vec<_>, _>>()?, case_insensitive)))
    }

    fn common(&self, that: &Type, _: u32) -> Option<Type> {
        match that.kind() {
            TypeKind::Enum { values, .. } => {
                let all = unique(self.values.iter().chain(values).cloned());
                Some(Type::enumeration(all, false))
            }
            TypeKind::String { value, .. } => Some(with_value(self.values, value.as_ref())),
            _ => None,
        }
    }

    fn mismatches(&self, _: &Type, asked: &Comparison<'_>) -> Vec<Mismatch> {
        vec![Mismatch::of_pattern(asked.path, asked.original, asked.actual)]
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        let values = given.list(0)?.iter().map(|value| value.as_str().map(Str::from));
        let values: Option<Vec<Str>> = values.collect();
        Ok(Type::enumeration(
            values.ok_or_else(|| given.refused())?,
            matches!(given.at(1), Value::Boolean(true)),
        ))
    }
}

impl Family for view::Pattern<'_> {
    fn accepts(&self, this: &Type, that: &Type, _: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        let patterns = self.patterns;
        let any = |text: &Str| patterns.iter().any(|pattern| matches(pattern, text, depth));
        match that.kind() {
            _ if this == that => true,
            TypeKind::String { value, .. } => patterns.is_empty() || value.as_ref().is_some_and(any),
            TypeKind::Enum { values, .. } => {
                patterns.is_empty() || (!values.is_empty() && values.iter().all(any))
            }
            TypeKind::Pattern(_) => patterns.is_empty(),
            _ => false,
        }
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.array("Pattern", self.patterns.is_empty(), |f| {
            for pattern in self.patterns {
                f.push(regexp_text(pattern));
                f.comma();
            }
            f.chomp_list();
        });
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        let pattern =
            |pattern: &Arc<RegexpValue>| Value::Type(TypeKind::Regexp(Some(Arc::clone(pattern))).into());
        Ok(vec![Value::array(self.patterns.iter().map(pattern))])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        let is_pattern = |key: &Value| match key {
            Value::String(_) | Value::Regexp(_) => true,
            Value::Type(of) => matches!(of.kind(), TypeKind::Pattern(_) | TypeKind::Regexp(_)),
            _ => false,
        };
        keys.assert(&keys.flat, None, "String or Regexp or Pattern-Type or Regexp-Type", is_pattern)?;
        Ok(factory::pattern(&keys.flat)?)
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        given.some("Pattern", &given.keys)?;
        factory::pattern(&given.keys).map(Value::Type)
    }

    fn common(&self, that: &Type, _: u32) -> Option<Type> {
        let TypeKind::Pattern(others) = that.kind() else { return None };
        Some(Type::pattern_of(self.patterns.iter().chain(others).cloned()))
    }

    fn mismatches(&self, _: &Type, asked: &Comparison<'_>) -> Vec<Mismatch> {
        vec![Mismatch::of_pattern(asked.path, asked.original, asked.actual)]
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        let pattern = |value: &Value| match value {
            Value::Regexp(pattern) => Ok(pattern.in_types()),
            Value::String(source) => Ok(Arc::new(RegexpValue::new(source.clone()))),
            Value::Type(of) => match of.kind() {
                TypeKind::Regexp(Some(pattern)) => Ok(Arc::clone(pattern)),
                _ => Err(given.refused()),
            },
            _ => Err(given.refused()),
        };
        Ok(Type::pattern_of(given.list(0)?.iter().map(pattern).collect::<Result<Vec<_>, Error>>()?))
    }
}

impl Family for view::Regexp<'_> {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        matches!(that.kind(), TypeKind::Regexp(other) if self.pattern.is_none() || self.pattern == other)
    }

    fn is_instance(&self, _: &Type, value: &Value, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        match value {
            Value::Regexp(value) => self.pattern.as_ref().is_none_or(|pattern| {
                pattern.source == value.source || pattern.source == *with_options(&value.source)
            }),
            _ => false,
        }
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.array("Regexp", self.pattern.is_none(), |f| {
            f.push(self.pattern.as_ref().map_or_else(Default::default, |pattern| regexp_text(pattern)));
        });
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![text_value(self.pattern.as_ref().map(|pattern| &pattern.source))])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        let [key] = keys.flat.as_slice() else {
            let blame = if keys.flat.is_empty() { Blame::Whole } else { Blame::Key(1) };
            return keys.wrong_count(blame, 1, Some(1));
        };
        match key {
            // It is compiled when it is used.
            Value::String(source) => Ok(Type::regexp(source.clone())),
            Value::Regexp(regexp) => Ok(TypeKind::Regexp(Some(regexp.in_types())).into()),
            key => keys.wrong_specialization(0, key, "String or Regexp"),
        }
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        given.exactly("Regexp", 1)?;
        Ok(Value::Type(match given.keys.first() {
            Some(Value::String(source)) => Type::regexp(source.clone()),
            Some(Value::Regexp(regexp)) => TypeKind::Regexp(Some(regexp.in_types())).into(),
            _ => Type::any_regexp(),
        }))
    }

    fn common(&self, that: &Type, _: u32) -> Option<Type> {
        matches!(that.kind(), TypeKind::Regexp(_)).then(Type::any_regexp)
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        Ok(match given.at(0) {
            Value::String(source) => Type::regexp(source.clone()),
            Value::Regexp(pattern) => TypeKind::Regexp(Some(pattern.in_types())).into(),
            _ => TypeKind::Regexp(None).into(),
        })
    }
}

/// The Enum of values and one more; any Enum if there is none. The values are sorted, as in all Enums.
fn with_value(values: &[Str], value: Option<&Str>) -> Type {
    let Some(value) = value else { return Type::any_enum() };
    let mut all = values.to_vec();
    if let Err(at) = values.binary_search(value) {
        all.insert(at, value.clone());
    }
    TypeKind::Enum { values: all, case_insensitive: false }.into()
}
