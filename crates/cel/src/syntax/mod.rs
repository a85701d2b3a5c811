//! From text to tree.

mod antlr;
mod ast;
mod lexer;
mod macros;
mod parser;
mod source;
mod unescape;

use std::sync::Arc;

pub(crate) use self::ast::is_optional;
pub use self::ast::{Ast, Comprehension, Entry, Expr, ExprId, Field, Literal};
pub(crate) use self::macros::ACCUMULATOR;
pub use self::macros::Dialect;
pub(crate) use self::parser::RESERVED;
pub use self::parser::{MAX_NODES, MAX_RECURSION};
pub use self::source::{Issue, Issues, MAX_ERRORS};

/// The longest expression, in code points.
pub const MAX_CODE_POINTS: usize = 100_000;

/// Parses an expression.
pub fn parse(source: &str, dialect: Dialect) -> Result<Ast, Issues> {
    let mut issues = Issues::new(Arc::from(source));
    if source.len() > MAX_CODE_POINTS {
        let size = source.chars().count();
        if size > MAX_CODE_POINTS {
            issues.report(
                None,
                format!("expression code point size exceeds limit: size: {size}, limit {MAX_CODE_POINTS}"),
            );
            return Err(issues);
        }
    }
    let Some(tokens) = lexer::tokenize(source, &mut issues) else { return Err(issues) };
    match parser::parse(source, &tokens, dialect, &mut issues) {
        Ok(ast) if issues.is_empty() => Ok(ast),
        Ok(_) | Err(parser::Stop::Limit) => Err(issues),
        Err(parser::Stop::Syntax) => {
            antlr::explain(source, &tokens, &mut issues);
            Err(issues)
        }
    }
}
