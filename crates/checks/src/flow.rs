//! The effect of a check's result on the checks around it.
//!
//! Every check returns whether it yielded anything. These functions run one check and give its errors a meaning.

use sprag_field::{Errors, Stage};
use sprag_release::Releases;

use crate::At;

/// Runs a check whose errors are marked as stopping their group, those of a shadowed rule too.
pub fn stopping(errors: &mut Errors, check: impl FnOnce(&mut Errors) -> bool) -> bool {
    let mark = errors.len();
    let found = check(errors);
    errors.mark_short_circuit_since(mark);
    found
}

/// Runs a check whose errors are dropped; only the fact that it yielded something remains.
pub fn quiet(errors: &mut Errors, check: impl FnOnce(&mut Errors) -> bool) -> bool {
    let mark = errors.len();
    let found = check(errors);
    errors.truncate(mark);
    found
}

/// Runs a check that holds in some releases of Kubernetes only, which are given by their bits.
pub fn in_releases(releases: u8, errors: &mut Errors, check: impl FnOnce(&mut Errors) -> bool) -> bool {
    holds_in(releases, errors) && check(errors)
}

/// True if the release whose rules are run is one of these, which are given by their bits.
pub fn holds_in(releases: u8, errors: &Errors) -> bool {
    Releases::from_bits(releases).contains(errors.release())
}

/// Runs a check whose errors carry a life-cycle stage. While the stage is shadowed, the check warns of nothing and never counts
/// as having yielded anything, so that it stops nothing: the enforced verdict is the one without the rule.
pub fn staged(at: &At<'_>, errors: &mut Errors, stage: Stage, check: impl FnOnce(&mut Errors) -> bool) -> bool {
    if at.request.enforces(stage) {
        return enforced(errors, stage, check);
    }
    if !errors.stops_shadowed(&at.path, stage) {
        shadowed(errors, stage, check);
    }
    false
}

/// The same for a check that stops others: while it is shadowed, it stops only shadowed ones of its stage or a less mature one. So
/// a rule is observed as it will be enforced.
pub fn staged_stop(at: &At<'_>, errors: &mut Errors, stage: Stage, check: impl FnOnce(&mut Errors) -> bool) -> bool {
    if at.request.enforces(stage) {
        return enforced(errors, stage, check);
    }
    if !errors.stops_shadowed_above(&at.path, stage) && shadowed(errors, stage, check) {
        errors.stop_shadowed(&at.path, stage);
    }
    false
}

fn enforced(errors: &mut Errors, stage: Stage, check: impl FnOnce(&mut Errors) -> bool) -> bool {
    let mark = errors.len();
    let found = check(errors);
    errors.stamp_since(mark, stage);
    found
}

fn shadowed(errors: &mut Errors, stage: Stage, check: impl FnOnce(&mut Errors) -> bool) -> bool {
    let mark = errors.len();
    let warnings = errors.warnings.len();
    let found = check(errors);
    errors.observe_since(mark, stage);
    errors.warnings.truncate(warnings);
    found
}

/// Runs a check that hand-written code never had a counterpart of; its errors say so.
pub fn native(errors: &mut Errors, check: impl FnOnce(&mut Errors) -> bool) -> bool {
    let mark = errors.len();
    let found = check(errors);
    errors.mark_native_since(mark);
    found
}

/// Runs a check whose errors become warnings; it never counts as having yielded anything.
pub fn warning(errors: &mut Errors, message: Option<&str>, check: impl FnOnce(&mut Errors) -> bool) -> bool {
    let mark = errors.len();
    if check(errors) {
        errors.warn_since(mark, message);
    }
    false
}
