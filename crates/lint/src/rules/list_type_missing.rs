//! `list-type-missing`: a list of objects without `+listType`.

use crate::definition::Place;
use crate::finding::Report;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L404",
    name: "list-type-missing",
    summary: "Without a list type, appliers replace the whole list, its elements are not ratcheted, and their rules \
              cannot use oldSelf.",
    fix: "Add `x-kubernetes-list-type: map` with keys, or `atomic`.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: "parts: {type: array, items: {type: object}}",
    silent: "parts: {type: array, items: {type: object}, x-kubernetes-list-type: atomic}",
    check: Check::Schema(check),
};

fn check(place: &Place<'_>, report: &mut Report<'_>) {
    let is_object = place.props.item_schema().is_some_and(|item| item.ty.as_str() == "object");
    // Inside of a value that changes as a whole the type of a list makes no difference.
    if is_object && place.props.list_type.is_none() && !place.in_atomic {
        let message = "say x-kubernetes-list-type: map with the members that are the key, or atomic if the list is \
                       one value";
        report.push(&place.path, message);
    }
}
