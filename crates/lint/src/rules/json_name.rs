//! `json-name`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L311",
    name: "json-name",
    summary: "Every field needs a name in JSON, in camel case.",
    fix: "Add a `json` tag with a name such as `maxSize`.",
    kal: "jsontags",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	Size *int32 `json:"max_size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	Size *int32 `json:"maxSize,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let Some(field) = spot.source().filter(|field| spot.is_go() && !field.inline) else { return };
    match field.json.as_deref() {
        None if field.embedded => {}
        None | Some("") => {
            report.spot(spot, format!("field {} has no name in JSON", field.name));
        }
        Some(name) => {
            let is_camel = name.starts_with(|first: char| first.is_ascii_lowercase())
                && name.chars().all(|letter| letter.is_ascii_alphanumeric());
            if !is_camel {
                report.spot(spot, format!("the name {name:?} is not in camel case"));
            }
        }
    }
}
