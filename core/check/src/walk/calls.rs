//! Calls of functions: whether the function exists, and whether its arguments match.

use bunraku_engine::eval::{FunctionDescription, Signature};
use bunraku_index::Kind;
use bunraku_pcore::types::constructor::constructor;
use bunraku_pcore::types::{CallableType, Type, TypeKind, mismatch};
use bunraku_pcore::value::Value;
use bunraku_syntax::ast::{Node, NodeId};

use super::names::{absolute, texts};
use super::scopes::{Frame, FrameKind};
use super::{Walker, any, either, legacy};
use crate::codes::Code;
use crate::finding::{Finding, Severity};
use crate::narrow::{is_text, leaves};
use crate::overlap::{overlap, size_of};
use crate::world::Function;

/// An argument: its place and its type.
pub(super) type Argument = (NodeId, Type);

impl Walker<'_, '_> {
    pub(super) fn call(&mut self, id: NodeId) -> Type {
        match *self.program.node(id) {
            Node::CallNamedFunctionExpression { functor_expr, arguments, lambda, .. } => {
                match *self.program.node(functor_expr) {
                    Node::QualifiedName { value } => {
                        let name = self.program.text(value).to_owned();
                        let given = self.arguments(&name, self.program.list(arguments));
                        self.named(id, functor_expr, &name, &given, lambda)
                    }
                    _ => {
                        self.eval(functor_expr);
                        let given = self.arguments("new", self.program.list(arguments));
                        self.block(lambda, None);
                        self.instantiation(id, functor_expr, given.as_deref(), lambda.is_some())
                    }
                }
            }
            Node::CallMethodExpression { functor_expr, arguments, lambda, .. } => {
                let Node::NamedAccessExpression { left_expr, right_expr } = *self.program.node(functor_expr)
                else {
                    return any();
                };
                let Node::QualifiedName { value } = *self.program.node(right_expr) else { return any() };
                let name = self.program.text(value).to_owned();
                let receiver = self.eval(left_expr);
                let mut given = Some(vec![(left_expr, receiver.clone())]);
                if matches!(self.program.node(left_expr), Node::UnfoldExpression { .. }) {
                    given = None;
                }
                let others = self.arguments(&name, self.program.list(arguments));
                let given = given.zip(others).map(|(mut given, others)| {
                    given.extend(others);
                    given
                });
                if matches!(*self.world.function(&name), Function::Unknown) && may_be_object(&receiver) {
                    // It may be a method of an object, unless it looks like a function's name.
                    let is_object = !matches!(receiver.kind(), TypeKind::Any);
                    if !is_object && self.world.nearest(Kind::Function, &name).is_some() {
                        self.unknown_method(&name, right_expr);
                    }
                    self.block(lambda, None);
                    return any();
                }
                self.named(id, right_expr, &name, &given, lambda)
            }
            Node::CallFunctionExpression { functor_expr, arguments, lambda, .. } => {
                self.eval(functor_expr);
                self.all(arguments);
                self.block(lambda, None);
                any()
            }
            _ => any(),
        }
    }

    /// An unknown method name that is similar to a function's.
    fn unknown_method(&mut self, name: &str, id: NodeId) {
        let before = self.findings.len();
        self.check_name(Kind::Function, name, id);
        for finding in self.findings.iter_mut().skip(before) {
            finding.severity = Severity::Warning;
        }
    }

    /// A call of a type: whether values can be made from the arguments, and their type.
    fn instantiation(
        &mut self,
        id: NodeId,
        functor: NodeId,
        given: Option<&[Argument]>,
        has_block: bool,
    ) -> Type {
        let loaded = self.world.engine.loaded();
        let of = match self.world.environment.interpret(self.program, functor, loaded) {
            Ok(of) if of.unresolved_reference().is_none() => of,
            _ => return any(),
        };
        if let (Some(given), Ok(made), false) = (given, constructor(&of), has_block) {
            let types: Vec<&Type> = given.iter().map(|(_, of)| of).collect();
            // A value of the type stands for itself.
            let is_made = matches!(types.as_slice(), [one] if overlap(&of, one))
                && !matches!(of.kind(), TypeKind::Init { .. });
            if !is_made
                && !made.signatures.is_empty()
                && !made.signatures.iter().any(|one| may_accept(one, &types, None))
            {
                let actual = Type::tuple(types.into_iter().cloned().collect(), None);
                let own: Vec<&Signature> = made.signatures.iter().collect();
                let message = mismatch::describe_signatures(&made.name, &own, &actual);
                self.error(Code::WrongArguments, id, message);
            }
        }
        match of.kind() {
            TypeKind::Integer(_)
            | TypeKind::Float(_)
            | TypeKind::Numeric
            | TypeKind::String { .. }
            | TypeKind::Boolean(_)
            | TypeKind::Array { .. }
            | TypeKind::Hash { .. }
            | TypeKind::Sensitive(_)
            | TypeKind::Timestamp { .. }
            | TypeKind::Timespan { .. }
            | TypeKind::SemVer(_)
            | TypeKind::Binary => of.generalize(),
            _ => any(),
        }
    }

    /// The arguments; `None` if some are expanded from a list.
    fn arguments(&mut self, name: &str, list: &[NodeId]) -> Option<Vec<Argument>> {
        let mut given = Some(Vec::new());
        for &id in list {
            let is_unfolded = matches!(self.program.node(id), Node::UnfoldExpression { .. });
            // Names that are asked for need not be there.
            let of = match name {
                "defined" => self.quietly(id),
                "realize" => self.relationship(id),
                _ => self.eval(id),
            };
            if is_unfolded {
                given = None;
            }
            if let Some(given) = &mut given {
                given.push((id, of));
            }
        }
        given
    }

    /// Looks at an expression whose names need not mean anything.
    fn quietly(&mut self, id: NodeId) -> Type {
        let before = self.findings.len();
        let of = self.eval(id);
        self.findings.truncate(before);
        of
    }

    /// A call by name.
    fn named(
        &mut self,
        id: NodeId,
        functor: NodeId,
        name: &str,
        given: &Option<Vec<Argument>>,
        lambda: Option<NodeId>,
    ) -> Type {
        let name = name.strip_prefix("::").unwrap_or(name);
        if let Some(given) = given {
            self.of_function(id, name, given);
            self.looks_up(name, given, lambda.is_some());
        }
        let function = self.world.function(name);
        self.check_deprecated(Kind::Function, name, functor);
        let description = match &*function {
            Function::Unknown => {
                self.check_name(Kind::Function, name, functor);
                self.block(lambda, None);
                return any();
            }
            Function::Unread => {
                self.block(lambda, None);
                return any();
            }
            Function::Known(description) => description,
        };
        self.note_dependency(name, functor);
        let result = self.block(lambda, given.as_ref().map(|given| (name, given.as_slice())));
        let Some(given) = given else { return any() };
        self.check_arguments(id, name, description, given, lambda);
        match name {
            "validate_legacy" | "stdlib::validate_legacy" => self.validated(given),
            "fail" => {
                self.fails(id, given);
                self.has_ended = true;
            }
            "return" | "break" | "next" => {
                self.ends();
                self.has_ended = true;
            }
            "assert_type" if lambda.is_none() => return self.asserted(id, given),
            _ => {}
        }
        let known = self.result_of(name, given, result.as_ref());
        known.unwrap_or_else(|| returned(description, given))
    }

    /// Tells of arguments that no signature takes.
    fn check_arguments(
        &mut self,
        id: NodeId,
        name: &str,
        description: &FunctionDescription,
        given: &[Argument],
        lambda: Option<NodeId>,
    ) {
        let types: Vec<&Type> = given.iter().map(|(_, of)| of).collect();
        let of_legacy = || description.legacy.and_then(|_| legacy::signature(name));
        if let Some(signature) = legacy::validating(name).or_else(of_legacy) {
            if !may_accept(&signature, &types, None) {
                let actual = refused(&[&signature], &types);
                let message = mismatch::describe_signatures(name, &[&signature], &actual);
                let place = first_wrong(&signature, given).unwrap_or(id);
                self.error(Code::WrongArguments, place, message);
            }
            return;
        }
        if let Some(legacy) = description.legacy {
            let (least, is_open) =
                if legacy.arity < 0 { (-legacy.arity - 1, true) } else { (legacy.arity, false) };
            let least = usize::try_from(least).unwrap_or(0);
            if given.len() < least || (!is_open && given.len() > least) {
                let at_least = if is_open { "at least " } else { "" };
                let message = format!(
                    "'{name}' takes {at_least}{}, and is given {}",
                    counted(least, "argument"),
                    given.len()
                );
                self.error(Code::WrongArguments, id, message);
            }
            return;
        }
        if description.signatures.is_empty() {
            return;
        }
        let block = lambda.map(|lambda| self.block_arity(lambda));
        if description.signatures.iter().any(|one| may_accept(one, &types, block)) {
            if let [only] = description.signatures.as_slice() {
                self.note_refused(name, only, given);
            }
            return;
        }
        let own: Vec<&Signature> = description.signatures.iter().collect();
        let actual = refused(&own, &types);
        let mut message = mismatch::describe_signatures(name, &own, &actual);
        // If only one argument is at fault, its place is reported.
        let place = match own.as_slice() {
            [only] => first_wrong(only, given).unwrap_or(id),
            _ => id,
        };
        if lambda.is_some() && !message.contains("block") {
            message = format!("'{name}' does not take these arguments with this block");
        }
        self.error(Code::WrongArguments, place, message);
    }

    /// Notes the first argument of which a signature refuses some values.
    fn note_refused(&mut self, name: &str, signature: &Signature, given: &[Argument]) {
        let Some((types, ..)) = parts(signature) else { return };
        let refuses = |wanted: &Type, of: &Type| {
            leaves(of).is_some_and(|leaves| leaves.iter().any(|leaf| !overlap(wanted, leaf)))
        };
        let wanted = |at: usize| types.get(at).or_else(|| types.last());
        let wrong = given.iter().enumerate().find_map(|(at, (id, of))| {
            let wanted = wanted(at)?;
            refuses(wanted, of).then_some((at, *id, wanted, of))
        });
        let Some((at, id, wanted, of)) = wrong else { return };
        let subject = match signature.parameter_names.get(at) {
            Some(parameter) => format!("'{name}' parameter '{parameter}'"),
            None => format!("'{name}' index {at}"),
        };
        let message = mismatch::describe(&subject, wanted, of);
        let finding = Finding::new(Code::WrongArguments, Severity::Note, self.place(id), message);
        self.tell(finding);
    }

    /// The number of a block's parameters: required, all, and whether it takes more.
    fn block_arity(&self, lambda: NodeId) -> (usize, Option<usize>) {
        let Node::LambdaExpression { parameters, .. } = *self.program.node(lambda) else { return (0, None) };
        let mut least = 0;
        let mut most = Some(0);
        for &parameter in self.program.list(parameters) {
            let Node::Parameter { value, captures_rest, .. } = *self.program.node(parameter) else {
                continue;
            };
            if captures_rest {
                most = None;
            } else {
                least += usize::from(value.is_none());
                most = most.map(|most| most + 1);
            }
        }
        (least, most)
    }

    /// A block of a function; returns the type of its result.
    fn block(&mut self, lambda: Option<NodeId>, call: Option<(&str, &[Argument])>) -> Option<Type> {
        let lambda = lambda?;
        let Node::LambdaExpression { parameters, body, .. } = *self.program.node(lambda) else { return None };
        let elements =
            call.map(|(name, given)| block_types(name, given, parameters.len())).unwrap_or_default();
        self.blocks += 1;
        let mut frame = Frame::new(FrameKind::Block);
        for (at, &parameter) in self.program.list(parameters).iter().enumerate() {
            if let Node::Parameter { name, type_expr, value, captures_rest } = *self.program.node(parameter) {
                let of = self.parameter_type(type_expr);
                if let Some(value) = value {
                    self.eval(value);
                }
                let of = match (type_expr, elements.get(at)) {
                    _ if captures_rest => any(),
                    (None, Some(element)) => element.clone(),
                    _ => of,
                };
                frame.names.insert(self.program.text(name).to_owned(), Some(of));
            }
        }
        // `break` and its like end the block alone, which may never be called.
        let has_ended = self.has_ended;
        let result = self.within(frame, body, |walker| walker.optional(body));
        let result = if self.has_ended && !has_ended { any() } else { result };
        self.has_ended = has_ended;
        self.blocks -= 1;
        Some(result)
    }

    /// Special functions: arguments that are names of other things.
    fn of_function(&mut self, id: NodeId, name: &str, given: &[Argument]) {
        match name {
            "include" | "contain" | "require" => {
                for (place, of) in given {
                    for text in texts(of) {
                        let places = self.literal_places(*place, &text);
                        self.class_name(&text, places);
                        self.check_included(&absolute(&text), places);
                    }
                }
            }
            "template" | "epp" | "file" => self.reads_files(id, name, given),
            "create_resources" => self.create_resources(given),
            "ensure_resource" | "stdlib::ensure_resource" => self.ensure_resource(given),
            "ensure_packages" | "stdlib::ensure_packages" => self.ensure_packages(id, given),
            "run_task" | "run_plan" => self.runs(id, name, given),
            _ => {}
        }
    }

    /// The place of a text among the members of a list.
    fn literal_places(&self, id: NodeId, text: &str) -> NodeId {
        let Node::LiteralList { values } = *self.program.node(id) else { return id };
        let is_it = |&&value: &&NodeId| match *self.program.node(value) {
            Node::LiteralString { value } | Node::QualifiedName { value } => self.program.text(value) == text,
            _ => false,
        };
        self.program.list(values).iter().find(is_it).copied().unwrap_or(id)
    }

    /// The results of some functions, which their signatures do not declare.
    fn result_of(&self, name: &str, given: &[Argument], block: Option<&Type>) -> Option<Type> {
        let first = given.first().map(|(_, of)| of);
        let text = || Some(Type::string(None));
        match name {
            "split" if is_text(first?) => Some(Type::array(Type::string(None), None)),
            "join" | "sprintf" | "template" | "inline_template" | "file" | "md5" | "sha1" | "sha256" => {
                text()
            }
            // A template that is given something sensitive is sensitive.
            "epp" | "inline_epp" => {
                Some(Type::variant([Type::string(None), TypeKind::Sensitive(None).into()]))
            }
            "downcase" | "upcase" | "capitalize" | "chomp" | "strip" | "lstrip" | "rstrip" | "regsubst" => {
                match first?.kind() {
                    TypeKind::String { .. } | TypeKind::Enum { .. } | TypeKind::Pattern(_) => text(),
                    _ => None,
                }
            }
            "pick" => picked(given),
            "map" => Some(Type::array(block.cloned().unwrap_or_else(any), None)),
            "size" | "length" => Some(Type::integer(Some(0), None)),
            "defined" | "empty" | "any" | "all" => Some(TypeKind::Boolean(None).into()),
            "versioncmp" => Some(Type::integer(Some(-1), Some(1))),
            _ => None,
        }
    }

    /// The type of a parameter of a block, a function or a definition, with a check of its names.
    pub(super) fn parameter_type(&mut self, type_expr: Option<NodeId>) -> Type {
        let Some(expression) = type_expr else { return any() };
        if !self.check_type_expression(expression) {
            return any();
        }
        let loaded = self.world.engine.loaded();
        match self.world.environment.interpret(self.program, expression, loaded) {
            Ok(of) if of.unresolved_reference().is_none() => of,
            _ => any(),
        }
    }

    /// Looks at the names in a type; whether all are known.
    pub(super) fn check_type_expression(&mut self, expression: NodeId) -> bool {
        let mut all_known = true;
        for id in self.program.descendants(expression) {
            if let Node::QualifiedReference { cased_value } = *self.program.node(id) {
                let name = absolute(self.program.text(cased_value));
                all_known &= self.check_name(Kind::Type, &name, id);
            }
        }
        all_known
    }
}

/// The type of the first argument that has a value; an empty text is none.
fn picked(given: &[Argument]) -> Option<Type> {
    let none = Type::optional(Type::infer_set(&Value::from("")));
    let mut types = Vec::new();
    for (_, of) in given {
        let all = leaves(of)?;
        let can_be_none = all.iter().any(|one| overlap(&none, one));
        types.extend(all.into_iter().filter(|one| !matches!(one.kind(), TypeKind::Undef)));
        if !can_be_none {
            break;
        }
    }
    (!types.is_empty()).then(|| either(types))
}

/// Whether a value may be an object with methods.
fn may_be_object(of: &Type) -> bool {
    match of.kind() {
        TypeKind::Any
        | TypeKind::Object(_)
        | TypeKind::ObjectExtension { .. }
        | TypeKind::Uri(_)
        | TypeKind::Runtime { .. }
        | TypeKind::Type(_) => true,
        TypeKind::Variant(types) => types.iter().any(may_be_object),
        TypeKind::Optional(Some(of)) | TypeKind::NotUndef(Some(of)) => may_be_object(of),
        TypeKind::Alias(alias) => alias.target.get().is_none_or(may_be_object),
        _ => false,
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The parameters of a signature, how many it takes, and its block.
type Parts<'s> = (&'s [Type], (i64, Option<i64>), Option<&'s Type>);

/// The parts of a signature.
fn parts(signature: &Signature) -> Option<Parts<'_>> {
    let TypeKind::Callable(CallableType { parameters, block, .. }) = signature.callable.kind() else {
        return None;
    };
    let tuple = parameters.as_ref()?;
    let TypeKind::Tuple { types, size } = tuple.kind() else { return None };
    // A Tuple without types and size takes all; a signature without parameters takes none.
    let range = if types.is_empty() && size.is_none() { (0, Some(0)) } else { size_of(tuple) };
    Some((types, range, block.as_ref()))
}

/// Whether a signature may take arguments.
fn may_accept(signature: &Signature, given: &[&Type], lambda: Option<(usize, Option<usize>)>) -> bool {
    let Some((types, (least, most), block)) = parts(signature) else { return true };
    let count = given.len() as i64;
    if count < least || most.is_some_and(|most| count > most) {
        return false;
    }
    let fits =
        |(at, of): (usize, &&Type)| types.get(at).or_else(|| types.last()).is_none_or(|one| overlap(one, of));
    given.iter().enumerate().all(fits) && block_fits(block, lambda)
}

/// Whether a block is one that a signature takes.
fn block_fits(wanted: Option<&Type>, lambda: Option<(usize, Option<usize>)>) -> bool {
    let Some(wanted) = wanted else { return lambda.is_none() };
    let (is_optional, wanted) = match wanted.kind() {
        TypeKind::Optional(Some(of)) => (true, of),
        _ => (false, wanted),
    };
    let Some((least, most)) = lambda else { return is_optional };
    let TypeKind::Callable(CallableType { parameters: Some(parameters), .. }) = wanted.kind() else {
        return true;
    };
    let (given_least, given_most) = match parameters.kind() {
        TypeKind::Tuple { types, size: None } if types.is_empty() => (0, Some(0)),
        _ => size_of(parameters),
    };
    // The block must take each number of arguments that it may be given.
    least as i64 <= given_least
        && most.is_none_or(|most| given_most.is_some_and(|given| given <= most as i64))
}

/// Arguments for the message of their refusal: those that may be accepted count as accepted.
fn refused(signatures: &[&Signature], given: &[&Type]) -> Type {
    let wanted = match signatures {
        [only] => parts(only).map(|(types, ..)| types),
        _ => None,
    };
    let shown = |(at, of): (usize, &&Type)| {
        let wanted = wanted.and_then(|types| types.get(at).or_else(|| types.last()));
        wanted.filter(|wanted| overlap(wanted, of)).unwrap_or(of).clone()
    };
    Type::tuple(given.iter().enumerate().map(shown).collect(), None)
}

/// The type of a signature's first parameter.
pub(super) fn first_parameter(signature: &Signature) -> Option<Type> {
    parts(signature)?.0.first().cloned()
}

/// The only argument that does not match.
fn first_wrong(signature: &Signature, given: &[Argument]) -> Option<NodeId> {
    let (types, (least, most), _) = parts(signature)?;
    let count = given.len() as i64;
    if count < least || most.is_some_and(|most| count > most) {
        return None;
    }
    let is_wrong = |(at, (_, of)): &(usize, &Argument)| {
        types.get(*at).or_else(|| types.last()).is_some_and(|one| !overlap(one, of))
    };
    given.iter().enumerate().find(is_wrong).map(|(_, (id, _))| *id)
}

/// The result types of the signatures that accept the arguments.
fn returned(description: &FunctionDescription, given: &[Argument]) -> Type {
    let types: Vec<&Type> = given.iter().map(|(_, of)| of).collect();
    let results = description.signatures.iter().filter(|one| {
        let Some((wanted, (least, most), _)) = parts(one) else { return true };
        let count = types.len() as i64;
        let fits = |(at, of): (usize, &&Type)| {
            wanted.get(at).or_else(|| wanted.last()).is_none_or(|one| overlap(one, of))
        };
        count >= least && most.is_none_or(|most| count <= most) && types.iter().enumerate().all(fits)
    });
    let result = |one: &Signature| match one.callable.kind() {
        TypeKind::Callable(CallableType { returns: Some(of), .. }) => of.clone(),
        _ => any(),
    };
    let results: Vec<Type> = results.map(result).collect();
    if results.is_empty() { any() } else { either(results) }
}

/// The types of a block's parameters in functions that iterate.
fn block_types(name: &str, given: &[Argument], count: usize) -> Vec<Type> {
    let Some((_, of)) = given.first() else { return Vec::new() };
    if name == "with" {
        return given.iter().map(|(_, of)| of.clone()).collect();
    }
    if name == "then" {
        return vec![Walker::without_undef(of)];
    }
    if !matches!(name, "each" | "map" | "filter" | "any" | "all" | "find" | "partition" | "flat_map") {
        return Vec::new();
    }
    let element = match of.kind() {
        TypeKind::Array { element: Some(element), .. } => element.clone(),
        TypeKind::Tuple { types, size: None } if !types.is_empty() => either(types.clone()),
        _ => return Vec::new(),
    };
    match count {
        1 => vec![element],
        2 => vec![Type::integer(Some(0), None), element],
        _ => Vec::new(),
    }
}
