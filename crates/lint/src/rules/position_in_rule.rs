//! `position-in-rule`.

use sprag_schema::Props;

use crate::definition::Place;
use crate::finding::Report;
use crate::order::picks_by_position;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L413",
    name: "position-in-rule",
    summary: "The elements of a map list or a set have no order, so a rule that picks one by its position means another one after any client sorted the list.",
    fix: "Pick the element by its key, or make the list atomic.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"names: {type: array, maxItems: 4, items: {type: string, maxLength: 9}, x-kubernetes-list-type: set, x-kubernetes-validations: [{rule: "self[0] == 'a'", message: m}]}"#,
    silent: r#"names: {type: array, maxItems: 4, items: {type: string, maxLength: 9}, x-kubernetes-list-type: atomic, x-kubernetes-validations: [{rule: "self[0] == 'a'", message: m}]}"#,
    check: Check::Schema(check),
};

fn check(place: &Place<'_>, report: &mut Report<'_>) {
    let rules = place.path.child("x-kubernetes-validations");
    for (index, rule) in place.props.validations.iter().enumerate() {
        let is_unordered = |props: &Props| matches!(props.list_type.as_deref(), Some("map" | "set"));
        let own = is_unordered(place.props) && picks_by_position(&rule.rule, "self");
        let below = place.props.properties.iter().filter(|(_, props)| is_unordered(props));
        let name = below.map(|(name, _)| name).find(|name| picks_by_position(&rule.rule, &format!("self.{name}")));
        if own || name.is_some() {
            let list = name.map_or("the list", |name| name.as_str());
            report.push(
                &rules.index(index),
                format!("the rule picks an element of {list} by its position, and the list has no order"),
            );
        }
    }
}
