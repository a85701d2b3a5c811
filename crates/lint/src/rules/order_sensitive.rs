//! `order-sensitive`.

use sprag_tags::Dialect;

use crate::finding::Report;
use crate::model::Spot;
use crate::model::literal;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L110",
    name: "order-sensitive",
    summary: "The elements of a map list or a set have no order, yet the rule compares the list as a whole, so that a client that sorts it breaks the rule.",
    fix: "Make the elements immutable (`+k8s:eachVal=+k8s:immutable`), or the list atomic.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	// +k8s:optional
	// +k8s:listType=set
	// +k8s:immutable
	Names []string `json:"names,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +k8s:optional
	// +k8s:listType=atomic
	// +k8s:immutable
	Names []string `json:"names,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    if !matches!(spot.list_type(), Some("map" | "set")) {
        return;
    }
    // In the dialect `kep` elements with a declared identity are compared one by one, whatever their order.
    let by_identity = spot.dialect() == Dialect::Kep && (spot.has("k8s:listType") || spot.has("k8s:unique"));
    for tag in spot.tags.iter().filter(|_| !by_identity) {
        let inner =
            if matches!(tag.name.as_str(), "k8s:alpha" | "k8s:beta") { tag.inner().unwrap_or(tag) } else { tag };
        let is_whole = inner.name == "k8s:immutable"
            || (inner.name == "k8s:update" && literal(inner).as_deref() == Some("NoModify"));
        if is_whole {
            let kind = spot.list_type().unwrap_or_default();
            report.at(
                spot,
                tag.span,
                format!("+{} refuses another order of the elements of a {kind} list", inner.name),
            );
        }
    }
    for marker in &spot.markers {
        let rule = if marker.spec.name == "kubebuilder:validation:XValidation" { marker.args() } else { None };
        let rule = rule.and_then(|args| args.into_iter().find(|(name, _)| name == "rule"));
        if rule.is_some_and(|(_, rule)| crate::order::picks_by_position(&rule, "self")) {
            report.at(spot, marker.line.span, "the rule picks an element by its position, and the list has no order");
        }
    }
}
