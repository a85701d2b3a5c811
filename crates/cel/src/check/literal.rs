//! Checks of literals after types are known: durations, timestamps, patterns, mixed lists and maps.

use sprag_regexp::Regexp;

use super::{Checked, Kind, TypeId, format};
use crate::library;
use crate::syntax::{Entry, Expr, ExprId, Issues, Literal, is_optional};

/// Functions whose literal arguments may be lists and maps of mixed types.
const MIXED_ALLOWED: &[&str] = &["format"];

/// Reports literals that can only fail.
pub(super) fn validate(checked: &Checked) -> Result<(), Issues> {
    let env = checked.env;
    let mut issues = Issues::new(checked.source.clone());
    if !env.literal_checks && !env.uniform_literals {
        return Ok(());
    }
    walk(checked, checked.ast.root(), !env.uniform_literals, &mut issues);
    if issues.is_empty() { Ok(()) } else { Err(issues) }
}

/// Looks at an expression and its parts.
fn walk(checked: &Checked, id: ExprId, mixed_allowed: bool, issues: &mut Issues) {
    let mut mixed_allowed = mixed_allowed;
    match checked.ast.expr(id) {
        Expr::Call { function, target, args } => {
            if checked.env.literal_checks {
                check_call(checked, function, args, issues);
                format::check(checked, id, *target, args, issues);
            }
            mixed_allowed |= MIXED_ALLOWED.contains(&function.as_str());
        }
        Expr::List { elements, optional } if !mixed_allowed => check_list(checked, elements, optional, issues),
        Expr::Map(entries) if !mixed_allowed => check_map(checked, entries, issues),
        _ => {}
    }
    checked.ast.for_each_child(id, |child| walk(checked, child, mixed_allowed, issues));
}

fn check_call(checked: &Checked, function: &str, args: &[ExprId], issues: &mut Issues) {
    let Some((&first, Expr::Literal(literal))) = args.first().map(|arg| (arg, checked.ast.expr(*arg))) else { return };
    let valid = match (function, literal) {
        ("matches", Literal::String(pattern)) => Regexp::new(pattern).is_ok(),
        ("duration" | "timestamp", literal) => library::converts(function, &literal.into()),
        _ => true,
    };
    if !valid {
        issues.report(Some(checked.ast.offset(first)), format!("invalid {function} argument"));
    }
}

fn check_list(checked: &Checked, elements: &[ExprId], optional: &[u32], issues: &mut Issues) {
    let mut first = None;
    for (index, &element) in elements.iter().enumerate() {
        let ty = inner_type(checked, element, is_optional(optional, index));
        if differs(checked, element, &mut first, ty, issues) {
            break;
        }
    }
}

fn check_map(checked: &Checked, entries: &[Entry], issues: &mut Issues) {
    let mut key_type = None;
    let mut value_type = None;
    for &Entry { key, value, optional } in entries {
        differs(checked, key, &mut key_type, checked.ty(key), issues);
        differs(checked, value, &mut value_type, inner_type(checked, value, optional), issues);
    }
}

fn inner_type(checked: &Checked, id: ExprId, optional: bool) -> TypeId {
    match checked.kind(id) {
        Kind::Optional(inner) if optional => inner,
        _ => checked.ty(id),
    }
}

/// True if a type differs from the first one seen; reports it if so.
fn differs(checked: &Checked, at: ExprId, first: &mut Option<TypeId>, ty: TypeId, issues: &mut Issues) -> bool {
    let expected = *first.get_or_insert(ty);
    if expected == ty {
        return false;
    }
    let expected = checked.types.show(expected);
    let actual = checked.types.show(ty);
    issues.report(Some(checked.ast.offset(at)), format!("expected type '{expected}' but found '{actual}'"));
    true
}
