//! Authorization checks. Their functions are declared wherever expressions are, but only admission policies have an
//! `authorizer` to start from.

use sprag_checks::format::Format;

use crate::cost::{Bounds, CallEstimate, CallSite, LIST_CREATE, STRING_TRAVERSAL, STRUCT_CREATE, charge};
use crate::cx::{Cx, Outcome};
use crate::overload::{Func, Overload};
use crate::types::Sig;
use crate::value::{Asker, AuthorizerCheck, AuthorizerSubject, AuthorizerTarget, Authz, Opaque, ResourceTarget, Val};

const AUTHORIZER: Sig = Sig::Object("kubernetes.authorization.Authorizer");
const PATH_CHECK: Sig = Sig::Object("kubernetes.authorization.PathCheck");
const GROUP_CHECK: Sig = Sig::Object("kubernetes.authorization.GroupCheck");
const RESOURCE_CHECK: Sig = Sig::Object("kubernetes.authorization.ResourceCheck");
const DECISION: Sig = Sig::Object("kubernetes.authorization.Decision");

/// The cost of a check, such that an expression has two of them at most.
const CHECK: u64 = 350_000;
/// Requirements per character of a selector.
const REQUIREMENTS: f64 = 0.5;
/// A requirement is a struct with a list.
#[expect(clippy::cast_precision_loss, reason = "small")]
const REQUIREMENT: f64 = (LIST_CREATE + STRUCT_CREATE) as f64;

const fn row(function: &'static str, id: &'static str, args: &'static [Sig], result: Sig, call: Func) -> Overload {
    Overload::member(function, id, args, result, call).since(27)
}

const fn check(id: &'static str, args: &'static [Sig]) -> Overload {
    row("check", id, args, DECISION, decide).costs(|_| Some(CallEstimate::cost(Bounds::fixed(CHECK))), |_, _, _| CHECK)
}

const fn selector(function: &'static str, id: &'static str, call: Func) -> Overload {
    row(function, id, &[RESOURCE_CHECK, Sig::String], RESOURCE_CHECK, call)
        .costs(estimate_selector, charge_selector)
        .since(31)
}

pub(crate) static TABLE: &[Overload] = &[
    row("path", "authorizer_path", &[AUTHORIZER, Sig::String], PATH_CHECK, path),
    row("group", "authorizer_group", &[AUTHORIZER, Sig::String], GROUP_CHECK, group),
    row(
        "serviceAccount",
        "authorizer_serviceaccount",
        &[AUTHORIZER, Sig::String, Sig::String],
        AUTHORIZER,
        service_account,
    ),
    row("resource", "groupcheck_resource", &[GROUP_CHECK, Sig::String], RESOURCE_CHECK, resource),
    row("subresource", "resourcecheck_subresource", &[RESOURCE_CHECK, Sig::String], RESOURCE_CHECK, subresource),
    row("namespace", "resourcecheck_namespace", &[RESOURCE_CHECK, Sig::String], RESOURCE_CHECK, namespace),
    row("name", "resourcecheck_name", &[RESOURCE_CHECK, Sig::String], RESOURCE_CHECK, name),
    check("pathcheck_check", &[PATH_CHECK, Sig::String]),
    check("resourcecheck_check", &[RESOURCE_CHECK, Sig::String]),
    row("errored", "decision_errored", &[DECISION], Sig::Bool, errored),
    row("error", "decision_error", &[DECISION], Sig::String, error),
    row("allowed", "decision_allowed", &[DECISION], Sig::Bool, allowed),
    row("reason", "decision_reason", &[DECISION], Sig::String, reason),
    selector("fieldSelector", "authorizer_fieldselector", field_selector),
    selector("labelSelector", "authorizer_labelselector", label_selector),
];

fn made<'a>(cx: &Cx<'a>, value: Authz<'a>) -> Outcome<'a> {
    cx.keep(value).map(|value| Val::Opaque(Opaque::Authz(value)))
}

fn path<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::Opaque(Opaque::Authz(Authz::Authorizer(asker))), Val::String(path)] = args else {
        return Err(cx.no_such_overload());
    };
    if path.trim().is_empty() {
        return Err(cx.fail("path must not be empty"));
    }
    made(cx, Authz::Path(*asker, path))
}

fn group<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    match *args {
        [Val::Opaque(Opaque::Authz(Authz::Authorizer(asker))), Val::String(group)] => {
            made(cx, Authz::Group(*asker, group))
        }
        _ => Err(cx.no_such_overload()),
    }
}

fn service_account<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::Opaque(Opaque::Authz(Authz::Authorizer(asker))), Val::String(namespace), Val::String(name)] = args
    else {
        return Err(cx.no_such_overload());
    };
    if !is_valid(Format::LongName, name) {
        return Err(cx.fail("Invalid service account name"));
    }
    if !is_valid(Format::ShortName, namespace) {
        return Err(cx.fail("Invalid service account namespace"));
    }
    made(cx, Authz::Authorizer(Asker { subject: AuthorizerSubject::ServiceAccount { namespace, name }, ..*asker }))
}

fn is_valid(format: Format, text: &str) -> bool {
    let mut is_valid = true;
    format.check(text, &mut |_| is_valid = false);
    is_valid
}

fn resource<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::Opaque(Opaque::Authz(Authz::Group(asker, group))), Val::String(resource)] = args else {
        return Err(cx.no_such_overload());
    };
    if resource.trim().is_empty() {
        return Err(cx.fail("resource must not be empty"));
    }
    made(cx, Authz::Resource(*asker, ResourceTarget { group, resource, ..ResourceTarget::default() }))
}

/// The check with one part of its target changed.
fn narrowed<'a>(
    cx: &Cx<'a>,
    args: &[Val<'a>],
    change: impl FnOnce(ResourceTarget<'a>, &'a str) -> ResourceTarget<'a>,
) -> Outcome<'a> {
    match *args {
        [Val::Opaque(Opaque::Authz(Authz::Resource(asker, target))), Val::String(text)] => {
            made(cx, Authz::Resource(*asker, change(*target, text)))
        }
        _ => Err(cx.no_such_overload()),
    }
}

fn subresource<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    narrowed(cx, args, |target, subresource| ResourceTarget { subresource, ..target })
}

fn namespace<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    narrowed(cx, args, |target, namespace| ResourceTarget { namespace, ..target })
}

fn name<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    narrowed(cx, args, |target, name| ResourceTarget { name, ..target })
}

fn field_selector<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    narrowed(cx, args, |target, field_selector| ResourceTarget { field_selector, ..target })
}

fn label_selector<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    narrowed(cx, args, |target, label_selector| ResourceTarget { label_selector, ..target })
}

fn decide<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let (asker, target, verb) = match *args {
        [Val::Opaque(Opaque::Authz(Authz::Path(asker, path))), Val::String(verb)] => {
            (asker, AuthorizerTarget::Path(path), verb)
        }
        [Val::Opaque(Opaque::Authz(Authz::Resource(asker, target))), Val::String(verb)] => {
            (asker, AuthorizerTarget::Resource(*target), verb)
        }
        _ => return Err(cx.no_such_overload()),
    };
    let answer = asker.authorizer.decide(&AuthorizerCheck { subject: asker.subject, verb, target });
    let reason = cx.str(&answer.reason)?;
    let error = cx.str(&answer.error)?;
    made(cx, Authz::Decision { allowed: answer.allowed, reason, error })
}

/// A part of a decision.
fn part<'a>(cx: &Cx<'a>, args: &[Val<'a>], part: impl FnOnce(bool, &'a str, &'a str) -> Val<'a>) -> Outcome<'a> {
    match *args {
        [Val::Opaque(Opaque::Authz(Authz::Decision { allowed, reason, error }))] => Ok(part(*allowed, reason, error)),
        _ => Err(cx.no_such_overload()),
    }
}

fn errored<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    part(cx, args, |_, _, error| Val::Bool(!error.is_empty()))
}

fn error<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    part(cx, args, |_, _, error| Val::String(error))
}

fn allowed<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    part(cx, args, |allowed, _, _| Val::Bool(allowed))
}

fn reason<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    part(cx, args, |_, reason, _| Val::String(reason))
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
