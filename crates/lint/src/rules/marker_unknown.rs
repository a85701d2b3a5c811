//! `marker-unknown`.

use sprag_idl::{Span, tag_name};
use sprag_tags::kubebuilder::{Found, SPECS, find};

use crate::finding::Edit;
use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L201",
    name: "marker-unknown",
    summary: "controller-gen passes over a marker that it does not know, so a slip of the pen drops a rule silently.",
    fix: "Correct the name; `--fix` does where there is one that is meant for sure.",
    kal: "",
    kubernetes: Level::Error,
    crd: Level::Error,
    fixable: true,
    fires: r#"type Spec struct {
	// +optional
	// +kubebuilder:validation:Minimun=1
	Size *int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	// +kubebuilder:validation:Minimum=1
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Spot(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    for line in spot.lines {
        let name = match find(line) {
            Found::Unknown(name) => name,
            Found::Other => {
                let Some(name) = tag_name(&line.text) else { continue };
                if name.contains(':') || PLAIN.contains(&name) {
                    continue;
                }
                name
            }
            Found::Known(_) => continue,
        };
        let is_plain = !name.contains(':');
        // `+kubebuilder:validation:Minimum:1`: the name is right and the separator is not.
        let separator =
            SPECS.iter().find(|spec| name.strip_prefix(spec.name).is_some_and(|rest| rest.starts_with(':')));
        let known: Vec<&str> = if is_plain { PLAIN.to_vec() } else { SPECS.iter().map(|spec| spec.name).collect() };
        let bar = if is_plain { SURE } else { MAYBE };
        let rated = known.iter().map(|known| (likeness(name, known), *known));
        let best = rated.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(likeness, _)| *likeness >= bar);
        if is_plain && best.is_none() {
            continue;
        }
        let finding = report.at(spot, line.span, format!("there is no marker +{name}"));
        match (separator, best) {
            (Some(spec), _) => {
                finding.help(format!("write +{}=…", spec.name));
            }
            (None, Some((likeness, known))) => {
                finding.help(format!("did you mean +{known}?"));
                if likeness >= SURE {
                    let end = line.span.start + u32::try_from(name.len()).unwrap_or(0);
                    finding.edit(Edit::Replace(Span { end, ..line.span }, known.to_owned()));
                }
            }
            (None, None) => {
                finding.help("docs/crd.md lists all markers");
            }
        }
    }
}

/// Markers without a namespace that misspelt ones are compared with.
const PLAIN: [&str; 12] = [
    "default",
    "listMapKey",
    "listType",
    "mapType",
    "nullable",
    "optional",
    "patchMergeKey",
    "patchStrategy",
    "required",
    "structType",
    "unionDiscriminator",
    "groupName",
];

/// From here on a name is suggested.
const MAYBE: f64 = 0.85;
/// From here on it is surely meant.
const SURE: f64 = 0.94;

/// Returns the similarity of two names, from 0 to 1. What they share at the front says nothing.
fn likeness(name: &str, known: &str) -> f64 {
    let last = |name: &str| name.rsplit_once(':').map_or(name, |(_, last)| last).to_ascii_lowercase();
    let front = |name: &str| name.rsplit_once(':').map_or("", |(front, _)| front).to_ascii_lowercase();
    let of_last = strsim::jaro_winkler(&last(name), &last(known));
    let of_front = if front(name) == front(known) { 1.0 } else { strsim::jaro(&front(name), &front(known)) };
    of_last * of_front
}
