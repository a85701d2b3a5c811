//! `versions-differ`.

use std::collections::{BTreeMap, BTreeSet};

use sprag_idl::Span;
use sprag_idl::model::{Literal, TagLine};
use sprag_program::DefId;
use sprag_tags::types::DefKind;

use crate::finding::At;
use crate::finding::Report;
use crate::model::{Model, Spot, mentions};
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L105",
    name: "versions-differ",
    summary: "The tags of a field or type, or the values of an enum, differ between versions of a kind, so that an object is valid in one version and not in the other.",
    fix: "Copy the tags and values, or list `Type.field` or `Type` of the older package in the file of exceptions; an exception that is not needed any more is an error, so the file can only shrink.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Off,
    fixable: false,
    fires: r#"type Spec struct {
	// +k8s:optional
	// +k8s:minimum=1
	Size *int32 `json:"size,omitempty"`
}
// ---
type Spec struct {
	// +k8s:optional
	// +k8s:minimum=0
	Size *int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +k8s:optional
	// +k8s:minimum=1
	Size *int32 `json:"size,omitempty"`
}
// ---
type Spec struct {
	// +k8s:optional
	// +k8s:alpha=+k8s:minimum=1
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::All(check),
};

fn check(model: &Model<'_>, report: &mut Report<'_>) {
    let mut used = BTreeSet::new();
    for (group, versions) in groups(model) {
        let Some(((_, newest), older)) = versions.split_first() else { continue };
        for (path, package) in older {
            compare(model, report, &group, (newest, path, package), &mut used);
        }
    }
    for line in &model.settings.exceptions {
        if !used.contains(line) {
            let message = format!("the exception {line:?} is not needed any more: remove it");
            report.add(At::Span(Span::NONE), line.clone(), String::new(), message);
        }
    }
}

/// Types of a package by name.
type Types = BTreeMap<String, DefId>;

/// The packages of a group with rules, newest version first.
fn groups(model: &Model<'_>) -> BTreeMap<String, Vec<(String, Types)>> {
    let mut groups: BTreeMap<String, Vec<(String, Types)>> = BTreeMap::new();
    let mut packages: BTreeMap<usize, Types> = BTreeMap::new();
    for (def, data) in model.types() {
        packages.entry(data.package).or_default().insert(data.name.clone(), def);
    }
    for (at, types) in packages {
        let path = &model.universe.packages()[at].path;
        let Some((group, version)) = path.rsplit_once(['/', ':']) else { continue };
        let has_rules = types.values().any(|def| {
            let mut spots = model.type_spot(*def).into_iter().chain(model.field_spots(*def));
            spots.any(|spot| !rules(&spot).is_empty())
        });
        if has_rules && priority(version).is_some() {
            groups.entry(group.to_owned()).or_default().push((path.clone(), types));
        }
    }
    for versions in groups.values_mut() {
        versions.sort_by_key(|(path, _)| std::cmp::Reverse(path.rsplit(['/', ':']).next().and_then(priority)));
    }
    groups
}

/// Stable versions first, then beta, then alpha; the newest of each first.
fn priority(version: &str) -> Option<(u8, u32, u32)> {
    let rest = version.strip_prefix('v')?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    let major = rest[..end].parse().ok()?;
    let (stage, minor) = match &rest[end..] {
        "" => (3, ""),
        rest if rest.starts_with("beta") => (2, &rest[4..]),
        rest if rest.starts_with("alpha") => (1, &rest[5..]),
        _ => return None,
    };
    Some((stage, major, minor.parse().unwrap_or(0)))
}

fn compare(
    model: &Model<'_>,
    report: &mut Report<'_>,
    group: &str,
    (newest, path, older): (&Types, &str, &Types),
    used: &mut BTreeSet<String>,
) {
    for (name, def) in older {
        let Some(counterpart) = newest.get(name) else { continue };
        let mut pairs: Vec<(Spot<'_>, Spot<'_>)> =
            model.type_spot(*def).into_iter().zip(model.type_spot(*counterpart)).collect();
        let mut fields = model.field_spots(*counterpart);
        let name_of = |spot: &Spot<'_>| spot.source().map(|field| field.path_name().to_owned());
        for spot in model.field_spots(*def) {
            if let Some(at) = fields.iter().position(|other| name_of(other) == name_of(&spot)) {
                pairs.push((spot, fields.swap_remove(at)));
            }
        }
        for (spot, same) in pairs {
            let Some(difference) = difference(group, (path, &spot), &same) else { continue };
            let subject = spot.subject();
            if model.settings.exceptions.contains(&subject) {
                used.insert(subject);
            } else {
                report.spot(&spot, difference);
            }
        }
    }
}

/// The rules that only one of two versions of a field or type has, in words.
fn difference(group: &str, (path, spot): (&str, &Spot<'_>), same: &Spot<'_>) -> Option<String> {
    let mut here = rules(spot);
    let mut there = rules(same);
    // An enum without its tag admits every value, which the tags show already.
    if let (Some(own), Some(other)) = (enum_values(spot), enum_values(same)) {
        here.extend(own);
        there.extend(other);
    }
    if here == there {
        return None;
    }
    let only =
        |of: &BTreeSet<String>, other: &BTreeSet<String>| of.difference(other).cloned().collect::<Vec<_>>().join(", ");
    let newer = same.package().path.strip_prefix(group).unwrap_or_default().trim_start_matches(['/', ':']);
    let this = path.strip_prefix(group).unwrap_or_default().trim_start_matches(['/', ':']);
    let mut parts = Vec::new();
    for (version, tags) in [(this, only(&here, &there)), (newer, only(&there, &here))] {
        if !tags.is_empty() {
            parts.push(format!("only {version} has {tags}"));
        }
    }
    Some(format!("the rules differ from those of {newer}: {}", parts.join("; ")))
}

/// The values of an enum, each with the tags that exclude it; `None` if the type is not one.
fn enum_values(spot: &Spot<'_>) -> Option<BTreeSet<String>> {
    let universe = spot.universe();
    if spot.field.is_some() {
        return None;
    }
    let mut values = BTreeSet::new();
    let mut add = |value: &str, tags: &[TagLine]| {
        let excludes: Vec<&str> =
            tags.iter().map(|line| line.text.as_str()).filter(|text| text.contains("k8s:enumExclude")).collect();
        if excludes.contains(&"k8s:enumExclude") {
            return;
        }
        let excludes: Vec<String> = excludes.iter().map(|text| format!(" with +{text}")).collect();
        values.insert(format!("the value {value:?}{}", excludes.concat()));
    };
    if let DefKind::Enum(declared) = &spot.data.kind {
        declared.variants.iter().for_each(|variant| add(&variant.json, &variant.tags));
        return Some(values);
    }
    if !spot.tags.iter().any(|tag| mentions(tag, "k8s:enum")) {
        return None;
    }
    let consts = universe.packages().iter().flat_map(|package| &package.consts);
    for item in consts.filter(|item| item.ty == Some(spot.ty)) {
        if let Some(Literal::String(text)) = &item.item.value {
            add(text, &item.item.tags);
        }
    }
    Some(values)
}

/// The rules of a field or type, without their stages: a version may enforce what another one still observes.
fn rules(spot: &Spot<'_>) -> BTreeSet<String> {
    let rules =
        spot.tags.iter().filter(|tag| tag.name.starts_with("k8s:") && spot.model.registry.find(&tag.name).is_some());
    rules
        .map(|tag| {
            let line = spot.lines.iter().find(|line| line.span == tag.span);
            let text = line.map_or(tag.name.as_str(), |line| line.text.as_str());
            let staged = matches!(tag.name.as_str(), "k8s:alpha" | "k8s:beta");
            let text = if staged { text.split_once("=+").map_or(text, |(_, inner)| inner) } else { text };
            let end = text.find(" #").unwrap_or(text.len());
            format!("+{}", text[..end].trim_end())
        })
        .collect()
}
