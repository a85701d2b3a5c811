//! `status-not-subresource`: a status that is written together with the spec.

use sprag_field::Path;

use crate::finding::Report;
use crate::rule::{Check, Level, LintRule};
use sprag_schema::crd::Version;

pub(super) const RULE: LintRule = LintRule {
    code: "L410",
    name: "status-not-subresource",
    summary: "Without the subresource, users overwrite what controllers report, and each report counts as a new \
              generation.",
    fix: "Add `subresources: {status: {}}`.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: "status: {type: object}",
    silent: r"name: v1
schema: {openAPIV3Schema: {type: object, properties: {status: {type: object}}}}
subresources: {status: {}}",
    check: Check::Version(check),
};

fn check(version: &Version, path: &Path<'_>, report: &mut Report<'_>) {
    let has_status = version.props().is_some_and(|props| props.properties.contains_key("status"));
    if has_status && !version.has_status() {
        report.push(&path.child("subresources"), "add the status subresource");
    }
}
