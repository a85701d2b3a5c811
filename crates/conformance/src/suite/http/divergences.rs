//! Where Sprag answers otherwise than the reference on purpose, as `DIVERGENCES.md` lists it.

use super::compare::{self, Reply};
use super::replay::Site;
use super::wire::Test;

/// One reason to differ, and how to tell that an answer does so for it.
struct Divergence {
    reason: &'static str,
    applies: fn(&Site, &Test, &Reply) -> bool,
}

/// Why an answer may differ from the recorded one, if it may.
pub(super) fn reason(site: &Site, test: &Test, reply: &Reply) -> Option<&'static str> {
    LISTED.iter().find(|divergence| (divergence.applies)(site, test, reply)).map(|divergence| divergence.reason)
}

const LISTED: &[Divergence] = &[Divergence {
    reason: "an applied object that does not fit its type is a bad request, with all faults in order",
    applies: applied_object_is_bad_request,
}];

fn applied_object_is_bad_request(_: &Site, test: &Test, reply: &Reply) -> bool {
    let recorded = compare::message(&test.response.body);
    let (Some((want, faults)), Some((got, ours))) = (recorded.split_once("): "), reply.message().split_once("): "))
    else {
        return false;
    };
    let faults = faults.strip_prefix("errors:\n").unwrap_or(faults);
    let typed = want.starts_with("failed to create typed");
    typed
        && (test.response.code, reply.code) == (500, 400)
        && want == got
        && faults.lines().all(|fault| ours.contains(fault.trim_start()))
}
