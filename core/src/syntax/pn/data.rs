//! The tree as JSON data. Follows the reference's `pn_transformer.rb`.
//!
//! A call is `{"^": [name, argument, …]}`, a map `{"#": [key, value, …]}`, lists and literals are themselves.

use serde_json::{Map, Number, Value, json};

use crate::syntax::ast::nodes::{Radix, ResourceForm};
use crate::syntax::ast::{List, Node, NodeId, Program, Text};

/// The data of a node of a program.
pub fn to_data(program: &Program, id: NodeId) -> Value {
    Writer { program }.node(id)
}

struct Writer<'p> {
    program: &'p Program,
}

/// `(name elements…)`
fn call(name: &str, elements: Vec<Value>) -> Value {
    let mut members = Vec::with_capacity(elements.len() + 1);
    members.push(Value::from(name));
    members.extend(elements);
    single("^", Value::Array(members))
}

fn single(key: &str, value: Value) -> Value {
    let mut map = Map::new();
    map.insert(key.to_owned(), value);
    Value::Object(map)
}

/// `{:key value …}` being built.
#[derive(Default)]
struct Entries(Vec<Value>);

impl Entries {
    fn with(mut self, key: &str, value: Value) -> Self {
        self.0.push(Value::from(key));
        self.0.push(value);
        self
    }

    fn with_some(self, key: &str, value: Option<Value>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    fn into_map(self) -> Value {
        single("#", Value::Array(self.0))
    }

    fn into_call(self, name: &str) -> Value {
        call(name, vec![self.into_map()])
    }
}

impl Writer<'_> {
    fn text(&self, text: Text) -> Value {
        Value::from(self.program.text(text))
    }

    fn list(&self, list: List) -> Vec<Value> {
        self.program.list(list).iter().map(|&id| self.node(id)).collect()
    }

    fn array(&self, list: List) -> Value {
        Value::Array(self.list(list))
    }

    fn optional(&self, id: Option<NodeId>) -> Value {
        id.map_or_else(|| call("nop", Vec::new()), |id| self.node(id))
    }

    fn binary(&self, operator: &str, left: NodeId, right: NodeId) -> Value {
        call(operator, vec![self.node(left), self.node(right)])
    }

    /// The statements of a block, or the only expression, as a list.
    fn block(&self, id: Option<NodeId>) -> Value {
        match id.map(|id| (id, self.program.node(id))) {
            Some((_, Node::BlockExpression { statements } | Node::ApplyBlockExpression { statements })) => {
                self.array(*statements)
            }
            Some((id, _)) => Value::Array(vec![self.node(id)]),
            None => Value::Array(vec![call("nop", Vec::new())]),
        }
    }

    fn parameters(&self, list: List) -> Option<Value> {
        if list.is_empty() {
            return None;
        }
        let mut entries = Entries::default();
        for &id in self.program.list(list) {
            if let Node::Parameter { name, value, type_expr, captures_rest } = *self.program.node(id) {
                let parameter = Entries::default()
                    .with_some("type", type_expr.map(|id| self.node(id)))
                    .with_some("splat", captures_rest.then_some(Value::Bool(true)))
                    .with_some("value", value.map(|id| self.node(id)));
                entries = entries.with(self.program.text(name), parameter.into_map());
            }
        }
        Some(entries.into_map())
    }

    fn definition(
        &self,
        kind: &str,
        name: Text,
        parent: Option<Text>,
        parameters: List,
        body: Option<NodeId>,
        return_type: Option<NodeId>,
    ) -> Value {
        Entries::default()
            .with("name", self.text(name))
            .with_some("parent", parent.map(|parent| self.text(parent)))
            .with_some("params", self.parameters(parameters))
            .with_some("body", body.map(|_| self.block(body)))
            .with_some("returns", return_type.map(|id| self.node(id)))
            .into_call(kind)
    }

    fn call(&self, name: &str, functor: NodeId, arguments: List, lambda: Option<NodeId>) -> Value {
        Entries::default()
            .with("functor", self.node(functor))
            .with("args", self.array(arguments))
            .with_some("block", lambda.map(|id| self.node(id)))
            .into_call(name)
    }

    fn conditional(
        &self,
        name: &str,
        test: NodeId,
        then_expr: Option<NodeId>,
        else_expr: Option<NodeId>,
    ) -> Value {
        Entries::default()
            .with("test", self.node(test))
            .with_some("then", then_expr.map(|_| self.block(then_expr)))
            .with_some("else", else_expr.map(|_| self.block(else_expr)))
            .into_call(name)
    }

    fn form(&self, form: ResourceForm) -> Option<Value> {
        (form != ResourceForm::Regular).then(|| Value::from(form.text()))
    }

    fn integer(&self, id: NodeId, value: i64) -> Value {
        match self.program.big_integer(id) {
            Some(digits) => big_integer(digits),
            None => Value::from(value),
        }
    }

    fn negative(&self, expr: NodeId) -> Value {
        match *self.program.node(expr) {
            Node::LiteralInteger { value, .. } => match self.program.big_integer(expr) {
                Some(digits) => negated(&big_integer(digits)),
                None => Value::from(-value),
            },
            Node::LiteralFloat { value } => json!(-value),
            _ => call("-", vec![self.node(expr)]),
        }
    }

    fn node(&self, id: NodeId) -> Value {
        match *self.program.node(id) {
            Node::Nop {} => call("nop", Vec::new()),
            Node::ParenthesizedExpression { expr } => call("paren", vec![self.node(expr)]),
            Node::NotExpression { expr } => call("!", vec![self.node(expr)]),
            Node::UnaryMinusExpression { expr } => self.negative(expr),
            Node::UnfoldExpression { expr } => call("unfold", vec![self.node(expr)]),
            Node::AssignmentExpression { operator, left_expr, right_expr } => {
                self.binary(operator.text(), left_expr, right_expr)
            }
            Node::ArithmeticExpression { operator, left_expr, right_expr } => {
                self.binary(operator.text(), left_expr, right_expr)
            }
            Node::RelationshipExpression { operator, left_expr, right_expr } => {
                self.binary(operator.text(), left_expr, right_expr)
            }
            Node::AccessExpression { left_expr, keys } => {
                let mut elements = vec![self.node(left_expr)];
                elements.extend(self.list(keys));
                call("access", elements)
            }
            Node::ComparisonExpression { operator, left_expr, right_expr } => {
                self.binary(operator.text(), left_expr, right_expr)
            }
            Node::MatchExpression { operator, left_expr, right_expr } => {
                self.binary(operator.text(), left_expr, right_expr)
            }
            Node::InExpression { left_expr, right_expr } => self.binary("in", left_expr, right_expr),
            Node::AndExpression { left_expr, right_expr } => self.binary("and", left_expr, right_expr),
            Node::OrExpression { left_expr, right_expr } => self.binary("or", left_expr, right_expr),
            Node::LiteralList { values } => call("array", self.list(values)),
            Node::KeyedEntry { key, value } => self.binary("=>", key, value),
            Node::LiteralHash { entries } => call("hash", self.list(entries)),
            Node::BlockExpression { statements } => call("block", self.list(statements)),
            Node::ApplyBlockExpression { statements } => call("block", self.list(statements)),
            Node::CaseOption { values, then_expr } => Entries::default()
                .with("when", self.array(values))
                .with("then", self.block(then_expr))
                .into_map(),
            Node::CaseExpression { test, options } => {
                call("case", vec![self.node(test), self.array(options)])
            }
            Node::ExportedQuery { expr } => {
                call("exported-query", expr.map(|id| self.node(id)).into_iter().collect())
            }
            Node::VirtualQuery { expr } => {
                call("virtual-query", expr.map(|id| self.node(id)).into_iter().collect())
            }
            Node::AttributeOperation { attribute_name, operator, value_expr } => {
                call(operator.text(), vec![self.text(attribute_name), self.node(value_expr)])
            }
            Node::AttributesOperation { expr } => call("splat-hash", vec![self.node(expr)]),
            Node::CollectExpression { type_expr, query, operations } => Entries::default()
                .with("type", self.node(type_expr))
                .with("query", self.node(query))
                .with_some("ops", (!operations.is_empty()).then(|| self.array(operations)))
                .into_call("collect"),
            Node::Parameter { name, value, type_expr, captures_rest } => Entries::default()
                .with("name", self.text(name))
                .with_some("type", type_expr.map(|id| self.node(id)))
                .with_some("splat", captures_rest.then_some(Value::Bool(true)))
                .with_some("value", value.map(|id| self.node(id)))
                .into_map(),
            Node::FunctionDefinition { name, parameters, body, return_type } => {
                self.definition("function", name, None, parameters, body, return_type)
            }
            Node::ResourceTypeDefinition { name, parameters, body } => {
                self.definition("define", name, None, parameters, body, None)
            }
            Node::TypeAlias { name, type_expr } => {
                call("type-alias", vec![self.text(name), self.optional(type_expr)])
            }
            Node::TypeMapping { type_expr, mapping_expr } => {
                call("type-mapping", vec![self.optional(type_expr), self.optional(mapping_expr)])
            }
            Node::TypeDefinition { name, parent, body } => call(
                "type-definition",
                vec![
                    self.text(name),
                    parent.map_or(Value::Null, |parent| self.text(parent)),
                    self.optional(body),
                ],
            ),
            Node::NodeDefinition { parent, host_matches, body } => Entries::default()
                .with("matches", self.array(host_matches))
                .with_some("parent", parent.map(|id| self.node(id)))
                .with_some("body", body.map(|_| self.block(body)))
                .into_call("node"),
            Node::HeredocExpression { syntax, text_expr } => Entries::default()
                .with_some("syntax", syntax.filter(|text| text.len > 0).map(|text| self.text(text)))
                .with("text", self.node(text_expr))
                .into_call("heredoc"),
            Node::HostClassDefinition { name, parameters, body, parent_class } => {
                self.definition("class", name, parent_class, parameters, body, None)
            }
            Node::PlanDefinition { name, parameters, body, return_type } => {
                self.definition("plan", name, None, parameters, body, return_type)
            }
            Node::LambdaExpression { parameters, body, return_type } => Entries::default()
                .with_some("params", self.parameters(parameters))
                .with_some("returns", return_type.map(|id| self.node(id)))
                .with_some("body", body.map(|_| self.block(body)))
                .into_call("lambda"),
            Node::ApplyExpression { arguments, body } => Entries::default()
                .with("args", self.array(arguments))
                .with_some("body", body.map(|_| self.block(body)))
                .into_call("apply"),
            Node::IfExpression { test, then_expr, else_expr } => {
                self.conditional("if", test, then_expr, else_expr)
            }
            Node::UnlessExpression { test, then_expr, else_expr } => {
                self.conditional("unless", test, then_expr, else_expr)
            }
            Node::CallFunctionExpression { rval_required, functor_expr, arguments, lambda } => self.call(
                if rval_required { "call-lambda" } else { "invoke-lambda" },
                functor_expr,
                arguments,
                lambda,
            ),
            Node::CallNamedFunctionExpression { rval_required, functor_expr, arguments, lambda } => {
                self.call(if rval_required { "call" } else { "invoke" }, functor_expr, arguments, lambda)
            }
            Node::CallMethodExpression { rval_required, functor_expr, arguments, lambda } => self.call(
                if rval_required { "call-method" } else { "invoke-method" },
                functor_expr,
                arguments,
                lambda,
            ),
            Node::LiteralRegularExpression { pattern } => call("regexp", vec![self.text(pattern)]),
            Node::LiteralString { value } => self.text(value),
            Node::LiteralInteger { radix, value } => {
                let value = self.integer(id, value);
                if radix == Radix::Decimal {
                    return value;
                }
                Entries::default()
                    .with("radix", Value::from(radix as u8))
                    .with("value", value)
                    .into_call("int")
            }
            Node::LiteralFloat { value } => json!(value),
            Node::LiteralUndef {} => Value::Null,
            Node::LiteralDefault {} => call("default", Vec::new()),
            Node::LiteralBoolean { value } => Value::Bool(value),
            Node::TextExpression { expr } => call("str", vec![self.node(expr)]),
            Node::ConcatenatedString { segments } => call("concat", self.list(segments)),
            Node::QualifiedName { value } => call("qn", vec![self.text(value)]),
            Node::ReservedWord { word, .. } => call("reserved", vec![self.text(word)]),
            Node::QualifiedReference { cased_value } => call("qr", vec![self.text(cased_value)]),
            Node::VariableExpression { expr } => match *self.program.node(expr) {
                Node::QualifiedName { value } => call("var", vec![self.text(value)]),
                _ => call("var", vec![self.node(expr)]),
            },
            // Its body is a block, or missing: the statements follow the word.
            Node::EppExpression { body, .. } => match body.map(|id| self.program.node(id)) {
                Some(Node::BlockExpression { statements }) => call("epp", self.list(*statements)),
                _ => call("epp", body.map(|id| self.node(id)).into_iter().collect()),
            },
            Node::RenderStringExpression { value } => call("render-s", vec![self.text(value)]),
            Node::RenderExpression { expr } => call("render", vec![self.node(expr)]),
            Node::ResourceBody { title, operations } => Entries::default()
                .with("title", self.optional(title))
                .with("ops", self.array(operations))
                .into_map(),
            Node::ResourceExpression { form, type_name, bodies } => Entries::default()
                .with("type", self.node(type_name))
                .with("bodies", self.array(bodies))
                .with_some("form", self.form(form))
                .into_call("resource"),
            Node::ResourceDefaultsExpression { form, type_ref, operations } => Entries::default()
                .with("type", self.optional(type_ref))
                .with("ops", self.array(operations))
                .with_some("form", self.form(form))
                .into_call("resource-defaults"),
            Node::ResourceOverrideExpression { form, resources, operations } => Entries::default()
                .with("resources", self.node(resources))
                .with("ops", self.array(operations))
                .with_some("form", self.form(form))
                .into_call("resource-override"),
            Node::SelectorEntry { matching_expr, value_expr } => self.binary("=>", matching_expr, value_expr),
            Node::SelectorExpression { left_expr, selectors } => {
                call("?", vec![self.node(left_expr), self.array(selectors)])
            }
            Node::NamedAccessExpression { left_expr, right_expr } => self.binary(".", left_expr, right_expr),
            Node::Error {} => call("error", Vec::new()),
        }
    }
}

/// An integer of any size. JSON readers that know but 64 bits see a fraction.
fn big_integer(digits: &str) -> Value {
    let decimal = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => to_decimal(&digits[2..], 16),
        [b'0', _, ..] => to_decimal(&digits[1..], 8),
        _ => digits.to_owned(),
    };
    decimal.parse::<Number>().map_or(Value::Null, Value::Number)
}

fn negated(value: &Value) -> Value {
    format!("-{value}").parse::<Number>().map_or(Value::Null, Value::Number)
}

/// Digits of a radix as decimal digits.
fn to_decimal(digits: &str, radix: u32) -> String {
    // Little-endian decimal digits.
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
    decimal.iter().rev().filter_map(|&digit| char::from_digit(digit, 10)).collect()
}
