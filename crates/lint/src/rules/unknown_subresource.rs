//! `unknown-subresource`.

use std::collections::BTreeSet;

use sprag_idl::model::TagLine;
use sprag_idl::{Syntax, Tag, TagValue, parse_tag, tag_name};
use sprag_program::DefId;
use sprag_tags::{Dialect, is_resource};

use crate::finding::Report;
use crate::model::{Model, Spot};
use crate::reference::chain;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L112",
    name: "unknown-subresource",
    summary: "The rule depends on a subresource that no kind with this type has: `+k8s:ifSubresource` never runs it, `+k8s:ifNotSubresource` always does.",
    fix: "Name a subresource of the kind, or declare it above the kind with `+k8s:supportsSubresource`.",
    kal: "",
    kubernetes: Level::Error,
    crd: Level::Error,
    fixable: false,
    fires: r#"// +sprag:dialect=kep
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +k8s:supportsSubresource="/status"
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// +k8s:optional
	// +k8s:ifSubresource("/statuss")=+k8s:immutable
	Phase *string `json:"phase,omitempty"`
}"#,
    silent: r#"// +sprag:dialect=kep
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +k8s:supportsSubresource="/status"
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// +k8s:optional
	// +k8s:ifSubresource("/status")=+k8s:immutable
	Phase *string `json:"phase,omitempty"`
}"#,
    check: Check::All(check),
};

fn check(model: &Model<'_>, report: &mut Report<'_>) {
    let mut conditional = Vec::new();
    for (def, _) in model.types() {
        let spots = model.type_spot(def).into_iter().chain(model.field_spots(def));
        conditional.extend(spots.filter(|spot| spot.dialect() == Dialect::Kep && spot.tags.iter().any(is_conditional)));
    }
    if conditional.is_empty() {
        return;
    }
    let kinds = kinds(model);
    for spot in &conditional {
        let holders: Vec<&Kind<'_>> = kinds.iter().filter(|kind| kind.holds.contains(&spot.def)).collect();
        if holders.is_empty() {
            continue;
        }
        for tag in spot.tags.iter().flat_map(chain) {
            if let Some((path, matches)) = condition(tag) {
                check_path(spot, &holders, (tag, &path, matches), report);
            }
        }
    }
}

fn is_conditional(tag: &Tag) -> bool {
    chain(tag).any(|tag| condition(tag).is_some())
}

/// The subresource that a tag asks for, and whether it asks for this one or for any other.
fn condition(tag: &Tag) -> Option<(String, bool)> {
    let matches = match tag.name.as_str() {
        "k8s:ifSubresource" => true,
        "k8s:ifNotSubresource" => false,
        _ => return None,
    };
    let path = tag.positional()?.text();
    Some((format!("/{}", path.trim_start_matches('/')), matches))
}

fn check_path(
    spot: &Spot<'_>,
    holders: &[&Kind<'_>],
    (tag, path, matches): (&Tag, &str, bool),
    report: &mut Report<'_>,
) {
    if holders.iter().any(|kind| kind.subresources.contains(path)) {
        return;
    }
    let kinds: Vec<String> = holders
        .iter()
        .map(|kind| {
            let known: Vec<String> = kind.subresources.iter().map(|path| format!("{path:?}")).collect();
            format!("{} has {}", kind.name, known.join(", "))
        })
        .collect();
    let effect = if matches { "never runs" } else { "always runs" };
    let message = format!("no kind has the subresource {path:?}, so the rule {effect}: {}", kinds.join("; "));
    let help = format!("name one of those, or write +k8s:supportsSubresource={path:?} above the kind");
    report.at(spot, tag.span, message).help(help);
}

/// A type that is validated as a whole.
struct Kind<'a> {
    name: &'a str,
    /// The subresources whose requests carry it; `/` is the kind itself.
    subresources: BTreeSet<String>,
    /// The types that its values consist of.
    holds: BTreeSet<DefId>,
}

fn kinds<'a>(model: &Model<'a>) -> Vec<Kind<'a>> {
    let universe = model.universe;
    let mut kinds = Vec::new();
    for root in model.roots {
        let def = universe.def(*root);
        let lines: Vec<&TagLine> = def.detached_tags.iter().chain(&def.tags).collect();
        let own = values(&lines, "k8s:isSubresource").into_iter().next();
        if own.is_none() && !is_resource(universe, *root) {
            continue;
        }
        let mut subresources: BTreeSet<String> = values(&lines, "k8s:supportsSubresource").into_iter().collect();
        subresources.insert(own.unwrap_or_else(|| "/".to_owned()));
        for name in ["status", "scale"] {
            let marker = format!("kubebuilder:subresource:{name}");
            if lines.iter().any(|line| line.text.split([':', '=']).take(3).eq(marker.split(':'))) {
                subresources.insert(format!("/{name}"));
            }
        }
        let mut holds = BTreeSet::new();
        let mut open = vec![*root];
        while let Some(def) = open.pop() {
            if holds.insert(def) {
                open.extend(universe.defs_in(def));
                open.extend(&universe.def(def).chain);
            }
        }
        kinds.push(Kind { name: &def.name, subresources, holds });
    }
    kinds
}

fn values(lines: &[&TagLine], name: &str) -> Vec<String> {
    let lines = lines.iter().filter(|line| tag_name(&line.text) == Some(name));
    let tags = lines.filter_map(|line| parse_tag(&line.text, line.span, Syntax::Kep).ok());
    tags.filter_map(|tag| match tag.value {
        TagValue::Scalar(value) => Some(value.text()),
        _ => None,
    })
    .collect()
}
