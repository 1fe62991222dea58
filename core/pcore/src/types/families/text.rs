//! Types of texts and patterns.

use std::sync::Arc;

use super::{Depth, Family, Formatter, Guard, size_of, text_value, view};
use crate::data::value::{RegexpValue, Str, Value};
use crate::types::format::{quote, regexp_text};
use crate::types::instance::{enum_includes, matches};
use crate::types::{IntRange, Type, TypeKind};
use bunraku_syntax::diagnostic::Error;

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
        let value = self.value.as_ref().filter(|_| out.debug);
        let has_range = self.size.is_some_and(|size| !size.is_unbounded());
        out.array("String", !has_range && value.is_none(), |f| {
            f.range(*self.size);
            match value {
                Some(value) => f.push(quote(value)),
                None => f.chomp_list(),
            }
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
}

impl Family for view::Regexp<'_> {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        matches!(that.kind(), TypeKind::Regexp(other) if self.pattern.is_none() || self.pattern == other)
    }

    fn is_instance(&self, _: &Type, value: &Value, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        match value {
            Value::Regexp(value) => {
                self.pattern.as_ref().is_none_or(|pattern| pattern.source == value.source)
            }
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
}
