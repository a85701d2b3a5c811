//! Authorization checks. Their functions are declared wherever expressions are, but only admission policies have an
//! `authorizer` to start from, so here they have no value to work on.

use crate::cost::{Bounds, CallEstimate, CallSite, LIST_CREATE, STRING_TRAVERSAL, STRUCT_CREATE, charge};
use crate::cx::{Cx, Outcome};
use crate::overload::Overload;
use crate::types::Sig;
use crate::value::Val;

const AUTHORIZER: Sig = Sig::Object("kubernetes.authorization.Authorizer");
const PATH_CHECK: Sig = Sig::Object("kubernetes.authorization.PathCheck");
const GROUP_CHECK: Sig = Sig::Object("kubernetes.authorization.GroupCheck");
const RESOURCE_CHECK: Sig = Sig::Object("kubernetes.authorization.ResourceCheck");
const DECISION: Sig = Sig::Object("kubernetes.authorization.Decision");

/// What a check costs, so that an expression has two of them at most.
const CHECK: u64 = 350_000;
/// Requirements per character of a selector.
const REQUIREMENTS: f64 = 0.5;
/// A requirement is a struct with a list.
#[expect(clippy::cast_precision_loss, reason = "small")]
const REQUIREMENT: f64 = (LIST_CREATE + STRUCT_CREATE) as f64;

const fn row(function: &'static str, id: &'static str, args: &'static [Sig], result: Sig) -> Overload {
    Overload::member(function, id, args, result, unbound).since(27)
}

const fn check(id: &'static str, args: &'static [Sig]) -> Overload {
    row("check", id, args, DECISION).costs(|_| Some(CallEstimate::cost(Bounds::fixed(CHECK))), |_, _, _| CHECK)
}

const fn selector(function: &'static str, id: &'static str) -> Overload {
    row(function, id, &[RESOURCE_CHECK, Sig::String], RESOURCE_CHECK)
        .costs(estimate_selector, charge_selector)
        .since(31)
}

pub(crate) static TABLE: &[Overload] = &[
    row("path", "authorizer_path", &[AUTHORIZER, Sig::String], PATH_CHECK),
    row("group", "authorizer_group", &[AUTHORIZER, Sig::String], GROUP_CHECK),
    row("serviceAccount", "authorizer_serviceaccount", &[AUTHORIZER, Sig::String, Sig::String], AUTHORIZER),
    row("resource", "groupcheck_resource", &[GROUP_CHECK, Sig::String], RESOURCE_CHECK),
    row("subresource", "resourcecheck_subresource", &[RESOURCE_CHECK, Sig::String], RESOURCE_CHECK),
    row("namespace", "resourcecheck_namespace", &[RESOURCE_CHECK, Sig::String], RESOURCE_CHECK),
    row("name", "resourcecheck_name", &[RESOURCE_CHECK, Sig::String], RESOURCE_CHECK),
    check("pathcheck_check", &[PATH_CHECK, Sig::String]),
    check("resourcecheck_check", &[RESOURCE_CHECK, Sig::String]),
    row("errored", "decision_errored", &[DECISION], Sig::Bool),
    row("error", "decision_error", &[DECISION], Sig::String),
    row("allowed", "decision_allowed", &[DECISION], Sig::Bool),
    row("reason", "decision_reason", &[DECISION], Sig::String),
    selector("fieldSelector", "authorizer_fieldselector"),
    selector("labelSelector", "authorizer_labelselector"),
];

fn unbound<'a>(cx: &Cx<'a>, _: &[Val<'a>]) -> Outcome<'a> {
    Err(cx.no_such_overload())
}

/// Reading a selector of this size into a list of requirements.
fn selector_cost(size: Bounds) -> Bounds {
    let requirements = size.scale(REQUIREMENTS).scale(REQUIREMENT);
    Bounds::fixed(LIST_CREATE).add(size.scale(STRING_TRAVERSAL)).add(requirements)
}

fn estimate_selector(call: &CallSite<'_>) -> Option<CallEstimate> {
    Some(CallEstimate::cost(selector_cost(call.args.first()?.size)))
}

fn charge_selector<'a>(_: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    args.get(1).map_or(1, |selector| selector_cost(Bounds::fixed(charge::size(selector))).max)
}

#[cfg(test)]
mod tests {
    use crate::library::testing::check;

    #[test]
    fn checks_are_declared_but_have_nothing_to_start_from() {
        check("dyn(1).path('/x')", "no such overload: path(int, string)");
        check("dyn(1).check('get')", "no such overload: check(int, string)");
        check("dyn(1).labelSelector('a=b')", "no such overload: labelSelector(int, string)");
    }
}
