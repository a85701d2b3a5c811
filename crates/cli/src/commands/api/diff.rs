//! Compatibility rules between releases of an API.

use std::fmt;

use super::wire::{Field, Rule, Snapshot, Stage, Type, Version};

const NEW_FIELD: &str = "new-field-gated";
const NEW_RULE: &str = "new-rule-alpha";
const PROMOTION: &str = "rule-promoted-by-one-stage";
const REMOVED: &str = "nothing-removed";
const CHANGED: &str = "type-unchanged";

/// A change that breaks a promise.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// The version: `example.com/v1`.
    pub(super) version: String,
    /// The type or field: `WidgetSpec.size`; empty for the version itself.
    pub(super) place: String,
    pub(super) practice: &'static str,
    pub(super) message: String,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Change { version, place, practice, message } = self;
        let space = if place.is_empty() { "" } else { " " };
        write!(f, "{version}{space}{place}: {practice}: {message}")
    }
}

/// The changes from an old API to a new one that break promises. What is new as a whole can break none.
pub(super) fn changes(old: &Snapshot, new: &Snapshot) -> Vec<Change> {
    let mut changes = Vec::new();
    for old in &old.versions {
        let mut add = |place: &str, practice, message: String| {
            changes.push(Change { version: old.name.clone(), place: place.to_owned(), practice, message });
        };
        match new.versions.iter().find(|new| new.name == old.name) {
            Some(new) => compare_versions(old, new, &mut add),
            None => add("", REMOVED, "the version is gone: serve it until nobody uses it".to_owned()),
        }
    }
    changes
}

/// Takes a place, the practice and what is said.
type Add<'a> = dyn FnMut(&str, &'static str, String) + 'a;

fn compare_versions(old: &Version, new: &Version, add: &mut Add<'_>) {
    for old in &old.types {
        match new.types.iter().find(|new| new.name == old.name) {
            Some(new) => compare_types(old, new, add),
            None => add(&old.name, REMOVED, "the type is gone".to_owned()),
        }
    }
}

fn compare_types(old: &Type, new: &Type, add: &mut Add<'_>) {
    compare_rules(&old.name, &old.rules, &new.rules, add);
    for value in old.values.iter().filter(|value| !new.values.contains(value)) {
        add(&old.name, REMOVED, format!("the value {value:?} is gone: stored objects may have it"));
    }
    for field in &old.fields {
        let place = format!("{}.{}", old.name, field.name);
        match new.fields.iter().find(|new| new.name == field.name) {
            Some(new) => compare_fields(&place, field, new, add),
            None => add(&place, REMOVED, "the field is gone: stored objects have it".to_owned()),
        }
    }
    for field in &new.fields {
        let is_new = !old.fields.iter().any(|old| old.name == field.name);
        if is_new && field.gates.is_empty() {
            let place = format!("{}.{}", old.name, field.name);
            add(
                &place,
                NEW_FIELD,
                "a new field of a released version needs a feature gate: +k8s:featureGate=NAME".to_owned(),
            );
        }
    }
}

fn compare_fields(place: &str, old: &Field, new: &Field, add: &mut Add<'_>) {
    if old.ty != new.ty {
        add(place, CHANGED, format!("the type was {} and is {}", old.ty, new.ty));
    }
    if old.gates.is_empty()
        && let [gate, ..] = new.gates.as_slice()
    {
        add(place, CHANGED, format!("the gate {gate} would drop what was stored without it"));
    }
    compare_rules(place, &old.rules, &new.rules, add);
}

fn compare_rules(place: &str, old: &[Rule], new: &[Rule], add: &mut Add<'_>) {
    for rule in new {
        let Rule { tag: text, stage, since } = rule;
        let known = old.iter().filter(|old| old.tag == *text).max_by_key(|old| old.stage);
        match known {
            None if *stage == Stage::Alpha => {}
            None => {
                let wanted = format!("a new rule of what was there begins in alpha: +k8s:alpha={text}");
                add(place, NEW_RULE, wanted);
            }
            Some(old) if old.stage >= *stage => {}
            Some(old) if (old.stage, *stage) == (Stage::Alpha, Stage::Stable) => {
                let message = format!("{text} goes from alpha to stable: it is beta for a release before that");
                add(place, PROMOTION, message);
            }
            Some(old) if since.is_some() && *since == old.since => {
                let from = old.stage.name();
                let to = stage.name();
                let release = since.as_deref().unwrap_or_default();
                add(place, PROMOTION, format!("{text} goes from {from} to {to} within release {release}"));
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(field: Option<Field>) -> Snapshot {
        let size = Field { name: "size".into(), ty: "int32".into(), gates: Vec::new(), rules: Vec::new() };
        let fields = [size].into_iter().chain(field).collect();
        let types = vec![Type { name: "Spec".into(), rules: Vec::new(), values: Vec::new(), fields }];
        Snapshot::new(vec![Version { name: "example.com/v1".into(), types }])
    }

    fn field(stage: Stage, since: Option<&str>) -> Field {
        let rule = Rule { tag: "+k8s:minimum=1".into(), stage, since: since.map(str::to_owned) };
        Field { name: "depth".into(), ty: "int32".into(), gates: Vec::new(), rules: vec![rule] }
    }

    #[track_caller]
    fn check(old: Option<Field>, new: Option<Field>, expected: &[&str]) {
        let found: Vec<&str> =
            changes(&snapshot(old), &snapshot(new)).into_iter().map(|change| change.practice).collect();
        assert_eq!(found, expected);
    }

    /// From nothing, or from each stage, to each stage.
    #[test]
    fn a_rule_begins_in_alpha_and_goes_one_stage_at_a_time() {
        use Stage::{Alpha, Beta, Stable};
        let bare = || Some(Field { rules: Vec::new(), ..field(Alpha, None) });
        for (stage, expected) in [(Alpha, &[][..]), (Beta, &[NEW_RULE]), (Stable, &[NEW_RULE])] {
            check(bare(), Some(field(stage, None)), expected);
        }
        for from in [Alpha, Beta, Stable] {
            for to in [Alpha, Beta, Stable] {
                let expected: &[&str] = if (from, to) == (Alpha, Stable) { &[PROMOTION] } else { &[] };
                check(Some(field(from, None)), Some(field(to, None)), expected);
            }
        }
        check(Some(field(Alpha, Some("1.37"))), Some(field(Beta, Some("1.37"))), &[PROMOTION]);
        check(Some(field(Alpha, Some("1.37"))), Some(field(Beta, Some("1.38"))), &[]);
        check(Some(field(Stable, None)), bare(), &[]);
    }

    #[test]
    fn a_new_field_needs_a_gate_and_no_field_goes() {
        check(None, Some(field(Stage::Stable, None)), &[NEW_FIELD]);
        let gated = || Some(Field { gates: vec!["Depth".into()], ..field(Stage::Stable, None) });
        check(None, gated(), &[]);
        check(gated(), Some(field(Stage::Stable, None)), &[]);
        check(Some(field(Stage::Stable, None)), gated(), &[CHANGED]);
        check(Some(field(Stage::Stable, None)), None, &[REMOVED]);
        let text = Field { ty: "string".into(), ..field(Stage::Stable, None) };
        check(Some(field(Stage::Stable, None)), Some(text), &[CHANGED]);
    }
}
