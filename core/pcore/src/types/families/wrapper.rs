//! Types of other types: of types themselves, of optional and required values, of alternatives, of secrets,
//! of constructed values, of callables.

use super::collection::tuple_mismatches;
use super::{Depth, Family, Formatter, Guard, optional_type, view};
use crate::data::value::Value;
use crate::ruby::names::{ruby_class, type_label};
use crate::types::access::{Access, Blame, Keys, refuse, wrong_arity, wrong_type};
use crate::types::annotation::{Annotation, wrong_count};
use crate::types::assign::{assignable, callable_accepts, or_any};
use crate::types::attributes::AttributeValues;
use crate::types::common::common;
use crate::types::generalize::Normal;
use crate::types::instance::instance;
use crate::types::mismatch::{Comparison, Mismatch, Step};
use crate::types::{CallableType, Type, TypeKind, factory, init};
use bunraku_syntax::diagnostic::label::a_an_uc;
use bunraku_syntax::diagnostic::{Error, issues};

impl Family for view::Type<'_> {
    fn accepts(&self, _: &Type, that: &Type, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        match (self.of, that.kind()) {
            (None, TypeKind::Type(_)) => true,
            (Some(of), TypeKind::Type(Some(other))) => assignable(of, other, guard, depth),
            _ => false,
        }
    }

    fn is_instance(&self, _: &Type, value: &Value, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        match value {
            Value::Type(value) => self.of.as_ref().is_none_or(|of| assignable(of, value, guard, depth)),
            _ => false,
        }
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.contained("Type", self.of.as_ref());
    }

    fn generalized(&self, this: &Type, general: &dyn Fn(&Type) -> Type) -> Type {
        self.of.as_ref().map_or_else(|| this.clone(), |of| Type::type_type(general(of)))
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![optional_type(self.of.as_ref())])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        Ok(Type::type_type(keys.one_type()?))
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        given.exactly("Type", 1)?;
        Ok(Value::Type(Type::type_type(given.type_at(0)?)))
    }

    fn normalized(&self, this: &Type, normal: &Normal<'_>) -> Type {
        self.of.as_ref().map_or_else(|| this.clone(), |of| Type::type_type(normal.of(of)))
    }

    fn common(&self, that: &Type, depth: u32) -> Option<Type> {
        let TypeKind::Type(other) = that.kind() else { return None };
        Some(match (self.of, other) {
            (Some(a), Some(b)) => Type::type_type(common(a, b, depth)),
            (Some(one), None) | (None, Some(one)) => Type::type_type(one.clone()),
            (None, None) => Type::any_type(),
        })
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        Ok(TypeKind::Type(given.of(0)?).into())
    }
}

impl Family for view::Optional<'_> {
    fn accepts(&self, _: &Type, that: &Type, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        match (self.of, that.kind()) {
            (_, TypeKind::Undef) | (None, _) => true,
            (Some(of), TypeKind::Optional(other)) => assignable(of, &or_any(other.as_ref()), guard, depth),
            (Some(of), _) => assignable(of, that, guard, depth),
        }
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.contained_or_text("Optional", self.of.as_ref());
    }

    fn generalized(&self, this: &Type, general: &dyn Fn(&Type) -> Type) -> Type {
        self.of.as_ref().map_or_else(|| this.clone(), |of| Type::optional(general(of)))
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![optional_type(self.of.as_ref())])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        match keys.flat.as_slice() {
            [Value::String(text)] => Ok(Type::optional(Type::string_value(text.clone()))),
            _ => Ok(Type::optional(keys.one_type()?)),
        }
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        match given.keys.as_slice() {
            [Value::String(text)] => Ok(Value::Type(Type::optional(Type::string_value(text.clone())))),
            [_] => Ok(Value::Type(Type::optional(given.type_at(0)?))),
            keys => Err(wrong_count("Optional", "1", keys.len())),
        }
    }

    fn normalized(&self, this: &Type, normal: &Normal<'_>) -> Type {
        let Some(of) = self.of else { return this.clone() };
        let of = normal.of(of);
        match of.kind() {
            TypeKind::NotUndef(inner) => {
                normal.of(&inner.clone().map_or_else(Type::any_optional, Type::optional))
            }
            _ if normal.takes_undef(&of) => of,
            _ => Type::optional(of),
        }
    }

    fn mismatches(&self, this: &Type, asked: &Comparison<'_>) -> Vec<Mismatch> {
        match self.of {
            Some(of) if !matches!(asked.actual.kind(), TypeKind::Undef) => {
                let is_alias = matches!(asked.original.kind(), TypeKind::Alias(_));
                asked.with_target(of, if is_alias { asked.original } else { this })
            }
            _ => Vec::new(),
        }
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        Ok(TypeKind::Optional(given.of(0)?).into())
    }
}

impl Family for view::NotUndef<'_> {
    fn accepts(&self, _: &Type, that: &Type, mut guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        !assignable(that, &Type::undef(), guard.as_deref_mut(), depth)
            && self.of.as_ref().is_none_or(|of| assignable(of, that, guard, depth))
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.contained_or_text("NotUndef", self.of.as_ref());
    }

    fn generalized(&self, this: &Type, general: &dyn Fn(&Type) -> Type) -> Type {
        self.of.as_ref().map_or_else(|| this.clone(), |of| Type::not_undef(general(of)))
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![optional_type(self.of.as_ref())])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        match keys.flat.as_slice() {
            [] => Ok(Type::any_not_undef()),
            [Value::String(text)] => Ok(Type::not_undef(Type::string_value(text.clone()))),
            [Value::Type(of)] => Ok(Type::not_undef(of.clone())),
            [key] => {
                let report = issues::bad_not_undef_slice_type("NotUndef-Type", ruby_class(key));
                refuse(Blame::Key(0), report)
            }
            flat => wrong_arity("NotUndef-Type", 0, Some(1), flat.len()),
        }
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        match given.keys.as_slice() {
            [] => Ok(Value::Type(Type::any_not_undef())),
            [Value::String(text)] => Ok(Value::Type(Type::not_undef(Type::string_value(text.clone())))),
            [_] => Ok(Value::Type(Type::not_undef(given.type_at(0)?))),
            keys => Err(wrong_count("NotUndef", "0 to 1", keys.len())),
        }
    }

    fn normalized(&self, this: &Type, normal: &Normal<'_>) -> Type {
        let Some(of) = self.of else { return this.clone() };
        let of = normal.of(of);
        match of.kind() {
            TypeKind::Optional(inner) => {
                normal.of(&inner.clone().map_or_else(Type::any_not_undef, Type::not_undef))
            }
            _ if !normal.takes_undef(&of) => of,
            _ => Type::not_undef(of),
        }
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        Ok(TypeKind::NotUndef(given.of(0)?).into())
    }
}

impl Family for view::Sensitive<'_> {
    fn accepts(&self, _: &Type, that: &Type, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        match that.kind() {
            TypeKind::Sensitive(other) => {
                self.of.as_ref().is_none_or(|of| assignable(of, &or_any(other.as_ref()), guard, depth))
            }
            _ => false,
        }
    }

    fn is_instance(&self, _: &Type, value: &Value, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        match value {
            Value::Sensitive(value) => {
                self.of.as_ref().is_none_or(|of| instance(of, &***value, guard, depth))
            }
            _ => false,
        }
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.contained("Sensitive", self.of.as_ref());
    }

    fn generalized(&self, this: &Type, general: &dyn Fn(&Type) -> Type) -> Type {
        self.of.as_ref().map_or_else(|| this.clone(), |of| Type::sensitive(&general(of)))
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        Ok(Type::sensitive(&keys.one_type()?))
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        match given.keys.len() {
            0 => Ok(Value::Type(Type::any_sensitive())),
            1 => Ok(Value::Type(Type::sensitive(&given.type_at(0)?))),
            count => Err(wrong_count("Sensitive", "0 to 1", count)),
        }
    }

    fn normalized(&self, this: &Type, normal: &Normal<'_>) -> Type {
        let Some(inner) = self.of else { return this.clone() };
        let simple = normal.of(inner);
        // Rebuilding it generalizes its content once more.
        if simple == *inner { this.clone() } else { Type::sensitive(&simple) }
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        Ok(TypeKind::Sensitive(given.of(0)?).into())
    }
}

impl Family for view::Init<'_> {
    fn accepts(&self, this: &Type, that: &Type, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        init::accepts(this, self.of.as_ref(), self.arguments, that, guard, depth)
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.array("Init", self.of.is_none(), |f| {
            if let Some(of) = self.of {
                f.type_text(of);
            }
            for argument in self.arguments {
                f.comma();
                f.value(argument);
            }
        });
    }

    fn generalized(&self, this: &Type, general: &dyn Fn(&Type) -> Type) -> Type {
        let Some(of) = self.of else { return this.clone() };
        let wide = general(of);
        if wide == *of { this.clone() } else { Type::init(wide, Vec::new()) }
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![optional_type(self.of.as_ref()), Value::from(self.arguments.clone())])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        match keys.given.split_first() {
            Some((Value::Type(of), arguments)) => Ok(Type::init(of.clone(), arguments.to_vec())),
            first => wrong_type("Init-Type", 0, first.map_or(&Value::Undef, |(key, _)| key)),
        }
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        let of = given.type_at(0)?;
        Ok(Value::Type(Type::init(of, given.keys.iter().skip(1).cloned().collect())))
    }

    fn normalized(&self, this: &Type, normal: &Normal<'_>) -> Type {
        match self.of {
            Some(of) => Type::init(normal.of(of), self.arguments.clone()),
            None => this.clone(),
        }
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        Ok(TypeKind::Init { of: given.of(0)?, arguments: given.list(1)?.to_vec() }.into())
    }
}

impl Family for view::Callable<'_> {
    fn accepts(&self, _: &Type, that: &Type, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        callable_accepts(self.parts, that, guard, depth)
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.callable(self.parts);
    }

    fn generalized(&self, _: &Type, general: &dyn Fn(&Type) -> Type) -> Type {
        mapped(self.parts, general)
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        let CallableType { parameters, block, returns } = self.parts;
        // Without a result, nothing is written, which is not the default of the reference.
        Ok([parameters, block, returns].map(|of| optional_type(of.as_ref())).into())
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        if let Some(Value::Array(_)) = keys.given.first() {
            match keys.given {
                [_, Value::Type(_)] => {}
                // The reference stumbles over its own message.
                [_, _] => {
                    return Err(Error::internal("The parameters of the type cannot be understood").into());
                }
                given => {
                    let base = a_an_uc(type_label(keys.of));
                    return wrong_arity(&base, 2, Some(2), given.len());
                }
            }
        }
        Ok(factory::callable(keys.given.to_vec())?)
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        let keys = &given.keys;
        if keys.len() > 1 && matches!(keys.first(), Some(Value::Array(_))) && keys.len() != 2 {
            return Err(wrong_count("callable", "2 when first parameter is an array", keys.len()));
        }
        factory::callable(keys.clone()).map(Value::Type)
    }

    fn normalized(&self, _: &Type, normal: &Normal<'_>) -> Type {
        mapped(self.parts, &|of| normal.of(of))
    }

    fn common(&self, that: &Type, _: u32) -> Option<Type> {
        matches!(that.kind(), TypeKind::Callable(_)).then(Type::any_callable)
    }

    fn mismatches(&self, _: &Type, asked: &Comparison<'_>) -> Vec<Mismatch> {
        callable_mismatches(self.parts, asked)
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        let [parameters, block, returns] = [given.of(0)?, given.of(1)?, given.of(2)?];
        Ok(TypeKind::Callable(CallableType { parameters, block, returns }).into())
    }
}

/// A Callable whose parts are others.
fn mapped(parts: &CallableType, change: &dyn Fn(&Type) -> Type) -> Type {
    let CallableType { parameters, block, returns } = parts;
    let [parameters, block, returns] = [parameters, block, returns].map(|of| of.as_ref().map(change));
    Type::callable(parameters, block, returns)
}

fn callable_mismatches(callable: &CallableType, asked: &Comparison<'_>) -> Vec<Mismatch> {
    let TypeKind::Callable(other) = asked.actual.kind() else { return asked.mismatch() };
    if callable.parameters.is_none() && callable.returns.is_none() {
        return Vec::new();
    }
    if let (Some(expected), Some(actual)) = (&callable.parameters, &other.parameters)
        && let TypeKind::Tuple { types, size } = expected.kind()
    {
        let is_fitting =
            expected == actual || (types.is_empty() && matches!(actual.kind(), TypeKind::Array { .. }));
        if !is_fitting {
            let mismatches = tuple_mismatches((types, *size), true, &asked.of(expected, actual));
            if !mismatches.is_empty() {
                return mismatches;
            }
        }
    }
    let (returns, other_returns) = (or_any(callable.returns.as_ref()), or_any(other.returns.as_ref()));
    if !returns.is_assignable(&other_returns) {
        return asked.mismatch_at(Step::Return, &returns, &other_returns);
    }
    let block = |callable: &CallableType| callable.block.clone().unwrap_or_else(Type::undef);
    let (block, other_block) = (block(callable), block(other));
    if other_block.is_assignable(&block) {
        return Vec::new();
    }
    asked.mismatch_at(Step::Block, &block, &other_block)
}
