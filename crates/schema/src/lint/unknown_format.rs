//! `unknown-format`: a format that is not checked.

use super::{Check, LintRule, Place, Report};
use crate::format;

pub(super) const RULE: LintRule = LintRule {
    name: "unknown-format",
    summary: "A format that the API server does not know, or not for this type, is documentation only.",
    check: Check::Schema(check),
};

fn check(place: &Place<'_>, report: &mut Report<'_>) {
    let props = place.props;
    if !props.format.is_empty() && !format::is_known_for(&props.ty, &props.format) {
        let message = format!("{} is not checked for a value of type {:?}", props.format, props.ty);
        report.push(&place.path.child("format"), message);
    }
}
