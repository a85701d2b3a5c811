//! `status-not-subresource`: a status that is written together with the spec.

use sprag_field::Path;

use super::{Check, LintRule, Report};
use crate::crd::Version;

pub(super) const RULE: LintRule = LintRule {
    name: "status-not-subresource",
    summary: "Without the subresource, users overwrite what controllers report, and each report counts as a new \
              generation.",
    check: Check::Version(check),
};

fn check(version: &Version, path: &Path<'_>, report: &mut Report<'_>) {
    let has_status = version.props().is_some_and(|props| props.properties.contains_key("status"));
    if has_status && !version.has_status() {
        report.push(&path.child("subresources"), "add the status subresource");
    }
}
