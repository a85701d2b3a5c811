//! Changes between two definitions that affect clients and stored objects.

mod schema;

use std::fmt::Write as _;
use std::sync::Arc;

use sprag_analysis::{BuiltIn, Definition, validate_definition, written};
use sprag_cel::known_elsewhere;
use sprag_rest::Release;
use sprag_schema::crd::Version;

use super::check::Definitions;

/// The class of a change.
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

    /// Reports whether it can break a client or an object.
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
    /// The file of the new definition, or of the old one where there is no new one.
    pub(super) file: Arc<str>,
    /// The group and kind of the definition.
    pub(super) kind: (String, String),
    /// Its field in the manifest.
    pub(super) field: String,
}

/// Everything that is different, by group and kind.
pub(super) fn compare(definitions: &Definitions<'_>) -> Vec<Change> {
    let Definitions { old, new, releases, .. } = *definitions;
    let mut changes = Vec::new();
    for before in old.all() {
        match new.find(&before.crd().group, &before.crd().names.kind) {
            Some(after) => compare_definitions(before, after, releases, &mut changes),
            None => Changes::of(before, &mut changes).push(Class::Unsafe, "the definition is gone"),
        }
    }
    for after in new.all().filter(|after| old.find(&after.crd().group, &after.crd().names.kind).is_none()) {
        let mut changes = Changes::of(after, &mut changes);
        changes.rejected(after, None, releases);
        changes.push(Class::Added, "the definition is new");
    }
    changes
}

/// The reasons why releases refuse the new definitions, as ones that are not there yet.
pub(super) fn refusals(definitions: &Definitions<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for definition in definitions.new.all() {
        Changes::of(definition, &mut changes).rejected(definition, None, definitions.releases);
    }
    changes
}

/// An error about a definition, and the releases that have it.
struct Refusal {
    field: String,
    /// Without the value, which releases print in different ways.
    detail: String,
    text: String,
    releases: Vec<Release>,
}

impl Refusal {
    fn says_the_same(&self, other: &Refusal) -> bool {
        self.field == other.field && self.detail == other.detail
    }
}

/// The errors of one release about a definition.
fn refusals_of(after: &Definition, before: Option<&Definition>, release: Release, built_in: &BuiltIn) -> Vec<Refusal> {
    let releases = vec![release];
    match validate_definition(after.source(), before.map(Definition::source), built_in) {
        Ok(errors) => errors
            .iter()
            .map(|error| Refusal {
                field: written(&error.field).into_owned(),
                detail: format!("{}: {}", error.kind.text(), error.detail),
                text: error.to_string(),
                releases: releases.clone(),
            })
            .collect(),
        Err(error) => {
            let text = error.to_string();
            vec![Refusal { field: error.parts().field.clone(), detail: text.clone(), text, releases }]
        }
    }
}

/// Takes the changes of one place.
struct Changes<'c> {
    /// The definition whose manifest shows the change.
    definition: &'c Definition,
    place: String,
    field: String,
    list: &'c mut Vec<Change>,
}

impl<'c> Changes<'c> {
    /// Those of a definition as a whole.
    fn of(definition: &'c Definition, list: &'c mut Vec<Change>) -> Changes<'c> {
        let crd = definition.crd();
        Changes { definition, place: format!("{}.{}", crd.names.plural, crd.group), field: String::new(), list }
    }

    /// Those of one version of the definition.
    fn version(&mut self, name: &str) -> Changes<'_> {
        let index = self.definition.crd().versions.iter().position(|version| version.name.as_str() == name);
        let field = index.map_or("spec.versions".to_owned(), |index| format!("spec.versions[{index}]"));
        Changes { definition: self.definition, place: format!("{} {name}", self.place), field, list: self.list }
    }

    fn push(&mut self, class: Class, text: impl Into<String>) {
        let place = self.place.clone();
        let field = self.field.clone();
        self.push_at(place, field, class, text.into());
    }

    fn push_at(&mut self, place: String, field: String, class: Class, text: String) {
        let crd = self.definition.crd();
        let file = self.definition.file().clone();
        let kind = (crd.group.to_string(), crd.names.kind.to_string());
        self.list.push(Change { place, class, text, file, kind, field });
    }

    /// Collects the errors of releases about the definition, as an update of an old one.
    fn rejected(&mut self, after: &Definition, before: Option<&Definition>, releases: &[(Release, BuiltIn)]) {
        let mut found: Vec<Refusal> = Vec::new();
        for (release, built_in) in releases {
            for refusal in refusals_of(after, before, *release, built_in) {
                match found.iter_mut().find(|known| known.says_the_same(&refusal)) {
                    // The newest release says it in the words that most know.
                    Some(known) => {
                        known.text = refusal.text;
                        known.releases.push(*release);
                    }
                    None => found.push(refusal),
                }
            }
        }
        for Refusal { field, text, releases: refusing, .. } in found {
            let names: Vec<String> = refusing.iter().map(ToString::to_string).collect();
            let by = if releases.len() > 1 { format!("by {}: ", names.join(", ")) } else { String::new() };
            let mut message = format!("{by}{text}");
            for (name, releases) in known_elsewhere(&text) {
                _ = write!(message, " ({name} needs Kubernetes {releases})");
            }
            self.push_at(self.place.clone(), field, Class::Refused, message);
        }
    }
}

fn compare_definitions(
    before: &Definition,
    after: &Definition,
    releases: &[(Release, BuiltIn)],
    list: &mut Vec<Change>,
) {
    let mut changes = Changes::of(after, list);
    changes.rejected(after, Some(before), releases);
    let before = before.crd();
    let after = after.crd();
    // A definition is called by the name that clients know.
    changes.place = format!("{}.{}", before.names.plural, before.group);
    if before.names.plural != after.names.plural {
        changes.push(Class::Unsafe, format!("objects move from {} to {}", before.names.plural, after.names.plural));
    }
    if before.scope != after.scope {
        changes.push(Class::Unsafe, format!("scope {} becomes {}", before.scope, after.scope));
    }
    for version in &before.versions {
        let mut changes = changes.version(&version.name);
        match after.version(&version.name) {
            Some(later) => compare_versions(version, later, &mut changes),
            None => changes.push(Class::Unsafe, "the version is gone"),
        }
    }
    for version in after.versions.iter().filter(|version| before.version(&version.name).is_none()) {
        changes.version(&version.name).push(Class::Added, "the version is new");
    }
}

fn compare_versions(before: &Version, after: &Version, changes: &mut Changes<'_>) {
    let mut push = |class: Class, text: &str| changes.push(class, text);
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
        (Some(before), Some(after)) => schema::compare(before, after, changes),
        (None, Some(_)) => push(Class::LosesData, "fields that the new schema does not have are dropped"),
        (Some(_), None) => push(Class::Widened, "there is no schema any more"),
        (None, None) => {}
    }
}
