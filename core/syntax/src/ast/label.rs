//! The names of nodes in messages: `Hash Entry`, `'+' expression`. Follows the reference's
//! `pops/model/model_label_provider.rb`.

use std::borrow::Cow;

use super::{Node, NodeId, Program};

impl Program {
    /// The label of a node, without article.
    pub fn label(&self, id: NodeId) -> Cow<'static, str> {
        self.node(id).label(self)
    }
}

impl Node {
    /// The label of this node, without article. `program` is its program.
    pub fn label(&self, program: &Program) -> Cow<'static, str> {
        let operator = |text: &str| Cow::Owned(format!("'{text}' expression"));
        Cow::Borrowed(match *self {
            Node::LiteralInteger { .. } => "Literal Integer",
            Node::LiteralFloat { .. } => "Literal Float",
            Node::ArithmeticExpression { operator: op, .. } => return operator(op.text()),
            Node::MatchExpression { operator: op, .. } => return operator(op.text()),
            Node::ComparisonExpression { operator: op, .. } => return operator(op.text()),
            Node::AssignmentExpression { operator: op, .. } => return operator(op.text()),
            Node::AttributeOperation { operator: op, .. } => return operator(op.text()),
            Node::RelationshipExpression { operator: op, .. } => return operator(op.text()),
            Node::AccessExpression { .. } => "'[]' expression",
            Node::CollectExpression { query, .. } => match program.node(query) {
                Node::ExportedQuery { .. } => "Exported Query",
                _ => "Virtual Query",
            },
            Node::EppExpression { .. } => "Epp Template",
            Node::ExportedQuery { .. } => "Exported Query",
            Node::VirtualQuery { .. } => "Virtual Query",
            Node::AndExpression { .. } => "'and' expression",
            Node::OrExpression { .. } => "'or' expression",
            Node::InExpression { .. } => "'in' expression",
            Node::LiteralList { .. } => "Array Expression",
            Node::LiteralHash { .. } => "Hash Expression",
            Node::KeyedEntry { .. } => "Hash Entry",
            Node::LiteralBoolean { .. } => "Boolean",
            Node::LiteralString { .. } => "String",
            Node::LambdaExpression { .. } => "Lambda",
            Node::LiteralDefault {} => "'default' expression",
            Node::LiteralUndef {} => "'undef' expression",
            Node::LiteralRegularExpression { .. } => "Regular Expression",
            Node::Nop {} => "Nop Expression",
            Node::NamedAccessExpression { .. } => "'.' expression",
            Node::NotExpression { .. } => "'not' expression",
            Node::VariableExpression { .. } => "Variable",
            Node::TextExpression { .. } => "Expression in Interpolated String",
            Node::UnaryMinusExpression { .. } => "Unary Minus",
            Node::UnfoldExpression { .. } => "Unfold",
            Node::BlockExpression { .. } => "Block Expression",
            Node::ApplyBlockExpression { .. } => "Apply Block Expression",
            Node::ConcatenatedString { .. } => "Double Quoted String",
            Node::HeredocExpression { syntax, .. } => {
                let syntax = syntax.map_or("", |syntax| program.text(syntax));
                return operator(&format!("@({syntax})"));
            }
            Node::HostClassDefinition { .. } => "Host Class Definition",
            Node::FunctionDefinition { .. } => "Function Definition",
            Node::PlanDefinition { .. } => "Plan Definition",
            Node::NodeDefinition { .. } => "Node Definition",
            Node::ResourceTypeDefinition { .. } => "'define' expression",
            Node::ResourceOverrideExpression { .. } => "Resource Override",
            Node::Parameter { .. } => "Parameter Definition",
            Node::ParenthesizedExpression { .. } => "Parenthesized Expression",
            Node::IfExpression { .. } => "'if' statement",
            Node::UnlessExpression { .. } => "'unless' Statement",
            Node::CallNamedFunctionExpression { .. } => "Function Call",
            Node::CallMethodExpression { .. } => "Method call",
            Node::ApplyExpression { .. } => "'apply' expression",
            Node::CaseExpression { .. } => "'case' statement",
            Node::CaseOption { .. } => "Case Option",
            Node::RenderStringExpression { .. } => "Epp Text",
            Node::RenderExpression { .. } => "Epp Interpolated Expression",
            Node::ResourceBody { .. } => "Resource Instance Definition",
            Node::ResourceDefaultsExpression { .. } => "Resource Defaults Expression",
            Node::ResourceExpression { .. } => "Resource Statement",
            Node::SelectorExpression { .. } => "Selector Expression",
            Node::SelectorEntry { .. } => "Selector Option",
            Node::QualifiedName { .. } => "Name",
            Node::QualifiedReference { .. } => "Type-Name",
            Node::ReservedWord { word, .. } => {
                return Cow::Owned(format!("Reserved Word '{}'", program.text(word)));
            }
            Node::TypeAlias { .. } => "Type Alias",
            Node::TypeMapping { .. } => "Type Mapping",
            Node::TypeDefinition { .. } => "Type Definition",
            Node::AttributesOperation { .. } | Node::CallFunctionExpression { .. } | Node::Error {} => {
                "Object"
            }
        })
    }
}
