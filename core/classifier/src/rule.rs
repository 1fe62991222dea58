//! Rules: conditions on the data of a node.
//!
//! ```text
//! condition  = [ ("and" | "or") condition+ ] | [ "not" condition ] | operation
//! operation  = [ ("=" | "~" | ">" | ">=" | "<" | "<=") path value ]
//! path       = field | [ ("trusted" | "fact") field component* ]
//! component  = field | number
//! ```

use std::sync::Arc;

use rustc_hash::FxHashSet;
use serde_json::{Value as Json, json};

use super::classify::Node;
use super::pattern::{self, Pattern};
use bunraku_syntax::watch::Watch;

/// The maximum nesting of conditions.
const MAX_DEPTH: usize = 100;

/// A condition on the data of a node.
#[derive(Clone, Debug)]
pub enum Rule {
    /// All of them hold.
    And(Vec<Rule>),
    /// At least one of them holds.
    Or(Alternatives),
    /// It does not hold.
    Not(Box<Rule>),
    /// A comparison of a field with a text.
    Compare(Comparison),
}

/// The operands of an `or`. Those that are pinned nodes can be thousands: they are looked up, not tried one
/// by one.
#[derive(Clone, Debug)]
pub struct Alternatives {
    operands: Vec<Rule>,
    pinned: FxHashSet<Arc<str>>,
    /// The positions of the operands other than pins.
    others: Vec<usize>,
}

/// A comparison.
#[derive(Clone, Debug)]
pub struct Comparison {
    operator: Operator,
    path: Path,
    value: Arc<str>,
    /// The pattern of `~`.
    pattern: Option<Arc<Pattern>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    Match,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

const OPERATORS: &[(&str, Operator)] = &[
    ("=", Operator::Equal),
    ("~", Operator::Match),
    (">", Operator::Greater),
    (">=", Operator::GreaterOrEqual),
    ("<", Operator::Less),
    ("<=", Operator::LessOrEqual),
];

impl Operator {
    pub(super) fn text(self) -> &'static str {
        OPERATORS.iter().find(|(_, operator)| *operator == self).map_or("", |(text, _)| text)
    }
}

/// The path of a value in the data of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Path {
    /// A field of the node itself; only `name` means something.
    Field(String),
    /// A fact, or a trusted fact, and the way into it.
    Fact {
        /// Whether it is a trusted fact.
        is_trusted: bool,
        /// The fact's name, and names and indices within its value.
        components: Vec<Component>,
    },
}

/// A step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Component {
    /// A member of an object.
    Field(String),
    /// An element of an array.
    Index(usize),
}

impl Rule {
    /// Reads a condition.
    ///
    /// # Errors
    /// The violation of the grammar, and its place: a JSON path that starts at the rule.
    pub fn from_json(json: &Json) -> Result<Self, String> {
        Self::read(json, "$", 0)
    }

    fn read(json: &Json, at: &str, depth: usize) -> Result<Self, String> {
        if depth > MAX_DEPTH {
            return Err(format!("{at}: conditions stand in each other more than {MAX_DEPTH} deep"));
        }
        let Json::Array(form) = json else {
            return Err(format!("{at}: a condition is an array, not {json}"));
        };
        let (Some(Json::String(head)), rest) = (form.first(), form.get(1..).unwrap_or_default()) else {
            return Err(format!("{at}: a condition begins with an operator"));
        };
        let operands = || -> Result<Vec<Self>, String> {
            if rest.is_empty() {
                return Err(format!("{at}: \"{head}\" has no condition"));
            }
            rest.iter()
                .enumerate()
                .map(|(index, operand)| Self::read(operand, &format!("{at}[{}]", index + 1), depth + 1))
                .collect()
        };
        match head.as_str() {
            "and" => Ok(Self::And(operands()?)),
            "or" => Ok(Self::or(operands()?)),
            "not" => {
                let mut operands = operands()?;
                match operands.pop() {
                    Some(operand) if operands.is_empty() => Ok(Self::Not(Box::new(operand))),
                    _ => Err(format!("{at}: \"not\" has one condition")),
                }
            }
            operator => {
                let known = OPERATORS.iter().find(|(text, _)| *text == operator);
                let Some((_, operator)) = known else {
                    return Err(format!("{at}: there is no operator \"{head}\""));
                };
                let [path, value] = rest else {
                    return Err(format!("{at}: \"{head}\" has a path and a value"));
                };
                let path = Path::from_json(path).map_err(|wrong| format!("{at}[1]: {wrong}"))?;
                let Json::String(value) = value else {
                    return Err(format!("{at}[2]: a value is a string, not {value}"));
                };
                Self::comparison(*operator, path, value).map_err(|wrong| format!("{at}[2]: {wrong}"))
            }
        }
    }

    fn comparison(operator: Operator, path: Path, value: &str) -> Result<Self, String> {
        let pattern = match operator {
            Operator::Match => Some(Arc::new(pattern::compile(value)?)),
            _ => None,
        };
        Ok(Self::Compare(Comparison { operator, path, value: value.into(), pattern }))
    }

    fn or(operands: Vec<Self>) -> Self {
        let mut pinned = FxHashSet::default();
        let mut others = Vec::new();
        for (index, operand) in operands.iter().enumerate() {
            match operand.pinned_node() {
                Some(name) => {
                    pinned.insert(name.clone());
                }
                None => others.push(index),
            }
        }
        Self::Or(Alternatives { operands, pinned, others })
    }

    /// The condition that a node has a name.
    fn pin(name: &str) -> Self {
        Self::Compare(Comparison {
            operator: Operator::Equal,
            path: Path::Field("name".to_owned()),
            value: name.into(),
            pattern: None,
        })
    }

    /// The node that a condition pins.
    fn pinned_node(&self) -> Option<&Arc<str>> {
        match self {
            Self::Compare(Comparison {
                operator: Operator::Equal, path: Path::Field(field), value, ..
            }) if field == "name" => Some(value),
            _ => None,
        }
    }

    /// The nodes that a rule pins: those named in its outermost `or`, or a single one.
    pub fn pinned_nodes(&self) -> Vec<&str> {
        match self {
            Self::Or(or) => or.operands.iter().filter_map(Self::pinned_node).map(AsRef::as_ref).collect(),
            other => other.pinned_node().into_iter().map(AsRef::as_ref).collect(),
        }
    }

    /// A rule that holds for nodes of these names, too.
    pub fn with_pinned(rule: Option<&Self>, names: &[String]) -> Option<Self> {
        let mut operands = match rule {
            Some(Self::Or(or)) => or.operands.clone(),
            Some(other) => vec![other.clone()],
            None => Vec::new(),
        };
        let mut pinned: FxHashSet<Arc<str>> =
            operands.iter().filter_map(Self::pinned_node).cloned().collect();
        for name in names {
            if pinned.insert(name.as_str().into()) {
                operands.push(Self::pin(name));
            }
        }
        if operands.is_empty() { None } else { Some(Self::or(operands)) }
    }

    /// A rule that no longer pins nodes of these names; `None` when nothing else is left of it.
    pub fn without_pinned(&self, names: &FxHashSet<&str>) -> Option<Self> {
        let is_kept =
            |operand: &Self| !operand.pinned_node().is_some_and(|name| names.contains(name.as_ref()));
        match self {
            Self::Or(or) => {
                let mut left: Vec<Self> =
                    or.operands.iter().filter(|operand| is_kept(operand)).cloned().collect();
                match left.len() {
                    0 => None,
                    1 if left[0].pinned_node().is_none() => left.pop(),
                    _ => Some(Self::or(left)),
                }
            }
            other if is_kept(other) => Some(other.clone()),
            _ => None,
        }
    }

    /// Whether the condition holds for a node. A comparison with what the node has not, or that a pattern
    /// cannot decide in reasonable time, does not hold.
    pub fn matches(&self, node: &Node) -> bool {
        self.holds_for(node, &Watch::default())
    }

    /// As [`matches`](Self::matches); the result only counts if the watch has not cancelled the work.
    pub(super) fn holds_for(&self, node: &Node, watch: &Watch<'_>) -> bool {
        match self {
            Self::And(operands) => operands.iter().all(|operand| operand.holds_for(node, watch)),
            Self::Or(or) => {
                let mut others = or.others.iter().filter_map(|&index| or.operands.get(index));
                or.pinned.contains(node.name.as_str()) || others.any(|operand| operand.holds_for(node, watch))
            }
            Self::Not(operand) => !operand.holds_for(node, watch),
            Self::Compare(comparison) => {
                let is_long = comparison.operator == Operator::Match && watch.check().is_err();
                !is_long && comparison.holds(comparison.path.value(node).as_deref())
            }
        }
    }

    /// The condition with the value of each of its forms: `{"value": …, "form": […]}`, and in comparisons
    /// `{"path": …, "value": …}` for the path.
    pub fn explain(&self, node: &Node, watch: &Watch<'_>) -> Json {
        let explained = |head: &str, operands: &[Self]| {
            let mut form = vec![Json::from(head)];
            form.extend(operands.iter().map(|operand| operand.explain(node, watch)));
            Json::Array(form)
        };
        let form = match self {
            Self::And(operands) => explained("and", operands),
            Self::Or(or) => explained("or", &or.operands),
            Self::Not(operand) => explained("not", std::slice::from_ref(operand)),
            Self::Compare(comparison) => {
                let value = comparison.path.raw_value(node);
                json!([
                    comparison.operator.text(),
                    { "path": comparison.path.to_json(), "value": value },
                    &*comparison.value,
                ])
            }
        };
        json!({ "value": self.holds_for(node, watch), "form": form })
    }

    /// The condition as JSON, as it was read.
    pub fn to_json(&self) -> Json {
        let written = |head: &str, operands: &[Self]| {
            let mut form = vec![Json::from(head)];
            form.extend(operands.iter().map(Self::to_json));
            Json::Array(form)
        };
        match self {
            Self::And(operands) => written("and", operands),
            Self::Or(or) => written("or", &or.operands),
            Self::Not(operand) => written("not", std::slice::from_ref(operand)),
            Self::Compare(comparison) => {
                json!([comparison.operator.text(), comparison.path.to_json(), &*comparison.value])
            }
        }
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.to_json() == other.to_json()
    }
}

impl Alternatives {
    /// The conditions, one of which must match.
    pub fn operands(&self) -> &[Rule] {
        &self.operands
    }
}

impl Comparison {
    pub(super) const fn operator(&self) -> Operator {
        self.operator
    }

    /// The path of the value.
    pub const fn path(&self) -> &Path {
        &self.path
    }

    /// The operand.
    pub fn value(&self) -> &str {
        &self.value
    }

    fn holds(&self, fact: Option<&str>) -> bool {
        let Some(fact) = fact else { return false };
        let ordered = |holds: fn(std::cmp::Ordering) -> bool| compare(fact, &self.value).is_some_and(holds);
        match self.operator {
            Operator::Equal => fact == &*self.value,
            Operator::Match => self.pattern.as_ref().is_some_and(|pattern| pattern.is_match(fact)),
            Operator::Greater => ordered(std::cmp::Ordering::is_gt),
            Operator::GreaterOrEqual => ordered(std::cmp::Ordering::is_ge),
            Operator::Less => ordered(std::cmp::Ordering::is_lt),
            Operator::LessOrEqual => ordered(std::cmp::Ordering::is_le),
        }
    }
}

/// Compares two texts as numbers; `None` if one of them is not a number.
fn compare(a: &str, b: &str) -> Option<std::cmp::Ordering> {
    if let (Ok(a), Ok(b)) = (a.trim().parse::<i128>(), b.trim().parse::<i128>()) {
        return Some(a.cmp(&b));
    }
    float(a)?.partial_cmp(&float(b)?)
}

/// A number as digits, fraction and exponent; not the names of infinity.
fn float(text: &str) -> Option<f64> {
    let text = text.trim();
    if !text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) {
        return None;
    }
    text.parse().ok()
}

impl Path {
    fn from_json(json: &Json) -> Result<Self, String> {
        let components = match json {
            Json::String(field) => return Ok(Self::Field(field.clone())),
            Json::Array(components) => components,
            other => return Err(format!("a path is a string or an array, not {other}")),
        };
        let (Some(kind), Some(Json::String(_)), rest) =
            (components.first(), components.get(1), components.get(1..).unwrap_or_default())
        else {
            return Err("a path has a kind (\"fact\" or \"trusted\") and the name of a fact".to_owned());
        };
        let is_trusted = match kind.as_str() {
            Some("fact") => false,
            Some("trusted") => true,
            _ => return Err(format!("a path begins with \"fact\" or \"trusted\", not {kind}")),
        };
        let component = |json: &Json| match json {
            Json::String(field) => Ok(Component::Field(field.clone())),
            Json::Number(_) => json
                .as_u64()
                .and_then(|index| usize::try_from(index).ok())
                .map(Component::Index)
                .ok_or_else(|| format!("an index is a whole number, not {json}")),
            other => Err(format!("a path has names and indices, not {other}")),
        };
        Ok(Self::Fact { is_trusted, components: rest.iter().map(component).collect::<Result<_, _>>()? })
    }

    /// The path as rules have it.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Field(field) => Json::from(field.as_str()),
            Self::Fact { is_trusted, components } => {
                let mut path = vec![Json::from(if *is_trusted { "trusted" } else { "fact" })];
                path.extend(components.iter().map(Component::to_json));
                Json::Array(path)
            }
        }
    }

    /// The value at the path, as a text; `None` if it is missing or not a scalar.
    fn value<'a>(&self, node: &'a Node) -> Option<std::borrow::Cow<'a, str>> {
        match self {
            Self::Field(field) => (field == "name").then(|| node.name.as_str().into()),
            Self::Fact { .. } => match self.fact(node)? {
                Json::String(text) => Some(text.as_str().into()),
                Json::Number(number) => Some(number.to_string().into()),
                Json::Bool(truth) => Some(if *truth { "true" } else { "false" }.into()),
                _ => None,
            },
        }
    }

    /// The value at the path, or null.
    fn raw_value(&self, node: &Node) -> Json {
        match self {
            Self::Field(field) if field == "name" => Json::from(node.name.as_str()),
            Self::Field(_) => Json::Null,
            Self::Fact { .. } => self.fact(node).cloned().unwrap_or_default(),
        }
    }

    fn fact<'a>(&self, node: &'a Node) -> Option<&'a Json> {
        let Self::Fact { is_trusted, components } = self else { return None };
        let (name, rest) = components.split_first()?;
        let Component::Field(name) = name else { return None };
        let facts = if *is_trusted { &node.trusted } else { &node.facts };
        rest.iter().try_fold(facts.get(name)?, |value, component| match component {
            Component::Field(field) => value.get(field),
            Component::Index(index) => value.get(index),
        })
    }
}

impl Component {
    fn to_json(&self) -> Json {
        match self {
            Self::Field(field) => Json::from(field.as_str()),
            Self::Index(index) => Json::from(*index),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Node, Rule};

    fn holds(rule: &serde_json::Value) -> bool {
        let node = Node {
            name: "www1.example.com".to_owned(),
            facts: json!({ "total_ram": "512", "load": 0.5, "is_virtual": true, "disks": [{ "size": 7 }] })
                .as_object()
                .cloned()
                .unwrap_or_default(),
            trusted: json!({ "certname": "www1.example.com" }).as_object().cloned().unwrap_or_default(),
        };
        Rule::from_json(rule).expect("a rule").matches(&node)
    }

    #[test]
    fn facts_are_compared_as_texts_and_numbers() {
        assert!(holds(&json!([
            "and",
            ["~", ["trusted", "certname"], "www"],
            [">=", ["fact", "total_ram"], "512"]
        ])));
        assert!(holds(&json!(["=", ["fact", "is_virtual"], "true"])));
        assert!(holds(&json!(["<", ["fact", "load"], "1"])));
        assert!(holds(&json!(["=", ["fact", "disks", 0, "size"], "7"])));
        assert!(!holds(&json!([">", ["fact", "is_virtual"], "0"])), "no number");
        assert!(!holds(&json!(["~", ["fact", "disks"], "."])), "no scalar");
        assert!(holds(&json!(["not", ["=", ["fact", "missing"], ""]])));
    }

    #[test]
    fn what_is_no_rule_is_told_with_its_place() {
        let wrong =
            Rule::from_json(&json!(["or", ["=", "name", "a"], ["~", "name", "("]])).expect_err("no rule");
        assert!(wrong.starts_with("$[2][2]: "), "{wrong}");
        let wrong = Rule::from_json(&json!(["=", ["fact"], "a"])).expect_err("no rule");
        assert!(wrong.starts_with("$[1]: "), "{wrong}");
    }

    #[test]
    fn nodes_are_pinned_beside_a_rule() {
        let rule = Rule::from_json(&json!(["and", ["~", "name", "x"]])).expect("a rule");
        let names = ["a".to_owned(), "b".to_owned(), "a".to_owned()];
        let pinned = Rule::with_pinned(Some(&rule), &names).expect("a rule");
        assert_eq!(
            pinned.to_json(),
            json!(["or", ["and", ["~", "name", "x"]], ["=", "name", "a"], ["=", "name", "b"]])
        );
        let left = pinned.without_pinned(&["a", "b", "c"].into_iter().collect()).expect("a rule");
        assert_eq!(left.to_json(), rule.to_json());
    }
}
