//! Lists taken as sets: subset, equality, intersection.

use crate::cost::{CallEstimate, CallSite, charge};
use crate::cx::{Cx, Outcome, Trap};
use crate::overload::{Charge, ChargeFunc, EstimateFunc, Func, Overload};
use crate::types::Sig;
use crate::value::{Val, contains as holds};

/// More comparisons than any cost limit of Kubernetes allows.
const MAX_COMPARISONS: usize = 1 << 25;

const fn row(
    function: &'static str,
    id: &'static str,
    call: Func,
    estimate: EstimateFunc,
    charge: ChargeFunc,
) -> Overload {
    Overload::global(function, id, &[Sig::LIST_A, Sig::LIST_A], Sig::Bool, call)
        .since(29)
        .estimate(estimate)
        .charge(Charge::ByOverload(charge))
}

pub(crate) static TABLE: &[Overload] = &[
    row("sets.contains", "list_sets_contains_list", contains, estimate_once, charge_once),
    row("sets.equivalent", "list_sets_equivalent_list", equivalent, estimate_twice, charge_twice),
    row("sets.intersects", "list_sets_intersects_list", intersects, estimate_once, charge_once),
];

fn contains<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let (set, part) = lists(cx, args)?;
    holds_all(cx, set, part).map(Val::Bool)
}

fn equivalent<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let (a, b) = lists(cx, args)?;
    Ok(Val::Bool(holds_all(cx, a, b)? && holds_all(cx, b, a)?))
}

fn intersects<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let (a, b) = lists(cx, args)?;
    for element in a.as_list().ok_or_else(|| cx.no_such_overload())?.iter(cx) {
        match element.and_then(|element| holds_one(cx, b, element)) {
            Ok(true) => return Ok(Val::Bool(true)),
            // A value that cannot be compared is in no set.
            Ok(false) | Err(Trap::Error(_)) => {}
            Err(trap) => return Err(trap),
        }
    }
    Ok(Val::Bool(false))
}

/// Both arguments, if they can be compared within limits.
fn lists<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Result<(Val<'a>, Val<'a>), Trap<'a>> {
    let &[a, b] = args else { return Err(cx.no_such_overload()) };
    match (a.as_list(), b.as_list()) {
        (Some(left), Some(right)) if left.len().saturating_mul(right.len()) <= MAX_COMPARISONS => Ok((a, b)),
        (Some(_), Some(_)) => Err(Trap::CostLimit),
        _ => Err(cx.no_such_overload()),
    }
}

fn holds_all<'a>(cx: &Cx<'a>, set: Val<'a>, part: Val<'a>) -> Result<bool, Trap<'a>> {
    for element in part.as_list().ok_or_else(|| cx.no_such_overload())?.iter(cx) {
        if !holds_one(cx, set, element?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn holds_one<'a>(cx: &Cx<'a>, set: Val<'a>, element: Val<'a>) -> Result<bool, Trap<'a>> {
    holds(cx, set, element).unwrap_or_else(|| Err(cx.no_such_overload()))
}

/// The cost of comparing all elements of one list with all of the other.
fn comparisons(args: &[Outcome<'_>]) -> u64 {
    charge::size(&args[0]).wrapping_mul(charge::size(&args[1]))
}

fn charge_once<'a>(_: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    comparisons(args).saturating_add(1)
}

fn charge_twice<'a>(_: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    comparisons(args).saturating_mul(2).saturating_add(1)
}

fn estimate_once(call: &CallSite<'_>) -> Option<CallEstimate> {
    estimate(call, 1.0)
}

fn estimate_twice(call: &CallSite<'_>) -> Option<CallEstimate> {
    estimate(call, 2.0)
}

fn estimate(call: &CallSite<'_>, factor: f64) -> Option<CallEstimate> {
    let [a, b] = call.args.as_slice() else { return None };
    Some(CallEstimate::cost(a.size.multiply(b.size).scale(factor).add(crate::cost::Bounds::fixed(1))))
}

#[cfg(test)]
mod tests {
    use crate::library::testing::check;

    #[test]
    fn sets_ignore_order_and_repetition() {
        check("sets.contains([1, 2, 3], [3, 1])", "true");
        check("sets.contains([dyn(1), dyn(2.0)], [dyn(2), dyn(1u)])", "true");
        check("sets.contains(['a'], ['a', 'b'])", "false");
        check("sets.equivalent([1, 1, 2], [2, 1])", "true");
        check("sets.equivalent([], [])", "true");
        check("sets.intersects([1, 2], [2, 3])", "true");
        check("sets.intersects([], [1])", "false");
        check("sets.contains(dyn({}), [1])", "no such overload: sets.contains(map, list)");
    }

    #[test]
    fn comparisons_are_limited() {
        let error = "operation cancelled: actual cost limit exceeded";
        check("sets.intersects(lists.range(9000), lists.range(9000).map(i, -1))", error);
    }
}
