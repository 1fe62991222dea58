//! Types of versions, times, bytes, URIs and values of other runtimes.

use std::sync::Arc;

use super::{Depth, Family, Formatter, Guard, view};
use crate::data::value::{RegexpValue, RuntimeValue, Value};
use crate::types::assign::{assignable, parameters_accept};
use crate::types::format::{quote, regexp_text};
use crate::types::instance::part_matches;
use crate::types::{RuntimeName, Type, TypeKind, uri};
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

fn covers<T: PartialOrd>(from: Option<T>, to: Option<T>, other_from: Option<T>, other_to: Option<T>) -> bool {
    let least = match (from, other_from) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(a), Some(b)) => a <= b,
    };
    least
        && match (to, other_to) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(a), Some(b)) => a >= b,
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
    ($($name:ident: $any:ident;)*) => { $(
        impl Family for view::$name<'_> {
            fn accepts(&self, _: &Type, that: &Type, _: Option<&mut Guard>, _: Depth<'_>) -> bool {
                match that.kind() {
                    TypeKind::$name { from, to } => covers(*self.from, *self.to, *from, *to),
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
                Ok([*self.from, *self.to].map(|bound| bound.map_or(Value::Undef, Value::from)).into())
            }
        }
    )* };
}

times! {
    Timestamp: any_timestamp;
    Timespan: any_timespan;
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
}
