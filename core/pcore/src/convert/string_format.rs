//! Formats of `String.new`: parses directives and maps from types to formats, most specific type first.
//! Follows `Format` of the reference's `string_converter.rb`.

use std::cmp::Ordering;
use std::sync::{Arc, LazyLock};

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{char, one_of, satisfy};
use nom::combinator::{eof, opt, peek, recognize};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser as _};

use crate::data::value::{Hash, Str, Value};
use crate::types::{Type, TypeKind};
use bunraku_syntax::diagnostic::Error;

/// The keys of a format of a container.
const CONTAINER_KEYS: [&str; 4] = ["separator", "separator2", "format", "string_formats"];

/// A format: `%[flags][width][.precision]letter`, and for containers the separators of the elements.
#[derive(Clone, Debug)]
pub struct Format {
    /// The source text.
    pub text: Str,
    /// The conversion.
    pub letter: char,
    /// `#`
    pub alternate: bool,
    /// `-`
    pub left: bool,
    /// ` ` among the flags: containers without delimiters.
    pub space: bool,
    /// The opening delimiter, if there is one.
    pub delimiter: Option<char>,
    /// The width.
    pub width: Option<usize>,
    /// The precision.
    pub precision: Option<usize>,
    /// Between elements.
    pub separator: Option<Str>,
    /// Between key and value.
    pub separator2: Option<Str>,
    /// Formats of the elements.
    pub elements: Option<Arc<FormatMap>>,
}

/// Flags, width, precision and letter of a directive.
type Directive<'t> = (&'t str, Option<&'t str>, Option<&'t str>, char);

/// A directive at the start of a text, up to the end of the line.
fn directive(input: &str) -> IResult<&str, Directive<'_>> {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let flags = take_while(|flag| " \t\n\x0B\x0C\r[+#0{<(|-".contains(flag));
    let width = recognize((one_of("123456789"), take_while(is_digit)));
    let precision = preceded(char('.'), take_while1(is_digit));
    let letter = satisfy(|letter| letter.is_ascii_alphabetic());
    let parts = (flags, opt(width), opt(precision), letter);
    delimited(char('%'), parts, peek(alt((eof, tag("\n"))))).parse(input)
}

/// Formats by type.
pub type FormatMap = Vec<(Type, Format)>;

impl Format {
    /// `%s`
    pub fn plain() -> Self {
        Self {
            text: "%s".into(),
            letter: 's',
            alternate: false,
            left: false,
            space: false,
            delimiter: None,
            width: None,
            precision: None,
            separator: None,
            separator2: None,
            elements: None,
        }
    }

    /// Parses a format.
    ///
    /// # Errors
    /// It is malformed, or has a flag or kind of delimiter twice.
    pub fn parse(text: &str) -> Result<Self, Error> {
        // One line of the text is sufficient, as for the reference's pattern for formats.
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        let Some(directive) = lines.filter_map(|at| text.get(at..)).find_map(|line| directive(line).ok())
        else {
            return Err(Error::argument(format!(
                "The format '{text}' is not a valid format on the form '%<flags><width>.<prec><format>'"
            )));
        };
        let (_, (flags, width, precision, letter)) = directive;
        let flags: Vec<char> = flags.chars().collect();
        let is_repeated = |(index, flag): (usize, &char)| flags.iter().take(index).any(|other| other == flag);
        if flags.iter().enumerate().any(is_repeated) {
            return Err(Error::argument(format!("The same flag can only be used once, got '{text}'")));
        }
        let mut delimiter = None;
        for candidate in ['[', '{', '(', '<', '|'] {
            if flags.contains(&candidate) {
                if delimiter.is_some() {
                    return Err(Error::argument(format!(
                        "Only one of the delimiters [ {{ ( < | can be given in the format flags, got '{text}'"
                    )));
                }
                delimiter = Some(candidate);
            }
        }
        let number = |digits: Option<&str>| digits.map(|digits| digits.parse().unwrap_or(usize::MAX));
        Ok(Self {
            text: text.into(),
            letter,
            alternate: flags.contains(&'#'),
            left: flags.contains(&'-'),
            space: flags.contains(&' '),
            delimiter,
            width: number(width),
            precision: number(precision),
            separator: None,
            separator2: None,
            elements: None,
        })
    }

    /// This format, overridden by another one.
    fn merged(&self, over: &Self) -> Self {
        Self {
            separator: over.separator.clone().or_else(|| self.separator.clone()),
            separator2: over.separator2.clone().or_else(|| self.separator2.clone()),
            elements: match (&self.elements, &over.elements) {
                (Some(lower), Some(higher)) => Some(Arc::new(merge(lower, higher))),
                (lower, higher) => higher.clone().or_else(|| lower.clone()),
            },
            ..over.clone()
        }
    }

    /// What encloses the elements of a container.
    pub fn delimiters(&self, default: (&'static str, &'static str)) -> (&'static str, &'static str) {
        match self.delimiter {
            Some('[') => ("[", "]"),
            Some('{') => ("{", "}"),
            Some('(') => ("(", ")"),
            Some('<') => ("<", ">"),
            Some(_) => ("|", "|"),
            None if self.space => ("", ""),
            None => default,
        }
    }
}

/// Reads a hash from types to formats.
///
/// # Errors
/// A key is not a type, or a format is malformed.
pub fn read(formats: &Hash) -> Result<FormatMap, Error> {
    let mut map = FormatMap::new();
    for (key, value) in formats {
        let Value::Type(of) = key else {
            return Err(Error::argument(
                "top level keys in the format hash must be data types, got instance of 'String'",
            ));
        };
        let format = match value {
            Value::Hash(details) => read_container(details)?,
            Value::String(text) => Format::parse(text)?,
            other => return Err(Error::argument(format!("The format '{other:?}' is not a valid format"))),
        };
        map.push((of.clone(), format));
    }
    Ok(map)
}

fn read_container(details: &Hash) -> Result<Format, Error> {
    if details.keys().any(|key| !key.as_str().is_some_and(|key| CONTAINER_KEYS.contains(&key))) {
        let allowed = CONTAINER_KEYS.map(|key| format!("'{key}'")).join(", ");
        let got = crate::ruby::inspect(&Value::from(details.clone()));
        return Err(Error::argument(format!("only {allowed} are allowed in a container format, got {got}")));
    }
    let text = |key: &str| match details.get(&Value::from(key)) {
        Some(Value::String(text)) => Some(text.clone()),
        _ => None,
    };
    let Some(format) = text("format") else {
        // The reference's pattern does not match nothing, which means no format.
        return Err(Error::argument(
            "The format '' is not a valid format on the form '%<flags><width>.<prec><format>'",
        ));
    };
    let mut format = Format::parse(&format)?;
    format.separator = text("separator");
    format.separator2 = text("separator2");
    if let Some(Value::Hash(elements)) = details.get(&Value::from("string_formats")) {
        format.elements = Some(Arc::new(read(elements)?));
    }
    Ok(format)
}

/// The default formats.
pub(super) static DEFAULTS: LazyLock<FormatMap> = LazyLock::new(|| {
    let elements = Arc::new(ELEMENTS.clone());
    let container = |text: &str, separator2: &str| {
        let mut format = Format::parse(text).ok()?;
        format.separator = Some(", ".into());
        format.separator2 = Some(separator2.into());
        format.elements = Some(Arc::clone(&elements));
        Some(format)
    };
    let plain = |text: &str| Format::parse(text).ok();
    [
        (Type::any_object(), plain("%p")),
        (Type::float(None, None), plain("%f")),
        (Type::numeric(), plain("%d")),
        (Type::array(Type::any(), None), container("%a", ", ")),
        (Type::hash(Type::any(), Type::any(), None), container("%h", " => ")),
        (Type::binary(), plain("%B")),
        (Type::any(), plain("%s")),
    ]
    .into_iter()
    .filter_map(|(of, format)| Some((of, format?)))
    .collect()
});

/// The default formats of elements of containers.
pub(super) static ELEMENTS: LazyLock<FormatMap> =
    LazyLock::new(|| Format::parse("%p").map(|format| vec![(Type::any(), format)]).unwrap_or_default());

/// Combines two maps. A lower entry never overrides a more general higher one.
pub fn merge(lower: &FormatMap, higher: &FormatMap) -> FormatMap {
    laid_out(plan(lower, higher, order), lower, higher)
}

/// Combines a map with [`DEFAULTS`].
pub(super) fn over_defaults(formats: &FormatMap) -> FormatMap {
    /// The order of the types of the defaults: a constant, built on first use.
    static ORDER: LazyLock<Vec<Vec<Ordering>>> = LazyLock::new(|| {
        let row = |(a, _): &(Type, Format)| DEFAULTS.iter().map(|(b, _)| order_of_types(a, b)).collect();
        DEFAULTS.iter().map(row).collect()
    });
    let order_of = |a: &Slot, b: &Slot| {
        let known = a.lower.zip(b.lower).and_then(|(a, b)| ORDER.get(a)?.get(b));
        known.copied().unwrap_or_else(|| order(a, b))
    };
    laid_out(plan(&DEFAULTS, formats, order_of), &DEFAULTS, formats)
}

/// An entry of two combined maps: the format of a type in each of them.
#[derive(Clone, Debug)]
struct Slot {
    of: Type,
    lower: Option<usize>,
    higher: Option<usize>,
}

/// The entries of two combined maps, in the given order.
fn plan(lower: &FormatMap, higher: &FormatMap, order: impl Fn(&Slot, &Slot) -> Ordering) -> Vec<Slot> {
    let is_kept = |of: &Type| !higher.iter().any(|(over, _)| over != of && over.is_assignable(of));
    let mut slots = Vec::with_capacity(lower.len() + higher.len());
    for (index, (of, _)) in lower.iter().enumerate().filter(|(_, (of, _))| is_kept(of)) {
        let over = higher.iter().position(|(over, _)| over == of);
        slots.push(Slot { of: of.clone(), lower: Some(index), higher: over });
    }
    let kept = slots.len();
    for (index, (of, _)) in higher.iter().enumerate() {
        if !slots.iter().take(kept).any(|known| known.of == *of) {
            slots.push(Slot { of: of.clone(), lower: None, higher: Some(index) });
        }
    }
    sort(slots, &order)
}

fn laid_out(plan: Vec<Slot>, lower: &FormatMap, higher: &FormatMap) -> FormatMap {
    let format = |map: &FormatMap, index: Option<usize>| {
        index.and_then(|index| map.get(index)).map(|(_, format)| format.clone())
    };
    let entry = |slot: Slot| {
        let format = match (format(lower, slot.lower), format(higher, slot.higher)) {
            (Some(lower), Some(higher)) => lower.merged(&higher),
            (lower, higher) => higher.or(lower)?,
        };
        Some((slot.of, format))
    };
    plan.into_iter().filter_map(entry).collect()
}

/// Merge sort: the order of types is partial, so that the algorithm affects the result.
fn sort(mut slots: Vec<Slot>, order: &impl Fn(&Slot, &Slot) -> Ordering) -> Vec<Slot> {
    if slots.len() <= 1 {
        return slots;
    }
    let right = sort(slots.split_off(slots.len() / 2), order);
    let left = sort(slots, order);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        merged.extend(if order(a, b) == Ordering::Greater { right.next() } else { left.next() });
    }
    merged.extend(left);
    merged.extend(right);
    merged
}

fn order(a: &Slot, b: &Slot) -> Ordering {
    order_of_types(&a.of, &b.of)
}

fn order_of_types(a: &Type, b: &Type) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    match (b.is_assignable(a), a.is_assignable(b)) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        _ => {
            let (rank_a, rank_b) = (rank(a), rank(b));
            if rank_a == 0 || rank_b == 0 { a.to_string().cmp(&b.to_string()) } else { rank_a.cmp(&rank_b) }
        }
    }
}

/// The rank of a type among unrelated ones; 0 for most.
fn rank(of: &Type) -> u32 {
    match of.kind() {
        TypeKind::Struct { .. } => 1,
        TypeKind::Hash { .. } => 2,
        TypeKind::Tuple { .. } => 3,
        TypeKind::Array { .. } => 4,
        TypeKind::Pattern(_) => 10,
        TypeKind::Enum { .. } => 11,
        TypeKind::String { .. } => 12,
        _ => 0,
    }
}
