//! `+k8s:enum`, `+k8s:enumExclude`: a string type that admits only its declared constants.

use std::collections::BTreeSet;

use sprag_idl::model::{Const, Literal, TagLine};
use sprag_idl::{Tag, parse_tag};
use sprag_program::{Check, EnumRule, Exclusion, Rule, TypeId};
use sprag_release::Releases;

use crate::lower::{Context, Lowered, Lowerer, Refusal};
use crate::registry::{Scope, Stability, TagRule};
use crate::tags::releases_of;
use crate::types::{DefKind, Kind};

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        "k8s:enum",
        Stability::Stable,
        &[Scope::Type],
        "The string type only admits the values of its declared constants.",
        "+k8s:enum",
        lower,
    ),
    TagRule::new(
        "k8s:enumExclude",
        Stability::Alpha,
        &[Scope::Const],
        "Drops a constant from its enum, always or under an option condition.",
        "+k8s:ifDisabled(FeatureX)=+k8s:enumExclude",
        |_, _, _| Ok(Lowered::default()),
    ),
];

/// A constant that survives, with its conditions.
struct Value {
    name: String,
    text: String,
    comment: String,
    exclusions: Vec<(bool, String)>,
    /// The releases that have it.
    releases: Releases,
}

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    let universe = lowerer.universe;
    if universe.kind(cx.ty) != Kind::Builtin || !universe.is_string(cx.ty) {
        let name = universe.native_type_name(cx.ty);
        return Err(format!("can only be used on string types ({name})").into());
    }
    let mut values = values(lowerer, cx.ty)?;
    if let Some(def) = cx.def
        && let DefKind::Enum(declared) = &universe.def(def).kind
    {
        for variant in &declared.variants {
            if let Some(exclusions) = exclusions(lowerer, &variant.tags) {
                let name = variant.name.clone();
                let text = variant.json.clone();
                let releases = releases_of(&variant.tags);
                values.push(Value { name, text, comment: String::new(), exclusions, releases });
            }
        }
    }
    values.sort_by(|a, b| a.name.cmp(&b.name));
    for value in &mut values {
        value.exclusions.sort();
        for (_, option) in &value.exclusions {
            lowerer.gates.entry(option.clone()).or_insert(tag.span);
        }
    }
    let mut lowered = Lowered::default();
    for releases in alike(&values) {
        let rule = Rule::Enum(enum_rule(values.iter().filter(|value| value.releases.and(releases) == releases)));
        lowered.add(Lowered::check(Check { releases, ..Check::new(rule) }));
    }
    Ok(lowered)
}

/// The values of the declared constants of a type, in their order, by releases that have the same.
pub(crate) fn constants(lowerer: &Lowerer<'_>, ty: TypeId) -> Result<Vec<(Releases, Vec<String>)>, Refusal> {
    let values = values(lowerer, ty)?;
    let of_releases = |releases: Releases| {
        let held = values.iter().filter(|value| value.releases.and(releases) == releases);
        (releases, held.map(|value| value.text.clone()).collect())
    };
    Ok(alike(&values).into_iter().map(of_releases).collect())
}

fn values(lowerer: &Lowerer<'_>, ty: TypeId) -> Result<Vec<Value>, Refusal> {
    let mut values = Vec::new();
    for &(package, at) in lowerer.consts.get(&ty).into_iter().flatten() {
        if let Some(value) = const_value(lowerer, &lowerer.universe.packages()[package].consts[at].item)? {
            add(&mut values, value);
        }
    }
    Ok(values)
}

/// The releases in sets of those that have the same values.
fn alike(values: &[Value]) -> Vec<Releases> {
    let mut sets = vec![Releases::ALL];
    for value in values {
        let parts = sets.iter().flat_map(|set| [set.and(value.releases), set.and(value.releases.complement())]);
        sets = parts.filter(|set| !set.is_none()).collect();
    }
    sets
}

fn enum_rule<'v>(values: impl Iterator<Item = &'v Value>) -> EnumRule {
    let mut rule = EnumRule::default();
    let mut texts = BTreeSet::new();
    for value in values {
        rule.exclusions.extend(value.exclusions.iter().map(|(when, option)| Exclusion {
            value: value.text.clone(),
            option: option.clone(),
            when: *when,
        }));
        texts.insert(value.text.clone());
    }
    rule.values = texts.into_iter().collect();
    rule
}

fn const_value(lowerer: &Lowerer<'_>, item: &Const) -> Result<Option<Value>, Refusal> {
    let Some(exclusions) = exclusions(lowerer, &item.tags) else { return Ok(None) };
    let Some(Literal::String(text)) = &item.value else { return Err(unknown_value(item)) };
    let name = item.name.clone();
    let comment = item.comment.clone();
    let releases = releases_of(&item.tags);
    Ok(Some(Value { name, text: text.clone(), comment, exclusions, releases }))
}

/// An enum without one of its values would refuse objects that have it.
fn unknown_value(item: &Const) -> Refusal {
    let why = match &item.needs {
        Some(needed) => format!("constant {} of package {} was not found", needed.name, needed.package),
        None => "its expression is not one that can be worked out".to_owned(),
    };
    let message = format!("the value of constant {} is not known: {why}", item.name);
    Refusal::at(item.span, message)
}

/// The options that exclude a constant, each with the state that does; `None` when it is always excluded.
fn exclusions(lowerer: &Lowerer<'_>, tags: &[TagLine]) -> Option<Vec<(bool, String)>> {
    let mut found = Vec::new();
    for line in tags {
        let Ok(tag) = parse_tag(&line.text, line.span, lowerer.dialect.syntax()) else { continue };
        match lowerer.rule_name(&tag.name) {
            Some("k8s:enumExclude") => return None,
            Some(name @ ("k8s:ifEnabled" | "k8s:ifDisabled")) => {
                let excludes = tag.inner().is_some_and(|inner| inner.name == "k8s:enumExclude");
                if let (true, Some(option)) = (excludes, tag.positional()) {
                    found.push((name == "k8s:ifEnabled", option.text()));
                }
            }
            _ => {}
        }
    }
    Some(found)
}

/// Adds a constant; of several with one value, the one with the longer comment stays.
fn add(values: &mut Vec<Value>, value: Value) {
    match values.iter_mut().find(|known| known.text == value.text) {
        None => values.push(value),
        Some(known) => {
            let a = known.comment.len();
            let b = value.comment.len();
            if a < b || (a == b && known.comment > value.comment) {
                *known = value;
            }
        }
    }
}
