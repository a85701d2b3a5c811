//! Loops: the shapes that macros make.

use super::lower::{Lowered, Lowering, Part};
use super::{Fold, FoldKind, Node, ProgramError};
use crate::syntax::{Comprehension, Expr, ExprId, Literal};

impl Lowering<'_> {
    pub(super) fn comprehension(&mut self, fold: &Comprehension) -> Lowered<Part> {
        if let Expr::Literal(Literal::Bool(false)) = self.checked.ast.expr(fold.condition) {
            return self.bind(fold);
        }
        let range = self.node(fold.range)?;
        let slot = self.depth;
        self.depth += if fold.var2.is_some() { 3 } else { 2 };
        let kind = self.fold_kind(fold)?;
        self.depth = slot;
        let two_variables = fold.var2.is_some();
        Ok(Part::Node(Node::Fold(Box::new(Fold { range, slot, two_variables, kind }))))
    }

    /// A loop that never runs gives a value a name.
    fn bind(&mut self, fold: &Comprehension) -> Lowered<Part> {
        let slot = self.depth;
        let init = self.node(fold.init)?;
        self.depth += 1;
        let result = self.node(fold.result)?;
        self.depth = slot;
        Ok(Part::Node(Node::Bind { slot, init, result }))
    }

    fn fold_kind(&mut self, fold: &Comprehension) -> Lowered<FoldKind> {
        let (function, args) = self.call_parts(fold.step)?;
        match (function, args) {
            ("_&&_", [_, predicate]) => Ok(FoldKind::All(self.node(*predicate)?)),
            ("_||_", [_, predicate]) => Ok(FoldKind::Exists(self.node(*predicate)?)),
            ("_?_:_", [predicate, step, _]) => {
                if let Expr::Literal(_) = self.checked.ast.expr(fold.init) {
                    return Ok(FoldKind::ExistsOne(self.node(*predicate)?));
                }
                self.collection(Some(*predicate), *step)
            }
            _ => self.collection(None, fold.step),
        }
    }

    fn collection(&mut self, filter: Option<ExprId>, step: ExprId) -> Lowered<FoldKind> {
        let filter = filter.map(|filter| self.node(filter)).transpose()?;
        let (function, args) = self.call_parts(step)?;
        match (function, args) {
            ("_+_", [_, list]) => {
                let Expr::List { elements, .. } = self.checked.ast.expr(*list) else { return Err(unknown_shape()) };
                let element = self.node(elements[0])?;
                let constant = matches!(self.nodes[element.0 as usize], Node::Const(_));
                Ok(FoldKind::Collect { filter, element, constant })
            }
            ("cel.@mapInsert", [_, _, value]) => Ok(FoldKind::Insert { filter, value: self.node(*value)? }),
            ("cel.@mapInsert", [_, entries]) => Ok(FoldKind::InsertEntries { filter, entries: self.node(*entries)? }),
            _ => Err(unknown_shape()),
        }
    }

    fn call_parts(&self, id: ExprId) -> Lowered<(&str, &[ExprId])> {
        match self.checked.ast.expr(id) {
            Expr::Call { function, args, .. } => Ok((function, args)),
            _ => Err(unknown_shape()),
        }
    }
}

fn unknown_shape() -> ProgramError {
    ProgramError::new("unsupported comprehension")
}
