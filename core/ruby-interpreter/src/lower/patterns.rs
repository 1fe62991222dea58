//! `case … in`.

use lib_ruby_parser::{Node as Ast, nodes};

use super::{Kind, Lowering};
use crate::names;
use crate::tree::{CaseIn, Local, Node, Pattern, Rest};

impl Lowering {
    pub(super) fn case_in(&mut self, node: &nodes::CaseMatch) -> Kind {
        let subject = self.node(&node.expr);
        let mut branches = Vec::new();
        for branch in &node.in_bodies {
            let Ast::InPattern(branch) = branch else { continue };
            let pattern = self.pattern(&branch.pattern);
            let condition = match branch.guard.as_deref() {
                Some(Ast::IfGuard(guard)) => Some((self.node(&guard.cond), true)),
                Some(Ast::UnlessGuard(guard)) => Some((self.node(&guard.cond), false)),
                _ => None,
            };
            branches.push((pattern, condition, self.optional(branch.body.as_deref())));
        }
        let otherwise = node.else_body.as_deref().map(|body| self.node(body));
        Kind::CaseIn(Box::new(CaseIn { subject, branches, otherwise }))
    }

    pub(super) fn pattern(&mut self, ast: &Ast) -> Pattern {
        match ast {
            Ast::MatchVar(variable) => Pattern::Bind(self.local(&variable.name)),
            Ast::MatchAlt(either) => {
                Pattern::Either(vec![self.pattern(&either.lhs), self.pattern(&either.rhs)])
            }
            Ast::MatchAs(named) => {
                let pattern = Box::new(self.pattern(&named.value));
                match &*named.as_ {
                    Ast::MatchVar(variable) => Pattern::Named(pattern, self.local(&variable.name)),
                    other => self.no_pattern(other),
                }
            }
            Ast::Pin(pin) => Pattern::Value(self.node(&pin.var)),
            Ast::Begin(begin) => match begin.statements.as_slice() {
                [one] => self.pattern(one),
                _ => self.no_pattern(ast),
            },
            Ast::ArrayPattern(array) => self.array(None, &array.elements, false),
            Ast::ArrayPatternWithTail(array) => self.array(None, &array.elements, true),
            Ast::FindPattern(find) => self.find(None, &find.elements, ast),
            Ast::HashPattern(hash) => self.hash_pattern(None, &hash.elements),
            Ast::ConstPattern(constant) => {
                let of = self.node(&constant.const_);
                match &*constant.pattern {
                    Ast::ArrayPattern(array) if array.elements.is_empty() => Pattern::Of(of),
                    Ast::ArrayPattern(array) => self.array(Some(of), &array.elements, false),
                    Ast::ArrayPatternWithTail(array) => self.array(Some(of), &array.elements, true),
                    Ast::FindPattern(find) => self.find(Some(of), &find.elements, ast),
                    Ast::HashPattern(hash) => self.hash_pattern(Some(of), &hash.elements),
                    other => self.no_pattern(other),
                }
            }
            other => Pattern::Value(self.node(other)),
        }
    }

    fn no_pattern(&mut self, ast: &Ast) -> Pattern {
        let construct = format!("pattern with {}", names::construct(ast.str_type()));
        Pattern::Value(self.refuse(*ast.expression(), construct))
    }

    fn rest(&mut self, rest: &nodes::MatchRest) -> Option<Local> {
        match rest.name.as_deref() {
            Some(Ast::MatchVar(variable)) => Some(self.local(&variable.name)),
            _ => None,
        }
    }

    fn array(&mut self, of: Option<Node>, elements: &[Ast], has_tail: bool) -> Pattern {
        let (mut first, mut rest, mut last) = (Vec::new(), None, Vec::new());
        for element in elements {
            match element {
                Ast::MatchRest(node) => rest = Some(self.rest(node)),
                element if rest.is_none() => first.push(self.pattern(element)),
                element => last.push(self.pattern(element)),
            }
        }
        if has_tail && rest.is_none() {
            rest = Some(None);
        }
        Pattern::Array(of, first, rest, last)
    }

    fn find(&mut self, of: Option<Node>, elements: &[Ast], ast: &Ast) -> Pattern {
        let [Ast::MatchRest(before), middle @ .., Ast::MatchRest(behind)] = elements else {
            return self.no_pattern(ast);
        };
        let before = self.rest(before);
        let wanted = middle.iter().map(|element| self.pattern(element)).collect();
        Pattern::Find(of, before, wanted, self.rest(behind))
    }

    fn hash_pattern(&mut self, of: Option<Node>, elements: &[Ast]) -> Pattern {
        let (mut pairs, mut rest) = (Vec::new(), Rest::Any);
        for element in elements {
            match element {
                Ast::Pair(pair) => {
                    let name = match &*pair.key {
                        Ast::Sym(name) => self.text(name.expression_l, &name.name).unwrap_or_default(),
                        other => return self.no_pattern(other),
                    };
                    pairs.push((name, Some(self.pattern(&pair.value)), None));
                }
                Ast::MatchVar(variable) => {
                    pairs.push((variable.name.as_str().into(), None, Some(self.local(&variable.name))));
                }
                Ast::MatchRest(node) => rest = self.rest(node).map_or(Rest::Any, Rest::Named),
                Ast::MatchNilPattern(_) => rest = Rest::Nothing,
                other => return self.no_pattern(other),
            }
        }
        Pattern::Hash(of, pairs, rest)
    }
}
