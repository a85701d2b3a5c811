//! What a new definition changes for clients and for stored objects.

mod schema;

use sprag_schema::crd::{Crd, Version};

use crate::judge::{Catalog, Definition, judge_definition};

/// What a change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// The API server refuses the definition as an update of the old one.
    Refused,
    /// Stored objects lose what they have.
    LosesData,
    /// Objects can be misread, merged wrongly, or not be reached any more.
    Unsafe,
    /// Objects that were fine may be refused; unchanged ones are ratcheted.
    Tightened,
    /// A CEL rule that was not there; rules may refuse anything.
    RuleAdded,
    /// A CEL rule with another text.
    RuleChanged,
    /// A CEL rule less.
    RuleRemoved,
    /// Objects that were refused may be fine.
    Widened,
    /// Something new that old objects do not have.
    Added,
    /// Something else that clients may notice.
    Changed,
}

impl Class {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Class::Refused => "refused",
            Class::LosesData => "loses data",
            Class::Unsafe => "unsafe",
            Class::Tightened => "tightened",
            Class::RuleAdded => "rule added",
            Class::RuleChanged => "rule changed",
            Class::RuleRemoved => "rule removed",
            Class::Widened => "widened",
            Class::Added => "added",
            Class::Changed => "changed",
        }
    }

    /// Whether it can break a client or an object.
    pub(super) const fn breaks(self) -> bool {
        !matches!(self, Class::RuleRemoved | Class::Widened | Class::Added | Class::Changed)
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// The definition, and the version and field where it is about one.
    pub(super) place: String,
    pub(super) class: Class,
    pub(super) text: String,
}

/// Everything that is different, by group and kind.
pub(super) fn compare(old: &Catalog, new: &Catalog) -> Vec<Change> {
    let mut changes = Vec::new();
    for before in old.all() {
        let place = name(before.crd());
        match new.find(&before.crd().group, &before.crd().names.kind) {
            Some(after) => compare_definitions(before, after, &place, &mut changes),
            None => changes.push(Change { place, class: Class::Unsafe, text: "the definition is gone".to_owned() }),
        }
    }
    for after in new.all().filter(|after| old.find(&after.crd().group, &after.crd().names.kind).is_none()) {
        let text = "the definition is new".to_owned();
        changes.push(Change { place: name(after.crd()), class: Class::Added, text });
    }
    changes
}

fn name(crd: &Crd) -> String {
    format!("{}.{}", crd.names.plural, crd.group)
}

fn compare_definitions(before: &Definition, after: &Definition, place: &str, changes: &mut Vec<Change>) {
    let mut push = |place: String, class: Class, text: String| changes.push(Change { place, class, text });
    match judge_definition(after.source(), Some(before.source())) {
        Ok(errors) => {
            for error in &errors {
                push(place.to_owned(), Class::Refused, error.to_string());
            }
        }
        Err(error) => push(place.to_owned(), Class::Refused, error.to_string()),
    }
    let (before, after) = (before.crd(), after.crd());
    if before.names.plural != after.names.plural {
        let text = format!("objects move from {} to {}", before.names.plural, after.names.plural);
        push(place.to_owned(), Class::Unsafe, text);
    }
    if before.scope != after.scope {
        push(place.to_owned(), Class::Unsafe, format!("scope {} becomes {}", before.scope, after.scope));
    }
    for version in &before.versions {
        let place = format!("{place} {}", version.name);
        match after.version(&version.name) {
            Some(later) => compare_versions(version, later, &place, changes),
            None => changes.push(Change { place, class: Class::Unsafe, text: "the version is gone".to_owned() }),
        }
    }
    for version in after.versions.iter().filter(|version| before.version(&version.name).is_none()) {
        let (place, text) = (format!("{place} {}", version.name), "the version is new".to_owned());
        changes.push(Change { place, class: Class::Added, text });
    }
}

fn compare_versions(before: &Version, after: &Version, place: &str, changes: &mut Vec<Change>) {
    let mut push = |class: Class, text: &str| {
        changes.push(Change { place: place.to_owned(), class, text: text.to_owned() });
    };
    match (before.served, after.served) {
        (true, false) => push(Class::Unsafe, "the version is not served any more"),
        (false, true) => push(Class::Added, "the version is served now"),
        _ => {}
    }
    match (before.storage, after.storage) {
        (true, false) => push(Class::Changed, "objects are stored in another version"),
        (false, true) => push(Class::Changed, "objects are stored in this version now"),
        _ => {}
    }
    match (before.has_status(), after.has_status()) {
        (true, false) => push(Class::Unsafe, "status is no subresource any more: every writer can set it"),
        (false, true) => push(Class::Unsafe, "status is a subresource now: writes of the whole object do not set it"),
        _ => {}
    }
    match (before.props(), after.props()) {
        (Some(before), Some(after)) => schema::compare(before, after, place, changes),
        (None, Some(_)) => push(Class::LosesData, "fields that the new schema does not have are dropped"),
        (Some(_), None) => push(Class::Widened, "there is no schema any more"),
        (None, None) => {}
    }
}
