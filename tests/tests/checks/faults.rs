//! Faults that are planted: texts of files with one thing wrong.

use std::ops::Range;

use bunraku::index::{FileIndex, Index, Role};
use bunraku::loader::Environment;
use bunraku::pcore::types::built_in;
use bunraku::syntax::ast::nodes::{ComparisonOperator, ResourceForm};
use bunraku::syntax::ast::{Node, NodeId, Program};

use crate::subjects::Subject;

/// The kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    MisspeltAttribute,
    MisspeltDefineParameter,
    MisspeltClassParameter,
    MisspeltClass,
    MisspeltParent,
    MisspeltDefine,
    MisspeltResourceType,
    MisspeltVariable,
    MisspeltQualifiedVariable,
    MisspeltFunction,
    MisspeltType,
    WrongValue,
    WrongArgument,
    TooManyArguments,
    MissingParameter,
    DeadReference,
    DeadClassReference,
    LostFile,
    DuplicateResource,
    WrongOperand,
    WrongComparison,
    WrongMatch,
    UndefAccess,
    WrongAssertion,
    MisspeltTemplateParameter,
    WrongData,
    LostBrace,
    MisspeltKey,
    MisspeltMethod,
    LostSign,
}

const KINDS: &[Kind] = &[
    Kind::MisspeltAttribute,
    Kind::MisspeltDefineParameter,
    Kind::MisspeltClassParameter,
    Kind::MisspeltClass,
    Kind::MisspeltParent,
    Kind::MisspeltDefine,
    Kind::MisspeltResourceType,
    Kind::MisspeltVariable,
    Kind::MisspeltQualifiedVariable,
    Kind::MisspeltFunction,
    Kind::MisspeltType,
    Kind::WrongValue,
    Kind::WrongArgument,
    Kind::TooManyArguments,
    Kind::MissingParameter,
    Kind::DeadReference,
    Kind::DeadClassReference,
    Kind::LostFile,
    Kind::DuplicateResource,
    Kind::WrongOperand,
    Kind::WrongComparison,
    Kind::WrongMatch,
    Kind::UndefAccess,
    Kind::WrongAssertion,
    Kind::MisspeltTemplateParameter,
    Kind::WrongData,
    Kind::LostBrace,
    Kind::MisspeltKey,
    Kind::MisspeltMethod,
    Kind::LostSign,
];

/// A file with a fault.
pub struct Fault {
    pub kind: Kind,
    pub path: String,
    pub text: String,
    /// The lines of the fault.
    pub lines: (u32, u32),
    /// The change.
    pub what: String,
}

/// A change of a text.
struct Change {
    range: Range<usize>,
    text: String,
    /// The bytes whose lines contain the fault.
    around: Range<usize>,
}

/// Numbers that are the same in each run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % most.max(1)
    }
}

/// Faults of all kinds, at most this number of each, in the evaluated files.
pub fn of(subject: &Subject, environment: &Environment, index: &Index, wanted: usize) -> Vec<Fault> {
    let seed = subject.name.bytes().fold(17, |all: u64, byte| all.wrapping_mul(31) + u64::from(byte));
    let mut chance = Chance(seed);
    let mut faults = Vec::new();
    for &kind in KINDS {
        let mut places: Vec<(&FileIndex, Change)> = Vec::new();
        for file in index.files() {
            let is_evaluated = match file.role {
                Role::Data => matches!(kind, Kind::WrongData | Kind::MisspeltMethod),
                Role::Erb => kind == Kind::LostSign && subject.has_module_of(file),
                Role::Manifest | Role::Function => {
                    file.module.is_none()
                        || subject.files.iter().any(|path| file.path.as_deref() == Some(path))
                }
                _ => false,
            };
            if !is_evaluated || file.path.is_none() {
                continue;
            }
            let changes = match &file.program {
                Some(program) => changes(kind, program, environment, index, &mut chance),
                None => match kind {
                    Kind::WrongData => of_data(file),
                    Kind::MisspeltMethod => of_interpolations(file, &mut chance),
                    _ => of_template(file),
                },
            };
            places.extend(changes.into_iter().map(|change| (&**file, change)));
        }
        for _ in 0..wanted {
            if places.is_empty() {
                break;
            }
            let (file, change) = places.swap_remove(chance.below(places.len()));
            faults.extend(fault(kind, file, &change));
        }
    }
    faults
}

fn fault(kind: Kind, file: &FileIndex, change: &Change) -> Option<Fault> {
    let text = file.source.text();
    let changed =
        format!("{}{}{}", text.get(..change.range.start)?, change.text, text.get(change.range.end..)?);
    let line_in =
        |text: &str, at: usize| text.bytes().take(at).filter(|&byte| byte == b'\n').count() as u32 + 1;
    let line = |at: usize| line_in(text, at);
    let what = format!("{:?} -> {:?}", text.get(change.range.clone())?, change.text);
    // A lost brace is found where the text cannot continue.
    let last = if kind == Kind::LostBrace { u32::MAX } else { line_in(&changed, change.around.end) };
    let path = file.path.as_deref()?.to_owned();
    Some(Fault { kind, path, text: changed, lines: (line(change.around.start), last), what })
}

/// A name with two letters swapped, one lost or one doubled.
fn misspelt(name: &str, chance: &mut Chance) -> Option<String> {
    let letters: Vec<char> = name.chars().collect();
    // The last segment, after its first letter.
    let first = name.rfind("::").map_or(0, |at| name[..at].chars().count() + 2) + 1;
    if letters.len() < first + 3 {
        return None;
    }
    let at = first + chance.below(letters.len() - first - 1);
    let mut changed = letters.clone();
    match chance.below(3) {
        0 if letters[at] != letters[at + 1] => changed.swap(at, at + 1),
        1 => drop(changed.remove(at)),
        _ => changed.insert(at, letters[at]),
    }
    let changed: String = changed.into_iter().collect();
    (changed != name).then_some(changed)
}

fn text_of(program: &Program, id: NodeId) -> Option<String> {
    match *program.node(id) {
        Node::LiteralString { value } | Node::QualifiedName { value } => Some(program.text(value).to_owned()),
        Node::QualifiedReference { cased_value } => Some(program.text(cased_value).to_owned()),
        _ => None,
    }
}

fn range(program: &Program, id: NodeId) -> Range<usize> {
    let span = program.extent(id);
    span.start as usize..span.end as usize
}

/// The name in a node, misspelt.
fn misspell(program: &Program, id: NodeId, chance: &mut Chance) -> Option<Change> {
    let name = text_of(program, id)?;
    let whole = range(program, id);
    let source = program.source().text().get(whole.clone())?;
    let at = whole.start + source.find(&name)?;
    let text = misspelt(&name, chance)?;
    Some(Change { range: at..at + name.len(), text, around: whole })
}

fn replace(program: &Program, id: NodeId, text: &str) -> Change {
    let range = range(program, id);
    Change { around: range.clone(), range, text: text.to_owned() }
}

/// The places of a program where a fault of a kind can be planted.
fn changes(
    kind: Kind,
    program: &Program,
    environment: &Environment,
    index: &Index,
    chance: &mut Chance,
) -> Vec<Change> {
    let mut found = Vec::new();
    for id in program.ids() {
        if program.parent(id).is_some() || id == program.body() {
            found.extend(change(kind, program, id, environment, index, chance));
        }
    }
    found
}

/// The type's name of the resource that a body belongs to.
fn type_of_body(program: &Program, body: NodeId) -> Option<String> {
    let Node::ResourceExpression { type_name, .. } = *program.node(program.parent(body)?) else {
        return None;
    };
    text_of(program, type_name).map(|name| name.trim_start_matches("::").to_lowercase())
}

/// A node that may be changed so that a fault of a kind is in it.
struct Site<'e> {
    kind: Kind,
    program: &'e Program,
    id: NodeId,
    environment: &'e Environment,
    index: &'e Index,
}

impl Site<'_> {
    /// Attributes of resources.
    fn of_attribute(&self, chance: &mut Chance) -> Option<Change> {
        use bunraku::index::Kind as Named;
        let Self { kind, program, id, index, .. } = *self;
        let source = program.source().text();
        match (kind, *program.node(id)) {
            (
                Kind::MisspeltAttribute
                | Kind::MisspeltDefineParameter
                | Kind::MisspeltClassParameter
                | Kind::WrongValue,
                Node::AttributeOperation { attribute_name, value_expr, .. },
            ) => {
                let body = program.parent(id)?;
                let of = type_of_body(program, body)?;
                let is_define = index.has(Named::DefinedType, &of);
                let is_wanted = match kind {
                    Kind::MisspeltAttribute => of != "class" && !is_define,
                    Kind::MisspeltDefineParameter => is_define,
                    Kind::MisspeltClassParameter => of == "class",
                    _ => of == "class" || is_define,
                };
                if !is_wanted {
                    return None;
                }
                if kind == Kind::WrongValue {
                    let text = ["[[]]", "{ 'nonsense' => [] }", "/x/", "-7.5"][chance.below(4)];
                    return Some(replace(program, value_expr, text));
                }
                let name = program.text(attribute_name);
                let whole = range(program, id);
                let at = whole.start + source.get(whole.clone())?.find(name)?;
                Some(Change { range: at..at + name.len(), text: misspelt(name, chance)?, around: at..at })
            }
            (Kind::MissingParameter, Node::AttributeOperation { attribute_name, .. }) => {
                let body = program.parent(id)?;
                let of = type_of_body(program, body)?;
                let target = match (of.as_str(), *program.node(body)) {
                    ("class", Node::ResourceBody { title: Some(title), .. }) => {
                        index.find(Named::Class, text_of(program, title)?.trim_start_matches("::"))?
                    }
                    _ => index.find(Named::DefinedType, &of)?,
                };
                let name = program.text(attribute_name);
                target.item.parameters.iter().find(|one| one.name == name && one.is_required())?;
                let whole = range(program, id);
                let rest = source.get(whole.end..)?;
                let comma = rest.len() - rest.trim_start().len();
                let end = if rest.trim_start().starts_with(',') { whole.end + comma + 1 } else { whole.end };
                Some(Change {
                    range: whole.start..end,
                    text: String::new(),
                    around: range(program, program.parent(body)?),
                })
            }
            _ => None,
        }
    }

    /// Names of declared or called things.
    fn of_name(&self, chance: &mut Chance) -> Option<Change> {
        use bunraku::index::Kind as Named;
        let Self { kind, program, id, environment, index } = *self;
        let source = program.source().text();
        match (kind, *program.node(id)) {
            (Kind::MisspeltClass, Node::CallNamedFunctionExpression { functor_expr, arguments, .. }) => {
                let name = text_of(program, functor_expr)?;
                let is_include = matches!(name.as_str(), "include" | "contain" | "require");
                let first = program.list(arguments).first().copied().filter(|_| is_include)?;
                misspell(program, first, chance)
            }
            (Kind::MisspeltParent, Node::HostClassDefinition { parent_class: Some(parent), .. }) => {
                let name = program.text(parent);
                let whole = range(program, id);
                let text = source.get(whole.clone())?;
                let behind = text.find("inherits")? + 8;
                let at = whole.start + behind + text.get(behind..)?.find(name)?;
                Some(Change { range: at..at + name.len(), text: misspelt(name, chance)?, around: at..at })
            }
            (
                Kind::MisspeltDefine | Kind::MisspeltResourceType,
                Node::ResourceExpression { type_name, .. },
            ) => {
                let name = text_of(program, type_name)?.trim_start_matches("::").to_owned();
                let is_define = index.has(Named::DefinedType, &name);
                let is_wanted =
                    if kind == Kind::MisspeltDefine { is_define } else { !is_define && name != "class" };
                is_wanted.then(|| misspell(program, type_name, chance)).flatten()
            }
            (Kind::MisspeltVariable | Kind::MisspeltQualifiedVariable, Node::VariableExpression { expr }) => {
                let name = text_of(program, expr)?;
                let above = program.parent(id)?;
                if let Node::AssignmentExpression { left_expr, .. } = *program.node(above)
                    && left_expr == id
                {
                    return None;
                }
                let is_qualified = name.trim_start_matches("::").contains("::");
                let is_wanted = is_qualified == (kind == Kind::MisspeltQualifiedVariable) && name != "facts";
                let whole = range(program, id);
                let at = whole.start + source.get(whole.clone())?.find(&name).filter(|_| is_wanted)?;
                Some(Change { range: at..at + name.len(), text: misspelt(&name, chance)?, around: at..at })
            }
            (Kind::MisspeltFunction, Node::CallNamedFunctionExpression { functor_expr, .. }) => {
                let is_name = matches!(program.node(functor_expr), Node::QualifiedName { .. });
                is_name.then(|| misspell(program, functor_expr, chance)).flatten()
            }
            (Kind::MisspeltType, Node::Parameter { type_expr: Some(of), .. }) => {
                let names = program.descendants(of).into_iter();
                let mut names: Vec<NodeId> =
                    names.filter(|&id| matches!(program.node(id), Node::QualifiedReference { .. })).collect();
                let name = names.swap_remove(chance.below(names.len()).min(names.len().checked_sub(1)?));
                let change = misspell(program, name, chance)?;
                let text = change.text.to_lowercase();
                (built_in(&text).is_none() && environment.find_module(&text).is_none()).then_some(change)
            }
            _ => None,
        }
    }

    /// Arguments, references, files and titles.
    fn of_use(&self, chance: &mut Chance) -> Option<Change> {
        use bunraku::index::Kind as Named;
        let Self { kind, program, id, environment, index } = *self;
        let source = program.source().text();
        match (kind, *program.node(id)) {
            (
                Kind::WrongArgument | Kind::TooManyArguments,
                Node::CallNamedFunctionExpression { functor_expr, arguments, .. },
            ) => {
                let name = text_of(program, functor_expr)?;
                let arguments = program.list(arguments);
                let last = *arguments.last()?;
                if matches!(name.as_str(), "include" | "contain" | "require" | "defined" | "fail")
                    || matches!(
                        name.as_str(),
                        "notice" | "warning" | "debug" | "info" | "err" | "tag" | "realize"
                    )
                    || !source.get(range(program, id))?.contains('(')
                {
                    return None;
                }
                if kind == Kind::WrongArgument {
                    let chosen = arguments[chance.below(arguments.len())];
                    let text = ["/x/", "{ 'nonsense' => /x/ }", "default"][chance.below(3)];
                    return Some(Change { around: range(program, id), ..replace(program, chosen, text) });
                }
                let end = range(program, last).end;
                let text = ", 'one', 'two', 'three', 'four'".to_owned();
                Some(Change { range: end..end, text, around: range(program, id) })
            }
            (Kind::DeadReference | Kind::DeadClassReference, Node::AccessExpression { left_expr, keys }) => {
                let Node::QualifiedReference { cased_value } = *program.node(left_expr) else { return None };
                let is_class = program.text(cased_value).trim_start_matches("::") == "Class";
                let [key] = program.list(keys) else { return None };
                let is_wanted = is_class == (kind == Kind::DeadClassReference)
                    && index.has(Named::DefinedType, &program.text(cased_value).to_lowercase())
                        | is_class
                        | environment.has_native_type(&program.text(cased_value).to_lowercase());
                is_wanted.then(|| misspell(program, *key, chance)).flatten()
            }
            (Kind::LostFile, Node::CallNamedFunctionExpression { functor_expr, arguments, .. }) => {
                let name = text_of(program, functor_expr)?;
                let is_reader = matches!(name.as_str(), "template" | "epp" | "file");
                let first = program.list(arguments).first().copied().filter(|_| is_reader)?;
                let text = text_of(program, first)?;
                let (before, last) = text.rsplit_once('/')?;
                let changed = format!("{before}/{}", misspelt(last, chance)?);
                Some(replace(program, first, &format!("'{changed}'")))
            }
            (
                Kind::DuplicateResource,
                Node::ResourceExpression { form: ResourceForm::Regular, bodies, .. },
            ) => {
                let [body] = program.list(bodies) else { return None };
                let Node::ResourceBody { title: Some(title), .. } = *program.node(*body) else { return None };
                text_of(program, title)?;
                let whole = range(program, id);
                let text = format!("\n{}\n", source.get(whole.clone())?);
                Some(Change {
                    range: whole.end..whole.end,
                    around: whole.start..whole.end + text.len(),
                    text,
                })
            }
            _ => None,
        }
    }

    /// Comparisons, matches, accesses and assertions.
    fn of_value(&self, chance: &mut Chance) -> Option<Change> {
        let Self { kind, program, id, .. } = *self;
        match (kind, *program.node(id)) {
            (Kind::WrongComparison, Node::ComparisonExpression { operator, left_expr, right_expr }) => {
                let is_order = !matches!(operator, ComparisonOperator::Equal | ComparisonOperator::NotEqual);
                let (side, text) = [(right_expr, "'zero'"), (right_expr, "undef"), (left_expr, "[1]")]
                    .into_iter()
                    .nth(chance.below(3))?;
                is_order.then(|| replace(program, side, text))
            }
            (Kind::WrongMatch, Node::MatchExpression { left_expr, right_expr, .. }) => {
                let is_pattern = matches!(program.node(right_expr), Node::LiteralRegularExpression { .. });
                let text = ["5", "undef", "['text']"][chance.below(3)];
                is_pattern.then(|| replace(program, left_expr, text))
            }
            (Kind::UndefAccess, Node::AccessExpression { left_expr, .. }) => {
                let Node::VariableExpression { .. } = *program.node(left_expr) else { return None };
                let name = program.extent_text(left_expr).trim_start_matches('$');
                let value = program.ids().find_map(|id| match *program.node(id) {
                    Node::AssignmentExpression { left_expr, right_expr, .. }
                        if program.extent_text(left_expr).strip_prefix('$') == Some(name) =>
                    {
                        Some(right_expr)
                    }
                    _ => None,
                })?;
                let lines = program.extent_text(value).matches('\n').count();
                let text = format!("undef{}", "\n".repeat(lines));
                Some(Change { around: range(program, id), ..replace(program, value, &text) })
            }
            (Kind::WrongAssertion, Node::LiteralString { .. }) => {
                let above = program.parent(id)?;
                let is_value = matches!(program.node(above), Node::AttributeOperation { .. });
                is_value.then(|| replace(program, id, "assert_type(Integer, 'text')"))
            }
            _ => None,
        }
    }

    /// Texts, templates and braces.
    fn of_text(&self, chance: &mut Chance) -> Option<Change> {
        let Self { kind, program, id, .. } = *self;
        let source = program.source().text();
        match (kind, *program.node(id)) {
            (Kind::WrongOperand, Node::LiteralString { .. }) => {
                let above = program.parent(id)?;
                let is_value = matches!(
                    program.node(above),
                    Node::AttributeOperation { .. } | Node::AssignmentExpression { .. }
                );
                is_value.then(|| replace(program, id, "('text' + 1)"))
            }
            (
                Kind::MisspeltTemplateParameter,
                Node::CallNamedFunctionExpression { functor_expr, arguments, .. },
            ) => {
                let is_epp = text_of(program, functor_expr)? == "epp";
                let Node::LiteralHash { entries } =
                    *program.node(*program.list(arguments).get(1).filter(|_| is_epp)?)
                else {
                    return None;
                };
                let entry = *program.list(entries).first()?;
                let Node::KeyedEntry { key, .. } = *program.node(entry) else { return None };
                misspell(program, key, chance)
            }
            (Kind::MisspeltKey, Node::CallNamedFunctionExpression { functor_expr, arguments, .. }) => {
                let name = text_of(program, functor_expr)?;
                let is_lookup = matches!(name.as_str(), "lookup" | "hiera");
                let first = program.list(arguments).first().copied().filter(|_| is_lookup)?;
                misspell(program, first, chance)
            }
            (Kind::LostBrace, Node::ResourceBody { .. }) => {
                let whole = range(program, program.parent(id)?);
                let end = whole.end.checked_sub(1).filter(|&at| source.get(at..at + 1) == Some("}"))?;
                Some(Change { range: end..end + 1, text: String::new(), around: whole })
            }
            _ => None,
        }
    }
}

fn change(
    kind: Kind,
    program: &Program,
    id: NodeId,
    environment: &Environment,
    index: &Index,
    chance: &mut Chance,
) -> Option<Change> {
    let site = Site { kind, program, id, environment, index };
    site.of_attribute(chance)
        .or_else(|| site.of_name(chance))
        .or_else(|| site.of_use(chance))
        .or_else(|| site.of_value(chance))
        .or_else(|| site.of_text(chance))
}

/// Values of data that become others.
fn of_data(file: &FileIndex) -> Vec<Change> {
    let text = file.source.text();
    let is_yaml = file.path.as_deref().is_some_and(|path| path.ends_with(".yaml"));
    let value = |definition: &bunraku::index::Definition| {
        let behind = definition.span.end as usize;
        let line = text.get(behind..)?.lines().next()?;
        let (before, value) = line.split_once(':')?;
        let value_at = behind + before.len() + 1;
        if value.trim().is_empty()
            || value.trim().starts_with(['|', '>', '&', '[', '{']) && !value.trim().ends_with([']', '}'])
        {
            return None;
        }
        let range = value_at..value_at + value.len();
        Some(Change {
            range,
            text: " [[nonsense], 1.5]".to_owned(),
            around: definition.span.start as usize..behind,
        })
    };
    file.definitions.iter().filter(|one| is_yaml && one.name.contains("::")).filter_map(value).collect()
}

/// Interpolations of data whose methods are misspelt.
fn of_interpolations(file: &FileIndex, chance: &mut Chance) -> Vec<Change> {
    let text = file.source.text();
    let mut found = Vec::new();
    for method in ["lookup", "alias", "hiera", "literal", "scope"] {
        for (at, mark) in text.match_indices(&format!("%{{{method}(")) {
            let range = at + 2..at + mark.len() - 1;
            let changed = misspelt(method, chance).map(|text| Change { around: range.clone(), range, text });
            found.extend(changed);
        }
    }
    found
}

/// Variables of a template in ERB that lose their `@`.
fn of_template(file: &FileIndex) -> Vec<Change> {
    let text = file.source.text();
    let written = text.match_indices("<%= @").map(|(at, mark)| at + mark.len() - 1);
    written.map(|at| Change { range: at..at + 1, text: String::new(), around: at..at }).collect()
}
