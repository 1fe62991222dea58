//! Types of other types: of types themselves, of what may be undef or must not, of one of several, of
//! secrets, of what is made, of what is called.

use super::{Depth, Family, Formatter, Guard, optional_type, type_values, view};
use crate::data::value::Value;
use crate::types::assign::{assignable, callable_accepts, or_any};
use crate::types::instance::instance;
use crate::types::{CallableType, Type, TypeKind, init};
use bunraku_syntax::diagnostic::Error;

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
}

impl Family for view::Variant<'_> {
    fn accepts(&self, _: &Type, that: &Type, mut guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        self.types.iter().any(|of| assignable(of, that, guard.as_deref_mut(), depth))
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.array("Variant", self.types.is_empty(), |f| {
            f.types(self.types);
            f.chomp_list();
        });
    }

    fn generalized(&self, this: &Type, general: &dyn Fn(&Type) -> Type) -> Type {
        let changed: Vec<Type> = self.types.iter().map(general).collect();
        if changed == *self.types { this.clone() } else { Type::variant(changed) }
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![type_values(self.types)])
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
}

impl Family for view::Callable<'_> {
    fn accepts(&self, _: &Type, that: &Type, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        callable_accepts(self.parts, that, guard, depth)
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.callable(self.parts);
    }

    fn generalized(&self, _: &Type, general: &dyn Fn(&Type) -> Type) -> Type {
        let [parameters, block, returns] = [&self.parts.parameters, &self.parts.block, &self.parts.returns]
            .map(|of| of.as_ref().map(general));
        Type::callable(parameters, block, returns)
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        let CallableType { parameters, block, returns } = self.parts;
        // Without a result, nothing is written, which is not the default of the reference.
        Ok([parameters, block, returns].map(|of| optional_type(of.as_ref())).into())
    }
}
