//! `unbounded-in-rule`: a value that a rule reads and that may be as large as a request.

use std::collections::BTreeMap;

use sprag_field::Path;

use crate::finding::Report;
use crate::rule::{Check, Level, LintRule};
use sprag_release::Release;
use sprag_schema::accept::{RuleCost, Unbounded, rule_costs};
use sprag_schema::crd::Version;

pub(super) const RULE: LintRule = LintRule {
    code: "L411",
    name: "unbounded-in-rule",
    summary: "Costs are estimated for the largest value there can be; without a limit that is as large as a request.",
    fix: "Add the limit that the message names.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"name: {type: string, x-kubernetes-validations: [{rule: "self.matches('^a*$')", message: m}]}"#,
    silent: r#"name: {type: string, maxLength: 63, x-kubernetes-validations: [{rule: "self.matches('^a*$')", message: m}]}"#,
    check: Check::Version(check),
};

fn check(version: &Version, path: &Path<'_>, report: &mut Report<'_>) {
    let Some(props) = version.props() else { return };
    let schema = path.child("schema");
    let schema = schema.child("openAPIV3Schema");
    // One finding for a value, however many rules read it.
    let mut readers: BTreeMap<Unbounded, RuleCost> = BTreeMap::new();
    for cost in rule_costs(props, Release::NEWEST) {
        for value in &cost.unbounded {
            readers.entry(value.clone()).or_insert_with(|| cost.clone());
        }
    }
    for (Unbounded { path, keyword }, cost) in readers {
        let message =
            format!("the cost of a rule grows with this value; add {keyword} (rule: {})", first_line(&cost.rule));
        let at = if path.is_empty() { schema } else { schema.child(&path) };
        report.push(&at, message);
    }
}

/// The start of a rule, for messages of one line.
fn first_line(rule: &str) -> &str {
    rule.trim().lines().next().unwrap_or_default()
}
