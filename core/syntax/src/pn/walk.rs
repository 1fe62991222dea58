//! The notation of each node. Follows the reference's `pn_transformer.rb`.
//!
//! The walk keeps its own stack: a chain of operators makes a tree as high as the chain is long.

use super::Sink;
use crate::ast::nodes::{Radix, ResourceForm};
use crate::ast::{List, Node, NodeId, Program, Text};
use crate::diagnostic::{Diagnostic, Issue, Report};
use crate::pattern::has_fixed_encoding;

/// Passes the notation of a node to a sink, as far as it has one.
pub(super) fn walk(program: &Program, id: NodeId, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
    let mut walk = Walk { program, steps: vec![Step::Node(id)], next: Vec::new() };
    while let Some(step) = walk.steps.pop() {
        match step {
            Step::Node(id) => {
                walk.node(id);
                walk.steps.extend(walk.next.drain(..).rev());
            }
            Step::Parameters(list) => {
                walk.parameter_map(list);
                walk.steps.extend(walk.next.drain(..).rev());
            }
            Step::Call(name) => sink.open_call(name),
            Step::List => sink.open_list(),
            Step::Map => sink.open_map(),
            Step::Close => sink.close(),
            Step::Key(key) => sink.key(key),
            Step::NameKey(key) => {
                let key = program.text(key);
                if !is_key(key) {
                    return Err(no_key(key));
                }
                sink.key(key);
            }
            Step::Text(text) => sink.string(program.text(text)),
            Step::FixedPattern(text) => sink.string(&format!("(?-imx:{})", program.text(text))),
            Step::Word(word) => sink.string(word),
            Step::Integer(value) => sink.integer(value),
            Step::BigInteger(id, negative) => {
                let digits = program.big_integer(id).map(to_decimal).unwrap_or_default();
                sink.big_integer(&if negative { format!("-{digits}") } else { digits });
            }
            Step::Float(value) => sink.float(value),
            Step::Boolean(value) => sink.boolean(value),
            Step::Nil => sink.nil(),
        }
    }
    Ok(())
}

/// Whether a name can be the key of a map.
fn is_key(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'-';
    name.bytes().next().is_some_and(is_letter)
        && name.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit())
}

/// The error about a name that cannot; with the reference's wording, without a place.
#[cold]
fn no_key(name: &str) -> Diagnostic {
    let message = format!("key {name} does not conform to pattern /^[A-Za-z_-][0-9A-Za-z_-]*$/)");
    Report { issue: Issue::NONE, message }.nowhere()
}

/// A pending step.
#[derive(Clone, Copy)]
enum Step {
    Node(NodeId),
    Parameters(List),
    Call(&'static str),
    List,
    Map,
    Close,
    Key(&'static str),
    NameKey(Text),
    Text(Text),
    /// A pattern that Ruby ties to an encoding, which the reference treats as an option.
    FixedPattern(Text),
    Word(&'static str),
    Integer(i64),
    /// The digits of a node; negated or not.
    BigInteger(NodeId, bool),
    Float(f64),
    Boolean(bool),
    Nil,
}

struct Walk<'p> {
    program: &'p Program,
    steps: Vec<Step>,
    /// The steps of the current node, in reading order.
    next: Vec<Step>,
}

impl Walk<'_> {
    fn push(&mut self, step: Step) -> &mut Self {
        self.next.push(step);
        self
    }

    fn call(&mut self, name: &'static str) -> &mut Self {
        self.push(Step::Call(name))
    }

    /// A call with a map as its only element; both must be closed.
    fn map_call(&mut self, name: &'static str) -> &mut Self {
        self.push(Step::Call(name)).push(Step::Map)
    }

    fn close(&mut self) -> &mut Self {
        self.push(Step::Close)
    }

    fn key(&mut self, key: &'static str) -> &mut Self {
        self.push(Step::Key(key))
    }

    fn text(&mut self, text: Text) -> &mut Self {
        self.push(Step::Text(text))
    }

    fn child(&mut self, id: NodeId) -> &mut Self {
        self.push(Step::Node(id))
    }

    fn children(&mut self, list: List) -> &mut Self {
        let program = self.program;
        self.next.extend(program.list(list).iter().map(|&id| Step::Node(id)));
        self
    }

    fn array(&mut self, list: List) -> &mut Self {
        self.push(Step::List).children(list).close()
    }

    fn child_or_nop(&mut self, id: Option<NodeId>) -> &mut Self {
        match id {
            Some(id) => self.child(id),
            None => self.call("nop").close(),
        }
    }

    fn keyed_child(&mut self, key: &'static str, id: Option<NodeId>) -> &mut Self {
        match id {
            Some(id) => self.key(key).child(id),
            None => self,
        }
    }

    /// The statements of a block, or the only expression, as a list.
    fn statements(&mut self, id: Option<NodeId>) -> &mut Self {
        match id.map(|id| self.program.node(id)) {
            Some(Node::BlockExpression { statements } | Node::ApplyBlockExpression { statements }) => {
                self.array(*statements)
            }
            _ => self.push(Step::List).child_or_nop(id).close(),
        }
    }

    fn keyed_statements(&mut self, key: &'static str, id: Option<NodeId>) -> &mut Self {
        if id.is_some() { self.key(key).statements(id) } else { self }
    }

    fn binary(&mut self, operator: &'static str, left: NodeId, right: NodeId) {
        self.call(operator).child(left).child(right).close();
    }

    fn unary(&mut self, operator: &'static str, expr: NodeId) {
        self.call(operator).child(expr).close();
    }

    fn parameters(&mut self, list: List) -> &mut Self {
        if list.is_empty() { self } else { self.key("params").push(Step::Parameters(list)) }
    }

    fn parameter_map(&mut self, list: List) {
        self.push(Step::Map);
        for &id in self.program.list(list) {
            if let Node::Parameter { name, value, type_expr, captures_rest } = *self.program.node(id) {
                self.push(Step::NameKey(name)).push(Step::Map);
                self.parameter_entries(value, type_expr, captures_rest).close();
            }
        }
        self.close();
    }

    fn parameter_entries(
        &mut self,
        value: Option<NodeId>,
        type_expr: Option<NodeId>,
        captures_rest: bool,
    ) -> &mut Self {
        self.keyed_child("type", type_expr);
        if captures_rest {
            self.key("splat").push(Step::Boolean(true));
        }
        self.keyed_child("value", value)
    }

    fn definition(
        &mut self,
        kind: &'static str,
        name: Text,
        parent: Option<Text>,
        parameters: List,
        body: Option<NodeId>,
        return_type: Option<NodeId>,
    ) {
        self.map_call(kind).key("name").text(name);
        if let Some(parent) = parent {
            self.key("parent").text(parent);
        }
        self.parameters(parameters)
            .keyed_statements("body", body)
            .keyed_child("returns", return_type)
            .close()
            .close();
    }

    fn function_call(
        &mut self,
        name: &'static str,
        functor: NodeId,
        arguments: List,
        lambda: Option<NodeId>,
    ) {
        self.map_call(name)
            .key("functor")
            .child(functor)
            .key("args")
            .array(arguments)
            .keyed_child("block", lambda)
            .close()
            .close();
    }

    fn conditional(
        &mut self,
        name: &'static str,
        test: NodeId,
        then_expr: Option<NodeId>,
        else_expr: Option<NodeId>,
    ) {
        self.map_call(name)
            .key("test")
            .child(test)
            .keyed_statements("then", then_expr)
            .keyed_statements("else", else_expr)
            .close()
            .close();
    }

    /// The end of a resource: its form, if it is not regular.
    fn form(&mut self, form: ResourceForm) {
        if form != ResourceForm::Regular {
            self.key("form").push(Step::Word(form.text()));
        }
        self.close().close();
    }

    fn integer(&mut self, id: NodeId, value: i64) -> &mut Self {
        match self.program.big_integer(id) {
            Some(_) => self.push(Step::BigInteger(id, false)),
            None => self.push(Step::Integer(value)),
        }
    }

    /// The negation of a number is a number.
    fn negation(&mut self, expr: NodeId) {
        match *self.program.node(expr) {
            Node::LiteralInteger { value, .. } => match self.program.big_integer(expr) {
                // The smallest integer is the negation of one that is too large.
                Some(digits) if to_decimal(digits) == "9223372036854775808" => {
                    self.push(Step::Integer(i64::MIN));
                }
                Some(_) => {
                    self.push(Step::BigInteger(expr, true));
                }
                None => {
                    self.push(Step::Integer(value.wrapping_neg()));
                }
            },
            Node::LiteralFloat { value } => {
                self.push(Step::Float(-value));
            }
            _ => self.unary("-", expr),
        }
    }

    fn node(&mut self, id: NodeId) {
        match *self.program.node(id) {
            Node::Nop {} => {
                self.call("nop").close();
            }
            Node::ParenthesizedExpression { expr } => self.unary("paren", expr),
            Node::NotExpression { expr } => self.unary("!", expr),
            Node::UnaryMinusExpression { expr } => self.negation(expr),
            Node::UnfoldExpression { expr } => self.unary("unfold", expr),
            Node::AssignmentExpression { operator, left_expr, right_expr } => {
                self.binary(operator.text(), left_expr, right_expr);
            }
            Node::ArithmeticExpression { operator, left_expr, right_expr } => {
                self.binary(operator.text(), left_expr, right_expr);
            }
            Node::RelationshipExpression { operator, left_expr, right_expr } => {
                self.binary(operator.text(), left_expr, right_expr);
            }
            Node::AccessExpression { left_expr, keys } => {
                self.call("access").child(left_expr).children(keys).close();
            }
            Node::ComparisonExpression { operator, left_expr, right_expr } => {
                self.binary(operator.text(), left_expr, right_expr);
            }
            Node::MatchExpression { operator, left_expr, right_expr } => {
                self.binary(operator.text(), left_expr, right_expr);
            }
            Node::InExpression { left_expr, right_expr } => self.binary("in", left_expr, right_expr),
            Node::AndExpression { left_expr, right_expr } => self.binary("and", left_expr, right_expr),
            Node::OrExpression { left_expr, right_expr } => self.binary("or", left_expr, right_expr),
            Node::LiteralList { values } => {
                self.call("array").children(values).close();
            }
            Node::KeyedEntry { key, value } => self.binary("=>", key, value),
            Node::LiteralHash { entries } => {
                self.call("hash").children(entries).close();
            }
            Node::BlockExpression { statements } | Node::ApplyBlockExpression { statements } => {
                self.call("block").children(statements).close();
            }
            Node::CaseOption { values, then_expr } => {
                self.push(Step::Map).key("when").array(values).key("then").statements(then_expr).close();
            }
            Node::CaseExpression { test, options } => {
                self.call("case").child(test).array(options).close();
            }
            Node::ExportedQuery { expr } => {
                self.call("exported-query").next.extend(expr.map(Step::Node));
                self.close();
            }
            Node::VirtualQuery { expr } => {
                self.call("virtual-query").next.extend(expr.map(Step::Node));
                self.close();
            }
            Node::AttributeOperation { attribute_name, operator, value_expr } => {
                self.call(operator.text()).text(attribute_name).child(value_expr).close();
            }
            Node::AttributesOperation { expr } => self.unary("splat-hash", expr),
            Node::CollectExpression { type_expr, query, operations } => {
                self.map_call("collect").key("type").child(type_expr).key("query").child(query);
                if !operations.is_empty() {
                    self.key("ops").array(operations);
                }
                self.close().close();
            }
            Node::Parameter { name, value, type_expr, captures_rest } => {
                self.push(Step::Map).key("name").text(name);
                self.parameter_entries(value, type_expr, captures_rest).close();
            }
            Node::FunctionDefinition { name, parameters, body, return_type } => {
                self.definition("function", name, None, parameters, body, return_type);
            }
            Node::ResourceTypeDefinition { name, parameters, body } => {
                self.definition("define", name, None, parameters, body, None);
            }
            Node::TypeAlias { name, type_expr } => {
                self.call("type-alias").text(name).child_or_nop(type_expr).close();
            }
            Node::TypeMapping { type_expr, mapping_expr } => {
                self.call("type-mapping").child_or_nop(type_expr).child_or_nop(mapping_expr).close();
            }
            Node::TypeDefinition { name, parent, body } => {
                self.call("type-definition")
                    .text(name)
                    .push(parent.map_or(Step::Nil, Step::Text))
                    .child_or_nop(body)
                    .close();
            }
            Node::NodeDefinition { parent, host_matches, body } => {
                self.map_call("node")
                    .key("matches")
                    .array(host_matches)
                    .keyed_child("parent", parent)
                    .keyed_statements("body", body)
                    .close()
                    .close();
            }
            Node::HeredocExpression { syntax, text_expr } => {
                self.map_call("heredoc");
                if let Some(syntax) = syntax.filter(|syntax| !syntax.is_empty()) {
                    self.key("syntax").text(syntax);
                }
                self.key("text").child(text_expr).close().close();
            }
            Node::HostClassDefinition { name, parameters, body, parent_class } => {
                self.definition("class", name, parent_class, parameters, body, None);
            }
            Node::PlanDefinition { name, parameters, body, return_type } => {
                self.definition("plan", name, None, parameters, body, return_type);
            }
            Node::LambdaExpression { parameters, body, return_type } => {
                self.map_call("lambda")
                    .parameters(parameters)
                    .keyed_child("returns", return_type)
                    .keyed_statements("body", body)
                    .close()
                    .close();
            }
            // The reference has no notation for it.
            Node::ApplyExpression { arguments, body } => {
                self.map_call("apply")
                    .key("args")
                    .array(arguments)
                    .keyed_statements("body", body)
                    .close()
                    .close();
            }
            Node::IfExpression { test, then_expr, else_expr } => {
                self.conditional("if", test, then_expr, else_expr);
            }
            Node::UnlessExpression { test, then_expr, else_expr } => {
                self.conditional("unless", test, then_expr, else_expr);
            }
            Node::CallFunctionExpression { rval_required, functor_expr, arguments, lambda } => {
                let name = if rval_required { "call-lambda" } else { "invoke-lambda" };
                self.function_call(name, functor_expr, arguments, lambda);
            }
            Node::CallNamedFunctionExpression { rval_required, functor_expr, arguments, lambda } => {
                let name = if rval_required { "call" } else { "invoke" };
                self.function_call(name, functor_expr, arguments, lambda);
            }
            Node::CallMethodExpression { rval_required, functor_expr, arguments, lambda } => {
                let name = if rval_required { "call-method" } else { "invoke-method" };
                self.function_call(name, functor_expr, arguments, lambda);
            }
            Node::LiteralRegularExpression { pattern } => {
                let text = self.program.text(pattern);
                let pattern =
                    if has_fixed_encoding(text) { Step::FixedPattern(pattern) } else { Step::Text(pattern) };
                self.call("regexp").push(pattern).close();
            }
            Node::LiteralString { value } => {
                self.text(value);
            }
            Node::LiteralInteger { radix: Radix::Decimal, value } => {
                self.integer(id, value);
            }
            Node::LiteralInteger { radix, value } => {
                self.map_call("int").key("radix").push(Step::Integer(radix as i64)).key("value");
                self.integer(id, value).close().close();
            }
            Node::LiteralFloat { value } => {
                self.push(Step::Float(value));
            }
            Node::LiteralUndef {} => {
                self.push(Step::Nil);
            }
            Node::LiteralDefault {} => {
                self.call("default").close();
            }
            Node::LiteralBoolean { value } => {
                self.push(Step::Boolean(value));
            }
            Node::TextExpression { expr } => self.unary("str", expr),
            Node::ConcatenatedString { segments } => {
                self.call("concat").children(segments).close();
            }
            Node::QualifiedName { value } => {
                self.call("qn").text(value).close();
            }
            Node::ReservedWord { word, .. } => {
                self.call("reserved").text(word).close();
            }
            Node::QualifiedReference { cased_value } => {
                self.call("qr").text(cased_value).close();
            }
            Node::VariableExpression { expr } => match *self.program.node(expr) {
                Node::QualifiedName { value } => {
                    self.call("var").text(value).close();
                }
                _ => self.unary("var", expr),
            },
            Node::EppExpression { body, .. } => {
                // The statements of its body follow the word.
                self.call("epp");
                match body.map(|body| self.program.node(body)) {
                    Some(Node::BlockExpression { statements }) => self.children(*statements),
                    _ => {
                        self.next.extend(body.map(Step::Node));
                        self
                    }
                }
                .close();
            }
            Node::RenderStringExpression { value } => {
                self.call("render-s").text(value).close();
            }
            Node::RenderExpression { expr } => self.unary("render", expr),
            Node::ResourceBody { title, operations } => {
                self.push(Step::Map).key("title").child_or_nop(title).key("ops").array(operations).close();
            }
            Node::ResourceExpression { form, type_name, bodies } => {
                self.map_call("resource").key("type").child(type_name).key("bodies").array(bodies).form(form);
            }
            Node::ResourceDefaultsExpression { form, type_ref, operations } => {
                self.map_call("resource-defaults")
                    .key("type")
                    .child_or_nop(type_ref)
                    .key("ops")
                    .array(operations)
                    .form(form);
            }
            Node::ResourceOverrideExpression { form, resources, operations } => {
                self.map_call("resource-override")
                    .key("resources")
                    .child(resources)
                    .key("ops")
                    .array(operations)
                    .form(form);
            }
            Node::SelectorEntry { matching_expr, value_expr } => {
                self.binary("=>", matching_expr, value_expr);
            }
            Node::SelectorExpression { left_expr, selectors } => {
                self.call("?").child(left_expr).array(selectors).close();
            }
            Node::NamedAccessExpression { left_expr, right_expr } => self.binary(".", left_expr, right_expr),
            Node::Error {} => {
                self.call("error").close();
            }
        }
    }
}

/// A literal of any radix in decimal digits.
fn to_decimal(literal: &str) -> String {
    let (digits, radix) = match literal.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&literal[2..], 16),
        [b'0', _, ..] => (&literal[1..], 8),
        _ => return literal.to_owned(),
    };
    // Decimal digits, the lowest first.
    let mut decimal = vec![0u32];
    for digit in digits.chars().filter_map(|digit| digit.to_digit(radix)) {
        let mut carry = digit;
        for place in &mut decimal {
            let value = *place * radix + carry;
            *place = value % 10;
            carry = value / 10;
        }
        while carry > 0 {
            decimal.push(carry % 10);
            carry /= 10;
        }
    }
    let digits = decimal.iter().rev().filter_map(|&digit| char::from_digit(digit, 10));
    digits.skip_while(|&digit| digit == '0').collect()
}
