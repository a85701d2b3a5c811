//! `unknown-format`: a format that is not checked.

use sprag_release::Release;

use crate::definition::Place;
use crate::finding::Report;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L412",
    name: "unknown-format",
    summary: "A format that the API server does not know, or not for this type, is documentation only.",
    fix: "Use a format that is checked, or a pattern.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: "schedule: {type: string, format: cron}",
    silent: "address: {type: string, format: ipv4}",
    check: Check::Schema(check),
};

fn check(place: &Place<'_>, report: &mut Report<'_>) {
    let props = place.props;
    if !props.format.is_empty() && !sprag_schema::is_checked_format(&props.ty, &props.format, Release::NEWEST) {
        let message = format!("{} is not checked for a value of type {:?}", props.format, props.ty);
        report.push(&place.path.child("format"), message);
    }
}
