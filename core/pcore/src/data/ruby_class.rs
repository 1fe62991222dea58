//! The classes that `Runtime` names, with their ancestors. A table contains those of Ruby itself; objects
//! from Ruby bring their own ancestors.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use crate::data::value::Str;

/// A class by its name. Two of the same name are equal, whatever their known ancestors are.
#[derive(Clone)]
pub struct RubyClass {
    name: Str,
    above: Option<Arc<Above>>,
}

/// The ancestors of a class.
struct Above {
    /// The superclasses, nearest first.
    classes: Vec<Str>,
    /// The modules that it or one of these includes.
    modules: Vec<Str>,
}

impl RubyClass {
    /// A class with known superclasses (nearest first) and modules.
    pub fn with_ancestors(name: impl Into<Str>, classes: Vec<Str>, modules: Vec<Str>) -> Self {
        Self { name: name.into(), above: Some(Arc::new(Above { classes, modules })) }
    }

    /// The name; empty for an anonymous class.
    pub fn name(&self) -> &Str {
        &self.name
    }

    /// Whether this is the class or module with this name, or a descendant of it.
    pub fn is_a(&self, name: &str) -> bool {
        if *self.name == *name {
            return true;
        }
        match &self.above {
            Some(above) => above.classes.iter().chain(&above.modules).any(|one| one == name),
            None => match row(&self.name) {
                Some(_) => {
                    lineage(&self.name).any(|(class, _, modules)| *class == name || modules.contains(&name))
                }
                // Of other classes only that they are classes is known; modules have no ancestors.
                None => name == "Object" && !MODULES.contains(&self.name.as_str()),
            },
        }
    }

    /// The nearest common superclass of two classes, if it is known.
    pub fn common(&self, other: &Self) -> Option<Self> {
        let others = other.classes();
        let classes = self.classes();
        let (place, name) = classes.iter().enumerate().find(|(_, name)| others.contains(name))?;
        Some(match &self.above {
            Some(_) if row(name).is_none() => {
                let above = classes.get(place + 1..).unwrap_or_default().to_vec();
                Self::with_ancestors(name.clone(), above, Vec::new())
            }
            _ => Self::from(name.clone()),
        })
    }

    /// The class and its superclasses, as far as they are known.
    fn classes(&self) -> Vec<Str> {
        match &self.above {
            Some(above) => std::iter::once(&self.name).chain(&above.classes).cloned().collect(),
            None => lineage(&self.name).map(|(class, ..)| Str::from(*class)).collect(),
        }
    }
}

impl From<Str> for RubyClass {
    fn from(name: Str) -> Self {
        Self { name, above: None }
    }
}

impl From<&str> for RubyClass {
    fn from(name: &str) -> Self {
        Str::from(name).into()
    }
}

impl From<String> for RubyClass {
    fn from(name: String) -> Self {
        Str::from(name).into()
    }
}

impl Deref for RubyClass {
    type Target = str;

    fn deref(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for RubyClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.name, f)
    }
}

impl PartialEq for RubyClass {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for RubyClass {}

impl PartialEq<&str> for RubyClass {
    fn eq(&self, other: &&str) -> bool {
        *self.name == **other
    }
}

impl PartialEq<str> for RubyClass {
    fn eq(&self, other: &str) -> bool {
        *self.name == *other
    }
}

impl Hash for RubyClass {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// A class, its superclass, and its own included modules.
type Row = (&'static str, &'static str, &'static [&'static str]);

fn row(name: &str) -> Option<&'static Row> {
    let place = CLASSES.binary_search_by_key(&name, |(class, ..)| class).ok()?;
    CLASSES.get(place)
}

/// The rows of a Ruby class and its superclasses.
fn lineage(name: &str) -> impl Iterator<Item = &'static Row> {
    std::iter::successors(row(name), |(_, superclass, _)| row(superclass))
}

/// Modules of Ruby's.
static MODULES: [&str; 8] =
    ["Comparable", "Enumerable", "Errno", "GC", "Kernel", "Marshal", "Math", "Process"];

/// Classes of Ruby's and of its standard library, by name.
#[rustfmt::skip]
static CLASSES: [Row; 87] = [
    ("ArgumentError", "StandardError", &[]),
    ("Array", "Object", &["Enumerable"]),
    ("BasicObject", "", &[]),
    ("BigDecimal", "Numeric", &[]),
    ("Binding", "Object", &[]),
    ("Class", "Module", &[]),
    ("ClosedQueueError", "StopIteration", &[]),
    ("Complex", "Numeric", &[]),
    ("Date", "Object", &["Comparable"]),
    ("DateTime", "Date", &[]),
    ("Dir", "Object", &["Enumerable"]),
    ("EOFError", "IOError", &[]),
    ("Encoding", "Object", &[]),
    ("Encoding::CompatibilityError", "EncodingError", &[]),
    ("Encoding::Converter", "Object", &[]),
    ("Encoding::ConverterNotFoundError", "EncodingError", &[]),
    ("Encoding::InvalidByteSequenceError", "EncodingError", &[]),
    ("Encoding::UndefinedConversionError", "EncodingError", &[]),
    ("EncodingError", "StandardError", &[]),
    ("Enumerator", "Object", &["Enumerable"]),
    ("Enumerator::Lazy", "Enumerator", &[]),
    ("Exception", "Object", &[]),
    ("FalseClass", "Object", &[]),
    ("Fiber", "Object", &[]),
    ("FiberError", "StandardError", &[]),
    ("File", "IO", &[]),
    ("Float", "Numeric", &[]),
    ("FloatDomainError", "RangeError", &[]),
    ("FrozenError", "RuntimeError", &[]),
    ("Hash", "Object", &["Enumerable"]),
    ("IO", "Object", &["File::Constants", "Enumerable"]),
    ("IOError", "StandardError", &[]),
    ("IndexError", "StandardError", &[]),
    ("Integer", "Numeric", &[]),
    ("Interrupt", "SignalException", &[]),
    ("KeyError", "IndexError", &[]),
    ("LoadError", "ScriptError", &[]),
    ("LocalJumpError", "StandardError", &[]),
    ("MatchData", "Object", &[]),
    ("Math::DomainError", "StandardError", &[]),
    ("Method", "Object", &[]),
    ("Module", "Object", &[]),
    ("NameError", "StandardError", &[]),
    ("NilClass", "Object", &[]),
    ("NoMatchingPatternError", "StandardError", &[]),
    ("NoMatchingPatternKeyError", "NoMatchingPatternError", &[]),
    ("NoMemoryError", "Exception", &[]),
    ("NoMethodError", "NameError", &[]),
    ("NotImplementedError", "ScriptError", &[]),
    ("Numeric", "Object", &["Comparable"]),
    ("Object", "BasicObject", &["Kernel"]),
    ("OpenStruct", "Object", &[]),
    ("Pathname", "Object", &[]),
    ("Proc", "Object", &[]),
    ("Random", "Object", &[]),
    ("Range", "Object", &["Enumerable"]),
    ("RangeError", "StandardError", &[]),
    ("Rational", "Numeric", &[]),
    ("Regexp", "Object", &[]),
    ("RegexpError", "StandardError", &[]),
    ("RuntimeError", "StandardError", &[]),
    ("ScriptError", "Exception", &[]),
    ("SecurityError", "Exception", &[]),
    ("Set", "Object", &["Enumerable"]),
    ("SignalException", "Exception", &[]),
    ("StandardError", "Exception", &[]),
    ("StopIteration", "IndexError", &[]),
    ("String", "Object", &["Comparable"]),
    ("Struct", "Object", &["Enumerable"]),
    ("Symbol", "Object", &["Comparable"]),
    ("SyntaxError", "ScriptError", &[]),
    ("SystemCallError", "StandardError", &[]),
    ("SystemExit", "Exception", &[]),
    ("SystemStackError", "Exception", &[]),
    ("Thread", "Object", &[]),
    ("Thread::ConditionVariable", "Object", &[]),
    ("Thread::Mutex", "Object", &[]),
    ("Thread::Queue", "Object", &[]),
    ("Thread::SizedQueue", "Thread::Queue", &[]),
    ("ThreadError", "StandardError", &[]),
    ("Time", "Object", &["Comparable"]),
    ("TrueClass", "Object", &[]),
    ("TypeError", "StandardError", &[]),
    ("URI::Generic", "Object", &[]),
    ("UnboundMethod", "Object", &[]),
    ("UncaughtThrowError", "ArgumentError", &[]),
    ("ZeroDivisionError", "StandardError", &[]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_in_order_and_whole() {
        assert!(CLASSES.is_sorted_by_key(|(name, ..)| name));
        for (name, superclass, _) in &CLASSES {
            assert!(*name == "BasicObject" || row(superclass).is_some(), "{superclass}");
        }
    }

    #[test]
    fn classes_have_ancestors() {
        let (rational, integer) = (RubyClass::from("Rational"), RubyClass::from("Integer"));
        assert!(rational.is_a("Comparable") && rational.is_a("Kernel") && !rational.is_a("Integer"));
        assert_eq!(rational.common(&integer), Some("Numeric".into()));
        let own = |name: &str| {
            RubyClass::with_ancestors(
                name,
                vec!["Base".into(), "Object".into(), "BasicObject".into()],
                vec![],
            )
        };
        assert_eq!(own("A").common(&own("B")), Some("Base".into()));
        assert_eq!(own("A").common(&integer), Some("Object".into()));
        assert_eq!(RubyClass::from("Unknown").common(&integer), None);
    }
}
