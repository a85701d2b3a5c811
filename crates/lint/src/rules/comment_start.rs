//! `comment-start`.

use crate::finding::Edit;
use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L302",
    name: "comment-start",
    summary: "Documentation is shown to users of the API, who know a field by its name in JSON.",
    fix: "Begin the comment with the name in JSON; `--fix` does where it begins with the Go name.",
    kal: "commentstart",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: true,
    fires: r#"type Spec struct {
	// Size is the size.
	// +optional
	Size *int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// size is the size.
	// +optional
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let Some(field) = spot.source().filter(|field| spot.is_go() && !field.inline && !spot.is_in_list()) else { return };
    let Some(name) = field.json.as_deref().filter(|name| !name.is_empty()) else { return };
    if field.doc.trim().is_empty() {
        report.spot(spot, format!("field {name} has no documentation"));
        return;
    }
    let first = field.doc.split_whitespace().next().unwrap_or_default();
    if first == name {
        return;
    }
    let mut edit = None;
    if first.eq_ignore_ascii_case(&field.name) || first == field.name {
        edit = crate::comments::word(spot, first).map(|span| Edit::Replace(span, name.to_owned()));
    }
    let finding = report.spot(spot, format!("the comment should start with `{name} …`"));
    if let Some(edit) = edit {
        finding.edit(edit);
    }
}
