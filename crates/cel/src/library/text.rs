//! `size`, and what the plain language knows about strings.

use sprag_release::Release;

use crate::cost::{Bounds, CallEstimate, CallSite, REGEX_LENGTH, STRING_TRAVERSAL, charge};
use crate::cx::{Cx, Outcome};
use crate::library::operators::unsupported;
use crate::overload::{Binding, Charge, ChargeFunc, Func, Overload};
use crate::types::Sig;
use crate::value::Val;

use Sig::{Bool, Bytes, Int, String};

const fn size_of(id: &'static str, args: &'static [Sig]) -> Overload {
    Overload::global("size", id, args, Int, size).binding(Binding::Singleton).unguarded()
}

const fn size_in(id: &'static str, args: &'static [Sig]) -> Overload {
    Overload::member("size", id, args, Int, size).binding(Binding::Singleton).unguarded()
}

const fn affix(function: &'static str, id: &'static str, call: Func, charge: ChargeFunc) -> Overload {
    Overload::member(function, id, &[String, String], Bool, call)
        .unguarded()
        .estimate(estimate_affix)
        .charge(Charge::ByOverload(charge))
}

const MATCHES: Overload = Overload::global("matches", "matches", &[String, String], Bool, matches)
    .binding(Binding::Singleton)
    .unguarded()
    .regex(1);

pub(crate) static TABLE: &[Overload] = &[
    size_of("size_bytes", &[Bytes]),
    size_in("bytes_size", &[Bytes]),
    size_of("size_list", &[Sig::LIST_A]),
    size_in("list_size", &[Sig::LIST_A]),
    size_of("size_map", &[Sig::MAP_AB]),
    size_in("map_size", &[Sig::MAP_AB]),
    size_of("size_string", &[String]),
    size_in("string_size", &[String]),
    Overload::member("contains", "contains_string", &[String, String], Bool, contains)
        .unguarded()
        .estimate(estimate_contains)
        .charge(Charge::ByOverload(charge_contains)),
    affix("endsWith", "ends_with_string", ends_with, charge_affix).since_release(Release::V1_37),
    affix("endsWith", "ends_with_string", ends_with, charge_text).until_release(Release::V1_36),
    affix("startsWith", "starts_with_string", starts_with, charge_affix).since_release(Release::V1_37),
    affix("startsWith", "starts_with_string", starts_with, charge_text).until_release(Release::V1_36),
    MATCHES.estimate(estimate_matches).charge(Charge::ByOverload(charge_matches)).since_release(Release::V1_37),
    // As checker.coster.functionCost of cel-go 0.26, which knew only the overload with a receiver.
    MATCHES.until_release(Release::V1_36),
    Overload::member("matches", "matches_string", &[String, String], Bool, matches)
        .binding(Binding::Singleton)
        .unguarded()
        .regex(1)
        .estimate(estimate_matches)
        .charge(Charge::ByOverload(charge_matches)),
];

fn size<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let size = args[0].size().ok_or_else(|| unsupported(cx, args[0], "size"))?;
    Ok(Val::Int(i64::try_from(size).unwrap_or(i64::MAX)))
}

fn contains<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text), Val::String(part)] = args else { return Err(cx.no_such_overload()) };
    Ok(Val::Bool(text.contains(part)))
}

fn starts_with<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text), Val::String(part)] = args else { return Err(cx.no_such_overload()) };
    Ok(Val::Bool(text.starts_with(part)))
}

fn ends_with<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text), Val::String(part)] = args else { return Err(cx.no_such_overload()) };
    Ok(Val::Bool(text.ends_with(part)))
}

fn matches<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    match *args {
        [Val::String(text), Val::String(pattern)] => Ok(Val::Bool(cx.regexp(pattern, "")?.charged().is_match(text)?)),
        [Val::String(_), _] => Err(cx.no_such_overload()),
        _ => Err(unsupported(cx, args[0], "matches")),
    }
}

fn charge_contains<'a>(_: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    charge::walk(charge::size(&args[0])) * charge::walk(charge::size(&args[1]))
}

fn charge_affix<'a>(_: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    charge::walk(charge::size(&args[1]))
}

// As interpreter.CostTracker.costCall of cel-go 0.26, which charged for the whole text.
fn charge_text<'a>(_: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    charge::walk(charge::size(&args[0]))
}

fn charge_matches<'a>(_: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    charge::search(charge::size(&args[0]), charge::size(&args[1]))
}

fn estimate_contains(call: &CallSite<'_>) -> Option<CallEstimate> {
    let text = call.target.as_ref()?;
    let part = call.args.first()?;
    Some(CallEstimate::cost(text.size.scale(STRING_TRAVERSAL).multiply(part.size.scale(STRING_TRAVERSAL))))
}

fn estimate_affix(call: &CallSite<'_>) -> Option<CallEstimate> {
    Some(CallEstimate::cost(call.args.first()?.size.scale(STRING_TRAVERSAL)))
}

fn estimate_matches(call: &CallSite<'_>) -> Option<CallEstimate> {
    let mut parts = call.target.iter().chain(&call.args);
    let text = parts.next()?;
    let pattern = parts.next()?;
    let text = text.size.add(Bounds::fixed(1)).scale(STRING_TRAVERSAL);
    Some(CallEstimate::cost(text.multiply(pattern.size.scale(REGEX_LENGTH))))
}
