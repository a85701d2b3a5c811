//! `required-defaulted`: a member that has to be given and is filled in.

use super::{Check, LintRule, Place, Report};

pub(super) const RULE: LintRule = LintRule {
    name: "required-defaulted",
    summary: "A member with a default is always there, so requiring it only confuses clients that read the schema.",
    check: Check::Schema(check),
};

fn check(place: &Place<'_>, report: &mut Report<'_>) {
    let (Some(name), Some(parent)) = (place.name, place.parent) else { return };
    if place.props.default.is_some() && parent.required.iter().any(|required| required.as_str() == name) {
        report.push(&place.path.child("default"), format!("{name} is required and has a default; keep one of them"));
    }
}
