//! Types as text. Follows the reference's `type_formatter.rb`.
//!
//! `Display` of a [`Type`] is the reference's `to_s`: names of types, while an alias, Object type or TypeSet
//! that is shown itself is written out. [`Formatter`] has the other forms.

use std::fmt::{self, Display};
use std::sync::Arc;

use super::guard::{Guard, MAX_DEPTH, state};
use super::{AliasType, CallableType, IntRange, Members, ObjectType, Type, TypeKind, TypeSetType};
use super::{aliases, object, type_set};
use crate::data::value::{Hash, RegexpValue, Str, Value};
use crate::scalars::number::float_to_s;
use bunraku_syntax::pattern;

impl Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expanded = matches!(self.kind(), TypeKind::Alias(_) | TypeKind::Object(_) | TypeKind::TypeSet(_));
        out.write_str(&Formatter { expanded, ..Formatter::default() }.text(self))
    }
}

impl Type {
    /// The text with aliases followed by their targets, and Object types written out.
    pub fn to_expanded_string(&self) -> String {
        Formatter { expanded: true, ..Formatter::default() }.text(self)
    }
}

/// How types are written.
#[derive(Default)]
pub struct Formatter {
    /// Whether aliases and Object types are written out.
    pub expanded: bool,
    /// The current level of indentation; `None` writes everything on one line.
    pub indent: Option<usize>,
    /// The number of blanks of a level of indentation.
    pub indent_width: usize,
    out: String,
    type_set: Option<Arc<TypeSetType>>,
    guard: Guard,
    depth: u32,
}

/// The length in bytes at which the text of a type is cut: types that share their parts can have excessively
/// long texts.
const MAX_LENGTH: usize = 16_000_000;

impl Formatter {
    /// Writes on several lines, beginning at this level.
    pub fn indented(indent: usize, indent_width: usize) -> Self {
        Self { indent: Some(indent), indent_width, ..Self::default() }
    }

    /// The text of a type.
    pub fn text(mut self, of: &Type) -> String {
        self.type_text(of);
        self.out
    }

    /// The text of a value, as it is written among the parameters of a type.
    pub fn value_text(mut self, value: &Value) -> String {
        self.value(value);
        self.out
    }

    pub(super) fn push(&mut self, text: impl AsRef<str>) {
        self.out.push_str(text.as_ref());
    }

    /// `name`, or `name[…]` with what `body` writes.
    pub(super) fn array(&mut self, name: &str, is_empty: bool, body: impl FnOnce(&mut Self)) {
        self.push(name);
        if !is_empty {
            self.push("[");
            body(self);
            self.push("]");
        }
    }

    pub(super) fn comma(&mut self) {
        self.push(", ");
    }

    pub(super) fn chomp_list(&mut self) {
        if self.out.ends_with(", ") {
            self.out.truncate(self.out.len() - 2);
        }
    }

    fn newline(&mut self) {
        self.out.truncate(self.out.trim_end_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}', '\0']).len());
        self.out.push('\n');
        let width = self.indent.unwrap_or(0) * self.indent_width;
        self.out.extend(std::iter::repeat_n(' ', width));
    }

    pub(super) fn types(&mut self, types: &[Type]) {
        for of in types {
            self.type_text(of);
            self.comma();
        }
    }

    /// The bounds of a range, each followed by a comma.
    pub(super) fn range(&mut self, range: Option<IntRange>) {
        let Some(range) = range.filter(|range| !range.is_unbounded()) else { return };
        match range.from {
            None => self.push("default"),
            Some(from) => self.push(from.to_string()),
        }
        self.comma();
        if let Some(to) = range.to {
            self.push(to.to_string());
            self.comma();
        }
    }

    pub(super) fn contained(&mut self, name: &str, of: Option<&Type>) {
        self.array(name, of.is_none(), |f| {
            if let Some(of) = of {
                f.type_text(of);
            }
        });
    }

    /// `Optional` and `NotUndef` show the value of a string type.
    pub(super) fn contained_or_text(&mut self, name: &str, of: Option<&Type>) {
        match of.map(Type::kind) {
            Some(TypeKind::String { value: Some(value), .. }) => {
                let text = quote(value);
                self.array(name, false, |f| f.push(text));
            }
            _ => self.contained(name, of),
        }
    }

    pub(super) fn type_text(&mut self, of: &Type) {
        if self.depth > MAX_DEPTH || self.out.len() > MAX_LENGTH {
            if !self.out.ends_with("...") {
                self.push("...");
            }
            return;
        }
        self.depth += 1;
        of.kind().ask(|family| family.write(of, self));
        self.depth -= 1;
    }

    pub(super) fn structure(&mut self, members: &Members) {
        let undef = Type::undef();
        self.array("Struct", members.is_empty(), |f| {
            f.braces(members, |f, member| {
                let optional_value = member.value.is_assignable(&undef);
                match member.key.kind() {
                    TypeKind::Optional(_) if optional_value => f.push(quote(member.name)),
                    TypeKind::Optional(_) => f.type_text(member.key),
                    _ if optional_value => f.push(format!("NotUndef[{}]", quote(member.name))),
                    _ => f.push(quote(member.name)),
                }
                f.push(" => ");
                f.type_text(member.value);
            });
        });
    }

    pub(super) fn callable(&mut self, callable: &CallableType) {
        let CallableType { parameters, block, returns } = callable;
        let list = |f: &mut Self| {
            if let Some(parameters) = parameters {
                f.callable_parameters(parameters, block.as_ref());
            }
        };
        match returns {
            None => self.array("Callable", parameters.is_none(), list),
            Some(returns) => self.array("Callable", false, |f| {
                f.array("", false, list);
                f.comma();
                f.type_text(returns);
            }),
        }
    }

    fn callable_parameters(&mut self, parameters: &Type, block: Option<&Type>) {
        if let TypeKind::Tuple { types, size } = parameters.kind() {
            for of in types.iter().filter(|of| !matches!(of.kind(), TypeKind::Unit)) {
                self.type_text(of);
                self.comma();
            }
            if types.is_empty() {
                self.push("0, 0, ");
            } else {
                self.range(*size);
            }
        }
        if let Some(block) = block {
            self.type_text(block);
            self.comma();
        }
        self.chomp_list();
    }

    pub(super) fn alias(&mut self, of: &Type, alias: &AliasType) {
        if self.expanded && alias.is_recursive() {
            let mut guard = std::mem::take(&mut self.guard);
            guard.with_this(alias.identity(), |guard, state| {
                std::mem::swap(&mut self.guard, guard);
                self.alias_text(of, alias, state & state::THIS == 0);
                std::mem::swap(&mut self.guard, guard);
            });
            self.guard = guard;
        } else {
            self.alias_text(of, alias, self.expanded);
        }
    }

    fn alias_text(&mut self, of: &Type, alias: &AliasType, expand: bool) {
        match (self.type_set.clone(), alias.target.get()) {
            (None, target) => {
                self.push(&alias.name);
                if let (Some(target), true) = (target, expand && !aliases::is_built_in(&alias.name)) {
                    self.push(" = ");
                    self.type_text(target);
                }
            }
            (Some(set), Some(target)) if expand && type_set::defines(&set, of) => self.type_text(target),
            (Some(set), _) => self.push(type_set::name_for(&set, of).unwrap_or_else(|| alias.name.clone())),
        }
    }

    pub(super) fn object(&mut self, object: &Arc<ObjectType>) {
        let of: Type = TypeKind::Object(object.clone()).into();
        if self.expanded {
            let with_name = self.type_set.as_ref().is_none_or(|set| !type_set::defines(set, &of));
            self.object_hash(&object::init_hash(object, with_name));
        } else {
            let name = self.type_set.as_ref().and_then(|set| type_set::name_for(set, &of));
            self.push(name.unwrap_or_else(|| object.label()));
        }
    }

    pub(super) fn extension(&mut self, base: &Arc<ObjectType>, parameters: &[(Str, Value)]) {
        let of: Type =
            TypeKind::ObjectExtension { base: base.clone(), parameters: parameters.to_vec() }.into();
        let name = self.type_set.as_ref().and_then(|set| type_set::name_for(set, &of));
        let name = name.unwrap_or_else(|| base.simple_name());
        self.array(&name, false, |f| match object::extension_parameters(base, parameters) {
            Value::Array(values) => {
                for value in values.iter() {
                    f.value(value);
                    f.comma();
                }
                f.chomp_list();
            }
            other => f.value(&other),
        });
    }

    /// `Object[{…}]` of an initialisation hash. Types in it are shown by name.
    fn object_hash(&mut self, hash: &Hash) {
        self.expanded = false;
        self.array("Object", false, |f| {
            f.braces(hash, |f, (key, value)| {
                let key = key.as_str().unwrap_or_default();
                f.push(key);
                f.push(" => ");
                match (key, value) {
                    ("attributes" | "functions", Value::Hash(members)) => {
                        f.braces(&**members, |f, (name, member)| {
                            f.value(name);
                            f.push(" => ");
                            f.object_member(member);
                        })
                    }
                    ("equality", value) => {
                        if let Value::Array(names) = value {
                            f.array("", false, |f| {
                                for name in names.iter() {
                                    f.value(name);
                                    f.comma();
                                }
                                f.chomp_list();
                            });
                        }
                    }
                    (_, value) => f.value(value),
                }
            });
        });
        self.expanded = true;
    }

    fn object_member(&mut self, member: &Value) {
        let Value::Hash(features) = member else { return self.value(member) };
        self.braces(&**features, |f, (key, value)| {
            let key = key.as_str().unwrap_or_default();
            f.push(key);
            f.push(" => ");
            match (key, value) {
                ("kind", Value::String(kind)) => f.push(kind),
                (_, value) => f.value(value),
            }
        });
    }

    pub(super) fn type_set_text(&mut self, set: &Arc<TypeSetType>) {
        self.array("TypeSet", false, |f| {
            f.braces(&type_set::init_hash(set), |f, (key, value)| {
                let key = key.as_str().unwrap_or_default();
                f.push(key);
                f.push(" => ");
                match (key, value) {
                    ("types", Value::Hash(types)) => {
                        // The reference forgets to leave the set again.
                        f.type_set = Some(set.clone());
                        f.braces(&**types, |f, (name, of)| {
                            f.push(name.as_str().unwrap_or_default());
                            f.push(" => ");
                            f.value(of);
                        });
                    }
                    ("references", Value::Hash(references)) => f.braces(&**references, |f, (name, value)| {
                        f.push(name.as_str().unwrap_or_default());
                        f.push(" => ");
                        f.value(value);
                    }),
                    (_, value) => f.value(value),
                }
            });
        });
    }

    /// `{…}` with each entry written by `body`.
    fn braces<T>(&mut self, entries: impl IntoIterator<Item = T>, body: impl Fn(&mut Self, T)) {
        self.push("{");
        self.indent = self.indent.map(|indent| indent + 1);
        for entry in entries {
            if self.indent.is_some() {
                self.newline();
            }
            body(self, entry);
            self.comma();
        }
        self.chomp_list();
        if let Some(indent) = self.indent {
            self.indent = Some(indent.saturating_sub(1));
            self.newline();
        }
        self.push("}");
    }

    pub(super) fn hash(&mut self, hash: &Hash) {
        self.braces(hash, |f, (key, value)| {
            f.value(key);
            f.push(" => ");
            f.value(value);
        });
    }

    pub(super) fn value(&mut self, value: &Value) {
        if self.depth > MAX_DEPTH {
            return self.push("...");
        }
        self.depth += 1;
        self.write_value(value);
        self.depth -= 1;
    }

    fn write_value(&mut self, value: &Value) {
        match value {
            Value::Undef => self.push("undef"),
            Value::Default => self.push("default"),
            Value::Boolean(value) => self.push(if *value { "true" } else { "false" }),
            Value::Integer(number) => self.push(number.to_string()),
            Value::BigInteger(number) => self.push(number.to_string()),
            Value::Float(number) => self.push(float_to_s(*number)),
            Value::String(text) => self.push(quote(text)),
            Value::ByteString(bytes) => self.push(quote(bytes.text())),
            Value::Array(values) => self.list(values),
            Value::Hash(hash) => self.hash(hash),
            Value::Type(of) => self.type_text(of),
            Value::Regexp(regexp) => self.push(regexp_text(regexp)),
            Value::Timespan(span) => self.push(format!("'{}'", span)),
            Value::Timestamp(moment) => self.push(format!("'{}'", moment)),
            Value::SemVer(version) => self.push(format!("'{}'", version)),
            Value::SemVerRange(range) => self.push(format!("'{}'", range.text)),
            Value::Uri(uri) => self.push(format!("URI({})", quote(&uri.text))),
            Value::Object(instance) => {
                self.push(instance.object_type.label());
                self.push("(");
                self.hash(&object::instance_init_hash(instance));
                self.push(")");
            }
            Value::Sensitive(_) | Value::Binary(_) | Value::Iterator(_) | Value::Runtime(_) => {
                self.push("Instance of ");
                self.type_text(&Type::infer(value));
            }
        }
    }

    fn list(&mut self, values: &[Value]) {
        self.push("[");
        match self.indent {
            Some(indent) if !is_short(values, indent * self.indent_width) => {
                self.indent = Some(indent + 1);
                for value in values {
                    self.newline();
                    self.value(value);
                    self.comma();
                }
                self.chomp_list();
                self.indent = Some(indent);
                self.newline();
            }
            _ => {
                for value in values {
                    self.value(value);
                    self.comma();
                }
                self.chomp_list();
            }
        }
        self.push("]");
    }
}

/// Whether a list fits on a line of 100 characters.
fn is_short(values: &[Value], indent: usize) -> bool {
    let width = |value: &Value| match value {
        Value::Undef => 3,
        Value::Boolean(true) => 4,
        Value::Boolean(false) => 5,
        Value::Default => 8,
        Value::Integer(number) => number.to_string().len(),
        Value::BigInteger(number) => number.to_string().len(),
        Value::Float(number) => float_to_s(*number).len(),
        Value::String(text) => 2 + text.chars().count(),
        Value::ByteString(bytes) => 2 + bytes.bytes().len(),
        Value::Array(values) if values.is_empty() => 2,
        Value::Hash(hash) if hash.is_empty() => 2,
        _ => 1000,
    };
    values.is_empty() || 100 > indent + values.iter().map(width).sum::<usize>()
}

/// A text in quotes as Puppet writes it: single quotes, unless it contains control characters.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    let mut escaped = false;
    for character in text.chars() {
        if character < ' ' {
            return double_quote(text);
        }
        if escaped {
            quoted.push('\\');
            quoted.push(character);
            escaped = false;
        } else if character == '\'' {
            quoted.push_str("\\'");
        } else if character == '\\' {
            escaped = true;
        } else {
            quoted.push(character);
        }
    }
    if escaped {
        quoted.push('\\');
    }
    quoted.push('\'');
    quoted
}

/// A text in double quotes as Puppet writes it.
pub fn double_quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '\t' => quoted.push_str("\\t"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '"' => quoted.push_str("\\\""),
            '$' => quoted.push_str("\\$"),
            '\\' => quoted.push_str("\\\\"),
            _ if character < ' ' => quoted.push_str(&format!("\\u{{{:X}}}", character as u32)),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// A regular expression between slashes, as Ruby's `inspect`; one that Ruby ties to UTF-8 in a group. Follows
/// `regexp_to_s_with_delimiters` of the reference's `types.rb`.
pub fn regexp_text(regexp: &RegexpValue) -> String {
    if pattern::has_fixed_encoding(&regexp.source) {
        return format!("/{}/", pattern::to_s(&regexp.source));
    }
    let mut text = String::with_capacity(regexp.source.len() + 2);
    text.push('/');
    let mut characters = regexp.source.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                text.push('\\');
                text.extend(characters.next());
            }
            '/' => text.push_str("\\/"),
            _ if character.is_control() && !character.is_whitespace() => {
                text.push_str(&format!("\\x{:02X}", character as u32));
            }
            _ => text.push(character),
        }
    }
    text.push('/');
    text
}

/// A name with each segment's first letter in upper case, unless it begins with an ASCII capital.
pub fn capitalize_segments(name: &str) -> String {
    if name.lines().any(|line| line.starts_with(|first: char| first.is_ascii_uppercase())) {
        return name.to_owned();
    }
    let segments = name.split("::").map(bunraku_syntax::case::capitalize);
    segments.collect::<Vec<_>>().join("::")
}
