//! Resolves names: loop variables, declared variables, types, functions.

use std::ops::ControlFlow;

use sprag_value::Text;

use super::{Checker, Kind, Reference, TypeId};
use crate::overload::Overload;
use crate::syntax::{Expr, ExprId};
use crate::types::Name;

/// A global name that was found.
struct Global {
    reference: Reference,
    ty: TypeId,
}

impl Checker<'_> {
    pub(super) fn check_ident(&mut self, id: ExprId) {
        let Expr::Ident(name) = self.ast.expr(id) else { return };
        let name = name.clone();
        if !name.starts_with('.')
            && let Some(slot) = self.local(&name)
        {
            let ty = self.locals[slot].ty;
            self.set(id, ty);
            self.refer(id, Reference::Local(u32::try_from(slot).unwrap_or(u32::MAX)));
            return;
        }
        match self.global(&name) {
            Some(found) => {
                self.set(id, found.ty);
                self.refer(id, found.reference);
            }
            None => self.undeclared(id, &name),
        }
    }

    /// Resolves a chain of selections as one qualified name, and turns the node into a variable if there is such a one.
    pub(super) fn resolve_qualified(&mut self, id: ExprId) -> bool {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        let found = match self.qualified_name(id, &mut buffer) {
            // The selection of a field from a loop variable.
            Some(first) if !first.starts_with('.') && self.local(&first).is_some() => None,
            Some(_) => self.global(&buffer),
            None => None,
        };
        let resolved = found.is_some();
        if let Some(found) = found {
            self.set(id, found.ty);
            self.refer(id, found.reference);
            self.ast.replace(id, Expr::Ident(buffer.as_str().into()));
        }
        self.buffer = buffer;
        resolved
    }

    /// Writes `a.b.c` into the buffer if the node is a chain of selections from a variable; gives the first name.
    pub(super) fn qualified_name(&self, id: ExprId, buffer: &mut String) -> Option<Text> {
        match self.ast.expr(id) {
            Expr::Ident(name) => {
                buffer.push_str(name);
                Some(name.clone())
            }
            Expr::Select { operand, field, test: false } => {
                let first = self.qualified_name(*operand, buffer)?;
                buffer.push('.');
                buffer.push_str(field);
                Some(first)
            }
            _ => None,
        }
    }

    fn local(&self, name: &str) -> Option<usize> {
        self.locals.iter().rposition(|local| local.name == *name)
    }

    fn global(&mut self, name: &str) -> Option<Global> {
        let container = self.declarations.container;
        match candidates(container, name, |candidate| match self.global_named(candidate) {
            Some(found) => ControlFlow::Break(found),
            None => ControlFlow::Continue(()),
        }) {
            ControlFlow::Break(found) => Some(found),
            ControlFlow::Continue(()) => None,
        }
    }

    fn global_named(&mut self, name: &str) -> Option<Global> {
        if let Some(at) = self.declarations.variables.iter().position(|variable| *variable.name == *name) {
            let ty = self.types.intern(&self.declarations.variables[at].ty);
            return Some(Global { reference: Reference::Variable(u32::try_from(at).unwrap_or(u32::MAX)), ty });
        }
        if let Some(sig) = self.env.type_named(name) {
            let ty = self.types.instantiate_type(sig);
            return Some(Global { reference: Reference::Type(name.into()), ty });
        }
        let inner = match self.declarations.types.object(name) {
            Some(declared) => self.types.intern(&declared.ty),
            None if self.declarations.types.is_open(name) => self.types.object(&name.into()),
            None => return None,
        };
        let ty = self.types.add(Kind::TypeOf(inner));
        Some(Global { reference: Reference::Type(name.into()), ty })
    }

    /// The object type that a literal `Name{...}` makes.
    pub(super) fn resolve_object(&mut self, name: &str) -> Option<Name> {
        let provider = self.declarations.types;
        let found = candidates(self.declarations.container, name, |candidate| {
            if provider.object(candidate).is_some() || provider.is_open(candidate) {
                ControlFlow::Break(Name::from(candidate))
            } else {
                ControlFlow::Continue(())
            }
        });
        if let ControlFlow::Break(name) = found { Some(name) } else { None }
    }

    /// The overloads of a function and its full name.
    pub(super) fn function(&self, name: &str) -> Option<&'static [&'static Overload]> {
        let env = self.env;
        let found = candidates(self.declarations.container, name, |candidate| match env.function(candidate) {
            Some(overloads) => ControlFlow::Break(overloads),
            None => ControlFlow::Continue(()),
        });
        if let ControlFlow::Break(overloads) = found { Some(overloads) } else { None }
    }
}

/// Visits the full names that a name may stand for within a namespace, innermost first.
fn candidates<B>(container: &str, name: &str, mut visit: impl FnMut(&str) -> ControlFlow<B>) -> ControlFlow<B> {
    if let Some(absolute) = name.strip_prefix('.') {
        return visit(absolute);
    }
    let mut scope = container;
    while !scope.is_empty() {
        visit(&format!("{scope}.{name}"))?;
        scope = scope.rfind('.').map_or("", |at| &scope[..at]);
    }
    visit(name)
}
