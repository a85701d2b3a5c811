//! `marker-repeated`.

use sprag_idl::model::TagLine;

use crate::finding::Edit;
use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L308",
    name: "marker-repeated",
    summary: "The same marker with the same value stands there twice.",
    fix: "Remove one; `--fix` does.",
    kal: "duplicatemarkers",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: true,
    fires: r#"type Spec struct {
	// +optional
	// +optional
	Size *int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Spot(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    // Lines of a drawing may begin with a plus, too.
    let is_marker = |line: &TagLine| line.text.starts_with(|first: char| first.is_ascii_alphabetic());
    for (at, line) in spot.lines.iter().enumerate().filter(|(_, line)| is_marker(line)) {
        if spot.lines[..at].iter().any(|before| before.text == line.text) {
            report.at(spot, line.span, format!("+{} stands there twice", line.text)).edit(Edit::RemoveLine(line.span));
        }
    }
}
