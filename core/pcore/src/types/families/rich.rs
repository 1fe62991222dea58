//! Types of versions, times, bytes, URIs and values of other runtimes.

use std::sync::Arc;

use super::{Depth, Family, Formatter, Guard, view};
use crate::data::ranges::covers;
use crate::data::value::{RegexpValue, RuntimeValue, Str, Value};
use crate::types::access::{Access, Blame, Keys, wrong_arity, wrong_type};
use crate::types::annotation::Annotation;
use crate::types::assign::{assignable, parameters_accept};
use crate::types::attributes::AttributeValues;
use crate::types::format::{quote, regexp_text};
use crate::types::instance::part_matches;
use crate::types::{RuntimeName, Type, TypeKind, VersionRange, factory, uri};
use bunraku_syntax::diagnostic::Error;

impl Family for view::SemVer<'_> {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        let ranges = self.ranges;
        match that.kind() {
            TypeKind::SemVer(others) => {
                ranges.is_empty()
                    || (!others.is_empty()
                        && others.iter().all(|other| ranges.iter().any(|range| other.is_covered_by(range))))
            }
            _ => false,
        }
    }

    fn is_instance(&self, _: &Type, value: &Value, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        match value {
            Value::SemVer(version) => {
                self.ranges.is_empty() || self.ranges.iter().any(|range| range.includes(version))
            }
            _ => false,
        }
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.array("SemVer", self.ranges.is_empty(), |f| {
            for range in self.ranges {
                f.push(format!("'{}'", range.text));
                f.comma();
            }
            f.chomp_list();
        });
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![Value::array(self.ranges.iter().cloned().map(Value::SemVerRange))])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        let is_range = |key: &Value| matches!(key, Value::String(_) | Value::SemVerRange(_));
        keys.assert(&keys.flat, None, "String or SemanticPuppet::VersionRange", is_range)?;
        Ok(factory::sem_ver(&keys.flat)?)
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        given.some("SemVer", &given.keys)?;
        factory::sem_ver(&given.keys).map(Value::Type)
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        let range = |value: &Value| match value {
            Value::SemVerRange(range) => Ok(Arc::clone(range)),
            Value::String(text) => VersionRange::parse(text).map(Arc::new),
            _ => Err(given.refused()),
        };
        Ok(Type::sem_ver(given.list(0)?.iter().map(range).collect::<Result<_, _>>()?))
    }
}

impl Family for view::SemVerRange {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        matches!(that.kind(), TypeKind::SemVerRange)
    }

    fn is_instance(&self, _: &Type, value: &Value, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        matches!(value, Value::SemVerRange(_))
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.push("SemVerRange");
    }
}

fn write_bounds(out: &mut Formatter, name: &str, from: Option<String>, to: Option<String>) {
    out.array(name, from.is_none() && to.is_none(), |f| {
        f.push(from.as_ref().map_or_else(|| "default".to_owned(), |from| format!("'{from}'")));
        if let Some(to) = to.filter(|to| Some(to) != from.as_ref()) {
            f.push(format!(", '{to}'"));
        }
    });
}

/// Implements types of times between bounds.
macro_rules! times {
    ($($name:ident: $any:ident, $read:ident;)*) => { $(
        impl Family for view::$name<'_> {
            fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
                match that.kind() {
                    TypeKind::$name { from, to } => covers((*self.from, *self.to), (*from, *to)),
                    _ => false,
                }
            }

            fn is_instance(&self, _: &Type, value: &Value, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
                match value {
                    Value::$name(value) => {
                        self.from.is_none_or(|from| from <= **value) && self.to.is_none_or(|to| **value <= to)
                    }
                    _ => false,
                }
            }

            fn write(&self, _: &Type, out: &mut Formatter) {
                let text = |bound: &Option<_>| bound.as_ref().map(ToString::to_string);
                write_bounds(out, stringify!($name), text(self.from), text(self.to));
            }

            fn generalized(&self, _: &Type, _: &dyn Fn(&Type) -> Type) -> Type {
                Type::$any()
            }

            fn attributes(&self) -> Result<Vec<Value>, Error> {
                let bound = |bound: &Option<_>| (*bound).map_or(Value::Undef, Value::from);
                let from = bound(self.from);
                // The type of a value has that value as both bounds: the very same one.
                let to = if self.from == self.to { from.clone() } else { bound(self.to) };
                Ok(vec![from, to])
            }

            fn keyed(&self, keys: &Keys<'_>) -> Access {
                if keys.flat.len() > 2 {
                    return keys.wrong_count(Blame::Whole, 0, Some(2));
                }
                Ok(factory::$read(&keys.flat)?)
            }

            fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
                given.between(stringify!($name), 0, 2)?;
                factory::$read(&given.keys).map(Value::Type)
            }

            fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
                let bound = |value: &Value| match value {
                    Value::$name(bound) => Some(**bound),
                    _ => None,
                };
                Ok(Type::$read(bound(given.at(0)), bound(given.at(1))))
            }
        }
    )* };
}

times! {
    Timestamp: any_timestamp, timestamp;
    Timespan: any_timespan, timespan;
}

impl Family for view::Binary {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        matches!(that.kind(), TypeKind::Binary)
    }

    fn is_instance(&self, _: &Type, value: &Value, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        matches!(value, Value::Binary(_))
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.push("Binary");
    }
}

impl Family for view::Uri<'_> {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        match that.kind() {
            TypeKind::Uri(others) => self
                .parts
                .as_ref()
                .is_none_or(|parts| parameters_accept(parts, others.as_deref().unwrap_or_default(), depth)),
            _ => false,
        }
    }

    fn is_instance(&self, _: &Type, value: &Value, _: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        let Value::Uri(uri) = value else { return false };
        self.parts.iter().flatten().all(|(name, expected)| {
            let actual = uri::part(&uri.text, name).unwrap_or_default();
            part_matches(&actual, expected, depth)
        })
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.array("URI", self.parts.is_none(), |f| {
            let parts = self.parts.iter().flatten();
            f.hash(&parts.map(|(name, value)| (Value::String(name.clone()), value.clone())).collect());
        });
    }

    fn generalized(&self, _: &Type, _: &dyn Fn(&Type) -> Type) -> Type {
        Type::any_uri()
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        let parts = self.parts.as_ref().map_or(Value::Undef, |parts| {
            Value::hash(parts.iter().map(|(name, value)| (Value::String(name.clone()), value.clone())))
        });
        Ok(vec![parts])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        match keys.flat.as_slice() {
            [key] if uri::parameter_type().is_instance(key) => Ok(factory::uri(key)?),
            [key] => wrong_type("URI-Type", 0, key),
            flat => wrong_arity("URI-Type", 1, Some(1), flat.len()),
        }
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        given.exactly("URI", 1)?;
        factory::uri(given.keys.first().unwrap_or(&Value::Undef)).map(Value::Type)
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        Ok(Type::uri(match given.at(0) {
            Value::Hash(parts) if !parts.is_empty() => {
                let part = |(name, value): (&Value, &Value)| Some((name.as_str()?.into(), value.clone()));
                Some(parts.iter().filter_map(part).collect())
            }
            Value::String(text) => Some(uri::type_parts(text)),
            _ => None,
        }))
    }
}

impl Family for view::Runtime<'_> {
    fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
        let TypeKind::Runtime { runtime, name } = that.kind() else { return false };
        let is_below = || match (self.name, name) {
            (Some(RuntimeName::Class(class)), Some(RuntimeName::Class(other))) => other.is_a(class),
            _ => false,
        };
        (self.runtime.is_none() || self.runtime == runtime)
            && (self.name.is_none() || self.name == name || is_below())
    }

    fn is_instance(&self, this: &Type, value: &Value, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        assignable(this, &Type::infer(value), guard, depth)
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.array("Runtime", self.runtime.is_none() && self.name.is_none(), |f| {
            f.push(self.runtime.as_deref().unwrap_or("undef"));
            f.comma();
            match self.name {
                None => f.push("undef"),
                Some(RuntimeName::Class(class)) => f.push(quote(class)),
                Some(RuntimeName::Mapping(pattern, replacement)) => {
                    let pattern = regexp_text(&RegexpValue::new(pattern.clone()));
                    f.push(format!("[{pattern}, {}]", quote(replacement)));
                }
            }
        });
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        let runtime = self
            .runtime
            .as_ref()
            .map_or(Value::Undef, |runtime| Value::Runtime(Arc::new(RuntimeValue::symbol(runtime.clone()))));
        let name = match self.name {
            None => Value::Undef,
            Some(RuntimeName::Class(class)) => Value::String(class.name().clone()),
            Some(RuntimeName::Mapping(pattern, replacement)) => {
                Value::array([Value::regexp(pattern.clone()), Value::String(replacement.clone())])
            }
        };
        Ok(vec![runtime, name])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        let [runtime, name] = keys.flat.as_slice() else {
            return keys.wrong_count(Blame::Whole, 1, Some(2));
        };
        keys.assert(&keys.flat, Some(2), "String or String", |key| matches!(key, Value::String(_)))?;
        Ok(factory::runtime(runtime, name)?)
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        given.exactly("Runtime", 2)?;
        match given.keys.as_slice() {
            [runtime, name] => factory::runtime(runtime, name).map(Value::Type),
            _ => Err(given.not_a_type()),
        }
    }

    fn common(&self, that: &Type, _: u32) -> Option<Type> {
        match (self.name, that.kind()) {
            (Some(RuntimeName::Class(a)), TypeKind::Runtime { name: Some(RuntimeName::Class(b)), .. }) => {
                Some(Type::runtime("ruby", a.common(b)?))
            }
            _ => None,
        }
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        let runtime = match given.at(0) {
            Value::Runtime(value) => Some(value.text.clone()),
            other => other.as_str().map(Str::from),
        };
        let name = match given.at(1) {
            Value::String(name) => Some(RuntimeName::Class(name.clone().into())),
            Value::Array(pair) => match pair.as_slice() {
                [Value::Regexp(pattern), Value::String(replacement)] => {
                    Some(RuntimeName::Mapping(pattern.source.clone(), replacement.clone()))
                }
                _ => return Err(given.refused()),
            },
            _ => None,
        };
        Ok(TypeKind::Runtime { runtime, name }.into())
    }
}
