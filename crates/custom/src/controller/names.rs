//! Which names a definition gets: those that no other definition of its group has.

use std::collections::BTreeSet;

use sprag_field::quote;
use sprag_schema::crd::{Crd, Names};
use sprag_value::{Object, Text, Value};

use crate::condition::Condition;

/// The names that definitions of a group have.
pub(super) struct Used {
    resources: BTreeSet<Text>,
    kinds: BTreeSet<Text>,
}

impl Used {
    pub(super) fn of(definitions: &[Value], group: &str) -> Used {
        let mut used = Used { resources: BTreeSet::new(), kinds: BTreeSet::new() };
        for definition in definitions {
            if definition.lookup(&["spec", "group"]).and_then(Value::as_str) != Some(group) {
                continue;
            }
            let accepted = definition.lookup(&["status", "acceptedNames"]).unwrap_or(&Value::Null);
            let text = |name: &str| accepted.get(name).and_then(Value::as_str).unwrap_or_default().into();
            let short_names = accepted.get("shortNames").and_then(Value::as_array).into_iter().flatten();
            used.resources.extend([text("plural"), text("singular")]);
            used.resources.extend(short_names.filter_map(Value::as_str).map(Text::from));
            used.kinds.extend([text("kind"), text("listKind")]);
        }
        used
    }
}

/// The names that a definition has from now on, and the condition that says so. The last conflict is the one that shows.
pub(super) fn decide(crd: &Crd, used: &Used) -> (Names, Condition) {
    let (wanted, held) = (&crd.names, &crd.status.accepted_names);
    let mut names = held.clone();
    let mut conflict: Option<(&'static str, String)> = None;
    let mut take = |wanted: &Text, held: &mut Text, used: &BTreeSet<Text>, reason: &'static str| {
        if wanted != held && used.contains(wanted) {
            conflict = Some((reason, in_use(wanted)));
        } else {
            *held = wanted.clone();
        }
    };
    take(&wanted.plural, &mut names.plural, &used.resources, "PluralConflict");
    take(&wanted.singular, &mut names.singular, &used.resources, "SingularConflict");
    let taken = taken_short_names(wanted, held, used);
    if taken.is_empty() {
        names.short_names.clone_from(&wanted.short_names);
    }
    let short_names = (!taken.is_empty()).then(|| ("ShortNamesConflict", aggregate(taken)));
    let before = std::mem::take(&mut conflict);
    let mut conflict = short_names.or(before);
    let mut take = |wanted: &Text, held: &mut Text, reason: &'static str| {
        if wanted != held && used.kinds.contains(wanted) {
            conflict = Some((reason, in_use(wanted)));
        } else {
            *held = wanted.clone();
        }
    };
    take(&wanted.kind, &mut names.kind, "KindConflict");
    take(&wanted.list_kind, &mut names.list_kind, "ListKindConflict");
    names.categories.clone_from(&wanted.categories);
    let (status, (reason, message)) = match conflict {
        Some((reason, message)) => ("False", (reason, message.into())),
        None => ("True", ("NoConflicts", "no conflicts found".into())),
    };
    (names, Condition { ty: "NamesAccepted", status, reason, message })
}

fn taken_short_names(wanted: &Names, held: &Names, used: &Used) -> Vec<String> {
    let is_taken =
        |name: &&Text| !held.short_names.contains(name) && !name.is_empty() && used.resources.contains(*name);
    wanted.short_names.iter().filter(is_taken).map(|name| in_use(name)).collect()
}

fn in_use(name: &str) -> String {
    format!("{} is already in use", quote::go(name))
}

/// Several messages as Go puts them together.
fn aggregate(messages: Vec<String>) -> String {
    let mut unique: Vec<String> = Vec::new();
    for message in messages {
        if !unique.contains(&message) {
            unique.push(message);
        }
    }
    if unique.len() == 1 { unique.remove(0) } else { format!("[{}]", unique.join(", ")) }
}

/// Writes accepted names into a definition.
pub(super) fn set_accepted(definition: &mut Value, names: &Names) {
    let mut accepted = Object::new();
    accepted.insert("plural", names.plural.as_str());
    accepted.insert("kind", names.kind.as_str());
    for (member, text) in [("singular", &names.singular), ("listKind", &names.list_kind)] {
        if !text.is_empty() {
            accepted.insert(member, text.as_str());
        }
    }
    for (member, texts) in [("shortNames", &names.short_names), ("categories", &names.categories)] {
        if !texts.is_empty() {
            accepted.insert(member, texts.iter().map(|text| Value::from(text.as_str())).collect::<Value>());
        }
    }
    if let Some(members) = definition.as_object_mut() {
        let status = members.get_or_insert("status");
        if status.as_object().is_none() {
            *status = Value::object();
        }
        status.insert("acceptedNames", Value::Object(accepted));
    }
}
