//! The accepted names of a definition: those that no other definition of its group has.

use sprag_field::quote;
use sprag_schema::crd::{Crd, Names};
use sprag_value::{Object, Text, Value};

use super::known::Used;
use sprag_crd::condition::Condition;

/// The names that a definition has from now on, and the condition that says so.
pub(super) fn decide(crd: &Crd, used: &Used) -> (Names, Condition) {
    let wanted = &crd.names;
    let held = &crd.status.accepted_names;
    let mut names = held.clone();
    let mut conflict = Conflict(None);
    let resources = |name: &Text| used.has_resource(name);
    let kinds = |name: &Text| used.has_kind(name);
    conflict.take(&wanted.plural, &mut names.plural, resources, "PluralConflict");
    conflict.take(&wanted.singular, &mut names.singular, resources, "SingularConflict");
    match taken_short_names(wanted, held, used) {
        taken if taken.is_empty() => names.short_names.clone_from(&wanted.short_names),
        taken => conflict.0 = Some(("ShortNamesConflict", aggregate(taken))),
    }
    conflict.take(&wanted.kind, &mut names.kind, kinds, "KindConflict");
    conflict.take(&wanted.list_kind, &mut names.list_kind, kinds, "ListKindConflict");
    names.categories.clone_from(&wanted.categories);
    let (status, reason, message) = match conflict.0 {
        Some((reason, message)) => ("False", reason, message.into()),
        None => ("True", "NoConflicts", "no conflicts found".into()),
    };
    (names, Condition { ty: "NamesAccepted", status, reason, message })
}

/// The last conflict is the one that shows.
struct Conflict(Option<(&'static str, String)>);

impl Conflict {
    /// Takes a name, unless another definition has it.
    fn take(&mut self, wanted: &Text, held: &mut Text, is_used: impl Fn(&Text) -> bool, reason: &'static str) {
        if wanted != held && is_used(wanted) {
            self.0 = Some((reason, in_use(wanted)));
        } else {
            *held = wanted.clone();
        }
    }
}

fn taken_short_names(wanted: &Names, held: &Names, used: &Used) -> Vec<String> {
    let is_taken = |name: &&Text| !held.short_names.contains(name) && used.has_resource(name);
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
