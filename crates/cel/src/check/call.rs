//! Calls: which overloads fit the arguments.

use sprag_value::Text;

use super::{Checker, Kind, Reference, TypeId};
use crate::overload::Overload;
use crate::syntax::{Expr, ExprId, Literal};
use crate::types::Sig;

impl Checker<'_> {
    pub(super) fn check_call(&mut self, id: ExprId) {
        let Expr::Call { function, target, args } = self.ast.expr(id) else { return };
        let function = function.clone();
        let target = *target;
        let args = args.clone();
        if function == *"_?._" {
            self.check_optional_select(id, args[0], args[1]);
            return;
        }
        for &arg in &args {
            self.check(arg);
        }
        let Some(target) = target else {
            match self.function(&function) {
                Some(overloads) => self.resolve(id, overloads, None, &args),
                None => self.undeclared(id, &function),
            }
            return;
        };
        if let Some(overloads) = self.namespaced(target, &function) {
            let name: Text = overloads[0].function.into();
            self.ast.replace(id, Expr::Call { function: name, target: None, args: args.clone() });
            self.resolve(id, overloads, None, &args);
            return;
        }
        self.check(target);
        match self.function(&function) {
            Some(overloads) => self.resolve(id, overloads, Some(target), &args),
            None => self.undeclared(id, &function),
        }
    }

    /// The function `target.name` if the target is a namespace rather than a value.
    fn namespaced(&mut self, target: ExprId, name: &str) -> Option<&'static [&'static Overload]> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        let found = self.qualified_name(target, &mut buffer).and_then(|_| {
            buffer.push('.');
            buffer.push_str(name);
            self.function(&buffer)
        });
        self.buffer = buffer;
        found
    }

    fn check_optional_select(&mut self, id: ExprId, operand: ExprId, field: ExprId) {
        let Expr::Literal(Literal::String(name)) = self.ast.expr(field) else { return };
        let name = name.clone();
        self.set(field, TypeId::STRING);
        let ty = self.select_field(id, operand, &name, true);
        let ty = self.mapping.substitute(&mut self.types, ty);
        self.set(id, ty);
    }

    fn resolve(
        &mut self,
        id: ExprId,
        overloads: &'static [&'static Overload],
        target: Option<ExprId>,
        args: &[ExprId],
    ) {
        let nodes: Vec<ExprId> = target.iter().chain(args).copied().collect();
        if matches!(overloads[0].function, "_&&_" | "_||_") {
            self.resolve_logical(id, overloads[0], &nodes);
            return;
        }
        let arg_types: Vec<TypeId> = nodes.iter().map(|node| self.get(*node)).collect();
        let mut fitting: Vec<&'static Overload> = Vec::new();
        let mut result = None;
        for &overload in overloads {
            if overload.member != target.is_some() || (self.hide_cross_type && is_cross_type(overload)) {
                continue;
            }
            let Some(ty) = self.try_overload(overload, &arg_types) else { continue };
            fitting.push(overload);
            result = Some(match result {
                None => ty,
                Some(previous) if [TypeId::DYN, TypeId::ANY, ty].contains(&previous) => previous,
                Some(_) => TypeId::DYN,
            });
        }
        match result {
            Some(ty) => {
                self.set(id, ty);
                self.refer(id, Reference::Overloads(fitting.into()));
            }
            None => self.no_overload(id, overloads[0].function, &arg_types, target.is_some()),
        }
    }

    /// The result type of an overload if it fits the arguments.
    fn try_overload(&mut self, overload: &Overload, args: &[TypeId]) -> Option<TypeId> {
        let first = self.mapping.fresh(usize::from(parameters(overload)));
        if overload.args.len() != args.len() {
            return None;
        }
        let expected: Vec<TypeId> = overload.args.iter().map(|sig| self.types.instantiate(*sig, first)).collect();
        if !self.mapping.all_assignable(&mut self.types, args, &expected) {
            return None;
        }
        let result = self.types.instantiate(overload.result, first);
        Some(self.mapping.substitute(&mut self.types, result))
    }

    fn resolve_logical(&mut self, id: ExprId, overload: &'static Overload, args: &[ExprId]) {
        let mut fits = true;
        for &arg in args {
            let ty = self.get(arg);
            if !self.assignable(ty, TypeId::BOOL) {
                self.mismatch(arg, TypeId::BOOL, ty);
                fits = false;
            }
        }
        self.set(id, if fits { TypeId::BOOL } else { TypeId::ERROR });
        if fits {
            self.refer(id, Reference::Overloads(Box::new([overload])));
        }
    }

    fn no_overload(&mut self, id: ExprId, function: &str, args: &[TypeId], member: bool) {
        let shown: Vec<String> = args
            .iter()
            .map(|ty| {
                let ty = self.mapping.finish(&mut self.types, *ty);
                self.types.show(ty).to_string()
            })
            .collect();
        let signature = match shown.split_first() {
            Some((target, args)) if member => format!("{target}.({})", args.join(", ")),
            _ => format!("({})", shown.join(", ")),
        };
        self.report(id, format!("found no matching overload for '{function}' applied to '{signature}'"));
        self.set(id, TypeId::ERROR);
    }
}

/// The number of type parameters of an overload.
fn parameters(overload: &Overload) -> u8 {
    overload.args.iter().chain([&overload.result]).map(|sig| parameters_of(*sig)).max().unwrap_or(0)
}

/// One more than the highest parameter in a type.
fn parameters_of(sig: Sig) -> u8 {
    match sig {
        Sig::Param(index) => index + 1,
        Sig::TypeOf(inner) | Sig::List(inner) | Sig::Optional(inner) => parameters_of(*inner),
        Sig::Map(key, value) => parameters_of(*key).max(parameters_of(*value)),
        _ => 0,
    }
}

/// True if an overload compares numbers of different types by order.
fn is_cross_type(overload: &Overload) -> bool {
    let is_number = |sig: &Sig| matches!(sig, Sig::Int | Sig::Uint | Sig::Double);
    matches!(overload.function, "_<_" | "_<=_" | "_>_" | "_>=_")
        && overload.args.iter().all(is_number)
        && overload.args[0] != overload.args[1]
}

impl super::Types {
    /// The type of the name of a type.
    pub(super) fn instantiate_type(&mut self, sig: Sig) -> TypeId {
        let inner = match sig {
            Sig::LIST_A => {
                let element = self.add(Kind::Param("A"));
                self.list(element)
            }
            Sig::MAP_AB => {
                let key = self.add(Kind::Param("A"));
                let value = self.add(Kind::Param("B"));
                self.map(key, value)
            }
            Sig::Param(_) => TypeId::TYPE,
            sig => self.instantiate(sig, 0),
        };
        self.add(Kind::TypeOf(inner))
    }
}
