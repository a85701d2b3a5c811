//! From text to tree.

mod ast;

pub use self::ast::{Ast, Comprehension, Entry, Expr, ExprId, Field, Literal};
