//! Checks of literal format strings against literal arguments.

use super::{Checked, Kind, Reference};
use crate::library::{Clauses, Piece, Verb};
use crate::syntax::{Entry, Expr, ExprId, Issues, Literal};

/// Reports clauses that do not fit their arguments, for calls of which both are literals.
pub(super) fn check(checked: &Checked, call: ExprId, target: Option<ExprId>, args: &[ExprId], issues: &mut Issues) {
    let Some(Expr::Literal(Literal::String(format))) = target.map(|target| checked.ast.expr(target)) else { return };
    let [args] = args else { return };
    let Expr::List { elements, .. } = checked.ast.expr(*args) else { return };
    if !is_string_format(checked, call) {
        return;
    }
    let mut clauses = Clauses::new(format, elements.len());
    let problem = loop {
        match clauses.next_piece(false) {
            Ok(None) => break None,
            Ok(Some(Piece::Text(_))) => {}
            Ok(Some(Piece::Clause(verb))) => {
                if let Some(bad) = misfit(checked, verb, elements[clauses.used() - 1]) {
                    let ty = checked.types.resolve(checked.ty(bad));
                    break Some((bad, format!("error during formatting: {}", verb.refusal(ty.name()))));
                }
            }
            Err(why) => break Some((call, why)),
        }
    };
    let surplus = || {
        let used = clauses.used();
        let given = elements.len();
        let why = format!("too many arguments supplied to string.format (expected {used}, got {given})");
        (given > used).then_some((call, why))
    };
    if let Some((at, why)) = problem.or_else(surplus) {
        issues.report(Some(checked.ast.offset(at)), why);
    }
}

fn is_string_format(checked: &Checked, call: ExprId) -> bool {
    let Reference::Overloads(overloads) = checked.reference(call) else { return false };
    overloads.iter().any(|overload| overload.id == "string_format")
}

/// The expression whose type the clause does not take: the argument or a part of it.
fn misfit(checked: &Checked, verb: Verb, arg: ExprId) -> Option<ExprId> {
    let kind = checked.kind(arg);
    let fits = match verb {
        Verb::String => return string_misfit(checked, arg),
        Verb::Decimal | Verb::Octal => matches!(kind, Kind::Int | Kind::Uint),
        // Strings may name doubles that have no digits.
        Verb::Fixed(_) | Verb::Scientific(_) => matches!(kind, Kind::Double | Kind::String),
        Verb::Binary => matches!(kind, Kind::Int | Kind::Uint | Kind::Bool),
        Verb::Hex { .. } => matches!(kind, Kind::Int | Kind::Uint | Kind::String | Kind::Bytes),
    };
    if fits || matches!(kind, Kind::Dyn) { None } else { Some(arg) }
}

fn string_misfit(checked: &Checked, arg: ExprId) -> Option<ExprId> {
    if matches!(checked.kind(arg), Kind::Optional(_) | Kind::Object(_) | Kind::Opaque(_) | Kind::Error) {
        return Some(arg);
    }
    let part = |id: &ExprId| string_misfit(checked, *id);
    match checked.ast.expr(arg) {
        Expr::List { elements, .. } => elements.iter().find_map(part),
        Expr::Map(entries) => entries.iter().find_map(|Entry { key, value, .. }| part(key).or_else(|| part(value))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::check::Declarations;
    use crate::decl::NoTypes;
    use crate::env::Env;

    #[track_caller]
    fn check(expr: &str, expected: &str) {
        let declarations = Declarations { variables: &[], types: &NoTypes, container: "" };
        let actual = match Env::kubernetes(37).compile(expr, declarations) {
            Ok(_) => String::new(),
            Err(issues) => issues.to_string().lines().next().unwrap_or_default().to_owned(),
        };
        assert_eq!(actual, expected, "{expr}");
    }

    #[test]
    fn clauses_are_checked_against_literal_arguments() {
        check("'%s %d %f %x'.format([{'a': [1]}, 2u, 'NaN', b'x'])", "");
        check("'%d'.format([dyn('a')])", "");
        check("'%'.format([])", "ERROR: <input>:1:11: unexpected end of string");
        check("'%d %d'.format([1])", "ERROR: <input>:1:15: index 1 out of range");
        check(
            "'%d'.format([1, 2])",
            "ERROR: <input>:1:12: too many arguments supplied to string.format (expected 1, got 2)",
        );
        check(
            "'%d'.format([1.5])",
            "ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given double",
        );
        check(
            "'%b %o'.format([true, duration('1s')])",
            "ERROR: <input>:1:31: error during formatting: octal clause can only be used on integers, was given \
             google.protobuf.Duration",
        );
        check(
            "'%s'.format([[1, optional.none()]])",
            "ERROR: <input>:1:31: error during formatting: string clause can only be used on strings, bools, bytes, \
             ints, doubles, maps, lists, types, durations, and timestamps, was given optional_type",
        );
    }
}
