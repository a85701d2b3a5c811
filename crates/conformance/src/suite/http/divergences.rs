//! The intended differences from the reference's answers, as `DIVERGENCES.md` lists them.

use sprag_value::Value;

use super::compare::{self, Reply};
use super::replay::Site;
use super::wire::Test;
use crate::volatile;

/// The reason that `native` has as well.
pub(in crate::suite) const APPLIED_OBJECT: &str =
    "an applied object that does not fit its type is a bad request, with all faults in order";

/// One reason to differ, and how to tell that an answer does so for it.
struct Divergence {
    reason: &'static str,
    applies: fn(&Site, &Test, &Reply) -> bool,
}

/// Returns the reason why an answer may differ from the recorded one, if it may.
pub(super) fn reason(site: &Site, test: &Test, reply: &Reply) -> Option<&'static str> {
    LISTED.iter().find(|divergence| (divergence.applies)(site, test, reply)).map(|divergence| divergence.reason)
}

const LISTED: &[Divergence] = &[
    Divergence {
        reason: APPLIED_OBJECT,
        applies: applied_object_is_bad_request,
    },
    Divergence { reason: "a scale can be applied", applies: scale_is_applied },
    Divergence { reason: "watches begin at any state that the store still has", applies: history_is_kept },
    Divergence { reason: "kinds that are not served are not listed", applies: only_served_kinds_are_listed },
    Divergence { reason: "/flagz and /statusz do not exist", applies: no_pages_about_flags },
    Divergence { reason: "metrics of parts that Sprag does not have", applies: metrics_of_our_parts },
];

fn applied_object_is_bad_request(_: &Site, test: &Test, reply: &Reply) -> bool {
    (test.response.code, reply.code) == (500, 400)
        && names_all_faults(compare::message(&test.response.body), reply.message())
}

/// True if the refusal of an applied object has all faults that the reference names, which lists them in no order.
pub(in crate::suite) fn names_all_faults(recorded: &str, ours: &str) -> bool {
    if recorded.starts_with("failed to convert new object") {
        return recorded == ours;
    }
    let (Some((want, faults)), Some((got, ours))) = (recorded.split_once("): "), ours.split_once("): ")) else {
        return false;
    };
    let faults = faults.strip_prefix("errors:\n").unwrap_or(faults);
    want.starts_with("failed to create typed")
        && want == got
        && faults.lines().all(|fault| ours.contains(fault.trim_start()))
}

fn scale_is_applied(_: &Site, test: &Test, reply: &Reply) -> bool {
    let is_apply = test.request.headers.get("Content-Type").is_some_and(|ty| ty == "application/apply-patch+yaml");
    let path = test.request.path.split('?').next().unwrap_or_default();
    is_apply && path.ends_with("/scale") && test.response.code == 500 && reply.code == 200
}

/// The reference keeps what happened since the first request for the resource; the store keeps more.
fn history_is_kept(_: &Site, test: &Test, reply: &Reply) -> bool {
    let is_expired = |event: &Value| event.lookup(&["object", "reason"]).and_then(Value::as_str) == Some("Expired");
    let first = |body: &Value| body.at(0).is_some_and(is_expired);
    test.stream && first(&test.response.body) && reply.code == 200 && !first(&reply.body)
}

fn only_served_kinds_are_listed(site: &Site, test: &Test, reply: &Reply) -> bool {
    let mut recorded = test.response.body.clone();
    let group_version = recorded.get("groupVersion").and_then(Value::as_str).unwrap_or_default().to_owned();
    let Some(resources) = recorded.get_mut("resources").and_then(Value::as_array_mut) else { return false };
    resources.retain(|resource| {
        let name = resource.get("name").and_then(Value::as_str).unwrap_or_default();
        site.served.has(&group_version, name)
    });
    reply.code == 200 && volatile::same(&recorded, &reply.body)
}

fn no_pages_about_flags(_: &Site, test: &Test, reply: &Reply) -> bool {
    let mut recorded = test.response.body.clone();
    let Some(paths) = recorded.get_mut("paths").and_then(Value::as_array_mut) else { return false };
    paths.retain(|path| !matches!(path.as_str(), Some("/flagz" | "/statusz")));
    reply.code == 200 && volatile::same(&recorded, &reply.body)
}

/// Families that both have must be the same.
fn metrics_of_our_parts(_: &Site, test: &Test, reply: &Reply) -> bool {
    let (Some(recorded), Some(ours)) = (test.response.body.as_object(), reply.body.as_object()) else { return false };
    let both = ours.iter().filter_map(|(name, family)| Some((recorded.get(name)?, family)));
    test.note.contains("text exposition")
        && both.clone().next().is_some()
        && both.into_iter().all(|(recorded, family)| volatile::same(recorded, family))
}
